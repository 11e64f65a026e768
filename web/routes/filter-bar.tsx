// The filter of a board or a list: as its address holds it, and at its top, with the saved views.
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { RefObject } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import type { SearchParams } from '../data/search.ts'
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
import type { RowType } from '../features/rows/rows.ts'
import { ViewsMenu } from '../features/views/views-menu.tsx'
import { addressOfView, viewedTypes } from '../features/views/views.ts'
import type { View, ViewedScreen } from '../features/views/views.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { hasFilterOf } from './board-or-list.tsx'

/** The most records of one page of the interface. */
const mostOfPage = 250

/** The filter of a screen as its address holds it. */
export interface ScreenFilter {
  chips: Chip[]
  fields: FilterField[]
  forms: Forms
  /** The parameters of the requests of the screen, as a query string. */
  filter: string
  /** The filter in words. */
  text: string
  /** The parameters of other chips. */
  parameters: (chips: readonly Chip[]) => string
}

/** `pipelineId`: of a board. */
export function useScreenFilter(
  type: RowType,
  search: Record<string, unknown>,
  pipelineId?: number,
): ScreenFilter {
  const bootstrap = useBootstrap()
  const timeZone = useTimeZone() ?? 'UTC'
  const fields = useFields(type, bootstrap, pipelineId)
  const say = useChipWords(fields)
  const address = stringifySearch(search)
  const now = useFilterMoment(address)
  const { forms, chips } = useMemo(() => {
    const known = formsOf(fields)
    return { forms: known, chips: chipsOf(parseSearch(address), known) }
  }, [address, fields])
  const parameters = (some: readonly Chip[]) =>
    queryStringOf(
      parametersOf(some, forms, {
        me: bootstrap.me.id,
        timeZone,
        dayZone: bootstrap.account.timezone,
        weekStartsOn: bootstrap.account.week_starts_on,
        now,
      }),
    )
  const text = chips
    .filter(({ isUnknown }) => !isUnknown)
    .map((chip) => `${say(chip).label}: ${say(chip).value}`)
    .join(' · ')
  return { chips, fields, forms, filter: parameters(chips), text, parameters }
}

/** The saved views and the filter line, and their key. */
export function FilterBar({
  line,
  screen,
  pipelineId = null,
  scope,
  search,
  look = {},
  isElsewhere = false,
  hasViews = true,
  filter: { chips, fields, forms, text },
  parameters,
  setSearch,
}: {
  line: RefObject<FilterHandle | null>
  screen: ViewedScreen
  /** The pipeline of a board. */
  pipelineId?: number | null
  /** Where the key works, in words. */
  scope: string
  search: Record<string, unknown>
  /** The parameters that a view keeps besides the address. */
  look?: SearchParams
  /** Views open at an address of their own, also those of this screen. */
  isElsewhere?: boolean
  /** False where the screen has no views of its own. */
  hasViews?: boolean
  filter: Pick<ScreenFilter, 'chips' | 'fields' | 'forms' | 'text'>
  /** The parameters of the request of the interface that finds the same; empty ones are left out. */
  parameters: () => string[]
  setSearch: (search: SearchParams) => void
}) {
  const words = useTranslations('filter')
  const navigate = useNavigate()
  const type = viewedTypes[screen]
  const presets = usePresets(type, pipelineId ?? undefined)
  useShortcuts(scope, [{ keys: ['/'], text: words('focus'), run: () => line.current?.focus() }])
  const { view: viewId, ...own } = search as SearchParams
  const openView = (view: View | undefined) => {
    if (!view) return setSearch(own)
    const address = addressOfView(view)
    if (view.screen === screen && !isElsewhere) return setSearch(address.search)
    void navigate({ to: address.to, search: address.search as never })
  }
  const others = Object.fromEntries(
    Object.entries(search as SearchParams).filter(([name]) => !isOfFilter(name)),
  )
  return (
    <>
      {hasViews && (
        <ViewsMenu
          screen={screen}
          pipelineId={pipelineId}
          search={stringifySearch({ ...own, ...look }).slice(1)}
          viewId={viewId === undefined ? undefined : Number(viewId)}
          filterWords={text}
          hasFilterOf={(view) => hasFilterOf(view, pipelineId, search)}
          onOpen={openView}
        />
      )}
      <FilterLine
        ref={line}
        chips={chips}
        fields={fields}
        presets={presets}
        request={() =>
          `${location.origin}/api/v4/${type}?${[...parameters(), `limit=${mostOfPage}`].filter(Boolean).join('&')}`
        }
        onChange={(next) => setSearch({ ...others, ...searchOfChips(next, forms) })}
      />
    </>
  )
}
