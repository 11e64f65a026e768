// The rules of the web application that a program can check: its rooms, its texts and its size.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import { ensureBuild } from '../server/web/build.ts'
import { clockAt, momentAt } from '../web/ui/day.ts'

const web = path.join(import.meta.dirname, '../web')

const textOf = (name: string) => readFileSync(path.join(web, name), 'utf8')

/** The sources below web/, without builds. */
const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('dist'))
  .toSorted()

describe('the rooms of web/', () => {
  /** The streets of web/ in their order: each may import those behind it. `.` is the files directly in web/. */
  const streets = ['.', 'routes', 'shell', 'features', 'crm', 'ui', 'words', 'data']
  const roomOf = (name: string) => (name.includes('/') ? name.split('/', 1)[0]! : '.')
  const imports = sources.flatMap((name) =>
    [...textOf(name).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, to]) => ({
      name,
      to: path.posix.join(path.posix.dirname(name), to!),
      isType: false,
    })),
  )

  test('go one way: routes, shell, features, crm, ui, words, data', () => {
    expect(
      imports
        .filter(({ to }) => !to.startsWith('..'))
        .filter(({ name, to }) => {
          const [from, at] = [roomOf(name), roomOf(to)]
          if (from === at) return false
          const [rank, of] = [streets.indexOf(from), streets.indexOf(at)]
          return rank === -1 || of <= rank
        })
        .map(({ name, to }) => `${name} imports ${to}`),
    ).toEqual([])
  })

  test('directly in web/ stand its entry and its addresses alone', () => {
    expect(sources.filter((name) => !name.includes('/'))).toEqual([
      'globals.d.ts',
      'main.tsx',
      'router.tsx',
      'vite.config.ts',
    ])
  })

  test('data and ui know no CRM: of the server, they know what a refusal and a stored file are', () => {
    expect(
      imports
        .filter(({ name, to }) => ['data', 'ui'].includes(roomOf(name)) && to.startsWith('..'))
        .map(({ name, to }) => `${name} imports ${to}`),
    ).toEqual([
      'data/api.ts imports ../server/http/problem.ts',
      'data/files.ts imports ../server/features/activity/files/schema.ts',
    ])
  })

  test('features do not import each other; screens compose them', () => {
    const featureOf = (name: string) => /^features\/([^/]+)/.exec(name)?.[1]
    expect(
      imports
        .filter(
          ({ name, to }) => featureOf(name) && featureOf(to) && featureOf(name) !== featureOf(to),
        )
        .map(({ name, to }) => `${name} imports ${to}`),
    ).toEqual([])
  })

  test('take nothing but types from the server', () => {
    const taken = sources.flatMap((name) =>
      [...textOf(name).matchAll(/^import (type )?[^'"]*?from '((?:\.\.\/)+server\/[^']+)'/gms)]
        .filter(([, isType]) => !isType)
        .map(([, , from]) => `${name} imports ${from}`),
    )
    expect(taken).toEqual([])
  })

  test('name colours in tokens.css alone', () => {
    const styled = readdirSync(web, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter(
        (name) => name.endsWith('.css') && !name.startsWith('dist') && name !== 'ui/tokens.css',
      )
    expect(
      styled.filter((name) => /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i.test(textOf(name))),
    ).toEqual([])
  })
})

describe('the texts of web/', () => {
  const languages = ['en', 'ru', 'es', 'pt']
  /** The plural forms that a text must have (CLDR). */
  const forms: Record<string, string[]> = {
    en: ['one', 'other'],
    ru: ['one', 'few', 'many', 'other'],
    es: ['one', 'many', 'other'],
    pt: ['one', 'many', 'other'],
  }
  type Texts = { [key: string]: string | Texts }
  const flat = (texts: Texts, prefix = ''): [string, string][] =>
    Object.entries(texts).flatMap(([key, text]) =>
      typeof text === 'string' ? [[prefix + key, text]] : flat(text, `${prefix}${key}.`),
    )
  const textsOf = (language: string) =>
    new Map(
      readdirSync(path.join(web, 'words', language)).flatMap((file) =>
        flat(JSON.parse(textOf(`words/${language}/${file}`)) as Texts, `${path.parse(file).name}.`),
      ),
    )
  const english = textsOf('en')
  const argumentsOf = (text: string) =>
    [...new Set([...text.matchAll(/\{\s*(\w+)\s*(?=[,}])/g)].map(([, name]) => name!))].toSorted()

  test.each(languages)('%s has every key of English, with the same arguments', (language) => {
    const texts = textsOf(language)
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
    for (const [key, text] of texts)
      expect(argumentsOf(text), `${language} ${key}`).toEqual(argumentsOf(english.get(key)!))
  })

  test.each(languages)('%s has the plural forms of its language', (language) => {
    const plural = [...textsOf(language)].filter(([, text]) => text.includes(', plural,'))
    expect(plural.length).toBeGreaterThan(0)
    for (const [key, text] of plural)
      for (const form of forms[language]!)
        expect(text, `${language} ${key} lacks ${form}`).toMatch(new RegExp(`\\b${form} \\{`))
  })

  test.each(languages)('%s leaves a number out of a text for that number alone', (language) => {
    // In Russian the form of 1 is that of 21, too: a text for one record without its number is "=1".
    const silent = [...textsOf(language)].flatMap(([key, text]) => {
      const counted = [...text.matchAll(/\{(\w+), plural,/g)].map(([, name]) => name!)
      const tags = [...text.matchAll(/<(\w+)>/g)].map(([, name]) => name!)
      const say = createTranslator({ locale: language, messages: { text } })
      const saying = (count: number) =>
        say.markup('text', {
          ...Object.fromEntries(argumentsOf(text).map((name) => [name, 0])),
          ...Object.fromEntries(counted.map((name) => [name, count])),
          ...Object.fromEntries(tags.map((name) => [name, (inner: string) => inner])),
        })
      if (counted.length === 0 || !saying(5).includes('5')) return []
      return [2, 21, 22, 101]
        .filter((count) => !saying(count).includes(String(count)))
        .map((count) => `${key}: ${count}`)
    })
    expect(silent).toEqual([])
  })

  test('what all screens share speaks words that every page has; parts of cards and of settings stand inside of their words', () => {
    const area = /useTranslations\('(\w+)/g
    const first = [...textOf('words/en.ts').matchAll(/from '\.\/en\/([\w-]+)\.json'/g)].map(
      ([, name]) => name!.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    )
    expect(first.length).toBeGreaterThan(5)
    const later = sources
      .filter((name) => /^(?:ui|crm)\//.test(name))
      .flatMap((name) =>
        [...textOf(name).matchAll(area)]
          .filter(([, used]) => !first.includes(used!))
          .map(([, used]) => `${name}: ${used}`),
      )
    expect([...new Set(later)]).toEqual([
      'crm/colors.ts: colors',
      'crm/event-values.tsx: changes',
      'crm/fields/controls.tsx: card',
      'crm/fields/field-dialog.tsx: card',
      'crm/fields/labels.ts: card',
    ])
  })

  test('a form over values that others change too reads them before it sends', () => {
    const blind = sources.filter(
      (name) =>
        name !== 'ui/form.ts' &&
        textOf(name).includes('useFilled') &&
        !/\bpresent\b/.test(textOf(name)),
    )
    expect(new Set(blind)).toEqual(
      new Set([
        // Something new.
        'features/catalogs/new-catalog.tsx',
        'features/channels/signature.tsx',
        'features/channels/try.tsx',
        'features/fields/add.tsx',
        'features/invitations/invite.tsx',
        'features/links/reachable-form.tsx',
        'routes/settings/api-keys.tsx',
        'routes/settings/channels.tsx',
        'routes/settings/integrations.tsx',
        'routes/settings/pipeline.tsx',
        'routes/settings/pipelines.tsx',
        'routes/settings/roles.tsx',
        'routes/settings/webhooks.tsx',
        'shell/create/new.tsx',
        // One's own.
        'features/passwords/password-form.tsx',
        'features/second-factor/second-factor-part.tsx',
        'routes/settings/profile.tsx',
        'ui/proof.tsx',
        // It shows what a colleague has written beside each member.
        'features/message-templates/template-form.tsx',
      ]),
    )
  })

  test('Spanish says tú to everybody', () => {
    const pages = JSON.parse(
      readFileSync(path.join(web, '../server/pages/words/es.json'), 'utf8'),
    ) as Texts
    // The words of "usted" that forms and their hints need.
    const formal =
      /(?<!\p{L})(?:usted|abra|añada|cámbiel[ao]|confirme|conecte|copie|cópiel[ao]|cree|elija|elimine|envíe|escriba|espere|guarde|indique|inicie|intente|inténtelo|introduzca|pida|pruebe|pruébel[ao]|pulse|registre|rellene|use|vuelva|su (?:contraseña|cuenta|correo|navegador|nombre|teléfono))(?!\p{L})/iu
    const texts = [...textsOf('es').values(), ...flat(pages).map(([, text]) => text)]
    expect(texts.filter((text) => formal.test(text))).toEqual([])
  })

  /** The codes of faults in the sources of the server: by their place, or by how they begin. */
  const codesOfServer = () => {
    const server = path.join(web, '../server')
    const code =
      /(?:code: |invalidValue\(\s*|fault\(\s*)'((?:[A-Z][a-z]+)+)'|'((?:Entity|Field|Invalid|Not|Too|Wrong)(?:[A-Z][a-z]+)+)'/g
    const named = readdirSync(server, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) => [...readFileSync(path.join(server, name), 'utf8').matchAll(code)])
      .map(([, placed, begun]) => placed ?? begun!)
    return [...new Set(named)].toSorted()
  }

  test('each code of a fault that the server may send has a text', () => {
    const known = codesOfServer()
    expect(
      [...textsOf('en').keys()].flatMap((key) => /^faults\.(\w+)$/.exec(key)?.[1] ?? []),
    ).toEqual(known)
    for (const language of languages)
      for (const code of known)
        expect([language, code, textsOf(language).get(`faults.${code}`) ?? '']).toEqual([
          language,
          code,
          expect.stringMatching(/./),
        ])
  })

  test('no key is unused', () => {
    const code = sources
      .filter((name) => !name.startsWith('words/'))
      .map(textOf)
      .join('\n')
    const schemas = readdirSync(path.join(web, '../server'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('schema.ts') || name === path.join('http', 'problem.ts'))
      .map((name) => readFileSync(path.join(web, '../server', name), 'utf8'))
      .join('\n')
    const isUsed = (key: string) => {
      const path = key.split('.').slice(1)
      const [whole, last] = [path.join('.'), path.at(-1)!]
      const prefix = path.slice(0, -1).join('.')
      return (
        new RegExp(`['"\`.]${whole.replaceAll('.', '\\.')}['"\`]`).test(code) ||
        new RegExp(`['"\`]${last}['"\`]|\\b${last}:`).test(code) ||
        (prefix !== '' && code.includes(`${prefix}.\${`)) ||
        new RegExp(`['"\`]${last}['"\`]|\\b${last}:`).test(schemas)
      )
    }
    expect([...english.keys()].filter((key) => !isUsed(key))).toEqual([])
  })
})

describe('times that are entered in a zone', () => {
  test.each([
    ['2026-11-23T09:00', 'UTC', '2026-11-23T09:00Z'],
    ['2030-05-06T07:30', 'Pacific/Kiritimati', '2030-05-06T07:30+14:00'],
    ['2026-07-01T00:00', 'America/New_York', '2026-07-01T00:00-04:00'],
    ['2026-01-01T23:59', 'Asia/Kathmandu', '2026-01-01T23:59+05:45'],
    // Clocks go back from 4 to 3: the hour comes twice, and the first is meant.
    ['2026-10-25T03:30', 'Europe/Riga', '2026-10-25T03:30+03:00'],
  ])('%s in %s is %s', (clock, zone, moment) => {
    const at = Date.parse(moment) / 1000
    expect(momentAt(clock, zone)).toBe(at)
    expect(clockAt(at, zone)).toBe(clock)
  })

  test('an hour that the zone leaves out is the one after it', () => {
    expect(momentAt('2026-03-29T03:30', 'Europe/Riga')).toBe(
      Date.parse('2026-03-29T04:30+03:00') / 1000,
    )
  })
})

describe('the size of the build', () => {
  interface Chunk {
    file: string
    css?: string[]
    imports?: string[]
  }

  test.each([
    ['the start page', 'routes/home.tsx'],
    ['the board', 'routes/board.tsx'],
  ])(
    'of %s is at most 320 KB of scripts and 45 KB of styles, compressed',
    async (_page, screen) => {
      const data = mkdtempSync(path.join(tmpdir(), 'kontor-build-'))
      const { folder } = await ensureBuild({ data, say: () => undefined })
      const manifest = JSON.parse(
        readFileSync(path.join(folder, '.vite/manifest.json'), 'utf8'),
      ) as Record<string, Chunk>
      const names = new Set<string>()
      const add = (name: string) => {
        if (names.has(name)) return
        names.add(name)
        for (const each of manifest[name]!.imports ?? []) add(each)
      }
      // English is a chunk that every first screen in English waits for, like its screen.
      for (const name of ['index.html', screen, 'words/en.ts']) add(name)
      const size = (files: string[]) =>
        files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(folder, file))).length, 0)
      const chunks = [...names].map((name) => manifest[name]!)
      const scripts = size([...new Set(chunks.map(({ file }) => file))])
      const styles = size([...new Set(chunks.flatMap(({ css = [] }) => css))])
      expect(scripts / 1024).toBeLessThan(320)
      expect(styles / 1024).toBeLessThan(45)
    },
  )
})
