// The requests for duplicates and merges.
import { merged, merges } from '../merges.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const contact = (fixture: RouteFixture, column: Column, more?: string) =>
  seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column), more)

const pair = async (fixture: RouteFixture, column: Column) => ({
  into: await contact(fixture, column),
  from: await contact(fixture, column, ' twice'),
})

export const mergeRequests: Record<string, Prepare> = {
  'GET /web/v1/duplicates/{type}/{id}': async (fixture, column) => ({
    path: `/web/v1/duplicates/contacts/${await contact(fixture, column)}`,
  }),
  'GET /web/v1/duplicates/{type}': async (fixture, column) => ({
    path: '/web/v1/duplicates/contacts',
    query: `?ids=${await contact(fixture, column)}`,
  }),
  [`GET ${merges}`]: async (fixture, column) => ({
    query: `?entity_type=contacts&entity_id=${await contact(fixture, column)}`,
  }),
  [`GET ${merges}/preview`]: async (fixture, column) => {
    const { into, from } = await pair(fixture, column)
    return { query: `?entity_type=contacts&into=${into}&from=${from}` }
  },
  [`POST ${merges}`]: async (fixture, column) => ({
    body: { entity_type: 'contacts', ...(await pair(fixture, column)) },
  }),
  [`POST ${merges}/{id}/undo`]: async (fixture, column) => {
    const { into, from } = await pair(fixture, column)
    return { path: `${merges}/${await merged(fixture.account.api, 'contacts', into, from)}/undo` }
  },
}
