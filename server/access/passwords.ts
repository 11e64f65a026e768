// The password of a user who is let in already: asked for again before what only its user may do.
import sql from 'sql-template-tag'
import { invalidValue, tooManyRequests } from '../http/problem.ts'
import { Type } from '../http/type.ts'
import { Name } from '../http/types.ts'
import type { Kontor } from '../kontor.ts'
import { verifyPassword } from '../secrets.ts'
import type { Actor } from './actor.ts'
import { gateOf } from './attempts.ts'

/** Long enough for any passphrase, short enough to hash. */
export const PresentPassword = Name(1024)

/** A password that its user chooses on a page of ours. */
export const ChosenPassword = Type.String({ minLength: 8, maxLength: 200 })

/** Throws a 400 problem for `path` where the password is the e-mail of its user. */
export function forbidEmailAsPassword(password: string, email: string, path: string): void {
  if (password.trim().toLowerCase() !== email) return
  throw invalidValue('NotSupportedChoice', path, 'The password must not be your e-mail address.')
}

/**
 * Throws a 400 problem for `path` unless this is the password of the actor, and 429 after too many
 * wrong ones, which count for the user wherever they come from. Answers the hash of the password.
 */
export async function requirePassword(
  kontor: Kontor,
  { accountId, userId }: Pick<Actor, 'accountId' | 'userId'>,
  password: string,
  path: string,
): Promise<string> {
  const { attempts, turn } = gateOf(kontor)
  const attempt = attempts.ofUser('password', accountId, userId)
  if (attempt.wait > 0) throw tooManyRequests(attempt.wait, 'Too many wrong passwords')
  const stored = await kontor.database.row<{ password_hash: string | null }>(sql`
    select password_hash from users where account_id = ${accountId} and id = ${userId}`)
  const hash = stored?.password_hash ?? undefined
  if (hash === undefined || !(await turn(() => verifyPassword(password, hash))))
    throw invalidValue('WrongPassword', path, 'This is not your present password.')
  attempt.succeed()
  return hash
}
