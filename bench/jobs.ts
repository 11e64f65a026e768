// npm run bench:jobs -- [leads] [tags]
//
// Moves leads, 10,000 by default, by one job that a filter names, and undoes it: by a server with a
// database of its own. Says how long each takes from the request to the end, and fails where a lead
// stands elsewhere afterwards.
//
// With `tags` a tag of all leads is merged into another instead, while a program makes leads with it and reads lists:
// how long others wait for their answers, quiet and beside the job. Fails where a lead is left with the tag, or where
// the undo does not give it back to all of them.
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { buildApp } from '../server/app.ts'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { openSignals } from '../server/changes/signals.ts'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import type { Kontor } from '../server/kontor.ts'
import { openSecrets } from '../server/secrets.ts'
import { openDoor } from '../server/outgoing/door.ts'
import { openSigning } from '../server/signing.ts'
import { startTemporaryPostgres } from './postgres.ts'

const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 10_000)
const silent = () => undefined

const postgres = await startTemporaryPostgres('jobs')
const database = connect(postgres.url, 8)
const signals = openSignals(database)
try {
  await migrate(database, silent)
  await ensureEventPartitions(database, new Date())
  const config = {
    ...readConfig({}),
    secretKey: 'bench',
    rateLimitAddress: 0,
    rateLimitIntegration: 0,
  }
  const now = () => Math.floor(Date.now() / 1000)
  const secrets = await openSecrets(config)
  const signing = await openSigning(database, secrets, now())
  const kontor: Kontor = {
    config,
    database,
    secrets,
    signing,
    door: openDoor(config, database, postgres.url),
    signals,
    now,
    elapsedMs: () => performance.now(),
    url: '',
  }
  const app = await buildApp(kontor, pino({ level: 'error' }))
  try {
    kontor.url = await app.listen({ port: 8106, host: '127.0.0.1' })
    await (process.argv.includes('tags') ? measureTags : measure)(kontor)
  } finally {
    await app.close()
  }
} finally {
  await signals.close()
  await database.close()
  await postgres.stop()
}

// oxlint-disable-next-line typescript/no-explicit-any -- the bench reads answers freely
type Ask = (method: string, to: string, body?: unknown) => Promise<any>

/** The requests of an administrator of a new account. */
async function newAccount(kontor: Kontor): Promise<Ask> {
  const at = kontor.now()
  const token = await database.transaction(async (tx) => {
    const accountId = await createAccount(tx, at, { subdomain: 'many', name: 'Many leads' })
    const draft = { name: 'Admin', email: 'admin@many.example', is_admin: true }
    const userId = await createUser(tx, accountId, at, draft)
    return issueLongLivedToken(tx, kontor, { accountId, userId, at, expires_at: at + 86_400 })
  })
  return async (method, to, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(kontor.url + to, sent)
    if (!answer.ok) throw new Error(`${method} ${to}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
}

async function addLeads(ask: Ask, more: object = {}): Promise<void> {
  for (let made = 0; made < count; made += 250) {
    const drafts = Array.from({ length: Math.min(250, count - made) }, (_, index) => ({
      name: `Lead ${made + index}`,
      price: index,
      ...more,
    }))
    await ask('POST', '/api/v4/leads', drafts)
  }
}

/** Waits for the end of a job, and says how long it took. */
async function run(ask: Ask, name: string, address: string, body?: unknown) {
  const began = performance.now()
  let job = await ask('POST', address, body)
  while (job.finished_at === null) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    job = await ask('GET', `/web/v1/jobs/${job.id}`)
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${name}: ${job.state}, ${job.done} leads in ${seconds.toFixed(1)} s, ${Math.round(job.done / seconds)} a second`,
  )
  return job
}

async function measureTags(kontor: Kontor): Promise<void> {
  const ask = await newAccount(kontor)
  const { tags } = (await ask('POST', '/api/v4/leads/tags', [{ name: 'Loyal' }, { name: 'VIP' }]))
    ._embedded
  const [tag, into] = tags.map(({ id }: { id: number }) => id) as [number, number]
  const having = { _embedded: { tags: [{ id: tag }] } }
  await addLeads(ask, having)
  let made = 0
  /** Makes leads with the tag and reads lists, one request after the other; answers their milliseconds. */
  const others = async (isGoing: () => boolean) => {
    const times: { write: number[]; read: number[] } = { write: [], read: [] }
    while (isGoing()) {
      const began = performance.now()
      const name = [{ name: 'By a program', _embedded: { tags: [{ name: 'Loyal' }] } }]
      await ask('POST', '/api/v4/leads', name)
      made += 1
      const written = performance.now()
      await ask('GET', '/api/v4/leads?limit=50')
      times.write.push(written - began)
      times.read.push(performance.now() - written)
    }
    return times
  }
  const told = (name: string, { write, read }: { write: number[]; read: number[] }) =>
    console.log(
      `${name}: a lead is made in p50 ${rank(write, 0.5)}, p95 ${rank(write, 0.95)}, p99 ${rank(write, 0.99)} ms; ` +
        `a list is read in p50 ${rank(read, 0.5)}, p95 ${rank(read, 0.95)}, p99 ${rank(read, 0.99)} ms (${write.length} of each)`,
    )
  const end = performance.now() + 15_000
  told('quiet', await others(() => performance.now() < end))
  let isMerging = true
  const merged = run(ask, 'merge', '/web/v1/definition-jobs', { merge_tag: { tag_id: tag, into } })
  const beside = others(() => isMerging)
  const job = await merged
  isMerging = false
  told('beside the merge', await beside)
  const counted = async (id: number) =>
    (await database.row<{ leads: number }>(
      sql`select count(*)::int as leads from leads where ${id}::bigint = any(tag_ids)`,
    ))!.leads
  if ((await counted(tag)) !== 0) throw new Error('a lead is left with the tag')
  const all = (await counted(into)) + (await countedElsewhere(tag, into))
  if (all !== count + made) throw new Error(`${all} of ${count + made} leads have a tag`)
  // Leads that came after the end of the merge have a new tag of its name.
  const again = await ask('GET', '/api/v4/leads/tags?filter[name]=Loyal')
  for (const { id } of again._embedded.tags)
    await ask('PATCH', `/api/v4/leads/tags/${id}`, { name: 'Loyal since' })
  const undone = await run(ask, 'undo', `/web/v1/jobs/${job.id}/undo`)
  if (undone.done !== job.done || (await counted(tag)) !== job.done)
    throw new Error(`${await counted(tag)} of ${job.done} leads have the tag again`)
}

/** Leads with other tags than these two. */
async function countedElsewhere(tag: number, into: number): Promise<number> {
  const row = await database.row<{ leads: number }>(
    sql`select count(*)::int as leads from leads where tag_ids <> '{}' and not tag_ids && array[${tag}, ${into}]::bigint[]`,
  )
  return row!.leads
}

function rank(times: number[], share: number): string {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!.toFixed(1)
}

async function measure(kontor: Kontor): Promise<void> {
  const ask = await newAccount(kontor)
  await addLeads(ask)
  const [pipeline] = (await ask('GET', '/api/v4/leads/pipelines'))._embedded.pipelines
  const [, from, to] = pipeline._embedded.statuses as { id: number }[]
  const waitingJobs = async () =>
    (await database.rows<{ status_id: number; leads: number }>(
      sql`select status_id, count(*)::int as leads from leads group by status_id`,
    )) as unknown
  const expectAllAt = async (status: number) => {
    const found = JSON.stringify(await waitingJobs())
    if (found !== JSON.stringify([{ status_id: status, leads: count }])) throw new Error(found)
  }
  const move = { pipeline_id: pipeline.id, status_id: to!.id }
  const request = { entity_type: 'leads', filter: '', action: { move } }
  const job = await run(ask, 'move', '/web/v1/bulk', request)
  await expectAllAt(to!.id)
  await run(ask, 'undo', `/web/v1/jobs/${job.id}/undo`)
  await expectAllAt(from!.id)
}
