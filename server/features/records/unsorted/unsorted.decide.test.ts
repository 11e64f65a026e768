// Decisions: what an acceptance creates and for whom, what a decline leaves, and the news of both.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { rowsOf } from '../../../../test/account-data.ts'
import type { Client } from '../../../../test/client.ts'
import {
  addComplex,
  item,
  linksOf,
  person,
  phone,
  textsOf,
  withControl,
} from '../../../../test/complex.ts'
import { addField, addFields, deleteField, valueOf } from '../../../../test/fields.ts'
import {
  addLead,
  addPipeline,
  faultsOf,
  listen,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { addRecord, find, readRecord, search } from '../../../../test/records.ts'
import {
  accept,
  addItem,
  addItems,
  addSorter,
  decline,
  threeParts,
  through,
  uidsIn,
  unsorted,
} from '../../../../test/unsorted.ts'
import type { Added } from '../../../../test/unsorted.ts'

interface Note {
  note_type: string
  entity_id: number
  created_by: number
  created_at: number
  updated_at: number
  params: Record<string, unknown>
}

async function notesOn(
  api: Client,
  kind: 'leads' | 'contacts' | 'companies',
  id: number,
): Promise<Note[]> {
  return (await api.get(`/api/v4/${kind}/${id}/notes`)).body._embedded.notes
}

/** The seconds from one time to another. */
const secondsSince = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, second) => from + second)

/** The row of an item. */
const rowOf = ({ id, kontor }: TestAccount, { uid }: { uid: string }) =>
  kontor.database
    .row<Record<string, unknown>>(
      sql`select row_to_json(item) as item from unsorted_items item where account_id = ${id} and uid = ${uid}`,
    )
    .then((row) => row!['item'] as Record<string, unknown>)

describe('acceptance', () => {
  test('puts the lead into the first stage, and creates and links contact and company', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const main = await mainPipeline(account)
    const added = await addItem(api, { created_at: 1_700_000_000, _embedded: threeParts() })
    const { status, body } = await accept(api, added)
    expect(status).toBe(200)
    const linked = (type: string, id: number) => [
      { id, _links: { self: { href: `${kontor.url}/api/v4/${type}/${id}` } } },
    ]
    expect(body).toEqual({
      uid: added.uid,
      pipeline_id: main.id,
      category: 'forms',
      created_at: 1_700_000_000,
      _embedded: {
        leads: linked('leads', added.lead),
        contacts: linked('contacts', added.contact),
        companies: linked('companies', added.company),
      },
    })
    expect(await readLead(api, added.lead)).toMatchObject({
      name: 'A lead',
      price: 5,
      pipeline_id: main.id,
      status_id: main.statuses[0],
      created_at: 1_700_000_000,
    })
    const element = { id: added.lead, contact_id: added.contact, company_id: added.company }
    expect(await linksOf(api, { ...element, request_id: [], merged: false })).toEqual({
      lead: { contacts: [[added.contact, true]], companies: [added.company] },
      contact: { leads: [added.lead], companies: [added.company] },
      company: { leads: [added.lead], contacts: [added.contact] },
    })
    expect(textsOf(await readRecord(api, 'contacts', added.contact))).toEqual({
      PHONE: ['+10000000002'],
    })
    for (const [kind, name] of [
      ['leads', 'A lead'],
      ['contacts', 'Ann'],
      ['companies', 'Acme'],
    ] as const) {
      expect(await find({ api }, kind)).toEqual([name])
      expect(await search({ api }, kind, name)).toEqual([name])
    }
    expect(await search({ api }, 'contacts', '10000000002')).toEqual(['Ann'])
  })

  test('leaves of the item its uid, its result and its times only', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const added = await addItem(api)
    const before = await rowOf(account, added)
    await accept(api, added)
    const after = await rowOf(account, added)
    expect(after).toEqual({
      ...before,
      content: null,
      metadata: null,
      data: null,
      result: 'accepted',
      updated_by: admin.id,
      updated_at: after['decided_at'],
      decided_at: expect.any(Number),
    })
  })

  test.for<[string, (main: { statuses: number[]; unsorted: number }) => number, number]>([
    ['another stage', ({ statuses }) => statuses[2]!, 200],
    ['won', () => won, 200],
    ['lost', () => lost, 200],
    ['the unsorted status', (main) => main.unsorted, 400],
    ['a status that does not exist', () => 7, 400],
  ])('takes a lead to %s', async ([, statusOf, expected]) => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const added = await addItem(account.api)
    const status_id = statusOf(main)
    const answer = await accept(account.api, added, { status_id })
    expect(answer.status).toBe(expected)
    if (expected === 400) {
      expect(faultsOf(answer)).toEqual({ 0: ['NotSupportedChoice status_id'] })
      expect(await uidsIn(account.api)).toEqual([added.uid])
      expect(await find(account, 'contacts')).toEqual([])
      return
    }
    const { status_id: is, closed_at } = await readLead(account.api, added.lead)
    expect([is, closed_at !== null]).toEqual([status_id, status_id === won || status_id === lost])
  })

  test('a stage of another pipeline, and unknown or inactive users, are refused', async () => {
    const account = await newAccount()
    const { api } = account
    const other = await addPipeline(account)
    const alien = await newAccount()
    const inactive = await account.addUser()
    await api.post('/api/v4/users/deactivate', [{ id: inactive.id }])
    const added = await addItem(api)
    const before = await rowsOf(account)
    const wrong: [object, string][] = [
      [{ status_id: other.statuses[0] }, 'status_id'],
      [{ user_id: 7 }, 'user_id'],
      [{ user_id: inactive.id }, 'user_id'],
      [{ user_id: alien.admin.id }, 'user_id'],
    ]
    for (const [body, path] of wrong) {
      const answer = await accept(api, added, body)
      expect([answer.status, faultsOf(answer)]).toEqual([
        400,
        { 0: [`NotSupportedChoice ${path}`] },
      ])
      if (path === 'user_id') expect((await decline(api, added, body)).status).toBe(400)
    }
    for (const body of [{ user_id: 'x' }, { status_id: 'x' }, { unknown: 1 }])
      expect((await accept(api, added, body)).status).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('is made on behalf of a user, who is the author of everything', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const user = await account.addUser()
    const owner = await account.addUser()
    const metadata = { phone: '+1', is_call_event_needed: true }
    const [added, owned] = await addItems(api, 'sip', [
      { metadata, _embedded: threeParts() },
      {
        metadata,
        _embedded: {
          leads: [{ responsible_user_id: owner.id, created_by: owner.id }],
          contacts: [{ responsible_user_id: owner.id, created_by: owner.id }],
        },
      },
    ])
    const newsSince = await listen(account)
    expect((await accept(api, added!, { user_id: user.id })).status).toBe(200)
    const { journal, events } = await newsSince()
    expect(new Set(journal.map(({ created_by }) => created_by))).toEqual(new Set([user.id]))
    expect(new Set(events.map(({ created_by }) => created_by))).toEqual(new Set([user.id]))
    for (const [kind, id] of [
      ['leads', added!.lead],
      ['contacts', added!.contact],
      ['companies', added!.company],
    ] as const) {
      expect(await readRecord(api, kind, id)).toMatchObject({
        responsible_user_id: user.id,
        created_by: user.id,
        updated_by: user.id,
      })
      expect(await notesOn(api, kind, id)).toMatchObject([
        { note_type: 'call_in', created_by: user.id },
      ])
    }
    await accept(api, owned!, { user_id: user.id })
    for (const [kind, id] of [
      ['leads', owned!.lead],
      ['contacts', owned!.contact],
    ] as const)
      expect(await readRecord(api, kind, id)).toMatchObject({
        responsible_user_id: owner.id,
        created_by: owner.id,
        updated_by: user.id,
      })
    // A lead that was given to somebody meanwhile stays theirs.
    const given = await addItem(api)
    await api.patch(`/api/v4/leads/${given.lead}`, { responsible_user_id: owner.id })
    await accept(api, given, { user_id: user.id })
    expect(await readLead(api, given.lead)).toMatchObject({
      responsible_user_id: owner.id,
      created_by: user.id,
    })
    expect(admin.id).not.toBe(user.id)
  })

  test('counts once, and not at all for an unknown uid', async () => {
    const { api } = await newAccount()
    const [first, second] = await addItems(api, 'forms', [{}, {}])
    expect((await accept(api, first!)).status).toBe(200)
    expect((await decline(api, second!)).status).toBe(200)
    for (const each of [first!, second!, { uid: 'unknown' }, { uid: 'f'.repeat(60) }])
      for (const decide of [accept, decline]) expect((await decide(api, each)).status).toBe(404)
  })

  test('with a body that is empty, null or nothing is made by the caller', async () => {
    const account = await newAccount()
    const user = await addSorter(account, { view: 'A', edit: 'A' })
    const main = await mainPipeline(account)
    const bodies = [undefined, {}, { user_id: null, status_id: null }]
    for (const body of bodies) {
      const added = await addItem(account.api)
      expect((await accept(user.api, added, body)).status).toBe(200)
      expect(await readLead(account.api, added.lead)).toMatchObject({
        created_by: user.id,
        status_id: main.statuses[0],
      })
      const another = await addItem(account.api)
      expect((await decline(user.api, another, body && { user_id: null })).status).toBe(200)
    }
  })

  test('adds the call note to every record where the call asks for it', async () => {
    const { api } = await newAccount()
    const call = {
      phone: '+1',
      duration: 30,
      link: 'https://pbx.example/1',
      uniq: 'call-1',
      call_responsible: 'Bob',
      service_code: 'pbx',
    }
    const [noted, silent, bare] = await addItems(api, 'sip', [
      { metadata: { ...call, is_call_event_needed: true }, _embedded: threeParts() },
      { metadata: { ...call, is_call_event_needed: false }, _embedded: threeParts() },
      { metadata: { phone: '+2', is_call_event_needed: true } },
    ])
    expect((await api.get(`${unsorted}/${noted!.uid}`)).body.metadata).toEqual(call)
    for (const each of [noted!, silent!, bare!]) expect((await accept(api, each)).status).toBe(200)
    const { service_code: source, ...params } = call
    for (const [kind, id] of [
      ['leads', noted!.lead],
      ['contacts', noted!.contact],
      ['companies', noted!.company],
    ] as const)
      expect(await notesOn(api, kind, id)).toMatchObject([
        { note_type: 'call_in', params: { ...params, source } },
      ])
    expect(await notesOn(api, 'leads', silent!.lead)).toEqual([])
    expect(await notesOn(api, 'leads', bare!.lead)).toMatchObject([
      { note_type: 'call_in', params: { phone: '+2', duration: 0, source: 'The source' } },
    ])
  })

  test.for([
    ['version 4', (api: Client, { uid }: Added) => accept(api, { uid })],
    [
      'version 2',
      (api: Client, { uid }: Added) =>
        api.post('/api/v2/incoming_leads/accept', { accept: { 0: uid } }),
    ],
    [
      'a move of the lead',
      async (api: Client, { lead }: Added, stage: number | undefined) =>
        api.patch(`/api/v4/leads/${lead}`, { status_id: stage }),
    ],
  ] as const)(
    'by %s dates the call note by the call, its event by the acceptance',
    async ([, by]) => {
      const account = await newAccount()
      const { api, kontor } = account
      const {
        statuses: [, stage],
      } = await mainPipeline(account)
      const begun = kontor.now()
      const ahead = begun + 86_400
      const call = (more: object) => ({ phone: '+1', is_call_event_needed: true, ...more })
      const at = { called_at: 1_700_000_000 }
      const added = await addItems(api, 'sip', [
        { metadata: call(at), created_at: 1_700_000_600, _embedded: threeParts() },
        { metadata: call({}), created_at: 1_700_000_600 },
        { metadata: call({}) },
        { metadata: call({ called_at: ahead }) },
      ])
      for (const each of added) expect((await by(api, each, stage)).status).toBe(200)
      const events = (await api.get('/api/v4/events?filter[type]=incoming_call')).body._embedded
        .events
      expect(events).toHaveLength(6)
      for (const event of events)
        expect(event.created_at).toBeOneOf(secondsSince(begun, kontor.now()))
      const [first, second, third, fourth] = added
      const times = async (kind: 'leads' | 'contacts' | 'companies', id: number) => {
        const [note] = await notesOn(api, kind, id)
        return [note!.created_at, note!.updated_at] as const
      }
      for (const [kind, id, time] of [
        ['leads', first!.lead, 1_700_000_000],
        ['contacts', first!.contact, 1_700_000_000],
        ['companies', first!.company, 1_700_000_000],
        ['leads', second!.lead, 1_700_000_600],
      ] as const) {
        const [created, updated] = await times(kind, id)
        expect([kind, created]).toEqual([kind, time])
        expect(updated).toBeOneOf(secondsSince(begun, kontor.now()))
      }
      expect((await times('leads', third!.lead))[0]).toBeOneOf(secondsSince(begun, kontor.now()))
      expect(await times('leads', fourth!.lead)).toEqual([ahead, ahead])
    },
  )

  test('makes no link of the address of a recording that browsers would run', async () => {
    const { api } = await newAccount()
    const call = (link: string) => ({ phone: '5', is_call_event_needed: true, link })
    const added = await addItems(api, 'sip', [
      { metadata: call('javascript:alert(1)') },
      { metadata: call('https://pbx.example/1.mp3') },
    ])
    for (const each of added) await accept(api, each)
    const links = []
    for (const { lead } of added) links.push((await notesOn(api, 'leads', lead))[0]!.params['link'])
    expect(links).toEqual([undefined, 'https://pbx.example/1.mp3'])
  })

  test('tells in a note on the lead what was gone', async () => {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser()
    const [ofLead, ofContact] = [
      await addField(account, 'leads', { type: 'text' }),
      await addField(account, 'contacts', { type: 'text' }),
    ]
    const added = await addItem(api, {
      _embedded: {
        leads: [
          { responsible_user_id: user.id, custom_fields_values: [valueOf(ofLead, { value: 'x' })] },
        ],
        contacts: [
          {
            name: 'Ann',
            responsible_user_id: user.id,
            custom_fields_values: [phone('+1'), valueOf(ofContact, { value: 'y' })],
          },
        ],
        companies: [{ name: 'Acme' }],
      },
    })
    await deleteField(account, 'leads', ofLead.id)
    await deleteField(account, 'contacts', ofContact.id)
    await api.post('/api/v4/users/deactivate', [{ id: user.id }])
    expect((await accept(api, added)).status).toBe(200)
    const [note, ...others] = await notesOn(api, 'leads', added.lead)
    expect(others).toEqual([])
    expect(note).toMatchObject({ note_type: 'service_message', params: { service: 'Kontor' } })
    const text = note!.params['text'] as string
    expect(text.split('\n')).toHaveLength(4)
    for (const part of [ofLead.id, ofContact.id, user.id]) expect(text).toContain(String(part))
    expect(await readLead(api, added.lead)).toMatchObject({
      responsible_user_id: account.admin.id,
      custom_fields_values: null,
    })
    const contact = await readRecord(api, 'contacts', added.contact)
    expect(contact.responsible_user_id).toBe(account.admin.id)
    expect(textsOf(contact)).toEqual({ PHONE: ['+1'] })
    expect(await notesOn(api, 'contacts', added.contact)).toEqual([])
  })
})

describe('a PATCH out of the unsorted status', () => {
  const accepted = async ({ api }: TestAccount, { lead, contact, company }: Added) => {
    const { _embedded } = await readRecord(api, 'leads', lead, 'with=contacts')
    expect(_embedded).toMatchObject({
      contacts: [{ id: contact, is_main: true }],
      companies: [{ id: company }],
    })
    expect(await uidsIn(api)).toEqual([])
  }

  test('accepts with all parts, by one, in a batch, and by the pipeline alone', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const user = await addSorter(account, { view: 'A', edit: 'A' })
    const path = '/api/v4/leads'
    const ways: [(lead: number) => Promise<{ status: number }>, object][] = [
      [
        (id) => user.api.patch(`${path}/${id}`, { status_id: main.statuses[1] }),
        { status_id: main.statuses[1] },
      ],
      [
        (id) => user.api.patch(path, [{ id, status_id: won }]),
        { status_id: won, pipeline_id: main.id },
      ],
      [
        (id) => user.api.patch(`${path}/${id}`, { pipeline_id: other.id }),
        { status_id: other.statuses[0], pipeline_id: other.id },
      ],
      [
        (id) =>
          user.api.patch(path, [
            { id, price: 8 },
            { id, status_id: main.statuses[2], name: 'New' },
          ]),
        { status_id: main.statuses[2], price: 8, name: 'New' },
      ],
    ]
    for (const [change, expected] of ways) {
      const added = await addItem(api)
      expect((await change(added.lead)).status).toBe(200)
      expect(await readLead(api, added.lead)).toMatchObject({ ...expected, created_by: user.id })
      await accepted(account, added)
      expect((await accept(api, added)).status).toBe(404)
    }
    // Several leads at once, among others that do not wait.
    const some = [await addItem(api), await addItem(api)]
    const ordinary = await addLead(api)
    const status_id = main.statuses[1]
    const answer = await api.patch(
      path,
      [...some.map(({ lead }) => lead), ordinary].map((id) => ({ id, status_id })),
    )
    expect(answer.status).toBe(200)
    for (const each of some) await accepted(account, each)
    expect((await readLead(api, ordinary)).status_id).toBe(status_id)
  })

  test('has the events of an acceptance, and none of a change of status', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const newsSince = await listen(account)
    const added = await addItem(account.api, { _embedded: { leads: [{}] } })
    await account.api.patch(`/api/v4/leads/${added.lead}`, {
      status_id: main.statuses[1],
      price: 7,
    })
    const { journal, events } = await newsSince()
    expect(events).toMatchObject([{ type: 'lead_added', entity_id: added.lead }])
    expect(journal.map(({ entity_type, actions }) => [entity_type, ...actions])).toEqual([
      ['unsorted_items', 'add'],
      ['leads', 'add'],
      ['unsorted_items', 'delete'],
    ])
  })

  test('is refused whole with one fault, and changes nothing', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const added = await addItem(api)
    const before = await rowsOf(account)
    const refused = await api.patch('/api/v4/leads', [
      { id: added.lead, status_id: main.statuses[1] },
      { id: 7, status_id: main.statuses[1] },
    ])
    expect(refused.status).toBe(400)
    expect(
      (
        await api.patch(`/api/v4/leads/${added.lead}`, {
          status_id: main.statuses[1],
          price: -1,
          responsible_user_id: 7,
        })
      ).status,
    ).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('takes the right to edit at the unsorted status', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const added = await addItem(account.api)
    for (const open of [{}, { view: 'A' as const }]) {
      const user = await addSorter(account, open)
      const answer = await user.api.patch(`/api/v4/leads/${added.lead}`, {
        status_id: main.statuses[1],
      })
      expect(answer.status).toBe(403)
    }
    expect(await uidsIn(account.api)).toEqual([added.uid])
  })
})

describe('decline', () => {
  test('answers the ids that are gone, and leaves no trace but the item and the tags', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const main = await mainPipeline(account)
    const user = await account.addUser()
    const before = await rowsOf(account)
    const tagged = { name: 'x', tags_to_add: [{ name: 'new' }] }
    const added = await addItem(api, {
      _embedded: { leads: [{ name: 'A lead' }], contacts: [tagged], companies: [tagged] },
    })
    const { created_at } = (await api.get(`${unsorted}/${added.uid}`)).body
    const { status, body } = await decline(api, added, { user_id: user.id })
    expect(status).toBe(200)
    const linked = (type: string, id: number) => [
      { id, _links: { self: { href: `${kontor.url}/api/v4/${type}/${id}` } } },
    ]
    expect(body).toEqual({
      uid: added.uid,
      pipeline_id: main.id,
      category: 'forms',
      created_at,
      _embedded: {
        leads: linked('leads', added.lead),
        contacts: linked('contacts', added.contact),
      },
    })
    const after = await rowsOf(account)
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    expect(changed).toEqual(['journal', 'unsorted_items'])
    expect(await rowOf(account, added)).toMatchObject({
      result: 'declined',
      content: null,
      metadata: null,
      data: null,
      updated_by: user.id,
    })
    expect(await find({ api }, 'leads', 'with=only_deleted')).toEqual([])
  })

  test('deletes the tasks of its lead, and tells of it', async () => {
    const account = await newAccount()
    const { api } = account
    const added = await addItem(api)
    const task = { text: 'Call', complete_till: 1_900_000_000, entity_type: 'leads' }
    const made = await api.post('/api/v4/tasks', [{ ...task, entity_id: added.lead }])
    const { id } = made.body._embedded.tasks[0]
    await decline(api, added)
    expect((await api.get(`/api/v4/tasks/${id}`)).status).toBe(404)
    const journal = await account.kontor.database.rows(
      sql`select actions from journal where account_id = ${account.id} and entity_type = 'tasks' and entity_id = ${id} order by id`,
    )
    expect(journal).toEqual([{ actions: ['add'] }, { actions: ['delete'] }])
    const events = await api.get('/api/v4/events?filter[type]=task_deleted')
    expect(events.body._embedded.events).toMatchObject([{ entity_id: id }])
  })

  test('keeps the tags of its lead, which the account has from the intake on', async () => {
    const account = await newAccount()
    const added = await addItem(account.api, {
      _embedded: { leads: [{ tags_to_add: [{ name: 'site' }] }] },
    })
    await decline(account.api, added)
    const { tags } = (await account.api.get('/api/v4/leads/tags')).body._embedded
    expect(tags).toMatchObject([{ name: 'site' }])
  })

  test('is told with its author and without events', async () => {
    const account = await newAccount()
    const user = await account.addUser()
    const added = await addItem(account.api)
    const newsSince = await listen(account)
    await decline(account.api, added, { user_id: user.id })
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      { entity_type: 'unsorted_items', actions: ['delete'], created_by: user.id },
    ])
    expect(events).toEqual([])
  })
})

describe('duplicate control', () => {
  test('a stored contact takes the place of the new one, gains what it lacks, and keeps its company', async () => {
    const { account, api } = await withControl()
    const number = phone('+1 555 0100')
    const [stored] = await addComplex(api, item(person(number), { name: 'Own company' }))
    const added = await addItem(api, {
      _embedded: {
        ...threeParts(),
        contacts: [
          {
            name: 'Another name',
            custom_fields_values: [
              number,
              { field_code: 'EMAIL', values: [{ value: 'ann@x.example' }] },
            ],
            tags_to_add: [{ name: 'gained' }],
          },
        ],
      },
    })
    expect(added.contact).not.toBe(stored!.contact_id)
    const { body } = await accept(account.api, added)
    expect(body._embedded.contacts.map(({ id }: { id: number }) => id)).toEqual([
      stored!.contact_id,
    ])
    const contact = await readRecord(account.api, 'contacts', stored!.contact_id!, 'with=leads')
    expect(contact).toMatchObject({
      name: 'Ann',
      _embedded: { companies: [{ id: stored!.company_id }], tags: [{ name: 'gained' }] },
    })
    expect(textsOf(contact)).toEqual({ PHONE: ['+1 555 0100'], EMAIL: ['ann@x.example'] })
    const lead = await readRecord(account.api, 'leads', added.lead, 'with=contacts')
    expect(lead._embedded).toMatchObject({
      contacts: [{ id: stored!.contact_id, is_main: true }],
      companies: [{ id: added.company }],
    })
    expect(await find(account, 'contacts')).toEqual(['Ann'])
    // The lead of the contact is another.
    expect((await find(account, 'leads')).length).toBe(2)
    expect((await account.api.get(`/api/v4/contacts/${added.contact}`)).status).toBe(404)
  })

  test('of several items with one number at once, each has its own contact, and later ones the stored', async () => {
    const { account, api } = await withControl()
    const draft = { _embedded: { contacts: [person(phone('+1 555 0100'))] } }
    const added = [await addItem(api, draft), await addItem(api, draft), await addItem(api, draft)]
    const contacts = []
    for (const each of added)
      contacts.push((await accept(account.api, each)).body._embedded.contacts[0].id)
    expect(contacts).toEqual([added[0]!.contact, added[0]!.contact, added[0]!.contact])
    const { leads } = (await readRecord(api, 'contacts', contacts[0], 'with=leads'))._embedded
    expect(leads.map(({ id }: { id: number }) => id)).toEqual(added.map(({ lead }) => lead))
  })

  test('is that of the integration that sent the item, and of its pipeline', async () => {
    const { account, api, control } = await withControl()
    const other = await addPipeline(account)
    const draft = { _embedded: { contacts: [person(phone('+1 555 0100'))] } }
    await addRecord(api, 'contacts', person(phone('+1 555 0100')))
    const added = [
      await addItem(account.api, draft),
      await addItem(api, { ...draft, pipeline_id: other.id }),
      await addItem(await through(account, account.admin), draft),
    ]
    for (const each of added.slice(0, 2)) {
      const { body } = await accept(api, each)
      expect(body._embedded.contacts[0].id).toBe(each.contact)
    }
    await control()
    const { body } = await accept(api, added[2]!)
    expect(body._embedded.contacts[0].id).toBe(added[2]!.contact)
  })

  test('a contact that the acceptor may not edit stays as it is, and a new one is made', async () => {
    const { account, api } = await withControl()
    const levels = { view: 'A', edit: 'M', add: 'A', delete: 'M', export: 'A' } as const
    const user = await addSorter(account, { view: 'A', edit: 'A' }, { contacts: levels })
    const stored = await addRecord(api, 'contacts', person(phone('+1 555 0100')))
    const added = await addItem(api, { _embedded: { contacts: [person(phone('+1 555 0100'))] } })
    const { body } = await accept(user.api, added)
    expect(body._embedded.contacts[0].id).toBe(added.contact)
    expect(stored).not.toBe(added.contact)
  })

  test('a contact whose values would be too long with the new ones stays as it is, and a new one is made', async () => {
    const { account, api } = await withControl()
    const types = Array.from({ length: 6 }, () => ({ type: 'textarea' as const }))
    const fields = await addFields(account, 'contacts', types)
    const filled = fields.map((field) => valueOf(field, { value: 'x'.repeat(60_000) }))
    const number = phone('+1 555 0100')
    const stored = await addRecord(api, 'contacts', person(number, ...filled.slice(0, 3)))
    const before = await readRecord(api, 'contacts', stored)
    const heavy = { _embedded: { contacts: [person(number, ...filled.slice(3))] } }
    const added = await addItem(api, heavy)
    const { status, body } = await accept(api, added)
    expect([status, body._embedded.contacts[0].id]).toEqual([200, added.contact])
    expect(await readRecord(api, 'contacts', stored)).toEqual(before)
  })
})
