// Companies: only what all records have (interface: Company).
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import { record } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { Batch } from '../../../http/batch.ts'
import type { RecordDescription } from '../../../records/description.ts'
import { constant, number, numbers, textMember } from '../../../records/lists/members.ts'
import { groupShown } from '../../../records/lists/select.ts'
import type { Identified } from '../../../records/schema.ts'
import { resolveTags } from '../../../records/tags.ts'
import type { TagsOfBatch } from '../../../records/tags.ts'
import {
  changedAnswers,
  changedColumns,
  changedEntry,
  lockRecords,
  changedRows,
  rowOf,
  touched,
  updateRecords,
  withoutDeletedTags,
  withoutStored,
} from '../../../records/writing/change.ts'
import type { ChangedRecord, Missing } from '../../../records/writing/change.ts'
import { loadContext } from '../../../records/writing/context.ts'
import { addRecords, createdAnswers, newColumns } from '../../../records/writing/create.ts'
import type { CreatedRecord, Drafts } from '../../../records/writing/create.ts'
import { checkNewLinks, checkSentLinks, linkNew, namesLinks } from '../links/links.ts'
import { Company, companyWith } from './schema.ts'
import type { CompanyDraft, CompanyRow } from './schema.ts'
import { companyForm } from './webhook.ts'

export const companies: RecordDescription = {
  type: 'companies',
  columns: {},
  keys: Object.keys(Company.properties),

  news: {
    browser: ['add', 'update', 'responsible', 'delete', 'restore', 'note', 'update_note'],
    webhook: ['add', 'update', 'responsible', 'delete', 'restore', 'note'],
    isHeardBy: (actor, row) => sees(actor, 'companies', row as ViewedRow),
  },
  webhook: companyForm,

  members: (actor) => [
    number('id'),
    textMember('name'),
    number('responsible_user_id'),
    number('group_id', groupShown(actor)),
    ...numbers('created_by', 'updated_by', 'created_at', 'updated_at', 'closest_task_at'),
    constant('is_deleted', false),
    number('account_id'),
  ],

  with: companyWith,
  embeds: { always: [], wanted: ['contacts', 'leads', 'customers', 'catalog_elements'] },
}

/** Creates companies. One faulty item refuses the batch; the problem lists every faulty item. */
export async function createCompanies(
  tx: Tx,
  actor: Actor,
  batch: Batch<CompanyDraft>,
): Promise<CreatedRecord[]> {
  requireRight(actor, 'companies', 'add')
  const tags = await resolveTags(tx, actor, 'companies', batch)
  const links = await checkNewLinks(tx, actor, 'companies', batch)
  const drafts = await draftCompanies(tx, actor, batch, tags)
  batch.faults.throwIfAny()
  const writer = startWriting(tx, actor)
  const ids = await addCompanies(tx, writer, { ...drafts, mayHaveLinks: namesLinks(batch) })
  await linkNew(tx, writer, 'companies', ids, links)
  return createdAnswers(batch, ids)
}

/** The checking half: the rows for the items. Tags are resolved before. */
export async function draftCompanies(
  tx: Tx,
  actor: Actor,
  batch: Batch<CompanyDraft>,
  tags: TagsOfBatch,
): Promise<Drafts<CompanyRow>> {
  const context = await loadContext(tx, actor, 'companies', batch, tags)
  return { rows: batch.items.map((item) => newColumns(actor, context, item)), context }
}

/**
 * The writing half: inserts companies without faults and records them; answers their ids in order.
 */
export async function addCompanies(
  tx: Tx,
  writer: Writer,
  drafts: Drafts<CompanyRow>,
): Promise<number[]> {
  return addRecords(tx, writer, companies, drafts)
}

/**
 * Changes companies. Two items for one company apply one after the other and make one change.
 * Throws 403 for a company that the actor may not edit.
 */
export async function changeCompanies(
  tx: Tx,
  actor: Actor,
  batch: Batch<Identified<CompanyDraft>>,
  missing: Missing = 'fault',
): Promise<ChangedRecord[]> {
  requireRight(actor, 'companies', 'edit')
  const tags = await resolveTags(tx, actor, 'companies', batch)
  const ids = batch.items.map(({ value }) => value.id)
  const locked = await lockRecords<CompanyRow>(tx, actor, companies, ids, 'edit')
  await checkSentLinks(tx, actor, 'companies', batch, locked)
  const before = await withoutDeletedTags(tags, batch, locked)
  const context = await loadContext(tx, actor, 'companies', batch, tags, [...before.values()])
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of batch.items) {
    const row = rowOf(after, 'companies', item, batch.faults, missing)
    if (!row) continue
    const sent = withoutStored<CompanyDraft>(writer, item.value, row)
    after.set(row.id, touched(writer, row, changedColumns(context, item, row, sent), sent))
  }
  batch.faults.throwIfAny()
  const changed = changedRows(before, after)
  const entries = changed.map((each) => changedEntry('companies', each, context))
  await together([
    updateRecords(tx, writer, companies, context.fields, changed),
    record(tx, writer, entries),
  ])
  return changedAnswers(batch, after)
}
