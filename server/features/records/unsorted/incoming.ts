// Reads the entity data of the version-2 intake (interface: Version-2 intake) as the drafts that
// the creation methods of version 4 take. Each entity is rewritten in the form of version 4, then
// judged by the schema and the custom fields of its type, so both versions have the same bounds.
// The paths of what was rewritten are remembered, and faults name the client's own. Forms hold only
// texts, and PHP's lists may have gaps: the same rewriting reads both.
import type { TObject } from 'typebox'
import { newFaults } from '../../../http/batch.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import { mostFaults } from '../../../http/faults.ts'
import { faultAt } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import { compile } from '../../../http/validate.ts'
import type { UnknownKeys } from '../../../http/validate.ts'
import { choicesOf } from '../../../records/fields/definitions.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { readValues } from '../../../records/fields/sent.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import { mergeValues, tooHeavy } from '../../../records/fields/values.ts'
import { EmbeddedTags, readOnlyKeys } from '../../../records/schema.ts'
import type { SentRecord } from '../../../records/schema.ts'
import { elementTypes } from '../../../records/webhook.ts'
import { NewCompany } from '../companies/schema.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { NewContact } from '../contacts/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { NewLead } from '../leads/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'
import { NewNote } from '../../activity/notes/schema.ts'
import { partTypes } from './schema.ts'
import type { IncomingNote, PartType } from './schema.ts'

type NoteType = IncomingNote['note_type']

/** The entities of one item. They count only where there are no faults. */
export interface Incoming {
  leads: LeadDraft[]
  contacts: ContactDraft[]
  companies: CompanyDraft[]
  notes: IncomingNote[]
  /** With the paths of version 2: `incoming_entities.contacts.0.custom_fields.0.values.0.enum`. */
  faults: Fault[]
}

/** The most entities of each type, and the most notes, in one item. */
const [mostEntities, mostNotes] = [10, 100]
/** No list of version 4 takes more tags, fields or values of a field. */
const mostParts = 250

/**
 * Reads `incoming_entities` of an item: from JSON, or from a form as `parseNested` reads it. Left
 * out are keys that only answers have, and the status, because acceptance chooses the stage.
 */
export function readIncoming(
  given: unknown,
  fields: Record<PartType, Fields>,
  unknownKeys: UnknownKeys = 'reject',
): Incoming {
  const reader: Reader = { fields, unknownKeys, notes: [], faults: new Map() }
  const root = 'incoming_entities'
  const entities = membersOf(reader, root, given)
  if (unknownKeys === 'reject')
    for (const key of Object.keys(entities))
      if (!partTypes.some((type) => type === key))
        complain(
          reader,
          faultAt(`${root}.${key}`, 'FieldNotExpected', 'This field was not expected.'),
        )
  const read = (type: PartType) => readEntities(reader, type, `${root}.${type}`, entities[type])
  const [leads, contacts, sent] = [read('leads'), read('contacts'), read('companies')]
  const named = sent.length > 0 ? undefined : companiesOfContacts(reader, contacts)
  const companies = named?.companies ?? sent
  const isThere = (type: PartType) =>
    type === 'leads' || (type === 'contacts' ? contacts : companies).length > 0
  return {
    leads: leads.map(({ draft }) => draft),
    contacts: contacts.map(({ draft }) => draft),
    companies: companies.map(({ draft }) => draft),
    ...(named && companies.length > 0 && { employers: named.employers }),
    notes: reader.notes.map(({ holder, type, note_type, text }) => ({
      // Every item has a lead in the end.
      type: isThere(type) ? type : holder,
      note_type,
      text,
    })),
    faults: [...reader.faults.values()],
  }
}

interface Reader {
  fields: Record<PartType, Fields>
  unknownKeys: UnknownKeys
  notes: (IncomingNote & { holder: PartType })[]
  /** By path; the first of a path counts. */
  faults: Map<string, Fault>
}

/** A value of the client, and its path. */
interface Part {
  at: string
  given: unknown
}

interface Entity {
  draft: SentRecord
  /** The name of the company that a contact works for. */
  company?: Part
}

/** The client's paths of what stands elsewhere in the form of version 4. */
type Paths = Map<string, string>

const closed = { additionalProperties: false }
const onlyTags = Type.Optional(Type.Object({ tags: EmbeddedTags }, closed))
/** An entity links nothing: the item itself does. */
const shapes: Record<PartType, TObject> = {
  leads: Type.Object({ ...NewLead.properties, _embedded: onlyTags }, closed),
  contacts: Type.Object({ ...NewContact.properties, _embedded: onlyTags }, closed),
  companies: Type.Object({ ...NewCompany.properties, _embedded: onlyTags }, closed),
}

/** The other names of keys. */
const aliases: Readonly<Record<string, string>> = { date_create: 'created_at', sale: 'price' }
/** Keys with a meaning of their own, and those that change nothing. */
const apart = ['tags', '_embedded', 'custom_fields', 'custom_fields_values', 'notes']
const ignored = ['status_id', 'pipeline_id', 'request_id']

function readEntities(reader: Reader, type: PartType, at: string, given: unknown): Entity[] {
  const list = partsOf(reader, at, given, mostEntities)
  if (list.length > mostEntities) {
    tooMany(reader, at, mostEntities)
    return []
  }
  return list.map((part) => readEntity(reader, type, part))
}

function readEntity(reader: Reader, type: PartType, { at, given }: Part): Entity {
  const own = membersOf(reader, at, given)
  readNotes(reader, type, `${at}.notes`, own['notes'])
  const { draft, faults } = judge(reader, type, rewrite(reader, type, at, own, undefined))
  if (faults.length > 0) {
    // Paths cost more than the rest of the rewriting, so only faulty entities are rewritten with them.
    const paths: Paths = new Map()
    rewrite(reader, type, at, own, paths)
    complainAt(reader, paths, at, faults)
  }
  const company = { at: `${at}.company_name`, given: own['company_name'] }
  return { draft, ...(type === 'contacts' && { company }) }
}

/** An entity in the form of version 4; `paths` learns from where its parts came. */
function rewrite(
  reader: Reader,
  type: PartType,
  at: string,
  own: Members,
  paths: Paths | undefined,
): object {
  const sent = new Map<string, unknown>()
  const besides = [...apart, ...ignored, ...(type === 'contacts' ? ['company_name'] : [])]
  for (const [key, value] of Object.entries(own)) {
    const name = Object.hasOwn(aliases, key) ? aliases[key]! : key
    // Forms send an empty text for an empty value. Of two names the one of version 4 counts.
    if (besides.includes(key) || value === '' || (name !== key && isFilled(own[name]))) continue
    sent.set(name, value)
    paths?.set(name, `${at}.${key}`)
  }
  const embedded = rewriteEmbedded(reader, at, own, paths)
  if (embedded) sent.set('_embedded', embedded)
  const values = rewriteFields(reader, type, at, own, paths)
  if (values.length > 0) sent.set('custom_fields_values', values)
  return Object.fromEntries(sent)
}

/** The draft, and its faults with the paths of version 4. */
function judge(
  { fields, unknownKeys }: Reader,
  type: PartType,
  sent: object,
): { draft: SentRecord; faults: Fault[] } {
  const { value, faults } = compile(shapes[type], { unknownKeys })(sent)
  if (faults.length > 0) return { draft: {}, faults }
  const left = readOnlyKeys(shapes[type])
  const kept = Object.entries(value as SentRecord).filter(([key]) => !left.includes(key))
  const draft: SentRecord = Object.fromEntries(kept)
  return { draft, faults: faultsInValues(fields[type], unknownKeys, draft) }
}

/** Acceptance may come much later, so the values of custom fields are read at intake too. */
function faultsInValues(fields: Fields, unknownKeys: UnknownKeys, draft: SentRecord): Fault[] {
  const item: Item<SentRecord> = { index: 0, request_id: '0', value: draft }
  const found: Fault[] = []
  const faults: Faults = {
    ...newFaults(),
    add: (_item, fault) => {
      if (found.length < mostFaults) found.push(fault)
    },
    isFull: () => found.length >= mostFaults,
  }
  const values = readValues(fields, faults, item, draft.custom_fields_values, unknownKeys)
  const fault = tooHeavy(mergeValues(fields, null, values))
  return fault ? [...found, fault] : found
}

/** Adds faults under the client's own paths. */
function complainAt(reader: Reader, paths: Paths, at: string, faults: Fault[]): void {
  for (const fault of faults)
    complain(reader, { ...fault, path: clientPath(paths, at, fault.path) })
}

/** The companies that contacts name by `company_name`, each once, and the place of each contact's. */
function companiesOfContacts(reader: Reader, contacts: readonly Entity[]) {
  const names: string[] = []
  const employers = contacts.map(({ company }) => {
    if (!company || !isFilled(company.given)) return null
    const { at, given } = company
    const { draft, faults } = judge(reader, 'companies', {
      name: typeof given === 'number' ? String(given) : given,
    })
    complainAt(reader, new Map([['name', at]]), at, faults)
    const name = draft.name?.trim()
    if (!name) return null
    if (!names.includes(name)) names.push(name)
    return names.indexOf(name)
  })
  return { companies: names.map((name): Entity => ({ draft: { name } })), employers }
}

const GivenNote = Type.Object(
  {
    text: Type.String({ maxLength: 65_535, 'x-text': true }),
    note_type: Type.Optional(Type.Unknown()),
    element_type: Type.Optional(Type.Unknown()),
    request_id: Type.Optional(Type.Unknown()),
  },
  closed,
)

/** A note without a text is left out: a form sends the comment that a visitor left empty. */
function readNotes(reader: Reader, holder: PartType, at: string, given: unknown): void {
  const list = partsOf(reader, at, given, mostNotes)
  if (reader.notes.length + list.length > mostNotes) return tooMany(reader, at, mostNotes)
  const check = compile(GivenNote, { unknownKeys: reader.unknownKeys })
  for (const note of list) {
    const { value, faults } = check(note.given)
    complainAt(reader, new Map(), note.at, faults)
    if (faults.length > 0 || value.text.trim() === '') continue
    const { text, note_type, element_type } = value
    const type = isFilled(element_type) ? typesByElement.get(String(element_type)) : holder
    if (type) reader.notes.push({ holder, type, note_type: noteTypeOf(note_type), text })
    else
      complain(
        reader,
        faultAt(
          `${note.at}.element_type`,
          'NotSupportedChoice',
          'A note belongs to 1 (contact), 2 (lead) or 3 (company).',
        ),
      )
  }
}

/** The entity types by their numbers and their names. */
const typesByElement: ReadonlyMap<string, PartType> = new Map([
  ...partTypes.map((type) => [String(elementTypes[type]), type] as const),
  ...partTypes.map((type) => [type, type] as const),
  ['lead', 'leads'],
  ['contact', 'contacts'],
  ['company', 'companies'],
])

/**
 * The numbers of note types (interface: Webhook fields). Any other type counts as a common note.
 */
const noteTypesByNumber: ReadonlyMap<string, NoteType> = new Map([
  ['4', 'common'],
  ['10', 'call_in'],
  ['11', 'call_out'],
  ['25', 'service_message'],
  ['102', 'sms_in'],
  ['103', 'sms_out'],
])

function noteTypeOf(given: unknown): NoteType {
  const name = String(given)
  const { faults } = compile(NewNote.properties.note_type)(name)
  return faults.length === 0 ? (name as NoteType) : (noteTypesByNumber.get(name) ?? 'common')
}

/** `_embedded` of the draft with the tags, which version 2 sends as a text or a list. */
function rewriteEmbedded(
  reader: Reader,
  at: string,
  own: Members,
  paths: Paths | undefined,
): object | undefined {
  const embedded = isFilled(own['_embedded'])
    ? membersOf(reader, `${at}._embedded`, own['_embedded'])
    : {}
  const isEmbedded = isFilled(embedded['tags'])
  const tags = rewriteTags(
    reader,
    isEmbedded ? `${at}._embedded.tags` : `${at}.tags`,
    isEmbedded ? embedded['tags'] : own['tags'],
    paths,
  )
  const others = Object.entries(embedded).filter(([key]) => key !== 'tags')
  return tags.length + others.length === 0
    ? undefined
    : Object.fromEntries([...others, ['tags', tags]])
}

function rewriteTags(
  reader: Reader,
  at: string,
  given: unknown,
  paths: Paths | undefined,
): unknown[] {
  paths?.set('_embedded.tags', at)
  const list =
    typeof given === 'string'
      ? given.split(',').map((name): Part => ({ at, given: name.trim() }))
      : partsOf(reader, at, given, mostParts)
  return list
    .filter((tag) => isFilled(tag.given))
    .slice(0, mostParts + 1)
    .map((tag, index) => {
      const path = `_embedded.tags.${index}`
      paths?.set(path, tag.at)
      if (typeof tag.given === 'object') return tag.given
      paths?.set(`${path}.name`, tag.at)
      return { name: typeof tag.given === 'number' ? String(tag.given) : tag.given }
    })
}

/** `custom_fields` of version 2 and `custom_fields_values` of version 4 as the latter. */
function rewriteFields(
  reader: Reader,
  type: PartType,
  at: string,
  own: Members,
  paths: Paths | undefined,
): unknown[] {
  const names = ['custom_fields_values', 'custom_fields'] as const
  const list = names.flatMap((name) => partsOf(reader, `${at}.${name}`, own[name], mostParts))
  paths?.set(names[0], `${at}.${names.find((name) => isFilled(own[name]))}`)
  return list.map((part, index) => {
    const path = `${names[0]}.${index}`
    paths?.set(path, part.at)
    return rewriteField(reader, type, part, path, paths)
  })
}

/** Keys of a field in old answers, which programs may send back. */
const readOnlyOfField = ['name', 'type', 'is_system', 'request_id']

function rewriteField(
  reader: Reader,
  type: PartType,
  { at, given }: Part,
  path: string,
  paths: Paths | undefined,
): unknown {
  if (!isObject(given)) return given
  const { byId, byCode } = reader.fields[type]
  const [id, code] = (['id', 'code'] as const).map((key) => {
    const name = isFilled(given[`field_${key}`]) ? `field_${key}` : key
    paths?.set(`${path}.field_${key}`, `${at}.${name}`)
    return isFilled(given[name]) ? given[name] : undefined
  })
  const field = id === undefined ? byCode.get(String(code)) : byId.get(Number(id))
  const rest = without(given, [...readOnlyOfField, 'id', 'code', 'field_id', 'field_code'])
  return {
    ...rest,
    ...(id !== undefined && { field_id: id }),
    ...(code !== undefined && { field_code: code }),
    values: rewriteValues(
      reader,
      field,
      { at: `${at}.values`, given: given['values'] },
      path,
      paths,
    ),
  }
}

function rewriteValues(
  reader: Reader,
  field: Field | undefined,
  { at, given }: Part,
  path: string,
  paths: Paths | undefined,
): unknown {
  paths?.set(`${path}.values`, at)
  // A copy: indices with gaps would give the order of a list in an object that a form made.
  if (field?.type === 'chained_list' && isKeyedByCatalog(given)) return { ...given }
  return partsOf(reader, at, given, mostParts).map((part, index) => {
    const to = `${path}.values.${index}`
    paths?.set(to, part.at)
    return isObject(part.given)
      ? rewriteObject(field, part.given, part.at, to, paths)
      : rewritePlain(field, part, to, paths)
  })
}

/** Parts of a chained list stand by catalog id where they do not name the catalog themselves. */
function isKeyedByCatalog(given: unknown): given is Record<string, unknown> {
  return (
    isObject(given) &&
    Object.values(given).some((part) => isObject(part) && !isFilled(part['catalog_id']))
  )
}

/** The names of the choice or label of a value, of which the first that is filled counts. */
const enumKeys = ['enum_id', 'enum_code', 'enum', 'subtype']
const keysOfValue = [...enumKeys, 'value', 'request_id']

/** `{value, enum}` or `{value, subtype}`; each names its choice or label by id or by code. */
function rewriteObject(
  field: Field | undefined,
  given: Members,
  at: string,
  path: string,
  paths: Paths | undefined,
): object {
  const { value } = given
  const key = enumKeys.find((name) => isFilled(given[name]))
  const rest = without(given, keysOfValue)
  if (key === 'subtype') paths?.set(`${path}.enum`, `${at}.subtype`)
  if (key === 'enum_id' || key === 'enum_code')
    return { ...rest, ...valueOf(field, value), [key]: given[key] }
  if (key !== undefined)
    return {
      ...rest,
      ...valueOf(field, value),
      ...(enumOf(field, given[key]) ?? { enum: given[key] }),
    }
  // Some programs send the id of a choice as its value.
  const isText = !isChoice(field) || choicesOf(field).byValue.has(String(value))
  return { ...rest, ...((isText ? undefined : enumOf(field, value)) ?? valueOf(field, value)) }
}

/** A value without an object around it: the id of a choice, or else its text. */
function rewritePlain(
  field: Field | undefined,
  { at, given }: Part,
  path: string,
  paths: Paths | undefined,
) {
  // A list is no value: the schema refuses it.
  if (Array.isArray(given)) return given
  paths?.set(`${path}.value`, at)
  return (isChoice(field) ? enumOf(field, given) : undefined) ?? valueOf(field, given)
}

const isChoice = (field: Field | undefined): field is Field =>
  field !== undefined && fieldTypeFacts(field.type).behaviour === 'choice'

/** The choice or label whose id this is. An id counts before a code that looks like it. */
function enumOf(field: Field | undefined, given: unknown): { enum_id: number } | undefined {
  if (!field || (typeof given !== 'number' && typeof given !== 'string')) return undefined
  const id = Number(given)
  return choicesOf(field).byId.has(id) ? { enum_id: id } : undefined
}

const flags = new Map<unknown, boolean>([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** The types of all other values read texts themselves. */
function valueOf(field: Field | undefined, given: unknown): { value?: unknown } {
  if (given === undefined) return {}
  return { value: field?.type === 'checkbox' ? (flags.get(given) ?? given) : given }
}

type Members = Readonly<Record<string, unknown>>

const isObject = (given: unknown): given is Members =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

const isFilled = (given: unknown) => given !== undefined && given !== null && given !== ''

const nothing: Members = {}

/** A copy that defines its members, so that a key such as `__proto__` is only a key. */
function without(given: Members, keys: readonly string[]): Members {
  if (Object.keys(given).every((key) => keys.includes(key))) return nothing
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)))
}

/** The members of an object; PHP writes an empty one as an empty list. */
function membersOf(reader: Reader, at: string, given: unknown): Members {
  if (isObject(given)) return given
  if (given === undefined) complain(reader, faultAt(at, 'FieldMissing', 'This field is missing.'))
  else if (!Array.isArray(given) || given.length > 0)
    complain(reader, faultAt(at, 'InvalidType', 'This value should be of type object.'))
  return {}
}

/**
 * The elements of a list, or of an object whose keys are all indices, in the order of these. Of more
 * than `most` only one is added, so that their number is a fault and all others cost nothing.
 */
function partsOf(reader: Reader, at: string, given: unknown, most: number): Part[] {
  if (!isFilled(given)) return []
  if (Array.isArray(given))
    return given.slice(0, most + 1).map((each, key) => ({ at: `${at}.${key}`, given: each }))
  const entries = isObject(given) ? Object.entries(given) : undefined
  if (!entries?.every(([key]) => /^\d+$/.test(key))) {
    complain(reader, faultAt(at, 'InvalidType', 'This value should be of type array.'))
    return []
  }
  return entries
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .slice(0, most + 1)
    .map(([key, each]) => ({ at: `${at}.${key}`, given: each }))
}

/** The client's path of a path of version 4, found by its longest beginning that is known. */
function clientPath(paths: Paths, at: string, path: string): string {
  if (path === '') return at
  const keys = path.split('.')
  for (let count = keys.length; count > 0; count--) {
    const known = paths.get(keys.slice(0, count).join('.'))
    if (known !== undefined) return [known, ...keys.slice(count)].join('.')
  }
  return `${at}.${path}`
}

function complain({ faults }: Reader, fault: Fault): void {
  if (faults.size < mostFaults && !faults.has(fault.path)) faults.set(fault.path, fault)
}

function tooMany(reader: Reader, at: string, most: number): void {
  const detail = `This collection should contain ${most} elements or less.`
  complain(reader, faultAt(at, 'TooMany', detail, most))
}
