// The judges of what another account may do: what they notice, and what they do not.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { openTraces, rowsOf, tracesIn } from './account-data.ts'
import { addLead } from './leads.ts'
import { addNote } from './notes.ts'

test('every written row shows, even one with the same values, and no read does', async () => {
  const account = await newAccount()
  const { api, id: account_id, kontor } = account
  const id = await addLead(api, { name: 'one', price: 5 })
  const write = (statement: ReturnType<typeof sql>) =>
    kontor.database.transaction((tx) => tx.rows(statement))
  const changed = async (work: () => Promise<unknown>) => {
    const before = await rowsOf(account)
    await work()
    const after = await rowsOf(account)
    return Object.keys(after).filter((table) => after[table] !== before[table])
  }
  expect(await changed(() => api.get(`/api/v4/leads/${id}`))).toEqual([])
  expect(await changed(() => addNote(api, 'leads', id))).toEqual(['events', 'journal', 'notes'])
  const lead = sql`account_id = ${account_id} and id = ${id}`
  expect(await changed(() => write(sql`update leads set price = price where ${lead}`))).toEqual([
    'leads',
  ])
  expect(
    await changed(() => write(sql`delete from notes where account_id = ${account_id}`)),
  ).toEqual(['notes'])
})

test('an answer gives away ids by their keys and links, names and secrets, but not what was sent', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const id = await addLead(account.api, {})
  const answered = (body: object) => ({ text: JSON.stringify(body), headers: {} })
  const found = async (of: TestAccount, body: object, sent = '') => {
    const traces = await openTraces(of, 'a mark')
    const now = await tracesIn(of, ['a mark'], sent, answered(body))
    expect(traces(sent, answered(body))).toEqual(now)
    return now
  }
  const bodies: [body: object, trace: string][] = [
    [{ responsible_user_id: account.admin.id }, `responsible_user_id ${account.admin.id}`],
    [{ _links: { self: { href: `http://x/api/v4/leads/${id}` } } }, `http://x/api/v4/leads/${id}`],
    [{ list: [{ entity_type: 'leads', entity_id: id }] }, `leads ${id}`],
    [{ to_entity_type: 'leads', to_entity_id: id }, `leads ${id}`],
    [{ account_id: account.id }, `account_id ${account.id}`],
    [{ name: 'of a mark' }, 'a mark'],
    [{ secret: account.integration.client_secret }, account.integration.client_secret],
  ]
  for (const [body, trace] of bodies) expect(await found(account, body)).toEqual([trace])
  for (const [body, trace] of bodies)
    expect(await found(other, body)).toEqual(trace === 'a mark' ? [trace] : [])
  expect(await found(account, { name: 'a mark' }, 'a mark')).toEqual([])
  expect(await found(account, { price: id, headers: account.admin.id })).toEqual([])
})
