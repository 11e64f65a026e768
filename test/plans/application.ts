// The rows that boards, feeds of cards, the shell and merges read.
import type { Actor } from '../../server/access/actor.ts'
import type { RightsDraft } from '../../server/access/rights.ts'
import { fullRights, normalise } from '../../server/access/rights.ts'
import { eventsOfRecords } from '../../server/features/activity/events/queries.ts'
import { notesOfRecords } from '../../server/features/activity/notes/queries.ts'
import { tasksOfRecords } from '../../server/features/activity/tasks/queries.ts'
import {
  boardSummary,
  firstColumns,
  wholeColumns,
  windowsOf,
} from '../../server/features/application/board/queries.ts'
import { boardSorts } from '../../server/features/application/board/schema.ts'
import {
  shellCounters,
  shellSummaries,
} from '../../server/features/application/bootstrap/queries.ts'
import { end, parsePosition } from '../../server/features/application/feed/positions.ts'
import type {
  FeedScope,
  FeedSearch,
  FeedSpan,
} from '../../server/features/application/feed/queries.ts'
import {
  feedOf,
  pinnedAndPlanned,
  scannedRows,
} from '../../server/features/application/feed/queries.ts'
import type { FeedPart } from '../../server/features/application/feed/schema.ts'
import {
  countsOf,
  duplicateCounts,
  duplicatesOf,
  openMerges,
} from '../../server/features/application/merges/queries.ts'
import { columnOf } from '../../server/features/application/rows/columns.ts'
import { listedRows } from '../../server/features/application/rows/queries.ts'
import { namedHits, taskHits } from '../../server/features/application/search/queries.ts'
import { similarNames } from '../../server/features/application/search/similar.ts'
import { customers } from '../../server/features/records/customers/customers.ts'
import { leads } from '../../server/features/records/leads/leads.ts'
import { inSegments } from '../../server/features/records/segments/segments.ts'
import { lockNaming } from '../../server/features/records/elements/queries.ts'
import { noFields } from '../../server/records/fields/definitions.ts'
import { tagged, viewed } from '../../server/records/lists/conditions.ts'
import type { Way } from '../../server/records/lists/pages.ts'
import type { Condition } from '../../server/records/lists/conditions.ts'
import { listRequestOf } from '../../server/records/lists/find.ts'
import { admin } from '../actor.ts'
import { read } from '../plans.ts'
import { callPhone, phone } from './accounts.ts'
import type { Row } from './fixture.ts'
import { base, inAccount, plans, scratch } from './fixture.ts'
import { default as sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'

/** Duplicates of contacts: the cards of account 1 by their phones; in account 3 all contacts have the phone 0. */
export function mergeCases(): Row[] {
  // The index is over all accounts, and ids of records are hardly ever the same in two: here each is.
  const naming: Row[] = [
    [40, 2],
    [48, 1],
    [41, 0],
  ].map(([id, matching]): Row => [
    `the elements that name contact ${id}, locked`,
    {
      ask: () => lockNaming(inAccount(3), id!, 5001),
      matching: matching!,
      exactly: [[/catalog_elements/, matching! * 2]],
      by: 'catalog_elements_naming',
      named: /catalog_elements/,
    },
  ])
  const own = { view: 'M', edit: 'M' } as const
  const rights = { ...fullRights, contacts: { ...fullRights.contacts, ...own } }
  const callers = [
    ['an administrator', (account: number) => inAccount(account)],
    [
      'a seller',
      (account: number): Actor => ({ ...inAccount(account), isAdmin: false, userId: 5, rights }),
    ],
  ] as const
  const key = (index: number, code: 'PHONE' | 'EMAIL', value: string) => ({
    place: index,
    field_id: phone,
    code,
    key: value,
    value,
  })
  const many = Array.from({ length: 50 }, (_, n) => key(n, 'PHONE', String(9_000_000_000 + n * 79)))
  const searchCases = callers.flatMap(([name, actorOf]): Row[] => [
    [
      `contacts that share a phone, for ${name}`,
      {
        ask: () => duplicatesOf(actorOf(1), 'contacts', 1, [key(0, 'PHONE', '9000000500')], 21),
        matching: 2,
        reads: [[/field_texts|contacts/, 12]],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `contacts that share one of fifty phones, for ${name}`,
      {
        ask: () => duplicatesOf(actorOf(1), 'contacts', 1, many, 21),
        matching: 50,
        reads: [[/field_texts|contacts/, 300]],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `contacts that share a value of 20,000 contacts, for ${name}`,
      {
        ask: () => duplicatesOf(actorOf(3), 'contacts', 13, [key(0, 'EMAIL', '0')], 21),
        matching: 101,
        reads: [[/field_texts|contacts/, 303]],
      },
    ],
    [
      `contacts that share a phone of 20,000 contacts, for ${name}`,
      {
        ask: () =>
          duplicatesOf(actorOf(1), 'contacts', 1, [key(0, 'PHONE', callPhone.common.slice(1))], 21),
        matching: 101,
        reads: [[/field_texts|contacts/, 303]],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `the duplicates of a screen of contacts, counted, for ${name}`,
      {
        ask: () =>
          duplicateCounts(
            actorOf(1),
            'contacts',
            many.map((each, index) => ({ ...each, record_id: index + 1 })),
          ),
        matching: 50,
        reads: [[/field_texts|contacts/, 300]],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `contacts that share a phone of 20,000 contacts, counted, for ${name}`,
      {
        ask: () =>
          duplicateCounts(actorOf(1), 'contacts', [
            { ...key(0, 'PHONE', callPhone.common.slice(1)), record_id: 1 },
          ]),
        matching: 1,
        reads: [[/field_texts|contacts/, 75]],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `the merges of a contact, for ${name}`,
      {
        ask: () => openMerges(actorOf(1), 'contacts', 13),
        matching: 0,
        reads: [[/merges|contacts/, 0]],
      },
    ],
    [
      `what a contact of 20,000 leads has, for ${name}`,
      {
        ask: () => countsOf(actorOf(3), 'contacts', 13),
        matching: 1,
        reads: [[/links/, 4 * 1000]],
      },
    ],
  ])
  return [...naming, ...searchCases]
}

/** The tests of these plans. */
export function applicationPlans(): void {
  describe('the board', () => {
    const open = [50, 51, 52, 53]
    const limited = (rights: RightsDraft): Actor => ({
      ...admin,
      isAdmin: false,
      rights: normalise(rights),
    })
    const window = { offset: 0, limit: 30, todayEndsAt: 1_700_000_000 + 50_000 * 60 }
    const board = {
      actor: admin,
      pipelineId: 1,
      stages: open,
      fieldId: undefined,
      conditions: viewed(admin, 'leads'),
    }
    /** Leads that are read as cards, and those that an index orders besides. */
    const most = (cards: number, others = 0) => open.length * (cards + others)
    const indexOf = {
      task: 'leads_board_by_task',
      activity: 'leads_board_by_update',
      created: 'leads_by_status',
      price: 'leads_board_by_price',
      name: 'leads_board_by_name',
    }

    test.for(boardSorts)(
      'a window by %s is delivered by its index, also prepared',
      async (sort) => {
        for (const offset of [0, 2000]) {
          const statement = windowsOf({ ...board, window: { ...window, sort, offset } })
          for (const steps of [
            await plans.explain(statement),
            await plans.explainPrepared(statement),
          ]) {
            const parts = sort === 'task' ? 3 : 1
            expect(read(steps, /^leads$/)).toBeLessThanOrEqual(most(30, parts * (offset + 30)))
            expect(steps.map((step) => step['Index Name'])).toContain(indexOf[sort])
          }
        }
      },
    )

    test('a user with a fifth of a stage fills the windows by its first leads', async () => {
      const actor = { ...limited({ leads: { view: 'M' } }), userId: 5 }
      const conditions = viewed(actor, 'leads')
      const matching = {
        ...board,
        actor,
        conditions,
        window: { ...window, sort: 'created' as const },
      }
      const steps = await plans.explain(firstColumns(matching, 1030, 0))
      expect(read(steps, /^leads$/)).toBeLessThanOrEqual(most(30, 1030))
      expect(steps.map((step) => step['Index Name'])).toContain('leads_by_status')
    })

    test('a user with few leads reads those', async () => {
      const actor = limited({ leads: { view: 'M' } })
      const conditions = viewed(actor, 'leads')
      const matching = { ...board, actor, conditions, window: { ...window, sort: 'task' as const } }
      const steps = await plans.explain(wholeColumns(matching, conditions[0]))
      expect(read(steps, /^leads$/)).toBeLessThanOrEqual(3 * 40)
    })

    test('the head reads the kept totals and their deltas, and no lead', async () => {
      const statement = boardSummary(admin, 1, sql`true`)
      for (const steps of [await plans.explain(statement), await plans.explainPrepared(statement)])
        expect(read(steps, /^leads$/)).toBe(0)
    })
  })

  describe('the lists', () => {
    const parts = { extras: [], fieldIds: [] }
    const listOf = (filter: object, column: string, direction: 'asc' | 'desc' = 'desc') => ({
      ...listRequestOf(leads, admin, { filter }, noFields),
      ordering: { column, direction },
    })
    const seek = { after: undefined, offset: 0, limit: 100 }

    test.for([
      ['id', 'leads_listed'],
      ['name', 'leads_by_name'],
      ['price', 'leads_by_price'],
      ['created_at', 'leads_by_creation'],
      ['updated_at', 'leads_by_update'],
    ] as const)('a window by %s is delivered by %s, also prepared', async ([column, index]) => {
      for (const direction of ['asc', 'desc'] as const) {
        const statement = listedRows(admin, 'leads', parts, listOf({}, column, direction), seek)
        for (const steps of [
          await plans.explain(statement),
          await plans.explainPrepared(statement),
        ]) {
          expect(read(steps, /^leads$/)).toBeLessThanOrEqual(110)
          expect(steps.map((step) => step['Index Name'])).toContain(index)
        }
      }
    })

    test.for([
      ['id', 'leads_in_bin'],
      ['updated_at', 'leads_in_bin_by_deletion'],
    ] as const)('a window of the bin by %s is delivered by %s', async ([column, index]) => {
      const request = { ...listOf({}, column), inBin: true }
      const statement = listedRows(admin, 'leads', parts, request, seek)
      for (const steps of [
        await plans.explain(statement),
        await plans.explainPrepared(statement),
      ]) {
        expect(read(steps, /^leads$/)).toBeLessThanOrEqual(110)
        expect(steps.map((step) => step['Index Name'])).toContain(index)
      }
    })

    test('a column of customers is delivered by the index of its status and its order, also prepared', async () => {
      const [status] = columnOf(admin, 'customers', noFields, 'status_id').group!.within('2')
      const request = {
        ...listRequestOf(customers, admin, {}, noFields),
        conditions: [status!],
        ordering: { column: 'next_date', direction: 'asc' as const },
      }
      const way = { kind: 'ordered', pin: status!.pin! } as const
      const statement = listedRows(admin, 'customers', parts, request, seek, way)
      for (const steps of [
        await plans.explain(statement),
        await plans.explainPrepared(statement),
      ]) {
        expect(read(steps, /^customers$/)).toBeLessThanOrEqual(110)
        expect(steps.map((step) => step['Index Name'])).toContain('customers_by_status_and_date')
      }
    })

    test('a window behind a block reads at most that block', async () => {
      const at = { after: { key: 8192, id: 8192 }, offset: 4000, limit: 100 }
      const statement = listedRows(admin, 'leads', parts, listOf({}, 'id', 'desc'), at)
      expect(read(await plans.explain(statement), /^leads$/)).toBeLessThanOrEqual(4110)
    })

    test('customers of a segment are found by its index, or along the list', async () => {
      const customersOf = (id: number, by?: Condition) => {
        const conditions = inSegments([id])
        const request = { ...listRequestOf(customers, admin, {}, noFields), conditions }
        const way: Way = by ? { kind: 'lookUp', by, isCounted: true } : { kind: 'plain' }
        return listedRows(admin, 'customers', parts, request, seek, way)
      }
      const rare = await plans.explain(customersOf(7001, inSegments([7001])[0]))
      expect(rare.map((step) => step['Index Name'])).toContain('customers_by_segment')
      expect(read(rare, /^customers$/)).toBeLessThanOrEqual(3 * 20)
      expect(read(await plans.explain(customersOf(7002)), /^customers$/)).toBeLessThanOrEqual(300)
    })

    test('records with a tag are named by its index', async () => {
      const [condition] = tagged(admin, 'leads', [1])
      const statement = sql`select id from (${condition!.ids!}) found order by id limit 10`
      const steps = await plans.explain(statement)
      expect(steps.map((step) => step['Index Name'])).toContain('record_tags_pkey')
      expect(read(steps, /^record_tags$/)).toBeLessThanOrEqual(10)
    })
  })

  describe('the feed of a record', () => {
    const most = 31
    /** Leads and contacts, of which each part has many rows in one of the accounts. */
    const records = Array.from({ length: 20 }, (_, n) => n + 1)
    const scopeOf = (ids: number[]): FeedScope => ({
      types: ids.map(() => 'leads' as const),
      singulars: ids.map(() => 'lead' as const),
      ids,
      chats: [],
    })
    /** The log of account 4 ends now, notes and tasks are of 2023. */
    const middleOf = (part: FeedPart) =>
      part === 'changes' ? Date.now() - 45 * 86_400_000 : 1_704_000_000_999
    const spans: [name: string, span: (part: FeedPart) => FeedSpan][] = [
      ['the newest', () => ({ direction: 'before', from: end, most })],
      [
        'older ones',
        (part) => ({
          direction: 'before',
          from: parsePosition(`${middleOf(part)}.1.500000`),
          most,
        }),
      ],
      [
        'newer ones',
        (part) => ({ direction: 'after', from: parsePosition(`${middleOf(part)}`), most }),
      ],
    ]
    const parts: [part: FeedPart, account: number, table: RegExp, index: RegExp, ids: number[]][] =
      [
        ['notes', 3, /^notes$/, /^notes_by_time$/, records.map((n) => n * 10 + 3)],
        ['calls', 3, /^notes$/, /^notes_by_time$/, records.map((n) => n * 10 + 3)],
        ['tasks', 1, /^tasks$/, /^tasks_completed_of_record$/, records.map((n) => n * 10 + 1)],
        ['changes', 4, /^events/, /entity_type_entity_id|events_by_entity/, records],
      ]

    for (const [part, accountId, table, index, ids] of parts)
      test.for(spans)(
        `%s of its ${part} are delivered by an index, also prepared`,
        async ([, span]) => {
          for (const words of [[], ['nowhere']]) {
            const search: FeedSearch = { parts: new Set([part]), words }
            const asking = { ...admin, accountId }
            const statement = scannedRows(asking, scopeOf(ids), search, span(part))
            if (!statement) continue
            for (const steps of [
              await plans.explain(statement),
              await plans.explainPrepared(statement),
            ]) {
              plans.judge(steps, most * ids.length)
              expect(read(steps, table)).toBeLessThanOrEqual(most * ids.length)
              // The way into an empty month of the log is any.
              const used = steps
                .filter(
                  (step) => table.test(step['Relation Name'] ?? '') && read([step], table) > 0,
                )
                .map((step) => step['Index Name'])
              expect(used.length).toBeGreaterThan(0)
              for (const name of used) expect(name).toMatch(index)
            }
          }
        },
      )

    test('pinned notes and open tasks are delivered by their indexes, also prepared', async () => {
      const statement = pinnedAndPlanned(
        { ...admin, accountId: 1 },
        scopeOf(records.map((n) => n * 10 + 1)),
      )
      for (const steps of [
        await plans.explain(statement),
        await plans.explainPrepared(statement),
      ]) {
        expect(read(steps, /^notes$/)).toBe(0)
        expect(read(steps, /^tasks$/)).toBeLessThanOrEqual(100 * records.length)
        const used = steps.map((step) => step['Index Name'])
        expect(used).toEqual(expect.arrayContaining(['notes_pinned', 'tasks_open_of_record']))
      }
    })

    test('its items are read by their keys', async () => {
      const ids = records.map((n) => n * 10 + 3)
      const asking = { ...admin, accountId: 3 }
      const notes = notesOfRecords(asking, base, scopeOf(ids), ids)
      expect(read(await plans.explain(notes), /^notes$/)).toBeLessThanOrEqual(ids.length)
      const tasks = tasksOfRecords({ ...admin, accountId: 1 }, base, scopeOf(ids), ids)
      expect(read(await plans.explain(tasks), /^tasks$/)).toBeLessThanOrEqual(ids.length)
      const ofLog = { types: ids.map(() => 'lead'), ids }
      const events = eventsOfRecords(asking, base, ofLog, ['01'.padEnd(26, '0')])
      expect(read(await plans.explain(events), /^events/)).toBeLessThanOrEqual(1)
    })

    test('a contact with leads is read with the latest links', async () => {
      const statement = feedOf({ ...admin, accountId: 1 }, 'contacts', 11, false)
      for (const steps of [
        await plans.explain(statement),
        await plans.explainPrepared(statement),
      ]) {
        // Those to leads and those to customers.
        expect(read(steps, /^links$/)).toBeLessThanOrEqual(2 * 200)
        expect(read(steps, /^leads$/)).toBeLessThanOrEqual(200)
        expect(read(steps, /^chats$/)).toBe(0)
      }
    })

    // Contact n has taken in n + 1, and so on: one chain of 20,000 merges.
    test('a survivor is read with 50 of the records merged into it, and into these', async () => {
      const { database } = scratch
      // An empty table that PostgreSQL knows as such is read whole by the plans of other tests.
      await database.list(sql`alter table merges set (autovacuum_enabled = false)`)
      await database.list(sql`
      insert into merges (account_id, id, entity_type, into_id, from_id, before, after, links, elements, notes, tasks, chats, talks, messages,
                          created_by, created_at, undo_until)
      select 1, n, 'contacts', 900000000 + n, 900000001 + n, '{}', '{}', '[]', '[]', '{}', '{}', '{}', '{}', '{}', 1, 0, 0
        from generate_series(1, 20000) n`)
      await database.list(sql`
      update merges set into_id = 11 where account_id = 1 and (id = 5 or id > 19900)`)
      const statement = feedOf({ ...admin, accountId: 1 }, 'contacts', 11, false)
      for (const state of ['freshly filled', 'analyzed']) {
        if (state === 'analyzed') await database.list(sql`analyze merges`)
        for (const steps of [
          await plans.explain(statement),
          await plans.explainPrepared(statement),
        ]) {
          const scans = steps.filter((step) => step['Relation Name'] === 'merges')
          expect(scans.map((step) => step['Node Type'])).not.toContain('Seq Scan')
          // The latest of the record, and of each of these.
          expect([read(steps, /^merges$/) > 0, read(steps, /^merges$/) <= 2 * 50]).toEqual([
            true,
            true,
          ])
        }
      }
      await database.list(sql`truncate merges`)
    })
  })

  describe('the shell', () => {
    const callers: Actor[] = [
      admin,
      {
        ...admin,
        isAdmin: false,
        rights: normalise({
          leads: { view: 'M' },
          contacts: { view: 'G' },
          companies: { view: 'M' },
        }),
      },
    ]
    const records = /^(?:leads|contacts|companies|customers)$/

    test('reads the tags of the latest 500 records of each type, also prepared', async () => {
      for (const actor of callers)
        for (const steps of [
          await plans.explain(shellSummaries(actor)),
          await plans.explainPrepared(shellSummaries(actor)),
        ]) {
          expect(read(steps, records)).toBeLessThanOrEqual(4 * 500)
          expect(read(steps, /^tags$/)).toBeLessThanOrEqual(4 * 2 * 100)
        }
    })

    test('counts no more than a badge shows, also prepared', async () => {
      for (const actor of callers)
        for (const steps of [
          await plans.explain(shellCounters(actor)),
          await plans.explainPrepared(shellCounters(actor)),
        ])
          expect(read(steps, /^(?:unsorted_items|chats|tasks|notifications)$/)).toBeLessThanOrEqual(
            4 * 1000,
          )
    })

    test('the command menu reads the first 200 names, and the first 500 own tasks, also prepared', async () => {
      const found = { id: 31, beginning: '', limit: 20 }
      for (const actor of callers)
        for (const type of ['leads', 'contacts', 'companies'] as const) {
          const statement = namedHits(actor, type, undefined, found)
          for (const steps of [
            await plans.explain(statement),
            await plans.explainPrepared(statement),
          ]) {
            const table = new RegExp(`^${type}$`)
            // The company of each contact is looked up, too.
            expect(read(steps, table)).toBeLessThanOrEqual(201 + (type === 'companies' ? 0 : 40))
            const scans = steps.filter((step) => table.test(step['Relation Name'] ?? ''))
            expect(scans.map((step) => step['Index Name'])).toContain(`${type}_by_name`)
          }
        }
      const tasks = taskHits(admin, { id: 1, words: ['call'], limit: 20 })
      for (const steps of [await plans.explain(tasks), await plans.explainPrepared(tasks)])
        expect(read(steps, /^tasks$/)).toBeLessThanOrEqual(500)
    })

    test('a name with a wrong letter reads the texts of a part only where they are few', async () => {
      for (const [q, isFound] of [
        ['neadle', true],
        ['leadd city', false],
        ['zzzzzz', false],
      ] as const)
        for (const actor of callers) {
          const { reader, steps } = plans.watched()
          const found = await similarNames(reader, actor, 'leads', noFields, { q, limit: 20 })
          if (actor === admin) expect([q, found.length > 0]).toEqual([q, isFound])
          expect(read(steps, /^record_texts/)).toBeLessThanOrEqual(4 * 1001)
          expect(read(steps, /^leads$/)).toBeLessThanOrEqual(4 * 1000)
        }
    })
  })
}
