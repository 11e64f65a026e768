import { expect, test } from 'vitest'
import { browserOf } from './browser.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/140.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/140.0 Safari/537.36 Edg/1`, 'Edge on Windows'],
  [`Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/140.0 Mobile`, 'Chrome on Android'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X) AppleWebKit/605 Version/18.0 Safari/605',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) Version/18.0 Mobile/1 Safari/604',
    'Safari on iPhone',
  ],
  ['Firefox/1', 'Firefox'],
  ['curl/8.9.1', 'curl'],
  ['x'.repeat(300), 'x'.repeat(60)],
  ['<script>', null],
  ['', null],
  [undefined, null],
])('%s is %s', (userAgent, name) => {
  expect(browserOf(userAgent)).toBe(name)
})
