// The signatures of a webhook, which administrators turn on, renew and turn off. A secret is shown
// once, when it is made, and kept encrypted. The one before it goes on signing for a while, so that
// receivers can change over without refusing a delivery. Decision 48.
import sql, { empty } from 'sql-template-tag'
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { notFound } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { seeWebhook } from './deliveries/log.ts'
import { signaturesChannel } from './deliveries/engine.ts'
import { newSigningSecret } from './deliveries/signature.ts'

/** Former secrets at most that still sign beside the present one. */
const mostFormer = 4

type Shared = Pick<Kontor, 'secrets' | 'signals'>

/**
 * Gives a webhook a new secret and answers it: from now on its deliveries are signed. Former secrets
 * sign too, for `overlap` seconds at most; 0 ends them at once. Unknown webhook: 404.
 */
export async function renewWebhookSecret(
  tx: Tx,
  actor: Actor,
  { secrets, signals }: Shared,
  webhookId: number,
  overlap: number,
): Promise<string> {
  await tx.rows(lockAccount(actor))
  await seeWebhook(tx, actor, webhookId)
  await tx.rows(endSecrets(actor, webhookId, actor.at + overlap))
  await tx.rows(dropFormerSecrets(actor, webhookId))
  const secret = newSigningSecret()
  await tx.rows(insertSecret(actor, webhookId, secrets.encrypt(secret)))
  tx.afterCommit(() => signals.notify(signaturesChannel))
  return secret
}

/** Ends the signatures of a webhook with all its secrets. Unknown or not signed: 404. */
export async function endSignatures(
  tx: Tx,
  actor: Actor,
  { signals }: Pick<Shared, 'signals'>,
  webhookId: number,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const ended = await tx.rows(dropSecrets(actor, webhookId))
  if (ended.length === 0) throw notFound()
  tx.afterCommit(() => signals.notify(signaturesChannel))
}

/** The signatures of a webhook, as settings show them. Times are Unix seconds. */
export interface SignatureState {
  /** When the present secret was made. */
  created_at: number
  /** Until when a former secret signs too; null: none does. */
  overlap_until: number | null
}

/** The signatures of the webhooks of the account, or of one, by id; those without have none. */
export async function signaturesOf(
  reader: Reader,
  actor: Actor,
  which: { id?: number } = {},
): Promise<Map<number, SignatureState>> {
  const rows = await reader.list<SignatureState & { id: number }>(signatureStates(actor, which))
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

export const signatureStates = ({ accountId, at }: Actor, { id }: { id?: number }) => sql`
  select webhook_id as id, max(created_at) filter (where ends_at is null) as created_at,
         max(ends_at) filter (where ends_at > ${at}) as overlap_until
    from webhook_secrets
   where account_id = ${accountId} ${id === undefined ? empty : sql`and webhook_id = ${id}`}
   group by webhook_id`

const endSecrets = ({ accountId }: Actor, webhookId: number, endsAt: number) => sql`
  update webhook_secrets set ends_at = least(ends_at, ${endsAt}::bigint)
   where account_id = ${accountId} and webhook_id = ${webhookId}`

/** Drops the secrets that have ended, and the oldest of too many. All have a time at which they end. */
const dropFormerSecrets = ({ accountId, at }: Actor, webhookId: number) => sql`
  delete from webhook_secrets
   where account_id = ${accountId} and webhook_id = ${webhookId}
     and (ends_at <= ${at}::bigint
          or id not in (select id from webhook_secrets
                         where account_id = ${accountId} and webhook_id = ${webhookId} order by id desc limit ${mostFormer}))`

const insertSecret = ({ accountId, at }: Actor, webhookId: number, secret: Buffer) => sql`
  insert into webhook_secrets (account_id, webhook_id, secret, created_at)
  values (${accountId}, ${webhookId}, ${secret}, ${at})`

const dropSecrets = ({ accountId }: Actor, webhookId: number) => sql`
  delete from webhook_secrets where account_id = ${accountId} and webhook_id = ${webhookId} returning id`
