// Parses JSON bodies and refuses what JSON.parse accepts but later code should not meet: U+0000 and
// lone surrogates (PostgreSQL's text takes neither), numbers that became infinite, `__proto__` as a
// key, and too deep nesting.
import { firstFault } from './json-fault.ts'
import { badRequest } from './problem.ts'
import type { Problem } from './problem.ts'
import type { Outline } from './structure.ts'
import type { Steps } from './turns.ts'

/** Levels of nesting. The deepest body of the interface has 10. */
export const deepest = 32

/**
 * Reads a request body; undefined when it is empty, whatever its content type. Throws a 400
 * Problem: `Invalid JSON` with line and column, or the path of the refused value.
 */
export function parseJson(text: string): unknown {
  const source = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    if (source.trim() === '') return undefined
    throw invalidAt(source, firstFault(source))
  }
  // JSON.parse refuses raw U+0000, so strings are only searched where an escape or a lone surrogate
  // can be.
  const flaw = inspect(value, 1, mayHoldFlaws(source))
  if (flaw) throw refusalOf(flaw)
  return value
}

/**
 * Like `parseJson`, in steps: JSON.parse gets the bytes between the commas of the outline. What is
 * not a plain list or object of members, each small enough for a step, is read by `parseTextInSteps`.
 */
export function* parseJsonInSteps(
  bytes: Buffer,
  outline: Outline,
  sizes = sizesOfSteps,
): Steps<unknown> {
  const members = yield* parseByOutline(bytes, outline, sizes)
  if (members) return members
  const text = bytes.toString('utf8')
  yield
  return yield* parseTextInSteps(text, sizes)
}

/** Undefined for bytes that are refused, or need smaller steps than the outline has. */
function* parseByOutline(
  bytes: Buffer,
  { commas, largest }: Outline,
  sizes: StepSizes,
): Steps<object | undefined> {
  if (largest > sizes.step + sizes.member) return undefined
  const isBlank = (byte: number | undefined) => byte !== undefined && blanks.includes(byte)
  let begin = bytes.subarray(0, 3).equals(byteOrderMarkBytes) ? 3 : 0
  while (isBlank(bytes[begin])) begin++
  let end = bytes.length - 1
  while (isBlank(bytes[end])) end--
  const isList = bytes[begin] === bracket && bytes[end] === closingBracket
  if (!isList && (bytes[begin] !== brace || bytes[end] !== closingBrace)) return undefined
  const list: unknown[] = []
  const object: Record<string, unknown> = {}
  for (const [index, from] of [begin, ...commas].entries()) {
    const text = bytes.toString('utf8', from + 1, commas[index] ?? end)
    const members = parsed(isList ? `[${text}]` : `{${text}}`)
    const isRefused = !members || isEmpty(members) || inspect(members, 1, mayHoldFlaws(text))
    if (isRefused) return undefined
    if (isList) list.push(...(members as unknown[]))
    else Object.assign(object, members)
    yield
  }
  return isList ? list : object
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

function isEmpty(members: object): boolean {
  for (const _ in members) return false
  return true
}

/**
 * Like `parseJson`, in steps: JSON.parse gets some members of a list or an object at a time. A member
 * that is too large for one step is read by its own members. The text is passed over twice.
 */
export function* parseTextInSteps(text: string, sizes = sizesOfSteps): Steps<unknown> {
  const source = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
  const begin = afterBlanks(source, 0)
  if (!isOpening(source[begin])) return parseJson(text)
  const reading: Reading = { source, sizes, flaw: undefined }
  const { value, end } = yield* membersInSteps(reading, begin, 1)
  const rest = afterBlanks(source, end)
  if (rest < source.length) throw invalidAt(source, rest)
  if (reading.flaw) throw refusalOf(reading.flaw)
  return value
}

interface Reading {
  source: string
  sizes: StepSizes
  /** The first one; it is thrown at the end, because broken JSON anywhere goes before it. */
  flaw: Flaw | undefined
}

/** Reads the list or object that begins at `begin`. `end` follows its closing bracket. */
function* membersInSteps(
  reading: Reading,
  begin: number,
  depth: number,
): Steps<{ value: unknown; end: number }> {
  const { source } = reading
  const isList = source[begin] === '['
  const [opening, closing] = isList ? '[]' : '{}'
  const list: unknown[] = []
  const object: Record<string, unknown> = {}
  /** Faults of the text are placed as if the members from `from` on were the only ones. */
  const parse = (from: number, members: string): object => {
    const alone = opening + members + closing
    try {
      return JSON.parse(alone) as object
    } catch {
      throw invalidAt(source, Math.min(from - 1 + firstFault(alone), source.length))
    }
  }
  const inspected = (members: object, text: string): boolean => {
    const flaw = reading.flaw ? undefined : inspect(members, depth, mayHoldFlaws(text))
    if (flaw && isList) flaw.path.push(list.length + Number(flaw.path.pop()))
    reading.flaw ??= flaw
    return reading.flaw === undefined
  }

  for (let from = begin + 1; ;) {
    const { end, isLarge } = nextMembers(reading, from, depth < deepest)
    let after = end
    if (isLarge) {
      const name = isList ? '' : nameFrom(source, from)
      const start = afterBlanks(source, from + name.length)
      if (!isOpening(source[start])) parse(from, source.slice(from))
      const placeholder = isList ? [] : parse(from, `${name}0`)
      const [key = list.length] = Object.keys(placeholder)
      inspected(placeholder, name)
      const isKnown = reading.flaw !== undefined
      const inner = yield* membersInSteps(reading, start, depth + 1)
      if (reading.flaw && !isKnown) under(nameInPath(key), reading.flaw)
      if (!reading.flaw && isList) list.push(inner.value)
      else if (!reading.flaw) object[key] = inner.value
      after = afterBlanks(source, inner.end)
    } else {
      const text = source.slice(from, end)
      const isBlank = afterBlanks(text, 0) === text.length
      if (isBlank && !(from === begin + 1 && source[end] === closing)) throw invalidAt(source, end)
      const members = parse(from, text)
      if (inspected(members, text)) {
        if (isList) for (const each of members as unknown[]) list.push(each)
        else Object.assign(object, members)
      }
    }
    if (source[after] === closing) return { value: isList ? list : object, end: after + 1 }
    if (source[after] !== ',') throw invalidAt(source, after)
    from = after + 1
    yield
  }
}

/** In structural characters: `{`, `[`, `:` and `,` outside texts. */
export interface StepSizes {
  /** The members of one step: 0.1 ms for records, 1 ms for keys that all differ. */
  step: number
  /** A member with more is read by its own members. A record with 250 values has 2,500. */
  member: number
}

export const sizesOfSteps: StepSizes = { step: 2000, member: 8000 }

/**
 * The end of the members that begin at `from` and fill a step: a comma, the bracket that closes
 * them, or the end of the text. `isLarge`: the first member is too large for a step.
 */
function nextMembers(
  { source, sizes }: Reading,
  from: number,
  mayBeLarge: boolean,
): { end: number; isLarge: boolean } {
  let [level, count, before, beforeCount] = [0, 0, -1, 0]
  for (let at = from; at < source.length; at++) {
    const char = source.charCodeAt(at)
    if (char === quote) at = endOfText(source, at)
    else if (char === comma || char === colon) {
      count++
      if (char === colon || level > 0) continue
      if (count >= sizes.step) return { end: at, isLarge: false }
      before = at
      beforeCount = count
    } else if (char === brace || char === bracket) {
      level++
      count++
    } else if (char === closingBrace || char === closingBracket) {
      if (level === 0) return { end: at, isLarge: false }
      level--
    }
    if (mayBeLarge && level > 0 && count - beforeCount > sizes.member)
      return { end: before, isLarge: before === -1 }
  }
  return { end: source.length, isLarge: false }
}

/** The name of the member at `from` with its colon; less if there is none. */
function nameFrom(source: string, from: number): string {
  const quoted = afterBlanks(source, from)
  if (source[quoted] !== '"') return source.slice(from, quoted)
  const end = afterBlanks(source, endOfText(source, quoted) + 1)
  return source.slice(from, source[end] === ':' ? end + 1 : end)
}

/** The position of the quote that ends the text which begins at `at`, or the end of the source. */
function endOfText(source: string, at: number): number {
  for (let end = at; ;) {
    end = source.indexOf('"', end + 1)
    if (end === -1) return source.length
    let escapes = end
    while (source.charCodeAt(escapes - 1) === backslash) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
}

const isOpening = (char: string | undefined) => char === '{' || char === '['

function afterBlanks(source: string, from: number): number {
  let at = from
  while (' \t\n\r'.includes(source[at] ?? 'x')) at++
  return at
}

const mayHoldFlaws = (text: string) => text.includes('\\u') || !text.isWellFormed()

const refusalOf = ({ detail, path }: Flaw): Problem =>
  badRequest(path.length ? `${detail}, at ${path.toReversed().join('.').slice(0, 255)}` : detail)

const invalidAt = (source: string, position: number): Problem =>
  badRequest(`Invalid JSON at ${lineAndColumn(source, position)}`)

const byteOrderMark = 0xfeff
const byteOrderMarkBytes = Buffer.of(0xef, 0xbb, 0xbf)

/** Bytes. */
const blanks = [0x09, 0x0a, 0x0d, 0x20]

/** A refused value: why, and its path from the inside out. */
interface Flaw {
  detail: string
  path: (string | number)[]
}

function inspect(value: unknown, depth: number, escapes: boolean): Flaw | undefined {
  if (typeof value === 'string') return escapes ? inspectText(value) : undefined
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { detail: 'A number is too large', path: [] }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > deepest)
    return { detail: `The body is nested deeper than ${deepest} levels`, path: [] }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const flaw = inspect(value[index], depth + 1, escapes)
      if (flaw) return under(index, flaw)
    }
    return undefined
  }
  for (const key in value) {
    if (key === '__proto__') return { detail: '"__proto__" is no key', path: [] }
    const flaw =
      (escapes ? inspectText(key) : undefined) ?? inspect(value[key as never], depth + 1, escapes)
    if (flaw) return under(nameInPath(key), flaw)
  }
  return undefined
}

function inspectText(text: string): Flaw | undefined {
  if (text.includes('\0')) return { detail: 'U+0000 is in a text', path: [] }
  return text.isWellFormed() ? undefined : { detail: 'A lone surrogate is in a text', path: [] }
}

function under(key: string | number, flaw: Flaw): Flaw {
  flaw.path.push(key)
  return flaw
}

const nameInPath = (key: string | number) =>
  typeof key === 'number' ? key : key.toWellFormed().replaceAll('\0', '\u{fffd}')

/** Counts: a list of the lines of four megabytes would take longer than parsing them. */
function lineAndColumn(text: string, position: number): string {
  let [line, lastBreak] = [1, -1]
  for (let at = 0; at < position; at++)
    if (text.charCodeAt(at) === lineFeed) {
      line++
      lastBreak = at
    }
  return `line ${line}, column ${position - lastBreak}`
}

const lineFeed = 0x0a
export const quote = 0x22
export const backslash = 0x5c
export const comma = 0x2c
export const colon = 0x3a
export const brace = 0x7b
export const closingBrace = 0x7d
export const bracket = 0x5b
export const closingBracket = 0x5d
