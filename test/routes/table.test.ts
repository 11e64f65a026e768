// The table of test/routes.ts is whole: every route is asked, and every area has a file that asks.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rows } from '../routes.ts'
import type { Route } from '../routes.ts'
import { server } from '../server.ts'
import { areas } from './areas.ts'
import { requests } from './requests.ts'

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('every route has a row, every row a route, and every row a question', async () => {
  const served = (await server()).routes.map(nameOf).toSorted()
  expect(rows.map(nameOf).toSorted()).toEqual(served)
  expect(Object.keys(requests).toSorted()).toEqual(served)
})

test.each(areas)('the rows of %s have a file', (area) => {
  const file = new URL(`${area}.test.ts`, import.meta.url)
  expect(readFileSync(file, 'utf8')).toContain(`testArea('${area}')`)
})
