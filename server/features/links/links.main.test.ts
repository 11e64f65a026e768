// The main contact of a lead: always one of its contacts, and the same from both ends.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { keptLinks, link, linksOf, shownIn, to, unlink } from '../../../test/links.ts'
import { addRecord, addRecords, pathOf, readRecord } from '../../../test/records.ts'
import { purgeOldest } from '../../records/purge.ts'

const isMain = { is_main: true }

async function leadWith(account: TestAccount, count: number) {
  const lead = await addRecord(account.api, 'leads', { updated_at: 5, updated_by: 0 })
  const drafts = Array.from({ length: count }, () => ({ updated_at: 5, updated_by: 0 }))
  const contacts = await addRecords(account.api, 'contacts', drafts)
  return { lead, contacts: contacts as [number, number, number, ...number[]] }
}

test('is the first one linked, until another is said to be', async () => {
  const account = await newAccount()
  const { api } = account
  const { lead, contacts } = await leadWith(account, 3)
  const [a, b, c] = contacts
  const none = { is_main: false }
  expect(
    shownIn(await link(api, 'leads', lead, to('contacts', b, none), to('contacts', a))),
  ).toEqual([`contacts ${b} main`, `contacts ${a}`])
  expect(shownIn(await link(api, 'leads', lead, to('contacts', c, isMain)))).toEqual([
    `contacts ${c} main`,
  ])
  expect(await linksOf(api, 'leads', lead)).toEqual([
    `contacts ${a}`,
    `contacts ${b}`,
    `contacts ${c} main`,
  ])
  const embedded = (await readRecord(api, 'leads', lead, 'with=contacts'))._embedded.contacts
  expect(embedded.map((each: { is_main: boolean }) => each.is_main)).toEqual([false, false, true])
  // The main contact cannot be unset; of two main contacts in a request, the last counts.
  expect(shownIn(await link(api, 'leads', lead, to('contacts', c, none)))).toEqual([
    `contacts ${c} main`,
  ])
  await link(api, 'leads', lead, to('contacts', a, isMain), to('contacts', b, isMain))
  expect(await keptLinks(account)).toEqual([
    `leads ${lead} contacts ${b} main`,
    `leads ${lead} contacts ${a}`,
    `leads ${lead} contacts ${c}`,
  ])
})

test('another main contact is a change of the lead alone, told without an event', async () => {
  const account = await newAccount()
  const { api } = account
  const { lead, contacts } = await leadWith(account, 2)
  await link(api, 'leads', lead, to('contacts', contacts[0]), to('contacts', contacts[1]))
  const before = await readRecord(api, 'contacts', contacts[1])
  const user = await account.addUser()
  const newsSince = await listen(account)
  await link(user.api, 'leads', lead, to('contacts', contacts[1], isMain))
  const { journal, events } = await newsSince()
  expect(events).toEqual([])
  expect(journal).toMatchObject([
    { entity_type: 'leads', entity_id: lead, actions: ['update'], created_by: user.id },
  ])
  expect((await readRecord(api, 'leads', lead)).updated_by).toBe(user.id)
  expect(await readRecord(api, 'contacts', contacts[1])).toEqual(before)
  await link(user.api, 'leads', lead, to('contacts', contacts[1], isMain))
  expect((await newsSince()).journal).toHaveLength(1)
})

test('the earliest of those that stay follows the main one', async () => {
  const account = await newAccount()
  const { api } = account
  const { lead, contacts } = await leadWith(account, 3)
  const [a, b, c] = contacts
  await link(api, 'leads', lead, to('contacts', c))
  await link(api, 'leads', lead, to('contacts', b), to('contacts', a, isMain))
  const newsSince = await listen(account)
  await unlink(api, 'contacts', a, to('leads', lead))
  expect(await linksOf(api, 'leads', lead)).toEqual([`contacts ${b}`, `contacts ${c} main`])
  expect(
    (await newsSince()).journal.map(({ entity_type, entity_id }) => [entity_type, entity_id]),
  ).toEqual([
    ['contacts', a],
    ['leads', lead],
  ])
  await unlink(api, 'leads', lead, to('contacts', c), to('contacts', b))
  expect(await linksOf(api, 'leads', lead)).toEqual([])
  await link(api, 'contacts', b, to('leads', lead))
  expect(await linksOf(api, 'leads', lead)).toEqual([`contacts ${b} main`])
})

test('stays the main one in the bin and comes back as such; when it is purged the earliest follows', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { lead, contacts } = await leadWith(account, 3)
  const [a, b, c] = contacts
  await link(api, 'leads', lead, to('contacts', a), to('contacts', b))
  await api.delete(`${pathOf('contacts')}/${a}`)
  await link(api, 'leads', lead, to('contacts', c))
  expect(await linksOf(api, 'leads', lead)).toEqual([`contacts ${b}`, `contacts ${c}`])
  await api.post(`${pathOf('contacts')}/${a}/restore`)
  expect(await linksOf(api, 'leads', lead)).toEqual([
    `contacts ${a} main`,
    `contacts ${b}`,
    `contacts ${c}`,
  ])
  await api.delete(`${pathOf('contacts')}/${a}`)
  await kontor.database.transaction((tx) =>
    tx.list(purgeOldest(account.id, 'contacts', kontor.now() + 1, 500)),
  )
  expect(await keptLinks(account)).toEqual([
    `leads ${lead} contacts ${b} main`,
    `leads ${lead} contacts ${c}`,
  ])
})

test('a lead has 40 contacts at most, counted from both ends', async () => {
  const account = await newAccount()
  const { api } = account
  const { lead, contacts } = await leadWith(account, 42)
  const all = contacts.map((id) => to('contacts', id))
  const refused = await link(api, 'leads', lead, ...all)
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    { 40: ['TooMany to_entity_id'], 41: ['TooMany to_entity_id'] },
  ])
  expect(await keptLinks(account)).toEqual([])
  expect((await link(api, 'leads', lead, ...all.slice(0, 40))).body._total_items).toBe(40)
  expect(faultsOf(await link(api, 'contacts', contacts[40]!, to('leads', lead)))).toEqual({
    0: ['TooMany to_entity_id'],
  })
  // A contact that is already linked needs no further room.
  expect((await link(api, 'leads', lead, to('contacts', contacts[39]!, isMain))).status).toBe(200)
  await unlink(api, 'leads', lead, to('contacts', contacts[0]))
  expect((await link(api, 'contacts', contacts[40]!, to('leads', lead))).status).toBe(200)
})
