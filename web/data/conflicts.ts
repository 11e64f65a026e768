// When two people change the same: one rule for fields, files, links and stages. A change that somebody
// began from a value that another has replaced meanwhile waits until its author says whose stays.

/** A change was not sent: others had changed the same meanwhile. */
export class ChangeOvertaken extends Error {
  override name = 'ChangeOvertaken'
}

/** Whether others have replaced the value that a change began from by one that it does not want. */
export const isOvertaken = (base: unknown, present: unknown, wanted: unknown): boolean =>
  !isSameValue(base, present) && !isSameValue(present, wanted)

/**
 * Whether two values are the same to a reader. The server trims texts, names the codes of choices and
 * writes numbers as texts, so a value that came back differs from the one that was sent.
 */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(plain(one)) === JSON.stringify(plain(other))

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((each) => plain(each))
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  if (typeof value !== 'object' || value === null) return value ?? null
  const members = Object.entries(value)
    .filter(([name]) => name !== 'enum_code')
    .map(([name, member]) => [name, plain(member)] as const)
    .filter(([, member]) => member !== null)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
