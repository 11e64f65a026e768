// Links between records (interface: Link). A link is stored at both ends and recorded at both. The
// holder of a link is the record whose links are limited (records/link-rules.ts); its lock guards
// them. Verbs lock first, then make a plan, then write it.
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import type { Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { Batch, Faults, Item } from '../../../http/batch.ts'
import { faultAt, forbidden, invalid, notFound } from '../../../http/problem.ts'
import type { RecordType } from '../../../records/description.ts'
import { hasMain, refKey, pairOf, ruleOf } from '../../../records/link-rules.ts'
import type { LinkEnd, Pair, RecordRef } from '../../../records/link-rules.ts'
import type { SentRecord } from '../../../records/schema.ts'
import type { Missing } from '../../../records/writing/change.ts'
import { activeAuthors, checkMetadata, eachOnce } from './drafts.ts'
import type { LinkDraft, ShownLink } from './drafts.ts'
import { checkElement, openElements, pricesOf, putOn, shownTerms } from './elements.ts'
import type { NamedElement, OpenedElements } from './elements.ts'
import type { LinkQuery } from './link-list.ts'
import { holdersOf, lacksRight, lockLinked, readLinks } from './locking.ts'
import type { Locked } from './locking.ts'
import { planOf } from './plan.ts'
import type { LinkPlan } from './plan.ts'
import type { LinkFilter } from './schema.ts'
import { writePlan } from './writing.ts'

export { lockKept, lockMerged, moveLinks, moveLinksBack } from './merging.ts'
export { linkedLeadCounts, linkedName } from './shown.ts'
export { checkSentLinks } from './sent-links.ts'
export type { KeptElement, KeptLink, MergedPair } from './merging.ts'

/**
 * Links records of one entity type to others and to elements of catalogs, item by item; answers each
 * link once, as it is now, in request order. Throws 403 for a main entity that the actor may not
 * edit. Faults are targets that the actor may not view, and links that displace one of a holder that
 * the actor may not edit.
 */
export async function linkRecords(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  batch: Batch<LinkDraft>,
  missing: Missing = 'fault',
): Promise<ShownLink[]> {
  const { items, faults } = batch
  const { pairs, plan, locked, elements } = await openBatch(tx, actor, type, batch, missing)
  const prices = await pricesOf(tx, actor, catalogsWithPrices(elements, type, items))
  for (const [index, item] of items.entries()) {
    const pair = pairs[index]
    if (pair) linkPair(plan, locked, pair, item, actor, faults)
    else putOn(elements, prices, elementIn(type, item), item, actor, faults)
  }
  faults.throwIfAny()
  const writer = startWriting(tx, actor)
  await writePlan(tx, writer, plan, { first: type, elements: elements.plan })
  return eachOnce(
    items.flatMap((item, index) => {
      const { entity_id, to_entity_id, to_entity_type } = item.value
      const pair = pairs[index]
      const metadata = pair
        ? shownPair(plan, pair, to_entity_type)
        : shownElement(elements, elementIn(type, item))
      if (metadata === undefined) return []
      return [{ entity_id, entity_type: type, to_entity_id, to_entity_type, metadata }]
    }),
  )
}

/**
 * Removes links; a link that does not exist is ignored. Rights and answers to unknown records are
 * those of `linkRecords`.
 */
export async function unlinkRecords(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  batch: Batch<LinkDraft>,
  missing: Missing = 'fault',
): Promise<void> {
  const { pairs, plan, elements } = await openBatch(tx, actor, type, batch, missing)
  batch.faults.throwIfAny()
  for (const [index, item] of batch.items.entries()) {
    const pair = pairs[index]
    const by = item.value.metadata?.updated_by ?? actor.userId
    const { record, id } = elementIn(type, item)
    if (pair) plan.unlink(pair, by)
    else elements.plan.unlink(record, id, by)
  }
  const writer = startWriting(tx, actor)
  await writePlan(tx, writer, plan, { first: type, elements: elements.plan })
}

interface Opened {
  /** The two records of each item; undefined for one that names an element. */
  pairs: (Pair | undefined)[]
  plan: LinkPlan
  locked: Locked
  elements: OpenedElements
}

/**
 * Locks the records of a batch, adds the faults of its items, and reads the links that it may
 * change.
 */
async function openBatch(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { items, faults }: Batch<LinkDraft>,
  missing: Missing,
): Promise<Opened> {
  requireRight(actor, type, 'edit')
  const pairs = items.map(({ value: { entity_id, to_entity_id, to_entity_type: to } }) =>
    to === 'catalog_elements'
      ? undefined
      : pairOf({ type, id: entity_id }, { type: to, id: to_entity_id }),
  )
  const ofRecords = pairs.filter((pair) => pair !== undefined)
  const ofElements = items.filter((_, index) => !pairs[index]).map((item) => elementIn(type, item))
  const records = [
    ...ofRecords.flatMap(({ holder, linked }) => [holder, linked]),
    ...ofElements.map(({ record }) => record),
  ]
  const locked = await lockLinked(tx, actor, records, holdersOf(ofRecords))
  const elements = await openElements(tx, actor, ofElements)
  const active = await activeAuthors(tx, actor, items)
  for (const [index, item] of items.entries()) {
    checkMain(locked, type, item, faults, missing)
    if (pairs[index]) checkTarget(locked, item, faults)
    else checkElement(elements, elementIn(type, item), item, faults)
    checkMetadata(active, item.value.to_entity_type, item, faults)
  }
  return { pairs, plan: planOf(locked.links), locked, elements }
}

const elementIn = (type: RecordType, { value }: Pick<Item<LinkDraft>, 'value'>): NamedElement => ({
  record: { type, id: value.entity_id },
  id: value.to_entity_id,
})

/** The catalogs whose prices items name. */
function catalogsWithPrices(
  elements: OpenedElements,
  type: RecordType,
  items: Item<LinkDraft>[],
): number[] {
  return items.flatMap((item) =>
    item.value.metadata?.price_id ? (elements.find(elementIn(type, item))?.catalog_id ?? []) : [],
  )
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
  const type = item.value.to_entity_type as RecordType
  const id = item.value.to_entity_id
  if (!locked.shows({ type, id }))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `There is no ${singular[type]} ${id}.`,
    })
}

function linkPair(
  plan: LinkPlan,
  locked: Locked,
  pair: Pair,
  item: Item<LinkDraft>,
  { userId }: Actor,
  faults: Faults,
): void {
  const { metadata } = item.value
  const isMain = metadata?.is_main === true
  if (locked.find(pair.holder)?.waits || locked.find(pair.linked)?.waits)
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: 'The lead waits with an unsorted item, and is linked once that is accepted.',
    })
  const lacking = lacksRight(locked, plan, pair, isMain)
  if (lacking) faults.add(item, faultAt('to_entity_id', ...lacking))
  if (plan.link(pair, isMain, metadata?.updated_by ?? userId)) return
  const { holder, linked } = pair
  const detail = `The ${singular[holder.type]} ${holder.id} has as many ${linked.type} as it may have.`
  faults.add(item, faultAt('to_entity_id', 'TooMany', detail, ruleOf(pair).most))
}

/** The metadata in the answer; none where a later item of the batch has replaced the link. */
function shownPair(plan: LinkPlan, pair: Pair, to: LinkEnd) {
  const link = plan.find(pair)
  return link && (to === 'contacts' ? { main_contact: link.is_main } : null)
}

function shownElement({ plan }: OpenedElements, { record, id }: NamedElement) {
  const link = plan.find(record, id)
  return link && shownTerms(link)
}

/** Whether new records name others that they are linked to. */
export const namesLinks = ({ items }: Batch<SentRecord>): boolean =>
  items.some(({ value: { _embedded } }) =>
    [_embedded?.contacts, _embedded?.companies].some((named) => named && named.length > 0),
  )

/** A link of one new record. */
interface NewLink {
  type: 'contacts' | 'companies'
  id: number
  is_main: boolean
}

/**
 * Locks the records that new records link to, and the companies that contacts would leave. Faults
 * are records that the actor may not view or that do not exist, and contacts that would leave their
 * company without the right to edit them. Answers the links of each item, in order.
 */
export async function checkNewLinks(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { items, faults }: Batch<SentRecord>,
): Promise<NewLink[][]> {
  const links = items.map(({ value }) => linksOf(type, value))
  const named = links.flat()
  if (named.length === 0) return links
  // The new record has no id yet; the holder of a link does not depend on it.
  const pairs = named.map((link) => pairOf({ type, id: 0 }, link))
  const locked = await lockLinked(tx, actor, named, heldByOthers(type, pairs))
  const plan = planOf(locked.links)
  for (const item of items) {
    for (const kind of ['contacts', 'companies'] as const) {
      for (const [index, { id }] of (item.value._embedded?.[kind] ?? []).entries()) {
        const path = `_embedded.${kind}.${index}.id`
        if (!locked.shows({ type: kind, id }))
          faults.add(item, {
            code: 'NotSupportedChoice',
            path,
            detail: `There is no ${singular[kind]} ${id}.`,
          })
        const lacking = lacksRight(locked, plan, pairOf({ type, id: 0 }, { type: kind, id }), false)
        if (lacking) faults.add(item, faultAt(path, ...lacking))
      }
    }
  }
  return links
}

/**
 * Without a main contact in the body, the first contact is the main one. A contact named twice is
 * linked once.
 */
function linksOf(type: RecordType, { _embedded }: SentRecord): NewLink[] {
  const contacts = type === 'contacts' ? [] : (_embedded?.contacts ?? [])
  const main = hasMain(type, 'contacts')
    ? (contacts.find(({ is_main }) => is_main) ?? contacts[0])?.id
    : undefined
  const companies = type === 'companies' ? [] : (_embedded?.companies ?? [])
  return [
    ...[...new Set(contacts.map(({ id }) => id))].map((id) => ({
      type: 'contacts' as const,
      id,
      is_main: id === main,
    })),
    ...companies.map(({ id }) => ({ type: 'companies' as const, id, is_main: false })),
  ]
}

/**
 * Links new records to those that `checkNewLinks` has locked. Records `<type>_linked` at both ends
 * and touches the other end. A contact leaves its company for a new one, the last in the batch that
 * names it.
 */
export async function linkNew(
  tx: Tx,
  writer: Writer,
  type: RecordType,
  ids: number[],
  links: NewLink[][],
): Promise<void> {
  const requested = links.flatMap((each, index) =>
    each.map((link) => ({ pair: pairOf({ type, id: ids[index]! }, link), isMain: link.is_main })),
  )
  if (requested.length === 0) return
  const holders = heldByOthers(
    type,
    requested.map(({ pair }) => pair),
  )
  const plan = planOf(await readLinks(tx, writer, holders))
  for (const { pair, isMain } of requested) plan.link(pair, isMain, writer.userId)
  await writePlan(tx, writer, plan, {
    first: type,
    recorded: new Set(ids.map((id) => refKey({ type, id }))),
  })
}

/** The holders that are not new themselves. */
function heldByOthers(type: RecordType, pairs: Pair[]) {
  return holdersOf(pairs.filter(({ holder }) => holder.type !== type))
}

/**
 * The targets of a filter: `to_entity_id` and `to_entity_type` go together (interface: Link),
 * otherwise 400.
 */
export function targetOf({
  to_entity_id: ids,
  to_entity_type: type,
  to_catalog_id: catalogs,
}: LinkFilter = {}): Pick<LinkQuery, 'to'> {
  if ((ids === undefined) !== (type === undefined)) {
    const path = `filter[${ids === undefined ? 'to_entity_id' : 'to_entity_type'}]`
    throw invalid([
      {
        request_id: '0',
        errors: [{ code: 'FieldMissing', path, detail: 'This field is missing.' }],
      },
    ])
  }
  return { to: { type, ids, catalogs } }
}

/** Two records of which at least one is new; the holder has room for the link. */
export interface NewPair {
  one: RecordRef
  other: RecordRef
  isMain: boolean
}

/**
 * Links records that a verb has locked or created, where there is room for every link. `recorded`
 * names (`refKey`) the records whose addition or change the transaction has already recorded.
 */
export async function linkPairs(
  tx: Tx,
  writer: Writer,
  pairs: NewPair[],
  first: RecordType,
  recorded: ReadonlySet<string>,
): Promise<void> {
  const plan = planOf([])
  for (const { one, other, isMain } of pairs) plan.link(pairOf(one, other), isMain, writer.userId)
  await writePlan(tx, writer, plan, { first, recorded })
}
