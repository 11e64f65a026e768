// For administrators: by session, or with a token made on the server itself. The token of an
// integration is refused, or one integration could read the secret of another.
import type { FastifyRequest } from 'fastify'
import { forbidIntegrations } from '../../../access/actor.ts'
import { callLogOf } from '../../../access/call-log.ts'
import { one } from '../../../http/body.ts'
import { CompleteList, hal, nothing, Page, sendCompleteList, sendHal } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { PageRow } from '../../../http/paging.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { codeSeconds, issueCode, issueLongLivedToken } from '../oauth/oauth.ts'
import { Proof, withProof } from '../../people/second-factor/schema.ts'
import { whenProven } from '../../people/second-factor/second-factor.ts'
import * as verbs from './integrations.ts'
import { grantPage } from './queries.ts'
import { deactivateUsersMadeBy } from '../../people/users/users.ts'
import * as shapes from './schema.ts'

const path = '/web/v1/integrations'
const itsPath = `${path}/:client_id`
/**
 * These routes are private to the web application, but unknown keys are refused all the same
 * (`UNKNOWN_KEYS`).
 */
const strictly = { unknownKeys: 'reject' } as const

export function integrationRoutes(app: App, kontor: Kontor): void {
  const { database, secrets } = kontor
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  const params = shapes.ClientParams

  /** An integration as the account sees it. */
  async function shown({ actor, base }: FastifyRequest, client_id: string) {
    const seen = await verbs.seeIntegration(database, actor, client_id)
    if (!seen) throw notFound()
    return { ...seen, _links: { self: { href: `${base}${path}/${seen.client_id}` } } }
  }

  app.get(
    path,
    { ...admins, schema: { response: { 200: hal('The integrations', shapes.IntegrationList) } } },
    async ({ actor, base }, reply) => {
      await callLogOf(kontor).write()
      const integrations = await verbs.listIntegrations(database, actor)
      return sendHal(reply, {
        _links: { self: { href: base + path } },
        _embedded: { integrations },
      })
    },
  )

  app.get(
    itsPath,
    {
      ...admins,
      schema: { params, response: { 200: hal('The integration', shapes.OneIntegration) } },
    },
    async (request, reply) => sendHal(reply, await shown(request, request.params.client_id)),
  )

  app.post(
    path,
    {
      ...admins,
      schema: {
        body: one(withProof(shapes.NewIntegration.properties), strictly),
        response: {
          200: hal(
            'The new integration with its secret, installed in the account',
            shapes.MadeIntegration,
          ),
        },
      },
    },
    async (request, reply) => {
      const { password, code, ...draft } = request.body
      const made = await whenProven(kontor, request.actor, { password, code }, (tx) =>
        verbs.createIntegration(tx, secrets, request.actor, draft),
      )
      const { client_id, client_secret } = made
      return sendHal(reply, { ...(await shown(request, client_id)), client_secret })
    },
  )

  app.patch(
    itsPath,
    {
      ...admins,
      schema: {
        params,
        body: one(shapes.ChangedIntegration, strictly),
        response: { 200: hal('The changed integration', shapes.OneIntegration) },
      },
    },
    async (request, reply) => {
      const { client_id } = request.params
      await database.transaction((tx) =>
        verbs.changeIntegration(tx, request.actor, client_id, request.body),
      )
      return sendHal(reply, await shown(request, client_id))
    },
  )

  app.delete(
    itsPath,
    {
      ...admins,
      schema: {
        params,
        querystring: shapes.Ending,
        response: {
          204: Type.Null({
            description: 'The integration is deleted, and its tokens are void in every account',
          }),
        },
      },
    },
    async ({ actor, params: { client_id }, query, log }, reply) => {
      const notices = await database.transaction(async (tx) => {
        if (query.deactivate_people) await deactivateUsersMadeBy(tx, actor, client_id)
        return verbs.deleteIntegration(tx, secrets, actor, client_id)
      })
      void verbs.callUninstallHooks(kontor, notices, log)
      return reply.code(204).send()
    },
  )

  app.post(
    `${itsPath}/secret`,
    {
      ...admins,
      schema: {
        params,
        body: one(Proof, strictly),
        response: { 200: hal('The new secret; the old one is no longer accepted', shapes.Secret) },
      },
    },
    async ({ actor, body, params: { client_id } }, reply) => {
      // Of others, a caller learns that before it is asked for a password.
      await verbs.readSecret(database, secrets, actor, client_id)
      const { client_secret } = await whenProven(kontor, actor, body, (tx) =>
        verbs.rotateSecret(tx, secrets, actor, client_id),
      )
      return sendHal(reply, { client_id, client_secret })
    },
  )

  app.post(
    `${itsPath}/secret/read`,
    {
      ...admins,
      schema: {
        params,
        body: one(Proof, strictly),
        response: { 200: hal('The secret in force', shapes.Secret) },
      },
    },
    async ({ actor, body, params: { client_id } }, reply) => {
      // Of others, a caller learns that before it is asked for a password.
      await verbs.readSecret(database, secrets, actor, client_id)
      const client_secret = await whenProven(kontor, actor, body, (tx) =>
        verbs.readSecret(tx, secrets, actor, client_id),
      )
      return sendHal(reply, { client_id, client_secret })
    },
  )

  app.put(
    `${itsPath}/installation`,
    {
      ...admins,
      schema: {
        params,
        body: one(Type.Optional(shapes.Installation), strictly),
        response: { 200: hal('The integration, enabled in the account', shapes.OneIntegration) },
      },
    },
    async (request, reply) => {
      const { client_id } = request.params
      await database.transaction((tx) =>
        verbs.enableIntegration(tx, request.actor, client_id, request.body),
      )
      return sendHal(reply, await shown(request, client_id))
    },
  )

  app.delete(
    `${itsPath}/installation`,
    {
      ...admins,
      schema: {
        params,
        querystring: shapes.Ending,
        response: {
          204: Type.Null({
            description: 'The integration is disabled in the account, and its tokens are void',
          }),
        },
      },
    },
    async ({ actor, params: { client_id }, query, log }, reply) => {
      const notices = await database.transaction(async (tx) => {
        if (query.deactivate_people) await deactivateUsersMadeBy(tx, actor, client_id)
        return verbs.disableIntegration(tx, secrets, actor, client_id)
      })
      void verbs.callUninstallHooks(kontor, notices, log)
      return reply.code(204).send()
    },
  )

  app.post(
    `${itsPath}/code`,
    {
      ...admins,
      schema: { params, response: { 200: hal('A new authorization code', shapes.Code) } },
    },
    async ({ actor: { accountId, userId, at }, params: { client_id } }, reply) => {
      const code = await database.transaction(async (tx) => {
        const { scopes } = await verbs.lockIntegration(tx, accountId, client_id)
        return issueCode(tx, { accountId, userId, clientId: client_id, scopes, at })
      })
      return sendHal(reply, { code, expires_at: at + codeSeconds })
    },
  )

  app.post(
    `${itsPath}/token`,
    {
      ...admins,
      schema: {
        params,
        body: one(withProof(shapes.NewToken.properties), strictly),
        response: { 200: hal('A long-lived token, shown only this once', shapes.Token) },
      },
    },
    async ({ actor, params: { client_id }, body: { days, ...proof } }, reply) => {
      const { accountId, userId, at } = actor
      const expires_at = at + days * 86_400
      const token = await whenProven(kontor, actor, proof, async (tx) => {
        const { account_id, scopes } = await verbs.lockIntegration(tx, accountId, client_id)
        if (account_id !== accountId)
          throw forbidden('Long-lived tokens are for integrations of the own account')
        return issueLongLivedToken(tx, kontor, {
          accountId,
          userId,
          clientId: client_id,
          scopes,
          at,
          expires_at,
        })
      })
      return sendHal(reply, { access_token: token, expires_at })
    },
  )

  app.get(
    `${itsPath}/grants`,
    {
      ...admins,
      schema: {
        params,
        querystring: shapes.GrantQuery,
        response: { 200: hal('A page of grants', Page('grants', shapes.Grant)), 204: nothing },
      },
    },
    async ({ actor, params: { client_id } }, reply) => {
      if (!(await verbs.seeIntegration(database, actor, client_id))) throw notFound()
      await callLogOf(kontor).write()
      return sendPage(reply, { collection: 'grants' }, (seek) =>
        database.list<PageRow>(grantPage(actor, client_id, seek)),
      )
    },
  )

  app.get(
    `${itsPath}/calls`,
    {
      ...admins,
      schema: {
        params,
        response: {
          200: hal(
            'The latest calls in the account, the newest first',
            CompleteList('calls', shapes.IntegrationCall),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, params: { client_id } }, reply) => {
      if (!(await verbs.seeIntegration(database, actor, client_id))) throw notFound()
      await callLogOf(kontor).write()
      return sendCompleteList(reply, 'calls', await verbs.listCalls(database, actor, client_id))
    },
  )

  app.delete(
    `${itsPath}/grants/:id`,
    {
      ...admins,
      schema: {
        params: shapes.GrantParams,
        response: {
          204: Type.Null({ description: 'The grant is revoked, and its tokens are void' }),
        },
      },
    },
    async ({ actor, params: { client_id, id } }, reply) => {
      await database.transaction((tx) => verbs.revokeGrant(tx, actor, client_id, id))
      return reply.code(204).send()
    },
  )
}
