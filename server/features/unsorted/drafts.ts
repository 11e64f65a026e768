// The drafts of records in waiting items, as cards, lists and webhooks show them.
import { newFaults } from '../../http/batch.ts'
import type { Fields } from '../../records/fields/definitions.ts'
import { readValues } from '../../records/fields/sent.ts'
import { mergeValues } from '../../records/fields/values.ts'
import type { KeptValues } from '../../records/fields/values.ts'
import type { SentRecord } from '../../records/schema.ts'
import type { TagReference } from '../../records/tags.ts'

/** The name, which a contact may have in two parts. */
export function nameOfDraft(draft: SentRecord): string {
  const {
    name,
    first_name = '',
    last_name = '',
  } = draft as SentRecord & {
    first_name?: string
    last_name?: string
  }
  return name ?? `${first_name} ${last_name}`.trim()
}

export const tagsOfDraft = ({ _embedded, tags_to_add }: SentRecord): TagReference[] =>
  _embedded?.tags ?? tags_to_add ?? []

/** The values as they would be stored now, without those that fit no field or choice any more. */
export function valuesToKeep(fields: Fields, { custom_fields_values }: SentRecord): KeptValues {
  const item = { index: 0, request_id: '0', value: {} }
  const values = readValues(fields, newFaults(), item, custom_fields_values, 'ignore')
  return mergeValues(fields, null, values)
}
