import type { Reader } from '../../../database/connect.ts'
import { hostOf, publicHost, subdomainOf } from '../../../http/addresses.ts'
import { form } from '../../../http/body.ts'
import type { Form } from '../../../http/body.ts'
import { json, sendJson } from '../../../http/hal.ts'
import { notFound, unauthorized } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { hash, sameSecret } from '../../../secrets.ts'
import type { Secrets } from '../../../secrets.ts'
import { findIntegration } from '../integrations/integrations.ts'
import type { Integration } from '../integrations/integrations.ts'
import { accountIn, exchangeCode, exchangeRefreshToken, tokenPair } from './oauth.ts'
import { accountBySubdomain, accountOfRefreshToken, oneAccount } from './queries.ts'
import { invalidClient, missing, oauthRefusals, refuse, unsupportedGrant } from './refusal.ts'
import type { Refusal } from './refusal.ts'
import { AccountDomain, Exchange, TokenPair } from './schema.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

export function oauthRoutes(app: App, kontor: Kontor): void {
  const { database, secrets } = kontor

  app.post(
    '/oauth2/access_token',
    {
      config: { access: 'public', takesForms: 'flat', perAddress: true },
      schema: {
        summary: 'Exchange an authorization code or a refresh token for a token pair',
        tags: ['oauth'],
        body: form(Exchange),
        response: {
          200: json('The token pair', TokenPair),
        },
      },
    },
    async ({ body: sent, host: requestedHost }, reply) => {
      const at = kontor.now()
      const grant = grants.get(sent.grant_type ?? '')
      if (!grant) throw unsupportedGrant()
      const credential = need(sent, grant.parameter)
      const subdomain = subdomainOf(kontor, requestedHost)
      const here = subdomain === undefined ? undefined : await accountAt(database, subdomain)
      const integration = await identify(database, secrets, sent)
      // An account's credentials are not valid at the address of another account.
      if (here !== undefined && here !== accountIn(credential)) throw refuse(grant.unknown)
      const outcome = await database.transaction((tx) =>
        grant.exchange(tx, integration, credential, at),
      )
      if ('hint' in outcome) throw refuse(outcome)
      const host = subdomain === undefined ? publicHost(kontor) : requestedHost.toLowerCase()
      return sendJson(reply, await tokenPair(kontor, outcome, host, at))
    },
  )

  // For programs that do not know the host of their account, also with nothing but a refresh token.
  app.get(
    '/oauth2/account/current/subdomain',
    {
      config: { access: 'public', perAddress: true },
      schema: {
        summary: 'Read the account and the host of a refresh token, or of an access token',
        tags: ['oauth'],
        headers: Type.Object({
          'x-refresh-token': Type.Optional(
            Type.String({
              description:
                'A refresh token that has not been used; without one, the access token decides',
            }),
          ),
        }),
        response: accountAnswer,
      },
    },
    async (request, reply) => {
      const { headers, host } = request
      const { 'x-refresh-token': token = '' } = headers
      // A program may always send its access token along, so the header of this method comes first.
      if (token === '' && headers.authorization !== undefined) {
        const { accountId } = await app.findActor(request)
        return sendJson(reply, await addressOf(kontor, accountId))
      }
      const accountId = accountIn(token)
      const account =
        accountId === undefined
          ? undefined
          : await database.row<AccountAddress>(
              accountOfRefreshToken(accountId, hash(token), kontor.now()),
            )
      const subdomain = subdomainOf(kontor, host)
      if (!account || (subdomain !== undefined && subdomain !== account.subdomain))
        throw unauthorized()
      return sendJson(reply, domainOf(kontor, account))
    },
  )

  app.get(
    '/oauth2/account/subdomain',
    {
      config: { access: 'user', scope: 'any' },
      schema: {
        summary: 'Read the account and the host of an access token',
        tags: ['oauth'],
        response: accountAnswer,
      },
    },
    async ({ actor }, reply) => sendJson(reply, await addressOf(kontor, actor.accountId)),
  )
}

const accountAnswer = { 200: json('The account and its host', AccountDomain) }

interface AccountAddress {
  id: number
  subdomain: string
  is_first: boolean
}

const addressOf = async (kontor: Kontor, accountId: number) =>
  domainOf(kontor, (await kontor.database.row<AccountAddress>(oneAccount(accountId)))!)

function domainOf(kontor: Kontor, account: AccountAddress) {
  const domain = hostOf(kontor, account)
  const hostname = domain.replace(/:\d+$/, '')
  const top_level_domain = /[a-z][a-z\d-]*$/i.exec(hostname)?.[0] ?? hostname
  return { id: account.id, subdomain: account.subdomain, domain, top_level_domain }
}

type Sent = Form<typeof Exchange>

interface Grant {
  parameter: keyof Sent
  exchange: typeof exchangeCode
  unknown: Refusal
}

const grants = new Map<string, Grant>([
  [
    'authorization_code',
    { parameter: 'code', exchange: exchangeCode, unknown: oauthRefusals.unreadableCode },
  ],
  [
    'refresh_token',
    {
      parameter: 'refresh_token',
      exchange: exchangeRefreshToken,
      unknown: oauthRefusals.unreadableRefreshToken,
    },
  ],
])

function need(sent: Sent, parameter: keyof Sent): string {
  const value = sent[parameter]
  if (value === undefined) throw missing(parameter)
  return value
}

/** Refuses a host with the subdomain of no account. */
async function accountAt(reader: Reader, subdomain: string): Promise<number> {
  const account = await reader.row<{ id: number }>(accountBySubdomain(subdomain))
  if (!account) throw notFound('There is no account at this address')
  return account.id
}

/**
 * The integration whose credentials the request carries. Every failure gets the same answer, so
 * that none helps guessing.
 */
async function identify(reader: Reader, secrets: Secrets, sent: Sent): Promise<Integration> {
  const client_id = need(sent, 'client_id')
  const client_secret = need(sent, 'client_secret')
  const redirect_uri = need(sent, 'redirect_uri')
  const integration = uuid.test(client_id) ? await findIntegration(reader, client_id) : undefined
  if (
    !integration ||
    !sameSecret(secrets.decrypt(integration.secret), client_secret) ||
    integration.redirect_uri !== redirect_uri
  )
    throw invalidClient()
  return integration
}
