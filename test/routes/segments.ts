// Segments of customers and their custom fields: everybody may look at them, administrators change them. An account has room for few, so
// only what is deleted is made anew.
import type { TestAccount } from '../account.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v4/customers/segments'
const fields = `${path}/custom_fields`
const conditions = '/web/v1/customers/segments'

/** Makes a function that answers what `make` made at first for the account. */
function once(make: (cast: Cast) => Promise<number>): (cast: Cast) => Promise<number> {
  const made = new WeakMap<TestAccount, Promise<number>>()
  return (cast) => {
    const known = made.get(cast.account) ?? make(cast)
    made.set(cast.account, known)
    return known
  }
}

async function addField({ account: { api }, mark }: Cast): Promise<number> {
  const made = await api.post(fields, [{ name: `A field ${mark}`, type: 'text' }])
  return made.body._embedded.custom_fields[0].id
}

async function addSegment({ account: { api }, mark }: Cast): Promise<number> {
  return (await api.post(path, { name: `A segment ${mark}` })).body.id
}

const fieldOf = once(addField)
/** The segment of the account that all questions but those that delete one are about. */
export const segmentOf = once(addSegment)

/** Names a value of a field of the account. */
const draft = async (cast: Cast) => ({
  name: 'A segment',
  custom_fields_values: [{ field_id: await fieldOf(cast), values: [{ value: 'x' }] }],
})

export const segmentRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast) => ({
    query: '?limit=250',
    list: { of: 'segments', holds: await segmentOf(cast) },
  }),
  [`GET ${path}/{id}`]: async (cast) => ({ path: `${path}/${await segmentOf(cast)}` }),
  [`POST ${path}`]: async (cast) => ({ body: await draft(cast) }),
  [`PATCH ${path}/{id}`]: async (cast) => ({
    path: `${path}/${await segmentOf(cast)}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${path}/{id}`]: async (cast) => ({ path: `${path}/${await addSegment(cast)}` }),
  [`GET ${conditions}/{id}/conditions`]: async (cast) => ({
    path: `${conditions}/${await segmentOf(cast)}/conditions`,
  }),
  [`PUT ${conditions}/{id}/conditions`]: async (cast) => ({
    path: `${conditions}/${await segmentOf(cast)}/conditions`,
    body: { entry_conditions: [[{ field: 'ltv', from: 1 }]], exit_conditions: [] },
  }),

  [`GET ${fields}`]: async (cast) => ({
    query: '?limit=250',
    list: { of: 'custom_fields', holds: await fieldOf(cast) },
  }),
  [`GET ${fields}/{id}`]: async (cast) => ({ path: `${fields}/${await fieldOf(cast)}` }),
  [`POST ${fields}`]: () => ({ body: [{ name: 'A field', type: 'text' }] }),
  [`PATCH ${fields}`]: async (cast) => ({ body: [{ id: await fieldOf(cast), name: 'Taken' }] }),
  [`PATCH ${fields}/{id}`]: async (cast) => ({
    path: `${fields}/${await fieldOf(cast)}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${fields}/{id}`]: async (cast) => ({ path: `${fields}/${await addField(cast)}` }),
}
