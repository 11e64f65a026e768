// The request of each row of test/routes.ts, and the things it needs. The request is right in itself, so that only the caller
// decides about the answer.
import sql from 'sql-template-tag'
import { apiKeyRequests } from './api-keys.ts'
import { grantOf, newPair } from '../oauth.ts'
import type { Column } from '../routes.ts'
import { mainPipeline } from '../leads.ts'
import type { TestPipeline } from '../leads.ts'
import { password, responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import { byPassword, pageRequests, peopleRequests } from './people.ts'
import { pipelineRequests } from './pipelines.ts'
import { complexRequest } from './complex.ts'
import { originRequests } from './origins.ts'
import { callRequests } from './calls.ts'
import { channelRequests } from './channels.ts'
import { fileRequests } from './files.ts'
import { catalogRequests } from './catalogs.ts'
import { deliveryRequests } from './deliveries.ts'
import { inboxRequests } from './inbox.ts'
import { incomingLeadRequests } from './incoming-leads.ts'
import { fileOfNoteRequests, noteRequests } from './notes.ts'
import { outgoingRequests } from './outgoing.ts'
import { customFieldRequests } from './custom-fields.ts'
import { customerRequests } from './customers.ts'
import { taskRequests } from './tasks.ts'
import { transactionRequests } from './transactions.ts'
import * as seed from './seed.ts'
import { jobRequests } from './jobs.ts'
import { linkRequests } from './links.ts'
import { mergeRequests } from './merges.ts'
import { segmentRequests } from './segments.ts'
import { unsortedRequests } from './unsorted.ts'
import { webhookRequests } from './webhooks.ts'

export interface RouteRequest {
  /** The route's own path unless said, and what follows it. */
  path?: string
  query?: string
  body?: unknown
  headers?: Record<string, string>
  /** The status of the answer, where not the caller decides but the signature of a channel. */
  status?: number
  /** The request is for a list, of records that users are responsible for, or of things, of which `holds` must be there. */
  list?: { of: string; holds?: number | string }
}

/** One request, or several that are answered alike. */
export type Prepare = (
  fixture: RouteFixture,
  column: Column,
) => RouteRequest | Promise<RouteRequest | RouteRequest[]>

const plainly: Prepare = () => ({})

const letters = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }
const rights = {
  leads: letters,
  contacts: letters,
  companies: letters,
  tasks: { edit: 'A', delete: 'A' },
}

/** Methods for one record, one role and so on: what there is, made anew for each request, and what is sent. */
function one(
  path: string,
  make: (fixture: RouteFixture, column: Column) => Promise<number | string>,
  body?: unknown,
  tail = '',
): Prepare {
  return async (fixture, column) => ({
    path: `${path}/${await make(fixture, column)}${tail}`,
    body,
  })
}

/** The board of a pipeline of the account. */
const answer =
  (more: (pipeline: TestPipeline) => string = () => '') =>
  async ({ account }: RouteFixture) => {
    const pipeline = await mainPipeline(account)
    return { query: `?pipeline_id=${pipeline.id}${more(pipeline)}` }
  }

const integrations = '/web/v1/integrations'
const integration = async ({ account, mark }: RouteFixture) =>
  (await account.addIntegration({ name: mark })).client_id
const oneIntegration = (tail = '', body?: unknown) => one(integrations, integration, body, tail)

async function withGrant(fixture: RouteFixture) {
  const made = await fixture.account.addIntegration({ name: fixture.mark })
  return {
    path: `${integrations}/${made.client_id}/grants`,
    grant: grantOf(await newPair(fixture.account, made)),
  }
}

const people: Record<string, Prepare> = {
  'GET /web/v1/session': plainly,
  'POST /web/v1/session': ({ account: { subdomain }, callers }, column) => ({
    body: {
      email: callers[column === 'nobody' ? 'admin' : column].user.email,
      password,
      account: subdomain,
    },
  }),
  'DELETE /web/v1/session': plainly,
  'DELETE /web/v1/sessions': plainly,
  'GET /web/v1/stream': plainly,
  ...peopleRequests,
  ...pageRequests,
  'GET /web/v1/setup': plainly,
  'POST /web/v1/setup': () => ({
    body: {
      company: 'Acme',
      language: 'en',
      timezone: 'UTC',
      currency: 'USD',
      name: 'Ann',
      email: seed.newEmail(),
      password,
      sales_process: 'simple',
      customers: 'off',
    },
  }),
  'GET /web/v1/checklist': plainly,
  'GET /web/v1/demo-data': plainly,
  'DELETE /web/v1/demo-data': plainly,
  'GET /web/v1/bootstrap': plainly,
  'GET /web/v1/counters': plainly,
  'GET /web/v1/board': answer(),
  'GET /web/v1/board/column': answer(({ statuses: [status] }) => `&status_id=${status}`),
  'GET /web/v1/board/totals': answer(),
  'GET /web/v1/board/cards': answer(() => '&ids=1'),
  'GET /web/v1/aggregate': () => ({ query: '?entity=leads' }),
  ...Object.fromEntries(
    ['leads', 'contacts', 'companies', 'customers'].flatMap((type): [string, Prepare][] => [
      [`GET /web/v1/rows/${type}`, plainly],
      [`GET /web/v1/rows/${type}/named`, () => ({ query: '?ids=1' })],
      [`GET /web/v1/rows/${type}/summary`, () => ({ query: '?columns=created_at' })],
      [`GET /web/v1/rows/${type}/groups`, () => ({ query: '?of=responsible_user_id' })],
    ]),
  ),
  'GET /web/v1/cards/{type}/{id}': one('/web/v1/cards/contacts', (fixture, column) =>
    seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column)),
  ),
  'GET /web/v1/cards/{type}/{id}/non-viewers': async (fixture, column) => ({
    path: `/web/v1/cards/contacts/${await seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column))}/non-viewers`,
  }),
  'GET /web/v1/search': ({ mark }) => ({ query: `?q=${mark}` }),
  'POST /web/v1/presence': async (fixture, column) => ({
    body: {
      entity_type: 'leads',
      entity_id: await seed.addRecord(fixture, 'leads', responsibleFor(fixture, column)),
      tab: 'one',
      field: null,
      is_here: true,
    },
  }),
  'GET /web/v1/timeline/{type}/{id}': one('/web/v1/timeline/leads', (fixture, column) =>
    seed.addRecord(fixture, 'leads', responsibleFor(fixture, column)),
  ),
  'GET /api/v4/account': () => ({ query: '?with=users_groups,uuid,amojo_id' }),
  'GET /api/v4/currencies': plainly,
  'GET /api/v4/users': async (fixture) => ({
    query: '?limit=250&with=role,group',
    list: { of: 'users', holds: await seed.addUser(fixture) },
  }),
  'GET /api/v4/users/{id}': one('/api/v4/users', seed.addUser),
  'POST /api/v4/users': (fixture) => ({
    body: [
      {
        name: fixture.mark,
        email: seed.newEmail(),
        password,
        rights: { ...rights, group_id: fixture.group },
      },
    ],
  }),
  'POST /api/v4/users/activate': async (fixture) => ({
    body: [{ id: await seed.addUser(fixture) }],
  }),
  'POST /api/v4/users/deactivate': async (fixture) => ({
    body: [{ id: await seed.addUser(fixture) }],
  }),
  'PATCH /web/v1/users/{id}': one('/web/v1/users', seed.addUser, { lang: 'es' }),
  'GET /web/v1/groups': ({ group }) => ({ list: { of: 'groups', holds: group } }),
  'POST /web/v1/groups': () => ({ body: { name: 'A group' } }),
  'PATCH /web/v1/groups/{id}': one('/web/v1/groups', seed.addGroup, { name: 'Another' }),
  'DELETE /web/v1/groups/{id}': one('/web/v1/groups', seed.addGroup),
  'GET /api/v4/roles': async (fixture) => ({
    query: '?limit=250&with=users',
    list: { of: 'roles', holds: await seed.addRole(fixture) },
  }),
  'GET /api/v4/roles/{id}': one('/api/v4/roles', seed.addRole),
  'POST /api/v4/roles': async (fixture) => ({
    body: [{ name: 'A role', rights: { ...rights, ...(await seed.statusRights(fixture)) } }],
  }),
  'PATCH /api/v4/roles/{id}': one('/api/v4/roles', seed.addRole, { name: 'Another' }),
  'DELETE /api/v4/roles/{id}': one('/api/v4/roles', seed.addRole),
}

const doors: Record<string, Prepare> = {
  'GET /health': plainly,
  'GET /ready': plainly,
  'GET /metrics': plainly,
  'GET /developers': plainly,
  'GET /developers/filters': plainly,
  'GET /developers/openapi.json': plainly,
  'GET /developers/{file}': () => ({ path: '/developers/page.css' }),

  'GET /': plainly,
  'GET /home': plainly,
  'GET /events': plainly,
  'GET /products': plainly,
  'GET /products/{catalog}': () => ({ path: '/products/1' }),
  'GET /notifications': plainly,
  'GET /leads': plainly,
  'GET /leads/list': plainly,
  'GET /leads/p/{pipeline}': () => ({ path: '/leads/p/1' }),
  'GET /leads/{id}': () => ({ path: '/leads/1' }),
  'GET /contacts': plainly,
  'GET /companies': plainly,
  'GET /customers': plainly,
  'GET /bin': plainly,
  'GET /bin/{type}': () => ({ path: '/bin/leads' }),
  'GET /customers/board': plainly,
  'GET /contacts/{id}': () => ({ path: '/contacts/1' }),
  'GET /companies/{id}': () => ({ path: '/companies/1' }),
  'GET /customers/{id}': () => ({ path: '/customers/1' }),
  'GET /settings': plainly,
  'GET /settings/{page}': () => ({ path: '/settings/profile' }),
  'GET /settings/{page}/{id}': () => ({ path: '/settings/webhooks/1' }),
  'GET /web/v1/build': plainly,
  'GET /assets/{file}': () => ({ path: '/assets/absent.js' }),
  'GET /mark.svg': plainly,
  'POST /oauth2/access_token': async ({ account, alien }, column) => ({
    body: {
      ...(column === 'alien' ? alien : account).integration,
      grant_type: 'authorization_code',
      code: await account.code(),
    },
  }),
  'GET /oauth2/account/current/subdomain': async ({ account, alien }, column) => ({
    headers: {
      'x-refresh-token': (await newPair(column === 'alien' ? alien : account)).refresh_token,
    },
  }),
  'GET /oauth2/account/subdomain': plainly,
  'GET /oauth': ({ account }) => ({ query: `?client_id=${account.integration.client_id}` }),
  // The window knows people by their sessions only, and forms by what the window itself gave.
  'POST /oauth': ({ account }) => ({
    body: new URLSearchParams({
      question: `client_id=${account.integration.client_id}`,
      action: 'allow',
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  [`GET ${integrations}`]: async (fixture) => ({
    list: { of: 'integrations', holds: await integration(fixture) },
  }),
  [`POST ${integrations}`]: byPassword(() => ({
    body: { name: 'An integration', redirect_uri: 'https://example.com/back' },
  })),
  [`GET ${integrations}/{client_id}`]: oneIntegration(),
  [`PATCH ${integrations}/{client_id}`]: oneIntegration('', { name: 'Another' }),
  [`DELETE ${integrations}/{client_id}`]: oneIntegration(),
  [`POST ${integrations}/{client_id}/secret`]: byPassword(oneIntegration('/secret')),
  [`POST ${integrations}/{client_id}/secret/read`]: byPassword(oneIntegration('/secret/read')),
  [`PUT ${integrations}/{client_id}/installation`]: oneIntegration('/installation'),
  [`DELETE ${integrations}/{client_id}/installation`]: oneIntegration('/installation'),
  [`POST ${integrations}/{client_id}/code`]: oneIntegration('/code'),
  [`POST ${integrations}/{client_id}/token`]: byPassword(oneIntegration('/token', { days: 1 })),
  [`GET ${integrations}/{client_id}/calls`]: async (fixture) => {
    const made = await fixture.account.addIntegration({ name: fixture.mark })
    const { id, admin, kontor } = fixture.account
    const call = await kontor.database.transaction((tx) =>
      tx.row<{ id: number }>(sql`
        insert into integration_calls (account_id, client_id, user_id, method, path, status, milliseconds, called_at)
        values (${id}, ${made.client_id}, ${admin.id}, 'GET', '/', 200, 1, 1) returning id`),
    )
    const list = { of: 'calls', holds: call!.id }
    return { path: `${integrations}/${made.client_id}/calls`, list }
  },
  [`GET ${integrations}/{client_id}/grants`]: async (fixture) => {
    const { path, grant } = await withGrant(fixture)
    return { path, list: { of: 'grants', holds: grant } }
  },
  [`DELETE ${integrations}/{client_id}/grants/{id}`]: async (fixture) => {
    const { path, grant } = await withGrant(fixture)
    return { path: `${path}/${grant}` }
  },
}

/** Everybody names a tag and a user of the account in question; the alien asks by all that it could know. */
function recordRequests(kind: seed.Kind): Record<string, Prepare> {
  const path = `/api/v4/${kind}`
  const add = (fixture: RouteFixture, column: Column) =>
    seed.addRecord(fixture, kind, responsibleFor(fixture, column))
  const inBin = async (fixture: RouteFixture, column: Column) =>
    seed.putIntoBin(fixture, kind, await add(fixture, column))
  const list: Prepare = async (fixture, column) => {
    await seed.addOfEverybody(fixture, kind)
    const queries = column === 'alien' ? await seed.filtersByOurs(fixture, kind) : ['?limit=250']
    return queries.map((query) => ({ query, list: { of: kind } }))
  }
  return {
    [`GET ${path}`]: list,
    // The list of leads has a path in the singular, too (interface: Filtered lists).
    ...(kind === 'leads' && {
      'GET /api/v4/lead': list,
      'POST /api/v4/leads/complex': complexRequest,
    }),
    [`GET ${path}/{id}`]: one(path, add),
    [`POST ${path}`]: async (fixture, column) => {
      const drafts = await seed.draftsByOurs(fixture, kind, responsibleFor(fixture, column))
      return column === 'alien'
        ? drafts.map((draft) => ({ body: [draft] }))
        : { body: [Object.assign({}, ...drafts)] }
    },
    [`PATCH ${path}`]: async (fixture, column) => ({
      body: [{ id: await add(fixture, column), name: 'Taken' }],
    }),
    [`PATCH ${path}/{id}`]: one(path, add, { name: 'Taken' }),
    [`DELETE ${path}/{id}`]: one(path, add),
    [`POST ${path}/{id}/restore`]: one(path, inBin, undefined, '/restore'),
  }
}

const managedTags: Record<string, Prepare> = {
  'GET /web/v1/tags/{entity_type}': async (fixture) => {
    const { id, name } = await seed.addTag(fixture, 'leads')
    return { path: '/web/v1/tags/leads', query: `?query=${name}`, list: { of: 'tags', holds: id } }
  },
}

function tagRequests(kind: seed.Kind): Record<string, Prepare> {
  const path = `/api/v4/${kind}/tags`
  return {
    [`GET ${path}`]: async (fixture, column) => {
      const { id, name } = await seed.addTag(fixture, kind)
      const byOurs = [`?filter[id]=${id}`, `?filter[name]=${name}`, `?query=${name}`]
      return (column === 'alien' ? byOurs : ['?limit=250']).map((query) => ({
        query,
        list: { of: 'tags', holds: id },
      }))
    },
    [`POST ${path}`]: () => ({ body: [{ name: 'A tag' }] }),
    [`PATCH ${path}`]: async (fixture) => ({
      body: [{ id: (await seed.addTag(fixture, kind)).id, color: null }],
    }),
    [`PATCH ${path}/{id}`]: one(path, async (fixture) => (await seed.addTag(fixture, kind)).id, {
      color: null,
    }),
    // No record has this tag: the clean-up would change it while the next row is asked.
    [`DELETE ${path}/{id}`]: one(
      path,
      async (fixture) => (await seed.addTag(fixture, kind, seed.newEmail())).id,
    ),
  }
}

const events: Record<string, Prepare> = {
  'GET /api/v4/events': async (fixture, column) => {
    await seed.addOfEverybody(fixture, 'leads')
    const last = await seed.eventAbout(
      fixture,
      await seed.addRecord(fixture, 'leads', fixture.outsider),
    )
    const queries =
      column === 'alien' ? ['', `?page=2&after=${last.slice(0, -1)}z`] : ['?limit=100']
    return queries.map((query) => ({ query, list: { of: 'events' } }))
  },
  'GET /web/v1/events': async (fixture, column) => {
    await seed.addOfEverybody(fixture, 'leads')
    const last = await seed.eventAbout(
      fixture,
      await seed.addRecord(fixture, 'leads', fixture.outsider),
    )
    const queries = column === 'alien' ? ['', `?after=${last.slice(0, -1)}z`] : ['']
    return queries.map((query) => ({ query, list: { of: 'events' } }))
  },
  'GET /api/v4/events/types': plainly,
  'GET /api/v4/events/{id}': one('/api/v4/events', async (fixture, column) =>
    seed.eventAbout(
      fixture,
      await seed.addRecord(fixture, 'leads', responsibleFor(fixture, column)),
    ),
  ),
}

export const requests: Record<string, Prepare> = {
  ...doors,
  ...people,
  ...customFieldRequests,
  ...customerRequests,
  ...transactionRequests,
  ...callRequests,
  ...jobRequests,
  ...mergeRequests,
  ...taskRequests,
  ...catalogRequests,
  ...segmentRequests,
  ...webhookRequests,
  ...incomingLeadRequests,
  ...unsortedRequests,
  ...events,
  ...deliveryRequests,
  ...apiKeyRequests,
  ...originRequests,
  ...channelRequests,
  ...inboxRequests,
  ...outgoingRequests,
  ...fileRequests,
  ...fileOfNoteRequests,
  ...pipelineRequests,
  ...Object.assign(
    {},
    ...seed.kinds.map(recordRequests),
    ...seed.kinds.map(noteRequests),
    ...seed.kinds.map(linkRequests),
    ...seed.kinds.map(tagRequests),
    managedTags,
  ),
}
