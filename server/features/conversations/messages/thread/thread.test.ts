import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { addChat, addMessages, newInbox } from '../../../../../test/inbox.ts'
import type { TestInbox } from '../../../../../test/inbox.ts'
import { addRecord } from '../../../../../test/records.ts'
import { fetchLater } from '../../../activity/files/files.ts'

let account: TestAccount
let inbox: TestInbox
beforeAll(async () => {
  account = await newAccount()
  inbox = await newInbox(account)
})

const pathOf = ({ id }: { id: number }) => `/web/v1/chats/${id}/messages`
const at = 1_700_000_000_000

interface Shown {
  id: number
  msec_timestamp: number
}

/** The ids of all pages that a link leads to, in the order of the pages. */
async function follow(first: string, link: 'older' | 'newer'): Promise<number[][]> {
  const pages: number[][] = []
  let next: string | undefined = first
  while (next !== undefined) {
    const { status, body } = await account.api.get(next)
    if (status !== 200) throw new Error(`${next} answered ${status}: ${JSON.stringify(body)}`)
    pages.push(body._embedded.messages.map(({ id }: Shown) => id))
    const href = body._links[link]?.href as string | undefined
    next = href?.slice(href.indexOf('/web/'))
  }
  return pages
}

describe('a thread', () => {
  test('is walked up and down by pages, also where times are equal', async () => {
    const chat = await addChat(inbox)
    const other = await addChat(inbox)
    const drafts = Array.from({ length: 23 }, (_, n) => ({
      at: at + Math.floor(n / 7) * 1000,
      is_silent: n % 3 === 0,
      is_outgoing: n % 4 === 0,
    }))
    // An old message that arrived last stands first.
    const ids = await addMessages(inbox, chat, [...drafts, { at: at - 1 }])
    await addMessages(inbox, other, [{ at: at + 500 }, { at: at + 9000 }])
    const all = [ids.at(-1)!, ...ids.slice(0, -1)]
    const up = await follow(`${pathOf(chat)}?limit=5`, 'older')
    expect(up.map(({ length }) => length)).toEqual([5, 5, 5, 5, 4])
    expect(up.toReversed().flat()).toEqual(all)
    const down = await follow(`${pathOf(chat)}?limit=5&after=0.0`, 'newer')
    expect(down.flat()).toEqual(all)
    const { body } = await account.api.get(pathOf(chat))
    expect(body._embedded.messages.map(({ id }: Shown) => id)).toEqual(all)
    expect(Object.keys(body._links)).toEqual(['self'])
    const { body: middle } = await account.api.get(
      `${pathOf(chat)}?limit=2&before=${at + 1000}.${ids[9]}`,
    )
    expect(middle._embedded.messages.map(({ id }: Shown) => id)).toEqual([ids[7], ids[8]])
    const around = await follow(middle._links.newer.href.slice(account.kontor.url.length), 'newer')
    expect(around.flat()).toEqual(all.slice(all.indexOf(ids[9]!)))
    const { body: newest } = await account.api.get(
      `${pathOf(chat)}?after=${at + 3000}.${ids.at(-2)}`,
    )
    expect(newest._embedded.messages).toEqual([])
    expect(Object.keys(newest._links)).toEqual(['self'])
  })

  test('shows each message whole', async () => {
    const user = await account.addUser({ name: 'Jana' })
    const chat = await addChat(inbox, { name: 'Ann' })
    const [added] = await addMessages(inbox, chat, [{ at, text: 'é'.repeat(300) }])
    await addMessages(inbox, chat, [
      {
        at: at + 1,
        text: 'Look, "here": 1, 2',
        type: 'picture',
        content: {
          media: 'https://example.com/a b.png',
          file_name: 'a, b: c.png',
          file_size: 12_345_678_901,
        },
        is_outgoing: true,
        user_id: user.id,
        status: 'read',
        reply_to_id: added!,
        reactions: [{ user: chat.client_uid, emoji: '👍' }],
      },
      {
        at: at + 2,
        type: 'location',
        content: { location: { lon: 12.5, lat: -1 } },
        is_outgoing: true,
        status: 'error',
        error_code: 905,
        error: 'The client left',
      },
      {
        at: at + 3,
        type: 'contact',
        content: { contact: { name: 'Bob', phone: '+1' } },
        is_outgoing: true,
        is_imported: true,
        status: 'error',
        error_code: 901,
        talk_id: null,
      },
    ])
    const { body } = await account.api.get(pathOf(chat))
    const empty = {
      media: null,
      file_name: null,
      file_size: null,
      location: null,
      contact: null,
      error_code: null,
      error: null,
      can_send_again: false,
      reply_to: null,
      reactions: [],
      talk_id: chat.talk_id,
    }
    const bot = { type: 'bot', id: inbox.channel.bot_id, name: 'Line', user_id: null }
    expect(body._embedded.messages).toMatchObject([
      {
        ...empty,
        id: added,
        type: 'text',
        text: 'é'.repeat(300),
        is_outgoing: false,
        author: { type: 'client', id: chat.client_uid, name: 'Ann', user_id: null },
        status: null,
        msec_timestamp: at,
        created_at: at / 1000,
      },
      {
        ...empty,
        type: 'picture',
        text: 'Look, "here": 1, 2',
        media: 'https://example.com/a b.png',
        file_name: 'a, b: c.png',
        file_size: 12_345_678_901,
        is_outgoing: true,
        author: { type: 'user', name: 'Jana', user_id: user.id },
        status: 'read',
        reply_to: { id: added, text: 'é'.repeat(200), type: 'text' },
        reactions: [{ user: chat.client_uid, emoji: '👍' }],
      },
      {
        ...empty,
        type: 'location',
        location: { lon: 12.5, lat: -1 },
        author: bot,
        status: 'error',
        error_code: 905,
        error: 'The client left',
        can_send_again: true,
      },
      {
        ...empty,
        contact: { name: 'Bob', phone: '+1' },
        status: 'error',
        error_code: 901,
        talk_id: null,
      },
    ])
  })

  test('has signed addresses of what Kontor has stored, and those of the channel until then', async () => {
    const uploaded = await fetch(`${account.kontor.url}/web/v1/files?name=a.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.admin.token}`, 'content-type': 'text/plain' },
      body: 'Hello',
    })
    const file = (await uploaded.json()) as { id: number }
    const chat = await addChat(inbox)
    const media = 'https://example.com/a.png'
    const { database } = account.kontor
    const fetching = await database.transaction((tx) =>
      fetchLater(tx, { accountId: account.id, userId: 0, at: at / 1000 }, { address: media }),
    )
    await addMessages(inbox, chat, [
      { at, type: 'file', file_id: file.id },
      { at: at + 1, type: 'picture', content: { media, file_name: 'b.png' }, file_id: fetching },
    ])
    for (const path of [pathOf(chat), `/api/v4/talks/${chat.talk_id}/messages`]) {
      const { body } = await account.api.get(path)
      const [stored, waiting] = body._embedded.messages
      expect(stored).toMatchObject({ file_name: 'a.txt', file_size: 5 })
      expect(await (await fetch(stored.media)).text()).toBe('Hello')
      expect(waiting).toMatchObject({ media, file_name: 'b.png', file_size: null })
    }
  })

  test('is for those who may view the contact', async () => {
    const own = { view: 'M', edit: 'M', add: 'D', delete: 'D', export: 'D' } as const
    const user = await account.addUser({ rights: { contacts: own, leads: own } })
    const contact_id = await addRecord(account.api, 'contacts', {})
    const lead = await addRecord(account.api, 'leads', { responsible_user_id: user.id })
    const bound = await addChat(inbox, { contact_id, entity: { type: 'leads', id: lead } })
    const unbound = await addChat(inbox, { entity: { type: 'leads', id: lead } })
    const nobodys = await addChat(inbox)
    const hidden = await addChat(inbox, { is_visible: false, is_open: false })
    const other = await newAccount()
    for (const [chat, api, expected] of [
      [bound, user.api, 403],
      [unbound, user.api, 200],
      [nobodys, user.api, 403],
      [nobodys, account.api, 200],
      [hidden, account.api, 404],
      [bound, other.api, 404],
    ] as const) {
      await addMessages(inbox, chat, [{ at }])
      expect((await api.get(pathOf(chat))).status).toBe(expected)
      if (chat.talk_id !== null) {
        const { status } = await api.get(`/api/v4/talks/${chat.talk_id}/messages`)
        expect(status).toBe(expected)
      }
    }
  })

  test('refuses cursors and limits that say nothing', async () => {
    const chat = await addChat(inbox)
    for (const query of [
      'before=1',
      'after=x.1',
      'before=1.-1',
      `after=1.${2 ** 53}`,
      'before=1.1&after=1.1',
      'before=',
      'limit=0',
      'limit=-1',
      'limit=x',
      'page=2',
    ])
      expect([query, (await account.api.get(`${pathOf(chat)}?${query}`)).status]).toEqual([
        query,
        400,
      ])
    const { body } = await account.api.get(`${pathOf(chat)}?limit=9999`)
    expect(body._links.self.href).toContain('limit=250')
  })
})

describe('the messages of a talk', () => {
  test('are listed from a time on, by pages, without those of other talks', async () => {
    const chat = await addChat(inbox)
    const ids = await addMessages(
      inbox,
      chat,
      Array.from({ length: 7 }, (_, n) => ({ at: at + Math.floor(n / 2) * 1000, text: String(n) })),
    )
    await addMessages(inbox, chat, [{ at, talk_id: null }])
    const path = `/api/v4/talks/${chat.talk_id}/messages`
    const texts = async (query: string): Promise<string[]> => {
      const shown: string[] = []
      let next = `${path}?${query}`
      while (next) {
        const { status, body } = await account.api.get(next)
        expect(status).toBe(200)
        shown.push(...body._embedded.messages.map(({ text }: { text: string }) => text))
        next = body._links.next?.href.slice(account.kontor.url.length) ?? ''
      }
      return shown
    }
    expect(await texts('limit=3')).toEqual(ids.map((_, n) => String(n)))
    expect(await texts(`filter[created_at][from]=${at / 1000 + 1}`)).toEqual([
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    expect(await texts(`filter[created_at]=${at / 1000 + 3}`)).toEqual(['6'])
    expect(await texts(`filter[created_at][to]=${at / 1000}`)).toEqual(['0', '1'])
    const { body } = await account.api.get(`${path}?limit=1000`)
    expect(body._links.self.href).toContain('limit=250')
    expect(body._embedded.messages[2]).toMatchObject({
      is_outgoing: false,
      type: 'text',
      talk_id: chat.talk_id,
      created_at: at / 1000 + 1,
      msec_timestamp: at + 1000,
    })
    expect(body._embedded.messages[0].id).toMatch(/^[\da-f-]{36}$/)
    expect((await account.api.get(`${path}?filter[x]=1`)).status).toBe(400)
    expect((await account.api.get('/api/v4/talks/1/messages')).status).toBe(404)
  })
})
