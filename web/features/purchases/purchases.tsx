// The purchases of a customer: what they brought, month by month and one by one, and when the next
// one is due. A deletion is asked once and sent when the time to take it back is over.
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { Ref } from 'react'
import { useFormatter, useTimeZone, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { Problem } from '../../data/api.ts'
import { focusAfter } from '../../ui/focus.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { clockAt, dayAt, useDay } from '../../ui/day.ts'
import { More } from '../../ui/more.tsx'
import { Empty, Unloaded, useRefusalText } from '../../ui/states.tsx'
import { useUndoMs } from '../../crm/preferences.ts'
import { doLater } from '../../ui/later.ts'
import { useOfferUndo } from '../../ui/undo.ts'
import { say, warn } from '../../ui/toasts.ts'
import { AddForm } from './add-form.tsx'
import { MonthChart } from './chart.tsx'
import { buyerQuery, deletePurchase, monthsQuery, purchasesQuery } from './purchases.ts'
import type { BuyingCustomer, Purchase } from './purchases.ts'
import styles from './purchases.module.css'

/** The acts of keys on the purchases; the screen knows the keys. */
export interface PurchasesHandle {
  /** Opens the form of a new purchase. */
  add: () => void
}

export function Purchases({
  customerId,
  vocabulary,
  mayEdit,
  changed,
  ref,
}: {
  customerId: number
  vocabulary: Bootstrap
  mayEdit: boolean
  changed: () => void
  ref?: Ref<PurchasesHandle>
}) {
  const words = useTranslations('purchases')
  const format = useFormatter()
  const client = useQueryClient()
  const { account } = vocabulary
  const query = useInfiniteQuery(purchasesQuery(customerId))
  const sums = useQuery(buyerQuery(customerId))
  const byMonth = useQuery(monthsQuery(customerId))
  const { data: buyer } = sums
  const { data: months } = byMonth
  const [isAdding, setAdding] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const money = (amount: number) =>
    format.number(amount, {
      style: 'currency',
      currency: account.currency,
      currencyDisplay: 'narrowSymbol',
      maximumFractionDigits: 0,
    })
  const refresh = () => {
    for (const noun of ['purchases', 'customers'])
      void client.invalidateQueries({ queryKey: [noun] })
    changed()
  }
  const { gone, remove } = useDeletion(customerId, buyer, money, refresh)
  const isOff =
    account.customers_mode === 'disabled' ||
    (query.error instanceof Problem && query.error.status === 422)
  const mayAdd = mayEdit && !isOff
  useImperativeHandle(ref, () => ({ add: () => mayAdd && setAdding(true) }), [mayAdd])
  const all = query.data?.pages.flatMap(({ items }) => items)
  const shown = all?.filter(({ id }) => !gone.has(id))
  const part = useRef<HTMLDivElement>(null)
  const close = () => {
    focusAfter(part.current, () => button.current)
    setAdding(false)
  }
  if (isOff && (!all || all.length === 0))
    return (
      <section className={styles.all} aria-label={words('title')}>
        <Empty title={words('off')} text={words('offText')} />
      </section>
    )
  return (
    <section className={styles.all} aria-label={words('title')}>
      <div className={styles.head}>
        <h3>{words('title')}</h3>
        {mayAdd && (
          <Button
            ref={button}
            size="compact-sm"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            aria-expanded={isAdding}
            aria-keyshortcuts="B"
            onClick={() => setAdding(!isAdding)}
          >
            {words('add')}
          </Button>
        )}
      </div>
      <Missing part="sums" query={sums} />
      {buyer && <Totals buyer={without(buyer, gone)} account={vocabulary.account} money={money} />}
      <Missing part="months" query={byMonth} />
      {months && months.length > 0 && (
        <Months customerId={customerId} buyer={buyer} money={money} account={account} />
      )}
      {isAdding && (
        <div ref={part}>
          <AddForm
            customerId={customerId}
            periodicity={buyer?.periodicity}
            vocabulary={vocabulary}
            money={money}
            onDone={() => {
              say(words('added'))
              close()
              refresh()
            }}
            onCancel={close}
          />
        </div>
      )}
      {!shown && <Unloaded query={query} rows={3} />}
      {shown?.length === 0 && !isAdding && (
        <Empty title={words('empty')} text={mayAdd ? words('emptyText') : undefined} />
      )}
      {shown && shown.length > 0 && (
        <List
          purchases={shown}
          vocabulary={vocabulary}
          money={money}
          {...(mayEdit && {
            onDelete: (purchase: Purchase) => {
              button.current?.focus()
              remove(purchase)
            },
          })}
        />
      )}
      <More query={query} />
    </section>
  )
}

/** A part beside the purchases that failed: says so, with a way to ask again. */
function Missing({
  part,
  query: { data, isError, refetch },
}: {
  part: 'sums' | 'months'
  query: UseQueryResult
}) {
  const words = useTranslations('purchases')
  const ui = useTranslations('ui')
  if (!isError || data !== undefined) return undefined
  return (
    <p className={styles.missing} role="alert">
      {words(`missing.${part}`)}
      <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
        {ui('retry')}
      </Button>
    </p>
  )
}

/** A purchase that is shown no more. */
interface Going {
  price: number
  /** The customer as it was known when the server had deleted it: the next one holds that itself. */
  doneAt?: BuyingCustomer | undefined
}

/** The sums of a customer without the purchases that are being deleted. */
function without(buyer: BuyingCustomer, gone: ReadonlyMap<number, Going>): BuyingCustomer {
  const going = [...gone.values()].filter(({ doneAt }) => !doneAt || doneAt === buyer)
  if (going.length === 0) return buyer
  const ltv = buyer.ltv - going.reduce((sum, { price }) => sum + price, 0)
  const purchases_count = buyer.purchases_count - going.length
  const average_check = purchases_count > 0 ? Math.floor(ltv / purchases_count) : 0
  return { ...buyer, ltv, purchases_count, average_check }
}

/**
 * Deletions that wait: they are sent after some seconds, or when the part is left, with the page or
 * without it.
 */
function useDeletion(
  customerId: number,
  buyer: BuyingCustomer | undefined,
  money: (amount: number) => string,
  refresh: () => void,
) {
  const words = useTranslations('purchases')
  const refusalText = useRefusalText()
  const undoMs = useUndoMs()
  const offerUndo = useOfferUndo()
  const [gone, setGone] = useState<ReadonlyMap<number, Going>>(new Map())
  const waiting = useRef(new Map<number, () => void>())
  const latest = useRef(buyer)
  useEffect(() => {
    latest.current = buyer
  }, [buyer])
  useEffect(() => {
    const all = waiting.current
    const sendAll = () => {
      for (const send of all.values()) send()
    }
    return sendAll
  }, [])
  const set = (id: number, going: Going) => setGone((all) => new Map([...all, [id, going]]))
  const keep = (id: number) => setGone((all) => new Map([...all].filter(([each]) => each !== id)))
  const remove = ({ id, price }: Purchase) => {
    set(id, { price })
    const send = async () => {
      waiting.current.delete(id)
      try {
        await deletePurchase(customerId, id)
        set(id, { price, doneAt: latest.current })
        refresh()
      } catch (error) {
        keep(id)
        warn(words('failed'), refusalText(error))
      }
    }
    const now = doLater({
      text: words('deleted', { price: money(price) }),
      delayMs: undoMs,
      run: () => void send(),
      offerUndo,
      takeBack: () => {
        waiting.current.delete(id)
        keep(id)
      },
    })
    if (undoMs > 0) waiting.current.set(id, now)
  }
  return { gone, remove }
}

function Totals({
  buyer,
  account,
  money,
}: {
  buyer: BuyingCustomer
  account: Bootstrap['account']
  money: (amount: number) => string
}) {
  const words = useTranslations('purchases')
  const format = useFormatter()
  // The next date is a day of the account.
  const day = useDay(account.timezone)
  const isLate = buyer.next_date > 0 && buyer.next_date < Date.now() / 1000
  const facts = [
    ['ltv', money(buyer.ltv)],
    ['number', format.number(buyer.purchases_count)],
    ['average', money(buyer.average_check)],
    ['next', buyer.next_date > 0 ? day(buyer.next_date) : '—'],
  ] as const
  return (
    <dl className={styles.totals}>
      {facts.map(([name, value]) => (
        <div key={name} data-late={(name === 'next' && isLate) || undefined}>
          <dt>{words(name)}</dt>
          <dd>
            {value}
            {name === 'next' && isLate && <span> · {words('late')}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Months({
  customerId,
  buyer,
  account,
  money,
}: {
  customerId: number
  buyer: BuyingCustomer | undefined
  account: Bootstrap['account']
  money: (amount: number) => string
}) {
  // The next date is a day of the account.
  const day = useDay(account.timezone)
  const { data: months = [] } = useQuery(monthsQuery(customerId))
  // The server counts the months of the account's zone.
  const monthOf = (at: number) => clockAt(at, account.timezone).slice(0, 7)
  const now = Date.now() / 1000
  const next = buyer?.next_date ?? 0
  return (
    <MonthChart
      months={months}
      present={monthOf(now)}
      expected={next > now ? { month: monthOf(next), day: day(next) } : undefined}
      money={money}
    />
  )
}

function List({
  purchases,
  vocabulary,
  money,
  onDelete,
}: {
  purchases: Purchase[]
  vocabulary: Bootstrap
  money: (amount: number) => string
  onDelete?: (purchase: Purchase) => void
}) {
  const words = useTranslations('purchases')
  const timeZone = useTimeZone() ?? vocabulary.account.timezone
  const day = useDay()
  const [confirming, setConfirming] = useState<Purchase>()
  const [shownConfirming, setShownConfirming] = useState<Purchase>()
  if (confirming && confirming !== shownConfirming) setShownConfirming(confirming)
  const names = new Map(vocabulary.users.map(({ id, name }) => [id, name]))
  return (
    <>
      <ul className={styles.list} aria-label={words('title')}>
        {purchases.map((purchase) => {
          const { id, price, comment, completed_at, created_by } = purchase
          const count = purchase._embedded.catalog_elements.length
          return (
            <li key={id} className={styles.row}>
              <time className={styles.date} dateTime={dayAt(completed_at, timeZone)}>
                {day(completed_at)}
              </time>{' '}
              <b className={styles.price}>{money(price)}</b>{' '}
              <span className={styles.comment}>{comment}</span>{' '}
              <span className={styles.about}>
                {[
                  count > 0 && words('itemCount', { count }),
                  names.get(created_by) ?? words('system'),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              {onDelete && (
                <Tooltip label={words('delete')}>
                  <ActionIcon
                    size={24}
                    aria-label={words('deleteOne', { price: money(price) })}
                    onClick={() => setConfirming(purchase)}
                  >
                    <Trash2 size={14} />
                  </ActionIcon>
                </Tooltip>
              )}
            </li>
          )
        })}
      </ul>
      {shownConfirming && (
        <Confirm
          opened={confirming !== undefined}
          title={words('deleteAsk')}
          text={words('deleteText', {
            date: day(shownConfirming.completed_at),
            price: money(shownConfirming.price),
          })}
          action={words('delete')}
          onConfirm={() => {
            setConfirming(undefined)
            onDelete?.(shownConfirming)
          }}
          onClose={() => setConfirming(undefined)}
        />
      )}
    </>
  )
}
