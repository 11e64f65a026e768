// Every type of note: its params, how they are read back, and its event.
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { addNote, notesIn, readNote } from '../../../test/notes.ts'
import { addRecord } from '../../../test/records.ts'
import { noteTypeNames } from './types.ts'

let account: TestAccount
let lead: number

beforeAll(async () => {
  account = await newAccount()
  lead = await addRecord(account.api, 'leads')
})

const file = '0a4c1a70-9c5b-4d33-8f2e-0e9d5a3b7c11'
const call = {
  uniq: 'c-1',
  duration: 0,
  source: 'pbx',
  link: 'https://x',
  phone: '+15550100',
  call_result: '',
  call_status: 4,
}
const message = { service: 'A service', text: 'A text' }
const campaign = {
  contacts: [1, 'a@b.c', { name: 'Ann' }],
  campaign: 'Autumn',
  service: 'mailchimp',
}
const drive = { original_name: 'a.pdf', text: 'a.pdf', is_drive_attachment: true }

type Params = Record<string, unknown>

test.for<[type: string, event: string, params: Params, read?: Params]>([
  ['common', 'common_note_added', { text: `A text\n${'ы'.repeat(60_000)}` }],
  ['call_in', 'incoming_call', { ...call, call_responsible: 17 }],
  ['call_out', 'outgoing_call', { ...call, call_responsible: 'Ann' }],
  [
    'call_in',
    'incoming_call',
    { duration: '35', source: 'pbx', phone: 15_550_100 },
    { duration: 35, source: 'pbx', phone: '15550100' },
  ],
  ['service_message', 'service_note_added', message],
  ['extended_service_message', 'service_note_added', message],
  ['message_cashier', 'message_to_cashier_note_added', { status: 'shown', text: 'A text' }],
  [
    'geolocation',
    'geo_note_added',
    { text: 'Here', address: 'A street', longitude: '37.6', latitude: '55.7' },
  ],
  ['sms_in', 'incoming_sms', { text: 'A text', phone: '+15550100' }],
  ['sms_out', 'outgoing_sms', { text: 'A text', phone: '+15550100' }],
  [
    'attachment',
    'attachment_note_added',
    { file_uuid: file, version_uuid: file, file_name: 'a.pdf' },
    { file_uuid: file, version_uuid: file, file_name: 'a.pdf', ...drive },
  ],
  [
    'attachment',
    'attachment_note_added',
    {
      file_uuid: file,
      file_name: 'a.pdf',
      original_name: 'b',
      text: 7,
      is_drive_attachment: false,
    },
    { file_uuid: file, file_name: 'a.pdf', ...drive },
  ],
  ['site_visit', 'site_visit_note_added', { url: 'https://example.com/page' }],
  ['targeting_in', 'targeting_in_note_added', campaign],
  ['targeting_out', 'targeting_out_note_added', campaign],
  ['invoice_paid', 'service_note_added', { ...message, icon_url: 'https://example.com/icon.png' }],
  ['bill_paid', 'service_note_added', message],
  [
    'zoom_meeting',
    'service_note_added',
    { conference: { id: 1, topic: 'A topic' }, recordings: [{ url: 'https://x' }] },
  ],
  [
    'ai_result',
    'service_note_added',
    { text: 'A text', answer_id: 5, talk_id: 6, is_error: false },
  ],
])('%s is told as %s', async ([note_type, event, params, read = params]) => {
  const newsSince = await listen(account)
  const id = await addNote(account.api, 'leads', lead, { note_type, params })
  expect(await readNote(account.api, 'leads', id)).toMatchObject({ note_type, params: read })
  expect((await readNote(account.api, 'leads', id)).params).toEqual(read)
  const { events } = await newsSince()
  expect(events).toMatchObject([
    {
      type: event,
      entity_id: lead,
      entity_type: 'lead',
      value_before: [],
      value_after: [{ note: { id } }],
    },
  ])
  const same = await account.api.patch(`/api/v4/leads/notes/${id}`, { note_type, params: read })
  expect(same.status).toBe(200)
})

test('the table knows the ten types that people write and the seven that programs write, too', () => {
  expect(noteTypeNames).toHaveLength(17)
})

const nothing: [string, Params, string[]][] = noteTypeNames.map((type) => [
  type,
  { strange: 1 },
  ['FieldNotExpected params.strange'],
])

test.for<[type: string, params: Params, faults: string[]]>([
  ...nothing,
  ['common', {}, ['FieldMissing params.text']],
  ['common', { text: '' }, ['NotBlank params.text']],
  ['common', { text: ' \n ' }, ['NotBlank params.text']],
  ['common', { text: null }, ['NotNullable params.text']],
  ['common', { text: 5 }, ['InvalidType params.text']],
  ['common', { text: 'x'.repeat(65_536) }, ['TooLong params.text']],
  [
    'call_in',
    {},
    ['FieldMissing params.duration', 'FieldMissing params.source', 'FieldMissing params.phone'],
  ],
  ['call_in', { ...call, source: '' }, ['NotBlank params.source']],
  [
    'call_in',
    { ...call, link: null, call_result: null },
    ['NotNullable params.link', 'NotNullable params.call_result'],
  ],
  [
    'call_out',
    { ...call, call_status: null, uniq: null, call_responsible: null },
    [
      'NotNullable params.uniq',
      'NotNullable params.call_responsible',
      'NotNullable params.call_status',
    ],
  ],
  ['call_out', { ...call, call_status: 9 }, ['NotSupportedChoice params.call_status']],
  ['call_out', { ...call, duration: -1 }, ['TooLow params.duration']],
  ['call_out', { ...call, call_responsible: [] }, ['InvalidType params.call_responsible']],
  ['service_message', { service: 'x' }, ['FieldMissing params.text']],
  ['extended_service_message', { text: 'x', service: ' ' }, ['NotBlank params.service']],
  ['message_cashier', { status: 'paid', text: 'x' }, ['NotSupportedChoice params.status']],
  [
    'geolocation',
    { address: 'x' },
    ['FieldMissing params.longitude', 'FieldMissing params.latitude'],
  ],
  ['sms_in', { text: 'x', phone: '1', uniq: 'u' }, ['FieldNotExpected params.uniq']],
  ['sms_out', { text: 'x' }, ['FieldMissing params.phone']],
  [
    'attachment',
    { file_uuid: 'x', file_name: 'a', version_uuid: null },
    ['InvalidFormat params.file_uuid', 'NotNullable params.version_uuid'],
  ],
  ['attachment', {}, ['FieldMissing params.file_uuid', 'FieldMissing params.file_name']],
  ['site_visit', { url: '' }, ['NotBlank params.url']],
  [
    'targeting_in',
    { ...campaign, service: 'other', contacts: {} },
    ['InvalidType params.contacts', 'NotSupportedChoice params.service'],
  ],
  [
    'targeting_out',
    { ...campaign, contacts: Array.from({ length: 251 }, () => 1) },
    ['TooMany params.contacts'],
  ],
  ['targeting_out', { ...campaign, contacts: ['x'.repeat(300_000)] }, ['TooLong params']],
  ['zoom_meeting', {}, ['FieldMissing params.conference']],
  [
    'zoom_meeting',
    { conference: { many: Array.from({ length: 300_000 }, () => 1) } },
    ['TooLong params'],
  ],
  ['zoom_meeting', { conference: { ['k'.repeat(300_000)]: 1 } }, ['TooLong params']],
  ['ai_result', { text: 'x', is_error: 'no' }, ['InvalidType params.is_error']],
])(
  '%s without what it needs, or with too much, is refused: %j',
  async ([note_type, params, faults]) => {
    const refused = await account.api.post(`/api/v4/leads/${lead}/notes`, [{ note_type, params }])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)['0']).toEqual(expect.arrayContaining(faults))
    if (!('strange' in params)) expect(faultsOf(refused)['0']).toHaveLength(faults.length)
  },
)

test('with UNKNOWN_KEYS=ignore other params are left out', async () => {
  const { api } = await newAccount({ unknownKeys: 'ignore' })
  const record = await addRecord(api, 'leads')
  const id = await addNote(api, 'leads', record, {
    note_type: 'sms_in',
    params: { text: 'x', phone: '1', uniq: 'u' },
    stray: 1,
  })
  expect((await readNote(api, 'leads', id)).params).toEqual({ text: 'x', phone: '1' })
  expect(notesIn(await api.get('/api/v4/leads/notes'))).toEqual([id])
})
