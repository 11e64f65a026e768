import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { finishMoves } from './moving.ts'

const rights = {
  leads: { view: 'G' as const },
  contacts: { view: 'G' as const },
  companies: { view: 'G' as const },
}

/** Two groups with a user each, and a third user who is responsible for records. */
async function groups() {
  const account = await newAccount()
  const [north, south] = [
    (await account.api.post('/web/v1/groups', { name: 'North' })).body.id as number,
    (await account.api.post('/web/v1/groups', { name: 'South' })).body.id as number,
  ]
  const inNorth = await account.addUser({ rights, group_id: north })
  const inSouth = await account.addUser({ rights, group_id: south })
  const mover = await account.addUser({ rights, group_id: north })
  return { ...account, north, south, inNorth, inSouth, mover }
}

const stored = ({ id, kontor }: TestAccount) =>
  kontor.database.rows<{ group_id: number; count: number }>(sql`
    select group_id, count(*) from (select account_id, group_id from leads union all select account_id, group_id from contacts
                                     union all select account_id, group_id from companies) record
     where account_id = ${id} group by group_id order by group_id`)

const isMoved = async ({ id, kontor }: TestAccount) =>
  (await kontor.database.row(
    sql`select from users where account_id = ${id} and group_move is not null limit 1`,
  )) === undefined

test('records follow a user to another group, those in the bin too', async () => {
  const account = await groups()
  const { api, inNorth, inSouth, mover, south } = account
  const drafts = Array.from({ length: 250 }, () => ({ responsible_user_id: mover.id }))
  for (const type of ['leads', 'leads', 'leads', 'leads', 'leads', 'contacts', 'companies'])
    expect((await api.post(`/api/v4/${type}`, drafts)).status).toBe(200)
  const [first, second] = (await inNorth.api.get('/api/v4/leads?limit=2')).body._embedded.leads
  await api.delete(`/api/v4/leads/${first.id}`)
  expect((await inSouth.api.get('/api/v4/leads')).body._embedded.leads).toEqual([])

  expect(
    (await api.patch(`/web/v1/users/${mover.id}`, { group_id: south })).body.rights.group_id,
  ).toBe(south)
  // Answers and rights change at once, whatever the records still store.
  expect((await api.get(`/api/v4/leads/${second.id}`)).body.group_id).toBe(south)
  await expect
    .poll(
      async () => (await inSouth.api.get('/api/v4/leads?limit=250')).body._embedded.leads.length,
    )
    .toBe(250)
  expect((await inNorth.api.get('/api/v4/contacts')).body._embedded.contacts).toEqual([])
  await expect.poll(() => isMoved(account), { timeout: 20_000 }).toBe(true)
  expect(await stored(account)).toEqual([{ group_id: south, count: 7 * 250 }])
  expect((await inSouth.api.get('/api/v4/companies')).body._embedded.companies).toHaveLength(50)
  expect((await inNorth.api.get('/api/v4/companies')).body._embedded.companies).toEqual([])
  expect(
    (await inSouth.api.get('/api/v4/leads?with=only_deleted')).body._embedded.leads,
  ).toMatchObject([{ id: first.id }])
})

test('the move is seen whole before a single record is rewritten', async () => {
  const account = await groups()
  const { api, inNorth, inSouth, kontor, mover, south } = account
  await api.post('/api/v4/leads', [
    { name: 'Moved', responsible_user_id: mover.id },
    { name: 'Stays', responsible_user_id: inNorth.id },
  ])
  const names = async (who: typeof inNorth) =>
    (await who.api.get('/api/v4/leads')).body._embedded.leads.map(
      ({ name }: { name: string }) => name,
    )
  // A transaction that began before the move delays the rewriting.
  let release = () => undefined as void
  const whenReleased = new Promise<void>((resolve) => (release = resolve))
  const begun = Promise.withResolvers<void>()
  const older = kontor.database.transaction(async () => {
    begun.resolve()
    await whenReleased
  })
  await begun.promise
  try {
    await api.patch(`/web/v1/users/${mover.id}`, { group_id: south })
    await expect.poll(() => names(inSouth)).toEqual(['Moved'])
    expect(await names(inNorth)).toEqual(['Stays'])
    expect(await stored(account)).toHaveLength(1)
    expect(await isMoved(account)).toBe(false)
  } finally {
    release()
    await older
  }
  await expect.poll(() => isMoved(account), { timeout: 20_000 }).toBe(true)
  expect([await names(inSouth), await names(inNorth)]).toEqual([['Moved'], ['Stays']])
  expect(await stored(account)).toHaveLength(2)
})

test('writes that meet a move, and a move back, end in the group where the user is', async () => {
  const account = await groups()
  const { api, kontor, mover, north, south } = account
  const drafts = Array.from({ length: 50 }, () => ({ responsible_user_id: mover.id }))
  const move = { isUnderWay: true }
  const writing = (async () => {
    while (move.isUnderWay) await api.post('/api/v4/leads', drafts)
  })()
  for (const group_id of [south, north, south, 0, south])
    await api.patch(`/web/v1/users/${mover.id}`, { group_id })
  move.isUnderWay = false
  await writing
  await finishMoves(kontor.database)
  await expect.poll(() => isMoved(account), { timeout: 20_000 }).toBe(true)
  expect((await stored(account)).map(({ group_id }) => group_id)).toEqual([south])
})
