// The requests of the rows for links in test/routes.ts. The other end always belongs to the caller, so that the main entity decides.
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const others = {
  leads: 'contacts',
  contacts: 'companies',
  companies: 'leads',
  customers: 'contacts',
} as const

export function linkRequests(kind: seed.Kind): Record<string, Prepare> {
  const to = others[kind]
  const path = `/api/v4/${kind}`

  /** Two records, linked or not, and what a request says of the other. */
  async function pair(fixture: RouteFixture, column: Column, isLinked: boolean) {
    const user = responsibleFor(fixture, column)
    const [id, other] = [
      await seed.addRecord(fixture, kind, user),
      await seed.addRecord(fixture, to, user),
    ]
    const link = { to_entity_id: other, to_entity_type: to }
    if (isLinked) await fixture.account.api.post(`${path}/${id}/link`, [link])
    return { id, other, link }
  }
  const filters = (other: number) => [
    '',
    `&filter[to_entity_type]=${to}&filter[to_entity_id]=${other}`,
  ]
  const write =
    (isLinked: boolean, verb: string): Prepare =>
    async (fixture, column) => {
      const { id, link } = await pair(fixture, column, isLinked)
      return { path: `${path}/${id}/${verb}`, body: [link] }
    }
  const writeMany =
    (isLinked: boolean): Prepare =>
    async (fixture, column) => {
      const { id, link } = await pair(fixture, column, isLinked)
      return { body: [{ entity_id: id, ...link }] }
    }

  return {
    [`GET ${path}/{id}/links`]: async (fixture, column) => {
      const { id, other } = await pair(fixture, column, true)
      return filters(other).map((query) => ({
        path: `${path}/${id}/links`,
        query: `?limit=250${query}`,
        list: {
          of: 'links',
          holds: other,
        },
      }))
    },
    [`POST ${path}/{id}/link`]: write(false, 'link'),
    [`POST ${path}/{id}/unlink`]: write(true, 'unlink'),
    [`GET ${path}/links`]: async (fixture, column) => {
      const { id, other } = await pair(fixture, column, true)
      return filters(other).map((query) => ({
        query: `?filter[entity_id][]=${id}${query}`,
        list: {
          of: 'links',
          holds: other,
        },
      }))
    },
    [`POST ${path}/link`]: writeMany(false),
    [`POST ${path}/unlink`]: writeMany(true),
  }
}
