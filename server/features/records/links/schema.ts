import type { Static, TUnsafe } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Filter, Filters, Ids, several } from '../../../records/lists/schema.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { linkedTypes } from '../../../records/link-rules.ts'
import type { LinkEnd } from '../../../records/link-rules.ts'
import { ElementMetadata, Quantity, readOnly } from '../../../records/schema.ts'
import { batchSize } from '../../../http/body.ts'
import { PageLinks, SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { CommaList, Id, Nullable } from '../../../http/types.ts'

const closed = { additionalProperties: false }

/** One of several words. */
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)))

const MainContact = Type.Object(
  { main_contact: Type.Boolean() },
  { description: 'Of contacts: whether this is the main contact' },
)

/** A link in an answer (interface: Link). */
const Link = (type: LinkEnd) =>
  Type.Object({
    entity_id: Id,
    entity_type: Type.Literal(type),
    to_entity_id: Id,
    to_entity_type: oneOf(linkedTypes(type)),
    metadata: Type.Union([
      ...(linkedTypes(type).includes('contacts') ? [MainContact] : []),
      ElementMetadata,
      Type.Null(),
    ]),
  })

/** Links, and their number on the page. */
export const LinkPage = (type: LinkEnd) =>
  Type.Object({
    _total_items: Type.Integer(),
    _links: PageLinks,
    _embedded: Type.Object({ links: Type.Array(Link(type)) }),
  })

export const LinkAnswer = (type: LinkEnd) =>
  Type.Object({
    _total_items: Type.Integer(),
    _links: SelfLink,
    _embedded: Type.Object({ links: Type.Array(Link(type)) }),
  })

/** The records of one type that have an element. */
const ElementUse = Type.Object({
  type: oneOf(recordTypes) as unknown as TUnsafe<RecordType>,
  count: Type.Integer({ description: 'Of the newest 1,000, those that the caller may view' }),
  is_more: Type.Boolean({ description: 'Whether there are older ones' }),
  records: Type.Array(Type.Object({ id: Id, name: Type.String(), quantity: Type.Number() }), {
    description: 'The newest 50',
  }),
})
export type ElementUse = Static<typeof ElementUse>

/** Where an element is used, as the web application shows it. */
export const ElementUses = Type.Object({ uses: Type.Array(ElementUse) })
export type ElementUses = Static<typeof ElementUses>

const UserWhoLinks = Type.Integer({
  ...Id,
  description: 'The user recorded as the author: must be active',
})

/** Null counts as not sent: programs send every key. */
const Metadata = Type.Object(
  {
    is_main: Type.Optional(
      Nullable(
        Type.Boolean({
          description: 'True: the contact becomes the main contact of the lead or customer',
        }),
      ),
    ),
    updated_by: Type.Optional(Nullable(UserWhoLinks)),
    catalog_id: Type.Optional(
      Nullable(Type.Integer({ ...Id, description: 'Required for elements of catalogs' })),
    ),
    quantity: Type.Optional(Nullable(Quantity)),
    price_id: Type.Optional(
      Nullable(Type.Integer({ ...Id, description: 'A field of the catalog with the type price' })),
    ),
    ...readOnly('main_contact'),
  },
  closed,
)

const sent = (type: LinkEnd) => ({
  entity_type: Type.Optional(Nullable(Type.Literal(type))),
  to_entity_id: Id,
  to_entity_type: oneOf(linkedTypes(type)),
  metadata: Type.Optional(Nullable(Metadata)),
})

/** A link of the record that the path names; an `entity_id` in the body is ignored. */
export const LinkOfOne = (type: LinkEnd) =>
  Type.Object({ ...readOnly('entity_id'), ...sent(type) }, closed)
export const LinkOfMany = (type: LinkEnd) => Type.Object({ entity_id: Id, ...sent(type) }, closed)

const filters = {
  to_entity_id: Filter(Ids, several('to_entity_id', 'id')),
  to_entity_type: Type.Optional(
    oneOf(['leads', 'contacts', 'companies', 'customers', 'catalog_elements'] as const),
  ),
  to_catalog_id: Filter(Ids, several('to_catalog_id', 'id')),
}
const LinkFilter = Filters(filters)
export type LinkFilter = Static<typeof LinkFilter>

/** Links are one page, unless the request sets a lower limit. */
const LinkPaging = {
  ...Paging,
  limit: Type.Optional(
    Type.Integer({ ...Paging.limit, description: 'Links per page: 250 by default and at most' }),
  ),
}

/** The records whose links one request may list: as many as one request may link. */
const EntityIds = {
  ...CommaList(Id, batchSize, 1),
  description: several('entity_id', 'id'),
}

export const LinksOfOneQuery = Type.Object(
  { ...LinkPaging, filter: Type.Optional(LinkFilter) },
  { additionalProperties: true },
)
export const LinksOfManyQuery = Type.Object(
  { ...LinkPaging, filter: Filters({ entity_id: EntityIds, ...filters }) },
  { additionalProperties: true },
)
