// Two checks for monitoring. Neither needs a token, and neither says anything about an account.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDiskFull } from '../database/disk.ts'
import { examine } from '../database/migrate.ts'
import type { App, Kontor } from '../kontor.ts'
import { sendJson } from './hal.ts'
import { diskIsFull, unavailable } from './problem.ts'
import type { Problem } from './problem.ts'

/**
 * `GET /health`: the process runs and answers. It does not use the database, so a busy one does not
 * make the process look dead. `GET /ready`: the database answers, has this version's schema and can
 * write, else a 503 problem.
 */
export function healthRoutes(app: App, kontor: Kontor): void {
  app.get('/health', { config: { access: 'public' } }, (_request, reply) =>
    sendJson(reply, { name: 'kontor', status: 'ok' }),
  )

  const ask = atMostOften(() => readiness(kontor))
  app.get('/ready', { config: { access: 'public' } }, async (_request, reply) => {
    const problem = await ask()
    if (problem) throw problem
    return sendJson(reply, { name: 'kontor', status: 'ready' })
  })
}

const answerMs = 3000
/** Anybody may ask, so the answer is kept: the database is asked once a second at most. */
const rememberMs = 1000

/**
 * The reason for a 503, or undefined. Why the database cannot be reached only stands in the
 * server's log.
 */
async function readiness({ config, database }: Kontor): Promise<Problem | undefined> {
  // The embedded database ends when its disk is full, so the disk is asked first.
  if (config.databaseUrl === undefined && (await isDiskFull(config.data))) return diskIsFull()
  try {
    const late = sleep(answerMs, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('too slow')),
    )
    const { pending } = await Promise.race([examine(database), late])
    return pending.length === 0 ? undefined : unavailable('The database is not migrated yet')
  } catch {
    return unavailable()
  }
}

function atMostOften<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let checkedAt = -Infinity
  let answer: Promise<Answer>
  return () => {
    if (performance.now() - checkedAt < rememberMs) return answer
    checkedAt = performance.now()
    return (answer = ask())
  }
}
