// What a source of the repository imports, for the rules of the tree and for the tests that a change can reach.
import path from 'node:path'
import { parseSync } from 'vite'

export interface Import {
  /** The path of a file, below the folder in which that of the source begins, or the name of a package. */
  to: string
  isFile: boolean
  isType: boolean
  /** `import()`: loaded when it is called. */
  isCall: boolean
}

/** The imports of a source, then the exports from other files, then the calls of `import`. */
export function importsIn(file: string, text: string): Import[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const madeOf = (name: string, isType = false, isCall = false): Import => ({
    to: pathFrom(file, name),
    isFile: name.startsWith('.'),
    isType,
    isCall,
  })
  return [
    ...staticImports.map(({ entries, moduleRequest }) =>
      madeOf(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...staticExports.flatMap(({ entries }) => {
      const name = entries[0]?.moduleRequest?.value
      return name === undefined
        ? []
        : [
            madeOf(
              name,
              entries.every(({ isType }) => isType),
            ),
          ]
    }),
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const [, name] = /^'([^']+)'$/.exec(text.slice(start, end)) ?? []
      return name === undefined ? [] : [madeOf(name, false, true)]
    }),
  ]
}

/** The path of a file that another names as `./queries.ts`; the name of a package as it is. */
export function pathFrom(file: string, name: string): string {
  return name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name
}
