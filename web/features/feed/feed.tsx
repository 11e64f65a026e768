// The right half of a card: everything that happened with the record, its plans, and the box to write.
import type { RecordType } from '../../../server/records/description.ts'
import { Button, CloseButton, Skeleton, Switch, TextInput } from '@mantine/core'
import { Search, Upload } from 'lucide-react'
import {
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { DragEvent, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { onNews } from '../../data/live.ts'
import { Empty, Failure, useRefusalText } from '../../ui/states.tsx'
import { useOfferUndo } from '../../ui/undo.ts'
import { useTyped, useWait } from '../../ui/waiting.tsx'
import { makeFeedActions } from './actions.tsx'
import type { FeedHandle } from './acts.ts'
import { Composer } from './composer.tsx'
import type { ComposerHandle } from './composer.tsx'
import styles from './feed.module.css'
import { useUndoMs } from '../../crm/preferences.ts'
import { useItemName } from './parts.tsx'
import { FeedList } from './list.tsx'
import type { ListHandle } from './list.tsx'
import { Pinned, Planned } from './planned.tsx'
import { FeedProvider, useFeed } from './context.ts'
import { makeFeedStore } from './store.ts'
import type { FeedState } from './store.ts'
import { filters } from './rows.ts'
import type { FeedFilter, NoteItem, FeedItem, FeedVocabulary } from './rows.ts'

/** The feed of a record, as high as its parent. `isReadOnly` leaves out all that writes. */
export function Feed({
  ref,
  type,
  id,
  name,
  vocabulary,
  isReadOnly,
  open,
}: {
  ref?: Ref<FeedHandle>
  type: RecordType
  id: number
  name: string
  vocabulary: FeedVocabulary
  isReadOnly: boolean
  /** Opens the card of another record. */
  open: (type: RecordType, id: number) => void
}) {
  const words = useTranslations('feed')
  const refusalText = useRefusalText()
  const [filter, setFilter] = useState<FeedFilter>('all')
  const [typed, setTyped] = useState('')
  const [isOnly, setOnly] = useState(false)
  const query = useTyped(typed.trim(), 250)
  const [announced, announce] = useState('')
  const store = useMemo(
    () => makeFeedStore({ type, id, filter, query, isOnly }),
    [type, id, filter, query, isOnly],
  )
  useEffect(() => {
    void store.load()
    return onNews(store.hear)
  }, [store])
  const state = useSyncExternalStore(store.watch, store.state)

  const undoMs = useUndoMs()
  const offerUndo = useOfferUndo()
  const latest = useRef({ vocabulary, words, refusalText, open, undoMs })
  latest.current = { vocabulary, words, refusalText, open, undoMs }
  const actions = useMemo(
    () =>
      makeFeedActions({
        type,
        id,
        name,
        store,
        vocabulary: () => latest.current.vocabulary,
        undoMs: () => latest.current.undoMs,
        offerUndo,
        words,
        refusalText: (error) => latest.current.refusalText(error),
        announce,
      }),
    [type, id, name, store, offerUndo, words],
  )
  const context = useMemo(
    () => ({
      type,
      id,
      name,
      store,
      vocabulary,
      actions,
      isReadOnly,
      open: (to: RecordType, of: number) => latest.current.open(to, of),
    }),
    [type, id, name, store, vocabulary, actions, isReadOnly],
  )

  const root = useRef<HTMLElement>(null)
  const list = useRef<ListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => ({
    compose: (mode) => composer.current?.compose(mode),
    pin() {
      const key = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key']
      const notes = store.state().items.filter((item): item is NoteItem => item.kind === 'note')
      const note = notes.find((item) => item.key === key) ?? notes.at(-1)
      if (note?.may_edit && !isReadOnly) actions.pin(note, note.note.is_pinned !== true)
    },
    toUnread: () => list.current?.toUnread(),
  }))
  const drop = useDrop((files) => composer.current?.attach(files), isReadOnly)
  return (
    <FeedProvider value={context}>
      <section ref={root} className={styles.feed} aria-label={words('feed')} {...drop.handlers}>
        <header className={styles.bar}>
          <div className={styles.filters} role="group" aria-label={words('show')}>
            {filters.map((each) => (
              <button
                key={each}
                type="button"
                className={styles.filter}
                aria-pressed={each === filter}
                onClick={() => setFilter(each)}
              >
                {words(`filter.${each}`)}
              </button>
            ))}
          </div>
          <TextInput
            size="xs"
            className={styles.search}
            aria-label={words('search')}
            placeholder={words('search')}
            leftSection={<Search size={14} aria-hidden />}
            rightSection={
              typed !== '' && (
                <CloseButton size={20} aria-label={words('clear')} onClick={() => setTyped('')} />
              )
            }
            dir="auto"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || typed === '') return
              event.preventDefault()
              event.stopPropagation()
              setTyped('')
            }}
          />
          {type !== 'leads' && (
            <Switch
              size="xs"
              label={words(`only.${type}`)}
              checked={isOnly}
              onChange={({ currentTarget }) => setOnly(currentTarget.checked)}
            />
          )}
        </header>
        {state.kind === 'ready' && <Pinned items={state.pinned} />}
        <Middle
          state={state}
          list={list}
          clear={() => {
            setFilter('all')
            setTyped('')
          }}
        />
        {state.kind === 'ready' && <Planned items={state.planned} />}
        {!isReadOnly && <Composer ref={composer} onSent={() => list.current?.toEnd()} />}
        <Announcer state={state} announced={announced} />
        {drop.isOver && (
          <div className={styles.dropping}>
            <Upload size={20} aria-hidden />
            {words('dropFiles')}
          </div>
        )}
      </section>
    </FeedProvider>
  )
}

function Middle({
  state,
  list,
  clear,
}: {
  state: FeedState
  list: Ref<ListHandle>
  clear: () => void
}) {
  const words = useTranslations('feed')
  const { store } = useFeed()
  const { filter, query } = store.search
  if (state.kind === 'loading') return <Skeletons />
  if (state.kind === 'failed')
    return (
      <div className={styles.middle}>
        <Failure error={state.error} retry={() => void store.load()} />
      </div>
    )
  if (state.items.length > 0) return <FeedList key={filter + query} ref={list} state={state} />
  const isFiltered = filter !== 'all' || query !== ''
  return (
    <div className={styles.middle}>
      <Empty
        title={words(isFiltered ? 'nothingMatches' : 'nothingYet')}
        text={isFiltered ? undefined : words('nothingYetText')}
        action={
          isFiltered && (
            <>
              {!state.isComplete && (
                <Button
                  variant="default"
                  loading={state.older === 'loading'}
                  onClick={() => void store.loadOlder()}
                >
                  {words('searchOn')}
                </Button>
              )}
              <Button variant="default" onClick={clear}>
                {words('showAll')}
              </Button>
            </>
          )
        }
      />
    </div>
  )
}

function Skeletons() {
  useWait('rows of the feed')
  const ui = useTranslations('ui')
  return (
    <div className={styles.skeletons} role="status" aria-label={ui('loading')}>
      {[64, 20, 20, 88, 20, 64].map((height, index) => (
        <Skeleton
          key={index}
          height={height}
          width={index % 3 === 1 ? '60%' : index % 3 === 2 ? '45%' : '100%'}
        />
      ))}
    </div>
  )
}

/** Milliseconds between two announcements of new items. */
const announceMs = 5000

/** Tells readers of the screen of the user's acts at once, and of new items now and then. */
function Announcer({ state: { arrived }, announced }: { state: FeedState; announced: string }) {
  const words = useTranslations('feed')
  const itemName = useItemName()
  const [text, setText] = useState('')
  const waiting = useRef<FeedItem[]>([])
  const saidAt = useRef(-Infinity)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef({ words, itemName })
  latest.current = { words, itemName }
  useEffect(() => {
    if (arrived.length === 0) return
    waiting.current = [...waiting.current, ...arrived]
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined
        saidAt.current = performance.now()
        const items = waiting.current
        waiting.current = []
        const [only] = items
        setText(
          items.length === 1 && only
            ? latest.current.itemName(only)
            : latest.current.words('newItems', { count: items.length }),
        )
      },
      Math.max(0, saidAt.current + announceMs - performance.now()),
    )
  }, [arrived])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <>
      <div className={styles.hidden} role="status" data-announcer>
        {text}
      </div>
      <div className={styles.hidden} role="status">
        {announced}
      </div>
    </>
  )
}

/** Files that are dropped anywhere on the feed. */
function useDrop(take: (files: File[]) => void, isReadOnly: boolean) {
  const [isOver, setOver] = useState(false)
  const hasFiles = ({ dataTransfer }: DragEvent) =>
    !isReadOnly && dataTransfer.types.includes('Files')
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        take([...event.dataTransfer.files])
      },
    },
  }
}
