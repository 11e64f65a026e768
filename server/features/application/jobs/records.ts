// Which records a job is about. Those of a filter are found in the order of their ids, a bounded
// number at a time and with the rights of the user, and kept before the first of them is changed: a
// change that makes a record leave the filter, or enter it, decides nothing.
import sql from 'sql-template-tag'
import type { TSchema } from 'typebox'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { parseQuery } from '../../../http/nested.ts'
import { badRequest, invalidFor } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import { Id } from '../../../http/types.ts'
import { compile } from '../../../http/validate.ts'
import type { RecordDescription } from '../../../records/description.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { withWrittenDays } from '../../../records/fields/filter.ts'
import { oneOf, within } from '../../../records/lists/conditions.ts'
import { findRows, openList } from '../../../records/lists/find.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { RecordQuery } from '../../../records/schema.ts'
import { companies } from '../../records/companies/companies.ts'
import { CompanyQuery } from '../../records/companies/schema.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { customers } from '../../records/customers/customers.ts'
import { CustomerQuery } from '../../records/customers/schema.ts'
import { ContactQuery } from '../../records/contacts/schema.ts'
import { leads } from '../../records/leads/leads.ts'
import { LeadQuery } from '../../records/leads/schema.ts'
import { insertRecords, insertRecordsOf, lanesFrom, recordAt } from './queries.ts'
import type { JobRow } from './queries.ts'
import { inSegments } from '../../records/segments/segments.ts'
import { Segments } from '../rows/schema.ts'
import type { RowType } from '../rows/schema.ts'
import type { JobType } from './schema.ts'

/** Records looked for in one transaction: the rows of a window, or an insertion of some 50 ms. */
const [foundAtOnce, copiedAtOnce] = [1000, 10_000]
/** A job of fewer records is done as quickly in one lane: two batches. */
const worthTwoLanes = 501

export const descriptions: Record<JobType, RecordDescription> = {
  leads,
  contacts,
  companies,
  customers,
}

const withBin = { with: Type.Optional(Type.Enum(['only_deleted'])) }
const filtersOf = ({ filter, query }: { filter: TSchema; query: TSchema }, own: object = {}) =>
  compile(
    Type.Object({ filter, query, ...withBin, ...own }, { additionalProperties: false }),
    'text',
  )
const checks = {
  // A board stands beside the filter.
  leads: filtersOf(LeadQuery.properties, { pipeline_id: Type.Optional(Id) }),
  contacts: filtersOf(ContactQuery.properties),
  companies: filtersOf(CompanyQuery.properties),
  customers: filtersOf(CustomerQuery.properties, { segments: Segments }),
}

/** The list of records that a filter asks for. Throws a 400 problem for a faulty filter. */
export async function listOf(
  reader: Reader,
  actor: Actor,
  type: RowType,
  text: string,
): Promise<ListRequest> {
  const { value, faults } = checks[type](parseQuery(text))
  if (faults.length > 0) throw invalidFor(...faults)
  const { pipeline_id, segments, with: wanted, ...rest } = value as SentFilter
  const request: RecordQuery = {
    ...rest,
    order: { id: 'asc' },
    ...(wanted && { with: [wanted] }),
  }
  const list = await openList(reader, actor, descriptions[type], request)
  const beside = [
    ...(pipeline_id === undefined ? [] : oneOf('pipeline_id', [pipeline_id], [])),
    ...inSegments(segments),
  ]
  return { ...list, conditions: [...list.conditions, ...beside] }
}

interface SentFilter extends Pick<RecordQuery, 'filter' | 'query'> {
  pipeline_id?: number
  segments?: number[]
  with?: string
}

/** A filter that finds the same days in all batches, also if the account gets another zone. */
export async function lastingFilter(
  reader: Reader,
  actor: Actor,
  type: JobType,
  text: string,
): Promise<string> {
  if (!text.includes('custom_fields_values')) return text
  return withWrittenDays(await fieldsOf(reader, actor.accountId, type), text)
}

/** Keeps the next records of a job that was not told all, `most` at most; answers the job after that step. */
export async function findRecordsOfJob(
  tx: Tx,
  actor: Actor,
  job: JobRow,
  most: number,
): Promise<JobRow> {
  const step = job.undoes === null ? await find(tx, actor, job) : await copy(tx, job)
  const found = job.found + step.count
  if (job.undoes === null && found > most)
    throw badRequest(`The filter finds more than ${most} records, the most of one job`)
  const { found_to } = step
  if (found_to !== null) return { ...job, found_to, found }
  const middle = Math.ceil(found / 2)
  const second = !isWorthTwoLanes(job.kind, found)
    ? undefined
    : await tx.row<{ id: number }>(recordAt(job, middle))
  const split_at = second?.id ?? null
  return { ...job, found_to, found, total: found, split_at, lanes: lanesFrom(split_at) }
}

/** The record at which a job of these records is split into lanes, null where they are few. */
export function splitOf(kind: JobRow['kind'], ids: readonly number[]): number | null {
  if (!isWorthTwoLanes(kind, ids.length)) return null
  return ids.toSorted((a, b) => a - b)[Math.ceil(ids.length / 2)]!
}

/** Purges of one account wait for each other. */
const isWorthTwoLanes = (kind: JobRow['kind'], count: number): boolean =>
  kind !== 'purge' && count >= worthTwoLanes

/** Records that a step has found. */
interface Found {
  count: number
  /** The last id that was found, null once all are. */
  found_to: number | null
}

async function find(tx: Tx, actor: Actor, job: JobRow): Promise<Found> {
  const { entity_type: type } = job
  // Jobs of definitions have no filter, and they alone change tasks.
  if (type === 'tasks') throw new Error(`job ${job.id} has no filter`)
  const after = job.found_to!
  const listed = await listOf(tx, actor, type, job.filter ?? '')
  // Nobody brings back what is purged: what was deleted after the purge was asked for stays in the bin.
  const list =
    job.kind === 'purge'
      ? {
          ...listed,
          conditions: [
            ...listed.conditions,
            ...within('updated_at', { to: job.created_at - 1 }, 'from'),
          ],
        }
      : listed
  const cursor = after === 0 ? undefined : { key: after, id: after }
  const seek = { after: cursor, offset: 0, limit: foundAtOnce }
  const rows = await findRows(tx, actor, type, list, seek, (way) => {
    const matching = matchingRows(type, actor, list, seek, way ?? { kind: 'plain' })
    return sql`select record.id from (${matching}) record`
  })
  const found = rows.map(([id]) => Number(id))
  const known = found.filter((id) => id <= job.last_id)
  const leftOut = new Set(job.left_out)
  const ids = known.filter((id) => !leftOut.has(id))
  const added =
    ids.length > 0 ? (await tx.row<{ count: number }>(insertRecords(job, ids)))!.count : 0
  const isAll = found.length < foundAtOnce || known.length < found.length
  return { count: added, found_to: isAll ? null : found.at(-1)! }
}

/** Takes over the records of the job that is undone. */
async function copy(tx: Tx, job: JobRow): Promise<Found> {
  const statement = insertRecordsOf(job, job.undoes!, job.found_to!, copiedAtOnce)
  const { count, last } = (await tx.row<{ count: number; last: number | null }>(statement))!
  return { count, found_to: count < copiedAtOnce ? null : last }
}
