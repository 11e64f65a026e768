// Fetches files from their addresses, after the requests that named these have been answered. Any number of
// processes share the work: one takes a file for as long as an attempt may last (the lease in
// `due_at`), and a process that dies leaves it due again. An attempt is bounded in time and bytes. A
// file whose address will not get better fails at once; the others are tried again by `waits`.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from 'sql-template-tag'
import { newLatch } from '../../../changes/latch.ts'
import { DownloadFault, openDownloads } from '../../../outgoing/download.ts'
import { Problem } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { anyType, declaredType, judgedType } from './media-type.ts'
import { failFetch, finishFetch, postponeFetch, takeFetches } from './queries.ts'
import type { Fetch, FetchEnd } from './queries.ts'
import { hasRoom } from './room.ts'
import { fileKey, receiveFile, fileStoreOf } from './storage.ts'

/** The channel on which a process says that there are files to fetch. */
export const fetchesChannel = 'kontor_fetches'

/** Milliseconds of an attempt, and of the lease, in which its end must be kept as well. */
const [attemptMs, leaseMs] = [60_000, 120_000]
/** Milliseconds before the second attempt and so on. There is no attempt after the last. */
const waits = [5000, 30_000, 120_000, 600_000]
/** Milliseconds before an attempt that this machine failed, which does not count. */
const ownWaitMs = 30_000
/** Milliseconds before room for the file is looked for again. */
const roomWaitMs = 600_000
/** Attempts of one process at once, and those of one account among them. */
const [maxConcurrent, mostOfAccount] = [16, 4]
/** Milliseconds between two looks without a signal, and after a failure of the database. */
const [pollMs, retryMs] = [1000, 1000]

export interface Fetching {
  /** Looks for what is due now, as after a second at the latest. */
  wake(): void
  /** Breaks off the attempts under way; another process repeats them at once. */
  stop(): Promise<void>
}

interface Options {
  /** Milliseconds since 1970. */
  nowMs?: () => number
  /** Milliseconds of an attempt. */
  timeoutMs?: number
}

export function startFetching(
  { config, database, door, signals }: Kontor,
  log: Pick<Logger, 'debug' | 'warn' | 'error'>,
  { nowMs = Date.now, timeoutMs = attemptMs }: Options = {},
): Fetching {
  const store = fileStoreOf(config)
  const downloads = openDownloads()
  const latch = newLatch()
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  /** Attempts under way by account. */
  const ofAccounts = new Map<number, number>()
  const unsubscribe = signals.on(fetchesChannel, latch.open)
  const ended = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await take()
        await latch.opened(pollMs)
      } catch (error) {
        log.error({ err: error }, 'files to fetch wait for the database')
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
    await Promise.all(underWay)
  }

  /** Begins attempts until nothing is due or enough are under way. */
  async function take(): Promise<void> {
    while (underWay.size < maxConcurrent && !stopping.signal.aborted) {
      const room = maxConcurrent - underWay.size
      const statement = takeFetches(nowMs(), nowMs() + leaseMs, ofAccounts, mostOfAccount, room)
      const taken = await database.transaction((tx) => tx.rows<Fetch>(statement))
      if (taken.length === 0) return
      for (const fetch of taken) begin(fetch)
    }
  }

  function begin(fetch: Fetch): void {
    const attempt = work(fetch).finally(() => {
      underWay.delete(attempt)
      latch.open()
    })
    underWay.add(attempt)
  }

  /** Never rejects: an end that cannot be kept leaves the file to the end of its lease. */
  async function work(fetch: Fetch): Promise<void> {
    const { account_id, id, attempts } = fetch
    ofAccounts.set(account_id, (ofAccounts.get(account_id) ?? 0) + 1)
    try {
      const end = await attempt(fetch)
      if (end !== undefined) await database.transaction((tx) => tx.rows(end))
    } catch (error) {
      log.error({ err: error, file: id }, 'the end of a fetch could not be kept')
    } finally {
      const left = ofAccounts.get(account_id)! - 1
      if (left === 0) ofAccounts.delete(account_id)
      else ofAccounts.set(account_id, left)
    }
    log.debug({ account: account_id, file: id, attempts }, 'an attempt to fetch has ended')
  }

  /** Fetches a file, and answers the statement that keeps how it ended, where that is not kept yet. */
  async function attempt(fetch: Fetch): Promise<Sql | undefined> {
    // A process that dies in every attempt must not meet the file for ever.
    if (fetch.attempts > waits.length + 1) return failFetch(fetch, 'interrupted')
    try {
      if (!(await hasRoom(config, database, fetch.account_id))) return waitForRoom(fetch)
      const file = await download(fetch)
      const at = Math.floor(nowMs() / 1000)
      const end = finishFetch(fetch, file, at, config.filesAccountBytes)
      const { is_held, is_kept } = (await database.transaction((tx) => tx.row<FetchEnd>(end)))!
      if (is_kept || !is_held) return undefined
      await store.remove(fileKey(fetch.account_id, fetch.uid))
      return waitForRoom(fetch)
    } catch (error) {
      if (stopping.signal.aborted) return postponeFetch(fetch, null, nowMs(), false)
      if (!(error instanceof DownloadFault)) {
        log.warn({ err: error, file: fetch.id }, 'a file could not be stored')
        return postponeFetch(fetch, 'local', nowMs() + ownWaitMs, false)
      }
      const wait = error.mayPass ? waits[fetch.attempts - 1] : undefined
      return wait === undefined
        ? failFetch(fetch, error.message)
        : postponeFetch(fetch, error.message, nowMs() + wait, true)
    }
  }

  const waitForRoom = (fetch: Fetch) => postponeFetch(fetch, 'no room', nowMs() + roomWaitMs, false)

  async function download({ account_id, uid, type, source, role }: Fetch) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal])
    const permit = await door.permit({ accountId: account_id, role })
    const found = await downloads.get(source, permit, signal)
    try {
      if (found.size !== undefined && found.size > config.fileMaxBytes) throw tooLarge()
      const received = await receiveFile(config, found.bytes, config.fileMaxBytes)
      const said = declaredType(found.type)
      const judged = judgedType(said === anyType ? type : said, received.firstBytes)
      await store.keep(fileKey(account_id, uid), received, judged)
      return { type: judged, size: received.size }
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      throw error.status === 413 ? tooLarge() : new DownloadFault('empty', true)
    } finally {
      found.close()
    }
  }

  return {
    wake: latch.open,
    async stop() {
      stopping.abort()
      latch.open()
      unsubscribe()
      await ended
      downloads.close()
    },
  }
}

const tooLarge = () => new DownloadFault('too large', false)
