// Elements of catalogs on records: quantities and prices, the limits, both ends, the letters of
// catalogs, and the level L, which shows the elements of records that the user may view.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { faultsOf, listen, newsOf } from '../../../../test/leads.ts'
import {
  addCatalog,
  addElements,
  link,
  linksOf,
  shownIn,
  to,
  toElement,
  unlink,
} from '../../../../test/links.ts'
import type { InCatalog } from '../../../../test/links.ts'
import { addRecord, addRecords, allKinds, pathOf, readRecord } from '../../../../test/records.ts'
import type { RecordType } from '../../../records/description.ts'
import { purgeOldest } from '../../../records/purge.ts'

const catalogs = '/api/v4/catalogs'
const old = { updated_at: 5, updated_by: 0 }
const full = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const

/** An account with a catalog and its elements. */
async function withElements(names = ['Lamp', 'Shelf'], draft: object = {}) {
  const account = await newAccount()
  const catalog = await addCatalog(account.api, draft)
  const elements = await addElements(account.api, catalog, ...names)
  const [lamp, shelf] = elements as [InCatalog, InCatalog]
  return { account, api: account.api, catalog, elements, lamp, shelf }
}

const pathTo = ({ catalog, id }: InCatalog) => `${catalogs}/${catalog}/elements/${id}`

/** The metadata of the elements of a record, by their ids. */
async function termsOf(api: Client, kind: RecordType, id: number) {
  const { _embedded } = await readRecord(api, kind, id, 'with=catalog_elements')
  return Object.fromEntries(
    _embedded.catalog_elements.map(({ id, metadata }: { id: number; metadata: object }) => [
      id,
      metadata,
    ]),
  )
}

/** The stored elements of records in the order of linking: `leads 5 element 7 x2`. */
async function kept({ id, kontor: { database } }: TestAccount): Promise<string[]> {
  const rows = await database.rows<{ text: string }>(sql`
    select entity_type || ' ' || entity_id || ' element ' || element_id || ' x' || quantity as text
      from element_links where account_id = ${id} order by id`)
  return rows.map(({ text }) => text)
}

/** Nothing is recorded and stored meanwhile. */
async function untouched(account: TestAccount, work: () => Promise<unknown>): Promise<void> {
  const [heard, before] = [await listen(account), await kept(account)]
  await work()
  expect(await heard()).toEqual({ journal: [], events: [] })
  expect(await kept(account)).toEqual(before)
}

async function addField(api: Client, catalog: number, type: string): Promise<number> {
  const made = await api.post(`${catalogs}/${catalog}/custom_fields`, [{ name: type, type }])
  return made.body._embedded.custom_fields[0].id
}

describe.for(allKinds)('an element on %s', (kind) => {
  test('is shown with its quantity, told on the record, changed, and taken away', async () => {
    const { account, api, catalog, lamp } = await withElements()
    const { admin, kontor } = account
    const id = await addRecord(api, kind, old)
    const before = (await api.get(pathTo(lamp))).body
    const heard = await listen(account)
    const linked = await link(api, kind, id, toElement(lamp, { quantity: 2.5 }))
    const metadata = { quantity: 2.5, catalog_id: catalog, price_id: null }
    const item = { to_entity_id: lamp.id, to_entity_type: 'catalog_elements', metadata }
    const links = [{ entity_id: id, entity_type: kind, ...item }]
    const href = `${kontor.url}${pathOf(kind)}/${id}/links`
    expect([linked.status, linked.body]).toEqual([
      200,
      { _total_items: 1, _links: { self: { href } }, _embedded: { links } },
    ])
    expect((await api.get(`${pathOf(kind)}/${id}/links`)).body._embedded.links).toEqual(links)
    const element = { type: `catalog_${catalog}`, id: lamp.id }
    const heardSince = await heard()
    expect(heardSince.journal).toMatchObject([
      { entity_type: kind, entity_id: id, actions: ['update'], before: old, created_by: admin.id },
    ])
    expect(heardSince.events).toMatchObject([
      {
        entity_id: id,
        type: 'entity_linked',
        value_before: [],
        value_after: [{ link: { entity: element } }],
        created_by: admin.id,
      },
    ])
    const record = await readRecord(api, kind, id, 'with=catalog_elements')
    expect(record._embedded.catalog_elements).toEqual([
      {
        id: lamp.id,
        metadata,
        _links: { self: { href: `${kontor.url}${pathTo(lamp)}` } },
      },
    ])
    expect([record.updated_at > 5, record.updated_by]).toEqual([true, admin.id])
    const listed = await api.get(`${pathOf(kind)}?with=catalog_elements`)
    expect(listed.body._embedded[kind]).toEqual([record])
    expect((await api.get(pathTo(lamp))).body).toEqual(before)
    // A record that was read can be sent back, and the same link again.
    await untouched(account, async () => {
      expect((await api.patch(`${pathOf(kind)}/${id}`, record)).status).toBe(200)
      expect((await link(api, kind, id, links[0]!)).body._embedded.links).toEqual(links)
    })

    const user = await account.addUser()
    const changed = await listen(account)
    await link(api, kind, id, toElement(lamp, { quantity: 3, updated_by: user.id }))
    const change = await changed()
    expect(change.events).toEqual([])
    expect(change.journal).toMatchObject([
      { entity_type: kind, entity_id: id, actions: ['update'], created_by: user.id },
    ])
    expect(await termsOf(api, kind, id)).toMatchObject({ [lamp.id]: { quantity: 3 } })

    const gone = await listen(account)
    expect((await unlink(api, kind, id, toElement(lamp))).status).toBe(204)
    const value = [{ unlink: { entity: element } }]
    expect((await gone()).events).toMatchObject([
      { entity_id: id, type: 'entity_unlinked', value_before: value, value_after: value },
    ])
    await untouched(account, async () => {
      expect((await unlink(api, kind, id, toElement(lamp))).status).toBe(204)
    })
    expect(await kept(account)).toEqual([])
    expect(await linksOf(api, kind, id)).toEqual([])
  })

  test('is put on several at once, and stays hidden with its record in the bin', async () => {
    const { account, api, elements, lamp, shelf } = await withElements()
    const ids = (await addRecords(api, kind, [{}, {}, {}])) as [number, number, number]
    const items = ids.flatMap((id) => elements.map((each) => toElement(each, {}, id)))
    const linked = await api.post(`${pathOf(kind)}/link`, [...items, items[0]!])
    expect([linked.status, linked.body._total_items]).toEqual([200, 6])
    const page = `${pathOf(kind)}/links?filter[entity_id]=${ids.join()}`
    const all = ids.flatMap(() => elements.map(({ id }) => `catalog_elements ${id}`))
    expect(shownIn(await api.get(page))).toEqual(all)
    const pages = [1, 2, 3, 4].map((number) => api.get(`${page}&limit=2&page=${number}`))
    expect((await Promise.all(pages)).flatMap(shownIn)).toEqual(all)
    const next = (await api.get(`${page}&limit=3`)).body._links.next.href
    expect(shownIn(await api.get(next))).toEqual(all.slice(3))
    await api.delete(`${pathOf(kind)}/${ids[0]}`)
    expect(shownIn(await api.get(page))).toEqual(all.slice(2))
    expect(await kept(account)).toHaveLength(6)
    const found = async (query: string) =>
      shownIn(await api.get(`${pathOf(kind)}/${ids[1]}/links?${query}`))
    const named = `filter[to_entity_type]=catalog_elements&filter[to_entity_id]=${shelf.id}`
    expect(await found(named)).toEqual([`catalog_elements ${shelf.id}`])
    expect(await found(`filter[to_catalog_id]=${lamp.catalog}`)).toEqual(all.slice(2, 4))
    expect(await found(`filter[to_catalog_id]=${lamp.catalog}&${named}`)).toHaveLength(1)
    expect(await found(`filter[to_catalog_id]=${lamp.catalog + 1}&${named}`)).toEqual([])
    const other = `filter[to_entity_type]=companies&filter[to_entity_id]=${ids[1]}`
    expect(await found(`filter[to_catalog_id]=${lamp.catalog}&${other}`)).toEqual([])
    const taken = await api.post(`${pathOf(kind)}/unlink`, items.slice(2))
    expect(taken.status).toBe(204)
    await api.post(`${pathOf(kind)}/${ids[0]}/restore`)
    expect(await linksOf(api, kind, ids[0])).toEqual(all.slice(0, 2))
  })
})

describe('quantities and prices', () => {
  test.for([1, 2.5, 0.000001, 0.1, 999_999_999, 123_456_789.123456])(
    'of %d are kept exactly',
    async (quantity) => {
      const { api, lamp } = await withElements()
      const id = await addRecord(api, 'leads')
      const answer = await link(api, 'leads', id, toElement(lamp, { quantity }))
      expect(answer.body._embedded.links[0].metadata.quantity).toBe(quantity)
      expect(await termsOf(api, 'leads', id)).toMatchObject({ [lamp.id]: { quantity } })
      const [listed] = (await api.get(`/api/v4/leads/${id}/links`)).body._embedded.links
      expect(listed.metadata.quantity).toBe(quantity)
    },
  )

  test.for([
    ['2.50', 2.5],
    [1 / 3, 0.333333],
    ['0.6666666', 0.666667],
    [999_999_998.9999999, 999_999_999],
  ])('of %s, by one record or by many, are rounded to %d', async ([sent, quantity]) => {
    const { api, lamp } = await withElements()
    const ids = (await addRecords(api, 'leads', [{}, {}])) as [number, number]
    await link(api, 'leads', ids[0], toElement(lamp, { quantity: sent }))
    await api.post('/api/v4/leads/link', [toElement(lamp, { quantity: sent }, ids[1])])
    for (const id of ids)
      expect(await termsOf(api, 'leads', id)).toMatchObject({ [lamp.id]: { quantity } })
  })

  test('are 1 and none where none is sent, and what is not sent again stays', async () => {
    const { api, catalog, lamp, shelf } = await withElements()
    const [price, other] = [
      await addField(api, catalog, 'price'),
      await addField(api, catalog, 'price'),
    ]
    const id = await addRecord(api, 'customers')
    const nulls = { quantity: null, price_id: null, is_main: null, updated_by: null }
    await link(api, 'customers', id, toElement(lamp), toElement(shelf, nulls))
    const terms = (quantity: number, price_id: number | null) => ({
      quantity,
      catalog_id: catalog,
      price_id,
    })
    const now = () => termsOf(api, 'customers', id)
    expect(await now()).toEqual({ [lamp.id]: terms(1, null), [shelf.id]: terms(1, null) })
    await link(api, 'customers', id, toElement(lamp, { quantity: 4, price_id: price }))
    await link(api, 'customers', id, toElement(lamp, { price_id: other }))
    expect(await now()).toMatchObject({ [lamp.id]: terms(4, other) })
    await link(api, 'customers', id, toElement(lamp, { quantity: 5 }))
    expect(await now()).toMatchObject({ [lamp.id]: terms(5, other) })
    // Where a price is null it is none, and a price whose field is deleted is none too.
    await link(api, 'customers', id, toElement(lamp, { price_id: null }))
    expect(await now()).toMatchObject({ [lamp.id]: terms(5, null) })
    await link(api, 'customers', id, toElement(lamp, { price_id: price }))
    await api.delete(`${catalogs}/${catalog}/custom_fields/${price}`)
    expect(await now()).toMatchObject({ [lamp.id]: terms(5, null) })
    const [listed] = (await api.get(`/api/v4/customers/${id}/links`)).body._embedded.links
    expect(listed.metadata).toEqual(terms(5, null))
  })

  test('that make no sense are refused, each where it stands', async () => {
    const { account, api, catalog, lamp } = await withElements()
    const second = await addCatalog(api)
    const [text, foreign] = [
      await addField(api, catalog, 'text'),
      await addField(api, second, 'price'),
    ]
    const id = await addRecord(api, 'leads')
    const bad = [
      { quantity: 0 },
      { quantity: -1 },
      { quantity: 1_000_000_000 },
      { quantity: 'many' },
      { quantity: '0.0000001' },
      { quantity: '' },
    ]
    await untouched(account, async () => {
      const shape = await link(api, 'leads', id, ...bad.map((each) => toElement(lamp, each)))
      expect(faultsOf(shape)).toEqual({
        0: ['TooLow metadata.quantity'],
        1: ['TooLow metadata.quantity'],
        2: ['TooHigh metadata.quantity'],
        3: ['InvalidType metadata.quantity'],
        4: ['TooLow metadata.quantity'],
        5: ['InvalidType metadata.quantity'],
      })
      const wrong = [
        { price_id: text },
        { price_id: foreign },
        { price_id: 999_999 },
        { is_main: true },
      ].map((each) => toElement(lamp, each))
      expect(faultsOf(await link(api, 'leads', id, ...wrong))).toEqual({
        0: ['NotSupportedChoice metadata.price_id'],
        1: ['NotSupportedChoice metadata.price_id'],
        2: ['NotSupportedChoice metadata.price_id'],
        3: ['FieldNotExpected metadata.is_main'],
      })
    })
  })
})

describe('refusals', () => {
  test.for(['link', 'unlink'] as const)(
    'to %s elements takes their catalog, and elements that are there',
    async (verb) => {
      const { account, api, catalog, lamp } = await withElements()
      const second = await addCatalog(api)
      const theirs = await withElements()
      const id = await addRecord(api, 'companies')
      await link(api, 'companies', id, toElement(lamp))
      await untouched(account, async () => {
        const items = [
          to('catalog_elements', lamp.id),
          to('catalog_elements', lamp.id, { catalog_id: null }),
          toElement({ catalog: second, id: lamp.id }),
          toElement({ catalog, id: 999_999_999 }),
          toElement(theirs.lamp),
          toElement({ catalog: theirs.catalog, id: lamp.id }),
        ]
        const answer = await api.post(`/api/v4/companies/${id}/${verb}`, items)
        const missing = ['FieldMissing metadata.catalog_id']
        const unknown = ['NotSupportedChoice to_entity_id']
        expect([answer.status, faultsOf(answer)]).toEqual([
          400,
          { 0: missing, 1: missing, 2: unknown, 3: unknown, 4: unknown, 5: unknown },
        ])
        for (const path of [999_999_999, await addRecord(theirs.api, 'companies')])
          expect(
            (await api.post(`/api/v4/companies/${path}/${verb}`, [toElement(lamp)])).status,
          ).toBe(404)
      })
    },
  )

  test('a record has 500 elements at most', async () => {
    const { account, api, catalog } = await withElements()
    const id = await addRecord(api, 'leads')
    const names = (from: number) => Array.from({ length: 250 }, (_, index) => `E${from + index}`)
    const first = await addElements(api, catalog, ...names(0))
    const second = await addElements(api, catalog, ...names(250))
    const [more] = await addElements(api, catalog, 'One more')
    for (const each of [first, second])
      await link(api, 'leads', id, ...each.map((one) => toElement(one)))
    await untouched(account, async () => {
      const items = [toElement(more!), toElement(first[0]!)]
      expect(faultsOf(await link(api, 'leads', id, ...items))).toEqual({
        0: ['TooMany to_entity_id'],
      })
    })
    expect((await link(api, 'leads', id, toElement(first[0]!, { quantity: 2 }))).status).toBe(200)
    await unlink(api, 'leads', id, toElement(first[0]!))
    expect((await link(api, 'leads', id, toElement(more!))).status).toBe(200)
    const { _embedded } = await readRecord(api, 'leads', id, 'with=catalog_elements')
    expect(_embedded.catalog_elements).toHaveLength(500)
  })

  test('one request changes links of records and elements, or nothing of both', async () => {
    const { account, api, lamp } = await withElements()
    const [id, contact] = [await addRecord(api, 'leads'), await addRecord(api, 'contacts')]
    await untouched(account, async () => {
      const items = [to('contacts', contact), toElement({ ...lamp, id: 1 })]
      expect(faultsOf(await link(api, 'leads', id, ...items))).toEqual({
        1: ['NotSupportedChoice to_entity_id'],
      })
    })
    const heard = await listen(account)
    const both = await link(api, 'leads', id, toElement(lamp), to('contacts', contact))
    expect(shownIn(both)).toEqual([`catalog_elements ${lamp.id}`, `contacts ${contact} main`])
    const { journal, events } = await heard()
    expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual([
      ['leads', id],
      ['contacts', contact],
    ])
    expect(events.map(({ entity_id, type }) => [entity_id, type])).toEqual([
      [id, 'contact_linked'],
      [id, 'entity_linked'],
      [contact, 'lead_linked'],
    ])
    expect(await linksOf(api, 'leads', id)).toEqual([
      `contacts ${contact} main`,
      `catalog_elements ${lamp.id}`,
    ])
  })
})

describe('an element of a catalog that links to one', () => {
  const one = { can_link_multiple: false }
  const taken = { 0: ['NotSupportedChoice to_entity_id'] }

  test('has one lead or customer, and any contacts and companies', async () => {
    const { account, api, lamp, shelf } = await withElements(undefined, one)
    const [lead, second] = (await addRecords(api, 'leads', [{}, {}])) as [number, number]
    const customer = await addRecord(api, 'customers')
    const put = (kind: RecordType, id: number, metadata = {}) =>
      link(api, kind, id, toElement(lamp, metadata))
    expect((await put('leads', lead)).status).toBe(200)
    expect((await link(api, 'leads', second, toElement(shelf))).status).toBe(200)
    await untouched(account, async () => {
      expect(faultsOf(await put('leads', second))).toEqual(taken)
      expect(faultsOf(await put('customers', customer))).toEqual(taken)
      const main = await api.post(`${pathTo(lamp)}/link`, [to('customers', customer)])
      expect(faultsOf(main)).toEqual(taken)
    })
    for (const kind of ['contacts', 'companies'] as const)
      expect((await put(kind, await addRecord(api, kind))).status).toBe(200)
    expect((await put('leads', lead, { quantity: 2 })).status).toBe(200)
    // A lead in the bin keeps it, until it is purged.
    await api.delete(`/api/v4/leads/${lead}`)
    expect(faultsOf(await put('leads', second))).toEqual(taken)
    await account.kontor.database.transaction((tx) =>
      tx.list(purgeOldest(account.id, 'leads', account.kontor.now() + 1, 500)),
    )
    expect((await put('customers', customer)).status).toBe(200)
    await unlink(api, 'customers', customer, toElement(lamp))
    expect((await put('leads', second)).status).toBe(200)
  })

  test('goes to the first of a batch, and of callers at once to one', async () => {
    const { account, api, lamp, shelf } = await withElements(undefined, one)
    const leads = await addRecords(
      api,
      'leads',
      Array.from({ length: 6 }, () => ({})),
    )
    const customers = await addRecords(
      api,
      'customers',
      Array.from({ length: 6 }, () => ({})),
    )
    const items = leads.slice(0, 2).map((id) => toElement(shelf, {}, id))
    expect(faultsOf(await api.post('/api/v4/leads/link', items))).toEqual({
      1: ['NotSupportedChoice to_entity_id'],
    })
    const main = await api.post(`${pathTo(shelf)}/link`, [
      to('customers', customers[0]!),
      to('leads', leads[0]!),
    ])
    expect(faultsOf(main)).toEqual({ 1: ['NotSupportedChoice to_entity_id'] })
    const answers = await Promise.all([
      ...leads.map((id) => link(api, 'leads', id, toElement(lamp))),
      ...customers.map((id) => api.post(`${pathTo(lamp)}/link`, [to('customers', id)])),
    ])
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 400)])
    expect(await kept(account)).toHaveLength(1)
  })

  test('keeps those it had before its catalog was changed', async () => {
    const { api, catalog, lamp } = await withElements()
    const leads = await addRecords(api, 'leads', [{}, {}, {}])
    const put = (index: number, quantity = 1) =>
      link(api, 'leads', leads[index]!, toElement(lamp, { quantity }))
    await put(0)
    await put(1)
    await api.patch(`${catalogs}/${catalog}`, one)
    expect((await put(1, 2)).status).toBe(200)
    expect(faultsOf(await put(2))).toEqual(taken)
  })
})

test('elements that come and go at once: each is on its record once, or not at all', async () => {
  const { account, api, elements } = await withElements(['a', 'b', 'c', 'd'])
  const id = await addRecord(api, 'leads')
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      elements.flatMap((each, index) => [
        link(api, 'leads', id, toElement(each, { quantity: round + 1 })),
        api.post(`${pathTo(each)}/unlink`, [to('leads', id)]),
        link(api, 'leads', id, ...elements.toReversed().map((one) => toElement(one))),
        ...(index % 2 ? [unlink(api, 'leads', id, ...elements.map((one) => toElement(one)))] : []),
      ]),
    )
    for (const { status } of answers) expect([200, 204]).toContain(status)
  }
  const { journal, events } = await newsOf(account)
  const times = (type: string) => events.filter((event) => event.type === type).length
  expect(times('entity_linked') - times('entity_unlinked')).toBe((await kept(account)).length)
  expect(journal.length).toBeGreaterThan(0)
})

describe('an element as the main entity', () => {
  test('is put on leads and customers, listed with them, and taken away', async () => {
    const { account, api, catalog, lamp, shelf } = await withElements()
    const { kontor } = account
    const leads = await addRecords(api, 'leads', [old, {}])
    const [customer] = await addRecords(api, 'customers', [{}])
    const path = pathTo(lamp)
    const heard = await listen(account)
    const linked = await api.post(`${path}/link`, [
      to('customers', customer!, { quantity: 2 }),
      to('leads', leads[1]!),
      to('leads', leads[0]!, { catalog_id: catalog, quantity: 0.5 }),
    ])
    const metadata = { quantity: 0.5, catalog_id: catalog, price_id: null }
    expect([linked.status, linked.body._total_items, linked.body._links.self.href]).toEqual([
      200,
      3,
      `${kontor.url}${path}/links`,
    ])
    expect(linked.body._embedded.links[2]).toEqual({
      entity_id: lamp.id,
      entity_type: 'catalog_elements',
      to_entity_id: leads[0],
      to_entity_type: 'leads',
      metadata,
    })
    const { journal, events } = await heard()
    expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual([
      ...leads.map((id) => ['leads', id]),
      ['customers', customer],
    ])
    expect(events.map(({ entity_id, type }) => [entity_id, type])).toEqual(
      [...leads, customer].map((id) => [id, 'entity_linked']),
    )
    const all = [...leads.map((id) => `leads ${id}`), `customers ${customer}`]
    const list = await api.get(`${path}/links`)
    expect(shownIn(list)).toEqual(all)
    expect(list.body._embedded.links[0].metadata).toEqual(metadata)
    const [one, two] = [
      await api.get(`${path}/links?limit=2`),
      await api.get(`${path}/links?limit=2&page=2`),
    ]
    expect([...shownIn(one), ...shownIn(two)]).toEqual(all)
    const found = `${path}/links?filter[to_entity_type]=leads&filter[to_entity_id]=${leads[1]}`
    expect(shownIn(await api.get(found))).toEqual([`leads ${leads[1]}`])
    expect(shownIn(await api.get(`${path}/links?filter[to_catalog_id]=${catalog}`))).toEqual([])
    expect(shownIn(await api.get(`${pathTo(shelf)}/links`))).toEqual([])
    // Records in the bin are in no list.
    await api.delete(`/api/v4/leads/${leads[0]}`)
    expect(shownIn(await api.get(`${path}/links`))).toEqual(all.slice(1))
    expect(
      (await api.post(`${path}/unlink`, [to('leads', leads[1]!), to('customers', customer!)]))
        .status,
    ).toBe(204)
    expect(shownIn(await api.get(`${path}/links`))).toEqual([])
    await untouched(account, async () => {
      expect((await api.post(`${path}/unlink`, to('leads', leads[1]!))).status).toBe(204)
    })
  })

  test('is refused where it is not there, and with others than leads and customers', async () => {
    const { account, api, catalog, lamp } = await withElements()
    const second = await addCatalog(api)
    const theirs = await withElements()
    const [lead, contact] = [await addRecord(api, 'leads'), await addRecord(api, 'contacts')]
    const alien = await addRecord(theirs.api, 'leads')
    await untouched(account, async () => {
      for (const each of [
        { catalog, id: 999_999_999 },
        { catalog: second, id: lamp.id },
        { catalog: 1, id: lamp.id },
        theirs.lamp,
      ]) {
        expect((await api.get(`${pathTo(each)}/links`)).status).toBe(404)
        for (const verb of ['link', 'unlink'])
          expect((await api.post(`${pathTo(each)}/${verb}`, [to('leads', lead)])).status).toBe(404)
      }
      for (const verb of ['link', 'unlink']) {
        const shape = await api.post(`${pathTo(lamp)}/${verb}`, [
          to('contacts', contact),
          to('catalog_elements', lamp.id),
        ])
        expect(faultsOf(shape)).toEqual({
          0: ['NotSupportedChoice to_entity_type'],
          1: ['NotSupportedChoice to_entity_type'],
        })
        const wrong = await api.post(`${pathTo(lamp)}/${verb}`, [
          to('leads', alien),
          to('leads', 999_999_999),
          to('leads', lead, { catalog_id: second }),
          to('leads', lead, { is_main: true }),
          to('leads', lead, { updated_by: theirs.account.admin.id }),
        ])
        expect(faultsOf(wrong)).toEqual({
          0: ['NotSupportedChoice to_entity_id'],
          1: ['NotSupportedChoice to_entity_id'],
          2: ['NotSupportedChoice metadata.catalog_id'],
          3: ['FieldNotExpected metadata.is_main'],
          4: ['NotSupportedChoice metadata.updated_by'],
        })
      }
    })
  })

  test('takes the right to edit each record, and to view the element', async () => {
    const { account, api, catalog, lamp } = await withElements()
    const own = { ...full, view: 'A', edit: 'M' } as const
    const user = await account.addUser({ rights: { leads: own, catalog_access: true } })
    const drafts = [{}, { responsible_user_id: user.id }]
    const [foreign, mine] = (await addRecords(api, 'leads', drafts)) as [number, number]
    const [notMine, customer] = (await addRecords(api, 'customers', drafts)) as [number, number]
    const path = `${pathTo(lamp)}/link`
    const letters = [{ catalog_id: catalog, rights: { ...full, view: 'D' as const } }]
    const closed = await account.addUser({ rights: { leads: full, catalog_rights: letters } })
    const idle = await account.addUser({
      rights: { leads: { ...full, edit: 'D' }, catalog_access: true },
    })
    await untouched(account, async () => {
      const items = [to('leads', mine), to('leads', foreign), to('customers', notMine)]
      for (const verb of ['link', 'unlink'])
        expect(faultsOf(await user.api.post(`${pathTo(lamp)}/${verb}`, items))).toEqual({
          1: ['NotSupportedChoice to_entity_id'],
          2: ['NotSupportedChoice to_entity_id'],
        })
      for (const each of [closed, idle])
        expect((await each.api.post(path, [to('leads', mine)])).status).toBe(403)
      expect((await closed.api.get(`${pathTo(lamp)}/links`)).status).toBe(403)
      const from = await link(closed.api, 'leads', mine, toElement(lamp))
      expect(faultsOf(from)).toEqual({ 0: ['NotSupportedChoice to_entity_id'] })
      expect((await link(user.api, 'leads', foreign, toElement(lamp))).status).toBe(403)
    })
    const both = [to('leads', mine), to('customers', customer)]
    expect((await user.api.post(path, both)).status).toBe(200)
    await link(api, 'leads', foreign, toElement(lamp))
    // No list has records or elements that the user may not view, at either end of a link.
    const blind = await account.addUser({
      rights: { leads: { ...full, view: 'M', edit: 'M' }, catalog_access: true },
    })
    expect(shownIn(await blind.api.get(`${pathTo(lamp)}/links`))).toEqual([])
    expect(shownIn(await user.api.get(`${pathTo(lamp)}/links`))).toHaveLength(3)
    expect(await linksOf(closed.api, 'leads', mine)).toEqual([])
    expect(await termsOf(closed.api, 'leads', mine)).toEqual({})
    expect(await termsOf(user.api, 'leads', mine)).toHaveProperty(String(lamp.id))
  })
})

test('an element says where it is used: the records in view, newest first, with its quantity', async () => {
  const { account, api, lamp, shelf } = await withElements()
  const jana = await account.addUser({
    rights: {
      leads: { ...full, view: 'M' },
      companies: { view: 'A' },
      catalog_access: true,
    },
  })
  const usesOf = async (user: { api: Client }, element = lamp) => {
    const { status, body } = await user.api.get(
      `${pathTo(element).replace('/api/v4', '/web/v1')}/uses`,
    )
    return status === 200
      ? body.uses.map(({ type, count, is_more, records }: Record<string, unknown>) => [
          type,
          count,
          is_more,
          (records as { id: number; name: string; quantity: number }[]).map(
            ({ id, name, quantity }) => `${id} ${name} x${quantity}`,
          ),
        ])
      : status
  }
  const none = allKinds.map((kind) => [kind, 0, false, []])
  expect(await usesOf(account)).toEqual(none)
  await api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: true })
  const add = async (kind: RecordType, name: string, quantity: number, more: object = {}) => {
    const id = await addRecord(api, kind, { name, ...more })
    await link(api, kind, id, toElement(lamp, { quantity }))
    return id
  }
  const own = await add('leads', 'Own', 2.5, { responsible_user_id: jana.id })
  const other = await add('leads', 'Other', 1)
  const company = await add('companies', 'Acme', 3)
  const contact = await add('contacts', 'Ada', 4)
  const gone = await add('leads', 'Gone', 9)
  await api.delete(`${pathOf('leads')}/${gone}`)
  const others = (kind: string) => none.find(([each]) => each === kind)!
  expect(await usesOf(account)).toEqual([
    ['leads', 2, false, [`${other} Other x1`, `${own} Own x2.5`]],
    ['contacts', 1, false, [`${contact} Ada x4`]],
    ['companies', 1, false, [`${company} Acme x3`]],
    others('customers'),
  ])
  expect(await usesOf(jana)).toEqual([
    ['leads', 1, false, [`${own} Own x2.5`]],
    others('contacts'),
    ['companies', 1, false, [`${company} Acme x3`]],
    others('customers'),
  ])
  expect(await usesOf(account, shelf)).toEqual(none)
  expect(await usesOf(account, { ...lamp, id: 1 })).toBe(404)
  expect(await usesOf(await newAccount())).toBe(404)
  const outsider = await account.addUser({ rights: { leads: full } })
  expect(await usesOf(outsider)).toBe(403)
  // The newest 1,000 are counted, and 50 of them named.
  await account.kontor.database.rows(sql`
    insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id)
    select ${account.id}::bigint, 'companies', ${company}::bigint + n, ${lamp.id}::bigint, ${lamp.catalog}::bigint
      from generate_series(1, 1000) n`)
  expect((await usesOf(account))[2]).toEqual(['companies', 0, true, []])
})

describe('the level L', () => {
  /** A user with the level L of a catalog, and the user's own records. */
  async function limited(letters: object = { view: 'L', edit: 'L' }) {
    const made = await withElements(['Lamp', 'Shelf', 'Table'])
    const { account, api, catalog } = made
    const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' }
    const own = { ...full, view: 'M', edit: 'M' }
    const rights = {
      leads: own,
      contacts: own,
      companies: own,
      catalog_rights: [{ catalog_id: catalog, rights: { ...denied, ...letters } }],
    }
    const user = await account.addUser({ rights: rights as object })
    const drafts = [{ responsible_user_id: user.id }, {}]
    const records = async (kind: RecordType) =>
      (await addRecords(api, kind, drafts)) as [number, number]
    return { ...made, user, records, path: `${catalogs}/${catalog}/elements` }
  }

  const idsOf = ({ body }: Answer): number[] =>
    body._embedded.elements.map(({ id }: { id: number }) => id)

  test.for(allKinds)('shows the elements of those %s that the user may view', async (kind) => {
    const { api, user, records, path, lamp, shelf } = await limited()
    const [mine, foreign] = await records(kind)
    await link(api, kind, mine, toElement(lamp))
    await link(api, kind, foreign, toElement(lamp), toElement(shelf))
    for (const query of ['', `?filter[id]=${lamp.id},${shelf.id}`, '?query=a', '?query=lamp'])
      expect(idsOf(await user.api.get(path + query))).toEqual([lamp.id])
    expect(idsOf(await user.api.get(`${path}?query=shelf`))).toEqual([])
    const statuses = async (each: InCatalog) => [
      (await user.api.get(pathTo(each))).status,
      (await user.api.get(`${pathTo(each)}/links`)).status,
      (await user.api.patch(pathTo(each), { name: 'Lamp' })).status,
    ]
    expect(await statuses(lamp)).toEqual([200, 200, 200])
    expect(await statuses(shelf)).toEqual([403, 403, 403])
    expect(
      (
        await user.api.patch(
          path,
          [lamp, shelf].map(({ id }) => ({ id })),
        )
      ).status,
    ).toBe(403)
    expect(await linksOf(user.api, kind, mine)).toEqual([`catalog_elements ${lamp.id}`])
    expect(await termsOf(user.api, kind, mine)).toHaveProperty(String(lamp.id))
    // In the bin the record shows nothing.
    await api.delete(`${pathOf(kind)}/${mine}`)
    expect(idsOf(await user.api.get(path))).toEqual([])
    await api.post(`${pathOf(kind)}/${mine}/restore`)
    await unlink(api, kind, mine, toElement(lamp))
    expect(await statuses(lamp)).toEqual([403, 403, 403])
  })

  test('links and unlinks the elements that it shows', async () => {
    const { account, api, user, records, lamp, shelf } = await limited()
    const [lead, foreign] = await records('leads')
    const [customer] = await records('customers')
    await link(api, 'leads', lead, toElement(lamp))
    await link(api, 'leads', foreign, toElement(shelf))
    const unknown = ['NotSupportedChoice to_entity_id']
    await untouched(account, async () => {
      const items = [toElement(lamp), toElement(shelf)]
      expect(faultsOf(await link(user.api, 'customers', customer, ...items))).toEqual({
        1: unknown,
      })
      expect(faultsOf(await unlink(user.api, 'customers', customer, ...items))).toEqual({
        1: unknown,
      })
      expect((await user.api.post(`${pathTo(shelf)}/link`, [to('leads', lead)])).status).toBe(403)
    })
    expect((await link(user.api, 'customers', customer, toElement(lamp))).status).toBe(200)
    expect((await user.api.post(`${pathTo(lamp)}/unlink`, [to('leads', lead)])).status).toBe(204)
    const more = toElement(lamp, { quantity: 7 })
    expect((await link(user.api, 'customers', customer, more)).status).toBe(200)
    expect((await unlink(user.api, 'customers', customer, toElement(lamp))).status).toBe(204)
    expect(faultsOf(await link(user.api, 'leads', lead, toElement(lamp)))).toEqual({ 0: unknown })
  })

  test('shows the events of these elements', async () => {
    const { api, user, records, lamp, shelf } = await limited()
    const [lead] = await records('leads')
    for (const each of [lamp, shelf]) await api.patch(pathTo(each), { name: 'New' })
    const heard = async () => {
      const { events } = (await user.api.get('/api/v4/events')).body._embedded
      return events.filter(({ type }: { type: string }) => type === 'name_field_changed')
    }
    expect(await heard()).toEqual([])
    await link(api, 'leads', lead, toElement(lamp))
    const [event] = await heard()
    expect(event).toMatchObject({ entity_type: `catalog_${lamp.catalog}`, entity_id: lamp.id })
    expect(await heard()).toHaveLength(1)
    expect((await user.api.get(`/api/v4/events/${event.id}`)).status).toBe(200)
    const [other] = (await api.get('/api/v4/events')).body._embedded.events.filter(
      ({ entity_id }: { entity_id: number }) => entity_id === shelf.id,
    )
    expect((await user.api.get(`/api/v4/events/${other.id}`)).status).toBe(404)
  })

  test('looks at the newest 250 records of a type; on its record an element stays shown', async () => {
    const { api, user, records, path, lamp } = await limited()
    const [mine] = await records('leads')
    await link(api, 'leads', mine, toElement(lamp))
    const others = await addRecords(
      api,
      'leads',
      Array.from({ length: 250 }, () => ({})),
    )
    await api.post(
      '/api/v4/leads/link',
      others.slice(1).map((id) => toElement(lamp, {}, id)),
    )
    expect(idsOf(await user.api.get(path))).toEqual([lamp.id])
    await link(api, 'leads', others[0]!, toElement(lamp))
    expect(idsOf(await user.api.get(path))).toEqual([])
    expect(await linksOf(user.api, 'leads', mine)).toEqual([`catalog_elements ${lamp.id}`])
    const change = toElement(lamp, { quantity: 2 })
    expect((await link(user.api, 'leads', mine, change)).status).toBe(200)
    expect((await unlink(user.api, 'leads', mine, toElement(lamp))).status).toBe(204)
  })

  test('of a view of all, edits the linked elements only', async () => {
    const { api, user, records, lamp, shelf } = await limited({ view: 'A', edit: 'L' })
    const [lead] = await records('leads')
    await link(api, 'leads', lead, toElement(lamp))
    const edit = async (user: TestUser, each: InCatalog) =>
      (await user.api.patch(pathTo(each), { name: 'New' })).status
    expect([await edit(user, lamp), await edit(user, shelf)]).toEqual([200, 403])
    expect((await user.api.get(pathTo(shelf))).status).toBe(200)
  })
})
