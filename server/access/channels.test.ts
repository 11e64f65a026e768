// The door of routes that name a scope, on an application with two routes of its own.
import fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addChannel, amojoIdOf, canonical, chatPath, connect, hmac } from '../../test/channels.ts'
import type { TestChannel } from '../../test/channels.ts'
import { raw } from '../../test/raw.ts'
import { setAccount } from '../features/people/accounts/accounts.ts'
import { installBodies, one } from '../http/body.ts'
import { installProtocol, protocolOptions, refuseUnknownPaths } from '../http/protocol.ts'
import { Type } from '../http/type.ts'
import type { App, RouteTypes } from '../kontor.ts'
import { installAdmission } from './admission.ts'
import { openBodyBudget } from './body-budget.ts'
import { openLimits } from './limits.ts'

let account: TestAccount
let channel: TestChannel
let scope: string
let app: App
let url: string

beforeAll(async () => {
  account = await newAccount({ rateLimitScope: 0, rateLimitAddress: 0 })
  const { kontor } = account
  channel = await addChannel(account, { bot_name: 'Robot' })
  scope = (await connect(account, channel, { account_id: await amojoIdOf(account) })).body.scope_id

  app = fastify({
    loggerInstance: pino({ level: 'silent' }),
    ...protocolOptions,
  }).withTypeProvider<RouteTypes>() as unknown as App
  const limits = openLimits(kontor.config, kontor.elapsedMs)
  const bodies = openBodyBudget(kontor.config.bodyLimit, () => undefined)
  installProtocol(app, kontor, { rejected: limits.rejected, bodies })
  refuseUnknownPaths(app)
  installAdmission(app, kontor, limits)
  installBodies(app, kontor)
  const config = { access: 'channel' } as const
  const body = one(Type.Object({ n: Type.Integer() }), { isStrict: true })
  app.post(`${chatPath}/:scope_id`, { config, schema: { body } }, async (request) => {
    const { actor, body, channel, connection } = request
    const { accountId, userId, isAdmin, surface, requestId, subdomain } = actor
    const isOfRequest = requestId === request.id
    const who = { accountId, userId, isAdmin, surface, isOfRequest, subdomain }
    return { who, body, channel, scope: connection.scope_id, bot: connection.bot.name }
  })
  app.get(`${chatPath}/:scope_id/list`, { config }, async ({ connection }) => connection.scope_id)
  await app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(() => app.close())

function publish(at: string, body = '{"n":1}', secret = channel.secret) {
  const headers = { 'x-signature': hmac(secret, body) }
  return raw({ url }, { method: 'POST', path: `${chatPath}/${at}`, headers, body })
}

test('a signed request is one of the system in the account of its scope', async () => {
  const { status, text } = await publish(scope)
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      who: {
        accountId: account.id,
        userId: 0,
        isAdmin: true,
        surface: 'channel',
        isOfRequest: true,
        subdomain: account.subdomain,
      },
      body: { n: 1 },
      channel: { id: channel.id, ownerId: account.id },
      scope,
      bot: 'Robot',
    },
  ])
  expect((await publish(scope.toUpperCase())).status).toBe(200)
  expect((await publish(scope, '{"n":"1"}')).status).toBe(400)
})

test('a method without a body takes the canonical form only', async () => {
  const path = `${chatPath}/${scope}/list`
  const get = async (headers: Record<string, string>) =>
    (await raw({ url }, { path: `${path}?limit=5`, headers })).status
  expect(await get(canonical(channel.secret, { method: 'GET', path }))).toBe(200)
  expect(await get({ 'x-signature': hmac(channel.secret, '') })).toBe(403)
  expect(await get(canonical(channel.secret, { method: 'POST', path }))).toBe(403)
  expect(await get({})).toBe(403)
})

test('a scope that is not connected is 404 to the secret of its channel, and 403 to others', async () => {
  const another = await addChannel(account)
  const unconnected = scope.replace(channel.id, another.id)
  const [, amojoId] = scope.split('_')
  expect((await publish(unconnected, '{"n":1}', another.secret)).status).toBe(404)
  expect((await publish(unconnected)).status).toBe(403)
  for (const at of [`${channel.id}_${channel.id}`, channel.id, `${amojoId}_${channel.id}`, 'x'])
    expect((await publish(at)).status).toBe(404)
  const body = JSON.stringify({ account_id: amojoId })
  const headers = { 'x-signature': hmac(channel.secret, body) }
  const path = `${chatPath}/${channel.id}/disconnect`
  await raw(account.kontor, { method: 'DELETE', path, headers, body })
  expect((await publish(scope)).status).toBe(404)
  await connect(account, channel, { account_id: amojoId })
  expect((await publish(scope)).status).toBe(200)
})

test('a write into an account that is not paid is 402, and a read is not', async () => {
  const { database, now } = account.kontor
  const set = (isUnpaid: boolean) =>
    database.transaction((tx) => setAccount(tx, now(), account.subdomain, { isUnpaid }))
  await set(true)
  const path = `${chatPath}/${scope}/list`
  expect((await publish(scope)).status).toBe(402)
  const headers = canonical(channel.secret, { method: 'GET', path })
  expect((await raw({ url }, { path, headers })).status).toBe(200)
  await set(false)
  expect((await publish(scope)).status).toBe(200)
})

test('a route of channels that names neither a channel nor a scope stops the server', () => {
  const other = fastify() as unknown as App
  const { kontor } = account
  installAdmission(other, kontor, openLimits(kontor.config, kontor.elapsedMs))
  const add = () => other.get('/nothing', { config: { access: 'channel' } }, async () => 'x')
  expect(add).toThrow('names neither a channel nor a scope')
})
