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
  deepest,
  quote,
  sizesOfSteps,
} from './json.ts'
import type { StepSizes } from './json.ts'
import { badRequest, payloadTooLarge } from './problem.ts'

/** The most keys of one object. PHP writes a list of 500 customers as an object with 500 keys. */
const mostKeys = 1000

/**
 * The most structural characters (`{`, `[`, `:` and `,` outside texts) of a body of at most `bytes`.
 * The densest honest body, 500 customers with 40 values each, has 240,000 at 4 MiB.
 */
export const mostStructure = (bytes: number): number => Math.max(1000, Math.floor(bytes / 14))

/** The commas between members of the outermost list or object that part a body into steps. */
export interface Outline {
  /** Positions in bytes. */
  commas: number[]
  /** The most structural characters of a step. */
  largest: number
}

interface StructureScan {
  /**
   * Takes the next bytes of the body. Throws a 413 Problem as soon as they hold more structural
   * characters than `most`, or an object with more than 1,000 keys, and a 400 Problem at the bracket
   * that nests too deep.
   */
  take(bytes: Uint8Array): void
  outline(): Outline
}

/** Looks over a body while its bytes arrive. */
export function scanStructure(most: number, { step }: StepSizes = sizesOfSteps): StructureScan {
  const keys = new Int32Array(deepest + 2)
  let [depth, count, inText, isEscaped] = [0, 0, false, false]
  /** Bytes of the chunks before. */
  let passed = 0
  const commas: number[] = []
  let [largest, countAtComma] = [0, 0]

  const take = (bytes: Uint8Array) => {
    // Locals: a loop over captured variables takes four times as long.
    let [level, total, text, escaped, next] = [depth, count, inText, isEscaped, countAtComma + step]
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
        if (level === 1 && total >= next) {
          commas.push(passed + at)
          largest = Math.max(largest, total - next + step)
          next = total + step
        }
      } else if (byte === brace || byte === bracket) {
        total++
        if (++level > deepest) throw badRequest(`The body is nested deeper than ${deepest} levels`)
        keys[level] = 0
      } else if ((byte === closingBrace || byte === closingBracket) && level > 0) level--
    }
    if (total > most)
      throw payloadTooLarge(`The body has more than ${most} structural characters ({ [ : ,)`)
    depth = level
    count = total
    inText = text
    isEscaped = escaped
    passed += bytes.length
    countAtComma = next - step
  }
  return { take, outline: () => ({ commas, largest: Math.max(largest, count - countAtComma) }) }
}
