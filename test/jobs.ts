// Shared by tests of jobs.
import sql from 'sql-template-tag'
import { expect, onTestFinished } from 'vitest'
import type { TestAccount } from './account.ts'
import type { Client } from './client.ts'

export interface TestJob {
  id: number
  kind: string
  entity_type: string
  state: string
  total: number | null
  done: number
  skipped: number
  faults: { id: number; detail: string }[]
  may_undo: boolean
  undone_by: number | null
  undoes: number | null
  detail: string | null
  is_cancelling: boolean
}

/** Asks for a job; answers it as it begins. */
export async function ask(api: Client, request: object): Promise<TestJob> {
  const { status, body } = await api.post('/web/v1/bulk', { entity_type: 'leads', ...request })
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'waiting' })])
  return body
}

export const readJob = async (api: Client, id: number): Promise<TestJob> =>
  (await api.get(`/web/v1/jobs/${id}`)).body

/** Waits for the end of a job. */
export async function ended(api: Client, { id }: Pick<TestJob, 'id'>): Promise<TestJob> {
  let job: TestJob | undefined
  await expect
    .poll(async () => (job = await readJob(api, id)).state, { timeout: 30_000, interval: 20 })
    .toMatch(/done|cancelled|failed/)
  return job!
}

export const bulk = async (api: Client, request: object): Promise<TestJob> =>
  ended(api, await ask(api, request))

export async function undo(api: Client, { id }: Pick<TestJob, 'id'>): Promise<TestJob> {
  const { status, body } = await api.post(`/web/v1/jobs/${id}/undo`)
  expect([status, body]).toEqual([202, expect.objectContaining({ kind: 'undo', undoes: id })])
  return ended(api, body)
}

/** Holds a lead in a transaction of its own until it is let go. */
export async function lockLead({ id: account, kontor: { database } }: TestAccount, lead: number) {
  const client = await database.connection()
  await client.query('begin')
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { pid } = rows[0]!
  await client.query('select from leads where account_id = $1 and id = $2 for update', [
    account,
    lead,
  ])
  let isLocked = true
  const letGo = async () => {
    if (!isLocked) return
    isLocked = false
    await client.query('rollback')
    await client.end()
  }
  onTestFinished(letGo)
  const isWaitedFor = async () => {
    const waiting = sql`select from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`
    return (await database.row(waiting)) !== undefined
  }
  return Object.assign(letGo, { pid, isWaitedFor })
}

/** Asks for a job that merges or deletes a definition; answers it as it begins. */
export async function startDefinitionJob(api: Client, request: object): Promise<TestJob> {
  const { status, body } = await api.post('/web/v1/definition-jobs', request)
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'waiting' })])
  return body
}

/**
 * Sends requests that write leads, those of each function one after the other, until a job has ended. Answers the job,
 * all statuses, and the leads that were written.
 */
export async function writeUntilEnded(
  api: Client,
  asked: TestJob,
  sends: ((turn: number) => ReturnType<Client['post']>)[],
): Promise<{ job: TestJob; statuses: number[]; written: number[] }> {
  const statuses: number[] = []
  const written: number[] = []
  const isGoing = async () => /waiting|running/.test((await readJob(api, asked.id)).state)
  await Promise.all(
    sends.map(async (send) => {
      for (let turn = 0; await isGoing(); turn++) {
        const { status, body } = await send(turn)
        statuses.push(status)
        if (status === 200)
          written.push(...(body._embedded.leads as { id: number }[]).map(({ id }) => id))
      }
    }),
  )
  return { job: await ended(api, asked), statuses, written }
}
