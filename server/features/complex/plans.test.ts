// The look-ups of duplicate control use indexes, and cost no more where many contacts share a phone
// or a contact has very many leads. Proved by the plans of its statements, on 20,000 contacts and
// leads beside a smaller account.
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, plansOn, read } from '../../../test/plans.ts'
import type { Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import type { Actor } from '../../access/actor.ts'
import { fullRights } from '../../access/rights.ts'
import { companiesOf, contactsLike, openLeads } from './queries.ts'

let scratch: Scratch
let { explain, explainNamed, judge } = {} as Plans
const phone = 7

// Contact n has the phones n and 0, every lead also belongs to contact 11, every second lead is
// won.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'other', 'Other', 0, 0)`)
    await tx.list(
      sql`insert into pipelines (account_id, id, name, sort, is_main) values (1, 1, 'One', 1, true)`,
    )
    await tx.list(sql`
      insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
      values (1, 40, 1, 'In', 1, '', 1), (1, 50, 1, 'Open', 2, '', 0), (1, 142, 1, 'Won', 3, '', 0)`)
    await tx.list(sql`
      insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by,
                            created_at, updated_at)
      select account, n * 10 + account, 'Ann', '', '', n % 20 + 1, n % 5, 1, 1, n, n
        from generate_series(1, 2) account, generate_series(1, 20000) n where account = 1 or n <= 5000`)
    await tx.list(sql`
      insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select account, ${phone}, 'contacts', value, n * 10 + account
        from generate_series(1, 2) account, generate_series(1, 20000) n, lateral (values ('0'), (n::text)) phone(value)
       where account = 1 or n <= 5000`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at)
      select account, n * 10 + account, 'Lead', 0, n % 20 + 1, n % 5, 1, case n % 2 when 0 then 142 else 50 end, 1, 1, n, n
        from generate_series(1, 2) account, generate_series(1, 20000) n where account = 1 or n <= 5000`)
    await tx.list(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id)
      select distinct 1, either.*
        from generate_series(1, 20000) n, lateral (values (n * 10 + 1), (11)) contact(id),
             lateral (values ('contacts', contact.id, 'leads', n * 10 + 1), ('leads', n * 10 + 1, 'contacts', contact.id)) either`)
  })
  for (const table of ['contacts', 'leads', 'links', 'field_texts', 'statuses'])
    await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ explain, explainNamed, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const own = { view: 'M', edit: 'M' } as const
const seller: Actor = {
  ...admin,
  isAdmin: false,
  userId: 5,
  rights: {
    ...fullRights,
    leads: {
      ...fullRights.leads,
      ...own,
    },
    contacts: {
      ...fullRights.contacts,
      ...own,
    },
  },
}
const keys = (...values: string[]) =>
  values.map((value, place) => ({ place, field_id: phone, value }))
const places = (count: number) => Array.from({ length: count }, (_, place) => place)

test.for([
  ['an administrator', admin],
  ['a seller', seller],
] as const)('contacts with a phone, for %s', async ([, actor]) => {
  const rare = await explain(contactsLike(actor, keys('5'), [0]))
  judge(rare, 1)
  expect(read(rare, /field_texts/, /contacts/)).toBeLessThanOrEqual(4)
  const many = Array.from({ length: 50 }, (_, place) => String(place + 100))
  const batch = await explain(contactsLike(actor, keys(...many), places(50)))
  judge(batch, 50)
  expect(read(batch, /field_texts/, /contacts/)).toBeLessThanOrEqual(200)
  const common = await explain(contactsLike(actor, keys('0'), [0]))
  judge(common, 100)
  expect(read(common, /field_texts/, /contacts/)).toBeLessThanOrEqual(300)
})

test('four contacts of each item at most are answered', async () => {
  const { database } = scratch
  const found = await database.list<{ place: number }>(
    contactsLike(admin, keys('0', '5', 'no'), places(3)),
  )
  expect(found.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 1])
})

test.for([
  ['an administrator', admin],
  ['a seller', seller],
] as const)(
  'the newest open lead of a contact, of two leads and of 20,000, for %s',
  async ([, actor]) => {
    const few = await explain(openLeads(actor, [51], [1]))
    judge(few, 2)
    expect(read(few, /links/, /leads/)).toBeLessThanOrEqual(4)
    const many = await explain(openLeads(actor, [11], [1]))
    judge(many, 500)
    expect(read(many, /links/, /leads/)).toBeLessThanOrEqual(1000)
    judge(await explain(openLeads(actor, [11], [1], [11, 21])), 500)
  },
)

test('the companies of leads', async () => {
  judge(await explain(companiesOf(admin, 'leads', [11, 21])), 2)
})

test('so it is once PostgreSQL no longer looks at the values', async () => {
  for (const actor of [admin, seller]) {
    for (const statement of [
      contactsLike(actor, keys('5'), [0]),
      openLeads(actor, [11], [1]),
      openLeads(actor, [11], [1], [11]),
      companiesOf(actor, 'leads', [11]),
    ]) {
      const steps = await explainNamed(statement)
      const scanned = steps
        .filter((step) => step['Node Type'] === 'Seq Scan')
        .map((step) => step['Relation Name'])
      // A few statuses and companies are read faster without an index.
      expect(scanned.filter((table) => table !== 'statuses' && table !== 'companies')).toEqual([])
    }
  }
})
