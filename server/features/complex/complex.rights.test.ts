// The rights to create parts and to name existing records, and what another account gets.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { rowsOf } from '../../../test/belongings.ts'
import { addComplex, item, linksOf, path } from '../../../test/complex.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addRecord, allKinds } from '../../../test/records.ts'
import type { RightLevel } from '../../access/rights.ts'

type Letters = Partial<Record<'view' | 'edit' | 'add', RightLevel>>
const free = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
const withRights = (
  account: TestAccount,
  rights: Partial<Record<(typeof allKinds)[number], Letters>>,
) => account.addUser({ rights: { leads: free, contacts: free, companies: free, ...rights } })

test('the right to add is needed for each kind that is new, and for no other', async () => {
  const account = await newAccount()
  const contact = await addRecord(account.api, 'contacts')
  const company = await addRecord(account.api, 'companies')
  const shapes = {
    contacts: item({}, { id: company }),
    companies: item({ id: contact }, {}),
    leads: {},
  }
  const answered: Record<string, number[]> = {}
  for (const kind of allKinds) {
    const { api } = await withRights(account, { [kind]: { ...free, add: 'D' } })
    const before = await rowsOf(account)
    const statuses = []
    for (const shape of Object.values(shapes))
      statuses.push((await api.post(path, [{}, shape])).status)
    answered[kind] = statuses
    if (kind === 'leads') expect(await rowsOf(account)).toEqual(before)
  }
  expect(answered).toEqual({
    leads: [403, 403, 403],
    contacts: [403, 200, 200],
    companies: [200, 403, 200],
  })
})

test('a refusal tells which kind it is about', async () => {
  const account = await newAccount()
  const { api } = await withRights(account, { companies: { ...free, add: 'D' } })
  const refused = await api.post(path, [item({}, {})])
  expect([refused.status, refused.body.detail]).toEqual([403, 'You have no right to add companies'])
})

test('what one may not view is as if it were not there', async () => {
  const account = await newAccount()
  const user = await withRights(account, {
    contacts: { ...free, view: 'M' },
    companies: { ...free, view: 'M' },
  })
  const [contact, company] = [
    await addRecord(account.api, 'contacts'),
    await addRecord(account.api, 'companies'),
  ]
  const own = { responsible_user_id: user.id }
  const [mine, ours] = [
    await addRecord(account.api, 'contacts', own),
    await addRecord(account.api, 'companies', own),
  ]
  const before = await rowsOf(account)
  expect(
    faultsOf(
      await user.api.post(path, [
        item({ id: contact }, { id: company }),
        item({ id: mine }, { id: ours }),
      ]),
    ),
  ).toEqual({
    0: [
      'NotSupportedChoice _embedded.contacts.0.id',
      'NotSupportedChoice _embedded.companies.0.id',
    ],
  })
  expect(await rowsOf(account)).toEqual(before)
  const [made] = await addComplex(user.api, item({ id: mine }, { id: ours }))
  expect(made).toMatchObject({ contact_id: mine, company_id: ours })
})

test('two records that are there are linked by whoever may edit the contact; a new one is linked by everybody', async () => {
  const account = await newAccount()
  const reader = await withRights(account, {
    contacts: { ...free, edit: 'D' },
    companies: { ...free, edit: 'D' },
  })
  const [contact, company] = [
    await addRecord(account.api, 'contacts'),
    await addRecord(account.api, 'companies'),
  ]
  const [apart] = await addComplex(reader.api, item({ id: contact }, { id: company }))
  expect(await linksOf(account.api, apart!)).toMatchObject({
    lead: { contacts: [[contact, true]], companies: [company] },
    contact: { companies: [] },
  })
  const [together] = await addComplex(reader.api, item({ id: contact }, {}))
  expect((await linksOf(account.api, together!)).contact).toMatchObject({
    companies: [together!.company_id],
  })
})

test('what is in the bin, or of another account, is not there', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const [contact, company] = [
    await addRecord(account.api, 'contacts'),
    await addRecord(account.api, 'companies'),
  ]
  const gone = await addRecord(account.api, 'contacts')
  await account.api.delete(`/api/v4/contacts/${gone}`)
  expect(faultsOf(await account.api.post(path, item({ id: gone })))).toEqual({
    0: ['NotSupportedChoice _embedded.contacts.0.id'],
  })
  const before = await rowsOf(account)
  expect(faultsOf(await other.api.post(path, item({ id: contact }, { id: company })))).toEqual({
    0: [
      'NotSupportedChoice _embedded.contacts.0.id',
      'NotSupportedChoice _embedded.companies.0.id',
    ],
  })
  expect(await rowsOf(account)).toEqual(before)
})
