// A small server that speaks as much of S3 as files need: PUT, GET with a range, DELETE. It keeps
// objects in memory, and notes the Authorization header of each request.
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ObjectServer {
  url: string
  /** Objects by `/<bucket>/<key>`. */
  objects: Map<string, { bytes: Buffer; type: string | undefined }>
  requests: { method: string; path: string; authorization: string; length: string | undefined }[]
  /** Answers this status to everything, while it is set. */
  failing: number | undefined
  close(): Promise<void>
}

export async function openObjectServer(): Promise<ObjectServer> {
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', headers } = request
    const path = decodeURIComponent((request.url ?? '').split('?')[0]!)
    const { authorization = '', 'content-length': length } = headers
    opened.requests.push({ method, path, authorization, length })
    if (opened.failing !== undefined) return void response.writeHead(opened.failing).end()
    const object = opened.objects.get(path)
    if (method === 'PUT') {
      opened.objects.set(path, { bytes: Buffer.concat(parts), type: headers['content-type'] })
      response.writeHead(200, { etag: '"e"' }).end()
    } else if (method === 'DELETE') {
      opened.objects.delete(path)
      response.writeHead(204).end()
    } else if (object === undefined)
      response
        .writeHead(404, { 'content-type': 'application/xml' })
        .end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>None</Message></Error>')
    else {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
      const bytes =
        from === undefined ? object.bytes : object.bytes.subarray(Number(from), Number(to) + 1)
      response.writeHead(from === undefined ? 200 : 206, { 'content-length': bytes.length })
      response.end(bytes)
    }
  })
  const opened: ObjectServer = {
    url: '',
    objects: new Map(),
    requests: [],
    failing: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  opened.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return opened
}
