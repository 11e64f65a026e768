// Reads the values of custom fields in a body (interface: Custom field value; Type leniency).
// Faults are added to those of the item, under the path of the value.
import { faultAt } from '../../http/problem.ts'
import type { Faults, Item } from '../../http/batch.ts'
import type { UnknownKeys } from '../../http/validate.ts'
import { partsOfChain } from './chains.ts'
import type { DayZones } from './days.ts'
import { choicesOf } from './definitions.ts'
import type { Enum, Field, Fields } from './definitions.ts'
import { checkObject } from './objects.ts'
import { dateText, dayNamed, readDay, readFlag, readNumber, readText, readTime } from './scalars.ts'
import type { Complain } from './scalars.ts'
import type { SentValue, SentValues } from './schema.ts'
import { fieldTypeFacts } from './types.ts'
import type { Kept } from './values.ts'

/**
 * The values to store for each field that an item names; an empty list clears the field. Of a field
 * that is named twice, the last entry counts. Keys that do not fit the type of a field are a fault,
 * or are ignored.
 */
export function readValues(
  fields: Fields,
  faults: Faults,
  item: Item<unknown>,
  sent: SentValues | null | undefined,
  unknownKeys: UnknownKeys = 'reject',
): Map<number, Kept[]> {
  const complainAt =
    (index: number): Complain =>
    (path, ...said) => {
      faults.add(item, faultAt(`custom_fields_values.${index}.${path}`, ...said))
    }
  const named = (complain: Complain, { field_id, field_code }: SentValues[number]) =>
    fieldOf(fields, complain, field_id ?? undefined, field_code ?? undefined)
  // A field that is named a hundred times is read once.
  const last = new Map((sent ?? []).map((each, index) => [named(() => undefined, each), index]))
  const read = new Map<number, Kept[]>()
  for (const [index, each] of (sent ?? []).entries()) {
    if (faults.isFull(item)) break
    const complain = complainAt(index)
    const field = named(complain, each)
    if (field && last.get(field) === index)
      read.set(field.id, readField(fields, field, complain, each.values ?? [], unknownKeys))
  }
  return read
}

/** Sent values with their days as bare dates, which name the same days whatever zone reads them. */
export function withBareDates(fields: Fields, sent: SentValues): SentValues {
  return sent.map((each) => {
    const { field_id, field_code, values } = each
    const field = fieldOf(fields, () => undefined, field_id ?? undefined, field_code ?? undefined)
    if (!field || fieldTypeFacts(field.type).behaviour !== 'day' || !Array.isArray(values))
      return each
    const dated = values.map((one) => {
      const { value } = one
      if (typeof value !== 'string' && typeof value !== 'number') return one
      const day = dayNamed(fields.timezone, value)
      return day === undefined ? one : { ...one, value: dateText(day) }
    })
    return { ...each, values: dated }
  })
}

function fieldOf(
  fields: Fields,
  complain: Complain,
  id: number | undefined,
  code: string | undefined,
): Field | undefined {
  if (id === undefined && code === undefined)
    return complain('field_id', 'FieldMissing', 'A field is named by field_id or field_code.')
  const field = id === undefined ? fields.byCode.get(code!) : fields.byId.get(id)
  if (field) return field
  return id === undefined
    ? complain(
        'field_code',
        'NotSupportedChoice',
        `There is no custom field with the code ${code}.`,
      )
    : complain('field_id', 'NotSupportedChoice', `There is no custom field ${id}.`)
}

function readField(
  zones: DayZones,
  field: Field,
  complain: Complain,
  sent: NonNullable<SentValues[number]['values']>,
  unknownKeys: UnknownKeys,
): Kept[] {
  const { behaviour, most } = fieldTypeFacts(field.type)
  const values = listOfValues(field, complain, sent)
  if (values.length > most) {
    const count = most === 1 ? 'one value' : `${most} values`
    complain('values', 'TooMany', `A field of the type ${field.type} takes ${count}.`, most)
    return []
  }
  const kept: Kept[] = []
  for (const { key, part: value } of values) {
    const one: Complain = (path, ...said) => complain(`values.${key}.${path}`, ...said)
    const isFitting = unknownKeys === 'ignore' || fits(field, one, value)
    const read = isFitting ? readValue(field, zones, one, value, unknownKeys) : undefined
    if (read !== undefined) kept.push(read)
  }
  // An address has each part once: the last one in the body counts.
  if (field.type === 'smart_address')
    return [...new Map((kept as [string, number][]).map((part) => [part[1], part])).values()]
  return behaviour === 'choice' ? [...new Set(kept)] : kept
}

/** The values with their keys in the body. Only those of a chained list may stand by catalog id. */
function listOfValues(
  { type }: Field,
  complain: Complain,
  sent: NonNullable<SentValues[number]['values']>,
): { key: string; part: SentValue }[] {
  if (type === 'chained_list' || Array.isArray(sent))
    return partsOfChain(sent, (path, ...said) => complain(`values.${path}`, ...said))
  complain('values', 'InvalidType', 'This value should be of type array.')
  return []
}

/** Refuses keys that do not fit the type of the field; null is accepted for every key. */
function fits(field: Field, complain: Complain, value: SentValue): boolean {
  const { behaviour } = fieldTypeFacts(field.type)
  const isChained = field.type === 'chained_list'
  for (const [key, given] of Object.entries(value)) {
    if (given === null || given === undefined) continue
    const isEnum = key.startsWith('enum')
    const isExpected = isEnum
      ? (behaviour === 'choice' || behaviour === 'labelled') &&
        (field.type !== 'category' || key === 'enum_id')
      : isChained === (key !== 'value')
    if (isExpected) continue
    complain(key, 'FieldNotExpected', `A value of the type ${field.type} has no ${key}.`)
    return false
  }
  return true
}

function readValue(
  field: Field,
  zones: DayZones,
  complain: Complain,
  sent: SentValue,
  unknownKeys: UnknownKeys,
): Kept | undefined {
  const { type } = field
  if (type === 'chained_list') {
    const { catalog_id, catalog_element_id } = sent
    return checkObject(type, complain, { catalog_id, catalog_element_id }, unknownKeys)
  }
  const { behaviour } = fieldTypeFacts(type)
  // Forms send an empty text for an empty value.
  const value = sent.value === null || sent.value === '' ? undefined : sent.value
  if (behaviour === 'choice') return readChoice(field, complain, { ...sent, value })
  if (value === undefined) return undefined
  switch (behaviour) {
    case 'labelled':
      return readLabelled(field, complain, sent)
    case 'flag':
      return readFlag(complain, value)
    case 'number':
      return readNumber(complain, value)
    case 'day':
      return readDay(zones, complain, value)
    case 'moment':
      return readTime(complain, value)
    case 'object': {
      const object = checkObject(type, complain, value, unknownKeys)
      return type === 'linked_entity' ? fittingEntity(field, complain, object) : object
    }
    default:
      return readText(type, complain, value)
  }
}

/** A linked entity stands where its field looks for it. */
function fittingEntity(
  { searchIn }: Field,
  complain: Complain,
  object: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (!object) return undefined
  const { entity_type, catalog_id = null } = object
  const isElement = entity_type === 'catalog_elements'
  const isFitting = isElement
    ? String(catalog_id) === searchIn
    : searchIn === entity_type || searchIn === 'contacts_and_companies'
  if (!isFitting)
    return complain(
      isElement ? 'value.catalog_id' : 'value.entity_type',
      'NotSupportedChoice',
      `The field looks in ${searchIn}.`,
    )
  if (isElement || catalog_id === null) return object
  return complain('value.catalog_id', 'NotSupportedChoice', 'Only an element has a catalog.')
}

/**
 * The enum that a value names by id or else by code, each also under the old name `enum`; undefined
 * where it names none.
 */
function namedEnum(
  field: Field,
  sent: SentValue,
): { path: string; named: unknown; choice: Enum | undefined } | undefined {
  const { byId, byCode } = choicesOf(field)
  const path = (['enum_id', 'enum_code', 'enum'] as const).find((key) => (sent[key] ?? '') !== '')
  if (!path) return undefined
  const named = sent[path]!
  const choice = typeof named === 'number' ? byId.get(named) : byCode.get(named)
  // Old programs send ids as text.
  return { path, named, choice: choice ?? (path === 'enum' ? byId.get(Number(named)) : undefined) }
}

/** The text counts only where no enum is named. */
function readChoice(field: Field, complain: Complain, sent: SentValue): number | undefined {
  const { path, named, choice } = namedEnum(field, sent) ?? byText(field, sent.value)
  if (choice) return choice.id
  if (named === undefined) return undefined
  if (typeof named !== 'string' && typeof named !== 'number')
    return complain(path, 'InvalidType', 'This value should be of type string.')
  return complain(
    path,
    'NotSupportedChoice',
    `The field ${field.id} has no such choice: ${short(named)}`,
  )
}

function byText(field: Field, value: unknown) {
  const isText = typeof value === 'string' || typeof value === 'number'
  return {
    path: 'value',
    named: value,
    choice: isText ? choicesOf(field).byValue.get(String(value)) : undefined,
  }
}

/** Without an enum the first label counts: WORK for phones and e-mails. */
function readLabelled(
  field: Field,
  complain: Complain,
  sent: SentValue,
): [string, number] | undefined {
  const text = readText(field.type, complain, sent.value)
  const { path, named, choice } = namedEnum(field, sent) ?? {
    path: '',
    named: undefined,
    choice: field.enums[0],
  }
  if (!choice)
    return complain(
      path,
      'NotSupportedChoice',
      `The field ${field.id} has no such kind: ${short(named)}`,
    )
  return text === undefined ? undefined : [text, choice.id]
}

const short = (named: unknown) => String(named).slice(0, 100).toWellFormed()
