// Proves how many rows a filtered list reads, by the plans of all its statements, on an account of
// 100,000 leads beside a smaller one. No statement reads a whole table, uses an index that does not
// begin with the account, or reads more rows than the bounds of its steps allow (find.ts). The
// bounds here are a tenth of the usual ones, so that the table is far larger than all of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldIds, fillLarge } from '../../../test/lists/large.ts'
import { allWays, watchWays, within } from '../../../test/lists/ways.ts'
import type { TakenWay, Ways } from '../../../test/lists/ways.ts'
import { admin, first, plansOn, read } from '../../../test/plans.ts'
import type { Plan, Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import { leads } from '../../features/leads/leads.ts'
import type { LeadFilter } from '../../features/leads/schema.ts'
import type { Actor } from '../../access/actor.ts'
import { fullRights } from '../../access/rights.ts'
import type { RightLevel, StatusRight } from '../../access/rights.ts'
import type { PagePosition } from '../../http/paging.ts'
import { noFields } from '../fields/definitions.ts'
import { listRequestOf, findRecords } from './find.ts'
import type { RecordDescription } from '../description.ts'
import type { RecordQuery } from '../schema.ts'

const lowBounds = { few: 200, windowRows: 200, costlyWindowRows: 60, middling: 5000 }

const { text, number, select, tick, rareTick, day, moment, several } = fieldIds

let scratch: Scratch
let plans: Plans
let ways: Ways

beforeAll(async () => {
  scratch = await scratchDatabase()
  await fillLarge(scratch.database)
  plans = await plansOn(scratch.database)
  ways = watchWays(scratch.database)
}, 300_000)
afterAll(() => scratch.drop())

const kind = leads as unknown as RecordDescription
type LeadQuery = RecordQuery & { filter?: LeadFilter }
const values = (filter: Record<number, unknown>): LeadQuery => ({
  filter: { custom_fields_values: filter },
})
const seeing = (
  view: RightLevel,
  who: Partial<Actor> = {},
  status_rights: StatusRight[] | null = null,
): Actor => ({
  ...admin,
  isAdmin: false,
  rights: {
    ...fullRights,
    leads: {
      ...fullRights.leads,
      view,
    },
    status_rights,
  },
  ...who,
})
/** Gives other rights for status 60 of the first pipeline, whose leads lie together at the end. */
const status = (letter: 'A' | 'D'): StatusRight[] => [
  {
    entity_type: 'leads',
    pipeline_id: 1,
    status_id: 60,
    rights: { view: letter, edit: 'D', delete: 'D' },
  },
]
const rareStage = { pipeline_id: 3, status_id: 55 }
const from = 1_705_997_000

const queries: [name: string, query: LeadQuery, actor?: Actor][] = [
  ['nothing', {}],
  ['id', { filter: { id: [500_001] } }],
  ['several ids and a price', { filter: { id: [11, 500_001, 12], price: { from: 5 } } }],
  ['a name', { filter: { name: ['lead 5'] } }],
  ['several names', { filter: { name: ['LEAD 5', 'lead 77', 'nobody'] } }],
  ['a price', { filter: { price: 500 } }],
  ['a range of prices', { filter: { price: { from: 500, to: 510 } } }],
  ['a wide range of prices', { filter: { price: { from: 500 } } }],
  ['the highest prices', { filter: { price: { from: 9998 } } }],
  ['a rare status', { filter: { statuses: [rareStage] } }],
  [
    'statuses of several pipelines',
    { filter: { statuses: [rareStage, { pipeline_id: 2, status_id: 999 }] } },
  ],
  ['a common status', { filter: { statuses: [{ pipeline_id: 1, status_id: 142 }] } }],
  [
    'several common statuses',
    { filter: { statuses: [142, 143].map((status_id) => ({ pipeline_id: 1, status_id })) } },
  ],
  ['a rare pipeline', { filter: { pipeline_id: [3] } }],
  ['a common pipeline', { filter: { pipeline_id: [1] } }],
  ['several pipelines', { filter: { pipeline_id: [3, 2] } }],
  ['a responsible user of few', { filter: { responsible_user_id: [99] } }],
  ['a responsible user of many', { filter: { responsible_user_id: [5] } }],
  ['several responsible users', { filter: { responsible_user_id: [5, 99] } }],
  ['an author of few', { filter: { created_by: [99] } }],
  ['several authors', { filter: { created_by: [98, 99] } }],
  ['a last author of few', { filter: { updated_by: [99] } }],
  ['late creation', { filter: { created_at: { from } } }],
  ['a day of creation', { filter: { created_at: { from: 1_703_000_000, to: 1_703_086_400 } } }],
  ['late change', { filter: { updated_at: from } }],
  ['late closing', { filter: { closed_at: { from } } }],
  ['no task', { filter: { closest_task_at: 0 } }],
  ['late tasks', { filter: { closest_task_at: { from } } }],
  ['what nobody has', { filter: { responsible_user_id: [98] } }],
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
  ['two filters, one rare', { filter: { responsible_user_id: [99], price: { from: 9000 } } }],
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
  ['a search for a contact', { query: '79000000777' }],
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
  ['one status that is opened', {}, seeing('D', {}, status('A'))],
  ['own leads and one status', {}, seeing('M', {}, status('A'))],
  ['all but one status', {}, seeing('A', {}, status('D'))],
]
const orders = [undefined, { id: 'desc' }, { created_at: 'desc' }, { updated_at: 'asc' }] as const
const pages: [name: string, seek: PagePosition][] = [
  ['the first page', first],
  ['one in the middle', { after: { key: 1_703_000_000, id: 500_001 }, offset: 0, limit: 51 }],
  ['the second, that nobody led to', { ...first, offset: 51 }],
]

describe.each(queries)('leads by %s', (name, query, actor = admin) => {
  // Nearly every text has the trigrams of this search, or the search has none: PostgreSQL scans the
  // texts.
  const isWalk = name === 'a search for two characters'
  const isSearch = query.query !== undefined

  test.for(orders)('%j', async (order) => {
    for (const [page, seek] of pages) {
      const { way, steps } = await planOf({ ...query, ...(order && { order }) }, actor, seek)
      const rows =
        read(steps, /./) +
        steps.reduce(
          (sum, step) => sum + (step['Node Type'] === 'Bitmap Index Scan' ? rowsOf(step) : 0),
          0,
        )
      // A word of most texts is found soonest by scanning records in any order.
      const judged = isSearch
        ? steps.filter(
            (step) =>
              step['Node Type'] !== 'Seq Scan' ||
              !step['Relation Name']?.startsWith('record_texts'),
          )
        : steps
      // The index of a condition that matches many rows far from the beginning is read completely
      // for the first page: index entries, not records.
      const isSet = way === 'middle' && (order === undefined || 'id' in order)
      const isUnbounded = isWalk || isSet || (isSearch && (way === 'plain' || way === 'direct'))
      if (isSet) expect(read(steps, /^leads$/)).toBeLessThanOrEqual(100_000)
      if (!isUnbounded)
        expect({ page, way, rows }).toEqual({
          page,
          way,
          rows: expect.toSatisfy((n: number) => n <= most(way, query, actor, seek)),
        })
      plans.judge(judged, isUnbounded ? Infinity : lowBounds.middling)
    }
  })
})

/** The number of table and index rows that a step may read. */
function most(
  way: TakenWay,
  query: LeadQuery,
  actor: Actor,
  { offset, limit }: PagePosition,
): number {
  const { few, windowRows, middling } = lowBounds
  const { custom_fields_values: fields = {}, ...filter } = query.filter ?? {}
  const conditions =
    listRequestOf(kind, actor, { ...query, filter }, noFields).conditions.length +
    Object.keys(fields).length
  // Adds the version of the custom fields, and neighbouring rows that the rights exclude.
  const direct = 2 * (offset + limit) + 1
  // Looking up a row reads an index entry, the row, a text, and its links with their texts.
  const looked = (rows: number) => conditions * (rows + 1) + 4 * (rows + limit)
  switch (way) {
    case 'direct':
      return actor.rights.status_rights ? 20 * direct : direct
    case 'driven':
      return direct + looked(few)
    case 'window':
      return direct + looked(few) + 5 * windowRows
    default:
      return direct + looked(few) + 5 * windowRows + looked(middling)
  }
}

test('every way was taken', () => {
  for (const way of allWays) expect([way, (ways.taken.get(way) ?? 0) > 5]).toEqual([way, true])
})

async function planOf(
  query: LeadQuery,
  actor: Actor,
  seek: PagePosition,
): Promise<{ way: TakenWay; steps: Plan[] }> {
  const { reader, steps } = plans.watched()
  await within(lowBounds, () => findRecords(reader, actor, 'http://kontor', kind, query, seek))
  return { way: ways.last(), steps }
}

const rowsOf = (step: Plan) => Math.round(step['Actual Rows'] * step['Actual Loops'])
