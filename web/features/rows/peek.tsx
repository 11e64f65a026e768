// All that a row has, under each other: also the columns that the table does not show.
import { useQuery } from '@tanstack/react-query'
import type { RowColumn } from './columns.ts'
import { CellContent } from './cell.tsx'
import { useRow } from './context.ts'
import { askNamed } from './rows.ts'
import type { RowType } from './rows.ts'
import styles from './rows.module.css'

/** The most fields of one request. */
const mostFields = 100

export function RowPeek({
  type,
  id,
  columns,
}: {
  type: RowType
  id: number
  columns: readonly RowColumn[]
}) {
  const listed = useRow(id)
  const fieldIds = columns.flatMap(({ fieldId }) => fieldId ?? []).slice(0, mostFields)
  const { data } = useQuery({
    queryKey: ['rows', type, 'peek', id, fieldIds.join()],
    queryFn: async () =>
      (
        await askNamed(
          {
            type,
            order: 'id',
            direction: 'desc',
            filter: '',
            extras: [...new Set(columns.flatMap(({ extra }) => extra ?? []))],
            fieldIds,
          },
          [id],
        )
      )[0] ?? null,
  })
  // The table has the row at once, and what others change in it.
  const row = data ? { ...data, ...listed } : listed
  if (!row) return undefined
  const filled = columns.filter(
    (column) =>
      column.kind !== 'name' &&
      (column.kind === 'leads' ? (row.leads?.total ?? 0) > 0 : column.read(row) !== null),
  )
  return (
    <dl className={styles.peekFields}>
      {filled.map((column) => (
        <div key={column.name}>
          <dt>{column.label}</dt>
          <dd>
            <CellContent row={row} column={column} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
