// The filters of the event log, against a plain model: the log is read as a whole, and each search
// is answered from it once more.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addFields, valueOf } from '../../../../test/fields.ts'
import { addLeads, faultsOf, mainPipeline } from '../../../../test/leads.ts'
import { addCatalog, addElements, link, to, toElement } from '../../../../test/links.ts'
import { addNote, text } from '../../../../test/notes.ts'
import { addRecord, addRecords } from '../../../../test/records.ts'
import type { Field } from '../../../records/fields/definitions.ts'
import { formatNested } from '../../../http/nested.ts'
import type { Nested, NestedValue } from '../../../http/nested.ts'

const path = '/api/v4/events'

interface Value {
  lead_status?: { id: number; pipeline_id: number }
  customer_status?: { id: number }
  responsible_user?: { id: number }
  sale_field_value?: { sale: number }
  name_field_value?: { name: string }
  ltv_field_value?: { ltv: number }
  custom_field_value?: { field_id: number; enum_id: number | null; text: string }
}

interface Shown {
  id: string
  type: string
  entity_id: number
  entity_type: string
  created_by: number
  created_at: number
  value_before: Value[]
  value_after: Value[]
}

/** All events that a search finds, walked by pages. */
async function found(api: Client, query: Nested = {}, limit = 100): Promise<Shown[]> {
  const events: Shown[] = []
  let next: string | undefined = `${path}?${formatNested({ ...query, limit: `${limit}` })}`
  while (next) {
    const { status, body } = await api.get(next)
    expect([status, next]).toEqual([200, next])
    events.push(...body._embedded.events)
    next = body._links.next?.href
  }
  return events
}

const isOfField = (type: string) => /^custom_field_\d+_value_changed$/.test(type)
const list = (value: unknown) => (Array.isArray(value) ? value : String(value).split(','))
const has = (filter: unknown, value: unknown) =>
  filter === undefined || list(filter).map(String).includes(String(value))

/** The model of the filters. */
function matches(event: Shown, filter: Nested): boolean {
  const { type, created_at, entity_type } = event
  const [from, to] = endsOf(filter['created_at'])
  const isWantedType =
    has(filter['type'], type) ||
    (isOfField(type) && list(filter['type']).includes('custom_field_value_changed'))
  const isWantedEntity =
    has(filter['entity'], entity_type) ||
    (entity_type.startsWith('catalog_') && list(filter['entity']).includes('catalog_element'))
  const hasItsValue = (side: 'value_before' | 'value_after') => {
    const [entry] = Object.entries(filter[side] ?? {})
    return !entry || event[side].some((value) => hasValue(value, entry))
  }
  return (
    isWantedType &&
    isWantedEntity &&
    has(filter['id'], event.id) &&
    has(filter['entity_id'], event.entity_id) &&
    has(filter['created_by'], event.created_by) &&
    created_at >= (from ?? 0) &&
    created_at <= (to ?? Infinity) &&
    hasItsValue('value_before') &&
    hasItsValue('value_after')
  )
}

function endsOf(time: NestedValue | undefined): (number | undefined)[] {
  if (typeof time === 'string') return [Number(time) + 1]
  if (Array.isArray(time)) return time.map(Number)
  const { from, to } = (time ?? {}) as { from?: string; to?: string }
  return [from, to].map((end) => (end === undefined ? end : Number(end)))
}

function hasValue(value: Value, [name, wanted]: [string, unknown]): boolean {
  switch (name) {
    case 'leads_statuses':
      return (wanted as { pipeline_id: string; status_id: string }[]).some(
        ({ pipeline_id, status_id }) =>
          Number(pipeline_id) === value.lead_status!.pipeline_id &&
          Number(status_id) === value.lead_status!.id,
      )
    case 'customers_statuses':
      return (wanted as { status_id: string }[]).some(
        ({ status_id }) => Number(status_id) === value.customer_status!.id,
      )
    case 'responsible_user_id':
      return has(wanted, value.responsible_user!.id)
    case 'custom_field_values':
      return has(wanted, value.custom_field_value!.enum_id)
    default:
      return exactOf(value) === wanted
  }
}

const exactOf = (value: Value) =>
  String(
    value.sale_field_value?.sale ??
      value.name_field_value?.name ??
      value.ltv_field_value?.ltv ??
      value.custom_field_value?.text,
  )

/** A filter of values that the event answers to. */
function valueFilterOf({ type }: Shown, value: Value): Nested {
  const { lead_status, customer_status, responsible_user, custom_field_value } = value
  if (lead_status)
    return {
      leads_statuses: [
        { pipeline_id: `${lead_status.pipeline_id}`, status_id: `${lead_status.id}` },
      ],
    }
  if (customer_status) return { customers_statuses: [{ status_id: `${customer_status.id}` }] }
  if (responsible_user) return { responsible_user_id: `${responsible_user.id},999999999` }
  const enumId = custom_field_value?.enum_id ?? null
  return isOfField(type) && enumId !== null
    ? { custom_field_values: `${enumId}` }
    : { value: exactOf(value) }
}

const valued = new Set([
  'lead_status_changed',
  'customer_status_changed',
  'entity_responsible_changed',
  'sale_field_changed',
  'name_field_changed',
  'ltv_field_changed',
])

describe('the filters', () => {
  let account: TestAccount
  let readers: Record<string, TestUser>
  let catalog: number

  beforeAll(async () => {
    account = await newAccount()
    const { api, admin, clock } = account
    const seller = await account.addUser()
    const limited = await account.addUser({
      rights: {
        leads: { view: 'M', edit: 'M', add: 'A' },
        contacts: { view: 'A' },
        catalog_access: true,
        tasks: { edit: 'D' },
      },
    })
    readers = { admin, seller, limited }
    const [choice, many, word, number] = (await addFields(account, 'leads', [
      { type: 'select', enums: ['One', 'Two', 'Three'] },
      { type: 'multiselect', enums: ['Red', 'Green', 'Blue'] },
      { type: 'text' },
      { type: 'numeric' },
    ])) as [Field, Field, Field, Field]
    const { statuses } = await mainPipeline(account)
    const chosen = (field: Field, ...indexes: number[]) =>
      valueOf(field, ...indexes.map((index) => ({ enum_id: field.enums[index]!.id })))

    const ids = await addLeads(seller.api, [{}, {}, { responsible_user_id: limited.id }, {}])
    const own = await addLeads(limited.api, [{}])
    const leads = [...ids, ...own]
    const change = (lead: number, body: object, by = api) => by.patch(`/api/v4/leads/${lead}`, body)
    for (const [index, lead] of leads.entries()) {
      // The clock of the process may be minutes away from that of the database.
      clock.ahead = [-1000, -250, 0, 250, 1000][index]!
      await change(lead, { price: 100 * (index % 2), name: `Name ${index % 2}` }, seller.api)
      await change(lead, { price: 100, name: 'Long '.repeat(30) })
      await change(lead, { status_id: statuses[index % 3] })
      await change(lead, { status_id: statuses[(index + 1) % 3] }, seller.api)
      await change(lead, { custom_fields_values: [chosen(choice, index % 3), chosen(many, 0, 1)] })
      await change(lead, {
        custom_fields_values: [
          chosen(choice, (index + 1) % 3),
          chosen(many, 1, 2),
          valueOf(word, { value: index % 2 ? 'same' : 'Ж'.repeat(300) }),
          valueOf(number, { value: index }),
        ],
      })
      await change(lead, {
        tags_to_add: [{ name: `tag ${index}` }],
        responsible_user_id: seller.id,
      })
      await change(lead, { responsible_user_id: index % 2 ? admin.id : limited.id })
      await addNote(api, 'leads', lead, text('A note'))
    }
    const [contact] = await addRecords(api, 'contacts', [{ name: 'Ann' }])
    await api.patch(`/api/v4/contacts/${contact}`, { name: 'Name 1' })
    await link(api, 'leads', leads[0]!, to('contacts', contact!))
    const customer = await addRecord(api, 'customers', { name: 'Eve' })
    const found = (await api.get('/api/v4/customers/statuses')).body._embedded.statuses
    for (const { id } of found.slice(1))
      await api.patch(`/api/v4/customers/${customer}`, { status_id: id })
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 5 }])
    await api.post('/api/v4/tasks', [
      { text: 'Call', complete_till: 1, entity_type: 'leads', entity_id: leads[0]! },
      { text: 'Meet', complete_till: 1, responsible_user_id: limited.id },
    ])
    catalog = await addCatalog(api)
    const [lamp] = await addElements(api, catalog, 'Lamp')
    await api.patch(`/api/v4/catalogs/${catalog}/elements/${lamp!.id}`, { name: 'Table lamp' })
    await link(api, 'leads', leads[0]!, toElement(lamp!))
    clock.ahead = 0
  })

  test.for(['admin', 'seller', 'limited'])('find what the %s may see of the log', async (name) => {
    const { api } = readers[name]!
    const all = await found(api)
    expect(all.length).toBeGreaterThan(name === 'limited' ? 20 : 70)
    const any = fc.constantFrom(...all)
    const some = (value: (event: Shown) => string | number, most: number) =>
      fc
        .array(any, { minLength: 1, maxLength: most })
        .map((events) => [...new Set(events.map((event) => String(value(event))))])
    const commas = (values: fc.Arbitrary<string[]>) =>
      fc.oneof(
        values,
        values.map((each) => each.join(',')),
      )
    const times = any.map(({ created_at }) => String(created_at))
    const valuedEvents = all.filter(({ type }) => valued.has(type) || isOfField(type))
    const ofValue = fc
      .tuple(
        fc.constantFrom(...valuedEvents),
        fc.constantFrom('value_before', 'value_after'),
        fc.boolean(),
      )
      .chain(([event, side, isBoth]): fc.Arbitrary<Nested> => {
        const sides = isBoth ? (['value_before', 'value_after'] as const) : [side as 'value_after']
        const filled = sides.filter((each) => event[each].length > 0)
        return fc.constant({
          type: event.type,
          ...Object.fromEntries(
            filled.map((each) => [each, valueFilterOf(event, event[each].at(-1)!)]),
          ),
        })
      })
    const types = fc.oneof(
      {
        weight: 3,
        arbitrary: commas(
          some(({ type }) => type, 3).map((each) =>
            each.map((type) => (isOfField(type) ? 'custom_field_value_changed' : type)),
          ),
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(...all.map(({ type }) => type).filter(isOfField)) },
    )
    const entities = fc.oneof(
      any.map(({ entity_type, entity_id }): Nested => ({
        entity: entity_type,
        entity_id: `${entity_id},999999999`,
      })),
      commas(some(({ entity_type }) => entity_type, 3)).map((entity): Nested => ({ entity })),
      fc.constant<Nested>({ entity: 'catalog_element' }),
    )
    const other = fc.record(
      {
        id: commas(some(({ id }) => id, 5)),
        created_by: commas(some(({ created_by }) => created_by, 3)),
        created_at: fc.oneof(
          times,
          fc
            .tuple(times, times)
            .map((ends) => ends.toSorted((one, two) => Number(one) - Number(two))),
          fc.record({ from: times, to: times }, { requiredKeys: [] }),
        ),
      },
      { requiredKeys: [] },
    )
    const filters = fc
      .tuple(
        fc.oneof(
          fc.constant<Nested>({}),
          types.map((type): Nested => ({ type })),
          ofValue,
        ),
        fc.oneof({ weight: 2, arbitrary: fc.constant<Nested>({}) }, entities),
        fc.oneof({ weight: 2, arbitrary: fc.constant<Nested>({}) }, other as fc.Arbitrary<Nested>),
      )
      .map((parts): Nested => Object.assign({}, ...parts))
    let hits = 0
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(3, 100), async (filter, limit) => {
        const isEmpty = JSON.stringify(filter['created_at']) === '{}'
        const wanted = isEmpty ? { ...filter, created_at: undefined } : filter
        const given = JSON.parse(JSON.stringify(wanted)) as Nested
        const expected = all.filter((event) => matches(event, given))
        const isGeneral = list(given['type'] ?? '').includes('custom_field_value_changed')
        const answered = await found(
          api,
          Object.keys(given).length > 0 ? { filter: given } : {},
          limit,
        )
        expect(answered.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
        expect(answered.map(({ type }) => type)).toEqual(
          expected.map(({ type }) =>
            isGeneral && isOfField(type) ? 'custom_field_value_changed' : type,
          ),
        )
        if (expected.length > 0) hits++
      }),
      { numRuns: 200 },
    )
    expect(hits).toBeGreaterThan(60)
  })
})

describe('questions that are refused', () => {
  let api: Client

  beforeAll(async () => {
    api = (await newAccount()).api
  })

  const users = Array.from({ length: 11 }, (_, index) => index + 1).join(',')
  test.for<[query: string, fault: string]>([
    ['[colour]=red', 'FieldNotExpected filter[colour]'],
    ['[id]=x', 'InvalidFormat filter[id][0]'],
    ['[created_at]=yesterday', 'InvalidType filter[created_at][0]'],
    ['[created_at]=1,2,3', 'TooMany filter[created_at]'],
    ['[created_at][since]=1', 'FieldNotExpected filter[created_at][since]'],
    [`[created_by]=${users}`, 'TooMany filter[created_by]'],
    ['[created_by]=-1', 'TooLow filter[created_by][0]'],
    ['[entity]=leads', 'InvalidFormat filter[entity][0]'],
    ['[entity]=catalog_', 'InvalidFormat filter[entity][0]'],
    [`[entity]=lead&filter[entity_id]=${users}`, 'TooMany filter[entity_id]'],
    ['[entity_id]=1', 'FieldMissing filter[entity]'],
    ['[entity]=lead,contact&filter[entity_id]=1', 'NotSupportedChoice filter[entity]'],
    ['[type]=lead_eaten', 'NotSupportedChoice filter[type]'],
    ['[type]=custom_field_0_value_changed', 'NotSupportedChoice filter[type]'],
    ['[type]=custom_field_1_value_changed,lead_added', 'NotSupportedChoice filter[type]'],
    [
      '[type]=custom_field_1_value_changed,custom_field_2_value_changed',
      'NotSupportedChoice filter[type]',
    ],
    ['[value_after][value]=1', 'FieldMissing filter[type]'],
    ['[type]=lead_added&filter[value_after][value]=1', 'NotSupportedChoice filter[type]'],
    [
      '[type]=sale_field_changed,name_field_changed&filter[value_after][value]=1',
      'NotSupportedChoice filter[type]',
    ],
    [
      '[type]=sale_field_changed&filter[value_before][responsible_user_id]=1',
      'NotSupportedChoice filter[type]',
    ],
    [
      '[type]=custom_field_value_changed&filter[value_before][custom_field_values]=1',
      'NotSupportedChoice filter[type]',
    ],
    [
      '[type]=lead_status_changed&filter[value_after][leads_statuses][0][status_id]=1',
      'FieldMissing filter[value_after][leads_statuses][0][pipeline_id]',
    ],
    ['[type]=sale_field_changed&filter[value_after]=1', 'InvalidType filter[value_after]'],
    [
      '[type]=sale_field_changed&filter[value_after][price]=1',
      'FieldNotExpected filter[value_after][price]',
    ],
    [
      '[type]=sale_field_changed&filter[value_after][value]=1&filter[value_after][responsible_user_id]=1',
      'TooMany filter[value_after]',
    ],
  ])('%s', async ([query, fault]) => {
    const refused = await api.get(`${path}?filter${query}`)
    expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: [fault] }])
  })

  test('types of the interface that nothing causes, and fields and records that are not there, find nothing', async () => {
    for (const query of [
      '[type]=robot_replied,outgoing_mail',
      '[type]=nps_rate_added&filter[value_after][value]=10',
      '[type]=custom_field_999999_value_changed',
      '[entity]=catalog_999999,catalog_element',
      '[entity]=lead&filter[entity_id]=999999999',
      '[created_at][from]=4000000000',
    ])
      expect([query, await api.get(`${path}?filter${query}`)]).toMatchObject([
        query,
        { status: 200, body: { _embedded: { events: [] } } },
      ])
  })
})

describe('with', () => {
  test('shows the names of entities and catalogs, and the note of a value', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const lead = await addRecord(api, 'leads', { name: 'A "lead"' })
    const contact = await addRecord(api, 'contacts', { name: 'Ann' })
    await addRecord(api, 'companies', { name: 'Works' })
    await addRecord(api, 'customers', { name: 'Eve' })
    const catalog = await addCatalog(api, { name: 'Lamps' })
    const [lamp] = await addElements(api, catalog, 'Lamp')
    await api.patch(`/api/v4/catalogs/${catalog}/elements/${lamp!.id}`, { name: 'Table lamp' })
    await api.post('/api/v4/tasks', [{ text: 'Call', complete_till: 1 }])
    const note = await addNote(api, 'contacts', contact, text('Asks for lamps'))
    const names = async (more: string) => {
      const { body } = await api.get(`${path}?with=${more}`)
      return Object.fromEntries(
        body._embedded.events.map(
          (event: {
            entity_type: string
            _embedded: { entity: { id: number; _links: object } }
          }) => {
            const { id: _, _links, ...rest } = event._embedded.entity
            return [event.entity_type, rest]
          },
        ),
      )
    }
    const none = {
      lead: {},
      contact: {},
      company: {},
      customer: {},
      task: {},
      [`catalog_${catalog}`]: {},
    }
    expect(await names('strange,loss_reason')).toEqual(none)
    expect(await names('lead_name,contact_name')).toEqual({
      ...none,
      lead: { name: 'A "lead"' },
      contact: { name: 'Ann' },
    })
    expect(await names('company_name,customer_name,catalog_element_name,catalog_name')).toEqual({
      ...none,
      company: { name: 'Works' },
      customer: { name: 'Eve' },
      [`catalog_${catalog}`]: { name: 'Table lamp', catalog: { id: catalog, name: 'Lamps' } },
    })
    const [shown] = await found(api, { with: 'note', filter: { type: 'common_note_added' } })
    expect(shown!.value_after).toEqual([
      {
        note: {
          id: note,
          note_type: 'common',
          created_at: shown!.created_at,
          params: { text: 'Asks for lamps' },
        },
      },
    ])
    const one = await api.get(`${path}/${shown!.id}?with=contact_name,note`)
    expect(one.body).toMatchObject({
      value_after: shown!.value_after,
      _embedded: { entity: { id: contact, name: 'Ann' } },
    })
    await kontor.database.transaction((tx) =>
      tx.rows(sql`delete from leads where account_id = ${account.id} and id = ${lead}`),
    )
    expect(await names('lead_name')).toMatchObject({ lead: { name: null } })
  })
})
