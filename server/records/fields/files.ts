// The files that fields of records name (docs/decisions/0083-values-that-name.md). A file stays as long
// as something refers to it, so the verbs of records say which files they name, and which no more.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { Tx } from '../../database/connect.ts'
import { isUuid } from '../../http/types.ts'
import type { Fields } from './definitions.ts'
import type { SentValues } from './schema.ts'
import { fileOf } from './values.ts'
import type { Kept, KeptValues } from './values.ts'

/** The versions of uploads whose uid alone is enough for the writer of a body; by uid, in small letters. */
export type Versions = ReadonlyMap<string, string>

export const noVersions: Versions = new Map()

interface SentFields {
  custom_fields_values?: SentValues | null
}

/**
 * The versions of the files that items name without one: of uploads of the actor, and for an
 * administrator of any upload. Costs a statement only where there are such items.
 */
export async function versionsFor(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId' | 'isAdmin'>,
  items: readonly SentFields[],
): Promise<Versions> {
  const uids = new Set(items.flatMap((item) => filesIn(item).filter(lacksVersion).map(fileOf)))
  if (uids.size === 0) return noVersions
  const rows = await tx.rows<{ uid: string; version_uid: string }>(ownVersions(actor, [...uids]))
  return new Map(rows.map(({ uid, version_uid }) => [uid, version_uid]))
}

const ownVersions = (
  { accountId, userId, isAdmin }: Pick<Actor, 'accountId' | 'userId' | 'isAdmin'>,
  uids: string[],
): Sql => sql`
  select uid, version_uid from files
   where account_id = ${accountId} and uid = any(${uids}::uuid[]) and state = 'stored' and source is null
     and (${isAdmin}::boolean or created_by = ${userId})`

interface FileValue {
  [key: string]: unknown
  file_uuid: string
  version_uuid?: string | null
}

/** What may be a value of a file in a body that has not been checked yet. */
function filesIn({ custom_fields_values }: SentFields): FileValue[] {
  const values = (custom_fields_values ?? []).flatMap(({ values }) =>
    Array.isArray(values) ? values.map(({ value }) => value) : [],
  )
  return values.filter(isFile)
}

const isFile = (value: unknown): value is FileValue =>
  typeof value === 'object' &&
  value !== null &&
  'file_uuid' in value &&
  typeof value.file_uuid === 'string' &&
  isUuid(value.file_uuid)

const lacksVersion = ({ version_uuid = null }: FileValue): boolean => version_uuid === null

/**
 * The values of an item, each file with the version that its writer sent, that `versions` has, or that
 * the same field of the record had. Any other has null, and opens nothing.
 */
export function withVersions(
  fields: Fields,
  sent: ReadonlyMap<number, Kept[]>,
  versions: Versions,
  before: KeptValues,
): ReadonlyMap<number, Kept[]> {
  const whole = [...sent].filter(([id]) => fields.byId.get(id)?.type === 'file')
  if (whole.length === 0) return sent
  const versioned = whole.map(([id, values]): [number, Kept[]] => {
    const had = (before?.[id] ?? []) as FileValue[]
    return [id, values.map((kept) => withVersion(kept as FileValue, versions, had))]
  })
  return new Map([...sent, ...versioned])
}

function withVersion(
  value: FileValue,
  versions: Versions,
  had: readonly FileValue[] = [],
): FileValue {
  if (!lacksVersion(value)) return value
  const uid = fileOf(value)
  const version_uuid =
    versions.get(uid) ?? had.find((kept) => fileOf(kept) === uid)?.version_uuid ?? null
  return { ...value, version_uuid }
}

/** Items that are kept as they were sent, each file with its version: who sent them is forgotten. */
export function sentWithVersions<Item extends SentFields>(
  items: readonly Item[],
  versions: Versions,
): Item[] {
  return items.map((item) => {
    if (filesIn(item).every((file) => !lacksVersion(file))) return item
    const custom_fields_values = item.custom_fields_values!.map((field) =>
      Array.isArray(field.values)
        ? {
            ...field,
            values: field.values.map((each) =>
              isFile(each.value) ? { ...each, value: withVersion(each.value, versions) } : each,
            ),
          }
        : field,
    )
    return { ...item, custom_fields_values }
  })
}

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
