import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { requireSomeCatalog } from '../../../access/catalog-rights.ts'
import { batch, change, one } from '../../../http/body.ts'
import {
  hal,
  halAnswer,
  IdParams,
  nothing,
  Page,
  SelfLink,
  sendHal,
  sendRecord,
  Written,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { Placement } from '../../../records/placement.ts'
import type { App, Kontor } from '../../../kontor.ts'
import {
  changeCatalogs,
  createCatalogs,
  hasProducts,
  moveCatalog,
  setProducts,
} from './catalogs.ts'
import { catalogList, oneCatalog } from './queries.ts'
import {
  Catalog,
  CatalogChange,
  CatalogQuery,
  NewCatalog,
  OneCatalogChange,
  ProductsSettings,
} from './schema.ts'

const path = '/api/v4/catalogs'
const tags = ['catalogs']

const WrittenCatalogs = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ catalogs: Type.Array(Written(Catalog)) }),
})

const writtenAnswer = (base: string, catalogs: object[]) =>
  halAnswer({ _links: { self: { href: base + path } }, _embedded: { catalogs } })

export function catalogRoutes(app: App, { database }: Kontor): void {
  const readers = { access: 'user' as const }
  const writers = { access: 'admin' as const }

  app.get(
    path,
    {
      config: readers,
      schema: {
        summary: 'List catalogs',
        tags,
        querystring: CatalogQuery,
        response: {
          200: hal(
            'A page of the catalogs that the caller may view, sorted by `sort`',
            Page('catalogs', Catalog),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, base, query }, reply) => {
      requireSomeCatalog(actor)
      return sendPage(reply, { collection: 'catalogs' }, (seek) =>
        database.list(catalogList(actor, base, query, seek)),
      )
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: readers,
      schema: {
        summary: 'Read a catalog',
        tags,
        params: IdParams,
        response: { 200: hal('The catalog', Catalog) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      requireSomeCatalog(actor)
      return sendRecord(reply, await database.row(oneCatalog(actor, base, id)), 'always 404')
    },
  )

  app.post(
    path,
    {
      config: writers,
      schema: {
        summary: 'Create catalogs',
        tags,
        body: batch(NewCatalog),
        response: { 200: hal('The created catalogs, in request order', WrittenCatalogs) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      writtenAnswer(base, await createCatalogs(tx, actor, base, body)),
    ),
  )

  app.patch(
    path,
    {
      config: writers,
      schema: {
        summary: 'Change catalogs',
        tags,
        body: batch(CatalogChange),
        response: { 200: hal('The catalogs, in request order', WrittenCatalogs) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      writtenAnswer(base, await changeCatalogs(tx, actor, base, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writers,
      schema: {
        summary: 'Change a catalog',
        tags,
        params: IdParams,
        body: change(CatalogChange, { shown: OneCatalogChange }),
        response: { 200: hal('The catalog', Written(Catalog)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const [catalog] = await changeCatalogs(tx, actor, base, body, 'notFound')
      return halAnswer(catalog!)
    }),
  )

  app.get(
    `${path}/products/settings`,
    {
      config: readers,
      schema: {
        summary: 'Read whether the account sells products',
        tags,
        response: { 200: hal('The settings', ProductsSettings) },
      },
    },
    async ({ actor }, reply) => {
      requireSomeCatalog(actor)
      return sendHal(reply, { is_enabled: await hasProducts(database, actor) })
    },
  )

  app.patch(
    `${path}/products/settings`,
    {
      config: writers,
      schema: {
        summary: 'Turn the catalog of products on or off',
        tags,
        body: one(ProductsSettings),
        response: { 200: hal('The settings', ProductsSettings) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      await setProducts(tx, actor, base, body.is_enabled)
      return halAnswer(body)
    }),
  )
}

/** These routes are private to the web application. */
export function catalogOrderRoutes(app: App, { database }: Kontor): void {
  app.post(
    '/web/v1/catalogs/:id/move',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Move a catalog',
        tags,
        params: IdParams,
        body: one(Placement),
        response: { 204: Type.Null({ description: 'The catalog has its new position' }) },
      },
    },
    async ({ actor, body: { before }, params: { id } }, reply) => {
      await database.transaction((tx) => moveCatalog(tx, actor, id, before))
      return reply.code(204).send()
    },
  )
}
