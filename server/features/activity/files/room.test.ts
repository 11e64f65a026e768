// The room for files: of a user, of an account, and on the disk.
import { readdirSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { addRecord } from '../../../../test/records.ts'
import { scratchWithFiles } from '../../../../test/scratch.ts'
import type { ScratchWithFiles } from '../../../../test/scratch.ts'
import type { Config } from '../../../config.ts'
import { dropAbandonedFiles, fetchLater, startFetching } from './files.ts'

const week = 7 * 86_400
const settings = { filesUserBytes: 1000, filesAccountBytes: 2500, filesMinFreeBytes: 0 }

let scratch: ScratchWithFiles
beforeAll(async () => {
  // The upkeep looks at the files of the whole database.
  scratch = await scratchWithFiles()
})
afterAll(() => scratch.drop())

const newRoom = (more: Partial<Config> = {}) =>
  newAccount({
    databaseUrl: scratch.url,
    filesFolder: scratch.folder,
    privateHooks: 'loopback',
    ...settings,
    ...more,
  })

async function upload({ kontor }: TestAccount, { token }: TestUser, size: number, isKnown = true) {
  const bytes = Buffer.alloc(size, 'x')
  const body = isKnown
    ? bytes
    : new ReadableStream({
        start(controller) {
          controller.enqueue(bytes)
          controller.close()
        },
      })
  const response = await fetch(`${kontor.url}/web/v1/files?name=a.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body,
    ...(!isKnown && { duplex: 'half' }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

/** The bytes of an account as they are counted, and as they are. */
async function totals({ id, kontor }: TestAccount): Promise<[counted: number, real: number]> {
  const row = await kontor.database.row<{ counted: number; real: number }>(sql`
    select coalesce((select bytes from file_totals where account_id = ${id}), 0)::bigint as counted,
           (select coalesce(sum(size), 0)::bigint from files where account_id = ${id} and state = 'stored') as real`)
  return [row!.counted, row!.real]
}

const cleanUp = ({ kontor }: TestAccount) =>
  dropAbandonedFiles({ ...kontor, now: () => kontor.now() + week + 1 })

describe('of a user', () => {
  test('ends with uploads that nothing refers to, and begins again where something does', async () => {
    const account = await newRoom()
    const [user, colleague] = [await account.addUser(), await account.addUser()]
    const first = await upload(account, user, 600)
    expect(first.status).toBe(201)
    const refused = await upload(account, user, 401)
    expect([refused.status, refused.body['detail']]).toEqual([
      507,
      expect.stringContaining('FILES_USER_BYTES'),
    ])
    expect((await upload(account, user, 400)).status).toBe(201)
    expect((await upload(account, colleague, 400)).status).toBe(201)
    const lead = await addRecord(user.api, 'leads', {})
    const params = { file_uuid: first.body['uid'], file_name: 'a.txt' }
    const added = await user.api.post(`/api/v4/leads/${lead}/notes`, [
      { note_type: 'attachment', params },
    ])
    expect(added.status).toBe(200)
    expect((await upload(account, user, 100)).status).toBe(201)
    // A released file counts again, or releasing files would make room for ever.
    await user.api.delete(`/api/v4/leads/notes/${added.body._embedded.notes[0].id}`)
    expect((await upload(account, user, 1)).status).toBe(507)
    await cleanUp(account)
    expect((await upload(account, user, 1000)).status).toBe(201)
    expect(await totals(account)).toEqual([1000, 1000])
  })

  test('counts uploads at once one by one, also of sizes that nobody knew', async () => {
    const account = await newRoom()
    const user = await account.addUser()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => upload(account, user, 400, index % 2 === 0)),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 507)).toHaveLength(4)
    expect(await totals(account)).toEqual([800, 800])
    expect(readdirSync(`${scratch.folder}/incoming`)).toEqual([])
  })

  test('ends after ten thousand uploads, however small they are', async () => {
    const account = await newRoom({ filesUserBytes: 1e9, filesAccountBytes: 0 })
    const user = await account.addUser()
    const add = (number: number) =>
      account.kontor.database.transaction((tx) =>
        tx.rows(sql`
          with total as (insert into file_totals values (${account.id}, ${number}))
          insert into files (account_id, name, type, size, state, created_by, created_at, stored_at)
          select ${account.id}::bigint, 'a', 'text/plain', 1, 'stored', ${user.id}::bigint, 1, ${account.kontor.now()}::bigint
            from generate_series(1, ${number}::int)`),
      )
    await add(9999)
    expect((await upload(account, user, 1)).status).toBe(201)
    expect((await upload(account, user, 1)).status).toBe(507)
  })
})

describe('of an account', () => {
  test('is that of all its users, and of no other account', async () => {
    const [account, other] = [await newRoom(), await newRoom()]
    const users = [await account.addUser(), await account.addUser(), await account.addUser()]
    for (const user of users.slice(0, 2)) await upload(account, user, 1000)
    const refused = await upload(account, users[2]!, 501)
    expect([refused.status, refused.body['detail']]).toEqual([
      507,
      expect.stringContaining('FILES_ACCOUNT_BYTES'),
    ])
    expect((await upload(account, users[2]!, 500, false)).status).toBe(201)
    expect((await upload(account, users[2]!, 1, false)).status).toBe(507)
    expect((await upload(other, other.admin, 1000)).status).toBe(201)
    // Everything else works.
    await addRecord(account.api, 'leads', {})
    await cleanUp(account)
    expect(await totals(account)).toEqual([0, 0])
    expect((await upload(account, users[2]!, 1000)).status).toBe(201)
  })

  test('has no end where none is set', async () => {
    const account = await newRoom({ filesAccountBytes: 0, filesUserBytes: 10_000 })
    expect((await upload(account, account.admin, 9000)).status).toBe(201)
    expect(await totals(account)).toEqual([9000, 9000])
  })
})

test('a disk that is nearly full takes no uploads, and everything else', async () => {
  const account = await newRoom({ filesMinFreeBytes: 2 ** 50 })
  const { status, body } = await upload(account, account.admin, 1)
  expect([status, body['detail']]).toEqual([507, expect.stringContaining('FILES_MIN_FREE_BYTES')])
  const id = await addRecord(account.api, 'leads', {})
  expect((await account.api.patch(`/api/v4/leads/${id}`, { name: 'Changed' })).status).toBe(200)
})

describe('media', () => {
  const bytes: Record<string, number> = { '/small': 200, '/large': 2000 }
  const heard: string[] = []
  const source = http.createServer((request, response) => {
    heard.push(request.url!)
    // Without a length: nobody knows it before.
    response.write(Buffer.alloc(bytes[request.url!]!, 'x'))
    response.end()
  })
  let url: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`
  })
  afterAll(() => source.close())

  const rowOf = async ({ kontor }: TestAccount, id: number) =>
    (await kontor.database.row<{ state: string; error: string | null; attempts: number }>(
      sql`select state, error, attempts from files where id = ${id}`,
    ))!

  test.for([
    ['the account is full', settings, ['/small'], 0],
    ['it is larger than the room', { filesAccountBytes: 1100 }, ['/large'], 1],
    ['the disk is nearly full', { filesMinFreeBytes: 2 ** 50 }, ['/small'], 0],
  ] as const)(
    'waits where %s, and comes once there is room',
    async ([, tight, [path], requested]) => {
      const roomy = { filesAccountBytes: 1e9, filesUserBytes: 1e9, filesMinFreeBytes: 0 }
      const account = await newRoom(roomy)
      await upload(account, account.admin, tight === settings ? 2500 : 1000)
      heard.length = 0
      let aheadMs = 0
      const { kontor } = account
      const start = (more: Partial<Config>) =>
        startFetching(
          { ...kontor, config: { ...kontor.config, ...more } },
          pino({ level: 'silent' }),
          { nowMs: () => Date.now() + aheadMs },
        )
      const actor = { accountId: account.id, userId: account.admin.id, at: kontor.now() }
      const id = await kontor.database.transaction((tx) =>
        fetchLater(tx, actor, { address: `${url}${path}` }),
      )
      const full = start(tight)
      await expect.poll(async () => (await rowOf(account, id)).error).toBe('no room')
      expect(await rowOf(account, id)).toMatchObject({ state: 'fetching', attempts: 0 })
      expect(heard).toHaveLength(requested)
      await full.stop()
      const [counted, real] = await totals(account)
      expect(counted).toBe(real)
      aheadMs = 601_000
      const again = start(roomy)
      await expect.poll(async () => (await rowOf(account, id)).state).toBe('stored')
      await again.stop()
      const after = await totals(account)
      expect(after).toEqual([real + bytes[path]!, real + bytes[path]!])
    },
  )
})
