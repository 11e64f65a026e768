// The chat protocol, from the program of a channel to the stored message and its news.
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { amojoIdOf, canonical, sendChat, sendSigned } from '../../../../test/channels.ts'
import {
  addScope,
  avatar,
  callScope,
  connectTo,
  messageOf,
  personOf,
  publish,
  published,
} from '../../../../test/chats.ts'
import type { TestScope } from '../../../../test/chats.ts'
import { phone } from '../../../../test/complex.ts'
import { chatSignature } from '../../../access/channel-signature.ts'
import { listen, mainPipeline, plainly } from '../../../../test/leads.ts'
import { linksOf } from '../../../../test/links.ts'
import { addRecord } from '../../../../test/records.ts'
import { addSorter } from '../../../../test/unsorted.ts'

let account: TestAccount
let scope: TestScope

beforeAll(async () => {
  account = await newAccount({ rateLimitScope: 0 })
  scope = await addScope(account, {}, { title: 'Shop' })
})

interface StoredChat {
  id: number
  contact_id: number | null
  entity_id: number | null
  item_id: number | null
  is_visible: boolean
  unread: number
}

const chatOf = async (uid: string): Promise<StoredChat> =>
  (await account.kontor.database.row<StoredChat>(
    sql`select * from chats where account_id = ${account.id} and uid = ${uid}::uuid`,
  ))!

/** The waiting item of a conversation. */
async function itemOf(uid: string) {
  const { body } = await account.api.get(
    '/api/v4/leads/unsorted?filter[category][]=chats&limit=250',
  )
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
  return body._embedded.unsorted.filter((item: any) => item.metadata.origin.chat_id === uid)
}

async function acceptItemOf(uid: string) {
  const [item] = await itemOf(uid)
  const { status, body } = await account.api.post(`/api/v4/leads/unsorted/${item.uid}/accept`, {})
  expect(status).toBe(200)
  return { lead: body._embedded.leads[0].id, contact: body._embedded.contacts[0].id }
}

const faultOf = async (draft: Record<string, unknown>, event = 'new_message') => {
  const { status, body } = await publish(scope, draft, event)
  return [status, body.error_type, body.error_description]
}

let names = 0
const conversation = () => `conversation-${++names}`

describe('a first message', () => {
  test('makes a chat and an unsorted item; the acceptance makes lead and contact of it', async () => {
    const conversation_id = conversation()
    const news = await listen(account)
    const first = await published(scope, {
      conversation_id,
      text: 'Is it in stock?',
      sender: personOf('stock', { profile: { phone: '+1 000 000 00 77', email: 'ann@x.example' } }),
    })
    expect(first).toMatchObject({ receiver_id: null })
    const { journal, events } = await news()
    const [item] = await itemOf(first.conversation_id)
    expect(item).toMatchObject({
      category: 'chats',
      source_name: 'Shop',
      metadata: {
        from: 'Ann',
        to: 'Shop',
        service: scope.code,
        client: { name: 'Ann', avatar },
        last_message_text: 'Is it in stock?',
      },
    })
    const lead = item._embedded.leads[0].id
    expect(journal.map((row) => `${row.entity_type} ${row.actions.join()}`).toSorted()).toEqual([
      'chats add',
      'messages add',
      'talks add',
      'unsorted_items add',
    ])
    expect(events.map(plainly)).toEqual([
      {
        type: 'incoming_chat_message',
        entity_id: lead,
        created_by: 0,
        value_before: [],
        value_after: [{ message: { id: first.msgid } }],
      },
    ])

    await published(scope, { conversation_id, text: 'Hello?' })
    expect((await itemOf(first.conversation_id))[0].metadata.last_message_text).toBe('Hello?')

    const accepted = await acceptItemOf(first.conversation_id)
    expect(accepted.lead).toBe(lead)
    const contact = (await account.api.get(`/api/v4/contacts/${accepted.contact}`)).body
    expect(contact.name).toBe('Ann')
    expect(contact.custom_fields_values.map(valuesOf).toSorted()).toEqual([
      'EMAIL ann@x.example',
      'PHONE +1 000 000 00 77',
    ])
    expect(await chatOf(first.conversation_id)).toMatchObject({
      contact_id: accepted.contact,
      entity_id: lead,
      item_id: null,
      unread: 2,
    })

    const later = await listen(account)
    await published(scope, { conversation_id, text: 'Thanks' })
    const heard = await later()
    expect(heard.events.map(({ entity_id }) => entity_id)).toEqual([lead])
    expect(heard.journal.map(({ entity_type }) => entity_type)).toEqual(['messages'])
    expect(heard.journal[0]!.after).toMatchObject({
      contact_id: accepted.contact,
      entity_id: lead,
    })
    expect(await itemOf(first.conversation_id)).toEqual([])
  })

  const valuesOf = ({ field_code, values }: { field_code: string; values: { value: string }[] }) =>
    `${field_code} ${values[0]!.value}`

  test('of a client whom one contact has, by phone or e-mail, is accepted into that contact', async () => {
    const known = await addRecord(account.api, 'contacts', {
      name: 'Known',
      custom_fields_values: [phone('+1 (000) 000-00-88')],
    })
    const conversation_id = conversation()
    const sender = personOf('known', { profile: { phone: '+10000000088' } })
    const { conversation_id: uid } = await published(scope, { conversation_id, sender })
    const { lead, contact } = await acceptItemOf(uid)
    expect(contact).toBe(known)
    expect(await linksOf(account.api, 'leads', lead)).toEqual([`contacts ${known} main`])
  })

  test('of a client whom two contacts have is accepted into a new one', async () => {
    const both = { custom_fields_values: [phone('+10000000099')] }
    const known = [
      await addRecord(account.api, 'contacts', { name: 'One', ...both }),
      await addRecord(account.api, 'contacts', { name: 'Two', ...both }),
    ]
    const sender = personOf('twice', { profile: { phone: '+10000000099' } })
    const { conversation_id: uid } = await published(scope, {
      conversation_id: conversation(),
      sender,
    })
    const { contact } = await acceptItemOf(uid)
    expect(known).not.toContain(contact)
  })

  test('sent twice at once, and two first messages at once, make one chat and one item', async () => {
    const conversation_id = conversation()
    const same = messageOf({ conversation_id, text: 'Same' })
    const other = messageOf({ conversation_id, text: 'Other', sender: personOf('same-time') })
    const bodies = [same, other, same, other, same].map((payload) => ({
      event_type: 'new_message',
      payload,
    }))
    const answers = await Promise.all(bodies.map((body) => callScope(scope, '', body)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const messages = answers.map(({ body }) => body.new_message)
    expect(new Set(messages.map(({ conversation_id: uid }) => uid)).size).toBe(1)
    expect(new Set(messages.map(({ msgid }) => msgid)).size).toBe(2)
    expect(messages[2]).toEqual(messages[0])
    expect(await itemOf(messages[0].conversation_id)).toHaveLength(1)
    expect((await chatOf(messages[0].conversation_id)).unread).toBe(2)
  })

  test('one msgid in two conversations at once is one message', async () => {
    const payload = messageOf({ conversation_id: conversation() })
    const bodies = [payload, { ...payload, conversation_id: conversation() }]
    const answers = await Promise.all(
      bodies.map((each) => callScope(scope, '', { event_type: 'new_message', payload: each })),
    )
    expect(answers[0]!.body).toEqual(answers[1]!.body)
    expect(await itemOf(answers[0]!.body.new_message.conversation_id)).toHaveLength(1)
  })
})

describe('later messages', () => {
  test('make a new item once the lead is closed or deleted, or the item was declined', async () => {
    const conversation_id = conversation()
    const { conversation_id: uid } = await published(scope, { conversation_id })
    const first = await acceptItemOf(uid)
    await account.api.patch(`/api/v4/leads/${first.lead}`, { status_id: 142 })
    await published(scope, { conversation_id })
    const second = await acceptItemOf(uid)
    expect(second.lead).not.toBe(first.lead)
    expect(second.contact).toBe(first.contact)

    await account.api.delete(`/api/v4/leads/${second.lead}`)
    await published(scope, { conversation_id })
    const [third] = await itemOf(uid)
    const declined = await account.api.delete(`/api/v4/leads/unsorted/${third.uid}/decline`, {})
    expect(declined.status).toBe(200)
    expect(await chatOf(uid)).toMatchObject({ item_id: null, entity_id: null })
    await published(scope, { conversation_id })
    const [fourth] = await itemOf(uid)
    expect(fourth.uid).not.toBe(third.uid)
  })

  test('go to the lead that a PATCH took out of the unsorted status', async () => {
    const conversation_id = conversation()
    const { conversation_id: uid } = await published(scope, { conversation_id })
    const [item] = await itemOf(uid)
    const lead = item._embedded.leads[0].id
    const { statuses } = await mainPipeline(account)
    const { status } = await account.api.patch(`/api/v4/leads/${lead}`, { status_id: statuses[1] })
    expect(status).toBe(200)
    expect(await chatOf(uid)).toMatchObject({ entity_id: lead, item_id: null })
    expect((await chatOf(uid)).contact_id).not.toBeNull()
  })

  test('stay with a contact that the user who accepts may not edit', async () => {
    const conversation_id = conversation()
    const { conversation_id: chat_id } = await published(scope, { conversation_id })
    const contact_id = await addRecord(account.api, 'contacts', { name: 'Bound' })
    await account.api.post('/api/v4/contacts/chats', [{ contact_id, chat_id }])
    const withoutEdits = { view: 'A', edit: 'D', add: 'A', delete: 'D', export: 'D' }
    const rights = { contacts: withoutEdits }
    const sorter = await addSorter(account, { view: 'A', edit: 'A' }, rights)
    const [item] = await itemOf(chat_id)
    const path = `/api/v4/leads/unsorted/${item.uid}/accept`
    expect((await sorter.api.post(path, {})).status).toBe(200)
    expect(await chatOf(chat_id)).toMatchObject({
      contact_id,
      entity_id: item._embedded.leads[0].id,
    })
  })

  test('leave no talk behind: closed ones follow their lead, too', async () => {
    const conversation_id = conversation()
    const { conversation_id: uid } = await published(scope, { conversation_id })
    const { database } = account.kontor
    const talks = () =>
      database.list<{ id: number; contact_id: number | null }>(
        sql`select id, contact_id from talks
             where account_id = ${account.id} and chat_id = (select id from chats where uid = ${uid}::uuid) order by id`,
      )
    const [first] = await talks()
    expect((await account.api.post(`/api/v4/talks/${first!.id}/close`, {})).status).toBe(202)
    await published(scope, { conversation_id })
    const { contact } = await acceptItemOf(uid)
    expect((await talks()).map(({ contact_id }) => contact_id)).toEqual([contact, contact])
  })

  test('of a time that is far ahead count as they arrive', async () => {
    const conversation_id = conversation()
    const { conversation_id: uid } = await published(scope, {
      conversation_id,
      msec_timestamp: 253_402_300_000_000,
    })
    const [stored] = await history(uid)
    expect(Math.abs(stored.msec_timestamp - Date.now())).toBeLessThan(60_000)
  })

  test('of an acceptance at the same time go to one lead', async () => {
    const conversation_id = conversation()
    const { conversation_id: uid } = await published(scope, { conversation_id })
    const [item] = await itemOf(uid)
    const [accepted, ...sent] = await Promise.all([
      account.api.post(`/api/v4/leads/unsorted/${item.uid}/accept`, {}),
      ...[1, 2, 3, 4].map(() => publish(scope, { conversation_id })),
    ])
    expect([accepted.status, ...sent.map(({ status }) => status)]).toEqual([
      200, 200, 200, 200, 200,
    ])
    expect(await chatOf(uid)).toMatchObject({
      entity_id: item._embedded.leads[0].id,
      item_id: null,
      unread: 5,
    })
    expect(await itemOf(uid)).toEqual([])
  })
})

describe('silent messages', () => {
  test('of a new conversation are only stored, until one that is not silent shows them', async () => {
    const conversation_id = conversation()
    const news = await listen(account)
    const silent = await published(scope, { conversation_id, silent: true, text: 'Old' })
    expect(await news()).toEqual({ journal: [], events: [] })
    expect(await chatOf(silent.conversation_id)).toMatchObject({ is_visible: false, item_id: null })
    await published(scope, { conversation_id, text: 'New' })
    expect(await chatOf(silent.conversation_id)).toMatchObject({ is_visible: true, unread: 1 })
    const { events } = await news()
    expect(events).toHaveLength(1)
  })

  test('of a known chat tell browsers of the chat, and nobody else', async () => {
    const conversation_id = conversation()
    await published(scope, { conversation_id })
    const news = await listen(account)
    await published(scope, { conversation_id, silent: true })
    const { journal, events } = await news()
    expect(journal.map((row) => `${row.entity_type} ${row.actions.join()}`)).toEqual([
      'chats update',
    ])
    expect(events).toEqual([])
  })
})

describe('messages to the client', () => {
  const receiver = { id: 'client-of-import', name: 'Bob' }

  test('are those of a user or of the bot, by the id of the sender', async () => {
    const amojo = (await account.api.get('/api/v4/users?with=amojo_id')).body._embedded.users[0]
    const conversation_id = conversation()
    const news = await listen(account)
    const sender = { id: 'manager', name: 'Admin', ref_id: amojo.amojo_id }
    const byUser = await published(scope, { conversation_id, receiver, sender })
    expect(byUser.sender_id).toBe(amojo.amojo_id)
    expect(byUser.receiver_id).not.toBeNull()
    const bot = { id: 'bot', name: 'Bot', ref_id: scope.bot_id }
    const byBot = await published(scope, { conversation_id, receiver, sender: bot })
    expect(byBot).toMatchObject({ sender_id: scope.bot_id, receiver_id: byUser.receiver_id })
    const { journal, events } = await news()
    expect(events.map(({ type, created_by }) => [type, created_by])).toEqual([
      ['outgoing_chat_message', amojo.id],
      ['outgoing_chat_message', 0],
    ])
    const entries = journal.filter(({ entity_type }) => entity_type === 'messages')
    expect(entries.map(({ actions, after }) => [actions, after['status']])).toEqual([
      [['send'], 'sent'],
      [['send'], 'sent'],
    ])
    expect(await chatOf(byUser.conversation_id)).toMatchObject({ unread: 0 })
  })

  // Who sends, whether there is a receiver, and the fault of the answer; null: the message is taken.
  test.for<[string, (ids: { user: string; bot: string }) => object, boolean, RegExp | null]>([
    ['a user by ref_id alone', ({ user }) => ({ ref_id: user }), true, null],
    ['the bot by ref_id alone', ({ bot }) => ({ ref_id: bot }), true, null],
    ['a ref_id and an id', ({ user }) => ({ ref_id: user, id: 'm' }), true, null],
    ['a ref_id and a name', ({ bot }) => ({ ref_id: bot, name: 'B' }), true, null],
    ['a stranger by ref_id', () => ({ ref_id: crypto.randomUUID() }), true, /sender\.ref_id/],
    ['nobody', () => ({}), true, /sender\.id.*sender\.name/],
    ['a name alone', () => ({ name: 'Max' }), true, /sender\.id/],
    ['a user without a receiver', ({ user }) => ({ ref_id: user }), false, /id.*sender\.name/],
    ['the bot without a receiver', ({ bot }) => ({ ref_id: bot }), false, /id.*sender\.name/],
    ['a client without a name', () => ({ id: 'c', avatar }), false, /sender\.name/],
  ])('%s', async ([, senderOf, hasReceiver, fault]) => {
    const [user] = (await account.api.get('/api/v4/users?with=amojo_id')).body._embedded.users
    const sender = senderOf({ user: user.amojo_id, bot: scope.bot_id })
    const answer = await publish(scope, {
      conversation_id: conversation(),
      sender,
      ...(hasReceiver && { receiver }),
    })
    if (fault) {
      expect(answer.status).toBe(400)
      expect(answer.body.error_description).toMatch(fault)
    } else
      expect(answer.body.new_message).toMatchObject({
        sender_id: 'ref_id' in sender && sender.ref_id,
      })
  })

  test.each([undefined, '00000000-0000-4000-8000-000000000000'])(
    'of a stranger are refused: %s',
    async (ref_id) => {
      const sender = { id: 'manager', name: 'Nobody', ...(ref_id && { ref_id }) }
      const answer = await faultOf({ conversation_id: conversation(), receiver, sender })
      expect(answer).toEqual([400, 'invalid_request', expect.stringMatching(/sender\.ref_id/)])
    },
  )
})

describe('every type', () => {
  const media = 'https://media.example.com/1'
  const types: Record<string, object> = {
    picture: { media, file_name: 'a.png', file_size: 12 },
    video: { media },
    file: { media, file_name: 'a.pdf', file_size: 0, text: 'see' },
    sticker: { media, sticker_id: 's' },
    voice: { media, media_duration: 3 },
    audio: { media },
    contact: { contact: { name: 'Bob', phone: '+1' } },
    location: { location: { lon: 30.5, lat: -59.9 } },
  }

  test.each(Object.entries(types))('%s', async (type, content) => {
    const conversation_id = conversation()
    const message: Record<string, unknown> = { type, text: '', ...content }
    const { conversation_id: uid, msgid } = await published(scope, { conversation_id, message })
    const [stored] = await history(uid)
    const { sticker_id: _sticker, media_duration: _seconds, ...shown } = message
    expect(stored.message).toMatchObject({ id: msgid, ...shown })
    const { media: _media, contact: _contact, location: _location, ...without } = message
    const [status, , description] = await faultOf({ conversation_id, message: without })
    expect([status, description]).toEqual([400, expect.stringMatching(/message\.\w+: .*missing/)])
  })

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['a text without text', { message: { text: ' ' } }, /message\.text/],
    ['an unknown type', { message: { type: 'dance' } }, /message\.type/],
    ['a text too long', { text: 'x'.repeat(20_001) }, /message\.text/],
    ['a number as text', { msgid: 5 }, /msgid/],
    ['a text as number', { timestamp: '5' }, /timestamp/],
    ['no msgid', { msgid: undefined }, /msgid/],
    ['an empty msgid', { msgid: '' }, /msgid/],
    ['no conversation', { conversation_id: undefined }, /conversation_id/],
    ['no sender', { sender: undefined }, /sender/],
    ['no avatar', { sender: { id: 'x', name: 'X' } }, /sender\.avatar/],
    ['no address', { sender: { id: 'x', name: 'X', avatar: 'javascript:1' } }, /sender\.avatar/],
    ['no name', { sender: { id: 'x', avatar } }, /sender\.name/],
    ['a reference that is no UUID', { conversation_ref_id: 'x' }, /conversation_ref_id/],
    [
      'media at another scheme',
      { message: { type: 'file', media: 'file:///x' } },
      /message\.media/,
    ],
    ['an unknown key', { sillent: true }, /sillent/],
    ['a long post', { message: { post: { x: 'y'.repeat(65_536) } } }, /message\.post.*65536/],
    ['a long quote', { reply_to: { message: {}, x: 'y'.repeat(65_536) } }, /payload\.reply_to/],
    ['a state', { message: { delivery_status: { status_code: 1 } } }, /delivery_status/],
  ])('%s is refused, and nothing is stored', async (_what, draft, why) => {
    const conversation_id = conversation()
    const answer = await faultOf({ conversation_id, ...draft })
    expect(answer).toEqual([400, 'invalid_request', expect.stringMatching(why)])
    expect(
      await account.kontor.database.list(
        sql`select id from chats where account_id = ${account.id} and conversation_id = ${conversation_id}`,
      ),
    ).toEqual([])
  })

  test('an unknown event is refused', async () => {
    expect(await faultOf({}, 'dance')).toEqual([
      400,
      'invalid_request',
      expect.stringMatching(/event_type/),
    ])
  })

  test('a channel that is excused takes senders without avatar', async () => {
    const lenient = await addScope(account, { is_avatar_required: false })
    const sender = { id: 'plain', name: 'Plain' }
    expect((await publish(lenient, { sender })).status).toBe(200)
  })
})

/** The history of a chat, as the program of the channel reads it. */
async function history(uid: string, query = '') {
  const path = `${scope.path}/chats/${uid}/history`
  const headers = canonical(scope.secret, { method: 'GET', path })
  const { body } = await sendChat(account, 'GET', path + query, { headers })
  return body?.messages ?? []
}

describe('the history', () => {
  test('is newest first by milliseconds, then by arrival, and has pages', async () => {
    const conversation_id = conversation()
    const times = [5, 3, 9, 9, 1]
    let uid = ''
    for (const [index, msec_timestamp] of times.entries())
      uid = (await published(scope, { conversation_id, msec_timestamp, text: `t${index}` }))
        .conversation_id
    const texts = async (query?: string) =>
      (await history(uid, query)).map((each: { message: { text: string } }) => each.message.text)
    expect(await texts()).toEqual(['t3', 't2', 't0', 't1', 't4'])
    expect(await texts('?limit=2&offset=1')).toEqual(['t2', 't0'])
    expect(await texts('?offset=5')).toEqual([])
    expect(await history('00000000-0000-4000-8000-000000000000')).toEqual([])
    expect(await history('nothing')).toEqual([])
  })
})

describe('the history with a body', () => {
  const ofBody = (body: string) => ({
    'content-type': 'application/json',
    'x-signature': chatSignature(scope.secret, body),
  })
  const ofForm = (body: string) => (path: string) =>
    canonical(scope.secret, { method: 'GET', path, body })

  test.for<[string, (path: string) => Record<string, string>, number]>([
    ['[]', () => ofBody('[]'), 200],
    ['{}', () => ofBody('{}'), 200],
    [' { } ', () => ofBody(' { } '), 200],
    ['[]', (path) => ofForm('[]')(path), 200],
    ['{}', (path) => ofForm('{}')(path), 200],
    ['[]', (path) => ofForm('')(path), 200],
    ['{"a":1}', (path) => ofForm('')(path), 200],
    ['[]', () => ofBody('{}'), 403],
    ['[]', () => ofBody(''), 403],
    ['', () => ofBody(''), 403],
    ['[]', (path) => ofForm('{}')(path), 403],
    ['[1]', () => ofBody('[1]'), 403],
    ['{"a":1}', () => ofBody('{"a":1}'), 403],
    ['[]', (path) => ofForm('[]')(`${path}x`), 403],
  ])('%j is answered by its signature', async ([body, headersOf, status]) => {
    const { conversation_id } = await published(scope, { conversation_id: conversation() })
    const path = `${scope.path}/chats/${conversation_id}/history`
    const answer = await sendChat(account, 'GET', path, { body, headers: headersOf(path) })
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body.messages).toHaveLength(1)
  })
})

describe('an edit', () => {
  test('changes text and content without a notice, by either id', async () => {
    const conversation_id = conversation()
    const first = await published(scope, { conversation_id, text: 'Before' })
    const news = await listen(account)
    const edit = { msgid: first.ref_id, text: 'After', sender: undefined }
    const byName = await publish(scope, edit, 'edit_message')
    expect([byName.status, byName.body.new_message]).toEqual([200, first])
    const { journal, events } = await news()
    expect(journal.map((row) => `${row.entity_type} ${row.actions.join()}`)).toEqual([
      'messages update',
    ])
    expect(events).toEqual([])
    const again = { msgid: undefined, id: first.msgid, text: 'Again' }
    expect((await publish(scope, again, 'edit_message')).status).toBe(200)
    expect((await history(first.conversation_id))[0].message.text).toBe('Again')
  })

  test('keeps the media, the place and the contact that it leaves out, and no other type does', async () => {
    const conversation_id = conversation()
    const media = 'https://media.example.com/kept'
    const message = { type: 'picture', text: 'Before', media, file_name: 'a.png' }
    const {
      msgid,
      ref_id,
      conversation_id: uid,
    } = await published(scope, {
      conversation_id,
      message,
    })
    const edit = (change: object) =>
      callScope(scope, '', {
        event_type: 'edit_message',
        payload: { timestamp: 1, msgid: ref_id, message: change },
      })
    expect((await edit({ type: 'picture', text: 'After' })).status).toBe(200)
    const [edited] = await history(uid)
    expect(edited.message).toMatchObject({ id: msgid, text: 'After', media, file_name: 'a.png' })
    expect((await edit({ type: 'video', text: 'x' })).status).toBe(400)
    expect((await edit({ type: 'text', text: 'Plain' })).status).toBe(200)
    expect((await history(uid))[0].message).toMatchObject({ text: 'Plain', media: '' })
  })

  test('may tell what became of a message to the client', async () => {
    const conversation_id = conversation()
    const sender = { id: 'bot', name: 'Bot', ref_id: scope.bot_id }
    const receiver = { id: 'client-1', name: 'Ann' }
    const sent = await published(scope, { conversation_id, sender, receiver, text: 'Offer' })
    const edit = (delivery_status: object, text?: string) =>
      callScope(scope, '', {
        event_type: 'edit_message',
        payload: {
          timestamp: 1_700_000_000,
          msgid: sent.ref_id,
          message: { type: 'text', ...(text && { text }), delivery_status },
        },
      })
    const stored = () =>
      account.kontor.database.row(
        sql`select text, status from messages where account_id = ${account.id} and uid = ${sent.msgid}::uuid`,
      )
    expect((await edit({ status_code: 1 })).status).toBe(200)
    expect(await stored()).toEqual({ text: 'Offer', status: 'delivered' })
    expect((await edit({ status_code: 2 }, 'Better offer')).status).toBe(200)
    expect(await stored()).toEqual({ text: 'Better offer', status: 'read' })
    expect((await edit({ status_code: -1 })).status).toBe(400)
    const incoming = await published(scope, { conversation_id })
    const ofIncoming = {
      timestamp: 1,
      msgid: incoming.ref_id,
      message: { type: 'text', delivery_status: { status_code: 1 } },
    }
    const body = { event_type: 'edit_message', payload: ofIncoming }
    expect((await callScope(scope, '', body)).status).toBe(404)
  })

  test('of an unknown message is 404, of two messages 400', async () => {
    const one = await published(scope)
    const other = await published(scope)
    expect((await publish(scope, { msgid: 'unknown' }, 'edit_message')).status).toBe(404)
    const both = { id: one.msgid, msgid: other.ref_id }
    expect((await publish(scope, both, 'edit_message')).status).toBe(400)
    const elsewhere = await addScope(account)
    expect((await publish(elsewhere, { msgid: one.ref_id }, 'edit_message')).status).toBe(404)
  })
})

describe('a chat that is created', () => {
  test('is known by its conversation, and nobody sees it before its first message', async () => {
    const conversation_id = conversation()
    const user = { id: 'made', name: 'Made', profile: { phone: '+1' } }
    const made = await callScope(scope, '/chats', { conversation_id, user })
    expect(made.body).toMatchObject({ user: { client_id: 'made', name: 'Made', phone: '+1' } })
    const again = await callScope(scope, '/chats', {
      conversation_id,
      user: { ...user, name: 'New' },
    })
    expect(again.body).toMatchObject({
      id: made.body.id,
      user: { id: made.body.user.id, name: 'New' },
    })
    expect(await chatOf(made.body.id)).toMatchObject({ is_visible: false, item_id: null })
    const sender = personOf('made')
    const sent = await published(scope, { conversation_id, sender })
    expect([sent.conversation_id, sent.sender_id]).toEqual([made.body.id, made.body.user.id])
  })
})

describe('a chat that a user begins', () => {
  test('belongs to the client whom the channel knows, once it answers', async () => {
    const line = await addScope(account, {}, { hook_api_version: 'v2' })
    const known = await published(line, { conversation_id: 'known', sender: personOf('regular') })
    const contact_id = await addRecord(account.api, 'contacts', { name: 'Regular' })
    const made = await account.api.post('/web/v1/chats', {
      channel_id: line.id,
      contact_id,
      phone: '+1',
    })
    expect(made.status).toBe(201)
    const answer = await published(line, {
      conversation_id: 'answered',
      conversation_ref_id: made.body.chat_id,
      sender: personOf('regular'),
    })
    expect(answer).toMatchObject({
      conversation_id: made.body.chat_id,
      sender_id: known.sender_id,
    })
    const chat = await account.kontor.database.row(
      sql`select client_uid, conversation_id, contact_id from chats where id = ${made.body.id}`,
    )
    expect(chat).toEqual({
      client_uid: known.sender_id,
      conversation_id: 'answered',
      contact_id,
    })
  })
})

describe('typing and reactions', () => {
  test('typing is told to those who listen', async () => {
    const conversation_id = conversation()
    await published(scope, { conversation_id })
    const heard: string[] = []
    const off = account.kontor.signals.on('kontor_typing', (payload) => heard.push(payload))
    const typing = { conversation_id, sender: { id: 'client-1' }, duration_ms: 2000 }
    expect((await callScope(scope, '/typing', typing)).status).toBe(204)
    off()
    expect(heard.filter(Boolean).map((each) => JSON.parse(each).account_id)).toEqual([account.id])
    expect((await callScope(scope, '/typing', { ...typing, conversation_id: 'no' })).status).toBe(
      404,
    )
  })

  test('a reaction is added, replaced and taken away', async () => {
    const conversation_id = conversation()
    const { msgid, ref_id, sender_id } = await published(scope, { conversation_id })
    const reactions = async () =>
      (await account.kontor.database.row<{ reactions: unknown }>(
        sql`select reactions from messages where account_id = ${account.id} and uid = ${msgid}::uuid`,
      ))!.reactions
    const react = (body: object) => callScope(scope, '/react', { conversation_id, ...body })
    const user = { id: 'client-1' }
    expect((await react({ id: msgid, user, type: 'react', emoji: '👍' })).status).toBe(200)
    await react({ msgid: ref_id, user, type: 'react', emoji: '🔥' })
    await react({ msgid: ref_id, user: { ref_id: scope.bot_id }, type: 'react', emoji: '👍' })
    expect(await reactions()).toEqual([
      { user: sender_id, emoji: '🔥' },
      { user: scope.bot_id, emoji: '👍' },
    ])
    await react({ msgid: ref_id, user, type: 'unreact' })
    await react({ msgid: ref_id, user: { ref_id: scope.bot_id }, type: 'unreact' })
    expect(await reactions()).toBeNull()
    const statuses = [
      await react({ id: msgid, user: { id: 'nobody' }, type: 'react', emoji: 'x' }),
      await react({ id: msgid, user, type: 'react' }),
      await react({ user, type: 'unreact' }),
      await react({ msgid: 'unknown', user, type: 'unreact' }),
      await callScope(scope, '/react', {
        conversation_id: 'other',
        msgid: ref_id,
        user,
        type: 'unreact',
      }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([400, 400, 400, 404, 404])
  })
})

describe('accounts', () => {
  test.each(['another channel of the account', 'the same channel in another account'])(
    'that share names do not see each other: %s',
    async (which) => {
      const other = await newAccount({ rateLimitScope: 0 })
      const first = await addScope(account)
      // As the operator of the server allows it.
      await account.kontor.database.list(
        sql`update channels set allowed_accounts = array[${await amojoIdOf(other)}::uuid] where id = ${first.id}`,
      )
      const isSame = which.startsWith('the same')
      const second = isSame ? await connectTo(other, first) : await addScope(account)
      const message = {
        conversation_id: conversation(),
        msgid: 'shared',
        sender: personOf('shared'),
      }
      const mine = await published(first, message)
      const only = { conversation_id: conversation(), msgid: 'only', sender: personOf('only') }
      const alone = await published(first, only)
      const theirs = await published(second, message)
      for (const key of ['conversation_id', 'sender_id', 'msgid'] as const)
        expect(theirs[key]).not.toBe(mine[key])

      const edits = [{ msgid: 'only' }, { msgid: undefined, id: mine.msgid }]
      for (const edit of edits)
        expect((await publish(second, edit, 'edit_message')).status).toBe(404)
      const reaction = { type: 'react', emoji: 'y' }
      const statuses = []
      for (const body of [
        { ...reaction, id: mine.msgid, user: { id: 'shared' } },
        { ...reaction, msgid: 'shared', user: { id: 'only' } },
        { ...reaction, msgid: 'shared', user: { ref_id: alone.sender_id } },
      ])
        statuses.push((await callScope(second, '/react', body)).status)
      expect(statuses).toEqual([404, 400, 400])
      const typing = { conversation_id: only.conversation_id, sender: { id: 'only' } }
      expect((await callScope(second, '/typing', typing)).status).toBe(404)
      const path = `${second.path}/chats/${mine.conversation_id}/history`
      const headers = canonical(second.secret, { method: 'GET', path })
      expect((await sendChat(second.account, 'GET', path, { headers })).status).toBe(204)
      const attached = await published(second, {
        conversation_id: conversation(),
        conversation_ref_id: mine.conversation_id,
        reply_to: { message: { id: mine.msgid, msgid: 'only' } },
      })
      expect(attached.conversation_id).not.toBe(mine.conversation_id)
      const { reply_to_id } = (await account.kontor.database.row<{ reply_to_id: number | null }>(
        sql`select reply_to_id from messages where account_id = ${second.account.id} and uid = ${attached.msgid}::uuid`,
      ))!
      expect(reply_to_id).toBeNull()
    },
  )

  test('that are not connected any more take nothing', async () => {
    const gone = await addScope(account)
    const path = gone.path.replace(gone.scopeId, gone.id)
    const account_id = gone.scopeId.split('_')[1]
    await sendSigned(account, gone.secret, 'DELETE', `${path}/disconnect`, { account_id })
    expect((await publish(gone)).status).toBe(404)
  })

  test('whose pipelines take no unsorted leads keep the message without a record', async () => {
    const closed = await newAccount({ rateLimitScope: 0 })
    const { id } = await mainPipeline(closed)
    const off = await closed.api.patch(`/api/v4/leads/pipelines/${id}`, { is_unsorted_on: false })
    expect(off.status).toBe(200)
    const line = await addScope(closed)
    expect((await publish(line)).status).toBe(200)
    const news = await listen(closed)
    expect((await publish(line)).status).toBe(200)
    expect((await news()).journal.map(({ entity_type }) => entity_type)).toEqual(['messages'])
  })
})

describe('a link of the item of a chat', () => {
  const link = (uid: string, body: object) =>
    account.api.post(`/api/v4/leads/unsorted/${uid}/link`, { link: body })

  test('gives the chat to the main contact of a lead, and the waiting lead goes', async () => {
    const conversation_id = conversation()
    const main = await addRecord(account.api, 'contacts', { name: 'Main' })
    const lead = await addRecord(account.api, 'leads', {
      _embedded: { contacts: [{ id: main }] },
    })
    const sender = personOf('linked', { profile: { phone: '+10000000123' } })
    const { conversation_id: uid } = await published(scope, { conversation_id, sender })
    const [item] = await itemOf(uid)
    const news = await listen(account)
    const { status, body } = await link(item.uid, { entity_id: lead, entity_type: 'leads' })
    expect([status, body._embedded.leads[0].id]).toEqual([200, lead])
    expect(await chatOf(uid)).toMatchObject({ contact_id: main, entity_id: lead, item_id: null })
    const contact = (await account.api.get(`/api/v4/contacts/${main}`)).body
    expect(contact.custom_fields_values[0].values[0].value).toBe('+10000000123')
    const waiting = item._embedded.leads[0].id
    expect((await account.api.get(`/api/v4/leads/${waiting}`)).status).toBe(404)
    const entries = (await news()).journal.map((row) => `${row.entity_type} ${row.actions.join()}`)
    expect(entries.toSorted()).toEqual([
      'chats update',
      'contacts update',
      'talks update',
      'unsorted_items delete',
    ])
    await published(scope, { conversation_id })
    expect(await itemOf(uid)).toEqual([])
  })

  test('takes the contact that is named, or makes one, and customers too', async () => {
    const named = await addRecord(account.api, 'contacts', { name: 'Named' })
    const lead = await addRecord(account.api, 'leads', {})
    const customer = await addRecord(account.api, 'customers', { next_date: 1_900_000_000 })
    const one = await published(scope, { conversation_id: conversation() })
    const other = await published(scope, { conversation_id: conversation() })
    const [first] = await itemOf(one.conversation_id)
    const metadata = { contact_id: named }
    const taken = await link(first.uid, { entity_id: lead, entity_type: 'leads', metadata })
    expect(taken.status).toBe(200)
    expect(await linksOf(account.api, 'leads', lead)).toEqual([`contacts ${named} main`])
    const [second] = await itemOf(other.conversation_id)
    const made = await link(second.uid, { entity_id: customer, entity_type: 'customers' })
    expect(made.status).toBe(200)
    const { contact_id } = await chatOf(other.conversation_id)
    expect(contact_id).not.toBeNull()
    expect(await linksOf(account.api, 'customers', customer)).toEqual([
      `contacts ${contact_id} main`,
    ])
  })

  test('is refused for what is not there, and then changes nothing', async () => {
    const { conversation_id: uid } = await published(scope, { conversation_id: conversation() })
    const [item] = await itemOf(uid)
    const waiting = item._embedded.leads[0].id
    const lead = await addRecord(account.api, 'leads', {})
    const statuses = [
      await link(item.uid, { entity_id: 9_999_999, entity_type: 'leads' }),
      await link(item.uid, { entity_id: waiting, entity_type: 'leads' }),
      await link(item.uid, {
        entity_id: lead,
        entity_type: 'leads',
        metadata: { contact_id: 9_999_999 },
      }),
      await link('abc', { entity_id: lead, entity_type: 'leads' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([400, 400, 400, 404])
    expect(await itemOf(uid)).toEqual([item])
  })
})
