// New passwords: a user changes the own one, or sets one with a link that an administrator made
// (docs/decisions/0065-links-and-second-factors.md). A new password ends the sessions of its user,
// because somebody who knew the old one may be the reason for it.
import type { Actor } from '../../../access/actor.ts'
import { gateOf } from '../../../access/attempts.ts'
import { newLinkToken } from '../../../access/links.ts'
import { forbidEmailAsPassword, requirePassword } from '../../../access/passwords.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Tx } from '../../../database/connect.ts'
import { badRequest, notFound } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { hash, hashPassword } from '../../../secrets.ts'
import { requireCode } from '../second-factor/second-factor.ts'
import { requireUser } from '../users/users.ts'
import * as queries from './queries.ts'
import type { ResetRow } from './queries.ts'
import type { PasswordChange } from './schema.ts'

const linkSeconds = 86_400

/**
 * Changes the password of the actor and ends all its sessions but `session`; `browser` is the hash
 * by which that browser stays known. Throws a 400 problem that names the field.
 */
export async function changePassword(
  kontor: Kontor,
  actor: Actor,
  { current_password, new_password, code }: PasswordChange,
  kept: { session: string | undefined; browser: Buffer | undefined },
): Promise<void> {
  const before = await requirePassword(kontor, actor, current_password, 'current_password')
  const { email } = (await kontor.database.row<{ email: string }>(queries.emailOfUser(actor)))!
  forbidEmailAsPassword(new_password, email, 'new_password')
  const password_hash = await gateOf(kontor).turn(() => hashPassword(new_password))
  const session = kept.session === undefined ? undefined : hash(kept.session)
  await kontor.database.transaction(async (tx) => {
    await requireCode(tx, kontor, actor, code)
    if (!(await tx.row(queries.changePasswordFrom(actor, before, password_hash, actor.at))))
      throw badRequest('The password was changed meanwhile')
    await tx.rows(queries.endAccess(actor, { session, browser: kept.browser }))
    await forgetAccess(tx)
  })
}

/**
 * Makes a link with which a user sets a new password within a day, in place of an earlier one.
 * Unknown: 404; deactivated: 400.
 */
export async function createResetLink(
  tx: Tx,
  actor: Actor,
  base: string,
  userId: number,
): Promise<{ url: string; expires_at: number }> {
  const { is_active } = await requireUser(tx, actor, userId)
  if (!is_active) throw badRequest('The user is deactivated and could not sign in')
  const { token, hash } = newLinkToken()
  const expires_at = actor.at + linkSeconds
  await tx.rows(queries.putReset(actor, userId, hash, expires_at))
  return { url: `${base}/reset/${token}`, expires_at }
}

/** A link for a new password; `subdomain` is the account that the address of the request names. */
export interface ResetAddress {
  token: string
  subdomain: string | undefined
}

/** The user whom a link for a new password is for. Throws a 404 problem for one that is void. */
export async function readPasswordReset(kontor: Kontor, link: ResetAddress) {
  const { account_name: account, name, email, expires_at } = await goodReset(kontor, link)
  return { account, name, email, expires_at }
}

/**
 * Sets the password of the user that a link is for, and ends the sessions of that user; a second
 * factor stays. Throws a 404 problem for a link that is void, and 400 for the e-mail as password.
 */
export async function resetPassword(
  kontor: Kontor,
  { password, ...link }: ResetAddress & { password: string },
): Promise<void> {
  const at = kontor.now()
  const { account_id: accountId, user_id: userId, email } = await goodReset(kontor, link)
  forbidEmailAsPassword(password, email, 'password')
  const password_hash = await gateOf(kontor).turn(() => hashPassword(password))
  const person = { accountId, userId }
  await kontor.database.transaction(async (tx) => {
    // Of two uses at once, one deletes the link.
    if (!(await tx.row(queries.takeReset(hash(link.token), at)))) throw notFound()
    if (!(await tx.row(queries.setPassword(person, password_hash, at)))) throw notFound()
    await tx.rows(queries.endAccess(person))
    await forgetAccess(tx)
  })
}

async function goodReset(
  { database, now }: Kontor,
  { token, subdomain }: ResetAddress,
): Promise<ResetRow> {
  const found = await database.row<ResetRow>(queries.resetByHash(hash(token), subdomain, now()))
  if (!found) throw notFound('This link is void: it was used or replaced, or its time is over')
  return found
}
