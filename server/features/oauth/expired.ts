import sql from 'sql-template-tag'
import type { Database } from '../../database/connect.ts'

const daySeconds = 86_400

/**
 * Forgets what can no longer be used: codes a day after their issue, refresh tokens a day after their end, sessions that are over.
 * A used refresh token stays until its end, because its return is what tells of a thief. Answers how many rows went.
 */
export async function dropExpired(database: Database, at: number): Promise<number> {
  const gone = await database.transaction((tx) =>
    tx.rows(sql`
      with codes as (delete from authorization_codes where created_at < ${at - daySeconds} returning 1),
           tokens as (delete from refresh_tokens where expires_at < ${at - daySeconds} returning 1),
           visits as (delete from sessions where expires_at < ${at} returning 1)
      select from codes union all select from tokens union all select from visits`),
  )
  return gone.length
}
