// Faults of server/features/records.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Days and the zone of the account
  {
    name: 'card-with-unseen-contact',
    find: "and ${may(actor, to, 'view')} offset 0) shown order by link.is_main desc",
    replace: 'offset 0) shown order by link.is_main desc',
    tests: ['server/features/application/board/board.test.ts'],
  },
  {
    name: 'day-of-a-waiting-request-as-sent',
    find: 'withDaysToKeep(fields[type], drafts)',
    replace: 'drafts',
    tests: ['server/features/people/accounts/zones.test.ts'],
  },
  // Tables that grow
  {
    name: 'links-with-few-records-out-of-sight',
    find: 'where record.account_id = ${accountId} and ${isShown}`\n    :',
    replace: 'where record.account_id = ${accountId} and not record.is_deleted`\n    :',
    tests: ['server/records/lists/few.test.ts'],
  },
  // Rights to records
  {
    name: 'complex-without-add',
    find: "if (contacts.items.length > 0) requireRight(actor, 'contacts', 'add')",
    replace: "if (contacts.items.length > 0) requireRight(actor, 'contacts', 'view')",
    tests: ['server/features/records/complex/complex.test.ts'],
  },
  {
    name: 'links-listed-unseen',
    find: "and ${may(actor, kind, 'view')}",
    replace: 'and true',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'link-to-unseen',
    find: '!row.is_deleted && row.viewed',
    replace: '!row.is_deleted',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'company-taken-without-edit',
    find: 'locked.find(holder)!.edited ||',
    replace: '',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'purchases-listed-unseen',
    find: "where ${customerOfPurchase(actor)} and ${may(actor, 'customers', 'view')})",
    replace: 'where ${customerOfPurchase(actor)})',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'purchases-of-customers-unseen',
    find: "where record.account_id = ${actor.accountId} and not record.is_deleted and ${may(actor, 'customers', 'view')} ${inOrder}",
    replace: 'where record.account_id = ${actor.accountId} and not record.is_deleted ${inOrder}',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'purchase-read-unseen',
    find: "select case when ${may(actor, 'customers', 'view')} then row_to_json(shown)::text end as json from transactions",
    replace: 'select row_to_json(shown)::text as json from transactions',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'purchase-of-any-customer',
    find: 'and id = ${id} and customer_id = ${customerId} and not is_deleted',
    replace: 'and id = ${id} and not is_deleted',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'element-bought-unseen',
    find: 'where ${mayViewElement(actor)}`',
    replace: '`',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'duplicate-unseen',
    find: "${may(actor, 'contacts', 'view')} and ${may(actor, 'contacts', 'edit')}",
    replace: 'true',
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  // Accounts
  {
    name: 'sent-terms-without-names',
    find: 'null::float8 as quantity, null::bigint as price_id',
    replace: 'null::float8, null::bigint',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  {
    name: 'reason-not-held',
    find: '  await lockLossReasons(tx, actor, lossReasonsOf(sent))',
    replace: '',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'customer-status-of-another-account',
    find: 'where status.account_id = ${actor.accountId} ${ids ? sql`and status.id = any(',
    replace: 'where true ${ids ? sql`and status.id = any(',
    tests: ['server/features/records/customers/statuses/customer-statuses.test.ts'],
  },
  {
    name: 'customer-status-held-of-another-account',
    find: 'select id, sort, type, days from customer_statuses where account_id = ${actor.accountId} order by id for key share',
    replace: 'select id, sort, type, days from customer_statuses order by id for key share',
    tests: ['server/features/records/customers/customers.test.ts'],
  },
  {
    name: 'customer-status-not-held',
    find: 'order by id for key share`)',
    replace: 'order by id`)',
    tests: ['server/features/records/customers/customers.test.ts'],
  },
  {
    name: 'default-customer-status-deleted',
    find: 'if (status.type !== 0)',
    replace: 'if (status.type === 5)',
    tests: ['server/features/records/customers/statuses/customer-statuses.test.ts'],
  },
  {
    name: 'element-of-another-catalog',
    find: 'lateral (select ${shape(base, wanted)}) shown\n   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and',
    replace:
      'lateral (select ${shape(base, wanted)}) shown\n   where element.account_id = ${actor.accountId} and',
    tests: ['server/features/records/elements/elements.test.ts'],
  },
  {
    name: 'linked-records-unmarked',
    find: 'return sql`${raw(`marked_${type}`)} as (${markLinked(actor, type, ids)})`',
    replace:
      'return sql`${raw(`marked_${type}`)} as (${markLinked(actor, type, sql`select -from_id from (${ids}) each`)})`',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'merged-records-unmarked',
    find: 'markLinked(actor, type, sql`${into}::bigint`)',
    replace: 'markLinked(actor, type, sql`-${into}::bigint`)',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
  {
    name: 'links-of-an-element-of-another-catalog',
    find: 'as viewed from catalog_elements element\n   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and',
    replace:
      'as viewed from catalog_elements element\n   where element.account_id = ${actor.accountId} and',
    tests: ['server/features/records/links/elements.test.ts'],
  },
  {
    name: 'element-on-records-without-edit',
    find: 'else if (!locked.find(record)!.edited)',
    replace: 'else if (!locked.find(record)!.viewed)',
    tests: ['server/features/records/links/elements.test.ts'],
  },
  {
    name: 'ltv-without-event',
    find: 'if (before.ltv === after.ltv) return []',
    replace: 'if (before.ltv <= after.ltv) return []',
    tests: ['test/events.test.ts'],
  },
  {
    name: 'sale-of-another-structure',
    find: '({ sale_field_value: { sale: price } })',
    replace: '({ sale_field_value: { sale: String(price) } })',
    tests: ['test/events.test.ts'],
  },
  // Locks
  {
    name: 'element-of-one-unlocked',
    find: 'order by element.id\n     for no key update`',
    replace: 'order by element.id`',
    tests: ['server/features/records/links/elements.test.ts'],
  },
  {
    name: 'links-beside-context',
    find: 'const isPlain = !namesSourcesOrReasons(batch) && !mayHaveLinks',
    replace: 'const isPlain = !mayHaveLinks',
    tests: ['server/features/records/leads/leads.together.test.ts'],
  },
  // News
  {
    name: 'event-missing-price',
    find: "...(fields.includes('price') ? [",
    replace: "...(fields.includes('name') ? [",
    tests: ['server/features/records/leads/news.test.ts'],
  },
  {
    name: 'event-missing-unlinked',
    find: 'add(linked, by, unlinked(holder))',
    replace: 'add(linked, by)',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'event-missing-merged',
    find: "type: 'entity_merged', value_before: [], value_after: []",
    replace: "type: 'lead_merged', value_before: [], value_after: []",
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  {
    name: 'journal-status',
    find: "actions: isNewStage ? ['status'] : []",
    replace: 'actions: []',
    tests: ['server/features/records/leads/news.test.ts'],
  },
  // Leads and pipelines
  {
    name: 'reason-kept',
    find: 'if (status_id !== lost) return null',
    replace: 'if (status_id !== lost) return kept',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'reason-for-open',
    find: 'else if (sent && status_id !== lost)',
    replace: 'else if (sent && status_id === 0)',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'closed-at-kept',
    find: '(hasStayed ? row.closed_at : timeOfChange(writer, shared.created_at))',
    replace: '(row.closed_at ?? writer.at)',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  {
    name: 'unsorted-allowed',
    find: 'else if (stages.isUnsorted(status_id))',
    replace: 'else if (stages.isUnsorted(0))',
    tests: ['server/features/records/leads/leads.stages.test.ts'],
  },
  // Links, the bin and complex creation
  {
    name: 'main-contact-latest',
    find: 'setMain(links, links[0], by)',
    replace: 'setMain(links, links.at(-1)!, by)',
    tests: ['server/features/records/links/links.test.ts'],
  },
  {
    name: 'duplicates-everywhere',
    find: 'controlled.includes(pipeline_id)',
    replace: 'pipeline_id > 0',
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  {
    name: 'duplicate-of-three',
    find: 'const mostMatches = 3',
    replace: 'const mostMatches = 2',
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  {
    name: 'clock-put-back-links',
    find: 'set updated_at = greatest(${writer.at}::bigint, record.created_at), updated_by = touched.by',
    replace: 'set updated_at = ${writer.at}::bigint, updated_by = touched.by',
    tests: ['test/clock.test.ts'],
  },
  {
    name: 'duplicate-of-any-name',
    find: 'min(found.id) filter (where ${nameKey(sql`found.name`)} = ${nameKey(sql`item.name`)})',
    replace: 'min(found.id)',
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  {
    name: 'duplicates-at-once',
    find: 'await lockKeysOf(tx, actor, keys)',
    replace: '',
    tests: ['server/features/records/complex/complex.together.test.ts'],
  },
  {
    name: 'duplicate-keys-unsorted',
    find: 'select pg_advisory_xact_lock(hash) from hashes',
    replace: 'select pg_advisory_xact_lock(hash) from hashes order by random()',
    in: 'complex/queries.ts',
    tests: ['server/features/records/complex/complex.together.test.ts'],
  },
  {
    name: 'duplicate-closed',
    find: 'record.status_id not in (${won}, ${lost})',
    replace: 'true',
    in: 'complex/queries.ts',
    tests: ['server/features/records/complex/duplicates.test.ts'],
  },
  {
    name: 'mixed-complex-out-of-order',
    find: 'placed.toSorted((one, other) => one.index - other.index)',
    replace: 'placed',
    tests: ['server/features/records/complex/complex.test.ts > items with metadata among others'],
  },
  // Purchases of customers
  {
    name: 'sum-without-bounds',
    find: 'if (sum > Number.MAX_SAFE_INTEGER)',
    replace: 'if (sum < 0)',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'points-unasked',
    find: 'accrues ? await pointsOf(tx, actor, batch.items, offered) : []',
    replace: 'await pointsOf(tx, actor, batch.items, offered)',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  {
    name: 'latest-purchase-is-the-deleted-one',
    find: 'and not is_deleted and purchase.id <> ${id}',
    replace: 'and not is_deleted',
    tests: ['server/features/records/transactions/transactions.test.ts'],
  },
  // Request bodies
  {
    name: 'contacts-locked-once-leads-are-written',
    find: 'const locked = await lockMatches(tx, actor, author, leadIds, matches) await changeLeads(tx, author, { items: changes, faults: newFaults() })',
    replace:
      'await changeLeads(tx, author, { items: changes, faults: newFaults() }); const locked = await lockMatches(tx, actor, author, leadIds, matches)',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'links-of-a-change-unread',
    find: "await checkSentLinks(tx, actor, 'leads', batch, locked)",
    replace: '',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  {
    name: 'links-of-an-old-copy-refused',
    find: 'row && updated_at >= row.updated_at ?',
    replace: 'row ?',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  {
    name: 'links-on-other-terms-taken',
    find: 'if (kept && isAs(link, kept)) continue',
    replace: 'if (kept) continue',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  {
    name: 'hidden-links-told-apart',
    find: "where named.type = ${to} and ${may(actor, to, 'view')}",
    replace: 'where named.type = ${to}',
    tests: ['server/features/records/links/sent-links.test.ts'],
  },
  // Segments of customers
  {
    name: 'segment-of-anybody',
    find: 'sql`select id from segments where account_id = ${actor.accountId}`',
    replace: 'sql`select id from segments where 0 < ${actor.accountId}`',
    tests: ['server/features/records/segments/segments.test.ts'],
  },
  {
    name: 'segments-of-the-bin',
    find: 'rows.map(({ segment_ids }) => ({ before: segment_ids, after: [] }))',
    replace: 'rows.map(({ segment_ids }) => ({ before: segment_ids, after: segment_ids }))',
    tests: ['server/features/records/segments/segments.test.ts'],
  },
  {
    name: 'segments-of-many-restored',
    find: 'await restoreRecords<CustomerRow>(tx, actor, customers, ids)',
    replace: '(await restoreRecords<CustomerRow>(tx, actor, customers, ids)).slice(0, 1)',
    tests: ['server/features/application/jobs/jobs.test.ts'],
  },
  {
    name: 'customers-in-any-segment',
    find: 'sql`record.segment_ids @> ${ids}::bigint[]`',
    replace: 'sql`record.segment_ids && ${ids}::bigint[]`',
    tests: ['server/features/application/rows/rows.test.ts'],
  },
  {
    name: 'counts-that-wait',
    find: 'limit 1 for no key update skip locked',
    replace: 'limit 1 for no key update',
    tests: ['server/features/records/segments/segments.test.ts'],
  },
  {
    name: 'rule-over-hand',
    find: 'if (rule.entry.length === 0 || byHand.has(rule.id)) continue',
    replace: 'if (rule.entry.length === 0) continue',
    tests: ['server/features/records/segments/conditions.test.ts'],
  },
  {
    name: 'due-too-late',
    find: 'date - to, from === undefined',
    replace: 'date - to + 1, from === undefined',
    tests: ['server/features/records/segments/conditions.test.ts'],
  },
  // The clock of customers
  {
    name: 'rules-over-a-status-by-hand',
    find: 'const stays = row.is_status_by_hand || typeOf(row.status_id)',
    replace: 'const stays = typeOf(row.status_id)',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'restored-over-a-status-by-hand',
    find: 'row.is_status_by_hand ? status_due_at : actor.at',
    replace: 'actor.at',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'purchases-move-without-periods',
    find: '...(rules.isPeriodic && placedByDates(rules, row, at))',
    replace: '...placedByDates(rules, row, at)',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'dates-move-without-periods',
    find: 'if (sent.next_date !== undefined && rules.isPeriodic)',
    replace: 'if (sent.next_date !== undefined)',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'due-in-the-bin',
    find: 'and not is_deleted and ${due} <= ${actor.at}',
    replace: 'and ${due} <= ${actor.at}',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'clock-waits-for-a-customer',
    find: 'for no key update skip locked ) select * from due',
    replace: 'for no key update ) select * from due',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'clock-waits-for-an-account',
    find: 'where account_id = ${account_id} for update skip locked',
    replace: 'where account_id = ${account_id} for update',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'rules-before-older-writes-end',
    find: 'if (!(await othersEnded(database, isStopped))) return false',
    replace: '',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'clock-without-counts',
    find: 'await countMoves( tx, writer, moved.map(({ before, after }) => ({ before: before.segment_ids, after: after.segment_ids })), )',
    replace: '',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'clock-without-an-event',
    find: 'before: beforeOf(before, fields), events,',
    replace: 'before: beforeOf(before, fields), events: [],',
    tests: ['server/features/records/customers/clock/clock.test.ts'],
  },
  {
    name: 'missed-on-its-day',
    find: 'const missedFrom = midnight(timezone, due + 1)',
    replace: 'const missedFrom = midnight(timezone, due)',
    tests: ['server/features/records/customers/clock/periods.test.ts'],
  },
  // The door for requests to addresses that others have written
  {
    name: 'recording-by-who-accepts-the-call',
    find: 'link_by: item.created_by,',
    replace: 'link_by: author.userId,',
    tests: ['server/outgoing/door.test.ts'],
  },
  // Messages that channels publish: each once, in its scope, to the record and the contact it belongs to
  {
    name: 'client-of-two-contacts',
    find: 'having count(distinct found.id) = 1`',
    replace: 'having count(distinct found.id) >= 1`',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  // Unsorted items in version 2
  {
    name: 'incoming-id-kept',
    find: 'const left = readOnlyKeys(shapes[type])',
    replace: 'const left: string[] = []',
    tests: ['server/features/records/unsorted/incoming.test.ts'],
  },
  {
    name: 'incoming-item-unbounded',
    find: 'if (JSON.stringify(item.value).length > longestItem) faults.add(item, tooLong)',
    replace: '',
    tests: ['server/features/records/unsorted/version-2/version-2.test.ts'],
  },
  {
    name: 'page-of-huge-items',
    find: 'if (length > longestPage && rows.length + read.length > 1)',
    replace: 'if (length < 0)',
    tests: ['server/features/records/unsorted/version-2/version-2.test.ts'],
  },
  {
    name: 'query-string-in-link',
    find: "self: { href: url.split('?', 1)[0]!, method: requestedMethod }",
    replace: 'self: { href: url, method: requestedMethod }',
    tests: ['server/features/records/unsorted/version-2/version-2.test.ts'],
  },
  // Unsorted items
  {
    name: 'call-note-dated-by-the-acceptance',
    find: 'const calledAt = call?.called_at ?? item.created_at',
    replace: 'const calledAt = author.at',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'call-note-without-the-time-of-its-item',
    find: 'const calledAt = call?.called_at ?? item.created_at',
    replace: 'const calledAt = call?.called_at',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'unsorted-decided-listed',
    find: 'const waiting = sql`record.account_id = ${actor.accountId} and record.result is null`',
    replace: 'const waiting = sql`record.account_id = ${actor.accountId}`',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-decided-twice',
    find: 'where account_id = ${actor.accountId} and result is null and ${which}',
    replace: 'where account_id = ${actor.accountId} and ${which}',
    tests: ['server/features/records/unsorted/unsorted.together.test.ts'],
  },
  {
    name: 'unsorted-not-told-apart',
    find: "else if (!item.allowed) refused.set(uid, 'rights')",
    replace: '',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-in-lists',
    find: 'statuses ? undefined : sql`record.unsorted_id is null`',
    replace: 'statuses ? undefined : sql`true`',
    tests: ['server/features/records/unsorted/unsorted.waiting.test.ts'],
  },
  {
    name: 'unsorted-lead-told',
    find: 'isNotified: (row) => ((row as Partial<LeadRow>).unsorted_id ?? null) === null',
    replace: 'isNotified: () => true',
    tests: ['server/features/records/unsorted/unsorted.news.test.ts'],
  },
  {
    name: 'unsorted-repeat-by-name',
    find: 'else if (!content.equals(there))',
    replace: 'else if (!there)',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-repeats-at-once',
    find: 'await tx.rows(queries.lockRequests(actor, named))',
    replace: '',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-content-by-order',
    find: 'JSON.stringify(item, sortedKeys)',
    replace: 'JSON.stringify(item)',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-without-add',
    find: "(company_ids.length === 0 || !mayNone(actor, 'companies', 'add'))",
    replace: 'true',
    tests: ['server/features/records/unsorted/unsorted.together.test.ts'],
  },
  {
    name: 'unsorted-moved-without-add',
    find: "requireRight(actor, 'leads', 'add') if (!items.every((item) => mayAddParts(actor, item)))",
    replace: 'if (!items.every((item) => mayAddParts(actor, item)))',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-author',
    find: '...(draft.created_by === undefined && { created_by: author.userId }),',
    replace: '',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'unsorted-wrong-stage',
    find: 'const isThere = stages.has(item.pipeline_id, stageOf(item)) && !stages.isUnsorted(stageOf(item))',
    replace: 'const isThere = stages.has(item.pipeline_id, stageOf(item))',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'unsorted-data-kept',
    find: 'content = null, metadata = null, data = null',
    replace: 'content = null',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'unsorted-in-bin',
    find: 'if (rows.some(({ unsorted_id }) => unsorted_id !== null))',
    replace: 'if (rows.some(({ unsorted_id }) => unsorted_id === 0))',
    tests: ['server/features/records/unsorted/unsorted.waiting.test.ts'],
  },
  {
    name: 'unsorted-linked',
    find: 'if (locked.find(pair.holder)?.waits || locked.find(pair.linked)?.waits)',
    replace: 'if (locked.find(pair.holder)?.waits && locked.find(pair.linked)?.waits)',
    tests: ['server/features/records/unsorted/unsorted.waiting.test.ts'],
  },
  {
    name: 'unsorted-fault-of-item',
    find: "const isOfItem = fault.path === 'pipeline_id' && !choosing.has(item.index)",
    replace: 'const isOfItem = false',
    tests: ['server/features/records/unsorted/unsorted.test.ts'],
  },
  {
    name: 'unsorted-gone-untold',
    find: 'gone.set(index, [...(gone.get(index) ?? []), ...found.map(({ detail }) => detail)])',
    replace: '',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  {
    name: 'unsorted-too-heavy',
    find: 'if (next !== before && tooHeavy(next.custom_fields_values)) continue',
    replace: '',
    tests: ['server/features/records/unsorted/unsorted.decide.test.ts'],
  },
  // Views, jobs and recordings
  {
    name: 'recording-of-a-closed-status',
    find: "if (!call.allowed) throw forbidden('You have no right to view this record')",
    replace: '',
    tests: ['server/features/application/recordings/recordings.test.ts'],
  },
  // Merges
  {
    name: 'main-contact-lost-in-a-merge',
    find: 'if (mains.length > 0) await tx.rows(flagLinks(writer, mains))',
    replace: '',
    tests: ['server/features/application/merges/merges.property.test.ts'],
  },
  {
    name: 'main-contact-not-given-back',
    find: 'if (flagged.length > 0) await tx.rows(flagLinks(writer, flagged)) const returned',
    replace: 'const returned',
    tests: ['server/features/application/merges/merges.property.test.ts'],
  },
  {
    name: 'links-that-came-while-locking',
    find: 'return after.every((ref) => known.has(refKey(ref)))',
    replace: 'return after.every((ref) => known.has(refKey(ref)) || true)',
    tests: ['server/features/application/merges/merges.together.test.ts'],
  },
  // Values of fields that name files and records
  {
    name: 'file-without-version-of-an-item',
    find: 'const versions = await versionsFor(tx, writer, parts)',
    replace: 'const versions = await versionsFor(tx, writer, parts.slice(0, 0))',
    tests: ['server/features/application/cards/files.test.ts'],
  },
  {
    name: 'merge-repoints-suppliers',
    find: "if (type !== 'linked_entity' && type !== 'payer') return false",
    replace: "if (type === 'supplier') return (kept as Naming).entity_id === succession.from.id",
    tests: ['server/features/application/merges/merges.property.test.ts'],
  },
  {
    name: 'undo-overwrites-values-of-elements',
    find: 'JSON.stringify(row.custom_fields_values?.[field_id]) === JSON.stringify(expected)',
    replace: 'JSON.stringify(expected) !== undefined',
    tests: ['server/features/application/merges/merges.test.ts'],
  },
]
