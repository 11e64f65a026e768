import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterAll, expect, test } from 'vitest'
import { unconnectedKontor } from '../../docs/api/unconnected.ts'
import { newAccount } from '../../test/account.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import { server } from '../../test/server.ts'
import { buildApp } from '../app.ts'
import { connect } from '../database/connect.ts'
import type { Database } from '../database/connect.ts'

/** A server on a database that need not exist. */
async function serverOn(database: Database): Promise<string> {
  const app = await buildApp(unconnectedKontor(database), pino({ level: 'silent' }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  afterAll(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

const get = async (address: string, path: string) => {
  const response = await fetch(address + path)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as object,
  }
}

test('a server that serves is healthy and ready, and tells it without a token', async () => {
  const { address } = await server()
  expect(await get(address, '/health')).toMatchObject({
    status: 200,
    body: { name: 'kontor', status: 'ok' },
  })
  const ready = await get(address, '/ready')
  expect(ready).toMatchObject({ status: 200, body: { name: 'kontor', status: 'ready' } })
  expect(ready.headers.get('cache-control')).toBe('no-store')
})

test('without a database the process is healthy, but not ready, and answers 503 without saying where the database should be', async () => {
  const database = connect('postgres://kontor@127.0.0.1:1/kontor', 2)
  const address = await serverOn(database)
  expect((await get(address, '/health')).status).toBe(200)
  const { status, headers, body } = await get(address, '/ready')
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('1')
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({
    title: 'Service Unavailable',
    detail: 'The database cannot be reached right now, try again',
  })
  expect(JSON.stringify(body)).not.toContain('127.0.0.1')
  const metrics = await (await fetch(`${address}/metrics`)).text()
  expect(metrics).toContain('kontor_database_up 0\n')
  await database.close()
})

test('a database that lacks this version’s shape is not ready', async () => {
  const scratch = await scratchDatabase()
  const session = await scratch.database.connection()
  await session.query('drop table if exists migrations')
  await session.end()
  const address = await serverOn(scratch.database)
  expect(await get(address, '/ready')).toMatchObject({
    status: 503,
    body: { detail: 'The database is not migrated yet' },
  })
  await scratch.drop()
})

test('when more wait for the database than may, the rest is turned away with 503, and everything passes again afterwards', async () => {
  // The work beside requests, a dozen statements at the start of a server, fits into the queue.
  const databaseQueue = 30
  const { kontor, api } = await newAccount({ databaseQueue })
  const { database } = kontor
  const sleeper = await database.connection()
  // An advisory lock disturbs no other test of the shared database.
  await sleeper.query('begin; select pg_advisory_xact_lock(4711)')
  const blocked = Array.from({ length: 8 }, () =>
    database.transaction((tx) => tx.rows(sql`select pg_advisory_xact_lock(4711)`)),
  )
  const body = [{ name: 'x' }]
  const writes = Array.from({ length: 60 }, () => api.post('/api/v4/leads', body))
  await expect
    .poll(() => database.pool(), { timeout: 10_000 })
    .toMatchObject({ total: 8, idle: 0, waiting: databaseQueue })
  await sleeper.query('rollback')
  await sleeper.end()
  await Promise.all(blocked)
  const answers = await Promise.all(writes)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  for (const { status, headers } of answers)
    if (status === 503) expect(headers.get('retry-after')).toBe('1')
  expect((await api.get('/api/v4/account')).status).toBe(200)
  const metrics = await (await fetch(`${kontor.url}/metrics`)).text()
  const refused = answers.filter(({ status }) => status === 503).length
  expect(metrics).toContain(`kontor_http_requests_rejected_total{limit="database"} ${refused}\n`)
})
