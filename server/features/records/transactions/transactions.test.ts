// Purchases of customers: what a customer keeps of them, who may see and make them, and what others
// hear of them.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { moveTo } from '../../../../test/fields.ts'
import { addGroup, faultsOf, listen, plainly } from '../../../../test/leads.ts'
import { addRecord, addUserWith, readRecord } from '../../../../test/records.ts'

const customers = '/api/v4/customers'
const all = `${customers}/transactions`
const of = (customer: number) => `${customers}/${customer}/transactions`
const later = 2_000_000_000
const day = 86_400

const add = (api: Client, draft: object = {}) => addRecord(api, 'customers', draft)
const read = (api: Client, customer: number) => readRecord(api, 'customers', customer)

/** Adds purchases. Answers their ids in the order of the drafts. */
async function buy(api: Client, customer: number, ...drafts: object[]): Promise<number[]> {
  const { status, body } = await api.post(of(customer), drafts)
  if (status !== 200) throw new Error(`the purchases were refused: ${JSON.stringify(body)}`)
  return body._embedded.transactions.map(({ id }: { id: number }) => id)
}

function listed({ status, body }: Answer): number[] {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body._embedded.transactions.map(({ id }: { id: number }) => id)
}

/** An account with a customer. */
async function withCustomer(draft: object = {}) {
  const account = await newAccount()
  return { account, api: account.api, customer: await add(account.api, draft) }
}

/** The sums of a customer's purchases, also those that no answer shows. */
async function sumsOf({ kontor }: TestAccount, customer: number) {
  const row = await kontor.database.row<{
    ltv: number
    purchases_count: number
    last_purchase_at: number | null
    bonus_points: number
  }>(
    sql`select ltv, purchases_count, last_purchase_at, bonus_points from customers where id = ${customer}`,
  )
  return row!
}

/** The same, worked out from the purchases that a list shows. */
async function sumsListed(api: Client, customer: number) {
  const { body } = await api.get(`${of(customer)}?limit=500`)
  const purchases = body._embedded.transactions as { price: number; completed_at: number }[]
  return {
    ltv: purchases.reduce((sum, { price }) => sum + price, 0),
    purchases_count: purchases.length,
    last_purchase_at: purchases.length
      ? Math.max(...purchases.map(({ completed_at }) => completed_at))
      : null,
  }
}

/** A catalog of products; elements bring as many points as their drafts say. */
async function withProducts(api: Client, hasPoints = true) {
  const catalogs = '/api/v4/catalogs'
  const made = await api.post(catalogs, [{ name: 'Products', type: 'products' }])
  const catalog: number = made.body._embedded.catalogs[0].id
  if (hasPoints)
    await api.post(`${catalogs}/${catalog}/custom_fields`, [
      { name: 'Points', type: 'numeric', code: 'BONUS_POINTS_PER_PURCHASE' },
    ])
  const product = async (points?: number | string): Promise<number> => {
    const values = [{ field_code: 'BONUS_POINTS_PER_PURCHASE', values: [{ value: points }] }]
    const draft = { name: 'Lamp', ...(points !== undefined && { custom_fields_values: values }) }
    const { status, body } = await api.post(`${catalogs}/${catalog}/elements`, [draft])
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body._embedded.elements[0].id
  }
  const bought = (id: number, quantity?: number | string) => ({
    id,
    metadata: { catalog_id: catalog, ...(quantity !== undefined && { quantity }) },
  })
  return { catalog, product, bought }
}

const embedding = (...catalog_elements: object[]) => ({ _embedded: { catalog_elements } })

describe('creating', () => {
  test('answers the ids in the order of the request, and the purchases can be read', async () => {
    const { account, api, customer } = await withCustomer()
    const { admin, kontor } = account
    const { status, body } = await api.post(of(customer), [
      { price: 100, request_id: 'a' },
      {
        price: '250.9',
        comment: 'In the shop',
        completed_at: 1_700_000_000,
        created_by: 0,
        metadata: { receipt_link: 'https://example.com/1', external_id: 77 },
      },
    ])
    expect(status).toBe(200)
    const self = (path: string) => ({ self: { href: kontor.url + path } })
    const owner = { id: customer, _links: self(`${customers}/${customer}`) }
    const [one, two] = body._embedded.transactions
    expect(body).toEqual({
      _total_items: 2,
      _links: self(of(customer)),
      _embedded: {
        transactions: [
          {
            id: expect.any(Number),
            customer_id: customer,
            request_id: 'a',
            _links: self(`${of(customer)}/${one.id}`),
            _embedded: { customer: owner },
          },
          expect.objectContaining({ request_id: '1', customer_id: customer }),
        ],
      },
    })
    const first = await api.get(`${of(customer)}/${one.id}`)
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      id: one.id,
      price: 100,
      comment: null,
      completed_at: first.body.created_at,
      customer_id: customer,
      created_by: admin.id,
      updated_by: admin.id,
      created_at: expect.any(Number),
      updated_at: first.body.created_at,
      is_deleted: false,
      account_id: account.id,
      metadata: null,
      _links: self(`${of(customer)}/${one.id}`),
      _embedded: { customer: owner, catalog_elements: [] },
    })
    expect((await api.get(`${all}/${two.id}`)).body).toMatchObject({
      id: two.id,
      price: 250,
      comment: 'In the shop',
      completed_at: 1_700_000_000,
      created_by: 0,
      metadata: { receipt_link: 'https://example.com/1', external_id: '77' },
    })
  })

  test('adds to the sums of the customer, and takes back what an answer holds', async () => {
    const { account, api, customer } = await withCustomer({ next_price: 1000 })
    await buy(api, customer, { price: 100, completed_at: 500 }, { price: 0, completed_at: 900 })
    await buy(api, customer, { price: 7, completed_at: 700 })
    expect(await read(api, customer)).toMatchObject({
      ltv: 107,
      purchases_count: 3,
      average_check: 35,
      next_price: 1000,
    })
    expect(await sumsOf(account, customer)).toMatchObject({ last_purchase_at: 900 })
    const [shown] = (await api.get(of(customer))).body._embedded.transactions
    await buy(api, customer, shown)
    expect(await read(api, customer)).toMatchObject({ ltv: 207, purchases_count: 4 })
  })

  test('takes one purchase without a list, and 250 of them, not 251', async () => {
    const { api, customer } = await withCustomer()
    const drafts = (length: number) => Array.from({ length }, (_, price) => ({ price }))
    expect((await api.post(of(customer), { price: 5 })).status).toBe(200)
    expect((await api.post(of(customer), drafts(251))).status).toBe(400)
    expect((await api.post(of(customer), [])).status).toBe(400)
    const ids = await buy(api, customer, ...drafts(250))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(await read(api, customer)).toMatchObject({
      ltv: 5 + (250 * 249) / 2,
      purchases_count: 251,
    })
  })

  test('refuses faulty purchases with all their faults, and writes none', async () => {
    const { account, api, customer } = await withCustomer({ periodicity: 3, next_date: later })
    const { product, bought } = await withProducts(api)
    const lamp = await product()
    const regular = await api.post('/api/v4/catalogs', [{ name: 'Others' }])
    const other: number = regular.body._embedded.catalogs[0].id
    const recorded = await listen(account)
    const answer = await api.post(of(customer), [
      { price: 1 },
      {},
      { price: -1, completed_at: 'soon', request_id: 'x' },
      { price: null },
      { price: 1, created_by: 999_999_999 },
      { price: 1, ...embedding({ id: lamp, metadata: { catalog_id: other } }) },
      { price: 1, ...embedding(bought(lamp), bought(999_999_999)) },
      { price: 1, ...embedding({ id: lamp }) },
      { price: 1, ...embedding(bought(lamp, 0)) },
      { price: 1, status: 'paid' },
      { price: 1, metadata: { receipt: 1 } },
    ])
    expect(answer.status).toBe(400)
    const faults = faultsOf(answer)
    expect(Object.keys(faults)).toEqual(['1', '3', '4', '5', '6', '7', '8', '9', '10', 'x'])
    expect(faults).toMatchObject({
      1: ['FieldMissing price'],
      4: ['NotSupportedChoice created_by'],
      5: ['NotSupportedChoice _embedded.catalog_elements.0.id'],
      6: ['NotSupportedChoice _embedded.catalog_elements.1.id'],
      7: ['FieldMissing _embedded.catalog_elements.0.metadata'],
      9: ['FieldNotExpected status'],
      10: ['FieldNotExpected metadata.receipt'],
    })
    expect(listed(await api.get(of(customer)))).toEqual([])
    expect(await read(api, customer)).toMatchObject({ ltv: 0, next_date: later })
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('refuses a purchase for which a sum has no room', async () => {
    const { api, customer } = await withCustomer()
    const most = Number.MAX_SAFE_INTEGER
    await buy(api, customer, { price: most - 5 })
    const answer = await api.post(of(customer), [{ price: 5 }, { price: 1 }, { price: most }])
    expect(faultsOf(answer)).toEqual({ 1: ['TooHigh price'], 2: ['TooHigh price'] })
    await buy(api, customer, { price: 5 })
    expect(await read(api, customer)).toMatchObject({ ltv: most, average_check: (most - 1) / 2 })
  })

  test('rounds quantities to six decimals', async () => {
    const { api, customer } = await withCustomer()
    const { product, bought } = await withProducts(api)
    const lamp = await product()
    await buy(api, customer, { price: 1, ...embedding(bought(lamp, 999_999_998.123456)) })
    for (const [quantity, code] of [
      [1e-7, 'TooLow'],
      [1_000_000_000, 'TooHigh'],
      [0, 'TooLow'],
    ] as const) {
      const answer = await api.post(of(customer), [
        { price: 1, ...embedding(bought(lamp, quantity)) },
      ])
      expect(faultsOf(answer)).toEqual({
        0: [`${code} _embedded.catalog_elements.0.metadata.quantity`],
      })
    }
    for (const [quantity, kept] of [
      ['2.50', 2.5],
      [1 / 3, 0.333333],
      ['0.6666666', 0.666667],
    ] as const) {
      const [id] = await buy(api, customer, { price: 1, ...embedding(bought(lamp, quantity)) })
      const [element] = (await api.get(`${all}/${id}`)).body._embedded.catalog_elements
      expect(element.metadata.quantity).toBe(kept)
    }
  })

  test('an Idempotency-Key makes a purchase once', async () => {
    const { api, customer } = await withCustomer()
    const key = { 'idempotency-key': 'till-7' }
    const [first, second] = [
      await api.post(of(customer), { price: 5 }, key),
      await api.post(of(customer), { price: 5 }, key),
    ]
    expect(second.body).toEqual(first.body)
    expect(await read(api, customer)).toMatchObject({ ltv: 5, purchases_count: 1 })
  })

  test('shows what was bought, to those who may view the catalog', async () => {
    const { account, api, customer } = await withCustomer()
    const { catalog, product, bought } = await withProducts(api)
    const [lamp, shelf] = [await product(), await product()]
    const [id] = await buy(api, customer, {
      price: 9,
      ...embedding(bought(shelf), bought(lamp, 0.1), bought(lamp, 0.2)),
    })
    const elements = async (client: Client) =>
      (await client.get(`${all}/${id}`)).body._embedded.catalog_elements
    expect(await elements(api)).toEqual([
      { id: lamp, metadata: { catalog_id: catalog, quantity: 0.3 } },
      { id: shelf, metadata: { catalog_id: catalog, quantity: 1 } },
    ])
    const leads = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
    const seller = await account.addUser({ rights: { leads, catalog_access: false } })
    expect(await elements(seller.api)).toEqual([])
    const refused = await seller.api.post(of(customer), [{ price: 1, ...embedding(bought(lamp)) }])
    expect(faultsOf(refused)).toEqual({
      0: ['NotSupportedChoice _embedded.catalog_elements.0.id'],
    })
    expect((await seller.api.post(of(customer), [{ price: 1 }])).status).toBe(200)
  })
})

describe('the next purchase', () => {
  const next = async (api: Client, customer: number) => {
    const { next_date, next_price } = await read(api, customer)
    return [next_date, next_price]
  }

  test('is expected when and for what the last purchase that says so names', async () => {
    const { api, customer } = await withCustomer({ next_price: 5, periodicity: 7 })
    await buy(api, customer, { price: 1, next_date: later + 50, next_price: 0 })
    expect(await next(api, customer)).toEqual([later + 50, 0])
    await buy(
      api,
      customer,
      { price: 1, next_date: later + 60 },
      { price: 1, next_date: later + 40, next_price: 8 },
      { price: 1 },
    )
    expect(await next(api, customer)).toEqual([later + 40, 8])
  })

  test('moves on by the periodicity for each purchase, and stays without one', async () => {
    const { api, customer } = await withCustomer({ periodicity: 30, next_date: later })
    await buy(api, customer, { price: 1 })
    expect(await next(api, customer)).toEqual([later + 30 * day, 0])
    await buy(api, customer, { price: 1 }, { price: 1 })
    expect(await next(api, customer)).toEqual([later + 90 * day, 0])
    await api.patch(`${customers}/${customer}`, { periodicity: 0, next_date: later })
    await buy(api, customer, { price: 1 })
    expect(await next(api, customer)).toEqual([later, 0])
  })

  test('keeps its time of day where clocks change, in the time zone of the account', async () => {
    const { account, api, customer } = await withCustomer({
      periodicity: 1,
      // Half past two on the day before clocks in Berlin go forward at two.
      next_date: Date.parse('2026-03-28T02:30:00+01:00') / 1000,
    })
    await moveTo(account, 'Europe/Berlin')
    await buy(api, customer, { price: 1 })
    const skipped = Date.parse('2026-03-29T03:30:00+02:00') / 1000
    expect(await next(api, customer)).toEqual([skipped, 0])
    await api.patch(`${customers}/${customer}`, {
      next_date: Date.parse('2026-03-28T12:00:00+01:00') / 1000,
    })
    await buy(api, customer, { price: 1 })
    expect(await next(api, customer)).toEqual([Date.parse('2026-03-29T12:00:00+02:00') / 1000, 0])
  })

  test('is not later than a time can be', async () => {
    const latest = 253_402_300_799
    const { api, customer } = await withCustomer({ periodicity: 36_500, next_date: latest - 5 })
    await buy(api, customer, ...Array.from({ length: 250 }, () => ({ price: 1 })))
    expect(await next(api, customer)).toEqual([latest, 0])
  })
})

describe('deleting', () => {
  test('takes the purchase from the lists and the sums, by either path', async () => {
    const { account, api, customer } = await withCustomer()
    const [a, b, c] = (await buy(
      api,
      customer,
      { price: 1, completed_at: 300 },
      { price: 20, completed_at: 900 },
      { price: 300, completed_at: 600 },
    )) as [number, number, number]
    expect((await api.delete(`${of(customer)}/${b}`)).status).toBe(204)
    expect(await sumsOf(account, customer)).toMatchObject({
      ltv: 301,
      purchases_count: 2,
      last_purchase_at: 600,
    })
    expect((await api.delete(`${all}/${c}`)).status).toBe(204)
    expect(listed(await api.get(of(customer)))).toEqual([a])
    expect(listed(await api.get(all))).toEqual([a])
    for (const path of [`${all}/${b}`, `${of(customer)}/${b}`]) {
      expect((await api.get(path)).status).toBe(404)
      expect((await api.delete(path)).status).toBe(404)
    }
    expect((await api.delete(`${all}/${a}`)).status).toBe(204)
    expect(await sumsOf(account, customer)).toEqual({
      ltv: 0,
      purchases_count: 0,
      last_purchase_at: null,
      bonus_points: 0,
    })
    expect(await read(api, customer)).toMatchObject({ ltv: 0, average_check: 0 })
  })

  test('and reading finds a purchase under its own customer only', async () => {
    const { api, customer } = await withCustomer()
    const other = await add(api)
    const [id] = await buy(api, customer, { price: 1 })
    for (const path of [`${of(other)}/${id}`, `${of(999_999_999)}/${id}`, `${all}/999999999`]) {
      expect((await api.get(path)).status).toBe(404)
      expect((await api.delete(path)).status).toBe(404)
    }
    expect(await read(api, customer)).toMatchObject({ purchases_count: 1 })
  })

  test('leaves the next date where the purchase moved it', async () => {
    const { api, customer } = await withCustomer({ periodicity: 5, next_date: later })
    const [id] = await buy(api, customer, { price: 1 })
    await api.delete(`${all}/${id}`)
    expect((await read(api, customer)).next_date).toBe(later + 5 * day)
  })
})

describe('news', () => {
  test('a request is one change of the customer, with an event of each purchase', async () => {
    const { account, api, customer } = await withCustomer({ next_date: later, periodicity: 1 })
    const { admin, clock } = account
    await buy(api, customer, { price: 5, completed_at: 100 })
    const before = await read(api, customer)
    clock.ahead += 10
    const recorded = await listen(account)
    const [a, b] = (await buy(
      api,
      customer,
      { price: 10, next_price: 9, completed_at: 200 },
      { price: 20, completed_at: 150 },
    )) as [number, number]
    const { journal, events } = await recorded()
    expect(journal).toEqual([
      {
        entity_type: 'customers',
        entity_id: customer,
        actions: ['update'],
        before: {
          next_date: before.next_date,
          next_price: 0,
          ltv: 5,
          purchases_count: 1,
          last_purchase_at: 100,
          status_due_at: expect.any(Number),
          updated_at: before.updated_at,
        },
        after: expect.objectContaining({
          ltv: 35,
          purchases_count: 3,
          last_purchase_at: 200,
          next_price: 9,
        }),
        created_by: admin.id,
      },
    ])
    const about = { entity_id: customer, created_by: admin.id }
    expect(events.map(plainly)).toEqual([
      ...[a, b].map((id) => ({
        ...about,
        type: 'transaction_added',
        value_before: [],
        value_after: [{ transaction: { id } }],
      })),
      {
        ...about,
        type: 'ltv_field_changed',
        value_before: [{ ltv_field_value: { ltv: 5 } }],
        value_after: [{ ltv_field_value: { ltv: 35 } }],
      },
    ])
    expect(events[0].entity_type).toBe('customer')
    clock.ahead = 0
  })

  test('a purchase for nothing changes no ltv; a deletion does where it had a price', async () => {
    const { account, api, customer } = await withCustomer()
    // The status of the customer is not in question here.
    await api.patch(`${customers}/mode`, { mode: 'periodicity', is_enabled: false })
    const types = async (work: () => Promise<unknown>) => {
      const recorded = await listen(account)
      await work()
      const { journal, events } = await recorded()
      expect(journal.map(({ actions }) => actions)).toEqual([['update']])
      return events.map(({ type }) => type)
    }
    let ids: number[] = []
    expect(await types(async () => (ids = await buy(api, customer, { price: 0 })))).toEqual([
      'transaction_added',
    ])
    expect(await types(() => api.delete(`${all}/${ids[0]}`))).toEqual([])
    ids = await buy(api, customer, { price: 3 })
    expect(await types(() => api.delete(`${all}/${ids[0]}`))).toEqual(['ltv_field_changed'])
  })

  test('the customer has a note of each purchase, which nobody else writes', async () => {
    const { api, customer } = await withCustomer()
    const [a, b] = await buy(api, customer, { price: 10 }, { price: 20 })
    const notes = async () => (await api.get(`${customers}/${customer}/notes`)).body._embedded.notes
    expect(await notes()).toMatchObject([
      { note_type: 'transaction', params: { transaction_id: a, price: 10 }, entity_id: customer },
      { note_type: 'transaction', params: { transaction_id: b, price: 20 } },
    ])
    const note = `${customers}/${customer}/notes/${(await notes())[0].id}`
    expect((await api.delete(note)).status).toBe(400)
    expect((await api.patch(note, { params: { transaction_id: 1 } })).status).toBe(400)
    const draft = { note_type: 'transaction', params: { transaction_id: a } }
    expect((await api.post(`${customers}/${customer}/notes`, [draft])).status).toBe(400)
    await api.delete(`${all}/${a}`)
    expect(await notes()).toMatchObject([{ params: { transaction_id: b } }])
  })
})

describe('lists', () => {
  test('show the purchases of all customers or of one, page by page', async () => {
    const { api, customer } = await withCustomer()
    const other = await add(api)
    const one = await buy(api, customer, ...[1, 2, 3].map((price) => ({ price })))
    const two = await buy(api, other, { price: 4 }, { price: 5 })
    expect(listed(await api.get(all))).toEqual([...one, ...two])
    expect(listed(await api.get(of(other)))).toEqual(two)
    for (const [path, ids] of [
      [all, [...one, ...two]],
      [of(customer), one],
    ] as const) {
      const seen: number[] = []
      for (let next: string | undefined = `${path}?limit=2`; next;) {
        const answer = await api.get(next)
        seen.push(...listed(answer))
        next = answer.body._links.next?.href
      }
      expect(seen).toEqual(ids)
      expect(listed(await api.get(`${path}?limit=2&page=2`))).toEqual(ids.slice(2, 4))
    }
    expect(listed(await api.get(`${all}?order[id]=desc&limit=2&page=2`))).toEqual([one[2], one[1]])
    expect((await api.get(`${all}?page=3`)).body._embedded.transactions).toEqual([])
  })

  test('leave out as many as offset says, before the first page', async () => {
    const { api, customer } = await withCustomer()
    const ids = await buy(api, customer, ...[1, 2, 3, 4, 5, 6, 7].map((price) => ({ price })))
    for (const path of [all, of(customer)]) {
      expect(listed(await api.get(`${path}?offset=3&limit=2`))).toEqual(ids.slice(3, 5))
      expect(listed(await api.get(`${path}?offset=3&limit=2&page=2`))).toEqual(ids.slice(5, 7))
      expect(listed(await api.get(`${path}?offset=0&limit=2`))).toEqual(ids.slice(0, 2))
      expect(listed(await api.get(`${path}?offset=9&limit=2`))).toEqual([])
      const first = await api.get(`${path}?offset=1&limit=3`)
      expect(first.body._links.next.href).toContain('offset=1')
      expect(listed(await api.get(first.body._links.next.href))).toEqual(ids.slice(4, 7))
      const alone = await api.get(`${path}?offset=3`)
      expect([alone.status, faultsOf(alone)]).toEqual([400, { 0: ['FieldMissing limit'] }])
      for (const wrong of ['-1', 'x', '1.5'])
        expect((await api.get(`${path}?offset=${wrong}&limit=2`)).status).toBe(400)
    }
  })

  test('hold 500 purchases at most, 50 unless asked, and those that a filter names', async () => {
    const { api, customer } = await withCustomer()
    const drafts = Array.from({ length: 250 }, () => ({ price: 1 }))
    const ids = [
      ...(await buy(api, customer, ...drafts)),
      ...(await buy(api, customer, ...drafts)),
      ...(await buy(api, customer, { price: 1 })),
    ]
    expect(listed(await api.get(`${of(customer)}?limit=501`))).toEqual(ids.slice(0, 500))
    expect(listed(await api.get(all))).toEqual(ids.slice(0, 50))
    const [a, b, c] = [ids[4], ids[400], ids[500]]
    for (const [filter, found] of [
      [`filter[id]=${b}`, [b]],
      [`filter[id][]=${c}&filter[id][]=${a}`, [a, c]],
      [`filter[id]=${a},${b},999999999`, [a, b]],
      ['filter[id]=999999999', []],
    ] as const)
      for (const path of [all, of(customer)])
        expect(listed(await api.get(`${path}?${filter}`))).toEqual(found)
    for (const wrong of [
      'filter[id]=x',
      'filter[price]=1',
      'limit=0',
      'page=-1',
      'order[price]=asc',
    ])
      expect((await api.get(`${all}?${wrong}`)).status).toBe(400)
  })

  test('of a customer that is not there are 404, and so is every method below it', async () => {
    const { api, customer } = await withCustomer()
    const [id] = await buy(api, customer, { price: 1 })
    expect((await api.get(of(999_999_999))).status).toBe(404)
    expect((await api.post(of(999_999_999), [{ price: 1 }])).status).toBe(404)
    await api.delete(`${customers}/${customer}`)
    for (const path of [of(customer), `${of(customer)}/${id}`, `${all}/${id}`])
      expect((await api.get(path)).status).toBe(404)
    expect((await api.post(of(customer), [{ price: 1 }])).status).toBe(404)
    expect((await api.delete(`${all}/${id}`)).status).toBe(404)
    expect((await api.post(`${customers}/${customer}/bonus_points`, { earn: 1 })).status).toBe(404)
    expect(listed(await api.get(all))).toEqual([])
    await api.post(`${customers}/${customer}/restore`)
    expect(listed(await api.get(of(customer)))).toEqual([id])
    expect(await read(api, customer)).toMatchObject({ ltv: 1, purchases_count: 1 })
  })
})

describe('rights are those of the customer', () => {
  test('a user sees and makes the purchases of the customers that its letters open', async () => {
    const account = await newAccount()
    const { api } = account
    const group = await addGroup(account)
    const owner = await addUserWith(account, 'customers', { view: 'M', edit: 'M' }, group)
    const colleague = await addUserWith(account, 'customers', { view: 'G', edit: 'M' }, group)
    const stranger = await addUserWith(account, 'customers', { view: 'M' })
    const none = await addUserWith(account, 'customers', {})
    const [mine, others] = [
      await add(api, { responsible_user_id: owner.id }),
      await add(api, { responsible_user_id: stranger.id }),
    ]
    const [a] = await buy(api, mine, { price: 1 })
    const [b] = await buy(api, others, { price: 2 })

    expect(listed(await owner.api.get(all))).toEqual([a])
    expect(listed(await colleague.api.get(all))).toEqual([a])
    expect(listed(await stranger.api.get(all))).toEqual([b])
    expect((await none.api.get(all)).status).toBe(403)

    const statuses = async (client: Client, customer: number, id: number) => [
      (await client.get(of(customer))).status,
      (await client.get(`${of(customer)}/${id}`)).status,
      (await client.get(`${all}/${id}`)).status,
      (await client.post(of(customer), [{ price: 1 }])).status,
      (await client.post(`${customers}/${customer}/bonus_points`, { earn: 1 })).status,
      (await client.delete(`${all}/${id}`)).status,
    ]
    expect(await statuses(owner.api, others, b!)).toEqual(Array(6).fill(403))
    expect(await statuses(none.api, mine, a!)).toEqual(Array(6).fill(403))
    expect(await statuses(colleague.api, mine, a!)).toEqual([200, 200, 200, 403, 403, 403])
    expect(await statuses(stranger.api, others, b!)).toEqual([200, 200, 200, 403, 403, 403])
    expect(await statuses(owner.api, mine, a!)).toEqual([200, 200, 200, 200, 200, 204])
    expect(await read(api, others)).toMatchObject({ ltv: 2, purchases_count: 1 })
  })

  test('a user walks over the purchases it sees in either order, past those of others', async () => {
    const account = await newAccount()
    const { api } = account
    const seller = await addUserWith(account, 'customers', { view: 'M' })
    const [mine, also, others] = [
      await add(api, { responsible_user_id: seller.id }),
      await add(api, { responsible_user_id: seller.id }),
      await add(api),
    ]
    const seen: number[] = []
    for (const customer of [others, mine, others, also, mine, others, also, mine, others]) {
      const ids = await buy(api, customer, { price: 1 }, { price: 2 })
      if (customer !== others) seen.push(...ids)
    }
    for (const [query, expected] of [
      ['limit=3', seen],
      ['limit=4&order[id]=desc', seen.toReversed()],
      ['limit=2&offset=5', seen.slice(5)],
      ['limit=3&offset=1999', []],
      ['limit=3&offset=2500', []],
    ] as const) {
      const walked: number[] = []
      for (let next: string | undefined = `${all}?${query}`; next;) {
        const answer = await seller.api.get(next)
        walked.push(...listed(answer))
        next = answer.body._links.next?.href
      }
      expect([query, walked]).toEqual([query, expected])
    }
    expect(listed(await seller.api.get(`${all}?limit=4&page=2`))).toEqual(seen.slice(4, 8))
  })

  test('another account finds none of it', async () => {
    const { api, customer } = await withCustomer()
    const [id] = await buy(api, customer, { price: 1 })
    const { api: alien } = await newAccount()
    expect(listed(await alien.get(`${all}?filter[id]=${id}`))).toEqual([])
    for (const path of [of(customer), `${of(customer)}/${id}`, `${all}/${id}`])
      expect((await alien.get(path)).status).toBe(404)
    expect((await alien.post(of(customer), [{ price: 1 }])).status).toBe(404)
    expect((await alien.delete(`${all}/${id}`)).status).toBe(404)
    expect((await api.get(`${all}/${id}`)).status).toBe(200)
  })
})

describe('bonus points', () => {
  const change = (api: Client, customer: number, body: object) =>
    api.post(`${customers}/${customer}/bonus_points`, body)

  test('are earned and redeemed, never more than there are', async () => {
    const { account, api, customer } = await withCustomer()
    const points = async (body: object) => (await change(api, customer, body)).body.bonus_points
    expect(await points({ earn: 10 })).toBe(10)
    expect(await points({ earn: '5' })).toBe(15)
    expect(await points({ redeem: 12 })).toBe(3)
    for (const [body, faults] of [
      [{ redeem: 4 }, ['TooHigh redeem']],
      [{ earn: Number.MAX_SAFE_INTEGER }, ['TooHigh earn']],
      [{ earn: 1, redeem: 1 }, ['FieldNotExpected redeem']],
      [{}, ['FieldMissing earn']],
      [{ earn: 0 }, ['TooLow earn']],
      [{ redeem: -1 }, ['TooLow redeem']],
    ] as const) {
      const answer = await change(api, customer, body)
      expect([answer.status, faultsOf(answer)]).toEqual([400, { 0: faults }])
    }
    for (const body of [{ earn: 1.5 }, { earn: 'x' }, { earn: null }, { spend: 1 }, [{ earn: 1 }]])
      expect((await change(api, customer, body)).status).toBe(400)
    expect(await points({ redeem: 3 })).toBe(0)
    expect((await change(api, 999_999_999, { earn: 1 })).status).toBe(404)
    const recorded = await listen(account)
    await change(api, customer, { earn: 7 })
    const { journal, events } = await recorded()
    expect(journal).toMatchObject([
      { entity_id: customer, actions: ['update'], before: { bonus_points: 0 } },
    ])
    expect(events).toEqual([])
  })

  test('come with purchases of elements that bring some, in whole points', async () => {
    const { account, api, customer } = await withCustomer()
    const { product, bought } = await withProducts(api)
    const [lamp, shelf, hook] = [await product(3), await product('0.5'), await product()]
    const points = async () => (await sumsOf(account, customer)).bonus_points
    await buy(api, customer, {
      price: 1,
      ...embedding(bought(lamp, 2), bought(shelf), bought(hook, 9)),
    })
    expect(await points()).toBe(6)
    await buy(api, customer, { price: 1, ...embedding(bought(lamp), bought(lamp)) }, { price: 4 })
    expect(await points()).toBe(12)
    const body = [{ price: 1, ...embedding(bought(lamp)) }]
    for (const [query, after] of [
      ['accrue_bonus=false', 12],
      ['accrue_bonus=0', 12],
      ['accrue_bonus=true', 15],
      ['accrue_bonus=1', 18],
    ] as const) {
      expect((await api.post(`${of(customer)}?${query}`, body)).status).toBe(200)
      expect([query, await points()]).toEqual([query, after])
    }
    expect((await api.post(`${of(customer)}?accrue_bonus=maybe`, body)).status).toBe(400)
    // 1.15 × 100 is a little less than 115 in binary.
    const cable = await product(100)
    await buy(api, customer, { price: 1, ...embedding(bought(cable, 1.15)) })
    expect(await points()).toBe(18 + 115)
  })

  test('of a deleted purchase go, as far as they are still there', async () => {
    const { account, api, customer } = await withCustomer()
    const { product, bought } = await withProducts(api)
    const lamp = await product(10)
    const [a, b] = await buy(
      api,
      customer,
      { price: 1, ...embedding(bought(lamp)) },
      { price: 1, ...embedding(bought(lamp)) },
    )
    await change(api, customer, { redeem: 5 })
    await api.delete(`${all}/${a}`)
    expect((await sumsOf(account, customer)).bonus_points).toBe(5)
    await api.delete(`${all}/${b}`)
    expect((await sumsOf(account, customer)).bonus_points).toBe(0)
  })

  test('that have no room refuse the purchase; a catalog without the field brings none', async () => {
    const { account, api, customer } = await withCustomer()
    const { product, bought } = await withProducts(api)
    const lamp = await product(18_000_000)
    const drafts = [{ price: 1, ...embedding(bought(lamp, 500_000_000)) }, { price: 1 }]
    await buy(api, customer, ...drafts)
    expect(faultsOf(await api.post(of(customer), drafts))).toEqual({
      0: ['TooHigh _embedded.catalog_elements'],
      1: ['TooHigh _embedded.catalog_elements'],
    })
    const plain = await withCustomer()
    const goods = await withProducts(plain.api, false)
    await buy(plain.api, plain.customer, {
      price: 1,
      ...embedding(goods.bought(await goods.product())),
    })
    expect((await sumsOf(plain.account, plain.customer)).bonus_points).toBe(0)
    expect((await sumsOf(account, customer)).bonus_points).toBe(9_000_000_000_000_000)
  })
})

describe('at the same time', () => {
  test('the sums are those of the purchases, however many come and go at once', async () => {
    const { account, api, customer } = await withCustomer({ periodicity: 1, next_date: later })
    const old = await buy(
      api,
      customer,
      ...Array.from({ length: 25 }, (_, n) => ({ price: n + 1, completed_at: 1000 + n })),
    )
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, (_, n) =>
        api.post(of(customer), [
          { price: 100 + n, completed_at: 5000 - n },
          { price: 3, completed_at: 10 },
        ]),
      ),
      ...old.map((id, index) => api.delete(`${index % 2 ? all : of(customer)}/${id}`)),
      ...Array.from({ length: 10 }, (_, n) =>
        api.patch(`${customers}/${customer}`, { name: `Name ${n}` }),
      ),
      ...Array.from({ length: 10 }, () =>
        api.post(`${customers}/${customer}/bonus_points`, { earn: 2 }),
      ),
    ])
    expect(answers.filter(({ status }) => status >= 300)).toEqual([])
    const sums = await sumsOf(account, customer)
    expect(sums).toEqual({ ...(await sumsListed(api, customer)), bonus_points: 20 })
    expect(sums).toMatchObject({ purchases_count: 100, last_purchase_at: 5000 })
    expect(await read(api, customer)).toMatchObject({
      ltv: sums.ltv,
      average_check: Math.floor(sums.ltv / 100),
      next_date: later + 125 * day,
    })
  })

  test('a purchase that is deleted twice at once is taken off once', async () => {
    const { account, api, customer } = await withCustomer()
    const [one, two] = await buy(api, customer, { price: 5 }, { price: 9 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.delete(`${all}/${two}`)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, ...Array(7).fill(404)])
    expect(await sumsOf(account, customer)).toMatchObject({ ltv: 5, purchases_count: 1 })
    expect(listed(await api.get(all))).toEqual([one])
  })

  test('batches of customers and purchases of several of them wait for each other in turn', async () => {
    const { api } = await newAccount()
    const ids = [await add(api), await add(api), await add(api)]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => [
        api.patch(
          customers,
          (turn % 2 ? ids : ids.toReversed()).map((id) => ({ id, next_price: turn + 1 })),
        ),
        ...ids.map((id) => api.post(of(id), [{ price: 1, next_price: 50 + turn }])),
      ]).flat(),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(48).fill(200))
    for (const id of ids)
      expect(await read(api, id)).toMatchObject({ ltv: 12, purchases_count: 12 })
  })
})

test('purchases are counted by months in the zone of the account, two years back', async () => {
  const { account, api, customer } = await withCustomer()
  const { database, now } = account.kontor
  const path = `/web/v1/customers/${customer}/purchases-by-month`
  expect((await api.get(path)).body).toEqual({ months: [] })
  const present = new Date(now() * 1000)
  const month = (back: number, day = 15, hour = 12) =>
    Date.UTC(present.getUTCFullYear(), present.getUTCMonth() - back, day, hour) / 1000
  const name = (at: number) => new Date(at * 1000).toISOString().slice(0, 7)
  const drafts = [month(24), month(23), month(2), month(2, 20), month(1, 1, 0)]
  const ids = await buy(
    api,
    customer,
    ...drafts.map((completed_at, index) => ({ price: 10 ** index, completed_at })),
  )
  const shown = async () =>
    (await api.get(path)).body.months.map(
      ({ month: at, count, sum }: { month: string; count: number; sum: number }) =>
        `${at} ${count} ${sum}`,
    )
  expect(await shown()).toEqual([
    `${name(month(23))} 1 10`,
    `${name(month(2))} 2 1100`,
    `${name(month(1))} 1 10000`,
  ])
  // West of Greenwich the first hour of a month is still the last one.
  await database.transaction((tx) =>
    tx.rows(sql`update accounts set timezone = 'America/Lima' where id = ${account.id}`),
  )
  await api.delete(`${of(customer)}/${ids[2]}`)
  expect(await shown()).toEqual([`${name(month(23))} 1 10`, `${name(month(2))} 2 11000`])
  const none = await addUserWith(account, 'customers', { view: 'D' })
  expect((await none.api.get(path)).status).toBe(403)
  const alien = await newAccount()
  expect((await alien.api.get(path)).status).toBe(404)
})
