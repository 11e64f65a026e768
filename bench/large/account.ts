// The large account before it is filled: its users, pipelines, tags and custom fields. The
// requests read it from plain data that is kept beside the database.
import sql, { raw } from 'sql-template-tag'
import type { Tx } from '../../server/database/connect.ts'
import type { RecordType } from '../../server/records/description.ts'
import { createAccount } from '../../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../../server/features/programs/oauth/oauth.ts'
import { createPipeline, lost, won } from '../../server/features/definitions/pipelines/pipelines.ts'
import { createUser } from '../../server/features/people/users/users.ts'
import type { Kontor } from '../../server/kontor.ts'
import type { User } from '../scenarios.ts'
import { leadFields } from './fields.ts'
import type { KeptField } from './kept.ts'

export type Type = Exclude<RecordType, 'customers'>
export const types: Type[] = ['leads', 'contacts', 'companies']

/** A pipeline with its ordinary statuses. */
interface Pipeline {
  id: number
  statuses: number[]
}

/** The large account. The user of the token is its administrator. */
export interface LargeAccount extends User {
  id: number
  counts: Record<Type, number>
  /** The id of record number 0. The others follow without gaps. */
  first: Record<Type, number>
  people: {
    sellers: number[]
    /** A user with few records. */
    rare: number
  }
  /** From the most to the least common. */
  pipelines: Pipeline[]
  rare: { pipeline: Pipeline; status: { pipeline_id: number; status_id: number } }
  /** By name. */
  fields: Record<Type, Record<string, KeptField>>
  tags: Record<Type, number[]>
}

/**
 * Makes an account for a number of leads, half as many contacts and a twentieth as many companies.
 */
export async function openLargeAccount(
  tx: Tx,
  kontor: Kontor,
  leads: number,
): Promise<LargeAccount> {
  const at = kontor.now()
  const id = await createAccount(tx, at, { subdomain: 'large', name: 'Large' })
  const user = (name: string, is_admin = false) =>
    createUser(tx, id, at, { name, email: `${name}@bench.example`, is_admin })
  const userId = await user('bench', true)
  const sellers: number[] = []
  for (let number = 0; number < 10; number++) sellers.push(await user(`seller${number}`))
  const rare = await user('rare')
  // A kept account may be measured again years later.
  const token = await issueLongLivedToken(tx, kontor, {
    accountId: id,
    userId,
    at,
    expires_at: at + 5 * 365 * 86_400,
  })
  const counts = { leads, contacts: Math.floor(leads / 2), companies: Math.floor(leads / 20) }
  return {
    id,
    userId,
    token,
    counts,
    people: { sellers, rare },
    first: await reserveIds(tx, counts),
    ...(await makePipelines(tx, id)),
    fields: await makeFields(tx, id),
    tags: await makeTags(tx, id),
  }
}

/** Reserves ids from the sequences that the verbs use. */
async function reserveIds(tx: Tx, counts: Record<Type, number>): Promise<Record<Type, number>> {
  const { leads, contacts, companies } = counts
  const block = (type: Type, count: number) =>
    sql`(setval(${`${type}_id`}, nextval(${`${type}_id`}) + ${count}) - ${count})::bigint as ${raw(type)}`
  const found = await tx.row<Record<Type, number>>(
    sql`select ${block('leads', leads)}, ${block('contacts', contacts)}, ${block('companies', companies)}`,
  )
  return found!
}

/**
 * The first pipeline of every account, and two more: one with a status for few leads, and one for
 * few leads.
 */
async function makePipelines(
  tx: Tx,
  account: number,
): Promise<Pick<LargeAccount, 'pipelines' | 'rare'>> {
  const add = (name: string, sort: number, statuses: string[]) =>
    createPipeline(tx, account, {
      name,
      sort,
      is_main: false,
      statuses: statuses.map((name) => ({ name, color: '#99ccff' })),
    })
  await add('Partners', 2, ['Offer', 'Test', 'Agreement', 'On hold'])
  await add('Repeat orders', 3, ['Reminder', 'Order', 'Delivery'])
  await add('Auctions', 4, ['Bid'])
  const [main, partners, repeat, auctions] = await tx.list<Pipeline>(sql`
    select pipeline_id as id, json_agg(id order by sort) as statuses from statuses
     where account_id = ${account} and type = 0 and id not in (${won}, ${lost}) group by pipeline_id order by pipeline_id`)
  const status = { pipeline_id: partners!.id, status_id: partners!.statuses.pop()! }
  return { pipelines: [main!, partners!, repeat!], rare: { pipeline: auctions!, status } }
}

/** The fields of leads beside those of every account. */
async function makeFields(tx: Tx, account: number): Promise<LargeAccount['fields']> {
  const drafts = leadFields.map(({ name, type, enums = [] }, index) => ({
    name,
    type,
    enums,
    sort: 100 + index,
  }))
  await tx.list(sql`
    insert into custom_fields (account_id, entity_type, name, type, sort, currency, enums)
    select ${account}::bigint, 'leads', name, type, sort, case type when 'monetary' then 'USD' end,
           (select json_agg(json_build_object('id', nextval('custom_field_enums_id'), 'value', value, 'sort', place, 'code', null) order by place)
              from json_array_elements_text(enums) with ordinality choice (value, place))
      from json_to_recordset(${JSON.stringify(drafts)}::json) draft (name text, type text, sort int, enums json)
     order by sort`)
  const rows = await tx.list<
    Omit<KeptField, 'enums'> & { kind: Type; name: string; enums: { id: number }[] | null }
  >(sql`
    select entity_type as kind, name, id, type, code, enums from custom_fields where account_id = ${account}`)
  const fields: LargeAccount['fields'] = { leads: {}, contacts: {}, companies: {} }
  for (const { kind, name, id, type, code, enums } of rows)
    if (fields[kind])
      fields[kind][name] = { id, type, code, enums: (enums ?? []).map((each) => each.id) }
  return fields
}

async function makeTags(tx: Tx, account: number): Promise<Record<Type, number[]>> {
  const rows = await tx.list<{ kind: Type; ids: number[] }>(sql`
    with made as (
      insert into tags (account_id, entity_type, name)
      select ${account}::bigint, kind, 'tag ' || number from unnest(${types}::text[]) kind, generate_series(1, 200) number
      returning entity_type, id
    )
    select entity_type as kind, json_agg(id order by id) as ids from made group by entity_type`)
  return Object.fromEntries(rows.map(({ kind, ids }) => [kind, ids])) as Record<Type, number[]>
}
