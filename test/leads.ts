// Shared by tests of leads, their news and their rights.
import sql from 'sql-template-tag'
import { createPipeline } from '../server/features/definitions/pipelines/pipelines.ts'
import { forgetAccess } from '../server/access/remembered.ts'
import type { RightLevel } from '../server/access/rights.ts'
import type { TestAccount, TestUser } from './account.ts'
import type { Answer, Client } from './client.ts'

export const won = 142
export const lost = 143

/** Creates leads. Answers their ids in the order of the drafts. */
export async function addLeads(api: Client, drafts: object[]): Promise<number[]> {
  const { status, body } = await api.post('/api/v4/leads', drafts)
  if (status !== 200) throw new Error(`the leads were refused: ${JSON.stringify(body)}`)
  return body._embedded.leads.map(({ id }: { id: number }) => id)
}

export async function addLead(api: Client, draft: object = {}): Promise<number> {
  const [id] = await addLeads(api, [draft])
  return id!
}

/** A lead as its API shows it. */
export async function readLead(api: Client, id: number) {
  return (await api.get(`/api/v4/leads/${id}`)).body
}

/** The faults of each item of a refused batch: `{ '<request_id>': ['<code> <path>'] }`. */
export function faultsOf({ body }: Answer): Record<string, string[]> {
  const items = body['validation-errors'] as {
    request_id: string
    errors: { code: string; path: string }[]
  }[]
  return Object.fromEntries(
    items.map(({ request_id, errors }) => [
      request_id,
      errors.map(({ code, path }) => `${code} ${path}`),
    ]),
  )
}

export interface TestPipeline {
  id: number
  unsorted: number
  /** The ordinary statuses, neither won nor lost, in order. */
  statuses: [number, number, number, ...number[]]
}

export async function mainPipeline({ id, kontor }: TestAccount): Promise<TestPipeline> {
  const found = await kontor.database.row<{ id: number }>(
    sql`select id from pipelines where account_id = ${id} and is_main`,
  )
  return readPipeline(id, kontor, found!.id)
}

/** Adds a pipeline that is not the main one. */
export async function addPipeline({ id, kontor }: TestAccount): Promise<TestPipeline> {
  const statuses = ['First', 'Second', 'Third'].map((name) => ({ name, color: '#99ccff' }))
  const draft = { name: 'Another', is_main: false, sort: 2, statuses }
  const made = await kontor.database.transaction(async (tx) => {
    await forgetAccess(tx)
    return createPipeline(tx, id, draft)
  })
  return readPipeline(id, kontor, made)
}

async function readPipeline(
  account_id: number,
  { database }: TestAccount['kontor'],
  id: number,
): Promise<TestPipeline> {
  const rows = await database.rows<{ id: number; type: number }>(
    sql`select id, type from statuses where account_id = ${account_id} and pipeline_id = ${id} order by sort`,
  )
  const ordinary = rows
    .filter((row) => row.type === 0 && row.id !== won && row.id !== lost)
    .map((row) => row.id)
  return {
    id,
    unsorted: rows.find(({ type }) => type === 1)!.id,
    statuses: ordinary as TestPipeline['statuses'],
  }
}

/** Adds a group of users. Answers its id. */
export async function addGroup({ id, kontor }: TestAccount): Promise<number> {
  const group = await kontor.database.transaction((tx) =>
    tx.row<{ id: number }>(
      sql`insert into groups (account_id, name) values (${id}, 'A group') returning id`,
    ),
  )
  return group!.id
}

/** A user with these rights to leads; all others are denied. */
export function addSeller(
  account: TestAccount,
  leads: Partial<Record<'view' | 'edit' | 'add', RightLevel>>,
  group_id = 0,
): Promise<TestUser> {
  const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
  return account.addUser({ group_id, rights: { leads: { ...denied, ...leads } } })
}

export interface JournalRow {
  entity_type: string
  entity_id: number
  actions: string[]
  before: Record<string, unknown> | null
  after: Record<string, unknown>
  created_by: number
}

/**
 * All journal rows and events of the account, oldest first: the journal as followers read it, the
 * event log as its API shows it.
 */
export async function newsOf({ id, kontor, api }: TestAccount) {
  const journal = await kontor.database.rows<JournalRow>(sql`
    select entity_type, entity_id, actions, before, after, created_by from journal where account_id = ${id} order by id`)
  const events = []
  for (let next: string | undefined = '/api/v4/events?limit=100'; next;) {
    const { body }: Answer = await api.get(next)
    events.push(...body._embedded.events)
    next = body._links.next?.href
  }
  return { journal, events: events.toReversed() }
}

/** Marks this moment. The function that it answers reads the journal rows and events since then. */
export async function listen(account: TestAccount) {
  const before = await newsOf(account)
  return async () => {
    const { journal, events } = await newsOf(account)
    return {
      journal: journal.slice(before.journal.length),
      events: events.slice(before.events.length),
    }
  }
}

/** An event without the members that differ in each run. */
export function plainly({
  type,
  entity_id,
  created_by,
  value_before,
  value_after,
}: Record<string, unknown>) {
  return { type, entity_id, created_by, value_before, value_after }
}
