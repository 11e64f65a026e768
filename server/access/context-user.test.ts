import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'

const as = (id: number | string) => ({ 'x-context-user-id': String(id) })

test('an administrator acts as a user, with no more than the rights of the user', async () => {
  const { api, admin, addUser } = await newAccount()
  const user = await addUser({ rights: { leads: { view: 'M', edit: 'M', add: 'A' } } })
  await api.post('/api/v4/leads', [{ name: 'Of the administrator' }])
  const made = await api.post('/api/v4/leads', [{ name: 'Of the user' }], as(user.id))
  const lead = (await api.get(made.body._embedded.leads[0]._links.self.href)).body
  expect(lead).toMatchObject({
    created_by: user.id,
    updated_by: user.id,
    responsible_user_id: user.id,
  })
  const events = (await api.get('/api/v4/events')).body._embedded.events
  expect(events.map(({ created_by }: { created_by: number }) => created_by)).toEqual([
    user.id,
    admin.id,
  ])
  const names = async (headers = {}) =>
    (await api.get('/api/v4/leads', headers)).body._embedded.leads.map(
      ({ name }: { name: string }) => name,
    )
  expect(await names(as(user.id))).toEqual(['Of the user'])
  expect(await names()).toEqual(['Of the administrator', 'Of the user'])
  expect((await api.get('/api/v4/account', as(user.id))).body.current_user_id).toBe(user.id)
  expect((await api.get('/api/v4/contacts', as(user.id))).status).toBe(403)
  expect((await api.get('/api/v4/users', as(user.id))).status).toBe(403)
  expect((await api.get('/api/v4/users', as(admin.id))).status).toBe(200)
})

test('the context ends with the user, or with the rights of who asks', async () => {
  const { api, addUser } = await newAccount()
  const user = await addUser()
  const other = await addUser({ is_admin: true })
  expect((await other.api.get('/api/v4/leads', as(user.id))).status).toBe(200)
  await api.post('/api/v4/users/deactivate', [{ id: user.id }])
  await expect
    .poll(async () => (await other.api.get('/api/v4/leads', as(user.id))).status)
    .toBe(401)
  await api.post('/api/v4/users/activate', [{ id: user.id }])
  await expect
    .poll(async () => (await other.api.get('/api/v4/leads', as(user.id))).status)
    .toBe(200)
  await api.patch(`/web/v1/users/${other.id}`, { is_admin: false })
  await expect
    .poll(async () => (await other.api.get('/api/v4/leads', as(user.id))).status)
    .toBe(403)
})

test('only administrators may act as others, and only as active users of their account who may come in', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const user = await mine.addUser()
  const refused = await user.api.get('/api/v4/leads', as(mine.admin.id))
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    'Only an administrator may send X-Context-User-ID',
  ])
  const free = {
    name: 'Free',
    email: 'free@example.com',
    password: 'Secret1',
    rights: { is_free: true },
  }
  const [{ id: freeId }] = (await mine.api.post('/api/v4/users', [free])).body._embedded.users
  for (const nobody of [other.admin.id, freeId, 1, 0, -5, '1e3', 'Ann', '9'.repeat(30)]) {
    const answer = await mine.api.get('/api/v4/leads', as(nobody))
    expect([nobody, answer.status]).toEqual([nobody, 401])
  }
  expect((await mine.api.get('/api/v4/leads', as(''))).status).toBe(200)
})
