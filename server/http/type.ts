// The builder of schemas: plain objects of JSON Schema, with the types of TypeBox. Its own builder
// brings 370 modules, nearly all for a language of types that no schema here speaks, and they take
// 12 MiB of the process (decision 61). A test compares the two.
import type { TSchema, Type as TypeBox } from 'typebox'

type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'IsOptional'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'

type Properties = Record<string, TSchema>

const ofType = (type: string) => (options?: TSchema) => ({ type, ...options })

function object(properties: Properties, options?: TSchema): TSchema {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]!))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

/** TypeBox knows an optional property by this key, too, which is not enumerable. */
const mark = '~optional'
const isOptional = (schema: TSchema): boolean => mark in schema
const optional = (schema: TSchema): TSchema =>
  Object.defineProperty({ ...schema }, mark, { value: true })

const partial = ({ properties }: { properties: Properties }, options?: TSchema): TSchema =>
  object(
    Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, optional(each)])),
    options,
  )

export const Type = {
  Array: (items: TSchema, options?: TSchema) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options?: TSchema) => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  IsOptional: isOptional,
  Literal: (value: unknown, options?: TSchema) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: TSchema, options?: TSchema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly TSchema[], options?: TSchema) => ({ anyOf, ...options }),
  Unknown: (options?: TSchema) => ({ ...options }),
} as unknown as Pick<typeof TypeBox, Used>
