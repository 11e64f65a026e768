// Faults of server/records.
import type { Fault } from '../fault.ts'

export const faults: readonly Fault[] = [
  // Days and the zone of the account
  {
    name: 'day-of-midnight-as-a-moment',
    find: "date === undefined || time !== '00:00:00'",
    replace: 'date === undefined || !isBare',
    tests: ['server/records/fields/scalars.test.ts'],
  },
  {
    name: 'day-of-a-moment-as-written',
    find: "return date === undefined || time !== '00:00:00'",
    replace: 'return date === undefined',
    tests: ['server/records/fields/scalars.test.ts'],
  },
  {
    name: 'day-shown-as-it-is-stored',
    find: 'timezone === storedTimezone ? stored : midnight',
    replace: "timezone !== '' ? stored : midnight",
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'day-in-an-event-as-it-is-stored',
    find: '? String(shownDay(zones, kept as number))',
    replace: '? String(kept as number)',
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  {
    name: 'day-in-a-webhook-as-it-is-stored',
    find: 'value: payloadText(shownDay(zones, kept as number))',
    replace: 'value: payloadText(kept as number)',
    tests: ['server/features/programs/webhooks/notices.test.ts'],
  },
  // Tables that grow
  {
    name: 'trigrams-of-few-texts-kept',
    find: 'and reltuples < 2 * records)',
    replace: ')',
    tests: ['server/records/search/growth.test.ts'],
  },
  {
    name: 'grown-texts-without-blocks',
    find: 'kontor.signals.on(statisticsChannel, () => (looked = -Infinity))',
    replace: 'kontor.signals.on(statisticsChannel, () => undefined)',
    tests: ['server/records/search/growth.test.ts'],
  },
  {
    name: 'events-of-few-records-of-the-bin',
    find: '${live} union all ${rows(sql`record.is_deleted and ${passes}`)}',
    replace: '${live}',
    tests: ['server/records/lists/few.test.ts'],
  },
  // Rights to records
  {
    name: 'list-without-view',
    find: "if (mayAll(actor, type, 'view')) return []",
    replace: 'if (actor) return []',
    tests: ['server/features/records/leads/leads.test.ts'],
  },
  {
    name: 'record-without-view',
    find: "select ${may(actor, type, 'view')}, ${lineColumns(",
    replace: 'select true, ${lineColumns(',
    tests: ['server/features/records/leads/leads.test.ts'],
  },
  {
    name: 'change-without-edit',
    find: '${may(actor, description.type, action)} as allowed',
    replace: 'true as allowed',
    tests: ['server/access/record-rights.test.ts'],
  },
  {
    name: 'links-embedded-unseen',
    find: "and ${may(actor, to, 'view')}",
    replace: 'and true',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'events-of-few-records-unseen',
    find: 'const passes = condition ? asRange(condition).passes : sql`true`',
    replace: 'const passes = condition?.pin ? sql`true` : (condition?.passes ?? sql`true`)',
    tests: ['server/access/record-rights.test.ts'],
  },
  {
    name: 'search-by-unseen',
    find: "sql`and ${may(actor, type, 'view')}`",
    replace: 'empty',
    tests: ['server/records/search/search.test.ts'],
  },
  // Accounts
  {
    name: 'record-of-another-account',
    find: 'wanted)}\n      from ${tableOf(type)} record\n     where record.account_id = ${actor.accountId} and',
    replace: 'wanted)}\n      from ${tableOf(type)} record\n     where',
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'tag-told-by-its-old-name',
    find: 'known?.version === version ? known.texts : noTexts',
    replace: 'known ? known.texts : noTexts',
    tests: ['server/features/definitions/tags/tags.test.ts'],
  },
  {
    name: 'deleted-tag-told',
    find: 'tag_ids: row.tag_ids.filter(tags.has)',
    replace: 'tag_ids: row.tag_ids',
    tests: ['server/features/definitions/tags/tags.test.ts'],
  },
  {
    name: 'tag-left-on-records',
    find: 'tag_ids = array_remove(tag_ids, ${tag_id}::bigint)',
    replace: 'tag_ids = array_remove(tag_ids, 0)',
    tests: ['server/records/clean-ups.test.ts'],
  },
  {
    name: 'tags-are-not-kept',
    in: 'records/tags.ts',
    find: 'references.length > 0 ? tx.rows(keepTags(actor.accountId, type)) : undefined',
    replace: 'undefined',
    tests: ['server/features/application/jobs/merged-tags.test.ts'],
  },
  {
    name: 'tag-of-another-account',
    find: 'where account_id = ${actor.accountId} and entity_type = ${type} and lower(name collate kontor)',
    in: 'records/tags.ts',
    replace: 'where entity_type = ${type} and lower(name collate kontor)',
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'tags-to-add-made-beside-tags',
    find: '  _embedded?.tags ?? tags_to_add ?? []',
    in: 'records/tags.ts',
    replace: '  [...(_embedded?.tags ?? []), ...(tags_to_add ?? [])]',
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'elements-of-closed-catalogs',
    find: 'link.entity_id = record.id\n        and ${mayViewCatalog(actor, sql`link.catalog_id`)})',
    replace: 'link.entity_id = record.id)',
    tests: ['server/features/records/links/elements.test.ts'],
  },
  // Locks
  {
    name: 'lock-order',
    find: "lockOrder: readonly RecordType[] = ['leads', 'customers', 'contacts', 'companies']",
    replace: "lockOrder: readonly RecordType[] = ['companies', 'contacts', 'customers', 'leads']",
    tests: ['server/features/records/links/links.together.test.ts'],
  },
  {
    name: 'records-unlocked',
    find: 'record.is_deleted = ${isDeleted} order by record.id for no key update',
    replace: 'record.is_deleted = ${isDeleted} order by record.id',
    tests: ['server/features/records/leads/leads.together.test.ts'],
  },
  // News
  {
    name: 'event-type',
    find: "bothSides('name_field_changed'",
    replace: "bothSides('entity_name_changed'",
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'event-side',
    find: "type: 'entity_tag_deleted', value_before: deleted, value_after: []",
    replace: "type: 'entity_tag_deleted', value_before: [], value_after: deleted",
    tests: ['server/features/records/leads/news.test.ts'],
  },
  {
    name: 'journal-missing-added',
    find: "actions: ['add'],",
    replace: 'actions: [],',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'event-of-251-values',
    find: 'const [longestText, mostValues] = [2000, 250]',
    replace: 'const [longestText, mostValues] = [2000, 251]',
    tests: ['server/records/fields/values.test.ts'],
  },
  // Pages, filters and bounds
  {
    name: 'filter-from',
    find: '[sql`${value} >= ${from}`]',
    replace: '[sql`${value} > ${from}`]',
    tests: ['server/records/lists/filters.test.ts'],
  },
  {
    name: 'bin-in-lists',
    find: 'inBin ? sql`record.is_deleted` : sql`not record.is_deleted`',
    replace: 'inBin ? sql`record.is_deleted` : sql`true`',
    tests: ['server/records/writing/bin.test.ts'],
  },
  {
    name: 'search-of-deleted-field',
    find: "const marks = gone.map(markOf).join('|')",
    replace: "const marks = gone.map(() => 'nothing').join('|')",
    tests: ['server/records/search/search.test.ts'],
  },
  {
    name: 'rare-word-never-asked',
    find: 'found(sql`not rarest.is_rare`, sql`found.account_id`)',
    replace: 'found(sql`false`, sql`found.account_id`)',
    tests: ['server/records/search/search.test.ts'],
  },
  {
    name: 'short-word-not-in-the-journal',
    find: 'sql`journal.id > ${journalId} and journal.account_id = ${accountId}`',
    replace: 'sql`false`',
    tests: ['server/records/search/search.test.ts'],
  },
  {
    name: 'short-word-of-unsorted-unseen',
    find: "where ${part} and entity_type = 'unsorted_items'",
    replace: 'where false',
    tests: ['server/records/search/search.test.ts'],
  },
  {
    name: 'blocks-in-one-order',
    find: "[`${column} >> ${bits}`, ...(column === 'id' ? [] : [column]), 'id']",
    replace: "[`${column} >> ${bits}`, 'id']",
    tests: ['server/records/lists/find.property.test.ts'],
  },
  {
    name: 'block-of-the-cursor',
    find: "${direction === 'asc' ? '>=' : '<='}",
    replace: "${direction === 'asc' ? '>' : '<'}",
    tests: ['server/records/lists/find.walks.test.ts'],
  },
  // Leads and pipelines
  {
    name: 'tags-not-replaced',
    find: 'const replaced = tags.ids(tagsOfDraft({ _embedded, tags_to_add }))',
    replace:
      'const replaced = [...new Set([...row.tag_ids, ...tags.ids(tagsOfDraft({ _embedded, tags_to_add }))])]',
    tests: ['server/records/writing/records.test.ts'],
  },
  // Links, the bin and complex creation
  {
    name: 'contact-41',
    find: 'leads: { contacts: { most: 40, hasMain: true }',
    replace: 'leads: { contacts: { most: 41, hasMain: true }',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'two-companies',
    find: 'contacts: { companies: { most: 1, hasMain: false } }',
    replace: 'contacts: { companies: { most: 2, hasMain: false } }',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'purge-leaves-links',
    find: 'and links.to_type = own.from_type and links.to_id = own.from_id',
    replace: 'and false',
    tests: ['server/records/purge.test.ts'],
  },
  {
    name: 'purge-leaves-notes',
    find: "and note_type <> 'entity_added'",
    replace: 'and false',
    tests: ['server/records/purge.test.ts'],
  },
  {
    name: 'responsible-nobody',
    find: "!(key === 'responsible_user_id' && sent === 0)",
    replace: 'true',
    tests: ['server/records/writing/records.test.ts'],
  },
  {
    name: 'comma-in-a-text',
    find: 'if (!isSeparable(field)) return texts',
    replace: '',
    tests: ['server/http/with.test.ts'],
  },
  // Purchases of customers
  {
    name: 'tasks-left-behind',
    find: 'and tasks.entity_type = ${type}::text and tasks.entity_id = doomed.id',
    replace: 'and tasks.entity_type = ${type}::text and tasks.entity_id = -doomed.id',
    tests: ['server/features/activity/tasks/tasks.test.ts'],
  },
  {
    name: 'purchases-left-behind',
    find: "${type === 'customers' ? purchasesLeft : empty}, gone as (",
    replace: ', gone as (',
    tests: ['server/records/purge.test.ts'],
  },
  // Values of custom fields
  {
    name: 'fields-version',
    find: 'set fields_version = pg_current_xact_id()::text::bigint where id',
    replace: 'set fields_version = fields_version where id',
    tests: ['server/records/fields/definitions.test.ts'],
  },
  {
    name: 'no-such-choice',
    find: 'if (choice) return choice.id if (named === undefined) return undefined',
    replace: 'return choice?.id',
    tests: ['server/records/fields/values.test.ts'],
  },
  {
    name: 'no-such-day',
    find: 'if (time === undefined || !isDate(date!)) return Number.NaN',
    replace: 'if (time === undefined) return Number.NaN',
    tests: ['server/records/fields/scalars.test.ts'],
  },
  {
    name: 'too-heavy',
    find: 'const heaviest = 262_144',
    replace: 'const heaviest = 262_145',
    tests: ['server/records/fields/values.test.ts'],
  },
  {
    name: 'keys-left',
    find: "numbers_gone as ( delete from field_numbers gone using json_to_recordset(${JSON.stringify(flat('numbers'))}::json)",
    replace: "numbers_gone as ( delete from field_numbers gone using json_to_recordset('[]'::json)",
    tests: ['server/records/fields/field-index.test.ts'],
  },
  {
    name: 'clean-up-not-begun',
    find: "select pg_notify(${channel}, '')",
    replace: 'select 1',
    tests: ['server/records/clean-ups.test.ts'],
  },
  {
    name: 'clean-up-forgotten',
    find: 'as leftover(entity_type text, field_id bigint, enum_ids bigint[], loss_reason_id bigint, tag_id bigint, segment_id bigint)',
    replace:
      'as leftover(entity_type text, field_id bigint, enum_ids bigint[], loss_reason_id bigint, tag_id bigint, segment_id bigint) where false',
    tests: ['server/records/clean-ups.test.ts'],
  },
  // Request bodies
  {
    name: 'time-of-an-old-copy',
    find: '(sent < updated_at || sent > timeOfChange(writer, created_at))',
    replace: 'sent > timeOfChange(writer, created_at)',
    tests: ['server/records/writing/old-copies.test.ts'],
  },
  {
    name: 'author-of-an-old-copy',
    find: "!(isTimeIgnored && (key === 'updated_at' || key === 'updated_by')),",
    replace: "!(isTimeIgnored && key === 'updated_at'),",
    tests: ['server/records/writing/old-copies.test.ts'],
  },
  {
    name: 'draft-dated-before-it-is-written',
    find: 'const created = created_at ?? writer.at',
    replace: 'const created = created_at ?? 0',
    tests: ['server/changes/time-of-change.test.ts'],
  },
  {
    name: 'deleted-by-a-body',
    find: "enum: [false, 0, '0', 'false', '', null],",
    replace: '',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  // The bodies of webhooks
  {
    name: 'links-told-of-the-bin',
    find: 'lead.id = link.to_id and not lead.is_deleted group by link.from_id',
    replace: 'lead.id = link.to_id group by link.from_id',
    tests: ['server/features/programs/webhooks/notices.test.ts'],
  },
  // Numbers of phones
  {
    name: 'phone-with-its-extension',
    find: "if (role === 'extension') last!.extension += digits",
    replace: "if (role === 'extension') last!.digits += digits",
    tests: ['server/records/fields/phones.test.ts'],
  },
  {
    name: 'phone-of-one-number',
    find: 'return numbers.length > 0 ? numbers.map(({ digits }) => digits) : [text]',
    replace: 'return numbers.length > 0 ? [numbers[0]!.digits] : [text]',
    tests: ['server/features/activity/calls/calls.test.ts'],
  },
  {
    name: 'phones-not-indexed-again',
    find: 'await indexAgain(tx, field, rows)',
    replace: '',
    tests: ['test/upgrade/upgrade.test.ts > 0052'],
  },
  {
    name: 'extension-lost-in-a-merge',
    find: '`${digits.slice(-compared)} ${extension}`',
    replace: '`${digits.slice(-compared)}`',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  // Unsorted items
  {
    name: 'unsorted-lists-by-ids',
    find: 'isWhole ? always : undefined',
    replace: 'undefined',
    tests: ['server/features/records/unsorted/unsorted.waiting.test.ts'],
  },
  // Files: who reads them, what browsers make of them, and where they are fetched from
  {
    name: 'file-released-by-no-purge',
    find: 'and id = any(array(select file_id from notes_gone where file_id is not null))',
    replace: 'and id = any(array(select file_id from notes_gone where file_id is null))',
    tests: ['server/features/activity/notes/kept-files.test.ts'],
  },
  // Values of fields that name files and records
  {
    name: 'file-without-version-of-a-stranger',
    find: 'and (${isAdmin}::boolean or created_by = ${userId})`',
    replace: 'and (${isAdmin}::boolean or created_by > 0 or created_by = ${userId})`',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  {
    name: 'file-without-version-by-who-accepts-it',
    find: 'isDeferred ? noVersions : versionsFor',
    replace: 'isDeferred === undefined ? versionsFor(tx, actor, sent) : versionsFor',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  {
    name: 'file-without-version-of-another-field',
    find: 'const had = (before?.[id] ?? []) as FileValue[]',
    replace: 'const had = Object.values(before ?? {}).flat() as FileValue[]',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  {
    name: 'file-of-field-not-released',
    find: 'then null else ${at}::bigint end',
    replace: 'then null else null::bigint + ${at} end',
    tests: ['server/features/application/cards/files.test.ts'],
  },
]
