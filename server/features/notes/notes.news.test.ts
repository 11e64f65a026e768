// The journal rows and events of adding, changing and pinning notes.
import sql from 'sql-template-tag'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { listen, plainly } from '../../../test/leads.ts'
import { addNote, addNotes, addWithNote, text } from '../../../test/notes.ts'
import { addRecord, addRecords, allKinds, letters, readRecord } from '../../../test/records.ts'
import { lastDrawn, newsInGaps } from '../../changes/position.ts'
import type { JournalRow } from '../../changes/position.ts'
import { singular } from '../../entity-types.ts'

/**
 * Starts to follow the journal; the answered function gives the changes since, as followers receive
 * them.
 */
async function follow({ id, kontor: { database } }: TestAccount) {
  const from = await lastDrawn(database)
  return async () => {
    const reading = await database.row<{ changes: JournalRow[] }>(
      sql`select (${newsInGaps(sql`${from}::bigint`, sql`'{}'::int8multirange`, 1000)}) as changes`,
    )
    return reading!.changes.filter(({ account_id }) => account_id === id)
  }
}

test.for(allKinds)(
  'each new note of %s is an event and a change of its record, which itself stays as it was',
  async (kind) => {
    const account = await newAccount()
    const { api, admin } = account
    const [one, two] = await addRecords(api, kind, letters(2))
    const before = await readRecord(api, kind, one!)
    const [newsSince, followed] = [await listen(account), await follow(account)]
    const { body } = await api.post(`/api/v4/${kind}/notes`, [
      { entity_id: two, ...text('first'), created_by: 0 },
      { entity_id: one, note_type: 'sms_in', params: { text: 'second', phone: '1' } },
      { entity_id: two, ...text('third') },
    ])
    const ids = body._embedded.notes.map(({ id }: { id: number }) => id)
    const { journal, events } = await newsSince()
    const event = (type: string, entity_id: number, id: number) => ({
      type,
      entity_id,
      created_by: admin.id,
      value_before: [],
      value_after: [{ note: { id } }],
    })
    expect(events.map(plainly)).toEqual([
      event('common_note_added', two!, ids[0]),
      event('incoming_sms', one!, ids[1]),
      event('common_note_added', two!, ids[2]),
    ])
    expect(events[0].entity_type).toBe(singular[kind])
    expect(journal).toMatchObject([
      {
        entity_type: kind,
        entity_id: two,
        actions: ['note'],
        before: null,
        after: { id: two },
        created_by: admin.id,
      },
      { entity_type: kind, entity_id: one, actions: ['note'], before: null, after: { id: one } },
      { entity_type: kind, entity_id: two, actions: ['note'], before: null, after: { id: two } },
    ])
    expect((await followed()).map(({ note }) => note)).toMatchObject([
      {
        id: ids[0],
        entity_type: kind,
        entity_id: two,
        note_type: 'common',
        params: { text: 'first' },
        created_by: 0,
        account_id: account.id,
        responsible_user_id: admin.id,
        is_pinned: false,
      },
      { id: ids[1], note_type: 'sms_in', params: { text: 'second', phone: '1' } },
      { id: ids[2], params: { text: 'third' } },
    ])
    expect(await readRecord(api, kind, one!)).toEqual(before)
  },
)

test('changes and pins of notes are heard as update_note, and are no events', async () => {
  const account = await newAccount()
  const { api } = account
  const { entity, id } = await addWithNote(api, 'leads')
  const [newsSince, followed] = [await listen(account), await follow(account)]
  await api.patch(`/api/v4/leads/notes/${id}`, { params: { text: 'y' } })
  await api.patch('/api/v4/leads/notes', [{ id, params: { text: 'z' } }])
  await api.post(`/api/v4/leads/notes/${id}/pin`)
  const { journal, events } = await newsSince()
  expect(events).toEqual([])
  expect(journal.map(({ entity_id, actions }) => [entity_id, actions])).toEqual(
    Array.from({ length: 3 }, () => [entity, ['update_note']]),
  )
  expect((await followed()).map(({ note }) => note)).toMatchObject([
    { id, params: { text: 'y' }, is_pinned: false },
    { params: { text: 'z' } },
    { params: { text: 'z' }, is_pinned: true },
  ])
})

test('what changes nothing, or is refused, is told to nobody', async () => {
  const account = await newAccount()
  const { api } = account
  const { entity, id } = await addWithNote(api, 'leads')
  const newsSince = await listen(account)
  await api.patch(`/api/v4/leads/notes/${id}`, { params: { text: 'x' }, note_type: 'common' })
  await api.patch('/api/v4/leads/notes', [{ id }])
  await api.post(`/api/v4/leads/notes/${id}/unpin`)
  expect((await api.post(`/api/v4/leads/${entity}/notes`, [text('x'), text('')])).status).toBe(400)
  expect(
    (await api.patch('/api/v4/leads/notes', [{ id, params: { text: 'y' } }, { id: 999_999_999 }]))
      .status,
  ).toBe(400)
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('other changes carry no note', async () => {
  const account = await newAccount()
  const followed = await follow(account)
  const lead = await addRecord(account.api, 'leads')
  await account.api.patch(`/api/v4/leads/${lead}`, { price: 5 })
  expect((await followed()).map(({ actions, note }) => [actions, note])).toEqual([
    [['add'], null],
    [['update'], null],
  ])
})

test('a note waits for a change of its record that is under way, and is told after it', async () => {
  const account = await newAccount()
  const { api, id, kontor } = account
  const lead = await addRecord(api, 'leads')
  let added: Promise<unknown> | undefined
  let isAdded = false
  await kontor.database.transaction(async (tx) => {
    await tx.rows(
      sql`select from leads where account_id = ${id} and id = ${lead} for no key update`,
    )
    added = addNote(api, 'leads', lead).then(() => (isAdded = true))
    await pause(300)
    expect(isAdded).toBe(false)
  })
  await added
  expect(isAdded).toBe(true)
})

test('a record that goes into the bin meanwhile takes no note', async () => {
  const account = await newAccount()
  const { api, id, kontor } = account
  const lead = await addRecord(api, 'leads')
  let status: Promise<number> | undefined
  await kontor.database.transaction(async (tx) => {
    await tx.rows(sql`update leads set is_deleted = true where account_id = ${id} and id = ${lead}`)
    status = api.post(`/api/v4/leads/${lead}/notes`, [text('x')]).then((answer) => answer.status)
    await pause(300)
  })
  expect(await status).toBe(404)
})

test('many write notes about the same records at once, and none waits for another forever', async () => {
  const { api } = await newAccount()
  const leads = await addRecords(api, 'leads', letters(10))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      api.post(
        '/api/v4/leads/notes',
        (turn % 2 ? leads : leads.toReversed()).map((entity_id) => ({
          entity_id,
          ...text(`Turn ${turn}`),
        })),
      ),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const ids = await addNotes(api, 'leads', leads[0]!, [text('a'), text('b')])
  const changes = await Promise.all(
    Array.from({ length: 10 }, (_, turn) =>
      api.patch(
        '/api/v4/leads/notes',
        (turn % 2 ? ids : ids.toReversed()).map((id) => ({ id, params: { text: `${turn}` } })),
      ),
    ),
  )
  expect(changes.map(({ status }) => status)).toEqual(changes.map(() => 200))
})
