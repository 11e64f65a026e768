// The numbers in the value of a phone, by which cards are found: each without its extension
// (interface: Call). People write several numbers into one value, and extensions in many ways.

/** A number of a value: its digits, and those of its extension, '' without one. */
export interface PhoneNumber {
  digits: string
  extension: string
}

/** The most characters of a value that are read, and the most numbers of it: each is an index row. */
const [longest, mostNumbers] = [2000, 20]
/** So many digits are a number of their own wherever they stand, and no extension. */
const leastDigits = 7
/** Fewer digits are no number beside one that has more: an area code, or the number of a flat. */
const fewestDigits = 5
/** No number has more digits (E.164). */
const mostDigits = 15

/** Digits, and what people put between the digits of one number. A new line ends it. */
const digitRun = /\d(?:[^\S\n\r\u2028\u2029]|[\p{Cf}().[\]'_\-\u2010-\u2015\u2212]|\d)*/gu
/** An extension follows, however long it is. */
const beforeExtension = /[#*]|(?<!\p{L})(?:ext|доб|внутр|вн|int|ramal|anexo|[xх](?!\p{L}))/iu
/** The host of a SIP address follows. */
const beforeHost = /@/
const slash = /^[\s()]*[/\\][\s()]*$/

export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

/** The numbers of a value, each once; its digits, where none of them make a number. */
export function phoneNumbersOf(value: string): PhoneNumber[] {
  const numbers: PhoneNumber[] = []
  let end = 0
  const text = value.slice(0, longest)
  for (const { 0: run, index } of text.matchAll(digitRun)) {
    const between = text.slice(end, index)
    end = index + run.length
    const last = numbers.at(-1)
    if (beforeHost.test(between) || (!last && beforeExtension.test(between))) continue
    const digits = digitsOf(run)
    const role = last ? roleOf(between, digits, last.digits) : 'number'
    if (role === 'extension') last!.extension += digits
    else if (role === 'rest') last!.digits += digits
    else for (const each of apart(run)) numbers.push({ digits: each, extension: '' })
  }
  const long = numbers.filter(({ digits }) => digits.length >= fewestDigits)
  const kept = long.length > 0 ? long : numbers
  if (kept.length === 0) return digitsOf(text) ? [{ digits: digitsOf(text), extension: '' }] : []
  return [...new Map(kept.toReversed().map((each) => [each.digits, each])).values()]
    .toReversed()
    .slice(0, mostNumbers)
}

/**
 * The numbers of a value with their extensions, each as one text: two values with the same ones are one
 * phone. They are compared by so many of their last digits.
 */
export const phoneNamesOf = (value: string, compared = longest): string[] =>
  phoneNumbersOf(value).map(({ digits, extension }) => `${digits.slice(-compared)} ${extension}`)

/** The role of the digits after a number: another one, its extension, or, after a slash, its rest. */
function roleOf(between: string, digits: string, last: string): 'number' | 'extension' | 'rest' {
  if (beforeExtension.test(between)) return 'extension'
  const isNumber = digits.length >= Math.min(leastDigits, last.length)
  if (!slash.test(between)) return isNumber ? 'number' : 'extension'
  // A slash parts two numbers, or the code of a town from the number: 030/901820.
  const isCode = last.length < fewestDigits || (last.startsWith('0') && last.length < leastDigits)
  if (isCode) return 'rest'
  if (isNumber) return 'number'
  return digits.length >= fewestDigits ? 'rest' : 'extension'
}

/** Two numbers with nothing but spaces between them are too long for one. */
function apart(run: string): string[] {
  const digits = digitsOf(run)
  if (digits.length <= mostDigits) return [digits]
  const words = run.split(/\s+/).map(digitsOf)
  return words.every((word) => word.length >= leastDigits) ? words : [digits]
}
