// The links after a request: a pure function of the existing links and the requested changes, one
// after the other. A link that is added and removed again in between is never recorded.
import { refKey, ruleOf } from '../../../records/link-rules.ts'
import type { Pair, RecordRef } from '../../../records/link-rules.ts'

/** An existing link. */
export interface Link extends Pair {
  is_main: boolean
}

/** A link that was added or removed, or whose `is_main` changed, and the user who did it. */
export interface MovedLink extends Link {
  by: number
}

export interface LinkPlan {
  /**
   * Links two records, or makes an existing link the main one. False where the holder has no room.
   * A holder of at most one link of a type gives up its previous one; the first link of a type with
   * a main record is the main one.
   */
  link(pair: Pair, isMain: boolean, by: number): boolean
  /**
   * Whether linking two records would remove an earlier link of the holder, or take the main
   * position from one.
   */
  displaces(pair: Pair, isMain: boolean): boolean
  /**
   * Removes a link if it exists; after a main one, the earliest remaining link becomes the main
   * one.
   */
  unlink(pair: Pair, by: number): void
  /** The link as it will be; undefined where there will be none. */
  find(pair: Pair): Link | undefined
  moved(): { added: MovedLink[]; removed: MovedLink[]; flagged: MovedLink[] }
}

/**
 * `existing` holds all links of the holders with the linked types concerned, in the order of their
 * creation.
 */
export function planOf(existing: Link[]): LinkPlan {
  const before = new Map(existing.map((link) => [keyOf(link), link]))
  const lists = Map.groupBy(
    existing.map((link) => ({ ...link })),
    listOf,
  )
  const authors = new Map<string, number>()
  const inList = (pair: Pair) => lists.get(listOf(pair)) ?? []
  const find = (pair: Pair) => inList(pair).find((link) => keyOf(link) === keyOf(pair))

  function change(pair: Pair, links: Link[], by: number): void {
    lists.set(listOf(pair), links)
    if (ruleOf(pair).hasMain && links[0] && !links.some(({ is_main }) => is_main))
      setMain(links, links[0], by)
  }

  function setMain(links: Link[], main: Link, by: number): void {
    for (const link of links) {
      if (link.is_main === (link === main)) continue
      link.is_main = link === main
      authors.set(keyOf(link), by)
    }
  }

  return {
    find,
    link(pair, isMain, by) {
      const { most, hasMain } = ruleOf(pair)
      const links = inList(pair)
      let link = find(pair)
      if (!link) {
        if (most > 1 && links.length >= most) return false
        const { holder, linked } = pair
        link = { holder, linked, is_main: false }
        if (most === 1) for (const gone of links) authors.set(keyOf(gone), by)
        authors.set(keyOf(link), by)
        change(pair, most === 1 ? [link] : [...links, link], by)
      }
      if (hasMain && isMain) setMain(inList(pair), link, by)
      return true
    },
    displaces(pair, isMain) {
      const { most, hasMain } = ruleOf(pair)
      const others = inList(pair).flatMap((link) =>
        keyOf(link) === keyOf(pair) ? [] : (before.get(keyOf(link)) ?? []),
      )
      return (
        (most === 1 && others.length > 0) ||
        (hasMain && isMain && others.some(({ is_main }) => is_main))
      )
    },
    unlink(pair, by) {
      const link = find(pair)
      if (!link) return
      authors.set(keyOf(link), by)
      change(
        pair,
        inList(pair).filter((each) => each !== link),
        by,
      )
    },
    moved() {
      const after = new Map([...lists.values()].flat().map((link) => [keyOf(link), link]))
      const signed = (links: Link[]) =>
        links.map((link) => ({ ...link, by: authors.get(keyOf(link))! }))
      return {
        added: signed([...after.values()].filter((link) => !before.has(keyOf(link)))),
        removed: signed([...before.values()].filter((link) => !after.has(keyOf(link)))),
        flagged: signed(
          [...after.values()].filter(
            (link) => (before.get(keyOf(link)) ?? link).is_main !== link.is_main,
          ),
        ),
      }
    },
  }
}

const keyOf = ({ holder, linked }: Pair) => `${refKey(holder)} ${refKey(linked)}`
const listOf = ({ holder, linked }: { holder: RecordRef; linked: Pick<RecordRef, 'type'> }) =>
  `${refKey(holder)} ${linked.type}`
