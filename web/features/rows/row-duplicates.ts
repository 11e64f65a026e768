// How many other records share a phone or an e-mail with each row that stays on screen. They are asked for behind the
// rows, which do not wait for them, and anew after a change of a record of the type.
import type { Static } from 'typebox'
import type {
  DuplicateCounts as Sent,
  MergedType,
} from '../../../server/features/application/merges/schema.ts'
import { ask } from '../../data/api.ts'
import type { News } from '../../data/live.ts'

export interface RowDuplicateCount {
  count: number
  /** There are more than `count`. */
  is_more: boolean
}

export interface RowDuplicates {
  watch: (watcher: () => void) => () => void
  /** Of a record; undefined where it has none, or they are on their way. */
  of: (id: number) => RowDuplicateCount | undefined
  /** The records that stay on screen. */
  show: (ids: readonly number[]) => void
  hear: (news: News) => void
  /** The list is left. */
  stop: () => void
}

/** The most records of one request. */
const mostAsked = 100
/** Records that are kept besides those on screen. */
const mostKept = 2000
/** Counts are asked for anew this long after a change, in milliseconds. */
const pauseMs = 1500

export function makeRowDuplicates(type: MergedType): RowDuplicates {
  const watchers = new Set<() => void>()
  /** Also those without duplicates, so that they are not asked for again. */
  const known = new Map<number, RowDuplicateCount | undefined>()
  /** The latest request for each record that is asked for. */
  const underWay = new Map<number, number>()
  let requests = 0
  let shown: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  async function askFor(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += mostAsked) {
      const some = ids.slice(at, at + mostAsked)
      const number = ++requests
      for (const id of some) underWay.set(id, number)
      const answer = await ask<Static<typeof Sent>>(
        `/web/v1/duplicates/${type}?ids=${some.join(',')}`,
      ).catch(() => undefined)
      const counts = new Map(answer?.records.map(({ id, ...count }) => [id, count]))
      for (const id of some) {
        // A later request has a newer answer.
        if (underWay.get(id) !== number) continue
        underWay.delete(id)
        if (answer) known.set(id, counts.get(id))
      }
      // A row without its mark misses nothing that its card does not say.
      if (!answer) return
      for (const watcher of watchers) watcher()
    }
  }

  return {
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    of: (id) => known.get(id),
    show(ids) {
      shown = ids
      if (known.size > mostKept)
        for (const id of known.keys()) if (!ids.includes(id)) known.delete(id)
      void askFor(ids.filter((id) => !known.has(id) && !underWay.has(id)))
    },
    hear({ name, data }) {
      if (name !== 'reset' && !(name === 'change' && data['entity_type'] === type)) return
      timer ??= setTimeout(() => {
        timer = undefined
        // Those off screen are asked for when they are next shown.
        const onScreen = new Set(shown)
        for (const id of known.keys()) if (!onScreen.has(id)) known.delete(id)
        void askFor(shown)
      }, pauseMs)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
