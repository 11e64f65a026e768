// The skeleton of senders, with an engine that sends numbers to the test.
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { ConnectionLost } from '../database/connect.ts'
import { Problem } from '../http/problem.ts'
import { openSender } from './sender.ts'
import type { Engine } from './sender.ts'

interface Item {
  id: number
  group: string
}

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

let keys = 1_900_000_000
const opened: { stop(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((each) => each.stop())))

/** A sender of items, two at once of a group and three of all. `due` are those that it has not begun. */
function open(due: Item[], engine: Partial<Engine<Item, string>> = {}, key = (keys += 2)) {
  const { database, signals } = account.kontor
  const answers = new Map<number, PromiseWithResolvers<string>>()
  /** The items of all attempts, in their order. */
  const attempts: number[] = []
  const kept: number[][] = []
  const sender = openSender<Item, string>({
    database,
    signals,
    log: pino({ level: 'silent' }),
    name: 'numbers',
    channel: 'kontor_numbers',
    spread: { count: 1, processesKey: key, shardsKey: key + 1 },
    maxConcurrent: 3,
    mostOfGroup: 2,
    keeping: { collectMs: 20, most: 100 },
    engine: {
      groupOf: ({ group }) => group,
      look: async () => undefined,
      send() {
        for (const item of due.slice())
          if (sender.room(item.group) > 0) {
            due.splice(due.indexOf(item), 1)
            sender.begin(item)
          }
      },
      attempt({ id }) {
        const answer = Promise.withResolvers<string>()
        answers.set(id, answer)
        attempts.push(id)
        return answer.promise
      },
      async keep(ended) {
        kept.push(ended.map(({ item }) => item.id))
        return []
      },
      logged: ({ id }) => ({ number: id }),
      ...engine,
    },
  })
  opened.push(sender)
  const begun = () => attempts
  const answer = (...ids: number[]) => {
    for (const id of ids) answers.get(id)!.resolve('yes')
  }
  return { sender, begun, answer, kept: () => kept.flat() }
}

const byNumber = (one: number, other: number) => one - other
const items = (group: string, ...ids: number[]) => ids.map((id) => ({ id, group }))

test('begins what there is room for, in a group and in all, and goes on as attempts end', async () => {
  const due = [...items('one', 1, 2, 3), ...items('two', 4, 5)]
  const { begun, answer, kept } = open(due)
  await expect.poll(begun).toEqual([1, 2, 4])
  answer(4)
  await expect.poll(begun).toEqual([1, 2, 4, 5])
  answer(1)
  await expect.poll(begun).toEqual([1, 2, 4, 5, 3])
  answer(2, 3, 5)
  await expect.poll(() => kept().toSorted(byNumber)).toEqual([1, 2, 3, 4, 5])
})

test('keeps ends again that the database could not keep, without another attempt', async () => {
  const tried: number[][] = []
  const { begun, answer } = open(items('one', 1, 2), {
    async keep(ended) {
      tried.push(ended.map(({ item }) => item.id))
      if (tried.length === 1) throw new ConnectionLost('the database is away')
      return []
    },
  })
  await expect.poll(begun).toEqual([1, 2])
  answer(1)
  await expect.poll(() => tried).toEqual([[1]])
  answer(2)
  await expect.poll(() => tried.flat().toSorted(byNumber)).toEqual([1, 1, 2])
  expect(begun()).toEqual([1, 2])
})

test('keeps the others where the end of one fails by itself, and that one later', async () => {
  const kept: number[] = []
  const tried: number[][] = []
  const refused: number[] = []
  let isRefused = true
  const { begun, answer } = open([...items('one', 1, 2), ...items('two', 3)], {
    async keep(ended) {
      tried.push(ended.map(({ item }) => item.id))
      if (isRefused && ended.some(({ item }) => item.id === 1)) throw new Problem(404, 'Gone')
      kept.push(...ended.map(({ item }) => item.id))
      return []
    },
    refused: ({ id }) => void refused.push(id),
  })
  await expect.poll(begun).toEqual([1, 2, 3])
  answer(1, 2, 3)
  await expect.poll(() => kept).toEqual([2, 3])
  await expect.poll(() => refused[0]).toBe(1)
  expect(tried.slice(0, 4)).toEqual([[1, 2, 3], [1, 2], [1], [2]])
  isRefused = false
  await expect.poll(() => kept, { timeout: 10_000 }).toEqual([2, 3, 1])
  expect(begun()).toEqual([1, 2, 3])
})

test('begins no more where as many ends wait for the database as attempts may run', async () => {
  const gate = Promise.withResolvers<void>()
  const { begun, answer } = open(items('one', 1, 2, 3, 4, 5, 6, 7), {
    async keep() {
      await gate.promise
      return []
    },
  })
  await expect.poll(begun).toEqual([1, 2])
  for (const id of [1, 2, 3, 4, 5]) {
    answer(id)
    await expect.poll(begun).toContain(Math.min(id + 2, 6))
  }
  // Five ends wait and one attempt runs: twice three.
  answer(6)
  await account.api.get('/api/v4/account')
  expect(begun()).toEqual([1, 2, 3, 4, 5, 6])
  gate.resolve()
  await expect.poll(begun).toEqual([1, 2, 3, 4, 5, 6, 7])
  answer(7)
})

test('keeps the others where somebody holds the row of one, also while it stops', async () => {
  const kept: number[] = []
  let isLocked = true
  const { sender, begun, answer } = open(items('one', 1, 2), {
    async keep(ended) {
      const locked = ended.flatMap(({ item }) => (isLocked && item.id === 1 ? item : []))
      kept.push(...ended.flatMap(({ item }) => (locked.includes(item) ? [] : item.id)))
      return locked
    },
  })
  await expect.poll(begun).toEqual([1, 2])
  answer(1, 2)
  await expect.poll(() => kept).toEqual([2])
  const stopping = sender.stop()
  isLocked = false
  await stopping
  expect(kept).toEqual([2, 1])
})

test('puts nothing back that is kept where the database goes away in the middle of a batch', async () => {
  const kept: number[] = []
  let failures = 0
  const { begun, answer } = open([...items('one', 1, 2), ...items('two', 3)], {
    async keep(ended) {
      const ids = ended.map(({ item }) => item.id)
      if (ids.length === 3) throw new Problem(404, 'Gone')
      if (ids.includes(3) && ++failures === 1) throw new ConnectionLost('the database is away')
      kept.push(...ids)
      return []
    },
  })
  await expect.poll(begun).toEqual([1, 2, 3])
  answer(1, 2, 3)
  await expect.poll(() => kept).toEqual([1, 2, 3])
  expect(failures).toBe(2)
})

test('stops once its attempts have ended and are kept', async () => {
  const { sender, begun, answer, kept } = open(items('one', 1))
  await expect.poll(begun).toEqual([1])
  let isStopped = false
  const stopping = sender.stop().then(() => void (isStopped = true))
  // A whole request later it still waits.
  await account.api.get('/api/v4/account')
  expect([isStopped, kept()]).toEqual([false, []])
  answer(1)
  await stopping
  expect(kept()).toEqual([1])
})

test('sends where it holds the shard, and another process goes on when it stops', async () => {
  const key = (keys += 2)
  const first = open(items('one', 1), {}, key)
  await expect.poll(first.begun).toEqual([1])
  const second = open(items('one', 2), {}, key)
  second.sender.wake()
  first.answer(1)
  await expect.poll(first.kept).toEqual([1])
  expect([second.sender.held(), second.begun()]).toEqual([[], []])
  await first.sender.stop()
  await expect.poll(second.begun, { timeout: 10_000 }).toEqual([2])
  second.answer(2)
  await expect.poll(second.kept).toEqual([2])
})
