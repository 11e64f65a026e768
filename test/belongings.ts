// The data of an account, so that tests can search for it in answers to another account, and check
// that another account has not changed it.
import { randomBytes } from 'node:crypto'
import sql, { join, raw } from 'sql-template-tag'
import type { TestAccount } from './account.ts'

/** A word that stands only in the names of one account's records. */
export const newMark = (): string => `mark${randomBytes(6).toString('hex')}`

/** All rows of an account by table, in a form that can be compared, once the background rests. */
export async function rowsOf({
  id,
  kontor: { database },
}: TestAccount): Promise<Record<string, string | null>> {
  // The background writes records: customers that are due or whose rules changed, what names a
  // deleted tag, segment, field or reason, and the records of jobs.
  const going = sql`
    select from customer_reevaluations where account_id = ${id}
     union all select from cleanups where account_id = ${id}
     union all select from jobs where account_id = ${id} and finished_at is null
     union all select from customers
                where account_id = ${id} and not is_deleted and least(status_due_at, segments_due_at) <= extract(epoch from now())`
  for (const end = performance.now() + 25_000; performance.now() < end;) {
    if (!(await database.row(going))) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  // The blocks of texts follow the records of all accounts, and the tests of search make them at once.
  // The deltas of totals are folded in the background.
  const tables = await database.rows<{ name: string }>(sql`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and attname = 'account_id' and relname not in ('cleanups', 'blocked_texts', 'text_blocks', 'lead_totals', 'lead_total_deltas') order by 1`)
  const digests = tables.map(
    ({ name }) => sql`
      select ${name} as name, count(*) || ' rows, ' || md5(string_agg(whole::text, e'\n' order by whole::text)) as digest
        from ${raw(name)} whole where account_id = ${id}`,
  )
  const found = await database.list<{ name: string; digest: string | null }>(
    join(digests, ' union all '),
  )
  return Object.fromEntries(found.map(({ name, digest }) => [name, digest]))
}

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

/** The ids of all records that an account has now. */
export async function idsOf({ id, kontor: { database } }: TestAccount): Promise<Ids> {
  const lists = Object.entries(kinds).map(
    ([kind, statement]) =>
      sql`(select coalesce(json_agg(id order by id), '[]') from (${statement}${id}) each) as ${raw(kind)}`,
  )
  return (await database.row<Ids>(sql`select ${join(lists)}`))!
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

/**
 * Makes a function that finds data of an account in an answer: texts that only this account has
 * (names, addresses, secrets), and ids whose type the answer shows. Values that the request itself
 * contained do not count.
 */
export async function openTraces(account: TestAccount, mark: string, secrets: string[] = []) {
  const { admin, integration, subdomain } = account
  const texts = [
    mark,
    subdomain,
    admin.token,
    integration.client_id,
    integration.client_secret,
    ...secrets,
  ]
  const ids = await idsOf(account)
  const known = Object.fromEntries(
    Object.entries(ids).map(([kind, each]) => [kind, new Set(each.map(String))]),
  )
  const has = (kind: string | undefined, id: unknown) =>
    kind !== undefined && known[kind]?.has(String(id)) === true

  function named(value: unknown, key = ''): string[] {
    if (Array.isArray(value)) return value.flatMap((each) => named(each, key))
    if (typeof value === 'object' && value !== null)
      return [
        ...linked(value as Record<string, unknown>),
        ...Object.entries(value).flatMap(([name, each]) => named(each, name)),
      ]
    if (key === 'account_id') return value === account.id ? [`account_id ${account.id}`] : []
    if (key !== 'href') return has(kindOfKey[key], value) ? [`${key} ${String(value)}`] : []
    const [, kind, id] = /\/(\w+)\/(\w+)$/.exec(String(value)) ?? []
    return has(kind, id) ? [String(value)] : []
  }

  /** The ends of a link. */
  function linked({
    entity_type,
    entity_id,
    to_entity_type,
    to_entity_id,
  }: Record<string, unknown>): string[] {
    const ends = [
      [entity_type, entity_id],
      [to_entity_type, to_entity_id],
    ]
    return ends.flatMap(([type, id]) =>
      has(String(type), id) ? [`${String(type)} ${String(id)}`] : [],
    )
  }

  return (sent: string, { text, headers }: { text: string; headers: object }): string[] => {
    const answered = text + JSON.stringify(headers)
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : undefined
    return [
      ...texts.filter((each) => answered.includes(each) && !sent.includes(each)),
      ...named(body),
    ]
  }
}
