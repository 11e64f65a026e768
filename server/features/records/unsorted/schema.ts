// Unsorted items in version 4 (interface: Unsorted item). A part of an item takes the keys of its
// own creation method, so the shapes are derived from those.
import type { Static, TSchema } from 'typebox'
import { PageLinks, SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, LooseText, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'
import {
  Filter,
  Filters,
  Ids,
  Order,
  several,
  TimeRange,
  times,
} from '../../../records/lists/schema.ts'
import { FieldValue } from '../../../records/fields/schema.ts'
import { Linked, readOnly, UserId } from '../../../records/schema.ts'
import { NewCompany } from '../companies/schema.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { NewContact } from '../contacts/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { NewLead } from '../leads/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'
import type { NoteType } from '../../activity/notes/notes.ts'

const closed = { additionalProperties: false }
const { Optional } = Type

/**
 * Items of the categories mail and chats come in by features of their own. No feature makes those of
 * mail yet.
 */
export const categories = ['sip', 'mail', 'forms', 'chats'] as const
export type ItemCategory = (typeof categories)[number]
/** The categories that programs can add (interface: Unsorted item), and that of chats. */
export type AddedCategory = 'sip' | 'forms' | 'chats'

/** The 60 hexadecimal digits of Kontor's own items; other texts name no item. */
const Uid = Type.String({ minLength: 1, maxLength: 60 })

const orNull = <Schema extends TSchema>(schema: Schema) => Optional(Nullable(schema))
const Duration = Type.Integer({ minimum: 0, description: 'In seconds' })

/** A call, as its source tells of it. */
export const CallInfo = Type.Object(
  {
    from: Optional(LooseText(255)),
    phone: { ...LooseText(255), description: 'The number of the caller' },
    called_at: Optional(Timestamp),
    duration: Optional(Duration),
    link: orNull({ ...Text(4096), description: 'The recording' }),
    service_code: Optional(LooseText(255)),
    uniq: orNull({ ...LooseText(255), description: 'The name of the call at its source' }),
    is_call_event_needed: Optional(
      Type.Boolean({
        description: 'Whether the acceptance adds a call note to the records that it creates',
        writeOnly: true,
      }),
    ),
    call_responsible: orNull({
      ...LooseText(255),
      description: 'A user id, a phone number or a name',
    }),
  },
  closed,
)
export type CallInfo = Static<typeof CallInfo>

/** A web form, and how it was sent. */
export const FormInfo = Type.Object(
  {
    form_id: Optional(LooseText(255)),
    form_name: orNull(Text(255)),
    form_page: orNull(Text(4096)),
    form_sent_at: orNull(Timestamp),
    form_type: orNull(Type.Integer()),
    ip: orNull(Text(255)),
    referer: orNull(Text(4096)),
    visitor_uid: orNull(Text(255)),
    service_code: orNull(LooseText(255)),
  },
  closed,
)
export type FormInfo = Static<typeof FormInfo>

/** A chat, as its latest message left it (interface: Unsorted item). */
export interface ChatInfo {
  /** The name of the client, and the title of the connection. */
  from: string
  to: string
  /** The origin of the channel. */
  service: string
  source_name: string
  received_at: number
  client: { name: string; avatar: string | null }
  origin: { chat_id: string; ref: null; visitor_uid: null }
  last_message_text: string | null
}
export type ItemInfo = CallInfo | FormInfo | ChatInfo

const {
  contacts: _contacts,
  companies: _companies,
  ...inLead
} = NewLead.properties._embedded.properties
const { companies: _ofContact, ...inContact } = NewContact.properties._embedded.properties
const { contacts: _ofCompany, ...inCompany } = NewCompany.properties._embedded.properties

const one = { maxItems: 1 }
/** The records of an item: one lead, and at most one contact and one company. */
const parts = {
  leads: Optional(
    Type.Array(
      Type.Object(
        {
          ...NewLead.properties,
          ...readOnly('request_id'),
          _embedded: Optional(Type.Object(inLead, closed)),
        },
        closed,
      ),
      { ...one, description: 'Without it, a lead with a name made of the call or the form' },
    ),
  ),
  contacts: Optional(
    Type.Array(
      Type.Object(
        {
          ...NewContact.properties,
          ...readOnly('request_id', 'is_main'),
          _embedded: Optional(Type.Object(inContact, closed)),
        },
        closed,
      ),
      one,
    ),
  ),
  companies: Optional(
    Type.Array(
      Type.Object(
        {
          ...NewCompany.properties,
          ...readOnly('request_id'),
          _embedded: Optional(Type.Object(inCompany, closed)),
        },
        closed,
      ),
      one,
    ),
  ),
}

const item = {
  source_name: Name(255),
  source_uid: {
    ...Name(255),
    description:
      'The id of the request at its source: the same request sent again makes no second item',
  },
  pipeline_id: orNull(Id),
  created_at: orNull(Timestamp),
  _embedded: orNull(Type.Object(parts, closed)),
  ...readOnly('uid', 'category', 'account_id', '_links'),
}

export const NewSipItem = Type.Object({ ...item, metadata: CallInfo }, closed)
export const NewFormItem = Type.Object({ ...item, metadata: FormInfo }, closed)
export type NewVersion4Item = Static<typeof NewSipItem> | Static<typeof NewFormItem>

/** The types of the records of an item. */
export const partTypes = ['leads', 'contacts', 'companies'] as const
export type PartType = (typeof partTypes)[number]

/** A note that the acceptance adds to the first record of a type. */
export interface IncomingNote {
  type: PartType
  note_type: NoteType
  text: string
}

/** An item to add, whichever version it came by. */
export interface NewItem {
  category: AddedCategory
  source_name: string
  source_uid: string
  pipeline_id?: number | undefined
  created_at?: number | undefined
  metadata: ItemInfo
  leads: LeadDraft[]
  contacts: ContactDraft[]
  companies: CompanyDraft[]
  /**
   * The place of the company of each contact among the companies, null for none. Left out, the company
   * at the place of the contact or else the last is meant.
   */
  employers?: (number | null)[]
  notes: IncomingNote[]
}

const ItemDecision = {
  user_id: orNull({
    ...UserId,
    description: 'The user on whose behalf; by default, and for 0, the caller',
  }),
}
export const Acceptance = Optional(
  Type.Object(
    {
      ...ItemDecision,
      status_id: orNull({
        ...Id,
        description: 'The stage of the lead, in the pipeline of the item; the first one by default',
      }),
    },
    closed,
  ),
)
export const Decline = Optional(Type.Object(ItemDecision, closed))

/** The answer to a link of a chat: the record that it belongs to now. */
export const LinkedItem = Type.Object({
  uid: Type.String(),
  _embedded: Type.Object({
    leads: Optional(Type.Array(Linked)),
    customers: Optional(Type.Array(Linked)),
  }),
})

export const ItemLink = Type.Object(
  {
    ...ItemDecision,
    link: Type.Object(
      {
        entity_id: Id,
        entity_type: Type.Enum(['leads', 'customers']),
        metadata: orNull(Type.Object({ contact_id: orNull(Id) }, closed)),
      },
      closed,
    ),
  },
  closed,
)

export const UidParams = Type.Object({
  uid: Type.String({ pattern: '^[0-9a-f]{1,60}$' }),
})

const Uids = CommaList(Uid, 500, 1)
const Categories = CommaList(Type.Enum(categories), categories.length, 1)

const filters = {
  uid: Filter(Uids, several('uid', 'uid')),
  category: Filter(Categories, several('category', 'sip, mail, forms or chats')),
  pipeline_id: Filter(Ids, several('pipeline_id', 'id')),
}

export const ItemQuery = Type.Object(
  {
    ...Paging,
    filter: Optional(Filters(filters)),
    order: Optional(Order(['created_at', 'updated_at'])),
  },
  closed,
)
export type ItemQuery = Static<typeof ItemQuery>

export const SummaryQuery = Type.Object(
  {
    filter: Optional(
      Filters({
        uid: filters.uid,
        created_at: Filter(
          TimeRange,
          times('created_at', '; of decided items, the time of the decision'),
        ),
        pipeline_id: filters.pipeline_id,
      }),
    ),
  },
  closed,
)
export type SummaryFilter = NonNullable<Static<typeof SummaryQuery>['filter']>

const Parts = Type.Object({
  contacts: Type.Array(Linked),
  leads: Type.Array(Linked),
  companies: Type.Array(Linked),
})

/** An unsorted item in an answer. */
export const UnsortedItem = Type.Object({
  uid: Type.String(),
  source_uid: Type.String(),
  source_name: Type.String(),
  category: Type.Enum(categories),
  pipeline_id: Id,
  created_at: Timestamp,
  metadata: Type.Object(
    {},
    { additionalProperties: true, description: 'The call, the form or the chat' },
  ),
  account_id: Id,
  _links: SelfLink,
  _embedded: Parts,
})

export const ItemPage = Type.Object({
  _page: Type.Integer(),
  _links: PageLinks,
  _embedded: Type.Object({ unsorted: Type.Array(UnsortedItem) }),
})

/** An item as the web application shows it before the acceptance. */
export const ItemCard = Type.Object({
  uid: Type.String(),
  category: Type.Enum(categories),
  source_name: Type.String(),
  source_uid: Type.String(),
  pipeline_id: Id,
  created_at: Timestamp,
  lead_ids: Type.Array(Id),
  contact_ids: Type.Array(Id),
  company_ids: Type.Array(Id),
  metadata: Type.Object(
    {},
    { additionalProperties: true, description: 'The call, the form or the chat' },
  ),
  same_contacts: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      leads: Type.Integer({ minimum: 0, description: 'Its leads, 99 at most' }),
    }),
    {
      maxItems: 3,
      description: 'Stored contacts with a phone or an e-mail of the contact of the item',
    },
  ),
  preview: Type.Object(
    {
      entity_type: Type.Enum(['contacts', 'leads']),
      name: Type.String(),
      tags: Type.Array(Type.String()),
      custom_fields_values: Nullable(Type.Array(FieldValue)),
    },
    { description: 'The contact of the item or, without one, its lead' },
  ),
})

export type ItemCard = Static<typeof ItemCard>

export const CardPage = Type.Object({
  _page: Type.Integer(),
  _links: PageLinks,
  _embedded: Type.Object({ unsorted: Type.Array(ItemCard) }),
})

/** The most waiting items that are counted. */
export const mostItemsCounted = 1000

/** The waiting items of a pipeline by category; null where it takes none or the caller may see none. */
export const ItemCounts = Type.Object({
  unsorted: Nullable(
    Type.Object({
      count: Type.Integer({ description: `At most ${mostItemsCounted}` }),
      categories: Type.Record(Type.String(), Type.Integer()),
    }),
  ),
})
export type ItemCounts = Static<typeof ItemCounts>

export const ItemCountsQuery = Type.Object({ pipeline_id: Id }, closed)

export const AddedItems = Type.Object({
  _total_items: Type.Integer(),
  _links: SelfLink,
  _embedded: Type.Object({
    unsorted: Type.Array(
      Type.Object({
        uid: Type.String(),
        account_id: Id,
        request_id: Type.String(),
        _links: SelfLink,
        _embedded: Parts,
      }),
    ),
  }),
})

const decided = {
  uid: Type.String(),
  pipeline_id: Id,
  category: Type.Enum(categories),
  created_at: Timestamp,
}
export const AcceptedAnswer = Type.Object({ ...decided, _embedded: Parts })
export const DeclinedAnswer = Type.Object({
  ...decided,
  _embedded: Type.Object({ leads: Type.Array(Linked), contacts: Type.Array(Linked) }),
})

const Total = Type.Object({ total: Type.Integer() })
export const Summary = Type.Object({
  total: Type.Integer({ description: 'Items that wait' }),
  accepted: Type.Integer(),
  declined: Type.Integer(),
  average_sort_time: Type.Integer({
    description: 'Seconds from the creation to the decision, 0 where none was made',
  }),
  categories: Type.Object({ sip: Total, mail: Total, forms: Total, chats: Total }),
})
