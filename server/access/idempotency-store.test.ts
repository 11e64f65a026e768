// Writes with an Idempotency-Key. test/routes/rows.ts repeats every write of the interface.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import type { Answer, Client } from '../../test/client.ts'
import { addEveryType, addFields } from '../../test/fields.ts'
import { addLead, addLeads, listen, readLead } from '../../test/leads.ts'
import { newPair } from '../../test/oauth.ts'
import { untilAwaited } from '../../test/locks.ts'
import { raw } from '../../test/raw.ts'
import { server } from '../../test/server.ts'
import { halAnswer } from '../http/hal.ts'
import { dropStoredAnswers, openIdempotencyStore } from './idempotency-store.ts'
import { serverItself } from './user-access.ts'

const path = '/api/v4/leads'
const under = (key: string, more: Record<string, string> = {}) => ({
  'idempotency-key': key,
  ...more,
})

const post = (api: Client, key: string, body: unknown = [{ name: 'A lead' }], more = {}) =>
  api.post(path, body, under(key, more))

const countLeads = async ({ id, kontor }: TestAccount) =>
  (await kontor.database.row<{ count: number }>(
    sql`select count(*) as count from leads where account_id = ${id}`,
  ))!.count

const countKept = async ({ id, kontor }: TestAccount) =>
  (await kontor.database.row<{ count: number }>(
    sql`select count(*) as count from idempotency_keys where account_id = ${id}`,
  ))!.count

const isRepeated = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'

describe('the same request again', () => {
  test('gets the first answer, writes nothing, and is no news', async () => {
    const account = await newAccount()
    const first = await post(account.api, 'once')
    const newsSince = await listen(account)
    const second = await post(account.api, 'once')
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect([isRepeated(first), isRepeated(second)]).toEqual([false, true])
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(await countLeads(account)).toBe(1)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('gets the first answer also where the record has changed since', async () => {
    const { api } = await newAccount()
    const id = await addLead(api, { name: 'Old' })
    const change = () => api.patch(`${path}/${id}`, { name: 'New' }, under('change'))
    const first = await change()
    await api.patch(`${path}/${id}`, { name: 'Newest' })
    expect((await change()).body).toEqual(first.body)
    expect((await readLead(api, id)).name).toBe('Newest')
  })

  test('gets an answer without a body again', async () => {
    const { api, admin } = await newAccount()
    const activate = () => api.post('/api/v4/users/activate', [{ id: admin.id }], under('empty'))
    const answers = [await activate(), await activate()]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [204, undefined],
      [204, undefined],
    ])
    expect(isRepeated(answers[1]!)).toBe(true)
  })

  test('without a body is the same request', async () => {
    const { api } = await newAccount()
    const id = await addLead(api)
    await api.delete(`${path}/${id}`)
    const restore = () => api.post(`${path}/${id}/restore`, undefined, under('back'))
    const first = await restore()
    await api.delete(`${path}/${id}`)
    expect((await restore()).body).toEqual(first.body)
    expect((await api.get(`${path}?filter[id]=${id}`)).body._embedded.leads).toEqual([])
  })

  test('with an empty body is the same as without one', async () => {
    const { api, admin, kontor } = await newAccount()
    const id = await addLead(api)
    await api.delete(`${path}/${id}`)
    const at = `${path}/${id}/restore`
    const first = await api.post(at, undefined, under('back'))
    const authorization = `Bearer ${admin.token}`
    const type = { 'content-type': 'application/json' }
    const lengths: Record<string, string>[] = [
      { 'transfer-encoding': 'chunked', ...type },
      { 'content-length': '0' },
    ]
    for (const length of lengths) {
      const headers = { authorization, ...under('back'), ...length }
      const again = await raw(kontor, { method: 'POST', path: at, headers })
      expect([again.status, JSON.parse(again.text)]).toEqual([200, first.body])
    }
  })

  test('gets the first answer of another process', async () => {
    const account = await newAccount()
    const other = await server({ rateLimitAddress: 49 })
    const first = await post(account.api, 'anywhere')
    const second = await post(client({ url: other.address }, account.admin.token), 'anywhere')
    expect([second.status, isRepeated(second)]).toEqual([200, true])
    expect(second.body).toEqual(first.body)
    expect(await countLeads(account)).toBe(1)
  })

  test('without a key is a new one', async () => {
    const account = await newAccount()
    const first = await account.api.post(path, [{ name: 'A lead' }])
    const second = await account.api.post(path, [{ name: 'A lead' }])
    expect(first.body._embedded.leads[0].id).not.toBe(second.body._embedded.leads[0].id)
    expect(await countKept(account)).toBe(0)
  })
})

describe('a key of another request', () => {
  test.each<[string, (api: Client, id: number) => Promise<Answer>]>([
    ['another body', (api) => post(api, 'used', [{ name: 'Another' }])],
    ['the same values in other bytes', (api) => post(api, 'used', '[ {"name":"A lead"}]')],
    ['no body', (api, id) => api.post(`${path}/${id}/restore`, undefined, under('used'))],
    ['another query', (api) => api.post(`${path}?x=1`, [{ name: 'A lead' }], under('used'))],
    ['another path', (api) => api.post('/api/v4/contacts', [{ name: 'A lead' }], under('used'))],
    ['another method', (api, id) => api.patch(path, [{ id, name: 'A lead' }], under('used'))],
  ])('with %s is refused', async (_, ask) => {
    const account = await newAccount()
    const first = await post(account.api, 'used')
    const id = first.body._embedded.leads[0].id
    if (_ === 'no body') await account.api.delete(`${path}/${id}`)
    const refused = await ask(account.api, id)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      422,
      'application/problem+json',
    ])
    expect(await countLeads(account)).toBe(1)
    // The first request keeps its answer.
    expect((await post(account.api, 'used')).body).toEqual(first.body)
  })
})

describe('a refusal', () => {
  test.each<[number, (account: TestAccount) => Promise<(body: unknown) => Promise<Answer>>]>([
    [
      400,
      async ({ api }) =>
        (body) =>
          post(api, 'again', body),
    ],
    [
      404,
      async ({ api }) => {
        const id = await addLead(api)
        await api.delete(`${path}/${id}`)
        return async (body) => {
          if (Array.isArray(body)) await api.post(`${path}/${id}/restore`)
          return api.patch(`${path}/${id}`, { name: 'New' }, under('again'))
        }
      },
    ],
  ])('with %i keeps nothing: the key takes a corrected request', async (status, prepare) => {
    const account = await newAccount()
    const ask = await prepare(account)
    expect((await ask({ price: 'dear' })).status).toBe(status)
    expect(await countKept(account)).toBe(0)
    const corrected = await ask([{ price: 5 }])
    expect([corrected.status, isRepeated(corrected)]).toEqual([200, false])
    expect(await countKept(account)).toBe(1)
  })

  test('with 403 keeps nothing, whether before the verb or in it', async () => {
    const account = await newAccount()
    const user = await account.addUser({ rights: { leads: { add: 'D' } } })
    expect((await post(user.api, 'mine')).status).toBe(403)
    expect(
      (await user.api.post('/api/v4/leads/loss_reasons', [{ name: 'x' }], under('mine'))).status,
    ).toBe(403)
    expect((await post(client(account.kontor, 'no token'), 'mine')).status).toBe(401)
    expect(await countKept(account)).toBe(0)
  })

  test('that a later item causes takes back the earlier ones, and keeps nothing', async () => {
    const account = await newAccount()
    const id = await addLead(account.api, { name: 'Old' })
    const change = (other: number) =>
      account.api.patch(
        path,
        [
          { id, name: 'New' },
          { id: other, name: 'New' },
        ],
        under('batch'),
      )
    expect((await change(999_999_999)).status).toBe(400)
    expect((await readLead(account.api, id)).name).toBe('Old')
    expect((await change(await addLead(account.api))).status).toBe(200)
  })
})

describe('a key', () => {
  test.each([
    ['a blank one', '   '],
    ['an empty one', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('cannot be %s', async (_, key) => {
    const account = await newAccount()
    expect((await post(account.api, key)).status).toBe(400)
    expect(await countLeads(account)).toBe(0)
  })

  test.each(['k'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '~', 'a b'])(
    'may be %s',
    async (key) => {
      const { api } = await newAccount()
      const first = await post(api, key)
      expect((await post(api, key)).body).toEqual(first.body)
    },
  )

  test('differs in case', async () => {
    const account = await newAccount()
    await post(account.api, 'key')
    expect(isRepeated(await post(account.api, 'KEY'))).toBe(false)
    expect(await countLeads(account)).toBe(2)
  })

  test('has no effect where nothing is written under /api/', async () => {
    const account = await newAccount()
    const id = await addLead(account.api)
    const cookieless = { name: 'A group' }
    for (let turn = 0; turn < 2; turn++) {
      expect(isRepeated(await account.api.get(path, under('same')))).toBe(false)
      const group = await account.api.post('/web/v1/groups', cookieless, under('same'))
      expect([group.status, isRepeated(group)]).toEqual([201, false])
      const gone = await account.api.send('DELETE', `${path}/${id}`, undefined, under('same'))
      expect(gone.status).toBe(turn === 0 ? 204 : 404)
    }
    expect(await countKept(account)).toBe(0)
  })
})

describe('callers with the same key do not meet', () => {
  test('of two accounts', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    await post(one.api, 'shared')
    expect(isRepeated(await post(two.api, 'shared'))).toBe(false)
    expect([await countLeads(one), await countLeads(two)]).toEqual([1, 1])
  })

  test('of two users, an integration, and a user for whom an administrator asks', async () => {
    const account = await newAccount()
    const [user, other] = [await account.addUser(), await account.addUser()]
    const installed = client(account.kontor, (await newPair(account)).access_token)
    const another = await account.addIntegration({})
    const installedToo = client(account.kontor, (await newPair(account, another)).access_token)
    const answers = [
      await post(account.api, 'shared'),
      await post(user.api, 'shared'),
      await post(installed, 'shared'),
      await post(installedToo, 'shared'),
      await post(account.api, 'shared', undefined, { 'x-context-user-id': String(other.id) }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(answers.filter(isRepeated)).toEqual([])
    expect(await countLeads(account)).toBe(5)
    // The user is the same, whoever sends the request in the name of this user.
    expect(isRepeated(await post(other.api, 'shared'))).toBe(true)
  })
})

describe('at the same time', () => {
  test('a twin is refused while the first is being answered, also by another process', async () => {
    const account = await newAccount()
    const { database } = account.kontor
    const other = await server({ rateLimitAddress: 49 })
    const id = await addLead(account.api)
    const change = (api: Client) =>
      api.patch(`${path}/${id}`, { name: 'New' }, under('twin', { 'x-turn': '1' }))
    let first: Promise<Answer> | undefined
    await database.transaction(async (tx) => {
      await tx.rows(
        sql`select id from leads where account_id = ${account.id} and id = ${id} for update`,
      )
      first = change(account.api)
      const waiting = await untilAwaited(tx)
      const twins = [account.api, client({ url: other.address }, account.admin.token)]
      const answered = Promise.all(twins.map(change))
      const oneWaits = untilAwaited(tx, waiting).then(
        () => Promise.reject(new Error('a twin waits')),
        () => answered,
      )
      for (const twin of await Promise.race([answered, oneWaits]))
        expect([twin.status, twin.headers.get('retry-after')]).toEqual([409, '1'])
    })
    expect((await first!).status).toBe(200)
    const later = await change(account.api)
    expect([later.status, isRepeated(later)]).toEqual([200, true])
  })

  test('twelve twins make one lead', async () => {
    const account = await newAccount()
    const twins = await Promise.all(Array.from({ length: 12 }, () => post(account.api, 'twelve')))
    const answered = twins.filter(({ status }) => status === 200)
    expect(twins.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(answered.filter((each) => !isRepeated(each))).toHaveLength(1)
    expect(new Set(answered.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await countLeads(account)).toBe(1)
  })

  test('different keys do not wait for each other', async () => {
    const account = await newAccount()
    const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`)
    const answers = await Promise.all(keys.map((key) => post(account.api, key)))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    expect(await countLeads(account)).toBe(12)
  })

  test('a write that met a deadlock is made once, and its answer is kept', async () => {
    // PostgreSQL looks for a deadlock once, so long after a wait began. The write has to be the one that
    // finds it, on a slow machine too.
    const url = process.env['KONTOR_TEST_DATABASE']!
    const options = `${url.includes('?') ? '&' : '?'}options=-c%20deadlock_timeout%3D4s`
    const account = await newAccount({ databaseUrl: url + options })
    const { database } = account.kontor
    const [one, two] = (await addLeads(account.api, [{}, {}])) as [number, number]
    const change = () =>
      account.api.patch(
        path,
        [one, two].map((id) => ({ id, name: 'New' })),
        under('deadlock'),
      )
    const newsSince = await listen(account)
    let first: Promise<Answer> | undefined
    const lock = (id: number) =>
      sql`select id from leads where account_id = ${account.id} and id = ${id} for update`
    await database.transaction(async (tx) => {
      await tx.rows(sql`set local deadlock_timeout = '60s'`)
      await tx.rows(lock(two))
      first = change()
      const early = first.then(({ body }) => Promise.reject(new Error(JSON.stringify(body))))
      await Promise.race([early, untilAwaited(tx)])
      early.catch(() => undefined)
      await tx.rows(lock(one))
    })
    const answered = await first!
    expect(answered.status).toBe(200)
    const later = await change()
    expect([later.body, isRepeated(later)]).toEqual([answered.body, true])
    expect((await newsSince()).journal).toHaveLength(2)
  })
})

describe('after a day', () => {
  test('a key is new', async () => {
    const account = await newAccount({ rateLimitAddress: 47 })
    const first = await post(account.api, 'old')
    account.clock.ahead = 86_390
    expect(isRepeated(await post(account.api, 'old'))).toBe(true)
    account.clock.ahead = 86_402
    const other = await post(account.api, 'old', [{ name: 'Another' }])
    expect([other.status, isRepeated(other)]).toEqual([200, false])
    expect(isRepeated(await post(account.api, 'old', [{ name: 'Another' }]))).toBe(true)
    expect(other.body).not.toEqual(first.body)
    account.clock.ahead = 0
  })

  test('answers are dropped, and younger ones are not', async () => {
    const [account, other] = [await newAccount(), await newAccount()]
    const { database, now } = account.kontor
    for (const key of ['a', 'b', 'c']) await post(account.api, key)
    await post(other.api, 'a')
    await database.transaction((tx) =>
      tx.rows(sql`update idempotency_keys set created_at = ${now() - 86_400}
        where account_id = ${account.id} and hash <> (
          select hash from idempotency_keys where account_id = ${account.id} order by hash limit 1)`),
    )
    expect(await dropStoredAnswers(database, now())).toBeGreaterThanOrEqual(2)
    expect([await countKept(account), await countKept(other)]).toEqual([1, 1])
  })
})

describe('bounds', () => {
  test('an account has only so many keys a day; stored answers stay, and another account has its own', async () => {
    const settings = { idempotencyKeys: 3 }
    const account = await newAccount(settings)
    const other = await newAccount(settings)
    for (const key of ['1', '2', '3']) expect((await post(account.api, key)).status).toBe(200)
    const refused = await post(account.api, '4')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
    expect(isRepeated(await post(account.api, '1'))).toBe(true)
    expect((await account.api.post(path, [{}])).status).toBe(200)
    expect(await countLeads(account)).toBe(4)
    expect((await post(other.api, '4')).status).toBe(200)
    account.clock.ahead = 86_402
    expect((await post(account.api, '4')).status).toBe(200)
    account.clock.ahead = 0
  })

  test('refused writes use up no keys', async () => {
    const account = await newAccount({ idempotencyKeys: 2 })
    for (let turn = 0; turn < 5; turn++)
      expect((await account.api.patch(`${path}/999999999`, {}, under(`k${turn}`))).status).toBe(404)
    expect((await post(account.api, 'good')).status).toBe(200)
    expect((await post(account.api, 'good too')).status).toBe(200)
    expect((await post(account.api, 'one too many')).status).toBe(429)
  })

  test('the answer to the largest batch is kept: 250 leads with 40 values each', async () => {
    const account = await newAccount()
    const drafts = Array.from({ length: 40 }, () => ({ type: 'text' as const }))
    const fields = await addFields(account, 'leads', drafts)
    const custom_fields_values = fields.map(({ id }) => ({
      field_id: id,
      values: [{ value: 'A value that is neither short nor long' }],
    }))
    const leads = Array.from({ length: 250 }, (_, index) => ({
      name: `Lead ${index}`,
      custom_fields_values,
    }))
    const first = await post(account.api, 'large', leads)
    const second = await post(account.api, 'large', leads)
    expect([first.status, second.status, isRepeated(second)]).toEqual([200, 200, true])
    expect(second.body).toEqual(first.body)
    expect(await countLeads(account)).toBe(250)
  })

  test('an answer of 16 MiB is kept; with one byte more nothing is written', async () => {
    const account = await newAccount()
    const { database, config } = account.kontor
    const actor = { ...serverItself(account.id, account.kontor.now()), userId: account.admin.id }
    const request = { actor, method: 'POST', url: path, headers: {} } as FastifyRequest
    const answerOnce = openIdempotencyStore(config)
    const answered = (key: string, length: number) =>
      database.transaction((tx) =>
        answerOnce(tx, request, key, async () => {
          await tx.rows(sql`insert into tags (account_id, entity_type, name)
            values (${account.id}, 'leads', ${key})`)
          return halAnswer('ü'.repeat(length / 2))
        }),
      )
    const most = 16 * 1024 * 1024
    await expect(answered('too large', most + 2)).rejects.toMatchObject({ status: 413 })
    await answered('large', most)
    const again = await answered('large', 0)
    expect([again.isRepeated, again.text.length]).toEqual([true, most / 2])
    const tags = (await account.api.get('/api/v4/leads/tags')).body._embedded.tags
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['large'])
  })
})

test('an answer is kept to the letter', async () => {
  const account = await newAccount()
  await addEveryType(account, 'contacts')
  const names = ['😀 Ünïcödé "quoted" \\ \n\t', '\u0000 is refused or kept', '\u2028</script>']
  const answers = []
  for (const [index, name] of names.entries())
    for (let turn = 0; turn < 2; turn++) {
      const headers = under(`name ${index}`)
      answers.push(await account.api.post('/api/v4/leads/tags', [{ name }], headers))
    }
  for (let index = 0; index < answers.length; index += 2)
    expect(answers[index + 1]!.body).toEqual(
      answers[index]!.status === 200 ? answers[index]!.body : expect.anything(),
    )
})
