// The signature by itself, against known results (interface: Channel signature).
import { describe, expect, test } from 'vitest'
import { newChannelSecret, signatureFault, chatSignature } from './channel-signature.ts'

const secret = 'reference-channel-secret'
const body = Buffer.from(
  '{"account_id":"0b7d7f0e-0000-4000-8000-0000000000aa","hook_api_version":"v2","title":"Demo line"}',
)
const path = '/v2/origin/custom/9c1e4d52-0000-4000-8000-0000000000bb/connect'
const date = 'Tue, 06 Feb 2024 10:00:00 +0000'
const at = Date.UTC(2024, 1, 6, 10) / 1000

const ofBody = 'ff6c24f18b7e78994ce0bf6a81b41de8325727bb'
const ofForm = '9783183db7917d914b5ed5b3c2e660fe2101e12a'

const posted = { method: 'POST', path, body, signature: ofBody }
const canonical = {
  ...posted,
  contentMd5: 'dbd64d46d29aa4c4685df9d28611ecc2',
  contentType: 'application/json',
  date,
  signature: ofForm,
}
const history = {
  method: 'GET',
  path: '/v2/origin/custom/9c1e4d52-0000-4000-8000-0000000000bb_0b7d7f0e-0000-4000-8000-0000000000aa/chats/11111111-2222-4333-8444-555555555555/history',
  contentMd5: 'd41d8cd98f00b204e9800998ecf8427e',
  contentType: 'application/json',
  date,
  body: Buffer.alloc(0),
  signature: 'd25ef262ddde1739ef99e7f5344c078fcf53b224',
}

const isAccepted = (request: Parameters<typeof signatureFault>[1], now = at) =>
  signatureFault(secret, request, now) === undefined

test('the known results', () => {
  expect(chatSignature(secret, body)).toBe(ofBody)
  expect(isAccepted(posted)).toBe(true)
  expect(isAccepted(canonical)).toBe(true)
  expect(isAccepted(history)).toBe(true)
})

describe('the body alone', () => {
  test('decides, whatever the other headers, the path and the time', () => {
    const others = { contentMd5: 'x', date: 'yesterday', path: '/elsewhere', method: 'DELETE' }
    expect(isAccepted({ ...posted, ...others }, at + 1e9)).toBe(true)
    expect(isAccepted({ ...posted, signature: ofBody.toUpperCase() })).toBe(true)
  })

  test('counts to the last byte', () => {
    expect(isAccepted({ ...posted, body: Buffer.concat([body, Buffer.from('\n')]) })).toBe(false)
  })

  test('is no signature of a method without a body', () => {
    const none = { ...history, signature: chatSignature(secret, '') }
    expect(isAccepted({ ...none, method: 'GET' })).toBe(false)
    expect(isAccepted({ ...none, method: 'HEAD' })).toBe(false)
    expect(isAccepted({ ...none, method: 'DELETE' })).toBe(true)
  })
})

describe('the canonical form', () => {
  test.each([
    ['another method', { method: 'DELETE' }],
    ['another path', { path: `${path}/` }],
    ['another type', { contentType: 'application/json; charset=utf-8' }],
    ['another date', { date: 'Tue, 06 Feb 2024 10:00:01 +0000' }],
    ['another body', { body: Buffer.from('{}') }],
    ['no MD5', { contentMd5: undefined }],
  ])('is refused with %s', (_, change) => {
    expect(isAccepted({ ...canonical, ...change })).toBe(false)
  })

  /** A request that is signed rightly, but says something that is not so. */
  const signedAs = (change: { contentMd5?: string; date?: string }) => {
    const { method, contentMd5, contentType, date: sent } = { ...canonical, ...change }
    const signature = chatSignature(
      secret,
      [method, contentMd5, contentType, sent, path].join('\n'),
    )
    return { ...canonical, ...change, signature }
  }

  test('must name the MD5 of the body in lowercase', () => {
    expect(isAccepted(signedAs({}))).toBe(true)
    expect(isAccepted(signedAs({ contentMd5: canonical.contentMd5.toUpperCase() }))).toBe(false)
    expect(isAccepted(signedAs({ contentMd5: '' }))).toBe(false)
  })

  test('is good for 15 minutes before and after its date', () => {
    expect([at - 900, at + 900].map((now) => isAccepted(canonical, now))).toEqual([true, true])
    expect([at - 901, at + 901].map((now) => isAccepted(canonical, now))).toEqual([false, false])
  })

  test.each([
    ['Tue, 06 Feb 2024 10:00:00 GMT', true],
    ['Tue, 06 Feb 2024 13:00:00 +0300', true],
    ['6 Feb 2024 10:00 +0000', true],
    ['Tue, 06 Feb 2024 10:00:00', false],
    ['2024-02-06T10:00:00Z', false],
    ['Tue, 99 Feb 2024 10:00:00 GMT', false],
    ['', false],
  ])('with the date %j is accepted: %j', (sent, expected) => {
    expect(isAccepted(signedAs({ date: sent }))).toBe(expected)
  })
})

test.each([
  undefined,
  '',
  'x',
  ofBody.slice(1),
  `${ofBody}0`,
  `${ofBody.slice(1)}g`,
  `${ofBody.slice(0, -1)}c`,
  `e${ofBody.slice(1)}`,
])('%j is not its signature', (signature) => {
  expect(isAccepted({ ...posted, signature })).toBe(false)
})

test('a secret has 40 hexadecimal digits, others each time', () => {
  const [one, other] = [newChannelSecret(), newChannelSecret()]
  expect(one).toMatch(/^[\da-f]{40}$/)
  expect(other).not.toBe(one)
})
