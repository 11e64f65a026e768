// The right of an integration to manage people and roles, and the people that it has made.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import { newPair } from '../../../../test/oauth.ts'
import { routes } from '../../../../test/routes.ts'
import { signIn } from '../../../../test/session.ts'

const path = '/web/v1/integrations'

const newUser = (draft: object = {}) => ({
  name: 'Ann Lee',
  email: `${randomUUID()}@example.com`,
  password: 'Secret1',
  rights: { is_free: true },
  ...draft,
})

async function program(account: TestAccount, manages_people?: boolean) {
  const integration = await account.addIntegration({
    name: 'The ERP',
    ...(manages_people !== undefined && { manages_people }),
  })
  const { access_token } = await newPair(account, integration)
  const api = client(account.kontor, access_token)
  return { integration, api, at: `${path}/${integration.client_id}` }
}

/** The status of making a user, who is one of its own each time. */
const makes = async (api: Client) => (await api.post('/api/v4/users', [newUser()])).status

/** Every method of the interface that changes people or roles, with the ids of some. */
const bodies: Record<string, (of: { user: number; role: number }) => [string, unknown]> = {
  'POST /api/v4/users': () => ['/api/v4/users', [newUser()]],
  'POST /api/v4/users/activate': ({ user }) => ['/api/v4/users/activate', [{ id: user }]],
  'POST /api/v4/users/deactivate': ({ user }) => ['/api/v4/users/deactivate', [{ id: user }]],
  'POST /api/v4/roles': () => ['/api/v4/roles', [{ name: randomUUID(), rights: {} }]],
  'PATCH /api/v4/roles/{id}': ({ role }) => [`/api/v4/roles/${role}`, { name: randomUUID() }],
  'DELETE /api/v4/roles/{id}': ({ role }) => [`/api/v4/roles/${role}`, undefined],
}

test('the table has every published method that changes people or roles', () => {
  const published = routes
    .filter(({ method, path: at }) => method !== 'GET' && /\/(users|roles)(\/|$)/.test(at))
    .map(({ method, path: at }) => `${method} ${at}`)
  expect(Object.keys(bodies).toSorted()).toEqual(published.toSorted())
})

describe.for(Object.entries(bodies))('%s', ([name, bodyOf]) => {
  test('needs the right of its own, which a new integration has not', async () => {
    const account = await newAccount()
    const { id: user } = await account.addUser()
    const made = await account.api.post('/api/v4/roles', [{ name: 'A role', rights: {} }])
    const role = made.body._embedded.roles[0].id
    const [at, body] = bodyOf({ user, role })
    const ask = async (api: Client) => api.send(name.split(' ')[0]!, at, body)
    const refused = await program(account)
    const { status, body: problem } = await ask(refused.api)
    expect([status, problem.detail]).toEqual([
      403,
      expect.stringContaining('kontor integration set --manage-people'),
    ])
    const allowed = await program(account, true)
    expect((await ask(allowed.api)).status).toBeLessThan(300)
  })
})

test('reading people and roles stays open, and so does the interface otherwise', async () => {
  const account = await newAccount()
  const { api } = await program(account)
  for (const at of ['/api/v4/users', `/api/v4/users/${account.admin.id}`, '/api/v4/roles'])
    expect((await api.get(at)).status).toBe(200)
  expect((await api.post('/api/v4/leads', [{ name: 'x' }])).status).toBe(200)
  expect(await makes(account.api)).toBe(201)
})

test('the right is given and taken at once, in its own account by its settings', async () => {
  const account = await newAccount()
  const { api, at } = await program(account)
  expect(await makes(api)).toBe(403)
  expect((await account.api.patch(at, { manages_people: true })).body).toMatchObject({
    manages_people: true,
    may_manage_people: true,
  })
  await expect.poll(() => makes(api)).toBe(201)
  await account.api.patch(at, { manages_people: false })
  await expect.poll(() => makes(api)).toBe(403)
})

test('another account decides for itself, whatever the maker of the integration sets', async () => {
  const [maker, other] = [await newAccount(), await newAccount()]
  const { integration, at } = await program(maker)
  await maker.api.patch(at, { is_public: true, redirect_uri: 'https://erp.example.com/back' })
  await other.api.send('PUT', `${at}/installation`)
  const { access_token } = await newPair(
    { ...other, code: () => other.code(integration) },
    { ...integration, redirect_uri: 'https://erp.example.com/back' },
  )
  const api = client(other.kontor, access_token)
  await maker.api.patch(at, { manages_people: true })
  expect((await other.api.get(at)).body).toMatchObject({
    manages_people: true,
    may_manage_people: false,
  })
  expect(await makes(api)).toBe(403)
  await other.api.send('PUT', `${at}/installation`, { manages_people: true })
  await expect.poll(() => makes(api)).toBe(201)
  await maker.api.patch(at, { manages_people: false })
  expect(await makes(api)).toBe(201)
  await other.api.send('PUT', `${at}/installation`, { manages_people: false })
  await expect.poll(() => makes(api)).toBe(403)
  // A new installation begins without it.
  await other.api.send('PUT', `${at}/installation`, { manages_people: true })
  await other.api.delete(`${at}/installation`)
  await other.api.send('PUT', `${at}/installation`)
  expect((await other.api.get(at)).body.may_manage_people).toBe(false)
})

describe('the people that an integration has made', () => {
  const signInsOf = async ({ api }: Pick<TestAccount, 'api'>) =>
    (await api.get('/web/v1/users/sign-ins')).body._embedded.sign_ins as {
      id: number
      made_by: object | null
    }[]
  const isActive = async ({ api }: Pick<TestAccount, 'api'>, id: number) =>
    (await api.get(`/api/v4/users/${id}`)).body.rights.is_active

  test('are marked as such, and counted', async () => {
    const account = await newAccount()
    const { api, at, integration } = await program(account, true)
    const { client_id } = integration
    const made = (await api.post('/api/v4/users', [newUser(), newUser()])).body._embedded.users
    const own = (await account.api.post('/api/v4/users', [newUser()])).body._embedded.users
    const signIns = await signInsOf(account)
    const madeBy = (id: number) => signIns.find((each) => each.id === id)!.made_by
    expect(madeBy(made[0].id)).toEqual({ client_id, name: 'The ERP' })
    expect(madeBy(own[0].id)).toBe(null)
    expect((await account.api.get(at)).body.people).toBe(2)
    await account.api.post('/api/v4/users/deactivate', [{ id: made[0].id }])
    expect((await account.api.get(at)).body.people).toBe(1)
  })

  test.for([
    ['is disabled', '/installation'],
    ['is deleted', ''],
  ])('are deactivated on demand when it %s', async ([, tail]) => {
    const [account, other] = [await newAccount(), await newAccount()]
    const ends = async (query: string) => {
      const { api, at } = await program(account, true)
      const [made] = (await api.post('/api/v4/users', [newUser()])).body._embedded.users
      expect((await account.api.delete(`${at}${tail}${query}`)).status).toBe(204)
      return isActive(account, made.id)
    }
    expect(await ends('')).toBe(true)
    expect(await ends('?deactivate_people=false')).toBe(true)
    expect(await ends('?deactivate_people=true')).toBe(false)
    const { at } = await program(account, true)
    const { status } = await other.api.delete(`${at}${tail}?deactivate_people=true`)
    expect(status).toBe(404)
    expect(await isActive(account, account.admin.id)).toBe(true)
  })

  test('keep who ends it: one does not deactivate oneself', async () => {
    const account = await newAccount()
    const { api, at } = await program(account, true)
    const draft = newUser()
    const [made] = (await api.post('/api/v4/users', [draft])).body._embedded.users
    await account.api.patch(`/web/v1/users/${made.id}`, { is_admin: true })
    const own = await signIn(account.kontor, { email: draft.email, password: draft.password })
    expect((await own.api.delete(`${at}/installation?deactivate_people=true`)).status).toBe(204)
    expect(await isActive(account, made.id)).toBe(true)
  })
})

test('who makes an integration says whether it manages people', async () => {
  const account = await newAccount()
  const draft = { name: 'x', redirect_uri: 'https://example.com/back', ...proof }
  const shown = async (more: object) => (await account.api.post(path, { ...draft, ...more })).body
  expect(await shown({})).toMatchObject({ manages_people: false, may_manage_people: false })
  expect(await shown({ manages_people: true })).toMatchObject({
    manages_people: true,
    may_manage_people: true,
  })
})
