// npm run bench:clock -- [customers]
//
// Moves the clock over a month of a book of customers, 100,000 by default, day by day, and says how
// many are evaluated in a second. Afterwards each customer has the status that plain date
// arithmetic of PostgreSQL gives it, or the bench fails.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { connect } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { turnClock } from '../server/features/records/customers/clock/clock.ts'
import { startTemporaryPostgres } from './postgres.ts'

const count = Number(process.argv[2] ?? 100_000)
const days = 31
const zone = 'America/New_York'
const silent = () => undefined

const postgres = await startTemporaryPostgres('clock')
const database = connect(postgres.url, 4)
try {
  await migrate(database, silent)
  await ensureEventPartitions(database, new Date())
  await measure()
} finally {
  await database.close()
  await postgres.stop()
}

async function measure(): Promise<void> {
  const start = Math.floor(Date.now() / 1000)
  const account = await database.transaction((tx) =>
    createAccount(tx, start, { subdomain: 'book', name: 'A book of customers' }),
  )
  await database.rows(sql`update accounts set timezone = ${zone} where id = ${account}`)
  await fill(account, start)
  let evaluated = 0
  const began = performance.now()
  for (let today = 0; today < days; today++)
    evaluated += await turnClock(database, account, await noonOf(start, today))
  const seconds = (performance.now() - began) / 1000
  const wrong = await misplaced(account, await noonOf(start, days - 1))
  const { events } = (await database.row<{ events: number }>(
    sql`select count(*) as events from events where account_id = ${account}`,
  ))!
  console.log(
    `${evaluated} evaluations of ${count} customers in ${seconds.toFixed(1)} s: ${Math.round(evaluated / seconds)} a second, ${events} events`,
  )
  if (wrong > 0) throw new Error(`${wrong} customers are in another status than by plain dates`)
}

/** Customers that bought up to 60 days ago, two in three, and buy again within 60 days. */
async function fill(account: number, start: number): Promise<void> {
  await database.rows(sql`
    insert into customers (account_id, name, next_date, last_purchase_at, status_id, status_due_at, responsible_user_id, group_id,
                           created_by, updated_by, created_at, updated_at)
    select ${account}, 'Customer ' || number, ${start}::bigint + (number * 104729 % 121 - 60) * 86400,
           case when number % 3 > 0 then ${start}::bigint - (number * 7919 % 60) * 86400 end,
           0, 0, 1, 0, 1, 1, ${start}::bigint, ${start}::bigint
      from generate_series(1, ${count}::bigint) number`)
  await database.rows(sql`vacuum analyze customers`)
}

async function noonOf(start: number, today: number): Promise<number> {
  const noon = await database.row<{ at: number }>(sql`
    select extract(epoch from ((to_timestamp(${start}::bigint) at time zone ${zone})::date + ${today}::int + interval '12 hours')
                              at time zone ${zone})::bigint as at`)
  return noon!.at
}

/** The customers that are not where their dates put them on a day, by the default lengths. */
async function misplaced(account: number, at: number): Promise<number> {
  const day = (moment: Sql) => sql`(to_timestamp(${moment}) at time zone ${zone})::date`
  const [today, bought, next] = [sql`${at}::bigint`, sql`last_purchase_at`, sql`next_date`].map(day)
  const { wrong } = (await database.row<{ wrong: number }>(sql`
    select count(*) as wrong
      from customers customer
      join customer_statuses status on status.account_id = customer.account_id and status.id = customer.status_id
     where customer.account_id = ${account}
       and status.type <> case when ${today} <= ${bought} + 7 then 4
                               when ${today} < ${next} - 7 then 0
                               when ${today} <= ${next} then 1
                               when ${today} <= ${next} + 30 then 2 else 3 end`))!
  return wrong
}
