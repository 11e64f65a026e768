// Runs the launcher under the Node.js of this test, and under the machine's own `node` if that is
// older. The test is not in bin/, because the extensionless `kontor` makes that folder CommonJS.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const launcher = path.join(import.meta.dirname, '../bin/launch.cjs')
const machine = spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout?.trim()
const isOld = /^v(1[89]|2[0-3])\./.test(machine ?? '')

let folder: string
const spawned: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kontor launcher '))
})

afterEach(() => {
  for (const child of spawned.splice(0)) child.kill('SIGKILL')
})

afterAll(() => rm(folder, { recursive: true }))

describe.each([process.execPath, ...(isOld ? ['node'] : [])])('on %s', (node) => {
  test('the script runs on Node.js 24 or later, with its arguments and its exit code', async () => {
    const script = `console.log(JSON.stringify([parseInt(process.versions.node) >= 24, ...process.argv.slice(1)])); process.exit(7)`
    const { output, code } = await launch(node, script, ['one', '--two', 'три и четыре'])
    expect(JSON.parse(await output)).toEqual([
      true,
      path.join(folder, 'script.mts'),
      'one',
      '--two',
      'три и четыре',
    ])
    expect(await code).toBe(7)
  })

  test('TypeScript needs no build', async () => {
    const { output } = await launch(node, `const word: string = 'typed'; console.log(word)`)
    expect(await output).toBe('typed\n')
  })

  test('a script that cannot run ends with code 1', async () => {
    const { code } = await launch(node, `import './missing.ts'`)
    expect(await code).toBe(1)
  })

  test('a signal reaches the script, which ends as it likes', async () => {
    const { child, output, code } = await launch(
      node,
      `process.on('SIGTERM', () => { console.log('stopping'); process.exit(3) }); console.log('up'); setInterval(() => {}, 1000)`,
    )
    child.stdout.once('data', () => child.kill('SIGTERM'))
    expect(await output).toBe('up\nstopping\n')
    expect(await code).toBe(3)
  })

  test('a script ended by a signal ends the launcher the same way', async () => {
    const { code } = await launch(
      node,
      `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`,
    )
    expect(await code).toBe('SIGKILL')
  })
})

test.runIf(isOld)('the script hears when its launcher is killed', async () => {
  const script = `process.once('disconnect', () => { console.log('alone'); process.exit() }); console.log('up')`
  const { child, output, code } = await launch('node', script)
  child.stdout.once('data', () => child.kill('SIGKILL'))
  expect(await output).toBe('up\nalone\n')
  expect(await code).toBe('SIGKILL')
})

test('without a script it says how to use it', () => {
  const { status, stderr } = spawnSync(process.execPath, [launcher], { encoding: 'utf8' })
  expect(status).toBe(64)
  expect(stderr).toBe('usage: node bin/launch.cjs <script> [arguments]\n')
})

async function launch(node: string, script: string, args: string[] = []) {
  await writeFile(path.join(folder, 'script.mts'), script)
  const child = spawn(node, [launcher, path.join(folder, 'script.mts'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  spawned.push(child)
  const code = new Promise((resolve) =>
    child.once('exit', (exit, signal) => resolve(exit ?? signal)),
  )
  return { child, output: text(child.stdout), code }
}
