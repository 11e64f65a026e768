import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import type { Scope } from './actor.ts'

/** The token of an integration that is for these scopes. */
async function tokenFor(account: TestAccount, scopes: Scope[]): Promise<string> {
  const integration = await account.addIntegration({ scopes })
  const exchange = {
    ...integration,
    grant_type: 'authorization_code',
    code: await account.code(integration),
  }
  return (await client(account.kontor).post('/oauth2/access_token', exchange)).body.access_token
}

test('a token opens the methods of its scopes, and the account to all', async () => {
  const account = await newAccount()
  const api = client(account.kontor, await tokenFor(account, ['notifications']))
  for (const [method, path, body] of [
    ['GET', '/api/v4/leads'],
    ['POST', '/api/v4/leads', [{ name: 'x' }]],
    ['GET', '/api/v4/users'],
    ['GET', '/api/v4/events'],
    ['GET', '/web/v1/groups'],
  ] as const) {
    const refused = await api.send(method, path, body)
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'Invalid scope: this method takes a token with the scope "crm"',
    ])
  }
  expect((await api.get('/api/v4/account')).status).toBe(200)
  expect((await account.api.get('/api/v4/leads')).body._embedded.leads).toEqual([])
})

test('a token for the CRM opens it, within the rights of its user', async () => {
  const account = await newAccount()
  const api = client(account.kontor, await tokenFor(account, ['crm']))
  expect((await api.get('/api/v4/leads')).status).toBe(200)
  expect((await api.get('/api/v4/users')).status).toBe(200)
})

test('a grant keeps the scopes that it was given with', async () => {
  const account = await newAccount()
  const integration = await account.addIntegration({ scopes: ['crm'] })
  const exchange = { ...integration, grant_type: 'authorization_code' }
  const { body } = await client(account.kontor).post('/oauth2/access_token', {
    ...exchange,
    code: await account.code(integration),
  })
  const path = `/web/v1/integrations/${integration.client_id}`
  expect((await account.api.patch(path, { scopes: ['notifications'] })).status).toBe(200)
  expect((await client(account.kontor, body.access_token).get('/api/v4/leads')).status).toBe(200)
  const refresh = { ...exchange, grant_type: 'refresh_token', refresh_token: body.refresh_token }
  const fresh = (await client(account.kontor).post('/oauth2/access_token', refresh)).body
    .access_token
  expect((await client(account.kontor, fresh).get('/api/v4/leads')).status).toBe(200)
})

test('what lets people in is not for integrations', async () => {
  const account = await newAccount()
  const api = client(account.kontor, await tokenFor(account, ['crm']))
  for (const [method, path, body] of [
    ['GET', '/web/v1/groups'],
    ['POST', '/web/v1/groups', { name: 'x' }],
    ['PATCH', `/web/v1/users/${account.admin.id}`, { password: 'Secret1' }],
  ] as const)
    expect((await api.send(method, path, body)).body.detail).toBe(
      'An integration may not use this method',
    )
})
