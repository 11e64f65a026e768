// npm run bench -- [scenario…] [--seconds N] [--rounds N] [--connections N] [--profile folder] [--json]
// Measures Kontor beside its floor, in turn, in short rounds, so that what else the machine does weighs on both alike. N seconds are
// measured per scenario and server; 1 is a smoke test of less than a minute.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeFixture } from './fixture.ts'
import type { Fixture } from './fixture.ts'
import { processorTime, residentMemory, startFloor, startKontor, startLoad } from './processes.ts'
import type { Load, Server } from './processes.ts'
import { report, resultOf, walkResultOf } from './report.ts'
import type { Measured, Result, WalkResult } from './report.ts'
import { scenarios } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'
import type { Streamed } from './stream.ts'

const others = ['walk-page', 'walk-next', 'stream']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string' },
    connections: { type: 'string', default: '8' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds ?? (seconds < 3 ? 2 : 9))
const connections = Number(values.connections)
const names = [...scenarios.map(({ name }) => name), ...others]
const unknown = positionals.find((name) => !names.includes(name))
if (unknown !== undefined || !(seconds > 0) || !(rounds > 0) || !(connections > 0)) {
  console.error(`usage: npm run bench -- [scenario…] [--seconds N] [--rounds N] [--connections N] [--profile folder] [--json]
scenarios: ${names.join(', ')}`)
  process.exit(64)
}
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)
const mutter = (line: string) => console.error(line)

/** What has been started, in the reverse order of its stopping. */
const started: { stop(): Promise<void> }[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().then(() => process.exit(130)))
try {
  await bench()
} finally {
  await stopAll()
}

async function bench(): Promise<void> {
  const fixture = await keep(makeFixture(mutter))
  mutter(
    `${fixture.account.leads} leads and ${fixture.account.contacts} contacts are there. ${rounds} rounds of ${(seconds / rounds).toFixed(1)} s per scenario and server…`,
  )
  const load = await keep(startLoad())
  const floor = await keep(startFloor(fixture))
  const kontor = await keep(startKontor(fixture, values.profile))
  await pause(1000)
  const memory = { idle: residentMemory(kontor.pid), load: 0 }
  const watch = setInterval(
    () => (memory.load = Math.max(memory.load, residentMemory(kontor.pid))),
    100,
  )

  const results: (Result | WalkResult)[] = []
  for (const by of ['page', 'next'] as const) {
    if (!isWanted(`walk-${by}`)) continue
    mutter(`walk-${by}…`)
    results.push(
      walkResultOf(
        by,
        await load.walk({ kind: 'walk', by, account: fixture.account, port: kontor.port, seconds }),
      ),
    )
  }
  for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
    mutter(`${scenario.name}…`)
    results.push(await compare(scenario, { fixture, load, kontor, floor }))
  }
  clearInterval(watch)
  let streamed: Streamed | undefined
  if (isWanted('stream')) {
    mutter('stream…')
    const { account, postmaster } = fixture
    streamed = await load.stream({
      kind: 'stream',
      account,
      postmaster,
      port: kontor.port,
      pid: kontor.pid,
      seconds,
    })
  }
  console.log(
    values.json
      ? JSON.stringify({ results, streamed, memory }, undefined, 2)
      : report(results, streamed, memory),
  )
}

interface Setting {
  fixture: Fixture
  load: Load
  kontor: Server
  floor: Server
}

async function compare(
  scenario: Scenario,
  { fixture, load, kontor, floor }: Setting,
): Promise<Result> {
  const run = (server: Server, seconds: number, bySeller = scenario.bySeller ?? false) =>
    measure({ scenario: scenario.name, bySeller, seconds }, fixture, load, server)
  for (const server of [kontor, floor]) await run(server, Math.min(1, seconds / 6))
  const ours: Measured[] = []
  const theirs: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await run(kontor, seconds / rounds))
    theirs.push(await run(scenario.bySeller ? kontor : floor, seconds / rounds, false))
  }
  return resultOf(scenario, ours, theirs)
}

async function measure(
  about: { scenario: string; bySeller: boolean; seconds: number },
  fixture: Fixture,
  load: Load,
  server: Server,
): Promise<Measured> {
  const { account, postmaster } = fixture
  const before = { server: processorTime(server.pid), postgres: processorTime(postmaster, true) }
  const task = { ...about, kind: 'round', account, port: server.port, connections } as const
  const { cpu, ...round } = await load.round(task)
  return {
    ...round,
    server: processorTime(server.pid) - before.server,
    postgres: processorTime(postmaster, true) - before.postgres,
    client: cpu,
  }
}

/** Notes what is to be stopped before it has started: Ctrl-C may come meanwhile. */
async function keep<Part extends { stop(): Promise<void> }>(
  starting: Part | Promise<Part>,
): Promise<Part> {
  const part = Promise.resolve(starting)
  started.push({
    stop: () =>
      part.then(
        (each) => each.stop(),
        () => undefined,
      ),
  })
  return await part
}

async function stopAll(): Promise<void> {
  for (let part = started.pop(); part; part = started.pop()) await part.stop()
}
