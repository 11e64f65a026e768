// The files that fields of records name (docs/decisions/0083-values-that-name.md). A file stays as long
// as something refers to it, so the verbs of records say which files they name, and which no more.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { Tx } from '../../database/connect.ts'
import type { Fields } from './definitions.ts'
import { fileOf } from './values.ts'
import type { KeptValues } from './values.ts'

/** The values of a record around a change; null before it was made, and after it is gone. */
export interface ValuesChange {
  before: KeptValues
  after: KeptValues
}

/**
 * Keeps the stored files that records name from now on, and lets go of those that they name no more.
 * Uids of other drives name nothing here. Costs a statement only where files are named.
 */
export async function followFiles(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'at'>,
  fields: Fields,
  changes: readonly ValuesChange[],
): Promise<void> {
  const ofFiles = fields.list.filter(({ type }) => type === 'file')
  if (ofFiles.length === 0) return
  const uidsOf = (values: KeptValues) =>
    ofFiles.flatMap(({ id }) => (values?.[id] ?? []).map((kept) => fileOf(kept)))
  const named = new Set(
    changes.flatMap(({ before, after }) => without(uidsOf(after), uidsOf(before))),
  )
  const left = new Set(
    changes.flatMap(({ before, after }) => without(uidsOf(before), uidsOf(after))),
  )
  if (named.size + left.size > 0) await tx.rows(keepNamed(actor, [...named], [...left]))
}

const without = (uids: string[], others: string[]) => uids.filter((uid) => !others.includes(uid))

/** A file that is let go stays for a week, and for good where something else refers to it. */
const keepNamed = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  named: string[],
  left: string[],
): Sql => sql`
  update files
     set attached_at = coalesce(attached_at, ${at}),
         released_at = case when uid = any(${named}::uuid[]) then null else ${at}::bigint end
   where account_id = ${accountId} and uid = any(${[...new Set([...named, ...left])]}::uuid[]) and state = 'stored'`

/**
 * Lets go of files in the statement that deletes index rows of a whole field: `dropped` names rows of
 * `field_texts`. Rows of other types of fields have texts, and a text that is a uid lets go of nothing
 * that something still refers to.
 */
export const letGoOf = (accountId: number, dropped: Sql): Sql => sql`
  update files set released_at = ${Math.floor(Date.now() / 1000)}::bigint
   where account_id = ${accountId} and state = 'stored'
     and uid = any(array(select value::uuid from ${dropped} where value ~ ${uuid}))`

const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * Whether a record names a file: a condition over the columns of `file`, a row of `files`. The index
 * rows of its fields say it, also for records in the bin.
 */
export const isNamed = (file: Sql): Sql => sql`
  exists (select from custom_fields field
            join field_texts named on named.account_id = field.account_id and named.field_id = field.id
                                  and named.entity_type = field.entity_type and named.value = ${file}.uid::text
           where field.account_id = ${file}.account_id and field.type = 'file')`
