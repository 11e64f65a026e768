// Unsorted items in the bodies of webhooks (interface: Webhook fields). A decision is told as a
// deletion with the ids of the records that it created or removed.
import sql from 'sql-template-tag'
import type { JournalRow } from '../../../changes/position.ts'
import { idsAmong, payloadText } from '../../../changes/webhook-form.ts'
import type { Payload, PayloadValue, WebhookForm } from '../../../changes/webhook-form.ts'
import type { Reader } from '../../../database/connect.ts'
import { midnight } from '../../../records/fields/days.ts'
import { fieldsOf, fieldsOfDrafts } from '../../../records/fields/definitions.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { dayNamed } from '../../../records/fields/scalars.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import type { SentRecord } from '../../../records/schema.ts'
import { rowAfter, payloadList } from '../../../records/webhook.ts'
import type { LeadRow } from '../leads/schema.ts'
import { nameOfDraft } from './drafts.ts'
import { tagsOfDraft } from '../../../records/tags.ts'
import type { ItemData, ItemRow } from './queries.ts'
import type { CallInfo, ChatInfo, FormInfo } from './schema.ts'

/** A row of the journal; the contents of a decided item stand in its row before the decision. */
type JournaledItem = Omit<ItemRow, 'metadata' | 'data'> & {
  account_id: number
  metadata: ItemRow['metadata'] | null
  data: ItemData | null
  result: 'accepted' | 'declined' | null
  updated_by: number
  updated_at: number
}

export const unsortedForm: WebhookForm = {
  keys: { items: 'unsorted', deletion: null },
  deletion: [],
  async prepare(reader, account, changes) {
    const leads = await waitingLeads(
      reader,
      account.id,
      idsAmong(
        changes.map(({ after }) => after),
        'lead_ids',
      ),
    )
    const fields = {
      leads: await fieldsOf(reader, account.id, 'leads'),
      contacts: await fieldsOf(reader, account.id, 'contacts'),
      companies: await fieldsOf(reader, account.id, 'companies'),
    }
    return (change) => {
      const row = rowAfter(change) as JournaledItem
      const { metadata, data } = contentOf(change, row)
      return {
        ...decisionOf(row),
        uid: payloadText(row.uid),
        category: payloadText(row.category),
        account_id: payloadText(row.account_id),
        user_id: payloadText(row.created_by),
        source: payloadText(row.source_name),
        source_uid: payloadText(row.source_uid),
        pipeline_id: payloadText(row.pipeline_id),
        ...(row.lead_ids.length > 0 && { lead_id: payloadText(row.lead_ids[0]) }),
        date_create: payloadText(row.created_at),
        created_at: payloadText(row.created_at),
        source_data: sourcePayload(row.category, metadata),
        data: {
          ...payloadList(
            'leads',
            row.lead_ids.map((id, index) =>
              leadPayload(fields.leads, id, leads.get(id), data.leads[index]),
            ),
          ),
          ...payloadList(
            'contacts',
            data.contacts.map((draft) => draftPayload(fields.contacts, row, draft)),
          ),
          ...payloadList(
            'companies',
            data.companies.map((draft) => draftPayload(fields.companies, row, draft)),
          ),
        },
      }
    }
  },
}

function contentOf({ before }: JournalRow, { metadata, data }: JournaledItem) {
  const former = (before ?? {}) as Partial<Pick<ItemRow, 'metadata' | 'data'>>
  return {
    metadata: metadata ?? former.metadata ?? {},
    data: data ?? former.data ?? { leads: [], contacts: [], companies: [], notes: [] },
  }
}

/** The members of a decision, none of an item that waits. */
function decisionOf({
  result,
  lead_ids,
  contact_ids,
  company_ids,
  updated_by,
}: JournaledItem): Payload {
  if (result === null) return {}
  const ids = {
    ...payloadList('leads', lead_ids.map(payloadText)),
    ...payloadList('contacts', contact_ids.map(payloadText)),
  }
  const companies = payloadList('companies', company_ids.map(payloadText))
  return result === 'accepted'
    ? {
        action: 'accept',
        accept_result: { ...ids, ...companies },
        modified_user_id: payloadText(updated_by),
      }
    : { action: 'decline', decline_result: ids, modified_user_id: payloadText(updated_by) }
}

/** An empty text stands for a value that is not there. */
const orEmpty = (value: unknown): string =>
  value === null || value === undefined ? '' : payloadText(value)

const sourcePayload = (category: ItemRow['category'], metadata: object): Payload =>
  category === 'sip'
    ? callPayload(metadata)
    : category === 'chats'
      ? chatPayload(metadata)
      : formPayload(metadata)

function chatPayload({
  from,
  to,
  service,
  received_at,
  client,
  origin,
  ...chat
}: Partial<ChatInfo>) {
  return {
    from: orEmpty(from),
    name: orEmpty(client?.name),
    to: orEmpty(to),
    date: orEmpty(received_at),
    service: orEmpty(service),
    client: { name: orEmpty(client?.name), picture: orEmpty(client?.avatar) },
    origin: { provider: orEmpty(service), chat_id: orEmpty(origin?.chat_id) },
    data: [{ date: orEmpty(received_at), text: orEmpty(chat.last_message_text) }],
    source_name: orEmpty(chat.source_name),
  }
}

function callPayload(call: Partial<CallInfo>): Payload {
  return {
    from: orEmpty(call.phone),
    to: orEmpty(call.call_responsible),
    date: orEmpty(call.called_at),
    duration: orEmpty(call.duration),
    link: orEmpty(call.link),
    service_code: orEmpty(call.service_code),
    uniq: orEmpty(call.uniq),
  }
}

/** Kontor asks nobody where an address is, so country and city are empty. */
function formPayload(form: Partial<FormInfo>): Payload {
  return {
    form_id: orEmpty(form.form_id),
    form_type: orEmpty(form.form_type),
    form_name: orEmpty(form.form_name),
    date: orEmpty(form.form_sent_at),
    from: orEmpty(form.form_page),
    service_code: orEmpty(form.service_code),
    origin: {
      ip: orEmpty(form.ip),
      datetime: orEmpty(form.form_sent_at),
      referer: orEmpty(form.referer),
      country: '',
      city: '',
      continent_code: '',
      visitor_uid: orEmpty(form.visitor_uid),
    },
  }
}

type WaitingLead = Pick<
  LeadRow,
  | 'id'
  | 'name'
  | 'price'
  | 'status_id'
  | 'pipeline_id'
  | 'created_by'
  | 'updated_by'
  | 'responsible_user_id'
  | 'created_at'
>

async function waitingLeads(
  reader: Reader,
  accountId: number,
  ids: number[],
): Promise<Map<number, WaitingLead>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.rows<WaitingLead>(payloadLeads(accountId, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

export const payloadLeads = (accountId: number, ids: number[]) => sql`
  select id, name, price, status_id, pipeline_id, created_by, updated_by, responsible_user_id, created_at from leads
   where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** A lead as it is now, with the tags and custom fields that came with the request. */
function leadPayload(
  fields: Fields,
  id: number,
  row: WaitingLead | undefined,
  draft: SentRecord | undefined,
): Payload {
  return {
    id: payloadText(id),
    ...(row && {
      name: payloadText(row.name),
      price: payloadText(row.price),
      status_id: payloadText(row.status_id),
      pipeline_id: payloadText(row.pipeline_id),
      date_create: payloadText(row.created_at),
      created_user_id: payloadText(row.created_by),
      modified_user_id: payloadText(row.updated_by),
      main_user_id: payloadText(row.responsible_user_id),
    }),
    ...tagsPayload(draft),
    ...valuesOfDraft(fields, draft),
  }
}

/** A contact or a company, of which there is only a draft. */
function draftPayload(fields: Fields, item: JournaledItem, draft: SentRecord): Payload {
  return {
    name: nameOfDraft(draft),
    date_create: payloadText(draft.created_at ?? item.created_at),
    ...(draft.responsible_user_id && { main_user_id: payloadText(draft.responsible_user_id) }),
    ...tagsPayload(draft),
    ...valuesOfDraft(fields, draft),
  }
}

function tagsPayload(draft: SentRecord | undefined): Payload {
  const names = tagsOfDraft(draft ?? {}).flatMap(({ name }) => name ?? [])
  return names.length > 0 ? { tags: names.join(',') } : {}
}

/** The custom fields of a draft, as they were sent, but days as records have them. */
function valuesOfDraft(fields: Fields, draft: SentRecord | undefined): Payload {
  const values = (draft?.custom_fields_values ?? []).flatMap((each): PayloadValue[] => {
    const field =
      each.field_id === undefined || each.field_id === null
        ? fields.byCode.get(each.field_code ?? '')
        : fields.byId.get(each.field_id)
    if (!field) return []
    const sent = Object.values(each.values ?? {}) as Record<string, unknown>[]
    return [
      {
        id: payloadText(field.id),
        name: payloadText(field.name),
        values: sent.map((one) => valuePayload(withMoment(fields, field, one))),
      },
    ]
  })
  return payloadList('custom_fields', values)
}

function withMoment(fields: Fields, field: Field, sent: Record<string, unknown>) {
  const { value } = sent
  const isSent = typeof value === 'string' || typeof value === 'number'
  if (!isSent || fieldTypeFacts(field.type).behaviour !== 'day') return sent
  const day = dayNamed(fieldsOfDrafts(fields).timezone, value)
  return day === undefined ? sent : { ...sent, value: midnight(fields.timezone, day) }
}

function valuePayload(sent: Record<string, unknown>): Payload {
  const choice = sent['enum_id'] ?? sent['enum_code'] ?? sent['enum']
  const { value } = sent
  const isPlain = typeof value !== 'object'
  return {
    ...(value !== undefined &&
      value !== null && { value: isPlain ? payloadText(value) : JSON.stringify(value) }),
    ...(choice !== undefined && choice !== null && { enum: payloadText(choice) }),
  }
}
