// Creating and reading contacts and companies, which have only what all records have (leads:
// features/leads).
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addGroup, faultsOf, listen } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  idsIn,
  kinds,
  namesIn,
  pathOf,
  readRecord,
} from '../../../test/records.ts'
import { newPair } from '../../../test/oauth.ts'
import { client } from '../../../test/client.ts'
import { setUser } from '../../features/users/users.ts'

const own = { contacts: { first_name: '', last_name: '', is_unsorted: false }, companies: {} }
const embedded = { contacts: { tags: [], companies: [] }, companies: { tags: [] } }

describe.for(kinds)('%s', (kind) => {
  const path = pathOf(kind)

  test('one without anything gets its defaults, and every field is there and no other', async () => {
    const account = await newAccount()
    const before = account.kontor.now()
    const id = await addRecord(account.api, kind)
    const { created_at, ...record } = await readRecord(account.api, kind, id)
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
    const record = await readRecord(account.api, kind, await addRecord(account.api, kind, sent))
    expect(record).toMatchObject({
      ...sent,
      name: 'Ромашка №17',
      responsible_user_id: seller.id,
      group_id,
    })
  })

  test('keys that are only read are ignored', async () => {
    const { api, id: account_id } = await newAccount()
    const read = {
      id: 7,
      group_id: 5,
      closest_task_at: 1,
      is_deleted: true,
      account_id: 1,
      _links: {},
      _embedded: { leads: [] },
    }
    const id = await addRecord(api, kind, read)
    expect(id).not.toBe(7)
    expect(await readRecord(api, kind, id)).toMatchObject({
      account_id,
      group_id: 0,
      closest_task_at: null,
      is_deleted: false,
    })
  })

  test('a batch is answered in its order with its request ids; the links lead to the records', async () => {
    const { api, kontor } = await newAccount()
    const names = ['Zoe', 'Adam', 'Мария', 'Adam']
    const { status, body } = await api.post(path, [
      { name: names[0], request_id: 'z' },
      { name: names[1] },
      { name: names[2], request_id: '' },
      { name: names[3], request_id: 17 },
    ])
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

  test('250 are one request in their order, 251 are too many, and an object counts as one', async () => {
    const { api } = await newAccount()
    const drafts = Array.from({ length: 251 }, (_, place) => ({ name: `Number ${place}` }))
    expect(faultsOf(await api.post(path, drafts))).toEqual({ 0: ['TooMany '] })
    await addRecords(api, kind, drafts.slice(1))
    expect(
      (await api.post(path, { name: 'Alone', request_id: 'only' })).body._embedded[kind],
    ).toMatchObject([{ request_id: 'only' }])
    const listed = await api.get(`${path}?limit=250`)
    expect(namesIn(listed, kind)).toEqual(drafts.slice(1).map(({ name }) => name))
    expect(namesIn(await api.get(listed.body._links.next.href), kind)).toEqual(['Alone'])
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
    const refused = await api.post(path, [
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
      { name: null, responsible_user_id: 0 },
      'not an object',
    ])
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
      6: ['NotNullable name', expect.stringMatching(/ responsible_user_id$/)],
      7: ['InvalidType '],
    })
    expect(idsIn(await api.get(path), kind)).toEqual([])
    expect((await api.get(`${path}/tags`)).body._embedded.tags).toEqual([])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test.for(['0', 'abc', '1152921504606846976', '-1', '1.5', '1e3', '%00', 'null'])(
    'there is none %s',
    async (id) => {
      const { api } = await newAccount()
      expect((await api.get(`${path}/${id}`)).status).toBe(404)
      expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
      expect((await api.delete(`${path}/${id}`)).status).toBe(404)
      expect((await api.post(`${path}/${id}/restore`)).status).toBe(404)
    },
  )

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
    expect((await api.patch(`${path}/999999999`, { name: 'New' })).status).toBe(404)
    expect((await account.api.get(path)).body._embedded[kind]).toEqual([])
  })
})

async function usedTo204(account: TestAccount) {
  const { access_token } = await newPair(account, await account.addIntegration({ empty_list: 204 }))
  return client(account.kontor, access_token)
}
