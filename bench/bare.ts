// The bare node:http server that both floors answer from. It parses bodies and does no more.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account } from './scenarios.ts'

export interface BareRequest {
  method: string
  /** `http://` and the host of the request. */
  base: string
  pathname: string
  /** The part after `/api/v4/`: `leads`, `contacts`. */
  type: string
  /** The next part: an id, or `notes`. */
  rest: string | undefined
  query: URLSearchParams
  authorization: string | undefined
  /** The signature of a channel. */
  signature: string | undefined
  body(): Promise<unknown>
  bytes(): Promise<Buffer>
}

/** The account of the bench, passed by the parent process. */
export const account = JSON.parse(process.argv[2] ?? '{}') as Account

/** Listens, sends the port to the parent process, and ends with it. */
export function serve(answer: (request: BareRequest) => Promise<string>): void {
  const server = http.createServer((request, response) => {
    answer(bareRequestOf(request)).then(
      (json) => {
        const body = Buffer.from(json)
        const headers = { 'content-type': 'application/hal+json', 'content-length': body.length }
        response.writeHead(200, headers).end(body)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.once('disconnect', () => process.exit())
}

function bareRequestOf(request: http.IncomingMessage): BareRequest {
  const { method = '', url = '', headers } = request
  const base = `http://${headers.host}`
  const { pathname, searchParams: query } = new URL(url, base)
  const [, , , type = '', rest] = pathname.split('/')
  const { authorization, 'x-signature': signature } = headers
  const bytes = () => bytesOf(request)
  const body = async () => JSON.parse((await bytes()).toString()) as unknown
  const parsed = { method, base, pathname, type, rest, query, authorization }
  return { ...parsed, signature: signature?.toString(), body, bytes }
}

async function bytesOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
