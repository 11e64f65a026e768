// How the phone of a call is compared with those of contacts and companies.
import { digitsOf, phoneNumbersOf } from '../../../records/fields/phones.ts'

/** Phones are compared by so many of their last digits (interface: Call). */
export const comparedDigits = 10
/** Numbers with fewer digits belong to nobody: 0 and 00 stand for callers who hide theirs. */
const fewest = 3

/** The digits by which calls are the same: all of them where there are fewer than ten. */
export const lastDigits = (phone: string): string => digitsOf(phone).slice(-comparedDigits)

/** The digits by which cards are found, of each number of a phone without its extension. */
export function keysOfPhone(phone: string): string[] {
  const numbers = phoneNumbersOf(phone).filter(({ digits }) => digits.length >= fewest)
  return [...new Set(numbers.map(({ digits }) => digits.slice(-comparedDigits)))]
}
