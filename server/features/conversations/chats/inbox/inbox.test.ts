import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../../test/account.ts'
import { amojoIdOf, addChannel, connect } from '../../../../../test/channels.ts'
import { addScope, avatar, published } from '../../../../../test/chats.ts'
import type { Client } from '../../../../../test/client.ts'
import { addChat, addMessages, newInbox, newsOf } from '../../../../../test/inbox.ts'
import type { ChatDraft, TestInbox } from '../../../../../test/inbox.ts'
import { addGroup } from '../../../../../test/leads.ts'
import { addRecord } from '../../../../../test/records.ts'
import { addItem } from '../../../../../test/unsorted.ts'

const path = '/web/v1/chats'

let account: TestAccount
let inbox: TestInbox
beforeAll(async () => {
  account = await newAccount()
  inbox = await newInbox(account)
})

type Level = 'A' | 'G' | 'M' | 'D'
const rightsFor = (contacts: Level, leads: Level) => {
  const all = (level: Level) => ({
    view: level,
    edit: level,
    add: 'A' as const,
    delete: level,
    export: level,
  })
  return {
    contacts: all(contacts),
    leads: all(leads),
    companies: all('A'),
    tasks: { edit: 'A', delete: 'A' } as const,
  }
}

/** All pages of a list, as the ids of the chats. */
async function walk(api: Client, query: string, limit = 7): Promise<number[]> {
  const ids: number[] = []
  let next = `${path}?limit=${limit}&${query}`
  while (next) {
    const { status, body } = await api.get(next)
    if (status !== 200) throw new Error(`${next} answered ${status}: ${JSON.stringify(body)}`)
    ids.push(...body._embedded.chats.map(({ id }: { id: number }) => id))
    const href = body._links.next?.href as string | undefined
    next = href ? href.slice(href.indexOf(path)) : ''
  }
  return ids
}

/** Numbers from 0 on below a bound, the same in each run. */
function randomly(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('a list', () => {
  interface Modelled extends ChatDraft {
    id: number
    channel_id: string
    name: string
    is_visible: boolean
    is_open: boolean
    unread: number
    last_at: number
  }
  interface Owned {
    type: 'contacts' | 'leads' | 'customers'
    id: number
    owner: TestUser
    isDeleted: boolean
  }

  let model: Modelled[]
  let owned: Owned[]
  let group: number
  let users: Record<string, TestUser>
  let here: TestAccount

  const random = randomly(7)
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)]!

  beforeAll(async () => {
    here = await newAccount()
    const own = await newInbox(here)
    const second = await addChannel(here)
    group = await addGroup(here)
    const user = (contacts: Level, leads: Level, group_id = 0) =>
      here.addUser({ rights: rightsFor(contacts, leads), group_id })
    users = {
      own: await user('M', 'M'),
      group: await user('G', 'G', group),
      mate: await user('A', 'A', group),
      contacts: await user('A', 'D'),
      leads: await user('D', 'A'),
      both: await user('M', 'A'),
      none: await user('D', 'D'),
      admin: here.admin,
    }
    owned = []
    for (const type of ['contacts', 'leads', 'customers'] as const)
      for (const owner of ['own', 'group', 'mate', 'admin', 'both', 'own'].map((n) => users[n]!)) {
        const id = await addRecord(here.api, type, { responsible_user_id: owner.id })
        const isDeleted = owned.filter((each) => each.type === type).length === 5
        if (isDeleted) await here.api.delete(`/api/v4/${type}/${id}`)
        owned.push({ type, id, owner, isDeleted })
      }
    const { uid } = await addItem(here.api, {})
    const item = await here.kontor.database.row<{ id: number }>(
      sql`select id from unsorted_items where account_id = ${here.id} and uid = ${uid}`,
    )
    model = []
    for (let n = 0; n < 150; n++) {
      const contact = pick([undefined, ...owned.filter(({ type }) => type === 'contacts')])
      const record = pick([undefined, ...owned.filter(({ type }) => type !== 'contacts')])
      const is_open = random(3) > 0
      const unread = is_open ? random(3) : 0
      // Few different times, so that ids decide often.
      const last_at = 1_700_000_000_000 + random(12) * 1000
      const draft = {
        channel_id: pick([own.channel.id, second.id]),
        name: pick(['Ann', 'ÄNNE 100%', 'Bob', 'Mary-Ann', 'x_y']),
        contact_id: contact?.id ?? null,
        ...(record && { entity: { type: record.type as 'leads', id: record.id } }),
        ...(random(5) === 0 && { item_id: item!.id }),
        is_visible: random(8) > 0,
        is_open,
        unread,
        ...(unread > 0 && { waiting_since: last_at - random(5) * 1000 }),
        last_at,
      }
      model.push({ ...draft, id: (await addChat(own, draft)).id })
    }
  })

  const find = (type: Owned['type'], id: number | null | undefined) =>
    owned.find((each) => each.type === type && each.id === id && !each.isDeleted)

  function sees(name: string, { contact_id, entity }: Modelled): boolean {
    if (name === 'admin') return true
    // A contact in the bin decides nothing.
    const behind = find('contacts', contact_id) ?? (entity && find(entity.type, entity.id))
    if (!behind) return false
    const isContact = behind.type === 'contacts'
    switch (name) {
      case 'own':
        return behind.owner === users.own
      case 'both':
        return !isContact || behind.owner === users.both
      case 'group':
        return behind.owner === users.group || behind.owner === users.mate
      case 'mate':
        return true
      case 'contacts':
        return isContact
      case 'leads':
        return !isContact
      default:
        return false
    }
  }

  function responsible({ contact_id, entity }: Modelled): TestUser | undefined {
    return ((entity && find(entity.type, entity.id)) ?? find('contacts', contact_id))?.owner
  }

  const tabs: Record<string, (chat: Modelled, user: TestUser) => boolean> = {
    open: ({ is_open }) => is_open,
    mine: (chat, user) => chat.is_open && responsible(chat) === user,
    unassigned: ({ is_open, item_id }) => is_open && item_id !== undefined,
    closed: ({ is_open }) => !is_open,
    all: () => true,
  }

  const byTime = (a: Modelled, b: Modelled) => b.last_at - a.last_at || b.id - a.id
  /** The longest wait first, then the latest message; by the id where they are alike. */
  function byWait(a: Modelled, b: Modelled): number {
    const [waitA, waitB] = [a.waiting_since ?? Infinity, b.waiting_since ?? Infinity]
    if (waitA !== waitB) return waitA - waitB
    return waitA === Infinity ? b.last_at - a.last_at || a.id - b.id : a.id - b.id
  }

  function expected(
    name: string,
    tab: string,
    order: string,
    passes: (chat: Modelled) => boolean = () => true,
  ): number[] {
    return model
      .filter((chat) => chat.is_visible && sees(name, chat) && tabs[tab]!(chat, users[name]!))
      .filter(passes)
      .toSorted(order === 'waiting' ? byWait : byTime)
      .map(({ id }) => id)
  }

  const names = ['admin', 'own', 'group', 'mate', 'contacts', 'leads', 'both', 'none']
  const lists = [
    ['open', 'waiting'],
    ['open', 'newest'],
    ['mine', 'waiting'],
    ['mine', 'newest'],
    ['unassigned', 'waiting'],
    ['unassigned', 'newest'],
    ['closed', 'newest'],
    ['all', 'newest'],
  ] as const

  test.each(names.flatMap((name) => lists.map((list) => [name, ...list] as const)))(
    'of %s, tab %s, order %s, is that of the model, by pages and whole',
    async (name, tab, order) => {
      const { api } = users[name]!
      const ids = expected(name, tab, order)
      expect(await walk(api, `tab=${tab}&order=${order}`)).toEqual(ids)
      expect(await walk(api, `tab=${tab}&order=${order}`, 250)).toEqual(ids)
    },
  )

  test('has open chats by their wait by default, and others by time', async () => {
    expect(await walk(here.api, '', 250)).toEqual(expected('admin', 'open', 'waiting'))
    expect(await walk(here.api, 'tab=all', 250)).toEqual(expected('admin', 'all', 'newest'))
  })

  test.each(names.flatMap((name) => lists.map((list) => [name, ...list] as const)))(
    'of %s, tab %s, order %s, has only what filters name',
    async (name, tab, order) => {
      const { api } = users[name]!
      const [contact] = owned.filter(
        ({ type, owner }) => type === 'contacts' && owner === users.own,
      )
      const [lead] = owned.filter(({ type, owner }) => type === 'leads' && owner === users.own)
      const filters: [string, (chat: Modelled) => boolean][] = [
        [`channel_id]=${model[0]!.channel_id}`, (chat) => chat.channel_id === model[0]!.channel_id],
        [`contact_id]=${contact!.id}`, (chat) => chat.contact_id === contact!.id],
        [
          `entity_type]=leads&filter[entity_id]=${lead!.id}`,
          ({ entity }) => entity?.type === 'leads' && entity.id === lead!.id,
        ],
        ['is_unread]=1', ({ unread }) => unread > 0],
        ['is_unread]=0', ({ unread }) => unread === 0],
      ]
      for (const [filter, passes] of filters)
        expect([filter, await walk(api, `tab=${tab}&order=${order}&filter[${filter}`)]).toEqual([
          filter,
          expected(name, tab, order, passes),
        ])
      for (const query of ['ann', 'ä', '%', '_', 'nobody'])
        expect([
          query,
          await walk(api, `tab=${tab}&order=${order}&query=${encodeURIComponent(query)}`),
        ]).toEqual([
          query,
          expected(name, tab, order, (chat) => chat.name.toLowerCase().includes(query)),
        ])
      const both = `filter[contact_id]=${contact!.id}&filter[is_unread]=1&query=ANN`
      expect(await walk(api, `tab=${tab}&order=${order}&${both}`)).toEqual(
        expected(
          name,
          tab,
          order,
          (chat) => chat.contact_id === contact!.id && chat.unread > 0 && /ann/i.test(chat.name),
        ),
      )
    },
  )

  /** The first chats of the account in a tab are counted, without regard to the caller. */
  function expectedCounts(name: string) {
    const count = (tab: string, passes: (chat: Modelled) => boolean = () => true) => {
      const order = expected('admin', tab === 'mine' ? 'open' : tab, 'waiting')
      const tested = new Set(order.slice(0, 2001))
      const found = expected(name, tab, 'waiting', (chat) => tested.has(chat.id) && passes(chat))
      return { count: Math.min(found.length, 2000), is_more: order.length > 2000 }
    }
    const unread = expected('admin', 'open', 'waiting', (chat) => chat.unread > 0)
    return {
      open: count('open'),
      mine: count('mine'),
      unassigned: count('unassigned'),
      unread: {
        ...count('open', (chat) => chat.unread > 0),
        is_more: unread.length > 2000,
      },
    }
  }

  test.each(names)('of %s is counted', async (name) => {
    const { body } = await users[name]!.api.get(`${path}/counts`)
    expect(body).toEqual(expectedCounts(name))
    expect(body.open.is_more).toBe(false)
  })

  test('has only chats that one of them may open', async () => {
    for (const chat of model.slice(0, 40))
      for (const name of ['admin', 'own', 'leads', 'none']) {
        const { status } = await users[name]!.api.get(`${path}/${chat.id}`)
        // A user may have begun a chat of a contact that has no message yet.
        const isThere = chat.is_visible || chat.contact_id !== null
        expect(status).toBe(!isThere ? 404 : sees(name, chat) ? 200 : 403)
      }
  })

  // More chats than a page tests before it looks up the chats of the caller's records (viewed.ts).
  describe('behind 2,000 chats of a stranger', () => {
    beforeAll(async () => {
      const stranger = await here.addUser()
      const owner = { responsible_user_id: stranger.id }
      const contact_id = await addRecord(here.api, 'contacts', owner)
      owned.push({ type: 'contacts', id: contact_id, owner: stranger, isDeleted: false })
      const own = await newInbox(here)
      const [channel_id, last_at] = [own.channel.id, 1_800_000_000_000]
      const added = await here.kontor.database.transaction(async (tx) => {
        const rows = await tx.rows<{ id: number; is_open: boolean }>(sql`
          insert into chats (account_id, channel_id, client_uid, contact_id, item_id, is_visible, talk_id, last_at, unread, waiting_since,
                             created_at, updated_at)
          select ${here.id}, ${channel_id}, uid, ${contact_id}, case when n <= 2000 then n end, true, case when n <= 2000 then n end,
                 ${last_at}, case when n <= 2000 then 1 else 0 end, case when n <= 2000 then 1000 end, 1, 1
            from (select n, gen_random_uuid() as uid from generate_series(1, 4000) n) client
          returning id, talk_id is not null as is_open`)
        await tx.rows(sql`
          insert into chat_clients (account_id, uid, channel_id, name, created_at, updated_at)
          select account_id, client_uid, channel_id, 'Crowd', 1, 1 from chats where account_id = ${here.id} and contact_id = ${contact_id}`)
        return rows
      })
      for (const { id, is_open } of added)
        model.push({
          id,
          channel_id,
          name: 'Crowd',
          contact_id,
          ...(is_open && { item_id: id, waiting_since: 1000 }),
          is_visible: true,
          is_open,
          unread: is_open ? 1 : 0,
          last_at,
        })
    })

    const limited = ['own', 'group', 'leads', 'both', 'none']
    const cases = [
      ...limited.flatMap((name) => lists.map((list) => [name, ...list] as const)),
      ...lists.filter(([tab]) => tab === 'mine').map((list) => ['admin', ...list] as const),
      ...lists.filter(([tab]) => tab === 'mine').map((list) => ['mate', ...list] as const),
    ]
    test.each(cases)('of %s, tab %s, order %s, is that of the model', async (name, tab, order) => {
      const { api } = users[name]!
      const ids = expected(name, tab, order)
      expect(await walk(api, `tab=${tab}&order=${order}`, 4)).toEqual(ids)
      expect(await walk(api, `tab=${tab}&order=${order}`, 250)).toEqual(ids)
      for (const is of [0, 1])
        expect(await walk(api, `tab=${tab}&order=${order}&filter[is_unread]=${is}`, 250)).toEqual(
          expected(name, tab, order, ({ unread }) => unread > 0 === (is === 1)),
        )
      const { channel_id } = model[0]!
      expect(
        await walk(api, `tab=${tab}&order=${order}&filter[channel_id]=${channel_id}`, 250),
      ).toEqual(expected(name, tab, order, (chat) => chat.channel_id === channel_id))
    })

    test('has all pages for administrators', async () => {
      for (const [tab, order] of lists)
        expect(await walk(here.api, `tab=${tab}&order=${order}`, 250)).toEqual(
          expected('admin', tab, order),
        )
      const unread = 'tab=all&filter[is_unread]=1'
      expect(await walk(here.api, unread, 250)).toEqual(
        expected('admin', 'all', 'newest', (chat) => chat.unread > 0),
      )
    })

    test.each(names)('of %s is counted among the first', async (name) => {
      const { body } = await users[name]!.api.get(`${path}/counts`)
      expect(body).toEqual(expectedCounts(name))
      expect(body.open.is_more).toBe(true)
    })

    test('shows nothing to another account', async () => {
      const other = await newAccount()
      const user = await other.addUser({ rights: rightsFor('M', 'A') })
      for (const { api } of [other.admin, user]) {
        for (const [tab, order] of lists)
          expect(await walk(api, `tab=${tab}&order=${order}`)).toEqual([])
        const nothing = { count: 0, is_more: false }
        expect((await api.get(`${path}/counts`)).body).toEqual({
          open: nothing,
          mine: nothing,
          unassigned: nothing,
          unread: nothing,
        })
      }
    })
  })

  test('counts no further than 2000', async () => {
    const many = await newAccount()
    const { channel } = await newInbox(many)
    const add = (from: number, to: number) =>
      many.kontor.database.transaction((tx) =>
        tx.rows(sql`
        insert into chats (account_id, channel_id, client_uid, is_visible, talk_id, last_at, created_at, updated_at)
        select ${many.id}, ${channel.id}, gen_random_uuid(), true, n, n, 1, 1
          from generate_series(${from}::int, ${to}::int) n`),
      )
    const counts = async () => {
      const { body } = await many.api.get(`${path}/counts`)
      return [body.open, body.unread]
    }
    await add(1, 2000)
    const nothing = { count: 0, is_more: false }
    expect(await counts()).toEqual([{ count: 2000, is_more: false }, nothing])
    await add(2001, 2001)
    expect(await counts()).toEqual([{ count: 2000, is_more: true }, nothing])
  })
})

describe('a chat', () => {
  test('shows channel, client, record, item, talk and latest message', async () => {
    const { body: channel } = await account.api.post('/web/v1/channels', { name: 'Shown' })
    await connect(account, channel, { account_id: await amojoIdOf(account), title: 'Shop' })
    const { uid } = await addItem(account.api, {})
    const item = await account.kontor.database.row<{ id: number }>(
      sql`select id from unsorted_items where account_id = ${account.id} and uid = ${uid}`,
    )
    const lead = await addRecord(account.api, 'leads', {})
    const chat = await addChat(
      { account, channel },
      {
        name: 'Ann',
        entity: { type: 'leads', id: lead },
        item_id: item!.id,
        unread: 2,
        last_at: 5000,
      },
    )
    const [id] = await addMessages({ account, channel }, chat, [
      { at: 5000, text: 'é'.repeat(300), is_outgoing: true },
    ])
    await account.kontor.database.transaction((tx) =>
      tx.rows(
        sql`update chats set last_message_id = ${id} where account_id = ${account.id} and id = ${chat.id}`,
      ),
    )
    const { status, body } = await account.api.get(`${path}/${chat.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: chat.id,
      chat_id: chat.uid,
      channel: { id: channel.id, code: channel.code, title: 'Shop', is_connected: true },
      client: { id: chat.client_uid, name: 'Ann', avatar: null, phone: null, email: null },
      contact_id: null,
      entity_type: 'leads',
      entity_id: lead,
      unsorted_uid: uid,
      talk_id: chat.talk_id,
      is_in_work: true,
      unread: 2,
      waiting_since: 5000,
      last_at: 5000,
      last_message: {
        id,
        type: 'text',
        text: 'é'.repeat(200),
        is_outgoing: true,
        status: 'sent',
        msec_timestamp: 5000,
      },
    })
    const { body: listed } = await account.api.get(`${path}?filter[channel_id]=${channel.id}`)
    expect(listed._embedded.chats).toEqual([body])
    await account.api.delete(`/web/v1/channels/${channel.id}`)
    const { body: later } = await account.api.get(`${path}/${chat.id}`)
    expect(later.channel).toMatchObject({ code: channel.code, is_connected: false })
  })

  test('of another account is not there', async () => {
    const chat = await addChat(inbox, { unread: 1 })
    const other = await newAccount()
    expect((await other.api.get(path)).body._embedded.chats).toEqual([])
    expect((await other.api.get(`${path}/${chat.id}`)).status).toBe(404)
    for (const verb of ['read', 'unread', 'close']) {
      const { status } = await other.api.post(`${path}/${chat.id}/${verb}`)
      expect(status).toBe(404)
    }
    const { body } = await account.api.get(`${path}/${chat.id}`)
    expect([body.unread, body.is_in_work]).toEqual([1, true])
  })
})

describe('what a channel publishes', () => {
  test('waits in the inbox, is read, closed, and opens the chat again', async () => {
    const here = await newAccount()
    const scope = await addScope(here)
    const inboxOf = async (query = '') =>
      (await here.api.get(`${path}?${query}`)).body._embedded.chats
    await published(scope, { text: 'imported', silent: true })
    expect(await inboxOf('tab=all')).toEqual([])
    const { conversation_id } = await published(scope, { text: 'is it in stock?' })
    await published(scope, { text: 'hello?' })
    const [chat, ...others] = await inboxOf('tab=unassigned')
    expect(others).toEqual([])
    expect(chat).toMatchObject({
      chat_id: conversation_id,
      client: { client_id: 'client-1', name: 'Ann', avatar },
      is_in_work: true,
      unread: 2,
      last_message: { text: 'hello?', is_outgoing: false, status: null },
    })
    expect(chat.unsorted_uid).toEqual(expect.any(String))
    const thread = async () =>
      (await here.api.get(`${path}/${chat.id}/messages`)).body._embedded.messages
    const messages = await thread()
    expect(messages.map(({ text }: { text: string }) => text)).toEqual([
      'imported',
      'is it in stock?',
      'hello?',
    ])
    expect(chat.waiting_since).toBe(messages[1].msec_timestamp)
    await here.api.post(`${path}/${chat.id}/read`, { up_to: messages[1].id })
    expect((await inboxOf())[0]).toMatchObject({
      unread: 1,
      waiting_since: messages[2].msec_timestamp,
    })
    await here.api.post(`${path}/${chat.id}/read`)
    expect((await inboxOf('filter[is_unread]=0'))[0]).toMatchObject({ unread: 0 })
    await here.api.post(`/api/v4/leads/unsorted/${chat.unsorted_uid}/accept`)
    const [accepted] = await inboxOf('tab=mine')
    expect(accepted).toMatchObject({ id: chat.id, unsorted_uid: null, entity_type: 'leads' })
    expect(accepted.contact_id).toEqual(expect.any(Number))
    const { body: talk } = await here.api.get(`/api/v4/talks/${chat.talk_id}`)
    expect(talk).toMatchObject({
      contact_id: accepted.contact_id,
      is_read: true,
      status: 'in_work',
    })
    await here.api.post(`/api/v4/talks/${chat.talk_id}/close`)
    expect(await inboxOf()).toEqual([])
    expect(await inboxOf('tab=closed')).toMatchObject([{ id: chat.id, talk_id: null }])
    await published(scope, { text: 'again' })
    const [reopened] = await inboxOf()
    expect(reopened).toMatchObject({ id: chat.id, unread: 1, is_in_work: true })
    expect(reopened.talk_id).toBeGreaterThan(chat.talk_id)
    const { body: ofTalk } = await here.api.get(`/api/v4/talks/${reopened.talk_id}/messages`)
    expect(ofTalk._embedded.messages).toMatchObject([{ text: 'again' }])
  })

  test('goes to the contact that the chat is bound to', async () => {
    const here = await newAccount()
    const scope = await addScope(here)
    const { conversation_id } = await published(scope)
    const contact_id = await addRecord(here.api, 'contacts', {})
    const draft = { contact_id, chat_id: conversation_id }
    expect((await here.api.post('/api/v4/contacts/chats', [draft])).status).toBe(200)
    const [chat] = (await here.api.get(path)).body._embedded.chats
    await here.api.post(`/api/v4/leads/unsorted/${chat.unsorted_uid}/accept`)
    const { body } = await here.api.get(`${path}/${chat.id}`)
    expect(body).toMatchObject({ contact_id, unsorted_uid: null })
    const { body: talk } = await here.api.get(`/api/v4/talks/${chat.talk_id}`)
    expect(talk).toMatchObject({ contact_id, entity_id: body.entity_id })
  })
})

describe('a read mark', () => {
  test('reads all, tells of chat and talk once, and causes no event', async () => {
    const chat = await addChat(inbox, { unread: 2, waiting_since: 10 })
    const read = () => account.api.post(`${path}/${chat.id}/read`)
    const { journal, events } = await newsOf(account, async () => {
      expect((await read()).body).toMatchObject({ id: chat.id, unread: 0, waiting_since: null })
      expect((await read()).status).toBe(200)
    })
    expect(events).toEqual([])
    expect(journal).toMatchObject([
      {
        entity_type: 'chats',
        entity_id: chat.id,
        actions: ['update'],
        before: { unread: 2, waiting_since: 10 },
        after: { unread: 0, waiting_since: null },
      },
      {
        entity_type: 'talks',
        entity_id: chat.talk_id,
        actions: ['update'],
        before: { is_read: false },
        after: { is_read: true },
      },
    ])
  })

  test('up to a message leaves the later ones of the client', async () => {
    const chat = await addChat(inbox, { unread: 3, waiting_since: 100 })
    const ids = await addMessages(inbox, chat, [
      { at: 50 },
      { at: 100 },
      { at: 150, is_outgoing: true },
      { at: 200 },
      { at: 200, is_silent: true },
      { at: 200 },
    ])
    const read = async (up_to: number) =>
      (await account.api.post(`${path}/${chat.id}/read`, { up_to })).body
    // An earlier message makes nothing unread that was read.
    expect(await read(ids[0]!)).toMatchObject({ unread: 3, waiting_since: 100 })
    const { journal } = await newsOf(account, async () => {
      expect(await read(ids[1]!)).toMatchObject({ unread: 2, waiting_since: 200 })
    })
    expect(journal.map(({ entity_type }) => entity_type)).toEqual(['chats'])
    expect(await read(ids[3]!)).toMatchObject({ unread: 1, waiting_since: 200 })
    expect(await read(ids[0]!)).toMatchObject({ unread: 1, waiting_since: 200 })
    expect(await read(ids[5]!)).toMatchObject({ unread: 0, waiting_since: null })
  })

  test('names a message of the chat', async () => {
    const chat = await addChat(inbox, { unread: 1 })
    const [elsewhere] = await addMessages(inbox, await addChat(inbox), [{ at: 1 }])
    for (const up_to of [elsewhere, 1, 2 ** 53 - 1, 0, '', 'x', null, {}]) {
      const { status } = await account.api.post(`${path}/${chat.id}/read`, { up_to })
      expect([up_to, status]).toEqual([up_to, 400])
    }
    const { body } = await account.api.post(`${path}/${chat.id}/read`, { up_to: elsewhere })
    expect(body['validation-errors'][0].errors).toMatchObject([{ path: 'up_to' }])
    expect((await account.api.get(`${path}/${chat.id}`)).body.unread).toBe(1)
  })

  test('is taken back for the latest message of the client', async () => {
    const chat = await addChat(inbox)
    const unread = () => account.api.post(`${path}/${chat.id}/unread`)
    expect((await unread()).status).toBe(422)
    await addMessages(inbox, chat, [
      { at: 100 },
      { at: 200 },
      { at: 300, is_outgoing: true },
      { at: 400, is_silent: true },
    ])
    const { journal, events } = await newsOf(account, async () => {
      expect((await unread()).body).toMatchObject({ unread: 1, waiting_since: 200 })
      expect((await unread()).body).toMatchObject({ unread: 1, waiting_since: 200 })
    })
    expect(events).toEqual([])
    expect(journal.map(({ entity_type, before }) => [entity_type, before])).toEqual([
      ['chats', { unread: 0, waiting_since: null }],
      ['talks', { is_read: true }],
    ])
    const closed = await addChat(inbox, { is_open: false })
    await addMessages(inbox, closed, [{ at: 100 }])
    expect((await account.api.post(`${path}/${closed.id}/unread`)).status).toBe(422)
  })

  test('needs the right to view the contact, and closing the right to edit it', async () => {
    const viewer = await account.addUser({
      rights: {
        ...rightsFor('A', 'A'),
        contacts: { view: 'A', edit: 'M', add: 'D', delete: 'D', export: 'D' },
      },
    })
    const stranger = await account.addUser({ rights: rightsFor('M', 'A') })
    const contact_id = await addRecord(account.api, 'contacts', {})
    const chat = await addChat(inbox, { contact_id, unread: 1 })
    const ask = async ({ api }: TestUser, verb: string) =>
      (await api.post(`${path}/${chat.id}/${verb}`)).status
    expect(await ask(stranger, 'read')).toBe(403)
    expect(await ask(stranger, 'unread')).toBe(403)
    expect(await ask(stranger, 'close')).toBe(403)
    expect(await ask(viewer, 'close')).toBe(403)
    expect(await ask(viewer, 'read')).toBe(200)
    expect(await ask(account.admin, 'close')).toBe(200)
  })

  test('of a chat that nobody sees yet answers 404', async () => {
    const hidden = await addChat(inbox, { is_visible: false, is_open: false })
    for (const verb of ['read', 'unread'])
      expect((await account.api.post(`${path}/${hidden.id}/${verb}`)).status).toBe(404)
  })
})

test('queries that say nothing are refused', async () => {
  for (const query of [
    'tab=none',
    'tab=',
    'order=oldest',
    'tab=closed&order=waiting',
    'tab=all&order=waiting',
    'limit=0',
    'limit=x',
    'page=-1',
    'page=2&after=x.y.z',
    'page=2&after=zz',
    'query=',
    `query=${'x'.repeat(256)}`,
    'filter[channel_id]=1',
    'filter[contact_id]=0',
    'filter[contact_id]=x',
    'filter[entity_id]=1',
    'filter[entity_type]=leads',
    'filter[entity_type]=contacts&filter[entity_id]=1',
    'filter[is_unread]=perhaps',
    'filter[unknown]=1',
    'unknown=1',
  ]) {
    const { status } = await account.api.get(`${path}?${query}`)
    expect([query, status]).toEqual([query, 400])
  }
  const { body } = await account.api.get(`${path}?limit=1000`)
  expect(body._links.self.href).toContain('limit=250')
  for (const id of ['0', 'x', '9007199254740992'])
    expect((await account.api.get(`${path}/${id}`)).status).toBe(404)
})
