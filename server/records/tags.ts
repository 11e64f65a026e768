// Tags as records carry them: a list of ids on the record, in the order they were attached. The tags themselves are made here too, when
// a record names one that does not exist; their own methods are in features/tags.
import { Type } from 'typebox'
import type { Static } from 'typebox'
import sql from 'sql-template-tag'
import type { NewEvent } from '../changes/record.ts'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../access/actor.ts'
import type { Batch, Faults, Item } from '../http/batch.ts'
import { Id, Nullable, Text } from '../http/types.ts'
import type { EntityType } from '../entity-types.ts'
import type { SentRecord } from './schema.ts'

/** A tag belongs to one kind of record; the same name has another id in each kind (specification, Tag). */
export const Tag = Type.Object({
  id: Id,
  name: Type.String(),
  color: Nullable(
    Type.String({ description: 'Hexadecimal color without #; only tags of leads have one' }),
  ),
})
export type Tag = Static<typeof Tag>

/** How a record's body names a tag: by id, by name, or by both, and then the id decides. */
export const TagReference = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Text(255)), color: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
export type TagReference = Static<typeof TagReference>

/** The events of a record whose tags were replaced (specification, entity_tag_added and entity_tag_deleted). */
export function tagNews(
  before: number[],
  after: number[],
  name: (id: number) => string,
): NewEvent[] {
  const items = (ids: number[]) => ids.map((id) => ({ tag: { name: name(id) } }))
  const added = items(after.filter((id) => !before.includes(id)))
  const deleted = items(before.filter((id) => !after.includes(id)))
  return [
    ...(added.length ? [{ type: 'entity_tag_added', value_before: [], value_after: added }] : []),
    ...(deleted.length
      ? [{ type: 'entity_tag_deleted', value_before: deleted, value_after: [] }]
      : []),
  ]
}

/** The tags that a batch of records names, found or made. */
export interface TagsOfBatch {
  /** The ids for a list of references, without repetition, in their order. */
  ids(references: TagReference[]): number[]
  /** Looks up more tags, by id and by name. */
  learn(ids: number[], names: string[]): Promise<void>
  /** The name of a tag that the batch named or that was learnt. */
  name(id: number): string
  /** The tag of a name that was learnt; the database's rules of case decide. */
  idOf(name: string): number | undefined
}

/**
 * Prepares the tags of a batch: looks up ids and names, creates unknown names, faults unknown ids. Called before the records are locked,
 * always: all verbs lock tags first and records second, so that two of them cannot wait for each other.
 */
export async function resolveTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  { items, faults }: Batch<SentRecord>,
): Promise<TagsOfBatch> {
  const named = items.flatMap((item) => [
    { item, path: '_embedded.tags', references: item.value._embedded?.tags ?? [] },
    { item, path: 'tags_to_add', references: item.value.tags_to_add ?? [] },
  ])
  const references = named.flatMap(({ references }) => references)
  const names = new Map<number, string>()
  const known = await findById(
    tx,
    actor,
    type,
    references.flatMap(({ id }) => id ?? []),
  )
  for (const { item, path, references } of named)
    for (const [place, reference] of references.entries())
      checkReference(known, type, item, `${path}.${place}`, reference, faults)
  // Nothing is created for a batch that will be refused.
  const wanted = faults.any()
    ? []
    : references.flatMap(({ id, name }) => (id === undefined ? name!.trim() : []))
  const found = await findOrMake(tx, actor, type, [...new Set(wanted)])
  for (const tag of [...known.values(), ...found.values()]) names.set(tag.id, tag.name)
  return {
    ids: (references) => [
      ...new Set(references.map(({ id, name }) => id ?? found.get(name!.trim())!.id)),
    ],
    async learn(ids, more) {
      for (const tag of (
        await findById(
          tx,
          actor,
          type,
          ids.filter((id) => !names.has(id)),
        )
      ).values())
        names.set(tag.id, tag.name)
      for (const [name, tag] of await tagsByName(tx, actor, type, more)) found.set(name, tag)
    },
    name: (id) => names.get(id) ?? '',
    idOf: (name) => found.get(name.trim())?.id,
  }
}

function checkReference(
  known: ReadonlyMap<number, Tag>,
  type: EntityType,
  item: Item<unknown>,
  at: string,
  { id, name }: TagReference,
  faults: Faults,
): void {
  if (id === undefined && name === undefined)
    faults.add(item, {
      code: 'FieldMissing',
      path: `${at}.id`,
      detail: 'A tag is named by its id or its name.',
    })
  else if (id === undefined && name!.trim() === '')
    faults.add(item, {
      code: 'NotBlank',
      path: `${at}.name`,
      detail: 'This value should not be blank.',
    })
  else if (id !== undefined && !known.has(id))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: `${at}.id`,
      detail: `There is no tag ${id} of ${type}.`,
    })
}

async function findById(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  ids: number[],
): Promise<Map<number, Tag>> {
  if (ids.length === 0) return new Map()
  const tags = await tx.rows<Tag>(tagsWithIds(actor, type, [...new Set(ids)]))
  return new Map(tags.map((tag) => [tag.id, tag]))
}

async function findOrMake(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  names: string[],
): Promise<Map<string, Tag>> {
  const found = await tagsByName(tx, actor, type, names)
  if (found.size === names.length) return found
  await tx.rows(insertTags(actor, type, names, []))
  return tagsByName(tx, actor, type, names)
}

/** The tags of names, by the name as it was asked for (spaces around it do not count); the tag's own may differ in case. */
export async function tagsByName(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  names: string[],
): Promise<Map<string, Tag>> {
  if (names.length === 0) return new Map()
  const wanted = [...new Set(names.map((name) => name.trim()))]
  const tags = await tx.rows<Tag & { wanted: string }>(tagsNamed(actor, type, wanted))
  return new Map(tags.map(({ wanted, ...tag }) => [wanted, tag]))
}

/**
 * Adds the names that are new; answers nothing. Ids follow the order of the names, but rows are written in alphabetical order: the unique
 * index decides between two callers with one new name, and in one order they cannot wait for each other.
 */
export const insertTags = (
  actor: Actor,
  type: EntityType,
  names: string[],
  colors: (string | null)[],
) => sql`
  insert into tags (account_id, id, entity_type, name, color)
  select ${actor.accountId}::bigint, id, ${type}, name, color
    from (select nextval('tags_id') as id, name, color from unnest(${names}::text[], ${colors}::text[]) as given(name, color)) draft
   order by lower(name collate kontor), id
  on conflict (account_id, entity_type, lower(name collate kontor)) do nothing`

export const tagsWithIds = (actor: Actor, type: EntityType, ids: number[]) => sql`
  select id, name, color from tags
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`

/** The tag of each name that has one; `wanted` is the name as it was asked for. */
export const tagsNamed = (actor: Actor, type: EntityType, names: string[]) => sql`
  select tag.id, tag.name, tag.color, wanted.name as wanted
    from unnest(${names}::text[]) as wanted(name)
    join tags tag on tag.account_id = ${actor.accountId} and tag.entity_type = ${type}
                 and lower(tag.name collate kontor) = lower(wanted.name collate kontor)`
