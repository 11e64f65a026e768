// The links of a record that is merged into another of its type, and their way back. Links go over in
// place: they keep their ids, and with these the order of a lead's contacts, and who of them is the main
// one. The holders of links are locked, so that none changes meanwhile.
import type { Actor, Writer } from '../../../access/actor.ts'
import type { Entry, NewEvent } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { Problem } from '../../../http/problem.ts'
import type { RecordType } from '../../../records/description.ts'
import { hasMain, pairOf, refKey, ruleOf } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import { mostElements } from './element-plan.ts'
import { lockLinked, readLinks } from './locking.ts'
import type { Locked } from './locking.ts'
import * as queries from './merging-queries.ts'
import type { KeptElement, KeptLink, LinkOfRecord } from './merging-queries.ts'
import type { Link, MovedLink } from './plan.ts'
import { flagLinks, removeLinks } from './queries.ts'
import { entityLinked, entityUnlinked, linkEntries, linkNewsOf } from './writing.ts'

export type { KeptElement, KeptLink } from './merging-queries.ts'

/** The two records of a merge. */
export interface MergedPair {
  type: RecordType
  into: number
  from: number
}

/** The most links of the record that is merged away. Each has a record that is locked and told of. */
const mostLinks = 5000

/**
 * Locks both records and those that the one merged away is linked to, type by type. Answers whether
 * these are all: a link may have been added before the locks were there.
 */
export async function lockMerged(tx: Tx, actor: Actor, pair: MergedPair): Promise<boolean> {
  const { type, into, from } = pair
  const before = await tx.rows<RecordRef>(queries.neighbours(actor, pair, mostLinks + 1))
  if (before.length > mostLinks)
    throw unmergeable('LinksLimit', `A record with more than ${mostLinks} links is not merged`)
  await lockLinked(tx, actor, [...before, { type, id: into }, { type, id: from }], [])
  const known = new Set(before.map(refKey))
  const after = await tx.rows<RecordRef>(queries.neighbours(actor, pair, mostLinks + 1))
  return after.every((ref) => known.has(refKey(ref)))
}

/** Links that have gone over, what an undo needs of them, and their news. */
export interface MovedLinks {
  links: KeptLink[]
  elements: KeptElement[]
  /** The entries of the linked records; the events of the two records are for their own entries. */
  entries: Entry[]
  events: { into: NewEvent[]; from: NewEvent[] }
}

/**
 * Moves the links and elements of `from`, all locked, to `into`. A link that both have is one. `company`
 * says whose company a contact keeps; undefined: that of `into`, if it has one.
 */
export async function moveLinks(
  tx: Tx,
  writer: Writer,
  pair: MergedPair,
  company: 'into' | 'from' | undefined,
): Promise<MovedLinks> {
  const all = await tx.rows<LinkOfRecord>(queries.linksOfPair(writer, pair))
  const links = fatesOf(pair, all, company)
  const moved = links.filter(({ is_moved }) => is_moved)
  const lost = links.filter(({ is_moved }) => !is_moved)
  if (lost.length > 0)
    await tx.rows(
      removeLinks(
        writer,
        lost.map((each) => linkOf(pair, each)),
      ),
    )
  if (moved.length > 0) await tx.rows(queries.moveEnds(writer, pair, moved))
  // Where both were contacts of a lead and the main one is merged away, the survivor is the main one.
  const flagged = lost.filter(
    ({ of, type, is_main }) => of === 'from' && is_main && hasMain(type, pair.type),
  )
  const mains = flagged.map((each) => linkOf(pair, { ...each, of: 'into' }))
  if (mains.length > 0) await tx.rows(flagLinks(writer, mains))
  const elements = await tx.rows<KeptElement>(queries.moveElements(writer, pair))
  if ((await countElements(tx, writer, pair)) > mostElements)
    throw unmergeable('ElementsLimit', `A record has at most ${mostElements} elements`)
  const news = await newsOf(tx, writer, pair, {
    added: moved.map((each) => linkOf(pair, { ...each, of: 'into' })),
    removed: links.map((each) => linkOf(pair, each)),
    flagged: mains,
  })
  return { links, elements, ...withElements(news, elements, 'from') }
}

/** The links of `from`, and those that `into` loses, with what becomes of each. */
function fatesOf(
  { type }: MergedPair,
  all: LinkOfRecord[],
  company: 'into' | 'from' | undefined,
): KeptLink[] {
  const isShared = (link: LinkOfRecord) =>
    all.some((other) => other.of !== link.of && other.type === link.type && other.id === link.id)
  const companies = (of: 'into' | 'from') =>
    type === 'contacts' ? all.filter((link) => link.of === of && link.type === 'companies') : []
  const winner = company ?? (companies('into').length > 0 ? 'into' : 'from')
  return all.flatMap((link): KeptLink[] => {
    const isCompany = type === 'contacts' && link.type === 'companies'
    if (link.of === 'from')
      return [{ ...link, is_moved: !isShared(link) && (!isCompany || winner === 'from') }]
    return isCompany && winner === 'from' && !isShared(link) ? [{ ...link, is_moved: false }] : []
  })
}

/** Locks both records of a merge, and those that it linked anew. */
export const lockKept = (
  tx: Tx,
  actor: Actor,
  pair: MergedPair,
  links: KeptLink[],
): Promise<Locked> => lockLinked(tx, actor, [...links, ...endsOf(pair)], [])

/**
 * Puts links and elements back to `from`, all locked by `lockKept`. Links that others have given
 * the survivor since stay. Throws `noRoom` where a lead or customer has no room for a contact.
 */
export async function moveLinksBack(
  tx: Tx,
  writer: Writer,
  pair: MergedPair,
  locked: Locked,
  { links: kept, elements }: Pick<MovedLinks, 'links' | 'elements'>,
  noRoom: () => Problem,
): Promise<Pick<MovedLinks, 'entries' | 'events'>> {
  const refs = kept.map(({ type, id }) => ({ type, id }))
  const present = await tx.rows<LinkOfRecord>(queries.linksAmong(writer, pair, refs))
  const has = new Set(present.map(refKey))
  const back = kept.filter((each) => each.is_moved && has.has(refKey(each)))
  if (back.length > 0)
    await tx.rows(queries.moveEnds(writer, { ...pair, into: pair.from, from: pair.into }, back))
  const rest = kept.filter((each) => !back.includes(each))
  const { added, flagged } = await planReturn(tx, writer, pair, locked, rest, noRoom)
  if (added.length > 0) await tx.rows(queries.insertKept(writer, pair, added))
  if (flagged.length > 0) await tx.rows(flagLinks(writer, flagged))
  const returned = await tx.rows<KeptElement>(queries.moveElementsBack(writer, pair, elements))
  const news = await newsOf(tx, writer, pair, {
    added: [...back, ...added].map((each) => linkOf(pair, each)),
    removed: back.map((each) => linkOf(pair, { ...each, of: 'into' })),
    flagged,
  })
  return withElements(news, returned, 'into')
}

/** The links that come back besides those that are moved, and the main contacts that change with them. */
async function planReturn(
  tx: Tx,
  actor: Actor,
  pair: MergedPair,
  locked: Locked,
  rest: KeptLink[],
  noRoom: () => Problem,
): Promise<{ added: KeptLink[]; flagged: Link[] }> {
  const added: KeptLink[] = []
  const flagged: Link[] = []
  const holders = rest.map((each) => linkOf(pair, each))
  const stored = await readLinks(
    tx,
    actor,
    holders.map(({ holder, linked }) => ({ holder, linked: linked.type })),
  )
  const lists = Map.groupBy(stored, ({ holder, linked }) => `${refKey(holder)} ${linked.type}`)
  for (const each of rest) {
    // The other record was purged meanwhile.
    if (!locked.find(each)) continue
    const link = linkOf(pair, each)
    const { most } = ruleOf(link)
    const list = lists.get(`${refKey(link.holder)} ${link.linked.type}`) ?? []
    // Somebody has given the holder another since, which stays.
    if (most === 1 && list.length > 0) continue
    if (list.length >= most) throw noRoom()
    const main = list.find(({ is_main }) => is_main)
    const isOfSurvivor = main?.linked.type === pair.type && main.linked.id === pair.into
    const is_main =
      hasMain(link.holder.type, link.linked.type) &&
      (main === undefined || (each.is_main && isOfSurvivor))
    added.push({ ...each, is_main })
    if (is_main && main) flagged.push({ ...main, is_main: false })
  }
  return { added, flagged }
}

const endsOf = ({ type, into, from }: MergedPair): RecordRef[] => [
  { type, id: into },
  { type, id: from },
]

/** A link of one of the two records, with its holder. */
function linkOf(pair: MergedPair, { of, type, id, is_main }: Omit<KeptLink, 'is_moved'>): Link {
  return { ...pairOf({ type: pair.type, id: pair[of] }, { type, id }), is_main }
}

/** Touches the linked records; answers their entries, and the events of the two by themselves. */
async function newsOf(
  tx: Tx,
  writer: Writer,
  pair: MergedPair,
  links: { added: Link[]; removed: Link[]; flagged: Link[] },
): Promise<Pick<MovedLinks, 'entries' | 'events'>> {
  const signed = (list: Link[]): MovedLink[] => list.map((link) => ({ ...link, by: writer.userId }))
  const news = linkNewsOf(signed(links.added), signed(links.removed), signed(links.flagged))
  const eventsOf = (id: number) => news.get(refKey({ type: pair.type, id }))?.events ?? []
  const events = { into: eventsOf(pair.into), from: eventsOf(pair.from) }
  for (const ref of endsOf(pair)) news.delete(refKey(ref))
  return { entries: await linkEntries(tx, writer, news, { first: 'leads' }), events }
}

function withElements(
  { entries, events }: Pick<MovedLinks, 'entries' | 'events'>,
  elements: KeptElement[],
  loser: 'into' | 'from',
): Pick<MovedLinks, 'entries' | 'events'> {
  const winner = loser === 'into' ? 'from' : 'into'
  const moved = elements.filter(({ is_moved }) => is_moved)
  // One that both had was never taken from the survivor.
  const lost = loser === 'from' ? elements : moved
  const gained = loser === 'from' ? moved : elements
  const withElementEvents = {
    [loser]: [...events[loser], ...lost.map(entityUnlinked)],
    [winner]: [...events[winner], ...gained.map(entityLinked)],
  } as MovedLinks['events']
  return { entries, events: withElementEvents }
}

async function countElements(tx: Tx, actor: Actor, { type, into }: MergedPair): Promise<number> {
  const counted = await tx.row<{ count: number }>(queries.elementCount(actor, type, into))
  return counted!.count
}

/** 422 with a code, which the web application says in the user's language. */
const unmergeable = (code: string, detail: string) => new Problem(422, detail, { extra: { code } })
