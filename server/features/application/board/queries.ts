// The statements of the board. A window is found by the ids of its cards, and the cards are read by
// their ids in the same statement. Every statement asks for the rights of the actor
// (docs/decisions/0073-windows-of-the-board.md).
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { allOf, asRange } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { idsOf, matchingRows } from '../../../records/lists/pages.ts'
import type { Way } from '../../../records/lists/pages.ts'
import { tagsVersion } from '../../../records/lists/tag-texts.ts'
import { endOfDay } from '../../people/accounts/accounts.ts'
import { unreadWith } from '../../conversations/chats/chats.ts'
import { streamCursor } from '../live/live.ts'
import { reasonOfRecord } from '../../definitions/loss-reasons/loss-reasons.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'
import { linkedName } from '../../records/links/links.ts'
import { unsortedSummary } from '../../records/unsorted/unsorted.ts'
import { mostUnread, mostWaiting } from './schema.ts'
import type { Board, BoardSort } from './schema.ts'
import { totalsOf } from './totals.ts'
import type { StageTotal } from './totals.ts'

export interface BoardSummary extends Pick<Board, 'today_ends_at' | 'unsorted' | 'cursor'> {
  /** The stages in their order, won and lost included. */
  stages: number[]
  /** Of each stage with leads; null where the totals do not answer the request. */
  totals: StageTotal[] | null
}

/** The summary of a board. No row where the pipeline does not exist. */
export const boardSummary = (actor: Actor, pipelineId: number, kept: Sql | undefined): Sql => sql`
  select array_to_json(array(select status.id from statuses status
                              where status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id and status.type = 0
                              order by status.sort, status.id)) as stages,
         ${endOfDay(actor)}::float8 as today_ends_at, (${unsortedSummary(actor, pipelineId, mostWaiting)}) as unsorted,
         ${kept ? sql`array_to_json(array(select row_to_json(total) from (${totalsOf(actor, sql`record.pipeline_id = ${pipelineId} and ${kept}`)}) total))` : sql`null::json`} as totals,
         ${streamCursor} as cursor
    from pipelines pipeline where pipeline.account_id = ${actor.accountId} and pipeline.id = ${pipelineId}`

/** The cards of a column from `offset` on, in an order. */
export interface BoardWindow {
  sort: BoardSort
  offset: number
  limit: number
  /** The bound of the order `task`. */
  todayEndsAt: number
}

/** A card as the statements answer it, or a row with the totals of a column without one. */
export interface CardRow {
  column_id: number
  id: number | null
  name: string
  price: number
  pipeline_id: number
  status_id: number
  responsible_user_id: number
  created_at: number
  updated_at: number
  closed_at: number | null
  loss_reason_id: number | null
  closest_task_at: number | null
  entered_at: number
  tag_ids: number[]
  contact: { id: number; name: string; phone: string | null } | null
  company: { id: number; name: string } | null
  unread: number
  /** The stored values of the chosen field. */
  kept: unknown[] | null
  may_edit: boolean
  may_delete: boolean
  fields_version: number
  tags_version: number
}

/** The columns of the row of leads named `record` that cards are made of. */
const cardColumns = (actor: Actor, fieldId: number | undefined): Sql => sql`
  record.id, record.name, record.price, record.pipeline_id, record.status_id, record.responsible_user_id, record.created_at,
  record.updated_at, record.closed_at, ${reasonOfRecord} as loss_reason_id, record.closest_task_at, ${enteredAt} as entered_at,
  to_json(record.tag_ids) as tag_ids, ${linkedName(actor, 'leads', 'contacts', phone)} as contact, ${linkedName(actor, 'leads', 'companies')} as company,
  ${unreadWith(actor, 'leads', mostUnread)} as unread,
  ${fieldId === undefined ? sql`null::jsonb` : sql`record.custom_fields_values -> ${String(fieldId)}::text`} as kept,
  ${may(actor, 'leads', 'edit')} as may_edit, ${may(actor, 'leads', 'delete')} as may_delete,
  ${fieldsVersion(actor.accountId)} as fields_version, ${tagsVersion(actor.accountId)} as tags_version`

/** Rows older than the column have no time: the event log tells when they came into their stage. */
const enteredAt = sql`
  coalesce(record.entered_at,
           (select event.created_at from events event
             where event.account_id = record.account_id and event.entity_type = 'lead' and event.entity_id = record.id
               and event.type = 'lead_status_changed' and record.id is not null
             order by event.id desc limit 1),
           record.created_at)`

const phone = sql`, 'phone', shown.custom_fields_values
  -> (select field.id::text from custom_fields field
       where field.account_id = link.account_id and field.entity_type = 'contacts' and field.code = 'PHONE' limit 1) -> 0 ->> 0`

/** The indexes of the orders hold open leads only, and statements have to say so. */
const isOpen = raw(`record.status_id not in (${won}, ${lost})`)

/** A part of a column in its order: the rows that pass, and the order of an index that has them. */
interface Part {
  passes: Sql
  order: Sql
}

/** The order of an open column. */
const ordersOf: Record<BoardSort, { key: Sql; parts(todayEndsAt: number): Part[] }> = {
  task: {
    key: sql`record.closest_task_at`,
    parts: (todayEndsAt) => {
      const order = sql`record.closest_task_at, record.id desc`
      return [
        { passes: sql`${isOpen} and record.closest_task_at < ${todayEndsAt}`, order },
        { passes: sql`${isOpen} and record.closest_task_at is null`, order },
        { passes: sql`${isOpen} and record.closest_task_at >= ${todayEndsAt}`, order },
      ]
    },
  },
  activity: {
    key: sql`- record.updated_at`,
    parts: () => [{ passes: isOpen, order: sql`record.updated_at desc, record.id desc` }],
  },
  created: {
    key: sql`0`,
    parts: () => [{ passes: sql`true`, order: sql`record.id desc` }],
  },
  price: {
    key: sql`- record.price`,
    parts: () => [{ passes: isOpen, order: sql`record.price desc, record.id desc` }],
  },
  name: {
    key: sql`lower(record.name collate kontor)`,
    parts: () => [
      { passes: isOpen, order: sql`lower(record.name collate kontor), record.id desc` },
    ],
  },
}

/** Closed columns are ordered by id in every order. Their key has the type of that of open ones. */
function orderOf(
  { sort, todayEndsAt }: BoardWindow,
  areOpen: boolean,
): { key: Sql; parts: Part[] } {
  const { key, parts } = ordersOf[areOpen ? sort : 'created']
  const isText = !areOpen && sort === 'name'
  return { key: isText ? sql`''::text collate kontor` : key, parts: parts(todayEndsAt) }
}

/** The leads of a pipeline among `record`. */
const inPipeline = (actor: Actor, pipelineId: number): Sql => sql`
  record.account_id = ${actor.accountId} and record.pipeline_id = ${pipelineId} and not record.is_deleted and record.unsorted_id is null`

/** Those that the actor may view. */
const onBoard = (actor: Actor, pipelineId: number): Sql =>
  sql`${inPipeline(actor, pipelineId)} and ${may(actor, 'leads', 'view')}`

/** The first `most` leads of the row `stage` in an order: `part`, `key` and `id`. */
function firstOfStage(
  actor: Actor,
  pipelineId: number,
  window: BoardWindow,
  areOpen: boolean,
  most: number,
): Sql {
  const { key, parts } = orderOf(window, areOpen)
  const selects = parts.map(
    ({ passes, order }, part) => sql`
      (select ${raw(String(part))} as part, ${key} as key, record.id from leads record
        where ${onBoard(actor, pipelineId)} and record.status_id = stage.status_id and ${passes}
        order by ${order} limit ${most})`,
  )
  return join(selects, ' union all ')
}

const stagesOf = (ids: readonly number[], name = 'status_id') =>
  sql`unnest(${ids}::bigint[]) stage (${raw(name)})`

/** Open and closed stages have orders of their own. */
const byOrder = (
  stages: readonly number[],
  select: (ids: number[], areOpen: boolean) => Sql,
): Sql => {
  const areOpen = (id: number) => id !== won && id !== lost
  const groups = [
    [stages.filter(areOpen), true],
    [stages.filter((id) => !areOpen(id)), false],
  ] as const
  return join(
    groups.flatMap(([ids, open]) => (ids.length > 0 ? select(ids, open) : [])),
    ' union all ',
  )
}

/** The cards of columns that the actor sees whole: the indexes deliver each window. */
export const windowsOf = ({
  actor,
  pipelineId,
  stages,
  window,
  fieldId,
}: FilteredBoard): Sql => sql`
  with shown as materialized (${byOrder(
    stages,
    (ids, areOpen) => sql`
      select stage.status_id as column_id, page.place, page.id from ${stagesOf(ids)}
       cross join lateral (
         select early.id, row_number() over (order by early.part, early.key, early.id desc) as place
           from (${firstOfStage(actor, pipelineId, window, areOpen, window.offset + window.limit)}) early
          order by early.part, early.key, early.id desc limit ${window.limit} offset ${window.offset}) page`,
  )})
  select shown.column_id, ${cardColumns(actor, fieldId)}
    from shown cross join lateral ${rowByKey('leads', actor.accountId, sql`shown.id`)} record
   order by shown.column_id, shown.place`

/** The totals of a column, as far as they were counted, and whether its window may lack leads. */
export interface FilteredColumn {
  column_id: number
  count: number
  sum: number
  /** Not all leads of the column were tested for the totals. */
  is_part: boolean
  /** Not enough leads were tested for the window. */
  is_cut: boolean
}

/** A board whose leads have to pass conditions. */
export interface FilteredBoard {
  actor: Actor
  pipelineId: number
  stages: readonly number[]
  window: BoardWindow
  fieldId: number | undefined
  conditions: readonly Condition[]
}

/**
 * The columns by the first leads of each: for the window, `rows` of each part of the order are tested
 * until it is full; for the totals, `counted` are, unless 0. Columns without leads have no row.
 */
export function firstColumns(board: FilteredBoard, rows: number, counted: number): Sql {
  const { actor, pipelineId, stages, window, conditions } = board
  // The rights are part of the test: else no number of rows would bound what is read.
  const test = sql`${may(actor, 'leads', 'view')} and ${allOf(conditions)}`
  const end = window.offset + window.limit
  const tested = byOrder(stages, (ids, areOpen) => {
    const { key, parts } = orderOf(window, areOpen)
    // The last row that was tested is there as well, and tells that more were left.
    const selects = parts.map(
      ({ passes, order }, part) => sql`
        (select ${raw(String(part))} as part, early.* from (
           select ${key} as key, record.id, (${test}) as passes, row_number() over (order by ${order}) = ${rows} as is_last from leads record
            where ${inPipeline(actor, pipelineId)} and record.status_id = stage.status_id and ${passes}
            order by ${order} limit ${rows}) early
          where early.passes or early.is_last limit ${end + 1})`,
    )
    return sql`
      select stage.status_id as column_id, early.* from ${stagesOf(ids)} cross join lateral (${join(selects, ' union all ')}) early`
  })
  const counts =
    counted === 0
      ? sql`select column_id, 0 as count, 0 as sum, false as is_part from ${stagesOf(stages, 'column_id')}`
      : sql`
        select stage.column_id, total.* from ${stagesOf(stages, 'column_id')}
         cross join lateral (
           select count(*) filter (where early.passes) as count, coalesce(sum(early.price) filter (where early.passes), 0)::float8 as sum,
                  count(*) = ${counted} as is_part
             from (select record.price, (${test}) as passes from leads record
                    where ${inPipeline(actor, pipelineId)} and record.status_id = stage.column_id
                    order by record.id desc limit ${counted}) early) total`
  return sql`
    with found as materialized (${window.limit === 0 ? nothingFound : tested}),
    totals as materialized (
      select counted.*, exists (select from found last where last.column_id = counted.column_id and last.is_last
                                   and (select count(*) from found before where before.column_id = last.column_id and before.part <= last.part
                                           and before.passes) < ${end}) as is_cut
        from (${counts}) counted)
    ${shownColumns(board)}`
}

const nothingFound = sql`
  select null::bigint as column_id, 0 as part, 0 as key, null::bigint as id, false as passes, false as is_last where false`

/** The columns by all leads that pass: those of `by`, or the whole columns. Columns without leads have no row. */
export function wholeColumns(board: FilteredBoard, by: Condition | undefined): Sql {
  const { actor, pipelineId, stages, window, conditions } = board
  const found = byOrder(stages, (ids, areOpen) => {
    const { key, parts } = orderOf(window, areOpen)
    const part = join(
      parts.map(({ passes }, index) => sql`when ${passes} then ${raw(String(index))}`),
      ' ',
    )
    const columns = sql`record.status_id as column_id, case ${part} end as part, ${key} as key, record.id, record.price, true as passes`
    const isShown = sql`${onBoard(actor, pipelineId)} and record.status_id = any(${ids}::bigint[]) and ${allOf(conditions)}`
    return by
      ? sql`
        select ${columns} from (select distinct found.id from (${idsOf('leads', actor, asRange(by))}) found) found
         cross join lateral ${rowByKey('leads', actor.accountId, sql`found.id`)} record
         where ${isShown}`
      : sql`select ${columns} from leads record where ${isShown}`
  })
  return sql`
    with found as materialized (${found}),
    totals as materialized (
      select found.column_id, count(*) as count, sum(found.price)::float8 as sum, false as is_part, false as is_cut
        from found group by found.column_id)
    ${shownColumns(board)}`
}

/** The totals with the cards of the window among the rows of `found` that pass. */
const shownColumns = ({ actor, window: { offset, limit }, fieldId }: FilteredBoard): Sql => sql`
, shown as (
    select ranked.* from (
      select found.column_id, found.id, row_number() over (partition by found.column_id order by found.part, found.key, found.id desc) as place
        from found where found.passes) ranked
     where ranked.place > ${offset} and ranked.place <= ${offset + limit})
  select totals.column_id, totals.count, totals.sum, totals.is_part, totals.is_cut, ${cardColumns(actor, fieldId)}
    from totals left join shown on shown.column_id = totals.column_id
         left join lateral ${rowByKey('leads', actor.accountId, sql`shown.id`)} record on true
   order by totals.column_id, shown.place`

/** Those of these leads that are on the board. */
export const cardsOf = (
  actor: Actor,
  pipelineId: number,
  stages: readonly number[],
  ids: readonly number[],
  fieldId: number | undefined,
  conditions: readonly Condition[],
): Sql => sql`
  select record.status_id as column_id, ${cardColumns(actor, fieldId)} from leads record
   where record.id = any(${ids}::bigint[]) and ${onBoard(actor, pipelineId)} and record.status_id = any(${stages}::bigint[])
     and ${allOf(conditions)}`

/** The number and the sum of all leads in the kept totals that the actor may view. */
export const keptAggregate = (actor: Actor, passes: Sql, withUnsorted: boolean): Sql => sql`
  select coalesce(sum(total.count), 0)::float8 as count, coalesce(sum(total.sum), 0)::float8 as sum
    from (${totalsOf(actor, passes, withUnsorted)}) total`

/** The prices of the first leads of a list. */
export const aggregateRows = (
  actor: Actor,
  request: ListRequest,
  seek: PagePosition,
  way: Way = { kind: 'plain' },
): Sql => sql`
  select record.price from (${matchingRows('leads', actor, request, seek, way)}) record`

/**
 * The prices of at most `most` leads of a list, in no order: of those among the first `rows` entries
 * that the index of the condition `by` has.
 */
export const somePrices = (
  actor: Actor,
  { conditions, always }: ListRequest,
  by: Condition,
  rows: number,
  most: number,
): Sql => sql`
  select record.price
    from (select distinct early.id from (select found.id from (${idsOf('leads', actor, by, always)}) found limit ${rows}) early) found
   cross join lateral ${rowByKey('leads', actor.accountId, sql`found.id`)} record
   where not record.is_deleted ${always ? sql`and ${always}` : empty} and ${allOf(conditions)}
   limit ${most}`
