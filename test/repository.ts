// The files of the repository.
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Every file that git knows or would add, by its path below the root; where there is no git, every file but what is
 * made there. The packages may be a link, which git takes for a file.
 */
export function filesOf(root: string): string[] {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  const names =
    status === 0
      ? [...new Set(stdout.split('\0'))]
      : readdirSync(root, { recursive: true, encoding: 'utf8' })
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter(
      (name) => name !== '' && !/^(?:\.git|node_modules|data|web\/dist[^/]*)(?:\/|$)/.test(name),
    )
    .filter((name) => {
      const entry = lstatSync(path.join(root, name), { throwIfNoEntry: false })
      return entry !== undefined && !entry.isDirectory()
    })
    .toSorted()
}
