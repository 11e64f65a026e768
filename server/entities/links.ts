import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { RecordType } from './kind.ts'
import type { EntityType } from './kinds.ts'

/**
 * `_links` of a record as JSON. `address` is an expression in SQL for a text that needs no escaping in JSON. Gluing text
 * costs a fraction of building objects, and a page does it for every record.
 */
export function selfLink(address: Sql): Sql {
  return sql`('{"self":{"href":"' || ${address} || '"}}')::json`
}

/**
 * The records of a kind that a row named `record` of another kind is linked to, as JSON text: `{id, _links}`, contacts with `is_main`.
 * What lies in the bin is left out.
 */
export function linkedTo(base: string, from: EntityType, to: RecordType): Sql {
  const main = to === 'contacts' && from === 'leads' ? sql`|| ',"is_main":' || link.is_main` : empty
  return sql`
    coalesce((select '[' || string_agg('{"id":' || link.to_id ${main} || ',"_links":{"self":{"href":"'
                       || ${`${base}/api/v4/${to}/`}::text || link.to_id || '"}}}', ',' order by link.to_id) || ']'
                from links link
                join ${raw(to)} other on other.account_id = link.account_id and other.id = link.to_id and not other.is_deleted
               where link.account_id = record.account_id and link.from_type = ${from} and link.from_id = record.id
                 and link.to_type = ${to}), '[]')`
}
