// What all tabs of a browser keep together: no tab loses what another adds, or brings back what another removes, although
// each sees the other's writes late.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { KeptBounds } from '../../web/data/kept-entries.ts'
import type { NoteItem } from '../../web/features/feed/rows.ts'
import { filesOf } from '../repository.ts'
import { fakeStorage, twoTabs } from './storage.ts'

// The modules below ask these as they are loaded.
vi.stubGlobal('addEventListener', () => undefined)
vi.stubGlobal(
  'BroadcastChannel',
  class {
    name = 'kontor'
  },
)
vi.stubGlobal('document', {
  querySelector: () => null,
  getElementById: () => null,
  documentElement: { dataset: {} },
})
vi.stubGlobal('sessionStorage', fakeStorage())
vi.stubGlobal('localStorage', fakeStorage())
const { forgetAllKept, keep, keptNames, readKept } = await import('../../web/data/kept.ts')
const { keptCollection, keysWithin } = await import('../../web/data/kept-entries.ts')
const { forgetEdit, keepEdit } = await import('../../web/data/kept-edits.ts')
const { forgetWaiting, keepWaiting } = await import('../../web/data/waiting.ts')
const { forgetRecord, rememberRecord } = await import('../../web/crm/recent.ts')
const { useDraft } = await import('../../web/features/feed/drafts.ts')
const { forgetUnsent, keepUnsent } = await import('../../web/features/feed/unsent.ts')

interface Collection {
  add(id: number): unknown
  remove(id: number): unknown
  /** The one value of all entries of former versions. */
  former(ids: number[]): unknown
}

const edit = { draft: 'x', base: '', at: Date.now() }
const waiting = (id: number) => ({
  key: `w${id}`,
  path: '/',
  body: {},
  type: 'leads',
  changes: [],
  at: Date.now(),
})
const unsent = (id: number) => ({
  item: { key: `note ${id}` } as NoteItem,
  writing: { path: '/', body: {}, key: `k${id}` },
})
const record = (id: number) => ({ type: 'leads' as const, id, name: `Lead ${id}` })

function draftOf(id: number): ReturnType<typeof useDraft> {
  let drafted: ReturnType<typeof useDraft> | undefined
  renderToString(
    createElement(() => {
      drafted = useDraft(`leads ${id}`)
      return null
    }),
  )
  return drafted!
}

const collections: Record<string, Collection> = {
  edits: {
    add: (id) => keepEdit(`leads ${id}`, 'name', edit),
    remove: (id) => forgetEdit(`leads ${id}`, 'name'),
    former: (ids) => Object.fromEntries(ids.map((id) => [`leads ${id} name`, edit])),
  },
  waiting: {
    add: (id) => keepWaiting(waiting(id)),
    remove: (id) => forgetWaiting(`w${id}`),
    former: (ids) => ids.map(waiting),
  },
  unsent: {
    add: (id) => keepUnsent('leads 1', unsent(id), true),
    remove: (id) => forgetUnsent('leads 1', `note ${id}`),
    former: (ids) => ({ 'leads 1': ids.map(unsent) }),
  },
  drafts: {
    add: (id) => draftOf(id)[1]({ text: 'half' }),
    remove: (id) => draftOf(id)[2](),
    former: (ids) => Object.fromEntries(ids.map((id) => [`leads ${id}`, { text: 'half' }])),
  },
  recent: {
    add: (id) => rememberRecord(record(id)),
    remove: (id) => forgetRecord(record(id)),
    former: (ids) => ids.map(record),
  },
}

/** The numbers of the entries that this browser keeps. */
const kept = (name: string): number[] =>
  keptNames(`${name}/`)
    .map((each) => Number(/(\d+)(?: name)?$/.exec(each)![1]))
    .toSorted((one, other) => one - other)

afterEach(() => forgetAllKept('all'))

describe.each(Object.entries(collections))('%s', (name, { add, remove, former }) => {
  test('of two tabs that see each other late are kept and removed one by one', () => {
    const { storages, exchange } = twoTabs()
    const inTab = (tab: number, act: () => unknown) => {
      vi.stubGlobal('localStorage', storages[tab])
      act()
    }
    inTab(0, () => [1, 2].forEach(add))
    exchange()
    inTab(0, () => {
      remove(1)
      add(3)
    })
    inTab(1, () => {
      add(4)
      add(2)
    })
    exchange()
    inTab(1, () => expect(kept(name)).toEqual([2, 3, 4]))
    inTab(0, () => expect(kept(name)).toEqual([2, 3, 4]))
  })

  test('of a former version are taken over', () => {
    vi.stubGlobal('localStorage', fakeStorage())
    keep(name, former([1, 2]))
    add(3)
    expect(kept(name)).toEqual([1, 2, 3])
    expect(readKept(name)).toBeUndefined()
  })
})

test('entries stay in their order, the oldest first, also where one is replaced', () => {
  vi.stubGlobal('localStorage', fakeStorage())
  const entries = keptCollection<string>('some', { most: 3 }, () => [])
  for (const key of ['a', 'b', 'c']) entries.put(key, key)
  entries.replace('a', 'A')
  expect(entries.entries()).toEqual([
    ['a', 'A'],
    ['b', 'b'],
    ['c', 'c'],
  ])
  entries.put('b', 'B')
  entries.put('d', 'd')
  expect(entries.entries().map(([key]) => key)).toEqual(['c', 'b', 'd'])
})

test('an entry for which the storage has no room is not kept, and no other goes for it', () => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    ...fakeStorage(items),
    get length() {
      return items.size
    },
    setItem(key: string, value: string) {
      const others = [...items].filter(([name]) => name !== key)
      if (others.reduce((sum, [, text]) => sum + text.length, value.length) > 150)
        throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
  })
  const entries = keptCollection<string>('some', { most: 10, longestMs: 1000 }, () => [])
  keep('some/old', { at: Date.now() - 1000, value: 'x'.repeat(40) })
  expect(entries.put('a', 'x'.repeat(30))).toBe(true)
  // One that is too old goes for it.
  expect(entries.put('b', 'x'.repeat(30))).toBe(true)
  expect(entries.put('c', 'x'.repeat(90))).toBe(false)
  expect(entries.entries().map(([key]) => key)).toEqual(['a', 'b'])
})

test('a former value that finds no room as entries stays', () => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    ...fakeStorage(items),
    get length() {
      return items.size
    },
    setItem(key: string, value: string) {
      if (key.includes('/')) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
  })
  keep('some', ['a'])
  const entries = keptCollection<string>('some', { most: 10 }, (former) =>
    (former as string[]).map((each) => [each, each] as const),
  )
  expect(entries.read('a')).toBeUndefined()
  expect(readKept('some')).toEqual(['a'])
})

test('an entry that is too old is not read any more', () => {
  vi.stubGlobal('localStorage', fakeStorage())
  const entries = keptCollection<string>('some', { most: 3, longestMs: 1000 }, () => [])
  keep('some/old', { at: Date.now() - 1000, value: 'old' })
  keep('some/new', { at: Date.now(), value: 'new' })
  expect([entries.read('old'), entries.read('new')]).toEqual([undefined, 'new'])
  expect(entries.entries()).toEqual([['new', 'new']])
  entries.put('newer', 'newer')
  expect(keptNames('some/').toSorted()).toEqual(['some/new', 'some/newer'])
})

test.each<[string, number, Partial<KeptBounds>, number[]]>([
  ['number', 60, { most: 50 }, Array.from({ length: 50 }, (_, index) => index)],
  ['age', 5, { longestMs: 3 }, [0, 1, 2]],
  ['size', 20, { mostCharacters: 35 }, [0, 1, 2]],
])('collections are bounded by %s; the newest stay', (_, count, bounds, stay) => {
  const now = 1_000_000
  const entries = Array.from({ length: count }, (_each, index) => ({
    key: String(index),
    at: now - index,
    length: 10,
  }))
  expect(keysWithin(entries, { most: 1000, ...bounds }, now)).toEqual(stay.map(String))
})

test('only single values are kept without a collection', () => {
  const root = path.join(import.meta.dirname, '../..')
  const keepers = filesOf(root).filter(
    (file) =>
      /^web\/.*\.tsx?$/.test(file) &&
      /import \{[^}]*\bkeep\b[^}]*\} from '[./a-z]*\/kept\.ts'/.test(
        readFileSync(path.join(root, file), 'utf8'),
      ),
  )
  // The width of the card, and the mode of the composer: the last tab decides.
  expect(keepers.toSorted()).toEqual([
    'web/data/kept-entries.ts',
    'web/features/card/card.tsx',
    'web/features/feed/composer.tsx',
  ])
})
