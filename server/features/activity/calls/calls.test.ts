// Calls: the record that each is put on, the note that it becomes, and calls that nobody knows, that
// come twice, or that come while their record changes.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { person, phone } from '../../../../test/complex.ts'
import { addField } from '../../../../test/fields.ts'
import {
  addLead,
  addPipeline,
  addSeller,
  faultsOf,
  listen,
  lost,
  mainPipeline,
  plainly,
  won,
} from '../../../../test/leads.ts'
import { link, to, unlink } from '../../../../test/links.ts'
import { addNote, notesIn } from '../../../../test/notes.ts'
import { anotherIntegration, meanwhile } from '../../../../test/origins.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { actorIn, batchOf } from '../../../../test/pipelines.ts'
import { addRecord, addRecords, idsIn, pathOf, readRecord } from '../../../../test/records.ts'
import { duplicatesOf } from '../../../../test/merges.ts'
import { deleteRecord } from '../../../records/writing/bin.ts'
import type { Tx } from '../../../database/connect.ts'
import type { RecordType } from '../../../records/description.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { changeLeads, createLeads, leads } from '../../records/leads/leads.ts'
import { unlinkRecords } from '../../records/links/links.ts'
import { keepingFiles } from '../notes/notes.ts'
import { addCalls } from './calls.ts'
import type { NewCall } from './schema.ts'

const path = '/api/v4/calls'
const number = '+7 (900) 123-45-67'
const call = (more: object = {}): NewCall & { request_id?: string } => ({
  direction: 'inbound',
  duration: 35,
  source: 'pbx',
  phone: number,
  ...more,
})

const addCard = (api: Client, type: 'contacts' | 'companies', ...phones: string[]) =>
  addRecord(api, type, person(phone(...phones)))

/** Sends one call. Answers the record that it was put on, as 'lead 5', or the title of its error. */
async function holderOfCall(api: Client, more: object = {}): Promise<string> {
  const { body } = await api.post(path, [call(more)])
  const [stored] = body._embedded.calls
  return stored ? `${stored.entity_type} ${stored.entity_id}` : body.errors[0].title
}

const nobody = 'Entity not found'

/** The ids of the call notes on a record. */
async function callsOn(api: Client, type: RecordType, id: number): Promise<number[]> {
  const answer = await api.get(`${pathOf(type)}/${id}/notes?filter[note_type]=call_in,call_out`)
  return answer.status === 204 ? [] : notesIn(answer)
}

/** An active lead with this card. */
async function addLeadOf(api: Client, type: 'contacts' | 'companies', id: number, draft = {}) {
  return addLead(api, { ...draft, _embedded: { [type]: [{ id }] } })
}

async function addCustomerOf(api: Client, type: 'contacts' | 'companies', id: number) {
  const customer = await addRecord(api, 'customers')
  const linked = await link(api, 'customers', customer, to(type, id))
  expect(linked.status).toBe(200)
  return customer
}

// Which of the records that a card is linked with gets the call.
describe('the record of a call', () => {
  const paths: {
    name: string
    leads?: ('active' | 'won' | 'lost' | 'unsorted' | 'in the bin' | 'unlinked')[]
    customers?: ('there' | 'in the bin')[]
    gets: 'card' | 'lead' | 'customer'
  }[] = [
    { name: 'neither lead nor customer', gets: 'card' },
    { name: 'one active lead', leads: ['active'], gets: 'lead' },
    { name: 'two active leads', leads: ['active', 'active'], gets: 'card' },
    { name: 'a won lead', leads: ['won'], gets: 'card' },
    { name: 'a lost lead', leads: ['lost'], gets: 'card' },
    { name: 'an unsorted lead', leads: ['unsorted'], gets: 'card' },
    { name: 'a lead in the bin', leads: ['in the bin'], gets: 'card' },
    { name: 'a lead that was unlinked', leads: ['unlinked'], gets: 'card' },
    {
      name: 'one active lead among others',
      leads: ['active', 'won', 'lost', 'unsorted', 'in the bin', 'unlinked'],
      gets: 'lead',
    },
    { name: 'one customer', customers: ['there'], gets: 'customer' },
    { name: 'two customers', customers: ['there', 'there'], gets: 'card' },
    { name: 'a customer in the bin', customers: ['in the bin'], gets: 'card' },
    {
      name: 'one customer and a closed lead',
      leads: ['won'],
      customers: ['there'],
      gets: 'customer',
    },
    {
      name: 'one customer and an active lead',
      leads: ['active'],
      customers: ['there'],
      gets: 'card',
    },
    {
      name: 'one customer and two active leads',
      leads: ['active', 'active'],
      customers: ['there'],
      gets: 'card',
    },
    {
      name: 'an active lead and a customer in the bin',
      leads: ['active'],
      customers: ['in the bin'],
      gets: 'lead',
    },
    {
      name: 'two customers and one active lead',
      leads: ['active'],
      customers: ['there', 'there'],
      gets: 'card',
    },
  ]

  test.for(
    (['contacts', 'companies'] as const).flatMap((type) =>
      paths.map((each) => ({ type, ...each })),
    ),
  )(
    'is the $gets where one of the $type has $name',
    async ({ type, leads: of, customers, gets }) => {
      const account = await newAccount()
      const { api, kontor } = account
      const { unsorted } = await mainPipeline(account)
      const other = await addPipeline(account)
      const card = await addCard(api, type, number)
      const made: { lead?: number; customer?: number } = {}
      for (const state of of ?? []) {
        const pipeline = { pipeline_id: other.id }
        const id = await addLeadOf(api, type, card, state === 'won' ? {} : pipeline)
        made.lead ??= id
        if (state === 'won' || state === 'lost')
          await api.patch(`/api/v4/leads/${id}`, { status_id: state === 'won' ? won : lost })
        if (state === 'in the bin') await api.delete(`/api/v4/leads/${id}`)
        if (state === 'unlinked') await unlink(api, 'leads', id, to(type, card))
        if (state === 'unsorted')
          await kontor.database.transaction((tx) =>
            tx.rows(
              sql`update leads set status_id = ${unsorted}, pipeline_id = (select pipeline_id from statuses where id = ${unsorted} limit 1)
                 where account_id = ${account.id} and id = ${id}`,
            ),
          )
      }
      for (const state of customers ?? []) {
        made.customer = await addCustomerOf(api, type, card)
        if (state === 'in the bin') await api.delete(`/api/v4/customers/${made.customer}`)
      }
      const one = type === 'contacts' ? 'contact' : 'company'
      const expected = gets === 'card' ? `${one} ${card}` : `${gets} ${made[gets]}`
      expect(await holderOfCall(api)).toBe(expected)
    },
  )

  test('is of the contact that was changed last, in the bin or without the number left out', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [first, second, third] = await addRecords(
      api,
      'contacts',
      Array.from({ length: 3 }, () => person(phone(number))),
    )
    const touch = (id: number, at: number) =>
      kontor.database.transaction((tx) =>
        tx.rows(
          sql`update contacts set updated_at = created_at + ${at} where account_id = ${account.id} and id = ${id}`,
        ),
      )
    // The last by id, where the times are equal.
    expect(await holderOfCall(api)).toBe(`contact ${third}`)
    await touch(first!, 50)
    expect(await holderOfCall(api)).toBe(`contact ${first}`)
    await touch(second!, 60)
    expect(await holderOfCall(api)).toBe(`contact ${second}`)
    await api.delete(`/api/v4/contacts/${second}`)
    expect(await holderOfCall(api)).toBe(`contact ${first}`)
    await api.patch(`/api/v4/contacts/${first}`, person(phone('79000000000')))
    expect(await holderOfCall(api)).toBe(`contact ${third}`)
    await api.post(`/api/v4/contacts/${second}/restore`)
    await touch(second!, 70)
    expect(await holderOfCall(api)).toBe(`contact ${second}`)
  })

  test('is of a contact rather than of a company', async () => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number)
    const company = await addCard(api, 'companies', number)
    await addLeadOf(api, 'companies', company)
    expect(await holderOfCall(api)).toBe(`contact ${contact}`)
    await api.delete(`/api/v4/contacts/${contact}`)
    expect(await holderOfCall(api)).toMatch(/^lead /)
    await api.delete(`/api/v4/companies/${company}`)
    expect(await holderOfCall(api)).toBe(nobody)
  })

  test('is found by any number of a contact, and by no other field', async () => {
    const account = await newAccount()
    const { api } = account
    const digits = await addField(account, 'contacts', { type: 'text', code: 'DIGITS' })
    const contact = await addRecord(api, 'contacts', {
      custom_fields_values: [
        phone('79001111111', '79002222222'),
        { field_id: digits.id, values: [{ value: '79003333333' }] },
      ],
    })
    expect(await holderOfCall(api, { phone: '9001111111' })).toBe(`contact ${contact}`)
    expect(await holderOfCall(api, { phone: '9002222222' })).toBe(`contact ${contact}`)
    expect(await holderOfCall(api, { phone: '79003333333' })).toBe(nobody)
    expect(await holderOfCall((await newAccount()).api, { phone: '79001111111' })).toBe(nobody)
  })
})

test.for<[stored: string, sent: string | number, isFound: boolean]>([
  ['+7 (900) 123-45-67', '+7 (900) 123-45-67', true],
  ['+7 (900) 123-45-67', '89001234567', true],
  ['8 900 123 45 67', '+79001234567', true],
  ['9001234567', '0079001234567', true],
  ['79001234567', 79_001_234_567, true],
  ['79001234567', '79001234568', false],
  ['79001234567', '001234567', false],
  // An extension, in several notations; the host of a SIP address.
  ['84951234567', '8 (495) 123-45-67 доб. 12', true],
  ['84951234567', '+7 495 123-45-67 ext. 12', true],
  ['84951234567', '84951234567,12', true],
  ['84951234567', '84951234567#12', true],
  ['84951234567', 'sip:84951234567@10.0.0.1:5060', true],
  ['84951234567', 'tel:+7-495-123-45-67', true],
  ['8 (495) 123-45-67 доб. 12', '84951234567 доб. 12', true],
  ['8 (495) 123-45-67 доб. 12', '84951234567', true],
  ['8 (495) 123-45-67 ext. 12', '84951234567 доб. 13', true],
  ['8 (495) 123-45-67,,12', '84951234567', true],
  // Two numbers in one value.
  ['8 999 123 45 67, 8 999 765 43 21', '89991234567', true],
  ['8 999 123 45 67, 8 999 765 43 21', '+7 999 765-43-21', true],
  ['8 999 123 45 67 или 8 999 765 43 21', '89997654321', true],
  ['8 999 123 45 67 / 8 999 765 43 21', '89997654321', true],
  ['8 999 123 45 67\n8 999 765 43 21', '89991234567', true],
  ['8 999 123 45 67, 8 999 765 43 21', '6789997654', false],
  // Fewer than ten digits: all of them.
  ['1234567', '123-45-67', true],
  ['1234567', '79001234567', false],
  ['79001234567', '1234567', false],
  ['101', '101', true],
  ['112', 'sip:112@pbx', true],
  ['12', '12', false],
  ['0', '0', false],
  ['00', '00', false],
  ['unknown', 'unknown', false],
  ['٧٩٠٠١٢٣٤٥٦٧', '٧٩٠٠١٢٣٤٥٦٧', false],
  ['79001234567', '', false],
  ['79001234567', ' ', false],
  ['79001234567', 'anonymous', false],
])('a contact with the phone %s is found by %s: %s', async ([stored, sent, isFound]) => {
  const { api } = await newAccount()
  const contact = await addCard(api, 'contacts', stored)
  expect(await holderOfCall(api, { phone: sent })).toBe(isFound ? `contact ${contact}` : nobody)
})

test.for<[stored: string, sent: string, digits: string]>([
  ['8 999 123 45 67, 8 999 765 43 21', '8 (999) 765-43-21', '89997654321'],
  ['8 999 765 43 21 доб. 12', '8 (999) 765-43-21', '89997654321'],
  ['моб. 8 999 765 43 21 / 8 999 123 45 67', '8 (999) 765-43-21 #7', '89997654321'],
])('a contact with the phone %s is found everywhere by %s', async ([stored, sent, digits]) => {
  const account = await newAccount()
  const { api } = account
  const other = await addCard(api, 'contacts', '8 999 000 00 00')
  const contact = await addCard(api, 'contacts', stored)
  const twin = await addCard(api, 'contacts', sent)
  const field = (await readRecord(api, 'contacts', contact)).custom_fields_values[0].field_id
  const found = async (query: string) =>
    idsIn(await api.get(`/api/v4/contacts?${query}`), 'contacts')
  const filter = `filter[custom_fields_values][${field}]=${encodeURIComponent(sent)}`
  expect(await found(filter)).toEqual([contact, twin])
  // Another order, and a second filter: records are tested one by one.
  const tested = `${filter}&filter[id][]=${contact}&filter[id][]=${other}&order[updated_at]=desc`
  expect(await found(tested)).toEqual([contact])
  expect(await found(`query=${digits}`)).toEqual([contact, twin])
  const { duplicates } = await duplicatesOf(api, 'contacts', twin)
  expect(duplicates.map(({ id }: { id: number }) => id)).toEqual([contact])
  const quick = (await api.get(`/web/v1/search?q=${digits}`)).body.contacts
  expect(
    quick.items.map(({ id, match }: { id: number; match: string }) => [id, match]).toSorted(),
  ).toEqual([
    [contact, 'phone'],
    [twin, 'phone'],
  ])
  await api.delete(`/api/v4/contacts/${twin}`)
  expect(await holderOfCall(api, { phone: sent })).toBe(`contact ${contact}`)
  const [item] = (
    await api.post('/api/v4/leads/unsorted/sip', [
      {
        source_name: 'PBX',
        source_uid: 'call',
        metadata: { phone: sent },
        _embedded: { contacts: [person(phone(sent))] },
      },
    ])
  ).body._embedded.unsorted
  const [card] = (await api.get('/web/v1/unsorted')).body._embedded.unsorted
  expect([item.uid, card.same_contacts.map(({ id }: { id: number }) => id)]).toEqual([
    card.uid,
    [contact],
  ])
})

test('an extension makes no other number: a contact comes before a company with any', async () => {
  const { api } = await newAccount()
  await addCard(api, 'companies', '84951234567 доб. 13')
  const contact = await addCard(api, 'contacts', '84951234567 доб. 12')
  for (const more of ['', ' доб. 12', ' доб. 13'])
    expect(await holderOfCall(api, { phone: `84951234567${more}` })).toBe(`contact ${contact}`)
})

describe('the note of a call', () => {
  test('holds what was sent, is news of its record, and changes nothing else of it', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const user = await account.addUser()
    const contact = await addCard(api, 'contacts', number)
    const lead = await addLeadOf(api, 'contacts', contact, { responsible_user_id: user.id })
    const before = await readRecord(api, 'leads', lead)
    const news = await listen(account)
    const sent = {
      uniq: 'c-1',
      link: 'https://pbx.example/1.mp3',
      call_result: 'Will think',
      call_status: 4,
      call_responsible: 'Ann',
      responsible_user_id: admin.id,
      created_by: user.id,
      updated_by: 0,
      created_at: 1_700_000_000,
      updated_at: 1_700_000_001,
      request_id: 'first',
    }
    const answer = await api.post(path, [call(sent), call({ direction: 'outbound' })])
    expect(answer.status).toBe(200)
    const [first, second] = answer.body._embedded.calls
    const href = expect.stringMatching(new RegExp(`/api/v4/leads/${lead}$`))
    const about = {
      entity_id: lead,
      entity_type: 'lead',
      account_id: account.id,
      _embedded: { entity: { id: lead, _links: { self: { href } } } },
    }
    expect(answer.body).toEqual({
      _total_items: 2,
      errors: [],
      _embedded: {
        calls: [
          { id: first.id, ...about, request_id: 'first' },
          { id: second.id, ...about, request_id: '1' },
        ],
      },
    })
    const note = (id: number) => api.get(`/api/v4/leads/${lead}/notes/${id}`)
    expect((await note(first.id)).body).toMatchObject({
      note_type: 'call_in',
      entity_id: lead,
      params: {
        uniq: 'c-1',
        duration: 35,
        source: 'pbx',
        link: 'https://pbx.example/1.mp3',
        phone: number,
        call_responsible: 'Ann',
        call_result: 'Will think',
        call_status: 4,
      },
      responsible_user_id: admin.id,
      created_by: user.id,
      updated_by: 0,
      created_at: 1_700_000_000,
    })
    const usual = (await note(second.id)).body
    expect(usual).toMatchObject({
      note_type: 'call_out',
      responsible_user_id: user.id,
      created_by: admin.id,
      updated_by: admin.id,
    })
    expect(usual.params).toEqual({ duration: 35, source: 'pbx', phone: number })
    expect(await readRecord(api, 'leads', lead)).toEqual(before)
    const { journal, events } = await news()
    expect(
      journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
    ).toEqual([
      ['leads', lead, ['note']],
      ['leads', lead, ['note']],
    ])
    expect(events.map(plainly)).toEqual(
      [
        ['incoming_call', first.id],
        ['outgoing_call', second.id],
      ].map(([type, id]) => ({
        type,
        entity_id: lead,
        created_by: admin.id,
        value_before: [],
        value_after: [{ note: { id } }],
      })),
    )
  })

  test('takes who created the call as who had it, unless the source says who', async () => {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser()
    const contact = await addCard(api, 'contacts', number)
    const said = async (more: object) => {
      const { body } = await api.post(path, [call(more)])
      const { id } = body._embedded.calls[0]
      const note = await api.get(`/api/v4/contacts/${contact}/notes/${id}`)
      return note.body.params.call_responsible
    }
    expect(await said({ created_by: user.id })).toBe(user.id)
    expect(await said({ created_by: user.id, call_responsible: 7 })).toBe(7)
    expect(await said({ created_by: 0 })).toBeUndefined()
    expect(await said({})).toBeUndefined()
  })

  test('leaves out what was sent as null', async () => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number)
    const keys = ['uniq', 'link', 'call_result', 'call_status', 'call_responsible']
    const people = ['responsible_user_id', 'created_by', 'updated_by', 'created_at', 'updated_at']
    const nulls = Object.fromEntries([...keys, ...people].map((key) => [key, null]))
    const { status, body } = await api.post(path, call({ ...nulls, request_id: null }))
    expect([status, body._total_items]).toEqual([200, 1])
    const note = await api.get(`/api/v4/contacts/${contact}/notes/${body._embedded.calls[0].id}`)
    expect(note.body.params).toEqual({ duration: 35, source: 'pbx', phone: number })
  })
})

test('reads each parameter as a note of a call does', async () => {
  const { api } = await newAccount()
  const contact = await addCard(api, 'contacts', number)
  const sent = {
    duration: '35',
    source: 'pbx',
    phone: 79_001_234_567,
    uniq: 'c',
    link: '',
    call_result: 'x',
    call_status: '4',
    call_responsible: 7,
  }
  const paramsOf = async (id: number) =>
    (await api.get(`/api/v4/contacts/${contact}/notes/${id}`)).body.params
  const values = [
    sent,
    { ...sent, call_responsible: '7' },
    { ...sent, duration: 0, call_status: 8 },
    ...['x', -1, 1.5, true, [], {}].flatMap((value) =>
      Object.keys(sent).map((key) => ({ ...sent, [key]: value })),
    ),
  ]
  for (const [index, params] of values.entries()) {
    const note = { note_type: 'call_in', params }
    const asNote = await api.post(`/api/v4/contacts/${contact}/notes`, [note])
    // With a name of its own, unless the name is what is asked about.
    const uniq = params.uniq === 'c' ? `c ${index}` : params.uniq
    const asCall = await api.post(path, [{ direction: 'inbound', ...params, uniq }])
    const hasPhone = String(params.phone) === '79001234567'
    if (asNote.status === 400) {
      const faults = faultsOf(asNote)['0']!.map((fault) => fault.replace('params.', ''))
      expect([params, faultsOf(asCall)]).toEqual([params, { '0': faults }])
    } else if (hasPhone) {
      const stored = await paramsOf(asCall.body._embedded.calls[0].id)
      expect({ ...stored, uniq: params.uniq }).toEqual({
        ...(await paramsOf(asNote.body._embedded.notes[0].id)),
        uniq: params.uniq,
      })
    } else expect([params, asCall.body.errors[0].status]).toEqual([params, 404])
  }
})

describe('calls that are not stored', () => {
  test('are listed beside those that are; where none is, the request fails', async () => {
    const account = await newAccount()
    const { api } = account
    const contact = await addCard(api, 'contacts', number)
    const news = await listen(account)
    const unknown = call({ phone: '79990000000', uniq: 'a', request_id: 'unknown' })
    const error = {
      title: nobody,
      status: 404,
      detail: expect.stringContaining('79990000000'),
    }
    const mixed = await api.post(path, [unknown, call(), { ...unknown, request_id: 'again' }])
    expect(mixed.status).toBe(200)
    expect(mixed.body).toMatchObject({
      _total_items: 1,
      errors: [
        { request_id: 'unknown', ...error },
        { request_id: 'again', ...error },
      ],
      _embedded: { calls: [{ entity_id: contact, entity_type: 'contact', request_id: '1' }] },
    })
    expect((await news()).events).toHaveLength(1)
    const none = await api.post(path, [unknown])
    expect([none.status, none.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ])
    expect(none.body).toMatchObject({
      status: 400,
      _total_items: 0,
      errors: [{ request_id: 'unknown', ...error }],
      _embedded: { calls: [] },
    })
    expect((await news()).events).toHaveLength(1)
    // Once somebody has the number, the same call is stored.
    await addCard(api, 'companies', '79990000000')
    expect((await api.post(path, [unknown])).status).toBe(200)
  })

  test('keep no answer under an Idempotency-Key where none is stored', async () => {
    const { api } = await newAccount()
    const key = { 'Idempotency-Key': 'one' }
    expect((await api.post(path, [call()], key)).status).toBe(400)
    await addCard(api, 'contacts', number)
    const first = await api.post(path, [call()], key)
    const again = await api.post(path, [call()], key)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  test.for<[string, unknown, Record<string, string[]>]>([
    ['an empty list', [], { '0': ['TooFew '] }],
    ['a text', '"call"', { '0': ['InvalidType '] }],
    [
      'none of the required keys',
      [{}],
      {
        '0': [
          'FieldMissing direction',
          'FieldMissing duration',
          'FieldMissing source',
          'FieldMissing phone',
        ],
      },
    ],
    [
      'null for required keys',
      [call({ duration: null, phone: null })],
      {
        '0': ['NotNullable duration', 'NotNullable phone'],
      },
    ],
    ['another direction', [call({ direction: 'in' })], { '0': ['NotSupportedChoice direction'] }],
    ['a blank source', [call({ source: ' ' })], { '0': ['NotBlank source'] }],
    ['a negative duration', [call({ duration: -1 })], { '0': ['TooLow duration'] }],
    [
      'a status that there is not',
      [call({ call_status: 9 })],
      {
        '0': ['NotSupportedChoice call_status'],
      },
    ],
    ['a long name', [call({ uniq: 'x'.repeat(256) })], { '0': ['TooLong uniq'] }],
    [
      'an unknown user',
      [call({ created_by: 5, responsible_user_id: 6 })],
      {
        '0': ['NotSupportedChoice responsible_user_id', 'NotSupportedChoice created_by'],
      },
    ],
    [
      'an unknown user of a call that nobody knows, and an unknown key',
      [call(), call({ phone: '5', updated_by: 5, request_id: 'x' }), call({ entity_id: 1 })],
      { x: ['NotSupportedChoice updated_by'], '2': ['FieldNotExpected entity_id'] },
    ],
    [
      'an unknown user of a call that is repeated in the request, in all its repetitions',
      [call({ uniq: 'a' }), call({ uniq: 'a', updated_by: 5 }), call({ uniq: 'a', created_by: 6 })],
      { '1': ['NotSupportedChoice updated_by'], '2': ['NotSupportedChoice created_by'] },
    ],
    ['251 calls', Array.from({ length: 251 }, () => call()), { '0': ['TooMany '] }],
  ])('%s refuses the request', async ([, body, faults]) => {
    const account = await newAccount()
    await addCard(account.api, 'contacts', number)
    const news = await listen(account)
    const refused = await account.api.post(path, body)
    expect([refused.status, faultsOf(refused)]).toEqual([400, faults])
    expect(await news()).toEqual({ journal: [], events: [] })
  })
})

describe('a call that is sent again', () => {
  const named = call({ uniq: 'c-1' })
  const idsOf = ({ body }: Answer): number[] =>
    body._embedded.calls.map(({ id }: { id: number }) => id)

  test('is answered with its first note, whatever became of its number', async () => {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser()
    const contact = await addCard(api, 'contacts', number)
    const first = await api.post(path, [
      { ...named, created_by: user.id },
      { ...named, request_id: 'again', duration: 50 },
    ])
    const [id] = idsOf(first)
    expect([first.body._total_items, idsOf(first)]).toEqual([2, [id, id]])
    expect(first.body._embedded.calls[1].request_id).toBe('again')
    const news = await listen(account)
    await addLeadOf(api, 'contacts', contact)
    const again = { ...named, phone: '8 900 123 45 67', created_by: user.id }
    const second = await (await anotherIntegration(account)).post(path, [again])
    expect([idsOf(second), second.body._embedded.calls[0].entity_id]).toEqual([[id], contact])
    await api.patch(`/api/v4/contacts/${contact}`, person(phone('79000000000')))
    expect(idsOf(await api.post(path, [named]))).toEqual([id])
    expect(await callsOn(api, 'contacts', contact)).toEqual([id])
    const { events } = await news()
    expect(events.filter(({ type }) => type === 'incoming_call')).toEqual([])
  })

  test('is refused like any other where it names an unknown user', async () => {
    const { api } = await newAccount()
    await addCard(api, 'contacts', number)
    const [id] = idsOf(await api.post(path, [named]))
    const refused = await api.post(path, [call(), { ...named, responsible_user_id: 5 }])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { '1': ['NotSupportedChoice responsible_user_id'] },
    ])
    expect(idsOf(await api.post(path, [named]))).toEqual([id])
  })

  test.for<[string, object]>([
    ['another name', { uniq: 'c-2' }],
    ['a name in other letters', { uniq: 'C-1' }],
    ['no name', { uniq: null }],
    ['an empty name', { uniq: '' }],
    ['another direction', { direction: 'outbound' }],
    ['another number', { phone: '79007654321' }],
  ])('is not the same with %s', async ([, more]) => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number, '79007654321')
    const sent = [named, { ...named, ...more }]
    const [first, second] = idsOf(await api.post(path, sent))
    expect(first).not.toBe(second)
    const isNamed = !('uniq' in more) || more.uniq
    const [third] = idsOf(await api.post(path, [sent[1]]))
    expect(third === second).toBe(Boolean(isNamed))
    expect(await callsOn(api, 'contacts', contact)).toHaveLength(isNamed ? 2 : 3)
  })

  test('is stored anew where its note or its record is gone, and in another account', async () => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number)
    const [first] = idsOf(await api.post(path, [named]))
    await api.delete(`/api/v4/contacts/notes/${first}`)
    const [second] = idsOf(await api.post(path, [named]))
    expect(second).not.toBe(first)
    await api.delete(`/api/v4/contacts/${contact}`)
    expect((await api.post(path, [named])).status).toBe(400)
    const company = await addCard(api, 'companies', number)
    expect(await holderOfCall(api, named)).toBe(`company ${company}`)
    await api.post(`/api/v4/contacts/${contact}/restore`)
    expect(idsOf(await api.post(path, [named]))).toEqual([second])
    const other = await newAccount()
    const card = await addCard(other.api, 'contacts', number)
    expect(await holderOfCall(other.api, named)).toBe(`contact ${card}`)
  })

  test('is known too if its note was added as one', async () => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number)
    const params = { uniq: 'c-1', duration: 1, source: 'pbx', phone: number }
    const note = await addNote(api, 'contacts', contact, { note_type: 'call_in', params })
    expect(idsOf(await api.post(path, [named]))).toEqual([note])
    expect(idsOf(await api.post(path, [{ ...named, direction: 'outbound' }]))).not.toEqual([note])
  })

  test('makes one note when it comes many times at once', async () => {
    const { api } = await newAccount()
    const contact = await addCard(api, 'contacts', number)
    const other = { ...named, uniq: 'c-2' }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        api.post(path, turn % 2 === 0 ? [named, other] : [other, named]),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await callsOn(api, 'contacts', contact)).toHaveLength(2)
    expect(new Set(answers.flatMap(idsOf)).size).toBe(2)
  })
})

// Only records that the caller may view exist for the caller; the note needs the right to edit.
describe('rights', () => {
  const free = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
  const all = { leads: free, contacts: free, companies: free }

  test.for(['contacts', 'companies'] as const)(
    'one of the %s that one may not view does not exist, and another is taken',
    async (type) => {
      const account = await newAccount()
      const own = { ...all, [type]: { ...free, view: 'M', edit: 'M' } }
      const user = await account.addUser({ rights: own })
      const hidden = await addCard(account.api, type, number)
      const unknown = await user.api.post(path, [call()])
      expect(unknown.status).toBe(400)
      const nobodyThere = await user.api.post(path, [call({ phone: '+7 (900) 123-45-68' })])
      expect(JSON.stringify(unknown.body).replaceAll('45-67', '45-68')).toBe(
        JSON.stringify(nobodyThere.body),
      )
      const seen = await addCard(user.api, type, number)
      await account.api.patch(`${pathOf(type)}/${hidden}`, { name: 'Changed last' })
      expect(await holderOfCall(user.api)).toMatch(new RegExp(` ${seen}$`))
      expect(await callsOn(account.api, type, hidden)).toEqual([])
    },
  )

  test('a lead and a customer that one may not view are passed over', async () => {
    const account = await newAccount()
    const own = { ...all, leads: { ...free, view: 'M', edit: 'M' } } as const
    const user = await account.addUser({ rights: own })
    const contact = await addCard(account.api, 'contacts', number)
    await addLeadOf(account.api, 'contacts', contact)
    await addCustomerOf(account.api, 'contacts', contact)
    expect(await holderOfCall(user.api)).toBe(`contact ${contact}`)
    const seen = await addLeadOf(user.api, 'contacts', contact)
    expect(await holderOfCall(user.api)).toBe(`lead ${seen}`)
    expect(await holderOfCall(account.api)).toBe(`contact ${contact}`)
  })

  test('a record that one may view and not edit takes no call, and the others of the batch do', async () => {
    const account = await newAccount()
    const own = { ...all, leads: { ...free, edit: 'M' } } as const
    const user = await account.addUser({ rights: own })
    const contact = await addCard(account.api, 'contacts', number)
    const lead = await addLeadOf(account.api, 'contacts', contact)
    const company = await addCard(account.api, 'companies', '79990000000')
    const answer = await user.api.post(path, [call(), call({ phone: '79990000000' })])
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      _total_items: 1,
      errors: [
        {
          request_id: '0',
          title: 'Forbidden',
          status: 403,
          detail: expect.stringContaining(`lead ${lead}`),
        },
      ],
      _embedded: { calls: [{ entity_id: company, entity_type: 'company' }] },
    })
    expect(await callsOn(account.api, 'leads', lead)).toEqual([])
    expect((await user.api.post(path, [call()])).status).toBe(400)
  })

  test('the first note of a call is not told where its record may not be viewed', async () => {
    const account = await newAccount()
    const own = { ...all, contacts: { ...free, view: 'M', edit: 'M' } } as const
    const user = await account.addUser({ rights: own })
    await addCard(account.api, 'contacts', number)
    const named = call({ uniq: 'c-1' })
    const first = await account.api.post(path, [named])
    expect((await user.api.post(path, [named])).status).toBe(400)
    const card = await addCard(user.api, 'contacts', number)
    const second = await user.api.post(path, [named])
    expect(second.body._embedded.calls[0].entity_id).toBe(card)
    expect(second.body._embedded.calls[0].id).not.toBe(first.body._embedded.calls[0].id)
  })

  test('users who see no cards, or may edit nothing, are refused', async () => {
    const account = await newAccount()
    const closed = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
    const blind = await addSeller(account, free)
    const reads = { ...closed, view: 'A' } as const
    const reader = await account.addUser({
      rights: { leads: reads, contacts: reads, companies: reads },
    })
    await addCard(account.api, 'contacts', number)
    for (const { api } of [blind, reader]) expect((await api.post(path, [call()])).status).toBe(403)
    const ofCompanies = await account.addUser({
      rights: { leads: closed, contacts: closed, companies: free },
    })
    expect(await holderOfCall(ofCompanies.api)).toBe(nobody)
    const company = await addCard(account.api, 'companies', number)
    expect(await holderOfCall(ofCompanies.api)).toBe(`company ${company}`)
  })
})

test('250 calls are placed at once, and answered in their order', async () => {
  const account = await newAccount()
  const { api } = account
  const phones = Array.from({ length: 120 }, (_, index) => `7900000${1000 + index}`)
  const ids = await addRecords(
    api,
    'contacts',
    phones.map((each) => person(phone(each))),
  )
  const drafts = ids.slice(60).map((id) => ({ _embedded: { contacts: [{ id }] } }))
  await api.post('/api/v4/leads', drafts)
  const calls = Array.from({ length: 250 }, (_, turn) =>
    call({ phone: phones[(turn * 7) % 120], uniq: `call ${turn}`, request_id: `call ${turn}` }),
  )
  const { status, body } = await api.post(path, calls)
  expect([status, body._total_items, body.errors]).toEqual([200, 250, []])
  const answered = body._embedded.calls as { id: number; request_id: string }[]
  expect(answered.map(({ request_id }) => request_id)).toEqual(
    calls.map((_, turn) => `call ${turn}`),
  )
  const kinds = Map.groupBy(
    body._embedded.calls as { entity_type: string }[],
    (each) => each.entity_type,
  )
  expect([...kinds.keys()].toSorted()).toEqual(['contact', 'lead'])
  expect(new Set(answered.map(({ id }) => id)).size).toBe(250)
  const again = await api.post(path, calls)
  expect(again.body).toEqual(body)
})

test('250 calls take as many statements as two', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const phones = Array.from({ length: 250 }, (_, index) => `7900000${1000 + index}`)
  const ids = await addRecords(
    api,
    'contacts',
    phones.map((each) => person(phone(each))),
  )
  await addLeadOf(api, 'contacts', ids[0]!)
  const statementsFor = (count: number) =>
    kontor.database.transaction(async (tx) => {
      let statements = 0
      const rows: Tx['rows'] = (statement) => {
        statements++
        return tx.rows(statement)
      }
      const calls = phones
        .slice(0, count)
        .map((each, at) => call({ phone: each, uniq: `${count}`, link: `https://a.b/${at}` }))
      const outcome = await addCalls(
        { ...tx, rows },
        actorIn(account),
        batchOf(...calls),
        keepingFiles(kontor),
      )
      expect(outcome.calls).toHaveLength(count)
      return statements
    })
  expect(await statementsFor(250)).toBe(await statementsFor(2))
})

// A call waits for the verb that holds its record, and is then placed by what that verb left.
describe('while the record changes', () => {
  test.for(['closed', 'deleted', 'unlinked'] as const)(
    'a lead that is %s leaves the call to the contact',
    async (what) => {
      const account = await newAccount()
      const { api } = account
      const contact = await addCard(api, 'contacts', number)
      const id = await addLeadOf(api, 'contacts', contact)
      const pair = { entity_id: id, to_entity_id: contact, to_entity_type: 'contacts' as const }
      const holder = await meanwhile(
        account,
        (tx, actor) => {
          if (what === 'closed') return changeLeads(tx, actor, batchOf({ id, status_id: won }))
          return what === 'deleted'
            ? deleteRecord(tx, actor, leads, id)
            : unlinkRecords(tx, actor, 'leads', batchOf(pair))
        },
        () => holderOfCall(api),
      )
      expect(holder).toBe(`contact ${contact}`)
      expect(await callsOn(api, 'contacts', contact)).toHaveLength(1)
    },
  )

  test('the last contact with the number leaves the call to the company, and then to nobody', async () => {
    const account = await newAccount()
    const { api } = account
    const contact = await addCard(api, 'contacts', number)
    const company = await addCard(api, 'companies', number)
    const holder = await meanwhile(
      account,
      (tx, actor) => deleteRecord(tx, actor, contacts, contact),
      () => holderOfCall(api),
    )
    expect(holder).toBe(`company ${company}`)
    const none = await meanwhile(
      account,
      (tx, actor) => deleteRecord(tx, actor, companies, company),
      () => holderOfCall(api),
    )
    expect(none).toBe(nobody)
  })

  test('a lead that is added while the call waits for the contact gets it', async () => {
    const account = await newAccount()
    const { api } = account
    const contact = await addCard(api, 'contacts', number)
    let lead: number | undefined
    const holder = await meanwhile(
      account,
      async (tx, actor) => {
        const draft = { _embedded: { contacts: [{ id: contact }] } }
        lead = (await createLeads(tx, actor, batchOf(draft)))[0]!.id
      },
      () => holderOfCall(api),
    )
    expect(holder).toBe(`lead ${lead}`)
  })

  // Before each lock, another card with the number is changed, and so the one that was changed last.
  test.for([
    { cards: 2, outcome: 'is placed once all of them are locked' },
    { cards: 30, outcome: 'is refused for now where there is always another' },
  ])('a call of $cards cards that change in turns $outcome', async ({ cards, outcome }) => {
    const account = await newAccount()
    const { api, kontor } = account
    const ids = await addRecords(
      api,
      'contacts',
      Array.from({ length: cards }, () => person(phone(number))),
    )
    let turns = 0
    let last: number | undefined
    let isBeforeLocks = false
    const add = kontor.database.transaction((tx) => {
      const rows: Tx['rows'] = async <Row extends object>(statement: Sql) => {
        const answer = await tx.rows<Row>(statement)
        if (isBeforeLocks) {
          last = ids[turns++ % cards]!
          await kontor.database.transaction((other) =>
            other.rows(
              sql`update contacts set updated_at = created_at + ${turns} where account_id = ${account.id} and id = ${last}`,
            ),
          )
        }
        isBeforeLocks = statement.text === 'savepoint calls'
        return answer
      }
      return addCalls({ ...tx, rows }, actorIn(account), batchOf(call()), keepingFiles(kontor))
    })
    if (outcome.startsWith('is refused'))
      await expect(add).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    else expect((await add).calls).toMatchObject([{ entity: { id: last } }])
    expect(turns).toBeGreaterThan(1)
  })

  test('calls and changes of the same records do not wait in a circle', async () => {
    const account = await newAccount()
    const { api } = account
    const phones = Array.from({ length: 6 }, (_, index) => `7900000000${index}`)
    const cards = await addRecords(
      api,
      'contacts',
      phones.map((each) => person(phone(each))),
    )
    const made: number[] = []
    for (const id of cards.slice(3)) made.push(await addLeadOf(api, 'contacts', id))
    const turns = Array.from({ length: 8 }, (_, turn) => {
      const inTurn = turn % 2 === 0 ? phones : phones.toReversed()
      return [
        api.post(
          path,
          inTurn.map((each, at) => call({ phone: each, uniq: `${turn} ${at}` })),
        ),
        api.patch(
          '/api/v4/leads',
          made.map((id) => ({ id, price: turn })),
        ),
        api.patch(
          '/api/v4/contacts',
          cards.toReversed().map((id) => ({ id, name: `${turn}` })),
        ),
      ]
    }).flat()
    const statuses = (await Promise.all(turns)).map(({ status }) => status)
    expect(statuses).toEqual(turns.map(() => 200))
  })

  test('the same call in another transaction is waited for', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    await addCard(api, 'contacts', number)
    const named = call({ uniq: 'c-1' })
    let answer: Promise<Answer> | undefined
    const stored = await kontor.database.transaction(async (tx) => {
      const outcome = await addCalls(tx, actorIn(account), batchOf(named), keepingFiles(kontor))
      answer = api.post(path, [named])
      await untilAwaited(tx)
      return outcome
    })
    expect((await answer!).body._embedded.calls[0].id).toBe(stored.calls[0]!.id)
  })
})
