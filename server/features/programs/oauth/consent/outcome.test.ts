import { expect, test } from 'vitest'
import { codeTarget, deniedAddress, grantedAddress, refusalTarget } from './outcome.ts'

const granted = { code: 'c', referer: 'demo.example:8080', client_id: 'id', state: undefined }

test.each([
  [
    'https://a.example',
    'https://a.example/?code=c&referer=demo.example%3A8080&client_id=id&platform=2',
  ],
  [
    'https://a.example/x?y=%20z&w',
    'https://a.example/x?y=%20z&w&code=c&referer=demo.example%3A8080&client_id=id&platform=2',
  ],
])('what %s asks already stays', (redirect_uri, expected) => {
  expect(grantedAddress(redirect_uri, granted)).toBe(expected)
})

test.each([
  ['', 'state='],
  ['a&code=b', 'state=a%26code%3Db'],
  ['\r\nLocation: https://evil.example', 'state=%0D%0ALocation%3A%20https%3A%2F%2Fevil.example'],
])('state %j cannot be anything else', (state, expected) => {
  expect(grantedAddress('https://a.example/', { ...granted, state })).toContain(`&${expected}&`)
  expect(deniedAddress('https://a.example/', state)).toBe(
    `https://a.example/?error=access_denied&${expected}`,
  )
})

const redirect = 'https://api.shop.example/oauth'

test.each([
  [redirect, undefined, 'https://api.shop.example'],
  [redirect, 'https://api.shop.example/page?x=1', 'https://api.shop.example'],
  [redirect, 'https://api.shop.example:444/', 'https://api.shop.example:444'],
  [redirect, 'https://shop.example', 'https://shop.example'],
  [redirect, 'https://www.shop.example', 'https://www.shop.example'],
  ['https://shop.example/', 'https://my.shop.example', 'https://my.shop.example'],
  ['http://localhost:3000/oauth', 'http://localhost:5173', 'http://localhost:5173'],
  [redirect, 'http://api.shop.example', undefined],
  [redirect, 'https://evil.example', undefined],
  [redirect, 'https://evilshop.example', undefined],
  [redirect, 'https://other.shop.example', undefined],
  [redirect, 'https://example', undefined],
  [redirect, 'https://api.shop.example@evil.example', undefined],
  [redirect, 'https://api.shop.example.evil.example', undefined],
  [redirect, 'null', undefined],
  [redirect, '*', undefined],
  [redirect, 'javascript:alert(1)', undefined],
  ['http://10.0.0.1/', 'http://0.0.1', undefined],
])('a code for %s asked by %s is posted to %s', (redirect_uri, origin, target) => {
  expect(codeTarget(redirect_uri, origin)).toBe(target)
})

test.each([
  [undefined, 'https://api.shop.example'],
  ['https://anyone.example/page', 'https://anyone.example'],
  ['*', 'https://api.shop.example'],
])('a refusal asked by %s is posted to %s', (origin, target) => {
  expect(refusalTarget(redirect, origin)).toBe(target)
})
