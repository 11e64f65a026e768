import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { addField, deleteField, firstFields } from '../../../../test/fields.ts'
import type { RightsDraft } from '../../../access/rights.ts'
import { setAccount } from '../../people/accounts/accounts.ts'
import { eventTypeNames, eventTypes, isEventType } from './types.ts'

const path = '/api/v4/events/types'

interface Listed {
  key: string
  type: number
  lang: string
}

const typesIn = ({ body }: Answer): Listed[] => body._embedded.events_types
const keysIn = (answer: Answer) => typesIn(answer).map(({ key }) => key)
const ofFields = (answer: Answer) => typesIn(answer).filter(({ key }) => !isEventType(key))
const titleOf = async (api: Client, query = '', wanted = 'lead_added') =>
  typesIn(await api.get(path + query)).find(({ key }) => key === wanted)?.lang

test.for(['en', 'es', 'ru', 'pt'])('every type has its number, and a title in %s', async (code) => {
  const account = await newAccount()
  const { url } = account.kontor
  const answer = await account.api.get(`${path}?language_code=${code}`)
  expect(answer.status).toBe(200)
  const listed = typesIn(answer).filter(({ key }) => isEventType(key))
  expect(listed.map(({ key, type }) => ({ key, type }))).toEqual(
    eventTypeNames.map((key) => ({ key, type: eventTypes[key].code })),
  )
  const titles = listed.map(({ lang }) => lang)
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles.every((title) => /^\p{Lu}.*[\p{L}]$/u.test(title))).toBe(true)
  expect(titles.every((title) => /\p{Script=Cyrillic}/u.test(title))).toBe(code === 'ru')
  expect(answer.body).toMatchObject({
    _total_items: typesIn(answer).length,
    _links: { self: { href: `${url}${path}?language_code=${code}` } },
  })
})

test('no two types have one number', () => {
  const codes = eventTypeNames.map((name) => eventTypes[name].code)
  expect(new Set(codes).size).toBe(codes.length)
})

test('titles are in the language of the caller, or in the one that was asked for', async () => {
  const account = await newAccount()
  const user = await account.addUser({ language: 'ru' })
  expect(await titleOf(account.api)).toBe('New lead')
  expect(await titleOf(user.api)).toBe('Новая сделка')
  expect(await titleOf(user.api, '?language_code=pt')).toBe('Novo lead')
  expect(await titleOf(user.api, '?language_code=en')).toBe('New lead')
})

test.for(['fr', '', 'RU', '__proto__', 'constructor', '0'])(
  'titles in the unknown language %j are English',
  async (code) => {
    const account = await newAccount()
    const user = await account.addUser({ language: 'es' })
    expect(await titleOf(user.api, `?language_code=${code}`)).toBe('New lead')
  },
)

test.for(['language_code[]=en', `language_code=${'x'.repeat(256)}`, 'page=-1'])(
  '%s is refused',
  async (query) => {
    const { api } = await newAccount()
    expect((await api.get(`${path}?${query}`)).status).toBe(400)
  },
)

test('each custom field is a type, of whatever has fields, with the name of the field in its title', async () => {
  const account = await newAccount()
  const { api } = account
  const before = ofFields(await api.get(path)).length
  const [phone] = await firstFields(account, 'contacts')
  const lead = await addField(account, 'leads', { type: 'text', name: 'Colour' })
  const customer = await addField(account, 'customers', { type: 'numeric', name: 'Rooms' })
  const segments = '/api/v4/customers/segments/custom_fields'
  const segment = (await api.post(segments, [{ name: 'Discount', type: 'numeric' }])).body._embedded
    .custom_fields[0]
  const catalogs = await api.post('/api/v4/catalogs', [{ name: 'Boats' }])
  const catalog = catalogs.body._embedded.catalogs[0].id
  const fields = `/api/v4/catalogs/${catalog}/custom_fields`
  const element = (await api.post(fields, [{ name: 'Mast', type: 'text' }])).body._embedded
    .custom_fields[0]

  const listed = ofFields(await api.get(path))
  for (const [{ id }, name] of [
    [lead, 'Colour'],
    [customer, 'Rooms'],
    [segment, 'Discount'],
    [element, 'Mast'],
    [phone!, phone!.name],
  ] as const)
    expect(listed.filter(({ key }) => key === `custom_field_${id}_value_changed`)).toEqual([
      { key: `custom_field_${id}_value_changed`, type: 24, lang: expect.stringContaining(name) },
    ])
  expect(listed.length).toBeGreaterThan(before)
  for (const code of ['en', 'es', 'ru', 'pt'])
    expect(
      await titleOf(api, `?language_code=${code}`, `custom_field_${lead.id}_value_changed`),
    ).toContain('Colour')

  await deleteField(account, 'leads', lead.id)
  expect(keysIn(await api.get(path))).not.toContain(`custom_field_${lead.id}_value_changed`)
})

test('fields of a catalog are types for those who may view the catalog', async () => {
  const account = await newAccount()
  const { api } = account
  const add = async (name: string) => {
    const made = await api.post('/api/v4/catalogs', [{ name }])
    const catalog_id: number = made.body._embedded.catalogs[0].id
    const path = `/api/v4/catalogs/${catalog_id}/custom_fields`
    const field = (await api.post(path, [{ name, type: 'text' }])).body._embedded.custom_fields[0]
    return { catalog_id, key: `custom_field_${field.id}_value_changed` }
  }
  const [one, two, three] = [await add('One'), await add('Two'), await add('Three')]
  const keys = [one.key, two.key, three.key]
  const level = (letter: 'A' | 'L' | 'D') => ({
    view: letter,
    edit: letter,
    add: letter === 'L' ? 'A' : letter,
    delete: letter,
    export: letter,
  })
  const sees = async (rights: RightsDraft) => {
    const user = await account.addUser({ rights })
    return keysIn(await user.api.get(path)).filter((key) => keys.includes(key))
  }
  expect(await sees({ catalog_access: true })).toEqual(keys)
  expect(await sees({ catalog_access: false })).toEqual([])
  const catalog_rights = [
    { catalog_id: one.catalog_id, rights: level('L') },
    { catalog_id: two.catalog_id, rights: level('D') },
  ]
  expect(await sees({ catalog_rights, catalog_access: false })).toEqual([one.key])
  expect(await sees({ catalog_rights, catalog_access: true })).toEqual([one.key, three.key])
})

test('fields of another account are no types', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()]
  const field = await addField(theirs, 'leads', { type: 'text' })
  expect(keysIn(await mine.api.get(path))).not.toContain(`custom_field_${field.id}_value_changed`)
})

test('a page after the first is empty', async () => {
  const { api } = await newAccount()
  expect(typesIn(await api.get(`${path}?page=2`))).toEqual([])
})

test('types are for users of accounts that are paid', async () => {
  const { api, kontor, subdomain } = await newAccount()
  expect((await client(kontor).get(path)).status).toBe(401)
  const pay = (isUnpaid: boolean) =>
    kontor.database.transaction((tx) => setAccount(tx, kontor.now(), subdomain, { isUnpaid }))
  await pay(true)
  await expect.poll(async () => (await api.get(path)).status).toBe(402)
  await pay(false)
  await expect.poll(async () => (await api.get(path)).status).toBe(200)
})
