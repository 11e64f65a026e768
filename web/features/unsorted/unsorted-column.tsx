import { ComingField, focusWhenThere } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { Skeleton } from '@mantine/core'
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useOfferUndo } from '../../ui/undo.ts'
import { useUndoMs } from '../../crm/preferences.ts'
import { More } from '../../ui/more.tsx'
import { Failure, useRefusalText } from '../../ui/states.tsx'
import { useWait } from '../../ui/waiting.tsx'
import { say, warn } from '../../ui/toasts.ts'
import { icons, UnsortedCard, itemTitle } from './item-card.tsx'
import type { ItemActs, AcceptanceStage } from './item-card.tsx'
import styles from './unsorted.module.css'
import {
  acceptItem,
  shownCategories,
  countsQuery,
  declineLater,
  hideItem,
  itemsQuery,
  sendDeclines,
  showItem,
  useHidden,
} from './unsorted.ts'
import type { WaitingItem, ItemCategory } from './unsorted.ts'

const LinkDialog = lazy(
  part('link', async () => ({ default: (await import('./link-dialog.tsx')).LinkDialog })),
)

/** The most items that the server counts. */
const mostCounted = 1000

export interface UnsortedHandle {
  /** Both act on the item with the focus; without one, nothing happens. */
  accept(): void
  decline(): void
}

/**
 * Requests that wait for a decision, as the first column of a board. Nothing where the pipeline takes
 * none, or the user may see none.
 */
export function UnsortedColumn({
  ref,
  pipelineId,
  title,
  stages,
  users,
  mayAccept,
  onAccepted,
}: {
  ref?: Ref<UnsortedHandle>
  pipelineId: number
  /** The name of the unsorted stage. */
  title: string
  /** Where an item can be accepted to; the first is the usual one. */
  stages: readonly AcceptanceStage[]
  users: readonly { id: number; name: string }[]
  mayAccept: boolean
  onAccepted: (leadId: number, statusId: number) => void
}) {
  const words = useTranslations('unsorted')
  const format = useFormatter()
  const client = useQueryClient()
  const refusalText = useRefusalText()
  const undoMs = useUndoMs()
  const offerUndo = useOfferUndo()
  const [category, setCategory] = useState<ItemCategory>()
  const [linked, setLinked] = useState<WaitingItem>()
  const [current, setCurrent] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const { data: counts } = useQuery(countsQuery(pipelineId))
  const query = useInfiniteQuery({
    ...itemsQuery(pipelineId, category),
    enabled: counts !== null && counts !== undefined,
    // Those that are here already are shown at once.
    placeholderData: keepPreviousData,
  })
  const hidden = useHidden()
  const items = (query.data ?? []).filter(
    (item) => !hidden.has(item.uid) && (!category || item.category === category),
  )
  const byUid = (uid: string | undefined) => items.find((item) => item.uid === uid)
  const reload = () => client.invalidateQueries({ queryKey: ['unsorted'] })
  const { mutate } = useMutation({
    mutationFn: ({ item, stage }: { item: WaitingItem; stage: AcceptanceStage }) =>
      acceptItem(item.uid, stage.id),
    onSuccess: (leadId, { item, stage }) => {
      say(words('accepted', { name: itemTitle(item) ?? words('noName'), stage: stage.name }))
      if (leadId !== undefined) onAccepted(leadId, stage.id)
      void reload()
    },
    onError: (error, { item }) => {
      showItem(item.uid)
      warn(words('notAccepted'), refusalText(error))
      void reload()
    },
  })

  const focusItem = (uid: string | undefined) =>
    focusWhenThere(() => (uid === undefined ? list.current : elementOf(list.current, uid)))
  /** The item after this one takes the focus, or else the one before. */
  const leave = (item: WaitingItem) => {
    const index = items.indexOf(item)
    const next = items[index + 1] ?? items[index - 1]
    const hadFocus = list.current?.contains(document.activeElement)
    hideItem(item.uid)
    setCurrent(next?.uid)
    if (hadFocus) focusItem(next?.uid)
  }
  const accept = (item: WaitingItem, stage = stages[0]) => {
    if (!stage || !mayAccept) return
    leave(item)
    mutate({ item, stage })
  }
  const decline = (item: WaitingItem) => {
    leave(item)
    const name = itemTitle(item) ?? words('noName')
    const late = { text: words('declined', { name }), delayMs: undoMs, offerUndo }
    declineLater(item.uid, late, {
      takenBack() {
        setCurrent(item.uid)
        focusItem(item.uid)
      },
      failed(error) {
        warn(words('notDeclined'), refusalText(error))
        void reload()
      },
    })
  }
  const latest = useRef({ accept, decline, byUid, stages })
  latest.current = { accept, decline, byUid, stages }
  // The same functions in each rendering, so that a card is drawn again only when it changes.
  const acts = useMemo<ItemActs>(
    () => ({
      accept: (item, stage) => latest.current.accept(item, stage),
      decline: (item) => latest.current.decline(item),
      link: setLinked,
    }),
    [],
  )
  const userName = useMemo(() => {
    const names = new Map(users.map(({ id, name }) => [id, name]))
    return (id: number) => names.get(id)
  }, [users])

  useImperativeHandle(ref, () => {
    const onFocused = (act: (item: WaitingItem) => void) => () => {
      const item = byUid(uidAt(document.activeElement))
      if (item) act(item)
    }
    return { accept: onFocused((item) => accept(item)), decline: onFocused(decline) }
  })

  useEffect(() => sendDeclines, [])
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => 'unsortedUid' in source.data,
        onDrop: ({ source, location }) => {
          const data = location.current.dropTargets[0]?.data
          const item = latest.current.byUid(String(source.data['unsortedUid']))
          if (!item || !data) return
          if (data['isDeletion']) return latest.current.decline(item)
          const stage = latest.current.stages.find(({ id }) => id === data['statusId'])
          if (stage) latest.current.accept(item, stage)
        },
      }),
    [],
  )

  if (!counts) return undefined
  const number = (of: ItemCategory) => counts.categories[of] ?? 0
  const present = shownCategories.filter((each) => number(each) > 0 || each === category)
  const step = (event: KeyboardEvent, by: number) => {
    const index = items.findIndex(({ uid }) => uid === uidAt(event.target as Element))
    const next = items[index + by]
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    elementOf(list.current, next.uid)?.focus()
  }
  const tabStop = byUid(current)?.uid ?? items[0]?.uid
  return (
    <section className={styles.column} aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        <span className={styles.count} role="status">
          <span aria-hidden>
            {format.number(counts.count)}
            {counts.count >= mostCounted && '+'}
          </span>
          <span className={styles.spoken}>{words('waiting', { count: counts.count })}</span>
        </span>
      </header>
      {present.length > 1 && (
        <div className={styles.chips} role="group" aria-label={words('category')}>
          {present.map((each) => {
            const Icon = icons[each]
            return (
              <button
                key={each}
                type="button"
                className={styles.chip}
                aria-pressed={each === category}
                onClick={() => setCategory(each === category ? undefined : each)}
              >
                <Icon size={12} aria-hidden />
                <span>{words(`categories.${each}`)}</span>
                <b>{format.number(number(each))}</b>
              </button>
            )
          })}
        </div>
      )}
      <div
        ref={list}
        className={styles.items}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') step(event, 1)
          else if (event.key === 'ArrowUp') step(event, -1)
        }}
        onFocus={({ target }) => {
          const uid = uidAt(target)
          if (uid) setCurrent(uid)
        }}
      >
        {query.isPending && <Waiting />}
        {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
        {query.data && items.length === 0 && <p className={styles.hint}>{words('none')}</p>}
        {items.length > 0 && (
          <ul className={styles.list} aria-label={title}>
            {items.map((item, index) => (
              <li key={item.uid}>
                <UnsortedCard
                  item={item}
                  stages={stages}
                  acts={acts}
                  userName={userName}
                  index={index + 1}
                  total={Math.max(category ? number(category) : counts.count, items.length)}
                  isTabStop={item.uid === tabStop}
                  mayAccept={mayAccept}
                />
              </li>
            ))}
          </ul>
        )}
        <More query={query} />
      </div>
      {linked && (
        <Suspense fallback={<ComingField />}>
          <LinkDialog
            item={linked}
            onClose={() => setLinked(undefined)}
            onDone={(lead) => {
              setLinked(undefined)
              leave(linked)
              say(words('linked', { lead: lead.name }))
              void reload()
            }}
          />
        </Suspense>
      )}
    </section>
  )
}

const uidAt = (element: Element | null): string | undefined =>
  element?.closest<HTMLElement>('[data-item]')?.dataset['item']

const elementOf = (list: HTMLElement | null, uid: string | undefined) =>
  uid === undefined ? null : list?.querySelector<HTMLElement>(`[data-item="${uid}"]`)

function Waiting() {
  useWait('rows of unsorted items')
  const shared = useTranslations('ui')
  return (
    <div role="status" aria-label={shared('loading')} className={styles.list}>
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={112} radius={6} />
      ))}
    </div>
  )
}
