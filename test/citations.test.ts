// Comments and documents cite their sources: "(interface: Lead)" a heading of docs/interface.md,
// "decision 7" and "docs/decisions/0007-paging.md" a page of docs/decisions. A reader must be able
// to follow each of them.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesOf } from './repository.ts'

const root = path.join(import.meta.dirname, '..')

const headings = new Set(
  [...readFileSync(path.join(root, 'docs/interface.md'), 'utf8').matchAll(/^### (.+)$/gm)].map(
    ([, heading]) => heading!,
  ),
)
const pages = readdirSync(path.join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name))
const decisions = new Set(pages.map((name) => Number(name.slice(0, 4))))

/**
 * Not followed: landed migrations, whose text databases know by its checksum, so that it cannot
 * change; and this file, which plants broken citations.
 */
const left = ['server/database/migrations/', 'test/citations.test.ts']

/** The pointers of former days, to documents that are not in the repository. */
const former = [
  /\(specification\b[^)]*\)?/gi,
  /\b(?:auth|chats|entities|errors|unsorted|webhooks) reference\b/gi,
  /\breference, \d[\d.]*/gi,
  /\breference of (?:authorization|chats|the interface|webhooks)\b/gi,
  /\(decision: (?!number\))\w[^)]*\)?/gi,
]

/** The citations of a text that lead nowhere, as they are written. */
function brokenIn(text: string): string[] {
  // A citation may go on behind the mark of the next line of a comment.
  const line = text.replaceAll(/\s*\n\s*(?:(?:\/\/|\*|--)\s+)?/g, ' ')
  const topics = [...line.matchAll(/\(interface:\s*([^)]*)\)/g)].flatMap(([, named]) =>
    named!.split(';').map((topic) => topic.trim()),
  )
  const numbers = [
    ...line.matchAll(
      /\bdecisions?\s+\[?(\d+)\]?(?:\([^)]*\))?((?:,? (?:and )?\[?\d+\b(?!\.\d))*)/gi,
    ),
  ].flatMap(([, first, others]) => [first!, ...(others!.match(/\d+/g) ?? [])])
  const named = [...line.matchAll(/\bdecisions\/(\d{4}-[\w-]+\.md)/g)].map(([, page]) => page!)
  return [
    ...topics.filter((topic) => !headings.has(topic) && !/^decision \d+$/.test(topic)),
    ...numbers.filter((each) => !decisions.has(Number(each))).map((each) => `decision ${each}`),
    ...named.filter((page) => !pages.includes(page)),
    ...former.flatMap((form) => line.match(form) ?? []),
  ]
}

test('every citation leads to a heading of the interface or to a page of decisions', () => {
  const broken = filesOf(root)
    .filter((file) => !left.some((start) => file.startsWith(start)))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      return text.includes('\0') ? [] : brokenIn(text).map((each) => `${file}: ${each}`)
    })
  expect(broken).toEqual([])
})

test('the contents of the interface name every heading once, in its order', () => {
  const text = readFileSync(path.join(root, 'docs/interface.md'), 'utf8')
  const contents = [...text.matchAll(/^\| \[[^\]]+\]\(#[^)]+\) \| (.+) \|$/gm)]
  expect(contents.flatMap(([, topics]) => topics!.split(', '))).toEqual([...headings])
  expect([...text.matchAll(/^### /gm)]).toHaveLength(headings.size)
})

describe('a citation', () => {
  test.each([
    ['of a heading', '/** A lead in an answer (interface: Lead). */'],
    ['of two headings', '// A page (interface: Paging; Limits).'],
    ['of a heading and a decision', '// Points (interface: Bonus points; decision 36).'],
    ['over two lines', '// Values that each type takes (interface: Values by\n// type).'],
    ['in a block', ' * The parts of an address (interface:\n   * Values by type).'],
    ['of a decision', 'The marks: decision 4.'],
    ['of linked decisions', 'in decisions [36](decisions/0036-purchases.md) and [37](x)'],
    ['of a page', '(docs/decisions/0004-news.md)'],
  ])('%s leads somewhere', (_, text) => {
    expect(brokenIn(text)).toEqual([])
  })

  test.each([
    ['// A lead (interface: Leads).', ['Leads']],
    ['// A lead (interface: Lead; Status palettes).', ['Status palettes']],
    ['// Values (interface: Values of\n// things).', ['Values of things']],
    ['// Points (interface: Bonus points; decision 9999).', ['decision 9999']],
    ['// Marks and epochs: decision 0.', ['decision 0']],
    ['see decisions 4, 998 and 999', ['decision 998', 'decision 999']],
    ['(docs/decisions/0004-old.md)', ['0004-old.md']],
    ['// A lead (specification, Lead).', ['(specification, Lead)']],
    ['// Calls (entities\n// reference, 25).', ['entities reference', 'reference, 25']],
    ['// Scopes (reference of authorization, scopes).', ['reference of authorization']],
    ['// Talks (chats reference).', ['chats reference']],
    ['// A price (decision: type leniency).', ['(decision: type leniency)']],
  ])('that leads nowhere is found: %j', (text, broken) => {
    expect(brokenIn(text)).toEqual(broken)
  })
})
