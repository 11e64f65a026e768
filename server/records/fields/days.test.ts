// The beginnings of days, compared with a wall clock that is read hour by hour, then second by
// second. The clock extends the Gregorian calendar to dates before 1582, as Unix times do.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, daysLater, dayOfText, midnight, midnightBefore } from './days.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/Moscow',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Africa/Monrovia',
]
const runs = { seed: 20_261_120, numRuns: 60 }
const hour = 3600
const seconds = (text: string) => Date.parse(text) / 1000
const from = seconds('1890-01-01T00:00:00Z')
const to = seconds('2040-01-01T00:00:00Z')

const walls = new Map<string, Intl.DateTimeFormat>()

/** The date that a wall clock shows at a moment: 31.12.2026. */
function dayShown(timeZone: string, at: number): string {
  const options = { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' } as const
  const wall = walls.get(timeZone) ?? new Intl.DateTimeFormat('de-u-ca-gregory', options)
  walls.set(timeZone, wall)
  return wall.format(at * 1000)
}

/** The first second at which the wall clock shows the date of a moment. */
function firstSecond(timezone: string, at: number): number {
  const day = dayShown(timezone, at)
  const isShown = (moment: number) => dayShown(timezone, moment) === day
  let hours = 0
  while (isShown(at - (hours + 1) * hour)) hours++
  // Where clocks are set back over midnight (St. John's, one minute after it), the date appears
  // twice: before the change, and again after a second piece of the previous day.
  const hourly = at - hours * hour
  let minutes = 3 * 60
  while (!isShown(hourly - minutes * 60)) minutes--
  let first = hourly - minutes * 60
  for (let before = first - 60; first - before > 1;) {
    const middle = Math.floor((before + first) / 2)
    if (isShown(middle)) first = middle
    else before = middle
  }
  return first
}

describe.each(zones)('in %s', (zone) => {
  test('a day begins when the wall begins to show it, and the begin of a day is in it', () => {
    const moments = fc.integer({ min: from, max: to })
    fc.assert(
      fc.property(moments, (at) => {
        const begin = midnightBefore(zone, at)
        expect([begin, midnightBefore(zone, begin)]).toEqual([firstSecond(zone, at), begin])
        expect(midnight(zone, dayOfText(dayShown(zone, at))!)).toBe(begin)
      }),
      runs,
    )
  })

  test('so it is on every day of the years in which clocks were changed most', () => {
    const wrong = []
    for (const year of [1987, 2006, 2011, 2024]) {
      const noon = seconds(`${year}-01-01T12:00:00Z`)
      for (let day = 0; day < 365; day++) {
        const at = noon + day * 24 * hour
        if (midnightBefore(zone, at) !== firstSecond(zone, at))
          wrong.push(new Date(at * 1000).toISOString())
      }
    }
    expect(wrong).toEqual([])
  })
})

describe.each(zones)('days later in %s', (zone) => {
  /** The time that a wall clock shows: 12:30:00. */
  const timeShown = (at: number) =>
    new Date(at * 1000).toLocaleTimeString('de', { timeZone: zone, hourCycle: 'h23' })

  test('the clock shows the same time, or skips it', () => {
    const moments = fc.integer({ min: from, max: to })
    const days = fc.integer({ min: 0, max: 4000 })
    fc.assert(
      fc.property(moments, days, (at, days) => {
        const then = daysLater(zone, at, days)
        expect(daysLater(zone, at, 0)).toBeLessThanOrEqual(at)
        const isShown = timeShown(then) === timeShown(at)
        const day = dayOf(zone, then) - dayOf(zone, at)
        // A skipped time lies between the day before and the day after.
        const isSkipped = timeShown(then) > timeShown(at) || day === days + 1
        expect([isShown || isSkipped, isShown ? day : days]).toEqual([true, days])
      }),
      runs,
    )
  })

  test('a day that begins at midnight stays one', () => {
    const begin = midnightBefore(zone, seconds('2024-01-10T12:00:00Z'))
    for (let days = 0; days < 366; days++)
      expect(daysLater(zone, begin, days)).toBe(midnight(zone, dayOf(zone, begin) + days))
  })
})

test.for([
  ['Europe/Berlin', '2026-03-28T01:30:00Z', 1, '2026-03-29T01:30:00Z', 'half past two is skipped'],
  ['Europe/Berlin', '2026-10-24T00:30:00Z', 1, '2026-10-25T00:30:00Z', 'it comes twice'],
  ['Europe/Berlin', '2026-03-28T11:00:00Z', 1, '2026-03-29T10:00:00Z', 'noon'],
  [
    'America/New_York',
    '2026-01-31T17:00:00Z',
    180,
    '2026-07-30T16:00:00Z',
    'from winter to summer',
  ],
] as const)('in %s %s is, %i days later, %s: %s', ([zone, at, days, then]) => {
  expect(daysLater(zone, seconds(at), days)).toBe(seconds(then))
})

test.for([
  ['Europe/Berlin', '2026-03-29T15:00:00Z', '2026-03-28T23:00:00Z', 'clocks go forward at night'],
  ['Europe/Berlin', '2026-10-25T15:00:00Z', '2026-10-24T22:00:00Z', 'clocks go back at night'],
  [
    'America/Sao_Paulo',
    '2018-11-04T12:00:00Z',
    '2018-11-04T03:00:00Z',
    'midnight is skipped: the day begins at one',
  ],
  [
    'America/Havana',
    '2024-11-03T12:00:00Z',
    '2024-11-03T04:00:00Z',
    'midnight comes twice: the first counts',
  ],
  ['America/New_York', '1961-05-17T12:00:00Z', '1961-05-17T04:00:00Z', 'before 1970'],
  [
    'America/New_York',
    '1500-06-01T12:00:00Z',
    '1500-06-01T04:56:02Z',
    'before the calendar and time zones',
  ],
  ['America/New_York', '0001-01-02T12:00:00Z', '0001-01-02T04:56:02Z', 'in the year 1'],
  ['Asia/Kathmandu', '9999-12-31T12:00:00Z', '9999-12-30T18:15:00Z', 'at the end of the year 9999'],
])('%s: the day of %s begins at %s (%s)', ([zone, at, begin]) => {
  expect(midnightBefore(zone!, seconds(at!))).toBe(seconds(begin!))
})

test.for([
  ['UTC', '01.01.1970', 0],
  ['UTC', '1.2.1970', 31 * 86_400],
  ['UTC', '31.12.1969', -86_400],
  ['UTC', '1969-12-31', -86_400],
  ['Europe/Berlin', '2026-03-29', seconds('2026-03-28T23:00:00Z')],
  ['UTC', '29.02.2024', seconds('2024-02-29T00:00:00Z')],
  ['Europe/Berlin', '29.03.2026', seconds('2026-03-28T23:00:00Z')],
  // The day that Samoa skipped begins when the next one does.
  ['Pacific/Apia', '30.12.2011', seconds('2011-12-30T10:00:00Z')],
  ['Pacific/Apia', '29.12.2011', seconds('2011-12-29T10:00:00Z')],
] as const)('in %s the text %s means %i', ([zone, text, begin]) => {
  expect(midnight(zone, dayOfText(text)!)).toBe(begin)
})

test.for([
  '',
  '31.12',
  '29.02.2025',
  '31.04.2025',
  '0.1.2025',
  '1.13.2025',
  '2026-02-29',
  '2026-1-1',
  '1.1.25',
  ' 1.1.2025',
  '1.1.2025x',
])('the text %j names no day', (text) => {
  expect(dayOfText(text)).toBeUndefined()
})
