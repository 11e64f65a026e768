// The requests to the routes of purchases; the alien asks by all that it could know.
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const customers = '/api/v4/customers'
const all = `${customers}/transactions`
const ofOne = `${customers}/{customer_id}/transactions`
const draft = { price: 5, comment: 'A purchase' }

const customerFor = (fixture: RouteFixture, column: Column) =>
  seed.addRecord(fixture, 'customers', responsibleFor(fixture, column))

/** A customer of this user, with a purchase. */
async function addPurchase(
  fixture: RouteFixture,
  responsible: TestUser,
): Promise<{ id: number; customer: number }> {
  const customer = await seed.addRecord(fixture, 'customers', responsible)
  const purchase = { ...draft, comment: `A purchase ${fixture.mark}` }
  const path = `${customers}/${customer}/transactions`
  const { body } = await fixture.account.api.post(path, [purchase])
  return { customer, id: body._embedded.transactions[0].id }
}

const one: Prepare = async (fixture, column) => ({
  path: `${all}/${(await addPurchase(fixture, responsibleFor(fixture, column))).id}`,
})

const oneOfCustomer: Prepare = async (fixture, column) => {
  const { id, customer } = await addPurchase(fixture, responsibleFor(fixture, column))
  return { path: `${customers}/${customer}/transactions/${id}` }
}

export const transactionRequests: Record<string, Prepare> = {
  [`GET ${all}`]: async (fixture, column) => {
    const { callers, colleague, outsider } = fixture
    for (const user of [callers['M-own'].user, callers['G-own'].user, colleague])
      await addPurchase(fixture, user)
    const { id } = await addPurchase(fixture, outsider)
    const byOurs = [`?filter[id]=${id}`, `?page=2&after=${id - 1}`, '?offset=0&limit=500']
    return (column === 'alien' ? byOurs : ['?limit=500']).map((query) => ({
      query,
      list: { of: 'transactions' },
    }))
  },
  [`GET ${all}/{id}`]: one,
  [`DELETE ${all}/{id}`]: one,
  [`GET ${ofOne}`]: async (fixture, column) => {
    const { customer } = await addPurchase(fixture, responsibleFor(fixture, column))
    return { path: `${customers}/${customer}/transactions` }
  },
  [`POST ${ofOne}`]: async (fixture, column) => ({
    path: `${customers}/${await customerFor(fixture, column)}/transactions`,
    body: [draft],
  }),
  'GET /web/v1/customers/{id}/purchases-by-month': async (fixture, column) => ({
    path: `/web/v1/customers/${await customerFor(fixture, column)}/purchases-by-month`,
  }),
  [`GET ${ofOne}/{id}`]: oneOfCustomer,
  [`DELETE ${ofOne}/{id}`]: oneOfCustomer,
  [`POST ${customers}/{id}/bonus_points`]: async (fixture, column) => ({
    path: `${customers}/${await customerFor(fixture, column)}/bonus_points`,
    body: { earn: 5 },
  }),
}
