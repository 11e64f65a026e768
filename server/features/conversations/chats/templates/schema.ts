// Texts that users send again and again.
import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../../../http/types.ts'
import { readOnly } from '../../../../records/schema.ts'
import { GroupId } from '../../../people/users/schema.ts'

const closed = { additionalProperties: false }

/**
 * The names that a text may hold, such as `{{contact.name}}`. The page on which somebody chooses the template puts the
 * value there, where it can still be read before it is sent.
 */
export const templatePlaceholders = [
  'contact.name',
  'contact.first_name',
  'record.name',
  'user.name',
  'account.name',
] as const
export type TemplatePlaceholder = (typeof templatePlaceholders)[number]

const groupIds = Nullable(
  Type.Array(GroupId, {
    maxItems: 1000,
    description: 'The groups whose users may choose the template; null: everybody may',
  }),
)

export const ChatTemplate = Type.Object({
  id: Id,
  name: Type.String(),
  content: Type.String(),
  group_ids: groupIds,
  created_by: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})

const name = Name(255)
const content = {
  ...Name(20_000),
  description: `May name ${templatePlaceholders.map((each) => `\`{{${each}}}\``).join(', ')}`,
}
const ignored = readOnly('id', 'created_by', 'created_at', 'updated_at', '_links')

export const NewChatTemplate = Type.Object(
  { name, content, group_ids: Type.Optional(groupIds), ...ignored },
  closed,
)
export type NewChatTemplate = Static<typeof NewChatTemplate>

export const ChatTemplateChange = Type.Object(
  {
    name: Type.Optional(name),
    content: Type.Optional(content),
    group_ids: Type.Optional(groupIds),
    ...ignored,
  },
  closed,
)
export type ChatTemplateChange = Static<typeof ChatTemplateChange>
