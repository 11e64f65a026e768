import { readFileSync } from 'node:fs'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import { addLead, faultsOf, listen } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { newPair } from '../../../../test/oauth.ts'
import { lockAccount } from '../../../access/account.ts'
import { serverItself } from '../../../access/user-access.ts'
import { setAccount } from '../../people/accounts/accounts.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { customers } from '../../records/customers/customers.ts'
import { elements } from '../../records/elements/elements.ts'
import { disableIntegration } from '../integrations/integrations.ts'
import { leads } from '../../records/leads/leads.ts'
import { tasks } from '../../activity/tasks/tasks.ts'
import { newPermit } from '../../../outgoing/guarded.ts'
import { destinationFault } from './destinations.ts'
import { eventNameOf, eventNames } from './event-names.ts'

const path = '/api/v4/webhooks'
const earlier = '/api/v2/webhooks'
const settingsPath = '/web/v1/webhooks'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const hook = (name: number | string) => `https://example.com/hooks/${name}`

async function listed(api: Client, query = '') {
  return (await api.get(path + query)).body._embedded.webhooks
}

const urlsIn = async (api: Client) =>
  (await listed(api)).map(({ destination }: { destination: string }) => destination)

/** The only webhook, as the settings show it. */
async function settingsOf({ api }: TestAccount) {
  return (await api.get(settingsPath)).body._embedded.webhooks[0]
}

async function disable({ id, kontor }: TestAccount, url: string) {
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update webhooks set is_disabled = true, disabled_at = 7 where account_id = ${id} and destination = ${url}`,
    ),
  )
}

/** Puts created_at and updated_at back to 5. */
async function age({ id, kontor }: TestAccount) {
  await kontor.database.transaction((tx) =>
    tx.rows(sql`update webhooks set created_at = 5, updated_at = 5 where account_id = ${id}`),
  )
}

/** Subscribes `count` addresses by version 2. */
async function fill(api: Client, count: number, name = 'full') {
  const subscribe = Array.from({ length: count }, (_, n) => ({
    url: hook(`${name}${n}`),
    events: ['add_lead'],
  }))
  const { body } = await api.post(`${earlier}/subscribe`, { subscribe })
  expect(body._embedded.items.every(({ result }: { result: boolean }) => result)).toBe(true)
}

describe('version 4', () => {
  test('an address is subscribed, listed, found and unsubscribed', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const recorded = await listen(account)
    const { status, body: made } = await api.post(path, {
      destination: hook(1),
      settings: ['add_lead', 'status_lead', 'add_lead'],
    })
    expect([status, made]).toEqual([
      200,
      {
        id: expect.any(Number),
        destination: hook(1),
        created_at: expect.any(Number),
        updated_at: made.created_at,
        account_id: account.id,
        created_by: admin.id,
        sort: 1,
        disabled: false,
        settings: ['add_lead', 'status_lead'],
        _links: { self: { href: expect.stringContaining(`${path}?filter%5Bdestination%5D=`) } },
      },
    ])
    const second = await api.post(path, { destination: hook(2), settings: ['add_task'], sort: 9 })
    expect(second.body.sort).toBe(9)
    const third = await api.post(path, { destination: hook(3), settings: ['add_task'] })
    expect(third.body.sort).toBe(10)
    const early = await api.post(path, { destination: hook(0), settings: ['add_task'], sort: 0 })
    expect(early.body.sort).toBe(0)
    const { body } = await api.get(path)
    expect(body).toMatchObject({ _total_items: 4, _links: { self: { href: expect.any(String) } } })
    expect(await urlsIn(api)).toEqual([hook(0), hook(1), hook(2), hook(3)])
    const one = { ...made, settings: { add_lead: 1, status_lead: 1 } }
    expect(body._embedded.webhooks[1]).toEqual(one)
    expect((await api.get(made._links.self.href)).body).toMatchObject({
      _total_items: 1,
      _embedded: { webhooks: [one] },
    })
    expect(await listed(api, `?filter[destination]=${hook(1)}/`)).toEqual([])
    expect(await listed(api, '?page=2')).toEqual([])

    const ended = await api.delete(path, { destination: hook(1) })
    expect([ended.status, ended.body]).toEqual([204, undefined])
    expect(await urlsIn(api)).toEqual([hook(0), hook(2), hook(3)])
    expect((await api.delete(path, { destination: hook(1) })).status).toBe(404)
    expect((await api.delete(path, { destination: hook(2).toUpperCase() })).status).toBe(404)
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('an address that is subscribed gets the new events in place of the old ones', async () => {
    const account = await newAccount()
    const { api } = account
    const draft = { destination: hook(1), settings: ['add_lead', 'add_task'] }
    const { body: made } = await api.post(path, draft)
    await age(account)
    await disable(account, hook(1))
    const other = await account.addUser({ is_admin: true })
    const { body: changed } = await other.api.post(path, { ...draft, settings: ['add_company'] })
    expect(changed).toEqual({
      ...made,
      settings: ['add_company'],
      created_at: 5,
      updated_at: changed.updated_at,
      disabled: true,
    })
    expect(changed.updated_at).toBeGreaterThan(5)
    expect((await api.post(path, { ...draft, sort: 7 })).body.sort).toBe(7)
    expect((await api.post(path, draft)).body.sort).toBe(7)
    // Programs send back what they read.
    const [read] = await listed(api)
    await age(account)
    const again = await api.post(path, { ...read, sort: 8 })
    expect(again.body).toMatchObject({ id: made.id, settings: draft.settings, sort: 8 })
    expect((await api.post(path, { ...again.body, disabled: false })).body.disabled).toBe(true)
  })

  test('a webhook hears only of what changes after it was made', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const drawn = async () =>
      (await kontor.database.row<{ id: number }>(sql`select last_value as id from journal_id`))!.id
    const position = async () =>
      (await kontor.database.row<{ id: number }>(
        sql`select after_journal_id as id from webhooks where account_id = ${account.id}`,
      ))!.id
    await addLead(api)
    const before = await drawn()
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const made = await position()
    expect(made).toBeGreaterThanOrEqual(before)
    await addLead(api)
    expect(await drawn()).toBeGreaterThan(made)
    await api.post(path, { destination: hook(1), settings: ['add_task'] })
    expect(await position()).toBe(made)
  })

  test('the list is empty as the caller wants it, and refuses unknown filters', async () => {
    const { api } = await newAccount()
    expect((await api.get(path)).body).toMatchObject({ _total_items: 0 })
    expect((await api.get(`${path}?filter[url]=x`)).status).toBe(400)
    expect((await api.get(`${path}?filter[destination][]=x`)).status).toBe(400)
    const used = await newAccount({ emptyList: 204 })
    expect((await used.api.get(path)).status).toBe(204)
    expect((await used.api.get(earlier)).status).toBe(204)
    expect((await used.api.get(settingsPath)).status).toBe(204)
  })

  test('what is wrong is said, and nothing is written', async () => {
    const { api } = await newAccount()
    const settings = ['add_lead']
    const refusals: [body: unknown, faults: string[]][] = [
      [{}, ['FieldMissing destination', 'FieldMissing settings']],
      [{ destination: '', settings: [] }, ['NotBlank destination', 'TooFew settings']],
      [{ destination: null, settings: null }, ['NotNullable destination', 'NotNullable settings']],
      [
        { destination: 5, settings: 'add_lead' },
        ['InvalidType destination', 'InvalidType settings'],
      ],
      [{ destination: hook(1), settings: {} }, ['TooFew settings']],
      [
        { destination: hook(1), settings: ['add_lead', 'add_leed'] },
        ['NotSupportedChoice settings.1'],
      ],
      [
        { destination: hook(1), settings: { add_leed: 1 } },
        ['NotSupportedChoice settings.add_leed'],
      ],
      [
        { destination: hook(1), settings: { add_lead: 0 } },
        ['NotSupportedChoice settings.add_lead'],
      ],
      [{ destination: hook(1), settings: ['constructor'] }, ['NotSupportedChoice settings.0']],
      [{ destination: hook(1), settings: ['x'.repeat(300)] }, ['TooLong settings.0']],
      [
        { destination: hook(1), settings: [5, null] },
        ['InvalidType settings.0', 'NotNullable settings.1'],
      ],
      [
        { destination: 'ftp://x.example/', settings: [''] },
        ['InvalidUrl destination', 'NotSupportedChoice settings.0'],
      ],
      [{ destination: hook('x'.repeat(2000)), settings }, ['TooLong destination']],
      [{ destination: hook(1), settings, sort: -1 }, ['TooLow sort']],
      [{ destination: hook(1), settings, sort: 2_147_483_648 }, ['TooHigh sort']],
      [{ destination: hook(1), settings, format: 'json' }, ['FieldNotExpected format']],
    ]
    for (const [body, faults] of refusals) {
      const refused = await api.post(path, body)
      expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: faults }])
    }
    for (const body of [[], [{ destination: hook(1), settings }], 'x', '{"destination"'])
      expect((await api.post(path, body)).status).toBe(400)
    for (const body of [undefined, {}, { destination: null }, { destination: hook(1), id: 1 }, []])
      expect((await api.delete(path, body)).status).toBe(400)
    expect(await listed(api)).toEqual([])
    const longest = hook('x'.repeat(2000 - hook('').length))
    expect((await api.post(path, { destination: longest, settings: eventNames })).status).toBe(200)
    expect(Object.keys((await listed(api))[0].settings)).toEqual(eventNames)
  })

  test('a repeated key gets the first answer', async () => {
    const { api } = await newAccount()
    const ask = () =>
      api.post(path, { destination: hook(1), settings: ['add_lead'] }, { 'idempotency-key': 'a' })
    const first = await ask()
    await api.delete(path, { destination: hook(1) })
    expect((await ask()).body).toEqual(first.body)
    expect(await listed(api)).toEqual([])
  })
})

describe('version 2', () => {
  const post = (api: Client, verb: 'subscribe' | 'unsubscribe', ...items: object[]) =>
    api.post(`${earlier}/${verb}`, { [verb]: items })

  const eventsIn = async (api: Client) =>
    Object.fromEntries(
      (await api.get(earlier)).body._embedded.items.map(
        ({ url, events }: { url: string; events: string[] }) => [url, events],
      ),
    )

  test('events are added to addresses and taken from them', async () => {
    const account = await newAccount()
    const { api } = account
    const recorded = await listen(account)
    const made = await post(
      api,
      'subscribe',
      { url: hook(1), events: ['add_lead'] },
      { url: hook(2), events: ['add_task'] },
      { url: hook(1), events: ['add_lead', 'update_lead'] },
    )
    const items = [1, 2, 1].map((n) => ({ url: hook(n), result: true }))
    const self = { href: expect.stringMatching(/\/api\/v2\/webhooks\/subscribe$/), method: 'post' }
    expect([made.status, made.body]).toEqual([200, { _links: { self }, _embedded: { items } }])
    await age(account)
    await disable(account, hook(1))
    await post(
      api,
      'subscribe',
      { url: hook(1), events: ['note_lead', 'add_lead'] },
      { url: hook(2), events: ['add_task'] },
    )
    const { body } = await api.get(earlier)
    expect(body).toEqual({
      _links: { self: { href: expect.stringMatching(/\/api\/v2\/webhooks$/), method: 'get' } },
      _embedded: {
        items: [
          {
            id: expect.any(Number),
            url: hook(1),
            disabled: true,
            events: ['add_lead', 'update_lead', 'note_lead'],
          },
          { id: expect.any(Number), url: hook(2), disabled: false, events: ['add_task'] },
        ],
      },
    })
    // Both versions show the same webhooks, and nothing new is no change.
    const [first, second] = await listed(api)
    expect(first).toMatchObject({ sort: 1, disabled: true, settings: { note_lead: 1 } })
    expect([first.updated_at > 5, second.updated_at, second.sort]).toEqual([true, 5, 2])

    const taken = await post(
      api,
      'unsubscribe',
      { url: hook(1), events: ['add_lead', 'add_company'] },
      { events: ['add_task', 'note_lead'] },
    )
    expect(taken.body._embedded.items).toEqual([
      { url: hook(1), result: true },
      { url: null, result: true },
    ])
    expect(await eventsIn(api)).toEqual({ [hook(1)]: ['update_lead'] })
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('an item that cannot be done has the result false, and the others are done', async () => {
    const { api } = await newAccount()
    const made = await post(
      api,
      'subscribe',
      { url: hook(1), events: ['add_leed', 'add_lead'] },
      { url: 'somewhere', events: ['add_lead'] },
      { url: hook(2), events: ['add_lead'] },
    )
    const resultsOf = ({ body }: typeof made) =>
      body._embedded.items.map(({ result, error }: { result: boolean; error?: string }) => [
        result,
        typeof error,
      ])
    const [done, failed] = [
      [true, 'undefined'],
      [false, 'string'],
    ]
    expect(resultsOf(made)).toEqual([failed, failed, done])
    const taken = await post(
      api,
      'unsubscribe',
      { url: hook(1), events: ['add_lead'] },
      { events: ['add_leed'] },
      { url: hook(2), events: ['add_task'] },
      { events: ['add_lead'] },
      { events: ['add_lead'] },
    )
    expect(resultsOf(taken)).toEqual([failed, failed, done, done, failed])
    expect(await eventsIn(api)).toEqual({})
  })

  test('forms are read like JSON', async () => {
    const { api } = await newAccount()
    const url = encodeURIComponent(hook('a?b=1&c=%D0%BF'))
    const made = await api.send(
      'POST',
      `${earlier}/subscribe`,
      `subscribe[0][url]=${url}&subscribe[0][events][]=add_lead&subscribe[0][events][]=add_task&subscribe[1][url]=${encodeURIComponent(hook(2))}&subscribe%5B1%5D%5Bevents%5D%5B0%5D=add_task`,
      form,
    )
    expect(made.status).toBe(200)
    expect(await eventsIn(api)).toEqual({
      [hook('a?b=1&c=%D0%BF')]: ['add_lead', 'add_task'],
      [hook(2)]: ['add_task'],
    })
    await api.send('POST', `${earlier}/unsubscribe`, 'unsubscribe[0][events][0]=add_task', form)
    expect(await eventsIn(api)).toEqual({ [hook('a?b=1&c=%D0%BF')]: ['add_lead'] })
    // Indices with gaps only give an order.
    const gaps = [3, 10, 2].map((index) => `subscribe[${index}][url]=${hook(`gap${index}`)}`)
    const added = await api.send(
      'POST',
      `${earlier}/subscribe`,
      [...gaps, ...gaps.map((each) => each.replace(/url.*/, 'events][4]=add_task'))].join('&'),
      form,
    )
    expect(added.body._embedded.items.map(({ url }: { url: string }) => url)).toEqual(
      [2, 3, 10].map((index) => hook(`gap${index}`)),
    )
    expect(await eventsIn(api)).toHaveProperty([hook('gap10')], ['add_task'])
    // curl sends JSON with the media type of forms unless told otherwise.
    const events = ['add_lead']
    const json = JSON.stringify({ subscribe: [{ url: hook(3), events }] })
    expect((await api.send('POST', `${earlier}/subscribe`, json, form)).status).toBe(200)
    expect(await eventsIn(api)).toHaveProperty([hook(3)])
    for (const body of ['', 'subscribe=x', 'subscribe[0][url]=x', 'subscribe[0][events', '%'])
      expect((await api.send('POST', `${earlier}/subscribe`, body, form)).status).toBe(400)
  })

  test('a body of another shape is refused as a whole', async () => {
    const { api } = await newAccount()
    const item = { url: hook(1), events: ['add_lead'] }
    const refusals: [body: unknown, faults: string[]][] = [
      [{}, ['FieldMissing subscribe']],
      [{ subscribe: [] }, ['TooFew subscribe']],
      [{ subscribe: item }, ['InvalidType subscribe']],
      [{ subscribe: Array.from({ length: 251 }, () => item) }, ['TooMany subscribe']],
      [{ subscribe: [item, { events: ['add_lead'] }] }, ['FieldMissing subscribe.1.url']],
      [{ subscribe: [{ ...item, events: [] }] }, ['TooFew subscribe.0.events']],
      [{ subscribe: [{ ...item, url: hook('x'.repeat(2000)) }] }, ['TooLong subscribe.0.url']],
      [{ subscribe: [{ ...item, sort: 1 }] }, ['FieldNotExpected subscribe.0.sort']],
    ]
    for (const [body, faults] of refusals) {
      const refused = await api.post(`${earlier}/subscribe`, body)
      expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: faults }])
    }
    const none = await api.post(`${earlier}/unsubscribe`, { unsubscribe: [{ url: hook(1) }] })
    expect(faultsOf(none)).toEqual({ 0: ['FieldMissing unsubscribe.0.events'] })
    expect(await eventsIn(api)).toEqual({})
  })
})

describe('limits', () => {
  test('an account has 100 active webhooks over both versions, and disabled ones do not count', async () => {
    const account = await newAccount()
    const { api } = account
    const other = await newAccount()
    await fill(api, 99)
    const add = (n: number) => api.post(path, { destination: hook(n), settings: ['add_lead'] })
    expect((await add(1)).status).toBe(200)
    expect((await add(2)).status).toBe(422)
    const { body } = await api.post(`${earlier}/subscribe`, {
      subscribe: [
        { url: hook(2), events: ['add_task'] },
        { url: hook(1), events: ['add_task'] },
      ],
    })
    expect(body._embedded.items).toEqual([
      { url: hook(2), result: false, error: expect.any(String) },
      { url: hook(1), result: true },
    ])
    expect((await add(1)).status).toBe(200)
    expect(
      (await other.api.post(path, { destination: hook(2), settings: ['add_lead'] })).status,
    ).toBe(200)

    await disable(account, hook(1))
    expect((await add(2)).status).toBe(200)
    const disabled = (await listed(api, `?filter[destination]=${hook(1)}`))[0]
    const enable = () => api.patch(`${settingsPath}/${disabled.id}`, { disabled: false })
    expect((await enable()).status).toBe(422)
    expect((await listed(api, `?filter[destination]=${hook(1)}`))[0].disabled).toBe(true)
    await api.delete(path, { destination: hook(2) })
    expect((await enable()).body).toMatchObject({ disabled: false, disabled_at: null })
    expect((await add(2)).status).toBe(422)
    expect((await api.get(earlier)).body._embedded.items).toHaveLength(100)
  })

  test('the last place is taken once, also when several want it at once', async () => {
    const account = await newAccount()
    const { api } = account
    await fill(api, 98)
    await api.post(path, { destination: hook('off'), settings: ['add_lead'] })
    await disable(account, hook('off'))
    const { id } = (await listed(api, `?filter[destination]=${hook('off')}`))[0]
    const answers = await Promise.all([
      ...[1, 2, 3].map((n) => api.post(path, { destination: hook(n), settings: ['add_lead'] })),
      api.patch(`${settingsPath}/${id}`, { disabled: false }),
      api.post(`${earlier}/subscribe`, {
        subscribe: [4, 5].map((n) => ({ url: hook(n), events: ['add_lead'] })),
      }),
    ])
    const active = (await listed(api)).filter(({ disabled }: { disabled: boolean }) => !disabled)
    expect(active).toHaveLength(100)
    const results = answers.flatMap(({ status, body }) =>
      body?._embedded?.items
        ? body._embedded.items.map(({ result }: { result: boolean }) => result)
        : [status === 200],
    )
    expect(results.filter(Boolean)).toHaveLength(2)
  })

  test('one address subscribed twice at once is one webhook', async () => {
    const { api } = await newAccount()
    const names = ['add_lead', 'add_task', 'add_company']
    const answers = await Promise.all(
      names.map((name) => api.post(path, { destination: hook(1), settings: [name] })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await listed(api)).toHaveLength(1)
  })

  test('an account has 1,000 webhooks at most, with disabled ones', async () => {
    const account = await newAccount()
    const { id, api, kontor } = account
    await fill(api, 1)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`
        insert into webhooks (account_id, destination, settings, sort, is_disabled, disabled_at, after_journal_id, created_by, created_at, updated_at)
        select ${id}, ${hook('')} || n, '{add_lead}', 2147483647, true, 7, 0, 1, 5, 5 from generate_series(1, 998) n`),
    )
    const add = (name: string) =>
      api.post(path, { destination: hook(name), settings: ['add_lead'] })
    // The last `sort` has no successor.
    expect((await add('a')).body.sort).toBe(2_147_483_647)
    expect((await add('b')).status).toBe(422)
    expect(await listed(api)).toHaveLength(1000)
  })
})

describe('settings', () => {
  test('people see the state of webhooks, and change the form of deliveries', async () => {
    const account = await newAccount()
    const { api } = account
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const { _links, ...made } = await settingsOf(account)
    expect(made).toMatchObject({
      destination: hook(1),
      settings: ['add_lead'],
      sort: 1,
      disabled: false,
      disabled_at: null,
      format: 'form',
      deletion_form: 'id',
      client_id: null,
    })
    expect((await api.get(_links.self.href)).body).toEqual({ ...made, _links })
    await age(account)
    const same = { sort: 1, format: 'form', deletion_form: 'id', disabled: false }
    expect((await api.patch(_links.self.href, same)).body.updated_at).toBe(5)
    const recorded = await listen(account)
    const change = { sort: 4, format: 'json', deletion_form: 'list' }
    const { body: changed } = await api.patch(_links.self.href, change)
    expect(changed).toMatchObject({ ...change, settings: ['add_lead'], created_at: 5 })
    expect(changed.updated_at).toBeGreaterThan(5)
    // A new subscription keeps the form.
    await api.post(path, { destination: hook(1), settings: ['add_task'] })
    expect(await settingsOf(account)).toMatchObject({ ...change, settings: ['add_task'] })

    await disable(account, hook(1))
    expect(await settingsOf(account)).toMatchObject({ disabled: true, disabled_at: 7 })
    const enabled = await api.patch(_links.self.href, { disabled: false, sort: 6 })
    expect(enabled.body).toMatchObject({ disabled: false, disabled_at: null, sort: 6 })
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('an administrator switches a webhook off by hand, and it is told from one that failed', async () => {
    const account = await newAccount()
    const recorded = await listen(account)
    const { api } = account
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const { href } = (await settingsOf(account))._links.self
    expect((await api.patch(href, { disabled: true })).body).toMatchObject({
      disabled: true,
      disabled_at: expect.closeTo(account.kontor.now(), -1),
      disabled_by: account.admin.id,
    })
    await disable(account, hook(1))
    const again = await api.patch(href, { disabled: true, sort: 9 })
    expect(again.body).toMatchObject({ disabled_at: 7, disabled_by: account.admin.id, sort: 9 })
    expect((await api.patch(href, { disabled: false })).body).toMatchObject({
      disabled: false,
      disabled_at: null,
      disabled_by: null,
    })
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('what is wrong is said', async () => {
    const account = await newAccount()
    const { api } = account
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const { href } = (await settingsOf(account))._links.self
    const refused = await api.patch(href, {
      sort: -1,
      format: 'xml',
      deletion_form: 'all',
      disabled: 'yes',
      settings: ['add_task'],
    })
    expect(faultsOf(refused)).toEqual({
      0: [
        'FieldNotExpected settings',
        'TooLow sort',
        'NotSupportedChoice format',
        'NotSupportedChoice deletion_form',
        'InvalidType disabled',
      ],
    })
    for (const id of ['999999999', '0', 'x', '9007199254740993'])
      for (const ask of [api.get(`${settingsPath}/${id}`), api.patch(`${settingsPath}/${id}`, {})])
        expect((await ask).status).toBe(404)
    expect((await api.patch(`${settingsPath}/999999999`, { disabled: false })).status).toBe(404)
  })
})

describe('callers', () => {
  test('administrators only, and nobody sees or changes the webhooks of another account', async () => {
    const account = await newAccount()
    const { api } = account
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const { href, id } = {
      ...(await settingsOf(account))._links.self,
      ...(await settingsOf(account)),
    }
    const before = await settingsOf(account)
    const limited = await account.addUser()
    const stranger = await newAccount()
    const own = new URL(href).pathname
    const ask = async (who: Client) =>
      Promise.all([
        who.get(path),
        who.post(path, { destination: hook(1), settings: ['add_task'] }),
        who.delete(path, { destination: hook('none') }),
        who.get(earlier),
        who.post(`${earlier}/subscribe`, { subscribe: [{ url: hook(1), events: ['add_task'] }] }),
        who.post(`${earlier}/unsubscribe`, { unsubscribe: [{ events: ['add_lead'] }] }),
        who.get(settingsPath),
        who.get(own),
        who.patch(own, { format: 'json' }),
      ])
    const refusals = await ask(limited.api)
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403))
    const answers = await ask(stranger.api)
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 404, 200, 200, 200, 200, 404, 404,
    ])
    expect((await stranger.api.delete(path, { destination: hook(1) })).status).toBe(204)
    expect(await settingsOf(account)).toEqual(before)
    expect((await stranger.api.get(`${settingsPath}/${id}`)).status).toBe(404)
  })

  test('an unpaid account reads, and does not write', async () => {
    const account = await newAccount()
    const { subdomain, api, kontor } = account
    await api.post(path, { destination: hook(1), settings: ['add_lead'] })
    const { _links } = await settingsOf(account)
    await kontor.database.transaction((tx) =>
      setAccount(tx, kontor.now(), subdomain, { isUnpaid: true }),
    )
    await expect.poll(async () => (await api.get('/api/v4/events')).status).toBe(402)
    const reads = [api.get(path), api.get(earlier), api.get(settingsPath)]
    for (const read of reads) expect((await read).status).toBe(200)
    const writes = [
      api.post(path, { destination: hook(2), settings: ['add_lead'] }),
      api.delete(path, { destination: hook(1) }),
      api.post(`${earlier}/subscribe`, { subscribe: [{ url: hook(2), events: ['add_lead'] }] }),
      api.post(`${earlier}/unsubscribe`, { unsubscribe: [{ events: ['add_lead'] }] }),
      api.patch(_links.self.href, { format: 'json' }),
    ]
    for (const write of writes) expect((await write).status).toBe(402)
  })

  test('the webhooks of an integration end with it, those of users and of others stay', async () => {
    const account = await newAccount()
    const { kontor, admin, id } = account
    const program = client(kontor, (await newPair(account)).access_token)
    const another = await account.addIntegration({})
    const other = client(kontor, (await newPair(account, another)).access_token)
    const add = (api: Client, n: number) =>
      api.post(path, { destination: hook(n), settings: ['add_lead'] })
    await add(account.api, 1)
    await add(program, 2)
    await add(other, 3)
    // The last one to subscribe an address has it, by either version.
    await add(program, 4)
    await add(account.api, 4)
    await add(account.api, 5)
    const items = { subscribe: [{ url: hook(5), events: ['add_lead'] }] }
    await program.post(`${earlier}/subscribe`, items)
    // Taking an event from it does not.
    await other.post(`${earlier}/subscribe`, {
      subscribe: [{ url: hook(6), events: ['add_lead', 'add_task'] }],
    })
    await program.post(`${earlier}/unsubscribe`, {
      unsubscribe: [{ url: hook(6), events: ['add_task'] }],
    })
    expect((await program.get(settingsPath)).status).toBe(403)
    expect((await account.api.get(settingsPath)).body._embedded.webhooks[1].client_id).toBe(
      account.integration.client_id,
    )
    const { client_id } = account.integration
    await kontor.database.transaction((tx) =>
      disableIntegration(
        tx,
        kontor.secrets,
        { accountId: id, userId: admin.id, at: kontor.now() },
        client_id,
      ),
    )
    expect(await urlsIn(account.api)).toEqual([1, 3, 4, 6].map(hook))
  })

  test('an integration that is disabled while it subscribes leaves no webhook behind', async () => {
    const account = await newAccount()
    const { kontor, admin, id, integration } = account
    const program = client(kontor, (await newPair(account)).access_token)
    const owner = { accountId: id, userId: admin.id, at: kontor.now() }
    let answering: Promise<{ status: number }> | undefined
    await kontor.database.transaction(async (tx) => {
      await tx.rows(lockAccount(serverItself(id, kontor.now())))
      answering = program.post(path, { destination: hook(1), settings: ['add_lead'] })
      await untilAwaited(tx)
      await disableIntegration(tx, kontor.secrets, owner, integration.client_id)
    })
    expect((await answering!).status).toBe(403)
    expect(await urlsIn(account.api)).toEqual([])
  })
})

describe('addresses', () => {
  const good = [
    'http://example.com',
    'HTTPS://Example.COM:8443/a;b/c?d=e&f=%D0%BF,g#'.slice(0, -1),
    'https://xn--e1afmkfd.example/',
    "https://my_app.internal/-_.!~*'():@&=+$,",
    'http://93.184.216.34/hook',
    'http://[2606:2800:220:1:248:1893:25c8:1946]:8080/',
  ]
  test.each(good)('%s is one', (address) => {
    expect(destinationFault(address, newPermit('none'))).toBeUndefined()
  })

  const bad = [
    'example.com/hook',
    '//example.com',
    'ftp://example.com/',
    'javascript:alert(1)',
    'https://',
    'https:///hook',
    'https://:80/',
    'https://example.com:99999/',
    'https://example.com:x/',
    'https://example..com:80:80/',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://@example.com/',
    'https://пример.example/',
    'https://%D0%BF.example/',
    'https://example.com/путь',
    'https://example.com/?q=путь',
    'https://example.com/a b',
    'https://example.com/a\nb',
    'https://example.com/a\\b',
    'https://example.com/a[0]',
    'https://example.com/a%2',
    'https://example.com/a%zz',
    'https://example.com/a|b',
    'https://example.com/a"b',
    'https://example.com/#a',
    ' https://example.com/',
    'https://exa mple.com/',
    'https://exa\u212ample.com/',
    'https://example.com/\u212a',
    'https://example.com/\u017f',
    'https://[::1/',
    'https://[12345::]/',
  ]
  test.each(bad)('%j is none', (address) => {
    expect(destinationFault(address, newPermit('all'))).toEqual(expect.any(String))
    expect(destinationFault(address, newPermit('all'))).not.toContain(address)
  })

  const loopback = [
    'http://127.0.0.1/',
    'http://127.1:8080/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://[::1]/',
  ]
  const inside = [
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest',
    'http://100.64.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::a00:1]/',
  ]
  test.each(loopback)('%s is loopback', (address) => {
    expect(destinationFault(address, newPermit('none'))).toEqual(expect.any(String))
    expect(destinationFault(address, newPermit('loopback'))).toBeUndefined()
  })
  test.each(inside)('%s is private', (address) => {
    expect(destinationFault(address, newPermit('none'))).toEqual(expect.any(String))
    expect(destinationFault(address, newPermit('loopback'))).toEqual(expect.any(String))
    expect(destinationFault(address, newPermit('all'))).toBeUndefined()
  })

  test('a server that allows no private addresses refuses them in both versions', async () => {
    const { api } = await newAccount({ privateHooks: 'none' })
    const url = 'http://127.0.0.1:1/hook'
    const refused = await api.post(path, { destination: url, settings: ['add_lead'] })
    expect(faultsOf(refused)).toEqual({ 0: ['InvalidUrl destination'] })
    const { body } = await api.post(`${earlier}/subscribe`, {
      subscribe: [{ url, events: ['add_lead'] }],
    })
    expect(body._embedded.items).toMatchObject([{ url, result: false }])
    const { api: there } = await newAccount({ privateHooks: 'loopback' })
    expect((await there.post(path, { destination: url, settings: ['add_lead'] })).status).toBe(200)
  })
})

test('every change that webhooks are told of has the name of an event, and every name its change', () => {
  const covered = [leads, contacts, companies, customers, elements, tasks].flatMap(
    ({ type, news }) => news.webhook.map((action) => eventNameOf(type, action)),
  )
  const notYet = /unsorted|message|talk|template|delete_catalog/
  expect(new Set(covered)).toEqual(new Set(eventNames.filter((name) => !notYet.test(name))))
  expect(eventNameOf('leads', 'update_note')).toBeUndefined()
})

test('the guide names every event', () => {
  const guide = readFileSync(
    new URL('../../../../docs/guides/webhooks.md', import.meta.url),
    'utf8',
  )
  expect(eventNames.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
