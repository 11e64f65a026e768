// Finds a page of the event log. The log has a partition for each month, and a statement over all of
// them is planned and begun once for each. So a page is looked for in the newest months first.
import type { Actor } from '../../access/actor.ts'
import { timeOfUlid } from '../../changes/ulid.ts'
import type { Reader } from '../../database/connect.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { EventSearch } from './filters.ts'
import { eventList, isOfOnePlan } from './queries.ts'
import type { EventLine, Showing } from './show.ts'

/** Seconds: a month and some days, as the first of a month is in a partition with little else. */
const recent = 45 * 86_400

export async function findEvents(
  reader: Reader,
  actor: Actor,
  showing: Showing,
  seek: PagePosition,
  search: EventSearch,
  catalogs: readonly number[],
): Promise<EventLine[]> {
  const { after, offset, limit } = seek
  const planning = isOfOnePlan(actor, search, catalogs) ? 'page' : 'list'
  const ask = (span = {}, rows = limit) =>
    reader[planning]<EventLine>(
      eventList(actor, showing, { ...seek, limit: rows }, search, catalogs, span),
    )
  const start = after
    ? Math.floor(timeOfUlid(after.id as string) / 1000)
    : Math.min(actor.at, search.to ?? actor.at)
  const edge = start - recent
  const isSparse = search.ids !== undefined || search.entityIds !== undefined
  if (isSparse || offset > 0 || edge <= (search.from ?? 0)) return ask()
  const newest = await ask({ since: edge })
  if (newest.length >= limit) return newest
  return [...newest, ...(await ask({ until: edge }, limit - newest.length))]
}
