// Which cards of an open board are asked for anew: those that show what the news are about, and no others.
import { afterEach, expect, test, vi } from 'vitest'
import { makeStore } from '../../web/features/board/store.ts'
import { card, boardSearch } from './cards.ts'

const cards = [
  card(1, { contact: { id: 7, name: 'Ann', phone: null } }),
  card(2, { contact: { id: 8, name: 'Ben', phone: null }, company: { id: 7, name: 'Acme' } }),
  card(3),
]

/** A board with its cards on screen. Answers the ids of the requests for changed cards. */
async function openBoard() {
  vi.useFakeTimers()
  const requests: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    const ids = /[?&]ids=([\d,]+)/.exec(decodeURIComponent(path))?.[1]
    if (path.startsWith('/web/v1/board/cards')) requests.push(ids!)
    const column = { status_id: 1, count: 3, sum: 30, is_more: false, cards }
    return Promise.resolve(
      Response.json(
        path.startsWith('/web/v1/board/cards')
          ? { cards }
          : { columns: [column], today_ends_at: 100 },
      ),
    )
  })
  const store = makeStore(boardSearch)
  await store.load()
  store.show(1, 0, 3, 0)
  const hear = async (...news: object[]) => {
    requests.length = 0
    for (const data of news) store.hear({ name: 'change', data: { actions: ['update'], ...data } })
    await vi.advanceTimersByTimeAsync(2000)
    return requests
  }
  return hear
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const task = (record_type: string, record_id: number) => ({
  entity_type: 'tasks',
  entity_id: 5,
  record_type,
  record_id,
})

test.each<[string, object[], string[]]>([
  ['a lead', [{ entity_type: 'leads', entity_id: 3 }], ['3']],
  ['the contact of a card', [{ entity_type: 'contacts', entity_id: 7 }], ['1']],
  ['the company of a card', [{ entity_type: 'companies', entity_id: 7 }], ['2']],
  ['a contact that no card shows', [{ entity_type: 'contacts', entity_id: 9 }], []],
  [
    'a contact that is restored',
    [{ entity_type: 'contacts', entity_id: 9, actions: ['restore'] }],
    ['1,2,3'],
  ],
  ['a task of a card', [task('leads', 2)], ['2']],
  ['a task of another lead', [task('leads', 4)], []],
  ['a task of a contact', [task('contacts', 2)], []],
  ['a task that has moved to a card', [{ ...task('leads', 2), has_moved: true }], ['1,2,3']],
  ['a message', [{ entity_type: 'messages', entity_id: 5, chat_id: 1 }], ['1,2,3']],
  ['a customer', [{ entity_type: 'customers', entity_id: 1 }], []],
  [
    'several at once',
    [{ entity_type: 'contacts', entity_id: 7 }, task('leads', 3), task('leads', 3)],
    ['1,3'],
  ],
  [
    'very many at once',
    Array.from({ length: 150 }, (_, index) => task('leads', 1000 + index)),
    ['1,2,3'],
  ],
])('news of %s', async (_, news, requests) => {
  const hear = await openBoard()
  expect(await hear(...news)).toEqual(requests)
})
