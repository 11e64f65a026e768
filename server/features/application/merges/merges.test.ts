// Merging two records and taking it back: what moves, what is told, who may.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { openDelivering } from '../../../../test/delivering.ts'
import { addField, deleteField, firstFields, valueOf as valuesOf } from '../../../../test/fields.ts'
import { addChat, addMessages, newInbox } from '../../../../test/inbox.ts'
import { addGroup, listen } from '../../../../test/leads.ts'
import {
  addCatalog,
  addElements,
  keptLinks,
  link,
  linksOf,
  to,
  toElement,
  unlink,
} from '../../../../test/links.ts'
import {
  addNamingCatalogs,
  duplicatesOf,
  merge,
  merged,
  merges,
  rowsAround,
  undoMerge,
} from '../../../../test/merges.ts'
import type { MergedKind } from '../../../../test/merges.ts'
import { addNote, addNotes, notesIn, text } from '../../../../test/notes.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  idsIn,
  pathOf,
  readRecord,
  tagNames,
} from '../../../../test/records.ts'
import type { Receiver } from '../../../../test/receiver.ts'
import { streamOf } from '../../../../test/stream.ts'
import { singular } from '../../../entity-types.ts'
import { dropOldMerges } from './merges.ts'
import { purgeOldest } from '../../../records/purge.ts'
import type { Field } from '../../../records/fields/definitions.ts'

const kinds = ['contacts', 'companies'] as const
const day = 86_400

interface Ground {
  account: TestAccount
  phone: Field
  email: Field
}

async function newGround(kind: MergedKind): Promise<Ground> {
  const account = await newAccount()
  const fields = await firstFields(account, kind)
  const of = (code: string) => fields.find((field) => field.code === code)!
  return { account, phone: of('PHONE'), email: of('EMAIL') }
}

const addTask = async ({ api }: TestAccount, entity_type: string, entity_id: number, more = {}) =>
  (
    await api.post('/api/v4/tasks', [
      { text: 'Call', complete_till: 2_000_000_000, entity_type, entity_id, ...more },
    ])
  ).body._embedded.tasks[0].id as number

const several = (field: Field, ...texts: string[]) => ({
  field_id: field.id,
  values: texts.map((value) => ({ value, enum_code: 'WORK' })),
})

const valueOf = (field: Field, ...values: unknown[]) =>
  valuesOf(field, ...values.map((value) => ({ value })))

const valuesIn = (
  record: { custom_fields_values: { field_id: number; values: { value: unknown }[] }[] | null },
  { id }: Field,
) =>
  record.custom_fields_values
    ?.find(({ field_id }) => field_id === id)
    ?.values.map(({ value }) => value)

describe.for(kinds)('duplicates of %s', (kind) => {
  let ground: Ground
  beforeAll(async () => {
    ground = await newGround(kind)
  })

  test('phones are compared by their last ten digits and e-mails without case; those that share the most come first', async () => {
    const { account, phone, email } = ground
    const { api } = account
    const [id, both, byPhone, byMail] = await addRecords(api, kind, [
      {
        name: 'Ann',
        custom_fields_values: [
          several(phone, '+7 (900) 111-22-33', '12'),
          several(email, 'Ann@Example.com'),
        ],
      },
      {
        name: 'Both',
        custom_fields_values: [several(phone, '89001112233'), several(email, 'ANN@example.COM')],
      },
      { name: 'Phone', custom_fields_values: [several(phone, '9001112233')] },
      { name: 'Mail', custom_fields_values: [several(email, 'ann@example.com')] },
      {
        name: 'Other',
        custom_fields_values: [
          several(phone, '+7 900 111 22 34', '12'),
          several(email, 'ann@example.co'),
        ],
      },
    ])
    const shared = {
      phone: { field_code: 'PHONE', value: '+7 (900) 111-22-33' },
      mail: { field_code: 'EMAIL', value: 'Ann@Example.com' },
    }
    expect(await duplicatesOf(api, kind, id!)).toEqual({
      duplicates: [
        { id: both, name: 'Both', shared: [shared.phone, shared.mail] },
        { id: byPhone, name: 'Phone', shared: [shared.phone] },
        { id: byMail, name: 'Mail', shared: [shared.mail] },
      ],
      is_more: false,
    })
    await api.delete(`${pathOf(kind)}/${both}`)
    expect((await duplicatesOf(api, kind, byPhone!)).duplicates).toEqual([
      { id, name: 'Ann', shared: [{ field_code: 'PHONE', value: '9001112233' }] },
    ])
  })

  test('a phone of two numbers shares each, and a merge keeps extensions and numbers that are no doubles', async () => {
    const { account, phone } = ground
    const { api } = account
    const two = '8 912 123 45 67, 8 912 765 43 21'
    const values = [
      [two],
      ['+7 (912) 765-43-21', '+7 (912) 765-43-21 ext. 5', '8 912 000 00 00, 8 912 123 45 67'],
    ]
    const [into, from] = await addRecords(
      api,
      kind,
      values.map((each) => ({ custom_fields_values: [several(phone, ...each)] })),
    )
    const { duplicates } = await duplicatesOf(api, kind, into!)
    expect(duplicates).toMatchObject([
      {
        id: from,
        shared: [
          { field_code: 'PHONE', value: two },
          { field_code: 'PHONE', value: two },
        ],
      },
    ])
    expect((await merge(api, kind, into!, from!)).status).toBe(201)
    const after = await readRecord(api, kind, into!)
    expect(valuesIn(after, phone)).toEqual([two, ...values[1]!.slice(1)])
  })

  test('only records that the caller may view are shown, of this account and this type, twenty at most', async () => {
    const { account, phone } = ground
    const user = await addUserWith(account, kind, { view: 'M' })
    const value = { custom_fields_values: [several(phone, '+1 202 555 0143')] }
    const own = { ...value, responsible_user_id: user.id }
    const [first, second] = await addRecords(account.api, kind, [own, own, value])
    const alien = await newGround(kind)
    await addRecord(alien.account.api, kind, {
      custom_fields_values: [several(alien.phone, '+1 202 555 0143')],
    })
    const seen = async () => {
      const { duplicates } = await duplicatesOf(user.api, kind, first!)
      return duplicates.map(({ id }: { id: number }) => id)
    }
    expect(await seen()).toEqual([second])
    const path = `/web/v1/duplicates/${kind}`
    expect((await user.api.get(`${path}/${second! + 1}`)).status).toBe(403)
    expect((await alien.account.api.get(`${path}/${first}`)).status).toBe(404)
    await addRecords(
      account.api,
      kind,
      Array.from({ length: 20 }, () => value),
    )
    const { duplicates, is_more } = await duplicatesOf(account.api, kind, first!)
    expect([duplicates.length, is_more]).toEqual([20, true])
  })

  test('duplicates of several are counted: once each, of this account, those that the caller may view', async () => {
    const { account, phone, email } = ground
    const user = await addUserWith(account, kind, { view: 'M' })
    const [one, other] = ['+1 415 555 0101', '+1 415 555 0102']
    const mail = several(email, 'two@example.com')
    const mine = { responsible_user_id: user.id }
    const [both, first, second, alone] = await addRecords(account.api, kind, [
      { custom_fields_values: [several(phone, one, other), mail], ...mine },
      { custom_fields_values: [several(phone, one, '4155550101'), mail] },
      { custom_fields_values: [several(phone, other)], ...mine },
      { custom_fields_values: [several(phone, '+1 415 555 0199')], ...mine },
    ])
    const alien = await newGround(kind)
    await addRecord(alien.account.api, kind, { custom_fields_values: [several(alien.phone, one)] })
    const ids = [both, first, second, alone]
    const path = `/web/v1/duplicates/${kind}?ids=${ids.join(',')}`
    const counted = async (api: TestAccount['api']) => {
      const { body } = await api.get(path)
      const records = body.records as { id: number; count: number; is_more: boolean }[]
      expect(records.every(({ is_more }) => !is_more)).toBe(true)
      return Object.fromEntries(records.map(({ id, count }) => [id, count]))
    }
    expect(await counted(account.api)).toEqual({ [both!]: 2, [first!]: 1, [second!]: 1 })
    expect(await counted(user.api)).toEqual({ [both!]: 1, [second!]: 1 })
    expect(await counted(alien.account.api)).toEqual({})
    await account.api.delete(`${pathOf(kind)}/${second}`)
    expect(await counted(account.api)).toEqual({ [both!]: 1, [first!]: 1 })
    await addRecords(
      account.api,
      kind,
      Array.from({ length: 25 }, () => ({ custom_fields_values: [mail] })),
    )
    const { body } = await account.api.get(path)
    expect(body.records).toContainEqual({ id: both, count: 20, is_more: true })
  })

  test('a record without phones and e-mails has none', async () => {
    const { account, phone } = ground
    const ids = await addRecords(account.api, kind, [
      {},
      {},
      { custom_fields_values: [several(phone, '00')] },
      { custom_fields_values: [several(phone, '00')] },
    ])
    for (const id of ids)
      expect(await duplicatesOf(account.api, kind, id)).toEqual({ duplicates: [], is_more: false })
  })
})

describe.for(kinds)('the values of merged %s', (kind) => {
  test('the survivor’s win and its empty ones are filled; phones, e-mails and tags are those of both', async () => {
    const { account, phone, email } = await newGround(kind)
    const { api } = account
    const [own, empty] = [
      await addField(account, kind, { type: 'text' }),
      await addField(account, kind, { type: 'text' }),
    ]
    const other = await account.addUser({ group_id: await addGroup(account) })
    const [into, from] = await addRecords(api, kind, [
      {
        name: 'Into',
        _embedded: { tags: [{ name: 'a' }, { name: 'b' }] },
        custom_fields_values: [
          several(phone, '+1 202 555 0101'),
          several(email, 'a@b.c'),
          valueOf(own, 'mine'),
        ],
      },
      {
        name: 'From',
        responsible_user_id: other.id,
        _embedded: { tags: [{ name: 'b' }, { name: 'c' }] },
        custom_fields_values: [
          several(phone, '1 (202) 555-0101', '+1 202 555 0102'),
          several(email, 'A@B.C', 'd@e.f'),
          valueOf(own, 'theirs'),
          valueOf(empty, 'filled'),
        ],
      },
    ])
    await merged(api, kind, into!, from!)
    const after = await readRecord(api, kind, into!)
    expect(after).toMatchObject({ name: 'Into', responsible_user_id: account.admin.id })
    expect(tagNames(after)).toEqual(['a', 'b', 'c'])
    expect([phone, email, own, empty].map((field) => valuesIn(after, field))).toEqual([
      ['+1 202 555 0101', '+1 202 555 0102'],
      ['a@b.c', 'd@e.f'],
      ['mine'],
      ['filled'],
    ])
    expect((await api.get(`${pathOf(kind)}/${from}`)).status).toBe(404)
    expect(idsIn(await api.get(`${pathOf(kind)}?with=only_deleted`), kind)).toEqual([from])
  })

  test('what is picked is taken, also nothing', async () => {
    const { account, phone, email } = await newGround(kind)
    const { api } = account
    const [one, two] = [
      await addField(account, kind, { type: 'numeric' }),
      await addField(account, kind, { type: 'text' }),
    ]
    const many = await addField(account, kind, {
      type: 'multiselect',
      enums: ['North', 'South', 'East'],
    })
    const group_id = await addGroup(account)
    const other = await account.addUser({ group_id })
    const named = kind === 'contacts' ? { first_name: 'F', last_name: 'G' } : {}
    const [into, from] = await addRecords(api, kind, [
      {
        name: 'Into',
        custom_fields_values: [
          several(phone, '1'),
          several(email, 'a@b.c'),
          valueOf(one, 1),
          valueOf(many, 'North', 'South'),
        ],
      },
      {
        name: 'From',
        ...named,
        responsible_user_id: other.id,
        custom_fields_values: [
          several(phone, '2'),
          several(email, 'd@e.f'),
          valueOf(one, 2),
          valueOf(two, 'x'),
          valueOf(many, 'South', 'East'),
        ],
      },
    ])
    await merged(api, kind, into!, from!, {
      name: 'from',
      responsible_user_id: 'from',
      fields: {
        [phone.id]: 'from',
        [email.id]: 'into',
        [one.id]: 'from',
        [two.id]: 'into',
        [many.id]: 'both',
      },
    })
    const after = await readRecord(api, kind, into!, 'with=group_id')
    expect(after).toMatchObject({ name: 'From', ...named, responsible_user_id: other.id })
    expect(await groupOf(account, kind, into!)).toBe(group_id)
    expect([phone, email, one, two, many].map((field) => valuesIn(after, field))).toEqual([
      ['2'],
      ['a@b.c'],
      ['2'],
      undefined,
      ['North', 'South', 'East'],
    ])
  })

  test.for([
    [
      'both of one value',
      (id: number) => ({ fields: { [id]: 'both' } }),
      'NotSupportedChoice picks.fields.',
    ],
    [
      'an unknown field',
      () => ({ fields: { 999_999_999: 'into' } }),
      'NotSupportedChoice picks.fields.',
    ],
    ['an unknown side', () => ({ name: 'both' }), 'NotSupportedChoice picks.name'],
  ] as const)('%s cannot be picked, and nothing has happened', async ([, picks, fault]) => {
    const { account } = await newGround(kind)
    const field = await addField(account, kind, { type: 'text' })
    const [into, from] = await addRecords(account.api, kind, [{}, {}])
    const newsSince = await listen(account)
    const { status, body } = await merge(account.api, kind, into!, from!, picks(field.id))
    expect(status).toBe(400)
    const [{ code, path }] = body['validation-errors'][0].errors
    expect(`${code} ${path}`).toContain(fault)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('values that are too many together are refused', async () => {
    const { account, phone } = await newGround(kind)
    const numbers = (from: number) =>
      several(phone, ...Array.from({ length: 130 }, (_, index) => `+1202555${from + index}`))
    const [into, from] = await addRecords(account.api, kind, [
      { custom_fields_values: [numbers(1000)] },
      { custom_fields_values: [numbers(2000)] },
    ])
    const { status, body } = await merge(account.api, kind, into!, from!)
    expect([status, body['validation-errors'][0].errors[0].code]).toEqual([400, 'TooMany'])
    expect(
      (await merge(account.api, kind, into!, from!, { fields: { [phone.id]: 'into' } })).status,
    ).toBe(201)
  })
})

async function groupOf({ id, kontor }: TestAccount, kind: MergedKind, record: number) {
  const table = kind === 'contacts' ? sql`contacts` : sql`companies`
  const row = await kontor.database.row<{ group_id: number }>(
    sql`select group_id from ${table} where account_id = ${id} and id = ${record}`,
  )
  return row!.group_id
}

describe('what moves with a contact', () => {
  test('links keep their order and the main contact; a lead that has both keeps one', async () => {
    const { account } = await newGround('contacts')
    const { api } = account
    const [into, from, third] = await addRecords(api, 'contacts', [{}, {}, {}])
    const linked = async (kind: 'leads' | 'customers', ...contacts: number[]) => {
      const id = await addRecord(api, kind)
      for (const contact of contacts) await link(api, kind, id, to('contacts', contact))
      return id
    }
    const alone = await linked('leads', from!)
    const first = await linked('leads', from!, third!)
    const last = await linked('leads', third!, from!)
    const both = await linked('leads', from!, third!, into!)
    const customer = await linked('customers', into!, from!)
    const before = await rowsAround(account)
    const id = await merged(api, 'contacts', into!, from!)
    const shown = async () =>
      Promise.all([alone, first, last, both].map((lead) => linksOf(api, 'leads', lead)))
    expect(await shown()).toEqual([
      [`contacts ${into} main`],
      [`contacts ${into} main`, `contacts ${third}`],
      [`contacts ${into}`, `contacts ${third} main`],
      [`contacts ${into} main`, `contacts ${third}`],
    ])
    expect(await linksOf(api, 'customers', customer)).toEqual([`contacts ${into} main`])
    await keptLinks(account)
    expect((await undoMerge(api, id)).status).toBe(200)
    expect(await rowsAround(account)).toEqual(before)
  })

  test.for([
    [undefined, 'both', 'into'],
    ['into', 'both', 'into'],
    ['from', 'both', 'from'],
    [undefined, 'from', 'from'],
    ['into', 'from', undefined],
    ['from', 'into', 'into'],
    ['from', 'same', 'into'],
  ] as const)(
    'the company picked %s, of contacts of which %s have one, is that of %s',
    async ([company, who, whose]) => {
      const { account } = await newGround('contacts')
      const { api } = account
      const [one, other] = await addRecords(api, 'companies', [{}, {}])
      const [into, from] = await addRecords(api, 'contacts', [{}, {}])
      if (who !== 'from') await link(api, 'contacts', into!, to('companies', one!))
      if (who !== 'into')
        await link(api, 'contacts', from!, to('companies', who === 'same' ? one! : other!))
      const before = await rowsAround(account)
      const id = await merged(api, 'contacts', into!, from!, company && { company })
      const expected = whose === undefined ? [] : [`companies ${whose === 'into' ? one : other}`]
      expect(await linksOf(api, 'contacts', into!)).toEqual(
        who === 'into' && company === 'from' ? [] : expected,
      )
      await keptLinks(account)
      await undoMerge(api, id)
      expect(await rowsAround(account)).toEqual(before)
    },
  )

  test('notes, tasks, chats with their talks and messages, and elements go over, and come back', async () => {
    const { account } = await newGround('contacts')
    const { api, kontor } = account
    const [into, from] = await addRecords(api, 'contacts', [{}, {}])
    const [own] = await addNotes(api, 'contacts', into!, [text('own')])
    const [note, pinned] = await addNotes(api, 'contacts', from!, [text('one'), text('two')])
    await api.post(`/api/v4/contacts/${from}/notes/${pinned}/pin`)
    const [open, done, gone] = [
      await addTask(account, 'contacts', from!),
      await addTask(account, 'contacts', from!),
      await addTask(account, 'contacts', from!),
    ]
    await api.patch(`/api/v4/tasks/${done}`, { is_completed: true, result: { text: 'Done' } })
    await api.delete(`/api/v4/tasks/${gone}`)
    const inbox = await newInbox(account)
    const chat = await addChat(inbox, { contact_id: from! })
    const moved = await addChat(inbox, { contact_id: into! })
    const messages = await addMessages(inbox, chat, [{ at: 1000, text: 'hi' }])
    await kontor.database.transaction((tx) =>
      tx.rows(
        sql`update messages set contact_id = ${from!} where account_id = ${account.id} and id = any(${messages}::bigint[])`,
      ),
    )
    // A talk of before, in a chat that belongs to another contact now.
    await kontor.database.transaction((tx) =>
      tx.rows(sql`insert into talks (account_id, chat_id, contact_id, is_read, closed_at, created_at, updated_at)
                  values (${account.id}, ${moved.id}, ${from!}, true, 5, 1, 5)`),
    )
    const catalog = await addCatalog(api)
    const elements = await addElements(api, catalog, 'One', 'Two')
    await link(
      api,
      'contacts',
      from!,
      toElement(elements[0]!, { quantity: 3 }),
      toElement(elements[1]!, { quantity: 4 }),
    )
    await link(api, 'contacts', into!, toElement(elements[1]!, { quantity: 5 }))
    const before = await rowsAround(account)

    const id = await merged(api, 'contacts', into!, from!)
    expect(notesIn(await api.get(`/api/v4/contacts/${into}/notes`))).toEqual([own, note, pinned])
    const tasks = await api.get(
      `/api/v4/tasks?filter[entity_type]=contacts&filter[entity_id]=${into}`,
    )
    expect(tasks.body._embedded.tasks.map((task: { id: number }) => task.id)).toEqual([open, done])
    expect((await readRecord(api, 'contacts', into!)).closest_task_at).toBe(2_000_000_000)
    const talks = await api.get(`/api/v4/talks?filter[contact_id]=${into}`)
    expect(talks.body._embedded.talks).toHaveLength(3)
    expect(await contactsOfMessages(account)).toEqual([into])
    const shown = await readRecord(api, 'contacts', into!, 'with=catalog_elements')
    expect(
      shown._embedded.catalog_elements.map(
        (each: { id: number; metadata: { quantity: number } }) => [each.id, each.metadata.quantity],
      ),
    ).toEqual([
      [elements[0]!.id, 3],
      [elements[1]!.id, 5],
    ])
    await undoMerge(api, id)
    expect(await rowsAround(account)).toEqual(before)
  })

  test('companies take their leads, customers and people along', async () => {
    const { account } = await newGround('companies')
    const { api } = account
    const [into, from] = await addRecords(api, 'companies', [{}, {}])
    const lead = await addRecord(api, 'leads', { _embedded: { companies: [{ id: from }] } })
    const customer = await addRecord(api, 'customers', { _embedded: { companies: [{ id: from }] } })
    const contact = await addRecord(api, 'contacts', { _embedded: { companies: [{ id: from }] } })
    const before = await rowsAround(account)
    const id = await merged(api, 'companies', into!, from!)
    expect(await linksOf(api, 'companies', into!)).toEqual([
      `contacts ${contact}`,
      `leads ${lead}`,
      `customers ${customer}`,
    ])
    await keptLinks(account)
    await undoMerge(api, id)
    expect(await rowsAround(account)).toEqual(before)
  })
})

async function contactsOfMessages({ id, kontor }: TestAccount) {
  const rows = await kontor.database.rows<{ contact_id: number }>(
    sql`select contact_id from messages where account_id = ${id} order by id`,
  )
  return rows.map(({ contact_id }) => contact_id)
}

describe.for(kinds)('the news of merged %s', (kind) => {
  const noun = singular[kind]

  test('the survivor tells of the merge and of what changed, the other of its deletion, and what is linked of both', async () => {
    const { account, phone } = await newGround(kind)
    const { api } = account
    const [into, from] = await addRecords(api, kind, [
      { name: 'Into', custom_fields_values: [several(phone, '1')] },
      {
        name: 'From',
        custom_fields_values: [several(phone, '2')],
        _embedded: { tags: [{ name: 'new' }] },
      },
    ])
    const lead = await addRecord(api, 'leads')
    await link(api, 'leads', lead, to(kind, from!))
    await addNote(api, kind, from!)
    const task = await addTask(account, kind, from!)
    const user = await account.addUser()
    const newsSince = await listen(account)
    const id = await merged(user.api, kind, into!, from!, { name: 'from' })
    const { journal, events } = await newsSince()
    expect(
      events.map(({ entity_type, entity_id, type }) => [entity_type, entity_id, type]),
    ).toEqual([
      [noun, into, 'name_field_changed'],
      [noun, into, 'entity_merged'],
      [noun, into, 'entity_tag_added'],
      [noun, into, `custom_field_${phone.id}_value_changed`],
      [noun, into, 'lead_linked'],
      [noun, from, `${noun}_deleted`],
      [noun, from, 'lead_unlinked'],
      ['lead', lead, `${noun}_unlinked`],
      ['lead', lead, `${noun}_linked`],
    ])
    expect(events[1]).toMatchObject({ created_by: user.id, value_before: [], value_after: [] })
    expect(
      journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
    ).toEqual([
      [kind, into, ['update', 'update_note']],
      [kind, from, ['delete']],
      ['leads', lead, ['update']],
      ['tasks', task, ['update']],
    ])
    expect(journal[0]!.before).toMatchObject({ name: 'Into' })
    expect(journal[1]).toMatchObject({ before: { is_deleted: false }, after: { is_deleted: true } })
    expect(journal[3]).toMatchObject({ before: { entity_id: from }, after: { entity_id: into } })

    const heard = await listen(account)
    await undoMerge(user.api, id)
    const back = await heard()
    expect(
      back.events.map(({ entity_type, entity_id, type }) => [entity_type, entity_id, type]),
    ).toEqual([
      [noun, from, `${noun}_restored`],
      [noun, from, 'lead_linked'],
      [noun, into, 'name_field_changed'],
      [noun, into, 'entity_tag_deleted'],
      [noun, into, `custom_field_${phone.id}_value_changed`],
      [noun, into, 'lead_unlinked'],
      ['lead', lead, `${noun}_unlinked`],
      ['lead', lead, `${noun}_linked`],
    ])
    expect(
      back.journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
    ).toEqual([
      [kind, from, ['restore']],
      [kind, into, ['update', 'update_note']],
      ['leads', lead, ['update']],
      ['tasks', task, ['update']],
    ])
  })

  test('browsers hear of each record that they may view', async () => {
    const { account } = await newGround(kind)
    const { api } = account
    const user = await addUserWith(account, kind, { view: 'M', edit: 'M', delete: 'M' })
    const blind = await addUserWith(account, kind, { view: 'M' })
    const own = { responsible_user_id: user.id }
    const [into, from] = await addRecords(api, kind, [own, own])
    const lead = await addRecord(api, 'leads', { responsible_user_id: account.admin.id })
    await link(api, 'leads', lead, to(kind, from!))
    const [admin, theirs, nothing] = [
      await streamOf(account, account.admin),
      await streamOf(account, user),
      await streamOf(account, blind),
    ]
    await merged(user.api, kind, into!, from!)
    const ids = (stream: typeof admin) =>
      stream
        .of('change')
        .map(({ data }) => `${String(data['entity_type'])} ${String(data['entity_id'])}`)
    await expect
      .poll(() => ids(admin))
      .toEqual([`${kind} ${into}`, `${kind} ${from}`, `leads ${lead}`])
    await expect.poll(() => ids(theirs)).toEqual([`${kind} ${into}`, `${kind} ${from}`])
    expect(ids(nothing)).toEqual([])
  })
})

describe.for(kinds)('elements that name merged %s', (kind) => {
  /** Two records, and elements that name the one that is merged away. */
  async function named() {
    const { account } = await newGround(kind)
    const [into, from] = await addRecords(account.api, kind, [{ name: 'Into' }, { name: 'From' }])
    const naming = await addNamingCatalogs(account.api)
    const ofFrom = { entity_id: from!, entity_type: kind, name: 'From' }
    const device = await naming.add({ ...ofFrom, catalog_id: null })
    const bill = await naming.add({ ...ofFrom, vat_id: '5' })
    return { account, into: into!, from: from!, naming, ofFrom, device, bill }
  }

  test('name the survivor, tell of it, and name the other again after an undo', async () => {
    const { account, into, from, naming, ofFrom, device, bill } = await named()
    // No right to elements is asked for, as none is to linked records.
    const user = await addUserWith(account, kind, { view: 'A', edit: 'A', delete: 'A' })
    const before = [await naming.read(device), await naming.read(bill)]
    const newsSince = await listen(account)
    const id = await merged(user.api, kind, into, from)
    expect(await naming.read(device)).toEqual({ ...before[0], entity_id: into, name: 'Into' })
    // The name on an invoice is that of the document.
    expect(await naming.read(bill)).toEqual({ ...ofFrom, entity_id: into, vat_id: '5' })
    const { events, journal } = await newsSince()
    const ofElements = (list: { entity_type: string }[]) =>
      list.filter(({ entity_type }) => entity_type.startsWith('catalog_'))
    expect(ofElements(events)).toMatchObject(
      [device, bill].map((element) => ({
        entity_type: `catalog_${element.catalog}`,
        entity_id: element.id,
        type: `custom_field_${element.field}_value_changed`,
        created_by: user.id,
      })),
    )
    expect(ofElements(journal)).toMatchObject(
      [device, bill].map((element) => ({
        entity_type: 'catalog_elements',
        entity_id: element.id,
        actions: ['update'],
      })),
    )
    const heard = await listen(account)
    expect((await undoMerge(user.api, id)).status).toBe(200)
    expect([await naming.read(device), await naming.read(bill)]).toEqual(before)
    const back = await heard()
    expect([ofElements(back.events).length, ofElements(back.journal).length]).toEqual([2, 2])
  })

  test('keep a value that was changed since', async () => {
    const { account, into, from, naming, ofFrom, device, bill } = await named()
    const id = await merged(account.api, kind, into, from)
    const other = { ...ofFrom, entity_id: into, name: 'Another name' }
    await naming.change(bill, other)
    expect((await undoMerge(account.api, id)).status).toBe(200)
    expect(await naming.read(bill)).toEqual(other)
    expect(await naming.read(device)).toMatchObject({ entity_id: from, name: 'From' })
  })

  test('of another account stay as they are', async () => {
    const { account, into, from, naming, ofFrom, device } = await named()
    const alien = await newAccount()
    const theirs = await addNamingCatalogs(alien.api)
    const [one, other] = [
      await theirs.add({ ...ofFrom, catalog_id: null }),
      await theirs.add({ ...ofFrom, vat_id: '5' }),
    ]
    const before = await rowsAround(alien)
    const id = await merged(account.api, kind, into, from)
    expect(await naming.read(device)).toMatchObject({ entity_id: into })
    expect(await rowsAround(alien)).toEqual(before)
    await undoMerge(account.api, id)
    expect(await rowsAround(alien)).toEqual(before)
    expect([one.id, other.id]).not.toContain(device.id)
  })
})

describe.for(kinds)('undoing merges of %s', (kind) => {
  test('what the survivor got since stays with it, and later changes win', async () => {
    const { account, phone } = await newGround(kind)
    const { api } = account
    const field = await addField(account, kind, { type: 'text' })
    const [into, from] = await addRecords(api, kind, [
      {
        name: 'Into',
        custom_fields_values: [several(phone, '1')],
        _embedded: { tags: [{ name: 'a' }] },
      },
      {
        name: 'From',
        custom_fields_values: [several(phone, '2'), valueOf(field, 'x')],
        _embedded: { tags: [{ name: 'b' }] },
      },
    ])
    const lead = await addRecord(api, 'leads')
    await link(api, 'leads', lead, to(kind, from!))
    const note = await addNote(api, kind, from!)
    const id = await merged(api, kind, into!, from!, { name: 'from' })
    await api.patch(`${pathOf(kind)}/${into}`, {
      tags_to_add: [{ name: 'c' }],
      custom_fields_values: [several(phone, '1', '2', '3'), valueOf(field, 'later')],
    })
    const added = await addNote(api, kind, into!)
    const another = await addRecord(api, 'leads')
    await link(api, 'leads', another, to(kind, into!))
    expect((await undoMerge(api, id)).status).toBe(200)
    const [stays, back] = [await readRecord(api, kind, into!), await readRecord(api, kind, from!)]
    expect([stays.name, tagNames(stays), valuesIn(stays, phone), valuesIn(stays, field)]).toEqual([
      'Into',
      ['a', 'c'],
      ['1', '3'],
      ['later'],
    ])
    expect([back.name, tagNames(back), valuesIn(back, phone), valuesIn(back, field)]).toEqual([
      'From',
      ['b'],
      ['2'],
      ['x'],
    ])
    expect(await linksOf(api, kind, into!)).toEqual([`leads ${another}`])
    expect(await linksOf(api, kind, from!)).toEqual([`leads ${lead}`])
    expect(notesIn(await api.get(`${pathOf(kind)}/${into}/notes`))).toEqual([added])
    expect(notesIn(await api.get(`${pathOf(kind)}/${from}/notes`))).toEqual([note])
  })

  test('what was deleted, unlinked or moved elsewhere since: the record gets its links again, and others stay where they are', async () => {
    const { account } = await newGround(kind)
    const { api } = account
    const [into, from, other] = await addRecords(api, kind, [{}, {}, {}])
    const [gone, unlinked, replaced] = await addRecords(api, 'leads', [{}, {}, {}])
    for (const lead of [gone!, unlinked!, replaced!])
      await link(api, 'leads', lead, to(kind, from!))
    const [note, dropped] = await addNotes(api, kind, from!, [text('x'), text('y')])
    const task = await addTask(account, kind, from!)
    const id = await merged(api, kind, into!, from!)
    await api.delete(`/api/v4/leads/${gone}`)
    const { database } = account.kontor
    await database.transaction((tx) =>
      tx.list(purgeOldest(account.id, 'leads', account.kontor.now() + 1, 500)),
    )
    await unlink(api, 'leads', unlinked!, to(kind, into!))
    await unlink(api, 'leads', replaced!, to(kind, into!))
    await link(api, 'leads', replaced!, to(kind, other!))
    await api.delete(`${pathOf(kind)}/notes/${dropped}`)
    await api.patch(`/api/v4/tasks/${task}`, { entity_id: other, entity_type: kind })
    expect((await undoMerge(api, id)).status).toBe(200)
    // A lead has many contacts, but one company.
    const again =
      kind === 'contacts' ? [`leads ${unlinked}`, `leads ${replaced}`] : [`leads ${unlinked}`]
    expect(await linksOf(api, kind, from!)).toEqual(again)
    expect(await linksOf(api, 'leads', replaced!)).toContain(
      `${kind} ${other}${kind === 'contacts' ? ' main' : ''}`,
    )
    await keptLinks(account)
    expect(notesIn(await api.get(`${pathOf(kind)}/${from}/notes`))).toEqual([note])
    expect((await api.get(`/api/v4/tasks/${task}`)).body.entity_id).toBe(other)
  })

  test('definitions that were deleted since do not come back', async () => {
    const { account } = await newGround(kind)
    const { api } = account
    const field = await addField(account, kind, { type: 'text' })
    const [into, from] = await addRecords(api, kind, [
      { custom_fields_values: [valueOf(field, 'x')], _embedded: { tags: [{ name: 'a' }] } },
      { custom_fields_values: [valueOf(field, 'y')] },
    ])
    const id = await merged(api, kind, into!, from!, { fields: { [field.id]: 'from' } })
    await deleteField(account, kind, field.id)
    expect((await undoMerge(api, id)).status).toBe(200)
    expect((await readRecord(api, kind, into!)).custom_fields_values).toBeNull()
  })

  test('it is refused where the two cannot be taken apart any more', async () => {
    const { account } = await newGround(kind)
    const { api } = account
    const pair = async () => (await addRecords(api, kind, [{}, {}])) as [number, number]
    const codeOf = async (id: number) => {
      const { status, body } = await undoMerge(api, id)
      return [status, body.code]
    }
    const [a, b] = await pair()
    const first = await merged(api, kind, a, b)
    const third = await addRecord(api, kind)
    const second = await merged(api, kind, a, third)
    expect(await codeOf(first)).toEqual([409, 'LaterMerge'])
    expect((await undoMerge(api, second)).status).toBe(200)
    expect((await undoMerge(api, first)).status).toBe(200)
    expect(await codeOf(first)).toEqual([409, 'AlreadyUndone'])

    const [c, d] = await pair()
    const into = await merged(api, kind, c, d)
    await merged(api, kind, a, c)
    expect(await codeOf(into)).toEqual([409, 'SurvivorGone'])

    const [e, f] = await pair()
    const restored = await merged(api, kind, e, f)
    await api.post(`${pathOf(kind)}/${f}/restore`)
    expect(await codeOf(restored)).toEqual([409, 'RecordGone'])

    const [g, h] = await pair()
    const late = await merged(api, kind, g, h)
    account.clock.ahead += day + 1
    expect(await codeOf(late)).toEqual([409, 'Expired'])
    expect((await undoMerge(api, 999_999_999)).status).toBe(404)
  })

  test('the list shows those that can be undone, from either record', async () => {
    const { account } = await newGround(kind)
    const { api } = account
    const [into, from] = await addRecords(api, kind, [{ name: 'Into' }, { name: 'From' }])
    const listed = async (id: number, by = api) =>
      (await by.get(`${merges}?entity_type=${kind}&entity_id=${id}`)).body.merges
    const { body } = await merge(api, kind, into!, from!)
    const shown = {
      ...body,
      into_name: 'Into',
      from_name: 'From',
      created_by: account.admin.id,
      created_at: body.undo_until - day,
    }
    expect(await listed(into!)).toEqual([shown])
    expect(await listed(from!)).toEqual([shown])
    const reader = await addUserWith(account, kind, { view: 'A', edit: 'A' })
    expect(await listed(into!, reader.api)).toEqual([])
    expect((await undoMerge(reader.api, body.id)).status).toBe(403)
    account.clock.ahead += day + 1
    expect(await listed(into!)).toEqual([])
  })

  test('a record that can be taken back outlives the shortest bin, and what merges moved is forgotten after 30 days', async () => {
    const { account } = await newGround(kind)
    const { api, kontor } = account
    const [into, from] = await addRecords(api, kind, [{}, {}])
    const { body } = await merge(api, kind, into!, from!)
    const count = async () =>
      (await kontor.database.row<{ count: number }>(
        sql`select count(*)::int as count from merges where account_id = ${account.id}`,
      ))!.count
    const purge = (at: number) =>
      kontor.database.transaction((tx) => tx.list(purgeOldest(account.id, kind, at - day, 500)))
    await purge(body.undo_until)
    expect((await undoMerge(api, body.id)).status).toBe(200)
    const again = await merge(api, kind, into!, from!)
    await purge(again.body.undo_until + 1)
    expect((await undoMerge(api, again.body.id)).body.code).toBe('RecordGone')
    expect(await count()).toBe(2)
    await kontor.database.transaction((tx) =>
      tx.rows(
        sql`update merges set created_at = created_at - ${31 * day} where account_id = ${account.id}`,
      ),
    )
    await dropOldMerges(kontor.database, kontor.now())
    const left = sql`select from_id, before, after, links from merges where account_id = ${account.id}`
    expect(await kontor.database.rows(left)).toEqual([
      { from_id: from, before: {}, after: {}, links: [] },
      { from_id: from, before: {}, after: {}, links: [] },
    ])
  })
})

describe('the webhooks of a merge', () => {
  let account: TestAccount
  let receiver: Receiver
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ account, receiver, close } = await openDelivering())
  })
  afterAll(() => close())

  test.for(['contacts', 'companies'] as const)(
    'of %s tell of the survivor as changed and of the other as deleted',
    async (kind) => {
      const [into, from] = await addRecords(account.api, kind, [{ name: 'Into' }, { name: 'From' }])
      const noun = singular[kind]
      const path = `/${kind}`
      const settings = ['add', 'update', 'delete', 'restore'].map((act) => `${act}_${noun}`)
      await account.api.post('/api/v4/webhooks', { destination: receiver.url + path, settings })
      const deletion = `${kind}[delete]`
      const payloads = () =>
        receiver.arrivals
          .filter((each) => each.path === path)
          .map(({ body }) => {
            const values = new URLSearchParams(body)
            if (values.has(deletion)) return `${deletion} ${values.get(deletion)}`
            const act = ['update', 'restore'].find((each) => values.has(`contacts[${each}][0][id]`))
            const [which, type] = ['id', 'type'].map((key) =>
              values.get(`contacts[${act}][0][${key}]`),
            )
            return `contacts[${act}] ${type} ${which}`
          })
          .toSorted()
      const id = await merged(account.api, kind, into!, from!, { name: 'from' })
      await expect
        .poll(payloads, { timeout: 15_000 })
        .toEqual([`${deletion} ${from}`, `contacts[update] ${noun} ${into}`].toSorted())
      await undoMerge(account.api, id)
      const back = [`contacts[restore] ${noun} ${from}`, `contacts[update] ${noun} ${into}`]
      await expect.poll(payloads, { timeout: 15_000 }).toEqual(expect.arrayContaining(back))
      expect(payloads()).toHaveLength(4)
    },
  )
})

describe('rights to merges', () => {
  test.for([
    ['both are own', { view: 'M', edit: 'M', delete: 'M' }, [true, true], 201],
    ['the survivor is not to be edited', { view: 'A', edit: 'M', delete: 'A' }, [false, true], 403],
    ['the other is not to be edited', { view: 'A', edit: 'M', delete: 'A' }, [true, false], 403],
    ['the other is not to be deleted', { view: 'A', edit: 'A', delete: 'M' }, [true, false], 403],
    [
      'the survivor is not to be deleted',
      { view: 'A', edit: 'A', delete: 'M' },
      [false, true],
      201,
    ],
    ['the other is not to be viewed', { view: 'M', edit: 'A', delete: 'A' }, [true, false], 403],
  ] as const)('%s', async ([, rights, own, expected]) => {
    const account = await newAccount()
    const user = await addUserWith(account, 'contacts', rights)
    const [into, from] = await addRecords(
      account.api,
      'contacts',
      own.map((isOwn) => ({ responsible_user_id: isOwn ? user.id : account.admin.id })),
    )
    const previewPath = `${merges}/preview?entity_type=contacts&into=${into}&from=${from}`
    const preview = await user.api.get(previewPath)
    expect(preview.status === 200 && preview.body.may_merge).toBe(expected === 201)
    expect((await merge(user.api, 'contacts', into!, from!)).status).toBe(expected)
  })

  test('leads that the caller may not see go over all the same', async () => {
    const account = await newAccount()
    const user = await addUserWith(account, 'contacts', { view: 'A', edit: 'A', delete: 'A' })
    const [into, from] = await addRecords(account.api, 'contacts', [{}, {}])
    const lead = await addRecord(account.api, 'leads', { _embedded: { contacts: [{ id: from }] } })
    expect((await merge(user.api, 'contacts', into!, from!)).status).toBe(201)
    expect(await linksOf(account.api, 'leads', lead)).toEqual([`contacts ${into} main`])
  })

  test('records that are gone, of others, or one and the same are not merged', async () => {
    const account = await newAccount()
    const alien = await newAccount()
    const [one, other, gone] = await addRecords(account.api, 'contacts', [{}, {}, {}])
    await account.api.delete(`/api/v4/contacts/${gone}`)
    const theirs = await addRecord(alien.api, 'contacts')
    for (const [into, from] of [
      [one, gone],
      [gone, one],
      [one, theirs],
      [theirs, one],
    ])
      expect((await merge(account.api, 'contacts', into!, from!)).status).toBe(404)
    expect((await merge(account.api, 'contacts', one!, one!)).status).toBe(400)
    const { body } = await merge(account.api, 'contacts', one!, other!)
    expect((await undoMerge(alien.api, body.id)).status).toBe(404)
  })

  test('the preview counts what would move', async () => {
    const { account } = await newGround('contacts')
    const { api } = account
    const [into, from] = await addRecords(api, 'contacts', [{}, {}])
    await addRecord(api, 'leads', { _embedded: { contacts: [{ id: from }] } })
    await addNote(api, 'contacts', from!)
    await addTask(account, 'contacts', from!)
    await addChat(await newInbox(account), { contact_id: from! })
    const { body } = await api.get(
      `${merges}/preview?entity_type=contacts&into=${into}&from=${from}`,
    )
    expect(body).toEqual({
      may_merge: true,
      moves: {
        leads: 1,
        customers: 0,
        contacts: 0,
        companies: 0,
        notes: 1,
        tasks: 1,
        chats: 1,
        elements: 0,
      },
    })
  })
})
