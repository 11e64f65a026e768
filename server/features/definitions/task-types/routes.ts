// These routes are private to the web application. The public interface shows the types with the
// account and cannot change them.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Placement } from '../../../records/placement.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { ManagedTaskType, ManagedTaskTypes, NewTaskType, TaskTypeChange } from './schema.ts'
import {
  changeTaskType,
  createTaskType,
  deleteTaskType,
  managedTaskTypes,
  moveTaskType,
  usedTaskTypes,
} from './task-types.ts'

const path = '/web/v1/task-types'
const about = (summary: string) => ({ summary, tags: ['tasks'] })

export function taskTypeRoutes(app: App, { database }: Kontor): void {
  const users = { config: { access: 'user' }, onRequest: forbidIntegrations } as const
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.get(
    path,
    {
      ...users,
      schema: {
        ...about('List task types'),
        response: { 200: hal('The predefined types, then those of the account', ManagedTaskTypes) },
      },
    },
    async ({ actor }, reply) => {
      const list = actor.isAdmin ? usedTaskTypes : managedTaskTypes
      return sendHal(reply, { _embedded: { task_types: await list(database, actor) } })
    },
  )

  app.post(
    path,
    {
      ...admins,
      schema: {
        ...about('Create a task type'),
        body: one(NewTaskType),
        response: { 201: hal('The task type', ManagedTaskType) },
      },
    },
    async ({ actor, body }, reply) => {
      const type = await database.transaction((tx) => createTaskType(tx, actor, body))
      return sendHal(reply.code(201), type)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      ...admins,
      schema: {
        ...about('Change a task type'),
        params: IdParams,
        body: one(TaskTypeChange),
        response: { 200: hal('The task type', ManagedTaskType) },
      },
    },
    async ({ actor, body, params: { id } }, reply) =>
      sendHal(reply, await database.transaction((tx) => changeTaskType(tx, actor, id, body))),
  )

  app.post(
    `${path}/:id/move`,
    {
      ...admins,
      schema: {
        ...about('Move a task type'),
        params: IdParams,
        body: one(Placement),
        response: { 204: Type.Null({ description: 'The type has its new position' }) },
      },
    },
    async ({ actor, body: { before }, params: { id } }, reply) => {
      await database.transaction((tx) => moveTaskType(tx, actor, id, before))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${path}/:id`,
    {
      ...admins,
      schema: {
        ...about('Delete a task type'),
        params: IdParams,
        response: {
          204: Type.Null({ description: 'The type is deleted; tasks that have it keep it' }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteTaskType(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
