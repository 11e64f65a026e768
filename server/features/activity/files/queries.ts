import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { isNamed } from '../../../records/fields/files.ts'
import { authorRole } from '../../../outgoing/door.ts'
import type { AddressAuthor } from '../../../outgoing/door.ts'

/** A file as other features see it. */
export interface FileRow {
  id: number
  uid: string
  name: string
  /** The media type. */
  type: string
  /** Bytes. Until it is stored: what the sender said, or null. */
  size: number | null
  state: 'fetching' | 'stored' | 'failed'
}

/** A file as its uploader sees it. */
export interface SeenFile extends FileRow {
  /** Opens the file to the readers of a record that names it (files of fields). */
  version_uid: string
  error: string | null
  created_by: number
  created_at: number
}

type Author = Pick<Actor, 'accountId' | 'userId' | 'at'>

const columns = sql`id, uid, name, type, size, state`
const seen = sql`${columns}, version_uid, error, created_by, created_at`

/** An upload that begins. It counts as dead at `deadline` (milliseconds). */
export const insertUpload = (
  { accountId, userId, at }: Author,
  { name, type }: Pick<FileRow, 'name' | 'type'>,
  deadline: number,
): Sql => sql`
  insert into files (account_id, name, type, state, due_at, created_by, created_at)
  values (${accountId}, ${name}, ${type}, 'fetching', ${deadline}, ${userId}, ${at})
  returning id, uid`

export interface UploadKey {
  id: number
  uid: string
}

/** `at` in Unix seconds. */
export const finishUpload = (
  accountId: number,
  id: number,
  { type, size }: { type: string; size: number },
  at: number,
): Sql => sql`
  update files set state = 'stored', type = ${type}, size = ${size}, due_at = null, stored_at = ${at}
   where account_id = ${accountId} and id = ${id} and state = 'fetching' returning ${seen}`

/** Deletes the row of a file, whose bytes leave the total of the account. */
export const deleteFile = (accountId: number, id: number): Sql => sql`
  with gone as (
    delete from files where account_id = ${accountId} and id = ${id} returning state, size)
  update file_totals set bytes = greatest(0, bytes - gone.size)
    from gone where account_id = ${accountId} and gone.state = 'stored'`

/** The bytes of the stored files of an account; no row where there never were any. */
export const totalOf = (accountId: number): Sql => sql`
  select bytes from file_totals where account_id = ${accountId}`

/** The account with the most bytes of files. */
export const largestFiles: Sql = sql`
  select subdomain, bytes from file_totals join accounts on accounts.id = account_id order by bytes desc, id limit 1`

/** Adds bytes to the total of an account, which is held then; no row where they are beyond `most`. 0: no bound. */
export const addToTotal = (accountId: number, size: number, most: number): Sql => sql`
  insert into file_totals (account_id, bytes)
  select ${accountId}::bigint, ${size}::bigint where ${fits(sql`${size}::bigint`, most)}
  on conflict (account_id) do update set bytes = file_totals.bytes + excluded.bytes
   where ${fits(sql`file_totals.bytes + excluded.bytes`, most)}
  returning bytes`

const fits = (bytes: Sql, most: number): Sql =>
  sql`(${most}::bigint = 0 or ${bytes} <= ${most}::bigint)`

/** The uploads of a user that nothing refers to, and those that something has ceased to refer to. */
export const unreferredOf = ({
  accountId,
  userId,
}: Pick<Actor, 'accountId' | 'userId'>): Sql => sql`
  select coalesce(sum(size), 0)::bigint as bytes, count(*)::int as number from files
   where account_id = ${accountId} and created_by = ${userId} and state = 'stored' and source is null
     and (attached_at is null or released_at is not null)`

/** A file to fetch from `source`. */
export type NewFetch = Pick<FileRow, 'name' | 'type' | 'size'> & {
  source: string
  /** The user who wrote the address, or what stands for a channel (outgoing/door.ts). */
  source_by: number
}

/** Adds files to fetch, due at a time in milliseconds; answers their ids in the order of the rows. */
export const insertFetches = (
  { accountId, userId, at }: Author,
  files: NewFetch[],
  dueAt: number,
): Sql => sql`
  insert into files (account_id, id, name, type, size, state, source, source_by, due_at, created_by, created_at)
  select ${accountId}::bigint, id, name, type, size, 'fetching', source, source_by, ${dueAt}::bigint, ${userId}::bigint, ${at}::bigint
    from (select nextval('files_id') as id, draft.*
            from json_to_recordset(${JSON.stringify(files)}::json)
              as draft(name text, type text, size bigint, source text, source_by bigint)) draft
  returning id`

/** A file that the actor may see: an own upload or, for an administrator, any. */
export const fileOfActor = ({ accountId, userId, isAdmin }: Actor, id: number): Sql => sql`
  select ${seen} from files
   where account_id = ${accountId} and id = ${id} ${isAdmin ? empty : sql`and created_by = ${userId} and source is null`}`

export const filesOfIds = ({ accountId }: Pick<Actor, 'accountId'>, ids: number[]): Sql => sql`
  select ${columns} from files where account_id = ${accountId} and id = any(${ids}::bigint[])`

export const fileOfUid = (accountId: number, uid: string): Sql => sql`
  select ${columns} from files where account_id = ${accountId} and uid = ${uid}`

/** A stored file by its uid and its version. */
export const fileOfVersion = (accountId: number, uid: string, version: string): Sql => sql`
  select ${columns} from files
   where account_id = ${accountId} and uid = ${uid} and version_uid = ${version} and state = 'stored'`

/** Marks an own upload as attached, so that it is kept. No row: there is none. */
export const attachUpload = ({ accountId, userId, at }: Author, id: number): Sql => sql`
  update files set attached_at = coalesce(attached_at, ${at}), released_at = null
   where account_id = ${accountId} and id = ${id} and created_by = ${userId} and source is null and state = 'stored'
   returning ${columns}`

/** A file by its uid; `isOpen`: its signed address was sent, which opens it to everybody. */
export interface NamedFile {
  uid: string
  isOpen: boolean
}

/**
 * Marks stored files as attached, so that they are kept: those that are open, uploads of the actor
 * and, for an administrator, any upload. Answers them in the order of ids.
 */
export const attachNamed = (
  { accountId, userId, at, isAdmin }: Author & Pick<Actor, 'isAdmin'>,
  named: readonly NamedFile[],
): Sql => sql`
  with held as materialized (
    select id from files
     where account_id = ${accountId} and uid = any(${named.map(({ uid }) => uid)}::uuid[]) and state = 'stored'
       and (uid = any(${named.flatMap(({ uid, isOpen }) => (isOpen ? uid : []))}::uuid[])
            or (source is null and (${isAdmin}::boolean or created_by = ${userId})))
     order by id
       for update
  ), kept as (
    update files file set attached_at = coalesce(file.attached_at, ${at}), released_at = null
      from held
     where file.account_id = ${accountId} and file.id = held.id
    returning file.id, file.uid
  )
  select id, uid from kept order by id`

/** Says that something has ceased to refer to files. Others may still do. */
export const releaseOf = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  ids: number[],
): Sql => sql`
  update files set released_at = ${at} where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** A file to fetch, as a process has taken it. */
export interface Fetch {
  account_id: number
  id: number
  uid: string
  type: string
  source: string
  /** The number of the attempt, from 1. */
  attempts: number
  /** Who wrote the address. */
  role: AddressAuthor['role']
}

/**
 * Takes the files that are due the longest, at most `most` and, of an account, as many as may be
 * under way; accounts with fewer under way come first. Until `until` (milliseconds) no other process takes them. Each account is looked at by
 * itself, so the backlog of one is not read again and again.
 */
export const takeFetches = (
  nowMs: number,
  until: number,
  underWay: ReadonlyMap<number, number>,
  mostOfAccount: number,
  most: number,
): Sql => sql`
  with recursive account as (
    (select account_id as id from files where state = 'fetching' and source is not null
      order by account_id, due_at, id limit 1)
     union all
    select next.account_id from account cross join lateral (
      select account_id from files where state = 'fetching' and source is not null and account_id > account.id
       order by account_id, due_at, id limit 1) next),
  under_way as materialized (
    select * from unnest(${[...underWay.keys()]}::bigint[], ${[...underWay.values()]}::int[]) as under_way(account_id, number)),
  due as materialized (
    select first.account_id, first.id, first.due_at, coalesce(under_way.number, 0) as number
      from account
      left join under_way on under_way.account_id = account.id
      cross join lateral (
        select account_id, id, due_at from files file
         where state = 'fetching' and source is not null and file.account_id = account.id and due_at <= ${nowMs}
         order by file.account_id, due_at, id
         limit greatest(0, ${mostOfAccount}::int - coalesce(under_way.number, 0))) first
     order by number, first.due_at, first.account_id, first.id limit ${most}),
  held as materialized (
    select file.account_id, file.id from due
      cross join lateral (
        select account_id, id from files
         where account_id = due.account_id and id = due.id and state = 'fetching' and due_at <= ${nowMs}
           for update skip locked) file)
  update files file set attempts = attempts + 1, due_at = ${until}
    from held
   where file.account_id = held.account_id and file.id = held.id
   returning file.account_id, file.id, file.uid, file.type, file.source, file.attempts,
             ${authorRole(sql`file.account_id`, sql`coalesce(file.source_by, file.created_by)`)} as role`

/** An attempt ends only what it has taken: another process may have taken it since. */
const ofAttempt = ({ account_id, id, attempts }: Fetch): Sql => sql`
  account_id = ${account_id} and id = ${id} and state = 'fetching' and attempts = ${attempts}`

/** Whether the attempt still had the file, and whether the account had room for it. */
export interface FetchEnd {
  is_held: boolean
  is_kept: boolean
}

/**
 * Keeps a fetched file where the account has room for it: of the attempt alone, and nothing for one that
 * is no longer its own. `at` in Unix seconds, `most` bytes of the account.
 */
export const finishFetch = (
  fetch: Fetch,
  { type, size }: { type: string; size: number },
  at: number,
  most: number,
): Sql => sql`
  with held as materialized (
    select account_id, id from files where ${ofAttempt(fetch)} for update),
  total as (
    insert into file_totals (account_id, bytes)
    select account_id, ${size}::bigint from held where ${fits(sql`${size}::bigint`, most)}
    on conflict (account_id) do update set bytes = file_totals.bytes + excluded.bytes
     where ${fits(sql`file_totals.bytes + excluded.bytes`, most)}
    returning account_id),
  kept as (
    update files file set state = 'stored', type = ${type}, size = ${size}, due_at = null, error = null, stored_at = ${at}
      from held join total on total.account_id = held.account_id
     where file.account_id = held.account_id and file.id = held.id
    returning file.id)
  select exists (select from held) as is_held, exists (select from kept) as is_kept`

/** `dueAt` in milliseconds. An attempt that does not count is given back. */
export const postponeFetch = (
  fetch: Fetch,
  error: string | null,
  dueAt: number,
  isCounted: boolean,
): Sql => sql`
  update files set error = ${error}, due_at = ${dueAt}, attempts = attempts - ${isCounted ? 0 : 1}::int
   where ${ofAttempt(fetch)}`

export const failFetch = (fetch: Fetch, error: string): Sql => sql`
  update files set state = 'failed', error = ${error}, due_at = null where ${ofAttempt(fetch)}`

export interface AbandonedFile {
  account_id: number
  id: number
  uid: string
}

/** An upload that died (`nowMs`), or one that is stored since before `before` (seconds) for nothing. */
export const nextAbandoned = (nowMs: number, before: number): Sql => sql`
  select * from (
    select account_id, id, uid from files
     where state = 'fetching' and due_at <= ${nowMs} and source is null
     order by due_at limit 1 for update skip locked) dead
  union all select * from (
    select account_id, id, uid from files
     where state = 'stored' and source is null and attached_at is null and stored_at < ${before}
     order by stored_at limit 1 for update skip locked) unattached`

/** A file that something ceased to refer to before `before` (seconds), held. */
export const nextReleased = (before: number): Sql => sql`
  select account_id, id, uid from files
   where released_at < ${before} and state <> 'fetching'
   order by released_at limit 1 for update skip locked`

/** Whether a message, a note or a field of a record refers to a file. */
export const isReferredTo = ({ account_id, id }: AbandonedFile): Sql => sql`
  select exists (select from messages where account_id = ${account_id} and file_id = ${id})
      or exists (select from notes where account_id = ${account_id} and file_id = ${id})
      or exists (select from files file where file.account_id = ${account_id} and file.id = ${id} and ${isNamed(sql`file`)}) as answer`

export const keepReleased = ({ account_id, id }: AbandonedFile): Sql => sql`
  update files set released_at = null where account_id = ${account_id} and id = ${id}`
