// Faults of server/access.
import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  // Rights to records
  {
    name: 'delete-by-edit',
    find: "return actor.rights[type === 'customers' ? 'leads' : type][action]",
    replace:
      "return actor.rights[type === 'customers' ? 'leads' : type][action === 'delete' ? 'edit' : action]",
    tests: ['server/records/writing/bin.test.ts'],
  },
  {
    name: 'add-without-add',
    find: "return levelOf(actor, type, action) === 'D' &&",
    replace: "return action !== 'add' && levelOf(actor, type, action) === 'D' &&",
    tests: ['server/features/records/leads/leads.test.ts'],
  },
  {
    name: 'delete-stronger-than-edit',
    find: 'delete: weaker(allowed(sent.delete, known), edit)',
    replace: 'delete: allowed(sent.delete, known)',
    tests: ['server/access/rights.test.ts'],
  },
  {
    name: 'group-of-others',
    find: ': sql`record.group_id = ${actor.groupId}`',
    replace: ': sql`record.group_id >= 0`',
    tests: ['server/access/record-rights.test.ts'],
  },
  {
    name: 'status-right-of-view',
    find: "closed: named.filter(({ rights }) => rights[action as 'view'] === 'D')",
    replace: "closed: named.filter(({ rights }) => rights.view === 'D')",
    tests: ['server/access/record-rights.test.ts'],
  },
  {
    name: 'task-changed-unseen',
    find: '${byLevel(actor, taskLevel(actor, action))} and ${mayViewTask(actor)}',
    replace: '${byLevel(actor, taskLevel(actor, action))}',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-changed-without-letter',
    find: 'coalesce(${byLevel(actor, taskLevel(actor, action))} and',
    replace: 'coalesce(true and',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-heard-by-all',
    find: "return record ? sees(actor, entity_type, record) : mayAll(actor, entity_type, 'view')",
    replace: 'return true',
    tests: ['server/features/application/live/live.test.ts'],
  },
  {
    name: 'tasks-of-the-bin',
    find: "${inBin === 'hidden' ? sql`where not record.is_deleted` : sql`where true`}",
    replace: 'where true',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  // Connected programs, as administrators see them
  {
    name: 'log-that-keeps-too-few',
    find: 'other.client_id = program.client_id order by id desc limit 1 offset',
    replace: 'other.client_id = program.client_id order by id desc limit 1 offset 1 -',
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'grant-used-at-each-call',
    find: 'if (Math.abs(at - (lastTouches.get(key) ?? 0)) < coarseSeconds) return',
    replace: 'if (at < 0) return',
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'calls-of-a-channel-that-is-not-there',
    find: 'join channels channel on channel.id = channel_id and channel.deleted_at is null order',
    replace:
      'left join channels channel on channel.id = channel_id and channel.deleted_at is null order',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // Accounts
  {
    name: 'catalog-closed-by-name',
    find: 'return sql`${id} <> all(${closed}::bigint[])`',
    replace: 'return sql`true`',
    tests: ['server/features/definitions/catalogs/catalogs.test.ts'],
  },
  {
    name: 'elements-without-edit',
    find: "const level = catalogLevel(actor, catalogId, action)\n  if (level === 'L')",
    replace: "const level = catalogLevel(actor, catalogId, 'view')\n  if (level === 'L')",
    tests: ['server/features/records/elements/elements.test.ts'],
  },
  {
    name: 'elements-by-hidden-links',
    find: "not record.is_deleted\n       where ${may(actor, type, 'view')}",
    replace: 'not record.is_deleted',
    tests: ['server/features/records/links/elements.test.ts'],
  },
  // Locks
  {
    name: 'account-unlocked',
    find: 'from accounts where id = ${actor.accountId} for no key update',
    replace: 'from accounts where id = ${actor.accountId}',
    tests: ['server/features/people/users/users.test.ts'],
  },
  // Links, the bin and complex creation
  {
    name: 'clock-put-back',
    find: 'Math.max(at, created_at)',
    replace: 'at',
    tests: ['test/clock.test.ts'],
  },
  // Admission
  {
    name: 'expired-remembered',
    find: 'isFresh && at < last.expiresAt)',
    replace: 'isFresh && at < last.expiresAt + 60)',
    tests: ['server/features/programs/oauth/oauth.lifetimes.test.ts'],
  },
  {
    name: 'undone-merge-for-ever',
    find: 'and event.id < undone.events_until',
    replace: '',
    tests: ['server/features/application/merges/undone.test.ts'],
  },
  {
    name: 'revoked-grant',
    find: 'given.id = ${grant_id} and given.revoked_at is null',
    replace: 'given.id = ${grant_id}',
    tests: ['server/features/programs/integrations/integrations.test.ts'],
  },
  {
    name: 'inactive-user',
    find: 'given.expires_at > ${at}) and person.is_active',
    replace: 'given.expires_at > ${at})',
    tests: ['server/access/forgetting.test.ts'],
  },
  {
    name: 'scope-unchecked',
    find: "scope !== 'any' && !actor.scopes.includes(scope)",
    replace: "scope !== 'any' && actor.scopes.length === 0",
    tests: ['server/access/scopes.test.ts'],
  },
  {
    name: 'session-from-elsewhere',
    find: "origin === undefined ? site === 'same-origin' : isOwn(origin, own)",
    replace: 'origin === undefined || isOwn(origin, own)',
    tests: ['server/features/people/sessions/sessions.test.ts'],
  },
  {
    name: 'guesses',
    find: 'waitOf(byPerson, mostByPerson)',
    replace: 'waitOf(byPerson, mostByPerson + 1)',
    tests: ['server/features/people/sessions/sessions.test.ts'],
  },
  {
    name: 'api-key-of-anybody',
    find: 'and person.email = ${login} and person.is_active',
    replace: "and ${login} <> '' and person.is_active",
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-of-the-deactivated',
    find: 'and person.email = ${login} and person.is_active',
    replace: 'and person.email = ${login}',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-at-any-host',
    find: 'and (${subdomain ?? null}::text is null or account.subdomain = ${subdomain ?? null})`',
    replace: "and (${subdomain ?? null}::text is null or account.subdomain <> '')`",
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-for-version-4',
    find: "(is404 ? url : routeOptions.url!).startsWith('/api/v2/')",
    replace: "(is404 ? url : routeOptions.url!).startsWith('/api/')",
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'api-key-guesses',
    find: 'throw attempt.wait > 0 ? tooManyRequests(attempt.wait) : unauthorized()',
    replace: 'throw unauthorized()',
    tests: ['server/features/programs/api-keys/api-keys.test.ts'],
  },
  {
    name: 'rate-limit',
    find: 'return tokens > 1 - 1e-6 ?',
    replace: 'return tokens > -1 ?',
    tests: ['server/access/limits.test.ts'],
  },
  {
    name: 'unpaid-writes',
    find: 'if (actor.isUnpaid) throw paymentRequired()',
    replace: '',
    tests: ['server/access/forgetting.test.ts'],
  },
  {
    name: 'stand-in-by-anybody',
    find: "if (!caller.is_admin) throw forbidden('Only an administrator may send",
    replace: "if (caller.is_free) throw forbidden('Only an administrator may send",
    tests: ['server/access/context-user.test.ts'],
  },
  {
    name: 'private-for-integrations',
    find: "if (actor.clientId !== null) throw forbidden('An integration may not use this method",
    replace: "if (actor.clientId === '') throw forbidden('An integration may not use this method",
    tests: ['server/access/scopes.test.ts'],
  },
  // Room for files
  {
    name: 'people-by-any-integration',
    find: 'if (actor.managesPeople === false)',
    replace: 'if (actor.managesPeople === null)',
    tests: ['server/features/programs/integrations/people.test.ts'],
  },
  {
    name: 'people-by-the-maker-elsewhere',
    find: 'integration.empty_list, installed.manages_people',
    replace: 'integration.empty_list, integration.manages_people',
    tests: ['server/features/programs/integrations/people.test.ts'],
  },
  // Request bodies
  {
    name: 'time-of-bodies',
    find: 'if (declared > smallBody) refuseTime(caller)',
    replace: 'if (declared > smallBody * 1000) refuseTime(caller)',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'refused-bodies',
    find: 'spend(spent * (refusedWeight - 1))',
    replace: 'spend(refusedWeight - 1)',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'the-own-time-of-a-body',
    find: '(timeBurst + except) / timeShare',
    replace: 'timeBurst / timeShare',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'right-after-the-body',
    find: 'if (right) requireRight(actor, right.type, right.action)',
    replace: 'if (right && !actor) requireRight(actor, right, right)',
    tests: ['server/http/receive.test.ts'],
  },
  {
    name: 'time-of-arrival',
    find: '...actor, at: tx.now(), isWriting: true',
    replace: '...actor, isWriting: true',
    tests: ['server/changes/time-of-change.test.ts'],
  },
  // Writes that are sent again
  {
    name: 'key-of-any-body',
    find: 'if (kept && !kept.request_hash.equals(requestHash)) throw anotherRequest()',
    replace: '',
    tests: ['server/access/idempotency-store.test.ts'],
  },
  {
    name: 'key-of-any-user',
    find: 'JSON.stringify([accountId, userId, clientId, key])',
    replace: 'JSON.stringify([accountId, clientId, key])',
    tests: ['server/access/idempotency-store.test.ts'],
  },
  {
    name: 'twins-write-twice',
    find: 'if (!locked) throw beingAnswered()',
    replace: '',
    tests: ['server/access/idempotency-store.test.ts'],
  },
  {
    name: 'keys-without-end',
    find: 'if (count.used >= most) throw tooManyKeys(most, count.freeAt - at)',
    replace: '',
    tests: ['server/access/idempotency-store.test.ts'],
  },
  // Pages of other sites
  {
    name: 'cors-of-any-account',
    find: 'if (actor) return naming.some(({ account_id }) => account_id === actor.accountId)',
    replace: '',
    tests: ['server/access/cors.test.ts'],
  },
  {
    name: 'cors-at-any-host',
    find: 'named === undefined || subdomain === named',
    replace: 'named === undefined || subdomain !== ""',
    tests: ['server/access/cors.test.ts'],
  },
  {
    name: 'cors-for-sessions',
    find: 'if (hasSession(request) ||',
    replace: 'if (',
    tests: ['server/access/cors.test.ts'],
  },
  {
    name: 'cors-for-secrets',
    find: 'return /^\\/api\\/v4(?:[/?]|$)/.test(url)',
    replace: 'return url !== ""',
    tests: ['server/access/cors.test.ts'],
  },
  {
    name: 'cors-of-ended-integrations',
    find: 'join installations installed on installed.client_id = made.client_id and installed.is_enabled join accounts',
    replace: 'join installations installed on installed.client_id = made.client_id join accounts',
    tests: ['server/access/cors.test.ts'],
  },
  // Channels: who is let in by signature, and whom a channel reaches
  {
    name: 'signature-unasked',
    find: 'if (fault !== undefined) throw wrongSignature(fault)',
    replace: '',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'signature-by-prefix',
    find: "timingSafeEqual(own, Buffer.from(signature, 'hex'))",
    replace: "own.subarray(0, 1).equals(Buffer.from(signature, 'hex').subarray(0, 1))",
    tests: ['server/access/channel-signature.test.ts'],
  },
  {
    name: 'signature-of-no-bytes',
    find: 'fits(secret, body, signature) && (body.length > 0 || !isBodyless(method))',
    replace: 'fits(secret, body, signature)',
    tests: ['server/access/channel-signature.test.ts'],
  },
  {
    name: 'signature-without-date',
    find: 'return Math.abs(at - sentAt) > mostApart ?',
    replace: 'return Math.abs(at - sentAt) > Infinity ?',
    tests: ['server/access/channel-signature.test.ts'],
  },
  {
    name: 'signature-without-md5',
    find: 'if (!digests.includes(contentMd5))',
    replace: "if (contentMd5 === 'x')",
    tests: ['server/access/channel-signature.test.ts'],
  },
  // Chats: who sees them, in which order, and what marks and moves change
  {
    name: 'channel-limit-by-strangers',
    find: 'limits.countScope(named.scope ?? found.id, found.connected_id ?? undefined) request.channel',
    replace: 'request.channel',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'channel-disconnected',
    find: 'on connection.channel_id = channel.id and connection.disconnected_at is null',
    replace: 'on connection.channel_id = channel.id',
    tests: ['server/access/channels.test.ts'],
  },
  {
    name: 'channel-into-the-unpaid',
    find: 'if (isPaid && isUnpaid) throw paymentRequired()',
    replace: '',
    tests: ['server/access/channels.test.ts'],
  },
  // Messages that channels publish: each once, in its scope, to the record and the contact it belongs to
  {
    name: 'known-client-against-the-setting',
    find: "if (setting !== 'client') return setting",
    replace: '',
    tests: ['server/access/empty-list.test.ts'],
  },
  // Unsorted items
  {
    name: 'unsorted-at-any-status',
    find: 'return opened.length > 0 ? isAt(opened) : sql`false`',
    replace: 'return sql`true`',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-without-status',
    find: "if (!actor.isAdmin && statuses(actor, 'leads', action).opened.length === 0)",
    replace: 'if (!actor)',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  // Views, jobs and recordings
  {
    name: 'job-for-a-user-who-left',
    find: 'and ${which} and person.is_active`',
    replace: 'and ${which}`',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
]
