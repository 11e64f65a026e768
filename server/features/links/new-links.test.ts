// Links of new records: what both ends show and record, and what is refused.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { addRecord, addRecords, idsIn, pathOf, readRecord } from '../../../test/records.ts'
import { singular } from '../../entity-types.ts'
import type { RecordType } from '../../records/description.ts'

type Other = 'contacts' | 'companies'

/** The pairs of types that new records may link. */
const pairs: [RecordType, Other][] = [
  ['leads', 'contacts'],
  ['leads', 'companies'],
  ['contacts', 'companies'],
  ['companies', 'contacts'],
]

/** The ids of one type that a record embeds. */
async function linked(
  { api }: Pick<TestAccount, 'api'>,
  from: RecordType,
  id: number,
  to: RecordType,
): Promise<number[]> {
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
    const self = (kind: RecordType, it: number) => ({
      self: { href: `${kontor.url}${pathOf(kind)}/${it}` },
    })
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
    const newsSince = await listen(account)
    const id = await addRecord(user.api, from, linkTo(other))
    const { journal, events } = await newsSince()
    const { updated_at } = await readRecord(account.api, from, id)
    expect(await readRecord(account.api, to, other)).toMatchObject({
      updated_at,
      updated_by: user.id,
    })
    expect(journal).toMatchObject([
      { entity_type: from, entity_id: id, actions: ['add'], before: null, created_by: user.id },
      {
        entity_type: to,
        entity_id: other,
        actions: ['update'],
        created_by: user.id,
        after: { id: other, updated_at },
      },
    ])
    expect(journal[1]!.before).toEqual({ updated_at: 5, updated_by: 0 })
    const link = (kind: RecordType, it: number) => [
      { link: { entity: { type: singular[kind], id: it } } },
    ]
    expect(
      events.map((event) => [
        event.entity_type,
        event.entity_id,
        event.type,
        event.value_before,
        event.value_after,
      ]),
    ).toEqual([
      [singular[from], id, `${singular[from]}_added`, [], [{ note: { id: expect.any(Number) } }]],
      [singular[from], id, `${singular[to]}_linked`, [], link(to, other)],
      [singular[to], other, `${singular[from]}_linked`, [], link(from, id)],
    ])
    expect(events.map(({ created_by }) => created_by)).toEqual([user.id, user.id, user.id])
  })

  test('one that several new ones name is told of each that it is linked with and touched once', async () => {
    const account = await newAccount()
    const other = await addRecord(account.api, to)
    const newsSince = await listen(account)
    const ids = await addRecords(account.api, from, [linkTo(other), {}, linkTo(other)])
    const { journal, events } = await newsSince()
    expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual([
      ...ids.map((id) => [from, id]),
      [to, other],
    ])
    // A contact has at most one company: the last one that names it.
    const stay = from === 'companies' ? [ids[2]] : [ids[0], ids[2]]
    const heard = events.filter(({ entity_type }) => entity_type === singular[to])
    expect(heard.map(({ value_after }) => value_after[0].link.entity.id)).toEqual(stay)
    expect(
      events
        .filter(({ type }) => type === `${singular[to]}_linked`)
        .map(({ entity_id }) => entity_id),
    ).toEqual(stay)
    expect(await linked(account, to, other, from)).toEqual(stay)
    expect(await linked(account, from, ids[1]!, to)).toEqual([])
  })

  test("ids that are unknown, another account's, out of sight or in the bin are refused and named", async () => {
    const account = await newAccount()
    const { api } = account
    const rights = { view: 'A', edit: 'A', add: 'A', delete: 'D' } as const
    const user = await account.addUser({
      rights: { [from]: rights, [to]: { ...rights, view: 'M' } },
    })
    const [hidden, own, gone] = await addRecords(api, to, [
      {},
      { responsible_user_id: user.id },
      { responsible_user_id: user.id },
    ])
    const theirs = await addRecord((await newAccount()).api, to)
    await api.delete(`${pathOf(to)}/${gone}`)
    const newsSince = await listen(account)
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
    expect(await newsSince()).toEqual({ journal: [], events: [] })
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
      const [listed] = (await account.api.get(`${pathOf(stays)}?with=leads,contacts`)).body
        ._embedded[stays]
      expect(listed._embedded[gone]).toEqual([])
      await account.api.post(`${pathOf(gone)}/${its}/restore`)
      expect(await linked(account, stays, at, gone)).toEqual([its])
    }
  })
})

test('a contact leaves its company for a new one, and all three are told', async () => {
  const account = await newAccount()
  const contact = await addRecord(account.api, 'contacts')
  const old = await addRecord(account.api, 'companies', {
    updated_at: 5,
    _embedded: { contacts: [{ id: contact }] },
  })
  const newsSince = await listen(account)
  const id = await addRecord(account.api, 'companies', {
    _embedded: { contacts: [{ id: contact }] },
  })
  expect(await linked(account, 'contacts', contact, 'companies')).toEqual([id])
  expect(await linked(account, 'companies', old, 'contacts')).toEqual([])
  const { journal, events } = await newsSince()
  expect(
    journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, ...actions]),
  ).toEqual([
    ['companies', id, 'add'],
    ['companies', old, 'update'],
    ['contacts', contact, 'update'],
  ])
  expect(events.map(({ type, entity_type, entity_id }) => [type, entity_type, entity_id])).toEqual([
    ['company_added', 'company', id],
    ['contact_unlinked', 'company', old],
    ['contact_linked', 'company', id],
    ['company_unlinked', 'contact', contact],
    ['company_linked', 'contact', contact],
  ])
  expect((await readRecord(account.api, 'companies', old)).updated_at).toBeGreaterThan(5)
})
