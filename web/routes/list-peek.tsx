// A look at the row with the focus, beside the table: its fields, its duplicates and its last items.
import { ActionIcon, Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { LatestItems } from '../features/feed/latest.tsx'
import { DuplicatesBanner } from '../features/merges/duplicates-banner.tsx'
import { isMergedType, mayMerge } from '../features/merges/merges.ts'
import { useRowTitle } from '../features/rows/cell.tsx'
import type { RowColumn } from '../features/rows/columns.ts'
import { useRow, useTableContext, useTableSelection } from '../features/rows/context.ts'
import { RowPeek } from '../features/rows/peek.tsx'
import styles from '../features/rows/rows.module.css'

/** Milliseconds for which the focus stays on a row before more of it is asked for. */
const restMs = 150

export function ListPeek({
  columns,
  close,
}: {
  /** All columns of the list, shown or not. */
  columns: readonly RowColumn[]
  close: () => void
}) {
  const words = useTranslations('rows')
  const { store, open, openLinked, vocabulary } = useTableContext()
  const { me } = vocabulary
  useSyncExternalStore(store.watch, store.version)
  const focused = useTableSelection(({ focus }) => focus && store.idAt(focus.row))
  const [id] = useDebouncedValue(focused, restMs)
  const row = useRow(focused)
  const title = useRowTitle()
  const { type } = store.key
  return (
    <aside className={styles.peek} aria-label={words('peek')}>
      <header>
        <h2 dir="auto">{row ? title(row) : words('peekNothing')}</h2>
        {row && (
          <Button size="compact-sm" variant="default" onClick={() => open(row.id)}>
            {words('openCard')}
          </Button>
        )}
        <ActionIcon size={24} aria-label={words('peekClose')} onClick={close}>
          <X size={15} />
        </ActionIcon>
      </header>
      {id !== undefined && id === focused && row && (
        <>
          {isMergedType(type) && (
            <DuplicatesBanner
              type={type}
              id={id}
              mayEdit={mayMerge(me, type)}
              merged={() => undefined}
            />
          )}
          <RowPeek type={type} id={id} columns={columns} />
          <h3>{words('latest')}</h3>
          <LatestItems key={id} type={type} id={id} open={openLinked} />
        </>
      )}
    </aside>
  )
}
