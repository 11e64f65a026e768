// Stored numbers and times, compared with their sources.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayCases } from '../../../test/days.ts'
import type { Complain } from './scalars.ts'
import { dateText, dayNamed, readNumber, readText, readTime } from './scalars.ts'

const runs = { seed: 20_261_120, numRuns: 500 }
/** The stored value, or the code of the fault. */
const kept = <Value>(read: (complain: Complain) => Value | undefined) => {
  const codes: string[] = []
  const value = read((_, ...[code]) => {
    codes.push(code)
  })
  return value ?? codes[0]
}
const number = (value: unknown) => kept((complain) => readNumber(complain, value))
const time = (value: unknown) => kept((complain) => readTime(complain, value))

describe('numbers', () => {
  const digits = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength, maxLength })
  const decimal = fc.record({ minus: fc.boolean(), whole: digits(1, 20), decimals: digits(0, 10) })
  const written = ({
    minus,
    whole,
    decimals,
  }: {
    minus: boolean
    whole: string
    decimals: string
  }) => `${minus ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`
  /**
   * The value in units of the tenth decimal place: two texts mean the same number when these are
   * equal.
   */
  const units = (text: string) => {
    const [whole = '', decimals = ''] = text.replace('-', '').split('.')
    return BigInt(whole + decimals.padEnd(10, '0')) * (text.startsWith('-') ? -1n : 1n)
  }

  test('as text keep their value to the last digit, in one form only', () => {
    fc.assert(
      fc.property(decimal, (parts) => {
        const text = written(parts)
        const shortest = number(text)!
        expect(units(shortest)).toBe(units(text))
        expect(shortest).toMatch(/^(?:0|-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?)$/)
        expect(number(shortest)).toBe(shortest)
      }),
      runs,
    )
  })

  test('that are equal have equal texts, whatever zeros they are written with', () => {
    const zeros = fc.nat(5).map((count) => '0'.repeat(count))
    fc.assert(
      fc.property(decimal, zeros, zeros, (parts, before, behind) => {
        const decimals = parts.decimals === '' && behind === '' ? '' : `${parts.decimals}${behind}`
        expect(number(written({ ...parts, whole: before + parts.whole, decimals }))).toBe(
          number(written(parts)),
        )
      }),
      runs,
    )
  })

  test('of JSON are kept as JavaScript writes them, where that has at most ten places', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6), (whole, decimals) => {
        const value = whole / 10 ** decimals
        expect(Number(number(value))).toBe(value)
        expect(number(value)).toBe(number(String(number(value))))
      }),
      runs,
    )
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => {
        expect(Math.abs(Number(number(value)) - value)).toBeLessThanOrEqual(
          0.5e-10 + Math.abs(value) * Number.EPSILON,
        )
      }),
      runs,
    )
  })

  test('one beyond the safe integers is taken as text only', () => {
    expect([number(2 ** 53 - 1), number(2 ** 53), number('9007199254740993')]).toEqual([
      '9007199254740991',
      'InvalidFormat',
      '9007199254740993',
    ])
  })
})

describe('times', () => {
  const moment = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })

  test('are kept as Unix seconds, whether as number, as text or as a date with its offset', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })
    fc.assert(
      fc.property(moment, offset, fc.nat(999), (at, minutes, thousandths) => {
        const local = new Date((at + minutes * 60) * 1000 + thousandths).toISOString()
        fc.pre(/^(?!0000)\d/.test(local))
        const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
        const zone = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
        expect([time(at), time(String(at)), time(local.replace('Z', zone))]).toEqual([at, at, at])
      }),
      runs,
    )
  })

  test('of a day that is in no calendar are refused', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 29, max: 31 }),
        (...date) => {
          const [year, month, day] = date
          const isDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate() >= day
          const text = [
            String(year).padStart(4, '0'),
            ...[month, day].map((part) => String(part).padStart(2, '0')),
          ].join('-')
          expect(time(`${text}T12:00:00Z`) !== 'InvalidFormat').toBe(isDay)
        },
      ),
      runs,
    )
  })
})

test('texts may be numbers and booleans, and no longer than their type takes', () => {
  const text = (value: unknown) => kept((complain) => readText('text', complain, value))
  expect(['x', 5, 0.1, false, ' '].map(text)).toEqual(['x', '5', '0.1', 'false', undefined])
  expect([2 ** 53, null, {}, 'x'.repeat(257), 'x'.repeat(1_000_000)].map(text)).toEqual([
    'InvalidType',
    'InvalidType',
    'InvalidType',
    'TooLong',
    'TooLong',
  ])
})

test.for(dayCases)('in an account in %s, %j names the day %s', ([timezone, sent, day]) => {
  const named = dayNamed(timezone, sent)
  expect(named === undefined ? null : dateText(named)).toBe(day)
})
