import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { addPipeline, faultsOf, mainPipeline } from '../../../../../test/leads.ts'
import { movedBefore, sortedAnew } from './order.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const path = '/web/v1/fields'
type Entity = 'leads' | 'contacts' | 'companies' | 'customers' | 'segments'
const interfaceOf = (entity: Entity) =>
  `/api/v4/${entity === 'segments' ? 'customers/segments' : entity}/custom_fields`

async function add(entity: Entity, draft: object = {}, { api } = account) {
  const made = await api.post(interfaceOf(entity), { name: 'A field', type: 'text', ...draft })
  if (made.status !== 201) throw new Error(`the field was refused: ${JSON.stringify(made.body)}`)
  return made.body._embedded.custom_fields[0]
}
async function addGroup(entity: Entity, name: string, { api } = account): Promise<string> {
  const made = await api.post(`${interfaceOf(entity)}/groups`, [{ name, sort: 20 }])
  return made.body._embedded.custom_field_groups[0].id
}
const read = async (entity: Entity, { api } = account) => (await api.get(`${path}/${entity}`)).body
const inGroup = async (entity: Entity, group: string | null, from = account): Promise<number[]> =>
  (await read(entity, from)).fields
    .filter(
      ({ group_id }: { group_id: string | null }) =>
        (group_id ?? 'default') === (group ?? 'default'),
    )
    .map(({ id }: { id: number }) => id)

describe('the list of an entity type', () => {
  test('holds its groups and its fields, with all that the settings show', async () => {
    const it = await newAccount()
    const group = await addGroup('leads', 'Logistics', it)
    const field = await add(
      'leads',
      {
        name: 'Delivery',
        type: 'select',
        code: 'DELIVERY',
        enums: [{ value: 'Post' }],
        group_id: group,
      },
      it,
    )
    const { groups, fields, types } = await read('leads', it)
    expect(types).toContain('birthday')
    expect(types).not.toContain('category')
    expect(groups).toEqual([
      { id: 'default', name: 'General', sort: 1, is_predefined: true },
      { id: 'statistic', name: 'Statistics', sort: 2, is_predefined: true },
      { id: group, name: 'Logistics', sort: 20, is_predefined: false },
    ])
    expect(fields.at(-1)).toEqual({
      id: field.id,
      name: 'Delivery',
      type: 'select',
      code: 'DELIVERY',
      sort: field.sort,
      group_id: group,
      is_api_only: false,
      is_predefined: false,
      is_deletable: true,
      remind: null,
      currency: null,
      tracking_callback: null,
      chained_lists: null,
      enums: [{ ...field.enums[0], color: null }],
      nested: null,
      search_in: null,
      is_visible: true,
      is_required: false,
      required_statuses: [],
      hidden_statuses: [],
    })
    expect(fields[0]).toMatchObject({
      type: 'tracking_data',
      is_predefined: true,
      is_api_only: true,
    })
  })

  test('segments have fields and no groups', async () => {
    const { id } = await add('segments')
    expect(await read('segments')).toMatchObject({ groups: [], fields: [{ id }] })
  })

  test('administrators read it, of types that have fields', async () => {
    const { api } = await account.addUser({ rights: {} })
    expect((await api.get(`${path}/leads`)).status).toBe(403)
    expect((await api.get(`${path}/leads/usage`)).status).toBe(403)
    expect((await account.api.get(`${path}/catalogs`)).status).toBe(404)
  })
})

describe('the usage', () => {
  const usageOf = async (it: TestAccount, entity: Entity, id: number) =>
    (await it.api.get(`${path}/${entity}/usage`)).body.fields.find(
      (each: { id: number }) => each.id === id,
    )

  test('counts records, not values, of every kind of type', async () => {
    const it = await newAccount()
    const drafts = {
      text: { type: 'text' },
      several: { type: 'multiselect', enums: [{ value: 'a' }, { value: 'b' }] },
      number: { type: 'numeric' },
      address: { type: 'smart_address' },
      unused: { type: 'legal_entity' },
    }
    const ids: Record<string, number> = {}
    for (const [name, draft] of Object.entries(drafts))
      ids[name] = (await add('leads', draft, it)).id
    const values = [
      { field_id: ids.text, values: [{ value: 'x' }] },
      { field_id: ids.several, values: [{ value: 'a' }, { value: 'b' }] },
      { field_id: ids.address, values: [{ value: 'Main street', enum_code: 'address_line_1' }] },
    ]
    await it.api.post('/api/v4/leads', [
      { custom_fields_values: values },
      { custom_fields_values: values.slice(0, 2) },
      { custom_fields_values: [{ field_id: ids.number, values: [{ value: 5 }] }] },
      {},
    ])
    for (const [name, records] of [
      ['text', 2],
      ['several', 2],
      ['number', 1],
      ['address', 1],
      ['unused', 0],
    ] as const)
      expect(await usageOf(it, 'leads', ids[name]!)).toEqual({
        id: ids[name],
        at_least: records,
        is_exact: true,
      })
  })

  test('of many records is a lower bound', async () => {
    const it = await newAccount()
    const [{ id }, address] = [
      await add('leads', {}, it),
      await add('leads', { type: 'smart_address' }, it),
    ]
    await it.kontor.database.transaction((tx) =>
      tx.rows(sql`
        insert into field_texts (account_id, field_id, entity_type, value, entity_id)
        select ${it.id}::bigint, ${id}::bigint, 'leads', 'x', n from generate_series(1, 2000) n`),
    )
    for (let batch = 0; batch < 6; batch++)
      await it.api.post(
        '/api/v4/leads',
        Array.from({ length: 50 }, (_, index) => ({ name: `Lead ${index}` })),
      )
    expect(await usageOf(it, 'leads', id)).toEqual({ id, at_least: 1001, is_exact: false })
    expect(await usageOf(it, 'leads', address.id)).toEqual({
      id: address.id,
      at_least: 0,
      is_exact: false,
    })
  })

  test('of segments is that of their own values', async () => {
    const it = await newAccount()
    const { id } = await add('segments', {}, it)
    await it.api.post('/api/v4/customers/segments', {
      name: 'Regulars',
      custom_fields_values: [{ field_id: id, values: [{ value: 'x' }] }],
    })
    expect(await usageOf(it, 'segments', id)).toEqual({ id, at_least: 1, is_exact: true })
  })
})

describe('a field is moved', () => {
  const move = (id: number, body: object, entity: Entity = 'contacts') =>
    account.api.post(`${path}/${entity}/${id}/move`, body)

  test('before another, to the end, and into another group, and only its group gets other numbers', async () => {
    const [one, two] = [await addGroup('contacts', 'One'), await addGroup('contacts', 'Two')]
    const a = await add('contacts', { group_id: one, sort: 600 })
    const b = await add('contacts', { group_id: one, sort: 600 })
    const c = await add('contacts', { group_id: one, sort: 610 })
    const d = await add('contacts', { group_id: two, sort: 605 })
    const { status, body } = await move(c.id, { group_id: one, before: a.id })
    expect([status, body.id]).toEqual([200, c.id])
    expect(await inGroup('contacts', one)).toEqual([c.id, a.id, b.id])
    await move(c.id, { group_id: one, before: null })
    expect(await inGroup('contacts', one)).toEqual([a.id, b.id, c.id])
    await move(a.id, { group_id: two, before: d.id })
    expect(await inGroup('contacts', two)).toEqual([a.id, d.id])
    await move(a.id, { group_id: null, before: null })
    expect((await inGroup('contacts', null)).at(-1)).toBe(a.id)
    expect((await account.api.get(`${interfaceOf('contacts')}/${d.id}`)).body.sort).toBe(605)
  })

  test('not before one of another group, nor into a group that is not there', async () => {
    const group = await addGroup('contacts', 'Three')
    const [one, other] = [await add('contacts', { group_id: group }), await add('contacts')]
    const refused = await move(one.id, { group_id: group, before: other.id })
    expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: ['NotSupportedChoice before'] }])
    const lost = await move(one.id, { group_id: 'contacts_1', before: null })
    expect([lost.status, faultsOf(lost)]).toEqual([400, { 0: ['NotSupportedChoice group_id'] }])
    expect((await move(one.id, { group_id: group, before: one.id })).status).toBe(200)
    expect((await move(1, { group_id: group, before: null })).status).toBe(404)
    expect((await move(one.id, { group_id: group, before: null }, 'leads')).status).toBe(404)
  })

  test('two moves at once both count', async () => {
    const group = await addGroup('contacts', 'Four')
    const [a, b, c, d] = [
      await add('contacts', { group_id: group }),
      await add('contacts', { group_id: group }),
      await add('contacts', { group_id: group }),
      await add('contacts', { group_id: group }),
    ]
    await Promise.all([
      move(d.id, { group_id: group, before: a.id }),
      move(b.id, { group_id: group, before: null }),
    ])
    expect(await inGroup('contacts', group)).toEqual([d.id, a.id, c.id, b.id])
  })

  test('and so are groups', async () => {
    const it = await newAccount()
    const [one, two] = [
      await addGroup('companies', 'One', it),
      await addGroup('companies', 'Two', it),
    ]
    const moved = await it.api.post(`${path}/companies/groups/${two}/move`, { before: 'default' })
    expect(moved.body.groups.map(({ id }: { id: string }) => id)).toEqual([two, 'default', one])
    await it.api.post(`${path}/companies/groups/default/move`, { before: null })
    expect((await read('companies', it)).groups.map(({ id }: { id: string }) => id)).toEqual([
      two,
      one,
      'default',
    ])
    const refused = await it.api.post(`${path}/companies/groups/${two}/move`, { before: 'x' })
    expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: ['NotSupportedChoice before'] }])
    expect(
      (await it.api.post(`${path}/companies/groups/companies_1/move`, { before: null })).status,
    ).toBe(404)
  })
})

interface FieldStage {
  pipeline_id: number
  id: number
}

describe('one stage', () => {
  const stagePath = (id: number, list: string, stage: FieldStage, entity: Entity = 'leads') =>
    `${path}/${entity}/${id}/stages/${list}/${stage.pipeline_id}/${stage.id}`
  const stagesOf = async () => {
    const pipeline = await mainPipeline(account)
    const statuses = [...pipeline.statuses, 142, 143]
    return statuses.map((id) => ({ pipeline_id: pipeline.id, id }))
  }

  test('asks for a field, or hides it, and the others stay', async () => {
    const { id } = await add('leads')
    const [first, second] = (await stagesOf()) as [FieldStage, FieldStage]
    await account.api.send('PUT', stagePath(id, 'required', first))
    const { status, body } = await account.api.send('PUT', stagePath(id, 'required', second))
    const shown = (stage: FieldStage) => ({
      pipeline_id: stage.pipeline_id,
      status_id: stage.id,
    })
    expect([status, body.required_statuses]).toEqual([200, [shown(first), shown(second)]])
    // Once more changes nothing.
    await account.api.send('PUT', stagePath(id, 'required', first))
    await account.api.send('PUT', stagePath(id, 'hidden', first))
    expect((await account.api.get(`${interfaceOf('leads')}/${id}`)).body).toMatchObject({
      required_statuses: [shown(first), shown(second)],
      hidden_statuses: [shown(first)],
    })
    const taken = await account.api.delete(stagePath(id, 'required', first))
    expect([taken.status, taken.body.required_statuses]).toEqual([200, [shown(second)]])
    expect((await account.api.delete(stagePath(id, 'required', first))).status).toBe(200)
  })

  test('two administrators add different stages at once, and both are there', async () => {
    const { id } = await add('leads')
    const stages = (await stagesOf()).slice(1, 5)
    await Promise.all(
      stages.map((stage) => account.api.send('PUT', stagePath(id, 'required', stage))),
    )
    const { body } = await account.api.get(`${interfaceOf('leads')}/${id}`)
    expect(body.required_statuses).toHaveLength(4)
  })

  test('that is not there is refused, unless it is taken off; and so are lists that a type lacks', async () => {
    const { id } = await add('leads')
    const [first] = (await stagesOf()) as [FieldStage]
    const other = await addPipeline(account)
    const lost = { pipeline_id: other.id, id: first.id }
    expect((await account.api.send('PUT', stagePath(id, 'required', lost))).status).toBe(400)
    expect((await account.api.delete(stagePath(id, 'required', lost))).status).toBe(200)
    const contact = await add('contacts')
    const path = (list: string) => stagePath(contact.id, list, first, 'contacts')
    expect((await account.api.send('PUT', path('required'))).status).toBe(200)
    expect((await account.api.send('PUT', path('hidden'))).status).toBe(400)
    expect((await account.api.send('PUT', stagePath(1, 'required', first))).status).toBe(404)
  })
})

test('another account reads and changes nothing of this one', async () => {
  const other = await newAccount()
  const { id, sort } = await add('companies')
  const group = await addGroup('companies', 'Ours')
  expect(JSON.stringify(await read('companies', other))).not.toContain('A field')
  expect(
    (await other.api.post(`${path}/companies/${id}/move`, { group_id: null, before: null })).status,
  ).toBe(404)
  expect(
    (await other.api.post(`${path}/companies/groups/${group}/move`, { before: null })).status,
  ).toBe(404)
  expect((await account.api.get(`${interfaceOf('companies')}/${id}`)).body.sort).toBe(sort)
})

test('sorts are given out again in the new order, and anew where they end', () => {
  const list = [5, 5, 9].map((sort, index) => ({ id: index + 1, sort }))
  expect(sortedAnew(movedBefore(list, list[2]!, 1)!)).toEqual([
    { id: 3, sort: 5 },
    { id: 1, sort: 6 },
    { id: 2, sort: 9 },
  ])
  const last = 2_147_483_647
  expect(sortedAnew([{ sort: last }, { sort: last }])).toEqual([{ sort: 1 }, { sort: 2 }])
})

describe('fields of a catalog', () => {
  let goods: number
  beforeAll(async () => {
    const made = await account.api.post('/api/v4/catalogs', [{ name: 'Goods', type: 'products' }])
    goods = made.body._embedded.catalogs[0].id
  })
  const own = () => `${path}/catalogs:${goods}`
  const all = async () => (await account.api.get(own())).body
  const coded = async (code: string) =>
    (await all()).fields.find((field: { code: string | null }) => field.code === code)
  const elements = () => `/api/v4/catalogs/${goods}/elements`
  const addElement = async (field_id: number, value: object) => {
    const drafts = [{ name: 'A lamp', custom_fields_values: [{ field_id, values: [value] }] }]
    const made = await account.api.post(elements(), drafts)
    expect(made.status).toBe(200)
    return made.body._embedded.elements[0].id as number
  }

  test('are listed with what only they have, moved and counted', async () => {
    const { api } = account
    const { fields, types } = await all()
    expect(types).toContain('category')
    expect(types).toContain('price')
    expect(types).not.toContain('birthday')
    expect(fields.map(({ code }: { code: string }) => code)).toEqual([
      'SKU',
      'DESCRIPTION',
      'PRICE',
      'GROUP',
      'EXTERNAL_ID',
    ])
    expect(fields[3]).toMatchObject({ nested: [], is_visible: true, is_required: false })
    expect(fields[4]).toMatchObject({ nested: null, is_visible: false, is_deletable: false })
    await api.post(`${own()}/${fields[3].id}/move`, { group_id: null, before: fields[0].id })
    expect((await all()).fields[0].code).toBe('GROUP')
    const made = await api.post(`/api/v4/catalogs/${goods}/custom_fields`, [
      { name: 'Maker', type: 'linked_entity', search_in: 'companies' },
    ])
    const maker = made.body._embedded.custom_fields[0].id
    await addElement(fields[2].id, { value: 7 })
    const { body: firm } = await api.post('/api/v4/companies', [{ name: 'A maker' }])
    const entity_id = firm._embedded.companies[0].id
    await addElement(maker, { value: { name: 'A maker', entity_id, entity_type: 'companies' } })
    const { body } = await api.get(`${own()}/usage`)
    const used = (id: number) => body.fields.find((field: { id: number }) => field.id === id)
    expect(used(fields[2].id)).toEqual({ id: fields[2].id, at_least: 1, is_exact: true })
    expect(used(maker)).toEqual({ id: maker, at_least: 1, is_exact: true })
    expect(used(fields[0].id).at_least).toBe(0)
  })

  test('are those of a catalog that there is, and for administrators', async () => {
    const other = await newAccount()
    expect((await other.api.get(own())).status).toBe(404)
    expect((await account.api.get(`${path}/catalogs:0`)).status).toBe(404)
    expect((await account.api.get(`${path}/catalogs`)).status).toBe(404)
    const stage = `${own()}/${(await coded('SKU')).id}/stages/required/1/142`
    expect((await account.api.send('PUT', stage)).status).toBe(400)
  })

  test('the tree of categories grows, is renamed and moved one category at a time', async () => {
    const { api } = account
    const tree = `${own()}/${(await coded('GROUP')).id}/categories`
    const nested = async () =>
      (await coded('GROUP')).nested as { id: number; parent_id: number | null; value: string }[]
    const paths = async () => {
      const rows = await nested()
      const nameOf = (id: number): string => {
        const { parent_id, value } = rows.find((row) => row.id === id)!
        return parent_id === null ? value : `${nameOf(parent_id)}/${value}`
      }
      return rows.map(({ id }) => nameOf(id))
    }
    const idOf = async (value: string) => (await nested()).find((row) => row.value === value)!.id
    const first = await api.post(tree, { values: [' Lamps ', 'Chairs', 'LAMPS'] })
    expect(first.status).toBe(201)
    expect(first.body.skipped).toEqual(['LAMPS'])
    const [lamps, chairs] = [await idOf('Lamps'), await idOf('Chairs')]
    await api.post(tree, { values: ['Table', 'Floor'], parent_id: lamps })
    await api.post(tree, { values: ['Stools', 'Floor'], parent_id: chairs })
    expect(await paths()).toEqual([
      'Lamps',
      'Chairs',
      'Lamps/Table',
      'Chairs/Stools',
      'Lamps/Floor',
      'Chairs/Floor',
    ])
    expect((await api.post(tree, { values: ['Lamps', 'lamps'] })).body.skipped).toHaveLength(2)
    const orphan = await api.post(tree, { values: ['Orphan'], parent_id: 999_999 })
    expect(faultsOf(orphan)).toEqual({ 0: ['NotSupportedChoice parent_id'] })

    const [stools, table] = [await idOf('Stools'), await idOf('Table')]
    expect((await api.patch(`${tree}/${stools}`, { value: 'Bar stools' })).status).toBe(200)
    const twice = await api.patch(`${tree}/${stools}`, { value: 'floor' })
    expect(faultsOf(twice)).toEqual({ 0: ['NotUnique value'] })
    expect((await api.patch(`${tree}/999999`, { value: 'x' })).status).toBe(404)

    const move = (id: number, parent_id: number | null, before: number | null) =>
      api.post(`${tree}/${id}/move`, { parent_id, before })
    expect((await move(chairs, null, lamps)).status).toBe(200)
    expect((await move(table, chairs, stools)).status).toBe(200)
    expect(await paths()).toEqual([
      'Chairs',
      'Lamps',
      'Chairs/Table',
      'Chairs/Bar stools',
      'Lamps/Floor',
      'Chairs/Floor',
    ])
    const floor = (await nested()).find((row) => row.parent_id === lamps)!.id
    for (const refused of [
      [lamps, floor, null, 'NotSupportedChoice parent_id'],
      [lamps, lamps, null, 'NotSupportedChoice parent_id'],
      [floor, chairs, null, 'NotUnique value'],
      [floor, null, table, 'NotSupportedChoice before'],
      [floor, 999_999, null, 'NotSupportedChoice parent_id'],
    ] as const)
      expect(faultsOf(await move(refused[0], refused[1], refused[2]))).toEqual({
        0: [refused[3]],
      })
    expect((await move(999_999, null, null)).status).toBe(404)

    // The interface reads the same tree, and takes it back as it is.
    const interfaceField = `/api/v4/catalogs/${goods}/custom_fields/${(await coded('GROUP')).id}`
    const shown = (await api.get(interfaceField)).body.nested
    expect(shown).toEqual(await nested())
    expect((await api.patch(interfaceField, { nested: shown })).body.nested).toEqual(shown)
  })

  test('a tree has ten levels, also where a branch is moved', async () => {
    const { api } = account
    const made = await api.post(`/api/v4/catalogs/${goods}/custom_fields`, [
      { name: 'Deep', type: 'category' },
    ])
    const tree = `${own()}/${made.body._embedded.custom_fields[0].id}/categories`
    const ids: number[] = []
    for (let level = 1; level <= 10; level++) {
      const body = { values: [`Level ${level}`], parent_id: ids.at(-1) ?? null }
      const added = await api.post(tree, body)
      expect(added.status).toBe(201)
      ids.push(added.body.field.nested.at(-1).id)
    }
    const eleventh = await api.post(tree, { values: ['Level 11'], parent_id: ids[9] })
    expect(eleventh.status).toBe(422)
    const top = (await api.post(tree, { values: ['Top'] })).body.field.nested
    const topId = top.find(({ value }: { value: string }) => value === 'Top').id
    const moved = (id: number) => api.post(`${tree}/${id}/move`, { parent_id: topId, before: null })
    expect((await moved(ids[0]!)).status).toBe(422)
    expect((await moved(ids[1]!)).status).toBe(200)
  })

  test('a category goes with all below it, and from elements only where that is meant', async () => {
    const { api } = account
    const made = await api.post(`/api/v4/catalogs/${goods}/custom_fields`, [
      { name: 'Kind', type: 'category', nested: [{ value: 'Above' }, { value: 'Left' }] },
    ])
    const { id, nested } = made.body._embedded.custom_fields[0]
    const tree = `${own()}/${id}/categories`
    const [above, left] = nested as [{ id: number }, { id: number }]
    const added = await api.post(tree, { values: ['Below'], parent_id: above.id })
    const below = added.body.field.nested.at(-1).id
    const element = await addElement(id, { enum_id: below })
    expect((await api.delete(`${tree}/${above.id}`)).status).toBe(422)
    const gone = await api.delete(`${tree}/${above.id}?takes_values=true`)
    expect(gone.status).toBe(200)
    expect(gone.body.nested.map((each: { id: number }) => each.id)).toEqual([left.id])
    expect((await api.get(`${elements()}/${element}`)).body.custom_fields_values).toBeNull()
    expect((await api.delete(`${tree}/${left.id}`)).body.nested).toEqual([])
    expect((await api.delete(`${tree}/${left.id}`)).status).toBe(404)
    const sku = `${own()}/${(await coded('SKU')).id}/categories`
    expect((await api.post(sku, { values: ['x'] })).status).toBe(400)
  })

  test('an option of elements goes where that is meant', async () => {
    const { api } = account
    const made = await api.post(`/api/v4/catalogs/${goods}/custom_fields`, [
      { name: 'Colors', type: 'multiselect', enums: [{ value: 'Red' }, { value: 'Blue' }] },
    ])
    const { id, enums } = made.body._embedded.custom_fields[0]
    const element = await addElement(id, { enum_id: enums[0].id })
    const red = `${own()}/${id}/enums/${enums[0].id}`
    expect((await api.delete(red)).status).toBe(422)
    expect((await api.delete(`${red}?takes_values=true`)).body.enums).toHaveLength(1)
    expect((await api.get(`${elements()}/${element}`)).body.custom_fields_values).toBeNull()
  })
})
