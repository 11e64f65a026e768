import { expect, test } from 'vitest'
import { answerText, mostAnswerBytes } from './answer-text.ts'

const headers = 'HTTP/1.1 500 Oops\r\n'
const answers: [title: string, answer: string | Buffer, text: string | null][] = [
  ['a body with its length', `${headers}Content-Length: 5\r\n\r\nbroke, and more`, 'broke'],
  ['a body that ends with the connection', `${headers}\r\nbroke`, 'broke'],
  [
    'chunks',
    `${headers}Transfer-Encoding: chunked\r\n\r\n4;x=y\r\nbro\u006b\r\n2\r\nen\r\n0\r\n\r\n`,
    'broken',
  ],
  ['a chunk that is cut off', `${headers}Transfer-Encoding: chunked\r\n\r\nff\r\nbro`, 'bro'],
  [
    'the answer after one of 1xx',
    `HTTP/1.1 103 Early\r\nX: y\r\n\r\n${headers}Content-Length: 2\r\n\r\nno`,
    'no',
  ],
  ['no body', `${headers}Content-Length: 0\r\n\r\n`, null],
  ['half a head', `${headers}Content-Length: 9\r\n`, null],
  ['JSON', `${headers}content-type: application/problem+json\r\n\r\n{"a":1}`, '{"a":1}'],
  ['an image', `${headers}Content-Type: image/png\r\n\r\nPNG`, null],
  ['a compressed body', `${headers}Content-Encoding: gzip\r\n\r\nxyz`, null],
  ['control characters', `${headers}\r\na\u0000b\u0007\n\tc`, 'ab\n\tc'],
  [
    'another character set',
    Buffer.concat([
      Buffer.from(`${headers}Content-Type: text/html; charset=windows-1251\r\n\r\n`),
      Buffer.from([0xd1, 0xe1, 0xee, 0xe9]),
    ]),
    'Сбой',
  ],
  ['an unknown character set', `${headers}Content-Type: text/html; charset=none\r\n\r\nok`, 'ok'],
  ['a character that is cut through', Buffer.from(`${headers}\r\nÜé`).subarray(0, -1), 'Ü'],
  ['more than is kept', `${headers}\r\n${'x'.repeat(5000)}`, 'x'.repeat(mostAnswerBytes)],
]

test.for(answers)('%s', ([, answer, text]) => {
  expect(answerText(Buffer.from(answer))).toBe(text)
})
