// The files of the page: our own, and two of the package swagger-ui-dist. Each is read and
// compressed once. Its digest is its ETag, so a browser that has a file does not load it again.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface Asset {
  type: string
  body: Buffer
  gzipped: Buffer
  etag: string
  /** The value of the header Cache-Control. */
  keep: string
}

/** Our own files change with Kontor, so browsers check them each time. */
export const askFirst = 'no-cache'
/** The files of the library change rarely. */
const oneDay = 'public, max-age=86400'

const library = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const own = import.meta.dirname

const files: Record<string, { folder: string; type: string; keep: string }> = {
  'page.html': { folder: own, type: 'text/html; charset=utf-8', keep: askFirst },
  'page.css': { folder: own, type: 'text/css; charset=utf-8', keep: askFirst },
  'page.js': { folder: own, type: 'text/javascript; charset=utf-8', keep: askFirst },
  'swagger-ui.css': { folder: library, type: 'text/css; charset=utf-8', keep: oneDay },
  'swagger-ui-bundle.js': { folder: library, type: 'text/javascript; charset=utf-8', keep: oneDay },
}

const assets = new Map<string, Promise<Asset>>()

/** One of the files of the page; undefined for an unknown name. */
export function assetNamed(name: string): Promise<Asset> | undefined {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) return undefined
  let asset = assets.get(name)
  if (!asset) {
    asset = readFile(path.join(file.folder, name)).then((body) =>
      assetOf(body, file.type, file.keep),
    )
    assets.set(name, asset)
  }
  return asset
}

const pack = promisify(gzip)

export async function assetOf(body: Buffer, type: string, keep: string): Promise<Asset> {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { type, keep, body, etag, gzipped: await pack(body) }
}
