import type { RightsDraft } from '../access/rights.ts'
import { sentRights } from '../access/schema.ts'
import { Type } from '../http/type.ts'
import { compile } from '../http/validate.ts'

const RightsInput = Type.Object(sentRights)

/** The rights of `--rights`. Throws an Error of one line if the text does not say them. */
export function readRights(text: string): RightsDraft {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new Error('--rights takes JSON like {"leads":{"view":"M","edit":"M","add":"A"}}')
  }
  const { value, faults } = compile(RightsInput)(parsed)
  if (faults[0]) throw new Error(`--rights, ${faults[0].path || 'as a whole'}: ${faults[0].detail}`)
  return value
}
