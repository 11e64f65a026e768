// Bounds of a JSON body that are asked while its bytes arrive. A few megabytes can hold hundreds of
// thousands of keys, and parsing and checking those would hold up every other request for seconds.
import {
  backslash,
  brace,
  bracket,
  closingBrace,
  closingBracket,
  colon,
  comma,
  quote,
} from './characters.ts'
import { deepest } from './json.ts'
import { badRequest, payloadTooLarge } from './problem.ts'

/** The most keys of one object. PHP writes a list of 500 customers as an object with 500 keys. */
const mostKeys = 1000

/**
 * The most structural characters (`{`, `[`, `:` and `,` outside texts) of a body of at most `bytes`.
 * The densest honest body, 500 customers with 40 values each, has 240,000 at 4 MiB.
 */
export const mostStructure = (bytes: number): number => Math.max(1000, Math.floor(bytes / 14))

/** A list or an object that is too large for one step, or the outermost one. Positions are in bytes. */
export interface Container {
  begin: number
  /** The position of the closing bracket; the length of the body where it has none. */
  end: number
  /** Some of the commas between its members: they part it into steps. */
  commas: number[]
  /** Its large members, by the comma or the bracket before them. */
  large: Map<number, Container>
}

interface StructureScan {
  /**
   * Takes the next bytes of the body. Throws a 413 Problem as soon as they hold more structural
   * characters than `most`, or an object with more than 1,000 keys, and a 400 Problem at the bracket
   * that nests too deep.
   */
  take(bytes: Uint8Array): void
  /** Called once, at the end of the body. Undefined for a body without a list or an object. */
  outline(): Container | undefined
}

/** In structural characters. */
export interface StepSizes {
  /** The members of one step: 0.1 ms for records, 1 ms for keys that all differ. */
  step: number
  /** A member with more has steps of its own. A record with 250 values has 2,500. */
  member: number
}

const sizesOfSteps: StepSizes = { step: 2000, member: 4000 }

/** Looks over a body while its bytes arrive: asks its bounds, and notes how to part it into steps. */
export function scanStructure(
  most: number,
  { step, member }: StepSizes = sizesOfSteps,
): StructureScan {
  const ofLevels = () => new Int32Array(deepest + 2)
  const [keys, begins, countsBefore, lastCommas, nextSteps] = [
    ofLevels(),
    ofLevels(),
    ofLevels(),
    ofLevels(),
    ofLevels(),
  ]
  const commas: number[][] = []
  const large: Map<number, Container>[] = []
  let root: Container | undefined
  let [depth, count, inText, isEscaped, passed] = [0, 0, false, false, 0]

  const take = (bytes: Uint8Array) => {
    // Locals: a loop over captured variables takes four times as long.
    let [level, total, text, escaped] = [depth, count, inText, isEscaped]
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (text) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) text = false
        continue
      }
      // Most bytes outside texts are digits and letters of words.
      if (byte === quote) text = true
      else if (byte === colon) {
        total++
        if (++keys[level]! > mostKeys)
          throw payloadTooLarge(`An object of the body has more than ${mostKeys} keys`)
      } else if (byte === comma) {
        total++
        lastCommas[level] = passed + at
        if (total >= nextSteps[level]! && level > 0) part(level, passed + at, total)
      } else if (byte === brace || byte === bracket) {
        total++
        if (++level > deepest) throw badRequest(`The body is nested deeper than ${deepest} levels`)
        keys[level] = 0
        begins[level] = passed + at
        countsBefore[level] = total
        nextSteps[level] = total + step
      } else if ((byte === closingBrace || byte === closingBracket) && level > 0) {
        if (total - countsBefore[level]! > member || level === 1) close(level, passed + at, total)
        level--
      }
    }
    if (total > most)
      throw payloadTooLarge(`The body has more than ${most} structural characters ({ [ : ,)`)
    depth = level
    count = total
    inText = text
    isEscaped = escaped
    passed += bytes.length
  }

  /** The noted commas of the container that is open at a level. */
  const commasOf = (level: number): number[] => {
    const known = commas[level]
    return known && known[0]! > begins[level]! ? known : (commas[level] = [])
  }
  const part = (level: number, at: number, total: number): void => {
    commasOf(level).push(at)
    nextSteps[level] = total + step
  }
  const close = (level: number, end: number, total: number): void => {
    if (level === 1 && root) return
    const begin = begins[level]!
    const container = {
      begin,
      end,
      commas: commasOf(level),
      large: large[level] ?? new Map<number, Container>(),
    }
    commas[level] = []
    large[level] = new Map()
    if (level === 1) root = container
    else addToParent(level - 1, container, total)
  }
  /** The member has a step of its own: one begins before it, and the next one at the comma behind it. */
  const addToParent = (level: number, container: Container, total: number): void => {
    const before = Math.max(begins[level]!, lastCommas[level]!)
    const own = commasOf(level)
    if (before > begins[level]! && own.at(-1) !== before) own.push(before)
    const members = (large[level] ??= new Map())
    // Of two without a comma between them the second one is broken JSON.
    if (!members.has(before)) members.set(before, container)
    nextSteps[level] = total
  }
  const outline = () => {
    for (let level = depth; level > 0; level--)
      if (count - countsBefore[level]! > member || level === 1) close(level, passed, count)
    return root
  }
  return { take, outline }
}
