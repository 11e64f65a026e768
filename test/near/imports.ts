// Which file of the repository imports which. Imports of types alone are left out: `npm run types`
// proves them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { importsIn } from '../imports.ts'

/** The files that each source imports, by their paths below `root`. Packages are left out. */
export function readImports(
  root: string,
  files: ReadonlySet<string>,
): Map<string, readonly string[]> {
  const sources = [...files].filter((file) => /\.(?:[cm]?ts|tsx)$/.test(file))
  return new Map(
    sources.map((file) => [
      file,
      importsOf(file, readFileSync(path.join(root, file), 'utf8')).filter((to) => files.has(to)),
    ]),
  )
}

/** The files that a source imports, by paths from the folder in which its own begins. */
export function importsOf(file: string, text: string): string[] {
  const imports = importsIn(file, text).filter(({ isFile, isType }) => isFile && !isType)
  return [...new Set(imports.map(({ to }) => to))]
}
