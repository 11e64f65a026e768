// The first floor: Kontor's statements from a bare node:http server, without framework, access
// check or validation. The time that Kontor takes longer is the price of those. The second floor
// shows what the statements themselves cost (plain.ts).
import { startWriting } from '../server/access/actor.ts'
import sql from 'sql-template-tag'
import { record } from '../server/changes/record.ts'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import type { Tx } from '../server/database/connect.ts'
import { embed } from '../server/records/lists/embed.ts'
import type { RecordDescription } from '../server/records/description.ts'
import { groupsOfActiveUsers } from '../server/records/people.ts'
import { noFields } from '../server/records/fields/definitions.ts'
import { listRequestOf } from '../server/records/lists/find.ts'
import { recordList } from '../server/records/lists/pages.ts'
import { linesOf, oneRecord, writtenRecords } from '../server/records/lists/select.ts'
import { addedEntry } from '../server/records/writing/create.ts'
import { insertRows, lockRows, updateRows } from '../server/records/writing/statements.ts'
import type { InsertedRow } from '../server/records/writing/statements.ts'
import type { RecordRow } from '../server/records/description.ts'
import type { RecordQuery } from '../server/records/schema.ts'
import { tagsByName } from '../server/records/tags.ts'
import { contacts } from '../server/features/records/contacts/contacts.ts'
import { customers } from '../server/features/records/customers/customers.ts'
import type { CustomerRow } from '../server/features/records/customers/schema.ts'
import { leads } from '../server/features/records/leads/leads.ts'
import type { LeadRow } from '../server/features/records/leads/schema.ts'
import {
  addToCounts,
  segmentIds,
  segmentRuleRows,
} from '../server/features/records/segments/queries.ts'
import { account, serve } from './bare.ts'
import type { BareRequest } from './bare.ts'
import { addCalls } from './floor-calls.ts'
import { createNotes, listNotes } from './floor-notes.ts'
import { createTasks, listTasks } from './floor-tasks.ts'
import type { SentTask } from './floor-tasks.ts'
import { createTransactions, listTransactions } from './floor-transactions.ts'
import {
  lockTargetPipelines,
  stagesAround,
} from '../server/features/definitions/pipelines/pipelines.ts'
import { serverItself } from '../server/access/user-access.ts'

const { userId } = account
const config = readConfig()
const database = connect(config.databaseUrl!, config.databasePool)
const actor = { ...serverItself(account.id, 0), userId }
const nothing: ReadonlySet<string> = new Set()

/** The differences between the record types of the bench. */
interface Floor {
  kind: RecordDescription
  /** A type's own columns of new records, after the queries that Kontor runs for them. */
  draft(tx: Tx, items: Sent[]): Promise<(item: Sent) => { name: string }>
  /** The queries that Kontor runs before a change. */
  prepare(tx: Tx, before: RecordRow[]): Promise<unknown>
  /** Whether a creation answers whole records. */
  isWhole?: true
  field: 'price' | 'name'
  event: string
  value(of: unknown): object
}

interface Sent {
  id: number
  name: string
  price?: number
  first_name?: string
  last_name?: string
  next_date?: number
  next_price?: number
  _embedded?: { tags?: { name: string }[]; segments?: { id: number }[] }
}

const floors: Record<string, Floor> = {
  leads: {
    kind: leads,
    async draft(tx) {
      await lockTargetPipelines(tx, actor, [{}], 'create')
      const stages = await stagesAround(tx, actor, [], [])
      const stage = {
        pipeline_id: stages.main,
        status_id: stages.first(stages.main)!,
        loss_reason_id: null,
        closed_at: null,
      }
      return ({ name, price }) => ({ name, price, ...stage })
    },
    prepare: (tx, before) =>
      stagesAround(
        tx,
        actor,
        (before as LeadRow[]).map((row) => row.pipeline_id),
        [],
      ),
    field: 'price',
    event: 'sale_field_changed',
    value: (sale) => ({ sale_field_value: { sale } }),
  },
  contacts: {
    kind: contacts,
    async draft(tx) {
      await tx.row(
        sql`select contact_name_display_order as order from accounts where id = ${actor.accountId}`,
      )
      return ({ first_name, last_name }) => ({
        name: `${first_name} ${last_name}`,
        first_name,
        last_name,
      })
    },
    prepare: () => Promise.resolve(),
    field: 'name',
    event: 'name_field_changed',
    value: (name) => ({ name_field_value: { name } }),
  },
  customers: {
    kind: customers,
    async draft(tx) {
      const [ordinary] = await tx.rows<{ id: number }>(sql`
        select id from customer_statuses where account_id = ${actor.accountId} and type = 0 order by id for key share`)
      await tx.rows(sql`select timezone from accounts where id = ${actor.accountId}`)
      await tx.rows(segmentIds(actor))
      await tx.rows(segmentRuleRows(actor))
      return ({ name, next_date, next_price, _embedded }) => {
        const segment_ids = _embedded?.segments?.map(({ id }) => id) ?? []
        return {
          name,
          next_date,
          next_price,
          periodicity: 0,
          status_id: ordinary!.id,
          is_status_by_hand: false,
          status_due_at: next_date! - 86_400,
          segments_due_at: null,
          segment_ids,
          segment_ids_by_hand: segment_ids,
          ltv: 0,
          purchases_count: 0,
          last_purchase_at: null,
        }
      }
    },
    prepare: () => Promise.resolve(),
    isWhole: true,
    field: 'name',
    event: 'name_field_changed',
    value: (name) => ({ name_field_value: { name } }),
  },
}

serve(answer)

async function answer({
  method,
  base,
  pathname,
  type,
  rest,
  query,
  body,
}: BareRequest): Promise<string> {
  actor.at = Math.floor(Date.now() / 1000)
  if (rest === 'notes') {
    if (method === 'GET') return listNotes(database, actor, base, query)
    return written(
      base,
      type,
      await createNotes(database, actor, (await body()) as Parameters<typeof createNotes>[2]),
    )
  }
  if (type === 'customers' && pathname.endsWith('/transactions')) {
    if (method === 'GET') return listTransactions(database, actor, base, query)
    const items = (await body()) as Parameters<typeof createTransactions>[3]
    return written(base, type, await createTransactions(database, actor, Number(rest), items))
  }
  if (type === 'calls')
    return written(
      base,
      type,
      await addCalls(database, actor, (await body()) as Parameters<typeof addCalls>[2]),
    )
  if (type === 'tasks') {
    if (method === 'GET') return listTasks(database, actor, base, query)
    return written(base, type, await createTasks(database, actor, (await body()) as SentTask[]))
  }
  const floor = floors[type]!
  if (method === 'POST') return create(base, floor, (await body()) as Sent[])
  if (method === 'PATCH') return written(base, type, await change(floor, (await body()) as Sent[]))
  if (!rest) return list(base, floor, query)
  const [row] = await database.cells('page', oneRecord(floor.kind, actor, base, Number(rest)))
  const one = linesOf(floor.kind, actor, nothing, [row!.slice(1)])
  return (await embed(database, actor, base, floor.kind, nothing, one))[0]!.json
}

async function list(base: string, { kind }: Floor, query: URLSearchParams): Promise<string> {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const { page = 1, limit = 50 } = { page: number('page'), limit: number('limit') }
  const [from, to] = [number('filter[price][from]'), number('filter[price][to]')]
  const price = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const filter = (from === undefined ? {} : { filter: { price } }) as RecordQuery
  // As in Kontor: a page that follows an earlier one begins after its last row.
  const name = `${kind.type} ${from} ${limit}`
  const after = ends.get(`${name} ${page}`)
  const seek = { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 }
  const rows = await database.cells(
    from === undefined ? 'page' : 'list',
    recordList(kind, actor, base, listRequestOf(kind, actor, filter, noFields), seek),
  )
  const bare = linesOf(kind, actor, nothing, rows)
  const lines = await embed(database, actor, base, kind, nothing, bare)
  if (lines.length > limit) lines.pop()
  const { key, id } = lines.at(-1) ?? { key: 0, id: 0 }
  ends.set(`${name} ${page + 1}`, { key, id })
  return `{"_page":${page},"_links":{},"_embedded":{"${kind.type}":[${lines.map(({ json }) => json).join(',')}]}}`
}

const ends = new Map<string, { key: number | string; id: number | string }>()

function create(base: string, { kind, draft, isWhole }: Floor, items: Sent[]): Promise<string> {
  return database.transaction(async (tx) => {
    const names = [
      ...new Set(items.flatMap(({ _embedded }) => _embedded?.tags?.map(({ name }) => name) ?? [])),
    ]
    const tags = await tagsByName(tx, actor, kind.type, names)
    const groups = await groupsOfActiveUsers(tx, actor, [userId])
    const own = await draft(tx, items)
    const rows = items.map((item) => ({
      responsible_user_id: userId,
      group_id: groups.get(userId)!,
      created_by: userId,
      updated_by: userId,
      created_at: actor.at,
      updated_at: actor.at,
      custom_fields_values: null,
      tag_ids: item._embedded?.tags?.map((tag) => tags.get(tag.name)!.id) ?? [],
      numbers: [],
      texts: [],
      isUntitled: false,
      text: item.name ?? '',
      grams: item.name ?? '',
      ...own(item),
    }))
    const inserted = await tx.rows<InsertedRow>(insertRows(kind, actor, rows))
    await record(
      tx,
      startWriting(tx, actor),
      inserted.map((row) => addedEntry(kind.type, row)),
    )
    const ids = inserted.map(({ id }) => id)
    if (!isWhole) return written(base, kind.type, ids)
    const moves = rows.flatMap((row) => (row as unknown as CustomerRow).segment_ids)
    const counts = [...Map.groupBy(moves, (id) => id)].toSorted(([a], [b]) => a - b)
    await tx.rows(
      addToCounts(
        actor,
        counts.map(([id]) => id),
        counts.map(([, ids]) => ids.length),
      ),
    )
    const cells = await tx.cells('rows', writtenRecords(kind, actor, base, ids))
    const bare = linesOf(kind, actor, nothing, cells)
    const lines = await embed(tx, actor, base, kind, nothing, bare)
    return `{"_links":{},"_embedded":{"${kind.type}":[${lines.map(({ json }) => json).join(',')}]}}`
  })
}

function change(
  { kind, prepare, field, event: type, value }: Floor,
  items: Sent[],
): Promise<number[]> {
  return database.transaction(async (tx) => {
    const ids = items.map(({ id }) => id)
    const locked = await tx.rows<RecordRow & { price: number }>(lockRows(kind, actor, ids, 'edit'))
    const before = new Map(locked.map((row) => [row.id, row]))
    await prepare(tx, locked)
    await groupsOfActiveUsers(tx, actor, [userId])
    const after = items.map((item) => ({
      ...before.get(item.id)!,
      [field]: item[field],
      updated_at: actor.at,
    }))
    await tx.rows(updateRows(kind, actor, after))
    const news = after.map((row) => {
      const { [field]: was, updated_at } = before.get(row.id)!
      const event = { type, value_before: [value(was)], value_after: [value(row[field])] }
      return {
        type: kind.type,
        id: row.id,
        actions: ['update' as const],
        before: { [field]: was, updated_at },
        events: [event],
      }
    })
    await record(tx, startWriting(tx, actor), news)
    return ids
  })
}

function written(base: string, type: string, ids: number[]): string {
  const records = ids.map((id, index) => ({
    id,
    request_id: String(index),
    _links: { self: { href: `${base}/api/v4/${type}/${id}` } },
  }))
  return JSON.stringify({ _embedded: { [type]: records } })
}
