import { Type } from '../../../../http/type.ts'
import { OneQuery } from '../../../../records/schema.ts'
import { writeHandler } from '../../../../access/write-handler.ts'
import { batch, oneChange } from '../../../../http/body.ts'
import {
  CreatedAnswer,
  hal,
  nothing,
  sendHal,
  sendCompleteList,
  completeListBody,
  CompleteList,
  CompleteListQuery,
  Written,
  halAnswer,
} from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { withRequestIds } from '../answers.ts'
import { noPipeline } from '../steps.ts'
import { statusesById, statusList } from './queries.ts'
import type { ShownStatus } from './queries.ts'
import {
  DeletionQuery,
  NewStatus,
  Status,
  StatusChange,
  StatusesParams,
  StatusParams,
  statusWith,
} from './schema.ts'
import { changeStatus, createStatuses, deleteStatus, noStatus } from './statuses.ts'
import type { ChangeLeads } from './statuses.ts'

const path = '/api/v4/leads/pipelines/:pipeline_id/statuses'

const ListQuery = Type.Object(
  { ...CompleteListQuery.properties, with: statusWith.parameter },
  { additionalProperties: true },
)

export function statusRoutes(app: App, { database }: Kontor, changeLeads: ChangeLeads): void {
  const reading = { access: 'user' as const }
  const writing = { access: 'admin' as const }
  const tags = ['pipelines']

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List the statuses of a pipeline',
        tags,
        params: StatusesParams,
        querystring: ListQuery,
        response: {
          200: hal(
            'All statuses of the pipeline, sorted by `sort`',
            CompleteList('statuses', Status),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const isWanted = statusWith.wanted(query.with).has('descriptions')
      const lines = await database.rows<ShownStatus>(
        statusList(actor, base, params.pipeline_id, isWanted),
      )
      // A pipeline always has won and lost.
      if (lines.length === 0) throw noPipeline()
      return sendCompleteList(
        reply,
        'statuses',
        lines.map(({ json }) => json),
      )
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: reading,
      schema: {
        summary: 'Read a status',
        tags,
        params: StatusParams,
        querystring: OneQuery(statusWith),
        response: { 200: hal('The status', Status) },
      },
    },
    async ({ actor, base, params: { pipeline_id, id }, query }, reply) => {
      const isWanted = statusWith.wanted(query.with).has('descriptions')
      const status = await database.row<ShownStatus>(
        statusesById(actor, base, pipeline_id, [id], isWanted),
      )
      if (!status) throw noStatus()
      return sendHal(reply, status.json)
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Create statuses in a pipeline',
        tags,
        params: StatusesParams,
        body: batch(NewStatus),
        response: {
          200: hal('The created statuses, in request order', CreatedAnswer('statuses', Status)),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { pipeline_id } }) => {
      const ids = await createStatuses(tx, actor, pipeline_id, body)
      const shown = await tx.rows<ShownStatus>(statusesById(actor, base, pipeline_id, ids, true))
      return halAnswer(completeListBody('statuses', withRequestIds(shown, ids, body.items)))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Change a status',
        tags,
        params: StatusParams,
        body: oneChange(StatusChange),
        response: { 200: hal('The status', Written(Status)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body: item, params: { pipeline_id, id } }) => {
      await changeStatus(tx, actor, pipeline_id, id, item)
      const shown = await tx.rows<ShownStatus>(statusesById(actor, base, pipeline_id, [id], true))
      return halAnswer(withRequestIds(shown, [id], [item])[0]!)
    }),
  )

  app.delete(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Delete a status',
        tags,
        params: StatusParams,
        querystring: DeletionQuery,
        response: {
          204: Type.Null({
            description:
              'The status is deleted; its leads move to `move_to`, or to the first ordinary status',
          }),
        },
      },
    },
    async ({ actor, params: { pipeline_id, id }, query }, reply) => {
      const status = { pipeline_id, status_id: id }
      await deleteStatus(database, actor, changeLeads, status, query.move_to)
      return reply.code(204).send()
    },
  )
}
