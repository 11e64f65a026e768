// The fields of a catalog and its elements, as the room of products reads and writes them.
import { queryOptions } from '@tanstack/react-query'
import type { CatalogElement } from '../../crm/catalogs.ts'
import type { FieldType } from '../../crm/fields/field.ts'
import { ask, askList } from '../../data/api.ts'

/** A field of a catalog as the interface has it. */
export interface CatalogField {
  id: number
  name: string
  type: FieldType
  code: string | null
  sort: number
  is_api_only: boolean
  is_visible: boolean
  is_required: boolean
  currency: string | null
  enums: { id: number; value: string; code: string | null; sort: number }[] | null
  /** The tree of categories. */
  nested: { id: number; parent_id: number | null; value: string; sort: number }[] | null
}

export const catalogFieldsQuery = (catalogId: number) =>
  queryOptions({
    queryKey: ['fields', 'of-catalog', catalogId],
    queryFn: ({ signal }) =>
      askList<CatalogField>(
        `/api/v4/catalogs/${catalogId}/custom_fields?limit=250&order[sort]=asc`,
        'custom_fields',
        { signal },
      ),
  })

/** The body of a new element, and a change of an element. */
export interface ElementBody {
  name?: string
  custom_fields_values?: { field_id: number; values: readonly object[] | null }[]
}

export async function addToCatalog(
  catalogId: number,
  body: ElementBody,
  key: string,
): Promise<CatalogElement> {
  const { _embedded } = await ask<{ _embedded: { elements: CatalogElement[] } }>(
    `/api/v4/catalogs/${catalogId}/elements`,
    { method: 'POST', body: [body], key },
  )
  return _embedded.elements[0]!
}
