// Leads are a board and a list: each leads to the other with its filter.
import { Link, useNavigate } from '@tanstack/react-router'
import { Kanban, List } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { isOfFilter } from '../features/filter/filter.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { ToolButton } from './tools.tsx'

const ofPipeline = 'filter[pipeline_id]'

/** The filter of an address, without the rest of it. */
const filterIn = (search: Record<string, unknown>): SearchParams =>
  Object.fromEntries(Object.entries(search as SearchParams).filter(([name]) => isOfFilter(name)))

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
  const to = {
    to: '/leads/list',
    search: { ...filterIn(search), [ofPipeline]: String(pipelineId) } as never,
  }
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
  const { [ofPipeline]: pipeline, ...filter } = filterIn(search)
  const id = typeof pipeline === 'string' && /^\d+$/.test(pipeline) ? pipeline : undefined
  const to = { to: id === undefined ? '/leads' : `/leads/p/${id}`, search: filter as never }
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
