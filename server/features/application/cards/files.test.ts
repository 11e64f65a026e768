// Files that fields of records name: who may open them, and how long they stay.
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addComplex, item as complexItem } from '../../../../test/complex.ts'
import { addField } from '../../../../test/fields.ts'
import { addCatalog } from '../../../../test/links.ts'
import { addNote } from '../../../../test/notes.ts'
import {
  addRecord,
  addUserWith,
  allKinds,
  needed,
  pathOf,
  readRecord,
} from '../../../../test/records.ts'
import { scratchWithFiles } from '../../../../test/scratch.ts'
import type { ScratchWithFiles } from '../../../../test/scratch.ts'
import { accept as acceptItem, addItem } from '../../../../test/unsorted.ts'
import type { Category } from '../../../../test/unsorted.ts'
import { cleanUp as cleanUpRecords } from '../../../records/clean-ups.ts'
import { purgeBinOf } from '../../../records/purge.ts'
import type { RecordType } from '../../../records/description.ts'
import { dropAbandonedFiles } from '../../activity/files/files.ts'

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

async function opened(address: string, { token } = account.admin): Promise<[number, string]> {
  const answer = await fetch(account.kontor.url + address, {
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

test('a file that a field of an element names opens for readers of its catalog, and stays as long', async () => {
  const { api } = account
  const catalog = await addCatalog(api)
  const path = `/api/v4/catalogs/${catalog}`
  const made = await api.post(`${path}/custom_fields`, [{ name: 'Drawing', type: 'file' }])
  const field: number = made.body._embedded.custom_fields[0].id
  const valuesOf = (file: Upload | undefined) => ({
    custom_fields_values: [{ field_id: field, values: file ? [valueOf(file)] : null }],
  })
  const first = await upload('the first')
  const added = await api.post(`${path}/elements`, [{ name: 'Lamp', ...valuesOf(first) }])
  const id: number = added.body._embedded.elements[0].id
  const set = (file?: Upload) => api.patch(`${path}/elements/${id}`, valuesOf(file))
  const address = `/web/v1/catalogs/${catalog}/elements/${id}/files/${field}`
  expect(await opened(address)).toEqual([302, 'the first'])
  await cleanUp(30)
  expect(await isKept(first)).toBe(true)
  const second = await upload('the second')
  await set(second)
  expect(await opened(address)).toEqual([302, 'the second'])
  await cleanUp(6)
  expect(await isKept(first)).toBe(true)
  await cleanUp(8)
  expect([await isKept(first), await isKept(second)]).toEqual([false, true])
  const reader = await account.addUser({ rights: { catalog_access: true } })
  expect(await opened(address, reader)).toEqual([302, 'the second'])
  const stranger = await account.addUser({ rights: { leads: { view: 'A' } } })
  expect(await opened(address, stranger)).toEqual([403, ''])
  expect(await opened(address.replace(`files/${field}`, 'files/1'))).toEqual([404, ''])
  // The same file again is named once more, and the last that names it lets it go.
  await api.patch(`${path}/elements`, [{ id, ...valuesOf(second) }])
  await cleanUp(8)
  expect(await isKept(second)).toBe(true)
  await set()
  expect(await opened(address)).toEqual([404, ''])
  await cleanUp(8)
  expect(await isKept(second)).toBe(false)
  // A field that is deleted takes its files along.
  const third = await upload('the third')
  await set(third)
  await api.delete(`${path}/custom_fields/${field}`)
  await expect.poll(() => cleanUpRecords(account.kontor.database)).toBe(true)
  await cleanUp(8)
  expect(await isKept(third)).toBe(false)
})

describe.for(allKinds)('a file that a field of %s names', (type) => {
  test('opens for readers of the record, is replaced and cleared, and goes in a week', async () => {
    const first = await upload('the first')
    const { place: address, set, id, field } = await named(type, first)
    expect(await opened(address)).toEqual([302, 'the first'])
    await cleanUp(30)
    expect(await isKept(first)).toBe(true)
    const second = await upload('the second')
    await set([valueOf(second)])
    expect(await opened(address)).toEqual([302, 'the second'])
    await cleanUp(6)
    expect(await isKept(first)).toBe(true)
    await cleanUp(8)
    expect([await isKept(first), await isKept(second)]).toEqual([false, true])
    // In the bin the record keeps what it names.
    await account.api.delete(`${pathOf(type)}/${id}`)
    await cleanUp(8)
    expect(await opened(address)).toEqual([302, 'the second'])
    await account.api.post(`${pathOf(type)}/${id}/restore`)
    await set(null)
    expect(await opened(address)).toEqual([404, ''])
    expect((await readRecord(account.api, type, id)).custom_fields_values ?? []).toEqual([])
    await cleanUp(8)
    expect(await isKept(second)).toBe(false)
    expect(await opened(address.replace(`${field}`, '1'))).toEqual([404, ''])
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
    const { place: address } = await named(type, await upload('secret'))
    const reader = await addUserWith(account, type, { view: 'A', edit: 'D' })
    expect(await opened(address, reader)).toEqual([302, 'secret'])
    const own = await addUserWith(account, type, { view: 'M' })
    expect(await opened(address, own)).toEqual([404, ''])
    const none = await addUserWith(account, type, { view: 'D' })
    expect(await opened(address, none)).toEqual([403, ''])
  })
})

test('the uid of a file of another user opens nothing, its version does', async () => {
  const user = await account.addUser()
  const file = await upload('of another')
  const guessed = { ...file, version_uid: file.uid }
  const { place: address, set } = await named('leads', guessed, user)
  expect(await opened(address, user)).toEqual([404, ''])
  await set([valueOf(file)])
  expect(await opened(address)).toEqual([302, 'of another'])
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
  const { place: address } = await named('companies', { id: 0, uid, version_uid: uid })
  expect(await opened(address)).toEqual([404, ''])
})

interface FileValue {
  value: { file_uuid: string; version_uuid?: string | null; file_name?: string }
}

/** The value as the client library of the interface sends it. */
const bare = ({ uid }: Pick<Upload, 'uid'>): FileValue => ({
  value: { file_uuid: uid.toUpperCase(), version_uuid: null, file_name: 'offer.txt' },
})

type Write = (api: Client, type: RecordType, values: object) => Promise<number>

const filled = (type: RecordType, values: object) => ({ ...needed(type), ...values })
const oneOf = (type: RecordType, values: object) => ({ [type]: [{ name: 'A part', ...values }] })
/** An item of `api`, which an administrator accepts. */
const intake =
  (category: Category): Write =>
  async (api, type, values) => {
    const added = await addItem(api, { _embedded: oneOf(type, values) }, category)
    await acceptItem(account.api, added)
    return { leads: added.lead, contacts: added.contact, companies: added.company }[type as 'leads']
  }

const threeTypes = ['leads', 'contacts', 'companies'] as const

/** Every body that can give a field of a record a file: the types that it writes, and how. */
const bodies: [string, readonly RecordType[], Write][] = [
  ['a creation', allKinds, (api, type, values) => addRecord(api, type, values)],
  [
    'a change of several',
    allKinds,
    async (api, type, values) => {
      const id = await addRecord(api, type, {})
      expect((await api.patch(pathOf(type), [{ id, ...values }])).status).toBe(200)
      return id
    },
  ],
  [
    'a change of one',
    allKinds,
    async (api, type, values) => {
      const id = await addRecord(api, type, {})
      expect((await api.patch(`${pathOf(type)}/${id}`, values)).status).toBe(200)
      return id
    },
  ],
  [
    'a complex creation',
    threeTypes,
    async (api, type, values) => {
      const [lead, contact, company] = threeTypes.map((each) =>
        each === type ? { name: 'A part', ...values } : { name: 'A part' },
      )
      const [made] = await addComplex(api, complexItem(contact, company, lead))
      return { leads: made!.id, contacts: made!.contact_id!, companies: made!.company_id! }[
        type as 'leads'
      ]
    },
  ],
  ['a form of the inbox', threeTypes, intake('forms')],
  ['a call of the inbox', threeTypes, intake('sip')],
  [
    'a form of version 2',
    threeTypes,
    async (api, type, values) => {
      const { body } = await api.post('/api/v2/incoming_leads/form', {
        add: [
          {
            source_name: 'A form',
            source_uid: randomUUID(),
            incoming_entities: oneOf(type, values),
            incoming_lead_info: {
              form_id: 25,
              form_page: 'https://shop.example/cb',
              ip: '192.0.2.9',
              service_code: 'shop',
            },
          },
        ],
      })
      const [uid] = body.data
      const accepted = await acceptItem(account.api, { uid })
      return accepted.body._embedded[type][0].id
    },
  ],
]
const rows = bodies.flatMap(([name, types, write]) =>
  types.map((type) => [name, type, write] as const),
)

describe('a file without its version', () => {
  test.for(rows)('in %s, of %s, opens where its writer uploaded it', async ([, type, write]) => {
    const writer = await account.addUser()
    const { id: field } = await addField(account, type, { type: 'file', name: 'Contract' })
    const written = async (api: Client, file: FileValue) => {
      const values = { custom_fields_values: [{ field_id: field, values: [file] }] }
      const id = await write(api, type, filled(type, values))
      const [shown] = (await readRecord(account.api, type, id)).custom_fields_values
      return {
        open: await opened(`/web/v1/cards/${type}/${id}/files/${field}`),
        version: shown.values[0].value.version_uuid,
      }
    }
    const [own, others] = [await upload('own', writer), await upload('of the administrator')]
    expect(await written(writer.api, bare(own))).toEqual({
      open: [302, 'own'],
      version: own.version_uid,
    })
    const { version_uuid: _, ...short } = bare(own).value
    expect(await written(writer.api, { value: short })).toMatchObject({ open: [302, 'own'] })
    const closed = { open: [404, ''], version: null }
    expect(await written(writer.api, bare(others))).toEqual(closed)
    expect(await written(account.api, bare(own))).toMatchObject({ open: [302, 'own'] })
    expect(await written(account.api, bare({ uid: randomUUID() }))).toEqual(closed)
  })

  test('opens in no other account', async () => {
    const stranger = await newAccount({ databaseUrl: scratch.url, filesFolder: scratch.folder })
    const { id: field } = await addField(stranger, 'leads', { type: 'file', name: 'Contract' })
    const file = await upload('of another account')
    const id = await addRecord(stranger.api, 'leads', {
      custom_fields_values: [{ field_id: field, values: [bare(file)] }],
    })
    const [shown] = (await readRecord(stranger.api, 'leads', id)).custom_fields_values
    expect(shown.values[0].value.version_uuid).toBe(null)
    const { status } = await stranger.api.get(`/web/v1/cards/leads/${id}/files/${field}`)
    expect(status).toBe(404)
  })

  test.for(allKinds)(
    'stays open in the field of %s that has it, for every writer',
    async (type) => {
      const file = await upload('of the administrator')
      const { id, field, place: address } = await named(type, file)
      const { id: other } = await addField(account, type, { type: 'file', name: 'Another' })
      const writer = await account.addUser()
      const set = (field_id: number) =>
        writer.api.patch(`${pathOf(type)}/${id}`, {
          custom_fields_values: [{ field_id, values: [bare(file)] }],
        })
      const before = await readRecord(account.api, type, id)
      await set(field)
      // The same value as before is no change.
      expect(await readRecord(account.api, type, id)).toEqual(before)
      expect(await opened(address)).toEqual([302, 'of the administrator'])
      await set(other)
      expect(await opened(address.replace(`${field}`, `${other}`))).toEqual([404, ''])
    },
  )

  test('in a note opens by the same rule', async () => {
    const writer = await account.addUser()
    const [own, others] = [await upload('own', writer), await upload('of the administrator')]
    const id = await addRecord(writer.api, 'leads', {})
    const attached = async (api: Client, { uid }: Upload) => {
      const note = await addNote(api, 'leads', id, {
        note_type: 'attachment',
        params: { file_uuid: uid, version_uuid: null, file_name: 'offer.txt' },
      })
      const row = await scratch.database.row<{ file_id: number | null }>(
        sql`select file_id from notes where account_id = ${account.id} and id = ${note}`,
      )
      return row!.file_id
    }
    expect(await attached(writer.api, own)).toBe(own.id)
    expect(await attached(writer.api, others)).toBe(null)
    expect(await attached(account.api, own)).toBe(own.id)
  })
})

test('an element of a catalog names the version of what its writer uploaded, and of nothing else', async () => {
  const made = await account.api.post('/api/v4/catalogs', [{ name: 'Goods' }])
  const catalog_id = made.body._embedded.catalogs[0].id
  const catalog = `/api/v4/catalogs/${catalog_id}`
  const rights = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' }
  const writer = await account.addUser({
    rights: { catalog_rights: [{ catalog_id, rights }] } as object,
  })
  const { body } = await account.api.post(`${catalog}/custom_fields`, [
    { name: 'Manual', type: 'file' },
  ])
  const field_id = body._embedded.custom_fields[0].id
  const [own, others] = [await upload('own', writer), await upload('of the administrator')]
  const versionOf = async (file: Upload) => {
    const custom_fields_values = [{ field_id, values: [bare(file)] }]
    const answer = await writer.api.post(`${catalog}/elements`, [
      { name: 'x', custom_fields_values },
    ])
    const { id } = answer.body._embedded.elements[0]
    const shown = (await account.api.get(`${catalog}/elements/${id}`)).body
    return shown.custom_fields_values[0].values[0].value.version_uuid
  }
  expect(await versionOf(own)).toBe(own.version_uid)
  expect(await versionOf(others)).toBe(null)
})
