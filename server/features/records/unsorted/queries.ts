import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may, mayAtStatus, pipelinesAtStatus } from '../../../access/record-rights.ts'
import { rowByKey, unguessed } from '../../../database/by-key.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { selfLink } from '../../../http/self-link.ts'
import { textKey } from '../../../records/fields/field-index.ts'
import { bothEnds } from '../../../records/lists/conditions.ts'
import { comesAfter, orderedBy, orderingOf, pinnedTo } from '../../../records/lists/schema.ts'
import type { Ordering, Pin } from '../../../records/lists/schema.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import type { ContactKey } from '../complex/complex.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'
import type { ChatInfo, ItemCategory, IncomingNote, ItemInfo, SummaryFilter } from './schema.ts'
import { authorRole } from '../../../outgoing/door.ts'

/** The drafts of an item, as they were sent, but days as bare dates. */
export interface ItemData {
  leads: LeadDraft[]
  contacts: ContactDraft[]
  companies: CompanyDraft[]
  employers?: (number | null)[] | undefined
  notes: IncomingNote[]
}

/** A row of `unsorted_items` that waits. */
export interface ItemRow {
  id: number
  uid: string
  category: ItemCategory
  source_uid: string
  source_name: string
  pipeline_id: number
  status_id: number
  lead_ids: number[]
  contact_ids: number[]
  company_ids: number[]
  metadata: ItemInfo
  data: ItemData
  client_id: string | null
  created_by: number
  created_at: number
}

/** The name of a request at its source. */
export interface SourceName {
  category: ItemCategory
  source_uid: string
}

const wantedNames = (names: SourceName[]) => sql`
  json_to_recordset(${JSON.stringify(names)}::json) as asked(category text, source_uid text)`

/** Items with these names are added by one request after another. */
export const lockRequests = ({ accountId }: Actor, names: SourceName[]): Sql => sql`
  with hashes as materialized (
    select distinct hashtextextended(concat_ws(' ', 'kontor unsorted', ${accountId}::bigint, category, source_uid), 0) as hash
      from ${wantedNames(names)}
     order by hash
  )
  select pg_advisory_xact_lock(hash) from hashes`

export interface KnownItem extends RecordIds, SourceName {
  uid: string
  content: Buffer
}

/** The ids of the records of an item. */
export interface RecordIds {
  lead_ids: number[]
  contact_ids: number[]
  company_ids: number[]
}

const ids = sql`to_json(lead_ids) as lead_ids, to_json(contact_ids) as contact_ids, to_json(company_ids) as company_ids`

export const waitingBySource = ({ accountId }: Actor, names: SourceName[]): Sql => sql`
  select item.uid, item.category, item.source_uid, item.content, ${ids}
    from ${wantedNames(names)},
         lateral (select * from unsorted_items waiting
                   where waiting.account_id = ${accountId} and waiting.category = asked.category
                     and waiting.source_uid = asked.source_uid and waiting.result is null
                   limit 1) item`

/** Draws ids of items, contacts and companies, each growing. */
export const drawIds = (items: number, contacts: number, companies: number): Sql => sql`
  select ${join(
    [
      ['unsorted_items', items] as const,
      ['contacts', contacts] as const,
      ['companies', companies] as const,
    ].map(
      ([table, count]) =>
        sql`to_json(array(select nextval(${`${table}_id`}) from generate_series(1, ${count}::int))) as ${raw(table)}`,
    ),
  )}`

export type NewItemRow = ItemRow & { content: string; at: number }

export const insertItems = ({ accountId, userId }: Actor, rows: NewItemRow[]): Sql => sql`
  insert into unsorted_items (account_id, id, uid, category, source_uid, source_name, pipeline_id, status_id, lead_ids, contact_ids,
                              company_ids, content, metadata, data, client_id, created_by, updated_by, created_at, updated_at)
  select ${accountId}::bigint, id, uid, category, source_uid, source_name, pipeline_id, status_id, lead_ids, contact_ids, company_ids,
         decode(content, 'base64'), metadata, data, client_id, ${userId}::bigint, ${userId}::bigint, created_at, at
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(id bigint, uid text, category text, source_uid text, source_name text, pipeline_id bigint, status_id bigint,
               lead_ids bigint[], contact_ids bigint[], company_ids bigint[], content text, metadata jsonb, data jsonb,
               client_id uuid, created_at bigint, at bigint)`

/** Select the ids of items, for their chats and locks. */
export const withUids = (actor: Actor, uids: string[]): Sql => sql`
  select record.id from ${ofUids(actor, uids)}`
export const withIds = (ids: number[]): Sql => sql`select unnest(${ids}::bigint[])`

export type LockedItem = ItemRow & { allowed: boolean }

const locked = (actor: Actor, which: Sql): Sql => sql`
  select id, uid, category, source_uid, source_name, pipeline_id, status_id, ${ids}, metadata, data, client_id, created_by, created_at,
         ${mayAtStatus(actor, 'edit')} as allowed
    from unsorted_items record
   where account_id = ${actor.accountId} and result is null and ${which}
   order by id
     for no key update`

/** Locks items that wait; `allowed` says whether the actor may edit leads in their status. */
export const lockItems = (actor: Actor, uids: string[]): Sql =>
  locked(actor, sql`id = any(array(${withUids(actor, uids)}))`)

/** Locks items that wait, by their ids. */
export const lockItemsById = (actor: Actor, ids: number[]): Sql =>
  locked(actor, sql`id = any(${ids}::bigint[])`)

/** The items that leads wait with. A lead never begins to wait. */
export const itemsOfLeads = ({ accountId }: Actor, leads: number[]): Sql => sql`
  select distinct unsorted_id as id from leads
   where account_id = ${accountId} and id = any(${leads}::bigint[]) and unsorted_id is not null`

/** The leads of items, as they wait now. */
export const leadsOfItems = ({ accountId }: Actor, leads: number[]): Sql => sql`
  select id, responsible_user_id from leads
   where account_id = ${accountId} and id = any(${leads}::bigint[]) and unsorted_id is not null`

/** Selects the leads of declined items, which it locks. */
export const unsortedLeads = ({ accountId }: Actor, leads: number[]): Sql => sql`
  select account_id, id from leads
   where account_id = ${accountId} and id = any(${leads}::bigint[]) and unsorted_id is not null
   order by id
     for update`

export interface Decided extends RecordIds {
  id: number
}

/** Decides locked items; what they held goes. */
export const decideItems = (
  { accountId, userId, at }: Actor,
  result: 'accepted' | 'declined',
  items: Decided[],
): Sql => sql`
  update unsorted_items item
     set result = ${result}, decided_at = ${at}::bigint, updated_at = ${at}::bigint, updated_by = ${userId}::bigint,
         lead_ids = draft.lead_ids, contact_ids = draft.contact_ids, company_ids = draft.company_ids,
         content = null, metadata = null, data = null
    from json_to_recordset(${JSON.stringify(items)}::json)
      as draft(id bigint, lead_ids bigint[], contact_ids bigint[], company_ids bigint[])
   where item.account_id = ${accountId} and item.id = draft.id`

/** Writes the metadata of a waiting item, whose chat is locked. */
export const updateMetadata = (
  { accountId, userId, at }: Actor,
  id: number,
  metadata: ChatInfo,
): Sql => sql`
  update unsorted_items
     set metadata = ${JSON.stringify(metadata)}, updated_by = ${userId}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id} and result is null
  returning id`

/** The contacts that the chats of items are bound to. */
export const contactsOfChats = ({ accountId }: Actor, items: number[]): Sql => sql`
  select chat.item_id, contact.id
    from unnest(${items}::bigint[]) asked(item_id),
         lateral (select item_id, contact_id from chats
                   where account_id = ${accountId} and item_id = asked.item_id and contact_id is not null offset 0) chat,
         lateral (select id, is_deleted from contacts where account_id = ${accountId} and id = chat.contact_id offset 0) contact
   where not contact.is_deleted`

/** Contacts with one value that are looked at: with two of them it is ambiguous already. */
const mostWithKey = 100

/** The stored contact that alone has a phone or an e-mail of a draft, by the place of the draft. */
export const onlyContacts = ({ accountId }: Actor, keys: ContactKey[]): Sql => sql`
  select asked.place, min(found.id) as id
    from json_to_recordset(${JSON.stringify(keys)}::json) as asked(place int, field_id bigint, value text),
         lateral (select entity_id from field_texts
                   where account_id = ${accountId} and field_id = asked.field_id and entity_type = 'contacts'
                     and value = ${textKey(sql`asked.value`)}
                   order by entity_id limit ${mostWithKey}) key,
         lateral (select id, is_deleted from contacts where account_id = ${accountId} and id = key.entity_id offset 0) found
   where not found.is_deleted
   group by asked.place having count(distinct found.id) = 1`

export interface ContactAlike {
  /** Of the key that it has. */
  place: number
  id: number
  name: string
  leads: number
}

/** The most leads of a stored contact that are counted. */
const mostLeads = 99
/** The most contacts with one phone or e-mail that are looked at. */
const mostLookedAt = 20

/** The contacts that the actor may view and that have one of these phones and e-mails. */
export const contactsAlike = (actor: Actor, keys: ContactKey[]): Sql => sql`
  select place, id, name,
         (select count(*)::int
            from (select from links link
                   cross join lateral ${rowByKey('leads', actor.accountId, sql`link.to_id`)} record
                   where link.account_id = ${actor.accountId} and link.from_type = 'contacts' and link.from_id = alike.id
                     and link.to_type = 'leads' and not record.is_deleted and record.unsorted_id is null
                     and ${may(actor, 'leads', 'view')}
                   limit ${mostLeads}) lead) as leads
    from (select distinct asked.place, record.id, record.name
            from json_to_recordset(${JSON.stringify(keys)}::json) as asked(place int, field_id bigint, value text),
                 lateral (select entity_id from field_texts
                           where account_id = ${actor.accountId} and field_id = asked.field_id and entity_type = 'contacts'
                             and value = ${textKey(sql`asked.value`)}
                           order by entity_id limit ${mostLookedAt}) key,
                 lateral (select * from contacts
                           where account_id = ${actor.accountId} and id = key.entity_id offset 0) record
           where not record.is_deleted and ${may(actor, 'contacts', 'view')}) alike
   order by place, id`

/** The main contact of a record, or else its first. */
export const mainContact = (
  { accountId }: Actor,
  type: 'leads' | 'customers',
  id: number,
): Sql => sql`
  select to_id as id from links
   where account_id = ${accountId} and from_type = ${type} and from_id = ${id} and to_type = 'contacts'
   order by is_main desc, to_id limit 1`

/** Those of the contacts that have a company. */
export const contactsWithCompany = ({ accountId }: Actor, contacts: number[]): Sql => sql`
  select distinct from_id as id from links
   where account_id = ${accountId} and from_type = 'contacts' and from_id = any(${contacts}::bigint[]) and to_type = 'companies'`

/** Linked records as answers embed them, as a text. */
const linked = (base: string, type: string, column: string) => sql`
  '"' || ${type}::text || '":[' || coalesce((
     select string_agg('{"id":' || id || ',"_links":' || ${selfLink(sql`${`${base}/api/v4/${type}/`}::text || id`)}::text || '}', ',' order by place)
       from unnest(record.${raw(column)}) with ordinality as part(id, place)), '') || ']'`

/** The call or the form, as a text with the spaces of jsonb. */
const metadata = sql`(record.metadata - 'is_call_event_needed')::text as metadata`

/** The members of an item in answers of version 4, but for `metadata`. */
const shown = (base: string) => sql`
  record.uid, record.source_uid, record.source_name, record.category, record.pipeline_id, record.created_at,
  record.account_id,
  ${selfLink(sql`${`${base}/api/v4/leads/unsorted/`}::text || record.uid`)} as _links,
  ('{' || ${linked(base, 'contacts', 'contact_ids')} || ',' || ${linked(base, 'leads', 'lead_ids')} || ',' ||
   ${linked(base, 'companies', 'company_ids')} || '}')::json as _embedded`

export interface ItemFilter {
  uid?: string[] | undefined
  category?: ItemCategory[] | undefined
  pipeline_id?: number[] | undefined
}

/**
 * How a page of items is asked for. One plan serves all values of a list of all items, or of those of one
 * category or pipeline by the time of creation (docs/decisions/0057-plans.md).
 */
export function planningOfItems(
  { isAdmin }: Actor,
  filter: ItemFilter,
  order: ItemOrder | undefined,
): 'page' | 'list' {
  const named = Object.values(filter).filter((values) => values !== undefined)
  return isAdmin && (named.length === 0 || pinOfItems(filter, orderOfItems(order)))
    ? 'page'
    : 'list'
}

/** The only filter, where its index has the order of the list. */
function pinOfItems({ uid, category, pipeline_id }: ItemFilter, { column }: Ordering) {
  const [value, ...others] = [...(category ?? []), ...(pipeline_id ?? [])]
  if (value === undefined || others.length > 0 || uid || column !== 'created_at') return undefined
  const pin: Pin = { column: category?.length ? 'category' : 'pipeline_id', value }
  return pin
}

/** Waiting items that the actor may view, one page of them, in an order by time. */
function itemRows(
  actor: Actor,
  filter: ItemFilter,
  ordering: Ordering,
  { after, offset, limit }: PagePosition,
): Sql {
  const { uid, category, pipeline_id } = filter
  const pin = pinOfItems(filter, ordering)
  const leader = pin || uid ? undefined : leaderOf(actor, filter, ordering)
  const waiting = sql`record.account_id = ${actor.accountId} and record.result is null`
  const isShown = sql`${waiting} and ${mayAtStatus(actor, 'view')}`
  const filters = sql`${isOneOf('category', 'text', category)} ${isOneOf('pipeline_id', 'bigint', pipeline_id)}`
  const rest = sql`${comesAfter(ordering, after, 'record', pin)} ${orderedBy(ordering, 'record', pin)} limit ${limit} offset ${offset}`
  if (uid)
    return sql`select record.* from ${ofUids(actor, uid)} where ${isShown} ${filters} ${rest}`
  if (leader) {
    const { column, type, values } = leader
    const at = raw(`record.${column}`)
    const early = { column, value: 0 }
    const others = isOneOf('category', 'text', column === 'category' ? undefined : category)
    return sql`
      select record.* from unnest(${[...new Set(values)]}::${raw(type)}[]) wanted (value), lateral (
        select record.* from unsorted_items record
         where ${waiting} and ${unguessed(mayAtStatus(actor, 'view'))} and ${at} >= wanted.value and ${at} <= wanted.value ${others} ${comesAfter(ordering, after, 'record', early)}
         ${orderedBy(ordering, 'record', early)} limit ${offset + limit}) record
       ${orderedBy(ordering)} limit ${limit} offset ${offset}`
  }
  return sql`
    select record.* from unsorted_items record where ${isShown} ${pin ? sql`and ${pinnedTo(pin)}` : filters} ${rest}`
}

/** The items with uids, also those that are decided, each looked up by itself. */
const ofUids = ({ accountId }: Actor, uids: readonly string[]): Sql => sql`
  unnest(${[...new Set(uids)]}::text[]) wanted (uid),
  lateral (select * from unsorted_items item where item.account_id = ${accountId} and item.uid = wanted.uid offset 0) record`

/**
 * The column of which each value is asked for by itself, where an index has its items in the order of
 * the list: without statistics, PostgreSQL would sort all of them.
 */
function leaderOf(
  actor: Actor,
  { category, pipeline_id }: ItemFilter,
  { column }: Ordering,
): { column: string; type: string; values: readonly (number | string)[] } | undefined {
  if (column !== 'created_at') return undefined
  const pipelines = pipeline_id ?? (category ? undefined : pipelinesAtStatus(actor, 'view'))
  if (pipelines) return { column: 'pipeline_id', type: 'bigint', values: pipelines }
  return category && { column: 'category', type: 'text', values: category }
}

/** One value is compared by `=`, which an index delivers in the order of time. */
function isOneOf(
  column: string,
  type: string,
  values: readonly (string | number)[] | undefined,
): Sql {
  if (!values) return empty
  return values.length === 1
    ? sql`and record.${raw(column)} = ${values[0]}`
    : sql`and record.${raw(column)} = any(${values}::${raw(type)}[])`
}

/** How many items wait that the actor may view, `most` at most. */
export const unsortedWaiting = (actor: Actor, most: number): Sql => sql`
  select count(*)::int
    from (select from unsorted_items record
           where record.account_id = ${actor.accountId} and ${mayAtStatus(actor, 'view')} and record.result is null
           limit ${most}) waiting`

/**
 * The waiting items of a pipeline by category as JSON, `most` at most; null where it takes none, or the
 * actor may view none.
 */
export const unsortedSummary = (actor: Actor, pipelineId: number, most: number): Sql => sql`
  select json_build_object('count', coalesce(sum(of_category.count), 0),
                           'categories', coalesce(json_object_agg(category, of_category.count), '{}'))
    from (select category, count(*)
            from (select category from unsorted_items record
                   where record.account_id = ${actor.accountId} and record.pipeline_id = ${pipelineId}
                     and ${mayAtStatus(actor, 'view')} and record.result is null
                   limit ${most}) waiting
           group by category order by category) of_category
  having exists (select from (select pipeline.id as pipeline_id, status.id as status_id
                                from pipelines pipeline
                                join accounts account on account.id = pipeline.account_id
                                join statuses status on status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id
                               where pipeline.account_id = ${actor.accountId} and pipeline.id = ${pipelineId} and status.type = 1
                                 and pipeline.is_unsorted_on and account.is_unsorted_on) record
                  where ${mayAtStatus(actor, 'view')})`

export type ItemOrder = { [Column in 'created_at' | 'updated_at']?: 'asc' | 'desc' | undefined }

/** The order of a list: by the time of creation unless the query says otherwise. */
const orderOfItems = (order: ItemOrder | undefined): Ordering =>
  orderingOf(order && Object.keys(order).length > 0 ? order : { created_at: 'asc' })

/** A page of items for version 4. */
export function itemPage(
  actor: Actor,
  base: string,
  filter: ItemFilter,
  order: ItemOrder | undefined,
  seek: PagePosition,
): Sql {
  const ordering = orderOfItems(order)
  return sql`
    select row_to_json(shown)::text as json, ${metadata}, record.${raw(ordering.column)} as key, record.id
      from (${itemRows(actor, filter, ordering, seek)}) record, lateral (select ${shown(base)}) shown
     ${orderedBy(ordering)}`
}

/** A page of items with their drafts, for version 2 and for cards. */
export function itemsWithData(
  actor: Actor,
  filter: ItemFilter,
  order: ItemOrder | undefined,
  seek: PagePosition,
): Sql {
  const ordering = orderOfItems(order)
  return sql`
    select id, uid, category, source_uid, source_name, pipeline_id, ${ids}, metadata, data, created_at,
           ${raw(ordering.column)} as key
      from (${itemRows(actor, filter, ordering, seek)}) record ${orderedBy(ordering)}`
}

/** A waiting lead as the card of its item shows it. */
export interface LeadOnCard {
  id: number
  name: string
  tags: string[]
  custom_fields_values: KeptValues
}

export const leadsOnCards = ({ accountId }: Actor, leads: number[]): Sql => sql`
  select id, name, custom_fields_values,
         array(select tag.name from unnest(lead.tag_ids) with ordinality as attached(id, place)
                 join tags tag on tag.account_id = ${accountId} and tag.id = attached.id order by place) as tags
    from leads lead
   where account_id = ${accountId} and id = any(${leads}::bigint[])`

/** One waiting item; its text is null where the actor may not view it. */
export const oneItem = (actor: Actor, base: string, uid: string): Sql => sql`
  select case when ${mayAtStatus(actor, 'view')} then row_to_json(shown)::text end as json, ${metadata}
    from unsorted_items record, lateral (select ${shown(base)}) shown
   where record.account_id = ${actor.accountId} and record.uid = ${uid} and record.result is null`

/** The address of the recording of a waiting call. */
export const recordingOfItem = (actor: Actor, uid: string): Sql => sql`
  select ${mayAtStatus(actor, 'view')} as allowed, record.metadata ->> 'link' as link,
         ${authorRole(actor.accountId, sql`record.created_by`)} as role
    from unsorted_items record
   where record.account_id = ${actor.accountId} and record.uid = ${uid} and record.result is null and record.category = 'sip'`

/** Counts of items by category and result; `seconds` is the time until the decisions, in total. */
export function summaryRows(actor: Actor, { uid, created_at, pipeline_id }: SummaryFilter): Sql {
  const range = typeof created_at === 'number' ? { from: created_at } : created_at
  const counted = (items: Sql, time: string, decided: Sql) => sql`
    from ${uid ? ofUids(actor, uid) : items}
   where record.account_id = ${actor.accountId} and ${decided} and ${mayAtStatus(actor, 'view')}
     ${isOneOf('pipeline_id', 'bigint', pipeline_id)}
     and ${bothEnds(sql`record.${raw(time)}`, range ?? {})}`
  const all = sql`unsorted_items record`
  const waiting = pipeline_id
    ? sql`unnest(${[...new Set(pipeline_id)]}::bigint[]) wanted (id),
         lateral (select * from unsorted_items item
                   where item.account_id = ${actor.accountId} and item.pipeline_id = wanted.id and item.result is null offset 0) record`
    : all
  return sql`
    select null as result, category, count(*)::int as items, 0::bigint as seconds
           ${counted(waiting, 'created_at', sql`record.result is null`)} group by category
     union all
    select result, null, count(*)::int, coalesce(sum(greatest(decided_at - created_at, 0)), 0)::bigint
           ${counted(all, 'decided_at', sql`record.result is not null`)} group by result`
}
