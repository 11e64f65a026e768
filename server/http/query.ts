// Fastify parses query strings inside its router, where an error ends the process. So the parser
// never throws: it returns an empty query and remembers the problem, and the validator of the query
// string throws it.
import { parseQuery } from './nested.ts'
import type { Nested } from './nested.ts'
import { Problem } from './problem.ts'

/** For `routerOptions.querystringParser`. Never throws. */
export function querystringParser(text: string): Nested {
  try {
    return parseQuery(text)
  } catch (error) {
    const query: Nested = {}
    broken.set(
      query,
      error instanceof Problem ? error : new Problem(400, 'The query string is not valid'),
    )
    return query
  }
}

/**
 * The problem of a query string that could not be read. Routes without a query schema must ask for
 * it; validation does so for all others.
 */
export function brokenQuery(query: unknown): Problem | undefined {
  return typeof query === 'object' && query !== null ? broken.get(query) : undefined
}

const broken = new WeakMap<object, Problem>()
