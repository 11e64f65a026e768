// The logo of the account: a small picture beside its name. Its bytes decide what it is, since browsers get it from
// our own address.
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import { forgetAccess } from '../../../../access/remembered.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { invalidValue, notFound } from '../../../../http/problem.ts'
import { changedMeanwhile } from '../settings/settings.ts'
import { mostAccountLogoBytes } from './schema.ts'

interface StoredLogo {
  type: string
  content: Buffer
  etag: string
}

/** The logo of the account. Throws 404 where it has none. */
export async function readAccountLogo(reader: Reader, actor: Actor): Promise<StoredLogo> {
  const row = await reader.row<StoredLogo>(sql`
    select type, content, account.logo as etag from account_logos
      join accounts account on account.id = account_id
     where account_id = ${actor.accountId}`)
  if (!row) throw notFound('The account has no logo')
  return row
}

/**
 * Gives the account a logo and answers its version. Throws 409 where it has another one than the page of the caller
 * showed (`before`), and a 400 problem for what is no picture or too large.
 */
export async function setAccountLogo(
  tx: Tx,
  actor: Actor,
  { content, before }: { content: string; before?: string | null },
): Promise<string> {
  const picture = pictureIn(content)
  if (!picture)
    throw invalidValue(
      'InvalidFormat',
      'content',
      'The logo should be a PNG, JPEG or WebP picture of at most 256 KiB.',
    )
  const { type, bytes } = picture
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  await lockLogo(tx, actor, before)
  await tx.rows(sql`
    insert into account_logos (account_id, type, content) values (${actor.accountId}, ${type}, ${bytes})
    on conflict (account_id) do update set type = excluded.type, content = excluded.content`)
  await nameLogo(tx, actor, version)
  return version
}

/** Takes the logo away; without one nothing happens. Throws 409 as `setAccountLogo` does. */
export async function deleteAccountLogo(
  tx: Tx,
  actor: Actor,
  { before }: { before?: string },
): Promise<void> {
  await lockLogo(tx, actor, before)
  await tx.rows(sql`delete from account_logos where account_id = ${actor.accountId}`)
  await nameLogo(tx, actor, null)
}

async function lockLogo(tx: Tx, actor: Actor, before?: string | null): Promise<void> {
  await tx.rows(lockAccount(actor))
  if (before === undefined) return
  const now = await tx.row<{ logo: string | null }>(
    sql`select logo from accounts where id = ${actor.accountId}`,
  )
  if (now!.logo !== before) throw changedMeanwhile('Somebody has changed the logo meanwhile')
}

/** Open pages hear of it by the row of the account. */
async function nameLogo(tx: Tx, actor: Actor, version: string | null): Promise<void> {
  await tx.rows(sql`
    update accounts set logo = ${version}, updated_by = ${actor.userId},
                        updated_at = greatest(${actor.at}::bigint, created_at)
     where id = ${actor.accountId} and logo is distinct from ${version}::text`)
  await forgetAccess(tx)
}

/** The first bytes of the pictures that browsers show and that hold no scripts. */
const signatures: [type: string, isOne: (head: string) => boolean][] = [
  ['image/png', (head) => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (head) => head.startsWith('\xff\xd8\xff')],
  ['image/webp', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
]

function pictureIn(text: string): { type: string; bytes: Buffer } | undefined {
  const [, base64] =
    /^data:image\/[a-z]{1,10};base64,([A-Za-z\d+/]{1,400000}={0,2})$/.exec(text) ?? []
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const head = bytes.toString('latin1', 0, 12)
  const [type] = signatures.find(([, isOne]) => isOne(head)) ?? []
  return type !== undefined && bytes.length <= mostAccountLogoBytes ? { type, bytes } : undefined
}
