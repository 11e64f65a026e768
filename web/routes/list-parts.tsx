// The parts around the table of a list: its filter, the choice of columns, and what is done with the selected rows.
import { Button, Menu } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RefObject } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import { AllBar, bulkActs } from '../features/jobs/all-bar.tsx'
import type { OfferedKind } from '../features/jobs/bulk-dialog.tsx'
import { useTableContext, useTableSelection } from '../features/rows/context.ts'
import type { TableSort } from '../features/rows/header.tsx'
import type { TableLayout } from '../features/rows/layout.ts'
import type { RowType } from '../features/rows/rows.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { isFocusLost } from '../ui/focus.ts'
import { FilterBar } from './filter-bar.tsx'
import type { ScreenFilter } from './filter-bar.tsx'
import { DensityItems, ToolButton } from './tools.tsx'

export function ListFilterLine({
  line,
  type,
  search,
  filter,
  sort,
  columns,
  setSearch,
}: {
  line: RefObject<FilterHandle | null>
  type: RowType
  search: Record<string, unknown>
  filter: ScreenFilter
  sort: TableSort
  /** The names of the shown columns, which a view keeps. */
  columns: readonly string[]
  setSearch: (search: SearchParams) => void
}) {
  const words = useTranslations('rows')
  // The interface sorts by three columns only.
  const order = ['id', 'created_at', 'updated_at'].includes(sort.column)
    ? `order[${sort.column}]=${sort.direction}`
    : ''
  return (
    <FilterBar
      line={line}
      screen={type}
      scope={words('table')}
      search={search}
      look={{ columns: columns.join(',') }}
      filter={filter}
      parameters={() => [filter.filter, order]}
      setSearch={setSearch}
    />
  )
}

/** The columns that are shown, and the height of the rows. */
export function TableLook({ layout }: { layout: TableLayout }) {
  const words = useTranslations('rows')
  return (
    <Menu position="bottom-end" width={250} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton icon={<SlidersHorizontal size={15} aria-hidden />} text={words('look')} />
      </Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflow: 'auto' }}>
        <DensityItems label={words('rowHeight')} textOf={(each) => words(`densities.${each}`)} />
        <Menu.Divider />
        <Menu.Label>{words('shownColumns')}</Menu.Label>
        {layout.all.map(({ name, label, isShown, kind }) => (
          <Menu.CheckboxItem
            key={name}
            checked={isShown}
            disabled={kind === 'name'}
            onChange={() => layout.show(name, !isShown)}
          >
            {label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={layout.reset}>{words('usualColumns')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** What can be done with the selected rows, and with all that the filter finds. */
export function SelectedRows({
  filter,
  focusTable,
}: {
  filter: ScreenFilter
  focusTable: () => void
}) {
  const words = useTranslations('rows')
  const jobs = useTranslations('jobs')
  const bootstrap = useBootstrap()
  const { store, selection } = useTableContext()
  const selected = useTableSelection((state) => state.selected)
  const isAll = useTableSelection((state) => state.isAll)
  const left = useTableSelection((state) => state.left)
  const [kind, setKind] = useState<OfferedKind>()
  useSyncExternalStore(store.watch, store.version)
  const { type } = store.key
  const isNone = !isAll && selected.size === 0
  const listed = store.count()
  const found = isAll
    ? listed.isKnown
      ? { count: listed.count, isMore: listed.isMore }
      : undefined
    : { count: selected.size, isMore: false }
  useShortcuts(
    jobs('allTitle'),
    bulkActs.flatMap(({ kind: act, key, isOfLeads }) =>
      isNone || key === undefined || (isOfLeads && type !== 'leads')
        ? []
        : { keys: [key], text: jobs(`acts.${act}`), run: () => setKind(act) },
    ),
  )
  const wasShown = useRef(false)
  useLayoutEffect(() => {
    if (wasShown.current && isNone && isFocusLost()) focusTable()
    wasShown.current = !isNone
  })
  if (isNone) return undefined
  return (
    <AllBar
      target={{
        entity_type: type,
        ...(isAll
          ? { filter: filter.filter, ...(left.size > 0 && { except: [...left] }) }
          : { ids: [...selected] }),
      }}
      found={found}
      filterWords={isAll ? filter.text : ''}
      vocabulary={bootstrap}
      kind={kind}
      onChoose={setKind}
      onClose={selection.selectNone}
    >
      {!isAll && (
        <Button size="compact-sm" variant="light" onClick={selection.selectAll}>
          {words('allOffer')}
        </Button>
      )}
    </AllBar>
  )
}
