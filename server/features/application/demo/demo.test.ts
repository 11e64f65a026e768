// The demo account: a newcomer finds something of everything in it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import sql from 'sql-template-tag'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import { newHome } from '../../../../test/kontor.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'
import type { Scratch } from '../../../../test/scratch.ts'
import { server } from '../../../../test/server.ts'
import { signIn } from '../../../../test/session.ts'
import { connect } from '../../../database/connect.ts'
import type { Kontor } from '../../../kontor.ts'
import { createDemo } from './demo.ts'
import type { Demo } from './demo.ts'

let own: Scratch
let kontor: Kontor
let demo: Demo
/** When its creation began and ended. */
let made: { from: number; to: number }
let api: Client

beforeAll(async () => {
  // Servers of other test files, whose clocks are ahead, would turn the clock of these customers, too.
  own = await scratchDatabase()
  kontor = (await server({ databaseUrl: own.url })).kontor
  const from = kontor.now()
  demo = await createDemo(kontor)
  made = { from, to: kontor.now() }
  const { client_id, client_secret, redirect_uri, code } = demo
  const grant = { client_id, client_secret, redirect_uri, code, grant_type: 'authorization_code' }
  const { body } = await client(kontor).post('/oauth2/access_token', grant)
  api = client(kontor, body.access_token)
})

afterAll(() => own.drop())

// oxlint-disable-next-line typescript/no-explicit-any -- records are read freely
type Found = any

const list = async (path: string, collection: string, as = api): Promise<Found[]> =>
  (await as.get(`/api/v4/${path}${path.includes('?') ? '&' : '?'}limit=250`)).body?._embedded[
    collection
  ] ?? []

/** The catalog of products, and a calculation of prices. */
async function catalogOf() {
  const [catalog] = await list('catalogs?type=products', 'catalogs')
  const products = await list(`catalogs/${catalog.id}/elements`, 'elements')
  const fields = await list(`catalogs/${catalog.id}/custom_fields`, 'custom_fields')
  const [wholesaleSegment] = await list('customers/segments', 'segments')
  const idOf = (code: string): number => fields.find((field) => field.code === code).id
  return {
    fields,
    products,
    wholesaleSegment,
    priceId: idOf('PRICE'),
    wholesaleId: idOf('WHOLESALE_PRICE'),
    goodsIn: ({ catalog_elements: elements }: Found): Found[] =>
      elements.filter(({ metadata }: Found) => metadata.catalog_id === catalog.id),
    priceOf: (goods: Found[]) =>
      goods
        .map(({ id, metadata: { quantity, price_id } }) => {
          const values: Found[] = products.find((product) => product.id === id).custom_fields_values
          return quantity * values.find(({ field_id }) => field_id === price_id).values[0].value
        })
        .reduce((sum, each) => sum + each, 0),
  }
}

test('it has forty leads in every stage, with reasons, sources, contacts, companies and tags', async () => {
  const leads = await list('leads?with=contacts,loss_reason,source', 'leads')
  expect(leads).toHaveLength(40)
  const statuses = (await list('leads/pipelines', 'pipelines')).flatMap(({ id, _embedded }) =>
    _embedded.statuses
      .filter(({ type }: Found) => type === 0)
      .map((status: Found) => `${id} ${status.id}`),
  )
  const used = new Set(leads.map(({ pipeline_id, status_id }) => `${pipeline_id} ${status_id}`))
  // Nothing is won or lost with partners.
  const empty = statuses.filter((status) => !used.has(status))
  expect(empty.map((status) => status.split(' ')[1])).toEqual(['142', '143'])
  for (const lead of leads) {
    const { contacts, companies, tags, source, loss_reason } = lead._embedded
    expect([contacts.length, companies.length]).toEqual([1, 1])
    expect(tags.length).toBeGreaterThan(0)
    expect(source.name).toMatch(/Website form|Trade fair|Partner referral/)
    expect(loss_reason.length).toBe(lead.status_id === 143 ? 1 : 0)
    expect(lead.closed_at !== null).toBe([142, 143].includes(lead.status_id))
    expect(lead.created_at).toBeLessThanOrEqual(kontor.now())
    expect(lead.closed_at ?? lead.created_at).toBeGreaterThanOrEqual(lead.created_at)
  }
  expect(new Set(leads.map(({ name }) => name)).size).toBe(40)
})

test('it has contacts and companies that belong together, with tags', async () => {
  const [contacts, companies] = [
    await list('contacts', 'contacts'),
    await list('companies', 'companies'),
  ]
  expect([contacts.length, companies.length]).toEqual([20, 12])
  for (const { _embedded } of contacts) expect(_embedded.companies).toHaveLength(1)
  for (const { _embedded } of [...contacts, ...companies])
    expect(_embedded.tags.length).toBeGreaterThan(0)
  for (const lead of await list('leads?with=contacts', 'leads')) {
    const contact = contacts.find(({ id }) => id === lead._embedded.contacts[0].id)
    expect(contact._embedded.companies[0].id).toBe(lead._embedded.companies[0].id)
  }
})

test('it has a custom field with values of every type that needs no list and no file', async () => {
  const types = new Set<string>()
  for (const type of ['leads', 'contacts', 'companies', 'customers']) {
    const used = new Set(
      (await list(type, type)).flatMap(({ custom_fields_values: values }) =>
        (values ?? []).map(({ field_id }: Found) => field_id),
      ),
    )
    for (const field of await list(`${type}/custom_fields`, 'custom_fields')) {
      if (used.has(field.id)) types.add(field.type)
      // Programs fill the predefined fields of statistics.
      else expect(field.is_predefined).toBe(true)
    }
  }
  expect([...types].toSorted()).toEqual([
    'birthday',
    'checkbox',
    'date',
    'date_time',
    'legal_entity',
    'monetary',
    'multiselect',
    'multitext',
    'numeric',
    'radiobutton',
    'select',
    'smart_address',
    'streetaddress',
    'text',
    'textarea',
    'tracking_data',
    'url',
  ])
})

test('it has loss reasons, sources, and notes of several types, one of them pinned', async () => {
  expect(await list('leads/loss_reasons', 'loss_reasons')).toHaveLength(4)
  expect(await list('sources', 'sources')).toHaveLength(3)
  const ofCustomers = await list('customers/notes?filter[note_type]=common,call_out', 'notes')
  expect(ofCustomers.length).toBeGreaterThan(10)
  const notes = [
    ...(await list('leads/notes?with=is_pinned', 'notes')),
    ...(await list('contacts/notes?with=is_pinned', 'notes')),
    ...ofCustomers,
  ]
  expect(new Set(notes.map(({ note_type }) => note_type))).toEqual(
    new Set(['call_in', 'call_out', 'common', 'service_message', 'sms_out']),
  )
  expect(notes.filter(({ is_pinned }) => is_pinned)).toHaveLength(1)
})

test('it has products in categories, and leads whose prices are those of their products', async () => {
  const catalog = await catalogOf()
  const [group] = catalog.fields.filter(({ code }: Found) => code === 'GROUP')
  expect(group.nested.map(({ parent_id }: Found) => parent_id !== null)).toContain(true)
  expect(catalog.products).toHaveLength(12)
  const leads = await list('leads?with=catalog_elements', 'leads')
  const sold = leads
    .map(({ price, _embedded }) => ({ price, goods: catalog.goodsIn(_embedded) }))
    .filter(({ goods }) => goods.length > 0)
  expect(sold).toHaveLength(30)
  for (const { price, goods } of sold) expect(price).toBe(catalog.priceOf(goods))
  const used = sold.flatMap(({ goods }) => goods)
  expect(new Set(used.map(({ metadata }: Found) => metadata.price_id)).size).toBe(2)
})

test('it has an invoice of each lead that is won, with a payer, and lines that add up', async () => {
  const [catalog] = await list('catalogs?type=invoices', 'catalogs')
  const invoices = await list(`catalogs/${catalog.id}/elements`, 'elements')
  const leads = await list('leads?with=catalog_elements', 'leads')
  const wonLeads = leads.filter(({ status_id }) => status_id === 142)
  expect(invoices).toHaveLength(wonLeads.length)
  const statuses = new Set<string>()
  for (const { price, _embedded } of wonLeads) {
    const [{ id }] = _embedded.catalog_elements.filter(
      ({ metadata }: Found) => metadata.catalog_id === catalog.id,
    )
    const { custom_fields_values: filled } = invoices.find((invoice) => invoice.id === id)
    const valuesOf = (code: string): Found[] =>
      filled.find(({ field_code }: Found) => field_code === code).values
    const lines = valuesOf('ITEMS').map(({ value }) => value)
    expect(lines.reduce((sum, { total_sum }) => sum + total_sum, 0)).toBe(price)
    expect(Number(valuesOf('BILL_PRICE')[0].value)).toBe(price)
    expect(valuesOf('PAYER')[0].value.entity_id).toBe(_embedded.companies[0].id)
    statuses.add(valuesOf('BILL_STATUS')[0].enum_code)
  }
  expect(statuses).toEqual(new Set(['paid', 'partially_paid', 'created']))
})

test('its customers are in every status, where their dates say or a person has put them', async () => {
  const customers = await list('customers', 'customers')
  expect(customers).toHaveLength(40)
  const statuses = await list('customers/statuses', 'statuses')
  expect(statuses.map(({ type }) => type)).toEqual([4, 0, 0, 0, 1, 2, 3])
  const names = new Map(statuses.map(({ id, name }) => [id, name]))
  const counts = Object.groupBy(customers, ({ status_id }) => names.get(status_id)!)
  expect(Object.entries(counts).map(([name, members]) => [name, members!.length])).toEqual(
    expect.arrayContaining([
      ['Regular', 8],
      ['Contract talks', 4],
      ['Trial month', 4],
      ['Recently purchased', 8],
      ['Purchase expected', 8],
      ['Did not purchase', 4],
      ['Closed', 4],
    ]),
  )
  // The background evaluates the conditions of segments, and moves no customer.
  await vi.waitUntil(
    async () => !(await api.get('/web/v1/customers/reevaluation')).body.is_running,
    { timeout: 30_000, interval: 50 },
  )
  const later = await list('customers', 'customers')
  expect(later.map(({ status_id }) => status_id)).toEqual(
    customers.map(({ status_id }) => status_id),
  )
})

test('its customers have sums, links, values and products that fit together', async () => {
  const catalog = await catalogOf()
  const customers = await list('customers?with=contacts,companies,catalog_elements', 'customers')
  const contacts = await list('contacts', 'contacts')
  const { body } = await api.get('/api/v4/customers/transactions?limit=500')
  const purchases: Found[] = body._embedded.transactions
  expect(purchases.length).toBeGreaterThan(150)
  const [now, year] = [kontor.now(), 366 * 86_400]
  for (const customer of customers) {
    const own = purchases.filter(({ customer_id }) => customer_id === customer.id)
    const ltv = own.reduce((sum, { price }) => sum + price, 0)
    expect([customer.purchases_count, customer.ltv]).toEqual([own.length, ltv])
    expect(customer.average_check).toBe(Math.floor(ltv / own.length))
    const segments = customer._embedded.segments.map(({ id }: Found) => id)
    for (const { price, completed_at, _embedded } of own) {
      expect(completed_at).toBeGreaterThan(Math.max(customer.created_at, now - year))
      expect(completed_at).toBeLessThan(now)
      const price_id = segments.includes(catalog.wholesaleSegment.id)
        ? catalog.wholesaleId
        : catalog.priceId
      const goods = _embedded.catalog_elements.map(({ id, metadata }: Found) => ({
        id,
        metadata: { ...metadata, price_id },
      }))
      expect(price).toBe(catalog.priceOf(goods))
    }
    const { tags, companies, contacts: people } = customer._embedded
    expect([tags.length, companies.length]).toEqual([1, 1])
    expect(people.filter(({ is_main }: Found) => is_main)).toHaveLength(1)
    for (const { id } of people)
      expect(contacts.find((contact) => contact.id === id)._embedded.companies[0].id).toBe(
        companies[0].id,
      )
    expect(customer.custom_fields_values.length).toBeGreaterThanOrEqual(3)
    expect(customer.periodicity).toBeGreaterThan(0)
  }
  expect(new Set(customers.map(({ name }) => name)).size).toBe(40)
  const ordering = customers.filter(({ _embedded }) => _embedded.catalog_elements.length > 0)
  expect(ordering).toHaveLength(20)
})

test('it has segments that people fill, and segments that conditions fill', async () => {
  const segments = await list('customers/segments', 'segments')
  expect(segments.map(({ name, color }) => [name, color.length])).toEqual([
    ['Wholesale', 6],
    ['Show as references', 6],
    ['Big spenders', 6],
    ['Buying soon', 6],
  ])
  const [wholesale, , spenders, soon] = segments
  const { wholesaleId } = await catalogOf()
  expect(wholesale.available_products_price_types).toEqual([wholesaleId])
  expect(wholesale.custom_fields_values).toMatchObject([{ field_code: 'DISCOUNT' }])
  const customers = await list('customers', 'customers')
  const membersOf = (segment: Found) =>
    customers.filter(({ _embedded }) =>
      _embedded.segments.some(({ id }: Found) => id === segment.id),
    )
  for (const segment of segments) {
    expect(segment.customers_count).toBe(membersOf(segment).length)
    expect(segment.customers_count).toBeGreaterThan(3)
    expect(segment.customers_count).toBeLessThan(20)
  }
  expect(membersOf(spenders)).toEqual(customers.filter(({ ltv }) => ltv >= 4000))
  const [from, to] = [kontor.now(), kontor.now() + 7 * 86_400]
  expect(membersOf(soon)).toEqual(
    customers.filter(({ next_date }) => next_date >= from && next_date < to),
  )
})

test('it has tasks of both users: overdue, for today, for later, and completed with results', async () => {
  const tasks = await list('tasks', 'tasks')
  const { body: account } = await api.get('/api/v4/account?with=task_types')
  const types: Found[] = account._embedded.task_types
  expect(types.map(({ name }) => name)).toEqual(['Call', 'Meeting', 'Site visit', 'Send offer'])
  const now = kontor.now()
  const midnight = (Math.floor(now / 86_400) + 1) * 86_400
  const stateOf = ({ is_completed, complete_till }: Found) =>
    is_completed
      ? 'completed'
      : complete_till < now
        ? 'overdue'
        : complete_till < midnight
          ? 'today'
          : 'later'
  const byState = Object.groupBy(tasks, stateOf)
  expect(Object.keys(byState).toSorted()).toEqual(['completed', 'later', 'overdue', 'today'])
  for (const each of Object.values(byState)) {
    expect(each.length).toBeGreaterThan(3)
    expect(new Set(each.map((task) => task.responsible_user_id)).size).toBe(2)
    expect(each.length).toBeLessThan(40)
  }
  expect(new Set(tasks.map(({ task_type_id }) => task_type_id))).toEqual(
    new Set(types.map(({ id }) => id)),
  )
  expect(new Set(tasks.map(({ entity_type }) => entity_type))).toEqual(
    new Set(['leads', 'contacts', 'companies', 'customers', null]),
  )
  for (const { is_completed, result } of tasks)
    expect(result).toEqual(is_completed ? { text: expect.stringMatching(/\w/) } : [])
  // A record and its open tasks have one responsible user, and its closest task is theirs.
  for (const type of ['leads', 'contacts', 'companies', 'customers'])
    for (const record of await list(type, type)) {
      const own = tasks.filter((task) => task.entity_type === type && task.entity_id === record.id)
      for (const task of own) expect(task.responsible_user_id).toBe(record.responsible_user_id)
      const open = own.filter((task) => !task.is_completed).map((task) => task.complete_till)
      expect(record.closest_task_at).toBe(open.length > 0 ? Math.min(...open) : null)
    }
})

test('it has lived a year: records, notes, purchases and events bear their own times', async () => {
  const now = kontor.now()
  const day = 86_400
  const [contacts, companies] = [
    await list('contacts', 'contacts'),
    await list('companies', 'companies'),
  ]
  const bornOf = new Map([...contacts, ...companies].map(({ id, created_at }) => [id, created_at]))
  for (const type of ['leads', 'customers'])
    for (const record of await list(`${type}?with=contacts,companies`, type)) {
      const { contacts: people, companies: employers } = record._embedded
      for (const { id } of [...people, ...employers])
        expect(record.created_at, `${type} ${record.id}`).toBeGreaterThan(bornOf.get(id))
      expect(record.updated_at).toBeGreaterThanOrEqual(record.created_at)
    }
  const tasks = await list('tasks', 'tasks')
  const completed = tasks.filter(({ is_completed }) => is_completed)
  for (const { created_at, updated_at } of completed) expect(updated_at).toBeGreaterThan(created_at)
  const bought = (await api.get('/api/v4/customers/transactions?limit=500')).body._embedded
  for (const { created_at, completed_at } of bought.transactions)
    expect(Math.abs(created_at - completed_at)).toBeLessThan(60)
  const notes = (
    await Promise.all(
      ['leads', 'contacts', 'customers'].map((type) => list(`${type}/notes`, 'notes')),
    )
  ).flat()
  const events: Found[] = []
  for (let page = 1; ; page++) {
    const some = await list(`events?page=${page}`, 'events')
    events.push(...some)
    if (some.length < 100) break
  }
  const leads = await list('leads', 'leads')
  for (const [name, times, most] of [
    ['leads', leads.map(({ created_at }) => created_at), 90],
    ['changes of leads', leads.map(({ updated_at }) => updated_at), 90],
    ['completed tasks', completed.map(({ updated_at }) => updated_at), 90],
    ['calls and notes', notes.map(({ created_at }) => created_at), 60],
    ['purchases', bought.transactions.map(({ completed_at }: Found) => completed_at), 60],
    ['events', events.map(({ created_at }) => created_at), 60],
  ] as const) {
    const sorted = [...times].toSorted((one, other) => one - other)
    const gaps = sorted.slice(1).map((at, index) => at - sorted[index]!)
    expect(now - sorted[0]!, name).toBeGreaterThan(200 * day)
    expect(Math.max(...gaps, now - sorted.at(-1)!), name).toBeLessThan(most * day)
  }
  const newest = Math.max(...[...leads, ...notes, ...tasks].map(({ updated_at }) => updated_at))
  expect(newest).toBeGreaterThanOrEqual(made.from - 3600)
  expect(newest).toBeLessThanOrEqual(made.to - 3600)
  // The events of a lead begin with its birth and end with its last change.
  for (const lead of leads) {
    const own = events.filter(
      ({ entity_type: type, entity_id }) => type === 'lead' && entity_id === lead.id,
    )
    const times = own.map(({ created_at }) => created_at)
    expect(Math.min(...times)).toBe(lead.created_at)
    expect(Math.max(...times)).toBeGreaterThanOrEqual(lead.updated_at - 60)
  }
  // A range of times finds what the times of events say.
  const [from, to] = [now - 200 * day, now - 100 * day]
  const found = await list(
    `events?filter[created_at][from]=${from}&filter[created_at][to]=${to}`,
    'events',
  )
  const within = events.filter(({ created_at }) => created_at >= from && created_at <= to)
  expect(found.length).toBe(Math.min(within.length, 100))
})

test('both modes of customers are on', async () => {
  expect((await api.get('/api/v4/account')).body.customers_mode).toBe('periodicity')
  expect((await api.get('/api/v4/customers/statuses')).status).toBe(200)
  expect((await api.get('/api/v4/customers/segments')).status).toBe(200)
})

test('its second user signs in, has a role and a group, and views own leads only', async () => {
  const { sales_email: email, sales_password: password, subdomain } = demo
  const robin = await signIn(kontor, { email, password, account: subdomain })
  const own = await list('leads', 'leads', robin.api)
  expect(own.length).toBeGreaterThan(5)
  expect(own.length).toBeLessThan(20)
  expect(await list('contacts', 'contacts', robin.api)).toHaveLength(20)
  const [admin, sales] = await list('users?with=role,group', 'users')
  expect(admin.rights.is_admin).toBe(true)
  expect(sales).toMatchObject({
    email,
    rights: { is_admin: false },
    _embedded: { roles: [{ name: 'Salesperson' }], groups: [{ name: 'Field sales' }] },
  })
  const theirs = (await list('leads', 'leads')).find(({ id }) =>
    own.every((lead) => lead.id !== id),
  )
  expect((await robin.api.get(`/api/v4/leads/${theirs.id}`)).status).toBe(403)
})

test('killed in the middle, it leaves nothing behind', async () => {
  const scratch = await scratchDatabase()
  const home = await newHome({ DATABASE_URL: scratch.url })
  const database = connect(scratch.url, 2)
  try {
    expect((await home.run(['migrate'])).code).toBe(0)
    await database.transaction(async (tx) => {
      // The demo waits in the middle, with its first records.
      await tx.rows(sql`lock table notes in share mode`)
      const { child, ended } = home.begin(['demo'])
      await vi.waitUntil(
        async () =>
          (
            await database.rows(
              sql`select from pg_locks where not granted and relation = 'notes'::regclass`,
            )
          ).length > 0,
        { timeout: 30_000, interval: 20 },
      )
      process.kill(-child.pid!, 'SIGKILL')
      await ended
    })
    await vi.waitUntil(
      async () =>
        (
          await database.rows(
            sql`select from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
          )
        ).length === 0,
      { timeout: 30_000, interval: 20 },
    )
    expect(await database.rows(sql`select from accounts`)).toEqual([])
    const { code, stdout } = await home.run(['demo', '--json'])
    expect([code, (JSON.parse(stdout) as Demo).subdomain]).toEqual([0, 'demo'])
  } finally {
    await database.close()
    await home.close()
    await scratch.drop()
  }
})
