// Names that a search with one wrong letter means: the search looks for them where it finds nothing else.
// One edit leaves a part of the word as it is, so the texts with one of its parts are the candidates, and their
// names decide. A part that too many texts have is not looked for.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { fewMatching } from '../../../records/search/search.ts'
import type { SearchTerms } from '../../../records/search/terms.ts'
import { searchForm } from '../../../records/search/text.ts'
import { namesAmong } from './queries.ts'

/** A shorter word is not looked for with a wrong letter: too many names are like it. */
const fewestLetters = 5
/** The most words of a search. */
const mostWords = 4
/** The most texts of a part. */
const mostTexts = 1000

/** The ids of records whose name has all words of a search, one of them with one wrong letter. */
export async function similarNames(
  reader: Reader,
  actor: Actor,
  type: EntityType,
  fields: Pick<Fields, 'gone'>,
  { q, limit }: { q: string; limit: number },
): Promise<number[]> {
  const words = [...new Set(searchForm(q).split(/\s+/).filter(Boolean))]
  if (words.length > mostWords) return []
  const statements = words.flatMap((word, index) =>
    intactParts(word).map((part): SearchTerms => [[part, ...words.toSpliced(index, 1)]]),
  )
  if (statements.length === 0) return []
  const found = await fewMatching(reader, actor, type, statements, fields, mostTexts)
  const ids = [...new Set(found.flatMap((each) => each ?? []))]
  if (ids.length === 0) return []
  const rows = await reader.rows<{ id: number; name: string }>(namesAmong(actor, type, ids))
  const alike = rows.filter(({ name }) => isAlike(words, searchForm(name)))
  return alike.slice(0, limit).map(({ id }) => id)
}

/**
 * Parts of a word of which one edit leaves one as it is; none of a short word. Words of five and six letters have no
 * two such parts beside their middle, so a fault there (the third of five letters, a swap in the middle) is not found.
 */
export function intactParts(word: string): string[] {
  const letters = Array.from(word)
  if (letters.length < fewestLetters || /\d/.test(word)) return []
  const half = Math.floor(letters.length / 2)
  // Two letters that are swapped in the middle are in neither part of a long word.
  const gap = letters.length >= 7 ? 1 : 0
  const [first, last] = [letters.slice(0, Math.max(half - gap, 3)), letters.slice(half + gap)]
  return [first, last.length < 3 ? letters.slice(-3) : last].map((part) => part.join(''))
}

/** Whether a name has all words, one of them with one wrong letter. */
function isAlike(words: readonly string[], name: string): boolean {
  const own = name.split(/[^\p{L}\p{N}]+/u)
  const wrong = words.filter((word) => !own.some((each) => each.startsWith(word)))
  return wrong.length === 1 && own.some((each) => isOneEditApart(wrong[0]!, each))
}

/** Whether one letter that is another, missing, added or swapped with its neighbour parts two words. */
export function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = [Array.from(one), Array.from(other)].toSorted((a, b) => a.length - b.length)
  const [a, b] = [short!, long!]
  if (b.length - a.length > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const isSame = (from: number, to: number) => a.slice(from).join('') === b.slice(to).join('')
  if (b.length > a.length) return isSame(at, at + 1)
  if (at === a.length) return false
  return (
    isSame(at + 1, at + 1) || (a[at] === b[at + 1] && a[at + 1] === b[at] && isSame(at + 2, at + 2))
  )
}
