// Texts that users send again and again.
import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Timestamp } from '../../../../http/types.ts'
import { readOnly } from '../../../../records/schema.ts'

const closed = { additionalProperties: false }

export const ChatTemplate = Type.Object({
  id: Id,
  name: Type.String(),
  content: Type.String(),
  created_by: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})

const name = Name(255)
const content = Name(20_000)
const ignored = readOnly('id', 'created_by', 'created_at', 'updated_at', '_links')

export const NewChatTemplate = Type.Object({ name, content, ...ignored }, closed)
export type NewChatTemplate = Static<typeof NewChatTemplate>

export const ChatTemplateChange = Type.Object(
  { name: Type.Optional(name), content: Type.Optional(content), ...ignored },
  closed,
)
export type ChatTemplateChange = Static<typeof ChatTemplateChange>
