// What a lead becomes, worked out by pure functions from what it was and what was sent. A sent value that equals the stored one
// counts as not sent (decision: unknown keys), so that what was read can be sent back.
import type { Change, JournalAction } from '../../changes/record.ts'
import { tagNews } from '../../entities/tags.ts'
import type { Actor } from '../../http/access.ts'
import type { Item } from '../../http/batch.ts'
import { isClosed } from '../pipelines/pipelines.ts'
import type { Context } from './leads.ts'
import type { LeadChange, LeadRow, NewLead } from './schema.ts'

/** A new lead with its defaults; what is wrong with it is added to the faults of its item. */
export function draftLead(actor: Actor, context: Context, item: Item<NewLead>): Omit<LeadRow, 'id'> {
  const { value } = item
  checkUsers(context, item, value)
  checkExisting(context, item)
  const stage = placeNew(context, item)
  const responsible_user_id = value.responsible_user_id ?? actor.userId
  return {
    name: value.name?.trim() ?? '',
    price: value.price ?? 0,
    responsible_user_id,
    group_id: context.groups.get(responsible_user_id) ?? 0,
    ...stage,
    loss_reason_id: null,
    created_by: value.created_by ?? actor.userId,
    updated_by: value.updated_by ?? actor.userId,
    created_at: value.created_at ?? actor.at,
    updated_at: value.updated_at ?? actor.at,
    closed_at: isClosed(stage.status_id) ? (value.closed_at ?? actor.at) : null,
    tag_ids: context.faults.any() ? [] : context.tags.ids([...(value._embedded?.tags ?? value.tags_to_add ?? [])]),
  }
}

/** The lead after a change; the same object when nothing moves. */
export function changeLead(actor: Actor, context: Context, item: Item<LeadChange>, row: LeadRow): LeadRow {
  const value = withoutStored(item.value, row)
  checkUsers(context, item, value)
  checkExisting(context, { ...item, value })
  const stage = placeChanged(context, item, row)
  const wasClosed = isClosed(row.status_id)
  const closed_at = isClosed(stage.status_id) ? (value.closed_at ?? (wasClosed ? row.closed_at : actor.at)) : null
  const responsible_user_id = value.responsible_user_id ?? row.responsible_user_id
  const next: LeadRow = {
    ...row,
    ...stage,
    name: value.name === undefined ? row.name : value.name.trim() || `Lead #${row.id}`,
    price: value.price ?? row.price,
    responsible_user_id,
    group_id: value.responsible_user_id === undefined ? row.group_id : (context.groups.get(responsible_user_id) ?? 0),
    loss_reason_id: stage.status_id === row.status_id && value.loss_reason_id !== null ? row.loss_reason_id : null,
    created_by: value.created_by ?? row.created_by,
    created_at: value.created_at ?? row.created_at,
    closed_at,
    tag_ids: context.faults.any() ? row.tag_ids : changedTags(context, item.value, row),
  }
  const touched = value.updated_at !== undefined || value.updated_by !== undefined
  if (!touched && movedFields(row, next).length === 0) return row
  return { ...next, updated_at: value.updated_at ?? actor.at, updated_by: value.updated_by ?? actor.userId }
}

/** What a change of a lead is to the world (specification, Structure of value_after and value_before). */
export function leadNews(before: LeadRow, after: LeadRow, tagName: (id: number) => string): Change {
  const fields = movedFields(before, after)
  const events: Change['events'] = []
  const actions: JournalAction[] = ['update']
  const tell = (type: string, value: (row: LeadRow) => object) =>
    events.push({ type, value_before: [value(before)], value_after: [value(after)] })
  if (fields.includes('name')) tell('name_field_changed', ({ name }) => ({ name_field_value: { name } }))
  if (fields.includes('price')) tell('sale_field_changed', ({ price }) => ({ sale_field_value: { sale: price } }))
  if (fields.includes('status_id') || fields.includes('pipeline_id')) {
    actions.push('status')
    tell('lead_status_changed', ({ status_id: id, pipeline_id }) => ({ lead_status: { id, pipeline_id } }))
  }
  if (fields.includes('responsible_user_id')) {
    actions.push('responsible')
    tell('entity_responsible_changed', ({ responsible_user_id: id }) => ({ responsible_user: { id } }))
  }
  events.push(...tagNews(before.tag_ids, after.tag_ids, tagName))
  return { id: after.id, actions, before: Object.fromEntries(fields.map((field) => [field, before[field]])), events }
}

/** The fields in which two states of a lead differ. */
export function movedFields(before: LeadRow, after: LeadRow): (keyof LeadRow)[] {
  const fields = Object.keys(after) as (keyof LeadRow)[]
  return fields.filter((field) => String(before[field]) !== String(after[field]))
}

function withoutStored(value: LeadChange, row: LeadRow): LeadChange {
  const fields = Object.entries(value).filter(([key, sent]) => !(key in row) || sent !== row[key as keyof LeadRow])
  return { ...Object.fromEntries(fields), id: row.id }
}

type Sent = Pick<NewLead, 'responsible_user_id' | 'created_by' | 'updated_by'>

/** Users that are named must be active; the authors may also be 0, the system. */
function checkUsers({ groups, faults }: Context, item: Item<unknown>, sent: Sent): void {
  for (const path of ['responsible_user_id', 'created_by', 'updated_by'] as const) {
    const id = sent[path]
    if (id === undefined || groups.has(id) || (id === 0 && path !== 'responsible_user_id')) continue
    faults.add(item, { code: 'NotSupportedChoice', path, detail: `There is no active user ${id}.` })
  }
}

/** Loss reasons and custom fields have to exist before a lead can hold them. */
function checkExisting({ faults }: Context, item: Item<Pick<NewLead, 'loss_reason_id' | 'custom_fields_values'>>): void {
  const { loss_reason_id, custom_fields_values } = item.value
  if (loss_reason_id)
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'loss_reason_id',
      detail: `There is no loss reason ${loss_reason_id}.`,
    })
  if (custom_fields_values?.length)
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'custom_fields_values.0.field_id',
      detail: 'There is no such custom field.',
    })
}

type Stage = Pick<LeadRow, 'pipeline_id' | 'status_id'>

/** Where a new lead goes (entities reference, Status and pipeline rules). */
function placeNew({ stages, faults }: Context, item: Item<NewLead>): Stage {
  const { pipeline_id, status_id } = item.value
  const pipeline = pipeline_id ?? (status_id === undefined ? stages.main : (stages.pipelineOf(status_id) ?? stages.main))
  const status = status_id ?? stages.first(pipeline)
  return checkStage({ stages, faults }, item, pipeline, status)
}

/** Where a changed lead goes: the sent status decides, then the sent pipeline; won and lost are in every pipeline. */
function placeChanged({ stages, faults }: Context, item: Item<LeadChange>, row: LeadRow): Stage {
  const { pipeline_id = row.pipeline_id, status_id = row.status_id } = item.value
  if (pipeline_id === row.pipeline_id && status_id === row.status_id) return { pipeline_id, status_id }
  if (pipeline_id === row.pipeline_id)
    return checkStage({ stages, faults }, item, stages.pipelineOf(status_id) ?? pipeline_id, status_id)
  const stays = status_id === row.status_id && !stages.has(pipeline_id, status_id)
  return checkStage({ stages, faults }, item, pipeline_id, stays ? stages.first(pipeline_id) : status_id)
}

function checkStage(
  { stages, faults }: Pick<Context, 'stages' | 'faults'>,
  item: Item<unknown>,
  pipeline_id: number,
  status_id: number | undefined,
): Stage {
  if (status_id === undefined || stages.first(pipeline_id) === undefined)
    faults.add(item, { code: 'NotSupportedChoice', path: 'pipeline_id', detail: `There is no pipeline ${pipeline_id}.` })
  else if (!stages.has(pipeline_id, status_id))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'status_id',
      detail: `Pipeline ${pipeline_id} has no status ${status_id}.`,
    })
  else if (stages.isUnsorted(status_id))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'status_id',
      detail: 'A lead cannot be put into the unsorted status.',
    })
  return { pipeline_id, status_id: status_id ?? 0 }
}

/** The tags after a change: a list replaces them, null or an empty list detaches all; else single ones are added and removed. */
function changedTags(
  { tags, deleted }: Context,
  { _embedded, tags_to_add, tags_to_delete }: LeadChange,
  row: LeadRow,
): number[] {
  if (_embedded?.tags !== undefined) {
    const replaced = tags.ids(_embedded.tags ?? [])
    // The same tags in another order are the same tags.
    return replaced.length === row.tag_ids.length && replaced.every((id) => row.tag_ids.includes(id)) ? row.tag_ids : replaced
  }
  if (!tags_to_add && !tags_to_delete) return row.tag_ids
  const goes = new Set(tags_to_delete?.map(({ id, name }) => id ?? deleted(name ?? '')))
  return [...new Set([...row.tag_ids, ...tags.ids(tags_to_add ?? [])])].filter((id) => !goes.has(id))
}
