// The event log as other features read it.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { eventsOfRecords } from './queries.ts'
import type { FeedEventRow } from './queries.ts'
import { eventTypeFacts, writtenTypes } from './types.ts'
import { eventText } from './show.ts'

/** An event of the feed of a record. */
export interface FeedEvent extends Pick<
  FeedEventRow,
  'id' | 'entity_type' | 'entity_id' | 'created_by' | 'linked' | 'purchase'
> {
  json: string
}

/** Events of records that the actor may view, by their ids; `types` are the names in the log. */
export async function readFeedEvents(
  reader: Reader,
  actor: Actor,
  base: string,
  records: { types: readonly string[]; ids: readonly number[] },
  ids: readonly string[],
): Promise<FeedEvent[]> {
  if (ids.length === 0) return []
  const rows = await reader.rows<FeedEventRow>(eventsOfRecords(actor, base, records, ids))
  return rows.map((row) => ({
    id: row.id,
    entity_type: row.entity_type,
    entity_id: row.entity_id,
    created_by: row.created_by,
    linked: row.linked,
    purchase: row.purchase,
    json: eventText(row),
  }))
}

/**
 * The types of events that tell what a note or a message of the same record tells as well. Those of
 * tasks stand on the task.
 */
export const retoldTypes: readonly string[] = writtenTypes.filter((type) => {
  const { value } = eventTypeFacts(type) as { value?: string }
  const isOwn = /^(?:lead|contact|company|customer)_added$/.test(type)
  return value === 'message' || (value === 'note' && !isOwn && type !== 'common_note_deleted')
})
