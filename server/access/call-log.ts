// The latest calls of programs, for the administrators who look for a fault: of integrations with
// their tokens, of chat channels with their signatures, and callbacks to channels; and when each grant
// was used last. Calls are noted in memory when they have been answered, and written once in two
// seconds, so no request waits for the log or writes for it. docs/decisions/0070-calls-of-programs.md
import type { FastifyReply, FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database, Tx } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'
import { Problem } from '../http/problem.ts'
import { setBounded } from './remembered.ts'

interface Call {
  method: string
  /** As sent; of a callback, its address without the query. */
  path: string
  /** 0: no answer. */
  status: number
  /** Why it was refused, or that its client decided the answer. */
  fault: string | null
  milliseconds: number
  /** Milliseconds since 1970. */
  called_at: number
}

export interface NotedIntegrationCall extends Call {
  account_id: number
  client_id: string
  user_id: number
}

export interface NotedChannelCall extends Call {
  /** A channel that does not exist has no log. */
  channel_id: string
  is_incoming: boolean
}

export interface CallLog {
  noteIntegration(call: NotedIntegrationCall, grantId: number | undefined): void
  noteChannel(call: NotedChannelCall): void
  /** Writes what this process has noted. Never rejects. */
  write(): Promise<void>
}

/** How many calls of one program are kept (web design, 1.6.22 and 1.6.24). */
export const [keptOfIntegration, keptOfChannel] = [200, 100]

/** The calls of all programs that wait to be written; later ones are not noted. */
const maxBuffered = 5000
const writeMs = 2000
/** The seconds by which the last use of a grant may be told too early. */
const coarseSeconds = 300
const mostGrants = 20_000
const longestPath = 500

declare module 'fastify' {
  interface FastifyRequest {
    /** The channel that a request names, which need not exist; set by the check of signatures. */
    namedChannel?: string
    /** Why the request was refused. */
    fault?: string
  }
}

const logs = new WeakMap<Kontor, CallLog>()

/** One server has one log, wherever its calls are made. */
export function callLogOf(kontor: Kontor): CallLog {
  const log = logs.get(kontor) ?? openCallLog(kontor)
  logs.set(kontor, log)
  return log
}

/** Notes the answered requests of programs. */
export function installCallLog(app: App, kontor: Kontor): void {
  const log = callLogOf(kontor)
  app.decorateRequest('namedChannel')
  app.decorateRequest('fault')
  app.addHook('onError', (request, _reply, error, done) => {
    if (isOfProgram(request)) request.fault = faultOf(error)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (isOfProgram(request)) note(request, reply)
    done()
  })
  // Not in a request: what it writes belongs to none.
  const timer = setInterval(() => void log.write(), writeMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await log.write()
  })

  function note(request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply): void {
    const { actor, namedChannel, fault, method, url } = request
    const call = {
      method,
      path: url.slice(0, longestPath),
      status,
      fault: fault ?? (isEmptyForClient(request, status) ? emptyForClient : null),
      milliseconds: Math.round(elapsedTime),
      called_at: Date.now() - Math.round(elapsedTime),
    }
    if (namedChannel !== undefined)
      log.noteChannel({ ...call, channel_id: namedChannel, is_incoming: true })
    else {
      const { accountId: account_id, clientId, userId: user_id, grantId } = actor
      log.noteIntegration({ ...call, account_id, client_id: clientId!, user_id }, grantId)
    }
  }
}

const isOfProgram = ({ actor, namedChannel }: FastifyRequest): boolean =>
  namedChannel !== undefined || typeof actor?.clientId === 'string'

/** The sentence of calls that find nothing and get another status than the interface has. */
const emptyForClient =
  'Nothing was found. The answer is 204 in place of 200 or 404, because of the User-Agent: set --empty-list of the integration to decide it.'

const isEmptyForClient = ({ actor, method }: FastifyRequest, status: number): boolean =>
  status === 204 && (method === 'GET' || method === 'HEAD') && actor?.emptyList === 'client'

/** The first fault of a refusal with its path, or its sentence. */
function faultOf(error: Error): string {
  const body = error instanceof Problem ? error.body() : undefined
  const [fault] = body?.['validation-errors']?.flatMap(({ errors }) => errors) ?? []
  return (fault ? `${fault.path}: ${fault.detail}` : error.message).slice(0, 500)
}

function openCallLog({ database, now }: Kontor): CallLog {
  let integrations: NotedIntegrationCall[] = []
  let channels: NotedChannelCall[] = []
  let uses = new Map<string, { account_id: number; grant_id: number; used_at: number }>()
  /** The last use of grants that this process has written. */
  const lastTouches = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  const hasRoom = () => integrations.length + channels.length < maxBuffered

  async function writeAll(): Promise<void> {
    const noted = { integrations, channels, uses: [...uses.values()] }
    integrations = []
    channels = []
    uses = new Map()
    if (noted.integrations.length + noted.channels.length + noted.uses.length === 0) return
    // Calls that cannot be written are lost: a log must not fill the memory while the database is away.
    await database
      .transaction((tx) => writeNoted(tx, noted), { isDurable: false })
      .catch(() => undefined)
  }

  return {
    noteIntegration(call, grantId) {
      if (hasRoom()) integrations.push(call)
      if (grantId === undefined) return
      const key = `${call.account_id} ${grantId}`
      const at = now()
      if (Math.abs(at - (lastTouches.get(key) ?? 0)) < coarseSeconds) return
      setBounded(lastTouches, key, at, mostGrants)
      uses.set(key, { account_id: call.account_id, grant_id: grantId, used_at: at })
    },
    noteChannel(call) {
      if (hasRoom()) channels.push(call)
    },
    write() {
      writing = writing.then(writeAll)
      return writing
    },
  }
}

async function writeNoted(
  tx: Tx,
  noted: {
    integrations: NotedIntegrationCall[]
    channels: NotedChannelCall[]
    uses: { account_id: number; grant_id: number; used_at: number }[]
  },
): Promise<void> {
  const { integrations, channels, uses } = noted
  const client = ({ account_id, client_id }: NotedIntegrationCall) => `${account_id} ${client_id}`
  const kept = latest(integrations, client, keptOfIntegration)
  const keptChannels = latest(channels, ({ channel_id }) => channel_id, keptOfChannel)
  if (uses.length > 0) await tx.rows(keepUses(uses))
  if (kept.length > 0) await tx.rows(insertIntegrationCalls(kept))
  if (keptChannels.length > 0) await tx.rows(insertChannelCalls(keptChannels))
  // Two processes at once would wait for each other's rows; the next write trims, too.
  if (!(await tx.row<{ is_taken: boolean }>(takeTrimming))!.is_taken) return
  if (kept.length > 0) await tx.rows(trimIntegrationCalls(kept))
  if (keptChannels.length > 0) await tx.rows(trimChannelCalls(keptChannels))
}

/** The last `most` of each program, in their order. */
const latest = <Each>(calls: Each[], program: (call: Each) => string, most: number): Each[] =>
  [...Map.groupBy(calls, program).values()].flatMap((its) => its.slice(-most))

const takeTrimming = sql`
  select pg_try_advisory_xact_lock(hashtext('kontor call log')) as is_taken`

/** The rows are in one order, so that no two processes wait for each other. A grant may be gone. */
const keepUses = (uses: { account_id: number; grant_id: number; used_at: number }[]): Sql => sql`
  insert into grant_uses (account_id, grant_id, used_at)
  select account_id, grant_id, used.used_at
    from json_to_recordset(${JSON.stringify(uses)}::json) as used(account_id bigint, grant_id bigint, used_at bigint)
    join grants given using (account_id) where given.id = grant_id order by 1, 2
      on conflict (account_id, grant_id) do update set used_at = excluded.used_at where grant_uses.used_at < excluded.used_at`

const insertIntegrationCalls = (calls: NotedIntegrationCall[]): Sql => sql`
  insert into integration_calls (account_id, client_id, user_id, method, path, status, fault, milliseconds, called_at)
  select account_id, client_id, user_id, method, path, status, fault, milliseconds, called_at
    from json_to_recordset(${jsonOf(calls)}::json) as call(account_id bigint, client_id uuid, user_id bigint, method text, path text,
                                                           status int, fault text, milliseconds int, called_at bigint)`

/** Channels are joined in any order, and the ids say which call was later. */
const insertChannelCalls = (calls: NotedChannelCall[]): Sql => sql`
  insert into channel_calls (account_id, channel_id, is_incoming, method, path, status, fault, milliseconds, called_at)
  select channel.account_id, channel.id, is_incoming, method, path, status, fault, milliseconds, called_at
    from rows from (json_to_recordset(${jsonOf(calls)}::json)
                    as (channel_id uuid, is_incoming boolean, method text, path text, status int, fault text, milliseconds int, called_at bigint))
         with ordinality as call(channel_id, is_incoming, method, path, status, fault, milliseconds, called_at, place)
    join channels channel on channel.id = channel_id and channel.deleted_at is null
   order by place`

/** PostgreSQL has no place for the character 0. */
const jsonOf = (calls: Call[]): string => JSON.stringify(calls).replaceAll(String.raw`\u0000`, '')

const trimIntegrationCalls = (calls: NotedIntegrationCall[]): Sql => sql`
  delete from integration_calls call
   using (select distinct account_id, client_id from json_to_recordset(${jsonOf(calls)}::json) as noted(account_id bigint, client_id uuid)) program
   where call.account_id = program.account_id and call.client_id = program.client_id
     and call.id <= (select id from integration_calls other
                      where other.account_id = program.account_id and other.client_id = program.client_id
                      order by id desc limit 1 offset ${keptOfIntegration}::int)`

const trimChannelCalls = (calls: NotedChannelCall[]): Sql => sql`
  delete from channel_calls call
   using (select distinct account_id, channels.id from channels
           where id in (select channel_id from json_to_recordset(${jsonOf(calls)}::json) as noted(channel_id uuid))) program
   where call.account_id = program.account_id and call.channel_id = program.id
     and call.id <= (select id from channel_calls other
                      where other.account_id = program.account_id and other.channel_id = program.id
                      order by id desc limit 1 offset ${keptOfChannel}::int)`

/** Days that the calls of a program stay that calls no more. */
const keptDays = 30

/** Drops the calls of programs that call no more; `now` is in Unix seconds. */
export async function dropOldCalls(database: Database, now: number): Promise<void> {
  const before = (now - keptDays * 86_400) * 1000
  for (const statement of [
    sql`delete from integration_calls where called_at < ${before}`,
    sql`delete from channel_calls where called_at < ${before}`,
  ])
    await database.transaction((tx) => tx.rows(statement))
}
