// Custom fields and their groups: everybody may look at them, administrators change them.
import { entityTypes } from '../../server/entity-types.ts'
import { catalogOf } from './catalogs.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

async function addField({ account: { api }, mark }: Cast, path: string): Promise<number> {
  const made = await api.post(path, [{ name: `A field ${mark}`, type: 'text' }])
  return made.body._embedded.custom_fields[0].id
}

async function addGroup({ account: { api }, mark }: Cast, path: string): Promise<string> {
  const made = await api.post(`${path}/groups`, [{ name: `A group ${mark}`, sort: 5 }])
  return made.body._embedded.custom_field_groups[0].id
}

function requestsOf(holder: string, scopeOf: (cast: Cast) => Promise<string>) {
  const route = `/api/v4/${holder}/custom_fields`
  const groups = `${route}/groups`
  const pathOf = async (cast: Cast) => `/api/v4/${await scopeOf(cast)}/custom_fields`
  const field = async (cast: Cast, body?: unknown) => {
    const path = await pathOf(cast)
    return { path: `${path}/${await addField(cast, path)}`, body }
  }
  const group = async (cast: Cast, body?: unknown) => {
    const path = await pathOf(cast)
    return { path: `${path}/groups/${await addGroup(cast, path)}`, body }
  }
  const asked: Record<string, Prepare> = {
    [`GET ${route}`]: async (cast) => {
      const path = await pathOf(cast)
      const id = await addField(cast, path)
      return { path, query: '?limit=250', list: { of: 'custom_fields', holds: id } }
    },
    [`GET ${route}/{id}`]: (cast) => field(cast),
    [`POST ${route}`]: async (cast) => {
      const path = await pathOf(cast)
      const group_id = await addGroup(cast, path)
      return { path, body: [{ name: 'A field', type: 'text', group_id }] }
    },
    [`PATCH ${route}`]: async (cast) => {
      const path = await pathOf(cast)
      return { path, body: [{ id: await addField(cast, path), name: 'Taken' }] }
    },
    [`PATCH ${route}/{id}`]: (cast) => field(cast, { name: 'Taken' }),
    [`DELETE ${route}/{id}`]: (cast) => field(cast),
    [`GET ${groups}`]: async (cast) => {
      const path = await pathOf(cast)
      const holds = await addGroup(cast, path)
      return { path: `${path}/groups`, list: { of: 'custom_field_groups', holds } }
    },
    [`GET ${groups}/{id}`]: (cast) => group(cast),
    [`POST ${groups}`]: async (cast) => ({
      path: `${await pathOf(cast)}/groups`,
      body: [{ name: 'A group', sort: 5 }],
    }),
    [`PATCH ${groups}/{id}`]: (cast) => group(cast, { name: 'Taken' }),
    [`DELETE ${groups}/{id}`]: (cast) => group(cast),
  }
  return asked
}

export const customFieldRequests: Record<string, Prepare> = Object.assign(
  {},
  ...entityTypes.map((type) => requestsOf(type, async () => type)),
  requestsOf('catalogs/{catalog_id}', async (cast) => `catalogs/${await catalogOf(cast)}`),
)
