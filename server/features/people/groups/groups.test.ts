import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'

async function newGroup({ api }: TestAccount, name = 'North'): Promise<number> {
  return (await api.post('/web/v1/groups', { name })).body.id
}

test('groups are made, renamed, listed with the account, and deleted', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await newGroup(account)
  expect((await api.patch(`/web/v1/groups/${id}`, { name: 'South' })).body).toMatchObject({
    id,
    name: 'South',
    users: 0,
  })
  const user = await account.addUser({ group_id: id })
  expect((await api.get('/web/v1/groups')).body._embedded.groups).toMatchObject([
    { id: 0, name: 'Sales department', uuid: null, users: 1 },
    { id, name: 'South', uuid: expect.any(String), users: 1 },
  ])
  expect(
    (await api.get('/api/v4/account?with=users_groups')).body._embedded.users_groups,
  ).toHaveLength(2)
  expect((await api.delete(`/web/v1/groups/${id}`)).status).toBe(204)
  expect((await api.get(`/api/v4/users/${user.id}`)).body.rights.group_id).toBe(0)
  expect((await api.delete(`/web/v1/groups/${id}`)).status).toBe(404)
  expect((await api.patch(`/web/v1/groups/${id}`, { name: 'x' })).status).toBe(404)
  expect((await api.delete('/web/v1/groups/0')).status).toBe(400)
  expect((await api.patch('/web/v1/groups/0', { name: 'Everybody' })).body).toMatchObject({
    id: 0,
    name: 'Everybody',
  })
  expect((await api.post('/web/v1/groups', { name: ' ' })).status).toBe(400)
})

test('groups are the business of administrators in person, and of their account', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const id = await newGroup(mine)
  const user = await mine.addUser()
  expect((await user.api.get('/web/v1/groups')).status).toBe(403)
  expect((await user.api.post('/web/v1/groups', { name: 'x' })).status).toBe(403)
  expect((await other.api.patch(`/web/v1/groups/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await other.api.delete(`/web/v1/groups/${id}`)).status).toBe(404)
  expect((await other.api.patch(`/web/v1/users/${other.admin.id}`, { group_id: id })).status).toBe(
    400,
  )
})
