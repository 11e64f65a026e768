// The requests to the routes of purchases; the alien asks by all that it could know.
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './cast.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'
import * as things from './things.ts'

const customers = '/api/v4/customers'
const all = `${customers}/transactions`
const ofOne = `${customers}/{customer_id}/transactions`
const draft = { price: 5, comment: 'A purchase' }

const customerFor = (cast: Cast, column: Column) =>
  things.addRecord(cast, 'customers', responsibleFor(cast, column))

/** A customer of this user, with a purchase. */
async function addPurchase(
  cast: Cast,
  responsible: TestUser,
): Promise<{ id: number; customer: number }> {
  const customer = await things.addRecord(cast, 'customers', responsible)
  const purchase = { ...draft, comment: `A purchase ${cast.mark}` }
  const path = `${customers}/${customer}/transactions`
  const { body } = await cast.account.api.post(path, [purchase])
  return { customer, id: body._embedded.transactions[0].id }
}

const one: Prepare = async (cast, column) => ({
  path: `${all}/${(await addPurchase(cast, responsibleFor(cast, column))).id}`,
})

const oneOfCustomer: Prepare = async (cast, column) => {
  const { id, customer } = await addPurchase(cast, responsibleFor(cast, column))
  return { path: `${customers}/${customer}/transactions/${id}` }
}

export const transactionRequests: Record<string, Prepare> = {
  [`GET ${all}`]: async (cast, column) => {
    const { callers, colleague, outsider } = cast
    for (const user of [callers['M-own'].user, callers['G-own'].user, colleague])
      await addPurchase(cast, user)
    const { id } = await addPurchase(cast, outsider)
    const byOurs = [`?filter[id]=${id}`, `?page=2&after=${id - 1}`, '?offset=0&limit=500']
    return (column === 'alien' ? byOurs : ['?limit=500']).map((query) => ({
      query,
      list: { of: 'transactions' },
    }))
  },
  [`GET ${all}/{id}`]: one,
  [`DELETE ${all}/{id}`]: one,
  [`GET ${ofOne}`]: async (cast, column) => {
    const { customer } = await addPurchase(cast, responsibleFor(cast, column))
    return { path: `${customers}/${customer}/transactions` }
  },
  [`POST ${ofOne}`]: async (cast, column) => ({
    path: `${customers}/${await customerFor(cast, column)}/transactions`,
    body: [draft],
  }),
  'GET /web/v1/customers/{id}/purchases-by-month': async (cast, column) => ({
    path: `/web/v1/customers/${await customerFor(cast, column)}/purchases-by-month`,
  }),
  [`GET ${ofOne}/{id}`]: oneOfCustomer,
  [`DELETE ${ofOne}/{id}`]: oneOfCustomer,
  [`POST ${customers}/{id}/bonus_points`]: async (cast, column) => ({
    path: `${customers}/${await customerFor(cast, column)}/bonus_points`,
    body: { earn: 5 },
  }),
}
