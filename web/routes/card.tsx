// A card: a record with its sections and its feed, over the board that it was opened from, or as a
// page by its address.
import type { RecordType } from '../../server/records/description.ts'
import { isMergedType } from '../features/merges/merges.ts'
import { CatchBoundary, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap, useMayView } from '../crm/bootstrap.ts'
import { entityOf } from '../crm/event-values.tsx'
import { CardFrame } from '../features/card/card.tsx'
import { recordActs } from '../features/card/acts.ts'
import type { CardHandle } from '../features/card/acts.ts'
import type { CardHint } from '../features/card/card.tsx'
import type { Ways } from '../features/card/head.tsx'
import { nameOfEditor } from '../features/card/context.ts'
import { cardStoreOf } from '../features/card/store.ts'
import { feedActs } from '../features/feed/acts.ts'
import type { FeedHandle } from '../features/feed/acts.ts'
import type { PurchasesHandle } from '../features/purchases/purchases.tsx'
import { forgetRecord, rememberRecord } from '../crm/recent.ts'
import { recordTypes } from '../crm/records.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { PageFrame } from '../ui/page.tsx'
import { expectField } from '../ui/focus.ts'
import { part, wait } from '../data/rest.ts'
import { Empty, Failure, Rows } from '../ui/states.tsx'
import { CardWords } from '../words/words.tsx'
import styles from './card.module.css'
import { Waiting } from '../ui/waiting.tsx'

/** The parts of other features, each fetched when the first card that has it is shown. */
const Linked = lazy(
  part('links', async () => ({
    default: (await import('../features/links/linked-records.tsx')).LinkedRecords,
  })),
)
const Purchases = lazy(
  part('purchases', async () => ({
    default: (await import('../features/purchases/purchases.tsx')).Purchases,
  })),
)
const Feed = lazy(
  part('feed', async () => ({ default: (await import('../features/feed/feed.tsx')).Feed })),
)
const Duplicates = lazy(
  part('duplicates', async () => ({
    default: (await import('../features/merges/duplicates-banner.tsx')).DuplicatesBanner,
  })),
)

/** A record by its address. */
export function CardScreen() {
  const { type, id } = useParams({ strict: false }) as { type: string; id: string }
  const shell = useTranslations('shell')
  const known = recordTypes.find((each) => each === type)
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined
  if (known === undefined || number === undefined)
    return (
      <PageFrame title={shell('notFound')}>
        <Empty title={shell('notFound')} text={shell('notFoundText')} />
      </PageFrame>
    )
  return (
    <CardWords>
      <CardPage key={`${type} ${id}`} type={known} id={number} />
    </CardWords>
  )
}

function CardPage({ type, id }: { type: RecordType; id: number }) {
  const words = useTranslations('card')
  const navigate = useNavigate()
  const isLead = type === 'leads'
  const up = {
    title: words(isLead ? 'toBoard' : 'toStart'),
    go: () => void navigate({ to: isLead ? '/leads' : '/' }),
  }
  return (
    <OpenCard
      type={type}
      id={id}
      heading="h1"
      ways={{ up }}
      open={(to, of) => void navigate({ to: '/$type/$id', params: { type: to, id: String(of) } })}
    />
  )
}

/** A card with its keys. `hint`: what the screen under it knows of the record already. */
export function OpenCard({
  type,
  id,
  heading,
  ways,
  hint,
  open,
}: {
  type: RecordType
  id: number
  heading: 'h1' | 'h2'
  ways: Omit<Ways, 'openLog'>
  hint?: CardHint | undefined
  /** Opens the card of another record. */
  open: (type: RecordType, id: number) => void
}) {
  const shell = useTranslations('shell')
  const words = useTranslations('card')
  const bootstrap = useBootstrap()
  const mayView = useMayView(type)
  const handle = useRef<CardHandle>(null)
  const feed = useLate<FeedHandle>()
  const purchases = useLate<PurchasesHandle>()
  const navigate = useNavigate()
  useKeys(type, { handle, feed, purchases }, ways)
  const titleIsHere = useTitleFocus(`${type} ${id}`)
  const seen = useCallback(
    (name: string | undefined) => {
      if (name !== undefined) titleIsHere()
      document.title = shell('title', { page: name ?? words(`types.${type}`) })
      if (name === undefined) forgetRecord({ type, id })
      else rememberRecord({ type, id, name })
    },
    [type, id, shell, words, titleIsHere],
  )
  useEffect(() => {
    const before = document.title
    return () => {
      document.title = before
    }
  }, [])
  const changed = () => cardStoreOf(type, id).reread()
  return (
    <CardFrame
      key={`${type} ${id}`}
      type={type}
      id={id}
      bootstrap={bootstrap}
      mayView={mayView}
      hint={hint}
      heading={heading}
      ways={{
        ...ways,
        openLog: () =>
          void navigate({
            to: '/events',
            search: {
              'filter[entity]': entityOf(type),
              'filter[entity_id]': String(id),
            } as never,
          }),
      }}
      seen={seen}
      handle={handle}
      parts={(card) => ({
        above: isMergedType(type) && !card.deleted && (
          <Soon rows={0}>
            <Duplicates
              type={type}
              id={id}
              mayEdit={card.may.edit}
              merged={(into) => open(type, into)}
            />
          </Soon>
        ),
        sections: (
          <Soon>
            <Linked
              card={card}
              type={type}
              vocabulary={bootstrap}
              mayEdit={card.may.edit}
              open={open}
              changed={changed}
              changedBy={(isLink) => {
                const { changedAround } = cardStoreOf(type, id)
                const authors = [...(isLink ? [card.record.updated_by] : []), changedAround]
                return nameOfEditor(bootstrap, ...authors)
              }}
            />
          </Soon>
        ),
        feed: (
          <Soon>
            <Feed
              ref={feed.ref}
              type={type}
              id={id}
              name={card.record.name}
              vocabulary={bootstrap}
              isReadOnly={card.deleted !== null}
              open={open}
            />
          </Soon>
        ),
        ...(type === 'customers' && {
          purchases: (
            <Soon>
              <Purchases
                ref={purchases.ref}
                customerId={id}
                vocabulary={bootstrap}
                mayEdit={card.may.edit}
                changed={changed}
              />
            </Soon>
          ),
        }),
      })}
    />
  )
}

/** A part whose code comes after the card. Without it the rest of the card works. */
const Soon = ({ rows = 3, children }: { rows?: number; children: ReactNode }) => (
  <CatchBoundary
    getResetKey={() => 'card'}
    errorComponent={({ error }) => (
      <div className={styles.soon}>
        {/* A browser may remember that the code did not come, as long as the page lives. */}
        <Failure error={error} retry={() => location.reload()} />
      </div>
    )}
  >
    <Suspense
      fallback={
        rows > 0 ? (
          <div className={styles.soon}>
            <Rows number={rows} />
          </div>
        ) : (
          <Waiting />
        )
      }
    >
      {children}
    </Suspense>
  </CatchBoundary>
)

/**
 * A card that opens takes the focus, so that a screen reader speaks its name. The title that stands
 * while the record comes goes away with the focus: call the function that it answers when the name is
 * there.
 */
function useTitleFocus(record: string): () => void {
  const done = useRef<string>(undefined)
  useLayoutEffect(focusTitle, [record])
  return useCallback(() => {
    if (done.current === record) return
    done.current = record
    if (document.activeElement === document.body) focusTitle()
  }, [record])
}

const focusTitle = () =>
  document.querySelector<HTMLElement>('[data-title]')?.focus({ preventScroll: true })

/** Milliseconds within which a part of a card comes that a key asked for. */
const patienceMs = 5000

interface Late<Part> {
  /** For the part, which says by it that it is drawn. */
  ref: (part: Part | null) => void
  /**
   * Acts on the part now, or as soon as it is drawn: its code and its data may come after the key.
   * `isField`: the act opens a field, and letters that are typed meanwhile are kept for it.
   */
  act: (act: (part: Part) => void, isField?: boolean) => void
}

/** A part of the card that may come later than the keys that ask for it. */
function useLate<Part>(): Late<Part> {
  return useState(() => late<Part>())[0]
}

function late<Part>(): Late<Part> {
  let present: Part | null = null
  let waiting: { act: (part: Part) => void; path: string; end: () => void } | undefined
  return {
    ref(part) {
      present = part
      if (!part || !waiting) return
      const { act, path, end } = waiting
      if (location.pathname === path) act(part)
      end()
    },
    act(act, isField = false) {
      waiting?.end()
      if (present) return act(present)
      const ends = [wait('a part of the card'), ...(isField ? [expectField()] : [])]
      const end = () => {
        clearTimeout(timer)
        waiting = undefined
        for (const each of ends) each()
      }
      const timer = setTimeout(end, patienceMs)
      waiting = { act, path: location.pathname, end }
    },
  }
}

const mostGroups = 9

function useKeys(
  type: RecordType,
  {
    handle,
    feed,
    purchases,
  }: {
    handle: React.RefObject<CardHandle | null>
    feed: Late<FeedHandle>
    purchases: Late<PurchasesHandle>
  },
  { close, previous, next }: Omit<Ways, 'openLog'>,
): void {
  const words = useTranslations('card')
  const feedWords = useTranslations('feed')
  const { custom_fields } = useBootstrap()
  const run = (act: (card: CardHandle) => void) => () => {
    if (handle.current) act(handle.current)
  }
  const groups = Math.min(mostGroups, custom_fields[type].groups.length)
  useShortcuts(words(`types.${type}`), [
    ...(close ? [{ keys: ['Escape'], text: words('keys.close'), run: close }] : []),
    ...recordActs.flatMap((act) =>
      act.key !== undefined && act.isOf(type)
        ? [{ keys: [act.key], text: words(act.text), run: run(act.run) }]
        : [],
    ),
    { keys: ['mod+c'], text: words('keys.copy') },
    { keys: ['mod+v'], text: words('keys.paste') },
    ...feedActs.map((act) => ({
      keys: [act.key],
      text: feedWords(`acts.${act.name}`),
      run: () => {
        // The half that an act needs may be hidden on a phone, and comes first.
        handle.current?.show('feed')
        feed.act(act.run, act.isField)
      },
    })),
    ...(type === 'customers'
      ? [
          {
            keys: ['b'],
            text: words('keys.purchase'),
            run: () => {
              handle.current?.show('purchases')
              purchases.act((part) => part.add(), true)
            },
          },
        ]
      : []),
    ...(previous || next
      ? [
          { keys: ['['], text: words('previous'), run: () => previous?.() },
          { keys: [']'], text: words('next'), run: () => next?.() },
        ]
      : []),
    ...Array.from({ length: groups }, (_, index) => ({
      keys: [`alt+${index + 1}`],
      text: words('keys.group', { number: index + 1 }),
      run: run((card) => card.showGroup(index)),
    })),
  ])
}
