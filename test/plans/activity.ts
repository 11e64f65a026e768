// The rows that notes, tasks, calls, events and files read.
import type { Actor } from '../../server/access/actor.ts'
import type { RightLevel } from '../../server/access/rights.ts'
import { fullRights, normalise } from '../../server/access/rights.ts'
import type { Reader } from '../../server/database/connect.ts'
import { recordsOfCalls, storedCalls } from '../../server/features/activity/calls/queries.ts'
import type { EventSearch } from '../../server/features/activity/events/filters.ts'
import { eventList, isOfOnePlan } from '../../server/features/activity/events/queries.ts'
import { eventWith } from '../../server/features/activity/events/schema.ts'
import {
  attachNamed,
  attachUpload,
  failFetch,
  fileOfActor,
  fileOfUid,
  filesOfIds,
  finishUpload,
  isReferredTo,
  nextAbandoned,
  nextReleased,
  releaseOf,
  takeFetches,
} from '../../server/features/activity/files/queries.ts'
import { findNotes, wayOfNotes } from '../../server/features/activity/notes/find.ts'
import {
  fileOfNote,
  lockParents,
  lockParentsOf,
  noteList,
  notesAbout,
  oneNote,
  oneParent,
} from '../../server/features/activity/notes/queries.ts'
import type { NoteQuery } from '../../server/features/activity/notes/schema.ts'
import { findTasks, taskRequestOf } from '../../server/features/activity/tasks/find.ts'
import {
  lockRecordsOfTasks,
  lockTasks,
  oneTask,
  recordsOfTasks,
  setClosestTasks,
  taskList,
} from '../../server/features/activity/tasks/queries.ts'
import type { TaskQuery } from '../../server/features/activity/tasks/schema.ts'
import { storedRecords } from '../../server/features/application/live/queries.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import { admin } from '../actor.ts'
import { within } from '../lists/ways.ts'
import { all, between, first, read } from '../plans.ts'
import { callPhone, emptied, unknown } from './accounts.ts'
import type { PlanCase, Row } from './fixture.ts'
import {
  aDay,
  base,
  inAccount,
  itself,
  nearlyAll,
  pages,
  plans,
  scratch,
  seeing,
  showing,
  ways,
} from './fixture.ts'
import type { State } from './judge.ts'
import { listPages, lowBounds, mostOf, pagesIn } from './judge.ts'
import type { Sql } from 'sql-template-tag'
import { default as sql } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'

/** The event log by its filters: account 4, whose rare events are the oldest. */
export function eventCases(): Row[] {
  const actor = inAccount(4)
  const day = 86_400
  const now = Math.floor(Date.now() / 1000)
  const page = 51
  const few = 40
  const found = (search: Partial<EventSearch>, most: number, caller = actor): PlanCase => ({
    ask: () => eventList(caller, showing, first, { keys: [], ...search }, []),
    isPrepared: isOfOnePlan(caller, { keys: [], ...search }, []),
    matching: most,
    reads: [[/^events/, most + between]],
    // PostgreSQL sorts months that it believes to be empty, rather than merge them in the order of their index.
    isChosenIn: ['vacuumed, without statistics'],
  })
  // Each event of a key is looked up by its id.
  const keyed = (keys: string[][], most: number, search: Partial<EventSearch> = {}): PlanCase => ({
    ...found({ keys, ...search }, most),
    reads: [
      [/^events/, most + between],
      [/^event_keys/, 2 * most + between],
    ],
  })
  const seesContacts: Actor = {
    ...actor,
    isAdmin: false,
    rights: {
      ...fullRights,
      leads: { ...fullRights.leads, view: 'D' },
      catalog_access: false,
    },
  }
  const cases: Record<string, PlanCase> = {
    'all types': found({}, page),
    'a rare type': found({ types: ['task_deleted'] }, few),
    'a common type': found({ types: ['lead_added'] }, page),
    'a rare and two common types': found(
      { types: ['task_deleted', 'lead_added', 'common_note_added'] },
      few + 3 * page,
    ),
    'a type that nothing caused': found({ types: ['robot_replied'] }, 0),
    'a rare user': found({ users: [99] }, few),
    'several users': found({ users: [1, 2, 99] }, few + 6 * page),
    'a rare entity type': found({ entities: ['task'] }, few),
    'two entity types': found({ entities: ['task', 'lead'] }, few + 3 * page),
    'a common type on an entity that never has it': found(
      { types: ['sale_field_changed'], entities: ['contact'] },
      0,
    ),
    'a common type on an entity that has none': found(
      { types: ['common_note_added'], entities: ['customer'] },
      0,
    ),
    'a record': found({ entities: ['lead'], entityIds: [7] }, 20),
    'several records': found({ entities: ['lead'], entityIds: [7, 9, 11] }, 60),
    'a type and a rare user': found({ types: ['task_deleted'], users: [99] }, few),
    'a common type and a user who has none': found({ types: ['lead_added'], users: [99] }, 0),
    'a type and common users': found({ types: ['lead_added'], users: [1, 2] }, 2 * page),
    'a type and a caller who sees nothing that has it': found(
      { types: ['lead_added'] },
      0,
      seesContacts,
    ),
    'a caller who sees contacts only': found({}, 3 * page, seesContacts),
    'old times': found({ from: now - 80 * day, to: now - 80 * day + 7800 }, 110),
    'a type in old times': found(
      { types: ['lead_added'], from: now - 80 * day, to: now - 79 * day },
      page,
    ),
    'a common value': keyed([['after sale 1']], page),
    'a rare value': keyed([['after sale -1']], 10),
    'several values': keyed([['after sale 1', 'after sale 0']], 2 * page),
    'values on both sides': keyed([['before sale 1'], ['after sale 1']], page),
    'a value and users': {
      ...keyed([['after sale 1']], 2.2 * page, { users: [1, 2] }),
      isChosenIn: unknown,
    },
    'a common value of a record': keyed([['after sale 1']], 20, {
      entities: ['lead'],
      entityIds: [7],
    }),
    'a value in old times': keyed([['after sale 1']], page, {
      from: now - 80 * day,
      to: now - 79 * day,
    }),
  }
  // The names of what the events tell of are looked up by their keys, one or two for each event.
  const told = { ...showing, wanted: new Set(eventWith.names), isTold: true }
  cases['the web application, with what they name'] = {
    ask: () => eventList(actor, told, first, { keys: [] }, []),
    matching: page,
    reads: [
      [/^events/, page + between],
      [/^(?!events)/, 2 * page],
    ],
    isChosenIn: ['vacuumed, without statistics'],
  }
  return Object.entries(cases).map(([name, planCase]): Row => [`events of ${name}`, planCase])
}

/** Notes: account 3. */
export function noteCases(): Row[] {
  const actor = inAccount(3)
  const limited = (view: RightLevel, who: Partial<Actor> = {}): Actor => ({
    ...seeing(view, who),
    accountId: 3,
    rights: { ...fullRights, leads: { ...fullRights.leads, view, edit: view } },
  })
  const list = (query: NoteQuery, seek = first, who = actor, entityId?: number) =>
    noteList(who, base, 'leads', query, seek, entityId, wayOfNotes(query, entityId))
  const isPrepared = (query: NoteQuery, entityId?: number) =>
    wayOfNotes(query, entityId) !== undefined
  const find =
    (query: NoteQuery, who = actor) =>
    (reader: Reader) =>
      findNotes(reader, who, base, 'leads', query, first)
  const late = 1_708_390_000
  const noteFilters: [string, NonNullable<NoteQuery['filter']>][] = [
    ['nothing', {}],
    ['id', { id: [1_000_013] }],
    ['several ids', { id: [13, 1_000_013, 23] }],
    ['a record', { entity_id: [5003] }],
    ['several records', { entity_id: [5003, 15_003, 25_003] }],
    ['500 records', { entity_id: Array.from({ length: 500 }, (_, n) => 50_003 + n * 10) }],
    [
      '500 records, twice',
      { entity_id: Array.from({ length: 1000 }, (_, n) => 50_003 + (n % 500) * 10) },
    ],
    [
      '500 records without notes',
      { entity_id: Array.from({ length: 500 }, (_, n) => 13 + n * 100) },
    ],
    ['a rare type', { note_type: ['geolocation'] }],
    ['a common type', { note_type: ['common'] }],
    ['several types', { note_type: ['geolocation', 'sms_in'] }],
    ['several types, one of them common', { note_type: ['geolocation', 'call_in'] }],
    ['a type that none has', { note_type: ['chat'] }],
    ['a late change', { updated_at: late }],
    ['a range of changes', { updated_at: { from: late, to: late + 6000 } }],
    ['a record and a type', { entity_id: [5003], note_type: ['call_in'] }],
    ['a late change and a type', { updated_at: late, note_type: ['common'] }],
  ]
  const noteOrders: NonNullable<NoteQuery['order']>[] = [
    { id: 'asc' },
    { id: 'desc' },
    { updated_at: 'asc' },
    { updated_at: 'desc' },
  ]
  const middleNote = { after: { key: 1_704_000_000, id: 600_013 }, offset: 0, limit: 51 }
  const views: [string, Actor][] = [
    ['10 of 20,000 leads', limited('M')],
    ['the 10 leads of a group', limited('G')],
    ['the 10 leads of the users of a group', limited('G', { groupMembers: [99, 98] })],
    ['a twentieth of all leads', limited('M', { userId: 5 })],
    ['no lead', limited('D')],
    ['no own lead', limited('M', { userId: 1000 })],
  ]
  const viewed: NoteQuery[] = [
    {},
    { order: { id: 'desc' } },
    { order: { updated_at: 'desc' } },
    { filter: { note_type: ['common'] } },
    { filter: { updated_at: 1_704_000_000 } },
  ]
  const ids = [13, 1_000_013]
  const byKey: [string, Sql, number][] = [
    ['one', oneNote(actor, base, 'leads', 1_000_013), 1],
    ['one of a record', oneNote(limited('M'), base, 'leads', 1_000_013, 199_993), 1],
    ['their record', oneParent(limited('G'), 'leads', 199_993, 'edit'), 1],
    ['their records, locked', lockParents(limited('G'), 'leads', ids), 2],
    ['the records of a batch, locked', lockParentsOf(limited('G'), 'leads', ids), 2],
    ['those of a batch', notesAbout(actor, 'leads', [23, 199_993], ids), 2],
    ['the file of one', fileOfNote(limited('M'), 1_000_013), 1],
  ]
  return [
    ...noteFilters.map(([name, filter]): Row => [
      `notes by ${name}`,
      {
        find: find({ filter }),
        matching: () => list({ filter }, all),
        reads: [
          [/notes/, nearlyAll],
          [/leads/, nearlyAll],
        ],
      },
    ]),
    ...noteOrders.flatMap((order) =>
      [first, middleNote].map((seek, index): Row => [
        `notes in the order ${JSON.stringify(order)}, ${pages[index]![0]}`,
        {
          ask: () => list({ order }, seek),
          isPrepared: isPrepared({ order }),
          matching: 0,
          exactly: [[/notes/, 51]],
          reads: [[/leads/, 51]],
        },
      ]),
    ),
    ...noteOrders.slice(2).map((order): Row => [
      `notes of the later half by change, along the index ${JSON.stringify(order)}`,
      {
        ask: () => list({ filter: { updated_at: 1_704_000_000 }, order }),
        matching: 0,
        exactly: [[/notes/, 51]],
      },
    ]),
    ...views.flatMap(([name, who]) =>
      viewed.map((query): Row => [
        `notes for a user who sees ${name}: ${JSON.stringify(query)}`,
        {
          find: find(query, who),
          matching: () => list({}, all, who),
          reads: [[/notes|leads/, (matching) => 2 * matching + 2 * between]],
        },
      ]),
    ),
    ...[actor, limited('M'), limited('G')].flatMap((who, index) =>
      ([undefined, { id: 'desc' }, { updated_at: 'desc' }] as const).map((order): Row => [
        `notes of one record in the order ${JSON.stringify(order)}, for ${['an administrator', 'M', 'G'][index]}`,
        {
          ask: () => list({ order }, first, who, 199_993),
          isPrepared: index === 0 && isPrepared({ ...(order && { order }) }, 199_993),
          matching: 6,
          reads: [
            [/notes/, 6],
            [/leads/, 6],
          ],
        },
      ]),
    ),
    ...(['common', 'geolocation'] as const).flatMap((type) =>
      ([{ id: 'asc' }, { id: 'desc' }] as const).map((order): Row => [
        `notes of the type ${type}, along the index ${JSON.stringify(order)}, in the middle`,
        {
          ask: () => list({ filter: { note_type: [type] }, order }, middleNote),
          isPrepared: true,
          matching: 0,
          along: 'notes_by_note_type',
          reads: [[/notes|leads/, 2 * 51]],
        },
      ]),
    ),
    [
      'notes of a page far behind that no link led to',
      {
        ask: () => list({}, { ...first, offset: 2000 }),
        isPrepared: true,
        matching: 0,
        exactly: [[/notes/, 2051]],
        reads: [[/users/, 51]],
      },
    ],
    // PostgreSQL may sort here: it takes the leads of this account for a tenth of those with notes.
    [
      'notes of the middle page that no link led to',
      {
        ask: () => list({}, { ...first, offset: 50_000 }),
        matching: () => list({}, all),
        reads: [
          [/notes/, itself],
          [/users/, 51],
        ],
      },
    ],
    ...byKey.map(([name, statement, most]): Row => [
      `notes by key: ${name}`,
      {
        ask: () => statement,
        matching: 2,
        reads: [
          [/notes/, most],
          [/leads/, most],
        ],
        named: /^(leads|notes)$/,
      },
    ]),
  ]
}

/** Statements on tasks: account 1. Their lists are below. */
export function taskCases(): Row[] {
  const few = seeingTasks('M')
  const list = (query: TaskQuery, seek: PagePosition) =>
    taskList(admin, base, taskRequestOf(admin, query), seek)
  const walks: [TaskQuery['order'], string][] = [
    [undefined, 'tasks_pkey'],
    [{ id: 'desc' }, 'tasks_pkey'],
    [{ created_at: 'desc' }, 'tasks_by_creation'],
    [{ complete_till: 'asc' }, 'tasks_by_deadline'],
    [{ complete_till: 'desc' }, 'tasks_by_deadline'],
  ]
  const open = { is_completed: [false] }
  const streams: [string, TaskQuery, string][] = [
    ['open ones by time', { filter: open, order: { complete_till: 'asc' } }, 'tasks_open'],
    [
      'those of a user by time',
      { filter: { ...open, responsible_user_id: [5] }, order: { complete_till: 'asc' } },
      'tasks_open_of_user',
    ],
    ['those of a user', { filter: { responsible_user_id: [5] } }, 'tasks_of_user'],
    ['those of a type', { filter: { task_type: [1] } }, 'tasks_by_type'],
    ['completed ones', { filter: { is_completed: [true] } }, 'tasks_completed'],
    ['those that a user added', { filter: { created_by: [2] } }, 'tasks_by_creator'],
  ]
  // Times at which a user's tasks become due: counted from index entries alone.
  const count = (test: Sql) => sql`
    select id from tasks where account_id = 1 and not is_completed and not is_deleted and ${test}`
  const counts: [string, Sql, string][] = [
    [
      "a user's overdue tasks",
      sql`responsible_user_id = 5 and complete_till < 1702000000`,
      'tasks_open_of_user',
    ],
    [
      'the open tasks of a record',
      sql`entity_type = 'leads' and entity_id = 71`,
      'tasks_open_of_record',
    ],
  ]
  const byKey: [string, Sql, number][] = [
    ['one', oneTask(few, base, 500_001), 1],
    ['their records', recordsOfTasks(admin, [11, 500_001]), 2],
    ['to be locked', lockTasks(few, [11, 500_001], 'edit'), 2],
    [
      'the records behind their changes',
      storedRecords([
        { account_id: 1, type: 'leads', id: 11 },
        { account_id: 1, type: 'contacts', id: 500_001 },
      ]),
      2,
    ],
    ['the locks of their records', lockRecordsOfTasks(few, 'leads', [11, 500_001]), 2],
  ]
  return [
    ...walks.flatMap(([order, along]) =>
      pages.map(([name, seek]): Row => [
        `tasks in the order ${JSON.stringify(order)}, ${name}`,
        {
          ask: () => list({ ...(order && { order }) }, seek),
          matching: 0,
          along,
          // One in a hundred tasks is deleted, and one in fifty contacts.
          reads: [[/^(tasks|leads|contacts)$/, 2 * 55]],
        },
      ]),
    ),
    ...streams.map(([name, query, along]): Row => [
      `tasks along an index: ${name}`,
      { ask: () => list(query, first), matching: 0, along, reads: [[/^tasks$/, 56]] },
    ]),
    ...counts.map(([name, test, by]): Row => [
      `how many: ${name}`,
      {
        ask: () => count(test),
        matching: () => count(test),
        by,
        reads: [[/^tasks$/, itself]],
      },
    ]),
    ...byKey.map(([name, statement, most]): Row => [
      `tasks by key: ${name}`,
      {
        ask: () => statement,
        matching: most,
        reads: [
          [/^tasks$/, most],
          [/^(leads|contacts)$/, 2 * most],
        ],
        named: /^(tasks|leads|contacts|companies|customers)$/,
      },
    ]),
    // This would write: it is planned, and does not run.
    [
      'the closest tasks of records are found by their index',
      {
        plan: () => setClosestTasks(admin, 'leads', [11, 500_001]),
        named: /^(tasks|leads)$/,
        namedBy: ['tasks_of_record', 'tasks_open_of_record'],
      },
    ],
  ]
}

/** A user of tasks who sees own leads, or those of the group, and no other records. */
function seeingTasks(view: 'M' | 'G', who: Partial<Actor> = {}): Actor {
  const rights = normalise({ leads: { view }, tasks: { edit: view } })
  return { ...admin, isAdmin: false, rights, ...who }
}

/** Calls: the cards of account 1 by their phones; in account 3 contact 13 has all leads. */
export function callCases(): Row[] {
  const own = { view: 'M', edit: 'M' } as const
  const rights = { ...fullRights, contacts: { ...fullRights.contacts, ...own } }
  const callers = [
    ['an administrator', admin],
    ['a seller', { ...admin, isAdmin: false, userId: 5, rights }],
  ] as const
  const many = Array.from({ length: 250 }, (_, n) => n * 79 + 1)
  const named = /^(?!(statuses|accounts|custom_fields)$)/
  const calls = (numbers: number[]) =>
    numbers.map((n, index) => ({
      place: index,
      note_type: 'call_in',
      uniq: `call ${n * 4}`,
      digits: String(n * 4),
    }))
  return callers.flatMap(([name, actor]): Row[] => [
    ...(['9000000500', '9100060000', '9200000000'] as const).map((number): Row => [
      `the record of a call from ${number}, for ${name}`,
      {
        ask: () => recordsOfCalls(actor, [number]),
        matching: 2,
        reads: [[/field_texts|contacts|companies|links|leads|customers/, 12]],
        by: 'field_texts_by_last_digits',
        named,
      },
    ]),
    [
      `the records of 250 calls, for ${name}`,
      {
        ask: () =>
          recordsOfCalls(
            actor,
            many.map((n) => String((n % 2 ? 9_000_000_000 : 9_100_000_000) + n)),
          ),
        matching: 500,
        reads: [
          [/field_texts/, 250],
          [/contacts|companies/, 500],
          [/links|leads|customers/, 1000],
        ],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `the record of a call from a number of 20,000 contacts, for ${name}`,
      {
        ask: () => recordsOfCalls(actor, [callPhone.common.slice(1)]),
        matching: 100,
        reads: [
          [/field_texts/, 100],
          [/contacts/, 200],
        ],
        by: 'field_texts_by_last_digits',
      },
    ],
    [
      `the record of a call from a contact of 20,000 leads, for ${name}`,
      {
        ask: () => recordsOfCalls({ ...actor, accountId: 3 }, ['1']),
        matching: 500,
        reads: [[/links|leads/, 1000]],
      },
    ],
    [
      `the notes of 250 calls that are stored, for ${name}`,
      {
        ask: () => storedCalls({ ...actor, accountId: 3 }, calls(many)),
        matching: 250,
        reads: [[/notes/, 250]],
        by: 'notes_of_calls',
        named,
      },
    ],
  ])
}

const ofLeadsIn = (...lead_statuses: { pipeline_id: number; status_id: number }[]) => ({
  filter: { lead_statuses },
})

export const taskFilters: [name: string, query: TaskQuery, actor?: Actor][] = [
  ['nothing', {}],
  ['several ids', { filter: { id: [11, 500_001, 21] } }],
  ['a user of few', { filter: { responsible_user_id: [99] } }],
  ['a user of many', { filter: { responsible_user_id: [5] } }],
  ['several users', { filter: { responsible_user_id: [5, 99] } }],
  ['a rare type', { filter: { task_type: [2] } }],
  ['a common type', { filter: { task_type: [1] } }],
  ['what is open', { filter: { is_completed: [false] } }],
  ['what is completed', { filter: { is_completed: [true] } }],
  ['what a user has to do', { filter: { is_completed: [false], responsible_user_id: [5] } }],
  ['what a user has done', { filter: { is_completed: [true], responsible_user_id: [99] } }],
  ['an author of few', { filter: { created_by: [99] } }],
  ['several authors', { filter: { created_by: [2, 99] } }],
  ['an author and a type that do not meet', { filter: { created_by: [2], task_type: [2] } }],
  ['a status of few leads', ofLeadsIn({ pipeline_id: 3, status_id: 55 })],
  ['a status of many leads with tasks', ofLeadsIn({ pipeline_id: 2, status_id: 142 })],
  ['a large status without tasks', ofLeadsIn(emptied), inAccount(2)],
  [
    'statuses of both sizes',
    ofLeadsIn({ pipeline_id: 1, status_id: 53 }, { pipeline_id: 2, status_id: 60 }),
  ],
  [
    'what is open in a status of many leads',
    { filter: { ...ofLeadsIn({ pipeline_id: 2, status_id: 142 }).filter, is_completed: [false] } },
  ],
  [
    'a status of many leads, of which a user sees few',
    ofLeadsIn({ pipeline_id: 2, status_id: 142 }),
    seeingTasks('M'),
  ],
  ['leads', { filter: { entity_type: ['leads'] } }],
  ['customers, which have none', { filter: { entity_type: ['customers'] } }],
  ['a lead', { filter: { entity_type: ['leads'], entity_id: [71] } }],
  ['several leads', { filter: { entity_type: ['leads'], entity_id: [71, 500_001] } }],
  ['late changes', { filter: { updated_at: 1_705_990_000 } }],
  ['a day of changes', { filter: { updated_at: aDay } }],
  ['two filters', { filter: { responsible_user_id: [5], updated_at: { from: 1_705_000_000 } } }],
  ['two that nothing fits', { filter: { task_type: [2], responsible_user_id: [5] } }],
  ['the few that a user sees', {}, seeingTasks('M')],
  ['the many that a user sees', {}, seeingTasks('M', { userId: 5 })],
  ['the few that a group sees', {}, seeingTasks('G')],
  ['the many that a group sees', {}, seeingTasks('G', { groupId: 3, userId: 5 })],
  [
    'what is open of the few that a user sees',
    { filter: { is_completed: [false] } },
    seeingTasks('M'),
  ],
]

/** Asks for tasks in each order, and judges what each page reads. */
export function judgeTasks(query: TaskQuery, actor: Actor, state: State = 'analyzed'): void {
  test.for([undefined, { created_at: 'desc' }, { complete_till: 'asc' }] as const)(
    '%j',
    async (order) => {
      for (const [[page, seek], pages] of listPages.flatMap((each) =>
        pagesIn(state).map((pages) => [each, pages] as const),
      )) {
        const { reader, steps } = plans.watched(pages)
        const matching = { ...query, ...(order && { order }) }
        await within(lowBounds, () => findTasks(reader, actor, base, matching, seek))
        const way = ways.last()
        const rows = read(steps, /./)
        // Rows that are common but far from the beginning are found by their whole index.
        const isSet = way === 'middle' && order === undefined
        const isChosen = state !== 'analyzed' && way === 'plain'
        const conditions = taskRequestOf(actor, matching).conditions.length
        // Each task that is looked at may cost a look at its record.
        const limit = isChosen
          ? Infinity
          : isSet
            ? 100_000
            : 2 * mostOf(way, conditions, actor, seek)
        expect({ page, way, rows }).toEqual({ page, way, rows: Math.min(rows, limit) })
        plans.judge(steps, isSet || isChosen ? Infinity : lowBounds.mediumSet)
      }
    },
  )
}

/** The tests of these plans. */
export function activityPlans(): void {
  describe.each(taskFilters)('tasks by %s', (_name, query, actor = admin) =>
    judgeTasks(query, actor),
  )

  describe('files', () => {
    const asking = { ...admin, accountId: 10_000, isAdmin: false, userId: 7 }
    const second = `00000000-0000-4000-8000-${'2'.padStart(12, '0')}`
    const nowMs = 5_000_000
    const fetch = {
      account_id: 10_000,
      id: 120,
      uid: second,
      type: '',
      source: '',
      attempts: 0,
      role: 'channel',
    } as const

    // Of 30,000 files in two accounts, 1% are to be fetched, as many are uploads under way, of which
    // one in ten has died, and as many are uploads that nothing refers to; as many were released.
    beforeAll(async () => {
      const { database } = scratch
      await database.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (10000, 'files', 'Files', 0, 0), (10001, 'more-files', 'More files', 0, 0)`)
      await database.list(sql`
      insert into files (account_id, id, uid, name, type, size, state, source, due_at, created_by, created_at, stored_at, attached_at, released_at)
      select account, n, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'a.txt', 'text/plain', 1,
             case when kind < 2 then 'fetching' else 'stored' end, case when kind = 0 then 'https://example.com' end,
             case when kind = 0 or (kind = 1 and n % 1000 < 100) then n when kind = 1 then 9000000 end, 7, 0,
             case when kind >= 2 then n end, case when kind > 2 then n end, case when kind = 3 then n end
        from generate_series(10000, 10001) account, generate_series(1, 15000) n, lateral (select n % 100 as kind) as of`)
      await database.list(sql`analyze accounts, files`)
    })

    test('what refers to one is found by it', async () => {
      const steps = await plans.explain(isReferredTo({ account_id: 1, id: 1, uid: second }))
      expect(steps.flatMap((step) => step['Index Name'] ?? []).toSorted()).toEqual([
        'custom_fields_pkey',
        'field_texts_pkey',
        'files_by_uid',
        'messages_of_file',
        'notes_of_file',
      ])
    })

    test.each<[string, Sql, most: number]>([
      ['one of a user', fileOfActor(asking, 103), 1],
      ['those of a page', filesOfIds(asking, [1, 2, 3, 4, 5]), 5],
      ['the one of an address', fileOfUid(10_000, second), 1],
      ['one to attach', attachUpload(asking, 102), 2],
      ['some to attach', attachNamed(asking, [{ uid: second, isOpen: true }]), 3],
      ['some to release', releaseOf({ ...asking, at: 1 }, [10_000, 10_001]), 4],
      ['the end of an upload', finishUpload(10_000, 101, { type: '', size: 1 }, 1), 2],
      // Of each account: its first file as an account, and those that it has room for, read thrice.
      ['the next to fetch', takeFetches(nowMs, nowMs + 1, new Map(), 4, 16), 2 + 3 * 8],
      ['the end of a fetch', failFetch(fetch, 'status 404'), 2],
      ['the next that is abandoned', nextAbandoned(nowMs, 4000), 302],
      ['the next that was released', nextReleased(4000), 302],
    ])('%s', async (_what, statement, most) => {
      const steps = await plans.explain(statement)
      for (const { 'Node Type': type } of steps) expect(type).not.toBe('Seq Scan')
      expect(read(steps, /^files/)).toBeLessThanOrEqual(most)
    })
  })
}
