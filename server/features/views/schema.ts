// Saved views: the filter and order of a board or a list under a name.
import type { Static } from 'typebox'
import { Type } from '../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../http/types.ts'

/** The screens that have views. */
export const viewedScreens = ['board'] as const
/** The longest `search` of a view, in characters. */
export const longestSearch = 2000

export const View = Type.Object({
  id: Id,
  name: Name(60),
  screen: Type.Enum([...viewedScreens]),
  pipeline_id: Nullable(Type.Integer({ minimum: 1, description: 'null: of every pipeline' })),
  search: Type.String({
    maxLength: longestSearch,
    description: 'The query string of the screen, without `?`',
  }),
  is_shared: Type.Boolean({ description: 'All users of the account see it' }),
  user_id: Id,
  is_own: Type.Boolean(),
  may_change: Type.Boolean({ description: 'Its author and administrators may' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type View = Static<typeof View>

/** `GET /web/v1/views`: the caller's own and the shared ones; also in the bootstrap. */
export const Views = Type.Object({ views: Type.Array(View) })

/** `POST /web/v1/views`; `PATCH` takes any of them, `DELETE` answers 204. */
export const NewView = Type.Object(
  {
    name: Name(60),
    screen: Type.Enum([...viewedScreens]),
    pipeline_id: Type.Optional(Nullable(Id)),
    search: Type.String({ maxLength: longestSearch }),
    is_shared: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
