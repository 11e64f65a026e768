// The drafts of records in waiting items, as cards, lists and webhooks show them.
import { newFaults } from '../../../http/batch.ts'
import { fieldsOfDrafts } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { readValues, withBareDates } from '../../../records/fields/sent.ts'
import { mergeValues } from '../../../records/fields/values.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import type { SentRecord } from '../../../records/schema.ts'

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

/** Drafts to store: their days must stay the same if the account changes its zone while they wait. */
export const withDaysToKeep = <Draft extends SentRecord>(
  fields: Fields,
  drafts: readonly Draft[],
): Draft[] =>
  drafts.map((draft) => {
    const { custom_fields_values: sent } = draft
    return sent ? { ...draft, custom_fields_values: withBareDates(fields, sent) } : draft
  })

/** The values as they would be stored now, without those that fit no field or choice any more. */
export function valuesToKeep(fields: Fields, { custom_fields_values }: SentRecord): KeptValues {
  const item = { index: 0, request_id: '0', value: {} }
  const values = readValues(
    fieldsOfDrafts(fields),
    newFaults(),
    item,
    custom_fields_values,
    'ignore',
  )
  return mergeValues(fields, null, values)
}
