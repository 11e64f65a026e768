// How a write is answered: the answer is made in the transaction of the write, and sent after its
// commit. With an Idempotency-Key it is kept in that transaction, too, and a repeated request gets
// it again.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../database/connect.ts'
import { sendAnswer } from '../http/hal.ts'
import type { Answer } from '../http/hal.ts'
import { keyOf, takesKey } from '../http/idempotency.ts'
import type { App, Kontor } from '../kontor.ts'
import { openIdempotencyStore } from './idempotency-store.ts'
import type { AnswerOnce } from './idempotency-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answerOnce: AnswerOnce
  }
}

/** The handlers that `writeHandler` made. */
const handlers = new WeakSet<object>()

/** The handler of a write. `work` may run again after a deadlock, like any transaction. */
export function writeHandler<Request extends FastifyRequest>(
  database: Database,
  work: (tx: Tx, request: Request) => Promise<Answer>,
): (request: Request, reply: FastifyReply) => Promise<FastifyReply> {
  const handler = async (request: Request, reply: FastifyReply) => {
    const key = keyOf(request)
    if (key === undefined)
      return sendAnswer(reply, await database.transaction((tx) => work(tx, request)))
    const { answerOnce } = request.server
    const { isRepeated, ...answer } = await database.transaction((tx) =>
      answerOnce(tx, request, key, () => work(tx, request)),
    )
    if (isRepeated) reply.header('idempotency-replayed', 'true')
    return sendAnswer(reply, answer)
  }
  handlers.add(handler)
  return handler
}

/** A write under /api/ that would ignore an Idempotency-Key stops the server at the start. */
export function installWrites(app: App, { config }: Kontor): void {
  app.decorate('answerOnce', openIdempotencyStore(config))
  app.addHook('onRoute', ({ method, url, handler }) => {
    for (const each of [method].flat())
      if (takesKey(each, url) && !handlers.has(handler))
        throw new Error(`the route ${each} ${url} does not answer by writeHandler()`)
  })
}
