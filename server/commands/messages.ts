import type { Actor } from '../access/actor.ts'
import { actorOf, serverItself } from '../access/user-access.ts'
import type { UserAccess } from '../access/user-access.ts'
import { accessOfUser } from '../access/tokens.ts'
import { chatIdOf } from '../features/conversations/chats/chats.ts'
import { sendMessage } from '../features/conversations/messages/outgoing/outgoing.ts'
import { faultsOfDraft, MessageDraft } from '../features/conversations/messages/outgoing/schema.ts'
import { invalidFor, notFound } from '../http/problem.ts'
import { isUuid } from '../http/types.ts'
import { compile } from '../http/validate.ts'
import type { Kontor } from '../kontor.ts'
import { findAccount, findUser } from './whom.ts'

export interface MessageSettings {
  account?: string
  /** The e-mail of the user who writes; none: the bot of the channel. */
  user?: string
  /** The UUID that programs know the chat by, or its number in the web application. */
  chat: string
  text: string
}

/** `kontor message send`: the message leaves while a server runs. */
export async function messageSend(kontor: Kontor, { chat, text, ...whose }: MessageSettings) {
  const actor = await writerOf(kontor, whose)
  const { value: draft, faults } = compile(MessageDraft)({ text })
  const errors = [...faults, ...(faults.length > 0 ? [] : faultsOfDraft(draft))]
  if (errors.length > 0) throw invalidFor(...errors)
  if (!isUuid(chat) && !/^[1-9]\d{0,14}$/.test(chat)) throw notFound(`"${chat}" is no id of a chat`)
  return kontor.database.transaction(async (tx) => {
    const chatId = isUuid(chat) ? await chatIdOf(tx, actor, chat) : Number(chat)
    const { id, uid, status } = await sendMessage(tx, kontor, actor, chatId, draft)
    return { id, uid, chat: chatId, status }
  })
}

async function writerOf(
  { database, now }: Kontor,
  { account, user }: Pick<MessageSettings, 'account' | 'user'>,
): Promise<Actor> {
  const { id: accountId } = await findAccount(database, account)
  const itself = serverItself(accountId, now())
  if (user === undefined) return itself
  const { id, email } = await findUser(database, accountId, user)
  const found = await database.row<UserAccess>(accessOfUser(accountId, id))
  if (!found) throw new Error(`${email} may not write: a free user has no rights`)
  return { ...itself, ...actorOf(found) }
}
