// The callers in the columns of test/routes.ts, and the things they ask for.
import { issueLongLivedToken } from '../../server/features/programs/oauth/oauth.ts'
import { setUser } from '../../server/features/people/users/users.ts'
import type { Config } from '../../server/config.ts'
import { newAccount } from '../account.ts'
import type { TestAccount, TestUser } from '../account.ts'
import { newMark } from '../account-data.ts'
import { addGroup } from '../leads.ts'
import { newPair } from '../oauth.ts'
import type { Client } from '../client.ts'
import type { Column } from '../routes.ts'

export interface Person {
  token: string
  user: TestUser
}

export interface RouteFixture {
  /** The account that all but the alien belong to, and the alien's. */
  account: TestAccount
  alien: TestAccount
  /** Stands in every name of the account. */
  mark: string
  callers: Record<Exclude<Column, 'nobody'>, Person>
  /** Responsible for what is neither the group's nor the caller's. */
  outsider: TestUser
  colleague: TestUser
  group: number
  /**
   * The things made for the requests of a row that change nothing: the next such request is asked
   * with the same ones. Undefined while everything is made anew.
   */
  items: Map<string, Promise<unknown>> | undefined
}

export const password = 'Correct horse 1'

const kinds = ['leads', 'contacts', 'companies', 'tasks'] as const
type Letter = 'A' | 'G' | 'M' | 'D'

/** The same letter for everything, but records can be made. */
function rightsOf(letter: Letter) {
  const one = {
    view: letter,
    edit: letter,
    delete: letter,
    export: letter,
    add: letter === 'D' ? 'D' : 'A',
  } as const
  const records = Object.fromEntries(kinds.map((kind) => [kind, one]))
  return { ...records, catalog_access: letter !== 'D' }
}

export async function newRouteFixture(around: Partial<Config> = {}): Promise<RouteFixture> {
  const settings = { rateLimitAddress: 0, ...around }
  const made = { items: undefined }
  const [account, alien] = [sharing(await newAccount(settings), made), await newAccount(settings)]
  const mark = newMark()
  const group = await addGroup(account)
  const add = (rights: object, group_id = 0) =>
    account.addUser({ name: `Somebody ${mark}`, password, rights, group_id })
  const admin = await account.addUser({
    name: `An administrator ${mark}`,
    password,
    is_admin: true,
  })
  const [unable, mine, grouped] = [
    await add(rightsOf('D')),
    await add(rightsOf('M')),
    await add(rightsOf('G'), group),
  ]
  const colleague = await add(rightsOf('A'), group)
  const gone = await add(rightsOf('A'))
  const stranger = await alien.addUser({ password, is_admin: true })
  await alien.api.post('/api/v4/leads', [{ name: "The alien's" }])
  await alien.api.post('/api/v4/roles', [{ name: "The alien's", rights: {} }])
  await alien.api.post('/api/v4/catalogs', [{ name: "The alien's" }])
  const hook = { destination: 'https://example.com/alien', settings: ['add_lead'] }
  await alien.api.post('/api/v4/webhooks', hook)

  const { kontor } = account
  const { database, now } = kontor
  const app = await newPair(account)
  const elsewhere = await database.transaction(async (tx) => {
    await setUser(tx, account.id, now(), gone.email, { isActive: false })
    const whom = { accountId: account.id, userId: admin.id, at: now(), expires_at: now() + 86_400 }
    return issueLongLivedToken(tx, kontor, { ...whom, scopes: ['notifications'] })
  })
  const as = (user: TestUser, token = user.token): Person => ({ user, token })
  return Object.assign(made, {
    account,
    alien,
    mark,
    colleague,
    group,
    outsider: account.admin,
    callers: {
      alien: as(stranger),
      unable: as(unable),
      admin: as(admin),
      gone: as(gone),
      'M-own': as(mine),
      'M-other': as(mine),
      'G-own': as(grouped),
      'G-other': as(grouped),
      scope: as(admin, elsewhere),
      app: as(admin, app.access_token),
    },
  })
}

/** The account, which makes the same thing only once for requests that may share it. */
function sharing(account: TestAccount, made: Pick<RouteFixture, 'items'>): TestAccount {
  function once<Thing>(name: unknown[], make: () => Promise<Thing>): Promise<Thing> {
    const key = JSON.stringify(name)
    const thing = (made.items?.get(key) ?? make()) as Promise<Thing>
    made.items?.set(key, thing)
    return thing
  }
  const { addIntegration, addUser, admin } = account
  const api: Client = {
    ...account.api,
    post: (path, body, headers) =>
      once([path, body, headers], () => account.api.post(path, body, headers)),
  }
  return {
    ...account,
    api,
    admin: { ...admin, api },
    addUser: (draft) => once(['a user', draft], () => addUser(draft)),
    addIntegration: (draft) => once(['an integration', draft], () => addIntegration(draft)),
  }
}

/** The user who is responsible for the record that a column asks for. */
export function responsibleFor(
  { callers, colleague, outsider }: RouteFixture,
  column: Column,
): TestUser {
  if (column === 'M-own') return callers['M-own'].user
  return column === 'G-own' ? colleague : outsider
}
