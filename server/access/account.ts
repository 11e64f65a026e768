import sql from 'sql-template-tag'
import type { Actor } from './actor.ts'
/**
 * Lets one change of what an account consists of through at a time: of its people (so that two cannot leave it without an administrator),
 * pipelines, loss reasons and sources, and of its custom fields (`fieldsChanged` takes the same lock). One lock for all, because rights
 * and fields name statuses, and sources name pipelines. It is the first in the order of locks.
 */
export const lockAccount = (actor: Actor) =>
  sql`select id from accounts where id = ${actor.accountId} for no key update`
