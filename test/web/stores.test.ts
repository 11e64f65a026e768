// The stores of cards and of their feeds. Those of cards: the ones in use outlive any number of other cards, the others do not
// pile up. Those of feeds: answers come in any order, and what could not be sent outlives the page.
import { describe, expect, test, vi } from 'vitest'
import type { NoteItem, FeedPage, FeedItem } from '../../web/features/feed/rows.ts'
import { fakeStorage } from './storage.ts'

// The modules below ask these as they are loaded.
vi.stubGlobal('addEventListener', () => undefined)
vi.stubGlobal('document', {
  querySelector: () => null,
  getElementById: () => null,
  documentElement: { dataset: {} },
})
vi.stubGlobal('localStorage', fakeStorage())
vi.stubGlobal('sessionStorage', fakeStorage())
const { cardStoreOf } = await import('../../web/features/card/store.ts')
const { makeFeedStore } = await import('../../web/features/feed/store.ts')

const openOthers = (from: number) => {
  for (let id = from; id < from + 30; id++) cardStoreOf('contacts', id)
}

test('a store that a card shows stays, and one that nobody shows makes room', () => {
  const store = cardStoreOf('leads', 1)
  const leave = store.watch(() => undefined)
  openOthers(1)
  expect(cardStoreOf('leads', 1)).toBe(store)
  leave()
  openOthers(101)
  expect(cardStoreOf('leads', 1)).not.toBe(store)
})

test('a store stays while the server has not answered a change', async () => {
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => answer.promise)
  const store = cardStoreOf('leads', 2)
  const saved = store.save({ name: 'Ann' }, { name: 'Ann' })
  openOthers(201)
  expect(cardStoreOf('leads', 2)).toBe(store)
  expect(store.waiting()).toBe(1)
  answer.resolve(new Response('{}'))
  await saved
  expect(store.waiting()).toBe(0)
  openOthers(301)
  expect(cardStoreOf('leads', 2)).not.toBe(store)
})

describe('the store of a feed', () => {
  /** Questions that the test answers, in the order in which it likes. */
  function recordRequests() {
    const requests: {
      path: string
      init: RequestInit
      answer: (body: object, status?: number) => void
    }[] = []
    vi.stubGlobal(
      'fetch',
      (path: string, init: RequestInit) =>
        new Promise<Response>((resolve) => {
          const answer = (body: object, status = 200) =>
            resolve(new Response(JSON.stringify(body), { status }))
          requests.push({ path, init, answer })
        }),
    )
    return requests
  }

  let records = 0
  const feedSearch = () =>
    ({ type: 'leads', id: ++records, filter: 'all', query: '', isOnly: false }) as const
  const note = (id: number, text = `Note ${id}`) =>
    ({
      key: `note ${id}`,
      kind: 'note',
      at: id * 1000,
      entity: { type: 'leads', id: 1, name: '' },
      created_by: 1,
      may_edit: true,
      note: { params: { text } },
    }) as unknown as NoteItem
  const answerOf = (items: FeedItem[], more: Partial<FeedPage> = {}): FeedPage => ({
    items,
    before: null,
    after: `after ${items.at(-1)?.key}`,
    ...more,
  })
  const textsOf = (items: readonly FeedItem[]) =>
    items.map((item) => ('note' in item ? item.note.params['text'] : item.key))
  const texts = (store: ReturnType<typeof makeFeedStore>) => textsOf(store.state().items)
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  /** A store that shows notes 5 and 6, and may ask for older ones. */
  async function loaded() {
    const requests = recordRequests()
    const store = makeFeedStore(feedSearch())
    const isLoaded = store.load()
    requests
      .at(0)!
      .answer(answerOf([note(5), note(6)], { before: 'before 5', pinned: [], planned: [] }))
    await isLoaded
    requests.length = 0
    return { store, requests }
  }

  test('takes no older page that was asked for before it was loaded anew', async () => {
    const { store, requests } = await loaded()
    const older = store.loadOlder()
    const again = store.load()
    requests.at(1)!.answer(answerOf([note(8), note(9)], { before: 'before 8' }))
    await again
    requests.at(0)!.answer(answerOf([note(3), note(4)]))
    await older
    expect(texts(store)).toEqual(['Note 8', 'Note 9'])
    expect(store.state()).toMatchObject({ isComplete: false, older: 'idle' })
    // The next page is the one before the new items.
    void store.loadOlder()
    expect(requests.at(2)!.path).toContain('before=before+8')
  })

  test('asks for no older page while it is loaded anew', async () => {
    const { store, requests } = await loaded()
    void store.load()
    await store.loadOlder()
    expect(requests).toHaveLength(1)
  })

  test('takes only the last of two loads', async () => {
    const { store, requests } = await loaded()
    const [first, second] = [store.load(), store.load()]
    requests.at(1)!.answer(answerOf([note(9)]))
    await second
    requests.at(0)!.answer({}, 500)
    await first
    expect(texts(store)).toEqual(['Note 9'])
    expect(store.state().kind).toBe('ready')
  })

  test('keeps the later of two answers about an item, the head and the end', async () => {
    const { store, requests } = await loaded()
    const [first, second] = [store.refresh(['note 5']), store.refresh(['note 5'])]
    const [firstRequest, keys, laterRequest, laterKeys] = [0, 1, 2, 3].map((index) =>
      requests.at(index)!,
    )
    laterRequest?.answer(answerOf([], { pinned: [note(5, 'Five, again')], planned: [] }))
    laterKeys?.answer(answerOf([note(5, 'Five, again')]))
    await turn()
    requests.at(4)!.answer(answerOf([note(7), note(8)]))
    await second
    firstRequest?.answer(answerOf([], { pinned: [], planned: [] }))
    keys?.answer(answerOf([note(5)]))
    await turn()
    requests.at(5)!.answer(answerOf([note(7), note(8)]))
    await first
    expect(texts(store)).toEqual(['Five, again', 'Note 6', 'Note 7', 'Note 8'])
    expect(textsOf(store.state().pinned)).toEqual(['Five, again'])
  })

  test('does not bring back an item that a later answer has without it', async () => {
    const { store, requests } = await loaded()
    const [first, second] = [store.refresh(['note 5']), store.refresh(['note 5'])]
    const [firstRequest, keys, laterRequest, laterKeys] = [0, 1, 2, 3].map((index) =>
      requests.at(index)!,
    )
    laterRequest?.answer(answerOf([]))
    laterKeys?.answer(answerOf([]))
    await turn()
    requests.at(4)!.answer(answerOf([]))
    await second
    expect(texts(store)).toEqual(['Note 6'])
    firstRequest?.answer(answerOf([]))
    keys?.answer(answerOf([note(5)]))
    await turn()
    requests.at(5)!.answer(answerOf([]))
    await first
    expect(texts(store)).toEqual(['Note 6'])
  })

  test('keeps news that came while it was loaded anew', async () => {
    const { store, requests } = await loaded()
    const again = store.load()
    const news = store.refresh()
    requests.at(1)!.answer(answerOf([]))
    await turn()
    requests.at(2)!.answer(answerOf([note(7)]))
    await news
    requests.at(0)!.answer(answerOf([note(5), note(6)]))
    await again
    expect(texts(store)).toEqual(['Note 5', 'Note 6', 'Note 7'])
    void store.refresh()
    await turn()
    requests.at(3)!.answer(answerOf([]))
    await turn()
    expect(requests.at(4)!.path).toContain('after=after+note+7')
  })

  const draft = (key: string) => ({
    item: { ...note(1, `Draft ${key}`), key: `new ${key}` },
    writing: { path: '/notes', body: [{ text: key }], key },
  })
  const keyOf = ({ init }: { init: RequestInit }) =>
    (init.headers as Record<string, string>)['idempotency-key']

  test('shows what could not be sent below all, and again on a new page', async () => {
    const { store, requests } = await loaded()
    const sent = store.send([draft('a'), draft('b')])
    expect(texts(store)).toEqual(['Note 5', 'Note 6', 'Draft a', 'Draft b'])
    requests.at(0)!.answer({ title: 'Restarting' }, 503)
    await turn()
    requests.at(1)!.answer({ _embedded: { notes: [{ id: 9 }] } }, 201)
    await turn()
    requests.at(2)!.answer(answerOf([note(9, 'Draft b')]))
    await sent
    expect(texts(store)).toEqual(['Note 5', 'Note 6', 'Draft b', 'Draft a'])
    const leave = store.watch(() => undefined)
    leave()

    vi.resetModules()
    const page = await import('../../web/features/feed/store.ts')
    const later = page.makeFeedStore(store.search)
    expect(later.state().items).toMatchObject([{ key: 'new a', sending: { state: 'failed' } }])
    later.sendAgain('new a')
    expect(keyOf(requests.at(3)!)).toBe('a')
    expect(keyOf(requests.at(0)!)).toBe('a')
    requests.at(3)!.answer({ _embedded: { notes: [{ id: 10 }] } }, 201)
    await turn()
    requests.at(4)!.answer(answerOf([note(9), note(10)]))
    await turn()
    vi.resetModules()
    const next = await import('../../web/features/feed/store.ts')
    expect(next.makeFeedStore(store.search).state().items).toEqual([])
  })

  test('forgets what is discarded', async () => {
    const { store, requests } = await loaded()
    const sent = store.send([draft('c')])
    requests.at(0)!.answer({}, 400)
    await sent
    store.takeAway('new c')
    expect(texts(store)).toEqual(['Note 5', 'Note 6'])
    vi.resetModules()
    const page = await import('../../web/features/feed/store.ts')
    expect(page.makeFeedStore(store.search).state().items).toEqual([])
  })
})
