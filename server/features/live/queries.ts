import sql from 'sql-template-tag'
import type { Actor } from '../../http/access.ts'

/** The account's changes after a journal id, oldest first. Looks no further than a hundred times `most` ids ahead of it. */
export const journalSince = (actor: Actor, cursor: number, most: number) => sql`
  select id, account_id, entity_type, entity_id, actions, before, after, created_by, created_at
    from journal
   where account_id = ${actor.accountId} and id > ${cursor}
   order by id limit ${most}`
