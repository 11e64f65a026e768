// Random values that are the same in each run. Every record draws from a generator of its own,
// seeded by its type and number, so any record can be made again without those before it. So the
// requests of the bench ask for values that exist.
export interface Dice {
  /** From 0 to 1, excluding 1. */
  part(): number
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  chance(part: number): boolean
  one<Value>(values: readonly Value[]): Value
}

/** Mulberry32: 32 bits of state, random enough here, and a few nanoseconds per number. */
export function dice(kind: number, number: number): Dice {
  let state = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(kind + 1, 0x85ebca6b)
  const part = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(part() * end)
  return {
    part,
    below,
    chance: (most) => part() < most,
    one: (values) => values[below(values.length)]!,
  }
}

/** The number of records with a rare value, in an account of any size. */
const few = 50

const rarities = [
  'word',
  'cyrillic',
  'responsible',
  'name',
  'status',
  'pipeline',
  'author',
  'editor',
  'enum',
  'pair',
] as const
export type Rarity = (typeof rarities)[number]

/**
 * The rare property of record `number` of `count`. `few` records have each, spread evenly over the
 * account, and none has two.
 */
export function rarityOf(number: number, count: number): Rarity | undefined {
  const apart = Math.floor(count / few)
  if (number >= apart * few) return undefined
  return rarities.find(
    (_, index) => number % apart === Math.floor((apart * index) / rarities.length),
  )
}

/** One record in a hundred is in the bin, but none with a rare property. */
export function isInBin(number: number, rarity: Rarity | undefined): boolean {
  return rarity === undefined && number % 101 === 50
}
