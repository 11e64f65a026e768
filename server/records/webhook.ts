// The fields that items of all record types share in the bodies of webhooks (interface: Webhook
// fields): columns, custom fields, tags and linked records.
import sql from 'sql-template-tag'
import type { Reader } from '../database/connect.ts'
import type { JournalRow } from '../changes/position.ts'
import { idsAmong, payloadText, payloadFields } from '../changes/webhook-form.ts'
import type { Payload, PayloadValue } from '../changes/webhook-form.ts'
import type { RecordRow, RecordType } from './description.ts'
import { fieldsOf } from './fields/definitions.ts'
import type { Fields } from './fields/definitions.ts'
import { payloadValues } from './fields/payload.ts'

/** The numbers of the types of records in `element_type`. */
export const elementTypes: Record<RecordType, number> = {
  contacts: 1,
  leads: 2,
  companies: 3,
  customers: 12,
}

/** The row after the change. Throws where the journal has none. */
export function rowAfter({ after }: JournalRow): object {
  if (!after) throw new TypeError('the journal has no row')
  return after
}

/** The fields that the items of all record types have, by the columns they show. */
const shared = {
  id: 'id',
  name: 'name',
  responsible_user_id: 'responsible_user_id',
  date_create: 'created_at',
  last_modified: 'updated_at',
  created_user_id: 'created_by',
  modified_user_id: 'updated_by',
  account_id: 'account_id',
  created_at: 'created_at',
  updated_at: 'updated_at',
}

/** Answers the function that makes the shared part of an item from a row. */
export async function prepareRecords(
  reader: Reader,
  accountId: number,
  type: RecordType,
  changes: readonly JournalRow[],
): Promise<(row: RecordRow) => Payload> {
  const rows = changes.map(({ after }) => after as RecordRow | null)
  const tags = await namesOfTags(reader, accountId, idsAmong(rows, 'tag_ids'))
  const fields = rows.some((row) => row?.custom_fields_values)
    ? await fieldsOf(reader, accountId, type)
    : undefined
  return (row) => ({
    ...payloadFields(row, shared),
    ...payloadCustomFields(fields, row),
    ...payloadList(
      'tags',
      row.tag_ids.flatMap((id) => {
        const name = tags.get(id)
        return name === undefined ? [] : { id: payloadText(id), name: payloadText(name) }
      }),
    ),
  })
}

/** The member `custom_fields` of an item; none where no field is filled. */
export function payloadCustomFields(
  fields: Fields | undefined,
  { custom_fields_values: values }: Pick<RecordRow, 'custom_fields_values'>,
): Payload {
  return fields && values ? payloadList('custom_fields', payloadValues(fields, values)) : {}
}

/** A member that is a list. Form encoding knows no empty ones, so there is none. */
export function payloadList(name: string, values: PayloadValue[]): Payload {
  return values.length === 0 ? {} : { [name]: values }
}

async function namesOfTags(
  reader: Reader,
  accountId: number,
  ids: number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const tags = await reader.rows<{ id: number; name: string }>(tagNames(accountId, ids))
  return new Map(tags.map(({ id, name }) => [id, name]))
}

export const tagNames = (accountId: number, ids: number[]) => sql`
  select id, name from tags where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** The most linked leads of one item: the first by id, as in answers. */
const mostLinked = 500

/**
 * The leads linked with contacts or companies, as the member `linked_leads_id` by the id of the
 * record. Leads in the bin are left out.
 */
export async function linkedLeads(
  reader: Reader,
  accountId: number,
  type: RecordType,
  ids: number[],
): Promise<Map<number, Payload>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.rows<{ id: number; leads: number[] }>(
    leadsLinkedWith(accountId, type, ids),
  )
  return new Map(
    rows.map(({ id, leads }) => [
      id,
      {
        linked_leads_id: Object.fromEntries(leads.map((lead) => [lead, { ID: payloadText(lead) }])),
      },
    ]),
  )
}

export const leadsLinkedWith = (accountId: number, type: RecordType, ids: number[]) => sql`
  select link.from_id as id, json_agg(lead.id order by lead.id) as leads
    from unnest(${ids}::bigint[]) record(id)
   cross join lateral (select from_id, to_id from links
                        where account_id = ${accountId} and from_type = ${type} and from_id = record.id and to_type = 'leads'
                        order by to_id limit ${mostLinked}) link
    join leads lead on lead.account_id = ${accountId} and lead.id = link.to_id and not lead.is_deleted
   group by link.from_id`
