// The users of an account. Rights are stored with the user, or with the role of a user who has one.
// A change applies to every process from its commit on (`forgetAccess`).
import type { Reader, Tx } from '../../../database/connect.ts'
import { lockAccount } from '../../../access/account.ts'
import { fullRights, normalise } from '../../../access/rights.ts'
import type { RightsDraft } from '../../../access/rights.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Actor } from '../../../access/actor.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { badRequest, invalidFor, notFound } from '../../../http/problem.ts'
import { serverItself } from '../../../access/user-access.ts'
import { hashPassword } from '../../../secrets.ts'
import { changeFaults, joiningFaults, newUserFaults } from './checks.ts'
import type { UserContext } from './checks.ts'
import { moveToGroup } from './moving.ts'
import * as queries from './queries.ts'
import type { NewUserRow, UserRow } from './queries.ts'
import type { JoiningUser, NamedUser, User, UserChangeByServer, UserDraft } from './schema.ts'
import { showUsers } from './show.ts'

export { nameFault } from './checks.ts'
export { ownSummary, userSummaries } from './queries.ts'

/**
 * Creates users; one answer per item, in request order. A refusal lists every fault of every item.
 */
export async function createUsers(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<UserDraft>,
) {
  await tx.rows(lockAccount(actor))
  const emails = items.map(({ value }) => emailOf(value.email))
  const around = (await tx.row<UserContext>(queries.surroundings(actor, emails)))!
  for (const [index, item] of items.entries()) {
    const taken = around.emails.includes(emails[index]!) || emails.indexOf(emails[index]!) < index
    for (const fault of await newUserFaults(tx, actor, around, item.value, taken))
      faults.add(item, fault)
  }
  faults.throwIfAny()
  const rows = await Promise.all(items.map(({ value }) => newRow(value, around.language)))
  const ids = (
    await tx.rows<{ id: number }>(
      queries.insertUsers(actor.accountId, actor.at, rows, actor.clientId),
    )
  ).map(({ id }) => id)
  const users = await showUsers(
    tx,
    actor,
    base,
    await tx.rows<UserRow>(queries.usersById(actor, ids)),
  )
  const byId = new Map(users.map((user) => [user.id, user]))
  return items.map(({ request_id }, index) => ({ ...byId.get(ids[index]!)!, request_id }))
}

async function newRow(
  { name, email, password, lang, rights }: UserDraft,
  language: string,
): Promise<NewUserRow> {
  const { is_free = false, group_id, role_id, ...letters } = rights
  return {
    name: name.trim(),
    email: emailOf(email),
    password_hash: await hashPassword(password),
    language: lang ?? language,
    group_id: is_free ? 0 : (group_id ?? 0),
    role_id: is_free ? null : (role_id ?? null),
    is_admin: false,
    is_free,
    rights: normalise(is_free ? {} : letters),
  }
}

/**
 * Activates users, who then need their passwords: nothing from before lets them in. An unknown id is
 * a fault of its item.
 */
export async function activateUsers(tx: Tx, actor: Actor, batch: Batch<NamedUser>): Promise<void> {
  const ids = (await knownUsers(tx, actor, batch)).map(({ id }) => id)
  await setActive(tx, actor, ids, true)
}

/**
 * Deactivates users: their sessions, tokens and keys end for good. The caller, or the last
 * administrator: 400.
 */
export async function deactivateUsers(
  tx: Tx,
  actor: Actor,
  batch: Batch<NamedUser>,
): Promise<void> {
  const users = await knownUsers(tx, actor, batch)
  const ids = users.map(({ id }) => id)
  if (ids.includes(actor.userId)) throw badRequest('You cannot deactivate yourself')
  await setActive(tx, actor, ids, false)
  if (users.some(({ is_admin }) => is_admin)) await keepAnAdmin(tx, actor)
}

/**
 * Ends every way in of the users that change, in both directions: a request that was let in before
 * the deactivation may have made another one since, and older versions of Kontor kept them.
 */
async function setActive(tx: Tx, actor: Actor, ids: number[], isActive: boolean): Promise<void> {
  const changed = await tx.rows<{ id: number }>(queries.setActive(actor, ids, isActive))
  const users = changed.map(({ id }) => id)
  if (users.length > 0) await tx.rows(queries.endEveryWayIn(actor, users))
  await forgetAccess(tx)
}

/** Deactivates the active users that an integration has made, the caller apart. The last administrator: 400. */
export async function deactivateUsersMadeBy(tx: Tx, actor: Actor, clientId: string): Promise<void> {
  const made = await tx.rows<{ id: number }>(queries.usersMadeBy(actor, clientId))
  const items = made.map(({ id }, index) => ({ index, request_id: String(id), value: { id } }))
  if (items.length > 0) await deactivateUsers(tx, actor, { items, faults: newFaults() })
}

async function knownUsers(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NamedUser>,
): Promise<UserRow[]> {
  await tx.rows(lockAccount(actor))
  const ids = items.map(({ value }) => value.id)
  const known = await tx.rows<UserRow>(queries.usersById(actor, ids))
  for (const item of items)
    if (!known.some(({ id }) => id === item.value.id))
      faults.add(item, {
        code: 'EntityNotFound',
        path: 'id',
        detail: `There is no user ${item.value.id}.`,
      })
  faults.throwIfAny()
  return known
}

async function keepAnAdmin(tx: Tx, actor: Actor): Promise<void> {
  const { total } = (await tx.row<{ total: number }>(queries.countAdmins(actor)))!
  if (total === 0) throw badRequest('An account needs an active administrator')
}

/**
 * Changes a user. Unknown: 404. A user who loses a role keeps its rights, unless other rights are
 * sent.
 */
export async function changeUser(
  tx: Tx,
  actor: Actor,
  id: number,
  change: UserChangeByServer,
  by: 'person' | 'server' = 'person',
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const [user] = await tx.rows<UserRow>(queries.usersById(actor, [id]))
  if (!user) throw notFound()
  const around = (await tx.row<UserContext>(queries.surroundings(actor, [])))!
  const role_id = change.role_id === undefined ? user.role_id : change.role_id
  const errors = await changeFaults(tx, actor, around, change, role_id, by)
  if (errors.length > 0) throw invalidFor(...errors)
  const keeps = user.role_id !== null && role_id === null ? user.rights : null
  await tx.rows(
    queries.updateUser(actor, id, {
      name: change.name?.trim() ?? null,
      password_hash: change.password === undefined ? null : await hashPassword(change.password),
      language: change.lang ?? null,
      is_admin: change.is_admin ?? null,
      role_id,
      rights: change.rights ? normalise({ ...user.rights, ...change.rights }) : keeps,
    }),
  )
  if (change.group_id !== undefined && (change.group_id ?? 0) !== user.group_id)
    await moveToGroup(tx, actor, [id], change.group_id ?? 0)
  // A new password ends all sessions: somebody who knew the old one may be the reason for it.
  if (change.password !== undefined) await tx.rows(queries.removeSessionsOf(actor, [id]))
  if (change.is_admin === false && user.is_admin) await keepAnAdmin(tx, actor)
  await forgetAccess(tx)
}

/** A user of the account, under the lock of the account. Unknown: 404. */
export async function requireUser(tx: Tx, actor: Actor, id: number): Promise<UserRow> {
  await tx.rows(lockAccount(actor))
  const [user] = await tx.rows<UserRow>(queries.usersById(actor, [id]))
  if (!user) throw notFound()
  return user
}

/** The users of the account among these ids. */
export const findUsers = (reader: Reader, actor: Actor, ids: number[]): Promise<UserRow[]> =>
  reader.rows<UserRow>(queries.usersById(actor, ids))

/** All users of the account as stored, for commands. */
export function listUsers(reader: Reader, actor: Actor): Promise<UserRow[]> {
  return reader.rows<UserRow>(
    queries.userList(actor, { after: undefined, offset: 0, limit: 10_000 }),
  )
}

/** The users with one of these roles, as the interface shows them. */
export async function usersOfRoles(
  reader: Reader,
  actor: Actor,
  base: string,
  roles: number[],
): Promise<User[]> {
  return showUsers(
    reader,
    actor,
    base,
    await reader.rows<UserRow>(queries.usersWithRoles(actor, roles)),
  )
}

/**
 * Serializes changes to the rights of an account's users: others wait until the transaction ends.
 */
export async function lockPeople(tx: Tx, actor: Actor): Promise<void> {
  await tx.rows(lockAccount(actor))
}

/** Call before deleting a role: its users keep its rights. */
export async function releaseFromRole(tx: Tx, actor: Actor, role: number): Promise<void> {
  await tx.rows(lockAccount(actor))
  await tx.rows(queries.clearRole(actor, role))
  await forgetAccess(tx)
}

/** Call before deleting a group: its users move to the built-in group. */
export async function emptyGroup(tx: Tx, actor: Actor, group: number): Promise<void> {
  await tx.rows(lockAccount(actor))
  const members = await tx.rows<{ id: number }>(queries.usersOfGroup(actor, group))
  const ids = members.map(({ id }) => id)
  await moveToGroup(tx, actor, ids, 0)
}

/**
 * Checks somebody who may become a user, under the lock of the account. Throws a 400 problem with
 * every fault.
 */
export async function checkJoiningUser(tx: Tx, actor: Actor, joining: JoiningUser): Promise<void> {
  await tx.rows(lockAccount(actor))
  const around = (await tx.row<UserContext>(queries.surroundings(actor, [joining.email])))!
  const errors = joiningFaults(around, joining)
  if (errors.length > 0) throw invalidFor(...errors)
}

/** Adds a user that `checkJoiningUser` has checked and answers the id. Without a role: no rights. */
export async function addJoiningUser(
  tx: Tx,
  actor: Actor,
  joining: JoiningUser & {
    name: string
    password_hash: string
    language: string
    is_admin: boolean
  },
): Promise<number> {
  const row: NewUserRow = {
    name: joining.name.trim(),
    email: joining.email,
    password_hash: joining.password_hash,
    language: joining.language,
    group_id: joining.group_id ?? 0,
    role_id: joining.role_id ?? null,
    is_admin: joining.is_admin,
    is_free: false,
    rights: normalise({}),
  }
  return (await tx.row<{ id: number }>(queries.insertUsers(actor.accountId, actor.at, [row])))!.id
}

/** A new user as a command defines it. */
export interface UserSettingsDraft {
  name: string
  email: string
  /** Undefined: the user cannot sign in and only uses tokens. */
  password?: string | undefined
  is_admin?: boolean
  /** Rights that are not named are denied; without this key, everything is allowed. */
  rights?: RightsDraft
  group_id?: number
  role_id?: number
  language?: string
}

/** Adds a user for a command and answers the id. An e-mail that the account already has: 400. */
export async function createUser(
  tx: Tx,
  accountId: number,
  at: number,
  draft: UserSettingsDraft,
): Promise<number> {
  const {
    name,
    email,
    password,
    is_admin = false,
    rights,
    group_id = 0,
    role_id = null,
    language = 'en',
  } = draft
  const row: NewUserRow = {
    name: name.trim(),
    email: emailOf(email),
    language,
    group_id,
    role_id,
    is_admin,
    is_free: false,
    password_hash: password === undefined ? null : await hashPassword(password),
    rights: rights ? normalise(rights) : fullRights,
  }
  return (await tx.row<{ id: number }>(queries.insertUsers(accountId, at, [row])))!.id
}

/** Changes the user with an e-mail, for a command. Answers whether the user exists. */
export async function setUser(
  tx: Tx,
  accountId: number,
  at: number,
  email: string,
  { isActive, ...change }: UserChangeByServer & { isActive?: boolean | undefined },
): Promise<boolean> {
  const actor = serverItself(accountId, at)
  const found = await tx.row<{ id: number }>(queries.userByEmail(actor, emailOf(email)))
  if (!found) return false
  const batch = { items: [{ index: 0, request_id: '0', value: found }], faults: newFaults() }
  if (isActive === true) await activateUsers(tx, actor, batch)
  if (isActive === false) await deactivateUsers(tx, actor, batch)
  await changeUser(tx, actor, found.id, change, 'server')
  return true
}

/** An e-mail as it is stored. */
export function emailOf(email: string): string {
  return email.trim().toLowerCase()
}
