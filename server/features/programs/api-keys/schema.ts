import type { Static } from 'typebox'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../../http/types.ts'

/** An API key as it is listed: never with the key itself. */
export const ApiKey = Type.Object({
  id: Id,
  name: Type.String(),
  user_id: Id,
  login: Type.String({ description: 'The e-mail of the user, which is sent with the key' }),
  created_at: Timestamp,
  last_used_at: Nullable(
    Type.Integer({ ...Timestamp, description: 'Up to an hour too early; null: never used' }),
  ),
  _links: SelfLink,
})

/** An API key as it is shown once. */
export const ShownApiKey = Type.Object({ ...ApiKey.properties, api_key: Type.String() })

export const NewApiKey = Type.Object(
  {
    name: Type.String({ ...Name(255), description: 'The program that will use the key' }),
  },
  { additionalProperties: false },
)
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKeyQuery = Type.Object(Paging, { additionalProperties: true })
