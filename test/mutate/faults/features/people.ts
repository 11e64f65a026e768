// Faults of server/features/people.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Days and the zone of the account
  {
    name: 'zone-without-views',
    find: '(text, fields) => withWrittenDays(fields, text)',
    replace: '(text) => text',
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'zone-with-views-of-leads-alone',
    find: 'await Promise.all(recordTypes.map((type) => fieldsOf(tx, id, type)))',
    replace: "[await fieldsOf(tx, id, 'leads')]",
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'zone-with-old-definitions',
    find: 'await fieldsChanged(tx, id) await refreshCustomersLater(',
    replace: 'await refreshCustomersLater(',
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'zone-without-evaluation',
    find: 'await refreshCustomersLater(tx, serverItself(id, at))',
    replace: '',
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'zone-unknown-to-the-database',
    find: 'isTimezone(name) && (await reader.row(isZoneOfDatabase(name)))',
    replace: 'isTimezone(name) && reader',
    tests: ['server/commands/refusals.test.ts'],
  },
  // Connected programs, as administrators see them
  {
    name: 'proof-without-code',
    find: 'if (!(await tx.row(queries.stateOfFactor(actor)))) return',
    replace: 'if (actor) return',
    tests: ['server/features/people/second-factor/proof.test.ts'],
  },
  // Purchases of customers
  {
    name: 'tasks-stay-in-their-group',
    find: "for (const table of [...recordTypes, 'tasks'] as const)",
    replace: 'for (const table of recordTypes)',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  // Admission
  {
    name: 'grant-outlives-its-user',
    find: 'granted as (update grants set revoked_at = ${at} where ${gone} and revoked_at is null),',
    replace: '',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'code-outlives-its-user',
    find: 'codes as (update authorization_codes set used_at = ${at} where ${gone} and used_at is null),',
    replace: '',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'api-key-outlives-its-user',
    find: 'keys as (delete from api_keys where ${gone}),',
    replace: '',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'browser-outlives-its-user',
    find: 'browsers as (delete from known_browsers where ${gone}),',
    replace: '',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'links-outlive-their-administrator',
    find: 'or created_by = any(${ids}::bigint[]))),',
    replace: ')),',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'late-way-in-survives',
    find: 'if (users.length > 0) await tx.rows(queries.endEveryWayIn',
    replace: 'if (!isActive) await tx.rows(queries.endEveryWayIn',
    tests: ['server/features/people/users/ways-in.test.ts'],
  },
  {
    name: 'access-remembered',
    find: 'rights: normalise(merged) }), ) await forgetAccess(tx)',
    replace: 'rights: normalise(merged) }), )',
    tests: ['server/features/people/roles/roles.test.ts'],
  },
  // Rough weather
  {
    name: 'browser-knows-everybody',
    find: 'known.account_id = person.account_id and known.user_id = person.id',
    replace: 'known.account_id = person.account_id',
    tests: ['server/features/people/sessions/sessions.test.ts'],
  },
  // Room for files
  {
    name: 'sessions-without-end',
    find: 'or old.place > ${most})',
    replace: 'or old.place > ${most} + 1000)',
    tests: ['server/features/people/sessions/own-sessions.test.ts'],
  },
  {
    name: 'people-of-an-integration-stay',
    find: 'made_by = ${clientId} and is_active and id <> ${userId}',
    replace: 'made_by = ${clientId} and not is_active and id <> ${userId}',
    tests: ['server/features/programs/integrations/people.test.ts'],
  },
  {
    name: 'proof-with-any-code',
    find: 'if (!(await useFactorCode(tx, kontor.secrets, actor, code))) throw wrongCode()',
    replace: 'await useFactorCode(tx, kontor.secrets, actor, code)',
    tests: ['server/features/people/second-factor/proof.test.ts'],
  },
  {
    name: 'users-by-a-session',
    find: 'onRequest: [forbidSessions, requirePeopleRight]',
    replace: 'onRequest: [requirePeopleRight]',
    tests: ['server/features/people/second-factor/proof.test.ts'],
  },
  {
    name: 'second-factor-unasked',
    find: 'wanted.has_second_factor && code === undefined',
    replace: 'false',
    tests: ['server/features/people/second-factor/second-factor.test.ts'],
  },
  {
    name: 'code-used-twice',
    find: 'and confirmed_at is not null and last_step < ${step}',
    replace: 'and confirmed_at is not null',
    tests: ['server/features/people/second-factor/second-factor.test.ts'],
  },
  {
    name: 'codes-guessed-freely',
    find: "is_known ? undefined : attempts.ofUser('code', accountId, userId)",
    replace: 'undefined',
    tests: ['server/features/people/second-factor/second-factor.test.ts'],
  },
  {
    name: 'reset-link-used-twice',
    find: 'if (!(await tx.row(queries.takeReset(hash(link.token), at)))) throw notFound()',
    replace: 'await tx.row(queries.takeReset(hash(link.token), at))',
    tests: ['server/features/people/passwords/passwords.test.ts'],
  },
  {
    name: 'invitation-of-a-former-administrator',
    find: 'and creator.is_active and creator.is_admin`',
    replace: '`',
    tests: ['server/features/people/invitations/invitations.test.ts'],
  },
  {
    name: 'guess-by-own-account',
    find: 'isIn && strangers.every((user) => matches.includes(user))',
    replace: 'isIn',
    tests: ['server/features/people/sessions/sessions.test.ts'],
  },
  // Views, jobs and recordings
  {
    name: 'private-view-seen-by-all',
    find: 'and (is_shared or user_id = ${actor.userId}) order by lower(name',
    replace: 'order by lower(name',
    tests: ['server/features/people/views/views.test.ts'],
  },
  {
    name: 'shared-view-changed-by-anybody',
    find: 'if (view.user_id !== actor.userId && !actor.isAdmin)',
    replace: 'if (!actor)',
    tests: ['server/features/people/views/views.test.ts'],
  },
  {
    name: 'hidden-view-not-told',
    find: 'signal(tx, signals, actor, [before, changed])',
    replace: 'signal(tx, signals, actor, [changed])',
    tests: ['server/features/people/views/views.test.ts'],
  },
  {
    name: 'pin-of-all-users',
    find: 'where account_id = ${accountId} and user_id = ${userId} and view_id = views.id',
    replace: 'where account_id = ${accountId} and view_id = views.id limit 1',
    tests: ['server/features/people/views/views.test.ts'],
  },
  {
    name: 'hidden-pins-count',
    find: 'and (is_shared or views.user_id = ${userId})`',
    replace: '`',
    tests: ['server/features/people/views/views.test.ts'],
  },
  // The addresses that links begin with
  {
    name: 'invitations-at-the-callers-address',
    find: 'createInvitation(tx, actor, base, draft)',
    replace: 'createInvitation(tx, actor, `http://${host}`, draft)',
    tests: ['server/http/addresses.test.ts > tells other people and programs'],
  },
  // Who may view what is written
  {
    name: 'former-link-of-an-invitation-stays',
    find: 'update invitations set hash = ${hash}, expires_at',
    replace: 'update invitations set expires_at',
    tests: ['server/features/people/invitations/invitations.test.ts > another link'],
  },
  {
    name: 'ended-invitation-gets-a-link',
    find: 'and id = ${id} and expires_at > ${actor.at}\n  returning email',
    replace: 'and id = ${id}\n  returning email',
    tests: ['server/features/people/invitations/invitations.test.ts > another link'],
  },
]
