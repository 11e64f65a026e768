// Runs the README: its shell blocks, one after the other in one bash, against a Kontor that was
// started for the first time. Only the port and the data folder differ. New blocks are run without
// a change here.
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stageOf } from '../server/database/data-folder.ts'
import { chapterInMarkdown, cookbook, refused } from '../server/features/developers/cookbook.ts'
import { stretched } from './slow.ts'

const root = path.join(import.meta.dirname, '..')
const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
const address = 'http://127.0.0.1:8080'

/** Blocks that install and test Kontor cannot run inside its own tests. */
const isRun = (block: string) => !block.includes('npm ci')
const blocks = [...readme.matchAll(/^```(?:sh|bash|shell|console)\n(.*?)^```/gms)]
  .map(([, block]) => block!)
  .filter(isRun)

const hasTools = ['bash', 'curl', 'node'].every(
  (tool) => spawnSync(tool, ['--version']).status === 0,
)

// Kontor promises to need only Node.js and npm. So this runs only on CI, or if the tools of the
// session are installed.
describe.runIf(hasTools || process.env['CI'])('the first API session', () => {
  let data: string
  let server: ChildProcess
  let greeting = ''
  let session: Session

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'kontor-readme-'))
    await chmod(data, 0o755)
    const environment = { ...clean(), KONTOR_DATA: data, PORT: '0' }
    server = spawn('bin/kontor', ['start'], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const found = await new Promise<string>((resolve, reject) => {
      server.once('exit', (code) =>
        reject(new Error(`Kontor ended with ${code} before it was ready: ${greeting}`)),
      )
      server.stdout!.setEncoding('utf8').on('data', (text: string) => {
        greeting += text
        if (greeting.includes('Stop it with Ctrl-C'))
          resolve(/Kontor is ready at (\S+)/.exec(greeting)![1]!)
      })
    })
    session = run(found, environment)
  }, stretched(360_000))

  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    for (const folder of [data, stageOf(data)]) await rm(folder, { recursive: true, force: true })
  })

  test('the first start prints what the README shows', () => {
    const shown = /^```text\n(.*?)^```/ms.exec(readme)![1]!
    const lines = greeting.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, address).split('\n')
    for (const line of shown.split('\n').filter(Boolean)) {
      const [start = '', end = ''] = line.split('…')
      const isThere = lines.some((each) =>
        line.includes('…') ? each.startsWith(start) && each.endsWith(end) : each === line,
      )
      expect(isThere, `"${line}" in:\n${greeting}`).toBe(true)
    }
  })

  test('every block runs to its end', () => {
    expect(session.status, session.errors).toBe(0)
    expect(session.outputs).toHaveLength(blocks.length)
  })

  test('a code becomes tokens, and a refresh a new pair', () => {
    const pairs = session.tokens.map((text) => JSON.parse(text) as Pair)
    expect(pairs).toHaveLength(2)
    for (const pair of pairs)
      expect(pair).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 })
    expect(pairs[0]!.access_token).not.toBe(pairs[1]!.access_token)
    expect(pairs[0]!.refresh_token).not.toBe(pairs[1]!.refresh_token)
    expect(session.outputOf('refresh_token')).toBe('Demo\n')
  })

  test('leads are created, listed and changed', () => {
    const made = JSON.parse(session.outputOf('"request_id": "mine"'))._embedded.leads as {
      id: number
      request_id: string
    }[]
    expect(made.map(({ request_id }) => request_id)).toEqual(['0', 'mine'])
    const listed = session.outputOf('filter[price][from]').trim().split('\n')
    expect(listed).toHaveLength(5)
    expect(listed[0]).toBe(`${made[0]!.id}  Bakery website  4200`)
    const changed = session.outputOf('-X PATCH')
    const read = JSON.parse(changed.slice(changed.lastIndexOf('{"id":' + made[0]!.id)))
    expect(read).toMatchObject({ id: made[0]!.id, price: 4500, status_id: 142 })
    expect(read._embedded.tags.map(({ name }: { name: string }) => name)).toEqual([
      'web',
      'bakery',
      'urgent',
    ])
  })

  test('the walk meets every lead once', () => {
    const walked = session.outputOf('_links.next').trim().split('\n')
    expect(walked).toHaveLength(42)
    expect(new Set(walked).size).toBe(42)
  })

  test('the log tells the changes', () => {
    const types = session
      .outputOf('/api/v4/events')
      .split('\n')
      .map((line) => line.split('  ')[0])
    expect(types).toEqual(
      expect.arrayContaining([
        'sale_field_changed',
        'lead_status_changed',
        'entity_tag_added',
        'lead_added',
      ]),
    )
  })

  test('a field is filled and found by, links come and go, a note is pinned, three are made at once, and a pipeline', () => {
    const found = session.outputOf('"type": "numeric"')
    expect(found).toMatch(/\[ \[ \d+, 'Bakery website' \] \]/)
    const linked = session.outputOf('/unlink')
    expect(linked).toContain('metadata: { main_contact: true }')
    expect(session.outputOf('/pin')).toContain("[ 'Wants it before Christmas', true ]")
    const [complex] = JSON.parse(session.outputOf('/leads/complex'))
    expect(complex).toEqual({
      id: expect.any(Number),
      contact_id: expect.any(Number),
      company_id: expect.any(Number),
      request_id: ['0'],
      merged: false,
    })
    expect(JSON.parse(session.outputOf('"Wholesale"'))._embedded.leads).toHaveLength(1)
  })

  test('a lead has its closest task, and a task its result', () => {
    const shown = session.outputOf('Send the offer').trim()
    expect(shown).toMatch(/^\d{10}\n.*Twelve, all in white$/s)
  })

  test('a product is on a lead, and a customer moves with its purchase and is in a segment', () => {
    expect(session.outputOf('"Ceiling lamp"')).toContain('metadata: { quantity: 12, catalog_id:')
    const lines = session.outputOf('"Bakery supplies\\"').trim().split('\n')
    expect(lines).toEqual(['Purchase expected', 'Recently purchased', '720'])
    expect(session.outputOf('"name": "Bakeries"')).toContain("[ 'Bakeries', 1 ]")
  })

  test.for(cookbook.map((chapter) => [chapter.title, chapter] as const))(
    'the cookbook finds something: %s',
    ([, chapter]) => {
      const lines = session
        .outputOf(chapterInMarkdown(chapter).split('```sh\n')[1]!.split('```')[0]!)
        .trimEnd()
        .split('\n')
      const found = lines.filter((line) => /^[1-9]\d*: \d+ /.test(line))
      expect(found).toHaveLength(chapter.recipes.length)
    },
  )

  test('a wrong filter is refused as the README shows', () => {
    expect(JSON.parse(session.outputOf(refused.query))).toEqual(refused.answer)
  })
})

test('the table of settings is the one of server/config.ts', () => {
  const source = readFileSync(path.join(root, 'server/config.ts'), 'utf8')
  const settings = [...source.matchAll(/\(`([A-Z\d_]+)`(?:, ([\w./ -]+))?/g)].map(
    ([, name, preset]) => ({ name, preset }),
  )
  const rows = [...readme.matchAll(/^\| `([A-Z\d_]+)` \| (.*?) ?\|/gm)].map(([, name, preset]) => ({
    name,
    preset,
  }))
  expect(rows.map(({ name }) => name)).toEqual(settings.map(({ name }) => name))
  for (const { name, preset } of settings) {
    if (preset) expect(rows).toContainEqual({ name, preset })
  }
})

interface Pair {
  access_token: string
  refresh_token: string
}

interface Session {
  status: number | null
  errors: string
  /** The output of each block. */
  outputs: string[]
  /** The output of the block with this text. */
  outputOf(text: string): string
  /** The values of TOKENS, one per block. */
  tokens: string[]
}

/** Runs the blocks in one bash that stops at the first failure. */
function run(at: string, environment: NodeJS.ProcessEnv): Session {
  const mark = '=== end of a block ==='
  const tell = `printf '\\n%s\\n%s\\n' '${mark}' "\${TOKENS-}"`
  const script = blocks
    .map((block) => `${block}\n${tell}\n`)
    .join('')
    .replaceAll(address, at)
  const { status, stdout, stderr } = spawnSync('bash', ['-s'], {
    cwd: root,
    env: environment,
    input: `set -euo pipefail\n${script}`,
    encoding: 'utf8',
    timeout: stretched(240_000),
  })
  // The pattern has a group, so outputs alternate with the tokens after them.
  const parts = stdout.split(new RegExp(`\\n${mark}\\n(.*)\\n`))
  const outputs = parts.filter((_, place) => place % 2 === 0).slice(0, -1)
  const tokens = parts.filter((text, place) => place % 2 === 1 && text !== '')
  return {
    status,
    errors: stderr,
    outputs,
    outputOf: (text) => outputs[blocks.findIndex((block) => block.includes(text))]!,
    tokens: [...new Set(tokens)],
  }
}

/** A new user's environment: none of the variables that configure Kontor, tests or npm. */
function clean(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR']
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}
