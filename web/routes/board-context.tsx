// Makes the context that the parts of a board share (features/board/context.ts) from the address, the account and the browser.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { BoardSort } from '../../server/features/application/board/schema.ts'
import { useBootstrap } from '../crm/bootstrap.ts'
import { usePreferences } from '../crm/preferences.ts'
import { isClosed } from '../crm/stages.ts'
import { onNews } from '../data/live.ts'
import { makeBoardActions } from '../features/board/actions.tsx'
import { Now, Texts, useMakeCardTexts } from '../features/board/card-texts.ts'
import { usualWidth } from '../features/board/column-width.tsx'
import { useBrowserChoice } from '../data/browser-choice.ts'
import { boardOf } from '../features/board/kept.ts'
import { useActingKeys } from '../features/board/keys.ts'
import { stagesOf, useBoard } from '../features/board/context.ts'
import type { Pipeline, BoardContext, BoardVocabulary } from '../features/board/context.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { useProblemText } from '../ui/faults.ts'
import { useOfferUndo } from '../ui/undo.ts'

const cardHeights = { compact: 64, normal: 92, roomy: 124 }

interface BoardOfScreen {
  pipeline: Pipeline
  /** The stages that the filter names; undefined where it names none. */
  stageIds: ReadonlySet<number> | undefined
  sort: BoardSort
  isClosedShown: boolean
  /** The field that cards show. */
  fieldId: number | null
  /** The parameters of the filter, as a query string. */
  filter: string
  isPhone: boolean
}

/** The context of a board: its store, the acts on it, the words of the account, and how it looks. */
export function useBoardContext({
  pipeline,
  stageIds,
  sort,
  isClosedShown,
  fieldId,
  filter,
  isPhone,
}: BoardOfScreen): BoardContext {
  const words = useTranslations('board')
  const ui = useTranslations('ui')
  const bootstrap = useBootstrap()
  const { density } = usePreferences()
  const { me } = bootstrap
  const [collapsed, setCollapsed] = useBrowserChoice<number[]>(`collapsed.${me.id}`, [])
  const [columnWidth, setColumnWidth] = useBrowserChoice<number>(`columnWidth.${me.id}`, usualWidth)
  const pipelineId = pipeline.id
  const { store, selection, writer } = useMemo(
    () => boardOf({ pipelineId, sort, isClosedShown, fieldId: fieldId ?? undefined, filter }),
    [pipelineId, sort, isClosedShown, fieldId, filter],
  )
  useEffect(() => {
    void store.load()
    return onNews(store.hear)
    // Other stages, fields or rights are another board.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, pipeline, bootstrap.me, bootstrap.custom_fields])

  const vocabulary = useMemo<BoardVocabulary>(
    () => ({
      ...bootstrap,
      pipeline,
      columns: stagesOf(pipeline).filter(({ id }) =>
        stageIds ? stageIds.has(id) : isClosedShown || !isClosed(id),
      ),
    }),
    [bootstrap, pipeline, isClosedShown, stageIds],
  )
  const latest = useRef(vocabulary)
  latest.current = vocabulary
  const textOf = useProblemText()
  const offerUndo = useOfferUndo()
  const problemText = useRef(textOf)
  problemText.current = textOf
  const actions = useMemo(
    () =>
      makeBoardActions({
        store,
        writer,
        selection,
        vocabulary: () => latest.current,
        words,
        ui,
        offerUndo,
        problemText: (problem) => problemText.current(problem),
      }),
    [store, writer, selection, words, ui, offerUndo],
  )
  return useMemo<BoardContext>(
    () => ({
      store,
      selection,
      vocabulary,
      actions,
      cardHeight: cardHeights[density],
      isPhone,
      columnWidth,
      setColumnWidth,
      collapsed: new Set(collapsed),
      collapse: (statusId, isCollapsed) =>
        setCollapsed(
          isCollapsed ? [...collapsed, statusId] : collapsed.filter((id) => id !== statusId),
        ),
      sayTarget(statusId) {
        const stage = vocabulary.columns.find(({ id }) => id === statusId)
        selection.say(
          words('target', { stage: stage?.name ?? '', count: store.totals(statusId).count }),
        )
      },
    }),
    [
      store,
      selection,
      vocabulary,
      actions,
      density,
      isPhone,
      columnWidth,
      setColumnWidth,
      collapsed,
      setCollapsed,
      words,
    ],
  )
}

/** The texts of cards follow the clock once a minute. */
export function WithTexts({ fieldId, children }: { fieldId: number | null; children: ReactNode }) {
  const { store } = useBoard()
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1000))
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), 60_000)
    return () => clearInterval(timer)
  }, [])
  const todayEndsAt = useSyncExternalStore(
    store.watchBoard,
    () => store.board()?.today_ends_at ?? endOfToday(),
  )
  const texts = useMakeCardTexts(now, todayEndsAt, fieldId)
  return (
    <Now value={now}>
      <Texts value={texts}>{children}</Texts>
    </Now>
  )
}

function endOfToday(): number {
  return Math.floor(new Date().setHours(23, 59, 59, 0) / 1000)
}

export function BoardKeys({ open }: { open: (id: number) => void }) {
  const words = useTranslations('board')
  const board = useBoard()
  const { store } = board
  const isFailed = useSyncExternalStore(store.watchBoard, () => store.state().kind === 'failed')
  const keys = useActingKeys(board, open)
  // A board that could not be loaded has nothing to act on, and leaves its keys to the shell.
  useShortcuts(words('board'), isFailed ? [] : keys)
  return undefined
}
