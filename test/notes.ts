// Shared by tests of notes.
import type { RecordType } from '../server/records/description.ts'
import type { Answer, Client } from './client.ts'
import { addRecord } from './records.ts'

export const text = (words: string) => ({ note_type: 'common', params: { text: words } })

/** Adds notes to a record. Answers their ids in the order of the drafts. */
export async function addNotes(
  api: Client,
  type: RecordType,
  record: number,
  drafts: object[],
): Promise<number[]> {
  const { status, body } = await api.post(`/api/v4/${type}/${record}/notes`, drafts)
  if (status !== 200) throw new Error(`the notes were refused: ${JSON.stringify(body)}`)
  return body._embedded.notes.map(({ id }: { id: number }) => id)
}

export async function addNote(
  api: Client,
  type: RecordType,
  record: number,
  draft: object = text('x'),
): Promise<number> {
  const [id] = await addNotes(api, type, record, [draft])
  return id!
}

/** A new record with one note. */
export async function addWithNote(
  api: Client,
  type: RecordType,
  record: object = {},
  draft: object = text('x'),
) {
  const entity = await addRecord(api, type, { name: 'One', ...record })
  return { entity, id: await addNote(api, type, entity, draft) }
}

export async function readNote(api: Client, type: RecordType, id: number, query = '') {
  return (await api.get(`/api/v4/${type}/notes/${id}?${query}`)).body
}

/** The ids of the notes in a list. Throws if the list was not answered. */
export function notesIn({ status, body }: Answer): number[] {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body._embedded.notes.map(({ id }: { id: number }) => id)
}
