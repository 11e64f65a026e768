import { expect, test } from 'vitest'
import { periodAt } from './periods.ts'

const lengths = { recent: 2, expected: 3, closed: 4 }
const time = (text: string) => Date.parse(text) / 1000

/** The moments of a zone in which the clock is put back on 1 November 2026. */
const zone = 'America/New_York'
const summer = (text: string) => time(`${text}-04:00`)
const winter = (text: string) => time(`${text}-05:00`)

const dates = {
  last_purchase_at: summer('2026-10-20T18:00'),
  next_date: winter('2026-11-02T09:00'),
}

test.for([
  ['a purchase is recent at once', summer('2026-10-20T18:00'), 4, summer('2026-10-23T00:00')],
  ['to the end of its last day', summer('2026-10-22T23:59:59'), 4, summer('2026-10-23T00:00')],
  ['then the customer is ordinary', summer('2026-10-23T00:00'), 0, summer('2026-10-30T00:00')],
  ['the next one is expected', summer('2026-10-30T00:00'), 1, winter('2026-11-03T00:00')],
  ['to the end of its day', winter('2026-11-02T23:59:59'), 1, winter('2026-11-03T00:00')],
  ['then it is missed', winter('2026-11-03T00:00'), 2, winter('2026-11-07T00:00')],
  ['then the customer is closed', winter('2026-11-07T00:00'), 3, null],
] as const)('%s', ([, at, type, until]) => {
  expect(periodAt(lengths, dates, zone, at)).toEqual({ type, until })
})

test('a recent purchase goes before the date of the next', () => {
  const late = { ...dates, next_date: summer('2026-10-01T00:00') }
  const until = summer('2026-10-23T00:00')
  expect(periodAt(lengths, late, zone, dates.last_purchase_at)).toEqual({ type: 4, until })
  expect(periodAt(lengths, late, zone, until)).toEqual({ type: 3, until: null })
})

test('a purchase that is dated ahead counts from its time on', () => {
  const ahead = { ...dates, last_purchase_at: summer('2026-10-20T18:00') }
  const before = summer('2026-10-20T17:59')
  expect(periodAt(lengths, ahead, zone, before)).toEqual({ type: 0, until: ahead.last_purchase_at })
  expect(periodAt(lengths, ahead, zone, ahead.last_purchase_at).type).toBe(4)
  const missed = { ...ahead, next_date: summer('2026-01-01T00:00') }
  expect(periodAt(lengths, missed, zone, before)).toEqual({
    type: 3,
    until: ahead.last_purchase_at,
  })
})

test('lengths of no days', () => {
  const none = { recent: 0, expected: 0, closed: 0 }
  const types = ['2026-10-20T23:00', '2026-10-21T00:00', '2026-11-02T00:00', '2026-11-03T00:00']
  expect(types.map((text) => periodAt(none, dates, 'UTC', time(`${text}Z`)).type)).toEqual([
    4, 0, 1, 3,
  ])
})

test('the last time that the interface knows', () => {
  const last = { last_purchase_at: null, next_date: 253_402_300_799 }
  const lengths = { recent: 3650, expected: 3650, closed: 3650 }
  expect(periodAt(lengths, last, zone, last.next_date).type).toBe(1)
})
