// The parts around the table of a list: its filter, the choice of columns, and what is done with the selected rows.
import { Button, Menu } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { useImperativeHandle, useMemo, useRef } from 'react'
import type { Ref } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { formsOf, useFields, usePresets } from '../features/filter/fields.ts'
import type { FilterField } from '../features/filter/fields.ts'
import { FilterLine } from '../features/filter/filter-line.tsx'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import {
  chipsOf,
  isOfFilter,
  parametersOf,
  queryStringOf,
  searchOfChips,
} from '../features/filter/filter.ts'
import type { Chip, Forms } from '../features/filter/filter.ts'
import { useFilterMoment } from '../features/filter/now.ts'
import { useChipWords } from '../features/filter/words.ts'
import { AllBar } from '../features/jobs/all-bar.tsx'
import { useTableContext, useTableSelection } from '../features/rows/context.ts'
import type { TableSort } from '../features/rows/header.tsx'
import type { TableLayout } from '../features/rows/layout.ts'
import type { RowType } from '../features/rows/rows.ts'
import { ViewsMenu } from '../features/views/views-menu.tsx'
import { parseSearch, stringifySearch } from '../data/search.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { hasFilterOf } from './board-or-list.tsx'
import { useOpenView } from './open-view.ts'
import { DensityItems, ToolButton } from './tools.tsx'

/** The most records of one page of the interface. */
const mostOfPage = 250

/** The filter of a list as its address holds it. */
export interface ListFilter {
  chips: Chip[]
  fields: FilterField[]
  forms: Forms
  /** The parameters of the requests of the list, as a query string. */
  filter: string
  /** The filter in words. */
  text: string
}

export function useListFilter(type: RowType, search: Record<string, unknown>): ListFilter {
  const bootstrap = useBootstrap()
  const timeZone = useTimeZone() ?? 'UTC'
  const fields = useFields(type, bootstrap)
  const say = useChipWords(fields)
  const address = stringifySearch(search)
  const now = useFilterMoment(address)
  const { forms, chips } = useMemo(() => {
    const known = formsOf(fields)
    return { forms: known, chips: chipsOf(parseSearch(address), known) }
  }, [address, fields])
  const filter = queryStringOf(
    parametersOf(chips, forms, {
      me: bootstrap.me.id,
      timeZone,
      dayZone: bootstrap.account.timezone,
      now,
    }),
  )
  const text = chips
    .filter(({ isUnknown }) => !isUnknown)
    .map((chip) => `${say(chip).label}: ${say(chip).value}`)
    .join(' · ')
  return { chips, fields, forms, filter, text }
}

export interface ListFilterHandle {
  /** Opens the filter by a parameter. */
  filterBy: (parameter: string) => void
}

/** The saved views and the filter line, and their key. */
export function ListFilterLine({
  ref,
  type,
  search,
  filter: { chips, fields, forms, filter, text },
  sort,
  columns,
  setSearch,
}: {
  ref: Ref<ListFilterHandle>
  type: RowType
  search: Record<string, unknown>
  filter: ListFilter
  sort: TableSort
  /** The names of the shown columns, which a view keeps. */
  columns: readonly string[]
  setSearch: (search: SearchParams) => void
}) {
  const words = useTranslations('filter')
  const rows = useTranslations('rows')
  const presets = usePresets(type)
  const { view, ...own } = search as SearchParams
  const openView = useOpenView(type, search, setSearch)
  const line = useRef<FilterHandle>(null)
  useImperativeHandle(ref, () => ({ filterBy: (parameter) => line.current?.edit(parameter) }))
  useShortcuts(rows('table'), [
    { keys: ['/'], text: words('focus'), run: () => line.current?.focus() },
  ])
  const others = Object.fromEntries(
    Object.entries(search as SearchParams).filter(([name]) => !isOfFilter(name)),
  )
  // The interface sorts by three columns only.
  const order = ['id', 'created_at', 'updated_at'].includes(sort.column)
    ? `order[${sort.column}]=${sort.direction}`
    : ''
  return (
    <>
      <ViewsMenu
        screen={type}
        pipelineId={null}
        search={stringifySearch({ ...own, columns: columns.join(',') }).slice(1)}
        viewId={view === undefined ? undefined : Number(view)}
        filterWords={text}
        hasFilterOf={(each) => hasFilterOf(each, null, search)}
        onOpen={openView}
      />
      <FilterLine
        ref={line}
        chips={chips}
        fields={fields}
        presets={presets}
        request={() =>
          `${location.origin}/api/v4/${type}?${[filter, order, `limit=${mostOfPage}`].filter(Boolean).join('&')}`
        }
        onChange={(next) => setSearch({ ...others, ...searchOfChips(next, forms) })}
      />
    </>
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
export function SelectedRows({ filter }: { filter: ListFilter }) {
  const words = useTranslations('rows')
  const bootstrap = useBootstrap()
  const { store, selection } = useTableContext()
  const selected = useTableSelection((state) => state.selected)
  const isAll = useTableSelection((state) => state.isAll)
  // Jobs change leads only.
  if (store.key.type !== 'leads' || (!isAll && selected.size === 0)) return undefined
  return (
    <AllBar
      {...(isAll ? { filter: filter.filter } : { filter: '', ids: [...selected] })}
      filterWords={isAll ? filter.text : ''}
      vocabulary={bootstrap}
      onClose={() => selection.set({ selected: new Set(), isAll: false })}
    >
      {!isAll && (
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => selection.set({ isAll: true, selected: new Set() })}
        >
          {words('allOffer')}
        </Button>
      )}
    </AllBar>
  )
}
