// The event log: who changed what and when, over all records that the user may view.
import { Button, Switch } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUp, ScrollText } from 'lucide-react'
import { flushSync } from 'react-dom'
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
import { useLocale, useTimeZone, useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { allCatalogsQuery } from '../crm/catalogs.ts'
import { askList } from '../data/api.ts'
import { useBrowserChoice } from '../data/browser-choice.ts'
import { part } from '../data/rest.ts'
import { parseSearch, stringifySearch } from '../data/search.ts'
import styles from '../features/board/board.module.css'
import log from '../features/events/log.module.css'
import { useLiveLog } from '../features/events/live.ts'
import { makeLog } from '../features/events/log-store.ts'
import type { LogItem, LogStore } from '../features/events/log-store.ts'
import { LogTable } from '../features/events/log-table.tsx'
import type { LogColumn, LogTableHandle } from '../features/events/log-table.tsx'
import {
  chipsOfEvent,
  fieldChoices,
  eventForms,
  settled,
  useEventFields,
  useEventPresets,
} from '../features/filter/event-fields.ts'
import type { EventTypeTitle } from '../features/filter/event-fields.ts'
import { FilterLine } from '../features/filter/filter-line.tsx'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import {
  chipsOf,
  isOfFilter,
  parametersOf,
  queryStringOf,
  searchOfChips,
  withChip,
  withoutChip,
} from '../features/filter/filter.ts'
import type { Chip } from '../features/filter/filter.ts'
import { useFilterMoment } from '../features/filter/now.ts'
import { useChipWords } from '../features/filter/words.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { Title } from '../shell/title.tsx'
import { isFocusLost } from '../ui/focus.ts'
import { Empty, Failure, Rows } from '../ui/states.tsx'
import { CardWords, ListWords } from '../words/words.tsx'
import { cardIn, useShowCard } from './board-cards.ts'
import type { BoardSearch } from './board-cards.ts'
import { CardPlace } from './card-place.tsx'
import places from './card.module.css'

const CardOver = lazy(
  part('card', async () => ({ default: (await import('./card-over.tsx')).CardOver })),
)

export const EventLog = () => (
  <CardWords>
    <ListWords>
      <Log />
    </ListWords>
  </CardWords>
)

/** The titles of all types of events, in the language of the user. */
const titlesQuery = (language: string) =>
  queryOptions({
    queryKey: ['event-types', language],
    queryFn: ({ signal }) =>
      askList<EventTypeTitle>(`/api/v4/events/types?language_code=${language}`, 'events_types', {
        signal,
      }),
    staleTime: 60_000,
  })

function useLog(filter: string): LogStore {
  const store = useMemo(() => makeLog(filter), [filter])
  useEffect(() => void store.load(), [store])
  return store
}

function Log() {
  const words = useTranslations('events')
  const shell = useTranslations('shell')
  const bootstrap = useBootstrap()
  const { me, account } = bootstrap
  const timeZone = useTimeZone() ?? 'UTC'
  const navigate = useNavigate()
  const { card: cardText, ...search } = useSearch({ strict: false }) as BoardSearch
  const card = cardIn(cardText)
  const { show, close } = useShowCard(card !== undefined)
  const { data: titles, isPending: areTitlesComing } = useQuery(titlesQuery(useLocale()))
  const { data: catalogs } = useQuery(allCatalogsQuery(bootstrap))
  const address = stringifySearch(search)
  const chips = useMemo(() => chipsOf(parseSearch(address), eventForms), [address])
  const fields = useEventFields(bootstrap, titles ?? none, catalogs ?? none, chips)
  const presets = useEventPresets()
  const say = useChipWords(fields)
  const hasChoices = useMemo(() => {
    const choices = fieldChoices(bootstrap)
    return (fieldId: number) => choices.has(fieldId)
  }, [bootstrap])
  const now = useFilterMoment(address)
  const asker = {
    me: me.id,
    timeZone,
    dayZone: account.timezone,
    weekStartsOn: account.week_starts_on,
  }
  const filter = queryStringOf(parametersOf(chips, eventForms, { ...asker, now }))
  const store = useLog(filter)
  const own = useSyncExternalStore(store.watch, store.state)
  // Another filter keeps what it had on screen, and the focus there, until its first page has come.
  const former = useRef({ state: own, filter })
  const isWaiting = own.kind === 'loading' && former.current.state.kind === 'ready'
  const { state, filter: shownFilter } = isWaiting ? former.current : { state: own, filter }
  useEffect(() => {
    if (own.kind !== 'loading') former.current = { state: own, filter }
  }, [own, filter])
  const [isLive, setLive] = useBrowserChoice('live log', true)
  useLiveLog(store, isLive)
  const [dropped, setDropped] = useState({ address: '', filters: noTexts })
  const line = useRef<FilterHandle>(null)
  const table = useRef<LogTableHandle>(null)

  const setChips = useCallback(
    (wanted: readonly Chip[]) => {
      const fitting = settled(wanted, hasChoices)
      const others = Object.fromEntries(
        Object.entries(parseSearch(address)).filter(([name]) => !isOfFilter(name)),
      )
      const next = { ...others, ...searchOfChips(fitting.chips, eventForms) }
      setDropped({
        address: stringifySearch(next),
        filters: fitting.dropped.map((chip) => `${say(chip).label}: ${say(chip).value}`),
      })
      void navigate({ to: '.', search: next as never })
      return fitting.chips
    },
    // The words of chips are new with each drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [address, hasChoices, navigate],
  )
  const chipsAt = useCallback(
    (column: LogColumn, { event }: LogItem) =>
      chipsOfEvent(column, event, { me: me.id, timeZone, hasChoices }),
    [me.id, timeZone, hasChoices],
  )
  const filterBy = useCallback(
    (column: LogColumn, item: LogItem) =>
      void setChips(chipsAt(column, item).reduce<Chip[]>(withChip, [...chips])),
    [setChips, chipsAt, chips],
  )
  const canFilterBy = useCallback(
    (column: LogColumn, item: LogItem) => chipsAt(column, item).length > 0,
    [chipsAt],
  )
  const titleOf = useMemo(() => {
    const byKey = new Map(titles?.map(({ key, lang }) => [key, lang]))
    return (type: string) =>
      byKey.get(type) ?? byKey.get('custom_field_value_changed') ?? (areTitlesComing ? '' : type)
  }, [titles, areTitlesComing])
  const open = useCallback<Parameters<typeof LogTable>[0]['open']>(
    (type, id) => show(type, id),
    [show],
  )
  const loadMore = useCallback(() => void store.loadMore(), [store])
  const showFresh = () => {
    // An empty log has no table before it is drawn.
    flushSync(() => store.showFresh())
    table.current?.toTop()
    table.current?.focus()
  }
  const wasOpen = useRef(card !== undefined)
  useLayoutEffect(() => {
    if (wasOpen.current && !card && isFocusLost()) table.current?.focus()
    wasOpen.current = card !== undefined
  }, [card])
  useEffect(() => {
    if (!card) document.title = shell('title', { page: shell('events') })
  }, [card, shell])
  const period = chips.find(({ name }) => name === 'filter[created_at]')
  const { fresh } = own
  return (
    <>
      {!card && (
        <LogKeys
          focusFilter={() => line.current?.focus()}
          filterBy={() => table.current?.filterBy()}
          showFresh={fresh.count > 0 ? showFresh : undefined}
        />
      )}
      <Title>
        <h1 tabIndex={-1} className={styles.pipeline}>
          <ScrollText size={16} aria-hidden /> {shell('events')}
        </h1>
      </Title>
      <div className={places.place}>
        <div
          className={styles.screen}
          inert={card !== undefined}
          aria-busy={own.kind === 'loading' || undefined}
        >
          <div className={styles.toolbar}>
            <div className={styles.filterPlace}>
              <FilterLine
                ref={line}
                chips={chips}
                fields={fields}
                presets={presets}
                request={() =>
                  `${location.origin}/api/v4/events?${[filter, 'limit=100'].filter(Boolean).join('&')}`
                }
                onChange={setChips}
              />
            </div>
            <Switch
              size="sm"
              className={log.live}
              label={words('live')}
              checked={isLive}
              onChange={({ currentTarget }) => setLive(currentTarget.checked)}
            />
          </div>
          <div role="status">
            {dropped.filters.length > 0 && dropped.address === address && (
              <p className={log.dropped}>
                {words('dropped', { filters: dropped.filters.join(', ') })}
              </p>
            )}
          </div>
          <span role="status" className={log.spoken}>
            {fresh.count > 0 && words(fresh.isMore ? 'freshMany' : 'fresh', { count: fresh.count })}
          </span>
          {fresh.count > 0 && (
            <div className={log.fresh}>
              <Button
                variant="subtle"
                size="xs"
                leftSection={<ArrowUp size={14} aria-hidden />}
                onClick={showFresh}
              >
                {words(fresh.isMore ? 'freshMany' : 'fresh', { count: fresh.count })}
              </Button>
            </div>
          )}
          {state.kind === 'loading' && <Rows number={12} />}
          {state.kind === 'failed' && (
            <Failure error={state.error} retry={() => void store.load()} />
          )}
          {state.kind === 'ready' && state.items.length === 0 && (
            <Empty
              title={words(chips.length > 0 ? 'nothingMatches' : 'empty')}
              text={chips.length > 0 ? undefined : words('emptyText')}
              action={
                chips.length > 0 && (
                  <Button
                    variant="default"
                    onClick={() => void setChips(period ? withoutChip(chips, period) : [])}
                  >
                    {words(period ? 'anyTime' : 'clearFilter')}
                  </Button>
                )
              }
            />
          )}
          {state.items.length > 0 && state.kind === 'ready' && (
            <LogTable
              ref={table}
              filter={shownFilter}
              state={state}
              titleOf={titleOf}
              open={open}
              filterBy={filterBy}
              canFilterBy={canFilterBy}
              loadMore={loadMore}
            />
          )}
          {state.more === 'failed' && <Failure error={state.error} retry={loadMore} />}
        </div>
        {card && (
          <CardPlace name={String(cardText)}>
            <CardOver
              card={card}
              hint={undefined}
              position={undefined}
              to={() => undefined}
              show={show}
              close={close}
            />
          </CardPlace>
        )}
      </div>
    </>
  )
}

const none: never[] = []
const noTexts: string[] = []

function LogKeys({
  focusFilter,
  filterBy,
  showFresh,
}: {
  focusFilter: () => void
  filterBy: () => void
  showFresh: (() => void) | undefined
}) {
  const words = useTranslations('events')
  const filter = useTranslations('filter')
  useShortcuts(words('table'), [
    { keys: ['/'], text: filter('focus'), run: focusFilter },
    { keys: ['f'], text: words('filterByThis'), run: filterBy },
    ...(showFresh ? [{ keys: ['u'], text: words('showFresh'), run: showFresh }] : []),
  ])
  return undefined
}
