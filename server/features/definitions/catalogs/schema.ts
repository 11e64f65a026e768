// Catalogs (interface: Catalog).
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { readOnly, UserId } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Id, Name, Sort, Timestamp } from '../../../http/types.ts'

const closed = { additionalProperties: false }

const CatalogType = Type.Union([
  Type.Literal('regular'),
  Type.Literal('products'),
  Type.Literal('invoices'),
])

/** A catalog as it is read. */
export const Catalog = Type.Object({
  id: Id,
  name: Type.String(),
  created_by: UserId,
  updated_by: UserId,
  created_at: Timestamp,
  updated_at: Timestamp,
  sort: Type.Integer(),
  type: CatalogType,
  can_add_elements: Type.Boolean({ description: 'Whether people may add elements' }),
  can_show_in_cards: Type.Boolean({ description: 'Whether cards of leads have a tab for it' }),
  can_link_multiple: Type.Boolean({
    description: 'Whether an element may be linked to several leads or customers',
  }),
  can_be_deleted: Type.Boolean(),
  sdk_widget_code: Type.Null(),
  account_id: Id,
  _links: SelfLink,
})
export type Catalog = Static<typeof Catalog>

const settings = {
  sort: Type.Optional(Type.Integer({ ...Sort, description: 'After the last catalog by default' })),
  can_add_elements: Type.Optional(Type.Boolean()),
  can_show_in_cards: Type.Optional(Type.Boolean()),
  can_link_multiple: Type.Optional(Type.Boolean()),
}

const ignored = readOnly(
  'created_by',
  'updated_by',
  'created_at',
  'updated_at',
  'can_be_deleted',
  'sdk_widget_code',
  'account_id',
  '_links',
)

export const NewCatalog = Type.Object(
  {
    name: Name(255),
    type: Type.Optional(
      Type.Union(CatalogType.anyOf, { description: 'regular unless sent; cannot be changed' }),
    ),
    ...settings,
    ...readOnly('id'),
    ...ignored,
  },
  closed,
)
export type NewCatalog = Static<typeof NewCatalog>

export const CatalogChange = Type.Object(
  {
    id: Id,
    name: Type.Optional(Name(255)),
    type: Type.Optional(CatalogType),
    ...settings,
    ...ignored,
  },
  closed,
)
export type CatalogChange = Static<typeof CatalogChange>

/** The change of the catalog that the path names. */
export const OneCatalogChange = Type.Object({
  ...CatalogChange.properties,
  id: Type.Optional(Type.Unknown({ readOnly: true, description: 'The path names the catalog' })),
})

/** Whether the account sells products. */
export const ProductsSettings = Type.Object(
  {
    is_enabled: Type.Boolean({
      description:
        'True turns the catalog of products on, and creates it where there is none; false turns it off and deletes nothing',
    }),
  },
  closed,
)

export const CatalogQuery = Type.Object(
  {
    ...Paging,
    type: Type.Optional(Type.Union(CatalogType.anyOf, { description: 'Catalogs of this type' })),
  },
  { additionalProperties: true },
)
export type CatalogQuery = Static<typeof CatalogQuery>
