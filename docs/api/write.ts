// Writes docs/api/openapi.json from the schemas of the routes; with --check it only says whether the file is what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { describeApi } from './describe.ts'

const file = new URL('openapi.json', import.meta.url)
const text = JSON.stringify(await describeApi(), null, 1) + '\n'
if (!process.argv.includes('--check')) await writeFile(file, text)
else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error('docs/api/openapi.json is stale; run "npm run openapi" and commit it')
  process.exitCode = 1
}
