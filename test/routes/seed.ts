// The things that must be in the account before somebody asks for them.
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { TestUser } from '../account.ts'
import * as leads from '../leads.ts'
import type { RouteFixture } from './fixture.ts'
import { segmentOf } from './segments.ts'

export const kinds = ['leads', 'contacts', 'companies', 'customers'] as const
export type Kind = (typeof kinds)[number]

/** The keys that a new record must have. */
const needed = (kind: Kind) =>
  kind === 'customers' ? { name: 'A customer', next_date: 2_000_000_000 } : {}

export const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`

export async function addUser({ account, mark }: RouteFixture): Promise<number> {
  return (await account.addUser({ name: `A user ${mark}` })).id
}

export const addGroup = ({ account }: RouteFixture): Promise<number> => leads.addGroup(account)

export async function addRole({ account: { api }, mark }: RouteFixture): Promise<number> {
  const made = await api.post('/api/v4/roles', [{ name: `A role ${mark}`, rights: {} }])
  return made.body._embedded.roles[0].id
}

/** Rights that name a status of the account. */
export async function statusRights({ account }: RouteFixture): Promise<object> {
  const { id: pipeline_id, statuses } = await leads.mainPipeline(account)
  return {
    status_rights: [
      { entity_type: 'leads', pipeline_id, status_id: statuses[0], rights: { view: 'D' } },
    ],
  }
}

/** Adds a record and answers its id. `more` makes it another one where things are shared. */
export async function addRecord(
  { account: { api }, mark }: RouteFixture,
  kind: Kind,
  { id }: TestUser,
  more = '',
): Promise<number> {
  const made = await api.post(`/api/v4/${kind}`, [
    {
      ...needed(kind),
      name: `One of ${kind} ${mark}${more}`,
      responsible_user_id: id,
      tags_to_add: [{ name: `A tag ${mark}` }],
    },
  ])
  return made.body._embedded[kind][0].id
}

/** Adds a record of each user that a list may tell apart. */
export async function addOfEverybody(fixture: RouteFixture, kind: Kind): Promise<void> {
  const { callers, colleague, outsider } = fixture
  for (const user of [callers['M-own'].user, callers['G-own'].user, colleague, outsider])
    await addRecord(fixture, kind, user)
}

export async function putIntoBin(
  { account: { api } }: RouteFixture,
  kind: Kind,
  id: number,
): Promise<number> {
  await api.delete(`/api/v4/${kind}/${id}`)
  return id
}

export async function addTag(
  { account: { api }, mark }: RouteFixture,
  kind: Kind,
  more = '',
): Promise<{ id: number; name: string }> {
  const draft = { name: `A-tag-${mark}${more}` }
  return (await api.post(`/api/v4/${kind}/tags`, [draft])).body._embedded.tags[0]
}

/** An event about a lead. */
export async function eventAbout(
  { account: { id: account_id, kontor } }: RouteFixture,
  lead: number,
): Promise<string> {
  const event = await kontor.database.row<{ id: string }>(
    sql`select id from events where account_id = ${account_id} and entity_type = 'lead' and entity_id = ${lead} limit 1`,
  )
  return event!.id
}

/** Drafts that each name something of the account; together they make a record there. */
export async function draftsByOurs(
  fixture: RouteFixture,
  kind: Kind,
  responsible: TestUser,
): Promise<object[]> {
  const { account, callers } = fixture
  const tag = await addTag(fixture, kind)
  const { id: pipeline_id, statuses } = await leads.mainPipeline(account)
  const common = [
    { responsible_user_id: responsible.id },
    { created_by: callers.admin.user.id },
    { _embedded: { tags: [{ id: tag.id }] } },
  ].map((draft) => ({ ...needed(kind), ...draft }))
  if (kind === 'customers')
    return [
      ...common,
      { ...needed(kind), status_id: await customerStatus(fixture) },
      { ...needed(kind), _embedded: { segments: [{ id: await segmentOf(fixture) }] } },
    ]
  return kind === 'leads' ? [...common, { pipeline_id }, { status_id: statuses[0] }] : common
}

/** The queries of a list that name something of the account. */
export async function filtersByOurs(fixture: RouteFixture, kind: Kind): Promise<string[]> {
  const { account, mark, outsider } = fixture
  const id = await addRecord(fixture, kind, outsider)
  const { id: pipeline, statuses } = await leads.mainPipeline(account)
  const common = [
    `?filter[id]=${id}`,
    `?filter[name]=One of ${kind} ${mark}`,
    `?filter[responsible_user_id]=${outsider.id}`,
    `?filter[created_by]=${outsider.id}`,
    `?filter[updated_by]=${outsider.id}`,
  ]
  if (kind === 'customers')
    return [...common, `?filter[status_id]=${await customerStatus(fixture)}`]
  if (kind !== 'leads') return common
  const status = `filter[statuses][0][pipeline_id]=${pipeline}&filter[statuses][0][status_id]=${statuses[0]}`
  return [...common, `?filter[pipeline_id]=${pipeline}`, `?${status}`]
}

/** The first status of the customers of the account. */
async function customerStatus({ account: { api } }: RouteFixture): Promise<number> {
  return (await api.get('/api/v4/customers/statuses')).body._embedded.statuses[0].id
}
