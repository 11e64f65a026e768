// The texts of the pages: every key in every language and in the sources, with the same values.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { acceptedOf, addressIn } from './language.ts'
import { localPath } from './local-path.ts'
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }
import ru from './words/ru.json' with { type: 'json' }

type Words = Record<string, Record<string, string>>

const flat = (words: Words): Map<string, string> =>
  new Map(
    Object.entries(words).flatMap(([area, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${area}.${name}`, text] as const),
    ),
  )
const english = flat(en)
const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name)

test.each([
  ['ru', ru],
  ['es', es],
  ['pt', pt],
])('%s has the keys of English, with the same values', (_, words) => {
  const texts = flat(words)
  expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  for (const [key, text] of texts)
    expect([key, valuesIn(text), text.trim() === '']).toEqual([
      key,
      valuesIn(english.get(key)!),
      false,
    ])
})

test('every text is used', () => {
  const server = path.join(import.meta.dirname, '..')
  const sources = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(server, name), 'utf8'))
    .join('\n')
  expect([...english.keys()].filter((key) => !sources.includes(`'${key}'`))).toEqual([])
})

test.each([
  ['', 'en'],
  ['*', 'en'],
  ['de', 'en'],
  ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
  ['de, ES-419;q=0.4, ru;q=0.5', 'ru'],
  ['ru;q=0, es;q=0.1', 'es'],
  ['__proto__, constructor', 'en'],
])('the language of "%s" is %s', (header, language) => {
  expect(acceptedOf(header)).toBe(language)
})

test.each([
  ['/login', '/login?lang=es'],
  ['/login?next=%2Fleads&lang=ru', '/login?next=%2Fleads&lang=es'],
])('%s in another language is %s', (address, other) => {
  expect(addressIn('es', address)).toBe(other)
})

test.each([
  ['/leads/1?tab=a#b', '/leads/1?tab=a#b'],
  ['/', '/'],
  [undefined, '/'],
  [['/a'], '/'],
  ['', '/'],
  ['leads', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['//evil.example', '/'],
  ['///evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/%2F/evil.example', '/%2F/evil.example'],
  ['/ü\r\nset-cookie: a=b', '/%C3%BCset-cookie:%20a=b'],
  [`/${'x'.repeat(2000)}`, '/'],
])('the local path of %j is %s', (wanted, local) => {
  expect(localPath(wanted)).toBe(local)
})
