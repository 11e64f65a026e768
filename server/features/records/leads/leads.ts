// Leads: a price, and a stage in a pipeline (interface: Lead). The verbs come first, each in the
// order of its steps. Their checking and writing halves are exported for complex creation, which
// calls them one by one.
import sql, { join } from 'sql-template-tag'
import { startWriting, timeOfChange } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { badRequest } from '../../../http/problem.ts'
import type { DraftedRow, RecordDescription } from '../../../records/description.ts'
import { oneOf, pinned, within } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { constant, number, numbers, textMember } from '../../../records/lists/members.ts'
import { groupShown } from '../../../records/lists/select.ts'
import type { Identified } from '../../../records/schema.ts'
import { resolveTags } from '../../../records/tags.ts'
import type { TagsOfBatch } from '../../../records/tags.ts'
import { deleteRecords } from '../../../records/writing/bin.ts'
import {
  bothSides,
  changedAnswers,
  changedColumns,
  changedEntry,
  lockRecords,
  changedFields,
  changedRows,
  rowOf,
  touched,
  updateRecords,
  withoutDeletedTags,
  withoutStored,
} from '../../../records/writing/change.ts'
import type { ChangedRecord, Missing, RecordChange } from '../../../records/writing/change.ts'
import { loadContext } from '../../../records/writing/context.ts'
import type { WritingContext } from '../../../records/writing/context.ts'
import {
  addedEntry,
  addRecords,
  addSilently,
  createdAnswers,
  newColumns,
} from '../../../records/writing/create.ts'
import type { CreatedRecord, Drafts } from '../../../records/writing/create.ts'
import { checkNewLinks, checkSentLinks, linkNew, namesLinks } from '../links/links.ts'
import {
  lossReasonsAmong,
  reasonOfRecord,
  reasonsOfRecord,
} from '../../definitions/loss-reasons/loss-reasons.ts'
import { isClosed, lost, stagesAround } from '../../definitions/pipelines/pipelines.ts'
import type { Stages } from '../../definitions/pipelines/pipelines.ts'
import { sourceOfRecord, sourcesNamed } from '../../definitions/sources/sources.ts'
import { Lead, leadWith } from './schema.ts'
import type { LeadDraft, LeadFilter, LeadRow } from './schema.ts'
import {
  changedStage,
  lockLeadStages,
  namesSourcesOrReasons,
  newStage,
  sourceNameOf,
  sourceNamesOf,
} from './stage.ts'
import { leadForm } from './webhook.ts'

export { lockLeadStages } from './stage.ts'

export const leads: RecordDescription = {
  type: 'leads',
  columns: {
    price: 'bigint',
    pipeline_id: 'bigint',
    status_id: 'bigint',
    loss_reason_id: 'bigint',
    source_id: 'bigint',
    closed_at: 'bigint',
    unsorted_id: 'bigint',
  },
  keys: Lead.required,

  news: {
    browser: ['add', 'update', 'status', 'responsible', 'delete', 'restore', 'note', 'update_note'],
    webhook: ['add', 'update', 'status', 'responsible', 'delete', 'restore', 'note'],
    isHeardBy: (actor, row) => sees(actor, 'leads', row as ViewedRow),
    // A webhook hears of an unsorted item as such, and of its lead from the acceptance on.
    // Journal rows of older versions lack the column.
    isNotified: (row) => ((row as Partial<LeadRow>).unsorted_id ?? null) === null,
  },
  webhook: leadForm,

  members: (actor, wanted) => [
    number('id'),
    textMember('name'),
    ...numbers('price', 'responsible_user_id'),
    number('group_id', groupShown(actor)),
    ...numbers('status_id', 'pipeline_id'),
    number('loss_reason_id', reasonOfRecord),
    ...numbers('source_id', 'created_by', 'updated_by', 'created_at', 'updated_at'),
    ...numbers('closed_at', 'closest_task_at'),
    constant('is_deleted', false),
    constant('score', null),
    number('account_id'),
    constant('labor_cost', null),
    ...(wanted.has('is_price_modified_by_robot')
      ? [constant('is_price_modified_by_robot', false)]
      : []),
  ],

  with: leadWith,
  embeds: { always: ['companies'], wanted: ['contacts', 'catalog_elements'] },

  extras: {
    loss_reason: (_actor, base) => reasonsOfRecord(base),
    source: () => sourceOfRecord,
  },

  filters: ({ price, statuses, pipeline_id, closed_at }: LeadFilter) => [
    ...within('price', price, 'exact'),
    ...inStatus(statuses),
    // The index of a pipeline continues with the status.
    ...oneOf('pipeline_id', pipeline_id, []),
    ...within('closed_at', closed_at, 'from').map((condition) => ({
      ...condition,
      blocks: { id: 12 },
    })),
  ],
  always: ({ statuses }: LeadFilter) => (statuses ? undefined : sql`record.unsorted_id is null`),

  untitled: (id) => `Lead #${id}`,
}

/** Creates leads. One faulty item refuses the batch; the problem lists every faulty item. */
export async function createLeads(
  tx: Tx,
  actor: Actor,
  batch: Batch<LeadDraft>,
): Promise<CreatedRecord[]> {
  requireRight(actor, 'leads', 'add')
  const tags = await resolveTags(tx, actor, 'leads', batch)
  // Sources say which pipelines are locked, and reasons and the records of links are locked after
  // them: these locks take several statements. All others travel together.
  const mayHaveLinks = namesLinks(batch)
  const isPlain = !namesSourcesOrReasons(batch) && !mayHaveLinks
  const locked = lockLeadStages(tx, actor, batch, 'create')
  if (!isPlain) await locked
  const linked = checkNewLinks(tx, actor, 'leads', batch)
  if (!isPlain) await linked
  const context = loadLeadContext(tx, actor, batch, tags, [])
  const [, links, around] = await together([locked, linked, context])
  const rows = batch.items.map((item) => newLead(actor, around, item))
  batch.faults.throwIfAny()
  const writer = startWriting(tx, actor)
  const ids = await addLeads(tx, writer, { rows, context: around, mayHaveLinks })
  await linkNew(tx, writer, 'leads', ids, links)
  return createdAnswers(batch, ids)
}

/** The checking half: the rows for the items. Tags are resolved and stages locked before. */
export async function draftLeads(
  tx: Tx,
  actor: Actor,
  batch: Batch<LeadDraft>,
  tags: TagsOfBatch,
): Promise<Drafts<LeadRow>> {
  const context = await loadLeadContext(tx, actor, batch, tags, [])
  return { rows: batch.items.map((item) => newLead(actor, context, item)), context }
}

/** The writing half: inserts leads without faults and records them; answers their ids in order. */
export async function addLeads(tx: Tx, writer: Writer, drafts: Drafts<LeadRow>): Promise<number[]> {
  return addRecords(tx, writer, leads, closedWhenWritten(writer, drafts))
}

/**
 * The checking half for leads of unsorted items: their stage is the unsorted status of the pipeline
 * that they name, of their source's, or of the main one. `itemIds` are the items, in order.
 */
export async function draftUnsortedLeads(
  tx: Tx,
  actor: Actor,
  batch: Batch<LeadDraft>,
  tags: TagsOfBatch,
  itemIds: number[],
): Promise<Drafts<LeadRow>> {
  const context = await loadLeadContext(tx, actor, batch, tags, [])
  const rows = batch.items.map((item, index): DraftedRow<LeadRow> => {
    const row = newLead(actor, context, item)
    const status_id = context.stages.unsorted(row.pipeline_id)
    const detail = `Pipeline ${row.pipeline_id} takes no unsorted leads.`
    if (status_id === undefined && context.stages.first(row.pipeline_id) !== undefined)
      batch.faults.add(item, { code: 'NotSupportedChoice', path: 'pipeline_id', detail })
    return { ...row, status_id: status_id ?? 0, unsorted_id: itemIds[index]! }
  })
  return { rows, context }
}

/** The writing half for leads of unsorted items. Their news is told when they are accepted. */
export async function addUnsortedLeads(
  tx: Tx,
  writer: Writer,
  drafts: Drafts<LeadRow>,
): Promise<number[]> {
  return addSilently(tx, writer, leads, drafts)
}

/**
 * Changes leads. An unsorted lead that leaves its status is a new lead, and the caller accepts the
 * rest of its item (features/records/unsorted). Two items for one lead apply one after the other and make one
 * change. Throws 403 for a lead that the actor may not edit.
 */
export async function changeLeads(
  tx: Tx,
  actor: Actor,
  batch: Batch<Identified<LeadDraft>>,
  missing: Missing = 'fault',
): Promise<ChangedRecord[]> {
  requireRight(actor, 'leads', 'edit')
  const tags = await resolveTags(tx, actor, 'leads', batch)
  await lockLeadStages(tx, actor, batch, 'change')
  const ids = batch.items.map(({ value }) => value.id)
  const locked = await lockRecords<LeadRow>(tx, actor, leads, ids, 'edit')
  await checkSentLinks(tx, actor, 'leads', batch, locked)
  const tagged = await withoutDeletedTags(tags, batch, locked)
  const context = await loadLeadContext(tx, actor, batch, tags, [...tagged.values()])
  const before = withoutDeletedReasons(tagged, context)
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of batch.items) {
    const row = rowOf(after, 'leads', item, batch.faults, missing)
    if (row) after.set(row.id, changedLead(writer, context, item, row))
  }
  batch.faults.throwIfAny()
  await writeLeads(tx, writer, context, before, after)
  return changedAnswers(batch, after)
}

/** The writing half: writes the locked leads that changed and records them; answers their ids. */
export async function writeLeads(
  tx: Tx,
  writer: Writer,
  context: Pick<WritingContext, 'fields' | 'tags'>,
  before: ReadonlyMap<number, LeadRow>,
  after: ReadonlyMap<number, LeadRow>,
): Promise<number[]> {
  const changed = changedRows(before, after)
  const accepted = changed.flatMap((each) => (isAccepted(each) ? each.after.id : []))
  const notes = await systemNotes(tx, writer, accepted)
  const waiting = changed.flatMap(({ after: { unsorted_id } }) => unsorted_id ?? [])
  const entries = changed.flatMap((each) => {
    const { id, unsorted_id } = each.after
    if (isAccepted(each)) return addedEntry('leads', { id, note_id: notes.get(id)! })
    const entry = changedLeadEntry(each, context)
    return unsorted_id === null ? entry : [entry, changedItemEntry(unsorted_id)]
  })
  await together([
    updateRecords(tx, writer, leads, context.fields, changed),
    waiting.length > 0 ? tx.rows(touchItems(writer, waiting)) : undefined,
    record(tx, writer, entries),
  ])
  return changed.map((each) => each.after.id)
}

const isAccepted = ({ before, after }: RecordChange<LeadRow>) =>
  before.unsorted_id !== null && after.unsorted_id === null

/** The news of an unsorted item whose lead changed. */
const changedItemEntry = (id: number): Entry => updatedEntry('unsorted_items', id, {})

/** Dates the items of changed leads. One that is locked is being decided, and waits for its leads. */
export const touchItems = ({ accountId, userId, at }: Actor, items: number[]) => sql`
  with waiting as materialized (
    select id from unsorted_items
     where account_id = ${accountId} and id = any(${items}::bigint[]) and result is null
       for no key update skip locked
  )
  update unsorted_items item set updated_at = greatest(item.updated_at, ${at}::bigint), updated_by = ${userId}::bigint
    from waiting where item.account_id = ${accountId} and item.id = waiting.id`

/** The system notes of accepted leads, by the lead; they name the author and the time from now on. */
async function systemNotes(tx: Tx, writer: Writer, ids: number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const notes = await tx.rows<{ id: number; entity_id: number }>(sql`
    update notes set created_by = ${writer.userId}, updated_by = ${writer.userId}, created_at = ${writer.at}, updated_at = ${writer.at}
     where account_id = ${writer.accountId} and entity_type = 'leads' and entity_id = any(${ids}::bigint[]) and note_type = 'entity_added'
    returning id, entity_id`)
  return new Map(notes.map(({ id, entity_id }) => [entity_id, id]))
}

/**
 * Moves leads into the bin. Throws 404 where one does not exist, and 400 where one waits with an
 * unsorted item.
 */
export async function deleteLeads(tx: Tx, actor: Actor, ids: number[]): Promise<void> {
  const rows = await deleteRecords<LeadRow>(tx, actor, leads, ids)
  if (rows.some(({ unsorted_id }) => unsorted_id !== null))
    throw badRequest('This lead belongs to an unsorted item, which is accepted or declined')
}

/** The data from which the rows of leads are computed. */
export interface LeadContext extends WritingContext {
  stages: Stages
  /** The existing loss reasons among those that are sent or stored. */
  reasons: ReadonlySet<number>
  /** The sources of the integration that the batch names, by their external ids. */
  sources: ReadonlyMap<string, { id: number; pipeline_id: number }>
}

async function loadLeadContext(
  tx: Tx,
  actor: Actor,
  batch: Batch<LeadDraft>,
  tags: TagsOfBatch,
  stored: LeadRow[],
): Promise<LeadContext> {
  const sent = batch.items.map(({ value }) => value)
  const sources = await sourcesNamed(tx, actor, stored.length > 0 ? [] : sourceNamesOf(sent))
  const pipelines = [...sent, ...stored, ...sources.values()].flatMap(
    ({ pipeline_id }) => pipeline_id ?? [],
  )
  const statuses = sent.flatMap(({ status_id }) => status_id ?? [])
  const named = [...sent, ...stored].flatMap(({ loss_reason_id }) => loss_reason_id ?? [])
  const [shared, stages, reasons] = await together([
    loadContext(tx, actor, 'leads', batch, tags, stored),
    stagesAround(tx, actor, pipelines, statuses),
    lossReasonsAmong(tx, actor, named),
  ])
  return { ...shared, stages, reasons, sources }
}

/** The row of a new lead; faults go to the item. */
function newLead(actor: Actor, context: LeadContext, item: Item<LeadDraft>): DraftedRow<LeadRow> {
  const { price = 0, closed_at } = item.value
  const source = sourceOf(context, item)
  const stage = newStage(context, item, source?.pipeline_id)
  const shared = newColumns(actor, context, item)
  return {
    ...shared,
    price,
    ...stage,
    source_id: source?.id ?? null,
    loss_reason_id: reasonFor(context, item, item.request_id, item.value, stage.status_id, null),
    closed_at: isClosed(stage.status_id) ? (closed_at ?? null) : null,
    unsorted_id: null,
  }
}

/** Leads that begin closed are closed when they are written, where nobody says another time. */
const closedWhenWritten = (writer: Writer, drafts: Drafts<LeadRow>): Drafts<LeadRow> => ({
  ...drafts,
  rows: drafts.rows.map((row) =>
    isClosed(row.status_id) && row.closed_at === null
      ? { ...row, closed_at: timeOfChange(writer, row.created_at ?? writer.at) }
      : row,
  ),
})

/**
 * The row of a lead after a change, the same object where nothing changes; faults go to the item.
 */
function changedLead(
  writer: Writer,
  context: LeadContext,
  item: Item<Identified<LeadDraft>>,
  row: LeadRow,
): LeadRow {
  const sent = withoutStored<LeadDraft>(writer, item.value, row)
  const shared = changedColumns(context, item, row, sent)
  const stage = changedStage(context, item, row)
  // Entering won or lost sets a new closing time, also from the other of the two.
  const hasStayed = stage.status_id === row.status_id
  const closed_at =
    sent.closed_at ?? (hasStayed ? row.closed_at : timeOfChange(writer, shared.created_at))
  const next = {
    ...shared,
    name: shared.name === '' && sent.name !== undefined ? leads.untitled!(row.id) : shared.name,
    price: sent.price ?? row.price,
    ...stage,
    loss_reason_id: reasonFor(context, item, row.id, sent, stage.status_id, row.loss_reason_id),
    closed_at: isClosed(stage.status_id) ? closed_at : null,
    unsorted_id: context.stages.isUnsorted(stage.status_id) ? row.unsorted_id : null,
  }
  return touched(writer, row, next, sent)
}

/** The journal entry of a changed lead; pure. */
export function changedLeadEntry(
  change: RecordChange<LeadRow>,
  context: Pick<WritingContext, 'fields' | 'tags'>,
): Entry {
  const { before, after } = change
  const fields = changedFields(before, after)
  const isNewStage = fields.includes('status_id') || fields.includes('pipeline_id')
  const sale = ({ price }: LeadRow) => ({ sale_field_value: { sale: price } })
  const stage = ({ status_id: id, pipeline_id }: LeadRow) => ({ lead_status: { id, pipeline_id } })
  return changedEntry('leads', change, context, {
    actions: isNewStage ? ['status'] : [],
    events: [
      ...(fields.includes('price') ? [bothSides('sale_field_changed', before, after, sale)] : []),
      ...(isNewStage ? [bothSides('lead_status_changed', before, after, stage)] : []),
    ],
  })
}

/** A stored loss reason that was deleted counts as none, since answers no longer show it. */
function withoutDeletedReasons(
  rows: ReadonlyMap<number, LeadRow>,
  { reasons }: LeadContext,
): Map<number, LeadRow> {
  const existing = (id: number | null) => (id !== null && reasons.has(id) ? id : null)
  return new Map(
    [...rows].map(([id, row]) => [id, { ...row, loss_reason_id: existing(row.loss_reason_id) }]),
  )
}

/**
 * The loss reason of a lead in a status. Only lost leads have one, so a lead that leaves that
 * status loses its reason (interface: Stage of a lead). `about` is the name under which the problem
 * lists the lead.
 */
function reasonFor(
  { reasons, faults }: LeadContext,
  item: Item<unknown>,
  about: string | number,
  { loss_reason_id: sent }: LeadDraft,
  status_id: number,
  stored: number | null,
): number | null {
  if (sent && !reasons.has(sent))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'loss_reason_id',
      detail: `There is no loss reason ${sent}.`,
    })
  else if (sent && status_id !== lost)
    faults.refuse(
      about,
      `A loss reason is for a lead that is lost, in status ${lost}, and this one is in status ${status_id}.`,
    )
  if (status_id !== lost) return null
  return sent === undefined ? stored : sent
}

/** The integration's source that a new lead names. */
function sourceOf({ sources, faults }: LeadContext, item: Item<LeadDraft>) {
  const external_id = sourceNameOf(item.value)
  if (external_id === undefined) return undefined
  const source = sources.get(external_id)
  const path = '_embedded.source.external_id'
  const detail = `This integration has no source ${JSON.stringify(external_id)}.`
  if (!source) faults.add(item, { code: 'NotSupportedChoice', path, detail })
  return source
}

export function inStatus(statuses: LeadFilter['statuses']): Condition[] {
  if (!statuses) return []
  const pairs = statuses.map(
    ({ pipeline_id, status_id }) =>
      sql`record.pipeline_id = ${pipeline_id} and record.status_id = ${status_id}`,
  )
  const [one] = statuses
  if (!one || statuses.length > 1) return [{ passes: join(pairs, ' or '), streams: [] }]
  const beside = sql`record.pipeline_id = ${one.pipeline_id}`
  const pin = pinned({ beside, column: 'status_id', value: one.status_id })
  return [{ passes: join(pairs, ' or '), streams: ['id'], ...pin }]
}
