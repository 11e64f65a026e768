// The program of a chat channel, for tests: it signs what it sends.
import { createHash, createHmac } from 'node:crypto'
import type { TestAccount } from './account.ts'
import { prove } from './prove.ts'
import { raw } from './raw.ts'
import type { RawAnswer } from './raw.ts'

export const chatPath = '/v2/origin/custom'

export interface TestChannel {
  id: string
  secret: string
  code: string
  bot_id: string
}

export interface ChatAnswer extends RawAnswer {
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
  body: any
}

/** Registers a channel of the account. */
export async function addChannel({ api }: TestAccount, draft: object = {}): Promise<TestChannel> {
  const { status, body } = await api.post('/web/v1/channels', { name: 'Line', ...draft })
  if (status !== 201) throw new Error(`the channel was refused: ${JSON.stringify(body)}`)
  return body
}

/** The id of an account in the chat service. */
export async function amojoIdOf({ api }: TestAccount): Promise<string> {
  return (await api.get('/api/v4/account?with=amojo_id')).body.amojo_id
}

export const hmac = (secret: string, covered: string | Buffer) =>
  createHmac('sha1', secret).update(covered).digest('hex')
const md5 = (body: string | Buffer) => createHash('md5').update(body).digest('hex')

/** The headers of the canonical form, with its signature. */
export function canonical(
  secret: string,
  { method, path, body = '' }: { method: string; path: string; body?: string | Buffer },
  change: Record<string, string> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-md5': md5(body),
    'content-type': 'application/json',
    date: new Date().toUTCString(),
    ...change,
  }
  const parts = [method, headers['content-md5'], headers['content-type'], headers['date'], path]
  return { 'x-signature': hmac(secret, parts.join('\n')), ...headers }
}

/** Sends a request of the chat protocol; the answer is proved. */
export async function sendChat(
  { kontor }: Pick<TestAccount, 'kontor'>,
  method: string,
  path: string,
  { body, headers }: { body?: string | Buffer; headers: Record<string, string> },
): Promise<ChatAnswer> {
  const given = { method, path, headers, ...(body !== undefined && { body }) }
  const answer = await raw(kontor, given)
  const { status, text } = answer
  const isJson = /json/.test(answer.headers['content-type'] ?? '')
  const parsed = isJson && text !== '' ? JSON.parse(text) : undefined
  const all = new Headers(answer.headers as Record<string, string>)
  await prove(method, path, { status, headers: all, body: parsed, text })
  return { ...answer, body: parsed }
}

/** Sends a body that is signed by itself alone. */
export function sendSigned(
  account: Pick<TestAccount, 'kontor'>,
  secret: string,
  method: string,
  path: string,
  body: object | string | Buffer,
): Promise<ChatAnswer> {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'x-signature': hmac(secret, bytes) }
  return sendChat(account, method, path, { body: bytes, headers })
}

/** Connects an account to a channel. */
export function connect(
  account: TestAccount,
  { id, secret }: Pick<TestChannel, 'id' | 'secret'>,
  body: object,
): Promise<ChatAnswer> {
  return sendSigned(account, secret, 'POST', `${chatPath}/${id}/connect`, body)
}
