import { Type } from '../../../http/type.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import type { Batch } from '../../../http/batch.ts'
import { batch, change } from '../../../http/body.ts'
import type { Body } from '../../../http/body.ts'
import {
  CountedPage,
  CreatedAnswer,
  hal,
  nothing,
  sendRecord,
  completeListBody,
  Written,
  halAnswer,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Id } from '../../../http/types.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { changeFields, createFields, deleteField, showField } from './custom-fields.ts'
import { countFields, fieldList, fieldsById } from './queries.ts'
import type { FieldRow } from './queries.ts'
import { CustomField, FieldChangeOf, FieldQuery, NewField } from './schema.ts'
import type { FieldChange, FieldDraft } from './schema.ts'
import { fieldPlaces } from './scopes.ts'
import type { FieldPlace } from './scopes.ts'

const tags = ['custom_fields']

/** The same methods on the paths of all that have custom fields. */
export function customFieldRoutes(app: App, kontor: Kontor): void {
  for (const owner of fieldPlaces) routesOf(app, kontor, owner)
}

function routesOf(app: App, { database }: Kontor, owner: FieldPlace): void {
  const { path, holder, scopeOf } = owner
  const ofHolder = Type.Object(owner.params)
  const ofField = Type.Object({ ...owner.params, id: Id })
  const list = `/api/v4/${path}/custom_fields`
  const one = `${list}/:id`
  const Change = FieldChangeOf(holder)
  const OneChange = Type.Object({
    ...Change.properties,
    id: Type.Optional(Type.Unknown({ readOnly: true, description: 'The path names the field' })),
  })
  const drafts = batch(NewField(holder)) as Body<Batch<FieldDraft>>
  const changes = batch(Change) as unknown as Body<Batch<FieldChange>>
  const ofOne = change(Change, { shown: OneChange }) as unknown as Body<Batch<FieldChange>>
  const written = CreatedAnswer('custom_fields', CustomField(holder))

  app.get(
    list,
    {
      config: { access: 'user' },
      schema: {
        summary: `List custom fields of ${holder}`,
        tags,
        params: ofHolder,
        querystring: FieldQuery,
        response: {
          200: hal('A page of custom fields', CountedPage('custom_fields', CustomField(holder))),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const scope = await scopeOf(database, actor, params)
      const { type } = scope
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
        summary: `Read a custom field of ${holder}`,
        tags,
        params: ofField,
        response: { 200: hal('The custom field', CustomField(holder)) },
      },
    },
    async ({ actor, base, params }, reply) => {
      const scope = await scopeOf(database, actor, params)
      const row = await database.row<FieldRow>(fieldsById(actor, scope.type, [params.id]))
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
        summary: `Create custom fields of ${holder}`,
        tags,
        params: ofHolder,
        body: drafts,
        response: { 201: hal('The custom fields, in request order', written) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const scope = await scopeOf(tx, actor, params)
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
        summary: `Change custom fields of ${holder}`,
        tags,
        params: ofHolder,
        body: changes,
        response: { 200: hal('The custom fields, in request order', written) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const scope = await scopeOf(tx, actor, params)
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
        summary: `Change a custom field of ${holder}`,
        tags,
        params: ofField,
        body: ofOne,
        response: { 200: hal('The custom field', Written(CustomField(holder))) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const scope = await scopeOf(tx, actor, params)
      const [row] = await changeFields(tx, actor, scope, body, 'notFound')
      return halAnswer(showField(actor, base, scope, row!))
    }),
  )

  app.delete(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: `Delete a custom field of ${holder}`,
        tags,
        params: ofField,
        response: { 204: Type.Null({ description: 'The field and its values are deleted' }) },
      },
    },
    async ({ actor, params }, reply) => {
      await database.transaction(async (tx) =>
        deleteField(tx, actor, await scopeOf(tx, actor, params), params.id),
      )
      return reply.code(204).send()
    },
  )
}
