// The version-2 methods of unsorted items, in every encoding (interface: Version-2 intake).
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../../test/account.ts'
import type { Answer } from '../../../../../test/client.ts'
import { addEveryType } from '../../../../../test/fields.ts'
import { mainPipeline } from '../../../../../test/leads.ts'
import type { TestPipeline } from '../../../../../test/leads.ts'
import { newPipeline } from '../../../../../test/pipelines.ts'
import { readRecord } from '../../../../../test/records.ts'
import { formatNested } from '../../../../http/nested.ts'
import type { Tellable } from '../../../../http/nested.ts'
import type { Field } from '../../../../records/fields/definitions.ts'
import type { FieldType } from '../../../../records/fields/types.ts'
import { createApiKey } from '../../../programs/api-keys/api-keys.ts'

const path = '/api/v2/incoming_leads'

type Send = (user: Pick<TestUser, 'token'>, path: string, body: object) => Promise<Answer>
let account: TestAccount
let pipeline: TestPipeline

beforeAll(async () => {
  account = await newAccount()
  pipeline = await mainPipeline(account)
})

const send =
  (encode: (body: object) => string, type: string | undefined): Send =>
  async ({ token }, at, body) => {
    const response = await fetch(account.kontor.url + at, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
      // Bytes, because fetch gives a text a content type.
      body: new TextEncoder().encode(encode(body)),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
const asForm = (body: object) => formatNested(body as { [key: string]: Tellable })
const asJson = (body: object) => JSON.stringify(body)
const formType = 'application/x-www-form-urlencoded'
const encodings: [string, Send][] = [
  ['JSON', send(asJson, 'application/json')],
  ['a form', send(asForm, formType)],
  ['a form without a content type', send(asForm, undefined)],
  ['JSON without a content type', send(asJson, undefined)],
  ['JSON under curl’s content type', send(asJson, formType)],
  ['a form after a blank', send((body) => ` ${asForm(body)}`.trimStart(), 'text/plain')],
]

let count = 0
const nextUid = () => `req-${++count}`

const formInfo = {
  form_id: 25,
  form_page: 'https://shop.example/cb',
  ip: '192.0.2.9',
  service_code: 'shop',
}
const callInfo = {
  to: 7,
  from: '+49 30 1',
  date_call: 1_700_000_000,
  duration: 54,
  link: 'https://pbx.example/1.mp3',
  service_code: 'pbx',
  uniq: 'call-1',
  add_note: true,
}
const formItem = (draft: object = {}) => ({
  source_name: 'Shop form',
  source_uid: nextUid(),
  incoming_entities: { leads: [{ name: 'Call back' }] },
  incoming_lead_info: formInfo,
  ...draft,
})
const callItem = (draft: object = {}) => ({
  ...formItem(),
  source_name: 'PBX',
  incoming_lead_info: callInfo,
  ...draft,
})

async function addForms(user: TestUser, ...drafts: object[]): Promise<string[]> {
  const answer = await user.api.post(`${path}/form`, { add: drafts.map((each) => formItem(each)) })
  expect(answer.body).toMatchObject({ status: 'success' })
  return answer.body.data
}
const listed = async (user: TestUser, query = '') =>
  (await user.api.get(`${path}${query}`)).body._embedded.items as {
    uid: string
    [key: string]: unknown
  }[]
const accept = async (user: TestUser, uids: string[], more: object = {}) =>
  (await user.api.post(`${path}/accept`, { accept: uids, ...more })).body.data

function expectFailure(answer: Answer, status: number, error_code: number) {
  expect(answer.body).toMatchObject({ status: 'fail', data: [], error_code })
  expect(answer.body.error).not.toBe('')
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/hal+json')
  expectTime(answer)
}

/** Seconds may pass between the answer and the check. */
function expectTime({ headers }: Answer) {
  const ago = account.kontor.now() - Number(headers.get('runtime-timestamp') ?? Number.NaN)
  expect([0, 1, 2, 3, 4, 5]).toContain(ago)
}

describe.each(encodings)('in %s', (_, post) => {
  test('a web form with everything is added, listed, accepted and read in version 4', async () => {
    const { admin, api } = account
    const source_uid = nextUid()
    const add = [
      {
        source_name: 'Shop form',
        source_uid,
        pipeline_id: pipeline.id,
        created_at: 1_700_000_100,
        incoming_entities: {
          leads: [
            {
              name: 'Call back 77',
              date_create: 1_700_000_000,
              status_id: 142,
              responsible_user_id: admin.id,
              sale: 1500,
              tags: 'site,callback',
              notes: [{ note_type: 4, element_type: 2, text: 'Please call' }],
            },
          ],
          contacts: [
            {
              name: 'Ann',
              custom_fields: [{ code: 'PHONE', values: [{ value: '+10000000000', enum: 'MOB' }] }],
              tags: ['vip'],
              notes: [{ note_type: 4, element_type: 1, text: 'Likes tea' }],
            },
          ],
          companies: [{ name: 'Acme' }],
        },
        incoming_lead_info: {
          ...formInfo,
          form_name: 'Call back',
          form_send_at: 1_700_000_050,
          referer: 'https://search.example',
        },
      },
    ]
    const added = await post(admin, `${path}/form`, { add })
    expect(added.status).toBe(200)
    expect(added.headers.get('content-type')).toBe('application/hal+json')
    expectTime(added)
    expect(added.body).toEqual({
      status: 'success',
      data: [expect.stringMatching(/^[\da-f]{60}$/)],
      _links: { self: { href: `${path}/form`, method: 'post' } },
    })
    const [uid] = added.body.data
    const [item] = (await listed(admin, '?page_size=500')).filter((each) => each.uid === uid)
    const id = expect.any(Number)
    expect(item).toEqual({
      uid,
      source_uid,
      source_name: 'Shop form',
      category: 'forms',
      created_at: 1_700_000_100,
      pipeline_id: pipeline.id,
      account_id: account.id,
      incoming_entities: {
        leads: [
          {
            name: 'Call back 77',
            created_at: 1_700_000_000,
            responsible_user_id: admin.id,
            price: 1500,
            tags: 'site,callback',
            notes: [{ note_type: 'common', element_type: 2, text: 'Please call' }],
          },
        ],
        contacts: [
          {
            name: 'Ann',
            tags: 'vip',
            custom_fields: [
              { id, name: 'Phone', code: 'PHONE', values: [{ value: '+10000000000', enum: id }] },
            ],
            notes: [{ note_type: 'common', element_type: 1, text: 'Likes tea' }],
          },
        ],
        companies: [{ name: 'Acme' }],
      },
      incoming_lead_info: {
        ...formInfo,
        form_id: '25',
        form_name: 'Call back',
        form_send_at: 1_700_000_050,
        referer: 'https://search.example',
      },
    })
    const accepted = await post(admin, `${path}/accept`, {
      accept: [uid],
      user_id: admin.id,
      status_id: pipeline.statuses[1],
    })
    expect(accepted.body).toEqual({
      status: 'success',
      data: { [uid]: { leads: [id], contacts: [id], companies: [id] } },
      _links: { self: { href: `${path}/accept`, method: 'post' } },
    })
    const { leads, contacts, companies } = accepted.body.data[uid]
    const lead = (await api.get(`/api/v4/leads/${leads[0]}?with=contacts`)).body
    expect(lead).toMatchObject({
      name: 'Call back 77',
      price: 1500,
      created_at: 1_700_000_000,
      pipeline_id: pipeline.id,
      status_id: pipeline.statuses[1],
      _embedded: {
        tags: [{ name: 'site' }, { name: 'callback' }],
        contacts: [{ id: contacts[0], is_main: true }],
        companies: [{ id: companies[0] }],
      },
    })
    expect((await readRecord(api, 'contacts', contacts[0])).custom_fields_values).toMatchObject([
      { field_code: 'PHONE', values: [{ value: '+10000000000', enum_code: 'MOB' }] },
    ])
    const notes = async (type: string, of: number) =>
      (await api.get(`/api/v4/${type}/${of}/notes?filter[note_type]=common`)).body._embedded.notes
    expect(await notes('leads', leads[0])).toMatchObject([{ params: { text: 'Please call' } }])
    expect(await notes('contacts', contacts[0])).toMatchObject([{ params: { text: 'Likes tea' } }])
  })

  test('a call gets its lead and its note', async () => {
    const { admin, api } = account
    const item = callItem({
      incoming_entities: { contacts: [{ name: 'Caller', company_name: 'Caller & Co' }] },
    })
    const added = await post(admin, `${path}/sip`, { add: [item] })
    const [uid] = added.body.data
    const [shown] = (await listed(admin, '?page_size=500&categories[]=sip')).filter(
      (each) => each.uid === uid,
    )
    const { date_call, ...info } = callInfo
    expect(shown).toMatchObject({
      category: 'sip',
      incoming_lead_info: { ...info, date: date_call, add_note: true },
    })
    const { leads, contacts, companies } = (await post(admin, `${path}/accept`, { accept: [uid] }))
      .body.data[uid]
    expect([leads.length, contacts.length, companies.length]).toEqual([1, 1, 1])
    expect((await readRecord(api, 'companies', companies[0])).name).toBe('Caller & Co')
    const notes = await api.get(`/api/v4/leads/${leads[0]}/notes?filter[note_type]=call_in`)
    expect(notes.body._embedded.notes).toMatchObject([
      { params: { phone: '+49 30 1', duration: 54, link: callInfo.link, uniq: 'call-1' } },
    ])
  })

  test('each contact works for the company that it names, and one that names none for none', async () => {
    const { admin, api } = account
    const contacts = [
      { name: 'a', company_name: 'A' },
      { name: 'b', company_name: 'A' },
      { name: 'c', company_name: 'B' },
      { name: 'd' },
    ]
    const item = formItem({ incoming_entities: { contacts } })
    const [uid] = (await post(admin, `${path}/form`, { add: [item] })).body.data
    const made = (await post(admin, `${path}/accept`, { accept: [uid], user_id: 0 })).body.data[uid]
    const names = []
    for (const id of made.contacts) {
      const { _embedded } = await readRecord(api, 'contacts', id)
      const [company] = _embedded.companies
      names.push(company ? (await readRecord(api, 'companies', company.id)).name : null)
    }
    expect(names).toEqual(['A', 'A', 'B', null])
  })

  test('a call without a note', async () => {
    const { admin, api } = account
    const info = { ...callInfo, add_note: false, uniq: nextUid() }
    const add = [callItem({ incoming_lead_info: info })]
    const [uid] = (await post(admin, `${path}/sip`, { add })).body.data
    const { leads } = (await post(admin, `${path}/accept`, { accept: [uid] })).body.data[uid]
    const notes = await api.get(`/api/v4/leads/${leads[0]}/notes?filter[note_type]=call_in`)
    expect(notes.body._embedded.notes).toEqual([])
  })

  test('declined items are gone', async () => {
    const { admin } = account
    const [one, other] = await addForms(admin, {}, {})
    const answer = await post(admin, `${path}/decline`, {
      decline: [one, 'no-such-uid', other],
      user_id: admin.id,
    })
    expect(answer.body).toEqual({
      status: 'success',
      data: { [one!]: true, 'no-such-uid': false, [other!]: true },
      _links: { self: { href: `${path}/decline`, method: 'post' } },
    })
    const again = await post(admin, `${path}/decline`, { decline: [one] })
    expect(again.body.data).toEqual({ [one!]: false })
    expect((await listed(admin, '?page_size=500')).map(({ uid }) => uid)).not.toContain(one)
  })

  test('several items keep their order, and the same request makes no second item', async () => {
    const { admin } = account
    const add = [formItem(), formItem(), formItem()]
    const first = await post(admin, `${path}/form`, { add })
    expect(new Set(first.body.data).size).toBe(3)
    const again = await post(admin, `${path}/form`, { add: add.toReversed() })
    expect(again.body.data).toEqual(first.body.data.toReversed())
    const other = { ...add[0]!, incoming_entities: { leads: [{ name: 'Other' }] } }
    expectFailure(await post(admin, `${path}/form`, { add: [other] }), 400, 205)
  })

  test.each<[string, method: string, body: object, code: number, said: RegExp]>([
    ['nothing', 'form', {}, 103, /./],
    ['another key', 'form', { adds: [] }, 103, /./],
    [
      'an item without a source',
      'form',
      { add: [formItem({ source_uid: null })] },
      400,
      /^add\.0\.source_uid: /,
    ],
    [
      'an item without entities',
      'form',
      { add: [formItem({ incoming_entities: undefined })] },
      400,
      /^add\.0\.incoming_entities: /,
    ],
    [
      'an item without its info',
      'form',
      { add: [formItem(), formItem({ incoming_lead_info: { form_id: 1 } })] },
      400,
      /^add\.1\.incoming_lead_info\./,
    ],
    [
      'a call without its number',
      'sip',
      { add: [callItem({ incoming_lead_info: { ...callInfo, from: undefined } })] },
      400,
      /incoming_lead_info\.from: /,
    ],
    [
      'an unknown field',
      'form',
      {
        add: [
          formItem(),
          formItem({
            incoming_entities: { leads: [{ custom_fields: [{ id: 999_999_999, values: ['a'] }] }] },
          }),
        ],
      },
      204,
      /^add\.1\.incoming_entities\.leads\.0\.custom_fields\.0\.id: /,
    ],
    [
      'an unknown label',
      'form',
      {
        add: [
          formItem({
            incoming_entities: {
              contacts: [
                { custom_fields: [{ code: 'PHONE', values: [{ value: '1', enum: 'MOON' }] }] },
              ],
            },
          }),
        ],
      },
      203,
      /custom_fields\.0\.values\.0\.enum: /,
    ],
    [
      'an unknown pipeline',
      'form',
      { add: [formItem({ pipeline_id: 999_999_999 })] },
      400,
      /^add\.0\./,
    ],
    [
      'an unknown user',
      'form',
      {
        add: [
          formItem({ incoming_entities: { contacts: [{ responsible_user_id: 999_999_999 }] } }),
        ],
      },
      400,
      /^add\.0\.incoming_entities\.contacts\.0\.responsible_user_id: /,
    ],
    ['an unknown key', 'form', { add: [formItem({ shoe: 1 })] }, 400, /^add\.0\.shoe: /],
    ['no uids', 'accept', { user_id: 1 }, 103, /^accept: /],
    [
      'a user that is not there',
      'accept',
      { accept: ['a'], user_id: 999_999_999 },
      400,
      /^user_id: /,
    ],
    [
      'a user that is not there',
      'decline',
      { decline: ['a'], user_id: 999_999_999 },
      400,
      /^user_id: /,
    ],
    ['no uids', 'decline', { decline: '' }, 103, /^decline: /],
  ])('%s is refused by %s', async (_name, method, body, code, said) => {
    const answer = await post(account.admin, `${path}/${method}?login=a&api_key=secret`, body)
    expectFailure(answer, 400, code)
    expect(answer.body.error).toMatch(said)
    expect(answer.body._links).toEqual({ self: { href: `${path}/${method}`, method: 'post' } })
  })
})

describe('the lists of a form', () => {
  test('may have gaps', async () => {
    const { admin } = account
    const item = formItem()
    const text = formatNested({ add: { 3: formItem(), 7: item } })
    const post = send(() => text, formType)
    const [one, other] = (await post(admin, `${path}/form`, {})).body.data
    const uids = send(() => `accept[5]=${other}&accept[2]=${one}&user_id=&status_id=`, formType)
    const { data } = (await uids(admin, `${path}/accept`, {})).body
    expect(new Set(Object.keys(data))).toEqual(new Set([one, other]))
  })

  test('are refused with the place of the faulty item', async () => {
    const post = send(
      () => formatNested({ add: { 3: formItem(), 7: formItem({ pipeline_id: 'x' }) } }),
      formType,
    )
    const answer = await post(account.admin, `${path}/form`, {})
    expectFailure(answer, 400, 400)
    expect(answer.body.error).toMatch(/^add\.1\.pipeline_id: /)
  })
})

describe('custom fields of every type', () => {
  const types = ['leads', 'contacts', 'companies'] as const
  const uuids = {
    file_uuid: '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a',
    version_uuid: 'c0a80101-94ca-4f75-a02c-c8d6bc1e4e0b',
  }
  const bakery = { name: 'Bakery', entity_type: 2, vat_id: '77' }

  /** The values of a field in version 2, and the same in version 4. */
  function sample(field: Field): [v2: unknown[], v4: object[]] | undefined {
    const [first, second] = field.enums
    const samples: Partial<Record<FieldType, [unknown[], object[]]>> = {
      text: [['a <b>'], [{ value: 'a <b>' }]],
      textarea: [[{ value: 'two\nlines' }], [{ value: 'two\nlines' }]],
      url: [[{ value: 'https://a.example' }], [{ value: 'https://a.example' }]],
      streetaddress: [['Main street 1'], [{ value: 'Main street 1' }]],
      numeric: [[{ value: 12.5 }], [{ value: 12.5 }]],
      monetary: [['100.50'], [{ value: 100.5 }]],
      checkbox: [[{ value: true }], [{ value: true }]],
      date: [[{ value: 1_767_222_000 }], [{ value: 1_767_222_000 }]],
      birthday: [[{ value: '1990-05-01T00:00:00+00:00' }], [{ value: 641_520_000 }]],
      date_time: [[1_700_000_001], [{ value: 1_700_000_001 }]],
      tracking_data: [[{ value: 'google' }], [{ value: 'google' }]],
      legal_entity: [[{ value: bakery }], [{ value: bakery }]],
      file: [[{ value: uuids }], [{ value: uuids }]],
      ...(first &&
        second && {
          select: [[first.id], [{ enum_id: first.id }]],
          multiselect: [
            [first.id, second.id],
            [{ enum_id: first.id }, { enum_id: second.id }],
          ],
          radiobutton: [[{ value: second.value }], [{ enum_id: second.id }]],
          multitext: [
            [
              { value: '+1', enum: first.id },
              { value: '+2', enum: second.code },
            ],
            [
              { value: '+1', enum_id: first.id },
              { value: '+2', enum_id: second.id },
            ],
          ],
        }),
      smart_address: [
        [
          { value: 'Main street 1', subtype: 'address_line_1' },
          { value: 'Berlin', subtype: 'city' },
          { value: '10115', subtype: 'zip' },
          { value: 'DE', subtype: 'country' },
        ],
        [
          { value: 'Main street 1', enum_code: 'address_line_1' },
          { value: 'Berlin', enum_code: 'city' },
          { value: '10115', enum_code: 'zip' },
          { value: 'DE', enum_code: 'country' },
        ],
      ],
    }
    return samples[field.type]
  }

  test.each(encodings)('come from %s as version 4 would store them', async (_, post) => {
    const { admin, api } = account
    const v2: Record<string, object[]> = {}
    const v4: Record<string, object[]> = {}
    for (const type of types) {
      const fields = Object.values(await addEveryType(account, type)).filter((each) => sample(each))
      expect(fields.length).toBeGreaterThan(12)
      v2[type] = fields.map((field) => ({ id: field.id, values: sample(field)![0] }))
      v4[type] = fields.map((field) => ({ field_id: field.id, values: sample(field)![1] }))
    }
    const entities = Object.fromEntries(
      types.map((type) => [type, [{ name: 'Full', custom_fields: v2[type] }]]),
    )
    const added = await post(admin, `${path}/form`, {
      add: [formItem({ incoming_entities: entities })],
    })
    expect(added.body).toMatchObject({ status: 'success' })
    const [uid] = added.body.data
    const [shown] = (await listed(admin, '?page_size=500')).filter((each) => each.uid === uid)
    const accepted = (await post(admin, `${path}/accept`, { accept: [uid] })).body.data[uid]
    for (const type of types) {
      const made = await api.post(`/api/v4/${type}`, [
        { name: 'Full', custom_fields_values: v4[type] },
      ])
      const expected = await readRecord(api, type, made.body._embedded[type][0].id)
      const read = await readRecord(api, type, accepted[type][0])
      expect(read.custom_fields_values).toEqual(expected.custom_fields_values)
      expect(read.custom_fields_values).toHaveLength(v4[type]!.length)
      const [entity] = (
        shown!['incoming_entities'] as Record<string, { custom_fields: object[] }[]>
      )[type]!
      // The list shows items in a form that version 2 takes again.
      const again = { [type]: [{ name: 'Full', custom_fields: entity!.custom_fields }] }
      const [second] = (
        await post(admin, `${path}/form`, { add: [formItem({ incoming_entities: again })] })
      ).body.data
      const twice = (await post(admin, `${path}/accept`, { accept: [second] })).body.data[second]
      expect((await readRecord(api, type, twice[type][0])).custom_fields_values).toEqual(
        expected.custom_fields_values,
      )
    }
  })
})

describe('the list', () => {
  let own: TestAccount
  let uids: string[]
  let other: number

  beforeAll(async () => {
    own = await newAccount()
    other = (await newPipeline(own.api)).id
    uids = await addForms(
      own.admin,
      { created_at: 100 },
      { created_at: 300, pipeline_id: other },
      { created_at: 200 },
    )
    const calls = await own.api.post(`${path}/sip`, { add: [callItem({ created_at: 50 })] })
    uids.push(calls.body.data[0])
  })

  test.each<[query: string, places: number[]]>([
    ['', [3, 0, 2, 1]],
    ['?order_by[created_at]=asc', [3, 0, 2, 1]],
    ['?order_by[created_at]=desc', [1, 2, 0, 3]],
    ['?categories[]=sip', [3]],
    ['?categories[0]=sip&categories[1]=forms', [3, 0, 2, 1]],
    ['?categories[]=chats&categories[]=mail', []],
    ['?categories=forms', [0, 2, 1]],
    ['?page_size=2', [3, 0]],
    ['?page_size=2&PAGEN_1=0', [3, 0]],
    ['?page_size=2&PAGEN_1=2', [2, 1]],
    ['?page_size=2&PAGEN_1=3', []],
    ['?page_size=3&PAGEN_1=2&order_by[created_at]=desc', [3]],
    ['?page_size=9999', [3, 0, 2, 1]],
    ['?login=ann@example.com&api_key=secret', [3, 0, 2, 1]],
  ])('%s', async (query, indexes) => {
    const answer = await own.api.get(path + query)
    expect(
      answer.body._embedded.items.map(({ uid }: { uid: string }) => uids.indexOf(uid)),
    ).toEqual(indexes)
    expect(answer.body._links).toEqual({ self: { href: path, method: 'get' } })
    expect(answer.headers.get('content-type')).toBe('application/hal+json')
    expectTime(answer)
  })

  test('a walk from page to page goes on where it was, though items go meanwhile', async () => {
    const { api } = await newAccount()
    const add = Array.from({ length: 5 }, () => formItem())
    const uids: string[] = (await api.post(`${path}/form`, { add })).body.data
    const page = async (number: number) =>
      (await api.get(`${path}?page_size=2&PAGEN_1=${number}`)).body._embedded.items.map(
        ({ uid }: { uid: string }) => uids.indexOf(uid),
      )
    expect(await page(1)).toEqual([0, 1])
    await api.post(`${path}/decline`, { decline: [uids[0]] })
    expect(await page(2)).toEqual([2, 3])
    expect(await page(3)).toEqual([4])
  })

  test('of one pipeline', async () => {
    expect((await listed(own.admin, `?pipeline_id=${other}`)).map(({ uid }) => uid)).toEqual([
      uids[1],
    ])
  })

  test.each([
    'page_size=0',
    'PAGEN_1=-1',
    'categories[]=fax',
    'order_by[name]=asc',
    'order_by[created_at]=up',
    'order_by[created_at]=asc&order_by[updated_at]=asc',
    'pipeline_id=x',
  ])('refuses %s', async (query) => {
    expectFailure(await own.api.get(`${path}?${query}`), 400, 400)
  })

  test('counts items', async () => {
    const totals = {
      sip: { total: 1 },
      mail: { total: 0 },
      forms: { total: 3 },
      chats: { total: 0 },
    }
    const answer = await own.api.get(`${path}/summary`)
    expect(answer.body).toEqual({
      total: 4,
      accepted: 0,
      declined: 0,
      average_sort_time: 0,
      categories: totals,
      _links: { self: { href: `${path}/summary`, method: 'get' } },
    })
    for (const query of [
      'filter[date][from]=150',
      'data[filter][date][from]=150&data[filter][date][to]=300',
    ])
      expect((await own.api.get(`${path}/summary?${query}`)).body.total).toBe(2)
    expect((await own.api.get(`${path}/summary?pipeline_id=${other}`)).body.total).toBe(1)
  })

  test('refuses a page that is too long, and shows it in parts', async () => {
    const big = await newAccount()
    const notes = Array.from({ length: 4 }, () => ({ text: 'a'.repeat(60_000) }))
    const draft = { incoming_entities: { leads: [{ notes }] } }
    for (let times = 0; times < 10; times++)
      await addForms(big.admin, ...Array.from({ length: 7 }, () => draft))
    expectFailure(await big.api.get(`${path}?page_size=500`), 400, 400)
    expect(await listed(big.admin, '?page_size=20')).toHaveLength(20)
    const tooLong = { incoming_entities: { leads: [{ notes: [...notes, ...notes] }] } }
    expectFailure(await big.api.post(`${path}/form`, { add: [formItem(tooLong)] }), 400, 400)
  })
})

describe('acceptance', () => {
  test('gives each uid its own outcome', async () => {
    const { admin } = account
    const [one, declined, other] = await addForms(admin, {}, {}, {})
    await admin.api.post(`${path}/decline`, { decline: [declined] })
    const data = await accept(admin, [one!, declined!, 'no-such-uid', other!])
    expect(new Set(Object.keys(data))).toEqual(new Set([one, other]))
    expect(await accept(admin, [one!, other!])).toEqual({})
  })

  test('refuses a stage that no item has', async () => {
    const { admin } = account
    const uids = await addForms(admin, {})
    for (const status_id of [999_999_999, pipeline.unsorted]) {
      const answer = await admin.api.post(`${path}/accept`, { accept: uids, status_id })
      expectFailure(answer, 400, 400)
      expect(answer.body.error).toMatch(/^status_id: /)
    }
    expect(Object.keys(await accept(admin, uids))).toEqual(uids)
  })
})

describe('failures', () => {
  test('of callers', async () => {
    const { admin, kontor } = account
    const anonymous = await fetch(`${kontor.url}${path}?login=a&api_key=secret`)
    const body = await anonymous.json()
    expectFailure({ status: anonymous.status, headers: anonymous.headers, body }, 401, 110)
    expect(JSON.stringify(body)).not.toContain('secret')
    const unable = await account.addUser({
      rights: { leads: { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } },
    } as object)
    for (const [method, sent] of [
      ['form', { add: [formItem()] }],
      ['sip', { add: [callItem()] }],
      ['accept', { accept: ['a'] }],
    ] as const)
      expectFailure(await unable.api.post(`${path}/${method}`, sent), 403, 244)
    expectFailure(await unable.api.get(path), 403, 244)
    expectFailure(await unable.api.get(`${path}/summary`), 403, 244)
    const [uid] = await addForms(admin, {})
    expect((await unable.api.post(`${path}/decline`, { decline: [uid] })).body.data).toEqual({
      [uid!]: false,
    })
  })

  test('of bodies', async () => {
    const { admin } = account
    const broken = async (text: string, type: string) =>
      send(() => text, type)(admin, `${path}/form`, {})
    expectFailure(await broken('{"add":[', 'application/json'), 400, 400)
    expectFailure(await broken('', 'application/json'), 400, 103)
    expectFailure(await broken('a', 'application/xml'), 415, 415)
    expectFailure(await broken('add[0=1', formType), 400, 400)
    expectFailure(await broken(asJson({ add: [] }), 'application/json'), 400, 103)
    expectFailure(
      await broken(
        asJson({ add: Array.from({ length: 251 }, () => formItem()) }),
        'application/json',
      ),
      400,
      400,
    )
    expectFailure(await broken('__proto__[x]=1&add[__proto__][y]=2', formType), 400, 400)
  })

  test('of unknown addresses stay problems', async () => {
    const answer = await account.api.get(`${path}/nothing`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ])
  })
})

test('a login and an API key open every method, and stand in no answer', async () => {
  const { admin, kontor } = account
  const { api_key } = await kontor.database.transaction((tx) =>
    createApiKey(tx, { accountId: account.id, at: kontor.now() }, admin.id, { name: 'A site' }),
  )
  const query = `?${new URLSearchParams({ login: admin.email, api_key }).toString()}`
  const ask = async (at: string, body?: object) => {
    const answer = await fetch(`${kontor.url}${path}${at}${query}`, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': formType },
        body: asForm(body),
      }),
    })
    const text = await answer.text()
    expect([answer.status, text]).toEqual([200, text])
    expect(text).not.toContain(api_key)
    return JSON.parse(text)
  }
  const [one, other] = (await ask('/form', { add: [formItem(), formItem()] })).data
  await ask('/sip', { add: [callItem()] })
  await ask('')
  await ask('/summary')
  expect(Object.keys((await ask('/accept', { accept: [one] })).data)).toEqual([one])
  expect((await ask('/decline', { decline: [other] })).data).toEqual({ [other]: true })
})

test('accounts know nothing of each other', async () => {
  const { admin } = account
  const alien = await newAccount()
  const [uid] = await addForms(admin, {})
  expect(await listed(alien.admin)).toEqual([])
  expect(await accept(alien.admin, [uid!])).toEqual({})
  expect((await alien.api.post(`${path}/decline`, { decline: [uid] })).body.data).toEqual({
    [uid!]: false,
  })
  const { id: theirs } = await mainPipeline(alien)
  expectFailure(
    await admin.api.post(`${path}/form`, { add: [formItem({ pipeline_id: theirs })] }),
    400,
    400,
  )
  // The name at the source is each account's own.
  const item = formItem()
  const [ours] = (await admin.api.post(`${path}/form`, { add: [item] })).body.data
  const [other] = (await alien.api.post(`${path}/form`, { add: [item] })).body.data
  expect(other).not.toBe(ours)
})

test('a seller sees and decides items where the unsorted status is open', async () => {
  const own = await newAccount()
  const { id: pipeline_id, unsorted: status_id } = await mainPipeline(own)
  const other = (await newPipeline(own.api)).id
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
  const opened = { entity_type: 'leads', pipeline_id, status_id, rights: { view: 'A', edit: 'A' } }
  const closed = await own.addUser({ rights: { leads: all, contacts: all, companies: all } })
  const seller = await own.addUser({
    rights: { leads: all, contacts: all, companies: all, status_rights: [opened] },
  } as Parameters<TestAccount['addUser']>[0])
  const [here, there] = await addForms(own.admin, {}, { pipeline_id: other })
  expectFailure(await closed.api.get(path), 403, 244)
  expect((await listed(seller)).map(({ uid }) => uid)).toEqual([here])
  expect(await accept(closed, [here!])).toEqual({})
  expect(Object.keys(await accept(seller, [here!, there!]))).toEqual([here])
})
