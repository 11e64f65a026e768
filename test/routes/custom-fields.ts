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

const settings = '/web/v1/fields'
const interfacePath = '/api/v4/leads/custom_fields'

async function addList({ account: { api }, mark }: RouteFixture) {
  const enums = [{ value: `One ${mark}` }, { value: `Another ${mark}` }]
  const draft = { name: `A list ${mark}`, type: 'select', enums }
  const made = await api.post(interfacePath, [draft])
  const { id, enums: choices } = made.body._embedded.custom_fields[0]
  return { id: id as number, choice: choices[1].id as number, before: choices[0].id as number }
}

const stage =
  (list: string): Prepare =>
  async (fixture) => {
    const id = await addField(fixture, interfacePath)
    const { body } = await fixture.account.api.get('/api/v4/leads/pipelines')
    const [pipeline] = body._embedded.pipelines
    const status = pipeline._embedded.statuses.at(-1)
    return { path: `${settings}/leads/${id}/stages/${list}/${pipeline.id}/${status.id}` }
  }

const ofChoice =
  (rest: string, bodyOf?: (list: Awaited<ReturnType<typeof addList>>) => object): Prepare =>
  async (fixture) => {
    const list = await addList(fixture)
    return {
      path: `${settings}/leads/${list.id}/enums/${list.choice}${rest}`,
      body: bodyOf?.(list),
    }
  }

async function addTree(fixture: RouteFixture) {
  const { api } = fixture.account
  const catalog = await catalogOf(fixture)
  const nested = [{ value: `Above ${fixture.mark}` }, { value: `Beside ${fixture.mark}` }]
  const draft = { name: `A tree ${fixture.mark}`, type: 'category', nested }
  const made = await api.post(`/api/v4/catalogs/${catalog}/custom_fields`, [draft])
  const { id, nested: tree } = made.body._embedded.custom_fields[0]
  const path = `${settings}/catalogs:${catalog}/${id}/categories`
  return { path, category: tree[1].id as number, parent_id: tree[0].id as number }
}

const ofCategory =
  (rest: string, bodyOf?: (tree: Awaited<ReturnType<typeof addTree>>) => object): Prepare =>
  async (fixture) => {
    const tree = await addTree(fixture)
    return { path: `${tree.path}/${tree.category}${rest}`, body: bodyOf?.(tree) }
  }

const oneStage = '{entity}/{id}/stages/{list}/{pipeline_id}/{status_id}'
const managedRequests: Record<string, Prepare> = {
  [`GET ${settings}/{entity}`]: async (fixture) => {
    await addField(fixture, interfacePath)
    return { path: `${settings}/leads` }
  },
  [`GET ${settings}/{entity}/usage`]: () => ({ path: `${settings}/leads/usage` }),
  [`POST ${settings}/{entity}/{id}/move`]: async (fixture) => ({
    path: `${settings}/leads/${await addField(fixture, interfacePath)}/move`,
    body: { group_id: 'statistic', before: null },
  }),
  [`POST ${settings}/{entity}/groups/{id}/move`]: async (fixture) => ({
    path: `${settings}/leads/groups/${await addGroup(fixture, interfacePath)}/move`,
    body: { before: 'default' },
  }),
  [`PUT ${settings}/${oneStage}`]: stage('required'),
  [`DELETE ${settings}/${oneStage}`]: stage('hidden'),
  [`POST ${settings}/{entity}/{id}/enums`]: async (fixture) => ({
    path: `${settings}/leads/${(await addList(fixture)).id}/enums`,
    body: { values: ['A third', 'A fourth'] },
  }),
  [`PATCH ${settings}/{entity}/{id}/enums/{enum_id}`]: ofChoice('', () => ({ color: '#98cbff' })),
  [`POST ${settings}/{entity}/{id}/enums/{enum_id}/move`]: ofChoice('/move', ({ before }) => ({
    before,
  })),
  [`DELETE ${settings}/{entity}/{id}/enums/{enum_id}`]: ofChoice(''),
  [`POST ${settings}/{entity}/{id}/categories`]: async (fixture) => {
    const { path, parent_id } = await addTree(fixture)
    return { path, body: { values: ['Below'], parent_id } }
  },
  [`PATCH ${settings}/{entity}/{id}/categories/{category_id}`]: ofCategory('', () => ({
    value: 'Taken',
  })),
  [`POST ${settings}/{entity}/{id}/categories/{category_id}/move`]: ofCategory(
    '/move',
    ({ parent_id }) => ({ parent_id, before: null }),
  ),
  [`DELETE ${settings}/{entity}/{id}/categories/{category_id}`]: ofCategory(''),
}

export const customFieldRequests: Record<string, Prepare> = Object.assign(
  {},
  managedRequests,
  ...entityTypes.map((type) => requestsOf(type, async () => type)),
  requestsOf('catalogs/{catalog_id}', async (fixture) => `catalogs/${await catalogOf(fixture)}`),
)
