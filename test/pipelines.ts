// Shared by tests of pipelines and statuses.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database, Tx } from '../server/database/connect.ts'
import { newFaults } from '../server/http/batch.ts'
import { serverItself } from '../server/access/user-access.ts'
import type { TestAccount } from './account.ts'
import type { Answer, Client } from './client.ts'
import { untilAwaited } from './locks.ts'

export const pipelines = '/api/v4/leads/pipelines'
export const statusesOf = (pipeline: number) => `${pipelines}/${pipeline}/statuses`

export interface ShownStatus {
  id: number
  name: string
  sort: number
  color: string
  type: number
}

/** Creates one pipeline. Answers it as the interface shows it. */
export async function newPipeline(api: Client, draft: object = {}) {
  const { status, body } = await api.post(pipelines, [{ name: 'Another', ...draft }])
  if (status !== 200) throw new Error(`the pipeline was refused: ${JSON.stringify(body)}`)
  return body._embedded.pipelines[0]
}

/** A pipeline with ordinary statuses of these names: its id, and their ids by name. */
export async function pipelineOf(api: Client, ...names: string[]) {
  const made = await newPipeline(api, { _embedded: { statuses: names.map((name) => ({ name })) } })
  const shown = made._embedded.statuses as ShownStatus[]
  return {
    id: made.id as number,
    at: Object.fromEntries(shown.map(({ id, name }) => [name, id])) as Record<string, number>,
  }
}

/** The names and sorts of the ordinary statuses in a list, `New 20`, in their order. */
export async function ordinaryIn(api: Client, pipeline: number): Promise<string[]> {
  const { statuses } = (await api.get(statusesOf(pipeline))).body._embedded as {
    statuses: ShownStatus[]
  }
  return statuses
    .filter(({ id, type }) => type === 0 && id > 143)
    .map(({ name, sort }) => `${name} ${sort}`)
}

/** The account's leads, also in the bin, whose status or pipeline does not exist. */
export async function strays({ id, kontor: { database } }: TestAccount): Promise<number[]> {
  const rows = await database.rows<{ id: number }>(sql`
    select id from leads lead where account_id = ${id} and not exists (
      select from statuses status where status.account_id = lead.account_id and status.pipeline_id = lead.pipeline_id
                                    and status.id = lead.status_id)`)
  return rows.map((row) => row.id)
}

export const actorIn = ({ id, kontor }: TestAccount) => serverItself(id, kontor.now())

/** Values as a batch for verbs. */
export const batchOf = <Value extends object>(...values: Value[]) => ({
  items: values.map((value, index) => ({ index, request_id: String(index), value })),
  faults: newFaults(),
})

/**
 * Runs a deletion. Once it has deleted and before it commits, sends `second`, which has to wait.
 * Answers the answer of `second`.
 */
export async function whileDeleting(
  account: TestAccount,
  remove: (database: Database) => Promise<void>,
  second: () => Promise<Answer>,
): Promise<Answer> {
  const { database } = account.kontor
  let answer: Promise<Answer> | undefined
  const stopping = (tx: Tx): Tx => ({
    ...tx,
    rows: async <Row extends object>(statement: Sql) => {
      const rows = await tx.rows<Row>(statement)
      if (/delete from (?:pipelines|statuses)/.test(statement.text)) {
        answer ??= second()
        await untilAwaited(tx)
      }
      return rows
    },
  })
  await remove({
    ...database,
    transaction: (work) => database.transaction((tx) => work(stopping(tx))),
  })
  if (!answer) throw new Error('nothing was deleted')
  return answer
}
