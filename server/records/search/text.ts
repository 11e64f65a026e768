// The forms of a text that searches compare, and that the trigram index stores.

/**
 * The characters of field marks (fields/values.ts) and of the placeholder for an id
 * (search-index.ts). Search texts contain none of them otherwise.
 */
const markCharacters = String.raw`\uE000-\uE00C`

const marks = new RegExp(`[${markCharacters}]`, 'g')

export const withoutMarks = (text: string): string => text.replaceAll(marks, ' ')

/**
 * Text without case and accents. Letters are decomposed (NFKD) and lose their combining marks, so
 * that é becomes e, ё е, й и, and № no.
 */
export function searchForm(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  const bare = text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  return bare.replaceAll(/[ßıςæœøđł]/g, (letter) => alike[letter]!)
}

/** Letters without a decomposition, and their common spellings. */
const alike: Record<string, string> = {
  ß: 'ss',
  ı: 'i',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ascii = /^[\0-\x7f]*$/

/**
 * The text in ASCII, character by character: small letters, digits, spaces and field marks. pg_trgm
 * skips what is no letter in the database's locale, perhaps all of Cyrillic. Several texts may
 * share a form: the index finds candidates, the text itself decides.
 */
export function gramForm(form: string): string {
  if (ascii.test(form)) return form.replaceAll(otherAscii, (letter) => gramOf(letter.charCodeAt(0)))
  gramOfUnit ??= Array.from({ length: 0x1_0000 }, (_, unit) => gramOf(unit))
  let grams = ''
  for (let at = 0; at < form.length; at++) {
    const letter = form.codePointAt(at)!
    if (letter > 0xffff) at++
    grams += letter > 0xffff ? gramOf(letter) : gramOfUnit[letter]!
  }
  return grams
}

/**
 * The trigrams to look up in the index: the non-overlapping ones of a word, and its last. A word of
 * one or two characters has none. Each is its own condition: the fifteen trigrams of an e-mail
 * address in one pattern took 34 ms among 500,000 contacts, these six take 1 ms.
 */
export function trigramsOf(word: string): string[] {
  const letters = Array.from(gramForm(word))
  const ends = letters.length % 3 === 0 ? [] : [letters.length - 3]
  const starts = [...letters.keys()].filter(
    (start) => start % 3 === 0 && start + 3 <= letters.length,
  )
  return letters.length < 3
    ? []
    : [...new Set([...starts, ...ends].map((start) => letters.slice(start, start + 3).join('')))]
}

/**
 * The pairs of neighbouring code units of a word, as numbers, and its only one: what `pairCollector`
 * finds in each text with the word. No more than eight.
 */
export function pairsOfWord(word: string): number[] {
  if (word.length === 1) return [word.charCodeAt(0)]
  const ends = Array.from({ length: Math.min(word.length - 1, 8) }, (_, index) => index)
  return ends.map((end) => pairOf(word.charCodeAt(end), word.charCodeAt(end + 1)))
}

const pairOf = (first: number, second: number) => (first << 16) | second

/** Space and marks stand in no word. */
const isApart = (unit: number) => unit <= 0x20 || (unit >= 0xe000 && unit <= 0xe00c)

/** Makes a function that answers the code units of texts, and their pairs, each once. */
export function pairCollector(): (texts: string[]) => number[] {
  // Pairs of ASCII by the number of the call that met them last: sets take ten times as long.
  const met = new Uint32Array(1 << 14)
  let call = 0
  return (texts) => {
    call++
    const found: number[] = []
    const others = new Set<number>()
    const add = (first: number, second: number) => {
      if (first > 0x7f || second > 0x7f) others.add(pairOf(first, second))
      else {
        const block = (first << 7) | second
        if (met[block] === call) return
        met[block] = call
        found.push(pairOf(first, second))
      }
    }
    for (const text of texts) {
      let before = 0
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at)
        const isOfWord = !isApart(unit)
        if (isOfWord) add(0, unit)
        if (isOfWord && before > 0) add(before, unit)
        before = isOfWord ? unit : 0
      }
    }
    return [...found, ...others]
  }
}

const staying = new RegExp(`[a-z0-9\\s${markCharacters}]`)
const otherAscii = /[^a-z0-9\s]/g

/** The ASCII form of each code unit, computed at its first use. */
let gramOfUnit: string[] | undefined

function gramOf(letter: number): string {
  const stays = letter <= 0xffff && staying.test(String.fromCharCode(letter))
  return String.fromCharCode(stays ? letter : 97 + (letter % 26))
}
