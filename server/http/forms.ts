// The description of a filter's schema says which values the filter takes. The document shows it,
// and so does the fault of a client that gets the filter or an order wrong.
import type { Fault } from './problem.ts'
import type { Schema } from './shape.ts'

/**
 * The faults of a query string. A fault inside a nested parameter ends with the description of that
 * parameter.
 */
export function withForms(query: object, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => {
    const forms = formsAt(query as Schema, keysOf(fault.path))
    if (forms === undefined) return fault
    const [taken] = forms.split('. ', 1)
    return { ...fault, detail: `${fault.detail} It takes ${taken}.` }
  })
}

/**
 * The nearest description around a path: for `filter[price][from]` that of the price, for an
 * unknown filter that of all filters.
 */
function formsAt(query: Schema, [parameter = '', ...keys]: readonly string[]): string | undefined {
  let schema = propertyOf(query, parameter)
  if (!schema?.properties) return undefined
  let forms = schema['description']
  for (const key of keys) {
    schema = propertyOf(schema, key)
    if (!schema) break
    forms = schema['description'] ?? forms
  }
  return forms as string | undefined
}

function propertyOf({ properties = {} }: Schema, key: string): Schema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined
}

/** The keys of `filter[price][from]`. No key of a query string holds a bracket. */
function keysOf(path: string): string[] {
  return path.split('[').map((key) => key.replace(/\]$/, ''))
}
