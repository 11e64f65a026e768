// Shared by tests of all record types. Helpers for leads only are in leads.ts.
import { recordTypes } from '../server/records/description.ts'
import type { RecordType } from '../server/records/description.ts'
import type { RightLevel } from '../server/access/rights.ts'
import type { TestAccount, TestUser } from './account.ts'
import type { Answer, Client } from './client.ts'

/** All types of record. */
export const allKinds = recordTypes

/**
 * The types that have names and the shared fields only. The tests of leads and of customers prove
 * what those add.
 */
export const kinds = ['contacts', 'companies'] as const
/** The types without stages. They share tests of which leads have a version of their own. */
export const kindsButLeads = [...kinds, 'customers'] as const

/** The keys that a new record of the type must have. */
export const needed = (kind: RecordType): object =>
  kind === 'customers' ? { name: 'A customer', next_date: 2_000_000_000 } : {}

/** The number of records that one request may write. */
export const mostPerBatch = { leads: 250, contacts: 250, companies: 250, customers: 500 }

/** The type whose rights decide about records of the type. */
export const rightsOf = (kind: RecordType) => (kind === 'customers' ? 'leads' : kind)

/** Whether a creation and a change of one record answer the whole record. */
export const isAnsweredWhole = (kind: RecordType) => kind === 'customers'

export const pathOf = (kind: RecordType) => `/api/v4/${kind}`

/** Creates records. Answers their ids in the order of the drafts. */
export async function addRecords(
  api: Client,
  kind: RecordType,
  drafts: object[],
): Promise<number[]> {
  const sent = drafts.map((draft) => ({ ...needed(kind), ...draft }))
  const { status, body } = await api.post(pathOf(kind), sent)
  if (status !== 200) throw new Error(`the ${kind} were refused: ${JSON.stringify(body)}`)
  return body._embedded[kind].map(({ id }: { id: number }) => id)
}

export async function addRecord(
  api: Client,
  kind: RecordType,
  draft: object = {},
): Promise<number> {
  const [id] = await addRecords(api, kind, [draft])
  return id!
}

/** A record as its API shows it. `query` has no question mark. */
export async function readRecord(api: Client, kind: RecordType, id: number, query = '') {
  return (await api.get(`${pathOf(kind)}/${id}?${query}`)).body
}

/** The ids in a list. */
export function idsIn({ body }: Answer, kind: RecordType): number[] {
  return body._embedded[kind].map(({ id }: { id: number }) => id)
}

export function namesIn({ body }: Answer, kind: RecordType): string[] {
  return body._embedded[kind].map(({ name }: { name: string }) => name)
}

/** The names of the records that a query finds. Fails if the list was not answered. */
export async function find(
  { api }: Pick<TestUser, 'api'>,
  kind: RecordType,
  query = '',
): Promise<string[]> {
  const answer = await api.get(`${pathOf(kind)}?${query}`)
  if (answer.status !== 200)
    throw new Error(`${query} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return namesIn(answer, kind)
}

/** The names that a text search finds. `more` continues the query. */
export const search = (user: Pick<TestUser, 'api'>, kind: RecordType, text: string, more = '') =>
  find(user, kind, `query=${encodeURIComponent(text)}${more}`)

export const letters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: String.fromCharCode(97 + index) }))

export const tagNames = (record: { _embedded: { tags: { name: string }[] } }) =>
  record._embedded.tags.map(({ name }) => name)

/** Whether an event tells of a restored record. */
export const isRestorationLogged = (kind: RecordType) => kind !== 'customers'

/** A user with these rights to one record type; all others are denied. */
export function addUserWith(
  account: TestAccount,
  kind: RecordType,
  letters: Partial<Record<'view' | 'edit' | 'add' | 'delete', RightLevel>>,
  group_id = 0,
): Promise<TestUser> {
  return account.addUser({ group_id, rights: { [rightsOf(kind)]: letters } })
}
