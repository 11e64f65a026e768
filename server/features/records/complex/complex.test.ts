// Leads that are created with their contacts and companies in one request.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { rowsOf } from '../../../../test/account-data.ts'
import {
  addComplex,
  email,
  item,
  linksOf,
  path,
  person,
  phone,
  textsOf,
  withControl,
} from '../../../../test/complex.ts'
import {
  addPipeline,
  faultsOf,
  listen,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { addSources } from '../../../../test/origins.ts'
import {
  addRecord,
  addRecords,
  kinds,
  idsIn,
  readRecord,
  tagNames,
} from '../../../../test/records.ts'
import type { RightLevel } from '../../../access/rights.ts'
import type { Singular } from '../../../entity-types.ts'

// The records that each shape makes, and the links that each of them shows.
describe('creating', () => {
  test('a lost lead with its reason, its contact and its company', async () => {
    const { api } = await newAccount()
    const made = await api.post('/api/v4/leads/loss_reasons', [{ name: 'Too dear' }])
    const { id } = made.body._embedded.loss_reasons[0]
    const lost = { status_id: 143, loss_reason_id: id }
    const old = await addRecord(api, 'contacts', { name: 'Bo' })
    const [one, two] = await addComplex(
      api,
      item({ name: 'Ann' }, { name: 'Acme' }, lost),
      item({ id: old }, undefined, lost),
    )
    expect(two!.contact_id).toBe(old)
    for (const each of [one!, two!])
      expect((await readRecord(api, 'leads', each.id)).loss_reason_id).toBe(id)
  })

  test('the responsible user 0 of each part is the caller', async () => {
    const { api, admin } = await newAccount()
    const nobody = { responsible_user_id: 0 }
    const [made] = await addComplex(api, item(nobody, nobody, nobody))
    const { id, contact_id, company_id } = made!
    const parts = [
      await readRecord(api, 'leads', id),
      await readRecord(api, 'contacts', contact_id!),
      await readRecord(api, 'companies', company_id!),
    ]
    for (const part of parts) expect(part.responsible_user_id).toBe(admin.id)
  })

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
    // They are found as all records are.
    expect(idsIn(await api.get('/api/v4/contacts?query=15550100'), 'contacts')).toEqual([
      contact_id,
    ])
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
    // The contact keeps its company, and one that is linked already stays so.
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
    const drafts = []
    for (const { id } of made) {
      const { pipeline_id, status_id, source_id } = await readRecord(api, 'leads', id)
      drafts.push([pipeline_id, status_id, source_id])
    }
    expect(drafts).toEqual([
      [other.id, won, null],
      [other.id, other.statuses[0], source!.id],
      [other.id, other.statuses[1], null],
    ])
  })

  test('50 items with everything are made at once', async () => {
    const { api } = await newAccount()
    const items = Array.from({ length: 50 }, (_, index) =>
      item(
        { name: `Ann ${index}`, custom_fields_values: [phone(String(index))] },
        { name: `Acme ${index}` },
        { price: index },
      ),
    )
    const made = await addComplex(api, ...items)
    expect(made).toHaveLength(50)
    const last = made[49]!
    expect(await readRecord(api, 'leads', last.id)).toMatchObject({ price: 49 })
    expect((await readRecord(api, 'contacts', last.contact_id!)).name).toBe('Ann 49')
    expect((await readRecord(api, 'companies', last.company_id!)).name).toBe('Acme 49')
  })
})

// Each fault is answered at its place, all of them at once, and nothing is made.
describe('refusals', () => {
  const choice = (id: number) => ({ field_id: id, values: [{ value: 'x' }] })

  test('the faults of all parts of all items are listed under their items, at their places', async () => {
    const { api } = await newAccount()
    const wrong = {
      responsible_user_id: 999,
      custom_fields_values: [email('a'), choice(999)],
      tags_to_add: [{ id: 999 }],
    }
    const refused = await api.post(path, [
      item({}, {}),
      item(wrong, wrong, { ...wrong, request_id: 'bad', status_id: 999, _embedded: {} }),
      item({ id: 999 }, { id: 998 }, {}, { source: { external_id: 'nowhere' }, tags: [{}] }),
      item({
        custom_fields_values: [{ field_code: 'PHONE', values: [{ value: '1', enum_code: 'NO' }] }],
      }),
      item({ first_name: 5 }, { name: 'x'.repeat(256) }, { price: 'dear' }),
    ])
    expect(refused.status).toBe(400)
    const ofPart = (at: string) => [
      `NotSupportedChoice ${at}tags_to_add.0.id`,
      `NotSupportedChoice ${at}responsible_user_id`,
      `NotSupportedChoice ${at}custom_fields_values.1.field_id`,
    ]
    const faults = faultsOf(refused)
    expect(
      refused.body['validation-errors'].map((bad: { request_id: string }) => bad.request_id),
    ).toEqual(['bad', '2', '3', '4'])
    expect(faults['bad']!.toSorted()).toEqual(
      [
        ...ofPart(''),
        'NotSupportedChoice status_id',
        'NotSupportedChoice custom_fields_values.0.field_code',
        ...ofPart('_embedded.contacts.0.'),
        ...ofPart('_embedded.companies.0.'),
      ].toSorted(),
    )
    expect(faults['2']!.toSorted()).toEqual([
      'FieldMissing _embedded.tags.0.id',
      'NotSupportedChoice _embedded.companies.0.id',
      'NotSupportedChoice _embedded.contacts.0.id',
      'NotSupportedChoice _embedded.source.external_id',
    ])
    expect(faults['3']).toEqual([
      'NotSupportedChoice _embedded.contacts.0.custom_fields_values.0.values.0.enum_code',
    ])
    expect(faults['4']!.toSorted()).toEqual([
      'InvalidType _embedded.contacts.0.first_name',
      'InvalidType price',
      'TooLong _embedded.companies.0.name',
    ])
  })

  test('a loss reason that does not fit is refused as everywhere', async () => {
    const { api } = await newAccount()
    const made = await api.post('/api/v4/leads/loss_reasons', [{ name: 'Too dear' }])
    const { id } = made.body._embedded.loss_reasons[0]
    const refused = await api.post(path, [item({}, {}, { loss_reason_id: id, request_id: 'mine' })])
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['mine']])
  })

  test('the last item of many is wrong, and nothing at all is written', async () => {
    const account = await newAccount()
    const contact = await addRecord(account.api, 'contacts')
    const before = await rowsOf(account)
    const good = (index: number) =>
      item(
        {
          name: `Ann ${index}`,
          custom_fields_values: [phone(String(index))],
          tags_to_add: [{ name: `c${index}` }],
        },
        { name: 'Acme', tags_to_add: [{ name: `f${index}` }] },
        { tags_to_add: [{ name: `l${index}` }] },
      )
    const goods = Array.from({ length: 48 }, (_, index) => good(index))
    for (const bad of [
      item({}, { responsible_user_id: 999 }),
      item({}, { id: 999 }),
      item({ name: 5 }),
      item({}, {}, { price: [] }),
    ]) {
      expect(
        (await account.api.post(path, [...goods, item({ id: contact }, {}), bad])).status,
      ).toBe(400)
      expect(await rowsOf(account)).toEqual(before)
    }
  })

  test.for<[string, object, string]>([
    ['two contacts', { _embedded: { contacts: [{}, {}] } }, 'TooMany _embedded.contacts'],
    ['two companies', { _embedded: { companies: [{ id: 1 }, {}] } }, 'TooMany _embedded.companies'],
    [
      'metadata',
      item({}, {}, {}, { metadata: { category: 'sip' } }),
      'FieldMissing _embedded.metadata.phone',
    ],
    [
      'a name beside an id',
      item({ id: 5, name: 'Ann' }),
      'FieldNotExpected _embedded.contacts.0.name',
    ],
    [
      'tags beside an id',
      item(undefined, { id: 5, _embedded: { tags: [] } }),
      'FieldNotExpected _embedded.companies.0._embedded',
    ],
    ['an unknown key', item({ nickname: 'A' }), 'FieldNotExpected _embedded.contacts.0.nickname'],
    [
      'a main company',
      item(undefined, { is_main: true }),
      'FieldNotExpected _embedded.companies.0.is_main',
    ],
    [
      'a company of the contact',
      item({ _embedded: { companies: [{ id: 5 }] } }),
      'FieldNotExpected _embedded.contacts.0._embedded.companies',
    ],
    [
      'contacts of the company',
      item(undefined, { _embedded: { contacts: [] } }),
      'FieldNotExpected _embedded.companies.0._embedded.contacts',
    ],
    ['an id that is none', item({ id: 0 }), 'TooLow _embedded.contacts.0.id'],
    [
      'a contact that is none',
      { _embedded: { contacts: ['Ann'] } },
      'InvalidType _embedded.contacts.0',
    ],
    ['contacts that are none', { _embedded: { contacts: 1 } }, 'InvalidType _embedded.contacts'],
    ['links that are none', { _embedded: 'none' }, 'InvalidType _embedded'],
    ['an unknown key of the lead', { colour: 'red' }, 'FieldNotExpected colour'],
  ])('%s: refused at its place', async ([, draft, fault]) => {
    const account = await newAccount()
    const before = await rowsOf(account)
    const refused = await account.api.post(path, [{}, draft])
    expect([refused.status, faultsOf(refused)]).toEqual([400, { 1: [fault] }])
    expect(refused.body['validation-errors'][0].errors[0].detail).toMatch(/\.$/)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('what is only read may stand in every part, beside an id too', async () => {
    const { api } = await newAccount()
    const { contact_id, company_id } = (await addComplex(api, item({}, {})))[0]!
    const read = {
      account_id: 1,
      group_id: 5,
      is_deleted: false,
      closest_task_at: null,
      _links: {},
      request_id: 'x',
    }
    const [made] = await addComplex(
      api,
      item(
        { ...read, is_unsorted: false, is_main: false },
        read,
        { account_id: 1, id: 7, score: null },
        { metadata: null },
      ),
      item({ id: contact_id, ...read }, { id: company_id, ...read }),
    )
    expect(made!.id).not.toBe(7)
  })

  test('50 items and 40 values are all that is taken', async () => {
    const { api } = await newAccount()
    const many = (count: number) => ({
      custom_fields_values: [phone(...Array.from({ length: count }, (_, index) => String(index)))],
    })
    expect((await api.post(path, [item(many(40), many(40))])).status).toBe(200)
    const refused = await api.post(path, [item(many(41)), item(undefined, many(41)), many(41)])
    expect(faultsOf(refused)).toEqual({
      0: ['TooMany _embedded.contacts.0.custom_fields_values'],
      1: ['TooMany _embedded.companies.0.custom_fields_values'],
      2: ['TooMany custom_fields_values'],
    })
    const fields = Array.from({ length: 41 }, () => ({ field_code: 'PHONE', values: null }))
    const listed = await api.post(path, [item({ custom_fields_values: fields })])
    expect(faultsOf(listed)).toEqual({ 0: ['TooMany _embedded.contacts.0.custom_fields_values'] })
    for (const items of [Array.from({ length: 51 }, () => ({})), []])
      expect((await api.post(path, items)).status).toBe(400)
    expect(
      (
        await api.post(
          path,
          Array.from({ length: 50 }, () => ({})),
        )
      ).body,
    ).toHaveLength(50)
    for (const body of ['text', '[', 'null', '5'])
      expect((await api.post(path, body)).status).toBe(400)
  })

  test('where unknown keys are ignored they are so in every part, but what says something is not', async () => {
    const { api } = await newAccount({ unknownKeys: 'ignore' })
    const odd = {
      name: 'Ann',
      nickname: 'A',
      custom_fields_values: [{ ...phone('1'), colour: 'red' }],
    }
    expect((await api.post(path, item(odd, odd, { colour: 'red' }))).status).toBe(200)
    expect(faultsOf(await api.post(path, item({ id: 5, ...odd })))).toEqual({
      0: [
        'FieldNotExpected _embedded.contacts.0.name',
        'FieldNotExpected _embedded.contacts.0.custom_fields_values',
      ],
    })
  })
})

// The rights to create and to name records, and the records of another account.
describe('rights', () => {
  type Letters = Partial<Record<'view' | 'edit' | 'add', RightLevel>>
  const free = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const

  const withRights = (
    account: TestAccount,
    rights: Partial<Record<'leads' | (typeof kinds)[number], Letters>>,
  ) => account.addUser({ rights: { leads: free, contacts: free, companies: free, ...rights } })

  test('the right to add is needed for each kind that is new, and for no other', async () => {
    const account = await newAccount()
    const contact = await addRecord(account.api, 'contacts')
    const company = await addRecord(account.api, 'companies')
    const shapes = {
      contacts: item({}, { id: company }),
      companies: item({ id: contact }, {}),
      leads: {},
    }
    const answered: Record<string, number[]> = {}
    for (const kind of ['leads', ...kinds] as const) {
      const { api } = await withRights(account, { [kind]: { ...free, add: 'D' } })
      const before = await rowsOf(account)
      const statuses = []
      for (const shape of Object.values(shapes))
        statuses.push((await api.post(path, [{}, shape])).status)
      answered[kind] = statuses
      if (kind === 'leads') expect(await rowsOf(account)).toEqual(before)
    }
    expect(answered).toEqual({
      leads: [403, 403, 403],
      contacts: [403, 200, 200],
      companies: [200, 403, 200],
    })
  })

  test('a refusal tells which kind it is about', async () => {
    const account = await newAccount()
    const { api } = await withRights(account, { companies: { ...free, add: 'D' } })
    const refused = await api.post(path, [item({}, {})])
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'You have no right to add companies',
    ])
  })

  test('what one may not view is as if it were not there', async () => {
    const account = await newAccount()
    const user = await withRights(account, {
      contacts: { ...free, view: 'M' },
      companies: { ...free, view: 'M' },
    })
    const [contact, company] = [
      await addRecord(account.api, 'contacts'),
      await addRecord(account.api, 'companies'),
    ]
    const own = { responsible_user_id: user.id }
    const [mine, ours] = [
      await addRecord(account.api, 'contacts', own),
      await addRecord(account.api, 'companies', own),
    ]
    const before = await rowsOf(account)
    expect(
      faultsOf(
        await user.api.post(path, [
          item({ id: contact }, { id: company }),
          item({ id: mine }, { id: ours }),
        ]),
      ),
    ).toEqual({
      0: [
        'NotSupportedChoice _embedded.contacts.0.id',
        'NotSupportedChoice _embedded.companies.0.id',
      ],
    })
    expect(await rowsOf(account)).toEqual(before)
    const [made] = await addComplex(user.api, item({ id: mine }, { id: ours }))
    expect(made).toMatchObject({ contact_id: mine, company_id: ours })
  })

  test('two stored records are linked by a user who may edit the contact; a new one is linked by everybody', async () => {
    const account = await newAccount()
    const reader = await withRights(account, {
      contacts: { ...free, edit: 'D' },
      companies: { ...free, edit: 'D' },
    })
    const [contact, company] = [
      await addRecord(account.api, 'contacts'),
      await addRecord(account.api, 'companies'),
    ]
    const [apart] = await addComplex(reader.api, item({ id: contact }, { id: company }))
    expect(await linksOf(account.api, apart!)).toMatchObject({
      lead: { contacts: [[contact, true]], companies: [company] },
      contact: { companies: [] },
    })
    const [together] = await addComplex(reader.api, item({ id: contact }, {}))
    expect((await linksOf(account.api, together!)).contact).toMatchObject({
      companies: [together!.company_id],
    })
  })

  test('what is in the bin, or of another account, is not there', async () => {
    const [account, other] = [await newAccount(), await newAccount()]
    const [contact, company] = [
      await addRecord(account.api, 'contacts'),
      await addRecord(account.api, 'companies'),
    ]
    const gone = await addRecord(account.api, 'contacts')
    await account.api.delete(`/api/v4/contacts/${gone}`)
    expect(faultsOf(await account.api.post(path, item({ id: gone })))).toEqual({
      0: ['NotSupportedChoice _embedded.contacts.0.id'],
    })
    const before = await rowsOf(account)
    expect(faultsOf(await other.api.post(path, item({ id: contact }, { id: company })))).toEqual({
      0: [
        'NotSupportedChoice _embedded.contacts.0.id',
        'NotSupportedChoice _embedded.companies.0.id',
      ],
    })
    expect(await rowsOf(account)).toEqual(before)
  })
})

// Each new record is told once, each link at both ends, and each stored record that changed.
describe('news', () => {
  const link = (type: Singular, id: number | null) => [{ link: { entity: { type, id } } }]
  const note = [{ note: { id: expect.any(Number) } }]

  const plain = (events: Record<string, unknown>[]) =>
    events.map((event) => [
      event['entity_type'],
      event['entity_id'],
      event['type'],
      event['value_before'],
      event['value_after'],
    ])

  test('three new records are told as added, and of their links at both ends', async () => {
    const account = await newAccount()
    const user = await account.addUser()
    const newsSince = await listen(account)
    const [made] = await addComplex(
      user.api,
      item({ custom_fields_values: [phone('1')] }, {}, {}, { tags: [{ name: 'web' }] }),
    )
    const { id, contact_id, company_id } = made!
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      { entity_type: 'leads', entity_id: id, actions: ['add'], before: null, created_by: user.id },
      {
        entity_type: 'contacts',
        entity_id: contact_id,
        actions: ['add'],
        before: null,
        created_by: user.id,
      },
      {
        entity_type: 'companies',
        entity_id: company_id,
        actions: ['add'],
        before: null,
        created_by: user.id,
      },
    ])
    expect(plain(events)).toEqual([
      ['lead', id, 'lead_added', [], note],
      ['contact', contact_id, 'contact_added', [], note],
      ['company', company_id, 'company_added', [], note],
      ['lead', id, 'contact_linked', [], link('contact', contact_id)],
      ['lead', id, 'company_linked', [], link('company', company_id)],
      ['contact', contact_id, 'lead_linked', [], link('lead', id)],
      ['contact', contact_id, 'company_linked', [], link('company', company_id)],
      ['company', company_id, 'lead_linked', [], link('lead', id)],
      ['company', company_id, 'contact_linked', [], link('contact', contact_id)],
    ])
    expect(events.every(({ created_by }) => created_by === user.id)).toBe(true)
  })

  test('what was there is touched and told as changed, once for all its links', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const contact = await addRecord(api, 'contacts', { updated_at: 5, updated_by: 0 })
    const company = await addRecord(api, 'companies', { updated_at: 6, updated_by: 0 })
    const newsSince = await listen(account)
    const [one, two] = await addComplex(
      api,
      item({ id: contact }, { id: company }),
      item({ id: contact }),
    )
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      { entity_type: 'leads', entity_id: one!.id, actions: ['add'] },
      { entity_type: 'leads', entity_id: two!.id, actions: ['add'] },
      {
        entity_type: 'contacts',
        entity_id: contact,
        actions: ['update'],
        before: { updated_at: 5, updated_by: 0 },
      },
      {
        entity_type: 'companies',
        entity_id: company,
        actions: ['update'],
        before: { updated_at: 6, updated_by: 0 },
      },
    ])
    expect(plain(events)).toEqual([
      ['lead', one!.id, 'lead_added', [], note],
      ['lead', two!.id, 'lead_added', [], note],
      ['lead', one!.id, 'contact_linked', [], link('contact', contact)],
      ['lead', one!.id, 'company_linked', [], link('company', company)],
      ['lead', two!.id, 'contact_linked', [], link('contact', contact)],
      ['contact', contact, 'lead_linked', [], link('lead', one!.id)],
      ['contact', contact, 'company_linked', [], link('company', company)],
      ['contact', contact, 'lead_linked', [], link('lead', two!.id)],
      ['company', company, 'lead_linked', [], link('lead', one!.id)],
      ['company', company, 'contact_linked', [], link('contact', contact)],
    ])
    const { updated_at } = await readRecord(api, 'leads', one!.id)
    expect(await readRecord(api, 'contacts', contact)).toMatchObject({
      updated_at,
      updated_by: admin.id,
    })
    expect(await readRecord(api, 'companies', company)).toMatchObject({
      updated_at,
      updated_by: admin.id,
    })
  })

  test('a lead alone is told as added and nothing else', async () => {
    const account = await newAccount()
    const newsSince = await listen(account)
    const [made] = await addComplex(account.api, { price: 3 })
    const { journal, events } = await newsSince()
    expect(journal.map(({ entity_id, actions }) => [entity_id, actions])).toEqual([
      [made!.id, ['add']],
    ])
    expect(plain(events)).toEqual([['lead', made!.id, 'lead_added', [], note]])
  })
})

// An unsorted item waits, and a lead without metadata is created at once.
describe('items with metadata among others', () => {
  const waiting = (lead: object = {}, embedded: object = {}) =>
    item({ name: 'Ann' }, undefined, lead, { metadata: { category: 'forms' }, ...embedded })

  test.for(['wp', 'pw', 'wpw', 'pwp', 'wwpp', 'ppww', 'pwwp', 'wppw', 'pwpwpw', 'w', 'ww', 'pp'])(
    '%s (w waits, p does not): every lead is answered at its position',
    async (mix) => {
      const account = await newAccount()
      const { api } = account
      const main = await mainPipeline(account)
      const waits = mix.split('').map((each) => each === 'w')
      const drafts = waits.map((does, index) => {
        const lead = { name: `Lead ${index}`, request_id: `row ${index}` }
        return does ? waiting(lead) : item({ name: 'Bob' }, undefined, lead)
      })
      const made = await addComplex(api, ...drafts)
      const rows = waits.map((_, index) => [`row ${index}`])
      expect(made.map(({ request_id }) => request_id)).toEqual(rows)
      const leads = await Promise.all(made.map(({ id }) => readLead(api, id)))
      expect(leads.map(({ name }) => name)).toEqual(waits.map((_, index) => `Lead ${index}`))
      expect(leads.map(({ status_id }) => status_id === main.unsorted)).toEqual(waits)
      const shown = await Promise.all(
        made.map(({ contact_id }) => api.get(`/api/v4/contacts/${contact_id}`)),
      )
      expect(shown.map(({ status }) => status)).toEqual(waits.map((does) => (does ? 404 : 200)))
    },
  )

  test('items that are merged into one lead stand where the first of them stood', async () => {
    const { account, api } = await withControl()
    const ann = (request_id: string) => ({ ...item(person(phone('1'))), request_id })
    const [stored] = await addComplex(api, ann('first'))
    const main = await mainPipeline(account)
    const made = await addComplex(
      api,
      waiting({ request_id: 'a' }),
      ann('b'),
      waiting({ request_id: 'c' }),
      ann('d'),
    )
    expect(made.map(({ request_id, merged }) => [request_id, merged])).toEqual([
      [['a'], false],
      [['b', 'd'], true],
      [['c'], false],
    ])
    expect(made[1]!.id).toBe(stored!.id)
    expect((await readLead(account.api, made[2]!.id)).status_id).toBe(main.unsorted)
  })

  test('the faults of both are listed together, and nothing is written', async () => {
    const account = await newAccount()
    const before = await rowsOf(account)
    const tags = [{ name: 'never' }]
    const refused = await account.api.post(path, [
      item({}, {}, {}, { tags }),
      waiting({ status_id: 1 }, { tags: [{ id: 7 }] }),
      item({ responsible_user_id: 999 }),
      waiting({}, { tags }),
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        1: ['NotSupportedChoice _embedded.tags.0.id'],
        2: ['NotSupportedChoice _embedded.contacts.0.responsible_user_id'],
      },
    ])
    expect(await rowsOf(account)).toEqual(before)
  })

  test('tags of both are made once', async () => {
    const account = await newAccount()
    const { api } = account
    const { id: pipeline_id } = await mainPipeline(account)
    const site = { name: 'site' }
    const [one, two] = await addComplex(
      api,
      waiting({ pipeline_id }, { tags: [site] }),
      item(
        { tags_to_add: [{ name: 'vip' }] },
        {},
        { pipeline_id },
        { tags: [site, { name: 'shop' }] },
      ),
    )
    const [lead, other] = [await readLead(api, one!.id), await readLead(api, two!.id)]
    expect([tagNames(lead), tagNames(other)]).toEqual([['site'], ['site', 'shop']])
    expect(lead._embedded.tags[0]).toEqual(other._embedded.tags[0])
  })
})
