import type { Static } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { Ids } from '../../../records/lists/schema.ts'
import { Tag } from '../../../records/tags.ts'
import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { batch, change } from '../../../http/body.ts'
import { hal, halAnswer, IdParams, nothing, Page, sendHal, Written } from '../../../http/hal.ts'
import { Paging, sendPage } from '../../../http/paging.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { tagList } from './queries.ts'
import {
  ListedTag,
  ManagedTagQuery,
  ManagedTags,
  NewTag,
  OneTagChange,
  TagChange,
} from './schema.ts'
import {
  changeTags,
  createTags,
  deleteTag,
  manageTags,
  requireRightToChangeTags,
  requireRightToCreateTags,
} from './tags.ts'

const TagQuery = Type.Object(
  {
    ...Paging,
    query: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Text that the name must contain; case is ignored',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Ids),
          name: Type.Optional(Type.String({ description: 'Exactly this name, in any case' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: true },
)
export type TagQuery = Static<typeof TagQuery>

const WrittenTags = Type.Object({ tags: Type.Array(Written(Tag)) })
const CreatedTags = Type.Object({ _total_items: Type.Integer(), _embedded: WrittenTags })
const ChangedTags = Type.Object({ _embedded: WrittenTags })

/** The same methods on the paths of the four entity types. */
export function tagRoutes(app: App, { database }: Kontor): void {
  for (const type of entityTypes) {
    app.get(
      `/api/v4/${type}/tags`,
      {
        config: { access: 'user' },
        schema: {
          summary: `List tags of ${type}`,
          tags: ['tags'],
          querystring: TagQuery,
          response: { 200: hal('A page of tags', Page('tags', ListedTag)), 204: nothing },
        },
      },
      ({ actor, base, query }, reply) =>
        sendPage(reply, { collection: 'tags' }, (seek) =>
          database.list(tagList(actor, base, type, query, seek)),
        ),
    )

    app.post(
      `/api/v4/${type}/tags`,
      {
        config: { access: 'user' },
        onRequest: async ({ actor }) => requireRightToCreateTags(actor, type),
        schema: {
          summary: `Create tags of ${type}`,
          tags: ['tags'],
          body: batch(NewTag),
          response: { 200: hal('The tags, in request order', CreatedTags) },
        },
      },
      writeHandler(database, async (tx, { actor, body }) => {
        const tags = await createTags(tx, actor, type, body)
        return halAnswer({ _total_items: tags.length, _embedded: { tags } })
      }),
    )

    app.patch(
      `/api/v4/${type}/tags`,
      {
        config: { access: 'user' },
        onRequest: async ({ actor }) => requireRightToChangeTags(actor, type),
        schema: {
          summary: `Change tags of ${type}`,
          tags: ['tags'],
          body: batch(TagChange),
          response: { 200: hal('The tags, in request order', ChangedTags) },
        },
      },
      writeHandler(database, async (tx, { actor, body }) => {
        const tags = await changeTags(tx, actor, type, body)
        return halAnswer({ _embedded: { tags } })
      }),
    )

    app.patch(
      `/api/v4/${type}/tags/:id`,
      {
        config: { access: 'user' },
        onRequest: async ({ actor }) => requireRightToChangeTags(actor, type),
        schema: {
          summary: `Change a tag of ${type}`,
          tags: ['tags'],
          params: IdParams,
          body: change(TagChange, { shown: OneTagChange }),
          response: { 200: hal('The tag', Written(Tag)) },
        },
      },
      writeHandler(database, async (tx, { actor, body }) => {
        const [tag] = await changeTags(tx, actor, type, body, 'notFound')
        return halAnswer(tag!)
      }),
    )

    app.delete(
      `/api/v4/${type}/tags/:id`,
      {
        config: { access: 'user' },
        onRequest: async ({ actor }) => requireRightToChangeTags(actor, type),
        schema: {
          summary: `Delete a tag of ${type}`,
          tags: ['tags'],
          params: IdParams,
          response: {
            204: Type.Null({ description: `The tag is deleted; no ${type} have it any longer` }),
          },
        },
      },
      async ({ actor, params: { id } }, reply) => {
        await database.transaction((tx) => deleteTag(tx, actor, type, id))
        return reply.code(204).send()
      },
    )
  }
}

/** This route is private to the web application. */
export function managedTagRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/tags/:entity_type',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'List tags of an entity type with their uses',
        params: Type.Object({ entity_type: Type.Enum([...entityTypes]) }),
        querystring: ManagedTagQuery,
        response: { 200: hal('A page of tags, by their names', ManagedTags) },
      },
    },
    async ({ actor, params: { entity_type }, query }, reply) =>
      sendHal(reply, await manageTags(database, actor, entity_type, query)),
  )
}
