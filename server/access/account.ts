import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from './actor.ts'

/**
 * Lets one transaction at a time change the users, pipelines, loss reasons, sources, custom fields
 * or webhooks of an account: rights and fields name statuses, sources name pipelines, and an
 * administrator must remain. This is the first lock in the order of locks.
 */
export const lockAccount = (actor: Actor): Sql =>
  sql`select id from accounts where id = ${actor.accountId} for no key update`
