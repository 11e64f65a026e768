// Calls of a telephone system, which names no record: each is placed by its number (entities
// reference, 25), and becomes a note like any other. The records are found, locked in the order of
// all verbs, and found again: a lead may have been closed or deleted meanwhile (decision 41).
import { isDeepStrictEqual } from 'node:util'
import sql from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { mayNone } from '../../access/record-rights.ts'
import type { Tx } from '../../database/connect.ts'
import { singular } from '../../entity-types.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { forbidden } from '../../http/problem.ts'
import { recordTypes } from '../../records/description.ts'
import { lockOrder, refKey } from '../../records/link-rules.ts'
import type { RecordRef } from '../../records/link-rules.ts'
import { groupsOfNamed } from '../../records/people.ts'
import { addNotes, draftNote, lockNoteParents } from '../notes/notes.ts'
import type { LockedParent } from '../notes/notes.ts'
import type { NewNote } from '../notes/schema.ts'
import { lastDigits, numbersOf } from './phones.ts'
import { holdCalls, recordsOfCalls, storedCalls } from './queries.ts'
import type { NamedCall } from './queries.ts'
import type { CallError, NewCall } from './schema.ts'

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
): Promise<CallsOutcome> {
  requireRightToCalls(actor)
  const known = await findStored(tx, actor, items)
  const fresh = firstOfEach(items.filter((item) => !known.has(keyOf(item))))
  const recordOf = await lockRecordsOfCalls(tx, actor, fresh)
  const notes = fresh.map((item) => ({ ...item, value: noteOf(item.value) }))
  const groups = await groupsOfNamed(tx, actor, notes)
  const context = { faults, groups, readParams: asTheyAre }
  const placed = notes.flatMap((note, at) => {
    const parent = recordOf(fresh[at]!.value.phone)
    const row = draftNote(actor, context, note, parent?.allowed ? parent : undefined)
    return row ? [{ key: keyOf(fresh[at]!), row }] : []
  })
  faults.throwIfAny()
  const rows = placed.map(({ row }) => row)
  const ids = rows.length > 0 ? await addNotes(tx, actor, rows) : []
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

function firstOfEach(items: Item<NewCall>[]): Item<NewCall>[] {
  return [...Map.groupBy(items, keyOf).values()].map(([first]) => first!)
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
  const named = items.flatMap(({ value: { uniq, direction, phone } }, place): NamedCall[] =>
    uniq ? [{ place, note_type: noteTypes[direction], uniq, digits: lastDigits(phone) }] : [],
  )
  if (named.length === 0) return new Map()
  const uniqs = named.map(({ uniq }) => uniq)
  await tx.rows(holdCalls(actor, uniqs))
  const rows = await tx.rows<{
    place: number
    id: number
    type: RecordRef['type']
    entity_id: number
  }>(storedCalls(actor, named))
  return new Map(
    rows.map(({ place, id, type, entity_id }) => [
      keyOf(items[place]!),
      { id, entity: { type, id: entity_id } },
    ]),
  )
}

/** How often the records of calls are locked anew, because calls belong elsewhere meanwhile. */
const mostAttempts = 10

/**
 * Locks the records that calls belong to; answers a function that gives the record of a phone. A
 * record that a call no longer belongs to once it is locked makes all locks be released, and the
 * search begin anew.
 */
async function lockRecordsOfCalls(
  tx: Tx,
  actor: Actor,
  items: Item<NewCall>[],
): Promise<(phone: string) => LockedParent | undefined> {
  const numbers = [...new Set(items.flatMap(({ value }) => numbersOf(value.phone)))]
  if (numbers.length === 0) return () => undefined
  const find = () => tx.rows<RecordRef & { number: string }>(recordsOfCalls(actor, numbers))
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    await tx.rows(sql`savepoint calls`)
    const found = await find()
    const locked = new Map<string, LockedParent>()
    for (const type of lockOrder) {
      const ids = found.flatMap((each) => (each.type === type ? each.id : []))
      if (ids.length === 0) continue
      for (const parent of (await lockNoteParents(tx, actor, type, ids)).values())
        locked.set(refKey(parent), parent)
    }
    const isLocked =
      found.every((each) => locked.has(refKey(each))) && isDeepStrictEqual(await find(), found)
    await tx.rows(isLocked ? sql`release savepoint calls` : sql`rollback to savepoint calls`)
    if (!isLocked) continue
    const byNumber = new Map(found.map((each) => [each.number, locked.get(refKey(each))!]))
    return (phone) =>
      numbersOf(phone)
        .map((number) => byNumber.get(number))
        .find((parent) => parent !== undefined)
  }
  throw new Error(`the records of calls of account ${actor.accountId} do not come to rest`)
}

/** The call as a note. Who is said to have created the call had it, unless the source says who. */
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

/** The body has checked the params of a call by the rules of its note. */
const asTheyAre = (_type: unknown, value: Record<string, unknown>) => ({ value, faults: [] })

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
