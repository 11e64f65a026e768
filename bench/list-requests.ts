// The requests for the lists of a large account: every filter (interface: Filtered lists) in each
// form, with few and with many matches, and the usual pairs. A request varies from turn to turn if
// its values can.
import type { Type } from './large/account.ts'
import { begin, emailOf, end, phoneOf, rareName } from './large/records.ts'
import { markers } from './large/words.ts'
import {
  day,
  filter,
  newest,
  pick,
  recent,
  seller,
  some,
  span,
  valueIn,
  within,
} from './list-requests/parts.ts'
import type { MeasuredRequest, Row } from './list-requests/parts.ts'
import { ofLeads } from './list-requests/leads.ts'

/** The requests for all three record types. */
const ofAll = (type: Type): Row[] => [
  ['nothing', () => ({})],
  ['id', (turn, account) => filter({ id: account.first[type] + some(account, type, turn).number })],
  [
    '100 ids',
    (turn, account) =>
      filter({
        id: Array.from(
          { length: 100 },
          (_, index) => account.first[type] + some(account, type, turn * 100 + index).number,
        ),
      }),
  ],
  ['a name', (turn, account) => filter({ name: some(account, type, turn).columns['name']! })],
  ['a name of 50', () => filter({ name: rareName })],
  [
    'several names',
    (turn, account) =>
      filter({ name: [rareName, some(account, type, turn).columns['name']!, 'nobody'] }),
  ],
  ['responsible, 50', (_, { people }) => filter({ responsible_user_id: people.rare })],
  ['responsible, 10 %', (turn, account) => filter({ responsible_user_id: seller(account, turn) })],
  [
    'several responsible',
    (turn, account) =>
      filter({ responsible_user_id: [seller(account, turn), account.people.rare] }),
  ],
  ['created by, 50', (_, { people }) => filter({ created_by: people.rare })],
  ['created by, 10 %', (turn, account) => filter({ created_by: seller(account, turn) })],
  ['updated by, 50', (_, { people }) => filter({ updated_by: people.rare })],
  ['updated by, 10 %', (turn, account) => filter({ updated_by: seller(account, turn) })],
  ['created, a day', (turn) => filter({ created_at: span(turn, 1) })],
  ['created, a quarter', (turn) => filter({ created_at: span(turn, 91) })],
  ['created, from a time on', (turn) => filter({ created_at: begin + pick(turn, 700) * day })],
  ['updated, a day', (turn) => filter({ updated_at: span(turn, 1) })],
  ['updated, a quarter', (turn) => filter({ updated_at: span(turn, 91) })],
  ['updated, the last day', () => filter({ updated_at: recent })],
  ['closest task: none', () => filter({ closest_task_at: 0 })],
  [
    'closest task, a day',
    (turn) => filter({ closest_task_at: within(end + (pick(turn, 36) - 7) * day, day) }),
  ],
  ['closest task, from now on', () => filter({ closest_task_at: { from: end } })],
  ['in order of change, latest first', () => newest],
  ['in order of change, earliest first', () => ({ order: { updated_at: 'asc' } })],
  ['in order of creation, latest first', () => ({ order: { created_at: 'desc' } })],
  ['in order of creation, earliest first', () => ({ order: { created_at: 'asc' } })],
  ['in order of ids, last first', () => ({ order: { id: 'desc' } })],
  ['search: a word of 50', () => ({ query: markers[type] })],
  ['search: a part of a word of 50', () => ({ query: markers[type].slice(2, 8).toUpperCase() })],
  ['search: nothing matches', (turn) => ({ query: `xqzj${turn}` })],
]

const ofPeople = (type: 'contacts' | 'companies'): Row[] => [
  [
    'phone as it was sent',
    (turn, a) => ({ query: phoneOf(some(a, type, turn).number, type === 'contacts' ? 9 : 4) }),
  ],
  [
    'search: digits of a phone',
    (turn, a) => ({
      query: phoneOf(some(a, type, turn).number, type === 'contacts' ? 9 : 4).replaceAll(/\D/g, ''),
    }),
  ],
  [
    'responsible, latest change first',
    (turn, a) => filter({ responsible_user_id: seller(a, turn) }, newest),
  ],
]

const ofContacts: Row[] = [
  ['search: e-mail', (turn, a) => ({ query: emailOf(some(a, 'contacts', turn).number) })],
  ['search: first and last name', (turn, a) => ({ query: some(a, 'contacts', turn).names[0]! })],
  [
    'search: a last name',
    (turn, a) => ({ query: String(some(a, 'contacts', turn).columns['last_name']) }),
  ],
  ['search: a Cyrillic name of 50', () => ({ query: markers.cyrillic })],
  [
    'text field',
    (turn, a) =>
      filter({
        custom_fields_values: {
          [a.fields.contacts['Position']!.id]: [valueIn(a, 'contacts', 'Position', turn)],
        },
      }),
  ],
]

export const requests: MeasuredRequest[] = [
  ...of('leads', [...ofAll('leads'), ...ofLeads]),
  ...of('contacts', [...ofAll('contacts'), ...ofPeople('contacts'), ...ofContacts]),
  ...of('companies', [...ofAll('companies'), ...ofPeople('companies')]),
]

function of(type: Type, rows: Row[]): MeasuredRequest[] {
  return rows.map(([title, ask]) => ({ title, type, ask }))
}
