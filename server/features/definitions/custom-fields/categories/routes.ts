// These routes are private to the web application. The public interface sends the whole tree at once.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { json, sendJson } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { scopeNamed } from '../managed/managed-fields.ts'
import { ManagedField, ManagedFieldParams } from '../managed/schema.ts'
import { AddedEnums, EnumEnd } from '../options/schema.ts'
import { addCategories, moveCategory, removeCategory, renameCategory } from './categories.ts'
import { CategoryMove, CategoryName, CategoryParams, NewCategories } from './schema.ts'

const path = '/web/v1/fields/:entity/:id/categories'
const about = (summary: string) => ({ summary, tags: ['custom_fields'] })
const theField = { 200: json('The field', ManagedField) }

export function categoryRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.post(
    path,
    {
      ...admins,
      schema: {
        ...about('Add categories to the tree of a custom field'),
        params: ManagedFieldParams,
        body: one(NewCategories),
        response: { 201: json('The field, and the names that were left out', AddedEnums) },
      },
    },
    async ({ actor, body, params: { entity, id } }, reply) => {
      const added = await database.transaction(async (tx) =>
        addCategories(tx, actor, await scopeNamed(tx, actor, entity), id, body),
      )
      return sendJson(reply.code(201), added)
    },
  )

  app.patch(
    `${path}/:category_id`,
    {
      ...admins,
      schema: {
        ...about('Rename a category'),
        params: CategoryParams,
        body: one(CategoryName),
        response: theField,
      },
    },
    async ({ actor, body: { value }, params: { entity, id, category_id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          renameCategory(tx, actor, await scopeNamed(tx, actor, entity), id, category_id, value),
        ),
      ),
  )

  app.post(
    `${path}/:category_id/move`,
    {
      ...admins,
      schema: {
        ...about('Move a category and all below it'),
        params: CategoryParams,
        body: one(CategoryMove),
        response: theField,
      },
    },
    async ({ actor, body, params: { entity, id, category_id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          moveCategory(tx, actor, await scopeNamed(tx, actor, entity), id, category_id, body),
        ),
      ),
  )

  app.delete(
    `${path}/:category_id`,
    {
      ...admins,
      schema: {
        ...about('Remove a category and all below it'),
        params: CategoryParams,
        querystring: EnumEnd,
        response: theField,
      },
    },
    async ({ actor, params: { entity, id, category_id }, query }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) => {
          const scope = await scopeNamed(tx, actor, entity)
          return removeCategory(tx, actor, scope, id, category_id, query.takes_values)
        }),
      ),
  )
}
