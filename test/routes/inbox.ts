// The requests to the routes that read chats. A chat belongs to the contact of a user.
import { addChat as add, addMessages, newInbox } from '../inbox.ts'
import type { TestChat, TestInbox } from '../inbox.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare, RouteRequest } from './requests.ts'
import * as seed from './seed.ts'

/** The channel of all chats: another account owns it, because that account keeps it. */
const channels = new WeakMap<RouteFixture, Promise<TestInbox>>()

/** Adds a chat of the contact of a user, with an unread message. */
async function addChat(fixture: RouteFixture, column: Column): Promise<TestChat> {
  const { account, mark } = fixture
  const contact_id = await seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column))
  const known = channels.get(fixture) ?? newInbox(fixture.alien)
  channels.set(fixture, known)
  const inbox = { account, channel: (await known).channel }
  const chat = await add(inbox, { name: `A client ${mark}`, contact_id, unread: 1 })
  await addMessages(inbox, chat, [{ at: 1_700_000_000_000, text: `A message ${mark}` }])
  return chat
}

/** A request about a chat of its own. */
const about =
  (ask: (chat: TestChat) => RouteRequest): Prepare =>
  async (fixture, column) =>
    ask(await addChat(fixture, column))

const ofChat = (tail = '') => about(({ id }) => ({ path: `/web/v1/chats/${id}${tail}` }))
const ofTalk = (tail = '') => about(({ talk_id }) => ({ path: `/api/v4/talks/${talk_id}${tail}` }))

async function addTemplate({ account: { api }, mark }: RouteFixture): Promise<number> {
  return (await api.post('/web/v1/chat-templates', { name: `One ${mark}`, content: mark })).body.id
}

const ofTemplate =
  (body?: object): Prepare =>
  async (fixture) => ({ path: `/web/v1/chat-templates/${await addTemplate(fixture)}`, body })

export const inboxRequests: Record<string, Prepare> = {
  'GET /web/v1/chats': async (fixture, column) => {
    const { id } = await addChat(fixture, column)
    return ['?limit=250', '?tab=all&limit=250', `?query=${fixture.mark}&limit=250`].map(
      (query) => ({
        query,
        list: { of: 'chats', holds: id },
      }),
    )
  },
  'GET /web/v1/chats/counts': about(() => ({})),
  'GET /web/v1/chats/{id}': ofChat(),
  'GET /web/v1/chats/{id}/messages': ofChat('/messages'),
  'POST /web/v1/chats/{id}/read': ofChat('/read'),
  'POST /web/v1/chats/{id}/unread': ofChat('/unread'),
  'POST /web/v1/chats/{id}/close': ofChat('/close'),
  'GET /web/v1/chat-templates': async (fixture) => ({
    list: { of: 'templates', holds: await addTemplate(fixture) },
  }),
  'POST /web/v1/chat-templates': () => ({ body: { name: 'A template', content: 'Hello' } }),
  'PATCH /web/v1/chat-templates/{id}': ofTemplate({ name: 'Another' }),
  'POST /web/v1/chat-templates/{id}/move': async (fixture) => ({
    path: `/web/v1/chat-templates/${await addTemplate(fixture)}/move`,
    body: { before: null },
  }),
  'DELETE /web/v1/chat-templates/{id}': ofTemplate(),
  'GET /api/v4/talks': about(({ talk_id }) => ({
    query: `?filter[talk_id]=${talk_id}`,
    list: { of: 'talks', holds: talk_id! },
  })),
  'GET /api/v4/talks/{id}': ofTalk(),
  'GET /api/v4/talks/{id}/messages': ofTalk('/messages'),
  'POST /api/v4/talks/{id}/close': ofTalk('/close'),
  'GET /api/v4/contacts/chats': about(({ id, uid }) => ({
    query: `?chat_id=${uid}`,
    list: { of: 'chats', holds: id },
  })),
  'POST /api/v4/contacts/chats': async (fixture, column) => {
    const { uid } = await addChat(fixture, column)
    const contact_id = await seed.addRecord(fixture, 'contacts', fixture.outsider)
    return { body: [{ chat_id: uid, contact_id }] }
  },
}
