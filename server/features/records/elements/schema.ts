// The elements of catalogs (interface: Catalog element).
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { FieldValue, SentValues } from '../../../records/fields/schema.ts'
import { Filter, Filters, Ids, Order, several } from '../../../records/lists/schema.ts'
import { OneQuery, UpdatedAt, UserId, deletedBy, readOnly } from '../../../records/schema.ts'
import { longestQuery } from '../../../records/search/terms.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Id, Name, Nullable, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'

const closed = { additionalProperties: false }

/** An element as it is read. */
export const Element = Type.Object({
  id: Id,
  name: Type.String(),
  created_by: UserId,
  updated_by: UserId,
  created_at: Timestamp,
  updated_at: Timestamp,
  is_deleted: Type.Literal(false),
  custom_fields_values: Nullable(Type.Array(FieldValue)),
  catalog_id: Id,
  account_id: Id,
  currency_id: Nullable(Id),
  invoice_link: Type.Optional(Type.Null({ description: 'with=invoice_link: Kontor has none' })),
  _links: SelfLink,
})

const sent = {
  created_by: Type.Optional(UserId),
  updated_by: Type.Optional(UserId),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(UpdatedAt),
  currency_id: Type.Optional(Nullable(Id)),
  custom_fields_values: Type.Optional(Nullable(SentValues)),
}

const ignored = {
  ...readOnly('catalog_id', 'account_id', 'invoice_link', '_links'),
  ...deletedBy('The interface has no method that deletes elements.'),
}

export const NewElement = Type.Object(
  { name: Name(255), ...sent, ...readOnly('id'), ...ignored },
  closed,
)
export type NewElement = Static<typeof NewElement>

export const ElementChange = Type.Object(
  { id: Id, name: Type.Optional(Name(255)), ...sent, ...ignored },
  closed,
)
export type ElementChange = Static<typeof ElementChange>

/** The change of the element that the path names. */
export const OneElementChange = Type.Object({
  ...ElementChange.properties,
  id: Type.Optional(Type.Unknown({ readOnly: true, description: 'The path names the element' })),
})

export const elementWith = withNames('invoice_link')

const byId = several('id', 'id')

export const ElementQuery = Type.Object(
  {
    ...Paging,
    with: elementWith.parameter,
    query: Type.Optional(
      Type.String({
        maxLength: longestQuery,
        description:
          'Text search in names and text fields. An element must contain every word; case and accents are ignored',
      }),
    ),
    filter: Type.Optional(Filters({ id: Filter(Ids, byId) })),
    id: Filter(
      Ids,
      `The same as filter[id], as some programs send it: ${byId.replaceAll('filter[id]', 'id')}`,
    ),
    order: Type.Optional(Order(['id'])),
  },
  { additionalProperties: true },
)
export type ElementQuery = Static<typeof ElementQuery>

export const OneElementQuery = OneQuery(elementWith)

export const CatalogParams = Type.Object({ catalog_id: Id })
export const ElementParams = Type.Object({ catalog_id: Id, id: Id })
export const ElementFileParams = Type.Object({ catalog_id: Id, id: Id, field: Id })
