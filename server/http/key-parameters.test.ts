import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyParametersOf, withoutKeyParameters } from './key-parameters.ts'

/** The address without the parameters, and what they said. */
function take(url: string) {
  const raw = new IncomingMessage(new Socket())
  return [withoutKeyParameters(raw, url), keyParametersOf(raw)]
}

const ann = { login: 'ann@example.com', key: 'k' }

test.each([
  ['/a', '/a', undefined],
  ['/a?', '/a?', undefined],
  ['/a?b=1&&c', '/a?b=1&&c', undefined],
  ['/a?login=ann@example.com&api_key=k', '/a', ann],
  ['/a?x=1&login=ann%40example.com&y[]=2&api_key=k&z', '/a?x=1&y[]=2&z', ann],
  ['/a?USER_LOGIN=ann@example.com&USER_HASH=k', '/a', ann],
  ['/a?%6Cogin=ann@example.com&api%5Fkey=k', '/a', ann],
  ['/a?login=ann@example.com&api_key=old&api_key=k', '/a', ann],
  ['/a?api_key=k', '/a', undefined],
  ['/a?login=ann@example.com&x=1', '/a?x=1', undefined],
  ['/a?login[]=ann@example.com&api_key[0]=k', '/a', undefined],
  ['/a?login=%zz&api_key=%', '/a', { login: '%zz', key: '%' }],
  ['/a?login&api_key', '/a', { login: '', key: '' }],
  ['/a?logins=1&my_api_key=2&API_KEY=3', '/a?logins=1&my_api_key=2&API_KEY=3', undefined],
  ['/a?b=%3Fapi_key%3Dk', '/a?b=%3Fapi_key%3Dk', undefined],
])('%s', (url, left, said) => {
  expect(take(url)).toEqual([left, said])
})

test('whatever stands around a key, the key goes and the rest stays', () => {
  const piece = fc.string({
    unit: fc.constantFrom('a', 'b', '[', ']', '%', '=', '+', '?', '&', '2', '5', '_'),
    maxLength: 12,
  })
  fc.assert(
    fc.property(fc.array(piece), fc.nat(), (pieces, index) => {
      const others = pieces.join('&').split('&')
      const at = index % (others.length + 1)
      const pairs = others.toSpliced(at, 0, 'login=ann', 'api_key=SECRET')
      expect(take(`/p?${pairs.join('&')}`)).toEqual([
        `/p?${others.join('&')}`,
        { login: 'ann', key: 'SECRET' },
      ])
    }),
  )
})
