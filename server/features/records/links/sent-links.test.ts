// Links and deletions that a body names are made, or refused, or there already (interface: Members
// that bodies cannot write): programs send whole records back, with every list as they read it.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addCatalog, addElements, keptLinks } from '../../../../test/links.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { addRecord, allKinds, needed, pathOf } from '../../../../test/records.ts'
import type { RecordType } from '../../../records/description.ts'
import type { SentLinkType } from '../../../records/schema.ts'

/** The lists of linked records that each type shows. */
const lists: Record<RecordType, SentLinkType[]> = {
  leads: ['contacts', 'companies', 'catalog_elements'],
  contacts: ['leads', 'companies', 'customers', 'catalog_elements'],
  companies: ['leads', 'contacts', 'customers', 'catalog_elements'],
  customers: ['contacts', 'companies', 'catalog_elements'],
}
const rows = allKinds.flatMap((kind) => lists[kind].map((list) => ({ kind, list })))

async function addOther({ api }: TestAccount, list: SentLinkType): Promise<Other> {
  if (list !== 'catalog_elements') return { id: await addRecord(api, list), list }
  const catalog = await addCatalog(api, { can_link_multiple: true })
  const [element] = await addElements(api, catalog, 'Goods')
  return { id: element!.id, list, metadata: { quantity: 2, catalog_id: catalog } }
}

/** A record or an element that may be linked. */
interface Other {
  id: number
  list: SentLinkType
  metadata?: object
}

async function link({ api }: TestAccount, kind: RecordType, id: number, other: Other) {
  const { id: to_entity_id, list: to_entity_type, metadata } = other
  const { status, body } = await api.post(`${pathOf(kind)}/${id}/link`, [
    { to_entity_id, to_entity_type, ...(metadata && { metadata }) },
  ])
  expect([status, body]).toEqual([200, body])
}

test.each(allKinds)(
  'a whole record of %s with something in every list may be sent back',
  async (kind) => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, kind)
    for (const list of lists[kind]) await link(account, kind, id, await addOther(account, list))
    const at = `${pathOf(kind)}/${id}`
    const whole = (await api.get(`${at}?with=${lists[kind].join(',')}`)).body
    expect(lists[kind].map((list) => whole._embedded[list].length)).toEqual(
      lists[kind].map(() => 1),
    )
    const links = await keptLinks(account)
    const { status, body } = await api.patch(at, { ...whole, name: 'Sent back' })
    expect([status, body]).toEqual([200, body])
    expect((await api.get(at)).body.name).toBe('Sent back')
    expect(await keptLinks(account)).toEqual(links)
  },
)

describe.each(rows)('in a change of $kind, $list', ({ kind, list }) => {
  test('that are as they are linked count as not sent, and others are refused', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, kind, { name: 'One' })
    const [one, another] = [await addOther(account, list), await addOther(account, list)]
    const [linked, other] = [one.id, another.id]
    await link(account, kind, id, one)
    const at = `${pathOf(kind)}/${id}`
    const whole = (await api.get(`${at}?with=${lists[kind].join(',')}`)).body
    expect(whole._embedded[list].map((each: { id: number }) => each.id)).toEqual([linked])
    const [links, newsSince] = [await keptLinks(account), await listen(account)]
    const sent = (value: unknown, more: object = {}) =>
      api.patch(at, { name: 'One', _embedded: { [list]: value }, ...more })

    for (const same of [whole._embedded[list], [{ id: linked }], [], {}, null])
      expect((await sent(same)).status).toBe(200)
    expect((await api.patch(at, whole)).status).toBe(200)
    const refused = await sent([{ id: linked }, { id: other }], { name: 'Two' })
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 0: [`NotSupportedChoice _embedded.${list}.1`] },
    ])
    expect(JSON.stringify(refused.body)).toContain(`POST /api/v4/${kind}/${id}/link`)
    const batch = await api.patch(pathOf(kind), [{ id, _embedded: { [list]: [{ id: other }] } }])
    expect(batch.status).toBe(400)
    for (const id of [999_999_999, 0, 'x']) expect((await sent([{ id }])).status).toBe(400)
    // An old copy may name what was linked once.
    expect((await sent([{ id: other }], { updated_at: whole.updated_at - 1 })).status).toBe(200)
    expect((await sent([{ id: other }], { updated_at: whole.updated_at })).status).toBe(400)
    expect(await keptLinks(account)).toEqual(links)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('of which the caller may not know are not linked, and UNKNOWN_KEYS=ignore passes all', async () => {
    const lenient = await newAccount({ unknownKeys: 'ignore' })
    const id = await addRecord(lenient.api, kind, { name: 'One' })
    const { id: other } = await addOther(lenient, list)
    const body = { name: 'Two', is_deleted: true, _embedded: { [list]: [{ id: other }] } }
    expect((await lenient.api.patch(`${pathOf(kind)}/${id}`, body)).status).toBe(200)
    expect((await lenient.api.get(`${pathOf(kind)}/${id}`)).body).toMatchObject({ name: 'Two', id })
    expect(await keptLinks(lenient)).toEqual([])

    const account = await newAccount()
    const stranger = await newAccount()
    const own = await addRecord(account.api, kind)
    const { id: theirs } = await addOther(stranger, list)
    const refused = await account.api.patch(`${pathOf(kind)}/${own}`, {
      _embedded: { [list]: [{ id: theirs }] },
    })
    expect(refused.status).toBe(400)
  })
})

describe.each(rows)('in a creation of $kind, $list', ({ kind, list }) => {
  test('are linked, or refused with the way to link them; empty ones are none', async () => {
    const account = await newAccount()
    const { api } = account
    const { id: other } = await addOther(account, list)
    const create = (value: unknown) =>
      api.post(pathOf(kind), [{ ...needed(kind), _embedded: { [list]: value } }])
    for (const empty of [[], {}, null]) expect((await create(empty)).status).toBe(200)
    const before = await keptLinks(account)
    const made = await create([{ id: other }])
    const after = await keptLinks(account)
    if (made.status === 200) expect(after.length).toBeGreaterThan(before.length)
    else {
      expect([made.status, faultsOf(made)]).toEqual([
        400,
        { 0: [`NotSupportedChoice _embedded.${list}`] },
      ])
      expect(JSON.stringify(made.body)).toContain(`POST /api/v4/${kind}/{id}/link`)
      expect(after).toEqual(before)
    }
  })
})

test('goods on other terms, and another main contact, are refused', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await addRecord(api, 'leads')
  const contacts = [await addOther(account, 'contacts'), await addOther(account, 'contacts')]
  const element = await addOther(account, 'catalog_elements')
  for (const other of [...contacts, element]) await link(account, 'leads', id, other)
  const at = `/api/v4/leads/${id}`
  const shown = (await api.get(`${at}?with=contacts`)).body._embedded.contacts
  const sent = async (_embedded: object) => (await api.patch(at, { _embedded })).status
  expect(await sent({ contacts: shown })).toBe(200)
  for (const each of shown)
    expect(await sent({ contacts: [{ ...each, is_main: !each.is_main }] })).toBe(400)
  const goods = (metadata: object) => sent({ catalog_elements: [{ id: element.id, metadata }] })
  for (const [quantity, status] of [
    [2, 200],
    ['2.0', 200],
    [3, 400],
  ])
    expect(await goods({ quantity })).toBe(status)
  expect(await goods({ price_id: 5 })).toBe(400)
})

describe.each(allKinds)('is_deleted of %s', (kind) => {
  test('is refused with the way to delete where it is true, and ignored else', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind)
    const at = `${pathOf(kind)}/${id}`
    for (const is_deleted of [true, 1, 'true', '1']) {
      const refused = await api.patch(at, { is_deleted })
      expect([refused.status, faultsOf(refused)]).toEqual([
        400,
        { 0: ['NotSupportedChoice is_deleted'] },
      ])
      expect(JSON.stringify(refused.body)).toContain(`DELETE /api/v4/${kind}/{id}`)
      expect((await api.post(pathOf(kind), [{ ...needed(kind), is_deleted }])).status).toBe(400)
    }
    for (const is_deleted of [false, 0, null, '0'])
      expect((await api.patch(at, { is_deleted })).status).toBe(200)
    expect((await api.get(at)).status).toBe(200)
  })

  test('computed members are ignored, whatever they hold', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind)
    const at = `${pathOf(kind)}/${id}`
    const before = (await api.get(at)).body
    for (const value of [7, 'x', true, null, [], {}]) {
      const computed = {
        group_id: value,
        account_id: value,
        closest_task_at: value,
        _links: value,
        ...(kind === 'leads' && {
          score: value,
          labor_cost: value,
          source_id: value,
          is_price_modified_by_robot: value,
        }),
        ...(kind === 'contacts' && { is_unsorted: value }),
        ...(kind === 'customers' && { ltv: value, purchases_count: value, average_check: value }),
      }
      expect((await api.patch(at, computed)).status).toBe(200)
      expect((await api.post(pathOf(kind), [{ ...needed(kind), ...computed }])).status).toBe(200)
    }
    expect((await api.get(at)).body).toEqual(before)
  })
})

test('a linked record that the caller may not view is refused like one that is not linked', async () => {
  const account = await newAccount()
  const [all, none] = [
    { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const,
    { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const,
  ]
  const limited = await account.addUser({ rights: { leads: all, contacts: none } })
  const id = await addRecord(account.api, 'leads')
  const other = await addOther(account, 'contacts')
  await link(account, 'leads', id, other)
  const sent = { _embedded: { contacts: [{ id: other.id }] } }
  expect((await account.api.patch(`/api/v4/leads/${id}`, sent)).status).toBe(200)
  expect((await limited.api.patch(`/api/v4/leads/${id}`, sent)).status).toBe(400)
})
