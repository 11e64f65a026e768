// npm run bench:board-news: what the news of other people's changes make 50 open boards ask the server for, each with
// 40 of 10,000 leads on its screen, at 50 changes a second. The boards are the stores of the application; the answers
// come at once. Prints requests and cards a second, of all boards together, as a table for bench/results.
import { setTimeout as pause } from 'node:timers/promises'
import { card, boardSearch } from '../test/web/cards.ts'
import { makeStore } from '../web/features/board/store.ts'
import type { Card } from '../web/features/board/store.ts'

const [boards, shown, leads] = [50, 40, 10_000]
const [seconds, changesPerSecond] = [10, 50]

type Change = { entity_type: string; entity_id: number } & Record<string, unknown>

/** Each of the leads of an account as often as the others, in steps: two of 500 are on the screens. */
let at = 0
const next = () => 1 + ((at += leads / (seconds * changesPerSecond)) % leads)
const task = () => ({
  entity_type: 'tasks',
  entity_id: next(),
  record_type: 'leads',
  record_id: next(),
})
const mixes: Record<string, () => Change> = {
  leads: () => ({ entity_type: 'leads', entity_id: next() }),
  contacts: () => ({ entity_type: 'contacts', entity_id: next() }),
  companies: () => ({ entity_type: 'companies', entity_id: next() }),
  'tasks of leads': task,
  messages: () => ({ entity_type: 'messages', entity_id: next(), chat_id: next() }),
}

const counted = { requests: 0, cards: 0 }
globalThis.fetch = ((path: string) => {
  const ids = /[?&]ids=([\d,]+)/.exec(decodeURIComponent(path))?.[1]?.split(',').map(Number) ?? []
  counted.requests++
  counted.cards += ids.length
  return Promise.resolve(Response.json(ids.length > 0 ? { cards: ids.map(cardOf) } : board()))
}) as typeof fetch

const cardOf = (id: number): Card =>
  card(id, { contact: { id, name: 'Ann', phone: null }, company: { id, name: 'Acme' } })

function board() {
  const cards = Array.from({ length: shown }, (_, index) => cardOf(1 + index))
  const column = { status_id: 1, count: leads, sum: 10 * leads, is_more: true, cards }
  return { columns: [column], today_ends_at: 100 }
}

/** Boards as they are when they have just been opened. */
const openBoards = () =>
  Promise.all(
    Array.from({ length: boards }, async () => {
      const store = makeStore(boardSearch)
      await store.load()
      store.show(1, 0, shown, 0)
      return store
    }),
  )

console.log('| news of | requests a second | cards a second |\n| --- | --- | --- |')
for (const [name, change] of Object.entries(mixes)) {
  const stores = await openBoards()
  await pause(1500)
  counted.requests = 0
  counted.cards = 0
  at = 0
  for (let sent = 0; sent < seconds * changesPerSecond; sent++) {
    const data = { actions: ['update'], ...change() }
    for (const store of stores) store.hear({ name: 'change', data })
    await pause(1000 / changesPerSecond)
  }
  await pause(1500)
  const rate = (count: number) => (count / seconds).toFixed(1)
  console.log(`| ${name} | ${rate(counted.requests)} | ${rate(counted.cards)} |`)
}
process.exit(0)
