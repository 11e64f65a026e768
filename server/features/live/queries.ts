import sql from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
/** The changes of the account after a journal id, oldest first. Skips those of other accounts. */
export const journalSince = (actor: Actor, cursor: number, most: number) => sql`
  select id, account_id, entity_type, entity_id, actions, before, after, created_by, created_at
    from journal
   where account_id = ${actor.accountId} and id > ${cursor}
   order by id limit ${most}`

/** The oldest id in the journal, and the last id that was drawn. */
export const journalBounds = sql`
  select (select min(id) from journal) as oldest, case when is_called then last_value else 0 end as drawn from journal_id`
