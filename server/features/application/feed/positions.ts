// The order of a feed: by time, then by kind, then by id. Notes, tasks and messages have their ids in
// numbers, changes in texts that sort by time. A time in whole seconds stands for the end of its
// second, so that the creation of a record comes before its first note.
import { timeOfUlid, ulidTime } from '../../../changes/ulid.ts'

/** The kinds in the order in which they stand at one time. */
export const ranks = { event: 0, note: 1, task: 2, message: 3 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

/** A place in a feed. A `rank` of -1 comes before all items of the time, one of 4 after them. */
export interface Position {
  /** Unix milliseconds. */
  at: number
  rank: number
  id: string
}

/** The place behind all items. */
export const end: Position = { at: 8_640_000_000_000_000, rank: 4, id: '0' }

export const beginningOf = (at: number): Position => ({ at, rank: -1, id: '0' })

export const endOfSecond = (seconds: number): number => seconds * 1000 + 999

export const positionOfEvent = (id: string): Position => ({
  at: timeOfUlid(id),
  rank: ranks.event,
  id,
})

export function comparePositions(a: Position, b: Position): number {
  if (a.at !== b.at) return a.at - b.at
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.rank === ranks.event) return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  return Number(a.id) - Number(b.id)
}

export const formatPosition = ({ at, rank, id }: Position): string =>
  rank < 0 ? String(at) : `${at}.${rank}.${id}`

export function parsePosition(text: string): Position {
  const [at, rank, id] = text.split('.')
  return rank === undefined
    ? beginningOf(Number(at))
    : { at: Number(at), rank: Number(rank), id: id! }
}

/** Where an index of a time and an id is cut, exclusively, in either direction. */
export interface Cut {
  time: number
  id: string
}

/** More than every id has. */
const [lowest, highest] = ['0', '9223372036854775807']

/** The cut of an index whose times are in milliseconds. */
export function cutAt({ at, rank, id }: Position, its: Rank): Cut {
  if (rank === its) return { time: at, id: isNumber(id) ? id : lowest }
  return { time: at, id: its < rank ? highest : lowest }
}

/** The cut of an index whose times are in seconds. */
export function cutAtSecond(position: Position, its: Rank): Cut {
  const seconds = (position.at - 999) / 1000
  if (Number.isInteger(seconds)) return { ...cutAt(position, its), time: seconds }
  return { time: Math.floor(seconds), id: highest }
}

/** The cut of the ids of events. */
export function cutOfEvents({ at, rank, id }: Position): string {
  if (rank === ranks.event) return id
  return ulidTime(rank > ranks.event ? at + 1 : at)
}

const isNumber = (id: string) => /^\d{1,16}$/.test(id)
