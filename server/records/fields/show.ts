// Renders the values of custom fields as JSON text (interface: Custom field value; Values by type).
// A page of 250 records with 20 fields each has 5,000 of them, so the text that all values of a
// field share is made once.
import { shownDay } from './days.ts'
import type { DayZones } from './days.ts'
import type { Enum, Field, Fields } from './definitions.ts'
import { shownLine } from './objects.ts'
import { fieldTypeFacts } from './types.ts'
import type { Behaviour } from './types.ts'
import type { Kept, KeptValues } from './values.ts'

/**
 * `custom_fields_values` as JSON text, in the order of the fields; `null` where no field is filled.
 * Deleted fields and choices are left out.
 */
export function valuesText(fields: Fields, values: KeptValues): string {
  if (!values) return 'null'
  const known = templatesOf(fields)
  const filled: FieldTemplate[] = []
  for (const id in values) {
    const template = known.get(id)
    if (template) filled.push(template)
  }
  filled.sort((one, other) => one.index - other.index)
  let shown = ''
  for (const template of filled) {
    let texts = ''
    for (const kept of values[template.field.id]!) {
      const text = valueText(fields, template, kept)
      if (text !== undefined) texts += texts === '' ? text : `,${text}`
    }
    if (texts !== '') shown += `${shown === '' ? '' : ','}${template.prefix}${texts}]}`
  }
  return shown === '' ? 'null' : `[${shown}]`
}

interface FieldTemplate {
  index: number
  field: Field
  behaviour: Behaviour
  prefix: string
  /** The text of each enum; for labelled values, the text that follows the value. */
  enumTexts: ReadonlyMap<number, string>
}

const remembered = new WeakMap<Fields, ReadonlyMap<string, FieldTemplate>>()

function templatesOf(fields: Fields): ReadonlyMap<string, FieldTemplate> {
  let templates = remembered.get(fields)
  if (!templates) {
    templates = new Map(
      fields.list.map((field, index) => [String(field.id), templateOf(field, index)]),
    )
    remembered.set(fields, templates)
  }
  return templates
}

function templateOf(field: Field, index: number): FieldTemplate {
  const { id: field_id, name: field_name, code: field_code, type: field_type } = field
  const { behaviour } = fieldTypeFacts(field_type)
  const enumText = ({ id: enum_id, code: enum_code, value }: Enum) =>
    behaviour === 'choice'
      ? JSON.stringify(
          field_type === 'category' ? { value, enum_id } : { value, enum_id, enum_code },
        )
      : `"enum_id":${enum_id},"enum_code":${JSON.stringify(enum_code)}`
  const prefix = JSON.stringify({ field_id, field_name, field_code, field_type, values: [] }).slice(
    0,
    -2,
  )
  return {
    index,
    field,
    behaviour,
    prefix,
    enumTexts: new Map(field.enums.map((each) => [each.id, enumText(each)])),
  }
}

function valueText(
  zones: DayZones,
  { field, behaviour, enumTexts }: FieldTemplate,
  kept: Kept,
): string | undefined {
  switch (behaviour) {
    case 'day':
      return `{"value":${shownDay(zones, kept as number)}}`
    case 'choice':
      return enumTexts.get(kept as number)
    case 'labelled': {
      const [text, enum_id] = kept as [string, number]
      return `{"value":${JSON.stringify(text)},${enumTexts.get(enum_id) ?? `"enum_id":${enum_id},"enum_code":null`}}`
    }
    case 'object':
      // A chained list has its parts where other types have their value (interface: Values by
      // type).
      if (field.type === 'chained_list') return JSON.stringify(kept)
      return `{"value":${JSON.stringify(field.type === 'items' ? shownLine(kept as object) : kept)}}`
    default:
      return `{"value":${JSON.stringify(kept)}}`
  }
}
