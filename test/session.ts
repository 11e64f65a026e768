import { request } from 'node:http'
import type { Kontor } from '../server/kontor.ts'
import { client } from './client.ts'
import type { Answer, Client } from './client.ts'

export interface Browser {
  /** A client with the session's cookie, as our own pages use it. */
  api: Client
  cookie: string
  /** The answer to the sign-in. */
  answer: Answer
}

/** Signs in as the web application does. */
export async function signIn(
  kontor: Pick<Kontor, 'url'>,
  credentials: { email: string; password: string; account?: string; code?: string },
): Promise<Browser> {
  const answer = await client(kontor).post('/web/v1/session', credentials, { origin: kontor.url })
  if (answer.status !== 200)
    throw new Error(`the sign-in answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  const cookie = cookieIn(answer)
  return { answer, cookie, api: withCookie(kontor, cookie) }
}

export function withCookie(kontor: Pick<Kontor, 'url'>, cookie: string): Client {
  const { send } = client(kontor)
  const own = { cookie, origin: kontor.url }
  return {
    send: (method, path, body, headers) => send(method, path, body, { ...own, ...headers }),
    get: (path, headers) => send('GET', path, undefined, { cookie, ...headers }),
    post: (path, body, headers) => send('POST', path, body, { ...own, ...headers }),
    patch: (path, body, headers) => send('PATCH', path, body, { ...own, ...headers }),
    delete: (path, body, headers) => send('DELETE', path, body, { ...own, ...headers }),
  }
}

/** The `name=value` of the cookie that an answer sets. */
export function cookieIn({ headers }: Pick<Answer, 'headers'>): string {
  return headers.getSetCookie()[0]!.split(';', 1)[0]!
}

/**
 * Sends a request with another Host, which fetch does not allow. With `cookie` it also sends the
 * Origin of that host.
 */
export function requestAt(
  address: string,
  host: string,
  {
    method = 'GET',
    path,
    body,
    cookie,
  }: { method?: string; path: string; body?: unknown; cookie?: string },
): Promise<Answer> {
  const url = new URL(path, address)
  const headers = {
    host,
    'content-type': 'application/json',
    ...(cookie && { cookie, origin: `http://${host}` }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const text = Buffer.concat(parts).toString()
        const headers = new Headers(
          Object.entries(response.headersDistinct).flatMap(([name, values]) =>
            values!.map((value): [string, string] => [name, value]),
          ),
        )
        resolve({
          status: response.statusCode!,
          headers,
          body: text.startsWith('{') ? JSON.parse(text) : text || undefined,
        })
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
