// The custom fields of an account as records need them: to read values that are sent, to show those that are kept, to filter by them.
// They are few and change seldom, so each process remembers them. What it remembers is good while `accounts.fields_version` is the same:
// the number of the last transaction that changed them (`fieldsChanged`). Whoever shows records reads it with them, whoever writes values
// reads it in the same transaction. No word between processes is needed, and nobody sees an old name after a new one.
import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../database/connect.ts'
import type { EntityType } from '../../entity-types.ts'
import { addressParts } from './types.ts'
import type { FieldType } from './types.ts'

/** One of the choices of a list, or the kind of a phone or an address. */
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
  /** The choices, in their order; of types without choices none. */
  enums: Enum[]
}

/** The fields of one kind of record. */
export interface Fields {
  version: number
  /** IANA name of the account's time zone: days begin there. */
  timezone: string
  /** In the order of `sort`. */
  list: Field[]
  byId: ReadonlyMap<number, Field>
  byCode: ReadonlyMap<string, Field>
  /** Fields of any kind of record that were deleted and whose values are still being taken off the records. */
  gone: readonly number[]
}

/** The choices of a field by what values name them by; of several with one text the first. */
export interface Choices {
  byId: ReadonlyMap<number, Enum>
  byCode: ReadonlyMap<string, Enum>
  byValue: ReadonlyMap<string, Enum>
}

export function choicesOf(field: Field): Choices {
  let choices = indexed.get(field)
  if (!choices) {
    // Of equal keys a map keeps the last.
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

/** For records that have no values. */
export const noFields: Fields = {
  version: 0,
  timezone: 'UTC',
  list: [],
  byId: new Map(),
  byCode: new Map(),
  gone: [],
}

/** The number of the last transaction that changed the account's definitions, as a piece of a statement about the account's records. */
export const fieldsVersion = (accountId: number) =>
  sql`(select fields_version from accounts where id = ${accountId})`

/** The fields of a kind; `version` is the number that was read with the records they are for, else it is asked for. */
export async function fieldsOf(
  reader: Reader,
  accountId: number,
  type: EntityType,
  version?: number,
): Promise<Fields> {
  const key = `${accountId} ${type}`
  const current =
    version ??
    (await reader.row<{ version: number }>(sql`select ${fieldsVersion(accountId)} as version`))!
      .version
  const known = remembered.get(key)
  if (known?.version === current) return known
  const { isOwn, ...fields } = await readFields(reader, accountId, type)
  // What the reader's own transaction is changing may change once more under the same number, or never be.
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

/** To be called by a verb that changes definitions, before it reads them: one such verb at a time in an account. */
export async function fieldsChanged(tx: Tx, accountId: number): Promise<void> {
  await tx.rows(
    sql`update accounts set fields_version = pg_current_xact_id()::text::bigint where id = ${accountId}`,
  )
}

const remembered = new Map<string, Fields>()
/** Fields and choices remembered in all, about 200 bytes each; a kind without any counts for ten. */
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
  enums: Enum[] | null
}

interface Found {
  version: number
  isOwn: boolean
  timezone: string
  fields: Row[] | null
  gone: number[] | null
}

async function readFields(
  reader: Reader,
  accountId: number,
  type: EntityType,
): Promise<Fields & { isOwn: boolean }> {
  const found = (await reader.row<Found>(sql`
    select account.fields_version as version, account.timezone,
           coalesce(account.fields_version = pg_current_xact_id_if_assigned()::text::bigint, false) as "isOwn",
           (select json_agg(json_build_object('id', id, 'name', name, 'type', type, 'code', code, 'enums', enums) order by sort, id)
              from custom_fields where account_id = account.id and entity_type = ${type}) as fields,
           (select json_agg(field_id) from cleanups
             where account_id = account.id and field_id is not null and enum_ids is null) as gone
      from accounts account where account.id = ${accountId}`))!
  const list = (found.fields ?? []).map((row): Field => ({
    ...row,
    enums: row.type === 'smart_address' ? addressParts : (row.enums ?? []),
  }))
  return {
    version: found.version,
    isOwn: found.isOwn,
    timezone: found.timezone,
    list,
    byId: new Map(list.map((field) => [field.id, field])),
    byCode: new Map(
      list.flatMap((field) => (field.code === null ? [] : [[field.code, field] as const])),
    ),
    gone: found.gone ?? [],
  }
}
