// Finds events by the filters of a request. One filter leads: an index gives the newest events of
// each of its values, and the other filters are conditions on them. An index has the types of each
// entity type, and one has those of each user, so the leader is a pair of values where it can be.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { entityTypes, singular } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import {
  catalogsByLinks,
  isLinked,
  mayViewElement,
  mayViewAllElements,
  mayViewCatalog,
} from '../../../access/catalog-rights.ts'
import { limitedTypes, may, mayAll } from '../../../access/record-rights.ts'
import { mayViewAllTasks, mayViewTask } from '../../../access/task-rights.ts'
import { andRetellsNothing, andRetellsNothingOfAny } from '../../../access/undone-merges.ts'
import type { Actor } from '../../../access/actor.ts'
import { rowByKey, unguessed } from '../../../database/by-key.ts'
import { mostApart } from '../../../changes/record.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { viewedIds } from '../../../records/lists/few.ts'
import type { EventSearch } from './filters.ts'
import { eventColumns } from './show.ts'
import type { EventLine, Showing } from './show.ts'
import { mayStandOn, writtenTypes } from './types.ts'

/** Events of entities, on a condition where the actor views only some of them. */
interface Branch {
  entities: readonly string[]
  passes?: Sql
  /** The type of record of which the actor views some. */
  limited?: Limited
}

interface Limited {
  type: EntityType
  /** The same condition, for which the record of each event is looked up by its key. */
  tested: Sql
  /** Selects the records that the actor views; what is left of the condition begins with `and`. */
  records: Sql
  rest: Sql
}

/** How a page finds the events of records of which the actor views some. */
export interface EventWay {
  /** The types of which the actor views few records: the events of each record are asked for. */
  few: ReadonlySet<EntityType>
  /** Only events from this id on are looked at, and the record of each is looked up by its key. */
  from?: string
}

/**
 * The branches of which each event that the actor may view is in one (interface: Event). Each
 * partly visible type has its own, so that PostgreSQL may start from its few records. `catalogs`
 * are those of which the actor may view all elements: named by their ids, they are no guess to
 * PostgreSQL.
 */
function branchesOf(actor: Actor, catalogs: readonly number[]): Branch[] {
  const open = entityTypes.filter((type) => mayAll(actor, type, 'view'))
  return [
    {
      entities: [
        ...open.map((type) => singular[type]),
        ...(mayViewAllTasks(actor) ? ['task'] : []),
        ...catalogs.map((id) => `catalog_${id}`),
      ],
    },
    ...limitedTypes(actor).map((type) => {
      const viewed = may(actor, type, 'view')
      const rest = andRetellsNothing(actor, type)
      return {
        entities: [singular[type]],
        passes: sql`exists (
        select from ${raw(type)} record
         where record.account_id = event.account_id and record.id = event.entity_id and ${viewed}) ${rest}`,
        limited: {
          type,
          tested: sql`(
        select ${viewed} from ${rowByKey(type, actor.accountId, sql`event.entity_id`)} record) ${rest}`,
          records: viewedIds(actor, type),
          rest,
        },
      }
    }),
    {
      entities: mayViewAllTasks(actor) ? [] : ['task'],
      passes: sql`(
        select ${mayViewTask(actor, 'shown')} from tasks record
         where record.account_id = event.account_id and record.id = event.entity_id)`,
    },
    {
      entities: catalogsByLinks(actor).map((id) => `catalog_${id}`),
      passes: isLinked(actor, sql`event.entity_id`),
    },
  ]
}

/** A part of the log by the times in its ids, in Unix seconds: `since` is in it, `until` is not. */
export interface Span {
  since?: number | undefined
  until?: number | undefined
}

/** A page of the log, newest first. It finds the rows first, and shows only those of the page. */
export function eventList(
  actor: Actor,
  showing: Showing,
  { after, offset, limit }: PagePosition,
  search: EventSearch,
  catalogs: readonly number[],
  span: Span = {},
  way?: EventWay,
): Sql {
  const bounds = { ...span, after: after?.id as string | undefined, limit: offset + limit }
  const found = newest(actor, search, catalogs, bounds, way)
  return sql`
    select ${eventColumns(actor, showing)}, event.id as key, event.id ${showing.isTold ? sql`, ${toldColumns(actor)}` : empty}
      from (select event.* from (${found}) event order by event.id desc limit ${limit} offset ${offset}) event`
}

/** The record, the purchase and the task that an event names, as far as the actor may view them. */
export interface Told {
  /** The record or element that a change links or unlinks. */
  linked: { type: EntityType | 'elements'; id: number; name: string } | null
  /** The purchase that a change adds, unless it is deleted. */
  purchase: { id: number; price: number; comment: string | null } | null
  /** The task that the event stands on, unless it is deleted, with its record. */
  task: { text: string; record: { type: EntityType; id: number } | null } | null
}

/** The columns of what an event names, selected from a row named `event`. */
const toldColumns = (actor: Actor): Sql => sql`
  ${linkedRecord(actor)} as linked, ${addedPurchase(actor)} as purchase, ${taskOfEvent(actor)} as task`

/** Selects the id of the event that has `rows` newer ones, if any. */
export const eventBehind = (
  { accountId }: Actor,
  { after }: PagePosition,
  span: Span,
  rows: number,
): Sql => sql`
  select event.id from events event
   where ${join([sql`event.account_id = ${accountId}`, ...within(sql`event.id`, { ...span, after: after?.id as string | undefined })], ' and ')}
   order by event.id desc limit 1 offset ${rows}`

export function oneEvent(
  actor: Actor,
  showing: Showing,
  id: string,
  catalogs: readonly number[],
): Sql {
  const found = newest(actor, { ids: [id], keys: [] }, catalogs, { limit: 1 })
  return sql`select ${eventColumns(actor, showing)} from (${found}) event`
}

/** An event of the feed of a record. */
export interface FeedEventRow extends EventLine, Pick<Told, 'linked' | 'purchase'> {
  id: string
  entity_type: string
  entity_id: number
  created_by: number
}

/** Events of records that the actor may view, by their ids. */
export const eventsOfRecords = (
  actor: Actor,
  base: string,
  { types, ids }: { types: readonly string[]; ids: readonly number[] },
  events: readonly string[],
): Sql => sql`
  select event.id, event.id as key, event.entity_type, event.entity_id, event.created_by,
         ${eventColumns(actor, { base, wanted: new Set(), isGeneral: false })},
         ${linkedRecord(actor)} as linked, ${addedPurchase(actor)} as purchase
    from events event
   where event.account_id = ${actor.accountId} and event.id = any(${events}::text[])
     and (event.entity_type, event.entity_id) in (select * from unnest(${types}::text[], ${ids}::bigint[]))
     ${andRetellsNothingOfAny(actor)}`

const linkedRecord = (actor: Actor) => sql`(
  select case other.entity ->> 'type' ${join(
    entityTypes.map((type) => namedRecord(actor, type)),
    ' ',
  )} else ${namedElement(actor)} end
    from (select coalesce(event.value_after -> 0 -> 'link', event.value_after -> 0 -> 'unlink') -> 'entity' as entity) other
   where other.entity is not null)`

const namedRecord = (actor: Actor, type: EntityType) => sql`
  when ${singular[type]} then (
    select json_build_object('type', ${type}::text, 'id', record.id, 'name', record.name) from ${raw(type)} record
     where record.account_id = ${actor.accountId} and record.id = (other.entity ->> 'id')::bigint and ${may(actor, type, 'view')})`

const namedElement = (actor: Actor) => sql`
  (select json_build_object('type', 'elements', 'id', element.id, 'name', element.name) from catalog_elements element
    where element.account_id = ${actor.accountId} and starts_with(other.entity ->> 'type', 'catalog_')
      and element.id = (other.entity ->> 'id')::bigint and ${mayViewElement(actor)})`

const addedPurchase = ({ accountId }: Actor) => sql`
  (select json_build_object('id', purchase.id, 'price', purchase.price, 'comment', purchase.comment) from transactions purchase
    where purchase.account_id = ${accountId} and not purchase.is_deleted
      and purchase.id = (event.value_after -> 0 -> 'transaction' ->> 'id')::bigint)`

const taskOfEvent = ({ accountId }: Actor) => sql`
  case when event.entity_type = 'task' then (
    select json_build_object('text', task.text, 'record', case when task.entity_id is not null then
             json_build_object('type', task.entity_type, 'id', task.entity_id) end)
      from tasks task where task.account_id = ${accountId} and task.id = event.entity_id and not task.is_deleted) end`

interface Ends extends Span {
  /** The id that the events come after, in the order of the list. */
  after?: string | undefined
  /** The id of the oldest event. */
  from?: string | undefined
}

interface Bounds extends Ends {
  limit: number
}

/** The tests of an id. */
const within = (id: Sql, { after, from, since, until }: Ends): Sql[] => [
  ...(after === undefined ? [] : [sql`${id} < ${after}`]),
  ...(from === undefined ? [] : [sql`${id} >= ${from}`]),
  ...(since === undefined ? [] : [sql`${id} >= ulid_time(${since * 1000}::bigint)`]),
  ...(until === undefined ? [] : [sql`${id} < ulid_time(${until * 1000}::bigint)`]),
]

/** Whether a search names events, records or values, so that few events are to be tested. */
export const isNarrow = ({ ids, keys, entityIds }: EventSearch): boolean =>
  ids !== undefined || entityIds !== undefined || keys.length > 0

/**
 * Whether a search needs no names of entity types: nothing limits the actor, and no pair of filters
 * leads. Then the catalogs need not be read.
 */
export function isFoundAnywhere(actor: Actor, search: EventSearch): boolean {
  const { ids, keys, types, users, entities } = search
  const seesAll = mayViewAllTasks(actor) && mayViewAllElements(actor)
  return seesAll && !entities && (ids !== undefined || keys.length > 0 || !(types || users))
}

/**
 * Whether a search reads the same indexes whatever its values are (docs/decisions/0057-plans.md): nothing but
 * the type of its entity decides who sees an event, and one column of an index, if any, has its values.
 */
export function isOfOnePlan(
  actor: Actor,
  search: EventSearch,
  catalogs: readonly number[],
): boolean {
  const { ids, keys, entities, entityIds } = search
  if (ids || keys.length > 0 || (entityIds && !isOfOneRecord(search))) return false
  return branchesOf(actor, catalogs).every(
    (branch) =>
      !branch.passes || !branch.entities.some((entity) => entities?.includes(entity) ?? true),
  )
}

/** Whether a search asks for all events of one record. */
const isOfOneRecord = ({ ids, keys, entities, entityIds, types, users }: EventSearch): boolean =>
  entityIds?.length === 1 && entities?.length === 1 && !ids && !types && !users && keys.length === 0

/** The newest events that a search finds and the actor may view, those of each branch in order. */
function newest(
  actor: Actor,
  search: EventSearch,
  catalogs: readonly number[],
  bounds: Bounds,
  { few, from }: EventWay = { few: new Set() },
): Sql {
  if (isFoundAnywhere(actor, search)) return sql`(${latest(actor, search, bounds)})`
  const found = branchesOf(actor, catalogs).flatMap(({ entities, passes, limited }) => {
    const searched = entities.filter((entity) => search.entities?.includes(entity) ?? true)
    if (searched.length === 0) return []
    if (limited && few.has(limited.type))
      return [sql`(${ofRecords(actor, search, bounds, limited)})`]
    const isTested = from !== undefined || isNarrow(search)
    const test = isTested ? (limited?.tested ?? passes) : passes
    return [sql`(${latest(actor, search, { ...bounds, from }, searched, test)})`]
  })
  return found.length > 0 ? join(found, ' union all ') : sql`select * from events where false`
}

/** The newest events of the records of a type that the actor views, which are few. */
function ofRecords(
  { accountId }: Actor,
  { types, users, from, to }: EventSearch,
  { limit, ...ends }: Bounds,
  { type, records, rest }: Limited,
): Sql {
  const conditions = [
    sql`event.account_id = ${accountId} and event.entity_type = ${singular[type]} and event.entity_id = viewed.id`,
    ...within(sql`event.id`, { ...ends, ...spanOf({ from, to }, ends) }),
    ...createdWithin(from, to),
    ...(types ? [unguessed(sql`event.type = any(${types}::text[])`)] : []),
    ...(users ? [unguessed(sql`event.created_by = any(${users}::bigint[])`)] : []),
  ]
  return sql`
    select event.* from (${records}) viewed, lateral (
      select event.* from events event where ${join(conditions, ' and ')} ${rest}
       order by event.id desc limit ${limit}) event
     order by event.id desc limit ${limit}`
}

/** The part of the log that may have events of these times. */
const spanOf = ({ from, to }: Pick<EventSearch, 'from' | 'to'>, span: Span): Span => ({
  since: from === undefined ? span.since : Math.max(span.since ?? 0, from - mostApart),
  until: to === undefined ? span.until : Math.min(span.until ?? Infinity, to + mostApart + 1),
})

const createdWithin = (from: number | undefined, to: number | undefined): Sql[] => [
  ...(from === undefined ? [] : [sql`event.created_at >= ${from}`]),
  ...(to === undefined ? [] : [sql`event.created_at <= ${to}`]),
]

/** The newest events of some entities, all by default, that a search finds and that pass. */
function latest(
  { accountId }: Actor,
  search: EventSearch,
  { limit, ...bounds }: Bounds,
  entities?: readonly string[],
  passes?: Sql,
): Sql {
  const { ids, keys, entityIds, types, users, from, to } = search
  const ends = { ...bounds, ...spanOf(search, bounds) }
  const among = (column: string, values: readonly unknown[] | undefined, type: string) =>
    values ? [sql`event.${raw(column)} = any(${values}::${raw(type)}[])`] : []
  const conditions = [
    sql`event.account_id = ${accountId}`,
    ...within(sql`event.id`, ends),
    ...createdWithin(from, to),
    ...(passes ? [passes] : []),
  ]
  const ofEntities = among('entity_type', entities, 'text')
  const ofNamed = among('entity_id', entityIds, 'bigint')
  const ofTypes = among('type', types, 'text')
  const ofUsers = among('created_by', users, 'bigint')
  const select = (...more: Sql[]) =>
    sql`select event.* from events event where ${join([...more, ...conditions], ' and ')}`
  const newestFirst = sql`order by event.id desc limit ${limit}`
  const ofKeys = (groups: readonly string[][]) => groups.map((each) => hasKey(accountId, each))

  if (ids) {
    const [one, ...others] = ids
    const byKey = (id: Sql) => rowByKey('events', accountId, id)
    const named =
      others.length === 0
        ? sql`${byKey(sql`${one}`)} event`
        : sql`unnest(${[...new Set(ids)]}::text[]) wanted (id), lateral ${byKey(sql`wanted.id`)} event`
    const passing = [
      ...ofEntities,
      ...ofNamed,
      ...ofTypes,
      ...ofUsers,
      ...ofKeys(keys),
      ...conditions,
    ]
    return sql`select event.* from ${named} where ${join(passing, ' and ')} ${newestFirst}`
  }
  // Compared with `=`, one record has its events in the order of an index.
  if (isOfOneRecord(search))
    return sql`${select(sql`event.entity_type = ${entities![0]} and event.entity_id = ${entityIds![0]}`)} ${newestFirst}`
  if (entityIds)
    return led(
      sql`unnest(${entityIds}::bigint[]) wanted (id)`,
      sql`event.entity_id = wanted.id`,
      undefined,
      ...ofEntities,
      ...ofTypes,
      ...ofUsers,
      ...ofKeys(keys),
    )
  const [key, ...moreKeys] = keys
  if (key) {
    // "offset 0" looks each event up by its id, where PostgreSQL would rather join the two tables.
    // Beside another condition, which may hold for few events, the choice is PostgreSQL's.
    const isAlone = !users && !passes && entities === undefined
    return sql`
    select distinct on (event.id) event.* from unnest(${key}::text[]) wanted (key), lateral (
      select event.* from event_keys found,
             lateral (${select(sql`event.id = found.event_id`, ...ofEntities, ...ofUsers, ...ofKeys(moreKeys))} ${isAlone ? sql`offset 0` : empty}) event
       where ${join([sql`found.account_id = ${accountId} and found.key = wanted.key`, ...within(sql`found.event_id`, ends)], ' and ')}
       order by found.event_id desc limit ${limit}) event ${newestFirst}`
  }
  // Few records pass: PostgreSQL may start from them.
  if (passes && !types && !users)
    return sql`${select(...(bounds.from === undefined ? ofEntities : ofEntities.map(unguessed)))} ${newestFirst}`
  if (!entities) return sql`${select()} ${newestFirst}`
  const pairs = entities.flatMap((entity) =>
    (types ?? writtenTypes)
      .filter((type) => mayStandOn(type, entity))
      .map((type) => [entity, type] as const),
  )
  const wantedTypes = [...new Set(pairs.map(([, type]) => type))]
  if (users)
    return led(
      sql`unnest(${users}::bigint[]) user_id, unnest(${wantedTypes}::text[]) wanted (type)`,
      sql`event.created_by = user_id`,
      ['type', sql`wanted.type`],
      ...ofEntities,
    )
  return led(
    sql`unnest(${pairs.map(([entity]) => entity)}::text[], ${pairs.map(([, type]) => type)}::text[]) wanted (entity, type)`,
    sql`event.type = wanted.type`,
    ['entity_type', sql`wanted.entity`],
  )

  /**
   * The newest events of each value that leads. `last` is the column before the id in the index that has
   * them: as a range of one value, it is the beginning of an order that no other index has.
   */
  function led(by: Sql, of: Sql, last: readonly [string, Sql] | undefined, ...more: Sql[]): Sql {
    const [column, value] = last ?? []
    if (!column || !value)
      return sql`select event.* from ${by}, lateral (${select(of, ...more)} ${newestFirst}) event ${newestFirst}`
    const at = raw(`event.${column}`)
    const range = sql`${at} >= ${value} and ${at} <= ${value}`
    return sql`
      select event.* from ${by}, lateral (
        ${select(of, range, ...more)} order by ${at} desc, event.id desc limit ${limit}) event ${newestFirst}`
  }
}

/** A look-up for each event; "exists" would become a join with all events of the keys. */
const hasKey = (accountId: number, keys: readonly string[]) => sql`(
  select true from event_keys found
   where found.account_id = ${accountId} and found.key = any(${keys}::text[]) and found.event_id = event.id limit 1)`

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
