// The parts around the table of a list: its filter, the choice of columns, and what is done with the selected rows.
import { Button, Menu } from '@mantine/core'
import { GitMerge, SlidersHorizontal } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import {
  lazy,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { RefObject } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import type { BulkKind } from '../../server/features/application/jobs/schema.ts'
import { AllBar, offeredActs } from '../features/jobs/all-bar.tsx'
import { useTableContext, useTableSelection } from '../features/rows/context.ts'
import type { TableSort } from '../features/rows/header.tsx'
import type { TableLayout } from '../features/rows/layout.ts'
import { jobFilter, requestFilter } from '../features/rows/rows.ts'
import type { RowType } from '../features/rows/rows.ts'
import { part } from '../data/rest.ts'
import { duplicatesQuery, isMergedType, mayMerge } from '../features/merges/merges.ts'
import type { Duplicates, MergedType } from '../features/merges/merges.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { ComingField, isFocusLost } from '../ui/focus.ts'
import { useRefusalText } from '../ui/states.tsx'
import { say, warn } from '../ui/toasts.ts'
import { FilterBar } from './filter-bar.tsx'
import type { ScreenFilter } from './filter-bar.tsx'
import { DensityItems, ToolButton } from './tools.tsx'

const CompareDialog = lazy(
  part('comparison', async () => ({
    default: (await import('../features/merges/compare-dialog.tsx')).CompareDialog,
  })),
)

export function ListFilterLine({
  line,
  type,
  search,
  filter,
  isBin,
  sort,
  columns,
  setSearch,
}: {
  line: RefObject<FilterHandle | null>
  type: RowType
  search: Record<string, unknown>
  filter: ScreenFilter
  /** Of the deleted records. */
  isBin: boolean
  sort: TableSort
  /** The names of the shown columns, which a view keeps. */
  columns: readonly string[]
  setSearch: (search: SearchParams) => void
}) {
  const words = useTranslations('rows')
  // The interface sorts by three columns only.
  const order = (isBin ? ['id', 'updated_at'] : ['id', 'created_at', 'updated_at']).includes(
    sort.column,
  )
    ? `order[${sort.column}]=${sort.direction}`
    : ''
  return (
    <FilterBar
      line={line}
      screen={type}
      scope={words('table')}
      search={search}
      look={{ columns: columns.join(','), ...(isBin && { bin: '1' }) }}
      isElsewhere={isBin}
      filter={filter}
      parameters={() => [requestFilter({ filter: filter.filter, bin: isBin }), order]}
      setSearch={setSearch}
    />
  )
}

/** The columns that are shown, and the height of the rows. */
export function TableLook({
  layout,
  peek,
  bin,
}: {
  layout: TableLayout
  /** The panel with a look at a row; undefined where there is no room for it. */
  peek: { isShown: boolean; toggle: () => void } | undefined
  /** Whether the table shows the deleted records, and the way there and back. */
  bin: { isShown: boolean; toggle: () => void }
}) {
  const words = useTranslations('rows')
  const { groupColumn, groupBy } = useTableContext()
  return (
    <Menu position="bottom-end" width={250} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton icon={<SlidersHorizontal size={15} aria-hidden />} text={words('look')} />
      </Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflow: 'auto' }}>
        <DensityItems label={words('rowHeight')} textOf={(each) => words(`densities.${each}`)} />
        {peek && (
          <>
            <Menu.Divider />
            <Menu.CheckboxItem checked={peek.isShown} onChange={peek.toggle}>
              {words('peek')}
            </Menu.CheckboxItem>
          </>
        )}
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
        {groupColumn && (
          <Menu.Item onClick={() => groupBy(undefined)}>{words('ungroup')}</Menu.Item>
        )}
        <Menu.Item onClick={layout.reset}>{words('usualColumns')}</Menu.Item>
        <Menu.Divider />
        <Menu.CheckboxItem checked={bin.isShown} onChange={bin.toggle} closeMenuOnClick>
          {words('bin.show')}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Compares a row with the records that share a phone or an e-mail with it. */
export function RowComparison({
  type,
  id,
  close,
}: {
  type: MergedType
  id: number
  close: () => void
}) {
  const words = useTranslations('rows')
  const merges = useTranslations('merges')
  const refusalText = useRefusalText()
  // A card may have asked for the duplicates before they changed. A later change does not take the dialog away.
  const { data, error, isFetchedAfterMount } = useQuery({
    ...duplicatesQuery(type, id),
    staleTime: 0,
  })
  const [compared, setCompared] = useState<Duplicates>()
  useEffect(() => {
    if (compared || !isFetchedAfterMount) return
    if (!error && data && data.duplicates.length > 0) return setCompared(data)
    if (error) warn(merges('unasked'), refusalText(error))
    else say(words('noneAlike'))
    close()
    // It is said once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [compared, data, error, isFetchedAfterMount])
  if (!compared) return undefined
  return (
    <Suspense fallback={<ComingField />}>
      <CompareDialog
        type={type}
        id={id}
        duplicates={compared}
        close={close}
        merged={() => undefined}
      />
    </Suspense>
  )
}

/** Two selected records that may be merged. */
function useSelectedPair() {
  const { store, vocabulary } = useTableContext()
  const isAll = useTableSelection((state) => state.isAll)
  const selected = useTableSelection((state) => state.selected)
  const { type, bin } = store.key
  const [first, second, ...others] = selected
  if (!isMergedType(type) || bin || isAll || second === undefined || others.length > 0)
    return undefined
  if (!mayMerge(vocabulary.me, type)) return undefined
  const name = store.rows.shown(second)?.name ?? ''
  return { type, first: first!, second: { id: second, name, shared: [] } }
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
  const [kind, setKind] = useState<BulkKind>()
  useSyncExternalStore(store.watch, store.version)
  const { type, bin: isBin = false } = store.key
  const isNone = !isAll && selected.size === 0
  const inSegments = bootstrap.segments
    .filter(({ id }) => store.key.segments?.split(',').includes(String(id)))
    .map(({ name }) => name)
    .join(' + ')
  const listed = store.count()
  const found = isAll
    ? listed.isKnown
      ? { count: listed.count, isMore: listed.isMore }
      : undefined
    : { count: selected.size, isMore: false }
  useShortcuts(
    jobs('allTitle'),
    offeredActs(type, bootstrap, isBin).flatMap(({ kind: act, key }) =>
      isNone || key === undefined
        ? []
        : { keys: [key], text: jobs(`acts.${act}`), run: () => setKind(act) },
    ),
  )
  const [isComparing, setComparing] = useState(false)
  const pair = useSelectedPair()
  useShortcuts(
    jobs('allTitle'),
    pair ? [{ keys: ['shift+m'], text: words('compareTwo'), run: () => setComparing(true) }] : [],
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
          ? { filter: jobFilter(store.key), ...(left.size > 0 && { except: [...left] }) }
          : { ids: [...selected] }),
      }}
      isBin={isBin}
      found={found}
      filterWords={isAll ? [inSegments, filter.text].filter(Boolean).join(' · ') : ''}
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
      {pair && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<GitMerge size={15} aria-hidden />}
          onClick={() => setComparing(true)}
        >
          {words('compareTwo')}
        </Button>
      )}
      {pair && isComparing && (
        <Suspense fallback={<ComingField />}>
          <CompareDialog
            type={pair.type}
            id={pair.first}
            duplicates={{ duplicates: [pair.second], is_more: false }}
            close={() => setComparing(false)}
            merged={selection.selectNone}
          />
        </Suspense>
      )}
    </AllBar>
  )
}
