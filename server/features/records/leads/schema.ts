import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import {
  Filter,
  Ids,
  NumberRange,
  range,
  several,
  TimeRange,
  times,
} from '../../../records/lists/schema.ts'
import type { RecordRow } from '../../../records/description.ts'
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
import { Id, Nullable, SafeInteger, Text, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'
import { LossReason } from '../../definitions/loss-reasons/schema.ts'
import { StatusesFilter } from '../../definitions/pipelines/schema.ts'
import { ExternalId } from '../../definitions/sources/schema.ts'

const closed = { additionalProperties: false }

/** A lead in an answer (interface: Lead). */
export const Lead = Type.Object({
  ...shown,
  price: Type.Integer(),
  status_id: Id,
  pipeline_id: Id,
  loss_reason_id: Nullable(Id),
  source_id: Nullable(Id),
  closed_at: Nullable(Timestamp),
  score: Type.Null(),
  labor_cost: Type.Null(),
  is_price_modified_by_robot: Type.Optional(
    Type.Literal(false, { description: 'with=is_price_modified_by_robot' }),
  ),
  _embedded: Type.Object({
    tags: Type.Array(Tag),
    companies: Type.Array(Linked),
    contacts: Type.Optional(Type.Array(LinkedContact, { description: 'with=contacts' })),
    catalog_elements: Type.Optional(
      Type.Array(LinkedElement, { description: 'with=catalog_elements' }),
    ),
    loss_reason: Type.Optional(
      Type.Array(LossReason, { description: 'with=loss_reason: at most one element' }),
    ),
    source: Type.Optional(
      Nullable(Type.Object({ id: Id, name: Type.String() }, { description: 'with=source' })),
    ),
  }),
})

/** The price in a body. */
export const LeadPrice = Type.Integer({
  ...SafeInteger,
  'x-cut': true,
  description: 'Whole currency units; fractions are cut off',
})

const own = {
  price: Type.Optional(LeadPrice),
  status_id: Type.Optional(Id),
  pipeline_id: Type.Optional(Id),
  loss_reason_id: Type.Optional(Nullable(Id)),
  closed_at: Type.Optional(Nullable(Timestamp)),
  visitor_uid: Type.Optional(
    Nullable(Type.String({ ...Text(255), description: 'Accepted but not stored' })),
  ),
}

/**
 * The source of a new lead, which belongs to the creating integration. In the form of answers,
 * without an external id, it is ignored.
 */
const EmbeddedSource = Type.Optional(
  Nullable(
    Type.Object(
      {
        external_id: Type.Optional(ExternalId),
        type: Type.Optional(Type.Literal('widget')),
        ...readOnly('id', 'name'),
      },
      closed,
    ),
  ),
)

const ignored = {
  ...readOnly(
    'group_id',
    'source_id',
    'closest_task_at',
    'score',
    'account_id',
    'labor_cost',
    'is_price_modified_by_robot',
    '_links',
  ),
  ...deletedBy('Use DELETE /api/v4/leads/{id}.'),
}

export const NewLead = Type.Object(
  {
    ...ignored,
    ...readOnly('id'),
    ...sent,
    ...own,
    _embedded: Type.Optional(
      Type.Object(
        {
          tags: EmbeddedTags,
          contacts: EmbeddedContacts,
          companies: EmbeddedCompanies,
          source: EmbeddedSource,
          ...readOnly('loss_reason'),
          ...unlinkable('leads', 'catalog_elements'),
        },
        closed,
      ),
    ),
  },
  closed,
)

const changed = {
  ...sent,
  ...own,
  tags_to_delete: Type.Optional(Type.Array(TagReference, { maxItems: 100 })),
  _embedded: Type.Optional(
    Type.Object(
      {
        tags: EmbeddedTags,
        ...sentLinks('leads', 'contacts', 'companies', 'catalog_elements'),
        ...readOnly('loss_reason', 'source'),
      },
      closed,
    ),
  ),
}

/** One item of a batch of changes. */
export const LeadChange = Type.Object({ ...ignored, id: Id, ...changed }, closed)
/** The change of the lead that the path names; an `id` in the body is ignored. */
export const OneLeadChange = Type.Object({ ...ignored, ...readOnly('id'), ...changed }, closed)

const Draft = Type.Object({
  ...sent,
  ...own,
  tags_to_delete: Type.Optional(Type.Array(TagReference)),
  _embedded: Type.Optional(
    Type.Object({
      tags: EmbeddedTags,
      contacts: EmbeddedContacts,
      companies: EmbeddedCompanies,
      source: EmbeddedSource,
    }),
  ),
})
export type LeadDraft = Static<typeof Draft>

const ownFilters = {
  price: Filter(NumberRange, range('price', 'number', 'for exactly that')),
  statuses: StatusesFilter('statuses'),
  pipeline_id: Filter(Ids, several('pipeline_id', 'id')),
  closed_at: Filter(TimeRange, times('closed_at')),
}
const OwnFilters = Type.Object(ownFilters)
export type LeadFilter = Static<typeof OwnFilters>

/** The parts of a lead that `with` asks for. */
export const leadWith = withNames(
  'contacts',
  'catalog_elements',
  'is_price_modified_by_robot',
  'loss_reason',
  'source',
)
export const LeadQuery = ListQuery(leadWith, ownFilters)

/** A row of the table `leads`: what the verbs compare and write. */
export interface LeadRow extends RecordRow {
  price: number
  pipeline_id: number
  status_id: number
  loss_reason_id: number | null
  source_id: number | null
  closed_at: number | null
  /** The unsorted item that the lead waits with; null for every other lead. */
  unsorted_id: number | null
}
