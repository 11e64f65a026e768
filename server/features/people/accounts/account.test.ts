import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const read = async (query = '') =>
  (await account.api.get(`/api/v4/account${query}`)).body as Record<string, unknown>

/** Client libraries read these keys without checking that they exist (interface: Account). */
const always = [
  'id',
  'name',
  'subdomain',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'current_user_id',
  'country',
  'currency',
  'currency_symbol',
  'customers_mode',
  'is_unsorted_on',
  'mobile_feature_version',
  'is_loss_reason_enabled',
  'is_helpbot_enabled',
  'is_technical_account',
  'contact_name_display_order',
  '_links',
]

const uuid = expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)

/** The keys that each value of `with` adds. */
const additions: Record<string, () => object> = {
  amojo_id: () => ({ amojo_id: uuid }),
  uuid: () => ({ uuid }),
  version: () => ({ version: expect.any(Number) }),
  drive_url: () => ({ drive_url: account.kontor.url }),
  is_api_filter_enabled: () => ({ is_api_filter_enabled: true }),
  invoices_settings: () => ({ invoices_settings: { lang: null, invoices_catalog_id: null } }),
  entity_names: () => ({
    entity_names: expect.objectContaining({
      leads: {
        en: { gender: 'm', singular_form: { default: 'Lead' }, plural_form: { default: 'Leads' } },
      },
    }),
  }),
  amojo_rights: () => ({
    _embedded: { amojo_rights: { can_direct: true, can_create_groups: true } },
  }),
  users_groups: () => ({
    _embedded: { users_groups: [{ id: 0, name: 'Sales department', uuid: null }] },
  }),
  task_types: () => ({
    _embedded: {
      task_types: [
        { id: 1, name: 'Call', color: null, icon_id: null, code: 'FOLLOW_UP' },
        { id: 2, name: 'Meeting', color: null, icon_id: null, code: 'MEETING' },
      ],
    },
  }),
  datetime_settings: () => ({
    _embedded: {
      datetime_settings: {
        date_pattern: 'd.m.Y H:i',
        short_date_pattern: 'd.m.Y',
        short_time_pattern: 'H:i',
        date_format: 'd.m.Y',
        time_format: 'H:i:s',
        timezone: 'UTC',
        timezone_offset: '+00:00',
      },
    },
  }),
}

test('the account is as every program reads it after signing in', async () => {
  const { kontor, id, subdomain, admin } = account
  const body = await read()
  expect(Object.keys(body).toSorted()).toEqual(always.toSorted())
  expect(body).toMatchObject({
    id,
    subdomain,
    name: subdomain,
    current_user_id: admin.id,
    created_by: 0,
    updated_by: 0,
    country: 'US',
    currency: 'USD',
    currency_symbol: '$',
    customers_mode: 'periodicity',
    contact_name_display_order: 1,
    is_unsorted_on: true,
    is_loss_reason_enabled: true,
    is_helpbot_enabled: false,
    is_technical_account: false,
    _links: { self: { href: `${kontor.url}/api/v4/account` } },
  })
})

test.each(Object.entries(additions))('with=%s adds that, and nothing else', async (name, added) => {
  const [plain, body] = [await read(), await read(`?with=${name}`)]
  expect(body).toEqual({ ...plain, ...added() })
})

test('all of them together, in any order, with spaces and twice', async () => {
  const names = Object.keys(additions)
  const parts = Object.values(additions).map((added) => added() as { _embedded?: object })
  const expected = Object.assign({}, ...parts, {
    _embedded: Object.assign({}, ...parts.map(({ _embedded }) => _embedded)),
  })
  const plain = await read()
  for (const list of [
    names.join(','),
    names.toReversed().join(',%20'),
    [...names, ...names].join(','),
  ])
    expect(await read(`?with=${list}`)).toEqual({ ...plain, ...expected })
})

test('what is unknown is ignored', async () => {
  const plain = await read()
  for (const query of [
    '?with=',
    '?with=,',
    '?with=nothing',
    '?with=__proto__,constructor',
    '?page=2',
    '?with=USERS_GROUPS',
  ])
    expect(await read(query)).toEqual(plain)
  expect(await read('?with=nothing,uuid')).toEqual({ ...plain, uuid })
})

test('a list that is too long is refused', async () => {
  const { status, body } = await account.api.get(`/api/v4/account?with=${'x'.repeat(1001)}`)
  expect([status, body['validation-errors'][0].errors[0].path]).toEqual([400, 'with[0]'])
})

test('a user without any right may read it', async () => {
  const user = await account.addUser({ rights: {} })
  const { status, body } = await user.api.get('/api/v4/account?with=users_groups')
  expect([status, body.id, body.current_user_id]).toEqual([200, account.id, user.id])
})

test.each([
  ['Asia/Kolkata', '+05:30'],
  ['America/Bogota', '-05:00'],
  ['Etc/GMT', '+00:00'],
])('the time zone %s is %s', async (timezone, timezone_offset) => {
  const { api, id, kontor } = await newAccount()
  await kontor.database.rows(sql`update accounts set timezone = ${timezone} where id = ${id}`)
  const { body } = await api.get('/api/v4/account?with=datetime_settings')
  expect(body._embedded.datetime_settings).toMatchObject({ timezone, timezone_offset })
})
