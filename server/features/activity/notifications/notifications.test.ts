import { beforeEach, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { notifyAdministrators } from './notifications.ts'

const path = '/web/v1/notifications'

let account: TestAccount
beforeEach(async () => {
  account = await newAccount()
})

/** Tells the administrators of an account something about each of these webhooks. */
async function notify({ id, kontor }: TestAccount, ...webhooks: number[]): Promise<void> {
  const drafts = webhooks.map((webhook_id) => ({
    account_id: id,
    kind: 'webhook_failing' as const,
    values: { webhook_id, destination: 'https://example.com/', invalid_answers: 50 },
  }))
  await kontor.database.transaction((tx) =>
    notifyAdministrators(tx, kontor.signals, drafts, kontor.now()),
  )
}

interface Shown {
  id: number
  values: { webhook_id: number }
  is_read: boolean
}

const list = async (api: Client, query = '') =>
  (await api.get(path + query)).body._embedded.notifications as Shown[]
const webhooksOf = (shown: Shown[]) => shown.map(({ values }) => values.webhook_id)
const unread = async (api: Client) => (await api.get(`${path}/unread`)).body.unread as number

test('the newest come first, page by page, each with a link to what it is about', async () => {
  const { api, kontor } = account
  await notify(account, 1, 2, 3)
  const page = await api.get(`${path}?limit=2`)
  const shown = page.body._embedded.notifications
  expect(webhooksOf(shown)).toEqual([3, 2])
  expect(shown[0]).toMatchObject({
    kind: 'webhook_failing',
    is_read: false,
    _links: { about: { href: `${kontor.url}/web/v1/webhooks/3` } },
  })
  const next = (await api.get(page.body._links.next.href)).body
  expect(webhooksOf(next._embedded.notifications)).toEqual([1])
  expect(next._links.next).toBeUndefined()
})

test('one, several or all are marked as read, by the caller alone', async () => {
  const { api } = account
  const second = await account.addUser({ is_admin: true })
  await notify(account, 1, 2, 3, 4)
  const [newest, ...others] = await list(api)
  const mark = async (body: object) => (await api.post(`${path}/read`, body)).body.unread
  expect(await mark({ ids: [newest!.id] })).toBe(3)
  expect(await mark({ ids: others.slice(0, 2).map(({ id }) => id) })).toBe(1)
  expect(webhooksOf(await list(api, '?filter[is_read]=0'))).toEqual([1])
  expect(webhooksOf(await list(api, '?filter[is_read]=1'))).toEqual([4, 3, 2])
  await notify(account, 5)
  expect(await mark({ all: true })).toBe(0)
  expect(await list(api, '?filter[is_read]=0')).toEqual([])
  expect([await unread(api), await unread(second.api)]).toEqual([0, 5])
})

test('other users and other accounts see none, and mark none', async () => {
  const [user, other] = [await account.addUser(), await newAccount()]
  await notify(account, 1)
  const [{ id }] = (await list(account.api)) as [Shown]
  for (const { api } of [user, other.admin]) {
    expect(await list(api)).toEqual([])
    expect((await api.post(`${path}/read`, { ids: [id] })).body.unread).toBe(0)
    expect((await api.post(`${path}/read`, { all: true })).body.unread).toBe(0)
  }
  expect(await unread(account.api)).toBe(1)
})

test.each([
  {},
  { all: false },
  { all: 'yes' },
  { ids: [0] },
  { ids: 1.5 },
  { up_to: -1 },
  { x: 1 },
])('a wrong mark is refused: %j', async (body) => {
  expect((await account.api.post(`${path}/read`, body)).status).toBe(400)
})
