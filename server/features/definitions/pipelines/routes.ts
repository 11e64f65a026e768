import { writeHandler } from '../../../access/write-handler.ts'
import { batch, oneChange } from '../../../http/body.ts'
import {
  hal,
  IdParams,
  nothing,
  sendHal,
  sendCompleteList,
  completeListBody,
  CompleteList,
  CompleteListQuery,
  Written,
  halAnswer,
} from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { withRequestIds } from './answers.ts'
import { changePipeline, createPipelines, deletePipeline } from './pipelines.ts'
import { pipelineList } from './queries.ts'
import type { ShownPipeline } from './queries.ts'
import { NewPipeline, Pipeline, PipelineChange } from './schema.ts'
import { noPipeline } from './steps.ts'

const path = '/api/v4/leads/pipelines'

export function pipelineRoutes(app: App, { database }: Kontor): void {
  const reading = { access: 'user' as const }
  const writing = { access: 'admin' as const }

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List pipelines',
        tags: ['pipelines'],
        querystring: CompleteListQuery,
        response: {
          200: hal('All pipelines, the main one first', CompleteList('pipelines', Pipeline)),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) => {
      const lines = await database.rows<ShownPipeline>(pipelineList(actor, base))
      return sendCompleteList(
        reply,
        'pipelines',
        lines.map(({ json }) => json),
      )
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: reading,
      schema: {
        summary: 'Read a pipeline',
        tags: ['pipelines'],
        params: IdParams,
        response: { 200: hal('The pipeline', Pipeline) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const pipeline = await database.row<ShownPipeline>(pipelineList(actor, base, [id]))
      if (!pipeline) throw noPipeline()
      return sendHal(reply, pipeline.json)
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Create pipelines',
        tags: ['pipelines'],
        body: batch(NewPipeline),
        response: {
          200: hal(
            'The created pipelines, in request order',
            CompleteList('pipelines', Written(Pipeline)),
          ),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const ids = await createPipelines(tx, actor, body)
      const shown = await tx.rows<ShownPipeline>(pipelineList(actor, base, ids))
      const pipelines = withRequestIds(shown, ids, body.items)
      return halAnswer(completeListBody('pipelines', pipelines, base + path))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Change a pipeline',
        tags: ['pipelines'],
        params: IdParams,
        body: oneChange(PipelineChange),
        response: { 200: hal('The pipeline', Written(Pipeline)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body: item, params: { id } }) => {
      await changePipeline(tx, actor, id, item.value)
      const shown = await tx.rows<ShownPipeline>(pipelineList(actor, base, [id]))
      return halAnswer(withRequestIds(shown, [id], [item])[0]!)
    }),
  )

  app.delete(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Delete a pipeline without leads',
        tags: ['pipelines'],
        params: IdParams,
        response: {
          204: Type.Null({
            description: 'The pipeline is deleted; its leads in the bin move to the main pipeline',
          }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await deletePipeline(database, actor, id)
      return reply.code(204).send()
    },
  )
}
