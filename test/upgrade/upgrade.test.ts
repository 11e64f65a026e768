// The schema only moves forward: what a Kontor of before has left in its database is all there after
// the migrations of this one, and is served. Each schema that was released has a fixture here.
//
// A migration was released, and so its schema needs a fixture:
//   1. Copy schema-0016.ts to schema-0018.ts (the number of the last migration of the release).
//   2. In `fill`, call the fixture before it, and add in SQL what the new schema can hold: rows in
//      every new table, and a value in every new column. SQL, because that version's code will go.
//   3. Name `last`, the new `tables`, and the `events` that were added, newest first.
//   4. Add it to `schemas` below: all the promises are now made to it too.
//   5. Write a `describe` at the end of this file for effects that only this schema can show.
// A fixture is never edited once its schema is released; a new migration needs nothing else.
import { pino } from 'pino'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noFields } from '../../server/records/fields/definitions.ts'
import { indexPhones } from '../../server/records/fields/phone-index.ts'
import { markOf } from '../../server/records/fields/values.ts'
import { indexedRow } from '../../server/records/search/search-index.ts'
import { gramForm } from '../../server/records/search/text.ts'
import type { RecordDescription, RecordType } from '../../server/records/description.ts'
import type { RecordRow } from '../../server/records/description.ts'
import { setAccount } from '../../server/features/people/accounts/accounts.ts'
import { companies } from '../../server/features/records/companies/companies.ts'
import { contacts } from '../../server/features/records/contacts/contacts.ts'
import { leads } from '../../server/features/records/leads/leads.ts'
import { startCallbacks } from '../../server/features/conversations/messages/outgoing/start.ts'
import { newAccount } from '../account.ts'
import { chatPath, sendSigned } from '../channels.ts'
import { messageOf } from '../chats.ts'
import { client } from '../client.ts'
import type { Client } from '../client.ts'
import { link, linksOf, to, unlink } from '../links.ts'
import { addNote, notesIn, readNote } from '../notes.ts'
import { merged, undoMerge } from '../merges.ts'
import { addRecord, allKinds, find, idsIn, kinds, pathOf, readRecord } from '../records.ts'
import { signIn, withCookie } from '../session.ts'
import { accept, unsorted } from '../unsorted.ts'
import { password, schema0001 } from './schema-0001.ts'
import type { Filled } from './schema-0001.ts'
import { hardNames, schema0002 } from './schema-0002.ts'
import type { FilledWithEvents } from './schema-0002.ts'
import { schema0003 } from './schema-0003.ts'
import type { FilledWithFields } from './schema-0003.ts'
import { schema0004 } from './schema-0004.ts'
import type { FilledWithRequests } from './schema-0004.ts'
import { schema0010 } from './schema-0010.ts'
import type { FilledWithCustomers } from './schema-0010.ts'
import { longName, schema0016 } from './schema-0016.ts'
import { schema0022 } from './schema-0022.ts'
import type { FilledWithWebhooks } from './schema-0022.ts'
import { schema0026 } from './schema-0026.ts'
import type { FilledWithChannels } from './schema-0026.ts'
import { schema0028 } from './schema-0028.ts'
import type { FilledWithChats } from './schema-0028.ts'
import { bulk, undo } from '../jobs.ts'
import { accounts, expectAllThere, upgrade } from './upgraded.ts'
import type { Fixture, Upgraded } from './upgraded.ts'

/** The types of record that the oldest schemas have. */
const oldKinds = ['leads', ...kinds] as const
const described = { leads, contacts, companies } as unknown as Record<RecordType, RecordDescription>

/** The administrator of an account, by the token of before. */
function adminOf<Its extends Filled>(
  { filled, kontor }: Upgraded<Its>,
  account: number,
): Its & { api: Client } {
  const its = filled.get(account)!
  return { ...its, api: client(kontor, its.access_token) }
}

const first = upgradedFrom<Filled>(schema0001)
const second = upgradedFrom<FilledWithEvents>(schema0002)
const third = upgradedFrom<FilledWithFields>(schema0003)
const fourth = upgradedFrom<FilledWithRequests>(schema0004)
const tenth = upgradedFrom<FilledWithCustomers>(schema0010)
const sixteenth = upgradedFrom<FilledWithCustomers>(schema0016)
const twentySecond = upgradedFrom<FilledWithWebhooks>(schema0022)
const twentySixth = upgradedFrom<FilledWithChannels>(schema0026)
const twentyEighth = upgradedFrom<FilledWithChats>(schema0028)

const schemas: { schema: Fixture<Filled>; upgraded: Upgraded }[] = [
  { schema: schema0001, upgraded: first },
  { schema: schema0002, upgraded: second },
  { schema: schema0003, upgraded: third },
  { schema: schema0004, upgraded: fourth },
  { schema: schema0010, upgraded: tenth },
  { schema: schema0016, upgraded: sixteenth },
  { schema: schema0022, upgraded: twentySecond },
  { schema: schema0026, upgraded: twentySixth },
  { schema: schema0028, upgraded: twentyEighth },
]

/** Answers name a changed field, the log does not. */
const generalType = (type: string) => type.replace(/^custom_field_\d+/, 'custom_field')

/** The newest events of leads: the clock of customers may add its own at any time. */
async function eventsOfLeads(api: Client): Promise<{ type: string; entity_id: number }[]> {
  const { events } = (await api.get('/api/v4/events?limit=100')).body._embedded
  return events.filter(({ entity_type }: { entity_type: string }) => entity_type === 'lead')
}

/** The database of a schema, filled and upgraded before the first test. */
function upgradedFrom<Its extends Filled>(fixture: Fixture<Its>): Upgraded<Its> {
  const upgraded = {} as Upgraded<Its>
  beforeAll(async () => void Object.assign(upgraded, await upgrade(fixture)))
  // The server closes with the file: it must be done with its connections before.
  afterAll(() => upgraded.drop())
  return upgraded
}

describe.each(schemas)('from $schema.last', ({ schema, upgraded }) => {
  test('every row of every table is as it was, with new columns at most', () => {
    expect(Object.keys(upgraded.before)).toEqual(expect.arrayContaining(schema.tables))
    expectAllThere(upgraded, schema)
  })

  test.for(accounts)(
    'account %i: a token of before is good, and leads, tags and events are served',
    async (account) => {
      const { api } = adminOf(upgraded, account)
      const { leads } = (await api.get('/api/v4/leads?order[id]=desc&with=contacts')).body._embedded
      expect(
        leads.map(({ name, price }: { name: string; price: number }) => [name, price]),
      ).toEqual([
        [`Second of ${account}`, 20],
        [`First of ${account}`, 10],
      ])
      expect(leads[1]).toMatchObject({
        account_id: account,
        _embedded: { tags: [{ name: `tag of ${account}` }] },
      })
      expect((await api.get(leads[1]._links.self.href)).body).toMatchObject({
        id: leads[1].id,
        closed_at: null,
      })
      expect((await api.get('/api/v4/leads/tags')).body._embedded.tags).toMatchObject([
        { name: `tag of ${account}` },
      ])
      const events = await eventsOfLeads(api)
      expect(events.map(({ type, entity_id }) => [generalType(type), entity_id])).toEqual(
        schema.events.map(([type, lead]) => [type, leads[lead === 'First' ? 1 : 0].id as number]),
      )
      for (const kind of ['users', 'contacts', 'companies', 'account'])
        expect((await api.get(`/api/v4/${kind}`)).status).toBe(200)
    },
  )

  test.for(accounts)(
    'account %i: a board shows its leads, and their kept totals are those of a plain count',
    async (account) => {
      const { kontor, database } = upgraded
      const { api } = await signIn(kontor, { email: `admin@${account}.example`, password })
      const stages = await database.list<{
        pipeline_id: number
        status_id: number
        count: number
        sum: number
      }>(sql`
        select pipeline_id, status_id, count(*), sum(price)::float8 from leads
         where account_id = ${account} and not is_deleted and unsorted_id is null group by pipeline_id, status_id`)
      for (const { pipeline_id, status_id, count, sum } of stages) {
        const column = await api.get(
          `/web/v1/board/column?pipeline_id=${pipeline_id}&status_id=${status_id}`,
        )
        expect(column.body).toMatchObject({ count, sum, is_more: false })
        expect(column.body.cards).toHaveLength(count)
      }
      const all = (await api.get('/web/v1/aggregate?entity=leads')).body
      expect(all.count).toBe(stages.reduce((total, { count }) => total + count, 0))
    },
  )

  test.for(accounts)(
    'account %i: its refresh token is exchanged, and the new pair reads and writes',
    async (account) => {
      const { client_id, client_secret, refresh_token } = upgraded.filled.get(account)!
      const exchange = () =>
        client(upgraded.kontor).post('/oauth2/access_token', {
          client_id,
          client_secret,
          refresh_token,
          grant_type: 'refresh_token',
          redirect_uri: 'https://example.com/',
        })
      const { status, body } = await exchange()
      expect(status).toBe(200)
      expect((await exchange()).status).toBe(401)
      await worksOn(client(upgraded.kontor, body.access_token))
    },
  )

  test.for(accounts)(
    'account %i: rights of before hold, and its people sign in',
    async (account) => {
      const { kontor, filled } = upgraded
      const limited = client(kontor, filled.get(account)!.limited_token)
      const { leads } = (await limited.get('/api/v4/leads')).body._embedded
      expect(leads.map(({ name }: { name: string }) => name)).toEqual([`Second of ${account}`])
      expect((await limited.post('/api/v4/leads', [{}])).status).toBe(403)
      expect((await limited.get('/api/v4/contacts')).status).toBe(403)
      const { api } = await signIn(kontor, { email: `admin@${account}.example`, password })
      expect((await api.get('/web/v1/integrations')).status).toBe(200)
    },
  )
})

/** A lead of before is changed, deleted and restored beside a new contact. */
async function worksOn(api: Client): Promise<void> {
  const [lead] = (await api.get('/api/v4/leads')).body._embedded.leads
  const [contact] = (await api.post('/api/v4/contacts', [{ name: 'New' }])).body._embedded.contacts
  const made = await api.post('/api/v4/leads', [
    { name: 'New', _embedded: { contacts: [{ id: contact.id }] } },
  ])
  expect(made.status).toBe(200)
  expect(
    (await api.patch(`/api/v4/leads/${lead.id}`, { tags_to_add: [{ name: 'new' }] })).status,
  ).toBe(200)
  expect((await api.delete(`/api/v4/leads/${lead.id}`)).status).toBe(204)
  expect((await api.post(`/api/v4/leads/${lead.id}/restore`)).body.name).toBe(lead.name)
  const events = await eventsOfLeads(api)
  expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
    'lead_restored',
    'lead_deleted',
    'entity_tag_added',
  ])
}

// From the first schema: contacts and companies came later.
describe('0001: leads without people', () => {
  test.for(accounts)('account %i: no lead has a contact or a company', async (account) => {
    const { api } = adminOf(first, account)
    const { leads } = (await api.get('/api/v4/leads?with=contacts')).body._embedded
    const old = leads.filter(({ name }: { name: string }) => name !== 'New')
    expect(old).toHaveLength(2)
    for (const { _embedded } of old)
      expect(_embedded).toMatchObject({ companies: [], contacts: [] })
  })
})

// From the second schema: what was there is found by text search, has the fields that a new account
// begins with, and takes part in what is new, custom fields, links and notes.
describe('0002: people without custom fields', () => {
  test.for(oldKinds)(
    '%s, those in the bin too, have the texts that this version would write',
    async (type) => {
      const rows = second.before[type] as (RecordRow & { account_id: number })[]
      const texts = (second.after['record_texts'] as Found[]).filter(
        ({ entity_type }) => entity_type === type,
      )
      const expected = rows.map(({ account_id, ...row }) => {
        const { text, grams } = indexedRow(described[type], noFields, row)
        return { account_id, entity_type: type, entity_id: row.id, text, grams }
      })
      expect(texts.length).toBeGreaterThan(3)
      expect(sorted(texts)).toEqual(sorted(expected))
    },
  )

  test.for(accounts)('account %i: what is written in any letters is found', async (account) => {
    const { api, ids } = adminOf(second, account)
    for (const [name, statement] of hardNames)
      expect([
        statement,
        await find({ api }, 'companies', `query=${encodeURIComponent(statement)}`),
      ]).toEqual([statement, [name]])
    expect(await find({ api }, 'contacts', 'query=%D1%91%D0%BB%D0%BA%D0%B8%D0%BD%D0%B0')).toEqual([
      'Анна Ёлкина',
    ])
    // By itself, and by the contact that it was linked with.
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
    const fresh = await newAccount(second.settings)
    const expected = await definitionsOf(fresh.api)
    expect(expected.contacts.custom_fields.map(({ code }) => code)).toEqual([
      'POSITION',
      'PHONE',
      'EMAIL',
    ])
    const ids = new Set<number>()
    for (const account of accounts) {
      const found = await definitionsOf(adminOf(second, account).api)
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
      const { api, ids } = adminOf(second, account)
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
      const { api, ids } = adminOf(second, account)
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
      const { api, ids } = adminOf(second, account)
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
    const { session, role_token, ids } = second.filled.get(account)!
    const browser = withCookie(second.kontor, `kontor_session=${session}`)
    expect((await browser.get('/web/v1/session')).body).toMatchObject({ account: { id: account } })
    const seller = client(second.kontor, role_token)
    expect((await seller.get('/api/v4/companies?limit=1')).status).toBe(200)
    expect((await seller.delete(`/api/v4/companies/${ids.company}`)).status).toBe(403)
    const { roles } = (await adminOf(second, account).api.get('/api/v4/roles')).body._embedded
    expect(roles).toMatchObject([{ id: ids.role, name: 'Sellers' }])
  })
})

// From the third schema: what it kept beside the records is read as it was written.
describe('0003: the sales core', () => {
  test.for(accounts)(
    'account %i: values are shown, and records are found by them',
    async (account) => {
      const { api, ids, fields } = adminOf(third, account)
      const { custom_fields_values } = await readRecord(api, 'leads', ids.lead)
      expect(custom_fields_values).toMatchObject([
        { field_id: fields.seats, field_name: 'Seats', values: [{ value: '5' }] },
        { field_id: fields.colour, values: [{ value: 'Red', enum_id: account * 10 }] },
        { field_id: fields.slogan, values: [{ value: 'Fresh Bread' }] },
      ])
      const first = [`First of ${account}`]
      const by = (field: number, rest: string) => `filter[custom_fields_values][${field}]${rest}`
      expect(await find({ api }, 'leads', by(fields.seats, '[from]=5'))).toEqual(first)
      expect(await find({ api }, 'leads', by(fields.seats, '[from]=6'))).toEqual([])
      expect(await find({ api }, 'leads', by(fields.colour, `[]=${account * 10}`))).toEqual(first)
      expect(await find({ api }, 'leads', by(fields.slogan, '[]=Fresh%20Bread'))).toEqual(first)
      expect(await find({ api }, 'leads', 'query=fresh')).toEqual(first)
      expect(await find({ api }, 'contacts', 'query=74951234567')).toEqual(['Анна Ёлкина'])
      const seats = { field_id: fields.seats, values: [{ value: 6 }] }
      await api.patch(`/api/v4/leads/${ids.lead}`, { custom_fields_values: [seats] })
      expect(await find({ api }, 'leads', by(fields.seats, '[from]=6'))).toEqual(first)
    },
  )

  test.for(accounts)(
    'account %i: links, and notes with their pins, are as they were',
    async (account) => {
      const { api, ids, note } = adminOf(third, account)
      expect(await linksOf(api, 'leads', ids.lead)).toEqual([
        `contacts ${ids.contact} main`,
        `contacts ${ids.second}`,
        `companies ${ids.company}`,
      ])
      expect(notesIn(await api.get(`/api/v4/leads/${ids.lead}/notes`))).toEqual([note])
      expect(await readNote(api, 'leads', note, 'with=is_pinned')).toMatchObject({
        params: { text: 'Call back' },
        is_pinned: true,
      })
    },
  )

  test.for(accounts)(
    'account %i: loss reasons, sources and descriptions are served',
    async (account) => {
      const { api, ids, reason, source } = adminOf(third, account)
      const one = await readRecord(api, 'leads', ids.lead, 'with=source_id')
      expect(one).toMatchObject({ source_id: source })
      const lost = await readRecord(api, 'leads', ids.lead + 1)
      expect(lost).toMatchObject({ status_id: 143, loss_reason_id: reason })
      const reasons = (await api.get('/api/v4/leads/loss_reasons')).body._embedded.loss_reasons
      expect(reasons).toMatchObject([{ id: reason, name: 'Too dear' }])
      const [pipeline, status] = [account * 100 + 3, account * 100 + 4]
      const path = `/api/v4/leads/pipelines/${pipeline}/statuses/${status}?with=descriptions`
      expect((await api.get(path)).body.descriptions).toMatchObject([
        { level: 'newbie', description: 'Call first' },
      ])
    },
  )

  test.for(accounts)('account %i: events tell the note and the value', async (account) => {
    const { api, fields, note } = adminOf(third, account)
    const { events } = (await api.get('/api/v4/events?limit=100')).body._embedded
    const eventOf = (type: string) =>
      events.findLast((event: { type: string }) => event.type === type)
    expect(eventOf('common_note_added')).toMatchObject({ value_after: [{ note: { id: note } }] })
    expect(eventOf(`custom_field_${fields.seats}_value_changed`)).toMatchObject({
      value_before: [{ custom_field_value: { field_id: fields.seats, text: '4' } }],
      value_after: [{ custom_field_value: { field_id: fields.seats, text: '5' } }],
    })
  })

  test('changes of before were made by no known request; changes from now on are', async () => {
    const { database, before, after } = third
    expect(after['journal']).toEqual(
      before['journal']!.map((row) => ({ ...row, request_id: null, surface: null })),
    )
    const { api, ids } = adminOf(third, accounts[0]!)
    const { headers } = await api.patch(`/api/v4/leads/${ids.lead}`, { name: 'Renamed' })
    const [newest] = await database.list<object>(
      sql`select request_id, surface, before ->> 'name' as before from journal order by id desc limit 1`,
    )
    expect(newest).toEqual({
      request_id: headers.get('x-request-id'),
      surface: 'api',
      before: `First of ${accounts[0]}`,
    })
  })
})

interface JournalRow {
  request_id: string | null
}

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

/** The comparable part: ids of accounts, fields and choices differ between accounts. */
function plainly(definitions: object): unknown {
  const differs = (key: string, value: unknown) =>
    (key === 'id' && typeof value === 'number') || ['account_id', '_links'].includes(key)
  return JSON.parse(
    JSON.stringify(definitions, (key, value: unknown) =>
      differs(key, value) ? undefined : key === 'fields' ? (value as number[]).length : value,
    ),
  )
}

describe('from the fourth schema', () => {
  test('changes keep the request that made them', async () => {
    const requests = fourth.after['journal']!.flatMap((row) => (row as JournalRow).request_id ?? [])
    expect(requests.toSorted()).toEqual(
      accounts.map((account) => fourth.filled.get(account)!.request).toSorted(),
    )
  })

  test('tags of before are renamed and deleted, and no record has a deleted one', async () => {
    const { api } = adminOf(fourth, accounts[0]!)
    const [tag] = (await api.get('/api/v4/leads/tags')).body._embedded.tags
    const tagged = async () =>
      (await api.get('/api/v4/leads')).body._embedded.leads.filter(
        ({ _embedded }: { _embedded: { tags: { id: number }[] } }) =>
          _embedded.tags.some(({ id }) => id === tag.id),
      ).length
    expect(await tagged()).toBeGreaterThan(0)
    expect((await api.patch(`/api/v4/leads/tags/${tag.id}`, { name: 'renamed' })).status).toBe(200)
    expect((await api.delete(`/api/v4/leads/tags/${tag.id}`)).status).toBe(204)
    expect(await tagged()).toBe(0)
  })

  test('accounts of before have both modes of customers, and the first statuses', async () => {
    const path = '/api/v4/customers/statuses'
    const shown = async (api: Client) =>
      (await api.get(path)).body._embedded.statuses.map(
        ({ name, sort, type, color }: Record<string, unknown>) => [name, sort, type, color],
      )
    const { api } = adminOf(fourth, accounts[0]!)
    expect((await api.get('/api/v4/account')).body.customers_mode).toBe('periodicity')
    expect(await shown(api)).toEqual(await shown((await newAccount()).api))
  })

  test('integrations of before have no origins, and take some', async () => {
    const made = await fourth.database.list<{ origins: string[] }>(
      sql`select origins from integrations`,
    )
    expect(made.length).toBeGreaterThan(0)
    expect(made.every(({ origins }) => origins.length === 0)).toBe(true)
  })
})

describe('from the tenth schema', () => {
  test.for(accounts)(
    'account %i: catalogs, elements and their prices are served',
    async (account) => {
      const { api, catalog, element } = adminOf(tenth, account)
      const { catalogs } = (await api.get('/api/v4/catalogs')).body._embedded
      expect(catalogs).toMatchObject([{ id: catalog, name: 'Goods', type: 'products' }])
      const fields = await api.get(`/api/v4/catalogs/${catalog}/custom_fields?order[sort]=asc`)
      expect(fields.body._embedded.custom_fields.map(({ code }: { code: string }) => code)).toEqual(
        ['PRICE', 'GROUP'],
      )
      const found = await api.get(`/api/v4/catalogs/${catalog}/elements?query=lamp`)
      expect(found.body._embedded.elements).toMatchObject([
        { id: element, custom_fields_values: [{ field_code: 'PRICE', values: [{ value: '25' }] }] },
      ])
    },
  )

  test.for(accounts)('account %i: customers of before follow their dates', async (account) => {
    const { api, customers } = adminOf(tenth, account)
    const typeOf = async (id: number): Promise<number> => {
      const { status_id } = await readRecord(api, 'customers', id)
      return (await api.get(`/api/v4/customers/statuses/${status_id}`)).body.type
    }
    // The clock of this version evaluates them in the background.
    await expect.poll(() => typeOf(customers.late), { timeout: 60_000 }).toBe(2)
    expect(await typeOf(customers.later)).toBe(0)
    expect(await typeOf(customers.chosen)).toBe(3)
    await api.post(`/api/v4/customers/${customers.binned}/restore`)
    await expect.poll(() => typeOf(customers.binned), { timeout: 60_000 }).toBe(2)
    expect(await readRecord(api, 'customers', customers.later)).toMatchObject({
      ltv: 0,
      purchases_count: 0,
      average_check: 0,
    })
  })

  test.for(accounts)(
    'account %i: kept answers, browsers and origins are there',
    async (account) => {
      for (const table of ['idempotency_keys', 'known_browsers'])
        expect(tenth.after[table]!.filter((row) => ofAccount(row, account))).toHaveLength(1)
      const [integration] = tenth.after['integrations']!.filter((row) => ofAccount(row, account))
      expect(integration).toMatchObject({ origins: ['https://shop.example'] })
    },
  )
})

const ofAccount = (row: object, account: number) =>
  (row as { account_id: number }).account_id === account

describe(`only ${schema0016.last}: the event log`, () => {
  test.for(accounts)('account %i: events of before are found by their values', async (account) => {
    const { api, fields } = adminOf(sixteenth, account)
    const seats = `custom_field_${fields.seats}_value_changed`
    const colour = `custom_field_${fields.colour}_value_changed`
    const red = account * 10
    const found = async (type: string, filter: string) => {
      const answer = await api.get(`/api/v4/events?filter[type]=${type}&filter${filter}`)
      return answer.body._embedded.events.map((event: { type: string }) => event.type)
    }
    for (const [type, before, after] of [
      [
        'lead_status_changed',
        '[leads_statuses][0][pipeline_id]=7&filter[value_before][leads_statuses][0][status_id]=1',
        '[leads_statuses][0][pipeline_id]=7&filter[value_after][leads_statuses][0][status_id]=2',
      ],
      ['entity_responsible_changed', '[responsible_user_id]=1', '[responsible_user_id]=2'],
      ['sale_field_changed', '[value]=1', '[value]=2'],
      ['name_field_changed', `[value]=${encodeURIComponent(longName)}`, '[value]=Short'],
      ['custom_field_value_changed', '[value]=5', '[value]=6'],
      [seats, '[value]=5', '[value]=6'],
      // Of the last month, and of last year, which has no partition.
      [colour, `[custom_field_values]=${red + 1}`, `[custom_field_values]=${red}`],
      [seats, '[value]=3', '[value]=4'],
      ['custom_field_value_changed', '[value]=3', '[value]=4'],
    ] as const) {
      expect(await found(type, `[value_before]${before}`)).toEqual([type])
      expect(await found(type, `[value_after]${after}`)).toEqual([type])
    }
    expect(await found(seats, '[entity]=lead')).toEqual([seats, seats, seats])
    const paths = await sixteenth.database.list<{ part: string }>(sql`
      select tableoid::regclass::text as part from event_keys
       where account_id = ${account} group by tableoid`)
    expect(paths.length).toBe(3)
    expect(paths).toContainEqual({ part: 'event_keys_rest' })
  })
})

describe(`only ${schema0016.last}: tasks`, () => {
  test.for(accounts)(
    'account %i: tasks of before are found by the status of their lead',
    async (account) => {
      const { api, ids } = adminOf(sixteenth, account)
      const lead = (await api.get(`/api/v4/leads/${ids.lead}`)).body
      const { body } = await api.get(
        `/api/v4/tasks?filter[lead_statuses][0][pipeline_id]=${lead.pipeline_id}&filter[lead_statuses][0][status_id]=${lead.status_id}`,
      )
      expect(body._embedded.tasks).toMatchObject([{ entity_id: ids.lead, is_completed: true }])
    },
  )
})

// From the twenty-second schema: webhooks go on as they were, and can be signed from now on.
describe('0022: webhooks', () => {
  /** Programs may not see what people are shown of webhooks. */
  const personOf = async (account: number) =>
    (await signIn(twentySecond.kontor, { email: `admin@${account}.example`, password })).api

  test.for(accounts)(
    'account %i: webhooks, their log and notifications are served',
    async (account) => {
      const { webhooks, delivery, body, unbuilt } = twentySecond.filled.get(account)!
      const api = await personOf(account)
      const listed = (await api.get('/web/v1/webhooks')).body._embedded.webhooks
      expect(listed).toMatchObject([
        { id: webhooks.active, disabled: false, format: 'form', signature: null },
        {
          id: webhooks.disabled,
          disabled: true,
          disabled_by: null,
          format: 'json',
          signature: null,
        },
      ])
      expect(listed[0].health).toMatchObject({ latest_answer: null })
      const its = `/web/v1/webhooks/${webhooks.active}`
      expect((await api.get(`${its}/deliveries/${delivery}`)).body).toMatchObject({
        state: 'failed',
        is_replayed: true,
        body,
        attempts: [
          { status: 404, answer: null },
          { error: 'reset', answer: null },
        ],
      })
      expect((await api.post(`${its}/deliveries/${delivery}/replay`)).body.state).toBe('waiting')
      const aside = (await api.get('/web/v1/webhooks/unbuilt')).body._embedded.unbuilt
      expect(aside).toMatchObject([{ id: unbuilt, entity_type: 'tasks' }])
      const { notifications } = (await api.get('/web/v1/notifications')).body._embedded
      expect(notifications).toMatchObject([{ is_read: true, kind: 'webhook_failing' }])
    },
  )

  test.for(accounts)(
    'account %i: integrations are served, with grants that nobody has used since',
    async (account) => {
      const api = await personOf(account)
      const { integrations } = (await api.get('/web/v1/integrations')).body._embedded
      expect(integrations.length).toBeGreaterThan(0)
      for (const { client_id, grants, is_enabled, ...rights } of integrations) {
        // Integrations of older versions keep the right to manage people.
        expect(rights).toMatchObject({ manages_people: true, may_manage_people: is_enabled })
        const its = `/web/v1/integrations/${client_id}`
        const listed = (await api.get(`${its}/grants`)).body._embedded.grants
        expect(listed).toHaveLength(grants)
        expect((await api.get(`${its}/calls`)).status).toBe(200)
      }
    },
  )

  test.for(accounts)(
    'account %i: they can be signed, and the signatures end with them',
    async (account) => {
      const { webhooks } = twentySecond.filled.get(account)!
      const api = await personOf(account)
      const its = `/web/v1/webhooks/${webhooks.disabled}`
      expect((await api.post(`${its}/secret`)).body.secret).toMatch(/^whsec_/)
      expect((await api.get(its)).body.signature).toMatchObject({ overlap_until: null })
      const { destination } = (await api.get(its)).body
      expect(
        (await adminOf(twentySecond, account).api.delete('/api/v4/webhooks', { destination }))
          .status,
      ).toBe(204)
    },
  )

  test.for(accounts)('account %i: its task types and events are found', async (account) => {
    const { api, ids, taskType } = adminOf(twentySecond, account)
    const { task_types } = (await api.get('/api/v4/account?with=task_types')).body._embedded
    expect(task_types).toContainEqual(expect.objectContaining({ id: taskType, name: 'Visit' }))
    const { events } = (
      await api.get('/api/v4/events?filter[type]=sale_field_changed&filter[value_after][value]=2')
    ).body._embedded
    expect(events).toMatchObject([{ entity_id: ids.lead }])
  })
})

// From the twenty-sixth schema: what waits is decided, and channels that are connected can talk.
describe('0026: unsorted items and channels', () => {
  const personOf = async (account: number) =>
    (await signIn(twentySixth.kontor, { email: `admin@${account}.example`, password })).api

  test.for(accounts)(
    'account %i: the webhook is signed, and the key opens its methods',
    async (account) => {
      const { webhooks, apiKey } = twentySixth.filled.get(account)!
      const api = await personOf(account)
      const { signature } = (await api.get(`/web/v1/webhooks/${webhooks.active}`)).body
      expect(signature.overlap_until).toBeGreaterThan(signature.created_at)
      expect((await api.get('/web/v1/account/api-keys')).body._embedded.api_keys).toMatchObject([
        { id: apiKey.id, name: 'The old site', last_used_at: expect.any(Number) },
        { id: apiKey.id + 1, name: 'Never used', last_used_at: null },
      ])
      const login = `admin@${account}.example`
      const pair = new URLSearchParams({ login, api_key: apiKey.api_key }).toString()
      const { status, body } = await client(twentySixth.kontor).get(`/api/v2/webhooks?${pair}`)
      expect([status, body._embedded.items.length]).toEqual([200, 2])
    },
  )

  test.for(accounts)(
    'account %i: the item that waits is served and accepted, and the others count',
    async (account) => {
      const { api, item, client_id } = adminOf(twentySixth, account)
      const { uid, lead, contact } = item
      const { body } = await api.get(unsorted)
      expect(body._embedded.unsorted).toMatchObject([
        {
          uid,
          category: 'forms',
          source_uid: 'request-1',
          metadata: { form_name: 'Call back' },
          _embedded: { leads: [{ id: lead }], contacts: [{ id: contact }], companies: [] },
        },
      ])
      const waiting = { forms: { total: 1 }, chats: { total: 0 } }
      const summary = (await api.get(`${unsorted}/summary`)).body
      expect(summary).toMatchObject({ total: 1, accepted: 1, declined: 1, categories: waiting })
      const { client_id: source } = (twentySixth.after['unsorted_items'] as Waiting[]).find(
        (row) => row.uid === uid,
      )!
      expect(source).toBe(client_id)
      expect((await accept(api, { uid })).status).toBe(200)
      expect((await readRecord(api, 'contacts', contact)).name).toBe('Ann')
      expect((await readRecord(api, 'leads', lead)).name).toBe(`Waiting of ${account}`)
      expect((await api.get(`${unsorted}/summary`)).body).toMatchObject({ total: 0, accepted: 2 })
    },
  )

  test.for(accounts)(
    'account %i: a channel that was connected publishes, and a deleted one is gone',
    async (account) => {
      const { channel, deleted } = twentySixth.filled.get(account)!
      const api = await personOf(account)
      expect((await api.get('/web/v1/channels')).body._embedded.channels).toMatchObject([
        { id: channel.id, code: channel.code, name: 'Line', is_avatar_required: false },
      ])
      expect((await api.get(`/web/v1/channels/${deleted.id}`)).status).toBe(404)
      const { connections } = (await api.get('/web/v1/channel-connections')).body._embedded
      const states = new Map(
        connections.map((each: { channel_id: string }) => [each.channel_id, each]),
      )
      expect(states.get(channel.id)).toMatchObject({
        scope_id: channel.scopeId,
        title: 'Our line',
        hook_api_version: 'v2',
        is_time_window_disabled: true,
        is_connected: true,
        last_error: 'It answered 500',
      })
      expect(states.get(deleted.id)).toMatchObject({ is_connected: false, hook_api_version: 'v1' })
      const sender = { id: 'client-1', name: 'Bob' }
      const published = await sendSigned(
        twentySixth,
        channel.secret,
        'POST',
        `${chatPath}/${channel.scopeId}`,
        { event_type: 'new_message', payload: messageOf({ sender }) },
      )
      expect(published.status).toBe(200)
      const { body } = await api.get(`${unsorted}?filter[category][]=chats`)
      expect(body._embedded.unsorted).toMatchObject([
        {
          category: 'chats',
          source_uid: `${channel.code}:${published.body.new_message.conversation_id}`,
        },
      ])
    },
  )
})

// From the twenty-eighth schema: conversations go on where they were, and messages that waited leave.
describe('0028: chats and files', () => {
  const personOf = async (account: number) =>
    (await signIn(twentyEighth.kontor, { email: `admin@${account}.example`, password })).api

  test.for(accounts)(
    'account %i: the inbox shows the chat, and its next message goes to the lead',
    async (account) => {
      const { chat, channel } = twentyEighth.filled.get(account)!
      const api = await personOf(account)
      const inbox = await api.get('/web/v1/chats?filter[is_unread]=true')
      expect(inbox.body._embedded.chats).toMatchObject([
        { id: chat.id, unread: 1, entity_id: chat.lead },
      ])
      const thread = async () =>
        (await api.get(`/web/v1/chats/${chat.id}/messages`)).body._embedded.messages.map(
          ({ text, status }: { text: string; status: string | null }) => [text, status],
        )
      const before = [
        ['The kitchen', null],
        ['The plan', 'error'],
        ['Thank you', null],
      ]
      expect(await thread()).toEqual(before)
      const payload = messageOf({
        conversation_id: chat.conversation,
        sender: { id: chat.client, name: 'Cleo' },
        timestamp: Math.floor(Date.now() / 1000) + 60,
        text: 'When?',
      })
      const path = `${chatPath}/${channel.scopeId}`
      const body = { event_type: 'new_message', payload }
      const answer = await sendSigned(twentyEighth, channel.secret, 'POST', path, body)
      expect(answer.status).toBe(200)
      expect(await thread()).toEqual([...before, ['When?', null]])
      const talk = (await api.get(`/api/v4/talks/${chat.talk}`)).body
      expect(talk).toMatchObject({ entity_id: chat.lead, is_in_work: true })
      expect((await api.get('/web/v1/chat-templates')).body._embedded.templates).toMatchObject([
        { name: 'Hours' },
      ])
    },
  )

  test.for(accounts)(
    'account %i: completed tasks stand in the feed of their lead, as the log or their last change has it',
    async (account) => {
      const { chat, completed } = twentyEighth.filled.get(account)!
      const api = await personOf(account)
      const { items } = (await api.get(`/web/v1/timeline/leads/${chat.lead}?kinds=tasks`)).body
      const seconds = items.map(({ at, task }: { at: number; task: { id: number } }) => [
        task.id,
        Math.floor(at / 1000),
      ])
      const [, [other]] = seconds
      const { updated_at } = (await api.get(`/api/v4/tasks/${other}`)).body
      expect(seconds).toEqual([
        [completed.id, completed.at],
        [other, updated_at],
      ])
    },
  )

  test.for(accounts)(
    'account %i: views are saved, and a job changes its leads',
    async (account) => {
      const api = await personOf(account)
      const draft = { name: 'Mine', screen: 'board', search: '' }
      expect((await api.post('/web/v1/views', draft)).status).toBe(201)
      expect((await api.get('/web/v1/bootstrap')).body.views).toMatchObject([{ name: 'Mine' }])
      const action = { tag: { add: ['of a job'] } }
      const [lead] = (await api.get('/api/v4/leads?limit=1')).body._embedded.leads
      const job = await bulk(api, { filter: `filter[id]=${lead.id}`, action })
      expect(job).toMatchObject({ state: 'done', total: 1, done: 1 })
      expect(await undo(api, job)).toMatchObject({ state: 'done', total: 1, done: 1 })
    },
  )

  test.for(accounts)(
    'account %i: a contact of before is merged with its chats, and comes back',
    async (account) => {
      const api = await personOf(account)
      const { contact } = twentyEighth.filled.get(account)!.ids
      const into = await addRecord(api, 'contacts', { name: 'Survivor' })
      const [links, talks] = [await linksOf(api, 'contacts', contact), await talksOf(api, contact)]
      expect([links.length, talks.length]).not.toContain(0)
      const id = await merged(api, 'contacts', into, contact)
      expect([await linksOf(api, 'contacts', into), await talksOf(api, into)]).toEqual([
        links,
        talks,
      ])
      expect((await undoMerge(api, id)).status).toBe(200)
      expect([await linksOf(api, 'contacts', contact), await talksOf(api, contact)]).toEqual([
        links,
        talks,
      ])
    },
  )

  test('callbacks that waited end in their order', async () => {
    const queues = twentyEighth.after['chat_queues'] as { callback_id: number; attempts: number }[]
    const attemptsById = new Map(queues.map(({ callback_id, attempts }) => [callback_id, attempts]))
    expect(attemptsById).toEqual(new Map(accounts.map((account) => [account * 10 + 1, 1])))
    const callbacks = startCallbacks(twentyEighth.kontor, pino({ level: 'silent' }))
    onTestFinished(() => callbacks.stop())
    for (const account of accounts) {
      const { waiting } = twentyEighth.filled.get(account)!
      const api = await personOf(account)
      const states = async () =>
        (await api.get(`/web/v1/chats/${waiting.id}/messages`)).body._embedded.messages.map(
          ({ id, status, error }: Outgoing) => [id, status, error],
        )
      const error = 'The channel has no address for callbacks of version v2'
      const ended = waiting.messages.map((id) => [id, 'error', error])
      await expect.poll(states, byWord).toEqual(ended)
    }
  })
})

describe('0028: values that name files and records', () => {
  const numbered = (account: number, index: number) => account * 10 + index
  const upgraded = upgradedFrom<FilledWithChats & { uid: string }>({
    ...schema0028,
    async fill(database, account) {
      const filled = await schema0028.fill(database, account)
      const { lead, contact } = filled.ids
      const [field, file, owner] = [7, 8, 9].map((index) => 900_000 + numbered(account, index))
      const uid = crypto.randomUUID()
      const value = { file_name: 'Plan.pdf', version_uuid: uid, file_uuid: uid.toUpperCase() }
      const named = {
        name: 'Of before',
        entity_id: contact,
        catalog_id: null,
        entity_type: 'contacts',
      }
      await database.transaction(async (tx) => {
        await tx.list(sql`
          insert into files (account_id, id, uid, name, type, size, state, due_at, created_by, created_at, stored_at)
          values (${account}, ${file}, ${uid}, 'Plan.pdf', 'application/pdf', 4, 'stored', null, 0, 5, 6)`)
        await tx.list(sql`
          insert into custom_fields (account_id, entity_type, id, name, type, sort)
          values (${account}, 'leads', ${field}, 'Plan', 'file', 900), (${account}, ${`catalogs:${owner}`}, ${owner}, 'Owner', 'linked_entity', 1)`)
        await tx.list(sql`
          update leads set custom_fields_values = coalesce(custom_fields_values, '{}') || ${JSON.stringify({ [field!]: [value] })}::jsonb
           where account_id = ${account} and id = ${lead}`)
        await tx.list(sql`
          insert into catalogs (account_id, id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple,
                                created_by, updated_by, created_at, updated_at)
          values (${account}, ${owner}, 'Devices', 'regular', 90, true, true, true, 0, 0, 5, 5)`)
        await tx.list(sql`
          insert into catalog_elements (account_id, id, catalog_id, name, created_by, updated_by, created_at, updated_at, custom_fields_values)
          values (${account}, ${owner}, ${owner}, 'Device', 0, 0, 5, 5, ${JSON.stringify({ [owner!]: [named] })}::jsonb)`)
      })
      return { ...filled, uid }
    },
  })

  test.for(accounts)(
    'account %i: a file that a lead names is kept until it does no more',
    async (account) => {
      const { api, ids, uid } = adminOf(upgraded, account)
      const field = 900_000 + numbered(account, 7)
      const textsOf = () =>
        upgraded.database.list<{ entity_id: number; value: string }>(sql`
        select entity_id, value from field_texts where account_id = ${account} and field_id = ${field}`)
      expect(await textsOf()).toEqual([{ entity_id: ids.lead, value: uid }])
      const times = () =>
        upgraded.database.list<{ attached_at: number; released_at: number | null }>(sql`
        select attached_at, released_at from files where account_id = ${account} and uid = ${uid}`)
      expect(await times()).toEqual([{ attached_at: 6, released_at: null }])
      await api.patch(`/api/v4/leads/${ids.lead}`, {
        custom_fields_values: [{ field_id: field, values: null }],
      })
      expect(await textsOf()).toEqual([])
      expect(await times()).toEqual([{ attached_at: 6, released_at: expect.any(Number) }])
    },
  )

  test.for(accounts)(
    'account %i: an element that names a contact follows its merge',
    async (account) => {
      const { ids } = upgraded.filled.get(account)!
      const who = { email: `admin@${account}.example`, password }
      const { api } = await signIn(upgraded.kontor, who)
      const owner = 900_000 + numbered(account, 9)
      const named = async () => {
        const { body } = await api.get(`/api/v4/catalogs/${owner}/elements/${owner}`)
        return body.custom_fields_values[0].values[0].value.entity_id as number
      }
      const into = await addRecord(api, 'contacts', { name: 'Survivor' })
      const id = await merged(api, 'contacts', into, ids.contact)
      expect(await named()).toBe(into)
      expect((await undoMerge(api, id)).status).toBe(200)
      expect(await named()).toBe(ids.contact)
    },
  )
})

describe('from a schema in which days were stored in the zone of the account', () => {
  const zone = 'Europe/Moscow'
  const [began, day] = [1_634_590_800, '2021-10-19']
  const upgraded = upgradedFrom<FilledWithFields>({
    ...schema0003,
    async fill(database, account) {
      const filled = await schema0003.fill(database, account)
      await database.transaction(async (tx) => {
        const { id } = (await tx.row<{ id: number }>(sql`
          insert into custom_fields (account_id, entity_type, name, type, sort)
          values (${account}, 'leads', 'Day', 'date', 900) returning id`))!
        await tx.list(sql`update accounts set timezone = ${zone} where id = ${account}`)
        await tx.list(sql`
          update leads set custom_fields_values = jsonb_set(custom_fields_values, array[${String(id)}], '[${raw(String(began))}]')
           where account_id = ${account} and custom_fields_values is not null`)
        await tx.list(sql`
          insert into field_numbers (account_id, field_id, entity_type, value, entity_id)
          select account_id, ${id}, 'leads', ${began}, id from leads
           where account_id = ${account} and custom_fields_values is not null`)
      })
      return filled
    },
  })

  test.for(accounts)(
    'account %i shows and finds the same day, also in another zone',
    async (account) => {
      const { api } = adminOf(upgraded, account)
      const { kontor } = upgraded
      const { subdomain } = (await api.get('/api/v4/account')).body
      const shown = async () => {
        const { leads } = (await api.get('/api/v4/leads?order[id]=asc')).body._embedded
        const field = leads[0].custom_fields_values.find(
          ({ field_name }: { field_name: string }) => field_name === 'Day',
        )
        const query = `filter[custom_fields_values][${field.field_id}][]=${day}`
        const found = (await api.get(`/api/v4/leads?${query}`)).body._embedded.leads
        return [field.values[0].value, found.length]
      }
      expect(await shown()).toEqual([began, 1])
      await kontor.database.transaction((tx) =>
        setAccount(tx, kontor.now(), subdomain, { timezone: 'America/New_York' }),
      )
      expect(await shown()).toEqual([Date.parse('2021-10-19T04:00:00Z') / 1000, 1])
    },
  )
})

const talksOf = async (api: Client, contact: number): Promise<number[]> =>
  (await api.get(`/api/v4/talks?filter[contact_id]=${contact}`)).body._embedded.talks.map(
    ({ talk_id }: { talk_id: number }) => talk_id,
  )

interface Outgoing {
  id: number
  status: string
  error: string | null
}

const byWord = { timeout: 8000, interval: 50 }

interface Waiting {
  uid: string
  client_id: string | null
}

describe('0052: numbers of phones', () => {
  const two = '8 999 123 45 67, 8 999 765 43 21'
  const extended = '+7 (999) 111-22-33 доб. 12'
  const former = ['8999123456789997654321', '7999111223312', 'gone']
  const upgraded = upgradedFrom<FilledWithChats>({
    ...schema0028,
    async fill(database, account) {
      const filled = await schema0028.fill(database, account)
      const { fields, ids } = filled
      const values = { [fields.phone]: [two, extended].map((text) => [text, fields.work]) }
      const ofContact = sql`account_id = ${account} and entity_type = 'contacts' and entity_id = ${ids.contact}`
      const lines = [two, ...former.slice(0, 1), extended, ...former.slice(1, 2)]
      const text = ['ann', ...lines.map((line) => `${markOf(fields.phone)}${line}`)].join('\n')
      await database.transaction(async (tx) => {
        await tx.list(sql`
          update contacts set custom_fields_values = ${JSON.stringify(values)}::jsonb
           where account_id = ${account} and id = ${ids.contact}`)
        await tx.list(
          sql`delete from field_texts where ${ofContact} and field_id = ${fields.phone}`,
        )
        await tx.list(sql`
          insert into field_texts (account_id, field_id, entity_type, value, entity_id)
          select ${account}::bigint, ${fields.phone}::bigint, 'contacts', value, ${ids.contact}::bigint from unnest(${former}::text[]) value`)
        await tx.list(sql`
          update record_texts set text = ${text}, grams = ${gramForm(text)} where ${ofContact}`)
      })
      return filled
    },
  })
  const numbers = ['79991112233', '89991234567', '89997654321']
  const indexed = (account: number) => {
    const { fields, ids } = upgraded.filled.get(account)!
    return upgraded.database
      .list<{ value: string }>(sql`
        select value from field_texts
         where account_id = ${account} and entity_type = 'contacts' and field_id = ${fields.phone} and entity_id = ${ids.contact}
         order by value`)
      .then((rows) => rows.map(({ value }) => value))
  }

  test.for(accounts)('account %i: each number of a stored phone is found', async (account) => {
    const { api, ids, fields } = adminOf(upgraded, account)
    const waiting = () =>
      upgraded.database.list(sql`select from phones_to_index where account_id = ${account}`)
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
    expect(await indexed(account)).toEqual(numbers)
    const found = async (query: string) =>
      ((await api.get(`/api/v4/contacts?${query}`)).body?._embedded?.contacts ?? []).map(
        ({ id }: { id: number }) => id,
      )
    for (const number of numbers) {
      expect(await found(`filter[custom_fields_values][${fields.phone}]=${number}`)).toEqual([
        ids.contact,
      ])
      expect(await found(`query=${number}`)).toEqual([ids.contact])
    }
    // The end of one number and the beginning of the next are no number.
    expect(await found('query=456789997')).toEqual([])
    const { custom_fields_values } = await readRecord(api, 'contacts', ids.contact)
    expect(custom_fields_values[0].values.map(({ value }: { value: string }) => value)).toEqual([
      two,
      extended,
    ])
  })

  test('work that was stopped goes on where it was', async () => {
    const { database } = upgraded
    const [account] = accounts as [number, number]
    const { fields } = upgraded.filled.get(account)!
    const orphans = sql`account_id = ${account} and field_id = ${fields.phone} and entity_type = 'contacts' and value like 'orphan%'`
    await database.transaction(async (tx) => {
      await tx.list(sql`
        insert into field_texts (account_id, field_id, entity_type, value, entity_id)
        select ${account}::bigint, ${fields.phone}::bigint, 'contacts', 'orphan' || number, number from generate_series(1000000, 1002499) number`)
      await tx.list(sql`
        insert into phones_to_index (account_id, entity_type, field_id) values (${account}, 'contacts', ${fields.phone})`)
    })
    const left = async () =>
      (await database.list(sql`select from field_texts where ${orphans}`)).length
    let count = 0
    // It is asked once while older transactions are waited for, and before each thousand rows.
    expect(await indexPhones(database, () => ++count > 2)).toBe(false)
    expect(await left()).toBeGreaterThan(500)
    expect(await left()).toBeLessThan(2500)
    const [state] = await database.list<{ done_value: string }>(
      sql`select done_value from phones_to_index`,
    )
    expect(state!.done_value).toMatch(/^orphan/)
    expect(await indexPhones(database)).toBe(true)
    expect(await left()).toBe(0)
    expect(await indexed(account)).toEqual(numbers)
  })
})
