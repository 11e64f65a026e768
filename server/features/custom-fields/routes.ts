import { Type } from 'typebox'
import { cleanUpInBackground } from '../../records/clean-ups.ts'
import { readBatch, readChange } from '../../http/batch.ts'
import {
  CountedPage,
  CreatedAnswer,
  hal,
  IdParams,
  nothing,
  sendHal,
  sendRecord,
  completeListBody,
  Written,
} from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import { compile } from '../../http/validate.ts'
import type { Check } from '../../http/validate.ts'
import type { App, Kontor } from '../../kontor.ts'
import { changeFields, createFields, deleteField, showField } from './custom-fields.ts'
import { countFields, fieldList, fieldsById } from './queries.ts'
import type { FieldRow } from './queries.ts'
import { CustomField, FieldChangeOf, FieldQuery, NewField, fieldScopes } from './schema.ts'
import type { FieldChange, FieldDraft, FieldScope } from './schema.ts'

/** Fields of one request at most (decision: batch size). */
const most = 250

const tags = ['custom_fields']

/** The same methods on the paths of all kinds that have custom fields. */
export function customFieldRoutes(app: App, kontor: Kontor): void {
  cleanUpInBackground(app, kontor)
  for (const scope of fieldScopes) routesOf(app, kontor, scope)
}

function routesOf(
  app: App,
  { config: { unknownKeys }, database }: Kontor,
  scope: FieldScope,
): void {
  const { path, type } = scope
  const list = `/api/v4/${path}/custom_fields`
  const one = `${list}/:id`
  const draft = NewField(type)
  const change = FieldChangeOf(type)
  const newField = compile(draft, { unknownKeys }) as Check<FieldDraft>
  const fieldChange = compile(change, { unknownKeys }) as unknown as Check<FieldChange>
  const written = CreatedAnswer('custom_fields', CustomField(type))

  app.get(
    list,
    {
      config: { access: 'user' },
      schema: {
        summary: `List custom fields of ${type}`,
        tags,
        querystring: FieldQuery,
        response: {
          200: hal('A page of custom fields', CountedPage('custom_fields', CustomField(type))),
          204: nothing,
        },
      },
    },
    ({ actor, base, query }, reply) => {
      const total = async () =>
        (await database.list<{ total: number }>(countFields(actor, type, query)))[0]!.total
      return sendPage(reply, { collection: 'custom_fields', total }, async (seek) => {
        const rows = await database.list<FieldRow>(fieldList(actor, type, query, seek))
        return rows.map((row) => ({
          key: query.order?.sort ? row.sort : row.id,
          id: row.id,
          json: JSON.stringify(showField(actor, base, scope, row)),
        }))
      })
    },
  )

  app.get(
    one,
    {
      config: { access: 'user' },
      schema: {
        summary: `Read a custom field of ${type}`,
        tags,
        params: IdParams,
        response: { 200: hal('The custom field', CustomField(type)) },
      },
    },
    async ({ actor, base, params }, reply) => {
      const row = await database.row<FieldRow>(fieldsById(actor, type, [params.id]))
      return sendRecord(
        reply,
        row && { json: JSON.stringify(showField(actor, base, scope, row)) },
        'always 404',
      )
    },
  )

  app.post(
    list,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Create custom fields of ${type}`,
        tags,
        body: Type.Array(draft, { minItems: 1, maxItems: most }),
        response: { 201: hal('The custom fields, in the order of the request', written) },
      },
    },
    async ({ actor, base, body }, reply) => {
      const rows = await database.transaction((tx) =>
        createFields(tx, actor, scope, readBatch(body, newField, most)),
      )
      const custom_fields = rows.map((row) => showField(actor, base, scope, row))
      return sendHal(reply.code(201), completeListBody('custom_fields', custom_fields))
    },
  )

  app.patch(
    list,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Change custom fields of ${type}`,
        tags,
        body: Type.Array(change, { minItems: 1, maxItems: most }),
        response: { 200: hal('The custom fields, in the order of the request', written) },
      },
    },
    async ({ actor, base, body }, reply) => {
      const rows = await database.transaction((tx) =>
        changeFields(tx, actor, scope, readBatch(body, fieldChange, most)),
      )
      const custom_fields = rows.map((row) => showField(actor, base, scope, row))
      return sendHal(reply, completeListBody('custom_fields', custom_fields))
    },
  )

  app.patch(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Change a custom field of ${type}`,
        tags,
        params: IdParams,
        body: Type.Object({
          ...change.properties,
          id: Type.Optional(Type.Unknown({ description: 'The path decides' })),
        }),
        response: { 200: hal('The custom field', Written(CustomField(type))) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const change = readChange(id, body, fieldChange)
      const [row] = await database.transaction((tx) =>
        changeFields(tx, actor, scope, change, 'notFound'),
      )
      return sendHal(reply, showField(actor, base, scope, row!))
    },
  )

  app.delete(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Delete a custom field of ${type}`,
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: 'Its values are gone too' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteField(tx, actor, scope, id))
      return reply.code(204).send()
    },
  )
}
