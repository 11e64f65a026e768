// The words of a text search. Each word has to appear somewhere in a text, also within a word, in
// any order and on any line. Texts are compared in the form of text.ts: case, accents and Unicode
// composition do not count, every other character does, `%`, `_` and `\` included. A search of at
// least five digits and only characters of phone numbers also matches by digits alone, as phones
// are indexed that way too. A phone is thus found in any notation.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { faultAt, invalidFor } from '../../http/problem.ts'
import { digitsOf } from '../fields/phones.ts'
import { markOf } from '../fields/values.ts'
import { searchForm, trigramsOf } from './text.ts'

/** The most words of one search; a longer text was probably pasted by mistake. */
const mostWords = 20

/** The most characters of one search. */
export const longestQuery = 500

/** The characters of phone numbers. */
const phone = /^[+\d\s()./\u2010-\u2015-]+$/
/** Fewer digits appear in too many phones. */
const fewestDigits = 5

/** Alternative lists of words; a text matches if it contains all words of one list. */
export type SearchTerms = readonly (readonly string[])[]

/** The words of a search; undefined for an empty one. Throws a 400 problem for too many words. */
export function searchTermsOf(query: string | undefined): SearchTerms | undefined {
  if (!query?.trim()) return undefined
  // Texts do not contain the characters of marks (fields/values.ts).
  const words = [
    ...new Set(
      searchForm(query)
        .split(/[\s\uE000-\uE00C]+/)
        .filter(Boolean),
    ),
  ]
  if (words.length > mostWords) throw tooMany()
  // A search of accents only, for example, matches nothing.
  if (words.length === 0) return []
  const digits = phone.test(query) ? digitsOf(query) : ''
  const isOther = words.length > 1 || words[0] !== digits
  return [words, ...(digits.length >= fewestDigits && isOther ? [[digits]] : [])]
}

/**
 * Whether the index can be used for each alternative; a word of one or two characters has no
 * trigram.
 */
export function isIndexed(terms: SearchTerms): boolean {
  return terms.every((words) => words.some((word) => trigramsOf(word).length > 0))
}

/** Whether a word has one or two characters. */
export const hasShortWord = (terms: SearchTerms): boolean =>
  terms.some((words) => words.some((word) => trigramsOf(word).length === 0))

/**
 * Whether a text named `found` matches a search. The candidates of an alternative are looked up in the
 * index before the text is compared. Lines of the fields in `gone`, whose values are still being removed,
 * do not count.
 */
export function answers(
  terms: SearchTerms,
  gone: readonly number[],
  candidates: (words: readonly string[], place: number) => Sql[] = () => [],
): Sql {
  const marks = gone.map(markOf).join('|')
  const text =
    gone.length > 0
      ? sql`regexp_replace(found.text, ${`(${marks})[^\n]*`}, '', 'g')`
      : sql`found.text`
  const has = (word: string) => sql`strpos(${text}, ${word}) > 0`
  if (terms.length === 0) return sql`false`
  return sql`(${join(
    terms.map(
      (words, index) => sql`(${join([...candidates(words, index), ...words.map(has)], ' and ')})`,
    ),
    ' or ',
  )})`
}

/** The candidates that have all trigrams of the words. */
export const byTrigrams = (words: readonly string[]): Sql[] =>
  trigramsIn(words).map((trigram) => sql`found.grams like ${`%${trigram}%`}`)

export const trigramsIn = (words: readonly string[]): string[] => [
  ...new Set(words.flatMap(trigramsOf)),
]

function tooMany() {
  return invalidFor(
    faultAt('query', 'TooMany', `A search has ${mostWords} words or less.`, mostWords),
  )
}
