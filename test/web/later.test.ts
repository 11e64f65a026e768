// Acts that wait for a change of mind (web/ui/later.ts), and the declines of requests among them
// (web/features/unsorted/unsorted.ts). The clock is the test's.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OfferUndo } from '../../web/ui/undo.ts'

const leave = vi.hoisted(() => {
  const left: (() => void)[] = []
  vi.stubGlobal('addEventListener', (name: string, hear: () => void) => {
    if (name === 'pagehide') left.push(hear)
  })
  vi.stubGlobal('window', globalThis)
  return () => left.forEach((hear) => hear())
})
const { doLater } = await import('../../web/ui/later.ts')
const { declineLater, sendDeclines } = await import('../../web/features/unsorted/unsorted.ts')

const sent: string[] = []
const takenBack: string[] = []
beforeEach(() => {
  vi.useFakeTimers()
  sent.length = 0
  takenBack.length = 0
  vi.stubGlobal('fetch', (path: string, { method }: RequestInit) => {
    sent.push(`${method} ${path}`)
    return Promise.resolve(new Response('{}'))
  })
})
afterEach(() => void vi.useRealTimers())

const delayMs = 5000
const wait = () => vi.advanceTimersByTime(delayMs)

/** The buttons of the messages that stand there, by their texts. */
const offered = new Map<string, () => void>()
const offerUndo: OfferUndo = (text, run) => {
  offered.set(text, run)
  return () => void offered.delete(text)
}
const undo = (name: string) => offered.get(name)!()

const act = (name: string, after = delayMs) =>
  doLater({
    text: name,
    delayMs: after,
    run: () => sent.push(name),
    offerUndo,
    takeBack: () => takenBack.push(name),
  })

test('an act is done once its time is over, and its offer is gone then', () => {
  act('ann')
  expect(sent).toEqual([])
  wait()
  expect(sent).toEqual(['ann'])
  expect(offered.size).toBe(0)
  expect(takenBack).toEqual([])
})

test('an act that is taken back is never done', () => {
  act('ann')
  act('ben')
  undo('ann')
  wait()
  expect([sent, takenBack]).toEqual([['ben'], ['ann']])
})

test('without a time it is done at once, and nothing is offered', () => {
  act('ann', 0)
  expect(sent).toEqual(['ann'])
  expect(offered.size).toBe(0)
})

test('it is done at once where its screen or its page is left, and once', () => {
  const now = act('ann')
  now()
  now()
  act('ben')
  leave()
  wait()
  expect(sent).toEqual(['ann', 'ben'])
})

test('a screen of requests that is left sends its declines at once, and once', () => {
  const path = (uid: string) => `DELETE /api/v4/leads/unsorted/${uid}/decline`
  const heard = { takenBack: () => undefined, failed: () => undefined }
  for (const uid of ['ann', 'ben']) declineLater(uid, { text: uid, delayMs, offerUndo }, heard)
  undo('ben')
  sendDeclines()
  wait()
  expect(sent).toEqual([path('ann')])
})
