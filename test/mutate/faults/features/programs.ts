// Faults of server/features/programs.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Connected programs, as administrators see them
  {
    name: 'secret-without-proof',
    find: 'const client_secret = await whenProven(kontor, actor, body, (tx) =>',
    replace: 'const client_secret = await database.transaction((tx) =>',
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'secret-of-another-account',
    find: "if (!seen.is_own) throw forbidden('Only the account that made an integration sees",
    replace: "if (!seen) throw forbidden('Only the account that made an integration sees",
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'calls-of-another-integration',
    find: 'where call.account_id = ${accountId} and client_id = ${client_id} order by call.id desc',
    replace: 'where call.account_id = ${accountId} order by call.id desc',
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'answer-of-a-receiver-not-kept',
    find: 'error, answer: answer ?? null, milliseconds: Math.round(milliseconds),',
    replace: 'error, answer: null, milliseconds: Math.round(milliseconds),',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'switched-off-by-hand-and-not-told',
    find: 'disabled_at = ${actor.at}, disabled_by = ${actor.userId},',
    replace: 'disabled_at = ${actor.at}, disabled_by = null,',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  // Deliveries of webhooks
  {
    name: 'delivery-held-while-its-webhook-is-enabled',
    find: 'order by account_id, id for share`',
    replace: 'order by account_id, id`',
    tests: ['server/features/programs/webhooks/deliveries/deliveries.test.ts'],
  },
  {
    name: 'delivery-sent-again-at-its-late-offer',
    find: 'offered[0]!.id > lane.highest() && offered.length',
    replace: 'offered.length',
    tests: ['server/features/programs/webhooks/deliveries/engine.test.ts'],
  },
  {
    name: 'late-offer-that-is-dropped',
    find: '      else if (open.isWhole && isNext(open, its)) {',
    replace:
      '      else if (open.isWhole && !isNext(open, its)) continue\n      else if (open.isWhole) {',
    tests: ['server/features/programs/webhooks/deliveries/engine.test.ts'],
  },
  {
    name: 'lane-that-refused-ends-fill',
    find: '+ Math.min(refused.size, mostRefused)',
    replace: '',
    tests: ['server/features/programs/webhooks/deliveries/engine.test.ts'],
  },
  {
    name: 'refused-ends-without-bound',
    find: '+ Math.min(refused.size, mostRefused)',
    replace: '+ refused.size',
    tests: ['server/features/programs/webhooks/deliveries/deliveries.test.ts'],
  },
  {
    name: 'lane-that-has-gone-sends',
    find: '|| lanes.get(nameOf(account_id, id)) !== open) return',
    replace: '|| !open) return',
    tests: ['server/features/programs/webhooks/deliveries/deliveries.test.ts'],
  },
  {
    name: 'replay-counted',
    find: 'is_counted: replayed_after === null',
    replace: 'is_counted: true',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'replay-to-a-disabled-webhook',
    find: "if (is_disabled) throw new Problem(422, 'The webhook is disabled",
    replace: "if (is_disabled && id < 0) throw new Problem(422, 'The webhook is disabled",
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'delivery-of-another-webhook',
    find: 'delivery.webhook_id = ${webhookId} and delivery.id = ${id}',
    replace: 'delivery.id = ${id}',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'window-goes-on-when-enabled',
    find: 'case enabled_at when 0 then 0 else (enabled_at + 1) * 1000 end',
    replace: '0',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'late-attempt-lost',
    find: 'and deliveries.attempts = attempt.number - 1 returning',
    replace:
      'and deliveries.attempts = attempt.number - 1 and deliveries.due_at is not null returning',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'body-of-a-delivery-dropped',
    find: 'and not exists (select from deliveries where deliveries.account_id = body.account_id and deliveries.body_id = body.id)',
    replace: '',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  {
    name: 'unsigned-right-after-the-first-secret',
    find: 'if (changes.known < changes.heard) return',
    replace: '',
    tests: ['server/features/programs/webhooks/deliveries/engine.test.ts'],
  },
  {
    name: 'signed-with-the-newest-secret-only',
    find: 'sealed_secrets.flatMap(({ sealed, ends_at }) =>',
    replace: 'sealed_secrets.slice(0, 1).flatMap(({ sealed, ends_at }) =>',
    tests: ['server/features/programs/webhooks/signatures.test.ts'],
  },
  {
    name: 'former-secret-signs-for-ever',
    find: 'ends_at === null || ends_at > nowMs / 1000 ? sealed : []',
    replace: '(ends_at ?? 1) > 0 ? sealed : []',
    tests: ['server/features/programs/webhooks/signatures.test.ts'],
  },
  {
    name: 'end-of-a-secret-put-off',
    find: 'set ends_at = least(ends_at, ${endsAt}::bigint)',
    replace: 'set ends_at = ${endsAt}::bigint',
    tests: ['server/features/programs/webhooks/signatures.test.ts'],
  },
  {
    name: 'unsigned-where-the-secret-cannot-be-read',
    find: 'return ownFailure } try {',
    replace: 'headers = headersOf([], delivery, nowMs()) } try {',
    tests: ['server/features/programs/webhooks/signatures.test.ts'],
  },
  {
    name: 'secret-of-another-account-ended',
    find: 'delete from webhook_secrets where account_id = ${accountId} and webhook_id = ${webhookId} returning id',
    replace: 'delete from webhook_secrets where webhook_id = ${webhookId} returning id',
    tests: ['server/features/programs/webhooks/signatures.test.ts'],
  },
  {
    name: 'unbuilt-replayed-twice',
    find: 'if (built.length > 0) await tx.rows(dropBuilt(actor, built))',
    replace: '',
    tests: ['server/features/programs/webhooks/deliveries/unbuilt.test.ts'],
  },
  {
    name: 'unbuilt-replayed-at-once',
    find: 'await tx.rows(lockAccount(actor)) const found = await tx.rows<{ change',
    replace: 'const found = await tx.rows<{ change',
    tests: ['server/features/programs/webhooks/deliveries/unbuilt.test.ts'],
  },
  {
    name: 'unbuilt-of-another-account',
    find: 'from unbuilt_notices where account_id = ${accountId} ${after',
    replace: 'from unbuilt_notices where account_id > 0 ${after',
    tests: ['server/features/programs/webhooks/deliveries/unbuilt.test.ts'],
  },
  // Locks
  {
    name: 'refresh-unlocked',
    find: 'for no key update of token',
    replace: '',
    tests: ['server/features/programs/oauth/oauth.refresh.test.ts'],
  },
  // Admission
  {
    name: 'expired-code',
    find: 'if (at >= row.created_at + codeSeconds)',
    replace: 'if (at > row.created_at + codeSeconds)',
    tests: ['server/features/programs/oauth/oauth.lifetimes.test.ts'],
  },
  {
    name: 'refresh-replayed',
    find: 'const isRepeat = Math.abs(at - row.used_at) <= repeatSeconds',
    replace: 'const isRepeat = at - row.used_at <= repeatSeconds',
    tests: ['server/features/programs/oauth/oauth.refresh.test.ts'],
  },
  {
    name: 'code-twice',
    find: 'if (row.used_at !== null) { if (at - row.used_at > repeatSeconds',
    replace: 'if (row.used_at !== null && row.used_at < 0) { if (at - row.used_at > repeatSeconds',
    tests: ['server/features/programs/oauth/oauth.refresh.test.ts'],
  },
  {
    name: 'api-key-kept',
    find: 'hash: hash(api_key)',
    replace: 'hash: Buffer.from(api_key)',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-remembered',
    find: 'throw notFound() await forgetAccess(tx) }',
    replace: 'throw notFound() }',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
    in: 'api-keys/api-keys.ts',
  },
  {
    name: 'api-keys-of-others-deleted',
    find: 'deleteApiKey(tx, actor, id, actor.userId)',
    replace: 'deleteApiKey(tx, actor, id)',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-keys-without-end',
    find: 'and is_active for no key update`',
    replace: 'and is_active`',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  // Room for files
  {
    name: 'people-not-shown-in-the-window',
    find: "...(manages_people ? ['manages_people'] : [])",
    replace: '',
    tests: ['server/features/programs/oauth/consent/consent.test.ts'],
  },
  {
    name: 'api-key-without-proof',
    find: 'await whenProven(kontor, actor, proof, (tx) =>',
    replace: 'await database.transaction((tx) =>',
    tests: ['server/features/people/second-factor/proof.test.ts'],
  },
  {
    name: 'token-without-proof',
    find: 'await whenProven(kontor, actor, proof, async (tx) => {',
    replace: 'await database.transaction(async (tx) => {',
    tests: ['server/features/people/second-factor/proof.test.ts'],
  },
  // Webhooks
  {
    name: 'webhooks-of-another-account',
    find: 'from webhooks where account_id = ${actor.accountId} ${destination',
    replace: 'from webhooks where account_id > 0 ${destination',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  {
    name: 'webhook-enabled-beyond-the-limit',
    find: 'if (activeAmong(known) >= mostActive) throw',
    replace: 'if (activeAmong(known) > mostActive) throw',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  {
    name: 'webhooks-added-at-once',
    find: 'await tx.rows(lockAccount(actor)) if (actor.clientId !== null) await lockIntegration',
    replace: 'if (actor.clientId !== null) await lockIntegration',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  {
    name: 'webhook-outlives-its-integration',
    find: 'await tx.rows(queries.endWebhooks(accountIds, client_id))',
    replace: '',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  {
    name: 'webhook-to-a-private-address',
    find: 'return isIP(address) && permit.refuses(address, portOf(url))',
    replace: 'return isIP(host) && permit.refuses(host, portOf(url))',
    tests: ['server/features/programs/webhooks/webhooks.test.ts'],
  },
  // The bodies of webhooks
  {
    name: 'notices-by-one-bad-change-fewer',
    find: 'return build(change) } catch (error) {',
    replace: 'return build(change) } catch (error) { if (error) throw error',
    tests: ['server/features/programs/webhooks/notices.test.ts'],
  },
  {
    name: 'notices-overtake-in-shared-bodies',
    find: 'at! >= (latest.get(entity) ?? 0) &&',
    replace: '',
    tests: ['server/features/programs/webhooks/notices.test.ts'],
  },
  // Channels: who is let in by signature, and whom a channel reaches
  {
    name: 'channel-stays-with-the-uninstalled',
    find: 'await tx.rows(queries.endConnections(accountIds, client_id, at))',
    replace: '',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // The addresses that links begin with
  {
    name: 'access-token-over-refresh-token',
    find: "if (token === '' && headers.authorization !== undefined)",
    replace: 'if (headers.authorization !== undefined)',
    tests: ['server/features/programs/oauth/oauth.refresh.test.ts'],
  },
]
