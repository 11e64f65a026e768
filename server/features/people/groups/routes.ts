// These routes are private to the web application. The public interface shows groups with the
// account and cannot change them.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { hal, sendHal } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { createGroup, deleteGroup, groupList, renameGroup } from './groups.ts'
import { Group, GroupDraft, GroupList, GroupParams } from './schema.ts'

export function groupRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  const params = GroupParams

  app.get(
    '/web/v1/groups',
    {
      ...admins,
      schema: { response: { 200: hal('All groups, the built-in group first', GroupList) } },
    },
    async ({ actor }, reply) =>
      sendHal(reply, { _embedded: { groups: await database.rows(groupList(actor)) } }),
  )

  app.post(
    '/web/v1/groups',
    { ...admins, schema: { body: one(GroupDraft), response: { 201: hal('The group', Group) } } },
    async ({ actor, body }, reply) => {
      const group = await database.transaction((tx) => createGroup(tx, actor, body))
      return sendHal(reply.code(201), group)
    },
  )

  app.patch(
    '/web/v1/groups/:id',
    {
      ...admins,
      schema: { params, body: one(GroupDraft), response: { 200: hal('The group', Group) } },
    },
    async ({ actor, body, params: { id } }, reply) =>
      sendHal(reply, await database.transaction((tx) => renameGroup(tx, actor, id, body))),
  )

  app.delete(
    '/web/v1/groups/:id',
    {
      ...admins,
      schema: {
        params,
        response: {
          204: Type.Null({
            description: 'The group is deleted; its users move to the built-in group',
          }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteGroup(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
