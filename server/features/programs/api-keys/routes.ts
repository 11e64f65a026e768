// Private to the web application. Each user has own keys; an administrator sees and deletes those of
// all users, and makes none for others. A key itself opens only version-2 methods, so it makes no
// further keys.
import type { FastifyRequest } from 'fastify'
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { hal, IdParams, nothing, Page, sendHal } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { withProof } from '../../people/second-factor/schema.ts'
import { whenProven } from '../../people/second-factor/second-factor.ts'
import { createApiKey, deleteApiKey, listApiKeys } from './api-keys.ts'
import type { ApiKeyRow } from './api-keys.ts'
import { ApiKey, ApiKeyQuery, NewApiKey, ShownApiKey } from './schema.ts'

const ownPath = '/web/v1/api-keys'
/** The keys of all users of the account. */
const allPath = '/web/v1/account/api-keys'

export function apiKeyRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const users = { config: { access: 'user' }, onRequest: forbidIntegrations } as const
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  // Access can be ended in an unpaid account, too.
  const always = { isPaid: false } as const
  const page = { 200: hal('A page of keys', Page('api_keys', ApiKey)), 204: nothing }
  const gone = { 204: Type.Null({ description: 'The key lets nobody in any more' }) }

  const pageOf =
    (path: string, { actor, base }: FastifyRequest, userId?: number) =>
    async (seek: PagePosition) => {
      const found = await listApiKeys(database, actor, seek, userId)
      return found.map((row) => ({
        key: row.id,
        id: row.id,
        json: JSON.stringify(shown(base + path, row)),
      }))
    }

  app.get(
    ownPath,
    { ...users, schema: { querystring: ApiKeyQuery, response: page } },
    (request, reply) =>
      sendPage(reply, { collection: 'api_keys' }, pageOf(ownPath, request, request.actor.userId)),
  )

  app.post(
    ownPath,
    {
      ...users,
      schema: {
        body: one(withProof(NewApiKey.properties), { unknownKeys: 'reject' }),
        response: { 201: hal('The new key, which is not shown again', ShownApiKey) },
      },
    },
    async ({ actor, base, body: { name, ...proof } }, reply) => {
      const { api_key, ...made } = await whenProven(kontor, actor, proof, (tx) =>
        createApiKey(tx, actor, actor.userId, { name }),
      )
      return sendHal(reply.code(201), { ...shown(base + ownPath, made), api_key })
    },
  )

  app.delete(
    `${ownPath}/:id`,
    {
      ...users,
      config: { ...users.config, ...always },
      schema: { params: IdParams, response: gone },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteApiKey(tx, actor, id, actor.userId))
      return reply.code(204).send()
    },
  )

  app.get(
    allPath,
    { ...admins, schema: { querystring: ApiKeyQuery, response: page } },
    (request, reply) => sendPage(reply, { collection: 'api_keys' }, pageOf(allPath, request)),
  )

  app.delete(
    `${allPath}/:id`,
    {
      ...admins,
      config: { ...admins.config, ...always },
      schema: { params: IdParams, response: gone },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteApiKey(tx, actor, id))
      return reply.code(204).send()
    },
  )
}

function shown(path: string, row: ApiKeyRow) {
  return { ...row, _links: { self: { href: `${path}/${row.id}` } } }
}
