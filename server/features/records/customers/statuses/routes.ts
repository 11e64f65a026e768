import { forbidIntegrations } from '../../../../access/actor.ts'
import { writeHandler } from '../../../../access/write-handler.ts'
import { batch, one, oneChange } from '../../../../http/body.ts'
import {
  CompleteList,
  CompleteListQuery,
  completeListBody,
  hal,
  halAnswer,
  IdParams,
  nothing,
  sendCompleteList,
  sendRecord,
  Written,
} from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { Placement } from '../../../../records/placement.ts'
import { AddedStatus, CustomerStatus, CustomerStatusChange, NewCustomerStatus } from './schema.ts'
import {
  changeCustomerStatus,
  createCustomerStatuses,
  deleteCustomerStatus,
  findCustomerStatuses,
  moveCustomerStatus,
  readCustomerStatuses,
} from './statuses.ts'

const path = '/api/v4/customers/statuses'
const tags = ['customers']

export function customerStatusRoutes(app: App, { database }: Kontor): void {
  const reading = { access: 'user' as const }
  const writing = { access: 'admin' as const }

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List the statuses of customers',
        tags,
        querystring: CompleteListQuery,
        response: {
          200: hal('All statuses, sorted by `sort`', CompleteList('statuses', CustomerStatus)),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) =>
      sendCompleteList(reply, 'statuses', await readCustomerStatuses(database, actor, base)),
  )

  app.get(
    `${path}/:id`,
    {
      config: reading,
      schema: {
        summary: 'Read a status of customers',
        tags,
        params: IdParams,
        response: { 200: hal('The status', CustomerStatus) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const [status] = await readCustomerStatuses(database, actor, base, [id])
      return sendRecord(reply, status && { json: JSON.stringify(status) }, 'always 404')
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Create statuses of customers',
        tags,
        body: batch(NewCustomerStatus),
        response: {
          200: hal('The created statuses, in request order', CompleteList('statuses', AddedStatus)),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const ids = await createCustomerStatuses(tx, actor, body)
      const added = ids.map((id, index) => ({
        id,
        request_id: body.items[index]!.request_id,
        _links: { self: { href: `${base}${path}/${id}` } },
      }))
      return halAnswer(completeListBody('statuses', added, `${base}${path}`))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Change a status of customers',
        tags,
        params: IdParams,
        body: oneChange(CustomerStatusChange),
        response: { 200: hal('The status', Written(CustomerStatus)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body: item, params: { id } }) => {
      await changeCustomerStatus(tx, actor, id, item)
      const [status] = await findCustomerStatuses(tx, actor, base, [id])
      return halAnswer({ ...status!, request_id: item.request_id })
    }),
  )

  app.post(
    '/web/v1/customers/statuses/:id/move',
    {
      config: writing,
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Move a status of customers',
        tags,
        params: IdParams,
        body: one(Placement),
        response: { 204: Type.Null({ description: 'The status has its new position' }) },
      },
    },
    async ({ actor, body: { before }, params: { id } }, reply) => {
      await database.transaction((tx) => moveCustomerStatus(tx, actor, id, before))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Delete a status of customers',
        tags,
        params: IdParams,
        response: {
          204: Type.Null({
            description: 'The status is deleted; its customers are in the first ordinary one',
          }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await deleteCustomerStatus(database, actor, id)
      return reply.code(204).send()
    },
  )
}
