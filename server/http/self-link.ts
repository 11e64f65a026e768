import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'

/**
 * `_links` of a record as JSON. `address` is an SQL expression for a text that needs no escaping in
 * JSON. Joining texts costs a fraction of building objects, and a page does it for every record.
 */
export function selfLink(address: Sql): Sql {
  return sql`('{"self":{"href":"' || ${address} || '"}}')::json`
}
