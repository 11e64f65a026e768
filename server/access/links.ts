// Links that let somebody in who has no session: to set a new password, to become a user. The secret
// of a link stands in its path; the database has its hash. Logs and metrics name the pattern of a
// route and never its path, so no secret gets there.
import { Type } from '../http/type.ts'
import { hash, randomText } from '../secrets.ts'

const length = 43

/** The path parameter of a link. */
export const LinkParams = Type.Object({
  token: Type.String({ pattern: `^[A-Za-z0-9]{${length}}$` }),
})

/** A new secret of a link, and its hash. */
export function newLinkToken(): { token: string; hash: Buffer } {
  const token = randomText(length)
  return { token, hash: hash(token) }
}
