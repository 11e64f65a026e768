import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { textKey } from '../../../records/fields/field-index.ts'
import type { RepointedValue } from '../../records/elements/elements.ts'
import type { KeptElement, KeptLink } from '../../records/links/links.ts'
import type { MergedType } from './schema.ts'
import type { DecidedColumns } from './values.ts'

/** A row of `merges`. */
export interface MergeRow {
  id: number
  entity_type: MergedType
  into_id: number
  from_id: number
  before: DecidedColumns
  after: DecidedColumns
  links: KeptLink[]
  elements: KeptElement[]
  element_values: RepointedValue[]
  notes: number[]
  tasks: number[]
  chats: number[]
  talks: number[]
  messages: number[]
  created_by: number
  created_at: number
  undo_until: number
  undone_at: number | null
}

const lists = ['notes', 'tasks', 'chats', 'talks', 'messages']

const columns = raw(
  [
    'id, entity_type, into_id, from_id, before, after, links, elements, element_values',
    ...lists.map((name) => `to_json(${name}) as ${name}`),
    'created_by, created_at, undo_until, undone_at',
  ].join(', '),
)

export const insertMerge = (
  { accountId }: Actor,
  row: Omit<MergeRow, 'id' | 'undone_at'>,
): Sql => sql`
  insert into merges (account_id, entity_type, into_id, from_id, before, after, links, elements, element_values, notes, tasks, chats, talks, messages,
                      created_by, created_at, undo_until)
  values (${accountId}, ${row.entity_type}, ${row.into_id}, ${row.from_id}, ${JSON.stringify(row.before)}::json,
          ${JSON.stringify(row.after)}::json, ${JSON.stringify(row.links)}::json, ${JSON.stringify(row.elements)}::json, ${JSON.stringify(row.element_values)}::json,
          ${row.notes}::bigint[], ${row.tasks}::bigint[], ${row.chats}::bigint[], ${row.talks}::bigint[], ${row.messages}::bigint[],
          ${row.created_by}, ${row.created_at}, ${row.undo_until})
  returning id`

export const oneMerge = ({ accountId }: Actor, id: number): Sql => sql`
  select ${columns} from merges where account_id = ${accountId} and id = ${id}`

/** After the news of the undo: the events until here have values of the record that came back. */
export const markUndone = ({ accountId, userId, at }: Actor, id: number): Sql => sql`
  update merges
     set undone_at = ${at}, undone_by = ${userId},
         events_until = ulid_time((extract(epoch from clock_timestamp()) * 1000)::bigint + 1)
   where account_id = ${accountId} and id = ${id}`

/** A merge of the same survivor after this one, which stands. */
export const laterMerge = (
  { accountId }: Actor,
  { id, entity_type, into_id }: MergeRow,
): Sql => sql`
  select id from merges
   where account_id = ${accountId} and entity_type = ${entity_type} and into_id = ${into_id} and id > ${id} and undone_at is null
   limit 1`

export const groupOfUser = ({ accountId }: Actor, id: number): Sql => sql`
  select group_id from users where account_id = ${accountId} and id = ${id}`

/** The most merges in an answer. */
const mostMerges = 20

/**
 * The latest merges of a record, as survivor or as the one merged away, that the actor may still undo: the
 * survivor is there, the other is in the bin, and the actor may edit both and delete the latter.
 */
export const openMerges = (actor: Actor, type: MergedType, id: number): Sql => {
  const of = (column: 'into_id' | 'from_id') => sql`
    select * from merges
     where account_id = ${actor.accountId} and entity_type = ${type} and ${raw(column)} = ${id} and undone_at is null`
  const record = (
    alias: string,
    column: string,
    isDeleted: boolean,
    ...actions: ('edit' | 'delete' | 'view')[]
  ) => sql`
    lateral (select record.name from ${rowByKey(type, actor.accountId, raw(`merge.${column}`))} record
              where record.is_deleted = ${isDeleted}
                and ${join(
                  actions.map((action) => may(actor, type, action)),
                  ' and ',
                )}) ${raw(alias)}`
  return sql`
    select merge.id, merge.into_id as into, merge.from_id as from, merge.undo_until, survivor.name as into_name, gone.name as from_name,
           merge.created_by, merge.created_at
      from (${of('into_id')} union all ${of('from_id')}) merge,
           ${record('survivor', 'into_id', false, 'view', 'edit')}, ${record('gone', 'from_id', true, 'view', 'edit', 'delete')}
     where merge.undo_until >= ${actor.at}
       and not exists (select from merges later
                        where later.account_id = ${actor.accountId} and later.entity_type = ${type}
                          and later.into_id = merge.into_id and later.id > merge.id and later.undone_at is null)
     order by merge.id desc limit ${mostMerges}`
}

/**
 * Of merges from before a time it keeps which record went where, and when: the feed of a survivor shows
 * the history of both while the merge stands, and tells nothing of the other after an undo.
 */
export const dropMerges = (before: number): Sql => sql`
  update merges
     set before = '{}', after = '{}', links = '[]', elements = '[]', element_values = '[]', ${raw(lists.map((name) => `${name} = '{}'`).join(', '))}
   where created_at < ${before} and before::text <> '{}'`

/** A phone (its last digits) or an e-mail of a record, and its text. */
export interface SharedKey {
  place: number
  field_id: number
  code: 'PHONE' | 'EMAIL'
  key: string
  value: string
}

/** The key of one of several records. */
export interface RecordKey extends SharedKey {
  record_id: number
}

/** The most records with one phone or e-mail that are looked at, by their ids. */
const mostWithKey = 100

/**
 * The records of the type with one of the keys, as the relations `asked` and `found`. The type is part of the text,
 * because the index of digits holds contacts and companies only.
 */
const foundByKeys = (actor: Actor, type: MergedType, keys: SharedKey[], most: number): Sql => {
  const literal = raw(`'${type}'`)
  const isKeyOf = sql`
    key.account_id = ${actor.accountId} and key.entity_type = ${literal} and key.field_id = asked.field_id`
  const holders = (code: 'PHONE' | 'EMAIL', test: Sql) => sql`
    select asked.place, key.entity_id
      from asked, lateral (select key.entity_id from field_texts key where ${isKeyOf} and ${test}
                            order by key.entity_id limit ${raw(String(most))}) key
     where asked.code = ${code}`
  return sql`
    asked as materialized (
      select * from json_to_recordset(${JSON.stringify(keys)}::json)
        as asked(place int, record_id bigint, field_id bigint, code text, key text, value text)
    ), found as materialized (
      ${holders('PHONE', sql`key.value ~ '^[0-9]+$' and right(key.value, 10) = asked.key`)}
      union all
      ${holders('EMAIL', sql`key.value = ${textKey(sql`asked.key`)}`)}
    )`
}

/** Other records of the type with one of the keys that the actor may view: those that share the most come first. */
export const duplicatesOf = (
  actor: Actor,
  type: MergedType,
  id: number,
  keys: SharedKey[],
  most: number,
): Sql => sql`
  with ${foundByKeys(actor, type, keys, mostWithKey)}
  select record.id, record.name,
         json_agg(json_build_object('field_code', asked.code, 'value', asked.value) order by asked.place) as shared
    from (select distinct place, entity_id from found where entity_id <> ${id}) found
    join asked on asked.place = found.place
   cross join lateral ${rowByKey(type, actor.accountId, sql`found.entity_id`)} record
   where not record.is_deleted and ${may(actor, type, 'view')}
   group by record.id, record.name
   order by count(*) desc, record.id limit ${most}`

/** The most records with one phone or e-mail that are looked at where duplicates are only counted. */
const mostCountedWithKey = 25

/** Of each record whose keys these are, the number of others with one of them that the actor may view. */
export const duplicateCounts = (actor: Actor, type: MergedType, keys: RecordKey[]): Sql => sql`
  with ${foundByKeys(actor, type, keys, mostCountedWithKey)}
  select found.record_id as id, count(*)::int as count
    from (select distinct asked.record_id, found.entity_id from found join asked on asked.place = found.place
           where found.entity_id <> asked.record_id) found
   cross join lateral ${rowByKey(type, actor.accountId, sql`found.entity_id`)} record
   where not record.is_deleted and ${may(actor, type, 'view')}
   group by found.record_id`

/** One record outside the bin: its values, and whether the actor may view it. */
export const oneForDuplicates = (actor: Actor, type: MergedType, id: number): Sql => sql`
  select record.custom_fields_values, ${may(actor, type, 'view')} as viewed from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted`

/** Of these records, those outside the bin that the actor may view, with their values. */
export const manyForDuplicates = (actor: Actor, type: MergedType, ids: number[]): Sql => sql`
  select record.id, record.custom_fields_values from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
     and ${may(actor, type, 'view')}`

/** Whether the actor may do what a merge takes to both records: no row for one that is not there. */
export const twoForPreview = (actor: Actor, type: MergedType, ids: number[]): Sql => sql`
  select record.id, ${may(actor, type, 'view')} as viewed, ${may(actor, type, 'edit')} as edited,
         ${may(actor, type, 'delete')} as deletable
    from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted`

/** Of each kind, so many are counted. */
const mostCounted = 1000

/** The numbers of links, notes, tasks, chats and elements that would go over to another record. */
export const countsOf = ({ accountId }: Actor, type: MergedType, id: number): Sql => {
  const few = raw(String(mostCounted))
  const count = (rows: Sql) => sql`(select count(*)::int from (${rows} limit ${few}) counted)`
  const linked = (to: string) =>
    count(
      sql`select from links where account_id = ${accountId} and from_type = ${type} and from_id = ${id} and to_type = ${to}`,
    )
  return sql`
    select ${linked('leads')} as leads, ${linked('customers')} as customers, ${linked('contacts')} as contacts,
           ${linked('companies')} as companies,
           ${count(sql`select from notes where account_id = ${accountId} and entity_type = ${type} and entity_id = ${id}
                                           and note_type <> 'entity_added'`)} as notes,
           ${count(sql`select from tasks where account_id = ${accountId} and entity_type = ${type} and entity_id = ${id}
                                           and not is_deleted`)} as tasks,
           ${
             type === 'contacts'
               ? count(
                   sql`select from chats where account_id = ${accountId} and contact_id = ${id}`,
                 )
               : sql`0`
           } as chats,
           ${count(sql`select from element_links where account_id = ${accountId} and entity_type = ${type} and entity_id = ${id}`)} as elements`
}
