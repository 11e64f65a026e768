// The columns of lists: how the list is sorted by each, what is counted of it, and how it makes groups. A column is a
// member of the record, or a custom field named `field:<id>`.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { invalidValue } from '../../../http/problem.ts'
import { fieldConditions } from '../../../records/fields/filter.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import { oneOf } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { averageCheck } from '../../records/customers/customers.ts'
import { inStatus } from '../../records/leads/leads.ts'
import { linkedName } from '../../records/links/links.ts'
import { groupedFields } from './schema.ts'
import type { RowType } from './schema.ts'

export interface ListColumn {
  /** The value that a list is sorted by, of the row named `record`; null: at the end. Missing: no order. */
  key?: Sql
  /** The column of an index that has the order of the list; `filled` and `empty` where it may be null. */
  indexed?: { column: string; filled?: Condition; empty?: Condition }
  /** The custom field whose values stand in `field_numbers` in their order, and the records without one. */
  numbers?: { field: Field; empty: Condition }
  /** Of an amount or a time: the value as a number, null where there is none. */
  number?: Sql
  /** Of a column that makes groups: the value as a text, null where there is none, and the records of a group. */
  group?: { text: Sql; within: (value: string) => Condition[] }
}

const at = (name: string): Sql => sql`record.${raw(name)}`

/** A column that is never empty. */
const always = (column: string): ListColumn['indexed'] => ({ column })

/** A column with an index that may have nulls. `isIndexed`: the nulls stand in it. */
const nullable = (column: string, isIndexed: boolean): ListColumn['indexed'] => ({
  column,
  filled: { passes: sql`${at(column)} is not null`, streams: [column] },
  empty: {
    passes: sql`${at(column)} is null`,
    streams: [],
    ...(!isIndexed && { hasNoIndex: true }),
  },
})

const userName = (column: string): Sql => sql`
  (select lower(person.name collate kontor) from users person
    where person.account_id = record.account_id and person.id = ${at(column)})`

/** The users that a column names. */
const users = (column: string): ListColumn => ({
  key: userName(column),
  group: {
    text: sql`nullif(${at(column)}, 0)::text`,
    within: (value) => oneOf(column, [value === '' ? 0 : idOf(value)]),
  },
})

const time = (column: string, indexed: ListColumn['indexed']): ListColumn => ({
  key: at(column),
  indexed,
  number: at(column),
})

const shared: Record<string, ListColumn> = {
  id: { key: at('id'), indexed: always('id') },
  name: { key: sql`lower(record.name collate kontor)`, indexed: always('name') },
  created_at: time('created_at', always('created_at')),
  updated_at: time('updated_at', always('updated_at')),
  closest_task_at: time('closest_task_at', nullable('closest_task_at', true)),
  responsible_user_id: users('responsible_user_id'),
  created_by: users('created_by'),
  updated_by: users('updated_by'),
  tags: {},
}

const ofLeads: Record<string, ListColumn> = {
  price: { key: at('price'), indexed: always('price'), number: at('price') },
  closed_at: time('closed_at', nullable('closed_at', false)),
  status_id: {
    key: sql`
      (select array[pipeline.sort, pipeline.id, status.sort, status.id] from pipelines pipeline, statuses status
        where pipeline.account_id = record.account_id and pipeline.id = record.pipeline_id
          and status.account_id = record.account_id and status.pipeline_id = record.pipeline_id and status.id = record.status_id)`,
    group: {
      text: sql`record.pipeline_id || ':' || record.status_id`,
      within(value) {
        const [pipeline_id = '', status_id = ''] = value.split(':')
        return inStatus([{ pipeline_id: idOf(pipeline_id), status_id: idOf(status_id) }])
      },
    },
  },
  pipeline_id: {
    key: sql`
      (select array[pipeline.sort, pipeline.id] from pipelines pipeline
        where pipeline.account_id = record.account_id and pipeline.id = record.pipeline_id)`,
    group: {
      text: sql`record.pipeline_id::text`,
      within: (value) => oneOf('pipeline_id', [idOf(value)], []),
    },
  },
  loss_reason_id: {},
}

const number = (value: Sql, indexed?: ListColumn['indexed']): ListColumn => ({
  key: value,
  number: value,
  ...(indexed && { indexed }),
})

const ofCustomers: Record<string, ListColumn> = {
  next_price: number(at('next_price'), always('next_price')),
  next_date: time('next_date', always('next_date')),
  periodicity: number(at('periodicity')),
  ltv: number(at('ltv')),
  purchases_count: number(at('purchases_count')),
  average_check: number(averageCheck),
  status_id: {
    key: sql`
      (select array[status.sort, status.id] from customer_statuses status
        where status.account_id = record.account_id and status.id = record.status_id)`,
    group: {
      text: sql`record.status_id::text`,
      within: (value) => oneOf('status_id', [idOf(value)], ['id', 'next_date']),
    },
  },
  segment_ids: {},
}

const ofTypes: Partial<Record<RowType, Record<string, ListColumn>>> = {
  leads: ofLeads,
  customers: ofCustomers,
}

const linked = (actor: Actor, type: RowType, to: 'contacts' | 'companies'): ListColumn => ({
  key: sql`lower((${linkedName(actor, type, to)} ->> 'name') collate kontor)`,
})

/** The column of a list by its name. Throws 400 where the list has none. */
export function columnOf(actor: Actor, type: RowType, fields: Fields, name: string): ListColumn {
  const [, id] = /^field:(\d+)$/.exec(name) ?? []
  if (id !== undefined) {
    const field = fields.byId.get(Number(id))
    if (field) return ofField(actor, type, fields, field)
  }
  const ofPeople = type === 'leads' || type === 'customers'
  if (ofPeople && name === 'contact') return linked(actor, type, 'contacts')
  if (type !== 'companies' && name === 'company') return linked(actor, type, 'companies')
  if (!ofPeople && name === 'leads') return {}
  const column = shared[name] ?? ofTypes[type]?.[name]
  if (!column)
    throw invalidValue('NotSupportedChoice', name, `The list of ${type} has no column ${name}.`)
  return column
}

function ofField(actor: Actor, type: RowType, fields: Fields, field: Field): ListColumn {
  const kept = sql`(record.custom_fields_values -> ${String(field.id)}::text)`
  const empty = { passes: sql`${kept} is null`, streams: [], hasNoIndex: true }
  const { behaviour } = fieldTypeFacts(field.type)
  const group = groupedFields.has(field.type) && {
    group: {
      text: sql`(${kept} ->> 0)`,
      within: (value: string) =>
        value === ''
          ? [empty]
          : fieldConditions(actor, type, fields, { [String(field.id)]: [value] }),
    },
  }
  switch (behaviour) {
    case 'number':
    case 'day':
    case 'moment': {
      const number = sql`(${kept} ->> 0)::numeric`
      return { key: number, number, numbers: { field, empty } }
    }
    case 'text':
      return { key: sql`lower((${kept} ->> 0) collate kontor)` }
    case 'labelled':
      return { key: sql`lower((${kept} #>> '{0,0}') collate kontor)` }
    case 'choice': {
      const choices = field.enums.map(({ id }) => id)
      return {
        key: sql`array_position(${choices}::bigint[], (${kept} ->> 0)::bigint)`,
        ...group,
      }
    }
    case 'flag':
      // No record is without: what is not ticked is not set.
      return {
        key: sql`coalesce((${kept} ->> 0)::boolean, false)::int`,
        group: {
          text: sql`case when (${kept} ->> 0)::boolean then '1' else '0' end`,
          within: (value) => fieldConditions(actor, type, fields, { [String(field.id)]: [value] }),
        },
      }
    case 'object':
      return {}
  }
}

function idOf(text: string): number {
  const id = Number(text)
  if (/^\d{1,15}$/.test(text)) return id
  throw invalidValue('InvalidFormat', 'value', 'A group is named by an id.')
}
