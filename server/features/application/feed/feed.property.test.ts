// Paging through a feed, up and down, with any limit, kinds, words and records, yields each item exactly
// once and in order: it equals a plain sort of all items that the reference reads from the tables.
// `FUZZ_SEED` changes the requests, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addChat, addMessages, newInbox } from '../../../../test/inbox.ts'
import { link, to } from '../../../../test/links.ts'
import { addNote, addNotes, text } from '../../../../test/notes.ts'
import { addRecord } from '../../../../test/records.ts'
import { singular } from '../../../entity-types.ts'
import { feedParts } from './schema.ts'
import type { FeedPage } from './schema.ts'
import { feedBounds } from './feed.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_123)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)
const past = 1_600_000_000
const words = ['pump', 'valve', 'hose'] as const

interface Item {
  key: string
  at: number
  rank: number
  id: string
  part: (typeof feedParts)[number]
  text: string
  /** The record that it belongs to, or those of its chat, as `leads 7`. */
  owners: string[]
}

/** The records whose feeds are paged through. They are all linked with each other. */
const roots = ['contacts', 'companies', 'customers', 'leads'] as const
type Root = (typeof roots)[number]

let account: TestAccount
let ids: Record<Root, number>
/** The records whose items the feed of a root has, and those of which it has only the chats. */
let covered: Record<Root, { items: string[]; chats: string[] }>
let items: Item[]

beforeAll(async () => {
  account = await newAccount()
  const { api, id: accountId, kontor } = account
  const contact = await addRecord(api, 'contacts', { name: 'Ann' })
  const company = await addRecord(api, 'companies', { name: 'Acme' })
  const customer = await addRecord(api, 'customers', { name: 'Buyer' })
  const leads: number[] = []
  for (const name of ['One', 'Two', 'Three']) leads.push(await addRecord(api, 'leads', { name }))
  ids = { contacts: contact, companies: company, customers: customer, leads: leads[0]! }
  const deals = [...leads.map((id) => to('leads', id)), to('customers', customer)]
  await link(api, 'contacts', contact, ...deals)
  await link(api, 'companies', company, to('contacts', contact), ...deals)
  const [ofContact, ofCompany, ofCustomer] = (['contacts', 'companies', 'customers'] as const).map(
    (type) => `${type} ${ids[type]}`,
  ) as [string, string, string]
  const ofDeals = [...leads.map((id) => `leads ${id}`), ofCustomer]
  covered = {
    contacts: { items: [ofContact, ...ofDeals], chats: [] },
    companies: { items: [ofCompany, ofContact, ...ofDeals], chats: [] },
    customers: { items: [ofCustomer], chats: [ofContact] },
    leads: { items: [ofDeals[0]!], chats: [ofContact] },
  }
  const records = [
    { type: 'contacts', id: contact },
    { type: 'leads', id: leads[0]! },
    { type: 'leads', id: leads[1]! },
    { type: 'companies', id: company },
    { type: 'leads', id: leads[2]! },
    { type: 'customers', id: customer },
  ] as const
  const of = (n: number) => records[n % records.length]!
  const says = (n: number) => `${words[n % 3]} ${n % 5 === 0 ? words[(n + 1) % 3] : ''}`
  for (let n = 0; n < 48; n++) {
    const draft = n % 4 === 0 ? callOf(n) : text(says(n))
    const at = { created_at: past + Math.floor(n / 6) }
    await addNotes(api, of(n).type, of(n).id, [{ ...draft, ...at }])
  }
  await api.post(
    '/api/v4/tasks',
    Array.from({ length: 24 }, (_, n) => ({
      text: says(n),
      complete_till: past,
      entity_type: of(n).type,
      entity_id: of(n).id,
      is_completed: n % 7 !== 0,
      updated_at: past + Math.floor(n / 4),
      ...(n % 2 === 0 && { result: { text: words[(n + 2) % 3] } }),
    })),
  )
  const inbox = await newInbox(account)
  for (const [index, chat] of [
    await addChat(inbox, { contact_id: contact }),
    await addChat(inbox, { contact_id: contact, entity: { type: 'leads', id: leads[0]! } }),
    await addChat(inbox, { entity: { type: 'leads', id: leads[1]! } }),
    await addChat(inbox, { entity: { type: 'customers', id: customer } }),
  ].entries())
    await addMessages(
      inbox,
      chat,
      Array.from({ length: 10 }, (_, n) => ({
        at: past * 1000 + 999 * Math.floor(n / 3) + index,
        text: says(n),
        is_outgoing: n % 2 === 0,
      })),
    )
  // Changes at the milliseconds of other items, and among many that notes tell.
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${accountId}, ulid_time(${past * 1000}::bigint + n / 8 * 333) || lpad(to_hex(n), 16, '0'),
             case when n % 5 = 0 then 'name_field_changed' else 'common_note_added' end,
             (${records.map(({ type }) => singular[type])}::text[])[n % 6 + 1], (${records.map(({ id }) => id)}::bigint[])[n % 6 + 1], 1, ${past},
             case when n % 5 = 0 then '[{"name_field_value":{"name":"a"}}]' else '[]' end::jsonb,
             case when n % 5 = 0 then '[{"name_field_value":{"name":"b"}}]' else '[{"note":{"id":1}}]' end::jsonb
        from generate_series(1, 150) n`),
  )
  items = await reference(accountId)
  expect(items.length).toBeGreaterThan(110)
})

const callOf = (n: number) => ({
  note_type: 'call_in',
  params: { duration: 1, source: 'pbx', phone: `${words[n % 3]}` },
})

/** All items, read plainly and sorted in memory. */
async function reference(accountId: number): Promise<Item[]> {
  const rows = await account.kontor.database.list<Item>(sql`
    select 'note ' || id as key, created_at * 1000 + 999 as at, 1 as rank, id::text as id,
           case when note_type = 'call_in' then 'calls' else 'notes' end as part,
           coalesce(params ->> 'text', params ->> 'phone') as text, array[entity_type || ' ' || entity_id] as owners
      from notes where account_id = ${accountId} and note_type <> 'entity_added'
     union all
    select 'task ' || id, completed_at * 1000 + 999, 2, id::text, 'tasks', text || ' ' || coalesce(result, ''), array[entity_type || ' ' || entity_id]
      from tasks where account_id = ${accountId} and is_completed
     union all
    select 'message ' || message.id, msec_timestamp, 3, message.id::text, 'messages', text,
           array_remove(array['contacts ' || chat.contact_id, chat.entity_type || ' ' || chat.entity_id], null)
      from messages message join chats chat on chat.account_id = message.account_id and chat.id = message.chat_id
     where message.account_id = ${accountId}
     union all
    select 'event ' || id, 0, 0, id, 'changes', '',
           array[case entity_type when 'company' then 'companies' else entity_type || 's' end || ' ' || entity_id]
      from events where account_id = ${accountId} and type <> all(${[
        'common_note_added',
        'incoming_call',
      ]}::text[])`)
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  const timeOf = (id: string) =>
    Array.from(id.slice(0, 10)).reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
  return rows
    .map((row) => ({ ...row, at: row.rank === 0 ? timeOf(row.id) : row.at }))
    .toSorted(
      (a, b) =>
        a.at - b.at ||
        a.rank - b.rank ||
        (a.rank === 0 ? (a.id < b.id ? -1 : 1) : Number(a.id) - Number(b.id)),
    )
}

const searches = fc.record({
  root: fc.constantFrom(...roots),
  limit: fc.integer({ min: 1, max: 9 }),
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...feedParts), { minLength: 1 })),
  query: fc.option(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 })),
  only: fc.boolean(),
  firstRows: fc.constantFrom(1, 40, 400),
  rounds: fc.constantFrom(1, 3),
})
type FeedSearch = typeof searches extends fc.Arbitrary<infer Its> ? Its : never

function expected({ root, kinds, query, only }: FeedSearch): string[] {
  const own = `${root} ${ids[root]}`
  const all = only ? { items: [own], chats: [] } : covered[root]
  const ofMessages = new Set([...all.items, ...all.chats])
  return items
    .filter(({ part, owners }) =>
      part === 'messages'
        ? owners.some((owner) => ofMessages.has(owner))
        : all.items.includes(owners[0]!),
    )
    .filter(({ part }) => !kinds || kinds.includes(part))
    .filter(
      ({ part, text }) =>
        !query || (part !== 'changes' && query.every((word) => text.includes(word))),
    )
    .map(({ key }) => key)
}

async function page(
  { root, limit, kinds, query, only }: FeedSearch,
  more: object,
): Promise<FeedPage> {
  const search = new URLSearchParams({
    limit: String(limit),
    ...(kinds && { kinds: kinds.join() }),
    ...(query && { query: query.join(' ') }),
    ...(only && { only: 'true' }),
    ...more,
  })
  const { status, body } = await account.api.get(
    `/web/v1/timeline/${root}/${ids[root]}?${search.toString()}`,
  )
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  expect(body.items.length).toBeLessThanOrEqual(limit)
  return body
}

const keysOf = (pages: FeedPage[]) => pages.flatMap((each) => each.items.map(({ key }) => key))

async function withBounds<Result>(
  { firstRows, rounds }: FeedSearch,
  work: () => Promise<Result>,
): Promise<Result> {
  const usual = { ...feedBounds }
  Object.assign(feedBounds, { firstRows, rounds })
  try {
    return await work()
  } finally {
    Object.assign(feedBounds, usual)
  }
}

test('pages upward have every item once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(searches, (search) =>
      withBounds(search, async () => {
        const pages = [await page(search, {})]
        while (pages[0]!.before !== null) {
          pages.unshift(await page(search, { before: pages[0]!.before }))
          expect(pages.length).toBeLessThan(500)
        }
        expect(keysOf(pages)).toEqual(expected(search))
      }),
    ),
    { seed, numRuns },
  )
})

test('pages downward have every item once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(searches, fc.nat(4000), (search, ago) =>
      withBounds(search, async () => {
        const from = past * 1000 - 1000 + ago
        const pages: FeedPage[] = []
        // The items are old: the end is reached when the cursor no longer is that of one of them.
        for (let after = String(from); ;) {
          const next = await page(search, { after })
          pages.push(next)
          if (!next.after!.includes('.')) break
          after = next.after!
          expect(pages.length).toBeLessThan(500)
        }
        const behind = new Set(items.filter(({ at }) => at >= from).map(({ key }) => key))
        expect(keysOf(pages)).toEqual(expected(search).filter((key) => behind.has(key)))
      }),
    ),
    { seed, numRuns },
  )
})

test('items that arrive meanwhile disturb no page upward', async () => {
  const search = {
    root: 'companies',
    limit: 7,
    kinds: null,
    query: null,
    only: false,
    firstRows: 400,
    rounds: 3,
  } as const
  const before = expected(search)
  const pages = [await page(search, {})]
  while (pages[0]!.before !== null) {
    await addNote(account.api, 'contacts', ids.contacts)
    pages.unshift(await page(search, { before: pages[0]!.before }))
  }
  expect(keysOf(pages)).toEqual(before)
})
