import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { textKey } from '../../../records/fields/field-index.ts'
import { may } from '../../../access/record-rights.ts'
import type { Actor } from '../../../access/actor.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'

/** The pipelines in which complex creation by the calling integration looks for duplicates. */
export const duplicatePipelines = ({ accountId, clientId }: Actor): Sql => sql`
  select unnest(duplicate_pipelines) as id from installations where account_id = ${accountId} and client_id = ${clientId}`

/** A phone (digits only) or an e-mail of the new contact of an item. */
export interface ContactKey {
  place: number
  field_id: number
  value: string
}

/**
 * The most contacts that are examined for one value, the first by id: a value of so many contacts
 * identifies nobody.
 */
const mostWithValue = 100

/** The most matching contacts that count as one person whatever their names. */
const mostMatches = 3

/**
 * The contact that replaces the new one of an item, if any: of the contacts with one of its values,
 * which the actor may view and edit, the first by id. Of more than `mostMatches`, only those with
 * the same name count.
 */
export const contactsLike = (
  actor: Actor,
  keys: ContactKey[],
  items: { place: number; name: string }[],
): Sql => sql`
  with asked as materialized (
    select * from json_to_recordset(${JSON.stringify(keys)}::json) as asked(place int, field_id bigint, value text)
  )
  select place, id
    from (select item.place, case when count(*) <= ${mostMatches} then min(found.id)
                                  else min(found.id) filter (where ${nameKey(sql`found.name`)} = ${nameKey(sql`item.name`)}) end as id
            from json_to_recordset(${JSON.stringify(items)}::json) as item(place int, name text), lateral (
              select distinct record.id, record.name
                from asked, lateral (
                       select key.entity_id from field_texts key
                        where key.account_id = ${actor.accountId} and key.field_id = asked.field_id and key.entity_type = 'contacts'
                          and key.value = ${textKey(sql`asked.value`)}
                        order by key.entity_id limit ${mostWithValue}) key
               cross join lateral ${rowByKey('contacts', actor.accountId, sql`key.entity_id`)} record
               where asked.place = item.place and not record.is_deleted and ${may(actor, 'contacts', 'view')} and ${may(actor, 'contacts', 'edit')}) found
           group by item.place) replaced
   where id is not null`

const nameKey = (name: Sql) => sql`lower(${name} collate kontor)`

/**
 * The most phones and e-mails that a request holds one by one; for more it holds the account. Each
 * takes a place in PostgreSQL's table of locks, which has 6,400 for all connections by default.
 */
export const mostKeysLocked = 100

const ofAccount = ({ accountId }: Actor) =>
  sql`hashtextextended(concat_ws(' ', 'kontor duplicates', ${accountId}::bigint), 0)`

/** Waits while a request holds all phones and e-mails of the account. */
export const shareKeys = (actor: Actor): Sql =>
  sql`select pg_advisory_xact_lock_shared(${ofAccount(actor)})`

/** Holds all phones and e-mails of the account until the transaction ends. */
export const lockAllKeys = (actor: Actor): Sql =>
  sql`select pg_advisory_xact_lock(${ofAccount(actor)})`

/** Holds phones and e-mails until the transaction ends, in the order of their hashes. */
export const lockKeys = ({ accountId }: Actor, keys: ContactKey[]): Sql => sql`
  with hashes as materialized (
    select distinct hashtextextended(concat_ws(' ', 'kontor duplicates', ${accountId}::bigint, field_id, ${textKey(sql`value`)}), 0) as hash
      from json_to_recordset(${JSON.stringify(keys)}::json) as asked(field_id bigint, value text)
     order by hash
  )
  select pg_advisory_xact_lock(hash) from hashes`

/** The most leads of a contact that are examined, the newest first. */
const mostLeads = 500

/**
 * The newest open lead of each contact in a pipeline, which the actor may view and edit; `among`
 * restricts the leads.
 */
export const openLeads = (
  actor: Actor,
  contacts: number[],
  pipelines: number[],
  among?: number[],
): Sql => sql`
  select asked.contact_id, asked.pipeline_id, found.id
    from (select distinct contact_id, pipeline_id
            from unnest(${contacts}::bigint[], ${pipelines}::bigint[]) as asked(contact_id, pipeline_id)) asked, lateral (
      select record.id
        from (select to_id from links
               where account_id = ${actor.accountId} and from_type = 'contacts' and from_id = asked.contact_id and to_type = 'leads'
               order by to_id desc limit ${mostLeads}) link
       cross join lateral ${rowByKey('leads', actor.accountId, sql`link.to_id`)} record
        join statuses status on status.account_id = ${actor.accountId} and status.id = record.status_id
                            and status.pipeline_id = record.pipeline_id and status.type = 0
       where not record.is_deleted and record.pipeline_id = asked.pipeline_id and record.status_id not in (${won}, ${lost})
         and (${among ?? null}::bigint[] is null or record.id = any(${among ?? null}::bigint[]))
         and ${may(actor, 'leads', 'view')} and ${may(actor, 'leads', 'edit')}
       order by record.id desc limit 1) found`

/**
 * The companies linked to records. Those in the bin, or that the actor may not view, are included
 * with `shown` false.
 */
export const companiesOf = (actor: Actor, type: 'leads' | 'contacts', ids: number[]): Sql => sql`
  select link.from_id as of_id, link.to_id as id,
         exists (select from companies record
                  where record.account_id = ${actor.accountId} and record.id = link.to_id and not record.is_deleted
                    and ${may(actor, 'companies', 'view')}) as shown
    from links link
   where link.account_id = ${actor.accountId} and link.from_type = ${type} and link.from_id = any(${ids}::bigint[])
     and link.to_type = 'companies'`
