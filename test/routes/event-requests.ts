// The requests for those rows of events.ts that say what a request changes.
import { entityTypes } from '../../server/entity-types.ts'
import { noteTypeNames } from '../../server/features/activity/notes/types.ts'
import type { NoteType } from '../../server/features/activity/notes/types.ts'
import { email, item, person } from '../complex.ts'
import { addField, valueOf } from '../fields.ts'
import { lost, mainPipeline } from '../leads.ts'
import { addElements, link, to, toElement } from '../links.ts'
import { addRecord, needed } from '../records.ts'
import { callOf } from './calls.ts'
import { catalogOf } from './catalogs.ts'
import { publication } from './channels.ts'
import type { RouteFixture } from './fixture.ts'
import { ofLead } from './outgoing.ts'
import { requests } from './requests.ts'
import type { Prepare } from './requests.ts'
import { segmentOf } from './segments.ts'
import { acceptanceOf, moveOut } from './unsorted.ts'
import * as seed from './seed.ts'
import type { Kind } from './seed.ts'

type Body = object | ((fixture: RouteFixture) => object | Promise<object>)

const read = (fixture: RouteFixture, body: Body) =>
  typeof body === 'function' ? body(fixture) : body

/** A request to a new record of a type. */
const ofRecord =
  (kind: Kind, tail: string, body: (fixture: RouteFixture, id: number) => unknown): Prepare =>
  async (fixture) => {
    const id = await seed.addRecord(fixture, kind, fixture.outsider)
    return { path: `/api/v4/${kind}/${id}${tail}`, body: await body(fixture, id) }
  }

const change = (kind: Kind, body: Body): Prepare =>
  ofRecord(kind, '', async (fixture) => read(fixture, body))

/** A request that creates one thing. */
const create =
  (body: Body, path?: (fixture: RouteFixture) => Promise<string>): Prepare =>
  async (fixture) => ({
    ...(path && { path: await path(fixture) }),
    body: [await read(fixture, body)],
  })

const add = (fixture: RouteFixture, kind: Kind) => seed.addRecord(fixture, kind, fixture.outsider)
const due = { next_date: 2_000_000_000 }

function changesOf(kind: Kind): Record<string, Prepare> {
  const one = `PATCH /api/v4/${kind}/{id}`
  const element = async (fixture: RouteFixture) => {
    const [made] = await addElements(fixture.account.api, await catalogOf(fixture), 'An element')
    return toElement(made!)
  }
  return {
    [`PATCH /api/v4/${kind}: name`]: requests[`PATCH /api/v4/${kind}`]!,
    [`${one}: name`]: requests[one]!,
    [`${one}: responsible_user_id`]: change(kind, ({ colleague }) => ({
      responsible_user_id: colleague.id,
    })),
    [`POST /web/v1/users/{id}/handover: a record of ${kind}`]: async (fixture) => {
      const owner = await fixture.account.addUser()
      await addRecord(fixture.account.api, kind, { ...needed(kind), responsible_user_id: owner.id })
      return {
        path: `/web/v1/users/${owner.id}/handover`,
        body: { to_user_id: fixture.colleague.id },
      }
    },
    [`${one}: tags_to_add`]: change(kind, { tags_to_add: [{ name: 'One' }, { name: 'Two' }] }),
    [`${one}: tags_to_delete`]: change(kind, ({ mark }) => ({
      tags_to_delete: [{ name: `A tag ${mark}` }],
    })),
    [`${one}: tags`]: change(kind, { _embedded: { tags: [{ name: 'One' }] } }),
    [`${one}: custom_fields_values`]: change(kind, async ({ account }) => ({
      custom_fields_values: [
        valueOf(await addField(account, kind, { type: 'text' }), { value: 'x' }),
      ],
    })),
    [`${one}: the same values`]: change(kind, ({ mark, outsider }) => ({
      name: `One of ${kind} ${mark}`,
      responsible_user_id: outsider.id,
      tags_to_add: [{ name: `A tag ${mark}` }],
    })),
    [`${one}: created_by and updated_at`]: change(kind, ({ colleague }) => ({
      created_by: colleague.id,
      updated_at: 1_700_000_000,
    })),
    [`POST /api/v4/${kind}/{id}/link: an element`]: ofRecord(kind, '/link', async (fixture) => [
      await element(fixture),
    ]),
    [`POST /api/v4/${kind}/{id}/unlink: an element`]: ofRecord(
      kind,
      '/unlink',
      async (fixture, id) => {
        const linked = await element(fixture)
        await link(fixture.account.api, kind, id, linked)
        return [linked]
      },
    ),
    [`POST /api/v4/${kind}/notes: common`]: requests[`POST /api/v4/${kind}/notes`]!,
    [`POST /api/v4/${kind}/{entity_id}/notes: common`]:
      requests[`POST /api/v4/${kind}/{entity_id}/notes`]!,
    [`DELETE /api/v4/${kind}/tags/{id}: a tag of a record`]: async (fixture) => {
      const { id } = await seed.addTag(fixture, kind, seed.newEmail())
      await addRecord(fixture.account.api, kind, { _embedded: { tags: [{ id }] } })
      return { path: `/api/v4/${kind}/tags/${id}` }
    },
    [`DELETE /api/v4/${kind}/custom_fields/{id}: a field with a value`]: async ({ account }) => {
      const field = await addField(account, kind, { type: 'text' })
      const custom_fields_values = [valueOf(field, { value: 'x' })]
      await addRecord(account.api, kind, { custom_fields_values })
      return { path: `/api/v4/${kind}/custom_fields/${field.id}` }
    },
  }
}

const leads: Record<string, Prepare> = {
  'POST /api/v4/leads: contacts and companies': create(async (fixture) => ({
    _embedded: {
      contacts: [{ id: await add(fixture, 'contacts') }],
      companies: [{ id: await add(fixture, 'companies') }],
    },
  })),
  'PATCH /api/v4/leads/{id}: price': change('leads', { price: 5 }),
  'PATCH /api/v4/leads/{id}: status_id': change('leads', { status_id: lost }),
  'PATCH /api/v4/leads/{id}: loss_reason_id': async ({ account: { api } }) => {
    const made = await api.post('/api/v4/leads/loss_reasons', [{ name: seed.newEmail() }])
    const id = await addRecord(api, 'leads', { status_id: lost })
    const loss_reason_id = made.body._embedded.loss_reasons[0].id
    return { path: `/api/v4/leads/${id}`, body: { loss_reason_id } }
  },
  'PATCH /api/v4/leads/{id}: everything': change('leads', ({ colleague }) => ({
    name: 'Taken',
    price: 5,
    status_id: lost,
    responsible_user_id: colleague.id,
    tags_to_add: [{ name: 'One' }],
  })),
  'POST /api/v4/leads/complex: a duplicate': async ({ account }) => {
    const { client_id } = account.integration
    const duplicate_pipelines = [(await mainPipeline(account)).id]
    const installation = `/web/v1/integrations/${client_id}/installation`
    await account.api.send('PUT', installation, { duplicate_pipelines })
    const contact = await addRecord(account.api, 'contacts', person(email('ann@x.example')))
    await addRecord(account.api, 'leads', { _embedded: { contacts: [{ id: contact }] } })
    return { body: [item(person(email('ann@x.example')))] }
  },
  'POST /api/v4/leads/{id}/link: a company in place of another': ofRecord(
    'leads',
    '/link',
    async (fixture, id) => {
      await link(fixture.account.api, 'leads', id, to('companies', await add(fixture, 'companies')))
      return [to('companies', await add(fixture, 'companies'))]
    },
  ),
  'POST /api/v4/leads/{id}/link: another main contact': ofRecord(
    'leads',
    '/link',
    async (fixture, id) => {
      const [first, second] = [await add(fixture, 'contacts'), await add(fixture, 'contacts')]
      await link(fixture.account.api, 'leads', id, to('contacts', first), to('contacts', second))
      return [to('contacts', second, { main_contact: true })]
    },
  ),
  'DELETE /api/v4/leads/pipelines/{pipeline_id}/statuses/{id}: a lead': async ({ account }) => {
    const { id: pipeline_id } = await mainPipeline(account)
    const path = `/api/v4/leads/pipelines/${pipeline_id}/statuses`
    const made = await account.api.post(path, [{ name: 'A status', sort: 5000 }])
    const status_id = made.body._embedded.statuses[0].id
    await addRecord(account.api, 'leads', { pipeline_id, status_id })
    return { path: `${path}/${status_id}` }
  },
}

const accept = 'POST /api/v4/leads/unsorted/{uid}/accept'
const unsorted: Record<string, Prepare> = {
  [`${accept}: a form without parts`]: acceptanceOf('forms'),
  [`${accept}: a call with its note`]: acceptanceOf('sip'),
  'PATCH /api/v4/leads/{id}: out of the unsorted status': moveOut,
}

const people: Record<string, Prepare> = {
  'POST /api/v4/contacts: companies': create(async (fixture) => ({
    _embedded: { companies: [{ id: await add(fixture, 'companies') }] },
  })),
  'PATCH /api/v4/contacts/{id}: first_name': change('contacts', { first_name: 'Ann' }),
  'POST /api/v4/customers: contacts': create(async (fixture) => ({
    name: 'A customer',
    ...due,
    _embedded: { contacts: [{ id: await add(fixture, 'contacts') }] },
  })),
  'PATCH /api/v4/customers/{id}: status_id': change('customers', async ({ account: { api } }) => ({
    status_id: (await api.get('/api/v4/customers/statuses')).body._embedded.statuses.at(-1).id,
  })),
  'PATCH /api/v4/customers/{id}: next_date': change('customers', { next_date: 1_600_000_000 }),
  'PATCH /api/v4/customers/{id}: next_price, periodicity and segments': change(
    'customers',
    async (fixture) => ({
      next_price: 5,
      periodicity: 7,
      _embedded: { segments: [{ id: await segmentOf(fixture) }] },
    }),
  ),
  'POST /api/v4/customers/{customer_id}/transactions: a price of 0': create(
    { price: 0 },
    async (fixture) => `/api/v4/customers/${await add(fixture, 'customers')}/transactions`,
  ),
  'DELETE /api/v4/customers/statuses/{id}: a customer': async ({ account: { api } }) => {
    const path = '/api/v4/customers/statuses'
    const status_id = (await api.post(path, [{ name: 'A status', sort: 50 }])).body._embedded
      .statuses[0].id
    await addRecord(api, 'customers', { status_id })
    return { path: `${path}/${status_id}` }
  },
}

async function addElement(fixture: RouteFixture) {
  const catalog = await catalogOf(fixture)
  const [element] = await addElements(fixture.account.api, catalog, 'An element')
  return { ...element!, path: `/api/v4/catalogs/${catalog}/elements/${element!.id}` }
}

const elements = '/api/v4/catalogs/{catalog_id}/elements'
const ofElements: Record<string, Prepare> = {
  [`PATCH ${elements}: name`]: requests[`PATCH ${elements}`]!,
  [`PATCH ${elements}/{id}: name`]: requests[`PATCH ${elements}/{id}`]!,
  [`PATCH ${elements}/{id}: values`]: async (fixture) => {
    const { catalog, path } = await addElement(fixture)
    const made = await fixture.account.api.post(`/api/v4/catalogs/${catalog}/custom_fields`, [
      { name: 'A field', type: 'text' },
    ])
    const field = made.body._embedded.custom_fields[0]
    return { path, body: { custom_fields_values: [valueOf(field, { value: 'x' })] } }
  },
  [`POST ${elements}/{id}/link: a lead`]: async (fixture) => {
    const { path } = await addElement(fixture)
    return { path: `${path}/link`, body: [to('leads', await add(fixture, 'leads'))] }
  },
  [`POST ${elements}/{id}/link: a quantity`]: async (fixture) => {
    const { path } = await addElement(fixture)
    const [lead, quantity] = [await add(fixture, 'leads'), (quantity: number) => ({ quantity })]
    await fixture.account.api.post(`${path}/link`, [to('leads', lead, quantity(1))])
    return { path: `${path}/link`, body: [to('leads', lead, quantity(2))] }
  },
}

const call = { duration: 5, source: 'A phone', phone: '+15550100' }
const service = { service: 'A service', text: 'x' }
const targeting = { contacts: [], campaign: 'A campaign', service: 'facebook' }
const params: Record<NoteType, object> = {
  common: { text: 'x' },
  call_in: call,
  call_out: call,
  service_message: service,
  extended_service_message: service,
  message_cashier: { status: 'created', text: 'x' },
  geolocation: { longitude: '1', latitude: '2' },
  sms_in: { text: 'x', phone: '+15550100' },
  sms_out: { text: 'x', phone: '+15550100' },
  attachment: { file_uuid: '0b9b4f4c-7a5e-4a49-9f8e-1c9d9a4a3f10', file_name: 'x.txt' },
  site_visit: { url: 'https://example.com' },
  targeting_in: targeting,
  targeting_out: targeting,
  invoice_paid: service,
  bill_paid: service,
  zoom_meeting: { conference: {} },
  ai_result: { text: 'x' },
}

const notes = Object.fromEntries(
  noteTypeNames.map((note_type): [string, Prepare] => [
    `POST /api/v4/leads/notes: ${note_type}`,
    create(async (fixture) => ({
      entity_id: await add(fixture, 'leads'),
      note_type,
      params: params[note_type],
    })),
  ]),
)

const task = { text: 'A task', complete_till: 2_000_000_000 }
const changeTask =
  (body: Body): Prepare =>
  async (fixture) => {
    const made = await fixture.account.api.post('/api/v4/tasks', [task])
    return {
      path: `/api/v4/tasks/${made.body._embedded.tasks[0].id}`,
      body: await read(fixture, body),
    }
  }
const result = { text: 'Done' }

const calls: Record<string, Prepare> = {
  'POST /api/v4/calls: inbound': callOf('inbound'),
  'POST /api/v4/calls: outbound': callOf('outbound'),
  'POST /api/v4/calls: to a lead': callOf('inbound', { hasLead: true }),
}

const tasks: Record<string, Prepare> = {
  'POST /api/v4/tasks: a completed one with a result': create({
    ...task,
    is_completed: true,
    result,
  }),
  'PATCH /api/v4/tasks: text': requests['PATCH /api/v4/tasks']!,
  'PATCH /api/v4/tasks/{id}: text': changeTask({ text: 'Taken' }),
  'PATCH /api/v4/tasks/{id}: complete_till': changeTask({ complete_till: 1_900_000_000 }),
  'PATCH /api/v4/tasks/{id}: task_type_id': changeTask({ task_type_id: 2 }),
  'PATCH /api/v4/tasks/{id}: responsible_user_id': changeTask(({ colleague }) => ({
    responsible_user_id: colleague.id,
  })),
  'PATCH /api/v4/tasks/{id}: result': changeTask({ result }),
  'PATCH /api/v4/tasks/{id}: is_completed': changeTask({ is_completed: true }),
  'PATCH /api/v4/tasks/{id}: is_completed and result': changeTask({ is_completed: true, result }),
  'PATCH /api/v4/tasks/{id}: entity_id and duration': changeTask(async (fixture) => ({
    entity_type: 'leads',
    entity_id: await add(fixture, 'leads'),
    duration: 60,
  })),
}

const chats: Record<string, Prepare> = { 'POST /web/v1/chats/{id}/messages: of a lead': ofLead }

export const eventRequests: Record<string, Prepare> = {
  'POST /v2/origin/custom/{scope_id}: a message of the client': publication(() => ({})),
  'POST /v2/origin/custom/{scope_id}: a message of the bot': publication((ref_id) => ({
    sender: { id: 'bot', name: 'Bot', ref_id },
    receiver: { id: 'client', name: 'Client' },
  })),
  'POST /v2/origin/custom/{scope_id}: a silent message': publication(() => ({ silent: true })),
  ...Object.assign({}, ...entityTypes.map(changesOf)),
  ...leads,
  ...unsorted,
  ...people,
  ...ofElements,
  ...notes,
  ...calls,
  ...tasks,
  ...chats,
}
