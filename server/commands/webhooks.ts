import sql from 'sql-template-tag'
import { serverItself } from '../access/standing.ts'
import { enableWebhook, listWebhooks } from '../features/webhooks/webhooks.ts'
import { notFound } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import { findAccount } from './whom.ts'

export interface WebhookWishes {
  account?: string
}

/** `kontor webhook list`: the webhooks of the account. Addresses may hold secrets, and are shown. */
export async function webhookListCommand(
  { database }: Kontor,
  { account: subdomain }: WebhookWishes,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  const webhooks = await listWebhooks(database, { accountId })
  return webhooks.map(({ id, is_disabled, settings, destination }) => ({
    id,
    state: is_disabled ? 'disabled' : 'enabled',
    settings: settings.join(','),
    destination,
  }))
}

/** `kontor webhook enable`: lets a webhook that was switched off be sent to again. */
export async function webhookEnable(
  { database, now }: Kontor,
  id: string,
  { account: subdomain }: WebhookWishes,
) {
  const account = await findAccount(database, subdomain)
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw notFound(`"${id}" is no webhook; "kontor webhook list" shows them`)
  await database.transaction((tx) => enableWebhook(tx, serverItself(account.id, now()), Number(id)))
  return { id: Number(id), state: 'enabled' }
}

/** `kontor follower list`: the followers of the journal, and how far each has come. */
export function followerList({ database }: Kontor) {
  return database.rows<{ name: string; behind: number; updated_at: number }>(sql`
    select name, greatest(0, case when is_called then last_value else 0 end - low_water) as behind, updated_at
      from followers, journal_id order by name`)
}

/**
 * `kontor follower forget`: removes a follower that is no longer there, which would keep the journal
 * for ever. One that runs begins anew with its next start.
 */
export async function followerForget({ database }: Kontor, name: string) {
  const gone = await database.transaction((tx) =>
    tx.row(sql`delete from followers where name = ${name} returning name`),
  )
  if (!gone) throw notFound(`there is no follower "${name}"; "kontor follower list" shows them`)
  return { name, is_forgotten: true }
}
