// What becomes of a record, as far as all kinds share it: pure functions of what it was and what was sent. A sent value that equals
// the stored one counts as not sent (decision: unknown keys), so that what was read can be sent back.
import type { RecordChange, JournalAction } from '../../changes/record.ts'
import type { Actor } from '../../access/actor.ts'
import type { Item } from '../../http/batch.ts'
import { readValues } from '../fields/sent.ts'
import { mergeValues, tooHeavy, valueNews } from '../fields/values.ts'
import type { KeptValues } from '../fields/values.ts'
import type { RecordDescription, Shared } from '../description.ts'
import type { RecordRow } from '../statements.ts'
import type { Identified, Sent } from '../schema.ts'
import { tagNews } from '../tags.ts'

/** A new record with its defaults; what is wrong with it is added to the faults of its item. */
export function draftRecord<Row extends RecordRow, Draft extends Sent, Context>(
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  context: Context & Shared,
  item: Item<Draft>,
): Omit<Row, 'id'> {
  const { value } = item
  checkShared(context, item, value)
  const responsible_user_id = value.responsible_user_id ?? actor.userId
  const shared = {
    name: value.name?.trim() ?? '',
    responsible_user_id,
    group_id: context.groups.get(responsible_user_id) ?? 0,
    created_by: value.created_by ?? actor.userId,
    updated_by: value.updated_by ?? actor.userId,
    created_at: value.created_at ?? actor.at,
    updated_at: value.updated_at ?? actor.at,
    custom_fields_values: valuesAfter(context, item, null),
    tag_ids: context.faults.any()
      ? []
      : context.tags.ids(value._embedded?.tags ?? value.tags_to_add ?? []),
  }
  return { ...shared, ...kind.draft(actor, context, item) } as unknown as Omit<Row, 'id'>
}

/** The record after a change; the same object when nothing moves. */
export function changeRecord<Row extends RecordRow, Draft extends Sent, Context>(
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  context: Context & Shared,
  item: Item<Identified<Draft>>,
  row: Row,
): Row {
  const value = withoutStored(item.value, row)
  checkShared(context, item, value)
  const responsible_user_id = value.responsible_user_id ?? row.responsible_user_id
  const next = {
    ...row,
    name: value.name === undefined ? row.name : value.name.trim(),
    responsible_user_id,
    group_id:
      value.responsible_user_id === undefined
        ? row.group_id
        : (context.groups.get(responsible_user_id) ?? 0),
    created_by: value.created_by ?? row.created_by,
    created_at: value.created_at ?? row.created_at,
    custom_fields_values: valuesAfter(context, item, row.custom_fields_values),
    tag_ids: context.faults.any() ? row.tag_ids : changedTags(context, item.value, row),
    ...kind.change(actor, context, item, row, value),
  }
  const touched = value.updated_at !== undefined || value.updated_by !== undefined
  if (!touched && movedFields(row, next).length === 0) return row
  return {
    ...next,
    updated_at: value.updated_at ?? actor.at,
    updated_by: value.updated_by ?? actor.userId,
  }
}

/** What a change is to the world (specification, Structure of value_after and value_before). */
export function newsOf<Row extends RecordRow>(
  kind: RecordDescription<Row>,
  before: Row,
  after: Row,
  { fields: customFields, tags }: Pick<Shared, 'fields' | 'tags'>,
): RecordChange {
  const fields = movedFields(before, after)
  const own = kind.news?.(new Set<string>(fields as string[]), before, after)
  const actions: JournalAction[] = ['update', ...(own?.actions ?? [])]
  const events: RecordChange['events'] = []
  if (fields.includes('name'))
    events.push(
      bothSides('name_field_changed', before, after, ({ name }) => ({
        name_field_value: { name },
      })),
    )
  events.push(...(own?.events ?? []))
  if (fields.includes('responsible_user_id')) {
    actions.push('responsible')
    events.push(
      bothSides('entity_responsible_changed', before, after, ({ responsible_user_id: id }) => ({
        responsible_user: { id },
      })),
    )
  }
  events.push(...tagNews(before.tag_ids, after.tag_ids, tags.name))
  events.push(...valueNews(customFields, before.custom_fields_values, after.custom_fields_values))
  return {
    id: after.id,
    actions,
    before: Object.fromEntries(fields.map((field) => [field, before[field]])),
    events,
  }
}

/** An event with one item on each side. */
export function bothSides<Row>(
  type: string,
  before: Row,
  after: Row,
  value: (row: Row) => object,
): RecordChange['events'][number] {
  return { type, value_before: [value(before)], value_after: [value(after)] }
}

/** The fields in which two states of a record differ. */
export function movedFields<Row extends RecordRow>(before: Row, after: Row): (keyof Row)[] {
  const fields = Object.keys(after) as (keyof Row)[]
  // Lists of ids and the values of custom fields are compared as what they hold.
  return fields.filter(
    (field) =>
      before[field] !== after[field] &&
      JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
}

function withoutStored<Draft extends Sent>(value: Identified<Draft>, row: RecordRow): Draft {
  const fields = Object.entries(value).filter(
    ([key, sent]) => !(key in row) || sent !== row[key as keyof RecordRow],
  )
  return Object.fromEntries(fields) as unknown as Draft
}

/** Users that are named must be active; the authors may also be 0, the system. */
function checkShared({ groups, faults }: Shared, item: Item<unknown>, sent: Sent): void {
  for (const path of ['responsible_user_id', 'created_by', 'updated_by'] as const) {
    const id = sent[path]
    if (id === undefined || groups.has(id) || (id === 0 && path !== 'responsible_user_id')) continue
    faults.add(item, { code: 'NotSupportedChoice', path, detail: `There is no active user ${id}.` })
  }
}

function valuesAfter(
  { fields, faults, unknownKeys }: Shared,
  item: Item<Sent>,
  before: KeptValues,
): KeptValues {
  const sent = readValues(fields, faults, item, item.value.custom_fields_values, unknownKeys)
  const after = mergeValues(fields, before, sent)
  const fault = after === before ? undefined : tooHeavy(after)
  if (fault) faults.add(item, fault)
  return after
}

/** The tags after a change: a list replaces them, null or an empty list detaches all; else single ones are added and removed. */
function changedTags(
  { tags }: Shared,
  { _embedded, tags_to_add, tags_to_delete }: Sent,
  row: RecordRow,
): number[] {
  if (_embedded?.tags !== undefined) {
    const replaced = tags.ids(_embedded.tags ?? [])
    // The same tags in another order are the same tags.
    return replaced.length === row.tag_ids.length &&
      replaced.every((id) => row.tag_ids.includes(id))
      ? row.tag_ids
      : replaced
  }
  if (!tags_to_add && !tags_to_delete) return row.tag_ids
  const goes = new Set(tags_to_delete?.map(({ id, name }) => id ?? tags.idOf(name ?? '')))
  return [...new Set([...row.tag_ids, ...tags.ids(tags_to_add ?? [])])].filter(
    (id) => !goes.has(id),
  )
}
