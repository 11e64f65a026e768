import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addChat, newInbox } from '../../../../test/inbox.ts'
import { addField } from '../../../../test/fields.ts'
import { mainPipeline } from '../../../../test/leads.ts'
import { addRecord } from '../../../../test/records.ts'
import { addItem } from '../../../../test/unsorted.ts'
import { lastDrawn, register } from '../../../changes/position.ts'

const path = '/web/v1/bootstrap'
const counters = '/web/v1/counters'
const day = 86_400

const limited = {
  leads: { view: 'M', edit: 'M', add: 'A' },
  contacts: { view: 'M' },
} as const

async function addTask({ api }: TestAccount, draft: object) {
  const { status } = await api.post('/api/v4/tasks', [{ text: 'Call', ...draft }])
  expect(status).toBe(200)
}

test('the shell is one answer: the caller, the account, people, and what screens name', async () => {
  const account = await newAccount()
  const { api } = account
  const group = (await api.post('/web/v1/groups', { name: 'North' })).body
  const role = await api.post('/api/v4/roles', [{ name: 'Seller', rights: {} }])
  await api.post('/web/v1/task-types', { name: 'Lunch', color: '98cbff' })
  await api.post('/api/v4/leads/loss_reasons', [{ name: 'Too dear' }])
  await api.post('/api/v4/sources', [
    { name: 'Site', external_id: 'site', pipeline_id: (await mainPipeline(account)).id },
  ])
  await api.post('/api/v4/customers/segments', { name: 'Regulars' })
  const field = await addField(account, 'leads', { type: 'select', enums: ['Red'] })
  await api.post('/api/v4/leads', [{ name: 'One', _embedded: { tags: [{ name: 'vip' }] } }])
  const colleague = await account.addUser({ name: 'Ann', group_id: group.id })

  const { status, headers, body } = await api.get(path)
  expect(status).toBe(200)
  expect(headers.get('etag')).toBe(`W/"${body.version}"`)
  expect(body.me).toMatchObject({
    id: account.admin.id,
    name: 'The administrator',
    email: account.admin.email,
    lang: 'en',
    group_id: 0,
    is_admin: true,
    is_free: false,
    rights: { leads: { view: 'A' }, mail_access: true },
  })
  expect(body.account).toMatchObject({
    id: account.id,
    subdomain: account.subdomain,
    currency: 'USD',
    timezone: 'UTC',
    language: 'en',
    customers_mode: 'periodicity',
    is_unsorted_on: true,
  })
  expect(body.users).toEqual([
    {
      id: account.admin.id,
      name: 'The administrator',
      group_id: 0,
      is_active: true,
      is_admin: true,
    },
    { id: colleague.id, name: 'Ann', group_id: group.id, is_active: true, is_admin: false },
  ])
  expect(body.groups).toEqual([
    { id: 0, name: 'Sales department' },
    { id: group.id, name: 'North' },
  ])
  expect(body.roles).toEqual([{ id: role.body._embedded.roles[0].id, name: 'Seller' }])
  const [pipeline] = (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines
  expect(body.pipelines[0]).toMatchObject({ id: pipeline.id, name: pipeline.name, is_main: true })
  expect(body.pipelines[0].statuses.map(({ id }: { id: number }) => id)).toEqual(
    pipeline._embedded.statuses.map(({ id }: { id: number }) => id),
  )
  expect(body.task_types.map(({ name }: { name: string }) => name)).toEqual([
    'Call',
    'Meeting',
    'Lunch',
  ])
  expect(body.loss_reasons).toMatchObject([{ name: 'Too dear' }])
  expect(body.sources).toMatchObject([{ name: 'Site', pipeline_id: pipeline.id }])
  expect(body.customer_statuses).toHaveLength(5)
  expect(body.segments).toMatchObject([{ name: 'Regulars' }])
  expect(body.custom_fields.leads.groups[0]).toMatchObject({ id: 'default' })
  expect(
    body.custom_fields.leads.fields.find(({ id }: { id: number }) => id === field.id),
  ).toMatchObject({ type: 'select', enums: [{ value: 'Red' }] })
  expect(
    body.custom_fields.contacts.fields.map(({ code }: { code: string | null }) => code),
  ).toEqual(expect.arrayContaining(['PHONE', 'EMAIL']))
  expect(body.tags.leads).toMatchObject([{ name: 'vip', color: null }])
  expect(body.tags.contacts).toEqual([])
})

test('a limited user learns the own rights, no roles, and no tags of records that stay closed', async () => {
  const account = await newAccount()
  await account.api.post('/api/v4/roles', [{ name: 'Seller', rights: {} }])
  await account.api.post('/api/v4/companies', [
    { name: 'Acme', _embedded: { tags: [{ name: 'secret' }] } },
  ])
  const user = await account.addUser({ rights: limited })
  const { body } = await user.api.get(path)
  expect(body.me).toMatchObject({ id: user.id, is_admin: false })
  expect(body.me.rights.leads).toMatchObject({ view: 'M', delete: 'D' })
  expect(body.roles).toEqual([])
  expect(body.tags.companies).toEqual([])
  expect(body.users).toHaveLength(2)
  expect(body.users[0]).not.toHaveProperty('email')
  const nobody = await account.addUser({ rights: {} })
  const none = (await nobody.api.get(path)).body
  expect([none.tags.leads, none.counters.unsorted]).toEqual([[], 0])
  expect(none.version).not.toBe(body.version)
})

test('another account shows nothing of this one', async () => {
  const [one, other] = [await newAccount(), await newAccount()]
  await one.api.post('/api/v4/leads/loss_reasons', [{ name: 'Too dear' }])
  await one.api.post('/api/v4/leads', [{ _embedded: { tags: [{ name: 'vip' }] } }])
  const { body } = await other.api.get(path)
  expect(body.users.map(({ id }: { id: number }) => id)).toEqual([other.admin.id])
  expect([body.loss_reasons, body.tags.leads]).toEqual([[], []])
})

test('who has the version gets 304, until something of it changes', async () => {
  const account = await newAccount()
  const { api } = account
  const { headers, body } = await api.get(path)
  const etag = headers.get('etag')!
  const again = () => api.get(path, { 'if-none-match': `"other", ${etag}` })
  expect((await again()).status).toBe(304)
  // Records and numbers are not of the version.
  await addRecord(api, 'leads')
  await addTask(account, { complete_till: account.kontor.now() - 60 })
  expect((await again()).status).toBe(304)
  expect((await api.get(counters)).body.counters.tasks).toEqual({ overdue: 1, today: 0 })
  await account.addUser({ name: 'New' })
  const later = await again()
  expect(later.status).toBe(200)
  expect(later.body.version).not.toBe(body.version)
  // A browser that takes compressed answers gets the same one.
  expect((await api.get(path, { 'accept-encoding': 'gzip' })).headers.get('content-encoding')).toBe(
    'gzip',
  )
})

test('the counters are what waits for the caller', async () => {
  const account = await newAccount()
  const { api, admin, kontor } = account
  const now = kontor.now()
  const midnight = now - (now % day) + day
  const mine = await account.addUser({ rights: limited })
  await addItem(api)
  await addItem(api)
  for (const complete_till of [now - day, now - 1, midnight - 1, midnight])
    await addTask(account, { complete_till, responsible_user_id: admin.id })
  await addTask(account, { complete_till: now - 1, responsible_user_id: mine.id })
  const inbox = await newInbox(account)
  const contact_id = await addRecord(api, 'contacts', { responsible_user_id: mine.id })
  await addChat(inbox, { unread: 2, contact_id })
  await addChat(inbox, { unread: 1, contact_id: await addRecord(api, 'contacts') })
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into notifications (account_id, user_id, kind, values, created_at)
      values (${account.id}, 0, 'webhook_disabled', '{"webhook_id":1,"destination":"x","invalid_answers":1}', 1)`),
  )
  expect((await api.get(counters)).body.counters).toEqual({
    unsorted: 2,
    chats: 2,
    tasks: { overdue: 2, today: 1 },
    notifications: 1,
  })
  expect((await mine.api.get(counters)).body.counters).toEqual({
    unsorted: 0,
    chats: 1,
    tasks: { overdue: 1, today: 0 },
    notifications: 0,
  })
  expect((await mine.api.get(path)).body.counters).toEqual(
    (await mine.api.get(counters)).body.counters,
  )
})

test('the live stream goes on from the cursor: a position that a follower has written', async () => {
  const account = await newAccount()
  const { database } = account.kontor
  const name = `shell ${account.id}`
  const drawn = await lastDrawn(database)
  await register(database, name, 'now')
  onTestFinished(async () => {
    await database.transaction((tx) => tx.rows(sql`delete from followers where name = ${name}`))
  })
  for (const each of [path, counters]) {
    const { cursor } = (await account.api.get(each)).body
    expect(cursor).toBeGreaterThanOrEqual(drawn)
    expect(cursor).toBeLessThanOrEqual(await lastDrawn(database))
  }
})

test('today ends at midnight in the zone of the account', async () => {
  const account = await newAccount()
  const { kontor } = account
  await kontor.database.transaction((tx) =>
    tx.rows(sql`update accounts set timezone = 'Pacific/Kiritimati' where id = ${account.id}`),
  )
  const local = kontor.now() + 14 * 3600
  const midnight = kontor.now() + day - (local % day)
  for (const complete_till of [midnight - 1, midnight]) await addTask(account, { complete_till })
  expect((await account.api.get(counters)).body.counters.tasks).toEqual({ overdue: 0, today: 1 })
})

test('at most 100 tags are shown: those in use first', async () => {
  const { api } = await newAccount()
  await api.post('/api/v4/leads', [{ _embedded: { tags: [{ name: 'used' }] } }])
  const names = Array.from({ length: 120 }, (_, index) => ({ name: `tag ${index}` }))
  expect((await api.post('/api/v4/leads/tags', names)).status).toBe(200)
  const { leads } = (await api.get(path)).body.tags
  expect(leads).toHaveLength(100)
  const shown = leads.map(({ name }: { name: string }) => name)
  expect(shown).toContain('used')
  expect(shown).not.toContain('tag 0')
})

test('an integration is refused', async () => {
  const account = await newAccount()
  const code = await account.code()
  const { client_id, client_secret } = account.integration
  const pair = await account.api.post('/oauth2/access_token', {
    client_id,
    client_secret,
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'https://example.com/oauth',
  })
  const headers = { authorization: `Bearer ${pair.body.access_token}` }
  expect((await account.api.get(path, headers)).status).toBe(403)
  expect((await account.api.get(counters, headers)).status).toBe(403)
})
