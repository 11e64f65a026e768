import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from './connect.ts'
import type { Database, Tx } from './connect.ts'
import { together } from './together.ts'

let database: Database
beforeAll(() => {
  database = connect(process.env['KONTOR_TEST_DATABASE']!, 1)
})
afterAll(() => database.close())

const number = async (tx: Tx, value: number) =>
  (await tx.row<{ value: number }>(sql`select ${value}::int as value`))!.value
const failing = (tx: Tx) => tx.rows(sql`select 1 / ${0}::int`)
/** Hears of its statement later than a caller that waits for the statement itself. */
const slow = async (tx: Tx) => {
  await together([together([failing(tx)])])
}

test('the answers come in the order of the statements; what is no statement comes through', async () => {
  const answers = await database.transaction((tx) =>
    together([number(tx, 1), undefined, number(tx, 2)]),
  )
  expect(answers).toEqual([1, undefined, 2])
})

test.for([
  ['first', (tx: Tx) => together([slow(tx), number(tx, 1)])],
  ['last', (tx: Tx) => together([number(tx, 1), slow(tx)])],
  [
    'before one that is named earlier',
    (tx: Tx) => {
      const failed = slow(tx)
      return together([number(tx, 1), failed])
    },
  ],
] as const)('the statement that failed %s gives the error', async ([, work]) => {
  await expect(database.transaction<unknown>(work)).rejects.toMatchObject({ code: '22012' })
  // The connection is as good as before.
  expect(await database.transaction((tx) => number(tx, 3))).toBe(3)
})

test('a collision of one of the statements runs the transaction again', async () => {
  let runs = 0
  const collide = async (tx: Tx) => {
    await together([tx.list(sql`do $$ begin raise sqlstate '40001'; end $$`)])
  }
  const work = async (tx: Tx) => {
    runs++
    if (runs === 1) await together([collide(tx), number(tx, 1)])
  }
  await database.transaction(work)
  expect(runs).toBe(2)
})
