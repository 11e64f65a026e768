import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../test/account.ts'
import { addGroup, addSeller, faultsOf, listen, mainPipeline } from '../../../test/leads.ts'
import { addNote, addWithNote, notesIn, readNote, text } from '../../../test/notes.ts'
import { addRecord, addUserWith, allKinds } from '../../../test/records.ts'
import { purgeBin } from '../../records/purge.ts'

const change = { params: { text: 'y' } }

/** The answers to a user who requests a note of leads in every way. */
async function tried({ api }: TestUser, lead: number, id: number) {
  const reads = [
    `/api/v4/leads/notes/${id}`,
    `/api/v4/leads/${lead}/notes/${id}`,
    `/api/v4/leads/${lead}/notes`,
  ]
  const read = await Promise.all(reads.map(async (path) => (await api.get(path)).status))
  const written = [
    await api.post('/api/v4/leads/notes', [{ entity_id: lead, ...text('x') }]),
    await api.post(`/api/v4/leads/${lead}/notes`, [text('x')]),
    await api.patch('/api/v4/leads/notes', [{ id, ...change }]),
    await api.patch(`/api/v4/leads/${lead}/notes`, [{ id, ...change }]),
    await api.patch(`/api/v4/leads/notes/${id}`, change),
    await api.patch(`/api/v4/leads/${lead}/notes/${id}`, change),
    await api.post(`/api/v4/leads/notes/${id}/pin`),
    await api.post(`/api/v4/leads/notes/${id}/unpin`),
  ]
  return { read, written: written.map(({ status }) => status) }
}

const [allRead, noneRead] = [
  [200, 200, 200],
  [403, 403, 403],
]
const allWritten = [200, 200, 200, 200, 200, 200, 204, 204]
const noneWritten = allWritten.map(() => 403)

test('reading needs the right to view the record, writing and pinning the right to edit it', async () => {
  const account = await newAccount()
  const group = await addGroup(account)
  const mine = await addSeller(account, { view: 'M', edit: 'M' }, group)
  const reader = await addSeller(account, { view: 'A', edit: 'D' })
  const grouped = await addSeller(account, { view: 'G', edit: 'M' }, group)
  const nobody = await addSeller(account, {})
  const own = await addWithNote(account.api, 'leads', { responsible_user_id: mine.id })
  const other = await addWithNote(account.api, 'leads')
  const newsSince = await listen(account)
  const answers = async (user: TestUser) => [
    await tried(user, own.entity, own.id),
    await tried(user, other.entity, other.id),
  ]
  expect(await answers(reader)).toEqual([
    { read: allRead, written: noneWritten },
    { read: allRead, written: noneWritten },
  ])
  expect(await answers(grouped)).toEqual([
    { read: allRead, written: noneWritten },
    { read: noneRead, written: noneWritten },
  ])
  expect(await answers(nobody)).toEqual([
    { read: noneRead, written: noneWritten },
    { read: noneRead, written: noneWritten },
  ])
  expect(await newsSince()).toEqual({ journal: [], events: [] })
  expect(await answers(mine)).toEqual([
    { read: allRead, written: allWritten },
    { read: noneRead, written: noneWritten },
  ])
  expect((await readNote(account.api, 'leads', other.id)).params).toEqual({ text: 'x' })
})

test('the list of a kind holds the notes of records within sight, by group, user and status', async () => {
  const account = await newAccount()
  const { api } = account
  const group = await addGroup(account)
  const seller = await addSeller(account, { view: 'M' }, group)
  const grouped = await addSeller(account, { view: 'G' }, group)
  const none = await addSeller(account, {})
  const { id: pipeline_id, statuses } = await mainPipeline(account)
  const own = await addWithNote(api, 'leads', { responsible_user_id: seller.id })
  const second = await addWithNote(api, 'leads', { responsible_user_id: grouped.id })
  const other = await addWithNote(api, 'leads', { status_id: statuses[1] })
  // Being responsible for a note gives no right to view it.
  await addNote(api, 'leads', other.entity, { ...text('x'), responsible_user_id: seller.id })
  const letters = { view: 'A', edit: 'A', delete: 'D' } as const
  const status_rights = [
    { entity_type: 'leads' as const, pipeline_id, status_id: statuses[1], rights: letters },
  ]
  const opened = await account.addUser({ rights: { status_rights } })
  const list = async (user: TestUser, query = '') =>
    notesIn(await user.api.get(`/api/v4/leads/notes?${query}`))
  expect(await list(seller)).toEqual([own.id])
  expect(await list(seller, `filter[entity_id]=${other.entity}`)).toEqual([])
  expect(await list(grouped)).toEqual([own.id, second.id])
  expect((await list(opened))[0]).toBe(other.id)
  expect(await list(opened)).toHaveLength(2)
  expect((await none.api.get('/api/v4/leads/notes')).status).toBe(403)
})

test('one record of a batch that may not be edited refuses it', async () => {
  const account = await newAccount()
  const seller = await addSeller(account, { view: 'A', edit: 'M' })
  const own = await addWithNote(account.api, 'leads', { responsible_user_id: seller.id })
  const other = await addWithNote(account.api, 'leads')
  const drafts = [own, other].map(({ entity }) => ({ entity_id: entity, ...text('new') }))
  expect((await seller.api.post('/api/v4/leads/notes', drafts)).status).toBe(403)
  expect(
    (
      await seller.api.patch(
        '/api/v4/leads/notes',
        [own, other].map(({ id }) => ({ id, ...change })),
      )
    ).status,
  ).toBe(403)
  expect(notesIn(await account.api.get('/api/v4/leads/notes'))).toEqual([own.id, other.id])
  expect((await readNote(account.api, 'leads', own.id)).params).toEqual({ text: 'x' })
})

test('rights to one kind are none to another', async () => {
  const account = await newAccount()
  const { entity, id } = await addWithNote(account.api, 'contacts')
  const seller = await addUserWith(account, 'leads', { view: 'A', edit: 'A' })
  expect((await seller.api.get('/api/v4/contacts/notes')).status).toBe(403)
  expect((await seller.api.get(`/api/v4/contacts/${entity}/notes/${id}`)).status).toBe(403)
  expect((await seller.api.post(`/api/v4/contacts/${entity}/notes`, [text('x')])).status).toBe(403)
})

test('another account finds nothing and changes nothing', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const { entity, id } = await addWithNote(mine.api, 'leads')
  expect(await tried(other.admin, entity, id)).toEqual({
    read: [404, 404, 404],
    written: [400, 404, 400, 404, 404, 404, 404, 404],
  })
  const refused = await other.api.post('/api/v4/leads/notes', [{ entity_id: entity, ...text('x') }])
  expect(faultsOf(refused)).toEqual({ 0: ['EntityNotFound entity_id'] })
  expect(notesIn(await other.api.get(`/api/v4/leads/notes?filter[id]=${id}`))).toEqual([])
  expect(notesIn(await mine.api.get('/api/v4/leads/notes'))).toEqual([id])
})

describe.each(allKinds)('the bin: notes of %s', (kind) => {
  const asked = async ({ admin }: TestAccount, entity: number, id: number) => {
    const path = `/api/v4/${kind}`
    const { api } = admin
    return [
      notesIn(await api.get(`${path}/notes`)),
      (await api.get(`${path}/notes/${id}`)).status,
      (await api.get(`${path}/${entity}/notes`)).status,
      (await api.patch(`${path}/notes/${id}`, change)).status,
      (await api.post(`${path}/${entity}/notes`, [text('x')])).status,
      (await api.post(`${path}/notes/${id}/pin`)).status,
    ]
  }

  test('are out of sight with their record, and come back with it', async () => {
    const account = await newAccount()
    const { entity, id } = await addWithNote(account.api, kind)
    await account.api.delete(`/api/v4/${kind}/${entity}`)
    expect(await asked(account, entity, id)).toEqual([[], 404, 404, 404, 404, 404])
    await account.api.post(`/api/v4/${kind}/${entity}/restore`)
    expect(notesIn(await account.api.get(`/api/v4/${kind}/${entity}/notes`))).toEqual([id])
    expect(await readNote(account.api, kind, id)).toMatchObject({
      entity_id: entity,
      params: { text: 'x' },
    })
  })

  test('go for good with their record, of whatever type, and no others do', async () => {
    const account = await newAccount()
    const { api, id: account_id, kontor, clock } = account
    const { entity } = await addWithNote(api, kind)
    await addNote(api, kind, entity, { note_type: 'sms_in', params: { text: 'x', phone: '1' } })
    const stays = await addWithNote(api, kind)
    const contact = await addRecord(api, kind === 'contacts' ? 'companies' : 'contacts', {
      name: 'x',
    })
    clock.ahead = -90 * 86_400
    await api.delete(`/api/v4/${kind}/${entity}`)
    clock.ahead = 0
    await purgeBin(kontor.database, 30, kontor.now())
    const left = await kontor.database.rows<{ entity_id: number }>(
      sql`select distinct entity_id from notes where account_id = ${account_id} order by 1`,
    )
    expect(new Set(left.map(({ entity_id }) => entity_id))).toEqual(
      new Set([stays.entity, contact]),
    )
    expect(notesIn(await api.get(`/api/v4/${kind}/notes`))).toEqual([stays.id])
  })
})
