// Links between records: verbs, lists, rights, and the links that new records name.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { keptLinks, link, linksOf, shownIn, to, unlink } from '../../../../test/links.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  idsIn,
  kinds,
  needed,
  pathOf,
  readRecord,
} from '../../../../test/records.ts'
import { singular } from '../../../entity-types.ts'
import type { RecordType } from '../../../records/description.ts'
import { purgeOldest } from '../../../records/purge.ts'

/** The key of the rights to records: customers follow the rights of leads. */
const lettersOf = (kind: RecordType) => (kind === 'customers' ? 'leads' : kind)

// The verbs, the news and the view of both ends, and changes that move nothing.
describe('linking and unlinking', () => {
  const isApart = (one: RecordType, other: RecordType) =>
    one === other || (one === 'leads' && other === 'customers')
  const pairs = allKinds.flatMap((from) =>
    allKinds.flatMap((other) =>
      isApart(from, other) || isApart(other, from) ? [] : [[from, other] as const],
    ),
  )

  const old = { updated_at: 5, updated_by: 0 }

  /** The news of a change of links: records that changed, and the events of each. */
  async function newsOf(account: TestAccount, work: () => Promise<unknown>) {
    const hear = await listen(account)
    await work()
    const { journal, events } = await hear()
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
    const hasMain = [from, other].some((one) => one === 'leads' || one === 'customers')
    const main = (one: RecordType) => (one === 'contacts' && hasMain ? ' main' : '')

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

      const linked = await newsOf(account, async () => {
        const answer = await link(api, from, id, to(other, its))
        expect(answer.status).toBe(200)
        const metadata = other === 'contacts' ? { main_contact: hasMain } : null
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

      expect(await newsOf(account, () => link(api, other, its, to(from, id)))).toEqual(nothing)

      const unlinked = await newsOf(account, async () => {
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
      const again = await newsOf(account, async () => {
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
      const item = (index: number) => ({
        ...to(other, others[index]!, null, ids[index]),
        entity_type: from,
      })
      const linked = await newsOf(account, async () => {
        const { status, body } = await api.post(`${pathOf(from)}/link`, [item(0), item(1), item(0)])
        expect([status, body._total_items]).toEqual([200, 2])
        expect(body._links.self.href).toBe(`${kontor.url}${pathOf(from)}/links`)
        expect(
          body._embedded.links.map(({ entity_id }: { entity_id: number }) => entity_id),
        ).toEqual(ids)
      })
      expect(linked.journal).toEqual([
        ...ids.map((id) => `${from} ${id} update`),
        ...others.map((id) => `${other} ${id} update`),
      ])
      expect(linked.events).toHaveLength(4)
      const gone = await newsOf(account, async () => {
        expect((await api.post(`${pathOf(from)}/unlink`, [item(1), item(0), item(1)])).status).toBe(
          204,
        )
      })
      expect(gone.journal.toSorted()).toEqual(linked.journal.toSorted())
      expect(gone.events).toHaveLength(4)
    })
  })

  test.for(['leads', 'contacts', 'customers'] as const)(
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
      const heard = await newsOf(account, () => link(api, kind, id, to('companies', second)))
      expect(heard.journal).toEqual([
        `${kind} ${id} update`,
        `companies ${first} update`,
        `companies ${second} update`,
      ])
      expect(heard.events.map(({ entity_id, type }) => [entity_id, type])).toEqual([
        [id, 'company_unlinked'],
        [id, 'company_linked'],
        [first, `${name}_unlinked`],
        [second, `${name}_linked`],
      ])
      expect(await linksOf(api, 'companies', first)).toEqual([])
      // From the company's side it is the same, and of two in one request the last one counts.
      await link(api, 'companies', third, to(kind, id))
      expect(await linksOf(api, kind, id)).toEqual([`companies ${third}`])
      const both = await newsOf(account, async () => {
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
      const back = await newsOf(account, () =>
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
    const heard = await newsOf(account, () =>
      link(user.api, 'leads', lead, to('companies', second)),
    )
    expect(heard.journal).toEqual([`leads ${lead} update`, `companies ${second} update`])
    expect(heard.events.map(({ entity_id, type }) => [entity_id, type])).toContainEqual([
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
    const hear = await listen(account)
    const by = (user: { id: number }) => ({
      updated_by: user.id,
      is_main: null,
      catalog_id: null,
      quantity: null,
      price_id: null,
    })
    await link(api, 'leads', lead, to('contacts', a, by(one)), to('contacts', b, by(another)))
    const { journal, events } = await hear()
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
})

// The main contact is always one of the contacts, and the same from both ends.
describe.for(['leads', 'customers'] as const)('the main contact of %s', (kind) => {
  const isMain = { is_main: true }

  async function withContacts(account: TestAccount, count: number) {
    const id = await addRecord(account.api, kind, { updated_at: 5, updated_by: 0 })
    const drafts = Array.from({ length: count }, () => ({ updated_at: 5, updated_by: 0 }))
    const contacts = await addRecords(account.api, 'contacts', drafts)
    return { id, contacts: contacts as [number, number, number, ...number[]] }
  }

  test('is the first one linked, until another is said to be', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, contacts } = await withContacts(account, 3)
    const [a, b, c] = contacts
    const none = { is_main: false }
    expect(shownIn(await link(api, kind, id, to('contacts', b, none), to('contacts', a)))).toEqual([
      `contacts ${b} main`,
      `contacts ${a}`,
    ])
    expect(shownIn(await link(api, kind, id, to('contacts', c, isMain)))).toEqual([
      `contacts ${c} main`,
    ])
    expect(await linksOf(api, kind, id)).toEqual([
      `contacts ${a}`,
      `contacts ${b}`,
      `contacts ${c} main`,
    ])
    const embedded = (await readRecord(api, kind, id, 'with=contacts'))._embedded.contacts
    expect(embedded.map((each: { is_main: boolean }) => each.is_main)).toEqual([false, false, true])
    // The main one cannot be none; of two that are said to be it, the last one is.
    expect(shownIn(await link(api, kind, id, to('contacts', c, none)))).toEqual([
      `contacts ${c} main`,
    ])
    await link(api, kind, id, to('contacts', a, isMain), to('contacts', b, isMain))
    expect(await keptLinks(account)).toEqual([
      `${kind} ${id} contacts ${b} main`,
      `${kind} ${id} contacts ${a}`,
      `${kind} ${id} contacts ${c}`,
    ])
  })

  test('another main contact is a change of its holder alone, told without an event', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, contacts } = await withContacts(account, 2)
    await link(api, kind, id, to('contacts', contacts[0]), to('contacts', contacts[1]))
    const before = await readRecord(api, 'contacts', contacts[1])
    const user = await account.addUser()
    const newsSince = await listen(account)
    await link(user.api, kind, id, to('contacts', contacts[1], isMain))
    const { journal, events } = await newsSince()
    expect(events).toEqual([])
    expect(journal).toMatchObject([
      { entity_type: kind, entity_id: id, actions: ['update'], created_by: user.id },
    ])
    expect((await readRecord(api, kind, id)).updated_by).toBe(user.id)
    expect(await readRecord(api, 'contacts', contacts[1])).toEqual(before)
    await link(user.api, kind, id, to('contacts', contacts[1], isMain))
    expect((await newsSince()).journal).toHaveLength(1)
  })

  test('the earliest of those that stay follows the main one', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, contacts } = await withContacts(account, 3)
    const [a, b, c] = contacts
    await link(api, kind, id, to('contacts', c))
    await link(api, kind, id, to('contacts', b), to('contacts', a, isMain))
    const newsSince = await listen(account)
    await unlink(api, 'contacts', a, to(kind, id))
    expect(await linksOf(api, kind, id)).toEqual([`contacts ${b}`, `contacts ${c} main`])
    expect(
      (await newsSince()).journal.map(({ entity_type, entity_id }) => [entity_type, entity_id]),
    ).toEqual([
      ['contacts', a],
      [kind, id],
    ])
    await unlink(api, kind, id, to('contacts', c), to('contacts', b))
    expect(await linksOf(api, kind, id)).toEqual([])
    await link(api, 'contacts', b, to(kind, id))
    expect(await linksOf(api, kind, id)).toEqual([`contacts ${b} main`])
  })

  test('stays the main one in the bin and comes back as such; when it is purged the earliest follows', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { id, contacts } = await withContacts(account, 3)
    const [a, b, c] = contacts
    await link(api, kind, id, to('contacts', a), to('contacts', b))
    await api.delete(`${pathOf('contacts')}/${a}`)
    await link(api, kind, id, to('contacts', c))
    expect(await linksOf(api, kind, id)).toEqual([`contacts ${b}`, `contacts ${c}`])
    await api.post(`${pathOf('contacts')}/${a}/restore`)
    expect(await linksOf(api, kind, id)).toEqual([
      `contacts ${a} main`,
      `contacts ${b}`,
      `contacts ${c}`,
    ])
    await api.delete(`${pathOf('contacts')}/${a}`)
    await kontor.database.transaction((tx) =>
      tx.list(purgeOldest(account.id, 'contacts', kontor.now() + 1, 500)),
    )
    expect(await keptLinks(account)).toEqual([
      `${kind} ${id} contacts ${b} main`,
      `${kind} ${id} contacts ${c}`,
    ])
  })

  test('there are 40 contacts at most, counted from both ends', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, contacts } = await withContacts(account, 42)
    const all = contacts.map((id) => to('contacts', id))
    const refused = await link(api, kind, id, ...all)
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 40: ['TooMany to_entity_id'], 41: ['TooMany to_entity_id'] },
    ])
    expect(await keptLinks(account)).toEqual([])
    expect((await link(api, kind, id, ...all.slice(0, 40))).body._total_items).toBe(40)
    expect(faultsOf(await link(api, 'contacts', contacts[40]!, to(kind, id)))).toEqual({
      0: ['TooMany to_entity_id'],
    })
    // One that is linked already is none more.
    expect((await link(api, kind, id, to('contacts', contacts[39]!, isMain))).status).toBe(200)
    await unlink(api, kind, id, to('contacts', contacts[0]))
    expect((await link(api, 'contacts', contacts[40]!, to(kind, id))).status).toBe(200)
  })
})

// The links of a list, their order, their pages, and the links that it leaves out.
describe('lists', () => {
  const count = (length: number) => Array.from({ length }, () => ({}))

  /** A company with contacts and leads, linked in the opposite order of their ids. */
  async function firm(account: TestAccount, [contacts, leads]: [number, number]) {
    const { api } = account
    const id = await addRecord(api, 'companies')
    const people = contacts ? await addRecords(api, 'contacts', count(contacts)) : []
    const deals = leads ? await addRecords(api, 'leads', count(leads)) : []
    const items = [
      ...people.map((each) => to('contacts', each)),
      ...deals.map((each) => to('leads', each)),
    ].toReversed()
    if (items.length > 0) await link(api, 'companies', id, ...items)
    return {
      id,
      people,
      deals,
      shown: [...people.map((each) => `contacts ${each}`), ...deals.map((each) => `leads ${each}`)],
    }
  }

  /** Follows the links from page to page. */
  async function walk(api: Client, first: string): Promise<Answer[]> {
    const pages: Answer[] = []
    for (let next: string | undefined = first; next;) {
      const page: Answer = await api.get(next)
      pages.push(page)
      next = page.body._links.next?.href
    }
    return pages
  }

  test('contacts come first, then companies, then leads, each in the order of ids, with what the interface says of a link', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { id, people, deals, shown } = await firm(account, [2, 2])
    const [contact, second] = people as [number, number]
    const lead = deals[0]!
    await link(api, 'leads', lead, to('contacts', second), to('contacts', contact))
    expect(await linksOf(api, 'companies', id)).toEqual(shown)
    expect(await linksOf(api, 'contacts', second)).toEqual([`companies ${id}`, `leads ${lead}`])
    const entity = { entity_id: lead, entity_type: 'leads' }
    expect((await api.get(`/api/v4/leads/${lead}/links`)).body).toEqual({
      _total_items: 3,
      _links: { self: { href: `${kontor.url}/api/v4/leads/${lead}/links?page=1&limit=250` } },
      _embedded: {
        links: [
          {
            ...entity,
            to_entity_id: contact,
            to_entity_type: 'contacts',
            metadata: { main_contact: false },
          },
          {
            ...entity,
            to_entity_id: second,
            to_entity_type: 'contacts',
            metadata: { main_contact: true },
          },
          { ...entity, to_entity_id: id, to_entity_type: 'companies', metadata: null },
        ],
      },
    })
  })

  test('the links of several records are listed in the order of the records', async () => {
    const account = await newAccount()
    const [one, two, bare] = [
      await firm(account, [1, 2]),
      await firm(account, [2, 0]),
      await firm(account, [0, 0]),
    ]
    const wanted = [two.id, bare.id, one.id, 999_999_999, two.id]
      .map((id) => `filter[entity_id][]=${id}`)
      .join('&')
    const answer = await account.api.get(`/api/v4/companies/links?${wanted}`)
    expect(shownIn(answer)).toEqual([...one.shown, ...two.shown])
    expect(answer.body._total_items).toBe(5)
    expect(
      answer.body._embedded.links.map(({ entity_id }: { entity_id: number }) => entity_id),
    ).toEqual([one.id, one.id, one.id, two.id, two.id])
    expect(
      shownIn(await account.api.get(`/api/v4/companies/links?filter[entity_id]=${two.id}`)),
    ).toEqual(two.shown)
  })

  test('a page holds 250 links unless less is asked for, and pages follow each other without a gap', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, shown } = await firm(account, [100, 150])
    const more = await addRecords(api, 'leads', count(3))
    await link(api, 'companies', id, ...more.map((each) => to('leads', each)))
    const all = [...shown, ...more.map((each) => `leads ${each}`)]
    const path = `/api/v4/companies/${id}/links`
    const pages = await walk(api, path)
    expect(pages.map(({ body }) => body._total_items)).toEqual([250, 3])
    expect(pages.flatMap(shownIn)).toEqual(all)
    expect((await api.get(`${path}?limit=1000`)).body._links.self.href).toContain('limit=250')

    const small = await walk(api, `${path}?limit=33`)
    expect(small).toHaveLength(8)
    expect(small.flatMap(shownIn)).toEqual(all)
    // A program that counts pages itself, and one that follows no link, get the same.
    for (const page of [2, 4, 8, 3])
      expect(shownIn(await api.get(`${path}?limit=33&page=${page}`))).toEqual(
        all.slice(33 * (page - 1), 33 * page),
      )
    const cold = await account.addUser()
    expect(shownIn(await cold.api.get(`${path}?limit=7&page=15`))).toEqual(all.slice(98, 105))
    expect(shownIn(await api.get(`${path}?page=100`))).toEqual([])
  })

  test('the links of several records are paged, too', async () => {
    const account = await newAccount()
    const firms = [
      await firm(account, [3, 2]),
      await firm(account, [0, 4]),
      await firm(account, [5, 0]),
    ]
    const all = firms.flatMap(({ shown }) => shown)
    const path = `/api/v4/companies/links?${firms.map(({ id }) => `filter[entity_id][]=${id}`).join('&')}`
    for (const limit of [1, 2, 3, 5, 14, 15]) {
      const pages = await walk(account.api, `${path}&limit=${limit}`)
      expect(pages.flatMap(shownIn)).toEqual(all)
      expect(pages).toHaveLength(Math.ceil(14 / limit))
    }
    const cold = await account.addUser()
    expect(shownIn(await cold.api.get(`${path}&limit=4&page=3`))).toEqual(all.slice(8, 12))
  })

  test('filters find links by their other ends', async () => {
    const account = await newAccount()
    const { api } = account
    const one = await firm(account, [2, 2])
    const two = await firm(account, [1, 0])
    const find = async (query: string) =>
      shownIn(await api.get(`/api/v4/companies/${one.id}/links?${query}`))
    const [lead] = one.deals
    const ends = one.people.map((id) => `&filter[to_entity_id][]=${id}`).join('')
    expect(await find(`filter[to_entity_type]=leads&filter[to_entity_id]=${lead}`)).toEqual([
      `leads ${lead}`,
    ])
    expect(await find(`filter[to_entity_type]=contacts${ends}`)).toEqual(
      one.people.map((id) => `contacts ${id}`),
    )
    for (const type of ['contacts', 'companies', 'customers', 'catalog_elements'])
      expect(await find(`filter[to_entity_type]=${type}&filter[to_entity_id]=999999999`)).toEqual(
        [],
      )
    expect(await find('filter[to_catalog_id]=5')).toEqual([])
    const many = `filter[entity_id][]=${one.id}&filter[entity_id][]=${two.id}`
    const [person] = two.people
    const found = await api.get(
      `/api/v4/companies/links?${many}&filter[to_entity_type]=contacts&filter[to_entity_id]=${person}`,
    )
    expect(shownIn(found)).toEqual([`contacts ${person}`])
  })

  test.for<[query: string, path: string]>([
    ['filter[to_entity_id]=5', 'filter[to_entity_type]'],
    ['filter[to_entity_type]=leads', 'filter[to_entity_id]'],
    ['filter[to_entity_id]=0&filter[to_entity_type]=leads', 'filter[to_entity_id][0]'],
    ['filter[to_entity_id]=5&filter[to_entity_type]=tasks', 'filter[to_entity_type]'],
    ['filter[to_catalog_id]=x', 'filter[to_catalog_id][0]'],
    ['filter[name]=x', 'filter[name]'],
    ['limit=0', 'limit'],
    ['page=-1', 'page'],
    ['after=!', 'after'],
  ])('the query %s is refused at %s', async ([query, path]) => {
    const { api } = await newAccount()
    const id = await addRecord(api, 'companies')
    for (const at of [
      `/api/v4/companies/${id}/links?`,
      `/api/v4/companies/links?filter[entity_id][]=${id}&`,
    ]) {
      const refused = await api.get(at + query)
      expect([refused.status, faultsOf(refused)['0']]).toEqual([
        400,
        [expect.stringContaining(path)],
      ])
    }
  })

  test('the list of several records takes 1 to 250 ids', async () => {
    const { api } = await newAccount()
    const ids = (many: number) =>
      Array.from({ length: many }, (_, index) => `filter[entity_id][]=${index + 1}`).join('&')
    const status = async (query: string) => (await api.get(`/api/v4/leads/links?${query}`)).status
    expect(await Promise.all(['', 'filter[entity_id][]=0', ids(251)].map(status))).toEqual([
      400, 400, 400,
    ])
    expect(await status(ids(250))).toBe(200)
    for (const after of ['x', '5', '5f.7', '99999999999999999a.1', '5a.x'])
      expect(await status(`${ids(1)}&page=2&after=${after}`)).toBe(400)
  })

  test('what lies in the bin, and what the caller may not view, is in no list', async () => {
    const account = await newAccount()
    const { api } = account
    const view = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } as const
    const limited = { ...view, view: 'M', edit: 'M' } as const
    const user = await account.addUser({ rights: { companies: limited, contacts: limited } })
    const mine = { responsible_user_id: user.id }
    const [own, foreign] = (await addRecords(api, 'companies', [mine, {}])) as [number, number]
    const [a, b, c] = (await addRecords(api, 'contacts', [mine, {}, mine])) as [
      number,
      number,
      number,
    ]
    const lead = await addRecord(api, 'leads')
    await link(api, 'companies', own, to('contacts', a), to('contacts', b), to('leads', lead))
    await link(api, 'companies', foreign, to('contacts', c))
    const many = `/api/v4/companies/links?filter[entity_id][]=${own}&filter[entity_id][]=${foreign}`
    expect(await linksOf(user.api, 'companies', own)).toEqual([`contacts ${a}`])
    expect((await user.api.get(`/api/v4/companies/${foreign}/links`)).status).toBe(403)
    expect(shownIn(await user.api.get(many))).toEqual([`contacts ${a}`])
    expect(shownIn(await api.get(many))).toHaveLength(4)

    await api.delete(`${pathOf('contacts')}/${a}`)
    expect(await linksOf(api, 'companies', own)).toEqual([`contacts ${b}`, `leads ${lead}`])
    await api.delete(`${pathOf('companies')}/${own}`)
    expect((await api.get(`/api/v4/companies/${own}/links`)).status).toBe(404)
    expect(shownIn(await api.get(many))).toEqual([`contacts ${c}`])
    await api.post(`${pathOf('companies')}/${own}/restore`)
    await api.post(`${pathOf('contacts')}/${a}/restore`)
    expect(await linksOf(api, 'companies', own)).toEqual([
      `contacts ${a}`,
      `contacts ${b}`,
      `leads ${lead}`,
    ])

    const blind = await account.addUser({ rights: { contacts: view } })
    for (const at of [`/api/v4/companies/${own}/links`, many])
      expect((await blind.api.get(at)).status).toBe(403)
    expect((await (await newAccount()).api.get(`/api/v4/companies/${own}/links`)).status).toBe(404)
  })

  test('an integration whose empty lists are 204 is answered so', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, 'leads')
    const integration = await account.addIntegration({ empty_list: 204 })
    const exchange = {
      ...integration,
      grant_type: 'authorization_code',
      code: await account.code(integration),
    }
    const { access_token } = (await client(account.kontor).post('/oauth2/access_token', exchange))
      .body
    const api = client(account.kontor, access_token)
    for (const path of [
      `/api/v4/leads/${id}/links`,
      `/api/v4/leads/links?filter[entity_id][]=${id}`,
    ])
      expect((await api.get(path)).status).toBe(204)
    expect((await api.get('/api/v4/leads/999999999/links')).status).toBe(404)
  })
})

// Refused links, the places of the faults, and the types that link with each other. Nothing that is
// refused moves anything.
describe('refusals', () => {
  const other = {
    leads: 'contacts',
    contacts: 'companies',
    companies: 'leads',
    customers: 'contacts',
  } as const
  const verbs = ['link', 'unlink'] as const
  const unknown = 999_999_999

  async function untouched(account: TestAccount, work: () => Promise<unknown>): Promise<void> {
    const [newsSince, before] = [await listen(account), await keptLinks(account)]
    await work()
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(await keptLinks(account)).toEqual(before)
  }

  describe.for(allKinds)('%s', (kind) => {
    const its = other[kind]
    const path = pathOf(kind)
    const letters = (view: 'A' | 'M' | 'D', edit: 'A' | 'M' | 'D') =>
      ({ view, edit, add: 'A', delete: 'D', export: 'D' }) as const

    test.for(verbs)(
      'to %s unknown records, deleted ones and those of another account is refused',
      async (verb) => {
        const account = await newAccount()
        const { api } = account
        const [id, gone] = (await addRecords(api, kind, [{}, {}])) as [number, number]
        const [target, deleted] = (await addRecords(api, its, [{}, {}])) as [number, number]
        await link(api, kind, id, to(its, deleted))
        await api.delete(`${path}/${gone}`)
        await api.delete(`${pathOf(its)}/${deleted}`)
        const alien = await newAccount()
        const [theirs, theirTarget] = [
          await addRecord(alien.api, kind),
          await addRecord(alien.api, its),
        ]
        await untouched(account, async () => {
          for (const each of [unknown, gone, theirs])
            expect((await api.post(`${path}/${each}/${verb}`, [to(its, target)])).status).toBe(404)
          const bad = [unknown, deleted, theirTarget]
          const one = await api.post(`${path}/${id}/${verb}`, [
            to(its, target),
            ...bad.map((each) => to(its, each)),
          ])
          const fault = ['NotSupportedChoice to_entity_id']
          expect([one.status, faultsOf(one)]).toEqual([400, { 1: fault, 2: fault, 3: fault }])
          const many = await api.post(`${path}/${verb}`, [
            ...[unknown, gone, theirs].map((each) => to(its, target, null, each)),
            { ...to(its, unknown, null, id), request_id: 'mine' },
          ])
          const noMain = ['EntityNotFound entity_id']
          expect([many.status, faultsOf(many)]).toEqual([
            400,
            { 0: noMain, 1: noMain, 2: noMain, mine: fault },
          ])
        })
      },
    )

    test.for(verbs)('to %s takes the right to edit the one and to view the other', async (verb) => {
      const account = await newAccount()
      const { api } = account
      const user = await account.addUser({
        rights: { [lettersOf(kind)]: letters('A', 'M'), [its]: letters('M', 'D') },
      })
      const mine = { responsible_user_id: user.id }
      const [foreign, own] = (await addRecords(api, kind, [{}, mine])) as [number, number]
      const [hidden, target] = (await addRecords(api, its, [{}, mine])) as [number, number]
      if (verb === 'unlink')
        for (const [id, at] of [
          [foreign, target],
          [own, hidden],
        ] as const)
          await link(api, kind, id, to(its, at))
      const send = (id: number, at: number) => user.api.post(`${path}/${id}/${verb}`, [to(its, at)])
      await untouched(account, async () => {
        expect((await send(foreign, target)).status).toBe(403)
        expect(
          (await user.api.post(`${path}/${verb}`, [to(its, target, null, foreign)])).status,
        ).toBe(403)
        const refused = await send(own, hidden)
        expect([refused.status, faultsOf(refused)]).toEqual([
          400,
          { 0: ['NotSupportedChoice to_entity_id'] },
        ])
        // The right to edit is of no use for a record that the user may not view.
        for (const rights of [letters('A', 'D'), letters('D', 'A'), letters('M', 'A')]) {
          const unable = await account.addUser({
            rights: { [lettersOf(kind)]: rights, [its]: letters('A', 'A') },
          })
          expect((await unable.api.post(`${path}/${own}/${verb}`, [to(its, target)])).status).toBe(
            403,
          )
        }
      })
      if (verb === 'unlink') await link(api, kind, own, to(its, target))
      expect((await send(own, target)).status).toBe(verb === 'link' ? 200 : 204)
      expect(await linksOf(user.api, kind, own)).toHaveLength(verb === 'link' ? 1 : 0)
    })

    test.for(verbs)('to %s what no such record is linked with is refused', async (verb) => {
      const account = await newAccount()
      const [id, twin] = (await addRecords(account.api, kind, [{}, {}])) as [number, number]
      const apart = { leads: 'customers', customers: 'leads' }[kind as 'leads'] ?? kind
      const types = [kind, apart, 'tasks', 'nothing', null]
      await untouched(account, async () => {
        const metadata = { catalog_id: 5, quantity: 2.5, price_id: 7 }
        const items = types.map((to_entity_type) => ({
          to_entity_id: twin,
          to_entity_type,
          metadata,
          entity_id: id,
        }))
        for (const at of [`${path}/${id}/${verb}`, `${path}/${verb}`]) {
          const refused = await account.api.post(at, items)
          expect([refused.status, faultsOf(refused)]).toEqual([
            400,
            {
              ...Object.fromEntries(
                [0, 1, 2, 3].map((index) => [index, ['NotSupportedChoice to_entity_type']]),
              ),
              4: ['NotNullable to_entity_type'],
            },
          ])
        }
      })
    })
  })

  test('each bad item of a batch is named, with what is wrong in it', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const [contact, firm] = [await addRecord(api, 'contacts'), await addRecord(api, 'companies')]
    const inactive = await account.addUser()
    await api.post('/api/v4/users/deactivate', [{ id: inactive.id }])
    const alien = await newAccount()
    const good = to('contacts', contact)
    await untouched(account, async () => {
      const items = [
        good,
        { ...good, metadata: { is_main: 'yes' } },
        { ...good, metadata: { main: true } },
        { ...good, metadata: { catalog_id: 5, quantity: 1, price_id: 2 } },
        { ...to('companies', firm), metadata: { is_main: true } },
        { ...good, metadata: { updated_by: inactive.id } },
        { ...good, metadata: { updated_by: alien.admin.id } },
        { ...good, metadata: { updated_by: 0 } },
        { ...good, metadata: [1] },
        { to_entity_type: 'contacts' },
        { to_entity_id: contact },
        { ...good, to_entity_id: 0 },
        { ...good, to_entity_id: 2 ** 53 },
        { ...good, entity_type: 'companies' },
        { ...good, color: 'red' },
        7,
      ]
      const expected = {
        1: ['InvalidType metadata.is_main'],
        2: ['FieldNotExpected metadata.main'],
        3: [
          'FieldNotExpected metadata.catalog_id',
          'FieldNotExpected metadata.quantity',
          'FieldNotExpected metadata.price_id',
        ],
        4: ['FieldNotExpected metadata.is_main'],
        5: ['NotSupportedChoice metadata.updated_by'],
        6: ['NotSupportedChoice metadata.updated_by'],
        7: ['TooLow metadata.updated_by'],
        8: ['InvalidType metadata'],
        9: ['FieldMissing to_entity_id'],
        10: ['FieldMissing to_entity_type'],
        11: ['TooLow to_entity_id'],
        12: ['TooHigh to_entity_id'],
        13: ['NotSupportedChoice entity_type'],
        14: ['FieldNotExpected color'],
        15: ['InvalidType '],
      }
      for (const verb of verbs) {
        const refused = await api.post(`/api/v4/leads/${lead}/${verb}`, items)
        expect([refused.status, faultsOf(refused)]).toEqual([400, expected])
      }
      const nameless = await api.post('/api/v4/leads/link', [
        good,
        { ...good, entity_id: null },
        { ...good, entity_id: 0 },
      ])
      expect(faultsOf(nameless)).toEqual({
        0: ['FieldMissing entity_id'],
        1: ['NotNullable entity_id'],
        2: ['TooLow entity_id'],
      })
      for (const body of [[], '"x"', '', Array.from({ length: 251 }, () => good)])
        for (const verb of verbs)
          expect((await api.post(`/api/v4/leads/${lead}/${verb}`, body)).status).toBe(400)
    })
  })

  test('what programs send besides is taken: nulls, what was read, texts for numbers, one object, and another id than the path says', async () => {
    const account = await newAccount()
    const { api } = account
    const [lead, twin] = (await addRecords(api, 'leads', [{}, {}])) as [number, number]
    const [contact, second] = (await addRecords(api, 'contacts', [{}, {}])) as [number, number]
    const firm = await addRecord(api, 'companies')
    const nulls = { entity_id: null, entity_type: null, metadata: null }
    expect((await link(api, 'leads', lead, { ...to('contacts', contact), ...nulls })).status).toBe(
      200,
    )
    const sent = {
      to_entity_id: String(second),
      to_entity_type: 'contacts',
      entity_id: twin,
      metadata: { is_main: 1 },
    }
    expect((await api.post(`/api/v4/leads/${lead}/link`, sent)).status).toBe(200)
    const none = {
      is_main: null,
      catalog_id: null,
      quantity: null,
      price_id: null,
      updated_by: null,
    }
    expect((await link(api, 'leads', lead, to('companies', firm, none))).status).toBe(200)
    const shown = [`contacts ${contact}`, `contacts ${second} main`, `companies ${firm}`]
    expect(await linksOf(api, 'leads', lead)).toEqual(shown)
    expect(await linksOf(api, 'leads', twin)).toEqual([])
    const { links } = (await api.get(`/api/v4/leads/${lead}/links`)).body._embedded
    await untouched(account, async () => {
      expect((await api.post('/api/v4/leads/link', links)).status).toBe(200)
    })
    expect((await api.post(`/api/v4/leads/${lead}/unlink`, links)).status).toBe(204)
    // To a company no contact is the main one.
    const main = await link(api, 'companies', firm, to('contacts', contact, { is_main: true }))
    expect(main.body._embedded.links[0].metadata).toEqual({ main_contact: false })
    await unlink(api, 'companies', firm, to('contacts', contact))
    expect(await keptLinks(account)).toEqual([])
  })

  test('250 links are one request, of one record and of several', async () => {
    const account = await newAccount()
    const { api } = account
    const firm = await addRecord(api, 'companies')
    const drafts = Array.from({ length: 250 }, () => ({}))
    const leads = await addRecords(api, 'leads', drafts)
    const items = leads.map((id) => to('leads', id))
    expect((await link(api, 'companies', firm, ...items)).body._total_items).toBe(250)
    expect(await keptLinks(account)).toHaveLength(250)
    const back = leads.map((id) => to('companies', firm, null, id))
    expect((await api.post('/api/v4/leads/unlink', back)).status).toBe(204)
    expect((await api.post('/api/v4/leads/link', back)).body._total_items).toBe(250)
  })

  test('unknown keys are left out where the server is told so', async () => {
    const account = await newAccount({ unknownKeys: 'ignore' })
    const id = await addRecord(account.api, 'leads')
    const contact = await addRecord(account.api, 'contacts')
    const sent = { ...to('contacts', contact, { main: true }), color: 'red' }
    expect((await link(account.api, 'leads', id, sent)).status).toBe(200)
  })
})

// A link that takes another away needs the right to edit the record that loses it, from whichever
// end it is asked.
describe('rights', () => {
  const letters = (view: 'A' | 'M' | 'D', edit: 'A' | 'M' | 'D') =>
    ({ view, edit, add: 'A', delete: 'D', export: 'D' }) as const

  /**
   * A user who views all records of a type and edits the user's own, and three records: two of
   * others, with a company and without, and one of the user with a company.
   */
  async function prepared(kind: 'leads' | 'contacts' | 'customers') {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser({
      rights: { [lettersOf(kind)]: letters('A', 'M'), companies: letters('A', 'A') },
    })
    const drafts = [{}, {}, { responsible_user_id: user.id }]
    const [taken, free, own] = (await addRecords(api, kind, drafts)) as [number, number, number]
    const [old, firm] = (await addRecords(api, 'companies', [{}, {}])) as [number, number]
    await link(api, 'companies', old, to(kind, taken), to(kind, own))
    return { account, user, taken, free, own, old, firm }
  }

  const denied = 'NotSupportedChoice to_entity_id'

  test.for(['leads', 'contacts', 'customers'] as const)(
    '%s leave their company only for who may edit them',
    async (kind) => {
      const { account, user, taken, free, own, old, firm } = await prepared(kind)
      const [newsSince, before] = [await listen(account), await keptLinks(account)]
      const one = await link(
        user.api,
        'companies',
        firm,
        to(kind, free),
        to(kind, taken),
        to(kind, own),
      )
      expect([one.status, faultsOf(one)]).toEqual([400, { 1: [denied] }])
      expect(one.body['validation-errors'][0].errors[0].detail).toContain(
        `right to edit ${kind.slice(0, -1)} ${taken}`,
      )
      const many = await user.api.post(`${pathOf('companies')}/link`, [to(kind, taken, null, firm)])
      expect([many.status, faultsOf(many)]).toEqual([400, { 0: [denied] }])
      expect((await link(user.api, kind, taken, to('companies', firm))).status).toBe(403)
      expect(await newsSince()).toEqual({ journal: [], events: [] })
      expect(await keptLinks(account)).toEqual(before)
      // Where nothing is taken away it is enough to see them, and what is linked already stays so.
      expect((await link(user.api, 'companies', old, to(kind, taken))).status).toBe(200)
      expect((await link(user.api, 'companies', firm, to(kind, free), to(kind, own))).status).toBe(
        200,
      )
      expect((await keptLinks(account)).toSorted()).toEqual(
        [
          `${kind} ${free} companies ${firm}`,
          `${kind} ${own} companies ${firm}`,
          `${kind} ${taken} companies ${old}`,
        ].toSorted(),
      )
    },
  )

  test('a contact that the caller does not see is not there, whatever company it has', async () => {
    const { account, taken, firm } = await prepared('contacts')
    const user = await account.addUser({
      rights: { contacts: letters('M', 'M'), companies: letters('A', 'A') },
    })
    const refused = await link(user.api, 'companies', firm, to('contacts', taken))
    expect(faultsOf(refused)).toEqual({ 0: [denied] })
    expect(refused.body['validation-errors'][0].errors[0].detail).toBe(
      `There is no contact ${taken}.`,
    )
  })

  test('a new company takes only contacts from theirs that its maker may edit', async () => {
    const { account, user, taken, free, own, old } = await prepared('contacts')
    const named = (...ids: number[]) => ({ _embedded: { contacts: ids.map((id) => ({ id })) } })
    const [newsSince, before] = [await listen(account), await keptLinks(account)]
    const refused = await user.api.post(pathOf('companies'), [named(free), named(own, taken)])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 1: ['NotSupportedChoice _embedded.contacts.1.id'] },
    ])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(await keptLinks(account)).toEqual(before)
    const id = await addRecord(user.api, 'companies', named(own, free))
    expect(await keptLinks(account)).toEqual([
      `contacts ${taken} companies ${old}`,
      `contacts ${own} companies ${id}`,
      `contacts ${free} companies ${id}`,
    ])
  })
})

// New records with links: the view and the news of both ends, and refusals.
describe('links of new records', () => {
  type Other = 'contacts' | 'companies'

  /** Which new records may name which others. */
  const pairs: [RecordType, Other][] = [
    ['leads', 'contacts'],
    ['leads', 'companies'],
    ['contacts', 'companies'],
    ['companies', 'contacts'],
    ['customers', 'contacts'],
    ['customers', 'companies'],
  ]

  /** The ids that a record embeds of a kind. */
  async function linked(
    { api }: Pick<TestAccount, 'api'>,
    from: RecordType,
    id: number,
    to: RecordType,
  ): Promise<number[]> {
    const { _embedded } = await readRecord(api, from, id, 'with=leads,contacts,companies,customers')
    return _embedded[to].map((each: { id: number }) => each.id)
  }

  describe.for(pairs)('new %s with %s', ([from, to]) => {
    const linkTo = (...ids: number[]) => ({
      ...needed(from),
      _embedded: { [to]: ids.map((id) => ({ id })) },
    })

    test('both ends show the link, alone and in lists, and its address leads to the other', async () => {
      const account = await newAccount()
      const { api, kontor } = account
      const other = await addRecord(api, to)
      const id = await addRecord(api, from, linkTo(other))
      const self = (kind: RecordType, it: number) => ({
        self: { href: `${kontor.url}${pathOf(kind)}/${it}` },
      })
      const main = from !== 'companies' && to === 'contacts' ? { is_main: true } : {}
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
      // A contact has one company at most: the last one that names it.
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
        rights: { [lettersOf(from)]: rights, [to]: { ...rights, view: 'M' } },
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
        ...Object.fromEntries(bad.map((_, index) => [index, [`NotSupportedChoice ${path}`]])),
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
        const [listed] = (await account.api.get(`${pathOf(stays)}?with=${gone}`)).body._embedded[
          stays
        ]
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
    expect(
      events.map(({ type, entity_type, entity_id }) => [type, entity_type, entity_id]),
    ).toEqual([
      ['company_added', 'company', id],
      ['contact_unlinked', 'company', old],
      ['contact_linked', 'company', id],
      ['company_unlinked', 'contact', contact],
      ['company_linked', 'contact', contact],
    ])
    expect((await readRecord(account.api, 'companies', old)).updated_at).toBeGreaterThan(5)
  })
})

// The links that a new record may name and how, and the links of a whole page.
describe('shapes of new links', () => {
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
    const named = said.map(([index, is_main]) => ({
      id: contacts[index],
      ...(is_main !== undefined && { is_main }),
    }))
    const newsSince = await listen(account)
    const id = await addRecord(account.api, 'leads', { _embedded: { contacts: named } })
    const shown = (await readRecord(account.api, 'leads', id, 'with=contacts'))._embedded.contacts
    const indexes = [...new Set(said.map(([index]) => index))].toSorted((a, b) => a - b)
    expect(shown.map((each: { id: number; is_main: boolean }) => [each.id, each.is_main])).toEqual(
      indexes.map((index) => [contacts[index], index === main]),
    )
    expect((await newsSince()).events.filter(({ type }) => type === 'lead_linked')).toHaveLength(
      indexes.length,
    )
  })

  // sent-links.test.ts has all types and lists.
  test.for(kinds)('of %s, what one does not link to is refused', async (kind) => {
    const { api } = await newAccount()
    const [one] = await addRecords(api, kind, [{}])
    const own = await api.post(pathOf(kind), [{ _embedded: { [kind]: [{ id: one }] } }])
    expect(faultsOf(own)).toEqual({ 0: [`FieldNotExpected _embedded.${kind}`] })
  })

  test.for(['leads', 'contacts', 'customers'] as const)(
    '%s have one company at most',
    async (kind) => {
      const { api } = await newAccount()
      const firms = await addRecords(api, 'companies', [{}, {}])
      const refused = await api.post(pathOf(kind), [
        { ...needed(kind), _embedded: { companies: firms.map((id) => ({ id })) } },
      ])
      expect([refused.status, faultsOf(refused)]).toEqual([
        400,
        { 0: ['TooMany _embedded.companies'] },
      ])
    },
  )

  test('what was read can be sent to make another like it', async () => {
    const account = await newAccount()
    const [contact, second] = await addRecords(account.api, 'contacts', [{}, {}])
    const firm = await addRecord(account.api, 'companies')
    const contacts = [{ id: contact }, { id: second, is_main: true }]
    const lead = await addRecord(account.api, 'leads', {
      _embedded: { contacts, companies: [{ id: firm }] },
    })
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
    const of = (index: number) => ({
      contacts: [{ id: people[index] }, { id: people[(index + 1) % 3] }],
      companies: [{ id: firms[index] }],
    })
    const leads = await addRecords(
      account.api,
      'leads',
      [0, 1, 2].map((index) => ({ _embedded: of(index) })),
    )
    const sorted = (...ids: number[]) => ids.toSorted((a, b) => a - b)
    const customers = await addRecords(
      account.api,
      'customers',
      [0, 1, 2].map((index) => ({ _embedded: of(index) })),
    )
    const expected: Record<RecordType, (place: number) => Record<string, number[]>> = {
      leads: (index) => ({
        companies: [firms[index]!],
        contacts: sorted(people[index]!, people[(index + 1) % 3]!),
      }),
      contacts: (index) => ({
        companies: [firms[index]!],
        leads: sorted(leads[index]!, leads[(index + 2) % 3]!),
        customers: sorted(customers[index]!, customers[(index + 2) % 3]!),
      }),
      companies: (index) => ({
        contacts: [people[index]!],
        leads: [leads[index]!],
        customers: [customers[index]!],
      }),
      customers: (index) => ({
        contacts: sorted(people[index]!, people[(index + 1) % 3]!),
        companies: [firms[index]!],
        segments: [],
      }),
    }
    for (const kind of allKinds) {
      const names = 'contacts,companies,leads,customers'
      const { body } = await account.api.get(`${pathOf(kind)}?with=${names}`)
      const shown = body._embedded[kind].map(
        ({ _embedded: { tags: _, ...links } }: { _embedded: Record<string, { id: number }[]> }) =>
          Object.fromEntries(
            Object.entries(links).map(([name, records]) => [name, records.map(({ id }) => id)]),
          ),
      )
      expect(shown).toEqual([0, 1, 2].map(expected[kind]))
      // Without a wish there are the companies of leads and contacts only.
      const [bare] = (await account.api.get(pathOf(kind))).body._embedded[kind]
      const always = {
        leads: ['companies'],
        contacts: ['companies'],
        companies: [],
        customers: ['segments'],
      }
      expect(Object.keys(bare._embedded)).toEqual(['tags', ...always[kind]])
    }
    const blind = await addUserWith(account, 'leads', { view: 'A' })
    expect((await blind.api.get('/api/v4/leads?with=contacts')).status).toBe(200)
  })

  test('a link to a record out of sight is not shown', async () => {
    const account = await newAccount()
    const view = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } as const
    const user = await account.addUser({
      rights: { leads: view, contacts: { ...view, view: 'M', edit: 'M' }, companies: view },
    })
    const [hidden, own] = [
      await addRecord(account.api, 'contacts', {}),
      await addRecord(account.api, 'contacts', { responsible_user_id: user.id }),
    ]
    const id = await addRecord(account.api, 'leads', {
      _embedded: { contacts: [{ id: hidden }, { id: own }] },
    })
    const ids = async (api: typeof account.api) =>
      (await readRecord(api, 'leads', id, 'with=contacts'))._embedded.contacts.map(
        (each: { id: number }) => each.id,
      )
    expect(await ids(account.api)).toEqual([hidden, own])
    expect(await ids(user.api)).toEqual([own])
  })

  test.for(allKinds)(
    'of %s, with embeds the kinds of which there are none as empty lists, which can be sent back',
    async (kind) => {
      const { api } = await newAccount()
      const id = await addRecord(api, kind, { name: 'One' })
      const names = {
        leads: ['contacts', 'companies', 'catalog_elements'],
        contacts: ['companies', 'leads', 'customers', 'catalog_elements'],
        companies: ['contacts', 'leads', 'customers', 'catalog_elements'],
        customers: ['contacts', 'companies', 'catalog_elements'],
      }[kind]
      const one = await readRecord(api, kind, id, `with=${names.join(',')}`)
      for (const name of names) expect(one._embedded[name]).toEqual([])
      expect(
        (await api.get(`/api/v4/${kind}?with=${names.join(',')}`)).body._embedded[kind],
      ).toEqual([one])
      expect((await api.patch(`/api/v4/${kind}/${id}`, one)).body.updated_at).toBe(one.updated_at)
    },
  )
})
