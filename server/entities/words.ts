// Text as a search compares it, and as the index of trigrams takes it.

/** Text without case and accents: letters are taken apart (NFKD) and their marks left out, so that é is e, ё is е and й is и. */
export function searchForm(text: string): string {
  const bare = ascii.test(text) ? text : text.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '')
  return bare.toLowerCase()
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ascii = /^[\0-\x7f]*$/

/**
 * The same text, character by character, in nothing but small letters and digits of ASCII, spaces, and the marks of fields. pg_trgm skips
 * what is no letter to the locale of the database, which may be all of Cyrillic. Different texts may have one form: it finds what may
 * match, and the text itself decides.
 */
export function gramForm(form: string): string {
  let grams = ''
  for (const letter of form) grams += gramOf(letter)
  return grams
}

const known = new Map<string, string>()

function gramOf(letter: string): string {
  let gram = known.get(letter)
  if (gram === undefined) {
    gram = /[a-z0-9\s\uE000-\uE00C]/.test(letter) ? letter : String.fromCharCode(97 + (letter.codePointAt(0)! % 26))
    // All characters that people use, but not all that somebody may send on purpose.
    if (known.size < 10_000) known.set(letter, gram)
  }
  return gram
}
