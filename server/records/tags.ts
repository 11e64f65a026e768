// Tags of records: a list of ids on the record, in the order they were attached. Tags that a record
// names by a new name are created here; the routes of tags are in features/definitions/tags.
import type { Static } from 'typebox'
import sql from 'sql-template-tag'
import type { NewEvent } from '../changes/record.ts'
import { unavailable } from '../http/problem.ts'
import { rowsByKey } from '../database/by-key.ts'
import type { Tx } from '../database/connect.ts'
import { together } from '../database/together.ts'
import type { Actor } from '../access/actor.ts'
import type { Batch, Faults, Item } from '../http/batch.ts'
import { Type } from '../http/type.ts'
import { Id, Nullable, Text } from '../http/types.ts'
import type { EntityType } from '../entity-types.ts'
import type { SentRecord } from './schema.ts'

/** A tag belongs to one entity type; the same name has another id in each (interface: Tag). */
export const Tag = Type.Object({
  id: Id,
  name: Type.String(),
  color: Nullable(
    Type.String({ description: 'Hexadecimal color without #; only tags of leads have one' }),
  ),
})
export type Tag = Static<typeof Tag>

/** A tag in a record's body: an id, a name, or both, in which case the id counts. */
export const TagReference = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Text(255)), color: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
export type TagReference = Static<typeof TagReference>

/** The tags that a body names: where it has a list of all tags, `tags_to_add` counts as not sent. */
export const tagsOfDraft = ({ _embedded, tags_to_add }: SentRecord): TagReference[] =>
  _embedded?.tags ?? tags_to_add ?? []

/**
 * The events of a record whose tags were replaced (interface: Values of events).
 */
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

/** The tags that a batch of records names, both existing and new. */
export interface TagsOfBatch {
  /** The ids for a list of references, without duplicates, in their order. */
  ids(references: TagReference[]): number[]
  /** Looks up further tags by id and by name. */
  learn(ids: number[], names: string[]): Promise<void>
  /** Whether a tag exists; the batch named it, or it was looked up. */
  has(id: number): boolean
  /** The name of a tag that the batch named or that was looked up. */
  name(id: number): string
  /** The tag of a name that was looked up, under the database's rules of case. */
  idOf(name: string): number | undefined
}

/**
 * Prepares the tags of a batch: looks up ids and names, creates unknown names, adds faults for
 * unknown ids. Every verb calls this before it locks records: tags first, records second, so that
 * no two verbs wait for each other.
 */
export async function resolveTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  batch: Batch<SentRecord>,
): Promise<TagsOfBatch> {
  const sent = batch.items.flatMap(({ value }) =>
    tagsOfDraft(value).flatMap(({ id, name }) => (id === undefined && name ? name.trim() : [])),
  )
  const wanted = [...new Set(sent)]
  const { known, found } = await lookUpTags(tx, actor, type, batch, wanted)
  const names = new Map<number, string>()
  // Nothing is created for a batch that will be refused.
  const byName = batch.faults.any()
    ? new Map<string, Tag>()
    : await findOrMakeTags(
        tx,
        actor,
        type,
        wanted.map((name) => ({ name, color: null })),
        found,
      )
  for (const tag of [...known.values(), ...byName.values()]) names.set(tag.id, tag.name)
  return {
    ids: (references) => [
      ...new Set(references.map(({ id, name }) => id ?? byName.get(name!.trim())!.id)),
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
      for (const [name, tag] of await tagsByName(tx, actor, type, more)) byName.set(name, tag)
    },
    has: (id) => names.has(id),
    name: (id) => names.get(id) ?? '',
    idOf: (name) => byName.get(name.trim())?.id,
  }
}

/**
 * A verb that gives tags to records of a type calls this before the tags are read: until the transaction
 * ends, no tag of theirs leaves by `holdTags`, and one that has left is seen to be gone.
 */
export const keepTags = (accountId: number, type: EntityType) =>
  sql`select pg_advisory_xact_lock_shared(${tagsOfType(accountId, type)})`

/**
 * Waits for all who are giving tags to records of a type; others wait until the transaction ends. They
 * may have locked records: the caller waits for none from then on.
 */
export const holdTags = (accountId: number, type: EntityType) =>
  sql`select pg_advisory_xact_lock(${tagsOfType(accountId, type)})`

const tagsOfType = (accountId: number, type: EntityType) =>
  sql`hashtextextended(${`kontor tags of ${type}`}, ${accountId}::bigint)`

/** Looks up the ids of the tags that a batch names, and adds its faults. Nothing is created. */
export async function checkTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  batch: Batch<SentRecord>,
): Promise<void> {
  await lookUpTags(tx, actor, type, batch, [])
}

/** The same; answers the tags that the batch names by their ids, and those of the names. */
async function lookUpTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  { items, faults }: Batch<SentRecord>,
  names: string[],
): Promise<{ known: ReadonlyMap<number, Tag>; found: Map<string, Tag> }> {
  const named = items.map((item) => ({
    item,
    path: item.value._embedded?.tags ? '_embedded.tags' : 'tags_to_add',
    references: tagsOfDraft(item.value),
  }))
  const references = named.flatMap((each) => each.references)
  // The lock comes first; the statements behind it see what others have committed while it waited.
  const [, known, found] = await together([
    references.length > 0 ? tx.rows(keepTags(actor.accountId, type)) : undefined,
    findById(
      tx,
      actor,
      type,
      references.flatMap(({ id }) => id ?? []),
    ),
    tagsByName(tx, actor, type, names),
  ])
  for (const { item, path, references } of named)
    for (const [index, reference] of references.entries())
      checkReference(known, type, item, `${path}.${index}`, reference, faults)
  for (const item of items)
    for (const [index, { id, name }] of (item.value.tags_to_delete ?? []).entries())
      if (id === undefined && name === undefined)
        faults.add(item, unnamed(`tags_to_delete.${index}`))
  return { known, found }
}

const unnamed = (at: string) =>
  ({
    code: 'FieldMissing',
    path: `${at}.id`,
    detail: 'A tag is named by its id or its name.',
  }) as const

function checkReference(
  known: ReadonlyMap<number, Tag>,
  type: EntityType,
  item: Item<unknown>,
  at: string,
  { id, name }: TagReference,
  faults: Faults,
): void {
  if (id === undefined && name === undefined) faults.add(item, unnamed(at))
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

/**
 * The tags of these names (without surrounding spaces, in any case); missing ones are created. A tag
 * that is renamed or deleted between two statements leaves its name free, so the name is tried again.
 * `found` are those that were looked up already.
 */
export async function findOrMakeTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  drafts: Omit<Tag, 'id'>[],
  found?: Map<string, Tag>,
): Promise<Map<string, Tag>> {
  const names = drafts.map(({ name }) => name)
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const byName = (attempt === 0 && found) || (await tagsByName(tx, actor, type, names))
    const missing = drafts.filter(({ name }) => !byName.has(name))
    if (missing.length === 0) return byName
    await tx.rows(insertTags(actor, type, missing))
  }
  throw unavailable('The tags of these names are being changed all the time, try again')
}

/** A second attempt is rare, and a third needs two changes between statements. */
const mostAttempts = 20

/**
 * Tags by the names as given, without surrounding spaces; the name of the tag itself may differ in
 * case.
 */
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
 * Adds the names that are new; answers no rows. Ids follow the order of the names, but rows are
 * written in alphabetical order. The unique index decides between two callers with the same new
 * name, and in one order they cannot wait for each other.
 */
const insertTags = (actor: Actor, type: EntityType, drafts: Omit<Tag, 'id'>[]) => {
  const names = drafts.map(({ name }) => name)
  const colors = drafts.map(({ color }) => color)
  return sql`
  insert into tags (account_id, id, entity_type, name, color)
  select ${actor.accountId}::bigint, id, ${type}, name, color
    from (select nextval('tags_id') as id, name, color from unnest(${names}::text[], ${colors}::text[]) as given(name, color)) draft
   order by lower(name collate kontor), id
  on conflict (account_id, entity_type, lower(name collate kontor)) do nothing`
}

export const tagsWithIds = (actor: Actor, type: EntityType, ids: number[]) => sql`
  select id, name, color from ${rowsByKey('tags', actor.accountId, ids)} tag where entity_type = ${type}`

/**
 * The tag of each name that has one; `wanted` is the name as given. The names are looked up in the
 * index one by one: a join would read all tags of the account, of which few are named. `(select …)`
 * hides the number of names from the planner, which would otherwise plan each call anew for it.
 */
export const tagsNamed = (actor: Actor, type: EntityType, names: string[]) => sql`
  select tag.id, tag.name, tag.color, wanted.name as wanted
    from unnest((select ${names}::text[])) as wanted(name),
         lateral (select id, name, color from tags
                   where account_id = ${actor.accountId} and entity_type = ${type}
                     and lower(name collate kontor) = lower(wanted.name collate kontor)
                  offset 0) tag`
