import sql from 'sql-template-tag'
import { notFound } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'

/** `kontor follower list`: the followers of the journal, and how far each has come. */
export function followerList({ database }: Kontor) {
  return database.rows<{ name: string; behind: number; updated_at: number }>(sql`
    select name, greatest(0, case when is_called then last_value else 0 end - low_water) as behind, updated_at
      from followers, journal_id order by name`)
}

/**
 * `kontor follower forget`: removes a follower that is no longer there, which would keep the journal
 * for ever. One that runs begins anew with its next start.
 */
export async function followerForget({ database }: Kontor, name: string) {
  const gone = await database.transaction((tx) =>
    tx.row(sql`delete from followers where name = ${name} returning name`),
  )
  if (!gone) throw notFound(`there is no follower "${name}"; "kontor follower list" shows them`)
  return { name, is_forgotten: true }
}
