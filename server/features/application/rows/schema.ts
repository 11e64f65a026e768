// The rows of the lists of the web application: windows at any position, numbers about all that a filter finds, and
// groups. The filter of a list is that of its method in the interface, word for word.
import type { Static, TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Nullable, Timestamp } from '../../../http/types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import { CompanyQuery } from '../../records/companies/schema.ts'
import { ContactQuery } from '../../records/contacts/schema.ts'
import { CustomerQuery } from '../../records/customers/schema.ts'
import { LeadQuery } from '../../records/leads/schema.ts'

/** The records that have a list in the web application. */
export const rowTypes = ['leads', 'contacts', 'companies', 'customers'] as const
export type RowType = (typeof rowTypes)[number]

/** The types of fields that make groups: a record has one of some values. */
export const groupedFields: ReadonlySet<FieldType> = new Set(['select', 'radiobutton', 'checkbox'])

/** The most rows of a window, and the most ids of one request. */
export const mostRows = 250
/** The most fields that rows show. */
const mostFields = 100
/** A list with a filter, or in an order other than that of ids, is shown up to this row. */
export const mostFar = 100_000
/** An order that no index has sorts so many records. */
export const mostSorted = 20_000
/** Numbers about a filter are counted up to so many records, unless they are kept. */
export const mostSummed = 100_000
/** The most groups of a list. */
export const mostGroups = 200
/** The segments that a list of customers names. */
const mostSegments = 3
/** The linked leads of a row that are looked at. */
export const mostLinked = 40

const closed = { additionalProperties: false }

/** Names of columns: a member of the record, or `field:<id>`. */
const column = { minLength: 1, maxLength: 40, pattern: '^[a-z_]+(?::[0-9]{1,15})?$' }
export const ColumnName = Type.String(column)

const extras = ['contact', 'company', 'leads'] as const
export type RowExtra = (typeof extras)[number]

/** The parameters that all requests of a list share. */
const shared = {
  by: Type.Optional({
    ...ColumnName,
    description: 'With `value`: only the records of a group, as `groups` names it',
  }),
  value: Type.Optional(
    Type.String({ maxLength: 40, description: 'An id, or empty for records without a value' }),
  ),
  bin: Type.Optional(
    Type.Boolean({ description: 'The deleted records: `with=only_deleted` of the interface' }),
  ),
}

const shown = {
  with: Type.Optional({
    ...CommaList(Type.Enum([...extras]), extras.length),
    description: 'Linked records that rows show',
  }),
  fields: Type.Optional({
    ...CommaList(Id, mostFields),
    description: 'The custom fields that rows show',
  }),
}

const window = {
  order: Type.Optional({ ...ColumnName, description: '`id` by default' }),
  direction: Type.Optional(Type.Enum(['asc', 'desc'], { description: '`desc` by default' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostRows })),
}

const ids = { ids: CommaList(Id, mostRows, 1) }
const numbers = {
  columns: Type.Optional({
    ...CommaList(ColumnName, mostFields),
    description: 'The columns that the numbers are about',
  }),
  whole: Type.Optional(
    Type.Boolean({ description: `Counts on beyond ${mostSummed} records, as long as it takes` }),
  ),
}
const groups = { of: { ...ColumnName, description: 'The column that makes the groups' } }

/** Of customers, beside the filter: the interface has none for it. */
export const Segments = Type.Optional({
  ...CommaList(Id, mostSegments, 1),
  description: 'Customers that are in all of these segments',
})

/** The requests of the list of a type; `filters` are those of its method in the interface. */
const queriesOf = <Filter extends TSchema, Words extends TSchema, Own extends object = object>(
  filter: Filter,
  query: Words,
  own: Own = {} as Own,
) => ({
  Window: Type.Object({ filter, query, ...own, ...shared, ...shown, ...window }, closed),
  Named: Type.Object({ filter, query, ...own, ...shared, ...shown, ...ids }, closed),
  Summary: Type.Object({ filter, query, ...own, ...shared, ...numbers }, closed),
  Groups: Type.Object({ filter, query, ...own, ...shared, ...groups }, closed),
})

export const rowQueries = {
  leads: queriesOf(LeadQuery.properties.filter, LeadQuery.properties.query),
  contacts: queriesOf(ContactQuery.properties.filter, ContactQuery.properties.query),
  companies: queriesOf(CompanyQuery.properties.filter, CompanyQuery.properties.query),
  customers: queriesOf(CustomerQuery.properties.filter, CustomerQuery.properties.query, {
    segments: Segments,
  }),
}

/** What finds the records, whatever is asked of them. */
export type RowFilter = Pick<
  Static<(typeof rowQueries)['leads']['Window']>,
  'filter' | 'query' | 'by' | 'value' | 'bin'
> &
  OfCustomers
interface OfCustomers {
  segments?: number[]
}
export type RowWindowQuery = Static<(typeof rowQueries)['leads']['Window']> & OfCustomers
export type NamedRowsQuery = Static<(typeof rowQueries)['leads']['Named']> & OfCustomers
export type RowSummaryQuery = Static<(typeof rowQueries)['leads']['Summary']> & OfCustomers
export type RowGroupsQuery = Static<(typeof rowQueries)['leads']['Groups']> & OfCustomers

const named = { id: Id, name: Type.String() }
const UserId = Type.Integer({ minimum: 0 })

const LinkedName = Type.Object(named)

export const Row = Type.Object({
  ...named,
  responsible_user_id: UserId,
  created_by: UserId,
  updated_by: UserId,
  created_at: Timestamp,
  updated_at: Timestamp,
  closest_task_at: Nullable(Timestamp),
  tags: Type.Array(Type.Object({ ...named, color: Nullable(Type.String()) })),
  fields: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
    description:
      'By the ids of the requested fields, as far as they have values: those of the interface',
  }),
  may_edit: Type.Boolean(),
  may_delete: Type.Boolean(),
  price: Type.Optional(Type.Integer({ description: 'Of leads, like the next four' })),
  pipeline_id: Type.Optional(Id),
  status_id: Type.Optional(Type.Integer({ ...Id, description: 'Of customers too' })),
  closed_at: Type.Optional(Nullable(Timestamp)),
  loss_reason_id: Type.Optional(Nullable(Id)),
  next_price: Type.Optional(Type.Integer({ description: 'Of customers, like the next seven' })),
  next_date: Type.Optional(Timestamp),
  periodicity: Type.Optional(Type.Integer({ minimum: 0, description: 'Days; 0: none' })),
  ltv: Type.Optional(Type.Integer()),
  purchases_count: Type.Optional(Type.Integer({ minimum: 0 })),
  average_check: Type.Optional(Type.Integer()),
  last_purchase_at: Type.Optional(Nullable(Timestamp)),
  segment_ids: Type.Optional(Type.Array(Id)),
  contact: Type.Optional(
    Nullable({
      ...LinkedName,
      description: 'The main contact of a lead or a customer; `with=contact`',
    }),
  ),
  company: Type.Optional(Nullable({ ...LinkedName, description: '`with=company`' })),
  leads: Type.Optional(
    Type.Object(
      {
        open: Type.Integer({ minimum: 0 }),
        total: Type.Integer({ minimum: 0 }),
        is_more: Type.Boolean(),
      },
      { description: `Of the last ${mostLinked} linked leads; \`with=leads\`` },
    ),
  ),
})
export type Row = Static<typeof Row>

const Count = {
  count: Type.Integer({ minimum: 0 }),
  is_more: Type.Boolean({ description: 'There are more than `count`' }),
}

export const RowWindow = Type.Object({
  rows: Type.Array(Row),
  count: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'Of all rows of the list; null: `summary` counts them',
    }),
  ),
  reach: Nullable(
    Type.Integer({ description: 'The first position that is not shown; null: all are' }),
  ),
})
export type RowWindow = Static<typeof RowWindow>

export const NamedRows = Type.Object({ rows: Type.Array(Row) })

const Value = Nullable(Type.Number())

export const ColumnNumbers = Type.Object({
  filled: Type.Integer({ minimum: 0, description: 'The records that have a value' }),
  sum: Value,
  average: Value,
  least: { ...Value, description: 'The least number, or the earliest time' },
  greatest: Value,
})
export type ColumnNumbers = Static<typeof ColumnNumbers>

export const RowSummary = Type.Object({
  ...Count,
  columns: Type.Record(Type.String(), ColumnNumbers),
  is_part: Type.Boolean({
    description: `The numbers of columns are about the first ${mostSummed} records`,
  }),
})
export type RowSummary = Static<typeof RowSummary>

export const RowGroups = Type.Object({
  ...Count,
  groups: Type.Array(
    Type.Object({
      value: Type.String({ description: 'An id, or empty for records without a value' }),
      count: Type.Integer({ minimum: 0 }),
    }),
    { description: 'In the order of their values' },
  ),
  are_more: Type.Boolean({ description: `There are more than ${mostGroups} groups` }),
  is_part: Type.Boolean({ description: `The groups are of the first ${mostSummed} records` }),
})
export type RowGroups = Static<typeof RowGroups>
