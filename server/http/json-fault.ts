import { backslash, quote, space } from './characters.ts'

/**
 * The position at which text stops being JSON; V8 gives it only in some of its messages. Reads the
 * tokens in turn; text that ends too early is at fault at its end. Linear, and run only on text
 * that JSON.parse has refused.
 */
export function firstFault(text: string): number {
  const open: ('{' | '[')[] = []
  // `first` follows an opening bracket: a value or key, or the closing bracket.
  let expected: 'value' | 'key' | 'first' | 'colon' | 'after' = 'value'
  let at = match(blank, text, 0)
  for (; at < text.length; at = match(blank, text, at)) {
    const char = text[at]!
    const inside = open.at(-1)
    const closes = (char === '}' && inside === '{') || (char === ']' && inside === '[')
    if (closes && (expected === 'after' || expected === 'first')) {
      open.pop()
      expected = 'after'
      at++
    } else if (expected === 'after' || expected === 'colon') {
      if (char !== (expected === 'colon' ? ':' : ',') || !inside) return at
      expected = expected === 'colon' || inside === '[' ? 'value' : 'key'
      at++
    } else if (expected !== 'value' && inside === '{') {
      if (char !== '"') return at
      const { end, whole } = string(text, at)
      if (!whole) return end
      expected = 'colon'
      at = end
    } else if (char === '{' || char === '[') {
      open.push(char)
      expected = 'first'
      at++
    } else {
      const { end, whole } = scalar(text, at)
      if (!whole) return end
      expected = 'after'
      at = end
    }
  }
  return at
}

interface Token {
  end: number
  /** False if the token is broken; it ends at `end`. */
  whole: boolean
}

const blank = /[ \t\n\r]*/y
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const brokenEscape = /\\(?:u[\da-fA-F]{0,3})?/y
const digits = /\d*/y
const whole = /0|[1-9]\d*/y
const point = /\./y
const exponent = /[eE][+-]?/y

function scalar(text: string, at: number): Token {
  if (text[at] === '"') return string(text, at)
  const word = ['true', 'false', 'null'].find(([first]) => text[at] === first)
  return word ? literal(text, at, word) : numeral(text, at)
}

/** By the character: an expression takes ten times as long over a text of escapes. */
function string(text: string, at: number): Token {
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === quote) return { end: end + 1, whole: true }
    if (code < space) return { end, whole: false }
    if (code !== backslash) continue
    const next = text.charCodeAt(end + 1)
    if (next === quote || next === backslash) end++
    else {
      const after = match(escape, text, end)
      if (after === end) return { end: match(brokenEscape, text, end), whole: false }
      end = after - 1
    }
  }
  return { end: text.length, whole: false }
}

function numeral(text: string, at: number): Token {
  const start = text[at] === '-' ? at + 1 : at
  let end = match(whole, text, start)
  if (end === start) return { end, whole: false }
  for (const part of [point, exponent]) {
    const from = match(part, text, end)
    if (from === end) continue
    end = match(digits, text, from)
    if (end === from) return { end, whole: false }
  }
  return { end, whole: true }
}

function literal(text: string, at: number, word: string): Token {
  let length = 0
  while (length < word.length && text[at + length] === word[length]) length++
  return { end: at + length, whole: length === word.length }
}

/** The end of what a sticky expression matches at `at`; `at` itself if it matches nothing. */
function match(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : at
}
