// Inviting somebody by a link, and becoming a user with it.
import sql from 'sql-template-tag'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { addGroup } from '../../../../test/leads.ts'
import { server } from '../../../../test/server.ts'
import { cookieIn, signIn, withCookie } from '../../../../test/session.ts'
import { dropExpiredAccess } from '../../programs/oauth/oauth.ts'
import { setUser } from '../users/users.ts'

const path = '/web/v1/invitations'
const password = 'correct horse'
const week = 7 * 86_400

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})
afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

const newEmail = () => `${crypto.randomUUID()}@example.com`

interface Made {
  id: number
  url: string
  expires_at: number
}

async function invite(draft: object, { api }: Pick<TestUser, 'api'> = account): Promise<Made> {
  const { status, body } = await api.post(path, { ...draft, ...proof })
  expect([status, body]).toEqual([201, body])
  return body
}

const at = (url: string) => `/web/v1/invites/${url.split('/').at(-1)}`
const read = ({ url }: Pick<Made, 'url'>) => client(account.kontor).get(at(url))
const accept = ({ url }: Pick<Made, 'url'>, sent: object = {}) =>
  client(account.kontor).post(
    at(url),
    { name: 'Ann Lee', password, ...sent },
    { origin: account.kontor.url },
  )
const listed = async ({ api }: Pick<TestUser, 'api'> = account) =>
  (await api.get(path)).body._embedded.invitations
const addRole = async (): Promise<number> => {
  const rights = { leads: { view: 'A' } }
  const made = await account.api.post('/api/v4/roles', [{ name: 'A role', rights }])
  return made.body._embedded.roles[0].id
}
const faults = ({ body }: { body: { 'validation-errors': { errors: { path: string }[] }[] } }) =>
  body['validation-errors'][0]!.errors.map((each) => each.path)

test('an invited person becomes a user with the role and group of the invitation, and is signed in', async () => {
  const [role_id, group_id] = [await addRole(), await addGroup(account)]
  const email = newEmail()
  const made = await invite({
    email: ` ${email.toUpperCase()}`.trim(),
    name: 'Ann',
    role_id,
    group_id,
  })
  expect(made.url).toMatch(new RegExp(`^${account.kontor.url}/invite/[A-Za-z0-9]{43}$`))
  expect(made.expires_at - account.kontor.now()).toBeGreaterThan(week - 10)
  const { expires_at, id } = made
  const shown = { account: account.subdomain, email, name: 'Ann', lang: 'en', expires_at }
  expect((await read(made)).body).toEqual(shown)
  expect(await listed()).toEqual([
    {
      id,
      email,
      name: 'Ann',
      role_id,
      group_id,
      is_admin: false,
      created_by: account.admin.id,
      created_at: expect.any(Number),
      expires_at,
    },
  ])
  const answer = await accept(made, { lang: 'es' })
  expect(answer.status).toBe(200)
  const user = answer.body.user
  expect(user).toMatchObject({ name: 'Ann Lee', email, language: 'es', group_id, is_admin: false })
  const own = withCookie(account.kontor, cookieIn(answer))
  expect((await own.get('/web/v1/session')).body.user).toEqual(user)
  const stored = (await account.api.get(`/api/v4/users/${user.id}`)).body
  expect(stored.rights).toMatchObject({ role_id, group_id, is_admin: false, is_active: true })
  expect(stored.rights.leads.view).toBe('A')
  expect((await signIn(account.kontor, { email, password })).answer.status).toBe(200)
  expect(await listed()).toEqual([])
  expect([(await read(made)).status, (await accept(made)).status]).toEqual([404, 404])
})

test('without a role the new user has no rights; an administrator has all', async () => {
  const plain = await accept(await invite({ email: newEmail() }))
  const { rights } = (await account.api.get(`/api/v4/users/${plain.body.user.id}`)).body
  expect(rights).toMatchObject({ role_id: null, group_id: 0, leads: { view: 'D', add: 'D' } })
  const chief = await accept(await invite({ email: newEmail(), is_admin: true }))
  expect(chief.body.user.is_admin).toBe(true)
  const own = withCookie(account.kontor, cookieIn(chief))
  expect((await own.get(path)).status).toBe(200)
  expect((await own.get('/web/v1/session')).body.user.language).toBe('en')
})

test('of two acceptances at once, one makes a user', async () => {
  const email = newEmail()
  const made = await invite({ email })
  const answers = await Promise.all([accept(made), accept(made)])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    expect.any(Number),
  ])
  expect(answers.filter(({ status }) => [400, 404].includes(status))).toHaveLength(1)
  const rows = await account.kontor.database.rows(
    sql`select id from users where account_id = ${account.id} and email = ${email}`,
  )
  expect(rows).toHaveLength(1)
})

test('who cannot become a user is not invited, and every fault is told', async () => {
  const taken = await account.addUser()
  const elsewhere = await newAccount()
  const fault = async (draft: object) => {
    const answer = await account.api.post(path, { email: newEmail(), ...draft, ...proof })
    return [answer.status, faults(answer)]
  }
  const wrong = { email: taken.email.toUpperCase(), name: 'https://x.example', role_id: 1 }
  expect(await fault({ ...wrong, group_id: 999_999 })).toEqual([
    400,
    ['name', 'email', 'role_id', 'group_id'],
  ])
  expect(await fault({ email: 'no e-mail' })).toEqual([400, ['email']])
  expect(await fault({ name: ' ' })).toEqual([400, ['name']])
  expect(await fault({ name: 'x'.repeat(51) })).toEqual([400, ['name']])
  expect(await fault({ is_admin: 'maybe' })).toEqual([400, ['is_admin']])
  expect(await fault({ rights: {} })).toEqual([400, ['rights']])
  expect((await account.api.post(path, {})).status).toBe(400)
  expect(await listed()).toEqual([])
  // An e-mail of another account is free here.
  const made = await invite({ email: elsewhere.admin.email })
  expect((await account.api.delete(`${path}/${made.id}`)).status).toBe(204)
})

test('an acceptance needs a name and a good password, and can be tried again', async () => {
  const email = newEmail()
  const made = await invite({ email })
  for (const [sent, field] of [
    [{ password: 'x'.repeat(7) }, 'password'],
    [{ password: 'x'.repeat(201) }, 'password'],
    [{ password: email }, 'password'],
    [{ name: ' ' }, 'name'],
    [{ name: 'http://x.example' }, 'name'],
    [{ lang: 'de' }, 'lang'],
    [{ is_admin: true }, 'is_admin'],
  ] as const) {
    const answer = await accept(made, sent)
    expect([sent, answer.status, faults(answer)]).toEqual([sent, 400, [field]])
  }
  const foreign = { origin: 'https://evil.example' }
  const sent = { name: 'Ann', password }
  expect((await client(account.kontor).post(at(made.url), sent, foreign)).status).toBe(403)
  // Somebody else made a user of this e-mail meanwhile.
  const { id } = await account.addUser({ email })
  expect(faults(await accept(made))).toEqual(['email'])
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update users set email = ${newEmail()} where account_id = ${account.id} and id = ${id}`,
    ),
  )
  expect((await accept(made)).status).toBe(200)
})

test('a link is void after a week, when taken back, and after another one for the e-mail', async () => {
  const email = newEmail()
  const first = await invite({ email })
  const second = await invite({ email, name: 'Again' })
  expect([(await read(first)).status, (await read(second)).status]).toEqual([404, 200])
  expect((await listed()).map(({ id }: Made) => id)).toEqual([second.id])
  account.clock.ahead = week
  expect([(await read(second)).status, (await accept(second)).status]).toEqual([404, 404])
  expect(await listed()).toEqual([])
  account.clock.ahead = 0
  expect((await account.api.delete(`${path}/${second.id}`)).status).toBe(204)
  expect((await account.api.delete(`${path}/${second.id}`)).status).toBe(404)
  expect((await accept(second)).status).toBe(404)
  for (const token of ['x', 'x'.repeat(43)])
    expect((await accept({ url: `/${token}` })).status).toBe(404)
})

test('another link takes the place of the former one, for a week from then', async () => {
  const email = newEmail()
  const role_id = await addRole()
  const first = await invite({ email, role_id, name: 'Ann' })
  const [before] = await listed()
  account.clock.ahead = week - 60
  const renew = (api: TestUser['api'], sent: object = proof) =>
    api.post(`${path}/${first.id}/link`, sent)
  const second = await account.addUser({ is_admin: true })
  const { status, body } = await renew(second.api)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: first.id, email })
  expect(body.expires_at - first.expires_at).toBeGreaterThan(week - 120)
  expect([(await read(first)).status, (await read(body)).status]).toEqual([404, 200])
  const [after] = await listed()
  expect(after).toEqual({ ...before, created_by: second.id, expires_at: body.expires_at })

  const [user, stranger] = [await account.addUser(), await newAccount()]
  expect((await renew(user.api)).status).toBe(403)
  expect((await renew(stranger.api)).status).toBe(404)
  expect((await renew(account.api, {})).status).toBe(400)
  expect((await read(body)).status).toBe(200)
  account.clock.ahead = 3 * week
  expect((await renew(account.api)).status).toBe(404)
  account.clock.ahead = 0
  expect((await accept(body)).status).toBe(200)
  expect((await renew(account.api)).status).toBe(404)
})

test('a link is void while its maker is no administrator, and leaves with its expiry', async () => {
  const admin = await account.addUser({ is_admin: true })
  const made = await invite({ email: newEmail() }, admin)
  const { database, now } = account.kontor
  const set = (settings: object) =>
    database.transaction((tx) => setUser(tx, account.id, now(), admin.email, settings))
  await set({ is_admin: false })
  expect([(await read(made)).status, (await accept(made)).status]).toEqual([404, 404])
  expect(await listed()).toEqual([])
  await set({ is_admin: true })
  expect(await listed()).toHaveLength(1)
  await set({ isActive: false })
  expect((await accept(made)).status).toBe(404)
  // The links become older here: a later time would drop the rows of other tests in this run.
  await database.transaction((tx) =>
    tx.rows(
      sql`update invitations set expires_at = expires_at - ${week + 1}::bigint where account_id = ${account.id}`,
    ),
  )
  await dropExpiredAccess(database, now())
  const left = await database.rows(sql`select id from invitations where account_id = ${account.id}`)
  expect(left).toEqual([])
})

test('a role and a group that are deleted meanwhile leave no rights and the built-in group', async () => {
  const [role_id, group_id] = [await addRole(), await addGroup(account)]
  const made = await invite({ email: newEmail(), role_id, group_id })
  expect((await account.api.delete(`/api/v4/roles/${role_id}`)).status).toBe(204)
  expect((await account.api.delete(`/web/v1/groups/${group_id}`)).status).toBe(204)
  const { body } = await accept(made)
  const { rights } = (await account.api.get(`/api/v4/users/${body.user.id}`)).body
  expect(rights).toMatchObject({ role_id: null, group_id: 0, leads: { view: 'D' } })
})

test('invitations are the business of administrators, and of their account', async () => {
  const user = await account.addUser()
  const stranger = await newAccount()
  const made = await invite({ email: newEmail() })
  expect((await user.api.get(path)).status).toBe(403)
  expect((await user.api.post(path, { email: newEmail(), ...proof })).status).toBe(403)
  expect((await user.api.delete(`${path}/${made.id}`)).status).toBe(403)
  expect((await stranger.api.delete(`${path}/${made.id}`)).status).toBe(404)
  expect(await listed(stranger)).toEqual([])
  expect((await read(made)).status).toBe(200)
})

test('an account has at most 250 open invitations', async () => {
  const full = await newAccount()
  await full.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into invitations (account_id, email, is_admin, hash, created_by, created_at, expires_at)
      select ${full.id}::bigint, n || '@example.com', false, sha256((n || ${full.subdomain}::text)::bytea),
             ${full.admin.id}::bigint, 1, ${full.kontor.now() + 60}::bigint from generate_series(1, 250) n`),
  )
  expect((await full.api.post(path, { email: newEmail(), ...proof })).status).toBe(422)
  expect((await full.api.post(path, { email: '7@example.com', ...proof })).status).toBe(201)
})

test('several people are invited at once, each with a link', async () => {
  const role_id = await addRole()
  const [one, two] = [newEmail(), newEmail()]
  const sent = { emails: [one, two, ` ${one.toUpperCase()}`.trim()], role_id }
  const { status, body } = await account.api.post(`${path}/several`, { ...sent, ...proof })
  expect(status).toBe(201)
  const made = body._embedded.invitations as (Made & { email: string })[]
  expect(made.map(({ email }) => email)).toEqual([one, two])
  for (const each of made) {
    expect((await read(each)).body.email).toBe(each.email)
    expect((await accept(each)).body.user).toMatchObject({ email: each.email })
  }
  const { body: shown } = await account.api.get(`/api/v4/users?limit=250`)
  const joined = shown._embedded.users.filter((user: { email: string }) =>
    [one, two].includes(user.email),
  )
  expect(joined.map((user: { rights: object }) => user.rights)).toMatchObject([
    { role_id },
    { role_id },
  ])
})

test('of several, one that is refused refuses all, at its place', async () => {
  const taken = (await account.addUser()).email
  const before = await listed()
  const emails = [newEmail(), taken]
  const { status, body } = await account.api.post(`${path}/several`, { emails, ...proof })
  expect([status, faults({ body })]).toEqual([400, ['emails.1']])
  for (const bad of [{ emails: [] }, { emails: ['x'] }, { email: newEmail() }, {}])
    expect((await account.api.post(`${path}/several`, { ...bad, ...proof })).status).toBe(400)
  const role = await account.api.post(`${path}/several`, {
    emails: [newEmail()],
    role_id: 1,
    ...proof,
  })
  expect([role.status, faults(role)]).toEqual([400, ['role_id']])
  expect(await listed()).toEqual(before)
})
