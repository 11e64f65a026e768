import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { streamOf } from '../../../../../test/stream.ts'

const path = '/web/v1/account-settings'
const none = {
  monday: [],
  tuesday: [],
  wednesday: [],
  thursday: [],
  friday: [],
  saturday: [],
  sunday: [],
}

test('a new account has the usual settings, and says what the operator has set', async () => {
  const { api, subdomain } = await newAccount({ binDays: 12, eventDays: 0 })
  const { status, body } = await api.get(path)
  expect([status, body]).toEqual([
    200,
    {
      name: subdomain,
      currency: 'USD',
      currency_symbol: '$',
      timezone: 'UTC',
      language: 'en',
      week_starts_on: 1,
      is_task_result_required: false,
      chat_warn_minutes: null,
      chat_late_minutes: null,
      working_hours: none,
      logo: null,
      updated_by: 0,
      bin_days: 12,
      event_days: 0,
    },
  ])
})

test('each setting is changed alone, is kept, and is told to open pages', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const stream = await streamOf(account, account.admin)
  const monday = [
    { from: 540, to: 780 },
    { from: 840, to: 1440 },
  ]
  const changes: object[] = [
    { name: 'Acme' },
    { currency: 'EUR' },
    { timezone: 'Europe/Riga' },
    { language: 'pt' },
    { week_starts_on: 0 },
    { is_task_result_required: true },
    { chat_warn_minutes: 5 },
    { chat_late_minutes: 15 },
    { working_hours: { monday } },
  ]
  const { body: before } = await api.get(path)
  for (const change of changes) {
    const { status } = await api.patch(path, change)
    expect([change, status]).toEqual([change, 200])
  }
  const { body } = await api.get(path)
  expect(body).toEqual({
    ...before,
    ...Object.assign({}, ...changes),
    currency_symbol: '€',
    working_hours: { ...none, monday },
    updated_by: admin.id,
  })
  await expect.poll(() => stream.count('vocabulary')).toBeGreaterThan(0)
  const { body: shell } = await api.get('/web/v1/bootstrap')
  expect(shell.account).toMatchObject({
    name: 'Acme',
    week_starts_on: 0,
    is_task_result_required: true,
    chat_warn_minutes: 5,
    chat_late_minutes: 15,
    logo: null,
  })
  const seen = (await api.get('/api/v4/account?with=datetime_settings')).body
  expect(seen).toMatchObject({
    name: 'Acme',
    currency: 'EUR',
    currency_symbol: '€',
    updated_by: admin.id,
    _embedded: { datetime_settings: { timezone: 'Europe/Riga' } },
  })
  expect(Object.keys(seen)).not.toContain('week_starts_on')
  // People who come later speak the language of the account.
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }
  const rights = { leads: all, contacts: all, companies: all, tasks: { edit: 'A', delete: 'A' } }
  const ann = { name: 'Ann', email: 'ann-of-acme@example.com', password: 'Secret1', rights }
  const { body: created } = await api.post('/api/v4/users', [ann])
  expect(created).toMatchObject({ _embedded: { users: [{ lang: 'pt' }] } })
})

test('amounts stay the numbers that they are in another currency', async () => {
  const { api } = await newAccount()
  const { body } = await api.post('/api/v4/leads', [{ name: 'One', price: 1200 }])
  await api.patch(path, { currency: 'JPY' })
  const { id } = body._embedded.leads[0]
  expect((await api.get(`/api/v4/leads/${id}`)).body.price).toBe(1200)
})

test('the later of two administrators learns of the change of the other', async () => {
  const { api } = await newAccount()
  await api.patch(path, { name: 'Acme', before: { name: (await api.get(path)).body.name } })
  const late = await api.patch(path, { name: 'Umbrella', before: { name: 'Old' } })
  expect([late.status, late.body.code]).toEqual([409, 'Changed'])
  const other = await api.patch(path, { week_starts_on: 6, before: { week_starts_on: 1 } })
  expect([other.status, other.body.name]).toEqual([200, 'Acme'])
  const days = await api.patch(path, {
    working_hours: { monday: [{ from: 1, to: 2 }] },
    before: { working_hours: { monday: [] } },
  })
  expect(days.status).toBe(200)
  // Another day is another setting; the same one is not.
  const tuesday = {
    working_hours: { tuesday: [{ from: 1, to: 2 }] },
    before: { working_hours: { tuesday: [] } },
  }
  expect((await api.patch(path, tuesday)).status).toBe(200)
  expect((await api.patch(path, tuesday)).status).toBe(409)
  const together = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => api.patch(path, { name, before: { name: 'Acme' } })),
  )
  expect(together.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
})

describe('is refused at its member', () => {
  test.for<[change: object, path: string, code: string]>([
    [{ name: ' ' }, 'name', 'NotBlank'],
    [{ currency: 'XQQ' }, 'currency', 'NotSupportedChoice'],
    [{ timezone: 'Europe/Atlantis' }, 'timezone', 'NotSupportedChoice'],
    [{ timezone: '+02' }, 'timezone', 'NotSupportedChoice'],
    [{ language: 'xx' }, 'language', 'NotSupportedChoice'],
    [{ week_starts_on: 3 }, 'week_starts_on', 'NotSupportedChoice'],
    [{ chat_warn_minutes: 0 }, 'chat_warn_minutes', 'TooLow'],
    [{ chat_warn_minutes: 5, chat_late_minutes: 5 }, 'chat_late_minutes', 'TooLow'],
    [{ working_hours: { monday: [{ from: 10, to: 10 }] } }, 'working_hours.monday', 'InvalidValue'],
    [
      {
        working_hours: {
          friday: [
            { from: 10, to: 30 },
            { from: 20, to: 40 },
          ],
        },
      },
      'working_hours.friday',
      'InvalidValue',
    ],
    [
      { working_hours: { monday: [{ from: 0, to: 1441 }] } },
      'working_hours.monday.0.to',
      'TooHigh',
    ],
    [{ country: 'LV' }, 'country', 'FieldNotExpected'],
  ])('%j', async ([change, member, code]) => {
    const { api } = await shared()
    const { status, body } = await api.patch(path, change)
    expect([status, body['validation-errors']?.[0].errors]).toMatchObject([
      400,
      [{ path: member, code }],
    ])
  })
})

let sharedAccount: Promise<TestAccount> | undefined
const shared = () => (sharedAccount ??= newAccount())

test('more spans than a day may have are refused', async () => {
  const { api } = await shared()
  const monday = Array.from({ length: 7 }, (_, at) => ({ from: at * 10, to: at * 10 + 5 }))
  expect((await api.patch(path, { working_hours: { monday } })).status).toBe(400)
})

test('only administrators read and change them', async () => {
  const account = await shared()
  const user = await account.addUser({ rights: {} })
  expect([
    (await user.api.get(path)).status,
    (await user.api.patch(path, { name: 'Mine' })).status,
    (await user.api.send('PUT', logoPath, logo)).status,
    (await user.api.delete(logoPath)).status,
  ]).toEqual([403, 403, 403, 403])
})

const logoPath = '/web/v1/account-logo'
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const logo = { content: `data:image/png;base64,${pixel}` }

/** A data URL of bytes that begin like this, under the name of a PNG. */
const pictureOf = (beginning: string, size = 100) => ({
  content: `data:image/png;base64,${Buffer.concat([Buffer.from(beginning, 'latin1'), Buffer.alloc(size - beginning.length)]).toString('base64')}`,
})

const png = '\x89PNG\r\n\x1a\n'

test('a logo is what its bytes say, and everybody of the account sees it', async () => {
  const account = await newAccount()
  const { api } = account
  expect((await api.get(logoPath)).status).toBe(404)
  for (const [beginning, type] of [
    [png, 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ] as const) {
    const { status, body } = await api.send('PUT', logoPath, pictureOf(beginning))
    expect([status, (await api.get(path)).body.logo]).toEqual([200, body.logo])
    const { headers } = await api.get(logoPath)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  await api.send('PUT', logoPath, logo)
  const user = await account.addUser({ rights: {} })
  const seen = await user.api.get(logoPath)
  const etag = seen.headers.get('etag')!
  expect([seen.status, (await user.api.get(logoPath, { 'if-none-match': etag })).status]).toEqual([
    200, 304,
  ])
  expect((await user.api.get('/web/v1/bootstrap')).body.account.logo).toBe(etag.slice(1, -1))
  const late = await api.send('PUT', logoPath, { ...pictureOf(png), before: null })
  expect([late.status, late.body.code]).toEqual([409, 'Changed'])
  expect((await api.delete(`${logoPath}?before=another`)).status).toBe(409)
  expect((await api.delete(logoPath)).status).toBe(204)
  expect([(await api.get(logoPath)).status, (await api.get(path)).body.logo]).toEqual([404, null])
  expect((await api.delete(logoPath)).status).toBe(204)
  const left = sql`select from account_logos where account_id = ${account.id}`
  expect(await account.kontor.database.rows(left)).toEqual([])
})

test.for([
  [{ content: `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}` }],
  [{ content: 'https://example.com/logo.png' }],
  [{ content: 'data:image/svg+xml;base64,AAAA' }],
  [pictureOf('GIF89a')],
  [pictureOf(png, 262_145)],
])('what is no small picture is refused', async ([body]) => {
  const { api } = await shared()
  const { status, body: problem } = await api.send('PUT', logoPath, body)
  expect([status, problem['validation-errors'][0].errors[0].path]).toEqual([400, 'content'])
})

test('a picture of 256 KiB is taken', async () => {
  const { api } = await shared()
  expect((await api.send('PUT', logoPath, pictureOf(png, 262_144))).status).toBe(200)
})
