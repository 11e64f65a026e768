// An older commit to compare with: its files in a temporary folder, its packages, and a database
// made by its own code.
import { execFile, fork } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Fixture } from './fixture.ts'
import { begun, root } from './processes.ts'

export interface Older {
  /** The short hash of the commit. */
  commit: string
  /** The folder of its files. */
  tree: string
  /** The folder around the tree for what its processes write. It is removed with the tree. */
  folder: string
  stop(): Promise<void>
}

const run = promisify(execFile)

/** The short hash of a commit. Throws an Error of one line if it does not exist. */
export async function nameOfCommit(commit: string): Promise<string> {
  const revision = run('git', ['rev-parse', '--verify', '--short', `${commit}^{commit}`], {
    cwd: root,
  })
  const { stdout } = await revision.catch(() => {
    throw new Error(`there is no commit ${commit} here`)
  })
  return stdout.trim()
}

/** Writes the files of a commit into a folder, with the packages that they need. */
export async function checkOut(commit: string, say: (line: string) => void): Promise<Older> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-older-'))
  const stop = () => rm(folder, { recursive: true, force: true })
  try {
    // PostgreSQL runs as another user than root and must pass this folder.
    await chmod(folder, 0o755)
    const [tree, archive] = ['tree', 'tree.tar'].map((name) => path.join(folder, name)) as [
      string,
      string,
    ]
    await mkdir(tree)
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: root })
    await run('tar', ['-xf', archive, '-C', tree])
    await rm(archive)
    await addPackages(tree, say)
    return { commit, tree, folder, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Links the installed packages one by one, so that the cache of compiled code in node_modules stays
 * separate.
 */
async function addPackages(tree: string, say: (line: string) => void): Promise<void> {
  const [needed, installed] = await Promise.all(
    [tree, root].map((each) => readFile(path.join(each, 'package-lock.json'))),
  )
  if (!needed!.equals(installed!)) {
    say('Its packages are others: installing them…')
    await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], {
      cwd: tree,
      shell: process.platform === 'win32',
    })
    return
  }
  const [from, to] = [root, tree].map((each) => path.join(each, 'node_modules')) as [string, string]
  await mkdir(to)
  const names = (await readdir(from)).filter((name) => !name.startsWith('.'))
  for (const name of names) await symlink(path.join(from, name), path.join(to, name), 'junction')
}

/** The older commit's fixture, made and kept by a process that runs only that commit's code. */
export async function makeOlderFixture({ tree, folder }: Older): Promise<Fixture> {
  const env = { ...process.env, TMPDIR: folder, TEMP: folder }
  const child = fork(path.join(import.meta.dirname, 'older-fixture.ts'), [tree], { cwd: tree, env })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const made = await begun<Omit<Fixture, 'stop'>>(child, "the older commit's database", (resolve) =>
    child.once('message', resolve),
  )
  const stop = async () => {
    if (child.connected) child.disconnect()
    await ended
  }
  return { ...made, stop }
}
