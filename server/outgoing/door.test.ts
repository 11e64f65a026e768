// What requests to addresses that others have written may reach: the door itself, and everything that
// goes through it, by who wrote the address and how the server is run.
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount, TestUser } from '../../test/account.ts'
import { amojoIdOf } from '../../test/channels.ts'
import { addScope, connectTo, publish } from '../../test/chats.ts'
import { addLead } from '../../test/leads.ts'
import { addLine, addTestChat } from '../../test/outgoing.ts'
import { actorIn, batchOf } from '../../test/pipelines.ts'
import { openReceiver } from '../../test/receiver.ts'
import type { Receiver } from '../../test/receiver.ts'
import { scratchWithFiles } from '../../test/scratch.ts'
import type { ScratchWithFiles } from '../../test/scratch.ts'
import { accept, addItem, threeParts } from '../../test/unsorted.ts'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import type { Reader } from '../database/connect.ts'
import { entities } from '../entities.ts'
import { createChannel } from '../features/conversations/channels/channels.ts'
import { startFetching } from '../features/activity/files/files.ts'
import type { Fetching } from '../features/activity/files/files.ts'
import { callUninstallHooks } from '../features/programs/integrations/integrations.ts'
import { startCallbacks } from '../features/conversations/messages/outgoing/start.ts'
import { startDeliveries } from '../features/programs/webhooks/deliveries/deliveries.ts'
import type { Sending } from './sender.ts'
import { subscribe } from '../features/programs/webhooks/webhooks.ts'
import { newPermit } from './guarded.ts'
import { openDoor } from './door.ts'
import type { AddressAuthor } from './door.ts'

/** How a server is run. */
const modes = {
  'a try-out': {},
  'a try-out that is open to the network': { host: '0.0.0.0' },
  'an embedded database behind a proxy': {
    url: 'https://crm.example.com',
    trustedProxy: ['127.0.0.1'],
  },
  'a database of its own': { databaseUrl: 'postgres://db.example/kontor' },
  'ALLOW_PRIVATE_HOOKS=none': { privateHooks: 'none' },
  'ALLOW_PRIVATE_HOOKS=loopback': { privateHooks: 'loopback' },
  'ALLOW_PRIVATE_HOOKS=all': { databaseUrl: 'postgres://db.example/kontor', privateHooks: 'all' },
} as const satisfies Record<string, Partial<Config>>

type Mode = keyof typeof modes
type Author = `${AddressAuthor['role']} of the ${'first account' | 'second account'}`

/** Who reaches this machine; nobody else does. */
const reaching: Record<Mode, Author[]> = {
  'a try-out': ['administrator of the first account', 'channel of the first account'],
  'a try-out that is open to the network': [],
  'an embedded database behind a proxy': [],
  'a database of its own': [],
  'ALLOW_PRIVATE_HOOKS=none': [],
  'ALLOW_PRIVATE_HOOKS=loopback': [
    'administrator of the first account',
    'administrator of the second account',
    'channel of the first account',
    'channel of the second account',
    'other channel of the first account',
    'other channel of the second account',
    'unknown of the first account',
    'unknown of the second account',
  ],
  'ALLOW_PRIVATE_HOOKS=all': [
    'administrator of the first account',
    'administrator of the second account',
    'channel of the first account',
    'channel of the second account',
    'other channel of the first account',
    'other channel of the second account',
    'unknown of the first account',
    'unknown of the second account',
  ],
}
const everyMode = Object.keys(modes) as Mode[]
const roles = ['administrator', 'channel', 'other channel', 'user', 'unknown'] as const

describe('the door', () => {
  /** A database whose first account has the id 7. */
  const reader = { row: async () => ({ id: 7 }) } as unknown as Reader
  const doorOf = (settings: Partial<Config>, databaseUrl = 'postgres://a@127.0.0.1:5433/kontor') =>
    openDoor({ ...readConfig({}), port: 8080, ...settings }, reader, databaseUrl)
  const far = [
    ['10.0.0.1', 80],
    ['169.254.169.254', 80],
    ['fd00::1', 443],
    ['fe80::1%eth0', 443],
  ] as const

  test.for(everyMode)('in %s opens to those whom the table names', async (mode) => {
    const door = doorOf(modes[mode])
    for (const [accountId, account] of [
      [7, 'first account'],
      [8, 'second account'],
    ] as const)
      for (const role of roles) {
        const permit = await door.permit({ accountId, role })
        const isReaching = reaching[mode].includes(`${role} of the ${account}`)
        const named = `${role} of the ${account}`
        for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])
          expect([named, address, permit.refuses(address, 9000)]).toEqual([
            named,
            address,
            !isReaching,
          ])
        for (const [address, port] of far)
          expect(permit.refuses(address, port)).toBe(
            !(isReaching && mode === 'ALLOW_PRIVATE_HOOKS=all'),
          )
        expect(permit.refuses('93.184.216.34', 443)).toBe(false)
      }
  })

  test('never opens to the ports of Kontor and of its database', async () => {
    const door = doorOf({ privateHooks: 'all' })
    door.close(8443)
    const permit = await door.permit({ accountId: 7, role: 'administrator' })
    for (const port of [8080, 8443, 5433])
      for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '0.0.0.0'])
        expect([address, port, permit.refuses(address, port)]).toEqual([address, port, true])
    // Another machine may use the same port.
    expect(permit.refuses('10.0.0.1', 8080)).toBe(false)
    expect(permit.refuses('127.0.0.1', 5432)).toBe(false)
  })

  test.for([
    ['postgres://kontor:secret@127.0.0.2/kontor', '127.0.0.2', 5432],
    ['postgres://kontor@[::1]:5444/kontor', '::1', 5444],
    ['postgres://kontor@/kontor?host=127.0.0.3&port=5555', '127.0.0.3', 5555],
  ] as const)('knows where %s is', async ([databaseUrl, address, port]) => {
    const permit = await doorOf({ privateHooks: 'all' }, databaseUrl).permit({
      accountId: 7,
      role: 'administrator',
    })
    expect(permit.refuses(address, port)).toBe(true)
    expect(permit.refuses(address, port + 1)).toBe(false)
  })

  test('closes the port of a database whose name cannot be looked up', async () => {
    const door = doorOf({ privateHooks: 'all' }, 'postgres://kontor@db.invalid:5666/kontor')
    const permit = await door.permit({ accountId: 7, role: 'administrator' })
    expect([permit.refuses('10.0.0.1', 5666), permit.refuses('10.0.0.1', 5667)]).toEqual([
      true,
      false,
    ])
  })

  test('knows no port of a database that answers on a socket', async () => {
    const databaseUrl = 'postgresql://kontor:secret@/kontor?host=%2Fdata%2Fsocket&port=5432'
    const door = doorOf({ privateHooks: 'all' }, databaseUrl)
    const permit = await door.permit({ accountId: 7, role: 'administrator' })
    expect(permit.refuses('127.0.0.1', 5432)).toBe(false)
  })
})

describe('what goes through the door', () => {
  let scratch: ScratchWithFiles
  let receiver: Receiver
  let accounts: Record<'first account' | 'second account', TestAccount>
  let sellers: Record<'first account' | 'second account', TestUser>
  let fetching: Fetching
  let deliveries: Sending
  let callbacks: Sending

  beforeAll(async () => {
    scratch = await scratchWithFiles()
    receiver = await openReceiver()
    const settings = {
      databaseUrl: scratch.url,
      filesFolder: scratch.folder,
      rateLimitScope: 0,
      rateLimitAddress: 0,
    }
    accounts = {
      'first account': await newAccount(settings),
      'second account': await newAccount(settings),
    }
    const seller = { rights: { leads: { view: 'M', edit: 'M', add: 'A' } } } as const
    sellers = {
      'first account': await accounts['first account'].addUser(seller),
      'second account': await accounts['second account'].addUser(seller),
    }
    const log = pino({ level: 'silent' })
    const { kontor } = accounts['first account']
    fetching = startFetching(kontor, log)
    deliveries = startDeliveries(kontor, entities, log)
    callbacks = startCallbacks(kontor, log)
    await deliveries.ready
    await callbacks.ready
  })
  afterAll(async () => {
    await Promise.all([fetching.stop(), deliveries.stop(), callbacks.stop()])
    await receiver.close()
    await scratch.drop()
  })

  /** Runs the server in a mode: its door is that of the mode. */
  function run(mode: Mode): void {
    const { kontor } = accounts['first account']
    const { privateHooks: _none, ...config } = { ...kontor.config, ...readConfig({}) }
    Object.assign(
      kontor.door,
      openDoor(
        { ...config, privateHooks: undefined, ...modes[mode] },
        scratch.database,
        scratch.url,
      ),
    )
  }

  let paths = 0
  const newPath = () => `/${++paths}`
  const at = (path: string) => receiver.url.replace('127.0.0.1', 'localhost') + path
  const seen = (path: string) => receiver.arrivals.some((each) => each.path.split('?')[0] === path)
  const only = async <Row extends object>(statement: ReturnType<typeof sql>) =>
    (await scratch.database.row<Row>(statement))!

  interface Feature {
    role: AddressAuthor['role']
    /** Has an address fetched or called; answers once it certainly was or will not be. */
    go(account: TestAccount, user: TestUser, address: string): Promise<unknown>
  }

  async function addCall({ api }: Pick<TestUser, 'api'>, link: string): Promise<number> {
    const lead = await addLead(api)
    const params = { uniq: link, duration: 1, source: 'pbx', phone: '1', link }
    const { body } = await api.post(`/api/v4/leads/${lead}/notes`, [
      { note_type: 'call_in', params },
    ])
    return body._embedded.notes[0].id
  }

  async function fileEnds(address: string): Promise<void> {
    const ended = sql`
      select from files where source = ${address} and (state <> 'fetching' or error is not null)`
    await expect.poll(() => scratch.database.rows(ended), { timeout: 10_000 }).not.toHaveLength(0)
  }

  const play = ({ kontor }: TestAccount, { token }: TestUser, path: string) =>
    fetch(`${kontor.url}/web/v1/recordings${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })

  const fetchedCall = async (_account: TestAccount, user: TestUser, address: string) => {
    await addCall(user, address)
    await fileEnds(address)
  }
  /** Kontor has no copy of the recording. */
  const playedCall = async (account: TestAccount, user: TestUser, address: string) => {
    const id = await addCall(user, address)
    await fileEnds(address)
    await forgetCopies(id)
    forgetArrivals(address)
    await play(account, user, `/notes/${id}`)
  }
  const forgetCopies = (id: number) =>
    scratch.database.transaction((tx) =>
      tx.rows(sql`update notes set file_id = null where id = ${id}`),
    )
  const forgetArrivals = (address: string) => {
    const { pathname } = new URL(address)
    receiver.arrivals = receiver.arrivals.filter(({ path }) => path !== pathname)
  }

  const changed = async ({ api }: TestAccount, id: number, change: object) => {
    const sent = { note_type: 'call_in', ...change }
    expect((await api.patch(`/api/v4/leads/notes/${id}`, sent)).status).toBe(200)
  }

  const waitingCall = ({ api }: TestUser, link: string) => {
    const call = { phone: '1', called_at: 1_700_000_000, duration: 1, is_call_event_needed: true }
    return addItem(api, { metadata: { ...call, link }, _embedded: threeParts() }, 'sip')
  }

  const features: Record<string, Feature> = {
    'a test notice of a webhook': {
      role: 'administrator',
      async go(account, user, address) {
        const id = await addWebhook(account, address)
        await user.api.post(`/web/v1/webhooks/${id}/test`)
      },
    },
    'a delivery of a webhook': {
      role: 'administrator',
      async go(account, user, address) {
        const id = await addWebhook(account, address)
        await addLead(user.api)
        await expect
          .poll(
            () =>
              scratch.database.rows(sql`select from delivery_attempts where webhook_id = ${id}`),
            { timeout: 10_000 },
          )
          .not.toHaveLength(0)
      },
    },
    'an uninstall hook': {
      role: 'administrator',
      async go(account, _user, address) {
        const notice = { url: address, client_id: 'id', client_secret: 'x' }
        await callUninstallHooks(account.kontor, [
          { ...notice, owner_id: account.id, account_id: account.id },
        ])
      },
    },
    'a callback of a chat': {
      role: 'administrator',
      async go(account, user, address) {
        const line = await addLine(account)
        await scratch.database.transaction((tx) =>
          tx.rows(sql`update channels set hook_v2 = ${address} where id = ${line.id}`),
        )
        const chat = await addTestChat(account, line)
        const { body } = await user.api.post(`/web/v1/chats/${chat.id}/messages`, { text: 'Hello' })
        await expect
          .poll(
            async () =>
              (
                await only<{ status: string }>(
                  sql`select status from messages where id = ${body.id}`,
                )
              ).status,
            { timeout: 10_000 },
          )
          .not.toBe('sending')
      },
    },
    'media of a chat': {
      role: 'channel',
      async go(account, _user, address) {
        const scope = await addScope(account)
        const message = { type: 'picture', media: address, file_name: 'a.png', file_size: 1 }
        expect((await publish(scope, { message })).status).toBe(200)
        await fileEnds(address)
      },
    },
    'media of a chat, of a channel that another account owns': {
      role: 'other channel',
      async go(account, _user, address) {
        const owner =
          accounts[nameOf(account) === 'first account' ? 'second account' : 'first account']
        const { kontor } = owner
        const channel = await kontor.database.transaction((tx) =>
          createChannel(
            tx,
            kontor.secrets,
            actorIn(owner),
            { name: 'Line', allowed_accounts: [] },
            newPermit('none'),
          ),
        )
        const amojoId = await amojoIdOf(account)
        await kontor.database.transaction((tx) =>
          tx.rows(sql`
            update channels set allowed_accounts = array[${amojoId}::uuid] where id = ${channel.id}`),
        )
        const scope = await connectTo(account, channel)
        const message = { type: 'picture', media: address, file_name: 'a.png', file_size: 1 }
        expect((await publish(scope, { message })).status).toBe(200)
        await fileEnds(address)
      },
    },
    'a recording, of an administrator who was deactivated': {
      role: 'user',
      async go(account, _user, address) {
        const former = await account.addUser({ is_admin: true })
        const id = await addCall(former, address)
        await fileEnds(address)
        await forgetCopies(id)
        forgetArrivals(address)
        const gone = await account.api.post('/api/v4/users/deactivate', [{ id: former.id }])
        expect(gone.status).toBe(204)
        await play(account, account.admin, `/notes/${id}`)
      },
    },
    'the copy of a recording, of an administrator': { role: 'administrator', go: fetchedCall },
    'the copy of a recording, of a user': { role: 'user', go: fetchedCall },
    'a recording, of an administrator': { role: 'administrator', go: playedCall },
    'a recording, of a user': { role: 'user', go: playedCall },
    'a recording of a call from before authors were kept': {
      role: 'unknown',
      async go(account, user, address) {
        const id = await addCall(user, address)
        await fileEnds(address)
        await scratch.database.transaction((tx) =>
          tx.rows(sql`update notes set file_id = null, link_by = null where id = ${id}`),
        )
        forgetArrivals(address)
        await play(account, user, `/notes/${id}`)
      },
    },
    'a recording that an administrator changed': {
      role: 'administrator',
      async go(account, user, address) {
        const seller = sellers[nameOf(account)]
        const id = await addCall(seller, 'https://pbx.example/1.mp3')
        const params = { uniq: 'x', duration: 1, source: 'pbx', phone: '1', link: address }
        await changed(account, id, { params })
        await fileEnds(address)
        await forgetCopies(id)
        forgetArrivals(address)
        await play(account, user, `/notes/${id}`)
      },
    },
    'a recording whose note an administrator changed otherwise': {
      role: 'user',
      async go(account, user, address) {
        const id = await addCall(sellers[nameOf(account)], address)
        await fileEnds(address)
        const params = { uniq: 'x', duration: 2, source: 'pbx', phone: '1', link: address }
        await changed(account, id, { params, created_by: user.id })
        await forgetCopies(id)
        await play(account, user, `/notes/${id}`)
      },
    },
    'a recording of a waiting call, of an administrator': {
      role: 'administrator',
      async go(account, user, address) {
        const { uid } = await waitingCall(user, address)
        await play(account, user, `/unsorted/${uid}`)
      },
    },
    'a recording of a waiting call, of a user': {
      role: 'user',
      async go(account, user, address) {
        const { uid } = await waitingCall(user, address)
        await play(account, account.admin, `/unsorted/${uid}`)
      },
    },
    'the recording of a call of a user that an administrator accepted': {
      role: 'user',
      async go(account, user, address) {
        expect((await accept(account.api, await waitingCall(user, address))).status).toBe(200)
        await fileEnds(address)
      },
    },
  }

  const nameOf = (account: TestAccount) =>
    account === accounts['first account'] ? 'first account' : 'second account'

  /** A webhook that was subscribed when the server still allowed it. */
  async function addWebhook(account: TestAccount, destination: string): Promise<number> {
    const actor = actorIn(account)
    const draft = batchOf({ destination, settings: ['add_lead'] })
    const { id } = await account.kontor.database.transaction((tx) =>
      subscribe(tx, actor, draft, newPermit('all')),
    )
    return id
  }

  test.for(everyMode)('in %s reaches this machine as the table says', async (mode) => {
    run(mode)
    const wrong: string[] = []
    const tries = Object.entries(accounts).flatMap(([of, account]) =>
      Object.entries(features).map(async ([name, { role, go }]) => {
        const path = newPath()
        const user = role === 'user' ? sellers[nameOf(account)] : account.admin
        await go(account, user, at(path))
        if (seen(path) !== reaching[mode].includes(`${role} of the ${of}` as Author))
          wrong.push(`${name}, ${of}: ${seen(path) ? 'reached' : 'refused'}`)
      }),
    )
    await Promise.all(tries)
    expect(wrong).toEqual([])
  })

  test.for(everyMode)('in %s is checked when it is written', async (mode) => {
    run(mode)
    for (const [of, { api }] of Object.entries(accounts)) {
      const isReaching = reaching[mode].includes(`administrator of the ${of}` as Author)
      const destination = at(newPath())
      const answers = [
        await api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] }),
        await api.post('/web/v1/channels', { name: 'Line', hook_v2: destination }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(isReaching ? [200, 201] : [400, 400])
    }
  })

  test('never calls Kontor itself', async () => {
    run('ALLOW_PRIVATE_HOOKS=all')
    const account = accounts['first account']
    const { port } = new URL(account.kontor.url)
    account.kontor.door.close(Number(port))
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0']) {
      const id = await addCall(account.admin, `http://${host}:${port}/metrics`)
      const answer = await play(account, account.admin, `/notes/${id}`)
      expect((await answer.json()) as object).toMatchObject({
        detail: 'The recording cannot be played: private address',
      })
    }
  })
})
