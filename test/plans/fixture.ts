// The large account of the plans, and what their rows are made of.
import type { Actor } from '../../server/access/actor.ts'
import type { RightLevel } from '../../server/access/rights.ts'
import { fullRights } from '../../server/access/rights.ts'
import type { Reader } from '../../server/database/connect.ts'
import type { EventSearch } from '../../server/features/activity/events/filters.ts'
import { eventBehind } from '../../server/features/activity/events/queries.ts'
import type { Showing } from '../../server/features/activity/events/show.ts'
import {
  countLeads,
  lockLeads,
  someLeads,
} from '../../server/features/definitions/pipelines/statuses/queries.ts'
import { companies } from '../../server/features/records/companies/companies.ts'
import { contacts } from '../../server/features/records/contacts/contacts.ts'
import { customers } from '../../server/features/records/customers/customers.ts'
import type { CustomerFilter } from '../../server/features/records/customers/schema.ts'
import { leads } from '../../server/features/records/leads/leads.ts'
import type { LeadFilter } from '../../server/features/records/leads/schema.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import type { RecordDescription, RecordType } from '../../server/records/description.ts'
import { noFields } from '../../server/records/fields/definitions.ts'
import { listRequestOf } from '../../server/records/lists/find.ts'
import type { Way } from '../../server/records/lists/pages.ts'
import { idsOf, recordList } from '../../server/records/lists/pages.ts'
import type { RecordQuery } from '../../server/records/schema.ts'
import { admin } from '../actor.ts'
import type { Ways } from '../lists/ways.ts'
import { watchWays } from '../lists/ways.ts'
import type { Plans } from '../plans.ts'
import { all, between, first, plansOn } from '../plans.ts'
import { rightsOf } from '../records.ts'
import type { Scratch } from '../scratch.ts'
import { scratchDatabase } from '../scratch.ts'
import { stretched } from '../slow.ts'
import { fewest, fillAccounts } from './accounts.ts'
import type { State } from './judge.ts'
import type { Sql } from 'sql-template-tag'
import { default as sql } from 'sql-template-tag'
import { afterAll, beforeAll } from 'vitest'

export let scratch: Scratch

export let plans: Plans

export let ways: Ways

export let middleEvent: string

/** By account, an event that has 2,000 newer ones. */
export const lateEvents: Record<number, string> = {}

/** Tables, and how many of their rows may be read in all, also as a function of the matches. */
type Bound = readonly [tables: RegExp, most: number | ((matching: number) => number)]

export interface PlanCase {
  ask?: () => Sql
  /** Finds a page in steps, each of them a statement. */
  find?: (reader: Reader) => Promise<unknown>
  /** A statement that is planned without its values, and not run. */
  plan?: () => Sql
  /** How many rows match, or the statement that finds them all: no sort may see more. */
  matching?: number | (() => Sql)
  reads?: Bound[]
  /** Tables of which so many rows are read, no more and no fewer. */
  exactly?: Bound[]
  /** An index that is used. */
  by?: string
  /** An index that is walked along: nothing is sorted. */
  along?: string
  /** The statement is also prepared, with one plan for all values. */
  isPrepared?: boolean
  /** Tables that are not scanned when PostgreSQL plans the statement without its values, either. */
  named?: RegExp
  /** The indexes besides the key that such a plan uses. */
  namedBy?: string[]
  /**
   * The states of the tables in which PostgreSQL chooses by what it knows, and reads more than its bound where it
   * knows nothing (docs/decisions/0092-growth.md).
   */
  isChosenIn?: readonly State[]
}

export type Row = [name: string, planCase: PlanCase]

export const base = 'http://kontor'

export const showing: Showing = { base, wanted: new Set(), isGeneral: false }

export const anyEvent: EventSearch = { keys: [] }

export const of = { leads, contacts, companies, customers } as unknown as Record<
  RecordType,
  RecordDescription
>

export type LeadQuery = RecordQuery & { filter?: LeadFilter & CustomerFilter }

export const inAccount = (accountId: number, actor = admin): Actor => ({ ...actor, accountId })

export const seeing = (
  view: RightLevel,
  who: Partial<Actor> = {},
  kind: RecordType = 'leads',
): Actor => ({
  ...admin,
  isAdmin: false,
  rights: { ...fullRights, [rightsOf(kind)]: { ...fullRights[rightsOf(kind)], view } },
  ...who,
})

export const listOf = (
  kind: RecordType,
  actor: Actor,
  query: LeadQuery,
  seek: PagePosition,
  wanted?: ReadonlySet<string>,
) =>
  recordList(
    of[kind],
    actor,
    base,
    { ...listRequestOf(of[kind], actor, query, noFields), ...(wanted && { wanted }) },
    seek,
  )

/** A page of a list, whose matches are counted; `most` are read of its table. The first of two filters is the rare one. */
export function listed(
  kind: RecordType,
  query: LeadQuery,
  most: Bound[1],
  actor = admin,
  seek = first,
): PlanCase {
  const request = listRequestOf(of[kind], actor, query, noFields)
  const [one, ...others] = request.conditions.filter(({ isRight }) => !isRight)
  const by = others.length > 0 ? one : undefined
  const page = (at: PagePosition, way?: Way) => recordList(of[kind], actor, base, request, at, way)
  return {
    ask: () => page(seek, by && { kind: 'lookUp', by, isCounted: true }),
    matching: () => (by ? idsOf(kind, actor, by) : page(all)),
    reads: [[kind === 'leads' ? /leads/ : new RegExp(`^${kind}$`), most]],
  }
}

/** A page that is read along an index: nothing else is read, nothing sorted. */
export const walked = (query: LeadQuery, seek = first, rows = 51): PlanCase => ({
  ask: () => listOf('leads', admin, query, seek),
  matching: 0,
  exactly: [[/leads/, rows]],
  reads: [[/tags/, 51]],
})

export const middle = { after: { key: 1_703_000_000, id: 500_001 }, offset: 0, limit: 51 }

export const pages = [
  ['the first page', first],
  ['a page in the middle', middle],
] as const

export const nearlyAll = (matching: number) => matching + between

export const itself = (matching: number) => matching

export const withBin = (matching: number) => matching * 1.1

// Lists of leads: account 1.

export const rareStage = { pipeline_id: 3, status_id: 55 }

export const from = 1_705_997_000

export const aDay = { from: 1_703_000_000, to: 1_703_086_400 }

export const orders = [
  undefined,
  { id: 'desc' },
  { created_at: 'desc' },
  { updated_at: 'asc' },
] as const

export const allOrders = (['id', 'created_at', 'updated_at'] as const).flatMap((key) =>
  (['asc', 'desc'] as const).map((way) => ({ [key]: way })),
)

/** Statements that find the leads of a status or of its pipeline. */
export const leadsOfStatus = {
  'the leads of a status': (gone: typeof fewest) => lockLeads(inAccount(2), gone, 0, 1000),
  'the next leads of a status': (gone: typeof fewest) =>
    lockLeads(inAccount(2), gone, 700_000, 1000),
  'the leads of a pipeline': ({ pipeline_id }: typeof fewest) =>
    lockLeads(inAccount(2), { pipeline_id }, 0, 1000),
  'whether any is left': (gone: typeof fewest) => someLeads(inAccount(2), gone),
  'how many are in a pipeline': (gone: typeof fewest) =>
    countLeads(inAccount(2), gone.pipeline_id, 1001),
}

/** Fills the database that all plans read, and drops it in the end. */
export function fillForPlans(): void {
  beforeAll(async () => {
    scratch = await scratchDatabase()
    await fillAccounts(scratch.database)
    plans = await plansOn(scratch.database)
    ways = watchWays(scratch.database)
    const [event] = await scratch.database.list<{ id: string }>(
      sql`select id from events where account_id = 1 order by id offset 50000 limit 1`,
    )
    middleEvent = event!.id
    for (const accountId of [1, 2]) {
      const behind = eventBehind(inAccount(accountId), first, {}, 2000)
      const [late] = await scratch.database.list<{ id: string }>(behind)
      lateEvents[accountId] = late!.id
    }
  }, stretched(300_000))

  afterAll(() => scratch.drop())
}
