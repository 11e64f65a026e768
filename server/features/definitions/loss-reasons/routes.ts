import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { batch, one, oneChange } from '../../../http/body.ts'
import {
  CreatedAnswer,
  hal,
  IdParams,
  nothing,
  sendRecord,
  sendCompleteList,
  sendHal,
  completeListBody,
  CompleteList,
  CompleteListQuery,
  Written,
  halAnswer,
} from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Placement } from '../../../records/placement.ts'
import type { App, Kontor } from '../../../kontor.ts'
import {
  changeLossReason,
  createLossReasons,
  deleteLossReason,
  drawLossReason,
  listLossReasons,
  manageLossReasons,
  moveLossReason,
} from './loss-reasons.ts'
import {
  DrawnLossReason,
  DrawnLossReasonChange,
  LossReason,
  LossReasonChange,
  ManagedLossReason,
  ManagedLossReasons,
  NewLossReason,
} from './schema.ts'

const path = '/api/v4/leads/loss_reasons'
const tags = ['loss_reasons']

export function lossReasonRoutes(app: App, { database }: Kontor): void {
  const readers = { access: 'user' as const }
  const writers = { access: 'admin' as const }

  app.get(
    path,
    {
      config: readers,
      schema: {
        summary: 'List loss reasons',
        tags,
        querystring: CompleteListQuery,
        response: {
          200: hal('All loss reasons, sorted by `sort`', CompleteList('loss_reasons', LossReason)),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) =>
      sendCompleteList(reply, 'loss_reasons', await listLossReasons(database, actor, base)),
  )

  app.get(
    `${path}/:id`,
    {
      config: readers,
      schema: {
        summary: 'Read a loss reason',
        tags,
        params: IdParams,
        response: { 200: hal('The loss reason', LossReason) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const [reason] = await listLossReasons(database, actor, base, [id])
      return sendRecord(reply, reason && { json: JSON.stringify(reason) }, 'always 404')
    },
  )

  app.post(
    path,
    {
      config: writers,
      schema: {
        summary: 'Create loss reasons',
        tags,
        body: batch(NewLossReason),
        response: {
          200: hal(
            'The created loss reasons, in request order',
            CreatedAnswer('loss_reasons', LossReason),
          ),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const loss_reasons = await createLossReasons(tx, actor, base, body)
      return halAnswer(completeListBody('loss_reasons', loss_reasons))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writers,
      schema: {
        summary: 'Change a loss reason',
        tags,
        params: IdParams,
        body: oneChange(LossReasonChange),
        response: { 200: hal('The loss reason', Written(LossReason)) },
      },
    },
    writeHandler(
      database,
      async (tx, { actor, base, body: { value, request_id }, params: { id } }) => {
        await changeLossReason(tx, actor, id, value)
        const [reason] = await listLossReasons(tx, actor, base, [id])
        return halAnswer({ ...reason!, request_id })
      },
    ),
  )

  app.delete(
    `${path}/:id`,
    {
      config: writers,
      schema: {
        summary: 'Delete a loss reason',
        tags,
        params: IdParams,
        response: {
          204: Type.Null({ description: 'The reason is deleted; its leads no longer have one' }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteLossReason(tx, actor, id))
      return reply.code(204).send()
    },
  )
}

/** These routes are private to the web application. */
export function managedLossReasonRoutes(app: App, { database }: Kontor): void {
  const own = '/web/v1/loss-reasons'
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.get(
    own,
    {
      ...admins,
      schema: {
        summary: 'List loss reasons with their uses',
        tags,
        response: { 200: hal('All loss reasons, sorted by `sort`', ManagedLossReasons) },
      },
    },
    async ({ actor }, reply) =>
      sendHal(reply, { _embedded: { loss_reasons: await manageLossReasons(database, actor) } }),
  )

  app.post(
    own,
    {
      ...admins,
      schema: {
        summary: 'Create a loss reason with a colour and an icon',
        tags,
        body: one(DrawnLossReason),
        response: { 201: hal('The loss reason', ManagedLossReason) },
      },
    },
    async ({ actor, body }, reply) => {
      const reason = await database.transaction((tx) => drawLossReason(tx, actor, body))
      return sendHal(reply.code(201), reason)
    },
  )

  app.patch(
    `${own}/:id`,
    {
      ...admins,
      schema: {
        summary: 'Change what a loss reason is called and looks like',
        tags,
        params: IdParams,
        body: one(DrawnLossReasonChange),
        response: { 200: hal('The loss reason', ManagedLossReason) },
      },
    },
    async ({ actor, body, params: { id } }, reply) => {
      const [reason] = await database.transaction(async (tx) => {
        await changeLossReason(tx, actor, id, body)
        return manageLossReasons(tx, actor, [id])
      })
      return sendHal(reply, reason!)
    },
  )

  app.post(
    `${own}/:id/move`,
    {
      ...admins,
      schema: {
        summary: 'Move a loss reason',
        tags,
        params: IdParams,
        body: one(Placement),
        response: { 204: Type.Null({ description: 'The reason has its new position' }) },
      },
    },
    async ({ actor, body: { before }, params: { id } }, reply) => {
      await database.transaction((tx) => moveLossReason(tx, actor, id, before))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${own}/:id`,
    {
      ...admins,
      schema: {
        summary: 'Delete a loss reason of the settings',
        tags,
        params: IdParams,
        response: {
          204: Type.Null({ description: 'The reason is deleted; its leads no longer have one' }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteLossReason(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
