// The first steps of an account, each done by what is there.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'

test('a step is done by what is there, and open again without it', async () => {
  const account = await newAccount()
  const { api, id, admin, kontor } = account
  const read = async () => (await api.get('/web/v1/checklist')).body
  // An account of the tests begins with an integration.
  await api.delete(`/web/v1/integrations/${account.integration.client_id}`)
  const none = {
    pipeline: false,
    fields: false,
    invite: false,
    role: false,
    factor: false,
    program: false,
    webhook: false,
  }
  expect(await read()).toEqual(none)
  const invited = await api.post('/web/v1/invitations', {
    email: `${crypto.randomUUID()}@x.example`,
    ...proof,
  })
  expect(await read()).toEqual({ ...none, invite: true })
  await api.delete(`/web/v1/invitations/${invited.body.id}`)
  expect(await read()).toEqual(none)
  // Stages and fields of one's own; those that every account begins with do not count.
  const [{ id: pipeline, _embedded }] = (await api.get('/api/v4/leads/pipelines')).body._embedded
    .pipelines
  const stage = `/api/v4/leads/pipelines/${pipeline}/statuses/${_embedded.statuses[1].id}`
  const { name } = _embedded.statuses[1]
  await api.patch(stage, { name: 'Tasting' })
  const made = await api.post('/api/v4/companies/custom_fields', [{ name: 'Fleet', type: 'text' }])
  expect(await read()).toEqual({ ...none, pipeline: true, fields: true })
  await api.patch(stage, { name })
  const [{ id: field }] = made.body._embedded.custom_fields
  await api.delete(`/api/v4/companies/custom_fields/${field}`)
  expect(await read()).toEqual(none)
  await account.addUser()
  await api.post('/api/v4/roles', [{ name: 'Seller', rights: {} }])
  expect(await read()).toEqual({ ...none, invite: true, role: true })
  await api.post('/web/v1/api-keys', { name: 'ERP', ...proof })
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into second_factors (account_id, user_id, secret, created_at, confirmed_at)
      values (${id}, ${admin.id}, ${Buffer.from('x')}, ${kontor.now()}, ${kontor.now()})`),
  )
  const hook = { destination: 'https://example.com/hook', settings: ['add_lead'] }
  expect((await api.post('/api/v4/webhooks', hook)).status).toBe(200)
  expect(await read()).toEqual({
    ...none,
    invite: true,
    role: true,
    factor: true,
    program: true,
    webhook: true,
  })
})
