// Reading the values of custom fields that a body sends (entities reference, 16.1 and 16.3; decision: type leniency). What is wrong is
// added to the faults of the item, under the path of the value.
import type { Faults, Item } from '../../http/batch.ts'
import { startOfDay } from './days.ts'
import type { Field, Fields } from './definitions.ts'
import { checkObject } from './objects.ts'
import type { SentValue, SentValues } from './schema.ts'
import { factsOf } from './types.ts'
import type { Kept } from './values.ts'

/** Adds a fault at a path below the item. */
type Complain = (path: string, code: string, detail: string) => undefined

/**
 * What an item says about fields: the values to keep of each one that it names, none where it clears the field. A field that is named
 * twice counts as it is named last.
 */
export function readValues(
  fields: Fields,
  faults: Faults,
  item: Item<unknown>,
  sent: SentValues | null | undefined,
): Map<number, Kept[]> {
  const read = new Map<number, Kept[]>()
  for (const [place, { field_id, field_code, values }] of (sent ?? []).entries()) {
    const at = `custom_fields_values.${place}`
    const complain: Complain = (path, code, detail) => void faults.add(item, { code, path: `${at}.${path}`, detail })
    const field = fieldOf(fields, complain, field_id ?? undefined, field_code ?? undefined)
    if (field) read.set(field.id, readField(fields, field, complain, values ?? []))
  }
  return read
}

function fieldOf(fields: Fields, complain: Complain, id: number | undefined, code: string | undefined): Field | undefined {
  if (id === undefined && code === undefined)
    return complain('field_id', 'FieldMissing', 'A field is named by field_id or field_code.')
  const field = id === undefined ? fields.byCode.get(code!) : fields.byId.get(id)
  if (field) return field
  return id === undefined
    ? complain('field_code', 'NotSupportedChoice', `There is no custom field with the code ${code}.`)
    : complain('field_id', 'NotSupportedChoice', `There is no custom field ${id}.`)
}

function readField({ timezone }: Fields, field: Field, complain: Complain, values: readonly SentValue[]): Kept[] {
  const { isMany } = factsOf(field.type)
  const kept: Kept[] = []
  for (const [place, value] of values.entries()) {
    const one: Complain = (path, code, detail) => complain(`values.${place}.${path}`, code, detail)
    const read = isForType(field, one, value) ? readValue(field, timezone, one, value) : undefined
    if (read !== undefined) kept.push(read)
  }
  if (!isMany && values.length > 1) complain('values', 'TooMany', `A field of the type ${field.type} takes one value.`)
  // One address has one city: the last one that is sent.
  if (field.type === 'smart_address') return [...new Map((kept as [string, number][]).map((part) => [part[1], part])).values()]
  return factsOf(field.type).behaviour === 'choice' ? [...new Set(kept)] : kept
}

/** Keys that do not fit the type are a mistake to hear of; null where there could be a value is none. */
function isForType(field: Field, complain: Complain, value: SentValue): boolean {
  const { behaviour } = factsOf(field.type)
  const isLinked = field.type === 'chained_list'
  const strange = Object.entries(value).find(([key, given]) => {
    if (given === null || given === undefined) return false
    if (key === 'value') return isLinked
    if (key.startsWith('enum')) return behaviour !== 'choice' && behaviour !== 'labelled'
    return !isLinked
  })
  if (strange) complain(strange[0], 'FieldNotExpected', `A value of the type ${field.type} has no ${strange[0]}.`)
  return !strange
}

function readValue(field: Field, timezone: string, complain: Complain, sent: SentValue): Kept | undefined {
  const { value } = sent
  const { behaviour } = factsOf(field.type)
  if (behaviour === 'choice') return readChoice(field, complain, sent)
  if (behaviour === 'object') return checkObject(field.type, complain, field.type === 'chained_list' ? { ...sent } : value)
  // An empty text is how forms say that there is nothing.
  if (value === null || value === undefined || value === '') return undefined
  switch (behaviour) {
    case 'labelled':
      return readLabelled(field, complain, sent)
    case 'flag':
      if (typeof value === 'boolean') return value
      return value === 0 || value === 1
        ? value === 1
        : complain('value', 'InvalidType', 'This value should be of type boolean.')
    case 'number':
      return readNumber(complain, value)
    case 'day': {
      const at = readTime(complain, value)
      return at === undefined ? undefined : startOfDay(timezone, at)
    }
    case 'moment':
      return readTime(complain, value)
    default:
      return readText(field, complain, value)
  }
}

function readText(field: Field, complain: Complain, value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return complain('value', 'InvalidType', 'This value should be of type string.')
  const longest = factsOf(field.type).longest!
  const text = String(value)
  if (text.length > longest && [...text].length > longest)
    return complain('value', 'TooLong', `This value is too long. It should have ${longest} characters or less.`)
  return text.trim() === '' ? undefined : text
}

function readChoice(field: Field, complain: Complain, sent: SentValue): number | undefined {
  const [path, named, found] = findEnum(field, sent)
  if (found) return found.id
  if (named === undefined || named === '') return undefined
  return complain(path, 'NotSupportedChoice', `The field ${field.id} has no such choice: ${String(named).slice(0, 100)}`)
}

/** The enum that a value names, by its id, its code (also under the old name `enum`) or its text, in this order of strength. */
function findEnum({ enums }: Field, { enum_id, enum_code, enum: old, value }: SentValue, byValue = true) {
  const code = enum_code ?? (typeof old === 'string' ? old : undefined)
  const id = enum_id ?? (typeof old === 'number' ? old : undefined)
  if (id !== undefined) return ['enum_id', id, enums.find((each) => each.id === id)] as const
  if (code !== undefined) return ['enum_code', code, enums.find((each) => each.code === code)] as const
  const text = byValue && (typeof value === 'string' || typeof value === 'number') ? String(value) : undefined
  if (text === undefined && byValue && value !== undefined && value !== null) return ['value', typeof value, undefined] as const
  return ['value', text, enums.find((each) => each.value === text)] as const
}

/** The first kind where none is said: WORK of phones and e-mails. */
function readLabelled(field: Field, complain: Complain, sent: SentValue): [string, number] | undefined {
  const text = readText(field, complain, sent.value)
  const [path, named, found] = findEnum(field, sent, false)
  if (named !== undefined && !found)
    return complain(path, 'NotSupportedChoice', `The field ${field.id} has no such kind: ${String(named).slice(0, 100)}`)
  return text === undefined ? undefined : [text, (found ?? field.enums[0]!).id]
}

/** Digits of a number before its point, and after. */
const [mostWhole, mostPlaces] = [20, 10]

function readNumber(complain: Complain, value: unknown): string | undefined {
  const text = typeof value === 'number' ? plain(value) : typeof value === 'string' ? value.trim() : undefined
  if (text === undefined) return complain('value', 'InvalidType', 'This value should be of type number.')
  const [, minus = '', whole = '', places = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text) ?? []
  const isNumber = /\d/.test(text) && /^-?\d+(?:\.\d+)?$/.test(text)
  if (!isNumber || whole.length > mostWhole || places.length > mostPlaces)
    return complain('value', 'InvalidFormat', `A number has up to ${mostWhole} digits and ${mostPlaces} decimal places.`)
  const shortest = `${whole === '' ? '0' : whole}${places === '' ? '' : `.${places}`}`
  return shortest === '0' ? '0' : `${minus}${shortest}`
}

/** A number in digits, also where JavaScript would write an exponent. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(mostPlaces) : text
}

/** From the year 1 to the end of 9999. */
const [earliest, latest] = [-62_135_596_800, 253_402_300_799]

/** Unix seconds, or a text with date, time and offset such as programs write it (RFC 3339). */
function readTime(complain: Complain, value: unknown): number | undefined {
  const isText = typeof value === 'string' && !/^-?\d+$/.test(value)
  const at = isText && rfc3339.test(value) ? Math.floor(Date.parse(value) / 1000) : isText ? NaN : Number(value)
  if (typeof value !== 'string' && typeof value !== 'number')
    return complain('value', 'InvalidType', 'This value should be of type integer.')
  if (Number.isInteger(at) && at >= earliest && at <= latest) return at
  return complain('value', 'InvalidFormat', 'A time is given in Unix seconds, or like 2026-12-31T23:59:59+03:00.')
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i
