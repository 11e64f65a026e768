import http from 'node:http'
import { prove } from '../prove.ts'
import { raw } from '../raw.ts'
import type { RawAnswer } from '../raw.ts'
import type { Column, Route } from '../routes.ts'
import type { RouteFixture } from './fixture.ts'
import type { RouteRequest } from './requests.ts'

/** A connection of its own for each request would cost more than most answers. */
const agent = new http.Agent({ keepAlive: true })

/** Asks a request as a caller. The answer is proved, except those of pages and streams. */
export async function ask(
  fixture: RouteFixture,
  { method, path: pattern }: Route,
  column: Column,
  request: RouteRequest,
): Promise<RawAnswer> {
  const { path = pattern, query = '', body, headers } = request
  const token = column === 'nobody' ? undefined : fixture.callers[column].token
  const target = encodeURI(path + query)
  const answer = await raw(fixture.account.kontor, {
    method,
    path: target,
    agent,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  if (
    /^\/(?:api|web|oauth2)\//.test(path) &&
    answer.headers['content-type'] !== 'text/event-stream'
  )
    await prove(method, target, parsed(answer))
  return answer
}

function parsed({ status, headers, text }: RawAnswer) {
  const isPicture = `${headers['content-type']}`.startsWith('image/')
  return {
    status,
    headers: new Headers(headers as Record<string, string>),
    body: text === '' || isPicture ? undefined : JSON.parse(text),
    text,
  }
}
