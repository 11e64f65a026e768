// Leads with their contacts and companies: the records that each shape creates, and the links that
// each shows.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addComplex, email, item, linksOf, path, phone, textsOf } from '../../../test/complex.ts'
import { addPipeline, won } from '../../../test/leads.ts'
import { addSources } from '../../../test/origins.ts'
import { addRecord, addRecords, idsIn, readRecord, tagNames } from '../../../test/records.ts'

test('a lead, its contact and its company are made at once and linked with each other', async () => {
  const { api } = await newAccount()
  const contact = {
    first_name: 'Ann',
    last_name: 'Lee',
    custom_fields_values: [phone('+1 555 0100'), email('Ann@x.example')],
  }
  const company = {
    name: 'Acme',
    custom_fields_values: [phone('12')],
    tags_to_add: [{ name: 'big' }],
  }
  const embedded = { tags: [{ name: 'web' }] }
  const [made, ...others] = await addComplex(
    api,
    item(
      { ...contact, _embedded: { tags: [{ name: 'vip' }] } },
      company,
      { name: 'Order', price: 7.9, request_id: 'row 1' },
      embedded,
    ),
  )
  expect(others).toEqual([])
  expect(made).toEqual({
    id: expect.any(Number),
    contact_id: expect.any(Number),
    company_id: expect.any(Number),
    request_id: ['row 1'],
    merged: false,
  })
  const { id, contact_id, company_id } = made!
  expect(await linksOf(api, made!)).toEqual({
    lead: { contacts: [[contact_id, true]], companies: [company_id] },
    contact: { leads: [id], companies: [company_id] },
    company: { leads: [id], contacts: [contact_id] },
  })
  const lead = await readRecord(api, 'leads', id)
  expect(lead).toMatchObject({ name: 'Order', price: 7 })
  expect(tagNames(lead)).toEqual(['web'])
  const ann = await readRecord(api, 'contacts', contact_id!)
  expect(ann).toMatchObject({ name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' })
  expect([tagNames(ann), textsOf(ann)]).toEqual([
    ['vip'],
    { PHONE: ['+1 555 0100'], EMAIL: ['Ann@x.example'] },
  ])
  expect(ann.custom_fields_values[0].values[0].enum_code).toBe('WORK')
  const acme = await readRecord(api, 'companies', company_id!)
  expect([acme.name, tagNames(acme), textsOf(acme)]).toEqual(['Acme', ['big'], { PHONE: ['12'] }])
  // The new records are found by search.
  expect(idsIn(await api.get('/api/v4/contacts?query=15550100'), 'contacts')).toEqual([contact_id])
  expect(idsIn(await api.get('/api/v4/leads?query=Acme'), 'leads')).toEqual([id])
})

test.for([
  ['neither', undefined, undefined],
  ['a new contact', {}, undefined],
  ['a new company', undefined, {}],
  ['an empty contact and company', {}, {}],
] as const)('a lead with %s', async ([, contact, company]) => {
  const { api } = await newAccount()
  const [made] = await addComplex(api, item(contact, company))
  expect(made).toMatchObject({ request_id: ['0'], merged: false })
  expect([made!.contact_id !== null, made!.company_id !== null]).toEqual([
    contact !== undefined,
    company !== undefined,
  ])
  expect((await readRecord(api, 'leads', made!.id)).name).toBe(`Lead #${made!.id}`)
  const { contact_id, company_id } = made!
  expect((await linksOf(api, made!)).lead).toEqual({
    contacts: contact_id ? [[contact_id, true]] : [],
    companies: company_id ? [company_id] : [],
  })
})

test('a bare object is one item, and empty lists are none', async () => {
  const { api } = await newAccount()
  const one = await api.post(path, item({ name: 'Ann' }))
  expect([one.status, one.body.length]).toEqual([200, 1])
  const [empty] = await addComplex(api, {
    _embedded: { contacts: [], companies: [], tags: null },
    custom_fields_values: null,
  })
  expect(empty).toMatchObject({ contact_id: null, company_id: null })
})

test('what is there is named by its id and linked, the contact with the company too', async () => {
  const { api } = await newAccount()
  const contact = await addRecord(api, 'contacts')
  const company = await addRecord(api, 'companies')
  const [both] = await addComplex(api, item({ id: contact, is_main: true }, { id: company }))
  expect(both).toMatchObject({ contact_id: contact, company_id: company, merged: false })
  expect(await linksOf(api, both!)).toEqual({
    lead: { contacts: [[contact, true]], companies: [company] },
    contact: { leads: [both!.id], companies: [company] },
    company: { leads: [both!.id], contacts: [contact] },
  })
  // The contact keeps its company, and one that is already linked stays linked.
  const [again] = await addComplex(api, item({ id: contact }, { id: company }))
  const [other] = await addComplex(api, item({ id: contact }, { name: 'Another' }))
  expect((await linksOf(api, again!)).contact).toEqual({
    leads: [both!.id, again!.id, other!.id],
    companies: [company],
  })
  expect(await linksOf(api, other!)).toMatchObject({
    lead: { companies: [other!.company_id] },
    company: { leads: [other!.id], contacts: [] },
  })
})

test('a new one and one that is there are linked with each other', async () => {
  const { api } = await newAccount()
  const contact = await addRecord(api, 'contacts')
  const company = await addRecord(api, 'companies')
  const [withContact, withCompany] = await addComplex(
    api,
    item({ id: contact }, { name: 'New' }),
    item({ name: 'New' }, { id: company }),
  )
  expect((await linksOf(api, withContact!)).contact).toEqual({
    leads: [withContact!.id],
    companies: [withContact!.company_id],
  })
  expect((await linksOf(api, withCompany!)).company).toEqual({
    leads: [withCompany!.id],
    contacts: [withCompany!.contact_id],
  })
})

test('several items answer in their order; a contact that several name joins the company of the first', async () => {
  const { api } = await newAccount()
  const contact = await addRecord(api, 'contacts')
  const [company] = await addRecords(api, 'companies', [{}])
  const made = await addComplex(
    api,
    item(undefined, undefined, { name: 'One' }),
    item({ id: contact }, { name: 'First' }, { request_id: 2 }),
    item({ id: contact }, { name: 'Second' }),
    item({ id: contact }, { id: company }),
    item({ name: 'New' }),
  )
  expect(made.map(({ request_id }) => request_id)).toEqual([['0'], ['2'], ['2'], ['3'], ['4']])
  expect(made.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted((a, b) => a - b))
  expect(made.map(({ contact_id }) => contact_id)).toEqual([
    null,
    contact,
    contact,
    contact,
    expect.any(Number),
  ])
  expect((await linksOf(api, made[2]!)).contact).toEqual({
    leads: made.slice(1, 4).map(({ id }) => id),
    companies: [made[1]!.company_id],
  })
  expect((await readRecord(api, 'leads', made[0]!.id)).name).toBe('One')
})

test('the lead says its place and its source as everywhere', async () => {
  const account = await newAccount()
  const { api } = account
  const other = await addPipeline(account)
  const [source] = await addSources(api, {
    name: 'The site',
    external_id: 'site',
    pipeline_id: other.id,
  })
  const made = await addComplex(
    api,
    item({}, {}, { pipeline_id: other.id, status_id: won }),
    item({}, {}, {}, { source: { external_id: 'site' } }),
    item({}, {}, { status_id: other.statuses[1] }),
  )
  const places = []
  for (const { id } of made) {
    const { pipeline_id, status_id, source_id } = await readRecord(api, 'leads', id)
    places.push([pipeline_id, status_id, source_id])
  }
  expect(places).toEqual([
    [other.id, won, null],
    [other.id, other.statuses[0], source!.id],
    [other.id, other.statuses[1], null],
  ])
})

test('50 items with everything are made at once', async () => {
  const { api } = await newAccount()
  const items = Array.from({ length: 50 }, (_, place) =>
    item(
      { name: `Ann ${place}`, custom_fields_values: [phone(String(place))] },
      { name: `Acme ${place}` },
      { price: place },
    ),
  )
  const made = await addComplex(api, ...items)
  expect(made).toHaveLength(50)
  const last = made[49]!
  expect(await readRecord(api, 'leads', last.id)).toMatchObject({ price: 49 })
  expect((await readRecord(api, 'contacts', last.contact_id!)).name).toBe('Ann 49')
  expect((await readRecord(api, 'companies', last.company_id!)).name).toBe('Acme 49')
})
