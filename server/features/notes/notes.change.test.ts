import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addNote, addNotes, addWithNote, readNote, text } from '../../../test/notes.ts'
import { addRecord, addRecords, allKinds, letters } from '../../../test/records.ts'

const call = (more: object = {}) => ({
  note_type: 'call_in',
  params: { duration: 5, source: 'pbx', phone: '1', uniq: 'u', ...more },
})

test.for(allKinds)('one note of %s is changed on both paths, several in a batch', async (kind) => {
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
})

test('params replace the stored ones as a whole, and are checked as those of the stored type', async () => {
  const { api } = await newAccount()
  const { id } = await addWithNote(api, 'leads', {}, call())
  const at = `/api/v4/leads/notes/${id}`
  expect((await api.patch(at, { params: { duration: 7, source: 'pbx', phone: '2' } })).status).toBe(
    200,
  )
  expect((await readNote(api, 'leads', id)).params).toEqual({
    duration: 7,
    source: 'pbx',
    phone: '2',
  })
  for (const [params, faults] of [
    [{ duration: 7 }, ['FieldMissing params.source', 'FieldMissing params.phone']],
    [{ duration: 7, source: 'pbx', phone: '2', text: 'x' }, ['FieldNotExpected params.text']],
    [null, ['NotNullable params']],
    ['x', ['InvalidType params']],
  ] as const)
    expect(faultsOf(await api.patch(at, { params }))).toEqual({ 0: faults })
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
    expect(faultsOf(await api.patch(at, { note_type, params: { text: 'y', phone: '1' } }))).toEqual(
      {
        0: ['NotSupportedChoice note_type'],
      },
    )
  expect(faultsOf(await api.patch(at, { note_type: null }))).toEqual({
    0: ['NotNullable note_type'],
  })
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
    { ...text('x'), created_by: author.id, updated_by: author.id, responsible_user_id: author.id },
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

test('authors, the responsible user and the time of creation may be set right; a change is by whoever makes it', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const { addGroup } = await import('../../../test/leads.ts')
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
  expect((await api.patch('/api/v4/leads/notes/999999999', { params: { text: 'y' } })).status).toBe(
    404,
  )
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
