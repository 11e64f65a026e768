import type { Tx } from '../../database/connect.ts'
import type { EntityType } from '../../entities/kinds.ts'
import type { Actor } from '../../http/access.ts'
import type { Batch, Faults, Item } from '../../http/batch.ts'
import { insertTags, tagsById, tagsByName } from './queries.ts'
import { tagColors } from './schema.ts'
import type { NewTag, Tag, TagReference } from './schema.ts'

/** Creates tags, one answer per item in the order of the question; a name that exists already answers with its id. */
export async function createTags(tx: Tx, actor: Actor, type: EntityType, { items, faults }: Batch<NewTag>) {
  for (const item of items) {
    if (item.value.name.trim() === '')
      faults.add(item, { code: 'NotBlank', path: 'name', detail: 'This value should not be blank.' })
    const color = item.value.color?.toUpperCase()
    if (type === 'leads' && color && !tagColors.includes(color))
      faults.add(item, {
        code: 'NotSupportedChoice',
        path: 'color',
        detail: `The value you selected is not a valid choice. Colors: ${tagColors.join(', ')}`,
      })
  }
  faults.throwIfAny()
  const names = items.map((item) => item.value.name.trim())
  const colors = items.map((item) => (type === 'leads' ? (item.value.color?.toUpperCase() ?? null) : null))
  await tx.rows(insertTags(actor, type, names, colors))
  const tags = await findByName(tx, actor, type, names)
  return items.map(({ request_id }, place) => ({ ...tags.get(names[place]!)!, request_id }))
}

/** The tags that a batch of records names, found or made: looks up ids and names, creates unknown names, faults unknown ids. */
export interface TagsOfBatch {
  /** The ids for a list of references, without repetition, in their order. */
  ids(references: TagReference[]): number[]
  /** The name of a tag that the batch or its records named. */
  name(id: number): string
}

/**
 * Prepares the tags of a batch. Called before the records are locked, always: all verbs lock tags first and records second,
 * so that two of them cannot wait for each other.
 */
export async function tagsOfBatch(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  named: { item: Item<unknown>; path: string; references: TagReference[] }[],
  faults: Faults,
): Promise<TagsOfBatch> {
  const references = named.flatMap(({ references }) => references)
  const byId = await findById(
    tx,
    actor,
    type,
    references.flatMap(({ id }) => id ?? []),
  )
  for (const { item, path, references } of named) {
    for (const [place, { id, name }] of references.entries()) {
      const at = `${path}.${place}`
      if (id === undefined && name === undefined)
        faults.add(item, { code: 'FieldMissing', path: `${at}.id`, detail: 'A tag is named by its id or its name.' })
      else if (id === undefined && name!.trim() === '')
        faults.add(item, { code: 'NotBlank', path: `${at}.name`, detail: 'This value should not be blank.' })
      else if (id !== undefined && !byId.has(id))
        faults.add(item, { code: 'NotSupportedChoice', path: `${at}.id`, detail: `There is no tag ${id} of ${type}.` })
    }
  }
  // Nothing is created for a batch that will be refused.
  const names = faults.any() ? [] : references.flatMap(({ id, name }) => (id === undefined ? name!.trim() : []))
  const found = await findOrMakeByName(tx, actor, type, [...new Set(names)])
  const nameOf = new Map([...byId.values(), ...found.values()].map((tag) => [tag.id, tag.name]))
  return {
    ids: (references) => [...new Set(references.map(({ id, name }) => id ?? found.get(name!.trim())!.id))],
    name: (id) => nameOf.get(id)!,
  }
}

/** The names of tags by id, for telling which were attached and detached. */
export async function tagNames(tx: Tx, actor: Actor, type: EntityType, ids: number[]): Promise<Map<number, string>> {
  const tags = await findById(tx, actor, type, ids)
  return new Map([...tags.values()].map(({ id, name }) => [id, name]))
}

/** The ids of the tags that have these names, by the name as it was asked for (spaces around it do not count). */
export async function tagIds(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  names: string[],
): Promise<(name: string) => number | undefined> {
  const tags = await findByName(
    tx,
    actor,
    type,
    names.map((name) => name.trim()),
  )
  return (name) => tags.get(name.trim())?.id
}

async function findById(tx: Tx, actor: Actor, type: EntityType, ids: number[]): Promise<Map<number, Tag>> {
  if (ids.length === 0) return new Map()
  const tags = await tx.rows<Tag>(tagsById(actor, type, [...new Set(ids)]))
  return new Map(tags.map((tag) => [tag.id, tag]))
}

/** By the name as it was asked for; the tag's own may differ in case. */
async function findByName(tx: Tx, actor: Actor, type: EntityType, names: string[]): Promise<Map<string, Tag>> {
  if (names.length === 0) return new Map()
  const tags = await tx.rows<Tag & { wanted: string }>(tagsByName(actor, type, [...new Set(names)]))
  return new Map(tags.map(({ wanted, ...tag }) => [wanted, tag]))
}

async function findOrMakeByName(tx: Tx, actor: Actor, type: EntityType, names: string[]): Promise<Map<string, Tag>> {
  const found = await findByName(tx, actor, type, names)
  if (found.size === names.length) return found
  await tx.rows(
    insertTags(
      actor,
      type,
      names,
      names.map(() => null),
    ),
  )
  return findByName(tx, actor, type, names)
}
