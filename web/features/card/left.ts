// Changes that earlier pages of this browser left without an answer (web/data/waiting.ts): sent with the keys
// that they had, or where others have changed the same since, kept for their records, which ask whose
// value stays.
import type { RecordType } from '../../../server/records/description.ts'
import { ask, askList, isPassing } from '../../data/api.ts'
import { isSameValue } from '../../data/conflicts.ts'
import { keepEdit } from '../../data/kept-edits.ts'
import { overtakenMembers } from '../../crm/changes.ts'
import { allWaiting, forgetWaiting, longestWaitMs } from '../../data/waiting.ts'
import type { WaitingChange, WaitingWrite } from '../../data/waiting.ts'
import { sendPatiently } from '../../data/writes.ts'
import { membersOf } from './record.ts'
import type { RecordCard } from './record.ts'

/** A change that was not sent, and waits in the card of its record. */
export interface UnsentChange {
  type: RecordType
  id: number
  name: string
}

/** Sends the changes that were left, in their order. `unsent` hears of each record whose change waits for an answer. */
export async function sendLeftWrites(unsent: (change: UnsentChange) => void): Promise<void> {
  const left = allWaiting()
  for (const write of left) {
    // A later change of a record may rest on an earlier one.
    // oxlint-disable-next-line no-await-in-loop
    for (const change of await resume(write)) unsent(change)
  }
}

async function resume(write: WaitingWrite): Promise<UnsentChange[]> {
  const { key, path, body, changes, at } = write
  const type = write.type as RecordType
  try {
    const records = await recordsOf(type, changes)
    const late = changes.filter((change) => isLate(change, records))
    const isOld = Date.now() - at > longestWaitMs
    if (late.length === 0 && !isOld)
      await sendPatiently(() => ask(path, { method: 'PATCH', body, key }), { key })
    forgetWaiting(key)
    const waiting = isOld ? changes.filter((change) => isOpen(change, records)) : late
    return waiting.flatMap((change) => keptForCard(write, change, records) ?? [])
  } catch (error) {
    // Without a connection, the next page tries again.
    if (isPassing(error)) return []
    forgetWaiting(key)
    return changes.flatMap((change) => keptForCard(write, change, new Map()) ?? [])
  }
}

type Present = ReadonlyMap<number, RecordCard['record']>

async function recordsOf(type: RecordType, changes: readonly WaitingChange[]): Promise<Present> {
  const query = changes.map(({ id }) => `filter[id][]=${id}`).join('&')
  const found = await askList<RecordCard['record']>(`/api/v4/${type}?${query}&limit=250`, type)
  return new Map(found.map((record) => [record.id, record]))
}

function isLate(change: WaitingChange, records: Present): boolean {
  const record = records.get(change.id)
  return record !== undefined && overtakenMembers(change, membersOf({ record })).length > 0
}

/** Whether the record does not show the change. */
function isOpen({ id, after }: WaitingChange, records: Present): boolean {
  const record = records.get(id)
  if (!record) return false
  const now = membersOf({ record }) as unknown as Record<string, unknown>
  return Object.entries(after).some(([name, value]) => !isSameValue(now[name], value))
}

/** Keeps each member of a change for the card of its record. */
function keptForCard(
  { type, at }: WaitingWrite,
  { id, before, after }: WaitingChange,
  records: Present,
): UnsentChange | undefined {
  const isMove = 'status_id' in after && type === 'leads'
  const members = isMove ? ['status_id'] : Object.keys(after)
  for (const member of members) {
    const [value, base] = isMove ? [after, before] : [after[member], before[member]]
    keepEdit(`${type} ${id}`, member, { after: value, base, at })
  }
  return members.length === 0
    ? undefined
    : { type: type as RecordType, id, name: records.get(id)?.name ?? '' }
}
