// A program reads a record, another program changes it, and the first sends all of it back. The time
// and the author of this old copy do not count; its changes do.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../test/account.ts'
import { addRecord, allKinds, needed, pathOf } from '../../../test/records.ts'

interface Kind {
  /** Adds one that was last changed an hour ago; answers its address. */
  add(user: TestUser): Promise<string>
  change: object
  /** Whether a sent time is stored. */
  isTimeStored: boolean
}

let account: TestAccount
let other: TestUser
beforeAll(async () => {
  account = await newAccount()
  other = await account.addUser({ is_admin: true })
})

const anHour = 3600

async function addAt(user: TestUser, path: string, item: object): Promise<string> {
  account.clock.ahead -= anHour
  const { status, body } = await user.api.post(path, [item])
  account.clock.ahead += anHour
  expect(status).toBe(200)
  const [[made]] = Object.values(body._embedded) as [[{ id: number }]]
  return `${path}/${made.id}`
}

const kinds: Record<string, Kind> = {
  ...Object.fromEntries(
    allKinds.map((kind): [string, Kind] => [
      kind,
      {
        add: (user) => addAt(user, pathOf(kind), { name: 'Old', ...needed(kind) }),
        change: { name: 'Newer' },
        isTimeStored: true,
      },
    ]),
  ),
  tasks: {
    add: (user) => addAt(user, '/api/v4/tasks', { text: 'Call', complete_till: 2_000_000_000 }),
    change: { text: 'Call again' },
    isTimeStored: true,
  },
  notes: {
    async add(user) {
      const lead = await addRecord(user.api, 'leads')
      const path = `/api/v4/leads/${lead}/notes`
      return addAt(user, path, { note_type: 'common', params: { text: 'Old' } })
    },
    change: { params: { text: 'Newer' } },
    isTimeStored: false,
  },
  elements: {
    async add(user) {
      const { body } = await user.api.post('/api/v4/catalogs', [{ name: 'Catalog' }])
      const path = `/api/v4/catalogs/${body._embedded.catalogs[0].id}/elements`
      return addAt(user, path, { name: 'Old' })
    },
    change: { name: 'Newer' },
    isTimeStored: true,
  },
}

describe.for(Object.entries(kinds))('%s', ([, { add, change, isTimeStored }]) => {
  const read = async (path: string) => (await account.api.get(path)).body
  const send = async (path: string, body: object) => {
    expect((await account.api.patch(path, body)).status).toBe(200)
    const { updated_at, updated_by } = await read(path)
    return { updated_at, updated_by }
  }
  const now = () => account.kontor.now()
  /** Read by a program before somebody else changed it ten minutes ago. */
  async function changedByAnother() {
    const path = await add(account.admin)
    const copy = await read(path)
    account.clock.ahead -= 600
    expect((await other.api.patch(path, change)).status).toBe(200)
    account.clock.ahead += 600
    const stored = await read(path)
    expect(stored.updated_by).toBe(other.id)
    return { path, copy, stored }
  }

  test('an old copy with a change has the time and the author of its sending', async () => {
    const { path, copy } = await changedByAnother()
    const before = now()
    const { updated_at, updated_by } = await send(path, copy)
    expect(updated_at).toBeGreaterThanOrEqual(before)
    expect(updated_by).toBe(account.admin.id)
  })

  test('an old copy without another change changes nothing', async () => {
    const { path, copy, stored } = await changedByAnother()
    const { updated_at, updated_by } = stored
    expect(await send(path, { ...copy, ...change })).toEqual({ updated_at, updated_by })
  })

  test('a time in the future counts as little, and its author with it', async () => {
    const { path } = await changedByAnother()
    const body = { ...change, created_by: 0, updated_at: now() + 60, updated_by: 0 }
    const { updated_at, updated_by } = await send(path, body)
    expect(updated_at).toBeLessThanOrEqual(now())
    expect(updated_by).toBe(account.admin.id)
  })

  test('a time between the stored one and now is taken, and its author', async () => {
    const { path, stored } = await changedByAnother()
    const said = stored.updated_at + 60
    const { updated_at, updated_by } = await send(path, { updated_at: said, updated_by: 0 })
    expect(updated_by).toBe(0)
    if (isTimeStored) expect(updated_at).toBe(said)
    else expect(updated_at).toBeGreaterThan(said)
  })

  test('an author alone is an order', async () => {
    const { path } = await changedByAnother()
    const before = now()
    const { updated_at, updated_by } = await send(path, { updated_by: 0 })
    expect(updated_by).toBe(0)
    expect(updated_at).toBeGreaterThanOrEqual(before)
  })
})
