// A lead with its contact and its company, as one item (entities reference, Complex creation). Each part takes what its own method takes, so the
// shapes are made of theirs.
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { SentValues } from '../../records/fields/schema.ts'
import { readOnly, readOnlyKeys } from '../../records/schema.ts'
import { Id, Nullable } from '../../http/types.ts'
import { NewCompany } from '../companies/schema.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { NewContact } from '../contacts/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { NewLead } from '../leads/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'

const closed = { additionalProperties: false }

/** Items of one request at most. */
export const mostItems = 50
/** Values of custom fields of each record that is made. */
export const mostValues = 40

const FewValues = Type.Optional(
  Nullable(
    Type.Array(SentValues.items, {
      maxItems: mostValues,
      description: `At most ${mostValues} values in total`,
    }),
  ),
)

const { _embedded: embeddedInLead, ...lead } = NewLead.properties
const { _embedded: embeddedInContact, ...contact } = NewContact.properties
const { _embedded: embeddedInCompany, ...company } = NewCompany.properties
// The item itself says which contact and company belong together.
const { companies: _companies, ...inContact } = embeddedInContact.properties
const { contacts: _contacts, ...inCompany } = embeddedInCompany.properties

const part = {
  id: Type.Optional({
    ...Id,
    description:
      'Id of an existing record, which is linked as it is: its fields cannot be changed here',
  }),
  custom_fields_values: FewValues,
  ...readOnly('request_id'),
}

export const ComplexLead = Type.Object(
  {
    ...lead,
    custom_fields_values: FewValues,
    _embedded: Type.Optional(
      Type.Object(
        {
          ...embeddedInLead.properties,
          contacts: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  ...contact,
                  ...part,
                  is_main: Type.Optional(
                    Type.Boolean({ description: 'The only contact is always the main contact' }),
                  ),
                  _embedded: Type.Optional(Type.Object(inContact, closed)),
                },
                closed,
              ),
              { maxItems: 1 },
            ),
          ),
          companies: Type.Optional(
            Type.Array(
              Type.Object(
                { ...company, ...part, _embedded: Type.Optional(Type.Object(inCompany, closed)) },
                closed,
              ),
              {
                maxItems: 1,
              },
            ),
          ),
          metadata: Type.Optional(
            Type.Unknown({
              description: 'For unsorted leads, which cannot be created yet: refused',
            }),
          ),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** A new record, or just the id of one that is there. */
type Part<Draft> = Omit<Draft, '_embedded'> & {
  id?: number
  _embedded?: Pick<NonNullable<LeadDraft['_embedded']>, 'tags'>
}

export type ComplexDraft = Omit<LeadDraft, '_embedded'> & {
  _embedded?: Omit<NonNullable<LeadDraft['_embedded']>, 'contacts' | 'companies'> & {
    contacts?: Part<ContactDraft>[]
    companies?: Part<CompanyDraft>[]
    metadata?: unknown
  }
}

/** The keys that may stand beside the `id` of a record that is there: those that are only read, and so say nothing. */
export const besideId = {
  contacts: ['id', 'request_id', 'is_main', ...readOnlyKeys(NewContact)],
  companies: ['id', 'request_id', ...readOnlyKeys(NewCompany)],
}

/** What became of the items: one element for each lead, in the order of the request. */
export const ComplexAnswer = Type.Array(
  Type.Object({
    id: Id,
    contact_id: Nullable(Id),
    company_id: Nullable(Id),
    request_id: Type.Array(Type.String(), {
      description: 'The request_id of every item that went into this lead',
    }),
    merged: Type.Boolean({ description: 'True if the lead existed before' }),
  }),
)
export type ComplexAnswer = Static<typeof ComplexAnswer>
