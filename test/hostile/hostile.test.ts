// A bad client works on a real server while another user of another account reads. Each attack is
// answered as its bounds say, nobody else is refused, and nothing is written. The latency of the
// other user is printed beside its quiet figure, with the longest delay of the server's event loop,
// and judged by nobody: a timed test is no test. HOSTILE_SECONDS=15 makes figures for the record.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newHome } from '../kontor.ts'
import type { Home, Running } from '../kontor.ts'
import { slowly } from '../moments.ts'
import { attacks } from './attacks.ts'
import type { Attack } from './attacks.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 1)

let folder: string
let home: Home
let running: Running
let quiet: Latency
let quietDelay: number
let tokens: Record<Exclude<Attack['caller'], 'fresh'> | 'victim', string>
/** By the names of attacks. */
let freshTokens: Map<string, string>

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kontor-hostile-'))
  home = await newHome()
  running = await home.start({
    NODE_OPTIONS: `--require=${path.join(import.meta.dirname, 'delay.cjs')}`,
    DELAY_FILE: path.join(folder, 'delay'),
  })
  const run = async (...args: string[]) => JSON.parse((await home.run([...args, '--json'])).stdout)
  const token = async (...args: string[]) =>
    ((await run('token', ...args)) as { access_token: string }).access_token
  await run('account', 'create', 'attacker')
  await run('user', 'create', 'boss@attacker.example', '--account', 'attacker', '--admin')
  await run('user', 'create', 'limited@attacker.example', '--account', 'attacker', '--rights', '{}')
  const own = JSON.stringify({
    leads: { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' },
  })
  await run('user', 'create', 'own@attacker.example', '--account', 'attacker', '--rights', own)
  tokens = {
    nobody: '',
    victim: await token(),
    admin: await token('--account', 'attacker', '--user', 'boss@attacker.example'),
    own: await token('--account', 'attacker', '--user', 'own@attacker.example'),
    limited: await token('--account', 'attacker', '--user', 'limited@attacker.example'),
  }
  const fresh = attacks.filter(({ caller }) => caller === 'fresh')
  freshTokens = new Map(
    await Promise.all(
      fresh.map(async ({ name }, n) => {
        const [account, user] = [`fresh${n}`, `boss@fresh${n}.example`]
        await run('account', 'create', account)
        await run('user', 'create', user, '--account', account, '--admin')
        return [name, await token('--account', account, '--user', user)] as const
      }),
    ),
  )
  await readLeads(seconds / 2)
  await longestDelay()
  quiet = await readLeads(seconds)
  quietDelay = await longestDelay()
})
afterAll(async () => {
  await home.close()
  await rm(folder, { recursive: true })
})

test.each(attacks)('$name: answered by its bounds, and others are served', async (attack) => {
  await longestDelay()
  const [hit, answers] = await Promise.all([
    slowly(300).then(() => readLeads(seconds)),
    attackWith(attack),
  ])
  const delay = await longestDelay()
  console.info(
    `${attack.name}: p50 ${quiet.p50.toFixed(1)} ms quiet, ${hit.p50.toFixed(1)} ms under attack ` +
      `(${(hit.p50 / quiet.p50).toFixed(1)}×), most ${hit.most.toFixed(0)} ms, ` +
      `the server stood still for ${delay.toFixed(0)} ms at most (quiet: ${quietDelay.toFixed(0)}); ${JSON.stringify(answers)}`,
  )
  const expected = attack.answers.map(String)
  expect(Object.keys(answers).some((answer) => expected.includes(answer))).toBe(true)
  if (attack.mayBeClosed) expected.push('closed')
  expect(Object.keys(answers).filter((answer) => !expected.includes(answer))).toEqual([])
  if (attack.until) expect(answers).toHaveProperty(String(attack.until))
  expect(hit.failures).toBe(0)
})

test('none of it wrote anything', async () => {
  const answer = await fetch(`${running.url}/api/v4/leads`, {
    headers: { authorization: `Bearer ${tokens.admin}` },
  })
  expect(((await answer.json()) as { _embedded: { leads: unknown[] } })._embedded.leads).toEqual([])
})

async function attackWith({ name, caller }: Attack): Promise<Record<string, number>> {
  const script = path.join(import.meta.dirname, 'bad-client.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    running.url,
    caller === 'fresh' ? freshTokens.get(name)! : tokens[caller],
    name,
    String(seconds + 0.6),
  ])
  return JSON.parse(stdout) as Record<string, number>
}

/** The longest delay of the server's event loop since the last call, in milliseconds. */
async function longestDelay(): Promise<number> {
  const file = path.join(folder, 'delay')
  await rm(file, { force: true })
  process.kill(running.server, 'SIGUSR2')
  await vi.waitUntil(() => existsSync(file), { timeout: 60_000, interval: 5 })
  return Number(await readFile(file, 'utf8'))
}

/** Times are in milliseconds. */
interface Latency {
  p50: number
  most: number
  failures: number
}

/** Reads one page after another, with a pause of 2 ms between. */
async function readLeads(seconds: number): Promise<Latency> {
  const times: number[] = []
  let failures = 0
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const begun = performance.now()
    const answer = await fetch(`${running.url}/api/v4/leads?limit=5`, {
      headers: { authorization: `Bearer ${tokens.victim}` },
    })
    await answer.arrayBuffer()
    times.push(performance.now() - begun)
    if (answer.status !== 200) failures++
    await slowly(2)
  }
  times.sort((a, b) => a - b)
  return { p50: times[Math.floor(times.length / 2)]!, most: times.at(-1)!, failures }
}
