// These routes are private to the web application. The public interface sends all choices of a field
// at once.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { json, sendJson } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { scopeNamed } from '../managed/managed-fields.ts'
import { ManagedField, ManagedFieldParams } from '../managed/schema.ts'
import { addEnums, changeEnum, moveEnum, removeEnum } from './options.ts'
import { AddedEnums, EnumChange, EnumEnd, EnumMove, EnumParams, NewEnums } from './schema.ts'

const path = '/web/v1/fields/:entity/:id/enums'
const about = (summary: string) => ({ summary, tags: ['custom_fields'] })
const theField = { 200: json('The field', ManagedField) }

export function enumRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.post(
    path,
    {
      ...admins,
      schema: {
        ...about('Add choices to a custom field'),
        params: ManagedFieldParams,
        body: one(NewEnums),
        response: { 201: json('The field, and the names that were left out', AddedEnums) },
      },
    },
    async ({ actor, body, params: { entity, id } }, reply) => {
      const added = await database.transaction(async (tx) =>
        addEnums(tx, actor, await scopeNamed(tx, actor, entity), id, body.values),
      )
      return sendJson(reply.code(201), added)
    },
  )

  app.patch(
    `${path}/:enum_id`,
    {
      ...admins,
      schema: {
        ...about('Change a choice of a custom field'),
        params: EnumParams,
        body: one(EnumChange),
        response: theField,
      },
    },
    async ({ actor, body, params: { entity, id, enum_id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          changeEnum(tx, actor, await scopeNamed(tx, actor, entity), id, enum_id, body),
        ),
      ),
  )

  app.post(
    `${path}/:enum_id/move`,
    {
      ...admins,
      schema: {
        ...about('Move a choice of a custom field'),
        params: EnumParams,
        body: one(EnumMove),
        response: theField,
      },
    },
    async ({ actor, body, params: { entity, id, enum_id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          moveEnum(tx, actor, await scopeNamed(tx, actor, entity), id, enum_id, body.before),
        ),
      ),
  )

  app.delete(
    `${path}/:enum_id`,
    {
      ...admins,
      schema: {
        ...about('Remove a choice that no record has'),
        params: EnumParams,
        querystring: EnumEnd,
        response: theField,
      },
    },
    async ({ actor, params: { entity, id, enum_id }, query }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) => {
          const scope = await scopeNamed(tx, actor, entity)
          return removeEnum(tx, actor, scope, id, enum_id, query.takes_values)
        }),
      ),
  )
}
