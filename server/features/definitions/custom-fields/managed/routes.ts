// These routes are private to the web application. The public interface changes definitions whole.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { json, sendJson } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import {
  moveField,
  moveFieldGroup,
  readFieldUsage,
  readManagedFields,
  scopeNamed,
  setFieldStage,
} from './managed-fields.ts'
import {
  EntityParams,
  FieldMove,
  FieldStageParams,
  FieldUsage,
  GroupMove,
  ManagedField,
  ManagedFieldParams,
  ManagedFields,
  ManagedGroupParams,
} from './schema.ts'

const path = '/web/v1/fields/:entity'
const about = (summary: string) => ({ summary, tags: ['custom_fields'] })

export function managedFieldRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const

  app.get(
    path,
    {
      ...admins,
      schema: {
        ...about('List custom fields and their groups for the settings'),
        params: EntityParams,
        response: { 200: json('The groups and the fields', ManagedFields) },
      },
    },
    async ({ actor, params }, reply) => {
      const scope = await scopeNamed(database, actor, params.entity)
      return sendJson(reply, await readManagedFields(database, actor, scope))
    },
  )

  app.get(
    `${path}/usage`,
    {
      ...admins,
      schema: {
        ...about('Count the records that have values of custom fields'),
        params: EntityParams,
        response: { 200: json('A number for each field', FieldUsage) },
      },
    },
    async ({ actor, params }, reply) => {
      const scope = await scopeNamed(database, actor, params.entity)
      return sendJson(reply, await readFieldUsage(database, actor, scope))
    },
  )

  app.post(
    `${path}/:id/move`,
    {
      ...admins,
      schema: {
        ...about('Move a custom field'),
        params: ManagedFieldParams,
        body: one(FieldMove),
        response: { 200: json('The field', ManagedField) },
      },
    },
    async ({ actor, body, params: { entity, id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          moveField(tx, actor, await scopeNamed(tx, actor, entity), id, body),
        ),
      ),
  )

  app.post(
    `${path}/groups/:id/move`,
    {
      ...admins,
      schema: {
        ...about('Move a custom field group'),
        params: ManagedGroupParams,
        body: one(GroupMove),
        response: { 200: json('The groups and the fields', ManagedFields) },
      },
    },
    async ({ actor, body, params: { entity, id } }, reply) =>
      sendJson(
        reply,
        await database.transaction(async (tx) =>
          moveFieldGroup(tx, actor, await scopeNamed(tx, actor, entity), id, body.before),
        ),
      ),
  )

  for (const [method, isOn] of [
    ['put', true],
    ['delete', false],
  ] as const)
    app[method](
      `${path}/:id/stages/:list/:pipeline_id/:status_id`,
      {
        ...admins,
        schema: {
          ...about(
            isOn
              ? 'Require a custom field from a stage, or hide it there'
              : 'No longer require a custom field from a stage, or hide it there',
          ),
          params: FieldStageParams,
          response: { 200: json('The field', ManagedField) },
        },
      },
      async ({ actor, params: { entity, id, ...stage } }, reply) =>
        sendJson(
          reply,
          await database.transaction(async (tx) =>
            setFieldStage(tx, actor, await scopeNamed(tx, actor, entity), id, stage, isOn),
          ),
        ),
    )
}
