import { Type } from 'typebox'
import { readBatch, readOneChange } from '../../http/batch.ts'
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
} from '../../http/hal.ts'
import { compile } from '../../http/validate.ts'
import type { App, Kontor } from '../../kontor.ts'
import { withRequestIds } from './answers.ts'
import { changePipeline, createPipelines, deletePipeline, noPipeline } from './pipelines.ts'
import { pipelineList } from './queries.ts'
import type { ShownPipeline } from './queries.ts'
import { NewPipeline, Pipeline, PipelineChange } from './schema.ts'

/** Pipelines of one request at most (decision: batch size); an account has room for fewer. */
const most = 250

const path = '/api/v4/leads/pipelines'

export function pipelineRoutes(app: App, kontor: Kontor): void {
  const { config: settings, database } = kontor
  const newPipeline = compile(NewPipeline, { unknownKeys: settings.unknownKeys })
  const change = compile(PipelineChange, { unknownKeys: settings.unknownKeys })
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
        body: Type.Array(NewPipeline, { minItems: 1, maxItems: most }),
        response: {
          200: hal(
            'The pipelines, in the order of the request',
            CompleteList('pipelines', Written(Pipeline)),
          ),
        },
      },
    },
    async ({ actor, base, body }, reply) => {
      const batch = readBatch(body, newPipeline, most)
      const pipelines = await database.transaction(async (tx) => {
        const ids = await createPipelines(tx, actor, batch)
        return withRequestIds(
          await tx.rows<ShownPipeline>(pipelineList(actor, base, ids)),
          ids,
          batch.items,
        )
      })
      return sendHal(reply, completeListBody('pipelines', pipelines, base + path))
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Change a pipeline',
        tags: ['pipelines'],
        params: IdParams,
        body: PipelineChange,
        response: { 200: hal('The pipeline', Written(Pipeline)) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const item = readOneChange(id, body, change)
      const [pipeline] = await database.transaction(async (tx) => {
        await changePipeline(tx, actor, id, item.value)
        return withRequestIds(
          await tx.rows<ShownPipeline>(pipelineList(actor, base, [id])),
          [id],
          [item],
        )
      })
      return sendHal(reply, pipeline!)
    },
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
            description: 'It is gone; its leads in the bin belong to the main pipeline',
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
