import { writeHandler } from '../../../access/write-handler.ts'
import { singular } from '../../../entity-types.ts'
import { batch } from '../../../http/body.ts'
import { hal, halAnswer } from '../../../http/hal.ts'
import type { Answer } from '../../../http/hal.ts'
import { Problem } from '../../../http/problem.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { keepingFiles } from '../notes/notes.ts'
import { addCalls } from './calls.ts'
import type { CallsOutcome } from './calls.ts'
import { AddedCalls, NewCall } from './schema.ts'

export function callRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const keepFiles = keepingFiles(kontor)
  app.post(
    '/api/v4/calls',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Add calls to the records of their numbers',
        tags: ['calls'],
        body: batch(NewCall),
        response: {
          200: hal('The stored calls and those that could not be stored', AddedCalls),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      callsAnswer(base, actor.accountId, await addCalls(tx, actor, body, keepFiles)),
    ),
  )
}

/** Throws 400 where no call was stored. */
function callsAnswer(base: string, account_id: number, { calls, errors }: CallsOutcome): Answer {
  const body = {
    _total_items: calls.length,
    errors,
    _embedded: {
      calls: calls.map(({ id, entity, request_id }) => {
        const href = `${base}/api/v4/${entity.type}/${entity.id}`
        const self = { id: entity.id, _links: { self: { href } } }
        return {
          id,
          entity_id: entity.id,
          entity_type: singular[entity.type],
          account_id,
          request_id,
          _embedded: { entity: self },
        }
      }),
    },
  }
  if (calls.length === 0) throw new Problem(400, 'No call could be stored', { extra: body })
  return halAnswer(body)
}
