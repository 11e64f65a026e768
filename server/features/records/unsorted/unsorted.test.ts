// Unsorted items in version 4: the intake, the lists and counts of what waits, and the rights.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addComplex, person, phone } from '../../../../test/complex.ts'
import { addField, valueOf } from '../../../../test/fields.ts'
import { addPipeline, faultsOf, mainPipeline, readLead } from '../../../../test/leads.ts'
import { newPipeline } from '../../../../test/pipelines.ts'
import {
  accept,
  addItem,
  addItems,
  addSorter,
  addedIn,
  decline,
  inUnsorted,
  itemOf,
  threeParts,
  uidsIn,
  unsorted,
} from '../../../../test/unsorted.ts'
import type { Category } from '../../../../test/unsorted.ts'

const forms = `${unsorted}/forms`
const sip = `${unsorted}/sip`
const kinds = ['sip', 'forms'] as const satisfies Category[]

describe('the intake', () => {
  test.for(kinds)(
    'an item of %s is answered with all its ids, and read back whole',
    async (kind) => {
      const { api, id, kontor } = await newAccount()
      const draft = itemOf(kind, { created_at: 1_700_000_500, _embedded: threeParts() })
      const { status, body } = await api.post(`${unsorted}/${kind}`, [draft])
      expect(status).toBe(200)
      const [added] = addedIn({ status, body } as never)
      const { uid, lead, contact, company } = added!
      expect(uid).toMatch(/^[0-9a-f]{60}$/)
      const link = (type: string, of: number) => ({
        id: of,
        _links: { self: { href: `${kontor.url}/api/v4/${type}/${of}` } },
      })
      const parts = {
        contacts: [link('contacts', contact)],
        leads: [link('leads', lead)],
        companies: [link('companies', company)],
      }
      const self = { self: { href: `${kontor.url}${unsorted}/${uid}` } }
      expect(body).toEqual({
        _total_items: 1,
        _links: { self: { href: `${kontor.url}${unsorted}/${kind}` } },
        _embedded: {
          unsorted: [{ uid, account_id: id, request_id: '0', _links: self, _embedded: parts }],
        },
      })
      const shown = {
        uid,
        source_uid: draft.source_uid,
        source_name: 'The source',
        category: kind,
        pipeline_id: (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines[0].id,
        created_at: 1_700_000_500,
        metadata: draft.metadata,
        account_id: id,
        _links: self,
        _embedded: parts,
      }
      expect((await api.get(`${unsorted}/${uid}`)).body).toEqual(shown)
      expect((await api.get(unsorted)).body._embedded.unsorted).toEqual([shown])
    },
  )

  test('what is not said has defaults: the main pipeline, the time, and a name made of the item', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const [call] = await addItems(api, 'sip', [{}])
    const [form, nameless, blank, named] = await addItems(api, 'forms', [
      {},
      { metadata: {} },
      { metadata: { form_name: '  ' }, _embedded: { leads: [{ name: ' ' }] } },
      { _embedded: { leads: [{ name: ' A name ' }] } },
    ])
    const names = await Promise.all(
      [call, form, nameless, blank, named].map(
        async (each) => (await readLead(api, each!.lead)).name,
      ),
    )
    expect(names).toEqual([
      'Incoming call +10000000001',
      'Call back',
      'The source',
      'The source',
      'A name',
    ])
    const lead = await readLead(api, call!.lead)
    expect(lead).toMatchObject({
      pipeline_id: main.id,
      status_id: main.unsorted,
      price: 0,
      responsible_user_id: account.admin.id,
      created_by: account.admin.id,
      closed_at: null,
    })
    const { created_at } = (await api.get(`${unsorted}/${call!.uid}`)).body
    expect(Math.abs(created_at - account.kontor.now())).toBeLessThan(60)
  })

  test('the lead keeps what came with it, but for its stage', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const user = await account.addUser()
    const field = await addField(account, 'leads', { type: 'numeric' })
    const lead = {
      name: 'A lead',
      price: 70,
      status_id: main.statuses[2],
      responsible_user_id: user.id,
      created_at: 1_700_000_000,
      custom_fields_values: [valueOf(field, { value: 5 })],
      _embedded: { tags: [{ name: 'site' }] },
    }
    const added = await addItem(api, { pipeline_id: other.id, _embedded: { leads: [lead] } })
    expect(await readLead(api, added.lead)).toMatchObject({
      name: 'A lead',
      price: 70,
      pipeline_id: other.id,
      status_id: other.unsorted,
      responsible_user_id: user.id,
      created_at: 1_700_000_000,
      custom_fields_values: [{ field_id: field.id, values: [{ value: '5' }] }],
      _embedded: { tags: [{ name: 'site' }] },
    })
  })

  const uid = { source_uid: 'x' }
  const contact = (draft: object) => ({ _embedded: { contacts: [draft] } })
  const company = (draft: object) => ({ _embedded: { companies: [draft] } })
  const lead = (draft: object) => ({ _embedded: { leads: [draft] } })
  test.for<[Category, object, string[]]>([
    ['forms', { source_name: undefined }, ['FieldMissing source_name']],
    ['forms', { source_uid: undefined }, ['FieldMissing source_uid']],
    ['forms', { source_uid: ' ' }, ['NotBlank source_uid']],
    ['forms', { source_uid: 'x'.repeat(256) }, ['TooLong source_uid']],
    ['forms', { metadata: undefined }, ['FieldMissing metadata']],
    ['forms', { metadata: 7 }, ['InvalidType metadata']],
    ['forms', { metadata: { phone: '1' } }, ['FieldNotExpected metadata.phone']],
    ['forms', { metadata: { form_sent_at: 'soon' } }, ['InvalidType metadata.form_sent_at']],
    ['sip', { metadata: {} }, ['FieldMissing metadata.phone']],
    ['sip', { metadata: { phone: '1', duration: -1 } }, ['TooLow metadata.duration']],
    ['forms', { pipeline_id: 7 }, ['NotSupportedChoice pipeline_id']],
    ['forms', { ...lead({}), pipeline_id: 7 }, ['NotSupportedChoice pipeline_id']],
    ['forms', lead({ pipeline_id: 7 }), ['NotSupportedChoice _embedded.leads.0.pipeline_id']],
    ['forms', { _embedded: { leads: [{}, {}] } }, ['TooMany _embedded.leads']],
    ['forms', { _embedded: { contacts: [{}, {}] } }, ['TooMany _embedded.contacts']],
    ['forms', { _embedded: { companies: [{}, {}] } }, ['TooMany _embedded.companies']],
    ['forms', lead({ price: 'x' }), ['InvalidType _embedded.leads.0.price']],
    [
      'forms',
      lead({ responsible_user_id: 7 }),
      ['NotSupportedChoice _embedded.leads.0.responsible_user_id'],
    ],
    [
      'forms',
      lead({ _embedded: { tags: [{ id: 7 }] } }),
      ['NotSupportedChoice _embedded.leads.0._embedded.tags.0.id'],
    ],
    [
      'forms',
      lead({ _embedded: { contacts: [{ id: 7 }] } }),
      ['FieldNotExpected _embedded.leads.0._embedded.contacts'],
    ],
    [
      'forms',
      lead({ custom_fields_values: [{ field_id: 7, values: [{ value: 1 }] }] }),
      ['NotSupportedChoice _embedded.leads.0.custom_fields_values.0.field_id'],
    ],
    ['forms', contact({ created_by: 7 }), ['NotSupportedChoice _embedded.contacts.0.created_by']],
    [
      'forms',
      contact({ custom_fields_values: [{ field_id: 7, values: [{ value: 1 }] }] }),
      ['NotSupportedChoice _embedded.contacts.0.custom_fields_values.0.field_id'],
    ],
    [
      'forms',
      contact({
        custom_fields_values: [{ field_code: 'PHONE', values: [{ value: '1', enum_code: 'X' }] }],
      }),
      ['NotSupportedChoice _embedded.contacts.0.custom_fields_values.0.values.0.enum_code'],
    ],
    [
      'forms',
      contact({ _embedded: { tags: [{ name: 'new' }, { id: 7 }] } }),
      ['NotSupportedChoice _embedded.contacts.0._embedded.tags.1.id'],
    ],
    [
      'forms',
      contact({ tags_to_add: [{ name: 'new' }, { id: 7 }] }),
      ['NotSupportedChoice _embedded.contacts.0.tags_to_add.1.id'],
    ],
    [
      'forms',
      contact({ _embedded: { tags: [{ name: ' ' }] } }),
      ['NotBlank _embedded.contacts.0._embedded.tags.0.name'],
    ],
    [
      'forms',
      contact({ _embedded: { companies: [{ id: 7 }] } }),
      ['FieldNotExpected _embedded.contacts.0._embedded.companies'],
    ],
    [
      'forms',
      company({ responsible_user_id: 7 }),
      ['NotSupportedChoice _embedded.companies.0.responsible_user_id'],
    ],
    ['forms', company({ first_name: 'x' }), ['FieldNotExpected _embedded.companies.0.first_name']],
    ['forms', { unknown: 1 }, ['FieldNotExpected unknown']],
  ])('an item of %s with %j is refused', async ([kind, draft, faults]) => {
    const { api } = await newAccount()
    const answer = await api.post(`${unsorted}/${kind}`, [
      itemOf(kind),
      itemOf(kind, { ...uid, ...draft }),
    ])
    expect(answer.status).toBe(400)
    expect(faultsOf(answer)).toEqual({ 1: faults })
    expect(await uidsIn(api)).toEqual([])
  })

  test('a batch holds 1 to 250 items, and its answers are in request order', async () => {
    const { api } = await newAccount()
    const drafts = Array.from({ length: 251 }, (_, index) =>
      itemOf('forms', { request_id: index % 2 ? `r${index}` : undefined, _embedded: threeParts() }),
    )
    for (const wrong of [[], drafts]) expect((await api.post(forms, wrong)).status).toBe(400)
    const added = addedIn(await api.post(forms, drafts.slice(0, 250)))
    expect(added.map(({ request_id }) => request_id)).toEqual(
      Array.from({ length: 250 }, (_, index) => (index % 2 ? `r${index}` : String(index))),
    )
    for (const key of ['uid', 'lead', 'contact', 'company'] as const)
      expect(new Set(added.map((each) => each[key])).size).toBe(250)
    expect(await uidsIn(api, 'limit=90')).toEqual(added.map((each) => each.uid))
  })

  test('a pipeline whose unsorted status is off takes no items, and those that wait go on', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const off = await newPipeline(api, { is_unsorted_on: false })
    const refused = await api.post(forms, [itemOf('forms', { pipeline_id: off.id })])
    expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice pipeline_id'] })
    const waiting = [await addItem(api), await addItem(api)]
    await api.patch(`/api/v4/leads/pipelines/${main.id}`, { is_unsorted_on: false })
    const again = await api.post(sip, [itemOf('sip')])
    expect(faultsOf(again)).toEqual({ 0: ['NotSupportedChoice pipeline_id'] })
    expect(await uidsIn(api)).toEqual(waiting.map((each) => each.uid))
    expect((await accept(api, waiting[0]!)).status).toBe(200)
    expect((await decline(api, waiting[1]!)).status).toBe(200)
  })

  test('an account whose unsorted items are off takes none', async () => {
    const account = await newAccount()
    const { api, id, kontor } = account
    const waiting = await addItem(api)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`update accounts set is_unsorted_on = false where id = ${id}`),
    )
    expect((await api.post(forms, [itemOf('forms')])).status).toBe(400)
    expect((await accept(api, waiting)).status).toBe(200)
  })

  test('a pipeline with waiting items is not deleted', async () => {
    const account = await newAccount()
    const { api } = account
    const other = await addPipeline(account)
    const added = await addItem(api, { pipeline_id: other.id })
    const remove = async () => (await api.delete(`/api/v4/leads/pipelines/${other.id}`)).status
    expect(await remove()).toBe(400)
    await decline(api, added)
    expect(await remove()).toBe(204)
  })
})

describe('repeats', () => {
  test('the same request again is answered with the item that waits, also in one batch', async () => {
    const { api } = await newAccount()
    const draft = itemOf('forms', { _embedded: threeParts() })
    const reordered = {
      ...Object.fromEntries(Object.entries(draft).toReversed()),
      metadata: Object.fromEntries(Object.entries(draft.metadata).toReversed()),
    }
    const [first, second] = addedIn(await api.post(forms, [draft, { ...draft, request_id: 'x' }]))
    expect(second).toEqual({ ...first, request_id: 'x' })
    expect(addedIn(await api.post(forms, [draft]))).toEqual([first])
    expect(addedIn(await api.post(forms, [reordered]))).toEqual([first])
    expect(await uidsIn(api)).toEqual([first!.uid])
  })

  test('other content under the name of a waiting request is refused, in another category it is another', async () => {
    const { api } = await newAccount()
    const draft = itemOf('forms')
    const added = addedIn(await api.post(forms, [draft]))
    const other = { ...draft, source_name: 'Another' }
    const refused = await api.post(forms, [itemOf('forms'), other])
    expect([refused.status, faultsOf(refused)]).toEqual([400, { 1: ['NotUnique source_uid'] }])
    const twice = itemOf('forms')
    const inOne = await api.post(forms, [twice, { ...twice, pipeline_id: null, source_name: 'y' }])
    expect(faultsOf(inOne)).toEqual({ 1: ['NotUnique source_uid'] })
    const call = itemOf('sip', { source_uid: draft.source_uid })
    const [second] = addedIn(await api.post(sip, [call]))
    expect(await uidsIn(api)).toEqual([added[0]!.uid, second!.uid])
  })

  test('an item is bounded, and a path that no uid has is unknown', async () => {
    const { api } = await newAccount()
    const page = 'x'.repeat(4000)
    const names = Array.from({ length: 100 }, () => ({ name: 'n'.repeat(255) }))
    const values = Array.from({ length: 60 }, () => ({ value: page }))
    const heavy = {
      name: 'Ann',
      custom_fields_values: [{ field_code: 'PHONE', values }],
      _embedded: { tags: names },
    }
    const answer = await api.post(forms, [itemOf('forms', { _embedded: { contacts: [heavy] } })])
    expect(faultsOf(answer)['0']).toContain('TooLong _embedded')
    for (const uid of ['a%00b', 'XYZ', '%20'])
      expect((await api.get(`/api/v4/leads/unsorted/${uid}`)).status).toBe(404)
  })

  test('after a decision the same request is a new item', async () => {
    const { api } = await newAccount()
    const draft = itemOf('forms', { _embedded: threeParts() })
    const uids = new Set<string>()
    for (const decide of [accept, decline, accept]) {
      const [added] = addedIn(await api.post(forms, [draft]))
      uids.add(added!.uid)
      expect((await decide(api, added!)).status).toBe(200)
    }
    expect(uids.size).toBe(3)
  })

  test('a change of the waiting lead does not make the request another one', async () => {
    const { api } = await newAccount()
    const draft = itemOf('forms')
    const [added] = addedIn(await api.post(forms, [draft]))
    await api.patch(`/api/v4/leads/${added!.lead}`, { name: 'Another' })
    expect(addedIn(await api.post(forms, [draft]))).toEqual([added])
  })

  test('equal requests at the same time make one item', async () => {
    const { api } = await newAccount()
    for (let round = 0; round < 5; round++) {
      const drafts = Array.from({ length: 6 }, () => itemOf('forms', { _embedded: threeParts() }))
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, caller) =>
          api.post(forms, caller % 2 ? drafts : drafts.toReversed()),
        ),
      )
      const uids = answers.map((answer, caller) => {
        const added = addedIn(answer).map(({ uid }) => uid)
        return caller % 2 ? added : added.toReversed()
      })
      for (const each of uids) expect(each).toEqual(uids[0])
    }
    expect(await uidsIn(api)).toHaveLength(30)
  })
})

describe('complex creation with metadata', () => {
  test('makes items that wait, with the ids of the records to come', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const metadata = { category: 'forms', form_id: 'cb', form_name: 'Call back' }
    const [made, call] = await addComplex(
      api,
      {
        name: 'A lead',
        status_id: main.statuses[1],
        request_id: 'r',
        _embedded: {
          metadata,
          tags: [{ name: 'site' }],
          contacts: [person(phone('1'))],
          companies: [{ name: 'Acme' }],
        },
      },
      { _embedded: { metadata: { category: 'sip', phone: '+1', uniq: 'call-1' } } },
    )
    expect(made).toMatchObject({ request_id: ['r'], merged: false })
    expect(call).toMatchObject({ contact_id: null, company_id: null })
    expect(await readLead(api, made!.id)).toMatchObject({
      name: 'A lead',
      status_id: main.unsorted,
      _embedded: { tags: [{ name: 'site' }] },
    })
    const { unsorted: items } = (await api.get(unsorted)).body._embedded
    expect(items).toMatchObject([
      { category: 'forms', source_name: 'Call back', metadata: { form_id: 'cb' } },
      { category: 'sip', source_uid: 'call-1', metadata: { phone: '+1' } },
    ])
    const { body } = await accept(api, items[0])
    expect(body._embedded).toMatchObject({
      leads: [{ id: made!.id }],
      contacts: [{ id: made!.contact_id }],
      companies: [{ id: made!.company_id }],
    })
  })

  test.for<[object, string]>([
    [{ metadata: { category: 'mail' } }, 'NotSupportedChoice _embedded.metadata.category'],
    [{ metadata: { form_id: 'x' } }, 'FieldMissing _embedded.metadata.category'],
    [{ metadata: { category: 'sip' } }, 'FieldMissing _embedded.metadata.phone'],
    [
      { metadata: { category: 'forms' }, contacts: [{ responsible_user_id: 7 }] },
      'NotSupportedChoice _embedded.contacts.0.responsible_user_id',
    ],
    [
      { metadata: { category: 'forms' }, tags: [{ id: 7 }] },
      'NotSupportedChoice _embedded.tags.0.id',
    ],
  ])('%j is refused', async ([_embedded, fault]) => {
    const { api } = await newAccount()
    const answer = await api.post('/api/v4/leads/complex', [{ _embedded }])
    expect([answer.status, faultsOf(answer)]).toEqual([400, { 0: [fault] }])
  })

  test('stored parts and a closed pipeline are refused, and metadata that are null are none', async () => {
    const { api } = await newAccount()
    const complex = '/api/v4/leads/complex'
    const metadata = { category: 'forms' }
    const contact = (await api.post('/api/v4/contacts', [{}])).body._embedded.contacts[0]
    const stored = await api.post(complex, [
      { _embedded: { metadata, contacts: [{ id: contact.id }] } },
    ])
    expect(faultsOf(stored)).toEqual({ 0: ['FieldNotExpected _embedded.metadata'] })
    const off = await newPipeline(api, { is_unsorted_on: false })
    const closed = await api.post(complex, [{ pipeline_id: off.id, _embedded: { metadata } }])
    expect(faultsOf(closed)).toEqual({ 0: ['NotSupportedChoice pipeline_id'] })
    const [plain] = await addComplex(api, { _embedded: { metadata: null } })
    expect((await readLead(api, plain!.id)).status_id).not.toBe(0)
    expect(await uidsIn(api)).toEqual([])
  })
})

describe('lists', () => {
  async function filled() {
    const account = await newAccount()
    const { api, clock } = account
    const other = await addPipeline(account)
    const added = []
    for (let index = 0; index < 9; index++) {
      // Three items of each time.
      const draft = {
        created_at: 1_700_000_000 + Math.floor(index / 3),
        ...(index % 2 && { pipeline_id: other.id }),
      }
      added.push(await addItem(api, draft, index % 4 === 0 ? 'sip' : 'forms'))
    }
    return {
      account,
      api,
      clock,
      other,
      main: await mainPipeline(account),
      uids: added.map(({ uid }) => uid),
      added,
    }
  }

  test('stand in the order of creation, and pages walk both orders without a gap', async () => {
    const { api, uids } = await filled()
    for (const limit of [1, 2, 4, 9, 250]) {
      expect(await uidsIn(api, `limit=${limit}`)).toEqual(uids)
      const upward = await uidsIn(api, `limit=${limit}&order[created_at]=asc`)
      expect(upward).toEqual(uids)
      const downward = await uidsIn(api, `limit=${limit}&order[created_at]=desc`)
      expect(downward).toEqual(uids.toReversed())
    }
    const { _page, _embedded } = (await api.get(`${unsorted}?limit=2&page=3`)).body
    expect([_page, _embedded.unsorted.map(({ uid }: { uid: string }) => uid)]).toEqual([
      3,
      uids.slice(4, 6),
    ])
  })

  test('the order of changes follows the changes of leads', async () => {
    const account = await newAccount({ rateLimitAddress: 0 })
    const { api, clock } = account
    const added = await addItems(api, 'forms', [{}, {}, {}])
    clock.ahead += 100
    await api.patch(`/api/v4/leads/${added[0]!.lead}`, { name: 'Changed' })
    const [first, second, third] = added.map(({ uid }) => uid)
    expect(await uidsIn(api, 'order[updated_at]=asc')).toEqual([second, third, first])
    expect(await uidsIn(api, 'order[updated_at]=desc')).toEqual([first, third, second])
  })

  test('filters by uid, category and pipeline, alone and together', async () => {
    const { api, uids, other, main } = await filled()
    const at = (...indexes: number[]) => indexes.map((index) => uids[index])
    const sips = at(0, 4, 8)
    expect(await uidsIn(api, 'filter[category]=sip')).toEqual(sips)
    expect(await uidsIn(api, 'filter[category][]=sip&filter[category][]=forms&limit=2')).toEqual(
      uids,
    )
    expect(await uidsIn(api, `filter[pipeline_id]=${other.id}&limit=2`)).toEqual(at(1, 3, 5, 7))
    const both = `filter[pipeline_id][]=${other.id}&filter[pipeline_id][]=${main.id}`
    expect(await uidsIn(api, `${both}&order[created_at]=desc&limit=4`)).toEqual(uids.toReversed())
    expect(await uidsIn(api, `filter[category]=forms&filter[pipeline_id]=${main.id}`)).toEqual(
      at(2, 6),
    )
    expect(await uidsIn(api, `filter[uid]=${uids[3]}`)).toEqual(at(3))
    const some = `filter[uid][]=${uids[8]}&filter[uid][]=${uids[3]}&filter[uid][]=unknown`
    expect(await uidsIn(api, some)).toEqual(at(3, 8))
    expect(
      await uidsIn(api, `${some}&filter[category]=sip&filter[pipeline_id]=${main.id}`),
    ).toEqual(at(8))
    expect(await uidsIn(api, 'filter[category]=mail')).toEqual([])
    for (const wrong of [
      'filter[category]=post',
      'filter[pipeline_id]=x',
      'order[id]=asc',
      'filter[source_uid]=x',
    ])
      expect({ wrong, ...(await api.get(`${unsorted}?${wrong}`)) }).toMatchObject({ status: 400 })
  })

  test('decided items and unknown uids are in no list and not read', async () => {
    const { api, added, uids } = await filled()
    await accept(api, added[0]!)
    await decline(api, added[1]!)
    expect(await uidsIn(api, 'limit=3')).toEqual(uids.slice(2))
    for (const uid of [uids[0], uids[1], 'unknown'])
      expect((await api.get(`${unsorted}/${uid}`)).status).toBe(404)
  })

  test('an account sees nothing of another', async () => {
    const { api, added, uids } = await filled()
    const alien = await newAccount()
    expect(await uidsIn(alien.api)).toEqual([])
    expect(await uidsIn(alien.api, `filter[uid]=${uids[0]}`)).toEqual([])
    expect((await alien.api.get(`${unsorted}/${uids[0]}`)).status).toBe(404)
    for (const decide of [accept, decline])
      expect((await decide(alien.api, added[0]!)).status).toBe(404)
    expect((await alien.api.get(`${unsorted}/summary`)).body.total).toBe(0)
    expect((await alien.api.get(`/api/v4/leads/${added[0]!.lead}`)).status).toBe(404)
    expect(await uidsIn(api)).toEqual(uids)
    // A name at a source is known in one account only.
    const draft = itemOf('forms')
    const [ours] = addedIn(await api.post(forms, [draft]))
    const [theirs] = addedIn(await alien.api.post(forms, [{ ...draft, source_name: 'Another' }]))
    expect(ours!.uid).not.toBe(theirs!.uid)
  })
})

describe('the summary', () => {
  test('counts what waits by category, and what was decided with the time that it took', async () => {
    const account = await newAccount({ rateLimitAddress: 0 })
    const { api, clock } = account
    const now = account.kontor.now()
    const other = await addPipeline(account)
    const calls = await addItems(api, 'sip', [{ created_at: now - 100 }, { created_at: now - 50 }])
    const sent = await addItems(api, 'forms', [
      { created_at: now - 40 },
      { created_at: now - 40, pipeline_id: other.id },
      {},
    ])
    const summary = async (query = '') => (await api.get(`${unsorted}/summary?${query}`)).body
    const totals = (sip: number, forms: number) => ({
      sip: { total: sip },
      mail: { total: 0 },
      forms: { total: forms },
      chats: { total: 0 },
    })
    const none = { accepted: 0, declined: 0, average_sort_time: 0 }
    expect(await summary()).toEqual({ total: 5, ...none, categories: totals(2, 3) })
    clock.ahead += 1000
    await accept(api, calls[0]!)
    await decline(api, sent[1]!)
    const all = await summary()
    expect(all).toMatchObject({ total: 3, accepted: 1, declined: 1, categories: totals(1, 2) })
    expect(Math.abs(all.average_sort_time - 1070)).toBeLessThan(10)
    expect(await summary(`filter[pipeline_id]=${other.id}`)).toMatchObject({
      total: 0,
      accepted: 0,
      declined: 1,
      categories: totals(0, 0),
    })
    const uids = `filter[uid][]=${calls[0]!.uid}&filter[uid][]=${calls[1]!.uid}`
    expect(await summary(uids)).toMatchObject({ total: 1, accepted: 1, declined: 0 })
    // Waiting items by their creation, decided ones by their decision.
    expect(await summary(`filter[created_at]=${now - 45}`)).toMatchObject({
      total: 2,
      accepted: 1,
      declined: 1,
    })
    expect(
      await summary(`filter[created_at][from]=${now - 50}&filter[created_at][to]=${now - 40}`),
    ).toMatchObject({ total: 2, accepted: 0, declined: 0, average_sort_time: 0 })
    expect(await summary(`filter[created_at][from]=${now + 900}`)).toMatchObject({
      total: 0,
      accepted: 1,
      declined: 1,
    })
    expect((await api.get(`${unsorted}/summary?filter[category]=sip`)).status).toBe(400)
  })
})

describe('rights', () => {
  test('only the right to an unsorted status lets users see its items and leads', async () => {
    const account = await newAccount()
    const other = await addPipeline(account)
    const main = await mainPipeline(account)
    const [ours, theirs] = await addItems(account.api, 'forms', [{}, { pipeline_id: other.id }])
    const blind = await addSorter(account, {})
    const able = await addSorter(account, { view: 'A' })
    const none = await account.addUser({ rights: {} })
    for (const { api } of [blind, none]) {
      for (const path of [unsorted, `${unsorted}/summary`, `${unsorted}/${ours!.uid}`])
        expect((await api.get(path)).status).toBe(403)
      expect((await api.get(`/api/v4/leads/${ours!.lead}`)).status).toBe(403)
    }
    expect((await blind.api.get(`/api/v4/leads?${inUnsorted(main)}`)).body._embedded.leads).toEqual(
      [],
    )
    expect(await uidsIn(able.api)).toEqual([ours!.uid])
    expect(
      await uidsIn(able.api, `filter[uid][]=${ours!.uid}&filter[uid][]=${theirs!.uid}`),
    ).toEqual([ours!.uid])
    expect((await able.api.get(`${unsorted}/${ours!.uid}`)).status).toBe(200)
    expect((await able.api.get(`${unsorted}/${theirs!.uid}`)).status).toBe(403)
    expect((await able.api.get(`/api/v4/leads/${ours!.lead}`)).status).toBe(200)
    expect((await able.api.get(`/api/v4/leads/${theirs!.lead}`)).status).toBe(403)
    const shown = await able.api.get(`/api/v4/leads?${inUnsorted(main)}`)
    expect(shown.body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual([ours!.lead])
    expect((await able.api.get(`${unsorted}/summary`)).body.total).toBe(1)
    expect((await account.api.get(`${unsorted}/summary`)).body.total).toBe(2)
    await decline(account.api, theirs!)
    expect((await able.api.get(`${unsorted}/summary`)).body).toMatchObject({
      total: 1,
      declined: 0,
    })
  })

  test('a user who may add leads adds items, also without sight of them', async () => {
    const account = await newAccount()
    const blind = await addSorter(account, {})
    const added = await addItem(blind.api)
    expect((await blind.api.get(`${unsorted}/${added.uid}`)).status).toBe(403)
    expect(await uidsIn(account.api)).toEqual([added.uid])
    const unable = await account.addUser({ rights: { contacts: { add: 'A' } } })
    expect((await unable.api.post(forms, [itemOf('forms')])).status).toBe(403)
  })

  test('only the right to edit at the unsorted status lets users decide', async () => {
    const account = await newAccount()
    const able = await addSorter(account, { view: 'A', edit: 'A' })
    const [first, second] = [await addItem(account.api), await addItem(account.api)]
    for (const open of [{}, { view: 'A' as const }]) {
      const user = await addSorter(account, open)
      for (const decide of [accept, decline])
        expect((await decide(user.api, first)).status).toBe(403)
      expect(
        (
          await user.api.post(`${unsorted}/${first.uid}/link`, {
            link: { entity_id: 1, entity_type: 'leads' },
          })
        ).status,
      ).toBe(403)
    }
    expect(await uidsIn(account.api)).toEqual([first.uid, second.uid])
    expect((await accept(able.api, first)).status).toBe(200)
    expect((await decline(able.api, second)).status).toBe(200)
  })

  test.for(['leads', 'contacts', 'companies'] as const)(
    'an item with all parts is not accepted by a user who may not add %s, neither way',
    async (kind) => {
      const account = await newAccount()
      const main = await mainPipeline(account)
      const levels = { view: 'A', edit: 'A', add: 'D', delete: 'A', export: 'A' } as const
      const user = await addSorter(account, { view: 'A', edit: 'A' }, { [kind]: levels })
      const added = await addItem(account.api)
      expect((await accept(user.api, added)).status).toBe(403)
      const moved = await user.api.patch(`/api/v4/leads/${added.lead}`, {
        status_id: main.statuses[0],
      })
      expect(moved.status).toBe(403)
      expect(await uidsIn(account.api)).toEqual([added.uid])
      expect((await decline(user.api, added)).status).toBe(200)
    },
  )

  test('calls and forms are not linked with records', async () => {
    const { api } = await newAccount()
    const added = await addItem(api)
    const link = { link: { entity_id: 1, entity_type: 'leads' } }
    expect((await api.post(`${unsorted}/${added.uid}/link`, link)).status).toBe(400)
    expect((await api.post(`${unsorted}/unknown/link`, link)).status).toBe(404)
  })
})
