// Custom fields and their groups: everybody may look at them, administrators change them.
import type { EntityType } from '../../server/entity-types.ts'
import { entityTypes } from '../../server/entity-types.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

async function addField({ account: { api }, mark }: Cast, type: EntityType): Promise<number> {
  const made = await api.post(`/api/v4/${type}/custom_fields`, [
    { name: `A field ${mark}`, type: 'text' },
  ])
  return made.body._embedded.custom_fields[0].id
}

async function addGroup({ account: { api }, mark }: Cast, type: EntityType): Promise<string> {
  const made = await api.post(`/api/v4/${type}/custom_fields/groups`, [
    { name: `A group ${mark}`, sort: 5 },
  ])
  return made.body._embedded.custom_field_groups[0].id
}

function requestsOf(type: EntityType): Record<string, Prepare> {
  const path = `/api/v4/${type}/custom_fields`
  const groups = `${path}/groups`
  const field = async (cast: Cast, body?: unknown) => ({
    path: `${path}/${await addField(cast, type)}`,
    body,
  })
  const group = async (cast: Cast, body?: unknown) => ({
    path: `${groups}/${await addGroup(cast, type)}`,
    body,
  })
  return {
    [`GET ${path}`]: async (cast) => {
      const id = await addField(cast, type)
      return { query: '?limit=250', list: { of: 'custom_fields', holds: id } }
    },
    [`GET ${path}/{id}`]: (cast) => field(cast),
    [`POST ${path}`]: async (cast) => ({
      body: [{ name: 'A field', type: 'text', group_id: await addGroup(cast, type) }],
    }),
    [`PATCH ${path}`]: async (cast) => ({
      body: [{ id: await addField(cast, type), name: 'Taken' }],
    }),
    [`PATCH ${path}/{id}`]: (cast) => field(cast, { name: 'Taken' }),
    [`DELETE ${path}/{id}`]: (cast) => field(cast),
    [`GET ${groups}`]: async (cast) => ({
      list: { of: 'custom_field_groups', holds: await addGroup(cast, type) },
    }),
    [`GET ${groups}/{id}`]: (cast) => group(cast),
    [`POST ${groups}`]: () => ({ body: [{ name: 'A group', sort: 5 }] }),
    [`PATCH ${groups}/{id}`]: (cast) => group(cast, { name: 'Taken' }),
    [`DELETE ${groups}/{id}`]: (cast) => group(cast),
  }
}

export const customFieldRequests: Record<string, Prepare> = Object.assign(
  {},
  ...entityTypes.map(requestsOf),
)
