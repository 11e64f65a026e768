// The generated guides are what their sources say. test/compatibility.test.ts proves the table of methods, and the OpenAPI document
// is proved by `npm run docs -- --check`.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandsPage } from '../../docs/guides/commands.ts'
import { filterCookbookPage } from '../../docs/guides/filter-cookbook.ts'
import { settingsPage } from '../../docs/guides/settings.ts'

test.each([
  ['commands', commandsPage],
  ['filter-cookbook', filterCookbookPage],
  ['settings', settingsPage],
])('docs/guides/%s.md is written by npm run docs', (name, page) => {
  const file = new URL(`../../docs/guides/${name}.md`, import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(page())
})
