// Leads one by one and in batches: creation, changes, refusals and rights.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import {
  addGroup,
  addLead,
  addLeads,
  addPipeline,
  addSeller,
  faultsOf,
  listen,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { setUser } from '../../people/users/users.ts'
import type { RightLevel } from '../../../access/rights.ts'

const path = '/api/v4/leads'

const tagsOf = (lead: { _embedded: { tags: { name: string }[] } }) =>
  lead._embedded.tags.map(({ name }) => name)

describe('creating', () => {
  test('a lead without anything gets its defaults, and every field of the interface is there', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const before = account.kontor.now()
    const id = await addLead(api)
    const pipeline = await mainPipeline(account)
    const { created_at, ...lead } = await readLead(api, id)
    expect(created_at).toBeGreaterThanOrEqual(before)
    expect(created_at).toBeLessThanOrEqual(account.kontor.now())
    expect(lead).toEqual({
      id,
      name: `Lead #${id}`,
      price: 0,
      responsible_user_id: admin.id,
      group_id: 0,
      status_id: pipeline.statuses[0],
      pipeline_id: pipeline.id,
      loss_reason_id: null,
      source_id: null,
      created_by: admin.id,
      updated_by: admin.id,
      updated_at: created_at,
      closed_at: null,
      closest_task_at: null,
      is_deleted: false,
      custom_fields_values: null,
      score: null,
      account_id: account.id,
      labor_cost: null,
      _links: { self: { href: `${account.kontor.url}/api/v4/leads/${id}` } },
      _embedded: { tags: [], companies: [] },
    })
  })

  test("a visitor's id is accepted, and not kept", async () => {
    const { api } = await newAccount()
    const id = await addLead(api, { visitor_uid: '5692210d-58d0-468c-acb2-dce7f93eef87' })
    const read = await readLead(api, id)
    expect(read).not.toHaveProperty('visitor_uid')
    for (const visitor_uid of [null, 'x'.repeat(255)])
      expect((await api.patch(`${path}/${id}`, { visitor_uid })).body.updated_at).toBe(
        read.updated_at,
      )
    expect((await api.patch(path, [{ id, visitor_uid: 'x' }])).status).toBe(200)
    expect(await readLead(api, id)).toEqual(read)
    expect(faultsOf(await api.post(path, { visitor_uid: 'x'.repeat(256) }))).toEqual({
      0: ['TooLong visitor_uid'],
    })
  })

  test('numbers may come as text, and the fraction of a price is cut off', async () => {
    const { api, admin } = await newAccount()
    const ids = await addLeads(api, [
      { price: 99.99 },
      { price: '250' },
      { price: '99.99', responsible_user_id: String(admin.id) },
      { price: -1.5 },
      { price: Number.MAX_SAFE_INTEGER },
    ])
    const leads = await Promise.all(ids.map((id) => readLead(api, id)))
    expect(leads.map(({ price }) => price)).toEqual([99, 250, 99, -1, Number.MAX_SAFE_INTEGER])
  })

  test('keys that are only read are ignored', async () => {
    const { api, id: account_id } = await newAccount()
    const id = await addLead(api, {
      id: 7,
      group_id: 5,
      source_id: 'x',
      closest_task_at: 1,
      is_deleted: false,
      score: 4,
      account_id: 1,
      labor_cost: 9,
      _links: {},
    })
    const lead = await readLead(api, id)
    expect(id).not.toBe(7)
    expect(lead).toMatchObject({
      account_id,
      group_id: 0,
      source_id: null,
      closest_task_at: null,
      is_deleted: false,
      score: null,
    })
  })

  test('a status alone says the pipeline, a pipeline alone its first ordinary status', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const drafts = [
      { status_id: other.statuses[1] },
      { pipeline_id: other.id },
      { pipeline_id: other.id, status_id: other.statuses[2] },
      { status_id: won },
      { status_id: lost, pipeline_id: other.id },
      { status_id: main.statuses[1], pipeline_id: main.id },
    ]
    const ids = await addLeads(account.api, drafts)
    const leads = await Promise.all(ids.map((id) => readLead(account.api, id)))
    expect(leads.map(({ pipeline_id, status_id }) => [pipeline_id, status_id])).toEqual([
      [other.id, other.statuses[1]],
      [other.id, other.statuses[0]],
      [other.id, other.statuses[2]],
      [main.id, won],
      [other.id, lost],
      [main.id, main.statuses[1]],
    ])
  })

  test('a lead that is created won or lost is closed now, or when it says; an open one is not closed', async () => {
    const account = await newAccount()
    const ids = await addLeads(account.api, [
      { status_id: won },
      { status_id: lost, closed_at: 1_500_000_000 },
      { closed_at: 1_500_000_000 },
    ])
    const [now, then, open] = await Promise.all(ids.map((id) => readLead(account.api, id)))
    expect(now.closed_at).toBe(now.created_at)
    expect(then.closed_at).toBe(1_500_000_000)
    expect(open.closed_at).toBeNull()
  })

  test('a status that is unknown, of another pipeline, of another account or unsorted is refused, as is an unknown pipeline', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const strangers = await addPipeline(await newAccount())
    const refused = await account.api.post(path, [
      { status_id: 999_999_999 },
      { status_id: other.statuses[0], pipeline_id: main.id },
      { status_id: main.unsorted },
      { pipeline_id: 999_999_999 },
      { pipeline_id: strangers.id },
      { status_id: strangers.statuses[0] },
      { pipeline_id: 999_999_999, status_id: won },
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      0: ['NotSupportedChoice status_id'],
      1: ['NotSupportedChoice status_id'],
      2: ['NotSupportedChoice status_id'],
      3: ['NotSupportedChoice pipeline_id'],
      4: ['NotSupportedChoice pipeline_id'],
      5: ['NotSupportedChoice status_id'],
      6: ['NotSupportedChoice pipeline_id'],
    })
  })

  test('a lead is in group 0 when its responsible user has no group, also when a member of a group creates it', async () => {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const member = await account.addUser({ group_id })
    const own = await readLead(account.api, await addLead(member.api))
    const admins = await readLead(
      account.api,
      await addLead(member.api, { responsible_user_id: account.admin.id }),
    )
    expect([own.group_id, admins.group_id]).toEqual([group_id, 0])
    expect([own.created_by, admins.created_by]).toEqual([member.id, member.id])
  })
})

describe('reading one', () => {
  test('a lead is read by its id, and its own link leads to it', async () => {
    const { api } = await newAccount()
    const id = await addLead(api, { name: 'One' })
    const { status, body } = await api.get(`${path}/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, name: 'One' })
    expect((await api.get(body._links.self.href)).body).toEqual(body)
  })

  test('a lead that the caller may not view is forbidden', async () => {
    const account = await newAccount()
    const seller = await addSeller(account, { view: 'M' })
    const id = await addLead(account.api)
    expect((await seller.api.get(`${path}/${id}`)).status).toBe(403)
  })

  test('a whole server may have the habit', async () => {
    const { api } = await newAccount({ emptyList: 204 })
    expect((await api.get(path)).status).toBe(204)
    expect((await api.get(`${path}/999999999`)).status).toBe(204)
  })
})

describe('changing', () => {
  /** An hour passes. */
  const wait = (clock: { ahead: number }) => (clock.ahead += 3600)

  test('only what is sent changes; the change has its time and its author', async () => {
    const account = await newAccount()
    const id = await addLead(account.api, {
      name: 'One',
      price: 5,
      _embedded: { tags: [{ name: 'a' }] },
    })
    const before = await readLead(account.api, id)
    const other = await account.addUser()
    wait(account.clock)
    const { status, body } = await other.api.patch(`${path}/${id}`, { price: '7.9' })
    const after = await readLead(account.api, id)
    expect(status).toBe(200)
    expect(after).toEqual({
      ...before,
      price: 7,
      updated_by: other.id,
      updated_at: body.updated_at,
    })
    expect(after.updated_at).toBeGreaterThan(before.updated_at)
  })

  test('what was read can be sent back, alone and in a batch, and nothing has happened', async () => {
    const account = await newAccount()
    const { api } = account
    const group_id = await addGroup(account)
    const { id: responsible_user_id } = await account.addUser({ group_id })
    const ids = await addLeads(api, [
      {},
      {
        status_id: 142,
        closed_at: 1_600_000_000,
        price: 5,
        _embedded: { tags: [{ name: 'a' }, { name: 'b' }] },
      },
      { responsible_user_id, created_by: 0, updated_by: 0, created_at: 1, updated_at: 2 },
    ])
    const before = await Promise.all(ids.map((id) => readLead(api, id)))
    const newsSince = await listen(account)
    wait(account.clock)
    for (const lead of before) {
      const { status, body } = await api.patch(`${path}/${lead.id}`, lead)
      expect([status, body.updated_at]).toEqual([200, lead.updated_at])
    }
    expect((await api.patch(path, before)).status).toBe(200)
    expect(
      (await api.patch(path, [{ id: ids[1], _embedded: { tags: [{ name: 'B' }, { name: 'a' }] } }]))
        .status,
    ).toBe(200)
    expect(await Promise.all(ids.map((id) => readLead(api, id)))).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('what was read can be sent back with one change, which then has its time', async () => {
    const account = await newAccount()
    const { api } = account
    const before = await readLead(api, await addLead(api, { updated_at: 5, updated_by: 0 }))
    const { body } = await api.patch(`${path}/${before.id}`, { ...before, price: 9 })
    expect(body.updated_at).toBeGreaterThan(5)
    expect(await readLead(api, before.id)).toEqual({
      ...before,
      price: 9,
      updated_at: body.updated_at,
      updated_by: account.admin.id,
    })
  })

  test('null clears what may be empty and counts as not sent elsewhere', async () => {
    const { api } = await newAccount()
    const id = await addLead(api, {
      name: 'One',
      price: 5,
      status_id: 142,
      _embedded: { tags: [{ name: 'a' }] },
    })
    const before = await readLead(api, id)
    const unchanged = await api.patch(`${path}/${id}`, {
      name: null,
      price: null,
      responsible_user_id: null,
      status_id: null,
      pipeline_id: null,
      created_at: null,
      updated_at: null,
      created_by: null,
      updated_by: null,
      tags_to_add: null,
    })
    expect(unchanged.status).toBe(200)
    expect(await readLead(api, id)).toEqual(before)
    const taken = await api.patch(`${path}/${id}`, {
      loss_reason_id: null,
      closed_at: null,
      custom_fields_values: null,
      _embedded: { tags: null },
    })
    expect(taken.status).toBe(200)
    const after = await readLead(api, id)
    expect(after).toEqual({
      ...before,
      updated_at: after.updated_at,
      _embedded: { tags: [], companies: [] },
    })
  })

  test('an emptied name becomes the name of a nameless lead', async () => {
    const { api } = await newAccount()
    const id = await addLead(api, { name: 'One' })
    await api.patch(`${path}/${id}`, { name: ' ' })
    expect((await readLead(api, id)).name).toBe(`Lead #${id}`)
  })

  test('the id of the path wins over one in the body', async () => {
    const { api } = await newAccount()
    const [a, b] = await addLeads(api, [{ name: 'A' }, { name: 'B' }])
    expect((await api.patch(`${path}/${a}`, { id: b, name: 'New' })).body.id).toBe(a)
    expect((await api.patch(`${path}/${a}`, { id: 'x', price: 1 })).status).toBe(200)
    expect([(await readLead(api, a!)).name, (await readLead(api, b!)).name]).toEqual(['New', 'B'])
  })

  test('a user who has gone stays in a lead that names the user, and enters no other', async () => {
    const account = await newAccount()
    const gone = await account.addUser()
    const [theirs, mine] = await addLeads(account.api, [
      { responsible_user_id: gone.id, created_by: gone.id },
      {},
    ])
    await account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), gone.email, { isActive: false }),
    )
    const lead = await readLead(account.api, theirs!)
    expect((await account.api.patch(`${path}/${theirs}`, { ...lead, price: 3 })).status).toBe(200)
    const refused = await account.api.patch(`${path}/${mine}`, { responsible_user_id: gone.id })
    expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice responsible_user_id'] })
  })
})

describe('batches of changes', () => {
  test('a batch is answered in its order with its request ids', async () => {
    const { api } = await newAccount()
    const [a, b, c] = await addLeads(api, [{}, {}, {}])
    const { status, body } = await api.patch(path, [
      { id: c, name: 'C', request_id: 'last' },
      { id: String(a), name: 'A' },
      { id: b, name: 'B' },
    ])
    expect(status).toBe(200)
    const { leads } = body._embedded
    expect(
      leads.map(({ id, request_id }: { id: number; request_id: string }) => [id, request_id]),
    ).toEqual([
      [c, 'last'],
      [a, '1'],
      [b, '2'],
    ])
    const read: Answer[] = await Promise.all(
      leads.map(({ _links }: { _links: { self: { href: string } } }) => api.get(_links.self.href)),
    )
    expect(read.map((answer) => answer.body.name)).toEqual(['C', 'A', 'B'])
  })

  test('one bad item refuses the batch: unknown ids, ids of another account and bad values are all listed', async () => {
    const account = await newAccount()
    const { api } = account
    const theirs = await addLead((await newAccount()).api, { name: 'Theirs' })
    const [a, b] = await addLeads(api, [{ name: 'A' }, { name: 'B' }])
    const newsSince = await listen(account)
    const refused = await api.patch(path, [
      { id: a, name: 'changed', tags_to_add: [{ name: 'made for nobody' }] },
      { id: 999_999_999, name: 'changed' },
      { id: theirs, name: 'changed', request_id: 'theirs' },
      { name: 'no id' },
      { id: 0 },
      { id: b, price: 'much' },
      { id: b, status_id: 5 },
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      1: ['EntityNotFound id'],
      theirs: ['EntityNotFound id'],
      3: ['FieldMissing id'],
      4: [expect.stringMatching(/ id$/)],
      5: ['InvalidType price'],
      6: ['NotSupportedChoice status_id'],
    })
    expect((await readLead(api, a!)).name).toBe('A')
    expect((await api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test.for([
    ['251 changes', (id: number) => Array.from({ length: 251 }, () => ({ id }))],
    ['no change', () => []],
    ['a text', () => '"x"'],
    ['nothing', () => ''],
  ] as const)('a batch of %s is refused', async ([, body]) => {
    const { api } = await newAccount()
    const id = await addLead(api)
    expect((await api.patch(path, body(id))).status).toBe(400)
  })

  test('two items for one lead count one after the other, and both are answered', async () => {
    const account = await newAccount()
    const id = await addLead(account.api, {
      name: 'One',
      price: 1,
      _embedded: { tags: [{ name: 'a' }] },
    })
    const { status, body } = await account.api.patch(path, [
      { id, price: 5, tags_to_add: [{ name: 'b' }] },
      { id, price: 7, name: 'Two', tags_to_delete: [{ name: 'b' }], tags_to_add: [{ name: 'c' }] },
    ])
    expect(status).toBe(200)
    expect(
      body._embedded.leads.map(({ request_id }: { request_id: string }) => request_id),
    ).toEqual(['0', '1'])
    const lead = await readLead(account.api, id)
    expect([lead.name, lead.price, ...tagsOf(lead)]).toEqual(['Two', 7, 'a', 'c'])
  })

  test('250 leads are changed at once', async () => {
    const { api } = await newAccount()
    const ids = await addLeads(
      api,
      Array.from({ length: 250 }, () => ({})),
    )
    expect(
      (
        await api.patch(
          path,
          ids.map((id, index) => ({ id, price: index })),
        )
      ).status,
    ).toBe(200)
    const { leads } = (await api.get(`${path}?limit=250`)).body._embedded
    expect(leads.map(({ price }: { price: number }) => price)).toEqual(ids.map((_, index) => index))
  })
})

// Bad input gets a clear answer and changes nothing: no lead, no tag, no note, no news.
describe('refusals', () => {
  /** How many rows the account has in each table that a lead writes to. */
  async function written({ id, kontor }: TestAccount) {
    return kontor.database.row(sql`
      select (select count(*) from leads where account_id = ${id}) as leads,
             (select count(*) from tags where account_id = ${id}) as tags,
             (select count(*) from notes where account_id = ${id}) as notes,
             (select count(*) from journal where account_id = ${id}) as journal,
             (select count(*) from events where account_id = ${id}) as events`)
  }

  const nothing = { leads: 0, tags: 0, notes: 0, journal: 0, events: 0 }

  test('one bad item refuses the batch, and every bad item is listed under its name', async () => {
    const account = await newAccount()
    const inactive = await account.addUser()
    await account.kontor.database.transaction((tx) =>
      tx.rows(sql`update users set is_active = false where id = ${inactive.id}`),
    )
    const refused = await account.api.post(path, [
      { name: 'Good', _embedded: { tags: [{ name: 'made for nobody' }] } },
      { name: 5, price: 'much', request_id: 'types' },
      {
        responsible_user_id: inactive.id,
        created_by: 999_999_999,
        updated_by: 'nobody',
        request_id: 'users',
      },
      { responsible_user_id: inactive.id, created_by: 999_999_999 },
      {
        _embedded: {
          tags: [{ id: 999_999_999 }, {}, { name: '  ' }, { name: 'x', shade: '1' }],
        },
        request_id: 'shape',
      },
      { _embedded: { tags: [{ id: 999_999_999 }, {}, { name: '  ' }] }, request_id: 'tags' },
      { loss_reason_id: 3, custom_fields_values: [{ field_id: 1, values: [{ value: 'x' }] }] },
      { name: 'x'.repeat(256), colour: 'red' },
      'not an object',
      null,
      { request_id: { a: 1 } },
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      types: ['InvalidType name', 'InvalidType price'],
      users: ['InvalidType updated_by'],
      3: ['NotSupportedChoice responsible_user_id', 'NotSupportedChoice created_by'],
      shape: ['FieldNotExpected _embedded.tags.3.shade'],
      tags: [
        'NotSupportedChoice _embedded.tags.0.id',
        'FieldMissing _embedded.tags.1.id',
        'NotBlank _embedded.tags.2.name',
      ],
      6: [
        'NotSupportedChoice custom_fields_values.0.field_id',
        'NotSupportedChoice loss_reason_id',
      ],
      7: ['FieldNotExpected colour', 'TooLong name'],
      8: ['InvalidType '],
      9: ['NotNullable '],
      10: ['InvalidType request_id'],
    })
    expect(await written(account)).toEqual(nothing)
  })

  test('a tag, a user and a responsible user of another account are unknown here', async () => {
    const account = await newAccount()
    const stranger = await newAccount()
    const tag = (await stranger.api.post('/api/v4/leads/tags', [{ name: 'theirs' }])).body._embedded
      .tags[0]
    const contactsTag = (await account.api.post('/api/v4/contacts/tags', [{ name: 'of contacts' }]))
      .body._embedded.tags[0]
    const refused = await account.api.post(path, [
      { _embedded: { tags: [{ id: tag.id }] } },
      { _embedded: { tags: [{ id: contactsTag.id }] } },
      { responsible_user_id: stranger.admin.id },
    ])
    expect(faultsOf(refused)).toEqual({
      0: ['NotSupportedChoice _embedded.tags.0.id'],
      1: ['NotSupportedChoice _embedded.tags.0.id'],
      2: ['NotSupportedChoice responsible_user_id'],
    })
  })

  test.for([
    ['251 leads', Array.from({ length: 251 }, () => ({})), ['TooMany ']],
    ['no lead', [], ['TooFew ']],
    ['a text', '"lead"', ['InvalidType ']],
    ['a number', 7, ['InvalidType ']],
    ['null', 'null', ['InvalidType ']],
    ['nothing', '', ['InvalidType ']],
    ['two known batches in one', [[{ name: 'a' }]], ['InvalidType ']],
  ] as const)('a body of %s is refused', async ([, body, faults]) => {
    const account = await newAccount()
    const refused = await account.api.post(path, body)
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({ 0: faults })
    expect(await written(account)).toEqual(nothing)
  })

  test.for([
    ['a broken text', '[{"name":"a"},\n{"name":}]', 400, /Invalid JSON at line 2, column 9/],
    ['an unfinished one', '[{"name":"a"', 400, /Invalid JSON/],
    ['U+0000', String.raw`[{"name":"a\u0000b"}]`, 400, /U\+0000.*0\.name/],
    ['a lone surrogate', String.raw`[{"name":"\ud800"}]`, 400, /surrogate.*0\.name/],
    ['U+0000 in a key', String.raw`[{"a\u0000":1}]`, 400, /U\+0000/],
    ['an infinite number', '[{"price":1e400}]', 400, /0\.price/],
    [
      'bottomless nesting',
      `[{"custom_fields_values":${'['.repeat(5000)}${']'.repeat(5000)}}]`,
      400,
      /./,
    ],
    ['a key of Object', '[{"__proto__":{"is_admin":true}}]', 400, /__proto__/],
  ] as const)('%s is refused with its place', async ([, body, status, detail]) => {
    const account = await newAccount()
    const refused = await account.api.post(path, body)
    expect(refused.status).toBe(status)
    expect(refused.body.detail).toMatch(detail)
    expect(await written(account)).toEqual(nothing)
  })

  test('numbers beyond what both sides can hold are refused field by field', async () => {
    const account = await newAccount()
    const refused = await account.api.post(
      path,
      `[{"price":9007199254740993},{"price":1e300},{"price":"99999999999999999999"},{"status_id":1152921504606846976},
        {"created_at":253402300800},{"created_at":-1},{"responsible_user_id":-1},{"pipeline_id":1.5},{"closed_at":"soon"}]`,
    )
    expect(refused.status).toBe(400)
    expect(Object.values(faultsOf(refused)).map(([fault]) => fault?.split(' ')[1])).toEqual([
      'price',
      'price',
      'price',
      'status_id',
      'created_at',
      'created_at',
      'responsible_user_id',
      'pipeline_id',
      'closed_at',
    ])
    expect(await written(account)).toEqual(nothing)
  })

  test('only JSON is taken, and not more of it than the server allows', async () => {
    const account = await newAccount({ bodyLimit: 2048 })
    const form = await account.api.post(path, 'name=a', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form.status).toBe(415)
    const large = await account.api.post(path, [{ name: 'x'.repeat(3000) }])
    expect(large.status).toBe(413)
    expect(await written(account)).toEqual(nothing)
  })

  test('a stubborn program may have its unknown keys ignored', async () => {
    const account = await newAccount({ unknownKeys: 'ignore' })
    const id = await addLead(account.api, {
      name: 'One',
      colour: 'red',
      _embedded: { colours: [{ id: 1 }], tags: [{ name: 'a', x: 1 }] },
    })
    expect(await readLead(account.api, id)).toMatchObject({
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    expect((await account.api.patch(`${path}/${id}`, { colour: 'blue' })).status).toBe(200)
    expect((await account.api.patch(path, [{ id, colour: 'blue' }])).status).toBe(200)
  })

  test('nobody writes without a token, and everybody is told so before the body is read', async () => {
    const account = await newAccount()
    const refused = await account.api.post(path, '[{', { authorization: '' })
    expect(refused.status).toBe(401)
    expect(await written(account)).toEqual(nothing)
  })
})

// A right reaches all leads (A), those of the user's group (G), the user's own (M) or none (D).
describe('rights', () => {
  /**
   * An account with a seller who has these rights, and three leads: the seller's own, a colleague's
   * of the same group, a stranger's.
   */
  async function shop(leads: Partial<Record<'view' | 'edit' | 'add', RightLevel>>) {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const seller = await addSeller(account, leads, group_id)
    const colleague = await account.addUser({ group_id })
    const [own, groups, others] = await addLeads(account.api, [
      { name: 'own', responsible_user_id: seller.id },
      { name: 'group', responsible_user_id: colleague.id },
      { name: 'other' },
    ])
    return { account, seller, colleague, ids: { own: own!, group: groups!, other: others! } }
  }

  async function listed({ api }: TestUser, query = '') {
    const { body } = await api.get(`${path}?${query}`)
    return body._embedded.leads.map(({ name }: { name: string }) => name)
  }

  const names = ['own', 'group', 'other'] as const

  test.for([
    ['A', ['own', 'group', 'other']],
    ['G', ['own', 'group']],
    ['M', ['own']],
  ] as const)('with the right %s to view, these are seen: %s', async ([view, visible]) => {
    const { seller, ids } = await shop({ view })
    expect(await listed(seller)).toEqual(visible)
    for (const name of names)
      expect((await seller.api.get(`${path}/${ids[name]}`)).status).toBe(
        (visible as readonly string[]).includes(name) ? 200 : 403,
      )
    const { events } = (await seller.api.get('/api/v4/events')).body._embedded
    expect(events.map(({ entity_id }: { entity_id: number }) => entity_id)).toEqual(
      visible.map((name) => ids[name]).toReversed(),
    )
  })

  test('without the right to view, leads are forbidden and events are empty', async () => {
    const { account, seller, ids } = await shop({ view: 'D', edit: 'A', add: 'A' })
    expect((await seller.api.get(path)).status).toBe(403)
    expect((await seller.api.get(`${path}/${ids.own}`)).status).toBe(403)
    expect((await seller.api.get('/api/v4/events')).body._embedded.events).toEqual([])
    const [event] = (await account.api.get('/api/v4/events')).body._embedded.events
    expect((await seller.api.get(`/api/v4/events/${event.id}`)).status).toBe(404)
    expect((await account.api.get(`/api/v4/events/${event.id}`)).status).toBe(200)
  })

  test('no filter, no order and no page shows more than the right to view', async () => {
    const { account, seller, ids } = await shop({ view: 'M' })
    for (const query of [
      `filter[id][]=${ids.own}&filter[id][]=${ids.group}&filter[id][]=${ids.other}`,
      'filter[name][]=own&filter[name][]=other',
      `filter[responsible_user_id][]=${account.admin.id}&filter[responsible_user_id][]=${seller.id}`,
      'filter[price][from]=0&order[created_at]=desc',
      'limit=1&page=1',
    ])
      expect(await listed(seller, query)).toEqual(['own'])
    expect(await listed(seller, `filter[id]=${ids.other}`)).toEqual([])
    expect((await seller.api.get(`${path}?limit=1`)).body._links.next).toBeUndefined()
  })

  test.for([
    ['A', ['own', 'group', 'other']],
    ['G', ['own', 'group']],
    ['M', ['own']],
    ['D', []],
  ] as const)(
    'with the right %s to edit, these are changed, alone and in a batch: %s',
    async ([edit, editable]) => {
      const { account, seller, ids } = await shop({ view: 'A', edit })
      const allowed = editable as readonly string[]
      for (const name of names) {
        const expected = allowed.includes(name) ? 200 : 403
        const newsSince = await listen(account)
        expect((await seller.api.patch(`${path}/${ids[name]}`, { price: 5 })).status).toBe(expected)
        expect((await seller.api.patch(path, [{ id: ids[name], price: 6 }])).status).toBe(expected)
        expect((await newsSince()).events).toHaveLength(expected === 200 ? 2 : 0)
        expect((await readLead(account.api, ids[name])).price).toBe(expected === 200 ? 6 : 0)
      }
    },
  )

  test('one lead that may not be edited refuses the whole batch', async () => {
    const { account, seller, ids } = await shop({ view: 'A', edit: 'G' })
    const newsSince = await listen(account)
    const refused = await seller.api.patch(path, [
      { id: ids.own, price: 5, tags_to_add: [{ name: 'made for nobody' }] },
      { id: ids.group, price: 5 },
      { id: ids.other, price: 5 },
    ])
    expect(refused.status).toBe(403)
    expect((await readLead(account.api, ids.own)).price).toBe(0)
    expect((await account.api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('a lead out of sight cannot be changed', async () => {
    const { seller, ids } = await shop({ view: 'M', edit: 'A' })
    expect((await seller.api.patch(`${path}/${ids.own}`, { price: 5 })).status).toBe(200)
    expect((await seller.api.patch(`${path}/${ids.group}`, { price: 5 })).status).toBe(403)
    expect((await seller.api.patch(path, [{ id: ids.other, price: 5 }])).status).toBe(403)
  })

  test('a seller who gives a lead away can no longer change it', async () => {
    const { account, seller, colleague, ids } = await shop({ view: 'M', edit: 'M' })
    expect(
      (await seller.api.patch(`${path}/${ids.own}`, { responsible_user_id: colleague.id })).status,
    ).toBe(200)
    expect((await seller.api.patch(`${path}/${ids.own}`, { price: 5 })).status).toBe(403)
    expect(await listed(seller)).toEqual([])
    expect((await readLead(account.api, ids.own)).responsible_user_id).toBe(colleague.id)
  })

  test('without the right to add, no lead is created', async () => {
    const { account, seller } = await shop({ view: 'A', edit: 'A', add: 'D' })
    const newsSince = await listen(account)
    expect(
      (await seller.api.post(path, [{ name: 'New', _embedded: { tags: [{ name: 'new' }] } }]))
        .status,
    ).toBe(403)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect((await account.api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
  })

  test('an administrator may do everything, whatever the letters say', async () => {
    const account = await newAccount()
    const boss = await account.addUser({ is_admin: true, rights: {} })
    const id = await addLead(boss.api)
    expect((await boss.api.get(`${path}/${id}`)).status).toBe(200)
    expect((await boss.api.patch(`${path}/${id}`, { price: 5 })).status).toBe(200)
  })
})

// Every answer is one of the document (test/client.ts proves each), and a refused request has
// written nothing.
describe('any input', () => {
  const number = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constantFrom(0, -1, 142, 143, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324),
  )

  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' ', '0', '1e5', 'null', "'; drop table leads; --", '\u202e', '😀'),
  )

  const anything: fc.Arbitrary<unknown> = fc.oneof(
    fc.boolean(),
    fc.constant(null),
    number,
    text,
    fc.jsonValue({ maxDepth: 3 }),
  )

  const tags = fc.oneof(
    anything,
    fc.array(fc.record({ id: anything, name: text }, { requiredKeys: [] }), { maxLength: 4 }),
  )

  const draft = fc.record(
    {
      id: anything,
      name: fc.oneof(text, anything),
      price: fc.oneof(number, anything),
      status_id: anything,
      pipeline_id: anything,
      responsible_user_id: anything,
      created_by: anything,
      updated_by: anything,
      created_at: anything,
      updated_at: anything,
      closed_at: anything,
      loss_reason_id: anything,
      custom_fields_values: anything,
      request_id: anything,
      is_deleted: anything,
      _embedded: fc.oneof(anything, fc.record({ tags }, { requiredKeys: [] })),
      tags_to_add: tags,
      tags_to_delete: tags,
    },
    { requiredKeys: [] },
  )

  const runs = { numRuns: 150 }

  test('any body is taken whole or refused whole, by every method that writes leads', async () => {
    const account = await newAccount()
    const id = await addLead(account.api)
    const way = fc.constantFrom(
      ['POST', path] as const,
      ['PATCH', path] as const,
      ['PATCH', `${path}/${id}`] as const,
    )
    await fc.assert(
      fc.asyncProperty(
        way,
        fc.oneof(draft, fc.array(draft, { maxLength: 3 }), anything),
        async ([method, to], body) => {
          const newsSince = await listen(account)
          const { status } = await account.api.send(method, to, JSON.stringify(body))
          expect([200, 400]).toContain(status)
          if (status === 400) expect(await newsSince()).toEqual({ journal: [], events: [] })
        },
      ),
      runs,
    )
  })

  test('any single field is taken or refused by itself', async () => {
    const account = await newAccount()
    const id = await addLead(account.api)
    await fc.assert(
      fc.asyncProperty(draft, async (fields) => {
        for (const [key, value] of Object.entries(fields)) {
          const { status } = await account.api.patch(`${path}/${id}`, { [key]: value })
          expect([200, 400]).toContain(status)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('any query is answered or refused', async () => {
    const { api } = await newAccount()
    await addLead(api)
    const key = fc.constantFrom(
      'page',
      'limit',
      'after',
      'order[id]',
      'order[created_at]',
      'order',
      'with',
      'filter',
      'filter[]',
      'filter[id]',
      'filter[id][]',
      'filter[name]',
      'filter[name][]',
      'filter[price]',
      'filter[price][from]',
      'filter[price][to]',
      'filter[created_at][from]',
      'filter[closed_at]',
      'filter[statuses][0][status_id]',
      'filter[statuses][0][pipeline_id]',
      'filter[pipeline_id][7]',
      'a[b',
      ']',
    )
    const value = fc.oneof(
      text,
      number.map(String),
      fc.integer({ min: 1, max: 300 }).map(String),
      fc.constantFrom('asc', 'desc', '1.2', '%'),
    )
    const pair = fc
      .tuple(key, value)
      .map(([name, its]) => `${name}=${its === '%' ? its : encodeURIComponent(its.toWellFormed())}`)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(path, `${path}/tags`, '/api/v4/events'),
        fc.array(pair, { maxLength: 4 }),
        async (to, pairs) => {
          expect([200, 400]).toContain((await api.get(`${to}?${pairs.join('&')}`)).status)
        },
      ),
      { numRuns: 300 },
    )
  })
})
