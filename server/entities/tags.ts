// Tags as records carry them: a list of ids on the record, in the order they were attached. The tags themselves are made here too, when
// a record names one that does not exist; their own methods are in features/tags.
import { Type } from 'typebox'
import type { Static } from 'typebox'
import sql from 'sql-template-tag'
import type { NewEvent } from '../changes/record.ts'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../http/access.ts'
import type { Faults, Item } from '../http/batch.ts'
import { Id, Nullable, Text } from '../http/types.ts'
import type { EntityType } from './kinds.ts'
import type { Sent } from './schema.ts'

/** A tag belongs to one kind of record; the same name has another id in each kind (specification, Tag). */
export const Tag = Type.Object({
  id: Id,
  name: Type.String(),
  color: Nullable(Type.String({ description: 'Hexadecimal without #, on tags of leads only' })),
})
export type Tag = Static<typeof Tag>

/** How a record's body names a tag: by id, by name, or by both, and then the id decides. */
export const TagReference = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Text(255)), color: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
export type TagReference = Static<typeof TagReference>

/** The tags of a row named `record` as JSON text, `{id, name, color}` in the order they were attached. */
export const tagsOf = sql`
  case when record.tag_ids = '{}' then '[]'
       else (select (json_agg(row_to_json(shown) order by attached.place))::text
               from unnest(record.tag_ids) with ordinality as attached(id, place)
               join tags tag on tag.account_id = record.account_id and tag.id = attached.id,
                    lateral (select tag.id, tag.name, tag.color) shown)
  end`

/** The events of a record whose tags were replaced (specification, entity_tag_added and entity_tag_deleted). */
export function tagNews(before: number[], after: number[], name: (id: number) => string): NewEvent[] {
  const items = (ids: number[]) => ids.map((id) => ({ tag: { name: name(id) } }))
  const added = items(after.filter((id) => !before.includes(id)))
  const deleted = items(before.filter((id) => !after.includes(id)))
  return [
    ...(added.length ? [{ type: 'entity_tag_added', value_before: [], value_after: added }] : []),
    ...(deleted.length ? [{ type: 'entity_tag_deleted', value_before: deleted, value_after: [] }] : []),
  ]
}

/** The tags that a batch of records names, found or made. */
export interface TagsOfBatch {
  /** The ids for a list of references, without repetition, in their order. */
  ids(references: TagReference[]): number[]
  /** Looks up the names of more tags. */
  learn(ids: number[]): Promise<void>
  /** The name of a tag that the batch named or that was learnt. */
  name(id: number): string
}

/**
 * Prepares the tags of a batch: looks up ids and names, creates unknown names, faults unknown ids. Called before the records are locked,
 * always: all verbs lock tags first and records second, so that two of them cannot wait for each other.
 */
export async function tagsOfBatch(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  items: Item<Sent>[],
  faults: Faults,
): Promise<TagsOfBatch> {
  const named = items.flatMap((item) => [
    { item, path: '_embedded.tags', references: item.value._embedded?.tags ?? [] },
    { item, path: 'tags_to_add', references: item.value.tags_to_add ?? [] },
  ])
  const references = named.flatMap(({ references }) => references)
  const names = new Map<number, string>()
  const learn = async (ids: number[]) => {
    const unknown = [...new Set(ids)].filter((id) => !names.has(id))
    if (unknown.length === 0) return
    for (const tag of await tx.rows<Tag>(tagsById(actor, type, unknown))) names.set(tag.id, tag.name)
  }
  await learn(references.flatMap(({ id }) => id ?? []))
  for (const { item, path, references } of named)
    for (const [place, reference] of references.entries())
      checkReference(names, type, item, `${path}.${place}`, reference, faults)
  // Nothing is created for a batch that will be refused.
  const wanted = faults.any() ? [] : references.flatMap(({ id, name }) => (id === undefined ? name!.trim() : []))
  const found = await findOrMake(tx, actor, type, [...new Set(wanted)])
  for (const tag of found.values()) names.set(tag.id, tag.name)
  return {
    ids: (references) => [...new Set(references.map(({ id, name }) => id ?? found.get(name!.trim())!.id))],
    learn,
    name: (id) => names.get(id) ?? '',
  }
}

function checkReference(
  known: ReadonlyMap<number, string>,
  type: EntityType,
  item: Item<unknown>,
  at: string,
  { id, name }: TagReference,
  faults: Faults,
): void {
  if (id === undefined && name === undefined)
    faults.add(item, { code: 'FieldMissing', path: `${at}.id`, detail: 'A tag is named by its id or its name.' })
  else if (id === undefined && name!.trim() === '')
    faults.add(item, { code: 'NotBlank', path: `${at}.name`, detail: 'This value should not be blank.' })
  else if (id !== undefined && !known.has(id))
    faults.add(item, { code: 'NotSupportedChoice', path: `${at}.id`, detail: `There is no tag ${id} of ${type}.` })
}

/** By the name as it was asked for; the tag's own may differ in case. */
async function findOrMake(tx: Tx, actor: Actor, type: EntityType, names: string[]): Promise<Map<string, Tag>> {
  if (names.length === 0) return new Map()
  let tags = await tx.rows<Tag>(tagsByName(actor, type, names))
  if (tags.length < names.length) {
    await tx.rows(
      insertTags(
        actor,
        type,
        names,
        names.map(() => null),
      ),
    )
    tags = await tx.rows<Tag>(tagsByName(actor, type, names))
  }
  return new Map(names.map((name, place) => [name, tags[place]!]))
}

/** Adds the names that are new; answers nothing. The unique index decides between two callers with one new name. */
export const insertTags = (actor: Actor, type: EntityType, names: string[], colors: (string | null)[]) => sql`
  insert into tags (account_id, entity_type, name, color)
  select ${actor.accountId}::bigint, ${type}, name, color
    from unnest(${names}::text[], ${colors}::text[]) as draft(name, color)
   order by lower(name collate kontor)
  on conflict (account_id, entity_type, lower(name collate kontor)) do nothing`

/** The tag of each name, in the order of the names. */
export const tagsByName = (actor: Actor, type: EntityType, names: string[]) => sql`
  select tag.id, tag.name, tag.color
    from unnest(${names}::text[]) with ordinality as wanted(name, place)
    join tags tag on tag.account_id = ${actor.accountId} and tag.entity_type = ${type}
                 and lower(tag.name collate kontor) = lower(wanted.name collate kontor)
   order by place`

const tagsById = (actor: Actor, type: EntityType, ids: number[]) => sql`
  select id, name, color from tags
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`
