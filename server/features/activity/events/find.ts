// Finds a page of the event log. The log has a partition for each month, and a statement over all of
// them is planned and begun once for each. So a page is looked for in the newest months first. Under
// limited rights it begins with the records that the actor views where these are few, and else with the
// newest events (docs/decisions/0016-finding.md): how they lie, PostgreSQL does not know.
import type { Actor } from '../../../access/actor.ts'
import { limitedTypes } from '../../../access/record-rights.ts'
import { timeOfUlid } from '../../../changes/ulid.ts'
import type { Reader } from '../../../database/connect.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { EntityType } from '../../../entity-types.ts'
import { singular } from '../../../entity-types.ts'
import { openCatalogs, viewedCatalogs } from '../../definitions/catalogs/catalogs.ts'
import { viewsFew } from '../../../records/lists/few.ts'
import { eventSearchOf } from './filters.ts'
import type { EventSearch } from './filters.ts'
import { eventBehind, eventList, isFoundAnywhere, isNarrow, isOfOnePlan } from './queries.ts'
import type { EventWay, Span } from './queries.ts'
import type { EventFilter } from './schema.ts'
import type { EventLine, Showing } from './show.ts'

/** Seconds: a month and some days, as the first of a month is in a partition with little else. */
const recent = 45 * 86_400

export const eventBounds = {
  /** The newest events whose records are looked up one by one, before the others; as many as of purchases. */
  window: 2000,
}

/** The search of a filter, with its catalogs. Throws a 400 problem where filters do not go together. */
export async function openSearch(
  reader: Reader,
  actor: Actor,
  filter: EventFilter,
): Promise<{ search: EventSearch; catalogs: readonly number[] }> {
  const isAnyCatalog = filter.entity?.includes('catalog_element')
  const search = eventSearchOf(filter, isAnyCatalog ? await viewedCatalogs(reader, actor) : [])
  return { search, catalogs: await catalogsOf(reader, actor, search) }
}

/** The catalogs whose elements the actor views all; none where a search does not need their names. */
export const catalogsOf = async (
  reader: Reader,
  actor: Actor,
  search: EventSearch,
): Promise<readonly number[]> => (isFoundAnywhere(actor, search) ? [] : openCatalogs(reader, actor))

/** Finds a page of the log. `Line` is what the columns of `showing` give. */
export async function findEvents<Line extends EventLine = EventLine>(
  reader: Reader,
  actor: Actor,
  showing: Showing,
  seek: PagePosition,
  search: EventSearch,
  catalogs: readonly number[],
): Promise<Line[]> {
  const { after, offset, limit } = seek
  const planning = isOfOnePlan(actor, search, catalogs) ? 'page' : 'list'
  const limited = isNarrow(search)
    ? []
    : limitedTypes(actor).filter((type) => search.entities?.includes(singular[type]) ?? true)
  const few = new Set<EntityType>()
  for (const type of limited) if (await viewsFew(reader, actor, type)) few.add(type)
  const ask = async (span: Span = {}, rows = limit) => {
    const list = (way: EventWay) =>
      reader[planning]<Line>(
        eventList(actor, showing, { ...seek, limit: rows }, search, catalogs, span, way),
      )
    if (few.size === limited.length || offset + rows > eventBounds.window) return list({ few })
    // Where the records that the actor views are many, those of the newest events mostly fill the page.
    const behind = await reader.rows<{ id: string }>(
      eventBehind(actor, seek, span, eventBounds.window),
    )
    if (behind.length === 0) return list({ few, from: '' })
    const newest = await list({ few, from: behind[0]!.id })
    return newest.length >= rows ? newest : list({ few })
  }
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
