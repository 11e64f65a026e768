import type { Kontor } from '../server/kontor.ts'
import { prove } from './prove.ts'

/** An answer. `body` is the parsed JSON, or undefined without one. Tests read it freely. */
export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
  body: any
}

export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Any method. A text is sent as it is, everything else as JSON. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

/**
 * An HTTP client of a server, with or without a token. `path` may be a whole address, such as one
 * from a link.
 */
export function client(kontor: Pick<Kontor, 'url'>, token?: string): Client {
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(path.startsWith('http') ? path : kontor.url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isPicture = response.headers.get('content-type')?.startsWith('image/') === true
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' || isPicture ? undefined : JSON.parse(text),
    }
    await prove(method, path, { ...answer, text })
    return answer
  }
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, body, headers) => send('DELETE', path, body, headers),
  }
}
