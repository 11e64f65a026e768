// The requests to the routes of API keys. Only an administrator asks for keys of others.
import { createApiKey } from '../../server/features/programs/api-keys/api-keys.ts'
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import type { Cast } from './cast.ts'
import { byPassword } from './people.ts'
import type { Prepare } from './requests.ts'

const ownPath = '/web/v1/api-keys'
const allPath = '/web/v1/account/api-keys'

/** Adds a key for a user of the account, and answers its id. */
async function addKey({ account, mark }: Cast, { id }: TestUser): Promise<number> {
  const actor = { accountId: account.id, at: account.kontor.now() }
  const made = await account.kontor.database.transaction((tx) =>
    createApiKey(tx, actor, id, { name: mark }),
  )
  return made.id
}

/** A user of its own: one has at most 20 keys. */
const keyOfAnother = async (cast: Cast): Promise<number> =>
  addKey(cast, await cast.account.addUser())

/** The alien has a key too, and asks for one of ours. */
async function keyFor(cast: Cast, column: Column): Promise<number> {
  const { account, alien, callers } = cast
  if (column === 'alien') {
    const actor = { accountId: alien.id, at: account.kontor.now() }
    await alien.kontor.database.transaction((tx) =>
      createApiKey(tx, actor, callers.alien.user.id, { name: "The alien's" }),
    )
  }
  const isOwn = !['nobody', 'alien', 'gone', 'M-other', 'G-other'].includes(column)
  return isOwn ? addKey(cast, callers[column as 'admin'].user) : keyOfAnother(cast)
}

export const apiKeyRequests: Record<string, Prepare> = {
  [`GET ${ownPath}`]: async (cast, column) => ({
    list: { of: 'api_keys', holds: await keyFor(cast, column) },
  }),
  [`POST ${ownPath}`]: byPassword(() => ({ body: { name: 'A program' } })),
  [`DELETE ${ownPath}/{id}`]: async (cast, column) => ({
    path: `${ownPath}/${await keyFor(cast, column)}`,
  }),
  [`GET ${allPath}`]: async (cast, column) => {
    await keyFor(cast, column)
    return { list: { of: 'api_keys', holds: await keyOfAnother(cast) } }
  },
  [`DELETE ${allPath}/{id}`]: async (cast) => ({
    path: `${allPath}/${await keyOfAnother(cast)}`,
  }),
}
