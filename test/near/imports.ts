// Which file of the repository imports which. Imports of types alone are left out: `npm run types`
// proves them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

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

/** The paths that a source imports, from the folder in which its own path begins. */
export function importsOf(file: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const names = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (isType ? [] : (moduleRequest?.value ?? []))),
    ),
    ...dynamicImports.map(({ moduleRequest }) =>
      text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ]
  const relative = names.filter((name) => name.startsWith('.'))
  return [...new Set(relative.map((name) => pathFrom(file, name)))]
}

/** The path that a file names as `./queries.ts`. */
export function pathFrom(file: string, name: string): string {
  return path.posix.join(path.posix.dirname(file), name)
}
