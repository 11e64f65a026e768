// Parses JSON bodies and refuses what JSON.parse accepts but later code should not meet: U+0000 and
// lone surrogates (PostgreSQL's text takes neither), numbers that became infinite, `__proto__` as a
// key, and too deep nesting.
import { firstFault } from './json-fault.ts'
import { badRequest } from './problem.ts'

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
    throw badRequest(`Invalid JSON at ${lineAndColumn(source, firstFault(source))}`)
  }
  // JSON.parse refuses raw U+0000, so strings are only searched where an escape or a lone surrogate
  // can be.
  const flaw = inspect(value, 1, source.includes('\\u') || !source.isWellFormed())
  if (flaw)
    throw badRequest(
      flaw.path.length
        ? `${flaw.detail}, at ${flaw.path.toReversed().join('.').slice(0, 255)}`
        : flaw.detail,
    )
  return value
}

const byteOrderMark = 0xfeff

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
    if (flaw) return under(key.toWellFormed().replaceAll('\0', '\u{fffd}'), flaw)
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

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position)
  return `line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`
}
