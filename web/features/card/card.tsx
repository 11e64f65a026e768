// The frame of a card: its head, the fields of the record at the left with the sections of other
// features under them, and the feed at the right. The screen composes it (web/routes/card.tsx).
import { Button, SegmentedControl, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode, Ref } from 'react'
import { flushSync } from 'react-dom'
import { useTimeZone, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { Problem } from '../../data/api.ts'
import { keep, readKept } from '../../data/kept.ts'
import { Moment } from '../../ui/moment.tsx'
import { Failure, NoRights, Rows, useRefusalText } from '../../ui/states.tsx'
import { useOfferUndo } from '../../ui/undo.ts'
import { warn } from '../../ui/toasts.ts'
import { needUsers } from '../../crm/vocabulary.ts'
import type { CardHandle, CardPart } from './acts.ts'
import styles from './card.module.css'
import { Details } from './details.tsx'
import { AssignPicker, CardHeader, TagPicker, useAssign } from './head.tsx'
import type { Ways } from './head.tsx'
import { usePresence } from './presence.ts'
import type { Members, RecordCard } from './record.ts'
import { CardProvider, useOpenCard, userName } from './context.ts'
import type { CardContext } from './context.ts'
import { StagePicker, StageSteps, useMove } from './stage.tsx'
import {
  cardQuery,
  removeRecord,
  restoreRecord,
  cardStoreOf,
  useFollow,
  useMember,
} from './store.ts'

/** The parts that the screen puts into a card that is there. */
export interface CardParts {
  above?: ReactNode
  sections?: ReactNode
  feed?: ReactNode
  /** Of customers, beside the feed. */
  purchases?: ReactNode
}

/** The members of a lead that a board knows before its card comes. */
export interface CardHint {
  members: Members
  enteredAt?: number
}

const [least, most, usual] = [300, 640, 380]
/** The arrows move the border so far. */
const stepPixels = 20

export function CardFrame({
  type,
  id,
  bootstrap,
  mayView,
  hint,
  heading,
  ways,
  parts,
  seen,
  handle,
}: {
  type: RecordType
  id: number
  bootstrap: Bootstrap
  mayView: boolean
  hint?: CardHint | undefined
  heading: 'h1' | 'h2'
  ways: Ways
  parts: (card: RecordCard) => CardParts
  /** The name of the record; undefined for one that is gone or closed to the user. */
  seen: (name: string | undefined) => void
  handle: Ref<CardHandle>
}) {
  const words = useTranslations('card')
  const user = useTimeZone() ?? 'UTC'
  const store = cardStoreOf(type, id)
  if (hint) store.seed(hint.members)
  const query = useQuery({ ...cardQuery(type, id), enabled: mayView })
  const { data: card, error } = query
  useFollow(store, card)
  const isGone = error instanceof Problem && [403, 404].includes(error.status)
  const { others, edit } = usePresence(type, id, bootstrap.me.id, card !== undefined && !isGone)
  useNeededUsers(card, others)
  const { timezone } = bootstrap.account
  const mayEdit = card?.may.edit ?? false
  const context = useMemo<CardContext>(
    () => ({
      store,
      bootstrap,
      zones: { account: timezone, user },
      mayEdit,
      others,
      edit,
    }),
    [store, bootstrap, timezone, user, mayEdit, others, edit],
  )
  const known = useMember(store, 'name')
  const name = known || words(`untitled.${type}`, { id })
  const hasName = known !== undefined
  useEffect(() => {
    if (hasName && !isGone) seen(name)
    else if (isGone || !mayView) seen(undefined)
  }, [seen, name, hasName, isGone, mayView])
  const isShown = mayView && !isGone && hasName
  return (
    <CardProvider value={context}>
      <section
        className={styles.card}
        aria-label={isShown ? name : words(`types.${type}`)}
        data-record={`${type}-${id}`}
      >
        {isShown ? (
          <Open
            card={card}
            hint={hint}
            heading={heading}
            ways={ways}
            parts={parts}
            handle={handle}
            failure={card ? undefined : query}
          />
        ) : (
          <Absent ways={ways} heading={heading} title={words(`types.${type}`)}>
            {!mayView && <NoRights />}
            {mayView && query.isPending && <Rows number={8} />}
            {mayView && error !== null && (
              <Failure error={error} retry={() => void query.refetch()} />
            )}
          </Absent>
        )}
      </section>
    </CardProvider>
  )
}

/** The people whom a card names may have come after the page was loaded. */
function useNeededUsers(card: RecordCard | undefined, others: CardContext['others']): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!card) return
    const { responsible_user_id, created_by, updated_by } = card.record
    const by = card.deleted ? [card.deleted.by] : []
    const here = others.map(({ userId }) => userId)
    needUsers(client, [responsible_user_id, created_by, updated_by, ...by, ...here])
  }, [client, card, others])
}

/** A card that cannot be shown still has its name and its ways back. */
function Absent({
  ways: { close, up },
  heading: Heading,
  title,
  children,
}: {
  ways: Ways
  heading: 'h1' | 'h2'
  title: string
  children: ReactNode
}) {
  const words = useTranslations('card')
  const back = close ?? up?.go
  return (
    <div className={styles.absent}>
      <div className={styles.back}>
        <Heading className={styles.what} tabIndex={-1} data-title>
          {title}
        </Heading>
        {back && (
          <Button variant="default" onClick={back}>
            {close ? words('close') : up?.title}
          </Button>
        )}
      </div>
      {children}
    </div>
  )
}

type Dialog = 'move' | 'assign' | 'tag'

/** Before the server has said what the user may. */
const mayNothing: RecordCard['may'] = { edit: false, delete: false, restore: false }

function Open({
  card,
  hint,
  heading,
  ways,
  parts,
  handle,
  failure,
}: {
  card: RecordCard | undefined
  hint: CardHint | undefined
  heading: 'h1' | 'h2'
  ways: Ways
  parts: (card: RecordCard) => CardParts
  handle: Ref<CardHandle>
  failure: { error: unknown; refetch: () => unknown } | undefined
}) {
  const words = useTranslations('card')
  const body = useRef<HTMLDivElement>(null)
  const [dialog, setDialog] = useState<Dialog>()
  const [tab, setTab] = useState(0)
  const [side, setSide] = useState<CardPart>('details')
  const isNarrow = useMediaQuery('(max-width: 56.25em)', undefined, {
    getInitialValueInEffect: false,
  })
  const { move, dialog: moveDialog, notice: moveNotice } = useMove()
  const { assign, notice: assignNotice } = useAssign()
  const bin = useBin(ways.close)
  const { above, sections, feed, purchases } = card ? parts(card) : {}
  const sides: CardPart[] = ['details', 'feed', ...(purchases ? (['purchases'] as const) : [])]
  const close = () => setDialog(undefined)
  const may = card?.may ?? mayNothing
  const latest = useRef({ may, remove: bin.remove, openLog: ways.openLog })
  latest.current = { may, remove: bin.remove, openLog: ways.openLog }
  const self = useMemo<CardHandle>(() => {
    const open = (next: Dialog) => {
      if (latest.current.may.edit) setDialog(next)
    }
    return {
      editFirst() {
        flushSync(() => setSide('details'))
        body.current?.querySelector<HTMLElement>('[data-edit]')?.click()
      },
      move: () => open('move'),
      assign: () => open('assign'),
      tag: () => open('tag'),
      openLog: () => latest.current.openLog(),
      remove: () => latest.current.may.delete && latest.current.remove(),
      showGroup(index) {
        setSide('details')
        setTab(index)
      },
      // At once: what is asked of a side next may take the focus in it.
      show: (next) => flushSync(() => setSide(next)),
    }
  }, [])
  useImperativeHandle(handle, () => self, [self])
  const isLead = card ? 'pipeline_id' in card.record : hint !== undefined
  const details = (
    <div className={styles.scroll}>
      {above}
      {card ? (
        <Details tab={tab} setTab={setTab} />
      ) : failure?.error ? (
        <Failure error={failure.error} retry={() => void failure.refetch()} />
      ) : (
        <Rows number={8} />
      )}
      {sections}
      {card && <Origin />}
    </div>
  )
  return (
    <>
      <header className={styles.top}>
        <CardHeader ways={ways} heading={heading} may={may} handle={self} />
        {isLead && (
          <StageSteps
            enteredAt={card?.entered_at ?? hint?.enteredAt}
            move={move}
            onChoose={self.move}
          />
        )}
        {moveNotice}
        {assignNotice}
        {card?.deleted && <Deleted card={card} onRestore={bin.restore} isPending={bin.isPending} />}
        {isNarrow && (
          <SegmentedControl
            className={styles.sides}
            fullWidth
            aria-label={words('sides')}
            value={side}
            onChange={setSide}
            data={sides.map((value) => ({ value, label: words(value) }))}
          />
        )}
      </header>
      {isNarrow ? (
        <div ref={body} className={styles.narrow}>
          <div className={styles.half} hidden={side !== 'details'}>
            {details}
          </div>
          <div className={styles.half} hidden={side !== 'feed'}>
            {feed}
          </div>
          {purchases && (
            <div className={styles.half} hidden={side !== 'purchases'}>
              {purchases}
            </div>
          )}
        </div>
      ) : (
        <Halves
          left={details}
          right={
            purchases ? (
              <Sides side={side} setSide={setSide} feed={feed} purchases={purchases} />
            ) : (
              feed
            )
          }
          box={body}
        />
      )}
      {dialog === 'move' && isLead && <StagePicker move={move} onClose={close} />}
      {dialog === 'assign' && <AssignPicker assign={assign} onClose={close} />}
      {dialog === 'tag' && <TagPicker onClose={close} />}
      {moveDialog}
    </>
  )
}

/** Both halves with a border between them that the user moves; the browser keeps its place. */
function Halves({
  left,
  right,
  box,
}: {
  left: ReactNode
  right: ReactNode
  box: Ref<HTMLDivElement>
}) {
  const words = useTranslations('card')
  const [width, setWidth] = useState(() => {
    const kept = readKept('card-width')
    return typeof kept === 'number' ? kept : usual
  })
  const start = useRef<{ x: number; width: number } | undefined>(undefined)
  const set = (next: number, isLast: boolean) => {
    const fit = Math.round(Math.max(least, Math.min(most, next)))
    setWidth(fit)
    if (isLast) keep('card-width', fit)
  }
  const follow = ({ clientX }: PointerEvent, isLast: boolean) => {
    if (start.current) set(start.current.width + clientX - start.current.x, isLast)
    if (isLast) start.current = undefined
  }
  return (
    <div ref={box} className={styles.halves}>
      <div className={styles.left} style={{ width }}>
        {left}
      </div>
      {/* A separator that moves takes the focus and the arrows (WAI-ARIA, window splitter). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        className={styles.border}
        role="separator"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={words('width')}
        aria-valuenow={width}
        aria-valuemin={least}
        aria-valuemax={most}
        onKeyDown={(event: KeyboardEvent) => {
          const by = { ArrowLeft: -stepPixels, ArrowRight: stepPixels }[event.key]
          if (by === undefined) return
          event.preventDefault()
          set(width + by, true)
        }}
        onDoubleClick={() => set(usual, true)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          start.current = { x: event.clientX, width }
        }}
        onPointerMove={(event) => follow(event, false)}
        onPointerUp={(event) => follow(event, true)}
        onPointerCancel={(event) => follow(event, true)}
      />
      <div className={styles.right}>{right}</div>
    </div>
  )
}

/** The right half of a customer: the feed, and beside it the purchases. */
function Sides({
  side,
  setSide,
  feed,
  purchases,
}: {
  side: CardPart
  setSide: (side: CardPart) => void
  feed: ReactNode
  purchases: ReactNode
}) {
  const words = useTranslations('card')
  const shown = side === 'purchases' ? side : 'feed'
  return (
    <Tabs
      value={shown}
      className={styles.tabs}
      keepMountedMode="display-none"
      onChange={(value) => value !== null && setSide(value as CardPart)}
    >
      <Tabs.List className={styles.tabList}>
        <Tabs.Tab value="feed">{words('feed')}</Tabs.Tab>
        <Tabs.Tab value="purchases">{words('purchases')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="feed" className={styles.tabPanel}>
        {feed}
      </Tabs.Panel>
      <Tabs.Panel value="purchases" className={styles.tabPanel}>
        {purchases}
      </Tabs.Panel>
    </Tabs>
  )
}

/** When and by whom the record was made. */
function Origin() {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const at = useMember(store, 'created_at')
  const by = userName(bootstrap, useMember(store, 'created_by'))
  const changed = useMember(store, 'updated_at')
  if (at === undefined || changed === undefined) return undefined
  const moment = (seconds: number) => () => <Moment at={seconds} />
  return (
    <p className={styles.origin}>
      {by === undefined
        ? words.rich('created', { at: moment(at) })
        : words.rich('createdBy', { at: moment(at), name: by })}
      {' · '}
      {words.rich('changed', { at: moment(changed) })}
    </p>
  )
}

function Deleted({
  card: { deleted, may },
  onRestore,
  isPending,
}: {
  card: RecordCard
  onRestore: () => void
  isPending: boolean
}) {
  const words = useTranslations('card')
  const { bootstrap } = useOpenCard()
  if (!deleted) return undefined
  const name = userName(bootstrap, deleted.by) ?? words('somebody')
  return (
    <div className={styles.deleted} role="status">
      <Trash2 size={16} aria-hidden />
      <span>{words.rich('deletedBy', { name, at: () => <Moment at={deleted.at} /> })}</span>
      {may.restore && (
        <Button size="compact-sm" variant="default" loading={isPending} onClick={onRestore}>
          {words('restore')}
        </Button>
      )}
    </div>
  )
}

/** Puts the record into the bin, with a way back, and takes it out again. */
function useBin(close: (() => void) | undefined) {
  const words = useTranslations('card')
  const { store } = useOpenCard()
  const refusalText = useRefusalText()
  const offerUndo = useOfferUndo()
  const [isPending, setPending] = useState(false)
  const { type, id } = store
  const nameNow = () => store.shown('name') || words(`untitled.${type}`, { id })
  const restore = async () => {
    setPending(true)
    try {
      await restoreRecord(type, id)
      store.want()
    } catch (error) {
      warn(words('notRestored', { name: nameNow() }), refusalText(error))
    }
    setPending(false)
  }
  const remove = async () => {
    const name = nameNow()
    const at = Date.now()
    try {
      await removeRecord(type, id)
    } catch (error) {
      return void warn(words('notDeleted', { name }), refusalText(error))
    }
    store.want()
    offerUndo(words('deleted', { name }), () => void restore(), { at })
    close?.()
  }
  return { isPending, restore: () => void restore(), remove: () => void remove() }
}
