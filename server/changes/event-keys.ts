// The keys by which the event log finds events by their values (interface: Event filters): the
// side, the name of the value and the value, as in 'after stage 12:142'.
import { createHash } from 'node:crypto'

export type Side = 'before' | 'after'

/** The names of values that have keys; the value of `stage` is `<pipeline id>:<status id>`. */
type ValueName =
  | 'stage'
  | 'customer_status'
  | 'responsible_user'
  | 'sale'
  | 'name'
  | 'ltv'
  | 'nps'
  | 'text'
  | `text of ${number}`
  | `enum of ${number}`

/** The most bytes of a value in a key; a longer one stands as its hash. */
const longest = 64

export function valueKey(side: Side, name: ValueName, value: string | number): string {
  const text = String(value)
  return `${side} ${name} ${Buffer.byteLength(text) <= longest ? text : hashOf(text)}`
}

/** The key of all changes of a custom field. */
export const fieldKey = (fieldId: number): string => `field ${fieldId}`

const hashOf = (text: string) => `#${createHash('sha256').update(text).digest('base64url')}`

/** One value of an event, by the type of the event (interface: Values of events). */
type Value = Record<string, Record<string, string | number | null>>

/** The names and values that one value of an event is found by. */
const foundBy: Record<string, (value: Value) => (readonly [ValueName, string | number | null])[]> =
  {
    lead_status_changed: ({ lead_status }) => [
      ['stage', `${lead_status!['pipeline_id']}:${lead_status!['id']}`],
    ],
    customer_status_changed: ({ customer_status }) => [
      ['customer_status', customer_status!['id']!],
    ],
    entity_responsible_changed: ({ responsible_user }) => [
      ['responsible_user', responsible_user!['id']!],
    ],
    sale_field_changed: ({ sale_field_value }) => [['sale', sale_field_value!['sale']!]],
    name_field_changed: ({ name_field_value }) => [['name', name_field_value!['name']!]],
    ltv_field_changed: ({ ltv_field_value }) => [['ltv', ltv_field_value!['ltv']!]],
    nps_rate_added: ({ nps }) => [['nps', nps!['rate']!]],
    custom_field_value_changed: ({ custom_field_value }) => {
      const { field_id, enum_id, text } = custom_field_value!
      const field = Number(field_id)
      return [
        ['text', text!],
        [`text of ${field}`, text!],
        [`enum of ${field}`, enum_id!],
      ]
    },
  }

interface EventValues {
  type: string
  value_before: object[]
  value_after: object[]
}

/** The keys of an event, each once; none for most types. */
export function keysOfEvent({ type, value_before, value_after }: EventValues): string[] {
  const found = foundBy[type]
  if (!found) return []
  const keys = new Set<string>()
  const sides: [Side, Value[]][] = [
    ['before', value_before as Value[]],
    ['after', value_after as Value[]],
  ]
  for (const [side, values] of sides)
    for (const value of values) {
      for (const [name, each] of found(value))
        if (each !== null) keys.add(valueKey(side, name, each))
      const field = value['custom_field_value']
      if (field) keys.add(fieldKey(field['field_id'] as number))
    }
  return [...keys]
}
