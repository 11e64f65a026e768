// The turns of writes (web/data/turns.ts).
import { expect, test } from 'vitest'
import { makeTurns } from '../../web/data/turns.ts'

function open() {
  const page = new EventTarget()
  const turns = makeTurns(page)
  const begun: string[] = []
  const answers = new Map<string, PromiseWithResolvers<string>>()
  const take = (name: string) => {
    const answer = Promise.withResolvers<string>()
    answers.set(name, answer)
    return turns.take(() => {
      begun.push(name)
      return answer.promise
    })
  }
  return { page, begun, answers, take }
}

test('a write begins at once, and the next one behind its answer, also where it was refused', async () => {
  const { begun, answers, take } = open()
  const first = take('first')
  const second = take('second')
  const third = take('third')
  expect(begun).toEqual(['first'])
  answers.get('first')!.resolve('done')
  expect(await first).toBe('done')
  await expect.poll(() => begun).toEqual(['first', 'second'])
  answers.get('second')!.reject(new Error('refused'))
  await expect(second).rejects.toThrow('refused')
  await expect.poll(() => begun).toEqual(['first', 'second', 'third'])
  answers.get('third')!.resolve('done')
  await third
  void take('fourth')
  expect(begun.at(-1)).toBe('fourth')
})

test('writes that wait are sent at once when the page is left, in their order', async () => {
  const { page, begun, answers, take } = open()
  void take('first')
  void take('second')
  const third = take('third')
  page.dispatchEvent(new Event('pagehide'))
  expect(begun).toEqual(['first', 'second', 'third'])
  // A page that comes back goes on.
  answers.get('third')!.resolve('done')
  expect(await third).toBe('done')
  void take('fourth')
  void take('fifth')
  page.dispatchEvent(new Event('pagehide'))
  expect(begun).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
})
