// Customers by their statuses, where the account works with periodic purchases.
import { Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { Kanban, SlidersHorizontal } from 'lucide-react'
import {
  lazy,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { nameOfUser, useBootstrap, useMayView } from '../crm/bootstrap.ts'
import { usePreferences } from '../crm/preferences.ts'
import { onNews } from '../data/live.ts'
import { part } from '../data/rest.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import frame from '../features/board/board.module.css'
import { cardQuery } from '../features/card/store.ts'
import { makeCustomerActions } from '../features/customer-board/actions.ts'
import { CustomerBoardView } from '../features/customer-board/board.tsx'
import {
  CustomerBoardProvider,
  focusCustomerAgain,
  makeCustomerHand,
  useCustomerBoard,
} from '../features/customer-board/context.ts'
import type { CustomerBoardContext } from '../features/customer-board/context.ts'
import { putBackLifted, useCustomerBoardKeys } from '../features/customer-board/keys.ts'
import { customerStoreOf } from '../features/customer-board/store.ts'
import {
  CustomerTextsContext,
  useCustomerTexts,
  useMakeCustomerTexts,
} from '../features/customer-board/texts.ts'
import styles from '../features/customer-board/customer-board.module.css'
import { filterTakenOut } from '../features/filter/filter.ts'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import { JobsStrip } from '../features/jobs/jobs-strip.tsx'
import { AddForm } from '../features/purchases/add-form.tsx'
import { useShortcuts } from '../shell/keyboard.tsx'
import { Title } from '../shell/title.tsx'
import { useProblemText } from '../ui/faults.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { PageFrame } from '../ui/page.tsx'
import { Empty, NoRights } from '../ui/states.tsx'
import { say } from '../ui/toasts.ts'
import { useOffersOf, useOfferUndo } from '../ui/undo.ts'
import { CardWords, fetchCardWords, fetchListWords, ListWords } from '../words/words.tsx'
import { cardIn, useShowCard } from './board-cards.ts'
import type { BoardSearch } from './board-cards.ts'
import { ToCustomerList } from './board-or-list.tsx'
import { CardPlace } from './card-place.tsx'
import places from './card.module.css'
import { FilterBar, useScreenFilter } from './filter-bar.tsx'
import type { ScreenFilter } from './filter-bar.tsx'
import { DensityItems, ToolButton } from './tools.tsx'

const fetchCustomerPanel = () => import('./customers-board-card.tsx')
const CustomerPanel = lazy(
  part('card', async () => ({ default: (await fetchCustomerPanel()).CustomerPanel })),
)

/** Milliseconds after which the panel of a card and the list are fetched, when the board is there. */
const idleMs = 1500
const cardHeights = { compact: 64, normal: 92, roomy: 124 }
const statusFilter = 'filter[status_id]'

/** The board of customers; the list where the account does not work with periodic purchases. */
export function CustomerBoardScreen() {
  const { account } = useBootstrap()
  const mayView = useMayView('customers')
  const shell = useTranslations('shell')
  const search = useSearch({ strict: false })
  if (!mayView)
    return (
      <PageFrame title={shell('customers')}>
        <NoRights />
      </PageFrame>
    )
  if (account.customers_mode !== 'periodicity')
    return <Navigate to="/customers" search={search as never} replace />
  return (
    <CardWords>
      <ListWords>
        <StatusBoard />
      </ListWords>
    </CardWords>
  )
}

function StatusBoard() {
  const words = useTranslations('customerBoard')
  const shared = useTranslations('board')
  const rows = useTranslations('rows')
  const navigate = useNavigate()
  const { card: cardText, ...rest } = useSearch({ strict: false }) as BoardSearch
  const address = stringifySearch(rest)
  // The board stays as it is while a card opens over it.
  const search = useMemo<BoardSearch>(() => parseSearch(address), [address])
  const filter = useScreenFilter('customers', search)
  const board = useStatusBoard(filter)
  const { store, hand } = board
  const card = cardIn(cardText)
  const isOpen = card !== undefined
  const { show, close } = useShowCard(isOpen)
  /** The column that the card was opened from: its neighbours are the next and the previous card. */
  const from = useRef<number>(undefined)
  const open = (id: number) => {
    putBackLifted(board, shared('putBack'))
    from.current = store.cards.shown(id)?.status_id
    show('customers', id, { isFurther: isOpen })
  }
  const prefetch = useCardsAhead()
  useOffersOf(store, !isOpen)
  const wasOpen = useRef(isOpen)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) focusCustomerAgain(hand)
    wasOpen.current = isOpen
  }, [isOpen, hand])
  const line = useRef<FilterHandle>(null)
  return (
    <CustomerBoardProvider value={board}>
      <WithCustomerTexts>
        {!isOpen && <CustomerKeys open={open} />}
        <BoardHeading />
        <div className={places.place}>
          <div className={frame.screen} inert={isOpen}>
            <div className={frame.toolbar}>
              <div className={frame.filterPlace}>
                <FilterBar
                  line={line}
                  screen="customers"
                  scope={words('board')}
                  search={search}
                  filter={filter}
                  parameters={() => [filter.filter]}
                  hasViews={false}
                  setSearch={(next) => void navigate({ to: '.', search: next as never })}
                />
              </div>
              <ToCustomerList search={search} />
              <CardHeightMenu />
            </div>
            <JobsStrip />
            <CustomerBoardView
              open={open}
              prefetch={prefetch}
              purchase={(props) => <NewPurchase key={props.id} {...props} />}
              empty={
                <EmptyStatusBoard
                  isFiltered={filter.filter !== ''}
                  title={rows('emptyTitle.customers')}
                  text={rows('emptyText.customers')}
                  clear={() =>
                    void navigate({
                      to: '.',
                      search: filterTakenOut(search) as never,
                      replace: true,
                    })
                  }
                />
              }
            />
          </div>
          {card && (
            <CardPlace name={String(cardText)}>
              <CustomerPanel card={card} from={from} show={show} close={close} />
            </CardPlace>
          )}
        </div>
      </WithCustomerTexts>
    </CustomerBoardProvider>
  )
}

/** The board of a filter: its store, the acts on it, and how it looks. */
function useStatusBoard({ filter, chips }: ScreenFilter): CustomerBoardContext {
  const words = useTranslations('customerBoard')
  const boardWords = useTranslations('board')
  const rows = useTranslations('rows')
  const vocabulary = useBootstrap()
  const { density } = usePreferences()
  const isPhone = useIsNarrow()
  const [hand] = useState(makeCustomerHand)
  const store = useMemo(() => customerStoreOf(filter), [filter])
  const { customer_statuses: all, me, custom_fields } = vocabulary
  const statuses = useMemo(() => {
    const named = chips.find(({ name, isUnknown }) => name === statusFilter && !isUnknown)
    return named ? all.filter(({ id }) => named.values.includes(String(id))) : all
  }, [all, chips])
  useEffect(() => {
    store.load(statuses.map(({ id }) => id))
    return onNews(store.hear)
    // Other fields or rights are another board.
  }, [store, statuses, me, custom_fields])
  const offerUndo = useOfferUndo()
  const textOf = useProblemText()
  const latest = useRef({ vocabulary, textOf })
  latest.current = { vocabulary, textOf }
  const actions = useMemo(
    () =>
      makeCustomerActions({
        store,
        hand,
        statuses: () => latest.current.vocabulary.customer_statuses,
        nameOfUser: (id) =>
          id === undefined ? undefined : nameOfUser(latest.current.vocabulary, id),
        words,
        boardWords,
        untitled: (id) => rows('untitled', { id }),
        offerUndo,
        problemText: (problem) => latest.current.textOf(problem),
      }),
    [store, hand, words, boardWords, rows, offerUndo],
  )
  return useMemo(
    () => ({
      store,
      hand,
      actions,
      vocabulary,
      statuses,
      cardHeight: cardHeights[density],
      isPhone,
      frame,
    }),
    [store, hand, actions, vocabulary, statuses, density, isPhone],
  )
}

/** The texts of cards follow the clock once a minute. */
function WithCustomerTexts({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1000))
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), 60_000)
    return () => clearInterval(timer)
  }, [])
  return <CustomerTextsContext value={useMakeCustomerTexts(now)}>{children}</CustomerTextsContext>
}

function CustomerKeys({ open }: { open: (id: number) => void }) {
  const words = useTranslations('customerBoard')
  useShortcuts(words('board'), useCustomerBoardKeys(open))
  return undefined
}

function BoardHeading() {
  const shell = useTranslations('shell')
  const title = useTranslations('rows')('titles.customers')
  useEffect(() => {
    document.title = shell('title', { page: title })
  }, [title, shell])
  return (
    <Title>
      <h1 tabIndex={-1} className={frame.pipeline}>
        <Kanban size={16} aria-hidden /> {title}
      </h1>
    </Title>
  )
}

function CardHeightMenu() {
  const words = useTranslations('board')
  const { isPhone } = useCustomerBoard()
  return (
    <Menu position="bottom-end" width={200} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton
          icon={<SlidersHorizontal size={15} aria-hidden />}
          text={words('look')}
          title={isPhone ? words('look') : undefined}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <DensityItems label={words('cardHeight')} textOf={(each) => words(`densities.${each}`)} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Fetches a card when the pointer or the focus comes near, and its panel and the list when nobody waits. */
function useCardsAhead(): (id: number) => void {
  const client = useQueryClient()
  const language = useLocale()
  useEffect(() => {
    const fetchAll = () =>
      void Promise.all([
        fetchCustomerPanel(),
        fetchCardWords(language),
        import('./list.tsx'),
        fetchListWords(language),
      ]).catch(() => undefined)
    const timer = setTimeout(fetchAll, idleMs)
    return () => clearTimeout(timer)
  }, [language])
  return useCallback((id) => void client.prefetchQuery(cardQuery('customers', id)), [client])
}

/** The form of a new purchase, for a customer of the board. */
function NewPurchase({ id, done, close }: { id: number; done: () => void; close: () => void }) {
  const purchases = useTranslations('purchases')
  const client = useQueryClient()
  const { store, vocabulary } = useCustomerBoard()
  const { money } = useCustomerTexts()
  return (
    <AddForm
      customerId={id}
      periodicity={store.cards.shown(id)?.periodicity}
      vocabulary={vocabulary}
      money={money}
      onDone={() => {
        say(purchases('added'))
        for (const noun of ['purchases', 'customers'])
          void client.invalidateQueries({ queryKey: [noun] })
        done()
      }}
      onCancel={close}
    />
  )
}

/** A board without customers, or a filter that finds none. */
function EmptyStatusBoard({
  isFiltered,
  title,
  text,
  clear,
}: {
  isFiltered: boolean
  title: string
  text: string
  clear: () => void
}) {
  const words = useTranslations('board')
  const { store, statuses } = useCustomerBoard()
  const isEmpty = useSyncExternalStore(
    (watcher) => {
      const stops = statuses.map(({ id }) => store.watch(id, watcher))
      return () => stops.forEach((stop) => stop())
    },
    () => statuses.every(({ id }) => store.isReady(id) && store.order(id).length === 0),
  )
  if (!isEmpty) return undefined
  return (
    <div className={styles.empty}>
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
        <Empty title={title} text={text} />
      )}
    </div>
  )
}
