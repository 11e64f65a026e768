// These routes are private to the web application.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { IdParams, json, sendJson } from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { StatusParams } from '../statuses/schema.ts'
import { PipelineCopy, PipelineId, StageChange, StageMove } from './schema.ts'
import { archivePipeline, changeStage, copyPipeline, moveStage } from './shaping.ts'

const path = '/web/v1/pipelines/:id'
const stagePath = '/web/v1/pipelines/:pipeline_id/statuses/:id'
const done = (description: string) => ({ 204: Type.Null({ description }) })

export function shapingRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.put(
    `${path}/archive`,
    {
      ...admins,
      schema: {
        summary: 'Archive a pipeline',
        params: IdParams,
        response: done('Pages offer it no more; its leads stay, and programs may bring new ones'),
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => archivePipeline(tx, actor, id, true))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${path}/archive`,
    {
      ...admins,
      schema: {
        summary: 'Bring a pipeline back from the archive',
        params: IdParams,
        response: done('Pages offer it again'),
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => archivePipeline(tx, actor, id, false))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/copy`,
    {
      ...admins,
      schema: {
        summary: 'Copy a pipeline',
        params: IdParams,
        body: one(PipelineCopy),
        response: { 201: json('The id of the copy', PipelineId) },
      },
    },
    async ({ actor, body, params: { id } }, reply) => {
      const copy = await database.transaction((tx) => copyPipeline(tx, actor, id, body.name))
      return sendJson(reply.code(201), { id: copy })
    },
  )

  app.patch(
    stagePath,
    {
      ...admins,
      schema: {
        summary: 'Change what the interface does not know of a stage',
        params: StatusParams,
        body: one(StageChange),
        response: done('It is changed'),
      },
    },
    async ({ actor, body, params: { pipeline_id, id } }, reply) => {
      const stage = { pipeline_id, status_id: id }
      await database.transaction((tx) => changeStage(tx, actor, stage, body))
      return reply.code(204).send()
    },
  )

  app.post(
    `${stagePath}/move`,
    {
      ...admins,
      schema: {
        summary: 'Give a stage another place in its pipeline',
        params: StatusParams,
        body: one(StageMove),
        response: done('It stands there'),
      },
    },
    async ({ actor, body, params: { pipeline_id, id } }, reply) => {
      const stage = { pipeline_id, status_id: id }
      await database.transaction((tx) => moveStage(tx, actor, stage, body))
      return reply.code(204).send()
    },
  )
}
