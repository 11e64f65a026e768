// Files that fields of records name: who may open them, and how long they stay.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import type { Client } from '../../../test/client.ts'
import { addField } from '../../../test/fields.ts'
import { addNote } from '../../../test/notes.ts'
import { addRecord, addUserWith, allKinds, pathOf, readRecord } from '../../../test/records.ts'
import { scratchWithFiles } from '../../../test/scratch.ts'
import type { ScratchWithFiles } from '../../../test/scratch.ts'
import { cleanUp as cleanUpRecords } from '../../records/clean-ups.ts'
import { purgeBinOf } from '../../records/purge.ts'
import type { RecordType } from '../../records/description.ts'
import { dropAbandonedFiles } from '../files/files.ts'

const day = 86_400

let scratch: ScratchWithFiles
let account: TestAccount
beforeAll(async () => {
  // The upkeep looks at the files of the whole database.
  scratch = await scratchWithFiles()
  account = await newAccount({ databaseUrl: scratch.url, filesFolder: scratch.folder })
})
afterAll(async () => {
  await scratch.drop()
})

interface Upload {
  id: number
  uid: string
  version_uid: string
}

async function upload(body: string, { token } = account.admin): Promise<Upload> {
  const response = await fetch(`${account.kontor.url}/web/v1/files?name=offer.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body,
  })
  expect(response.status).toBe(201)
  return (await response.json()) as Upload
}

const valueOf = ({ uid, version_uid }: Upload) => ({
  value: { file_uuid: uid.toUpperCase(), version_uuid: version_uid, file_name: 'offer.txt' },
})

/** A record whose field names a file. */
async function named(type: RecordType, file: Upload, { api }: { api: Client } = account) {
  const { id: field } = await addField(account, type, { type: 'file', name: 'Contract' })
  const id = await addRecord(api, type, {
    custom_fields_values: [{ field_id: field, values: [valueOf(file)] }],
  })
  const set = (values: object[] | null) =>
    account.api.patch(`${pathOf(type)}/${id}`, {
      custom_fields_values: [{ field_id: field, values }],
    })
  return { id, field, set, place: `/web/v1/cards/${type}/${id}/files/${field}` }
}

async function opened(place: string, { token } = account.admin): Promise<[number, string]> {
  const answer = await fetch(account.kontor.url + place, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
  })
  if (answer.status !== 302) return [answer.status, '']
  return [302, await (await fetch(answer.headers.get('location')!)).text()]
}

const isKept = async ({ id }: Upload) =>
  (
    await scratch.database.rows(
      sql`select id from files where account_id = ${account.id} and id = ${id}`,
    )
  ).length === 1

/** The upkeep, so many days later. */
const cleanUp = (days: number) =>
  dropAbandonedFiles({ ...account.kontor, now: () => account.kontor.now() + days * day + 1 })

describe.for(allKinds)('a file that a field of %s names', (type) => {
  test('opens for readers of the record, is replaced and cleared, and goes in a week', async () => {
    const first = await upload('the first')
    const { place, set, id, field } = await named(type, first)
    expect(await opened(place)).toEqual([302, 'the first'])
    await cleanUp(30)
    expect(await isKept(first)).toBe(true)
    const second = await upload('the second')
    await set([valueOf(second)])
    expect(await opened(place)).toEqual([302, 'the second'])
    await cleanUp(6)
    expect(await isKept(first)).toBe(true)
    await cleanUp(8)
    expect([await isKept(first), await isKept(second)]).toEqual([false, true])
    // In the bin the record keeps what it names.
    await account.api.delete(`${pathOf(type)}/${id}`)
    await cleanUp(8)
    expect(await opened(place)).toEqual([302, 'the second'])
    await account.api.post(`${pathOf(type)}/${id}/restore`)
    await set(null)
    expect(await opened(place)).toEqual([404, ''])
    expect((await readRecord(account.api, type, id)).custom_fields_values ?? []).toEqual([])
    await cleanUp(8)
    expect(await isKept(second)).toBe(false)
    expect(await opened(place.replace(`${field}`, '1'))).toEqual([404, ''])
  })

  test('goes with a record that is purged', async () => {
    const file = await upload('goes')
    const { id } = await named(type, file)
    await account.api.delete(`${pathOf(type)}/${id}`)
    await purgeBinOf(account.kontor.database, account.id, 30, account.kontor.now() + 31 * day)
    await cleanUp(8)
    expect(await isKept(file)).toBe(false)
  })

  test('goes with a field that is deleted, unless another field names it', async () => {
    const [gone, kept] = [await upload('goes'), await upload('stays')]
    const { id, field, set } = await named(type, gone)
    await set([valueOf(kept)])
    await set([valueOf(gone)])
    const other = await named(type, kept)
    const { id: text } = await addField(account, type, { type: 'text', name: 'Not a file' })
    await account.api.patch(`${pathOf(type)}/${id}`, {
      custom_fields_values: [{ field_id: text, values: [{ value: 'not a uid' }] }],
    })
    for (const each of [field, text])
      await account.api.delete(`${pathOf(type)}/custom_fields/${each}`)
    // The server's own worker may hold what is left: this one then leaves it to that.
    await expect.poll(() => cleanUpRecords(account.kontor.database)).toBe(true)
    await cleanUp(8)
    expect([await isKept(gone), await isKept(kept)]).toEqual([false, true])
    expect(await opened(other.place)).toEqual([302, 'stays'])
  })

  test('stays closed to those who may not view the record', async () => {
    const { place } = await named(type, await upload('secret'))
    const reader = await addUserWith(account, type, { view: 'A', edit: 'D' })
    expect(await opened(place, reader)).toEqual([302, 'secret'])
    const own = await addUserWith(account, type, { view: 'M' })
    expect(await opened(place, own)).toEqual([404, ''])
    const none = await addUserWith(account, type, { view: 'D' })
    expect(await opened(place, none)).toEqual([403, ''])
  })
})

test('the uid of a file of another user opens nothing, its version does', async () => {
  const user = await account.addUser()
  const file = await upload('of another')
  const guessed = { ...file, version_uid: file.uid }
  const { place, set } = await named('leads', guessed, user)
  expect(await opened(place, user)).toEqual([404, ''])
  await set([valueOf(file)])
  expect(await opened(place)).toEqual([302, 'of another'])
})

test('a file that another record or a note names stays where one lets it go', async () => {
  const file = await upload('shared')
  const [one, other] = [await named('leads', file), await named('contacts', file)]
  await one.set(null)
  await cleanUp(8)
  await addNote(account.api, 'leads', one.id, {
    note_type: 'attachment',
    params: { file_uuid: file.uid, file_name: 'offer.txt' },
  })
  await other.set(null)
  await cleanUp(8)
  expect(await isKept(file)).toBe(true)
})

test('a file of another drive is a value as any, and opens nothing here', async () => {
  const uid = '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a'
  const { place } = await named('companies', { id: 0, uid, version_uid: uid })
  expect(await opened(place)).toEqual([404, ''])
})
