// The files of the built web application. Their names hold a digest of their contents, so a browser
// keeps them for good. The build has compressed them; nothing of them stays in memory.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export interface WebAsset {
  type: string
  /** The compressed forms that lie beside the file. */
  encodings: Encoding[]
}

const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]
const endings: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
}

/** The files below `folder` by their path in it, without their compressed forms. */
export async function findAssets(folder: string): Promise<Map<string, WebAsset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .map((name) => name.replaceAll('\\', '/')),
  )
  const found = new Map<string, WebAsset>()
  for (const name of names) {
    const type = types[path.extname(name)]
    if (type === undefined) continue
    found.set(name, {
      type,
      encodings: encodings.filter((each) => names.has(name + endings[each])),
    })
  }
  return found
}

/**
 * The best form of an asset for an `Accept-Encoding` header, and its bytes; undefined where another
 * build has taken its place.
 */
export async function readAsset(
  folder: string,
  name: string,
  asset: WebAsset,
  accepted: string,
): Promise<{ body: Buffer; encoding?: Encoding } | undefined> {
  const encoding = asset.encodings.find((each) => takes(accepted, each))
  const file = path.join(folder, name + (encoding ? endings[encoding] : ''))
  const body = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return body && { body, ...(encoding && { encoding }) }
}

const takes = (accepted: string, encoding: string): boolean =>
  accepted.split(',').some((each) => {
    const [name, ...parameters] = each.trim().split(/\s*;\s*/)
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
