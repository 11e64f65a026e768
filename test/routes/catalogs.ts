// Catalogs: users with the access see them, administrators make and change them. An account has few, so all requests are about one.
import type { TestAccount } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import { addRecord } from './seed.ts'

const path = '/api/v4/catalogs'

const made = new WeakMap<TestAccount, Promise<number>>()

/** The catalog of the account that all requests are about. */
export function catalogOf({ account, mark }: RouteFixture): Promise<number> {
  const known = made.get(account)
  if (known) return known
  const catalog = account.api
    .post(path, [{ name: `A catalog ${mark}` }])
    .then(({ body }) => body._embedded.catalogs[0].id as number)
  made.set(account, catalog)
  return catalog
}

const elements = `${path}/{catalog_id}/elements`
const elementsOf = async (fixture: RouteFixture) => `${path}/${await catalogOf(fixture)}/elements`

/** Adds an element. `more` makes it another one where things are shared. */
async function addElement(fixture: RouteFixture, more = ''): Promise<{ list: string; id: number }> {
  const list = await elementsOf(fixture)
  const made = await fixture.account.api.post(list, [{ name: `An element ${fixture.mark}${more}` }])
  return { list, id: made.body._embedded.elements[0].id }
}

export const catalogRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture) => ({
    list: { of: 'catalogs', holds: await catalogOf(fixture) },
  }),
  [`GET ${path}/{id}`]: async (fixture) => ({ path: `${path}/${await catalogOf(fixture)}` }),
  [`POST ${path}`]: () => ({ body: [{ name: 'A catalog' }] }),
  [`PATCH ${path}`]: async (fixture) => ({
    body: [{ id: await catalogOf(fixture), name: 'Taken' }],
  }),
  [`PATCH ${path}/{id}`]: async (fixture) => ({
    path: `${path}/${await catalogOf(fixture)}`,
    body: { name: 'Taken' },
  }),
  'POST /web/v1/catalogs/{id}/move': async (fixture) => ({
    path: `/web/v1/catalogs/${await catalogOf(fixture)}/move`,
    body: { before: null },
  }),

  [`GET ${path}/products/settings`]: () => ({}),
  [`PATCH ${path}/products/settings`]: () => ({ body: { is_enabled: true } }),

  [`GET ${elements}`]: async (fixture) => {
    const { list, id } = await addElement(fixture)
    return { path: list, query: '?limit=250', list: { of: 'elements', holds: id } }
  },
  [`GET ${elements}/{id}`]: async (fixture) => {
    const { list, id } = await addElement(fixture)
    return { path: `${list}/${id}` }
  },
  [`POST ${elements}`]: async (fixture) => ({
    path: await elementsOf(fixture),
    body: [{ name: 'An element' }],
  }),
  [`PATCH ${elements}`]: async (fixture) => {
    const { list, id } = await addElement(fixture)
    return { path: list, body: [{ id, name: 'Taken' }] }
  },
  [`PATCH ${elements}/{id}`]: async (fixture) => {
    const { list, id } = await addElement(fixture)
    return { path: `${list}/${id}`, body: { name: 'Taken' } }
  },

  [`GET ${elements}/{id}/links`]: async (fixture, column) => {
    const { path, lead } = await elementOnLead(fixture, column)
    return ['', `&filter[to_entity_type]=leads&filter[to_entity_id]=${lead}`].map((query) => ({
      path: `${path}/links`,
      query: `?limit=250${query}`,
      list: { of: 'links', holds: lead },
    }))
  },
  [`GET /web/v1/catalogs/{catalog_id}/elements/{id}/uses`]: async (fixture, column) => {
    const { path } = await elementOnLead(fixture, column)
    return { path: `${path.replace('/api/v4/', '/web/v1/')}/uses` }
  },
  [`POST ${elements}/{id}/link`]: async (fixture, column) => {
    const { path, link } = await elementOnLead(fixture, column)
    return { path: `${path}/link`, body: [link] }
  },
  [`POST ${elements}/{id}/unlink`]: async (fixture, column) => {
    const { path, link } = await elementOnLead(fixture, column)
    return { path: `${path}/unlink`, body: [link] }
  },
}

/** An element on a lead, whose responsible user decides. */
async function elementOnLead(fixture: RouteFixture, column: Column) {
  const lead = await addRecord(fixture, 'leads', responsibleFor(fixture, column))
  const { list, id } = await addElement(fixture, ` of ${lead}`)
  const path = `${list}/${id}`
  const link = { to_entity_id: lead, to_entity_type: 'leads', metadata: { quantity: 2 } }
  await fixture.account.api.post(`${path}/link`, [link])
  return { path, lead, link }
}
