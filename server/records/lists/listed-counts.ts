// How many records lists show, kept by blocks of ids (server/changes/kept-sums.ts). An unfiltered list finds the row at
// any position by them, at the same cost in an account of a thousand and of a million records.
import sql, { raw } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { sumsOf } from '../../changes/kept-sums.ts'
import type { KeptSums } from '../../changes/kept-sums.ts'
import type { Reader } from '../../database/connect.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { RecordType } from '../description.ts'
import type { Ordering } from './schema.ts'

/** A block has the ids that are equal without their last 12 bits. */
const bits = 12

export const listedCounts: KeptSums = {
  table: 'listed_counts',
  deltas: 'listed_count_deltas',
  key: ['account_id', 'entity_type', 'block'],
  sums: ['count'],
}

/** How many records a list without a filter shows to an actor who may view all of them. */
export async function countListed(
  reader: Reader,
  { accountId }: Actor,
  type: RecordType,
): Promise<number> {
  const [total] = await reader.page<{ count: number }>(sql`
    select coalesce(sum(count), 0)::float8 as count from ${sumsOf(listedCounts, accountId)} total
     where total.entity_type = ${type}`)
  return total!.count
}

/**
 * Where the window at `offset` of the unfiltered list begins: after an id, and at most a block of rows further. The
 * list is in the order of ids.
 */
export async function positionOf(
  reader: Reader,
  { accountId }: Actor,
  type: RecordType,
  { direction }: Ordering,
  { offset, limit }: { offset: number; limit: number },
): Promise<PagePosition> {
  const [at] = await reader.page<{ block: number; before: number }>(sql`
    select block, before::float8 as before
      from (select block, count, sum(count) over (order by block ${raw(direction)}) - count as before
              from ${blocksOf(accountId, type)} total) total
     where before <= ${offset} and before + count > ${offset} limit 1`)
  // There is no such row.
  if (!at) return { after: undefined, offset: 0, limit: 0 }
  const first = at.block * 2 ** bits
  const id = direction === 'asc' ? first - 1 : first + 2 ** bits
  return { after: { key: id, id }, offset: offset - at.before, limit }
}

const blocksOf = (accountId: number, type: RecordType) => sql`
  (select block, sum(count) as count from ${sumsOf(listedCounts, accountId)} each
    where each.entity_type = ${type} group by block)`
