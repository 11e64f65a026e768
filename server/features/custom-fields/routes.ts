import { Type } from 'typebox'
import { cleanUpInBackground } from '../../records/clean-ups.ts'
import { answerWrite } from '../../access/answer-write.ts'
import type { Batch } from '../../http/batch.ts'
import { batch, change } from '../../http/body.ts'
import type { Body } from '../../http/body.ts'
import {
  CountedPage,
  CreatedAnswer,
  hal,
  IdParams,
  nothing,
  sendRecord,
  completeListBody,
  Written,
  halAnswer,
} from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import type { App, Kontor } from '../../kontor.ts'
import { changeFields, createFields, deleteField, showField } from './custom-fields.ts'
import { countFields, fieldList, fieldsById } from './queries.ts'
import type { FieldRow } from './queries.ts'
import { CustomField, FieldChangeOf, FieldQuery, NewField, fieldScopes } from './schema.ts'
import type { FieldChange, FieldDraft, FieldScope } from './schema.ts'

const tags = ['custom_fields']

/** The same methods on the paths of all entity types that have custom fields. */
export function customFieldRoutes(app: App, kontor: Kontor): void {
  cleanUpInBackground(app, kontor)
  for (const scope of fieldScopes) routesOf(app, kontor, scope)
}

function routesOf(app: App, { database }: Kontor, scope: FieldScope): void {
  const { path, type } = scope
  const list = `/api/v4/${path}/custom_fields`
  const one = `${list}/:id`
  const Change = FieldChangeOf(type)
  const OneChange = Type.Object({
    ...Change.properties,
    id: Type.Optional(Type.Unknown({ description: 'Ignored: the path names the field' })),
  })
  const drafts = batch(NewField(type)) as Body<Batch<FieldDraft>>
  const changes = batch(Change) as unknown as Body<Batch<FieldChange>>
  const ofOne = change(Change, { shown: OneChange }) as unknown as Body<Batch<FieldChange>>
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
        body: drafts,
        response: { 201: hal('The custom fields, in request order', written) },
      },
    },
    answerWrite(database, async (tx, { actor, base, body }) => {
      const rows = await createFields(tx, actor, scope, body)
      const custom_fields = rows.map((row) => showField(actor, base, scope, row))
      return halAnswer(completeListBody('custom_fields', custom_fields), 201)
    }),
  )

  app.patch(
    list,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Change custom fields of ${type}`,
        tags,
        body: changes,
        response: { 200: hal('The custom fields, in request order', written) },
      },
    },
    answerWrite(database, async (tx, { actor, base, body }) => {
      const rows = await changeFields(tx, actor, scope, body)
      const custom_fields = rows.map((row) => showField(actor, base, scope, row))
      return halAnswer(completeListBody('custom_fields', custom_fields))
    }),
  )

  app.patch(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Change a custom field of ${type}`,
        tags,
        params: IdParams,
        body: ofOne,
        response: { 200: hal('The custom field', Written(CustomField(type))) },
      },
    },
    answerWrite(database, async (tx, { actor, base, body }) => {
      const [row] = await changeFields(tx, actor, scope, body, 'notFound')
      return halAnswer(showField(actor, base, scope, row!))
    }),
  )

  app.delete(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Delete a custom field of ${type}`,
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: 'The field and its values are deleted' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteField(tx, actor, scope, id))
      return reply.code(204).send()
    },
  )
}
