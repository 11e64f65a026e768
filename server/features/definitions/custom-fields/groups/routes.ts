import { writeHandler } from '../../../../access/write-handler.ts'
import { batch, oneChange } from '../../../../http/body.ts'
import {
  CreatedAnswer,
  hal,
  nothing,
  sendRecord,
  sendCompleteList,
  completeListBody,
  CompleteList,
  CompleteListQuery,
  Written,
  halAnswer,
} from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { fieldPlaces } from '../scopes.ts'
import type { FieldPlace } from '../scopes.ts'
import { changeFieldGroup, createFieldGroups, deleteFieldGroup, readFieldGroups } from './groups.ts'
import { FieldGroup, FieldGroupChange, FieldGroupParams, NewFieldGroup } from './schema.ts'

/** Groups of one request at most: as many as an entity type can have. */
const most = 100

const tags = ['custom_fields']

export function fieldGroupRoutes(app: App, kontor: Kontor): void {
  for (const owner of fieldPlaces) if (owner.hasGroups) routesOf(app, kontor, owner)
}

function routesOf(app: App, { database }: Kontor, owner: FieldPlace): void {
  const { scopeOf } = owner
  const ofHolder = Type.Object(owner.params)
  const ofGroup = Type.Object({ ...owner.params, ...FieldGroupParams.properties })
  const list = `/api/v4/${owner.path}/custom_fields/groups`
  const one = `${list}/:id`
  const summary = (what: string) => `${what} of ${owner.holder}`

  app.get(
    list,
    {
      config: { access: 'user' },
      schema: {
        summary: summary('List custom field groups'),
        tags,
        params: ofHolder,
        querystring: CompleteListQuery,
        response: {
          200: hal('All groups, sorted by `sort`', CompleteList('custom_field_groups', FieldGroup)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params }, reply) => {
      const scope = await scopeOf(database, actor, params)
      const groups = await readFieldGroups(database, actor, base, scope)
      return sendCompleteList(reply, 'custom_field_groups', groups)
    },
  )

  app.get(
    one,
    {
      config: { access: 'user' },
      schema: {
        summary: summary('Read a custom field group'),
        tags,
        params: ofGroup,
        response: { 200: hal('The group', FieldGroup) },
      },
    },
    async ({ actor, base, params }, reply) => {
      const scope = await scopeOf(database, actor, params)
      const [group] = await readFieldGroups(database, actor, base, scope, params.id)
      return sendRecord(reply, group && { json: JSON.stringify(group) }, 'always 404')
    },
  )

  app.post(
    list,
    {
      config: { access: 'admin' },
      schema: {
        summary: summary('Create custom field groups'),
        tags,
        params: ofHolder,
        body: batch(NewFieldGroup, most),
        response: {
          201: hal(
            'The created groups, in request order',
            CreatedAnswer('custom_field_groups', FieldGroup),
          ),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const scope = await scopeOf(tx, actor, params)
      const groups = await createFieldGroups(tx, actor, base, scope, body)
      return halAnswer(completeListBody('custom_field_groups', groups), 201)
    }),
  )

  app.patch(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: summary('Change a custom field group'),
        tags,
        params: ofGroup,
        body: oneChange(FieldGroupChange),
        response: { 200: hal('The group', Written(FieldGroup)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body: { value, request_id }, params }) => {
      const scope = await scopeOf(tx, actor, params)
      const group = await changeFieldGroup(tx, actor, base, scope, params.id, value)
      return halAnswer({ ...group, request_id })
    }),
  )

  app.delete(
    one,
    {
      config: { access: 'admin' },
      schema: {
        summary: summary('Delete a custom field group'),
        tags,
        params: ofGroup,
        response: {
          204: Type.Null({
            description: 'The group is deleted; its fields move to the default group',
          }),
        },
      },
    },
    async ({ actor, params }, reply) => {
      await database.transaction(async (tx) =>
        deleteFieldGroup(tx, actor, await scopeOf(tx, actor, params), params.id),
      )
      return reply.code(204).send()
    },
  )
}
