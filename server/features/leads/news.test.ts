import { expect, test } from 'vitest'
import { noFields } from '../../records/fields/definitions.ts'
import type { TagsOfBatch } from '../../records/tags.ts'
import { changedLeadEntry } from './leads.ts'
import type { LeadRow } from './schema.ts'

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
  custom_fields_values: null,
  tag_ids: [1, 2],
}

const context = { fields: noFields, tags: { name: (id: number) => `tag ${id}` } as TagsOfBatch }

test.for<[string, Partial<LeadRow>, string[], object, string[]]>([
  ['nothing', {}, ['update'], {}, []],
  ['a name', { name: 'Two' }, ['update'], { name: 'One' }, ['name_field_changed']],
  ['a price', { price: 0 }, ['update'], { price: 5 }, ['sale_field_changed']],
  ['a status', { status_id: 21 }, ['update', 'status'], { status_id: 20 }, ['lead_status_changed']],
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
