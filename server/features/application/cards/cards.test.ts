// The card of a record: what it shows of the record and of its links, and to whom.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { mainPipeline } from '../../../../test/leads.ts'
import { addCatalog, link, to, toElement } from '../../../../test/links.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  pathOf,
  readRecord,
} from '../../../../test/records.ts'
import type { RecordType } from '../../../records/description.ts'

const cardOf = (api: Client, type: RecordType, id: number) => api.get(`/web/v1/cards/${type}/${id}`)

async function readCard(api: Client, type: RecordType, id: number) {
  const { status, body } = await cardOf(api, type, id)
  expect(status).toBe(200)
  return body
}

const empty = { items: [], is_more: false }
const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id)

const reach = (field_code: string, value: string, enum_code: string) => ({
  field_code,
  values: [{ value, enum_code }],
})
const reached = (phone: string, email: string) => ({
  custom_fields_values: [reach('PHONE', phone, 'MOB'), reach('EMAIL', email, 'PRIV')],
})

/** A user who may view all records but these, and edit none. */
const without = (type: string) => ({
  rights: {
    leads: { view: 'A', edit: 'M', add: 'D', delete: 'M', export: 'D' },
    contacts: { view: 'A', edit: 'D', add: 'D', delete: 'D', export: 'D' },
    companies: { view: 'A', edit: 'D', add: 'D', delete: 'D', export: 'D' },
    [type]: { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' },
  } as never,
})

describe.for(allKinds)('a card of %s', (type) => {
  test('shows the record as it is read alone', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, type, { name: 'Pump "is_deleted":false' })
    const { record, may, deleted, entered_at, ...lists } = await readCard(api, type, id)
    const alone = await readRecord(api, type, id, 'with=loss_reason,source,group_id')
    expect(record).toMatchObject(alone)
    expect([may, deleted]).toEqual([{ edit: true, delete: true, restore: false }, null])
    expect(entered_at).toBe(type === 'leads' ? record.created_at : null)
    expect(lists).toEqual({
      leads: empty,
      contacts: empty,
      companies: empty,
      customers: empty,
      elements: empty,
    })
  })

  test('is read-only in the bin and says who put it there, and when', async () => {
    const { api, admin, addUser } = await newAccount()
    const id = await addRecord(api, type)
    const contact = type === 'contacts' ? undefined : await addRecord(api, 'contacts')
    if (contact) await link(api, type, id, to('contacts', contact))
    await api.delete(`${pathOf(type)}/${id}`)
    const { record, may, deleted, contacts } = await readCard(api, type, id)
    expect([record.id, record.is_deleted]).toEqual([id, true])
    expect(may).toEqual({ edit: false, delete: false, restore: true })
    expect(deleted).toEqual({ at: record.updated_at, by: admin.id })
    expect(idsOf(contacts)).toEqual(contact ? [contact] : [])
    const reader = await addUser({ rights: without('tasks').rights })
    const seen = await readCard(reader.api, type, id)
    expect(seen.may).toEqual({ edit: false, delete: false, restore: false })
    await api.post(`${pathOf(type)}/${id}/restore`)
    expect((await readCard(api, type, id)).deleted).toBeNull()
  })

  test('is not found where there is none, and refused where the caller may not view it', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, type)
    const alien = await newAccount()
    expect((await cardOf(alien.api, type, id)).status).toBe(404)
    expect((await cardOf(account.api, type, id + 1_000_000)).status).toBe(404)
    const own = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'D' } as const
    const user = await account.addUser({ rights: { leads: own, contacts: own, companies: own } })
    expect((await cardOf(user.api, type, id)).status).toBe(403)
    const mine = await addRecord(user.api, type)
    expect((await readCard(user.api, type, mine)).may).toMatchObject({ edit: true, delete: true })
    const none = await addUserWith(account, type, { view: 'D' })
    expect((await cardOf(none.api, type, id)).status).toBe(403)
    await account.api.delete(`${pathOf(type)}/${id}`)
    expect((await cardOf(user.api, type, id)).status).toBe(403)
  })
})

test('a lead shows its contacts with the main one first, its company and its products', async () => {
  const { api, addUser } = await newAccount()
  const company = await addRecord(api, 'companies', {
    name: 'Acme',
    ...reached('+1 555 0100', 'office@acme.example'),
  })
  const [ann, ben] = (await addRecords(api, 'contacts', [
    { name: 'Ann', ...reached('+1 555 0101', 'ann@acme.example') },
    { name: 'Ben' },
  ])) as [number, number]
  const goods = await addCatalog(api, { type: 'products' })
  const fields = (await api.get(`/api/v4/catalogs/${goods}/custom_fields`)).body._embedded
  const price = fields.custom_fields.find(({ code }: { code: string }) => code === 'PRICE').id
  const made = await api.post(`/api/v4/catalogs/${goods}/custom_fields`, [
    { name: 'Wholesale', type: 'price' },
  ])
  const wholesale = made.body._embedded.custom_fields[0].id
  const priced = (one: number, other: number) => ({
    custom_fields_values: [
      { field_id: price, values: [{ value: one }] },
      { field_id: wholesale, values: [{ value: other }] },
    ],
  })
  const added = await api.post(`/api/v4/catalogs/${goods}/elements`, [
    { name: 'Lamp', ...priced(12.5, 10) },
    { name: 'Shelf', ...priced(80, 70) },
    { name: 'Gift' },
  ])
  const [lamp, shelf, gift] = added.body._embedded.elements.map(({ id }: { id: number }) => ({
    catalog: goods,
    id,
  }))
  const id = await addRecord(api, 'leads')
  await link(api, 'leads', id, to('contacts', ben), to('contacts', ann, { is_main: true }))
  await link(api, 'leads', id, to('companies', company))
  await link(api, 'leads', id, toElement(shelf, { quantity: 2, price_id: wholesale }))
  await link(api, 'leads', id, toElement(lamp, { quantity: 1.5 }), toElement(gift))

  const card = await readCard(api, 'leads', id)
  const mine = { responsible_user_id: card.record.responsible_user_id, may_edit: true }
  expect(card.contacts).toEqual({
    items: [
      {
        id: ann,
        name: 'Ann',
        is_main: true,
        phones: [{ value: '+1 555 0101', enum_code: 'MOB' }],
        emails: [{ value: 'ann@acme.example', enum_code: 'PRIV' }],
        ...mine,
      },
      { id: ben, name: 'Ben', is_main: false, phones: [], emails: [], ...mine },
    ],
    is_more: false,
  })
  expect(card.companies.items).toEqual([
    {
      id: company,
      name: 'Acme',
      phones: [{ value: '+1 555 0100', enum_code: 'MOB' }],
      emails: [{ value: 'office@acme.example', enum_code: 'PRIV' }],
      may_edit: true,
    },
  ])
  const element = { catalog_id: goods, price_id: null }
  const pricesOf = (one: number, other: number) => [
    { price_id: price, name: 'Price', price: one },
    { price_id: wholesale, name: 'Wholesale', price: other },
  ]
  expect(card.elements.items).toEqual([
    {
      ...element,
      id: shelf.id,
      name: 'Shelf',
      quantity: 2,
      price: 70,
      price_id: wholesale,
      prices: pricesOf(80, 70),
    },
    {
      ...element,
      id: lamp.id,
      name: 'Lamp',
      quantity: 1.5,
      price: 12.5,
      prices: pricesOf(12.5, 10),
    },
    { ...element, id: gift.id, name: 'Gift', quantity: 1, price: null, prices: [] },
  ])
  // A price whose field is deleted is none, and the first price of the catalog stands in.
  await api.delete(`/api/v4/catalogs/${goods}/custom_fields/${wholesale}`)
  const [first] = (await readCard(api, 'leads', id)).elements.items
  expect(first).toMatchObject({ price: 80, price_id: null })

  const user = await addUser(without('contacts'))
  const seen = await readCard(user.api, 'leads', id)
  expect([seen.contacts, seen.elements]).toEqual([empty, empty])
  expect(seen.companies.items).toMatchObject([{ name: 'Acme', may_edit: false }])
})

test('a contact shows its leads with the open ones first, and its customers', async () => {
  const { api, addUser, ...account } = await newAccount()
  const contact = await addRecord(api, 'contacts')
  const { statuses, id: pipeline_id } = await mainPipeline({ api, ...account } as never)
  const linked = { _embedded: { contacts: [{ id: contact }] } }
  const user = await addUser({
    rights: {
      leads: { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'D' },
      contacts: { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' },
    },
  })
  const [old, , won, gone] = (await addRecords(api, 'leads', [
    { name: 'Old', price: 5, responsible_user_id: user.id, ...linked },
    { name: 'New', ...linked },
    { name: 'Won', status_id: 142, ...linked },
    { name: 'Gone', ...linked },
  ])) as [number, number, number, number]
  await api.delete(`/api/v4/leads/${gone}`)
  const buyer = await addRecord(api, 'customers', { name: 'Nord', ...linked })
  await api.post(`/api/v4/customers/${buyer}/transactions`, [
    { price: 40, next_date: 2_100_000_000 },
  ])
  const card = await readCard(api, 'contacts', contact)
  expect(card.leads.items.map(({ name }: { name: string }) => name)).toEqual(['New', 'Old', 'Won'])
  expect(card.leads.items[1]).toEqual({
    id: old,
    name: 'Old',
    price: 5,
    pipeline_id,
    status_id: statuses[0],
    responsible_user_id: user.id,
    is_deleted: false,
  })
  expect(card.leads.items[2].id).toBe(won)
  expect(card.customers.items).toEqual([
    { id: buyer, name: 'Nord', ltv: 40, next_date: 2_100_000_000, purchases_count: 1 },
  ])
  const seen = await readCard(user.api, 'contacts', contact)
  expect([idsOf(seen.leads), seen.customers]).toEqual([[old], empty])
})

test('fifty of many linked records are shown, and that there are more', async () => {
  const { api, addUser } = await newAccount()
  const company = await addRecord(api, 'companies')
  const linked = { _embedded: { companies: [{ id: company }] } }
  const fifty = await addRecords(
    api,
    'contacts',
    Array.from({ length: 50 }, () => linked),
  )
  const { contacts } = await readCard(api, 'companies', company)
  expect([idsOf(contacts), contacts.is_more]).toEqual([fifty.toReversed(), false])
  await addRecord(api, 'contacts', linked)
  const after = (await readCard(api, 'companies', company)).contacts
  expect([after.items.length, after.is_more]).toEqual([50, true])
  // Where more links exist than are looked at, those that the caller may view may lie behind them.
  const user = await addUser({
    rights: {
      companies: { view: 'A', edit: 'D', add: 'D', delete: 'D', export: 'D' },
      contacts: { view: 'M', edit: 'D', add: 'D', delete: 'D', export: 'D' },
    },
  })
  expect((await readCard(user.api, 'companies', company)).contacts).toEqual(empty)
  for (let batch = 0; batch < 2; batch += 1)
    await addRecords(
      api,
      'contacts',
      Array.from({ length: 225 }, () => linked),
    )
  expect((await readCard(user.api, 'companies', company)).contacts).toEqual({
    items: [],
    is_more: true,
  })
})

test('links to records of another account are never shown', async () => {
  const [ours, theirs] = [await newAccount(), await newAccount()]
  const lead = await addRecord(ours.api, 'leads')
  const contact = await addRecord(theirs.api, 'contacts')
  await ours.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id)
      values (${ours.id}, 'leads', ${lead}, 'contacts', ${contact})`),
  )
  expect((await readCard(ours.api, 'leads', lead)).contacts).toEqual(empty)
})

describe('the users who may not view a record', () => {
  const nonViewers = (api: Client, type: RecordType, id: number) =>
    api.get(`/web/v1/cards/${type}/${id}/non-viewers`)

  test.for(allKinds)('are named by their ids, for one of the %s', async (type) => {
    const account = await newAccount()
    const of = (view: string) => ({
      rights: Object.fromEntries(
        ['leads', 'contacts', 'companies'].map((each) => [
          each,
          { view, edit: 'D', add: 'D', delete: 'D', export: 'D' },
        ]),
      ),
    })
    const group = (await account.api.post('/web/v1/groups', { name: 'North' })).body.id as number
    const ann = await account.addUser({ ...of('G'), group_id: group })
    const bob = await account.addUser({ ...of('M'), group_id: group })
    const cleo = await account.addUser(of('A'))
    const dan = await account.addUser(of('D'))
    const gone = await account.addUser(of('D'))
    await account.api.post('/api/v4/users/deactivate', [{ id: gone.id }])
    await (await newAccount()).addUser(of('D'))
    const id = await addRecord(account.api, type, { responsible_user_id: ann.id })
    const named = async (api: Client) => (await nonViewers(api, type, id)).body.user_ids
    expect(await named(account.api)).toEqual([bob.id, dan.id])
    expect(await named(cleo.api)).toEqual([bob.id, dan.id])
    expect((await nonViewers(bob.api, type, id)).status).toBe(403)
    await account.api.patch(`/api/v4/${type}/${id}`, { responsible_user_id: bob.id })
    expect(await named(bob.api)).toEqual([dan.id])
  })

  test('follow the rights to a status, which override the level', async () => {
    const account = await newAccount()
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const [first, second] = statuses
    const status = (view: 'A' | 'D') => ({
      entity_type: 'leads' as const,
      pipeline_id,
      status_id: first,
      rights: { view, edit: 'D', delete: 'D' } as const,
    })
    const levels = (view: 'A' | 'D') =>
      ({ view, edit: 'D', add: 'D', delete: 'D', export: 'D' }) as const
    const add = (usual: 'A' | 'D', atFirst: 'A' | 'D') =>
      account.addUser({ rights: { leads: levels(usual), status_rights: [status(atFirst)] } })
    const ann = await add('A', 'D')
    const bob = await add('D', 'A')
    const id = await addRecord(account.api, 'leads', { status_id: first })
    const named = async () => (await nonViewers(account.api, 'leads', id)).body.user_ids
    expect(await named()).toEqual([ann.id])
    await account.api.patch(`/api/v4/leads/${id}`, { status_id: second })
    expect(await named()).toEqual([bob.id])
  })

  test('are told neither to another account nor about a record that is not there', async () => {
    const [ours, theirs] = [await newAccount(), await newAccount()]
    const id = await addRecord(ours.api, 'leads')
    expect((await nonViewers(theirs.api, 'leads', id)).status).toBe(404)
    expect((await nonViewers(ours.api, 'leads', 999_999_999)).status).toBe(404)
  })
})
