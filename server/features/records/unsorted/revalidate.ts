// Between the intake of an item and its acceptance, fields, choices, tags and users may go. An
// acceptance does not fail for that: a part of a draft that has a fault is taken out of it, and told
// in a note.
import type { Batch, Item, ItemName } from '../../../http/batch.ts'
import type { Fault } from '../../../http/problem.ts'

/** The drafts that remain, the result of checking them, and the faults of all that is gone. */
export interface StillValid<Draft, Checked> {
  items: Item<Draft>[]
  checked: Checked
  /** Sentences by the index of the item. */
  gone: ReadonlyMap<number, string[]>
}

/** So often parts with faults are taken out, before only the name of a draft remains. */
const mostRounds = 4

/** Checks drafts, and takes out of them what is at fault until nothing is. */
export async function revalidate<Draft extends { name?: string }, Checked>(
  given: Item<Draft>[],
  check: (batch: Batch<Draft>) => Promise<Checked>,
): Promise<StillValid<Draft, Checked>> {
  const gone = new Map<number, string[]>()
  let items = given
  for (let round = 1; ; round++) {
    const faults = collect()
    const checked = await check({ items, faults, unknownKeys: 'ignore', isDeferred: true })
    if (faults.found.size === 0) return { items, checked, gone }
    if (round > mostRounds) throw new Error('a draft has faults even without its parts')
    for (const [index, found] of faults.found)
      gone.set(index, [...(gone.get(index) ?? []), ...found.map(({ detail }) => detail)])
    items = items.map((item) => {
      const found = faults.found.get(item.index)
      if (!found) return item
      const { name } = item.value
      const left = name === undefined ? {} : { name }
      const value = round < mostRounds ? without(item.value, found) : (left as Draft)
      return { ...item, value }
    })
  }
}

/** Collects the faults of every item, however many. */
function collect(): Batch<unknown>['faults'] & { found: Map<number, Fault[]> } {
  const found = new Map<number, Fault[]>()
  return {
    found,
    add: ({ index }, fault) => {
      found.set(index, [...(found.get(index) ?? []), fault])
    },
    refuse: (about, detail) => {
      throw new Error(`${about}: ${detail}`)
    },
    has: ({ index }: ItemName) => found.has(index),
    isFull: () => false,
    any: () => found.size > 0,
    throwIfAny: () => undefined,
    spending: (step) => step(),
  }
}

/** The smallest part that goes as a whole: a value of a field, a field, a tag, or a key. */
const wholes = [
  /^custom_fields_values\.\d+\.values\.[^.]+/,
  /^custom_fields_values\.\d+/,
  /^_embedded\.tags\.\d+/,
  /^tags_to_add\.\d+/,
  /^_embedded\.[^.]+/,
  /^[^.]+/,
]

function without<Draft>(draft: Draft, faults: Fault[]): Draft {
  const paths = new Set(
    faults.map(({ path }) => wholes.map((whole) => whole.exec(path)?.[0]).find(Boolean) ?? path),
  )
  return pruned(draft, '', paths) as Draft
}

function pruned(value: unknown, at: string, paths: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const path = at === '' ? key : `${at}.${key}`
    return paths.has(path) ? [] : [[key, pruned(inner, path, paths)] as const]
  })
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept)
}
