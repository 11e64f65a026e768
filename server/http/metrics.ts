// Prometheus text at /metrics. Names and labels are bounded: routes by their patterns, methods by
// those of the routes, statuses by class. No label holds data of an account. Values that other
// parts keep (pool, followers, limits) are read at a scrape; a request costs one observation of its
// duration.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import sql from 'sql-template-tag'
import type { Database } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'
import { sameSecret } from '../secrets.ts'
import { sendAs } from './hal.ts'
import { forbidden, unauthorized } from './problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds a gauge; `read` is called at each scrape. `name` begins with kontor_. */
    gauge(name: string, help: string, read: () => number): void
    metrics: Registry
  }
}

/** How many requests each limit has refused. */
export type Rejections = Record<
  'integration' | 'account' | 'address' | 'scope' | 'bodies' | 'database',
  number
>

/**
 * Must run before all other hooks, so that the requests they refuse are counted too. `metricsRoute`
 * adds the route.
 */
export function measure(app: App, { database }: Kontor, rejected: Rejections): void {
  const metrics = new Registry()
  const registers = [metrics]
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) })
  }
  app.decorate('gauge', gauge)
  app.decorate('metrics', metrics)
  measureRequests(app, registers, gauge)
  measureLimits(registers, rejected)
  measureDatabase(registers, database, gauge)
}

type Registers = Registry[]
type NewGauge = App['gauge']

function measureRequests(app: App, registers: Registers, gauge: NewGauge): void {
  const durations = new Histogram({
    name: 'kontor_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by route; live streams are left out',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  /**
   * The labelled parts of the histogram, kept by label: looking labels up for each request doubles
   * the cost.
   */
  const observers = new Map<string, { observe(seconds: number): void }>()
  let inFlight = 0
  gauge(
    'kontor_http_requests_in_flight',
    'Requests that have begun and are not answered yet, live streams included',
    () => inFlight,
  )

  app.addHook('onRequest', (_request, _reply, done) => {
    inFlight++
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    inFlight--
    if (!isStream(reply)) {
      const { method, route, status } = labelsOf(request, reply)
      const key = `${method} ${route} ${status}`
      let observer = observers.get(key)
      if (!observer) observers.set(key, (observer = durations.labels(method, route, status)))
      observer.observe(reply.elapsedTime / 1000)
    }
    done()
  })
}

function isStream(reply: FastifyReply): boolean {
  return reply.raw.getHeader('content-type') === 'text/event-stream'
}

/** A request without a route gets fixed labels: its path and method are the client's choice. */
function labelsOf(request: FastifyRequest, reply: FastifyReply) {
  const status = `${Math.floor(reply.statusCode / 100)}xx`
  return request.is404
    ? { method: 'any', route: 'none', status }
    : { method: request.method, route: request.routeOptions.url ?? 'none', status }
}

function measureLimits(registers: Registers, rejected: Rejections): void {
  const counter: Counter<'limit'> = new Counter({
    name: 'kontor_http_requests_rejected_total',
    help: 'Requests turned away by a limit: of the integration, the account, the address, the scope of a channel, the bodies read at once, or of those that may wait for the database',
    labelNames: ['limit'],
    registers,
    collect() {
      counter.reset()
      for (const [limit, count] of Object.entries(rejected)) counter.inc({ limit }, count)
    },
  })
}

function measureDatabase(registers: Registers, database: Database, gauge: NewGauge): void {
  const connections = 'kontor_database_connections'
  gauge(`${connections}_total`, 'Connections in the pool', () => database.pool().total)
  gauge(`${connections}_idle`, 'Connections in the pool without work', () => database.pool().idle)
  gauge(
    'kontor_database_waiting',
    'Statements and transactions that wait for a connection',
    () => database.pool().waiting,
  )
  // One query answers both gauges; the first to be read asks it.
  let lags: Promise<FollowerLag[] | undefined>
  const up: Gauge = new Gauge({
    name: 'kontor_database_up',
    help: '1 when the database answered this question',
    registers,
    async collect() {
      lags = askInTime(database.rows<FollowerLag>(followerLags))
      up.set((await lags) ? 1 : 0)
    },
  })
  const lag: Gauge<'follower'> = new Gauge({
    name: 'kontor_follower_lag',
    help: 'Journal ids that a follower has not passed yet',
    labelNames: ['follower'],
    registers,
    async collect() {
      lag.reset()
      for (const { follower, behind } of (await lags) ?? []) lag.set({ follower }, behind)
    },
  })
}

interface FollowerLag {
  follower: string
  behind: number
}

const followerLags = sql`
  select name as follower, greatest(0, case when is_called then last_value else 0 end - low_water) as behind
    from followers, journal_id`

/** The other metrics must not wait longer for a database that does not answer. */
const answerMs = 3000

function askInTime<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return Promise.race([answer.catch(() => undefined), sleep(answerMs, undefined, { ref: false })])
}

let ofProcess: Registry | undefined

/** `GET /metrics`, for this machine and for clients that send METRICS_TOKEN. */
export function metricsRoute(app: App, { config }: Kontor): void {
  app.get('/metrics', { config: { access: 'public' } }, async (request, reply) => {
    forbidStrangers(request, config.metricsToken)
    const all = Registry.merge([processMetrics(), app.metrics])
    return sendAs(reply, all.contentType, await all.metrics())
  })
}

/**
 * Memory, processor time, garbage collection and the event loop belong to the process, so all its
 * applications share one registry.
 */
function processMetrics(): Registry {
  if (!ofProcess) collectDefaultMetrics({ register: (ofProcess = new Registry()) })
  return ofProcess
}

const loopback = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
const here = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i

/**
 * A client on this machine connects from a loopback address, and no proxy has passed its request
 * on. Connections of a local proxy look the same but for the proxy's headers.
 */
function forbidStrangers({ headers, raw }: FastifyRequest, token: string | undefined): void {
  const [, shown] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  if (token !== undefined && shown !== undefined && sameSecret(token, shown)) return
  const isPassedOn = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => name in headers,
  )
  if (
    shown === undefined &&
    !isPassedOn &&
    loopback.test(raw.socket.remoteAddress ?? '') &&
    here.test(headers.host ?? '')
  )
    return
  throw token === undefined
    ? forbidden('Only the machine itself may read its metrics; METRICS_TOKEN opens them to others')
    : unauthorized('The metrics take METRICS_TOKEN as a bearer token')
}
