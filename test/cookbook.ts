// An account in which each example of the filter cookbook finds some records, but not all.
import type { TestAccount } from './account.ts'
import { addLeads, addPipeline, mainPipeline, won } from './leads.ts'
import { addRecords } from './records.ts'

/**
 * Five leads, one of them in the bin, a contact, a company, customers with purchases and products
 * that the examples find, and others that they do not. Answers the numbers for the names in the
 * examples.
 */
export async function fillForCookbook(account: TestAccount): Promise<Record<string, number>> {
  const { api, admin, kontor } = account
  const [main, other, colleague] = [
    await mainPipeline(account),
    await addPipeline(account),
    await account.addUser(),
  ]
  const third = await addPipeline(account)
  const names = await defineFields(account)
  const [company] = await addRecords(api, 'companies', [
    { name: 'Crème Bakery' },
    { name: 'Cream' },
  ])
  const phone = {
    field_id: names['PHONE'],
    values: [{ value: '+7 (495) 123-45-67', enum_code: 'WORK' }],
  }
  const email = { field_id: names['EMAIL'], values: [{ value: 'baker@example.com' }] }
  const [contact] = await addRecords(api, 'contacts', [
    { name: 'The baker', custom_fields_values: [phone, email] },
    {
      name: 'Somebody else',
      custom_fields_values: [{ field_id: names['PHONE'], values: [{ value: '84951234567' }] }],
    },
  ])
  const [now, day] = [kontor.now(), 86_400]
  const long = { created_at: now - 20 * day, updated_at: now - 19 * day }
  const _embedded = { contacts: [{ id: contact }], companies: [{ id: company }] }
  const [lead, shop, sign, , forgotten] = await addLeads(api, [
    {
      name: 'Bakery website',
      price: 4200,
      pipeline_id: main.id,
      status_id: won,
      custom_fields_values: filled(names),
      created_at: now - 3 * day,
      _embedded: { ..._embedded, tags: [{ name: 'Bakers' }] },
    },
    {
      name: 'Shop lighting',
      price: 900,
      pipeline_id: other.id,
      status_id: other.statuses[0],
      ...long,
      responsible_user_id: colleague.id,
      created_by: colleague.id,
      updated_by: colleague.id,
    },
    {
      name: 'New sign',
      price: 7e3,
      pipeline_id: main.id,
      created_at: now - 2 * day,
      _embedded,
      custom_fields_values: alsoFilled(names),
    },
    {
      name: 'Elsewhere',
      price: 10,
      pipeline_id: third.id,
      responsible_user_id: colleague.id,
      created_by: 0,
      updated_by: colleague.id,
      created_at: now - 30 * day,
      updated_at: now - 29 * day,
    },
    { name: 'Forgotten', pipeline_id: third.id },
  ])
  await api.delete(`/api/v4/leads/${forgotten}`)
  const TASK = await addTasks(account, { shop: shop!, won: lead! }, colleague.id)
  const products = await addProducts(account, sign!)
  const customers = await addCustomers(account, colleague.id, _embedded)
  return {
    ...names,
    ...products,
    ...customers,
    LEAD: lead!,
    LEAD_TAG: (await api.get('/api/v4/leads/tags')).body._embedded.tags[0].id,
    ORDER: sign!,
    SHOP: shop!,
    TASK,
    ME: admin.id,
    PIPELINE: main.id,
    WHOLESALE: other.id,
    FIRST: other.statuses[0],
    NOW: now,
    WEEK_AGO: now - 7 * day,
    NEXT_WEEK: now + 7 * day,
  }
}

/**
 * A task that is overdue, a completed one of a colleague, and one of a type of the account for no
 * record. Answers the id of the first.
 */
async function addTasks(
  { api, kontor }: TestAccount,
  leads: { shop: number; won: number },
  colleague: number,
): Promise<number> {
  const [now, day] = [kontor.now(), 86_400]
  const type = await api.post('/web/v1/task-types', { name: 'Stocktaking', color: '98cbff' })
  const { body } = await api.post('/api/v4/tasks', [
    {
      text: 'Call the shop',
      complete_till: now - day,
      entity_type: 'leads',
      entity_id: leads.shop,
    },
    {
      text: 'Meet the baker',
      task_type_id: 2,
      complete_till: now - 19 * day,
      entity_type: 'leads',
      entity_id: leads.won,
      is_completed: true,
      responsible_user_id: colleague,
      created_by: colleague,
      created_at: now - 20 * day,
      updated_at: now - 19 * day,
    },
    { text: 'Count the stock', task_type_id: type.body.id, complete_till: now + day },
  ])
  return body._embedded.tasks[0].id
}

/** A catalog of products, and another; one product is on the lead. */
async function addProducts(
  { api }: TestAccount,
  lead: number,
): Promise<Record<'CATALOG' | 'LAMP', number>> {
  const catalogs = [{ name: 'Products', type: 'products' }, { name: 'Tools' }]
  const made = await api.post('/api/v4/catalogs', catalogs)
  const CATALOG = made.body._embedded.catalogs[0].id
  const { body } = await api.post(`/api/v4/catalogs/${CATALOG}/elements`, [
    {
      name: 'Ceiling lamp',
      custom_fields_values: [{ field_code: 'SKU', values: [{ value: 'LAMP-12' }] }],
    },
    { name: 'Wall lamp' },
  ])
  const LAMP = body._embedded.elements[0].id
  await api.post(`/api/v4/leads/${lead}/link`, [
    { to_entity_type: 'catalog_elements', to_entity_id: LAMP, metadata: { catalog_id: CATALOG } },
  ])
  return { CATALOG, LAMP }
}

/** Three customers that differ in every filter, with purchases, and two segments. */
async function addCustomers(
  { api, kontor }: TestAccount,
  colleague: number,
  _embedded: object,
): Promise<Record<string, number>> {
  const path = '/api/v4/customers'
  const [now, day] = [kontor.now(), 86_400]
  const fields = await api.post(`${path}/custom_fields`, [{ name: 'Employees', type: 'numeric' }])
  const EMPLOYEES = fields.body._embedded.custom_fields[0].id
  const employees = (value: number) => [{ field_id: EMPLOYEES, values: [{ value }] }]
  const others = { responsible_user_id: colleague, updated_by: colleague }
  const [CUSTOMER, mill] = await addRecords(api, 'customers', [
    {
      name: 'Bakery supplies',
      next_date: now + 5 * day,
      next_price: 500,
      created_at: now - 3 * day,
      custom_fields_values: employees(12),
      _embedded: { ..._embedded, tags: [{ name: 'Bakers' }] },
    },
    {
      name: 'Old mill',
      next_date: now - 2 * day,
      next_price: 900,
      created_by: colleague,
      created_at: now - 20 * day,
      updated_at: now - 19 * day,
      custom_fields_values: employees(3),
      ...others,
    },
    {
      name: 'Riverside hotel',
      next_date: now + 60 * day,
      next_price: 1500,
      created_by: 0,
      created_at: now - 30 * day,
      updated_at: now - 29 * day,
      ...others,
    },
  ])
  const bought = await api.post(`${path}/${CUSTOMER}/transactions`, [
    { price: 720 },
    { price: 80 },
    { price: 90 },
  ])
  for (const name of ['Bakeries', 'Hotels']) await api.post(`${path}/segments`, { name })
  const overdue = { text: 'Call the mill', complete_till: now - day }
  await api.post('/api/v4/tasks', [{ ...overdue, entity_type: 'customers', entity_id: mill! }])
  const statuses: { id: number; type: number }[] = (await api.get(`${path}/statuses`)).body
    ._embedded.statuses
  const statusOf = (type: number) => statuses.find((status) => status.type === type)!.id
  return {
    CUSTOMER: CUSTOMER!,
    CUSTOMER_TAG: (await api.get(`${path}/tags`)).body._embedded.tags[0].id,
    EMPLOYEES,
    PURCHASE: bought.body._embedded.transactions[0].id,
    RECENT: statusOf(4),
    MISSED: statusOf(2),
  }
}

/**
 * Makes a field of each type that has a filter. Answers the ids of fields and choices by their
 * codes.
 */
async function defineFields({ api }: TestAccount): Promise<Record<string, number>> {
  const choices = (...codes: string[]) => ({
    enums: codes.map((code) => ({ value: code.toLowerCase(), code })),
  })
  const drafts = [
    { code: 'SEATS', type: 'numeric' },
    { code: 'DEPOSIT', type: 'monetary', currency: 'EUR' },
    { code: 'CONTRACT', type: 'text' },
    { code: 'WISHES', type: 'textarea' },
    { code: 'SITE', type: 'url' },
    { code: 'STREET', type: 'streetaddress' },
    { code: 'DELIVERY', type: 'select', ...choices('COURIER', 'PICKUP') },
    { code: 'EXTRAS', type: 'multiselect', ...choices('HOSTING', 'TEXTS', 'PHOTOS') },
    { code: 'SIZE', type: 'radiobutton', ...choices('SMALL', 'LARGE') },
    { code: 'URGENT', type: 'checkbox' },
    { code: 'OPENING', type: 'date' },
    { code: 'FOUNDED', type: 'birthday' },
    { code: 'VISIT', type: 'date_time' },
  ]
  const made = await api.post(
    '/api/v4/leads/custom_fields',
    drafts.map((draft) => ({ name: draft.code, ...draft })),
  )
  const its = await api.get('/api/v4/contacts/custom_fields')
  const fields = [
    ...made.body._embedded.custom_fields,
    ...its.body._embedded.custom_fields,
  ] as Coded[]
  return Object.fromEntries(
    fields.flatMap(({ code, id, enums }) => [
      [code, id],
      ...(enums ?? []).map((each) => [each.code, each.id]),
    ]),
  )
}

interface Coded {
  id: number
  code: string
  enums: { id: number; code: string }[] | null
}

const at = (text: string) => Date.parse(text) / 1000
const value =
  (names: Record<string, number>) =>
  (code: string, ...values: object[]) => ({ field_id: names[code], values })

function filled(names: Record<string, number>): object[] {
  const of = value(names)
  return [
    of('SEATS', { value: 40 }),
    of('DEPOSIT', { value: 99.5 }),
    of('CONTRACT', { value: 'A-17' }),
    of('WISHES', { value: 'No ads' }),
    of('SITE', { value: 'https://bakery.example' }),
    of('STREET', { value: 'Mill Lane 1' }),
    of('DELIVERY', { enum_code: 'COURIER' }),
    of('EXTRAS', { enum_code: 'HOSTING' }, { enum_code: 'PHOTOS' }),
    of('SIZE', { enum_code: 'SMALL' }),
    of('URGENT', { value: true }),
    of('OPENING', { value: at('2026-12-31T00:00:00Z') }),
    of('FOUNDED', { value: at('1990-05-24T00:00:00Z') }),
    of('VISIT', { value: at('2026-12-31T15:30:00Z') }),
  ]
}

/** Records close to those that the examples find. */
function alsoFilled(names: Record<string, number>): object[] {
  const of = value(names)
  return [
    of('SEATS', { value: 50 }),
    of('DEPOSIT', { value: 99 }),
    of('CONTRACT', { value: 'A-18' }),
    of('WISHES', { value: 'No ads, please' }),
    of('SITE', { value: 'https://bakery.example/sign' }),
    of('STREET', { value: 'Mill Lane 10' }),
    of('DELIVERY', { enum_code: 'PICKUP' }),
    of('EXTRAS', { enum_code: 'TEXTS' }),
    of('SIZE', { enum_code: 'LARGE' }),
    of('URGENT', { value: false }),
    of('OPENING', { value: at('2026-12-01T00:00:00Z') }),
    of('FOUNDED', { value: at('1991-05-24T00:00:00Z') }),
    of('VISIT', { value: at('2027-01-01T00:00:00Z') }),
  ]
}
