// Following pages while others write: no page repeats or omits a record that was unchanged from the
// first page to the last, for every way of finding pages, every filter and every order.
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { mainPipeline } from '../../../test/leads.ts'
import type { TestPipeline } from '../../../test/leads.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { watchWays, within } from '../../../test/lists/ways.ts'
import type { Bounds, TakenWay, Ways } from '../../../test/lists/ways.ts'
import { addRecord, addRecords, idsIn } from '../../../test/records.ts'
import type { Field } from '../fields/definitions.ts'

let account: TestAccount
let seller: TestUser
let pipeline: TestPipeline
let number: Field
let text: Field
let contact: number
let ways: Ways

beforeAll(async () => {
  account = await newAccount()
  pipeline = await mainPipeline(account)
  seller = await account.addUser({
    rights: { leads: { view: 'M', edit: 'M', add: 'A', delete: 'M' } },
  })
  ;[number, text] = (await addFields(account, 'leads', ['numeric', 'text'])).slice(-2) as [
    Field,
    Field,
  ]
  contact = await addRecord(account.api, 'contacts', { name: 'Needle' })
  ways = watchWays(account.kontor.database)
})

/** A lead that every filter of these tests matches; the other lead matches none. */
const fitting = (place: number) => ({
  name: 'needle',
  price: 5 + (place % 3),
  created_at: 1e3 + (place % 5),
  updated_at: 9e3 + (place % 4),
  responsible_user_id: seller.id,
  status_id: pipeline.statuses[1],
  custom_fields_values: [
    {
      field_id: number.id,
      values: [{ value: 7 + (place % 2) }],
    },
    {
      field_id: text.id,
      values: [{ value: 'Straw' }],
    },
  ],
})
const unfitting = { name: 'hay', price: 1, created_at: 1002, updated_at: 9002 }

const filters: [name: string, query: () => string][] = [
  ['nothing', () => ''],
  ['a name', () => 'filter[name]=needle'],
  ['prices', () => 'filter[price][from]=5'],
  [
    'a status',
    () =>
      `filter[statuses][0][pipeline_id]=${pipeline.id}&filter[statuses][0][status_id]=${pipeline.statuses[1]}`,
  ],
  ['a time of creation', () => 'filter[created_at][from]=1000&filter[created_at][to]=1004'],
  [
    'a responsible user and prices',
    () => `filter[responsible_user_id]=${seller.id}&filter[price][from]=5`,
  ],
  ['a number of its own', () => `filter[custom_fields_values][${number.id}][from]=7`],
  ['a text of its own', () => `filter[custom_fields_values][${text.id}][]=straw`],
  ['a search', () => 'query=eedle'],
]
const orders = [
  'order[id]=desc',
  'order[created_at]=asc',
  'order[created_at]=desc',
  'order[updated_at]=asc',
  '',
]
const steps: [TakenWay, Partial<Bounds>][] = [
  ['driven', {}],
  ['window', { few: 0 }],
  ['middle', { few: 0, windowRows: 0, costlyWindowRows: 0 }],
  ['plain', { few: 0, windowRows: 0, costlyWindowRows: 0, middling: 0 }],
]

const cases = filters.flatMap(([name, query]) =>
  steps.map(([way, bounds]) => ({ name, query, way, bounds })),
)

test.for(cases.map((each, place) => ({ ...each, place })))(
  'leads by $name on the way $way',
  async ({ query, bounds, place }) => {
    const mine = [orders[place % orders.length]!, orders[(place + 2) % orders.length]!]
    await within(bounds, async () => {
      await walk([query(), mine[0]].filter(Boolean).join('&'), 'next', account.admin)
      await walk([query(), mine[1]].filter(Boolean).join('&'), 'page', seller)
    })
  },
)

test('all ways were walked', () => {
  for (const [way] of steps) expect([way, (ways.taken.get(way) ?? 0) > 20]).toEqual([way, true])
})

/**
 * Follows pages of five. Between them leads are created and deleted, begin and cease to match, and
 * lose their links.
 */
async function walk(query: string, by: 'next' | 'page', walker: TestUser): Promise<void> {
  const { api } = account
  const stays = await addRecords(
    api,
    'leads',
    Array.from({ length: 18 }, (_, place) => fitting(place)),
  )
  const goes = await addRecords(
    api,
    'leads',
    Array.from({ length: 16 }, (_, place) => fitting(place)),
  )
  const comes = await addRecords(
    api,
    'leads',
    Array.from({ length: 12 }, () => ({ ...unfitting, responsible_user_id: seller.id })),
  )
  const seen: number[] = []
  let next: string | undefined = `/api/v4/leads?${query}&limit=5&page=1&with=contacts`
  for (let page = 1; next; page++) {
    const pending: Promise<Answer> = walker.api.get(next)
    if (page <= 4) await disturb(goes.splice(0, 4), comes.splice(0, 3))
    const answer = await pending
    ways.last()
    expect(answer.status).toBe(200)
    seen.push(...idsIn(answer, 'leads').filter((id) => stays.includes(id)))
    const { next: link } = answer.body._links
    next = link && (by === 'next' ? link.href : next.replace(/page=\d+/, `page=${page + 1}`))
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(stays)
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update leads set is_deleted = true where account_id = ${account.id}`),
  )
}

/** Writes in parallel, as several users would. */
async function disturb(
  [deleted, moved, renamed, cleared]: number[],
  [fits, linked, touched]: number[],
): Promise<void> {
  const { api } = account
  const answers = await Promise.all([
    api.delete(`/api/v4/leads/${deleted}`),
    api.patch('/api/v4/leads', [
      { id: moved, created_at: 1, updated_at: 1 },
      {
        id: renamed,
        ...unfitting,
        responsible_user_id: account.admin.id,
        status_id: pipeline.statuses[0],
      },
      {
        id: cleared,
        custom_fields_values: [number, text].map(({ id }) => ({ field_id: id, values: null })),
        name: 'x',
        price: 0,
      },
    ]),
    api.patch('/api/v4/leads', [
      { id: fits, ...fitting(3) },
      { id: touched, price: 6, updated_at: 9003 },
    ]),
    api.patch('/api/v4/leads', [{ id: linked, name: 'Needles', created_at: 5000 }]),
    addRecords(api, 'leads', [
      { ...fitting(1), created_at: 1, updated_at: 1 },
      { ...fitting(2), _embedded: { contacts: [{ id: contact }] } },
    ]),
  ])
  expect(answers.flatMap((each) => ('status' in each ? [each.status] : []))).toEqual([
    204, 200, 200, 200,
  ])
}
