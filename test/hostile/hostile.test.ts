// A bad client works on a real server while another user of another account reads. Each attack is
// answered as its bounds say, nobody else is refused, and nothing is written. The latency of the
// other user is printed beside its quiet figure, and judged by nobody: a timed test is no test.
// HOSTILE_SECONDS=10 makes figures for the record.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newHome } from '../kontor.ts'
import type { Home, Running } from '../kontor.ts'
import { slowly } from '../moments.ts'
import { attacks } from './attacks.ts'
import type { Attack } from './attacks.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 1)

let home: Home
let running: Running
let quiet: Latency
let tokens: Record<Attack['caller'] | 'victim', string>

beforeAll(async () => {
  home = await newHome()
  running = await home.start()
  const run = async (...args: string[]) => JSON.parse((await home.run([...args, '--json'])).stdout)
  const token = async (...args: string[]) =>
    ((await run('token', ...args)) as { access_token: string }).access_token
  await run('account', 'create', 'attacker')
  await run('user', 'create', 'boss@attacker.example', '--account', 'attacker', '--admin')
  await run('user', 'create', 'limited@attacker.example', '--account', 'attacker', '--rights', '{}')
  tokens = {
    nobody: '',
    victim: await token(),
    admin: await token('--account', 'attacker', '--user', 'boss@attacker.example'),
    limited: await token('--account', 'attacker', '--user', 'limited@attacker.example'),
  }
  await readLeads(seconds / 2)
  quiet = await readLeads(seconds)
})
afterAll(() => home.close())

test.each(attacks)('$name: answered by its bounds, and others are served', async (attack) => {
  const [hit, answers] = await Promise.all([
    slowly(300).then(() => readLeads(seconds)),
    attackWith(attack),
  ])
  console.info(
    `${attack.name}: p50 ${quiet.p50.toFixed(1)} ms quiet, ${hit.p50.toFixed(1)} ms under attack ` +
      `(${(hit.p50 / quiet.p50).toFixed(1)}×), most ${hit.most.toFixed(0)} ms; ${JSON.stringify(answers)}`,
  )
  const expected = attack.answers.map(String)
  expect(Object.keys(answers).some((answer) => expected.includes(answer))).toBe(true)
  if (attack.mayBeClosed) expected.push('closed')
  expect(Object.keys(answers).filter((answer) => !expected.includes(answer))).toEqual([])
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
    tokens[caller],
    name,
    String(seconds + 0.6),
  ])
  return JSON.parse(stdout) as Record<string, number>
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
