import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import { atEndOfFile } from '../../../../test/endings.ts'
import { newHome } from '../../../../test/kontor.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'
import { server } from '../../../../test/server.ts'
import { cookieIn, withCookie } from '../../../../test/session.ts'
import type { Config } from '../../../config.ts'
import { isOpenToOthers } from '../../../http/listen.ts'
import { setupCode } from './setup.ts'

const path = '/web/v1/setup'
const password = 'Passw0rd'

const draft = {
  company: 'Ünion Pumps & Co.',
  language: 'en',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  name: 'Ann Boss',
  email: 'Ann@pumps.example',
  password,
  sales_process: 'simple',
  customers: 'periodicity',
}

/** A server on a database without an account. */
async function emptyServer(settings: Partial<Config> = {}) {
  const scratch = await scratchDatabase()
  // Later than the server on it is closed.
  atEndOfFile(() => scratch.drop())
  const { kontor, clock, address } = await server({ databaseUrl: scratch.url, ...settings })
  const nobody = client({ url: address })
  const setUp = (more: object = {}, headers = {}) =>
    nobody.post(path, { ...draft, ...more }, { origin: kontor.url, ...headers })
  return { kontor, clock, nobody, setUp, database: scratch.database }
}

const stagesOf = async (api: Client) =>
  (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines.map(
    ({ name, _embedded }: { name: string; _embedded: { statuses: { name: string }[] } }) => [
      name,
      ..._embedded.statuses.map((status) => status.name),
    ],
  )

test('the first visitor makes the account, and is signed in as its administrator', async () => {
  const { kontor, nobody, setUp } = await emptyServer()
  expect((await nobody.get(path)).body).toEqual({ is_needed: true, needs_code: false })
  const answer = await setUp()
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    user: { name: 'Ann Boss', email: 'ann@pumps.example', language: 'en', is_admin: true },
    account: { name: 'Ünion Pumps & Co.', subdomain: 'union-pumps-co' },
  })
  const api = withCookie(kontor, cookieIn(answer))
  const { account, groups, customer_statuses } = (await api.get('/web/v1/bootstrap')).body
  expect(account).toMatchObject({
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    currency_symbol: '€',
    customers_mode: 'periodicity',
  })
  expect(groups).toEqual([{ id: 0, name: 'Sales department' }])
  expect(customer_statuses).toHaveLength(5)
  expect(await stagesOf(api)).toEqual([
    [
      'Sales',
      'Incoming leads',
      'First contact',
      'Offer',
      'Negotiation',
      'Payment',
      'Closed - won',
      'Closed - lost',
    ],
  ])
  expect((await api.get('/web/v1/demo-data')).body.is_removable).toBe(false)
  expect((await nobody.get(path)).body).toEqual({ is_needed: false, needs_code: false })
  expect((await setUp()).status).toBe(409)
})

test('stages speak the language; no customers and an empty pipeline may be chosen', async () => {
  const { kontor, setUp } = await emptyServer()
  const choice = { language: 'ru', sales_process: 'empty', customers: 'off', company: 'Насосы' }
  const answer = await setUp(choice)
  expect(answer.body.account.subdomain).toBe('crm')
  const api = withCookie(kontor, cookieIn(answer))
  const { account, groups } = (await api.get('/web/v1/bootstrap')).body
  expect([account.language, account.customers_mode]).toEqual(['ru', 'disabled'])
  expect(groups[0].name).toBe('Отдел продаж')
  expect(await stagesOf(api)).toEqual([
    [
      'Продажи',
      'Неразобранное',
      'Первичный контакт',
      'Успешно реализовано',
      'Закрыто и не реализовано',
    ],
  ])
})

const companies = {
  shop: {
    colors: ['#d6eaff', '#98cbff', '#fffd7f', '#ffce5a', '#deff81'],
    leads: [
      ['text', 0],
      ['select', 4],
      ['streetaddress', 0],
      ['date', 0],
      ['select', 4],
      ['text', 0],
    ],
    contacts: [['birthday', 0]],
    said: {
      en: ['Orders', 'New order', 'Order number', 'Birthday', 'Courier'],
      ru: ['Заказы', 'Новый заказ', 'Номер заказа', 'День рождения', 'Курьер'],
      es: ['Pedidos', 'Pedido nuevo', 'Número de pedido', 'Cumpleaños', 'Mensajería'],
      pt: ['Pedidos', 'Novo pedido', 'Número do pedido', 'Aniversário', 'Motoboy'],
    },
  },
  services: {
    colors: ['#d6eaff', '#98cbff', '#fffd7f', '#ffce5a', '#ccc8f9', '#deff81'],
    leads: [
      ['multiselect', 4],
      ['date_time', 0],
      ['streetaddress', 0],
      ['radiobutton', 3],
      ['numeric', 0],
    ],
    contacts: [['select', 3]],
    said: {
      en: ['Jobs', 'New request', 'Services', 'Best way to reach', 'Consultation'],
      ru: ['Заявки', 'Новая заявка', 'Услуги', 'Как лучше связаться', 'Консультация'],
      es: ['Servicios', 'Nueva solicitud', 'Servicios', 'Mejor forma de contacto', 'Asesoría'],
      pt: ['Serviços', 'Nova solicitação', 'Serviços', 'Contato preferido', 'Consultoria'],
    },
  },
  builder: {
    colors: ['#d6eaff', '#98cbff', '#fffd7f', '#ffce5a', '#ffc8c8', '#ccc8f9', '#deff81'],
    leads: [
      ['select', 5],
      ['streetaddress', 0],
      ['numeric', 0],
      ['monetary', 0],
      ['date', 0],
      ['checkbox', 0],
    ],
    contacts: [['select', 3]],
    said: {
      en: ['Building projects', 'New inquiry', 'Type of work', 'Role on site', 'New building'],
      ru: ['Объекты', 'Новая заявка', 'Вид работ', 'Роль на объекте', 'Новый дом'],
      es: ['Obras', 'Nueva consulta', 'Tipo de obra', 'Papel en la obra', 'Obra nueva'],
      pt: ['Obras', 'Novo contato', 'Tipo de obra', 'Papel na obra', 'Construção nova'],
    },
  },
} as const

interface ShownField {
  name: string
  type: string
  currency: string | null
  is_predefined: boolean
  enums: { value: string }[] | null
}

/** Its account is taken away before each set-up: a server takes longer than a set-up. */
let shared: ReturnType<typeof emptyServer> | undefined

test.each(
  Object.entries(companies).flatMap(([process, { said, ...expected }]) =>
    Object.entries(said).map(([language, texts]) => [process, language, texts, expected] as const),
  ),
)('a ready %s brings its stages and fields in %s', async (process, language, texts, expected) => {
  const { kontor, nobody, setUp, database } = await (shared ??= emptyServer())
  await database.rows(sql`truncate accounts cascade`)
  const answer = await setUp({ sales_process: process, language })
  expect(answer.status).toBe(200)
  const api = withCookie(kontor, cookieIn(answer))
  const [pipeline, ...more] = (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines
  expect(more).toEqual([])
  const stages = pipeline._embedded.statuses.slice(1, -2) as { name: string; color: string }[]
  const fieldsOf = async (entity: string): Promise<ShownField[]> => {
    const { body } = await api.get(`/api/v4/${entity}/custom_fields?limit=250`)
    return body._embedded.custom_fields.filter((field: ShownField) => !field.is_predefined)
  }
  const [leads, contacts] = [await fieldsOf('leads'), await fieldsOf('contacts')]
  const typesOf = (fields: ShownField[]) =>
    fields.map(({ type, enums }) => [type, enums?.length ?? 0])
  expect({
    colors: stages.map(({ color }) => color),
    leads: typesOf(leads),
    contacts: typesOf(contacts),
  }).toEqual(expected)
  const options = leads.flatMap(({ enums }) => enums ?? []).map(({ value }) => value)
  expect([pipeline.name, stages[0]!.name, leads[0]!.name, contacts[0]!.name, options[0]]).toEqual(
    texts,
  )
  for (const { type, currency } of leads) expect(currency).toBe(type === 'monetary' ? 'EUR' : null)
  const names = [...stages, ...leads, ...contacts].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  if (language === 'ru') for (const name of [...names, ...options]) expect(name).toMatch(/[а-я]/)
  // The first steps of shaping stages and of adding fields are done by it.
  const steps = (await api.get('/web/v1/checklist')).body
  expect(steps).toMatchObject({ pipeline: true, fields: true, role: false })
  // Sent once more, as by a reload, it adds nothing.
  const again = await nobody.post(path, { ...draft, sales_process: process })
  expect([again.status, await fieldsOf('leads')]).toEqual([409, leads])
})

test('of two setups at once exactly one wins', async () => {
  const { setUp, database } = await emptyServer()
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((subdomain) => setUp({ subdomain, sales_process: 'long' })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(await database.rows(sql`select from accounts`)).toHaveLength(1)
  expect(await database.rows(sql`select from users`)).toHaveLength(1)
})

test('demo data comes with it, and only that is removed again', async () => {
  const { kontor, setUp } = await emptyServer()
  const choice = { with_demo_data: true, customers: 'segments', sales_process: 'long' }
  const answer = await setUp(choice)
  expect(answer.status).toBe(200)
  const api = withCookie(kontor, cookieIn(answer))
  expect((await api.get('/web/v1/bootstrap')).body.account.customers_mode).toBe('segments')
  const idsOf = async (type: string) => {
    const page = (await api.get(`/api/v4/${type}?limit=250`)).body._embedded[type]
    return page.map(({ id }: { id: number }) => id) as number[]
  }
  const own = await api.post('/api/v4/leads', [{ name: 'My own' }])
  const ownLead = own.body._embedded.leads[0].id as number
  const [demoLead] = await idsOf('leads')
  await api.post('/api/v4/tasks', [{ text: 'Mine', complete_till: kontor.now() }])
  const fields = (await api.get('/web/v1/bootstrap')).body.custom_fields.leads.fields.length
  const left = (await api.get('/web/v1/demo-data')).body
  expect(left).toMatchObject({
    is_removable: true,
    records: { leads: 40, customers: 40, tasks: 2, unsorted_items: 3 },
  })
  // A record that a user deletes is not removed a second time.
  await api.delete(`/api/v4/leads/${demoLead}`)
  const { status, body } = await api.delete('/web/v1/demo-data')
  expect(status).toBe(200)
  expect(body.removed).toEqual({ ...left.records, leads: 39 })
  expect(await idsOf('leads')).toEqual([ownLead])
  for (const type of ['contacts', 'companies', 'customers']) expect(await idsOf(type)).toEqual([])
  expect(await idsOf('tasks')).toHaveLength(1)
  expect((await api.get('/web/v1/counters')).body.counters.unsorted).toBe(0)
  const after = (await api.get('/web/v1/bootstrap')).body
  expect(after.custom_fields.leads.fields).toHaveLength(fields)
  expect(after.users).toHaveLength(1)
  expect((await api.get('/web/v1/demo-data')).body).toEqual({
    is_removable: false,
    records: Object.fromEntries(Object.keys(left.records).map((type) => [type, 0])),
  })
  expect((await api.delete('/web/v1/demo-data')).body.removed.leads).toBe(0)
})

test('a server that others may reach asks for the code of its log', async () => {
  const settings = { url: 'https://crm.example.com' }
  const { kontor, clock, nobody, setUp, database } = await emptyServer(settings)
  expect((await nobody.get(path)).body).toEqual({ is_needed: true, needs_code: true })
  const code = setupCode(kontor)
  expect((await setUp()).status).toBe(403)
  for (let attempt = 0; attempt < 9; attempt++)
    expect((await setUp({ code: `${code}${attempt}` })).status).toBe(403)
  const late = await setUp({ code })
  expect(late.status).toBe(429)
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await database.rows(sql`select from accounts`)).toHaveLength(0)
  clock.ahead += 901
  expect((await setUp({ code: ` ${code.toUpperCase()} ` })).status).toBe(200)
})

test.each([
  [{ host: '127.0.0.1' }, false],
  [{ host: '::1', url: 'http://localhost:8080' }, false],
  [{ host: '0.0.0.0' }, true],
  [{ host: '192.0.2.1' }, true],
  [{ host: '127.0.0.1', url: 'https://crm.example.com' }, true],
  [{ host: '127.0.0.1', trustedProxy: ['loopback'] }, true],
])('whether others may reach a server with %j: %j', (settings, isOpen) => {
  expect(isOpenToOthers({ url: undefined, trustedProxy: [], ...settings })).toBe(isOpen)
})

test('a foreign page is refused, and wrong input makes nothing', async () => {
  const { setUp, nobody, database } = await emptyServer()
  expect((await setUp({}, { origin: 'https://evil.example' })).status).toBe(403)
  const bad = [
    { company: ' ' },
    { subdomain: 'No' },
    { language: 'xx' },
    { timezone: 'Mars/Olympus' },
    { timezone: '+02:00' },
    { currency: 'ZZZ' },
    { currency: 'eur' },
    { name: 'http://x' },
    { email: 'nobody' },
    { password: 'short' },
    { sales_process: 'other' },
    { customers: true },
    { with_demo_data: 1.5 },
    { is_admin: true },
  ]
  for (const each of bad) expect([each, (await setUp(each)).status]).toEqual([each, 400])
  expect((await nobody.post(path, {})).status).toBe(400)
  expect((await nobody.get(path)).body.is_needed).toBe(true)
  expect(await database.rows(sql`select from accounts`)).toHaveLength(0)
})

test('a start without the demo says where to begin, and prints the code where one is needed', async () => {
  const scratch = await scratchDatabase()
  const home = await newHome({ DATABASE_URL: scratch.url, KONTOR_SECRET_KEY: 'a key of the test' })
  onTestFinished(async () => {
    await home.close()
    await scratch.drop()
  })
  const running = await home.start({ KONTOR_URL: 'https://crm.example.com' })
  expect(running.said()).toMatch(
    /^There is no account yet\. Set it up at https:\/\/crm\.example\.com\/setup The setup code is [\da-f]{5}(?:-[\da-f]{5}){3}$/m,
  )
})

test('an embedded database stays without a demo account where the settings say so', async () => {
  const home = await newHome({ KONTOR_DEMO: 'off' })
  onTestFinished(() => home.close())
  const running = await home.start()
  expect(running.said()).toContain(`Set it up at ${running.url}/setup\n`)
  expect(running.said()).not.toContain('demo account')
  expect((await client(running).get(path)).body).toEqual({ is_needed: true, needs_code: false })
  expect((await client(running).post(path, draft)).status).toBe(200)
})
