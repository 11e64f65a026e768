// The floor: the same statements from a bare node:http server. No framework, no access check, no validation; bodies are parsed and that
// is all. What Kontor takes longer than this is the price of being Kontor.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { recordAdded, recordChanged } from '../server/changes/record.ts'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import { embedTags } from '../server/entities/tags.ts'
import type { BareLine } from '../server/entities/tags.ts'
import { embedInLead, insertLeads, leadList, lockLeads, oneLead, updateLeads } from '../server/features/leads/queries.ts'
import type { LeadRow } from '../server/features/leads/schema.ts'
import { stagesAround } from '../server/features/pipelines/pipelines.ts'
import { tagsByName } from '../server/features/tags/queries.ts'
import { fullRights, groupsOfActiveUsers } from '../server/features/users/users.ts'
import type { Actor } from '../server/http/access.ts'

const [accountId = 0, userId = 0] = process.argv.slice(2).map(Number)
const config = readConfig()
const database = connect(config.databaseUrl!, config.databasePool)
const actor: Actor = {
  accountId,
  userId,
  subdomain: 'bench',
  groupId: 0,
  isAdmin: true,
  rights: fullRights,
  clientId: null,
  scopes: [],
  emptyList: 200,
  isUnpaid: false,
  at: 0,
}

const server = http.createServer((request, response) => {
  const { method, url = '' } = request
  const base = `http://${request.headers.host}`
  actor.at = Math.floor(Date.now() / 1000)
  answer(method, url, base, request).then(
    (json) => {
      const body = Buffer.from(json)
      response.writeHead(200, { 'content-type': 'application/hal+json', 'content-length': body.length }).end(body)
    },
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())

async function answer(method = '', url: string, base: string, request: http.IncomingMessage): Promise<string> {
  const { pathname, searchParams } = new URL(url, base)
  if (method === 'POST') return written(base, await create((await body(request)) as NewLead[]))
  if (method === 'PATCH') return written(base, await change((await body(request)) as Changed[]))
  const id = Number(pathname.split('/')[4])
  if (!id) return list(base, searchParams)
  const lead = await database.row<{ json: string; tags: string }>(oneLead(actor, base, id))
  return embedInLead(lead!.json, lead!.tags)
}

async function list(base: string, query: URLSearchParams): Promise<string> {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const { page = 1, limit = 50 } = { page: number('page'), limit: number('limit') }
  const [from, to] = [number('filter[price][from]'), number('filter[price][to]')]
  const price = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const filter = from === undefined ? {} : { filter: { price } }
  // As Kontor's walk: a page that follows one asked for before begins after its last row.
  const name = `${from} ${limit} ${page}`
  const seek = { after: ends.get(name), offset: ends.has(name) ? 0 : (page - 1) * limit, limit: limit + 1 }
  const lines = await embedTags(
    database,
    actor,
    await database.list<BareLine>(leadList(actor, base, filter, seek)),
    embedInLead,
  )
  if (lines.length > limit) lines.pop()
  const { key, id } = lines.at(-1) ?? { key: 0, id: 0 }
  ends.set(`${from} ${limit} ${page + 1}`, { key, id })
  return `{"_page":${page},"_links":{},"_embedded":{"leads":[${lines.map(({ json }) => json).join(',')}]}}`
}

const ends = new Map<string, { key: number | string; id: number | string }>()

interface NewLead {
  name: string
  price: number
  _embedded?: { tags: { name: string }[] }
}

function create(items: NewLead[]): Promise<number[]> {
  return database.transaction(async (tx) => {
    const names = [...new Set(items.flatMap(({ _embedded }) => _embedded?.tags.map(({ name }) => name) ?? []))]
    const tags = await tx.rows<{ id: number }>(tagsByName(actor, 'leads', names))
    const tagIds = new Map(names.map((name, place) => [name, tags[place]!.id]))
    const stages = await stagesAround(tx, actor, [], [])
    const groups = await groupsOfActiveUsers(tx, actor, [userId])
    const rows = items.map(({ name, price, _embedded }) => ({
      name,
      price,
      responsible_user_id: userId,
      group_id: groups.get(userId)!,
      pipeline_id: stages.main,
      status_id: stages.first(stages.main)!,
      loss_reason_id: null,
      created_by: userId,
      updated_by: userId,
      created_at: actor.at,
      updated_at: actor.at,
      closed_at: null,
      tag_ids: _embedded?.tags.map((tag) => tagIds.get(tag.name)!) ?? [],
    }))
    const ids = (await tx.rows<{ id: number }>(insertLeads(actor, rows))).map(({ id }) => id)
    await recordAdded(tx, actor, 'leads', ids)
    return ids
  })
}

interface Changed {
  id: number
  price: number
}

function change(items: Changed[]): Promise<number[]> {
  return database.transaction(async (tx) => {
    const ids = items.map(({ id }) => id)
    const before = new Map((await tx.rows<LeadRow>(lockLeads(actor, ids))).map((row) => [row.id, row]))
    await stagesAround(
      tx,
      actor,
      [...before.values()].map((row) => row.pipeline_id),
      [],
    )
    await groupsOfActiveUsers(tx, actor, [userId])
    const after = items.map(({ id, price }) => ({ ...before.get(id)!, price, updated_at: actor.at }))
    await tx.rows(updateLeads(actor, after))
    const price = (sale: number) => [{ sale_field_value: { sale } }]
    const news = after.map((row) => {
      const { price: was, updated_at } = before.get(row.id)!
      const event = { type: 'sale_field_changed', value_before: price(was), value_after: price(row.price) }
      return { id: row.id, actions: ['update' as const], before: { price: was, updated_at }, events: [event] }
    })
    await recordChanged(tx, actor, 'leads', news)
    return ids
  })
}

function written(base: string, ids: number[]): string {
  const leads = ids.map((id, place) => ({
    id,
    request_id: String(place),
    _links: { self: { href: `${base}/api/v4/leads/${id}` } },
  }))
  return JSON.stringify({ _embedded: { leads } })
}

async function body(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}
