// How a write is answered: the answer is made in the transaction of the write, and sent after its
// commit.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '../database/connect.ts'
import { sendAnswer } from '../http/hal.ts'
import type { Answer } from '../http/hal.ts'

/** The handler of a write. `work` may run again after a deadlock, like any transaction. */
export function answerWrite<Request extends FastifyRequest>(
  database: Database,
  work: (tx: Tx, request: Request) => Promise<Answer>,
): (request: Request, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) =>
    sendAnswer(reply, await database.transaction((tx) => work(tx, request)))
}
