// Duplicate control: where it is on, which stored contact and which of its leads take the place of new ones, and which do not.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addFields, valueOf } from '../../../test/fields.ts'
import {
  addComplex,
  email,
  item,
  linksOf,
  path,
  person,
  phone,
  withControl,
} from '../../../test/complex.ts'
import {
  addLead,
  addPipeline,
  faultsOf,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../test/leads.ts'
import { anotherIntegration } from '../../../test/origins.ts'
import { admin } from '../../../test/plans.ts'
import { addRecord, addRecords, idsIn } from '../../../test/records.ts'
import { contactsLike } from './queries.ts'

const ann = item(person(phone('+1 (555) 0100'), email('Ann@X.example')))

test('a stored contact with the phone or the e-mail, and its open lead, take the place of new ones', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, ann)
  expect(first).toMatchObject({ merged: false })
  const same = [
    phone('15550100'),
    phone('+1-555-01-00'),
    email('ANN@x.EXAMPLE'),
    email('other@x.example', 'ann@x.example'),
  ]
  for (const field of same) {
    const [made] = await addComplex(api, { ...item(person(field)), request_id: 'again' })
    expect(made).toEqual({ ...first, request_id: ['again'], merged: true })
  }
  expect((await linksOf(api, first!)).lead).toEqual({
    contacts: [[first!.contact_id, true]],
    companies: [],
  })
  expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([first!.contact_id])
  expect(idsIn(await api.get('/api/v4/leads'), 'leads')).toEqual([first!.id])
})

test.for<[string, object]>([
  ['another phone', item(person(phone('15550101')))],
  ['a phone in the field of e-mails', item(person(email('15550100')))],
  ['a longer e-mail', item(person(email('joann@x.example')))],
  ['no phone and no e-mail', item({ name: 'Ann' })],
  ['a phone without a digit', item(person(phone('unknown')))],
  ['a company with the phone', item(undefined, person(phone('15550100')))],
  ['no contact', {}],
])('%s is no match', async ([, draft]) => {
  const { api } = await withControl()
  const nobody = await addRecord(api, 'contacts', person(phone('unknown')))
  const [first] = await addComplex(api, ann)
  const [other] = await addComplex(api, draft)
  expect(other!.merged).toBe(false)
  expect([first!.contact_id, nobody]).not.toContain(other!.contact_id)
})

test('a company with the phone is not the contact', async () => {
  const { api } = await withControl()
  await addRecord(api, 'companies', person(phone('15550100')))
  const [made] = await addComplex(api, ann)
  expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([made!.contact_id])
})

test('it is off by default, for other integrations, for tokens of the server, and in other pipelines', async () => {
  const { account, api, pipeline, control } = await withControl()
  const other = await addPipeline(account)
  const [first] = await addComplex(api, ann)
  for (const caller of [account.api, await anotherIntegration(account)]) {
    const [made] = await addComplex(caller, ann)
    expect([made!.merged, made!.contact_id === first!.contact_id]).toEqual([false, false])
    await caller.delete(`/api/v4/contacts/${made!.contact_id}`)
  }
  const [elsewhere] = await addComplex(api, { ...ann, pipeline_id: other.id })
  expect([elsewhere!.merged, elsewhere!.contact_id === first!.contact_id]).toEqual([false, false])
  await api.delete(`/api/v4/contacts/${elsewhere!.contact_id}`)
  // The pipeline is that of the status, too, and each is looked through by itself.
  await control(pipeline, other.id)
  const [there] = await addComplex(api, { ...ann, status_id: other.statuses[1] })
  expect(there).toMatchObject({ merged: false, contact_id: first!.contact_id })
  const again = await addComplex(api, { ...ann, status_id: other.statuses[2] }, ann)
  expect(again.map(({ id, merged }) => [id, merged])).toEqual([
    [there!.id, true],
    [first!.id, true],
  ])
  expect(await readLead(api, there!.id)).toMatchObject({ status_id: other.statuses[1] })
  await control()
  expect((await addComplex(api, ann))[0]).toMatchObject({ merged: false })
})

test('another account does not hear of it', async () => {
  const [one, two] = [await withControl(), await withControl()]
  const [theirs] = await addComplex(one.api, ann)
  const [ours] = await addComplex(two.api, ann)
  expect([ours!.merged, ours!.contact_id === theirs!.contact_id]).toEqual([false, false])
})

test('of up to three contacts the oldest is taken, of four none', async () => {
  const { account, api } = await withControl()
  const same = person(phone('15550100'))
  const ids = await addRecords(account.api, 'contacts', [
    same,
    { ...same, created_at: 5 },
    person(email('ann@x.example')),
  ])
  const [made] = await addComplex(api, ann)
  expect(made).toMatchObject({ merged: false, contact_id: ids[0] })
  const fourth = await addRecord(
    account.api,
    'contacts',
    person(email('ann@x.example'), phone('1 555 0100')),
  )
  const [fifth] = await addComplex(api, ann)
  expect(fifth!.merged).toBe(false)
  expect([...ids, fourth]).not.toContain(fifth!.contact_id)
  // One contact that has both counts once.
  for (const id of [fifth!.contact_id, fourth, ids[2]]) await api.delete(`/api/v4/contacts/${id}`)
  expect((await addComplex(api, ann))[0]).toMatchObject({
    merged: true,
    id: made!.id,
    contact_id: ids[0],
  })
})

test('a contact in the bin is nobody, and neither is one whose phone is gone', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, ann)
  await api.delete(`/api/v4/contacts/${first!.contact_id}`)
  const [second] = await addComplex(api, ann)
  expect([second!.merged, second!.contact_id === first!.contact_id]).toEqual([false, false])
  await api.patch(`/api/v4/contacts/${second!.contact_id}`, {
    custom_fields_values: [phone('1'), email('a@b.example')],
  })
  const [third] = await addComplex(api, ann)
  expect([third!.merged, third!.contact_id === second!.contact_id]).toEqual([false, false])
})

test('the newest open lead of the contact is taken, and none that is closed, unsorted, in the bin or elsewhere', async () => {
  const { account, api } = await withControl()
  const { unsorted } = await mainPipeline(account)
  const other = await addPipeline(account)
  const [first] = await addComplex(api, ann)
  const contacts = [{ id: first!.contact_id }]
  const leadOf = (draft: object = {}) => addLead(api, { ...draft, _embedded: { contacts } })
  const newest = await leadOf()
  await leadOf({ status_id: won })
  await leadOf({ pipeline_id: other.id })
  await api.delete(`/api/v4/leads/${await leadOf()}`)
  await addLead(api, {})
  expect((await addComplex(api, ann))[0]).toMatchObject({ merged: true, id: newest })
  await api.patch(`/api/v4/leads/${newest}`, { status_id: lost })
  expect((await addComplex(api, ann))[0]).toMatchObject({ merged: true, id: first!.id })
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update leads set status_id = ${unsorted} where account_id = ${account.id} and id = ${first!.id}`,
    ),
  )
  const [last] = await addComplex(api, ann)
  expect(last).toMatchObject({ merged: false, contact_id: first!.contact_id })
  expect((await linksOf(api, last!)).lead.contacts).toEqual([[first!.contact_id, true]])
})

test('a contact that is named by its id is no new one', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, ann)
  const [made] = await addComplex(api, item({ id: first!.contact_id! }))
  expect(made).toMatchObject({ merged: false, contact_id: first!.contact_id })
})

test('only what is stored counts, and items that go into one lead are one element at the place of the first', async () => {
  const { api } = await withControl()
  const twins = await addComplex(api, ann, ann)
  expect(twins.map(({ merged }) => merged)).toEqual([false, false])
  expect(twins[0]!.contact_id).not.toBe(twins[1]!.contact_id)
  const calls = [{ ...ann, request_id: 'a' }, { request_id: 'b' }, { ...ann, request_id: 'c' }]
  const made = await addComplex(api, ...calls, item(person(phone('7')), {}, { request_id: 'd' }))
  expect(made.map(({ request_id, merged }) => [request_id, merged])).toEqual([
    [['a', 'c'], true],
    [['b'], false],
    [['d'], false],
  ])
  expect(made[0]).toMatchObject({ id: twins[0]!.id, contact_id: twins[0]!.contact_id })
})

test('nothing is merged by a batch that is refused', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, ann)
  const before = await readLead(api, first!.id)
  const refused = await api.post('/api/v4/leads/complex', [
    { ...ann, price: 5 },
    { status_id: 999_999_999 },
  ])
  expect(refused.status).toBe(400)
  expect(await readLead(api, first!.id)).toEqual(before)
})

test('a stored contact that would become too heavy refuses the batch', async () => {
  const { account, api } = await withControl()
  const fields = await addFields(
    account,
    'contacts',
    Array.from({ length: 5 }, () => ({ type: 'textarea' as const })),
  )
  const filled = fields.map((field) => valueOf(field, { value: 'x'.repeat(60_000) }))
  const [first] = await addComplex(api, item(person(phone('15550100'), ...filled.slice(0, 4))))
  const before = (await api.get(`/api/v4/contacts/${first!.contact_id}`)).body
  const refused = await api.post(path, [
    { ...item(person(phone('15550101'))), request_id: 'light' },
    { ...item(person(phone('15550100'), filled[4]!)), request_id: 'heavy' },
  ])
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    { heavy: ['TooLong _embedded.contacts.0.custom_fields_values'] },
  ])
  expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([first!.contact_id])
  expect((await api.get(`/api/v4/contacts/${first!.contact_id}`)).body).toEqual(before)
})

test('four contacts of each item at most are answered', async () => {
  const { id: accountId, api, kontor } = await newAccount()
  const drafts = [...Array.from({ length: 6 }, () => person(phone('100'))), person(phone('105'))]
  await addRecords(api, 'contacts', drafts)
  const field = await kontor.database.row<{ field_id: number }>(
    sql`select field_id from field_texts where account_id = ${accountId} limit 1`,
  )
  const keys = ['100', '105', 'no'].map((value, place) => ({ place, ...field!, value }))
  const found = await kontor.database.list<{ place: number }>(
    contactsLike({ ...admin, accountId }, keys, [0, 1, 2]),
  )
  expect(found.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 1])
})
