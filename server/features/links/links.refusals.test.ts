// Refused links, the paths of their faults, and the rights to link. A refused request changes
// nothing.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { keptLinks, link, linksOf, to, unlink } from '../../../test/links.ts'
import { addRecord, addRecords, allKinds, pathOf } from '../../../test/records.ts'

const other = { leads: 'contacts', contacts: 'companies', companies: 'leads' } as const
const verbs = ['link', 'unlink'] as const
const unknown = 999_999_999

async function untouched(account: TestAccount, work: () => Promise<unknown>): Promise<void> {
  const [told, before] = [await listen(account), await keptLinks(account)]
  await work()
  expect(await told()).toEqual({ journal: [], events: [] })
  expect(await keptLinks(account)).toEqual(before)
}

describe.for(allKinds)('%s', (kind) => {
  const its = other[kind]
  const path = pathOf(kind)
  const letters = (view: 'A' | 'M' | 'D', edit: 'A' | 'M' | 'D') =>
    ({ view, edit, add: 'A', delete: 'D', export: 'D' }) as const

  test.for(verbs)(
    'to %s unknown records, deleted ones and those of another account is refused',
    async (verb) => {
      const account = await newAccount()
      const { api } = account
      const [id, gone] = (await addRecords(api, kind, [{}, {}])) as [number, number]
      const [target, deleted] = (await addRecords(api, its, [{}, {}])) as [number, number]
      await link(api, kind, id, to(its, deleted))
      await api.delete(`${path}/${gone}`)
      await api.delete(`${pathOf(its)}/${deleted}`)
      const alien = await newAccount()
      const [theirs, theirTarget] = [
        await addRecord(alien.api, kind),
        await addRecord(alien.api, its),
      ]
      await untouched(account, async () => {
        for (const each of [unknown, gone, theirs])
          expect((await api.post(`${path}/${each}/${verb}`, [to(its, target)])).status).toBe(404)
        const bad = [unknown, deleted, theirTarget]
        const one = await api.post(`${path}/${id}/${verb}`, [
          to(its, target),
          ...bad.map((each) => to(its, each)),
        ])
        const fault = ['NotSupportedChoice to_entity_id']
        expect([one.status, faultsOf(one)]).toEqual([400, { 1: fault, 2: fault, 3: fault }])
        const many = await api.post(`${path}/${verb}`, [
          ...[unknown, gone, theirs].map((each) => to(its, target, null, each)),
          { ...to(its, unknown, null, id), request_id: 'mine' },
        ])
        const noMain = ['EntityNotFound entity_id']
        expect([many.status, faultsOf(many)]).toEqual([
          400,
          { 0: noMain, 1: noMain, 2: noMain, mine: fault },
        ])
      })
    },
  )

  test.for(verbs)('to %s takes the right to edit the one and to view the other', async (verb) => {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser({
      rights: { [kind]: letters('A', 'M'), [its]: letters('M', 'D') },
    })
    const mine = { responsible_user_id: user.id }
    const [foreign, own] = (await addRecords(api, kind, [{}, mine])) as [number, number]
    const [hidden, target] = (await addRecords(api, its, [{}, mine])) as [number, number]
    if (verb === 'unlink')
      for (const [id, at] of [
        [foreign, target],
        [own, hidden],
      ] as const)
        await link(api, kind, id, to(its, at))
    const send = (id: number, at: number) => user.api.post(`${path}/${id}/${verb}`, [to(its, at)])
    await untouched(account, async () => {
      expect((await send(foreign, target)).status).toBe(403)
      expect(
        (await user.api.post(`${path}/${verb}`, [to(its, target, null, foreign)])).status,
      ).toBe(403)
      const refused = await send(own, hidden)
      expect([refused.status, faultsOf(refused)]).toEqual([
        400,
        { 0: ['NotSupportedChoice to_entity_id'] },
      ])
      // Neither a user who may view no such record, nor one who may edit only records out of view.
      for (const rights of [letters('A', 'D'), letters('D', 'A'), letters('M', 'A')]) {
        const unable = await account.addUser({
          rights: { [kind]: rights, [its]: letters('A', 'A') },
        })
        expect((await unable.api.post(`${path}/${own}/${verb}`, [to(its, target)])).status).toBe(
          403,
        )
      }
    })
    if (verb === 'unlink') await link(api, kind, own, to(its, target))
    expect((await send(own, target)).status).toBe(verb === 'link' ? 200 : 204)
    expect(await linksOf(user.api, kind, own)).toHaveLength(verb === 'link' ? 1 : 0)
  })

  test.for(verbs)('to %s what no such record is linked with is refused', async (verb) => {
    const account = await newAccount()
    const [id, twin] = (await addRecords(account.api, kind, [{}, {}])) as [number, number]
    const types = [kind, 'customers', 'catalog_elements', 'nothing', null]
    await untouched(account, async () => {
      const metadata = { catalog_id: 5, quantity: 2.5, price_id: 7 }
      const items = types.map((to_entity_type) => ({
        to_entity_id: twin,
        to_entity_type,
        metadata,
        entity_id: id,
      }))
      for (const at of [`${path}/${id}/${verb}`, `${path}/${verb}`]) {
        const refused = await account.api.post(at, items)
        expect([refused.status, faultsOf(refused)]).toEqual([
          400,
          {
            ...Object.fromEntries(
              [0, 1, 2, 3].map((place) => [place, ['NotSupportedChoice to_entity_type']]),
            ),
            4: ['NotNullable to_entity_type'],
          },
        ])
      }
    })
  })
})

test('each bad item of a batch is named, with what is wrong in it', async () => {
  const account = await newAccount()
  const { api } = account
  const lead = await addRecord(api, 'leads')
  const [contact, firm] = [await addRecord(api, 'contacts'), await addRecord(api, 'companies')]
  const inactive = await account.addUser()
  await api.post('/api/v4/users/deactivate', [{ id: inactive.id }])
  const alien = await newAccount()
  const good = to('contacts', contact)
  await untouched(account, async () => {
    const items = [
      good,
      { ...good, metadata: { is_main: 'yes' } },
      { ...good, metadata: { main: true } },
      { ...good, metadata: { catalog_id: 5, quantity: 1, price_id: 2 } },
      { ...to('companies', firm), metadata: { is_main: true } },
      { ...good, metadata: { updated_by: inactive.id } },
      { ...good, metadata: { updated_by: alien.admin.id } },
      { ...good, metadata: { updated_by: 0 } },
      { ...good, metadata: [] },
      { to_entity_type: 'contacts' },
      { to_entity_id: contact },
      { ...good, to_entity_id: 0 },
      { ...good, to_entity_id: 2 ** 53 },
      { ...good, entity_type: 'companies' },
      { ...good, color: 'red' },
      7,
    ]
    const expected = {
      1: ['InvalidType metadata.is_main'],
      2: ['FieldNotExpected metadata.main'],
      3: [
        'FieldNotExpected metadata.catalog_id',
        'FieldNotExpected metadata.quantity',
        'FieldNotExpected metadata.price_id',
      ],
      4: ['FieldNotExpected metadata.is_main'],
      5: ['NotSupportedChoice metadata.updated_by'],
      6: ['NotSupportedChoice metadata.updated_by'],
      7: ['TooLow metadata.updated_by'],
      8: ['InvalidType metadata'],
      9: ['FieldMissing to_entity_id'],
      10: ['FieldMissing to_entity_type'],
      11: ['TooLow to_entity_id'],
      12: ['TooHigh to_entity_id'],
      13: ['NotSupportedChoice entity_type'],
      14: ['FieldNotExpected color'],
      15: ['InvalidType '],
    }
    for (const verb of verbs) {
      const refused = await api.post(`/api/v4/leads/${lead}/${verb}`, items)
      expect([refused.status, faultsOf(refused)]).toEqual([400, expected])
    }
    const nameless = await api.post('/api/v4/leads/link', [
      good,
      { ...good, entity_id: null },
      { ...good, entity_id: 0 },
    ])
    expect(faultsOf(nameless)).toEqual({
      0: ['FieldMissing entity_id'],
      1: ['NotNullable entity_id'],
      2: ['TooLow entity_id'],
    })
    for (const body of [[], '"x"', '', Array.from({ length: 251 }, () => good)])
      for (const verb of verbs)
        expect((await api.post(`/api/v4/leads/${lead}/${verb}`, body)).status).toBe(400)
  })
})

test('what programs send besides is taken: nulls, what was read, texts for numbers, one object, and another id than the path says', async () => {
  const account = await newAccount()
  const { api } = account
  const [lead, twin] = (await addRecords(api, 'leads', [{}, {}])) as [number, number]
  const [contact, second] = (await addRecords(api, 'contacts', [{}, {}])) as [number, number]
  const firm = await addRecord(api, 'companies')
  const nulls = { entity_id: null, entity_type: null, metadata: null }
  expect((await link(api, 'leads', lead, { ...to('contacts', contact), ...nulls })).status).toBe(
    200,
  )
  const sent = {
    to_entity_id: String(second),
    to_entity_type: 'contacts',
    entity_id: twin,
    metadata: { is_main: 1 },
  }
  expect((await api.post(`/api/v4/leads/${lead}/link`, sent)).status).toBe(200)
  const none = { is_main: null, catalog_id: null, quantity: null, price_id: null, updated_by: null }
  expect((await link(api, 'leads', lead, to('companies', firm, none))).status).toBe(200)
  const shown = [`contacts ${contact}`, `contacts ${second} main`, `companies ${firm}`]
  expect(await linksOf(api, 'leads', lead)).toEqual(shown)
  expect(await linksOf(api, 'leads', twin)).toEqual([])
  const { links } = (await api.get(`/api/v4/leads/${lead}/links`)).body._embedded
  await untouched(account, async () => {
    expect((await api.post('/api/v4/leads/link', links)).status).toBe(200)
  })
  expect((await api.post(`/api/v4/leads/${lead}/unlink`, links)).status).toBe(204)
  // A company has no main contact.
  const main = await link(api, 'companies', firm, to('contacts', contact, { is_main: true }))
  expect(main.body._embedded.links[0].metadata).toEqual({ main_contact: false })
  await unlink(api, 'companies', firm, to('contacts', contact))
  expect(await keptLinks(account)).toEqual([])
})

test('250 links are one request, of one record and of several', async () => {
  const account = await newAccount()
  const { api } = account
  const firm = await addRecord(api, 'companies')
  const drafts = Array.from({ length: 250 }, () => ({}))
  const leads = await addRecords(api, 'leads', drafts)
  const items = leads.map((id) => to('leads', id))
  expect((await link(api, 'companies', firm, ...items)).body._total_items).toBe(250)
  expect(await keptLinks(account)).toHaveLength(250)
  const back = leads.map((id) => to('companies', firm, null, id))
  expect((await api.post('/api/v4/leads/unlink', back)).status).toBe(204)
  expect((await api.post('/api/v4/leads/link', back)).body._total_items).toBe(250)
})

test('unknown keys are left out where the server is told so', async () => {
  const account = await newAccount({ unknownKeys: 'ignore' })
  const id = await addRecord(account.api, 'leads')
  const contact = await addRecord(account.api, 'contacts')
  const sent = { ...to('contacts', contact, { main: true }), color: 'red' }
  expect((await link(account.api, 'leads', id, sent)).status).toBe(200)
})
