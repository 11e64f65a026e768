import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'

test('a lead is created with a contact and a company, and all three know it', async () => {
  const { api } = await newAccount()
  const company = (await api.post('/api/v4/companies', [{ name: 'Firm' }])).body._embedded.companies[0]
  const made = await api.post('/api/v4/contacts', [
    { first_name: 'Ann', last_name: 'Lee', _embedded: { companies: [{ id: company.id }], tags: [{ name: 'vip' }] } },
  ])
  const contact = made.body._embedded.contacts[0]
  const lead = (
    await api.post('/api/v4/leads', [{ _embedded: { contacts: [{ id: contact.id }], companies: [{ id: company.id }] } }])
  ).body._embedded.leads[0]
  const read = await api.get(`/api/v4/leads/${lead.id}?with=contacts`)
  expect(read.body._embedded.contacts).toMatchObject([{ id: contact.id, is_main: true }])
  expect(read.body._embedded.companies).toMatchObject([{ id: company.id }])
  const back = await api.get(`/api/v4/contacts/${contact.id}?with=leads`)
  expect(back.body).toMatchObject({ name: 'Ann Lee', _embedded: { leads: [{ id: lead.id }], companies: [{ id: company.id }] } })
  const events = (await api.get('/api/v4/events')).body._embedded.events
  expect(
    events.map((event: { type: string; entity_type: string }) => `${event.entity_type} ${event.type}`).toReversed(),
  ).toEqual([
    'company company_added',
    'contact contact_added',
    'contact company_linked',
    'company contact_linked',
    'lead lead_added',
    'lead contact_linked',
    'lead company_linked',
    'contact lead_linked',
    'company lead_linked',
  ])
})

test('what is deleted lies in the bin until it is restored', async () => {
  const { api } = await newAccount()
  const [one, two] = (await api.post('/api/v4/companies', [{ name: 'One' }, { name: 'Two' }])).body._embedded.companies
  expect((await api.delete(`/api/v4/companies/${one.id}`)).status).toBe(204)
  expect((await api.get(`/api/v4/companies/${one.id}`)).status).toBe(404)
  const ids = async (query: string) =>
    (await api.get(`/api/v4/companies${query}`)).body._embedded.companies.map((each: { id: number }) => each.id)
  expect(await ids('')).toEqual([two.id])
  expect(await ids('?with=only_deleted')).toEqual([one.id])
  expect((await api.post(`/api/v4/companies/${one.id}/restore`)).body).toMatchObject({ name: 'One', is_deleted: false })
  expect(await ids('')).toEqual([one.id, two.id])
})
