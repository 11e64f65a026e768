// The checks of a change (npm run check), in the order in which they fail fastest. Stops at the
// first failure. Arguments go to the tests: npm run check -- --reporter=dot
//
// npm run check -- --near [commit] checks what the change since a commit can reach: format and lint
// of the changed files, types, and the tests that test/near chooses. Without a commit, it is the
// change since the branch left main, with all that is not committed yet; HEAD leaves only the latter.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { readChangedFiles } from '../test/near/changed.ts'
import type { ChangedFiles } from '../test/near/changed.ts'

const root = path.join(import.meta.dirname, '..')
const [first, second] = process.argv.slice(2)
const steps = first === '--near' ? near(second) : whole(process.argv.slice(2))
const done: string[] = []
for (const [name, command] of Object.entries(steps)) {
  const start = performance.now()
  console.log(`\n== ${name}: npm ${command.join(' ')}`)
  const { status } = spawnSync('npm', ['--silent', ...command], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6)
  done.push(`${seconds} s  ${status === 0 ? 'passed' : 'FAILED'}  ${name}`)
  if (status === 0) continue
  process.exitCode = 1
  break
}
console.log(`\n${done.join('\n')}`)

function whole(toTests: readonly string[]): Record<string, string[]> {
  return {
    format: ['run', 'format', '--', '--check'],
    lint: ['run', 'lint'],
    types: ['run', 'types'],
    'generated documents are up to date': ['run', 'docs', '--', '--check'],
    'OpenAPI lints': ['run', 'openapi:lint'],
    tests: ['test', '--', ...toTests],
    'a few planted faults are noticed': ['run', 'mutate', '--', '--sample'],
    'every bench for a moment': ['run', 'bench', '--', '--seconds', '0.2', '--rounds', '1'],
  }
}

/** A step that has nothing to look at is left out. */
function near(base?: string): Record<string, string[]> {
  const { commit, files } = changeSince(base)
  if (files.length === 0) {
    console.log(`Nothing differs from ${commit}.`)
    return {}
  }
  const present = files.filter((file) => existsSync(path.join(root, file)))
  const sources = present.filter((file) => /\.(?:[cm]?[jt]s|tsx)$/.test(file))
  const formatted = present.filter((file) => /\.(?:[cm]?[jt]s|tsx|json|css|html)$/.test(file))
  const isDocumented = files.some((file) => /^(?:server|docs)\//.test(file))
  return {
    ...(formatted.length > 0 && {
      format: ['run', 'format', '--', '--check', '--no-error-on-unmatched-pattern', ...formatted],
    }),
    ...(sources.length > 0 && { lint: ['run', 'lint', '--', ...sources] }),
    types: ['run', 'types'],
    ...(isDocumented && {
      'generated documents are up to date': ['run', 'docs', '--', '--check'],
    }),
    tests: ['run', 'near', '--', commit],
  }
}

function changeSince(base?: string): ChangedFiles {
  try {
    return readChangedFiles(root, base)
  } catch (error) {
    console.error(`${(error as Error).message}\nusage: npm run check -- [--near [commit]]`)
    process.exit(64)
  }
}
