import { createHash } from 'node:crypto'

/** 22 characters that stand for these texts, in this order. */
export function digestOf(...parts: readonly string[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(`${Buffer.byteLength(part)} `).update(part)
  return digest.digest('base64url').slice(0, 22)
}

/** In an order that depends on the seed and the names alone, so that one more changes nothing between the others. */
export function shuffled<Each>(
  items: readonly Each[],
  seed: string,
  nameOf: (item: Each) => string,
): Each[] {
  return items
    .map((item) => ({ item, rank: digestOf(seed, nameOf(item)) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ item }) => item)
}
