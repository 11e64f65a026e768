import { requirePeopleRight } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { batch, one } from '../../../http/body.ts'
import {
  CountedPage,
  CreatedAnswer,
  hal,
  IdParams,
  nothing,
  sendRecord,
  halAnswer,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { countRoles, oneRole, roleList } from './queries.ts'
import type { RoleRow } from './queries.ts'
import { changeRole, createRoles, deleteRole, showRoles } from './roles.ts'
import { NewRole, Role, RoleChange, RoleQuery, roleWith } from './schema.ts'

export function roleRoutes(app: App, { database }: Kontor): void {
  const config = { access: 'admin' as const }
  const managing = { config, onRequest: requirePeopleRight }

  app.get(
    '/api/v4/roles',
    {
      config,
      schema: {
        summary: 'List roles',
        tags: ['roles'],
        querystring: RoleQuery,
        response: { 200: hal('A page of roles', CountedPage('roles', Role)), 204: nothing },
      },
    },
    ({ actor, base, query }, reply) => {
      const total = async () => (await database.row<{ total: number }>(countRoles(actor)))!.total
      return sendPage(reply, { collection: 'roles', total }, async (seek) => {
        const rows = await database.rows<RoleRow>(roleList(actor, seek))
        const roles = await showRoles(database, actor, base, rows, roleWith.wanted(query.with))
        return roles.map((role) => ({ key: role.id, id: role.id, json: JSON.stringify(role) }))
      })
    },
  )

  app.get(
    '/api/v4/roles/:id',
    {
      config,
      schema: {
        summary: 'Read a role',
        tags: ['roles'],
        params: IdParams,
        querystring: RoleQuery,
        response: { 200: hal('The role', Role) },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const rows = await database.rows<RoleRow>(oneRole(actor, params.id))
      const [role] = await showRoles(database, actor, base, rows, roleWith.wanted(query.with))
      return sendRecord(reply, role && { json: JSON.stringify(role) }, 'always 404')
    },
  )

  app.post(
    '/api/v4/roles',
    {
      ...managing,
      schema: {
        summary: 'Create roles',
        tags: ['roles'],
        body: batch(NewRole),
        response: {
          201: hal('The created roles, in request order', CreatedAnswer('roles', Role)),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const roles = await createRoles(tx, actor, base, body)
      return halAnswer({ _total_items: roles.length, _embedded: { roles } }, 201)
    }),
  )

  app.patch(
    '/api/v4/roles/:id',
    {
      ...managing,
      schema: {
        summary: 'Change a role',
        tags: ['roles'],
        params: IdParams,
        body: one(RoleChange),
        response: { 202: hal('The role', Role) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { id } }) => {
      await changeRole(tx, actor, id, body)
      const rows = await tx.rows<RoleRow>(oneRole(actor, id))
      const [role] = await showRoles(tx, actor, base, rows)
      return halAnswer(role!, 202)
    }),
  )

  app.delete(
    '/api/v4/roles/:id',
    {
      ...managing,
      schema: {
        summary: 'Delete a role',
        tags: ['roles'],
        params: IdParams,
        response: {
          204: Type.Null({ description: 'The role is deleted; its users keep their rights' }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteRole(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
