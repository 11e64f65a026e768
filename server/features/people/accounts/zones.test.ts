// Days and the time zone of the account (decision 91): all that reads a day reads it by one rule, and
// another zone changes no stored day.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { dayCases, dayZones } from '../../../../test/days.ts'
import { addField, valueOf } from '../../../../test/fields.ts'
import { ended } from '../../../../test/jobs.ts'
import { mainPipeline } from '../../../../test/leads.ts'
import { addCatalog } from '../../../../test/links.ts'
import { addRecord, find, readRecord } from '../../../../test/records.ts'
import { streamOf } from '../../../../test/stream.ts'
import { accept, addItem } from '../../../../test/unsorted.ts'
import { setAccount } from './accounts.ts'

const moveTo = ({ kontor, subdomain }: TestAccount, timezone: string) =>
  kontor.database.transaction((tx) => setAccount(tx, kontor.now(), subdomain, { timezone }))

type Shown = {
  custom_fields_values: { field_id: number; values: { value: number }[] }[] | null
}

/** The day of the first value, read by the clocks of the zone; the value must be its first moment. */
function dayIn(timezone: string, { custom_fields_values }: Shown, field: number): string {
  const at = custom_fields_values?.find(({ field_id }) => field_id === field)?.values[0]?.value
  const text = (moment: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(
      moment * 1000,
    )
  expect(at).toBeTypeOf('number')
  expect(text(at! - 1)).not.toBe(text(at!))
  return text(at!)
}

/** An account with a field for days wherever there are some. */
async function furnished() {
  const account = await newAccount()
  const { api } = account
  const [leads, contacts, companies, customers] = [
    (await addField(account, 'leads', { type: 'date' })).id,
    (await addField(account, 'contacts', { type: 'birthday', code: 'BORN' })).id,
    (await addField(account, 'companies', { type: 'date' })).id,
    (await addField(account, 'customers', { type: 'date' })).id,
  ]
  const catalog = await addCatalog(api)
  const made = async (path: string, more: object): Promise<number> => {
    const { body } = await api.post(path, [{ name: 'A day', type: 'date', ...more }])
    return body._embedded.custom_fields[0].id
  }
  const elements = await made(`/api/v4/catalogs/${catalog}/custom_fields`, { is_required: true })
  const segments = await made('/api/v4/customers/segments/custom_fields', {})
  return { account, api, catalog, leads, contacts, companies, customers, elements, segments }
}
type Furnished = Awaited<ReturnType<typeof furnished>>

let count = 0

/** Writes a day at every place that takes one, and answers how each is read again. */
async function writeEverywhere(its: Furnished, value: string | number) {
  const { api, catalog } = its
  const given = (id: number) => ({ custom_fields_values: [valueOf({ id }, { value })] })
  const readers: [place: string, field: number, read: () => Promise<Shown>][] = []
  for (const kind of ['leads', 'contacts', 'companies', 'customers'] as const) {
    const id = await addRecord(api, kind, given(its[kind]))
    readers.push([kind, its[kind], () => readRecord(api, kind, id)])
  }
  const changed = await addRecord(api, 'leads')
  await api.patch(`/api/v4/leads/${changed}`, given(its.leads))
  readers.push(['a changed lead', its.leads, () => readRecord(api, 'leads', changed)])

  const elements = `/api/v4/catalogs/${catalog}/elements`
  const element = await api.post(elements, [{ name: 'An element', ...given(its.elements) }])
  const { id: elementId } = element.body._embedded.elements[0]
  readers.push([
    'an element, which needs it',
    its.elements,
    async () => (await api.get(`${elements}/${elementId}`)).body,
  ])
  const segment = await api.post('/api/v4/customers/segments', {
    name: `Segment ${++count}`,
    ...given(its.segments),
  })
  readers.push([
    'a segment',
    its.segments,
    async () => (await api.get(`/api/v4/customers/segments/${segment.body.id}`)).body,
  ])
  const complex = await api.post('/api/v4/leads/complex', [
    {
      name: 'Complex',
      ...given(its.leads),
      _embedded: {
        contacts: [
          { name: 'Ann', custom_fields_values: [{ field_code: 'BORN', values: [{ value }] }] },
        ],
      },
    },
  ])
  const [{ id: lead, contact_id: contact }] = complex.body
  readers.push(
    ['a complex lead', its.leads, () => readRecord(api, 'leads', lead)],
    ['its contact', its.contacts, () => readRecord(api, 'contacts', contact)],
  )
  return readers
}

/** Adds items that wait: in version 4, in version 2, and by a complex creation. */
async function addWaiting(its: Furnished, value: string | number) {
  const { api } = its
  const item = await addItem(api, {
    _embedded: {
      leads: [{ name: 'v4', custom_fields_values: [valueOf({ id: its.leads }, { value })] }],
      contacts: [{ name: 'Bob', custom_fields_values: [valueOf({ id: its.contacts }, { value })] }],
      companies: [
        { name: 'Acme', custom_fields_values: [valueOf({ id: its.companies }, { value })] },
      ],
    },
  })
  const old = await api.post('/api/v2/incoming_leads/form', {
    add: [
      {
        source_name: 'A form',
        source_uid: `day-${++count}`,
        incoming_lead_info: {
          form_id: 25,
          form_page: 'https://shop.example/cb',
          ip: '192.0.2.9',
          service_code: 'shop',
        },
        incoming_entities: {
          leads: [{ name: 'v2' }],
          contacts: [{ name: 'Eve', custom_fields: [{ id: its.contacts, values: [{ value }] }] }],
        },
      },
    ],
  })
  return { item, old: { uid: old.body.data[0] as string } }
}

/** Accepts them, and answers how the days of their records are read. */
async function acceptWaiting(
  its: Furnished,
  { item, old }: Awaited<ReturnType<typeof addWaiting>>,
) {
  const { api } = its
  const preview = async (uid: string): Promise<Shown> => {
    const { unsorted } = (await api.get('/web/v1/unsorted?limit=50')).body._embedded
    return unsorted.find((each: { uid: string }) => each.uid === uid).preview
  }
  const waiting: [string, number, Shown][] = [
    ['the card of an item', its.contacts, await preview(item.uid)],
    ['the card of one of version 2', its.contacts, await preview(old.uid)],
  ]
  const accepted = await accept(api, item)
  expect(accepted.status).toBe(200)
  expect((await accept(api, old)).status).toBe(200)
  const { leads } = (await api.get('/api/v4/leads?filter[name]=v2&with=contacts&order[id]=desc'))
    .body._embedded
  const contact = leads[0]._embedded.contacts[0].id
  return [
    ...waiting,
    ['an accepted lead', its.leads, await readRecord(api, 'leads', item.lead)],
    ['an accepted contact', its.contacts, await readRecord(api, 'contacts', item.contact)],
    ['an accepted company', its.companies, await readRecord(api, 'companies', item.company)],
    ['an accepted contact of v2', its.contacts, await readRecord(api, 'contacts', contact)],
  ] as [string, number, Shown][]
}

/** The leads that each list with filters finds by a day, as one value and as both ends of a range. */
async function findBy(its: Furnished, text: string): Promise<[string, string[]][]> {
  const { account, api, leads } = its
  const { id: pipeline } = await mainPipeline(account)
  const name = `filter[custom_fields_values][${leads}]`
  const value = encodeURIComponent(text)
  const found: [string, string[]][] = []
  for (const query of [
    `${name}[]=${value}`,
    `${name}[from]=${value}&${name}[to]=${value}`,
    `${name}[from]=${value}`,
    `${name}[to]=${value}`,
  ]) {
    found.push([query, await find(account, 'leads', query)])
    const board = await api.get(`/web/v1/board?pipeline_id=${pipeline}&${query}`)
    const cards = board.body.columns.flatMap(({ cards }: { cards: { name: string }[] }) => cards)
    found.push([`board ${query}`, cards.map(({ name }: { name: string }) => name)])
  }
  return found
}

describe.each(dayZones)('in an account in %s', (timezone) => {
  let its: Furnished

  beforeAll(async () => {
    its = await furnished()
    await moveTo(its.account, timezone)
  })

  const cases = dayCases.filter(([zone]) => zone === timezone)

  test.for(cases.flatMap(([, sent, day]) => (day === null ? [] : [[sent, day] as const])))(
    'every place reads %j as %s',
    async ([sent, day]) => {
      for (const [name, field, read] of await writeEverywhere(its, sent))
        expect([name, dayIn(timezone, await read(), field)]).toEqual([name, day])
      for (const [name, field, shown] of await acceptWaiting(its, await addWaiting(its, sent)))
        expect([name, dayIn(timezone, shown, field)]).toEqual([name, day])
    },
  )

  test('filters and the ends of their ranges read it alike', async () => {
    const { account, api } = its
    const { id: pipeline_id } = await mainPipeline(account)
    const around = (day: string, by: number) =>
      new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10)
    for (const [, sent, day] of cases) {
      if (day === null) continue
      const drafts = [-1, 0, 1].map((by) => ({
        name: `${by}`,
        pipeline_id,
        custom_fields_values: [valueOf({ id: its.leads }, { value: around(day, by) })],
      }))
      await removeLeads(account)
      for (const draft of drafts) await addRecord(api, 'leads', draft)
      const [one, onBoard, both, bothOnBoard, from, , to] = await findBy(its, String(sent))
      for (const each of [one!, onBoard!, both!, bothOnBoard!])
        expect(each).toEqual([each[0], ['0']])
      expect(from![1].toSorted()).toEqual(['0', '1'])
      expect(to![1].toSorted()).toEqual(['-1', '0'])
    }
  })
})

/** Takes the leads out of the way of filters. */
async function removeLeads({ kontor, id }: TestAccount): Promise<void> {
  await kontor.database.rows(sql`
    delete from field_numbers where account_id = ${id} and entity_type = 'leads'`)
  await kontor.database.rows(
    sql`update leads set custom_fields_values = null where account_id = ${id}`,
  )
}

test.for(dayCases.filter(([, , day]) => day === null))(
  'in %s, %j is refused as a value and as a filter',
  async ([, sent]) => {
    const { api, leads } = await shared()
    const values = [valueOf({ id: leads }, { value: sent })]
    const refused = await api.post('/api/v4/leads', [{ custom_fields_values: values }])
    const query = `filter[custom_fields_values][${leads}][from]=${encodeURIComponent(sent)}`
    expect([refused.status, (await api.get(`/api/v4/leads?${query}`)).status]).toEqual([400, 400])
  },
)

let sharedAccount: Promise<Furnished> | undefined
const shared = () => (sharedAccount ??= furnished())

describe('another zone', () => {
  const day = '2021-10-19'
  /** Of the day in all zones of these tests. */
  const morning = 1_634_634_000
  let its: Furnished
  let api: Client

  beforeAll(async () => {
    its = await furnished()
    api = its.api
    await moveTo(its.account, 'Europe/Moscow')
  })

  test('changes no day that is stored, no event, no notice and no updated_at', async () => {
    const { account } = its
    const readers = await writeEverywhere(its, '2021-10-19T00:00:00+03:00')
    const waiting = await addWaiting(its, 1_634_590_800)
    /** A filter of a screen by its day, with other texts for it. */
    const daysOf = (screen: Screen, from: string) => {
      const name = `filter[custom_fields_values][${its[screen === 'board' ? 'leads' : screen]}]`
      return `${name}[from]=${from}&${name}[to]=${from},today&filter[price]=5`
    }
    const screens = ['board', 'companies', 'contacts', 'leads'] as const
    type Screen = (typeof screens)[number]
    const views: object[] = []
    for (const screen of screens) {
      const draft = { name: screen, screen, search: daysOf(screen, '1634590800') }
      views.push((await api.post('/web/v1/views', draft)).body)
    }
    const before = await Promise.all(readers.map(([, , read]) => read()))
    const [journal, log] = [await journalOf(account), await eventsOf(api)]
    const stream = await streamOf(account, account.admin)
    for (const timezone of ['America/New_York', 'Pacific/Kiritimati', 'Asia/Kolkata']) {
      await moveTo(account, timezone)
      await expect.poll(() => stream.count('reset')).toBeGreaterThan(0)
      for (const [index, [at, field, read]] of readers.entries()) {
        const after = await read()
        expect([timezone, at, dayIn(timezone, after, field)]).toEqual([timezone, at, day])
        expect(after).toMatchObject({ updated_at: (before[index] as never)['updated_at'] })
      }
      for (const text of [day, '19.10.2021', `${morning}`]) {
        const [one, , range] = await findBy(its, text)
        expect([timezone, text, one![1].length]).toEqual([timezone, text, 3])
        expect(range![1]).toHaveLength(3)
      }
      expect((await api.get('/web/v1/views')).body.views).toEqual(
        screens.map((screen, index) => ({
          ...views[index],
          search: daysOf(screen, '19.10.2021'),
        })),
      )
      const { body } = await api.get('/api/v4/account?with=datetime_settings')
      expect(body._embedded.datetime_settings.timezone).toBe(timezone)
    }
    expect([await journalOf(account), await eventsOf(api)]).toEqual([journal, log])
    for (const [name, field, shown] of await acceptWaiting(its, waiting))
      expect([name, dayIn('Asia/Kolkata', shown, field)]).toEqual([name, day])
  })

  test('lets a job that waits find the days that it was asked for', async () => {
    const { account } = its
    await moveTo(account, 'Europe/Moscow')
    const values = [valueOf({ id: its.leads }, { value: '2022-01-02' })]
    const lead = await addRecord(api, 'leads', { custom_fields_values: values })
    const filter = `filter[custom_fields_values][${its.leads}][]=1641070800`
    const { body } = await api.post('/web/v1/bulk', {
      entity_type: 'leads',
      filter,
      action: { tag: { add: ['found'] } },
    })
    await moveTo(account, 'UTC')
    expect(await ended(api, body)).toMatchObject({ state: 'done', done: 1 })
    const { _embedded } = await readRecord(api, 'leads', lead)
    expect(_embedded.tags).toMatchObject([{ name: 'found' }])
  })

  test('counts for the text of an event that is written from then on', async () => {
    await moveTo(its.account, 'Asia/Kolkata')
    const values = [valueOf({ id: its.leads }, { value: day })]
    const id = await addRecord(api, 'leads')
    await api.patch(`/api/v4/leads/${id}`, { custom_fields_values: values })
    const path = `/api/v4/events?filter[entity]=lead&filter[entity_id]=${id}`
    const [event] = (await api.get(path)).body._embedded.events
    const begins = Date.parse('2021-10-18T18:30:00Z') / 1000
    expect(event.value_after[0].custom_field_value.text).toBe(`${begins}`)
  })

  test('has customers evaluated by its days', async () => {
    const { account } = its
    await api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
    /** The hour of the day in UTC at which the status of a customer ends. */
    const hour = async () => {
      const { at } = (await account.kontor.database.row<{ at: number | null }>(sql`
        select max(status_due_at) as at from customers where account_id = ${account.id}`))!
      return at === null ? null : (at % 86_400) / 3600
    }
    const isRunning = async () =>
      (await api.get('/web/v1/customers/reevaluation')).body.is_running as boolean
    await moveTo(account, 'UTC')
    await addRecord(api, 'customers')
    await expect.poll(hour, { timeout: 8000 }).toBe(0)
    // One that the mode or UTC asked for, and that comes later, would read the days of Tokyo.
    await expect.poll(isRunning, { timeout: 8000 }).toBe(false)
    await moveTo(account, 'Asia/Tokyo')
    await expect.poll(hour, { timeout: 8000 }).toBe(15)
  })
})

const journalOf = async ({ kontor, id }: TestAccount) =>
  (await kontor.database.row<{ count: number }>(
    sql`select count(*)::int as count from journal where account_id = ${id}`,
  ))!.count
const eventsOf = async (api: Client) =>
  (await api.get('/api/v4/events?limit=100')).body._embedded.events.length as number
