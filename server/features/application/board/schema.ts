// The board of a pipeline in the web application: windows of its columns, their totals, and cards.
// The filter of a board is that of `GET /api/v4/leads`, word for word.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Nullable, Timestamp } from '../../../http/types.ts'
import { LeadQuery } from '../../records/leads/schema.ts'

/**
 * The orders of a column, never a manual one; equal cards come newest (highest id) first.
 * `task`: closest_task_at up to the end of today in the account's zone, earliest first; then leads
 * without a task; then later tasks, earliest first. `activity`: updated_at, latest first. `created`:
 * highest id first. `price`: highest first. `name`: by lower-cased name, A first. Won and lost are
 * ordered by the highest id in every order.
 */
export const boardSorts = ['task', 'activity', 'created', 'price', 'name'] as const
export type BoardSort = (typeof boardSorts)[number]

/** The cards of the first window of each column, and the most of any window. */
export const firstCards = 30
const mostCards = 100
/** A column is shown up to this card; a filter finds those behind it. */
export const mostInColumn = 10_000
/** An aggregate of a filter is counted up to this number. */
export const mostAggregated = 1000
/** The most ids of one request for cards. */
const mostIds = 250
/** The most unread messages that a card says. */
export const mostUnread = 99
/** The most waiting requests that the header of the unsorted column counts. */
export const mostWaiting = 1000

const closed = { additionalProperties: false }

/** The filter of `GET /api/v4/leads`. */
const { filter, query } = LeadQuery.properties
const leadFilters = { filter, query }

const parameters = {
  pipeline_id: Id,
  sort: Type.Optional(Type.Enum([...boardSorts], { description: '`task` by default' })),
  closed: Type.Optional(Type.Boolean({ description: 'With the columns won and lost' })),
  field_id: Type.Optional({ ...Id, description: 'The field whose values cards show' }),
  ...leadFilters,
}

/** All requests of a board take the same parameters, so that a client writes it once. */
export const BoardQuery = Type.Object(parameters, closed)
export type BoardQuery = Static<typeof BoardQuery>

/** `offset` and `limit` name the cards of the window; it ends at the card `mostInColumn`. */
export const ColumnQuery = Type.Object(
  {
    ...parameters,
    status_id: Id,
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: mostInColumn })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostCards })),
  },
  closed,
)
export type ColumnQuery = Static<typeof ColumnQuery>

export const CardsQuery = Type.Object({ ...parameters, ids: CommaList(Id, mostIds, 1) }, closed)
export type CardsQuery = Static<typeof CardsQuery>

export const AggregateQuery = Type.Object({ entity: Type.Literal('leads'), ...leadFilters }, closed)
export type AggregateQuery = Static<typeof AggregateQuery>

const named = { id: Id, name: Type.String() }

export const Card = Type.Object({
  ...named,
  price: Type.Integer(),
  pipeline_id: Id,
  status_id: Id,
  responsible_user_id: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Timestamp),
  loss_reason_id: Nullable(Id),
  closest_task_at: Nullable(Timestamp),
  entered_at: Type.Integer({ description: 'Since when the lead is in its stage; Unix seconds' }),
  tags: Type.Array(Type.Object({ ...named, color: Nullable(Type.String()) })),
  contact: Nullable(
    Type.Object({
      ...named,
      phone: Nullable(Type.String()),
    }),
  ),
  company: Nullable(Type.Object(named)),
  unread: Type.Integer({ description: `Unread messages of its chats, ${mostUnread} at most` }),
  field: Nullable(
    Type.Array(Type.Unknown(), {
      description: 'The values of the field that the request names, as the interface shows them',
    }),
  ),
  may_edit: Type.Boolean(),
  may_delete: Type.Boolean(),
})
export type Card = Static<typeof Card>

const Totals = {
  count: Type.Integer({ minimum: 0 }),
  sum: Type.Integer({ description: 'Of the prices of the counted leads' }),
  is_more: Type.Boolean({
    description: 'Not all were counted: there are `count` or more, and `sum` is a part',
  }),
}

export const ColumnTotals = Type.Object({ status_id: Id, ...Totals })
export type ColumnTotals = Static<typeof ColumnTotals>

export const Column = Type.Object({ status_id: Id, ...Totals, cards: Type.Array(Card) })
export type Column = Static<typeof Column>

/** `GET /web/v1/board?pipeline_id&sort&closed&field_id&<filter of leads>`. */
export const Board = Type.Object({
  pipeline_id: Id,
  sort: Type.Enum([...boardSorts]),
  today_ends_at: Type.Integer({ description: 'The bound of the order `task`; Unix seconds' }),
  columns: Type.Array(Column, {
    description: 'In the order of the stages; won and lost only when asked by `closed`',
  }),
  /** null where the pipeline takes none or the caller may see none. */
  unsorted: Nullable(
    Type.Object({
      count: Type.Integer({
        description: `Waiting requests of the pipeline, ${mostWaiting} at most`,
      }),
      categories: Type.Record(Type.String(), Type.Integer()),
    }),
  ),
  cursor: Type.Integer({ description: 'Of the live stream: what the answer holds for certain' }),
})
export type Board = Static<typeof Board>

/** `GET /web/v1/board/column?pipeline_id&status_id&sort&offset&limit&field_id&<filter>`. */
export const ColumnAnswer = Column

/** `GET /web/v1/board/totals?pipeline_id&closed&<filter>`. */
export const TotalsAnswer = Type.Object({ columns: Type.Array(ColumnTotals) })

/**
 * `GET /web/v1/board/cards?ids=1,2,3&pipeline_id&closed&field_id&<filter>`, at most 250 ids. An id
 * without a card is not, or no longer, on the board that the caller sees.
 */
export const CardsAnswer = Type.Object({ cards: Type.Array(Card) })

/** `GET /web/v1/aggregate?entity=leads&<filter>`: for "select all". */
export const Aggregate = Type.Object(Totals)
export type Aggregate = Static<typeof Aggregate>
