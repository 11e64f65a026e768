// A user moves to another group. Every record carries the group of who is responsible for it, because lists by group need an index, and
// one user may be responsible for a million records. So the move itself only marks the user, and from its commit on the group is taken
// from the users: rights by `groupMembers`, what is shown by `groupShown`. Records are rewritten in the background, a thousand at a time,
// and then the mark goes (docs/decisions/0014-moving-between-groups.md).
//
// A transaction that looked up the group before the move may still write the old one after it. So the rewriting begins only when every
// transaction has ended that had begun when the move was seen (changes/background.ts).
import sql, { raw } from 'sql-template-tag'
import { othersEnded, workInBackground } from '../../changes/background.ts'
import type { Database, Tx } from '../../database/connect.ts'
import { recordTypes } from '../../records/description.ts'
import type { RecordType } from '../../records/description.ts'
import { forgetAccess } from '../../access/remembered.ts'
import type { Actor } from '../../access/actor.ts'
import type { App, Kontor } from '../../kontor.ts'

/** Records rewritten in one transaction, about 50 ms. */
const chunk = 1000

/** Moves users, at once for all that depends on it. */
export async function moveToGroup(
  tx: Tx,
  actor: Actor,
  ids: number[],
  group: number,
): Promise<void> {
  await tx.rows(sql`
    update users set group_id = ${group}, group_move = pg_current_xact_id(), updated_at = ${actor.at}
     where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and group_id <> ${group}`)
  await forgetAccess(tx)
}

interface Move {
  account_id: number
  user_id: number
  move: string
}

export function settleInBackground(app: App, kontor: Kontor): void {
  const failure = 'moves between groups could not be written down'
  workInBackground(app, kontor, { channel: 'kontor_access', failure, settle: settleMoves })
}

/**
 * Writes the groups of users on the move into their records. Can be stopped and begun again anywhere, by any process. Answers whether
 * nobody is on the move any more.
 */
export async function settleMoves(database: Database, isStopped = () => false): Promise<boolean> {
  const moves = await database.rows<Move>(
    sql`select account_id, id as user_id, group_move::text as move from users where group_move is not null order by account_id, id`,
  )
  if (moves.length === 0) return true
  if (!(await othersEnded(database, isStopped))) return false
  for (const move of moves) {
    // A record that goes into the bin or comes out while it is looked for is found the second time.
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
  for (const type of recordTypes)
    for (const inBin of [false, true])
      for (let after: number | null = 0; after !== null && !isStopped();) {
        const from: number = after
        const done = await database.transaction((tx) =>
          tx.row<Chunk>(rewrite(type, move, inBin, from)),
        )
        after = done!.last
        rewritten += done!.rewritten
      }
  return rewritten
}

interface Chunk {
  /** The last id looked at, null where none was left. */
  last: number | null
  rewritten: number
}

/** Rewrites a chunk of a user's records, locked in the order of ids. */
function rewrite(type: RecordType, { account_id, user_id }: Move, inBin: boolean, after: number) {
  return sql`
    with chunk as (
      select id from ${raw(type)}
       where account_id = ${account_id} and responsible_user_id = ${user_id} and id > ${after}
         and ${inBin ? sql`is_deleted` : sql`not is_deleted`}
       order by id limit ${chunk} for no key update
    ), rewritten as (
      update ${raw(type)} record set group_id = person.group_id
        from chunk, users person
       where record.account_id = ${account_id} and record.id = chunk.id
         and person.account_id = ${account_id} and person.id = ${user_id} and record.group_id <> person.group_id
      returning record.id
    )
    select (select max(id) from chunk) as last, (select count(*) from rewritten) as rewritten`
}
