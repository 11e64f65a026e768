import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { signIn } from '../../../../test/session.ts'

const letters = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }
const rights = {
  leads: letters,
  contacts: letters,
  companies: letters,
  tasks: { edit: 'A', delete: 'A' },
}
const draft = { name: 'Ann Lee', email: 'ann@example.com', password: 'Secret1', rights }

const faults = ({ body }: Answer): string[] =>
  body['validation-errors'].flatMap(
    ({ request_id, errors }: { request_id: string; errors: { path: string; code: string }[] }) =>
      errors.map(({ path, code }) => `${request_id} ${path} ${code}`),
  )

test('users are created whole, in the order of the question', async () => {
  const { api } = await newAccount()
  const made = await api.post('/api/v4/users', [
    { ...draft, request_id: 'ann', lang: 'es' },
    {
      ...draft,
      email: 'Bob@Example.com',
      name: ' Bob-2 ',
      rights: { is_free: true, group_id: 99, is_admin: true },
    },
  ])
  expect(made.status).toBe(201)
  const [ann, bob] = made.body._embedded.users
  expect(made.body._total_items).toBe(2)
  expect(ann).toMatchObject({
    name: 'Ann Lee',
    email: 'ann@example.com',
    lang: 'es',
    request_id: 'ann',
  })
  expect(ann.rights).toMatchObject({
    ...rights,
    is_admin: false,
    is_free: false,
    is_active: true,
    group_id: 0,
    role_id: null,
    mail_access: false,
    catalog_access: false,
  })
  expect(bob).toMatchObject({
    name: 'Bob-2',
    email: 'bob@example.com',
    lang: 'en',
    request_id: '1',
  })
  expect(bob.rights).toMatchObject({
    is_free: true,
    is_admin: false,
    leads: { view: 'D', add: 'D' },
    group_id: 0,
  })
})

test('statuses of unsorted leads stand in the rights of all but administrators, closed', async () => {
  const { api, admin } = await newAccount()
  const [ann] = (await api.post('/api/v4/users', [draft])).body._embedded.users
  expect(ann.rights.status_rights).toMatchObject([
    { entity_type: 'leads', rights: { view: 'D', edit: 'D', delete: 'D' } },
  ])
  expect((await api.get(`/api/v4/users/${admin.id}`)).body.rights).toMatchObject({
    status_rights: null,
    is_admin: true,
  })
})

test('every fault of every item is listed, and nobody is created', async () => {
  const { api } = await newAccount()
  await api.post('/api/v4/users', [draft])
  const refused = await api.post('/api/v4/users', [
    { ...draft, name: 'No <tags>', password: 'secret1', email: 'ANN@example.com', request_id: 'a' },
    {
      ...draft,
      name: 'www.example.com',
      email: 'new@example.com',
      rights: { leads: letters, group_id: 12345 },
    },
    {
      ...draft,
      name: '  ',
      email: 'new@example.com',
      password: 'SECRET1',
      rights: { role_id: 12345 },
    },
    {
      ...draft,
      name: 'x'.repeat(51),
      email: 'nobody',
      password: 'Ab1',
      lang: 'xx',
      rights: { is_free: 'yes' },
    },
    {
      ...draft,
      email: 'other@example.com',
      rights: {
        ...rights,
        status_rights: [{ entity_type: 'leads', pipeline_id: 1, status_id: 1, rights: {} }],
      },
    },
    { email: 'third@example.com', salary: 1 },
  ])
  expect(refused.status).toBe(400)
  expect(faults(refused).toSorted()).toEqual(
    [
      'a name InvalidFormat',
      'a email NotUnique',
      'a password InvalidFormat',
      '1 name InvalidFormat',
      '1 rights.contacts FieldMissing',
      '1 rights.companies FieldMissing',
      '1 rights.tasks FieldMissing',
      '1 rights.group_id NotSupportedChoice',
      '2 name NotBlank',
      '2 email NotUnique',
      '2 password InvalidFormat',
      '2 rights.role_id NotSupportedChoice',
      '3 name TooLong',
      '3 email InvalidFormat',
      '3 password TooShort',
      '3 lang NotSupportedChoice',
      '3 rights.is_free InvalidType',
      '4 rights.status_rights.0.status_id NotSupportedChoice',
      '5 name FieldMissing',
      '5 password FieldMissing',
      '5 rights FieldMissing',
      '5 salary FieldNotExpected',
    ].toSorted(),
  )
  expect((await api.get('/api/v4/users')).body._total_items).toBe(2)
})

test.each(["O'Neil", 'a/b', 'https://example.com', 'see example.com', 'Ann 🙂'])(
  '%s is no name',
  async (name) => {
    const { api } = await newAccount()
    expect(faults(await api.post('/api/v4/users', [{ ...draft, name }]))).toEqual([
      '0 name InvalidFormat',
    ])
  },
)

test.each(['Мария Петрова', 'J. van der Berg-2', 'ann_lee@sales', 'Zoë'])(
  '%s is a name',
  async (name) => {
    const { api } = await newAccount()
    expect((await api.post('/api/v4/users', [{ ...draft, name }])).status).toBe(201)
  },
)

test('more than ten users, or none, are refused', async () => {
  const { api } = await newAccount()
  const many = Array.from({ length: 11 }, (_, index) => ({
    ...draft,
    email: `${index}@example.com`,
  }))
  expect((await api.post('/api/v4/users', many)).status).toBe(400)
  expect((await api.post('/api/v4/users', [])).status).toBe(400)
  expect((await api.post('/api/v4/users', many.slice(1))).status).toBe(201)
})

test('the list is counted and paged, and `with` adds what it names', async () => {
  const { api, admin } = await newAccount()
  const emails = Array.from({ length: 4 }, (_, index) => `${index}@example.com`)
  await api.post(
    '/api/v4/users',
    emails.map((email) => ({ ...draft, email })),
  )
  const first = (
    await api.get('/api/v4/users?limit=2&with=role,group,uuid,amojo_id,user_rank,phone_number')
  ).body
  expect(first).toMatchObject({ _total_items: 5, _page: 1, _page_count: 3 })
  expect(first._embedded.users[0]).toMatchObject({
    id: admin.id,
    user_rank: null,
    phone_number: null,
    uuid: expect.any(String),
    amojo_id: expect.any(String),
    _embedded: {
      roles: [],
      groups: [
        {
          id: 0,
          name: 'Sales department',
        },
      ],
    },
  })
  const second = (await api.get(first._links.next.href)).body
  const third = (await api.get(second._links.next.href)).body
  expect(third._links.next).toBeUndefined()
  expect(
    [...second._embedded.users, ...third._embedded.users].map(
      ({ email }: { email: string }) => email,
    ),
  ).toEqual(emails.slice(1))
  expect((await api.get('/api/v4/users?page=9')).body._embedded.users).toEqual([])
  const [plain] = (await api.get('/api/v4/users')).body._embedded.users
  expect(Object.keys(plain).toSorted()).toEqual(['_links', 'email', 'id', 'lang', 'name', 'rights'])
  expect((await api.get(plain._links.self.href)).body).toEqual(plain)
  expect((await api.get('/api/v4/users/1')).status).toBe(404)
})

test('users are the business of administrators, and of their account', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const user = await mine.addUser()
  for (const [method, path, body] of [
    ['GET', '/api/v4/users'],
    ['GET', `/api/v4/users/${user.id}`],
    ['POST', '/api/v4/users', [draft]],
    ['POST', '/api/v4/users/activate', [{ id: user.id }]],
    ['POST', '/api/v4/users/deactivate', [{ id: user.id }]],
    ['PATCH', `/web/v1/users/${user.id}`, { name: 'Me' }],
  ] as const) {
    const refused = await user.api.send(method, path, body)
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This method needs the rights of an account administrator',
    ])
  }
  expect((await other.api.get(`/api/v4/users/${user.id}`)).status).toBe(404)
  expect((await other.api.patch(`/web/v1/users/${user.id}`, { name: 'Mine' })).status).toBe(404)
  expect(faults(await other.api.post('/api/v4/users/deactivate', [{ id: user.id }]))).toEqual([
    '0 id EntityNotFound',
  ])
  expect((await user.api.get('/api/v4/leads')).status).toBe(200)
})

test('who is deactivated is out at once, and comes back with a new token when activated', async () => {
  const { api, id: account_id, kontor, addUser } = await newAccount()
  const user = await addUser()
  expect((await user.api.get('/api/v4/account')).status).toBe(200)
  expect((await api.post('/api/v4/users/deactivate', [{ id: user.id }])).status).toBe(204)
  await expect.poll(async () => (await user.api.get('/api/v4/account')).status).toBe(401)
  expect((await api.get(`/api/v4/users/${user.id}`)).body.rights.is_active).toBe(false)
  const lead = await api.post('/api/v4/leads', [{ responsible_user_id: user.id }])
  expect(faults(lead)).toEqual(['0 responsible_user_id NotSupportedChoice'])
  expect((await api.post('/api/v4/users/activate', [{ id: user.id }])).status).toBe(204)
  const { email } = user
  const { api: again } = await signIn(kontor, { email, ...proof })
  expect((await again.get('/web/v1/session')).status).toBe(200)
  expect((await user.api.get('/api/v4/account')).status).toBe(401)
  expect(account_id).toBeGreaterThan(0)
  expect(kontor.signals.connected()).toBe(true)
})

test('of two administrators who deactivate each other at once, one stays', async () => {
  const { api, admin, id, kontor, addUser } = await newAccount()
  const second = await addUser({ is_admin: true })
  let answers: Promise<Answer>[] = []
  await kontor.database.transaction(async (tx) => {
    await tx.rows(sql`select id from accounts where id = ${id} for no key update`)
    answers = [
      api.post('/api/v4/users/deactivate', [{ id: second.id }]),
      second.api.post('/api/v4/users/deactivate', [{ id: admin.id }]),
    ]
    await untilAwaited(tx)
  })
  const done = await Promise.all(answers)
  expect(done.filter(({ status }) => status === 204)).toHaveLength(1)
})

test('an account keeps an administrator', async () => {
  const { api, admin, addUser } = await newAccount()
  const self = await api.post('/api/v4/users/deactivate', [{ id: admin.id }])
  expect([self.status, self.body.detail]).toEqual([400, 'You cannot deactivate yourself'])
  expect((await api.patch(`/web/v1/users/${admin.id}`, { is_admin: false })).status).toBe(400)
  const second = await addUser({ is_admin: true })
  expect((await second.api.post('/api/v4/users/deactivate', [{ id: admin.id }])).status).toBe(204)
  const last = await second.api.patch(`/web/v1/users/${second.id}`, { is_admin: false })
  expect([last.status, last.body.detail]).toEqual([400, 'An account needs an active administrator'])
})

test('an administrator changes a user', async () => {
  const { api, addUser } = await newAccount()
  const user = await addUser({ rights: {} })
  expect((await user.api.get('/api/v4/leads')).status).toBe(403)
  const changed = await api.patch(`/web/v1/users/${user.id}`, {
    name: 'New Name',
    lang: 'pt',
    rights: { leads: { view: 'A' } },
  })
  expect(changed.body).toMatchObject({
    name: 'New Name',
    lang: 'pt',
    rights: { leads: { view: 'A', edit: 'D' } },
  })
  await expect.poll(async () => (await user.api.get('/api/v4/leads')).status).toBe(200)
  await api.patch(`/web/v1/users/${user.id}`, { is_admin: true })
  await expect.poll(async () => (await user.api.get('/api/v4/users')).status).toBe(200)
  const refused = await api.patch(`/web/v1/users/${user.id}`, {
    name: '/',
    group_id: 7,
    role_id: 7,
  })
  expect(faults(refused).toSorted()).toEqual(
    [
      '0 name InvalidFormat',
      '0 group_id NotSupportedChoice',
      '0 role_id NotSupportedChoice',
    ].toSorted(),
  )
  expect((await api.patch(`/web/v1/users/${user.id}`, {})).status).toBe(400)
})

test('administrators see when users were last here, and who has a second factor', async () => {
  const account = await newAccount()
  const { kontor } = account
  const password = 'correct horse'
  const [here, factored] = [
    await account.addUser({ password }),
    await account.addUser({ password: 'correct horse' }),
  ]
  await signIn(kontor, { email: here.email, password })
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into second_factors (account_id, user_id, secret, created_at, confirmed_at)
      values (${account.id}, ${factored.id}, ${Buffer.from('x')}, ${kontor.now()}, ${kontor.now()}),
             (${account.id}, ${account.admin.id}, ${Buffer.from('x')}, ${kontor.now()}, null)`),
  )
  const { body } = await account.api.get('/web/v1/users/sign-ins')
  expect(body._embedded.sign_ins).toEqual([
    { id: account.admin.id, last_seen_at: null, has_second_factor: false, made_by: null },
    { id: here.id, last_seen_at: expect.any(Number), has_second_factor: false, made_by: null },
    { id: factored.id, last_seen_at: null, has_second_factor: true, made_by: null },
  ])
  expect(Math.abs(body._embedded.sign_ins[1].last_seen_at - kontor.now())).toBeLessThan(60)
})
