// Verbs on the same contacts and companies wait for each other in one order: none is run again,
// none is refused.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addRecords, pathOf } from '../../../test/records.ts'
import { deleteRecord, restoreRecord } from '../../records/writing/bin.ts'
import type { Tx } from '../../database/connect.ts'
import { changeCompanies, createCompanies } from '../companies/companies.ts'
import { changeContacts, contacts, createContacts } from '../contacts/contacts.ts'
import { createLeads } from '../leads/leads.ts'
import { newFaults } from '../../http/batch.ts'
import { serverItself } from '../../access/standing.ts'

const batch = <Value extends object>(values: Value[]) => ({
  items: values.map((value, index) => ({ index, request_id: String(index), value })),
  faults: newFaults(),
})

test('creations that link the same records in opposite order, changes and deletions of them: nothing is run again', async () => {
  const account = await newAccount()
  const { database } = account.kontor
  const actor = { ...serverItself(account.id, account.kontor.now()), userId: account.admin.id }
  const people = await addRecords(
    account.api,
    'contacts',
    Array.from({ length: 10 }, () => ({})),
  )
  const firms = await addRecords(
    account.api,
    'companies',
    Array.from({ length: 10 }, () => ({})),
  )
  let attempts = 0
  const run = (work: (tx: Tx) => Promise<unknown>) =>
    database.transaction(async (tx) => {
      attempts++
      await work(tx)
    })
  const rounds = 8
  for (let round = 0; round < rounds; round++) {
    const [spare] = await addRecords(account.api, 'contacts', [{}])
    const [forward, back] = [people, people.toReversed()]
    const refer = (ids: number[]) => ids.map((id) => ({ id }))
    const newLeads = (ids: number[], firm: number[]) =>
      batch(firm.map((id) => ({ _embedded: { contacts: refer(ids), companies: [{ id }] } })))
    await Promise.all([
      run((tx) => createLeads(tx, actor, newLeads(forward, firms))),
      run((tx) => createLeads(tx, actor, newLeads(back, firms.toReversed()))),
      run((tx) =>
        createCompanies(
          tx,
          actor,
          batch(back.map((id) => ({ _embedded: { contacts: refer([id, people[0]!]) } }))),
        ),
      ),
      run((tx) =>
        createContacts(
          tx,
          actor,
          batch(firms.toReversed().map((id) => ({ _embedded: { companies: [{ id }] } }))),
        ),
      ),
      run((tx) =>
        changeContacts(tx, actor, batch(back.map((id) => ({ id, name: `round ${round}` })))),
      ),
      run((tx) =>
        changeCompanies(
          tx,
          actor,
          batch(firms.toReversed().map((id) => ({ id, name: `round ${round}` }))),
        ),
      ),
      run(async (tx) => {
        await deleteRecord(tx, actor, contacts, spare!)
        await restoreRecord(tx, actor, contacts, spare!)
      }),
    ])
  }
  expect(attempts).toBe(rounds * 7)
  const { count } = (await database.row<{ count: number }>(sql`
    select count(*) as count from links where account_id = ${account.id} and from_type = 'leads' and to_type = 'contacts'`))!
  expect(count).toBe(rounds * 2 * 10 * 10)
})

test('callers who link the same records in opposite order are all answered', async () => {
  const { api } = await newAccount()
  const people = await addRecords(
    api,
    'contacts',
    Array.from({ length: 20 }, () => ({})),
  )
  const firms = await addRecords(
    api,
    'companies',
    Array.from({ length: 5 }, () => ({})),
  )
  const calls = Array.from({ length: 24 }, (_, caller) => {
    const ids = (caller % 2 ? people : people.toReversed()).map((id) => ({ id }))
    const kind = caller % 3 ? 'leads' : 'companies'
    const firm = { companies: [{ id: firms[caller % 5] }] }
    return api.post(pathOf(kind), [
      { _embedded: { contacts: ids, ...(kind === 'leads' && firm) } },
      { _embedded: { contacts: ids } },
    ])
  })
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
})
