// Only what is special to customers: the tests that all record types share are in server/records.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { faultsOf, listen, plainly } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  find,
  readRecord,
  tagNames,
} from '../../../../test/records.ts'
import type { CustomerStatus } from './statuses/schema.ts'

const path = '/api/v4/customers'
const later = 2_000_000_000

const statusesIn = async (api: Client): Promise<CustomerStatus[]> =>
  (await api.get(`${path}/statuses`)).body._embedded.statuses

/** The ids of the first statuses by type. */
async function statusIds(api: Client): Promise<number[]> {
  const statuses = await statusesIn(api)
  return [0, 1, 2, 3, 4].map((type) => statuses.find((status) => status.type === type)!.id)
}

const add = (api: Client, draft: object = {}) => addRecord(api, 'customers', draft)
const read = (api: Client, id: number, query = '') => readRecord(api, 'customers', id, query)
const statusOf = async (api: Client, id: number): Promise<number> => (await read(api, id)).status_id

describe('creating', () => {
  test('answers the whole customers, in the order of the request', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const [ordinary] = await statusIds(api)
    const made = await api.post(path, [
      { name: ' Ann ', next_date: later },
      {
        name: 'Bob',
        next_date: later + 5,
        next_price: 99.9,
        periodicity: 30,
        request_id: 'b',
        created_at: 1_700_000_000,
        updated_at: 1_700_000_001,
        _embedded: { tags: [{ name: 'dear' }], segments: [] },
      },
    ])
    expect(made.status).toBe(200)
    expect(made.body._links.self.href).toMatch(/\/api\/v4\/customers$/)
    const [ann, bob] = made.body._embedded.customers
    expect(ann).toMatchObject({
      name: 'Ann',
      next_date: later,
      next_price: 0,
      periodicity: 0,
      status_id: ordinary,
      responsible_user_id: admin.id,
      created_by: admin.id,
      updated_by: admin.id,
      is_deleted: false,
      account_id: account.id,
      closest_task_at: null,
      custom_fields_values: null,
      ltv: 0,
      purchases_count: 0,
      average_check: 0,
      request_id: '0',
      _embedded: { tags: [], segments: [] },
    })
    expect(ann._links.self.href).toMatch(new RegExp(`${path}/${ann.id}$`))
    expect(bob).toMatchObject({
      name: 'Bob',
      next_price: 99,
      periodicity: 30,
      created_at: 1_700_000_000,
      updated_at: 1_700_000_001,
      request_id: 'b',
    })
    expect(tagNames(bob)).toEqual(['dear'])
    for (const { request_id: _, ...customer } of [ann, bob]) {
      expect(await read(api, customer.id)).toEqual(customer)
      expect(await read(api, customer.id, 'with=loss_reason_name,group_id')).toEqual({
        ...customer,
        loss_reason_name: null,
        group_id: 0,
      })
    }
  })

  test('takes the largest batch: 500 customers with 40 values each', async () => {
    const { api } = await newAccount()
    const fields = Array.from({ length: 40 }, (_, index) => ({
      name: `Field ${index}`,
      type: index % 2 === 0 ? 'text' : 'numeric',
    }))
    const { body } = await api.post(`${path}/custom_fields`, fields)
    const made: { id: number }[] = body._embedded.custom_fields
    const drafts = Array.from({ length: 500 }, (_, number) => ({
      name: `Customer ${number}`,
      next_date: later,
      custom_fields_values: made.map(({ id }, index) => ({
        field_id: id,
        values: [{ value: index % 2 === 0 ? `Text ${number} of ${index}` : number }],
      })),
    }))
    const answer = await api.post(path, drafts)
    expect(answer.status).toBe(200)
    const last = answer.body._embedded.customers.at(-1)
    expect(last.custom_fields_values).toHaveLength(40)
    const { id, name, custom_fields_values } = await read(api, last.id)
    expect({ id, name, custom_fields_values }).toEqual({
      id: last.id,
      name: 'Customer 499',
      custom_fields_values: last.custom_fields_values,
    })
  })

  test('refuses customers without a name or a date, and values that no customer can have', async () => {
    const { api } = await newAccount()
    const alien = await newAccount()
    const [theirs] = await statusIds(alien.api)
    const refused = await api.post(path, [
      {},
      { name: '  ', next_date: later },
      { name: 'A', next_date: null },
      { name: 'A', next_date: later, next_price: -1, periodicity: -1 },
      { name: 'A', next_date: later, _embedded: { segments: [{ id: 1 }] } },
      { name: 'A', next_date: later, _embedded: { contacts: [1] } },
      { name: 'Good', next_date: later },
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toMatchObject({ 0: ['FieldMissing name', 'FieldMissing next_date'] })
    expect(Object.keys(faultsOf(refused))).toEqual(['0', '1', '2', '3', '4', '5'])
    const named = [142, theirs].map((status_id) => ({ name: 'A', next_date: later, status_id }))
    expect(faultsOf(await api.post(path, named))).toEqual({
      0: ['NotSupportedChoice status_id'],
      1: ['NotSupportedChoice status_id'],
    })
    expect((await api.get(path)).body._embedded.customers).toEqual([])
  })

  test('puts a customer into the status it names, or the one that its date says', async () => {
    const { api, kontor } = await newAccount()
    const [ordinary, expected, missed, closed] = await statusIds(api)
    expect(await statusOf(api, await add(api))).toBe(ordinary)
    for (const [days, status] of [
      [1, expected],
      [-2, missed],
      [-40, closed],
    ] as const) {
      const next_date = kontor.now() + days * 86_400
      expect(await statusOf(api, await add(api, { next_date }))).toBe(status)
    }
    expect(await statusOf(api, await add(api, { status_id: closed }))).toBe(closed)
    // Another ordinary status that comes first by its place.
    await api.post(`${path}/statuses`, { name: 'First', sort: 1 })
    const [first] = await statusesIn(api)
    expect(await statusOf(api, await add(api))).toBe(first!.id)
    for (const id of [first!.id, ordinary])
      expect((await api.delete(`${path}/statuses/${id}`)).status).toBe(204)
    expect(await statusOf(api, await add(api))).toBe(expected)
    await api.patch(`${path}/mode`, { mode: 'segments', is_enabled: true })
    expect(await statusOf(api, await add(api))).toBe(expected)
  })
})

describe('changing', () => {
  test('of one answers the whole customer, and names it once more', async () => {
    const { api } = await newAccount()
    const id = await add(api, { name: 'Ann', _embedded: { tags: [{ name: 'dear' }] } })
    const { status, body } = await api.patch(`${path}/${id}`, {
      name: 'Anna',
      next_price: 500,
      next_date: later + 1,
      periodicity: 7,
      request_id: 'x',
    })
    expect(status).toBe(200)
    const { customers, ...embedded } = body._embedded
    expect({ ...body, _embedded: embedded }).toEqual(await read(api, id))
    expect(body).toMatchObject({ name: 'Anna', next_price: 500, next_date: later + 1 })
    expect(customers).toEqual([
      { id, name: 'Anna', updated_at: body.updated_at, request_id: 'x', _links: body._links },
    ])
    expect(tagNames(body)).toEqual(['dear'])
  })

  test('to another status, user and name records an event of each, with both sides', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const [ordinary, , , , recent] = await statusIds(api)
    const user = await account.addUser()
    const id = await add(api, { name: 'Ann' })
    const recorded = await listen(account)
    await api.patch(`${path}/${id}`, {
      name: 'Anna',
      status_id: recent,
      responsible_user_id: user.id,
      next_price: 8,
    })
    const { journal, events } = await recorded()
    expect(journal).toMatchObject([
      {
        entity_type: 'customers',
        actions: ['update', 'status', 'responsible'],
        before: { name: 'Ann', status_id: ordinary, next_price: 0 },
      },
    ])
    const about = { entity_id: id, created_by: admin.id }
    expect(events.map(plainly)).toEqual([
      {
        ...about,
        type: 'name_field_changed',
        value_before: [{ name_field_value: { name: 'Ann' } }],
        value_after: [{ name_field_value: { name: 'Anna' } }],
      },
      {
        ...about,
        type: 'customer_status_changed',
        value_before: [{ customer_status: { id: ordinary } }],
        value_after: [{ customer_status: { id: recent } }],
      },
      {
        ...about,
        type: 'entity_responsible_changed',
        value_before: [{ responsible_user: { id: admin.id } }],
        value_after: [{ responsible_user: { id: user.id } }],
      },
    ])
  })

  test('refuses what a customer cannot have, and changes nothing', async () => {
    const { api } = await newAccount()
    const id = await add(api, { name: 'Ann' })
    const before = await read(api, id)
    for (const change of [
      { name: '' },
      { next_date: 'soon' },
      { next_price: 'much' },
      { status_id: 143 },
      { _embedded: { segments: [{ id: 1 }] } },
    ])
      expect((await api.patch(`${path}/${id}`, { periodicity: 5, ...change })).status).toBe(400)
    expect(await read(api, id)).toEqual(before)
  })
})

describe('the list', () => {
  test('is filtered by what only customers have', async () => {
    const account = await newAccount()
    const statuses = await statusIds(account.api)
    await addRecords(account.api, 'customers', [
      {
        name: 'A',
        next_price: 10,
        next_date: later,
        created_at: 1_700_000_000,
        updated_at: 1_700_000_900,
      },
      {
        name: 'B',
        next_price: 20,
        next_date: later + 10,
        created_at: 1_700_000_100,
        updated_at: 1_700_000_800,
        status_id: statuses[1],
      },
      {
        name: 'C',
        next_price: 30,
        next_date: later + 20,
        created_at: 1_700_000_200,
        updated_at: 1_700_000_700,
        status_id: statuses[2],
      },
    ])
    for (const [query, names] of [
      ['filter[next_price]=20', 'B'],
      ['filter[next_price]=20,30', 'BC'],
      ['filter[next_price][]=10&filter[next_price][]=30', 'AC'],
      ['filter[next_price][0]=10', 'A'],
      ['filter[next_price][from]=20', 'BC'],
      ['filter[next_price][from]=11&filter[next_price][to]=20', 'B'],
      [`filter[next_date][from]=${later + 10}`, 'BC'],
      [`filter[next_date][from]=${later + 1}&filter[next_date][to]=${later + 10}`, 'B'],
      [`filter[next_date][to]=${later}`, 'A'],
      [`filter[next_date]=${later + 20}`, 'C'],
      [`filter[status_id]=${statuses[0]}`, 'A'],
      [`filter[status_id][]=${statuses[1]}&filter[status_id][]=${statuses[2]}`, 'BC'],
      [`filter[status_id]=${statuses[4]}`, ''],
      ['filter[date][type]=create&filter[date][from]=1700000100', 'BC'],
      ['filter[date][type]=create&filter[date][to]=1700000100', 'AB'],
      ['filter[date][type]=update&filter[date][from]=1700000800', 'AB'],
      ['filter[date][type]=update&filter[date][from]=1700000750&filter[date][to]=1700000850', 'B'],
      ['filter[date][type]=create', 'ABC'],
      [`filter[next_price][from]=11&filter[status_id]=${statuses[2]}`, 'C'],
    ] as const)
      expect([query, (await find(account, 'customers', query)).join('')]).toEqual([query, names])
  })

  test('refuses filters that it does not know or understand', async () => {
    const { api } = await newAccount()
    for (const query of [
      'filter[date]=5',
      'filter[date][from]=5',
      'filter[date][type]=close&filter[date][from]=5',
      'filter[next_price]=much',
      'filter[next_price][least]=5',
      'filter[status_id]=x',
      'order[next_date]=asc',
    ])
      expect([query, (await api.get(`${path}?${query}`)).status]).toEqual([query, 400])
  })
})

test('a user who hands a customer over is still answered, and loses sight of it', async () => {
  const account = await newAccount()
  const letters = { view: 'M', edit: 'M', add: 'A' } as const
  const mine = await addUserWith(account, 'customers', letters)
  const other = await account.addUser()
  const responsible_user_id = other.id
  const draft = { name: 'Given', next_date: later, responsible_user_id }
  const given = await mine.api.post(path, [draft])
  expect(given.body._embedded.customers[0]).toMatchObject({ name: 'Given', responsible_user_id })
  const own = await add(mine.api)
  const handed = await mine.api.patch(`${path}/${own}`, { responsible_user_id })
  expect(handed.body).toMatchObject({ id: own, responsible_user_id })
  expect((await mine.api.get(`${path}/${own}`)).status).toBe(403)
  expect((await mine.api.get('/api/v4/events')).body._embedded.events).toEqual([])
  expect((await account.api.get('/api/v4/events')).body._embedded.events).not.toEqual([])
})

describe('a deleted status', () => {
  const rowOf = ({ kontor }: TestAccount, id: number) =>
    kontor.database.row<{ status_id: number }>(
      sql`select status_id from customers where id = ${id}`,
    )

  test('leaves its customers to the first ordinary one, each with its event', async () => {
    const account = await newAccount()
    const { api } = account
    const [ordinary, , , closed] = await statusIds(api)
    const made = await api.post(`${path}/statuses`, { name: 'Warm', sort: 9 })
    const warm: number = made.body._embedded.statuses[0].id
    const [one, two, other] = (await addRecords(api, 'customers', [
      { status_id: warm },
      { status_id: warm },
      { status_id: closed },
    ])) as [number, number, number]
    await api.delete(`${path}/${two}`)
    const recorded = await listen(account)
    expect((await api.delete(`${path}/statuses/${warm}`)).status).toBe(204)
    expect(await statusOf(api, one)).toBe(ordinary)
    expect(await statusOf(api, other)).toBe(closed)
    expect(await rowOf(account, two)).toEqual({ status_id: ordinary })
    const { journal, events } = await recorded()
    expect(journal.map(({ entity_id, actions }) => [entity_id, actions])).toEqual([
      [one, ['update', 'status']],
    ])
    expect(events).toMatchObject([
      {
        type: 'customer_status_changed',
        value_before: [{ customer_status: { id: warm } }],
        value_after: [{ customer_status: { id: ordinary } }],
      },
    ])
  })

  test('waits for the customers that are just created in it, and takes them along', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [ordinary, expected] = await statusIds(api)
    const contact = await addRecord(api, 'contacts')
    const [created, deleted] = await kontor.database.transaction(async (tx) => {
      await tx.rows(sql`select from contacts where id = ${contact} for update`)
      // The creation has chosen the status and waits for the contact.
      const created = add(api, { _embedded: { contacts: [{ id: contact }] } })
      const creating = await untilAwaited(tx)
      const deleted = api.delete(`${path}/statuses/${ordinary}`)
      await Promise.race([deleted, untilAwaited(tx, creating)])
      return [created, deleted] as const
    })
    expect((await deleted).status).toBe(204)
    expect(await statusOf(api, await created)).toBe(expected)
  })
})
