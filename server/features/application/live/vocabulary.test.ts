// Open pages hear of every change of the vocabulary, of whatever kind, and nobody else does: neither another
// account nor the journal.
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { mainPipeline } from '../../../../test/leads.ts'
import { newPair } from '../../../../test/oauth.ts'
import { streamOf } from '../../../../test/stream.ts'
import { setAccount } from '../../people/accounts/accounts.ts'

const v4 = '/api/v4'

/** Adds a thing and answers its id. */
async function added({ api }: TestAccount, path: string, body: unknown, list: string) {
  const answer = await api.post(path, body)
  expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
  return (answer.body._embedded?.[list][0] ?? answer.body).id as number
}

type Act = (account: TestAccount) => Promise<Answer>

/** A thing that is made, changed and deleted, and the kind that each is told as. */
interface Life {
  path: string
  body: (name: string) => unknown
  list: string
}

const listed = (name: string) => [{ name }]

const lives: Record<string, Life[]> = {
  stages: [
    {
      path: `${v4}/leads/pipelines`,
      body: (name) => [
        {
          name,
          is_main: false,
          is_unsorted_on: true,
          sort: 9,
          _embedded: { statuses: [{ name }] },
        },
      ],
      list: 'pipelines',
    },
  ],
  fields: [
    {
      path: `${v4}/leads/custom_fields`,
      body: (name) => [{ name, type: 'text' }],
      list: 'custom_fields',
    },
    {
      path: `${v4}/contacts/custom_fields/groups`,
      body: (name) => [{ name, sort: 5 }],
      list: 'custom_field_groups',
    },
  ],
  loss_reasons: [{ path: `${v4}/leads/loss_reasons`, body: listed, list: 'loss_reasons' }],
  task_types: [
    { path: '/web/v1/task-types', body: (name) => ({ name, color: 'ff8f92' }), list: 'task_types' },
  ],
  chat_templates: [
    {
      path: '/web/v1/chat-templates',
      body: (name) => ({ name, content: name }),
      list: 'templates',
    },
  ],
  people: [
    { path: '/web/v1/groups', body: (name) => ({ name }), list: 'groups' },
    {
      path: `${v4}/roles`,
      body: (name) => [{ name, rights: { leads: { view: 'A' } } }],
      list: 'roles',
    },
  ],
  catalogs: [{ path: `${v4}/catalogs`, body: listed, list: 'catalogs' }],
  sources: [
    {
      path: `${v4}/sources`,
      body: (name) => [{ name, external_id: name }],
      list: 'sources',
    },
  ],
  segments: [{ path: `${v4}/customers/segments`, body: (name) => ({ name }), list: 'segments' }],
  customer_statuses: [
    {
      path: `${v4}/customers/statuses`,
      body: (name) => [{ name, sort: 15, color: '#fffeb2' }],
      list: 'statuses',
    },
  ],
}

const single = Object.entries(lives).flatMap(([kind, its]) =>
  its.map((life) => [kind, life] as const),
)

/** Hears what the tables of an account tell, each change by itself. */
function listening(account: TestAccount): () => string[] {
  const kinds: string[] = []
  const end = account.kontor.signals.on('kontor_vocabulary', (payload) => {
    const [id, kind] = payload.split(' ')
    if (id === String(account.id)) kinds.push(kind!)
  })
  onTestFinished(end)
  return () => kinds
}

/** An account whose own creation has been heard of. */
async function openQuiet(): Promise<{ account: TestAccount; kinds: () => string[] }> {
  const account = await newAccount()
  const kinds = listening(account)
  await account.api.post(`${v4}/leads`, [{ _embedded: { tags: [{ name: 'settled' }] } }])
  await expect.poll(kinds).toContain('new_tags')
  kinds().length = 0
  return { account, kinds }
}

test.for(single)('%s are told of: %j', async ([kind, life]) => {
  const { account, kinds } = await openQuiet()
  const of = () => kinds().filter((each) => each === kind).length
  const id = await added(account, life.path, life.body('One'), life.list)
  await expect.poll(of).toBeGreaterThan(0)
  kinds().length = 0
  expect((await account.api.patch(`${life.path}/${id}`, { name: 'Another' })).status).toBeLessThan(
    300,
  )
  await expect.poll(of).toBe(1)
  // Catalogs are never deleted.
  if (kind === 'catalogs') return
  expect((await account.api.delete(`${life.path}/${id}`)).status).toBeLessThan(300)
  await expect.poll(of).toBeGreaterThan(1)
})

const acts: Record<string, [string, Act][]> = {
  stages: [
    [
      'a stage is renamed',
      async (account) => {
        const { id, statuses } = await mainPipeline(account)
        return account.api.patch(`${v4}/leads/pipelines/${id}/statuses/${statuses[0]}`, {
          name: 'Other',
        })
      },
    ],
  ],
  people: [
    [
      'a user is invited',
      ({ api }) =>
        api.post(`${v4}/users`, [
          {
            name: 'New',
            email: 'new@example.com',
            password: proof.password,
            rights: {
              leads: all,
              contacts: all,
              companies: all,
              tasks: { edit: 'A', delete: 'A' },
            },
          },
        ]),
    ],
    [
      'a user is renamed',
      async (account) => account.api.patch(`/web/v1/users/${account.admin.id}`, { name: 'Other' }),
    ],
    [
      'a user names itself otherwise',
      async ({ api }) => api.patch('/web/v1/profile', { name: 'Myself' }),
    ],
  ],
  new_tags: [
    [
      'a lead brings a tag',
      ({ api }) => api.post(`${v4}/leads`, [{ _embedded: { tags: [{ name: 'fresh' }] } }]),
    ],
  ],
  tags: [
    [
      'a tag is renamed',
      async (account) => {
        const id = await added(account, `${v4}/leads/tags`, [{ name: 'old' }], 'tags')
        return account.api.patch(`${v4}/leads/tags/${id}`, { name: 'newer' })
      },
    ],
    [
      'a tag is deleted',
      async (account) => {
        const id = await added(account, `${v4}/leads/tags`, [{ name: 'old' }], 'tags')
        return account.api.delete(`${v4}/leads/tags/${id}`)
      },
    ],
  ],
  account: [
    [
      'customers are kept in another mode',
      ({ api }) => api.patch(`${v4}/customers/mode`, { mode: 'segments', is_enabled: true }),
    ],
  ],
}
const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }

test.for(Object.entries(acts).flatMap(([kind, its]) => its.map((act) => [kind, ...act] as const)))(
  'of %s: %s',
  async ([kind, , act]) => {
    const { account, kinds } = await openQuiet()
    expect((await act(account)).status).toBeLessThan(300)
    await expect.poll(kinds).toContain(kind)
  },
)

test('a command that renames the account is told of', async () => {
  const { account, kinds } = await openQuiet()
  const { database, now } = account.kontor
  await database.transaction((tx) =>
    setAccount(tx, now(), account.subdomain, { name: 'Another name' }),
  )
  await expect.poll(kinds).toEqual(['account'])
})

test('what changes nothing of the vocabulary tells nothing', async () => {
  const { account, kinds } = await openQuiet()
  const { id, kontor } = account
  await account.api.post(`${v4}/leads`, [{ name: 'One' }])
  await account.api.patch(`${v4}/leads/pipelines/${(await mainPipeline(account)).id}`, {
    sort: 1,
  })
  await kontor.database.rows(
    sql`update users set password_hash = password_hash, updated_at = updated_at + 1 where account_id = ${id}`,
  )
  await account.api.post(`${v4}/leads/loss_reasons`, [{ name: 'Dear' }])
  await expect.poll(kinds).toEqual(['loss_reasons'])
})

test('open pages of the account hear of many changes together, and nobody else does', async () => {
  const [account, alien] = [await newAccount(), await newAccount()]
  const [mine, app, elsewhere] = [
    await streamOf(account, account.admin),
    await streamOf(account, { token: (await newPair(account)).access_token }),
    await streamOf(alien, alien.admin),
  ]
  const kinds = () => mine.of('vocabulary').flatMap(({ data }) => data['kinds'] as string[])
  for (let number = 0; number < 20; number++)
    await account.api.post(`${v4}/leads`, [{ _embedded: { tags: [{ name: `tag ${number}` }] } }])
  await account.api.post(`${v4}/leads/loss_reasons`, [{ name: 'Dear' }])
  await expect.poll(kinds).toContain('loss_reasons')
  expect(mine.count('vocabulary')).toBeLessThan(5)
  expect(elsewhere.of('vocabulary').flatMap(({ data }) => data['kinds'])).not.toContain('new_tags')
  expect(app.count('vocabulary')).toBe(0)
  // A page that was built before, and whose stream begins now.
  const later = await streamOf(account, account.admin)
  await expect
    .poll(() => later.of('vocabulary').map(({ data }) => data))
    .toEqual([{ kinds: ['all'] }])
})
