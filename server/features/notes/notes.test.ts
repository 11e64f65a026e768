import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addNote, addNotes, addWithNote, notesIn, readNote, text } from '../../../test/notes.ts'
import { addRecord, addRecords, allKinds, letters } from '../../../test/records.ts'

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

test('the group is that of the responsible user, also after a move', async () => {
  const account = await newAccount()
  const { api } = account
  const { addGroup } = await import('../../../test/leads.ts')
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
    { ...good, params: [] },
    {
      ...good,
      responsible_user_id: gone.id,
      created_by: 999_999_999,
      updated_by: gone.id,
      params: {},
    },
    { ...good, responsible_user_id: 0 },
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
  const drafts = Array.from({ length: 250 }, (_, place) => text(`Note ${place}`))
  const ids = await addNotes(api, 'leads', lead, drafts)
  const { notes } = (await api.get(`/api/v4/leads/${lead}/notes?limit=250`)).body._embedded
  expect(notes.map(({ id, params }: { id: number; params: object }) => [id, params])).toEqual(
    ids.map((id, place) => [id, drafts[place]!.params]),
  )
  expect(
    (await api.post(`/api/v4/leads/${lead}/notes`, text('Alone'))).body._embedded.notes,
  ).toHaveLength(1)
})

test("the system's own note of a record is in no list, and cannot be read, changed or pinned", async () => {
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
})
