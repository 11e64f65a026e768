// Catalogs: users with the access see them, administrators make and change them. An account has few, so all questions are about one.
import type { TestAccount } from '../account.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v4/catalogs'

const made = new WeakMap<TestAccount, Promise<number>>()

/** The catalog of the account that all questions are about. */
export function catalogOf({ account, mark }: Cast): Promise<number> {
  const known = made.get(account)
  if (known) return known
  const catalog = account.api
    .post(path, [{ name: `A catalog ${mark}` }])
    .then(({ body }) => body._embedded.catalogs[0].id as number)
  made.set(account, catalog)
  return catalog
}

export const catalogRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast) => ({ list: { of: 'catalogs', holds: await catalogOf(cast) } }),
  [`GET ${path}/{id}`]: async (cast) => ({ path: `${path}/${await catalogOf(cast)}` }),
  [`POST ${path}`]: () => ({ body: [{ name: 'A catalog' }] }),
  [`PATCH ${path}`]: async (cast) => ({ body: [{ id: await catalogOf(cast), name: 'Taken' }] }),
  [`PATCH ${path}/{id}`]: async (cast) => ({
    path: `${path}/${await catalogOf(cast)}`,
    body: { name: 'Taken' },
  }),
}
