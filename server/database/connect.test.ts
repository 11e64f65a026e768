import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, ConnectionLost } from './connect.ts'
import type { Database, Tx } from './connect.ts'

const table = raw(`connect_${randomUUID().replaceAll('-', '')}`)
let database: Database
let other: Database
beforeAll(async () => {
  database = connect(process.env['KONTOR_TEST_DATABASE']!, 3)
  other = connect(process.env['KONTOR_TEST_DATABASE']!, 1)
  await other.list(sql`create table ${table} (id bigint primary key, value bigint not null)`)
})
afterAll(async () => {
  await other.list(sql`drop table ${table}`)
  await Promise.all([database.close(), other.close()])
})

const insert = (tx: Tx, id: number) => tx.rows(sql`insert into ${table} values (${id}, 0)`)
const has = async (id: number) =>
  (await other.rows(sql`select from ${table} where id = ${id}`)).length === 1

async function cutOff(tx: Tx): Promise<void> {
  const { pid } = (await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  await other.rows(sql`select pg_terminate_backend(${pid}, 5000)`)
}

test('a transaction is written when its work returns, and only then', async () => {
  const answer = await database.transaction(async (tx) => {
    await insert(tx, 1)
    expect(await has(1)).toBe(false)
    return 'done'
  })
  expect(answer).toBe('done')
  expect(await has(1)).toBe(true)
})

test('nothing is written when the work throws, and the error comes through', async () => {
  const work = database.transaction(async (tx) => {
    await insert(tx, 2)
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await has(2)).toBe(false)
})

test('an error of a statement that the work swallows still writes nothing, and says so', async () => {
  const work = database.transaction(async (tx) => {
    await insert(tx, 3)
    await insert(tx, 3).catch(() => undefined)
  })
  await expect(work).rejects.toThrow('rolled back')
  expect(await has(3)).toBe(false)
})

test.for(['rows', 'row', 'list'] as const)(
  'after its end a transaction takes no more statements (%s)',
  async (way) => {
    let kept: Tx | undefined
    await database.transaction(async (tx) => {
      kept = tx
      await tx.rows(sql`select 1`)
    })
    await expect(kept![way](sql`insert into ${table} values (4, 0)`)).rejects.toThrow(
      'this transaction has ended',
    )
    const failed = database.transaction((tx) => {
      kept = tx
      return Promise.reject(new Error('no'))
    })
    await expect(failed).rejects.toThrow('no')
    await expect(kept![way](sql`insert into ${table} values (4, 0)`)).rejects.toThrow(
      'this transaction has ended',
    )
    expect(await has(4)).toBe(false)
  },
)

test('a transaction whose connection was cut writes nothing, takes no more statements and calls nobody', async () => {
  let called = false
  let kept: Tx | undefined
  const work = database.transaction(async (tx) => {
    kept = tx
    tx.afterCommit(() => (called = true))
    await insert(tx, 5)
    await cutOff(tx)
    // No later statement of the work has an effect, on this connection or another.
    await insert(tx, 6).catch(() => undefined)
    await insert(tx, 7).catch(() => undefined)
  })
  await expect(work).rejects.toThrow()
  await expect(insert(kept!, 8)).rejects.toThrow()
  expect(called).toBe(false)
  for (const id of [5, 6, 7, 8]) expect(await has(id)).toBe(false)
})

test('a connection that is cut while nothing runs on it is lost for its transaction', async () => {
  const work = database.transaction(async (tx) => {
    await insert(tx, 9)
    await cutOff(tx)
    // The end of the connection is known when the next turn begins.
    await expect
      .poll(() => insert(tx, 10).catch((error: unknown) => error instanceof ConnectionLost))
      .toBe(true)
  })
  await expect(work).rejects.toThrow(ConnectionLost)
  expect(await has(9)).toBe(false)
})

test('the pool goes on with a new connection where one was cut', async () => {
  for (let round = 0; round < 4; round++) await database.transaction(cutOff).catch(() => undefined)
  expect(await database.rows(sql`select 1 as one`)).toEqual([{ one: 1 }])
})

test('a connection that ends together with its welcome harms nobody', async () => {
  const message = (type: string, ...parts: (string | number[])[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const welcome = [message('R', [0, 0, 0, 0]), message('Z', 'I')]
  const end = message('E', 'SFATAL\0', 'C57P01\0', 'Mthe postmaster exited\0', '\0')
  const server = net.createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([...welcome, end])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const doomed = connect(`postgresql://x:x@127.0.0.1:${port}/x?sslmode=disable`, 1)
  await expect(doomed.rows(sql`select 1`)).rejects.toThrow(ConnectionLost)
  const client = await doomed.connection()
  await new Promise<void>((resolve) => client.once('end', resolve))
  await doomed.close()
  server.close()
})

test('a deadlock is tried again, and neither side hears of it', async () => {
  await other.rows(sql`insert into ${table} values (11, 0), (12, 0)`)
  const increase = (tx: Tx, id: number) =>
    tx.rows(sql`update ${table} set value = value + 1 where id = ${id}`)
  let attempts = 0
  let waiting: (() => void) | undefined
  /** In their first attempts, each side locks one row before it asks for the other side's. */
  const both = () => new Promise<void>((go) => (waiting ? (waiting(), go()) : (waiting = go)))
  const side = (first: number, second: number) => {
    let met = false
    return database.transaction(async (tx) => {
      attempts++
      await increase(tx, first)
      if (!met) await both()
      met = true
      await increase(tx, second)
    })
  }
  await Promise.all([side(11, 12), side(12, 11)])
  expect(attempts).toBeGreaterThan(2)
  const rows = await other.rows(sql`select value from ${table} where id in (11, 12)`)
  expect(rows).toEqual([{ value: 2 }, { value: 2 }])
})

test('what waits for the commit is called once, after it, with what was written in reach', async () => {
  const seen: Promise<boolean>[] = []
  await database.transaction(async (tx) => {
    tx.afterCommit(() => seen.push(has(13)))
    await insert(tx, 13)
  })
  expect(await Promise.all(seen)).toEqual([true])
})

test('each pool prepares the pages that come often, up to 200 texts', async () => {
  const [pool, later] = [1, 1].map((size) => connect(process.env['KONTOR_TEST_DATABASE']!, size))
  const prepared = async (of: Database) =>
    (
      await of.list<{ count: number }>(sql`
      select count(*) from pg_prepared_statements where statement like 'select ''page %'`)
    )[0]!.count
  const ask = async (of: Database, number: number, times = 4) => {
    for (let time = 0; time < times; time++)
      await of.page(sql`select 'page ${raw(String(number))}' as page`)
  }
  await ask(pool!, 0, 3)
  expect(await prepared(pool!)).toBe(0)
  for (let number = 0; number < 210; number++) await ask(pool!, number)
  expect(await prepared(pool!)).toBe(200)
  await ask(later!, 209)
  expect(await prepared(later!)).toBe(1)
  await Promise.all([pool!.close(), later!.close()])
})

test('big numbers of the database are numbers here', async () => {
  expect(
    await database.row(
      sql`select ${Number.MAX_SAFE_INTEGER}::bigint as most, null::bigint as none`,
    ),
  ).toEqual({
    most: Number.MAX_SAFE_INTEGER,
    none: null,
  })
})
