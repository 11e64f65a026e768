// The signatures of deliveries, judged as receivers judge them: by the public text of Standard
// Webhooks (https://www.standardwebhooks.com), written here a second time.
import { createHmac, timingSafeEqual } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { openDelivering } from '../../../../test/delivering.ts'
import { addLead } from '../../../../test/leads.ts'
import type { Arrival, Receiver } from '../../../../test/receiver.ts'
import type { Scratch } from '../../../../test/scratch.ts'
import type { Sending } from '../../../outgoing/sender.ts'
import { dropOldDeliveries } from './deliveries/retention.ts'
import { newSigningSecret, signatureHeaders } from './deliveries/signature.ts'

const [minute, day] = [60, 86_400]

/** A receiver's check: whether one of the signatures is that of a secret, and the time is near. */
function isSigned(
  secret: string,
  { headers, body }: Pick<Arrival, 'headers' | 'body'>,
  now: number,
): boolean {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp = '',
    'webhook-signature': signatures = '',
  } = headers
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 5 * minute) return false
  if (!secret.startsWith('whsec_')) return false
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body, 'utf8')])
  const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(content)
    .digest()
  return signatures.split(' ').some((each) => {
    const [version, text = ''] = each.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === 32 && timingSafeEqual(given, expected)
  })
}

describe('a signature', () => {
  // The example in the documents of the first receivers that check such signatures.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const example = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1614265330,
    body: '{"test": 2432232314}',
  }

  test('is that of the published example', () => {
    const headers = signatureHeaders([secret], example)
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
    expect(isSigned(secret, { headers, body: example.body }, example.at)).toBe(true)
  })

  test('is refused once the body, the id, the time or the secret is another', () => {
    const headers = signatureHeaders([secret], example)
    const isGood = (more: object, body = example.body, key = secret, now = example.at) =>
      isSigned(key, { headers: { ...headers, ...more }, body }, now)
    expect(isGood({})).toBe(true)
    expect(isGood({}, `${example.body} `)).toBe(false)
    expect(isGood({ 'webhook-id': 'msg' })).toBe(false)
    expect(isGood({ 'webhook-timestamp': String(example.at + 1) })).toBe(false)
    expect(isGood({}, example.body, newSigningSecret())).toBe(false)
    expect(isGood({}, example.body, secret, example.at + 301)).toBe(false)
  })

  test('stands there for each secret, and secrets are random keys of 32 bytes', () => {
    const secrets = [newSigningSecret(), newSigningSecret()]
    expect(secrets[0]).not.toBe(secrets[1])
    for (const each of secrets) {
      expect(each).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
      expect(Buffer.from(each.slice(6), 'base64')).toHaveLength(32)
    }
    const headers = signatureHeaders(secrets, example)
    for (const each of secrets)
      expect(isSigned(each, { headers, body: example.body }, example.at)).toBe(true)
    expect(signatureHeaders([], example)).toEqual({})
  })
})

describe('the deliveries of a webhook', () => {
  let scratch: Scratch
  let account: TestAccount
  let receiver: Receiver
  let deliveries: Sending
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ account, receiver, deliveries, scratch, close } = await openDelivering({ level: 'silent' }))
  })
  afterAll(() => close())

  interface Hook {
    id: number
    path: string
    destination: string
    /** The address of its settings. */
    its: string
  }

  let paths = 0
  async function subscribe(): Promise<Hook> {
    const path = `/hook/${++paths}`
    const destination = receiver.url + path
    const made = await account.api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] })
    return { id: made.body.id, path, destination, its: `/web/v1/webhooks/${made.body.id}` }
  }
  const arrived = ({ path }: Hook) => receiver.arrivals.filter((each) => each.path === path)
  const signatureOf = async ({ its }: Hook) => (await account.api.get(its)).body.signature
  const now = () => account.kontor.now()
  const signedBy = (arrival: Arrival, ...secrets: string[]) =>
    secrets.map((secret) => isSigned(secret, arrival, now()))

  async function renew({ its }: Hook, body?: object): Promise<string> {
    const renewed = await account.api.post(`${its}/secret`, body)
    expect(renewed.status).toBe(200)
    return renewed.body.secret as string
  }

  /** A test notice, which the route signs and sends itself. */
  async function next(hook: Hook): Promise<Arrival> {
    const before = arrived(hook).length
    await account.api.post(`${hook.its}/test`)
    expect(arrived(hook)).toHaveLength(before + 1)
    return arrived(hook).at(-1)!
  }

  test('are signed from the first secret on, and the secret is shown once', async () => {
    const hook = await subscribe()
    await addLead(account.api)
    await expect.poll(() => arrived(hook).length).toBe(1)
    expect(
      Object.keys(arrived(hook)[0]!.headers).filter((name) => name.startsWith('webhook-')),
    ).toEqual([])
    expect(await signatureOf(hook)).toBeNull()
    const made = await account.api.post(`${hook.its}/secret`)
    expect(made.body).toMatchObject({
      id: hook.id,
      signature: { created_at: expect.any(Number), overlap_until: null },
    })
    const { secret } = made.body
    await addLead(account.api, { name: 'Ёлка & 1 😀' })
    await expect.poll(() => arrived(hook).length).toBe(2)
    const arrival = arrived(hook)[1]!
    expect(signedBy(arrival, secret)).toEqual([true])
    expect(arrival.headers['webhook-id']).toBe(arrival.headers['x-kontor-delivery'])
    const answers = [
      await account.api.get(hook.its),
      await account.api.get('/web/v1/webhooks'),
      await account.api.get('/api/v4/webhooks'),
      await account.api.get('/api/v2/webhooks'),
    ]
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain('whsec_')
    const stored = await scratch.database.rows<{ text: string }>(
      sql`select encode(secret, 'escape') as text from webhook_secrets where webhook_id = ${hook.id}`,
    )
    expect(stored).toHaveLength(1)
    expect(stored[0]!.text).not.toContain(secret.slice(6))
    expect(stored[0]!.text).not.toContain('whsec_')
  })

  test('of JSON are signed over their bytes', async () => {
    const hook = await subscribe()
    await account.api.patch(hook.its, { format: 'json' })
    const secret = await renew(hook)
    await addLead(account.api, { name: '"Ёлка" 😀\n' })
    await expect.poll(() => arrived(hook).length).toBe(1)
    expect(arrived(hook)[0]!.body).toContain('Ёлка')
    expect(signedBy(arrived(hook)[0]!, secret)).toEqual([true])
  })

  test('repeat the bytes and the id, with a time and a signature of their own', async () => {
    const hook = await subscribe()
    receiver.behave(hook.path, { status: 500 }, {})
    const secret = await renew(hook)
    await addLead(account.api)
    await expect.poll(() => arrived(hook).length).toBe(1)
    const [first] = arrived(hook)
    expect(signedBy(first!, secret)).toEqual([true])
    await expect
      .poll(async () => (await account.api.get(hook.its)).body.health.latest_status)
      .toBe(500)
    account.clock.ahead += 5 * minute + 1
    deliveries.wake()
    await expect.poll(() => arrived(hook).length).toBe(2)
    const second = arrived(hook)[1]!
    expect(signedBy(second, secret)).toEqual([true])
    expect(second.body).toBe(first!.body)
    expect(second.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    const times = [first!, second].map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times[1]! - times[0]!).toBeGreaterThan(5 * minute)
    expect(second.headers['webhook-signature']).not.toBe(first!.headers['webhook-signature'])
    // A replay too.
    await expect
      .poll(async () => (await account.api.get(hook.its)).body.health.latest_status)
      .toBe(200)
    const id = first!.headers['webhook-id']
    expect((await account.api.post(`${hook.its}/deliveries/${id}/replay`)).status).toBe(200)
    await expect.poll(() => arrived(hook).length).toBe(3)
    expect(signedBy(arrived(hook)[2]!, secret)).toEqual([true])
    expect(arrived(hook)[2]!.headers['webhook-id']).toBe(id)
  })

  test('are signed with the secret of before too, until the overlap has passed', async () => {
    const hook = await subscribe()
    const former = await renew(hook)
    const present = await renew(hook)
    const signature = await signatureOf(hook)
    expect(signature.overlap_until - signature.created_at).toBe(day)
    expect(signedBy(await next(hook), former, present)).toEqual([true, true])
    await addLead(account.api)
    await expect.poll(() => arrived(hook).length).toBe(2)
    expect(signedBy(arrived(hook)[1]!, former, present)).toEqual([true, true])
    expect(arrived(hook)[1]!.headers['webhook-signature']!.split(' ')).toHaveLength(2)
    account.clock.ahead += day - minute
    expect(signedBy(await next(hook), former, present)).toEqual([true, true])
    account.clock.ahead += minute
    expect(signedBy(await next(hook), former, present)).toEqual([false, true])
    expect((await signatureOf(hook)).overlap_until).toBeNull()
    await addLead(account.api)
    await expect.poll(() => arrived(hook).length).toBe(5)
    expect(signedBy(arrived(hook)[4]!, former, present)).toEqual([false, true])
    await dropOldDeliveries(scratch.database, 30, now())
    expect(await countSecrets(hook)).toBe(1)
  })

  test('forget a secret at once where the overlap is 0, whatever was said before', async () => {
    const hook = await subscribe()
    const [first, second] = [await renew(hook), await renew(hook, { overlap: minute })]
    expect(signedBy(await next(hook), first, second)).toEqual([true, true])
    // A longer overlap does not put an earlier end off.
    const third = await renew(hook, { overlap: 7 * day })
    account.clock.ahead += 2 * minute
    expect(signedBy(await next(hook), first, second, third)).toEqual([false, true, true])
    const fourth = await renew(hook, { overlap: 0 })
    expect(signedBy(await next(hook), second, third, fourth)).toEqual([false, false, true])
    expect(await signatureOf(hook)).toMatchObject({ overlap_until: null })
    expect(await countSecrets(hook)).toBe(1)
    for (const bad of [{ overlap: -1 }, { overlap: 7 * day + 1 }, { overlap: 'long' }, { x: 1 }])
      expect((await account.api.post(`${hook.its}/secret`, bad)).status).toBe(400)
  })

  test('have five signatures at most', async () => {
    const hook = await subscribe()
    const secrets: string[] = []
    for (let count = 0; count < 7; count++) secrets.push(await renew(hook))
    const arrival = await next(hook)
    expect(signedBy(arrival, ...secrets)).toEqual([false, false, true, true, true, true, true])
    expect(arrival.headers['webhook-signature']!.split(' ')).toHaveLength(5)
    // Two renewals at once leave one present secret.
    const both = await Promise.all([renew(hook), renew(hook)])
    expect(signedBy(await next(hook), ...both)).toEqual([true, true])
    const [{ count } = { count: 0 }] = await scratch.database.rows<{ count: number }>(
      sql`select count(*) from webhook_secrets where webhook_id = ${hook.id} and ends_at is null`,
    )
    expect(count).toBe(1)
  })

  test('are signed no more once that was turned off, or the webhook was removed', async () => {
    const hook = await subscribe()
    const secret = await renew(hook)
    expect(signedBy(await next(hook), secret)).toEqual([true])
    expect((await account.api.delete(`${hook.its}/secret`)).status).toBe(204)
    expect((await account.api.delete(`${hook.its}/secret`)).status).toBe(404)
    expect(await signatureOf(hook)).toBeNull()
    expect((await next(hook)).headers['webhook-signature']).toBeUndefined()
    const again = await renew(hook)
    expect(signedBy(await next(hook), secret, again)).toEqual([false, true])
    const { destination } = hook
    await account.api.delete('/api/v4/webhooks', { destination })
    expect(await countSecrets(hook)).toBe(0)
    await account.api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] })
    const [anew] = (await account.api.get(`/api/v4/webhooks?filter[destination]=${destination}`))
      .body._embedded.webhooks
    const made = { ...hook, id: anew.id, its: `/web/v1/webhooks/${anew.id}` }
    expect((await next(made)).headers['webhook-signature']).toBeUndefined()
  })

  test('wait where their secret cannot be read: none leaves unsigned, and none counts', async () => {
    const hook = await subscribe()
    const secret = await renew(hook)
    await scratch.database.rows(sql`
      update webhook_secrets set secret = secret || '\\x00' where webhook_id = ${hook.id}`)
    deliveries.wake()
    await addLead(account.api)
    const other = await subscribe()
    await addLead(account.api)
    await expect.poll(() => arrived(other).length).toBe(1)
    expect(arrived(hook)).toEqual([])
    expect((await account.api.get(hook.its)).body.health.invalid_answers).toBe(0)
    await scratch.database.rows(sql`
      update webhook_secrets set secret = substring(secret for length(secret) - 1) where webhook_id = ${hook.id}`)
    await expect.poll(() => arrived(hook).length, { timeout: 15_000 }).toBe(2)
    for (const arrival of arrived(hook)) expect(signedBy(arrival, secret)).toEqual([true])
  })

  test('are signed at the wish of the administrators of the own account only', async () => {
    const hook = await subscribe()
    const user = await account.addUser()
    const other = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
    for (const method of ['POST', 'DELETE']) {
      expect((await user.api.send(method, `${hook.its}/secret`)).status).toBe(403)
      expect((await other.api.send(method, `${hook.its}/secret`)).status).toBe(404)
    }
    expect((await account.api.post('/web/v1/webhooks/999999/secret')).status).toBe(404)
    expect(await countSecrets(hook)).toBe(0)
    const secret = await renew(hook)
    expect((await other.api.send('DELETE', `${hook.its}/secret`)).status).toBe(404)
    expect(signedBy(await next(hook), secret)).toEqual([true])
  })

  async function countSecrets({ id }: Hook): Promise<number> {
    const found = await scratch.database.row<{ count: number }>(
      sql`select count(*) from webhook_secrets where webhook_id = ${id}`,
    )
    return found!.count
  }
})
