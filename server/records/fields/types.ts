// The types of custom fields (interface: Field types; Values by type): their numbers in the event
// log, the entity types that may have them, and the behaviour of their values. `behaviour` says how
// values are read, stored and rendered. A record stores a list of values under the id of each
// field; a stored value is
//   text      a text
//   number    a decimal number as text, in its shortest form: "12", "-0.5"
//   flag      true or false
//   day       the moment the day begins in accounts.stored_timezone, Unix seconds (decision 91)
//   moment    Unix seconds
//   choice    the id of an enum
//   labelled  [text, id of an enum]
//   object    an object
import type { FieldHolder } from '../../entity-types.ts'

export type Behaviour =
  | 'text'
  | 'number'
  | 'flag'
  | 'day'
  | 'moment'
  | 'choice'
  | 'labelled'
  | 'object'

interface TypeFacts {
  /** `custom_field_value.field_type` of events. */
  number: number
  behaviour: Behaviour
  /** The most values of one record. */
  most: number
  /**
   * The holders that may be given such a field, segments and the elements of catalogs included;
   * predefined fields are not restricted by it.
   */
  on: readonly FieldHolder[]
  /** The most characters of one text. */
  longest?: number
}

const records = ['leads', 'contacts', 'companies', 'customers'] as const
const withCatalogs = [...records, 'catalogs'] as const
const all = [...withCatalogs, 'segments'] as const
const three = ['leads', 'contacts', 'companies'] as const

const one = (
  number: number,
  behaviour: Behaviour,
  on: readonly FieldHolder[] = all,
  longest?: number,
): TypeFacts => ({
  number,
  behaviour,
  most: 1,
  on,
  ...(longest !== undefined && { longest }),
})
const many = (
  number: number,
  behaviour: Behaviour,
  on: readonly FieldHolder[] = all,
  longest?: number,
): TypeFacts => ({
  ...one(number, behaviour, on, longest),
  most: 250,
})

export const fieldTypes = {
  text: one(1, 'text', all, 256),
  numeric: one(2, 'number'),
  checkbox: one(3, 'flag'),
  select: one(4, 'choice'),
  multiselect: many(5, 'choice'),
  date: one(6, 'day'),
  url: one(7, 'text', all, 2048),
  multitext: many(8, 'labelled', [], 256),
  textarea: one(9, 'text', all, 65_535),
  radiobutton: one(10, 'choice'),
  streetaddress: one(11, 'text', all, 2048),
  smart_address: many(13, 'labelled', three, 256),
  birthday: one(14, 'day', three),
  legal_entity: many(15, 'object', three),
  items: many(16, 'object', []),
  date_time: one(19, 'moment'),
  tracking_data: one(21, 'text', ['leads'], 2048),
  category: one(18, 'choice', ['catalogs']),
  price: one(20, 'number', ['catalogs']),
  linked_entity: one(22, 'object', ['catalogs']),
  monetary: one(23, 'number', records),
  chained_list: { ...many(24, 'object', ['leads', 'customers']), most: 5 },
  file: one(25, 'object', withCatalogs),
  payer: one(26, 'object', []),
  supplier: one(27, 'object', []),
} satisfies Record<string, TypeFacts>

export type FieldType = keyof typeof fieldTypes

export const fieldTypeFacts = (type: FieldType): TypeFacts => fieldTypes[type]

/** Whether a name is that of a type that the fields of an entity type or a catalog may have. */
export function isTypeOf(name: string, on: FieldHolder): name is FieldType {
  return (
    Object.hasOwn(fieldTypes, name) && fieldTypes[name as FieldType].on.some((each) => each === on)
  )
}

/**
 * The parts of an address; every address field has them with the same ids (interface: Values by
 * type).
 */
export const addressParts = [
  'address_line_1',
  'address_line_2',
  'city',
  'state',
  'zip',
  'country',
].map((code, index) => ({
  id: index + 1,
  value: code,
  sort: index + 1,
  code,
}))
