// Finds events by the filters of a request. One filter leads: its index gives the newest events of
// each of its values, and the other filters are conditions on them. Without a leader, PostgreSQL may
// take a rare value for a common one, and walk the whole log.
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { entityTypes, singular } from '../../entity-types.ts'
import {
  catalogsByLinks,
  isLinked,
  mayViewAllElements,
  mayViewCatalog,
} from '../../access/catalog-rights.ts'
import { may, mayAll, mayNone } from '../../access/record-rights.ts'
import { mayViewAllTasks, mayViewTask } from '../../access/task-rights.ts'
import type { Actor } from '../../access/actor.ts'
import { mostApart } from '../../changes/record.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { EventSearch } from './filters.ts'
import { eventColumns } from './show.ts'
import type { Showing } from './show.ts'

/** Events of some entities that the actor may view, on a further condition where it views only some. */
interface Branch {
  /** Undefined: all. */
  entities?: readonly string[] | undefined
  passes?: Sql
}

/**
 * The branches of which each event that the actor may view is in one (specification, Events: returned
 * data depends on the rights). Each partly visible type has its own, so that PostgreSQL may start
 * from its few records. `catalogs` are those of which a limited actor may view all elements: named
 * by their ids, they are no guess to PostgreSQL.
 */
function visible(actor: Actor, catalogs: readonly number[]): Branch[] {
  if (mayViewAllTasks(actor) && mayViewAllElements(actor)) return [{}]
  const open = entityTypes.filter((type) => mayAll(actor, type, 'view'))
  const limited = entityTypes.filter(
    (type) => !open.includes(type) && !mayNone(actor, type, 'view'),
  )
  return [
    {
      entities: [
        ...open.map((type) => singular[type]),
        ...(mayViewAllTasks(actor) ? ['task'] : []),
        ...catalogs.map((id) => `catalog_${id}`),
      ],
    },
    ...limited.map((type) => ({
      entities: [singular[type]],
      passes: sql`exists (
        select from ${raw(type)} record
         where record.account_id = event.account_id and record.id = event.entity_id and ${may(actor, type, 'view')})`,
    })),
    ...(mayViewAllTasks(actor)
      ? []
      : [
          {
            entities: ['task'],
            passes: sql`(
        select ${mayViewTask(actor, 'shown')} from tasks record
         where record.account_id = event.account_id and record.id = event.entity_id)`,
          },
        ]),
    {
      entities: catalogsByLinks(actor).map((id) => `catalog_${id}`),
      passes: isLinked(actor, sql`event.entity_id`),
    },
  ]
}

/** A part of the log by the times in its ids, in Unix seconds: `since` is in it, `until` is not. */
export interface Window {
  since?: number | undefined
  until?: number | undefined
}

/** A page of the log, newest first. It finds the rows first, and shows only those of the page. */
export function eventList(
  actor: Actor,
  showing: Showing,
  { after, offset, limit }: PagePosition,
  search: EventSearch,
  catalogs: readonly number[] = [],
  window: Window = {},
): Sql {
  const found = newest(actor, search, catalogs, {
    ...window,
    after: after?.id as string | undefined,
    limit: offset + limit,
  })
  return sql`
    select ${eventColumns(actor, showing)}, event.id as key, event.id
      from (select event.* from (${found}) event order by event.id desc limit ${limit} offset ${offset}) event`
}

export function oneEvent(
  actor: Actor,
  showing: Showing,
  id: string,
  catalogs: readonly number[] = [],
): Sql {
  const found = newest(actor, { ids: [id], keys: [] }, catalogs, { limit: 1 })
  return sql`select ${eventColumns(actor, showing)} from (${found}) event`
}

interface Part extends Window {
  /** The id that the events come after, in the order of the list. */
  after?: string | undefined
  limit: number
}

/** The newest events that a search finds and the actor may view, those of each branch in order. */
function newest(actor: Actor, search: EventSearch, catalogs: readonly number[], part: Part): Sql {
  const branches = visible(actor, catalogs).flatMap((branch) => {
    const found = newestOf(actor, search, branch, part)
    return found ? [sql`(${found})`] : []
  })
  return branches.length > 0 ? join(branches, ' union all ') : sql`select * from events where false`
}

/** The newest events of a branch that a search finds; undefined where it asks for other entities. */
function newestOf(
  { accountId }: Actor,
  search: EventSearch,
  { entities: visible, passes }: Branch,
  { after, limit, ...window }: Part,
): Sql | undefined {
  const entities = both(visible, search.entities)
  if (entities?.length === 0) return undefined
  const { ids, users, entityIds, types, from, to } = search
  const [keys, ...moreKeys] = search.keys
  const filters: Filter[] = [
    { column: 'entity_id', values: entityIds, type: 'bigint' },
    { column: 'type', values: types, type: 'text' },
    { column: 'created_by', values: users, type: 'bigint' },
    // A condition of rights may be met by a few records, from which PostgreSQL starts.
    { column: 'entity_type', values: entities, type: 'text', follows: passes !== undefined },
  ]
  const leader = ids || keys ? undefined : filters.find(({ values, follows }) => values && !follows)
  const since = from === undefined ? window.since : Math.max(window.since ?? 0, from - mostApart)
  const until =
    to === undefined ? window.until : Math.min(window.until ?? Infinity, to + mostApart + 1)
  const within = (id: Sql) => [
    ...(after === undefined ? [] : [sql`${id} < ${after}`]),
    ...(since === undefined ? [] : [sql`${id} >= ulid_time(${since * 1000}::bigint)`]),
    ...(until === undefined ? [] : [sql`${id} < ulid_time(${until * 1000}::bigint)`]),
  ]
  const conditions = [
    sql`event.account_id = ${accountId}`,
    ...within(sql`event.id`),
    ...(from === undefined ? [] : [sql`event.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`event.created_at <= ${to}`]),
    ...(ids ? [sql`event.id = any(${ids}::text[])`] : []),
    ...filters.flatMap(({ column, values, type }) =>
      values && column !== leader?.column
        ? [sql`event.${raw(column)} = any(${values}::${raw(type)}[])`]
        : [],
    ),
    ...(ids ? search.keys : moreKeys).map((each) => hasKey(accountId, each)),
    ...(passes ? [passes] : []),
  ]
  const select = (led?: Sql) => sql`
    select event.* from events event where ${join([...(led ? [led] : []), ...conditions], ' and ')}`
  const newest = sql`order by event.id desc limit ${limit}`
  // "offset 0" looks each event up by its id. PostgreSQL would rather join the two tables.
  if (keys && !ids)
    return sql`
    select distinct on (event.id) event.* from unnest(${keys}::text[]) wanted (key), lateral (
      select event.* from event_keys found, lateral (${select(sql`event.id = found.event_id`)} offset 0) event
       where ${join([sql`found.account_id = ${accountId} and found.key = wanted.key`, ...within(sql`found.event_id`)], ' and ')}
       order by found.event_id desc limit ${limit}) event ${newest}`
  if (!leader) return sql`${select()} ${newest}`
  const { column, values, type } = leader
  return sql`
    select event.* from unnest(${values}::${raw(type)}[]) wanted (value), lateral (
      ${select(sql`event.${raw(column)} = wanted.value`)} ${newest}) event ${newest}`
}

interface Filter {
  column: 'entity_id' | 'entity_type' | 'type' | 'created_by'
  values: readonly (string | number)[] | undefined
  /** The type of the column. */
  type: 'bigint' | 'text'
  /** Whether it never leads. */
  follows?: boolean
}

/** A look-up for each event; "exists" would become a join with all events of the keys. */
const hasKey = (accountId: number, keys: readonly string[]) => sql`(
  select true from event_keys found
   where found.account_id = ${accountId} and found.key = any(${keys}::text[]) and found.event_id = event.id limit 1)`

/** The entities in both lists; undefined stands for all. */
function both(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one && other ? one.filter((each) => other.includes(each)) : (one ?? other)
}

export interface FieldsAndLanguage {
  language: string
  fields: { id: number; name: string }[]
}

/**
 * The caller's language, and the custom fields of the account without those of catalogs that the
 * caller may not view. Contacts and companies share the ids of phone and e-mail.
 */
export const fieldsAndLanguage = (actor: Actor): Sql => sql`
  select language, coalesce((
           select json_agg(json_build_object('id', field.id, 'name', field.name) order by field.id)
             from (select distinct on (id) id, name from custom_fields
                    where account_id = ${actor.accountId}
                      and case when starts_with(entity_type, 'catalogs:')
                               then ${mayViewCatalog(actor, sql`substr(entity_type, 10)::bigint`)} else true end
                    order by id, entity_type) field), '[]') as fields
    from users where account_id = ${actor.accountId} and id = ${actor.userId}`
