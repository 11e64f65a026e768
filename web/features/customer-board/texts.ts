import { createContext, useContext, useMemo } from 'react'
import { useFormatter, useLocale, useTimeZone, useTranslations } from 'use-intl'
import { dayAt, useDay, useDayAndTime } from '../../ui/day.ts'
import { useCustomerBoard } from './context.ts'
import type { CustomerCard } from './store.ts'

const day = 86_400
/** Days up to which a date is told by its distance. */
const nearDays = 45
/** Days from which on a date tells its year. */
const yearDays = 300

interface Told {
  text: string
  title: string
}

export interface CustomerTexts {
  title(card: CustomerCard): string
  money(amount: number): string
  /** When the customer bought last. */
  last(card: CustomerCard): Told
  /** When the next purchase is due. */
  next(card: CustomerCard): Told & { isLate: boolean }
  task(card: CustomerCard): Told & { kind: 'none' | 'late' | 'today' | 'later' }
  responsible(card: CustomerCard): string
  /** The name of a card for screen readers. */
  name(card: CustomerCard): string
}

/** The texts of cards, made once for all cards of a board. */
export const CustomerTextsContext = createContext<CustomerTexts | undefined>(undefined)
export const useCustomerTexts = (): CustomerTexts => useContext(CustomerTextsContext)!

/** `now`: in Unix seconds, as far as cards show it. */
export function useMakeCustomerTexts(now: number): CustomerTexts {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const rows = useTranslations('rows')
  const format = useFormatter()
  const language = useLocale()
  const { vocabulary } = useCustomerBoard()
  const { account, users, customer_statuses: statuses } = vocabulary
  // Dates of customers are days of the account.
  const dayOf = useDay(account.timezone)
  const moment = useDayAndTime()
  const userZone = useTimeZone() ?? 'UTC'
  return useMemo(() => {
    const names = new Map(users.map(({ id, name }) => [id, name]))
    const statusNames = new Map(statuses.map(({ id, name }) => [id, name]))
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    const today = Date.parse(dayAt(now, account.timezone))
    const daysTo = (at: number) =>
      Math.round((Date.parse(dayAt(at, account.timezone)) - today) / 1000 / day)
    const shortDay = (at: number) =>
      Math.abs(daysTo(at)) > yearDays
        ? dayOf(at)
        : format.dateTime(new Date(at * 1000), {
            day: 'numeric',
            month: 'short',
            timeZone: account.timezone,
          })
    const told = (at: number) => {
      const days = daysTo(at)
      return Math.abs(days) > nearDays ? shortDay(at) : relative.format(days, 'day')
    }
    const title = (card: CustomerCard) => card.name || rows('untitled', { id: card.id })
    const money = (amount: number) =>
      format.number(amount, {
        style: 'currency',
        currency: account.currency,
        currencyDisplay: 'narrowSymbol',
        maximumFractionDigits: 0,
      })
    const last: CustomerTexts['last'] = ({ last_purchase_at: at }) =>
      at === null
        ? { text: words('noPurchase'), title: words('noPurchase') }
        : {
            text:
              Math.abs(daysTo(at)) > nearDays
                ? words('boughtOn', { date: shortDay(at) })
                : words('bought', { when: told(at) }),
            title: words('boughtOn', { date: dayOf(at) }),
          }
    const next: CustomerTexts['next'] = ({ next_date: at }) => {
      if (at <= 0) return { text: words('noDate'), title: words('noDate'), isLate: false }
      const late = -daysTo(at)
      const isLate = late > 0
      return {
        text: isLate && late <= 999 ? words('late', { count: late }) : told(at),
        title: words(isLate ? 'lateSince' : 'dueOn', { date: dayOf(at) }),
        isLate,
      }
    }
    const task: CustomerTexts['task'] = ({ closest_task_at: at }) => {
      if (at === null) return { kind: 'none', text: board('noTask'), title: board('noTask') }
      const late = now - at
      if (late > 0) {
        const count = Math.max(1, Math.floor(late / (late >= day ? day : 3600)))
        const text = board(late >= day ? 'lateDays' : 'lateHours', { count })
        return { kind: 'late', text, title: board('taskLate', { at: moment(at) }) }
      }
      const time = format.dateTime(new Date(at * 1000), { timeStyle: 'short' })
      // Tasks are due at moments, which are shown in the zone of the user.
      const dayAndMonth = format.dateTime(new Date(at * 1000), { day: 'numeric', month: 'short' })
      return dayAt(at, userZone) === dayAt(now, userZone)
        ? { kind: 'today', text: time, title: board('taskToday', { at: time }) }
        : {
            kind: 'later',
            text: Math.abs(daysTo(at)) > yearDays ? shortDay(at) : dayAndMonth,
            title: board('taskLater', { at: moment(at) }),
          }
    }
    const responsible = ({ responsible_user_id: id }: CustomerCard) => names.get(id) ?? ''
    return {
      title,
      money,
      last,
      next,
      task,
      responsible,
      name: (card) =>
        format.list(
          [
            title(card),
            card.next_price > 0 ? words('expects', { amount: money(card.next_price) }) : '',
            next(card).title,
            last(card).text,
            words('inStatus', { status: statusNames.get(card.status_id) ?? '' }),
            task(card).title,
            responsible(card),
          ].filter((part) => part !== ''),
          { type: 'unit', style: 'short' },
        ),
    }
  }, [words, board, rows, format, language, moment, userZone, dayOf, account, users, statuses, now])
}
