// The documents lead somewhere and can be found: links with their anchors, indexes, sizes and line lengths.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../repository.ts'

const root = path.join(import.meta.dirname, '../..')
const files = filesOf(root)
/** The files of the repository and their folders. */
const known = new Set(files.flatMap((file) => [file, ...foldersOf(file)]))
const documents = files.filter((file) => file.endsWith('.md'))
const texts = new Map(documents.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))

test('every link leads somewhere', () => {
  const faults = documents.flatMap((file) =>
    linksOf(file).flatMap((link) => {
      const reason = faultOf(link)
      return reason === undefined ? [] : [`${file}: ${link.link}: ${reason}`]
    }),
  )
  expect(faults).toEqual([])
})

test.each([
  ['docs/README.md', 'docs/guides/'],
  ['docs/decisions/README.md', 'docs/decisions/'],
])('%s has every page of %s', (index, folder) => {
  const listed = new Set(linksOf(index).map(({ target }) => target))
  const pages = documents.filter((file) => file.startsWith(folder) && file !== index)
  expect(pages.length).toBeGreaterThan(0)
  expect(pages.filter((page) => !listed.has(page))).toEqual([])
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/data.md'])(
  'every file that %s names is there',
  (document) => {
    const named = [
      ...texts.get(document)!.matchAll(/`((?:bench|bin|docs|server|test|web)\/[\w./-]+)`/g),
    ]
    expect(named.length).toBeGreaterThan(3)
    const paths = named.map(([, file]) => file!.replace(/\/$/, ''))
    expect(paths.filter((each) => !known.has(each))).toEqual([])
  },
)

test.each([
  ['README.md', 10_000],
  ['ARCHITECTURE.md', 12_000],
])('%s is read in five minutes: %i bytes at most', (file, most) => {
  expect(Buffer.byteLength(texts.get(file)!)).toBeLessThanOrEqual(most)
})

/** A page that a program writes has the lines of its sources. */
const isWritten = (file: string) => /^<!-- Written by /m.test(texts.get(file)!)

test('lines have 120 characters at most, except in tables and code', () => {
  const long = documents
    .filter((file) => !isWritten(file))
    .flatMap((file) =>
      prose(texts.get(file)!).flatMap((line, index) =>
        line.length > 120 && !/^\s*(?:\||!\[)/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
    )
  expect(long).toEqual([])
})

describe('the checks of this file', () => {
  test.each([
    ['# Kontor', ['kontor']],
    ['## `limit`, `page` & more', ['limit-page--more']],
    ['## See [the guide](x.md#y) *now*', ['see-the-guide-now']],
    ['## snake_case: a-b', ['snake_case-a-b']],
    ['## Größe', ['größe']],
    ['## One\n\n## One', ['one', 'one-1']],
    ['```sh\n# no heading\n```', []],
    ['<a id="here"></a>', ['here']],
  ])('the anchors of %j', (text, anchors) => {
    expect([...anchorsIn(text)]).toEqual(anchors)
  })

  test.each([
    ['[a](b.md)', ['b.md']],
    ['[![a](b.png)](c.md#d)', ['b.png', 'c.md#d']],
    ['[a\nb](c.md "title")', ['c.md']],
    ['[a]: b.md', ['b.md']],
    ['`[a](b.md)`', []],
    ['```md\n[a](b.md)\n```', []],
    ['<img src="a.png">', ['a.png']],
  ])('the links of %j', (text, links) => {
    expect(linksIn(text)).toEqual(links)
  })
})

interface Link {
  /** As it is written. */
  link: string
  /** The file or folder that it names, from the root. */
  target: string
  anchor: string | undefined
}

/** The links of a document to the repository. */
function linksOf(file: string): Link[] {
  return linksIn(texts.get(file)!)
    .filter((link) => !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link))
    .map((link) => {
      const [name = '', anchor] = link.split('#', 2).map(decodeURIComponent)
      const target = name === '' ? file : path.posix.join(path.posix.dirname(file), name)
      return { link, target: target.replace(/\/$/, ''), anchor }
    })
}

/** Why a link leads nowhere; undefined if it leads somewhere. */
function faultOf({ target, anchor }: Link): string | undefined {
  if (!known.has(target)) return 'there is no such file'
  if (anchor === undefined) return undefined
  return anchorsIn(texts.get(target) ?? '').has(anchor) ? undefined : 'there is no such heading'
}

function linksIn(text: string): string[] {
  const rest = prose(text)
    .join('\n')
    .replaceAll(/(`+)[^`].*?\1/gs, '')
  const patterns = [
    /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g,
    /^\s{0,3}\[[^\]]+\]:\s+(\S+)/gm,
    /<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"/g,
  ]
  return patterns.flatMap((pattern) => [...rest.matchAll(pattern)].map(([, link]) => link!))
}

/** The anchors of the headings, as GitHub makes them, and those that stand in the text. */
function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>()
  const lines = prose(text)
  for (const line of lines) {
    const heading = /^#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line)?.[1]
    if (heading === undefined) continue
    const anchor = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let name = anchor
    for (let again = 1; anchors.has(name); again++) name = `${anchor}-${again}`
    anchors.add(name)
  }
  for (const [, name] of lines.join('\n').matchAll(/<a\s[^>]*?(?:id|name)="([^"]+)"/g))
    anchors.add(name!)
  return anchors
}

/** The lines of a document; those of code blocks are empty. */
function prose(text: string): string[] {
  let fence: string | undefined
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) {
      fence = mark
      return mark === undefined ? line : ''
    }
    if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined
    return ''
  })
}

/** The folders above a file. */
function foldersOf(file: string): string[] {
  const folder = path.posix.dirname(file)
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)]
}
