// The requests to the routes of API keys. Only an administrator asks for keys of others.
import { createApiKey } from '../../server/features/programs/api-keys/api-keys.ts'
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import type { RouteFixture } from './fixture.ts'
import { byPassword } from './people.ts'
import type { Prepare } from './requests.ts'

const ownPath = '/web/v1/api-keys'
const allPath = '/web/v1/account/api-keys'

/** Adds a key for a user of the account, and answers its id. */
async function addKey({ account, mark }: RouteFixture, { id }: TestUser): Promise<number> {
  const actor = { accountId: account.id, at: account.kontor.now() }
  const made = await account.kontor.database.transaction((tx) =>
    createApiKey(tx, actor, id, { name: mark }),
  )
  return made.id
}

/** A user of its own: one has at most 20 keys. */
const keyOfAnother = async (fixture: RouteFixture): Promise<number> =>
  addKey(fixture, await fixture.account.addUser())

/** The alien has a key too, and asks for one of ours. */
async function keyFor(fixture: RouteFixture, column: Column): Promise<number> {
  const { account, alien, callers } = fixture
  if (column === 'alien') {
    const actor = { accountId: alien.id, at: account.kontor.now() }
    await alien.kontor.database.transaction((tx) =>
      createApiKey(tx, actor, callers.alien.user.id, { name: "The alien's" }),
    )
  }
  const isOwn = !['nobody', 'alien', 'gone', 'M-other', 'G-other'].includes(column)
  return isOwn ? addKey(fixture, callers[column as 'admin'].user) : keyOfAnother(fixture)
}

export const apiKeyRequests: Record<string, Prepare> = {
  [`GET ${ownPath}`]: async (fixture, column) => ({
    list: { of: 'api_keys', holds: await keyFor(fixture, column) },
  }),
  [`POST ${ownPath}`]: byPassword(() => ({ body: { name: 'A program' } })),
  [`DELETE ${ownPath}/{id}`]: async (fixture, column) => ({
    path: `${ownPath}/${await keyFor(fixture, column)}`,
  }),
  [`GET ${allPath}`]: async (fixture, column) => {
    await keyFor(fixture, column)
    return { list: { of: 'api_keys', holds: await keyOfAnother(fixture) } }
  },
  [`DELETE ${allPath}/{id}`]: async (fixture) => ({
    path: `${allPath}/${await keyOfAnother(fixture)}`,
  }),
}
