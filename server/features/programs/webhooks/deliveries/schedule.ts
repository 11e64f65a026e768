// When a delivery is tried again, and when its subscription is switched off (interface: Webhook
// delivery); pure.

const [minute, hour] = [60_000, 3_600_000]

/** Whether an answer counts as success. 0 stands for no answer. */
export const isValid = (status: number): boolean => status >= 100 && status < 300

const anyFailure = (status: number) => !isValid(status)
const serverFailure = (status: number) => status === 499 || (status >= 500 && status < 600)

/** The waits before the attempts 2 to 5, and the failures of the attempt before that allow each. */
const retries = [
  { waitMs: 5 * minute, follows: anyFailure },
  { waitMs: 15 * minute, follows: anyFailure },
  { waitMs: 15 * minute, follows: serverFailure },
  { waitMs: hour, follows: serverFailure },
]

/**
 * The milliseconds from the end of attempt `number` (1 is the first) to the next one; undefined if
 * none follows.
 */
export function waitAfter(number: number, status: number): number | undefined {
  const retry = retries[number - 1]
  return !isValid(status) && retry?.follows(status) ? retry.waitMs : undefined
}

/** Invalid answers count for this long, in milliseconds. */
export const failureWindowMs = 2 * hour
/** More of them, with the latest answer invalid, switch a subscription off. */
export const mostInvalid = 100
/** Numbers of invalid answers of which administrators are warned. */
export const warnings = [50, 70, 90]
