// A batch is read whole: the reader checks every item and lists every faulty one. Nothing is
// written while one item is faulty.
import { isEmpty, isEmptyObjectOfPhp, listOfPhp, valuesByIndex } from './coerce.ts'
import { mostFaults } from './faults.ts'
import { faultAt, invalid, invalidFor, invalidValue, refusal } from './problem.ts'
import type { Fault, ItemFaults } from './problem.ts'
import { nameOf } from './request-id.ts'
import { finish } from './turns.ts'
import type { Steps } from './turns.ts'
import type { Check, UnknownKeys } from './validate.ts'

/** One valid item of a batch: its position, its name in answers, and its value. */
export interface Item<T> {
  index: number
  request_id: string
  value: T
}

export interface Batch<T> {
  /** The valid items, in the order of the batch. */
  items: Item<T>[]
  /** The faults of the other items. */
  faults: Faults
  /**
   * The treatment of unknown keys in values that only verbs can check (custom fields). Refused by
   * default.
   */
  unknownKeys?: UnknownKeys
  /** The items were sent before, perhaps by another user: what depends on their sender stands in them. */
  isDeferred?: true
}

/**
 * Collects faults item by item. A verb adds those that only it can find (an unknown status) before
 * it writes.
 */
export interface Faults {
  add(item: ItemName, fault: Fault): void
  /**
   * Adds a fault in the interface's other form: a sentence for each id or name (interface:
   * Problems).
   */
  refuse(about: string | number, detail: string): void
  has(item: ItemName): boolean
  /** Whether the answer lists no further fault of the item. The caller looks for none then. */
  isFull(item: ItemName): boolean
  any(): boolean
  /**
   * Throws a 400 Problem that lists the faulty items in the order of the batch. Only where there
   * are none does it list the refusals, as `errors`: an answer has one form, and more programs know
   * the usual one.
   */
  throwIfAny(): void
  /** Runs a step of checking the items, and counts its time for the caller. */
  spending: Spending
}

export type Spending = <Result>(step: () => Result) => Result

export type ItemName = Pick<Item<unknown>, 'index' | 'request_id'>

/**
 * Reads the body of a batch method: an array of 1 to `max` items, or one object. An item is named
 * by its `request_id`, else by its position; the schema gets `request_id` only if it names it.
 * Throws a 400 Problem for any other body, an empty array or object, or too many items.
 */
export function readBatch<T>(
  body: unknown,
  check: Check<T>,
  max: number,
  spending?: Spending,
): Batch<T> {
  return finish(readBatchInSteps(body, check, max, spending))
}

/** Like `readBatch`, in steps of one item. `spending` counts the time of later checks. */
export function* readBatchInSteps<T>(
  body: unknown,
  check: Check<T>,
  max: number,
  spending?: Spending,
): Steps<Batch<T>> {
  const list = listOf(body, check)
  if (!list) throw invalidValue('InvalidType', '', 'This value should be of type array.')
  if (list.length === 0) throw invalidFor(tooFew)
  if (list.length > max) throw invalidFor(tooMany(max))
  const faults = newFaults(spending)
  const items: Item<T>[] = []
  let [faulty, errorsMet] = [0, 0]
  for (const [index, each] of list.entries()) {
    yield
    // The answer is full: whether further items are faulty changes nothing.
    if (faulty === mostItems) {
      faults.leaveOut()
      break
    }
    const first = faulty < mostExplained && errorsMet < mostErrors ? undefined : 'first'
    const { request_id, errors, value, met, mayBeMore } = read(each, check, String(index), first)
    if (errors.length === 0) {
      items.push({ index, request_id, value })
      continue
    }
    faulty++
    errorsMet += met ?? 0
    if (mayBeMore) faults.leaveOut()
    for (const error of errors) faults.add({ index, request_id }, error)
  }
  return { items, faults, unknownKeys: check.unknownKeys }
}

/**
 * Reads a change of the record in the path as a batch of one. The path's id wins over one in the
 * body.
 */
export function readChange<T>(
  id: number | string,
  body: unknown,
  check: Check<T>,
  spending?: Spending,
): Batch<T> {
  return readSingle({ id }, body, check, spending)
}

/** Reads an object, and what the path says of it, as a batch of one. A list is refused. */
export function readSingle<T>(
  said: object,
  body: unknown,
  check: Check<T>,
  spending?: Spending,
): Batch<T> {
  const isList = Array.isArray(body) && !isEmptyObjectOfPhp(body)
  if (typeof body !== 'object' || body === null || isList)
    throw invalidValue('InvalidType', '', 'This value should be of type object.')
  return readBatch([{ ...(body as object), ...said }], check, 1, spending)
}

/**
 * Like `readChange`, but throws the 400 Problem at once: for changes that the schema checks fully.
 */
export function readOneChange<T>(id: number | string, body: unknown, check: Check<T>): Item<T> {
  const { items, faults } = readChange(id, body, check)
  faults.throwIfAny()
  return items[0]!
}

/**
 * Reads a body that is a single object. Throws a 400 Problem with its faults, under the body's
 * `request_id` or "0".
 */
export function readOne<T>(body: unknown, check: Check<T>): T {
  const { request_id, errors, value } = read(body, check, '0')
  if (errors.length) throw invalid([{ request_id, errors }])
  return value
}

/** A batch of values that the server made itself. */
export function batchOf<Value>(values: readonly Value[]): Batch<Value> {
  const items = values.map((value, index) => ({ index, request_id: String(index), value }))
  return { items, faults: newFaults() }
}

export function newFaults(spending: Spending = (step) => step()): CollectedFaults {
  const bad = new Map<number, ItemFaults & { most: number }>()
  const refused = new Map<string, string>()
  let isCut = false
  return {
    add({ index, request_id }, fault) {
      const known = bad.get(index)
      if (!known) {
        const most = bad.size < mostExplained ? mostFaults : 1
        bad.set(index, { request_id, errors: [fault], most })
      } else if (known.errors.some(({ path }) => path === fault.path)) return
      else if (known.errors.length < known.most) known.errors.push(fault)
      else isCut = true
    },
    refuse(about, detail) {
      refused.set(String(about), detail)
    },
    has: ({ index }) => bad.has(index),
    isFull({ index }) {
      const known = bad.get(index)
      const isFull = known !== undefined && known.errors.length >= known.most
      isCut ||= isFull
      return isFull
    },
    any: () => bad.size > 0 || refused.size > 0,
    leaveOut() {
      isCut = true
    },
    throwIfAny() {
      if (bad.size === 0 && refused.size > 0) throw refusal(Object.fromEntries(refused))
      if (bad.size === 0) return
      const inOrder = [...bad].toSorted(([a], [b]) => a - b)
      const listed = inOrder
        .slice(0, mostItems)
        .map(([, { request_id, errors }]) => ({ request_id, errors }))
      throw invalid(listed, isCut || bad.size > mostItems)
    },
    spending,
  }
}

interface CollectedFaults extends Faults {
  /** Not every fault was looked for; the answer says so. */
  leaveOut(): void
}

/**
 * The same faults, with their paths below one key of each item: `faultsAt(faults,
 * '_embedded.contacts.0')`.
 */
export function faultsAt(faults: Faults, at: string): Faults {
  return {
    ...faults,
    add: (item, fault) =>
      faults.add(item, { ...fault, path: fault.path === '' ? at : `${at}.${fault.path}` }),
  }
}

/** An answer lists at most this many faulty items. */
const mostItems = 250
/** Of this many faulty items all faults are listed, of later ones the first: it costs less. */
const mostExplained = 25
/** After so many errors, listed or not, only the first fault of each item is looked for. */
const mostErrors = 1000

const tooFew = faultAt('', 'TooFew', 'This collection should contain 1 element or more.', 1)
const tooMany = (max: number) =>
  faultAt('', 'TooMany', `This collection should contain ${max} elements or less.`, max)

function listOf(body: unknown, { mode }: Check<unknown>): unknown[] | undefined {
  if (Array.isArray(body)) return body
  if (typeof body !== 'object' || body === null) return undefined
  if (isEmpty(body)) return []
  return (mode === 'text' ? valuesByIndex(body) : listOfPhp(body)) ?? [body]
}

interface ReadItem<T> {
  request_id: string
  errors: Fault[]
  value: T
  /** The errors that were met, of which `errors` lists the first. */
  met?: number
  mayBeMore?: boolean
}

function read<T>(given: unknown, check: Check<T>, position: string, first?: 'first'): ReadItem<T> {
  if (typeof given !== 'object' || given === null || !('request_id' in given)) {
    const { faults, ...checked } = check(given, first)
    return { request_id: position, errors: faults, ...checked }
  }
  const { request_id, ...rest } = given
  const { faults, ...checked } = check(namesIt(check) ? given : rest, first)
  const name = nameOf(request_id)
  if (typeof name !== 'object') return { request_id: name ?? position, errors: faults, ...checked }
  const others = faults.filter(({ path }) => path !== name.path)
  return { request_id: position, errors: [name, ...others], ...checked }
}

function namesIt({ schema }: Check<unknown>): boolean {
  return 'properties' in schema && Object.hasOwn(schema.properties as object, 'request_id')
}
