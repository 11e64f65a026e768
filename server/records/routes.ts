// The routes that leads, contacts and companies share. Customers answer whole records, and have routes of their own.
import type { TSchema } from 'typebox'
import type { Actor } from '../access/actor.ts'
import { writeHandler } from '../access/write-handler.ts'
import { requireRight } from '../access/record-rights.ts'
import type { Tx } from '../database/connect.ts'
import type { Batch } from '../http/batch.ts'
import { batchAnswer, oneChangeAnswer } from '../http/hal.ts'
import type { App, Kontor } from '../kontor.ts'
import type { RecordDescription } from './description.ts'
import {
  changeDocumented,
  createDocumented,
  deleteDocumented,
  listDocumented,
  oneChangeDocumented,
  oneDocumented,
  restoreDocumented,
} from './documented.ts'
import type { RecordShape } from './documented.ts'
import { oneRecordAnswer, sendOneRecord, sendRecords } from './lists/read.ts'
import type { Identified, RecordQuery } from './schema.ts'
import { restoreRecord } from './writing/bin.ts'

interface RecordShapes {
  Shown: RecordShape
  Query: TSchema
  New: TSchema
  Change: TSchema
  /** A change of one record, as the OpenAPI document shows it. */
  OneChange: TSchema
}

type Written = Parameters<typeof batchAnswer>[2]

interface RecordVerbs<Draft> {
  create: (tx: Tx, actor: Actor, batch: Batch<Draft>) => Promise<Written>
  /** `missing`: an item without its record is a fault of the batch, or else answers 404. */
  change: (
    tx: Tx,
    actor: Actor,
    batch: Batch<Identified<Draft>>,
    missing?: 'notFound',
  ) => Promise<Written>
  /** Puts a record into the bin. */
  remove: (tx: Tx, actor: Actor, id: number) => Promise<unknown>
}

export function recordRoutes<Draft>(
  app: App,
  { database }: Pick<Kontor, 'database'>,
  description: RecordDescription,
  { Shown, Query, New, Change, OneChange }: RecordShapes,
  { create, change, remove }: RecordVerbs<Draft>,
  alsoListedAt: readonly string[] = [],
): void {
  const { type } = description
  const path = `/api/v4/${type}`
  const user = { access: 'user' } as const
  const adding = { ...user, right: { type, action: 'add' } } as const
  const editing = { ...user, right: { type, action: 'edit' } } as const

  for (const listed of [path, ...alsoListedAt])
    app.get(
      listed,
      { config: user, schema: listDocumented(type, Query, Shown) },
      ({ query }, reply) => sendRecords(reply, database, description, query as RecordQuery),
    )

  app.get(
    `${path}/:id`,
    { config: user, schema: oneDocumented(description, Shown) },
    ({ actor, params, query }, reply) => {
      requireRight(actor, type, 'view')
      return sendOneRecord(reply, database, description, params.id, query.with)
    },
  )

  app.post(
    path,
    { config: adding, schema: createDocumented<Draft>(type, New) },
    writeHandler(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, type, await create(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    { config: editing, schema: changeDocumented<Draft>(type, Change) },
    writeHandler(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, type, await change(tx, actor, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    { config: editing, schema: oneChangeDocumented<Draft>(type, Change, OneChange) },
    writeHandler(database, async (tx, { actor, base, body }) =>
      oneChangeAnswer(base, type, await change(tx, actor, body, 'notFound')),
    ),
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented(type) },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => remove(tx, actor, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented(type, Shown) },
    writeHandler(database, async (tx, request) => {
      await restoreRecord(tx, request.actor, description, request.params.id)
      return oneRecordAnswer(tx, request, description, request.params.id)
    }),
  )
}
