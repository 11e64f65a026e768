import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const defaults = {
  theme: 'system',
  density: 'normal',
  start_page: '/leads',
  shortcuts: true,
  enter_sends: true,
  sounds: true,
  reduced_motion: false,
  date_format: 'language',
  time_zone: null,
  delayed_action_seconds: 5,
  rail_pinned: true,
  first_steps: true,
}

test('users change their own name, phone number and language', async () => {
  const { id, email, api } = await account.addUser({ name: 'Ann' })
  const path = '/web/v1/profile'
  const first = { id, email, name: 'Ann', phone_number: null, lang: 'en' }
  expect((await api.get(path)).body).toEqual(first)
  const changed = { ...first, name: 'Ann Lee', phone_number: '+371 1', lang: 'ru' }
  const sent = { name: ' Ann Lee ', phone_number: ' +371 1', lang: 'ru' }
  expect((await api.patch(path, sent)).body).toEqual(changed)
  expect((await api.patch(path, { lang: 'pt' })).body).toEqual({ ...changed, lang: 'pt' })
  expect((await api.patch(path, { phone_number: null })).body.phone_number).toBeNull()
  await api.patch(path, { phone_number: '1' })
  expect((await api.patch(path, { phone_number: ' ' })).body.phone_number).toBeNull()
  expect((await api.get(path)).body).toEqual({ ...first, name: 'Ann Lee', lang: 'pt' })
  expect((await account.api.get(path)).body.id).toBe(account.admin.id)
})

test.each([
  {},
  { name: '' },
  { name: ' ' },
  { name: 'https://x.example' },
  { name: 'x'.repeat(51) },
  { phone_number: 'x'.repeat(51) },
  { lang: 'de' },
  { lang: null },
  { email: 'x@example.com' },
  { is_admin: true },
])('a profile is not changed by %j', async (change) => {
  const { api } = account
  const before = (await api.get('/web/v1/profile')).body
  expect((await api.patch('/web/v1/profile', change)).status).toBe(400)
  expect((await api.get('/web/v1/profile')).body).toEqual(before)
})

test('preferences are the user’s own, and filled up with defaults', async () => {
  const path = '/web/v1/preferences'
  const [one, two] = [await account.addUser(), await account.addUser()]
  expect((await one.api.get(path)).body).toEqual(defaults)
  const all = {
    theme: 'dark',
    density: 'roomy',
    start_page: '/tasks?mine=1',
    shortcuts: false,
    enter_sends: false,
    sounds: false,
    reduced_motion: true,
    date_format: 'iso',
    time_zone: 'Europe/Riga',
    delayed_action_seconds: 0,
    rail_pinned: false,
    first_steps: false,
  }
  expect((await one.api.patch(path, { theme: 'dark' })).body).toEqual({
    ...defaults,
    theme: 'dark',
  })
  expect((await one.api.patch(path, { sounds: false })).body).toMatchObject({
    theme: 'dark',
    sounds: false,
  })
  expect((await one.api.patch(path, all)).body).toEqual(all)
  expect((await one.api.patch(path, { time_zone: null })).body.time_zone).toBeNull()
  expect((await one.api.get(path)).body).toEqual({ ...all, time_zone: null })
  expect((await two.api.get(path)).body).toEqual(defaults)
})

test('two changes at once are both kept', async () => {
  const { api } = await account.addUser()
  const path = '/web/v1/preferences'
  await Promise.all([api.patch(path, { theme: 'light' }), api.patch(path, { sounds: false })])
  expect((await api.get(path)).body).toEqual({ ...defaults, theme: 'light', sounds: false })
})

test.each([
  {},
  { theme: 'pink' },
  { theme: null },
  { density: 1 },
  { shortcuts: 'maybe' },
  { start_page: '' },
  { start_page: 'https://evil.example' },
  { start_page: '//evil.example' },
  { start_page: '/\\evil.example' },
  { start_page: '/a b' },
  { start_page: `/${'x'.repeat(200)}` },
  { date_format: 'dd.mm' },
  { time_zone: 'Mars/Olympus' },
  { time_zone: '' },
  { delayed_action_seconds: -1 },
  { delayed_action_seconds: 61 },
  { rail_pinned: null },
  { first_steps: 'no' },
  { sounds: false, colour: 'red' },
])('preferences are not changed by %j', async (change) => {
  const { api } = account
  expect((await api.patch('/web/v1/preferences', change)).status).toBe(400)
  expect((await api.get('/web/v1/preferences')).body).toEqual(defaults)
})
