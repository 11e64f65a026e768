// Builds the web application from `web/` where it is not built yet. The folder of the build names
// the sources that it was made from, so a start after an update builds anew and any other start
// takes what is there (docs/decisions/0066-web-build.md).
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const sources = path.join(import.meta.dirname, '../../web')
const lockFile = path.join(import.meta.dirname, '../../package-lock.json')
const run = promisify(execFile)

/** A built web application. */
export interface Build {
  /** The folder of its files. */
  folder: string
  /** Names the sources: two builds with one id are the same. */
  id: string
}

export interface BuildOptions {
  /** The data folder, which holds the build where the sources' folder may not be written. */
  data: string
  say(line: string): void
  /** With the component gallery, for tests. */
  hasGallery?: boolean
}

/** Answers the build of the present sources, and makes it first where there is none. */
export async function ensureBuild({ data, say, hasGallery = false }: BuildOptions): Promise<Build> {
  const id = await idOfSources(hasGallery)
  const directories = [path.join(sources, 'dist'), path.join(data, 'web')]
  for (const directory of directories) {
    const folder = path.join(directory, id)
    if (await isBuilt(folder)) return { folder, id }
  }
  const directory = (await isWritable(sources)) ? directories[0]! : directories[1]!
  say('Building the web application…')
  return { folder: await build(directory, id, hasGallery), id }
}

/** The builds that stay: servers that still run, and their open tabs, use older ones. */
const mostKept = 4

/** Builds in a folder of its own, which gets its name when it is complete. */
async function build(directory: string, id: string, hasGallery: boolean): Promise<string> {
  const folder = path.join(directory, id)
  const draft = path.join(directory, `.draft-${process.pid}`)
  await mkdir(directory, { recursive: true })
  try {
    const vite = createRequire(import.meta.url).resolve('vite/package.json')
    const script = path.join(path.dirname(vite), 'bin/vite.js')
    const settings = ['--outDir', draft, '--emptyOutDir', '--logLevel', 'error']
    const mode = ['--mode', hasGallery ? 'gallery' : 'production']
    // The bundler takes 300 MiB for seconds; a process of its own gives them back.
    await run(process.execPath, [script, 'build', sources, ...settings, ...mode])
    await rename(draft, folder).catch(async (error: unknown) => {
      // Another process was faster, with the same files.
      if (!(await isBuilt(folder))) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await dropOldBuilds(directory)
  return folder
}

async function dropOldBuilds(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => !name.startsWith('.'))
  const builds = await Promise.all(
    names.map(async (name) => {
      const folder = path.join(directory, name)
      // Another process may drop it meanwhile.
      const stats = await stat(folder).catch(() => undefined)
      return { folder, time: stats?.mtimeMs ?? 0 }
    }),
  )
  const old = builds.toSorted((a, b) => b.time - a.time).slice(mostKept)
  await Promise.all(old.map(({ folder }) => rm(folder, { recursive: true, force: true })))
}

const isBuilt = (folder: string): Promise<boolean> =>
  access(path.join(folder, 'index.html')).then(
    () => true,
    () => false,
  )

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

/** A digest of all files that the build is made of: the name of its folder. */
export async function idOfSources(hasGallery: boolean): Promise<string> {
  const top = await readdir(sources, { withFileTypes: true })
  const parts = await Promise.all(
    top
      // Builds of other processes come and go there.
      .filter(({ name }) => name !== 'dist')
      .map(async (entry) =>
        entry.isDirectory()
          ? readdir(path.join(sources, entry.name), { recursive: true, withFileTypes: true })
          : [entry],
      ),
  )
  const files = parts
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
  const digest = createHash('sha256').update(`gallery ${hasGallery}\n`)
  for (const file of [lockFile, ...files])
    digest.update(`${path.basename(file)}\n`).update(await readFile(file).catch(() => ''))
  return digest.digest('base64url').slice(0, 16)
}
