// Reads a number or an amount as somebody typed it, in the language of the application: its groups and
// its decimals, blanks of every kind, and the signs and the code of the currency. A writing with two
// meanings is not guessed, and no character is dropped: all others are refused. Pure functions.

/** What a field takes. */
export interface NumberRules {
  isWhole?: boolean
  /** The code of the currency of an amount. */
  currency?: string | undefined
  min?: number
  max?: number
  /** Nothing and less are refused. */
  isPositive?: boolean
  /** The most decimals. */
  fractionDigits?: number
}

export type NumberFault =
  | { fault: 'noNumber' | 'notWhole' | 'notPositive' | 'badGroups' }
  /** Characters that are part of no number. */
  | { fault: 'foreign'; text: string }
  | { fault: 'tooLow' | 'tooHigh' | 'tooManyPlaces'; limit: number }
  /** The two numbers that it may be, the smaller one first. */
  | { fault: 'ambiguous'; readings: [string, string] }

/** The number in the form of the interface, `-1234.5`, or why the text is none. */
export type NumberReading = { number: string } | NumberFault

/** The languages whose writings of a currency are known. */
const languages = ['en', 'es', 'pt', 'ru']

export function readTypedNumber(
  typed: string,
  language: string,
  rules: NumberRules = {},
): NumberReading {
  const text = typed
    .replaceAll(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\u2010-\u2013\u2212\ufe63\uff0d]/g, '-')
    .replaceAll(/[`´‘’ʼ′]/g, "'")
  const { sign, body } = withoutMarks(text, rules.currency)
  const foreign = /[^\d\s.,'+-]+(?:\s*[^\d\s.,'+-]+)*/.exec(body)
  if (!/\d/.test(body)) return { fault: 'noNumber' }
  if (foreign) return { fault: 'foreign', text: foreign[0] }
  // A sign in the middle or at the end belongs to another writing: a range, a phone.
  if (/[+-]|[.,']$|^'/.test(body)) return { fault: 'noNumber' }
  const reading = readDigits(body, language, rules)
  if (!Array.isArray(reading)) return reading
  const numbers = reading.map((digits) => shortest(sign, digits))
  if (numbers.length === 1) return within(numbers[0]!, rules)
  const readings = numbers.toSorted((one, other) => Math.abs(Number(one)) - Math.abs(Number(other)))
  return { fault: 'ambiguous', readings: readings as [string, string] }
}

/**
 * A number of the interface as an editor begins with it: in the language, without groups, and read
 * back as the same number.
 */
export function typedNumber(number: string, language: string, rules: NumberRules = {}): string {
  const { decimal } = signsOf(language)
  const plain = number.replace('.', decimal)
  const reading = readTypedNumber(plain, language, { currency: rules.currency })
  // With a fourth decimal three of them are no group.
  return 'fault' in reading && reading.fault === 'ambiguous' ? `${plain}0` : plain
}

interface Signs {
  group: string
  decimal: string
}

const signs = new Map<string, Signs>()

/** The signs of a language; a blank stands for each of them. */
function signsOf(language: string): Signs {
  const known = signs.get(language)
  if (known) return known
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.5)
  const signOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const found = { group: signOf('group').replace(/\s/, ' '), decimal: signOf('decimal') }
  signs.set(language, found)
  return found
}

const marks = new Map<string, string[]>()

/** The writings of a currency in each language, the longer ones first: `US$`, `USD`, `$`. */
function marksOf(currency: string): string[] {
  const known = marks.get(currency)
  if (known) return known
  const all = languages.flatMap((language) =>
    (['symbol', 'narrowSymbol', 'code'] as const).map((currencyDisplay) =>
      new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay })
        .formatToParts(1)
        .find(({ type }) => type === 'currency')!
        .value.toLowerCase(),
    ),
  )
  const found = [...new Set(all)].toSorted((one, other) => other.length - one.length)
  marks.set(currency, found)
  return found
}

/** The sign of a text, and what is left without the sign and the currency: `-$5`, `$-5`, `5 USD`. */
function withoutMarks(text: string, currency: string | undefined): { sign: string; body: string } {
  const all = currency === undefined ? [] : marksOf(currency)
  let body = text
  let sign = ''
  const takeSign = () => {
    if (sign !== '' || !/^[+-]/.test(body)) return
    sign = body[0]!
    body = body.slice(1).trim()
  }
  takeSign()
  const before = all.find((mark) => body.toLowerCase().startsWith(mark))
  if (before !== undefined) {
    body = body.slice(before.length).trim()
    takeSign()
  }
  const after = all.find((mark) => body.toLowerCase().endsWith(mark))
  if (after !== undefined) body = body.slice(0, body.length - after.length).trim()
  return { sign, body }
}

/** One number in plain digits, two where both are meant as often, or a fault. */
function readDigits(
  body: string,
  language: string,
  { isWhole, currency }: NumberRules,
): string[] | NumberFault {
  if (/^\d+$/.test(body)) return [body]
  const [grouped, decimal] = [groupedIn(body), decimalIn(body)]
  if (grouped === undefined) return decimal === undefined ? { fault: 'badGroups' } : [decimal]
  // Here one sign alone divides digits, and three follow it.
  if (decimal === undefined || isWhole) return [grouped]
  const sign = /\D/.exec(body)![0]
  const own = signsOf(language)
  if (sign === own.group) return [grouped]
  // Kontor shows three decimals without a zero at their end, and two of an amount at most.
  if (sign === own.decimal && currency === undefined && !body.endsWith('0')) return [decimal]
  return [grouped, decimal]
}

const groups = /^[1-9]\d{0,2}(?:([.,' ])\d{3})(?:\1\d{3})*$/

/** The digits of a number in groups of three with one sign between them; undefined for others. */
const groupedIn = (text: string): string | undefined =>
  groups.test(text) ? text.replaceAll(/\D/g, '') : undefined

/** The same with decimals behind a point or a comma that stands once. */
function decimalIn(text: string): string | undefined {
  const [, wholePart = '', sign, tail] = /^(.*)([.,])(\d+)$/.exec(text) ?? []
  if (sign === undefined || wholePart.includes(sign)) return undefined
  const whole = wholePart === '' ? '0' : /^\d+$/.test(wholePart) ? wholePart : groupedIn(wholePart)
  return whole === undefined ? undefined : `${whole}.${tail}`
}

/** Without zeros that say nothing, so that equal numbers have equal texts. */
function shortest(sign: string, digits: string): string {
  const [whole = '', fractionDigits = ''] = digits.split('.')
  const [own, behind] = [whole.replace(/^0+(?=\d)/, ''), fractionDigits.replace(/0+$/, '')]
  const number = behind === '' ? own : `${own}.${behind}`
  return sign === '-' && number !== '0' ? `-${number}` : number
}

function within(
  number: string,
  { isWhole = false, min, max, isPositive = false, fractionDigits }: NumberRules,
): NumberReading {
  const value = Number(number)
  const decimals = number.split('.')[1]?.length ?? 0
  if (isWhole && decimals > 0) return { fault: 'notWhole' }
  if (fractionDigits !== undefined && decimals > fractionDigits)
    return { fault: 'tooManyPlaces', limit: fractionDigits }
  if (isPositive && value <= 0) return { fault: 'notPositive' }
  // A whole number is sent as a number of JSON, which has no more digits.
  const most = max ?? (isWhole ? Number.MAX_SAFE_INTEGER : Infinity)
  const least = min ?? (isWhole ? Number.MIN_SAFE_INTEGER : -Infinity)
  if (value < least) return { fault: 'tooLow', limit: least }
  if (value > most) return { fault: 'tooHigh', limit: most }
  return { number }
}
