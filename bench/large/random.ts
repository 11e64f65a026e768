// Chance that is the same each time: every record draws from dice of its own, seeded by its kind and number, so that any record can be
// made again without those before it. In this way the questions of the bench ask for values that they know to be there.
export interface Dice {
  /** From 0 to 1, without 1. */
  part(): number
  /** A whole number from 0, below `end`. */
  below(end: number): number
  chance(part: number): boolean
  one<Value>(values: readonly Value[]): Value
}

/** Mulberry32: 32 bits of state, good enough to look unordered, and a few nanoseconds. */
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

/** How many records have a rare value, whatever the size of the account. */
export const few = 50

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

/** What is rare about record `number` of `count`: `few` have each rarity, spread evenly over the account, and none has two. */
export function rarityOf(number: number, count: number): Rarity | undefined {
  const apart = Math.floor(count / few)
  if (number >= apart * few) return undefined
  return rarities.find(
    (_, place) => number % apart === Math.floor((apart * place) / rarities.length),
  )
}

/** One in a hundred lies in the bin, but nothing rare. */
export function isInBin(number: number, rarity: Rarity | undefined): boolean {
  return rarity === undefined && number % 101 === 50
}
