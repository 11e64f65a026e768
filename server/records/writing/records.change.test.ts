// Changing contacts and companies, alone and in batches, their tags, and many requests at once.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addGroup, faultsOf, listen } from '../../../test/leads.ts'
import { addRecord, addRecords, kinds, pathOf, readRecord } from '../../../test/records.ts'

describe.for(kinds)('%s', (kind) => {
  const path = pathOf(kind)

  test('only what is sent changes; the answer is flat and embedded, and both links lead to the record', async () => {
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
    expect([status, body]).toEqual([
      200,
      {
        id,
        name: 'New',
        updated_at,
        _links,
        _embedded: { [kind]: [{ id, name: 'New', updated_at, request_id: 'r', _links }] },
      },
    ])
    const after = (await account.api.get(body._links.self.href)).body
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

  test('what was read can be sent back, alone and in a batch, and nothing has happened', async () => {
    const account = await newAccount()
    const { api } = account
    const { id: responsible_user_id } = await account.addUser({ group_id: await addGroup(account) })
    const lead = await addRecord(api, 'leads')
    const ids = await addRecords(api, kind, [
      {},
      { name: 'One', _embedded: { tags: [{ name: 'a' }, { name: 'b' }] } },
      { responsible_user_id, created_by: 0, updated_by: 0, created_at: 1, updated_at: 2 },
    ])
    const everything = 'with=leads,contacts,only_deleted'
    await api.post('/api/v4/leads', [{ _embedded: { [kind]: [{ id: ids[0] }] } }])
    const read = () => Promise.all(ids.map((id) => readRecord(api, kind, id, everything)))
    const before = await read()
    expect(before[0]._embedded.leads).toMatchObject([{ id: expect.any(Number) }])
    expect(before[0]._embedded.leads).not.toMatchObject([{ id: lead }])
    const newsSince = await listen(account)
    account.clock.ahead += 3600
    for (const record of before) {
      const { status, body } = await api.patch(`${path}/${record.id}`, record)
      expect([status, body.updated_at]).toEqual([200, record.updated_at])
    }
    expect((await api.patch(path, before)).status).toBe(200)
    expect(await read()).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    // With one changed key, only that key changes.
    const { body } = await api.patch(`${path}/${ids[2]}`, { ...before[2], created_at: 5 })
    const changed = {
      ...before[2],
      created_at: 5,
      updated_at: body.updated_at,
      updated_by: account.admin.id,
    }
    expect(await readRecord(api, kind, ids[2]!, everything)).toEqual(changed)
  })

  test('authors and times may be sent; a new responsible user brings the group along', async () => {
    const account = await newAccount()
    const group_id = await addGroup(account)
    const member = await account.addUser({ group_id })
    const id = await addRecord(account.api, kind)
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
    await account.api.patch(`${path}/${id}`, { responsible_user_id: member.id })
    expect(await readRecord(account.api, kind, id)).toMatchObject({
      responsible_user_id: member.id,
      group_id,
    })
  })

  test('null clears the custom fields and the tags and is refused elsewhere', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { name: 'One', _embedded: { tags: [{ name: 'a' }] } })
    const refused = await api.patch(`${path}/${id}`, {
      name: null,
      responsible_user_id: null,
      created_at: null,
      updated_at: null,
      created_by: null,
      updated_by: null,
      tags_to_add: null,
    })
    expect(faultsOf(refused)[0]?.map((fault) => fault.split(' ')[0])).toEqual(
      Array.from({ length: 7 }, () => 'NotNullable'),
    )
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

  test('a name may be emptied', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { name: 'One' })
    await api.patch(`${path}/${id}`, { name: ' ' })
    expect((await readRecord(api, kind, id)).name).toBe('')
  })

  test.for(['[]', '[{"name":"x"}]', '"x"', 'null', '', '7'])(
    'one is not changed by %s',
    async (body) => {
      const { api } = await newAccount()
      expect((await api.patch(`${path}/${await addRecord(api, kind)}`, body)).status).toBe(400)
    },
  )
})
