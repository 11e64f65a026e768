// Catalogs: users with the access see them, administrators make and change them. An account has few, so all questions are about one.
import type { TestAccount } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './cast.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'
import { addRecord } from './things.ts'

const path = '/api/v4/catalogs'

const made = new WeakMap<TestAccount, Promise<number>>()

/** The catalog of the account that all questions are about. */
export function catalogOf({ account, mark }: Cast): Promise<number> {
  const known = made.get(account)
  if (known) return known
  const catalog = account.api
    .post(path, [{ name: `A catalog ${mark}` }])
    .then(({ body }) => body._embedded.catalogs[0].id as number)
  made.set(account, catalog)
  return catalog
}

const elements = `${path}/{catalog_id}/elements`
const elementsOf = async (cast: Cast) => `${path}/${await catalogOf(cast)}/elements`

/** Adds an element. `more` makes it another one where things are shared. */
async function addElement(cast: Cast, more = ''): Promise<{ list: string; id: number }> {
  const list = await elementsOf(cast)
  const made = await cast.account.api.post(list, [{ name: `An element ${cast.mark}${more}` }])
  return { list, id: made.body._embedded.elements[0].id }
}

export const catalogRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast) => ({ list: { of: 'catalogs', holds: await catalogOf(cast) } }),
  [`GET ${path}/{id}`]: async (cast) => ({ path: `${path}/${await catalogOf(cast)}` }),
  [`POST ${path}`]: () => ({ body: [{ name: 'A catalog' }] }),
  [`PATCH ${path}`]: async (cast) => ({ body: [{ id: await catalogOf(cast), name: 'Taken' }] }),
  [`PATCH ${path}/{id}`]: async (cast) => ({
    path: `${path}/${await catalogOf(cast)}`,
    body: { name: 'Taken' },
  }),

  [`GET ${path}/products/settings`]: () => ({}),
  [`PATCH ${path}/products/settings`]: () => ({ body: { is_enabled: true } }),

  [`GET ${elements}`]: async (cast) => {
    const { list, id } = await addElement(cast)
    return { path: list, query: '?limit=250', list: { of: 'elements', holds: id } }
  },
  [`GET ${elements}/{id}`]: async (cast) => {
    const { list, id } = await addElement(cast)
    return { path: `${list}/${id}` }
  },
  [`POST ${elements}`]: async (cast) => ({
    path: await elementsOf(cast),
    body: [{ name: 'An element' }],
  }),
  [`PATCH ${elements}`]: async (cast) => {
    const { list, id } = await addElement(cast)
    return { path: list, body: [{ id, name: 'Taken' }] }
  },
  [`PATCH ${elements}/{id}`]: async (cast) => {
    const { list, id } = await addElement(cast)
    return { path: `${list}/${id}`, body: { name: 'Taken' } }
  },

  [`GET ${elements}/{id}/links`]: async (cast, column) => {
    const { path, lead } = await elementOnLead(cast, column)
    return ['', `&filter[to_entity_type]=leads&filter[to_entity_id]=${lead}`].map((query) => ({
      path: `${path}/links`,
      query: `?limit=250${query}`,
      list: { of: 'links', holds: lead },
    }))
  },
  [`POST ${elements}/{id}/link`]: async (cast, column) => {
    const { path, link } = await elementOnLead(cast, column)
    return { path: `${path}/link`, body: [link] }
  },
  [`POST ${elements}/{id}/unlink`]: async (cast, column) => {
    const { path, link } = await elementOnLead(cast, column)
    return { path: `${path}/unlink`, body: [link] }
  },
}

/** An element on a lead, whose responsible user decides. */
async function elementOnLead(cast: Cast, column: Column) {
  const lead = await addRecord(cast, 'leads', responsibleFor(cast, column))
  const { list, id } = await addElement(cast, ` of ${lead}`)
  const path = `${list}/${id}`
  const link = { to_entity_id: lead, to_entity_type: 'leads', metadata: { quantity: 2 } }
  await cast.account.api.post(`${path}/link`, [link])
  return { path, lead, link }
}
