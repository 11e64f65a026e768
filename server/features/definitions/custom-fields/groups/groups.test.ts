import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { faultsOf, listen } from '../../../../../test/leads.ts'
import { entityTypes } from '../../../../entity-types.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

describe.each(entityTypes)('%s', (type) => {
  const fieldsPath = `/api/v4/${type}/custom_fields`
  const path = `${fieldsPath}/groups`
  const addField = async (draft: object = {}) =>
    (await account.api.post(fieldsPath, { name: 'A field', type: 'text', ...draft })).body._embedded
      .custom_fields[0]
  const addGroup = async (draft: object = {}) =>
    (await account.api.post(path, { name: 'A group', sort: 20, ...draft })).body._embedded
      .custom_field_groups[0]
  const groupOf = async (field: { id: number }) =>
    (await account.api.get(`${fieldsPath}/${field.id}`)).body.group_id

  test('a fresh account has the default group with all fields, leads one for where they come from', async () => {
    const { api, kontor } = await newAccount()
    const { body } = await api.get(path)
    const all = (await api.get(`${fieldsPath}?order[sort]=asc`)).body._embedded.custom_fields
    const ids = all.map(({ id }: { id: number }) => id)
    const group = (id: string, name: string, sort: number, kind: string, fields: number[]) => ({
      id,
      name,
      sort,
      is_predefined: true,
      type: kind,
      entity_type: type,
      fields,
      _links: { self: { href: expect.stringMatching(new RegExp(`${path}/${id}$`)) } },
    })
    const isLeads = type === 'leads'
    expect(body).toEqual({
      _total_items: isLeads ? 2 : 1,
      _links: { self: { href: `${kontor.url}${path}` } },
      _embedded: {
        custom_field_groups: [
          group('default', 'General', 1, 'custom_field_group', isLeads ? [] : ids),
          ...(isLeads ? [group('statistic', 'Statistics', 2, 'linked_group', ids)] : []),
        ],
      },
    })
  })

  test('a group is created from one that was read, with an id and a place of its own, and without its fields', async () => {
    const other = await addGroup({ sort: 6 })
    await addField({ group_id: other.id })
    const { body: read } = await account.api.get(`${path}/${other.id}`)
    const made = await addGroup({ ...read, sort: 7 })
    expect(made).toMatchObject({ name: read.name, sort: 7, fields: [] })
    expect(made.id).not.toBe(other.id)
    expect((await account.api.get(`${path}/${other.id}`)).body).toEqual(read)
  })

  test('groups are created, read and listed in their order', async () => {
    const { status, body } = await account.api.post(path, [
      { name: ' Later ', sort: 9, request_id: 'mine' },
      { name: 'Sooner', sort: 8 },
    ])
    expect([status, body._total_items, Object.keys(body).toSorted()]).toEqual([
      201,
      2,
      ['_embedded', '_total_items'],
    ])
    const [{ request_id, ...later }, sooner] = body._embedded.custom_field_groups
    expect([request_id, sooner.request_id]).toEqual(['mine', '1'])
    expect(later).toMatchObject({
      id: expect.stringMatching(new RegExp(`^${type}_\\d+$`)),
      name: 'Later',
      sort: 9,
      is_predefined: false,
      type: 'custom_field_group',
      entity_type: type,
      fields: [],
    })
    expect((await account.api.get(later._links.self.href)).body).toEqual(later)
    const listed = (await account.api.get(path)).body._embedded.custom_field_groups.map(
      ({ id }: { id: string }) => id,
    )
    expect(listed.slice(-2)).toEqual([sooner.id, later.id])
  })

  test('fields go into a group when they say so and when it does, those that are not named stay', async () => {
    const group = await addGroup()
    const first = await addField({ group_id: group.id, sort: 500 })
    const [second, third] = [await addField({ sort: 499 }), await addField({ group_id: 'default' })]
    expect([first.group_id, second.group_id, third.group_id]).toEqual([group.id, null, null])
    const changed = await account.api.patch(`${path}/${group.id}`, { fields: [second.id] })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...group, request_id: '0', fields: [second.id, first.id] },
    ])
    expect([await groupOf(first), await groupOf(second), await groupOf(third)]).toEqual([
      group.id,
      group.id,
      null,
    ])
    const main = await account.api.patch(`${path}/default`, { fields: [first.id] })
    expect(main.body.fields).toContain(first.id)
    expect([await groupOf(first), await groupOf(second)]).toEqual([null, group.id])
    await account.api.patch(`${fieldsPath}/${second.id}`, { group_id: null })
    expect((await account.api.get(`${path}/${group.id}`)).body.fields).toEqual([])
  })

  test('all groups are on the first page', async () => {
    const first = await account.api.get(`${path}?page=1`)
    const { body: second } = await account.api.get(`${path}?page=2`)
    expect(first.body._embedded).toEqual((await account.api.get(path)).body._embedded)
    expect([second._total_items, second._embedded.custom_field_groups]).toEqual([0, []])
    expect((await account.api.get(`${path}?page=0`)).body._embedded).toEqual(first.body._embedded)
  })

  test('a field of elsewhere is refused, and nothing moves', async () => {
    const [group, field] = [await addGroup(), await addField()]
    const refused = await account.api.patch(`${path}/${group.id}`, {
      name: 'New',
      fields: [field.id, 1],
    })
    expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice fields.1'] })
    expect(await groupOf(field)).toBeNull()
    expect((await account.api.get(`${path}/${group.id}`)).body.name).toBe('A group')
  })

  test('what is read can be sent back, names and places change, also of predefined groups', async () => {
    const group = await addGroup()
    const read = (await account.api.get(`${path}/${group.id}`)).body
    const change = async (body: object) =>
      (await account.api.patch(`${path}/${group.id}`, body)).body
    expect(await change(read)).toEqual({ ...read, request_id: '0' })
    expect(await change({ name: ' New ', request_id: 'mine' })).toEqual({
      ...read,
      name: 'New',
      request_id: 'mine',
    })
    expect(await change({ sort: 3 })).toEqual({ ...read, name: 'New', sort: 3, request_id: '0' })
    expect((await account.api.patch(`${path}/default`, { name: 'Main' })).body).toMatchObject({
      id: 'default',
      name: 'Main',
    })
    expect((await account.api.patch(`${path}/${group.id}`, {})).status).toBe(400)
  })

  test('the fields of a deleted group are in the default one; predefined groups stay', async () => {
    const group = await addGroup()
    const field = await addField({ group_id: group.id })
    expect((await account.api.delete(`${path}/${group.id}`)).status).toBe(204)
    expect((await account.api.delete(`${path}/${group.id}`)).status).toBe(404)
    expect(await groupOf(field)).toBeNull()
    expect((await account.api.get(`${path}/default`)).body.fields).toContain(field.id)
    expect((await account.api.delete(`${path}/default`)).status).toBe(400)
    if (type === 'leads') expect((await account.api.delete(`${path}/statistic`)).status).toBe(400)
  })

  test.each<[string, unknown, object]>([
    ['nothing', [], { 0: ['TooFew '] }],
    ['no object', ['x'], { 0: ['InvalidType '] }],
    ['no name and no place', [{}], { 0: ['FieldMissing name', 'FieldMissing sort'] }],
    ['a blank name', [{ name: ' ', sort: 1 }], { 0: ['NotBlank name'] }],
    ['a long name', [{ name: 'x'.repeat(256), sort: 1 }], { 0: ['TooLong name'] }],
    [
      'one bad of two',
      [
        { name: 'a', sort: 1 },
        { name: 'b', sort: 'x', request_id: 'b' },
      ],
      { b: ['InvalidType sort'] },
    ],
    ['too many', Array.from({ length: 101 }, () => ({ name: 'a', sort: 1 })), { 0: ['TooMany '] }],
  ])('%s is refused', async (_, body, faults) => {
    const before = (await account.api.get(path)).body
    expect(faultsOf(await account.api.post(path, body))).toEqual(faults)
    expect((await account.api.get(path)).body).toEqual(before)
  })

  test('groups of other entity types and accounts are not found', async () => {
    const theirs = await newAccount()
    const group = await addGroup()
    const elsewhere = type === 'leads' ? 'contacts' : 'leads'
    for (const [api, at] of [
      [theirs.api, path],
      [account.api, `/api/v4/${elsewhere}/custom_fields/groups`],
    ] as const)
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect(
          (
            await api.send(
              method,
              `${at}/${group.id}`,
              method === 'PATCH' ? { name: 'Mine' } : undefined,
            )
          ).status,
        ).toBe(404)
    const taken = await theirs.api.post(fieldsPath, { name: 'a', type: 'text', group_id: group.id })
    expect(faultsOf(taken)).toEqual({ 0: ['NotSupportedChoice group_id'] })
    expect((await account.api.get(`${path}/..`)).status).not.toBe(500)
    expect((await account.api.get(`${path}/${'x'.repeat(101)}`)).status).toBe(404)
  })
})

const path = '/api/v4/leads/custom_fields/groups'

test('an entity type has 100 groups at most', async () => {
  const { api } = await newAccount()
  const drafts = Array.from({ length: 98 }, (_, sort) => ({ name: 'A group', sort }))
  expect((await api.post(path, drafts)).status).toBe(201)
  expect((await api.post(path, drafts[0])).status).toBe(422)
  expect((await api.post('/api/v4/contacts/custom_fields/groups', drafts[0])).status).toBe(201)
})

test('everybody reads groups, administrators write them, and nothing is recorded', async () => {
  const recorded = await listen(account)
  const { api } = await account.addUser({ rights: {} })
  const id = (await account.api.post(path, { name: 'A group', sort: 1 })).body._embedded
    .custom_field_groups[0].id
  expect((await api.get(path)).body).toEqual((await account.api.get(path)).body)
  expect((await api.get(`${path}/${id}`)).status).toBe(200)
  expect((await api.post(path, { name: 'x', sort: 1 })).status).toBe(403)
  expect((await api.patch(`${path}/${id}`, { name: 'x' })).status).toBe(403)
  expect((await api.delete(`${path}/${id}`)).status).toBe(403)
  await account.api.patch(`${path}/${id}`, { name: 'Another' })
  await account.api.delete(`${path}/${id}`)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('a group that goes while a field comes leaves no field behind in it', async () => {
  const { api } = account
  for (let round = 0; round < 5; round++) {
    const id = (await api.post(path, { name: 'A group', sort: 1 })).body._embedded
      .custom_field_groups[0].id
    const draft = { name: 'A field', type: 'text', group_id: id }
    const [made, gone] = await Promise.all([
      api.post('/api/v4/leads/custom_fields', draft),
      api.delete(`${path}/${id}`),
    ])
    expect(gone.status).toBe(204)
    if (made.status === 201) {
      const { href } = made.body._embedded.custom_fields[0]._links.self
      expect((await api.get(href)).body.group_id).toBeNull()
    } else expect(faultsOf(made)).toEqual({ 0: ['NotSupportedChoice group_id'] })
  }
})
