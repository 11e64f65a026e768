// Items between version 2 and the form in which the verbs take them and the table keeps them.
import { newFaults } from '../../../../http/batch.ts'
import type { Batch } from '../../../../http/batch.ts'
import type { UnknownKeys } from '../../../../http/validate.ts'
import type { Fields } from '../../../../records/fields/definitions.ts'
import { valuesText } from '../../../../records/fields/show.ts'
import { elementTypes } from '../../../../records/webhook.ts'
import type { SentRecord } from '../../../../records/schema.ts'
import { tagsOfDraft } from '../../../../records/tags.ts'
import { valuesToKeep } from '../drafts.ts'
import { readIncoming } from '../incoming.ts'
import type { AddedCategory, CallInfo, FormInfo, ItemInfo, NewItem, PartType } from '../schema.ts'
import type { ItemData, ItemRow } from '../queries.ts'
import { nameOfItem } from './answers.ts'
import type { IncomingCalls, IncomingForms, SentCall, SentForm } from './schema.ts'

export type FieldsByType = Record<PartType, Fields>

type SentItem = Extract<(IncomingCalls | IncomingForms)['add'], readonly unknown[]>[number]

/** The items of a body. Faults of their entities are listed under the items. */
export function readItems(
  category: AddedCategory,
  { add }: IncomingCalls | IncomingForms,
  fields: FieldsByType,
  unknownKeys: UnknownKeys,
): Batch<NewItem> {
  const batch: Batch<NewItem> = { items: [], faults: newFaults(), unknownKeys }
  for (const [index, [key, sent]] of inOrder<SentItem>(add).entries()) {
    const name = { index, request_id: nameOfItem(key) }
    const { faults, ...entities } = readIncoming(sent.incoming_entities, fields, unknownKeys)
    for (const fault of faults) batch.faults.add(name, fault)
    const value = {
      category,
      source_name: sent.source_name,
      source_uid: sent.source_uid,
      ...(sent.pipeline_id && { pipeline_id: sent.pipeline_id }),
      ...(isFilled(sent.created_at) && { created_at: sent.created_at }),
      metadata: metadataOf(sent.incoming_lead_info),
      ...entities,
    }
    if (faults.length === 0) batch.items.push({ ...name, value })
  }
  return batch
}

/** The elements of a list with their keys, those of an object by index in the order of the indices. */
export function inOrder<Element>(
  list: readonly Element[] | Readonly<Record<string, Element>>,
): [string, Element][] {
  return Object.entries(list).toSorted(([one], [other]) => Number(one) - Number(other))
}

const isFilled = <Value>(value: Value | null | undefined | ''): value is Value =>
  value !== undefined && value !== null && value !== ''

function metadataOf(info: SentCall | SentForm): ItemInfo {
  if (!('date_call' in info)) {
    const { form_send_at, ...form } = info
    const filled = Object.entries(form).filter(([, value]) => isFilled(value))
    return {
      ...(Object.fromEntries(filled) as FormInfo),
      ...(isFilled(form_send_at) && { form_sent_at: form_send_at }),
    }
  }
  const { to, from, date_call, add_note, ...call } = info
  return {
    ...call,
    phone: from,
    call_responsible: String(to),
    called_at: date_call,
    is_call_event_needed: [true, '1', 'true'].includes(add_note),
  }
}

/** `incoming_lead_info` of an item. Calls have their time under `date` here. */
function shownInfo({ category, metadata }: ItemRow): object {
  if (category === 'sip') {
    const {
      phone,
      call_responsible,
      called_at,
      is_call_event_needed,
      from: _,
      ...call
    } = metadata as CallInfo
    return {
      ...call,
      from: phone,
      ...(isFilled(call_responsible) && { to: numberOr(call_responsible) }),
      ...(called_at !== undefined && { date: called_at }),
      add_note: is_call_event_needed === true,
    }
  }
  if (category !== 'forms') return metadata
  const { form_sent_at, ...form } = metadata as FormInfo
  return { ...form, ...(isFilled(form_sent_at) && { form_send_at: form_sent_at }) }
}

const numberOr = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text)

/** An item of the list. `nameOfTag` answers for tags that a draft names by their ids. */
export function shownItem(
  accountId: number,
  row: ItemRow,
  fields: FieldsByType,
  nameOfTag: (id: number) => string | undefined,
): object {
  const { uid, source_uid, source_name, category, created_at, pipeline_id, data } = row
  // Version 2 shows no ids before the acceptance.
  const entities = (type: PartType, ids: number[]) =>
    ids.map((_id, index) => ({
      ...shownDraft(fields[type], data[type][index] ?? {}, nameOfTag),
      ...(index === 0 && shownNotes(data, type)),
    }))
  return {
    uid,
    source_uid,
    source_name,
    category,
    created_at,
    pipeline_id,
    account_id: accountId,
    incoming_entities: {
      leads: entities('leads', row.lead_ids),
      contacts: entities('contacts', row.contact_ids),
      companies: entities('companies', row.company_ids),
    },
    incoming_lead_info: shownInfo(row),
  }
}

const plainKeys = ['name', 'first_name', 'last_name', 'price', 'created_at', 'responsible_user_id']

/** A draft in the words of version 2. */
function shownDraft(
  fields: Fields,
  draft: SentRecord,
  nameOfTag: (id: number) => string | undefined,
): object {
  const plain = Object.entries(draft).filter(([key]) => plainKeys.includes(key))
  const tags = tagsOfDraft(draft).flatMap(
    ({ id, name }) => (id === undefined ? name : nameOfTag(id)) ?? [],
  )
  const custom_fields = shownFields(fields, draft)
  return {
    ...Object.fromEntries(plain),
    ...(tags.length > 0 && { tags: tags.join(',') }),
    ...(custom_fields.length > 0 && { custom_fields }),
  }
}

interface ShownField {
  field_id: number
  field_name: string
  field_code: string | null
  field_type: string
  values: { enum_id?: number; enum_code?: string | null; [key: string]: unknown }[]
}

/** The values as they would be stored now, without fields and choices that are gone. */
function shownFields(fields: Fields, draft: SentRecord): object[] {
  const shown: ShownField[] = JSON.parse(valuesText(fields, valuesToKeep(fields, draft))) ?? []
  return shown.map(({ field_id: id, field_name: name, field_code: code, field_type, values }) => ({
    id,
    name,
    code,
    values: values.map(({ enum_id, enum_code, ...value }) => {
      if (enum_id === undefined) return value
      return field_type === 'smart_address'
        ? { ...value, subtype: enum_code }
        : { ...value, enum: enum_id }
    }),
  }))
}

/** The notes for the entities of a type, which their first one gets. */
function shownNotes({ notes }: ItemData, type: PartType): { notes?: object[] } {
  const its = notes.filter((note) => note.type === type)
  if (its.length === 0) return {}
  return {
    notes: its.map(({ note_type, text }) => ({
      note_type,
      element_type: elementTypes[type],
      text,
    })),
  }
}

/** The ids of tags that the drafts of items name only by id, by type. */
export function tagsOf(rows: readonly ItemRow[], type: PartType): number[] {
  const drafts: readonly SentRecord[] = rows.flatMap(({ data }) => data[type] as SentRecord[])
  return [...new Set(drafts.flatMap((draft) => tagsOfDraft(draft).flatMap(({ id }) => id ?? [])))]
}
