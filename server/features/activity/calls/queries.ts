import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'

/** Calls of so many groups of names follow one another: a request takes no more locks than that. */
const groups = 64

/** Holds calls by their names at the source, until the transaction ends. */
export const lockCalls = ({ accountId }: Actor, uniqs: string[]): Sql => sql`
  with hashes as materialized (
    select distinct hashtextextended(concat_ws(' ', 'kontor calls', ${accountId}::bigint, hashtext(uniq) & ${groups - 1}), 0) as hash
      from unnest(${uniqs}::text[]) as uniq
     order by hash
  )
  select pg_advisory_xact_lock(hash) from hashes`

/** Two calls with these values are the same one; phones are compared by `digits`. */
export interface NamedCall {
  place: number
  note_type: string
  uniq: string
  digits: string
}

/** The first note of each of these calls, on a record that the actor may view. */
export const storedCalls = (actor: Actor, calls: NamedCall[]): Sql => sql`
  select asked.place, first.id, first.entity_type as type, first.entity_id
    from json_to_recordset(${JSON.stringify(calls)}::json) as asked(place int, note_type text, uniq text, digits text), lateral (
      select note.id, note.entity_type, note.entity_id
        from notes note
       where note.account_id = ${actor.accountId} and note.note_type in ('call_in', 'call_out') and note.note_type = asked.note_type
         and (note.params ->> 'uniq') collate "C" = asked.uniq
         and right(regexp_replace(note.params ->> 'phone', '[^0-9]', '', 'g'), 10) = asked.digits
         and (${join(
           recordTypes.map((type) => isOnViewed(actor, type)),
           ' or ',
         )})
       order by note.id limit 1) first`

const isOnViewed = (actor: Actor, type: RecordType) => sql`
  (note.entity_type = ${type} and exists (
     select from ${raw(type)} record
      where record.account_id = ${actor.accountId} and record.id = note.entity_id and not record.is_deleted
        and ${may(actor, type, 'view')}))`

/** The most cards of one number, and the most leads or customers of one card, that are looked at. */
const [mostCards, mostLinked] = [100, 500]

/**
 * The record that a call from or to each number belongs to, of those that the actor may view: the
 * only active lead of the card, its only customer, or the card itself (interface: Call). PostgreSQL
 * expects as many numbers whatever the list, and so keeps its plan: making one took 20 times as
 * long as a single number.
 */
export const recordsOfCalls = (actor: Actor, numbers: string[]): Sql => sql`
  with card as materialized (
    select asked.number, card.type, card.id
      from json_array_elements_text(${JSON.stringify(numbers)}::json) as asked(number), lateral (
        select * from ((${cardWith(actor, 'contacts')}) union all (${cardWith(actor, 'companies')})) either
         order by either.type = 'companies' limit 1) card
  )
  select card.number,
         case when lead.count = 1 and customer.count = 0 then 'leads'
              when lead.count = 0 and customer.count = 1 then 'customers' else card.type end as type,
         case when lead.count = 1 and customer.count = 0 then lead.id
              when lead.count = 0 and customer.count = 1 then customer.id else card.id end as id
    from card,
         lateral (${linkedTo(
           actor,
           'leads',
           sql`
             and record.status_id not in (${won}, ${lost})
             and record.status_id <> all (array(select status.id from statuses status
                                                 where status.account_id = ${actor.accountId} and status.type = 1))`,
         )}) lead,
         lateral (${linkedTo(actor, 'customers', sql``)}) customer
   order by card.number`

/**
 * The card of one type with the number: the one that was changed last. The type is part of the
 * text, because the index holds contacts and companies only.
 */
const cardWith = (actor: Actor, type: 'contacts' | 'companies') => sql`
  select ${raw(`'${type}'`)} as type, record.id
    from (select key.entity_id from field_texts key
           where key.account_id = ${actor.accountId} and key.entity_type = ${raw(`'${type}'`)}
             and key.field_id = (select field.id from custom_fields field
                                  where field.account_id = ${actor.accountId} and field.entity_type = ${raw(`'${type}'`)}
                                    and field.code = 'PHONE' and field.type = 'multitext')
             and key.value ~ '^[0-9]+$' and right(key.value, 10) = asked.number
           order by key.entity_id desc limit ${mostCards}) key
   cross join lateral ${rowByKey(type, actor.accountId, sql`key.entity_id`)} record
   where not record.is_deleted and ${may(actor, type, 'view')}
   order by record.updated_at desc, record.id desc limit 1`

/** How many such records are linked to a card, at most two, and the first of them. */
const linkedTo = (actor: Actor, type: 'leads' | 'customers', further: Sql) => sql`
  select count(*), min(one.id) as id
    from (select record.id
            from (select link.to_id from links link
                   where link.account_id = ${actor.accountId} and link.from_type = card.type and link.from_id = card.id
                     and link.to_type = ${raw(`'${type}'`)}
                   order by link.to_id desc limit ${mostLinked}) link
           cross join lateral ${rowByKey(type, actor.accountId, sql`link.to_id`)} record
           where not record.is_deleted and ${may(actor, type, 'view')} ${further}
           limit 2) one`
