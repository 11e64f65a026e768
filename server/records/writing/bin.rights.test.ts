// The rights to delete and to restore records, and to list the bin.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addGroup, listen } from '../../../test/leads.ts'
import { addRecords, addUserWith, allKinds, idsIn, pathOf } from '../../../test/records.ts'
import { setAccount } from '../../features/accounts/accounts.ts'

describe.for(allKinds)('%s', (kind) => {
  const path = pathOf(kind)

  /** The statuses that deleting and restoring a record answer. */
  const handsOn = ({ api }: Pick<TestAccount, 'api'>) => ({
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
      for (const [place, name] of Object.keys(people).entries()) {
        const isReached = (reached as readonly string[]).includes(name)
        expect([name, await handsOn(user).drop(ids[place]!)]).toEqual([name, isReached ? 204 : 403])
        if (!isReached) await handsOn(account).drop(ids[place]!)
        expect([name, await handsOn(user).restore(ids[place]!)]).toEqual([
          name,
          isReached ? 200 : 403,
        ])
      }
      expect(
        (await newsSince()).events.filter(({ created_by }) => created_by === user.id),
      ).toHaveLength(2 * reached.length)
    },
  )

  test('the bin shows what its reader may view', async () => {
    const account = await newAccount()
    const user = await addUserWith(account, kind, { view: 'M' })
    const blind = await addUserWith(account, kind, { add: 'A' })
    const ids = await addRecords(account.api, kind, [{}, { responsible_user_id: user.id }, {}])
    for (const id of ids) await handsOn(account).drop(id)
    expect(await bin(user)).toEqual([ids[1]])
    expect(await bin(account)).toEqual(ids)
    expect(await bin(await newAccount())).toEqual([])
    expect((await blind.api.get(`${path}?with=only_deleted`)).status).toBe(403)
  })

  test('what is not there can neither be deleted nor restored', async () => {
    const account = await newAccount()
    const theirs = await newAccount()
    const [live, gone] = await addRecords(theirs.api, kind, [{}, {}])
    await handsOn(theirs).drop(gone!)
    const { drop, restore } = handsOn(account)
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
    const { drop, restore } = handsOn(account)
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
