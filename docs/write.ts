// npm run docs: writes the documents that are generated, each from the sources that it names; with --check it only says which are stale.
import { readFile, writeFile } from 'node:fs/promises'
import { compatibilityPage, routesOf } from './api/compatibility.ts'
import { describeApi } from './api/describe.ts'
import { commandsPage } from './guides/commands.ts'
import { filterCookbookPage } from './guides/filter-cookbook.ts'
import { settingsPage } from './guides/settings.ts'

const files = {
  'api/openapi.json': JSON.stringify(await describeApi(), null, 1) + '\n',
  'compatibility.md': compatibilityPage(routesOf(await describeApi({ whole: true }))),
  'guides/commands.md': commandsPage(),
  'guides/filter-cookbook.md': filterCookbookPage(),
  'guides/settings.md': settingsPage(),
}
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, import.meta.url)
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`docs/${name} is stale; run "npm run docs" and commit it`)
    process.exitCode = 1
  }
}
