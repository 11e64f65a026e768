// Catalogs as administrators shape them; crm/catalogs.ts reads them. A change sends the members that
// were changed, and a move what stands behind, so that colleagues do not undo each other's work.
import type { Catalog } from '../../../server/features/definitions/catalogs/schema.ts'
import { ask } from '../../data/api.ts'

export type { Catalog }
export type CatalogType = Catalog['type']

/** Of an account (interface: Limits). */
export const mostCatalogs = 10

/** In the order in which they are offered. An account has one of each of the other two at most. */
export const catalogTypes: readonly CatalogType[] = ['products', 'invoices', 'regular']

const path = '/api/v4/catalogs'

export const createCatalog = async (
  { name, type }: { name: string; type: CatalogType },
  key: string,
): Promise<number> => {
  const { _embedded } = await ask<{ _embedded: { catalogs: { id: number }[] } }>(path, {
    method: 'POST',
    body: [{ name, type }],
    key,
  })
  return _embedded.catalogs[0]!.id
}

export type CatalogFlag = 'can_add_elements' | 'can_show_in_cards' | 'can_link_multiple'

export const changeCatalog = (
  id: number,
  change: Partial<Pick<Catalog, 'name' | CatalogFlag>>,
): Promise<Catalog> => ask(`${path}/${id}`, { method: 'PATCH', body: change })

export const placeCatalog = (id: number, before: number | null): Promise<void> =>
  ask(`/web/v1/catalogs/${id}/move`, { method: 'POST', body: { before } })
