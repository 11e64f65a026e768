// Which tests a change can reach. Nearly every test starts a server, which imports every feature, so
// imports alone would choose all of them. They are followed within the folder of a changed file and
// one step out of it, never through the files that put the whole together. Rows of test/routes are
// chosen by the file that registers their route, rows of test/plans by the statements that they name,
// and tests in a browser by the table of pages.ts.
import { literally } from '../literally.ts'
import type { PlanRow } from './plans.ts'
import { ChosenRows } from './rows.ts'

/** The repository, as far as it decides. Paths begin below its root. */
export interface Tree {
  files: ReadonlySet<string>
  /** What each source imports, without types. */
  imports: ReadonlyMap<string, readonly string[]>
  /** Every route, `GET /api/v4/leads/{id}`, with the file that registers it. */
  routes: readonly MountedRoute[]
  plans: readonly PlanRow[]
  /** The names of tests in test/browser, by files and folders; the longest path counts. */
  browserTests: Readonly<Record<string, string>>
  /** Those of them that most pages use. */
  ofMostPages: readonly string[]
}

export interface MountedRoute {
  name: string
  file: string
}

export interface ChosenTest {
  file: string
  why: string
  /** Patterns of which the title of a test fits one. Without them every test runs. */
  only?: readonly string[]
}

export interface TestChoice {
  tests: ChosenTest[]
  /** Sentences about the rest that the change reaches. Only the full check proves it. */
  beyond: string[]
}

/** Tests of the rules that hold for all sources; they take no time. */
const ruleTests = [
  'test/architecture.test.ts',
  'test/citations.test.ts',
  'test/documents/links.test.ts',
  'test/near.test.ts',
  'test/web.test.ts',
  'server/pages/words.test.ts',
]

/** Tests that read a file, or start it as a process, instead of importing it. */
export const readers: Record<string, readonly string[]> = {
  'CONTRIBUTING.md': ['test/documents/paste.test.ts'],
  'README.md': ['test/documents/paste.test.ts'],
  'SECURITY.md': ['test/documents/paste.test.ts'],
  'bin/kontor': ['test/launch.test.ts'],
  'bin/launch.cjs': ['test/launch.test.ts'],
  'docs/api': ['test/compatibility.test.ts'],
  'docs/compatibility.md': ['test/compatibility.test.ts'],
  'docs/guides': ['test/documents/generated.test.ts', 'test/documents/paste.test.ts'],
  'docs/guides/events.md': ['test/documents/paste.test.ts', 'test/events.test.ts'],
  'docs/guides/webhooks.md': [
    'test/documents/paste.test.ts',
    'server/features/programs/webhooks/webhooks.test.ts',
  ],
  'examples/channel.mjs': ['test/channel-example.test.ts', 'test/documents/paste.test.ts'],
  'server/config.ts': ['test/documents/generated.test.ts'],
  'server/commands/program.ts': ['test/documents/generated.test.ts'],
  'server/features/programs/developers/cookbook.ts': ['test/documents/generated.test.ts'],
  'server/database/migrations': ['server/database/migrate.test.ts', 'test/upgrade/upgrade.test.ts'],
}

/** Folders of server/ besides the features whose files serve one purpose each. */
const ownRooms = ['server/commands/', 'server/pages/', 'server/web/']

/** Files that put the whole together: what they import is reached by every test. */
const mounts = ['server/app.ts', 'server/main.ts', 'server/cli.ts', 'server/work.ts']

/** Tests of the whole. An import of theirs is a step of a journey, so imports do not choose them. */
const journeys = [
  'test/browser/',
  'test/crash/',
  'test/fuzz',
  'test/hostile/',
  'test/large',
  'test/mutate/',
  'test/plans',
  'test/routes',
  'test/upgrade/',
]

/** Files that decide how every test runs. */
const everywhere = ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts']

/** A file that more folders import is part of nearly everything. */
const mostFolders = 10
/** Something for tests that more of them import is part of nearly all. */
const mostTests = 12
/** Statements that more rows of test/plans judge are parts of most lists. */
const mostPlanRows = 20

/** Titles that name no route: what holds for the whole table of test/routes. */
const ofNoRoute = String.raw`^(?!.*\b(?:GET|POST|PUT|PATCH|DELETE)'? '?/)`

export function chooseTests(changed: readonly string[], tree: Tree): TestChoice {
  const importers = importersIn(tree)
  const tests = new Map<string, ChosenTest>()
  const beyond = new Set<string>()
  const [routes, plans] = [new ChosenRows(), new ChosenRows()]

  for (const file of changed) {
    if (isTest(file)) choose([file], 'it is changed')
    else if (everywhere.includes(file)) beyond.add(`every test runs by ${file}`)
    else if (file.startsWith('server/')) reachOfServer(file)
    else if (file.startsWith('test/')) reachOfTest(file)
    else if (file.startsWith('web/'))
      choose(testsThrough('web/', file).filter(isAlone), `it imports ${file}`)
    const reader = keyOf(readers, file)
    if (reader !== undefined) choose(readers[reader]!, `it reads ${file}`)
    reachOfPages(file)
  }
  chooseAmong('test/routes', routes)
  chooseAmong('test/plans', plans)
  choose(ruleTests, 'it holds for all sources')
  return { tests: [...tests.values()].toSorted(inOrder), beyond: [...beyond] }

  function reachOfServer(file: string): void {
    const home = homeOf(file)
    const isShared = !isFeature(file) && !ownRooms.some((room) => file.startsWith(room))
    // Within a shared folder each file would reach the others, and they everything.
    const touched = isShared ? new Set([file]) : closure(file, (from) => from.startsWith(home))
    const around = [...touched]
      .flatMap((to) => (importers.get(to) ?? []).map((from) => ({ from, to })))
      .filter(({ from }) => !touched.has(from) && !mounts.includes(from))
    const folders = new Set(
      around.map(({ from }) => homeOf(from)).filter((folder) => folder.startsWith('server/')),
    )
    if (isShared) beyond.add(`much of server/ uses ${home}`)
    else if (folders.size > mostFolders)
      beyond.add(`${folders.size} folders of server/ import ${file}`)
    choose(testsIn(home), `it is beside ${file}`)
    for (const { from, to } of around)
      if (from.startsWith('test/') || isTest(from))
        choose(testsOfHelper(from), isTest(from) ? `it imports ${to}` : `${from} imports ${to}`)
      else if (from.startsWith('server/') && !isShared && folders.size <= mostFolders)
        choose(isFeature(from) ? testsIn(homeOf(from)) : [besides(from)], `${from} imports ${to}`)
    reachOfRows(file, touched)
  }

  /** The rows of the routes that touched files register, and of the statements that they write. */
  function reachOfRows(file: string, touched: ReadonlySet<string>): void {
    for (const { name, file: registering } of tree.routes)
      if (touched.has(registering)) routes.add(registering, titleOfRoute(name), ofNoRoute)
    const rows = tree.plans.filter(({ uses }) => uses.some((each) => touched.has(each)))
    if (rows.length > mostPlanRows) beyond.add(`${rows.length} rows of test/plans use ${file}`)
    else for (const { title } of rows) plans.add(file, title)
  }

  function reachOfTest(file: string): void {
    const reached = testsThrough('test/', file)
    if (file.startsWith('test/routes')) beyond.add(`rows of other features use ${file}`)
    else if (reached.length > mostTests) beyond.add(`${reached.length} files of tests use ${file}`)
    else choose(reached, `it uses ${file}`)
  }

  function reachOfPages(file: string): void {
    const page = keyOf(tree.browserTests, file)
    if (page !== undefined)
      choose(
        tree.browserTests[page]!.split(' ').map((name) => `test/browser/${name}.test.ts`),
        `it shows ${page}`,
      )
    else if (file.startsWith('web/')) beyond.add(`test/near/pages.ts has no line for ${file}`)
    if (tree.ofMostPages.includes(page ?? '')) beyond.add(`most pages use ${page}`)
  }

  function choose(files: readonly string[], why: string): void {
    for (const file of files)
      if (tree.files.has(file) && !tests.has(file)) tests.set(file, { file, why })
  }

  /** The tests of a table, which lie in files whose paths begin alike. */
  function chooseAmong(start: string, { why, only }: ChosenRows): void {
    if (only.length === 0) return
    for (const file of tree.files)
      if (isTest(file) && file.startsWith(start) && !tests.has(file))
        tests.set(file, { file, why, only })
  }

  /** Tests in folders below belong to a feature; elsewhere to the files of those folders. */
  function testsIn(home: string): string[] {
    return [...tree.files].filter(
      (file) =>
        isTest(file) &&
        file.startsWith(home) &&
        (isFeature(home) || !file.slice(home.length).includes('/')),
    )
  }

  /** The tests that import something for tests, or it itself; none where that is part of most. */
  function testsOfHelper(file: string): string[] {
    const reached = testsThrough('test/', file)
    return reached.length > mostTests ? [] : reached.filter(isAlone)
  }

  /** The tests that import a file, or others of a folder which do. */
  function testsThrough(folder: string, file: string): string[] {
    const through = closure(file, (from) => from.startsWith(folder))
    const around = [...through].flatMap((each) => [each, ...(importers.get(each) ?? [])])
    return [...new Set(around.filter(isTest))]
  }

  /** A file and all that import it through files of `by`. */
  function closure(file: string, by: (from: string) => boolean): Set<string> {
    const found = new Set([file])
    for (const to of found)
      for (const from of importers.get(to) ?? []) if (by(from)) found.add(from)
    return found
  }
}

const isTest = (file: string) => file.endsWith('.test.ts')
const isFeature = (file: string) => file.startsWith('server/features/')

/** The folder whose tests prove a file: that of the feature, or the one it lies in. */
function homeOf(file: string): string {
  const [feature] = /^server\/features\/[^/]+\/[^/]+\//.exec(file) ?? []
  return feature ?? file.slice(0, file.lastIndexOf('/') + 1)
}

/** A table of tests writes `'GET' '/api/v4/leads'`, and cuts long texts short with an ellipsis. */
function titleOfRoute(name: string): string {
  const [method, address = ''] = name.split(' ')
  const whole = String.raw`${literally(address)}(?:'|\s|$)`
  const cut = address.length > 30 ? [String.raw`${literally(address.slice(0, 30))}\S*…`] : []
  return String.raw`(?:^|\s)'?${method}'? '?(?:${[whole, ...cut].join('|')})`
}

/** The test that lies beside a file and is named like it. */
const besides = (file: string) => file.replace(/\.ts$/, '.test.ts')

/** A test of one thing, and not of a journey through the whole. */
const isAlone = (file: string) => !journeys.some((journey) => file.startsWith(journey))

function importersIn({ imports }: Tree): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [from, names] of imports)
    for (const to of names) importers.set(to, [...(importers.get(to) ?? []), from])
  return importers
}

/** The longest key that is the file or a folder around it. */
function keyOf(table: Readonly<Record<string, unknown>>, file: string): string | undefined {
  return Object.keys(table)
    .filter((key) => file === key || file.startsWith(`${key}/`))
    .toSorted((one, other) => other.length - one.length)[0]
}

/** Tests in a browser come last. */
function inOrder(one: ChosenTest, other: ChosenTest): number {
  const [first, second] = [one, other].map(({ file }) => Number(file.startsWith('test/browser/')))
  return first! - second! || one.file.localeCompare(other.file)
}
