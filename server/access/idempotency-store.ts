// The answers to writes with an Idempotency-Key (docs/decisions/0026-idempotency.md). An
// answer is kept in the transaction of its write: either both are there or neither. So a program
// that heard no answer repeats its request, and gets the first answer or makes the first write.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Config } from '../config.ts'
import type { Database, Tx } from '../database/connect.ts'
import type { Answer } from '../http/hal.ts'
import { hashRequest } from '../http/idempotency.ts'
import { payloadTooLarge, Problem } from '../http/problem.ts'
import type { Actor } from './actor.ts'
import { setBounded } from './remembered.ts'

export interface StoredAnswer extends Answer {
  /** Whether this is the answer to an earlier request. */
  isRepeated: boolean
}

/** Gives the answer that was kept under the key, or that of `work`, and keeps it. */
export type AnswerOnce = (
  tx: Tx,
  request: FastifyRequest,
  key: string,
  work: () => Promise<Answer>,
) => Promise<StoredAnswer>

const daySeconds = 86_400

type Bounds = Pick<Config, 'idempotencyKeys' | 'bodyLimit'>

export function openIdempotencyStore({ idempotencyKeys, bodyLimit }: Bounds): AnswerOnce {
  const countKey = openKeyCounts(idempotencyKeys)
  const longest = longestAnswer(bodyLimit)

  return async (tx, request, key, work) => {
    const { actor } = request
    const hash = hashKey(actor, key)
    const requestHash = hashRequest(request)
    // The lock comes first: a twin that has just ended is seen only by a statement after it.
    const { locked } = (await tx.row<{ locked: boolean }>(lockKey(hash)))!
    const kept = await tx.row<StoredRow>(storedAnswer(actor, hash))
    if (kept && !kept.request_hash.equals(requestHash)) throw anotherRequest()
    if (kept) return { status: kept.status, type: kept.type, text: kept.body, isRepeated: true }
    if (!locked) throw beingAnswered()
    await countKey(tx, actor)
    const answer = await work()
    if (Buffer.byteLength(answer.text) > longest) throw tooLongToKeep()
    await tx.rows(storeAnswer(actor, hash, requestHash, answer))
    return { ...answer, isRepeated: false }
  }
}

/**
 * The most bytes of a stored answer. The largest with a small request are 50 pipelines with all their
 * statuses (1.4 MB). Answers to large requests repeat the values and add ids and links to them: the
 * choices of a field, the shortest values of all, become 3.5 times as long.
 */
const longestAnswer = (bodyLimit: number) => Math.max(16 * 1024 * 1024, 4 * bodyLimit)

/** Two callers with the same key do not meet. */
function hashKey({ accountId, userId, clientId }: Actor, key: string): Buffer {
  const named = JSON.stringify([accountId, userId, clientId, key])
  return createHash('sha256').update(named).digest()
}

const anotherRequest = () =>
  new Problem(422, 'This Idempotency-Key was used for a different request')
const beingAnswered = () =>
  new Problem(409, 'A request with this Idempotency-Key is being answered right now', {
    headers: { 'retry-after': '1' },
  })
const tooLongToKeep = () =>
  payloadTooLarge(
    'The answer is too large to be kept for an Idempotency-Key: send fewer items, or no key',
  )

interface Count {
  used: number
  /** When the account was counted, in Unix seconds. */
  at: number
  /** No key fits before this time. */
  freeAt: number
}

/** Seconds after which an account is counted anew, because other processes keep answers too. */
const recountSeconds = 600
const mostCounts = 5000

/**
 * Refuses a new key with 429 while the account has as many as it may. The count is remembered,
 * because counting a million keys takes 0.1 s.
 */
function openKeyCounts(most: number): (tx: Tx, actor: Actor) => Promise<void> {
  const counts = new Map<string, Count>()
  return async (tx, actor) => {
    const { accountId, at } = actor
    let count = counts.get(String(accountId))
    const isFull = count !== undefined && count.used >= most && at >= count.freeAt
    if (!count || isFull || at - count.at >= recountSeconds) {
      const { used, oldest } = (await tx.row<{ used: number; oldest: number | null }>(
        countKeys(actor),
      ))!
      count = { used, at, freeAt: oldest !== null && used >= most ? oldest + daySeconds : at }
      setBounded(counts, String(accountId), count, mostCounts)
    }
    if (count.used >= most) throw tooManyKeys(most, count.freeAt - at)
    // A write that is refused keeps no key. The next count knows.
    count.used++
  }
}

function tooManyKeys(most: number, wait: number): Problem {
  const detail = `The account has used ${most} Idempotency-Keys within a day, as many as it may`
  return new Problem(429, detail, { headers: { 'retry-after': String(Math.max(1, wait)) } })
}

interface StoredRow {
  request_hash: Buffer
  status: number
  type: string | null
  body: string
}

/** Held until the transaction ends. It does not wait: a twin is answered at once. */
const lockKey = (hash: Buffer): Sql =>
  sql`select pg_try_advisory_xact_lock(${hash.readBigInt64BE()}) as locked`

export const storedAnswer = ({ accountId, at }: Actor, hash: Buffer): Sql => sql`
  select request_hash, status, type, body from idempotency_keys
   where account_id = ${accountId} and hash = ${hash} and created_at > ${at - daySeconds}`

export const countKeys = ({ accountId, at }: Pick<Actor, 'accountId' | 'at'>): Sql => sql`
  select count(*) as used, min(created_at) as oldest from idempotency_keys
   where account_id = ${accountId} and created_at > ${at - daySeconds}`

/** A row that is there already has expired, and has not been dropped yet. */
const storeAnswer = (
  { accountId, at }: Actor,
  hash: Buffer,
  requestHash: Buffer,
  { status, type, text }: Answer,
): Sql => sql`
  insert into idempotency_keys (account_id, hash, request_hash, created_at, status, type, body)
  values (${accountId}, ${hash}, ${requestHash}, ${at}, ${status}, ${type}, ${text})
  on conflict (account_id, hash) do update
     set request_hash = excluded.request_hash, created_at = excluded.created_at,
         status = excluded.status, type = excluded.type, body = excluded.body`

/** Rows per transaction: few enough to take milliseconds. */
const chunk = 5000

/** Drops the answers that have been kept for a day. Returns their number. */
export async function dropStoredAnswers(database: Database, at: number): Promise<number> {
  for (let dropped = 0; ;) {
    const rows = await database.transaction((tx) => tx.rows(dropExpired(at)))
    dropped += rows.length
    if (rows.length < chunk) return dropped
  }
}

/** Goes from account to account, because the index begins with the account. */
export const dropExpired = (at: number): Sql => sql`
  delete from idempotency_keys
   where created_at <= ${at - daySeconds} and ctid = any (array(
           select kept.ctid
             from accounts account
            cross join lateral (
                    select ctid from idempotency_keys
                     where account_id = account.id and created_at <= ${at - daySeconds}
                     order by created_at limit ${chunk}) kept
            limit ${chunk}))
  returning 1`
