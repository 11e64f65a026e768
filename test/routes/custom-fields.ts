// Custom fields and their groups: everybody may look at them, administrators change them.
import { entityTypes } from '../../server/entity-types.ts'
import { catalogOf } from './catalogs.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

async function addField({ account: { api }, mark }: RouteFixture, path: string): Promise<number> {
  const made = await api.post(path, [{ name: `A field ${mark}`, type: 'text' }])
  return made.body._embedded.custom_fields[0].id
}

async function addGroup({ account: { api }, mark }: RouteFixture, path: string): Promise<string> {
  const made = await api.post(`${path}/groups`, [{ name: `A group ${mark}`, sort: 5 }])
  return made.body._embedded.custom_field_groups[0].id
}

function requestsOf(holder: string, scopeOf: (fixture: RouteFixture) => Promise<string>) {
  const route = `/api/v4/${holder}/custom_fields`
  const groups = `${route}/groups`
  const pathOf = async (fixture: RouteFixture) => `/api/v4/${await scopeOf(fixture)}/custom_fields`
  const field = async (fixture: RouteFixture, body?: unknown) => {
    const path = await pathOf(fixture)
    return { path: `${path}/${await addField(fixture, path)}`, body }
  }
  const group = async (fixture: RouteFixture, body?: unknown) => {
    const path = await pathOf(fixture)
    return { path: `${path}/groups/${await addGroup(fixture, path)}`, body }
  }
  const requests: Record<string, Prepare> = {
    [`GET ${route}`]: async (fixture) => {
      const path = await pathOf(fixture)
      const id = await addField(fixture, path)
      return { path, query: '?limit=250', list: { of: 'custom_fields', holds: id } }
    },
    [`GET ${route}/{id}`]: (fixture) => field(fixture),
    [`POST ${route}`]: async (fixture) => {
      const path = await pathOf(fixture)
      const group_id = await addGroup(fixture, path)
      return { path, body: [{ name: 'A field', type: 'text', group_id }] }
    },
    [`PATCH ${route}`]: async (fixture) => {
      const path = await pathOf(fixture)
      return { path, body: [{ id: await addField(fixture, path), name: 'Taken' }] }
    },
    [`PATCH ${route}/{id}`]: (fixture) => field(fixture, { name: 'Taken' }),
    [`DELETE ${route}/{id}`]: (fixture) => field(fixture),
    [`GET ${groups}`]: async (fixture) => {
      const path = await pathOf(fixture)
      const holds = await addGroup(fixture, path)
      return { path: `${path}/groups`, list: { of: 'custom_field_groups', holds } }
    },
    [`GET ${groups}/{id}`]: (fixture) => group(fixture),
    [`POST ${groups}`]: async (fixture) => ({
      path: `${await pathOf(fixture)}/groups`,
      body: [{ name: 'A group', sort: 5 }],
    }),
    [`PATCH ${groups}/{id}`]: (fixture) => group(fixture, { name: 'Taken' }),
    [`DELETE ${groups}/{id}`]: (fixture) => group(fixture),
  }
  return requests
}

export const customFieldRequests: Record<string, Prepare> = Object.assign(
  {},
  ...entityTypes.map((type) => requestsOf(type, async () => type)),
  requestsOf('catalogs/{catalog_id}', async (fixture) => `catalogs/${await catalogOf(fixture)}`),
)
