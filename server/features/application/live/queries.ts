import sql, { join, raw } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { DecidingRecord } from '../../../changes/entity.ts'
import { entityTypes, tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'

/** The changes of the account after a journal id, oldest first. Skips those of other accounts. */
export const journalSince = (actor: Actor, cursor: number, most: number) => sql`
  select id, account_id, entity_type, entity_id, actions, before, after, created_by, created_at,
         case when note is not null then json_build_object('id', note -> 'id') end as note
    from journal
   where account_id = ${actor.accountId} and id > ${cursor}
   order by id limit ${most}`

/** The oldest id in the journal, and the last id that was drawn. */
export const journalBounds = sql`
  select (select min(id) from journal) as oldest, case when is_called then last_value else 0 end as drawn from journal_id`

/** The columns of a record that decide who may view it. */
export interface RecordBehind extends DecidingRecord {
  account_id: number
  id: number
}

/** Those of these records of several accounts that exist outside the bin. */
export function storedRecords(refs: { account_id: number; type: EntityType; id: number }[]) {
  const ofTypes = entityTypes.map((type) => {
    const named = refs.filter((ref) => ref.type === type)
    const stage = raw(
      type === 'leads'
        ? 'record.pipeline_id, record.status_id'
        : 'null::bigint as pipeline_id, null::bigint as status_id',
    )
    return sql`
      select record.account_id, ${type} as entity_type, record.id, record.responsible_user_id, record.group_id, ${stage}
        from unnest(${named.map(({ account_id }) => account_id)}::bigint[], ${named.map(({ id }) => id)}::bigint[]) named (account_id, id)
        join ${tableOf(type)} record on record.account_id = named.account_id and record.id = named.id
       where not record.is_deleted`
  })
  return sql`${join(ofTypes, ' union all ')}`
}
