// The linked records that a row of a list or a card of a board names: few, and only those that the actor may view.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import type { RecordType } from '../../../records/description.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'

/** The links of one record that are looked at. */
const mostLinks = raw('40')

/**
 * The main contact, or the first company, of the row of `from` named `record`: its id, its name and the `more`
 * members of it as JSON; null where there is none.
 */
export const linkedName = (
  actor: Actor,
  from: RecordType,
  to: 'contacts' | 'companies',
  more: Sql = empty,
): Sql => sql`
  (select json_build_object('id', shown.id, 'name', shown.name${more})
     from (select link.account_id, link.to_id, link.is_main from links link
            where link.account_id = ${actor.accountId} and link.from_type = ${from} and link.from_id = record.id and link.to_type = ${to}
            order by link.is_main desc, link.to_id limit ${mostLinks}) link,
          lateral (select record.id, record.name, record.custom_fields_values from ${raw(to)} record
                    where record.account_id = ${actor.accountId} and record.id = link.to_id and not record.is_deleted
                      and ${may(actor, to, 'view')} offset 0) shown
    order by link.is_main desc, link.to_id limit 1)`

/** How many leads the row of `from` named `record` has among the latest, and how many of them are open, as JSON. */
export const linkedLeadCounts = (actor: Actor, from: RecordType): Sql => sql`
  (select json_build_object('open', count(*) filter (where shown.status_id not in (${won}, ${lost}) and shown.is_shown),
                            'total', count(*) filter (where shown.is_shown), 'is_more', count(*) > ${mostLinks})
     from (select link.to_id from links link
            where link.account_id = ${actor.accountId} and link.from_type = ${from} and link.from_id = record.id and link.to_type = 'leads'
            order by link.to_id desc limit ${mostLinks} + 1) link,
          lateral (select record.status_id, not record.is_deleted and ${may(actor, 'leads', 'view')} as is_shown from leads record
                    where record.account_id = ${actor.accountId} and record.id = link.to_id offset 0) shown)`
