import { writeHandler } from '../../../access/write-handler.ts'
import { batch, change } from '../../../http/body.ts'
import {
  batchAnswer,
  hal,
  halAnswer,
  IdParams,
  nothing,
  Page,
  sendRecord,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { checkTaskFilter, findTasks } from './find.ts'
import { oneTask } from './queries.ts'
import * as shapes from './schema.ts'
import { changeTasks, createTasks, deleteTask } from './tasks.ts'

const path = '/api/v4/tasks'
const config = { access: 'user' } as const
const about = (summary: string) => ({ summary, tags: ['tasks'] })

export function taskRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config,
      schema: {
        ...about('List tasks'),
        querystring: shapes.TaskQuery,
        response: { 200: hal('A page of tasks', Page('tasks', shapes.Task)), 204: nothing },
      },
    },
    async ({ actor, base, query }, reply) => {
      checkTaskFilter(query)
      return sendPage(reply, { collection: 'tasks' }, (seek) =>
        findTasks(database, actor, base, query, seek),
      )
    },
  )

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about('Read a task'),
        params: IdParams,
        response: { 200: hal('The task', shapes.Task) },
      },
    },
    async ({ actor, base, params: { id } }, reply) =>
      sendRecord(
        reply,
        await database.row<{ json: string | null }>(oneTask(actor, base, id)),
        'always 404',
      ),
  )

  app.post(
    path,
    {
      config,
      schema: {
        ...about('Create tasks'),
        body: batch(shapes.NewTask),
        response: { 200: hal('The created tasks, in request order', shapes.AddedTasks) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'tasks', await createTasks(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    {
      config,
      schema: {
        ...about('Change tasks'),
        body: batch(shapes.TaskChange),
        response: { 200: hal('The changed tasks, in request order', shapes.ChangedTasks) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'tasks', await changeTasks(tx, actor, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about('Change a task'),
        params: IdParams,
        body: change(shapes.TaskChange, { shown: shapes.OneTaskChange }),
        response: { 200: hal('The changed task', shapes.ChangedTaskAnswer) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const [changed] = await changeTasks(tx, actor, body, 'notFound')
      const self = { href: `${base}${path}/${changed!.id}` }
      return halAnswer({ ...changed!, _links: { self } })
    }),
  )

  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about('Delete a task'),
        params: IdParams,
        response: { 204: Type.Null({ description: 'The task is deleted' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteTask(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
