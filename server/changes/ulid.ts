// The ids of events: ten characters of time and sixteen of a number that only grows. `ulid_time` of
// the database makes the same first part.

/** Crockford's base 32. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 10
/** The last time that ten characters hold, in milliseconds. */
const latest = 2 ** 48 - 1

/** The time in the id of an event, in Unix milliseconds. */
export function timeOfUlid(id: string): number {
  return Array.from(id.slice(0, length)).reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
}

/** The beginning of all ids of a time in Unix milliseconds; it sorts before them. */
export function ulidTime(milliseconds: number): string {
  let left = Math.min(Math.max(milliseconds, 0), latest)
  let text = ''
  for (let index = 0; index < length; index++) {
    text = digits[left % 32]! + text
    left = Math.floor(left / 32)
  }
  return text
}
