import { rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RouteOptions } from 'fastify'
import { pino } from 'pino'
import { forgetAttempts } from '../server/access/attempts.ts'
import { buildApp } from '../server/app.ts'
import { openSignals } from '../server/changes/signals.ts'
import type { Signals } from '../server/changes/signals.ts'
import { readConfig } from '../server/config.ts'
import type { Config } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import { openDoor } from '../server/outgoing/door.ts'
import { openSigning } from '../server/signing.ts'
import type { Kontor } from '../server/kontor.ts'
import { openSecrets } from '../server/secrets.ts'
import { atEndOfFile } from './endings.ts'
import { slowly } from './moments.ts'
import { randomly, slowAnswers, slowAnswersFrom } from './slow.ts'

export interface Server {
  kontor: Kontor
  /** Where it listens, which need not be its public address. */
  address: string
  /**
   * Seconds that this server's clock is ahead, and milliseconds more that limits of requests have seen
   * pass; a test may move them. Limits count on a clock that only grows, so the latter are kept.
   */
  clock: { ahead: number; passedMs: number }
  /** Every route that it serves, private ones too, without those that only answer HEAD. */
  routes: Registered[]
}

export interface Registered extends Pick<RouteOptions, 'config' | 'schema'> {
  method: string
  /** As the published document writes it: `/api/v4/leads/{id}`. */
  path: string
}

/** The name of the usual settings. */
const usual = JSON.stringify({})
const servers = new Map<string, Promise<Server>>()

/**
 * A server on a free port, on the database of the run unless the settings name another. The server
 * of the usual settings lives as long as the worker, any other as long as the test file. A test that
 * counts, closes or fills up what belongs to the whole server therefore needs settings of its own.
 */
export async function server(settings: Partial<Config> = {}): Promise<Server> {
  const name = JSON.stringify(settings)
  const known = servers.get(name) ?? startServer(settings)
  servers.set(name, known)
  const started = await known
  if (name === usual)
    atEndOfFile(() => {
      started.clock.ahead = 0
      // All files guess passwords from one address, which would be closed to the later ones.
      forgetAttempts(started.kontor)
    })
  return started
}

/** The files of all servers of this worker. */
const filesFolder = path.join(tmpdir(), `kontor-test-files-${process.pid}`)
process.once('exit', () => rmSync(filesFolder, { recursive: true, force: true }))

async function keepWaiting({ headers }: { headers: IncomingHttpHeaders }): Promise<void> {
  const late = slowAnswersFrom + randomly() ** 3 * Math.max(0, slowAnswers - slowAnswersFrom)
  if (headers['sec-fetch-mode']) await slowly(late)
}

async function startServer(settings: Partial<Config>): Promise<Server> {
  const usually = { secretKey: 'the key of the tests', filesFolder }
  const config = { ...readConfig({}), ...usually, ...settings }
  const databaseUrl = config.databaseUrl ?? process.env['KONTOR_TEST_DATABASE']!
  const clock = { ahead: 0, passedMs: 0 }
  const signal = (channel: string) => signals.notify(channel)
  const database = connect(databaseUrl, 8, config.databaseQueue, signal, () => clock.ahead)
  const now = () => Math.floor(Date.now() / 1000) + clock.ahead
  const elapsedMs = () => performance.now() + clock.passedMs
  const secrets = await openSecrets(config)
  const signals: Signals = openSignals(database)
  const signing = await openSigning(database, secrets, now())
  const kontor: Kontor = {
    config,
    database,
    secrets,
    signing,
    door: openDoor(config, database, databaseUrl),
    signals,
    now,
    elapsedMs,
    url: config.url ?? '',
  }
  const routes: Registered[] = []
  const app = await buildApp(
    kontor,
    pino({ level: process.env['LOG_LEVEL'] ?? 'error' }),
    async (app) => {
      if (slowAnswers) app.addHook('onRequest', keepWaiting)
      app.addHook('onRoute', ({ config, method, schema, url }) => {
        const path = url.replaceAll(/:(\w+)/g, '{$1}')
        for (const each of [method].flat())
          if (each !== 'HEAD') routes.push({ config, method: each, path, schema })
      })
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const address = `${config.tlsCert ? 'https' : 'http'}://127.0.0.1:${port}`
  kontor.url ||= address
  kontor.door.close(port)
  const name = JSON.stringify(settings)
  if (name !== usual)
    atEndOfFile(async () => {
      servers.delete(name)
      await app.close()
      await signals.close()
      await database.close()
    })
  return { kontor, address, clock, routes }
}
