// The catalogs of the account and their elements, for the features that sell them.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CardElement } from '../../server/features/application/cards/schema.ts'
import type { Catalog } from '../../server/features/definitions/catalogs/schema.ts'
import type { Element } from '../../server/features/records/elements/schema.ts'
import type { Bootstrap } from '../../server/features/application/bootstrap/schema.ts'
import { askList } from '../data/api.ts'

export type CatalogElement = Static<typeof Element>

/** The catalogs of the account; none for a user without a right to them. */
export const allCatalogsQuery = ({ me }: Pick<Bootstrap, 'me'>) =>
  queryOptions({
    queryKey: ['catalogs'],
    queryFn: ({ signal }) => askList<Catalog>('/api/v4/catalogs?limit=250', 'catalogs', { signal }),
    enabled: me.is_admin || me.rights.catalog_access || me.rights.catalog_rights.length > 0,
    staleTime: 60_000,
  })

/** Those of them whose elements cards offer, products first. */
export const catalogsQuery = (bootstrap: Pick<Bootstrap, 'me'>) =>
  queryOptions({ ...allCatalogsQuery(bootstrap), select: inCards })

const inCards = (all: Catalog[]): Catalog[] =>
  productsFirst(all).filter(
    ({ type, can_show_in_cards }) => type === 'products' || can_show_in_cards,
  )

/** In their order, with the catalog of products before the others. */
export const productsFirst = (all: readonly Catalog[]): Catalog[] =>
  all.toSorted((a, b) => Number(b.type === 'products') - Number(a.type === 'products'))

/** A few elements of a catalog that have all words of `text`; the first ones for an empty text. */
export const elementsFoundQuery = (catalogId: number | undefined, text: string) =>
  queryOptions({
    queryKey: ['catalogs', catalogId, 'found', text],
    queryFn: ({ signal }) => {
      const words = text === '' ? '' : `&query=${encodeURIComponent(text)}`
      return askList<CatalogElement>(
        `/api/v4/catalogs/${catalogId}/elements?limit=20${words}`,
        'elements',
        { signal },
      )
    },
    enabled: catalogId !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })

/** The quantities of an element that the server takes. */
export const quantityRules = { isPositive: true, max: 999_999_999, places: 6 }

/** The value of an element in one of the price fields of its catalog. */
export type ElementPrice = CardElement['prices'][number]

/** The prices of an element in the order of the fields. */
export const elementPrices = ({ custom_fields_values }: CatalogElement): ElementPrice[] =>
  (custom_fields_values ?? []).flatMap(({ field_type, field_id, field_name, values }) => {
    const price = Number(values[0]?.value ?? Number.NaN)
    return field_type !== 'price' || Number.isNaN(price)
      ? []
      : [{ price_id: field_id, name: field_name, price }]
  })
