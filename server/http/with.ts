// The parameter `with`, which names data that an answer shows only on demand. Each route declares
// its names once: the document lists them, and the handler asks for no others. Unknown names are
// accepted and ignored, because programs send names that their other accounts know.
import type { Static } from 'typebox'
import type { Nested } from './nested.ts'
import { Type } from './type.ts'
import { CommaList } from './types.ts'

export interface With<Name extends string> {
  names: readonly Name[]
  /** The parameter: `with=a,b`, `with=a&with=b`, `with[]=a` or `with[0]=a`. */
  parameter: typeof Names
  /** The known names of a request. */
  wanted(sent: Static<typeof Names> | undefined): ReadonlySet<Name>
}

const AnyName = Type.String({ maxLength: 1000 })
const Names = Type.Optional(CommaList(AnyName))

export function withNames<const Name extends string>(...names: readonly Name[]): With<Name> {
  const listed = Type.Union([Type.Enum([...names]), AnyName])
  const known = new Set<string>(names)
  return {
    names,
    parameter: Type.Optional({
      ...CommaList(listed),
      description: `Names of more data to show, separated by commas: ${names.join(', ')}. Unknown names are ignored`,
    }) as unknown as typeof Names,
    wanted: (sent = []) =>
      new Set(sent.map((name) => name.trim()).filter((name): name is Name => known.has(name))),
  }
}

/** A query whose `with` is one text again, as links in answers show it. */
export function withCommas(query: Nested): Nested {
  const { with: names } = query
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string')
  return isList ? { ...query, with: names.join(',') } : query
}
