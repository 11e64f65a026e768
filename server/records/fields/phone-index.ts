// Indexes the phones again that a Kontor of before has indexed by all their digits, in the background,
// a thousand index rows at a time. The rows of the index are walked, not the records, so that rows
// which no value of a record asks for any more go too. Any process may resume it.
import sql, { raw } from 'sql-template-tag'
import { othersEnded, workInBackground } from '../../changes/background.ts'
import type { Database, Tx } from '../../database/connect.ts'
import type { App, Kontor } from '../../kontor.ts'
import { gramForm } from '../search/text.ts'
import { searchTextOf } from '../search/search-index.ts'
import { fieldsOf } from './definitions.ts'
import { textKey } from './field-index.ts'
import { digitsOf } from './phones.ts'
import { keysOf, markOf, searchLines } from './values.ts'
import type { Kept } from './values.ts'

/** Index rows that are looked at in one transaction. */
const rowsAtOnce = 1000

export function indexPhonesInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel: 'kontor_phones',
    failure: 'phones could not be indexed again',
    finish: indexPhones,
  })
}

interface Waiting {
  account_id: number
  entity_type: 'contacts' | 'companies'
  field_id: number
  done_value: string
  done_to: number
}

/** Indexes the phones of all accounts that wait for it. Answers whether all of it is done. */
export async function indexPhones(database: Database, isStopped = () => false): Promise<boolean> {
  const waiting = await database.rows<Waiting>(
    sql`select * from phones_to_index order by account_id, entity_type`,
  )
  if (waiting.length === 0) return true
  // Transactions that are open may still write index rows as before.
  if (!(await othersEnded(database, isStopped))) return false
  for (const each of waiting)
    for (let isLeft = true; isLeft;) {
      if (isStopped()) return false
      isLeft = await database.transaction((tx) => indexChunk(tx, each))
    }
  const [left] = await database.rows(sql`select from phones_to_index limit 1`)
  return left === undefined
}

/** Answers whether there may be more; not where another process has the field. */
async function indexChunk(tx: Tx, { account_id, entity_type }: Waiting): Promise<boolean> {
  const ofType = sql`account_id = ${account_id} and entity_type = ${entity_type}`
  const [field] = await tx.list<Waiting>(
    sql`select * from phones_to_index where ${ofType} for update skip locked`,
  )
  if (!field) return false
  const { field_id, done_value, done_to } = field
  const rows = await tx.list<{ value: string; entity_id: number }>(sql`
    select value, entity_id from field_texts
     where ${ofType} and field_id = ${field_id} and (value, entity_id) > (${done_value}::text, ${done_to}::bigint)
     order by value, entity_id limit ${rowsAtOnce}`)
  const last = rows.at(-1)
  if (!last) {
    await tx.list(sql`delete from phones_to_index where ${ofType}`)
    return false
  }
  await indexAgain(tx, field, rows)
  await tx.list(
    sql`update phones_to_index set done_value = ${last.value}, done_to = ${last.entity_id} where ${ofType}`,
  )
  return true
}

async function indexAgain(
  tx: Tx,
  { account_id, entity_type, field_id }: Waiting,
  rows: { value: string; entity_id: number }[],
): Promise<void> {
  const fields = await fieldsOf(tx, account_id, entity_type)
  const ids = [...new Set(rows.map(({ entity_id }) => entity_id))]
  const records = await tx.list<{ id: number; phones: Kept[] | null }>(sql`
    select id, custom_fields_values -> ${String(field_id)} as phones from ${raw(entity_type)}
     where account_id = ${account_id} and id = any(${ids}::bigint[]) order by id for no key update`)
  const indexed = records.map(({ id, phones }) => {
    const values = { [field_id]: phones ?? [] }
    const keys = keysOf(fields, values).texts.map(({ value }) => value)
    const isOther = (phones ?? []).some((kept) => {
      const [text] = kept as [string, number]
      return digitsOf(text) !== '' && !keys.includes(digitsOf(text))
    })
    return { id, keys, isOther, lines: searchLines(fields, values) }
  })
  await tx.list(sql`
    with wanted as materialized (
      select distinct record.id, ${textKey(sql`key.value`)} as value
        from json_to_recordset(${JSON.stringify(indexed)}::json) as record(id bigint, keys json),
             json_array_elements_text(record.keys) as key(value)
    ), gone as (
      delete from field_texts gone using json_to_recordset(${JSON.stringify(rows)}::json) as seen(value text, entity_id bigint)
       where gone.account_id = ${account_id} and gone.field_id = ${field_id} and gone.entity_type = ${entity_type}
         and gone.value = seen.value and gone.entity_id = seen.entity_id
         and not exists (select from wanted where wanted.id = seen.entity_id and wanted.value = seen.value)
    )
    insert into field_texts (account_id, field_id, entity_type, value, entity_id)
    select ${account_id}::bigint, ${field_id}::bigint, ${entity_type}, value, id from wanted
    on conflict do nothing`)
  const others = new Map(indexed.filter(({ isOther }) => isOther).map((each) => [each.id, each]))
  if (others.size === 0) return
  const texts = await tx.list<{ id: number; text: string }>(sql`
    select entity_id as id, text from record_texts
     where account_id = ${account_id} and entity_type = ${entity_type} and entity_id = any(${[...others.keys()]}::bigint[])`)
  const mark = markOf(field_id)
  const searched = texts.map(({ id, text: before }) => {
    const kept = before.split('\n').filter((line) => !line.startsWith(mark))
    const text = searchTextOf([...kept, ...others.get(id)!.lines])
    return { id, text, grams: gramForm(text) }
  })
  await tx.list(sql`
    update record_texts set text = searched.text, grams = searched.grams
      from json_to_recordset(${JSON.stringify(searched)}::json) as searched(id bigint, text text, grams text)
     where account_id = ${account_id} and entity_type = ${entity_type} and entity_id = searched.id`)
}
