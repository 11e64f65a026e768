// What lists under limited rights read of 50,000 leads: 25 users in 5 groups, ten stages, one of them rare.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { leads } from '../features/leads/leads.ts'
import { eventList } from '../features/events/queries.ts'
import type { Actor } from './actor.ts'
import { serverItself } from './standing.ts'
import { normalise } from './rights.ts'
import type { RightsDraft } from './rights.ts'
import { noFields } from '../records/fields/definitions.ts'
import { listRequestOf } from '../records/lists/find.ts'
import { recordList } from '../records/lists/pages.ts'
import { may } from './record-rights.ts'
import type { RecordQuery } from '../records/schema.ts'

let account: TestAccount
const users = Array.from({ length: 25 }, (_, place) => 1_000_000 + place)
const rare = { pipeline_id: 7, status_id: 999 }

beforeAll(async () => {
  account = await newAccount()
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into leads (account_id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at)
      select ${account.id}::bigint, 'Lead', number, ${users[0]}::bigint + number % 25, number % 25 / 5, 7,
             case when number % 2500 = 0 then 999 else 100 + number % 9 end, 0, 0, number, number
        from generate_series(1, 50000) number`),
  )
  await account.kontor.database.list(sql`analyze leads`)
})

interface Node {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Parent Relationship'?: string
  'Relation Name'?: string
  Plans?: Node[]
}

async function planOf(
  statement: Sql,
): Promise<{ indexes: string[]; types: string[]; read: number }> {
  const [row] = await account.kontor.database.list<{ 'QUERY PLAN': { Plan: Node }[] }>(
    sql`explain (analyze, timing off, format json) ${statement}`,
  )
  const nodes: Node[] = []
  // What is done for each row that is shown (its tags, its links) has sorts of its own.
  const inside = new Set<Node>()
  const walk = (node: Node, isInside: boolean) => {
    if (node['Actual Loops'] === 0) return
    nodes.push(node)
    const within = isInside || node['Parent Relationship'] === 'SubPlan'
    if (within) inside.add(node)
    for (const each of node.Plans ?? []) walk(each, within)
  }
  walk(row!['QUERY PLAN'][0]!.Plan, false)
  if (process.env['SHOW'])
    console.log(
      JSON.stringify(
        nodes.map(({ Plans: _, ...node }) => node),
        null,
        1,
      ),
    )
  const read = nodes
    .filter((node) => node['Node Type'].includes('Scan'))
    .map(
      (node) =>
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    )
    .reduce((sum, rows) => sum + rows, 0)
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    types: nodes.filter((node) => !inside.has(node)).map((node) => node['Node Type']),
    read,
  }
}

function actorWith(rights: RightsDraft, place: Partial<Actor> = {}): Actor {
  return {
    ...serverItself(account.id, 0),
    isAdmin: false,
    userId: users[3]!,
    groupId: 2,
    rights: normalise(rights),
    ...place,
  }
}

const list = (actor: Actor, query: RecordQuery = {}) =>
  recordList(leads, actor, 'http://x', listRequestOf(leads, actor, query, noFields), {
    after: undefined,
    offset: 0,
    limit: 51,
  })

const status = (letter: 'A' | 'D', place = rare) => [
  {
    entity_type: 'leads' as const,
    ...place,
    rights: { view: letter, edit: letter, delete: letter },
  },
]

/** Rights for the rare status and for one in each of forty other pipelines. */
const many = (letter: 'A' | 'D') => [
  ...status(letter),
  ...Array.from({ length: 40 }, (_, place) =>
    status(letter, { pipeline_id: 1000 + place, status_id: 5000 + place }),
  ).flat(),
]

// Each row shown costs a few look-ups besides: the group of who is responsible, linked companies.
const page = 51 * 5

test.each<[name: string, actor: () => Actor, index: string, read: number]>([
  ['an administrator', () => ({ ...actorWith({}), isAdmin: true }), 'leads_pkey', page],
  ['own leads only', () => actorWith({ leads: { view: 'M' } }), 'leads_by_responsible', page],
  [
    'own leads only, of which there are none',
    () => actorWith({ leads: { view: 'M' } }, { userId: 5 }),
    'leads_by_responsible',
    10,
  ],
  ['leads of the group', () => actorWith({ leads: { view: 'G' } }), 'leads_by_group', page],
  [
    'all leads but a rare status',
    () => actorWith({ leads: { view: 'A' }, status_rights: status('D') }),
    'leads_pkey',
    page,
  ],
  [
    'all leads but a common status',
    () =>
      actorWith({
        leads: { view: 'A' },
        status_rights: status('D', { pipeline_id: 7, status_id: 103 }),
      }),
    ...(['leads_pkey', page + 51] as const),
  ],
  [
    'own leads but those of a status',
    () =>
      actorWith({
        leads: { view: 'M' },
        status_rights: status('D', { pipeline_id: 7, status_id: 103 }),
      }),
    ...(['leads_by_responsible', page + 51] as const),
  ],
  [
    'a rare status only',
    () => actorWith({ leads: { view: 'D' }, status_rights: status('A') }),
    'leads_by_status',
    page,
  ],
  [
    'a rare status and those of many pipelines',
    () => actorWith({ leads: { view: 'D' }, status_rights: many('A') }),
    ...(['leads_by_status', page] as const),
  ],
  [
    'all leads but those of many pipelines',
    () => actorWith({ leads: { view: 'A' }, status_rights: many('D') }),
    'leads_pkey',
    page,
  ],
  [
    'own leads and those of many pipelines',
    () => actorWith({ leads: { view: 'M' }, status_rights: many('A') }),
    '',
    50_000 / 25 + page * 4,
  ],
  // Both kinds are found by their index, and sorted; 25 times fewer than all leads.
  [
    'own leads and a rare status',
    () => actorWith({ leads: { view: 'M' }, status_rights: status('A') }),
    '',
    50_000 / 25 + page * 4,
  ],
])('the list for %s reads what it shows', async (_name, actor, index, most) => {
  const plan = await planOf(list(actor()))
  expect(plan.types).not.toContain('Seq Scan')
  if (index) {
    expect(plan.indexes).toContain(index)
    expect(plan.types.filter((type) => /Sort/.test(type) && index !== 'leads_by_status')).toEqual(
      [],
    )
  }
  expect(plan.read).toBeLessThanOrEqual(most)
})

test.each<[RightsDraft['leads'], 'A' | 'D']>([
  [{ view: 'D' }, 'A'],
  [{ view: 'A' }, 'D'],
  [{ view: 'M' }, 'A'],
])(
  'the text of a condition does not grow with the pipelines that rights name: %j, %s',
  (leads, letter) => {
    const text = (status_rights: RightsDraft['status_rights']) =>
      may(actorWith({ leads, status_rights }), 'leads', 'view').text
    expect(text(many(letter))).toBe(text(status(letter)))
  },
)

test('while somebody is on the move, the list of a group is found by its users', async () => {
  const actor = actorWith({ leads: { view: 'G' } }, { groupMembers: users.slice(10, 15) })
  const plan = await planOf(list(actor))
  expect(plan.types).not.toContain('Seq Scan')
  expect(plan.read).toBeLessThanOrEqual(page * 5)
})

test('a filter keeps its index under limited rights', async () => {
  const actor = actorWith({ leads: { view: 'M' } })
  const plan = await planOf(list(actor, { filter: { name: ['Nobody'] } }))
  expect(plan.indexes).toContain('leads_by_name')
})

test('events are read from the newest on, with one look at each record', async () => {
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select account_id, ulid_time(1700000000000 + id) || lpad(to_hex(id), 16, '0'), 'lead_added', 'lead', id, 0, 0, '[]', '[]'
        from leads where account_id = ${account.id}`),
  )
  await account.kontor.database.list(sql`analyze events`)
  const actor = actorWith({ leads: { view: 'A' }, status_rights: status('D') })
  const plan = await planOf(
    eventList(actor, 'http://x', { after: undefined, offset: 0, limit: 51 }),
  )
  expect(plan.read).toBeLessThanOrEqual(page)
})
