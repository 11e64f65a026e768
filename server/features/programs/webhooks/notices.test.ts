// The bodies of webhooks: changes are made through the interface, the journal is read as followers
// read it, and each body is decoded and compared whole.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addScope, avatar, personOf, published } from '../../../../test/chats.ts'
import {
  addEveryType,
  addField,
  changeField,
  deleteField,
  fill,
  firstFields,
  moveTo,
  valueOf,
} from '../../../../test/fields.ts'
import { addGroup, addPipeline, lost, mainPipeline, won } from '../../../../test/leads.ts'
import { addCatalog, addElements, link, to } from '../../../../test/links.ts'
import { addNote, text } from '../../../../test/notes.ts'
import { addRecord, addRecords, pathOf, readRecord } from '../../../../test/records.ts'
import { signIn } from '../../../../test/session.ts'
import { entities } from '../../../entities.ts'
import { lastDrawn, newsInGaps } from '../../../changes/position.ts'
import type { JournalRow } from '../../../changes/position.ts'
import type { Reader } from '../../../database/connect.ts'
import { formBounds, parseNested } from '../../../http/nested.ts'
import type { Nested } from '../../../http/nested.ts'
import type { RecordType } from '../../../records/description.ts'
import { bodyOf, buildNotices, shareBodies } from './notices.ts'
import type { BodyForm, Notice } from './notices.ts'

/** The zone of every account here: no whole hours, no summer time. */
const timezone = 'Asia/Kolkata'
const local = (at: number) =>
  new Date((at + 5.5 * 3600) * 1000).toISOString().slice(0, 19).replace('T', ' ')

const payloadAccount = ({ id, subdomain, kontor }: TestAccount) => ({
  id,
  subdomain,
  timezone,
  url: kontor.url,
})

/** The journal rows that the account gets from now on, as a follower reads them. */
async function follow({
  id,
  kontor: { database },
}: TestAccount): Promise<() => Promise<JournalRow[]>> {
  const from = await lastDrawn(database)
  return async () => {
    const reading = await database.row<{ changes: JournalRow[] }>(
      sql`select (${newsInGaps(sql`${from}::bigint`, sql`'{}'::int8multirange`, 1000)}) as changes`,
    )
    return reading!.changes.filter(({ account_id }) => account_id === id)
  }
}

async function noticesOf(account: TestAccount, rows: JournalRow[]): Promise<Notice[]> {
  const built = await buildNotices(account.kontor.database, entities, payloadAccount(account), rows)
  return built.flatMap((each) => {
    if (each instanceof Error) throw each
    return each
  })
}

/** A body, decoded. Both formats say the same. */
function decoded(account: TestAccount, notices: Notice[], form: Partial<BodyForm> = {}): Nested {
  const how = { deletionForm: 'id' as const, ...form }
  const read = parseNested(
    bodyOf(payloadAccount(account), notices, { ...how, format: 'form' }),
    formBounds,
  )
  const json = bodyOf(payloadAccount(account), notices, { ...how, format: 'json' })
  expect(JSON.parse(json)).toEqual(read)
  const { account: about, ...rest } = read
  expect(about).toEqual({
    id: String(account.id),
    subdomain: account.subdomain,
    _links: { self: account.kontor.url },
  })
  return rest
}

/** The items of a decoded body, which a test reads freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
function itemsIn(body: Nested | undefined): any[] {
  const [actions] = Object.values(body!)
  // oxlint-disable-next-line typescript/no-explicit-any
  return Object.values(actions!)[0] as any[]
}

/** The decoded bodies of what a piece of work changed, each notice in a body of its own. */
async function heard(
  account: TestAccount,
  work: () => Promise<unknown>,
  form: Partial<BodyForm> = {},
): Promise<Nested[]> {
  const news = await follow(account)
  await work()
  const notices = await noticesOf(account, await news())
  return notices.map((notice) => decoded(account, [notice], form))
}

/** The fields that all records have, as a body tells them. */
async function shared({ id, api }: TestAccount, kind: RecordType, record: number) {
  const row = await readRecord(api, kind, record)
  return {
    id: String(record),
    name: row.name,
    responsible_user_id: String(row.responsible_user_id),
    date_create: String(row.created_at),
    last_modified: String(row.updated_at),
    created_user_id: String(row.created_by),
    modified_user_id: String(row.updated_by),
    account_id: String(id),
    created_at: String(row.created_at),
    updated_at: String(row.updated_at),
  }
}

const texts = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)]))

describe('leads', () => {
  let account: TestAccount
  let stages: Awaited<ReturnType<typeof mainPipeline>>

  beforeAll(async () => {
    account = await newAccount()
    stages = await mainPipeline(account)
  })

  const patch = (id: number, change: object) => account.api.patch(`/api/v4/leads/${id}`, change)
  const itemOf = async (id: number) => {
    const { price, status_id, pipeline_id } = await readRecord(account.api, 'leads', id)
    return { ...(await shared(account, 'leads', id)), ...texts({ price, status_id, pipeline_id }) }
  }

  test('an added lead is told with its tags and custom fields', async () => {
    const field = await addField(account, 'leads', { type: 'text', name: 'City', code: 'CITY' })
    let id = 0
    const bodies = await heard(account, async () => {
      id = await addRecord(account.api, 'leads', {
        name: 'Roof repair',
        price: 0,
        custom_fields_values: [valueOf(field, { value: 'New York' })],
        _embedded: { tags: [{ name: 'warm' }, { name: 'new & old' }] },
      })
    })
    const { _embedded } = await readRecord(account.api, 'leads', id)
    expect(bodies).toEqual([
      {
        leads: {
          add: [
            {
              ...(await itemOf(id)),
              custom_fields: [
                {
                  id: String(field.id),
                  name: 'City',
                  code: 'CITY',
                  values: [{ value: 'New York' }],
                },
              ],
              tags: _embedded.tags.map((tag: { id: number; name: string }) => ({
                id: String(tag.id),
                name: tag.name,
              })),
            },
          ],
        },
      },
    ])
  })

  test('a change of the stage and the user is three notices: update, status, responsible', async () => {
    const [status, next] = stages.statuses
    const id = await addRecord(account.api, 'leads', { status_id: status })
    const user = await account.addUser()
    const bodies = await heard(account, () =>
      patch(id, { status_id: next, responsible_user_id: user.id, name: 'Moved' }),
    )
    const item = await itemOf(id)
    const old_status_id = String(status)
    const old_responsible_user_id = String(account.admin.id)
    expect(bodies).toEqual([
      { leads: { update: [{ ...item, old_status_id, old_responsible_user_id }] } },
      { leads: { status: [{ ...item, old_status_id }] } },
      { leads: { responsible: [{ ...item, old_responsible_user_id }] } },
    ])
  })

  test('an ordinary change is one notice without former values; no change is none', async () => {
    const id = await addRecord(account.api, 'leads', { name: 'Before' })
    const bodies = await heard(account, () => patch(id, { name: 'After', price: 7 }))
    expect(bodies).toEqual([{ leads: { update: [await itemOf(id)] } }])
    expect(await heard(account, () => patch(id, { name: 'After' }))).toEqual([])
  })

  test('a move to another pipeline tells the former one, also where the status keeps its id', async () => {
    const other = await addPipeline(account)
    const id = await addRecord(account.api, 'leads', { status_id: won })
    const bodies = await heard(account, () => patch(id, { pipeline_id: other.id, status_id: won }))
    const old = { old_status_id: String(won), old_pipeline_id: String(stages.id) }
    const item = { ...(await itemOf(id)), ...old }
    expect(bodies).toEqual([{ leads: { update: [item] } }, { leads: { status: [item] } }])
    const [update] = await heard(account, () => patch(id, { status_id: lost }))
    expect(update).toEqual({
      leads: { update: [{ ...(await itemOf(id)), old_status_id: String(won) }] },
    })
  })

  test('a deletion is an id, or a list where the subscription asks for one; a restoration is a lead', async () => {
    const [status] = stages.statuses
    const id = await addRecord(account.api, 'leads', { status_id: status })
    const news = await follow(account)
    await account.api.delete(`/api/v4/leads/${id}`)
    await account.api.post(`/api/v4/leads/${id}/restore`)
    const notices = await noticesOf(account, await news())
    const one = (index: number, form = {}) => decoded(account, [notices[index]!], form)
    expect(notices).toHaveLength(2)
    expect(one(0)).toEqual({ leads: { delete: String(id) } })
    expect(one(0, { deletionForm: 'list' })).toEqual({
      leads: { delete: [texts({ id, status_id: status, pipeline_id: stages.id })] },
    })
    expect(one(1)).toEqual({ leads: { restore: [await itemOf(id)] } })
    expect(one(1, { deletionForm: 'list' })).toEqual(one(1))
  })

  test('a link changes both ends, and each is told', async () => {
    const id = await addRecord(account.api, 'leads')
    const contact = await addRecord(account.api, 'contacts')
    const bodies = await heard(account, () =>
      link(account.api, 'leads', id, to('contacts', contact)),
    )
    expect(bodies.flatMap((body) => Object.keys(body)).toSorted()).toEqual(['contacts', 'leads'])
  })
})

describe.for([
  ['contacts', 'contact'],
  ['companies', 'company'],
] as const)('%s', ([kind, type]) => {
  test('are told under contacts with their type, their tags, leads and company', async () => {
    const account = await newAccount()
    const { api } = account
    const [first, second, binned] = await addRecords(api, 'leads', [{}, {}, {}])
    const company = await addRecord(api, 'companies', { name: 'Bakery & Sons' })
    const field = await addField(account, kind, { type: 'numeric', name: 'Rooms' })
    const id = await addRecord(api, kind, { name: 'One' })
    await link(api, kind, id, to('leads', first!), to('leads', second!), to('leads', binned!))
    if (kind === 'contacts') await link(api, kind, id, to('companies', company))
    await api.delete(`/api/v4/leads/${binned}`)
    const { id: user } = await account.addUser()
    const bodies = await heard(account, () =>
      api.patch(`${pathOf(kind)}/${id}`, {
        responsible_user_id: user,
        custom_fields_values: [valueOf(field, { value: 2.5 })],
      }),
    )
    const item = {
      ...(await shared(account, kind, id)),
      type,
      custom_fields: [{ id: String(field.id), name: 'Rooms', values: [{ value: '2.5' }] }],
      linked_leads_id: Object.fromEntries(
        [first, second].map((lead) => [lead, { ID: String(lead) }]),
      ),
      ...(kind === 'contacts' && {
        company_name: 'Bakery & Sons',
        linked_company_id: String(company),
      }),
      old_responsible_user_id: String(account.admin.id),
    }
    expect(bodies).toEqual([
      { contacts: { update: [item] } },
      { contacts: { responsible: [item] } },
    ])
  })

  test('are told when they are added, deleted under their own key, and restored', async () => {
    const account = await newAccount()
    const { api } = account
    const news = await follow(account)
    const id = await addRecord(api, kind, { name: 'One' })
    await api.delete(`${pathOf(kind)}/${id}`)
    await api.post(`${pathOf(kind)}/${id}/restore`)
    const [add, remove, restore] = await noticesOf(account, await news())
    const item = { ...(await shared(account, kind, id)), type }
    const { updated_at, last_modified, ...rest } = item
    expect(decoded(account, [add!])).toMatchObject({ contacts: { add: [rest] } })
    expect(decoded(account, [remove!])).toEqual({ [kind]: { delete: String(id) } })
    expect(decoded(account, [remove!], { deletionForm: 'list' })).toEqual({
      contacts: { delete: [{ id: String(id), type }] },
    })
    expect(decoded(account, [restore!])).toEqual({
      contacts: { restore: [{ ...rest, updated_at, last_modified }] },
    })
  })
})

describe('customers', () => {
  test('are told with their next purchase; a new status is an update, a restoration nothing', async () => {
    const account = await newAccount()
    const { api } = account
    const statuses = (await api.get('/api/v4/customers/statuses')).body._embedded.statuses
    const status = statuses.at(-1).id
    let id = 0
    const itemOf = async () => {
      const row = await readRecord(api, 'customers', id)
      return {
        ...(await shared(account, 'customers', id)),
        next_price: String(row.next_price),
        next_date: String(row.next_date),
        periodicity: String(row.periodicity),
        status_id: String(row.status_id),
        period_id: String(row.status_id),
        created_by: String(row.created_by),
      }
    }
    const draft = { name: 'A customer', next_date: 2_000_000_000, next_price: 90, periodicity: 30 }
    const added = await heard(account, async () => {
      id = await addRecord(api, 'customers', draft)
    })
    const first = await itemOf()
    expect(added).toEqual([{ customers: { add: [first] } }])
    const { id: user } = await account.addUser()
    const changed = await heard(account, () =>
      api.patch(`/api/v4/customers/${id}`, { status_id: status, responsible_user_id: user }),
    )
    const old_responsible_user_id = String(account.admin.id)
    const item = { ...(await itemOf()), old_responsible_user_id }
    expect(item.status_id).not.toBe(first.status_id)
    expect(changed).toEqual([
      { customers: { update: [{ ...item, old_status_id: first.status_id }] } },
      { customers: { responsible: [item] } },
    ])
    const removal = (deletionForm: 'id' | 'list') =>
      heard(
        account,
        async () => {
          await api.delete(`/api/v4/customers/${id}`)
          await api.post(`/api/v4/customers/${id}/restore`)
        },
        { deletionForm },
      )
    expect(await removal('id')).toEqual([{ customers: { delete: String(id) } }])
    expect(await removal('list')).toEqual([
      { customers: { delete: [{ id: String(id), status_id: String(status) }] } },
    ])
  })
})

describe('tasks', () => {
  let account: TestAccount

  beforeAll(async () => {
    account = await newAccount()
  })

  const path = '/api/v4/tasks'
  const add = async (draft: object = {}): Promise<number> => {
    const { body } = await account.api.post(path, [
      { text: 'Call back', complete_till: 2_000_000_000, ...draft },
    ])
    return body._embedded.tasks[0].id
  }
  const patch = (id: number, change: object) => account.api.patch(`${path}/${id}`, change)
  const itemOf = async (id: number, [element_type, element_id] = [0, 0]) => {
    const row = (await account.api.get(`${path}/${id}`)).body
    return {
      id: String(id),
      element_id: String(element_id),
      element_type: String(element_type),
      task_type: String(row.task_type_id),
      text: row.text,
      status: row.is_completed ? '1' : '0',
      account_id: String(account.id),
      created_user_id: String(row.created_by),
      responsible_user_id: String(row.responsible_user_id),
      group_id: String(row.group_id),
      date_create: local(row.created_at),
      last_modified: local(row.updated_at),
      complete_till: local(row.complete_till),
      created_at: String(row.created_at),
      updated_at: String(row.updated_at),
      complete_before: String(row.complete_till),
    }
  }

  test.for([
    ['contacts', 1],
    ['leads', 2],
    ['companies', 3],
    ['customers', 12],
  ] as const)('of %s have the element type %i', async ([entity_type, number]) => {
    const entity_id = await addRecord(account.api, entity_type)
    let id = 0
    const bodies = await heard(account, async () => {
      id = await add({ entity_type, entity_id })
    })
    expect(bodies).toEqual([{ task: { add: [await itemOf(id, [number, entity_id])] } }])
  })

  test('tell times as the clocks of the account show them', async () => {
    const [body] = await heard(account, () => add({ complete_till: 1_700_000_000 }))
    expect(body).toMatchObject({ task: { add: [{ complete_till: '2023-11-15 03:43:20' }] } })
  })

  test('tell former texts, terms and users, and that an update closed nothing', async () => {
    const id = await add({ text: 'Before', complete_till: 1_700_000_000 })
    const { id: user } = await account.addUser()
    const bodies = await heard(account, () =>
      patch(id, { text: 'After', complete_till: 1_800_000_000, responsible_user_id: user }),
    )
    const item = { ...(await itemOf(id)), old_responsible_user_id: String(account.admin.id) }
    const old_complete_till = local(1_700_000_000)
    expect(bodies).toEqual([
      { task: { update: [{ ...item, action_close: '0', old_text: 'Before', old_complete_till }] } },
      { task: { responsible: [item] } },
    ])
  })

  test('are closed in one notice without a result, in two with one, and in one from the card', async () => {
    const [plain, both, card, again] = [await add(), await add(), await add(), await add()]
    const done = { is_completed: true, result: { text: 'Sold' } }
    const resultOf = async (id: number) => {
      const note = await account.kontor.database.row<{ id: number }>(
        sql`select id from notes where account_id = ${account.id} and entity_type = 'tasks' and entity_id = ${id}`,
      )
      return { id: String(note!.id), text: 'Sold' }
    }
    const alone = await heard(account, () => patch(plain, { is_completed: true }))
    expect(alone).toEqual([{ task: { update: [{ ...(await itemOf(plain)), action_close: '1' }] } }])
    const two = await heard(account, () => patch(both, done))
    const item = await itemOf(both)
    expect(two).toEqual([
      { task: { update: [{ ...item, action_close: '1' }] } },
      { task: { update: [{ ...item, action_close: '0', result: await resultOf(both) }] } },
    ])
    const password = 'a long enough password'
    const { email } = await account.addUser({ is_admin: true, password })
    const { api } = await signIn(account.kontor, { email, password })
    const one = await heard(account, () =>
      api.patch(`${path}/${card}`, done, { 'x-kontor-surface': 'card' }),
    )
    expect(one).toEqual([
      {
        task: {
          update: [{ ...(await itemOf(card)), action_close: '1', result: await resultOf(card) }],
        },
      },
    ])
    await patch(again, { is_completed: true })
    const [reopened] = await heard(account, () => patch(again, { is_completed: false }))
    expect(reopened).toMatchObject({ task: { update: [{ status: '0', action_close: '0' }] } })
  })

  test('added with a result tell it; deleted they are an id', async () => {
    let id = 0
    const [added] = await heard(account, async () => {
      id = await add({ is_completed: true, result: { text: 'Sold' } })
    })
    expect(added).toMatchObject({
      task: {
        add: [{ status: '1', result: { id: expect.stringMatching(/^\d+$/), text: 'Sold' } }],
      },
    })
    expect(added).not.toMatchObject({ task: { add: [{ action_close: expect.anything() }] } })
    const news = await follow(account)
    await account.api.delete(`${path}/${id}`)
    const removed = await noticesOf(account, await news())
    expect(decoded(account, removed)).toEqual({ task: { delete: String(id) } })
    expect(decoded(account, removed, { deletionForm: 'list' })).toEqual({
      task: { delete: [{ id: String(id) }] },
    })
  })
})

describe('elements', () => {
  test('are told under catalogs, with the fields of their catalog', async () => {
    const account = await newAccount()
    const { api } = account
    const catalog = await addCatalog(api, { type: 'products' })
    const fields = (await api.get(`/api/v4/catalogs/${catalog}/custom_fields`)).body._embedded
      .custom_fields as { id: number; name: string; code: string | null; type: string }[]
    const price = fields.find(({ type }) => type === 'price')!
    const other = await addCatalog(api)
    let [id, elsewhere] = [0, 0]
    const added = await heard(account, async () => {
      id = (await addElements(api, catalog, 'Lamp'))[0]!.id
      elsewhere = (await addElements(api, other, 'Shelf'))[0]!.id
    })
    const itemOf = async (id: number, catalog: number) => {
      const row = (await api.get(`/api/v4/catalogs/${catalog}/elements/${id}`)).body
      return {
        id: String(id),
        catalog_id: String(catalog),
        name: row.name,
        created_by: String(row.created_by),
        date_create: String(row.created_at),
        created_at: String(row.created_at),
        date_modify: String(row.updated_at),
        updated_at: String(row.updated_at),
        account_id: String(account.id),
      }
    }
    expect(added).toEqual([
      { catalogs: { add: [await itemOf(id, catalog)] } },
      { catalogs: { add: [await itemOf(elsewhere, other)] } },
    ])
    const changed = await heard(account, () =>
      api.patch(`/api/v4/catalogs/${catalog}/elements/${id}`, {
        name: 'Lantern',
        custom_fields_values: [valueOf(price, { value: 9.5 })],
      }),
    )
    const { name, code } = price
    expect(changed).toEqual([
      {
        catalogs: {
          update: [
            {
              ...(await itemOf(id, catalog)),
              custom_fields: [{ id: String(price.id), name, code, values: [{ value: '9.5' }] }],
            },
          ],
        },
      },
    ])
  })

  test('tell the lines of an invoice part by part, and metadata as JSON', async () => {
    const account = await newAccount()
    const { api } = account
    const catalog = await addCatalog(api, { type: 'invoices' })
    const fields = (await api.get(`/api/v4/catalogs/${catalog}/custom_fields`)).body._embedded
      .custom_fields as { id: number; type: string; code: string | null }[]
    const items = fields.find(({ type }) => type === 'items')!
    const metadata = { 'a[b]': { c: [1, null] }, '': '&=' }
    const discount = { type: 'amount', value: 1.5 }
    const line = { sku: 'A-1', description: null, unit_price: 10, quantity: 2, discount, metadata }
    const { body } = await api.get(`/api/v4/catalogs/${catalog}/custom_fields?limit=250`)
    const needed = (
      body._embedded.custom_fields as {
        id: number
        is_required: boolean
        enums: { id: number }[]
      }[]
    ).filter((field) => field.is_required && field.id !== items.id)
    const bodies = await heard(account, async () => {
      const { status, body } = await api.post(`/api/v4/catalogs/${catalog}/elements`, [
        {
          name: 'Invoice',
          custom_fields_values: [
            ...needed.map((field) => valueOf(field, { enum_id: field.enums[0]!.id })),
            valueOf(items, { value: line }),
          ],
        },
      ])
      expect([status, body]).toMatchObject([200, {}])
    })
    const [element] = itemsIn(bodies[0])
    const field = element.custom_fields.find(({ id }: { id: string }) => id === String(items.id))
    expect(field.values).toEqual([
      {
        value: {
          sku: 'A-1',
          unit_price: '10',
          quantity: '2',
          discount: { type: 'amount', value: '1.5' },
          metadata: expect.any(String),
          is_discount_recalculated: '0',
          is_total_sum_recalculated: '0',
          total_sum: '18.5',
        },
      },
    ])
    expect(JSON.parse(field.values[0].value.metadata)).toEqual(metadata)
  })
})

describe('notes', () => {
  test.for([
    ['contacts', 1],
    ['leads', 2],
    ['companies', 3],
    ['customers', 12],
  ] as const)(
    'on %s are told beside their record, which has the element type %i',
    async ([kind, number]) => {
      const account = await newAccount()
      const { api } = account
      const group_id = await addGroup(account)
      const { id: user } = await account.addUser({ group_id })
      const record = await addRecord(api, kind)
      let id = 0
      const bodies = await heard(account, async () => {
        id = await addNote(api, kind, record, {
          ...text('Called,\n"twice"'),
          responsible_user_id: user,
        })
        await api.patch(`${pathOf(kind)}/notes/${id}`, text('changed notes are not told'))
        await api.delete(`${pathOf(kind)}/notes/${id}`)
      })
      const [row] = await account.kontor.database.rows<{ note: { created_at: number } }>(
        sql`select note from journal where account_id = ${account.id} and 'note' = any(actions)`,
      )
      const { created_at } = row!.note
      const admin = String(account.admin.id)
      const note = {
        id: String(id),
        note_type: '4',
        text: 'Called,\n"twice"',
        element_id: String(record),
        element_type: String(number),
        account_id: String(account.id),
        created_by: admin,
        modified_by: admin,
        main_user_id: String(user),
        group_id: String(group_id),
        attachement: '',
        date_create: local(created_at),
        timestamp_x: local(created_at),
        created_at: String(created_at),
        updated_at: String(created_at),
        metadata: JSON.stringify({
          event_source: { id: account.admin.id, author_name: 'The administrator', type: 1 },
        }),
      }
      const beside = { contacts: { type: 'contact' }, companies: { type: 'company' } }
      const key = kind === 'companies' ? 'contacts' : kind
      expect(bodies).toEqual([
        { [key]: { note: [{ note, ...beside[kind as keyof typeof beside] }] } },
      ])
    },
  )

  test('of other types tell their params as JSON, a file its name, and each a number', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const call = { duration: 60, source: 'Phone', phone: '+1', uniq: 'x' }
    const file = { file_uuid: '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a', file_name: 'Offer.pdf' }
    const service = { service: 'Robot', text: 'Done' }
    const drafts = [
      { note_type: 'call_in', params: call },
      { note_type: 'call_out', params: call },
      { note_type: 'sms_in', params: { text: 'Hi', phone: '+1' } },
      { note_type: 'sms_out', params: { text: 'Hi', phone: '+1' } },
      { note_type: 'attachment', params: file },
      { note_type: 'service_message', params: service },
      { note_type: 'ai_result', params: { text: 'Done' } },
    ]
    const bodies = await heard(account, async () => {
      for (const draft of drafts) await addNote(api, 'leads', lead, draft)
    })
    const notes = bodies.map((body) => itemsIn(body)[0].note)
    expect(notes.map(({ note_type }) => note_type)).toEqual(
      [10, 11, 102, 103, 5, 25, 25].map(String),
    )
    expect(notes[4]).toMatchObject({ text: 'Offer.pdf', attachement: 'Offer.pdf' })
    expect(notes.map(({ attachement }) => attachement !== '')).toEqual(
      drafts.map((_, index) => index === 4),
    )
    for (const index of [0, 1, 2, 3, 5, 6])
      expect(JSON.parse(notes[index].text)).toEqual(drafts[index]!.params)
  })
})

describe('custom fields', () => {
  test('of every type are told as texts, with their choices, labels and parts', async () => {
    const account = await newAccount()
    const { api } = account
    await moveTo(account, timezone)
    const fields = await addEveryType(account, 'contacts')
    const [north, south] = fields.select.enums
    const phone = (await firstFields(account, 'contacts')).find(({ code }) => code === 'PHONE')!
    const own = await addRecord(api, 'contacts', {
      custom_fields_values: [
        valueOf(fields.text, { value: ' <b>жир</b> 😀\n' }),
        valueOf(fields.numeric, { value: -0.5 }),
        valueOf(fields.checkbox, { value: false }),
        valueOf(fields.select, { enum_id: south!.id }),
        valueOf(fields.multiselect, { value: 'East' }, { value: 'North' }),
        valueOf(fields.date, { value: 1_735_689_600 }),
        valueOf(fields.birthday, { value: -1 }),
        valueOf(fields.date_time, { value: 1_735_689_600 }),
        valueOf(phone, { value: '+1', enum_code: 'MOB' }, { value: '+2', enum_code: 'HOME' }),
        valueOf(fields.smart_address, { value: 'Paris', enum_code: 'city' }),
        valueOf(fields.legal_entity, { value: { name: 'A [b] & c', address: null, kpp: '' } }),
      ],
    })
    const news = await follow(account)
    await api.patch(`/api/v4/contacts/${own}`, { name: 'Again' })
    const [body] = (await noticesOf(account, await news())).map((each) => decoded(account, [each]))
    const items = itemsIn(body)[0].custom_fields as {
      id: string
      name: string
      code?: string
      values: object[]
    }[]
    const valuesOf = ({ id }: { id: number }) =>
      items.find((item) => item.id === String(id))?.values
    const enumOf = (type: 'multiselect', value: string) =>
      String(fields[type].enums.find((each) => each.value === value)!.id)
    const label = (code: string) => String(phone.enums.find((each) => each.code === code)!.id)
    expect(north).toBeDefined()
    expect(valuesOf(fields.text)).toEqual([{ value: ' <b>жир</b> 😀\n' }])
    expect(valuesOf(fields.numeric)).toEqual([{ value: '-0.5' }])
    expect(valuesOf(fields.checkbox)).toEqual([{ value: '0' }])
    expect(valuesOf(fields.select)).toEqual([{ value: 'South', enum: String(south!.id) }])
    expect(valuesOf(fields.multiselect)).toEqual([
      { value: 'East', enum: enumOf('multiselect', 'East') },
      { value: 'North', enum: enumOf('multiselect', 'North') },
    ])
    // Days begin at midnight in the account's zone.
    expect(valuesOf(fields.date)).toEqual([{ value: String(1_735_689_600 - 5.5 * 3600) }])
    expect(valuesOf(fields.birthday)).toEqual([{ value: String(-5.5 * 3600) }])
    expect(valuesOf(fields.date_time)).toEqual([{ value: '1735689600' }])
    expect(valuesOf(phone)).toEqual([
      { value: '+1', enum: label('MOB') },
      { value: '+2', enum: label('HOME') },
    ])
    expect(valuesOf(fields.smart_address)).toEqual([{ value: 'Paris', subtype: 'city' }])
    expect(valuesOf(fields.legal_entity)).toEqual([{ value: { name: 'A [b] & c', kpp: '' } }])
    expect(items).toHaveLength(11)
    // Only fields with a code tell one.
    expect(items.flatMap(({ code }) => code ?? [])).toContain(phone.code)
    expect(items.find(({ id }) => id === String(fields.text.id))).not.toHaveProperty('code')
  })

  test('a chained list has its parts where others have their value', async () => {
    const account = await newAccount()
    const catalog = await addCatalog(account.api)
    const element = (await addElements(account.api, catalog, 'Lamp'))[0]!.id
    const field = await addField(account, 'leads', { type: 'chained_list' })
    const part = { catalog_id: catalog, catalog_element_id: element }
    const lead = await addRecord(account.api, 'leads')
    const [body] = await heard(account, () =>
      fill(account.api, 'leads', lead, valueOf(field, part)),
    )
    expect(itemsIn(body)[0].custom_fields[0].values).toEqual([texts(part)])
  })

  test('names, choices and tags are those of the moment, and what is deleted is left out', async () => {
    const account = await newAccount()
    const { api } = account
    const renamed = await addField(account, 'leads', { type: 'select', enums: ['One', 'Two'] })
    const gone = await addField(account, 'leads', { type: 'text' })
    const news = await follow(account)
    const lead = await addRecord(api, 'leads', {
      custom_fields_values: [
        valueOf(renamed, { value: 'One' }),
        valueOf(gone, { value: 'left out' }),
      ],
      _embedded: { tags: [{ name: 'stays' }, { name: 'goes' }] },
    })
    const rows = await news()
    const itemOf = async () => {
      const [notice] = await noticesOf(account, rows)
      return itemsIn(decoded(account, [notice!]))[0]
    }
    expect((await itemOf()).custom_fields).toHaveLength(2)
    const { _embedded } = await readRecord(api, 'leads', lead)
    const [stays, goes] = _embedded.tags
    const [first, second] = renamed.enums
    await changeField(account, 'leads', {
      ...renamed,
      name: 'Renamed',
      enums: [{ ...first!, value: 'Uno' }, second!],
    })
    await deleteField(account, 'leads', gone.id)
    await api.delete(`/api/v4/leads/tags/${goes.id}`)
    const remove = sql`delete from tags where account_id = ${account.id} and id = ${goes.id}`
    await account.kontor.database.transaction((tx) => tx.rows(remove))
    const item = await itemOf()
    expect(item.custom_fields).toEqual([
      {
        id: String(renamed.id),
        name: 'Renamed',
        values: [{ value: 'Uno', enum: String(first!.id) }],
      },
    ])
    expect(item.tags).toEqual([{ id: String(stays.id), name: 'stays' }])
    await changeField(account, 'leads', { ...renamed, enums: [second!] })
    expect(await itemOf()).not.toHaveProperty('custom_fields')
  })
})

describe('a batch', () => {
  /** Counts the statements of a reader. */
  function counted(reader: Reader): { reader: Reader; count: () => number } {
    let count = 0
    const each =
      <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
      (...given: Given) => {
        count++
        return work(...given)
      }
    const { rows, row, list, page, cells } = reader
    const counting = {
      rows: each(rows),
      row: each(row),
      list: each(list),
      page: each(page),
      cells: each(cells),
      source: reader.source,
    }
    return { reader: counting, count: () => count }
  }

  test('of many changes takes as many statements as one of few, and keeps their order', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const change = async (size: number, mark: string) => {
      const news = await follow(account)
      const tagged = (_: unknown, index: number) => ({
        name: `${mark} ${index}`,
        _embedded: { tags: [{ name: `${mark} ${index}` }] },
      })
      const drafts = Array.from({ length: size }, tagged)
      const leads = await addRecords(api, 'leads', drafts)
      const companies = await addRecords(api, 'companies', drafts)
      const contacts = await addRecords(api, 'contacts', drafts)
      await api.post(
        '/api/v4/leads/notes',
        leads.map((entity_id) => ({ entity_id, ...text('x') })),
      )
      for (const [index, contact] of contacts.entries())
        await link(
          api,
          'contacts',
          contact,
          to('companies', companies[index]!),
          to('leads', leads[index]!),
        )
      await addRecords(api, 'customers', drafts)
      const rows = await news()
      const { reader, count } = counted(kontor.database)
      const built = await buildNotices(reader, entities, payloadAccount(account), rows)
      expect(built).toHaveLength(rows.length)
      for (const [index, entry] of built.entries())
        expect(entry).toMatchObject([
          { journalId: rows[index]!.id, entityId: rows[index]!.entity_id },
        ])
      return { statements: count(), notices: built.flat() as Notice[] }
    }
    // The first batch may read definitions that are remembered from then on.
    await change(1, 'first')
    const few = await change(1, 'few')
    const many = await change(20, 'many')
    expect(many.statements).toBe(few.statements)
    expect(many.statements).toBeLessThan(20)
    const update = many.notices.findLast(
      ({ entityType, action }) => entityType === 'contacts' && action === 'update',
    )!
    expect(update.item).toMatchObject({ company_name: 'many 19', tags: [{ name: 'many 19' }] })
  })

  test('with a change that cannot be built has an Error in its place, and the others stand', async () => {
    const account = await newAccount()
    const { kontor, api } = account
    const news = await follow(account)
    await addRecords(api, 'leads', [{}, {}])
    const contact = await addRecord(api, 'contacts')
    await api.post('/api/v4/tasks', [{ text: 'x', complete_till: 5 }])
    await addNote(api, 'contacts', contact)
    await api.delete(`/api/v4/contacts/${contact}`)
    const rows = await news()
    const after = (index: number) => rows[index]!.after as Record<string, unknown>
    const broken = (index: number, change: object): JournalRow => ({ ...rows[index]!, ...change })
    const [lead, person, task, note, removal] = [0, 2, 3, 4, 5]
    const bad: JournalRow[] = [
      broken(lead, { after: null }),
      broken(lead, { after: { ...after(lead), name: undefined } }),
      broken(lead, { after: { ...after(lead), tag_ids: null } }),
      broken(lead, { after: { ...after(lead), tag_ids: 'none', custom_fields_values: 5 } }),
      broken(lead, { after: 'none' }),
      broken(lead, { entity_type: 'spaceships' }),
      broken(person, { after: { ...after(person), id: { $ne: 1 }, name: null } }),
      broken(task, { after: { ...after(task), complete_till: 1e300 } }),
      broken(task, { after: { ...after(task), entity_type: 'moons', entity_id: 1 } }),
      broken(note, { note: null }),
      broken(note, { note: { ...rows[note]!.note, responsible_user_id: 'x', created_at: 'x' } }),
      broken(note, { note: { ...rows[note]!.note, params: null } }),
      broken(removal, { entity_id: null }),
    ]
    const mixed = bad.flatMap((each, index) => [each, rows[index % rows.length]!])
    const built = await buildNotices(kontor.database, entities, payloadAccount(account), mixed)
    const good = await buildNotices(kontor.database, entities, payloadAccount(account), rows)
    for (const [index, entry] of built.entries())
      if (index % 2 === 0) {
        expect([index, entry]).toEqual([index, expect.any(Error)])
        expect((entry as Error).message).toContain(`change ${mixed[index]!.id} `)
      } else expect(entry).toEqual(good[((index - 1) / 2) % rows.length])
    expect(good.flat().some((each) => each instanceof Error)).toBe(false)
    expect(await buildNotices(kontor.database, entities, payloadAccount(account), [])).toEqual([])
  })

  test('of hostile texts arrives as it was', async () => {
    const account = await newAccount()
    const { api } = account
    const hostile = [
      'a[b]=c&d[]=e;f',
      '100% %5B%zz +plus+ \t\r\n',
      '\uFFFF\uFFFE\u0001\u200F',
      '👩‍👩‍👧‍👦 é ﷽',
      '__proto__',
      '"},{"a":"',
      '%20',
    ]
    const field = await addField(account, 'leads', { type: 'textarea', name: hostile[0]! })
    const news = await follow(account)
    await addRecords(
      api,
      'leads',
      hostile.map((name) => ({
        name,
        custom_fields_values: [valueOf(field, { value: name })],
        _embedded: { tags: [{ name: `x${name}` }] },
      })),
    )
    const lead = await addRecord(api, 'leads')
    const long = '😀['.repeat(32_767)
    await addNote(api, 'leads', lead, text(long))
    const notices = await noticesOf(account, await news())
    const adds = notices.slice(0, hostile.length)
    const items = itemsIn(decoded(account, adds))
    for (const [index, name] of hostile.entries()) {
      const tag = `x${name}`.trim()
      expect(items[index]).toMatchObject({ name: name.trim(), tags: [{ name: tag }] })
      expect(items[index].custom_fields[0]).toMatchObject({
        name: hostile[0],
        values: [{ value: name }],
      })
    }
    const [{ note }] = itemsIn(decoded(account, [notices.at(-1)!])) as [{ note: { text: string } }]
    expect(note.text).toBe(long)
  })
})

describe('chats', () => {
  test('a message is told with its chat, its author and its record, both ways', async () => {
    const account = await newAccount({ rateLimitScope: 0 })
    const line = await addScope(account, { bot_name: 'The bot' }, { title: 'Shop' })
    const news = await follow(account)
    const media = 'https://media.example.com/a.png'
    const first = await published(line, {
      timestamp: 1_700_000_000,
      sender: personOf('client-1'),
      message: { type: 'picture', text: 'See', media, file_name: 'a.png' },
    })
    const bot = { id: 'bot', name: 'Bot', ref_id: line.bot_id }
    const receiver = { id: 'client-1', name: 'Ann' }
    const answer = await published(line, { timestamp: 1_700_000_009, sender: bot, receiver })
    const rows = await news()
    const bodies = (await noticesOf(account, rows)).map((notice) => decoded(account, [notice]))
    const lead = (await account.api.get('/api/v4/leads/unsorted')).body._embedded.unsorted[0]
      ._embedded.leads[0].id
    const client = { id: first.sender_id, type: 'external', name: 'Ann', avatar_url: avatar }
    const record = {
      element_id: String(lead),
      element_type: '2',
      entity_id: String(lead),
      entity_type: 'lead',
      origin: line.code,
    }
    const of = (key: string) =>
      bodies.flatMap((body) => (body as Record<string, Nested>)[key] ?? [])
    const talk_id = expect.stringMatching(/^\d+$/)
    expect(of('message')).toEqual([
      {
        add: [
          {
            id: first.msgid,
            chat_id: first.conversation_id,
            talk_id,
            text: 'See',
            created_at: '1700000000',
            ...record,
            type: 'incoming',
            author: client,
            attachment: { type: 'picture', link: media, file_name: 'a.png' },
            message_type: 'picture',
          },
        ],
      },
    ])
    expect(of('outgoing_message')).toEqual([
      {
        add: [
          {
            id: answer.msgid,
            chat_id: first.conversation_id,
            talk_id,
            text: 'Hello',
            created_at: '1700000009',
            ...record,
            type: 'outgoing',
            author: { id: line.bot_id, type: 'bot', name: 'The bot' },
            recipient: client,
            message_type: 'text',
          },
        ],
      },
    ])
    const talk = {
      talk_id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      rate: '0',
      chat_id: first.conversation_id,
      entity_id: String(lead),
      entity_type: 'lead',
      is_in_work: '1',
      origin: line.code,
    }
    expect(of('talk')).toEqual([
      { add: [{ ...talk, is_read: '0' }] },
      { update: [{ ...talk, is_read: '1' }] },
    ])
    expect(of('unsorted')).toMatchObject([
      {
        add: [
          {
            category: 'chats',
            source: 'Shop',
            source_data: {
              from: 'Ann',
              to: 'Shop',
              service: line.code,
              origin: { provider: line.code, chat_id: first.conversation_id },
              data: [{ text: 'See' }],
            },
          },
        ],
      },
      { update: [{ source_data: { data: [{ text: 'Hello' }] } }] },
    ])
  })
})

describe('a body', () => {
  test('begins with the account, and is written as PHP writes one', async () => {
    const account = await newAccount()
    const news = await follow(account)
    await addRecord(account.api, 'leads', { name: 'Roof repair [1] +5%' })
    const [notice] = await noticesOf(account, await news())
    const about = { id: 42, subdomain: 'demo', timezone, url: 'https://demo.example' }
    const body = bodyOf(about, [notice!], { format: 'form', deletionForm: 'id' })
    expect(body).toMatch(
      /^account%5Bsubdomain%5D=demo&account%5Bid%5D=42&account%5B_links%5D%5Bself%5D=https%3A%2F%2Fdemo\.example&leads%5Badd%5D%5B0%5D%5Bid%5D=\d+&leads%5Badd%5D%5B0%5D%5Bname%5D=Roof\+repair\+%5B1%5D\+%2B5%25&/,
    )
  })

  const notice = (
    entityId: number,
    action: Notice['action'],
    more: Partial<Notice> = {},
  ): Notice => ({
    entityType: 'leads',
    entityId,
    action,
    name: { items: 'leads', action },
    journalId: entityId,
    requestId: 'a',
    keys: { items: 'leads', deletion: 'leads' },
    item: { id: String(entityId) },
    ...more,
  })
  const shape = (bodies: Notice[][]) =>
    bodies.map((body) => `${body[0]!.action} ${body.map(({ entityId }) => entityId).join(',')}`)

  test('of a deletion by id takes one; a list takes no more by itself', () => {
    const about = { id: 42, subdomain: 'demo', timezone, url: 'https://demo.example' }
    const two = [notice(1, 'delete'), notice(2, 'delete')]
    const how = { format: 'json', deletionForm: 'id' } as const
    expect(() => bodyOf(about, two, how)).toThrow('a body of its own')
    expect(shape(shareBodies(two))).toEqual(['delete 1', 'delete 2'])
  })

  test('is shared by notices of one request, type and action', () => {
    expect(
      shape(
        shareBodies([
          notice(1, 'update'),
          notice(1, 'status'),
          notice(2, 'update'),
          notice(2, 'status'),
        ]),
      ),
    ).toEqual(['update 1,2', 'status 1,2'])
    const apart: Partial<Notice>[] = [
      { requestId: 'b' },
      { entityType: 'contacts' },
      { action: 'restore' },
      { requestId: null },
    ]
    for (const more of apart)
      expect(shareBodies([notice(1, 'update'), notice(2, 'update', more)])).toHaveLength(2)
    const unknown = { requestId: null }
    expect(shareBodies([notice(1, 'update', unknown), notice(2, 'update', unknown)])).toHaveLength(
      2,
    )
    expect(shareBodies([])).toEqual([])
  })

  test('takes no notice that would overtake another one of its entity', () => {
    const notices = [
      notice(1, 'update'),
      notice(1, 'status'),
      notice(1, 'update'),
      notice(2, 'update'),
      notice(2, 'status'),
    ]
    expect(shape(shareBodies(notices))).toEqual(['update 1', 'status 1', 'update 1,2', 'status 2'])
    // The notices of another type or id are no hindrance.
    const others = [
      notice(1, 'update'),
      notice(2, 'status'),
      notice(1, 'update'),
      notice(3, 'update'),
    ]
    expect(shape(shareBodies(others))).toEqual(['update 1,1,3', 'status 2'])
  })

  test('has at most 1,000 values and 131,072 characters, or one item', () => {
    const fields = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [index, 'x']))
    const wide = (id: number) => notice(id, 'update', { item: { fields } })
    expect(shape(shareBodies([1, 2, 3, 4].map(wide)))).toEqual(['update 1,2', 'update 3,4'])
    const long = (id: number) => notice(id, 'update', { item: { text: 'x'.repeat(65_536) } })
    expect(shape(shareBodies([1, 2, 3].map(long)))).toEqual(['update 1,2', 'update 3'])
    const longest = notice(1, 'update', { item: { text: 'x'.repeat(200_000) } })
    expect(shape(shareBodies([longest, notice(2, 'update')]))).toEqual(['update 1', 'update 2'])
    // 997 values and the three of the account are exactly 1,000.
    const exactly = (count: number) =>
      notice(2, 'update', { item: { list: Array.from({ length: count }, () => 'x') } })
    expect(shareBodies([notice(1, 'update'), exactly(996)])).toHaveLength(1)
    expect(shareBodies([notice(1, 'update'), exactly(997)])).toHaveLength(2)
  })
})
