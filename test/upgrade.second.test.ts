// From the second schema to the newest: text search finds old records, they have the fields of a
// new account, and they take part in custom fields, links and notes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noFields } from '../server/records/fields/definitions.ts'
import { indexedRow } from '../server/records/search/search-index.ts'
import type { RecordDescription, RecordType } from '../server/records/description.ts'
import type { RecordRow } from '../server/records/description.ts'
import { companies } from '../server/features/companies/companies.ts'
import { contacts } from '../server/features/contacts/contacts.ts'
import { leads } from '../server/features/leads/leads.ts'
import type { Kontor } from '../server/kontor.ts'
import { newAccount } from './account.ts'
import { client } from './client.ts'
import type { Client } from './client.ts'
import { link, linksOf, to, unlink } from './links.ts'
import { addNote, notesIn, readNote } from './notes.ts'
import { allKinds, find, idsIn, pathOf, readRecord } from './records.ts'
import { fillSecondSchema, hardNames } from './second-schema.ts'
import type { HeldSince } from './second-schema.ts'
import { withCookie } from './session.ts'
import { expectAllThere, upgrade } from './upgrade.ts'
import type { Upgraded } from './upgrade.ts'

/** Lower than the numbers of new accounts. */
const accounts = [501, 502]
const kinds = { leads, contacts, companies } as unknown as Record<RecordType, RecordDescription>

let upgraded: Upgraded
let kontor: Kontor
const held = new Map<number, HeldSince>()

beforeAll(async () => {
  upgraded = await upgrade('0002_people.sql', async (database) => {
    for (const account of accounts) held.set(account, await fillSecondSchema(database, account))
  })
  kontor = upgraded.kontor
})
// The server of this file closes before its database is dropped.
afterAll(() => upgraded.drop())

/** The administrator of an account, by a token issued before the upgrade. */
function adminOf(account: number): HeldSince & { api: Client } {
  const its = held.get(account)!
  return { ...its, api: client(kontor, its.access_token) }
}

test('every row of every table is as it was, with new columns at most', () => {
  expect(Object.keys(upgraded.before)).toEqual(
    expect.arrayContaining(['companies', 'contacts', 'links', 'roles', 'sessions']),
  )
  expectAllThere(upgraded)
})

test.for(allKinds)(
  '%s, those in the bin too, have the texts that this version would write',
  async (type) => {
    const rows = upgraded.before[type] as (RecordRow & { account_id: number })[]
    const texts = (upgraded.after['record_texts'] as Found[]).filter(
      ({ entity_type }) => entity_type === type,
    )
    const expected = rows.map(({ account_id, ...row }) => {
      const { text, grams } = indexedRow(kinds[type], noFields, row)
      return { account_id, entity_type: type, entity_id: row.id, text, grams }
    })
    expect(texts.length).toBeGreaterThan(3)
    expect(sorted(texts)).toEqual(sorted(expected))
  },
)

test.for(accounts)('account %i: what is written in any letters is found', async (account) => {
  const { api, ids } = adminOf(account)
  for (const [name, question] of hardNames)
    expect([
      question,
      await find({ api }, 'companies', `query=${encodeURIComponent(question)}`),
    ]).toEqual([question, [name]])
  expect(await find({ api }, 'contacts', 'query=%D1%91%D0%BB%D0%BA%D0%B8%D0%BD%D0%B0')).toEqual([
    'Анна Ёлкина',
  ])
  // By its own name, and by the contact that it is linked with.
  expect(await find({ api }, 'leads', 'query=first')).toEqual([`First of ${account}`])
  expect(await find({ api }, 'leads', `query=${encodeURIComponent('АННА елкина')}`)).toEqual([
    `First of ${account}`,
  ])
  expect(await find({ api }, 'leads', `query=${encodeURIComponent('забытая')}`)).toEqual([])
  expect((await api.post(`/api/v4/leads/${ids.binned}/restore`)).status).toBe(200)
  expect(await find({ api }, 'leads', `query=${encodeURIComponent('ЗАБЫТАЯ елка')}`)).toEqual([
    'Забытая ёлка',
  ])
})

test('each account has the fields, groups and kinds of phone that a new one has', async () => {
  const fresh = await newAccount(upgraded.settings)
  const expected = await definitionsOf(fresh.api)
  expect(expected.contacts.custom_fields.map(({ code }) => code)).toEqual([
    'POSITION',
    'PHONE',
    'EMAIL',
  ])
  const ids = new Set<number>()
  for (const account of accounts) {
    const found = await definitionsOf(adminOf(account).api)
    expect(plainly(found)).toEqual(plainly(expected))
    const phones = (['contacts', 'companies'] as const).map((type) =>
      found[type].custom_fields.find(({ code }) => code === 'PHONE')!,
    )
    expect(phones[0]).toMatchObject({ id: phones[1]!.id, enums: phones[1]!.enums })
    ids.add(phones[0]!.id)
  }
  expect(ids.size).toBe(accounts.length)
})

test.for(accounts)(
  'account %i: old records take values, and are found by them',
  async (account) => {
    const { api, ids } = adminOf(account)
    const phone = {
      field_code: 'PHONE',
      values: [{ value: '+7 (495) 123-45-67', enum_code: 'WORK' }],
    }
    const changed = await api.patch(`/api/v4/contacts/${ids.contact}`, {
      custom_fields_values: [phone],
    })
    expect(changed.status).toBe(200)
    const { custom_fields_values } = await readRecord(api, 'contacts', ids.contact)
    expect(custom_fields_values).toMatchObject([
      { field_code: 'PHONE', values: [{ value: '+7 (495) 123-45-67', enum_code: 'WORK' }] },
    ])
    expect(
      await find(
        { api },
        'contacts',
        `filter[custom_fields_values][${custom_fields_values[0].field_id}][]=74951234567`,
      ),
    ).toHaveLength(1)
    expect(await find({ api }, 'leads', 'query=74951234567')).toContain(`First of ${account}`)
    const [field] = (
      await api.post('/api/v4/leads/custom_fields', [{ name: 'Seats', type: 'numeric' }])
    ).body._embedded.custom_fields
    const seats = { field_id: field.id, values: [{ value: 4 }] }
    expect(
      (await api.patch(`/api/v4/leads/${ids.lead}`, { custom_fields_values: [seats] })).status,
    ).toBe(200)
    const found = await api.get(`/api/v4/leads?filter[custom_fields_values][${field.id}][from]=3`)
    expect(idsIn(found, 'leads')).toEqual([ids.lead])
  },
)

test.for(accounts)(
  'account %i: old links are there, and are made and undone like new ones',
  async (account) => {
    const { api, ids } = adminOf(account)
    const before = [
      `contacts ${ids.contact} main`,
      `contacts ${ids.second}`,
      `companies ${ids.company}`,
    ]
    expect(await linksOf(api, 'leads', ids.lead)).toEqual(before)
    expect((await unlink(api, 'leads', ids.lead, to('contacts', ids.contact))).status).toBe(204)
    expect(await linksOf(api, 'leads', ids.lead)).toEqual([
      `contacts ${ids.second} main`,
      `companies ${ids.company}`,
    ])
    expect((await link(api, 'leads', ids.lead, to('contacts', ids.contact))).status).toBe(200)
    expect(await linksOf(api, 'leads', ids.lead)).toEqual([
      `contacts ${ids.contact}`,
      `contacts ${ids.second} main`,
      `companies ${ids.company}`,
    ])
    expect(await linksOf(api, 'companies', ids.company)).toEqual([
      `contacts ${ids.contact}`,
      `leads ${ids.lead}`,
    ])
  },
)

test.for(accounts)(
  'account %i: old records get notes, and what the system noted is in no list',
  async (account) => {
    const { api, ids } = adminOf(account)
    for (const [type, id] of [
      ['leads', ids.lead],
      ['contacts', ids.contact],
      ['companies', ids.company],
    ] as const) {
      expect(notesIn(await api.get(`${pathOf(type)}/${id}/notes`))).toEqual([])
      const note = await addNote(api, type, id)
      expect((await api.post(`${pathOf(type)}/notes/${note}/pin`)).status).toBe(204)
      expect(await readNote(api, type, note, 'with=is_pinned')).toMatchObject({
        entity_id: id,
        is_pinned: true,
      })
      expect(notesIn(await api.get(`${pathOf(type)}/${id}/notes`))).toEqual([note])
    }
  },
)

test.for(accounts)('account %i: a session and a role of before hold', async (account) => {
  const { session, role_token, ids } = held.get(account)!
  const browser = withCookie(kontor, `kontor_session=${session}`)
  expect((await browser.get('/web/v1/session')).body).toMatchObject({ account: { id: account } })
  const seller = client(kontor, role_token)
  expect((await seller.get('/api/v4/companies?limit=1')).status).toBe(200)
  expect((await seller.delete(`/api/v4/companies/${ids.company}`)).status).toBe(403)
  const { roles } = (await adminOf(account).api.get('/api/v4/roles')).body._embedded
  expect(roles).toMatchObject([{ id: ids.role, name: 'Sellers' }])
})

interface Found {
  account_id: number
  entity_type: string
  entity_id: number
}

const sorted = (found: Found[]) =>
  found.toSorted((a, b) => a.account_id - b.account_id || a.entity_id - b.entity_id)

interface Definition {
  id: number
  code: string | null
  enums: { id: number }[] | null
}

interface Definitions {
  custom_fields: Definition[]
  custom_field_groups: { id: string; fields: number[] }[]
}

async function definitionsOf(api: Client): Promise<Record<RecordType, Definitions>> {
  const parts = await Promise.all(
    allKinds.map(async (type) => {
      const fields = await api.get(`${pathOf(type)}/custom_fields?limit=250&order[sort]=asc`)
      const groups = await api.get(`${pathOf(type)}/custom_fields/groups`)
      return [type, { ...fields.body._embedded, ...groups.body._embedded }] as const
    }),
  )
  return Object.fromEntries(parts) as Record<RecordType, Definitions>
}

/**
 * A definition without the numbers of accounts, fields and choices, which differ between accounts.
 */
function plainly(definitions: object): unknown {
  const differs = (key: string, value: unknown) =>
    (key === 'id' && typeof value === 'number') || ['account_id', '_links'].includes(key)
  return JSON.parse(
    JSON.stringify(definitions, (key, value: unknown) =>
      differs(key, value) ? undefined : key === 'fields' ? (value as number[]).length : value,
    ),
  )
}
