// Builds the web application from `web/` where it is not built yet. The folder of the build names
// the sources that it was made from, so a start after an update builds anew and any other start
// takes what is there (docs/decisions/0066-web-build.md).
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  access,
  constants,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const sources = path.join(import.meta.dirname, '../../web')
const lockFile = path.join(import.meta.dirname, '../../package-lock.json')
/** The file of a build that holds its id. */
const idFile = 'build-id'
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
  const name = hasGallery ? 'dist-gallery' : 'dist'
  const places = [path.join(sources, name), path.join(data, 'web', name)]
  for (const folder of places) if (await isBuilt(folder, id)) return { folder, id }
  const folder = (await isWritable(sources)) ? places[0]! : places[1]!
  say('Building the web application…')
  await build(folder, id, hasGallery)
  return { folder, id }
}

/**
 * Builds beside `folder` and moves the result there. Of several processes that build at once, all
 * make the same files and the last one's stay.
 */
async function build(folder: string, id: string, hasGallery: boolean): Promise<void> {
  const draft = `${folder}.${process.pid}`
  const old = `${draft}.old`
  await mkdir(path.dirname(folder), { recursive: true })
  try {
    const vite = createRequire(import.meta.url).resolve('vite/package.json')
    const script = path.join(path.dirname(vite), 'bin/vite.js')
    const settings = ['--outDir', draft, '--emptyOutDir', '--logLevel', 'error']
    const mode = ['--mode', hasGallery ? 'gallery' : 'production']
    // The bundler takes 300 MiB for seconds; a process of its own gives them back.
    await run(process.execPath, [script, 'build', sources, ...settings, ...mode])
    await writeFile(path.join(draft, idFile), id)
    await rename(folder, old).catch(() => undefined)
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await isBuilt(folder, id))) throw error
    })
  } finally {
    await Promise.all([draft, old].map((each) => rm(each, { recursive: true, force: true })))
  }
}

const isBuilt = (folder: string, id: string): Promise<boolean> =>
  readFile(path.join(folder, idFile), 'utf8').then(
    (text) => text === id,
    () => false,
  )

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

/** A digest of all files that the build is made of. */
async function idOfSources(hasGallery: boolean): Promise<string> {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(sources, file).startsWith('dist'))
    .toSorted()
  const digest = createHash('sha256').update(`gallery ${hasGallery}\n`)
  for (const file of [lockFile, ...files])
    digest.update(`${path.basename(file)}\n`).update(await readFile(file).catch(() => ''))
  return digest.digest('base64url').slice(0, 16)
}
