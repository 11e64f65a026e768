// What a text search asks: words, each of which stands somewhere in a text, within a word too, in any order and any line. Compared is the form
// of words.ts: case and accents do not count, nor how a letter is composed; everything else counts as it is, `%`, `_` and `\` too. A
// question of five digits or more with nothing but what phones are written with is also looked for as digits alone, as is each phone: both
// find each other however they are written.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { invalid } from '../../http/problem.ts'
import { digitsOf, markOf } from '../fields/values.ts'
import { searchForm, trigramsOf } from './text.ts'

/** Words of one question at most; more could only be a text that was pasted by mistake. */
const mostWords = 20

/** Characters of one question at most. */
export const longestQuery = 500

/** What a phone is written with. */
const phone = /^[+\d\s()./\u2010-\u2015-]+$/
/** Fewer digits are a part of too many phones. */
const fewestDigits = 5

/** Words that have to be there, all of one of the lists. */
export type SearchQuestion = readonly (readonly string[])[]

/** Reads a question; undefined for one that asks nothing. Throws a 400 problem for too many words. */
export function questionOf(query: string | undefined): SearchQuestion | undefined {
  if (!query?.trim()) return undefined
  // The characters of marks (fields/values.ts) are in no text.
  const words = [
    ...new Set(
      searchForm(query)
        .split(/[\s\uE000-\uE00C]+/)
        .filter(Boolean),
    ),
  ]
  if (words.length > mostWords) throw tooMany()
  // Nothing but accents, say: nothing has it.
  if (words.length === 0) return []
  const digits = phone.test(query) ? digitsOf(query) : ''
  return [words, ...(digits.length >= fewestDigits && words[0] !== digits ? [[digits]] : [])]
}

/** Whether the index knows anything of each way to answer; a word of one or two characters has no trigram. */
export function isIndexed(question: SearchQuestion): boolean {
  return question.every((words) => words.some((word) => trigramsOf(word).length > 0))
}

/**
 * Whether a text named `found` answers a question: the text has to hold the words, and `byIndex` the index is asked for their trigrams.
 * Lines of `gone`, the fields whose values are just being taken off the records, do not count.
 */
export function answers(question: SearchQuestion, gone: readonly number[], byIndex: boolean): Sql {
  const marks = gone.map(markOf).join('|')
  const text =
    gone.length > 0
      ? sql`regexp_replace(found.text, ${`(${marks})[^\n]*`}, '', 'g')`
      : sql`found.text`
  const has = (word: string) => [
    ...(byIndex ? trigramsOf(word) : []).map((trigram) => sql`found.grams like ${`%${trigram}%`}`),
    sql`strpos(${text}, ${word}) > 0`,
  ]
  if (question.length === 0) return sql`false`
  return sql`(${join(
    question.map((words) => sql`(${join(words.flatMap(has), ' and ')})`),
    ' or ',
  )})`
}

function tooMany() {
  return invalid([
    {
      request_id: '0',
      errors: [
        { code: 'TooMany', path: 'query', detail: `A search has ${mostWords} words or less.` },
      ],
    },
  ])
}
