// Saved views: the filter and order of a board or a list under a name.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'

/** The screens that have views: the board of leads, and the lists. */
const viewedScreens = ['board', 'leads', 'contacts', 'companies', 'customers'] as const
export type ViewedScreen = (typeof viewedScreens)[number]
/** The longest `search` of a view, in characters. */
const longestSearch = 2000

const PipelineId = Nullable(
  Type.Integer({ ...Id, description: 'null: of every pipeline. The view goes with its pipeline' }),
)
const Search = Type.String({
  ...Text(longestSearch),
  description: 'The query string of the screen, without `?`',
})

export const View = Type.Object({
  id: Id,
  name: Type.String(),
  screen: Type.Enum([...viewedScreens]),
  pipeline_id: PipelineId,
  search: Search,
  is_shared: Type.Boolean({ description: 'All users of the account see it' }),
  user_id: Type.Integer({ ...Id, description: 'Its author' }),
  is_own: Type.Boolean(),
  may_change: Type.Boolean({
    description: 'Its author may, and administrators where it is shared',
  }),
  pinned_at: Nullable(
    Type.Integer({
      ...Timestamp,
      description: 'When the user pinned it to the navigation; null: it is not pinned',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type View = Static<typeof View>

/** The caller's own and the shared ones, by name; also in the bootstrap. */
export const Views = Type.Object({ views: Type.Array(View) })

const named = { name: Name(60), screen: Type.Enum([...viewedScreens]), search: Search }
const optional = {
  pipeline_id: Type.Optional(PipelineId),
  is_shared: Type.Optional(Type.Boolean({ description: 'false by default' })),
}

export const NewView = Type.Object({ ...named, ...optional })
export type NewView = Static<typeof NewView>

export const ViewChange = Type.Object({
  ...Type.Partial(Type.Object(named)).properties,
  ...optional,
})
export type ViewChange = Static<typeof ViewChange>
