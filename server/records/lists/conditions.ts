// The conditions of a list: one for each filter, for the search and for the rights of the actor.
// Each is a test of a row named `record`, together with what is known about finding the matching
// rows without reading the others.
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { EntityType } from '../../entity-types.ts'
import { pinnedTo } from './schema.ts'
import type { NumberRange, Pin, TimeRange } from './schema.ts'
import { may, mayAll, mayInOrder, onlyAtStatuses, rangeOf } from '../../access/record-rights.ts'
import type { PipelineStatus } from '../../access/rights.ts'
import type { Walk } from '../search/search.ts'

export interface Condition {
  /** Whether a row named `record` passes. */
  passes: Sql
  /**
   * Selects the ids of all matching records in a column `id`, without regard to rights. Deleted
   * records and repeated ids may be among them. Without `ids`, `passes` selects them.
   */
  ids?: Sql
  /** The columns in whose order an index delivers the matching rows; ties are ordered by id. */
  streams: readonly string[]
  /**
   * By an ordering column: how many bits the block of a value leaves out. An index delivers the matching
   * rows block by block in the order of this column (docs/decisions/0059-blocks.md).
   */
  blocks?: Readonly<Record<string, number>>
  /** Whether the index of the condition also holds deleted records, and answers for them alone. */
  isOfAll?: boolean
  /** The number of matching rows, where it is known. */
  count?: number
  /**
   * Index scans that deliver the matching rows in the order of ids. Conditions that match many rows
   * have them.
   */
  walks?: readonly Walk[]
  /** Whether the condition restricts the list to records that the actor may view. */
  isRight?: boolean
  /** Whether testing a row requires look-ups in other tables. */
  isCostly?: boolean
  /** Whether the first hundreds of records fill a page, as far as a sample tells. */
  isFrequent?: boolean
  /**
   * Whether PostgreSQL chooses the index of the condition whatever its values are: it expects one row
   * in 200 of a range with two ends, and one of each id.
   */
  isPlannable?: boolean
  /** The single value that the rows have in an index which continues with the order of the list. */
  pin?: Pin
  /** Whether no index selects the matching rows, so that every record has to be tested. */
  hasNoIndex?: boolean
}

/** A condition whose single value is tested as a range. */
export const asRange = (condition: Condition): Condition =>
  condition.pin ? { ...condition, passes: pinnedTo(condition.pin) } : condition

/** A column equals one of the values; no condition without values. */
export function oneOf(
  column: string,
  values: readonly number[] | undefined,
  streams: readonly string[] = ['id'],
): Condition[] {
  if (!values) return []
  // One value is compared with `=`: an index that ends in the id then delivers its rows in order.
  // PostgreSQL does not recognize this order behind `any`.
  const at = sql`record.${raw(column)}`
  const known = { isPlannable: column === 'id', isOfAll: column === 'responsible_user_id' }
  const [value] = values
  if (values.length !== 1 || value === undefined)
    return [{ passes: sql`${at} = any(${values}::bigint[])`, streams: [], ...known }]
  const one = { passes: sql`${at} = ${value}`, streams, ...known }
  return [column === 'id' ? one : { ...one, ...pinned({ column, value }) }]
}

/** The knowledge about a condition on a single value. */
export const pinned = (pin: Pin): Pick<Condition, 'isPlannable' | 'pin'> => ({
  isPlannable: true,
  pin,
})

/** The name equals one of the names, regardless of case. */
export function named(names: readonly string[] | undefined): Condition[] {
  if (!names) return []
  const [one, ...others] = names.map((name) => sql`lower(${name}::text collate kontor)`)
  const name = sql`lower(record.name collate kontor)`
  return others.length === 0
    ? [{ passes: sql`${name} = ${one!}`, streams: ['id'] }]
    : [{ passes: sql`${name} in (${join([one!, ...others])})`, streams: [] }]
}

/** The record has one of the tags; those that do not exist count for nothing. */
export function tagged(
  { accountId }: Actor,
  type: EntityType,
  ids: readonly number[] | undefined,
): Condition[] {
  if (!ids) return []
  const existing = sql`array(select tag.id from tags tag
                              where tag.account_id = ${accountId} and tag.entity_type = ${type} and tag.id = any(${ids}::bigint[]))`
  // One tag is compared with `=`: the index then delivers its records in the order of ids.
  const isOne = ids.length === 1
  return [
    {
      passes: sql`record.tag_ids && ${existing}`,
      ids: sql`
        select tagged.entity_id as id from record_tags tagged
         where tagged.account_id = ${accountId} and tagged.entity_type = ${type}
           and tagged.tag_id ${isOne ? sql`= (${existing})[1]` : sql`= any(${existing})`}`,
      streams: isOne ? ['id'] : [],
    },
  ]
}

/** When records were created: their ids and changes are mostly in the same order. */
export const created = (range: TimeRange | undefined): Condition[] =>
  within('created_at', range, 'from').map((condition) => ({
    ...condition,
    blocks: { id: 12, updated_at: 16 },
  }))

/**
 * A column lies in a range whose ends are included. A single number means exactly that value, or
 * the start of the range.
 */
export function within(
  column: string,
  range: NumberRange | TimeRange | undefined,
  single: 'exact' | 'from',
): Condition[] {
  if (range === undefined) return []
  const at = sql`record.${raw(column)}`
  if (typeof range === 'number')
    return single === 'exact' ? oneOf(column, [range]) : within(column, { from: range }, single)
  if (range.from === undefined && range.to === undefined) return []
  return [{ passes: bothEnds(at, range), streams: [column], isPlannable: true }]
}

/** A range with two ends, the missing one beyond all values: of one end, PostgreSQL expects a third. */
export const bothEnds = (value: Sql, { from = lowest, to = highest }: Ends<number>): Sql =>
  sql`${value} >= ${from} and ${value} <= ${to}`

const [lowest, highest] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

interface Ends<Value> {
  from?: Value | undefined
  to?: Value | undefined
}

/** The test that a value lies in a range; undefined where the range has no ends. */
export function endsOf(value: Sql, { from, to }: Ends<number | string>): Sql | undefined {
  const ends = [
    ...(from === undefined ? [] : [sql`${value} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${value} <= ${to}`]),
  ]
  return ends.length > 0 ? join(ends, ' and ') : undefined
}

/** A range of times, or 0 for records without a time (interface: Filtered lists). */
export function withinOrNone(column: string, range: TimeRange | undefined): Condition[] {
  // PostgreSQL does not recognize that the null entries of an index are in the order of its next
  // column.
  return range === 0
    ? [{ passes: sql`record.${raw(column)} is null`, streams: [] }]
    : within(column, range, 'from')
}

/** The records that the actor may view; no condition where the actor may view all. */
export function viewed(actor: Actor, type: EntityType): Condition[] {
  if (mayAll(actor, type, 'view')) return []
  const range = rangeOf(actor, type, 'view')
  const statuses = onlyAtStatuses(actor, type, 'view')
  return [
    {
      passes: may(actor, type, 'view'),
      ...(statuses && { ids: atStatuses(actor, statuses) }),
      streams: mayInOrder(actor, type, 'view') ? ['id'] : [],
      isRight: true,
      ...(range && pinned(range)),
    },
  ]
}

/** Selects the ids of the leads in statuses, each of which is looked up in the index by status. */
const atStatuses = ({ accountId }: Actor, statuses: readonly PipelineStatus[]): Sql => sql`
  select lead.id
    from unnest(${statuses.map(({ pipeline_id }) => pipeline_id)}::bigint[], ${statuses.map(({ status_id }) => status_id)}::bigint[])
           as opened (pipeline_id, status_id),
         lateral (select id from leads
                   where account_id = ${accountId} and not is_deleted
                     and pipeline_id = opened.pipeline_id and status_id = opened.status_id offset 0) lead`

/** All conditions, joined with `and`. */
export const allOf = (conditions: readonly Condition[]): Sql =>
  conditions.length > 0
    ? join(
        conditions.map(({ passes }) => sql`(${passes})`),
        ' and ',
      )
    : sql`true`
