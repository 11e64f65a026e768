// The rows each request reads of a large account, by the plan that PostgreSQL makes and runs for
// the very statement: no whole table, only indexes that begin with the account, no sort of more
// rows than match, and no more rows of a table than its bound. A new filter of leads is one row of
// `leadFilters`; any other statement is one row in the file of its ward, or of `cases`.
import type { Actor } from '../../server/access/actor.ts'
import { limitedTypes } from '../../server/access/record-rights.ts'
import type { RightLevel, StatusRight } from '../../server/access/rights.ts'
import type { Cells } from '../../server/database/connect.ts'
import type { EventSearch } from '../../server/features/activity/events/filters.ts'
import {
  eventBehind,
  eventList,
  isOfOnePlan,
  oneEvent,
} from '../../server/features/activity/events/queries.ts'
import { wayOfNotes } from '../../server/features/activity/notes/find.ts'
import { noteList } from '../../server/features/activity/notes/queries.ts'
import type { NoteQuery } from '../../server/features/activity/notes/schema.ts'
import { taskRequestOf } from '../../server/features/activity/tasks/find.ts'
import { taskList } from '../../server/features/activity/tasks/queries.ts'
import { lockRecordsOfTag, recordsOfTag } from '../../server/features/application/jobs/queries.ts'
import { oneCard } from '../../server/features/application/cards/queries.ts'
import {
  lockTags,
  managedTagList,
  tagList,
  tagsOfAccount,
  tagsOfTakenNames,
} from '../../server/features/definitions/tags/queries.ts'
import type { TagQuery } from '../../server/features/definitions/tags/routes.ts'
import {
  dueAccounts,
  lockCustomersAfter,
  lockCustomersOfStatus,
  lockDueCustomers,
} from '../../server/features/records/customers/clock/queries.ts'
import {
  purchasesByMonth,
  transactionList,
} from '../../server/features/records/transactions/queries.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import type { RecordType } from '../../server/records/description.ts'
import { noFields } from '../../server/records/fields/definitions.ts'
import { changeKeys, removeKeys, textKey } from '../../server/records/fields/field-index.ts'
import type { Condition } from '../../server/records/lists/conditions.ts'
import { embed } from '../../server/records/lists/embed.ts'
import { listRequestOf } from '../../server/records/lists/find.ts'
import { recordList } from '../../server/records/lists/pages.ts'
import { linesOf, oneRecord } from '../../server/records/lists/select.ts'
import { purgeOldest } from '../../server/records/purge.ts'
import type { RecordQuery } from '../../server/records/schema.ts'
import { tagsNamed, tagsWithIds } from '../../server/records/tags.ts'
import { lockRows } from '../../server/records/writing/statements.ts'
import { admin } from '../actor.ts'
import { allWays } from '../lists/ways.ts'
import type { Plans } from '../plans.ts'
import { all, between, first, plansOn, read } from '../plans.ts'
import { allKinds, kindsButLeads } from '../records.ts'
import type { Scratch } from '../scratch.ts'
import { scratchDatabase } from '../scratch.ts'
import { stretched } from '../slow.ts'
import { rightsCases } from './access.ts'
import { emptied, fieldIds, forgetStatistics, soon, unknown } from './accounts.ts'
import { callCases, eventCases, judgeTasks, noteCases, taskCases, taskFilters } from './activity.ts'
import { mergeCases } from './application.ts'
import type { LeadQuery, PlanCase, Row } from './fixture.ts'
import {
  aDay,
  allOrders,
  anyEvent,
  base,
  from,
  inAccount,
  itself,
  lateEvents,
  leadsOfStatus,
  listOf,
  listed,
  middle,
  middleEvent,
  nearlyAll,
  of,
  orders,
  pages,
  plans,
  rareStage,
  scratch,
  seeing,
  showing,
  walked,
  ways,
  withBin,
} from './fixture.ts'
import type { State } from './judge.ts'
import {
  isJudged,
  judgeCase,
  listPages,
  lowBounds,
  most,
  pagesIn,
  pagesRead,
  planOf,
  rowsOf,
} from './judge.ts'
import {
  complexCases,
  elementCases,
  elementLinkCases,
  linkCases,
  purchaseCases,
  saleCases,
  usageCases,
  segmentCases,
  statusCases,
  unsortedRows,
} from './records.ts'
import type { Sql } from 'sql-template-tag'
import { default as sql, raw as sqlRaw } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillForPlans } from './fixture.ts'
import { accessPlans } from './access.ts'
import { activityPlans } from './activity.ts'
import { recordsPlans } from './records.ts'
import { applicationPlans } from './application.ts'
import { programsPlans } from './programs.ts'
import { searchPlans } from './search.ts'

fillForPlans()
accessPlans()
activityPlans()
applicationPlans()
programsPlans()
recordsPlans()
searchPlans()

/** Each is asked as one statement, and by all ways, orders and pages of a list. */
const leadFilters: [name: string, filter: NonNullable<LeadQuery['filter']>][] = [
  ['nothing', {}],
  ['id', { id: [500_001] }],
  ['several ids', { id: [11, 500_001, 12] }],
  ['a name', { name: ['lead 5'] }],
  ['several names', { name: ['LEAD 5', 'lead 77', 'nobody'] }],
  ['a price', { price: 500 }],
  ['a range of prices', { price: { from: 500, to: 510 } }],
  ['a wide range of prices', { price: { from: 500 } }],
  ['a rare status', { statuses: [rareStage] }],
  ['several statuses', { statuses: [rareStage, { pipeline_id: 3, status_id: 143 }] }],
  ['statuses of several pipelines', { statuses: [rareStage, { pipeline_id: 2, status_id: 999 }] }],
  ['a common status', { statuses: [{ pipeline_id: 1, status_id: 142 }] }],
  ['a rare pipeline', { pipeline_id: [3] }],
  ['a common pipeline', { pipeline_id: [1] }],
  ['several pipelines', { pipeline_id: [3, 2] }],
  ['a responsible user of few', { responsible_user_id: [99] }],
  ['a responsible user of many', { responsible_user_id: [5] }],
  ['several responsible users', { responsible_user_id: [5, 99] }],
  ['an author of few', { created_by: [99] }],
  ['several authors', { created_by: [98, 99] }],
  ['a last author of few', { updated_by: [99] }],
  ['several last authors', { updated_by: [98, 99] }],
  ['late creation', { created_at: { from: 1_705_990_000 } }],
  ['late change', { updated_at: 1_705_990_000 }],
  ['late closing', { closed_at: { from: 1_705_990_000 } }],
  ['two filters, one rare', { responsible_user_id: [99], price: { from: 9000 } }],
  ['what nobody has', { responsible_user_id: [98] }],
]

/** Spans whose leads lie together: a page in the order of ids may walk past all older leads. */
export const spans: [name: string, filter: NonNullable<LeadQuery['filter']>][] = [
  ['a day of creation', { created_at: aDay }],
  ['the later half by creation', { created_at: aDay.from }],
  ['a day of change', { updated_at: aDay }],
  ['a day of closing', { closed_at: aDay }],
]

/** Filters of customers only; all others are those of contacts and companies. */
const customerFilters: [name: string, filter: NonNullable<LeadQuery['filter']>][] = [
  ['a next price', { next_price: [500] }],
  ['several next prices', { next_price: [500, 501] }],
  ['a range of next prices', { next_price: { from: 500, to: 510 } }],
  ['late next dates', { next_date: { from: 1_705_990_000 } }],
  ['a rare status', { status_id: [9] }],
  ['a common status', { status_id: [2] }],
  ['late creation by date', { date: { type: 'create', from: 1_705_990_000 } }],
  ['late change by date', { date: { type: 'update', from: 1_705_990_000 } }],
]

export const cases: Row[] = [
  ...unsortedRows(),
  ...customerFilters.map(([name, filter]): Row => [
    `customers by ${name}`,
    listed('customers', { filter }, nearlyAll),
  ]),
  [
    'customers of a status that goes',
    {
      ask: () => lockCustomersOfStatus(admin, 9, 1000),
      matching: 30,
      reads: [[/^customers$/, 60]],
      by: 'customers_by_status',
    },
  ],
  // The clock: 500 customers of account 1 are due, and five of account 2.
  [
    'accounts with customers that are due',
    { ask: () => dueAccounts, matching: 3, reads: [[/^customers$/, 2]], by: 'customers_due' },
  ],
  ...([100, 1000] as const).map((most): Row => [
    `${most} customers that are due`,
    {
      ask: () => lockDueCustomers({ ...admin, at: soon }, most),
      matching: Math.min(most, 500),
      reads: [[/^customers$/, Math.min(most, 500)]],
      by: 'customers_due',
      named: /^customers$/,
      namedBy: ['customers_due'],
    },
  ]),
  ...[0, 500_001].map((after): Row => [
    `all customers in steps, after ${after}`,
    {
      ask: () => lockCustomersAfter(admin, after, 1000),
      matching: 1000,
      // One in fifty lies in the bin.
      reads: [[/^customers$/, 1021]],
      along: 'customers_listed',
      named: /^customers$/,
      namedBy: ['customers_listed'],
    },
  ]),
  ...leadFilters.map(([name, filter]): Row => [
    `leads by ${name}`,
    listed('leads', { filter }, nearlyAll),
  ]),
  ...spans.map(([name, filter]): Row => [
    `leads by ${name}, in the order of ids`,
    listed('leads', { filter }, Infinity),
  ]),
  [
    'leads of a day of creation, along the index',
    walked({ filter: { created_at: aDay }, order: { created_at: 'asc' } }),
  ],
  [
    'leads of the later half by creation, along the index',
    walked({ filter: { created_at: aDay.from }, order: { created_at: 'desc' } }),
  ],
  [
    'leads of a day of change, along the index',
    walked({ filter: { updated_at: aDay }, order: { updated_at: 'asc' } }),
  ],
  [
    'leads of the later half by change, along the index',
    walked({ filter: { updated_at: { from: aDay.from } }, order: { updated_at: 'desc' } }),
  ],
  ...allOrders.flatMap((order) =>
    pages.map(([name, seek]): Row => [
      `leads in the order ${JSON.stringify(order)}, ${name}`,
      walked({ order }, seek),
    ]),
  ),
  // Only the rows of the page are shown with their tags.
  [
    'leads of a page far behind that no link led to',
    // The entries of the index that are counted, and the page.
    walked({}, { ...first, offset: 90_000 }, 90_001 + 51),
  ],
  [
    'a lead by its key',
    { ask: () => oneRecord(of.leads, admin, base, 500_001), matching: 2, reads: [[/leads/, 2]] },
  ],
  [
    'an own lead by its key',
    {
      ask: () => oneRecord(of.leads, seeing('M'), base, 500_001),
      matching: 2,
      reads: [[/leads/, 2]],
    },
  ],
  [
    'leads to be locked',
    {
      ask: () => lockRows(of.leads, seeing('G'), [11, 500_001], 'edit'),
      matching: 2,
      reads: [[/leads/, 2]],
    },
  ],
  ...(['G', 'M', 'D'] as const).flatMap((view) =>
    orders.map((order): Row => [
      `leads that the right ${view} shows, in the order ${JSON.stringify(order)}`,
      listed('leads', { order }, itself, seeing(view)),
    ]),
  ),

  // Contacts, companies and customers: account 1.
  ...kindsButLeads.flatMap((kind): Row[] => [
    ...(
      [
        ['nothing', {}],
        ['several ids', { id: [11, 500_011, 21] }],
        ['name', { name: ['name 5'] }],
        ['several names', { name: ['NAME 5', 'name 77', 'nobody'] }],
        ['a responsible user of few', { responsible_user_id: [99] }],
        ['a responsible user of many', { responsible_user_id: [5] }],
        ['several authors', { created_by: [98, 99] }],
        ['a last author of few', { updated_by: [99] }],
        ['late creation', { created_at: { from: 1_705_990_000 } }],
        ['late change', { updated_at: 1_705_990_000 }],
        ['two filters', { responsible_user_id: [99], updated_at: { from: 1_703_000_000 } }],
        ['what nobody has', { created_by: [98] }],
      ] satisfies [string, RecordQuery['filter']][]
    ).map(([name, filter]): Row => [`${kind} by ${name}`, listed(kind, { filter }, nearlyAll)]),
    ...[undefined, ...allOrders.slice(1)].flatMap((order) =>
      pages.map(([name, seek]): Row => [
        `${kind} in the order ${JSON.stringify(order)}, ${name}`,
        { ...listed(kind, { order }, 51 * 1.1, admin, seek), matching: 0 },
      ]),
    ),
    ...(['G', 'M', 'D'] as const).flatMap((view) =>
      orders.map((order): Row => [
        `${kind} that the right ${view} shows, in the order ${JSON.stringify(order)}`,
        listed(kind, { order }, withBin, seeing(view, {}, kind)),
      ]),
    ),
    [
      `one of ${kind} by its key`,
      {
        ask: () => oneRecord(of[kind], seeing('M', {}, kind), base, 500_011),
        matching: 2,
        reads: [[new RegExp(`^${kind}$`), 2]],
      },
    ],
    [
      `${kind} to be locked`,
      {
        ask: () => lockRows(of[kind], admin, [11, 21], 'edit'),
        matching: 2,
        reads: [[new RegExp(`^${kind}$`), 2]],
      },
    ],
  ]),

  // The bin: leads of account 2, the others of account 1.
  ...allKinds.flatMap((kind): Row[] => {
    const account = kind === 'leads' ? 2 : 1
    const few = inAccount(account, seeing('M', {}, kind))
    const seekMiddle = { ...middle, after: { key: 1_703_000_000, id: 500_000 + account } }
    const bin = (query: RecordQuery, seek = first, actor = inAccount(account)): PlanCase => {
      const binned = { ...query, with: ['only_deleted'] }
      return {
        ...listed(kind, binned, itself, actor, seek),
        reads: [[/^(leads|contacts|companies|customers)$/, itself]],
      }
    }
    return [
      ...(
        [
          ['nothing', {}],
          ['id', { filter: { id: [500_000 + account, 1_000_000 + account] } }],
          ['name', { filter: { name: ['name 50'] } }],
          ['the time of deletion', { order: { updated_at: 'desc' } }],
          ['creation', { order: { created_at: 'asc' } }],
        ] satisfies [string, RecordQuery][]
      ).flatMap(([name, query]) =>
        [first, seekMiddle].map((seek, index): Row => [
          `the bin of ${kind} by ${name}, ${pages[index]![0]}`,
          bin(query, seek),
        ]),
      ),
      [
        `the bin of ${kind} along its index`,
        {
          ask: bin({}, seekMiddle).ask,
          matching: 0,
          exactly: [[/^(leads|contacts|companies|customers)$/, 51]],
        },
      ],
      [`the bin of ${kind} for a user who sees a few`, { ...bin({}, first, few), reads: [] }],
    ]
  }),

  // Tags and events: account 1.
  ...(
    [
      ['nothing', {}, first, 51],
      ['id', { filter: { id: [100_004] } }, first, 1],
      ['several ids', { filter: { id: [100_004, 100_008] } }, first, 2],
      ['name', { filter: { name: 'TAG 8' } }, first, 1],
      ['the page before', {}, { ...first, after: { key: 105_000, id: 105_000 } }, 51],
      // A part of a name is looked for in all tags of the kind, of which an account has hundreds.
      ['a part of the name', { query: 'tag 99' }, first, 2500],
    ] satisfies [string, TagQuery, PagePosition, number][]
  ).map(([name, query, seek, most]): Row => [
    `tags by ${name}`,
    {
      ask: () => tagList(admin, base, 'leads', query, seek),
      matching: 2,
      reads: [[/tags/, most]],
    },
  ]),
  ...(
    [
      ['from the first', { limit: 51 }, 51],
      ['after a name', { after: 'TAG 5000', limit: 51 }, 51],
      // Named tags are looked for among all of the kind.
      ['a part of the name', { query: 'tag 99', limit: 51 }, 2500],
    ] as const
  ).map(([name, page, most]): Row => [
    `tags with their uses, ${name}`,
    {
      ask: () => managedTagList(admin, 'leads', page, 1000),
      matching: 52 * 1001,
      reads: [
        [/^tags/, most],
        [/record_tags/, 52 * 1001],
      ],
    },
  ]),
  [
    'tags that are merged',
    { ask: () => tagsOfAccount(admin, [100_004, 100_008]), matching: 2, reads: [[/tags/, 2]] },
  ],
  [
    'the records of a tag that is merged',
    {
      ask: () => recordsOfTag(admin, { entity_type: 'leads', tag_id: 100_004 }, 0, 250),
      matching: 250,
      reads: [[/record_tags/, 250]],
      by: 'record_tags_pkey',
    },
  ],
  [
    'the records of a tag that is merged, as they are locked',
    {
      ask: () =>
        lockRecordsOfTag(admin, { entity_type: 'leads', tag_id: 100_004 }, [11, 21, 31, 41], true),
      matching: 4,
      reads: [[/leads/, 4]],
      by: 'leads_pkey',
    },
  ],
  [
    'tags of a batch by their ids',
    {
      ask: () => tagsWithIds(admin, 'leads', [100_004, 100_008]),
      matching: 3,
      reads: [[/tags/, 2]],
    },
  ],
  [
    'tags of a batch by their names',
    {
      ask: () => tagsNamed(admin, 'leads', ['TAG 8', 'tag 4', 'new']),
      matching: 3,
      reads: [[/tags/, 2]],
    },
  ],
  [
    'tags that are changed, by their ids',
    { ask: () => lockTags(admin, 'leads', [100_004, 100_008]), matching: 2, reads: [[/tags/, 2]] },
  ],
  [
    'the names that changed tags cannot have',
    {
      ask: () =>
        tagsOfTakenNames(admin, 'leads', [
          { id: 100_004, name: 'TAG 8', color: null },
          { id: 100_008, name: 'new', color: null },
        ]),
      matching: 2,
      reads: [[/tags/, 2]],
    },
  ],
  [
    'the first page of events',
    {
      ask: () => eventList(admin, showing, first, anyEvent, []),
      matching: 0,
      exactly: [[/events/, 51]],
    },
  ],
  [
    'a page of events in the middle',
    {
      ask: () =>
        eventList(
          admin,
          showing,
          { ...first, after: { key: middleEvent, id: middleEvent } },
          anyEvent,
          [],
        ),
      matching: 0,
      exactly: [[/events/, 51]],
    },
  ],
  [
    'one event by its key',
    {
      ask: () => oneEvent(seeing('M'), showing, middleEvent, []),
      matching: 1,
      // Each branch of the rights looks at it, and one at its lead.
      reads: [[/events|leads/, 5]],
    },
  ],
  ...(
    [
      ['the few leads of a group', seeing('G')],
      ['the many leads of a group', seeing('G', { groupId: 1 })],
      ["a user's few own leads", seeing('M')],
      ["a user's many own leads", seeing('M', { userId: 5 })],
      ['no lead', seeing('D')],
    ] satisfies [string, Actor][]
  ).flatMap(([name, actor]): Row[] => [
    [
      `the events of ${name}, record by record`,
      {
        ask: () =>
          eventList(actor, showing, first, anyEvent, [], {}, { few: new Set(limitedTypes(actor)) }),
        matching: () => eventList(actor, showing, all, anyEvent, []),
        reads: [[/events|leads/, (matching) => 2 * matching + 2 * between]],
      },
    ],
    [
      `the events of ${name} among the newest`,
      {
        ask: () =>
          eventList(
            actor,
            showing,
            first,
            anyEvent,
            [],
            {},
            {
              few: new Set(),
              from: lateEvents[1]!,
            },
          ),
        matching: 51,
        // The events of leads, of customers and of tasks are looked for among 2,000, and the leads of these are looked up.
        reads: [[/events|leads/, 4 * 2001]],
      },
    ],
  ]),
  [
    'the event behind 2,000 others',
    {
      ask: () => eventBehind(admin, first, {}, 2000),
      matching: 0,
      reads: [[/events/, 2001]],
      isPrepared: true,
    },
  ],

  ...eventCases(),
  ...rightsCases(),
  ...linkCases(),
  ...elementLinkCases(),
  ...noteCases(),
  ...saleCases(),
  ...usageCases(),
  ...elementCases(),
  ...segmentCases(),
  ...purchaseCases(),
  ...taskCases(),
  ...complexCases(),
  ...callCases(),
  ...mergeCases(),
  ...statusCases(),
]

test.for(cases)('%s', async ([, planCase]) => {
  expect(planCase).toSatisfy(isJudged)
  await judgeCase(planCase)
})

export const { text, number, select, tick, rareTick, day, moment, several } = fieldIds

export const values = (filter: Record<number, unknown>): LeadQuery => ({
  filter: { custom_fields_values: filter },
})

/** Another right for status 60 of the first pipeline, whose leads lie together far behind. */
const listStatus = (letter: 'A' | 'D'): StatusRight[] => [
  {
    entity_type: 'leads',
    pipeline_id: 1,
    status_id: 60,
    rights: { view: letter, edit: 'D', delete: 'D' },
  },
]

/** An actor with that other right for the status. */
const withStatus = (view: RightLevel, letter: 'A' | 'D'): Actor => {
  const actor = seeing(view)
  return { ...actor, rights: { ...actor.rights, status_rights: listStatus(letter) } }
}

const queries: [name: string, query: LeadQuery, actor?: Actor][] = [
  ...leadFilters.map(([name, filter]): [string, LeadQuery] => [name, { filter }]),
  ['several ids and a price', { filter: { id: [11, 500_001, 12], price: { from: 5 } } }],
  ['the highest prices', { filter: { price: { from: 9998 } } }],
  [
    'several common statuses',
    { filter: { statuses: [142, 143].map((status_id) => ({ pipeline_id: 1, status_id })) } },
  ],
  ['late creation', { filter: { created_at: { from } } }],
  ['a day of creation', { filter: { created_at: { from: 1_703_000_000, to: 1_703_086_400 } } }],
  ['late change', { filter: { updated_at: from } }],
  ['late closing', { filter: { closed_at: { from } } }],
  ['no task', { filter: { closest_task_at: 0 } }],
  ['late tasks', { filter: { closest_task_at: { from } } }],
  ['a rare text', values({ [text]: ['rare'] })],
  ['a common text', values({ [text]: ['CITY 3'] })],
  ['no such text', values({ [text]: ['nowhere'] })],
  ['a number', values({ [number]: ['4711'] })],
  ['several numbers', values({ [number]: ['4711', '4712'] })],
  ['a range of numbers', values({ [number]: { from: '9990' } })],
  ['a wide range of numbers', values({ [number]: { from: '5' } })],
  ['a rare choice', values({ [select]: ['9'] })],
  ['a common choice', values({ [select]: ['2'] })],
  ['one of several choices', values({ [several]: ['9', '8'] })],
  ['a common tick', values({ [tick]: ['1'] })],
  ['a rare tick', values({ [rareTick]: ['1'] })],
  ['no common tick', values({ [tick]: ['0'] })],
  ['a tick, or none', values({ [tick]: ['0', '1'] })],
  ['a day', values({ [day]: [String(1_700_000_000 + 400 * 86_400)] })],
  ['late days', values({ [day]: { from: String(1_700_000_000 + 999 * 86_400) } })],
  ['late moments', values({ [moment]: { from: String(from) } })],
  [
    'two common filters',
    { filter: { responsible_user_id: [5], statuses: [{ pipeline_id: 1, status_id: 142 }] } },
  ],
  [
    'two that nothing fits',
    { filter: { pipeline_id: [2], statuses: [{ pipeline_id: 1, status_id: 142 }] } },
  ],
  ['two fields', values({ [text]: ['city 3'], [number]: ['4713', '4703'] })],
  ['a search for a rare word', { query: 'needle' }],
  ['a search for a common word', { query: 'lead' }],
  ['a search for two words', { query: 'city needle' }],
  ['a search for a number in names', { query: '49999' }],
  ['a search for what nobody has', { query: 'zzzzz' }],
  ['a search for a contact', { query: '79000007777' }],
  ['a search for two characters', { query: 'ne' }],
  ['a search and a rare filter', { query: 'lead', filter: { name: ['lead 5'] } }],
  ['a search and a common filter', { query: 'lead', filter: { responsible_user_id: [5] } }],
  ['the few leads of a group', {}, seeing('G')],
  ['the many leads of a group', {}, seeing('G', { groupId: 1 })],
  ["a user's few own leads", {}, seeing('M')],
  ["a user's many own leads", {}, seeing('M', { userId: 5 })],
  [
    "a filter of a user's own leads",
    { filter: { price: { from: 500 } } },
    seeing('M', { userId: 5 }),
  ],
  ["a search in a user's own leads", { query: 'lead' }, seeing('M', { userId: 5 })],
  ['a common filter in a group of few', { filter: { price: { from: 5 } } }, seeing('G')],
  ['the leads of some that are moving', {}, seeing('G', { groupMembers: [98, 99] })],
  ["a user's own leads but for one status", {}, withStatus('M', 'D')],
  ['one status that is opened', {}, withStatus('D', 'A')],
  ['own leads and one status', {}, withStatus('M', 'A')],
  ['all but one status', {}, withStatus('A', 'D')],
]

test('a far page reads its own records, and only the entries of an index before them', async () => {
  const request = listRequestOf(of.leads, admin, {}, noFields)
  const seek = { ...first, offset: 90_000 }
  const statement = recordList(of.leads, admin, base, request, seek)
  for (const steps of [await plans.explain(statement), await plans.explainPrepared(statement)]) {
    const scans = steps.filter((step) => step['Relation Name'] === 'leads')
    expect(scans.map((step) => [step['Node Type'], step['Index Name'], rowsOf(step)])).toEqual(
      expect.arrayContaining([
        ['Index Only Scan', 'leads_listed', 90_001],
        ['Index Scan', expect.any(String), 51],
      ]),
    )
    expect(scans.length).toBe(2)
  }
})

/** Asks for leads in each order, and judges what each page reads. */
function judgeLeads(name: string, query: LeadQuery, actor: Actor, state: State = 'analyzed'): void {
  // Its trigrams are in nearly every text, or it has none: PostgreSQL walks over the texts.
  const isWalk = name === 'a search for two characters'
  const isSearch = query.query !== undefined

  test.for(orders.flatMap((order) => pagesIn(state).map((matching) => [order, matching] as const)))(
    '%j, %s',
    async ([order, matching]) => {
      for (const [page, seek] of listPages) {
        const ordered = { ...query, ...(order && { order }) }
        const { way, steps } = await planOf(ordered, actor, seek, matching)
        const rows =
          read(steps, /./) +
          steps.reduce(
            (sum, step) => sum + (step['Node Type'] === 'Bitmap Index Scan' ? rowsOf(step) : 0),
            0,
          )
        // A word of most texts is found soonest by looking at text after text, in no order.
        const judged = isSearch
          ? steps.filter(
              (step) =>
                step['Node Type'] !== 'Seq Scan' ||
                !step['Relation Name']?.startsWith('record_texts'),
            )
          : steps
        // Rows that are common but far from the beginning are found by their whole index: entries, not
        // records.
        const isSet = way === 'middle' && (order === undefined || 'id' in order)
        // Where find.ts knows nothing better, PostgreSQL chooses, by what it knows.
        const isChosen = state !== 'analyzed' && way === 'plain'
        const isUnbounded =
          isWalk || isSet || isChosen || (isSearch && (way === 'plain' || way === 'direct'))
        if (isSet) expect(read(steps, /^leads$/)).toBeLessThanOrEqual(100_000)
        if (!isUnbounded)
          expect({ page, way, rows }).toEqual({
            page,
            way,
            rows: expect.toSatisfy((n: number) => n <= most(way, query, actor, seek, state)),
          })
        plans.judge(judged, isUnbounded ? Infinity : lowBounds.mediumSet)
      }
    },
  )
}

describe.each(queries)('leads by %s', (name, query, actor = admin) =>
  judgeLeads(name, query, actor),
)

test('every way was taken', () => {
  for (const way of allWays) expect([way, (ways.taken.get(way) ?? 0) > 5]).toEqual([way, true])
})

// Statements that follow from an answer, or that say more than a row can.

/** A page of 250 records with its links, and the plans of its statement. */
async function embedded(kind: RecordType, accountId: number, names: string[]) {
  const actor = inAccount(accountId)
  const wanted = new Set(names)
  const statement = listOf(kind, actor, {}, { ...first, limit: 250 }, wanted)
  const shown = async (rows: Cells[]) =>
    embed(scratch.database, actor, base, of[kind], wanted, linesOf(of[kind], actor, wanted, rows))
  const one = async (id: number) => {
    const [row] = await scratch.database.cells('list', oneRecord(of[kind], actor, base, id, wanted))
    return (await shown([row!.slice(1)]))[0]!
  }
  const whole = await shown(await scratch.database.cells('list', statement))
  return {
    one,
    whole,
    taken: await plans.explain(statement),
    prepared: await plans.explainPrepared(statement),
  }
}

test.for(allKinds)(
  'the links of a page of %s are found by their keys, also prepared',
  async (kind) => {
    const names = ['leads', 'contacts', 'companies']
    const { whole, taken, prepared } = await embedded(kind, 1, names)
    expect(whole[0]!.json).toContain('"_embedded":{"tags":[],')
    expect(whole[0]!.json.match(/"_links":\{"self"/g)).toHaveLength(3)
    for (const steps of [taken, prepared]) {
      plans.judge(steps, 500)
      expect(read(steps, /links/)).toBeLessThanOrEqual(2 * 250)
      expect(read(steps, /^(leads|contacts|companies|customers)$/)).toBeLessThanOrEqual(3 * 250)
    }
  },
)

test('a page of 250 companies embeds the first 500 leads of each and reads no more of them, also prepared', async () => {
  const { one, whole, taken, prepared } = await embedded('companies', 2, ['leads'])
  const leadsOf = ({ json }: { json: string }) => json.match(/\/leads\/\d+"/g)?.length ?? 0
  // One in fifty lies in the bin.
  expect(leadsOf(whole[0]!)).toBe(490)
  expect(leadsOf(whole[1]!)).toBe(490)
  expect(leadsOf(await one(12))).toBe(490)
  for (const steps of [taken, prepared]) {
    expect(read(steps, /links/)).toBeLessThanOrEqual(250 * 500)
    const scan = steps.find((step) => step['Relation Name'] === 'links')!
    expect([scan['Index Name'], scan['Index Cond']]).toEqual([
      'links_pkey',
      expect.stringContaining('from_id = '),
    ])
  }
})

test('a card reads the newest 500 links to each type and their records by keys, also prepared', async () => {
  const seeingOwn = (accountId: number) => ({ ...inAccount(accountId), ...seeing('M'), accountId })
  // Of account 2, company 12 has 100,000 leads; of account 3, lead 13 has 500 elements.
  const cards: [RecordType, number, Actor][] = [
    ['companies', 12, inAccount(2)],
    ['companies', 12, seeingOwn(2)],
    ['leads', 13, inAccount(3)],
    ['contacts', 11, inAccount(1)],
  ]
  for (const [kind, id, actor] of cards) {
    const statement = oneCard(of[kind], actor, base, id, new Set())
    for (const steps of [await plans.explain(statement), await plans.explainPrepared(statement)]) {
      plans.judge(steps, 510)
      // The companies of a contact or lead are embedded besides.
      expect(read(steps, /^links$/)).toBeLessThanOrEqual(600)
      expect(read(steps, /^(leads|contacts|companies|customers)$/)).toBeLessThanOrEqual(600)
      expect(read(steps, /^element_links$/)).toBeLessThanOrEqual(500)
      expect(read(steps, /^catalog_elements$/)).toBeLessThanOrEqual(51)
    }
  }
})

test('the purchases of one customer are counted along their index', async () => {
  for (const steps of [
    await plans.explain(purchasesByMonth(admin, 1011, 24)),
    await plans.explainPrepared(purchasesByMonth(admin, 1011, 24)),
  ])
    expect(steps.filter((step) => step['Relation Name'] === 'transactions')).toMatchObject([
      { 'Index Name': expect.stringMatching(/^transactions_(by_completion|of_customer)$/) },
    ])
})

test('the elements of a page of leads are found by their keys, also prepared', async () => {
  const { one, whole, taken, prepared } = await embedded('leads', 3, ['catalog_elements'])
  const elementsOf = ({ json }: { json: string }) => json.match(/"quantity"/g)?.length ?? 0
  expect(elementsOf(whole[0]!)).toBe(500)
  expect(elementsOf(whole[1]!)).toBe(4)
  expect(elementsOf(await one(13))).toBe(500)
  for (const steps of [taken, prepared]) {
    expect(read(steps, /element_links/)).toBeLessThanOrEqual(250 * 4 + 500)
    const scan = steps.find((step) => step['Relation Name'] === 'element_links')!
    expect(scan['Index Name']).toBe('element_links_pkey')
  }
})

test('contacts and their main ones are embedded by their keys, too', async () => {
  const { taken, prepared } = await embedded('contacts', 2, ['leads'])
  for (const steps of [taken, prepared]) expect(read(steps, /links/)).toBeLessThanOrEqual(250 * 5)
})

const keptNumber = { field_id: 1, value: 5 }

const keptText = { field_id: 1, value: 'Text 5' }

export const keys = { numbers: [keptNumber], texts: [keptText] }

test.for<[string, Sql]>([
  [
    'changed',
    changeKeys(admin, 'leads', [
      { id: 3, added: keys, removed: keys, staying: [keptText], text: 'x' },
    ]),
  ],
  ['removed', removeKeys(admin, 'leads', [{ id: 3, ...keys }])],
])('keys of fields that are %s are found by the whole key', async ([, statement]) => {
  const steps = await plans.explainNamed(statement)
  const tables = ['field_numbers', 'field_texts']
  const scans = steps.filter(
    (step) => step['Node Type'].endsWith('Scan') && tables.includes(step['Relation Name'] ?? ''),
  )
  expect(scans.map((step) => step['Relation Name'] ?? '').toSorted()).toEqual(tables)
  for (const { 'Index Cond': condition } of scans)
    for (const column of ['account_id', 'field_id', 'entity_type', 'value', 'entity_id'])
      expect(condition).toContain(`${column} = `)
  // The parts of other kinds are small here, and left out when the statement runs.
  const isOther = /^record_texts_of_(?!leads)/
  const scanned = steps.filter(
    (step) => step['Node Type'] === 'Seq Scan' && !isOther.test(step['Relation Name'] ?? ''),
  )
  expect(scanned).toEqual([])
})

test('a text is looked up in the order of the index', async () => {
  const steps = await plans.explainNamed(sql`
    select from field_texts
     where account_id = 1 and field_id = 1 and entity_type = 'leads'
       and value = ${textKey(sql`${'Text 5'}::text`)}`)
  expect(steps.map((step) => step['Index Cond']).join('')).toContain('value = ')
})

// These tests change the accounts, so they stand last.

test.for(kindsButLeads)(
  'the purge of %s reads a chunk of the bin and what hangs on it',
  async (kind) => {
    const steps = await plans.explain(purgeOldest(1, kind, 1_700_000_000 + 100_000 * 60, 500))
    const scanned = steps.filter((step) => step['Node Type'] === 'Seq Scan')
    expect(scanned.filter((step) => step['Relation Name'] !== 'notes')).toEqual([])
    expect(read(steps, new RegExp(`^${kind}$`))).toBeLessThanOrEqual(2 * 500)
    expect(read(steps, /links/)).toBeLessThanOrEqual(2 * 2 * 500)
  },
)

test('a status that was emptied a moment ago is not looked for all over the account', async () => {
  await scratch.database.list(
    sql`update leads set status_id = 51
         where account_id = 2 and pipeline_id = ${emptied.pipeline_id} and status_id = ${emptied.status_id}`,
  )
  const ofStatus = Object.entries(leadsOfStatus).filter(([name]) => !name.includes('pipeline'))
  for (const [name, statement] of ofStatus) {
    const steps = await plans.explain(statement(emptied))
    expect([name, read(steps, /leads/)]).toEqual([name, 0])
    plans.judge(steps, 0)
  }
})

test('what was created from a time on is found by an index that skips what was created before', async () => {
  for (const [order, index] of [
    [undefined, 'leads_by_creation_in_ids'],
    [{ updated_at: 'desc' }, 'leads_by_creation_in_changes'],
  ] as const) {
    const query: LeadQuery = {
      filter: { created_at: { from: 1_703_000_000, to: 1_704_500_000 } },
      ...(order && { order }),
    }
    for (const matching of pagesRead) {
      const { steps } = await planOf(query, admin, first, matching)
      const scan = steps.find((step) => step['Index Name'] === index)
      expect(scan?.['Node Type']).toBe('Index Only Scan')
      // The entries of one block or two, and the records of the page.
      expect(rowsOf(scan!)).toBeLessThan(2 * 4096)
      expect(read(steps, /^leads$/) - rowsOf(scan!)).toBeLessThanOrEqual(102)
    }
  }
})

// PostgreSQL expects of an account what it has on average. Prepared, a list of the largest one has to read as
// little as one that is planned for it: an index that has the id behind another column is walked for each.
describe('one large account among many small ones', () => {
  let ground: Scratch
  let its: Plans
  let middleOfEvents: string
  beforeAll(async () => {
    ground = await scratchDatabase()
    const { database } = ground
    its = await plansOn(database)
    const numbered = sql`generate_series(1, 3001) account, generate_series(1, 20000) n where account = 1 or n <= 5`
    const people = sqlRaw(
      'responsible_user_id, group_id, created_by, updated_by, created_at, updated_at',
    )
    const shared = sqlRaw('n % 20 + 1, 0, 1, 1, n, n * 7919::bigint % 20000')
    for (const statement of [
      sql`insert into accounts (id, subdomain, name, created_at, updated_at) select n, 'a' || n, 'One', 0, 0 from generate_series(1, 3001) n`,
      sql`insert into leads (account_id, id, name, price, pipeline_id, status_id, ${people})
          select account, n, 'One', n, 1, 50 + n % 4, ${shared} from ${numbered}`,
      sql`insert into contacts (account_id, id, name, first_name, last_name, ${people})
          select account, n, 'One', '', '', ${shared} from ${numbered}`,
      sql`insert into links (account_id, from_type, from_id, to_type, to_id)
          select 1, one, n, other, n from generate_series(1, 20000) n, (values ('leads', 'contacts'), ('contacts', 'leads')) ends (one, other)`,
      sql`insert into notes (account_id, id, entity_type, entity_id, note_type, params, ${people})
          select account, n, 'leads', n, 'common', '{}', ${shared} from ${numbered}`,
      sql`insert into tasks (account_id, id, text, task_type_id, entity_type, entity_id, complete_till, duration, is_completed, ${people})
          select account, n, 'One', 1, 'leads', n, n, 0, false, ${shared} from ${numbered}`,
      // Half of the events are those of one lead, and half of the purchases those of one customer.
      sql`insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
          select account, ulid_time(1700000000000 + n) || lpad(to_hex(n), 16, '0'), 'lead_added', 'lead',
                 case when n % 2 = 0 then 1 else n end, 1, 1700000000, '[]', '[]'
            from ${numbered}`,
      sql`insert into customers (account_id, id, name, status_id, next_price, next_date, ${people})
          select account, n, 'One', 1, 0, 0, ${shared} from ${numbered}`,
      sql`insert into transactions (account_id, id, customer_id, price, completed_at, note_id, created_by, updated_by, created_at, updated_at)
          select account, n, case when n % 2 = 0 then 1 else n end, n, n * 7919::bigint % 20000, n, 1, 1, n, n from ${numbered}`,
      sql`vacuum (analyze) leads, contacts, links, notes, tasks, events, customers, transactions`,
    ])
      await database.list(statement)
    const [event] = await database.list<{ id: string }>(
      sql`select id from events where account_id = 1 order by id offset 10000 limit 1`,
    )
    middleOfEvents = event!.id
  }, stretched(300_000))
  afterAll(() => ground.drop())

  const late = { ...first, after: { key: 15_000, id: 15_000 } }
  const pinOf = ([condition]: Condition[]) => ({ kind: 'ordered', pin: condition!.pin! }) as const
  const leadsBy = (
    filter: NonNullable<LeadQuery['filter']>,
    seek: PagePosition,
    order?: LeadQuery['order'],
  ) => {
    const request = listRequestOf(of.leads, admin, { filter, ...(order && { order }) }, noFields)
    return recordList(of.leads, admin, base, request, seek, pinOf(request.conditions))
  }
  const openTasks = (seek: PagePosition) => {
    const filter = { is_completed: [false], responsible_user_id: [5] }
    const request = taskRequestOf(admin, { filter, order: { complete_till: 'asc' } })
    return taskList(admin, base, request, seek, pinOf(request.conditions))
  }
  const notesBy = (query: NoteQuery, seek: PagePosition) =>
    noteList(admin, base, 'leads', query, seek, undefined, wayOfNotes(query))
  const eventsOf = (lead: number, { after, ...seek }: PagePosition) => {
    const middle = { key: '', id: middleOfEvents }
    const search: EventSearch = { entities: ['lead'], entityIds: [lead], keys: [] }
    expect(isOfOnePlan(admin, search, [])).toBe(true)
    return eventList(admin, showing, { ...seek, after: after && middle }, search, [])
  }
  const lists: [string, (seek: PagePosition) => Sql][] = [
    [
      'contacts with their leads',
      (seek) => listOf('contacts', admin, {}, seek, new Set(['leads'])),
    ],
    [
      'leads with their contacts',
      (seek) => listOf('leads', admin, {}, seek, new Set(['contacts'])),
    ],
    ['leads of a user', (seek) => leadsBy({ responsible_user_id: [5] }, seek)],
    [
      'leads of a status',
      (seek) => leadsBy({ statuses: [{ pipeline_id: 1, status_id: 51 }] }, seek, { id: 'desc' }),
    ],
    ['what a user has to do', openTasks],
    ['notes', (seek) => notesBy({}, seek)],
    ['notes by update', (seek) => notesBy({ order: { updated_at: 'desc' } }, seek)],
    ['notes of a type', (seek) => notesBy({ filter: { note_type: ['common'] } }, seek)],
    [
      'purchases of a customer',
      (seek) =>
        transactionList(
          admin,
          base,
          {},
          { ...seek, ...(seek.after && { after: { key: 9000, id: 9000 } }) },
          1,
          'one',
        ),
    ],
    ['events of a lead', (seek) => eventsOf(1, seek)],
  ]
  test.for(lists)('%s', async ([, list]) => {
    for (const seek of [first, late]) {
      const statement = list(seek)
      const [planned] = await its.explain(statement)
      const [prepared] = await its.explainPrepared(statement)
      expect(planned!['Actual Rows']).toBe(51)
      expect(prepared!['Shared Hit Blocks']).toBeLessThan(planned!['Shared Hit Blocks']! * 1.5 + 50)
    }
  })
})

// The last tests of this file: they take from PostgreSQL what it knows of the tables.
describe.each(unknown)('in tables that were %s', (state) => {
  beforeAll(() => forgetStatistics(scratch.database, state))

  describe.each(queries)('leads by %s', (name, query, actor = admin) =>
    judgeLeads(name, query, actor, state),
  )

  test.for(orders)('the rows of few ids are looked up by the key, %j', async (order) => {
    const query = { filter: { price: { from: 5000, to: 5003 } }, ...(order && { order }) }
    const { way, steps } = await planOf(query, admin, first, 'prepared')
    const lookedUp = steps.filter(
      (step) => step['Relation Name'] === 'leads' && step['Actual Loops'] > 1,
    )
    expect([way, lookedUp.map((step) => step['Index Name'])]).toEqual(['lookUp', ['leads_pkey']])
  })

  test.for(cases.filter(([, { isChosenIn }]) => !isChosenIn?.includes(state)))(
    '%s',
    async ([, planCase]) => {
      expect(planCase).toSatisfy(isJudged)
      await judgeCase(planCase, state)
    },
  )

  describe.each(taskFilters)('tasks by %s', (_name, query, actor = admin) =>
    judgeTasks(query, actor, state),
  )
})
