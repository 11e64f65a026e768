// The events of the log as the interface answers them.
import type { Static } from 'typebox'
import type { Event } from '../../server/features/activity/events/schema.ts'

export type ChangeValue = Record<string, Record<string, unknown>>
export type Change = Omit<Static<typeof Event>, 'value_before' | 'value_after'> & {
  value_before: ChangeValue[]
  value_after: ChangeValue[]
}

/** A param or a value as a text; empty for all that is none. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
