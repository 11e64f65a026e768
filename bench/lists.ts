// npm run bench:lists -- [request…] [--leads 10000,1000000] [--keep folder] [--requests N]
// [--seconds N] [--out file] [--partial] [--plans ms]
//
// Asks Kontor the requests of list-requests.ts in accounts of several sizes and compares them: p50 and
// p99 of one connection, requests per second of eight, and processor time per request. A wrong
// answer fails the bench. Words of the command line select the requests whose titles hold one.
//
// `--keep`: keeps filled accounts in this folder for later runs. `--partial`: a refused request
// (400) counts as not supported yet. `--plans`: PostgreSQL logs the plans of slower statements to
// postgres.log in the data folder.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openLarge } from './large/open.ts'
import { measureCreation } from './lists/create.ts'
import { measureRequest } from './lists/measure.ts'
import type { Setting } from './lists/measure.ts'
import { tablesOf } from './lists/tables.ts'
import type { Sized } from './lists/tables.ts'
import { measureWalk, walks } from './lists/walk.ts'
import { startKontor } from './processes.ts'
import { requests as allRequests } from './list-requests.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    leads: { type: 'string', default: '10000,1000000' },
    keep: { type: 'string' },
    requests: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '2' },
    out: { type: 'string' },
    partial: { type: 'boolean', default: false },
    plans: { type: 'string' },
  },
})
const [requests, seconds] = [Number(values.requests), Number(values.seconds)]
const sizes = values.leads.split(',').map(Number)
const mutter = (line: string) => console.error(line)
const isWanted = (title: string) =>
  positionals.length === 0 ||
  positionals.some((word) => title.toLowerCase().includes(word.toLowerCase()))

const wrong: string[] = []
/** How to stop what was started, in order of starting; the last is stopped first. */
const started: (() => Promise<void>)[] = []
let stopping: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().then(() => process.exit(130)))
try {
  const settings: Setting[] = []
  for (const leads of sizes) settings.push(await openSize(leads))
  const report = tablesOf(await measureAll(settings))
  console.log(report)
  if (values.out !== undefined) await writeFile(values.out, report)
} finally {
  await stopAll()
}
for (const line of wrong) console.error(`WRONG: ${line}`)
if (wrong.length > 0) process.exitCode = 1

async function openSize(leads: number): Promise<Setting> {
  const database = await openLarge(leads, values.keep, mutter, started)
  const session = new pg.Client({ connectionString: database.url })
  await session.connect()
  started.push(() => session.end())
  await logPlans(session, values.plans)
  started.push(() => logPlans(session, undefined))
  const kontor = await startKontor(database)
  started.push(kontor.stop)
  const { rows } = await session.query<{ text: string }>(
    `select pg_read_file('postmaster.pid') as text`,
  )
  const pids = { kontor: kontor.pid, postmaster: parseInt(rows[0]!.text, 10) }
  return {
    account: database.account,
    session,
    port: kontor.port,
    pids,
    requests,
    seconds,
    partial: values.partial,
    wrong,
  }
}

/**
 * Asks a request in each size before the next request, so that other load on the machine affects
 * all sizes alike.
 */
async function measureAll(settings: Setting[]): Promise<Sized[]> {
  const results = settings.map(({ account }): Sized => {
    return { leads: account.counts.leads, requests: new Map(), walks: new Map(), created: [] }
  })
  for (const request of allRequests) {
    const title = `${request.type}: ${request.title}`
    if (!isWanted(title)) continue
    for (const [index, setting] of settings.entries()) {
      const measured = await measureRequest(request, setting)
      results[index]!.requests.set(title, measured)
      const { matches, p50, p99, perSecond, cpu, note } = measured
      const times = [p50, p99, cpu].map((each) => each.toFixed(2)).join(', ')
      mutter(`${title}: ${matches} match, ${times} ms, ${perSecond.toFixed(0)}/s ${note}`)
    }
  }
  for (const [title, listOf] of Object.entries(walks)) {
    if (!isWanted(`walk: ${title}`)) continue
    mutter(`walk: ${title}…`)
    for (const [index, setting] of settings.entries())
      results[index]!.walks.set(title, await measureWalk(listOf(setting.account), setting))
  }
  if (!isWanted('new leads')) return results
  mutter('new leads…')
  for (const [index, setting] of settings.entries())
    results[index]!.created = await measureCreation(setting)
  return results
}

/** Applies to sessions that begin later, such as Kontor's. */
async function logPlans(session: pg.Client, milliseconds: string | undefined): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': String(Number(milliseconds)),
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_parameter_max_length': '200',
  }
  for (const [name, value] of Object.entries(settings))
    await session.query(
      milliseconds === undefined
        ? `alter role current_user reset ${name}`
        : `alter role current_user set ${name} = '${value}'`,
    )
}

/** Runs once: an interrupt and the failure that it causes both call it. */
function stopAll(): Promise<void> {
  const stop = async () => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop()
  }
  return (stopping ??= stop())
}
