// The files of notes (docs/decisions/0056-files-of-notes.md): the upload that an attachment names,
// and the recording of a call, which is fetched after the answer. Params are stored as they were
// sent; the file stands beside them.
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import { isUuid } from '../../../http/types.ts'
import type { Kontor } from '../../../kontor.ts'
import { attachFiles, fetchAllLater, signedFileIn } from '../files/files.ts'
import type { NoteRow } from './queries.ts'

type Filed = Pick<NoteRow, 'note_type' | 'params' | 'link_by'>

/** Answers the ids of the files of notes in their order, null where a note has none. */
export type KeepFiles = (
  tx: Tx,
  actor: Actor,
  notes: readonly Filed[],
) => Promise<(number | null)[]>

/**
 * Attaches uploads and has recordings fetched, each by one statement for all notes. Notes without
 * either cost none. An address that one user wrote twice is fetched once.
 */
export function keepingFiles(kontor: Pick<Kontor, 'config' | 'now' | 'secrets'>): KeepFiles {
  return async (tx, actor, notes) => {
    const wanted = notes.map((note) => wantedBy(kontor, actor, note))
    const uids = new Map<string, boolean>()
    for (const { uid, isOpen = false } of wanted)
      if (uid !== undefined) uids.set(uid, isOpen || uids.get(uid) === true)
    const links = new Map(
      wanted.flatMap(({ link, by }) =>
        link === undefined ? [] : [[`${by} ${link}`, { address: link, by }] as const],
      ),
    )
    const attached = await attachFiles(
      tx,
      actor,
      [...uids].map(([uid, isOpen]) => ({ uid, isOpen })),
    )
    const fetched = await fetchAllLater(
      tx,
      actor,
      [...links.values()],
      // Behind the media of messages, whose addresses end soon.
      actor.at * 1000,
    )
    const recordings = new Map([...links.keys()].map((key, index) => [key, fetched[index]!]))
    return wanted.map(
      ({ uid, link, by }) => attached.get(uid ?? '') ?? recordings.get(`${by} ${link}`) ?? null,
    )
  }
}

/** The param that names the file of a note; undefined where none does. */
export function fileParamOf({ note_type, params }: Pick<Filed, 'note_type' | 'params'>): unknown {
  if (note_type === 'attachment') return params['file_uuid']
  return isCall(note_type) ? params['link'] : undefined
}

/** Whether a browser may be sent to an address. */
export const isWebAddress = (address: string): boolean =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? '')

const isCall = (type: string) => type === 'call_in' || type === 'call_out'

/** A file that a note names: an upload by its uid, or an address to fetch. */
interface Wanted {
  uid?: string
  /** Whether the note has the signed address of the upload. */
  isOpen?: boolean
  link?: string
  /** Who wrote the address. */
  by?: number
}

function wantedBy(
  kontor: Pick<Kontor, 'config' | 'now' | 'secrets'>,
  actor: Actor,
  note: Filed,
): Wanted {
  const name = fileParamOf(note)
  if (typeof name !== 'string') return {}
  if (note.note_type === 'attachment')
    return isUuid(name) ? { uid: name.toLowerCase(), isOpen: false } : {}
  // An address of our own ends, and may be one that Kontor cannot reach itself.
  const uid = signedFileIn(kontor, actor.accountId, name)
  if (uid !== undefined) return { uid, isOpen: true }
  return kontor.config.callRecordings === 'fetch' && isWebAddress(name)
    ? { link: name, by: note.link_by ?? actor.userId }
    : {}
}
