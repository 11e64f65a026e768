// Lists in query strings, over all routes: `with` in its three forms, and filters by several ids.
import { beforeAll, describe, expect, test } from 'vitest'
import document from '../../docs/api/openapi.json' with { type: 'json' }
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addPipeline, mainPipeline } from '../../test/leads.ts'
import { addFields } from '../../test/lists/fields.ts'
import { addNote, text } from '../../test/notes.ts'
import { addRecord, addRecords, allKinds, find, idsIn, letters } from '../../test/records.ts'

interface Parameter {
  name: string
  schema: { items?: { anyOf?: { enum?: string[] }[] } }
  style?: string
  explode?: boolean
}

/** The known names of `with`, by the path of their route. */
const routes = Object.entries(document.paths).flatMap(([path, methods]) => {
  const { parameters = [] } = (methods as { get?: { parameters?: Parameter[] } }).get ?? {}
  const names = parameters.find(({ name }) => name === 'with')
  return names ? [{ path, names, known: names.schema.items!.anyOf![0]!.enum! }] : []
})

describe('with', () => {
  let account: TestAccount
  let ids: Record<string, number | string>

  beforeAll(async () => {
    account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const made = await api.post('/api/v4/roles', [{ name: 'A role', rights: {} }])
    const { id: pipeline, statuses } = await mainPipeline(account)
    const [contact, company] = [await addRecord(api, 'contacts'), await addRecord(api, 'companies')]
    const catalog = await api.post('/api/v4/catalogs', [{ name: 'A catalog' }])
    const catalogId: number = catalog.body._embedded.catalogs[0].id
    const added = await api.post(`/api/v4/catalogs/${catalogId}/elements`, [{ name: 'One' }])
    ids = {
      catalogs: catalogId,
      elements: added.body._embedded.elements[0].id,
      leads: lead,
      contacts: contact,
      companies: company,
      customers: await addRecord(api, 'customers'),
      users: account.admin.id,
      roles: made.body._embedded.roles[0].id,
      pipelines: pipeline,
      statuses: statuses[0],
    }
    for (const type of allKinds) ids[`${type} note`] = await addNote(api, type, Number(ids[type]))
    // The names of events are those of their entities.
    const element = `/api/v4/catalogs/${catalogId}/elements/${ids['elements']}`
    await api.patch(element, { name: 'Two' })
    const noted = await api.get('/api/v4/events?filter[type]=common_note_added&filter[entity]=lead')
    ids['events'] = noted.body._embedded.events[0].id
  })

  /** The address of a route, with records that exist. */
  const addressOf = (path: string) => {
    const type = /v4\/(\w+)/.exec(path)![1]!
    return path
      .replace('{pipeline_id}', String(ids['pipelines']))
      .replace('{entity_id}', String(ids[type]))
      .replace('notes/{id}', `notes/${ids[`${type} note`]}`)
      .replace('{catalog_id}', String(ids['catalogs']))
      .replace('elements/{id}', `elements/${ids['elements']}`)
      .replace('statuses/{id}', `statuses/${ids['statuses']}`)
      .replace('{id}', String(ids[type]))
  }

  test('is named with its values on every route that takes it', () => {
    expect(
      routes
        .map(({ path }) => path)
        .filter((path) => !path.includes('note'))
        .toSorted(),
    ).toEqual([
      '/api/v4/account',
      '/api/v4/catalogs/{catalog_id}/elements',
      '/api/v4/catalogs/{catalog_id}/elements/{id}',
      '/api/v4/companies',
      '/api/v4/companies/{id}',
      '/api/v4/contacts',
      '/api/v4/contacts/{id}',
      '/api/v4/customers',
      '/api/v4/customers/{id}',
      '/api/v4/events',
      '/api/v4/events/{id}',
      '/api/v4/lead',
      '/api/v4/leads',
      '/api/v4/leads/pipelines/{pipeline_id}/statuses',
      '/api/v4/leads/pipelines/{pipeline_id}/statuses/{id}',
      '/api/v4/leads/{id}',
      '/api/v4/roles',
      '/api/v4/roles/{id}',
      '/api/v4/users',
      '/api/v4/users/{id}',
    ])
    for (const { names, known } of routes) {
      expect(known.length).toBeGreaterThan(0)
      expect(names).toMatchObject({ style: 'form', explode: false })
    }
  })

  test.for(routes)('$path takes it as one text or as a list, and ignores others', async (route) => {
    const { path, known } = route
    const address = addressOf(path)
    const ask = async (query: string) => {
      const { status, body } = await account.api.get(`${address}?${query}`)
      const { _links, ...rest } = body
      return [status, rest]
    }
    const plain = await ask('')
    expect(plain[0]).toBe(200)
    for (const unknown of ['with=', 'with=nothing', 'with[]=nothing,', 'with[0]=a&with[7]=b'])
      expect(await ask(unknown)).toEqual(plain)
    const names = known.filter((name) => name !== 'only_deleted')
    const whole = await ask(`with=${names.join(',')}`)
    expect(whole).not.toEqual(plain)
    const forms = [
      `with=nothing,${names.join(',%20')},`,
      names.map((name) => `with[]=${name}`).join('&'),
      names.map((name, index) => `with[${index * 2}]=${name}`).join('&'),
      `with[]=nothing&with[]=${names.join(',')}`,
    ]
    for (const form of forms) expect([form, await ask(form)]).toEqual([form, whole])
    // Each name adds something of its own. An event has one entity.
    if (path === '/api/v4/events/{id}') return
    const ones = await Promise.all(names.map((name) => ask(`with[]=${name}`)))
    expect(new Set(ones.map((one) => JSON.stringify(one))).size).toBe(names.length)
  })

  test('the bin is listed by each form', async () => {
    const gone = await addRecord(account.api, 'leads')
    await account.api.delete(`/api/v4/leads/${gone}`)
    for (const form of ['with=only_deleted', 'with[]=only_deleted', 'with[0]=x,only_deleted'])
      expect(idsIn(await account.api.get(`/api/v4/leads?${form}`), 'leads')).toEqual([gone])
  })

  test('links repeat it as one text', async () => {
    for (const form of ['with=contacts,source', 'with[]=contacts&with[]=source']) {
      const { body } = await account.api.get(`/api/v4/leads?${form}`)
      expect(body._links.self.href).toContain('with=contacts%2Csource')
    }
    const statuses = addressOf('/api/v4/leads/pipelines/{pipeline_id}/statuses')
    const { body } = await account.api.get(`${statuses}?with[]=descriptions`)
    expect(body._links.self.href).toContain('with=descriptions')
  })

  test.for(['with[a]=contacts', 'with[0][0]=contacts', `with=${'x,'.repeat(250)}`])(
    '%# is refused',
    async (query) => {
      expect((await account.api.get(`/api/v4/leads?${query}`)).status).toBe(400)
    },
  )
})

describe('several ids', () => {
  let account: TestAccount

  beforeAll(async () => {
    account = await newAccount()
  })

  /** The ways to write a list of ids. */
  const forms = (name: string, values: (number | string)[]) => [
    `${name}=${values.join(',')}`,
    `${name}=${values.join('%2C')}`,
    values.map((value) => `${name}[]=${value}`).join('&'),
    values.map((value, index) => `${name}[${index}]=${value}`).join('&'),
    `${name}[]=${values[0]}&${name}[]=${values.join(',')}`,
  ]

  test.for(['leads', 'contacts', 'companies'] as const)('of %s and of users', async (kind) => {
    const seller = await account.addUser()
    const drafts = letters(3).map((draft, index) => ({
      ...draft,
      ...(index > 0 && { responsible_user_id: seller.id, created_by: seller.id, updated_by: 0 }),
    }))
    const ids = await addRecords(account.api, kind, drafts)
    for (const query of forms('filter[id]', [ids[0]!, ids[2]!]))
      expect(await find(account, kind, query)).toEqual(['a', 'c'])
    for (const filter of ['responsible_user_id', 'created_by'])
      for (const query of forms(`filter[${filter}]`, [seller.id, 0]))
        expect(await find(account, kind, query)).toEqual(['b', 'c'])
    for (const query of forms('filter[updated_by]', [seller.id, 0]))
      expect(await find(account, kind, query)).toEqual(['b', 'c'])
  })

  test('of pipelines, and of choices, numbers and days', async () => {
    const { id: pipeline_id } = await addPipeline(account)
    const fields = Object.fromEntries(
      (await addFields(account, 'leads')).map((field) => [field.type, field]),
    )
    const [one, two] = fields['select']!.enums.map(({ id }) => id) as [number, number]
    const filled = (name: string, enum_id: number, number: number, day: string, words: string) => ({
      name,
      pipeline_id,
      custom_fields_values: [
        { field_id: fields['select']!.id, values: [{ enum_id }] },
        { field_id: fields['numeric']!.id, values: [{ value: number }] },
        { field_id: fields['date']!.id, values: [{ value: `${day}T00:00:00+00:00` }] },
        { field_id: fields['text']!.id, values: [{ value: words }] },
      ],
    })
    await addRecords(account.api, 'leads', [
      filled('p', one, 1, '2026-01-01', 'x'),
      filled('q', two, 5, '2026-01-02', 'x,y'),
      { name: 'r', pipeline_id },
    ])
    const main = (await mainPipeline(account)).id
    for (const query of forms('filter[pipeline_id]', [pipeline_id, 999_999_999]))
      expect(await find(account, 'leads', query)).toEqual(['p', 'q', 'r'])
    expect(
      (await find(account, 'leads', `filter[pipeline_id]=${main},${pipeline_id}`)).length,
    ).toBe(6)
    const by = (type: string) => `filter[custom_fields_values][${fields[type]!.id}]`
    const several: [string, (string | number)[]][] = [
      ['select', [one, two]],
      ['numeric', ['1.0', 5]],
      ['date', ['01.01.2026', '02.01.2026']],
    ]
    for (const [type, values] of several)
      for (const query of forms(by(type), values))
        expect([type, query, await find(account, 'leads', query)]).toEqual([
          type,
          query,
          ['p', 'q'],
        ])
    // A comma is a part of a text.
    expect(await find(account, 'leads', `${by('text')}=x,y`)).toEqual(['q'])
    expect(await find(account, 'leads', `${by('text')}[]=x&${by('text')}[]=x,y`)).toEqual([
      'p',
      'q',
    ])
    const many = await account.api.get(`/api/v4/leads?${by('numeric')}=${'1,'.repeat(250)}1`)
    expect([many.status, many.body['validation-errors'][0].errors[0].code]).toEqual([
      400,
      'TooMany',
    ])
    await addRecord(account.api, 'leads', { name: 'p, q' })
    expect(await find(account, 'leads', 'filter[name]=p,%20q')).toEqual(['p, q'])
  })

  test('of notes, of tags, of custom fields and of links', async () => {
    const { api } = account
    const [one, two] = await addRecords(api, 'contacts', letters(2))
    const notes = [await addNote(api, 'contacts', one!), await addNote(api, 'contacts', two!)]
    const call = { note_type: 'sms_in', params: { text: 'x', phone: '1' } }
    const sms = await addNote(api, 'contacts', one!, call)
    await addNote(api, 'contacts', one!, text('another'))
    const listed = async (path: string, query: string, collection: string) =>
      (await api.get(`/api/v4/${path}?${query}`)).body._embedded[collection].map(
        ({ id, to_entity_id }: { id?: number; to_entity_id?: number }) => id ?? to_entity_id,
      )
    for (const query of forms('filter[id]', notes))
      expect(await listed('contacts/notes', query, 'notes')).toEqual(notes)
    for (const query of forms('filter[entity_id]', [one!, two!]))
      expect(await listed('contacts/notes', query, 'notes')).toHaveLength(4)
    for (const query of forms('filter[note_type]', ['sms_in', 'sms_out']))
      expect(await listed('contacts/notes', query, 'notes')).toEqual([sms])
    const tags = (await api.post('/api/v4/contacts/tags', letters(3))).body._embedded.tags
    const named = [tags[0].id, tags[2].id]
    for (const query of forms('filter[id]', named))
      expect(new Set(await listed('contacts/tags', query, 'tags'))).toEqual(new Set(named))
    const fields = (await api.get('/api/v4/contacts/custom_fields')).body._embedded.custom_fields
    const two_fields = [fields[0].id, fields[1].id]
    for (const query of forms('filter[id]', two_fields))
      expect(await listed('contacts/custom_fields', query, 'custom_fields')).toEqual(two_fields)
    for (const query of forms('filter[type]', ['multitext', 'file']))
      expect(await listed('contacts/custom_fields', query, 'custom_fields')).toHaveLength(2)
    const firms = await addRecords(api, 'companies', letters(2))
    await api.post('/api/v4/contacts/link', [
      { entity_id: one!, to_entity_id: firms[0], to_entity_type: 'companies' },
      { entity_id: two, to_entity_id: firms[1], to_entity_type: 'companies' },
    ])
    for (const query of forms('filter[entity_id]', [one!, two!]))
      expect(await listed('contacts/links', query, 'links')).toEqual(firms)
    for (const query of forms('filter[to_entity_id]', firms)) {
      const whole = `${query}&filter[to_entity_type]=companies`
      expect(await listed(`contacts/${one}/links`, whole, 'links')).toEqual([firms[0]])
    }
  })
})
