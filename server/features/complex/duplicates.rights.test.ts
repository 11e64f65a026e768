// Only contacts and leads that the actor may view and edit count as duplicates.
import { expect, test } from 'vitest'
import { addComplex, item, linksOf, person, phone, withControl } from '../../../test/complex.ts'
import { addRecord, readRecord } from '../../../test/records.ts'

const ann = item(person(phone('1')))
const free = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
const all = { leads: free, contacts: free, companies: free }

test.for(['view', 'edit'] as const)(
  'a contact that one may not %s is no match, nor does it count among the matches',
  async (action) => {
    const { account, through } = await withControl()
    const user = await account.addUser({ rights: { ...all, contacts: { ...free, [action]: 'M' } } })
    const api = await through(user)
    const hidden = [await addRecord(account.api, 'contacts', person(phone('1')))]
    for (let more = 0; more < 3; more++)
      hidden.push(await addRecord(account.api, 'contacts', person(phone('1'))))
    const [made] = await addComplex(api, ann)
    expect(made!.merged).toBe(false)
    expect(hidden).not.toContain(made!.contact_id)
    expect((await addComplex(api, ann))[0]).toMatchObject({
      id: made!.id,
      contact_id: made!.contact_id,
      merged: true,
    })
  },
)

test.for(['view', 'edit'] as const)(
  'a lead that one may not %s is not merged into; the contact gets another',
  async (action) => {
    const { account, api, through } = await withControl()
    const user = await account.addUser({ rights: { ...all, leads: { ...free, [action]: 'M' } } })
    const [first] = await addComplex(api, ann)
    const before = await readRecord(api, 'leads', first!.id)
    const [made] = await addComplex(await through(user), { ...ann, price: 5 })
    expect(made).toMatchObject({ contact_id: first!.contact_id, merged: false })
    expect(await readRecord(api, 'leads', first!.id)).toEqual(before)
  },
)

test('the company of the lead is not told to who may not view it, and is not replaced', async () => {
  const { account, api, through } = await withControl()
  const user = await account.addUser({ rights: { ...all, companies: { ...free, view: 'M' } } })
  const [first] = await addComplex(api, item(person(phone('1')), { name: 'Acme' }))
  const [made] = await addComplex(await through(user), item(person(phone('1')), { name: 'Other' }))
  expect(made).toEqual({ ...first, company_id: null, merged: true })
  expect((await linksOf(api, first!)).lead.companies).toEqual([first!.company_id])
})
