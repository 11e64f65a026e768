// The values of custom fields in the bodies of webhooks (interface: Webhook fields): every value is
// an object of texts, with the id of the choice or label as `enum` and the part of an address as
// `subtype`.
import { payloadText } from '../../changes/webhook-form.ts'
import type { Payload, PayloadValue } from '../../changes/webhook-form.ts'
import { shownDay } from './days.ts'
import type { DayZones } from './days.ts'
import { choicesOf } from './definitions.ts'
import type { Field, Fields } from './definitions.ts'
import { shownLine } from './objects.ts'
import { fieldTypeFacts } from './types.ts'
import type { Kept, KeptValues } from './values.ts'

/** The filled fields in their order. Deleted fields and choices are left out. */
export function payloadValues(fields: Fields, values: NonNullable<KeptValues>): Payload[] {
  return fields.list.flatMap((field) => {
    const kept = values[field.id] ?? []
    const items = kept.flatMap((each) => payloadValue(fields, field, each) ?? [])
    if (items.length === 0) return []
    const { id, name, code } = field
    return {
      id: payloadText(id),
      name: payloadText(name),
      ...(code !== null && { code: payloadText(code) }),
      values: items,
    }
  })
}

function payloadValue(zones: DayZones, field: Field, kept: Kept): Payload | undefined {
  switch (fieldTypeFacts(field.type).behaviour) {
    case 'day':
      return { value: payloadText(shownDay(zones, kept as number)) }
    case 'choice': {
      const choice = choicesOf(field).byId.get(kept as number)
      return choice && { value: payloadText(choice.value), enum: payloadText(choice.id) }
    }
    case 'labelled': {
      const [value, id] = kept as [string, number]
      const part = choicesOf(field).byId.get(id)?.code
      return field.type === 'smart_address'
        ? { value: payloadText(value), subtype: payloadText(part ?? id) }
        : { value: payloadText(value), enum: payloadText(id) }
    }
    case 'object': {
      // A chained list has its parts where other types have their value, as in answers.
      if (field.type === 'chained_list') return payloadObject(kept as object)
      const shown = field.type === 'items' ? shownLine(kept as object) : (kept as object)
      return { value: payloadObject(shown) }
    }
    default:
      return { value: payloadText(kept) }
  }
}

/** The filled keys of an object. The keys of `metadata` are the callers' own, so it is JSON text. */
function payloadObject(value: object): Payload {
  const filled = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(
    filled.map(([key, inner]): [string, PayloadValue] => {
      if (typeof inner !== 'object') return [key, payloadText(inner)]
      return [key, key === 'metadata' ? JSON.stringify(inner) : payloadObject(inner as object)]
    }),
  )
}
