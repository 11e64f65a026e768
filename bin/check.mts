// The checks of a change (npm run check), in the order in which they fail fastest. Stops at the
// first failure. Arguments go to the tests: npm run check -- --reporter=dot
import { spawnSync } from 'node:child_process'

const steps: Record<string, string[]> = {
  format: ['run', 'format', '--', '--check'],
  lint: ['run', 'lint'],
  types: ['run', 'types'],
  'OpenAPI is what the routes say': ['run', 'openapi', '--', '--check'],
  'OpenAPI lints': ['run', 'openapi:lint'],
  tests: ['test', '--', ...process.argv.slice(2)],
  'every bench for a second': ['run', 'bench', '--', '--seconds', '1'],
}

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
