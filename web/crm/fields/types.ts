// All types of fields. A type that the server gets does not compile before it stands here, in controls.tsx and in
// contents.tsx.
import { dayAt } from '../../ui/day.ts'
import { checkbox, multiselect, select } from './choice.ts'
import { date, dateTime } from './day.ts'
import type { Draft, DraftFault, Field, FieldKind, FieldType, Means, Values } from './field.ts'
import { multitext, smartAddress } from './labelled.ts'
import { monetary, numeric, price } from './number.ts'
import { chainedList, file, legalEntity, ofDocuments } from './object.ts'
import { streetaddress, text, textarea, trackingData, url } from './text.ts'

export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  text,
  url,
  textarea,
  streetaddress,
  tracking_data: trackingData,
  numeric,
  monetary,
  price,
  checkbox,
  select,
  radiobutton: select,
  multiselect,
  category: { ...select, isReadOnly: true },
  date,
  birthday: date,
  date_time: dateTime,
  multitext,
  smart_address: smartAddress,
  legal_entity: legalEntity,
  chained_list: chainedList,
  file,
  items: ofDocuments,
  payer: ofDocuments,
  supplier: ofDocuments,
  linked_entity: ofDocuments,
}

export const draftOf = (field: Field, values: Values, means: Means): Draft =>
  fieldKinds[field.type].draftOf(field, values, means)

export const valuesOf = (field: Field, draft: Draft, means: Means): Values | DraftFault =>
  fieldKinds[field.type].valuesOf(field, draft, means)

export const copiedText = (field: Field, values: Values, means: Means): string =>
  fieldKinds[field.type].copied(field, values, means)

/** The draft of a text from the clipboard; undefined where the field takes none, or not this one. */
export const pastedDraft = (
  field: Field,
  text: string,
  means: Means,
  values: Values = null,
): Draft | undefined => fieldKinds[field.type].pasted?.(field, text, means, values)

/**
 * Values as a body has them. A bare date is the same day whatever zone reads it, also one that the account has just
 * got; `zone` is the account's.
 */
export const sentOf = ({ type }: Pick<Field, 'type'>, values: Values, zone: string): Values =>
  values !== null && fieldKinds[type].isDay
    ? values.map(({ value }) => ({ value: dayAt(Number(value), zone) }))
    : values

/** Whether people type values of a field outside of its card: files are uploaded there. */
export const isTyped = ({
  type,
  is_api_only,
}: {
  type: FieldType
  is_api_only: boolean
}): boolean => !is_api_only && !fieldKinds[type].isReadOnly && type !== 'file'
