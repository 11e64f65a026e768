// The company of an item whose contact, or whose contact and lead, exist already.
import { expect, test } from 'vitest'
import { addComplex, item, linksOf, person, phone, withControl } from '../../../test/complex.ts'
import { listen } from '../../../test/leads.ts'
import { addRecord, idsIn, readRecord } from '../../../test/records.ts'
import type { Client } from '../../../test/client.ts'

const ann = person(phone('1'))
const firms = async (api: Client) => idsIn(await api.get('/api/v4/companies'), 'companies')

test('a lead without a company gets the new one, and so does its contact', async () => {
  const { account, api } = await withControl()
  const [first] = await addComplex(api, item(ann))
  const newsSince = await listen(account)
  const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
  expect(made).toEqual({ ...first, company_id: expect.any(Number), merged: true })
  expect(await linksOf(api, made!)).toEqual({
    lead: { contacts: [[first!.contact_id, true]], companies: [made!.company_id] },
    contact: { leads: [first!.id], companies: [made!.company_id] },
    company: { leads: [first!.id], contacts: [first!.contact_id] },
  })
  const { journal, events } = await newsSince()
  expect(
    journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
  ).toEqual([
    ['companies', made!.company_id, ['add']],
    ['leads', first!.id, ['update']],
    ['contacts', first!.contact_id, ['update']],
  ])
  expect(events.map(({ entity_type, type }) => `${entity_type} ${type}`)).toEqual([
    'company company_added',
    'lead company_linked',
    'contact company_linked',
    'company lead_linked',
    'company contact_linked',
    'lead entity_merged',
  ])
})

test('a lead and a contact with a company keep it, and no other is made for nobody', async () => {
  const { account, api } = await withControl()
  const [first] = await addComplex(api, item(ann, { name: 'Acme' }))
  const newsSince = await listen(account)
  const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
  expect(made).toEqual({ ...first, merged: true })
  expect(await firms(api)).toEqual([first!.company_id])
  const { journal, events } = await newsSince()
  expect([journal, events.map(({ type }) => type)]).toEqual([[], ['entity_merged']])
})

test('whoever of the two has room gets the new one', async () => {
  const { api } = await withControl()
  const contact = await addRecord(api, 'contacts', ann)
  const [first] = await addComplex(api, item(ann))
  await api.post(`/api/v4/contacts/${contact}/link`, [
    { to_entity_id: await addRecord(api, 'companies'), to_entity_type: 'companies' },
  ])
  const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
  expect(made).toMatchObject({ id: first!.id, contact_id: contact, merged: true })
  expect(await linksOf(api, made!)).toMatchObject({
    lead: { companies: [made!.company_id] },
    company: { leads: [first!.id], contacts: [] },
  })
  expect(await firms(api)).toHaveLength(2)
})

test('of several items that go into one lead the first brings the company', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, item(ann))
  const [made, ...others] = await addComplex(
    api,
    item(ann),
    item(ann, { name: 'One' }),
    item(ann, { name: 'Two' }),
  )
  expect([made!.id, made!.request_id, others]).toEqual([first!.id, ['0', '1', '2'], []])
  expect(await firms(api)).toEqual([made!.company_id])
  expect((await readRecord(api, 'companies', made!.company_id!)).name).toBe('One')
})

test('one that is named by its id is linked where there is room, and stays as it is', async () => {
  const { api } = await withControl()
  const [one, two] = [
    await addRecord(api, 'companies', { name: 'One' }),
    await addRecord(api, 'companies', { name: 'Two' }),
  ]
  const [first] = await addComplex(api, item(ann))
  const [made] = await addComplex(api, item(ann, { id: one }))
  expect(made).toEqual({ ...first, company_id: one, merged: true })
  const [again] = await addComplex(api, item(ann, { id: two }))
  expect((await linksOf(api, again!)).lead.companies).toEqual([one])
  expect((await linksOf(api, { ...again!, company_id: two })).company).toEqual({
    leads: [],
    contacts: [],
  })
})

test('a new lead of a stored contact gets the new company; the contact keeps its own', async () => {
  const { api } = await withControl()
  const [first] = await addComplex(api, item(ann, { name: 'Acme' }))
  await api.patch(`/api/v4/leads/${first!.id}`, { status_id: 143 })
  const [made] = await addComplex(api, item(ann, { name: 'Other' }))
  expect(made).toMatchObject({ contact_id: first!.contact_id, merged: false })
  expect(await linksOf(api, made!)).toMatchObject({
    lead: { companies: [made!.company_id] },
    contact: { leads: [first!.id, made!.id], companies: [first!.company_id] },
    company: { contacts: [] },
  })
})
