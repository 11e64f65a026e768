// The work on the data that the server does beside requests, one line each: what commits leave behind, what goes
// outside, and the upkeep of every hour. Parts of the protocol start what they need themselves.
import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { dropOldCalls } from './access/call-log.ts'
import { dropStoredAnswers } from './access/idempotency-store.ts'
import { followGrowth } from './changes/growth.ts'
import { foldInBackground } from './changes/kept-sums.ts'
import { dropOldEvents, ensureEventPartitions } from './changes/partitions.ts'
import { dropReadJournal } from './changes/retention.ts'
import { entities } from './entities.ts'
import { leadTotals } from './features/application/board/totals.ts'
import { turnClockInBackground } from './features/records/customers/clock/clock.ts'
import { dropAbandonedFiles, startFetching } from './features/activity/files/files.ts'
import { dropOldJobs } from './features/application/jobs/jobs.ts'
import { workOnJobs } from './features/application/jobs/work.ts'
import { dropOldMerges } from './features/application/merges/merges.ts'
import { startCallbacks } from './features/conversations/messages/outgoing/start.ts'
import { dropOldNotifications } from './features/activity/notifications/notifications.ts'
import { dropExpiredAccess } from './features/programs/oauth/oauth.ts'
import { moveInBackground } from './features/people/users/moving.ts'
import {
  dropOldDeliveries,
  startDeliveries,
} from './features/programs/webhooks/deliveries/deliveries.ts'
import type { App, Kontor } from './kontor.ts'
import { cleanUpInBackground } from './records/clean-ups.ts'
import { indexPhonesInBackground } from './records/fields/phone-index.ts'
import { listedCounts } from './records/lists/listed-counts.ts'
import { purgeBin } from './records/purge.ts'
import { countTrigramsInBackground } from './records/search/common-trigrams.ts'
import { keepBlocksInBackground } from './records/search/text-blocks.ts'

/**
 * Does what commits leave behind, in whichever process is free, until the application closes. Tests that send requests
 * have it, too.
 */
export function finishCommits(app: App, kontor: Kontor): void {
  moveInBackground(app, kontor)
  cleanUpInBackground(app, kontor)
  indexPhonesInBackground(app, kontor)
  countTrigramsInBackground(app, kontor)
  keepBlocksInBackground(app, kontor)
  foldInBackground(app, kontor, leadTotals)
  foldInBackground(app, kontor, listedCounts)
  turnClockInBackground(app, kontor)
  workOnJobs(app, kontor)
}

export interface Work {
  start(): void
  /** Lets what has started end, before the database closes. */
  stop(): Promise<void>
}

/** What only the process that serves does. */
export function workOf(
  kontor: Kontor,
  metrics: Registry,
  { warnings, logger }: { warnings: Logger; logger: Logger },
): Work {
  const starts = [
    () => startDeliveries(kontor, entities, warnings, { metrics }),
    () => startCallbacks(kontor, warnings, { metrics }),
    () => startFetching(kontor, warnings),
    () => followGrowth(kontor, warnings),
  ]
  const started: { stop(): Promise<void> }[] = []
  let upkeep: NodeJS.Timeout | undefined
  return {
    start() {
      upkeep = setInterval(() => void hourlyUpkeep(kontor, logger), 3_600_000).unref()
      for (const start of starts) started.push(start())
    },
    async stop() {
      clearInterval(upkeep)
      await Promise.all(started.map((each) => each.stop()))
    },
  }
}

/** Each task is on its own: one that fails is logged, and the later ones run all the same. */
export async function hourlyUpkeep(
  kontor: Kontor,
  logger: Pick<FastifyBaseLogger, 'error'>,
): Promise<void> {
  const { database, config, now } = kontor
  const tasks: Record<string, () => Promise<unknown>> = {
    'add months to the event log': () => ensureEventPartitions(database, new Date()),
    'drop old events': () => dropOldEvents(database, config.eventDays, new Date()),
    'drop passed journal rows': () => dropReadJournal(database, config.journalDays),
    'drop old deliveries': () => dropOldDeliveries(database, config.deliveryDays, now()),
    'drop old notifications': () => dropOldNotifications(database, now()),
    'drop old jobs': () => dropOldJobs(database, now()),
    'drop old merges': () => dropOldMerges(database, now()),
    'purge the bin': () => purgeBin(database, config.binDays, now()),
    'drop expired access': () => dropExpiredAccess(database, now()),
    'drop kept answers': () => dropStoredAnswers(database, now()),
    'drop old calls of programs': () => dropOldCalls(database, now()),
    'drop abandoned files': () => dropAbandonedFiles(kontor),
  }
  for (const [task, work] of Object.entries(tasks))
    await work().catch((error: unknown) => logger.error({ err: error, task }, 'upkeep failed'))
}
