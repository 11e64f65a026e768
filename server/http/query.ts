// Fastify wants the query string read inside its router: before anybody has been asked for a token, and
// where an error ends the process. A hostile one takes milliseconds, and a connection brings a hundred of
// them at once. So the router gets an empty object that stands for the text, and admission reads it.
import type { FastifyRequest } from 'fastify'
import { parseQuery } from './nested.ts'
import type { Nested } from './nested.ts'
import { Problem } from './problem.ts'

/** For `routerOptions.querystringParser`. */
export function querystringParser(text: string): Nested {
  const unread: Nested = {}
  texts.set(unread, text)
  return unread
}

/** The texts of query strings that nobody has read. */
const texts = new WeakMap<object, string>()

/** Reads the query string of an admitted request. Throws a 400 problem. */
export function readQuery(request: Pick<FastifyRequest, 'query'>): void {
  const text = texts.get(request.query as object)
  if (text === undefined) return
  try {
    request.query = parseQuery(text)
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(400, 'The query string is not valid')
  }
}
