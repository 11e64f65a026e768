// Complex creation beside other verbs: a match may be gone once it is locked, and requests do not
// deadlock.
import { describe, expect, test } from 'vitest'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import {
  addComplex,
  email,
  item,
  linksOf,
  path,
  person,
  phone,
  withControl,
} from '../../../../test/complex.ts'
import { addPipeline, faultsOf } from '../../../../test/leads.ts'
import { anotherIntegration, meanwhile } from '../../../../test/origins.ts'
import { addRecord, addRecords, idsIn, readRecord } from '../../../../test/records.ts'
import type { Actor } from '../../../access/actor.ts'
import { deleteRecord } from '../../../records/writing/bin.ts'
import type { Tx } from '../../../database/connect.ts'
import { linkRecords, unlinkRecords } from '../links/links.ts'
import { newFaults } from '../../../http/batch.ts'
import { serverItself } from '../../../access/user-access.ts'
import { changeCompanies, companies } from '../companies/companies.ts'
import { changeContacts, contacts } from '../contacts/contacts.ts'
import { changeLeads, leads } from '../leads/leads.ts'
import type { ComplexDraft } from './schema.ts'
import { createComplexOrUnsorted } from './waiting.ts'

const ann = item(person(phone('1')))
const batch = <Value extends object>(values: Value[]) => ({
  items: values.map((value, index) => ({ index, request_id: String(index), value })),
  faults: newFaults(),
})

/** The administrator, through the integration that has duplicate control. */
const actorThrough = (account: TestAccount): Actor => ({
  ...serverItself(account.id, account.kontor.now()),
  userId: account.admin.id,
  clientId: account.integration.client_id,
})

/** Runs transactions and counts their attempts: a deadlock makes one more. */
function counting({ kontor }: TestAccount) {
  let attempts = 0
  const run = (work: (tx: Tx) => Promise<unknown>) =>
    kontor.database.transaction(async (tx) => {
      attempts++
      await work(tx)
    })
  return { run, attempts: () => attempts }
}

test('a contact that goes into the bin meanwhile is not merged into', async () => {
  const { account, api } = await withControl()
  const [first] = await addComplex(api, ann)
  const [made] = await meanwhile(
    account,
    (tx, actor) => deleteRecord(tx, actor, contacts, first!.contact_id!),
    () => addComplex(api, ann),
  )
  expect(made!.merged).toBe(false)
  expect([made!.id, made!.contact_id]).not.toEqual([first!.id, first!.contact_id])
  expect((await readRecord(api, 'contacts', made!.contact_id!)).is_deleted).toBe(false)
})

test.for(['closed', 'unlinked', 'deleted'] as const)(
  'a lead that is %s meanwhile is not merged into',
  async (what) => {
    const { account, api } = await withControl()
    const [first] = await addComplex(api, ann)
    const { id, contact_id } = first!
    const link = { entity_id: id, to_entity_id: contact_id!, to_entity_type: 'contacts' as const }
    const [made] = await meanwhile(
      account,
      (tx, actor) => {
        if (what === 'closed') return changeLeads(tx, actor, batch([{ id, status_id: 142 }]))
        return what === 'deleted'
          ? deleteRecord(tx, actor, leads, id)
          : unlinkRecords(tx, actor, 'leads', batch([link]))
      },
      () => addComplex(api, ann),
    )
    expect(made).toMatchObject({ contact_id, merged: false })
    expect(made!.id).not.toBe(id)
    expect((await linksOf(api, made!)).lead.contacts).toEqual([[contact_id, true]])
  },
)

test('a lead that gets a company meanwhile keeps it', async () => {
  const { account, api } = await withControl()
  const [first] = await addComplex(api, ann)
  const firm = await addRecord(api, 'companies')
  const link = { entity_id: first!.id, to_entity_id: firm, to_entity_type: 'companies' as const }
  const [made] = await meanwhile(
    account,
    (tx, actor) => linkRecords(tx, actor, 'leads', batch([link])),
    () => addComplex(api, item(person(phone('1')), { name: 'Acme' })),
  )
  expect(made).toMatchObject({ id: first!.id, merged: true })
  expect((await linksOf(api, made!)).lead.companies).toEqual([firm])
})

test('what is named and goes into the bin meanwhile is refused', async () => {
  const { account, api } = await withControl()
  const firm = await addRecord(api, 'companies')
  const refused = await meanwhile(
    account,
    (tx, actor) => deleteRecord(tx, actor, companies, firm),
    () => api.post(path, item({}, { id: firm })),
  )
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    { 0: ['NotSupportedChoice _embedded.companies.0.id'] },
  ])
})

// Duplicate control holds the phones and e-mails of a request until it ends (decision 29).
describe('the same person at once', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => index)
  const contactsOf = async (api: Client) => idsIn(await api.get('/api/v4/contacts'), 'contacts')

  test('is one contact with one lead, whichever request came first', async () => {
    const { api } = await withControl()
    const answers = await Promise.all(twenty.map(() => addComplex(api, ann)))
    const [first] = answers.flat()
    expect(await contactsOf(api)).toEqual([first!.contact_id])
    expect(idsIn(await api.get('/api/v4/leads'), 'leads')).toEqual([first!.id])
    expect(answers.filter(([made]) => !made!.merged)).toHaveLength(1)
    expect((await addComplex(api, ann))[0]).toMatchObject({ id: first!.id, merged: true })
  })

  test('is one contact in any notation, and where only one phone or e-mail of several is the same', async () => {
    const { api } = await withControl()
    const forms = [
      person(phone('+1 (555) 0100')),
      person(phone('15550100', '7')),
      person(email('Ann@X.example'), phone('1-555-01-00')),
      person(phone('8', '1 5550100'), email('other@x.example')),
    ]
    await Promise.all(twenty.map((index) => addComplex(api, item(forms[index % 4]))))
    expect(await contactsOf(api)).toHaveLength(1)
  })

  test('is one contact in batches that name everybody in another order; nothing is run again', async () => {
    const { account, api } = await withControl()
    const actor = actorThrough(account)
    const { run, attempts } = counting(account)
    const people = Array.from({ length: 10 }, (_, index) => item(person(phone(String(index)))))
    await Promise.all(
      people.map((_, turn) =>
        run((tx) =>
          createComplexOrUnsorted(
            tx,
            actor,
            batch([...people.slice(turn), ...people.slice(0, turn)]),
          ),
        ),
      ),
    )
    expect(await contactsOf(api)).toHaveLength(10)
    expect(attempts()).toBe(people.length)
  })

  test('is one contact in batches of 2,000 phones, beside small requests', async () => {
    const { account, api } = await withControl()
    const actor = actorThrough(account)
    const { run, attempts } = counting(account)
    const numbers = Array.from({ length: 40 }, (_, index) => 1000 + index)
    const people = Array.from({ length: 50 }, (_, index) =>
      item(person(phone(...numbers.map((number) => `${number}${index}`)))),
    )
    const batches = [people, people.toReversed(), people.slice(0, 3), ...people.map((one) => [one])]
    await Promise.all(
      batches.map((each) => run((tx) => createComplexOrUnsorted(tx, actor, batch(each)))),
    )
    expect((await addComplex(api, ...people)).every(({ merged }) => merged)).toBe(true)
    expect(idsIn(await account.api.get('/api/v4/contacts?limit=250'), 'contacts')).toHaveLength(50)
    expect(attempts()).toBe(batches.length)
  })

  test('is one contact for each account, and requests of others do not wait', async () => {
    const [mine, theirs] = [await withControl(), await withControl()]
    await mine.account.kontor.database.transaction(async (tx) => {
      await createComplexOrUnsorted(tx, actorThrough(mine.account), batch([ann]))
      expect((await addComplex(theirs.api, ann))[0]!.merged).toBe(false)
      // Another phone, a pipeline and an integration without the control.
      expect((await addComplex(mine.api, item(person(phone('2')))))[0]!.merged).toBe(false)
      const { id } = await addPipeline(mine.account)
      await addComplex(mine.api, { ...ann, pipeline_id: id })
      await addComplex(await anotherIntegration(mine.account), ann)
    })
    expect(await contactsOf(mine.api)).toHaveLength(4)
  })

  test('is one contact beside contacts that are created by themselves', async () => {
    const { account, api } = await withControl()
    const draft = person(phone('1'))
    const [made, ...others] = await Promise.all([
      Promise.all(twenty.map(() => addComplex(api, ann))),
      ...[1, 2].map(() => addRecord(account.api, 'contacts', draft)),
    ])
    const all = new Set([...made.flat().map(({ contact_id }) => contact_id!), ...others])
    expect(all.size).toBeLessThanOrEqual(others.length + 1)
    expect(await contactsOf(api)).toHaveLength(all.size)
  })
})

test('creations that meet in opposite order, beside changes, links and deletions: nothing is run again', async () => {
  const { account, pipeline } = await withControl()
  const actor = actorThrough(account)
  const { run, attempts } = counting(account)
  const numbers = Array.from({ length: 10 }, (_, index) => String(index))
  const stored = await addComplex(
    account.api,
    ...numbers.map((number) => item(person(phone(number)))),
  )
  const firms = await addRecords(
    account.api,
    'companies',
    numbers.map(() => ({})),
  )
  const people = stored.map(({ contact_id }) => contact_id!)
  const items = numbers.flatMap((number, index) => [
    {
      ...item(person(phone(number, `${number}${number}`)), { id: firms[index]! }),
      pipeline_id: pipeline,
      price: index,
    },
    item({ id: people[index]! }, { id: firms[9 - index]! }),
  ])
  const rounds = 6
  const named = (ids: number[], round: number) =>
    batch(ids.map((id) => ({ id, name: `round ${round}` })))
  const ids = stored.map(({ id }) => id)
  for (let round = 0; round < rounds; round++) {
    const links = people.map((contact, index) => ({
      entity_id: contact,
      to_entity_id: firms[index]!,
      to_entity_type: 'companies' as const,
    }))
    await Promise.all([
      run((tx) => createComplexOrUnsorted(tx, actor, batch(items))),
      run((tx) => createComplexOrUnsorted(tx, actor, batch(items.toReversed()))),
      run((tx) => changeLeads(tx, actor, named(ids.toReversed(), round))),
      run((tx) => changeContacts(tx, actor, named(people.toReversed(), round))),
      run((tx) => changeCompanies(tx, actor, named(firms.toReversed(), round))),
      run((tx) => linkRecords(tx, actor, 'contacts', batch(links.toReversed()))),
    ])
  }
  expect(attempts()).toBe(rounds * 6)
})

test('mixed batches that meet in opposite order: nothing is run again', async () => {
  const { account } = await withControl()
  const actor = actorThrough(account)
  const { run, attempts } = counting(account)
  const others = [await addPipeline(account), await addPipeline(account)]
  const items = Array.from({ length: 12 }, (_, index) => ({
    ...item(
      person(phone(String(index))),
      undefined,
      { pipeline_id: others[index % 2]!.id },
      {
        tags: [{ name: `tag ${index}` }],
        ...(index % 3 === 0 && {
          metadata: { category: 'sip', phone: '1', uniq: `call ${index}` },
        }),
      },
    ),
  }))
  const rounds = 6
  for (let round = 0; round < rounds; round++)
    await Promise.all(
      [items, items.toReversed(), items.slice(5), items.slice(5).toReversed()].map((each) =>
        run((tx) => createComplexOrUnsorted(tx, actor, batch(each as ComplexDraft[]))),
      ),
    )
  expect(attempts()).toBe(rounds * 4)
})
