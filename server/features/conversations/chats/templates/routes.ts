import { one } from '../../../../http/body.ts'
import {
  CompleteList,
  hal,
  IdParams,
  nothing,
  sendCompleteList,
  sendHal,
} from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import { Placement } from '../../../../records/placement.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import type { TemplateRow } from './queries.ts'
import { ChatTemplate, ChatTemplateChange, NewChatTemplate } from './schema.ts'
import {
  changeTemplate,
  createTemplate,
  deleteTemplate,
  listTemplates,
  moveTemplate,
} from './templates.ts'

const path = '/web/v1/chat-templates'
const readers = { access: 'user' } as const
const writers = { access: 'admin' } as const

export function chatTemplateRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config: readers,
      schema: {
        summary: 'List templates of messages',
        response: {
          200: hal(
            'The templates that the user may choose, in their order',
            CompleteList('templates', ChatTemplate),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) => {
      const templates = await listTemplates(database, actor)
      return sendCompleteList(
        reply,
        'templates',
        templates.map((each) => shown(base, each)),
      )
    },
  )

  app.post(
    path,
    {
      config: writers,
      schema: {
        summary: 'Create a template of messages',
        body: one(NewChatTemplate),
        response: { 201: hal('The template', ChatTemplate) },
      },
    },
    async ({ actor, base, body }, reply) => {
      const made = await database.transaction((tx) => createTemplate(tx, actor, body))
      return sendHal(reply.code(201), shown(base, made))
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: writers,
      schema: {
        summary: 'Change a template of messages',
        params: IdParams,
        body: one(ChatTemplateChange),
        response: { 200: hal('The template', ChatTemplate) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const changed = await database.transaction((tx) => changeTemplate(tx, actor, id, body))
      return sendHal(reply, shown(base, changed))
    },
  )

  app.post(
    `${path}/:id/move`,
    {
      config: writers,
      schema: {
        summary: 'Move a template of messages',
        params: IdParams,
        body: one(Placement),
        response: { 204: Type.Null({ description: 'The template has its new position' }) },
      },
    },
    async ({ actor, body: { before }, params: { id } }, reply) => {
      await database.transaction((tx) => moveTemplate(tx, actor, id, before))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: writers,
      schema: {
        summary: 'Delete a template of messages',
        params: IdParams,
        response: { 204: Type.Null({ description: 'The template is deleted' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteTemplate(tx, actor, id))
      return reply.code(204).send()
    },
  )
}

function shown(base: string, template: TemplateRow) {
  return { ...template, _links: { self: { href: `${base}${path}/${template.id}` } } }
}
