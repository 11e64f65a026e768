// These routes are private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { IdParams, json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { askBulk, askDefinition, cancelJob, listJobs, readJob, undoJob } from './jobs.ts'
import { BulkRequest, DefinitionRequest, Job, Jobs } from './schema.ts'

const path = '/web/v1/jobs'

export function jobRoutes(app: App, kontor: Kontor): void {
  const { database, signals } = kontor
  const people = { config: { access: 'user' }, onRequest: forbidIntegrations } as const

  app.post(
    '/web/v1/bulk',
    {
      ...people,
      schema: {
        summary: 'Change many records in the background',
        body: one(BulkRequest),
        response: { 202: json('The job that does it', Job) },
      },
    },
    async ({ actor, body }, reply) => {
      const job = await database.transaction((tx) => askBulk(tx, signals, actor, body))
      return sendJson(reply.code(202), job)
    },
  )

  app.post(
    '/web/v1/definition-jobs',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Delete a definition in the background, after its records have moved elsewhere',
        body: one(DefinitionRequest),
        response: { 202: json('The job that does it', Job) },
      },
    },
    async ({ actor, body }, reply) => {
      const job = await database.transaction((tx) => askDefinition(tx, signals, actor, body))
      return sendJson(reply.code(202), job)
    },
  )

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'List the latest jobs of the user',
        response: { 200: json('The jobs, the latest first', Jobs) },
      },
    },
    async ({ actor }, reply) => sendJson(reply, { jobs: await listJobs(database, actor) }),
  )

  app.get(
    `${path}/:id`,
    {
      ...people,
      schema: {
        summary: 'Read a job of the user',
        params: IdParams,
        response: { 200: json('The job', Job) },
      },
    },
    async ({ actor, params: { id } }, reply) => sendJson(reply, await readJob(database, actor, id)),
  )

  app.post(
    `${path}/:id/cancel`,
    {
      ...people,
      schema: {
        summary: 'Cancel a job of the user',
        params: IdParams,
        response: { 200: json('The job; one that has ended stays as it is', Job) },
      },
    },
    async ({ actor, params: { id } }, reply) =>
      sendJson(reply, await database.transaction((tx) => cancelJob(tx, signals, actor, id))),
  )

  app.post(
    `${path}/:id/undo`,
    {
      ...people,
      schema: {
        summary: 'Undo a job of the user',
        params: IdParams,
        response: { 202: json('The job that undoes it', Job) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      const job = await database.transaction((tx) => undoJob(tx, signals, actor, id))
      return sendJson(reply.code(202), job)
    },
  )
}
