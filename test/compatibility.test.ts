// The compatibility page says what is true of the routes.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compatibilityPage, routesOf, untruthsOf } from '../docs/api/compatibility.ts'
import { describeApi } from '../docs/api/describe.ts'
import { chapters } from '../docs/api/methods.ts'
import type { Method } from '../docs/api/methods.ts'

const routes = routesOf(await describeApi({ whole: true }))

test('the page is what the rows and the routes say', () => {
  const page = readFileSync(new URL('../docs/compatibility.md', import.meta.url), 'utf8')
  expect(page).toBe(compatibilityPage(routes))
})

const lead: Method = { methods: 'GET', path: '/api/v4/leads/{id}', status: 'works' }
const other: Method = { methods: 'GET POST', path: '/api/v4/tasks', status: 'not yet' }
const served = new Set(['GET /api/v4/leads/{id}', 'GET /web/v1/groups', 'GET /health'])

test.each<[string, Method[], string[]]>([
  ['what is so', [lead, other], []],
  [
    'a method without a route',
    [lead, { ...other, status: 'works' }],
    ['GET /api/v4/tasks is not', 'POST /api/v4/tasks is not'],
  ],
  ['a method that is served by now', [{ ...lead, status: 'not yet' }], ['as not yet']],
  ['an addition that is gone', [lead, { ...other, status: 'addition' }], ['GET', 'POST']],
  ['a route in no list', [other], ['GET /api/v4/leads/{id} is served, and stands in no list']],
  ['a method twice', [lead, lead], ['twice']],
  ['a difference without a word', [{ ...lead, status: 'differs' }], ['nothing says how']],
])('%s', (_, methods, untruths) => {
  const found = untruthsOf(served, [{ title: 'A', methods }])
  expect(found).toHaveLength(untruths.length)
  for (const [index, part] of untruths.entries()) expect(found[index]).toContain(part)
})

test('a page that would be untrue is not written', () => {
  expect(() => compatibilityPage(new Set())).toThrow('GET /api/v4/leads is not served')
  const more = new Set([...routes, 'POST /api/v4/leads/merge'])
  expect(() => compatibilityPage(more)).toThrow('POST /api/v4/leads/merge')
})

test('each chapter has rows, and the reader hears nothing of documents that are not here', () => {
  for (const { methods } of chapters) expect(methods.length).toBeGreaterThan(0)
  expect(compatibilityPage(routes)).not.toMatch(/spec\.md|reference\//)
})
