import { Button } from '@mantine/core'
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { List, Plus, Trash2 } from 'lucide-react'
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap, useHasCustomers, useMayView } from '../crm/bootstrap.ts'
import { useZones } from '../crm/fields/texts.ts'
import { fieldKinds } from '../crm/fields/types.ts'
import { usePreferences } from '../crm/preferences.ts'
import { recordTypes } from '../crm/records.ts'
import { Problem } from '../data/api.ts'
import { onNews } from '../data/live.ts'
import { useBrowserChoice } from '../data/browser-choice.ts'
import { part } from '../data/rest.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import type { SearchParams } from '../data/search.ts'
import { cardQuery } from '../features/card/store.ts'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import { filterTakenOut } from '../features/filter/filter.ts'
import { JobsStrip } from '../features/jobs/jobs-strip.tsx'
import { isMergedType, mayMerge } from '../features/merges/merges.ts'
import { makeTableActions } from '../features/rows/actions.ts'
import { neededFieldIds, useRowColumns } from '../features/rows/columns.ts'
import type { RowColumn } from '../features/rows/columns.ts'
import { makeRowDuplicates } from '../features/rows/row-duplicates.ts'
import { TableProvider, useTableContext } from '../features/rows/context.ts'
import type { TableContext } from '../features/rows/context.ts'
import type { TableSort } from '../features/rows/header.tsx'
import { makesGroups } from '../features/rows/grouped.ts'
import { listOfKey } from '../features/rows/kept.ts'
import { useActingTableKeys } from '../features/rows/keys.ts'
import { useTableLayout } from '../features/rows/layout.ts'
import { summaryQuery } from '../features/rows/rows.ts'
import type { RowsKey, RowType } from '../features/rows/rows.ts'
import { QuickRow } from '../features/rows/quick-row.tsx'
import type { QuickRowHandle } from '../features/rows/quick-row.tsx'
import { segmentsIn } from '../features/segments/segments.ts'
import { Table } from '../features/rows/table.tsx'
import type { TableHandle } from '../features/rows/table.tsx'
import { useShortcuts } from '../shell/keyboard.tsx'
import { Title } from '../shell/title.tsx'
import { useMonthFirst } from '../ui/day.ts'
import { useProblemText } from '../ui/faults.ts'
import { isFocusLost } from '../ui/focus.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { useNumbersBy } from '../ui/number-field.tsx'
import { PageFrame } from '../ui/page.tsx'
import { Empty, NoRights } from '../ui/states.tsx'
import { useOffersOf, useOfferUndo } from '../ui/undo.ts'
import { CardWords, ListWords } from '../words/words.tsx'
import { cardIn, useShowCard } from './board-cards.ts'
import type { BoardSearch } from './board-cards.ts'
import styles from '../features/board/board.module.css'
import rows from '../features/rows/rows.module.css'
import { CardPlace } from './card-place.tsx'
import places from './card.module.css'
import { pipelineIn, ToBoard, ToCustomerBoard } from './board-or-list.tsx'
import { useScreenFilter } from './filter-bar.tsx'
import { NotFound } from './not-found.tsx'
import { ListFilterLine, RowComparison, SelectedRows, TableLook } from './list-parts.tsx'
import { settingsAt } from './settings/pages.ts'

const ListCard = lazy(
  part('card', async () => ({ default: (await import('./list-card.tsx')).ListCard })),
)

const segments = part('segments', () => import('./list-segments.tsx'))
const ListSegments = lazy(async () => ({ default: (await segments()).ListSegments }))
const ChosenSegments = lazy(async () => ({ default: (await segments()).ChosenSegments }))

const ListPeek = lazy(
  part('peek', async () => ({ default: (await import('./list-peek.tsx')).ListPeek })),
)

export const LeadList = () => <ListScreen type="leads" />
export const ContactList = () => <ListScreen type="contacts" />
export const CompanyList = () => <ListScreen type="companies" />

/** The customers of an account that works with them. */
export function CustomerList() {
  const { account } = useBootstrap()
  const mayView = useMayView('customers')
  const isOff = account.customers_mode === 'disabled' && mayView
  return isOff ? <CustomersOff /> : <ListScreen type="customers" />
}

function CustomersOff() {
  return (
    <ListWords>
      <TurnedOff />
    </ListWords>
  )
}

function TurnedOff() {
  const shell = useTranslations('shell')
  const words = useTranslations('rows')
  const { me } = useBootstrap()
  return (
    <PageFrame title={shell('customers')}>
      <Empty
        title={words('customersOff')}
        text={words('customersOffText')}
        action={
          me.is_admin ? (
            <Button variant="default" renderRoot={(props) => <Link {...props} to={modePage} />}>
              {words('turnOnCustomers')}
            </Button>
          ) : undefined
        }
      />
    </PageFrame>
  )
}

const binAt = (type: RowType) => `/bin/${type}`
const listAt = (type: RowType) => (type === 'leads' ? '/leads/list' : `/${type}`)

/** The kinds of records whose bin the user may look into. */
function useBinTypes(): RowType[] {
  const may = {
    leads: useMayView('leads'),
    contacts: useMayView('contacts'),
    companies: useMayView('companies'),
    customers: useHasCustomers(),
  }
  return recordTypes.filter((type) => may[type])
}

/** The bin of the first kind of records that the user may view. */
export function Bin() {
  const shell = useTranslations('shell')
  const [first] = useBinTypes()
  if (first) return <Navigate to={binAt(first)} replace />
  return (
    <PageFrame title={shell('bin')}>
      <NoRights />
    </PageFrame>
  )
}

/** The deleted records of a kind. */
export function BinOfType() {
  const { type: name } = useParams({ strict: false }) as { type: string }
  const type = recordTypes.find((each) => each === name)
  const { account } = useBootstrap()
  if (!type) return <NotFound />
  if (type === 'customers' && account.customers_mode === 'disabled') return <CustomersOff />
  return <ListScreen type={type} isBin />
}

function ListScreen({ type, isBin = false }: { type: RowType; isBin?: boolean }) {
  const mayView = useMayView(type)
  const { bin, ...search } = useSearch({ strict: false }) as BoardSearch
  const shell = useTranslations('shell')
  if (!mayView)
    return (
      <PageFrame title={shell(type)}>
        <NoRights />
      </PageFrame>
    )
  // As addresses and views of a list have its bin.
  if (bin === '1') return <Navigate to={binAt(type)} search={search as never} replace />
  return (
    <CardWords>
      <ListWords>
        <RecordList key={type} type={type} isBin={isBin} />
      </ListWords>
    </CardWords>
  )
}

const modePage = settingsAt('customers')
const rowHeights = { compact: 28, normal: 36, roomy: 44 }
const usualSort: TableSort = { column: 'id', direction: 'desc' }

function RecordList({ type, isBin }: { type: RowType; isBin: boolean }) {
  const words = useTranslations('rows')
  const bootstrap = useBootstrap()
  const { me, account } = bootstrap
  const { density } = usePreferences()
  const navigate = useNavigate()
  const isPhone = useIsNarrow()
  const client = useQueryClient()
  const { card: cardText, ...rest } = useSearch({ strict: false }) as BoardSearch
  const address = stringifySearch(rest)
  // The list stays as it is while a card opens over it.
  const search = useMemo<BoardSearch>(() => parseSearch(address), [address])
  const filter = useScreenFilter(type, search)
  const columns = useRowColumns(type, bootstrap, isBin)
  const named = search['columns']
  const fromAddress = useMemo(
    () => (typeof named === 'string' && named !== '' ? named.split(',') : undefined),
    [named],
  )
  const setSearch = (change: BoardSearch) =>
    void navigate({
      to: '.',
      search: ((now: BoardSearch) => ({ ...now, ...change })) as never,
      replace: true,
    })
  const layout = useTableLayout(
    isBin ? `bin.${type}` : type,
    me.id,
    columns,
    fromAddress,
    (names) => setSearch({ columns: names?.join(',') }),
  )
  const sort = sortOf(search, columns)
  const groupColumn = columns.find(
    (column) => column.name === search['group'] && makesGroups(column),
  )
  const by = groupColumn?.name
  const shownExtras = [...new Set(layout.columns.flatMap(({ extra }) => extra ?? []))].toSorted()
  const shownFields = [
    ...new Set([
      ...layout.columns.flatMap(({ fieldId }) => fieldId ?? []),
      ...neededFieldIds(type, bootstrap),
    ]),
  ].toSorted((a, b) => a - b)
  const hasSegments = type === 'customers' && !isBin && account.customers_mode === 'segments'
  const chosen = hasSegments ? segmentsIn(search['segments']) : []
  const inSegments = chosen.join(',')
  const parts = `${shownExtras.join()} ${shownFields.join()}`
  const { store, selection, writer } = useMemo(() => {
    const key: RowsKey = {
      type,
      order: sort.column,
      direction: sort.direction,
      filter: filter.filter,
      extras: shownExtras,
      fieldIds: shownFields,
      ...(by !== undefined && { by }),
      ...(isBin && { bin: true }),
      ...(inSegments !== '' && { segments: inSegments }),
    }
    return listOfKey(key, me.id)
    // The parts as one text.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [type, sort.column, sort.direction, filter.filter, parts, by, isBin, inSegments, me.id])
  const duplicates = useMemo(
    () => (isMergedType(type) && !isBin ? makeRowDuplicates(type) : undefined),
    [type, isBin],
  )
  const [isAdding, setAdding] = useState(false)
  const [compared, setCompared] = useState<number>()
  useEffect(() => {
    void store.load()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onNews((news) => {
      store.hear(news)
      duplicates?.hear(news)
      const isOwn = news.name === 'reset' || news.data['entity_type'] === type
      // Numbers about all records follow, seldom.
      if (isOwn)
        timer ??= setTimeout(() => {
          timer = undefined
          // A count without a bound takes its time, and is asked for seldom.
          void client.invalidateQueries({
            predicate: ({ queryKey }) =>
              queryKey[0] === 'rows' && queryKey[1] === type && queryKey.at(-1) !== true,
          })
        }, 1500)
    })
    return () => {
      clearTimeout(timer)
      duplicates?.stop()
      stop()
    }
    // Other fields or rights are another list.
  }, [store, type, duplicates, client, bootstrap.me, bootstrap.custom_fields])

  const zones = useZones()
  const isMonthFirst = useMonthFirst()
  const numbersBy = useNumbersBy()
  const numbersOf = useCallback(
    ({ field, rules }: RowColumn) =>
      numbersBy({
        ...rules,
        ...(fieldKinds[field.type].isAmount && { currency: field.currency ?? account.currency }),
      }),
    [numbersBy, account.currency],
  )
  const cardWords = useTranslations('card')
  const offerUndo = useOfferUndo()
  const textOf = useProblemText()
  const problemText = useRef(textOf)
  problemText.current = textOf
  const latest = useRef(layout.columns)
  latest.current = layout.columns
  const actions = useMemo(
    () =>
      makeTableActions({
        store,
        writer,
        selection,
        columns: () => latest.current,
        means: (column) => ({ zones, numbers: numbersOf(column), isMonthFirst }),
        faultText: (column, fault) =>
          fault === 'date' ? cardWords('faults.date') : numbersOf(column).faultText(fault),
        words,
        offerUndo,
        problemText: (problem) => problemText.current(problem),
      }),
    [store, writer, selection, zones, numbersOf, isMonthFirst, cardWords, words, offerUndo],
  )
  const card = cardIn(cardText)
  const { show, close } = useShowCard(card !== undefined)
  const table = useRef<TableHandle>(null)
  const filterLine = useRef<FilterHandle>(null)
  const isFurther = card !== undefined
  const [isPeek, setPeek] = useBrowserChoice(`rows.peek.${me.id}`, false)
  // A deleted record is neither opened nor looked at from the bin.
  const hasPeek = !isPhone && !isBin
  const context: TableContext = {
    store,
    selection,
    writer,
    vocabulary: bootstrap,
    columns: layout.columns,
    groupColumn,
    groupBy: (name) => setSearch({ group: name }),
    actions,
    zones,
    numbersOf,
    isMonthFirst,
    rowHeight: rowHeights[density],
    boxSize: 40,
    pageRows: () => table.current?.pageRows() ?? 1,
    reveal: (row, column) => table.current?.reveal(row, column),
    duplicates,
    compare: isMergedType(type) && !isBin && mayMerge(me, type) ? setCompared : undefined,
    togglePeek: () => hasPeek && setPeek(!isPeek),
    open: (id) => (isBin ? selection.say(words('bin.readOnly')) : show(type, id, { isFurther })),
    prefetch: (id) => void client.prefetchQuery(cardQuery(type, id)),
    openLinked: (of, id) => show(of, id, { isFurther }),
  }
  useOffersOf(store, card === undefined)
  const wasOpen = useRef(card !== undefined)
  useLayoutEffect(() => {
    if (wasOpen.current && !card && isFocusLost()) table.current?.focus()
    wasOpen.current = card !== undefined
  }, [card])
  const setSort = ({ column, direction }: TableSort) =>
    setSearch({
      sort: column === usualSort.column && direction === usualSort.direction ? undefined : column,
      dir: direction === 'desc' && column === 'id' ? undefined : direction,
    })
  const clear = () => setSearch({ ...filterTakenOut(search), segments: undefined })
  const mayAdd =
    !isBin && (me.is_admin || me.rights[type === 'customers' ? 'leads' : type].add !== 'D')
  const quickRow = useRef<QuickRowHandle>(null)
  const add = () => {
    setAdding(true)
    quickRow.current?.focus()
  }
  const isFiltered = filter.filter !== '' || chosen.length > 0
  const { view: _, ...kept } = search
  const list = { to: listAt(type), search: kept as never }
  const bin = { to: binAt(type), search: kept as never }
  return (
    <TableProvider value={context}>
      {!card && <TableKeys table={table} add={mayAdd ? add : undefined} />}
      <ListTitle type={type} isBin={isBin} />
      <div className={places.place}>
        <div className={styles.screen} inert={card !== undefined}>
          <div className={styles.toolbar}>
            <div className={styles.filterPlace}>
              <ListFilterLine
                line={filterLine}
                type={type}
                search={search}
                filter={filter}
                isBin={isBin}
                sort={sort}
                columns={layout.columns.map(({ name }) => name)}
                setSearch={(next: SearchParams) =>
                  void navigate({ to: '.', search: next as never })
                }
              />
            </div>
            {type === 'leads' && !isBin && <ToBoard search={search} />}
            {type === 'customers' && !isBin && account.customers_mode === 'periodicity' && (
              <ToCustomerBoard search={search} />
            )}
            <TableLook
              layout={layout}
              peek={hasPeek ? { isShown: isPeek, toggle: () => setPeek(!isPeek) } : undefined}
              bin={{
                isShown: isBin,
                toggle: () => void navigate(isBin ? list : bin),
              }}
            />
            {isBin && (
              <Button variant="default" renderRoot={(props) => <Link {...props} {...list} />}>
                {words('bin.leave')}
              </Button>
            )}
            {/* On a phone, the bar at the top has its own. */}
            {mayAdd && !isPhone && (
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={add}>
                {words(`new.${type}`)}
              </Button>
            )}
          </div>
          {isBin && <BinKinds />}
          <JobsStrip onEnd={() => store.wantOrder()} />
          {isAdding && mayAdd && (
            <QuickRow
              ref={quickRow}
              pipelineId={type === 'leads' ? pipelineIn(search) : undefined}
              close={() => {
                setAdding(false)
                table.current?.focus()
              }}
            />
          )}
          <div className={rows.withPeek} data-segments={hasSegments || undefined}>
            {hasSegments && (
              <Suspense fallback={<div className={rows.segments} />}>
                <ListSegments
                  chosen={chosen}
                  search={search as SearchParams}
                  hasKeys={!card}
                  choose={(ids) => setSearch({ segments: ids.join(',') || undefined })}
                />
              </Suspense>
            )}
            <div className={rows.tablePlace}>
              {chosen.length > 0 && (
                <Suspense>
                  <ChosenSegments chosen={chosen} filter={filter.filter} />
                </Suspense>
              )}
              <TooMany store={store} reset={() => setSort(usualSort)}>
                <Table
                  ref={table}
                  layout={layout}
                  sort={sort}
                  setSort={setSort}
                  filterBy={(parameter) => filterLine.current?.edit(parameter)}
                  empty={
                    isFiltered ? (
                      <Empty
                        title={words('nothingMatches')}
                        action={
                          <Button variant="default" onClick={clear}>
                            {words('clearFilter')}
                          </Button>
                        }
                      />
                    ) : isBin ? (
                      <Empty title={words('bin.empty')} text={words('bin.emptyText')} />
                    ) : (
                      <Empty
                        title={words(`emptyTitle.${type}`)}
                        text={words(`emptyText.${type}`)}
                      />
                    )
                  }
                />
              </TooMany>
            </div>
            {isPeek && hasPeek && (
              <Suspense fallback={<div className={rows.peek} />}>
                <ListPeek columns={columns} close={() => setPeek(false)} />
              </Suspense>
            )}
          </div>
          {isMergedType(type) && !isBin && compared !== undefined && (
            <RowComparison
              key={compared}
              type={type}
              id={compared}
              close={() => setCompared(undefined)}
            />
          )}
          <SelectedRows filter={filter} focusTable={() => table.current?.focus()} />
        </div>
        {card && (
          <CardPlace name={String(cardText)}>
            <ListCard card={card} show={show} close={close} />
          </CardPlace>
        )}
      </div>
    </TableProvider>
  )
}

/** The order that an address names; the newest first where it names none that the list has. */
function sortOf(search: BoardSearch, columns: readonly RowColumn[]): TableSort {
  const column = columns.find(({ name, isSorted }) => isSorted && name === search['sort'])
  if (!column) return search['dir'] === 'asc' ? { column: 'id', direction: 'asc' } : usualSort
  return { column: column.name, direction: search['dir'] === 'desc' ? 'desc' : 'asc' }
}

/** The kinds of deleted records with their numbers. */
function BinKinds() {
  const words = useTranslations('rows')
  return (
    <nav className={rows.kinds} aria-label={words('bin.kinds')}>
      {useBinTypes().map((type) => (
        <BinKind key={type} type={type} />
      ))}
    </nav>
  )
}

function BinKind({ type }: { type: RowType }) {
  const words = useTranslations('rows')
  const format = useFormatter()
  const { data } = useQuery(summaryQuery({ type, filter: '', bin: true }, [], false))
  return (
    <Link to={binAt(type)}>
      {words(`titles.${type}`)}
      {data && <b>{`${format.number(data.count)}${data.is_more ? '+' : ''}`}</b>}
    </Link>
  )
}

function ListTitle({ type, isBin }: { type: RowType; isBin: boolean }) {
  const shell = useTranslations('shell')
  const words = useTranslations('rows')
  const title = words(isBin ? `bin.titles.${type}` : `titles.${type}`)
  useEffect(() => {
    document.title = shell('title', { page: title })
  }, [title, shell])
  return (
    <Title>
      <h1 tabIndex={-1} className={styles.pipeline}>
        {isBin ? <Trash2 size={16} aria-hidden /> : <List size={16} aria-hidden />} {title}
      </h1>
    </Title>
  )
}

function TableKeys({
  table,
  add,
}: {
  table: React.RefObject<TableHandle | null>
  /** Begins a new record; undefined where the user may not. */
  add: (() => void) | undefined
}) {
  const words = useTranslations('rows')
  const keys = useActingTableKeys(useTableContext(), {
    reveal: (row, column) => table.current?.reveal(row, column),
    pageRows: () => table.current?.pageRows() ?? 1,
    focus: () => table.current?.focus(),
    edit: () => table.current?.edit(),
    add,
  })
  useShortcuts(words('table'), keys)
  return undefined
}

/** In the place of a table that cannot be sorted so. */
function TooMany({
  store,
  reset,
  children,
}: {
  store: TableContext['store']
  reset: () => void
  children: ReactNode
}) {
  const words = useTranslations('rows')
  const state = useSyncExternalStore(store.watch, store.state)
  const isTooMany =
    state.kind === 'failed' &&
    state.error instanceof Problem &&
    state.error.code === 'TooManyToSort'
  if (!isTooMany) return children
  return (
    <Empty
      title={words('tooMany', { limit: (state.error as Problem).limit ?? 0 })}
      action={
        <Button variant="default" onClick={reset}>
          {words('sortUsual')}
        </Button>
      }
    />
  )
}
