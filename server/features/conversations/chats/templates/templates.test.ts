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
  test('are made, changed and deleted by administrators, and read by everybody, by name', async () => {
    const { journal } = await newsOf(account, async () => {
      const add = async (name: string) =>
        (await account.api.post(path, { name, content: `Hello from ${name}` })).body
      const [b, a] = [await add(' b '), await add('A')]
      expect(b).toMatchObject({
        name: 'b',
        content: 'Hello from  b ',
        created_by: account.admin.id,
        _links: { self: { href: `${account.kontor.url}${path}/${b.id}` } },
      })
      const listed = async () =>
        (await user.api.get(path)).body._embedded.templates.map(
          ({ name }: { name: string }) => name,
        )
      expect(await listed()).toEqual(['A', 'b'])
      const { body } = await account.api.patch(`${path}/${a.id}`, { name: 'c' })
      expect(body).toMatchObject({ id: a.id, name: 'c', content: a.content })
      expect(await listed()).toEqual(['b', 'c'])
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
    expect((await user.api.post(path, { name: 'x', content: 'x' })).status).toBe(403)
    expect((await user.api.patch(`${path}/${body.id}`, { name: 'x' })).status).toBe(403)
    expect((await user.api.delete(`${path}/${body.id}`)).status).toBe(403)
  })

  test.each([
    [{}],
    [{ name: 'x' }],
    [{ name: ' ', content: 'x' }],
    [{ name: 'x', content: '' }],
    [{ name: 'x'.repeat(256), content: 'x' }],
    [{ name: 'x', content: 'x'.repeat(20_001) }],
    [{ name: 'x', content: 'x', kind: 1 }],
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
