// Converts values that count as another type (interface: Type leniency). Each schema is compiled
// once into closures. A closure returns the same value when there is nothing to convert, else a
// copy; it never changes its input. A branch of a schema that converts nothing has no closure. A
// value that does not fit is passed on for the validator to report.
import { isNested, repeatsOf } from './nested.ts'
import type { NestedValue, Repeats } from './nested.ts'
import { nameOf } from './request-id.ts'
import { fitsShallowly, schemaKindOf, otherMembers } from './shape.ts'
import type { Schema } from './shape.ts'

/**
 * JSON has types of its own; `strict` takes them as they are. Query strings and forms hold only
 * text.
 */
export type Mode = 'json' | 'text' | 'strict'

export type Coerce = (value: unknown) => unknown

export interface CoerceOptions {
  mode: Mode
  /** Leave out keys that a closed object does not define. */
  dropUnknown: boolean
  /** The validator of one alternative, for unions whose alternatives share a type. */
  validator: (schema: Schema) => (value: unknown) => boolean
}

export function coercion(
  schema: Schema,
  options: CoerceOptions,
  isItem = false,
): Coerce | undefined {
  const text = options.mode === 'text'
  const kind = schemaKindOf(schema)
  if (options.mode === 'strict' && !['array', 'object', 'union'].includes(kind)) return undefined
  switch (kind) {
    case 'integer':
      return integer(text, schema)
    case 'number':
      return number(text, schema['x-decimals'] as number | undefined)
    case 'boolean':
      return text
        ? (value) => (typeof value === 'string' ? (booleans.get(value) ?? value) : value)
        : bit
    case 'string':
      return schema['x-text'] === true ? loose : undefined
    case 'choice':
      return text ? choice(schema) : undefined
    case 'array':
      return array(schema, options)
    case 'object':
      return object(schema, options, isItem)
    case 'union':
      return union(schema.anyOf!, options, isItem)
    default:
      return undefined
  }
}

const whole = /^-?\d+$/
const decimal = /^-?\d+(?:\.\d+)?$/
const booleans = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** `|| first` turns -0 into 0, and 0 into 1 where it is the number of a page. */
function integer(text: boolean, schema: Schema): Coerce {
  const cut = schema['x-cut'] === true
  const first = schema['x-page'] === true ? 1 : 0
  const accepted = cut ? decimal : whole
  return (value) => {
    if (typeof value === 'string')
      return accepted.test(value) ? Math.trunc(Number(value)) || first : value
    return cut && !text && typeof value === 'number' && !Number.isInteger(value)
      ? Math.trunc(value) + 0
      : value
  }
}

/** In JSON only a number that is rounded may be text, as a price that is cut may. */
function number(text: boolean, decimals: number | undefined): Coerce | undefined {
  if (!text && decimals === undefined) return undefined
  return (value) => {
    const read = typeof value === 'string' && decimal.test(value) ? Number(value) : value
    return decimals !== undefined && typeof read === 'number' ? rounded(read, decimals) : read
  }
}

/** Rounds the digits that were sent: in binary, 1.0000015 is a little less than that. */
function rounded(value: number, decimals: number): number {
  const [digits, exponent = 0] = String(value).split('e')
  const moved = Math.round(Number(`${digits}e${Number(exponent) + decimals}`))
  return Number.isSafeInteger(moved) ? Number(`${moved}e-${decimals}`) : value
}

const bit: Coerce = (value) => (value === 1 ? true : value === 0 ? false : value)

/**
 * Beyond the safe integers JSON.parse has lost digits: the text would differ from what the client
 * sent.
 */
const loose: Coerce = (value) => {
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? String(value)
    : value
}

function choice(schema: Schema): Coerce {
  const inCase = (text: string) => (schema['x-any-case'] === true ? text.toLowerCase() : text)
  const choices = schema.enum ?? [schema.const]
  const byText = new Map(choices.map((each) => [inCase(String(each)), each]))
  return (value) =>
    typeof value === 'string' && byText.has(inCase(value)) ? byText.get(inCase(value)) : value
}

function array(schema: Schema, options: CoerceOptions): Coerce | undefined {
  const items = schema.items ? coercion(schema.items, options, true) : undefined
  const each = items && mapped(items, schema.maxItems)
  if (options.mode === 'strict')
    return each && ((value) => (Array.isArray(value) ? each(value) : value))
  if (options.mode === 'json')
    return (value) => {
      const list = sentOrEmptyList(value) ?? value
      return each && Array.isArray(list) ? each(list) : list
    }
  const split = schema['x-comma'] === true
  const takesObjects = !schema.items || fitsShallowly(schema.items, {})
  return (value) => {
    const list = listed(value, split, takesObjects)
    return each && Array.isArray(list) ? each(list) : list
  }
}

/**
 * Reads a query string's value as a list. One value is a list of one; indices with gaps only give
 * an order.
 */
function listed(value: unknown, split: boolean, takesObjects: boolean): unknown {
  if (split && value === '') return []
  if (typeof value === 'string') return split ? piecesOf(value) : [value]
  if (typeof value !== 'object' || value === null) return value
  const list = Array.isArray(value) ? value : valuesByIndex(value)
  if (!list) return takesObjects ? [value] : value
  return split ? list.flatMap(piecesOf) : list
}

/** Whether several values of one key of a query string may be a list. */
const takesList = (schema: Schema): boolean =>
  schemaKindOf(schema) === 'array' || (schema.anyOf?.some(takesList) ?? false)

/**
 * The member of a query string for a schema that takes a list: all values of a repeated key, or the
 * last one where a value before has named members and so is no part of a list.
 */
function memberFrom(repeats: Repeats | undefined, key: string, last: unknown): unknown {
  const lists = repeats?.get(key)?.map(listFrom)
  return lists?.every((list) => list !== undefined) ? lists.flat() : last
}

const listFrom = (value: NestedValue): unknown[] | undefined =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value : valuesByIndex(value)

/** Programs that join a list by hand leave a space after the comma. */
const piecesOf = (value: unknown) =>
  typeof value === 'string' ? value.split(',').map((piece) => piece.trim()) : [value]

/**
 * The values of an object whose keys are all indices, in the order of the indices; else undefined.
 */
export function valuesByIndex(value: object): unknown[] | undefined {
  const entries = Object.entries(value)
  if (entries.length === 0 || !entries.every(([key]) => /^\d+$/.test(key))) return undefined
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, each]) => each)
}

/**
 * PHP writes a list whose keys are not in order as an object with the keys 0 to n-1. JSON.parse
 * gives such keys in their order. Undefined for any other value.
 */
export function listOfPhp(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if (!Object.hasOwn(value, '0')) return undefined
  const keys = Object.keys(value)
  return keys.every((key, index) => key === String(index)) ? Object.values(value) : undefined
}

/**
 * A list that a body holds as an object: the keys 0 to n-1 in JSON, and any indices in a form, where
 * they only give an order (interface: Lists as objects). Ids as keys stay, where no list is asked
 * for.
 */
function sentList(value: unknown): unknown[] | undefined {
  return listOfPhp(value) ?? (isNested(value) ? valuesByIndex(value) : undefined)
}

/** The same, and an empty object as an empty list: it has no key that could say which it is. */
const sentOrEmptyList = (value: unknown): unknown[] | undefined =>
  !Array.isArray(value) && isEmpty(value) ? [] : sentList(value)

/** PHP writes an empty object as an empty list. */
export function isEmptyObjectOfPhp(value: unknown): value is [] {
  return Array.isArray(value) && value.length === 0
}

/**
 * Of a list that is too long only so many items are converted, and left in it, that it is refused:
 * a body may hold hundreds of thousands.
 */
function mapped(items: Coerce, most = Infinity): (list: unknown[]) => unknown[] {
  return (sent) => {
    const list = sent.length > most ? sent.slice(0, most + 1) : sent
    let copy: unknown[] | undefined
    for (let index = 0; index < list.length; index++) {
      const before = list[index]
      const after = items(before)
      if (after !== before) (copy ??= list.slice())[index] = after
    }
    return copy ?? list
  }
}

function object(schema: Schema, options: CoerceOptions, isItem: boolean): Coerce | undefined {
  const text = options.mode === 'text'
  const isStrict = options.mode === 'strict'
  const properties = schema.properties ?? {}
  const named = Object.entries(properties).flatMap(([key, inner]) => {
    const coerce = coercion(inner, options)
    const isUnsent = text ? never : unsentMember(schema, key, inner, options)
    return coerce || isUnsent !== never
      ? [{ key, coerce, isUnsent, isList: text && takesList(inner) }]
      : []
  })
  const rest = others(schema, options)
  const mayBeNamed =
    options.mode === 'json' &&
    isItem &&
    schema.additionalProperties === false &&
    !('request_id' in properties)

  return (value) => {
    const isEmpty = !isStrict && isEmptyObjectOfPhp(value)
    const source = text ? objectOfText(value) : isEmpty ? {} : value
    if (typeof source !== 'object' || source === null || Array.isArray(source)) return value
    const before = source as Record<string, unknown>
    const repeats = text ? repeatsOf(value as object) : undefined
    let copy = mayBeNamed && 'request_id' in before ? withoutName(before) : undefined
    for (const { key, coerce, isUnsent, isList } of named) {
      const member = before[key]
      if (member === undefined) continue
      if (isUnsent(member)) delete (copy ??= { ...before })[key]
      else if (coerce) {
        const after = coerce(isList ? memberFrom(repeats, key, member) : member)
        if (after !== member) (copy ??= { ...before })[key] = after
      }
    }
    return rest ? rest(before, copy, repeats) : (copy ?? before)
  }
}

/**
 * Whether a value of a member counts as not sent: null where the member is optional and its schema
 * takes no null, and an empty `_embedded` (interface: Null). The entries of a record are none of
 * its members, but named like the items of a list. `x-null-refused` keeps a null whose absence means
 * all. A member that bodies cannot write (`x-refused`) is left out where unknown keys are.
 */
function unsentMember(
  schema: Schema,
  key: string,
  inner: Schema,
  { dropUnknown }: CoerceOptions,
): (value: unknown) => boolean {
  if (dropUnknown && 'x-refused' in inner) return always
  const isRequired = (schema['required'] as string[] | undefined)?.includes(key)
  if (isRequired || inner['x-null-refused'] === true) return never
  const takesNull = fitsShallowly(inner, null)
  if (key === '_embedded') return (value) => isEmpty(value) || (value === null && !takesNull)
  return takesNull ? never : isNull
}

/** Whether a member that no schema names counts as not sent, for bodies that refuse such members. */
const isUnsentUnknown = (key: string, value: unknown) =>
  value === null || (key === '_embedded' && isEmpty(value))

const never = () => false
const always = () => true
const isNull = (value: unknown) => value === null
export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The parser makes a list of `a[0]=x&a[1]=y`, even where the schema asks for an object. */
function objectOfText(value: unknown): unknown {
  return Array.isArray(value) ? Object.fromEntries(value.entries()) : value
}

type Members = Record<string, unknown>

/** Every item of a list may carry a `request_id`, which ends here unless its schema names it. */
function withoutName(item: Members): Members | undefined {
  const { request_id, ...rest } = item
  return typeof nameOf(request_id) === 'object' ? undefined : rest
}

/** Converts or leaves out the members of an object that its schema does not name. */
function others(
  schema: Schema,
  options: CoerceOptions,
): ((before: Members, copy: Members | undefined, repeats?: Repeats) => Members) | undefined {
  const inner = [
    ...Object.values(schema.patternProperties ?? {}),
    schema.additionalProperties,
  ].filter((each) => typeof each === 'object')
  const coercions = new Map(inner.map((each) => [each, coercion(each, options, true)]))
  const lists = new Set(options.mode === 'text' ? inner.filter(takesList) : [])
  const dropsUnknown =
    schema.additionalProperties === false && (options.dropUnknown || options.mode !== 'text')
  if (!dropsUnknown && ![...coercions.values()].some(Boolean)) return undefined
  const properties = schema.properties ?? {}
  const schemaOf = otherMembers(schema)
  const isDropped = (key: string, value: unknown) =>
    dropsUnknown && (options.dropUnknown || isUnsentUnknown(key, value))
  return (before, copied, repeats) => {
    let copy = copied
    for (const key of Object.keys(before)) {
      if (Object.hasOwn(properties, key)) continue
      const memberSchema = schemaOf(key)
      const coerce = memberSchema && coercions.get(memberSchema)
      if (!memberSchema && isDropped(key, before[key])) delete (copy ??= { ...before })[key]
      else if (coerce) {
        const member = lists.has(memberSchema) ? memberFrom(repeats, key, before[key]) : before[key]
        const after = coerce(member)
        if (after !== before[key]) (copy ??= { ...before })[key] = after
      }
    }
    return copy ?? before
  }
}

/**
 * Takes the first alternative that the value fits unchanged, else the first that it fits converted.
 * A text fits every text alternative unchanged, so in text mode only the order of the schema
 * decides.
 */
function union(
  alternatives: readonly Schema[],
  options: CoerceOptions,
  isItem: boolean,
): Coerce | undefined {
  const types = alternatives.map(schemaKindOf)
  const choices = alternatives.map((schema, index) => {
    const type = types[index]!
    const alone = types.indexOf(type) === types.lastIndexOf(type)
    const glance = alone || (type !== 'object' && type !== 'array' && type !== 'union')
    return {
      coerce: coercion(schema, options, isItem),
      fits: glance ? (value: unknown) => fitsShallowly(schema, value) : options.validator(schema),
    }
  })
  if (!choices.some(({ coerce }) => coerce)) return undefined
  const list = options.mode === 'json' ? choices[types.indexOf('array')] : undefined
  const isList = list && takesEmptyObject(alternatives, options) ? sentList : sentOrEmptyList
  return (value) => {
    if (options.mode !== 'text') {
      if (list && isList(value)) return list.coerce!(value)
      const fitting = choices.find(({ fits }) => fits(value))
      if (fitting) return fitting.coerce ? fitting.coerce(value) : value
    }
    for (const { coerce, fits } of choices) {
      const after = coerce ? coerce(value) : value
      if (fits(after)) return after
    }
    return value
  }
}

/** Whether an empty object has a meaning of its own, beside that of an empty list. */
const takesEmptyObject = (alternatives: readonly Schema[], { validator }: CoerceOptions) =>
  alternatives.some((schema) => fitsShallowly(schema, {}) && validator(schema)({}))
