// The rows of a list of records, as the server answers them and as the table shows them.
import { queryOptions } from '@tanstack/react-query'
import type {
  NamedRows,
  Row as SentRow,
  RowExtra,
  RowGroups,
  RowSummary,
  RowType,
  RowWindow,
} from '../../../server/features/application/rows/schema.ts'
import type { Static } from 'typebox'
import type { Values } from '../../crm/fields/field.ts'
import { ask } from '../../data/api.ts'

export type { RowExtra, RowSummary, RowType }

/** The members of a row that are no custom fields. */
export type SentMembers = Omit<SentRow, 'fields'>

/** A row with each of its fields as a member, named as cards name them. */
export type Row = SentMembers & { [field: `field ${number}`]: Values }

export type RowMember = keyof Row

export const fieldMember = (id: number): `field ${number}` => `field ${id}`

const flat = ({ fields, ...row }: SentRow): Row => ({
  ...row,
  ...Object.fromEntries(
    Object.entries(fields).map(([id, values]) => [fieldMember(Number(id)), values as Values]),
  ),
})

/** Which list: the parameters of its requests. */
export interface RowsKey {
  type: RowType
  /** The column that sorts it. */
  order: string
  direction: 'asc' | 'desc'
  /** The parameters `query` and `filter[…]` of the list in the interface, as a query string. */
  filter: string
  extras: readonly RowExtra[]
  fieldIds: readonly number[]
  /** The column that makes groups of it, and the group whose rows it has; without a value: all groups. */
  by?: string
  value?: string
  /** It has the deleted records. */
  bin?: boolean
  /** Of customers: the segments that they are all in, as ids and commas. */
  segments?: string
}

/** The filter of a list as the interface takes it. */
export const requestFilter = ({ filter, bin }: Pick<RowsKey, 'filter' | 'bin'>): string =>
  [filter, bin ? 'with=only_deleted' : ''].filter(Boolean).join('&')

/** The filter of a list as jobs take it. */
export const jobFilter = (key: Pick<RowsKey, 'filter' | 'bin' | 'segments'>): string =>
  [requestFilter(key), key.segments ? `segments=${key.segments}` : ''].filter(Boolean).join('&')

const pathOf = (type: RowType) => `/web/v1/rows/${type}`

const filterOf = ({
  filter,
  by,
  value,
  bin,
  segments,
}: Pick<RowsKey, 'filter' | 'by' | 'value' | 'bin' | 'segments'>) => [
  ...(filter === '' ? [] : [filter]),
  ...(segments ? [`segments=${segments}`] : []),
  ...(bin ? ['bin=true'] : []),
  ...(by === undefined || value === undefined
    ? []
    : [`by=${by}`, `value=${encodeURIComponent(value)}`]),
]

const partsOf = ({ extras, fieldIds }: RowsKey) => [
  ...(extras.length > 0 ? [`with=${extras.join(',')}`] : []),
  ...(fieldIds.length > 0 ? [`fields=${fieldIds.join(',')}`] : []),
]

/** The list as one text: equal lists have equal texts. */
export const textOfKey = (key: RowsKey): string =>
  [key.type, key.order, key.direction, key.by ?? '', ...partsOf(key), ...filterOf(key)].join('&')

/** A window of rows. */
export interface Window {
  rows: Row[]
  count: number | null
  reach: number | null
}

export async function askWindow(
  key: RowsKey,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<Window> {
  const query = [
    `order=${key.order}`,
    `direction=${key.direction}`,
    `offset=${offset}`,
    `limit=${limit}`,
    ...partsOf(key),
    ...filterOf(key),
  ].join('&')
  const answer = await ask<Static<typeof RowWindow>>(`${pathOf(key.type)}?${query}`, { signal })
  return { ...answer, rows: answer.rows.map(flat) }
}

/** Those of these records that the list shows. */
export async function askNamed(key: RowsKey, ids: readonly number[]): Promise<Row[]> {
  const query = [`ids=${ids.join(',')}`, ...partsOf(key), ...filterOf(key)].join('&')
  const { rows } = await ask<Static<typeof NamedRows>>(`${pathOf(key.type)}/named?${query}`)
  return rows.map(flat)
}

/** Records of one request. */
export const mostNamed = 250

/** Those of any number of records that the list shows, by their ids. */
export async function askAllNamed(key: RowsKey, ids: readonly number[]): Promise<Map<number, Row>> {
  const found = new Map<number, Row>()
  for (let at = 0; at < ids.length; at += mostNamed)
    for (const row of await askNamed(key, ids.slice(at, at + mostNamed))) found.set(row.id, row)
  return found
}

/** The groups that a column makes of a list, in the order of their values. */
export const askGroups = (
  { type, filter, bin, segments }: Pick<RowsKey, 'type' | 'filter' | 'bin' | 'segments'>,
  by: string,
): Promise<Static<typeof RowGroups>> =>
  ask(
    `${pathOf(type)}/groups?${[`of=${by}`, ...filterOf({ filter, ...(bin && { bin }), ...(segments && { segments }) })].join('&')}`,
  )

/** Milliseconds for which numbers about all records are good enough while others change them. */
const summaryMs = 2000

/** The number of all records that a filter finds, and the numbers of columns. `whole`: however long it takes. */
export const summaryQuery = (
  {
    type,
    filter,
    bin = false,
    segments = '',
  }: Pick<RowsKey, 'type' | 'filter' | 'bin' | 'segments'>,
  columns: readonly string[],
  whole = false,
) =>
  queryOptions({
    queryKey: ['rows', type, 'summary', filter, bin, segments, columns.join(), whole],
    queryFn: ({ signal }) =>
      ask<RowSummary>(
        `${pathOf(type)}/summary?${[
          ...(columns.length > 0 ? [`columns=${columns.join(',')}`] : []),
          ...(whole ? ['whole=true'] : []),
          ...filterOf({ filter, bin, segments }),
        ].join('&')}`,
        { signal },
      ),
    staleTime: summaryMs,
    placeholderData: (before) => before,
  })
