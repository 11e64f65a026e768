// Following pages while others write: no page repeats or omits a record that was unchanged from the
// first page to the last, for every way of finding pages, every filter and every order.
import sql, { raw } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { mainPipeline } from '../../../test/leads.ts'
import type { TestPipeline } from '../../../test/leads.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { watchWays, within } from '../../../test/lists/ways.ts'
import type { Bounds, TakenWay, Ways } from '../../../test/lists/ways.ts'
import { addRecord, addRecords, idsIn, pathOf } from '../../../test/records.ts'
import type { Field } from '../fields/definitions.ts'

/** Contacts and companies have no filters besides those of both. */
type Kind = 'leads' | 'customers'

let account: TestAccount
let seller: TestUser
let pipeline: TestPipeline
let statuses: number[]
let contact: number
/** A field of numbers and one of texts. */
const fields = {} as Record<Kind, [number: Field, text: Field]>
let ways: Ways

beforeAll(async () => {
  account = await newAccount()
  pipeline = await mainPipeline(account)
  seller = await account.addUser({
    rights: { leads: { view: 'M', edit: 'M', add: 'A', delete: 'M' } },
  })
  for (const kind of ['leads', 'customers'] as const)
    fields[kind] = (await addFields(account, kind, ['numeric', 'text'])).slice(-2) as [Field, Field]
  const found = await account.api.get('/api/v4/customers/statuses')
  statuses = found.body._embedded.statuses.map(({ id }: { id: number }) => id)
  contact = await addRecord(account.api, 'contacts', { name: 'Needle' })
  ways = watchWays(account.kontor.database)
})

const priced = (kind: Kind, price: number) =>
  kind === 'leads' ? { price } : { next_price: price, next_date: price }

const inStatus = (kind: Kind, index: number) => ({
  status_id: (kind === 'leads' ? pipeline.statuses : statuses)[index],
})

/** A record that every filter of these tests matches; the other record matches none. */
const fitting = (kind: Kind, index: number) => ({
  name: 'needle',
  ...priced(kind, 5 + (index % 3)),
  created_at: 1e3 + (index % 5),
  updated_at: 9e3 + (index % 4),
  responsible_user_id: seller.id,
  ...inStatus(kind, 1),
  custom_fields_values: [
    { field_id: fields[kind][0].id, values: [{ value: 7 + (index % 2) }] },
    { field_id: fields[kind][1].id, values: [{ value: 'Straw' }] },
  ],
})
const unfitting = (kind: Kind) => ({
  name: 'hay',
  ...priced(kind, 1),
  created_at: 1002,
  updated_at: 9002,
})

type Filters = [name: string, query: () => string][]

const leadFilters: Filters = [
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
  ['a number of its own', () => `filter[custom_fields_values][${fields.leads[0].id}][from]=7`],
  ['a text of its own', () => `filter[custom_fields_values][${fields.leads[1].id}][]=straw`],
  ['a search', () => 'query=eedle'],
]
const customerFilters: Filters = [
  ['next prices', () => 'filter[next_price][from]=5&filter[next_date][from]=5'],
  ['a status', () => `filter[status_id]=${statuses[1]}`],
  ['a text of its own', () => `filter[custom_fields_values][${fields.customers[1].id}][]=straw`],
]
const orders = [
  'order[id]=desc',
  'order[created_at]=asc',
  'order[created_at]=desc',
  'order[updated_at]=asc',
  '',
]
const steps: [TakenWay, Partial<Bounds>][] = [
  ['lookUp', {}],
  ['window', { smallSet: 0 }],
  ['middle', { smallSet: 0, windowRows: 0, costlyWindowRows: 0 }],
  ['plain', { smallSet: 0, windowRows: 0, costlyWindowRows: 0, mediumSet: 0 }],
]

const casesOf = (kind: Kind, filters: Filters) =>
  filters.flatMap(([name, query]) =>
    steps.map(([way, bounds]) => ({ kind, name, query, way, bounds })),
  )
const cases = [...casesOf('leads', leadFilters), ...casesOf('customers', customerFilters)]

test.for(cases.map((each, index) => ({ ...each, place: index })))(
  '$kind by $name on the way $way',
  async ({ kind, query, bounds, place: index }) => {
    const mine = [orders[index % orders.length]!, orders[(index + 2) % orders.length]!]
    await within(bounds, async () => {
      await expectWholeWalk(
        kind,
        [query(), mine[0]].filter(Boolean).join('&'),
        'next',
        account.admin,
      )
      await expectWholeWalk(kind, [query(), mine[1]].filter(Boolean).join('&'), 'page', seller)
    })
  },
)

test('all ways were walked', () => {
  for (const [way] of steps) expect([way, (ways.taken.get(way) ?? 0) > 20]).toEqual([way, true])
})

/**
 * Follows pages of five. Between them records are created and deleted, begin and cease to match, and
 * lose their links. The records that always match come once each.
 */
async function expectWholeWalk(
  kind: Kind,
  query: string,
  by: 'next' | 'page',
  walker: TestUser,
): Promise<void> {
  const add = (length: number, draftAt: (place: number) => object) =>
    addRecords(
      account.api,
      kind,
      Array.from({ length }, (_, index) => draftAt(index)),
    )
  const stays = await add(18, (index) => fitting(kind, index))
  const goes = await add(16, (index) => fitting(kind, index))
  const comes = await add(12, () => ({ ...unfitting(kind), responsible_user_id: seller.id }))
  const seen: number[] = []
  let next: string | undefined = `${pathOf(kind)}?${query}&limit=5&page=1&with=contacts`
  for (let page = 1; next; page++) {
    const pending: Promise<Answer> = walker.api.get(next)
    if (page <= 4) await disturb(kind, goes.splice(0, 4), comes.splice(0, 3))
    const answer = await pending
    ways.last()
    expect(answer.status).toBe(200)
    seen.push(...idsIn(answer, kind).filter((id) => stays.includes(id)))
    const { next: link } = answer.body._links
    next = link && (by === 'next' ? link.href : next.replace(/page=\d+/, `page=${page + 1}`))
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(stays)
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update ${raw(kind)} set is_deleted = true where account_id = ${account.id}`),
  )
}

/** Writes in parallel, as several users would. */
async function disturb(
  kind: Kind,
  [deleted, moved, renamed, cleared]: number[],
  [fits, linked, touched]: number[],
): Promise<void> {
  const { api } = account
  const path = pathOf(kind)
  const answers = await Promise.all([
    api.delete(`${path}/${deleted}`),
    api.patch(path, [
      { id: moved, created_at: 1, updated_at: 1 },
      {
        id: renamed,
        ...unfitting(kind),
        responsible_user_id: account.admin.id,
        ...inStatus(kind, 0),
      },
      {
        id: cleared,
        custom_fields_values: fields[kind].map(({ id }) => ({ field_id: id, values: null })),
        name: 'x',
        ...priced(kind, 0),
      },
    ]),
    api.patch(path, [
      { id: fits, ...fitting(kind, 3) },
      { id: touched, ...priced(kind, 6), updated_at: 9003 },
    ]),
    api.patch(path, [{ id: linked, name: 'Needles', created_at: 5000 }]),
    addRecords(api, kind, [
      { ...fitting(kind, 1), created_at: 1, updated_at: 1 },
      { ...fitting(kind, 2), _embedded: { contacts: [{ id: contact }] } },
    ]),
  ])
  expect(answers.flatMap((each) => ('status' in each ? [each.status] : []))).toEqual([
    204, 200, 200, 200,
  ])
}
