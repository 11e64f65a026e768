import { afterEach, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { exchange, newPair, pairIn, refresh, statusWith } from '../../../../test/oauth.ts'
import { server } from '../../../../test/server.ts'

const minute = 60
const day = 86_400

afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

test('a code is good for twenty minutes', async () => {
  const account = await newAccount()
  const [early, late] = [await account.code(), await account.code()]
  account.clock.ahead = 19 * minute
  expect((await exchange(account, { code: early })).status).toBe(200)
  account.clock.ahead = 20 * minute
  const answer = await exchange(account, { code: late })
  expect([answer.status, answer.body.hint]).toEqual([400, 'Authorization code has expired'])
})

test('an access token is good for a day', async () => {
  const account = await newAccount()
  const pair = await newPair(account)
  account.clock.ahead = day - minute
  expect(await statusWith(account, pair)).toBe(200)
  account.clock.ahead = day
  expect(await statusWith(account, pair)).toBe(401)
})

test('an access token that was used before and is remembered ends as punctually', async () => {
  const account = await newAccount()
  const pair = await newPair(account)
  account.clock.ahead = day - 8
  expect(await statusWith(account, pair)).toBe(200)
  account.clock.ahead = day
  expect(await statusWith(account, pair)).toBe(401)
})

test('an access token from before a refresh is good until its end', async () => {
  const account = await newAccount()
  const old = await newPair(account)
  const fresh = pairIn(await refresh(account, old))
  expect(await statusWith(account, old)).toBe(200)
  account.clock.ahead = day - minute
  expect(await statusWith(account, old)).toBe(200)
  account.clock.ahead = day
  expect(await statusWith(account, old)).toBe(401)
  expect(pairIn(await refresh(account, fresh))).toBeDefined()
})

test('a refresh token is good for three months from its issue', async () => {
  const account = await newAccount()
  const [early, late] = [await newPair(account), await newPair(account)]
  account.clock.ahead = 89 * day
  const renewed = pairIn(await refresh(account, early))
  account.clock.ahead = 93 * day
  const answer = await refresh(account, late)
  expect([answer.status, answer.body.hint]).toEqual([401, 'Token has expired'])
  expect((await refresh(account, renewed)).status).toBe(200)
})

test('a used code that comes back within a minute is only refused, later it ends what it gave', async () => {
  const account = await newAccount()
  const code = await account.code()
  const pair = pairIn(await exchange(account, { code }))
  account.clock.ahead = minute / 2
  const soon = await exchange(account, { code })
  expect([soon.status, soon.body.hint]).toEqual([400, 'Authorization code has been revoked'])
  expect(await statusWith(account, pair)).toBe(200)
  account.clock.ahead = 2 * minute
  const late = await exchange(account, { code })
  expect([late.status, late.body.hint]).toEqual([400, 'Authorization code has been revoked'])
  const refused = await refresh(account, pair)
  expect([refused.status, refused.body.hint]).toEqual([401, 'Token has been revoked'])
})
