// Faults of server/features/activity.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Tables that grow
  {
    name: 'notes-of-a-full-window-only',
    find: 'if (seen.length === seek.limit) return seen\n  }\n  return list({ ...along, isJoined: true })',
    replace: 'if (seen.length > 0) return seen\n  }\n  return list({ ...along, isJoined: true })',
    tests: ['server/records/lists/few.test.ts'],
  },
  {
    name: 'events-of-a-full-window-only',
    find: 'return newest.length >= rows ? newest : list({ few })',
    replace: 'return newest.length > 0 ? newest : list({ few })',
    tests: ['server/records/lists/few.test.ts'],
  },
  // Rights to records
  {
    name: 'notes-listed-unseen',
    find: 'where ${recordOfNote} and ${viewed})',
    replace: 'where ${recordOfNote})',
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  {
    name: 'tasks-listed-unseen',
    find: '...(seesAll ? [] : [viewed(actor)])',
    replace: '...[]',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-read-unseen',
    find: 'select ${mayViewTask(actor)} as visible',
    replace: 'select true as visible',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-found-by-an-unseen-status',
    find: "where not record.is_deleted and ${may(actor, 'leads', 'view')} and (record.pipeline_id",
    replace: 'where not record.is_deleted and (record.pipeline_id',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'lead-without-its-first-task',
    find: "type === 'leads' ? ['closest_task_at', 'has_tasks']",
    replace: "type !== 'leads' ? ['closest_task_at', 'has_tasks']",
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'lead-with-tasks-in-name-only',
    find: 'is not null as has_tasks',
    replace: 'is null as has_tasks',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-on-unseen-record',
    find: 'requireView(records, named)',
    replace: '',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-moved-to-unseen-record',
    find: 'requireView(records, changed.flatMap(newRecordOf))',
    replace: '',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-events-unseen',
    find: "select ${mayViewTask(actor, 'shown')} from tasks record",
    replace: 'select true from tasks record',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'call-on-unseen-card',
    find: "where not record.is_deleted and ${may(actor, type, 'view')} order by record.updated_at desc",
    replace: 'where not record.is_deleted order by record.updated_at desc',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'call-on-unseen-lead',
    find: "where not record.is_deleted and ${may(actor, type, 'view')} ${further}",
    replace: 'where not record.is_deleted ${further}',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'call-without-edit',
    find: 'parent?.allowed ? parent : undefined',
    replace: 'parent',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'call-told-again-unseen',
    find: "and record.id = note.entity_id and not record.is_deleted and ${may(actor, type, 'view')}))",
    replace: 'and record.id = note.entity_id and not record.is_deleted))',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'note-without-edit',
    find: "record.group_id, ${may(actor, type, 'edit')} as allowed",
    replace: 'record.group_id, true as allowed',
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  {
    name: 'events-unseen',
    find: "const viewed = may(actor, type, 'view')\n      const rest",
    replace: 'const viewed = sql`true`\n      const rest',
    tests: ['server/records/lists/few.test.ts'],
  },
  // Deliveries of webhooks
  {
    name: 'notification-to-everybody',
    find: "return payload === '' || own.includes(payload)",
    replace: "return payload === '' || own.length > 0",
    tests: ['server/features/application/live/live.test.ts'],
  },
  {
    name: 'notifications-to-everybody',
    find: 'isAdmin ? [0, userId] : [userId]',
    replace: 'isAdmin ? [0, userId] : [0, userId]',
    tests: ['server/features/programs/webhooks/deliveries/log.test.ts'],
  },
  // Accounts
  {
    name: 'system-note-deleted',
    find: 'if (!isNoteType(row.note_type)) throw badRequest',
    replace: "if (row.note_type === 'entity_added') throw badRequest",
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  {
    name: 'events-of-closed-catalogs',
    find: 'const seesAll = mayViewAllTasks(actor) && mayViewAllElements(actor)',
    replace: 'const seesAll = mayViewAllTasks(actor)',
    tests: ['server/features/records/elements/elements.test.ts'],
  },
  {
    name: 'event-types-of-closed-catalogs',
    find: 'then ${mayViewCatalog(actor, sql`substr(entity_type, 10)::bigint`)} else true end',
    replace: 'then true else true end',
    tests: ['server/features/activity/events/types.test.ts'],
  },
  {
    name: 'event-types-in-english-only',
    find: 'query.language_code ?? caller!.language',
    replace: "query.language_code ?? 'en'",
    tests: ['server/features/activity/events/types.test.ts'],
  },
  {
    name: 'event-of-another-account',
    find: 'sql`event.account_id = ${accountId}`,\n    ...within(sql`event.id`, ends)',
    replace: 'sql`true`,\n    ...within(sql`event.id`, ends)',
    tests: ['server/features/activity/events/events.test.ts'],
  },
  {
    name: 'event-values-on-the-other-side',
    find: 'values.map((id) => valueKey(side, `enum of ${fieldOf(type)!}`, id)),',
    replace: "values.map((id) => valueKey('after', `enum of ${fieldOf(type)!}`, id)),",
    tests: ['server/features/activity/events/filters.test.ts'],
  },
  {
    name: 'second-value-unchecked',
    find: '...ofUsers, ...ofKeys(moreKeys))} ${isAlone',
    replace: '...ofUsers)} ${isAlone',
    tests: ['server/features/activity/events/filters.test.ts'],
  },
  {
    name: 'events-at-the-end-of-a-range',
    find: 'Math.min(span.until ?? Infinity, to + mostApart + 1)',
    replace: 'Math.min(span.until ?? Infinity, to)',
    tests: ['server/features/activity/events/filters.test.ts'],
  },
  {
    name: 'events-of-a-type-on-fewer-entities',
    find: "return type.startsWith('task_') || type === 'entity_responsible_changed'",
    replace: "return type.startsWith('task_')",
    tests: ['test/events.test.ts'],
  },
  {
    name: 'older-events-forgotten',
    find: 'return [...newest, ...(await ask({ until: edge }, limit - newest.length))]',
    replace: 'return newest',
    tests: ['server/features/activity/events/events.test.ts'],
  },
  // Locks
  {
    name: 'note-without-lock',
    find: 'record.id = ${ids} and not record.is_deleted order by record.id for no key update',
    replace: 'record.id = ${ids} and not record.is_deleted order by record.id',
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  // News
  {
    name: 'event-of-call',
    find: "call_in: { params: call, event: 'incoming_call' }",
    replace: "call_in: { params: call, event: 'outgoing_call' }",
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  // Pages, filters and bounds
  {
    name: 'filter-of-notes',
    find: '{ from: range + 1 } : range)',
    replace: '{ from: range } : range)',
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  // Purchases of customers
  {
    name: 'call-on-closed-lead',
    find: 'const found = await find()',
    replace: 'const found = [...wanted.values()]',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'call-on-unsorted-lead',
    find: 'where status.account_id = ${actor.accountId} and status.type = 1))',
    replace: 'where false))',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'calls-twice-at-once',
    find: 'await tx.rows(lockCalls(actor, uniqs))',
    replace: '',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'closest-task-is-completed',
    find: 'where ${isOfRecord} and not task.is_completed)',
    replace: 'where ${isOfRecord})',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'closest-task-was-elsewhere',
    find: 'moved.flatMap(({ before, after }) => [before, after])',
    replace: 'moved.map(({ after }) => after)',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'task-changed-where-it-was',
    find: 'if (isLocked) return { rows, records }',
    replace: 'return { rows, records }',
    in: 'tasks/tasks.ts',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'type-given-to-all',
    find: 'const wrong = rows.filter(({ task_type_id }) => task_type_id === from)',
    replace: 'const wrong = rows',
    tests: ['server/features/application/jobs/merged-types.test.ts'],
  },
  {
    name: 'completion-and-result-in-one',
    find: 'const isTwo = closes && noteId !== undefined',
    replace: 'const isTwo = closes && noteId === 0',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'tasks-of-records-of-any-type',
    find: 'if (!filter?.entity_id || filter.entity_type) return',
    replace: 'if (filter) return',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  // Notes
  {
    name: 'pin-lost',
    find: '(select draft.is_pinned,',
    replace: '(select note.is_pinned,',
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  {
    name: 'params-unchecked',
    find: 'for (const fault of paramFaults) faults.add(item, fault)',
    replace: "if (type === 'common') for (const fault of paramFaults) faults.add(item, fault)",
    tests: ['server/features/activity/notes/notes.test.ts'],
  },
  // Values of custom fields
  {
    name: 'spaces-in-answers',
    find: 'value_before":${compactJson(value_before)}',
    replace: 'value_before":${value_before}',
    tests: ['server/features/activity/events/events.test.ts'],
  },
  // Admission
  {
    name: 'undone-merge-in-the-log',
    find: 'const rest = andRetellsNothing(actor, type)',
    replace: 'const rest = empty',
    tests: ['server/features/application/merges/undone.test.ts'],
  },
  {
    name: 'undone-merge-in-feeds',
    find: '::bigint[])) ${andRetellsNothingOfAny(actor)}`',
    replace: '::bigint[]))`',
    tests: ['server/features/application/merges/undone.test.ts'],
  },
  {
    name: 'file-address-spelled-anew',
    find: 'if (!/^[1-9]\\d{0,11}$/.test(expires)',
    replace: 'if (!/^\\d{1,12}$/.test(expires)',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  // Room for files
  {
    name: 'files-of-a-user-without-end',
    find: 'if (number >= mostUnreferred || bytes + size > filesUserBytes)',
    replace: 'if (number >= mostUnreferred)',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  {
    name: 'files-let-go-of-do-not-count',
    find: 'and (attached_at is null or released_at is not null)',
    replace: 'and attached_at is null',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  {
    name: 'files-of-an-account-in-parallel',
    find: 'await takeRoom(config, tx, actor, received.size)',
    replace: '',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  {
    name: 'files-on-a-full-disk',
    find: 'free === undefined || free - size >= config.filesMinFreeBytes',
    replace: 'free === undefined || free >= size',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  {
    name: 'files-deleted-still-count',
    find: 'update file_totals set bytes = greatest(0, bytes - gone.size)',
    replace: 'update file_totals set bytes = greatest(gone.size, bytes)',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  {
    name: 'media-beyond-the-room',
    find: 'insert into file_totals (account_id, bytes)\n    select account_id, ${size}::bigint from held where ${fits(sql`${size}::bigint`, most)}\n    on conflict (account_id) do update set bytes = file_totals.bytes + excluded.bytes\n     where ${fits(sql`file_totals.bytes + excluded.bytes`, most)}',
    replace:
      'insert into file_totals (account_id, bytes)\n    select account_id, ${size}::bigint from held\n    on conflict (account_id) do update set bytes = file_totals.bytes + excluded.bytes',
    tests: ['server/features/activity/files/room.test.ts'],
  },
  // Request bodies
  {
    name: 'author-of-an-old-note',
    find: "!(key === 'updated_by' && ignoresTime(writer, value, row)),",
    replace: 'true,',
    tests: ['server/records/writing/old-copies.test.ts'],
  },
  // The door for requests to addresses that others have written
  {
    name: 'recording-by-who-changes-the-note',
    find: "link_by: params['link'] === row.params['link'] ? row.link_by : writer.userId,",
    replace: 'link_by: writer.userId,',
    tests: ['server/outgoing/door.test.ts'],
  },
  {
    name: 'recording-by-who-wrote-the-call-first',
    find: "link_by: params['link'] === row.params['link'] ? row.link_by : writer.userId,",
    replace: 'link_by: row.link_by,',
    tests: ['server/outgoing/door.test.ts'],
  },
  // The bodies of webhooks
  {
    name: 'section-taken-for-a-card',
    find: "surface !== 'card'",
    replace: "surface === 'api'",
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  // Files: who reads them, what browsers make of them, and where they are fetched from
  {
    name: 'file-unsigned',
    find: 'return sameSecret(signature, signatureOf(secrets, accountId, uid, Number(expires)))',
    replace: 'return signature.length === 64',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-address-for-ever',
    find: '|| Number(expires) <= now()',
    replace: '',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-of-any-account',
    find: '.update(`${accountId}/${uid.toLowerCase()}/${expires}`)',
    replace: '.update(`${uid.toLowerCase()}/${expires}`)',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-of-a-colleague',
    find: 'sql`and created_by = ${userId} and source is null`}`',
    replace: 'sql`and source is null`}`',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-attached-by-anybody',
    find: "and created_by = ${userId} and source is null and state = 'stored'",
    replace: "and source is null and state = 'stored'",
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-of-a-note-of-anybody',
    find: 'or (source is null and (${isAdmin}::boolean or created_by = ${userId})))',
    replace: 'or source is null)',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'private-recording-for-anybody',
    find: '${authorRole(sql`file.account_id`, sql`coalesce(file.source_by, file.created_by)`)} as role',
    replace: "'administrator' as role",
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'file-of-a-note-unseen',
    find: "if (!note.allowed) throw forbidden('You have no right to view this record')",
    replace: '',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'file-released-though-another-has-it',
    find: 'if (referred!.answer) await tx.rows(queries.keepReleased(file))',
    replace: 'if (!file) await tx.rows(queries.keepReleased(file))',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'file-script-of-a-call',
    find: "/^https?:$/.test(URL.parse(address)?.protocol ?? '')",
    replace: 'URL.canParse(address)',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'file-of-a-call-unsigned',
    find: 'return isSigned(kontor, accountId, uid, Object.fromEntries(searchParams!))',
    replace: 'return searchParams!',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  {
    name: 'file-picture-by-name',
    find: 'return pictures.some(([type]) => type === declared) ? anyType : declared',
    replace: 'return declared',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-script-of-ours',
    find: "'content-type': how === 'inline' ? type : anyType",
    replace: "'content-type': type",
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-without-bound',
    find: 'size += part.length if (size > most) throw payloadTooLarge',
    replace: 'size += part.length; if (size > 2 * most) throw payloadTooLarge',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-dropped-though-attached',
    find: 'and source is null and attached_at is null and stored_at < ${before}',
    replace: 'and source is null and stored_at < ${before}',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  {
    name: 'file-fetch-of-one-account',
    find: 'limit greatest(0, ${mostOfAccount}::int - coalesce(under_way.number, 0))) first',
    replace: 'limit ${mostOfAccount}::int) first',
    tests: ['server/features/activity/files/files.test.ts'],
  },
  // Views, jobs and recordings
  {
    name: 'completed-task-deleted',
    find: 'filter(({ is_completed }) => !is_completed)',
    in: 'tasks/tasks.ts',
    replace: 'filter(() => true)',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  // Mentions and feeds
  {
    name: 'mention-of-a-record-not-to-be-viewed',
    find: "where its.entity_type = ${type} and not record.is_deleted and ${may(actor, type, 'view')}",
    replace: 'where its.entity_type = ${type} and not record.is_deleted',
    tests: ['server/features/activity/mentions/mentions.test.ts'],
  },
  {
    name: 'mentioned-again-by-an-edit',
    find: 'filter((id) => !former.includes(id))',
    in: 'mentions/mentions.ts',
    replace: 'filter((id) => former.includes(id))',
    tests: ['server/features/activity/mentions/mentions.test.ts'],
  },
  {
    name: 'author-mentioned',
    find: 'named.filter((id) => id !== text.created_by)',
    in: 'mentions/mentions.ts',
    replace: 'named',
    tests: ['server/features/activity/mentions/mentions.test.ts'],
  },
  // Values of fields that name files and records
  {
    name: 'file-of-field-by-uid-alone',
    find: "uid = ${uid} and version_uid = ${version} and state = 'stored'",
    replace: "uid = ${uid} and ${version}::text is not null and state = 'stored'",
    tests: ['server/features/application/cards/files.test.ts'],
  },
  {
    name: 'file-of-field-not-asked',
    find: 'and ${isNamed(sql`file`)}) as answer',
    replace: 'and not ${isNamed(sql`file`)} and false) as answer',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  // Who may view what is written
  {
    name: 'mention-read-without-the-right',
    find: 'if (!its) return { ...row, values: { ...row.values, ...hidden } }',
    replace: 'if (!its) return row',
    tests: ['server/features/activity/mentions/mentions.test.ts > a notification'],
  },
  {
    name: 'mention-left-at-the-absorbed-record',
    find: 'return { ...row, values: { ...row.values, ...record, entity_name: name } }',
    replace: 'void record\n    return { ...row, values: { ...row.values, entity_name: name } }',
    tests: ['server/features/activity/mentions/mentions.test.ts > a notification'],
  },
]
