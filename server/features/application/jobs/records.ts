// Which records a job is about. Those of a filter are found in the order of their ids, a bounded
// number at a time and with the rights of the user, and kept before the first of them is changed: a
// change that makes a record leave the filter, or enter it, decides nothing.
import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { parseQuery } from '../../../http/nested.ts'
import { badRequest, invalidFor } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import { Id } from '../../../http/types.ts'
import { compile } from '../../../http/validate.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { withWrittenDays } from '../../../records/fields/filter.ts'
import { oneOf } from '../../../records/lists/conditions.ts'
import { findRows, openList } from '../../../records/lists/find.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { RecordQuery } from '../../../records/schema.ts'
import { leads } from '../../records/leads/leads.ts'
import { LeadQuery } from '../../records/leads/schema.ts'
import { countRecords, insertRecords, insertRecordsOf } from './queries.ts'
import type { JobRow } from './queries.ts'
import { mostRecords } from './schema.ts'

/** Records looked for in one transaction: the rows of a window, or an insertion of some 50 ms. */
const [foundAtOnce, copiedAtOnce] = [1000, 10_000]

const { filter, query } = LeadQuery.properties
const checkFilter = compile(
  Type.Object({ filter, query, pipeline_id: Type.Optional(Id) }, { additionalProperties: false }),
  'text',
)

/** The list of leads that a filter asks for. Throws a 400 problem for a faulty filter. */
export async function listOf(reader: Reader, actor: Actor, text: string): Promise<ListRequest> {
  const { value, faults } = checkFilter(parseQuery(text))
  if (faults.length > 0) throw invalidFor(...faults)
  const { pipeline_id, ...rest } = value
  const request = { ...rest, order: { id: 'asc' } } as RecordQuery
  const list = await openList(reader, actor, leads, request)
  if (pipeline_id === undefined) return list
  return { ...list, conditions: [...list.conditions, ...oneOf('pipeline_id', [pipeline_id], [])] }
}

/** A filter that finds the same days in all batches, also if the account gets another zone. */
export async function lastingFilter(reader: Reader, actor: Actor, text: string): Promise<string> {
  if (!text.includes('custom_fields_values')) return text
  return withWrittenDays(await fieldsOf(reader, actor.accountId, 'leads'), text)
}

/** Keeps the next records of a job that was not told all; answers the job after that step. */
export async function findRecordsOfJob(tx: Tx, actor: Actor, job: JobRow): Promise<JobRow> {
  const found_to = job.undoes === null ? await find(tx, actor, job) : await copy(tx, job)
  if (found_to !== null) return { ...job, found_to }
  const { count } = (await tx.row<{ count: number }>(countRecords(job)))!
  if (count > mostRecords)
    throw badRequest(`The filter finds more than ${mostRecords} leads, the most of one job`)
  return { ...job, found_to, total: count }
}

/** Answers the last id that was found, null once all are. */
async function find(tx: Tx, actor: Actor, job: JobRow): Promise<number | null> {
  const after = job.found_to!
  const list = await listOf(tx, actor, job.filter ?? '')
  const cursor = after === 0 ? undefined : { key: after, id: after }
  const seek = { after: cursor, offset: 0, limit: foundAtOnce }
  const rows = await findRows(tx, actor, 'leads', list, seek, (way) => {
    const matching = matchingRows('leads', actor, list, seek, way ?? { kind: 'plain' })
    return sql`select record.id from (${matching}) record`
  })
  const found = rows.map(([id]) => Number(id))
  const ids = found.filter((id) => id <= job.last_id)
  if (ids.length > 0) await tx.rows(insertRecords(job, ids))
  const { count } = (await tx.row<{ count: number }>(countRecords(job)))!
  const isAll = found.length < foundAtOnce || ids.length < found.length || count > mostRecords
  return isAll ? null : found.at(-1)!
}

/** Takes over the records of the job that is undone. */
async function copy(tx: Tx, job: JobRow): Promise<number | null> {
  const statement = insertRecordsOf(job, job.undoes!, job.found_to!, copiedAtOnce)
  const { count, last } = (await tx.row<{ count: number; last: number | null }>(statement))!
  return count < copiedAtOnce ? null : last
}
