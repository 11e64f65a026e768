// Fills a large account like one of two years' use: a million leads with twenty custom fields, half
// as many contacts, a twentieth as many companies, links, five million events, notes. It is the
// same each time. `leads` scales all of it except rare values: `few` records have each
// (large/random.ts), so a request with few answers has as many in any account.
import pg from 'pg'
import type { Fields } from '../server/records/fields/definitions.ts'
import { types } from './large/account.ts'
import type { LargeAccount, Type } from './large/account.ts'
import { cell, copyInto } from './large/copy.ts'
import type { Copy } from './large/copy.ts'
import { eventColumns, historian, historySize, noteColumns } from './large/history.ts'
import { withoutIndexes } from './large/indexes.ts'
import { fieldsAs, indexedRow } from './large/kept.ts'
import { linkColumns, linkRows } from './large/links.ts'
import { makeCompany, makeContact, makeLead } from './large/records.ts'
import type { Made } from './large/records.ts'

const made: Record<Type, (account: LargeAccount, number: number) => Made> = {
  leads: makeLead,
  contacts: makeContact,
  companies: makeCompany,
}
const values = ['account_id', 'field_id', 'entity_type', 'value', 'entity_id']
const columns: Record<string, (account: LargeAccount) => string[]> = {
  leads: (account) => recordColumns(account, 'leads'),
  contacts: (account) => recordColumns(account, 'contacts'),
  companies: (account) => recordColumns(account, 'companies'),
  field_numbers: () => values,
  field_texts: () => values,
  record_texts: () => ['account_id', 'entity_type', 'entity_id', 'text', 'grams'],
  links: () => linkColumns,
  notes: () => noteColumns,
  events: () => eventColumns,
}
const tables = Object.keys(columns)

/** Rows that are made before the tables are asked whether they keep up. */
const together = 100

/**
 * Fills an account that `openLargeAccount` has made and whose months of the event log exist.
 * Meanwhile the tables lose their indexes; they get them back at the end. `say` gets the times.
 */
export async function fillLarge(
  url: string,
  account: LargeAccount,
  say: (line: string) => void,
): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  // The failing statement reports the error too.
  session.on('error', () => undefined)
  await session.connect()
  const start = performance.now()
  const log = (what: string) =>
    say(`${what}: ${((performance.now() - start) / 1000).toFixed(0)} s since the beginning`)
  try {
    await session.query(`set maintenance_work_mem = '1GB'`)
    await withoutIndexes(session, tables, say, async () => {
      await copyAll(url, session, account)
      log('rows')
    })
    log('indexes')
    for (const statement of ['vacuum (analyze, parallel 2)', 'checkpoint'])
      await session.query(statement)
    log('vacuum, statistics and checkpoint')
  } finally {
    await session.end()
  }
}

/**
 * One connection per table, so that the database's processes share the work and each table's rows
 * stay in order.
 */
async function copyAll(url: string, session: pg.Client, account: LargeAccount): Promise<void> {
  const first = await reserveHistory(session, account)
  const opened = await Promise.all(
    tables.map(
      async (table) => [table, await copyInto(url, table, columns[table]!(account))] as const,
    ),
  )
  const copies = Object.fromEntries(opened) as Record<string, Copy>
  const record = recorder(account, copies)
  const log = historian(account, first)
  const history = { events: copies['events']!.add, notes: copies['notes']!.add }
  for (let number = 0; number < account.counts.leads; number++) {
    for (const type of types) if (number < account.counts[type]) record(type, number)
    linkRows(account, number, copies['links']!.add)
    log(number, history)
    if (number % together === 0) await Promise.all(opened.map(([, copy]) => copy.ready()))
  }
  await Promise.all(opened.map(([, copy]) => copy.end()))
}

async function reserveHistory(
  session: pg.Client,
  account: LargeAccount,
): Promise<{ event: number; note: number }> {
  const { events, notes } = historySize(account)
  const { rows } = await session.query<{ event: string; note: string }>(
    `select setval('events_number', nextval('events_number') + $1) - $1 as event,
            setval('notes_id', nextval('notes_id') + $2) - $2 as note`,
    [events, notes],
  )
  return { event: Number(rows[0]!.event), note: Number(rows[0]!.note) }
}

/** Adds a record, the rows by which lists filter it, and its search text. */
function recorder(account: LargeAccount, copies: Record<string, Copy>) {
  const fields = Object.fromEntries(
    types.map((type) => [type, fieldsAs(account.fields[type])]),
  ) as Record<Type, Fields>
  const { field_numbers, field_texts, record_texts } = copies
  return (type: Type, number: number): void => {
    const { columns, names, values } = made[type](account, number)
    const id = account.first[type] + number
    const { column, numbers, texts, text, grams } = indexedRow(fields[type], names, values)
    copies[type]!.add(
      `${account.id}\t${id}\t${cell(column)}\t${Object.values(columns).map(cell).join('\t')}`,
    )
    for (const { field_id, value } of numbers)
      field_numbers!.add(`${account.id}\t${field_id}\t${type}\t${value}\t${id}`)
    for (const { field_id, value } of texts)
      field_texts!.add(`${account.id}\t${field_id}\t${type}\t${cell(value)}\t${id}`)
    record_texts!.add(`${account.id}\t${type}\t${id}\t${cell(text)}\t${cell(grams)}`)
  }
}

function recordColumns(account: LargeAccount, type: Type): string[] {
  return [
    'account_id',
    'id',
    'custom_fields_values',
    ...Object.keys(made[type](account, 0).columns),
  ]
}
