// Transactions are the purchases of customers (interface: Transaction).
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Linked, Quantity, UserId, deletedBy, readOnly } from '../../../records/schema.ts'
import { Filter, Filters, Ids, Order, several } from '../../../records/lists/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Id, LooseText, Nullable, Price, Text, Timestamp } from '../../../http/types.ts'
import type { Fault } from '../../../http/problem.ts'

const closed = { additionalProperties: false }

/** Elements of catalogs in one purchase at most. */
const mostElements = 100

/** A purchase as it is read. */
export const Transaction = Type.Object({
  id: Id,
  price: Type.Integer({ description: 'What the whole purchase has brought' }),
  comment: Nullable(Type.String()),
  completed_at: { ...Timestamp, description: 'When the purchase happened' },
  customer_id: Id,
  created_by: UserId,
  updated_by: UserId,
  created_at: Timestamp,
  updated_at: Timestamp,
  is_deleted: Type.Literal(false),
  account_id: Id,
  metadata: Nullable(
    Type.Object({
      receipt_link: Nullable(Type.String()),
      external_id: Nullable(Type.String()),
    }),
  ),
  _links: SelfLink,
  _embedded: Type.Object({
    customer: Linked,
    catalog_elements: Type.Array(
      Type.Object({
        id: Id,
        metadata: Type.Object({ catalog_id: Id, quantity: Type.Number() }),
      }),
      { description: 'What was bought, of the catalogs that the caller may view' },
    ),
  }),
})

const BoughtElement = Type.Object(
  {
    id: Id,
    metadata: Type.Object(
      {
        catalog_id: Id,
        quantity: Type.Optional(Nullable(Quantity)),
      },
      closed,
    ),
    ...readOnly('_links'),
  },
  closed,
)
export type BoughtElement = Static<typeof BoughtElement>

/** The bought elements of a purchase. */
export const boughtIn = ({ _embedded }: NewTransaction): BoughtElement[] =>
  _embedded?.catalog_elements ?? []
export const quantityOf = ({ metadata }: BoughtElement): number => metadata.quantity ?? 1

export const NewTransaction = Type.Object(
  {
    price: Type.Integer({ ...Price, description: 'What the whole purchase has brought' }),
    comment: Type.Optional(Nullable(Text(65_535))),
    completed_at: Type.Optional(
      Type.Integer({ ...Timestamp, description: 'When the purchase happened: now by default' }),
    ),
    next_date: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description:
          'The next_date of the customer; without it next_date moves on by periodicity days',
      }),
    ),
    next_price: Type.Optional(
      Type.Integer({ ...Price, description: 'The next_price of the customer' }),
    ),
    created_by: Type.Optional(UserId),
    metadata: Type.Optional(
      Nullable(
        Type.Object(
          {
            receipt_link: Type.Optional(Nullable(Text(4096))),
            external_id: Type.Optional(
              Nullable(
                Type.String({
                  ...LooseText(255),
                  description: 'The id of the purchase in another program',
                }),
              ),
            ),
          },
          closed,
        ),
      ),
    ),
    _embedded: Type.Optional(
      Type.Object(
        {
          catalog_elements: Type.Optional(
            Nullable(
              Type.Array(BoughtElement, {
                maxItems: mostElements,
                description: 'What was bought; the quantities of one element are added',
              }),
            ),
          ),
          ...readOnly('customer'),
        },
        closed,
      ),
    ),
    ...deletedBy('Use DELETE /api/v4/customers/transactions/{id}.'),
    ...readOnly(
      'id',
      'customer_id',
      'updated_by',
      'created_at',
      'updated_at',
      'account_id',
      '_links',
    ),
  },
  closed,
)
export type NewTransaction = Static<typeof NewTransaction>

/** A new purchase in an answer. */
export interface AddedTransaction {
  id: number
  customer_id: number
  request_id: string
}

/** The answer to new purchases. */
export const AddedTransactions = Type.Object({
  _total_items: Type.Integer(),
  _links: SelfLink,
  _embedded: Type.Object({
    transactions: Type.Array(
      Type.Object({
        id: Id,
        customer_id: Id,
        request_id: Type.String(),
        _links: SelfLink,
        _embedded: Type.Object({ customer: Linked }),
      }),
    ),
  }),
})

export const AccrualQuery = Type.Object(
  {
    accrue_bonus: Type.Optional(
      Type.Boolean({
        description:
          'Whether the customer gets the bonus points of the bought elements: true by default',
      }),
    ),
  },
  { additionalProperties: true },
)

export const TransactionQuery = Type.Object(
  {
    ...Paging,
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'Transactions to leave out before the first page. Needs limit',
      }),
    ),
    filter: Type.Optional(Filters({ id: Filter(Ids, several('id', 'id')) })),
    order: Type.Optional(Order(['id'])),
  },
  { additionalProperties: true },
)
export type TransactionQuery = Static<typeof TransactionQuery>

/** The months that are looked back at, the present one included. */
export const monthsShown = 24

export const PurchasesByMonth = Type.Object({
  months: Type.Array(
    Type.Object({
      month: Type.String({ description: 'YYYY-MM in the time zone of the account' }),
      count: Type.Integer(),
      sum: Type.Integer(),
    }),
    { description: 'The months with purchases, the earliest first, from 23 months ago on' },
  ),
})
export type PurchasesByMonth = Static<typeof PurchasesByMonth>

export const CustomerParams = Type.Object({ customer_id: Id })

const Points = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** Bonus points that a customer earns, or those that it redeems. */
export const BonusPointsChange = Type.Object(
  { earn: Type.Optional(Points), redeem: Type.Optional(Points) },
  closed,
)
export type BonusPointsChange = Static<typeof BonusPointsChange>

export const BonusPoints = Type.Object({ bonus_points: Type.Integer({ minimum: 0 }) })

/** Points are either earned or redeemed (interface: Bonus points). */
export function checkBonusPoints({ earn, redeem }: BonusPointsChange): Fault[] {
  if (earn === undefined && redeem === undefined)
    return [{ code: 'FieldMissing', path: 'earn', detail: 'Either earn or redeem is needed.' }]
  if (earn !== undefined && redeem !== undefined)
    return [
      {
        code: 'FieldNotExpected',
        path: 'redeem',
        detail: 'Points are either earned or redeemed, not both.',
      },
    ]
  return []
}
