// Actors are remembered, so a change of any table that decides access must make all processes
// forget. The tests refuse a transaction that does not (test/transaction-checks.ts); here its list of
// tables is compared with what the server asks.
import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { plansOn } from '../../test/plans.ts'
import { accessTables, underWatch } from '../../test/transaction-checks.ts'
import type { Tx } from '../database/connect.ts'
import { apiKeyAccess } from './api-keys.ts'
import { namedOrigins } from './cors.ts'
import { forgetAccess } from './remembered.ts'
import { sessionAccess } from './sessions.ts'
import { tokenAccess, accessOfUser } from './tokens.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

test('the statements that admit a caller ask the tables that the checks of transactions watch, and no others', async () => {
  const { id, admin, kontor } = account
  const { explain } = await plansOn(kontor.database)
  const at = kontor.now()
  const steps = [
    ...(await explain(tokenAccess({ account_id: id, grant_id: 1 }, at))),
    ...(await explain(accessOfUser(id, admin.id))),
    ...(await explain(sessionAccess('a token', undefined, at))),
    ...(await explain(
      apiKeyAccess(id, { key: 'a key', login: admin.email, subdomain: undefined }),
    )),
    ...(await explain(namedOrigins)),
  ]
  const tables = new Set(steps.flatMap((step) => step['Relation Name'] ?? []))
  expect([...tables].toSorted()).toEqual(Object.keys(accessTables).toSorted())
})

const write = (work: (tx: Tx) => Promise<unknown>) =>
  underWatch(() => account.kontor.database.transaction(work))

const deactivate = () => sql`update users set is_active = false where id = ${account.admin.id}`

describe('a transaction of the server', () => {
  test('that changes a user and lets no process forget is rolled back', async () => {
    await expect(write((tx) => tx.rows(deactivate()))).rejects.toThrow(
      'a transaction wrote users, and no process forgets who may do what',
    )
    expect((await account.api.get('/api/v4/account')).status).toBe(200)
  })

  test('that makes all processes forget is committed', async () => {
    const user = await account.addUser()
    const name = () =>
      account.kontor.database.row(sql`select name from users where id = ${user.id}`)
    await write(async (tx) => {
      await tx.rows(sql`update users set name = 'Another' where id = ${user.id}`)
      await forgetAccess(tx)
    })
    expect(await name()).toEqual({ name: 'Another' })
  })

  test.each(Object.keys(accessTables))(
    'that deletes %s and lets no process forget is refused',
    async (table) => {
      const deletion = sql`delete from ${raw(table)} where false`
      await expect(write((tx) => tx.rows(deletion))).rejects.toThrow(`a transaction wrote ${table}`)
    },
  )
})
