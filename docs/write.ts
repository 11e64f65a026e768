// Writes docs/api/openapi.json from the schemas of the routes, and docs/compatibility.md from the routes and methods.ts; with --check it only
// says whether the files are what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { compatibilityPage, routesOf } from './compatibility.ts'
import { describeApi } from './describe.ts'

const files = {
  'api/openapi.json': JSON.stringify(await describeApi(), null, 1) + '\n',
  'compatibility.md': compatibilityPage(routesOf(await describeApi({ whole: true }))),
}
for (const [name, text] of Object.entries(files)) {
  const file = new URL(`../${name}`, import.meta.url)
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`docs/${name} is stale; run "npm run openapi" and commit it`)
    process.exitCode = 1
  }
}
