// The two ways of working with customers: periodic purchases, where each customer is in one status,
// and segments. A new account has both (interface: Customer modes).
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { Problem } from '../../../../http/problem.ts'
import { refreshCustomersLater } from '../../../definitions/segment-refresh/segment-refresh.ts'
import type { CustomersMode } from './schema.ts'

/**
 * Turns a mode on and the other off, or this mode off. The customers of a mode that is turned on are
 * evaluated by its rules.
 */
export async function setCustomersMode(
  tx: Tx,
  actor: Actor,
  { mode, is_enabled }: CustomersMode,
): Promise<void> {
  const isOn = (named: CustomersMode['mode'], column: Sql) =>
    named === mode ? sql`${is_enabled}::boolean` : sql`${column} and not ${is_enabled}::boolean`
  await tx.rows(sql`
    update accounts set is_periodicity_on = ${isOn('periodicity', sql`is_periodicity_on`)},
                        is_segments_on = ${isOn('segments', sql`is_segments_on`)}
     where id = ${actor.accountId}`)
  if (is_enabled) await refreshCustomersLater(tx, actor)
}

/** Throws a 422 problem where periodic purchases are off. */
export async function requirePeriodicity(reader: Reader, actor: Actor): Promise<void> {
  const account = await reader.row<{ is_periodicity_on: boolean }>(
    sql`select is_periodicity_on from accounts where id = ${actor.accountId}`,
  )
  if (!account!.is_periodicity_on)
    throw new Problem(422, 'Periodic purchases are turned off in this account')
}
