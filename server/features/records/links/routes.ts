// The same six methods for each type of record: on the path of one record, and on that of several.
// For an element of a catalog there are three.
import { Type } from '../../../http/type.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { linkRecords, unlinkRecords } from './links.ts'
import type { ShownLink } from './drafts.ts'
import { findLinks } from './find.ts'
import { mainEntity } from './link-list.ts'
import { linkElement, requireElement, unlinkElement } from './of-element.ts'
import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { requireRight } from '../../../access/record-rights.ts'
import type { Batch } from '../../../http/batch.ts'
import { batch } from '../../../http/body.ts'
import { hal, halAnswer, IdParams, json, noContent, nothing, sendJson } from '../../../http/hal.ts'
import type { Answer } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { singular } from '../../../entity-types.ts'
import { ElementParams } from '../elements/schema.ts'
import {
  ElementUses,
  LinkAnswer,
  LinkOfMany,
  LinkOfOne,
  LinkPage,
  LinksOfManyQuery,
  LinksOfOneQuery,
} from './schema.ts'
import type { ElementUse } from './schema.ts'
import { targetOf } from './links.ts'
import { usesOfElement } from './uses.ts'

/** Programs read only one page of links, so it is as large as a page may be. */
const page = { collection: 'links', usual: 250, keys: 'text', countMember: '_total_items' } as const

export function linkRoutes(app: App, kontor: Kontor): void {
  for (const type of recordTypes) {
    routesOfOne(app, kontor, type)
    routesOfMany(app, kontor, type)
  }
  routesOfElement(app, kontor)
}

const config = { access: 'user' } as const
const editing = (type: RecordType) => ({ ...config, right: { type, action: 'edit' } }) as const
const about = (summary: string) => ({ summary, tags: ['links'] })
const unlinked = Type.Null({ description: 'The records are no longer linked' })

function routesOfOne(app: App, { database }: Kontor, type: RecordType): void {
  const path = `/api/v4/${type}/:id`
  const links = batch(LinkOfOne(type))

  app.get(
    `${path}/links`,
    {
      config,
      schema: {
        ...about(`List the links of a ${singular[type]}`),
        params: IdParams,
        querystring: LinksOfOneQuery,
        response: { 200: hal('A page of links', LinkPage(type)), 204: nothing },
      },
    },
    async ({ actor, params: { id }, query: { filter } }, reply) => {
      requireRight(actor, type, 'view')
      const to = targetOf(filter)
      const main = await database.row<{ viewed: boolean }>(mainEntity(actor, type, id))
      if (!main) throw notFound()
      if (!main.viewed) throw forbidden('You have no right to view this record')
      return sendPage(reply, page, (seek) =>
        findLinks(database, actor, { type, ids: [id], ...to }, seek),
      )
    },
  )

  app.post(
    `${path}/link`,
    {
      config: editing(type),
      schema: {
        ...about(`Link a ${singular[type]} to other records`),
        params: IdParams,
        body: links,
        response: { 200: hal('The links, in request order', LinkAnswer(type)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { id } }) => {
      const linked = await linkRecords(tx, actor, type, withEntity(body, id), 'notFound')
      return linksAnswer(`${base}/api/v4/${type}/${id}/links`, linked)
    }),
  )

  app.post(
    `${path}/unlink`,
    {
      config: editing(type),
      schema: {
        ...about(`Unlink a ${singular[type]} from other records`),
        params: IdParams,
        body: links,
        response: { 204: unlinked },
      },
    },
    writeHandler(database, async (tx, { actor, body, params: { id } }) => {
      await unlinkRecords(tx, actor, type, withEntity(body, id), 'notFound')
      return noContent
    }),
  )
}

function routesOfMany(app: App, { database }: Kontor, type: RecordType): void {
  const path = `/api/v4/${type}`
  const links = batch(LinkOfMany(type))

  app.get(
    `${path}/links`,
    {
      config,
      schema: {
        ...about(`List the links of several ${type}`),
        querystring: LinksOfManyQuery,
        response: { 200: hal('A page of links', LinkPage(type)), 204: nothing },
      },
    },
    ({ actor, query: { filter } }, reply) => {
      requireRight(actor, type, 'view')
      const to = targetOf(filter)
      return sendPage(reply, page, (seek) =>
        findLinks(database, actor, { type, ids: filter.entity_id, ...to }, seek),
      )
    },
  )

  app.post(
    `${path}/link`,
    {
      config: editing(type),
      schema: {
        ...about(`Link several ${type} to other records`),
        body: links,
        response: { 200: hal('The links, in request order', LinkAnswer(type)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const linked = await linkRecords(tx, actor, type, body)
      return linksAnswer(`${base}/api/v4/${type}/links`, linked)
    }),
  )

  app.post(
    `${path}/unlink`,
    {
      config: editing(type),
      schema: {
        ...about(`Unlink several ${type} from other records`),
        body: links,
        response: { 204: unlinked },
      },
    },
    writeHandler(database, async (tx, { actor, body }) => {
      await unlinkRecords(tx, actor, type, body)
      return noContent
    }),
  )
}

function routesOfElement(app: App, { database }: Kontor): void {
  const path = '/api/v4/catalogs/:catalog_id/elements/:id'
  const type = 'catalog_elements'
  const links = batch(LinkOfOne(type))
  // Customers follow the rights of leads.
  const right = editing('leads')

  app.get(
    `${path}/links`,
    {
      config,
      schema: {
        ...about('List the links of an element'),
        params: ElementParams,
        querystring: LinksOfOneQuery,
        response: { 200: hal('A page of links', LinkPage(type)), 204: nothing },
      },
    },
    async ({ actor, params: { catalog_id: catalogId, id }, query: { filter } }, reply) => {
      const to = targetOf(filter)
      await requireElement(database, actor, { catalogId, id })
      return sendPage(reply, page, (seek) =>
        findLinks(database, actor, { type, ids: [id], ...to }, seek),
      )
    },
  )

  app.get(
    '/web/v1/catalogs/:catalog_id/elements/:id/uses',
    {
      config,
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Read where an element is used',
        params: ElementParams,
        response: { 200: json('Its records that the caller may view, by type', ElementUses) },
      },
    },
    async ({ actor, params: { catalog_id: catalogId, id } }, reply) => {
      await requireElement(database, actor, { catalogId, id })
      return sendJson(reply, { uses: await database.list<ElementUse>(usesOfElement(actor, id)) })
    },
  )

  app.post(
    `${path}/link`,
    {
      config: right,
      schema: {
        ...about('Put an element on leads and customers'),
        params: ElementParams,
        body: links,
        response: { 200: hal('The links, in request order', LinkAnswer(type)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { catalog_id, id } }) => {
      const main = { catalogId: catalog_id, id }
      const linked = await linkElement(tx, actor, main, withEntity(body, id))
      return linksAnswer(`${base}/api/v4/catalogs/${catalog_id}/elements/${id}/links`, linked)
    }),
  )

  app.post(
    `${path}/unlink`,
    {
      config: right,
      schema: {
        ...about('Take an element from leads and customers'),
        params: ElementParams,
        body: links,
        response: { 204: unlinked },
      },
    },
    writeHandler(database, async (tx, { actor, body, params: { catalog_id: catalogId, id } }) => {
      await unlinkElement(tx, actor, { catalogId, id }, withEntity(body, id))
      return noContent
    }),
  )
}

/** The id of the path replaces one in the body. */
function withEntity<Value extends object>(
  { items, faults }: Batch<Value>,
  entity_id: number,
): Batch<Value & { entity_id: number }> {
  return { items: items.map((item) => ({ ...item, value: { ...item.value, entity_id } })), faults }
}

function linksAnswer(href: string, links: ShownLink[]): Answer {
  return halAnswer({ _total_items: links.length, _links: { self: { href } }, _embedded: { links } })
}
