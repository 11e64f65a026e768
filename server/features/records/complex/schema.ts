// A lead with its contact and its company, as one item (interface: Complex creation). Each part
// takes the keys of its own creation method, so the shapes are derived from those.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { SentValues } from '../../../records/fields/schema.ts'
import { readOnly, readOnlyKeys } from '../../../records/schema.ts'
import { Id, Nullable } from '../../../http/types.ts'
import { NewCompany } from '../companies/schema.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { NewContact } from '../contacts/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { NewLead } from '../leads/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'
import { CallInfo, FormInfo } from '../unsorted/schema.ts'

const closed = { additionalProperties: false }

/** The most items of one request. */
export const mostItems = 50
/** The most custom field values of each new record. */
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
// The item itself links its contact and its company.
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

/** Of an unsorted lead: the call or the form, as features/records/unsorted takes them. */
const UnsortedMetadata = Type.Object(
  {
    category: Type.Enum(['sip', 'forms']),
    ...Type.Partial(CallInfo).properties,
    ...FormInfo.properties,
  },
  { ...closed, description: 'Makes the lead an unsorted one, which waits to be accepted' },
)
export type UnsortedMetadata = Static<typeof UnsortedMetadata>

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
          metadata: Type.Optional(Nullable(UnsortedMetadata)),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** A new record, or only the id of an existing one. */
type Part<Draft> = Omit<Draft, '_embedded'> & {
  id?: number
  _embedded?: Pick<NonNullable<LeadDraft['_embedded']>, 'tags'>
}

export type ComplexDraft = Omit<LeadDraft, '_embedded'> & {
  _embedded?: Omit<NonNullable<LeadDraft['_embedded']>, 'contacts' | 'companies'> & {
    contacts?: Part<ContactDraft>[]
    companies?: Part<CompanyDraft>[]
    metadata?: UnsortedMetadata | null
  }
}

/** The keys accepted beside the `id` of an existing record: read-only ones, which are ignored. */
export const besideId = {
  contacts: ['id', 'request_id', 'is_main', ...readOnlyKeys(NewContact)],
  companies: ['id', 'request_id', ...readOnlyKeys(NewCompany)],
}

/** The result: one element for each lead, in request order. */
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
