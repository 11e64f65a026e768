// Moves users to another group. A move only marks the user; from its commit on, rights and answers
// take the group from the users (`groupMembers`, `groupShown`). A background job then rewrites the
// group on the user's records, after all transactions that may have read the old group, and removes
// the mark (docs/decisions/0014-moving-between-groups.md).
import sql, { raw } from 'sql-template-tag'
import { othersEnded, workInBackground } from '../../../changes/background.ts'
import type { Database, Tx } from '../../../database/connect.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { accessChannel, forgetAccess } from '../../../access/remembered.ts'
import type { Actor } from '../../../access/actor.ts'
import type { App, Kontor } from '../../../kontor.ts'

/** Records rewritten in one transaction, which takes about 50 ms. */
const chunk = 1000

/** Moves users to other groups, with immediate effect on rights and answers. */
export async function moveToGroup(
  tx: Tx,
  actor: Actor,
  ids: number[],
  group: number,
): Promise<void> {
  await tx.rows(sql`
    update users set group_id = ${group}, group_move = pg_current_xact_id(), updated_at = greatest(${actor.at}::bigint, created_at)
     where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and group_id <> ${group}`)
  await forgetAccess(tx)
}

interface Move {
  account_id: number
  user_id: number
  move: string
}

export function moveInBackground(app: App, kontor: Kontor): void {
  const failure = 'moves between groups could not be written down'
  workInBackground(app, kontor, { channel: accessChannel, failure, finish: finishMoves })
}

/**
 * Writes the new groups of moved users into their records. Any process can stop and resume it
 * anywhere. Answers whether no moved user is left.
 */
export async function finishMoves(database: Database, isStopped = () => false): Promise<boolean> {
  const moves = await database.rows<Move>(
    sql`select account_id, id as user_id, group_move::text as move from users where group_move is not null order by account_id, id`,
  )
  if (moves.length === 0) return true
  if (!(await othersEnded(database, isStopped))) return false
  for (const move of moves) {
    // A record that enters or leaves the bin during the search is found by the second pass.
    while ((await rewriteAll(database, move, isStopped)) > 0);
    if (isStopped()) return false
    await database.transaction(async (tx) => {
      await tx.rows(sql`
        update users set group_move = null
         where account_id = ${move.account_id} and id = ${move.user_id} and group_move = ${move.move}::xid8`)
      await forgetAccess(tx)
    })
  }
  return true
}

async function rewriteAll(
  database: Database,
  move: Move,
  isStopped: () => boolean,
): Promise<number> {
  let rewritten = 0
  for (const table of [...recordTypes, 'tasks'] as const)
    for (const inBin of [false, true])
      for (let after: number | null = 0; after !== null && !isStopped();) {
        const from: number = after
        const done = await database.transaction((tx) =>
          tx.row<Chunk>(rewrite(table, move, inBin, from)),
        )
        after = done!.last
        rewritten += done!.rewritten
      }
  return rewritten
}

interface Chunk {
  /** The last id of the chunk; null if none was left. */
  last: number | null
  rewritten: number
}

/** Rewrites a chunk of a user's records or tasks, locked in id order. */
function rewrite(
  table: RecordType | 'tasks',
  { account_id, user_id }: Move,
  inBin: boolean,
  after: number,
) {
  return sql`
    with chunk as (
      select id from ${raw(table)}
       where account_id = ${account_id} and responsible_user_id = ${user_id} and id > ${after}
         and ${inBin ? sql`is_deleted` : sql`not is_deleted`}
       order by id limit ${chunk} for no key update
    ), rewritten as (
      update ${raw(table)} record set group_id = person.group_id
        from chunk, users person
       where record.account_id = ${account_id} and record.id = chunk.id
         and person.account_id = ${account_id} and person.id = ${user_id} and record.group_id <> person.group_id
      returning record.id
    )
    select (select max(id) from chunk) as last, (select count(*) from rewritten) as rewritten`
}
