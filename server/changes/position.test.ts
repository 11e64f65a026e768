import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/scratch.ts'
import { moveBy, newsAfter, type JournalRow } from './position.ts'

test('low_water goes to the newest mark below the snapshot, but not past what a full batch cut off', () => {
  const marks = [10, 20, 30].map((id) => ({ id, xid: 100 + id }))
  const changes = [12, 15].map((id) => ({ id }) as JournalRow)
  const reading = { low_water: 5, marks, changes }
  expect(moveBy({ ...reading, xmin: 110 }, 40, 500)).toMatchObject({ low: 5, marks })
  expect(moveBy({ ...reading, xmin: 111 }, 40, 500)).toMatchObject({
    low: 10,
    marks: marks.slice(1),
  })
  expect(moveBy({ ...reading, xmin: 125 }, 40, 500)).toMatchObject({
    low: 20,
    marks: marks.slice(2),
  })
  expect(moveBy({ ...reading, xmin: 125 }, 40, 2)).toMatchObject({ low: 15, marks: marks.slice(1) })
  expect(moveBy({ ...reading, xmin: 200 }, 40, 500)).toMatchObject({ low: 30, marks: [] })
  expect(moveBy({ ...reading, changes: [], xmin: 200 }, 40, 500)).toMatchObject({
    low: 30,
    marks: [],
  })
  const many = Array.from({ length: 16 }, (_, i) => ({ id: 10 + i, xid: 100 + i }))
  expect(moveBy({ ...reading, marks: many, xmin: 1 }, 40, 500).marks.map(({ id }) => id)).toEqual([
    10, 12, 14, 16, 18, 20, 22, 24,
  ])
})

test('reading looks at nothing that is handled', async () => {
  const scratch = await scratchDatabase()
  try {
    const { database } = scratch
    await database.rows(sql`
      insert into journal (account_id, entity_type, entity_id, actions, after, created_by, created_at)
      select 1, 'leads', n, '{add}', '{}', 0, 0 from generate_series(1, 20000) n`)
    await database.rows(sql`vacuum analyze journal`)
    await database.rows(sql`
      insert into followers (name, low_water, handled, system_identifier, updated_at)
      values ('test', 10, '{[11,5000),[5001,15001)}', '', 0)`)
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      const plan = await database.transaction(async (tx) => {
        await tx.rows(sql`select set_config('plan_cache_mode', ${mode}, true)`)
        return tx.list<{ 'QUERY PLAN': [{ Plan: Node }] }>(
          sql`explain (analyze, format json) ${newsAfter('test', 0, 500)}`,
        )
      })
      const scans = nodes(plan[0]!['QUERY PLAN'][0].Plan).filter(
        (node) => node['Relation Name'] === 'journal',
      )
      expect(scans.map((scan) => scan['Node Type'])).toEqual(['Index Scan'])
      // PostgreSQL before 18 shows rows per loop, rounded.
      expect(
        Math.abs(scans[0]!['Actual Rows'] * scans[0]!['Actual Loops'] - 501),
      ).toBeLessThanOrEqual(1)
      expect(scans[0]!['Rows Removed by Filter'] ?? 0).toBe(0)
    }
    const reading = await database.row<{ changes: JournalRow[] }>(newsAfter('test', 0, 500))
    expect(reading!.changes.map(({ id }) => id)).toEqual([
      5000,
      ...Array.from({ length: 499 }, (_, i) => 15001 + i),
    ])
  } finally {
    await scratch.drop()
  }
})

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

function nodes(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodes)]
}
