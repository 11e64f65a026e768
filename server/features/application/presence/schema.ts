import type { Static } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { Id, Nullable } from '../../../http/types.ts'

export const Presence = Type.Object(
  {
    entity_type: Type.Enum([...entityTypes]),
    entity_id: Id,
    tab: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      description: 'A name that the tab of the browser gave itself',
    }),
    field: Nullable(Type.String({ maxLength: 100, description: 'The field that the user edits' })),
    is_here: Type.Boolean({ description: 'False when the card is closed' }),
  },
  { additionalProperties: false },
)
export type Presence = Static<typeof Presence>
