// Calls of a telephone system, which names no record: each is placed by its number (interface:
// Call), and becomes a note like any other. The records are found, locked in the order of all
// verbs, and found again: a lead may have been closed or deleted meanwhile (decision 41).
import sql from 'sql-template-tag'
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { mayNone } from '../../../access/record-rights.ts'
import type { Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { forbidden, unavailable } from '../../../http/problem.ts'
import { recordTypes } from '../../../records/description.ts'
import { lockOrder, refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import { groupsOfNamed } from '../../../records/people.ts'
import { addNotes, draftCallNote, lockNoteParents, withFiles } from '../notes/notes.ts'
import type { KeepFiles, LockedParent } from '../notes/notes.ts'
import type { NewNote } from '../notes/schema.ts'
import { keysOfPhone, lastDigits } from './phones.ts'
import { lockCalls, recordsOfCalls, storedCalls } from './queries.ts'
import type { NamedCall } from './queries.ts'
import type { CallError, NewCall } from './schema.ts'

export { comparedDigits, keysOfPhone } from './phones.ts'

/** A call as it was stored: its note, and the record that the note is on. */
export interface StoredCall {
  id: number
  entity: RecordRef
  request_id: string
}

/** The calls that were stored, and those that were not, both in request order. */
export interface CallsOutcome {
  calls: StoredCall[]
  errors: CallError[]
}

/**
 * Adds calls as notes. A call that is stored already is answered with its note. Throws 403 for a
 * user who may edit no record, or sees neither contacts nor companies.
 */
export async function addCalls(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewCall>,
  keepFiles: KeepFiles,
): Promise<CallsOutcome> {
  requireRightToCalls(actor)
  const known = await findStored(tx, actor, items)
  const fresh = firstOfEach(items.filter((item) => !known.has(keyOf(item))))
  const recordOf = await lockRecordsOfCalls(tx, actor, [...fresh])
  const notes = items.map((item) => ({ ...item, value: noteOf(item.value) }))
  const groups = await groupsOfNamed(tx, actor, notes)
  const writer = startWriting(tx, actor)
  // Every call is checked, one that is stored already or repeated too.
  const placed = items.flatMap((item, at) => {
    const parent = fresh.has(item) ? recordOf(item.value.phone) : undefined
    const row = draftCallNote(
      writer,
      { faults, groups },
      notes[at]!,
      parent?.allowed ? parent : undefined,
    )
    return row ? [{ key: keyOf(item), row }] : []
  })
  faults.throwIfAny()
  const drafts = placed.map(({ row }) => row)
  const rows = await withFiles(tx, writer, drafts, keepFiles)
  const ids = rows.length > 0 ? await addNotes(tx, writer, rows) : []
  const stored = new Map([
    ...known,
    ...placed.map(({ key, row }, at) => {
      return [key, { id: ids[at]!, entity: { type: row.entity_type, id: row.entity_id } }] as const
    }),
  ])
  const outcome: CallsOutcome = { calls: [], errors: [] }
  for (const item of items) {
    const { request_id } = item
    const call = stored.get(keyOf(item))
    if (call) outcome.calls.push({ ...call, request_id })
    else outcome.errors.push({ request_id, ...errorOf(item, recordOf) })
  }
  return outcome
}

/** A right that is denied for every record is a problem, as with notes. */
function requireRightToCalls(actor: Actor): void {
  const seesNone = (['contacts', 'companies'] as const).every((type) =>
    mayNone(actor, type, 'view'),
  )
  if (seesNone || recordTypes.every((type) => mayNone(actor, type, 'edit')))
    throw forbidden('You have no right to add calls')
}

const noteTypes = { inbound: 'call_in', outbound: 'call_out' } as const

/** Equal for the same call sent again; a call without `uniq` equals no other. */
function keyOf({ index, value: { uniq, direction, phone } }: Item<NewCall>): string {
  return uniq ? JSON.stringify([direction, lastDigits(phone), uniq]) : String(index)
}

function firstOfEach(items: Item<NewCall>[]): ReadonlySet<Item<NewCall>> {
  return new Set([...Map.groupBy(items, keyOf).values()].map(([first]) => first!))
}

/**
 * The notes of calls that are stored already, by `keyOf`. Requests that name the same call follow
 * one another from here on.
 */
async function findStored(
  tx: Tx,
  actor: Actor,
  items: Item<NewCall>[],
): Promise<Map<string, Omit<StoredCall, 'request_id'>>> {
  const named = items.flatMap(({ value: { uniq, direction, phone } }, index): NamedCall[] =>
    uniq
      ? [{ place: index, note_type: noteTypes[direction], uniq, digits: lastDigits(phone) }]
      : [],
  )
  if (named.length === 0) return new Map()
  const uniqs = named.map(({ uniq }) => uniq)
  await tx.rows(lockCalls(actor, uniqs))
  const rows = await tx.rows<{
    place: number
    id: number
    type: RecordRef['type']
    entity_id: number
  }>(storedCalls(actor, named))
  return new Map(
    rows.map(({ place: index, id, type, entity_id }) => [
      keyOf(items[index]!),
      { id, entity: { type, id: entity_id } },
    ]),
  )
}

/** How often the records of calls are locked anew, because calls belong elsewhere meanwhile. */
const mostAttempts = 10

/**
 * Locks the records that calls belong to; answers a function that gives the record of a phone.
 * Where a call belongs to another record by then, all locks are released, and that record is locked
 * with the others. Throws 503 where the records change all the time.
 */
async function lockRecordsOfCalls(
  tx: Tx,
  actor: Actor,
  items: Item<NewCall>[],
): Promise<(phone: string) => LockedParent | undefined> {
  const numbers = [...new Set(items.flatMap(({ value }) => keysOfPhone(value.phone)))]
  if (numbers.length === 0) return () => undefined
  const find = () => tx.rows<RecordRef & { number: string }>(recordsOfCalls(actor, numbers))
  // Records of earlier attempts stay among them, so that calls may go back and forth between them.
  const wanted = new Map<string, RecordRef>()
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    await tx.rows(sql`savepoint calls`)
    for (const each of await find()) wanted.set(refKey(each), each)
    const locked = await lockRecordsByRank(tx, actor, [...wanted.values()])
    const found = await find()
    const isLocked = found.every((each) => locked.has(refKey(each)))
    await tx.rows(isLocked ? sql`release savepoint calls` : sql`rollback to savepoint calls`)
    if (!isLocked) continue
    const byNumber = new Map(found.map((each) => [each.number, locked.get(refKey(each))!]))
    return (phone) =>
      keysOfPhone(phone)
        .map((number) => byNumber.get(number))
        .find((parent) => parent !== undefined)
  }
  throw unavailable('The records of these calls are being changed all the time, try again')
}

async function lockRecordsByRank(
  tx: Tx,
  actor: Actor,
  records: RecordRef[],
): Promise<ReadonlyMap<string, LockedParent>> {
  const locked = new Map<string, LockedParent>()
  for (const type of lockOrder) {
    const ids = records.flatMap((each) => (each.type === type ? each.id : []))
    if (ids.length === 0) continue
    for (const parent of (await lockNoteParents(tx, actor, type, ids)).values())
      locked.set(refKey(parent), parent)
  }
  return locked
}

/** The call as a note. Its creator had the call, unless the source names another user. */
function noteOf({ direction, ...call }: NewCall): NewNote {
  const { responsible_user_id, created_by, updated_by, created_at, updated_at: _, ...params } = call
  const call_responsible = params.call_responsible ?? (created_by || undefined)
  return {
    note_type: noteTypes[direction],
    params: withoutNulls({ ...params, call_responsible }),
    ...withoutNulls({ responsible_user_id, created_by, updated_by, created_at }),
  }
}

function withoutNulls<Given extends object>(given: Given) {
  const sent = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(sent) as { [Key in keyof Given]?: NonNullable<Given[Key]> }
}

/** Why a call was not stored. A record that the actor may not view is unknown to the actor. */
function errorOf(
  { value: { phone } }: Item<NewCall>,
  recordOf: (phone: string) => LockedParent | undefined,
): Omit<CallError, 'request_id'> {
  const refused = recordOf(phone)
  if (!refused)
    return {
      title: 'Entity not found',
      status: 404,
      detail: `There is no contact and no company with the phone ${phone}.`,
    }
  return {
    title: 'Forbidden',
    status: 403,
    detail: `You have no right to edit ${singular[refused.type]} ${refused.id}.`,
  }
}
