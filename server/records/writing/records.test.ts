// Creation and changes of every type of record. Parts that only leads have are tested in
// features/records/leads.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { client } from '../../../test/client.ts'
import { addGroup, faultsOf, listen, plainly, won } from '../../../test/leads.ts'
import { link, to } from '../../../test/links.ts'
import { newPair } from '../../../test/oauth.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  idsIn,
  isAnsweredWhole,
  kindsButLeads,
  mostPerBatch,
  namesIn,
  needed,
  pathOf,
  readRecord,
  rightsOf,
  tagNames,
} from '../../../test/records.ts'
import { singular } from '../../entity-types.ts'
import { setUser } from '../../features/people/users/users.ts'

const own = {
  contacts: { first_name: '', last_name: '', is_unsorted: false },
  companies: {},
  customers: {
    ...needed('customers'),
    next_price: 0,
    periodicity: 0,
    status_id: expect.any(Number),
    ltv: 0,
    purchases_count: 0,
    average_check: 0,
  },
}
const embedded = {
  contacts: { tags: [], companies: [] },
  companies: { tags: [] },
  customers: { tags: [], segments: [] },
}
const onlyRead = {
  contacts: { _embedded: { leads: [] } },
  companies: { _embedded: { leads: [] } },
  customers: { ltv: 7, purchases_count: 7, average_check: 7, _embedded: { catalog_elements: [] } },
}
/** Customers show their group only on demand; the other types ignore this. */
const grouped = 'with=group_id'

// The fields of leads: features/records/leads.
describe.for(kindsButLeads)('the fields of %s', (kind) => {
  const path = pathOf(kind)

  test('one without anything gets its defaults, and every field is there and no other', async () => {
    const account = await newAccount()
    const before = account.kontor.now()
    const id = await addRecord(account.api, kind)
    const { created_at, ...record } = await readRecord(account.api, kind, id, grouped)
    expect(created_at).toBeGreaterThanOrEqual(before)
    expect(created_at).toBeLessThanOrEqual(account.kontor.now())
    expect(record).toEqual({
      id,
      name: '',
      responsible_user_id: account.admin.id,
      group_id: 0,
      account_id: account.id,
      created_by: account.admin.id,
      updated_by: account.admin.id,
      updated_at: created_at,
      closest_task_at: null,
      is_deleted: false,
      custom_fields_values: null,
      ...own[kind],
      _links: { self: { href: `${account.kontor.url}${path}/${id}` } },
      _embedded: embedded[kind],
    })
  })

  test('keys that are only read are ignored', async () => {
    const { api, id: account_id } = await newAccount()
    const read = {
      id: 7,
      group_id: 5,
      closest_task_at: 1,
      is_deleted: false,
      account_id: 1,
      _links: {},
      ...onlyRead[kind],
    }
    const id = await addRecord(api, kind, read)
    expect(id).not.toBe(7)
    expect(await readRecord(api, kind, id, grouped)).toMatchObject({
      account_id,
      group_id: 0,
      closest_task_at: null,
      is_deleted: false,
      ...own[kind],
    })
  })

  test('one bad item refuses the batch, every bad one is listed, and nothing is written', async () => {
    const account = await newAccount()
    const { api } = account
    const gone = await account.addUser()
    await account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), gone.email, { isActive: false }),
    )
    const stranger = await newAccount()
    const [theirs] = (await stranger.api.post(`${path}/tags`, [{ name: 'theirs' }])).body._embedded
      .tags
    const [ofLeads] = (await api.post('/api/v4/leads/tags', [{ name: 'of leads' }])).body._embedded
      .tags
    const newsSince = await listen(account)
    const drafts = [
      { name: 'Good', _embedded: { tags: [{ name: 'made for nobody' }] } },
      { name: 5, created_at: -1, request_id: 'types' },
      {
        responsible_user_id: gone.id,
        created_by: 999_999_999,
        updated_by: stranger.admin.id,
        request_id: 'users',
      },
      { _embedded: { tags: [{ id: theirs.id }, { id: ofLeads.id }, {}, { name: ' ' }] } },
      { custom_fields_values: [{ field_id: 1, values: [{ value: 'x' }] }] },
      { name: 'x'.repeat(512), price: 5 },
      { name: 6, responsible_user_id: -1 },
    ].map((draft) => ({ ...needed(kind), ...draft }))
    const refused = await api.post(path, [...drafts, 'not an object'])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      types: ['InvalidType name', expect.stringMatching(/ created_at$/)],
      users: [
        'NotSupportedChoice responsible_user_id',
        'NotSupportedChoice created_by',
        'NotSupportedChoice updated_by',
      ],
      3: [
        'NotSupportedChoice _embedded.tags.0.id',
        'NotSupportedChoice _embedded.tags.1.id',
        'FieldMissing _embedded.tags.2.id',
        'NotBlank _embedded.tags.3.name',
      ],
      4: ['NotSupportedChoice custom_fields_values.0.field_id'],
      5: ['FieldNotExpected price', 'TooLong name'],
      6: ['InvalidType name', expect.stringMatching(/ responsible_user_id$/)],
      7: ['InvalidType '],
    })
    expect(idsIn(await api.get(path), kind)).toEqual([])
    expect((await api.get(`${path}/tags`)).body._embedded.tags).toEqual([])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })
})

describe.for(allKinds)('creating and reading %s', (kind) => {
  const path = pathOf(kind)

  test('responsible user 0 is the caller in a creation, and no change in a change', async () => {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const seller = await account.addUser({
      group_id,
      rights: { [rightsOf(kind)]: { view: 'A', edit: 'A', add: 'A' } },
    })
    const ids = await addRecords(seller.api, kind, [
      { responsible_user_id: 0 },
      { responsible_user_id: '0' },
      { responsible_user_id: account.admin.id },
    ])
    const shown = async () =>
      Promise.all(
        ids.map(async (id) => {
          const { responsible_user_id, group_id } = await readRecord(account.api, kind, id, grouped)
          return [responsible_user_id, group_id]
        }),
      )
    const own = [seller.id, group_id]
    expect(await shown()).toEqual([own, own, [account.admin.id, 0]])
    const newsSince = await listen(account)
    const changed = await account.api.patch(
      path,
      ids.map((id) => ({ id, responsible_user_id: 0 })),
    )
    expect(changed.status).toBe(200)
    expect(await shown()).toEqual([own, own, [account.admin.id, 0]])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    await account.api.patch(`${path}/${ids[0]}`, { responsible_user_id: 0, name: 'Another' })
    expect(await shown()).toEqual([own, own, [account.admin.id, 0]])
    const { journal } = await newsSince()
    expect(journal).toMatchObject([{ actions: ['update'] }])
  })

  test('what is sent is what is stored, and the group is that of the responsible user', async () => {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const seller = await account.addUser({ group_id })
    const sent = {
      name: '  Ромашка №17  ',
      responsible_user_id: String(seller.id),
      created_by: 0,
      updated_by: seller.id,
      created_at: 16e8,
      updated_at: 1600000001,
    }
    const id = await addRecord(account.api, kind, sent)
    expect(await readRecord(account.api, kind, id, grouped)).toMatchObject({
      ...sent,
      name: 'Ромашка №17',
      responsible_user_id: seller.id,
      group_id,
    })
  })

  test('a batch is answered in its order with its request ids; the links lead to the records', async () => {
    const { api, kontor } = await newAccount()
    const names = ['Zoe', 'Adam', 'Мария', 'Adam']
    const drafts = [
      { name: names[0], request_id: 'z' },
      { name: names[1] },
      { name: names[2], request_id: '' },
      { name: names[3], request_id: 17 },
    ].map((draft) => ({ ...needed(kind), ...draft }))
    const { status, body } = await api.post(path, drafts)
    expect([status, body._links.self.href]).toEqual([200, `${kontor.url}${path}`])
    const made = body._embedded[kind] as {
      id: number
      request_id: string
      _links: { self: { href: string } }
    }[]
    expect(made.map(({ request_id }) => request_id)).toEqual(['z', '1', '', '17'])
    const read = await Promise.all(made.map(({ _links }) => api.get(_links.self.href)))
    expect(read.map((answer) => answer.body.name)).toEqual(names)
    expect(idsIn(await api.get(path), kind)).toEqual(made.map(({ id }) => id))
  })

  test('the most records are one request in their order, one more is too many, and an object counts as one', async () => {
    const { api } = await newAccount()
    const most = mostPerBatch[kind]
    const drafts = Array.from({ length: most + 1 }, (_, index) => ({
      ...needed(kind),
      name: `Number ${index}`,
      _embedded: { tags: [{ name: `tag ${index % 5}` }] },
    }))
    expect(faultsOf(await api.post(path, drafts))).toEqual({ 0: ['TooMany '] })
    const ids = await addRecords(api, kind, drafts.slice(1))
    expect(new Set(ids).size).toBe(most)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    const changes = [...ids, ids[0]].map((id) => ({ id, created_at: 5 }))
    expect(faultsOf(await api.patch(path, changes))).toEqual({ 0: ['TooMany '] })
    expect((await api.patch(path, changes.slice(1))).body._embedded[kind]).toHaveLength(most)
    expect(
      (await api.post(path, { ...drafts[0], name: 'Alone', request_id: 'only' })).body._embedded[
        kind
      ],
    ).toMatchObject([{ request_id: 'only' }])
    const names: string[] = []
    for (let next = `${path}?limit=250`; next;) {
      const listed = await api.get(next)
      names.push(...namesIn(listed, kind))
      next = listed.body._links.next?.href
    }
    expect(names).toEqual([...drafts.slice(1).map(({ name }) => name), 'Alone'])
  })

  test.for([
    '0',
    'abc',
    '1152921504606846976',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '%00',
    '99999999999999999999999',
    'null',
  ])('there is none %s', async (id) => {
    const { api } = await newAccount()
    expect((await api.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
    expect((await api.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.post(`${path}/${id}/restore`)).status).toBe(404)
  })

  test("one that is missing or another account's is not found, by no method and in no list", async () => {
    const { api } = await newAccount()
    const other = await newAccount()
    const theirs = await addRecord(other.api, kind, { name: 'Theirs' })
    for (const id of [theirs, 999_999_999]) {
      expect((await api.get(`${path}/${id}`)).status).toBe(404)
      expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
      expect((await api.delete(`${path}/${id}`)).status).toBe(404)
      expect(faultsOf(await api.patch(path, [{ id, name: 'New' }]))).toEqual({
        0: ['EntityNotFound id'],
      })
      expect(idsIn(await api.get(`${path}?filter[id]=${id}`), kind)).toEqual([])
    }
    expect(await readRecord(other.api, kind, theirs)).toMatchObject({
      name: 'Theirs',
      is_deleted: false,
    })
  })

  test('nobody reads or writes without a token; with the right to add and no other, one is added and not seen', async () => {
    const account = await newAccount()
    const nobody = { authorization: '' }
    expect((await account.api.get(path, nobody)).status).toBe(401)
    expect((await account.api.post(path, [{}], nobody)).status).toBe(401)
    const user = await addUserWith(account, kind, { add: 'A' })
    const id = await addRecord(user.api, kind, { name: 'New' })
    expect((await user.api.get(`${path}/${id}`)).status).toBe(403)
    expect(await readRecord(account.api, kind, id)).toMatchObject({
      name: 'New',
      responsible_user_id: user.id,
    })
  })

  test('an integration used to 204 gets it for an empty list and for a missing one', async () => {
    const account = await newAccount()
    const api = await usedTo204(account)
    expect((await api.get(path)).status).toBe(204)
    expect((await api.get(`${path}?with=only_deleted`)).status).toBe(204)
    expect((await api.get(`${path}/999999999`)).status).toBe(204)
    expect((await api.get(`${path}/tags`)).status).toBe(204)
    expect((await api.get('/api/v4/events')).status).toBe(204)
    expect((await api.patch(`${path}/999999999`, { name: 'New' })).status).toBe(404)
    expect((await account.api.get(path)).body._embedded[kind]).toEqual([])

    const id = await addRecord(api, kind, { name: 'One' })
    expect(idsIn(await api.get(path), kind)).toEqual([id])
    expect((await api.get(`${path}?page=2`)).status).toBe(204)
    expect((await api.get(`${path}/${id}`)).status).toBe(200)
    expect((await api.get('/api/v4/events/00000000000000000000000000')).status).toBe(404)
    expect((await api.patch(`${path}/999999999`, { name: 'New' })).status).toBe(404)
  })
})

async function usedTo204(account: TestAccount) {
  const { access_token } = await newPair(account, await account.addIntegration({ empty_list: 204 }))
  return client(account.kontor, access_token)
}

// Changes one by one: what they touch, what they answer and what they refuse.
describe.for(allKinds)('changing %s', (kind) => {
  const path = pathOf(kind)

  test('only what is sent changes; the answer names the record itself and embedded, and both links lead to the record', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, kind, {
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    const before = await readRecord(account.api, kind, id)
    const other = await account.addUser()
    account.clock.ahead += 3600
    const { status, body } = await other.api.patch(`${path}/${id}`, {
      name: 'New',
      request_id: 'r',
      id: 5,
    })
    const { updated_at } = body
    const _links = { self: { href: `${account.kontor.url}${path}/${id}` } }
    const after = (await account.api.get(body._links.self.href)).body
    const named = { id, name: 'New', updated_at, _links }
    const whole = isAnsweredWhole(kind) ? after : named
    expect([status, body]).toEqual([
      200,
      { ...whole, _embedded: { ...whole._embedded, [kind]: [{ ...named, request_id: 'r' }] } },
    ])
    expect(after).toEqual({ ...before, name: 'New', updated_by: other.id, updated_at })
    expect(updated_at).toBeGreaterThan(before.updated_at)
  })

  test('a batch of changes is answered with the names, too', async () => {
    const { api } = await newAccount()
    const ids = await addRecords(api, kind, [{ name: 'One' }, { name: 'Two' }])
    const { body } = await api.patch(path, [{ id: ids[1], name: ' New ' }, { id: ids[0] }])
    expect(body._embedded[kind]).toMatchObject([
      { id: ids[1], name: 'New', request_id: '0' },
      { id: ids[0], name: 'One', request_id: '1' },
    ])
  })

  test('authors and times may be sent; a new responsible user brings the group along', async () => {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const member = await account.addUser({ group_id })
    const id = await addRecord(account.api, kind, { updated_at: 15 })
    await account.api.patch(`${path}/${id}`, {
      created_at: 10,
      created_by: 0,
      updated_at: 20,
      updated_by: 0,
    })
    expect(await readRecord(account.api, kind, id)).toMatchObject({
      created_at: 10,
      created_by: 0,
      updated_at: 20,
      updated_by: 0,
    })
    await account.api.patch(`${path}/${id}`, { updated_by: account.admin.id })
    const touched = await readRecord(account.api, kind, id)
    expect(touched.updated_by).toBe(account.admin.id)
    expect(touched.updated_at).toBeGreaterThan(20)
    await account.api.patch(`${path}/${id}`, { responsible_user_id: member.id })
    expect(await readRecord(account.api, kind, id, grouped)).toMatchObject({
      responsible_user_id: member.id,
      group_id,
    })
    await account.api.patch(`${path}/${id}`, { responsible_user_id: account.admin.id })
    expect(await readRecord(account.api, kind, id, grouped)).toMatchObject({
      responsible_user_id: account.admin.id,
      group_id: 0,
    })
  })

  test.for(['[{"name":"x"}]', '"x"', 'null', '', '7'])('one is not changed by %s', async (body) => {
    const { api } = await newAccount()
    expect((await api.patch(`${path}/${await addRecord(api, kind)}`, body)).status).toBe(400)
  })
})

// Leads have more fields and a name where none is sent, which features/records/leads tests.
describe.for(kindsButLeads)('changing the fields of %s', (kind) => {
  const path = pathOf(kind)

  test('what was read can be sent back, alone and in a batch, and nothing has happened', async () => {
    const account = await newAccount()
    const { api } = account
    const { id: responsible_user_id } = await account.addUser({ group_id: await addGroup(account) })
    const ids = await addRecords(api, kind, [
      {},
      { name: 'One', _embedded: { tags: [{ name: 'a' }, { name: 'b' }] } },
      { responsible_user_id, created_by: 0, updated_by: 0, created_at: 1, updated_at: 2 },
    ])
    const everything =
      'with=leads,contacts,companies,customers,catalog_elements,loss_reason_name,group_id,only_deleted'
    const other = kind === 'customers' ? 'contacts' : 'leads'
    const partner = await addRecord(api, other)
    expect((await link(api, kind, ids[0]!, to(other, partner))).status).toBe(200)
    const read = () => Promise.all(ids.map((id) => readRecord(api, kind, id, everything)))
    const before = await read()
    expect(before[0]._embedded[other]).toMatchObject([{ id: partner }])
    const newsSince = await listen(account)
    account.clock.ahead += 3600
    for (const record of before) {
      const { status, body } = await api.patch(`${path}/${record.id}`, record)
      expect([status, body.updated_at]).toEqual([200, record.updated_at])
      if (isAnsweredWhole(kind))
        expect((await api.patch(`${path}/${record.id}`, body)).status).toBe(200)
    }
    expect((await api.patch(path, before)).status).toBe(200)
    expect(await read()).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    // With one change it is that change alone.
    const { body } = await api.patch(`${path}/${ids[2]}`, { ...before[2], created_at: 5 })
    const changed = {
      ...before[2],
      created_at: 5,
      updated_at: body.updated_at,
      updated_by: account.admin.id,
    }
    expect(await readRecord(api, kind, ids[2]!, everything)).toEqual(changed)
  })

  test('null clears the custom fields and the tags and counts as not sent elsewhere', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { name: 'One', _embedded: { tags: [{ name: 'a' }] } })
    const before = await readRecord(api, kind, id)
    const unchanged = await api.patch(`${path}/${id}`, {
      name: null,
      responsible_user_id: null,
      created_at: null,
      updated_at: null,
      created_by: null,
      updated_by: null,
      tags_to_add: null,
    })
    expect(unchanged.status).toBe(200)
    expect(await readRecord(api, kind, id)).toEqual(before)
    expect(
      (await api.patch(`${path}/${id}`, { custom_fields_values: null, _embedded: { tags: null } }))
        .status,
    ).toBe(200)
    expect(await readRecord(api, kind, id)).toMatchObject({
      name: 'One',
      custom_fields_values: null,
      _embedded: { tags: [] },
    })
  })

  test('a name may be emptied unless it is needed', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { name: 'One' })
    const { status } = await api.patch(`${path}/${id}`, { name: ' ' })
    const { name } = await readRecord(api, kind, id)
    expect([status, name]).toEqual('name' in needed(kind) ? [400, 'One'] : [200, ''])
  })
})

// Tags of one record: a list replaces them, single ones come and go.
describe.for(allKinds)('tags of %s', (kind) => {
  const path = pathOf(kind)

  test('tags are replaced by a list, kept without one, detached by null and by an empty list', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { _embedded: { tags: [{ name: 'a' }, { name: 'b' }] } })
    const change = async (body: object) => {
      expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
      return tagNames(await readRecord(api, kind, id))
    }
    expect(await change({ _embedded: { tags: [{ name: 'c' }, { name: 'B' }] } })).toEqual([
      'c',
      'b',
    ])
    expect(await change({ created_at: 1 })).toEqual(['c', 'b'])
    expect(await change({ _embedded: {} })).toEqual(['c', 'b'])
    expect(await change({ _embedded: { tags: [] } })).toEqual([])
    expect(await change({ _embedded: { tags: [{ name: 'a' }] } })).toEqual(['a'])
    expect(await change({ _embedded: { tags: null } })).toEqual([])
  })

  test('single tags are added and deleted by name and by id; what is not there need not be deleted', async () => {
    const { api } = await newAccount()
    const [web, shop] = (await api.post(`${path}/tags`, [{ name: 'web' }, { name: 'shop' }])).body
      ._embedded.tags
    const id = await addRecord(api, kind, { _embedded: { tags: [{ name: 'a' }, { id: web.id }] } })
    const change = async (body: object) => {
      expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
      return tagNames(await readRecord(api, kind, id))
    }
    expect(await change({ tags_to_add: [{ name: 'A' }, { name: 'b' }, { id: shop.id }] })).toEqual([
      'a',
      'web',
      'b',
      'shop',
    ])
    expect(
      await change({
        tags_to_delete: [
          { name: 'WEB ' },
          { id: shop.id },
          { name: 'unknown' },
          { id: 999_999_999 },
        ],
      }),
    ).toEqual(['a', 'b'])
    expect(
      await change({
        tags_to_add: [{ name: 'c' }, { name: 'd' }],
        tags_to_delete: [{ name: 'd' }, { name: 'a' }],
      }),
    ).toEqual(['b', 'c'])
    // A list decides alone.
    expect(
      await change({
        _embedded: { tags: [{ name: 'z' }] },
        tags_to_add: [{ name: 'y' }],
        tags_to_delete: [{ name: 'z' }],
      }),
    ).toEqual(['z'])
    // Null detaches all, and then there is no list.
    expect(await change({ _embedded: { tags: null }, tags_to_add: [{ name: 'v' }] })).toEqual(['v'])
    for (const name of ['unknown', 'y'])
      expect((await api.get(`${path}/tags?filter[name]=${name}`)).body._embedded.tags).toEqual([])
    const unnamed = await api.patch(path, [{ id, tags_to_delete: [{}] }])
    expect([unnamed.status, faultsOf(unnamed)]).toEqual([
      400,
      { 0: ['FieldMissing tags_to_delete.0.id'] },
    ])
  })

  test('tags are named by id or name; an unknown name is made, another case is the same tag, a repetition counts once', async () => {
    const { api } = await newAccount()
    // Only the tags of leads have a color.
    const color = kind === 'leads' ? 'FF8F92' : null
    const draft = { name: 'Постоянный', ...(color && { color }) }
    const existing = (await api.post(`${path}/tags`, [draft])).body._embedded.tags[0]
    const id = await addRecord(api, kind, {
      _embedded: {
        tags: [
          { name: ' web ' },
          { id: existing.id },
          { name: 'WEB' },
          { name: 'ПОСТОЯННЫЙ' },
          { id: existing.id, name: 'other' },
        ],
      },
    })
    const { tags } = (await readRecord(api, kind, id))._embedded
    expect(tags).toEqual([
      { id: expect.any(Number), name: 'web', color: null },
      { id: existing.id, name: 'Постоянный', color },
    ])
    const listed = (await api.get(`${path}/tags`)).body._embedded.tags
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(['Постоянный', 'web'])
  })

  test('tags may be null or none, and tags_to_add works at creation too', async () => {
    const { api } = await newAccount()
    const ids = await addRecords(api, kind, [
      { _embedded: { tags: null } },
      { _embedded: { tags: [] } },
      { tags_to_add: [{ name: 'new' }] },
    ])
    const records = await Promise.all(ids.map((id) => readRecord(api, kind, id)))
    expect(
      records.map(({ _embedded }) => _embedded.tags.map(({ name }: { name: string }) => name)),
    ).toEqual([[], [], ['new']])
  })
})

// Many changes at once, and the tags of records.
describe.for(kindsButLeads)('batches and tags of %s', (kind) => {
  const path = pathOf(kind)

  test('a batch of changes is answered in its order; one bad item refuses it whole', async () => {
    const account = await newAccount()
    const { api } = account
    const theirs = await addRecord((await newAccount()).api, kind)
    const [a, b, c] = await addRecords(api, kind, [{ name: 'A' }, { name: 'B' }, { name: 'C' }])
    const newsSince = await listen(account)
    const refused = await api.patch(path, [
      { id: a, name: 'changed', tags_to_add: [{ name: 'made for nobody' }] },
      { id: theirs, name: 'changed', request_id: 'theirs' },
      { name: 'no id' },
      { id: b, name: 7 },
      { id: b, price: 7 },
      { id: b, responsible_user_id: 999_999_999 },
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        theirs: ['EntityNotFound id'],
        2: ['FieldMissing id'],
        3: ['InvalidType name'],
        4: ['FieldNotExpected price'],
        5: ['NotSupportedChoice responsible_user_id'],
      },
    ])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect((await api.get(`${path}/tags`)).body._embedded.tags).toEqual([])

    const { status, body } = await api.patch(path, [
      { id: c, name: 'New C', request_id: 'last' },
      { id: String(a), name: 'New A' },
    ])
    const answered = body._embedded[kind].map(
      ({ id, request_id }: { id: number; request_id: string }) => [id, request_id],
    )
    expect([status, answered]).toEqual([
      200,
      [
        [c, 'last'],
        [a, '1'],
      ],
    ])
    expect(namesIn(await api.get(path), kind)).toEqual(['New A', 'B', 'New C'])
  })

  test('two items for one record count one after the other and are told as one change', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, kind, {
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    const newsSince = await listen(account)
    const { body } = await account.api.patch(path, [
      { id, name: 'Two', tags_to_add: [{ name: 'b' }] },
      { id, name: 'Three', tags_to_delete: [{ name: 'b' }], tags_to_add: [{ name: 'c' }] },
    ])
    expect(body._embedded[kind]).toHaveLength(2)
    const record = await readRecord(account.api, kind, id)
    expect([record.name, ...tagNames(record)]).toEqual(['Three', 'a', 'c'])
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([{ entity_id: id, actions: ['update'], before: { name: 'One' } }])
    expect(events.map(({ type }) => type)).toEqual(['name_field_changed', 'entity_tag_added'])
  })

  test('tags are replaced by a list, added and deleted singly, detached by null, and belong to their kind', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, {
      _embedded: { tags: [{ name: 'a' }, { name: ' B ' }, { name: 'A' }] },
    })
    const change = async (body: object) => {
      expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
      return tagNames(await readRecord(api, kind, id))
    }
    expect(await change({})).toEqual(['a', 'B'])
    expect(
      await change({
        tags_to_add: [{ name: 'c' }],
        tags_to_delete: [{ name: 'b' }, { name: 'nothing' }],
      }),
    ).toEqual(['a', 'c'])
    expect(await change({ _embedded: { tags: [{ name: 'd' }, { name: 'C' }] } })).toEqual([
      'd',
      'c',
    ])
    expect(await change({ _embedded: { tags: null } })).toEqual([])
    const { tags } = (await api.get(`${path}/tags`)).body._embedded
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['a', 'B', 'c', 'd'])
    // The same name is another tag in another kind.
    await addRecord(api, 'leads', { _embedded: { tags: [{ name: 'a' }] } })
    const [ofLeads] = (await api.get('/api/v4/leads/tags')).body._embedded.tags
    expect(tags[0].id).not.toBe(ofLeads.id)
    expect(faultsOf(await api.patch(path, [{ id, tags_to_add: [{ id: ofLeads.id }] }]))).toEqual({
      0: ['NotSupportedChoice tags_to_add.0.id'],
    })
  })

  test('batches that overlap in opposite order are all taken, each whole', async () => {
    const { api } = await newAccount()
    const ids = await addRecords(
      api,
      kind,
      Array.from({ length: 12 }, () => ({})),
    )
    for (let round = 1; round <= 4; round++) {
      const calls = Array.from({ length: 8 }, (_, caller) => {
        const order = caller % 2 ? ids : ids.toReversed()
        const tags_to_add = ['x', 'y', 'z'].map((name) => ({ name: `${name} ${round}` }))
        return api.patch(
          path,
          order.map((id) => ({ id, name: `${round} ${caller}`, tags_to_add })),
        )
      })
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
      expect(new Set(namesIn(await api.get(path), kind)).size).toBe(1)
    }
    for (const record of (await api.get(path)).body._embedded[kind])
      expect(tagNames(record)).toHaveLength(12)
  })
})

// Every account has tags of its own, also where the names are the same.
describe('tags of several accounts', () => {
  async function tagsOf(
    { api }: TestAccount,
    path: string,
  ): Promise<{ id: number; name: string }[]> {
    return (await api.get(path)).body._embedded.tags
  }

  test.each(allKinds)(
    '%s with a tag that another account has by that name get a tag of their own',
    async (type) => {
      const [mine, other] = [await newAccount(), await newAccount()]
      const tagged = async ({ api }: TestAccount) => {
        const id = await addRecord(api, type, { _embedded: { tags: [{ name: 'Known' }] } })
        return `${pathOf(type)}/${id}`
      }
      const theirs = await tagsOf(other, await tagged(other))
      const path = await tagged(mine)
      const own = await tagsOf(mine, path)
      expect(own).toMatchObject([{ name: 'Known' }])
      expect(own[0]!.id).not.toBe(theirs[0]!.id)

      await addRecord(other.api, type, { tags_to_add: [{ name: 'Later' }] })
      await mine.api.patch(path, { tags_to_add: [{ name: 'later' }] })
      expect(await tagsOf(mine, path)).toMatchObject([{ name: 'Known' }, { name: 'later' }])
      await mine.api.patch(path, { tags_to_delete: [{ name: 'KNOWN' }] })
      expect(await tagsOf(mine, path)).toMatchObject([{ name: 'later' }])
    },
  )
})

// The journal and the events of every write, and the writes that have none.
describe.for(allKinds)('news of %s', (kind) => {
  const path = pathOf(kind)

  test('a batch of new ones tells of each once, in its order, with its system note', async () => {
    const account = await newAccount()
    const user = await account.addUser()
    const newsSince = await listen(account)
    const ids = await addRecords(user.api, kind, [
      { name: 'One', created_by: 0, _embedded: { tags: [{ name: 'a' }] } },
      { name: 'Two', ...(kind === 'leads' && { status_id: won }) },
    ])
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject(
      ids.map((entity_id) => ({
        entity_type: kind,
        entity_id,
        actions: ['add'],
        before: null,
        created_by: user.id,
      })),
    )
    expect(journal.map(({ after }) => after['name'])).toEqual(['One', 'Two'])
    const notes = await account.kontor.database.rows<{ id: number; entity_id: number }>(sql`
      select id, entity_type, entity_id, note_type from notes where account_id = ${account.id} order by id`)
    expect(notes).toEqual(
      ids.map((entity_id) => ({
        id: expect.any(Number),
        entity_type: kind,
        entity_id,
        note_type: 'entity_added',
      })),
    )
    expect(events.map(plainly)).toEqual(
      notes.map(({ id, entity_id }) => ({
        type: `${singular[kind]}_added`,
        entity_id,
        created_by: user.id,
        value_before: [],
        value_after: [{ note: { id } }],
      })),
    )
    const { href } = events[0]._embedded.entity._links.self
    expect([events[0].entity_type, (await account.api.get(href)).body.id]).toEqual([
      singular[kind],
      ids[0],
    ])
  })

  /** The one change of a record: what it told, without what every change tells. */
  async function change(sent: (account: TestAccount) => Promise<object> | object) {
    const account = await newAccount()
    const tags = [{ name: 'stays' }, { name: 'Goes' }, { name: 'goes too' }]
    const id = await addRecord(account.api, kind, { name: 'Old', _embedded: { tags } })
    const before = await readRecord(account.api, kind, id)
    const user = await account.addUser()
    const body = await sent(account)
    const newsSince = await listen(account)
    account.clock.ahead += 10
    expect((await user.api.patch(`${path}/${id}`, body)).status).toBe(200)
    const after = await readRecord(account.api, kind, id)
    const { journal, events } = await newsSince()
    for (const event of events)
      expect(event).toMatchObject({
        entity_id: id,
        entity_type: singular[kind],
        created_by: user.id,
      })
    expect(journal).toMatchObject([
      {
        entity_type: kind,
        entity_id: id,
        created_by: user.id,
        after: { id, name: after.name, ...(kind === 'leads' && stageAndPrice(after)) },
      },
    ])
    const { updated_at, updated_by, ...moved } = journal[0]!.before!
    expect([updated_at, updated_by]).toEqual([before.updated_at, before.updated_by])
    const values = events.map(({ type, value_before, value_after }) => [
      type,
      value_before,
      value_after,
    ])
    return { before, after, actions: journal[0]!.actions, moved, events: values }
  }

  test('a new name', async () => {
    const { actions, moved, events } = await change(() => ({ name: 'Новое "имя"' }))
    expect([actions, moved]).toEqual([['update'], { name: 'Old' }])
    expect(events).toEqual([
      [
        'name_field_changed',
        [{ name_field_value: { name: 'Old' } }],
        [{ name_field_value: { name: 'Новое "имя"' } }],
      ],
    ])
  })

  test('another responsible user', async () => {
    const { actions, moved, events, before, after } = await change(async (account) => ({
      responsible_user_id: (await account.addUser()).id,
    }))
    const responsible = ({ responsible_user_id: id }: { responsible_user_id: number }) => [
      { responsible_user: { id } },
    ]
    expect([actions, moved]).toEqual([
      ['update', 'responsible'],
      { responsible_user_id: before.responsible_user_id },
    ])
    expect(events).toEqual([
      ['entity_responsible_changed', responsible(before), responsible(after)],
    ])
  })

  test('tags that came and tags that went', async () => {
    const { actions, moved, events, before } = await change(() => ({
      _embedded: { tags: [{ name: 'came' }, { name: 'STAYS' }, { name: 'came too' }] },
    }))
    expect([actions, moved]).toEqual([
      ['update'],
      { tag_ids: before._embedded.tags.map(({ id }: { id: number }) => id) },
    ])
    expect(events).toEqual([
      ['entity_tag_added', [], [{ tag: { name: 'came' } }, { tag: { name: 'came too' } }]],
      ['entity_tag_deleted', [{ tag: { name: 'Goes' } }, { tag: { name: 'goes too' } }], []],
    ])
  })

  test('everything at once is one row of the journal and one event for each, in a fixed order', async () => {
    const { actions, events } = await change(async (account) => ({
      name: 'New',
      tags_to_add: [{ name: 'a' }],
      tags_to_delete: [{ name: 'goes' }],
      created_at: 5,
      responsible_user_id: (await account.addUser()).id,
    }))
    expect(actions).toEqual(['update', 'responsible'])
    expect(events.map(([type]) => type)).toEqual([
      'name_field_changed',
      'entity_responsible_changed',
      'entity_tag_added',
      'entity_tag_deleted',
    ])
  })

  test('fields without an event of their own are told to followers only', async () => {
    const { actions, moved, events, before } = await change(() => ({
      created_at: 77,
      created_by: 0,
    }))
    expect([actions, events]).toEqual([['update'], []])
    expect(moved).toEqual({ created_at: before.created_at, created_by: before.created_by })
  })

  test('a new time alone is an update without events', async () => {
    const { actions, moved, events } = await change(({ kontor }) => ({
      updated_at: kontor.now() + 5,
    }))
    expect([actions, moved, events]).toEqual([['update'], {}, []])
  })

  test('reads, refused writes, new tags and changes that change nothing tell nothing', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, kind, {
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    const newsSince = await listen(account)
    await account.api.get(path)
    await account.api.get(`${path}/${id}`)
    await account.api.post(`${path}/tags`, [{ name: 'b' }])
    await account.api.post(path, [{ created_by: 999_999_999 }])
    await account.api.patch(`${path}/${id}`, { created_by: 999_999_999, name: 'New' })
    await account.api.patch(path, [
      { id, name: 'One', tags_to_add: [{ name: 'A' }] },
      { id, tags_to_delete: [{ name: 'b' }] },
    ])
    await account.api.patch(`${path}/${id}`, {})
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })
})

const stageAndPrice = ({ price, status_id }: { price: number; status_id: number }) => ({
  price,
  status_id,
})
