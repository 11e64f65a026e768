// How fast leads with custom fields are created in a large account. The new leads are deleted
// again, so that the next run of a kept account finds the same data.
import { format, open } from '../connection.ts'
import type { LargeAccount } from '../large/account.ts'
import { products } from '../large/fields.ts'
import { end } from '../large/records.ts'
import { connections } from './measure.ts'
import type { Setting } from './measure.ts'

export interface Created {
  connections: number
  recordsPerSecond: number
  /** Milliseconds per request. */
  p50: number
  p99: number
}

const batch = 250

export async function measureCreation(setting: Setting): Promise<Created[]> {
  const { account, session } = setting
  const { rows } = await session.query<{ last: string }>(
    'select max(id) as last from leads where account_id = $1',
    [account.id],
  )
  const last = Number(rows[0]!.last)
  try {
    return [await create(1, setting), await create(connections, setting)]
  } catch (error) {
    if (!setting.partial || !(error as Error).message.includes('HTTP/1.1 400')) throw error
    return []
  } finally {
    for (const [table, column, more] of [
      ['leads', 'id', ''],
      ...['field_numbers', 'field_texts', 'record_texts', 'notes', 'journal'].map((each) => [
        each,
        'entity_id',
        `and entity_type = 'leads'`,
      ]),
      ['events', 'entity_id', `and entity_type = 'lead'`],
    ])
      await session.query(`delete from ${table} where account_id = $1 and ${column} > $2 ${more}`, [
        account.id,
        last,
      ])
    await session.query('vacuum analyze')
  }
}

async function create(connections: number, { account, port, seconds }: Setting): Promise<Created> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const times: number[] = []
  const start = performance.now()
  let number = 0
  const drafts = () => Array.from({ length: batch }, () => draftOf(account, number++))
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < start + seconds * 2000) {
        const request = format(
          { method: 'POST', path: '/api/v4/leads', body: drafts() },
          account,
          port,
        )
        times.push((await client.ask(request)).time)
      }
    }),
  )
  const elapsed = performance.now() - start
  for (const client of clients) client.close()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!
  return {
    connections,
    recordsPerSecond: (times.length * batch * 1000) / elapsed,
    p50: at(0.5),
    p99: at(0.99),
  }
}

/** A lead with five values: two texts, a number, a choice and a day. */
function draftOf({ fields: { leads } }: LargeAccount, number: number): object {
  const value = (name: string, item: object) => ({ field_id: leads[name]!.id, values: [item] })
  return {
    name: `Order ${number} of the bench`,
    price: (number * 104_729) % 1_000_000,
    custom_fields_values: [
      value('Contract', { value: `B-${number}` }),
      value('Product', { value: products[number % products.length] }),
      value('Area', { value: (number * 7919) % 10_000_000 }),
      value('Region', { enum_id: leads['Region']!.enums[number % 8] }),
      value('Delivery', { value: end + (number % 90) * 86_400 }),
    ],
  }
}
