// Which status answers a caller where nothing is found.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { newPair } from '../../test/oauth.ts'
import { emptyListFor } from './empty-list.ts'
import type { EmptyList } from './empty-list.ts'

const php = 'amoCRM-API-Library/1.2.0 (PHP)'

test.for<[EmptyList, string | undefined, EmptyList]>([
  ['client', php, 'client'],
  ['client', 'AMOCRM-api-library/', 'client'],
  ['client', 'curl/8 amoCRM-API-Library/1.2.0', 200],
  ['client', 'amoCRM-API-Library', 200],
  ['client', 'curl/8.5.0', 200],
  ['client', '', 200],
  ['client', undefined, 200],
  [200, php, 200],
  [204, php, 204],
  [204, 'curl/8.5.0', 204],
])('where the setting is %s, %s gets %s', ([setting, agent, expected]) => {
  const headers = agent === undefined ? {} : { 'user-agent': agent }
  expect(emptyListFor(setting, headers)).toBe(expected)
})

/** A client through a new integration, and the calls that are noted of it. */
async function through(account: TestAccount, empty_list: 200 | 204 | null) {
  const integration = await account.addIntegration({ empty_list })
  const { access_token } = await newPair(account, integration)
  const at = `/web/v1/integrations/${integration.client_id}/calls`
  return {
    api: client(account.kontor, access_token),
    noted: async () => {
      const { calls } = (await account.api.get(at)).body._embedded
      return calls.map((call: { path: string; status: number; fault: string | null }) => [
        call.path,
        call.status,
        call.fault === null ? null : /User-Agent/.test(call.fault) ? 'by User-Agent' : 'refused',
      ])
    },
  }
}

// EMPTY_LIST, the setting of the integration, the User-Agent, and the answer to an empty list.
test.for<[200 | 204 | undefined, 200 | 204 | null, string, 200 | 204]>([
  [undefined, null, php, 204],
  [undefined, null, 'curl/8.5.0', 200],
  [undefined, 200, php, 200],
  [undefined, 204, 'curl/8.5.0', 204],
  [200, null, php, 200],
  [204, null, 'curl/8.5.0', 204],
  [204, 200, php, 200],
])('EMPTY_LIST %s, integration %s, %s: %s', async ([emptyList, own, agent, status]) => {
  const account = await newAccount({ emptyList })
  const { api, noted } = await through(account, own)
  const path = '/api/v4/leads'
  expect((await api.get(path, { 'user-agent': agent })).status).toBe(status)
  const isGuessed = emptyList === undefined && own === null && status === 204
  expect(await noted()).toEqual([[path, status, isGuessed ? 'by User-Agent' : null]])
})

describe('a known client', () => {
  test.for([
    ['/api/v4/leads', 204, 'by User-Agent'],
    ['/api/v4/customers?page=2', 204, 'by User-Agent'],
    ['/api/v4/webhooks', 204, 'by User-Agent'],
    ['/api/v4/leads/999999999', 204, 'by User-Agent'],
    ['/api/v4/contacts/999999999', 204, 'by User-Agent'],
    ['/api/v4/companies/999999999', 204, 'by User-Agent'],
    ['/api/v4/customers/999999999', 204, 'by User-Agent'],
    ['/api/v4/tasks/999999999', 404, 'refused'],
    ['/api/v4/users', 200, null],
  ] as const)('gets of %s %s, and the log says: %s', async ([path, status, mark]) => {
    const account = await newAccount()
    const { api, noted } = await through(account, null)
    expect((await api.get(path, { 'user-agent': php })).status).toBe(status)
    expect(await noted()).toEqual([[path, status, mark]])
  })

  test('is told from others by each request, though their token is one', async () => {
    const account = await newAccount()
    const { api } = await through(account, null)
    const statuses = []
    for (const agent of ['curl/8.5.0', php, 'curl/8.5.0'])
      statuses.push((await api.get('/api/v4/leads', { 'user-agent': agent })).status)
    expect(statuses).toEqual([200, 204, 200])
  })

  test('gets 204 of a deletion as everybody does, and the log says nothing of it', async () => {
    const account = await newAccount()
    const { api, noted } = await through(account, null)
    const path = '/api/v4/webhooks'
    const hook = { destination: 'https://example.com/hook', settings: ['add_lead'] }
    await api.post(path, hook)
    expect(
      (await api.delete(path, { destination: hook.destination }, { 'user-agent': php })).status,
    ).toBe(204)
    expect((await noted())[0]).toEqual([path, 204, null])
  })
})
