// Every registered route with every kind of caller, against the table in test/routes.ts. What the alien is told must hold nothing of the
// account, and whatever the alien asks, every row of the account stays as it was.
import { beforeAll, expect, test } from 'vitest'
import { openTraces, rowsOf } from './belongings.ts'
import { prove } from './prove.ts'
import { raw } from './raw.ts'
import type { RawAnswer } from './raw.ts'
import { rows } from './routes.ts'
import type { Column, Route } from './routes.ts'
import { newCast } from './routes/cast.ts'
import type { Cast } from './routes/cast.ts'
import { requests } from './routes/requests.ts'
import type { Question } from './routes/requests.ts'

let cast: Cast
beforeAll(async () => {
  cast = await newCast()
})

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('every route has a row, every row a route, and every row a question', () => {
  const served = cast.account.routes.map(nameOf).toSorted()
  expect(rows.map(nameOf).toSorted()).toEqual(served)
  expect(Object.keys(requests).toSorted()).toEqual(served)
})

test.each(rows)('$method $path', async (row) => {
  const answered: Record<string, string> = {}
  for (const column of Object.keys(row.expected) as Column[]) {
    const words = new Set<string>()
    for (const question of [await requests[nameOf(row)]!(cast, column)].flat()) {
      const before = column === 'alien' ? await rowsOf(cast.account) : undefined
      const answer = await ask(row, column, question)
      words.add(wordFor(answer, column, question))
      if (before) await expectNothingOfOurs(answer, question, before)
    }
    answered[column] = [...words].join(' or ')
  }
  expect(answered).toEqual(row.expected)
})

async function ask({ method, path: pattern }: Route, column: Column, question: Question): Promise<RawAnswer> {
  const { path = pattern, query = '', body, headers } = question
  const token = column === 'nobody' ? undefined : cast.callers[column].token
  const target = encodeURI(path + query)
  const answer = await raw(cast.account.kontor, {
    ...{ method, path: target },
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  if (/^\/(?:api|web|oauth2)\//.test(path)) await prove(method, target, parsed(answer))
  return answer
}

function parsed({ status, headers, text }: RawAnswer) {
  return { status, headers: new Headers(headers as Record<string, string>), body: text === '' ? undefined : JSON.parse(text) }
}

interface Listed {
  id: number
  client_id?: string
  responsible_user_id?: number
  entity_type?: string
  entity_id?: number
}

/** What the table calls an answer. */
function wordFor({ status, headers, text }: RawAnswer, column: Column, { holds }: Question): string {
  if (status !== 200 || headers['content-type'] !== 'application/hal+json') return String(status)
  const embedded = JSON.parse(text)._embedded ?? {}
  return ''
}
