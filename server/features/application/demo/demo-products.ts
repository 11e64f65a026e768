// The products of the demo account, and which of them its leads and customers take. Prices are in
// dollars.
import type { CategoryDraft } from '../../definitions/custom-fields/schema.ts'
import type { NewElement } from '../../records/elements/schema.ts'
import type { DemoField } from './demo-data.ts'

type Product = [
  sku: string,
  name: string,
  category: string,
  price: number,
  wholesale: number,
  description: string,
]

const products: Product[] = [
  [
    'OF-101',
    'Height-adjustable desk',
    'Furniture',
    640,
    575,
    '160 x 80 cm, electric, oak or white',
  ],
  ['OF-104', 'Task chair', 'Furniture', 285, 249, 'Lumbar support, adjustable arms, black fabric'],
  [
    'OF-110',
    'Filing cabinet',
    'Furniture',
    310,
    272,
    'Four drawers, lockable, powder-coated steel',
  ],
  ['OF-120', 'Acoustic panel', 'Furniture', 180, 155, 'Free-standing, 140 cm high, gray felt'],
  ['PP-201', 'Copier paper', 'Paper and printing', 48, 41, 'Box of ten reams, A4, 80 g'],
  ['PP-205', 'Toner cartridge', 'Paper and printing', 92, 81, 'Black, 8,000 pages'],
  ['WS-301', 'Steel workbench', 'Tools and storage', 520, 468, '200 cm, beech top, carries 500 kg'],
  [
    'WS-304',
    'Cordless drill',
    'Tools and storage',
    199,
    172,
    '18 V, with two batteries and a case',
  ],
  ['WS-310', 'Heavy-duty shelf', 'Tools and storage', 145, 126, 'Five levels, 250 kg each'],
  ['SF-401', 'Safety gloves', 'Safety', 36, 30, 'Pack of 12 pairs, cut-resistant'],
  ['SF-402', 'First-aid cabinet', 'Safety', 74, 66, 'For up to 50 people, with a refill card'],
  ['BR-501', 'Coffee beans', 'Breakroom', 84, 72, 'Case of six kilograms, medium roast'],
]

/** The categories, with those below them. */
const categories = {
  Office: ['Furniture', 'Paper and printing', 'Breakroom'],
  Workshop: ['Tools and storage', 'Safety'],
}

/** The tree of the field GROUP. */
export const categoryDrafts: CategoryDraft[] = Object.entries(categories).flatMap(
  ([parent, children]) => [
    { value: parent, request_id: parent },
    ...children.map((value) => ({ value, parent_request_id: parent })),
  ],
)

/** The fields that the catalog has besides its first ones. */
export const productFields: DemoField[] = [
  { name: 'Wholesale price', type: 'price', code: 'WHOLESALE_PRICE' },
  { name: 'Bonus points per purchase', type: 'numeric', code: 'BONUS_POINTS_PER_PURCHASE' },
]

/** The products, with the ids of their categories by name. */
export function productDrafts(categoryIds: ReadonlyMap<string, number>): NewElement[] {
  return products.map(([sku, name, category, price, wholesale, description]) => ({
    name,
    custom_fields_values: [
      { field_code: 'SKU', values: [{ value: sku }] },
      { field_code: 'DESCRIPTION', values: [{ value: description }] },
      { field_code: 'PRICE', values: [{ value: price }] },
      { field_code: 'WHOLESALE_PRICE', values: [{ value: wholesale }] },
      { field_code: 'GROUP', values: [{ enum_id: categoryIds.get(category)! }] },
      { field_code: 'BONUS_POINTS_PER_PURCHASE', values: [{ value: Math.ceil(price / 20) }] },
    ],
  }))
}

/** A product by its place in the catalog. */
export interface Good {
  product: number
  quantity: number
}

/** The products that are bought together, and how many of each for one unit of the first. */
const kits = {
  furniture: [
    ['OF-101', 1],
    ['OF-104', 1],
    ['OF-110', 0.25],
  ],
  'meeting room': [
    ['OF-104', 1],
    ['OF-120', 0.5],
  ],
  workshop: [
    ['WS-301', 0.5],
    ['WS-304', 0.5],
    ['WS-310', 1],
  ],
  storage: [
    ['WS-310', 2],
    ['SF-401', 0.5],
  ],
  safety: [
    ['SF-401', 2],
    ['SF-402', 0.25],
  ],
  supplies: [
    ['PP-201', 1],
    ['PP-205', 0.5],
  ],
  breakroom: [
    ['BR-501', 0.75],
    ['SF-402', 0.1],
  ],
} as const satisfies Record<string, readonly (readonly [sku: string, share: number])[]>

export type Kit = keyof typeof kits

/** The goods of a kit for a number of people. */
export function goodsOf(kit: Kit, size: number): Good[] {
  return kits[kit].map(([sku, share]) => ({
    product: products.findIndex(([known]) => known === sku),
    quantity: Math.max(1, Math.round(size * share)),
  }))
}

export function priceOf(goods: Good[], isWholesale: boolean): number {
  const prices = goods.map(({ product, quantity }) => {
    const [, , , price, wholesale] = products[product]!
    return quantity * (isWholesale ? wholesale : price)
  })
  return prices.reduce((sum, each) => sum + each, 0)
}

/** The lines of an invoice about goods. */
export function invoiceLines({ productIds }: DemoCatalog, goods: Good[]) {
  return goods.map(({ product, quantity }) => {
    const [sku, description, , unit_price] = products[product]!
    return { sku, description, unit_price, quantity, product_id: productIds[product]! }
  })
}

/** The catalog as it was made. */
export interface DemoCatalog {
  id: number
  /** The ids of the products, in their order. */
  productIds: number[]
  priceId: number
  wholesaleId: number
}

/** The links to elements that put goods on a record. */
export function elementDrafts(
  { id, productIds, priceId, wholesaleId }: DemoCatalog,
  entity_id: number,
  goods: Good[],
  isWholesale: boolean,
) {
  return goods.map(({ product, quantity }) => ({
    entity_id,
    to_entity_id: productIds[product]!,
    to_entity_type: 'catalog_elements' as const,
    metadata: { catalog_id: id, quantity, price_id: isWholesale ? wholesaleId : priceId },
  }))
}
