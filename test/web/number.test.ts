// Numbers and amounts as they are typed: 4 languages, with every sign that divides their digits, and
// what the application shows, typed back.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFormatter } from 'use-intl'
import { readTypedNumber, typedNumber } from '../../web/ui/number.ts'
import type { NumberReading, NumberRules } from '../../web/ui/number.ts'

const languages = ['en', 'es', 'pt', 'ru'] as const
type Language = (typeof languages)[number]

/** A reading in short: the number, the two numbers that it may be, or the fault. */
const short = (reading: NumberReading): string =>
  'number' in reading
    ? reading.number
    : reading.fault === 'ambiguous'
      ? reading.readings.join(' or ')
      : reading.fault === 'foreign'
        ? `foreign ${reading.text}`
        : reading.fault

const same = (text: string) => ({ en: text, es: text, pt: text, ru: text })
/** What English reads in one way, and the languages with the other signs in another. */
const mirrored = (en: string, others: string, ru = others) => ({ en, es: others, pt: others, ru })

type Row = [typed: string, decimal: Record<Language, string>, whole: Record<Language, string>]

const table: Row[] = [
  // Without signs
  ['7000', same('7000'), same('7000')],
  ['007', same('7'), same('7')],
  ['0', same('0'), same('0')],
  ['-0', same('0'), same('0')],
  ['12345678901234567890', same('12345678901234567890'), same('tooHigh')],
  // One sign before three digits: the groups of the language, or both
  ['7,000', mirrored('7000', '7 or 7000'), same('7000')],
  ['7.000', mirrored('7 or 7000', '7000', '7 or 7000'), same('7000')],
  ['12.500', mirrored('12.5 or 12500', '12500', '12.5 or 12500'), same('12500')],
  ['12,500', mirrored('12500', '12.5 or 12500'), same('12500')],
  ['-7.000', mirrored('-7 or -7000', '-7000', '-7 or -7000'), same('-7000')],
  // Kontor shows a number with three decimals so
  ['7.125', mirrored('7.125', '7125', '7.125 or 7125'), same('7125')],
  ['7,125', mirrored('7125', '7.125'), same('7125')],
  // One sign that divides no groups
  ['12.5', same('12.5'), same('notWhole')],
  ['12,5', same('12.5'), same('notWhole')],
  ['12,50', same('12.5'), same('notWhole')],
  ['7.0000', same('7'), same('7')],
  ['0.125', same('0.125'), same('notWhole')],
  ['0,125', same('0.125'), same('notWhole')],
  ['.5', same('0.5'), same('notWhole')],
  [',5', same('0.5'), same('notWhole')],
  ['7000.125', same('7000.125'), same('notWhole')],
  ['7000,125', same('7000.125'), same('notWhole')],
  ['12345678901234567890,1', same('12345678901234567890.1'), same('notWhole')],
  // Several signs
  ['1.234.567', same('1234567'), same('1234567')],
  ['1,234,567', same('1234567'), same('1234567')],
  ['1,234.56', same('1234.56'), same('notWhole')],
  ['1.234,56', same('1234.56'), same('notWhole')],
  ['1,234.567', same('1234.567'), same('notWhole')],
  ['1.234.567,8', same('1234567.8'), same('notWhole')],
  ['1,234.00', same('1234'), same('1234')],
  // Blanks and apostrophes
  ['7 000', same('7000'), same('7000')],
  ['7\u00a0000', same('7000'), same('7000')],
  ['7\u202f000', same('7000'), same('7000')],
  ['1\u2009234\u00a0567', same('1234567'), same('1234567')],
  [' 1 234,5 ', same('1234.5'), same('notWhole')],
  ["1'234.5", same('1234.5'), same('notWhole')],
  ['1’234’567', same('1234567'), same('1234567')],
  // Signs before a number, and marks of direction
  ['−7', same('-7'), same('-7')],
  ['–7', same('-7'), same('-7')],
  ['+7', same('7'), same('7')],
  ['\u200e-\u200e7\u200f', same('-7'), same('-7')],
  // Groups that are none
  ['1,23,456', same('badGroups'), same('badGroups')],
  ['1.23.456', same('badGroups'), same('badGroups')],
  ['12 5', same('badGroups'), same('badGroups')],
  ['0 123', same('badGroups'), same('badGroups')],
  ['1.234,567.8', same('badGroups'), same('badGroups')],
  ['1 234.567 890', same('badGroups'), same('badGroups')],
  ['12.5.2026', same('badGroups'), same('badGroups')],
  ['1,,000', same('badGroups'), same('badGroups')],
  // Other characters
  ['12a', same('foreign a'), same('foreign a')],
  ['7 kg', same('foreign kg'), same('foreign kg')],
  ['7k', same('foreign k'), same('foreign k')],
  ['1e5', same('foreign e'), same('foreign e')],
  ['12%', same('foreign %'), same('foreign %')],
  ['(5)', same('foreign ('), same('foreign (')],
  ['$7', same('foreign $'), same('foreign $')],
  ['٧٠', same('noNumber'), same('noNumber')],
  ['heavy', same('noNumber'), same('noNumber')],
  ['', same('noNumber'), same('noNumber')],
  ['.', same('noNumber'), same('noNumber')],
  ['7.', same('noNumber'), same('noNumber')],
  ['--1', same('noNumber'), same('noNumber')],
  ['5-7', same('noNumber'), same('noNumber')],
  ['7-', same('noNumber'), same('noNumber')],
]

describe.each(languages)('in %s', (language) => {
  test.each(table)('%j is read, refused or asked about', (typed, decimal, whole) => {
    expect(short(readTypedNumber(typed, language))).toBe(decimal[language])
    expect(short(readTypedNumber(typed, language, { isWhole: true }))).toBe(whole[language])
  })

  test.each([
    ['$7,000', { isWhole: true, currency: 'USD' }, '7000'],
    ['$4,200', { isWhole: true, min: 0, currency: 'USD' }, '4200'],
    ['-$4,200', { isWhole: true, currency: 'USD' }, '-4200'],
    ['$ -4200', { currency: 'USD' }, '-4200'],
    ['US$ 1,234.56', { currency: 'USD' }, '1234.56'],
    ['1.234,56 usd', { currency: 'USD' }, '1234.56'],
    ['$5 USD', { currency: 'USD' }, '5'],
    ['R$ 12,50', { currency: 'BRL' }, '12.5'],
    ['12 €', { currency: 'EUR' }, '12'],
    ['CHF 1’234.50', { currency: 'CHF' }, '1234.5'],
    // The sign of another currency is no sign of this one.
    ['€12', { currency: 'USD' }, 'foreign €'],
    ['12 rub', { currency: 'EUR' }, 'foreign rub'],
    ['$', { currency: 'USD' }, 'noNumber'],
    ['-1', { min: 0 }, 'tooLow'],
    ['0', { isPositive: true }, 'notPositive'],
    ['0,0000001', { isPositive: true, fractionDigits: 6 }, 'tooManyPlaces'],
    ['1000000000', { max: 999_999_999 }, 'tooHigh'],
    ['9007199254740991', { isWhole: true }, '9007199254740991'],
    ['9007199254740993', { isWhole: true }, 'tooHigh'],
    ['-9007199254740993', { isWhole: true }, 'tooLow'],
  ] as [string, NumberRules, string][])('%s by the rules %j is %s', (typed, rules, expected) => {
    expect(short(readTypedNumber(typed, language, rules))).toBe(expected)
  })
})

test('three decimals of an amount are asked about in every language, for none is shown so', () => {
  const amount = (typed: string, language: Language) =>
    short(readTypedNumber(typed, language, { currency: 'USD' }))
  expect(amount('$7.125', 'en')).toBe('7.125 or 7125')
  expect(amount('7,125 $', 'pt')).toBe('7.125 or 7125')
  expect(amount('7,125 $', 'ru')).toBe('7.125 or 7125')
  expect(amount('7,125', 'en')).toBe('7125')
})

const language = fc.constantFrom(...languages)
const currency = fc.constantFrom(
  'USD',
  'EUR',
  'BRL',
  'RUB',
  'CHF',
  'MXN',
  'GBP',
  'KZT',
  'JPY',
  'PLN',
)
/** Numbers with up to so many decimals. */
const numberOf = (fractionDigits: number, most = 1e11) =>
  fc
    .integer({ min: -most, max: most })
    .map((digits) => Number((digits / 10 ** fractionDigits).toFixed(fractionDigits)))
const fractionDigits = fc.integer({ min: 0, max: 4 })

describe('what is shown, typed back, is the same number', () => {
  test('a number of a field, of a filter and of a product', () => {
    fc.assert(
      fc.property(
        language,
        fractionDigits.chain((most) => numberOf(most)),
        (locale, number) => {
          const format = createFormatter({ locale })
          const shown = format.number(number, { maximumFractionDigits: 10 })
          expect(readTypedNumber(shown, locale), shown).toEqual({ number: String(number) })
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('an amount, by each writing of its currency', () => {
    fc.assert(
      fc.property(
        language,
        currency,
        numberOf(2),
        fc.constantFrom('symbol', 'narrowSymbol', 'code'),
        fc.constantFrom('card', 'usual'),
        (locale, code, number, currencyDisplay, style) => {
          const shown = createFormatter({ locale }).number(number, {
            style: 'currency',
            currency: code,
            currencyDisplay,
            ...(style === 'card' && {
              minimumFractionDigits: Number.isInteger(number) ? 0 : 2,
              maximumFractionDigits: 2,
            }),
          })
          // Yen are shown without decimals unless the card asks for them.
          fc.pre(style === 'card' || code !== 'JPY' || Number.isInteger(number))
          expect(readTypedNumber(shown, locale, { currency: code }), shown).toEqual({
            number: String(number),
          })
        },
      ),
      { numRuns: 4000 },
    )
  })

  test('a price in whole units', () => {
    fc.assert(
      fc.property(language, currency, numberOf(0, 2 ** 52), (locale, code, number) => {
        const shown = createFormatter({ locale }).number(number, {
          style: 'currency',
          currency: code,
          currencyDisplay: 'narrowSymbol',
          maximumFractionDigits: 0,
        })
        const rules = { isWhole: true, currency: code }
        expect(readTypedNumber(shown, locale, rules), shown).toEqual({ number: String(number) })
        const notNegative = readTypedNumber(shown, locale, { ...rules, min: 0 })
        expect('fault' in notNegative, shown).toBe(number < 0)
      }),
      { numRuns: 2000 },
    )
  })

  test('the draft of an editor, and a number that was chosen of two', () => {
    fc.assert(
      fc.property(
        language,
        fc.option(currency, { nil: undefined }),
        fractionDigits.chain((most) => numberOf(most, 1e6)),
        (locale, code, number) => {
          const rules = { currency: code }
          const typed = typedNumber(String(number), locale, rules)
          expect(readTypedNumber(typed, locale, rules), typed).toEqual({ number: String(number) })
        },
      ),
      { numRuns: 2000 },
    )
  })
})

test('a draft has the decimals of the language, and one more where they would be a group', () => {
  expect(typedNumber('-70000.5', 'en')).toBe('-70000.5')
  expect(typedNumber('70000.5', 'ru')).toBe('70000,5')
  expect(typedNumber('7.125', 'pt')).toBe('7,125')
  expect(typedNumber('7.125', 'pt', { currency: 'BRL' })).toBe('7,1250')
})

test('any text is a number, a fault or a question, and digits are never lost', () => {
  const unit = fc.constantFrom(..."0123456789,. '-+$€k\u00a0".split(''))
  fc.assert(
    fc.property(language, fc.string({ unit, maxLength: 12 }), (locale, text) => {
      const reading = readTypedNumber(text, locale, { currency: 'USD' })
      const digitsOf = (one: string) => one.replaceAll(/\D/g, '').replaceAll(/^0+|0+$/g, '')
      if ('number' in reading) expect(digitsOf(reading.number)).toBe(digitsOf(text))
      else if (reading.fault === 'ambiguous')
        for (const one of reading.readings) expect(digitsOf(one)).toBe(digitsOf(text))
    }),
    { numRuns: 5000 },
  )
})

describe('the sources of web/', () => {
  const web = path.join(import.meta.dirname, '../../web')
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('dist'))
    .map((name) => [name, readFileSync(path.join(web, name), 'utf8')] as const)
  const having = (pattern: RegExp) =>
    sources.filter(([, text]) => pattern.test(text)).map(([name]) => name)

  test('have one input of numbers', () => {
    expect(having(/\bNumberInput\b|type="number"|inputMode="decimal"/)).toEqual([])
    // The code of a second factor is digits, and no number.
    expect(having(/inputMode="numeric"/)).toEqual(['features/second-factor/second-factor-part.tsx'])
  })

  test('read typed numbers by the one parser', () => {
    const typed = String.raw`(?:\w+\.)*(?:typed|price|next_price|quantity|draft|digits)`
    expect(
      having(new RegExp(String.raw`\b(?:Number|parseFloat|parseInt|Math\.trunc)\(${typed}\)`)),
    ).toEqual([])
  })

  /** Each input of a number; the browser tests type into all of them (test/browser/numbers.test.ts). */
  test('have these inputs of numbers', () => {
    expect(having(/<NumberField\b/).toSorted()).toEqual([
      'features/board/quick-add.tsx',
      'features/filter/chip-editor.tsx',
      'features/links/products.tsx',
      'features/pipelines/stage-panel.tsx',
      'features/purchases/add-form.tsx',
      'features/rows/quick-row.tsx',
      'routes/gallery.tsx',
      'shell/create/new.tsx',
    ])
    // The line of a card is a plain text that is read by the same parser.
    expect(having(/useNumbers\(/).toSorted()).toContain('features/card/edit.ts')
  })
})
