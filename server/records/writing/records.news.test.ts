// The events and journal rows of writing contacts and companies, and writes that record none.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { listen, plainly } from '../../../test/leads.ts'
import { addRecord, addRecords, kinds, pathOf, readRecord } from '../../../test/records.ts'
import { singular } from '../../entity-types.ts'

describe.for(kinds)('%s', (kind) => {
  const path = pathOf(kind)

  test('a batch of new ones tells of each once, in its order, with its system note', async () => {
    const account = await newAccount()
    const user = await account.addUser()
    const newsSince = await listen(account)
    const ids = await addRecords(user.api, kind, [
      { name: 'One', _embedded: { tags: [{ name: 'a' }] } },
      { name: 'Two' },
    ])
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject(
      ids.map((entity_id) => ({
        entity_type: kind,
        entity_id,
        actions: ['add'],
        before: null,
        created_by: user.id,
      })),
    )
    expect(journal.map(({ after }) => after['name'])).toEqual(['One', 'Two'])
    const notes = await account.kontor.database.rows<{ id: number; entity_id: number }>(sql`
      select id, entity_type, entity_id, note_type from notes where account_id = ${account.id} order by id`)
    expect(notes).toEqual(
      ids.map((entity_id) => ({
        id: expect.any(Number),
        entity_type: kind,
        entity_id,
        note_type: 'entity_added',
      })),
    )
    expect(events.map(plainly)).toEqual(
      notes.map(({ id, entity_id }) => ({
        type: `${singular[kind]}_added`,
        entity_id,
        created_by: user.id,
        value_before: [],
        value_after: [{ note: { id } }],
      })),
    )
    const { href } = events[0]._embedded.entity._links.self
    expect([events[0].entity_type, (await account.api.get(href)).body.id]).toEqual([
      singular[kind],
      ids[0],
    ])
  })

  /** The single journal row of a change, without the fields that every change records. */
  async function change(sent: (account: TestAccount) => Promise<object> | object) {
    const account = await newAccount()
    const tags = [{ name: 'stays' }, { name: 'goes' }]
    const id = await addRecord(account.api, kind, { name: 'Old', _embedded: { tags } })
    const before = await readRecord(account.api, kind, id)
    const user = await account.addUser()
    const body = await sent(account)
    const newsSince = await listen(account)
    account.clock.ahead += 10
    expect((await user.api.patch(`${path}/${id}`, body)).status).toBe(200)
    const after = await readRecord(account.api, kind, id)
    const { journal, events } = await newsSince()
    for (const event of events)
      expect(event).toMatchObject({
        entity_id: id,
        entity_type: singular[kind],
        created_by: user.id,
      })
    expect(journal).toMatchObject([
      { entity_type: kind, entity_id: id, created_by: user.id, after: { id, name: after.name } },
    ])
    const { updated_at, updated_by, ...moved } = journal[0]!.before!
    expect([updated_at, updated_by]).toEqual([before.updated_at, before.updated_by])
    const values = events.map(({ type, value_before, value_after }) => [
      type,
      value_before,
      value_after,
    ])
    return { before, after, actions: journal[0]!.actions, moved, events: values }
  }

  test('a new name', async () => {
    const { actions, moved, events } = await change(() => ({ name: 'Новое "имя"' }))
    expect([actions, moved]).toEqual([['update'], { name: 'Old' }])
    expect(events).toEqual([
      [
        'name_field_changed',
        [{ name_field_value: { name: 'Old' } }],
        [{ name_field_value: { name: 'Новое "имя"' } }],
      ],
    ])
  })

  test('another responsible user', async () => {
    const { actions, moved, events, before, after } = await change(async (account) => ({
      responsible_user_id: (await account.addUser()).id,
    }))
    const responsible = ({ responsible_user_id: id }: { responsible_user_id: number }) => [
      { responsible_user: { id } },
    ]
    expect([actions, moved]).toEqual([
      ['update', 'responsible'],
      { responsible_user_id: before.responsible_user_id },
    ])
    expect(events).toEqual([
      ['entity_responsible_changed', responsible(before), responsible(after)],
    ])
  })

  test('tags that came and tags that went', async () => {
    const { actions, moved, events, before } = await change(() => ({
      _embedded: { tags: [{ name: 'came' }, { name: 'STAYS' }, { name: 'came too' }] },
    }))
    expect([actions, moved]).toEqual([
      ['update'],
      { tag_ids: before._embedded.tags.map(({ id }: { id: number }) => id) },
    ])
    expect(events).toEqual([
      ['entity_tag_added', [], [{ tag: { name: 'came' } }, { tag: { name: 'came too' } }]],
      ['entity_tag_deleted', [{ tag: { name: 'goes' } }], []],
    ])
  })

  test('everything at once is one row of the journal and one event for each, in a fixed order', async () => {
    const { actions, events } = await change(async (account) => ({
      name: 'New',
      tags_to_add: [{ name: 'a' }],
      tags_to_delete: [{ name: 'goes' }],
      created_at: 5,
      responsible_user_id: (await account.addUser()).id,
    }))
    expect(actions).toEqual(['update', 'responsible'])
    expect(events.map(([type]) => type)).toEqual([
      'name_field_changed',
      'entity_responsible_changed',
      'entity_tag_added',
      'entity_tag_deleted',
    ])
  })

  test('fields without an event of their own are told to followers only', async () => {
    const { actions, moved, events, before } = await change(() => ({
      created_at: 77,
      created_by: 0,
    }))
    expect([actions, events]).toEqual([['update'], []])
    expect(moved).toEqual({ created_at: before.created_at, created_by: before.created_by })
  })

  test('a new time alone is an update without events', async () => {
    const { actions, moved, events } = await change(() => ({ updated_at: 99 }))
    expect([actions, moved, events]).toEqual([['update'], {}, []])
  })

  test('reads, refused writes, new tags and changes that change nothing tell nothing', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, kind, {
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    const newsSince = await listen(account)
    await account.api.get(path)
    await account.api.get(`${path}/${id}`)
    await account.api.post(`${path}/tags`, [{ name: 'b' }])
    await account.api.post(path, [{ created_by: 999_999_999 }])
    await account.api.patch(`${path}/${id}`, { created_by: 999_999_999, name: 'New' })
    await account.api.patch(path, [
      { id, name: 'One', tags_to_add: [{ name: 'A' }] },
      { id, tags_to_delete: [{ name: 'b' }] },
    ])
    await account.api.patch(`${path}/${id}`, {})
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })
})
