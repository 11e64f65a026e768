import sql from 'sql-template-tag'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { addScope, callScope, published } from '../../../../test/chats.ts'
import { addLead } from '../../../../test/leads.ts'
import { newPair } from '../../../../test/oauth.ts'
import { addRecord, addUserWith } from '../../../../test/records.ts'
import { notifyAdministrators } from '../../activity/notifications/notifications.ts'

interface Message {
  event: string
  id: string
  data: { entity_type?: string; entity_id?: number; actions?: string[]; chat_id?: number }
}

/** Opens the stream as a browser does and collects its messages. */
async function browser(
  { kontor }: TestAccount,
  { token }: TestUser,
  headers: Record<string, string> = {},
) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${kontor.url}/web/v1/stream`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: stop.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const heard: Message[] = []
  const ended = read(response, heard).catch(() => undefined)
  const changes = () => heard.filter(({ event }) => event === 'change').map(({ data }) => data)
  await expect.poll(() => heard[0]?.event).toBe('ready')
  return { heard, changes, ended, close: () => stop.abort() }
}

async function read(response: Response, heard: Message[]): Promise<void> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
      ) as Record<string, string>
      // The account of the test is new, and its vocabulary is told of, too (vocabulary.test.ts).
      if (fields['event'] && fields['event'] !== 'vocabulary')
        heard.push({
          event: fields['event'],
          id: fields['id']!,
          data: JSON.parse(fields['data']!) as Message['data'],
        })
    }
  }
}

const leadIds = (answer: { body: { _embedded: { leads: { id: number }[] } } }) =>
  answer.body._embedded.leads.map(({ id }) => id)

test('a browser hears what changes in its account, in order, and nothing of others', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const { changes } = await browser(mine, mine.admin)
  await other.api.post('/api/v4/leads', [{ name: 'Theirs' }])
  const [id] = leadIds(await mine.api.post('/api/v4/leads', [{ name: 'Mine' }]))
  await mine.api.patch(`/api/v4/leads/${id}`, { price: 7, status_id: 142 })
  await expect.poll(changes).toMatchObject([
    { entity_type: 'leads', entity_id: id, actions: ['add'] },
    { entity_type: 'leads', entity_id: id, actions: ['update', 'status'] },
  ])
})

test('a browser hears of tasks that its user does or may view, and of those that leave its view', async () => {
  const account = await newAccount()
  const seller = await account.addUser({
    rights: { leads: { view: 'M' }, contacts: { view: 'A' }, tasks: { edit: 'M' } },
  })
  const first = await browser(account, seller)
  const { changes } = first
  const { api } = account
  const contact = (await api.post('/api/v4/contacts', [{}])).body._embedded.contacts[0].id
  const lead = await addLead(api)
  const mine = await addLead(api, { responsible_user_id: seller.id })
  const due = { text: 'x', complete_till: 2_000_000_000 }
  const tasks = [
    due,
    { ...due, entity_type: 'leads', entity_id: lead },
    { ...due, entity_type: 'contacts', entity_id: contact },
    { ...due, entity_type: 'leads', entity_id: lead, responsible_user_id: seller.id },
    { ...due, entity_type: 'leads', entity_id: mine },
  ]
  const answer = await api.post('/api/v4/tasks', tasks)
  const ids = answer.body._embedded.tasks.map(({ id }: { id: number }) => id)
  await api.patch(`/api/v4/tasks/${ids[3]}`, { responsible_user_id: account.admin.id })
  await api.delete(`/api/v4/tasks/${ids[3]}`)
  await api.delete(`/api/v4/tasks/${ids[2]}`)
  await api.patch(`/api/v4/tasks/${ids[4]}`, { is_completed: true })
  await api.patch(`/api/v4/tasks/${ids[4]}`, { entity_id: lead })
  await api.patch(`/api/v4/tasks/${ids[4]}`, { text: 'y' })
  await api.patch(`/api/v4/tasks/${ids[1]}`, { entity_id: mine })
  await api.patch(`/api/v4/tasks/${ids[1]}`, { entity_id: null })
  await api.patch(`/api/v4/tasks/${ids[1]}`, { text: 'y' })
  const ended = (await api.post('/api/v4/tasks', [{ ...due, responsible_user_id: seller.id }])).body
  ids.push(ended._embedded.tasks[0].id)
  const heardIn = (all: ReturnType<typeof changes>) =>
    all.flatMap(({ entity_type, entity_id, actions }) =>
      entity_type === 'tasks' ? [[ids.indexOf(entity_id), ...actions!]] : [],
    )
  const expected = [
    [2, 'add'],
    [3, 'add'],
    [4, 'add'],
    [3, 'update', 'responsible'],
    [2, 'delete'],
    [4, 'update'],
    [4, 'update'],
    [1, 'update'],
    [1, 'update'],
    [5, 'add'],
  ]
  await expect.poll(() => heardIn(changes())).toEqual(expected)
  // Cards ask for the record of a task; of the one that it has left, they are told that there was one.
  const moved = changes().filter((change) => 'has_moved' in change)
  expect(moved.map(({ entity_id }) => ids.indexOf(entity_id))).toEqual([4, 1])
  // A browser that comes back is told as the records of the tasks are now.
  const again = await browser(account, seller, { 'last-event-id': first.heard[0]!.id })
  await expect.poll(() => heardIn(again.changes())).toEqual(expected)
  await api.delete(`/api/v4/leads/${mine}`)
  const later = await browser(account, seller, { 'last-event-id': first.heard[0]!.id })
  await expect.poll(() => heardIn(later.changes()).at(-1)).toEqual([5, 'add'])
  expect(heardIn(later.changes())).toEqual(expected.filter(([index]) => index !== 4 && index !== 1))
})

test('a browser hears of elements of the catalogs whose elements its user may view', async () => {
  const account = await newAccount()
  const made = await account.api.post('/api/v4/catalogs', [{ name: 'One' }, { name: 'Other' }])
  const [one, other] = made.body._embedded.catalogs.map(({ id }: { id: number }) => id)
  const level = (view: string) => ({ view, edit: 'D', add: 'D', delete: 'D', export: 'D' })
  const viewer = await account.addUser({
    rights: {
      catalog_rights: [
        { catalog_id: one, rights: level('A') },
        { catalog_id: other, rights: level('L') },
      ],
    } as object,
  })
  const { changes } = await browser(account, viewer)
  const add = async (catalog: number): Promise<number> => {
    const answer = await account.api.post(`/api/v4/catalogs/${catalog}/elements`, [{ name: 'x' }])
    return answer.body._embedded.elements[0].id
  }
  await add(other)
  const id = await add(one)
  await expect
    .poll(changes)
    .toMatchObject([{ entity_type: 'catalog_elements', entity_id: id, actions: ['add'] }])
})

test('a user hears only of records within sight, and of those that leave it', async () => {
  const account = await newAccount()
  const limited = await account.addUser({
    rights: { leads: { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' } },
  })
  const { changes } = await browser(account, limited)
  const [hidden, own] = leadIds(
    await account.api.post('/api/v4/leads', [
      { name: 'Hidden' },
      { name: 'Own', responsible_user_id: limited.id },
    ]),
  )
  await account.api.patch(`/api/v4/leads/${own}`, { responsible_user_id: account.admin.id })
  await account.api.patch(`/api/v4/leads/${own}`, { price: 5 })
  const [last] = leadIds(await limited.api.post('/api/v4/leads', [{ name: 'Last' }]))
  await expect.poll(() => changes().at(-1)?.entity_id).toBe(last)
  expect(changes().map(({ entity_id, actions }) => [entity_id, actions])).toEqual([
    [own, ['add']],
    [own, ['update', 'responsible']],
    [last, ['add']],
  ])
  expect(changes().some(({ entity_id }) => entity_id === hidden)).toBe(false)
})

test('a browser hears that a record within sight has a new note, another one, or one less', async () => {
  const account = await newAccount()
  const limited = await account.addUser({
    rights: { leads: { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' } },
  })
  const [hidden, own] = leadIds(
    await account.api.post('/api/v4/leads', [{}, { responsible_user_id: limited.id }]),
  )
  const { changes } = await browser(account, limited)
  const draft = { note_type: 'common', params: { text: 'x' } }
  const made = await account.api.post('/api/v4/leads/notes', [
    { ...draft, entity_id: hidden },
    { ...draft, entity_id: own },
  ])
  const [, { id }] = made.body._embedded.notes
  await account.api.post(`/api/v4/leads/notes/${id}/pin`)
  await account.api.delete(`/api/v4/leads/notes/${made.body._embedded.notes[0].id}`)
  await account.api.delete(`/api/v4/leads/notes/${id}`)
  await expect.poll(changes).toMatchObject([
    { entity_type: 'leads', entity_id: own, actions: ['note'] },
    { entity_type: 'leads', entity_id: own, actions: ['update_note'] },
    { entity_type: 'leads', entity_id: own, actions: ['update_note'] },
  ])
})

test('a user hears of messages and typing in the chats of contacts within sight', async () => {
  const account = await newAccount({ rateLimitScope: 0 })
  const line = await addScope(account)
  const begin = async (conversation_id: string, responsible_user_id: number) => {
    const { conversation_id: chat_id } = await published(line, { conversation_id })
    const contact = { name: conversation_id, responsible_user_id }
    const contact_id = await addRecord(account.api, 'contacts', contact)
    await account.api.post('/api/v4/contacts/chats', [{ contact_id, chat_id }])
  }
  const limited = await addUserWith(account, 'contacts', { view: 'M' })
  await begin('hidden', account.admin.id)
  await begin('own', limited.id)
  const { heard, changes } = await browser(account, limited)
  for (const conversation_id of ['hidden', 'own']) {
    const sender = { id: 'client-1' }
    expect((await callScope(line, '/typing', { conversation_id, sender })).status).toBe(204)
    await published(line, { conversation_id })
  }
  await expect.poll(() => changes().length).toBe(1)
  const { database } = account.kontor
  const chat = await database.row<{ id: number }>(
    sql`select id from chats where account_id = ${account.id} and conversation_id = 'own'`,
  )
  expect(changes()).toMatchObject([
    { entity_type: 'messages', actions: ['add'], chat_id: chat!.id },
  ])
  const typing = heard.filter(({ event }) => event === 'typing').map(({ data }) => data)
  expect(typing).toEqual([{ chat_id: chat!.id, until: expect.any(Number) }])
})

test('a user hears of a chat by its lead where the contact is in the bin', async () => {
  const account = await newAccount({ rateLimitScope: 0 })
  const line = await addScope(account)
  const limited = await addUserWith(account, 'leads', { view: 'M' })
  const { database } = account.kontor
  const begin = async (conversation_id: string, responsible_user_id: number) => {
    await published(line, { conversation_id })
    const contact_id = await addRecord(account.api, 'contacts', {})
    const lead = await addRecord(account.api, 'leads', { responsible_user_id })
    const chat = await database.transaction((tx) =>
      tx.row<{ id: number }>(sql`
        update chats set contact_id = ${contact_id}, entity_type = 'leads', entity_id = ${lead}, item_id = null
         where account_id = ${account.id} and conversation_id = ${conversation_id} returning id`),
    )
    await account.api.delete(`/api/v4/contacts/${contact_id}`)
    return chat!.id
  }
  const chats = [await begin('hidden', account.admin.id), await begin('own', limited.id)]
  const statuses = chats.map((id) => limited.api.get(`/web/v1/chats/${id}`))
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([403, 200])
  const { heard } = await browser(account, limited)
  for (const conversation_id of ['hidden', 'own']) {
    const sender = { id: 'client-1' }
    expect((await callScope(line, '/typing', { conversation_id, sender })).status).toBe(204)
    await published(line, { conversation_id })
  }
  const about = (event: string) =>
    heard.filter((each) => each.event === event).map(({ data }) => data.chat_id)
  await expect.poll(() => about('change')).toContain(chats[1])
  expect(new Set(about('change').filter((id) => id !== undefined))).toEqual(new Set([chats[1]]))
  await expect.poll(() => about('typing')).toEqual([chats[1]])
})

test('people who may see a notification hear at once that there is one', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const { kontor } = account
  const [user, second] = [await account.addUser(), await account.addUser({ is_admin: true })]
  const admins = [await browser(account, account.admin), await browser(account, second)]
  const others = [await browser(account, user), await browser(other, other.admin)]
  const token = (await newPair(account)).access_token
  const program = await browser(account, { ...account.admin, token })
  const values = { webhook_id: 1, destination: 'https://example.com', invalid_answers: 101 }
  const draft = { account_id: account.id, kind: 'webhook_disabled' as const, values }
  const notified = ({ heard }: (typeof admins)[number]) =>
    heard.filter(({ event }) => event === 'notification').length
  await kontor.database.transaction((tx) =>
    notifyAdministrators(tx, kontor.signals, [draft], kontor.now()),
  )
  await expect.poll(() => admins.map(notified)).toEqual([1, 1])
  // A change that all hear proves that nothing else was on its way.
  await addLead(account.api)
  await addLead(other.api)
  for (const each of [...admins, ...others, program])
    await expect.poll(() => each.changes().length).toBeGreaterThan(0)
  expect([...admins, ...others, program].map(notified)).toEqual([1, 1, 0, 0, 0])
})

test('the browsers of a user hear that notifications were read, and nobody else does', async () => {
  const account = await newAccount()
  const { kontor, admin } = account
  const second = await account.addUser({ is_admin: true })
  const values = { webhook_id: 1, destination: 'https://example.com', invalid_answers: 101 }
  const draft = { account_id: account.id, kind: 'webhook_disabled' as const, values }
  await kontor.database.transaction((tx) =>
    notifyAdministrators(tx, kontor.signals, [draft], kontor.now()),
  )
  const tabs = [await browser(account, admin), await browser(account, admin)]
  const other = await browser(account, second)
  const notified = ({ heard }: (typeof tabs)[number]) =>
    heard.filter(({ event }) => event === 'notification').length
  const read = () => account.api.post('/web/v1/notifications/read', { all: true })
  expect((await read()).body.unread).toBe(0)
  await expect.poll(() => tabs.map(notified)).toEqual([1, 1])
  // Reading what is read already is no news.
  await read()
  await addLead(account.api)
  for (const each of [...tabs, other])
    await expect.poll(() => each.changes().length).toBeGreaterThan(0)
  expect([...tabs, other].map(notified)).toEqual([1, 1, 0])
})

test('a browser that comes back with its last id misses nothing', async () => {
  const account = await newAccount()
  const first = await browser(account, account.admin)
  const [before] = leadIds(await account.api.post('/api/v4/leads', [{}]))
  await expect.poll(() => first.changes().length).toBe(1)
  first.close()
  await first.ended
  const missed = leadIds(await account.api.post('/api/v4/leads', [{}, {}]))
  const again = await browser(account, account.admin, { 'last-event-id': first.heard.at(-1)!.id })
  const after = leadIds(await account.api.post('/api/v4/leads', [{}]))
  const ids = () => new Set(again.changes().map(({ entity_id }) => entity_id))
  await expect.poll(() => [...missed, ...after].every((id) => ids().has(id))).toBe(true)
  expect([...ids()].every((id) => [before, ...missed, ...after].includes(id))).toBe(true)
})

test('a browser that comes back from further than the journal is searched begins anew', async () => {
  const account = await newAccount()
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`select setval('journal_id', last_value + 600000) from journal_id`),
  )
  await account.api.post('/api/v4/leads', [{}])
  const { heard } = await browser(account, account.admin, { 'last-event-id': '1' })
  await expect.poll(() => heard[1]?.event).toBe('reset')
})

test('a user that is deactivated hears no more', async () => {
  const account = await newAccount()
  const user = await account.addUser()
  const { ended, changes } = await browser(account, user)
  const { setUser } = await import('../../people/users/users.ts')
  await account.kontor.database.transaction((tx) =>
    setUser(tx, account.id, account.kontor.now(), user.email, { isActive: false }),
  )
  await ended
  await addLead(account.api)
  expect(changes().filter(({ entity_type }) => entity_type === 'leads')).toEqual([])
})

test('a browser whose last id the journal does not reach is told to start anew', async () => {
  const account = await newAccount()
  const { heard } = await browser(account, account.admin, { 'last-event-id': '900000000000' })
  await expect.poll(() => heard.map(({ event }) => event)).toEqual(['ready', 'reset'])
})

test('the stream asks for a token', async () => {
  const { kontor } = await newAccount()
  expect((await fetch(`${kontor.url}/web/v1/stream`)).status).toBe(401)
})

// A browser that comes back has missed only changes of its own account.
describe('other accounts', () => {
  /** Opens the stream as a browser does; answers its text so far, and what closes it. */
  async function stream({ kontor, admin }: TestAccount, headers: Record<string, string> = {}) {
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const response = await fetch(`${kontor.url}/web/v1/stream`, {
      headers: { authorization: `Bearer ${admin.token}`, ...headers },
      signal: stop.signal,
    })
    let text = ''
    const reading = async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    }
    void reading().catch(() => undefined)
    await expect.poll(() => text).toContain('event: ready')
    return { text: () => text, close: () => stop.abort() }
  }

  const leadsIn = (text: string) =>
    [...text.matchAll(/"entity_type":"leads","entity_id":(\d+)/g)].map(([, id]) => Number(id))

  test('a browser that comes back is told nothing of other accounts', async () => {
    const [mine, other] = [await newAccount(), await newAccount()]
    const first = await stream(mine)
    const [, last] = /event: ready\nid: (\d+)/.exec(first.text())!
    first.close()
    await addLead(other.api)
    const id = await addLead(mine.api)
    await addLead(other.api)
    const { text } = await stream(mine, { 'last-event-id': last! })
    await expect.poll(() => leadsIn(text())).toContain(id)
    await addLead(other.api)
    const newest = await addLead(mine.api)
    await expect.poll(() => leadsIn(text())).toContain(newest)
    expect(new Set(leadsIn(text()))).toEqual(new Set([id, newest]))
  })
})
