// The definitions of an account's custom fields, as records need them to read, render and filter
// values. Each process caches them while `accounts.fields_version` stays the same: the number of
// the last transaction that changed them (`fieldsChanged`). Reads fetch it together with the
// records, writes in their own transaction, so that no old name is shown after a new one.
import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../database/connect.ts'
import type { FieldOwner } from '../../entity-types.ts'
import type { DayZones } from './days.ts'
import { addressParts } from './types.ts'
import type { FieldType } from './types.ts'

/** A choice of a list, or the label of a phone or of an address part. */
export interface Enum {
  id: number
  value: string
  sort: number
  code: string | null
}

export interface Field {
  id: number
  name: string
  type: FieldType
  code: string | null
  /** Whether a new element of a catalog needs a value. */
  isRequired: boolean
  /** The choices in their order, of all levels of a tree; empty for types without choices. */
  enums: Enum[]
  /** Where a linked entity stands: contacts, companies, both, or the id of a catalog. */
  searchIn?: string | null
}

/** The custom fields of one entity type or catalog. */
export interface Fields extends DayZones {
  version: number
  /** In the order of `sort`. */
  list: Field[]
  byId: ReadonlyMap<number, Field>
  byCode: ReadonlyMap<string, Field>
  /** Deleted fields of any entity type whose values are still being removed from records. */
  gone: readonly number[]
}

/** The choices of a field by id, code and text; the first of several with the same text. */
export interface Choices {
  byId: ReadonlyMap<number, Enum>
  byCode: ReadonlyMap<string, Enum>
  byValue: ReadonlyMap<string, Enum>
}

export function choicesOf(field: Field): Choices {
  let choices = indexed.get(field)
  if (!choices) {
    // A map keeps the last of equal keys.
    const enums = field.enums.toReversed()
    choices = {
      byId: new Map(enums.map((each) => [each.id, each])),
      byCode: new Map(
        enums.flatMap((each) => (each.code === null ? [] : [[each.code, each] as const])),
      ),
      byValue: new Map(enums.map((each) => [each.value, each])),
    }
    indexed.set(field, choices)
  }
  return choices
}

const indexed = new WeakMap<Field, Choices>()

/** The definitions for records without values. */
export const noFields: Fields = {
  version: 0,
  timezone: 'UTC',
  storedTimezone: 'UTC',
  list: [],
  byId: new Map(),
  byCode: new Map(),
  gone: [],
}

/**
 * The number of the last transaction that changed the account's definitions, as an expression for
 * statements that read its records.
 */
export const fieldsVersion = (accountId: number) =>
  sql`(select fields_version from accounts where id = ${accountId})`

/**
 * The fields of an entity type. `version` is the number read together with the records; without it,
 * the version is read first.
 */
export async function fieldsOf(
  reader: Reader,
  accountId: number,
  type: FieldOwner,
  version?: number,
): Promise<Fields> {
  const key = `${reader.source} ${accountId} ${type}`
  const current =
    version ??
    (await reader.row<{ version: number }>(sql`select ${fieldsVersion(accountId)} as version`))!
      .version
  const known = remembered.get(key)
  if (known?.version === current) return known
  const { isOwn, ...fields } = await readFields(reader, accountId, type)
  // The reader's own transaction changed these fields: it may change them again under the same
  // number, or roll back.
  if (isOwn) return fields
  forget(key)
  remembered.set(key, fields)
  weight += weightOf(fields)
  for (const oldest of remembered.keys()) {
    if (weight <= heaviest) break
    forget(oldest)
  }
  return fields
}

/**
 * The fields by which waiting drafts are read. Their days are bare dates; those of a Kontor of
 * before are as they were sent, for the zone of that time (decision 91).
 */
export const fieldsOfDrafts = (fields: Fields): Fields =>
  fields.timezone === fields.storedTimezone
    ? fields
    : { ...fields, timezone: fields.storedTimezone }

/**
 * Marks the definitions as changed. A verb that changes definitions calls this before it reads
 * them, which also makes such verbs of one account wait for each other.
 */
export async function fieldsChanged(tx: Tx, accountId: number): Promise<void> {
  await tx.rows(
    sql`update accounts set fields_version = pg_current_xact_id()::text::bigint where id = ${accountId}`,
  )
}

/**
 * A verb that stores values of the fields of a type calls this before the definitions are read: until the
 * transaction ends, no choice of theirs leaves by `holdChoices`, and what has left is seen.
 */
export const keepChoices = (accountId: number, type: FieldOwner) =>
  sql`select pg_advisory_xact_lock_shared(${choicesOfType(accountId, type)})`

/**
 * Waits for all who are storing values of the fields of a type; others wait until the transaction
 * ends. They may have locked records: the caller waits for none from then on.
 */
export const holdChoices = (accountId: number, type: FieldOwner) =>
  sql`select pg_advisory_xact_lock(${choicesOfType(accountId, type)})`

const choicesOfType = (accountId: number, type: FieldOwner) =>
  sql`hashtextextended(${`kontor choices of ${type}`}, ${accountId}::bigint)`

const remembered = new Map<string, Fields>()
/** The most fields and choices cached in all, about 200 bytes each; an entity type adds ten. */
const heaviest = 200_000
let weight = 0

function weightOf({ list }: Fields): number {
  return list.reduce((sum, { enums }) => sum + 1 + enums.length, 10)
}

function forget(key: string): void {
  const known = remembered.get(key)
  if (!known) return
  remembered.delete(key)
  weight -= weightOf(known)
}

interface Row extends Omit<Field, 'enums'> {
  /** A category has no code. */
  enums: (Omit<Enum, 'code'> & Partial<Enum>)[] | null
}

interface Definitions extends DayZones {
  version: number
  isOwn: boolean
  fields: Row[] | null
  gone: number[] | null
}

async function readFields(
  reader: Reader,
  accountId: number,
  type: FieldOwner,
): Promise<Fields & { isOwn: boolean }> {
  const definitions = (await reader.row<Definitions>(sql`
    select account.fields_version as version, account.timezone, account.stored_timezone as "storedTimezone",
           coalesce(account.fields_version = pg_current_xact_id_if_assigned()::text::bigint, false) as "isOwn",
           (select json_agg(json_build_object('id', id, 'name', name, 'type', type, 'code', code, 'isRequired', is_required, 'enums', coalesce(enums, nested), 'searchIn', search_in) order by sort, id)
              from custom_fields where account_id = account.id and entity_type = ${type}) as fields,
           (select json_agg(field_id) from cleanups
             where account_id = account.id and field_id is not null and enum_ids is null) as gone
      from accounts account where account.id = ${accountId}`))!
  const list = (definitions.fields ?? []).map((row): Field => ({
    ...row,
    enums:
      row.type === 'smart_address'
        ? addressParts
        : (row.enums ?? []).map(({ code = null, ...rest }) => ({ ...rest, code })),
  }))
  return {
    version: definitions.version,
    isOwn: definitions.isOwn,
    timezone: definitions.timezone,
    storedTimezone: definitions.storedTimezone,
    list,
    byId: new Map(list.map((field) => [field.id, field])),
    byCode: new Map(
      list.flatMap((field) => (field.code === null ? [] : [[field.code, field] as const])),
    ),
    gone: definitions.gone ?? [],
  }
}
