// Random requests to every route. `FUZZ_SEED` selects other requests, `FUZZ_RUNS` their number per
// route and half. Each answer must fit the document, blame the request and not the server, and hold
// no data of another account; that account must not change, and the server must not grow. A failing
// request is shrunk and printed as a line for the shell.
import http from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newGround } from './fuzz/ground.ts'
import type { Ground } from './fuzz/ground.ts'
import { asCurl, questionsFor } from './fuzz/questions.ts'
import type { FuzzedQuestion } from './fuzz/questions.ts'
import { prove } from './prove.ts'
import { raw } from './raw.ts'
import type { RawAnswer } from './raw.ts'
import { rows } from './routes.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_120)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)
/**
 * Bytes per request that the heap may grow from the middle to the end: caches are bounded, and full
 * by then.
 */
const mostGrowth = 4000

/** Checking a wrong password takes time. */
const slow = '/web/v1/session'

/** Deletions come last, or there would be little data to request. */
const inOrder = rows.toSorted(
  (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
)

let ground: Ground
const tally = { questions: 0, good: 0 }
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())
beforeAll(async () => {
  ground = await newGround()
})

describe.each([0, 1])(`anything, seed ${seed}, half %i`, (half) => {
  test.each(inOrder)('$method $path', async (row) => {
    const { method, path } = row
    const route = ground.account.routes.find(
      (each) => each.method === method && each.path === path,
    )!
    const property = fc.asyncProperty(questionsFor(route, ground), async (question) => {
      await examine(path, question)
    })
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed: seed + half + 2 * inOrder.indexOf(row),
      numRuns: path === slow ? Math.ceil(numRuns / 5) : numRuns,
    })
    const [question] = counterexample ?? []
    const again = question ? asCurl(ground.account.kontor.url, question) : ''
    if (failed) throw new Error(`${String(errorInstance)}\n${again}`, { cause: errorInstance })
  })

  test('the memory in use', () => {
    heaps.push({ bytes: heapUsed(), questions: tally.questions })
  })
})

const heaps: { bytes: number; questions: number }[] = []

test('the server does not grow with the questions it is asked', () => {
  const [middle, end] = heaps
  const growth = (end!.bytes - middle!.bytes) / (end!.questions - middle!.questions)
  expect(growth).toBeLessThan(mostGrowth)
})

test('nothing of the other account has changed', async () => {
  expect(await ground.now()).toEqual(ground.before)
})

test('the questions were good enough to be answered often', () => {
  expect(tally.good / tally.questions).toBeGreaterThan(0.15)
})

/** Sends the request. Throws if its answer is not allowed. */
async function examine(route: string, question: FuzzedQuestion): Promise<void> {
  const answer = await raw(ground.account.kontor, { ...question, agent })
  const { status, headers, text } = answer
  const type = headers['content-type']
  tally.questions++
  if (status < 300) tally.good++
  const isFine = status < 300 || (status >= 400 && status < 500) || (status < 400 && isPage(route))
  if (!isFine) throw new Error(`answered ${status}: ${text.slice(0, 500)}`)
  if (status >= 400 ? !isPage(route) : isDocumented(route) && type !== 'text/event-stream')
    await prove(question.method, question.path, parsed(answer))
  const given = ground.traces(JSON.stringify(question), answer)
  if (given.length > 0)
    throw new Error(`tells of another account (${given.join(', ')}): ${text.slice(0, 2000)}`)
}

/** The access-granting window answers with pages and redirects. */
const isPage = (route: string) => route === '/oauth'

/** Routes for monitoring and proxies answer in formats of their own. */
const isDocumented = (route: string) => /^\/(?:api|web|oauth2)\//.test(route)

function parsed({ status, headers, text }: RawAnswer) {
  return {
    status,
    headers: new Headers(headers as Record<string, string>),
    body: text === '' ? undefined : JSON.parse(text),
    text,
  }
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}
