// Invitations: a link with which somebody becomes a user of an account, with the role and group that
// an administrator chose (docs/decisions/0065-links-and-second-factors.md). The database has the hash
// of the link. An invitation is void once it was accepted, deleted or replaced, after a week, and
// while the user who made it is no active administrator.
import type { Actor } from '../../../access/actor.ts'
import { gateOf } from '../../../access/attempts.ts'
import { newLinkToken } from '../../../access/links.ts'
import { forbidEmailAsPassword } from '../../../access/passwords.ts'
import { serverItself } from '../../../access/user-access.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { invalid, notFound, Problem } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { hash, hashPassword } from '../../../secrets.ts'
import { beginSession } from '../sessions/sessions.ts'
import type { SignedIn, Visitor } from '../sessions/sessions.ts'
import { addJoiningUser, checkJoiningUser, emailOf } from '../users/users.ts'
import * as queries from './queries.ts'
import type { OpenedRow } from './queries.ts'
import type { InvitationAcceptance, Invitation, NewInvitation, NewInvitations } from './schema.ts'

const linkSeconds = 7 * 86_400
/** Open invitations of an account at most. */
const mostInvitations = 250

/** The open invitations of the account, the oldest first. */
export function listInvitations(reader: Reader, actor: Actor): Promise<Invitation[]> {
  return reader.rows<Invitation>(queries.openInvitations(actor))
}

/**
 * Invites somebody, in place of an earlier invitation of the e-mail. Throws a 400 problem with every
 * fault: an e-mail that a user has, an unknown role or group, a name that is none.
 */
export async function createInvitation(
  tx: Tx,
  actor: Actor,
  base: string,
  draft: NewInvitation,
): Promise<{ id: number; url: string; expires_at: number }> {
  const email = emailOf(draft.email)
  const name = draft.name?.trim()
  await checkJoiningUser(tx, actor, { ...draft, email, name })
  await tx.rows(queries.removeInvitationOf(actor, email))
  const { total } = (await tx.row<{ total: number }>(queries.countInvitations(actor)))!
  if (total >= mostInvitations)
    throw new Problem(422, `An account has at most ${mostInvitations} open invitations`)
  const { token, hash } = newLinkToken()
  const expires_at = actor.at + linkSeconds
  const { id } = (await tx.row<{ id: number }>(
    queries.insertInvitation(actor, {
      email,
      name: name ?? null,
      role_id: draft.role_id ?? null,
      // The built-in group needs no mention: it cannot be deleted.
      group_id: draft.group_id || null,
      is_admin: draft.is_admin ?? false,
      hash,
      expires_at,
    }),
  ))!
  return { id, url: `${base}/invite/${token}`, expires_at }
}

/**
 * Invites several people to the same role and group, each as `createInvitation` does; an e-mail that is
 * named twice gets one link. Throws a 400 problem with the faults of the first refused e-mail, at its
 * place in the list.
 */
export async function createInvitations(
  tx: Tx,
  actor: Actor,
  base: string,
  { emails, ...access }: NewInvitations,
): Promise<{ id: number; email: string; url: string; expires_at: number }[]> {
  const made: { id: number; email: string; url: string; expires_at: number }[] = []
  const all = emails.map(emailOf)
  // At most 50; the verb takes one e-mail.
  for (const [index, email] of all.entries()) {
    if (all.indexOf(email) < index) continue
    try {
      made.push({ email, ...(await createInvitation(tx, actor, base, { ...access, email })) })
    } catch (error) {
      throw faultsAt(error, `emails.${index}`)
    }
  }
  return made
}

/** A refusal whose faults at `email` stand at another path. */
function faultsAt(error: unknown, path: string): unknown {
  const items = error instanceof Problem ? error.body()['validation-errors'] : undefined
  if (!items) return error
  return invalid(
    items.map((item) => ({
      ...item,
      errors: item.errors.map((each) => (each.path === 'email' ? { ...each, path } : each)),
    })),
  )
}

/**
 * Gives an open invitation another link, good for a week, in the name of the actor; the former link is void.
 * Throws 404 for an invitation that is not open.
 */
export async function renewInvitation(
  tx: Tx,
  actor: Actor,
  base: string,
  id: number,
): Promise<{ id: number; email: string; url: string; expires_at: number }> {
  const { token, hash } = newLinkToken()
  const expires_at = actor.at + linkSeconds
  const renewed = await tx.row<{ email: string }>(
    queries.replaceLink(actor, id, { hash, expires_at }),
  )
  if (!renewed) throw notFound()
  return { id, email: renewed.email, url: `${base}/invite/${token}`, expires_at }
}

/** Takes an invitation back. Unknown: 404. */
export async function deleteInvitation(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (!(await tx.row(queries.removeInvitation(actor, id)))) throw notFound()
}

/** A link of an invitation; `subdomain` is the account that the address of the request names. */
export interface InvitationLink {
  token: string
  subdomain: string | undefined
}

/** The part of an invitation that the invited person sees. Throws a 404 problem for one that is void. */
export async function readInvitation(kontor: Kontor, link: InvitationLink) {
  const { account_name, email, name, language, expires_at } = await goodInvitation(kontor, link)
  return { account: account_name, email, name, lang: language, expires_at }
}

/**
 * Makes the invited person a user and signs this browser in. Throws a 404 problem for an invitation
 * that is void, and 400 with the faults of name and password.
 */
export async function acceptInvitation(
  kontor: Kontor,
  { name, password, lang, ...link }: InvitationLink & InvitationAcceptance,
  visitor: Visitor,
): Promise<SignedIn> {
  const invitation = await goodInvitation(kontor, link)
  const { account_id, id, email, role_id, group_id, is_admin, language } = invitation
  forbidEmailAsPassword(password, email, 'password')
  const password_hash = await gateOf(kontor).turn(() => hashPassword(password))
  const server = serverItself(account_id, kontor.now())
  return kontor.database.transaction(async (tx) => {
    const joining = { email, name, role_id, group_id }
    await checkJoiningUser(tx, server, joining)
    // Of two uses at once, the second waits for the account and finds no invitation.
    if (!(await tx.row(queries.removeInvitation(server, id)))) throw notFound()
    const details = { ...joining, password_hash, language: lang ?? language, is_admin }
    const user_id = await addJoiningUser(tx, server, details)
    const user = { account_id, user_id }
    return beginSession(tx, kontor, [user], user, visitor)
  })
}

async function goodInvitation(
  { database, now }: Kontor,
  { token, subdomain }: InvitationLink,
): Promise<OpenedRow> {
  const found = await database.row<OpenedRow>(
    queries.invitationByHash(hash(token), subdomain, now()),
  )
  if (!found) throw notFound('This link is void: it was used or taken back, or its time is over')
  return found
}
