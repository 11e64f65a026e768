import { createContext, useContext, useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Values } from '../../crm/fields/field.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { isClosed } from '../../crm/stages.ts'
import { useDay, useDayAndTime } from '../../ui/day.ts'
import { useBoard } from './context.ts'
import { groupOfTask } from './sort.ts'
import type { Card } from './store.ts'

/** The present in Unix seconds, as far as cards show it: it moves each minute. */
export const Now = createContext(0)

const [hour, day] = [3600, 86_400]

export interface CardTexts {
  title(card: Card): string
  /** Contact and company in one line. */
  who(card: Card): string
  responsible(card: Card): string
  money(amount: number): string
  field(card: Card): string
  daysInStage(card: Card): number
  /** The days of its stage where an open lead has been there longer. */
  staleAfter(card: Card): number | undefined
  moment(at: number): string
  shortMoment(at: number): string
  task(dueAt: number | null): { kind: string; text: string; title: string }
  /** The name of a card for screen readers. */
  name(card: Card): string
}

/** The texts of cards, made once for all cards of a board. */
export const Texts = createContext<CardTexts | undefined>(undefined)
export const useCardTexts = (): CardTexts => useContext(Texts)!

/** `fieldId`: the field that the cards show. */
export function useMakeCardTexts(
  now: number,
  todayEndsAt: number,
  fieldId: number | null,
): CardTexts {
  const values = useValueTexts()
  const moment = useDayAndTime()
  const fullDay = useDay()
  const words = useTranslations('board')
  const format = useFormatter()
  const { vocabulary } = useBoard()
  return useMemo(() => {
    const { account, users, pipelines, custom_fields } = vocabulary
    const shown = custom_fields.leads.fields.find(({ id }) => id === fieldId)
    const names = new Map(users.map(({ id, name }) => [id, name]))
    const date = (at: number) => new Date(at * 1000)
    const dayOf = (at: number) => format.dateTime(date(at), { day: 'numeric', month: 'short' })
    const timeOf = (at: number) => format.dateTime(date(at), { timeStyle: 'short' })
    const isToday = (at: number) => at > todayEndsAt - day && at <= todayEndsAt
    const title = (card: Card) => card.name || words('untitled', { id: card.id })
    const who = ({ contact, company }: Card) =>
      [contact?.name || contact?.phone, company?.name].filter(Boolean).join(' · ')
    const money = (amount: number) =>
      format.number(amount, {
        style: 'currency',
        currency: account.currency,
        currencyDisplay: 'narrowSymbol',
        maximumFractionDigits: 0,
      })
    const task: CardTexts['task'] = (dueAt) => {
      if (dueAt === null) return { kind: 'none', text: words('noTask'), title: words('noTask') }
      const late = now - dueAt
      if (late > 0) {
        const count = late >= day ? Math.floor(late / day) : Math.max(1, Math.floor(late / hour))
        return {
          kind: 'late',
          text: words(late >= day ? 'lateDays' : 'lateHours', { count }),
          title: words('taskLate', { at: moment(dueAt) }),
        }
      }
      return groupOfTask(dueAt, todayEndsAt) === 0
        ? { kind: 'today', text: timeOf(dueAt), title: words('taskToday', { at: timeOf(dueAt) }) }
        : { kind: 'later', text: dayOf(dueAt), title: words('taskLater', { at: moment(dueAt) }) }
    }
    const stageOf = (card: Card) =>
      pipelines
        .find(({ id }) => id === card.pipeline_id)
        ?.statuses.find(({ id }) => id === card.status_id)
    const daysInStage = (card: Card) => Math.floor((now - card.entered_at) / day)
    const staleAfter = (card: Card) => {
      const stage = stageOf(card)
      const limit = stage && !isClosed(stage.id) ? stage.stale_after_days : null
      return limit !== null && now - card.entered_at > limit * day ? limit : undefined
    }
    return {
      title,
      who,
      money,
      moment,
      task,
      daysInStage,
      staleAfter,
      responsible: (card) => names.get(card.responsible_user_id) ?? '',
      field: ({ field }) => (shown ? values.all(shown, field as Values) : ''),
      shortMoment: (at) =>
        isToday(at) ? timeOf(at) : now - at < 300 * day ? dayOf(at) : fullDay(at),
      name(card) {
        const stage = stageOf(card)
        const days = daysInStage(card)
        const stale = staleAfter(card)
        return format.list(
          [
            title(card),
            who(card),
            card.price > 0 ? money(card.price) : '',
            stage ? words('inStage', { stage: stage.name }) : '',
            task(card.closest_task_at).title,
            card.unread > 0 ? words('unread', { count: card.unread }) : '',
            stale !== undefined
              ? words('stale', { count: stale })
              : days > 0
                ? words('daysInStage', { count: days })
                : '',
            names.get(card.responsible_user_id) ?? '',
          ].filter((part) => part !== ''),
          { type: 'unit', style: 'short' },
        )
      },
    }
  }, [words, format, values, moment, fullDay, vocabulary, now, todayEndsAt, fieldId])
}
