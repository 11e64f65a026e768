// Any filters, search, order and limit, requested by any user: the pages equal the result of
// testing every record (test/lists/reference.ts), in the same order, whichever way the list finds
// its rows. `FUZZ_SEED` changes the requests, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../../../test/client.ts'
import { searchesOf, written } from '../../../test/lists/searches.ts'
import { listOf } from '../../../test/lists/reference.ts'
import { allWays, watchWays, within } from '../../../test/lists/ways.ts'
import { stretched } from '../../../test/slow.ts'
import type { Ways } from '../../../test/lists/ways.ts'
import { blockAll } from '../../../test/lists/blocks.ts'
import { countAll } from '../../../test/lists/trigrams.ts'
import { newGround } from '../../../test/lists/dataset.ts'
import type { Ground } from '../../../test/lists/dataset.ts'
import { allKinds, idsIn, pathOf, rightsOf } from '../../../test/records.ts'
import type { RecordType } from '../description.ts'
import { blocking } from '../search/text-blocks.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_120)
const numRuns = 3 * Number(process.env['FUZZ_RUNS'] ?? 40)

let ground: Ground
let ways: Ways
const usual = { ...blocking }
const counts = { requests: 0, matching: 0 }
beforeAll(async () => {
  ground = await newGround(seed, { leads: 150, contacts: 60, companies: 40, customers: 60 })
  const { database } = ground.account.kontor
  await countAll(database)
  await blockAll(database, ground.account.id)
  ways = watchWays(database)
  // Blocks are made of the texts of all accounts, also of those of other files.
}, stretched(240_000))

/** Blocks that are not read, or so few that most words are in more. */
const lowBlocking = fc.constantFrom(
  { mostChanges: -1 },
  { mostBlocks: 0 },
  { mostBlocks: 5 },
  { mostBlocks: 0, mostTested: 0 },
  { mostBlocks: 2, mostTested: 5 },
)

/** Bounds so low that a hundred records count as many. */
const lowBounds = fc.record({
  smallSet: fc.constantFrom(0, 2, 8),
  windowRows: fc.constantFrom(0, 30, 90),
  costlyWindowRows: fc.constantFrom(0, 30, 90),
  mediumSet: fc.constantFrom(0, 30, 60, 1000),
})

test.for(allKinds)('pages of %s hold what there is to find, in order', async (kind) => {
  const able = ground.viewers.filter(
    ({ viewer }) => viewer.view[rightsOf(kind)] !== 'D' || (kind === 'leads' && viewer.opened),
  )
  const searches = fc.record({
    query: searchesOf(ground, kind),
    isEmpty: fc.boolean(),
    by: fc.nat({ max: able.length - 1 }),
    jump: fc.integer({ min: 2, max: 9 }),
    size: fc.nat({ max: 2 }),
    bounds: fc.option(lowBounds, { nil: {}, freq: 8 }),
    blocks: fc.option(lowBlocking, { nil: {} }),
  })
  await fc.assert(
    fc.asyncProperty(searches, async ({ query, isEmpty, by, jump, size, bounds, blocks }) => {
      const { user, viewer } = able[by]!
      const expected = listOf(ground.dataset, kind, viewer, query)
      const limit = [expected.length > 12 ? 7 : 2, 40, 250][size]!
      const path = `${pathOf(kind)}?${written({ ...query, limit: String(limit) }, isEmpty)}`
      const get = async (address: string) => {
        const answer = await user.api.get(address)
        ways.last()
        return answer
      }
      Object.assign(blocking, usual, blocks)
      await within(bounds, async () => {
        // No cursor leads to this page yet.
        expect(pageOf(await get(`${path}&page=${jump}`), kind)).toEqual(
          expected.slice((jump - 1) * limit, jump * limit),
        )
        const followed: number[] = []
        const pages = Math.ceil(expected.length / limit)
        let next: string | undefined = path
        for (let page = 1; next; page++) {
          const answer = await get(next)
          followed.push(...pageOf(answer, kind))
          next = answer.body._links.next?.href
          expect({ page, isMore: next !== undefined }).toEqual({ page, isMore: page < pages })
          // The second request seeks from the end of the previous page.
          expect(pageOf(await get(`${path}&page=${page}`), kind)).toEqual(
            expected.slice((page - 1) * limit, page * limit),
          )
        }
        expect(followed).toEqual(expected)
      })
      counts.requests++
      if (expected.length > 0) counts.matching++
    }),
    { seed: seed + allKinds.indexOf(kind), numRuns },
  )
})

test('the questions were good enough: every way was taken, and often there was something to find', () => {
  for (const way of allWays)
    expect({ way, taken: ways.taken.get(way) ?? 0 }).toEqual({
      way,
      taken: expect.toSatisfy((n: number) => n > numRuns / 12),
    })
  expect(counts.matching / counts.requests).toBeGreaterThan(0.4)
})

afterAll(() => {
  if (process.env['FUZZ_RUNS']) console.log(counts, ways?.taken)
})

function pageOf(answer: Answer, kind: RecordType): number[] {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return idsIn(answer, kind)
}
