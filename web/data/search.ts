// The search part of an address as the application reads and writes it: plain texts, a repeated name
// as a list. Brackets stay readable, so that the filter of a screen looks like that of the interface.

export type SearchParams = Record<string, string | string[]>

/** Reads `?sort=price&filter[price][from]=1000`. */
export function parseSearch(text: string): SearchParams {
  const search: SearchParams = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const former = Object.hasOwn(search, name) ? search[name] : undefined
    search[name] = former === undefined ? value : [former, value].flat()
  }
  return search
}

/** The inverse of `parseSearch`, with its `?`; only texts, numbers and booleans are written. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = pairsOf(search).map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Each name with each of its values. */
export const pairsOf = (search: Record<string, unknown>): [string, string][] =>
  Object.entries(search).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
      .map((each): [string, string] => [name, String(each as string | number | boolean)]),
  )

const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(/%(?:5B|5D|3A|2C)/g, decodeURIComponent)
