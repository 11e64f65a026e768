import { serverItself } from '../access/user-access.ts'
import * as verbs from '../features/programs/webhooks/webhooks.ts'
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
  const webhooks = await verbs.listWebhooks(database, { accountId })
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
  const webhook = webhookId(id)
  const actor = serverItself(account.id, now())
  await database.transaction((tx) => verbs.enableWebhook(tx, actor, webhook))
  return { id: webhook, state: 'enabled' }
}

export const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)

export function webhookId(text: string): number {
  if (isId(text)) return Number(text)
  throw notFound(`"${text}" is no webhook; "kontor webhook list" shows them`)
}
