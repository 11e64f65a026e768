import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../../test/account.ts'
import { newsOf } from '../../../../../test/inbox.ts'

const path = '/web/v1/chat-templates'

let account: TestAccount
let user: TestUser
beforeAll(async () => {
  account = await newAccount()
  user = await account.addUser()
})

describe('templates', () => {
  test('are made, changed and deleted by administrators, and read by everybody, in their order', async () => {
    const { journal } = await newsOf(account, async () => {
      const add = async (name: string) =>
        (await account.api.post(path, { name, content: `Hello from ${name}` })).body
      const [b, a] = [await add(' b '), await add('A')]
      const move = (id: number, before: number | null) =>
        account.api.post(`${path}/${id}/move`, { before })
      expect(b).toMatchObject({
        name: 'b',
        content: 'Hello from  b ',
        group_ids: null,
        created_by: account.admin.id,
        _links: { self: { href: `${account.kontor.url}${path}/${b.id}` } },
      })
      const listed = async () =>
        (await user.api.get(path)).body._embedded.templates.map(
          ({ name }: { name: string }) => name,
        )
      expect(await listed()).toEqual(['b', 'A'])
      expect((await move(a.id, b.id)).status).toBe(204)
      expect(await listed()).toEqual(['A', 'b'])
      expect((await move(a.id, null)).status).toBe(204)
      const { body } = await account.api.patch(`${path}/${a.id}`, { name: 'c' })
      expect(body).toMatchObject({ id: a.id, name: 'c', content: a.content })
      expect(await listed()).toEqual(['b', 'c'])
      expect((await move(b.id, 4_000_000)).status).toBe(400)
      expect((await move(4_000_000, b.id)).status).toBe(404)
      const { body: same } = await account.api.patch(`${path}/${a.id}`, { content: a.content })
      expect(same).toEqual(body)
      expect((await account.api.delete(`${path}/${a.id}`)).status).toBe(204)
      expect((await account.api.delete(`${path}/${a.id}`)).status).toBe(404)
      expect((await account.api.patch(`${path}/${a.id}`, { name: 'd' })).status).toBe(404)
      expect(await listed()).toEqual(['b'])
    })
    expect(journal).toEqual([])
  })

  test('of another account are not there', async () => {
    const { body } = await account.api.post(path, { name: 'Ours', content: 'x' })
    const other = await newAccount()
    expect((await other.api.get(path)).body._embedded.templates).toEqual([])
    expect((await other.api.patch(`${path}/${body.id}`, { name: 'Theirs' })).status).toBe(404)
    expect((await other.api.delete(`${path}/${body.id}`)).status).toBe(404)
    expect((await other.api.post(`${path}/${body.id}/move`, { before: null })).status).toBe(404)
    expect((await user.api.post(path, { name: 'x', content: 'x' })).status).toBe(403)
    expect((await user.api.post(`${path}/${body.id}/move`, { before: null })).status).toBe(403)
    expect((await user.api.patch(`${path}/${body.id}`, { name: 'x' })).status).toBe(403)
    expect((await user.api.delete(`${path}/${body.id}`)).status).toBe(403)
  })

  test('of some groups are read by their users and by administrators alone', async () => {
    const { api, addUser } = await newAccount()
    const group = async (name: string) => (await api.post('/web/v1/groups', { name })).body.id
    const [north, south] = [await group('North'), await group('South')]
    const [near, far] = [await addUser({ group_id: north }), await addUser({ group_id: south })]
    const names = async (reader: typeof api) =>
      (await reader.get(path)).body._embedded.templates.map(({ name }: { name: string }) => name)
    const add = async (name: string, group_ids: number[] | null) =>
      (await api.post(path, { name, content: 'x', group_ids })).body
    await add('all', null)
    const own = await add('north', [north])
    await add('nobody', [])
    expect(own.group_ids).toEqual([north])
    expect(await names(api)).toEqual(['all', 'north', 'nobody'])
    expect(await names(near.api)).toEqual(['all', 'north'])
    expect(await names(far.api)).toEqual(['all'])
    const { body } = await api.patch(`${path}/${own.id}`, { group_ids: [south, north] })
    expect(body.group_ids).toEqual([north, south])
    expect(await names(far.api)).toEqual(['all', 'north'])
    // Whatever else changes, they stay.
    await api.patch(`${path}/${own.id}`, { name: 'both' })
    expect(await names(far.api)).toEqual(['all', 'both'])
    // Its users are in the built-in group then, which is not among them.
    await api.delete(`/web/v1/groups/${south}`)
    expect(await names(far.api)).toEqual(['all'])
    expect((await api.get(path)).body._embedded.templates[1].group_ids).toEqual([north])
    const refused = await api.patch(`${path}/${own.id}`, { group_ids: [north, south] })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toContain('group_ids.1')
    const { body: open } = await api.patch(`${path}/${own.id}`, { group_ids: null })
    expect(open.group_ids).toBeNull()
    expect(await names(far.api)).toEqual(['all', 'both'])
  })

  test('name what is known of a record, and nothing else', async () => {
    const write = (content: string) => account.api.post(path, { name: 'x', content })
    expect((await write('Hello {{contact.first_name}}, {{ user.name }}')).status).toBe(201)
    expect((await write('{not one} { { nor } } {{')).status).toBe(201)
    const { status, body } = await write('Hello {{contact.frist_name}}')
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('{{contact.frist_name}} is no placeholder')
    const { body: made } = await write('Hello')
    const change = { content: '{{}}' }
    expect((await account.api.patch(`${path}/${made.id}`, change)).status).toBe(400)
  })

  test.each([
    [{}],
    [{ name: 'x' }],
    [{ name: ' ', content: 'x' }],
    [{ name: 'x', content: '' }],
    [{ name: 'x'.repeat(256), content: 'x' }],
    [{ name: 'x', content: 'x'.repeat(20_001) }],
    [{ name: 'x', content: 'x', kind: 1 }],
    [{ name: 'x', content: 'x', group_ids: ['x'] }],
    [{ name: 'x', content: 'x', group_ids: [-1] }],
    [[]],
  ])('are refused: %j', async (draft) => {
    expect((await account.api.post(path, draft)).status).toBe(400)
  })

  test('are at most 500', async () => {
    const full = await newAccount()
    await full.kontor.database.transaction((tx) =>
      tx.rows(sql`
        insert into chat_templates (account_id, name, content, created_by, created_at, updated_at)
        select ${full.id}, n, n, 1, 1, 1 from generate_series(1, 499) n`),
    )
    const draft = { name: 'x', content: 'x'.repeat(20_000) }
    expect((await full.api.post(path, draft)).status).toBe(201)
    expect((await full.api.post(path, draft)).status).toBe(422)
  })
})
