// The second floor: the best plain SQL that gives the same answers, from a bare node:http server.
// The first floor runs Kontor's own statements and so cannot show their cost. Here each request has
// a statement of its own with a fixed text, without rights and without the search for the best way
// to find rows. PostgreSQL returns columns as text and this file builds the JSON, which costs both
// processes least. Reads equal Kontor's byte for byte (same.ts). The bench's records have no custom
// fields and its users do not move between groups, so nothing is looked up for those.
//
// Writes do the least that leaves the same records with their tags and gives the same answers: they
// look up the sent tags, then one statement, its own transaction, writes all records. No journal,
// event log, search text, system note, lock before a change, or check of the body. All sent tags
// exist already.
import pg from 'pg'
import { compactJson } from '../server/http/compact.ts'
import { readConfig } from '../server/config.ts'
import { account, serve } from './bare.ts'
import type { BareRequest } from './bare.ts'

/** A value as PostgreSQL writes it. */
type Cell = string | null
type Row = Cell[]

const config = readConfig()
const asText: pg.CustomTypesConfig = { getTypeParser: () => String }
const pool = new pg.Pool({
  connectionString: config.databaseUrl,
  max: config.databasePool,
  types: asText,
})

interface Statement {
  name: string
  text: string
}

let statements = 0
const prepared = (text: string): Statement => ({ name: `plain${statements++}`, text })

async function rowsOf(statement: Statement, ...values: unknown[]): Promise<Row[]> {
  return (
    await pool.query<Row>({ ...statement, values: [account.id, ...values], rowMode: 'array' })
  ).rows
}

/** The companies that records are linked with, without those in the bin. */
const linkedFrom = (type: string) => `
  links link join companies
      on companies.account_id = $1 and companies.id = link.to_id and not companies.is_deleted
   where link.account_id = $1 and link.from_type = '${type}' and link.to_type = 'companies'`

/** A tag as answers show it. */
const tagJson = `select row_to_json(tag)::text from (select tags.id, tags.name, tags.color) tag`

/** The statements of every record type. `columns` are those of an answer, beginning with `id`. */
const statementsOf = (type: string, columns: string) => {
  const page = `select ${columns}, tag_ids from ${type} where account_id = $1 and not is_deleted`
  return {
    one: prepared(`
      select ${columns}, tag_ids,
             (select string_agg((${tagJson}), ',' order by array_position(tag_ids, tags.id))
                from tags
               where tags.account_id = $1 and tags.id = any(tag_ids)),
             (select string_agg(link.to_id::text, ',' order by link.to_id)
                from ${linkedFrom(type)} and link.from_id = $2)
        from ${type} where account_id = $1 and id = $2 and not is_deleted`),
    page: prepared(`${page} and id > $2 order by id limit $3 offset $4`),
    own: prepared(
      `${page} and responsible_user_id = $5 and id > $2 order by id limit $3 offset $4`,
    ),
    /** Tag rows have null in the first column. */
    embedded: prepared(`
      select link.from_id, link.to_id::text
        from ${linkedFrom(type)} and link.from_id = any($2)
       union all
      select null, tags.id || ' ' || (${tagJson})
        from tags where account_id = $1 and id = any($3)`),
    tags: prepared(`
      select lower(name collate kontor), id from tags
       where account_id = $1 and entity_type = '${type}' and lower(name collate kontor) = any($2)`),
  }
}

/** The columns that are equal for all new records: $2 is the user, $3 the time. */
const shared =
  'account_id, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at'
const sharedValues = `
  $1::bigint, $2::bigint, (select group_id from users where account_id = $1 and id = $2::bigint), $2::bigint, $2::bigint, $3::bigint, $3::bigint`

const changed = (type: string, column: string, columnType: string) =>
  prepared(`
    update ${type} record set ${column} = draft.value, updated_by = $2, updated_at = $3
      from unnest($4::bigint[], $5::${columnType}[]) as draft (id, value)
     where record.account_id = $1 and record.id = draft.id and not record.is_deleted
    returning record.id, record.name`)

interface Sent {
  id: number
  name: string
  price: number
  first_name: string
  last_name: string
  _embedded?: { tags: { name: string }[] }
}

interface RecordDescription {
  statements: ReturnType<typeof statementsOf>
  /** The JSON of a row up to its link. */
  shown(row: Row): string
  insert: Statement
  /** The type's own columns of new records, each as a list. */
  inserted(items: Sent[]): unknown[][]
  update: Statement
  field: 'price' | 'name'
}

const kinds: Record<string, RecordDescription> = {
  leads: {
    statements: statementsOf(
      'leads',
      `id, name, price, responsible_user_id, group_id, status_id, pipeline_id, loss_reason_id, source_id,
       created_by, updated_by, created_at, updated_at, closed_at, closest_task_at`,
    ),
    shown: ([
      id,
      name,
      price,
      user,
      group,
      status,
      pipeline,
      reason,
      source,
      creator,
      updater,
      creation,
      update,
      closing,
      task,
    ]) =>
      `{"id":${id},"name":${JSON.stringify(name)},"price":${price},"responsible_user_id":${user},"group_id":${group},` +
      `"status_id":${status},"pipeline_id":${pipeline},"loss_reason_id":${reason},"source_id":${source},` +
      `"created_by":${creator},"updated_by":${updater},"created_at":${creation},"updated_at":${update},` +
      `"closed_at":${closing},"closest_task_at":${task},"is_deleted":false,"score":null,"account_id":${account.id},` +
      `"labor_cost":null`,
    insert: prepared(`
      with stage as materialized (
        select status.pipeline_id, status.id from pipelines pipeline
          join statuses status
            on status.account_id = $1 and status.pipeline_id = pipeline.id and status.type = 0
         where pipeline.account_id = $1 and pipeline.is_main order by status.sort limit 1
      )
      insert into leads (${shared}, tag_ids, name, price, pipeline_id, status_id)
      select ${sharedValues},
             draft.tags::bigint[], draft.name, draft.price, stage.pipeline_id, stage.id
        from stage, unnest($4::text[], $5::text[], $6::bigint[]) as draft (tags, name, price)
      returning id`),
    inserted: (items) => [items.map(({ name }) => name), items.map(({ price }) => price)],
    update: changed('leads', 'price', 'bigint'),
    field: 'price',
  },
  contacts: {
    statements: statementsOf(
      'contacts',
      `id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by,
       created_at, updated_at, closest_task_at`,
    ),
    shown: ([id, name, first, last, user, group, creator, updater, creation, update, task]) =>
      `{"id":${id},"name":${JSON.stringify(name)},"first_name":${JSON.stringify(first)},` +
      `"last_name":${JSON.stringify(last)},"responsible_user_id":${user},"group_id":${group},"created_by":${creator},` +
      `"updated_by":${updater},"created_at":${creation},"updated_at":${update},"closest_task_at":${task},` +
      `"is_deleted":false,"is_unsorted":false,"account_id":${account.id}`,
    insert: prepared(`
      insert into contacts (${shared}, tag_ids, name, first_name, last_name)
      select ${sharedValues}, draft.tags::bigint[],
             draft.first_name || ' ' || draft.last_name, draft.first_name, draft.last_name
        from unnest($4::text[], $5::text[], $6::text[]) as draft (tags, first_name, last_name)
      returning id`),
    inserted: (items) => [
      items.map(({ first_name }) => first_name),
      items.map(({ last_name }) => last_name),
    ],
    update: changed('contacts', 'name', 'text'),
    field: 'name',
  },
}

/**
 * A page by price, along the prices if few leads match, along the ids if many do; `+ 0` keeps
 * PostgreSQL from the other index. The requests of the bench are known, so the choice costs
 * nothing.
 */
const byPrice = (() => {
  const { text } = kinds['leads']!.statements.page
  const between = (price: string, order: string) =>
    prepared(text.replace('order by id', `and ${price} between $5 and $6 order by ${order}`))
  return { few: between('price', 'id + 0'), many: between('price + 0', 'id') }
})()

/** The width of a price range with few leads. */
const narrow = 10_000

const noteStatements = {
  page: prepared(`
    select id, entity_id, created_by, updated_by, created_at, updated_at, responsible_user_id, group_id,
           note_type, params
      from notes note
     where account_id = $1 and entity_type = 'leads' and note_type <> 'entity_added' and id > $2
       and exists (select from leads lead
                    where lead.account_id = $1 and lead.id = note.entity_id and not lead.is_deleted)
     order by id limit $3 offset $4`),
  insert: prepared(`
    insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id,
                       group_id, created_by, updated_by, created_at, updated_at)
    select $1::bigint, 'leads', lead.id, draft.note_type, draft.params::jsonb,
           lead.responsible_user_id, lead.group_id, $2::bigint, $2::bigint, $3::bigint, $3::bigint
      from unnest($4::bigint[], $5::text[], $6::text[]) as draft (entity_id, note_type, params)
      join leads lead on lead.account_id = $1 and lead.id = draft.entity_id and not lead.is_deleted
    returning entity_id, id`),
}

const customerColumns = `id, name, next_price, next_date, responsible_user_id, status_id, periodicity, created_by, updated_by,
           created_at, updated_at, closest_task_at, ltv, purchases_count`

const customerStatements = {
  page: prepared(`
    select ${customerColumns}, tag_ids, segment_ids from customers
     where account_id = $1 and not is_deleted and id > $2 order by id limit $3 offset $4`),
  /** The tags and segments of a page; segments have null as their text. */
  embedded: prepared(`
    select id, (${tagJson}) from tags where account_id = $1 and id = any($2)
     union all
    select id, null from segments where account_id = $1 and id = any($3)`),
  tags: prepared(`
    select lower(name collate kontor), id from tags
     where account_id = $1 and entity_type = 'customers' and lower(name collate kontor) = any($2)`),
  insert: prepared(`
    with draft as materialized (
      select nextval('customers_id') as id, *
        from unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[]) as draft (name, tags, date, price, segments)
    ), counted as (
      insert into segment_counts (account_id, segment_id, customers)
      select $1::bigint, segment, count(*) from draft, unnest(draft.segments::bigint[]) segment group by segment
    )
    insert into customers (account_id, id, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, tag_ids,
                           name, next_date, next_price, status_id, segment_ids, segment_ids_by_hand)
    select $1::bigint, id, $2::bigint, (select group_id from users where account_id = $1 and id = $2::bigint), $2::bigint, $2::bigint,
           $3::bigint, $3::bigint, draft.tags::bigint[], name, date, price,
           (select id from customer_statuses where account_id = $1 and type = 0 limit 1), segments::bigint[], segments::bigint[]
      from draft
    returning ${customerColumns}, tag_ids, segment_ids`),
}

const transactionStatements = {
  page: prepared(`
    select id, price, comment, completed_at, customer_id, created_by, updated_by, created_at, updated_at,
           (select string_agg('{"id":' || element_id || ',"metadata":{"catalog_id":' || catalog_id || ',"quantity":' || quantity || '}}',
                              ',' order by element_id)
              from transaction_elements where account_id = $1 and transaction_id = purchase.id)
      from transactions purchase
     where account_id = $1 and not is_deleted and id > $2
       and exists (select from customers customer
                    where customer.account_id = $1 and customer.id = purchase.customer_id and not customer.is_deleted)
     order by id limit $3 offset $4`),
  insert: prepared(`
    with draft as materialized (
      select nextval('transactions_id') as id, *
        from unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]) as draft (price, at, element, catalog)
    ), summed as (
      update customers customer
         set ltv = customer.ltv + sums.total, purchases_count = purchases_count + sums.count,
             last_purchase_at = greatest(last_purchase_at, sums.latest), updated_by = $2, updated_at = $3
        from (select sum(price)::bigint as total, count(*)::int as count, max(at) as latest from draft) sums
       where customer.account_id = $1 and customer.id = $4
    ), bought as (
      insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
      select $1::bigint, id, element, catalog, 2 from draft where element is not null
    )
    insert into transactions (account_id, id, customer_id, price, completed_at, note_id, created_by, updated_by, created_at, updated_at)
    select $1::bigint, id, $4::bigint, price, at, 0, $2::bigint, $2::bigint, $3::bigint, $3::bigint from draft
    returning id`),
}

const callStatements = {
  insert: prepared(`
    with draft as materialized (
      select draft.place, draft.params, card.entity_id as contact, lead.count, lead.id as lead
        from unnest($4::text[], $5::text[]) with ordinality as draft (number, params, place)
        join field_texts card on card.account_id = $1 and card.entity_type = 'contacts' and card.value ~ '^[0-9]+$'
         and card.field_id = (select id from custom_fields where account_id = $1 and entity_type = 'contacts' and code = 'PHONE')
         and right(card.value, 10) = draft.number
        cross join lateral (
          select count(*), min(lead.id) as id
            from links link
            join leads lead on lead.account_id = $1 and lead.id = link.to_id and not lead.is_deleted and lead.status_id not in (142, 143)
           where link.account_id = $1 and link.from_type = 'contacts' and link.from_id = card.entity_id and link.to_type = 'leads') lead
    ), placed as materialized (
      select place, nextval('notes_id') as id, params, case count when 1 then 'leads' else 'contacts' end as type,
             case count when 1 then lead else contact end as entity_id
        from draft
    ), added as (
      insert into notes (${shared}, id, entity_type, entity_id, note_type, params)
      select ${sharedValues}, id, type, entity_id, 'call_in', params::jsonb from placed
    )
    select id, type, entity_id from placed order by place`),
}

const taskStatements = {
  /** The first column is the cursor. */
  page: prepared(`
    select complete_till || '.' || id, id, created_by, updated_by, created_at, updated_at, responsible_user_id, group_id,
           entity_id, task_type_id, text, complete_till
      from tasks task
     where account_id = $1 and responsible_user_id = $4 and not is_completed and not is_deleted
       and exists (select from leads lead
                    where lead.account_id = $1 and lead.id = task.entity_id and not lead.is_deleted)
     order by complete_till, id limit $2 offset $3`),
  insert: prepared(`
    with added as (
      insert into tasks (${shared}, entity_type, entity_id, text, task_type_id, complete_till, duration, is_completed)
      select ${sharedValues}, 'leads', draft.entity_id, draft.text, 1, draft.complete_till, 0, false
        from unnest($4::bigint[], $5::text[], $6::bigint[]) as draft (entity_id, text, complete_till)
      returning id, entity_id, complete_till
    ), closest as (
      update leads set closest_task_at = least(closest_task_at, added.complete_till)
        from added where leads.account_id = $1 and leads.id = added.entity_id
    )
    select id from added order by id`),
}

/** The sellers, who list only their own leads. */
const owners = new Map(account.sellers.map(({ token, userId }) => [`Bearer ${token}`, userId]))

serve((request) => {
  const { method, rest } = request
  if (rest === 'notes') return method === 'GET' ? listNotes(request) : createNotes(request)
  if (request.type === 'customers') {
    if (request.pathname.endsWith('/transactions'))
      return method === 'GET' ? listTransactions(request) : createTransactions(request)
    return method === 'GET' ? listCustomers(request) : createCustomers(request)
  }
  if (request.type === 'calls') return addCalls(request)
  if (request.type === 'tasks') return method === 'GET' ? listTasks(request) : createTasks(request)
  if (method === 'POST') return create(request)
  if (method === 'PATCH') return change(request)
  return rest ? one(request) : list(request)
})

async function one({ type, rest, base }: BareRequest): Promise<string> {
  const { statements, shown } = kinds[type]!
  const [row] = await rowsOf(statements.one, rest)
  const [tags, companies] = row!.splice(-2)
  const ids = companies ? companies.split(',') : []
  return completed(
    shown(row!),
    `${base}/api/v4/${type}/${row![0]}`,
    tags ?? '',
    ids.map((id) => company(base, id)).join(),
  )
}

async function list(request: BareRequest): Promise<string> {
  const { type, base, query, authorization = '' } = request
  const { statements, shown } = kinds[type]!
  const [from, to] = [query.get('filter[price][from]'), query.get('filter[price][to]')]
  const owner = type === 'leads' ? owners.get(authorization) : undefined
  const find = (after: string, limit: number, offset: number) => {
    if (owner !== undefined) return rowsOf(statements.own, after, limit, offset, owner)
    if (from === null) return rowsOf(statements.page, after, limit, offset)
    return rowsOf(
      Number(to) - Number(from) < narrow ? byPrice.few : byPrice.many,
      after,
      limit,
      offset,
      from,
      to,
    )
  }
  return page(request, type, find, async (rows) => {
    const tagLists = rows.map((row) => row.at(-1)!.slice(1, -1))
    // Sellers see no companies.
    const { tags, companies } = await embedded(
      statements.embedded,
      base,
      owner === undefined ? rows : [],
      tagLists,
    )
    return rows.map((row, index) => {
      const its = tagLists[index] ? tagLists[index].split(',').map((id) => tags.get(id)) : []
      return completed(
        shown(row),
        `${base}/api/v4/${type}/${row[0]}`,
        its.join(),
        companies.get(row[0]!) ?? '',
      )
    })
  })
}

async function embedded(statement: Statement, base: string, rows: Row[], tagLists: string[]) {
  const tags = new Map<string, string>()
  const companies = new Map<string, string>()
  const tagIds = new Set(tagLists.flatMap((ids) => (ids ? ids.split(',') : [])))
  const ids = rows.map(([id]) => id).join()
  for (const [from, text] of await rowsOf(statement, `{${ids}}`, `{${[...tagIds].join()}}`)) {
    const space = from === null ? text!.indexOf(' ') : 0
    // A lead or contact has at most one company.
    if (from) companies.set(from, company(base, text!))
    else tags.set(text!.slice(0, space), text!.slice(space + 1))
  }
  return { tags, companies }
}

function company(base: string, id: string): string {
  return `{"id":${id},"_links":{"self":{"href":"${base}/api/v4/companies/${id}"}}}`
}

function completed(shown: string, href: string, tags: string, companies: string): string {
  const embedded = `{"tags":[${tags}],"companies":[${companies}]}`
  return `${shown},"_links":{"self":{"href":"${href}"}},"custom_fields_values":null,"_embedded":${embedded}}`
}

function listNotes(request: BareRequest): Promise<string> {
  const { base } = request
  const find = (after: string, limit: number, offset: number) =>
    rowsOf(noteStatements.page, after, limit, offset)
  return page(request, 'notes', find, (rows) =>
    rows.map(
      ([id, lead, creator, updater, creation, update, user, group, type, params]) =>
        `{"id":${id},"entity_id":${lead},"created_by":${creator},"updated_by":${updater},"created_at":${creation},` +
        `"updated_at":${update},"responsible_user_id":${user},"group_id":${group},"note_type":"${type}",` +
        `"account_id":${account.id},"_links":{"self":{"href":"${base}/api/v4/leads/${lead}/notes/${id}"}},` +
        `"params":${compactJson(params!)}}`,
    ),
  )
}

function listCustomers(request: BareRequest): Promise<string> {
  const find = (after: string, limit: number, offset: number) =>
    rowsOf(customerStatements.page, after, limit, offset)
  return page(request, 'customers', find, (rows) => customersShown(request.base, rows))
}

/** The rows of customers as JSON texts, with their tags and segments. */
async function customersShown(base: string, rows: Row[]): Promise<string[]> {
  const listed = (row: Row, from: number) => row.at(from)!.slice(1, -1)
  const idsAt = (from: number) => {
    const ids = new Set(rows.flatMap((row) => listed(row, from).split(',').filter(Boolean)))
    return `{${[...ids].join()}}`
  }
  const texts = new Map(
    (await rowsOf(customerStatements.embedded, idsAt(-2), idsAt(-1))).map(([id, tag]) => [
      tag === null ? `segment ${id}` : id!,
      tag ?? `{"id":${id},${self(`${base}/api/v4/customers/segments/${id}`)}}`,
    ]),
  )
  const members = (ids: string, kind: string) =>
    ids === ''
      ? ''
      : ids
          .split(',')
          .map((id) => texts.get(kind + id))
          .join()
  return rows.map((row) => {
    const [id, name, price, date, user, status, periodicity, creator, updater, creation, update] =
      row
    const [task, ltv, count] = row.slice(11, 14)
    const average = count === '0' ? 0 : Math.trunc(Number(ltv) / Number(count))
    const embedded = `{"tags":[${members(listed(row, -2), '')}],"segments":[${members(listed(row, -1), 'segment ')}]}`
    return (
      `{"id":${id},"name":${JSON.stringify(name)},"next_price":${price},"next_date":${date},"responsible_user_id":${user},` +
      `"status_id":${status},"periodicity":${periodicity},"created_by":${creator},"updated_by":${updater},` +
      `"created_at":${creation},"updated_at":${update},"closest_task_at":${task},"is_deleted":false,"account_id":${account.id},` +
      `"ltv":${ltv},"purchases_count":${count},"average_check":${average},${self(`${base}/api/v4/customers/${id}`)},` +
      `"custom_fields_values":null,"_embedded":${embedded}}`
    )
  })
}

interface SentCustomer {
  name: string
  next_date: number
  next_price: number
  _embedded?: { tags?: { name: string }[]; segments?: { id: number }[] }
}

async function createCustomers({ base, body }: BareRequest): Promise<string> {
  const items = (await body()) as SentCustomer[]
  const sent = items.map(({ _embedded }) => _embedded?.tags?.map(({ name }) => name) ?? [])
  const tags = new Map(
    (await rowsOf(customerStatements.tags, [...new Set(sent.flat())])) as [string, string][],
  )
  const rows = await rowsOf(
    customerStatements.insert,
    account.userId,
    now(),
    items.map(({ name }) => name),
    sent.map((names) => `{${names.map((name) => tags.get(name)).join()}}`),
    items.map(({ next_date }) => next_date),
    items.map(({ next_price }) => next_price),
    items.map(({ _embedded }) => `{${_embedded?.segments?.map(({ id }) => id).join() ?? ''}}`),
  )
  const shown = await customersShown(base, rows)
  const records = shown.map((json, index) => `${json.slice(0, -1)},"request_id":"${index}"}`)
  return written(`${base}/api/v4/customers`, 'customers', records)
}

function listTransactions(request: BareRequest): Promise<string> {
  const customers = `${request.base}/api/v4/customers/`
  const find = (after: string, limit: number, offset: number) =>
    rowsOf(transactionStatements.page, after, limit, offset)
  return page(request, 'transactions', find, (rows) =>
    rows.map(
      ([id, price, comment, at, customer, creator, updater, creation, update, elements]) =>
        `{"id":${id},"price":${price},"comment":${JSON.stringify(comment)},"completed_at":${at},"customer_id":${customer},` +
        `"created_by":${creator},"updated_by":${updater},"created_at":${creation},"updated_at":${update},"is_deleted":false,` +
        `"account_id":${account.id},"metadata":null,${self(`${customers}${customer}/transactions/${id}`)},` +
        `"_embedded":{"customer":{"id":${customer},${self(customers + customer)}},"catalog_elements":[${elements ?? ''}]}}`,
    ),
  )
}

function listTasks(request: BareRequest): Promise<string> {
  const { base, query } = request
  const user = query.get('filter[responsible_user_id][0]')
  const find = (_after: string, limit: number, offset: number) =>
    rowsOf(taskStatements.page, limit, offset, user)
  return page(request, 'tasks', find, (rows) =>
    rows.map(
      ([, id, creator, updater, creation, update, user, group, lead, type, text, till]) =>
        `{"id":${id},"created_by":${creator},"updated_by":${updater},"created_at":${creation},"updated_at":${update},` +
        `"responsible_user_id":${user},"group_id":${group},"entity_id":${lead},"entity_type":"leads","is_completed":false,` +
        `"task_type_id":${type},"text":${JSON.stringify(text)},"duration":0,"complete_till":${till},"result":[],` +
        `"account_id":${account.id},${self(`${base}/api/v4/tasks/${id}`)}}`,
    ),
  )
}

/** The id after which a page begins, by the page's link, for pages that follow an earlier one. */
const begins = new Map<string, string>()

async function page(
  { base, pathname, query, authorization }: BareRequest,
  collection: string,
  find: (after: string, limit: number, offset: number) => Promise<Row[]>,
  show: (rows: Row[]) => string[] | Promise<string[]>,
): Promise<string> {
  const [number, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)]
  for (const name of ['page', 'limit', 'after']) query.delete(name)
  const others = query.size > 0 ? `${query.toString()}&` : ''
  const link = (page: number) => `${base}${pathname}?${others}page=${page}&limit=${limit}`
  const pageKey = (page: number) => `${authorization} ${link(page)}`
  const after = begins.get(pageKey(number))
  const rows = await find(after ?? '0', limit + 1, after === undefined ? (number - 1) * limit : 0)
  const links = [`"self":{"href":"${link(number)}"}`]
  if (rows.length > limit) {
    rows.pop()
    const last = rows.at(-1)![0]!
    begins.set(pageKey(number + 1), last)
    links.push(`"next":{"href":"${link(number + 1)}&after=${last}"}`)
  }
  if (number > 1)
    links.push(`"first":{"href":"${link(1)}"}`, `"prev":{"href":"${link(number - 1)}"}`)
  const records = (await show(rows)).join()
  return `{"_page":${number},"_links":{${links.join()}},"_embedded":{"${collection}":[${records}]}}`
}

const now = () => Math.floor(Date.now() / 1000)

async function create({ type, base, body }: BareRequest): Promise<string> {
  const { statements, insert, inserted } = kinds[type]!
  const items = (await body()) as Sent[]
  const sent = items.map(
    ({ _embedded }) => _embedded?.tags.map(({ name }) => name.toLowerCase()) ?? [],
  )
  const names = [...new Set(sent.flat())]
  const tags = new Map(
    names.length > 0 ? ((await rowsOf(statements.tags, names)) as [string, string][]) : [],
  )
  if (tags.size < names.length)
    throw new Error('a tag is sent that is not there, and this floor makes none')
  const tagIds = sent.map((names) => `{${names.map((name) => tags.get(name)).join()}}`)
  const ids = await rowsOf(insert, account.userId, now(), tagIds, ...inserted(items))
  const href = `${base}/api/v4/${type}`
  return written(
    href,
    type,
    ids.map(([id], index) => `{"id":${id},"request_id":"${index}",${self(`${href}/${id}`)}}`),
  )
}

async function change({ type, base, body }: BareRequest): Promise<string> {
  const { update, field } = kinds[type]!
  const items = (await body()) as Sent[]
  const at = now()
  const values = items.map((item) => item[field])
  const rows = await rowsOf(
    update,
    account.userId,
    at,
    items.map(({ id }) => id),
    values,
  )
  const names = new Map(rows as [string, string][])
  const href = `${base}/api/v4/${type}`
  return written(
    href,
    type,
    items.map(({ id }, index) => {
      const name = JSON.stringify(names.get(String(id)))
      return `{"id":${id},"name":${name},"request_id":"${index}","updated_at":${at},${self(`${href}/${id}`)}}`
    }),
  )
}

async function createNotes({ base, body }: BareRequest): Promise<string> {
  const items = (await body()) as { entity_id: number; note_type: string; params: object }[]
  const columns = [
    items.map(({ entity_id }) => entity_id),
    items.map(({ note_type }) => note_type),
    items.map(({ params }) => JSON.stringify(params)),
  ]
  // Each note of a request belongs to another lead.
  const ids = new Map(
    (await rowsOf(noteStatements.insert, account.userId, now(), ...columns)) as [string, string][],
  )
  const leads = `${base}/api/v4/leads`
  return written(
    `${leads}/notes`,
    'notes',
    items.map(({ entity_id: lead }, index) => {
      const id = ids.get(String(lead))
      return `{"id":${id},"entity_id":${lead},"request_id":"${index}",${self(`${leads}/${lead}/notes/${id}`)}}`
    }),
  )
}

async function addCalls({ base, body }: BareRequest): Promise<string> {
  const items = (await body()) as { phone: string; duration: number; source: string }[]
  const rows = await rowsOf(
    callStatements.insert,
    account.userId,
    now(),
    items.map(({ phone }) => phone.slice(-10)),
    items.map(({ phone, duration, source }) => JSON.stringify({ phone, duration, source })),
  )
  const calls = rows.map(([id, type, entity], index) => {
    const singular = type === 'leads' ? 'lead' : 'contact'
    return (
      `{"id":${id},"entity_id":${entity},"entity_type":"${singular}","account_id":${account.id},"request_id":"${index}",` +
      `"_embedded":{"entity":{"id":${entity},${self(`${base}/api/v4/${type}/${entity}`)}}}}`
    )
  })
  return `{"_total_items":${rows.length},"errors":[],"_embedded":{"calls":[${calls.join()}]}}`
}

async function createTasks({ base, body }: BareRequest): Promise<string> {
  const items = (await body()) as { entity_id: number; text: string; complete_till: number }[]
  const ids = await rowsOf(
    taskStatements.insert,
    account.userId,
    now(),
    items.map(({ entity_id }) => entity_id),
    items.map(({ text }) => text),
    items.map(({ complete_till }) => complete_till),
  )
  const href = `${base}/api/v4/tasks`
  return written(
    href,
    'tasks',
    ids.map(([id], index) => `{"id":${id},"request_id":"${index}",${self(`${href}/${id}`)}}`),
  )
}

interface SentPurchase {
  price: number
  completed_at: number
  _embedded?: { catalog_elements: [{ id: number; metadata: { catalog_id: number } }] }
}

async function createTransactions({ base, rest: customer, body }: BareRequest): Promise<string> {
  const items = (await body()) as SentPurchase[]
  const bought = items.map(({ _embedded }) => _embedded?.catalog_elements[0])
  const ids = await rowsOf(
    transactionStatements.insert,
    account.userId,
    now(),
    customer,
    items.map(({ price }) => price),
    items.map(({ completed_at }) => completed_at),
    bought.map((element) => element?.id),
    bought.map((element) => element?.metadata.catalog_id),
  )
  const owner = `${base}/api/v4/customers/${customer}`
  const embedded = `"_embedded":{"customer":{"id":${customer},${self(owner)}}}`
  const records = ids.map(
    ([id], index) =>
      `{"id":${id},"customer_id":${customer},"request_id":"${index}",${self(`${owner}/transactions/${id}`)},${embedded}}`,
  )
  return `{"_total_items":${ids.length},${self(`${owner}/transactions`)},"_embedded":{"transactions":[${records.join()}]}}`
}

function written(href: string, collection: string, records: string[]): string {
  return `{${self(href)},"_embedded":{"${collection}":[${records.join()}]}}`
}

function self(href: string): string {
  return `"_links":{"self":{"href":"${href}"}}`
}
