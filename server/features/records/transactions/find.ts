// Finds the page of a list of purchases. PostgreSQL assumes that the purchases of the customers whom a
// user may view are spread evenly over the account. Where they are not, it walks past all others. So
// a list under limited rights looks at the first purchases, and where those do not fill the page,
// takes the first purchases of each viewed customer (docs/decisions/0016-finding.md).
import type { Actor } from '../../../access/actor.ts'
import { mayAll } from '../../../access/record-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import type { PagePosition, PageRow } from '../../../http/paging.ts'
import { transactionList } from './queries.ts'
import type { TransactionWay } from './queries.ts'
import type { TransactionQuery } from './schema.ts'

/** The purchases that are looked at first, in steps: 2,000 take about 6 ms with their customers. */
const windows = [2000, 20_000]

/** Answers a page of purchases, and one more where another page follows. */
export async function findTransactions(
  reader: Reader,
  actor: Actor,
  base: string,
  query: TransactionQuery,
  seek: PagePosition,
  customerId?: number,
): Promise<PageRow[]> {
  const list = (way: TransactionWay) =>
    reader[way === 'along' || way === 'one' ? 'page' : 'list']<PageRow>(
      transactionList(actor, base, query, seek, customerId, way),
    )
  if (query.filter?.id !== undefined) return list('each')
  if (customerId !== undefined) return list('one')
  if (mayAll(actor, 'customers', 'view')) return list('along')
  for (const window of windows) {
    if (seek.offset + seek.limit > window) continue
    const seen = await list({ window })
    if (seen.length === seek.limit) return seen
  }
  return list('customers')
}
