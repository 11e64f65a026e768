// How the feed of a card arranges its items and reads their texts (web/features/feed/rows.ts).
import { describe, expect, test } from 'vitest'
import { leadingChange, mentionsIn, textParts, rowsOf } from '../../web/features/feed/rows.ts'
import type { ChangeItem, FeedItem } from '../../web/features/feed/rows.ts'

const minute = 60_000
const noon = Date.parse('2026-11-23T12:00Z')
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

let count = 0
const change = (minutes: number, type = 'name_field_changed', by = 1, lead = 1): ChangeItem =>
  ({
    key: `event ${++count}`,
    kind: 'change',
    at: noon + minutes * minute,
    entity: { type: 'leads', id: lead, name: '' },
    created_by: by,
    may_edit: false,
    event: { type, value_before: [], value_after: [] },
  }) as unknown as ChangeItem
const note = (minutes: number): FeedItem =>
  ({
    ...change(minutes),
    kind: 'note',
    key: `note ${++count}`,
    note: {},
  }) as unknown as FeedItem

/** `day`, `item` or the number of folded changes. */
const shape = (items: FeedItem[], isComplete = true) =>
  rowsOf(items, { dayOf, isComplete }).map((row) =>
    row.kind === 'fold' ? row.items.length : row.kind,
  )

describe('the rows of a feed', () => {
  test('fold changes of one person that came within five minutes of each other', () => {
    expect(shape([change(0), change(5), change(9)])).toEqual(['day', 3])
    expect(shape([change(0), change(5.1)])).toEqual(['day', 'item', 'item'])
  })

  test.each([
    ['another person', change(1, 'name_field_changed', 2)],
    ['another record', change(1, 'name_field_changed', 1, 2)],
    ['a note', note(1)],
  ])('keep changes apart around %s', (_name, between) => {
    expect(shape([change(0), between, change(2)])).toEqual(['day', 'item', 'item', 'item'])
  })

  test('have a line above each day, and none above the first while older items may come', () => {
    const items = [note(-1440), note(-1439), note(0)]
    expect(shape(items)).toEqual(['day', 'item', 'item', 'day', 'item'])
    expect(shape(items, false)).toEqual(['item', 'item', 'day', 'item'])
    expect(shape([])).toEqual([])
  })

  test('stay as they are when older ones come above them', () => {
    const older = [note(-3000), note(-2990), note(-1)]
    const newer = [note(0), change(10), change(11), note(2000)]
    const keys = (items: FeedItem[]) =>
      rowsOf(items, { dayOf, isComplete: false }).map(({ key }) => key)
    const before = keys(newer)
    expect(keys([...older, ...newer]).slice(-before.length)).toEqual(before)
  })

  test('are named by the change that matters most, and by the last of equals', () => {
    const [name, stage, price, other] = [
      change(0),
      change(1, 'lead_status_changed'),
      change(2, 'sale_field_changed'),
      change(3),
    ]
    expect(leadingChange([name, stage, price])).toBe(stage)
    expect(leadingChange([name, price, other])).toBe(price)
    expect(leadingChange([name, other])).toBe(other)
  })
})

describe('a text', () => {
  const links = (text: string) =>
    textParts(text).flatMap(({ text: shown, href }) => (href ? [[shown, href]] : []))

  test.each([
    [
      'see https://a.example/x?y=1#z now',
      [['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z']],
    ],
    ['(http://a.example/x).', [['http://a.example/x', 'http://a.example/x']]],
    ['https://a.example/x_(y)', [['https://a.example/x_(y)', 'https://a.example/x_(y)']]],
    ['Ann <ann@mail.example>, bye', [['ann@mail.example', 'mailto:ann@mail.example']]],
    ['https://пример.рф/путь', [['https://пример.рф/путь', 'https://пример.рф/путь']]],
    ['javascript:alert(1) data:text/html,x //a.example www.a.example', []],
    ['<a href="https://a.example">x</a>', [['https://a.example', 'https://a.example']]],
    ['a@b', []],
    ['http://', []],
  ])('%s has its links', (text, expected) => {
    expect(links(text)).toEqual(expected)
    expect(
      textParts(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  })

  test('of a hundred thousand signs is read at once', () => {
    const texts = ['a@'.repeat(50_000), 'http://'.repeat(15_000), 'a.'.repeat(50_000)]
    const from = performance.now()
    for (const text of texts) textParts(text)
    expect(performance.now() - from).toBeLessThan(2000)
  })

  const users = [{ name: 'Ann' }, { name: 'Ann Lee' }, { name: 'Жанна Ли' }, { name: '' }]
  test.each([
    ['@Ann Lee please', ['Ann Lee']],
    ['hello @Ann, and @Жанна Ли!', ['Ann', 'Жанна Ли']],
    ['mail@Ann @Anna @ Ann', []],
    ['@Ann@Ann Lee', ['Ann']],
  ])('%s mentions colleagues', (text, names) => {
    expect(mentionsIn(text, users).map(({ user }) => user.name)).toEqual(names)
  })
})
