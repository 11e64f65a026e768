import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { dropExpiredAccess } from './oauth.ts'

test('codes, refresh tokens and sessions that are over are forgotten, and nothing else', async () => {
  const account = await newAccount()
  const { database, now } = account.kontor
  const exchange = await account.api.post('/oauth2/access_token', {
    ...account.integration,
    grant_type: 'authorization_code',
    code: await account.code(),
  })
  await account.code()
  await database.transaction((tx) =>
    tx.rows(sql`
      insert into sessions (account_id, hash, user_id, created_at, expires_at, is_chosen)
      values (${account.id}, ${Buffer.from('a')}, ${account.admin.id}, ${now()}, ${now() + 100}, true)`),
  )
  const left = () =>
    database.row(sql`
      select (select count(*) from authorization_codes where account_id = ${account.id}) as codes,
             (select count(*) from refresh_tokens where account_id = ${account.id}) as tokens,
             (select count(*) from sessions where account_id = ${account.id}) as sessions`)
  await dropExpiredAccess(database, now())
  expect(await left()).toEqual({ codes: 2, tokens: 1, sessions: 1 })
  // Rows of other tests in this run are in the present and outlive the rows of this account, which
  // are made older here.
  for (const table of ['authorization_codes', 'refresh_tokens', 'sessions'])
    await database.transaction((tx) => tx.rows(older(table, account.id)))
  await dropExpiredAccess(database, now())
  expect(await left()).toEqual({ codes: 0, tokens: 0, sessions: 0 })
  expect(exchange.status).toBe(200)
})

const older = (table: string, accountId: number) =>
  table === 'authorization_codes'
    ? sql`update authorization_codes set created_at = created_at - 90000 where account_id = ${accountId}`
    : table === 'refresh_tokens'
      ? sql`update refresh_tokens set expires_at = created_at - 90000 where account_id = ${accountId}`
      : sql`update sessions set expires_at = created_at - 90000 where account_id = ${accountId}`
