// The requests by which people manage how they sign in: sessions, passwords, links, second factors.
import sql from 'sql-template-tag'
import { beginSession } from '../../server/features/people/sessions/sessions.ts'
import { hash } from '../../server/secrets.ts'
import { proof } from '../account.ts'
import type { TestAccount, TestUser } from '../account.ts'
import { codeAt } from '../second-factor.ts'
import type { Column } from '../routes.ts'
import { password } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare, RouteRequest } from './requests.ts'
import * as seed from './seed.ts'

/** The smallest PNG. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const accountLogo = { content: `data:image/png;base64,${pixel}` }

/** The account that a column may ask for: what a link shows is for everybody who has it. */
const accountOf = ({ account, alien }: RouteFixture, column: Column): TestAccount =>
  column === 'alien' ? alien : account

/** The caller with the account; anybody else for a column without one that is let in. */
function callerOf(fixture: RouteFixture, column: Column): { account: TestAccount; user: TestUser } {
  const user = column === 'nobody' ? fixture.outsider : fixture.callers[column].user
  return { account: accountOf(fixture, column), user }
}

/** Begins a session and answers its id. */
async function addSession(
  { id, kontor }: TestAccount,
  user: Pick<TestUser, 'id'>,
): Promise<number> {
  const visitor = { address: '127.0.0.1', cookie: undefined, userAgent: undefined }
  const whom = { account_id: id, user_id: user.id }
  const { token } = await kontor.database.transaction((tx) =>
    beginSession(tx, kontor, [whom], whom, visitor),
  )
  const found = await kontor.database.row<{ id: number }>(
    sql`select id from sessions where hash = ${hash(token)}`,
  )
  return found!.id
}

const ownSession = (fixture: RouteFixture, column: Column) => {
  const { account, user } = callerOf(fixture, column)
  return addSession(account, user)
}

/** One of the caller, or one that the caller may not end. */
async function sessionFor(fixture: RouteFixture, column: Column): Promise<number> {
  const isOwn = !['nobody', 'alien', 'gone', 'M-other', 'G-other'].includes(column)
  if (isOwn) return ownSession(fixture, column)
  return addSession(fixture.account, { id: await seed.addUser(fixture) })
}

async function resetToken(fixture: RouteFixture, column: Column): Promise<string> {
  const account = accountOf(fixture, column)
  const { id } = await account.addUser()
  const { body } = await account.api.post(`/web/v1/users/${id}/reset-link`, proof)
  return body.url.split('/').at(-1)
}

async function addInvitation({ api }: TestAccount, mark: string) {
  const draft = { email: seed.newEmail(), name: `Invited ${mark}`, ...proof }
  return (await api.post('/web/v1/invitations', draft)).body as { id: number; url: string }
}

const inviteToken = async (fixture: RouteFixture, column: Column): Promise<string> =>
  (
    await addInvitation(accountOf(fixture, column), column === 'alien' ? 'elsewhere' : fixture.mark)
  ).url
    .split('/')
    .at(-1)!

const factorSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Gives the caller a second factor in a state, and answers a code of it. */
export async function addFactor(
  fixture: RouteFixture,
  column: Column,
  state: 'none' | 'begun' | 'on',
): Promise<string> {
  const { account, user } = callerOf(fixture, column)
  const { database, secrets, now } = account.kontor
  const at = now()
  await database.transaction(async (tx) => {
    await tx.rows(sql`
      delete from second_factors where account_id = ${account.id} and user_id = ${user.id}`)
    if (state !== 'none')
      await tx.rows(sql`
        insert into second_factors (account_id, user_id, secret, created_at, confirmed_at)
        values (${account.id}, ${user.id}, ${secrets.encrypt(factorSecret)}, ${at}, ${state === 'on' ? at : null})`)
  })
  return codeAt(factorSecret, at)
}

/** The same request of a caller who proves who it is by the password alone. */
export const byPassword =
  (prepare: Prepare): Prepare =>
  async (fixture, column) => {
    if (column !== 'nobody') await addFactor(fixture, column, 'none')
    const request = (await prepare(fixture, column)) as RouteRequest
    return { ...request, body: { ...(request.body as object | undefined), password } }
  }

const factor = '/web/v1/second-factor'

const asForm = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

/** The pages of people who are not signed in; a token changes nothing about them. */
export const pageRequests: Record<string, Prepare> = {
  'GET /login': () => ({}),
  'POST /login': ({ callers }, column) =>
    asForm({ email: callers[column === 'nobody' ? 'admin' : column].user.email, password }),
  'GET /login/forgot': () => ({}),
  'POST /logout': () => ({}),
  'GET /setup': () => ({}),
  'POST /setup': () => asForm({ company: 'Acme' }),
  'GET /reset/{token}': async (fixture, column) => ({
    path: `/reset/${await resetToken(fixture, column)}`,
  }),
  'POST /reset/{token}': async (fixture, column) => ({
    path: `/reset/${await resetToken(fixture, column)}`,
    ...asForm({ password: 'a fine new password' }),
  }),
  'GET /invite/{token}': async (fixture, column) => ({
    path: `/invite/${await inviteToken(fixture, column)}`,
  }),
  'POST /invite/{token}': async (fixture, column) => ({
    path: `/invite/${await inviteToken(fixture, column)}`,
    ...asForm({ name: 'Invited', password: 'a fine new password' }),
  }),
}

export const peopleRequests: Record<string, Prepare> = {
  'GET /web/v1/sessions': async (fixture, column) => ({
    list: { of: 'sessions', holds: await ownSession(fixture, column) },
  }),
  'DELETE /web/v1/sessions/{id}': async (fixture, column) => ({
    path: `/web/v1/sessions/${await sessionFor(fixture, column)}`,
  }),
  'POST /web/v1/password': async (fixture, column) => {
    if (column !== 'nobody') await addFactor(fixture, column, 'none')
    return { body: { current_password: password, new_password: password } }
  },
  'POST /web/v1/users/{id}/reset-link': byPassword(async (fixture) => ({
    path: `/web/v1/users/${await seed.addUser(fixture)}/reset-link`,
  })),
  'GET /web/v1/users/sign-ins': async (fixture) => ({
    list: { of: 'sign_ins', holds: await seed.addUser(fixture) },
  }),
  'GET /web/v1/users/{id}/handover': async (fixture) => ({
    path: `/web/v1/users/${await seed.addUser(fixture)}/handover`,
  }),
  'POST /web/v1/users/{id}/handover': async (fixture) => ({
    path: `/web/v1/users/${await seed.addUser(fixture)}/handover`,
    body: { to_user_id: fixture.account.admin.id },
  }),
  'GET /web/v1/password-resets/{token}': async (fixture, column) => ({
    path: `/web/v1/password-resets/${await resetToken(fixture, column)}`,
  }),
  'POST /web/v1/password-resets/{token}': async (fixture, column) => ({
    path: `/web/v1/password-resets/${await resetToken(fixture, column)}`,
    body: { password },
  }),
  'GET /web/v1/invitations': async (fixture, column) => {
    if (column === 'alien') await addInvitation(fixture.alien, 'elsewhere')
    const { id } = await addInvitation(fixture.account, fixture.mark)
    return { list: { of: 'invitations', holds: id } }
  },
  'POST /web/v1/invitations': byPassword(() => ({ body: { email: seed.newEmail() } })),
  'POST /web/v1/invitations/several': byPassword(() => ({
    body: { emails: [seed.newEmail(), seed.newEmail()] },
  })),
  'POST /web/v1/invitations/{id}/link': byPassword(async ({ account, mark }) => ({
    path: `/web/v1/invitations/${(await addInvitation(account, mark)).id}/link`,
  })),
  'DELETE /web/v1/invitations/{id}': async ({ account, mark }) => ({
    path: `/web/v1/invitations/${(await addInvitation(account, mark)).id}`,
  }),
  'GET /web/v1/invites/{token}': async (fixture, column) => ({
    path: `/web/v1/invites/${await inviteToken(fixture, column)}`,
  }),
  'POST /web/v1/invites/{token}': async (fixture, column) => ({
    path: `/web/v1/invites/${await inviteToken(fixture, column)}`,
    body: { name: 'Somebody new', password, lang: 'es' },
  }),
  [`GET ${factor}`]: () => ({}),
  [`POST ${factor}`]: async (fixture, column) => {
    await addFactor(fixture, column, 'none')
    return { body: { password } }
  },
  [`POST ${factor}/confirm`]: async (fixture, column) => ({
    body: { code: await addFactor(fixture, column, 'begun') },
  }),
  [`POST ${factor}/recovery-codes`]: async (fixture, column) => ({
    body: { password, code: await addFactor(fixture, column, 'on') },
  }),
  [`DELETE ${factor}`]: async (fixture, column) => ({
    body: { password, code: await addFactor(fixture, column, 'on') },
  }),
  // Nobody's token will do: second-factor.test.ts asks with sessions.
  'DELETE /web/v1/users/{id}/second-factor': byPassword(async (fixture) => ({
    path: `/web/v1/users/${await seed.addUser(fixture)}/second-factor`,
  })),
  'GET /web/v1/profile': () => ({}),
  'PATCH /web/v1/profile': () => ({ body: { lang: 'en' } }),
  'GET /web/v1/account-settings': () => ({}),
  'PATCH /web/v1/account-settings': () => ({ body: { week_starts_on: 1 } }),
  'GET /web/v1/account-logo': async ({ account: { api } }) => {
    await api.send('PUT', '/web/v1/account-logo', accountLogo)
    return {}
  },
  'PUT /web/v1/account-logo': () => ({ body: accountLogo }),
  'DELETE /web/v1/account-logo': () => ({}),
  'GET /web/v1/preferences': () => ({}),
  'PATCH /web/v1/preferences': () => ({ body: { theme: 'dark' } }),
}
