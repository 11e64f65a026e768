// A link that displaces another: the actor needs the right to edit the record that loses its link,
// from either side.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { keptLinks, link, to } from '../../../test/links.ts'
import { addRecord, addRecords, pathOf } from '../../../test/records.ts'

const letters = (view: 'A' | 'M' | 'D', edit: 'A' | 'M' | 'D') =>
  ({ view, edit, add: 'A', delete: 'D', export: 'D' }) as const

/**
 * A user who views all records of a type and edits only own ones, and three records: of others with
 * a company and without one, and an own one with a company.
 */
async function prepared(kind: 'leads' | 'contacts') {
  const account = await newAccount()
  const { api } = account
  const user = await account.addUser({
    rights: { [kind]: letters('A', 'M'), companies: letters('A', 'A') },
  })
  const drafts = [{}, {}, { responsible_user_id: user.id }]
  const [taken, free, own] = (await addRecords(api, kind, drafts)) as [number, number, number]
  const [old, firm] = (await addRecords(api, 'companies', [{}, {}])) as [number, number]
  await link(api, 'companies', old, to(kind, taken), to(kind, own))
  return { account, user, taken, free, own, old, firm }
}

const denied = 'NotSupportedChoice to_entity_id'

test.for(['leads', 'contacts'] as const)(
  '%s leave their company only for who may edit them',
  async (kind) => {
    const { account, user, taken, free, own, old, firm } = await prepared(kind)
    const [told, before] = [await listen(account), await keptLinks(account)]
    const one = await link(
      user.api,
      'companies',
      firm,
      to(kind, free),
      to(kind, taken),
      to(kind, own),
    )
    expect([one.status, faultsOf(one)]).toEqual([400, { 1: [denied] }])
    expect(one.body['validation-errors'][0].errors[0].detail).toContain(
      `right to edit ${kind.slice(0, -1)} ${taken}`,
    )
    const many = await user.api.post(`${pathOf('companies')}/link`, [to(kind, taken, null, firm)])
    expect([many.status, faultsOf(many)]).toEqual([400, { 0: [denied] }])
    expect((await link(user.api, kind, taken, to('companies', firm))).status).toBe(403)
    expect(await told()).toEqual({ journal: [], events: [] })
    expect(await keptLinks(account)).toEqual(before)
    // Where nothing is displaced, the right to view is enough, and an existing link stays.
    expect((await link(user.api, 'companies', old, to(kind, taken))).status).toBe(200)
    expect((await link(user.api, 'companies', firm, to(kind, free), to(kind, own))).status).toBe(
      200,
    )
    expect((await keptLinks(account)).toSorted()).toEqual(
      [
        `${kind} ${free} companies ${firm}`,
        `${kind} ${own} companies ${firm}`,
        `${kind} ${taken} companies ${old}`,
      ].toSorted(),
    )
  },
)

test('a contact that the caller does not see is not there, whatever company it has', async () => {
  const { account, taken, firm } = await prepared('contacts')
  const user = await account.addUser({
    rights: { contacts: letters('M', 'M'), companies: letters('A', 'A') },
  })
  const refused = await link(user.api, 'companies', firm, to('contacts', taken))
  expect(faultsOf(refused)).toEqual({ 0: [denied] })
  expect(refused.body['validation-errors'][0].errors[0].detail).toBe(
    `There is no contact ${taken}.`,
  )
})

test('a new company takes only contacts from theirs that its maker may edit', async () => {
  const { account, user, taken, free, own, old } = await prepared('contacts')
  const named = (...ids: number[]) => ({ _embedded: { contacts: ids.map((id) => ({ id })) } })
  const [told, before] = [await listen(account), await keptLinks(account)]
  const refused = await user.api.post(pathOf('companies'), [named(free), named(own, taken)])
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    { 1: ['NotSupportedChoice _embedded.contacts.1.id'] },
  ])
  expect(await told()).toEqual({ journal: [], events: [] })
  expect(await keptLinks(account)).toEqual(before)
  const id = await addRecord(user.api, 'companies', named(own, free))
  expect(await keptLinks(account)).toEqual([
    `contacts ${taken} companies ${old}`,
    `contacts ${own} companies ${id}`,
    `contacts ${free} companies ${id}`,
  ])
})
