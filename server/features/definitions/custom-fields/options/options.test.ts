import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { faultsOf } from '../../../../../test/leads.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const leads = '/api/v4/leads/custom_fields'
interface Choice {
  id: number
  value: string
  sort: number
  code: string | null
  color?: string | null
}
interface Field {
  id: number
  enums: Choice[]
}

async function addList(values: string[], draft: object = {}, path = leads): Promise<Field> {
  const enums = values.map((value) => ({ value }))
  const made = await account.api.post(path, { name: 'A list', type: 'select', enums, ...draft })
  if (made.status !== 201) throw new Error(`the field was refused: ${JSON.stringify(made.body)}`)
  return made.body._embedded.custom_fields[0]
}
const enumsOf = (id: number) => `/web/v1/fields/leads/${id}/enums`
const names = ({ enums }: { enums: Choice[] }) => enums.map(({ value }) => value)
const read = async (id: number): Promise<Field> => (await account.api.get(`${leads}/${id}`)).body
const managed = async (id: number): Promise<Field> =>
  (await account.api.get('/web/v1/fields/leads')).body.fields.find(
    (field: { id: number }) => field.id === id,
  )

test('choices are added at the end; names that are there, or come twice, are left out and named', async () => {
  const { id, enums } = await addList(['Post', 'Courier'])
  const values = ['Van', ' post ', 'Bike', 'van']
  const { status, body } = await account.api.post(enumsOf(id), { values })
  expect([status, body.skipped, names(body.field)]).toEqual([
    201,
    ['post', 'van'],
    ['Post', 'Courier', 'Van', 'Bike'],
  ])
  const after = await read(id)
  expect(after.enums.slice(0, 2)).toEqual(enums)
  expect(after.enums.map(({ sort }) => sort)).toEqual([1, 2, 3, 4])
  const none = await account.api.post(enumsOf(id), { values: ['VAN'] })
  expect([none.status, none.body.skipped]).toEqual([201, ['VAN']])
})

test('two administrators add at once, a program sends the whole list: each says what it means', async () => {
  const { id } = await addList(['One'])
  await Promise.all(
    ['Two', 'Three', 'Four'].map((value) => account.api.post(enumsOf(id), { values: [value] })),
  )
  expect(names(await read(id)).toSorted()).toEqual(['Four', 'One', 'Three', 'Two'])
})

test('a choice is renamed, gets a code and a color; a name or a code that another has is refused', async () => {
  const { id, enums } = await addList(['One', 'Two'])
  const path = `${enumsOf(id)}/${enums[0]!.id}`
  const change = { value: ' First ', code: 'FIRST', color: '#98cbff' }
  const { status, body } = await account.api.patch(path, change)
  expect([status, body.enums[0]]).toEqual([
    200,
    { id: enums[0]!.id, value: 'First', sort: 1, code: 'FIRST', color: '#98cbff' },
  ])
  // Only what is sent changes.
  expect((await account.api.patch(path, { value: '1' })).body.enums[0]).toMatchObject({
    value: '1',
    code: 'FIRST',
    color: '#98cbff',
  })
  const other = `${enumsOf(id)}/${enums[1]!.id}`
  const name = await account.api.patch(path, { value: 'TWO' })
  expect([name.status, faultsOf(name)]).toEqual([400, { 0: ['NotUnique value'] }])
  const code = await account.api.patch(other, { code: 'FIRST' })
  expect([code.status, faultsOf(code)]).toEqual([400, { 0: ['NotUnique code'] }])
  expect((await account.api.patch(other, { color: '#123456' })).status).toBe(400)
  expect((await account.api.patch(path, { color: null })).body.enums[0].color).toBe(null)
})

test('no answer of the interface shows colors, and a list that a program sends keeps those of choices that stay', async () => {
  const { id, enums } = await addList(['One', 'Two', 'Three'])
  for (const each of enums)
    await account.api.patch(`${enumsOf(id)}/${each.id}`, { color: '#fffeb2' })
  const shown = await account.api.get(`${leads}/${id}`)
  expect(shown.body.enums).toEqual(enums)
  expect(JSON.stringify(shown.body)).not.toMatch(/color|fffeb2/)
  expect(JSON.stringify((await account.api.get(`${leads}?limit=250`)).body)).not.toMatch(/color/)
  const sent = [enums[2], { ...enums[0], value: 'First', sort: 9 }, { value: 'Four', sort: 10 }]
  const { status, body } = await account.api.patch(`${leads}/${id}`, { enums: sent })
  expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringMatching(/color/)])
  expect((await managed(id)).enums.map(({ value, color }) => [value, color])).toEqual([
    ['Three', '#fffeb2'],
    ['First', '#fffeb2'],
    ['Four', null],
  ])
  const { body: shell } = await account.api.get('/web/v1/bootstrap')
  const ofShell = shell.custom_fields.leads.fields.find((field: Field) => field.id === id)
  expect(ofShell.enums.map(({ color }: Choice) => color)).toEqual(['#fffeb2', '#fffeb2', undefined])
})

test('a choice is moved before another and to the end, and programs read the new order', async () => {
  const { id, enums } = await addList(['a', 'b', 'c'])
  const move = (index: number, before: number | null) =>
    account.api.post(`${enumsOf(id)}/${enums[index]!.id}/move`, { before })
  expect(names((await move(2, enums[0]!.id)).body)).toEqual(['c', 'a', 'b'])
  expect(names((await move(2, null)).body)).toEqual(['a', 'b', 'c'])
  expect(names((await move(1, enums[1]!.id)).body)).toEqual(['a', 'b', 'c'])
  await move(0, enums[2]!.id)
  const after = await read(id)
  expect([names(after), after.enums.map(({ sort }) => sort)]).toEqual([
    ['b', 'a', 'c'],
    [1, 2, 3],
  ])
  const refused = await move(0, 1)
  expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: ['NotSupportedChoice before'] }])
})

test('a choice that no record has is removed; one that records have stays, and so does the last', async () => {
  const { id, enums } = await addList(['used', 'free'])
  const values = [{ field_id: id, values: [{ enum_id: enums[0]!.id }] }]
  const lead = await account.api.post('/api/v4/leads', [{ custom_fields_values: values }])
  expect(lead.status).toBe(200)
  const remove = (index: number) => account.api.delete(`${enumsOf(id)}/${enums[index]!.id}`)
  const used = await remove(0)
  expect([used.status, used.body.detail]).toEqual([422, 'Records have this choice'])
  const free = await remove(1)
  expect([free.status, names(free.body)]).toEqual([200, ['used']])
  expect((await remove(1)).status).toBe(404)
  expect((await remove(0)).status).toBe(400)
})

test('choices of segments are removed unless a segment has them', async () => {
  const path = '/api/v4/customers/segments/custom_fields'
  const { id, enums } = await addList(['used', 'free'], {}, path)
  await account.api.post('/api/v4/customers/segments', {
    name: 'Regulars',
    custom_fields_values: [{ field_id: id, values: [{ enum_id: enums[0]!.id }] }],
  })
  const of = (index: number) => `/web/v1/fields/segments/${id}/enums/${enums[index]!.id}`
  expect((await account.api.delete(of(0))).status).toBe(422)
  expect((await account.api.delete(of(1))).status).toBe(200)
})

test('fields without choices of their own, and too many choices, are refused', async () => {
  const text = (await account.api.post(leads, { name: 'A text', type: 'text' })).body._embedded
    .custom_fields[0]
  expect((await account.api.post(enumsOf(text.id), { values: ['x'] })).status).toBe(400)
  const contacts = (await account.api.get('/api/v4/contacts/custom_fields')).body._embedded
  const phone = contacts.custom_fields.find(({ code }: { code: string }) => code === 'PHONE')
  const phones = `/web/v1/fields/contacts/${phone.id}/enums`
  expect((await account.api.post(phones, { values: ['x'] })).status).toBe(400)
  expect((await account.api.post(enumsOf(1), { values: ['x'] })).status).toBe(404)
  const { id } = await addList(['one'])
  const values = Array.from({ length: 500 }, (_, index) => `choice ${index}`)
  const refused = await account.api.post(enumsOf(id), { values })
  expect([refused.status, refused.body.detail]).toEqual([
    422,
    'A field can have 500 choices, and there are 1',
  ])
  expect((await account.api.post(enumsOf(id), { values: [] })).status).toBe(400)
  expect((await account.api.post(enumsOf(id), { values: [' '] })).status).toBe(400)
})

test('only administrators of the account change choices', async () => {
  const { id, enums } = await addList(['one', 'two'])
  const { api } = await account.addUser({ rights: {} })
  const other = await newAccount()
  const path = `${enumsOf(id)}/${enums[0]!.id}`
  for (const [caller, status] of [
    [api, 403],
    [other.api, 404],
  ] as const) {
    expect((await caller.post(enumsOf(id), { values: ['x'] })).status).toBe(status)
    expect((await caller.patch(path, { value: 'x' })).status).toBe(status)
    expect((await caller.post(`${path}/move`, { before: null })).status).toBe(status)
    expect((await caller.delete(path)).status).toBe(status)
  }
  expect((await read(id)).enums).toEqual(enums)
})
