// Parses JSON bodies and refuses what JSON.parse accepts but later code should not meet: U+0000 and
// lone surrogates (PostgreSQL's text takes neither), numbers that became infinite, `__proto__` as a
// key, and too deep nesting.
import {
  bracket,
  carriageReturn,
  closingBrace,
  closingBracket,
  lineFeed,
  space,
  tab,
} from './characters.ts'
import { firstFault } from './json-fault.ts'
import { badRequest } from './problem.ts'
import type { Problem } from './problem.ts'
import type { Container } from './structure.ts'
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
  const flaw = inspect(value, 1, mayHaveFlaws(source))
  if (flaw) throw refusalOf(flaw)
  return value
}

/**
 * Like `parseJson`, in steps: JSON.parse gets the bytes between the commas of the outline. Every byte
 * is looked at once. Two refusals may differ: a flaw in a value that a later one of the same key
 * replaces is refused, too, and of several flaws in an object whose keys are numbers the first one
 * of the text is named.
 */
export function* parseJsonInSteps(bytes: Buffer, outline: Container | undefined): Steps<unknown> {
  yield
  if (!outline || outline.begin !== afterBlanks(bytes, markOf(bytes)))
    return parseJson(bytes.toString('utf8'))
  const reading: Reading = { bytes, flaw: undefined }
  const value = yield* membersInSteps(reading, outline, 1)
  const rest = afterBlanks(bytes, outline.end + 1)
  if (rest < bytes.length) throw invalidAtByte(bytes, rest)
  if (reading.flaw) throw refusalOf(reading.flaw)
  return value
}

interface Reading {
  bytes: Buffer
  /** The first one; it is thrown at the end, because broken JSON anywhere goes before it. */
  flaw: Flaw | undefined
}

function* membersInSteps(
  reading: Reading,
  { begin, end, commas, large }: Container,
  depth: number,
): Steps<unknown> {
  const { bytes } = reading
  const isList = bytes[begin] === bracket
  const list: unknown[] = []
  const object: Record<string, unknown> = {}
  /** Whether no flaw is known yet, in these members either. */
  const isFlawless = (members: object, text: string): boolean => {
    const flaw = reading.flaw ? undefined : inspect(members, depth, mayHaveFlaws(text))
    if (flaw && isList) flaw.path.push(list.length + Number(flaw.path.pop()))
    reading.flaw ??= flaw
    return reading.flaw === undefined
  }

  for (const [index, from] of [begin, ...commas].entries()) {
    const to = commas[index] ?? end
    const inner = large.get(from)
    if (inner) {
      const name = bytes.toString('utf8', from + 1, inner.begin)
      const placeholder = parseMembers(bytes, from, `${name}[]`, isList)
      const [key = ''] = Object.keys(placeholder)
      const member = isList ? list.length : nameInPath(key)
      const isFine = isFlawless(placeholder, name)
      const value = yield* membersInSteps(reading, inner, depth + 1)
      if (reading.flaw && isFine) under(member, reading.flaw)
      else if (isList) list.push(value)
      else if (isFine) object[key] = value
      const rest = afterBlanks(bytes, inner.end + 1)
      if (rest < to) throw invalidAtByte(bytes, rest)
    } else {
      const text = bytes.toString('utf8', from + 1, to)
      const members = parseMembers(bytes, from, text, isList)
      const isWhole = from === begin && to === end
      if (isEmpty(members) && !isWhole) throw invalidAtByte(bytes, to)
      if (isFlawless(members, text)) {
        if (isList) list.push(...(members as unknown[]))
        else Object.assign(object, members)
      }
    }
    yield
  }
  if (bytes[end] !== (isList ? closingBracket : closingBrace)) throw invalidAtByte(bytes, end)
  return isList ? list : object
}

/** The members of a list or an object that follow the byte at `from`. */
function parseMembers(bytes: Buffer, from: number, text: string, isList: boolean): object {
  const alone = isList ? `[${text}]` : `{${text}}`
  try {
    return JSON.parse(alone) as object
  } catch {
    const before = bytes.toString('utf8', markOf(bytes), from + 1)
    throw invalidAfter(before + text.slice(0, firstFault(alone) - 1))
  }
}

function isEmpty(members: object): boolean {
  for (const _ in members) return false
  return true
}

/** The length of the byte order mark. */
const markOf = (bytes: Buffer) => (bytes.subarray(0, 3).equals(byteOrderMarkBytes) ? 3 : 0)

function afterBlanks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isBlank(bytes[at]!)) at++
  return at
}

const isBlank = (byte: number) =>
  byte === space || byte === lineFeed || byte === carriageReturn || byte === tab

const invalidAtByte = (bytes: Buffer, position: number) =>
  invalidAfter(bytes.toString('utf8', markOf(bytes), position))

const invalidAfter = (text: string): Problem => invalidAt(text, text.length)

const mayHaveFlaws = (text: string) => text.includes('\\u') || !text.isWellFormed()

const refusalOf = ({ detail, path }: Flaw): Problem =>
  badRequest(path.length ? `${detail}, at ${path.toReversed().join('.').slice(0, 255)}` : detail)

const invalidAt = (source: string, position: number): Problem =>
  badRequest(`Invalid JSON at ${lineAndColumn(source, position)}`)

const byteOrderMark = 0xfeff
const byteOrderMarkBytes = Buffer.of(0xef, 0xbb, 0xbf)

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

function lineAndColumn(text: string, position: number): string {
  let [line, lastBreak] = [1, -1]
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) {
    line++
    lastBreak = at
  }
  return `line ${line}, column ${position - lastBreak}`
}
