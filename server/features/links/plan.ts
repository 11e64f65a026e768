// What becomes of links: a pure function of those that are there and of what is wished for, one wish after the other. What comes and goes
// again in between is never told.
import { nameOf, ruleOf } from '../../records/link-rules.ts'
import type { Pair, Ref } from '../../records/link-rules.ts'

/** A link that is there. */
export interface Link extends Pair {
  is_main: boolean
}

/** A link that came, went, or became or ceased to be the main one, and the user who did it. */
export interface Moved extends Link {
  by: number
}

export interface LinkPlan {
  /**
   * Links two records, or makes one that is linked already the main one. False where the holder has as many as it may. Who holds one at
   * most gives up the one before; the first of a kind that has a main one becomes it.
   */
  link(pair: Pair, isMain: boolean, by: number): boolean
  /** Whether to link two records would take from the holder one that was there, or make another the main one than was. */
  displaces(pair: Pair, isMain: boolean): boolean
  /** Takes a link away if it is there; the earliest of those that stay follows a main one. */
  unlink(pair: Pair, by: number): void
  /** The link as it will be, undefined where there will be none. */
  find(pair: Pair): Link | undefined
  moved(): { added: Moved[]; removed: Moved[]; flagged: Moved[] }
}

/** `found`: all links of the holders with the kinds in question, in the order in which they were made. */
export function planOf(found: Link[]): LinkPlan {
  const before = new Map(found.map((link) => [keyOf(link), link]))
  const lists = Map.groupBy(
    found.map((link) => ({ ...link })),
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
        const { holder, held } = pair
        link = { holder, held, is_main: false }
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

const keyOf = ({ holder, held }: Pair) => `${nameOf(holder)} ${nameOf(held)}`
const listOf = ({ holder, held }: { holder: Ref; held: Pick<Ref, 'type'> }) =>
  `${nameOf(holder)} ${held.type}`
