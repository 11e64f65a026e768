// Writes what was planned and tells it: an event for each link at both of its ends, and one change of each record (entities reference,
// Side effects of writes).
import { recordChanged } from '../../changes/record.ts'
import type { RecordChange, NewEvent } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { singular } from '../../entity-types.ts'
import type { RecordType } from '../../records/description.ts'
import type { Moved, LinkPlan } from './plan.ts'
import { flagLinks, insertLinks, removeLinks, touchRecords } from './queries.ts'
import { lockOrder, nameOf } from '../../records/link-rules.ts'
import type { Ref } from '../../records/link-rules.ts'

/**
 * Writes a plan whose records are locked or new. The ends of kind `first` are told first. `fresh` names (`nameOf`) the records that
 * this transaction has told as added or changed: they hear of their links, but are not touched and not told as changed once more.
 */
export async function writePlan(
  tx: Tx,
  actor: Actor,
  plan: LinkPlan,
  { first, fresh = new Set() }: { first: RecordType; fresh?: ReadonlySet<string> },
): Promise<void> {
  const { added, removed, flagged } = plan.moved()
  if (removed.length > 0) await tx.rows(removeLinks(actor, removed))
  if (added.length > 0) await tx.rows(insertLinks(actor, added))
  if (flagged.length > 0) await tx.rows(flagLinks(actor, flagged))
  const told = linkNewsOf(added, removed, flagged)
  for (const type of [first, ...lockOrder.filter((other) => other !== first)]) {
    const records = told.filter(({ ref }) => ref.type === type)
    if (records.length > 0) await recordLinks(tx, actor, type, records, fresh)
  }
}

interface LinkNews {
  ref: Ref
  by: number
  events: NewEvent[]
}

/** What each record is told; a new main contact is a change of its holder, without an event. */
function linkNewsOf(added: Moved[], removed: Moved[], flagged: Moved[]): LinkNews[] {
  const told = new Map<string, LinkNews>()
  const tell = (ref: Ref, by: number, event?: NewEvent) => {
    const { events } = told.get(nameOf(ref)) ?? { events: [] }
    told.set(nameOf(ref), { ref, by, events: event ? [...events, event] : events })
  }
  for (const { holder, held, by } of removed) {
    tell(holder, by, unlinked(held))
    tell(held, by, unlinked(holder))
  }
  for (const { holder, held, by } of added) {
    tell(holder, by, linked(held))
    tell(held, by, linked(holder))
  }
  for (const { holder, by } of flagged) tell(holder, by)
  return [...told.values()]
}

async function recordLinks(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  records: LinkNews[],
  fresh: ReadonlySet<string>,
): Promise<void> {
  const touched = records
    .filter(({ ref }) => !fresh.has(nameOf(ref)))
    .map(({ ref: { id }, by }) => ({ id, by }))
  const before =
    touched.length > 0 ? await touch(tx, actor, type, touched) : new Map<number, object>()
  const changes = records.map(({ ref: { id }, by, events }): RecordChange => {
    const moved = before.get(id)
    return { id, actions: moved ? ['update'] : [], before: moved ?? {}, events, created_by: by }
  })
  await recordChanged(tx, actor, type, changes)
}

/** What the touch has changed of each record, as it was. */
async function touch(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  touched: { id: number; by: number }[],
): Promise<Map<number, object>> {
  const by = new Map(touched.map((each) => [each.id, each.by]))
  const rows = await tx.rows<{ id: number; updated_at: number; updated_by: number }>(
    touchRecords(actor, type, touched),
  )
  return new Map(
    rows.map(({ id, updated_at, updated_by }) => [
      id,
      {
        ...(updated_at !== actor.at && { updated_at }),
        ...(updated_by !== by.get(id) && { updated_by }),
      },
    ]),
  )
}

function linked({ type, id }: Ref): NewEvent {
  const kind = singular[type]
  return {
    type: `${kind}_linked`,
    value_before: [],
    value_after: [{ link: { entity: { type: kind, id } } }],
  }
}

/** On both sides: the specification names none, and programs look for it on either. */
function unlinked({ type, id }: Ref): NewEvent {
  const kind = singular[type]
  const value = [{ unlink: { entity: { type: kind, id } } }]
  return { type: `${kind}_unlinked`, value_before: value, value_after: value }
}
