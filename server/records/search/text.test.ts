// The forms of a text that searches compare, and that the trigram index stores.
import { expect, test } from 'vitest'
import { gramForm } from './text.ts'

test.for([
  ['letters, digits and spaces of ASCII stay', 'ann 42\n\tx', 'ann 42\n\tx'],
  [
    'other characters of ASCII become letters',
    'a@b.c A',
    `a${gram('@')}b${gram('.')}c ${gram('A')}`,
  ],
  ['other letters become one letter each', 'мир', `${gram('м')}${gram('и')}${gram('р')}`],
  ['what takes two code units becomes one letter', 'a😀b', `a${gram('😀')}b`],
  [
    'half of such a character is one, too',
    'a\ud83d b\ude00',
    `a${gram('\ud83d')} b${gram('\ude00')}`,
  ],
  [
    'marks of fields and spaces beyond ASCII stay',
    '\ue00a\ue001\ue00b\ue00c\u00a0\ufeff',
    '\ue00a\ue001\ue00b\ue00c\u00a0\ufeff',
  ],
] as const)('%s', ([, text, grams]) => {
  expect(gramForm(text)).toBe(grams)
})

function gram(letter: string): string {
  return String.fromCharCode(97 + (letter.codePointAt(0)! % 26))
}
