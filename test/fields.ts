// Makes custom fields for tests of other features. No other helper writes definitions without the
// interface's own methods.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { fieldsChanged } from '../server/records/fields/definitions.ts'
import type { Enum, Field } from '../server/records/fields/definitions.ts'
import type { RecordType } from '../server/records/description.ts'
import { fieldTypes } from '../server/records/fields/types.ts'
import type { FieldType } from '../server/records/fields/types.ts'
import type { TestAccount } from './account.ts'
import type { Answer, Client } from './client.ts'
import { pathOf, readRecord } from './records.ts'

export interface FieldDraft {
  type: FieldType
  name?: string
  code?: string
  sort?: number
  /** Texts, or texts with codes. */
  enums?: (string | [value: string, code: string])[]
}

/** Adds definitions. Answers them in the order of the drafts. */
export function addFields(
  account: TestAccount,
  kind: RecordType,
  drafts: FieldDraft[],
): Promise<Field[]> {
  const rows = drafts.map((draft, index) => ({
    name: `Field ${index}`,
    sort: 500 + index,
    ...draft,
    enums: enumsOf(draft),
  }))
  return change(
    account,
    sql`insert into custom_fields (account_id, entity_type, name, type, code, sort, enums)
        select ${account.id}::bigint, ${kind}, name, type, code, sort,
               (select jsonb_agg(jsonb_build_object('id', nextval('custom_field_enums_id'), 'value', value, 'sort', sort, 'code', code) order by sort)
                  from jsonb_to_recordset(draft.enums) as each(value text, code text, sort int))
          from json_to_recordset(${JSON.stringify(rows)}::json)
            as draft(name text, type text, code text, sort int, enums jsonb)
        returning id, name, type, code, coalesce(enums, '[]') as enums`,
  )
}

export async function addField(
  account: TestAccount,
  kind: RecordType,
  draft: FieldDraft,
): Promise<Field> {
  const [field] = await addFields(account, kind, [draft])
  return field!
}

/**
 * One field of every type that a record type may have, and its predefined fields, by field type.
 */
export async function addEveryType(
  account: TestAccount,
  kind: RecordType,
): Promise<Record<FieldType, Field>> {
  const enums = { select: choices, multiselect: choices, radiobutton: choices }
  const types = (Object.keys(fieldTypes) as FieldType[]).filter((type) =>
    fieldTypes[type].on.some((each) => each === kind),
  )
  const drafts = types.map((type) => ({
    type,
    name: `A ${type}`,
    ...(type in enums && { enums: choices }),
  }))
  const fields = [
    ...(await firstFields(account, kind)),
    ...(await addFields(account, kind, drafts)),
  ]
  // The record type declares every field type; one that the record type lacks is undefined.
  return Object.fromEntries(fields.map((field) => [field.type, field])) as unknown as Record<
    FieldType,
    Field
  >
}

const choices: FieldDraft['enums'] = ['North', ['South', 'south'], 'East']

/** The fields that a new account has. */
export async function firstFields(account: TestAccount, kind: RecordType): Promise<Field[]> {
  await change(
    account,
    sql`select give_first_fields(id) from accounts where id = ${account.id}
           and not exists (select from custom_fields where account_id = accounts.id and is_predefined)`,
  )
  return account.kontor.database.rows<Field>(sql`
    select id, name, type, code, coalesce(enums, '[]') as enums from custom_fields
     where account_id = ${account.id} and entity_type = ${kind} and is_predefined order by sort`)
}

export async function changeField(
  account: TestAccount,
  kind: RecordType,
  changed: Pick<Field, 'id'> & Partial<Field>,
) {
  const { id, name = null, code = null, enums = null } = changed
  await change(
    account,
    sql`update custom_fields
           set name = coalesce(${name}, name), code = coalesce(${code}, code), enums = coalesce(${JSON.stringify(enums)}::jsonb, enums)
         where account_id = ${account.id} and entity_type = ${kind} and id = ${id}`,
  )
}

/** Deletes a field as the interface does. The background later removes its values from records. */
export async function deleteField(
  account: TestAccount,
  kind: RecordType,
  id: number,
): Promise<void> {
  await change(
    account,
    sql`with gone as (
          delete from custom_fields where account_id = ${account.id} and entity_type = ${kind} and id = ${id}
          returning account_id, entity_type, id
        )
        insert into cleanups (account_id, entity_type, field_id) select account_id, entity_type, id from gone`,
  )
}

/** Sets the account's timezone: its days begin at midnight there. */
export async function moveTo(account: TestAccount, timezone: string): Promise<void> {
  await change(account, sql`update accounts set timezone = ${timezone} where id = ${account.id}`)
}

/** `custom_fields_values` for a field by its id. */
export const valueOf = ({ id }: Pick<Field, 'id'>, ...values: unknown[]) => ({
  field_id: id,
  values,
})

/** A field with values, as answers show it. */
export function shownAs({ id, name, code, type }: Field, ...values: object[]) {
  return { field_id: id, field_name: name, field_code: code, field_type: type, values }
}

/** A choice, as answers show it. */
export const chosen = ({ id, value, code }: Enum) => ({ value, enum_id: id, enum_code: code })

export async function readFilled(api: Client, kind: RecordType, id: number) {
  return (await readRecord(api, kind, id)).custom_fields_values
}

export function fill(
  api: Client,
  kind: RecordType,
  id: number,
  ...custom_fields_values: object[]
): Promise<Answer> {
  return api.patch(`${pathOf(kind)}/${id}`, { custom_fields_values })
}

function enumsOf({ enums = [] }: FieldDraft) {
  return enums.map((each, index) => {
    const [value, code = null] = typeof each === 'string' ? [each] : each
    return { value, code, sort: index + 1 }
  })
}

function change<Row extends object>({ id, kontor }: TestAccount, statement: Sql): Promise<Row[]> {
  return kontor.database.transaction(async (tx) => {
    await fieldsChanged(tx, id)
    return tx.rows<Row>(statement)
  })
}
