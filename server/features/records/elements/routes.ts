import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { batch, change } from '../../../http/body.ts'
import { hal, halAnswer, nothing, Page, SelfLink, sendRecord, Written } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { addressOf } from '../../activity/files/files.ts'
import { requireCatalog } from '../../definitions/catalogs/catalogs.ts'
import { changeElements, createElements, readFileOfElement } from './elements.ts'
import { elementList, oneElement } from './queries.ts'
import type { ElementLine } from './queries.ts'
import * as shapes from './schema.ts'
import { elementTexts, searchOf } from './show.ts'

const path = '/api/v4/catalogs/:catalog_id/elements'
const tags = ['catalogs']
const config = { access: 'user' as const }

const WrittenElements = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ elements: Type.Array(Written(shapes.Element)) }),
})

function writtenAnswer(base: string, catalogId: number, texts: string[]) {
  const href = `${base}/api/v4/catalogs/${catalogId}/elements`
  const links = JSON.stringify({ self: { href } })
  return halAnswer(`{"_links":${links},"_embedded":{"elements":[${texts.join()}]}}`)
}

export function elementRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  app.get(
    path,
    {
      config,
      schema: {
        summary: 'List elements of a catalog',
        tags,
        params: shapes.CatalogParams,
        querystring: shapes.ElementQuery,
        response: {
          200: hal('A page of elements', Page('elements', shapes.Element)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params: { catalog_id: catalogId }, query }, reply) => {
      await requireCatalog(database, actor, catalogId)
      return sendPage(reply, { collection: 'elements' }, async (seek) => {
        const search = await searchOf(database, actor, catalogId, query.query)
        const statement = elementList(actor, base, catalogId, query, search, seek)
        const lines = await database.list<ElementLine>(statement)
        const shown = await elementTexts(database, actor, catalogId, lines)
        return shown.map(({ id, json }) => ({ key: id, id, json }))
      })
    },
  )

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: 'Read an element of a catalog',
        tags,
        params: shapes.ElementParams,
        querystring: shapes.OneElementQuery,
        response: { 200: hal('The element', shapes.Element) },
      },
    },
    async ({ actor, base, params: { catalog_id: catalogId, id }, query }, reply) => {
      await requireCatalog(database, actor, catalogId)
      const wanted = shapes.elementWith.wanted(query.with)
      const row = await database.row<ElementLine | (ElementLine & { json: null })>(
        oneElement(actor, base, catalogId, id, wanted),
      )
      const [shown] = row?.json ? await elementTexts(database, actor, catalogId, [row]) : [row]
      return sendRecord(reply, shown, 'always 404')
    },
  )

  // An address that stays while that of the file ends, so a page may be open for days.
  app.get(
    '/web/v1/catalogs/:catalog_id/elements/:id/files/:field',
    {
      config,
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Open the file of a field of an element',
        params: shapes.ElementFileParams,
        response: { 302: Type.Null({ description: 'The address of the file' }) },
      },
    },
    async ({ actor, base, params: { catalog_id: catalogId, id, field } }, reply) => {
      const file = await readFileOfElement(database, actor, catalogId, id, field)
      return reply
        .header('cache-control', 'no-store')
        .redirect(addressOf(kontor, actor.accountId, file, { base }), 302)
    },
  )

  app.post(
    path,
    {
      config,
      schema: {
        summary: 'Create elements of a catalog',
        tags,
        params: shapes.CatalogParams,
        body: batch(shapes.NewElement),
        response: { 200: hal('The created elements, in request order', WrittenElements) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { catalog_id: catalogId } }) =>
      writtenAnswer(base, catalogId, await createElements(tx, actor, base, catalogId, body)),
    ),
  )

  app.patch(
    path,
    {
      config,
      schema: {
        summary: 'Change elements of a catalog',
        tags,
        params: shapes.CatalogParams,
        body: batch(shapes.ElementChange),
        response: { 200: hal('The elements, in request order', WrittenElements) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { catalog_id: catalogId } }) =>
      writtenAnswer(base, catalogId, await changeElements(tx, actor, base, catalogId, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: 'Change an element of a catalog',
        tags,
        params: shapes.ElementParams,
        body: change(shapes.ElementChange, { shown: shapes.OneElementChange }),
        response: { 200: hal('The element', Written(shapes.Element)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { catalog_id: catalogId } }) => {
      const [text] = await changeElements(tx, actor, base, catalogId, body, 'notFound')
      return halAnswer(text!)
    }),
  )
}
