import sql from 'sql-template-tag'
import type { Reader } from '../database/connect.ts'

/**
 * The account of a subdomain, or the first account. Throws an Error of one line if there is none.
 */
export async function findAccount(
  reader: Reader,
  subdomain: string | undefined,
): Promise<{ id: number; subdomain: string }> {
  const row = await reader.row<{ id: number; subdomain: string }>(
    sql`select id, subdomain from accounts where ${subdomain ?? null}::text is null or subdomain = ${subdomain ?? null} order by id limit 1`,
  )
  if (row) return row
  throw new Error(
    subdomain === undefined
      ? 'there is no account yet; make one with "kontor demo" or "kontor account create"'
      : `there is no account "${subdomain}"`,
  )
}

/**
 * The active user of an e-mail, or the first administrator. Throws an Error of one line if there is
 * none.
 */
export async function findUser(
  reader: Reader,
  accountId: number,
  email: string | undefined,
): Promise<{ id: number; email: string }> {
  const address = email?.trim().toLowerCase() ?? null
  const row = await reader.row<{ id: number; email: string }>(sql`
    select id, email from users
     where account_id = ${accountId} and is_active and (email = ${address} or ${address}::text is null and is_admin)
     order by id limit 1`)
  if (row) return row
  throw new Error(
    email === undefined
      ? 'the account has no administrator'
      : `there is no active user ${email} in the account`,
  )
}

/** Returns the text. Throws an Error of one line that names it if it is blank. */
export function filled(what: string, text: string): string {
  if (text.trim() === '') throw new Error(`${what} is empty`)
  return text
}
