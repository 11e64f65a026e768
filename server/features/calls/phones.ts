// How the phone of a call is compared with those of contacts and companies.
import { digitsOf } from '../../records/fields/values.ts'

/** Phones are compared by so many of their last digits (interface: Call). */
const compared = 10
/** Numbers with fewer digits belong to nobody: 0 and 00 stand for callers who hide theirs. */
const fewest = 3

/** The digits by which a phone is compared: all of them where it has fewer than ten. */
export const lastDigits = (phone: string): string => digitsOf(phone).slice(-compared)

/**
 * The numbers that a call may mean, the first of which a card has. The second is without what
 * follows a letter or a mark: an extension, or the host of a SIP address.
 */
export function numbersOf(phone: string): string[] {
  const [withoutTail] = /^(?:\D*\d){3}[^\p{L},;#*@]*/u.exec(phone) ?? []
  if (withoutTail === undefined || digitsOf(phone).length < fewest) return []
  return [...new Set([lastDigits(phone), lastDigits(withoutTail)])]
}
