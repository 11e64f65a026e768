import { afterAll, describe, expect, test } from 'vitest'
import { openReceiver } from '../../test/receiver.ts'
import { openAttempts } from './attempt.ts'

const receiver = await openReceiver()
const attempts = openAttempts({ allow: 'loopback' })
afterAll(async () => {
  await attempts.close()
  await receiver.close()
})

const post = (path: string) => attempts.attempt(`${receiver.url}${path}`, {}, 'a=b')

test('posts the body with its headers', async () => {
  const { url } = receiver
  const answer = await attempts.attempt(`${url}/hook?key=1`, { 'x-one': '1' }, Buffer.from('ключ'))
  expect(answer).toEqual({
    status: 200,
    error: null,
    milliseconds: expect.any(Number),
    isOurs: false,
  })
  expect(receiver.arrivals.at(-1)).toMatchObject({
    method: 'POST',
    path: '/hook?key=1',
    headers: { 'x-one': '1', 'content-length': '8', host: new URL(url).host },
    body: 'ключ',
  })
})

describe('the first status line decides', () => {
  test.each([99, 100, 101, 102, 103, 199, 200, 204, 299, 300, 302, 304, 499, 500, 999])(
    'also %i',
    async (status) => {
      expect(await post(`/status/${status}`)).toMatchObject({ status, error: null, isOurs: false })
    },
  )
})
