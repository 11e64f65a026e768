import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { atEndOfFile } from '../../../../test/endings.ts'
import { phone } from '../../../../test/complex.ts'
import { addRecord } from '../../../../test/records.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'
import { addItem } from '../../../../test/unsorted.ts'

const path = '/web/v1/search'
const day = 86_400

let account: TestAccount
let api: Client
beforeAll(async () => {
  account = await newAccount()
  api = account.api
})

interface Hit {
  id: number
  name: string
  match: string
}

async function find(who: Client, q: string, more = '') {
  const { status, body } = await who.get(`${path}?q=${encodeURIComponent(q)}${more}`)
  expect(status).toBe(200)
  return body
}

const shown = ({ items }: { items: Hit[] }) => items.map(({ name, match }) => `${match}: ${name}`)

test('each type is answered with its second line', async () => {
  const lead = await addRecord(api, 'leads', { name: 'Pump order', price: 54_000 })
  const company = await addRecord(api, 'companies', {
    name: 'Pump works',
    custom_fields_values: [phone('+1 555 0100')],
  })
  const contact = await addRecord(api, 'contacts', {
    name: 'Pump seller',
    _embedded: { companies: [{ id: company }] },
  })
  const next_date = account.kontor.now() + day
  const customer = await addRecord(api, 'customers', { name: 'Pump buyer', next_date })
  const { body } = await api.post('/api/v4/tasks', [
    { text: 'Order the pump', complete_till: next_date, entity_id: lead, entity_type: 'leads' },
  ])
  const { pipeline_id, status_id } = (await api.get(`/api/v4/leads/${lead}`)).body
  const found = await find(api, 'pump')
  expect(Object.keys(found)).toEqual(['leads', 'contacts', 'companies', 'customers', 'tasks'])
  expect(found.leads).toEqual({
    has_failed: false,
    items: [{ id: lead, name: 'Pump order', match: 'name', price: 54_000, pipeline_id, status_id }],
  })
  expect(found.contacts.items).toEqual([
    { id: contact, name: 'Pump seller', match: 'name', phone: null, company: 'Pump works' },
  ])
  expect(found.companies.items).toEqual([
    { id: company, name: 'Pump works', match: 'name', phone: '+1 555 0100' },
  ])
  expect(found.customers.items).toMatchObject([{ id: customer, next_date, next_price: 0 }])
  expect(found.tasks.items).toEqual([
    {
      id: body._embedded.tasks[0].id,
      name: 'Order the pump',
      match: 'word',
      complete_till: next_date,
      entity_type: 'leads',
      entity_id: lead,
    },
  ])
})

describe('the best reason comes first:', () => {
  test('the exact name, names that begin so, words that begin so, and the rest', async () => {
    for (const name of ['Unsteelly', 'Big steel door', 'Steelworks', 'steel', 'Stéel roof'])
      await addRecord(api, 'leads', { name })
    expect(shown((await find(api, 'Steel')).leads)).toEqual([
      'name: steel',
      'name: Steelworks',
      'name: Stéel roof',
      'word: Big steel door',
      'other: Unsteelly',
    ])
    expect(shown((await find(api, 'door ste')).leads)).toEqual(['word: Big steel door'])
  })

  test('a number is an id before anything else', async () => {
    const id = await addRecord(api, 'leads', { name: 'By number' })
    await addRecord(api, 'leads', { name: `${id} pieces` })
    for (const q of [String(id), `#${id}`])
      expect(shown((await find(api, q)).leads)[0]).toBe('id: By number')
    expect(shown((await find(api, String(id))).leads)).toContain(`name: ${id} pieces`)
  })

  test('a phone finds its contact in any notation', async () => {
    const name = 'Ann Phone'
    await addRecord(api, 'contacts', {
      name,
      custom_fields_values: [phone('+49 (30) 901820-17')],
    })
    for (const q of ['+49309018 2017', '493090182017', '+49 (30) 901820-17'])
      expect(shown((await find(api, q)).contacts)).toEqual([`phone: ${name}`])
    expect(shown((await find(api, '90182017')).contacts)).toEqual([`other: ${name}`])
  })

  test('names that begin so are found behind many newer matches', async () => {
    await addRecord(api, 'companies', { name: 'Mill one' })
    const names = Array.from({ length: 45 }, (_, index) => ({ name: `The windmill ${index}` }))
    await api.post('/api/v4/companies', names)
    const { items } = (await find(api, 'mill', '&limit=5&types=companies')).companies
    expect(items).toHaveLength(5)
    expect(items[0]).toMatchObject({ name: 'Mill one', match: 'name' })
  })
})

test('only the types that are asked for are answered, and no more than the limit', async () => {
  await api.post(
    '/api/v4/contacts',
    Array.from({ length: 22 }, () => ({ name: 'Twin' })),
  )
  const found = await find(api, 'twin', '&types=contacts,leads&limit=20')
  expect(Object.keys(found)).toEqual(['contacts', 'leads'])
  expect(found.contacts.items).toHaveLength(20)
  expect((await find(api, 'twin')).contacts.items).toHaveLength(10)
})

test('a caller finds what the caller may view', async () => {
  const level = (view: 'M' | 'D') => ({ view, edit: view, add: 'A', delete: view }) as const
  const user = await account.addUser({ rights: { leads: level('M'), contacts: level('D') } })
  const own = { name: 'Guarded own', responsible_user_id: user.id }
  const mine = await addRecord(api, 'leads', own)
  const other = await addRecord(api, 'leads', { name: 'Guarded other' })
  await addRecord(api, 'contacts', { ...own })
  const company = await addRecord(api, 'companies', { name: 'Hidden works' })
  const found = await find(user.api, 'guarded')
  expect(shown(found.leads)).toEqual(['name: Guarded own'])
  expect(found.contacts).toEqual({ has_failed: false, items: [] })
  expect(shown((await find(user.api, String(mine))).leads)).toEqual(['id: Guarded own'])
  expect((await find(user.api, String(other))).leads.items).toEqual([])
  // The company of a contact is named to those who may view it.
  await addRecord(api, 'contacts', { name: 'Workman', _embedded: { companies: [{ id: company }] } })
  const seller = await account.addUser({ rights: { contacts: { view: 'A' } } })
  expect((await find(seller.api, 'workman')).contacts.items).toMatchObject([{ company: null }])
  // Tasks are one's own.
  const task = { text: 'Guarded task', complete_till: account.kontor.now() + day }
  await api.post('/api/v4/tasks', [task, { ...task, responsible_user_id: user.id }])
  expect((await find(user.api, 'guarded')).tasks.items).toHaveLength(1)
})

test('records in the bin, requests that wait and other accounts are not found', async () => {
  const other = await newAccount()
  const id = await addRecord(api, 'leads', { name: 'Faraway' })
  expect((await find(other.api, 'faraway')).leads.items).toEqual([])
  expect((await find(other.api, String(id))).leads.items).toEqual([])
  await api.delete(`/api/v4/leads/${id}`)
  expect((await find(api, 'faraway')).leads.items).toEqual([])
  expect((await find(api, String(id))).leads.items).toEqual([])
  await addItem(api, { _embedded: { leads: [{ name: 'Nearby' }] } })
  expect((await find(api, 'nearby')).leads.items).toEqual([])
})

test('a type that fails leaves the others alone; where all fail, the request does', async () => {
  const scratch = await scratchDatabase()
  atEndOfFile(() => scratch.drop())
  const { api } = await newAccount({ databaseUrl: scratch.url })
  await addRecord(api, 'leads', { name: 'Pump order' })
  await scratch.database.transaction((tx) => tx.rows(sql`alter table customers rename to clients`))
  const found = await find(api, 'pump')
  expect(shown(found.leads)).toEqual(['name: Pump order'])
  expect(found.customers).toEqual({ has_failed: true, items: [] })
  await expect(api.get(`${path}?q=pump&types=customers`)).rejects.toThrow('a failure of the server')
})

describe('a name with one wrong letter is found', () => {
  const wrong = '&similar=true'
  let own: TestAccount
  beforeAll(async () => {
    own = await newAccount()
    await addRecord(own.api, 'contacts', { name: 'Johanna Schmidt' })
    await addRecord(own.api, 'companies', { name: 'Водоканал «Север»' })
    await addRecord(own.api, 'leads', { name: 'Émile Lefèvre' })
  })

  test.each([
    ['contacts', 'Schmitt', 'another letter'],
    ['contacts', 'Schmdt', 'a missing one'],
    ['contacts', 'Schmiddt', 'an added one'],
    ['contacts', 'Schmitd', 'two swapped ones'],
    ['contacts', 'Scmhidt', 'two swapped ones in the middle'],
    ['contacts', 'Zchmidt', 'the first one'],
    ['contacts', 'Schmidz', 'the last one'],
    ['contacts', 'Johana Schmidt', 'beside a word without a fault'],
    ['contacts', 'schmidt johamna', 'in any order'],
    ['companies', 'Водаканал', 'in any alphabet'],
    ['companies', 'савер', 'in a word of five'],
    ['leads', 'lefevra', 'without accents'],
  ] as const)('of the %s by %s: %s', async (...[type, q]) => {
    const [hit] = shown((await find(own.api, q, wrong))[type])
    expect(hit).toMatch(/^similar: /)
  })

  test('and no other is', async () => {
    for (const q of ['Schmott', 'Schmat', 'Johann Schmitt', 'Schmxdt Johxnna', '55501'])
      expect([q, shown((await find(own.api, q, wrong)).contacts)]).toEqual([
        q,
        q === 'Johann Schmitt' ? ['similar: Johanna Schmidt'] : [],
      ])
  })

  test('by those who may view it, outside the bin, and after all that is really found', async () => {
    const level = { view: 'M', edit: 'M', add: 'A', delete: 'M' } as const
    const user = await own.addUser({ rights: { contacts: level } })
    expect((await find(user.api, 'Schmitt', wrong)).contacts.items).toEqual([])
    expect((await find(api, 'Schmitt', wrong)).contacts.items).toEqual([])
    const id = await addRecord(own.api, 'contacts', { name: 'Anna Brauer' })
    await addRecord(own.api, 'contacts', { name: 'Anna Braier' })
    expect(shown((await find(own.api, 'Brauer', wrong)).contacts)).toEqual(['word: Anna Brauer'])
    expect(shown((await find(own.api, 'Braurr', wrong)).contacts)).toEqual(['similar: Anna Brauer'])
    await own.api.delete(`/api/v4/contacts/${id}`)
    expect((await find(own.api, 'Braurr', wrong)).contacts.items).toEqual([])
  })

  test('by no list of the interface, nor where it is not asked for', async () => {
    expect((await find(own.api, 'Schmitt')).contacts.items).toEqual([])
    const listed = async (query: string) => {
      const { body } = await own.api.get(`/api/v4/contacts?query=${query}`)
      return body?._embedded.contacts.length as number
    }
    expect([await listed('Schmitt'), await listed('Schmidt')]).toEqual([0, 1])
  })
})

test('letters that patterns know are letters', async () => {
  await addRecord(api, 'leads', { name: '100% wool_' })
  expect(shown((await find(api, '100% wool_')).leads)).toEqual(['name: 100% wool_'])
  expect((await find(api, '%%%')).leads.items).toEqual([])
  expect((await find(api, "'); drop table leads; --")).leads.items).toEqual([])
})

test.each([
  ['', 400],
  ['?q=', 400],
  ['?q=%20', 400],
  [`?q=${'x'.repeat(501)}`, 400],
  [`?q=${Array.from({ length: 21 }, (_, index) => `w${index}`).join('+')}`, 400],
  ['?q=x&types=catalogs', 400],
  ['?q=x&limit=21', 400],
  ['?q=x&limit=0', 400],
  ['?q=x&page=1', 400],
])('%s answers %i', async (query, status) => {
  expect((await api.get(path + query)).status).toBe(status)
})
