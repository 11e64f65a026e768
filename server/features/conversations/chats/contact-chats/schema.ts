// The chats of contacts (interface: Chats of contacts).
import type { Static } from 'typebox'
import { PageLinks } from '../../../../http/hal.ts'
import { Paging } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import { CommaList, Id } from '../../../../http/types.ts'
import { Ids } from '../../../../records/lists/schema.ts'
import { readOnly } from '../../../../records/schema.ts'

const { Optional } = Type
const Uuid = Type.String({ format: 'uuid' })

const bound = {
  chat_id: Uuid,
  contact_id: Id,
  id: Type.Integer({ ...Id, description: 'The id of the chat inside of the account' }),
}

export const NewContactChat = Type.Object(
  { contact_id: Id, chat_id: Uuid, ...readOnly('id') },
  { additionalProperties: false },
)
export type NewContactChat = Static<typeof NewContactChat>

export const ContactChat = Type.Object({ ...bound, request_id: Type.String() })
export type ContactChat = Static<typeof ContactChat>

export const BoundChats = Type.Object({
  _total_items: Type.Integer(),
  _embedded: Type.Object({ chats: Type.Array(ContactChat) }),
})

export const ContactChatQuery = Type.Object(
  {
    ...Paging,
    contact_id: Optional({ ...Ids, description: 'The id of a contact, or several' }),
    chat_id: Optional({ ...CommaList(Uuid, 250, 1), description: 'The id of a chat, or several' }),
  },
  { additionalProperties: true },
)
export type ContactChatQuery = Static<typeof ContactChatQuery>

export const ContactChatPage = Type.Object({
  _total_items: Type.Integer({ description: 'The chats of this page' }),
  _links: PageLinks,
  _embedded: Type.Object({ chats: Type.Array(Type.Object(bound)) }),
})
