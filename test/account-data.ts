// The data of an account, so that tests can search for it in answers to another account, and check
// that another account has not changed it.
import { randomBytes } from 'node:crypto'
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { vi } from 'vitest'
import type { Kontor } from '../server/kontor.ts'
import type { TestAccount } from './account.ts'

/** A word that stands only in the names of one account's records. */
export const newMark = (): string => `mark${randomBytes(6).toString('hex')}`

/**
 * How many rows an account has by table, and the sum of the transactions that wrote them, once the
 * background rests. Equal before and after means that nothing was written in between: a new version
 * of a row has a later writer than all rows before it.
 */
export async function rowsOf({
  id,
  kontor: { database },
}: TestAccount): Promise<Record<string, string>> {
  statement ??= tablesOfAccounts(database).then(digestOf)
  const digest = await statement
  // The background writes records: customers that are due or whose rules changed, what names a
  // deleted tag, segment, field or reason, and the records of jobs.
  const end = performance.now() + 25_000
  return vi.waitUntil(
    async () => {
      const { is_going, ...tables } = (await database.row<Record<string, string>>(digest(id)))!
      return (!is_going || performance.now() > end) && tables
    },
    { timeout: 60_000, interval: 20 },
  )
}

// The blocks of texts follow the records of all accounts, and the tests of search make them at once.
// The calls of programs are written later than they are made, and the deltas of totals are folded later.
const namesOfTables = sql`
  select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     and attname = 'account_id'
     and relname not in ('cleanups', 'blocked_texts', 'text_blocks', 'grant_uses', 'integration_calls', 'channel_calls', 'lead_totals', 'lead_total_deltas', 'listed_counts', 'listed_count_deltas')
   order by 1`

/** The tables with rows of accounts that a request writes before it is answered. */
export const tablesOfAccounts = async (database: Kontor['database']): Promise<string[]> =>
  (await database.rows<{ name: string }>(namesOfTables)).map(({ name }) => name)

/** Reads all tables; the same text for every account, so that connections prepare it. */
let statement: Promise<(account: number) => Sql> | undefined

function digestOf(tables: string[]): (account: number) => Sql {
  return (account) => {
    const digests = tables.map(
      (name) => sql`
        (select count(*) || ' rows, ' || coalesce(sum(xmin::text::bigint), 0) from ${raw(name)}
          where account_id = ${account}) as ${raw(name)}`,
    )
    return sql`select ${isGoing(account)} as is_going, ${join(digests)}`
  }
}

/** Whether the background still has something to write for an account. */
export const isGoing = (account: number): Sql => sql`
  exists (select from customer_reevaluations where account_id = ${account}
           union all select from cleanups where account_id = ${account}
           union all select from jobs where account_id = ${account} and finished_at is null
           union all select from customers
                      where account_id = ${account} and not is_deleted
                        and least(status_due_at, segments_due_at) <= extract(epoch from now()))`

/** Ids by the type of their record. */
export type Ids = Record<string, (number | string)[]>

const kinds = {
  users: sql`select id from users where account_id = `,
  pipelines: sql`select id from pipelines where account_id = `,
  // Won and lost have the same ids in every account.
  statuses: sql`select id from (select account_id, id from statuses where id > 143
                               union all select account_id, id from customer_statuses) each where account_id = `,
  roles: sql`select id from roles where account_id = `,
  groups: sql`select id from groups where id > 0 and account_id = `,
  leads: sql`select id from leads where account_id = `,
  unsorted: sql`select uid as id from unsorted_items where account_id = `,
  contacts: sql`select id from contacts where account_id = `,
  companies: sql`select id from companies where account_id = `,
  customers: sql`select id from customers where account_id = `,
  segments: sql`select id from segments where account_id = `,
  tags: sql`select id from tags where account_id = `,
  loss_reasons: sql`select id from loss_reasons where account_id = `,
  sources: sql`select id from sources where account_id = `,
  notes: sql`select id from notes where note_type <> 'entity_added' and account_id = `,
  custom_fields: sql`select id from custom_fields where account_id = `,
  custom_field_groups: sql`select id from custom_field_groups where not is_predefined and account_id = `,
  catalogs: sql`select id from catalogs where account_id = `,
  elements: sql`select id from catalog_elements where account_id = `,
  transactions: sql`select id from transactions where account_id = `,
  tasks: sql`select id from tasks where account_id = `,
  task_types: sql`select id from task_types where account_id = `,
  events: sql`select id from events where account_id = `,
  webhooks: sql`select id from webhooks where account_id = `,
  grants: sql`select id from grants where account_id = `,
  api_keys: sql`select id from api_keys where account_id = `,
  channels: sql`select id from channels where account_id = `,
  chats: sql`select id from chats where account_id = `,
  chat_uids: sql`select uid as id from chats where account_id = `,
  talks: sql`select id from talks where account_id = `,
  messages: sql`select id from messages where account_id = `,
  chat_templates: sql`select id from chat_templates where account_id = `,
  integrations: sql`select client_id as id from integrations where account_id = `,
}

/** The ids of all records that an account has now, or of those of some types. */
export async function idsOf(
  { id, kontor: { database } }: TestAccount,
  wanted: string[] = Object.keys(kinds),
): Promise<Ids> {
  const lists = wanted.map(
    (kind) =>
      sql`(select coalesce(json_agg(id order by id), '[]') from (${kinds[kind as keyof typeof kinds]}${id}) each) as ${raw(kind)}`,
  )
  return lists.length === 0 ? {} : (await database.row<Ids>(sql`select ${join(lists)}`))!
}

/**
 * The type that a key of an answer refers to. A plain `id` is recognised by the links beside it.
 */
const kindOfKey: Record<string, string> = {
  responsible_user_id: 'users',
  created_by: 'users',
  updated_by: 'users',
  current_user_id: 'users',
  user_id: 'users',
  pipeline_id: 'pipelines',
  status_id: 'statuses',
  role_id: 'roles',
  group_id: 'groups',
  client_id: 'integrations',
  channel_id: 'channels',
  loss_reason_id: 'loss_reasons',
  source_id: 'sources',
  catalog_id: 'catalogs',
  customer_id: 'customers',
  task_type_id: 'task_types',
}

/** An answer as far as it is searched. */
interface Answered {
  text: string
  headers: object
}

/** A record that an answer names. */
interface Named {
  type: string
  id: string
  /** How the answer names it. */
  as: string
}

/**
 * Makes a function that finds data of an account in an answer: texts that only this account has
 * (names, addresses, secrets), and ids whose type the answer shows. Values that the request itself
 * contained do not count. The ids are those of now.
 */
export async function openTraces(account: TestAccount, mark: string, secrets: string[] = []) {
  const isOurs = known(await idsOf(account))
  return (sent: string, answered: Answered): string[] => {
    const { texts, records } = search(account, [mark, ...secrets], sent, answered)
    return [...texts, ...records.filter(isOurs).map((each) => each.as)]
  }
}

/** The same for one answer; reads the ids of the types that it names. */
export async function tracesIn(
  account: TestAccount,
  secrets: string[],
  sent: string,
  answered: Answered,
): Promise<string[]> {
  const { texts, records } = search(account, secrets, sent, answered)
  const types = new Set(records.map(({ type }) => type))
  const isOurs = known(await idsOf(account, [...types]))
  return [...texts, ...records.filter(isOurs).map((each) => each.as)]
}

function known(ids: Ids): (record: Named) => boolean {
  const sets = Object.fromEntries(
    Object.entries(ids).map(([type, each]) => [type, new Set(each.map(String))]),
  )
  return ({ type, id }) => sets[type]?.has(id) === true
}

/** The texts of an account in an answer, and all records that the answer names. */
function search(
  { id: accountId, admin, integration, subdomain }: TestAccount,
  secrets: string[],
  sent: string,
  { text, headers }: Answered,
): { texts: string[]; records: Named[] } {
  const own = [subdomain, admin.token, integration.client_id, integration.client_secret, ...secrets]
  const answered = text + JSON.stringify(headers)
  const texts = own.filter((each) => answered.includes(each) && !sent.includes(each))
  const records: Named[] = []
  const add = (type: unknown, id: unknown, as: string) => {
    if (Object.hasOwn(kinds, String(type))) records.push({ type: String(type), id: String(id), as })
  }

  function read(value: unknown, key = ''): void {
    if (Array.isArray(value)) return value.forEach((each) => read(each, key))
    if (typeof value === 'object' && value !== null) {
      const part = value as Record<string, unknown>
      // The ends of a link.
      for (const end of ['entity', 'to_entity']) {
        const [type, id] = [String(part[`${end}_type`]), String(part[`${end}_id`])]
        add(type, id, `${type} ${id}`)
      }
      for (const [name, each] of Object.entries(part)) read(each, name)
    } else if (key === 'account_id') {
      if (value === accountId) texts.push(`account_id ${accountId}`)
    } else if (key === 'href') {
      const [, type, id] = /\/(\w+)\/(\w+)$/.exec(String(value)) ?? []
      add(type, id, String(value))
    } else add(kindOfKey[key], value, `${key} ${String(value)}`)
  }

  if (text.startsWith('{')) read(JSON.parse(text))
  return { texts, records }
}
