// Writes a plan of links and records it: an event for each link at both ends, and one change of
// each record (interface: Side effects of writes).
import type { Actor, Writer } from '../../../access/actor.ts'
import { record } from '../../../changes/record.ts'
import type { Entry, NewEvent } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { RecordType } from '../../../records/description.ts'
import { lockOrder, refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import type { ElementLink, ElementPlan } from './element-plan.ts'
import type { LinkPlan, MovedLink } from './plan.ts'
import {
  changeElementLinks,
  flagLinks,
  insertElementLinks,
  insertLinks,
  removeElementLinks,
  removeLinks,
  touchRecords,
} from './queries.ts'
import type { TouchedRow } from './queries.ts'

/**
 * Writes a plan whose records are locked or new. Records of type `first` are recorded first.
 * `recorded` names (`refKey`) the records that the transaction has already recorded: they get their
 * link events, but are neither touched nor recorded as changed again.
 */
export async function writePlan(
  tx: Tx,
  writer: Writer,
  plan: LinkPlan,
  {
    first,
    recorded = new Set(),
    elements,
  }: { first: RecordType; recorded?: ReadonlySet<string>; elements?: ElementPlan },
): Promise<void> {
  const { added, removed, flagged } = plan.moved()
  if (removed.length > 0) await tx.rows(removeLinks(writer, removed))
  if (added.length > 0) await tx.rows(insertLinks(writer, added))
  if (flagged.length > 0) await tx.rows(flagLinks(writer, flagged))
  const news = linkNewsOf(added, removed, flagged)
  if (elements) await writeElements(tx, writer, elements, news)
  await record(tx, writer, await linkEntries(tx, writer, news, { first, recorded }))
}

/**
 * Touches the records of link news and answers their journal entries, those of type `first` first.
 * Records that `recorded` names (`refKey`) are not touched, and get events only.
 */
export async function linkEntries(
  tx: Tx,
  writer: Writer,
  news: ReadonlyMap<string, LinkNews>,
  { first, recorded = new Set() }: { first: RecordType; recorded?: ReadonlySet<string> },
): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const type of [first, ...lockOrder.filter((other) => other !== first)]) {
    const ofType = [...news.values()]
      .filter(({ ref }) => ref.type === type)
      .toSorted((one, other) => one.ref.id - other.ref.id)
    const before = await touch(
      tx,
      writer,
      type,
      ofType.filter(({ ref }) => !recorded.has(refKey(ref))),
    )
    entries.push(...ofType.map((each) => entryOf(each, before)))
  }
  return entries
}

/** The changes of one record's links, and the user who made them. */
export interface LinkNews {
  ref: RecordRef
  by: number
  events: NewEvent[]
}

/** A new main contact changes its holder, without an event. */
export function linkNewsOf(added: MovedLink[], removed: MovedLink[], flagged: MovedLink[]) {
  const news = new Map<string, LinkNews>()
  const add = (ref: RecordRef, by: number, event?: NewEvent) => addNews(news, ref, by, event)
  for (const { holder, linked, by } of removed) {
    add(holder, by, unlinked(linked))
    add(linked, by, unlinked(holder))
  }
  for (const { holder, linked: target, by } of added) {
    add(holder, by, linked(target))
    add(target, by, linked(holder))
  }
  for (const { holder, by } of flagged) add(holder, by)
  return news
}

/** Writes the elements of records and adds their news. Another quantity or price has no event. */
async function writeElements(
  tx: Tx,
  actor: Actor,
  plan: ElementPlan,
  news: Map<string, LinkNews>,
): Promise<void> {
  const { added, removed, changed } = plan.moved()
  if (removed.length > 0) await tx.rows(removeElementLinks(actor, removed))
  if (added.length > 0) await tx.rows(insertElementLinks(actor, added))
  if (changed.length > 0) await tx.rows(changeElementLinks(actor, changed))
  for (const { record, by, ...element } of removed)
    addNews(news, record, by, entityUnlinked(element))
  for (const { record, by, ...element } of added) addNews(news, record, by, entityLinked(element))
  for (const { record, by } of changed) addNews(news, record, by)
}

function addNews(news: Map<string, LinkNews>, ref: RecordRef, by: number, event?: NewEvent): void {
  const { events } = news.get(refKey(ref)) ?? { events: [] }
  news.set(refKey(ref), { ref, by, events: event ? [...events, event] : events })
}

/** The journal entry of a record; one that was not touched has events only. */
function entryOf(
  { ref: { type, id }, by, events }: LinkNews,
  before: ReadonlyMap<number, object>,
): Entry {
  const touched = before.get(id) ?? null
  return { type, id, actions: touched ? ['update'] : [], before: touched, events, by }
}

/** Touches records; answers the previous values of the fields that changed. */
async function touch(
  tx: Tx,
  writer: Writer,
  type: RecordType,
  news: LinkNews[],
): Promise<Map<number, object>> {
  if (news.length === 0) return new Map()
  const authors = new Map(news.map(({ ref, by }) => [ref.id, by]))
  const rows = await tx.rows<TouchedRow>(
    touchRecords(
      writer,
      type,
      news.map(({ ref: { id }, by }) => ({ id, by })),
    ),
  )
  return new Map(
    rows.map(({ id, updated_at, updated_by, touched_at }) => [
      id,
      {
        ...(updated_at !== touched_at && { updated_at }),
        ...(updated_by !== authors.get(id) && { updated_by }),
      },
    ]),
  )
}

const linked = ({ type, id }: RecordRef) =>
  linkEvent(`${singular[type]}_linked`, { type: singular[type], id })
const unlinked = ({ type, id }: RecordRef) =>
  unlinkEvent(`${singular[type]}_unlinked`, { type: singular[type], id })
export const entityLinked = (element: OfElement) => linkEvent('entity_linked', entityOf(element))
export const entityUnlinked = (element: OfElement) =>
  unlinkEvent('entity_unlinked', entityOf(element))

type OfElement = Pick<ElementLink, 'element_id' | 'catalog_id'>

/** The event log names elements by their catalog, in `entity_type` too. */
const entityOf = ({ element_id: id, catalog_id }: OfElement) => ({
  type: `catalog_${catalog_id}`,
  id,
})

function linkEvent(type: string, entity: object): NewEvent {
  return { type, value_before: [], value_after: [{ link: { entity } }] }
}

/**
 * The value is on both sides, because programs look for it on either (interface: Values of events).
 */
function unlinkEvent(type: string, entity: object): NewEvent {
  const value = [{ unlink: { entity } }]
  return { type, value_before: value, value_after: value }
}
