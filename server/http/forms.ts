// What a filter takes is said where the filter is defined, as the description of its schema: the document shows it, and whoever gets a
// filter or an order wrong is told it, beside what is wrong with the value.
import type { Fault } from './problem.ts'
import type { Schema } from './shape.ts'

/** The faults of a query string; each that lies in a parameter of several parts ends with what the part around it takes. */
export function withForms(query: object, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => {
    const forms = formsAt(query as Schema, keysOf(fault.path))
    return forms === undefined ? fault : { ...fault, detail: `${fault.detail} It takes ${forms}.` }
  })
}

/** The nearest description around a place: of `filter[price][from]` that of the price, of an unknown filter that of all filters. */
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

/** `filter[price][from]` in parts; no key of a query string holds a bracket. */
function keysOf(path: string): string[] {
  return path.split('[').map((key) => key.replace(/\]$/, ''))
}
