// Segments of customers and their custom fields: everybody may look at them, administrators change them. An account has room for few, so
// only what is deleted is made anew.
import type { TestAccount } from '../account.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v4/customers/segments'
const fields = `${path}/custom_fields`
const conditions = '/web/v1/customers/segments'

/** Makes a function that answers what `make` made at first for the account. */
function once(
  make: (fixture: RouteFixture) => Promise<number>,
): (fixture: RouteFixture) => Promise<number> {
  const made = new WeakMap<TestAccount, Promise<number>>()
  return (fixture) => {
    const known = made.get(fixture.account) ?? make(fixture)
    made.set(fixture.account, known)
    return known
  }
}

async function addField({ account: { api }, mark }: RouteFixture): Promise<number> {
  const made = await api.post(fields, [{ name: `A field ${mark}`, type: 'text' }])
  return made.body._embedded.custom_fields[0].id
}

async function addSegment({ account: { api }, mark }: RouteFixture): Promise<number> {
  return (await api.post(path, { name: `A segment ${mark}` })).body.id
}

const fieldOf = once(addField)
/** The segment of the account that all requests but those that delete one are about. */
export const segmentOf = once(addSegment)

/** Names a value of a field of the account. */
const draft = async (fixture: RouteFixture) => ({
  name: 'A segment',
  custom_fields_values: [{ field_id: await fieldOf(fixture), values: [{ value: 'x' }] }],
})

export const segmentRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture) => ({
    query: '?limit=250',
    list: { of: 'segments', holds: await segmentOf(fixture) },
  }),
  [`GET ${path}/{id}`]: async (fixture) => ({ path: `${path}/${await segmentOf(fixture)}` }),
  [`POST ${path}`]: async (fixture) => ({ body: await draft(fixture) }),
  [`PATCH ${path}/{id}`]: async (fixture) => ({
    path: `${path}/${await segmentOf(fixture)}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${path}/{id}`]: async (fixture) => ({ path: `${path}/${await addSegment(fixture)}` }),
  [`GET ${conditions}/{id}/conditions`]: async (fixture) => ({
    path: `${conditions}/${await segmentOf(fixture)}/conditions`,
  }),
  [`PUT ${conditions}/{id}/conditions`]: async (fixture) => ({
    path: `${conditions}/${await segmentOf(fixture)}/conditions`,
    body: { entry_conditions: [[{ field: 'ltv', from: 1 }]], exit_conditions: [] },
  }),

  [`GET ${fields}`]: async (fixture) => ({
    query: '?limit=250',
    list: { of: 'custom_fields', holds: await fieldOf(fixture) },
  }),
  [`GET ${fields}/{id}`]: async (fixture) => ({ path: `${fields}/${await fieldOf(fixture)}` }),
  [`POST ${fields}`]: () => ({ body: [{ name: 'A field', type: 'text' }] }),
  [`PATCH ${fields}`]: async (fixture) => ({
    body: [{ id: await fieldOf(fixture), name: 'Taken' }],
  }),
  [`PATCH ${fields}/{id}`]: async (fixture) => ({
    path: `${fields}/${await fieldOf(fixture)}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${fields}/{id}`]: async (fixture) => ({ path: `${fields}/${await addField(fixture)}` }),
}
