// A waiting item: its lead is seen by id and in its status, and nothing else of it is.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { rowsOf } from '../../../../test/account-data.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { addComplex, item, person, phone, withControl } from '../../../../test/complex.ts'
import { addField, valueOf } from '../../../../test/fields.ts'
import {
  addLeads,
  addPipeline,
  faultsOf,
  listen,
  mainPipeline,
  readLead,
} from '../../../../test/leads.ts'
import { addCatalog, addElements, link, linksOf, to, toElement } from '../../../../test/links.ts'
import { addNote } from '../../../../test/notes.ts'
import { within, watchWays } from '../../../../test/lists/ways.ts'
import { addRecord, find, idsIn, search } from '../../../../test/records.ts'
import {
  accept,
  addItem,
  addItems,
  decline,
  inUnsorted,
  threeParts,
  uidsIn,
  unsorted,
} from '../../../../test/unsorted.ts'

const leads = '/api/v4/leads'

/** The ids of a list of leads, page by page. */
async function walk(api: Client, query: string): Promise<number[]> {
  const ids: number[] = []
  for (let next: string | undefined = `${leads}?${query}`; next;) {
    const answer: Answer = await api.get(next)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    ids.push(...idsIn(answer, 'leads'))
    next = answer.body._links.next?.href
  }
  return ids
}

describe('the waiting lead', () => {
  test('is read by its id, and changed in everything', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const user = await account.addUser()
    const field = await addField(account, 'leads', { type: 'numeric' })
    const added = await addItem(api)
    const changed = await api.patch(`${leads}/${added.lead}`, {
      name: 'Changed',
      price: 9,
      responsible_user_id: user.id,
      tags_to_add: [{ name: 'new' }],
      custom_fields_values: [valueOf(field, { value: 3 })],
      status_id: main.unsorted,
      pipeline_id: main.id,
    })
    expect(changed.status).toBe(200)
    expect(await readLead(api, added.lead)).toMatchObject({
      name: 'Changed',
      price: 9,
      status_id: main.unsorted,
      responsible_user_id: user.id,
      custom_fields_values: [{ values: [{ value: '3' }] }],
      _embedded: { tags: [{ name: 'new' }] },
    })
    expect(await uidsIn(api)).toEqual([added.uid])
    // The acceptance keeps all of it.
    expect((await accept(api, added)).status).toBe(200)
    expect(await readLead(api, added.lead)).toMatchObject({
      name: 'Changed',
      price: 9,
      status_id: main.statuses[0],
      responsible_user_id: user.id,
      custom_fields_values: [{ values: [{ value: '3' }] }],
      _embedded: { tags: [{ name: 'new' }], companies: [{ id: added.company }] },
    })
  })

  test('is not deleted by itself, nor with others, and is in no bin', async () => {
    const account = await newAccount()
    const { api } = account
    const added = await addItem(api)
    const before = await rowsOf(account)
    expect((await api.delete(`${leads}/${added.lead}`)).status).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
    expect(await walk(api, 'with=only_deleted')).toEqual([])
    expect((await readLead(api, added.lead)).is_deleted).toBe(false)
  })

  test('is not linked with contacts and companies, from neither side', async () => {
    const account = await newAccount()
    const { api } = account
    const added = await addItem(api)
    const contact = await addRecord(api, 'contacts')
    const company = await addRecord(api, 'companies')
    const newsSince = await listen(account)
    const answers = [
      await link(api, 'leads', added.lead, to('contacts', contact)),
      await link(api, 'leads', added.lead, to('companies', company)),
      await link(api, 'contacts', contact, to('leads', added.lead)),
      await link(api, 'companies', company, to('leads', added.lead)),
    ]
    for (const answer of answers)
      expect([answer.status, faultsOf(answer)]).toEqual([
        400,
        { 0: ['NotSupportedChoice to_entity_id'] },
      ])
    expect(await linksOf(api, 'leads', added.lead)).toEqual([])
    expect(await linksOf(api, 'contacts', contact)).toEqual([])
    expect((await newsSince()).journal).toEqual([])
    await accept(api, added)
    expect((await link(api, 'leads', added.lead, to('contacts', contact))).status).toBe(200)
  })

  test('of ordinary leads none is put into the unsorted status', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const added = await addItem(account.api)
    const [lead] = await addLeads(account.api, [{}])
    for (const [id, draft] of [
      [lead, { status_id: main.unsorted }],
      [added.lead, { status_id: other.unsorted }],
      [added.lead, { pipeline_id: other.id, status_id: other.unsorted }],
    ] as const) {
      const answer = await account.api.patch(`${leads}/${id}`, draft)
      expect([answer.status, faultsOf(answer)]).toEqual([
        400,
        { 0: ['NotSupportedChoice status_id'] },
      ])
    }
    expect(await uidsIn(account.api)).toEqual([added.uid])
    expect((await readLead(account.api, added.lead)).pipeline_id).toBe(main.id)
  })
})

describe('lists of leads', () => {
  /** Leads and waiting leads in turn, of two pipelines, that filters, searches and orders concern. */
  async function mixed() {
    const account = await newAccount()
    const { api } = account
    const [main, other] = [await mainPipeline(account), await addPipeline(account)]
    const user = await account.addUser()
    const field = await addField(account, 'leads', { type: 'numeric' })
    const drafts = Array.from({ length: 24 }, (_, index) => ({
      name: `Request ${index % 3}`,
      price: index % 4,
      pipeline_id: index % 5 ? main.id : other.id,
      responsible_user_id: index % 2 ? user.id : account.admin.id,
      created_at: 1_700_000_000 + (index % 6),
      custom_fields_values: [valueOf(field, { value: index % 4 })],
      tags_to_add: [{ name: 'tag' }],
    }))
    const known: { id: number; waits: boolean; draft: (typeof drafts)[number] }[] = []
    for (const [index, draft] of drafts.entries()) {
      const waits = index % 3 !== 1
      const { pipeline_id, ...lead } = draft
      const id = waits
        ? (await addItem(api, { pipeline_id, _embedded: { leads: [lead] } })).lead
        : (await addLeads(api, [draft]))[0]!
      known.push({ id, waits, draft })
    }
    return { account, api, main, other, user, field, known }
  }

  test('show waiting leads only where a filter names their status, whatever else is asked', async () => {
    const { account, api, main, other, user, field, known } = await mixed()
    const ways = watchWays(account.kontor.database)
    type Draft = (typeof known)[number]['draft']
    const conditions: [query: string, passes: (draft: Draft) => boolean][] = [
      ['', () => true],
      ['query=request 1', ({ name }) => name === 'Request 1'],
      ['query=request', () => true],
      ['filter[name]=request 2', ({ name }) => name === 'Request 2'],
      ['filter[price]=3', ({ price }) => price === 3],
      ['filter[price][from]=1&filter[price][to]=2', ({ price }) => price === 1 || price === 2],
      [`filter[responsible_user_id]=${user.id}`, (draft) => draft.responsible_user_id === user.id],
      ['filter[created_at][from]=1700000003', (draft) => draft.created_at >= 1_700_000_003],
      [`filter[custom_fields_values][${field.id}][from]=1`, (draft) => draft.price !== 0],
      [`filter[created_by]=${account.admin.id}`, () => true],
      [`filter[id][]=${known.map(({ id }) => id).join('&filter[id][]=')}`, () => true],
      [
        `query=request&filter[price][to]=2&filter[responsible_user_id]=${user.id}`,
        (draft) => draft.price <= 2 && draft.responsible_user_id === user.id,
      ],
    ]
    const searches: [query: string, passes: (each: (typeof known)[number]) => boolean][] = [
      ['', ({ waits }) => !waits],
      [
        `&filter[pipeline_id]=${main.id}`,
        ({ waits, draft }) => !waits && draft.pipeline_id === main.id,
      ],
      [`&${inUnsorted(main)}`, ({ waits, draft }) => waits && draft.pipeline_id === main.id],
      [
        `&${inUnsorted(main)}&filter[statuses][1][pipeline_id]=${other.id}&filter[statuses][1][status_id]=${other.statuses[0]}`,
        ({ waits, draft }) => waits === (draft.pipeline_id === main.id),
      ],
      [
        `&filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${main.statuses[0]}`,
        ({ waits, draft }) => !waits && draft.pipeline_id === main.id,
      ],
    ]
    const orders: [query: string, key: (each: (typeof known)[number]) => number, sign: 1 | -1][] = [
      ['', ({ id }) => id, 1],
      ['&order[id]=desc', ({ id }) => id, -1],
      ['&order[created_at]=asc', ({ draft }) => draft.created_at, 1],
      ['&order[created_at]=desc', ({ draft }) => draft.created_at, -1],
    ]
    const low = [
      {},
      { smallSet: 0, windowRows: 0, costlyWindowRows: 0, mediumSet: 0 },
      { smallSet: 4, windowRows: 0, costlyWindowRows: 0, mediumSet: 0 },
      { smallSet: 0, windowRows: 10, costlyWindowRows: 10, mediumSet: 1000 },
    ]
    for (const [condition, passes] of conditions)
      for (const [parameters, isThere] of searches)
        for (const [number, [order, key, sign]] of orders.entries()) {
          const expected = known
            .filter((each) => passes(each.draft) && isThere(each))
            .toSorted((one, two) => sign * (key(one) - key(two) || one.id - two.id))
            .map(({ id }) => id)
          const query = `${condition}${parameters}${order}&limit=3`
          const found = await within(low[(number + condition.length) % low.length]!, async () => {
            const ids = []
            for (let next: string | undefined = `${leads}?${query}`; next;) {
              const answer: Answer = await api.get(next)
              ways.last()
              ids.push(...idsIn(answer, 'leads'))
              next = answer.body._links.next?.href
            }
            return ids
          })
          expect({ query, found }).toEqual({ query, found: expected })
        }
    expect([...ways.taken.keys()]).toEqual(
      expect.arrayContaining(['direct', 'lookUp', 'window', 'plain']),
    )
  })

  test('leave them out of other accounts, searches of linked records, and tags and pipelines go on', async () => {
    const { api } = await newAccount()
    await addItem(api)
    expect(await search({ api }, 'leads', 'A lead')).toEqual([])
    expect(await search({ api }, 'leads', 'Ann')).toEqual([])
    for (const kind of ['contacts', 'companies'] as const) {
      expect(await find({ api }, kind)).toEqual([])
      for (const words of ['Ann', 'Acme', '10000000002', 'A lead'])
        expect(await search({ api }, kind, words)).toEqual([])
    }
  })
})

describe('contact and company', () => {
  test('are nowhere: not read, not changed, not linked, not noted, not deleted', async () => {
    const account = await newAccount()
    const { api } = account
    const { contact, company } = await addItem(api)
    const before = await rowsOf(account)
    const [lead] = await addLeads(api, [{}])
    for (const [kind, id] of [
      ['contacts', contact],
      ['companies', company],
    ] as const) {
      const path = `/api/v4/${kind}/${id}`
      expect((await api.get(path)).status).toBe(404)
      expect((await api.patch(path, { name: 'x' })).status).toBe(404)
      expect((await api.delete(path)).status).toBe(404)
      expect((await api.get(`${path}/links`)).status).toBe(404)
      expect((await link(api, kind, id, to('leads', lead!))).status).toBe(404)
      expect((await link(api, 'leads', lead!, to(kind, id))).status).toBe(400)
      expect(
        (
          await api.post(`/api/v4/${kind}/notes`, [
            { entity_id: id, note_type: 'common', params: { text: 'x' } },
          ])
        ).status,
      ).toBe(400)
      expect(
        (
          await api.post('/api/v4/tasks', [
            { text: 'x', complete_till: 2_000_000_000, entity_type: kind, entity_id: id },
          ])
        ).status,
      ).toBe(400)
      expect((await api.post(leads, [{ _embedded: { [kind]: [{ id }] } }])).status).toBe(400)
      expect(await find({ api }, kind, `filter[id]=${id}`)).toEqual([])
    }
    const after = await rowsOf(account)
    for (const table of [
      'contacts',
      'companies',
      'links',
      'notes_of',
      'tasks',
      'field_texts',
      'unsorted_items',
    ])
      expect(after[table]).toBe(before[table])
    const tables = await account.kontor.database.row<{ some: number }>(sql`
      select (select count(*) from contacts where account_id = ${account.id}) + (select count(*) from companies where account_id = ${account.id}) as some`)
    expect(tables).toEqual({ some: 0 })
  })

  test('are not seen by the duplicate control and calls, and neither is the lead', async () => {
    const { api } = await withControl()
    const number = '+10000000002'
    await addItem(api)
    const [made] = await addComplex(api, item(person(phone(number))))
    expect(made!.merged).toBe(false)
    const another = await newAccount()
    await addItem(another.api)
    const call = { direction: 'inbound', duration: 1, source: 'pbx', phone: number, uniq: 'x' }
    expect((await another.api.post('/api/v4/calls', [call])).body).toMatchObject({
      _total_items: 0,
    })
  })
})

describe('news', () => {
  const ofItem = (account: TestAccount, uid: string) =>
    account.kontor.database.row<{ id: number }>(
      sql`select id from unsorted_items where account_id = ${account.id} and uid = ${uid}`,
    )

  test('an intake writes one row of the journal, and no event', async () => {
    const account = await newAccount()
    const newsSince = await listen(account)
    const added = await addItem(account.api)
    const { id } = (await ofItem(account, added.uid))!
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      { entity_type: 'unsorted_items', entity_id: id, actions: ['add'], before: null },
    ])
    expect(events).toEqual([])
  })

  test('notes, tasks and elements are put on a waiting lead, and go with it when it is declined', async () => {
    const account = await newAccount()
    const { api } = account
    const field = await addField(account, 'leads', { type: 'text' })
    const catalog = await addCatalog(api)
    const [element] = await addElements(api, catalog, 'An element')
    await api.post('/api/v4/leads/tags', [{ name: 'kept' }])
    const before = await rowsOf(account)
    const added = await addItem(api, {
      _embedded: {
        ...threeParts(),
        leads: [
          {
            name: 'A lead',
            custom_fields_values: [valueOf(field, { value: 'x' })],
            tags_to_add: [{ name: 'kept' }],
          },
        ],
      },
    })
    await addNote(api, 'leads', added.lead)
    const task = await api.post('/api/v4/tasks', [
      { text: 'x', complete_till: 2_000_000_000, entity_type: 'leads', entity_id: added.lead },
    ])
    expect(task.status).toBe(200)
    expect((await link(api, 'leads', added.lead, toElement(element!))).status).toBe(200)
    expect((await readLead(api, added.lead)).closest_task_at).toBe(2_000_000_000)
    expect((await decline(api, added)).status).toBe(200)
    const after = await rowsOf(account)
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    expect(changed.toSorted()).toEqual(['events', 'journal', 'unsorted_items'])
    const rest = await account.kontor.database.row<object>(sql`
      select content, metadata, data, result from unsorted_items where account_id = ${account.id} and uid = ${added.uid}`)
    expect(rest).toEqual({ content: null, metadata: null, data: null, result: 'declined' })
    expect((await api.get(`${leads}/${added.lead}`)).status).toBe(404)
    const ids = task.body._embedded.tasks.map(({ id }: { id: number }) => id)
    expect((await api.get(`/api/v4/tasks/${ids[0]}`)).status).toBe(404)
  })

  test('a change of a waiting lead tells of the lead and of its item', async () => {
    const account = await newAccount()
    const [added] = await addItems(account.api, 'forms', [{}])
    const { id } = (await ofItem(account, added!.uid))!
    const newsSince = await listen(account)
    await account.api.patch(`${leads}/${added!.lead}`, { name: 'Changed' })
    const { journal } = await newsSince()
    expect(journal).toMatchObject([
      { entity_type: 'leads', entity_id: added!.lead, actions: ['update'] },
      {
        entity_type: 'unsorted_items',
        entity_id: id,
        actions: ['update'],
        after: { updated_by: account.admin.id },
      },
    ])
    expect((await account.api.get(`${unsorted}/${added!.uid}`)).status).toBe(200)
  })
})
