// Links of new records: what they show from both ends, what both ends are told, and what is refused.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { faultsOf, listen } from '../../test/leads.ts'
import { addRecord, addRecords, addUserWith, allKinds, idsIn, kinds, pathOf, readRecord } from '../../test/records.ts'
import { singular } from './kinds.ts'
import type { RecordType } from './kind.ts'

type Other = 'contacts' | 'companies'

/** Which new records may name which others. */
const pairs: [RecordType, Other][] = [
  ['leads', 'contacts'],
  ['leads', 'companies'],
  ['contacts', 'companies'],
  ['companies', 'contacts'],
]

/** The ids that a record embeds of a kind. */
async function linked({ api }: Pick<TestAccount, 'api'>, from: RecordType, id: number, to: RecordType): Promise<number[]> {
  const { _embedded } = await readRecord(api, from, id, 'with=leads,contacts,companies')
  return _embedded[to].map((each: { id: number }) => each.id)
}

describe.for(pairs)('new %s with %s', ([from, to]) => {
  const linkTo = (...ids: number[]) => ({ _embedded: { [to]: ids.map((id) => ({ id })) } })

  test('both ends show the link, alone and in lists, and its address leads to the other', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const other = await addRecord(api, to)
    const id = await addRecord(api, from, linkTo(other))
    const self = (kind: RecordType, it: number) => ({ self: { href: `${kontor.url}${pathOf(kind)}/${it}` } })
    const main = from === 'leads' && to === 'contacts' ? { is_main: true } : {}
    for (const [kind, it, shown, expected] of [
      [from, id, to, { id: other, ...main, _links: self(to, other) }],
      [to, other, from, { id, _links: self(from, id) }],
    ] as const) {
      const record = await readRecord(api, kind, it, `with=${shown}`)
      expect(record._embedded[shown]).toEqual([expected])
      const listed = (await api.get(`${pathOf(kind)}?with=nothing,${shown}`)).body._embedded[kind]
      expect(listed).toEqual([record])
      expect((await api.get(record._embedded[shown][0]._links.self.href)).status).toBe(200)
    }
  })

  test('both ends are told, and the other end is touched', async () => {
    const account = await newAccount()
    const other = await addRecord(account.api, to, { updated_at: 5, updated_by: 0 })
    const user = await account.addUser()
    const told = await listen(account)
    const id = await addRecord(user.api, from, linkTo(other))
    const { journal, events } = await told()
    const { updated_at } = await readRecord(account.api, from, id)
    expect(await readRecord(account.api, to, other)).toMatchObject({ updated_at, updated_by: user.id })
    expect(journal).toMatchObject([
      { entity_type: from, entity_id: id, actions: ['add'], before: null, created_by: user.id },
      { entity_type: to, entity_id: other, actions: ['update'], created_by: user.id, after: { id: other, updated_at } },
    ])
    expect(journal[1]!.before).toEqual({ updated_at: 5, updated_by: 0 })
    const link = (kind: RecordType, it: number) => [{ link: { entity: { type: singular[kind], id: it } } }]
    expect(
      events.map((event) => [event.entity_type, event.entity_id, event.type, event.value_before, event.value_after]),
    ).toEqual([
      [singular[from], id, `${singular[from]}_added`, [], [{ note: { id: expect.any(Number) } }]],
      [singular[from], id, `${singular[to]}_linked`, [], link(to, other)],
      [singular[to], other, `${singular[from]}_linked`, [], link(from, id)],
    ])
    expect(events.map(({ created_by }) => created_by)).toEqual([user.id, user.id, user.id])
  })

  test('one that several new ones name is told of each and touched once', async () => {
    const account = await newAccount()
    const other = await addRecord(account.api, to)
    const told = await listen(account)
    const ids = await addRecords(account.api, from, [linkTo(other), {}, linkTo(other)])
    const { journal, events } = await told()
    expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual([
      ...ids.map((id) => [from, id]),
      [to, other],
    ])
    const heard = events.filter(({ entity_type }) => entity_type === singular[to])
    expect(heard.map(({ value_after }) => value_after[0].link.entity.id)).toEqual([ids[0], ids[2]])
    expect(await linked(account, to, other, from)).toEqual([ids[0], ids[2]])
    expect(await linked(account, from, ids[1]!, to)).toEqual([])
  })

  test("ids that are unknown, another account's, out of sight or in the bin are refused and named", async () => {
    const account = await newAccount()
    const { api } = account
    const rights = { view: 'A', edit: 'A', add: 'A', delete: 'D' } as const
    const user = await account.addUser({ rights: { [from]: rights, [to]: { ...rights, view: 'M' } } })
    const [hidden, own, gone] = await addRecords(api, to, [
      {},
      { responsible_user_id: user.id },
      { responsible_user_id: user.id },
    ])
    const theirs = await addRecord((await newAccount()).api, to)
    await api.delete(`${pathOf(to)}/${gone}`)
    const told = await listen(account)
    const bad = [999_999_999, theirs, hidden!, gone!]
    const refused = await user.api.post(pathOf(from), [
      ...bad.map((id) => linkTo(id)),
      linkTo(own!),
      linkTo(0),
      linkTo(2 ** 53),
    ])
    expect(refused.status).toBe(400)
    const path = `_embedded.${to}.0.id`
    expect(faultsOf(refused)).toEqual({
      ...Object.fromEntries(bad.map((_, place) => [place, [`NotSupportedChoice ${path}`]])),
      5: [expect.stringContaining(path)],
      6: [expect.stringContaining(path)],
    })
    expect(idsIn(await api.get(pathOf(from)), from)).toEqual([])
    expect(await told()).toEqual({ journal: [], events: [] })
    expect((await user.api.post(pathOf(from), [linkTo(own!)])).status).toBe(200)
  })

  test('a link to what lies in the bin is hidden and comes back, at both ends', async () => {
    const account = await newAccount()
    const other = await addRecord(account.api, to)
    const id = await addRecord(account.api, from, linkTo(other))
    for (const [gone, its, stays, at] of [
      [to, other, from, id],
      [from, id, to, other],
    ] as const) {
      await account.api.delete(`${pathOf(gone)}/${its}`)
      expect(await linked(account, stays, at, gone)).toEqual([])
      const [listed] = (await account.api.get(`${pathOf(stays)}?with=leads,contacts`)).body._embedded[stays]
      expect(listed._embedded[gone]).toEqual([])
      await account.api.post(`${pathOf(gone)}/${its}/restore`)
      expect(await linked(account, stays, at, gone)).toEqual([its])
    }
  })
})

test.for<[said: [contact: number, is_main?: boolean][], main: number]>([
  [[[0], [1], [2]], 0],
  [[[0], [1, true], [2]], 1],
  [
    [
      [0, false],
      [1, false],
    ],
    0,
  ],
  [
    [
      [2, true],
      [1, true],
    ],
    2,
  ],
  [[[0], [1, true], [1]], 1],
  [[[1], [0], [1, true], [2]], 1],
])('of the contacts %j the main one is %i, and each is linked once', async ([said, main]) => {
  const account = await newAccount()
  const contacts = await addRecords(account.api, 'contacts', [{}, {}, {}])
  const named = said.map(([place, is_main]) => ({ id: contacts[place], ...(is_main !== undefined && { is_main }) }))
  const told = await listen(account)
  const id = await addRecord(account.api, 'leads', { _embedded: { contacts: named } })
  const shown = (await readRecord(account.api, 'leads', id, 'with=contacts'))._embedded.contacts
  const places = [...new Set(said.map(([place]) => place))].toSorted()
  expect(shown.map((each: { id: number; is_main: boolean }) => [each.id, each.is_main])).toEqual(
    places.map((place) => [contacts[place], place === main]),
  )
  expect((await told()).events.filter(({ type }) => type === 'lead_linked')).toHaveLength(places.length)
})

test.for(kinds)('of %s, what one does not link to is refused or left alone', async (kind) => {
  const { api } = await newAccount()
  const [one, two] = await addRecords(api, kind, [{}, {}])
  const [lead] = await addRecords(api, 'leads', [{}])
  const own = await api.post(pathOf(kind), [{ _embedded: { [kind]: [{ id: one }] } }])
  expect(faultsOf(own)).toEqual({ 0: [`FieldNotExpected _embedded.${kind}`] })
  const id = await addRecord(api, kind, { _embedded: { leads: [{ id: lead }] } })
  expect((await readRecord(api, kind, id, 'with=leads'))._embedded.leads).toEqual([])
  // Links of records that are there are changed by methods of their own.
  expect((await api.patch(`/api/v4/leads/${lead}`, { _embedded: { [kind]: [{ id: two }] } })).status).toBe(200)
  expect((await readRecord(api, kind, two!, 'with=leads'))._embedded.leads).toEqual([])
})

test.for(['leads', 'contacts'] as const)('%s have one company at most', async (kind) => {
  const { api } = await newAccount()
  const firms = await addRecords(api, 'companies', [{}, {}])
  const refused = await api.post(pathOf(kind), [{ _embedded: { companies: firms.map((id) => ({ id })) } }])
  expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: ['TooMany _embedded.companies'] }])
})

test('what was read can be sent to make another like it', async () => {
  const account = await newAccount()
  const [contact, second] = await addRecords(account.api, 'contacts', [{}, {}])
  const firm = await addRecord(account.api, 'companies')
  const contacts = [{ id: contact }, { id: second, is_main: true }]
  const lead = await addRecord(account.api, 'leads', { _embedded: { contacts, companies: [{ id: firm }] } })
  const read = (id: number) => readRecord(account.api, 'leads', id, 'with=contacts')
  const copy = await addRecord(account.api, 'leads', await read(lead))
  expect((await read(copy))._embedded).toEqual((await read(lead))._embedded)
})

test('a page of each kind shows the links of each of its records and of no other', async () => {
  const account = await newAccount()
  const firms = await addRecords(account.api, 'companies', [{}, {}, {}])
  const people = await addRecords(
    account.api,
    'contacts',
    firms.map((id) => ({ _embedded: { companies: [{ id }] } })),
  )
  const of = (place: number) => ({
    contacts: [{ id: people[place] }, { id: people[(place + 1) % 3] }],
    companies: [{ id: firms[place] }],
  })
  const leads = await addRecords(
    account.api,
    'leads',
    [0, 1, 2].map((place) => ({ _embedded: of(place) })),
  )
  const sorted = (...ids: number[]) => ids.toSorted((a, b) => a - b)
  const expected: Record<RecordType, (place: number) => Record<string, number[]>> = {
    leads: (place) => ({ companies: [firms[place]!], contacts: sorted(people[place]!, people[(place + 1) % 3]!) }),
    contacts: (place) => ({ companies: [firms[place]!], leads: sorted(leads[place]!, leads[(place + 2) % 3]!) }),
    companies: (place) => ({ contacts: [people[place]!], leads: [leads[place]!] }),
  }
  for (const kind of allKinds) {
    const { body } = await account.api.get(`${pathOf(kind)}?with=contacts,leads`)
    const shown = body._embedded[kind].map(
      ({ _embedded: { tags: _, ...links } }: { _embedded: Record<string, { id: number }[]> }) =>
        Object.fromEntries(Object.entries(links).map(([name, records]) => [name, records.map(({ id }) => id)])),
    )
    expect(shown).toEqual([0, 1, 2].map(expected[kind]))
    // Without a wish there are companies only.
    const [bare] = (await account.api.get(pathOf(kind))).body._embedded[kind]
    expect(Object.keys(bare._embedded)).toEqual(kind === 'companies' ? ['tags'] : ['tags', 'companies'])
  }
  const blind = await addUserWith(account, 'leads', { view: 'A' })
  expect((await blind.api.get('/api/v4/leads?with=contacts')).status).toBe(200)
})
