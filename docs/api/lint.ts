// Lints docs/api/openapi.json by the linter's recommended rules, each as an error, and says what is wrong and where.
import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'

const file = new URL('openapi.json', import.meta.url)
const rules = {
  'operation-tag-defined': 'error',
  // The interface itself has /leads/loss_reasons/{id} beside /leads/{id}/restore; ids are numbers.
  'no-ambiguous-paths': 'off',
} as const
const config = await createConfig({ extends: ['recommended-strict'], rules })
const problems = await lintFromString({
  source: await readFile(file, 'utf8'),
  absoluteRef: file.pathname,
  config,
})
for (const { ruleId, message, location } of problems) {
  console.error(
    `${ruleId} at ${location[0]?.pointer ?? 'the document'}: ${message.replaceAll(/\s+/g, ' ')}`,
  )
}
if (problems.length > 0) {
  console.error(
    'The document is made by docs/api/describe.ts from the schemas of the routes: mend it there',
  )
  process.exitCode = 1
}
