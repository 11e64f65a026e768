// Text search: a record is found when each word of the question stands somewhere in its name, texts, phones or e-mails, whatever the case
// and the accents; a phone is found by its digits however it is written. A lead is also found by the contacts and companies it is linked
// to, which is how people ask for it. The texts stand beside the records (`record_texts`) under an index of trigrams and are written with
// them, so an answer is true right after a write. A word of one or two characters has no trigram: such a search walks over the texts.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../http/access.ts'
import { invalid } from '../http/problem.ts'
import type { Fields } from './fields/definitions.ts'
import { digitsOf, markOf } from './fields/values.ts'
import type { RecordType } from './kind.ts'
import { may, mayAll, mayNone } from './rights.ts'
import type { Sieve } from './sieves.ts'
import { gramForm, searchForm } from './words.ts'

/** Words of one question at most; more could only be a text that was pasted by mistake. */
const mostWords = 20

/** Characters of one question at most. */
export const longestQuery = 500

/** The sieve of `query`, none for an empty one. `gone` are the fields whose values are just being taken off the records. */
export function searched(actor: Actor, type: RecordType, query: string | undefined, { gone }: Pick<Fields, 'gone'>): Sieve[] {
  const words = [
    ...new Set(
      searchForm(query ?? '')
        .split(/\s+/)
        .filter(Boolean),
    ),
  ]
  if (words.length === 0) return []
  if (words.length > mostWords) throw tooMany()
  const digits = /^\+?[\d\s().-]+$/.test(query!.trim()) ? digitsOf(query!) : ''
  const alternatives = [words, ...(digits.length >= 5 && words[0] !== digits ? [[digits]] : [])]
  const matches = join(
    alternatives.map(
      (each) =>
        sql`(${join(
          each.map((word) => contains(word, gone)),
          ' and ',
        )})`,
    ),
    ' or ',
  )
  const others = type === 'leads' ? (['contacts', 'companies'] as const).filter((other) => !mayNone(actor, other, 'view')) : []
  return [
    {
      passes: join([own(type, matches), ...others.map((other) => linkedTo(actor, type, other, matches))], ' or '),
      ids: join(
        [ownIds(actor, type, matches), ...others.map((other) => linkedIds(actor, type, other, matches))],
        ' union all ',
      ),
      streams: [],
      isDear: true,
    },
  ]
}

/** The index finds the trigrams of the word; the text has to hold it. Lines of fields that were deleted a moment ago do not count. */
function contains(word: string, gone: readonly number[]): Sql {
  const text = gone.length > 0 ? sql`regexp_replace(found.text, ${linesOf(gone)}, '', 'g')` : sql`found.text`
  return sql`found.grams like ${`%${gramForm(word)}%`} and strpos(${text}, ${word}) > 0`
}

const linesOf = (fields: readonly number[]) => `(${fields.map(markOf).join('|')})[^\n]*`

/** The kind is written out, not sent as a value: the index of each kind's texts is one of its own. */
const isText = (type: RecordType) => sql`found.entity_type = ${raw(`'${type}'`)}`

const own = (type: RecordType, matches: Sql) => sql`
  exists (select from record_texts found
           where found.account_id = record.account_id and ${isText(type)} and found.entity_id = record.id and (${matches}))`

const ownIds = ({ accountId }: Actor, type: RecordType, matches: Sql) => sql`
  select found.entity_id as id from record_texts found
   where found.account_id = ${accountId} and ${isText(type)} and (${matches})`

const linkedTo = (actor: Actor, type: RecordType, other: RecordType, matches: Sql) => sql`
  exists (select from links link
            join record_texts found on found.account_id = link.account_id and ${isText(other)} and found.entity_id = link.to_id
            ${seen(actor, other)}
           where link.account_id = record.account_id and link.from_type = ${type} and link.from_id = record.id
             and link.to_type = ${other} and (${matches}))`

const linkedIds = (actor: Actor, type: RecordType, other: RecordType, matches: Sql) => sql`
  select link.to_id as id from record_texts found
    join links link on link.account_id = found.account_id and link.from_type = ${other} and link.from_id = found.entity_id
                   and link.to_type = ${type}
    ${seen(actor, other)}
   where found.account_id = ${actor.accountId} and ${isText(other)} and (${matches})`

/** Nobody finds a lead by a contact in the bin, or by one that he may not view. */
const seen = (actor: Actor, other: RecordType) => sql`
  join ${raw(other)} record on record.account_id = found.account_id and record.id = found.entity_id and not record.is_deleted
   ${mayAll(actor, other, 'view') ? empty : sql`and ${may(actor, other, 'view')}`}`

function tooMany() {
  return invalid([
    { request_id: '0', errors: [{ code: 'TooMany', path: 'query', detail: `A search has ${mostWords} words or less.` }] },
  ])
}
