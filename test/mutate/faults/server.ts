// Faults of the rest of server/: what runs, remembers, tells and calls.
import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  // Tables that grow
  {
    name: 'deltas-unread',
    find: 'union all select ${listed([...key, ...sums])} from ${raw(deltas)} where account_id = ${accountId}',
    replace: '',
    tests: ['server/features/application/board/board.test.ts'],
  },
  {
    name: 'fold-without-adding',
    find: '`${each} = kept.${each} + excluded.${each}`',
    replace: '`${each} = excluded.${each}`',
    tests: ['server/features/application/board/board.test.ts'],
  },
  {
    name: 'growth-unseen',
    find: 'rows >= 2 * (known.get(name) ?? 0)',
    replace: 'rows > 0 && !known.has(name)',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'queues-analyzed-without-end',
    find: 'return changed.filter(({ name, rows }) => rows >= 2 * (known.get(name) ?? 0))',
    replace: 'return changed.filter(({ rows }) => rows >= 0 || known.size < 0)',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'growth-after-a-crash-unseen',
    find: 'or reltuples < 0 and pg_relation_size(pg_class.oid) > 500000)',
    replace: ')',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'autovacuum-given-up',
    find: 'analyze (skip_locked) ${name}',
    replace: 'analyze ${name}',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'statistics-untold',
    find: "signals.notify(statisticsChannel, renewed.join(','))",
    replace: '',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'plans-kept-on-the-signal',
    find: 'signals.on(statisticsChannel, () => database.forgetPlans()),',
    replace: 'signals.on(statisticsChannel, () => undefined),',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'plans-kept',
    find: "generations.get(client) === current ? undefined : client.query('discard plans')",
    replace: 'undefined',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'entries-left-unsorted',
    find: "await lock.run(`select gin_clean_pending_list('${name}'::regclass)`)",
    replace: '',
    tests: ['server/changes/growth.test.ts'],
  },
  {
    name: 'look-ups-by-any-index',
    find: 'and row.id = ${id} offset 0)`',
    replace: 'and row.id = ${id})`',
    tests: ['test/plans/plans.test.ts'],
  },
  {
    name: 'listed-rows-guessed',
    find: 'const unguessed = (test: Sql): Sql => sql`coalesce(${test}, false)`',
    replace: 'const unguessed = (test: Sql): Sql => test',
    tests: ['test/plans/plans.test.ts'],
  },
  {
    name: 'months-without-settings',
    find: 'including defaults) with (${raw(tableSettings)})`,',
    replace: 'including defaults)`,',
    tests: ['server/changes/partitions.test.ts'],
  },
  // Deliveries of webhooks
  {
    name: 'end-lost-where-the-database-is-away',
    find: 'finished = [...waiting, ...finished, ...locked]',
    replace: 'finished = [...finished, ...locked]',
    tests: ['server/outgoing/sender.test.ts'],
  },
  {
    name: 'group-takes-all-attempts',
    find: 'Math.min(left, mostOfGroup - (underWay.get(group) ?? 0))',
    replace: 'Math.min(left, maxConcurrent - (underWay.get(group) ?? 0))',
    tests: ['server/outgoing/sender.test.ts'],
  },
  {
    name: 'unkept-ends-without-bound',
    find: 'Math.min(maxConcurrent, 2 * maxConcurrent - unkept) - total',
    replace: 'maxConcurrent - total',
    tests: ['server/outgoing/sender.test.ts'],
  },
  {
    name: 'sender-without-its-shard',
    find: 'if (shards.held().length > 0) {',
    replace: 'if (shards.held().length >= 0) {',
    tests: ['server/outgoing/sender.test.ts'],
  },
  {
    name: 'refused-end-that-blocks-others',
    find: 'if (isAway(error)) {',
    replace: 'if (error) {',
    tests: ['server/features/programs/webhooks/deliveries/deliveries.test.ts'],
  },
  {
    name: 'notice-that-overtakes-one-of-another-process',
    find: 'follower.begin?.()',
    replace: '',
    tests: ['server/features/programs/webhooks/deliveries/deliveries.test.ts'],
  },
  // Accounts
  {
    name: 'old-events-by-far-too-many-days',
    find: '  if (before <= 0) return []',
    replace: '',
    tests: ['server/changes/partitions.test.ts'],
  },
  {
    name: 'event-times-unbounded',
    find: 'select least(greatest(${at}::bigint, now - ${mostOff}::bigint), now + ${mostOff}::bigint)',
    replace: 'select ${at}::bigint',
    tests: ['server/features/activity/events/filters.test.ts'],
  },
  // Locks
  {
    name: 'consequence-for-cause',
    find: 'reasons.find((reason) => !isConsequence(reason)) ?? reasons[0]',
    replace: 'reasons.at(-1)',
    tests: ['server/database/together.test.ts'],
  },
  // News
  {
    name: 'journal-of-new-records-without-their-action',
    find: "'{add}', row_to_json(row), ${writer.userId}::bigint, ${writer.at}::bigint, ${writer.requestId}::uuid, ${writer.surface} from ${added} row",
    replace:
      "'{update}', row_to_json(row), ${writer.userId}::bigint, ${writer.at}::bigint, ${writer.requestId}::uuid, ${writer.surface} from ${added} row",
    tests: ['server/records/writing/records.test.ts'],
  },
  // Pages, filters and bounds
  {
    name: 'journal-dropped-before-blocks',
    find: 'least(min(low_water), (select min(journal_id) from blocked_texts))',
    replace: 'min(low_water)',
    tests: ['server/records/search/search.test.ts'],
  },
  // Followers and the live stream
  {
    name: 'mark-by-one',
    find: 'xid < xmin',
    replace: 'xid <= xmin',
    tests: ['server/changes/position.test.ts'],
  },
  {
    name: 'low-water-past-batch',
    find: 'changes.length < batch ? Infinity',
    replace: 'changes.length <= batch ? Infinity',
    tests: ['server/changes/position.test.ts'],
  },
  // Admission
  {
    name: 'token-spelled-anew',
    find: "return bytes.toString('base64url') === text ? bytes : undefined",
    replace: 'return bytes',
    tests: ['server/access/tokens.test.ts'],
  },
  {
    name: 'data-folder-stays-open',
    find: '(there.mode & 0o777) === openToAll) await chmod(data, mode)',
    replace: '(there.mode & 0o777) === 0) await chmod(data, mode)',
    tests: ['server/database/data-folder.test.ts > a data folder with the mode'],
  },
  {
    name: 'data-folder-widened',
    find: '(there.mode & 0o777) === openToAll) await chmod(data, mode)',
    replace: 'there.mode) await chmod(data, 0o711)',
    tests: ['server/database/data-folder.test.ts > a data folder with the mode'],
  },
  {
    name: 'data-folder-made-open',
    find: 'await mkdir(data, { recursive: true }) await chmod(data, 0o711)',
    replace: 'await mkdir(data, { recursive: true }); await chmod(data, 0o777)',
    tests: [
      'server/database/data-folder.test.ts > every file and folder of the data is closed to other users',
    ],
  },
  {
    name: 'session-token-kept',
    find: "return createHash('sha256').update(secret).digest()",
    replace: 'return Buffer.from(secret)',
    tests: ['server/features/people/sessions/sessions.test.ts'],
  },
  // Rough weather
  {
    name: 'full-disk',
    find: "error.code === '53100'",
    replace: "error.code === '53200'",
    tests: ['server/http/problem.test.ts'],
  },
  {
    name: 'clock-put-back-tokens',
    find: 'clockTolerance: Number.MAX_SAFE_INTEGER',
    replace: 'currentDate: new Date(at * 1000)',
    tests: ['server/access/tokens.test.ts'],
  },
  // Room for files
  {
    name: 'address-in-a-log-line',
    find: 'loggerInstance: withoutAddresses(logger)',
    replace: 'loggerInstance: logger',
    tests: ['server/features/people/passwords/passwords.test.ts'],
  },
  // Request bodies
  {
    name: 'time-by-the-clock-of-the-process',
    find: 'clock!.read + (performance.now() - clock!.readAt) / 1000',
    replace: 'Date.now() / 1000',
    tests: ['server/changes/time-of-change.test.ts'],
  },
  // The door for requests to addresses that others have written
  {
    name: 'door-open-for-users',
    find: "if (role === 'user') return 'none'",
    replace: '',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'door-open-for-other-accounts',
    find: "mayTry && isTryOut && (await isFirst(accountId)) ? 'loopback' : 'none'",
    replace: "mayTry && isTryOut ? 'loopback' : 'none'",
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'door-open-behind-a-proxy',
    find: 'config.databaseUrl === undefined && !isOpenToOthers(config)',
    replace: 'config.databaseUrl === undefined',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'door-open-to-kontor-itself',
    find: 'isRefused(address, reach) || isOwn(address, port)',
    replace: 'isRefused(address, reach)',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'door-open-to-the-database',
    find: 'const isOfDatabase = port === databaseHost?.port',
    replace: 'const isOfDatabase = false',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'door-open-while-the-database-is-unknown',
    find: 'if (databaseAddresses === undefined) return true',
    replace: 'if (databaseAddresses === undefined) return false',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'recording-of-a-former-administrator',
    find: 'person.is_admin and person.is_active) then',
    replace: 'person.is_admin) then',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'connection-of-another-reach',
    find: '`${reach} ${protocol}//${host}`',
    replace: '`${protocol}//${host}`',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  // Messages that leave, and their callbacks
  {
    name: 'callback-on-a-used-connection',
    find: 'return finish(isOnce ? drop : connections.keep)',
    replace: 'return finish(connections.keep)',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  // Attempts to deliver webhooks
  {
    name: 'answers-read-without-bound',
    find: 'if (count >= mostDrained || drainedInAll >= mostDrainedInAll) return false',
    replace: 'if (count >= mostDrained) return false',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  {
    name: 'interim-status-undecided',
    find: 'if (status && !(isOnce && isInformational(status)) && !busyStatus)',
    replace: 'if (status >= 200 && !busyStatus)',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  {
    name: 'wait-of-a-busy-receiver-unread',
    find: 'isInformational(status)) && !busyStatus)',
    replace: 'isInformational(status)))',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  {
    name: 'stale-connection-is-a-failure',
    find: 'its.isReused && length === 0 &&',
    replace: 'its.isReused && length < 0 &&',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  {
    name: 'first-address-unchecked',
    find: 'const bad = addresses.find(',
    replace: 'const bad = addresses.slice(1).find(',
    tests: ['server/outgoing/attempt.test.ts'],
  },
  // Files: who reads them, what browsers make of them, and where they are fetched from
  {
    name: 'file-fetched-privately',
    find: "if (refusalOf(url, permit)) throw new DownloadFault('private address', false)",
    replace: '',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-fetched-privately-by-name',
    find: 'guarded(permit, portOf(url), () => addresses)(host, options, done)',
    replace:
      'guarded({ ...permit, refuses: () => false }, 0, () => addresses)(host, options, done)',
    in: 'outgoing/download.ts',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  // Transactions that work in the background waits for
  {
    name: 'background-waits-for-neighbours',
    find: 'coalesce(datname, pg_prepared_xacts.database) <> current_database()',
    replace: "coalesce(datname, pg_prepared_xacts.database) = ''",
    tests: ['server/changes/background.test.ts'],
  },
  {
    name: 'background-waits-for-nobody',
    find: 'coalesce(datname, pg_prepared_xacts.database) <> current_database()',
    replace: "coalesce(datname, pg_prepared_xacts.database) <> ''",
    tests: ['server/changes/background.test.ts'],
  },
  {
    name: 'background-waits-for-younger',
    find: 'where xid < ${mark}::xid8 and not exists',
    replace: 'where not exists',
    tests: ['server/changes/background.test.ts'],
  },
  // The addresses that links begin with
  {
    name: 'page-at-rest-before-it-has-begun',
    find: "'data-busy': 'start',",
    replace: '',
    tests: ['test/browser/typing.test.ts > a page waits without a gap'],
  },
  // The year of the demo
  {
    name: 'events-of-now-in-the-past',
    find: ': sql`(clock_timestamp() - make_interval(secs => ${ago}::bigint))`',
    replace: ': sql`(clock_timestamp() - 0 * make_interval(secs => ${ago}::bigint))`',
    tests: ['server/changes/record.test.ts > what is written in the past bears the times of then'],
  },
]
