// The verbs of links between records that are there (entities reference, 13).
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch, Faults, Item } from '../../http/batch.ts'
import { forbidden, notFound } from '../../http/problem.ts'
import { singular } from '../../entity-types.ts'
import type { RecordType } from '../../records/description.ts'
import { groupsOfActiveUsers } from '../../records/people.ts'
import { requireRight } from '../../access/record-rights.ts'
import { holdersOf, lacksRight, lockLinked } from './locking.ts'
import type { Locked } from './locking.ts'
import { planOf } from './plan.ts'
import type { LinkPlan } from './plan.ts'
import { pairOf } from '../../records/link-rules.ts'
import type { Pair } from '../../records/link-rules.ts'
import { writePlan } from './writing.ts'

/** One item of a request: the main entity, and what it is or was linked with. Null counts as not sent. */
interface LinkDraft {
  entity_id: number
  to_entity_id: number
  to_entity_type: RecordType
  metadata?: {
    is_main?: boolean | null
    /** Who does it. */
    updated_by?: number | null
    [key: string]: unknown
  } | null
}

/** A link as answers show it (entities reference, Link item). */
export interface ShownLink {
  entity_id: number
  entity_type: RecordType
  to_entity_id: number
  to_entity_type: RecordType
  metadata: { main_contact: boolean } | null
}

/** What an unknown main entity is: a fault of its item, or 404 where the path names it. */
type Missing = 'fault' | 'notFound'

/**
 * Links records of a kind to others; answers each link once, as it is now, in the order of the request. The items count one after the
 * other. A main entity that the actor may not edit: 403; what he may not view cannot be linked to, and what he may not edit gives up no
 * link for it.
 */
export async function linkRecords(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  batch: Batch<LinkDraft>,
  missing: Missing = 'fault',
): Promise<ShownLink[]> {
  const { pairs, plan, locked } = await openBatch(tx, actor, type, batch, missing)
  for (const [place, item] of batch.items.entries()) {
    const { metadata } = item.value
    const pair = pairs[place]!
    const lacking = lacksRight(locked, plan, pair, metadata?.is_main === true)
    if (lacking) batch.faults.add(item, { ...lacking, path: 'to_entity_id' })
    if (!plan.link(pair, metadata?.is_main === true, metadata?.updated_by ?? actor.userId))
      refuse(batch.faults, item, pair)
  }
  batch.faults.throwIfAny()
  await writePlan(tx, actor, plan, { first: type })
  const shown = batch.items.flatMap(({ value }, place) => show(type, value, plan, pairs[place]!))
  return [
    ...new Map(
      shown.map((link) => [`${link.entity_id} ${link.to_entity_type} ${link.to_entity_id}`, link]),
    ).values(),
  ]
}

/** Takes links away; one that is not there is none. The rest is as in `linkRecords`. */
export async function unlinkRecords(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  batch: Batch<LinkDraft>,
  missing: Missing = 'fault',
): Promise<void> {
  const { pairs, plan } = await openBatch(tx, actor, type, batch, missing)
  batch.faults.throwIfAny()
  for (const [place, { value }] of batch.items.entries())
    plan.unlink(pairs[place]!, value.metadata?.updated_by ?? actor.userId)
  await writePlan(tx, actor, plan, { first: type })
}

/** Locks what a batch is about, finds what is wrong with its items, and reads the links that it may move. */
async function openBatch(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { items, faults }: Batch<LinkDraft>,
  missing: Missing,
): Promise<{ pairs: Pair[]; plan: LinkPlan; locked: Locked }> {
  requireRight(actor, type, 'edit')
  const pairs = items.map(({ value }) =>
    pairOf({ type, id: value.entity_id }, { type: value.to_entity_type, id: value.to_entity_id }),
  )
  const records = pairs.flatMap(({ holder, held }) => [holder, held])
  const locked = await lockLinked(tx, actor, records, holdersOf(pairs))
  const authors = [...new Set(items.flatMap(({ value }) => value.metadata?.updated_by ?? []))]
  const active =
    authors.length > 0 ? await groupsOfActiveUsers(tx, actor, authors) : new Map<number, number>()
  for (const item of items) {
    checkMain(locked, type, item, faults, missing)
    checkTarget(locked, item, faults)
    checkMetadata(active, item, faults)
  }
  return { pairs, plan: planOf(locked.links), locked }
}

function checkMain(
  locked: Locked,
  type: RecordType,
  item: Item<LinkDraft>,
  faults: Faults,
  missing: Missing,
): void {
  const id = item.value.entity_id
  const main = locked.find({ type, id })
  if (main && !main.is_deleted) {
    if (!main.viewed || !main.edited)
      throw forbidden(`You have no right to edit ${singular[type]} ${id}`)
  } else if (missing === 'notFound') throw notFound()
  else
    faults.add(item, {
      code: 'EntityNotFound',
      path: 'entity_id',
      detail: `There is no ${singular[type]} ${id}.`,
    })
}

function checkTarget(locked: Locked, item: Item<LinkDraft>, faults: Faults): void {
  const { to_entity_type: type, to_entity_id: id } = item.value
  if (!locked.shows({ type, id }))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `There is no ${singular[type]} ${id}.`,
    })
}

/** What each kind of target takes besides `updated_by`. Only leads have a main contact; to a company `is_main` says nothing. */
const fitting: Record<RecordType, string[]> = {
  contacts: ['is_main', 'main_contact'],
  companies: [],
  leads: [],
}

function checkMetadata(
  active: ReadonlyMap<number, number>,
  item: Item<LinkDraft>,
  faults: Faults,
): void {
  const { to_entity_type, metadata } = item.value
  for (const [key, value] of Object.entries(metadata ?? {}))
    if (value !== null && key !== 'updated_by' && !fitting[to_entity_type].includes(key))
      faults.add(item, {
        code: 'FieldNotExpected',
        path: `metadata.${key}`,
        detail: 'This field was not expected.',
      })
  const by = metadata?.updated_by
  if (by !== undefined && by !== null && !active.has(by))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'metadata.updated_by',
      detail: `There is no active user ${by}.`,
    })
}

function refuse(faults: Faults, item: Item<LinkDraft>, { holder, held }: Pair): void {
  const detail = `The ${singular[holder.type]} ${holder.id} has as many ${held.type} as it may have.`
  faults.add(item, { code: 'TooMany', path: 'to_entity_id', detail })
}

/** Nothing for a link that a later item of the batch has replaced. */
function show(
  type: RecordType,
  { entity_id, to_entity_id, to_entity_type }: LinkDraft,
  plan: LinkPlan,
  pair: Pair,
): ShownLink[] {
  const link = plan.find(pair)
  if (!link) return []
  const metadata = to_entity_type === 'contacts' ? { main_contact: link.is_main } : null
  return [{ entity_id, entity_type: type, to_entity_id, to_entity_type, metadata }]
}
