// The header `Retry-After` of answers of others (RFC 9110, 10.2.3); pure.

const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The milliseconds from `nowMs` (since 1970) that the header asks to wait: seconds, or a date. 0: none. */
export function waitOf(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  return date.test(header) ? Math.max(0, (Date.parse(header) || 0) - nowMs) : 0
}
