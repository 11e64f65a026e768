// The checks of transactions refuse mistakes of verbs. Every other test shows that it lets correct transactions
// pass.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../server/access/actor.ts'
import { lockAccount } from '../server/access/account.ts'
import { lockAllKeys, shareKeys } from '../server/features/records/complex/queries.ts'
import { requireRight } from '../server/access/record-rights.ts'
import { serverItself } from '../server/access/user-access.ts'
import type { Tx } from '../server/database/connect.ts'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { addRecords, readRecord } from './records.ts'
import { ranks, underWatch } from './transaction-checks.ts'

let account: TestAccount
let actor: Actor
let leads: number[]
beforeAll(async () => {
  account = await newAccount()
  actor = serverItself(account.id, account.kontor.now())
  leads = await addRecords(account.api, 'leads', [{ name: 'One' }, { name: 'Two' }])
})

const run = (work: (tx: Tx) => Promise<unknown>) =>
  underWatch(() => account.kontor.database.transaction(work))

const rename = () => sql`update leads set name = 'Other' where id = ${leads[0]}`
const lockLead = (id: number) => sql`select id from leads where id = ${id} for no key update`
const lockPipelines = () =>
  sql`select id from pipelines where account_id = ${account.id} order by id for key share`

describe('a write of leads is refused', () => {
  test('when no right to leads was asked for', async () => {
    await expect(run((tx) => tx.rows(rename()))).rejects.toThrow(
      'a transaction wrote leads and asked for no right to them',
    )
  })

  test('when only the right to another type was asked for', async () => {
    const work = async (tx: Tx) => {
      requireRight(actor, 'contacts', 'edit')
      await tx.rows(rename())
    }
    await expect(run(work)).rejects.toThrow('asked for no right')
  })

  test('when nothing about it was recorded', async () => {
    const work = async (tx: Tx) => {
      requireRight(actor, 'leads', 'edit')
      await tx.rows(rename())
    }
    await expect(run(work)).rejects.toThrow(
      'a transaction wrote leads and recorded nothing about them',
    )
  })

  test('and rolled back', async () => {
    expect(await readRecord(account.api, 'leads', leads[0]!)).toMatchObject({ name: 'One' })
  })
})

describe('locks are refused', () => {
  test('against the order of tables', async () => {
    const work = async (tx: Tx) => {
      await tx.rows(lockLead(leads[0]!))
      await tx.rows(lockPipelines())
    }
    await expect(run(work)).rejects.toThrow('rows of pipelines are locked after rows of leads')
  })

  test('of duplicate keys after records', async () => {
    for (const lock of [shareKeys(actor), lockAllKeys(actor)]) {
      const work = async (tx: Tx) => {
        await tx.rows(lockLead(leads[0]!))
        await tx.rows(lock)
      }
      await expect(run(work)).rejects.toThrow('duplicate_keys are locked after rows of leads')
    }
  })

  test('when the account comes last', async () => {
    const work = async (tx: Tx) => {
      await tx.rows(lockPipelines())
      await tx.rows(lockAccount(actor))
    }
    await expect(run(work)).rejects.toThrow('rows of accounts are locked after rows of pipelines')
  })

  test('against the order of ids', async () => {
    const work = async (tx: Tx) => {
      await tx.rows(lockLead(leads[1]!))
      await tx.rows(lockLead(leads[0]!))
    }
    await expect(run(work)).rejects.toThrow('rows of leads are locked against the order of ids')
  })

  test('of a table without a rank', async () => {
    expect(ranks).not.toContain('groups')
    const lock = sql`select id from groups where account_id = ${account.id} for update`
    await expect(run((tx) => tx.rows(lock))).rejects.toThrow('that table has no rank')
  })
})

test('locks in order pass, and a lock that is held may be taken again', async () => {
  const work = async (tx: Tx) => {
    await tx.rows(lockAccount(actor))
    await tx.rows(lockPipelines())
    for (const id of leads) await tx.rows(lockLead(id))
    await tx.rows(lockLead(leads[0]!))
    await tx.rows(lockPipelines())
    return 'done'
  }
  await expect(run(work)).resolves.toBe('done')
})

test('what a test prepares is not watched', async () => {
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update leads set name = 'Prepared' where id = ${leads[1]}`),
  )
  expect(await readRecord(account.api, 'leads', leads[1]!)).toMatchObject({ name: 'Prepared' })
})
