import { describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { openLimits } from './limits.ts'

const off = { rateLimitIntegration: 0, rateLimitAccount: 0, rateLimitAddress: 0, rateLimitScope: 0 }

/** Limits on a clock that the test moves, in seconds. */
function limits(rates: Partial<typeof off>) {
  const clock = { at: 0 }
  const made = openLimits({ ...off, ...rates }, () => clock.at * 1000)
  const passes = (count: () => void) => {
    try {
      count()
      return true
    } catch {
      return false
    }
  }
  const passed = (count: () => void, times: number) =>
    Array.from({ length: times }, () => passes(count)).filter(Boolean).length
  return { ...made, clock, passed }
}

describe('a bucket', () => {
  test('lets a burst of two seconds pass, then the rate', () => {
    const { countAddress, clock, passed } = limits({ rateLimitAddress: 7 })
    const ask = () => countAddress('192.0.2.1')
    expect(passed(ask, 100)).toBe(14)
    clock.at += 1
    expect(passed(ask, 100)).toBe(7)
    clock.at += 60
    expect(passed(ask, 100)).toBe(14)
  })

  test('says how long to wait, in whole seconds', () => {
    const { countAddress } = limits({ rateLimitAddress: 1 })
    for (let turn = 0; turn < 2; turn++) countAddress('192.0.2.1')
    expect(() => countAddress('192.0.2.1')).toThrow(
      expect.objectContaining({
        status: 429,
        message: 'Request limit exceeded',
        headers: { 'retry-after': '1' },
      }),
    )
  })

  test('belongs to one address, or to one network of IPv6', () => {
    const { countAddress, passed, rejected } = limits({ rateLimitAddress: 1 })
    expect(passed(() => countAddress('192.0.2.1'), 5)).toBe(2)
    expect(passed(() => countAddress('192.0.2.2'), 5)).toBe(2)
    let last = 0
    expect(passed(() => countAddress(`2001:db8:0:1::${(++last).toString(16)}`), 9)).toBe(2)
    expect(passed(() => countAddress('2001:db8::2:0:0:0:1'), 5)).toBe(2)
    expect(passed(() => countAddress('::1'), 5)).toBe(2)
    expect(rejected.address).toBe(19)
  })

  test('is forgotten, not kept for ever', () => {
    const { countAddress, passed } = limits({ rateLimitAddress: 1 })
    expect(passed(() => countAddress('192.0.2.1'), 3)).toBe(2)
    for (let n = 0; n < 20_000; n++) countAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
    expect(passed(() => countAddress('192.0.2.1'), 3)).toBe(2)
  })
})

test('an integration has a limit in each account, and an account one for all its integrations', () => {
  const { countActor, passed, rejected } = limits({ rateLimitIntegration: 2, rateLimitAccount: 3 })
  expect(passed(() => countActor({ accountId: 1, clientId: 'a', userId: 9 }), 10)).toBe(4)
  expect(passed(() => countActor({ accountId: 1, clientId: 'b', userId: 9 }), 10)).toBe(2)
  expect(passed(() => countActor({ accountId: 2, clientId: 'a', userId: 9 }), 10)).toBe(4)
  expect(rejected).toEqual({
    integration: 12,
    account: 8,
    address: 0,
    scope: 0,
    bodies: 0,
    database: 0,
  })
})

test('without an integration, in a browser or with a token of the server itself, each user has the limit', () => {
  const { countActor, passed } = limits({ rateLimitIntegration: 2 })
  expect(passed(() => countActor({ accountId: 1, clientId: null, userId: 1 }), 10)).toBe(4)
  expect(passed(() => countActor({ accountId: 1, clientId: null, userId: 2 }), 10)).toBe(4)
})

test('without a limit everything passes', () => {
  const { countActor, countAddress, passed } = limits({})
  expect(passed(() => countActor({ accountId: 1, clientId: null, userId: 9 }), 1000)).toBe(1000)
  expect(passed(() => countAddress('192.0.2.1'), 1000)).toBe(1000)
})

describe('through HTTP', () => {
  test('who asks too much gets a 429 problem, and passes after Retry-After', async () => {
    const { api, clock } = await newAccount({ rateLimitIntegration: 2 })
    // At once: time that passes lets more in.
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/api/v4/account')))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4)
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.body).toMatchObject({
      title: 'Too Many Requests',
      status: 429,
      detail: 'Request limit exceeded',
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    clock.passedMs += 1000
    expect((await api.get('/api/v4/account')).status).toBe(200)
  })

  test('one account’s excess is no other account’s', async () => {
    const one = await newAccount({ rateLimitAccount: 2 })
    const other = await newAccount({ rateLimitAccount: 2 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => one.api.get('/api/v4/account')),
    )
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(10)
    expect((await other.api.get('/api/v4/account')).status).toBe(200)
  })

  test('a request that is not let in costs nobody anything', async () => {
    const { api, kontor } = await newAccount({ rateLimitAccount: 3 })
    const strangers = Array.from({ length: 20 }, () =>
      client(kontor, 'no token').get('/api/v4/account'),
    )
    expect((await Promise.all(strangers)).every(({ status }) => status === 401)).toBe(true)
    expect((await api.get('/api/v4/account')).status).toBe(200)
  })

  test('the token endpoint is limited by address', async () => {
    const { kontor } = await newAccount({ rateLimitAddress: 3 })
    const ask = () => client(kontor).post('/oauth2/access_token', { grant_type: 'refresh_token' })
    const statuses = (await Promise.all(Array.from({ length: 20 }, ask))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(6)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10)
  })
})
