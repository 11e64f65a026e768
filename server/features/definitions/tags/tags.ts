// Tags: names that records are sorted by, kept for each entity type. Records hold the ids of their
// tags, and pages are made from the tags that exist. So a new name or color shows at once, and a
// deleted tag is gone from all answers with its commit; the background clean-up then removes its id
// from the records. Nothing of this is recorded: the event log knows tags as parts of records only.
import { levelOf, mayNone } from '../../../access/record-rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { Batch } from '../../../http/batch.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { cleanUpLater } from '../../../records/clean-ups.ts'
import { tagsChanged } from '../../../records/lists/tag-texts.ts'
import { findOrMakeTags } from '../../../records/tags.ts'
import type { Tag } from '../../../records/tags.ts'
import { refreshSegmentsLater } from '../segment-refresh/segment-refresh.ts'
import { mostUses } from '../../../records/placement.ts'
import {
  lockTags,
  managedTagList,
  releaseNames,
  removeTag,
  tagsOfTakenNames,
  updateTags,
} from './queries.ts'
import { mostManaged, tagColors } from './schema.ts'
import type { ManagedTag, ManagedTagQuery, ManagedTags, NewTag, TagChange } from './schema.ts'

export { tagSummaries } from './queries.ts'
export { checkTagRemoval, holdTag, isTag, putBackTag, requireTags, takeOutTag } from './removal.ts'
export type { LeavingTag } from './removal.ts'

/**
 * Creates tags; one answer per item, in request order. An existing name is answered with its tag.
 * Throws 403 for an actor who may neither add nor edit records of the type.
 */
export async function createTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  { items, faults }: Batch<NewTag>,
): Promise<WrittenTag[]> {
  requireRightToCreateTags(actor, type)
  for (const item of items)
    for (const fault of colorFaults(type, item.value)) faults.add(item, fault)
  faults.throwIfAny()
  const drafts = items.map(({ value }) => ({
    name: value.name.trim(),
    color: colorOf(type, value.color),
  }))
  const tags = await findOrMakeTags(tx, actor, type, drafts)
  return items.map(({ request_id }, index) => ({ ...tags.get(drafts[index]!.name)!, request_id }))
}

/** A tag in the answer to a creation or a change. */
export type WrittenTag = Tag & { request_id: string }

/**
 * Changes names and colors; one answer per item, in request order. Two items for one tag apply one
 * after the other. An unknown tag is a fault of its item, or a 404 problem.
 */
export async function changeTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  { items, faults }: Batch<TagChange>,
  missing: 'fault' | 'notFound' = 'fault',
): Promise<WrittenTag[]> {
  requireRightToChangeTags(actor, type)
  const ids = [...new Set(items.map(({ value }) => value.id))]
  await tagsChanged(tx, actor.accountId)
  const rows = await tx.rows<Tag>(lockTags(actor, type, ids))
  const before = new Map(rows.map((tag) => [tag.id, tag]))
  const after = new Map(before)
  for (const item of items) {
    const tag = after.get(item.value.id)
    if (!tag && missing === 'notFound') throw notFound()
    if (tag) after.set(tag.id, changedTag(type, tag, item.value))
    else faults.add(item, noSuchTag(type, item.value.id))
    for (const fault of colorFaults(type, item.value)) faults.add(item, fault)
  }
  const changed = [...after.values()].filter((tag) => !isSame(tag, before.get(tag.id)!))
  const renamed = changed.filter(({ id, name }) => name !== before.get(id)!.name)
  const others = [...before.values()].filter(({ id }) => renamed.every((tag) => tag.id !== id))
  if (renamed.length > 0) {
    const taken = await tx.rows<Pick<Tag, 'id'>>(
      tagsOfTakenNames(actor, type, [...others, ...renamed]),
    )
    for (const { id } of taken)
      faults.add(
        items.findLast(({ value }) => value.id === id)!,
        nameTaken,
      )
  }
  faults.throwIfAny()
  if (renamed.length > 1) await tx.rows(releaseNames(actor, renamed))
  if (changed.length > 0) await tx.rows(updateTags(actor, changed))
  return items.map(({ value, request_id }) => ({ ...after.get(value.id)!, request_id }))
}

/** Tags of a type by their names, with their uses; `has_more` where others come after them. */
export async function manageTags(
  reader: Reader,
  actor: Actor,
  type: EntityType,
  { limit = mostManaged, ...page }: ManagedTagQuery,
): Promise<ManagedTags> {
  const statement = managedTagList(actor, type, { ...page, limit: limit + 1 }, mostUses)
  const tags = await reader.list<ManagedTag>(statement)
  return { _embedded: { tags: tags.slice(0, limit) }, has_more: tags.length > limit }
}

/** Deletes a tag; its records lose it at the commit. Throws 404 for an unknown tag. */
export async function deleteTag(tx: Tx, actor: Actor, type: EntityType, id: number): Promise<void> {
  requireRightToChangeTags(actor, type)
  await tagsChanged(tx, actor.accountId)
  if (!(await tx.row(removeTag(actor, type, id)))) throw notFound()
  await cleanUpLater(tx, actor, { entity_type: type, tag_id: id })
  if (type === 'customers') await refreshSegmentsLater(tx, actor)
}

/** Throws 403 for an actor who may neither add nor edit records of the type. */
export function requireRightToCreateTags(actor: Actor, type: EntityType): void {
  if (mayNone(actor, type, 'add') && mayNone(actor, type, 'edit'))
    throw forbidden(`You have no right to add or edit ${type}`)
}

/**
 * The tags of an account are everybody's: a new name or a deletion changes all records that have
 * the tag, so it needs the right to edit all of them. The rights of single statuses do not count.
 */
export function requireRightToChangeTags(actor: Actor, type: EntityType): void {
  if (levelOf(actor, type, 'edit') !== 'A')
    throw forbidden(`Tags of ${type} are changed by those who may edit all ${type}`)
}

function changedTag(type: EntityType, tag: Tag, { name, color }: TagChange): Tag {
  return {
    ...tag,
    name: name?.trim() ?? tag.name,
    color: color === undefined ? tag.color : colorOf(type, color),
  }
}

/** The color as it is stored: only tags of leads have one. */
function colorOf(type: EntityType, color: string | null | undefined): string | null {
  return type === 'leads' && color ? color.toUpperCase() : null
}

function colorFaults(type: EntityType, { color }: Pick<NewTag, 'color'>): Fault[] {
  const stored = colorOf(type, color)
  if (stored === null || tagColors.includes(stored)) return []
  const detail = `The value you selected is not a valid choice. Colors: ${tagColors.join(', ')}`
  return [{ code: 'NotSupportedChoice', path: 'color', detail }]
}

const isSame = (one: Tag, other: Tag) => one.name === other.name && one.color === other.color

const noSuchTag = (type: EntityType, id: number): Fault => ({
  code: 'EntityNotFound',
  path: 'id',
  detail: `There is no tag ${id} of ${type}.`,
})

const nameTaken: Fault = { code: 'NotUnique', path: 'name', detail: 'Another tag has this name.' }
