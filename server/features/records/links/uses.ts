// Where an element of a catalog is used: the records that have it, with its quantity on each.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { linksTo } from './link-list.ts'

export const usesBounds = {
  /** The newest records of each type that are looked at and counted. */
  counted: 1000,
  /** The newest of them that are named. */
  named: 50,
}

/**
 * The uses of an element (schema.ts: ElementUse), one row for each type of records. They are those outside the bin that
 * the actor may view.
 */
export const usesOfElement = (actor: Actor, id: number): Sql =>
  join(
    recordTypes.map((type) => usesByType(actor, id, type)),
    ' union all ',
  )

function usesByType(actor: Actor, id: number, type: RecordType): Sql {
  const links = linksTo(actor, 'catalog_elements', sql`${id}::bigint`, type)
  return sql`
    select ${type}::text as type, count(*)::int as count,
           (select count(*) > ${usesBounds.counted} from (select from ${links} limit ${usesBounds.counted + 1}) link) as is_more,
           coalesce(json_agg(json_build_object('id', used.id, 'name', used.name, 'quantity', used.quantity)
                             order by used.id desc) filter (where used.rank <= ${usesBounds.named}), '[]') as records
      from (select record.id, record.name, link.quantity, row_number() over (order by record.id desc) as rank
              from (select link.entity_id, link.quantity from ${links}
                     order by link.entity_id desc limit ${usesBounds.counted}) link,
                   lateral ${rowByKey(type, actor.accountId, sql`link.entity_id`)} record
             where not record.is_deleted and ${may(actor, type, 'view')}) used`
}
