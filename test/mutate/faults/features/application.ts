// Faults of server/features/application.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Days and the zone of the account
  {
    name: 'zone-unknown-to-browsers',
    find: 'payload === String(accountId)',
    replace: "payload === ''",
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  // Rights to records
  {
    name: 'cards-of-any-filter',
    find: 'and record.status_id = any(${stages}::bigint[]) and ${allOf(conditions)}',
    replace: 'and record.status_id = any(${stages}::bigint[])',
    tests: ['server/features/application/board/board.property.test.ts'],
  },
  {
    name: 'window-cut-short',
    find: 'if (cut.length === 0) return filled',
    replace: 'if (cut.length >= 0) return filled',
    tests: ['server/features/application/board/board.property.test.ts'],
  },
  {
    name: 'task-heard-of-the-bin',
    find: 'join ${tableOf(type)} record on record.account_id = named.account_id and record.id = named.id where not record.is_deleted`',
    replace:
      'join ${tableOf(type)} record on record.account_id = named.account_id and record.id = named.id`',
    tests: ['server/features/application/live/live.test.ts'],
  },
  // Accounts
  {
    name: 'missed-of-another-account',
    find: 'where account_id = ${actor.accountId} and id > ${cursor}',
    replace: 'where id > ${cursor}',
    tests: ['server/features/application/live/live.test.ts'],
  },
  // Followers and the live stream
  {
    name: 'live-for-all',
    find: 'return news.isHeardBy(actor, row, key === undefined ? undefined : behind.get(key))',
    replace: 'return true',
    tests: ['server/features/application/live/live.test.ts'],
  },
  {
    name: 'live-of-leaving',
    find: '[after ?? {}, { ...after, ...before }]',
    replace: '[after ?? {}]',
    tests: ['server/features/application/live/live.test.ts'],
  },
  // Admission
  {
    name: 'undone-merge-in-pages-of-feeds',
    find: '${andRetellsNothingOfAny(actor)} as passes',
    replace: 'as passes',
    tests: ['server/features/application/merges/undone.test.ts'],
  },
  {
    name: 'undone-merge-forgotten',
    find: "update merges set before = '{}', after = '{}'",
    replace: "update merges set events_until = null, before = '{}', after = '{}'",
    tests: ['server/features/application/merges/undone.test.ts'],
  },
  // Cards
  {
    name: 'card-of-record-that-may-not-be-viewed',
    find: "where ${may(actor, type, 'view')} and record.account_id",
    replace: 'where record.account_id',
    tests: ['server/features/application/cards/cards.test.ts'],
  },
  {
    name: 'card-in-the-bin-edited',
    find: 'edit: may_edit && !is_deleted',
    replace: 'edit: may_edit',
    tests: ['server/features/application/cards/cards.test.ts'],
  },
  {
    name: 'card-with-more-links-than-were-tried',
    find: 'tried === mostTried',
    replace: 'false',
    tests: ['server/features/application/cards/cards.test.ts'],
  },
  // The vocabulary is told to open pages
  {
    name: 'vocabulary-told-to-all-accounts',
    find: '(account ?? actor.accountId) === actor.accountId',
    replace: 'actor.userId > 0',
    tests: ['server/features/application/live/vocabulary.test.ts'],
  },
  {
    name: 'vocabulary-told-to-programs',
    find: 'actor.clientId === null && (account ??',
    replace: '(account ??',
    tests: ['server/features/application/live/vocabulary.test.ts'],
  },
  {
    name: 'vocabulary-told-each-time',
    find: 'if (!waiting.has(accountId)) wait(accountId, firstMs)',
    replace: 'wait(accountId, 0)',
    tests: ['server/features/application/live/vocabulary.test.ts'],
  },
  {
    name: 'vocabulary-before-the-stream',
    find: 'const isOld = clientId === null && vocabulary.hasJustChanged(accountId)',
    replace: 'const isOld = clientId !== null && vocabulary.hasJustChanged(accountId)',
    tests: ['server/features/application/live/vocabulary.test.ts'],
  },
  // Views, jobs and recordings
  {
    name: 'job-of-another-user',
    find: 'job.user_id = ${userId} and job.id = ${id}',
    replace: 'job.id = ${id}',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'job-walks-what-it-moves',
    find: "return queries.updateFinding({ ...job, state: 'running' })",
    replace: "return queries.updateFinding({ ...job, state: 'running', found_to: null, total: 0 })",
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'batch-done-twice',
    find: 'isEnd ? null : ids.at(-1)!',
    replace: 'isEnd ? null : ids.at(-2)!',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'undo-over-changes-of-others',
    find: 'if (isAs(present.get(id)!, after)) return values[index]!',
    replace: 'if (after) return values[index]!',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'restored-what-another-deleted',
    find: 'else if (isAs(found, after)) return [id]',
    replace: 'else if (after) return [id]',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'second-lane-without-records',
    find: 'split_at === null ? null : split_at - 1',
    replace: 'split_at === null ? null : null',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'first-lane-goes-on-into-the-second',
    find: 'lane === 0 && split_at !== null ? sql`',
    replace: 'lane > 0 && split_at !== null ? sql`',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'change-of-many-in-the-bin',
    find: 'if (inBin !== takesFromBin(action.kind))',
    replace: 'if (inBin && !takesFromBin(action.kind))',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'purge-by-anybody',
    find: "if (kind === 'purge' && !actor.isAdmin) throw forbidden()",
    replace: '',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'left-out-record-changed',
    find: '.filter((id) => !leftOut.has(id))',
    replace: '.filter((id) => leftOut.size >= 0 || id > 0)',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'job-without-a-bound',
    find: 'if (job.undoes === null && found > most)',
    replace: 'if (job.undoes === null && found < 0)',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'age-in-the-stage-lost-in-an-undo',
    find: 'if (entered.length > 0) await tx.rows(',
    replace: 'if (entered.length < 0) await tx.rows(',
    tests: ['server/features/application/jobs/jobs.property.test.ts'],
  },
  {
    name: 'fields-given-back-over-others',
    find: 'isDeepStrictEqual(present?.[id] ?? [], values)',
    replace: 'isDeepStrictEqual(values, values)',
    tests: ['server/features/application/jobs/jobs.property.test.ts'],
  },
  {
    name: 'closing-time-lost-in-an-undo',
    find: 'isClosed(status_id) ? [index, { id, closed_at }] : [index]',
    replace: '[index]',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'two-jobs-of-a-user-at-once',
    find: 'and earlier.id < jobs.id and earlier.finished_at is null',
    replace: 'and earlier.id < jobs.id and false',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'page-played-as-a-sound',
    find: 'if (/^audio\\/[\\w.+-]{1,60}$/.test(type)) return type',
    replace: 'if (type) return type',
    tests: ['server/features/application/recordings/recordings.test.ts'],
  },
  {
    name: 'range-not-passed-on',
    find: 'one.signal, range)',
    replace: 'one.signal)',
    tests: ['server/features/application/recordings/recordings.test.ts'],
  },
  // Merges
  {
    name: 'duplicates-not-to-be-viewed',
    find: "where not record.is_deleted and ${may(actor, type, 'view')} group by record.id, record.name",
    replace: 'where not record.is_deleted group by record.id, record.name',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  {
    name: 'merge-without-the-right-to-delete',
    find: "await lockRecords(tx, actor, descriptions[type], [from], 'delete') return",
    replace: 'return',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  {
    name: 'undone-twice',
    find: "if (merge.undone_at !== null) throw refused('AlreadyUndone', 'This merge is undone already')",
    replace: '',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  {
    name: 'undo-before-the-later-merge',
    find: 'if (await tx.row(queries.laterMerge(actor, merge)))',
    replace: 'if (await Promise.resolve(false))',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  {
    name: 'undo-takes-what-came-since',
    find: 'filter((id) => were.includes(id) || !became.includes(id))',
    replace: 'filter((id) => were.includes(id))',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  // Mentions and feeds
  {
    name: 'feed-of-an-undone-merge',
    find: 'merges.into_id = ${into} and merges.undone_at is null',
    in: 'feed/queries.ts',
    replace: 'merges.into_id = ${into}',
    tests: ['server/features/application/feed/feed.test.ts'],
  },
  {
    name: 'feed-of-a-merged-record-that-was-restored',
    find: 'and present.id = merges.from_id and not present.is_deleted',
    in: 'feed/queries.ts',
    replace: 'and presen',
    tests: ['server/features/application/feed/feed.test.ts'],
  },
  // Values of fields that name files and records
  {
    name: 'file-of-field-of-record-not-viewed',
    find: "record.id = ${id} and ${may(actor, type, 'view')} and exists",
    replace: 'record.id = ${id} and exists',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  // Who may view what is written
  {
    name: 'non-viewers-by-the-level-alone',
    find: ', record.pipeline_id, record.status_id` : empty}',
    replace: '` : empty}',
    tests: [
      'server/features/application/cards/cards.test.ts > the users who may not view a record',
    ],
  },
  {
    name: 'similar-names-of-two-edits',
    find: 'isSame(at + 1, at + 1) ||',
    replace: 'a.length > 0 ||',
    tests: ['server/features/application/search/search.test.ts > a name with one wrong letter'],
  },
  {
    name: 'similar-names-beside-real-ones',
    find: 'if (found.size > 0 || !isSimilarWanted) return',
    replace: 'if (found.size > 1 || !isSimilarWanted) return',
    tests: ['server/features/application/search/search.test.ts > a name with one wrong letter'],
  },
  {
    name: 'swapped-letters-are-two-faults',
    find: '|| (a[at] === b[at + 1] &&',
    replace: '|| (a[at] === "" &&',
    tests: ['server/features/application/search/search.test.ts > a name with one wrong letter'],
  },
  {
    name: 'hits-of-those-who-may-not-view',
    find: "not record.is_deleted and ${may(actor, type, 'view')} ${type === 'leads' ? sql`and record.unsorted_id is null`",
    replace: "not record.is_deleted ${type === 'leads' ? sql`and record.unsorted_id is null`",
    tests: ['server/features/application/search/search.test.ts > a name with one wrong letter'],
  },
  // The year of the demo
  {
    name: 'demo-of-one-day',
    find: 'await run(earlier(tx, now - at), { ...actor, userId, at })',
    replace: 'await run(tx, { ...actor, userId, at })',
    tests: ['server/features/application/demo/demo.test.ts > it has lived a year'],
  },
  // The rows of lists
  {
    name: 'duplicates-counted-unseen',
    find: "where not record.is_deleted and ${may(actor, type, 'view')} group by found.record_id`",
    replace: 'where not record.is_deleted group by found.record_id`',
    tests: [
      'server/features/application/merges/merges.test.ts > duplicates of several are counted',
    ],
  },
  {
    name: 'bin-mixed-with-the-list',
    find: 'and record.is_deleted = ${inBin}',
    replace: 'and (record.is_deleted = ${inBin} or true)',
    tests: [
      'server/features/application/rows/rows.test.ts > has what the interface lists with only_deleted',
    ],
  },
  {
    name: 'bin-edited',
    find: 'may_edit: row.may_edit && !list.request.inBin',
    replace: 'may_edit: row.may_edit || list.request.inBin',
    tests: [
      'server/features/application/rows/rows.test.ts > has what the interface lists with only_deleted',
    ],
  },
  {
    name: 'rows-by-ids-beside-the-filter',
    find: '${always ? sql`and ${always}` : empty} and ${allOf(conditions)}`\n\n/** The window',
    replace: '${always ? sql`and ${always}` : empty}`\n\n/** The window',
    tests: ['server/features/application/rows/rows.property.test.ts > are those that a list finds'],
  },
  {
    name: 'empty-values-first',
    find: 'order by found.key ${raw(direction)} nulls last,',
    replace: 'order by found.key ${raw(direction)} nulls first,',
    tests: ['server/features/application/rows/rows.property.test.ts > are those that a list finds'],
  },
  {
    name: 'groups-of-those-who-may-not-view',
    find: "where ${may(actor, 'leads', 'view')} and (${withUnsorted}::boolean",
    replace: 'where (${withUnsorted}::boolean',
    in: 'rows/queries.ts',
    tests: ['server/features/application/rows/rows.property.test.ts > are those that a list finds'],
  },
  {
    name: 'numbers-of-a-part-as-of-all',
    find: 'const isPart = counted > most',
    replace: 'const isPart = counted > most + 1',
    tests: ['server/features/application/rows/rows.property.test.ts > are those that a list finds'],
  },
  {
    name: 'merged-contacts-keep-no-tags',
    in: 'features/application/merges/merges.ts',
    find: '  await tx.rows(keepTags(actor.accountId, type))\n  const chatIds = await lockAll(tx, actor, pair)',
    replace: '  const chatIds = await lockAll(tx, actor, pair)',
    tests: ['server/features/application/jobs/merged-tags.test.ts'],
  },
  {
    name: 'undo-of-a-tag-without-the-tag',
    in: 'features/application/jobs/changes.ts',
    find: 'if (!isThere.has(tag_id)) return kept.forEach(({ id }) => skipped.set(id, isChanged(type, id)))',
    replace: '',
    tests: ['server/features/application/jobs/merged-tags.test.ts'],
  },
  {
    name: 'undo-of-a-tag-that-was-taken-off',
    in: 'features/application/jobs/changes.ts',
    find: 'if (isGiven && !now.includes(into_id)) {',
    replace: 'if (isGiven && now === undefined) {',
    tests: ['server/features/application/jobs/merged-tags.test.ts'],
  },
  {
    name: 'tag-changed-twice-has-its-last-before',
    in: 'features/application/jobs/work.ts',
    find: "queries.insertChanged(job, changed, job.action.kind === 'tag')",
    replace: 'queries.insertChanged(job, changed, false)',
    tests: ['server/features/application/jobs/merged-tags.test.ts'],
  },
]
