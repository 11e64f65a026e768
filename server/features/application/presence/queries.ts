import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'

/** Whether the actor may view a record, in the bin too, and the columns that decide who may. */
export const viewedRecord = (actor: Actor, type: EntityType, id: number): Sql => sql`
  select ${may(actor, type, 'view')} as allowed, record.responsible_user_id, record.group_id
         ${raw(type === 'leads' ? ', record.pipeline_id, record.status_id' : '')}
    from ${tableOf(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${id}`
