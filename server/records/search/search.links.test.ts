// A search is correct right after every write, and follows links only to records that the user may
// view.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { deleteField } from '../../../test/fields.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { allWays, within } from '../../../test/lists/ways.ts'
import type { Bounds } from '../../../test/lists/ways.ts'
import { addRecord, addRecords, allKinds, find, pathOf } from '../../../test/records.ts'
import type { RecordType } from '../description.ts'

/** Bounds that make a search take each of its ways. */
const ways: [way: (typeof allWays)[number], Partial<Bounds>][] = [
  ['driven', {}],
  ['window', { few: 0 }],
  ['middle', { few: 0, costlyWindowRows: 0 }],
  ['plain', { few: 0, costlyWindowRows: 0, middling: 0 }],
]

/** The names that a search finds, the same on every way. */
async function search(
  account: Pick<TestAccount, 'api'>,
  kind: RecordType,
  text: string,
): Promise<string[]> {
  const found: string[][] = []
  for (const [, bounds] of ways)
    found.push(await within(bounds, () => find(account, kind, `query=${encodeURIComponent(text)}`)))
  for (const names of found) expect([text, names]).toEqual([text, found[0]])
  return found[0]!
}

test.for(allKinds)('each write to %s is found by at once', async (kind) => {
  const account = await newAccount()
  const { api } = account
  const field = (await addFields(account, kind, ['text'])).at(-1)!
  const values = (...texts: string[]) => ({
    custom_fields_values: [{ field_id: field.id, values: texts.map((value) => ({ value })) }],
  })
  const path = `${pathOf(kind)}/${await addRecord(api, kind, { name: 'first', ...values('alpha') })}`
  const state = async () => {
    const found = await Promise.all(
      ['first', 'second', 'alpha', 'beta'].map(async (text) => [
        text,
        await find(account, kind, `query=${text}`),
      ]),
    )
    return found.filter(([, names]) => names!.length > 0).map(([text]) => text)
  }
  expect(await state()).toEqual(['first', 'alpha'])
  await api.patch(path, { name: 'second' })
  expect(await state()).toEqual(['second', 'alpha'])
  await api.patch(path, values('beta'))
  expect(await state()).toEqual(['second', 'beta'])
  await api.patch(path, values())
  expect(await state()).toEqual(['second'])
  await api.patch(path, values('alpha'))
  await api.delete(path)
  expect(await state()).toEqual([])
  expect(
    (await api.get(`${pathOf(kind)}?query=alpha&with=only_deleted`)).body._embedded[kind],
  ).toHaveLength(1)
  expect(
    (await api.get(`${pathOf(kind)}?query=beta&with=only_deleted`)).body._embedded[kind],
  ).toEqual([])
  await api.post(`${path}/restore`)
  expect(await state()).toEqual(['second', 'alpha'])
})

test('a lead is found by the names, phones and texts of what it is linked to, while both are there and linked', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const phone = (await addFields(account, 'contacts', [])).find(({ code }) => code === 'PHONE')!
  const contact = await addRecord(api, 'contacts', {
    name: 'Anna Petrova',
    custom_fields_values: [{ field_id: phone.id, values: [{ value: '+7 (999) 123-45-67' }] }],
  })
  const company = await addRecord(api, 'companies', { name: 'Acme Steel' })
  const stranger = await addRecord(api, 'contacts', { name: 'Boris' })
  const _embedded = { contacts: [{ id: contact }], companies: [{ id: company }] }
  const leads = await addRecords(api, 'leads', [
    // Ids of leads and contacts come from different sequences and may be equal.
    ...Array.from({ length: 3 }, () => ({ name: 'Other' })),
    { name: 'Deal', _embedded },
    { name: 'Small deal of Anna', _embedded: { contacts: [{ id: stranger }] } },
  ])
  expect(await search(account, 'leads', 'petrova')).toEqual(['Deal'])
  expect(await search(account, 'leads', 'anna')).toEqual(['Deal', 'Small deal of Anna'])
  for (const text of ['79991234567', '999 123-45-67', 'acme', 'anna petrova', 'steel acme'])
    expect(await search(account, 'leads', text)).toEqual(['Deal'])
  // All words appear in the lead, or all in one linked record.
  for (const text of ['deal petrova', 'anna acme', 'boris anna'])
    expect(await search(account, 'leads', text)).toEqual([])
  // Contacts and companies match by their own texts only.
  expect(await search(account, 'contacts', 'deal')).toEqual([])
  expect(await search(account, 'companies', 'anna')).toEqual([])

  await api.patch(`/api/v4/contacts/${contact}`, { name: 'Maria' })
  expect([
    await search(account, 'leads', 'petrova'),
    await search(account, 'leads', 'maria'),
  ]).toEqual([[], ['Deal']])
  await api.delete(`/api/v4/contacts/${contact}`)
  expect([await search(account, 'leads', 'maria'), await search(account, 'leads', 'acme')]).toEqual(
    [[], ['Deal']],
  )
  await api.post(`/api/v4/contacts/${contact}/restore`)
  expect(await search(account, 'leads', 'maria')).toEqual(['Deal'])
  await api.delete(`/api/v4/leads/${leads[3]}`)
  expect(await search(account, 'leads', 'maria')).toEqual([])
  expect(await find(account, 'leads', 'query=maria&with=only_deleted')).toHaveLength(1)
  await api.post(`/api/v4/leads/${leads[3]}/restore`)
  // A link is stored at both of its ends.
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`delete from links where account_id = ${account.id} and ${contact}::bigint in (from_id, to_id) and 'contacts' in (from_type, to_type)`,
    ),
  )
  expect([await search(account, 'leads', 'maria'), await search(account, 'leads', 'acme')]).toEqual(
    [[], ['Deal']],
  )
})

test('nobody finds a lead by a contact or a company that he may not view', async () => {
  const account = await newAccount()
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A' } as const
  const users = {
    own: await account.addUser({
      rights: { leads: all, contacts: { view: 'M' }, companies: { view: 'M' } },
    }),
    none: await account.addUser({ rights: { leads: all } }),
    few: await account.addUser({ rights: { leads: { view: 'M' }, contacts: all, companies: all } }),
  }
  const responsible_user_id = users.own.id
  const [mine, theirs] = await addRecords(account.api, 'contacts', [
    { name: 'Anna', responsible_user_id },
    { name: 'Anna' },
  ])
  const [firm] = await addRecords(account.api, 'companies', [{ name: 'Anna & Co' }])
  await addRecords(account.api, 'leads', [
    { name: 'of mine', _embedded: { contacts: [{ id: mine }] } },
    { name: 'of theirs', _embedded: { contacts: [{ id: theirs }] } },
    { name: 'of the firm', _embedded: { companies: [{ id: firm }] } },
    { name: 'anna herself' },
    {
      name: 'of few',
      responsible_user_id: users.few.id,
      _embedded: { contacts: [{ id: theirs }] },
    },
  ])
  expect(await search(account, 'leads', 'anna')).toEqual([
    'of mine',
    'of theirs',
    'of the firm',
    'anna herself',
    'of few',
  ])
  expect(await search(users.own, 'leads', 'anna')).toEqual(['of mine', 'anna herself'])
  expect(await search(users.none, 'leads', 'anna')).toEqual(['anna herself'])
  expect(await search(users.few, 'leads', 'anna')).toEqual(['of few'])
})

test('texts of a deleted field are not found from its deletion on, of leads and of what they are linked to', async () => {
  const account = await newAccount()
  const ids: number[] = []
  const drafts: Record<string, object> = {}
  for (const kind of allKinds) {
    const [goes, stays] = (await addFields(account, kind, ['text', 'textarea'])).slice(-2)
    ids.push(goes!.id)
    drafts[kind] = {
      name: `the name of ${kind}`,
      custom_fields_values: [
        { field_id: goes!.id, values: [{ value: `goes ${kind}` }] },
        { field_id: stays!.id, values: [{ value: `stays ${kind}` }] },
      ],
    }
  }
  const contact = await addRecord(account.api, 'contacts', drafts['contacts'])
  const company = await addRecord(account.api, 'companies', drafts['companies'])
  await addRecord(account.api, 'leads', {
    ...drafts['leads'],
    _embedded: { contacts: [{ id: contact }], companies: [{ id: company }] },
  })
  for (const [place, kind] of allKinds.entries()) {
    for (const each of new Set([kind, 'leads'] as const))
      expect(await search(account, each, `goes ${kind}`)).toHaveLength(1)
    await deleteField(account, kind, ids[place]!)
    for (const each of new Set([kind, 'leads'] as const)) {
      expect(await search(account, each, `goes ${kind}`)).toEqual([])
      expect(await search(account, each, `stays ${kind}`)).toHaveLength(1)
      expect(await search(account, each, `name ${kind}`)).toHaveLength(1)
    }
    const refused = await account.api.get(
      `${pathOf(kind)}?filter[custom_fields_values][${ids[place]}]=x`,
    )
    expect(refused.status).toBe(400)
  }
})
