// The links that a new record may name, their shape, and the links of a whole page.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  kinds,
  pathOf,
  readRecord,
} from '../../../test/records.ts'
import type { RecordType } from '../../records/description.ts'

test.for<[said: [contact: number, is_main?: boolean][], main: number]>([
  [[[0], [1], [2]], 0],
  [[[0], [1, true], [2]], 1],
  [
    [
      [0, false],
      [1, false],
    ],
    0,
  ],
  [
    [
      [2, true],
      [1, true],
    ],
    2,
  ],
  [[[0], [1, true], [1]], 1],
  [[[1], [0], [1, true], [2]], 1],
])('of the contacts %j the main one is %i, and each is linked once', async ([said, main]) => {
  const account = await newAccount()
  const contacts = await addRecords(account.api, 'contacts', [{}, {}, {}])
  const named = said.map(([place, is_main]) => ({
    id: contacts[place],
    ...(is_main !== undefined && { is_main }),
  }))
  const newsSince = await listen(account)
  const id = await addRecord(account.api, 'leads', { _embedded: { contacts: named } })
  const shown = (await readRecord(account.api, 'leads', id, 'with=contacts'))._embedded.contacts
  const places = [...new Set(said.map(([place]) => place))].toSorted((a, b) => a - b)
  expect(shown.map((each: { id: number; is_main: boolean }) => [each.id, each.is_main])).toEqual(
    places.map((place) => [contacts[place], place === main]),
  )
  expect((await newsSince()).events.filter(({ type }) => type === 'lead_linked')).toHaveLength(
    places.length,
  )
})

test.for(kinds)('of %s, what one does not link to is refused or left alone', async (kind) => {
  const { api } = await newAccount()
  const [one, two] = await addRecords(api, kind, [{}, {}])
  const [lead] = await addRecords(api, 'leads', [{}])
  const own = await api.post(pathOf(kind), [{ _embedded: { [kind]: [{ id: one }] } }])
  expect(faultsOf(own)).toEqual({ 0: [`FieldNotExpected _embedded.${kind}`] })
  const id = await addRecord(api, kind, { _embedded: { leads: [{ id: lead }] } })
  expect((await readRecord(api, kind, id, 'with=leads'))._embedded.leads).toEqual([])
  // Links of existing records are changed by the methods of links.
  expect(
    (await api.patch(`/api/v4/leads/${lead}`, { _embedded: { [kind]: [{ id: two }] } })).status,
  ).toBe(200)
  expect((await readRecord(api, kind, two!, 'with=leads'))._embedded.leads).toEqual([])
})

test.for(['leads', 'contacts'] as const)('%s have one company at most', async (kind) => {
  const { api } = await newAccount()
  const firms = await addRecords(api, 'companies', [{}, {}])
  const refused = await api.post(pathOf(kind), [
    { _embedded: { companies: firms.map((id) => ({ id })) } },
  ])
  expect([refused.status, faultsOf(refused)]).toEqual([400, { 0: ['TooMany _embedded.companies'] }])
})

test('what was read can be sent to make another like it', async () => {
  const account = await newAccount()
  const [contact, second] = await addRecords(account.api, 'contacts', [{}, {}])
  const firm = await addRecord(account.api, 'companies')
  const contacts = [{ id: contact }, { id: second, is_main: true }]
  const lead = await addRecord(account.api, 'leads', {
    _embedded: { contacts, companies: [{ id: firm }] },
  })
  const read = (id: number) => readRecord(account.api, 'leads', id, 'with=contacts')
  const copy = await addRecord(account.api, 'leads', await read(lead))
  expect((await read(copy))._embedded).toEqual((await read(lead))._embedded)
})

test('a page of each kind shows the links of each of its records and of no other', async () => {
  const account = await newAccount()
  const firms = await addRecords(account.api, 'companies', [{}, {}, {}])
  const people = await addRecords(
    account.api,
    'contacts',
    firms.map((id) => ({ _embedded: { companies: [{ id }] } })),
  )
  const of = (place: number) => ({
    contacts: [{ id: people[place] }, { id: people[(place + 1) % 3] }],
    companies: [{ id: firms[place] }],
  })
  const leads = await addRecords(
    account.api,
    'leads',
    [0, 1, 2].map((place) => ({ _embedded: of(place) })),
  )
  const sorted = (...ids: number[]) => ids.toSorted((a, b) => a - b)
  const expected: Record<RecordType, (place: number) => Record<string, number[]>> = {
    leads: (place) => ({
      companies: [firms[place]!],
      contacts: sorted(people[place]!, people[(place + 1) % 3]!),
    }),
    contacts: (place) => ({
      companies: [firms[place]!],
      leads: sorted(leads[place]!, leads[(place + 2) % 3]!),
    }),
    companies: (place) => ({ contacts: [people[place]!], leads: [leads[place]!] }),
  }
  for (const kind of allKinds) {
    const { body } = await account.api.get(`${pathOf(kind)}?with=contacts,leads`)
    const shown = body._embedded[kind].map(
      ({ _embedded: { tags: _, ...links } }: { _embedded: Record<string, { id: number }[]> }) =>
        Object.fromEntries(
          Object.entries(links).map(([name, records]) => [name, records.map(({ id }) => id)]),
        ),
    )
    expect(shown).toEqual([0, 1, 2].map(expected[kind]))
    // Without `with`, there are companies only.
    const [bare] = (await account.api.get(pathOf(kind))).body._embedded[kind]
    expect(Object.keys(bare._embedded)).toEqual(
      kind === 'companies' ? ['tags'] : ['tags', 'companies'],
    )
  }
  const blind = await addUserWith(account, 'leads', { view: 'A' })
  expect((await blind.api.get('/api/v4/leads?with=contacts')).status).toBe(200)
})

test('a link to a record out of sight is not shown', async () => {
  const account = await newAccount()
  const view = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } as const
  const user = await account.addUser({
    rights: { leads: view, contacts: { ...view, view: 'M', edit: 'M' }, companies: view },
  })
  const [hidden, own] = [
    await addRecord(account.api, 'contacts', {}),
    await addRecord(account.api, 'contacts', { responsible_user_id: user.id }),
  ]
  const id = await addRecord(account.api, 'leads', {
    _embedded: { contacts: [{ id: hidden }, { id: own }] },
  })
  const ids = async (api: typeof account.api) =>
    (await readRecord(api, 'leads', id, 'with=contacts'))._embedded.contacts.map(
      (each: { id: number }) => each.id,
    )
  expect(await ids(account.api)).toEqual([hidden, own])
  expect(await ids(user.api)).toEqual([own])
})

test.for(allKinds)(
  'of %s, with embeds the kinds of which there are none yet as empty lists, which can be sent back',
  async (kind) => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, { name: 'One' })
    const names = kind === 'leads' ? ['catalog_elements'] : ['customers', 'catalog_elements']
    const one = await readRecord(api, kind, id, `with=${names.join(',')}`)
    for (const name of names) expect(one._embedded[name]).toEqual([])
    expect((await api.get(`/api/v4/${kind}?with=${names.join(',')}`)).body._embedded[kind]).toEqual(
      [one],
    )
    expect((await api.patch(`/api/v4/${kind}/${id}`, one)).body.updated_at).toBe(one.updated_at)
  },
)
