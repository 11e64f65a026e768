// Invalid input gets a clear answer and changes nothing: no lead, no tag, no note, no journal row.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addLead, faultsOf, readLead } from '../../../test/leads.ts'

const path = '/api/v4/leads'

/** The number of the account's rows in each table that a lead writes to. */
async function written({ id, kontor }: TestAccount) {
  return kontor.database.row(sql`
    select (select count(*) from leads where account_id = ${id}) as leads,
           (select count(*) from tags where account_id = ${id}) as tags,
           (select count(*) from notes where account_id = ${id}) as notes,
           (select count(*) from journal where account_id = ${id}) as journal,
           (select count(*) from events where account_id = ${id}) as events`)
}

const nothing = { leads: 0, tags: 0, notes: 0, journal: 0, events: 0 }

test('one bad item refuses the batch, and every bad item is listed under its name', async () => {
  const account = await newAccount()
  const inactive = await account.addUser()
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update users set is_active = false where id = ${inactive.id}`),
  )
  const refused = await account.api.post(path, [
    { name: 'Good', _embedded: { tags: [{ name: 'made for nobody' }] } },
    { name: 5, price: 'much', request_id: 'types' },
    {
      responsible_user_id: inactive.id,
      created_by: 999_999_999,
      updated_by: null,
      request_id: 'users',
    },
    { responsible_user_id: inactive.id, created_by: 999_999_999 },
    {
      _embedded: {
        tags: [{ id: 999_999_999 }, {}, { name: '  ' }, { name: 'x', request_id: '1' }],
      },
      request_id: 'shape',
    },
    { _embedded: { tags: [{ id: 999_999_999 }, {}, { name: '  ' }] }, request_id: 'tags' },
    { loss_reason_id: 3, custom_fields_values: [{ field_id: 1, values: [{ value: 'x' }] }] },
    { name: 'x'.repeat(256), colour: 'red' },
    'not an object',
    null,
    { request_id: { a: 1 } },
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    types: ['InvalidType name', 'InvalidType price'],
    users: ['NotNullable updated_by'],
    3: ['NotSupportedChoice responsible_user_id', 'NotSupportedChoice created_by'],
    shape: ['FieldNotExpected _embedded.tags.3.request_id'],
    tags: [
      'NotSupportedChoice _embedded.tags.0.id',
      'FieldMissing _embedded.tags.1.id',
      'NotBlank _embedded.tags.2.name',
    ],
    6: ['NotSupportedChoice custom_fields_values.0.field_id', 'NotSupportedChoice loss_reason_id'],
    7: ['FieldNotExpected colour', 'TooLong name'],
    8: ['InvalidType '],
    9: ['NotNullable '],
    10: ['InvalidType request_id'],
  })
  expect(await written(account)).toEqual(nothing)
})

test('a tag, a user and a responsible user of another account are unknown here', async () => {
  const account = await newAccount()
  const stranger = await newAccount()
  const tag = (await stranger.api.post('/api/v4/leads/tags', [{ name: 'theirs' }])).body._embedded
    .tags[0]
  const contactsTag = (await account.api.post('/api/v4/contacts/tags', [{ name: 'of contacts' }]))
    .body._embedded.tags[0]
  const refused = await account.api.post(path, [
    { _embedded: { tags: [{ id: tag.id }] } },
    { _embedded: { tags: [{ id: contactsTag.id }] } },
    { responsible_user_id: stranger.admin.id },
  ])
  expect(faultsOf(refused)).toEqual({
    0: ['NotSupportedChoice _embedded.tags.0.id'],
    1: ['NotSupportedChoice _embedded.tags.0.id'],
    2: ['NotSupportedChoice responsible_user_id'],
  })
})

test.for([
  ['251 leads', Array.from({ length: 251 }, () => ({})), ['TooMany ']],
  ['no lead', [], ['TooFew ']],
  ['a text', '"lead"', ['InvalidType ']],
  ['a number', 7, ['InvalidType ']],
  ['null', 'null', ['InvalidType ']],
  ['nothing', '', ['InvalidType ']],
  ['two known batches in one', [[{ name: 'a' }]], ['InvalidType ']],
] as const)('a body of %s is refused', async ([, body, faults]) => {
  const account = await newAccount()
  const refused = await account.api.post(path, body)
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({ 0: faults })
  expect(await written(account)).toEqual(nothing)
})

test.for([
  ['a broken text', '[{"name":"a"},\n{"name":}]', 400, /Invalid JSON at line 2, column 9/],
  ['an unfinished one', '[{"name":"a"', 400, /Invalid JSON/],
  ['U+0000', String.raw`[{"name":"a\u0000b"}]`, 400, /U\+0000.*0\.name/],
  ['a lone surrogate', String.raw`[{"name":"\ud800"}]`, 400, /surrogate.*0\.name/],
  ['U+0000 in a key', String.raw`[{"a\u0000":1}]`, 400, /U\+0000/],
  ['an infinite number', '[{"price":1e400}]', 400, /0\.price/],
  [
    'bottomless nesting',
    `[{"custom_fields_values":${'['.repeat(5000)}${']'.repeat(5000)}}]`,
    400,
    /./,
  ],
  ['a key of Object', '[{"__proto__":{"is_admin":true}}]', 400, /__proto__/],
] as const)('%s is refused with its place', async ([, body, status, detail]) => {
  const account = await newAccount()
  const refused = await account.api.post(path, body)
  expect(refused.status).toBe(status)
  expect(refused.body.detail).toMatch(detail)
  expect(await written(account)).toEqual(nothing)
})

test('numbers beyond what both sides can hold are refused field by field', async () => {
  const account = await newAccount()
  const refused = await account.api.post(
    path,
    `[{"price":9007199254740993},{"price":1e300},{"price":"99999999999999999999"},{"status_id":1152921504606846976},
      {"created_at":253402300800},{"created_at":-1},{"responsible_user_id":0},{"pipeline_id":1.5},{"closed_at":"soon"}]`,
  )
  expect(refused.status).toBe(400)
  expect(Object.values(faultsOf(refused)).map(([fault]) => fault?.split(' ')[1])).toEqual([
    'price',
    'price',
    'price',
    'status_id',
    'created_at',
    'created_at',
    'responsible_user_id',
    'pipeline_id',
    'closed_at',
  ])
  expect(await written(account)).toEqual(nothing)
})

test('only JSON is taken, and not more of it than the server allows', async () => {
  const account = await newAccount({ bodyLimit: 2048 })
  const form = await account.api.post(path, 'name=a', {
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(form.status).toBe(415)
  const text = await account.api.post(path, '[{}]', { 'content-type': 'text/plain' })
  expect(text.status).toBe(415)
  const large = await account.api.post(path, [{ name: 'x'.repeat(3000) }])
  expect(large.status).toBe(413)
  expect(await written(account)).toEqual(nothing)
})

test('a stubborn program may have its unknown keys ignored', async () => {
  const account = await newAccount({ unknownKeys: 'ignore' })
  const id = await addLead(account.api, {
    name: 'One',
    colour: 'red',
    _embedded: { colours: [{ id: 1 }], tags: [{ name: 'a', x: 1 }] },
  })
  expect(await readLead(account.api, id)).toMatchObject({
    name: 'One',
    _embedded: { tags: [{ name: 'a' }] },
  })
  expect((await account.api.patch(`${path}/${id}`, { colour: 'blue' })).status).toBe(200)
  expect((await account.api.patch(path, [{ id, colour: 'blue' }])).status).toBe(200)
})

test('nobody writes without a token, and everybody is told so before the body is read', async () => {
  const account = await newAccount()
  const refused = await account.api.post(path, '[{', { authorization: '' })
  expect(refused.status).toBe(401)
  expect(await written(account)).toEqual(nothing)
})
