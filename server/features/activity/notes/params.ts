import { faultAt } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { compile } from '../../../http/validate.ts'
import type { Checked, CompileOptions } from '../../../http/validate.ts'
import { noteTypeFacts } from './types.ts'
import type { NoteType } from './types.ts'

export type Params = Record<string, unknown>

/**
 * Reads the params of a note by its type: converted, without those that only answers add. Paths of
 * faults are those of the note: `params.text`.
 */
export type ReadParams = (type: NoteType, params: Params) => Checked<Params>

/**
 * The most characters and values of one note's params; two of the longest texts fit in, with every
 * character taking two places.
 */
const heaviest = 300_000

export function readingParams({
  unknownKeys = 'reject',
}: Pick<CompileOptions, 'unknownKeys'>): ReadParams {
  return (type, params) => {
    const { params: schema, shown = [] } = noteTypeFacts(type)
    const { value, faults } = compile(schema, { unknownKeys })(params)
    const below = faults.map((fault) => ({
      ...fault,
      path: fault.path === '' ? 'params' : `params.${fault.path}`,
    }))
    const allFaults = below.length > 0 ? below : tooHeavy(value)
    return {
      value: Object.fromEntries(Object.entries(value).filter(([key]) => !shown.includes(key))),
      faults: allFaults,
    }
  }
}

/**
 * Params without a shape of their own (contacts of a campaign, a conference) are bounded together
 * with the rest.
 */
function tooHeavy(params: Params): Fault[] {
  let left = heaviest
  const rest: unknown[] = [params]
  while (rest.length > 0 && left >= 0) {
    const part = rest.pop()
    left -= typeof part === 'string' ? part.length : 1
    if (typeof part !== 'object' || part === null) continue
    for (const [key, value] of Object.entries(part)) {
      left -= Array.isArray(part) ? 0 : key.length
      rest.push(value)
    }
  }
  return left >= 0
    ? []
    : [faultAt('params', 'TooLong', 'The params of this note are too large.', heaviest)]
}
