// npm run bench:lists -- [question…] [--leads 10000,1000000] [--keep folder] [--requests N] [--seconds N] [--out file] [--partial] [--plans ms]
// Asks Kontor every question of questions.ts in accounts of several sizes, and shows side by side what the size costs: how fast one
// connection is answered (p50, p99), how many requests per second eight get, and the processor time of each. Every answer is counted, and
// a wrong one fails the bench. Questions whose titles hold a word of the command line are asked, without words each is.
// `--keep`: filled accounts stay in this folder and need not be filled again. `--partial`: what is refused (400) is not there yet.
// `--plans`: PostgreSQL writes the plans of statements that take longer to postgres.log in the data folder.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openLarge } from './large/open.ts'
import { measureCreation } from './lists/create.ts'
import { measureQuestion } from './lists/measure.ts'
import type { Setting } from './lists/measure.ts'
import { tablesOf } from './lists/tables.ts'
import type { Sized } from './lists/tables.ts'
import { measureWalk, walks } from './lists/walk.ts'
import { startKontor } from './processes.ts'
import { questions } from './questions.ts'

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
/** What has been started, in the reverse order of its stopping. */
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

/** A question is asked in each size before the next one, so that what else the machine does weighs on all of them alike. */
async function measureAll(settings: Setting[]): Promise<Sized[]> {
  const results = settings.map(({ account }): Sized => {
    return { leads: account.counts.leads, questions: new Map(), walks: new Map(), created: [] }
  })
  for (const question of questions) {
    const title = `${question.type}: ${question.title}`
    if (!isWanted(title)) continue
    for (const [place, setting] of settings.entries()) {
      const measured = await measureQuestion(question, setting)
      results[place]!.questions.set(title, measured)
      const { matches, p50, p99, perSecond, cpu, note } = measured
      const times = [p50, p99, cpu].map((each) => each.toFixed(2)).join(', ')
      mutter(`${title}: ${matches} match, ${times} ms, ${perSecond.toFixed(0)}/s ${note}`)
    }
  }
  for (const [title, asked] of Object.entries(walks)) {
    if (!isWanted(`walk: ${title}`)) continue
    mutter(`walk: ${title}…`)
    for (const [place, setting] of settings.entries())
      results[place]!.walks.set(title, await measureWalk(asked(setting.account), setting))
  }
  if (!isWanted('new leads')) return results
  mutter('new leads…')
  for (const [place, setting] of settings.entries())
    results[place]!.created = await measureCreation(setting)
  return results
}

/** For sessions that begin from now on, such as Kontor's. */
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

/** Once: an interrupt stops it while a failure that it causes wants the same. */
function stopAll(): Promise<void> {
  const stop = async () => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop()
  }
  return (stopping ??= stop())
}
