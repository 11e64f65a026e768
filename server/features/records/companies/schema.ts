import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import type { RecordRow } from '../../../records/description.ts'
import {
  EmbeddedContacts,
  EmbeddedTags,
  Linked,
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
import { Id } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'

const closed = { additionalProperties: false }

/** A company in an answer (interface: Company). */
export const Company = Type.Object({
  ...shown,
  _embedded: Type.Object({
    tags: Type.Array(Tag),
    contacts: Type.Optional(Type.Array(Linked, { description: 'with=contacts' })),
    leads: Type.Optional(Type.Array(Linked, { description: 'with=leads' })),
    customers: Type.Optional(Type.Array(Linked, { description: 'with=customers' })),
    catalog_elements: Type.Optional(
      Type.Array(LinkedElement, { description: 'with=catalog_elements' }),
    ),
  }),
})

const ignored = {
  ...readOnly('group_id', 'closest_task_at', 'account_id', '_links'),
  ...deletedBy('Use DELETE /api/v4/companies/{id}.'),
}

export const NewCompany = Type.Object(
  {
    ...ignored,
    ...readOnly('id'),
    ...sent,
    _embedded: Type.Optional(
      Type.Object(
        {
          tags: EmbeddedTags,
          contacts: EmbeddedContacts,
          ...unlinkable('companies', 'leads', 'customers', 'catalog_elements'),
        },
        closed,
      ),
    ),
  },
  closed,
)

const changed = {
  ...sent,
  tags_to_delete: Type.Optional(Type.Array(TagReference, { maxItems: 100 })),
  _embedded: Type.Optional(
    Type.Object(
      {
        tags: EmbeddedTags,
        ...sentLinks('companies', 'contacts', 'leads', 'customers', 'catalog_elements'),
      },
      closed,
    ),
  ),
}

export const CompanyChange = Type.Object({ ...ignored, id: Id, ...changed }, closed)
export const OneCompanyChange = Type.Object({ ...ignored, ...readOnly('id'), ...changed }, closed)

const Draft = Type.Object({
  ...sent,
  tags_to_delete: Type.Optional(Type.Array(TagReference)),
  _embedded: Type.Optional(Type.Object({ tags: EmbeddedTags, contacts: EmbeddedContacts })),
})
export type CompanyDraft = Static<typeof Draft>

/** The keys that a company shows on demand. */
export const companyWith = withNames('contacts', 'leads', 'customers', 'catalog_elements')
export const CompanyQuery = ListQuery(companyWith, {})

export type CompanyRow = RecordRow
