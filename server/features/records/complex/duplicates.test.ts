// Duplicate control: stored contacts and their open leads take the place of new ones.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { admin } from '../../../../test/actor.ts'
import { contactsLike } from './queries.ts'
import type { Client } from '../../../../test/client.ts'
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
import { addField, addFields, chosen, valueOf } from '../../../../test/fields.ts'
import {
  addLead,
  addPipeline,
  faultsOf,
  listen,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { anotherIntegration } from '../../../../test/origins.ts'
import { addRecord, addRecords, idsIn, readRecord, tagNames } from '../../../../test/records.ts'

// Where it is on, and which stored contact and lead take the place of new ones.
describe('finding', () => {
  const ann = item(person(phone('+1 (555) 0100'), email('Ann@X.example')))

  test('a stored contact with the phone or the e-mail, and its open lead, take the place of new ones', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, ann)
    expect(first).toMatchObject({ merged: false })
    const same = [
      phone('15550100'),
      phone('+1-555-01-00'),
      email('ANN@x.EXAMPLE'),
      email('other@x.example', 'ann@x.example'),
    ]
    for (const field of same) {
      const [made] = await addComplex(api, { ...item(person(field)), request_id: 'again' })
      expect(made).toEqual({ ...first, request_id: ['again'], merged: true })
    }
    expect((await linksOf(api, first!)).lead).toEqual({
      contacts: [[first!.contact_id, true]],
      companies: [],
    })
    expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([first!.contact_id])
    expect(idsIn(await api.get('/api/v4/leads'), 'leads')).toEqual([first!.id])
  })

  test.for<[string, object]>([
    ['another phone', item(person(phone('15550101')))],
    ['a phone in the field of e-mails', item(person(email('15550100')))],
    ['a longer e-mail', item(person(email('joann@x.example')))],
    ['no phone and no e-mail', item({ name: 'Ann' })],
    ['a phone without a digit', item(person(phone('unknown')))],
    ['a company with the phone', item(undefined, person(phone('15550100')))],
    ['no contact', {}],
  ])('%s is no match', async ([, draft]) => {
    const { api } = await withControl()
    const nobody = await addRecord(api, 'contacts', person(phone('unknown')))
    const [first] = await addComplex(api, ann)
    const [other] = await addComplex(api, draft)
    expect(other!.merged).toBe(false)
    expect([first!.contact_id, nobody]).not.toContain(other!.contact_id)
  })

  test('a company with the phone is not the contact', async () => {
    const { api } = await withControl()
    await addRecord(api, 'companies', person(phone('15550100')))
    const [made] = await addComplex(api, ann)
    expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([made!.contact_id])
  })

  test('it is off by default, for other integrations, for tokens of the server, and in other pipelines', async () => {
    const { account, api, pipeline, control } = await withControl()
    const other = await addPipeline(account)
    const [first] = await addComplex(api, ann)
    for (const caller of [account.api, await anotherIntegration(account)]) {
      const [made] = await addComplex(caller, ann)
      expect([made!.merged, made!.contact_id === first!.contact_id]).toEqual([false, false])
      await caller.delete(`/api/v4/contacts/${made!.contact_id}`)
    }
    const [elsewhere] = await addComplex(api, { ...ann, pipeline_id: other.id })
    expect([elsewhere!.merged, elsewhere!.contact_id === first!.contact_id]).toEqual([false, false])
    await api.delete(`/api/v4/contacts/${elsewhere!.contact_id}`)
    // The pipeline is that of the status, too, and each is looked through by itself.
    await control(pipeline, other.id)
    const [there] = await addComplex(api, { ...ann, status_id: other.statuses[1] })
    expect(there).toMatchObject({ merged: false, contact_id: first!.contact_id })
    const again = await addComplex(api, { ...ann, status_id: other.statuses[2] }, ann)
    expect(again.map(({ id, merged }) => [id, merged])).toEqual([
      [there!.id, true],
      [first!.id, true],
    ])
    expect(await readLead(api, there!.id)).toMatchObject({ status_id: other.statuses[1] })
    await control()
    expect((await addComplex(api, ann))[0]).toMatchObject({ merged: false })
  })

  test('another account does not hear of it', async () => {
    const [one, two] = [await withControl(), await withControl()]
    const [theirs] = await addComplex(one.api, ann)
    const [ours] = await addComplex(two.api, ann)
    expect([ours!.merged, ours!.contact_id === theirs!.contact_id]).toEqual([false, false])
  })

  test('of up to three contacts the oldest is taken, of more the oldest with the same name', async () => {
    const { account, api } = await withControl()
    const called = (name: string, ...fields: object[]) => ({ ...person(...fields), name })
    const ids = await addRecords(account.api, 'contacts', [
      called('Desk', phone('15550100')),
      { ...called('Bob', phone('15550100')), created_at: 5 },
      called('Ann', email('ann@x.example')),
    ])
    const [made] = await addComplex(api, ann)
    expect(made).toMatchObject({ merged: false, contact_id: ids[0] })
    const more = await addRecords(account.api, 'contacts', [
      // One contact that has both counts once.
      called('Ann', email('ann@x.example'), phone('1 555 0100')),
      called('Eve', phone('1')),
    ])
    // The name is compared in any case, and spaces around it do not count.
    const both = [phone('15550100'), email('ann@x.example')]
    const [second] = await addComplex(api, item(called(' ANN ', ...both)))
    expect(second).toMatchObject({ merged: false, contact_id: ids[2] })
    expect((await addComplex(api, ann))[0]).toEqual({ ...second, merged: true })
    // The name alone is no match, and a name that none of the four has is another person.
    const [third] = await addComplex(api, item(called('Eve', phone('15550100'))))
    expect(third!.merged).toBe(false)
    expect([...ids, ...more]).not.toContain(third!.contact_id)
    const again = item({ first_name: 'eve', custom_fields_values: [phone('15550100')] })
    expect((await addComplex(api, again))[0]).toEqual({ ...third, merged: true })
    const nameless = item({ custom_fields_values: [phone('15550100')] })
    const [fourth] = await addComplex(api, nameless)
    expect(fourth!.merged).toBe(false)
    expect((await addComplex(api, nameless))[0]).toEqual({ ...fourth, merged: true })
    for (const id of [...more, third!.contact_id, fourth!.contact_id, ids[2]])
      await api.delete(`/api/v4/contacts/${id}`)
    expect((await addComplex(api, ann))[0]).toMatchObject({
      merged: true,
      id: made!.id,
      contact_id: ids[0],
    })
  })

  test('many contacts that once were created at the same time are one person again', async () => {
    const { account, api } = await withControl()
    const [oldest] = await addRecords(
      account.api,
      'contacts',
      Array.from({ length: 20 }, () => person(phone('15550100'))),
    )
    const [first] = await addComplex(api, ann)
    const [second] = await addComplex(api, ann)
    expect([first, second]).toEqual([
      expect.objectContaining({ contact_id: oldest, merged: false }),
      { ...first, merged: true },
    ])
  })

  test('a contact in the bin is nobody, and neither is one whose phone is gone', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, ann)
    await api.delete(`/api/v4/contacts/${first!.contact_id}`)
    const [second] = await addComplex(api, ann)
    expect([second!.merged, second!.contact_id === first!.contact_id]).toEqual([false, false])
    await api.patch(`/api/v4/contacts/${second!.contact_id}`, {
      custom_fields_values: [phone('1'), email('a@b.example')],
    })
    const [third] = await addComplex(api, ann)
    expect([third!.merged, third!.contact_id === second!.contact_id]).toEqual([false, false])
  })

  test('the newest open lead of the contact is taken, and none that is closed, unsorted, in the bin or elsewhere', async () => {
    const { account, api } = await withControl()
    const { unsorted } = await mainPipeline(account)
    const other = await addPipeline(account)
    const [first] = await addComplex(api, ann)
    const contacts = [{ id: first!.contact_id }]
    const leadOf = (draft: object = {}) => addLead(api, { ...draft, _embedded: { contacts } })
    const newest = await leadOf()
    await leadOf({ status_id: won })
    await leadOf({ pipeline_id: other.id })
    await api.delete(`/api/v4/leads/${await leadOf()}`)
    await addLead(api, {})
    expect((await addComplex(api, ann))[0]).toMatchObject({ merged: true, id: newest })
    await api.patch(`/api/v4/leads/${newest}`, { status_id: lost })
    expect((await addComplex(api, ann))[0]).toMatchObject({ merged: true, id: first!.id })
    await account.kontor.database.transaction((tx) =>
      tx.rows(
        sql`update leads set status_id = ${unsorted} where account_id = ${account.id} and id = ${first!.id}`,
      ),
    )
    const [last] = await addComplex(api, ann)
    expect(last).toMatchObject({ merged: false, contact_id: first!.contact_id })
    expect((await linksOf(api, last!)).lead.contacts).toEqual([[first!.contact_id, true]])
  })

  test('a contact that is named by its id is no new one', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, ann)
    const [made] = await addComplex(api, item({ id: first!.contact_id! }))
    expect(made).toMatchObject({ merged: false, contact_id: first!.contact_id })
  })

  test('only what is stored counts, and items that go into one lead are one element at the place of the first', async () => {
    const { api } = await withControl()
    const twins = await addComplex(api, ann, ann)
    expect(twins.map(({ merged }) => merged)).toEqual([false, false])
    expect(twins[0]!.contact_id).not.toBe(twins[1]!.contact_id)
    const calls = [{ ...ann, request_id: 'a' }, { request_id: 'b' }, { ...ann, request_id: 'c' }]
    const made = await addComplex(api, ...calls, item(person(phone('7')), {}, { request_id: 'd' }))
    expect(made.map(({ request_id, merged }) => [request_id, merged])).toEqual([
      [['a', 'c'], true],
      [['b'], false],
      [['d'], false],
    ])
    expect(made[0]).toMatchObject({ id: twins[0]!.id, contact_id: twins[0]!.contact_id })
  })

  test('nothing is merged by a batch that is refused', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, ann)
    const before = await readLead(api, first!.id)
    const refused = await api.post('/api/v4/leads/complex', [
      { ...ann, price: 5 },
      { status_id: 999_999_999 },
    ])
    expect(refused.status).toBe(400)
    expect(await readLead(api, first!.id)).toEqual(before)
  })

  test('a stored contact that would become too heavy refuses the batch', async () => {
    const { account, api } = await withControl()
    const fields = await addFields(
      account,
      'contacts',
      Array.from({ length: 5 }, () => ({ type: 'textarea' as const })),
    )
    const filled = fields.map((field) => valueOf(field, { value: 'x'.repeat(60_000) }))
    const [first] = await addComplex(api, item(person(phone('15550100'), ...filled.slice(0, 4))))
    const before = (await api.get(`/api/v4/contacts/${first!.contact_id}`)).body
    const refused = await api.post(path, [
      { ...item(person(phone('15550101'))), request_id: 'light' },
      { ...item(person(phone('15550100'), filled[4]!)), request_id: 'heavy' },
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { heavy: ['TooLong _embedded.contacts.0.custom_fields_values'] },
    ])
    expect(idsIn(await api.get('/api/v4/contacts'), 'contacts')).toEqual([first!.contact_id])
    expect((await api.get(`/api/v4/contacts/${first!.contact_id}`)).body).toEqual(before)
  })
})

// Only contacts and leads that the actor may view and edit count as duplicates.
describe('rights', () => {
  const ann = item(person(phone('1')))
  const free = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
  const all = { leads: free, contacts: free, companies: free }

  test.for(['view', 'edit'] as const)(
    'a contact that one may not %s is no match, nor does it count among the matches',
    async (action) => {
      const { account, through } = await withControl()
      const user = await account.addUser({
        rights: { ...all, contacts: { ...free, [action]: 'M' } },
      })
      const api = await through(user)
      const hidden = [await addRecord(account.api, 'contacts', person(phone('1')))]
      for (let more = 0; more < 3; more++)
        hidden.push(await addRecord(account.api, 'contacts', person(phone('1'))))
      const [made] = await addComplex(api, ann)
      expect(made!.merged).toBe(false)
      expect(hidden).not.toContain(made!.contact_id)
      expect((await addComplex(api, ann))[0]).toMatchObject({
        id: made!.id,
        contact_id: made!.contact_id,
        merged: true,
      })
    },
  )

  test.for(['view', 'edit'] as const)(
    'a lead that one may not %s is not merged into; the contact gets another',
    async (action) => {
      const { account, api, through } = await withControl()
      const user = await account.addUser({ rights: { ...all, leads: { ...free, [action]: 'M' } } })
      const [first] = await addComplex(api, ann)
      const before = await readRecord(api, 'leads', first!.id)
      const [made] = await addComplex(await through(user), { ...ann, price: 5 })
      expect(made).toMatchObject({ contact_id: first!.contact_id, merged: false })
      expect(await readRecord(api, 'leads', first!.id)).toEqual(before)
    },
  )

  test('the company of the lead is not told to who may not view it, and is not replaced', async () => {
    const { account, api, through } = await withControl()
    const user = await account.addUser({ rights: { ...all, companies: { ...free, view: 'M' } } })
    const [first] = await addComplex(api, item(person(phone('1')), { name: 'Acme' }))
    const [made] = await addComplex(
      await through(user),
      item(person(phone('1')), { name: 'Other' }),
    )
    expect(made).toEqual({ ...first, company_id: null, merged: true })
    expect((await linksOf(api, first!)).lead.companies).toEqual([first!.company_id])
  })
})

// A stored contact and its lead gain values from new ones and keep their own; the news tells of it.
describe('merging', () => {
  const position = (value: string) => ({ field_code: 'POSITION', values: [{ value }] })

  test('the contact gains phones, e-mails, tags and what is empty, and keeps all that it has', async () => {
    const { account, api } = await withControl()
    const list = await addField(account, 'contacts', { type: 'multiselect', enums: ['a', 'b'] })
    const text = await addField(account, 'contacts', { type: 'text' })
    const [a, b] = list.enums
    const [first] = await addComplex(
      api,
      item({
        name: 'Ann',
        last_name: 'Lee',
        tags_to_add: [{ name: 'old' }],
        custom_fields_values: [
          phone('+1 555 0100'),
          position('Boss'),
          valueOf(list, { enum_id: a!.id }),
        ],
      }),
    )
    const values = [
      phone('15550100', '2', '+2'),
      email('Ann@x.example', 'ann@X.example'),
      position('Clerk'),
    ]
    await addComplex(
      api,
      item({
        name: 'Anna',
        first_name: 'Anna',
        last_name: 'Leeds',
        responsible_user_id: (await account.addUser()).id,
        custom_fields_values: [
          ...values,
          valueOf(list, { enum_id: b!.id }),
          valueOf(text, { value: 'new' }),
        ],
        _embedded: { tags: [{ name: 'OLD' }, { name: 'web' }] },
      }),
    )
    const ann = await readRecord(api, 'contacts', first!.contact_id!)
    expect(ann).toMatchObject({
      name: 'Ann',
      first_name: 'Anna',
      last_name: 'Lee',
      responsible_user_id: account.admin.id,
    })
    expect(tagNames(ann)).toEqual(['old', 'web'])
    const { null: _, ...texts } = textsOf(ann)
    expect(texts).toEqual({
      PHONE: ['+1 555 0100', '2'],
      EMAIL: ['Ann@x.example'],
      POSITION: ['Boss'],
    })
    const shown = (id: number) =>
      ann.custom_fields_values.find((field: { field_id: number }) => field.field_id === id).values
    expect([shown(list.id), shown(text.id)]).toEqual([[chosen(a!)], [{ value: 'new' }]])
    // The gained values are found.
    for (const query of ['query=ann@x.example', 'query=Anna']) {
      expect(idsIn(await api.get(`/api/v4/contacts?${query}`), 'contacts')).toEqual([
        first!.contact_id,
      ])
    }
    expect((await addComplex(api, item(person(phone('2')))))[0]).toMatchObject({
      id: first!.id,
      merged: true,
    })
  })

  test('the lead gains tags, a price and empty fields, and keeps all that it has', async () => {
    const { account, api } = await withControl()
    const [one, two] = [
      await addField(account, 'leads', { type: 'text' }),
      await addField(account, 'leads', { type: 'text' }),
    ]
    const of = (draft: object) => ({ ...item(person(phone('1'))), ...draft })
    const [first] = await addComplex(
      api,
      of({
        name: 'Order',
        custom_fields_values: [valueOf(one, { value: 'a' })],
        tags_to_add: [{ name: 'x' }],
      }),
    )
    const values = [valueOf(one, { value: 'b' }), valueOf(two, { value: 'crimson' })]
    await addComplex(
      api,
      of({
        name: 'Another',
        price: 5,
        status_id: 142,
        custom_fields_values: values,
        tags_to_add: [{ name: 'y' }],
      }),
      of({ price: 7, tags_to_add: [{ name: 'z' }] }),
    )
    const lead = await readRecord(api, 'leads', first!.id)
    expect(lead).toMatchObject({ name: 'Order', price: 5, closed_at: null })
    expect([lead.status_id === 142, tagNames(lead)]).toEqual([false, ['x', 'y', 'z']])
    const filled = lead.custom_fields_values.map(
      ({ values: [{ value }] }: { values: [{ value: string }] }) => value,
    )
    expect(filled).toEqual(['a', 'crimson'])
    expect(idsIn(await api.get('/api/v4/leads?query=crimson'), 'leads')).toEqual([first!.id])
  })

  test('what it gained is told as a change, and the lead also that something was merged into it', async () => {
    const { account, api, pipeline } = await withControl()
    const [first] = await addComplex(
      api,
      item({ first_name: 'Ann', custom_fields_values: [phone('1')] }),
    )
    const newsSince = await listen(account)
    await addComplex(
      api,
      item(person(phone('1', '2')), undefined, {
        price: 5,
        pipeline_id: pipeline,
        tags_to_add: [{ name: 'x' }],
      }),
    )
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      {
        entity_type: 'leads',
        entity_id: first!.id,
        actions: ['update'],
        before: { price: 0, tag_ids: [] },
        after: { price: 5 },
      },
      { entity_type: 'contacts', entity_id: first!.contact_id, actions: ['update'] },
    ])
    expect(Object.keys(journal[1]!.before!)).toContain('custom_fields_values')
    const field = events.find(({ type }) => type.startsWith('custom_field_'))!
    expect(
      events.map(({ entity_type, entity_id, type }) => [entity_type, entity_id, type]),
    ).toEqual([
      ['lead', first!.id, 'sale_field_changed'],
      ['lead', first!.id, 'entity_tag_added'],
      ['contact', first!.contact_id, expect.stringMatching(/^custom_field_\d+_value_changed$/)],
      ['lead', first!.id, 'entity_merged'],
    ])
    expect(field.value_after).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({ value_before: [], value_after: [] })
  })

  test('a merge that brings nothing new changes nothing, and is told once for all items', async () => {
    const { account, api } = await withControl()
    const same = item(person(phone('1')))
    const [first] = await addComplex(api, same)
    const before = [
      await readRecord(api, 'leads', first!.id),
      await readRecord(api, 'contacts', first!.contact_id!),
    ]
    account.clock.ahead += 60
    const newsSince = await listen(account)
    await addComplex(api, same, same)
    expect([
      await readRecord(api, 'leads', first!.id),
      await readRecord(api, 'contacts', first!.contact_id!),
    ]).toEqual(before)
    const { journal, events } = await newsSince()
    expect([journal, events.map(({ type, entity_id }) => [type, entity_id])]).toEqual([
      [],
      [['entity_merged', first!.id]],
    ])
  })

  test('a new lead of a stored contact is told as added, and the contact as changed once', async () => {
    const { account, api } = await withControl()
    const contact = await addRecord(api, 'contacts', person(phone('1')))
    const newsSince = await listen(account)
    const [made] = await addComplex(api, item(person(phone('1', '2'))))
    const { journal, events } = await newsSince()
    expect(made).toMatchObject({ contact_id: contact, merged: false })
    expect(
      journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
    ).toEqual([
      ['leads', made!.id, ['add']],
      ['contacts', contact, ['update']],
    ])
    expect(
      events.map(({ entity_type, type }) => `${entity_type} ${type.replace(/\d+/, 'N')}`),
    ).toEqual([
      'lead lead_added',
      'contact custom_field_N_value_changed',
      'lead contact_linked',
      'contact lead_linked',
    ])
  })

  test('a field that is full takes no more', async () => {
    const { api } = await withControl()
    const numbers = Array.from({ length: 249 }, (_, index) => String(1000 + index))
    const contact = await addRecord(api, 'contacts', person(phone(...numbers)))
    for (const more of ['1', '2']) {
      const [made] = await addComplex(api, item(person(phone('1000', more, '3'))))
      expect(made).toMatchObject({ contact_id: contact })
    }
    expect(textsOf(await readRecord(api, 'contacts', contact))['PHONE']).toEqual([...numbers, '1'])
  })
})

// The company of an item whose contact, or whose contact and lead, are stored already.
describe('companies', () => {
  const ann = person(phone('1'))
  const firms = async (api: Client) => idsIn(await api.get('/api/v4/companies'), 'companies')

  test('a lead without a company gets the new one, and so does its contact', async () => {
    const { account, api } = await withControl()
    const [first] = await addComplex(api, item(ann))
    const newsSince = await listen(account)
    const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
    expect(made).toEqual({ ...first, company_id: expect.any(Number), merged: true })
    expect(await linksOf(api, made!)).toEqual({
      lead: { contacts: [[first!.contact_id, true]], companies: [made!.company_id] },
      contact: { leads: [first!.id], companies: [made!.company_id] },
      company: { leads: [first!.id], contacts: [first!.contact_id] },
    })
    const { journal, events } = await newsSince()
    expect(
      journal.map(({ entity_type, entity_id, actions }) => [entity_type, entity_id, actions]),
    ).toEqual([
      ['companies', made!.company_id, ['add']],
      ['leads', first!.id, ['update']],
      ['contacts', first!.contact_id, ['update']],
    ])
    expect(events.map(({ entity_type, type }) => `${entity_type} ${type}`)).toEqual([
      'company company_added',
      'lead company_linked',
      'contact company_linked',
      'company lead_linked',
      'company contact_linked',
      'lead entity_merged',
    ])
  })

  test('a lead and a contact with a company keep it, and no other is made for nobody', async () => {
    const { account, api } = await withControl()
    const [first] = await addComplex(api, item(ann, { name: 'Acme' }))
    const newsSince = await listen(account)
    const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
    expect(made).toEqual({ ...first, merged: true })
    expect(await firms(api)).toEqual([first!.company_id])
    const { journal, events } = await newsSince()
    expect([journal, events.map(({ type }) => type)]).toEqual([[], ['entity_merged']])
  })

  test('the new company goes to the one of the two that has room', async () => {
    const { api } = await withControl()
    const contact = await addRecord(api, 'contacts', ann)
    const [first] = await addComplex(api, item(ann))
    await api.post(`/api/v4/contacts/${contact}/link`, [
      { to_entity_id: await addRecord(api, 'companies'), to_entity_type: 'companies' },
    ])
    const [made] = await addComplex(api, item(ann, { name: 'Acme' }))
    expect(made).toMatchObject({ id: first!.id, contact_id: contact, merged: true })
    expect(await linksOf(api, made!)).toMatchObject({
      lead: { companies: [made!.company_id] },
      company: { leads: [first!.id], contacts: [] },
    })
    expect(await firms(api)).toHaveLength(2)
  })

  test('of several items that go into one lead the first brings the company', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, item(ann))
    const [made, ...others] = await addComplex(
      api,
      item(ann),
      item(ann, { name: 'One' }),
      item(ann, { name: 'Two' }),
    )
    expect([made!.id, made!.request_id, others]).toEqual([first!.id, ['0', '1', '2'], []])
    expect(await firms(api)).toEqual([made!.company_id])
    expect((await readRecord(api, 'companies', made!.company_id!)).name).toBe('One')
  })

  test('one that is named by its id is linked where there is room, and stays as it is', async () => {
    const { api } = await withControl()
    const [one, two] = [
      await addRecord(api, 'companies', { name: 'One' }),
      await addRecord(api, 'companies', { name: 'Two' }),
    ]
    const [first] = await addComplex(api, item(ann))
    const [made] = await addComplex(api, item(ann, { id: one }))
    expect(made).toEqual({ ...first, company_id: one, merged: true })
    const [again] = await addComplex(api, item(ann, { id: two }))
    expect((await linksOf(api, again!)).lead.companies).toEqual([one])
    expect((await linksOf(api, { ...again!, company_id: two })).company).toEqual({
      leads: [],
      contacts: [],
    })
  })

  test('a new lead of a stored contact gets the new company; the contact keeps its own', async () => {
    const { api } = await withControl()
    const [first] = await addComplex(api, item(ann, { name: 'Acme' }))
    await api.patch(`/api/v4/leads/${first!.id}`, { status_id: 143 })
    const [made] = await addComplex(api, item(ann, { name: 'Other' }))
    expect(made).toMatchObject({ contact_id: first!.contact_id, merged: false })
    expect(await linksOf(api, made!)).toMatchObject({
      lead: { companies: [made!.company_id] },
      contact: { leads: [first!.id, made!.id], companies: [first!.company_id] },
      company: { contacts: [] },
    })
  })
})

test('the contacts of each item are counted by themselves', async () => {
  const { id: accountId, api, kontor } = await newAccount()
  const drafts = [
    ...Array.from({ length: 6 }, (_, index) => ({ ...person(phone('100')), name: `N ${index}` })),
    person(phone('105')),
  ]
  const ids = await addRecords(api, 'contacts', drafts)
  const field = await kontor.database.row<{ field_id: number }>(
    sql`select field_id from field_texts where account_id = ${accountId} limit 1`,
  )
  const keys = ['100', '105', 'no', '100'].map((value, index) => ({
    place: index,
    ...field!,
    value,
  }))
  const named = ['N 4', 'x', 'N 4', 'N 9'].map((name, index) => ({ place: index, name }))
  const found = await kontor.database.list<{ place: number; id: number }>(
    contactsLike({ ...admin, accountId }, keys, named),
  )
  expect(found.toSorted((a, b) => a.place - b.place)).toEqual([
    { place: 0, id: ids[4] },
    { place: 1, id: ids[6] },
  ])
})
