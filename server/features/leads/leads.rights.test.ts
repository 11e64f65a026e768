// The leads that users may view and change: A all, G those of the user's group, M the user's own, D
// none.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestUser } from '../../../test/account.ts'
import type { RightLevel } from '../../access/rights.ts'
import { addGroup, addLead, addLeads, addSeller, listen, readLead } from '../../../test/leads.ts'

const path = '/api/v4/leads'

/**
 * An account with a seller who has these rights, and three leads: the seller's own, one of a
 * colleague in the same group, and one of another group.
 */
async function shop(leads: Partial<Record<'view' | 'edit' | 'add', RightLevel>>) {
  const account = await newAccount()
  const group_id = await addGroup(account)
  const seller = await addSeller(account, leads, group_id)
  const colleague = await account.addUser({ group_id })
  const [own, groups, others] = await addLeads(account.api, [
    { name: 'own', responsible_user_id: seller.id },
    { name: 'group', responsible_user_id: colleague.id },
    { name: 'other' },
  ])
  return { account, seller, colleague, ids: { own: own!, group: groups!, other: others! } }
}

async function listed({ api }: TestUser, query = '') {
  const { body } = await api.get(`${path}?${query}`)
  return body._embedded.leads.map(({ name }: { name: string }) => name)
}

const names = ['own', 'group', 'other'] as const

test.for([
  ['A', ['own', 'group', 'other']],
  ['G', ['own', 'group']],
  ['M', ['own']],
] as const)('with the right %s to view, these are seen: %s', async ([view, visible]) => {
  const { seller, ids } = await shop({ view })
  expect(await listed(seller)).toEqual(visible)
  for (const name of names)
    expect((await seller.api.get(`${path}/${ids[name]}`)).status).toBe(
      (visible as readonly string[]).includes(name) ? 200 : 403,
    )
  const { events } = (await seller.api.get('/api/v4/events')).body._embedded
  expect(events.map(({ entity_id }: { entity_id: number }) => entity_id)).toEqual(
    visible.map((name) => ids[name]).toReversed(),
  )
})

test('without the right to view, leads are forbidden and events are empty', async () => {
  const { account, seller, ids } = await shop({ view: 'D', edit: 'A', add: 'A' })
  expect((await seller.api.get(path)).status).toBe(403)
  expect((await seller.api.get(`${path}/${ids.own}`)).status).toBe(403)
  expect((await seller.api.get('/api/v4/events')).body._embedded.events).toEqual([])
  const [event] = (await account.api.get('/api/v4/events')).body._embedded.events
  expect((await seller.api.get(`/api/v4/events/${event.id}`)).status).toBe(404)
  expect((await account.api.get(`/api/v4/events/${event.id}`)).status).toBe(200)
})

test('no filter, no order and no page shows more than the right to view', async () => {
  const { account, seller, ids } = await shop({ view: 'M' })
  for (const query of [
    `filter[id][]=${ids.own}&filter[id][]=${ids.group}&filter[id][]=${ids.other}`,
    'filter[name][]=own&filter[name][]=other',
    `filter[responsible_user_id][]=${account.admin.id}&filter[responsible_user_id][]=${seller.id}`,
    'filter[price][from]=0&order[created_at]=desc',
    'limit=1&page=1',
  ])
    expect(await listed(seller, query)).toEqual(['own'])
  expect(await listed(seller, `filter[id]=${ids.other}`)).toEqual([])
  expect((await seller.api.get(`${path}?limit=1`)).body._links.next).toBeUndefined()
})

test.for([
  ['A', ['own', 'group', 'other']],
  ['G', ['own', 'group']],
  ['M', ['own']],
  ['D', []],
] as const)(
  'with the right %s to edit, these are changed, alone and in a batch: %s',
  async ([edit, editable]) => {
    const { account, seller, ids } = await shop({ view: 'A', edit })
    const allowed = editable as readonly string[]
    for (const name of names) {
      const expected = allowed.includes(name) ? 200 : 403
      const newsSince = await listen(account)
      expect((await seller.api.patch(`${path}/${ids[name]}`, { price: 5 })).status).toBe(expected)
      expect((await seller.api.patch(path, [{ id: ids[name], price: 6 }])).status).toBe(expected)
      expect((await newsSince()).events).toHaveLength(expected === 200 ? 2 : 0)
      expect((await readLead(account.api, ids[name])).price).toBe(expected === 200 ? 6 : 0)
    }
  },
)

test('one lead that may not be edited refuses the whole batch', async () => {
  const { account, seller, ids } = await shop({ view: 'A', edit: 'G' })
  const newsSince = await listen(account)
  const refused = await seller.api.patch(path, [
    { id: ids.own, price: 5, tags_to_add: [{ name: 'made for nobody' }] },
    { id: ids.group, price: 5 },
    { id: ids.other, price: 5 },
  ])
  expect(refused.status).toBe(403)
  expect((await readLead(account.api, ids.own)).price).toBe(0)
  expect((await account.api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('nobody changes what they cannot see', async () => {
  const { seller, ids } = await shop({ view: 'M', edit: 'A' })
  expect((await seller.api.patch(`${path}/${ids.own}`, { price: 5 })).status).toBe(200)
  expect((await seller.api.patch(`${path}/${ids.group}`, { price: 5 })).status).toBe(403)
  expect((await seller.api.patch(path, [{ id: ids.other, price: 5 }])).status).toBe(403)
})

test('who gives a lead away can no longer change it', async () => {
  const { account, seller, colleague, ids } = await shop({ view: 'M', edit: 'M' })
  expect(
    (await seller.api.patch(`${path}/${ids.own}`, { responsible_user_id: colleague.id })).status,
  ).toBe(200)
  expect((await seller.api.patch(`${path}/${ids.own}`, { price: 5 })).status).toBe(403)
  expect(await listed(seller)).toEqual([])
  expect((await readLead(account.api, ids.own)).responsible_user_id).toBe(colleague.id)
})

test('without the right to add, no lead is created', async () => {
  const { account, seller } = await shop({ view: 'A', edit: 'A', add: 'D' })
  const newsSince = await listen(account)
  expect(
    (await seller.api.post(path, [{ name: 'New', _embedded: { tags: [{ name: 'new' }] } }])).status,
  ).toBe(403)
  expect(await newsSince()).toEqual({ journal: [], events: [] })
  expect((await account.api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
})

test('with the right to add and no other, leads are created and not seen', async () => {
  const { account, seller } = await shop({ add: 'A' })
  const id = await addLead(seller.api, { name: 'New' })
  expect((await seller.api.get(`${path}/${id}`)).status).toBe(403)
  expect(await readLead(account.api, id)).toMatchObject({
    name: 'New',
    responsible_user_id: seller.id,
  })
})

test('an administrator may do everything, whatever the letters say', async () => {
  const account = await newAccount()
  const boss = await account.addUser({ is_admin: true, rights: {} })
  const id = await addLead(boss.api)
  expect((await boss.api.get(`${path}/${id}`)).status).toBe(200)
  expect((await boss.api.patch(`${path}/${id}`, { price: 5 })).status).toBe(200)
})
