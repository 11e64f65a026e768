// How a tag that records have leaves, and comes back: by a job, which gives the records another tag or none before
// (docs/decisions/0102-jobs-of-definitions.md).
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import { badRequest, invalidValue, notFound } from '../../../http/problem.ts'
import { cancelTagCleanUp } from '../../../records/clean-ups.ts'
import { tagsChanged } from '../../../records/lists/tag-texts.ts'
import { holdTags, tagsByName } from '../../../records/tags.ts'
import type { Tag } from '../../../records/tags.ts'
import { refreshSegmentsLater } from '../segment-refresh/segment-refresh.ts'
import { insertTakenTag, lockTags, removeTag, segmentsAskingFor, tagsOfAccount } from './queries.ts'

/** A tag that leaves, and the one that its records get; null: none. */
export interface LeavingTag {
  entity_type: EntityType
  tag_id: number
  into_id: number | null
}

/**
 * The names of a tag and of the one that its records get, and whose tags these are. A tag is unknown: 404; both
 * are the same or of two types, or a segment enters or leaves customers by the tag: 400.
 */
export async function checkTagRemoval(
  reader: Reader,
  actor: Actor,
  { tag_id, into_id }: Omit<LeavingTag, 'entity_type'>,
): Promise<{ entity_type: EntityType; name: string; into: string }> {
  if (tag_id === into_id) throw invalidValue('NotSupportedChoice', 'into', 'This is the same tag.')
  const ids = [tag_id, ...(into_id === null ? [] : [into_id])]
  const tags = await reader.rows<Tag & { entity_type: EntityType }>(tagsOfAccount(actor, ids))
  const tag = tags.find(({ id }) => id === tag_id)
  const into = tags.find(({ id }) => id === into_id)
  if (!tag || tags.length < ids.length) throw notFound('Tag not found')
  if (into && into.entity_type !== tag.entity_type)
    throw invalidValue(
      'NotSupportedChoice',
      'into',
      `Tag ${into.name} is one of ${into.entity_type}, and ${tag.name} one of ${tag.entity_type}.`,
    )
  await refuseWhereAskedFor(reader, actor, tag_id)
  return { entity_type: tag.entity_type, name: tag.name, into: into?.name ?? '' }
}

/**
 * Nobody gives tags to records of the type before the transaction ends, and the tag is locked, as tags are before
 * records. Comes before all other locks.
 */
export async function holdTag(
  tx: Tx,
  actor: Actor,
  { entity_type, tag_id }: Pick<LeavingTag, 'entity_type' | 'tag_id'>,
): Promise<void> {
  await tagsChanged(tx, actor.accountId)
  await tx.rows(holdTags(actor.accountId, entity_type))
  await tx.rows(lockTags(actor, entity_type, [tag_id]))
}

/** Throws 404 where a tag that leaves, or the one that its records get, is gone. */
export async function requireTags(
  reader: Reader,
  actor: Actor,
  { tag_id, into_id }: LeavingTag,
): Promise<void> {
  const ids = [tag_id, ...(into_id === null ? [] : [into_id])]
  const tags = await reader.rows(tagsOfAccount(actor, ids))
  if (tags.length < ids.length) throw notFound('The tag does not exist any more')
}

/** Whether a tag is there. */
export async function isTag(
  reader: Reader,
  actor: Actor,
  { tag_id }: Pick<LeavingTag, 'tag_id'>,
): Promise<boolean> {
  return (await reader.rows(tagsOfAccount(actor, [tag_id]))).length > 0
}

/** Deletes a tag that no record has, under `holdTag`; answers all that `putBackTag` needs. */
export async function takeOutTag(
  tx: Tx,
  actor: Actor,
  { entity_type, tag_id }: LeavingTag,
): Promise<Tag> {
  await refuseWhereAskedFor(tx, actor, tag_id)
  const tag = await tx.row<Tag>(removeTag(actor, entity_type, tag_id))
  if (!tag) throw notFound('The tag does not exist any more')
  return tag
}

/** Brings a tag back under its id; one that is there stays. Another has its name now: 400. */
export async function putBackTag(
  tx: Tx,
  actor: Actor,
  { entity_type }: Pick<LeavingTag, 'entity_type'>,
  tag: Tag,
): Promise<void> {
  await tagsChanged(tx, actor.accountId)
  if (await isTag(tx, actor, { tag_id: tag.id })) return
  const namesake = (await tagsByName(tx, actor, entity_type, [tag.name])).get(tag.name)
  if (namesake) throw badRequest(`Another tag is called ${tag.name} now`)
  // A deletion by the interface has the records cleaned, which are to have the tag again.
  await cancelTagCleanUp(tx, actor, tag.id)
  await tx.rows(insertTakenTag(actor, entity_type, tag))
  if (entity_type === 'customers') await refreshSegmentsLater(tx, actor)
}

/** A segment whose conditions ask for a tag would gain or lose its customers on the way. */
async function refuseWhereAskedFor(reader: Reader, actor: Actor, tag: number): Promise<void> {
  const segment = await reader.row<{ name: string }>(segmentsAskingFor(actor, tag))
  if (segment)
    throw badRequest(
      `The conditions of the segment ${segment.name} name this tag: change them first`,
    )
}
