import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { isOutsideBin } from '../../../access/task-rights.ts'
import { may } from '../../../access/record-rights.ts'
import { tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { Way } from '../../../records/lists/pages.ts'
import { seenBy } from '../../../records/search/search.ts'

/** The names that begin with the text are looked at up to this number: those that come first. */
const mostNames = 200

/** The columns of each type beside id and name, of a row named `record`. */
function details(actor: Actor, type: EntityType, phoneField: number | undefined): Sql {
  const values =
    phoneField === undefined
      ? sql`null`
      : sql`record.custom_fields_values -> ${raw(`'${phoneField}'`)}`
  switch (type) {
    case 'leads':
      return sql`record.price, record.pipeline_id, record.status_id`
    case 'contacts':
      return sql`${values} as phones, ${companyOf(actor)} as company`
    case 'companies':
      return sql`${values} as phones`
    case 'customers':
      return sql`record.next_date, record.next_price, record.status_id`
  }
}

/** The name of the first company of a contact that the actor may view. */
const companyOf = (actor: Actor) => sql`
  (select (select company.name from companies company
            where company.account_id = link.account_id and company.id = link.to_id)
     from links link
    where link.account_id = record.account_id and link.from_type = 'contacts' and link.from_id = record.id
      and link.to_type = 'companies' and ${seenBy(actor, 'companies')(sql`link.to_id`)}
    order by link.to_id limit 1)`

const shown = (actor: Actor, type: EntityType, phoneField: number | undefined, from: Sql) => sql`
  select row_to_json(hit)::text as json
    from (select record.id, record.name, ${details(actor, type, phoneField)} from ${from} record) hit`

/** A step of the search by words (records/lists/find.ts). */
export const foundHits = (
  actor: Actor,
  type: EntityType,
  phoneField: number | undefined,
  request: ListRequest,
  seek: PagePosition,
  way: Way = { kind: 'plain' },
): Sql => shown(actor, type, phoneField, sql`(${matchingRows(type, actor, request, seek, way)})`)

/** A condition in SQL: the search shows the row named `record`, which is no request that waits. */
const isShown = (actor: Actor, type: EntityType): Sql => sql`
  not record.is_deleted and ${may(actor, type, 'view')} ${type === 'leads' ? sql`and record.unsorted_id is null` : empty}`

/** The names of those records that the actor may view, the newest first. */
export const namesAmong = (actor: Actor, type: EntityType, ids: readonly number[]): Sql => sql`
  select record.id, record.name from ${tableOf(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and ${isShown(actor, type)}
   order by record.id desc`

/** Records by their ids. */
export const hitsById = (
  actor: Actor,
  type: EntityType,
  phoneField: number | undefined,
  ids: readonly number[],
): Sql =>
  shown(
    actor,
    type,
    phoneField,
    sql`(select record.* from ${tableOf(type)} record
          where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and ${isShown(actor, type)})`,
  )

/** The record with an id, if one is given, and those whose name begins with a text. */
export function namedHits(
  actor: Actor,
  type: EntityType,
  phoneField: number | undefined,
  { id, beginning, limit }: { id: number | undefined; beginning: string; limit: number },
): Sql {
  const { accountId } = actor
  const name = sql`lower(record.name collate kontor)`
  const from = sql`lower(${beginning}::text collate kontor)`
  const visible = isShown(actor, type)
  // The range ends before the text with the last character of all, which no name holds.
  const parts = [
    ...(id === undefined
      ? []
      : [
          sql`(select record.* from ${tableOf(type)} record where record.account_id = ${accountId} and record.id = ${id} and ${visible})`,
        ]),
    sql`(select record.*
           from (select record.* from ${tableOf(type)} record
                  where record.account_id = ${accountId} and ${name} >= ${from} and ${name} < ${from} || chr(1114111)
                  order by ${name}, record.id limit ${raw(String(mostNames))}) record
          where ${visible} limit ${limit})`,
  ]
  return shown(actor, type, phoneField, sql`(${join(parts, ' union all ')})`)
}

/** Own open tasks that are looked at, the earliest first: their texts have no index. */
const mostTasks = 500

/** The actor's own open tasks whose text has all words, or whose id is the number. */
export const taskHits = (
  { accountId, userId }: Actor,
  { id, words, limit }: { id: number | undefined; words: string[]; limit: number },
): Sql => sql`
  select row_to_json(hit)::text as json
    from (select record.id, left(record.text, 200) as name, record.complete_till, record.entity_type, record.entity_id
            from (select record.* from tasks record
                   where record.account_id = ${accountId} and record.responsible_user_id = ${userId}
                     and not record.is_completed and not record.is_deleted
                   order by record.complete_till, record.id limit ${raw(String(mostTasks))}) record
           where (record.id = ${id ?? null}::bigint
                  or (select bool_and(strpos(lower(record.text collate kontor), lower(word collate kontor)) > 0)
                        from unnest(${words}::text[]) word))
             and ${isOutsideBin}
           order by record.id <> ${id ?? null}::bigint, record.complete_till, record.id limit ${limit}) hit`
