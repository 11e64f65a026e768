// Finds the page of a list of notes. How the notes of the records that a user may view lie among all
// others, PostgreSQL does not know. So a list under limited rights asks for the notes of each record
// where these are few; else it looks at the first notes, and the record of each. Of two filters, the one
// that leads is chosen here, too (docs/decisions/0016-finding.md).
import type { Actor } from '../../../access/actor.ts'
import { mayAll } from '../../../access/record-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { RecordType } from '../../../records/description.ts'
import { viewsFew } from '../../../records/lists/few.ts'
import { orderingOf } from '../../../records/lists/schema.ts'
import { countUpdated, noteList } from './queries.ts'
import type { NoteWay } from './queries.ts'
import type { NoteQuery } from './schema.ts'
import type { NoteLine } from './show.ts'

export const noteBounds = {
  /** So many notes are tested one by one, or sorted; as many as of purchases. */
  window: 2000,
}

/** Answers a page of notes of one type of records, or of one record, and one more where another page follows. */
export async function findNotes(
  reader: Reader,
  actor: Actor,
  base: string,
  type: RecordType,
  query: NoteQuery,
  seek: PagePosition,
  entityId?: number,
): Promise<NoteLine[]> {
  const { filter = {} } = query
  const list = (way: NoteWay, planning: 'page' | 'list' = 'list') =>
    reader[planning]<NoteLine>(noteList(actor, base, type, query, seek, entityId, way))
  const along = wayOfNotes(query, entityId)
  if (mayAll(actor, type, 'view')) {
    if (along) return list(along, 'page')
    const isOfTwo = filter.note_type !== undefined && filter.updated_at !== undefined
    if (isOfTwo && orderingOf(query.order).column === 'id' && !isNarrow(query, entityId))
      return list({ isByUpdate: await areFewUpdated() })
    return list({})
  }
  if (isNarrow(query, entityId)) return list(along ?? {})
  if (await viewsFew(reader, actor, type)) return list({ isByRecord: true })
  const { window: scannedRows } = noteBounds
  if (along && seek.offset + seek.limit <= scannedRows) {
    const seen = await list({ ...along, scannedRows })
    if (seen.length === seek.limit) return seen
  }
  return list({ ...along, isJoined: true })

  async function areFewUpdated(): Promise<boolean> {
    const counted = countUpdated(actor, type, filter.updated_at!, noteBounds.window + 1)
    const [updated] = await reader.list<{ count: number }>(counted)
    return updated!.count <= noteBounds.window
  }
}

/** Whether a list names its notes or its records. */
const isNarrow = ({ filter }: NoteQuery, entityId: number | undefined): boolean =>
  entityId !== undefined || filter?.id !== undefined || filter?.entity_id !== undefined

/**
 * The way of a list whose notes an index has in the order of the list: it is the same whatever the values
 * are (docs/decisions/0057-plans.md). Undefined for all others.
 */
export function wayOfNotes(
  { filter = {}, order }: NoteQuery,
  entityId?: number,
): NoteWay | undefined {
  const { id, entity_id, note_type, updated_at } = filter
  const records = entityId === undefined ? entity_id : [entityId]
  const filters = [id, records, note_type, updated_at].filter((each) => each !== undefined)
  const { column } = orderingOf(order)
  if (filters.length === 0) return {}
  if (filters.length > 1) return undefined
  if (updated_at !== undefined) return column === 'updated_at' ? {} : undefined
  const [one, ...others] = records ?? note_type ?? []
  if (one === undefined || others.length > 0 || column !== 'id') return undefined
  return { pin: { column: records ? 'entity_id' : 'note_type', value: one } }
}
