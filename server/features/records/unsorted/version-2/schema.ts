// The bodies, queries and answers of the version-2 methods (interface: Version-2 intake; Version-2
// answers). Forms hold only texts, and an empty text for an empty value; their lists may have gaps,
// so they may also come as objects by index.
import type { Static, TSchema } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { CommaList, Id, LooseText, Name, Text, Timestamp } from '../../../../http/types.ts'
import { batchSize } from '../../../../http/body.ts'
import { Order, TimeRange } from '../../../../records/lists/schema.ts'
import { UserId } from '../../../../records/schema.ts'
import { categories, Summary } from '../schema.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }
const { Optional } = Type

/** The most uids of one request. */
const mostUids = 250

/** Values that may be empty: absent, null, or an empty text. */
const orBlank = <Shape extends TSchema>(shape: Shape) =>
  Optional(Type.Union([shape, Type.Null(), Type.Literal('')]))

/** A list, or an object whose keys are indices. */
const Listed = <Item extends TSchema>(item: Item, most: number) =>
  Type.Union([
    Type.Array(item, { minItems: 1, maxItems: most }),
    Type.Record(Type.String({ pattern: String.raw`^\d{1,9}$` }), item, {
      minProperties: 1,
      maxProperties: most,
      description: 'The items by their indices, as forms may have them',
    }),
  ])

const Flag = Type.Union([Type.Boolean(), Type.Enum(['1', '0', 'true', 'false', ''])])
const UserOrNumber = Type.Union([Type.Integer({ minimum: 0 }), Text(255)], {
  description: 'The user who took the call; a phone number or a name is taken too',
})

/** `incoming_lead_info` of a call; every key is required. */
const SentCall = Type.Object(
  {
    to: UserOrNumber,
    from: { ...LooseText(255), description: 'The number of the caller' },
    date_call: Timestamp,
    duration: Type.Integer({ minimum: 0, description: 'In seconds' }),
    link: { ...Text(4096), description: 'The recording; may be empty' },
    service_code: LooseText(255),
    uniq: { ...LooseText(255), description: 'The name of the call at its source' },
    add_note: Type.Union(Flag.anyOf, {
      description: 'Whether the acceptance adds a call note to the records that it creates',
    }),
  },
  closed,
)
export type SentCall = Static<typeof SentCall>

/** `incoming_lead_info` of a web form. */
const SentForm = Type.Object(
  {
    form_id: LooseText(255),
    form_page: Text(4096),
    ip: Text(255),
    service_code: LooseText(255),
    form_name: orBlank(Text(255)),
    form_send_at: orBlank(Timestamp),
    referer: orBlank(Text(4096)),
    form_type: orBlank(Type.Integer()),
    visitor_uid: orBlank(Text(255)),
  },
  closed,
)
export type SentForm = Static<typeof SentForm>

const item = {
  source_name: Name(255),
  source_uid: {
    ...Name(255),
    'x-text': true,
    description:
      'The id of the request at its source: the same request sent again makes no second item',
  },
  pipeline_id: orBlank(Id),
  created_at: orBlank(Timestamp),
}

const bodyOf = <Entities extends TSchema, Info extends TSchema>(entities: Entities, info: Info) =>
  Type.Object(
    {
      add: Listed(
        Type.Object({ ...item, incoming_entities: entities, incoming_lead_info: info }, closed),
        batchSize,
      ),
    },
    closed,
  )
// `readIncoming` checks the entities, because it knows the custom fields.
export const IncomingCalls = bodyOf(Type.Unknown(), SentCall)
export const IncomingForms = bodyOf(Type.Unknown(), SentForm)
export type IncomingCalls = Static<typeof IncomingCalls>
export type IncomingForms = Static<typeof IncomingForms>

const Values = Type.Array(
  Type.Union([
    Type.Object({
      value: Optional(Type.Unknown()),
      enum: Optional(Type.Union([Id, Type.String()], { description: 'Id or code' })),
      subtype: Optional(Type.String({ description: 'Of an address: city, zip and so on' })),
    }),
    Type.String(),
    Type.Number(),
    Type.Boolean(),
  ]),
  { description: 'Objects, or only the values; of a list the ids of the choices' },
)
const entity = {
  name: Optional(Type.String()),
  created_at: Optional(Type.Integer({ description: '`date_create` is taken too' })),
  responsible_user_id: Optional(Type.Integer()),
  tags: Optional(Type.String({ description: 'Separated by commas; a list is taken too' })),
  notes: Optional(
    Type.Array(
      Type.Object({
        note_type: Optional(Type.Union([Type.Integer(), Type.String()])),
        element_type: Optional(
          Type.Integer({ description: '1 contact, 2 lead, 3 company; by default this entity' }),
        ),
        text: Type.String(),
      }),
    ),
  ),
  custom_fields: Optional(Type.Array(Type.Object({ id: Id, values: Values }))),
}
const entities = <Shape extends TSchema>(shape: Shape) =>
  Optional(Type.Array(shape, { maxItems: 10 }))
const ShownEntities = Type.Object({
  leads: entities(
    Type.Object({
      ...entity,
      price: Optional(Type.Integer({ description: '`sale` is taken too' })),
    }),
  ),
  contacts: entities(Type.Object({ ...entity, company_name: Optional(Type.String()) })),
  companies: entities(Type.Object(entity)),
})
/** The bodies in the document. */
export const ShownIncomingCalls = bodyOf(ShownEntities, SentCall)
export const ShownIncomingForms = bodyOf(ShownEntities, SentForm)

const Uids = Listed(Text(255), mostUids)
const user_id = orBlank({
  ...UserId,
  description: 'The user on whose behalf; by default, and for 0, the caller',
})
export const AcceptedUids = Type.Object(
  {
    accept: Uids,
    user_id,
    status_id: orBlank({
      ...Id,
      description: 'The stage of the leads; by default the first one of their pipeline',
    }),
  },
  closed,
)
export const DeclinedUids = Type.Object({ decline: Uids, user_id }, closed)

/** `login` and `api_key` may stand in the query string of every method; admission reads them. */
export const IncomingQuery = Type.Object(
  {
    page_size: Optional(
      Type.Integer({
        minimum: 1,
        description: 'Items per page: 50 by default, 500 at most. A larger number counts as 500',
      }),
    ),
    PAGEN_1: Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        'x-page': true,
        description: 'Page number, from 1; 0 counts as 1',
      }),
    ),
    categories: Optional(CommaList(Type.Enum([...categories]), categories.length, 1)),
    order_by: Optional(Order(['created_at', 'updated_at'])),
    pipeline_id: Optional(CommaList(Id, 500, 1)),
  },
  open,
)
export type IncomingQuery = Static<typeof IncomingQuery>

const dated = Optional(Type.Object({ date: Optional(TimeRange) }, open))
export const IncomingSummaryQuery = Type.Object(
  {
    filter: dated,
    data: Optional(
      Type.Object({ filter: dated }, { ...open, description: 'As some programs write the filter' }),
    ),
    pipeline_id: Optional(CommaList(Id, 500, 1)),
  },
  open,
)
export type IncomingSummaryQuery = Static<typeof IncomingSummaryQuery>

const Links = Type.Object({
  self: Type.Object({
    href: Type.String({ description: 'The path without the query string' }),
    method: Type.String(),
  }),
})
const outcome = (data: TSchema) =>
  Type.Object({ status: Type.Literal('success'), data, _links: Links })
export const AddedUids = outcome(
  Type.Array(Type.String(), { description: 'The uids, in the order of the request' }),
)
const RecordIds = Type.Array(Id)
export const AcceptedIds = outcome(
  Type.Record(
    Type.String(),
    Type.Object({ companies: RecordIds, leads: RecordIds, contacts: RecordIds }),
    { description: 'By uid. An item that could not be accepted is left out' },
  ),
)
export const DeclinedFlags = outcome(
  Type.Record(Type.String(), Type.Boolean(), {
    description: 'By uid; false for an item that could not be declined',
  }),
)
/** The answer of every version-2 method of unsorted items that fails. */
export const Failed = Type.Object({
  status: Type.Literal('fail'),
  data: Type.Array(Type.Unknown(), { maxItems: 0 }),
  error: Type.String(),
  error_code: Type.Integer(),
  _links: Links,
})

const shownEntity = {
  ...entity,
  custom_fields: Optional(
    Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        code: Type.Union([Type.String(), Type.Null()]),
        values: Type.Array(Type.Object({}, open)),
      }),
    ),
  ),
}
const ListedItem = Type.Object({
  uid: Type.String(),
  source_uid: Type.String(),
  source_name: Type.String(),
  category: Type.Enum([...categories]),
  created_at: Timestamp,
  pipeline_id: Id,
  account_id: Id,
  incoming_entities: Type.Object({
    leads: Type.Array(Type.Object({ ...shownEntity, price: Optional(Type.Integer()) })),
    contacts: Type.Array(
      Type.Object({
        ...shownEntity,
        first_name: Optional(Type.String()),
        last_name: Optional(Type.String()),
      }),
    ),
    companies: Type.Array(Type.Object(shownEntity)),
  }),
  incoming_lead_info: Type.Object({}, { ...open, description: 'The call or the form' }),
})
export const IncomingList = Type.Object({
  _links: Links,
  _embedded: Type.Object({ items: Type.Array(ListedItem) }),
})
export const IncomingSummary = Type.Object({ ...Summary.properties, _links: Links })
