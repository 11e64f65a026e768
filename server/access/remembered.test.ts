import { describe, expect, test } from 'vitest'
import type { Actor } from './actor.ts'
import { rememberActors, rememberAnswer } from './remembered.ts'
import { serverItself } from './user-access.ts'

/** A connection for changes that the test holds. */
function newLine() {
  let hear: (payload: string) => void = () => undefined
  const line = { isConnected: true, change: () => hear('') }
  const signals = {
    notify: () => undefined,
    on: (_channel: string, listener: typeof hear) => {
      hear = listener
      return () => undefined
    },
    connected: () => line.isConnected,
    close: () => Promise.resolve(),
  }
  return { line, signals }
}

/** A memory of two actors. */
function memory() {
  const { line, signals } = newLine()
  const recall = rememberActors({ signals }, 2)
  let asks = 0
  const find = (key: string, at = 0, expiresAt = 1000): Promise<Actor> =>
    recall(key, at, async () => ({ actor: serverItself(++asks, at), expiresAt }))
  /** How often the database was asked so far. */
  return { line, recall, find, asks: () => asks }
}

describe('an actor', () => {
  test('is remembered for less than ten seconds', async () => {
    const { find, asks } = memory()
    for (const at of [0, 9]) expect((await find('a', at)).accountId).toBe(1)
    expect((await find('a', 10)).accountId).toBe(2)
    expect((await find('a', 19)).accountId).toBe(2)
    expect(asks()).toBe(2)
  })

  test('is not remembered longer because the clock was put back', async () => {
    const { find, asks } = memory()
    for (const at of [5000, 4990, 4981]) await find('a', at, 6000)
    expect(asks()).toBe(2)
  })

  test('is not remembered past the end of its token or session', async () => {
    const { find, asks } = memory()
    for (const at of [0, 4, 5]) await find('a', at, 5)
    expect(asks()).toBe(2)
  })

  test('is forgotten on word of a change', async () => {
    const { line, find, asks } = memory()
    await find('a')
    line.change()
    await find('a')
    expect(asks()).toBe(2)
  })

  test('is not remembered while changes cannot be heard', async () => {
    const { line, find, asks } = memory()
    await find('a')
    line.isConnected = false
    await find('a')
    await find('a')
    expect(asks()).toBe(3)
  })

  test('is used once where a change came while the database was asked', async () => {
    const { line, recall, find, asks } = memory()
    const first = await recall('a', 0, async () => {
      line.change()
      return { actor: serverItself(7, 0), expiresAt: 1000 }
    })
    expect(first.accountId).toBe(7)
    expect((await find('a')).accountId).toBe(1)
    expect(asks()).toBe(1)
  })

  test('who was refused is not remembered, and the oldest makes room', async () => {
    const { recall, find, asks } = memory()
    for (const key of ['a', 'b']) await find(key)
    const refuse = () => Promise.reject(new Error('refused'))
    await expect(recall('c', 0, refuse)).rejects.toThrow('refused')
    for (const key of ['a', 'b']) await find(key)
    expect(asks()).toBe(2)
    await find('c')
    await find('b')
    expect(asks()).toBe(3)
    await find('a')
    expect(asks()).toBe(4)
  })
})

describe('an answer about all callers', () => {
  /** Asks for the number of the requests so far, at a time that the test sets. */
  function read() {
    const { line, signals } = newLine()
    const clock = { at: 0 }
    let asks = 0
    const ask = rememberAnswer({ signals, now: () => clock.at }, async () => {
      const mine = ++asks
      await new Promise(setImmediate)
      if (mine === 1 && clock.at === 50) throw new Error('no database')
      return mine
    })
    return { line, clock, ask }
  }

  test('is remembered for less than ten seconds', async () => {
    const { clock, ask } = read()
    expect(await ask()).toBe(1)
    clock.at = 9
    expect(await ask()).toBe(1)
    clock.at = 10
    expect(await ask()).toBe(2)
  })

  test('is one for all who ask at the same time, also while changes cannot be heard', async () => {
    const { line, ask } = read()
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
    line.isConnected = false
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([2, 2, 2])
    expect(await ask()).toBe(3)
  })

  test('is forgotten on word of a change, also while it is asked for', async () => {
    const { line, ask } = read()
    const early = ask()
    line.change()
    expect([await ask(), await early, await ask()]).toEqual([2, 1, 2])
    line.change()
    expect(await ask()).toBe(3)
  })

  test('is asked for anew where the question failed', async () => {
    const { clock, ask } = read()
    clock.at = 50
    await expect(Promise.all([ask(), ask()])).rejects.toThrow('no database')
    expect(await ask()).toBe(2)
  })
})
