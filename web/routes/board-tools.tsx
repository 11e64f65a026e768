// The pipeline of a board in the top bar, its toolbar, and what stands there without a lead.
import { Button, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ArrowDownUp, Check, ChevronDown, Plus, SlidersHorizontal } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import type { BoardSort } from '../../server/features/application/board/schema.ts'
import { useBootstrap } from '../crm/bootstrap.ts'
import { fieldKinds } from '../crm/fields/types.ts'
import styles from '../features/board/board.module.css'
import { openQuickAdd } from '../features/board/quick-add.tsx'
import { useBoard } from '../features/board/context.ts'
import type { Pipeline } from '../features/board/context.ts'
import { sorts } from '../features/board/sort.ts'
import { Title } from '../shell/title.tsx'
import { Empty } from '../ui/states.tsx'
import { DensityItems, ToolButton } from './tools.tsx'

/** The pipeline in the top bar, with the others behind it. */
export function BoardTitle({ pipeline }: { pipeline: Pipeline }) {
  const words = useTranslations('board')
  const shell = useTranslations('shell')
  const { pipelines } = useBootstrap()
  useEffect(() => {
    document.title = shell('title', { page: pipeline.name })
  }, [pipeline.name, shell])
  return (
    <Title>
      <h1 tabIndex={-1}>
        <Menu position="bottom-start" width={260}>
          <Menu.Target>
            <button
              type="button"
              className={styles.pipeline}
              aria-label={words('pipeline', { name: pipeline.name })}
            >
              <span>{pipeline.name}</span>
              <ChevronDown size={16} aria-hidden />
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {pipelines
              .filter(({ is_archive, id }) => !is_archive || id === pipeline.id)
              .map(({ id, name }) => (
                <Menu.Item
                  key={id}
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/leads/p/$pipelineId"
                      params={{ pipelineId: String(id) }}
                    />
                  )}
                  rightSection={id === pipeline.id ? <Check size={14} aria-hidden /> : undefined}
                >
                  {name}
                </Menu.Item>
              ))}
          </Menu.Dropdown>
        </Menu>
      </h1>
    </Title>
  )
}

export function SortMenu({
  sort,
  setSort,
}: {
  sort: BoardSort
  setSort: (sort: BoardSort) => void
}) {
  const words = useTranslations('board')
  const { isPhone } = useBoard()
  const sorted = words('sortedBy', { sort: words(`sorts.${sort}`) })
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ToolButton
          icon={<ArrowDownUp size={15} aria-hidden />}
          text={sorted}
          title={isPhone ? sorted : undefined}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {sorts.map((each) => (
          <Menu.RadioItem
            key={each}
            value={each}
            checked={each === sort}
            closeMenuOnClick
            onChange={() => setSort(each)}
          >
            {words(`sorts.${each}`)}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** How the board looks: closed leads, the height of cards, and the field that they show. */
export function LookMenu({
  isClosedShown,
  setClosedShown,
  fieldId,
  setFieldId,
}: {
  isClosedShown: boolean
  setClosedShown: (isShown: boolean) => void
  fieldId: number | null
  setFieldId: (id: number | null) => void
}) {
  const words = useTranslations('board')
  const { custom_fields } = useBootstrap()
  const { isPhone } = useBoard()
  const fields = custom_fields.leads.fields.filter(({ type }) => !fieldKinds[type].isOffBoard)
  return (
    <Menu position="bottom-end" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton
          icon={<SlidersHorizontal size={15} aria-hidden />}
          text={words('look')}
          title={isPhone ? words('look') : undefined}
        />
      </Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflow: 'auto' }}>
        <Menu.CheckboxItem checked={isClosedShown} onChange={() => setClosedShown(!isClosedShown)}>
          {words('showClosed')}
        </Menu.CheckboxItem>
        <Menu.Divider />
        <DensityItems label={words('cardHeight')} textOf={(each) => words(`densities.${each}`)} />
        <Menu.Divider />
        <Menu.Label>{words('cardField')}</Menu.Label>
        {[{ id: null, name: words('noField') }, ...fields].map(({ id, name }) => (
          <Menu.RadioItem
            key={id}
            value={String(id)}
            checked={id === fieldId}
            onChange={() => setFieldId(id)}
          >
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

export function NewLeadButton() {
  const words = useTranslations('board')
  const board = useBoard()
  const { me } = board.vocabulary
  if (!me.is_admin && me.rights.leads.add === 'D') return undefined
  return (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => openQuickAdd(board)}>
      {words('newLead')}
    </Button>
  )
}

/** A pipeline without leads, or a filter that finds none. */
export function EmptyBoard({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const words = useTranslations('board')
  const board = useBoard()
  const { store, vocabulary } = board
  const isReady = useSyncExternalStore(store.watchBoard, () => store.state().kind === 'ready')
  const { columns } = vocabulary
  const isEmpty = useSyncExternalStore(
    (watcher) => {
      const stops = columns.map(({ id }) => store.watchTotals(id, watcher))
      return () => stops.forEach((stop) => stop())
    },
    () => columns.every(({ id }) => store.totals(id).count === 0),
  )
  const [isAdding, setAdding] = useState(false)
  if (!isReady || !isEmpty || isAdding) return undefined
  return (
    <div className={styles.emptyBoard}>
      {isFiltered ? (
        <Empty
          title={words('nothingMatches')}
          action={
            <Button variant="default" onClick={clear}>
              {words('clearFilter')}
            </Button>
          }
        />
      ) : (
        <Empty
          title={words('emptyTitle')}
          text={words('emptyText')}
          action={
            <Button
              onClick={() => {
                setAdding(true)
                openQuickAdd(board)
              }}
            >
              {words('firstLead')}
            </Button>
          }
        />
      )}
    </div>
  )
}
