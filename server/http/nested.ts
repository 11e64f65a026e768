// Nested keys in the style of PHP, as in query strings and form bodies:
// `filter[statuses][0][pipeline_id]=1&with[]=contacts`. Each character is read a fixed number of
// times, so the cost is linear in the length of any text.
import { space } from './characters.ts'
import { badRequest } from './problem.ts'
import type { Problem } from './problem.ts'
import { finish } from './turns.ts'
import type { Steps } from './turns.ts'

export type NestedValue = string | Nested | NestedValue[]
/** Objects without a prototype: `__proto__` and `constructor` are ordinary keys. */
export type Nested = { [key: string]: NestedValue }

/** Whether a value of a body is an object of a form: those of JSON have a prototype. */
export const isNested = (value: unknown): value is Nested =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null

export interface Bounds {
  /** Levels of one key. `a[b][]` has 3. */
  depth: number
  /** Pairs of key and value. */
  pairs: number
  /** Characters of one decoded key. */
  key: number
}

/** The bounds of a query string. */
const queryBounds: Bounds = { depth: 8, pairs: 2000, key: 512 }

/**
 * The bounds of a form body behind credentials. An item of the v2 methods nests a custom field's
 * value 11 levels deep, and a batch has 250 items.
 */
export const formBounds: Bounds = { depth: 16, pairs: 20_000, key: 512 }

/** The bounds of a form that anybody may send: names without brackets. */
export const flatFormBounds: Bounds = { depth: 1, pairs: 32, key: 512 }

/**
 * Reads `a[b][]=1&…` as PHP does: `[]` appends, a later value replaces an earlier one, keys 0 to
 * n-1 make an array. Throws a 400 Problem for a malformed percent sequence, unbalanced brackets, a
 * pair without a key, U+0000, or more than `bounds`.
 */
export function parseNested(text: string, bounds: Partial<Bounds> = {}): Nested {
  return finish(parseNestedInSteps(text, bounds))
}

/** Like `parseNested`, in steps of some pairs. */
export const parseNestedInSteps = (text: string, bounds: Partial<Bounds> = {}): Steps<Nested> =>
  parse(text, bounds, newBranch(false))

/**
 * Like `parseNested`, for query strings: the values that later ones replace stay known to
 * `repeatsOf`, because only the schema tells a list from a single member.
 */
export function parseQuery(text: string): Nested {
  return finish(parse(text, {}, newBranch(true)))
}

/**
 * By key, all values of the keys of an object or a list that a query string holds more than once, in
 * their order; the last is the member.
 */
export const repeatsOf = (value: object): Repeats | undefined => repeats.get(value)

export type Repeats = ReadonlyMap<string, readonly NestedValue[]>

const repeats = new WeakMap<object, Repeats>()

function* parse(text: string, bounds: Partial<Bounds>, root: Branch): Steps<Nested> {
  const { depth, pairs, key: longest } = { ...queryBounds, ...bounds }
  if (!text.isWellFormed()) throw refused('a lone surrogate')
  let count = 0
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      if (++count % pairsOfStep === 0) yield
      if (count > pairs) throw badRequest(`More than ${pairs} parameters`)
      const pair = text.slice(start, end)
      const equals = pair.indexOf('=')
      const key = decode(equals === -1 ? pair : pair.slice(0, equals))
      if (key.length > longest)
        throw badRequest(`The name of a parameter is longer than ${longest} characters`)
      put(root, steps(key, depth), equals === -1 ? '' : decode(pair.slice(equals + 1)))
    }
    start = end + 1
  }
  return yield* object(root)
}

/** With names of 16 levels they take a millisecond. */
const pairsOfStep = 50

/**
 * A value that a query string can hold. Null, undefined and empty lists and objects are left out.
 */
export type Tellable =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Tellable[]
  | { readonly [key: string]: Tellable }

/**
 * The inverse of `parseNested`: percent-encoded, with explicit indices, for links and webhook
 * bodies. No key may hold a bracket.
 */
export function formatNested(value: { readonly [key: string]: Tellable }): string {
  const pairs: string[] = []
  for (const [key, inner] of Object.entries(value)) write(pairs, encodeURIComponent(key), inner)
  return pairs.join('&')
}

interface Branch {
  children: Map<string, string | Branch>
  /** The index that `[]` takes: the largest so far plus one. */
  next: number
  /** By key, the children whose place later ones took. Of query strings only. */
  replaced?: Map<string, (string | Branch)[]>
}

const newBranch = (keepsReplaced: boolean): Branch => ({
  children: new Map(),
  next: 0,
  ...(keepsReplaced && { replaced: new Map() }),
})

function decode(text: string): string {
  const spaced = text.includes('+') ? withSpaces(text) : text
  const decoded = spaced.includes('%') ? percentDecoded(spaced) : spaced
  if (decoded.includes('\0')) throw refused('U+0000')
  return decoded
}

/** Of a long text the bytes are replaced: four megabytes of plus signs take 20 ms, and 400 otherwise. */
function withSpaces(text: string): string {
  if (text.length < 10_000) return text.replaceAll('+', ' ')
  const bytes = Buffer.from(text)
  for (let at = bytes.indexOf(plus); at !== -1; at = bytes.indexOf(plus, at + 1)) bytes[at] = space
  return bytes.toString('utf8')
}

const plus = 0x2b

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest(
      'A parameter holds a percent sign that does not begin an encoded UTF-8 character',
    )
  }
}

function refused(what: string): Problem {
  return badRequest(`A parameter holds ${what}, which no text may`)
}

/**
 * The steps of `a[b][]`: a, b and the empty one that appends. PHP reads unbalanced brackets
 * literally; here they are refused.
 */
function steps(key: string, depth: number): string[] {
  const open = key.indexOf('[')
  const names = [open === -1 ? key : key.slice(0, open)]
  if (names[0] === '') throw badRequest('A parameter has no name')
  for (let at = open; at !== -1 && at < key.length;) {
    const close = key.indexOf(']', at)
    if (close === -1 || key[at] !== '[') throw unbalanced(key)
    names.push(key.slice(at + 1, close))
    if (names.length > depth) throw badRequest(`A parameter is nested deeper than ${depth} levels`)
    at = close + 1
  }
  if (names.some((step) => step.includes('[')) || names[0]!.includes(']')) throw unbalanced(key)
  return names
}

function unbalanced(key: string): Problem {
  return badRequest(`The brackets of the parameter "${key}" do not match`)
}

function put(root: Branch, path: string[], value: string): void {
  let branch = root
  const last = path.length - 1
  for (const [depth, step] of path.entries()) {
    const key = step === '' ? String(branch.next) : step
    branch.next = Math.max(branch.next, indexOf(key) + 1)
    if (depth === last) set(branch, key, value)
    else branch = inner(branch, key)
  }
}

function inner(branch: Branch, key: string): Branch {
  const there = branch.children.get(key)
  if (typeof there === 'object') return there
  const made = newBranch(branch.replaced !== undefined)
  set(branch, key, made)
  return made
}

function set({ children, replaced }: Branch, key: string, child: string | Branch): void {
  const before = replaced && children.get(key)
  if (before !== undefined) {
    const earlier = replaced!.get(key)
    if (earlier) earlier.push(before)
    else replaced!.set(key, [before])
  }
  children.set(key, child)
}

/** The index that a key is, else -1. A number too long for an index is an ordinary key. */
function indexOf(key: string): number {
  return key.length < 10 && /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : -1
}

function* object(branch: Branch): Steps<Nested> {
  const made: Nested = Object.create(null)
  for (const [key, child] of branch.children)
    made[key] = typeof child === 'string' ? child : yield* arrayOrObject(child)
  yield* keepRepeats(branch, made)
  return made
}

function* keepRepeats({ replaced }: Branch, made: Nested | NestedValue[]): Steps<void> {
  if (!replaced || replaced.size === 0) return
  const known = new Map<string, NestedValue[]>()
  for (const [key, earlier] of replaced) {
    const values: NestedValue[] = []
    for (const child of earlier)
      values.push(typeof child === 'string' ? child : yield* arrayOrObject(child))
    values.push((made as Nested)[key]!)
    known.set(key, values)
  }
  repeats.set(made, known)
}

function* arrayOrObject(branch: Branch): Steps<NestedValue> {
  const { children, next } = branch
  // `next` is the largest index plus one. That many children, all of them indices, have the keys 0
  // to n-1.
  yield
  if (next !== children.size) return yield* object(branch)
  const made: NestedValue[] = []
  for (let index = 0; index < next; index++) {
    const child = children.get(String(index))
    if (child === undefined) return yield* object(branch)
    made.push(typeof child === 'string' ? child : yield* arrayOrObject(child))
  }
  yield* keepRepeats(branch, made)
  return made
}

function write(pairs: string[], prefix: string, value: Tellable): void {
  if (value === null || value === undefined) return
  if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value))
      write(pairs, `${prefix}%5B${encodeURIComponent(key)}%5D`, inner)
  } else {
    // PHP writes booleans as 1 and 0.
    pairs.push(
      `${prefix}=${encodeURIComponent(typeof value === 'boolean' ? Number(value) : value)}`,
    )
  }
}
