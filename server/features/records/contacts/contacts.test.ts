// The names of contacts: one full name, joined from two parts where only those are sent (interface:
// Contact). Tests that contacts share with companies are in server/records.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { addRecord, readRecord } from '../../../../test/records.ts'

const path = '/api/v4/contacts'

type Names = [name: string, first_name: string, last_name: string]

/** An account that shows the first name first, or second. */
async function accountWith(order: 1 | 2) {
  const account = await newAccount()
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update accounts set contact_name_display_order = ${order} where id = ${account.id}`,
    ),
  )
  const names = async (id: number): Promise<Names> => {
    const { name, first_name, last_name } = await readRecord(account.api, 'contacts', id)
    return [name, first_name, last_name]
  }
  return { ...account, names }
}

test.for<[draft: object, order: 1 | 2, expected: Names]>([
  [{}, 1, ['', '', '']],
  [{ name: ' Ann Lee ' }, 1, ['Ann Lee', '', '']],
  [{ first_name: ' Ann ', last_name: ' Lee ' }, 1, ['Ann Lee', 'Ann', 'Lee']],
  [{ first_name: 'Ann', last_name: 'Lee' }, 2, ['Lee Ann', 'Ann', 'Lee']],
  [{ first_name: 'Ann' }, 1, ['Ann', 'Ann', '']],
  [{ last_name: 'Lee' }, 2, ['Lee', '', 'Lee']],
  [{ first_name: '', last_name: ' ' }, 1, ['', '', '']],
  [{ name: 'The boss', first_name: 'Ann', last_name: 'Lee' }, 1, ['The boss', 'Ann', 'Lee']],
  [{ name: '', first_name: 'Ann' }, 1, ['', 'Ann', '']],
])('a contact created with %j, order %i, is called %j', async ([draft, order, expected]) => {
  const { api, names } = await accountWith(order)
  expect(await names(await addRecord(api, 'contacts', draft))).toEqual(expected)
})

test.for<[change: object, order: 1 | 2, expected: Names]>([
  [{ first_name: 'Bea' }, 1, ['Bea Lee', 'Bea', 'Lee']],
  [{ last_name: 'Moe' }, 2, ['Moe Ann', 'Ann', 'Moe']],
  [{ first_name: '' }, 1, ['Lee', '', 'Lee']],
  [{ first_name: '', last_name: '' }, 1, ['', '', '']],
  [{ name: 'The boss' }, 1, ['The boss', 'Ann', 'Lee']],
  [{ name: 'The boss', first_name: 'Bea' }, 1, ['The boss', 'Bea', 'Lee']],
  // A name that is sent back unchanged does not prevent joining the parts.
  [{ name: 'Ann Lee', first_name: 'Bea', last_name: 'Lee' }, 1, ['Bea Lee', 'Bea', 'Lee']],
  [{ first_name: 'Ann', last_name: 'Lee' }, 2, ['Ann Lee', 'Ann', 'Lee']],
])('Ann Lee changed by %j, order %i, is called %j', async ([change, order, expected]) => {
  const { api, names } = await accountWith(order)
  const id = await addRecord(api, 'contacts', {
    name: 'Ann Lee',
    first_name: 'Ann',
    last_name: 'Lee',
  })
  expect((await api.patch(`${path}/${id}`, change)).status).toBe(200)
  expect(await names(id)).toEqual(expected)
})

test('two items for one contact in a batch build its name one after the other', async () => {
  const { api, names } = await accountWith(2)
  const id = await addRecord(api, 'contacts', { name: 'Nobody' })
  await api.patch(path, [
    { id, first_name: 'Ann' },
    { id, last_name: 'Lee' },
  ])
  expect(await names(id)).toEqual(['Lee Ann', 'Ann', 'Lee'])
})

test('a name of two parts at their longest can be read and sent back', async () => {
  const account = await accountWith(1)
  const [first_name, last_name] = ['ж'.repeat(255), 'y'.repeat(255)]
  const id = await addRecord(account.api, 'contacts', { first_name, last_name })
  const contact = await readRecord(account.api, 'contacts', id)
  expect(contact.name).toBe(`${first_name} ${last_name}`)
  const newsSince = await listen(account)
  expect((await account.api.patch(`${path}/${id}`, contact)).status).toBe(200)
  expect(await newsSince()).toEqual({ journal: [], events: [] })
  const { body } = await account.api.get(
    `${path}?filter[name]=${encodeURIComponent(contact.name.toUpperCase())}`,
  )
  expect(body._embedded.contacts).toHaveLength(1)
})

test('parts that are too long or no text are refused and named', async () => {
  const { api } = await newAccount()
  const refused = await api.post(path, [
    { first_name: 'x'.repeat(256) },
    { first_name: 5, last_name: {} },
    { name: 'x'.repeat(512) },
  ])
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    {
      0: ['TooLong first_name'],
      1: ['InvalidType first_name', 'InvalidType last_name'],
      2: ['TooLong name'],
    },
  ])
})

test('a part tells of the name that it made, and is told to followers', async () => {
  const account = await accountWith(1)
  const id = await addRecord(account.api, 'contacts', { first_name: 'Ann', last_name: 'Lee' })
  const newsSince = await listen(account)
  await account.api.patch(`${path}/${id}`, { first_name: 'Bea' })
  await account.api.patch(`${path}/${id}`, { name: 'The boss', first_name: 'Cleo' })
  await account.api.patch(`${path}/${id}`, {
    name: 'The boss',
    last_name: 'Moe',
    first_name: 'Cleo',
  })
  const { journal, events } = await newsSince()
  expect(
    journal.map(({ before, after }) => [before, after['name'], after['last_name']]),
  ).toMatchObject([
    [{ name: 'Ann Lee', first_name: 'Ann' }, 'Bea Lee', 'Lee'],
    [{ name: 'Bea Lee', first_name: 'Bea' }, 'The boss', 'Lee'],
    [{ name: 'The boss', last_name: 'Lee' }, 'Cleo Moe', 'Moe'],
  ])
  expect(
    events.map(({ type, value_after }) => [type, value_after[0].name_field_value.name]),
  ).toEqual([
    ['name_field_changed', 'Bea Lee'],
    ['name_field_changed', 'The boss'],
    ['name_field_changed', 'Cleo Moe'],
  ])
})
