// Links of new records: what `_embedded.contacts` and `_embedded.companies` name. A link is kept from both ends; both ends are told.
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Faults, Item } from '../../http/batch.ts'
import { singular } from '../../entity-types.ts'
import type { RecordType } from '../../records/description.ts'
import type { Sent } from '../../records/schema.ts'
import { holdersOf, lacksRight, lockLinked, readLinks } from './locking.ts'
import { planOf } from './plan.ts'
import { nameOf, pairOf } from '../../records/link-rules.ts'
import type { Pair } from '../../records/link-rules.ts'
import { writePlan } from './writing.ts'

/** What one new record is linked to. */
interface NewLink {
  type: 'contacts' | 'companies'
  id: number
  is_main: boolean
}

/**
 * Reads and locks the records that a batch of new ones names, contacts first, each kind in the order of ids, and the companies that
 * contacts of new companies leave. A record that is not there, or that the actor may not view, is a fault, and so is a contact that would
 * leave its company though he may not edit it. Answers the links of each item, in the order of the items.
 */
export async function checkLinks(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  items: Item<Sent>[],
  faults: Faults,
): Promise<NewLink[][]> {
  const links = items.map(({ value }) => linksOf(type, value))
  const named = links.flat()
  if (named.length === 0) return links
  // The new record has no id yet; whom it holds does not depend on it.
  const pairs = named.map((link) => pairOf({ type, id: 0 }, link))
  const locked = await lockLinked(tx, actor, named, othersHold(type, pairs))
  const plan = planOf(locked.links)
  for (const item of items) {
    for (const kind of ['contacts', 'companies'] as const) {
      for (const [place, { id }] of (item.value._embedded?.[kind] ?? []).entries()) {
        const path = `_embedded.${kind}.${place}.id`
        if (!locked.shows({ type: kind, id }))
          faults.add(item, {
            code: 'NotSupportedChoice',
            path,
            detail: `There is no ${singular[kind]} ${id}.`,
          })
        const lacking = lacksRight(locked, plan, pairOf({ type, id: 0 }, { type: kind, id }), false)
        if (lacking) faults.add(item, { ...lacking, path })
      }
    }
  }
  return links
}

/** The first contact is the main one where none is said to be. A contact that is named twice is linked once. */
function linksOf(type: RecordType, { _embedded }: Sent): NewLink[] {
  const contacts = type === 'contacts' ? [] : (_embedded?.contacts ?? [])
  const main =
    type === 'leads' ? (contacts.find(({ is_main }) => is_main) ?? contacts[0])?.id : undefined
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
 * Links new records to those that `checkLinks` has locked and tells both ends: `<kind>_linked` on each, and the other end is touched. A
 * contact leaves its company for a new one, the last of the batch that names it.
 */
export async function linkNew(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  ids: number[],
  links: NewLink[][],
): Promise<void> {
  const wishes = links.flatMap((each, place) =>
    each.map((link) => ({ pair: pairOf({ type, id: ids[place]! }, link), isMain: link.is_main })),
  )
  if (wishes.length === 0) return
  const holders = othersHold(
    type,
    wishes.map(({ pair }) => pair),
  )
  const plan = planOf(await readLinks(tx, actor, holders))
  for (const { pair, isMain } of wishes) plan.link(pair, isMain, actor.userId)
  await writePlan(tx, actor, plan, {
    first: type,
    fresh: new Set(ids.map((id) => nameOf({ type, id }))),
  })
}

/** The holders that are not new themselves. */
function othersHold(type: RecordType, pairs: Pair[]) {
  return holdersOf(pairs.filter(({ holder }) => holder.type !== type))
}
