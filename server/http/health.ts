// Two questions of whoever watches the server. Neither takes a token, neither says anything about an account.
import { setTimeout as sleep } from 'node:timers/promises'
import { examine } from '../database/migrate.ts'
import type { App, Kontor } from '../kontor.ts'
import { sendAs } from './hal.ts'
import { unavailable } from './problem.ts'
import type { Problem } from './problem.ts'

/**
 * `GET /health`: the process is there and answers. It asks nobody else, so that a busy database does not make it look dead.
 * `GET /ready`: the database answers and has this version's shape, so that requests can be served; else a 503 problem.
 */
export function healthRoutes(app: App, kontor: Kontor): void {
  app.get('/health', { config: { access: 'public' } }, (_request, reply) =>
    sendAs(reply, 'application/json', { name: 'kontor', status: 'ok' }),
  )

  const ask = atMostOften(() => readiness(kontor))
  app.get('/ready', { config: { access: 'public' } }, async (_request, reply) => {
    const problem = await ask()
    if (problem) throw problem
    return sendAs(reply, 'application/json', { name: 'kontor', status: 'ready' })
  })
}

const answerMs = 3000
/** Anybody may ask; the database hears of it once a second at most. */
const rememberMs = 1000

/** What stands in the way. Why the database cannot be reached is for the log of the server, not for strangers. */
async function readiness({ database }: Kontor): Promise<Problem | undefined> {
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
  let asked = -Infinity
  let answer: Promise<Answer>
  return () => {
    if (performance.now() - asked < rememberMs) return answer
    asked = performance.now()
    return (answer = ask())
  }
}
