// The events of complex creation: each new record once, each link at both ends, and each existing
// record that it changed.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addComplex, item, phone } from '../../../test/complex.ts'
import { listen } from '../../../test/leads.ts'
import { addRecord, readRecord } from '../../../test/records.ts'
import type { Singular } from '../../entity-types.ts'

const link = (type: Singular, id: number | null) => [{ link: { entity: { type, id } } }]
const note = [{ note: { id: expect.any(Number) } }]
const plain = (events: Record<string, unknown>[]) =>
  events.map((event) => [
    event['entity_type'],
    event['entity_id'],
    event['type'],
    event['value_before'],
    event['value_after'],
  ])

test('three new records are told as added, and of their links at both ends', async () => {
  const account = await newAccount()
  const user = await account.addUser()
  const newsSince = await listen(account)
  const [made] = await addComplex(
    user.api,
    item({ custom_fields_values: [phone('1')] }, {}, {}, { tags: [{ name: 'web' }] }),
  )
  const { id, contact_id, company_id } = made!
  const { journal, events } = await newsSince()
  expect(journal).toMatchObject([
    { entity_type: 'leads', entity_id: id, actions: ['add'], before: null, created_by: user.id },
    {
      entity_type: 'contacts',
      entity_id: contact_id,
      actions: ['add'],
      before: null,
      created_by: user.id,
    },
    {
      entity_type: 'companies',
      entity_id: company_id,
      actions: ['add'],
      before: null,
      created_by: user.id,
    },
  ])
  expect(plain(events)).toEqual([
    ['lead', id, 'lead_added', [], note],
    ['contact', contact_id, 'contact_added', [], note],
    ['company', company_id, 'company_added', [], note],
    ['lead', id, 'contact_linked', [], link('contact', contact_id)],
    ['lead', id, 'company_linked', [], link('company', company_id)],
    ['contact', contact_id, 'lead_linked', [], link('lead', id)],
    ['contact', contact_id, 'company_linked', [], link('company', company_id)],
    ['company', company_id, 'lead_linked', [], link('lead', id)],
    ['company', company_id, 'contact_linked', [], link('contact', contact_id)],
  ])
  expect(events.every(({ created_by }) => created_by === user.id)).toBe(true)
})

test('what was there is touched and told as changed, once for all its links', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const contact = await addRecord(api, 'contacts', { updated_at: 5, updated_by: 0 })
  const company = await addRecord(api, 'companies', { updated_at: 6, updated_by: 0 })
  const newsSince = await listen(account)
  const [one, two] = await addComplex(
    api,
    item({ id: contact }, { id: company }),
    item({ id: contact }),
  )
  const { journal, events } = await newsSince()
  expect(journal).toMatchObject([
    { entity_type: 'leads', entity_id: one!.id, actions: ['add'] },
    { entity_type: 'leads', entity_id: two!.id, actions: ['add'] },
    {
      entity_type: 'contacts',
      entity_id: contact,
      actions: ['update'],
      before: { updated_at: 5, updated_by: 0 },
    },
    {
      entity_type: 'companies',
      entity_id: company,
      actions: ['update'],
      before: { updated_at: 6, updated_by: 0 },
    },
  ])
  expect(plain(events)).toEqual([
    ['lead', one!.id, 'lead_added', [], note],
    ['lead', two!.id, 'lead_added', [], note],
    ['lead', one!.id, 'contact_linked', [], link('contact', contact)],
    ['lead', one!.id, 'company_linked', [], link('company', company)],
    ['lead', two!.id, 'contact_linked', [], link('contact', contact)],
    ['contact', contact, 'lead_linked', [], link('lead', one!.id)],
    ['contact', contact, 'company_linked', [], link('company', company)],
    ['contact', contact, 'lead_linked', [], link('lead', two!.id)],
    ['company', company, 'lead_linked', [], link('lead', one!.id)],
    ['company', company, 'contact_linked', [], link('contact', contact)],
  ])
  const { updated_at } = await readRecord(api, 'leads', one!.id)
  expect(await readRecord(api, 'contacts', contact)).toMatchObject({
    updated_at,
    updated_by: admin.id,
  })
  expect(await readRecord(api, 'companies', company)).toMatchObject({
    updated_at,
    updated_by: admin.id,
  })
})

test('a lead alone is told as added and nothing else', async () => {
  const account = await newAccount()
  const newsSince = await listen(account)
  const [made] = await addComplex(account.api, { price: 3 })
  const { journal, events } = await newsSince()
  expect(journal.map(({ entity_id, actions }) => [entity_id, actions])).toEqual([
    [made!.id, ['add']],
  ])
  expect(plain(events)).toEqual([['lead', made!.id, 'lead_added', [], note]])
})
