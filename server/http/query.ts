// Fastify wants the query string read inside its router: before anybody has been asked for a token, and
// where an error ends the process. A hostile one takes milliseconds, and a connection brings a hundred of
// them at once. So the router gets an object that holds the text, and admission reads it.
import type { FastifyRequest } from 'fastify'
import { parseQuery } from './nested.ts'
import type { Nested } from './nested.ts'
import { Problem } from './problem.ts'

/** A query string that nobody has read. */
class UnreadQuery {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** For `routerOptions.querystringParser`. */
export const querystringParser = (text: string): Nested =>
  text === '' ? {} : (new UnreadQuery(text) as unknown as Nested)

/** Reads the query string of an admitted request. Throws a 400 problem. */
export function readQuery(request: Pick<FastifyRequest, 'query'>): void {
  if (!(request.query instanceof UnreadQuery)) return
  try {
    request.query = parseQuery(request.query.text)
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(400, 'The query string is not valid')
  }
}
