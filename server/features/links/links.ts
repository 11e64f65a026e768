import type { LinkQuery } from './link-list.ts'
import { invalid } from '../../http/problem.ts'
import type { LinkFilter } from './schema.ts'

/**
 * What a filter says of the other ends: `to_entity_id` and `to_entity_type` go together (entities reference, 13.1), else 400. There are no
 * elements of lists yet, so that those of one list are none.
 */
export function targetOf({
  to_entity_id: ids,
  to_entity_type: type,
  to_catalog_id,
}: LinkFilter = {}): Pick<LinkQuery, 'to'> {
  if ((ids === undefined) !== (type === undefined)) {
    const path = `filter[${ids === undefined ? 'to_entity_id' : 'to_entity_type'}]`
    throw invalid([
      {
        request_id: '0',
        errors: [{ code: 'FieldMissing', path, detail: 'This field is missing.' }],
      },
    ])
  }
  if (to_catalog_id) return { to: { type: 'catalog_elements', ids: [] } }
  return ids && type ? { to: { type, ids } } : {}
}
