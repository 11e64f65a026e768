// Lists of what stands on records, for users who view some of them: whichever way finds a page, the pages
// hold what an administrator is shown of these records, in the same order.
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../test/account.ts'
import type { Client } from '../../../test/client.ts'
import { addGroup, addLeads, mainPipeline } from '../../../test/leads.ts'
import { addNotes, text } from '../../../test/notes.ts'
import { addRecord } from '../../../test/records.ts'
import { eventBounds } from '../../features/activity/events/find.ts'
import { noteBounds } from '../../features/activity/notes/find.ts'
import { few } from './few.ts'

const usual = { records: few.records, events: eventBounds.window, notes: noteBounds.window }

/** Makes lists take other ways than those of an account with few records. */
function setWay({ records, events, notes }: typeof usual): void {
  few.records = records
  eventBounds.window = events
  noteBounds.window = notes
}

const ways: [string, typeof usual][] = [
  ['record by record', usual],
  ['among the first', { ...usual, records: 0 }],
  ['among the first few, and then otherwise', { records: 0, events: 5, notes: 5 }],
  ['in no way of our own', { records: 0, events: 0, notes: 0 }],
]

/** The levels of the users, and one with the right to a single status. */
const levels = ['M', 'G', 'S']

let account: TestAccount
let company: number
let changed: number
/** The leads in view, those in the bin too, and the leads outside the bin. */
const inView = new Map<string, Set<number>>()
const outsideBin = new Set<number>()
const people: Record<string, TestUser> = {}

beforeAll(async () => {
  account = await newAccount()
  const { api, clock } = account
  const group = await addGroup(account)
  for (const view of ['M', 'G'] as const)
    people[view] = await account.addUser({
      group_id: group,
      rights: { leads: { view }, companies: { view: 'A' } },
    })
  const { id: pipeline_id, statuses } = await mainPipeline(account)
  const [first, second] = statuses
  const status = { entity_type: 'leads' as const, pipeline_id, status_id: first }
  const opened = { view: 'A', edit: 'D', delete: 'D' } as const
  people['S'] = await account.addUser({
    rights: {
      leads: { view: 'D' },
      companies: { view: 'A' },
      status_rights: [{ ...status, rights: opened }],
    },
  })
  const owners = [people['M']!.id, people['G']!.id, account.admin.id]
  const leads = await addLeads(
    api,
    Array.from({ length: 15 }, (_, n) => ({
      name: `Lead ${n}`,
      responsible_user_id: owners[n % 3],
      status_id: n % 2 === 0 ? first : second,
    })),
  )
  const notes: number[] = []
  for (const lead of leads)
    notes.push(
      ...(await addNotes(api, 'leads', lead, [
        text(`of ${lead}`),
        {
          note_type: 'geolocation',
          params: { text: 'here', address: 'A', longitude: '1', latitude: '1' },
        },
      ])),
    )
  clock.ahead += 100
  changed = Math.floor(Date.now() / 1000) + 50
  for (const [index, note] of notes.entries())
    if (index % 3 === 0) await api.patch(`/api/v4/leads/notes/${note}`, text('changed'))
  company = await addRecord(api, 'companies', {})
  await api.post(
    `/api/v4/companies/${company}/link`,
    leads.map((id) => ({ to_entity_id: id, to_entity_type: 'leads' })),
  )
  for (const lead of leads.slice(0, 4)) await api.delete(`/api/v4/leads/${lead}`)
  for (const lead of leads.slice(4)) outsideBin.add(lead)
  inView.set('S', new Set(leads.filter((_, n) => n % 2 === 0)))
  inView.set('M', new Set(leads.filter((_, n) => n % 3 === 0)))
  inView.set('G', new Set(leads.filter((_, n) => n % 3 !== 2)))
})
afterEach(() => setWay(usual))

/** An item of any of the lists; each list shows some of these members. */
interface Item {
  id: number | string
  entity_id: number
  to_entity_id: number
}

/** All items of a list, walked by pages of three. */
async function walk(api: Client, path: string, collection: string): Promise<Item[]> {
  const items: Item[] = []
  for (let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=3`; next;) {
    const { status, body } = await api.get(next)
    if (status === 204) break
    if (status !== 200) throw new Error(JSON.stringify(body))
    items.push(...body._embedded[collection])
    next = body._links.next?.href
  }
  return items
}

const queries = (): [string, string][] => [
  ['notes', '/api/v4/leads/notes'],
  ['notes', '/api/v4/leads/notes?order[id]=desc'],
  ['notes', '/api/v4/leads/notes?order[updated_at]=desc'],
  ['notes', '/api/v4/leads/notes?filter[note_type]=common'],
  ['notes', '/api/v4/leads/notes?filter[note_type]=common,geolocation'],
  ['notes', `/api/v4/leads/notes?filter[updated_at]=${changed}`],
  ['notes', `/api/v4/leads/notes?filter[updated_at]=${changed}&order[updated_at]=asc`],
  ['notes', `/api/v4/leads/notes?filter[updated_at]=${changed}&filter[note_type]=common`],
  [
    'notes',
    `/api/v4/leads/notes?filter[updated_at]=${changed}&filter[note_type]=common&order[updated_at]=desc`,
  ],
  ['events', '/api/v4/events?filter[entity]=lead'],
  ['events', '/api/v4/events?filter[entity]=lead&filter[type]=lead_added,lead_deleted'],
  ['events', `/api/v4/events?filter[entity]=lead&filter[created_by]=${account.admin.id}`],
  ['events', `/api/v4/events?filter[entity]=lead&filter[created_at]=${changed}`],
]

describe.each(ways)('%s', (_way, way) => {
  test.each(levels)('for a user with the level %s', async (level) => {
    for (const [collection, path] of queries()) {
      const all = await walk(account.api, path, collection)
      const isShown = ({ entity_id: id }: Item) =>
        inView.get(level)!.has(id) && (collection === 'events' || outsideBin.has(id))
      setWay(way)
      const shown = await walk(people[level]!.api, path, collection)
      setWay(usual)
      const ids = (items: Item[]) => items.map(({ id }) => id)
      expect([path, ids(shown)]).toEqual([path, ids(all.filter(isShown))])
      expect([path, shown.length]).not.toEqual([path, 0])
    }
  })

  test.each(levels)('links of a company, for a user with the level %s', async (level) => {
    const user = people[level]!
    setWay({ ...way, records: Math.min(way.records, 6) })
    const shown = await walk(user.api, `/api/v4/companies/${company}/links`, 'links')
    const expected = [...inView.get(level)!].filter((id) => outsideBin.has(id))
    expect(shown.map((link) => link.to_entity_id)).toEqual(expected)
  })

  test('an administrator is shown the same', async () => {
    for (const [collection, path] of queries()) {
      const all = await walk(account.api, path, collection)
      setWay(way)
      expect(await walk(account.api, path, collection)).toEqual(all)
      setWay(usual)
    }
  })
})
