import { faultAt } from './problem.ts'
import type { Fault } from './problem.ts'

/** The client's name for an item, or a fault if it cannot be one. Null counts as not sent. */
export function nameOf(name: unknown): string | undefined | Fault {
  if (name === null || name === undefined) return undefined
  if (typeof name === 'number') return String(name)
  if (typeof name !== 'string')
    return faultAt('request_id', 'InvalidType', 'This value should be of type string.')
  return name.length <= longestName ? name : tooLong
}

const longestName = 255
const tooLong = faultAt(
  'request_id',
  'TooLong',
  `This value is too long. It should have ${longestName} characters or less.`,
  longestName,
)
