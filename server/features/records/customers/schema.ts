import type { Static } from 'typebox'
import { SelfLink, Written } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Name, Price, SafeInteger, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'
import type { RecordRow } from '../../../records/description.ts'
import { Filter, Ids, range, several, TimeRange, times } from '../../../records/lists/schema.ts'
import {
  EmbeddedCompanies,
  EmbeddedContacts,
  EmbeddedTags,
  Linked,
  LinkedContact,
  LinkedElement,
  ListQuery,
  deletedBy,
  readOnly,
  sent,
  sentLinks,
  shown,
  unlinkable,
} from '../../../records/schema.ts'
import { Tag, TagReference } from '../../../records/tags.ts'
import { EmbeddedSegments } from '../segments/schema.ts'
import type { Membership } from '../segments/segments.ts'

const closed = { additionalProperties: false }

const { group_id, ...shownAlways } = shown

const nextDate = 'When the next purchase is due'
const periodicity =
  'Days from one purchase to the next: a purchase moves next_date on by them; 0: it stays'

/** A customer in an answer (interface: Customer). */
export const Customer = Type.Object({
  ...shownAlways,
  group_id: Type.Optional({ ...group_id, description: 'with=group_id' }),
  next_price: Type.Integer({ description: 'What the next purchase is expected to bring' }),
  next_date: Type.Integer({ ...Timestamp, description: nextDate }),
  status_id: Type.Integer({ ...Id, description: 'A status of customers, not of a pipeline' }),
  periodicity: Type.Integer({ description: periodicity }),
  ltv: Type.Integer({ description: 'The sum of the purchases' }),
  purchases_count: Type.Integer({ description: 'The number of purchases' }),
  average_check: Type.Integer({ description: 'ltv by purchases_count, without fraction' }),
  loss_reason_name: Type.Optional(Type.Null({ description: 'with=loss_reason_name: always null' })),
  _embedded: Type.Object({
    tags: Type.Array(Tag),
    segments: Type.Array(Linked),
    contacts: Type.Optional(Type.Array(LinkedContact, { description: 'with=contacts' })),
    companies: Type.Optional(Type.Array(Linked, { description: 'with=companies' })),
    catalog_elements: Type.Optional(
      Type.Array(LinkedElement, { description: 'with=catalog_elements' }),
    ),
  }),
})

/** A written customer in an answer: whole, and with its `request_id`. */
export const WrittenCustomers = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ customers: Type.Array(Written(Customer)) }),
})

const { properties } = Customer
const Changed = Type.Object({
  id: Id,
  name: Type.String(),
  updated_at: Timestamp,
  request_id: Type.String(),
  _links: SelfLink,
})

/** The customer after a change of one: whole, and embedded (interface: Answers to changes). */
export const ChangedCustomer = Type.Object({
  ...properties,
  _embedded: Type.Object({
    ...properties._embedded.properties,
    customers: Type.Array(Changed),
  }),
})

const days = { minimum: 0, maximum: 36_500, description: periodicity }

const NextDate = Type.Integer({ ...Timestamp, description: nextDate })

const own = {
  name: Type.Optional(Name(255)),
  next_price: Type.Optional(
    Type.Integer({ ...Price, description: 'What the next purchase is expected to bring' }),
  ),
  next_date: Type.Optional(NextDate),
  status_id: Type.Optional(
    Type.Integer({
      ...Id,
      description:
        'Where it is not sent, the server chooses the status by next_date and purchases. A sent one holds until the next purchase, another next_date, or the day on which the server would change it',
    }),
  ),
  periodicity: Type.Optional(Type.Integer(days)),
}

const ignored = {
  ...readOnly(
    'group_id',
    'closest_task_at',
    'ltv',
    'purchases_count',
    'average_check',
    'loss_reason_name',
    'account_id',
    '_links',
  ),
  ...deletedBy('Use DELETE /api/v4/customers/{id}.'),
}
const embedded = { tags: EmbeddedTags, segments: EmbeddedSegments }
const linked = {
  contacts: EmbeddedContacts,
  companies: EmbeddedCompanies,
  ...unlinkable('customers', 'catalog_elements'),
}

export const NewCustomer = Type.Object(
  {
    ...ignored,
    ...readOnly('id'),
    ...sent,
    ...own,
    name: Name(255),
    next_date: NextDate,
    _embedded: Type.Optional(Type.Object({ ...embedded, ...linked }, closed)),
  },
  closed,
)

const changed = {
  ...sent,
  ...own,
  tags_to_delete: Type.Optional(Type.Array(TagReference, { maxItems: 100 })),
  // The answer to a change of one names the customer once more.
  _embedded: Type.Optional(
    Type.Object(
      {
        ...embedded,
        ...sentLinks('customers', 'contacts', 'companies', 'catalog_elements'),
        ...readOnly('customers'),
      },
      closed,
    ),
  ),
}

export const CustomerChange = Type.Object({ ...ignored, id: Id, ...changed }, closed)
export const OneCustomerChange = Type.Object({ ...ignored, ...readOnly('id'), ...changed }, closed)

const Draft = Type.Object({
  ...sent,
  ...own,
  tags_to_delete: Type.Optional(Type.Array(TagReference)),
  _embedded: Type.Optional(
    Type.Object({
      tags: EmbeddedTags,
      segments: EmbeddedSegments,
      contacts: EmbeddedContacts,
      companies: EmbeddedCompanies,
    }),
  ),
})
export type CustomerDraft = Static<typeof Draft>

/** One number, several, or a range. */
const Numbers = Type.Union([
  CommaList(SafeInteger, 500, 1),
  Type.Object({ from: Type.Optional(SafeInteger), to: Type.Optional(SafeInteger) }, closed),
])

const DateRange = Type.Object(
  {
    type: Type.Union([Type.Literal('create'), Type.Literal('update')]),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
  },
  closed,
)

const ownFilters = {
  date: Filter(
    DateRange,
    'filter[date][type]=create or update, with filter[date][from]=<Unix seconds> and filter[date][to]=<Unix seconds>, or either one alone',
  ),
  next_price: Filter(
    Numbers,
    range('next_price', 'number', 'for exactly that, or several separated by commas'),
  ),
  next_date: Filter(TimeRange, times('next_date')),
  status_id: Filter(Ids, several('status_id', 'id')),
}
const OwnFilters = Type.Object(ownFilters)
export type CustomerFilter = Static<typeof OwnFilters>

/** The keys that a customer shows on demand. */
export const customerWith = withNames(
  'catalog_elements',
  'loss_reason_name',
  'contacts',
  'companies',
  'group_id',
)
export const CustomerQuery = ListQuery(customerWith, ownFilters)

/** A row of the table `customers`: what the verbs compare and write. */
export interface CustomerRow extends RecordRow, Membership {
  next_price: number
  next_date: number
  periodicity: number
  status_id: number
  /** Whether a person chose the status. */
  is_status_by_hand: boolean
  /** When the passing of time changes the status; null: never. */
  status_due_at: number | null
  /** When the passing of time may change the segments; null: never. */
  segments_due_at: number | null
  ltv: number
  purchases_count: number
  /** The latest `completed_at` of the purchases; null: none. */
  last_purchase_at: number | null
}
