import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import type { RecordRow } from '../../../records/description.ts'
import {
  EmbeddedCompanies,
  EmbeddedTags,
  Linked,
  LinkedElement,
  ListQuery,
  deletedBy,
  embeddedNothing,
  readOnly,
  sent,
  sentLinks,
  shown,
  unlinkable,
} from '../../../records/schema.ts'
import { Tag, TagReference } from '../../../records/tags.ts'
import { Id, Text } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'

const closed = { additionalProperties: false }

/** A contact in an answer (interface: Contact). */
export const Contact = Type.Object({
  ...shown,
  first_name: Type.String(),
  last_name: Type.String(),
  is_unsorted: Type.Boolean(),
  _embedded: Type.Object({
    tags: Type.Array(Tag),
    companies: Type.Array(Linked),
    leads: Type.Optional(Type.Array(Linked, { description: 'with=leads' })),
    customers: Type.Optional(Type.Array(Linked, { description: 'with=customers' })),
    catalog_elements: Type.Optional(
      Type.Array(LinkedElement, { description: 'with=catalog_elements' }),
    ),
    ...embeddedNothing('social_profiles'),
  }),
})

/** A joined name may be as long as both parts, and answers can be sent back. */
const own = {
  name: Type.Optional(Text(511)),
  first_name: Type.Optional(Text(255)),
  last_name: Type.Optional(Text(255)),
}

const ignored = {
  ...readOnly('group_id', 'closest_task_at', 'is_unsorted', 'account_id', '_links'),
  ...deletedBy('Use DELETE /api/v4/contacts/{id}.'),
}

export const NewContact = Type.Object(
  {
    ...ignored,
    ...readOnly('id'),
    ...sent,
    ...own,
    _embedded: Type.Optional(
      Type.Object(
        {
          tags: EmbeddedTags,
          companies: EmbeddedCompanies,
          ...unlinkable('contacts', 'leads', 'customers', 'catalog_elements'),
          ...readOnly('social_profiles'),
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
        ...sentLinks('contacts', 'companies', 'leads', 'customers', 'catalog_elements'),
        ...readOnly('social_profiles'),
      },
      closed,
    ),
  ),
}

export const ContactChange = Type.Object({ ...ignored, id: Id, ...changed }, closed)
export const OneContactChange = Type.Object({ ...ignored, ...readOnly('id'), ...changed }, closed)

const Draft = Type.Object({
  ...sent,
  ...own,
  tags_to_delete: Type.Optional(Type.Array(TagReference)),
  _embedded: Type.Optional(Type.Object({ tags: EmbeddedTags, companies: EmbeddedCompanies })),
})
export type ContactDraft = Static<typeof Draft>

/** The parts of a contact that `with` asks for. */
export const contactWith = withNames('leads', 'customers', 'catalog_elements', 'social_profiles')
export const ContactQuery = ListQuery(contactWith, {})

export interface ContactRow extends RecordRow {
  first_name: string
  last_name: string
}
