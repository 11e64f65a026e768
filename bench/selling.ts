// Accounts that sell: one pipeline with eight open stages, in which two leads in three are; ten sellers; a contact and a
// company of each lead; tags; and tasks of half of the leads. Their requests are measured in turns.
import pg from 'pg'
import { readConfig } from '../server/config.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import { openKontor } from '../server/open.ts'
import { format, open } from './connection.ts'
import type { Client } from './connection.ts'
import { withoutIndexes } from './large/indexes.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { startKontor } from './processes.ts'
import type { User } from './scenarios.ts'
import { printTimes, printTwoSizes, withoutLimits } from './two-sizes.ts'
import type { TwoSizes } from './two-sizes.ts'

export interface SellingAccount {
  id: number
  pipeline: number
  /** The open stages. */
  stages: number[]
  admin: User
  /** Each is responsible for a tenth of the leads, and sees only those. */
  sellers: User[]
  /** Responsible for 50 leads. */
  rare: User
  /** The ids of its leads, without gaps. */
  first: number
  leads: number
}

export interface MeasuredRequest {
  title: string
  path: (account: SellingAccount, turn: number) => string
  who?: (account: SellingAccount) => User
}

const say = (line: string) => console.error(line)

/** Fills a small and a large account in a database of their own, and compares the times of the requests in them. */
export async function compareSizes(
  name: string,
  requests: readonly MeasuredRequest[],
  sizes: TwoSizes,
): Promise<void> {
  const postgres = await startTemporaryPostgres(name)
  const environment = { ...postgres.environment, ...withoutLimits }
  try {
    const [small, large] = await fillSellingAccounts(postgres.url, environment, [
      sizes.small,
      sizes.large,
    ])
    await compareAccounts(environment, requests, { small: small!, large: large! }, sizes.rounds)
  } finally {
    await postgres.stop()
  }
}

/** Asks both accounts the same, in turns, and prints the times. */
async function compareAccounts(
  environment: Record<string, string>,
  requests: readonly MeasuredRequest[],
  { small, large }: { small: SellingAccount; large: SellingAccount },
  rounds: number,
): Promise<void> {
  const kontor = await startKontor({ environment })
  try {
    printTwoSizes({ small: small.leads, large: large.leads })
    const client = await open(kontor.port)
    for (const request of requests) {
      const times: Record<'small' | 'large', number[]> = { small: [], large: [] }
      for (let turn = -10; turn < rounds; turn++)
        for (const [name, account] of [
          ['small', small],
          ['large', large],
        ] as const) {
          const time = await ask(client, kontor.port, request, account, turn + 10)
          if (turn >= 0) times[name].push(time)
        }
      printTimes(request.title, times.small, times.large)
    }
    client.close()
  } finally {
    await kontor.stop()
  }
}

/** Milliseconds. */
async function ask(
  client: Client,
  port: number,
  { path: at, who = ({ admin }) => admin }: MeasuredRequest,
  account: SellingAccount,
  turn: number,
): Promise<number> {
  const call = { method: 'GET', path: at(account, turn) } as const
  return (await client.ask(format(call, who(account), port))).time
}

/** Fills an account for each number of leads. */
export async function fillSellingAccounts(
  url: string,
  environment: Record<string, string>,
  leadsOf: readonly number[],
): Promise<SellingAccount[]> {
  const opened = await openKontor(readConfig(environment), 'kontor bench', () => undefined)
  const { database, now } = opened.kontor
  const accounts: SellingAccount[] = []
  for (const [index, leads] of leadsOf.entries()) {
    const at = now()
    accounts.push(
      await database.transaction(async (tx) => {
        const names = Array.from({ length: 8 }, (_, stage) => `Stage ${stage}`)
        const id = await createAccount(tx, at, {
          subdomain: `board-${index}`,
          name: 'Board',
          pipeline: {
            name: 'Sales',
            is_main: true,
            sort: 1,
            statuses: names.map((name) => ({ name, color: '#99ccff' })),
          },
        })
        const add = async (name: string, more: object) => {
          const userId = await createUser(tx, id, at, {
            name,
            email: `${name}@board-${index}.example`,
            ...more,
          })
          const grant = { accountId: id, userId, at, expires_at: at + 864_000 }
          return { userId, token: await issueLongLivedToken(tx, opened.kontor, grant) }
        }
        const own = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'M' } as const
        const rights = { rights: { leads: own, contacts: own, companies: own } }
        const admin = await add('admin', { is_admin: true })
        const sellers = []
        for (let seller = 0; seller < 10; seller++)
          sellers.push(await add(`seller${seller}`, rights))
        const rare = await add('rare', rights)
        return { id, pipeline: 0, stages: [], admin, sellers, rare, first: 1, leads }
      }),
    )
  }
  await opened.close()
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query(`set maintenance_work_mem = '512MB'`)
  for (const account of accounts) {
    const { rows } = await session.query<{ id: string; pipeline_id: string }>(
      `select id, pipeline_id from statuses where account_id = $1 and type = 0 and id > 143 order by sort`,
      [account.id],
    )
    account.stages = rows.map(({ id }) => Number(id))
    account.pipeline = Number(rows[0]!.pipeline_id)
  }
  const tables = ['leads', 'contacts', 'companies', 'links']
  const fillAll = async () => {
    for (const account of accounts) await fillAccount(session, account)
  }
  await (Math.max(...leadsOf) > 200_000 ? withoutIndexes(session, tables, say, fillAll) : fillAll())
  await session.query('vacuum analyze')
  await session.query('checkpoint')
  await session.end()
  return accounts
}

/** Prices, changes, tasks, sellers and stages are in orders of their own. */
async function fillAccount(session: pg.Client, account: SellingAccount): Promise<void> {
  const { id, leads, pipeline, stages, sellers, rare } = account
  const people = `'{${sellers.map(({ userId }) => userId).join()}}'::bigint[]`
  const now = Math.floor(Date.now() / 1000)
  const random = (seed: number, below: number) =>
    `(abs(hashint8extended(number, ${seed}) % ${below}))`
  const times = `${now} - ${leads} * 60 + number * 60, ${now} - ${random(1, leads)} * 60`
  await session.query(`
    insert into tags (account_id, entity_type, name) select ${id}, 'leads', 'tag ' || number from generate_series(0, 199) number;
    insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                       created_at, updated_at, closed_at, closest_task_at, tag_ids)
    select ${id}, number, 'Order ' || md5(number::text), ${random(2, leads)},
           case when number > ${leads} - 50 then ${rare.userId} else (${people})[1 + ${random(3, 10)}] end, 0, ${pipeline},
           case when number % 3 = 0 then 142 + number % 2 else ('{${stages.join()}}'::bigint[])[1 + ${random(4, 8)}] end,
           1, 1, ${times}, case when number % 3 = 0 then ${now} end,
           case ${random(5, 4)} when 1 then ${now} - ${random(6, 1_000_000)} when 2 then ${now} + 86400 + ${random(7, 10_000_000)} end,
           array(select id from tags where account_id = ${id} order by id limit number % 3)
      from generate_series(1, ${leads}) number;
    insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select ${id}, number, 'Ann ' || number, 'Ann', number, (${people})[1 + number % 10], 0, 1, 1, ${times} from generate_series(1, ${leads}) number;
    insert into companies (account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select ${id}, number, 'Acme ' || number, (${people})[1 + number % 10], 0, 1, 1, ${times} from generate_series(1, ${Math.ceil(leads / 20)}) number;
    insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
    select ${id}, 'leads', number, 'contacts', number, true from generate_series(1, ${leads}) number
     union all
    select ${id}, 'leads', number, 'companies', 1 + number % ${Math.ceil(leads / 20)}, false from generate_series(1, ${leads}) number`)
}
