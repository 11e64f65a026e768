import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { addChat, newInbox, newsOf } from '../../../../../test/inbox.ts'
import type { TestInbox } from '../../../../../test/inbox.ts'
import { addRecord } from '../../../../../test/records.ts'
import { entities } from '../../../../entities.ts'
import { lastDrawn, newsInGaps } from '../../../../changes/position.ts'
import type { JournalRow } from '../../../../changes/position.ts'
import { buildNotices } from '../../../programs/webhooks/notices.ts'

const path = '/api/v4/talks'

let account: TestAccount
let inbox: TestInbox
beforeAll(async () => {
  account = await newAccount()
  inbox = await newInbox(account)
})

const own = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'M' } as const
const idsIn = ({ body }: { body: { _embedded: { talks: { talk_id: number }[] } } }) =>
  body._embedded.talks.map(({ talk_id }) => talk_id)

/** The notices of webhooks about the changes that a write makes. */
async function newsOfTalk({ id, subdomain, kontor }: TestAccount, write: () => Promise<unknown>) {
  const { database } = kontor
  const from = await lastDrawn(database)
  await write()
  const reading = await database.row<{ changes: JournalRow[] }>(
    sql`select (${newsInGaps(sql`${from}::bigint`, sql`'{}'::int8multirange`, 1000)}) as changes`,
  )
  const rows = reading!.changes.filter(({ account_id }) => account_id === id)
  const about = { id, subdomain, timezone: 'UTC', url: kontor.url }
  const built = await buildNotices(database, entities, about, rows)
  return built.flat()
}

describe('a talk', () => {
  test('is read with its chat, contact and record', async () => {
    const contact_id = await addRecord(account.api, 'contacts', {})
    const customer = await addRecord(account.api, 'customers', {})
    const lead = await addRecord(account.api, 'leads', {})
    const plain = await addChat(inbox, { unread: 1, source_id: 77 })
    const bound = await addChat(inbox, { contact_id, entity: { type: 'customers', id: customer } })
    const ofLead = await addChat(inbox, { entity: { type: 'leads', id: lead } })
    const { body } = await account.api.get(`${path}/${plain.talk_id}`)
    expect(body).toEqual({
      talk_id: plain.talk_id,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      rate: 0,
      contact_id: null,
      chat_id: plain.uid,
      entity_id: null,
      entity_type: null,
      is_in_work: true,
      is_read: false,
      origin: inbox.channel.code,
      missed_at: null,
      status: 'in_work',
      source_id: 77,
      account_id: account.id,
      _links: { self: { href: `${account.kontor.url}${path}/${plain.talk_id}` } },
      _embedded: { contacts: [], leads: [], customers: [] },
    })
    const linked = (type: string, id: number) => [
      { id, _links: { self: { href: `${account.kontor.url}/api/v4/${type}/${id}` } } },
    ]
    expect((await account.api.get(`${path}/${bound.talk_id}`)).body).toMatchObject({
      contact_id,
      entity_type: 'customer',
      entity_id: customer,
      is_read: true,
      source_id: null,
      _embedded: {
        contacts: linked('contacts', contact_id),
        leads: [],
        customers: linked('customers', customer),
      },
    })
    expect((await account.api.get(`${path}/${ofLead.talk_id}`)).body).toMatchObject({
      entity_type: 'lead',
      _embedded: { contacts: [], leads: linked('leads', lead), customers: [] },
    })
  })

  test('is closed once, with what the client wrote read, by one notice', async () => {
    const chat = await addChat(inbox, { unread: 2, waiting_since: 10 })
    const close = (body?: unknown) => account.api.post(`${path}/${chat.talk_id}/close`, body)
    const notices = await newsOfTalk(account, async () => {
      const { journal, events } = await newsOf(account, async () => {
        expect(await close({ force_close: true })).toMatchObject({ status: 202, body: undefined })
        expect((await close()).status).toBe(422)
      })
      expect(events).toEqual([])
      expect(journal).toMatchObject([
        {
          entity_type: 'talks',
          entity_id: chat.talk_id,
          actions: ['update'],
          before: { closed_at: null, is_read: false },
          after: { closed_at: expect.any(Number), is_read: true },
        },
        {
          entity_type: 'chats',
          entity_id: chat.id,
          actions: ['update'],
          before: { talk_id: chat.talk_id, unread: 2, waiting_since: 10 },
          after: { talk_id: null, unread: 0, waiting_since: null },
        },
      ])
    })
    expect(notices).toHaveLength(1)
    expect(JSON.stringify(notices)).toContain('"is_in_work":"0"')
    expect((await account.api.get(`${path}/${chat.talk_id}`)).body).toMatchObject({
      is_in_work: false,
      is_read: true,
      status: 'closed',
    })
    expect((await account.api.get(`/web/v1/chats/${chat.id}`)).body).toMatchObject({
      talk_id: null,
      is_in_work: false,
      unread: 0,
    })
  })

  test('is closed from the web application in the same way', async () => {
    const chat = await addChat(inbox)
    const close = () => account.api.post(`/web/v1/chats/${chat.id}/close`)
    const { journal } = await newsOf(account, async () => {
      expect((await close()).body).toMatchObject({ id: chat.id, talk_id: null, is_in_work: false })
      expect((await close()).status).toBe(422)
    })
    expect(journal.map(({ entity_type, before }) => [entity_type, before])).toEqual([
      ['talks', { closed_at: null }],
      ['chats', { talk_id: chat.talk_id }],
    ])
  })

  test('that was closed stays closed while a later one is open', async () => {
    const chat = await addChat(inbox)
    await account.api.post(`${path}/${chat.talk_id}/close`)
    const { database } = account.kontor
    const later = await database.transaction((tx) =>
      tx.row<{ id: number }>(sql`
        with later as (
          insert into talks (account_id, chat_id, is_read, created_at, updated_at)
          values (${account.id}, ${chat.id}, false, 1, 1) returning id)
        update chats set talk_id = later.id from later where account_id = ${account.id} and chats.id = ${chat.id} returning later.id`),
    )
    expect((await account.api.post(`${path}/${chat.talk_id}/close`)).status).toBe(422)
    expect((await account.api.get(`${path}/${later!.id}`)).body.is_in_work).toBe(true)
    expect((await account.api.post(`${path}/${later!.id}/close`)).status).toBe(202)
  })

  test('tells of a read mark by one notice', async () => {
    const chat = await addChat(inbox, { unread: 1 })
    const read = () => account.api.post(`/web/v1/chats/${chat.id}/read`)
    const notices = await newsOfTalk(account, async () => {
      await read()
      await read()
    })
    expect(notices).toHaveLength(1)
    expect(JSON.stringify(notices)).toContain('"is_read":"1"')
  })

  test('is for those who may view its contact, and closed by those who may edit it', async () => {
    const user = await account.addUser({
      rights: { contacts: { ...own, edit: 'D' }, leads: own },
    })
    const other = await newAccount()
    const mine = await addRecord(account.api, 'contacts', { responsible_user_id: user.id })
    const theirs = await addRecord(account.api, 'contacts', {})
    const lead = await addRecord(account.api, 'leads', { responsible_user_id: user.id })
    const [seen, hidden, ofLead] = [
      await addChat(inbox, { contact_id: mine }),
      await addChat(inbox, { contact_id: theirs, entity: { type: 'leads', id: lead } }),
      await addChat(inbox, { entity: { type: 'leads', id: lead } }),
    ]
    const statuses = async (api: TestAccount['api'], talk: number | null) => [
      (await api.get(`${path}/${talk}`)).status,
      (await api.post(`${path}/${talk}/close`)).status,
    ]
    expect(await statuses(user.api, seen.talk_id)).toEqual([200, 403])
    expect(await statuses(user.api, hidden.talk_id)).toEqual([403, 403])
    expect(await statuses(user.api, ofLead.talk_id)).toEqual([200, 202])
    expect(await statuses(other.api, seen.talk_id)).toEqual([404, 404])
    expect(idsIn(await user.api.get(`${path}?limit=250`))).toEqual([seen.talk_id, ofLead.talk_id])
    expect(idsIn(await user.api.get(`${path}?filter[contact_id]=${theirs}`))).toEqual([])
    expect(idsIn(await other.api.get(path))).toEqual([])
  })

  test.each([[{ force_close: 'yes' }], [{ x: 1 }], [5], [[1]]])(
    'is not closed by %j',
    async (body) => {
      const chat = await addChat(inbox)
      const { status } = await account.api.post(`${path}/${chat.talk_id}/close`, body)
      expect(status).toBe(400)
      expect((await account.api.get(`${path}/${chat.talk_id}`)).body.is_in_work).toBe(true)
    },
  )
})

describe('a list of talks', () => {
  let here: TestAccount
  let contacts: number[]
  let lead: number
  let customer: number
  let talks: number[]

  beforeAll(async () => {
    here = await newAccount()
    const box = await newInbox(here)
    contacts = [
      await addRecord(here.api, 'contacts', {}),
      await addRecord(here.api, 'contacts', {}),
    ]
    lead = await addRecord(here.api, 'leads', {})
    customer = await addRecord(here.api, 'customers', {})
    talks = []
    for (let n = 0; n < 9; n++) {
      const chat = await addChat(box, {
        ...(n % 3 < 2 && { contact_id: contacts[n % 3]! }),
        ...(n % 4 === 0 && { entity: { type: 'leads', id: lead } }),
        ...(n % 4 === 1 && { entity: { type: 'customers', id: customer } }),
      })
      talks.push(chat.talk_id!)
      if (n % 2 === 0) await here.api.post(`${path}/${chat.talk_id}/close`)
    }
  })

  const which = (passes: (n: number) => boolean) => talks.filter((_, n) => passes(n))

  test('has what filters name, in the order of ids', async () => {
    for (const [query, ids] of [
      ['', talks],
      [`filter[talk_id]=${talks[7]},${talks[2]},${talks[2]},1`, [talks[2], talks[7]]],
      [`filter[contact_id]=${contacts[0]}`, which((n) => n % 3 === 0)],
      [`filter[contact_id]=${contacts.join(',')}`, which((n) => n % 3 < 2)],
      [`filter[entity_type]=lead&filter[entity_id]=${lead}`, which((n) => n % 4 === 0)],
      [`filter[entity_type]=leads&filter[entity_id]=${lead}`, which((n) => n % 4 === 0)],
      [`filter[entity_type]=customer&filter[entity_id]=${customer}`, which((n) => n % 4 === 1)],
      [`filter[entity_type]=customer&filter[entity_id]=${lead}`, []],
      ['filter[only_in_work]=1', which((n) => n % 2 === 1)],
      ['filter[only_in_work]=0', talks],
      [
        `filter[only_in_work]=true&filter[contact_id]=${contacts[1]}&filter[entity_type]=customer&filter[entity_id]=${customer}`,
        which((n) => n % 2 === 1 && n % 3 === 1 && n % 4 === 1),
      ],
      [`filter[talk_id]=${talks[1]},${talks[3]}&filter[contact_id]=${contacts[0]}`, [talks[3]]],
    ] as const)
      expect([query, idsIn(await here.api.get(`${path}?${query}`))]).toEqual([query, ids])
  })

  test('is walked by pages', async () => {
    const ids: number[] = []
    let next = `${path}?limit=2`
    while (next) {
      const { body } = await here.api.get(next)
      ids.push(...idsIn({ body }))
      next = body._links.next?.href.slice(here.kontor.url.length) ?? ''
    }
    expect(ids).toEqual(talks)
    const { body } = await here.api.get(`${path}?limit=251`)
    expect(body._links.self.href).toContain('limit=250')
  })

  test.each([
    'filter[entity_id]=1',
    'filter[entity_type]=lead',
    'filter[entity_type]=contact&filter[entity_id]=1',
    'filter[talk_id]=x',
    'filter[contact_id]=0',
    'filter[only_in_work]=2',
    'filter[x]=1',
    'limit=0',
    'page=x',
  ])('refuses %s', async (query) => {
    expect((await here.api.get(`${path}?${query}`)).status).toBe(400)
  })
})

describe('the chats of contacts', () => {
  const bindings = '/api/v4/contacts/chats'

  test('are bound, and moved with their open talk, by one notice', async () => {
    const [first, second] = [
      await addRecord(account.api, 'contacts', {}),
      await addRecord(account.api, 'contacts', {}),
    ]
    const [one, two] = [await addChat(inbox), await addChat(inbox, { is_open: false })]
    const { status, body } = await account.api.post(bindings, [
      { contact_id: first, chat_id: one.uid.toUpperCase(), request_id: 'x' },
      { contact_id: first, chat_id: two.uid },
    ])
    expect(status).toBe(200)
    expect(body).toEqual({
      _total_items: 2,
      _embedded: {
        chats: [
          { chat_id: one.uid, contact_id: first, id: one.id, request_id: 'x' },
          { chat_id: two.uid, contact_id: first, id: two.id, request_id: '1' },
        ],
      },
    })
    const notices = await newsOfTalk(account, async () => {
      const move = () => account.api.post(bindings, { contact_id: second, chat_id: one.uid })
      const { journal, events } = await newsOf(account, async () => {
        await move()
        await move()
      })
      expect(events).toEqual([])
      expect(journal).toMatchObject([
        {
          entity_type: 'chats',
          entity_id: one.id,
          actions: ['update'],
          before: { contact_id: first },
          after: { contact_id: second },
        },
        {
          entity_type: 'talks',
          entity_id: one.talk_id,
          actions: ['update'],
          before: { contact_id: first },
          after: { contact_id: second },
        },
      ])
    })
    expect(notices).toHaveLength(1)
    expect((await account.api.get(`${path}/${one.talk_id}`)).body.contact_id).toBe(second)
    const listed = async (query: string) =>
      (await account.api.get(`${bindings}?${query}`)).body._embedded.chats
    const [shown, other] = [
      { chat_id: one.uid, contact_id: second, id: one.id },
      { chat_id: two.uid, contact_id: first, id: two.id },
    ]
    expect(await listed(`contact_id=${second}`)).toEqual([shown])
    expect(await listed(`contact_id[]=${second}&contact_id[]=${first}`)).toEqual([shown, other])
    expect(await listed(`chat_id=${one.uid},${two.uid}`)).toEqual([shown, other])
    expect(await listed(`chat_id=${one.uid}&contact_id=${first}`)).toEqual([])
    expect(await listed('limit=250')).toEqual(expect.arrayContaining([shown, other]))
  })

  test('of one item after another belong to the last', async () => {
    const [first, second] = [
      await addRecord(account.api, 'contacts', {}),
      await addRecord(account.api, 'contacts', {}),
    ]
    const chat = await addChat(inbox)
    const { journal } = await newsOf(account, () =>
      account.api.post(bindings, [
        { contact_id: first, chat_id: chat.uid },
        { contact_id: second, chat_id: chat.uid },
      ]),
    )
    expect(journal.map(({ after }) => after['contact_id'])).toEqual([second, second])
  })

  test('and contacts that are not there are named, and nothing is bound', async () => {
    const other = await newAccount()
    const [contact_id, gone, theirs] = [
      await addRecord(account.api, 'contacts', {}),
      await addRecord(account.api, 'contacts', {}),
      await addRecord(other.api, 'contacts', {}),
    ]
    await account.api.delete(`/api/v4/contacts/${gone}`)
    const chat = await addChat(inbox)
    const theirChat = await addChat(await newInbox(other))
    const { journal } = await newsOf(account, async () => {
      const { status, body } = await account.api.post(bindings, [
        { contact_id, chat_id: chat.uid },
        { contact_id: gone, chat_id: chat.uid },
        { contact_id: theirs, chat_id: chat.uid, request_id: 'theirs' },
        { contact_id, chat_id: theirChat.uid },
        { contact_id: 1, chat_id: '00000000-0000-4000-8000-000000000000' },
      ])
      expect(status).toBe(400)
      expect(
        body['validation-errors'].map(
          ({ request_id, errors }: { request_id: string; errors: { path: string }[] }) => [
            request_id,
            errors.map((error) => error.path),
          ],
        ),
      ).toEqual([
        ['1', ['contact_id']],
        ['theirs', ['contact_id']],
        ['3', ['chat_id']],
        ['4', ['chat_id', 'contact_id']],
      ])
    })
    expect(journal).toEqual([])
  })

  test.each([
    [[]],
    [[{}]],
    [[{ contact_id: 1 }]],
    [[{ contact_id: 'x', chat_id: 'x' }]],
    [[{ contact_id: 1, chat_id: 1 }]],
    [[{ contact_id: 1, chat_id: '00000000-0000-4000-8000-000000000000', x: 1 }]],
    [
      Array.from({ length: 251 }, () => ({
        contact_id: 1,
        chat_id: '00000000-0000-4000-8000-000000000000',
      })),
    ],
  ])('are not bound by %j', async (body) => {
    expect((await account.api.post(bindings, body)).status).toBe(400)
  })

  test('are bound by administrators, and seen by those who see the contact', async () => {
    const user = await account.addUser({ rights: { contacts: own, leads: own } })
    const [mine, theirs] = [
      await addRecord(account.api, 'contacts', { responsible_user_id: user.id }),
      await addRecord(account.api, 'contacts', {}),
    ]
    const [seen, hidden] = [
      await addChat(inbox, { contact_id: mine }),
      await addChat(inbox, { contact_id: theirs }),
    ]
    const draft = { contact_id: mine, chat_id: hidden.uid }
    expect((await user.api.post(bindings, [draft])).status).toBe(403)
    const listed = async (query: string) =>
      (await user.api.get(`${bindings}?${query}`)).body._embedded.chats.map(
        ({ id }: { id: number }) => id,
      )
    expect(await listed('')).toEqual([seen.id])
    expect(await listed(`contact_id=${mine},${theirs}`)).toEqual([seen.id])
    expect(await listed(`chat_id=${hidden.uid}`)).toEqual([])
    expect((await user.api.get(`${bindings}?chat_id=x`)).status).toBe(400)
    expect((await user.api.get(`${bindings}?contact_id=x`)).status).toBe(400)
  })
})
