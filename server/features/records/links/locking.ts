// Locks for verbs that link: type by type, in the order that all verbs keep. The links of a holder
// are read once the holder is locked, so that they can no longer change. A record that may lose
// such a link is locked with the next types, in order, and nothing has to be read twice.
import type { Said } from '../../../http/problem.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import { singular } from '../../../entity-types.ts'
import type { RecordType } from '../../../records/description.ts'
import type { Link, LinkPlan } from './plan.ts'
import { linksOfHolders, lockByIds } from './queries.ts'
import type { LinkedRow, LockedRow } from './queries.ts'
import { lockOrder, refKey, ruleOf } from '../../../records/link-rules.ts'
import type { Pair, RecordRef } from '../../../records/link-rules.ts'

export interface Locked {
  find(ref: RecordRef): LockedRow | undefined
  /** Whether a record exists outside the bin and the actor may view it. */
  shows(ref: RecordRef): boolean
  /** The links of the holders with the linked types concerned, in the order of creation. */
  links: Link[]
}

/**
 * Locks records, and those that holders among them may give up. `holders` lists whose links with
 * which type to read.
 */
export async function lockLinked(
  tx: Tx,
  actor: Actor,
  records: RecordRef[],
  holders: { holder: RecordRef; linked: RecordType }[],
): Promise<Locked> {
  const rows = new Map<string, LockedRow>()
  const links: Link[] = []
  for (const type of lockOrder) {
    const given = links.flatMap((link) =>
      link.linked.type === type && ruleOf(link).most === 1 ? link.linked : [],
    )
    const ids = idsOf(type, [...records, ...given])
    if (ids.length > 0)
      for (const row of await tx.rows<LockedRow>(lockByIds(actor, type, ids)))
        rows.set(refKey({ type, id: row.id }), row)
    links.push(...(await lockedLinks(tx, actor, type, holders)))
  }
  const find = (ref: RecordRef) => rows.get(refKey(ref))
  return {
    find,
    shows(ref) {
      const row = find(ref)
      return row !== undefined && !row.is_deleted && row.viewed
    },
    links,
  }
}

/**
 * A fault for a link that would displace another link of a holder which the actor may view but not
 * edit.
 */
export function lacksRight(
  locked: Locked,
  plan: LinkPlan,
  pair: Pair,
  isMain: boolean,
): Said | undefined {
  const { holder } = pair
  if (!locked.shows(holder) || locked.find(holder)!.edited || !plan.displaces(pair, isMain))
    return undefined
  const detail = `This takes the right to edit ${singular[holder.type]} ${holder.id}, which is linked with another.`
  return ['NotSupportedChoice', detail]
}

/** The links of holders that the transaction has locked. */
export async function readLinks(
  tx: Tx,
  actor: Actor,
  holders: { holder: RecordRef; linked: RecordType }[],
): Promise<Link[]> {
  const links: Link[] = []
  for (const type of lockOrder) links.push(...(await lockedLinks(tx, actor, type, holders)))
  return links
}

/** The links of those holders that are of one type. */
async function lockedLinks(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  holders: { holder: RecordRef; linked: RecordType }[],
): Promise<Link[]> {
  const lists = new Map(
    holders.flatMap(({ holder, linked }) =>
      holder.type === type ? [[`${holder.id} ${linked}`, { id: holder.id, linked }] as const] : [],
    ),
  )
  if (lists.size === 0) return []
  const rows = await tx.rows<LinkedRow>(linksOfHolders(actor, type, [...lists.values()]))
  return rows.map(({ holder_id, held_type, held_id, is_main }) => ({
    holder: {
      type,
      id: holder_id,
    },
    linked: {
      type: held_type,
      id: held_id,
    },
    is_main,
  }))
}

/** The holders of a batch of links, each with the type of the records it holds. */
export function holdersOf(pairs: Pair[]): { holder: RecordRef; linked: RecordType }[] {
  return pairs.map(({ holder, linked }) => ({ holder, linked: linked.type }))
}

function idsOf(type: RecordType, refs: RecordRef[]): number[] {
  return [...new Set(refs.flatMap((ref) => (ref.type === type ? ref.id : [])))]
}
