// Files of notes: uploads as attachments, recordings of calls that are fetched, who is shown them, and
// when they go.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addScope, publish, published } from '../../../../test/chats.ts'
import type { Client } from '../../../../test/client.ts'
import { person, phone } from '../../../../test/complex.ts'
import { addSeller, listen, mainPipeline, plainly } from '../../../../test/leads.ts'
import { addNote, addNotes, notesIn, readNote } from '../../../../test/notes.ts'
import { actorIn, batchOf } from '../../../../test/pipelines.ts'
import { openReceiver } from '../../../../test/receiver.ts'
import type { Receiver } from '../../../../test/receiver.ts'
import { addRecord } from '../../../../test/records.ts'
import { openObjectServer } from '../../../../test/s3.ts'
import { scratchWithFiles } from '../../../../test/scratch.ts'
import type { ScratchWithFiles } from '../../../../test/scratch.ts'
import { accept, addItem, threeParts } from '../../../../test/unsorted.ts'
import type { Tx } from '../../../database/connect.ts'
import { purgeBinOf } from '../../../records/purge.ts'
import { dropAbandonedFiles, requireOwnFile, startFetching } from '../files/files.ts'
import type { Fetching } from '../files/files.ts'
import { keepingFiles } from './kept-files.ts'
import { createNotes } from './notes.ts'

const day = 86_400
const sound = 'the sound of a call'
let scratch: ScratchWithFiles
let folder: string
let account: TestAccount
let other: TestAccount
let receiver: Receiver
let fetching: Fetching

beforeAll(async () => {
  // The worker and the upkeep look at the whole database.
  scratch = await scratchWithFiles()
  folder = scratch.folder
  const settings = {
    databaseUrl: scratch.url,
    filesFolder: folder,
    privateHooks: 'loopback' as const,
    rateLimitScope: 0,
    rateLimitAddress: 0,
  }
  account = await newAccount(settings)
  other = await newAccount(settings)
  receiver = await openReceiver()
  fetching = startFetching(account.kontor, pino({ level: 'silent' }))
})
afterAll(async () => {
  await fetching.stop()
  await receiver.close()
  await scratch.drop()
})

interface Upload {
  id: number
  uid: string
  name: string
  address: string
}

async function upload(
  body: string,
  { by = account.admin, to = account, name = 'offer.txt' } = {},
): Promise<Upload> {
  const response = await fetch(`${to.kontor.url}/web/v1/files?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}`, 'content-type': 'text/plain' },
    body,
  })
  expect(response.status).toBe(201)
  return (await response.json()) as Upload
}

const attachment = (file_uuid: string, file_name = 'as it was.txt') => ({
  note_type: 'attachment',
  params: { file_uuid, file_name },
})

const callNote = (link?: string, type: 'call_in' | 'call_out' = 'call_in') => ({
  note_type: type,
  params: {
    duration: 35,
    source: 'pbx',
    phone: '+79001234567',
    ...(link !== undefined && { link }),
  },
})

/** The address of a recording of its own, and how its source answers. */
let recordings = 0
function recording(behaviour: object = {}): string {
  const path = `/records/${++recordings}.mp3`
  receiver.behave(path, { headers: { 'content-type': 'audio/mpeg' }, body: sound, ...behaviour })
  return receiver.url + path
}

const fileOf = (api: Client, note: number) => api.get(`/web/v1/notes/${note}/file`)

async function read(address: string): Promise<[number, string]> {
  const response = await fetch(address)
  return [response.status, await response.text()]
}

/** The file of a note, once its fetch has ended. */
async function fetched(api: Client, note: number) {
  await expect
    .poll(async () => (await fileOf(api, note)).body.state, { timeout: 10_000 })
    .not.toBe('fetching')
  return (await fileOf(api, note)).body
}

/** The id of the file that a note refers to. */
const idOf = async (note: number) =>
  (await scratch.database.row<{ file_id: number | null }>(
    sql`select file_id from notes where id = ${note}`,
  ))!.file_id

const filesIn = async ({ id }: TestAccount) =>
  (
    await scratch.database.rows<{ id: number }>(
      sql`select id from files where account_id = ${id} order by id`,
    )
  ).map((file) => file.id)

/** Whether the row and the bytes of a file are there. */
async function isKept({ id, account_id = account.id }: { id: number; account_id?: number }) {
  const row = await scratch.database.row<{ uid: string }>(
    sql`select uid from files where account_id = ${account_id} and id = ${id}`,
  )
  return row !== undefined && existsSync(pathOf(row.uid, account_id))
}

const pathOf = (uid: string, accountId = account.id) =>
  path.join(folder, String(accountId), uid.slice(0, 2), uid)

/** The upkeep, so many days later. */
async function cleanUp(days: number): Promise<void> {
  const { kontor } = account
  await dropAbandonedFiles({ ...kontor, now: () => kontor.now() + days * day + 1 })
}

describe('an attachment', () => {
  test('refers to an upload of its writer, and every other reader of the record is given it', async () => {
    const { api, admin } = account
    const lead = await addRecord(api, 'leads', { name: 'One', responsible_user_id: admin.id })
    const file = await upload('an offer', { name: 'offer 1.txt' })
    const draft = attachment(file.uid.toUpperCase())
    const id = await addNote(api, 'leads', lead, draft)
    // The name of the file stands beside that of the note, which stays as it was sent.
    const drive = { original_name: 'offer 1.txt', text: 'as it was.txt', is_drive_attachment: true }
    expect((await readNote(api, 'leads', id)).params).toEqual({ ...draft.params, ...drive })
    const colleague = await account.addUser()
    const { status, body } = await fileOf(colleague.api, id)
    expect([status, body]).toEqual([
      200,
      {
        media: expect.stringContaining(`/files/${account.id}/${file.uid}/`),
        file_name: 'offer 1.txt',
        file_size: 8,
        type: 'text/plain',
        state: 'stored',
        _links: { self: { href: `${account.kontor.url}/web/v1/notes/${id}/file` } },
      },
    ])
    expect(await read(body.media)).toEqual([200, 'an offer'])
    await cleanUp(8)
    expect(await isKept(file)).toBe(true)
  })

  test('is shown to those who may view its record, and in no other account', async () => {
    const { api, admin } = account
    const lead = await addRecord(api, 'leads', { name: 'One', responsible_user_id: admin.id })
    const id = await addNote(api, 'leads', lead, attachment((await upload('x')).uid))
    const seller = await addSeller(account, { view: 'M' })
    const [unseen, strange] = [await fileOf(seller.api, id), await fileOf(other.api, id)]
    expect([unseen.status, strange.status]).toEqual([403, 404])
    await api.patch(`/api/v4/leads/${lead}`, { responsible_user_id: seller.id })
    expect((await fileOf(seller.api, id)).status).toBe(200)
    await api.delete(`/api/v4/leads/${lead}`)
    expect((await fileOf(api, id)).status).toBe(404)
  })

  test('of an unknown file, or an upload of somebody else, is a note without a file', async () => {
    const { api } = account
    const [writer, stranger] = [await account.addUser(), await account.addUser()]
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const [ofStranger, foreign] = [
      await upload('secret', { by: stranger }),
      await upload('foreign', { by: other.admin, to: other }),
    ]
    const uids = [randomUUID(), ofStranger.uid, foreign.uid]
    const ids = await addNotes(
      writer.api,
      'leads',
      lead,
      uids.map((uid) => attachment(uid)),
    )
    for (const id of ids) {
      expect((await readNote(writer.api, 'leads', id)).params.original_name).toBe('as it was.txt')
      expect((await fileOf(writer.api, id)).status).toBe(404)
      expect(await idOf(id)).toBeNull()
    }
    // An administrator sees all uploads of the account, and so may attach them.
    const [unknown, attached] = await addNotes(api, 'leads', lead, [
      attachment(foreign.uid),
      attachment(ofStranger.uid),
    ])
    expect((await fileOf(api, unknown!)).status).toBe(404)
    expect(await read((await fileOf(writer.api, attached!)).body.media)).toEqual([200, 'secret'])
    // That does not open the upload to notes of others.
    const again = await addNote(writer.api, 'leads', lead, attachment(ofStranger.uid))
    expect((await fileOf(writer.api, again)).status).toBe(404)
    await cleanUp(8)
    expect([await isKept(ofStranger), await isKept({ ...foreign, account_id: other.id })]).toEqual([
      true,
      false,
    ])
  })

  test('changes its file with its uuid, and keeps it while that stays', async () => {
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const first = await upload('first')
    const id = await addNote(api, 'leads', lead, attachment(first.uid))
    const change = async (params: object) => {
      const { status } = await api.patch(`/api/v4/leads/notes/${id}`, { params })
      expect(status).toBe(200)
      return (await fileOf(api, id)).body.media as string
    }
    await change(attachment(first.uid, 'other name.txt').params)
    await cleanUp(8)
    expect(await isKept(first)).toBe(true)
    const second = await upload('second')
    expect(await read(await change(attachment(second.uid).params))).toEqual([200, 'second'])
    await cleanUp(6)
    expect(await isKept(first)).toBe(true)
    await cleanUp(8)
    expect([await isKept(first), await isKept(second)]).toEqual([false, true])
  })
})

describe('a recording', () => {
  test('is fetched after the answer, and stays when its source deletes it', async () => {
    const { api } = account
    const contact = await addRecord(api, 'contacts', person(phone('+7 900 765-43-21')))
    const gate = Promise.withResolvers<void>()
    const links = [recording({ until: gate.promise }), recording({ until: gate.promise })]
    const of = callNote(links[0], 'call_out')
    const news = await listen(account)
    const note = await addNote(api, 'contacts', contact, of)
    const call = {
      direction: 'inbound',
      ...callNote(links[1]).params,
      phone: '89007654321',
    }
    const { status, body } = await api.post('/api/v4/calls', [call])
    expect(status).toBe(200)
    const ids = [note, body._embedded.calls[0].id as number]
    for (const [index, id] of ids.entries()) {
      expect((await fileOf(api, id)).body).toMatchObject({
        media: links[index],
        file_name: null,
        file_size: null,
        type: null,
        state: 'fetching',
      })
    }
    gate.resolve()
    for (const [index, id] of ids.entries()) {
      const file = await fetched(api, id)
      const file_name = new URL(links[index]!).pathname.split('/').at(-1)
      expect(file).toMatchObject({ state: 'stored', type: 'audio/mpeg', file_name, file_size: 19 })
      receiver.behave(new URL(links[index]!).pathname, { status: 404 })
      expect(await read(file.media)).toEqual([200, sound])
      expect((await readNote(api, 'contacts', id)).params.link).toBe(links[index])
    }
    // The note tells its news as ever; the fetch tells none.
    const { journal, events } = await news()
    expect(events.map(plainly)).toEqual(
      [...ids.entries()].map(([path, id]) => ({
        type: path === 0 ? 'outgoing_call' : 'incoming_call',
        entity_id: contact,
        created_by: account.admin.id,
        value_before: [],
        value_after: [{ note: { id } }],
      })),
    )
    expect(journal.length).toBe(2)
  })

  test('that cannot be fetched, and an address that is no page, leave the address', async () => {
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const before = await filesIn(account)
    const [failed, ftp, script, empty, none] = (await addNotes(api, 'leads', lead, [
      callNote(recording({ status: 410 })),
      callNote('ftp://pbx.example.com/1.mp3'),
      callNote('javascript:alert(1)'),
      callNote(''),
      callNote(),
    ])) as [number, number, number, number, number]
    const shown = await fetched(api, failed)
    expect(shown).toMatchObject({
      state: 'failed',
      type: null,
      media: expect.stringMatching(/^http/),
    })
    expect(shown.media).toBe((await readNote(api, 'leads', failed)).params.link)
    for (const id of [ftp, script, empty, none]) expect((await fileOf(api, id)).status).toBe(404)
    expect((await readNote(api, 'leads', ftp)).params.link).toBe('ftp://pbx.example.com/1.mp3')
    expect((await filesIn(account)).length).toBe(before.length + 1)
    // Another type of note has no file, whatever it says.
    const text = { note_type: 'common', params: { text: recording() } }
    expect((await fileOf(api, await addNote(api, 'leads', lead, text))).status).toBe(404)
  })

  test('at a private address is fetched for an administrator only', async () => {
    const { api } = account
    const user = await account.addUser()
    const lead = await addRecord(api, 'leads', { name: 'One', responsible_user_id: user.id })
    const [theirs, ours] = [recording(), recording()]
    const refused = await addNote(user.api, 'leads', lead, callNote(theirs))
    const taken = await addNote(api, 'leads', lead, callNote(ours))
    expect(await fetched(user.api, refused)).toMatchObject({ state: 'failed', media: theirs })
    expect((await fetched(user.api, taken)).state).toBe('stored')
    const paths = receiver.arrivals.map((arrival) => receiver.url + arrival.path)
    expect([paths.includes(theirs), paths.includes(ours)]).toEqual([false, true])
  })

  test('is fetched anew where its address changes, once for each address', async () => {
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const [first, second] = [recording(), recording({ body: 'another' })]
    const [id, twin] = (await addNotes(api, 'leads', lead, [callNote(first), callNote(first)])) as [
      number,
      number,
    ]
    await fetched(api, id)
    const former = (await idOf(id))!
    expect(await idOf(twin)).toBe(former)
    const change = (params: object) => api.patch('/api/v4/leads/notes', [{ id, params }])
    expect((await change({ ...callNote(first).params, call_result: 'x' })).status).toBe(200)
    expect(await idOf(id)).toBe(former)
    expect((await change(callNote(second).params)).status).toBe(200)
    const file = await fetched(api, id)
    expect(await read(file.media)).toEqual([200, 'another'])
    const heardOf = (link: string) => receiver.arrivals.filter((each) => link.endsWith(each.path))
    expect([heardOf(first).length, heardOf(second).length]).toEqual([1, 1])
    // Two changes of one request end with the last.
    const third = recording({ body: 'third' })
    const both = [callNote(first), callNote(third)].map(({ params }) => ({ id, params }))
    expect((await api.patch('/api/v4/leads/notes', both)).status).toBe(200)
    expect(await read((await fetched(api, id)).media)).toEqual([200, 'third'])
    // The twin still has the first one.
    await cleanUp(8)
    expect(await isKept({ id: former })).toBe(true)
    expect((await change(callNote().params)).status).toBe(200)
    expect((await fileOf(api, id)).status).toBe(404)
  })

  test('whose address is signed by Kontor is the upload itself', async () => {
    const { api } = account
    const [writer, stranger] = [await account.addUser(), await account.addUser()]
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const [file, foreign] = [
      await upload('a voice', { by: stranger }),
      await upload('foreign', { by: other.admin, to: other }),
    ]
    const before = await filesIn(account)
    const forged = file.address.replace(/signature=.{8}/, 'signature=00000000')
    const signed = await addNote(writer.api, 'leads', lead, callNote(file.address))
    const drafts = [forged, foreign.address].map((link) => callNote(link))
    const [wrong, strange] = (await addNotes(api, 'leads', lead, drafts)) as [number, number]
    expect([await idOf(signed), (await filesIn(account)).length]).toEqual([
      file.id,
      before.length + 2,
    ])
    expect(await read((await fileOf(writer.api, signed)).body.media)).toEqual([200, 'a voice'])
    expect((await readNote(api, 'leads', signed)).params.link).toBe(file.address)
    // Kontor does not call itself.
    for (const id of [wrong, strange]) expect((await fetched(api, id)).state).toBe('failed')
    expect(await idOf(strange)).not.toBe(foreign.id)
    await cleanUp(8)
    expect(await isKept(file)).toBe(true)
  })

  test('of a call that waits is fetched once it is accepted, for all its notes', async () => {
    const { api } = account
    const before = await filesIn(account)
    const metadata = { phone: '+1', link: recording(), is_call_event_needed: true }
    const item = await addItem(api, { metadata, _embedded: threeParts() }, 'sip')
    expect(await filesIn(account)).toEqual(before)
    expect((await accept(api, item)).status).toBe(200)
    const notes = []
    for (const [type, id] of [
      ['leads', item.lead],
      ['contacts', item.contact],
    ] as const)
      notes.push(...notesIn(await api.get(`/api/v4/${type}/${id}/notes`)))
    for (const id of notes) expect((await fetched(api, id)).state).toBe('stored')
    expect([notes.length, (await filesIn(account)).length]).toEqual([2, before.length + 1])
    // A lead that a change moves out of its status accepts its item as well.
    const moved = await addItem(api, { metadata: { ...metadata, link: recording() } }, 'sip')
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const status_id = statuses[0]
    const { status } = await api.patch(`/api/v4/leads/${moved.lead}`, { pipeline_id, status_id })
    expect(status).toBe(200)
    const [note] = notesIn(await api.get(`/api/v4/leads/${moved.lead}/notes`))
    expect((await fetched(api, note!)).state).toBe('stored')
  })

  test('is only an address where CALL_RECORDINGS is link', async () => {
    const linking = await newAccount({
      databaseUrl: scratch.url,
      filesFolder: folder,
      callRecordings: 'link',
    })
    const lead = await addRecord(linking.api, 'leads', { name: 'One' })
    const link = recording()
    const file = await upload('own', { by: linking.admin, to: linking })
    const [call, own] = (await addNotes(linking.api, 'leads', lead, [
      callNote(link),
      callNote(file.address),
    ])) as [number, number]
    expect((await fileOf(linking.api, call)).body).toMatchObject({ media: link, state: null })
    expect(await filesIn(linking)).toEqual([file.id])
    // The address of an upload ends, so the note keeps the upload.
    expect(await idOf(own)).toBe(file.id)
  })

  test('of 250 notes takes one statement, and notes without one take none', async () => {
    const lead = await addRecord(account.api, 'leads', { name: 'One' })
    const means = {
      readParams: (_type: string, value: Record<string, unknown>) => ({ value, faults: [] }),
      keepFiles: keepingFiles(account.kontor),
    }
    const statementsOn = (drafts: { note_type: string; params: object }[]) =>
      account.kontor.database.transaction(async (tx) => {
        let count = 0
        const rows: Tx['rows'] = (statement) => {
          if (/\bfiles\b/.test(statement.text)) count++
          return tx.rows(statement)
        }
        const batch = batchOf(...drafts) as Parameters<typeof createNotes>[3]
        const path = { type: 'leads', entityId: lead } as const
        const added = await createNotes({ ...tx, rows }, actorIn(account), path, batch, means)
        expect(added.length).toBe(250)
        return count
      })
    const each = (make: (place: number) => { note_type: string; params: object }) =>
      Array.from({ length: 250 }, (_, index) => make(index))
    const url = (path: number) => `http://127.0.0.1:1/${path}.mp3`
    expect(await statementsOn(each((path) => callNote(url(path))))).toBe(1)
    expect(await statementsOn(each(() => callNote()))).toBe(0)
  })
})

describe('a file that nothing refers to any more', () => {
  /** A lead with a recording and an attachment, which are stored. */
  async function leadWithFiles() {
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const file = await upload('an offer')
    const [call, attached] = (await addNotes(api, 'leads', lead, [
      callNote(recording()),
      attachment(file.uid),
    ])) as [number, number]
    await fetched(api, call)
    return { lead, call, attached, files: [(await idOf(call))!, file.id] as const }
  }
  const areKept = (ids: readonly number[]) => Promise.all(ids.map((id) => isKept({ id })))

  test('goes a week after its note, with its bytes', async () => {
    const { lead, call, attached, files } = await leadWithFiles()
    for (const id of [call, attached])
      expect((await account.api.delete(`/api/v4/leads/${lead}/notes/${id}`)).status).toBe(204)
    const { media } = (await account.api.get(`/web/v1/notes/${call}/file`)).body
    expect(media).toBeUndefined()
    await cleanUp(6)
    expect(await areKept(files)).toEqual([true, true])
    await cleanUp(8)
    expect(await areKept(files)).toEqual([false, false])
    expect((await filesIn(account)).filter((id) => files.includes(id))).toEqual([])
  })

  test('goes a week after its record was purged', async () => {
    const { lead, files } = await leadWithFiles()
    const stays = await leadWithFiles()
    expect((await account.api.delete(`/api/v4/leads/${lead}`)).status).toBe(204)
    const { database, now } = account.kontor
    await cleanUp(8)
    expect(await areKept(files)).toEqual([true, true])
    await purgeBinOf(database, account.id, 30, now() + 31 * day)
    await cleanUp(6)
    expect(await areKept(files)).toEqual([true, true])
    await cleanUp(8)
    expect(await areKept([...files, ...stays.files])).toEqual([false, false, true, true])
  })

  test('goes a week after its message was edited to have another', async () => {
    const scope = await addScope(account)
    const media = recording({ body: 'media' })
    const picture = { type: 'file', media, file_name: 'a.mp3' }
    const { msgid: uid, ref_id: msgid } = await published(scope, { message: picture })
    const fileOfMessage = async () =>
      (await scratch.database.row<{ file_id: number; state: string }>(
        sql`select file_id, files.state from messages
              join files on files.account_id = messages.account_id and files.id = file_id where messages.uid = ${uid}`,
      ))!
    const isStored = () =>
      expect.poll(async () => (await fileOfMessage()).state, { timeout: 10_000 }).toBe('stored')
    await isStored()
    const first = (await fileOfMessage()).file_id
    const edit = async (message: object) =>
      expect(
        (await publish(scope, { msgid, message, sender: undefined }, 'edit_message')).status,
      ).toBe(200)
    await edit({ ...picture, file_name: 'b.mp3' })
    await cleanUp(8)
    expect(await isKept({ id: first })).toBe(true)
    await edit({ ...picture, media: recording() })
    await isStored()
    const second = (await fileOfMessage()).file_id
    await cleanUp(8)
    expect(await areKept([first, second])).toEqual([false, true])
  })

  test('stays while anything else refers to it', async () => {
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const file = await upload('twice')
    const [first, second] = (await addNotes(api, 'leads', lead, [
      attachment(file.uid),
      attachment(file.uid),
    ])) as [number, number]
    await api.delete(`/api/v4/leads/notes/${first}`)
    await cleanUp(8)
    expect(await isKept(file)).toBe(true)
    // A message refers to it as well as a note does.
    const scope = await addScope(account)
    const { msgid } = await published(scope)
    await scratch.database.transaction((tx) =>
      tx.rows(sql`update messages set file_id = ${file.id} where uid = ${msgid}`),
    )
    await api.delete(`/api/v4/leads/notes/${second}`)
    await cleanUp(8)
    expect(await isKept(file)).toBe(true)
    // Of that nothing is remembered: it goes by the next that leaves it.
    const third = await addNote(api, 'leads', lead, attachment(file.uid))
    await scratch.database.transaction((tx) =>
      tx.rows(sql`update messages set file_id = null where uid = ${msgid}`),
    )
    await api.delete(`/api/v4/leads/notes/${third}`)
    await cleanUp(8)
    expect(await isKept(file)).toBe(false)
  })

  test('is not lost to what refers to it at the moment of its removal', async () => {
    const { api, admin, id: accountId, kontor } = account
    const lead = await addRecord(api, 'leads', { name: 'One' })
    const [taken, gone] = [await upload('taken'), await upload('gone')]
    for (const { uid } of [taken, gone]) {
      const note = await addNote(api, 'leads', lead, attachment(uid))
      await api.delete(`/api/v4/leads/notes/${note}`)
    }
    const actor = { accountId, userId: admin.id, at: kontor.now() }
    let draft = 0
    await kontor.database.transaction(async (tx) => {
      await requireOwnFile(tx, actor, taken.id)
      // The clean-up passes over the one that is held, and takes the other.
      await cleanUp(8)
      expect(await areKept([taken.id, gone.id])).toEqual([true, false])
      const [row] = await tx.rows<{ id: number }>(sql`
        insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by,
                           created_at, updated_at, file_id)
        values (${accountId}, 'leads', ${lead}, 'attachment', '{}', 0, 0, 0, 0, 0, 0, ${taken.id}) returning id`)
      draft = row!.id
    })
    await cleanUp(8)
    expect((await fileOf(api, draft)).body.state).toBe('stored')
    // The one that is gone is unknown.
    const late = await addNote(api, 'leads', lead, attachment(gone.uid))
    expect((await fileOf(api, late)).status).toBe(404)
  })

  test('keeps its row until its bytes are gone', async () => {
    const bucket = await openObjectServer()
    const far = await newAccount({
      databaseUrl: scratch.url,
      filesFolder: folder,
      filesS3Bucket: 'files',
      filesS3Endpoint: bucket.url,
      filesS3AccessKey: 'AKIATEST',
      filesS3SecretKey: 'open-sesame',
    })
    await cleanUp(8)
    const lead = await addRecord(far.api, 'leads', { name: 'One' })
    const file = await upload('far', { by: far.admin, to: far })
    const note = await addNote(far.api, 'leads', lead, attachment(file.uid))
    await far.api.delete(`/api/v4/leads/notes/${note}`)
    const later = { ...far.kontor, now: () => far.kontor.now() + 8 * day }
    bucket.failing = 403
    await expect(dropAbandonedFiles(later)).rejects.toThrow()
    expect([await filesIn(far), bucket.objects.size]).toEqual([[file.id], 1])
    bucket.failing = undefined
    await dropAbandonedFiles(later)
    expect([await filesIn(far), bucket.objects.size]).toEqual([[], 0])
    await bucket.close()
  })
})
