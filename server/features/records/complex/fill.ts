// Fills a stored record from the new one that it replaces: it gains what it lacks and keeps what it
// has.
import { touched } from '../../../records/writing/change.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { phoneNamesOf } from '../../../records/fields/phones.ts'
import { mergeValues, shownOf } from '../../../records/fields/values.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import type { Kept, KeptValues } from '../../../records/fields/values.ts'
import type { DraftedRow, RecordRow } from '../../../records/description.ts'
import type { Writer } from '../../../access/actor.ts'

/**
 * The filled row, the same object where nothing is added. `own` names the columns that are filled
 * where they are empty or zero.
 */
export function fill<Row extends RecordRow>(
  writer: Writer,
  fields: Fields,
  row: Row,
  draft: DraftedRow<Row>,
  own: readonly (keyof Row & keyof DraftedRow<Row>)[],
): Row {
  const next = {
    ...row,
    ...Object.fromEntries(own.map((key) => [key, row[key] || draft[key]])),
    custom_fields_values: fillValues(fields, row.custom_fields_values, draft.custom_fields_values),
    tag_ids: [...new Set([...row.tag_ids, ...draft.tag_ids])],
  }
  return touched(writer, row, next)
}

function fillValues(fields: Fields, before: KeptValues, sent: KeptValues): KeptValues {
  const gained = Object.entries(sent ?? {}).flatMap(([id, values]): [number, Kept[]][] => {
    const field = fields.byId.get(Number(id))
    // The field was deleted a moment ago.
    if (!field) return []
    const present = shownOf(field, before?.[id] ?? [])
    const added =
      field.type === 'multitext'
        ? others(field, present, values)
        : present.length === 0
          ? values
          : []
    return added.length === 0 ? [] : [[field.id, [...present, ...added]]]
  })
  return mergeValues(fields, before, new Map(gained))
}

/** The new phones or e-mails that the record does not have yet, in any notation. */
function others(field: Field, present: readonly Kept[], sent: readonly Kept[]): Kept[] {
  const namesOf = (kept: Kept) => {
    const [text] = kept as [string, number]
    const names = field.code === 'PHONE' ? phoneNamesOf(text) : []
    return names.length > 0 ? names : [text.toLowerCase()]
  }
  const known = new Set(present.flatMap(namesOf))
  const added = sent.filter((kept) => {
    const isNew = namesOf(kept).some((name) => !known.has(name))
    for (const name of namesOf(kept)) known.add(name)
    return isNew
  })
  return added.slice(0, Math.max(0, fieldTypeFacts(field.type).most - present.length))
}
