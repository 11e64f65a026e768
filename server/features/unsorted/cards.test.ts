// Unsorted items as cards of the web application.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'

const metadata = { form_id: 'cb', form_name: 'Call back', service_code: 'shop' }

async function addForm({ api }: TestAccount, source_uid: string, _embedded: object) {
  const item = { source_name: 'Shop', source_uid, metadata, _embedded }
  const { body } = await api.post('/api/v4/leads/unsorted/forms', [item])
  return body._embedded.unsorted[0]
}

const cardsOf = async ({ api }: TestAccount) =>
  (await api.get('/web/v1/unsorted')).body._embedded.unsorted

const phone = { field_code: 'PHONE', values: [{ value: '+1 555 0100', enum_code: 'MOB' }] }

test('a card previews the contact, with its tags and its custom fields as answers show them', async () => {
  const account = await newAccount()
  const contact = {
    first_name: 'Ann',
    last_name: 'Lee',
    custom_fields_values: [phone],
    _embedded: { tags: [{ name: 'vip' }] },
  }
  const added = await addForm(account, 'a', { contacts: [contact], leads: [{ name: 'Order' }] })
  const [card] = await cardsOf(account)
  expect(card).toMatchObject({
    uid: added.uid,
    category: 'forms',
    lead_ids: [added._embedded.leads[0].id],
    contact_ids: [added._embedded.contacts[0].id],
    metadata,
    preview: { entity_type: 'contacts', name: 'Ann Lee', tags: ['vip'] },
  })
  expect(card.preview.custom_fields_values).toMatchObject([
    { field_code: 'PHONE', values: [{ value: '+1 555 0100', enum_code: 'MOB' }] },
  ])
})

test('without a contact it previews the lead as it is now', async () => {
  const account = await newAccount()
  const { api } = account
  const added = await addForm(account, 'a', { companies: [{ name: 'Acme' }] })
  expect((await cardsOf(account))[0].preview).toEqual({
    entity_type: 'leads',
    name: 'Call back',
    tags: [],
    custom_fields_values: null,
  })
  await api.patch(`/api/v4/leads/${added._embedded.leads[0].id}`, {
    name: 'Roof',
    _embedded: { tags: [{ name: 'site' }, { name: 'hot' }] },
  })
  expect((await cardsOf(account))[0].preview).toMatchObject({ name: 'Roof', tags: ['site', 'hot'] })
})

test('a field that was deleted since is on no card', async () => {
  const account = await newAccount()
  const { api } = account
  const made = await api.post('/api/v4/contacts/custom_fields', [{ name: 'Shoe', type: 'numeric' }])
  const { id } = made.body._embedded.custom_fields[0]
  const size = { field_id: id, values: [{ value: 43 }] }
  await addForm(account, 'a', { contacts: [{ name: 'Ann', custom_fields_values: [size, phone] }] })
  const shown = async () =>
    (await cardsOf(account))[0].preview.custom_fields_values.map(
      ({ field_id, field_code }: { field_id: number; field_code: string | null }) =>
        field_code ?? field_id,
    )
  expect(await shown()).toEqual(['PHONE', id])
  await api.delete(`/api/v4/contacts/custom_fields/${id}`)
  expect(await shown()).toEqual(['PHONE'])
})

test('only users to whom an unsorted status is open see cards, each those of their pipelines', async () => {
  const account = await newAccount()
  await addForm(account, 'a', {})
  const limited = await account.addUser()
  expect((await limited.api.get('/web/v1/unsorted')).status).toBe(403)
  const other = await newAccount()
  expect((await cardsOf(other)).length).toBe(0)
})
