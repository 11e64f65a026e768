// The tasks of the demo account: overdue, for today and for later, and completed ones with their
// results. A task belongs to the user who is responsible for its record.
import type { NewTaskType } from '../../definitions/task-types/schema.ts'
import type { NewTask } from '../../activity/tasks/schema.ts'
import { dayOf, midnight } from '../../../records/fields/days.ts'
import { daySeconds, latest, timesWithin, workTime } from './demo-calendar.ts'
import type { Calendar } from './demo-calendar.ts'
import { at } from './demo-data.ts'
import type { LeadLife } from './demo-data.ts'

export const taskTypes: NewTaskType[] = [
  { name: 'Site visit', color: '2e9e5b' },
  { name: 'Send offer', color: 'e08a00' },
]

const call = 1
const meeting = 2

/** A task, when it was made and by whom, and when it was completed with a result. */
export interface DatedTask {
  at: number
  /** The position of its record among those of its type, whose responsible user has the task. */
  position: number
  draft: Omit<NewTask, 'entity_id' | 'responsible_user_id'>
  done?: { at: number; result: string }
}

/** Days from today until a task of a lead is due; every fifth lead has none. */
const daysUntilDue = [-3, 0, 1, 6, undefined]

const endOf = ({ timezone, now }: Calendar, inDays: number) =>
  midnight(timezone, dayOf(timezone, now) + inDays + 1) - 1

interface Work {
  text: string
  task_type_id: number
  result: string
}

function workOnLeads([visit, offer]: number[]): Work[] {
  return [
    { text: 'Call about the offer', task_type_id: call, result: 'They accept the offer' },
    { text: 'Send the revised offer', task_type_id: offer!, result: 'Sent, with the new prices' },
    { text: 'Measure the rooms', task_type_id: visit!, result: 'Measured, the drawings are ready' },
    { text: 'Agree on the delivery', task_type_id: meeting, result: 'On the first of the month' },
  ]
}

/** The tasks of a lead: completed ones along its life, and what is to do if it is open. `typeIds` are the account's own types. */
export function leadTasks(
  calendar: Calendar,
  index: number,
  life: LeadLife,
  typeIds: number[],
): DatedTask[] {
  const days = (life.end - life.born) / daySeconds
  const completed = days < 12 ? [] : [completedTask(calendar, index, life, typeIds)]
  if (life.closed !== undefined) return completed
  const inDays = at(daysUntilDue, index + Math.floor(index / 10))
  if (inDays === undefined) return completed
  const { text, task_type_id } = at(workOnLeads(typeIds), index + 1)
  const open: DatedTask = {
    at: Math.min(latest(calendar), Math.max(life.born + 120, workTime(calendar, 5, index))),
    position: index,
    draft: {
      text,
      task_type_id,
      complete_till: endOf(calendar, inDays),
      duration: task_type_id === typeIds[0] ? 7200 : 0,
      entity_type: 'leads',
    },
  }
  return [...completed, open]
}

function completedTask(
  calendar: Calendar,
  position: number,
  life: LeadLife,
  typeIds: number[],
): DatedTask {
  const { text, task_type_id, result } = at(workOnLeads(typeIds), position)
  const [made, done] = timesWithin(calendar, life, [0.3, 0.5], position) as [number, number]
  return {
    at: made,
    position,
    draft: { text, task_type_id, complete_till: done + 3600, entity_type: 'leads' },
    done: { at: done, result },
  }
}

/** Birthdays of the first contacts. */
export const contactTasks = (calendar: Calendar): DatedTask[] =>
  [0, 1, 2, 3].map((position) => ({
    at: workTime(calendar, 20 - position * 4, position),
    position,
    draft: {
      text: 'Congratulate on the birthday',
      task_type_id: call,
      complete_till: endOf(calendar, 4 + 7 * position),
      entity_type: 'contacts',
    },
  }))

/** Reviews with the first companies. */
export const companyTasks = (calendar: Calendar): DatedTask[] =>
  [0, 1, 2].map((position) => ({
    at: workTime(calendar, 12 + position, position),
    position,
    draft: {
      text: 'Review the year together',
      task_type_id: meeting,
      complete_till: calendar.now + (10 + position) * daySeconds,
      duration: 3600,
      entity_type: 'companies',
    },
  }))

/** Of ten customers one has missed its date, and one of those that are about to buy is called. */
export function customerTasks(calendar: Calendar, position: number): DatedTask[] {
  const inDays = { 5: -2, 3: 0 }[position % 10]
  if (inDays === undefined) return []
  return [
    {
      at: workTime(calendar, 4, position),
      position,
      draft: {
        text: inDays < 0 ? 'Ask why nothing was ordered' : 'Offer the usual order',
        task_type_id: call,
        complete_till: endOf(calendar, inDays),
        entity_type: 'customers',
      },
    },
  ]
}

/** Tasks without a record. */
export const ownTasks = (calendar: Calendar): DatedTask[] =>
  [0, 1].map((position) => ({
    at: workTime(calendar, 6 + position, position),
    position,
    draft: {
      text: 'Prepare the figures of the month',
      task_type_id: meeting,
      complete_till: endOf(calendar, 2 + position),
    },
  }))
