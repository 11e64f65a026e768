// Work in the background waits for older transactions: for those of its own database, and for no others.
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'
import { connect } from '../database/connect.ts'
import type { Database } from '../database/connect.ts'
import { othersEnded } from './background.ts'

const role = `background_${Date.now()}`
let scratch: Scratch
let neighbour: Scratch
/** Connected as a role that may not see what other roles do. */
let limited: Database

beforeAll(async () => {
  ;[scratch, neighbour] = [await scratchDatabase(), await scratchDatabase()]
  await scratch.database.rows(sql([`create role ${role}`]))
  limited = connect(
    `${scratch.url}${scratch.url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c role=${role}`)}`,
    1,
  )
})
afterAll(async () => {
  await limited.close()
  await scratch.database.rows(sql([`drop role ${role}`]))
  await neighbour.drop()
  await scratch.drop()
})

// Nothing of an earlier test is open.
beforeEach(async () => {
  expect(await ends(scratch.database, 100)).toBe(true)
})

/** A transaction that has its number and is open until the end of the test. */
async function openIn(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin; select pg_current_xact_id()')
  return client
}

/**
 * Whether all that is waited for ends within so many looks, one each 50 ms. Three tell that
 * something is open; more leave time for what the server itself does in a database.
 */
async function ends(database: Database, looks: number): Promise<boolean> {
  let looked = 0
  return othersEnded(database, () => ++looked > looks)
}

/** Whether the database itself and the limited role see the end of what they wait for. */
const bothEnd = async (looks: number) => [
  await ends(scratch.database, looks),
  await ends(limited, looks),
]

test('a transaction of the same database is waited for until it ends', async () => {
  const client = await openIn(scratch.url)
  expect(await bothEnd(3)).toEqual([false, false])
  await client.query('commit')
  expect(await bothEnd(100)).toEqual([true, true])
})

test('one of another database of the server is not, whoever asks', async () => {
  await openIn(neighbour.url)
  expect(await bothEnd(100)).toEqual([true, true])
  await openIn(scratch.url)
  expect(await bothEnd(3)).toEqual([false, false])
})

test('one that begins after the call is not, whatever else is open', async () => {
  await openIn(neighbour.url)
  const client = await openIn(scratch.url)
  let looks = 0
  const ended = othersEnded(scratch.database, () => {
    looks++
    return false
  })
  await expect.poll(() => looks).toBeGreaterThan(1)
  await openIn(scratch.url)
  // Only a number below one that has ended stands in a snapshot.
  await scratch.database.rows(sql`select pg_current_xact_id()`)
  await client.query('rollback')
  expect(await ended).toBe(true)
})
