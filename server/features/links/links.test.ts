// Linking and unlinking: what both ends show and record, and requests that change nothing.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { listen } from '../../../test/leads.ts'
import { keptLinks, link, linksOf, shownIn, to, unlink } from '../../../test/links.ts'
import { addRecord, addRecords, allKinds, pathOf, readRecord } from '../../../test/records.ts'
import type { RecordType } from '../../records/description.ts'
import { singular } from '../../entity-types.ts'

const pairs = allKinds.flatMap((from) =>
  allKinds.filter((other) => other !== from).map((other) => [from, other] as const),
)
const old = { updated_at: 5, updated_by: 0 }

/**
 * The journal rows and events of a change of links: the changed records, and the events of each.
 */
async function recordedBy(account: TestAccount, work: () => Promise<unknown>) {
  const newsSince = await listen(account)
  await work()
  const { journal, events } = await newsSince()
  return {
    journal: journal.map(({ entity_type, entity_id, actions }) =>
      [entity_type, entity_id, ...actions].join(' '),
    ),
    events: events.map(({ entity_id, type, value_before, value_after }) => ({
      entity_id,
      type,
      value_before,
      value_after,
    })),
    authors: [...new Set([...journal, ...events].map(({ created_by }) => created_by))],
  }
}
const nothing = { journal: [], events: [], authors: [] }

describe.for(pairs)('%s with %s', ([from, other]) => {
  const main = (one: RecordType) =>
    one === 'contacts' && [from, other].includes('leads') ? ' main' : ''

  test('are linked for both, told at both ends, and unlinked again', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [id, its] = [await addRecord(api, from, old), await addRecord(api, other, old)]
    const event = (verb: 'link' | 'unlink', at: number, whom: RecordType, its: number) => {
      const value = [{ [verb]: { entity: { type: singular[whom], id: its } } }]
      const value_before = verb === 'unlink' ? value : []
      return {
        entity_id: at,
        type: `${singular[whom]}_${verb}ed`,
        value_before,
        value_after: value,
      }
    }
    const journal = [`${from} ${id} update`, `${other} ${its} update`]

    const linked = await recordedBy(account, async () => {
      const answer = await link(api, from, id, to(other, its))
      expect(answer.status).toBe(200)
      const metadata = other === 'contacts' ? { main_contact: from === 'leads' } : null
      expect(answer.body).toEqual({
        _total_items: 1,
        _links: { self: { href: `${kontor.url}${pathOf(from)}/${id}/links` } },
        _embedded: {
          links: [
            {
              entity_id: id,
              entity_type: from,
              to_entity_id: its,
              to_entity_type: other,
              metadata,
            },
          ],
        },
      })
    })
    const linkEvents = [event('link', id, other, its), event('link', its, from, id)]
    expect(linked).toEqual({ journal, events: linkEvents, authors: [account.admin.id] })
    expect(await linksOf(api, from, id)).toEqual([`${other} ${its}${main(other)}`])
    expect(await linksOf(api, other, its)).toEqual([`${from} ${id}${main(from)}`])
    for (const [kind, one] of [[from, id] as const, [other, its] as const]) {
      const { updated_at, updated_by } = await readRecord(api, kind, one)
      expect([updated_at > 5, updated_by]).toEqual([true, account.admin.id])
    }

    expect(await recordedBy(account, () => link(api, other, its, to(from, id)))).toEqual(nothing)

    const unlinked = await recordedBy(account, async () => {
      const answer = await unlink(api, other, its, to(from, id))
      expect([answer.status, answer.body]).toEqual([204, undefined])
    })
    const unlinkEvents = [event('unlink', its, from, id), event('unlink', id, other, its)]
    expect(unlinked).toEqual({
      journal: journal.toReversed(),
      events: unlinkEvents,
      authors: [account.admin.id],
    })
    expect(await keptLinks(account)).toEqual([])
    const again = await recordedBy(account, async () => {
      expect((await unlink(api, from, id, to(other, its))).status).toBe(204)
    })
    expect(again).toEqual(nothing)
  })

  test('are linked and unlinked for several at once, and what is sent twice is one', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [ids, others] = [
      await addRecords(api, from, [{}, {}]),
      await addRecords(api, other, [{}, {}]),
    ]
    const item = (place: number) => ({
      ...to(other, others[place]!, null, ids[place]),
      entity_type: from,
    })
    const linked = await recordedBy(account, async () => {
      const { status, body } = await api.post(`${pathOf(from)}/link`, [item(0), item(1), item(0)])
      expect([status, body._total_items]).toEqual([200, 2])
      expect(body._links.self.href).toBe(`${kontor.url}${pathOf(from)}/links`)
      expect(body._embedded.links.map(({ entity_id }: { entity_id: number }) => entity_id)).toEqual(
        ids,
      )
    })
    expect(linked.journal).toEqual([
      ...ids.map((id) => `${from} ${id} update`),
      ...others.map((id) => `${other} ${id} update`),
    ])
    expect(linked.events).toHaveLength(4)
    const gone = await recordedBy(account, async () => {
      expect((await api.post(`${pathOf(from)}/unlink`, [item(1), item(0), item(1)])).status).toBe(
        204,
      )
    })
    expect(gone.journal.toSorted()).toEqual(linked.journal.toSorted())
    expect(gone.events).toHaveLength(4)
  })
})

test.for(['leads', 'contacts'] as const)(
  '%s have one company: another takes its place, and all three are told',
  async (kind) => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, kind)
    const [first, second, third] = (await addRecords(api, 'companies', [old, {}, {}])) as [
      number,
      number,
      number,
    ]
    await link(api, kind, id, to('companies', first))
    const name = singular[kind]
    const news = await recordedBy(account, () => link(api, kind, id, to('companies', second)))
    expect(news.journal).toEqual([
      `${kind} ${id} update`,
      `companies ${first} update`,
      `companies ${second} update`,
    ])
    expect(news.events.map(({ entity_id, type }) => [entity_id, type])).toEqual([
      [id, 'company_unlinked'],
      [id, 'company_linked'],
      [first, `${name}_unlinked`],
      [second, `${name}_linked`],
    ])
    expect(await linksOf(api, 'companies', first)).toEqual([])
    // The same from the company's side; of two in one request the last one counts.
    await link(api, 'companies', third, to(kind, id))
    expect(await linksOf(api, kind, id)).toEqual([`companies ${third}`])
    const both = await recordedBy(account, async () => {
      const answer = await link(api, kind, id, to('companies', first), to('companies', second))
      expect(shownIn(answer)).toEqual([`companies ${second}`])
    })
    expect(both.journal).toEqual([
      `${kind} ${id} update`,
      `companies ${second} update`,
      `companies ${third} update`,
    ])
    expect(
      both.events.filter(({ entity_id, type }) => entity_id === first && type.startsWith(name)),
    ).toEqual([])
    const back = await recordedBy(account, () =>
      link(api, kind, id, to('companies', first), to('companies', second)),
    )
    expect(back).toEqual(nothing)
    expect(await keptLinks(account)).toEqual([`${kind} ${id} companies ${second}`])
  },
)

test('a company in the bin gives its place up, but keeps who deleted it and when', async () => {
  const account = await newAccount()
  const { api } = account
  const lead = await addRecord(api, 'leads')
  const [first, second] = (await addRecords(api, 'companies', [{}, {}])) as [number, number]
  await link(api, 'leads', lead, to('companies', first))
  await api.delete(`${pathOf('companies')}/${first}`)
  const bin = async () =>
    (await api.get(`${pathOf('companies')}?with=only_deleted`)).body._embedded.companies
  const before = await bin()
  const user = await account.addUser()
  const news = await recordedBy(account, () =>
    link(user.api, 'leads', lead, to('companies', second)),
  )
  expect(news.journal).toEqual([`leads ${lead} update`, `companies ${second} update`])
  expect(news.events.map(({ entity_id, type }) => [entity_id, type])).toContainEqual([
    first,
    'lead_unlinked',
  ])
  expect(await bin()).toEqual(before)
  await api.post(`${pathOf('companies')}/${first}/restore`)
  expect(await linksOf(api, 'companies', first)).toEqual([])
  expect(await linksOf(api, 'leads', lead)).toEqual([`companies ${second}`])
})

test('the user that metadata names is the one who did it', async () => {
  const account = await newAccount()
  const { api } = account
  const [one, another] = [await account.addUser(), await account.addUser()]
  const lead = await addRecord(api, 'leads')
  const [a, b] = (await addRecords(api, 'contacts', [{}, {}])) as [number, number]
  const newsSince = await listen(account)
  const by = (user: { id: number }) => ({
    updated_by: user.id,
    is_main: null,
    catalog_id: null,
    quantity: null,
    price_id: null,
  })
  await link(api, 'leads', lead, to('contacts', a, by(one)), to('contacts', b, by(another)))
  const { journal, events } = await newsSince()
  expect(
    journal.map(({ entity_type, entity_id, created_by }) => [entity_type, entity_id, created_by]),
  ).toEqual([
    ['leads', lead, another.id],
    ['contacts', a, one.id],
    ['contacts', b, another.id],
  ])
  expect(
    events
      .filter(({ entity_id, entity_type }) => entity_type === 'contact' && entity_id === a)
      .map(({ created_by }) => created_by),
  ).toEqual([one.id])
  expect((await readRecord(api, 'contacts', a)).updated_by).toBe(one.id)
  expect((await readRecord(api, 'leads', lead)).updated_by).toBe(another.id)
  await unlink(api, 'leads', lead, to('contacts', b, { updated_by: one.id }))
  expect((await readRecord(api, 'contacts', b)).updated_by).toBe(one.id)
})
