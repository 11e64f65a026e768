// Leads and customers are a board and a list: each leads to the other with its filter, and with the view that is open.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Kanban, List } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { isOfFilter } from '../features/filter/filter.ts'
import { addressOfView, canonical, viewsQuery } from '../features/views/views.ts'
import type { View } from '../features/views/views.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { ToolButton } from './tools.tsx'

const ofPipeline = 'filter[pipeline_id]'

/** The filter of an address, without the rest of it. */
const filterIn = (search: Record<string, unknown>): SearchParams =>
  Object.fromEntries(Object.entries(search as SearchParams).filter(([name]) => isOfFilter(name)))

/** The pipeline that a filter names, and the rest of the filter. */
function partsOf(search: Record<string, unknown>): {
  pipeline: string | null
  filter: SearchParams
} {
  const { [ofPipeline]: named, ...filter } = filterIn(search)
  const pipeline = typeof named === 'string' && /^\d+$/.test(named) ? named : null
  return { pipeline, filter }
}

/** The pipeline that the filter of an address names; undefined where it names none. */
export function pipelineIn(search: Record<string, unknown>): number | undefined {
  const { pipeline } = partsOf(search)
  return pipeline === null ? undefined : Number(pipeline)
}

/** Whether the board of a pipeline, or the list (null), has the filter of a view of leads, wherever that was saved. */
export function hasFilterOf(
  { screen, pipeline_id, search }: View,
  pipelineId: number | null,
  now: Record<string, unknown>,
): boolean {
  const [kept, shown] = [partsOf(parseSearch(search)), partsOf(now)]
  const ofView = screen === 'board' ? pipeline_id : kept.pipeline
  const ofScreen = pipelineId ?? shown.pipeline
  const [one, other] = [kept, shown].map(({ filter }) => canonical(stringifySearch(filter)))
  return one === other && (ofView === null || String(ofView) === String(ofScreen))
}

/** The address of the open view where it was saved on the other screen and has the filter of this one. */
function useViewThere(
  there: 'board' | 'leads',
  pipelineId: number | null,
  search: Record<string, unknown>,
): { to: string; search: SearchParams } | undefined {
  const { data } = useQuery(viewsQuery)
  const view = data?.find(({ id }) => String(id) === search['view'])
  if (view?.screen !== there || !hasFilterOf(view, pipelineId, search)) return undefined
  return addressOfView(view)
}

/** The view in an address stays open on the other screen. */
const viewIn = ({ view }: Record<string, unknown>): SearchParams =>
  typeof view === 'string' ? { view } : {}

/** The leads of a board as a list. */
export function ToList({
  pipelineId,
  search,
}: {
  pipelineId: number
  search: Record<string, unknown>
}) {
  const words = useTranslations('board')
  const navigate = useNavigate()
  const view = useViewThere('leads', pipelineId, search)
  const to = {
    to: '/leads/list',
    search: { ...filterIn(search), [ofPipeline]: String(pipelineId), ...viewIn(search) },
    ...view,
  } as { to: string; search: never }
  useShortcuts(words('board'), [
    { keys: ['v'], text: words('keys.list'), run: () => void navigate(to) },
  ])
  return (
    <ToolButton
      icon={<List size={15} aria-hidden />}
      text={words('list')}
      renderRoot={(props) => <Link {...props} {...to} />}
    />
  )
}

/** Leads are a board, too: that of the pipeline that the filter names, with the rest of the filter. */
export function ToBoard({ search }: { search: Record<string, unknown> }) {
  const words = useTranslations('rows')
  const navigate = useNavigate()
  const { pipeline: id, filter } = partsOf(search)
  const view = useViewThere('board', null, search)
  const to = {
    to: id === null ? '/leads' : `/leads/p/${id}`,
    search: { ...filter, ...viewIn(search) },
    ...view,
  } as { to: string; search: never }
  useShortcuts(words('table'), [
    { keys: ['v'], text: words('keys.board'), run: () => void navigate(to) },
  ])
  return (
    <ToolButton
      icon={<Kanban size={15} aria-hidden />}
      text={words('board')}
      renderRoot={(props) => <Link {...props} {...to} />}
    />
  )
}

/** The customers of a board as a list. */
export function ToCustomerList({ search }: { search: Record<string, unknown> }) {
  const words = useTranslations('board')
  const navigate = useNavigate()
  const to = { to: '/customers', search: filterIn(search) } as Place
  useShortcuts(words('board'), [
    { keys: ['v'], text: words('keys.list'), run: () => void navigate(to) },
  ])
  return (
    <ToolButton
      icon={<List size={15} aria-hidden />}
      text={words('list')}
      renderRoot={(props) => <Link {...props} {...to} />}
    />
  )
}

/** The customers of a list as a board. */
export function ToCustomerBoard({ search }: { search: Record<string, unknown> }) {
  const words = useTranslations('rows')
  const navigate = useNavigate()
  const to = { to: '/customers/board', search: filterIn(search) } as Place
  useShortcuts(words('table'), [
    { keys: ['v'], text: words('keys.board'), run: () => void navigate(to) },
  ])
  return (
    <ToolButton
      icon={<Kanban size={15} aria-hidden />}
      text={words('board')}
      renderRoot={(props) => <Link {...props} {...to} />}
    />
  )
}

type Place = { to: string; search: never }
