import { Type } from 'typebox'
import type { Static } from 'typebox'
import { entityTypes } from '../../entity-types.ts'
import { Ids } from '../../records/lists/schema.ts'
import { Tag } from '../../records/tags.ts'
import { answerWrite } from '../../access/answer-write.ts'
import { batch } from '../../http/body.ts'
import { hal, nothing, Page, halAnswer } from '../../http/hal.ts'
import { Paging, sendPage } from '../../http/paging.ts'
import type { App, Kontor } from '../../kontor.ts'
import { tagList } from './queries.ts'
import { ListedTag, NewTag } from './schema.ts'
import { createTags } from './tags.ts'

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

const CreatedTags = Type.Object({
  _total_items: Type.Integer(),
  _embedded: Type.Object({
    tags: Type.Array(Type.Object({ ...Tag.properties, request_id: Type.String() })),
  }),
})

/** The same two methods on the paths of the four entity types. */
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
        schema: {
          summary: `Create tags of ${type}`,
          tags: ['tags'],
          body: batch(NewTag),
          response: { 200: hal('The tags, in request order', CreatedTags) },
        },
      },
      answerWrite(database, async (tx, { actor, body }) => {
        const tags = await createTags(tx, actor, type, body)
        return halAnswer({ _total_items: tags.length, _embedded: { tags } })
      }),
    )
  }
}
