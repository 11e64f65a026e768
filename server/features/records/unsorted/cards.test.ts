// Unsorted items as cards of the web application.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { mainPipeline } from '../../../../test/leads.ts'
import { addSorter, itemOf } from '../../../../test/unsorted.ts'

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

test('a card names the contacts with its phone or e-mail, and how many leads each has', async () => {
  const account = await newAccount()
  const { api } = account
  const addContact = async (name: string, values: object[], leads: number) => {
    const { body } = await api.post('/api/v4/contacts', [{ name, custom_fields_values: values }])
    const { id } = body._embedded.contacts[0]
    if (leads > 0)
      await api.post(
        '/api/v4/leads',
        Array.from({ length: leads }, () => ({
          name: 'A lead',
          _embedded: { contacts: [{ id }] },
        })),
      )
    return id as number
  }
  const mail = { field_code: 'EMAIL', values: [{ value: 'Ivan@Example.com' }] }
  const byPhone = await addContact('Ivan Petrov', [phone], 2)
  const byMail = await addContact('I. Petrov', [mail], 0)
  const gone = await addContact('Gone', [phone], 0)
  await api.delete(`/api/v4/contacts/${gone}`)
  const draft = {
    name: 'Ivan',
    custom_fields_values: [
      { field_code: 'PHONE', values: [{ value: '15550100' }] },
      { field_code: 'EMAIL', values: [{ value: 'ivan@example.com' }] },
    ],
  }
  await addForm(account, 'a', { contacts: [draft] })
  await addForm(account, 'b', { contacts: [{ name: 'Somebody else' }] })
  const [one, other] = await cardsOf(account)
  expect(one.same_contacts).toEqual([
    { id: byPhone, name: 'Ivan Petrov', leads: 2 },
    { id: byMail, name: 'I. Petrov', leads: 0 },
  ])
  expect(other.same_contacts).toEqual([])
  // One who sees only own contacts learns of no other.
  const limited = await addSorter(account, { view: 'A' }, { contacts: { view: 'M' } })
  const shown = (await limited.api.get('/web/v1/unsorted')).body._embedded.unsorted
  expect(shown.map(({ same_contacts }: { same_contacts: object[] }) => same_contacts)).toEqual([
    [],
    [],
  ])
})

test('waiting items are counted by category, for those to whom the unsorted status is open', async () => {
  const account = await newAccount()
  const { id } = await mainPipeline(account)
  const countsFor = async ({ api }: Pick<TestAccount, 'api'>) =>
    (await api.get(`/web/v1/unsorted/counts?pipeline_id=${id}`)).body.unsorted
  expect(await countsFor(account)).toEqual({ count: 0, categories: {} })
  await addForm(account, 'a', {})
  await addForm(account, 'b', {})
  await account.api.post('/api/v4/leads/unsorted/sip', [itemOf('sip')])
  const counts = { count: 3, categories: { forms: 2, sip: 1 } }
  expect(await countsFor(account)).toEqual(counts)
  expect(await countsFor(await addSorter(account, { view: 'A' }))).toEqual(counts)
  expect(await countsFor(await addSorter(account, {}))).toBeNull()
  expect(await countsFor(await newAccount())).toBeNull()
})
