// The journal that followers read and the event log that people read, after writes of leads.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import {
  addLead,
  addLeads,
  addPipeline,
  listen,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { noFields } from '../../../records/fields/definitions.ts'
import type { TagsOfBatch } from '../../../records/tags.ts'
import { changedLeadEntry } from './leads.ts'
import type { LeadRow } from './schema.ts'

describe('the news of a change as a pure function', () => {
  const lead: LeadRow = {
    id: 7,
    name: 'One',
    price: 5,
    responsible_user_id: 1,
    group_id: 0,
    pipeline_id: 10,
    status_id: 20,
    loss_reason_id: null,
    source_id: null,
    created_by: 1,
    updated_by: 1,
    created_at: 100,
    updated_at: 100,
    closed_at: null,
    unsorted_id: null,
    custom_fields_values: null,
    tag_ids: [1, 2],
  }

  const context = { fields: noFields, tags: { name: (id: number) => `tag ${id}` } as TagsOfBatch }

  test.for<[string, Partial<LeadRow>, string[], object, string[]]>([
    ['nothing', {}, ['update'], {}, []],
    ['a name', { name: 'Two' }, ['update'], { name: 'One' }, ['name_field_changed']],
    ['a price', { price: 0 }, ['update'], { price: 5 }, ['sale_field_changed']],
    [
      'a status',
      { status_id: 21 },
      ['update', 'status'],
      { status_id: 20 },
      ['lead_status_changed'],
    ],
    [
      'a pipeline',
      { pipeline_id: 11 },
      ['update', 'status'],
      { pipeline_id: 10 },
      ['lead_status_changed'],
    ],
    [
      'status and pipeline',
      { pipeline_id: 11, status_id: 21 },
      ['update', 'status'],
      { pipeline_id: 10, status_id: 20 },
      ['lead_status_changed'],
    ],
    [
      'a responsible user',
      { responsible_user_id: 2, group_id: 3 },
      ['update', 'responsible'],
      { responsible_user_id: 1, group_id: 0 },
      ['entity_responsible_changed'],
    ],
    ['a tag added', { tag_ids: [1, 2, 3] }, ['update'], { tag_ids: [1, 2] }, ['entity_tag_added']],
    ['a tag deleted', { tag_ids: [2] }, ['update'], { tag_ids: [1, 2] }, ['entity_tag_deleted']],
    [
      'a tag replaced',
      { tag_ids: [3] },
      ['update'],
      { tag_ids: [1, 2] },
      ['entity_tag_added', 'entity_tag_deleted'],
    ],
    ['a closing time', { closed_at: 5 }, ['update'], { closed_at: null }, []],
    [
      'the time of the change',
      { updated_at: 200, updated_by: 0 },
      ['update'],
      { updated_at: 100, updated_by: 1 },
      [],
    ],
  ] as const)('the news of %s', ([, after, actions, before, types]) => {
    const news = changedLeadEntry({ before: lead, after: { ...lead, ...after } }, context)
    expect(news).toMatchObject({ id: 7, actions, before })
    expect(Object.keys(news.before!).toSorted()).toEqual(Object.keys(before).toSorted())
    expect(news.events.map(({ type }) => type)).toEqual(types)
  })

  test('the values of tag events are one item per tag that came or went', () => {
    const { events } = changedLeadEntry(
      { before: lead, after: { ...lead, tag_ids: [2, 3, 4] } },
      context,
    )
    expect(events).toEqual([
      {
        type: 'entity_tag_added',
        value_before: [],
        value_after: [{ tag: { name: 'tag 3' } }, { tag: { name: 'tag 4' } }],
      },
      { type: 'entity_tag_deleted', value_before: [{ tag: { name: 'tag 1' } }], value_after: [] },
    ])
  })
})

describe('the news of writes', () => {
  const path = '/api/v4/leads'

  test('an event leads to its lead and to itself', async () => {
    const account = await newAccount()
    const id = await addLead(account.api)
    const [event] = (await account.api.get('/api/v4/events')).body._embedded.events
    expect(event).toMatchObject({ entity_type: 'lead', entity_id: id, account_id: account.id })
    expect((await account.api.get(event._links.self.href)).body).toEqual(event)
    expect((await account.api.get(event._embedded.entity._links.self.href)).body.id).toBe(id)
    expect(event._embedded.entity.id).toBe(id)
    const { created_at } = await readLead(account.api, id)
    expect(event.created_at).toBe(created_at)
  })

  /** The one change of a lead: what it told, and the lead before. */
  async function change(
    draft: object,
    sent: (account: Awaited<ReturnType<typeof newAccount>>) => Promise<object> | object,
  ) {
    const account = await newAccount()
    const id = await addLead(account.api, { name: 'Old', price: 5, ...draft })
    const before = await readLead(account.api, id)
    const seller = await account.addUser()
    const body = await sent(account)
    const newsSince = await listen(account)
    account.clock.ahead += 10
    expect((await seller.api.patch(`${path}/${id}`, body)).status).toBe(200)
    const after = await readLead(account.api, id)
    const { journal, events } = await newsSince()
    for (const event of events)
      expect(event).toMatchObject({ entity_id: id, entity_type: 'lead', created_by: seller.id })
    expect(journal).toHaveLength(1)
    expect(journal[0]).toMatchObject({ entity_type: 'leads', entity_id: id, created_by: seller.id })
    expect(journal[0]!.after).toMatchObject({
      id,
      name: after.name,
      price: after.price,
      status_id: after.status_id,
    })
    const { updated_at, updated_by, ...moved } = journal[0]!.before!
    expect([updated_at, updated_by]).toEqual([before.updated_at, before.updated_by])
    return {
      account,
      before,
      after,
      actions: journal[0]!.actions,
      moved,
      events: events.map(({ type, value_before, value_after }) => [
        type,
        value_before,
        value_after,
      ]),
    }
  }

  test('a new price', async () => {
    const { actions, moved, events } = await change({}, () => ({ price: 7 }))
    expect(actions).toEqual(['update'])
    expect(moved).toEqual({ price: 5 })
    expect(events).toEqual([
      [
        'sale_field_changed',
        [{ sale_field_value: { sale: 5 } }],
        [{ sale_field_value: { sale: 7 } }],
      ],
    ])
  })

  test('a new status, and closing', async () => {
    const { actions, moved, events, before } = await change({}, () => ({ status_id: lost }))
    expect(actions).toEqual(['update', 'status'])
    expect(moved).toEqual({ status_id: before.status_id, closed_at: null })
    const { pipeline_id } = before
    expect(events).toEqual([
      [
        'lead_status_changed',
        [{ lead_status: { id: before.status_id, pipeline_id } }],
        [{ lead_status: { id: lost, pipeline_id } }],
      ],
    ])
  })

  test('the same status in another pipeline', async () => {
    const { actions, moved, events, before, after } = await change(
      { status_id: won },
      async (account) => ({
        pipeline_id: (await addPipeline(account)).id,
      }),
    )
    expect(actions).toEqual(['update', 'status'])
    expect(moved).toEqual({ pipeline_id: before.pipeline_id })
    expect(events).toEqual([
      [
        'lead_status_changed',
        [{ lead_status: { id: won, pipeline_id: before.pipeline_id } }],
        [{ lead_status: { id: won, pipeline_id: after.pipeline_id } }],
      ],
    ])
  })

  test('everything at once is one row of the journal and one event for each, in a fixed order', async () => {
    const { actions, events } = await change({}, async (account) => ({
      name: 'New',
      price: 6,
      status_id: won,
      tags_to_add: [{ name: 'a' }],
      responsible_user_id: (await account.addUser()).id,
    }))
    expect(actions).toEqual(['update', 'status', 'responsible'])
    expect(events.map(([type]) => type)).toEqual([
      'name_field_changed',
      'sale_field_changed',
      'lead_status_changed',
      'entity_responsible_changed',
      'entity_tag_added',
    ])
  })

  test('fields without an event of their own are told to followers only', async () => {
    const { actions, moved, events, before } = await change({ status_id: won }, () => ({
      created_at: 77,
      created_by: 0,
      closed_at: 88,
    }))
    expect(actions).toEqual(['update'])
    expect(moved).toEqual({
      created_at: before.created_at,
      created_by: before.created_by,
      closed_at: before.closed_at,
    })
    expect(events).toEqual([])
  })

  test('a batch tells of each lead that changed and of no other, two items of one lead as one change', async () => {
    const account = await newAccount()
    const [a, b, c] = await addLeads(account.api, [{ price: 1 }, { price: 2 }, { price: 3 }])
    const newsSince = await listen(account)
    await account.api.patch(path, [
      { id: c, price: 30 },
      { id: a, price: 5 },
      { id: b, price: 2, name: `Lead #${b}` },
      { id: a, price: 10, name: 'A' },
    ])
    const { journal, events } = await newsSince()
    expect(
      journal.map(({ entity_id, actions, before }) => [entity_id, actions, before!['price']]),
    ).toEqual([
      [a, ['update'], 1],
      [c, ['update'], 3],
    ])
    expect(
      events.map(({ type, entity_id, value_after }) => [type, entity_id, value_after]),
    ).toEqual([
      ['name_field_changed', a, [{ name_field_value: { name: 'A' } }]],
      ['sale_field_changed', a, [{ sale_field_value: { sale: 10 } }]],
      ['sale_field_changed', c, [{ sale_field_value: { sale: 30 } }]],
    ])
  })

  test('a batch that takes back what it did tells of no event', async () => {
    const account = await newAccount()
    const id = await addLead(account.api, { price: 1, _embedded: { tags: [{ name: 'a' }] } })
    const newsSince = await listen(account)
    await account.api.patch(path, [
      { id, price: 5, tags_to_add: [{ name: 'b' }] },
      { id, price: 1, tags_to_delete: [{ name: 'b' }] },
    ])
    expect((await newsSince()).events).toEqual([])
  })

  test('reads, refused writes and new tags tell nothing', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const id = await addLead(account.api)
    const newsSince = await listen(account)
    await account.api.get(path)
    await account.api.get(`${path}/${id}`)
    await account.api.post('/api/v4/leads/tags', [{ name: 'a' }])
    await account.api.post(path, [{ status_id: main.unsorted }])
    await account.api.patch(`${path}/${id}`, { status_id: main.unsorted, name: 'New' })
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })
})
