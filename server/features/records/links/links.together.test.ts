// Requests that link the same records at once: every end agrees, and no caller is sent away.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { faultsOf, newsOf } from '../../../../test/leads.ts'
import {
  addCatalog,
  addElements,
  keptLinks,
  link,
  linksOf,
  to,
  unlink,
} from '../../../../test/links.ts'
import type { InCatalog } from '../../../../test/links.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { addRecord, addRecords, pathOf } from '../../../../test/records.ts'
import { changeCompanies, companies, createCompanies } from '../companies/companies.ts'
import { changeContacts, contacts, createContacts } from '../contacts/contacts.ts'
import { changeElements } from '../elements/elements.ts'
import { createLeads } from '../leads/leads.ts'
import { singular } from '../../../entity-types.ts'
import { serverItself } from '../../../access/user-access.ts'
import type { Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import type { RecordType } from '../../../records/description.ts'
import { deleteRecord, restoreRecord } from '../../../records/writing/bin.ts'
import { linkRecords, unlinkRecords } from './links.ts'

// A lead has one main contact, and a link has both its ends or none.
describe('verbs of links', () => {
  const drafts = (length: number) => Array.from({ length }, () => ({}))
  const isMain = { is_main: true }

  /** The types that hold contacts, with a main one, and one company. */
  const holders = ['leads', 'customers'] as const

  test.for(holders)(
    'main contacts of %s that are linked at once: one of them is it',
    async (kind) => {
      const account = await newAccount()
      const { api } = account
      for (let round = 0; round < 5; round++) {
        const id = await addRecord(api, kind)
        const contacts = await addRecords(api, 'contacts', drafts(8))
        const answers = await Promise.all(
          contacts.map((contact, index) =>
            index % 2
              ? link(api, kind, id, to('contacts', contact, isMain))
              : link(api, 'contacts', contact, to(kind, id)),
          ),
        )
        expect(answers.map(({ status }) => status)).toEqual(contacts.map(() => 200))
        const shown = await linksOf(api, kind, id)
        expect(shown).toHaveLength(8)
        expect(shown.filter((each) => each.endsWith('main'))).toHaveLength(1)
      }
      await keptLinks(account)
    },
  )

  test('of 60 contacts that are linked to a customer at once, 40 are', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, 'customers')
    const contacts = await addRecords(api, 'contacts', drafts(60))
    const answers = await Promise.all(
      contacts.map((contact, index) =>
        index % 2
          ? link(api, 'customers', id, to('contacts', contact))
          : link(api, 'contacts', contact, to('customers', id)),
      ),
    )
    const linked = contacts.filter((_, index) => answers[index]!.status === 200)
    expect(linked).toHaveLength(40)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(faultsOf(answer)).toEqual({ 0: ['TooMany to_entity_id'] })
    const shown = await linksOf(api, 'customers', id)
    expect(shown.map((each) => each.replace(' main', ''))).toEqual(
      linked.map((contact) => `contacts ${contact}`),
    )
    await keptLinks(account)
  })

  test('links that come and go at once: both ends or none, and a main contact as long as there is one', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const contacts = await addRecords(api, 'contacts', drafts(4))
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        contacts.flatMap((id, index) => [
          link(api, 'leads', lead, to('contacts', id, index % 2 ? isMain : null)),
          unlink(api, 'contacts', id, to('leads', lead)),
          unlink(api, 'leads', lead, ...contacts.toReversed().map((each) => to('contacts', each))),
        ]),
      )
      expect(
        answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 204),
      ).toEqual([])
      const kept = await keptLinks(account)
      expect(kept.filter((each) => each.endsWith('main'))).toHaveLength(kept.length > 0 ? 1 : 0)
    }
    // The events add up to the links there are.
    const { events } = await newsOf(account)
    const heard = events.filter(
      ({ entity_type, entity_id }) => entity_type === 'lead' && entity_id === lead,
    )
    const times = (type: string) => heard.filter((event) => event.type === type).length
    expect(times('contact_linked') - times('contact_unlinked')).toBe(
      (await linksOf(api, 'leads', lead)).length,
    )
  })

  test.for(holders)(
    'companies that are linked to one of %s at once: the last one stays, and the others hear that they went',
    async (kind) => {
      const account = await newAccount()
      const { api } = account
      const id = await addRecord(api, kind)
      const firms = await addRecords(api, 'companies', drafts(10))
      const answers = await Promise.all(
        firms.map((firm, index) =>
          index % 2
            ? link(api, 'companies', firm, to(kind, id))
            : link(api, kind, id, to('companies', firm)),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(firms.map(() => 200))
      const kept = await keptLinks(account)
      expect(kept).toHaveLength(1)
      const { events } = await newsOf(account)
      const gone = events.filter(
        ({ type, entity_type }) =>
          type === `${singular[kind]}_unlinked` && entity_type === 'company',
      )
      expect(gone).toHaveLength(9)
      expect(
        new Set(gone.map(({ entity_id }) => `${kind} ${id} companies ${entity_id}`)),
      ).not.toContain(kept[0])
    },
  )

  test.for(['leads', 'contacts'] as const)(
    'a link of %s waits for a deletion that is under way, and is refused then',
    async (kind) => {
      const account = await newAccount()
      const { api, kontor } = account
      const [lead, contact] = [await addRecord(api, 'leads'), await addRecord(api, 'contacts')]
      const send = () =>
        kind === 'leads'
          ? link(api, kind, lead, to('contacts', contact))
          : link(api, kind, contact, to('leads', lead))
      const sent: ReturnType<typeof send>[] = []
      await kontor.database.transaction(async (tx) => {
        await tx.rows(
          sql`update contacts set is_deleted = true where account_id = ${account.id} and id = ${contact}`,
        )
        sent.push(send())
        await untilAwaited(tx)
      })
      const [answer] = await Promise.all(sent)
      if (kind === 'contacts') expect(answer!.status).toBe(404)
      else
        expect([answer!.status, faultsOf(answer!)]).toEqual([
          400,
          { 0: ['NotSupportedChoice to_entity_id'] },
        ])
      expect(await keptLinks(account)).toEqual([])
    },
  )

  test('links and deletions that meet leave both ends or none', async () => {
    const account = await newAccount()
    const { api } = account
    for (let round = 0; round < 8; round++) {
      const [lead, contact, firm] = [
        await addRecord(api, 'leads'),
        await addRecord(api, 'contacts'),
        await addRecord(api, 'companies'),
      ]
      const answers = await Promise.all([
        link(api, 'leads', lead, to('contacts', contact), to('companies', firm)),
        api.delete(`${pathOf('contacts')}/${contact}`),
        link(api, 'contacts', contact, to('companies', firm)),
        api.delete(`${pathOf('companies')}/${firm}`),
      ])
      for (const { status } of answers) expect([200, 204, 400, 404]).toContain(status)
      await keptLinks(account)
    }
  })

  test('verbs that meet at the same records in opposite order wait for each other: none is run again', async () => {
    const account = await newAccount()
    const { database } = account.kontor
    const actor = { ...serverItself(account.id, account.kontor.now()), userId: account.admin.id }
    const leads = await addRecords(account.api, 'leads', drafts(12))
    const contacts = await addRecords(account.api, 'contacts', drafts(12))
    const firms = await addRecords(account.api, 'companies', drafts(12))
    const customers = await addRecords(account.api, 'customers', drafts(12))
    const batch = <Value extends object>(values: Value[]) => ({
      items: values.map((value, index) => ({ index, request_id: String(index), value })),
      faults: newFaults(),
    })
    const pairs = (ones: number[], type: RecordType, others: number[]) =>
      batch(
        ones.map((entity_id, index) => ({
          entity_id,
          to_entity_type: type,
          to_entity_id: others[index]!,
        })),
      )
    let attempts = 0
    const run = (work: (tx: Tx) => Promise<unknown>) =>
      database.transaction(async (tx) => {
        attempts++
        await work(tx)
      })
    const rounds = 6
    for (let round = 0; round < rounds; round++) {
      const turned = <Each>(list: Each[]) => [...list.slice(round), ...list.slice(0, round)]
      const back = <Each>(list: Each[]) => list.toReversed()
      const spare = await addRecord(account.api, 'companies', {
        _embedded: { contacts: [{ id: contacts[round] }] },
      })
      await Promise.all([
        run((tx) => linkRecords(tx, actor, 'leads', pairs(leads, 'contacts', turned(contacts)))),
        run((tx) =>
          linkRecords(tx, actor, 'contacts', pairs(back(contacts), 'leads', back(turned(leads)))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'companies', pairs(back(firms), 'leads', turned(leads))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'companies', pairs(turned(firms), 'contacts', back(contacts))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'contacts', pairs(turned(contacts), 'companies', firms)),
        ),
        run((tx) =>
          unlinkRecords(tx, actor, 'leads', pairs(back(leads), 'contacts', turned(contacts))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'contacts', pairs(contacts, 'customers', turned(customers))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'customers', pairs(back(customers), 'contacts', back(contacts))),
        ),
        run((tx) =>
          linkRecords(tx, actor, 'companies', pairs(back(firms), 'customers', turned(customers))),
        ),
        run((tx) =>
          unlinkRecords(tx, actor, 'customers', pairs(customers, 'contacts', turned(contacts))),
        ),
        run((tx) =>
          createCompanies(
            tx,
            actor,
            batch(back(contacts).map((id) => ({ _embedded: { contacts: [{ id }] } }))),
          ),
        ),
        run((tx) => deleteRecord(tx, actor, companies, spare)),
      ])
      const kept = await keptLinks(account)
      const mains = Map.groupBy(
        kept.filter((each) => /^(leads|customers) \d+ contacts/.test(each)),
        (each) => each.split(' contacts')[0],
      )
      for (const each of mains.values())
        expect(each.filter((one) => one.endsWith('main'))).toHaveLength(1)
      const holders = kept.flatMap((each) => /^(\w+ \d+) companies/.exec(each)?.[1] ?? [])
      expect(new Set(holders).size).toBe(holders.length)
    }
    expect(attempts).toBe(rounds * 12)
  })
})

// The elements of a catalog that links each to one lead are locked after the records.
test('verbs that meet at elements and records in opposite order wait for each other: none is run again', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const actor = { ...serverItself(account.id, kontor.now()), userId: account.admin.id }
  const catalog = await addCatalog(api, { can_link_multiple: false })
  const elements = await addElements(api, catalog, ...Array.from({ length: 10 }, (_, n) => `E${n}`))
  const leads = await addRecords(
    api,
    'leads',
    Array.from({ length: 10 }, () => ({})),
  )
  const batch = <Value extends object>(values: Value[]) => ({
    items: values.map((value, index) => ({ index, request_id: String(index), value })),
    faults: newFaults(),
  })
  const items = (ids: number[], others: InCatalog[]) =>
    batch(
      ids.map((entity_id, index) => ({
        entity_id,
        to_entity_id: others[index]!.id,
        to_entity_type: 'catalog_elements' as const,
        metadata: { catalog_id: catalog },
      })),
    )
  let attempts = 0
  const run = async (work: (tx: Tx) => Promise<unknown>) => {
    const done = kontor.database.transaction(async (tx) => {
      attempts++
      await work(tx)
    })
    // An element that another lead has is refused.
    await done.catch((error: { status?: number }) => expect(error.status).toBe(400))
  }
  const back = <Each>(list: Each[]) => list.toReversed()
  for (let round = 0; round < 6; round++)
    await Promise.all([
      run((tx) => linkRecords(tx, actor, 'leads', items(leads, elements))),
      run((tx) => linkRecords(tx, actor, 'leads', items(back(leads), elements))),
      run((tx) => unlinkRecords(tx, actor, 'leads', items(leads, back(elements)))),
      run((tx) => unlinkRecords(tx, actor, 'leads', items(back(leads), back(elements)))),
      run((tx) =>
        changeElements(
          tx,
          actor,
          '',
          catalog,
          batch(back(elements).map(({ id }) => ({ id, name: `New ${round}` }))),
        ),
      ),
    ])
  expect(attempts).toBe(6 * 5)
  const kept = await kontor.database.rows<{ element_id: number }>(
    sql`select element_id from element_links where account_id = ${account.id}`,
  )
  expect(new Set(kept.map(({ element_id }) => element_id)).size).toBe(kept.length)
})

// Verbs that meet at the same contacts and companies wait for each other in one order: none is run
// again, none is refused.
describe('creations with links', () => {
  const batch = <Value extends object>(values: Value[]) => ({
    items: values.map((value, index) => ({ index, request_id: String(index), value })),
    faults: newFaults(),
  })

  test('creations that link the same records in opposite order, changes and deletions of them: nothing is run again', async () => {
    const account = await newAccount()
    const { database } = account.kontor
    const actor = { ...serverItself(account.id, account.kontor.now()), userId: account.admin.id }
    const people = await addRecords(
      account.api,
      'contacts',
      Array.from({ length: 10 }, () => ({})),
    )
    const firms = await addRecords(
      account.api,
      'companies',
      Array.from({ length: 10 }, () => ({})),
    )
    let attempts = 0
    const run = (work: (tx: Tx) => Promise<unknown>) =>
      database.transaction(async (tx) => {
        attempts++
        await work(tx)
      })
    const rounds = 8
    for (let round = 0; round < rounds; round++) {
      const [spare] = await addRecords(account.api, 'contacts', [{}])
      const [forward, back] = [people, people.toReversed()]
      const refer = (ids: number[]) => ids.map((id) => ({ id }))
      const newLeads = (ids: number[], firm: number[]) =>
        batch(firm.map((id) => ({ _embedded: { contacts: refer(ids), companies: [{ id }] } })))
      await Promise.all([
        run((tx) => createLeads(tx, actor, newLeads(forward, firms))),
        run((tx) => createLeads(tx, actor, newLeads(back, firms.toReversed()))),
        run((tx) =>
          createCompanies(
            tx,
            actor,
            batch(back.map((id) => ({ _embedded: { contacts: refer([id, people[0]!]) } }))),
          ),
        ),
        run((tx) =>
          createContacts(
            tx,
            actor,
            batch(firms.toReversed().map((id) => ({ _embedded: { companies: [{ id }] } }))),
          ),
        ),
        run((tx) =>
          changeContacts(tx, actor, batch(back.map((id) => ({ id, name: `round ${round}` })))),
        ),
        run((tx) =>
          changeCompanies(
            tx,
            actor,
            batch(firms.toReversed().map((id) => ({ id, name: `round ${round}` }))),
          ),
        ),
        run(async (tx) => {
          await deleteRecord(tx, actor, contacts, spare!)
          await restoreRecord(tx, actor, contacts, spare!)
        }),
      ])
    }
    expect(attempts).toBe(rounds * 7)
    const { count } = (await database.row<{ count: number }>(sql`
      select count(*) as count from links where account_id = ${account.id} and from_type = 'leads' and to_type = 'contacts'`))!
    expect(count).toBe(rounds * 2 * 10 * 10)
  })

  test('callers who link the same records in opposite order are all answered', async () => {
    const { api } = await newAccount()
    const people = await addRecords(
      api,
      'contacts',
      Array.from({ length: 20 }, () => ({})),
    )
    const firms = await addRecords(
      api,
      'companies',
      Array.from({ length: 5 }, () => ({})),
    )
    const calls = Array.from({ length: 24 }, (_, caller) => {
      const ids = (caller % 2 ? people : people.toReversed()).map((id) => ({ id }))
      const kind = caller % 3 ? 'leads' : 'companies'
      const firm = { companies: [{ id: firms[caller % 5] }] }
      return api.post(pathOf(kind), [
        { _embedded: { contacts: ids, ...(kind === 'leads' && firm) } },
        { _embedded: { contacts: ids } },
      ])
    })
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
  })
})
