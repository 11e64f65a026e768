// Contacts: people, with a name in two parts (interface: Contact).
import sql from 'sql-template-tag'
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import { record } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { DraftedRow, RecordDescription } from '../../../records/description.ts'
import { constant, number, numbers, textMember } from '../../../records/lists/members.ts'
import { groupShown, nothingYet } from '../../../records/lists/select.ts'
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
import type { WritingContext } from '../../../records/writing/context.ts'
import { addRecords, createdAnswers, newColumns } from '../../../records/writing/create.ts'
import type { CreatedRecord, Drafts } from '../../../records/writing/create.ts'
import { checkNewLinks, checkSentLinks, linkNew, namesLinks } from '../links/links.ts'
import { Contact, contactWith } from './schema.ts'
import type { ContactDraft, ContactRow } from './schema.ts'
import { contactForm } from './webhook.ts'

export const contacts: RecordDescription = {
  type: 'contacts',
  columns: { first_name: 'text', last_name: 'text' },
  keys: Object.keys(Contact.properties),

  news: {
    browser: ['add', 'update', 'responsible', 'delete', 'restore', 'note', 'update_note'],
    webhook: ['add', 'update', 'responsible', 'delete', 'restore', 'note'],
    isHeardBy: (actor, row) => sees(actor, 'contacts', row as ViewedRow),
  },
  webhook: contactForm,

  members: (actor) => [
    number('id'),
    ...['name', 'first_name', 'last_name'].map(textMember),
    number('responsible_user_id'),
    number('group_id', groupShown(actor)),
    ...numbers('created_by', 'updated_by', 'created_at', 'updated_at', 'closest_task_at'),
    constant('is_deleted', false),
    constant('is_unsorted', false),
    number('account_id'),
  ],

  with: contactWith,
  embeds: { always: ['companies'], wanted: ['leads', 'customers', 'catalog_elements'] },
  extras: nothingYet('social_profiles'),

  searched: ({ first_name, last_name }: Omit<ContactRow, 'id'>) => [first_name, last_name],
}

/** Creates contacts. One faulty item refuses the batch; the problem lists every faulty item. */
export async function createContacts(
  tx: Tx,
  actor: Actor,
  batch: Batch<ContactDraft>,
): Promise<CreatedRecord[]> {
  requireRight(actor, 'contacts', 'add')
  const tags = await resolveTags(tx, actor, 'contacts', batch)
  const links = await checkNewLinks(tx, actor, 'contacts', batch)
  const drafts = await draftContacts(tx, actor, batch, tags)
  batch.faults.throwIfAny()
  const writer = startWriting(tx, actor)
  const ids = await addContacts(tx, writer, { ...drafts, mayHaveLinks: namesLinks(batch) })
  await linkNew(tx, writer, 'contacts', ids, links)
  return createdAnswers(batch, ids)
}

/** The checking half: the rows for the items. Tags are resolved before. */
export async function draftContacts(
  tx: Tx,
  actor: Actor,
  batch: Batch<ContactDraft>,
  tags: TagsOfBatch,
): Promise<Drafts<ContactRow>> {
  const [context, joinName] = await together([
    loadContext(tx, actor, 'contacts', batch, tags),
    nameJoiner(tx, actor, batch),
  ])
  const rows = batch.items.map((item) => newContact(actor, context, joinName, item))
  return { rows, context }
}

/**
 * The writing half: inserts contacts without faults and records them; answers their ids in order.
 */
export async function addContacts(
  tx: Tx,
  writer: Writer,
  drafts: Drafts<ContactRow>,
): Promise<number[]> {
  return addRecords(tx, writer, contacts, drafts)
}

/**
 * Changes contacts. Two items for one contact apply one after the other and make one change. Throws
 * 403 for a contact that the actor may not edit.
 */
export async function changeContacts(
  tx: Tx,
  actor: Actor,
  batch: Batch<Identified<ContactDraft>>,
  missing: Missing = 'fault',
): Promise<ChangedRecord[]> {
  requireRight(actor, 'contacts', 'edit')
  const tags = await resolveTags(tx, actor, 'contacts', batch)
  const ids = batch.items.map(({ value }) => value.id)
  const locked = await lockRecords<ContactRow>(tx, actor, contacts, ids, 'edit')
  await checkSentLinks(tx, actor, 'contacts', batch, locked)
  const before = await withoutDeletedTags(tags, batch, locked)
  const [context, joinName] = await together([
    loadContext(tx, actor, 'contacts', batch, tags, [...before.values()]),
    nameJoiner(tx, actor, batch),
  ])
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of batch.items) {
    const row = rowOf(after, 'contacts', item, batch.faults, missing)
    if (row) after.set(row.id, changedContact(writer, context, joinName, item, row))
  }
  batch.faults.throwIfAny()
  await writeContacts(tx, writer, context, before, after)
  return changedAnswers(batch, after)
}

/**
 * The writing half: writes the locked contacts that changed and records them; answers their ids.
 */
export async function writeContacts(
  tx: Tx,
  writer: Writer,
  context: Pick<WritingContext, 'fields' | 'tags'>,
  before: ReadonlyMap<number, ContactRow>,
  after: ReadonlyMap<number, ContactRow>,
): Promise<number[]> {
  const changed = changedRows(before, after)
  const entries = changed.map((each) => changedEntry('contacts', each, context))
  await together([
    updateRecords(tx, writer, contacts, context.fields, changed),
    record(tx, writer, entries),
  ])
  return changed.map((each) => each.after.id)
}

type JoinName = (first_name: string, last_name: string) => string

/**
 * Joins the two parts of a name in the account's order. The account is read only where a part is
 * sent.
 */
async function nameJoiner(tx: Tx, actor: Actor, { items }: Batch<ContactDraft>): Promise<JoinName> {
  const isInParts = items.some(
    ({ value }) => value.first_name !== undefined || value.last_name !== undefined,
  )
  const account = isInParts
    ? await tx.row<{ order: number }>(
        sql`select contact_name_display_order as order from accounts where id = ${actor.accountId}`,
      )
    : undefined
  const isLastFirst = account?.order === 2
  return (first, last) => (isLastFirst ? [last, first] : [first, last]).filter(Boolean).join(' ')
}

/** The row of a new contact; faults go to the item. */
function newContact(
  actor: Actor,
  context: WritingContext,
  joinName: JoinName,
  item: Item<ContactDraft>,
): DraftedRow<ContactRow> {
  const { value } = item
  const shared = newColumns(actor, context, item)
  const first_name = value.first_name?.trim() ?? ''
  const last_name = value.last_name?.trim() ?? ''
  const name = value.name === undefined ? joinName(first_name, last_name) : shared.name
  return { ...shared, first_name, last_name, name }
}

/**
 * The row of a contact after a change, the same object where nothing changes; faults go to the
 * item.
 */
function changedContact(
  writer: Writer,
  context: WritingContext,
  joinName: JoinName,
  item: Item<Identified<ContactDraft>>,
  row: ContactRow,
): ContactRow {
  const sent = withoutStored<ContactDraft>(writer, item.value, row)
  const shared = changedColumns(context, item, row, sent)
  const first_name = sent.first_name?.trim() ?? row.first_name
  const last_name = sent.last_name?.trim() ?? row.last_name
  const isInParts = sent.first_name !== undefined || sent.last_name !== undefined
  const isRenamed = sent.name === undefined && isInParts
  const name = isRenamed ? joinName(first_name, last_name) : shared.name
  return touched(writer, row, { ...shared, first_name, last_name, name }, sent)
}
