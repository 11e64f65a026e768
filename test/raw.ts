import http from 'node:http'
import type { Kontor } from '../server/kontor.ts'

export interface RawAnswer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

export interface RawRequest {
  method?: string
  /** The request target as it is sent. It need not be a path. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Keeps the connection for the next request. Without an agent each request has its own. */
  agent?: http.Agent
}

/**
 * Sends requests that `fetch` refuses: another Host, a GET with a body, an unchanged address. A
 * live stream is closed after its first message. The answer is not checked against the document.
 */
export function raw(kontor: Pick<Kontor, 'url'>, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path, headers = {}, body, agent = false } = request
  const { hostname, port } = new URL(kontor.url)
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = http.request({
      host: hostname,
      port,
      method,
      path,
      headers: { ...length, ...headers },
      agent,
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      const isStream = response.headers['content-type'] === 'text/event-stream'
      const answered = () =>
        resolve({ status: response.statusCode!, headers: response.headers, text })
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (!isStream || !text.includes('event: ')) return
        answered()
        sent.destroy()
      })
      response.on('error', reject)
      response.on('end', answered)
    })
    sent.end(body)
  })
}
