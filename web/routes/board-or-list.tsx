// Leads are a board and a list: each leads to the other with its filter.
import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Kanban, List } from 'lucide-react'
import { useTranslations } from 'use-intl'
import styles from '../features/board/board.module.css'
import { isOfFilter } from '../features/filter/filter.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'

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
    <Button
      variant="subtle"
      color="gray"
      className={styles.tool}
      leftSection={<List size={15} aria-hidden />}
      aria-label={words('list')}
      renderRoot={(props) => <Link {...props} {...to} />}
    >
      <span className={styles.toolText}>{words('list')}</span>
    </Button>
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
    <Button
      variant="subtle"
      color="gray"
      className={styles.tool}
      leftSection={<Kanban size={15} aria-hidden />}
      aria-label={words('board')}
      renderRoot={(props) => <Link {...props} {...to} />}
    >
      <span className={styles.toolText}>{words('board')}</span>
    </Button>
  )
}
