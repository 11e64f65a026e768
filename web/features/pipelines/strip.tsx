// The stages of a pipeline beside each other, as the columns of the board stand. A press or Enter opens one below,
// arrows go from one to the next, Alt with the arrows or a drag moves it, Delete asks where its leads go.
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { isClosed, unsortedType } from '../../crm/stages.ts'
import { useIsNarrow } from '../../ui/narrow.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { moveStage } from './pipelines.ts'
import type { AccountPipeline, PipelineStage } from './pipelines.ts'
import styles from './strip.module.css'

/** Every pipeline has the others: only their names change. */
export const isOwnStage = ({ id, type }: PipelineStage): boolean =>
  type !== unsortedType && !isClosed(id)

/** Moves the open stage by one place; undefined at an end. */
export interface StageMoves {
  back: (() => void) | undefined
  forward: (() => void) | undefined
}

interface StageMove {
  id: number
  /** Null: it becomes the last of its own stages. */
  before: number | null
}

/** The stages after moves that are on their way; what colleagues move meanwhile stays. */
export function afterMoves(
  stages: readonly PipelineStage[],
  moves: readonly StageMove[],
): PipelineStage[] {
  const placed = [...stages]
  for (const { id, before } of moves) {
    const from = placed.findIndex((stage) => stage.id === id)
    if (from === -1 || id === before) continue
    const [stage] = placed.splice(from, 1)
    const to =
      before === null ? placed.findIndex((each) => isClosed(each.id)) : indexOf(placed, before)
    placed.splice(to === -1 ? from : to, 0, stage!)
  }
  return placed
}

const indexOf = (stages: readonly PipelineStage[], id: number) =>
  stages.findIndex((stage) => stage.id === id)

export function StageStrip({
  pipeline,
  totals,
  open,
  onOpen,
  onAdd,
  onDelete,
  refresh,
  isFull,
  panel,
}: {
  pipeline: AccountPipeline
  /** Leads by the id of the stage; undefined while they are not known. */
  totals: Record<number, number> | undefined
  /** The id of the stage that is shown below. */
  open: number | undefined
  onOpen: (id: number | undefined) => void
  /** Asks for a new stage before another one. */
  onAdd: (before: PipelineStage) => void
  onDelete: (stage: PipelineStage) => void
  /** Ends once the stages of the page are those of the server. */
  refresh: () => Promise<unknown>
  /** The pipeline takes no more stages. */
  isFull: boolean
  /** The open stage: beside the strip, or under the stage itself where the window is narrow. */
  panel: (stage: PipelineStage, move: StageMoves | undefined) => ReactNode
}) {
  const words = useTranslations('pipelines')
  const refusalText = useRefusalText()
  const list = useRef<HTMLOListElement>(null)
  const isNarrow = useIsNarrow()
  const [moves, setMoves] = useState<StageMove[]>([])
  const [said, setSaid] = useState('')
  const { mutate } = useMutation({
    scope: { id: `stages ${pipeline.id}` },
    mutationFn: async ({ id, before }: StageMove) => {
      await moveStage(pipeline.id, id, before)
      await refresh()
    },
    onError: (error) => {
      setSaid('')
      warn(words('notMoved'), refusalText(error))
    },
    onSettled: (_answer, _error, sent) => setMoves((now) => now.filter((each) => each !== sent)),
  })
  const stages = afterMoves(pipeline.statuses, moves)
  const place = (id: number, before: number | null) => {
    const wanted = { id, before }
    const after = afterMoves(stages, [wanted]).filter(isOwnStage)
    const own = stages.filter(isOwnStage)
    const position = indexOf(after, id)
    if (position === indexOf(own, id)) return
    setMoves((now) => [...now, wanted])
    const { name } = own.find((stage) => stage.id === id)!
    setSaid(words('moved', { name, position: position + 1, count: own.length }))
    mutate(wanted)
  }
  const latest = useRef({ stages, place })
  latest.current = { stages, place }

  /** Moves a stage among the own ones; undefined where there is no place. */
  function step(stage: PipelineStage, by: number): (() => void) | undefined {
    const own = stages.filter(isOwnStage)
    const to = indexOf(own, stage.id) + by
    if (!isOwnStage(stage) || to < 0 || to >= own.length) return undefined
    const others = own.filter(({ id }) => id !== stage.id)
    return () => place(stage.id, others[to]?.id ?? null)
  }

  function byKeys(event: KeyboardEvent, stage: PipelineStage): void {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    if (by && event.altKey) {
      event.preventDefault()
      step(stage, by)?.()
    } else if (by) {
      event.preventDefault()
      const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-stage]') ?? [])]
      buttons[indexOf(stages, stage.id) + by]?.focus()
    } else if (event.key === 'Delete' && isOwnStage(stage)) {
      event.preventDefault()
      onDelete(stage)
    }
  }

  const opened = stages.find(({ id }) => id === open)
  const shown =
    opened &&
    panel(
      opened,
      isOwnStage(opened) ? { back: step(opened, -1), forward: step(opened, 1) } : undefined,
    )
  return (
    <>
      <ol ref={list} className={styles.strip} aria-label={words('stages')}>
        {stages.map((stage, at) => {
          const next = stages[at + 1]
          return (
            <StageItem
              key={stage.id}
              stage={stage}
              at={at}
              count={totals?.[stage.id]}
              isKnown={totals !== undefined}
              isOpen={open === stage.id}
              panel={isNarrow && open === stage.id ? shown : undefined}
              onOpen={() => onOpen(open === stage.id ? undefined : stage.id)}
              onKeyDown={(event) => byKeys(event, stage)}
              add={
                next && !isFull && !isClosed(stage.id)
                  ? { text: words('addAfter', { name: stage.name }), run: () => onAdd(next) }
                  : undefined
              }
              drop={(id, side) => {
                const { stages: now } = latest.current
                const follower = now[indexOf(now, stage.id) + 1]
                const before =
                  side === 'before'
                    ? stage.id
                    : follower && isOwnStage(follower)
                      ? follower.id
                      : null
                if (before !== id) latest.current.place(id, before)
              }}
            />
          )
        })}
      </ol>
      {!isNarrow && shown}
      <VisuallyHidden role="status" data-order-said>
        {said}
      </VisuallyHidden>
    </>
  )
}

function StageItem({
  stage,
  at,
  count,
  isKnown,
  isOpen,
  panel,
  onOpen,
  onKeyDown,
  add,
  drop,
}: {
  stage: PipelineStage
  /** Its index among all. */
  at: number
  count: number | undefined
  isKnown: boolean
  isOpen: boolean
  panel: ReactNode
  onOpen: () => void
  onKeyDown: (event: KeyboardEvent) => void
  add: { text: string; run: () => void } | undefined
  /** Another stage was dropped on this one. */
  drop: (id: number, side: 'before' | 'after') => void
}) {
  const words = useTranslations('pipelines')
  const isNarrow = useIsNarrow()
  const element = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLButtonElement>(null)
  const [over, setOver] = useState<'before' | 'after'>()
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(drop)
  latest.current = drop
  const { id, name, type, color } = stage
  const isOwn = isOwnStage(stage)
  useEffect(() => {
    const { current } = element
    if (!current || !handle.current || !isOwn) return
    const side = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
      const { left, top, width, height } = handle.current!.getBoundingClientRect()
      const isBefore = isNarrow ? clientY < top + height / 2 : clientX < left + width / 2
      return isBefore ? ('before' as const) : ('after' as const)
    }
    return combine(
      draggable({
        element: current,
        dragHandle: handle.current,
        getInitialData: () => ({ stage: id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element: current,
        canDrop: ({ source }) => 'stage' in source.data && source.data['stage'] !== id,
        onDrag: ({ location }) => setOver(side(location.current.input)),
        onDragLeave: () => setOver(undefined),
        onDrop({ location, source }) {
          setOver(undefined)
          latest.current(Number(source.data['stage']), side(location.current.input))
        },
      }),
    )
  }, [id, isOwn, isNarrow])
  // A stage that the keys move out of sight takes the strip along.
  useLayoutEffect(() => {
    if (element.current?.contains(document.activeElement))
      element.current.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [at])
  const about = [
    type === unsortedType || !isKnown ? '' : words('leads', { count: count ?? 0 }),
    isOwn ? '' : words('system'),
  ].filter((text) => text !== '')
  return (
    <li
      ref={element}
      className={styles.item}
      data-over={over}
      data-dragged={isDragged || undefined}
    >
      <button
        ref={handle}
        type="button"
        data-stage={id}
        className={styles.stage}
        style={{ '--stage': color } as CSSProperties}
        aria-pressed={isOpen}
        {...(isOwn && { 'aria-keyshortcuts': 'Alt+ArrowLeft Alt+ArrowRight Delete' })}
        onClick={onOpen}
        onKeyDown={onKeyDown}
      >
        <span className={styles.name}>{name}</span>
        <span className={styles.about}>{about.join(' · ')}</span>
      </button>
      {panel}
      {add && (
        <Tooltip label={add.text}>
          <ActionIcon size={24} className={styles.add} aria-label={add.text} onClick={add.run}>
            <Plus size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  )
}
