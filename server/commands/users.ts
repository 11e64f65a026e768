// Users, roles and groups at the command line. The actor is the system.
import { createGroup, groupList } from '../features/people/groups/groups.ts'
import type { Group } from '../features/people/groups/schema.ts'
import { createRoles, listRoles } from '../features/people/roles/roles.ts'
import { createUser, listUsers, setUser } from '../features/people/users/users.ts'
import { newFaults } from '../http/batch.ts'
import { serverItself } from '../access/user-access.ts'
import type { Kontor } from '../kontor.ts'
import { randomText } from '../secrets.ts'
import { filled, findAccount } from './whom.ts'

export interface UserSettings {
  account?: string
  name?: string
  password?: string
  admin?: boolean
  /** JSON: `{"leads":{"view":"M","edit":"M","add":"A"}}`. Rights that are not named are denied. */
  rights?: string
  /** The id of a role, or "none". */
  role?: string
  /** The id of a group. */
  group?: string
  active?: boolean
}

/** `kontor user list`. */
export async function listUsersCommand(
  { database, now }: Kontor,
  { account: subdomain }: UserSettings,
) {
  const account = await findAccount(database, subdomain)
  const users = await listUsers(database, serverItself(account.id, now()))
  return users.map(
    ({ id, email, name, is_admin, is_active, group_id, group_name, role_id, role_name }) => ({
      id,
      email,
      name,
      is_admin,
      is_active,
      group_id,
      group_name,
      role_id,
      role_name,
    }),
  )
}

/** `kontor user create`: prints the password if none was given. */
export async function userCreate({ database, now }: Kontor, email: string, settings: UserSettings) {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error(`"${email}" is no e-mail address`)
  const account = await findAccount(database, settings.account)
  const password = filled('--password', settings.password ?? randomText(16))
  const rights = settings.rights === undefined ? undefined : await rightsOf(settings.rights)
  const { admin: is_admin = false } = settings
  const name = filled('--name', settings.name ?? email)
  const id = await database.transaction(async (tx) => {
    const draft = { name, email, password, is_admin, ...(rights && { rights }) }
    const id = await createUser(tx, account.id, now(), draft)
    const { group_id, role_id } = groupAndRole(settings)
    if (group_id !== undefined || role_id !== undefined)
      await setUser(tx, account.id, now(), email, {
        ...(group_id !== undefined && { group_id }),
        ...(role_id && { role_id }),
      })
    return id
  })
  return { id, account: account.subdomain, name, email, password, is_admin }
}

/** `kontor user set`: changes name, password, group, role, rights, administrator, or active. */
export async function userSet(
  { database, now }: Kontor,
  email: string,
  { account: subdomain, ...settings }: UserSettings,
) {
  const { name, password, admin: is_admin, active: isActive } = settings
  const rights = settings.rights === undefined ? undefined : await rightsOf(settings.rights)
  const { group_id, role_id } = groupAndRole(settings)
  const change = {
    ...(name !== undefined && { name: filled('--name', name) }),
    ...(password !== undefined && { password: filled('--password', password) }),
    ...(is_admin !== undefined && { is_admin }),
    ...(isActive !== undefined && { isActive }),
    ...(group_id !== undefined && { group_id }),
    ...(role_id !== undefined && { role_id }),
    ...(rights && { rights }),
  }
  if (Object.keys(change).length === 0)
    throw new Error('nothing to set; "kontor user set --help" lists the options')
  const account = await findAccount(database, subdomain)
  const found = await database.transaction((tx) => setUser(tx, account.id, now(), email, change))
  if (!found) throw new Error(`there is no user ${email} in the account "${account.subdomain}"`)
  const users = await listUsersCommand({ database, now } as Kontor, { account: account.subdomain })
  return users.find((user) => user.email === email.trim().toLowerCase())!
}

/** `kontor role list`. */
export async function listRolesCommand(
  { database, now }: Kontor,
  { account: subdomain }: UserSettings,
) {
  const account = await findAccount(database, subdomain)
  return listRoles(database, serverItself(account.id, now()))
}

/** `kontor role create`. Rights that are not named are denied. */
export async function roleCreate(
  { database, now }: Kontor,
  name: string,
  { account: subdomain, rights }: UserSettings,
) {
  const account = await findAccount(database, subdomain)
  const value = { name: filled('the name', name), rights: await rightsOf(rights ?? '{}') }
  const batch = { items: [{ index: 0, request_id: '0', value }], faults: newFaults() }
  const made = await database.transaction((tx) =>
    createRoles(tx, serverItself(account.id, now()), '', batch),
  )
  return made.map(({ id, name, rights }) => ({ id, name, rights }))[0]!
}

/** `kontor group list`. */
export async function listGroupsCommand(
  { database, now }: Kontor,
  { account: subdomain }: UserSettings,
) {
  const account = await findAccount(database, subdomain)
  return database.rows<Group>(groupList(serverItself(account.id, now())))
}

/** `kontor group create`. */
export async function groupCreate(
  { database, now }: Kontor,
  name: string,
  { account: subdomain }: UserSettings,
) {
  const account = await findAccount(database, subdomain)
  return database.transaction((tx) =>
    createGroup(tx, serverItself(account.id, now()), { name: filled('the name', name) }),
  )
}

function groupAndRole({ group, role }: UserSettings): {
  group_id?: number
  role_id?: number | null
} {
  return {
    ...(group !== undefined && { group_id: idOf('--group', group) }),
    ...(role !== undefined && { role_id: role === 'none' ? null : idOf('--role', role) }),
  }
}

function idOf(option: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`${option} takes an id; "kontor ${option.slice(2)} list" shows them`)
}

/** Loaded when rights are named: what checks them takes as long as all else of a short command. */
const rightsOf = async (text: string) => (await import('./rights.ts')).readRights(text)
