// The bench's own database. Its account has 100,000 leads with a task each, 100,000 contacts with a phone each, 20,000 companies and 20,000 customers with
// 100,000 purchases, made in SQL within seconds and the same each time.
import pg from 'pg'
import { readConfig } from '../server/config.ts'
import type { Config } from '../server/config.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import type { UserSettingsDraft } from '../server/features/people/users/users.ts'
import { openKontor } from '../server/open.ts'
import { manyPhones } from './floor-calls.ts'
import { manyNotes } from './floor-notes.ts'
import { manyTasks } from './floor-tasks.ts'
import { manyTransactions } from './floor-transactions.ts'
import { startTemporaryPostgres } from './postgres.ts'
import type { Account } from './scenarios.ts'

export interface Fixture {
  account: Account
  /** The environment of a process that uses this database. */
  environment: Record<string, string>
  /** The id of PostgreSQL's first process. */
  postmaster: number
  stop(): Promise<void>
}

const [leads, contacts, companies] = [100_000, 100_000, 20_000]
const [customers, elements] = [20_000, 1000]
/** Viewers see all records. Sellers see only their own: a tenth of the leads each. */
const [viewers, sellers] = [10, 10]

export async function makeFixture(say: (line: string) => void): Promise<Fixture> {
  const postgres = await startTemporaryPostgres('bench', say)
  try {
    const session = new pg.Client({ connectionString: postgres.url })
    await session.connect()
    const account = await openAccount(readConfig(postgres.environment), say)
    await fill(session, account)
    const { rows } = await session.query<{ text: string }>(
      `select pg_read_file('postmaster.pid') as text`,
    )
    await session.end()
    return {
      account,
      environment: postgres.environment,
      postmaster: parseInt(rows[0]!.text, 10),
      stop: postgres.stop,
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function openAccount(config: Config, say: (line: string) => void): Promise<Account> {
  const opened = await openKontor(config, 'kontor bench', say)
  const { kontor } = opened
  const at = kontor.now()
  return kontor.database
    .transaction(async (tx) => {
      const id = await createAccount(tx, at, { subdomain: 'bench', name: 'Bench' })
      const add = async (name: string, rights: Partial<UserSettingsDraft>) => {
        const userId = await createUser(tx, id, at, {
          name,
          email: `${name}@bench.example`,
          ...rights,
        })
        return {
          userId,
          token: await issueLongLivedToken(tx, kontor, {
            accountId: id,
            userId,
            at,
            expires_at: at + 86_400,
          }),
        }
      }
      const admin = await add('bench', { is_admin: true })
      const account: Account = {
        id,
        ...admin,
        first: 1001,
        leads,
        contacts,
        customers,
        catalog: 1001,
        elements,
        viewers: [],
        sellers: [],
      }
      for (let number = 0; number < viewers; number++)
        account.viewers.push(await add(`viewer${number}`, {}))
      const leadsOnly = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'M' } as const
      for (let number = 0; number < sellers; number++)
        account.sellers.push(await add(`seller${number}`, { rights: { leads: leadsOnly } }))
      return account
    })
    .finally(() => opened.close())
}

/**
 * Leads: prices up to a million, evenly; 0 to 3 of 200 tags; all statuses, a third closed; made
 * over a year; shared evenly among the sellers. Contacts: names in two parts, 0 to 3 of 200 tags.
 * The lead and the contact of one number are linked, and both to a company.
 */
async function fill(session: pg.Client, { id, userId, sellers: people }: Account): Promise<void> {
  const tags = (first: string) => `
    (array[${first} + floor(random() * 200), ${first} + floor(random() * 200), ${first} + floor(random() * 200)]::bigint[])[1:floor(random() * 4)::int]`
  const ends = (one: string, oneId: string, other: string, otherId: string, count: number) => `
    insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
    select ${id}, either.* from generate_series(1, ${count}) number,
           lateral (values ('${one}', ${oneId}, '${other}', ${otherId}, '${other}' = 'contacts'),
                           ('${other}', ${otherId}, '${one}', ${oneId}, '${other}' = 'contacts')) either;`
  const [record, company] = ['1000 + number', `1001 + number % ${companies}`]
  await session.query(`
    select setseed(0.42);
    insert into tags (account_id, entity_type, name) select ${id}, 'leads', 'tag ' || number from generate_series(0, 199) number;
    insert into tags (account_id, entity_type, name) select ${id}, 'contacts', 'tag ' || number from generate_series(0, 199) number;
    create temporary table stage as
      select row_number() over (order by id) - 1 as place, id, pipeline_id, id in (142, 143) as closed
        from statuses where account_id = ${id} and type = 0;
    insert into leads (account_id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                       created_at, updated_at, closed_at, tag_ids)
    select ${id}, 'Order ' || number || ' of the year', draft.price,
           ('{${people.map((each) => each.userId).join(',')}}'::bigint[])[1 + number % ${people.length}], 0, stage.pipeline_id, stage.id,
           ${userId}, ${userId}, draft.at, draft.at + 3600, case when stage.closed then draft.at + 3600 end,
           (select coalesce(array_agg(distinct tag.id), '{}') from unnest(draft.tags) tag (id))
      from (select number, floor(random() * 1000000)::bigint as price, 1760000000 + number * 300 as at, floor(random() * 6) as stage,
                   ${tags('1001')} as tags
              from generate_series(1, ${leads}) number offset 0) draft
      join stage on stage.place = draft.stage
     order by number;
    insert into contacts (account_id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by, created_at,
                          updated_at, tag_ids)
    select ${id}, 'First ' || number % 1000 || ' Last ' || number, 'First ' || number % 1000, 'Last ' || number, ${userId}, 0, ${userId}, ${userId},
           1760000000 + number * 300, 1760003600 + number * 300,
           (select coalesce(array_agg(distinct tag.id), '{}') from unnest(draft.tags) tag (id))
      from (select number, ${tags('1201')} as tags from generate_series(1, ${contacts}) number offset 0) draft
     order by number;
    insert into companies (account_id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select ${id}, 'Company ' || number, ${userId}, 0, ${userId}, ${userId}, 1760000000 + number, 1760000000 + number
      from generate_series(1, ${companies}) number;
    ${ends('leads', record, 'contacts', record, leads)}
    ${ends('leads', record, 'companies', company, leads)}
    ${ends('contacts', record, 'companies', company, contacts)}`)
  const { text, values } = manyNotes(id, userId, leads, 1001)
  await session.query(text, values)
  const users = people.map((each) => each.userId)
  const tasks = manyTasks(id, users, leads, 1001)
  await session.query(tasks.text, tasks.values)
  const phones = manyPhones(id, contacts, 1001)
  await session.query(phones.text, phones.values)
  for (const statement of manyTransactions(id, userId, customers, elements))
    await session.query(statement)
  for (const statement of ['vacuum analyze', 'checkpoint']) await session.query(statement)
}
