// The parts of requests: their type, and values that exist in the account.
import { lost, won } from '../../server/features/definitions/pipelines/pipelines.ts'
import type { Tellable } from '../../server/http/nested.ts'
import type { LargeAccount, Type } from '../large/account.ts'
import { begin, end, makeCompany, makeContact, makeLead } from '../large/records.ts'

/** The query of a list, before it is written as a string. */
export interface ListSearch {
  filter?: Record<string, Tellable>
  order?: Record<string, 'asc' | 'desc'>
  query?: string
}

export interface MeasuredRequest {
  title: string
  type: Type
  ask(turn: number, account: LargeAccount): ListSearch
}

export const day = 86_400
/** A number below `count` that differs in each turn. */
export const pick = (turn: number, count: number) => (turn * 7919 + Math.floor(count / 2)) % count
export const filter = (filter: ListSearch['filter'], rest: ListSearch = {}): ListSearch => ({
  filter,
  ...rest,
})
export const within = (from: number, width: number) => ({ from, to: from + width - 1 })
/** A time span within the account's two years. */
export const span = (turn: number, days: number) =>
  within(begin + pick(turn, 730 - days) * day, days * day)
export const recent = { from: end - day }
export const newest = { order: { updated_at: 'desc' } } as const

const made = { leads: makeLead, contacts: makeContact, companies: makeCompany }
/** A record that is not in the bin. */
export function some(account: LargeAccount, type: Type, turn: number) {
  for (
    let number = pick(turn, account.counts[type]);
    ;
    number = (number + 1) % account.counts[type]
  ) {
    const record = made[type](account, number)
    if (!record.columns['is_deleted']) return { number, ...record }
  }
}
/** A value that some record has in a field. */
export function valueIn(account: LargeAccount, type: Type, name: string, turn: number): Tellable {
  for (; ; turn++) {
    const found = some(account, type, turn).values.find(
      ([{ id }]) => id === account.fields[type][name]!.id,
    )
    if (found) return found[1][0] as Tellable
  }
}
/** A filter by a custom field of leads. */
export const field = ({ fields }: LargeAccount, name: string, value: Tellable) => ({
  custom_fields_values: { [fields.leads[name]!.id]: value },
})
export const choice = ({ fields }: LargeAccount, name: string, ...indexes: number[]) =>
  indexes.map((index) => fields.leads[name]!.enums[index]!)
export const status = ({ pipelines }: LargeAccount, turn: number) => ({
  pipeline_id: pipelines[turn % 3]!.id,
  status_id: turn % 2 ? won : lost,
})
export const seller = ({ people }: LargeAccount, turn: number) => people.sellers[turn % 10]!

export type Row = [title: string, ask: MeasuredRequest['ask']]

/** Day, month and year of one of the account's days. */
export function dateText(number: number): string {
  return new Date((begin + number * day) * 1000)
    .toISOString()
    .slice(0, 10)
    .split('-')
    .toReversed()
    .join('.')
}
