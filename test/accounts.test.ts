// Two accounts side by side: whatever one asks for by the ids and names of the other, it neither gets nor changes. Every route of the
// published document has its row here; a route without one fails.
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import type { Answer } from './client.ts'
import { newPair } from './oauth.ts'
import { routes } from './routes.ts'

/** What account A has. Its names are unlike any other. */
interface Theirs {
  account: TestAccount
  lead: number
  event: string
  tag: Record<string, number>
  name: string
  pipeline: number
  status: number
  code: string
  refresh_token: string
}

type Outcome = '200 own' | '200 empty' | '400' | '400 or 401' | '404'

interface Row {
  /** What account B asks with what is A's: paths after the route's own, or the route's path as it is filled in. */
  query?: (theirs: Theirs) => string[]
  path?: (theirs: Theirs) => string
  bodies?: (theirs: Theirs) => unknown[]
  gets: Outcome
}

const kinds = ['leads', 'contacts', 'companies', 'customers']
const tagRows = Object.fromEntries(
  kinds.flatMap((kind): [string, Row][] => [
    [
      `GET /api/v4/${kind}/tags`,
      {
        query: ({ tag, name }) => [`?filter[id]=${tag[kind]}`, `?filter[name]=${name}`, `?query=${name}`, ''],
        gets: '200 empty',
      },
    ],
    [`POST /api/v4/${kind}/tags`, { bodies: () => [[{ name: 'A tag of B' }]], gets: '200 own' }],
  ]),
)

const rows: Record<string, Row> = {
  'POST /oauth2/access_token': {
    bodies: ({ code, refresh_token }) => [
      { ...ours.integration, grant_type: 'authorization_code', code },
      { ...ours.integration, grant_type: 'refresh_token', refresh_token },
    ],
    gets: '400 or 401',
  },
  'GET /api/v4/account': { query: () => ['', '?with=users_groups,uuid,amojo_id'], gets: '200 own' },
  'GET /api/v4/leads': {
    query: ({ account, lead, name, pipeline, status }) => [
      ...['', `?filter[id]=${lead}`, `?filter[name]=${name}`, `?filter[responsible_user_id]=${account.admin.id}`],
      ...[
        `?filter[pipeline_id]=${pipeline}`,
        `?filter[statuses][0][pipeline_id]=${pipeline}&filter[statuses][0][status_id]=${status}`,
      ],
      `?page=2&after=${lead - 1}`,
    ],
    gets: '200 empty',
  },
  'POST /api/v4/leads': {
    bodies: ({ account, pipeline, status, tag }) =>
      [
        ...[{ pipeline_id: pipeline }, { status_id: status }, { responsible_user_id: account.admin.id }],
        ...[{ created_by: account.admin.id }, { _embedded: { tags: [{ id: tag['leads'] }] } }],
      ].map((lead) => [lead]),
    gets: '400',
  },
  'PATCH /api/v4/leads': { bodies: ({ lead }) => [[{ id: lead, name: 'Taken' }]], gets: '400' },
  'GET /api/v4/leads/{id}': { path: ({ lead }) => `/api/v4/leads/${lead}`, query: () => ['', '?with=contacts'], gets: '404' },
  'PATCH /api/v4/leads/{id}': { path: ({ lead }) => `/api/v4/leads/${lead}`, bodies: () => [{ name: 'Taken' }], gets: '404' },
  'GET /api/v4/events': {
    query: ({ event }) => ['', `?page=2&after=${event.slice(0, -1)}z`],
    gets: '200 empty',
  },
  'GET /api/v4/events/{id}': { path: ({ event }) => `/api/v4/events/${event}`, gets: '404' },
  ...tagRows,
}

let ours: TestAccount
let theirs: Theirs
let before: string

beforeAll(async () => {
  const account = await newAccount()
  const name = `secret-${randomBytes(6).toString('hex')}`
  const tag: Record<string, number> = {}
  for (const kind of kinds) tag[kind] = (await account.api.post(`/api/v4/${kind}/tags`, [{ name }])).body._embedded.tags[0].id
  const made = await account.api.post('/api/v4/leads', [{ name, price: 5, _embedded: { tags: [{ name }] } }])
  const lead = made.body._embedded.leads[0].id as number
  const { pipeline_id: pipeline, status_id: status } = (await account.api.get(`/api/v4/leads/${lead}`)).body
  const event = (await account.api.get('/api/v4/events')).body._embedded.events[0].id as string
  const { refresh_token } = await newPair(account)
  theirs = { account, lead, event, tag, name, pipeline, status, code: await account.code(), refresh_token }
  before = await everything(account)
  ours = await newAccount()
})

/** All that an account can see of itself. */
async function everything({ api }: TestAccount): Promise<string> {
  const paths = ['account', 'leads', 'events', ...kinds.map((kind) => `${kind}/tags`)]
  return JSON.stringify(await Promise.all(paths.map(async (path) => (await api.get(`/api/v4/${path}`)).body)))
}

/** What must not be in an answer to B. Ids count with their kind: a lead and a tag may have the same number. */
function traces({ account: { id, subdomain, admin, integration }, lead, event, name, ...rest }: Theirs): RegExp[] {
  const user = 'responsible_user_id|created_by|updated_by|current_user_id'
  const texts = [
    subdomain,
    admin.email,
    admin.token,
    integration.client_id,
    integration.client_secret,
    name,
    rest.refresh_token,
  ]
  const places = [`/leads/${lead}"`, `/events/${event}`, `"account_id":${id}\\b`, `"(?:${user})":${admin.id}\\b`]
  const stages = [`"pipeline_id":${rest.pipeline}\\b`, `"status_id":${rest.status}\\b`]
  return [...texts, ...places, ...stages].map((text) => new RegExp(text))
}

const judges: Record<Outcome, (answer: Answer) => void> = {
  '200 own': ({ status }) => expect(status).toBe(200),
  '200 empty': ({ status, body }) => expect([status, Object.values(body._embedded)]).toEqual([200, [[]]]),
  '400': ({ status }) => expect(status).toBe(400),
  '400 or 401': ({ status }) => expect([400, 401]).toContain(status),
  '404': ({ status }) => expect(status).toBe(404),
}

test.each(routes.toSorted((a, b) => a.method.localeCompare(b.method)))(
  '$method $path gives and takes nothing of another account',
  async ({ method, path }) => {
    const row = rows[`${method} ${path}`]
    if (!row) throw new Error(`${method} ${path} has no row in ${import.meta.filename}: say what another account gets there`)
    const at = row.path?.(theirs) ?? path
    for (const query of row.query?.(theirs) ?? ['']) {
      for (const body of row.bodies?.(theirs) ?? [undefined]) {
        const answer = await ours.api.send(method, at + query, body)
        judges[row.gets](answer)
        const text = JSON.stringify(answer.body) + JSON.stringify([...answer.headers])
        const sent = at + query + JSON.stringify(body)
        for (const trace of traces(theirs)) if (!trace.test(sent)) expect(text).not.toMatch(trace)
      }
    }
  },
)

test('every row is about a route', () => {
  const known = routes.map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(rows).filter((row) => !known.includes(row))).toEqual([])
})

test('after all that the other account is as it was, and its code still good for its own integration', async () => {
  expect(await everything(theirs.account)).toBe(before)
  const { status } = await theirs.account.api.post('/oauth2/access_token', {
    ...theirs.account.integration,
    ...{ grant_type: 'authorization_code', code: theirs.code },
  })
  expect(status).toBe(200)
})
