import { Button, Menu } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import {
  CatchBoundary,
  Link,
  Navigate,
  useNavigate,
  useParams,
  useRouter,
  useSearch,
} from '@tanstack/react-router'
import { ArrowDownUp, Check, ChevronDown, Plus, SlidersHorizontal } from 'lucide-react'
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
import type { ComponentProps, ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { BoardSort } from '../../server/features/board/schema.ts'
import type { RecordType } from '../../server/records/description.ts'
import { makeActions } from '../features/board/actions.tsx'
import { Board } from '../features/board/board.tsx'
import styles from '../features/board/board.module.css'
import { Now, Texts, useMakeCardTexts } from '../features/board/card-texts.ts'
import {
  boardOf,
  readBrowserChoice,
  useBrowserChoice,
  writeBrowserChoice,
} from '../features/board/kept.ts'
import { usualWidth } from '../features/board/column-width.tsx'
import { part } from '../data/rest.ts'
import { focusAgain, useActingKeys } from '../features/board/keys.ts'
import { BoardSceneProvider, stagesOf, useScene } from '../features/board/scene.ts'
import type { Pipeline, Scene, BoardVocabulary } from '../features/board/scene.ts'
import { sorts } from '../features/board/sort.ts'
import { useBootstrap, useMayView } from '../crm/bootstrap.ts'
import { cardQuery } from '../features/card/store.ts'
import { useChangePreferences, usePreferences } from '../crm/preferences.ts'
import { isOfFilter } from '../features/filter/filter.ts'
import { JobsStrip } from '../features/jobs/jobs-strip.tsx'
import { recordTypes } from '../crm/records.ts'
import { onNews } from '../data/live.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { Title } from '../shell/title.tsx'
import { isClosed } from '../crm/stages.ts'
import { useProblemText } from '../ui/faults.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Failure, NoRights } from '../ui/states.tsx'
import { CardWords, fetchCardWords } from '../words/words.tsx'
import {
  AllOffer,
  AllOfBoard,
  BoardFilterLine,
  useBoardFilter,
  useUnsortedTitle,
  WaitingRequests,
} from './board-parts.tsx'
import type { All } from './board-parts.tsx'
import places from './card.module.css'
import { StepsOfAccount } from './first-steps.tsx'
import { Waiting } from '../ui/waiting.tsx'

const fetchPanel = () => import('./card-panel.tsx')
const CardPanel = lazy(part('card', async () => ({ default: (await fetchPanel()).CardPanel })))
/** Milliseconds after which the panel of a card is fetched, when the board is there. */
const idleMs = 1500

const cardHeights = { compact: 64, normal: 92, roomy: 124 }

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
      <Page title={words('leads')}>
        <NoRights />
      </Page>
    )
  if (!pipeline) return <NothingHere />
  return <PipelineBoard key={pipeline.id} pipeline={pipeline} />
}

function NothingHere() {
  const words = useTranslations('shell')
  return (
    <Page title={words('leads')}>
      <Empty title={words('notFound')} text={words('notFoundText')} />
    </Page>
  )
}

type Search = Record<string, string | string[] | undefined>

function PipelineBoard({ pipeline }: { pipeline: Pipeline }) {
  const words = useTranslations('board')
  const ui = useTranslations('ui')
  const bootstrap = useBootstrap()
  const { density } = usePreferences()
  const { me } = bootstrap
  const navigate = useNavigate()
  const { card: cardText, ...rest } = useSearch({ strict: false }) as Search
  const address = stringifySearch(rest)
  // The board stays as it is while a card opens over it.
  const search = useMemo<Search>(() => parseSearch(address), [address])
  const isPhone = useMediaQuery('(max-width: 56.25em)', undefined, {
    getInitialValueInEffect: false,
  })
  const [fieldId, setFieldId] = useBrowserChoice<number | null>(
    `field.${me.id}.${pipeline.id}`,
    null,
  )
  const [collapsed, setCollapsed] = useBrowserChoice<number[]>(`collapsed.${me.id}`, [])
  const [columnWidth, setColumnWidth] = useBrowserChoice<number>(`columnWidth.${me.id}`, usualWidth)
  const sort = sorts.find((each) => each === search['sort']) ?? 'task'
  const boardFilter = useBoardFilter(pipeline, search)
  const { filter, stageIds } = boardFilter
  const isClosedShown = search['closed'] === 'true' || [...(stageIds ?? [])].some(isClosed)
  const requests = useUnsortedTitle(pipeline)
  const [all, setAll] = useState<All>()
  const pipelineId = pipeline.id
  const { store, hands, writer } = useMemo(
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
  const problemText = useRef(textOf)
  problemText.current = textOf
  const actions = useMemo(
    () =>
      makeActions({
        store,
        writer,
        hands,
        vocabulary: () => latest.current,
        words,
        ui,
        problemText: (problem) => problemText.current(problem),
      }),
    [store, writer, hands, words, ui],
  )
  const scene = useMemo<Scene>(
    () => ({
      store,
      hands,
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
        hands.say(words('target', { stage: stage?.name ?? '', count: store.head(statusId).count }))
      },
    }),
    [
      store,
      hands,
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
  const setSearch = (change: Search) =>
    void navigate({
      to: '.',
      search: ((now: Search) => ({ ...now, ...change })) as never,
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
  const near = useNear()
  useFocusBack(scene, card !== undefined)
  const setSort = (next: BoardSort) => setSearch({ sort: next === 'task' ? undefined : next })
  return (
    <BoardSceneProvider value={scene}>
      <WithTexts fieldId={fieldId}>
        {!card && <Keys open={open} />}
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
              <SortMenu sort={sort} setSort={setSort} />
              <LookMenu
                isClosedShown={isClosedShown}
                setClosedShown={(isShown) => setSearch({ closed: isShown ? 'true' : undefined })}
                fieldId={fieldId}
                setFieldId={setFieldId}
              />
              {/* On a phone, the stage and the bar at the top have their own. */}
              {!isPhone && <NewLead />}
            </div>
            {/* Nor is there room for the steps: the home page has them. */}
            {!isPhone && <StepsOfAccount isLine />}
            <JobsStrip />
            <Board
              open={open}
              near={near}
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
                  clear={() =>
                    setSearch(
                      Object.fromEntries(
                        Object.keys(search)
                          .filter(isOfFilter)
                          .map((name) => [name, undefined]),
                      ),
                    )
                  }
                />
              }
            />
          </div>
          {card && (
            <CatchBoundary
              getResetKey={() => String(cardText)}
              // Without its code a card still has its page.
              errorComponent={({ error }) => (
                <div className={places.panel}>
                  <Failure error={error} retry={() => location.reload()} />
                </div>
              )}
            >
              <Suspense fallback={<Waiting />}>
                <CardWords>
                  <CardPanel card={card} from={from} show={show} close={close} />
                </CardWords>
              </Suspense>
            </CatchBoundary>
          )}
        </div>
      </WithTexts>
    </BoardSceneProvider>
  )
}

/** The record that the search of a board names: `leads-42`. */
function cardIn(text: unknown): { type: RecordType; id: number } | undefined {
  const [, name, id] = /^([a-z]+)-([1-9]\d{0,15})$/.exec(String(text)) ?? []
  const type = recordTypes.find((each) => each === name)
  return type && { type, id: Number(id) }
}

/** How many steps back the board without a card is. */
interface Depth {
  cardDepth?: number
}

/**
 * Opens cards over the board. The address is that of the card (a mask), the place is that of the board,
 * also after a reload: its filter and its order are in the history of the browser. `isFurther`: Back
 * returns to the card before; `isInstead`: to the board.
 */
function useShowCard(isOpen: boolean) {
  const navigate = useNavigate()
  const router = useRouter()
  const isClosing = useRef(false)
  if (!isOpen) isClosing.current = false
  const depth = () => (router.state.location.state as Depth).cardDepth ?? 0
  const show = useCallback(
    (
      type: RecordType,
      id: number,
      { isFurther = false, isInstead = false }: { isFurther?: boolean; isInstead?: boolean } = {},
    ) => {
      isClosing.current = false
      const next = isInstead ? depth() : (isFurther ? depth() : 0) + 1
      void navigate({
        to: '.',
        search: ((now: Search) => ({ ...now, card: `${type}-${id}` })) as never,
        state: { cardDepth: next } as never,
        mask: {
          to: '/$type/$id',
          params: { type, id: String(id) },
          search: {} as never,
        },
        replace: isInstead,
        resetScroll: false,
      })
    },
    // The router is one for the life of the page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [navigate],
  )
  const close = useCallback(() => {
    if (isClosing.current) return
    isClosing.current = true
    if (depth() > 0) return router.history.go(-depth())
    void navigate({
      to: '.',
      search: (({ card: _, ...now }: Search) => now) as never,
      replace: true,
      resetScroll: false,
    })
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [navigate])
  return { show, close }
}

/** Fetches a card when the pointer or the focus comes near, and its panel when nobody waits. */
function useNear(): (id: number) => void {
  const client = useQueryClient()
  const language = useLocale()
  useEffect(() => {
    const fetchAll = () =>
      void Promise.all([fetchPanel(), fetchCardWords(language)]).catch(() => undefined)
    const timer = setTimeout(fetchAll, idleMs)
    return () => clearTimeout(timer)
  }, [language])
  return useCallback((id) => void client.prefetchQuery(cardQuery('leads', id)), [client])
}

/** The card of the board that was opened has the focus again when its panel closes. */
function useFocusBack(scene: Scene, isOpen: boolean): void {
  const wasOpen = useRef(isOpen)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) focusAgain(scene)
    wasOpen.current = isOpen
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen])
}

/** The texts of cards follow the clock once a minute. */
function WithTexts({ fieldId, children }: { fieldId: number | null; children: ReactNode }) {
  const { store } = useScene()
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

function Keys({ open }: { open: (id: number) => void }) {
  const words = useTranslations('board')
  useShortcuts(words('board'), useActingKeys(useScene(), open))
  return undefined
}

/** The pipeline in the top bar, with the others behind it. */
function BoardTitle({ pipeline }: { pipeline: Pipeline }) {
  const words = useTranslations('board')
  const shell = useTranslations('shell')
  const { pipelines } = useBootstrap()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = shell('title', { page: pipeline.name })
  }, [pipeline.name, shell])
  return (
    <Title>
      <h1 ref={heading} tabIndex={-1}>
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

/** Opens a menu of the toolbar. On a phone it is its icon alone, named by its text. */
function ToolButton({
  icon,
  text,
  ...ofMenu
}: { icon: ReactNode; text: string } & ComponentProps<typeof Button>) {
  const { isPhone } = useScene()
  return (
    <Button
      {...ofMenu}
      variant="subtle"
      color="gray"
      className={styles.tool}
      leftSection={icon}
      aria-label={text}
      title={isPhone ? text : undefined}
    >
      <span className={styles.toolText}>{text}</span>
    </Button>
  )
}

function SortMenu({ sort, setSort }: { sort: BoardSort; setSort: (sort: BoardSort) => void }) {
  const words = useTranslations('board')
  const sorted = words('sortedBy', { sort: words(`sorts.${sort}`) })
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ToolButton icon={<ArrowDownUp size={15} aria-hidden />} text={sorted} />
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

const densities = ['compact', 'normal', 'roomy'] as const

/** How the board looks: closed leads, the height of cards, and the field that they show. */
function LookMenu({
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
  const { density } = usePreferences()
  const { mutate: change } = useChangePreferences()
  const fields = custom_fields.leads.fields.filter(
    ({ type }) => !['tracking_data', 'file', 'chained_list'].includes(type),
  )
  return (
    <Menu position="bottom-end" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton icon={<SlidersHorizontal size={15} aria-hidden />} text={words('look')} />
      </Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflow: 'auto' }}>
        <Menu.CheckboxItem checked={isClosedShown} onChange={() => setClosedShown(!isClosedShown)}>
          {words('showClosed')}
        </Menu.CheckboxItem>
        <Menu.Divider />
        <Menu.Label>{words('cardHeight')}</Menu.Label>
        {densities.map((each) => (
          <Menu.RadioItem
            key={each}
            value={each}
            checked={each === density}
            onChange={() => change({ density: each })}
          >
            {words(`densities.${each}`)}
          </Menu.RadioItem>
        ))}
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

function NewLead() {
  const words = useTranslations('board')
  const { hands, vocabulary } = useScene()
  const { me, columns } = vocabulary
  if (!me.is_admin && me.rights.leads.add === 'D') return undefined
  return (
    <Button
      leftSection={<Plus size={16} aria-hidden />}
      onClick={() => hands.set({ adding: columns[0]?.id })}
    >
      {words('newLead')}
    </Button>
  )
}

/** A pipeline without leads, or a filter that finds none. */
function EmptyBoard({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const words = useTranslations('board')
  const { store, hands, vocabulary } = useScene()
  const isReady = useSyncExternalStore(store.watchBoard, () => store.state().kind === 'ready')
  const { columns } = vocabulary
  const isEmpty = useSyncExternalStore(
    (watcher) => {
      const stops = columns.map(({ id }) => store.watchHead(id, watcher))
      return () => stops.forEach((stop) => stop())
    },
    () => columns.every(({ id }) => store.head(id).count === 0),
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
                hands.set({ adding: columns[0]?.id })
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
