import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { Name, Nullable } from '../../../../http/types.ts'
import { Language } from '../../users/schema.ts'

const closed = { additionalProperties: false }

/** The days of `working_hours`. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof weekdays)[number]

/** The most spans of working time in a day. */
export const mostSpans = 6
const dayMinutes = 1440

const Span = Type.Object(
  {
    from: Type.Integer({ minimum: 0, maximum: dayMinutes - 1 }),
    to: Type.Integer({ minimum: 1, maximum: dayMinutes }),
  },
  { ...closed, description: 'Minutes of the day; `to` is 1440 at the end of it' },
)
export type WorkingSpan = Static<typeof Span>

const Spans = Type.Array(Span, { maxItems: mostSpans })
const WorkingHours = Type.Object(
  Object.fromEntries(weekdays.map((day) => [day, Spans])) as Record<Weekday, typeof Spans>,
  closed,
)
export type WorkingHours = Static<typeof WorkingHours>

/** Two weeks. */
const mostMinutes = 20_160
const Minutes = Nullable(Type.Integer({ minimum: 1, maximum: mostMinutes }))

const values = {
  name: Name(255),
  currency: Type.String({
    maxLength: 3,
    description: 'A code of ISO 4217. Amounts stay the numbers that they are',
  }),
  timezone: Type.String({ minLength: 1, maxLength: 64, description: 'Europe/Riga' }),
  language: Language,
  week_starts_on: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(6)], {
    description: '0: Sunday, 1: Monday, 6: Saturday',
  }),
  is_task_result_required: Type.Boolean({ description: 'Of people on the pages, not of programs' }),
  chat_warn_minutes: Minutes,
  chat_late_minutes: Minutes,
}

/** The settings of the account, and what the operator of the server has set. */
export const SettingsOfAccount = Type.Object({
  ...values,
  currency_symbol: Nullable(Type.String()),
  working_hours: WorkingHours,
  logo: Nullable(Type.String({ description: 'Names the version of the logo; null: none' })),
  updated_by: Type.Integer({ minimum: 0, description: 'Who changed the account last; 0: nobody' }),
  bin_days: Type.Integer({ description: 'BIN_DAYS of the server' }),
  event_days: Type.Integer({ description: 'EVENT_DAYS of the server; 0: for ever' }),
})
export type SettingsOfAccount = Static<typeof SettingsOfAccount>

const changed = {
  ...Type.Partial(Type.Object(values)).properties,
  working_hours: Type.Optional(Type.Partial(WorkingHours, { ...closed, minProperties: 1 })),
}

/**
 * The members that change. `before` has their values as the page showed them: where one has another value now, nothing
 * is changed.
 */
export const AccountSettingsChange = Type.Object(
  { ...changed, before: Type.Optional(Type.Object(changed, closed)) },
  { ...closed, minProperties: 1 },
)
export type AccountSettingsChange = Static<typeof AccountSettingsChange>
