// Which tests a change can reach (test/near), and whether its tables fit the repository.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { chooseTests, readers } from './near/choose.ts'
import type { Tree } from './near/choose.ts'
import { importsOf, readImports } from './near/imports.ts'
import { browserTests, ofMostPages } from './near/pages.ts'
import { planRows, readPlanRows, sourceOf } from './near/plans.ts'
import { readRoutes } from './near/routes.ts'
import { filesOf } from './repository.ts'
import { rows } from './routes.ts'

const root = path.join(import.meta.dirname, '..')
const files = new Set(filesOf(root))

describe('a change', () => {
  const imports: Record<string, string[]> = {
    'server/app.ts': [
      'server/features/definitions/tags/routes.ts',
      'server/features/activity/notes/routes.ts',
    ],
    'server/features/definitions/tags/routes.ts': [
      'server/features/definitions/tags/tags.ts',
      'server/http/hal.ts',
    ],
    'server/features/definitions/tags/tags.ts': ['server/features/definitions/tags/queries.ts'],
    'server/features/definitions/tags/queries.ts': [],
    'server/features/definitions/tags/schema.ts': [],
    'server/features/definitions/tags/tags.test.ts': ['test/account.ts'],
    'server/features/activity/notes/routes.ts': [
      'server/features/activity/notes/notes.ts',
      'server/http/hal.ts',
    ],
    'server/features/activity/notes/notes.ts': ['server/features/definitions/tags/tags.ts'],
    'server/features/activity/notes/pins/pins.test.ts': ['test/account.ts', 'test/pins.ts'],
    'server/features/activity/bin/bin.test.ts': ['server/features/activity/notes/notes.ts'],
    'server/commands/doctor.ts': ['server/features/activity/notes/notes.ts'],
    'server/commands/doctor.test.ts': [],
    'server/commands/start.test.ts': [],
    'server/http/hal.ts': [],
    'server/http/hal.test.ts': ['server/http/hal.ts'],
    'server/http/deep/deep.test.ts': [],
    'test/account.ts': ['server/app.ts', 'test/pins.ts'],
    'test/pins.ts': [],
    'test/architecture.test.ts': [],
    'test/crash/crash.test.ts': ['server/features/activity/notes/notes.ts'],
    'test/plans/plans.test.ts': ['server/features/definitions/tags/queries.ts'],
    'test/routes/reads.test.ts': ['test/account.ts'],
    'test/upgrade/upgrade.test.ts': [],
    'test/web/order.test.ts': ['web/features/board/store.ts'],
    'test/browser/board.test.ts': ['web/features/board/order.ts'],
    'test/browser/gallery.test.ts': [],
    'web/features/board/order.ts': [],
    'web/features/board/store.ts': ['web/features/board/order.ts'],
    'web/ui/list.tsx': [],
  }
  const tree: Tree = {
    files: new Set([...Object.keys(imports), 'server/database/migrations/0001.sql']),
    imports: new Map(Object.entries(imports)),
    routes: [
      { name: 'GET /tags', file: 'server/features/definitions/tags/routes.ts' },
      { name: 'GET /tags/{id}', file: 'server/features/definitions/tags/routes.ts' },
      {
        name: 'GET /tags/of/some/records/of/{entity_id}/at/{id}',
        file: 'server/features/definitions/tags/routes.ts',
      },
      { name: 'GET /notes', file: 'server/features/activity/notes/routes.ts' },
    ],
    plans: [{ title: 'tags by name', uses: ['server/features/definitions/tags/queries.ts'] }],
    browserTests: { 'web/features/board': 'board', 'web/ui': 'gallery' },
    ofMostPages: ['web/ui'],
  }
  const chosen = (...changed: string[]) => {
    const { tests, beyond } = chooseTests(changed, tree)
    const named = tests.filter(({ file }) => file !== 'test/architecture.test.ts')
    return { tests: named.map(({ file, only }) => (only ? `${file}, rows` : file)), beyond }
  }

  test.each<[string, string[], string[]]>([
    [
      'server/features/definitions/tags/queries.ts',
      // notes.ts imports tags.ts, but what imports notes.ts is further than a step.
      [
        'server/features/activity/notes/pins/pins.test.ts',
        'server/features/definitions/tags/tags.test.ts',
        'test/plans/plans.test.ts, rows',
        'test/routes/reads.test.ts, rows',
      ],
      [],
    ],
    [
      'server/features/activity/notes/notes.ts',
      [
        'server/commands/doctor.test.ts',
        'server/features/activity/bin/bin.test.ts',
        'server/features/activity/notes/pins/pins.test.ts',
        'test/routes/reads.test.ts, rows',
      ],
      [],
    ],
    [
      'server/features/definitions/tags/schema.ts',
      ['server/features/definitions/tags/tags.test.ts'],
      [],
    ],
    [
      'server/features/definitions/tags/deleted.ts',
      ['server/features/definitions/tags/tags.test.ts'],
      [],
    ],
    ['server/http/hal.ts', ['server/http/hal.test.ts'], ['much of server/ uses server/http/']],
    [
      'server/database/migrations/0001.sql',
      ['test/upgrade/upgrade.test.ts'],
      ['much of server/ uses server/database/migrations/'],
    ],
    [
      'server/commands/doctor.ts',
      ['server/commands/doctor.test.ts', 'server/commands/start.test.ts'],
      [],
    ],
    [
      'server/features/definitions/tags/tags.test.ts',
      ['server/features/definitions/tags/tags.test.ts'],
      [],
    ],
    [
      'test/pins.ts',
      [
        'server/features/activity/notes/pins/pins.test.ts',
        'server/features/definitions/tags/tags.test.ts',
        'test/routes/reads.test.ts',
      ],
      [],
    ],
    ['web/features/board/order.ts', ['test/web/order.test.ts', 'test/browser/board.test.ts'], []],
    ['web/ui/list.tsx', ['test/browser/gallery.test.ts'], ['most pages use web/ui']],
    ['web/features/new/new.ts', [], ['test/near/pages.ts has no line for web/features/new/new.ts']],
    ['package.json', [], ['every test runs by package.json']],
    ['CHANGELOG.md', [], []],
  ])('of %s', (file, tests, beyond) => {
    expect(chosen(file)).toEqual({ tests, beyond })
  })

  test('of several files reaches what each reaches, once', () => {
    const { tests } = chooseTests(
      ['server/features/definitions/tags/routes.ts', 'server/features/activity/notes/routes.ts'],
      tree,
    )
    expect(tests.map(({ file, why }) => [file, why])).toEqual([
      [
        'server/features/activity/notes/pins/pins.test.ts',
        'it is beside server/features/activity/notes/routes.ts',
      ],
      [
        'server/features/definitions/tags/tags.test.ts',
        'it is beside server/features/definitions/tags/routes.ts',
      ],
      ['test/architecture.test.ts', 'it holds for all sources'],
      [
        'test/routes/reads.test.ts',
        'it has rows of server/features/definitions/tags/routes.ts, server/features/activity/notes/routes.ts',
      ],
    ])
  })

  test('of a part of nearly everything leads to its own tests alone', () => {
    const many = Array.from(
      { length: 11 },
      (_, index) => `server/features/records/${index}/verbs.ts`,
    )
    const wide = new Map(tree.imports)
    for (const file of many) wide.set(file, ['server/features/definitions/tags/tags.ts'])
    const { tests, beyond } = chooseTests(['server/features/definitions/tags/tags.ts'], {
      ...tree,
      imports: wide,
    })
    expect(tests.map(({ file }) => file)).toEqual([
      'server/features/definitions/tags/tags.test.ts',
      'test/architecture.test.ts',
      'test/routes/reads.test.ts',
    ])
    expect(beyond).toEqual([
      '12 folders of server/ import server/features/definitions/tags/tags.ts',
    ])
  })

  test.each([
    ['GET /tags', true],
    ["'GET' '/tags' with an Idempotency-Key", true],
    ["anything 'GET' '/tags/{id}'", true],
    ["'GET' '/tags/{id}/links'", false],
    ["'POST' '/tags'", false],
    ["'GET' '/tags/of/some/records/of/{entity_i…'", true],
    ["'GET' '/notes/of/some/records/of/{entity_…'", false],
    ['every route has a row', true],
  ])('of routes runs the row %s: %s', (title, runs) => {
    const { tests } = chooseTests(['server/features/definitions/tags/routes.ts'], tree)
    const { only = [] } = tests.find(({ file }) => file.startsWith('test/routes'))!
    expect(new RegExp(only.join('|')).test(title)).toBe(runs)
  })
})

describe('imports', () => {
  test('are seen in every form, but for those of types', () => {
    const text = `import pg from 'pg'
import type { A } from './a.ts'
import { type B, type C } from '../tags/tags.ts'
import d, { type E } from './d.ts'
import '../../../main.ts'
import styles from './list.module.css'
export { f } from './f.ts'
export type { H } from './h.ts'
const g = await import('./g.ts')`
    expect(importsOf('server/features/records/leads/leads.ts', text)).toEqual([
      'server/features/records/leads/d.ts',
      'server/main.ts',
      'server/features/records/leads/list.module.css',
      'server/features/records/leads/f.ts',
      'server/features/records/leads/g.ts',
    ])
  })

  test('of the repository lead from nearly every test to a server', () => {
    const imports = readImports(root, files)
    expect(imports.get('test/server.ts')).toContain('server/app.ts')
    expect(imports.get('server/app.ts')!.length).toBeGreaterThan(70)
  })
})

describe('rows of plans', () => {
  test('use what they name, themselves or through functions, also of other files', () => {
    const sources = [
      sourceOf(
        'test/plans/plans.test.ts',
        `import { test, expect } from 'vitest'
         import { tagList, dropTags } from '../../server/features/definitions/tags/queries.ts'
         import * as notes from '../../server/features/activity/notes/queries.ts'
         import type { Task } from '../../server/features/activity/tasks/queries.ts'
         import { listOf } from './lists.ts'
         const rows = [
           ['all tags', { ask: () => tagList(1) }],
           [\`notes of \${1}\`, { ask: () => notes.list({ tagList: 1 }) }],
           ['everything', { ask: () => page() }],
           ['a name', 'and another'],
         ]
         const page = () => listOf(page)
         test.for(rows)('%s', ([, row]) => expect(row).toBeDefined())
         test.each([1])('tags of %s records are dropped', () => dropTags())`,
      ),
      sourceOf(
        'test/plans/lists.ts',
        `import { leadList } from '../../server/features/records/leads/queries.ts'
         export function listOf() { return leadList() }`,
      ),
    ]
    const found = planRows(new Map(sources.map((source) => [source.file, source])))
    const of = (title: string) =>
      found.filter((row) => new RegExp(row.title).test(title)).map(({ uses }) => uses)
    expect(of('lists: all tags')).toEqual([['server/features/definitions/tags/queries.ts']])
    expect(of('notes of 7')).toEqual([['server/features/activity/notes/queries.ts']])
    expect(of('everything')).toEqual([['server/features/records/leads/queries.ts']])
    expect(of('tags of 250 records are dropped')).toEqual([
      ['server/features/definitions/tags/queries.ts'],
    ])
    expect(found).toHaveLength(4)
  })

  test('use statements of most features', () => {
    const used = new Set(readPlanRows(root, files).flatMap(({ uses }) => uses))
    const statements = [...used].filter((file) => file.endsWith('queries.ts'))
    expect(statements.length).toBeGreaterThan(30)
    expect(statements.filter((file) => !files.has(file))).toEqual([])
  })
})

test('every route has the file that registers it', async () => {
  const routes = await readRoutes(root)
  const names = routes.map(({ name }) => name).toSorted()
  expect(names).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted())
  const strange = routes.filter(
    ({ file }) => !/^server\/(?:features|web)\/.*routes\.ts$/.test(file),
  )
  expect(strange.map(({ name, file }) => `${name} ${file}`)).toEqual([
    'GET /health server/http/health.ts',
    'GET /ready server/http/health.ts',
    'GET /metrics server/http/metrics.ts',
  ])
})

describe('the browser tests of web/', () => {
  const keys = Object.keys(browserTests)
  const named = new Set(Object.values(browserTests).flatMap((names) => names.split(' ')))
  const present = [...files]
    .map((file) => /^test\/browser\/(.+)\.test\.ts$/.exec(file)?.[1])
    .filter((name) => name !== undefined)

  test('every folder of features/ has a line, and every file that is in no such folder', () => {
    const without = [...files].filter(
      (file) =>
        file.startsWith('web/') && !keys.some((key) => file === key || file.startsWith(`${key}/`)),
    )
    expect(without).toEqual([])
    // One line for all of them would hide that a new one has none.
    expect(keys.filter((key) => ['web', 'web/features', 'web/routes'].includes(key))).toEqual([])
  })

  test('every line names a file or a folder that is there, and tests that are', () => {
    expect(keys.filter((key) => !existsSync(path.join(root, key)))).toEqual([])
    expect([...named].filter((name) => !present.includes(name))).toEqual([])
    expect(ofMostPages.filter((key) => !keys.includes(key))).toEqual([])
  })

  test('every test is named', () => {
    expect(present.filter((name) => !named.has(name))).toEqual([])
  })
})

test('what tests read instead of importing it is there, and so are the tests', () => {
  const names = Object.entries(readers).flat(2)
  expect(names.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
})
