// Deleted records lie in the bin: absent everywhere, listed there, and brought back. The purge is
// in purge.test.ts.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { addGroup, faultsOf, listen, plainly } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  find,
  idsIn,
  isRestorationLogged,
  letters,
  pathOf,
  readRecord,
} from '../../../test/records.ts'
import { singular } from '../../entity-types.ts'
import { setAccount } from '../../features/people/accounts/accounts.ts'

describe.for(allKinds)('the bin of %s', (kind) => {
  const path = pathOf(kind)
  const noun = singular[kind]
  // The restore of a customer makes no event (interface: The bin).
  const restores = isRestorationLogged(kind) ? 1 : 0

  /** The answers to deleting and restoring a record. */
  const actsOf = ({ api }: Pick<TestAccount, 'api'>) => ({
    drop: async (id: number) => (await api.delete(`${path}/${id}`)).status,
    restore: async (id: number) => (await api.post(`${path}/${id}/restore`)).status,
  })
  const bin = async ({ api }: Pick<TestAccount, 'api'>, query = '') =>
    idsIn(await api.get(`${path}?with=only_deleted&${query}`), kind)

  test('a deleted one is nowhere but in the bin until it is restored as it was', async () => {
    const account = await newAccount()
    const { api } = account
    const tags = [{ name: 'a' }]
    const [id, other] = await addRecords(api, kind, [
      { name: 'One', _embedded: { tags } },
      { name: 'Two' },
    ])
    const before = await readRecord(api, kind, id!)
    const { drop, restore } = actsOf(account)
    expect(await drop(id!)).toBe(204)
    expect((await api.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.get(`${path}/${id}?with=only_deleted`)).status).toBe(404)
    expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
    expect(faultsOf(await api.patch(path, [{ id: other, name: 'New' }, { id }]))).toEqual({
      1: ['EntityNotFound id'],
    })
    for (const query of [
      '',
      `filter[id]=${id}`,
      'filter[name]=One',
      'order[updated_at]=desc',
      `filter[created_by]=${account.admin.id}`,
    ])
      expect(await find(account, kind, query)).not.toContain('One')
    expect(await bin(account)).toEqual([id])

    const restored = await api.post(`${path}/${id}/restore`)
    expect([restored.status, restored.body]).toEqual([
      200,
      { ...before, updated_at: restored.body.updated_at },
    ])
    expect(await readRecord(api, kind, id!)).toEqual(restored.body)
    expect(await bin(account)).toEqual([])
    expect(await restore(id!)).toBe(404)
    expect(await drop(id!)).toBe(204)
    expect(await drop(id!)).toBe(404)
  })

  test('the bin tells which lie in it, who put them there and when, and nothing else; every other key is null', async () => {
    const account = await newAccount()
    const [id] = await addRecords(account.api, kind, [
      { name: 'One', _embedded: { tags: [{ name: 'a' }] } },
      {},
    ])
    const user = await account.addUser()
    const keys = Object.keys(await readRecord(account.api, kind, id!))
    account.clock.ahead += 100
    const from = account.kontor.now()
    await actsOf(user).drop(id!)
    const [binned, ...more] = (await account.api.get(`${path}?with=contacts,only_deleted`)).body
      ._embedded[kind]
    expect(more).toEqual([])
    expect(binned).toEqual({
      ...Object.fromEntries(keys.map((key) => [key, null])),
      id,
      updated_by: user.id,
      updated_at: expect.any(Number),
      is_deleted: true,
      account_id: account.id,
      _links: { self: { href: `${account.kontor.url}${path}/${id}` } },
    })
    expect(binned.updated_at).toBeGreaterThanOrEqual(from)
  })

  test('both are told once, without values; followers hear what moved', async () => {
    const account = await newAccount()
    const user = await account.addUser()
    const id = await addRecord(account.api, kind, { updated_at: 5, updated_by: 0 })
    const { drop, restore } = actsOf(user)
    const newsSince = await listen(account)
    for (const status of [await drop(id), await drop(id), await restore(id), await restore(id)])
      expect([204, 404, 200]).toContain(status)
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      {
        entity_type: kind,
        entity_id: id,
        actions: ['delete'],
        created_by: user.id,
        after: { id, is_deleted: true },
      },
      {
        entity_type: kind,
        entity_id: id,
        actions: ['restore'],
        created_by: user.id,
        after: { id, is_deleted: false },
      },
    ])
    expect(journal.map(({ before }) => before)).toEqual([
      { is_deleted: false, updated_at: 5, updated_by: 0 },
      { is_deleted: true, updated_at: journal[0]!.after['updated_at'], updated_by: user.id },
    ])
    const plain = { entity_id: id, created_by: user.id, value_before: [], value_after: [] }
    const types = [`${noun}_deleted`, ...(restores === 0 ? [] : [`${noun}_restored`])]
    expect(events.map(plainly)).toEqual(types.map((type) => ({ type, ...plain })))
    expect(events.map(({ entity_type }) => entity_type)).toEqual(types.map(() => noun))
  })

  test('the bin has pages, orders and filters as any list, and a walk through it skips nothing while some are restored', async () => {
    const account = await newAccount()
    const drafts = letters(9).map((draft, index) => ({ ...draft, created_at: 1000 - index }))
    const ids = await addRecords(account.api, kind, drafts)
    for (const id of ids) await actsOf(account).drop(id)
    expect(await bin(account, 'order[id]=desc&limit=3&page=2')).toEqual([ids[5], ids[4], ids[3]])
    expect(await bin(account, 'order[created_at]=asc&limit=2')).toEqual([ids[8], ids[7]])
    expect(await bin(account, `filter[id][]=${ids[2]}&filter[id][]=${ids[4]}`)).toEqual([
      ids[2],
      ids[4],
    ])
    expect(await bin(account, 'filter[name]=C')).toEqual([ids[2]])
    const seen: number[] = []
    for (let next: string | undefined = `${path}?with=only_deleted&limit=2`; next;) {
      const answer: Answer = await account.api.get(next)
      seen.push(...idsIn(answer, kind))
      await actsOf(account).restore(seen[0] === idsIn(answer, kind)[0] ? seen[0]! : seen[1]!)
      next = answer.body._links.next?.href
    }
    expect(seen).toEqual(ids)
  })

  test('a deletion and changes at the same time: each change came before it, or found nothing', async () => {
    const account = await newAccount()
    const ids = await addRecords(
      account.api,
      kind,
      Array.from({ length: 12 }, () => ({})),
    )
    const newsSince = await listen(account)
    const rounds = await Promise.all(
      ids.map(async (id, index) => {
        const deletions = [actsOf(account).drop(id), actsOf(account).drop(id)]
        const change = account.api.patch(`${path}/${id}`, { name: `New ${index}` })
        return { id, deleted: await Promise.all(deletions), changed: (await change).status }
      }),
    )
    const { journal } = await newsSince()
    for (const { id, deleted, changed } of rounds) {
      expect(deleted.toSorted((a, b) => a - b)).toEqual([204, 404])
      const actions = journal
        .filter(({ entity_id }) => entity_id === id)
        .map((row) => row.actions.join())
      expect([changed, actions]).toEqual(
        changed === 200 ? [200, ['update', 'delete']] : [404, ['delete']],
      )
    }
    expect(await bin(account)).toEqual(ids)
    const restored = await Promise.all([
      actsOf(account).restore(ids[0]!),
      actsOf(account).restore(ids[0]!),
    ])
    expect(restored.toSorted((a, b) => a - b)).toEqual([200, 404])
  })
})

// Rights to delete, to restore and to see the bin.
describe.for(allKinds)('rights to the bin of %s', (kind) => {
  const path = pathOf(kind)
  const restores = isRestorationLogged(kind) ? 1 : 0

  /** The answers to deleting and restoring a record. */
  const actsOf = ({ api }: Pick<TestAccount, 'api'>) => ({
    drop: async (id: number) => (await api.delete(`${path}/${id}`)).status,
    restore: async (id: number) => (await api.post(`${path}/${id}/restore`)).status,
  })
  const bin = async ({ api }: Pick<TestAccount, 'api'>, query = '') =>
    idsIn(await api.get(`${path}?with=only_deleted&${query}`), kind)

  test.for([
    ['A', ['own', 'group', 'other']],
    ['G', ['own', 'group']],
    ['M', ['own']],
    ['D', []],
  ] as const)(
    'with the right %s to delete, these go and come back: %s',
    async ([letter, reached]) => {
      const account = await newAccount()
      const group_id = await addGroup(account)
      const user = await addUserWith(
        account,
        kind,
        { view: 'A', edit: 'A', delete: letter },
        group_id,
      )
      const people = { own: user, group: await account.addUser({ group_id }), other: account.admin }
      const ids = await addRecords(
        account.api,
        kind,
        Object.values(people).map(({ id }) => ({ responsible_user_id: id })),
      )
      const newsSince = await listen(account)
      for (const [index, name] of Object.keys(people).entries()) {
        const isReached = (reached as readonly string[]).includes(name)
        expect([name, await actsOf(user).drop(ids[index]!)]).toEqual([name, isReached ? 204 : 403])
        if (!isReached) await actsOf(account).drop(ids[index]!)
        expect([name, await actsOf(user).restore(ids[index]!)]).toEqual([
          name,
          isReached ? 200 : 403,
        ])
      }
      expect(
        (await newsSince()).events.filter(({ created_by }) => created_by === user.id),
      ).toHaveLength((1 + restores) * reached.length)
    },
  )

  test('the bin shows what its reader may view', async () => {
    const account = await newAccount()
    const user = await addUserWith(account, kind, { view: 'M' })
    const blind = await addUserWith(account, kind, { add: 'A' })
    const ids = await addRecords(account.api, kind, [{}, { responsible_user_id: user.id }, {}])
    for (const id of ids) await actsOf(account).drop(id)
    expect(await bin(user)).toEqual([ids[1]])
    expect(await bin(account)).toEqual(ids)
    expect(await bin(await newAccount())).toEqual([])
    expect((await blind.api.get(`${path}?with=only_deleted`)).status).toBe(403)
  })

  test('what is not there can neither be deleted nor restored', async () => {
    const account = await newAccount()
    const theirs = await newAccount()
    const [live, gone] = await addRecords(theirs.api, kind, [{}, {}])
    await actsOf(theirs).drop(gone!)
    const { drop, restore } = actsOf(account)
    for (const id of [live!, gone!, 999_999_999])
      expect([await drop(id), await restore(id)]).toEqual([404, 404])
    expect(await bin(theirs)).toEqual([gone])
    expect(
      (await account.api.delete(`${path}/${live}`, undefined, { authorization: '' })).status,
    ).toBe(401)
    expect(
      (await account.api.post(`${path}/${gone}/restore`, undefined, { authorization: '' })).status,
    ).toBe(401)
  })

  test('an account that is not paid neither deletes nor restores, but reads its bin', async () => {
    const account = await newAccount()
    const { kontor, subdomain } = account
    const [live, gone] = await addRecords(account.api, kind, [{}, {}])
    const { drop, restore } = actsOf(account)
    await drop(gone!)
    await kontor.database.transaction((tx) =>
      setAccount(tx, kontor.now(), subdomain, { isUnpaid: true }),
    )
    await expect.poll(async () => (await account.api.get('/api/v4/events')).status).toBe(402)
    expect(await drop(live!)).toBe(402)
    expect(await restore(gone!)).toBe(402)
    expect(await bin(account)).toEqual([gone])
    expect(idsIn(await account.api.get(path), kind)).toEqual([live])
  })
})
