import { spawnSync } from 'node:child_process'

/** Files that differ from a commit. */
export interface ChangedFiles {
  /** The commit that the working tree is compared with. */
  commit: string
  /** Changed, added, deleted and untracked files, by their paths below the repository. */
  files: string[]
}

/**
 * The working tree against `base`; without one, against the commit at which it left main. Throws if
 * git does not know the base.
 */
export function readChangedFiles(root: string, base?: string): ChangedFiles {
  const commit = base === undefined ? forkPoint(root) : git(root, 'rev-parse', '--verify', base)
  const differing = git(root, 'diff', '--name-only', '--no-renames', commit).split('\n')
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard').split('\n')
  const files = [...new Set([...differing, ...untracked])].filter((file) => file !== '')
  return { commit: git(root, 'rev-parse', '--short', commit), files: files.toSorted() }
}

function forkPoint(root: string): string {
  const [main = 'HEAD'] = ['origin/main', 'main'].filter(
    (name) => run(root, 'rev-parse', '--verify', '--quiet', name).status === 0,
  )
  return git(root, 'merge-base', main, 'HEAD')
}

function git(root: string, ...command: string[]): string {
  const { status, stdout, stderr } = run(root, ...command)
  if (status !== 0) throw new Error(`git ${command.join(' ')}: ${stderr.trim()}`)
  return stdout.trim()
}

function run(root: string, ...command: string[]) {
  return spawnSync('git', ['-c', 'core.quotePath=off', ...command], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
}
