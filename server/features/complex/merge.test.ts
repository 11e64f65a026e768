// What a stored contact and its lead gain from the new ones they replace, what they keep, and the
// events of it.
import { expect, test } from 'vitest'
import {
  addComplex,
  email,
  item,
  person,
  phone,
  textsOf,
  withControl,
} from '../../../test/complex.ts'
import { addField, chosen, valueOf } from '../../../test/fields.ts'
import { listen } from '../../../test/leads.ts'
import { addRecord, idsIn, readRecord, tagNames } from '../../../test/records.ts'

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
  // The added values are found by search.
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
  const field = events.find(({ type }) => type === 'custom_field_value_changed')!
  expect(events.map(({ entity_type, entity_id, type }) => [entity_type, entity_id, type])).toEqual([
    ['lead', first!.id, 'sale_field_changed'],
    ['lead', first!.id, 'entity_tag_added'],
    ['contact', first!.contact_id, 'custom_field_value_changed'],
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
    'contact custom_field_value_changed',
    'contact custom_field_N_value_changed',
    'lead contact_linked',
    'contact lead_linked',
  ])
})

test('a field that is full takes no more', async () => {
  const { api } = await withControl()
  const numbers = Array.from({ length: 249 }, (_, place) => String(1000 + place))
  const contact = await addRecord(api, 'contacts', person(phone(...numbers)))
  for (const more of ['1', '2']) {
    const [made] = await addComplex(api, item(person(phone('1000', more, '3'))))
    expect(made).toMatchObject({ contact_id: contact })
  }
  expect(textsOf(await readRecord(api, 'contacts', contact))['PHONE']).toEqual([...numbers, '1'])
})
