// Notes of records: their types, verbs, lists, rights and news.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import {
  addGroup,
  addSeller,
  faultsOf,
  listen,
  mainPipeline,
  plainly,
} from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { addNote, addNotes, addWithNote, notesIn, readNote, text } from '../../../../test/notes.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  letters,
  readRecord,
} from '../../../../test/records.ts'
import { lastDrawn, newsInGaps } from '../../../changes/position.ts'
import type { JournalRow } from '../../../changes/position.ts'
import { singular } from '../../../entity-types.ts'
import { purgeBinOf } from '../../../records/purge.ts'
import { noteTypeNames } from './types.ts'
import type { NoteType } from './types.ts'

describe('creating and reading', () => {
  describe.each(allKinds)('notes of %s', (kind) => {
    test('are added to several records at once, and read on both paths', async () => {
      const { api, admin, id: account_id, kontor } = await newAccount()
      const [one, two] = await addRecords(api, kind, letters(2))
      const { status, body } = await api.post(`/api/v4/${kind}/notes`, [
        { entity_id: two, ...text('Привет'), request_id: 'mine' },
        { entity_id: one, ...text('Hello') },
      ])
      expect(status).toBe(200)
      const base = `${kontor.url}/api/v4/${kind}`
      const [first, second] = body._embedded.notes
      const link = (entity: number, id: number) => ({
        self: { href: `${base}/${entity}/notes/${id}` },
      })
      expect(body).toEqual({
        _links: { self: { href: `${base}/notes` } },
        _embedded: {
          notes: [
            { id: first.id, entity_id: two, request_id: 'mine', _links: link(two!, first.id) },
            { id: second.id, entity_id: one, request_id: '1', _links: link(one!, second.id) },
          ],
        },
      })
      const read = (await api.get(first._links.self.href)).body
      expect(read).toEqual({
        id: first.id,
        entity_id: two,
        note_type: 'common',
        params: { text: 'Привет' },
        account_id,
        created_by: admin.id,
        updated_by: admin.id,
        responsible_user_id: admin.id,
        group_id: 0,
        created_at: expect.closeTo(kontor.now(), -1),
        updated_at: read.created_at,
        _links: first._links,
      })
      expect(await readNote(api, kind, first.id)).toEqual(read)
      expect((await api.get(`/api/v4/${kind}/notes`)).body._embedded.notes).toEqual([
        read,
        await readNote(api, kind, second.id),
      ])
      expect(notesIn(await api.get(`/api/v4/${kind}/${one}/notes`))).toEqual([second.id])
    })

    test('are added to the record that the path names, whatever the body says', async () => {
      const { api, kontor } = await newAccount()
      const [one, two] = await addRecords(api, kind, letters(2))
      const { body } = await api.post(`/api/v4/${kind}/${one}/notes`, [
        { ...text('a'), entity_id: two },
        text('b'),
      ])
      expect(body._links.self.href).toBe(`${kontor.url}/api/v4/${kind}/${one}/notes`)
      expect(body._embedded.notes).toMatchObject([{ entity_id: one }, { entity_id: one }])
      expect(notesIn(await api.get(`/api/v4/${kind}/${two}/notes`))).toEqual([])
    })

    test('are not found under another record, another kind or another account', async () => {
      const [{ api }, other] = [await newAccount(), await newAccount()]
      const { entity, id } = await addWithNote(api, kind)
      const elsewhere = await addRecord(api, kind, { name: 'Other' })
      const otherKind = kind === 'leads' ? 'contacts' : 'leads'
      for (const [client, path] of [
        [api, `/api/v4/${kind}/${elsewhere}/notes/${id}`],
        [api, `/api/v4/${kind}/999999999/notes/${id}`],
        [api, `/api/v4/${otherKind}/notes/${id}`],
        [other.api, `/api/v4/${kind}/notes/${id}`],
        [other.api, `/api/v4/${kind}/${entity}/notes/${id}`],
      ] as const) {
        expect((await client.get(path)).status).toBe(404)
        expect((await client.patch(path, { params: { text: 'y' } })).status).toBe(404)
      }
      for (const word of ['pin', 'unpin']) {
        expect((await api.post(`/api/v4/${otherKind}/notes/${id}/${word}`)).status).toBe(404)
        expect((await other.api.post(`/api/v4/${kind}/notes/${id}/${word}`)).status).toBe(404)
      }
      expect((await readNote(api, kind, id)).params).toEqual({ text: 'x' })
    })
  })

  test('who wrote, who is responsible and when it was written are kept as sent; it was changed now', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [author, owner] = [await account.addUser(), await account.addUser()]
    const lead = await addRecord(api, 'leads', { responsible_user_id: owner.id })
    const sent = {
      created_by: author.id,
      updated_by: 0,
      created_at: 1_500_000_000,
      updated_at: 1_500_000_001,
    }
    const [one, two] = await addNotes(api, 'leads', lead, [
      { ...text('x'), ...sent, is_need_to_trigger_digital_pipeline: false },
      { ...text('x'), responsible_user_id: author.id, created_at: '1500000002' },
    ])
    const read = await readNote(api, 'leads', one!)
    expect(read).toMatchObject({
      created_by: author.id,
      updated_by: 0,
      created_at: 1_500_000_000,
      responsible_user_id: owner.id,
    })
    expect(read.updated_at).toBeGreaterThan(kontor.now() - 60)
    expect(read).not.toHaveProperty('is_need_to_trigger_digital_pipeline')
    expect(await readNote(api, 'leads', two!)).toMatchObject({
      responsible_user_id: author.id,
      created_at: 1_500_000_002,
    })
  })

  test('responsible user 0 is the caller in a creation, and no change in a change', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const group_id = await addGroup(account)
    const owner = await account.addUser({ group_id })
    const { entity, id: first } = await addWithNote(api, 'leads', { responsible_user_id: owner.id })
    const id = await addNote(api, 'leads', entity, { ...text('x'), responsible_user_id: 0 })
    expect(await readNote(api, 'leads', id)).toMatchObject({
      responsible_user_id: admin.id,
      group_id: 0,
    })
    const before = await readNote(api, 'leads', first)
    const newsSince = await listen(account)
    await api.patch(`/api/v4/leads/notes/${first}`, { responsible_user_id: 0 })
    expect(await readNote(api, 'leads', first)).toEqual(before)
    expect((await newsSince()).journal).toEqual([])
    await api.patch(`/api/v4/leads/notes/${first}`, { responsible_user_id: 0, ...text('y') })
    expect(await readNote(api, 'leads', first)).toMatchObject({
      responsible_user_id: owner.id,
      group_id,
      params: { text: 'y' },
    })
  })

  test('the group is that of the responsible user, also after a move', async () => {
    const account = await newAccount()
    const { api } = account
    const { addGroup } = await import('../../../../test/leads.ts')
    const [before, after] = [await addGroup(account), await addGroup(account)]
    const owner = await account.addUser({ group_id: before })
    const { id } = await addWithNote(api, 'leads', { responsible_user_id: owner.id })
    expect(await readNote(api, 'leads', id)).toMatchObject({
      responsible_user_id: owner.id,
      group_id: before,
    })
    expect((await api.patch(`/web/v1/users/${owner.id}`, { group_id: after })).status).toBe(200)
    expect((await readNote(api, 'leads', id)).group_id).toBe(after)
  })

  test('one bad note refuses the batch, and every bad one is listed', async () => {
    const account = await newAccount()
    const { api } = account
    const gone = await account.addUser()
    await api.post('/api/v4/users/deactivate', [{ id: gone.id }])
    const [lead, contact] = [
      await addRecord(api, 'leads'),
      await addRecord(api, 'contacts', { name: 'One' }),
    ]
    const good = { entity_id: lead, ...text('x') }
    const refused = await api.post('/api/v4/leads/notes', [
      good,
      { ...good, entity_id: 999_999_999 },
      { ...good, entity_id: undefined },
      { ...good, entity_id: null, request_id: 'null' },
      { ...good, note_type: undefined },
      { ...good, note_type: 'amomail_message' },
      { ...good, note_type: 'entity_added' },
      { ...good, note_type: 'toString' },
      { ...good, params: undefined },
      { ...good, params: ['text'] },
      {
        ...good,
        responsible_user_id: gone.id,
        created_by: 999_999_999,
        updated_by: gone.id,
        params: {},
      },
      { ...good, responsible_user_id: -1 },
      { ...good, created_at: 'yesterday', is_need_to_trigger_digital_pipeline: 'no' },
      { ...good, text: 'x' },
      { ...good, id: 7, account_id: 1, group_id: 1, is_pinned: true, _links: {} },
      'note',
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      1: ['EntityNotFound entity_id'],
      2: ['FieldMissing entity_id'],
      null: ['NotNullable entity_id'],
      4: ['FieldMissing note_type'],
      5: ['NotSupportedChoice note_type'],
      6: ['NotSupportedChoice note_type'],
      7: ['NotSupportedChoice note_type'],
      8: ['FieldMissing params'],
      9: ['InvalidType params'],
      10: [
        'NotSupportedChoice responsible_user_id',
        'NotSupportedChoice created_by',
        'NotSupportedChoice updated_by',
        'FieldMissing params.text',
      ],
      11: ['TooLow responsible_user_id'],
      12: ['InvalidType created_at', 'InvalidType is_need_to_trigger_digital_pipeline'],
      13: ['FieldNotExpected text'],
      15: ['InvalidType '],
    })
    expect(notesIn(await api.get('/api/v4/leads/notes'))).toEqual([])
    expect((await api.post('/api/v4/leads/notes', [{ ...good, entity_id: contact }])).status).toBe(
      400,
    )
  })

  test('a record that is not there has no notes: 404 where the path names it', async () => {
    const { api } = await newAccount()
    const { id } = await addWithNote(api, 'leads')
    for (const entity of ['999999999', '0', 'x', '9007199254740992']) {
      const path = `/api/v4/leads/${entity}/notes`
      expect((await api.get(path)).status).toBe(404)
      expect((await api.post(path, [text('x')])).status).toBe(404)
      expect((await api.patch(path, [{ id, params: { text: 'y' } }])).status).toBe(404)
    }
  })

  test.for([
    ['251 notes', Array.from({ length: 251 }, () => text('x'))],
    ['no note', []],
    ['a text', '"x"'],
    ['U+0000', String.raw`[{"note_type":"common","params":{"text":"a\u0000"}}]`],
  ])('a batch of %s is refused', async ([, body]) => {
    const { api } = await newAccount()
    const lead = await addRecord(api, 'leads')
    expect((await api.post(`/api/v4/leads/${lead}/notes`, body)).status).toBe(400)
    expect(notesIn(await api.get('/api/v4/leads/notes'))).toEqual([])
  })

  test('250 notes are one request, in its order, and an object counts as one', async () => {
    const { api } = await newAccount()
    const lead = await addRecord(api, 'leads')
    const drafts = Array.from({ length: 250 }, (_, index) => text(`Note ${index}`))
    const ids = await addNotes(api, 'leads', lead, drafts)
    const { notes } = (await api.get(`/api/v4/leads/${lead}/notes?limit=250`)).body._embedded
    expect(notes.map(({ id, params }: { id: number; params: object }) => [id, params])).toEqual(
      ids.map((id, index) => [id, drafts[index]!.params]),
    )
    expect(
      (await api.post(`/api/v4/leads/${lead}/notes`, text('Alone'))).body._embedded.notes,
    ).toHaveLength(1)
  })

  test("the system's own note of a record is in no list, and cannot be read, changed, pinned or deleted", async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const { events } = (await api.get('/api/v4/events')).body._embedded
    const own: number = events[0].value_after[0].note.id
    const note = await addNote(api, 'leads', lead)
    for (const query of [
      '',
      `filter[id]=${own}`,
      'filter[note_type]=entity_added',
      `filter[id][]=${own}&filter[id][]=${note}`,
    ]) {
      expect(notesIn(await api.get(`/api/v4/leads/notes?${query}`))).not.toContain(own)
      expect(notesIn(await api.get(`/api/v4/leads/${lead}/notes?${query}`))).not.toContain(own)
    }
    for (const path of [`/api/v4/leads/notes/${own}`, `/api/v4/leads/${lead}/notes/${own}`]) {
      expect((await api.get(path)).status).toBe(404)
      expect((await api.patch(path, { params: { text: 'y' } })).status).toBe(404)
    }
    const refused = await api.patch('/api/v4/leads/notes', [{ id: own, params: { text: 'y' } }])
    expect(faultsOf(refused)).toEqual({ 0: ['EntityNotFound id'] })
    expect((await api.post(`/api/v4/leads/notes/${own}/pin`)).status).toBe(404)
    for (const path of [`/api/v4/leads/notes/${own}`, `/api/v4/leads/${lead}/notes/${own}`])
      expect((await api.delete(path)).status).toBe(404)
    const kept = await account.kontor.database.list(sql`select from notes where id = ${own}`)
    expect(kept).toHaveLength(1)
  })
})

// The params of every type, how they read back, and the event that tells of it.
describe('types', () => {
  let account: TestAccount
  let lead: number

  beforeAll(async () => {
    account = await newAccount()
    lead = await addRecord(account.api, 'leads')
  })

  const file = '0a4c1a70-9c5b-4d33-8f2e-0e9d5a3b7c11'

  const call = {
    uniq: 'c-1',
    duration: 0,
    source: 'pbx',
    link: 'https://x',
    phone: '+15550100',
    call_result: '',
    call_status: 4,
  }

  const message = { service: 'A service', text: 'A text' }

  const campaign = {
    contacts: [1, 'a@b.c', { name: 'Ann' }],
    campaign: 'Autumn',
    service: 'mailchimp',
  }

  const drive = { original_name: 'a.pdf', text: 'a.pdf', is_drive_attachment: true }
  type Params = Record<string, unknown>

  const taken: [type: NoteType, event: string, params: Params, read?: Params][] = [
    ['common', 'common_note_added', { text: `A text\n${'ы'.repeat(60_000)}` }],
    ['call_in', 'incoming_call', { ...call, call_responsible: 17 }],
    ['call_out', 'outgoing_call', { ...call, call_responsible: 'Ann' }],
    [
      'call_in',
      'incoming_call',
      { duration: '35', source: 'pbx', phone: 15_550_100 },
      { duration: 35, source: 'pbx', phone: '15550100' },
    ],
    ['service_message', 'service_note_added', message],
    ['extended_service_message', 'service_note_added', message],
    ['message_cashier', 'message_to_cashier_note_added', { status: 'shown', text: 'A text' }],
    [
      'geolocation',
      'geo_note_added',
      { text: 'Here', address: 'A street', longitude: '37.6', latitude: '55.7' },
    ],
    ['sms_in', 'incoming_sms', { text: 'A text', phone: '+15550100' }],
    ['sms_out', 'outgoing_sms', { text: 'A text', phone: '+15550100' }],
    [
      'attachment',
      'attachment_note_added',
      { file_uuid: file, version_uuid: file, file_name: 'a.pdf' },
      { file_uuid: file, version_uuid: file, file_name: 'a.pdf', ...drive },
    ],
    [
      'attachment',
      'attachment_note_added',
      {
        file_uuid: file,
        file_name: 'a.pdf',
        original_name: 'b',
        text: 7,
        is_drive_attachment: false,
      },
      { file_uuid: file, file_name: 'a.pdf', ...drive },
    ],
    ['site_visit', 'site_visit_note_added', { url: 'https://example.com/page' }],
    ['targeting_in', 'targeting_in_note_added', campaign],
    ['targeting_out', 'targeting_out_note_added', campaign],
    [
      'invoice_paid',
      'service_note_added',
      { ...message, icon_url: 'https://example.com/icon.png' },
    ],
    ['bill_paid', 'service_note_added', message],
    [
      'zoom_meeting',
      'service_note_added',
      { conference: { id: 1, topic: 'A topic' }, recordings: [{ url: 'https://x' }] },
    ],
    [
      'ai_result',
      'service_note_added',
      { text: 'A text', answer_id: 5, talk_id: 6, is_error: false },
    ],
  ]

  test.for(taken)('%s is told as %s', async ([note_type, event, params, read = params]) => {
    const newsSince = await listen(account)
    const id = await addNote(account.api, 'leads', lead, { note_type, params })
    expect(await readNote(account.api, 'leads', id)).toMatchObject({ note_type, params: read })
    expect((await readNote(account.api, 'leads', id)).params).toEqual(read)
    const { events } = await newsSince()
    expect(events).toMatchObject([
      {
        type: event,
        entity_id: lead,
        entity_type: 'lead',
        value_before: [],
        value_after: [{ note: { id } }],
      },
    ])
    const same = await account.api.patch(`/api/v4/leads/notes/${id}`, { note_type, params: read })
    expect(same.status).toBe(200)
  })

  test('every type has a row of what is taken', () => {
    const rows = new Set(taken.map(([type]) => type))
    expect([...rows].toSorted()).toEqual(noteTypeNames.toSorted())
  })

  const nothing: [string, Params, string[]][] = noteTypeNames.map((type) => [
    type,
    { strange: 1 },
    ['FieldNotExpected params.strange'],
  ])

  test.for<[type: string, params: Params, faults: string[]]>([
    ...nothing,
    ['common', {}, ['FieldMissing params.text']],
    ['common', { text: '' }, ['NotBlank params.text']],
    ['common', { text: ' \n ' }, ['NotBlank params.text']],
    ['common', { text: null }, ['NotNullable params.text']],
    ['common', { text: 5 }, ['InvalidType params.text']],
    ['common', { text: 'x'.repeat(65_536) }, ['TooLong params.text']],
    [
      'call_in',
      {},
      ['FieldMissing params.duration', 'FieldMissing params.source', 'FieldMissing params.phone'],
    ],
    ['call_in', { ...call, source: '' }, ['NotBlank params.source']],
    ['call_in', { ...call, phone: null, link: null }, ['NotNullable params.phone']],
    ['call_out', { ...call, call_status: 9 }, ['NotSupportedChoice params.call_status']],
    ['call_out', { ...call, duration: -1 }, ['TooLow params.duration']],
    ['call_out', { ...call, call_responsible: [] }, ['InvalidType params.call_responsible']],
    ['service_message', { service: 'x' }, ['FieldMissing params.text']],
    ['extended_service_message', { text: 'x', service: ' ' }, ['NotBlank params.service']],
    ['message_cashier', { status: 'paid', text: 'x' }, ['NotSupportedChoice params.status']],
    [
      'geolocation',
      { address: 'x' },
      ['FieldMissing params.longitude', 'FieldMissing params.latitude'],
    ],
    ['sms_in', { text: 'x', phone: '1', uniq: 'u' }, ['FieldNotExpected params.uniq']],
    ['sms_out', { text: 'x' }, ['FieldMissing params.phone']],
    [
      'attachment',
      { file_uuid: 'x', file_name: 'a', version_uuid: 'x' },
      ['InvalidFormat params.file_uuid', 'InvalidFormat params.version_uuid'],
    ],
    ['attachment', {}, ['FieldMissing params.file_uuid', 'FieldMissing params.file_name']],
    ['site_visit', { url: '' }, ['NotBlank params.url']],
    [
      'targeting_in',
      { ...campaign, service: 'other', contacts: { a: 1 } },
      ['InvalidType params.contacts', 'NotSupportedChoice params.service'],
    ],
    [
      'targeting_out',
      { ...campaign, contacts: Array.from({ length: 251 }, () => 1) },
      ['TooMany params.contacts'],
    ],
    ['targeting_out', { ...campaign, contacts: ['x'.repeat(300_000)] }, ['TooLong params']],
    ['zoom_meeting', {}, ['FieldMissing params.conference']],
    [
      'zoom_meeting',
      { conference: { many: Array.from({ length: 1000 }, () => 'x'.repeat(300)) } },
      ['TooLong params'],
    ],
    ['zoom_meeting', { conference: { ['k'.repeat(300_000)]: 1 } }, ['TooLong params']],
    ['ai_result', { text: 'x', is_error: 'no' }, ['InvalidType params.is_error']],
  ])(
    '%s without what it needs, or with too much, is refused: %j',
    async ([note_type, params, faults]) => {
      const refused = await account.api.post(`/api/v4/leads/${lead}/notes`, [{ note_type, params }])
      expect(refused.status).toBe(400)
      expect(faultsOf(refused)['0']).toEqual(expect.arrayContaining(faults))
      if (!('strange' in params)) expect(faultsOf(refused)['0']).toHaveLength(faults.length)
    },
  )

  test('with UNKNOWN_KEYS=ignore other params are left out', async () => {
    const { api } = await newAccount({ unknownKeys: 'ignore' })
    const record = await addRecord(api, 'leads')
    const id = await addNote(api, 'leads', record, {
      note_type: 'sms_in',
      params: { text: 'x', phone: '1', uniq: 'u' },
      stray: 1,
    })
    expect((await readNote(api, 'leads', id)).params).toEqual({ text: 'x', phone: '1' })
    expect(notesIn(await api.get('/api/v4/leads/notes'))).toEqual([id])
  })
})

describe('changing and pinning', () => {
  const call = (more: object = {}) => ({
    note_type: 'call_in',
    params: { duration: 5, source: 'pbx', phone: '1', uniq: 'u', ...more },
  })

  test.for(allKinds)(
    'one note of %s is changed on both paths, several in a batch',
    async (kind) => {
      const { api, clock, kontor } = await newAccount()
      const [one, two] = await addRecords(api, kind, letters(2))
      const [a, b] = [await addNote(api, kind, one!), await addNote(api, kind, two!)]
      const path = `/api/v4/${kind}`
      clock.ahead = 100
      const link = (entity: number, id: number) => ({
        self: { href: `${kontor.url}${path}/${entity}/notes/${id}` },
      })
      for (const [at, words] of [
        [`${path}/notes/${a}`, 'y'],
        [`${path}/${one}/notes/${a}`, 'z'],
      ] as const) {
        const { status, body } = await api.patch(at, { params: { text: words }, id: b })
        expect(status).toBe(200)
        const read = await readNote(api, kind, a)
        expect(read.params).toEqual({ text: words })
        expect(body).toEqual({
          id: a,
          entity_id: one,
          updated_at: read.updated_at,
          _links: link(one!, a),
        })
        expect(read.updated_at).toBeGreaterThanOrEqual(read.created_at + 99)
      }
      const { status, body } = await api.patch(`${path}/notes`, [
        { id: b, params: { text: 'b' }, request_id: 'mine' },
        { id: a, params: { text: 'a' } },
      ])
      expect(status).toBe(200)
      const { updated_at } = await readNote(api, kind, a)
      expect(body).toEqual({
        _links: { self: { href: `${kontor.url}${path}/notes` } },
        _embedded: {
          notes: [
            {
              id: b,
              entity_id: two,
              updated_at: expect.any(Number),
              request_id: 'mine',
              _links: link(two!, b),
            },
            { id: a, entity_id: one, updated_at, request_id: '1', _links: link(one!, a) },
          ],
        },
      })
      expect((await readNote(api, kind, b)).params).toEqual({ text: 'b' })
      clock.ahead = 0
    },
  )

  test('params replace the stored ones as a whole, and are checked as those of the stored type', async () => {
    const { api } = await newAccount()
    const { id } = await addWithNote(api, 'leads', {}, call())
    const at = `/api/v4/leads/notes/${id}`
    expect(
      (await api.patch(at, { params: { duration: 7, source: 'pbx', phone: '2' } })).status,
    ).toBe(200)
    expect((await readNote(api, 'leads', id)).params).toEqual({
      duration: 7,
      source: 'pbx',
      phone: '2',
    })
    for (const [params, faults] of [
      [{ duration: 7 }, ['FieldMissing params.source', 'FieldMissing params.phone']],
      [{ duration: 7, source: 'pbx', phone: '2', text: 'x' }, ['FieldNotExpected params.text']],
      ['x', ['InvalidType params']],
    ] as const)
      expect(faultsOf(await api.patch(at, { params }))).toEqual({ 0: faults })
    // Null counts as not sent.
    expect((await api.patch(at, { params: null })).status).toBe(200)
    const nulls = { uniq: null, link: null, call_result: null, call_status: null }
    const sent = {
      duration: 7,
      source: 'pbx',
      phone: '2',
      ...nulls,
      call_responsible: null,
      x: null,
    }
    expect((await api.patch(at, { params: sent })).status).toBe(200)
    expect((await readNote(api, 'leads', id)).params).toEqual({
      duration: 7,
      source: 'pbx',
      phone: '2',
    })
  })

  test('the type of a note cannot change', async () => {
    const { api } = await newAccount()
    const { id } = await addWithNote(api, 'leads')
    const at = `/api/v4/leads/notes/${id}`
    for (const note_type of ['sms_in', 'nonsense'])
      expect(
        faultsOf(await api.patch(at, { note_type, params: { text: 'y', phone: '1' } })),
      ).toEqual({
        0: ['NotSupportedChoice note_type'],
      })
    expect((await api.patch(at, { note_type: null, params: { text: 'x' } })).status).toBe(200)
    expect((await api.patch(at, { note_type: 'common', params: { text: 'y' } })).status).toBe(200)
    expect((await readNote(api, 'leads', id)).params).toEqual({ text: 'y' })
  })

  test('what was read can be sent back, by anybody, and changes nothing', async () => {
    const account = await newAccount()
    const { api, clock } = account
    const author = await account.addUser()
    const file = '0a4c1a70-9c5b-4d33-8f2e-0e9d5a3b7c11'
    const lead = await addRecord(api, 'leads')
    const ids = await addNotes(api, 'leads', lead, [
      {
        ...text('x'),
        created_by: author.id,
        updated_by: author.id,
        responsible_user_id: author.id,
      },
      { note_type: 'attachment', params: { file_uuid: file, file_name: 'a.pdf' } },
      call(),
    ])
    await api.post('/api/v4/users/deactivate', [{ id: author.id }])
    clock.ahead = 100
    const { notes } = (await api.get(`/api/v4/leads/${lead}/notes?with=is_pinned`)).body._embedded
    const { status } = await api.patch('/api/v4/leads/notes', notes)
    expect(status).toBe(200)
    for (const note of notes)
      expect((await api.patch(note._links.self.href, note)).body.updated_at).toBe(note.updated_at)
    await api.patch(`/api/v4/leads/notes/${ids[0]}`, { updated_at: 5, params: { text: 'x' } })
    expect(
      (await api.get(`/api/v4/leads/${lead}/notes?with=is_pinned`)).body._embedded.notes,
    ).toEqual(notes)
    clock.ahead = 0
  })

  test('authors, the responsible user and the time of creation may be set right; the author of a change is the user who makes it', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const { addGroup } = await import('../../../../test/leads.ts')
    const group = await addGroup(account)
    const [author, owner] = [await account.addUser(), await account.addUser({ group_id: group })]
    const { id } = await addWithNote(api, 'leads', {}, { ...text('x'), updated_by: author.id })
    const at = `/api/v4/leads/notes/${id}`
    await api.patch(at, {
      created_by: author.id,
      responsible_user_id: owner.id,
      created_at: 1_500_000_000,
    })
    expect(await readNote(api, 'leads', id)).toMatchObject({
      created_by: author.id,
      updated_by: admin.id,
      responsible_user_id: owner.id,
      group_id: group,
      created_at: 15e8,
    })
    await api.patch(at, { created_by: 0, updated_by: 0 })
    expect(await readNote(api, 'leads', id)).toMatchObject({ created_by: 0, updated_by: 0 })
    const refused = await api.patch(at, {
      created_by: 999_999_999,
      updated_by: 999_999_999,
      responsible_user_id: 999_999_999,
    })
    expect(faultsOf(refused)).toEqual({
      0: [
        'NotSupportedChoice responsible_user_id',
        'NotSupportedChoice created_by',
        'NotSupportedChoice updated_by',
      ],
    })
  })

  test('one bad change refuses the batch, and every bad one is listed', async () => {
    const { api } = await newAccount()
    const { entity, id } = await addWithNote(api, 'leads')
    const other = await addWithNote(api, 'leads')
    const refused = await api.patch(`/api/v4/leads/${entity}/notes`, [
      { id, params: { text: 'y' } },
      { id: other.id, params: { text: 'y' } },
      { id: 999_999_999, request_id: 'none' },
      { params: { text: 'y' } },
      { id, params: { text: '' } },
      { id, text: 'y' },
      { id, entity_id: 7 },
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      1: ['EntityNotFound id'],
      none: ['EntityNotFound id'],
      3: ['FieldMissing id'],
      4: ['NotBlank params.text'],
      5: ['FieldNotExpected text'],
    })
    for (const each of [id, other.id])
      expect((await readNote(api, 'leads', each)).params).toEqual({ text: 'x' })
    expect((await api.patch('/api/v4/leads/notes', [])).status).toBe(400)
    const many = Array.from({ length: 251 }, () => ({ id }))
    expect((await api.patch('/api/v4/leads/notes', many)).status).toBe(400)
    expect(
      (await api.patch('/api/v4/leads/notes/999999999', { params: { text: 'y' } })).status,
    ).toBe(404)
  })

  test('two changes of one note in a batch count one after the other', async () => {
    const account = await newAccount()
    const { api } = account
    const owner = await account.addUser()
    const { id } = await addWithNote(api, 'leads')
    const { status } = await api.patch('/api/v4/leads/notes', [
      { id, params: { text: 'y' } },
      { id, responsible_user_id: owner.id },
      { id, params: { text: 'z' } },
    ])
    expect(status).toBe(200)
    expect(await readNote(api, 'leads', id)).toMatchObject({
      params: { text: 'z' },
      responsible_user_id: owner.id,
    })
  })

  test('a note is pinned and let go, which changes nothing else', async () => {
    const { api, clock } = await newAccount()
    const { id } = await addWithNote(api, 'leads')
    const at = `/api/v4/leads/notes/${id}`
    const before = await readNote(api, 'leads', id)
    expect(before).not.toHaveProperty('is_pinned')
    clock.ahead = 100
    for (const [word, isPinned] of [
      ['unpin', false],
      ['pin', true],
      ['pin', true],
      ['unpin', false],
    ] as const) {
      const answer = await api.post(`${at}/${word}`)
      expect([answer.status, answer.body]).toEqual([204, undefined])
      expect(await readNote(api, 'leads', id, 'with=is_pinned')).toEqual({
        ...before,
        is_pinned: isPinned,
      })
    }
    clock.ahead = 0
    for (const missing of ['999999999', 'x', '0'])
      expect((await api.post(`/api/v4/leads/notes/${missing}/pin`)).status).toBe(404)
  })
})

describe('lists', () => {
  const sms = { note_type: 'sms_in', params: { text: 'x', phone: '1' } }
  const geo = { note_type: 'geolocation', params: { longitude: '1', latitude: '2' } }

  describe('filters and orders', () => {
    let account: TestAccount
    let [one, two, three] = [0, 0, 0]
    let ids: number[]
    let now: number

    // Four notes: their times of change are 10 seconds apart, latest first.
    beforeAll(async () => {
      account = await newAccount()
      const { api, clock, kontor } = account
      ;[one, two, three] = (await addRecords(api, 'leads', letters(3))) as [number, number, number]
      now = kontor.now()
      ids = []
      for (const [index, [lead, draft]] of (
        [
          [one, text('a')],
          [one, sms],
          [two, text('b')],
          [two, geo],
        ] as const
      ).entries()) {
        clock.ahead = now + 1000 - 10 * index - Math.floor(Date.now() / 1000)
        ids.push(await addNote(api, 'leads', lead, draft))
      }
      clock.ahead = 0
      await api.post(`/api/v4/leads/notes/${ids[1]}/pin`)
    })

    const find = async (query: string, record?: number) =>
      notesIn(
        await account.api.get(
          `/api/v4/leads/${record === undefined ? '' : `${record}/`}notes?${query}`,
        ),
      ).map((id) => ids.indexOf(id))

    test('notes are found by ids, records, types and the time of their change', async () => {
      expect(await find('')).toEqual([0, 1, 2, 3])
      expect(await find(`filter[id]=${ids[2]}`)).toEqual([2])
      expect(
        await find(`filter[id][]=${ids[2]}&filter[id][]=${ids[0]}&filter[id][]=999999999`),
      ).toEqual([0, 2])
      expect(await find(`filter[entity_id][]=${two}`)).toEqual([2, 3])
      expect(await find(`filter[entity_id][]=${two}&filter[entity_id][]=${one}`)).toEqual([
        0, 1, 2, 3,
      ])
      expect(
        await find(
          `filter[entity_id][]=${two}&filter[entity_id][]=${two}&filter[entity_id][]=${three}`,
        ),
      ).toEqual([2, 3])
      expect(await find(`filter[entity_id]=${three}`)).toEqual([])
      expect(await find('filter[note_type]=common')).toEqual([0, 2])
      expect(await find('filter[note_type][]=sms_in&filter[note_type][]=geolocation')).toEqual([
        1, 3,
      ])
      expect(await find('filter[note_type]=sms_in,common')).toEqual([0, 1, 2])
      expect(await find('filter[note_type]=amomail_message')).toEqual([])
      expect(await find(`filter[entity_id]=${one}&filter[note_type]=sms_in`)).toEqual([1])
    })

    test('one time finds what was changed after it, a range has both its ends', async () => {
      const middle = (await account.api.get(`/api/v4/leads/notes/${ids[1]}`)).body.updated_at
      expect(await find(`filter[updated_at]=${middle}`)).toEqual([0])
      expect(await find(`filter[updated_at]=${middle - 1}`)).toEqual([0, 1])
      expect(await find(`filter[updated_at][from]=${middle}`)).toEqual([0, 1])
      expect(await find(`filter[updated_at][to]=${middle}`)).toEqual([1, 2, 3])
      expect(
        await find(`filter[updated_at][from]=${middle}&filter[updated_at][to]=${middle}`),
      ).toEqual([1])
    })

    test('they come in the order of ids or of changes, either way', async () => {
      expect(await find('order[id]=desc')).toEqual([3, 2, 1, 0])
      expect(await find('order[updated_at]=asc')).toEqual([3, 2, 1, 0])
      expect(await find('order[updated_at]=desc')).toEqual([0, 1, 2, 3])
    })

    test('those of one record are found by the same filters', async () => {
      expect(await find('', one)).toEqual([0, 1])
      expect(await find('order[updated_at]=asc', two)).toEqual([3, 2])
      expect(await find('filter[note_type]=common', two)).toEqual([2])
      expect(await find(`filter[id]=${ids[0]}`, two)).toEqual([])
      expect(await find('', three)).toEqual([])
    })

    test('with=is_pinned says which are pinned', async () => {
      const pinned = async (path: string) =>
        (await account.api.get(path)).body._embedded.notes.map(
          ({ is_pinned }: { is_pinned?: boolean }) => is_pinned,
        )
      expect(await pinned('/api/v4/leads/notes?with=is_pinned')).toEqual([
        false,
        true,
        false,
        false,
      ])
      expect(await pinned(`/api/v4/leads/${one}/notes?with=nothing,is_pinned`)).toEqual([
        false,
        true,
      ])
      expect(await pinned('/api/v4/leads/notes')).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ])
    })

    test.for([
      ['filter[text]=x', 'filter[text]'],
      ['filter[id]=x', 'filter[id][0]'],
      ['filter[id]=0', 'filter[id][0]'],
      ['filter[entity_id]=x', 'filter[entity_id][0]'],
      ['filter[note_type]=', 'filter[note_type]'],
      ['filter[updated_at]=soon', 'filter[updated_at]'],
      ['filter[updated_at][after]=1', 'filter[updated_at][after]'],
      ['order[created_at]=asc', 'order[created_at]'],
      ['order[id]=up', 'order[id]'],
      ['order[id]=asc&order[updated_at]=asc', 'order'],
      ['page=-1', 'page'],
      ['limit=0', 'limit'],
    ] as const)('%s is refused, and the parameter named', async ([query, parameter]) => {
      for (const path of ['/api/v4/leads/notes', `/api/v4/leads/${one}/notes`]) {
        const { status, body } = await account.api.get(`${path}?${query}`)
        expect(status).toBe(400)
        const expected =
          path.includes(`${one}`) && parameter.includes('entity_id')
            ? 'filter[entity_id]'
            : parameter
        expect(body['validation-errors'][0].errors[0].path).toBe(expected)
      }
    })

    test('500 records may be named, not one more; those of one record are not asked for by record', async () => {
      const named = (count: number) =>
        Array.from({ length: count }, (_, index) => `filter[entity_id][]=${one + index}`).join('&')
      expect((await account.api.get(`/api/v4/leads/notes?${named(500)}`)).status).toBe(200)
      expect((await account.api.get(`/api/v4/leads/notes?${named(501)}`)).status).toBe(400)
      expect(
        (await account.api.get(`/api/v4/leads/${one}/notes?filter[entity_id]=${one}`)).status,
      ).toBe(400)
    })
  })

  test('a walk by links or by page numbers comes by every note once, in every order', async () => {
    const { api } = await newAccount()
    const leads = await addRecords(api, 'leads', letters(3))
    const all: number[] = []
    for (const lead of leads)
      all.push(
        ...(await addNotes(
          api,
          'leads',
          lead,
          Array.from({ length: 90 }, () => text('x')),
        )),
      )
    for (const order of [
      '',
      '&order[id]=desc',
      '&order[updated_at]=asc',
      '&order[updated_at]=desc',
    ]) {
      const expected = order.includes('desc') ? all.toReversed() : all
      const linked: number[] = []
      for (let next = `/api/v4/leads/notes?limit=100${order}`; next;) {
        const answer = await api.get(next)
        linked.push(...notesIn(answer))
        next = answer.body._links.next?.href
      }
      expect(linked).toEqual(expected)
      const counted: number[] = []
      for (let page = 1; page <= 6; page++)
        counted.push(...notesIn(await api.get(`/api/v4/leads/notes?limit=50&page=${page}${order}`)))
      expect(counted).toEqual(expected)
    }
    const most = await api.get('/api/v4/leads/notes?limit=1000')
    expect(notesIn(most)).toHaveLength(250)
    expect(most.body._links.self.href).toContain('limit=250')
    expect(notesIn(await api.get('/api/v4/leads/notes?page=9'))).toEqual([])
  })
})

describe('rights', () => {
  const change = { params: { text: 'y' } }

  /** The answers to a user who asks for a note of leads in every way. */
  async function tried({ api }: TestUser, lead: number, id: number) {
    const reads = [
      `/api/v4/leads/notes/${id}`,
      `/api/v4/leads/${lead}/notes/${id}`,
      `/api/v4/leads/${lead}/notes`,
    ]
    const read = await Promise.all(reads.map(async (path) => (await api.get(path)).status))
    const written = [
      await api.post('/api/v4/leads/notes', [{ entity_id: lead, ...text('x') }]),
      await api.post(`/api/v4/leads/${lead}/notes`, [text('x')]),
      await api.patch('/api/v4/leads/notes', [{ id, ...change }]),
      await api.patch(`/api/v4/leads/${lead}/notes`, [{ id, ...change }]),
      await api.patch(`/api/v4/leads/notes/${id}`, change),
      await api.patch(`/api/v4/leads/${lead}/notes/${id}`, change),
      await api.post(`/api/v4/leads/notes/${id}/pin`),
      await api.post(`/api/v4/leads/notes/${id}/unpin`),
      await api.delete(`/api/v4/leads/${lead}/notes/${id}`),
    ]
    return { read, written: written.map(({ status }) => status) }
  }

  const [allRead, noneRead] = [
    [200, 200, 200],
    [403, 403, 403],
  ]

  const allWritten = [200, 200, 200, 200, 200, 200, 204, 204, 204]
  const noneWritten = allWritten.map(() => 403)

  test('reading needs the right to view the record, writing, pinning and deleting the right to edit it', async () => {
    const account = await newAccount()
    const group = await addGroup(account)
    const mine = await addSeller(account, { view: 'M', edit: 'M' }, group)
    const reader = await addSeller(account, { view: 'A', edit: 'D' })
    const grouped = await addSeller(account, { view: 'G', edit: 'M' }, group)
    const nobody = await addSeller(account, {})
    const own = await addWithNote(account.api, 'leads', { responsible_user_id: mine.id })
    const other = await addWithNote(account.api, 'leads')
    const newsSince = await listen(account)
    const answers = async (user: TestUser) => [
      await tried(user, own.entity, own.id),
      await tried(user, other.entity, other.id),
    ]
    expect(await answers(reader)).toEqual([
      { read: allRead, written: noneWritten },
      { read: allRead, written: noneWritten },
    ])
    expect(await answers(grouped)).toEqual([
      { read: allRead, written: noneWritten },
      { read: noneRead, written: noneWritten },
    ])
    expect(await answers(nobody)).toEqual([
      { read: noneRead, written: noneWritten },
      { read: noneRead, written: noneWritten },
    ])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(await answers(mine)).toEqual([
      { read: allRead, written: allWritten },
      { read: noneRead, written: noneWritten },
    ])
    expect((await readNote(account.api, 'leads', other.id)).params).toEqual({ text: 'x' })
  })

  test('the list of a kind holds the notes of records within sight, by group, user and status', async () => {
    const account = await newAccount()
    const { api } = account
    const group = await addGroup(account)
    const seller = await addSeller(account, { view: 'M' }, group)
    const grouped = await addSeller(account, { view: 'G' }, group)
    const none = await addSeller(account, {})
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const own = await addWithNote(api, 'leads', { responsible_user_id: seller.id })
    const second = await addWithNote(api, 'leads', { responsible_user_id: grouped.id })
    const other = await addWithNote(api, 'leads', { status_id: statuses[1] })
    // To be responsible for a note gives no right to see it.
    await addNote(api, 'leads', other.entity, { ...text('x'), responsible_user_id: seller.id })
    const letters = { view: 'A', edit: 'A', delete: 'D' } as const
    const status_rights = [
      { entity_type: 'leads' as const, pipeline_id, status_id: statuses[1], rights: letters },
    ]
    const opened = await account.addUser({ rights: { status_rights } })
    const list = async (user: TestUser, query = '') =>
      notesIn(await user.api.get(`/api/v4/leads/notes?${query}`))
    expect(await list(seller)).toEqual([own.id])
    expect(await list(seller, `filter[entity_id]=${other.entity}`)).toEqual([])
    expect(await list(grouped)).toEqual([own.id, second.id])
    expect((await list(opened))[0]).toBe(other.id)
    expect(await list(opened)).toHaveLength(2)
    expect((await none.api.get('/api/v4/leads/notes')).status).toBe(403)
  })

  test('one record of a batch that may not be edited refuses it', async () => {
    const account = await newAccount()
    const seller = await addSeller(account, { view: 'A', edit: 'M' })
    const own = await addWithNote(account.api, 'leads', { responsible_user_id: seller.id })
    const other = await addWithNote(account.api, 'leads')
    const drafts = [own, other].map(({ entity }) => ({ entity_id: entity, ...text('new') }))
    expect((await seller.api.post('/api/v4/leads/notes', drafts)).status).toBe(403)
    expect(
      (
        await seller.api.patch(
          '/api/v4/leads/notes',
          [own, other].map(({ id }) => ({ id, ...change })),
        )
      ).status,
    ).toBe(403)
    expect(notesIn(await account.api.get('/api/v4/leads/notes'))).toEqual([own.id, other.id])
    expect((await readNote(account.api, 'leads', own.id)).params).toEqual({ text: 'x' })
  })

  test('rights to one kind are none to another', async () => {
    const account = await newAccount()
    const { entity, id } = await addWithNote(account.api, 'contacts')
    const seller = await addUserWith(account, 'leads', { view: 'A', edit: 'A' })
    expect((await seller.api.get('/api/v4/contacts/notes')).status).toBe(403)
    expect((await seller.api.get(`/api/v4/contacts/${entity}/notes/${id}`)).status).toBe(403)
    expect((await seller.api.post(`/api/v4/contacts/${entity}/notes`, [text('x')])).status).toBe(
      403,
    )
  })

  test('another account finds nothing and changes nothing', async () => {
    const [mine, other] = [await newAccount(), await newAccount()]
    const { entity, id } = await addWithNote(mine.api, 'leads')
    expect(await tried(other.admin, entity, id)).toEqual({
      read: [404, 404, 404],
      written: [400, 404, 400, 404, 404, 404, 404, 404, 404],
    })
    const refused = await other.api.post('/api/v4/leads/notes', [
      { entity_id: entity, ...text('x') },
    ])
    expect(faultsOf(refused)).toEqual({ 0: ['EntityNotFound entity_id'] })
    expect(notesIn(await other.api.get(`/api/v4/leads/notes?filter[id]=${id}`))).toEqual([])
    expect(notesIn(await mine.api.get('/api/v4/leads/notes'))).toEqual([id])
  })

  describe.each(allKinds)('the bin: notes of %s', (kind) => {
    const read = async ({ admin }: TestAccount, entity: number, id: number) => {
      const path = `/api/v4/${kind}`
      const { api } = admin
      return [
        notesIn(await api.get(`${path}/notes`)),
        (await api.get(`${path}/notes/${id}`)).status,
        (await api.get(`${path}/${entity}/notes`)).status,
        (await api.patch(`${path}/notes/${id}`, change)).status,
        (await api.post(`${path}/${entity}/notes`, [text('x')])).status,
        (await api.post(`${path}/notes/${id}/pin`)).status,
        (await api.delete(`${path}/notes/${id}`)).status,
      ]
    }

    test('are out of sight with their record, and come back with it', async () => {
      const account = await newAccount()
      const { entity, id } = await addWithNote(account.api, kind)
      await account.api.delete(`/api/v4/${kind}/${entity}`)
      expect(await read(account, entity, id)).toEqual([[], 404, 404, 404, 404, 404, 404])
      await account.api.post(`/api/v4/${kind}/${entity}/restore`)
      expect(notesIn(await account.api.get(`/api/v4/${kind}/${entity}/notes`))).toEqual([id])
      expect(await readNote(account.api, kind, id)).toMatchObject({
        entity_id: entity,
        params: { text: 'x' },
      })
    })

    test('go for good with their record, of whatever type, and no others do', async () => {
      const account = await newAccount()
      const { api, id: account_id, kontor, clock } = account
      const { entity } = await addWithNote(api, kind, { created_at: 1 })
      await addNote(api, kind, entity, { note_type: 'sms_in', params: { text: 'x', phone: '1' } })
      const stays = await addWithNote(api, kind)
      const contact = await addRecord(api, kind === 'contacts' ? 'companies' : 'contacts', {
        name: 'x',
      })
      clock.ahead = -90 * 86_400
      await api.delete(`/api/v4/${kind}/${entity}`)
      clock.ahead = 0
      await purgeBinOf(kontor.database, account.id, 30, kontor.now())
      const left = await kontor.database.rows<{ entity_id: number }>(
        sql`select distinct entity_id from notes where account_id = ${account_id} order by 1`,
      )
      expect(new Set(left.map(({ entity_id }) => entity_id))).toEqual(
        new Set([stays.entity, contact]),
      )
      expect(notesIn(await api.get(`/api/v4/${kind}/notes`))).toEqual([stays.id])
    })
  })
})

describe('deleting', () => {
  test.for(allKinds)(
    'a note of %s is gone on both paths, and its neighbours stay',
    async (kind) => {
      const { api } = await newAccount()
      const { entity, id } = await addWithNote(api, kind)
      const [pinned, call, stays] = (await addNotes(api, kind, entity, [
        text('pinned'),
        { note_type: 'call_in', params: { duration: 1, source: 'pbx', phone: '1' } },
        text('stays'),
      ])) as [number, number, number]
      const path = `/api/v4/${kind}`
      await api.post(`${path}/notes/${pinned}/pin`)
      const before = await readRecord(api, kind, entity)
      const answers = [
        await api.delete(`${path}/notes/${id}`),
        await api.delete(`${path}/${entity}/notes/${pinned}`),
        await api.delete(`${path}/notes/${call}`),
      ]
      expect(answers.map(({ status, body }) => [status, body])).toEqual(
        answers.map(() => [204, undefined]),
      )
      for (const gone of [id, pinned, call]) {
        for (const at of [`${path}/notes/${gone}`, `${path}/${entity}/notes/${gone}`]) {
          expect((await api.get(at)).status).toBe(404)
          expect((await api.patch(at, { params: { text: 'y' } })).status).toBe(404)
          expect((await api.delete(at)).status).toBe(404)
        }
        expect((await api.post(`${path}/notes/${gone}/pin`)).status).toBe(404)
        expect(faultsOf(await api.patch(`${path}/notes`, [{ id: gone }]))).toEqual({
          0: ['EntityNotFound id'],
        })
        expect(notesIn(await api.get(`${path}/notes?filter[id]=${gone}`))).toEqual([])
      }
      for (const list of [`${path}/notes`, `${path}/${entity}/notes?with=is_pinned`])
        expect(notesIn(await api.get(list))).toEqual([stays])
      expect(await readRecord(api, kind, entity)).toEqual(before)
    },
  )

  test('a note is deleted by its own record and type only', async () => {
    const { api } = await newAccount()
    const { entity, id } = await addWithNote(api, 'leads')
    const [other, contact] = [await addRecord(api, 'leads'), await addRecord(api, 'contacts')]
    for (const path of [
      `/api/v4/leads/${other}/notes/${id}`,
      `/api/v4/leads/999999999/notes/${id}`,
      `/api/v4/contacts/notes/${id}`,
      `/api/v4/contacts/${contact}/notes/${id}`,
      '/api/v4/leads/notes/999999999',
      '/api/v4/leads/notes/x',
      '/api/v4/leads/notes/0',
    ])
      expect((await api.delete(path)).status).toBe(404)
    expect(notesIn(await api.get(`/api/v4/leads/${entity}/notes`))).toEqual([id])
  })

  test('a note of a type that only the system writes stays', async () => {
    const account = await newAccount()
    const { api, id: account_id, kontor } = account
    const { id } = await addWithNote(api, 'leads')
    await kontor.database.list(sql`
      update notes set note_type = 'link_followed', params = '{"url":"https://example.com/"}'
       where account_id = ${account_id} and id = ${id}`)
    const newsSince = await listen(account)
    expect((await api.delete(`/api/v4/leads/notes/${id}`)).status).toBe(400)
    expect(await readNote(api, 'leads', id)).toMatchObject({ note_type: 'link_followed' })
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('of several callers who delete a note, one succeeds, and it is told once', async () => {
    const account = await newAccount()
    const { api } = account
    const { id } = await addWithNote(api, 'leads')
    const newsSince = await listen(account)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.delete(`/api/v4/leads/notes/${id}`)),
    )
    expect(answers.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(5)
    const { events, journal } = await newsSince()
    expect([events, journal]).toEqual([[expect.anything()], [expect.anything()]])
  })
})

// The news of adding, changing, pinning and deleting notes.
describe('news', () => {
  /** Begins to follow; what it answers are the changes since, as followers are given them. */
  async function follow({ id, kontor: { database } }: TestAccount) {
    const from = await lastDrawn(database)
    return async () => {
      const reading = await database.row<{ changes: JournalRow[] }>(
        sql`select (${newsInGaps(sql`${from}::bigint`, sql`'{}'::int8multirange`, 1000)}) as changes`,
      )
      return reading!.changes.filter(({ account_id }) => account_id === id)
    }
  }

  test.for(allKinds)(
    'each new note of %s is an event and a change of its record, which itself stays as it was',
    async (kind) => {
      const account = await newAccount()
      const { api, admin } = account
      const [one, two] = await addRecords(api, kind, letters(2))
      const before = await readRecord(api, kind, one!)
      const [newsSince, followed] = [await listen(account), await follow(account)]
      const { body } = await api.post(`/api/v4/${kind}/notes`, [
        { entity_id: two, ...text('first'), created_by: 0 },
        { entity_id: one, note_type: 'sms_in', params: { text: 'second', phone: '1' } },
        { entity_id: two, ...text('third') },
      ])
      const ids = body._embedded.notes.map(({ id }: { id: number }) => id)
      const { journal, events } = await newsSince()
      const event = (type: string, entity_id: number, id: number) => ({
        type,
        entity_id,
        created_by: admin.id,
        value_before: [],
        value_after: [{ note: { id } }],
      })
      expect(events.map(plainly)).toEqual([
        event('common_note_added', two!, ids[0]),
        event('incoming_sms', one!, ids[1]),
        event('common_note_added', two!, ids[2]),
      ])
      expect(events[0].entity_type).toBe(singular[kind])
      expect(journal).toMatchObject([
        {
          entity_type: kind,
          entity_id: two,
          actions: ['note'],
          before: null,
          after: { id: two },
          created_by: admin.id,
        },
        { entity_type: kind, entity_id: one, actions: ['note'], before: null, after: { id: one } },
        { entity_type: kind, entity_id: two, actions: ['note'], before: null, after: { id: two } },
      ])
      expect((await followed()).map(({ note }) => note)).toMatchObject([
        {
          id: ids[0],
          entity_type: kind,
          entity_id: two,
          note_type: 'common',
          params: { text: 'first' },
          created_by: 0,
          account_id: account.id,
          responsible_user_id: admin.id,
          is_pinned: false,
        },
        { id: ids[1], note_type: 'sms_in', params: { text: 'second', phone: '1' } },
        { id: ids[2], params: { text: 'third' } },
      ])
      expect(await readRecord(api, kind, one!)).toEqual(before)
    },
  )

  test('changes and pins of notes are heard as update_note, and are no events', async () => {
    const account = await newAccount()
    const { api } = account
    const { entity, id } = await addWithNote(api, 'leads')
    const [newsSince, followed] = [await listen(account), await follow(account)]
    await api.patch(`/api/v4/leads/notes/${id}`, { params: { text: 'y' } })
    await api.patch('/api/v4/leads/notes', [{ id, params: { text: 'z' } }])
    await api.post(`/api/v4/leads/notes/${id}/pin`)
    const { journal, events } = await newsSince()
    expect(events).toEqual([])
    expect(journal.map(({ entity_id, actions }) => [entity_id, actions])).toEqual(
      Array.from({ length: 3 }, () => [entity, ['update_note']]),
    )
    expect((await followed()).map(({ note }) => note)).toMatchObject([
      { id, params: { text: 'y' }, is_pinned: false },
      { params: { text: 'z' } },
      { params: { text: 'z' }, is_pinned: true },
    ])
  })

  test.for(allKinds)(
    'a deleted note of %s is an event, and browsers hear update_note',
    async (kind) => {
      const account = await newAccount()
      const { api, admin } = account
      const call = { note_type: 'call_out', params: { duration: 1, source: 'pbx', phone: '1' } }
      const { entity, id } = await addWithNote(api, kind, {}, call)
      const [newsSince, followed] = [await listen(account), await follow(account)]
      await api.delete(`/api/v4/${kind}/notes/${id}`)
      const { journal, events } = await newsSince()
      expect(events.map(plainly)).toEqual([
        {
          type: 'common_note_deleted',
          entity_id: entity,
          created_by: admin.id,
          value_before: [],
          value_after: [{ note: { id } }],
        },
      ])
      expect(events[0].entity_type).toBe(singular[kind])
      expect(journal).toMatchObject([
        { entity_type: kind, entity_id: entity, actions: ['update_note'], after: { id: entity } },
      ])
      expect((await followed()).map(({ note }) => note)).toEqual([null])
    },
  )

  test('what changes nothing, or is refused, is told to nobody', async () => {
    const account = await newAccount()
    const { api } = account
    const { entity, id } = await addWithNote(api, 'leads')
    const newsSince = await listen(account)
    await api.patch(`/api/v4/leads/notes/${id}`, { params: { text: 'x' }, note_type: 'common' })
    await api.patch('/api/v4/leads/notes', [{ id }])
    await api.post(`/api/v4/leads/notes/${id}/unpin`)
    expect((await api.post(`/api/v4/leads/${entity}/notes`, [text('x'), text('')])).status).toBe(
      400,
    )
    expect(
      (await api.patch('/api/v4/leads/notes', [{ id, params: { text: 'y' } }, { id: 999_999_999 }]))
        .status,
    ).toBe(400)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('other changes carry no note', async () => {
    const account = await newAccount()
    const followed = await follow(account)
    const lead = await addRecord(account.api, 'leads')
    await account.api.patch(`/api/v4/leads/${lead}`, { price: 5 })
    expect((await followed()).map(({ actions, note }) => [actions, note])).toEqual([
      [['add'], null],
      [['update'], null],
    ])
  })

  test('a note waits for a change of its record that is under way, and is told after it', async () => {
    const account = await newAccount()
    const { api, id, kontor } = account
    const lead = await addRecord(api, 'leads')
    let added: Promise<unknown> | undefined
    let isAdded = false
    await kontor.database.transaction(async (tx) => {
      await tx.rows(
        sql`select from leads where account_id = ${id} and id = ${lead} for no key update`,
      )
      added = addNote(api, 'leads', lead).then(() => (isAdded = true))
      await untilAwaited(tx)
      expect(isAdded).toBe(false)
    })
    await added
    expect(isAdded).toBe(true)
  })

  test('a record that goes into the bin meanwhile takes no note', async () => {
    const account = await newAccount()
    const { api, id, kontor } = account
    const lead = await addRecord(api, 'leads')
    let status: Promise<number> | undefined
    await kontor.database.transaction(async (tx) => {
      await tx.rows(
        sql`update leads set is_deleted = true where account_id = ${id} and id = ${lead}`,
      )
      status = api.post(`/api/v4/leads/${lead}/notes`, [text('x')]).then((answer) => answer.status)
      await untilAwaited(tx)
    })
    expect(await status).toBe(404)
  })

  test('many write notes about the same records at once, and none waits for another forever', async () => {
    const { api } = await newAccount()
    const leads = await addRecords(api, 'leads', letters(10))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        api.post(
          '/api/v4/leads/notes',
          (turn % 2 ? leads : leads.toReversed()).map((entity_id) => ({
            entity_id,
            ...text(`Turn ${turn}`),
          })),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const ids = await addNotes(api, 'leads', leads[0]!, [text('a'), text('b')])
    const changes = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        api.patch(
          '/api/v4/leads/notes',
          (turn % 2 ? ids : ids.toReversed()).map((id) => ({ id, params: { text: `${turn}` } })),
        ),
      ),
    )
    expect(changes.map(({ status }) => status)).toEqual(changes.map(() => 200))
  })
})
