// A value for every member of the bodies of the interface that differs from what stands in the account,
// and the things that such values name.
import { randomUUID } from 'node:crypto'
import type { Schema } from '../../server/http/shape.ts'
import { addPipeline, mainPipeline } from '../leads.ts'
import { addCatalog, addElements } from '../links.ts'
import { catalogOf } from './catalogs.ts'
import type { RouteFixture } from './fixture.ts'
import { isRequiredIn } from './bodies.ts'
import type { Keys } from './bodies.ts'
import * as seed from './seed.ts'
import type { RouteRequest } from './requests.ts'
import { segmentOf } from './segments.ts'

export type Samples = Awaited<ReturnType<typeof newSamples>>

export async function newSamples(fixture: RouteFixture) {
  const { account, colleague, outsider } = fixture
  const { api } = account
  const ok = async (path: string, body: unknown) => {
    const answer = await api.post(path, body)
    if (answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const [main, other] = [await mainPipeline(account), await addPipeline(account)]
  const reason = (await ok('/api/v4/leads/loss_reasons', [{ name: 'Dear' }]))._embedded
    .loss_reasons[0].id
  await ok('/api/v4/sources', [{ name: 'A source', external_id: 'sample' }])
  const statuses = (await api.get('/api/v4/customers/statuses')).body._embedded.statuses.map(
    (each: { id: number }) => each.id,
  )
  const fields: Record<string, { text: number; select: number; linked: number; enums: number[] }> =
    {}
  const catalog = await catalogOf(fixture)
  const goods = await addCatalog(api)
  const elements = await addElements(api, goods, 'A good', 'Another')
  for (const type of [...seed.kinds, `catalogs/${catalog}`, 'customers/segments']) {
    const made = await ok(`/api/v4/${type}/custom_fields`, [
      { name: 'A text', type: 'text', code: 'SAMPLE_TEXT' },
      { name: 'Another', type: 'text', code: 'SAMPLE_OTHER' },
      {
        name: 'A choice',
        type: 'select',
        code: 'SAMPLE_CHOICE',
        enums: ['one', 'two', 'three', 'four'].map((value, sort) => ({
          value,
          sort,
          code: value.toUpperCase(),
        })),
      },
    ])
    const [text, , select] = made._embedded.custom_fields
    const chain = await api.post(`/api/v4/${type}/custom_fields`, [
      {
        name: 'A chain',
        type: 'chained_list',
        chained_lists: [{ title: 'One', catalog_id: goods, parent_catalog_id: null }],
      },
    ])
    fields[type] = {
      text: text.id,
      select: select.id,
      linked: chain.status < 300 ? chain.body._embedded.custom_fields[0].id : 1,
      enums: select.enums.map((each: { id: number }) => each.id),
    }
  }
  const records: Record<string, number> = {}
  for (const kind of seed.kinds)
    records[kind] = await seed.addRecord(fixture, kind, outsider, ' sample')
  const tags: Record<string, { id: number; name: string }> = {}
  // The tag that seed.addRecord gives every record.
  const attachedName = `A tag ${fixture.mark}`
  const attached: Record<string, number> = {}
  for (const kind of seed.kinds)
    attached[kind] = (
      await ok(
        `/api/v4/${kind}/tags`,
        [attachedName, 'Added', 'Sampled'].map((name) => ({ name })),
      )
    )._embedded.tags[0].id
  for (const kind of seed.kinds) tags[kind] = await seed.addTag(fixture, kind, 'sample')
  const another = await ok('/api/v4/customers/segments', { name: 'Another' })
  const segments = [await segmentOf(fixture), another.id as number]
  const more: Record<string, number> = {}
  const third: Record<string, number> = {}
  for (const kind of seed.kinds) {
    more[kind] = (await seed.addTag(fixture, kind, 'more')).id
    third[kind] = (await seed.addTag(fixture, kind, 'third')).id
  }
  const role = await seed.addRole(fixture)
  const taskType = (await ok('/web/v1/task-types', { name: 'A type', color: '98cbff' })).id
  return {
    user: colleague.id,
    main,
    other,
    reason,
    statuses,
    fields,
    catalog,
    goods,
    elements: elements.map(({ id }) => id),
    records,
    tags,
    role,
    more,
    third,
    attached,
    attachedName,
    group: fixture.group,
    taskType,
    segments,
  }
}

const soon = 2_100_000_000
const past = 1_600_000_000

/** The type of the record that a member belongs to: by the lists around it, or by the path. */
export function holderOf(path: string, keys: Keys): string {
  if (path.includes('/segments')) return 'customers/segments'
  const around = keys.slice(0, -1).filter((key) => seed.kinds.includes(key as seed.Kind))
  const [, named] = /\/(leads|contacts|companies|customers)(?:\/|$)/.exec(path) ?? []
  return String(
    around.at(-1) ?? (path.includes('incoming_leads') ? 'leads' : (named ?? 'catalogs')),
  )
}

type Candidates = (s: Samples, holder: string, path: string) => unknown[]

const inStatus = { view: 'A', edit: 'A', delete: 'A', export: 'A' }
const full = { ...inStatus, add: 'A' }

const record = (s: Samples, holder: string) =>
  s.fields[holder] ?? s.fields[`catalogs/${s.catalog}`]!

/** Candidates by the last two keys, or by the last. */
const candidates: Record<string, Candidates> = {
  responsible_user_id: (s) => [s.user],
  created_by: (s) => [s.user],
  updated_by: (s) => [s.user],
  user_id: (s) => [s.user],
  created_at: () => [past],
  updated_at: () => [past],
  closed_at: () => [past],
  status_id: (s, holder, path) =>
    holder === 'customers'
      ? s.statuses.slice(0, 3)
      : path.includes('unsorted')
        ? [s.main.statuses[1], s.other.statuses[1]]
        : [s.main.statuses[1], 142],
  pipeline_id: (s) => [s.other.id],
  loss_reason_id: (s) => [s.reason],
  visitor_uid: () => ['visitor'],
  custom_fields_values: (s, holder) => [
    [{ field_id: record(s, holder).text, values: [{ value: 'sampled' }] }],
    [{ field_id: record(s, holder).select, values: [{ enum_id: record(s, holder).enums[0] }] }],
    [{ field_code: 'SAMPLE_OTHER', values: [{ value: 'other' }] }],
    [{ field_id: record(s, holder).select, values: [{ enum_code: 'ONE' }] }],
    [{ field_id: record(s, holder).select, values: [{ enum: 'ONE' }] }],
    [
      {
        field_id: record(s, holder).linked,
        values: [{ catalog_id: s.goods, catalog_element_id: s.elements[0] }],
      },
    ],
  ],
  'rights.leads': () => [full],
  'rights.contacts': () => [full],
  'rights.companies': () => [full],
  'rights.tasks': () => [{ edit: 'A', delete: 'A' }],
  'status_rights.rights': () => [inStatus],
  'catalog_rights.rights': () => [full],
  custom_fields: (s, holder) => [
    [{ id: record(s, holder).text, values: [{ value: 'sampled' }] }],
    [{ id: record(s, holder).select, values: [{ value: 'one' }] }],
    [{ code: 'PHONE', values: [{ value: '+15550199', enum: 'WORK' }] }],
  ],
  error_code: () => [902, 903],
  'values.enum': (s, holder) => [record(s, holder).enums[3], 'FOUR', 'MOB'],
  'custom_fields_values.values': () => [[{ value: 'sampled value' }]],
  contacts: (s, _holder, path) =>
    path.includes('/notes')
      ? []
      : path.includes('complex')
        ? [[{ name: 'Sampled' }], [{ id: s.records['contacts'] }]]
        : [[{ id: s.records['contacts'] }], [{ name: 'Sampled' }]],
  companies: (s, _holder, path) =>
    path.includes('complex')
      ? [[{ name: 'Sampled' }], [{ id: s.records['companies'] }]]
      : [[{ id: s.records['companies'] }], [{ name: 'Sampled' }]],
  'contacts.id': (s) => [s.records['contacts']],
  'companies.id': (s) => [s.records['companies']],
  metadata: (s, _, path) => [
    ...(path.includes('/link') || path.includes('/unlink')
      ? [
          { is_main: true },
          { contact_id: s.records['contacts'] },
          { catalog_id: s.goods, quantity: 2 },
        ]
      : []),
    ...(path.includes('transactions') ? [{ catalog_id: s.goods }] : []),
  ],
  'metadata.contact_id': (s) => [s.records['contacts']],
  catalog_elements: (s, _, path) =>
    path.includes('transactions')
      ? [[{ id: s.elements[0], metadata: { catalog_id: s.goods } }]]
      : [[{ id: s.elements[0] }]],
  to_entity_id: (s) => [s.records['contacts']],
  rights: () => [{ leads: full, contacts: full, companies: full }],
  edit: () => ['A', 'M', 'D'],
  delete: () => ['A', 'M', 'D'],
  export: () => ['A', 'M', 'D'],
  view: () => ['A', 'M'],
  add: () => ['A', 'D'],
  status_rights: (s) => [
    [
      {
        entity_type: 'leads',
        pipeline_id: s.main.id,
        status_id: s.main.statuses[0],
        rights: inStatus,
      },
    ],
  ],
  catalog_rights: (s) => [[{ catalog_id: s.goods, rights: full }]],
  required_statuses: (s) => [[{ status_id: s.main.statuses[1], pipeline_id: s.main.id }]],
  hidden_statuses: (s) => [[{ status_id: s.main.statuses[1], pipeline_id: s.main.id }]],
  descriptions: () => [[{ level: 'newbie', description: 'Sampled' }]],
  statuses: () => [
    [
      { name: 'One', sort: 20 },
      { name: 'Two', sort: 10 },
    ],
  ],
  enums: () => [[{ value: 'one', sort: 5 }]],
  nested: () => [
    [
      { value: 'one', request_id: 'a' },
      { value: 'two', parent_request_id: 'a' },
    ],
    [{ value: 'one', sort: 5 }],
  ],
  chained_lists: (s) => [[{ title: 'One', catalog_id: s.goods }]],
  remind: () => ['day', 'week'],
  currency: () => ['EUR'],
  tracking_callback: () => ["function () { return 'x' }"],
  search_in: (s) => ['text', String(s.goods)],
  services: () => [
    [
      {
        type: 'whatsapp',
        params: { waba: true },
        pages: [{ id: '1', name: 'One', link: '+15550188' }],
      },
    ],
  ],
  emoji: () => ['\u{1F44D}'],
  receipt_link: () => ['https://example.com/receipt'],
  phone: () => ['+15550177'],
  lang: () => ['es'],
  avatar: () => ['https://img.example.com/sampled.png'],
  media: () => ['https://files.example.com/sampled.png'],
  thumbnail: () => ['https://files.example.com/small.png'],
  link: () => ['https://pbx.example.com/sampled.mp3'],
  leads: (_s, _h, path) => (/unsorted|incoming/.test(path) ? [[{ name: 'Sampled' }]] : []),
  call_responsible: () => ['Somebody'],
  called_at: () => [past],
  timestamp: () => [past],
  msec_timestamp: () => [past * 1000 + 5],
  type: (_s, _holder, path) =>
    path.includes('custom_fields')
      ? ['numeric']
      : path.endsWith('/react')
        ? ['react', 'unreact']
        : path.includes('catalogs')
          ? ['invoices']
          : [],
  field_id: (s, holder) => [record(s, holder).text],
  field_code: () => ['SAMPLE_OTHER', 'SAMPLE_TEXT'],
  value: () => ['sampled value'],
  enum_id: (s, holder) => [record(s, holder).enums[1]],
  enum_code: () => ['THREE'],
  first_name: () => ['First', 'Primus'],
  last_name: () => ['Last', 'Ultimus'],
  tags_to_add: (s, holder) => [[{ id: s.more[holder] }], [{ name: 'Added' }]],
  tags_to_delete: (s, holder) => [[{ id: s.attached[holder] }], [{ name: s.attachedName }]],
  tags: (s, holder, path) =>
    path.includes('/api/v2/') ? ['sampled'] : [[{ id: s.tags[holder]!.id }], [{ name: 'Sampled' }]],
  'statuses.id': () => [142, 143],
  'statuses.type': () => [1],
  'tags.id': (s, holder) => [s.tags[holder]!.id],
  'tags_to_add.id': (s, holder) => [s.more[holder], s.third[holder]],
  'tags_to_delete.id': (s, holder) => [s.attached[holder]],
  'tags_to_delete.name': (s) => [s.attachedName],
  'source.external_id': () => ['sample'],
  source: () => [{ external_id: 'sample' }],
  segments: (s) => [[{ id: s.segments[1] }]],
  'segments.id': (s) => [s.segments[1], s.segments[0]],
  role_id: (s) => [s.role],
  'rights.group_id': (s) => [s.group],
  task_type_id: (s) => [s.taskType],
  entity_type: (_s, holder, path) =>
    seed.kinds.filter((kind) => kind !== (path.includes('tasks') ? 'leads' : holder)),
  entity_id: (s, holder) => [s.records['leads'], s.records[holder]],
  result: () => [{ text: 'Done' }],
  next_date: () => [soon],
  complete_till: () => [soon],
  code: () => ['SAMPLED'],
  group_id: () => ['statistic'],
  settings: () => [['add_lead', 'add_contact']],
  parent_catalog_id: (s) => [s.catalog],
  catalog_id: (s) => [s.goods],
  catalog_element_id: (s) => [s.elements[1], s.elements[0]],
  color: (_s, _holder, path) =>
    /tags/.test(path) ? ['ff8f92', '98cbff'] : ['#98cbff', '#fffeb2', '98cbff'],
}

/** Members of which no other value says more. */
const only = new Set(['type', 'entity_type', 'tags_to_delete.id', 'tags_to_delete.name'])

/** Values that a member may have in a body, all different from what it has unasked. */
export function candidatesFor(s: Samples, path: string, keys: Keys, schema: Schema): unknown[] {
  const names = keys.filter((key) => key !== 0)
  // Items are named by their uid alone.
  if (names.at(-1) === 'accept' || names.at(-1) === 'decline') return []
  const named = candidates[names.slice(-2).join('.')] ?? candidates[String(names.at(-1))]
  const holder = holderOf(path, keys)
  const chosen = named ? named(s, holder, path) : []
  // What must be said in another way is refused.
  if ('x-refused' in schema) return [true, [{ id: 7 }]]
  if (
    [names.at(-1), names.slice(-2).join('.')].some((name) => only.has(String(name))) &&
    chosen.length > 0
  )
    return chosen
  return [...chosen, ...plainly(schema).slice(0, chosen.length > 0 ? 1 : 3)]
}

function plainly(schema: Schema): unknown[] {
  if ('const' in schema) return [schema.const]
  if (schema.enum) return [...schema.enum]
  if (schema.anyOf) return schema.anyOf.filter((each) => each.type !== 'null').flatMap(plainly)
  switch (schema.type) {
    case 'object':
      return [
        Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([key]) => isRequiredIn(schema, key))
            .map(([key, inner]) => [key, plainly(inner)[0]]),
        ),
      ]
    case 'array':
      return schema.items ? [plainly(schema.items).slice(0, 1)] : [[]]
    case 'integer':
    case 'number':
      return [Math.max(7, Number(schema['minimum'] ?? 7)), past]
    case 'boolean':
      return [true, false]
    case 'string':
      return [
        {
          uri: 'https://example.com/sampled',
          email: 'sampled@example.com',
          uuid: '11111111-2222-4333-8444-555555555555',
        }[schema.format ?? ''] ?? 'sampled'.padEnd(Number(schema['minLength'] ?? 1), 'd'),
      ]
    default:
      return ['sampled', 7]
  }
}

/** Bodies of other types, in which other members count. */
export function variantsFor(method: string, path: string, s: Samples): object[] {
  if (method === 'PATCH' && /custom_fields|notes/.test(path)) return [{}]
  if (/custom_fields(\/\{id\})?$/.test(path))
    return [
      {},
      { type: 'select' },
      { type: 'birthday' },
      { type: 'monetary' },
      { type: 'chained_list' },
      { type: 'tracking_data' },
      { type: 'category' },
      { type: 'linked_entity' },
    ]
  if (path.endsWith('/notes'))
    return [
      {},
      ...Object.entries({
        call_in: { duration: 1, source: 'pbx', phone: '1' },
        service_message: { service: 'A service', text: 'x' },
        message_cashier: { status: 'shown', text: 'x' },
        geolocation: { text: 'x', address: 'y', longitude: '1', latitude: '2' },
        sms_in: { text: 'x', phone: '1' },
        attachment: { file_uuid: '11111111-2222-4333-8444-555555555555', file_name: 'x' },
      }).map(([note_type, params]) => ({ note_type, params })),
    ]
  if (path.endsWith('/{scope_id}'))
    return [
      {},
      {
        'payload.message': {
          type: 'picture',
          media: 'https://files.example.com/a.png',
          file_name: 'a.png',
          file_size: 5,
        },
      },
      {
        'payload.message': { type: 'text', text: 'x' },
        event_type: 'edit_message',
        'payload.msgid': 'one',
        'payload.conversation_id': 'one',
      },
    ]
  if (path === '/api/v4/tasks') return [{}, { is_completed: true }]
  if (path.endsWith('/chats') && path.startsWith('/v2/'))
    return [{ conversation_id: 'another', 'user.id': 'another' }]
  if (path.endsWith('/delivery_status'))
    return [
      {},
      { delivery_status: -1, error_code: 901 },
      { delivery_status: undefined, status_code: -1, error_code: 901 },
    ]
  if (path.endsWith('/react')) return [{}, { type: 'react', emoji: '\u{1F600}' }]
  if (/^\/api\/v4\/leads(\/\{id\}|\/complex)?$/.test(path))
    return [path.endsWith('complex') ? {} : { _embedded: undefined }, { status_id: 143 }]
  if (/^\/api\/v4\/(contacts|companies|customers)$/.test(path)) return [{ _embedded: undefined }]
  if (/\/(un)?link$/.test(path) && !path.includes('{uid}'))
    return [
      {},
      {
        to_entity_type: 'catalog_elements',
        to_entity_id: s.elements[0],
        metadata: { catalog_id: s.goods },
      },
    ]
  return [{}]
}

const segmentFields = '/api/v4/customers/segments/custom_fields'

async function addSegmentField({ account: { api } }: RouteFixture): Promise<number> {
  const made = await api.post(segmentFields, [{ name: 'One', type: 'text' }])
  return made.body._embedded.custom_fields[0].id
}

/** Requests about things of their own, where those of requests.ts share some. */
export const anew: Record<string, (fixture: RouteFixture) => Promise<RouteRequest>> = {
  'PATCH /api/v4/leads/pipelines/{id}': async ({ account }) => ({
    path: `/api/v4/leads/pipelines/${(await addPipeline(account)).id}`,
    body: { name: 'Another' },
  }),
  'POST /api/v4/leads/pipelines/{pipeline_id}/statuses': async ({ account }) => ({
    path: `/api/v4/leads/pipelines/${(await addPipeline(account)).id}/statuses`,
    body: [{ name: 'A status', sort: 100 }],
  }),
  'PATCH /api/v4/leads/pipelines/{pipeline_id}/statuses/{id}': async ({ account }) => {
    const { id, statuses } = await addPipeline(account)
    return {
      path: `/api/v4/leads/pipelines/${id}/statuses/${statuses[0]}`,
      body: { name: 'Another' },
    }
  },
  'PATCH /api/v4/customers/statuses/{id}': async ({ account: { api } }) => {
    const { body } = await api.post('/api/v4/customers/statuses', [{ name: 'One', sort: 50 }])
    const { id } = body._embedded.statuses[0]
    return { path: `/api/v4/customers/statuses/${id}`, body: { name: 'Another' } }
  },
  'PATCH /api/v4/customers/segments/{id}': async ({ account: { api } }) => {
    const { id } = (await api.post('/api/v4/customers/segments', { name: 'One' })).body
    return { path: `/api/v4/customers/segments/${id}`, body: { name: 'Another' } }
  },
  'POST /api/v4/catalogs/{catalog_id}/elements/{id}/link': async (fixture) => {
    const { account } = fixture
    const catalog = await catalogOf(fixture)
    const [element] = await addElements(account.api, catalog, 'An element')
    const lead = await seed.addRecord(fixture, 'leads', fixture.outsider)
    const link = { to_entity_id: lead, to_entity_type: 'leads', metadata: { quantity: 2 } }
    return { path: `/api/v4/catalogs/${catalog}/elements/${element!.id}/link`, body: [link] }
  },
  'POST /api/v4/webhooks': async () => ({
    body: { destination: `https://example.com/${randomUUID()}`, settings: ['add_lead'] },
  }),
  'PATCH /api/v4/customers/segments/custom_fields': async (fixture) => ({
    body: [{ id: await addSegmentField(fixture), name: 'Another' }],
  }),
  'PATCH /api/v4/customers/segments/custom_fields/{id}': async (fixture) => ({
    path: `${segmentFields}/${await addSegmentField(fixture)}`,
    body: { name: 'Another' },
  }),
  'PATCH /api/v4/catalogs': async ({ account: { api } }) => ({
    body: [{ id: await addCatalog(api), name: 'Another' }],
  }),
  'PATCH /api/v4/catalogs/{id}': async ({ account: { api } }) => ({
    path: `/api/v4/catalogs/${await addCatalog(api)}`,
    body: { name: 'Another' },
  }),
}
