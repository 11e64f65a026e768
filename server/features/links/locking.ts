// How verbs that link take their locks: kind by kind, in the order that all verbs keep. The links of a holder are read once it is locked,
// so they cannot move any more, and what one of them may give up is locked with the next kinds, in order. Nothing has to be looked at twice.
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { singular } from '../../entity-types.ts'
import type { RecordType } from '../../records/description.ts'
import type { Link, LinkPlan } from './plan.ts'
import { linksOfHolders, lockByIds } from './queries.ts'
import type { HeldRow, LockedRow } from './queries.ts'
import { lockOrder, nameOf, ruleOf } from '../../records/link-rules.ts'
import type { Pair, Ref } from '../../records/link-rules.ts'

export interface Locked {
  find(ref: Ref): LockedRow | undefined
  /** Whether a record is there, outside the bin, for the actor to see. */
  shows(ref: Ref): boolean
  /** The links that the holders have with the kinds in question, in the order in which they were made. */
  links: Link[]
}

/** Locks records and what holders among them may give up. `holders`: whose links with which kind are to be read. */
export async function lockLinked(
  tx: Tx,
  actor: Actor,
  records: Ref[],
  holders: { holder: Ref; held: RecordType }[],
): Promise<Locked> {
  const rows = new Map<string, LockedRow>()
  const links: Link[] = []
  for (const type of lockOrder) {
    const given = links.flatMap((link) =>
      link.held.type === type && ruleOf(link).most === 1 ? link.held : [],
    )
    const ids = idsOf(type, [...records, ...given])
    if (ids.length > 0)
      for (const row of await tx.rows<LockedRow>(lockByIds(actor, type, ids)))
        rows.set(nameOf({ type, id: row.id }), row)
    links.push(...(await linksHeld(tx, actor, type, holders)))
  }
  const find = (ref: Ref) => rows.get(nameOf(ref))
  return {
    find,
    shows(ref) {
      const row = find(ref)
      return row !== undefined && !row.is_deleted && row.viewed
    },
    links,
  }
}

/** What is wrong with a link that takes another from a holder that the actor sees and may not edit. */
export function lacksRight(locked: Locked, plan: LinkPlan, pair: Pair, isMain: boolean) {
  const { holder } = pair
  if (!locked.shows(holder) || locked.find(holder)!.edited || !plan.displaces(pair, isMain))
    return undefined
  const detail = `This takes the right to edit ${singular[holder.type]} ${holder.id}, which is linked with another.`
  return { code: 'NotSupportedChoice', detail }
}

/** The links of holders whose locks the transaction has. */
export async function readLinks(
  tx: Tx,
  actor: Actor,
  holders: { holder: Ref; held: RecordType }[],
): Promise<Link[]> {
  const links: Link[] = []
  for (const type of lockOrder) links.push(...(await linksHeld(tx, actor, type, holders)))
  return links
}

/** The links of those holders that are of a kind. */
async function linksHeld(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  holders: { holder: Ref; held: RecordType }[],
): Promise<Link[]> {
  const lists = new Map(
    holders.flatMap(({ holder, held }) =>
      holder.type === type ? [[`${holder.id} ${held}`, { id: holder.id, held }] as const] : [],
    ),
  )
  if (lists.size === 0) return []
  const found = await tx.rows<HeldRow>(linksOfHolders(actor, type, [...lists.values()]))
  return found.map(({ holder_id, held_type, held_id, is_main }) => ({
    holder: {
      type,
      id: holder_id,
    },
    held: {
      type: held_type,
      id: held_id,
    },
    is_main,
  }))
}

/** Whose links a batch of links is about. */
export function holdersOf(pairs: Pair[]): { holder: Ref; held: RecordType }[] {
  return pairs.map(({ holder, held }) => ({ holder, held: held.type }))
}

function idsOf(type: RecordType, refs: Ref[]): number[] {
  return [...new Set(refs.flatMap((ref) => (ref.type === type ? ref.id : [])))]
}
