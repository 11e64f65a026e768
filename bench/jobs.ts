// npm run bench:jobs -- [leads]
//
// Moves leads, 10,000 by default, by one job that a filter names, and undoes it: by a server with a
// database of its own. Says how long each takes from the request to the end, and fails where a lead
// stands elsewhere afterwards.
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

const count = Number(process.argv[2] ?? 10_000)
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
    await measure(kontor)
  } finally {
    await app.close()
  }
} finally {
  await signals.close()
  await database.close()
  await postgres.stop()
}

async function measure(kontor: Kontor): Promise<void> {
  const at = kontor.now()
  const token = await database.transaction(async (tx) => {
    const accountId = await createAccount(tx, at, { subdomain: 'many', name: 'Many leads' })
    const draft = { name: 'Admin', email: 'admin@many.example', is_admin: true }
    const userId = await createUser(tx, accountId, at, draft)
    return issueLongLivedToken(tx, kontor, { accountId, userId, at, expires_at: at + 86_400 })
  })
  const ask = async (method: string, to: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await fetch(kontor.url + to, sent)
    if (!answer.ok) throw new Error(`${method} ${to}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
  for (let made = 0; made < count; made += 250) {
    const drafts = Array.from({ length: Math.min(250, count - made) }, (_, index) => ({
      name: `Lead ${made + index}`,
      price: index,
    }))
    await ask('POST', '/api/v4/leads', drafts)
  }
  const [pipeline] = (await ask('GET', '/api/v4/leads/pipelines'))._embedded.pipelines
  const [, from, to] = pipeline._embedded.statuses as { id: number }[]
  const waitingJobs = async () =>
    (await database.rows<{ status_id: number; leads: number }>(
      sql`select status_id, count(*)::int as leads from leads group by status_id`,
    )) as unknown
  const run = async (name: string, address: string, body?: unknown) => {
    const began = performance.now()
    let job = await ask('POST', address, body)
    while (job.finished_at === null) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      job = await ask('GET', `/web/v1/jobs/${job.id}`)
    }
    const seconds = (performance.now() - began) / 1000
    console.log(
      `${name}: ${job.done} leads in ${seconds.toFixed(1)} s, ${Math.round(job.done / seconds)} a second`,
    )
    return job
  }
  const expectAllAt = async (status: number) => {
    const found = JSON.stringify(await waitingJobs())
    if (found !== JSON.stringify([{ status_id: status, leads: count }])) throw new Error(found)
  }
  const move = { pipeline_id: pipeline.id, status_id: to!.id }
  const request = { entity_type: 'leads', filter: '', action: { move } }
  const job = await run('move', '/web/v1/bulk', request)
  await expectAllAt(to!.id)
  await run('undo', `/web/v1/jobs/${job.id}/undo`)
  await expectAllAt(from!.id)
}
