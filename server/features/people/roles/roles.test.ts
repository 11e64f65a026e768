import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { serverItself } from '../../../access/user-access.ts'
import { changeRole } from './roles.ts'

const faults = ({ body }: Answer): string[] =>
  body['validation-errors'].flatMap(
    ({ request_id, errors }: { request_id: string; errors: { path: string; code: string }[] }) =>
      errors.map(({ path, code }) => `${request_id} ${path} ${code}`),
  )

async function newRole({ api }: TestAccount, rights: object): Promise<number> {
  return (await api.post('/api/v4/roles', { name: 'A role', rights })).body._embedded.roles[0].id
}

/** The unsorted and the first ordinary status. */
async function statuses({ id, kontor }: TestAccount) {
  const { default: sql } = await import('sql-template-tag')
  return kontor.database.rows<{ pipeline_id: number; status_id: number }>(
    sql`select pipeline_id, id as status_id from statuses where account_id = ${id} order by sort limit 2`,
  )
}

test('roles are created from an array or one object, with rights made whole', async () => {
  const { api } = await newAccount()
  const many = await api.post('/api/v4/roles', [
    {
      name: ' Seller ',
      rights: { leads: { view: 'G', edit: 'A', add: 'A', export: 'M' }, mail_access: true },
    },
    { name: 'Nobody', rights: {}, request_id: 'none' },
  ])
  expect(many.status).toBe(201)
  expect(many.body._total_items).toBe(2)
  const [seller, nobody] = many.body._embedded.roles
  expect(seller).toMatchObject({ name: 'Seller', request_id: '0' })
  expect(seller.rights).toMatchObject({
    leads: {
      view: 'G',
      edit: 'G',
      add: 'A',
      delete: 'D',
      export: 'M',
    },
    contacts: {
      view: 'D',
      edit: 'D',
      add: 'D',
      delete: 'D',
      export: 'D',
    },
    tasks: {
      edit: 'D',
      delete: 'D',
    },
    mail_access: true,
    catalog_access: false,
    catalog_rights: [],
  })
  expect(nobody).toMatchObject({ name: 'Nobody', request_id: 'none' })
  const { request_id: _, ...read } = seller
  expect((await api.get(seller._links.self.href)).body).toEqual(read)
  expect(
    (await api.post('/api/v4/roles', { name: 'One', rights: {} })).body._embedded.roles,
  ).toHaveLength(1)
})

test('what is wrong with a role is listed', async () => {
  const account = await newAccount()
  const [, ordinary] = await statuses(account)
  const right = { entity_type: 'leads', ...ordinary, rights: { view: 'A' } }
  const refused = await account.api.post('/api/v4/roles', [
    { name: ' ', rights: { leads: { view: 'X' } } },
    { rights: { tasks: { view: 'A' } } },
    { name: 'Twice', rights: { status_rights: [right, right, { ...right, status_id: 1 }] } },
  ])
  expect(faults(refused)).toEqual([
    '0 name NotBlank',
    '0 rights.leads.view NotSupportedChoice',
    '1 name FieldMissing',
    '1 rights.tasks.view FieldNotExpected',
    '2 rights.status_rights.1.status_id NotUnique',
    '2 rights.status_rights.2.status_id NotSupportedChoice',
  ])
  expect((await account.api.get('/api/v4/roles')).body).toMatchObject({
    _total_items: 0,
    _page_count: 0,
    _embedded: { roles: [] },
  })
})

test('a change of a role is at once a change of what its users may do', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await newRole(account, { contacts: { view: 'A' } })
  const user = await account.addUser({ role_id: id })
  expect((await user.api.get('/api/v4/contacts')).status).toBe(200)
  expect((await user.api.get('/api/v4/leads')).status).toBe(403)
  const changed = await api.patch(`/api/v4/roles/${id}`, { rights: { leads: { view: 'A' } } })
  expect(changed.status).toBe(202)
  expect(changed.body.rights).toMatchObject({
    leads: { view: 'A', edit: 'D' },
    contacts: { view: 'A' },
  })
  await expect.poll(async () => (await user.api.get('/api/v4/leads')).status).toBe(200)
  expect((await api.patch(`/api/v4/roles/${id}`, { name: 'New name' })).body).toMatchObject({
    name: 'New name',
  })
  expect((await api.patch(`/api/v4/roles/${id}`, {})).status).toBe(400)
  expect((await api.patch('/api/v4/roles/1', { name: 'x' })).status).toBe(404)
})

test('users show their role and its rights, roles their users', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await newRole(account, { leads: { view: 'M' } })
  const user = await account.addUser({ role_id: id, rights: {} })
  const shown = (await api.get(`/api/v4/users/${user.id}?with=role`)).body
  expect(shown).toMatchObject({
    rights: { role_id: id, leads: { view: 'M' } },
    _embedded: { roles: [{ id, name: 'A role' }] },
  })
  const role = (await api.get(`/api/v4/roles/${id}?with=users`)).body
  expect(role._embedded.users).toMatchObject([
    { id: user.id, email: user.email, rights: { role_id: id } },
  ])
  expect((await api.get('/api/v4/roles?with=users')).body._embedded.roles).toEqual([role])
  expect((await api.get(`/api/v4/roles/${id}`)).body._embedded).toBeUndefined()
  const refused = await api.patch(`/web/v1/users/${user.id}`, { rights: { leads: { view: 'A' } } })
  expect(faults(refused)).toEqual(['0 rights FieldNotExpected'])
})

test('who loses a role keeps its rights, by losing it or by its end', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await newRole(account, { companies: { view: 'A' } })
  const [one, two] = [
    await account.addUser({ role_id: id, rights: {} }),
    await account.addUser({ role_id: id, rights: {} }),
  ]
  const left = await api.patch(`/web/v1/users/${one.id}`, { role_id: null })
  expect(left.body.rights).toMatchObject({ role_id: null, companies: { view: 'A' } })
  expect((await api.delete(`/api/v4/roles/${id}`)).status).toBe(204)
  expect((await api.delete(`/api/v4/roles/${id}`)).status).toBe(404)
  expect((await api.get(`/api/v4/users/${two.id}`)).body.rights).toMatchObject({
    role_id: null,
    companies: { view: 'A' },
  })
  expect((await two.api.get('/api/v4/companies')).status).toBe(200)
  const back = await api.patch(`/web/v1/users/${two.id}`, { rights: { companies: {} } })
  expect(back.body.rights.companies.view).toBe('D')
})

test('who loses a role that is being changed keeps the rights it then has', async () => {
  const account = await newAccount()
  const { api, id, kontor } = account
  const role = await newRole(account, { leads: { view: 'A', edit: 'A' } })
  const user = await account.addUser({ role_id: role })
  let deleted: Promise<Answer> | undefined
  await kontor.database.transaction(async (tx) => {
    await changeRole(tx, serverItself(id, kontor.now()), role, { rights: { leads: { view: 'M' } } })
    deleted = api.delete(`/api/v4/roles/${role}`)
    await untilAwaited(tx)
  })
  expect((await deleted!).status).toBe(204)
  const { rights } = (await api.get(`/api/v4/users/${user.id}`)).body
  expect([rights.role_id, rights.leads.view, rights.leads.edit]).toEqual([null, 'M', 'D'])
})

test('rights to a status stand beside the closed unsorted ones, and go with an empty list', async () => {
  const account = await newAccount()
  const [unsorted, ordinary] = await statuses(account)
  const rights = { view: 'A', edit: 'A', delete: 'D', export: 'A' }
  const id = await newRole(account, {
    status_rights: [{ entity_type: 'leads', ...ordinary, rights }],
  })
  const closed = {
    entity_type: 'leads',
    ...unsorted,
    rights: { view: 'D', edit: 'D', delete: 'D' },
  }
  const read = async () => (await account.api.get(`/api/v4/roles/${id}`)).body.rights.status_rights
  expect(await read()).toEqual([{ entity_type: 'leads', ...ordinary, rights }, closed])
  const seen = await account.api.patch(`/api/v4/roles/${id}`, {
    rights: { status_rights: [{ entity_type: 'leads', ...unsorted, rights }] },
  })
  expect(seen.body.rights.status_rights).toEqual([
    { ...closed, rights: { view: 'A', edit: 'A', delete: 'D' } },
  ])
  for (const none of [[], null]) {
    await account.api.patch(`/api/v4/roles/${id}`, { rights: { status_rights: none } })
    expect(await read()).toEqual([closed])
  }
})

test('roles are the business of administrators, and of their account', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const id = await newRole(mine, {})
  const user = await mine.addUser()
  for (const [method, path, body] of [
    ['GET', '/api/v4/roles'],
    ['GET', `/api/v4/roles/${id}`],
    ['POST', '/api/v4/roles', { name: 'x', rights: {} }],
    ['PATCH', `/api/v4/roles/${id}`, { name: 'x' }],
    ['DELETE', `/api/v4/roles/${id}`],
  ] as const)
    expect((await user.api.send(method, path, body)).status).toBe(403)
  expect((await other.api.get(`/api/v4/roles/${id}`)).status).toBe(404)
  expect((await other.api.patch(`/api/v4/roles/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await other.api.delete(`/api/v4/roles/${id}`)).status).toBe(404)
  expect((await mine.api.get(`/api/v4/roles/${id}`)).body.name).toBe('A role')
})
