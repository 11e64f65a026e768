// The requests for duplicates and merges.
import { merged, merges } from '../merges.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './cast.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'
import * as things from './things.ts'

const contact = (cast: Cast, column: Column, more?: string) =>
  things.addRecord(cast, 'contacts', responsibleFor(cast, column), more)

const pair = async (cast: Cast, column: Column) => ({
  into: await contact(cast, column),
  from: await contact(cast, column, ' twice'),
})

export const mergeRequests: Record<string, Prepare> = {
  'GET /web/v1/duplicates/{type}/{id}': async (cast, column) => ({
    path: `/web/v1/duplicates/contacts/${await contact(cast, column)}`,
  }),
  [`GET ${merges}`]: async (cast, column) => ({
    query: `?entity_type=contacts&entity_id=${await contact(cast, column)}`,
  }),
  [`GET ${merges}/preview`]: async (cast, column) => {
    const { into, from } = await pair(cast, column)
    return { query: `?entity_type=contacts&into=${into}&from=${from}` }
  },
  [`POST ${merges}`]: async (cast, column) => ({
    body: { entity_type: 'contacts', ...(await pair(cast, column)) },
  }),
  [`POST ${merges}/{id}/undo`]: async (cast, column) => {
    const { into, from } = await pair(cast, column)
    return { path: `${merges}/${await merged(cast.account.api, 'contacts', into, from)}/undo` }
  },
}
