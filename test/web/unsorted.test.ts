// The declines of requests that wait for a change of mind (web/features/unsorted/unsorted.ts). The clock is the test's.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

vi.hoisted(() => {
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('window', globalThis)
})
const { declineLater, sendDeclines, takeBack, undoSeconds } =
  await import('../../web/features/unsorted/unsorted.ts')

const sent: string[] = []
beforeEach(() => {
  vi.useFakeTimers()
  sent.length = 0
  vi.stubGlobal('fetch', (path: string, { method }: RequestInit) => {
    sent.push(`${method} ${path}`)
    return Promise.resolve(new Response('{}'))
  })
})
afterEach(() => void vi.useRealTimers())

const decline = (uid: string) => `DELETE /api/v4/leads/unsorted/${uid}/decline`
const wait = () => vi.advanceTimersByTime(undoSeconds * 1000)

test('a decline is sent once its time is over, and then it cannot be taken back', () => {
  declineLater('ann', () => undefined)
  expect(sent).toEqual([])
  wait()
  expect(sent).toEqual([decline('ann')])
  expect(takeBack('ann')).toBe(false)
})

test('a decline that is taken back is never sent', () => {
  declineLater('ann', () => undefined)
  declineLater('ben', () => undefined)
  expect(takeBack('ann')).toBe(true)
  wait()
  expect(sent).toEqual([decline('ben')])
})

test('a page that is left sends what waits at once, and once', () => {
  declineLater('ann', () => undefined)
  sendDeclines()
  wait()
  expect(sent).toEqual([decline('ann')])
})
