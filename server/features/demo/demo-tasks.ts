// The tasks of the demo account: overdue, for today and for later, and completed ones with their
// results. A task belongs to the user who is responsible for its record.
import type { NewTaskType } from '../task-types/schema.ts'
import type { NewTask } from '../tasks/schema.ts'
import { dayOf, midnight } from '../../records/fields/days.ts'
import { at, daySeconds } from './demo-data.ts'
import type { Owner } from './demo-data.ts'

export const taskTypes: NewTaskType[] = [
  { name: 'Site visit', color: '2e9e5b' },
  { name: 'Send offer', color: 'e08a00' },
]

interface TaskSurroundings {
  /** Of the account: its days end at midnight there. */
  timezone: string
  owner: Owner
  /** The ids of the account's own types. */
  typeIds: number[]
  /** The leads that are neither won nor lost, and the won ones, by their places. */
  openLeads: Map<number, number>
  wonLeads: Map<number, number>
  contactIds: number[]
  companyIds: number[]
  customerIds: number[]
}

const call = 1
const meeting = 2

/** Days from today until a task of a lead is due; every fifth lead has none. */
const daysUntilDue = [-3, 0, 1, 6, undefined]

const endOf = (timezone: string, now: number, inDays: number) =>
  midnight(timezone, dayOf(timezone, now) + inDays + 1) - 1

export function taskDrafts(now: number, around: TaskSurroundings): NewTask[] {
  const { timezone, owner, contactIds, companyIds } = around
  const birthdays = contactIds.slice(0, 4).map((entity_id, place): NewTask => ({
    text: 'Congratulate on the birthday',
    task_type_id: call,
    complete_till: endOf(timezone, now, 4 + 7 * place),
    responsible_user_id: owner(place),
    entity_type: 'contacts',
    entity_id,
  }))
  const reviews = companyIds.slice(0, 3).map((entity_id, place): NewTask => ({
    text: 'Review the year together',
    task_type_id: meeting,
    complete_till: now + (10 + place) * daySeconds,
    duration: 3600,
    responsible_user_id: owner(place),
    entity_type: 'companies',
    entity_id,
  }))
  const withoutRecord = [0, 1].map((place): NewTask => ({
    text: 'Prepare the figures of the month',
    task_type_id: meeting,
    complete_till: endOf(timezone, now, 2 + place),
    responsible_user_id: owner(place),
  }))
  return [
    ...openTasksOfLeads(now, around),
    ...completedTasksOfLeads(now, around),
    ...birthdays,
    ...reviews,
    ...tasksOfCustomers(now, around),
    ...withoutRecord,
  ]
}

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

function openTasksOfLeads(
  now: number,
  { timezone, owner, typeIds, openLeads }: TaskSurroundings,
): NewTask[] {
  return [...openLeads].flatMap(([place, entity_id], index): NewTask[] => {
    const inDays = at(daysUntilDue, index)
    const { text, task_type_id } = at(workOnLeads(typeIds), index)
    if (inDays === undefined) return []
    return [
      {
        text,
        task_type_id,
        complete_till: endOf(timezone, now, inDays),
        duration: task_type_id === typeIds[0] ? 7200 : 0,
        responsible_user_id: owner(place),
        entity_type: 'leads',
        entity_id,
        created_at: now - 5 * daySeconds,
      },
    ]
  })
}

function completedTasksOfLeads(
  now: number,
  { owner, typeIds, wonLeads }: TaskSurroundings,
): NewTask[] {
  return [...wonLeads].map(([place, entity_id], index): NewTask => {
    const { text, task_type_id, result } = at(workOnLeads(typeIds), index)
    const doneAt = now - (40 - place) * 15_000
    return {
      text,
      task_type_id,
      complete_till: doneAt + 3600,
      responsible_user_id: owner(place),
      entity_type: 'leads',
      entity_id,
      is_completed: true,
      result: { text: result },
      created_at: doneAt - 2 * daySeconds,
      updated_at: doneAt,
    }
  })
}

/** Of ten customers one has missed its date, and one of those that are about to buy is called. */
function tasksOfCustomers(
  now: number,
  { timezone, owner, customerIds }: TaskSurroundings,
): NewTask[] {
  return customerIds.flatMap((entity_id, place): NewTask[] => {
    const inDays = { 5: -2, 3: 0 }[place % 10]
    if (inDays === undefined) return []
    return [
      {
        text: inDays < 0 ? 'Ask why nothing was ordered' : 'Offer the usual order',
        task_type_id: call,
        complete_till: endOf(timezone, now, inDays),
        responsible_user_id: owner(place),
        entity_type: 'customers',
        entity_id,
        created_at: now - 4 * daySeconds,
      },
    ]
  })
}
