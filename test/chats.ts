// Chats for tests: a channel that an account is connected to, and what its program publishes.
import type { TestAccount } from './account.ts'
import { addChannel, amojoIdOf, chatPath, connect, sendSigned } from './channels.ts'
import type { ChatAnswer, TestChannel } from './channels.ts'

export interface TestScope extends TestChannel {
  account: TestAccount
  scopeId: string
  /** The path of publications. */
  path: string
}

/** Connects the account to a new channel. */
export async function addScope(
  account: TestAccount,
  draft: object = {},
  connection: object = {},
): Promise<TestScope> {
  const channel = await addChannel(account, draft)
  return connectTo(account, channel, connection)
}

/** Connects an account to a channel. */
export async function connectTo(
  account: TestAccount,
  channel: TestChannel,
  connection: object = {},
): Promise<TestScope> {
  const account_id = await amojoIdOf(account)
  const answer = await connect(account, channel, { account_id, ...connection })
  if (answer.status !== 200) throw new Error(`not connected: ${answer.text}`)
  const scopeId = answer.body.scope_id
  return { ...channel, account, scopeId, path: `${chatPath}/${scopeId}` }
}

let count = 0

export const avatar = 'https://img.example.com/ann.png'

/** A sender of its own name at the channel. */
export const personOf = (id: string, more: object = {}) => ({ id, name: 'Ann', avatar, ...more })

/** The payload of a message of the client: a text, unless the draft says otherwise. */
export function messageOf(draft: Record<string, unknown> = {}) {
  const { message, text, ...more } = draft
  const timestamp = 1_700_000_000 + ++count
  return {
    timestamp,
    msgid: `message-${count}`,
    conversation_id: 'talk-1',
    sender: personOf('client-1'),
    message: { type: 'text', text: text ?? 'Hello', ...(message as object | undefined) },
    ...more,
  }
}

/** Sends a method of the scope, signed by its body. */
export const callScope = (
  { account, secret, path }: TestScope,
  below: string,
  body: object | string,
): Promise<ChatAnswer> => sendSigned(account, secret, 'POST', `${path}${below}`, body)

/** Publishes a message; whatever the answer is. */
export const publish = (
  scope: TestScope,
  draft: Record<string, unknown> = {},
  event_type = 'new_message',
): Promise<ChatAnswer> => callScope(scope, '', { event_type, payload: messageOf(draft) })

export interface Published {
  conversation_id: string
  sender_id: string
  receiver_id: string | null
  msgid: string
  ref_id: string
}

/** Publishes a message that is taken. */
export async function published(
  scope: TestScope,
  draft: Record<string, unknown> = {},
): Promise<Published> {
  const { status, text, body } = await publish(scope, draft)
  if (status !== 200) throw new Error(`the message was refused: ${text}`)
  return body.new_message
}
