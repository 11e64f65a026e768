// The event log as the web application reads it: what the list of the interface has, with the names of
// what each event tells of.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { addLead, addLeads, addSeller } from '../../../../test/leads.ts'
import { addRecord } from '../../../../test/records.ts'

const path = '/web/v1/events'

interface Logged {
  event: {
    id: string
    type: string
    entity_id: number
    _embedded: { entity: { name?: string | null } }
  }
  linked?: object
  purchase?: object
  task?: object
}

async function logOf({ api }: TestAccount | TestUser, query = ''): Promise<Logged[]> {
  const { status, body } = await api.get(`${path}${query}`)
  expect(status).toBe(200)
  return body._embedded.events
}

/** The newest event of a type. */
const ofType = (events: Logged[], type: string) => events.find(({ event }) => event.type === type)

test('it has the events of the interface in their order, with the names of their records', async () => {
  const account = await newAccount()
  const { api } = account
  const lead = await addLead(api, { name: 'Pump order' })
  await api.patch(`/api/v4/leads/${lead}`, { price: 5 })
  await addRecord(api, 'companies', { name: 'Acme' })
  const log = await logOf(account)
  const listed = (await api.get('/api/v4/events?limit=100')).body._embedded.events
  expect(log.map(({ event }) => event.id)).toEqual(listed.map(({ id }: { id: string }) => id))
  expect(log.map(({ event }) => [event.type, event._embedded.entity.name])).toEqual([
    ['company_added', 'Acme'],
    ['sale_field_changed', 'Pump order'],
    ['lead_added', 'Pump order'],
  ])
})

test('a link names the other record, a purchase its price, a task its text and its record', async () => {
  const account = await newAccount()
  const { api } = account
  const lead = await addLead(api)
  const contact = await addRecord(api, 'contacts', { name: 'Ada' })
  await api.post(`/api/v4/leads/${lead}/link`, [
    { to_entity_id: contact, to_entity_type: 'contacts' },
  ])
  await api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: true })
  const customer = await addRecord(api, 'customers', { name: 'Regular' })
  await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 7, comment: 'Bolts' }])
  await api.post('/api/v4/tasks', [
    { text: 'Call', complete_till: 1, entity_id: lead, entity_type: 'leads' },
    { text: 'Alone', complete_till: 1 },
  ])
  const log = await logOf(account)
  expect(ofType(log, 'contact_linked')).toMatchObject({
    linked: { type: 'contacts', id: contact, name: 'Ada' },
  })
  expect(ofType(log, 'transaction_added')).toMatchObject({
    purchase: { price: 7, comment: 'Bolts' },
  })
  expect(log.filter(({ event }) => event.type === 'task_added').map(({ task }) => task)).toEqual([
    { text: 'Alone', record: null },
    { text: 'Call', record: { type: 'leads', id: lead } },
  ])
  expect(Object.keys(ofType(log, 'lead_added')!)).toEqual(['event'])
})

test('a user reads what happened to the records in view, and no name of another', async () => {
  const account = await newAccount()
  const seller = await addSeller(account, { view: 'M' })
  const [own, other] = await addLeads(account.api, [
    { name: 'Own', responsible_user_id: seller.id },
    { name: 'Other' },
  ])
  const company = await addRecord(account.api, 'companies', { name: 'Secret' })
  for (const lead of [own, other])
    await account.api.post(`/api/v4/leads/${lead}/link`, [
      { to_entity_id: company, to_entity_type: 'companies' },
    ])
  const log = await logOf(seller)
  expect([...new Set(log.map(({ event }) => event.entity_id))]).toEqual([own])
  expect(JSON.stringify(log)).not.toContain('Secret')
  expect(ofType(log, 'company_linked')!.linked).toBeUndefined()
  const stranger = await newAccount()
  expect(await logOf(stranger)).toEqual([])
})

test('a walk by the last event comes by every event once, while new ones arrive', async () => {
  const account = await newAccount()
  const { api } = account
  for (let batch = 0; batch < 3; batch++)
    await addLeads(
      api,
      Array.from({ length: 100 }, () => ({})),
    )
  const walked: string[] = []
  for (let query = ''; ;) {
    const { body } = await api.get(`${path}${query}`)
    walked.push(...body._embedded.events.map(({ event }: Logged) => event.id))
    if (!body.has_more) break
    expect(body._embedded.events).toHaveLength(100)
    await addLead(api)
    query = `?after=${walked.at(-1)}`
  }
  expect(walked).toHaveLength(300)
  expect(new Set(walked).size).toBe(300)
})

test('it takes the filters of the interface, and refuses what does not go together', async () => {
  const account = await newAccount()
  const { api } = account
  const [one] = await addLeads(api, [{}, {}])
  await api.patch(`/api/v4/leads/${one}`, { price: 9 })
  const ofOne = await logOf(account, `?filter[entity]=lead&filter[entity_id]=${one}`)
  expect(ofOne.map(({ event }) => event.type)).toEqual(['sale_field_changed', 'lead_added'])
  const ofPrice = await logOf(
    account,
    '?filter[type]=sale_field_changed&filter[value_after][value]=9',
  )
  expect(ofPrice).toHaveLength(1)
  for (const query of [
    `?filter[entity_id]=${one}`,
    '?filter[value_after][value]=9',
    '?filter[type]=nothing',
    '?filter[unknown]=1',
    '?limit=5',
    '?after=1',
  ])
    expect([query, (await api.get(path + query)).status]).toEqual([query, 400])
})
