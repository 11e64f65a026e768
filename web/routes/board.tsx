import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BoardSort } from '../../server/features/application/board/schema.ts'
import { useBootstrap, useMayView } from '../crm/bootstrap.ts'
import { isClosed } from '../crm/stages.ts'
import { part } from '../data/rest.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import styles from '../features/board/board.module.css'
import { BoardView } from '../features/board/board.tsx'
import { readBrowserChoice, useBrowserChoice, writeBrowserChoice } from '../data/browser-choice.ts'
import { BoardProvider } from '../features/board/context.ts'
import type { Pipeline } from '../features/board/context.ts'
import { sorts } from '../features/board/sort.ts'
import { JobsStrip } from '../features/jobs/jobs-strip.tsx'
import { filterTakenOut } from '../features/filter/filter.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { PageFrame } from '../ui/page.tsx'
import { Empty, NoRights } from '../ui/states.tsx'
import { CardWords } from '../words/words.tsx'
import { cardIn, fetchPanel, useFocusBack, usePrefetch, useShowCard } from './board-cards.ts'
import type { BoardSearch } from './board-cards.ts'
import {
  AllOffer,
  AllOfBoard,
  BoardFilterLine,
  useBoardFilter,
  useUnsortedTitle,
  WaitingRequests,
} from './board-parts.tsx'
import type { All } from './board-parts.tsx'
import { BoardKeys, useBoardContext, WithTexts } from './board-context.tsx'
import { ToList } from './board-or-list.tsx'
import { BoardTitle, EmptyBoard, LookMenu, NewLeadButton, SortMenu } from './board-tools.tsx'
import { CardPlace } from './card-place.tsx'
import places from './card.module.css'
import { StepsOfAccount } from './first-steps.tsx'
import { useOffersOf } from '../ui/undo.ts'

const CardPanel = lazy(part('card', async () => ({ default: (await fetchPanel()).CardPanel })))

/** The board of the pipeline that was used last. */
export function LastBoard() {
  const { me, pipelines } = useBootstrap()
  const search = useSearch({ strict: false })
  const last = readBrowserChoice(`pipeline.${me.id}`, 0)
  const pipeline = pipelines.find(({ id }) => id === last) ?? pipelines[0]
  if (!pipeline) return <NothingHere />
  return (
    <Navigate
      to="/leads/p/$pipelineId"
      params={{ pipelineId: String(pipeline.id) }}
      search={search as never}
      replace
    />
  )
}

/** The board of a pipeline by its address. */
export function BoardScreen() {
  const { pipelineId } = useParams({ strict: false })
  const { me, pipelines } = useBootstrap()
  const pipeline = pipelines.find(({ id }) => String(id) === pipelineId)
  useEffect(() => {
    if (pipeline) writeBrowserChoice(`pipeline.${me.id}`, pipeline.id)
  }, [pipeline, me.id])
  const mayView = useMayView('leads')
  const words = useTranslations('shell')
  if (!mayView)
    return (
      <PageFrame title={words('leads')}>
        <NoRights />
      </PageFrame>
    )
  if (!pipeline) return <NothingHere />
  return <PipelineBoard key={pipeline.id} pipeline={pipeline} />
}

function NothingHere() {
  const words = useTranslations('shell')
  return (
    <PageFrame title={words('leads')}>
      <Empty title={words('notFound')} text={words('notFoundText')} />
    </PageFrame>
  )
}

function PipelineBoard({ pipeline }: { pipeline: Pipeline }) {
  const { me } = useBootstrap()
  const navigate = useNavigate()
  const { card: cardText, ...rest } = useSearch({ strict: false }) as BoardSearch
  const address = stringifySearch(rest)
  // The board stays as it is while a card opens over it.
  const search = useMemo<BoardSearch>(() => parseSearch(address), [address])
  const isPhone = useIsNarrow()
  const [fieldId, setFieldId] = useBrowserChoice<number | null>(
    `field.${me.id}.${pipeline.id}`,
    null,
  )
  const sort = sorts.find((each) => each === search['sort']) ?? 'task'
  const boardFilter = useBoardFilter(pipeline, search)
  const { filter, stageIds } = boardFilter
  const isClosedShown = search['closed'] === 'true' || [...(stageIds ?? [])].some(isClosed)
  const requests = useUnsortedTitle(pipeline)
  const [all, setAll] = useState<All>()
  const board = useBoardContext({
    pipeline,
    stageIds,
    sort,
    isClosedShown,
    fieldId,
    filter,
    isPhone,
  })
  const { store } = board
  const setSearch = (change: BoardSearch) =>
    void navigate({
      to: '.',
      search: ((now: BoardSearch) => ({ ...now, ...change })) as never,
      replace: true,
    })
  const card = cardIn(cardText)
  const { show, close } = useShowCard(card !== undefined)
  /** The column that the card was opened from: its neighbours are the next and the previous card. */
  const from = useRef<number>(undefined)
  const open = (id: number) => {
    from.current = store.cards.shown(id)?.status_id
    show('leads', id, { isFurther: card !== undefined })
  }
  const prefetch = usePrefetch()
  useOffersOf(store, card === undefined)
  useFocusBack(board, card !== undefined)
  const setSort = (next: BoardSort) => setSearch({ sort: next === 'task' ? undefined : next })
  return (
    <BoardProvider value={board}>
      <WithTexts fieldId={fieldId}>
        {!card && <BoardKeys open={open} />}
        <BoardTitle pipeline={pipeline} />
        <div className={places.place}>
          <div className={styles.screen} inert={card !== undefined}>
            <div className={styles.toolbar}>
              <div className={styles.filterPlace}>
                <BoardFilterLine
                  pipeline={pipeline}
                  search={search}
                  filter={boardFilter}
                  setSearch={(next) => void navigate({ to: '.', search: next as never })}
                />
              </div>
              <ToList pipelineId={pipeline.id} search={search} />
              <SortMenu sort={sort} setSort={setSort} />
              <LookMenu
                isClosedShown={isClosedShown}
                setClosedShown={(isShown) => setSearch({ closed: isShown ? 'true' : undefined })}
                fieldId={fieldId}
                setFieldId={setFieldId}
              />
              {/* On a phone, the stage and the bar at the top have their own. */}
              {!isPhone && <NewLeadButton />}
            </div>
            {/* Nor is there room for the steps: the home page has them. */}
            {!isPhone && <StepsOfAccount isLine />}
            <JobsStrip />
            <BoardView
              open={open}
              prefetch={prefetch}
              setSort={setSort}
              before={
                requests === undefined
                  ? undefined
                  : {
                      title: requests,
                      column: <WaitingRequests pipeline={pipeline} title={requests} />,
                    }
              }
              offers={<AllOffer onChoose={setAll} />}
              all={
                all && (
                  <AllOfBoard all={all} filter={boardFilter} onClose={() => setAll(undefined)} />
                )
              }
              empty={
                <EmptyBoard
                  isFiltered={filter !== ''}
                  clear={() => setSearch(filterTakenOut(search))}
                />
              }
            />
          </div>
          {card && (
            <CardPlace name={String(cardText)}>
              <CardWords>
                <CardPanel card={card} from={from} show={show} close={close} />
              </CardWords>
            </CardPlace>
          )}
        </div>
      </WithTexts>
    </BoardProvider>
  )
}
