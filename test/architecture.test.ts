// The rules of ARCHITECTURE.md that a program can check, read from the source texts. Each rule
// names the files that break it. `debts` lists the known exceptions with their reasons and
// remedies. A debt that is paid must leave the table.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { importsIn } from './imports.ts'
import type { Import } from './imports.ts'
import { filesOf } from './repository.ts'

const debts: Record<string, string> = {
  'database/cluster.ts reads process.env':
    'what the programs of PostgreSQL see of the environment; config.ts could hand it over',
}

/**
 * The tests that pause, with the reason. Any other waits until something has come, moves a clock that it
 * passes in, or proves that nothing came by a later event that did come (test/moments.ts).
 */
const pausing: Record<string, string> = {
  'server/changes/follow.test.ts': 'parts writers by random times',
  'server/database/embedded.test.ts': 'a query runs until the end of its server interrupts it',
  'server/features/activity/files/files.test.ts': 'sources are slow on purpose',
  'server/features/conversations/messages/outgoing/queue.test.ts':
    'parts transactions by random times',
  'test/browser/chromium.ts': 'slows pages down, now more, now less, as SLOW_PAGES asks',
  'test/crash/chat-load.ts': 'clients and receivers take random times',
  'test/crash/chats.test.ts': 'kills at a random moment',
  'test/crash/crash.test.ts': 'kills at a random moment, or in a commit that takes long',
  'test/crash/webhooks.test.ts': 'kills at a random moment',
  'test/hostile/bad-client.ts': 'a client keeps its pace',
  'test/hostile/hostile.test.ts': 'a reader keeps its pace, and lets the attack begin first',
  'test/moments.ts': 'gives the pauses their names',
  'test/mutate/copies.ts': 'ends a run that takes too long',
  'test/receiver.ts': 'a receiver is slow on purpose',
  'test/server.ts': 'answers to browsers come late, as SLOW_ANSWERS asks',
  'test/steady/main.ts': 'ends a run that takes too long',
}

/** Names that a file of server/ and one of web/ export. Each has one meaning in both. */
const inBoth: Record<string, readonly string[]> = {
  'a shape of the interface, and what the browser gets of it': [
    'ApiKey',
    'BegunFactor',
    'BulkAction',
    'Channel',
    'ChannelCall',
    'ChannelSignature',
    'Code',
    'Delivery',
    'DeliveryWithBody',
    'EventName',
    'Fault',
    'FeedItem',
    'FeedPage',
    'Field',
    'Grant',
    'Integration',
    'IntegrationCall',
    'Job',
    'JobType',
    'Language',
    'ListedIntegration',
    'Note',
    'Notification',
    'Pipeline',
    'Problem',
    'Proof',
    'ResetLink',
    'Row',
    'Segment',
    'Session',
    'ShownChannel',
    'Tag',
    'Task',
    'Token',
    'TriedAnswer',
    'View',
    'ViewedScreen',
    'Webhook',
  ],
  'a verb, and what asks the server for it': [
    'archivePipeline',
    'beginFactor',
    'cancelJob',
    'changeChannel',
    'changeIntegration',
    'changePipeline',
    'changeProfile',
    'changeRole',
    'changeStage',
    'changeUser',
    'changeView',
    'changeWebhook',
    'confirmFactor',
    'copyPipeline',
    'createApiKey',
    'createChannel',
    'createGroup',
    'createIntegration',
    'createPipeline',
    'createSegment',
    'deleteApiKey',
    'deleteChannel',
    'deleteGroup',
    'deleteIntegration',
    'deletePipeline',
    'deleteRole',
    'deleteView',
    'disableIntegration',
    'enableIntegration',
    'endSignatures',
    'handOver',
    'letManagePeople',
    'linkItem',
    'mergeRecords',
    'moveStage',
    'readNotifications',
    'readSecret',
    'pinView',
    'removeSecondFactor',
    'renameGroup',
    'renewChannelSecret',
    'renewInvitation',
    'replayDelivery',
    'restoreRecord',
    'revokeGrant',
    'rotateSecret',
    'startChat',
    'subscribe',
    'testWebhook',
    'undoJob',
    'undoMerge',
    'unsubscribe',
  ],
  'a list or a number that both know; web/ takes nothing but types from the server': [
    'actions',
    'addressParts',
    'fieldKey',
    'isClosed',
    'lost',
    'mostInvalid',
    'recordTypes',
    'scopes',
    'segmentColors',
    'tagColors',
    'won',
  ],
}

/**
 * Small files that every folder may import: settings, secrets, entity types, and the types of the
 * process.
 */
const words = ['config.ts', 'secrets.ts', 'signing.ts', 'entity-types.ts', 'kontor.ts']

/** The folders that a folder may import. Files directly in server/ are listed one by one. */
const mayUse: Record<string, string[]> = {
  'cli.ts': ['commands', ...words],
  commands: [
    'open.ts',
    'outgoing',
    'main.ts',
    'entities.ts',
    'web',
    'features',
    'access',
    'http',
    'database',
    ...words,
  ],
  'open.ts': ['outgoing', 'changes', 'database', ...words],
  'main.ts': ['open.ts', 'app.ts', 'work.ts', ...words],
  'app.ts': ['work.ts', 'entities.ts', 'features', 'access', 'http', 'web', ...words],
  'work.ts': ['entities.ts', 'features', 'records', 'access', 'changes', ...words],
  'entities.ts': ['features', 'changes'],
  web: ['features', 'access', 'http', ...words],
  features: ['pages', 'records', 'outgoing', 'access', 'changes', 'http', 'database', ...words],
  // The frame of the pages that features write; the pages stand beside their verbs.
  pages: ['http', ...words],
  records: ['access', 'changes', 'http', 'database', ...words],
  changes: ['access', 'http', 'database', ...words],
  access: ['http', 'database', ...words],
  // Requests to addresses that others have written: their door, and the sender.
  outgoing: ['changes', 'http', 'database', ...words],
  http: ['database', ...words],
  database: words,
  'kontor.ts': ['outgoing', 'http', 'changes', 'database', ...words],
  'signing.ts': ['database', ...words],
  'entity-types.ts': [],
  'secrets.ts': words,
  'config.ts': [],
}

/** The wards of features/ with their nouns, the highest first, as ARCHITECTURE.md shows them. */
const wards = new Map(
  [
    ...readFileSync(path.join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8')
      .split('```')[1]!
      .matchAll(/^ {2}([a-z]+)\/[^:]*:((?:\s+[a-z-]+)+)$/gm),
  ].map(([, ward, nouns]) => [ward!, nouns!.trim().split(/\s+/)]),
)

/** The most files that a command loads, and the commands that may load more, with the reason. */
const mostLoaded = 90
const mayLoadMore: Record<string, string> = {
  'commands/messages.ts': 'writes a message into its chat, for its contact and with its files',
  'commands/start.ts': 'serves',
}

interface File {
  /** The path below server/. */
  name: string
  text: string
  imports: Import[]
}

const server = path.join(import.meta.dirname, '../server')
const files: File[] = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .toSorted()
  .map((name) => {
    const text = readFileSync(path.join(server, name), 'utf8')
    return { name, text, imports: importsIn(name, text) }
  })

test('the scanner sees every form of import', () => {
  const text = `import pg from 'pg'
import type { A } from './a.ts'
import {
  type B,
  type C,
} from '../tags/tags.ts'
import d, { type E } from 'node:net'
import '../../../main.ts'
export { f } from './f.ts'
const g = await import('./g.ts')`
  const imports = importsIn('features/records/leads/leads.ts', text)
  expect(imports.filter(({ isCall }) => isCall).map(({ to }) => to)).toEqual([
    'features/records/leads/g.ts',
  ])
  expect(imports.map(({ to, isType }) => (isType ? `type ${to}` : to))).toEqual([
    'pg',
    'type features/records/leads/a.ts',
    'type features/records/tags/tags.ts',
    'node:net',
    'main.ts',
    'features/records/leads/f.ts',
    'features/records/leads/g.ts',
  ])
})

describe('imports', () => {
  test('go one way: features, records, access and changes, database', () => {
    breaks(({ name, imports }) =>
      inside(imports)
        .filter(({ to }) => room(name) !== room(to) && !mayUse[room(name)]?.includes(room(to)))
        .map(({ to }) => `uses ${to}`),
    )
  })

  test('look into a feature only through <noun>.ts and schema.ts; app.ts mounts the routes, commands and work.ts name the verbs', () => {
    breaks(({ name, imports }) =>
      inside(imports)
        .filter(
          ({ to }) =>
            room(to) === 'features' &&
            feature(to) !== feature(name) &&
            !isDoor(to) &&
            !isMount(name, to) &&
            !namesVerb(name, to),
        )
        .map(({ to }) => `looks into ${to}`),
    )
  })

  test('of features go down the wards', () => {
    breaks(({ name, imports }) =>
      inside(imports)
        .filter(
          ({ to }) =>
            room(name) === 'features' && room(to) === 'features' && depthOf(to) < depthOf(name),
        )
        .map(({ to }) => `uses ${to}`),
    )
  })

  test('of what works beside requests stand in work.ts, which lists it all', () => {
    const work = files.find(({ name }) => name === 'work.ts')!
    const listed = work.imports.map(({ to }) => to)
    const workers = files
      .filter(
        ({ name, text, imports }) =>
          !/^(?:changes|outgoing)\//.test(name) &&
          (/\b(?:workInBackground|startSending)\(/.test(text) ||
            (/(?<!function )\bfollow\(/.test(text) &&
              imports.some(({ to }) => to === 'changes/follow.ts'))),
      )
      .map(({ name }) => name)
    expect(workers).toContain('features/programs/webhooks/deliveries/deliveries.ts')
    expect(workers.length).toBeGreaterThan(7)
    expect(workers.filter((name) => !listed.includes(name))).toEqual([])
    const started = [...work.text.matchAll(/\b(\w+)\((?:app, )?kontor\b/g)].map(([, name]) => name!)
    expect(started.length).toBeGreaterThan(10)
    const starts = new RegExp(`(?<!function )\\b(?:${started.join('|')})\\((?:app, )?kontor\\b`)
    breaks(({ name, text }) => (name !== 'work.ts' && starts.test(text) ? ['starts work'] : []))
  })

  test('stay without circles', () => {
    expect(circles()).toEqual([])
  })

  test('of commands, open.ts and main.ts are the command line’s alone', () => {
    breaks(({ name, imports }) =>
      inside(imports)
        .filter(
          ({ to }) =>
            ['commands', 'open.ts', 'main.ts'].includes(room(to)) &&
            !['cli.ts', 'commands', 'main.ts'].includes(room(name)),
        )
        .map(({ to }) => `uses ${to}`),
    )
  })

  test('of a command load neither the HTTP application nor more than it needs', () => {
    const commands = files.filter(({ name }) => room(name) === 'commands')
    const loads = (name: string) => loadedBy('cli.ts', 'open.ts', 'database/embedded.ts', name)
    const serving = commands.filter(({ name }) =>
      loads(name).some((each) => each === 'fastify' || each.endsWith('/routes.ts')),
    )
    expect(serving.map(({ name }) => name)).toEqual(['commands/start.ts'])
    const large = commands.filter(
      ({ name }) => loads(name).filter((each) => each.endsWith('.ts')).length > mostLoaded,
    )
    expect(large.map(({ name }) => name)).toEqual(Object.keys(mayLoadMore))
    // The words of the commands, for `kontor --help`, need no database.
    expect(loadedBy('cli.ts')).not.toContain('pg')
  })

  test('in kontor.ts are types only, so that sharing it binds nobody', () => {
    const shared = files.find(({ name }) => name === 'kontor.ts')!
    expect(shared.imports.filter(({ isType }) => !isType)).toEqual([])
  })

  test('name no package that only development installs', () => {
    const installed = Object.keys(manifest.dependencies)
    breaks(({ imports }) =>
      imports
        .filter(({ to, isType }) => !isType && isPackage(to) && !installed.includes(packageOf(to)))
        .map(({ to }) => `imports the package ${to}`),
    )
  })
})

describe('files', () => {
  test('of features lie in a folder per noun, in the wards of the picture', () => {
    const folders = new Map<string, Set<string>>()
    for (const { name } of files.filter((file) => room(file.name) === 'features')) {
      const [, ward, noun] = name.split('/')
      folders.set(ward!, (folders.get(ward!) ?? new Set()).add(noun!))
    }
    const drawn = [...wards].map(([ward, nouns]) => [ward, nouns] as const)
    expect(new Map([...folders].map(([ward, nouns]) => [ward, [...nouns].toSorted()]))).toEqual(
      new Map(drawn),
    )
    const nouns = drawn.flatMap(([, some]) => some)
    expect(nouns.length).toBeGreaterThan(50)
    expect(new Set(nouns).size).toBe(nouns.length)
  })

  test('of the ward of the application answer nothing of the public interface', () => {
    breaks(({ name, text }) =>
      name.startsWith('features/application/') && /['`]\/api\/v\d/.test(text) ? ['does'] : [],
    )
  })

  test('no barrels: no index file, and no file that only passes others on', () => {
    breaks(({ name, text }) => [
      ...(/(?:^|\/)index\.ts$/.test(name) ? ['is an index file'] : []),
      ...(/^export \*/m.test(text) ? ['passes another file on'] : []),
    ])
  })

  test('no class as a default export', () => {
    breaks(({ text }) =>
      /export default (?:abstract )?class/.test(text) ? ['exports a class as its default'] : [],
    )
  })

  test('the demo alone writes into the past: elsewhere, whoever asks for changes would miss them', () => {
    const writing = files.filter(({ text }) => /\bearlier\b[^';]*from '.*connect\.ts'/.test(text))
    expect(writing.map(({ name }) => name)).toEqual([
      'features/application/demo/demo-year.ts',
      'features/application/demo/demo.ts',
    ])
  })

  test('settings are read in config.ts; nobody else looks at the environment but cli.ts', () => {
    breaks(({ name, text }) =>
      /process\.env\b/.test(text) && !['config.ts', 'cli.ts'].includes(name)
        ? ['reads process.env']
        : [],
    )
  })
})

describe('names', () => {
  const inServer = exportedBy(files)
  const inWeb = exportedBy(
    filesOf(path.join(server, '..'))
      .filter((name) => /^web\/.*\.tsx?$/.test(name))
      .map((name) => ({ name, text: readFileSync(path.join(server, '..', name), 'utf8') })),
  )
  const twice = (exported: Map<string, string[]>) =>
    [...exported].filter(([, names]) => names.length > 1)

  test('the scanner sees every form of export', () => {
    const text = `export const a = 1
export async function b() {}
export function* c() {}
export interface D {}
export type E = string
export class F {}
export const [g, h] = pair
export const { i: I, j } = others
const k = 1`
    expect(exportsIn(text)).toEqual(['a', 'b', 'c', 'D', 'E', 'F', 'g', 'h', 'I', 'j'])
    expect(inServer.size).toBeGreaterThan(500)
    expect(inWeb.size).toBeGreaterThan(500)
  })

  test('no exported name stands in two files of the server, or of the web application', () => {
    expect(twice(inServer)).toEqual([])
    expect(twice(inWeb)).toEqual([])
  })

  test('a name that both export has one meaning', () => {
    const both = [...inWeb.keys()].filter((name) => inServer.has(name))
    expect(both.toSorted()).toEqual(Object.values(inBoth).flat().toSorted())
  })
})

describe('decisions', () => {
  const folder = path.join(import.meta.dirname, '../docs/decisions')
  const pages = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .toSorted()

  test('are numbered without gaps', () => {
    expect(pages.map((page) => page.slice(0, 5))).toEqual(
      pages.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
    )
  })
})

test('a test pauses only where the table says why', () => {
  const root = path.join(import.meta.dirname, '..')
  const tests = filesOf(root).filter((name) =>
    /^(?:server|bin|docs)\/.*\.test\.ts$|^test\/.*\.ts$/.test(name),
  )
  expect(tests.length).toBeGreaterThan(300)
  const pause =
    /timers\/promises|(?:setTimeout|waitForTimeout|pg_sleep|slowly|atSomeMoment)\(|promisify\(setTimeout/
  const found = tests.filter((name) => pause.test(readFileSync(path.join(root, name), 'utf8')))
  expect(found).toEqual(Object.keys(pausing))
})

test('a test presses keys in an element that it names', () => {
  const root = path.join(import.meta.dirname, '..')
  const tests = filesOf(root).filter((name) => /^test\/.*\.ts$/.test(name))
  const raw = /\bkeyboard\.\w+\(|\.(?:press|pressSequentially)\(/
  const found = tests.filter((name) => raw.test(readFileSync(path.join(root, name), 'utf8')))
  expect(found).toEqual(['test/browser/keys.ts'])
})

test('a test polls what a page shows', () => {
  // A page draws when it can. A test that reads at once finds what a fast machine has drawn by then, but not the focus
  // that `autofocus` gives with the first picture, nor a name that comes with a later answer.
  const root = path.join(import.meta.dirname, '..')
  const reading =
    'allInnerTexts|allTextContents|count|getAttribute|innerText|inputValue|is(?:Checked|Disabled|Enabled|Hidden|Visible)|textContent'
  const atOnce = new RegExp(
    String.raw`expect\(\s*await (?:[^;]{0,60}\bactiveElement\b|focused\(|[^;=]*?\.(?:${reading})\()`,
  )
  for (const planted of [
    "expect(await page.evaluate('document.activeElement.id')).toBe('a')",
    'expect(await focused(page)).toBe(1)',
    "expect(\n  await row.getByRole('cell').allTextContents(),\n).toEqual([])",
  ])
    expect(atOnce.test(planted)).toBe(true)
  const found = filesOf(root)
    .filter((name) => name.startsWith('test/browser/') && name.endsWith('.ts'))
    .filter((name) => atOnce.test(readFileSync(path.join(root, name), 'utf8')))
  expect(found).toEqual([])
})

test('rows of a request that are joined to a table are inserted in a named order', () => {
  // PostgreSQL draws the ids in the order in which the join finds the rows, which is any.
  const insertion = /insert into \w+\s*\([^`]*?(?=`|\breturning\b|\bon conflict\b)/g
  const given = /json_to_recordset|unnest\(/
  const isLoose = (statement: string) =>
    given.test(statement) && /\bjoin \w/.test(statement) && !/\border by\b/.test(statement)
  const loose = (text: string) => [...text.matchAll(insertion)].filter(([each]) => isLoose(each))
  const planted = 'insert into t (a) select a from unnest($1::int[]) n join u on u.id = n`'
  expect([loose(planted).length, loose(planted.replace('`', ' order by n`')).length]).toEqual([
    1, 0,
  ])
  breaks(({ text }) => (loose(text).length > 0 ? ['inserts joined rows in any order'] : []))
})

test('one door decides which addresses requests to others may reach', () => {
  const deciding: Record<string, RegExp> = {
    'reads the permission for private addresses': /\bprivateHooks\b|ALLOW_PRIVATE_HOOKS['"]\]/,
    'makes a permit of its own': /\bnewPermit\(/,
    'judges an address without a permit': /import \{[^}]*\bisRefused\b/,
  }
  const mayDecide = ['outgoing/door.ts', 'outgoing/guarded.ts', 'config.ts', 'commands/doctor.ts']
  breaks(({ name, text }) =>
    mayDecide.includes(name)
      ? []
      : Object.keys(deciding).filter((deed) => deciding[deed]!.test(text)),
  )
  const calling =
    /import (?:https?|tls|\{[^}]*\b(?:request|connect|createConnection|get)\b[^}]*\}) from 'node:(?:https?|net|tls|http2)'|node-http\.ts'|[^.\w]fetch\(/
  const callers = files.filter(({ text }) => calling.test(text)).map(({ name }) => name)
  expect(callers).toEqual([
    // Looks whether something answers at its own port.
    'commands/listening.ts',
    // These two read names of methods and statuses.
    'http/problem.ts',
    'http/protocol.ts',
    'outgoing/attempt.ts',
    'outgoing/connections.ts',
    'outgoing/download.ts',
    'outgoing/guarded.ts',
  ])
})

test('every debt is still owed', () => {
  expect(Object.keys(debts).filter((debt) => !owed.has(debt))).toEqual([])
})

/** The debts that some rule has met. */
const owed = new Set<string>()

/** Expects that no file breaks a rule. `rule` answers how a file breaks it, in words. */
function breaks(rule: (file: File) => string[]): void {
  const found = files.flatMap((file) => rule(file).map((fault) => `${file.name} ${fault}`))
  for (const fault of found) if (debts[fault]) owed.add(fault)
  expect([...new Set(found)].filter((fault) => !debts[fault])).toEqual([])
}

/** The files that export each name. */
function exportedBy(some: readonly Pick<File, 'name' | 'text'>[]): Map<string, string[]> {
  const exported = new Map<string, string[]>()
  for (const { name, text } of some)
    for (const each of exportsIn(text)) exported.set(each, [...(exported.get(each) ?? []), name])
  return exported
}

/** The exported names of a text. A type and a value with one name count once. */
function exportsIn(text: string): string[] {
  const single = text.matchAll(
    /^export (?:async )?(?:const|let|function\*?|interface|type|class) (\w+)/gm,
  )
  const several = text.matchAll(/^export const [[{]([^\]}]*)[\]}]/gm)
  return [
    ...new Set([
      ...[...single].map(([, name]) => name!),
      ...[...several].flatMap(([, names]) =>
        [...names!.matchAll(/(\w+)\s*(?=,|$)/g)].map(([, name]) => name!),
      ),
    ]),
  ]
}

function inside(imports: Import[]): Import[] {
  return imports.filter(({ to }) => to.endsWith('.ts') && !to.startsWith('..'))
}

function isPackage(to: string): boolean {
  return !to.startsWith('node:') && !to.startsWith('.') && !/\.(?:ts|json)$/.test(to)
}

function packageOf(to: string): string {
  return to.split('/', to.startsWith('@') ? 2 : 1).join('/')
}

function room(name: string): string {
  return name.split('/', 1)[0]!
}

function feature(name: string): string | undefined {
  return room(name) === 'features' ? name.split('/')[2] : undefined
}

/** How low the ward of a feature lies, 0 the highest. */
function depthOf(name: string): number {
  return [...wards.keys()].indexOf(name.split('/')[1]!)
}

/** The file named like its folder, or schema.ts: the files that other features may import. */
function isDoor(name: string): boolean {
  return name.endsWith(`/${feature(name)}.ts`) || name.endsWith('/schema.ts')
}

/** app.ts lists the routes of each feature. */
function isMount(name: string, to: string): boolean {
  return name === 'app.ts' && to.endsWith('/routes.ts')
}

/** Commands and work.ts name the files of what they call: a door would load the rest of its feature. */
function namesVerb(name: string, to: string): boolean {
  return ['commands', 'work.ts'].includes(room(name)) && !to.endsWith('/routes.ts')
}

/** The files and packages that are loaded with these files, before any of their functions is called. */
function loadedBy(...names: string[]): string[] {
  const loaded = new Set(names)
  for (const name of loaded)
    for (const { to, isType, isCall } of files.find((file) => file.name === name)?.imports ?? [])
      if (!isType && !isCall) loaded.add(to)
  return [...loaded]
}

/** Import cycles at runtime, each listed once. */
function circles(): string[] {
  const found = new Map<string, string>()
  const done = new Set<string>()
  const visit = (name: string, trail: string[]) => {
    const start = trail.indexOf(name)
    if (start !== -1) {
      const circle = trail.slice(start)
      found.set(circle.toSorted().join(), [...circle, name].join(' → '))
    }
    if (start !== -1 || done.has(name)) return
    const file = files.find((each) => each.name === name)
    for (const { to, isType } of inside(file?.imports ?? []))
      if (!isType) visit(to, [...trail, name])
    done.add(name)
  }
  for (const { name } of files) visit(name, [])
  return [...found.values()]
}
