// The rows that counts of trigrams and blocks of texts read.
import { blocking, keepBlocks } from '../../server/records/search/text-blocks.ts'
import { admin } from '../actor.ts'
import { countAll } from '../lists/trigrams.ts'
import { first, read } from '../plans.ts'
import { orders, plans, scratch, seeing } from './fixture.ts'
import { lowBounds, pagesRead, planOf, rowsOf } from './judge.ts'
import { default as sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The tests of these plans. */
export function searchPlans(): void {
  describe('counted trigrams', () => {
    beforeAll(() => countAll(scratch.database))
    afterAll(() => scratch.database.list(sql`truncate common_trigrams`))

    test.for(pagesRead)(
      'a rare word is looked up by its rare trigrams alone, %s',
      async (matching) => {
        const { way, steps } = await planOf({ query: 'needle' }, admin, first, matching)
        const lists = steps.filter(
          (step) =>
            step['Node Type'] === 'Bitmap Index Scan' && step['Index Cond']?.includes('grams'),
        )
        const executed = lists.filter((step) => step['Actual Loops'] > 0)
        expect(way).toBe('lookUp')
        expect(executed.length).toBeGreaterThan(0)
        for (const step of executed) expect(step['Index Cond']).not.toContain('account_id')
        expect(read(steps, /^record_texts/)).toBeLessThanOrEqual(lowBounds.smallSet)
        plans.judge(steps, lowBounds.smallSet)
      },
    )
  })

  describe('blocks of search texts', () => {
    beforeAll(async () => {
      expect(await keepBlocks(scratch.database)).toBe(true)
      await scratch.database.list(sql`vacuum analyze text_blocks`)
    })
    afterAll(() => scratch.database.list(sql`truncate text_blocks, blocked_texts`))

    test.for(
      ['dl', 'ee ra'].flatMap((query) =>
        orders.flatMap((order) => pagesRead.map((matching) => [query, order, matching] as const)),
      ),
    )('rare words of two characters, %s, %j, %s', async ([query, order, matching]) => {
      const { way, steps } = await planOf(
        { query, ...(order && { order }) },
        admin,
        first,
        matching,
      )
      const [scan, ...others] = steps.filter((step) =>
        step['Index Name']?.startsWith('text_blocks_of_leads'),
      )
      expect([way, scan?.['Node Type'], others]).toEqual(['lookUp', 'Bitmap Index Scan', []])
      expect(rowsOf(scan!)).toBe(40)
      expect(read(steps, /^(text_blocks.*|journal)$/)).toBeLessThanOrEqual(40)
      // The texts at both ends of each type that is asked, and those of the blocks.
      expect(read(steps, /^record_texts/)).toBeLessThanOrEqual(3 * 200 + 8 * 40)
      expect(read(steps, /^leads$/)).toBeLessThanOrEqual(2 * 40)
    })

    // The eight leads of a block have eight users, and all words of 40 leads are those of one.
    test.for(pagesRead)(
      'the own records of a user in the blocks of a common word, %s',
      async (matching) => {
        const { way, steps } = await planOf(
          { query: 'dl' },
          seeing('M', { userId: 5 }),
          first,
          matching,
        )
        expect(way).toBe('lookUp')
        expect(steps.map((step) => step['Index Name'])).toContain('leads_by_responsible')
        // The texts of both ends, once for each type; all texts of the blocks would be 320 more.
        expect(read(steps, /^record_texts_of_leads$/)).toBeLessThanOrEqual(3 * 200 + 40)
      },
    )

    test.for(pagesRead)('a short word beside a common one, %s', async (matching) => {
      const { way, steps } = await planOf({ query: 'dl city' }, admin, first, matching)
      expect(way).toBe('lookUp')
      expect(read(steps, /^record_texts/)).toBeLessThanOrEqual(3 * 200 + 8 * 40)
    })

    test.for(orders.flatMap((order) => pagesRead.map((matching) => [order, matching] as const)))(
      'records are tested by blocks where these are many, %j, %s',
      async ([order, matching]) => {
        const usual = { ...blocking }
        Object.assign(blocking, { mostBlocks: 10 })
        const { steps } = await planOf(
          { query: 'dl', ...(order && { order }) },
          admin,
          first,
          matching,
        )
        Object.assign(blocking, usual)
        expect(steps.some((step) => step['Index Name']?.startsWith('text_blocks_of_leads'))).toBe(
          true,
        )
        // Counted once, and read by each of two statements.
        expect(read(steps, /^text_blocks/)).toBeLessThanOrEqual(3 * 40)
      },
    )
  })
}
