// Pastes every document: its shell blocks, one after the other in one bash, beside a Kontor that was started for the first time. All
// documents share the server. A request that is refused fails its block. A new document, or a new block, is pasted without a change here.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { chapterInMarkdown } from '../../docs/guides/filter-cookbook.ts'
import { program } from '../../server/commands/program.ts'
import { cookbook, refused } from '../../server/features/programs/developers/cookbook.ts'
import { newHome } from '../kontor.ts'
import type { Home, Running } from '../kontor.ts'
import { freePort } from '../port.ts'
import { filesOf } from '../repository.ts'
import { stretched } from '../slow.ts'
import { blocksOf, commandFaults } from './blocks.ts'
import type { Block } from './blocks.ts'

const root = path.join(import.meta.dirname, '../..')

interface Exception {
  document: string
  /** A text that the block contains. */
  contains: string
  why: string
  /** What runs in place of the block, where the blocks after it need what it does. */
  instead?: string
}

/** Blocks that cannot be pasted into a test. They are only parsed. */
const notPasted: Exception[] = [
  { document: 'README.md', contains: 'npm ci', why: 'installs and starts' },
  {
    document: 'docs/guides/chats.md',
    contains: 'node examples/channel.mjs',
    why: 'waits for a line that the reader types',
    instead: `mkfifo "$SCRATCH/typed"
node examples/channel.mjs < "$SCRATCH/typed" > "$SCRATCH/channel" &
exec 3> "$SCRATCH/typed"
until grep -q Connected "$SCRATCH/channel"; do sleep 0.1; done
echo 'Is the lamp in stock?' >&3
until grep -q '^> ' "$SCRATCH/channel"; do sleep 0.1; done`,
  },
  { document: 'docs/guides/monitoring.md', contains: 'npm start', why: 'starts a server' },
  { document: 'docs/guides/reverse-proxy.md', contains: 'npm start', why: 'starts a server' },
  {
    document: 'docs/guides/reverse-proxy.md',
    contains: 'https://crm.example.com/',
    why: 'asks a domain behind a proxy',
  },
  { document: 'docs/guides/service.md', contains: 'sudo', why: 'sets the machine up as root' },
  { document: 'docs/guides/service.md', contains: 'journalctl', why: 'reads the journal' },
  {
    document: 'docs/guides/service.md',
    contains: 'kontor account create',
    why: 'is for an empty server under systemd',
  },
  { document: 'docs/guides/settings.md', contains: 'npm start', why: 'starts a server' },
]

const documents = filesOf(root)
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const text = readFileSync(path.join(root, name), 'utf8')
    return { name, text, blocks: blocksOf(text) }
  })

/** The lists of the first session count records, so it is pasted before the others. */
const firstSession = existsSync(path.join(root, 'docs/guides/first-session.md'))
  ? 'docs/guides/first-session.md'
  : 'README.md'
const pasted = documents
  .filter(({ name, blocks }) => blocks.some((block) => exceptionFor(name, block) === undefined))
  .toSorted((one, other) => Number(other.name === firstSession) - Number(one.name === firstSession))

// Such a block would change this very folder, or never end.
const daring = pasted.flatMap(({ name, blocks }) =>
  blocks
    .filter((block) =>
      /\b(?:npm (?:ci|i|install|start|test|run)|sudo|systemctl)\b/.test(block.text),
    )
    .filter((block) => exceptionFor(name, block) === undefined)
    .map(({ line }) => `${name}:${line}`),
)
if (daring.length > 0)
  throw new Error(`these blocks need a row in the table of what is not pasted: ${daring.join()}`)

const hasTools = ['bash', 'curl', 'node', 'openssl'].every(
  (tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status === 0,
)

// Kontor promises to need only Node.js and npm. So this runs only on CI, or if the tools of the
// documents are installed.
describe.runIf(hasTools || process.env['CI'])('pasted beside a server', () => {
  let home: Home
  let running: Running
  const sessions = new Map<string, Session>()
  const session = () => sessions.get(firstSession)!

  beforeAll(async () => {
    const port = await freePort()
    home = await newHome({ PORT: String(port) })
    running = await home.start()
    for (const { name, blocks } of pasted) sessions.set(name, await paste(name, blocks, port))
  }, stretched(360_000))

  afterAll(() => home.close())

  test('the first start prints what is shown', () => {
    const shown = documents.flatMap(({ text }) =>
      [...text.matchAll(/^```text\n(Kontor is ready .*?)^```/gms)].map(([, lines]) => lines!),
    )
    expect(shown).not.toEqual([])
    const printed = running
      .said()
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080')
      .split('\n')
    for (const line of shown.flatMap((each) => each.split('\n').filter(Boolean))) {
      const [start = '', end = ''] = line.split('…')
      const isThere = printed.some((each) =>
        line.includes('…') ? each.startsWith(start) && each.endsWith(end) : each === line,
      )
      expect(isThere, `"${line}" in:\n${printed.join('\n')}`).toBe(true)
    }
  })

  test.for(pasted)('$name', ({ name, blocks }) => {
    const { status, errors, outputs } = sessions.get(name)!
    const stopped = blocks[outputs.length]
    expect(status, `${name}:${stopped?.line}\n${stopped?.text}\n${errors}`).toBe(0)
    expect(outputs).toHaveLength(blocks.length)
  })

  test('a code becomes tokens, and a refresh a new pair', () => {
    const pairs = session().tokens.map((text) => JSON.parse(text) as Pair)
    expect(pairs).toHaveLength(2)
    for (const pair of pairs)
      expect(pair).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 })
    expect(pairs[0]!.access_token).not.toBe(pairs[1]!.access_token)
    expect(pairs[0]!.refresh_token).not.toBe(pairs[1]!.refresh_token)
    expect(session().outputOf('refresh_token')).toBe('Demo\n')
  })

  test('leads are created, listed and changed', () => {
    const made = JSON.parse(session().outputOf('"request_id": "mine"'))._embedded.leads as {
      id: number
      request_id: string
    }[]
    expect(made.map(({ request_id }) => request_id)).toEqual(['0', 'mine'])
    const listed = session().outputOf('filter[price][from]').trim().split('\n')
    expect(listed).toHaveLength(5)
    expect(listed[0]).toBe(`${made[0]!.id}  Bakery website  4200`)
    const changed = session().outputOf('-X PATCH')
    const read = JSON.parse(changed.slice(changed.lastIndexOf('{"id":' + made[0]!.id)))
    expect(read).toMatchObject({ id: made[0]!.id, price: 4500, status_id: 142 })
    expect(read._embedded.tags.map(({ name }: { name: string }) => name)).toEqual([
      'web',
      'bakery',
      'urgent',
    ])
  })

  test('the walk meets every lead once', () => {
    const walked = session().outputOf('_links.next').trim().split('\n')
    expect(walked).toHaveLength(42)
    expect(new Set(walked).size).toBe(42)
  })

  test('the log tells the changes', () => {
    const types = session()
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
    const found = session().outputOf('"type": "numeric"')
    expect(found).toMatch(/\[ \[ \d+, 'Bakery website' \] \]/)
    const linked = session().outputOf('/unlink')
    expect(linked).toContain('metadata: { main_contact: true }')
    expect(session().outputOf('/pin')).toContain("[ 'Wants it before Christmas', true ]")
    const [complex] = JSON.parse(session().outputOf('/leads/complex'))
    expect(complex).toEqual({
      id: expect.any(Number),
      contact_id: expect.any(Number),
      company_id: expect.any(Number),
      request_id: ['0'],
      merged: false,
    })
    expect(JSON.parse(session().outputOf('"Wholesale"'))._embedded.leads).toHaveLength(1)
  })

  test('a lead has its closest task, and a task its result', () => {
    const shown = session().outputOf('Send the offer').trim()
    expect(shown).toMatch(/^\d{10}\n.*Twelve, all in white$/s)
  })

  test('a product is on a lead, and a customer moves with its purchase and is in a segment', () => {
    expect(session().outputOf('"Ceiling lamp"')).toContain('metadata: { quantity: 12, catalog_id:')
    const lines = session().outputOf('"Bakery supplies\\"').trim().split('\n')
    expect(lines).toEqual(['Purchase expected', 'Recently purchased', '720'])
    expect(session().outputOf('"name": "Bakeries"')).toContain("[ 'Bakeries', 1 ]")
  })

  test.for(cookbook)('the cookbook finds something: $title', (chapter) => {
    const [block] = blocksOf(chapterInMarkdown(chapter))
    const lines = sessions
      .get('docs/guides/filter-cookbook.md')!
      .outputOf(block!.text)
      .trimEnd()
      .split('\n')
    const found = lines.filter((line) => /^[1-9]\d*: \d+ /.test(line))
    expect(found, lines.join('\n')).toHaveLength(chapter.recipes.length)
  })

  test('a wrong filter is refused as the cookbook shows', () => {
    const answer = sessions.get('docs/guides/filter-cookbook.md')!.outputOf(refused.query)
    expect(JSON.parse(answer)).toEqual(refused.answer)
  })

  /** Runs the blocks of a document in one bash that stops at the first failure. */
  async function paste(document: string, blocks: readonly Block[], port: number): Promise<Session> {
    const hookPort = await freePort()
    const mark = '=== end of a block ==='
    const script = blocks
      .map((block) => {
        const exception = exceptionFor(document, block)
        const text = exception ? (exception.instead ?? ':') : block.text
        const run = block.isRefused
          ? `if ( ${text} ); then echo 'This was not refused.' >&2; exit 1; fi`
          : text
        return `${run}\nprintf '\\n%s\\n%s\\n' '${mark}' "\${TOKENS-}"\n`
      })
      .join('')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8090', `127.0.0.1:${hookPort}`)
    const child = spawn('bash', ['-c', `${before}\n${script}`], {
      cwd: root,
      env: {
        ...clean(),
        KONTOR_DATA: home.data,
        PORT: String(port),
        HOOK_PORT: String(hookPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [said, errors] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
    // The pattern has a group, so outputs alternate with the tokens after them.
    const parts = said.split(new RegExp(`\\n${mark}\\n(.*)\\n`))
    const outputs = parts.filter((_, index) => index % 2 === 0).slice(0, -1)
    const tokens = parts.filter((text, index) => index % 2 === 1 && text !== '')
    return {
      status,
      errors: `${errors}\n${parts.at(-1)}`,
      outputs,
      outputOf: (text) => outputs[blocks.findIndex((block) => block.text.includes(text))] ?? '',
      tokens: [...new Set(tokens)],
    }
  }
})

describe('what is not pasted', () => {
  test.for(notPasted)('$document: $contains', ({ document, contains }) => {
    const blocks = documents
      .find(({ name }) => name === document)
      ?.blocks.filter(({ text }) => text.includes(contains))
    expect(blocks ?? [], 'no block contains this any more').not.toEqual([])
    for (const { text } of blocks!) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
      expect(status, `${text}\n${stderr}`).toBe(0)
    }
  })
})

test('every command that a document names exists, with its options', () => {
  const faults = documents.flatMap(({ name, text }) =>
    commandFaults(text, program).map((fault) => `${name}: ${fault}`),
  )
  expect(faults).toEqual([])
})

test('a wrong command and a wrong option are noticed, in code only', () => {
  const text = `kontor is here. \`bin/kontor tokens\`, \`kontor webhook
replay --untl 1\`, \`sudo -u kontor ls\`, \`bin/kontor token --days 1\`
\`\`\`sh
A=$(bin/kontor user make x | cat --json) # --no-option
\`\`\``
  expect(commandFaults(text, program)).toEqual([
    '"kontor tokens": there is no command "tokens"',
    '"kontor webhook replay --untl 1": there is no option --untl',
    '"kontor user make x": there is no command "make"',
  ])
})

test('every script that a document names is one of package.json', () => {
  const unknown = documents.flatMap(({ name, text }) =>
    [...text.matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)]
      .filter(([, script]) => !Object.hasOwn(manifest.scripts, script!))
      .map(([words]) => `${name}: ${words}`),
  )
  expect(unknown).toEqual([])
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

/** A refused request fails its block; what a block leaves running ends with the session. */
const before = `set -euo pipefail
SCRATCH=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$SCRATCH"' EXIT
curl() { command curl --fail-with-body "$@"; }`

function exceptionFor(document: string, { text }: Block): Exception | undefined {
  return notPasted.find((each) => each.document === document && text.includes(each.contains))
}

/** A new user's environment: none of the variables that configure Kontor, tests or npm. */
function clean(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR']
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}
