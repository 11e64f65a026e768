import type { Static, TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, Nullable, Timestamp } from '../../../http/types.ts'
import { recordTypes } from '../../../records/description.ts'
import { UserId } from '../../../records/schema.ts'
import { Company } from '../../records/companies/schema.ts'
import { Contact } from '../../records/contacts/schema.ts'
import { Customer } from '../../records/customers/schema.ts'
import { Lead } from '../../records/leads/schema.ts'

/** The most linked records of each type that a card shows. */
export const mostOnCard = 50

export const CardParams = Type.Object({ type: Type.Enum([...recordTypes]), id: Id })

export const CardFileParams = Type.Object({ ...CardParams.properties, field: Id })

/** The users whom what is written about a record does not reach. */
export const NonViewers = Type.Object({
  user_ids: Type.Array(Id, { description: 'Active users who may not view the record' }),
})

/** A phone or an e-mail with the code of its label; null for a label without one, or a deleted one. */
const Reached = Type.Object({ value: Type.String(), enum_code: Nullable(Type.String()) })
export type Reached = Static<typeof Reached>

const reached = { phones: Type.Array(Reached), emails: Type.Array(Reached) }

const CardLead = Type.Object({
  id: Id,
  name: Type.String(),
  price: Type.Integer(),
  pipeline_id: Id,
  status_id: Id,
  responsible_user_id: UserId,
  is_deleted: Type.Literal(false),
})
export type CardLead = Static<typeof CardLead>

const CardContact = Type.Object({
  id: Id,
  name: Type.String(),
  is_main: Type.Boolean({ description: 'Of leads and customers, one contact is the main one' }),
  ...reached,
  responsible_user_id: UserId,
  may_edit: Type.Boolean(),
})
export type CardContact = Static<typeof CardContact>

const CardCompany = Type.Object({
  id: Id,
  name: Type.String(),
  ...reached,
  may_edit: Type.Boolean(),
})
export type CardCompany = Static<typeof CardCompany>

const CardCustomer = Type.Object({
  id: Id,
  name: Type.String(),
  ltv: Type.Integer(),
  next_date: Timestamp,
  purchases_count: Type.Integer(),
})
export type CardCustomer = Static<typeof CardCustomer>

const CardElement = Type.Object({
  id: Id,
  catalog_id: Id,
  name: Type.String(),
  quantity: Type.Number(),
  price: Nullable(
    Type.Number({
      description: 'The value of the field price_id, or of the first price of the catalog',
    }),
  ),
  price_id: Nullable(Id),
  prices: Type.Array(Type.Object({ price_id: Id, name: Type.String(), price: Type.Number() }), {
    description: 'All that the element has, by the fields of the catalog in their order',
  }),
})
export type CardElement = Static<typeof CardElement>

const linked = <Item extends TSchema>(item: Item, order: string) =>
  Type.Object(
    {
      items: Type.Array(item, { maxItems: mostOnCard }),
      is_more: Type.Boolean({ description: 'Whether the list of links may have more' }),
    },
    { description: order },
  )

/** All that a card shows of a record at once. Linked records are those that the caller may view. */
export const RecordCard = Type.Object({
  record: Type.Union([Lead, Contact, Company, Customer]),
  may: Type.Object(
    { edit: Type.Boolean(), delete: Type.Boolean(), restore: Type.Boolean() },
    { description: 'A record in the bin can only be restored' },
  ),
  deleted: Nullable(
    Type.Object({ at: Timestamp, by: UserId }, { description: 'When it was put into the bin' }),
  ),
  entered_at: Nullable(
    Type.Integer({ description: 'Since when a lead is in its stage; null: nobody knows' }),
  ),
  leads: linked(CardLead, 'Open ones first, then the newest'),
  contacts: linked(CardContact, 'The main one first, then the newest'),
  companies: linked(CardCompany, 'The newest first'),
  customers: linked(CardCustomer, 'The newest first'),
  elements: linked(CardElement, 'In the order of linking'),
})
export type RecordCard = Static<typeof RecordCard>
