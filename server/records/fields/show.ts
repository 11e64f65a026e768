// Values of custom fields as the interface shows them (entities reference, 16.2 and 16.3), made as text: a page of 250 records with 20 fields
// each has 5,000 of them, and what is the same for all of a field is made once.
import type { Enum, Field, Fields } from './definitions.ts'
import { fieldTypeFacts } from './types.ts'
import type { Behaviour } from './types.ts'
import type { Kept, KeptValues } from './values.ts'

/** `custom_fields_values` as JSON text, in the order of the fields; `null` where nothing is filled. What was deleted is left out. */
export function valuesText(fields: Fields, values: KeptValues): string {
  if (!values) return 'null'
  const known = templatesOf(fields)
  const filled: FieldTemplate[] = []
  for (const id in values) {
    const face = known.get(id)
    if (face) filled.push(face)
  }
  filled.sort((one, other) => one.place - other.place)
  let shown = ''
  for (const face of filled) {
    let texts = ''
    for (const kept of values[face.field.id]!) {
      const text = valueText(face, kept)
      if (text !== undefined) texts += texts === '' ? text : `,${text}`
    }
    if (texts !== '') shown += `${shown === '' ? '' : ','}${face.head}${texts}]}`
  }
  return shown === '' ? 'null' : `[${shown}]`
}

interface FieldTemplate {
  place: number
  field: Field
  behaviour: Behaviour
  head: string
  /** What is shown of each enum, after the value of labelled ones. */
  faces: ReadonlyMap<number, string>
}

const remembered = new WeakMap<Fields, ReadonlyMap<string, FieldTemplate>>()

function templatesOf(fields: Fields): ReadonlyMap<string, FieldTemplate> {
  let faces = remembered.get(fields)
  if (!faces) {
    faces = new Map(fields.list.map((field, place) => [String(field.id), templateOf(field, place)]))
    remembered.set(fields, faces)
  }
  return faces
}

function templateOf(field: Field, place: number): FieldTemplate {
  const { id: field_id, name: field_name, code: field_code, type: field_type } = field
  const { behaviour } = fieldTypeFacts(field_type)
  const face = ({ id: enum_id, code: enum_code, value }: Enum) =>
    behaviour === 'choice'
      ? JSON.stringify({ value, enum_id, enum_code })
      : `"enum_id":${enum_id},"enum_code":${JSON.stringify(enum_code)}`
  const head = JSON.stringify({ field_id, field_name, field_code, field_type, values: [] }).slice(
    0,
    -2,
  )
  return {
    place,
    field,
    behaviour,
    head,
    faces: new Map(field.enums.map((each) => [each.id, face(each)])),
  }
}

function valueText({ field, behaviour, faces }: FieldTemplate, kept: Kept): string | undefined {
  switch (behaviour) {
    case 'choice':
      return faces.get(kept as number)
    case 'labelled': {
      const [text, enum_id] = kept as [string, number]
      return `{"value":${JSON.stringify(text)},${faces.get(enum_id) ?? `"enum_id":${enum_id},"enum_code":null`}}`
    }
    case 'object':
      // The parts of a chained list stand where others have their value (entities reference, 16.3).
      return field.type === 'chained_list'
        ? JSON.stringify(kept)
        : `{"value":${JSON.stringify(kept)}}`
    default:
      return `{"value":${JSON.stringify(kept)}}`
  }
}
