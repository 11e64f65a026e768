// The pure parts of callbacks, in tables: their bodies, what follows an attempt, and the states that
// a channel tells.
import { describe, expect, test } from 'vitest'
import type { Attempted } from '../../../../outgoing/attempt.ts'
import type { MessageStatus } from '../schema.ts'
import { callbackBody } from './callbacks.ts'
import type { CallbackFacts } from './callbacks.ts'
import { outcomeOf } from './schedule.ts'
import { statusAfter, reportedError } from './statuses.ts'

const channel = {
  amojoId: '0b7d7f0e-0000-4000-8000-0000000000aa',
  bot: { id: '33333333-0000-4000-8000-0000000000bb', name: 'Line' },
}
const version1 = { ...channel, hook_api_version: 'v1' } as const
const version2 = { ...channel, hook_api_version: 'v2' } as const

const message: CallbackFacts = {
  uid: '44444444-0000-4000-8000-000000000003',
  msgid: null,
  type: 'text',
  text: 'Ready at 5',
  content: {},
  msec_timestamp: 1_700_000_000_123,
  is_outgoing: true,
  user: { id: '33333333-0000-4000-8000-000000000002', name: 'Max' },
  chat_uid: '11111111-2222-4333-8444-555555555555',
  conversation_id: 'cv-9',
  source: null,
  client: {
    id: '22222222-0000-4000-8000-000000000001',
    client_id: 'cl-9',
    name: 'Ann',
    phone: '+10000000000',
    email: null,
  },
  reply_to: null,
}
const picture = {
  type: 'picture',
  text: '',
  content: { media: 'https://example.com/a.png', file_name: 'a.png', file_size: 7 },
} as const

describe('a body', () => {
  test('of version 1 has the ids of the channel, and empty values for what is not there', () => {
    expect(callbackBody(version1, message, 1_700_000_001)).toBe(
      '{"receiver":"cl-9","conversation_id":"cv-9","type":"text","text":"Ready at 5","media":"","thumbnail":"",' +
        '"file_name":"","file_size":0,"msec_timestamp":1700000000123}',
    )
  })

  test('of version 1 cannot be made for a chat that the channel has not named', () => {
    expect(callbackBody(version1, { ...message, conversation_id: null }, 1)).toBeUndefined()
    const client = { ...message.client, client_id: null }
    expect(callbackBody(version1, { ...message, client }, 1)).toBeUndefined()
  })

  test('of version 2 names who writes, who gets it, and where', () => {
    expect(callbackBody(version2, message, 1_700_000_001)).toBe(
      '{"account_id":"0b7d7f0e-0000-4000-8000-0000000000aa","time":1700000001,"message":{' +
        '"receiver":{"id":"22222222-0000-4000-8000-000000000001","phone":"+10000000000","email":"","client_id":"cl-9","name":"Ann"},' +
        '"sender":{"id":"33333333-0000-4000-8000-000000000002","name":"Max"},' +
        '"conversation":{"id":"11111111-2222-4333-8444-555555555555","client_id":"cv-9"},' +
        '"timestamp":1700000000,"msec_timestamp":1700000000123,' +
        '"message":{"id":"44444444-0000-4000-8000-000000000003","type":"text","text":"Ready at 5","media":"","thumbnail":"",' +
        '"file_name":"","file_size":0,"tag":""}}}',
    )
  })

  test('of version 2 has empty ids where a user wrote first, the bot as writer, and the source', () => {
    const client = { ...message.client, client_id: null, phone: null, email: 'a@example.com' }
    const first = { ...message, conversation_id: null, client, source: 'site 7', user: null }
    const body = JSON.parse(callbackBody(version2, first, 1)!)
    expect(body.message).toMatchObject({
      receiver: { client_id: '', phone: '', email: 'a@example.com' },
      sender: channel.bot,
      conversation: { client_id: '' },
      source: { external_id: 'site 7' },
    })
  })

  test.each<[string, 'v1' | 'v2', string, string]>([
    ['picture', 'v1', 'picture', 'https://example.com/a.png'],
    ['picture', 'v2', 'picture', 'https://example.com/a.png'],
    ['file', 'v1', 'file', ''],
    ['video', 'v1', 'file', ''],
    ['video', 'v2', 'video', ''],
    ['voice', 'v2', 'voice', ''],
    ['audio', 'v2', 'audio', ''],
    ['sticker', 'v1', 'file', ''],
    ['sticker', 'v2', 'sticker', ''],
  ])('tells a %s to %s as %s', (type, hook_api_version, sentType, thumbnail) => {
    const sent = { ...message, ...picture, type: type as 'picture' }
    const body = JSON.parse(callbackBody({ ...channel, hook_api_version }, sent, 1)!)
    const content = { type: sentType, thumbnail, ...picture.content, text: '' }
    expect(hook_api_version === 'v1' ? body : body.message.message).toMatchObject(content)
  })

  test('of version 2 holds the message that it answers, without phones', () => {
    const answered = { ...message, msgid: 'm-1', text: 'When?', is_outgoing: false, user: null }
    const repliedTo = (reply_to: CallbackFacts['reply_to']) =>
      JSON.parse(callbackBody(version2, { ...message, reply_to }, 1)!).message.message.reply_to
    const outside = { id: message.client.id, client_id: 'cl-9', name: 'Ann' }
    expect(repliedTo(answered)).toEqual({
      message: {
        id: message.uid,
        msgid: 'm-1',
        type: 'text',
        text: 'When?',
        media: '',
        thumbnail: '',
        file_name: '',
        file_size: 0,
        timestamp: 1_700_000_000,
        msec_timestamp: 1_700_000_000_123,
        sender: outside,
      },
    })
    const own = { sender: message.user, receiver: outside }
    expect(repliedTo(message)).toMatchObject({ message: own })
    expect(repliedTo(message).message).not.toHaveProperty('msgid')
  })
})

describe('after an attempt', () => {
  const answered = (status: number): Attempted => ({
    status,
    error: null,
    milliseconds: 1,
    isOurs: false,
    isSent: true,
  })
  const broken = (
    error: Attempted['error'],
    { isSent = false, isOurs = false } = {},
  ): Attempted => ({ status: 0, error, milliseconds: 1, isOurs, isSent })
  const nowMs = Date.parse('Fri, 24 Jul 2026 12:00:00 GMT')
  const after = (answer: Attempted, number: number) =>
    outcomeOf(answer, number, { timeoutMs: 5000, nowMs })
  const results = (answer: Attempted) => [1, 2, 3, 4, 5].map((number) => after(answer, number))

  test.each<[string, Attempted]>([
    ['429', answered(429)],
    ['503', answered(503)],
    ['no name', broken('dns')],
    ['a refusal', broken('refused')],
    ['a wrong certificate', broken('tls')],
    ['no way', broken('unreachable')],
    ['no connection in time', broken('timeout')],
  ])('%s is repeated after 5 s, 30 s, 2 min and 10 min, and then shown', (_what, answer) => {
    const ends = results(answer)
    expect(ends.map((end) => ('waitMs' in end ? end.waitMs / 1000 : end.result))).toEqual([
      5,
      30,
      120,
      600,
      'failed',
    ])
    expect(ends[4]).toMatchObject({ error_code: answer.status === 0 ? 902 : 903 })
  })

  test.each<[string | undefined, ...number[]]>([
    [undefined, 5, 30, 120, 600],
    ['3', 5, 30, 120, 600],
    ['45', 45, 45, 120, 600],
    ['600', 600, 600, 600, 600],
    ['86400', 600, 600, 600, 600],
    ['9'.repeat(400), 600, 600, 600, 600],
    ['Fri, 24 Jul 2026 12:01:30 GMT', 90, 90, 120, 600],
    ['Fri, 24 Jul 2026 11:00:00 GMT', 5, 30, 120, 600],
    ['Fri, 99 Jul 2026 12:01:30 GMT', 5, 30, 120, 600],
    ['2026-07-24T12:01:30Z', 5, 30, 120, 600],
    ['-45', 5, 30, 120, 600],
    ['45.5', 5, 30, 120, 600],
    ['soon', 5, 30, 120, 600],
    ['', 5, 30, 120, 600],
  ])(
    'a busy channel that says Retry-After: %s is asked again accordingly',
    (retryAfter, ...seconds) => {
      for (const status of [429, 503]) {
        const ends = results({ ...answered(status), retryAfter })
        expect(ends.map((end) => ('waitMs' in end ? end.waitMs / 1000 : end.result))).toEqual([
          ...seconds,
          'failed',
        ])
      }
    },
  )

  test.each<[string, Attempted, number]>([
    ...[100, 101, 201, 204, 301, 400, 403, 404, 499, 500, 502, 504].map(
      (status): [string, Attempted, number] => [String(status), answered(status), 903],
    ),
    ['no answer in time', broken('timeout', { isSent: true }), 903],
    [
      'no answer while this process was late',
      broken('timeout', { isSent: true, isOurs: true }),
      903,
    ],
    ['a reset', broken('reset', { isSent: true }), 903],
    ['an error of TLS in the answer', broken('tls', { isSent: true }), 903],
    ['no HTTP', broken('not http', { isSent: true }), 903],
    ['a private address', broken('private address'), 902],
    ['no address', broken('bad address'), 902],
  ])('%s is shown at once', (_what, answer, error_code) => {
    for (const end of results(answer))
      expect(end).toEqual({ result: 'failed', error_code, error: expect.stringMatching(/^The /) })
  })

  test('200 is success, and a failure of this machine does not count', () => {
    expect(after(answered(200), 1)).toEqual({ result: 'sent' })
    for (const error of ['local', 'dns', 'unreachable', 'aborted'] as const)
      expect(after(broken(error, { isOurs: true }), 5)).toEqual({ result: 'own failure' })
    expect(after(broken('timeout', { isSent: true }), 1)).toMatchObject({
      error: 'The channel did not answer in 5 seconds',
    })
  })
})

describe('a state', () => {
  test.each<[MessageStatus, ...(MessageStatus | undefined)[]]>([
    ['sending', 'delivered', 'read', 'error'],
    ['sent', 'delivered', 'read', 'error'],
    ['delivered', undefined, 'read', undefined],
    ['read', undefined, undefined, undefined],
    ['error', 'delivered', 'read', undefined],
  ])('%s becomes %s by 1, %s by 2, %s by -1', (status, ...next) => {
    expect(([1, 2, -1] as const).map((sentType) => statusAfter(status, sentType))).toEqual(next)
  })

  test('an error has the text of its code, unless the channel sends one', () => {
    expect(reportedError(901)).toEqual({
      error_code: 901,
      error: 'The user has deleted the conversation',
    })
    expect(reportedError(904, ' ').error).toBe('The conversation cannot be created')
    expect(reportedError(905, 'Blocked')).toEqual({ error_code: 905, error: 'Blocked' })
    expect(reportedError(902, 'Off').error).toBe('Off')
  })
})
