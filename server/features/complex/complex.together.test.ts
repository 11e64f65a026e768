// Complex creation beside other verbs: a match may be gone once it is locked, and requests do not
// deadlock.
import { expect, test } from 'vitest'
import {
  addComplex,
  item,
  linksOf,
  path,
  person,
  phone,
  withControl,
} from '../../../test/complex.ts'
import { faultsOf } from '../../../test/leads.ts'
import { meanwhile } from '../../../test/origins.ts'
import { addRecord, addRecords, readRecord } from '../../../test/records.ts'
import { deleteRecord } from '../../records/writing/bin.ts'
import type { Tx } from '../../database/connect.ts'
import { linkRecords, unlinkRecords } from '../links/links.ts'
import { newFaults } from '../../http/batch.ts'
import { serverItself } from '../../access/standing.ts'
import { changeCompanies, companies } from '../companies/companies.ts'
import { changeContacts, contacts } from '../contacts/contacts.ts'
import { changeLeads, leads } from '../leads/leads.ts'
import { createComplex } from './complex.ts'

const ann = item(person(phone('1')))
const batch = <Value extends object>(values: Value[]) => ({
  items: values.map((value, index) => ({ index, request_id: String(index), value })),
  faults: newFaults(),
})

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

test('the same at once is answered, merged or not', async () => {
  const { api } = await withControl()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => addComplex(api, ann, item(person(phone('2')), {}))),
  )
  for (const [one, two] of answers)
    expect([one!.id === two!.id, one!.contact_id === two!.contact_id]).toEqual([false, false])
})

test('creations that meet in opposite order, beside changes, links and deletions: nothing is run again', async () => {
  const { account, pipeline } = await withControl()
  const { database } = account.kontor
  const actor = {
    ...serverItself(account.id, account.kontor.now()),
    userId: account.admin.id,
    clientId: account.integration.client_id,
  }
  const numbers = Array.from({ length: 10 }, (_, place) => String(place))
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
  const items = numbers.flatMap((number, place) => [
    {
      ...item(person(phone(number, `${number}${number}`)), { id: firms[place]! }),
      pipeline_id: pipeline,
      price: place,
    },
    item({ id: people[place]! }, { id: firms[9 - place]! }),
  ])
  let attempts = 0
  const run = (work: (tx: Tx) => Promise<unknown>) =>
    database.transaction(async (tx) => {
      attempts++
      await work(tx)
    })
  const rounds = 6
  const named = (ids: number[], round: number) =>
    batch(ids.map((id) => ({ id, name: `round ${round}` })))
  const ids = stored.map(({ id }) => id)
  for (let round = 0; round < rounds; round++) {
    const links = people.map((contact, place) => ({
      entity_id: contact,
      to_entity_id: firms[place]!,
      to_entity_type: 'companies' as const,
    }))
    await Promise.all([
      run((tx) => createComplex(tx, actor, batch(items))),
      run((tx) => createComplex(tx, actor, batch(items.toReversed()))),
      run((tx) => changeLeads(tx, actor, named(ids.toReversed(), round))),
      run((tx) => changeContacts(tx, actor, named(people.toReversed(), round))),
      run((tx) => changeCompanies(tx, actor, named(firms.toReversed(), round))),
      run((tx) => linkRecords(tx, actor, 'contacts', batch(links.toReversed()))),
    ])
  }
  expect(attempts).toBe(rounds * 6)
})
