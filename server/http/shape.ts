// Reads schemas: the subset of JSON Schema that TypeBox writes and this server supports. An
// unsupported schema stops the server at the start, so no value passes unchecked.

export interface Schema {
  type?: string
  const?: unknown
  format?: string
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  maxItems?: number
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  readonly [keyword: string]: unknown
}

export type SchemaKind =
  | 'integer'
  | 'number'
  | 'string'
  | 'boolean'
  | 'null'
  | 'array'
  | 'object'
  | 'choice'
  | 'union'
  | 'any'

/** Keywords for the coercion only. */
export const marks = [
  'x-cut',
  'x-decimals',
  'x-refused',
  'x-text',
  'x-comma',
  'x-page',
  'x-any-case',
  'x-null-refused',
]

export const formats = {
  uri: (text: string) => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text),
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  email: /^[^\s@]+@[^\s@]+$/,
}

/**
 * Not supported: `$ref`, `allOf` and the like, which the coercion does not follow, and
 * `uniqueItems`, whose cost is quadratic.
 */
const keywords = new Set([
  ...'type const enum anyOf items minItems maxItems minLength maxLength pattern format'.split(' '),
  ...'minimum exclusiveMinimum maximum exclusiveMaximum multipleOf'.split(' '),
  ...'properties required patternProperties additionalProperties minProperties maxProperties'.split(
    ' ',
  ),
  ...'title description default examples deprecated readOnly writeOnly'.split(' '),
  ...marks,
])

/**
 * The schema that is enforced. Integers without bounds become safe integers; objects without
 * `additionalProperties` take no other keys (interface: Unknown keys). Throws an Error for an
 * unsupported keyword or format.
 */
export function strict(source: object): Schema {
  const schema = source as Schema
  const { anyOf, items, properties, patternProperties, additionalProperties, format } = schema
  const strange =
    Object.keys(schema).find((keyword) => !keywords.has(keyword)) ??
    (Array.isArray(items) ? 'a list of items' : undefined)
  if (strange)
    throw new Error(
      `a schema says ${strange}, which is not supported here: ${JSON.stringify(schema)}`,
    )
  if (format !== undefined && !Object.hasOwn(formats, format))
    throw new Error(`a schema names the unknown format ${format}`)
  return {
    ...schema,
    ...(schema.type === 'integer' && bounded(schema)),
    ...(anyOf && { anyOf: anyOf.map((each) => strict(each)) }),
    ...(items && { items: strict(items) }),
    ...(properties && { properties: strictEach(properties) }),
    ...(patternProperties && { patternProperties: strictEach(patternProperties) }),
    ...((properties || patternProperties) && {
      additionalProperties: additionalProperties ?? false,
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: strict(additionalProperties),
    }),
  }
}

export function schemaKindOf(schema: Schema): SchemaKind {
  if (schema.anyOf) return 'union'
  if (typeof schema.const === 'number' && Number.isInteger(schema.const)) return 'integer'
  if (schema.type) return schema.type as SchemaKind
  return schema.enum || 'const' in schema ? 'choice' : 'any'
}

/**
 * Whether a value has the schema's type, or is its constant or one of its choices. Looks no deeper.
 */
export function fitsShallowly(schema: Schema, value: unknown): boolean {
  if ('const' in schema) return value === schema.const
  if (schema.enum) return schema.enum.includes(value)
  switch (schemaKindOf(schema)) {
    case 'union':
      return schema.anyOf!.some((each) => fitsShallowly(each, value))
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'any':
      return true
    default:
      return typeof value === schema.type
  }
}

/** The schema for a key that `properties` does not name, or undefined. */
export function otherMembers({
  patternProperties = {},
  additionalProperties,
}: Schema): (key: string) => Schema | undefined {
  const patterns = Object.entries(patternProperties).map(([pattern, schema]) => ({
    pattern: new RegExp(pattern, 'u'),
    schema,
  }))
  const rest =
    typeof additionalProperties === 'object'
      ? additionalProperties
      : additionalProperties === false
        ? undefined
        : {}
  return (key) => patterns.find(({ pattern }) => pattern.test(key))?.schema ?? rest
}

function strictEach(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, strict(schema)]))
}

function bounded(schema: Schema): Schema {
  return {
    ...(!('exclusiveMinimum' in schema) && {
      minimum: schema['minimum'] ?? Number.MIN_SAFE_INTEGER,
    }),
    ...(!('exclusiveMaximum' in schema) && {
      maximum: schema['maximum'] ?? Number.MAX_SAFE_INTEGER,
    }),
  }
}
