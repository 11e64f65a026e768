// npm run bench -- [scenario…] [--against commit [--floors]] [--seconds N] [--rounds N]
// [--connections N] [--profile folder] [--json]
// npm run bench -- flood [--leads 10000,100000,1000000] [--database url] [--against commit]
//
// Measures Kontor beside its two floors or, with --against, beside an older commit; then --floors
// adds the floors. All take short turns, so that other load on the machine affects them alike. N
// seconds are measured per scenario and server; 1 is a smoke test of two minutes. The flood (flood.ts)
// takes minutes and runs only where it is named, alone; --against then measures the older commit.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { format, open, Refused } from './connection.ts'
import { flood, floodReport } from './flood.ts'
import type { Flooded } from './flood.ts'
import { makeFixture } from './fixture.ts'
import type { Fixture } from './fixture.ts'
import { checkOut, makeOlderFixture, nameOfCommit } from './older.ts'
import { processorTime, residentMemory, startFloor, startKontor, startLoad } from './processes.ts'
import type { Load, Server } from './processes.ts'
import { report, resultOf, streamResultOf, walkResultOf } from './report.ts'
import type { Measured, Memory, Report, Result, StreamResult, WalkResult } from './report.ts'
import { checkSame } from './same.ts'
import { get, scenarios } from './scenarios.ts'
import type { Call, Scenario } from './scenarios.ts'

const others = ['walk-page', 'walk-next', 'stream']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    floors: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string' },
    connections: { type: 'string', default: '8' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    leads: { type: 'string', default: '10000,100000,1000000' },
    database: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds ?? (seconds < 3 ? 2 : 9))
const connections = Number(values.connections)
const isFlood = positionals.length === 1 && positionals[0] === 'flood'
const names = [...scenarios.map(({ name }) => name), ...others]
const unknown = isFlood ? undefined : positionals.find((name) => !names.includes(name))
if (unknown !== undefined || !(seconds > 0) || !(rounds > 0) || !(connections > 0)) {
  console.error(`usage: npm run bench -- [scenario…] [--against commit [--floors]] [--seconds N] [--rounds N] [--connections N]
                        [--profile folder] [--json]
       npm run bench -- flood [--leads N,…] [--database url] [--against commit]
scenarios: ${names.join(', ')}`)
  process.exit(64)
}
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)
const selected = scenarios.filter(({ name }) => isWanted(name))
const mutter = (line: string) => console.error(line)

/** The started parts, in order of starting; the last is stopped first. */
const started: { stop(): Promise<void> }[] = []
let stopping: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void stopAll().then(() => process.exit(130)))
try {
  await (isFlood ? benchFlood() : bench())
} finally {
  await stopAll()
}

/** A server that is measured, and its database. */
interface Party {
  server: Server
  fixture: Fixture
}

/** The servers that take part: always the present Kontor, the others on request. */
interface Parties {
  kontor: Party
  floor?: Party
  plain?: Party
  older?: Party
}

async function bench(): Promise<void> {
  const commit = values.against === undefined ? undefined : await nameOfCommit(values.against)
  const fixture = await keep(() => makeFixture(mutter))
  mutter(`${fixture.account.leads} leads and ${fixture.account.contacts} contacts are there.`)
  const older = commit === undefined ? undefined : await startOlder(commit)
  const load = await keep(startLoad)
  const kontor = { fixture, server: await startWarm(fixture, { profile: values.profile }) }
  const parties: Parties = { kontor, ...(older && { older }) }
  if (commit === undefined || values.floors)
    for (const name of ['floor', 'plain'] as const)
      parties[name] = { fixture, server: await keep(() => startFloor(name, fixture)) }
  await pause(1000)
  const memory = watch(kontor.server)
  const olderMemory = older && watch(older.server)
  if (parties.plain)
    await checkSame(selected, fixture.account, kontor.server.port, parties.plain.server.port)
  mutter(`${rounds} rounds of ${(seconds / rounds).toFixed(1)} s per scenario and server…`)

  const results: Report['results'] = []
  for (const by of ['page', 'next'] as const)
    if (isWanted(`walk-${by}`)) results.push(await walk(by, parties, load))
  for (const scenario of selected) {
    mutter(`${scenario.name}…`)
    results.push(await compare(scenario, parties, load))
  }
  // The memory of hundreds of streams is reported separately.
  for (const each of [memory, olderMemory]) each?.end()
  if (isWanted('stream')) results.push(await stream(parties, load))
  const all: Report = {
    results,
    memory: memory.seen,
    ...(older && { older: { commit: commit!, memory: olderMemory!.seen } }),
  }
  console.log(values.json ? JSON.stringify(all, undefined, 2) : report(all))
}

async function benchFlood(): Promise<void> {
  const commit = values.against === undefined ? undefined : await nameOfCommit(values.against)
  const older = commit === undefined ? undefined : await keep(() => checkOut(commit, mutter))
  const all: Flooded[] = []
  for (const leads of values.leads.split(',').map(Number))
    all.push(await flood({ leads, tree: older?.tree, database: values.database, say: mutter }))
  console.log(values.json ? JSON.stringify(all, undefined, 2) : floodReport(all))
}

async function startOlder(commit: string): Promise<Party> {
  mutter(`Checking out ${commit}…`)
  const older = await keep(() => checkOut(commit, mutter))
  const fixture = await keep(() => makeOlderFixture(older))
  return { fixture, server: await startWarm(fixture, { tree: older.tree }) }
}

/** Starts Kontor a second time: the first start compiles its code, which takes memory. */
async function startWarm(
  fixture: Fixture,
  start: { tree?: string; profile?: string | undefined },
): Promise<Server> {
  const first = await keep(() => startKontor(fixture, { ...start, profile: undefined }))
  await first.stop()
  return keep(() => startKontor(fixture, start))
}

/** Reads the memory of an idle server, and from now on its peak. */
function watch({ pid }: Server): { seen: Memory; end(): void } {
  const seen = { idle: residentMemory(pid), load: 0 }
  const timer = setInterval(() => (seen.load = Math.max(seen.load, residentMemory(pid))), 100)
  return { seen, end: () => clearInterval(timer) }
}

async function walk(
  by: 'page' | 'next',
  { kontor, older }: Parties,
  load: Load,
): Promise<WalkResult> {
  mutter(`walk-${by}…`)
  const walked = ({ server: { port }, fixture: { account } }: Party) =>
    load.walk({ kind: 'walk', by, account, port, seconds })
  const isThere = older && (await answers(older, get('leads?limit=50&page=1')))
  return walkResultOf(by, await walked(kontor), isThere ? await walked(older) : undefined)
}

async function stream({ kontor, older }: Parties, load: Load): Promise<StreamResult> {
  mutter('stream…')
  const streamed = ({ server: { port, pid }, fixture: { account, postmaster } }: Party) =>
    load.stream({ kind: 'stream', account, postmaster, port, pid, seconds })
  const isThere = older && (await answers(older, { method: 'GET', path: '/web/v1/stream' }))
  return streamResultOf(await streamed(kontor), isThere ? await streamed(older) : undefined)
}

async function compare(scenario: Scenario, parties: Parties, load: Load): Promise<Result> {
  const { floor, older, ...rest } = parties
  const { bySeller = false } = scenario
  const isThere =
    older && (await answers(older, scenario.calls(older.fixture.account)[0]!, bySeller))
  const sides: { name: keyof Parties; party: Party; bySeller: boolean }[] = Object.entries(
    rest,
  ).map(([name, party]) => ({
    name: name as keyof Parties,
    party,
    bySeller,
  }))
  if (isThere) sides.push({ name: 'older', party: older, bySeller })
  if (floor)
    sides.push({ name: 'floor', party: bySeller ? parties.kontor : floor, bySeller: false })

  const measured: Record<keyof Parties, Measured[]> = {
    kontor: [],
    floor: [],
    plain: [],
    older: [],
  }
  for (const { party, bySeller } of sides)
    await measure(scenario.name, bySeller, Math.min(1, seconds / 6), party, load)
  for (let round = 0; round < rounds; round++) {
    for (const { name, party, bySeller } of sides)
      measured[name].push(await measure(scenario.name, bySeller, seconds / rounds, party, load))
    // The next round begins with the server that was last, so that none is always first.
    sides.reverse()
  }
  return resultOf(scenario, measured)
}

async function measure(
  scenario: string,
  bySeller: boolean,
  seconds: number,
  { server, fixture: { account, postmaster } }: Party,
  load: Load,
): Promise<Measured> {
  const before = { server: processorTime(server.pid), postgres: processorTime(postmaster, true) }
  const about = { scenario, bySeller, seconds, account, port: server.port, connections }
  const { cpu, ...round } = await load.round({ kind: 'round', ...about })
  return {
    ...round,
    server: processorTime(server.pid) - before.server,
    postgres: processorTime(postmaster, true) - before.postgres,
    client: cpu,
  }
}

/** Whether a server supports a request. An older one may not. */
async function answers(
  { server: { port }, fixture: { account } }: Party,
  call: Call,
  bySeller = false,
): Promise<boolean> {
  const client = await open(port)
  const answer = client.ask(format(call, bySeller ? account.sellers[0]! : account, port))
  return answer
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refused) return false
        throw error
      },
    )
    .finally(() => client.close())
}

/** Notes how to stop a part before it has started: Ctrl-C may come meanwhile. */
async function keep<Part extends { stop(): Promise<void> }>(
  start: () => Part | Promise<Part>,
): Promise<Part> {
  if (stopping) throw new Error('the bench was stopped')
  const part = Promise.resolve(start())
  started.push({
    stop: () =>
      part.then(
        (each) => each.stop(),
        () => undefined,
      ),
  })
  return await part
}

/** Runs once. A part that does not stop does not keep the others from stopping. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (let part = started.pop(); part; part = started.pop())
      await part.stop().catch((error: unknown) => console.error(error))
  })()
  return stopping
}
