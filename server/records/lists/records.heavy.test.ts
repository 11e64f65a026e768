// Pages of large records end before their limit.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addFields, valueOf } from '../../../test/fields.ts'
import { addRecord, addRecords, idsIn } from '../../../test/records.ts'

const longestPage = 16 * 1024 * 1024

test('a page of heavy records ends early, and the next begins with the one that did not fit', async () => {
  const account = await newAccount({ bodyLimit: 64 * 1024 * 1024 })
  const { api } = account
  const fields = await addFields(
    account,
    'leads',
    Array.from({ length: 4 }, () => ({ type: 'textarea' as const })),
  )
  const custom_fields_values = fields.map((field) => valueOf(field, { value: 'x'.repeat(64_000) }))
  const light = await addRecord(api, 'leads', { name: 'Light' })
  const heavy = await addRecords(
    api,
    'leads',
    Array.from({ length: 70 }, (_, place) => ({ price: place % 7, custom_fields_values })),
  )
  const all = [light, ...heavy]

  const path = '/api/v4/leads?limit=70'
  const first = await api.get(path)
  const count = idsIn(first, 'leads').length
  const length = (lead: object) => JSON.stringify(lead).length
  const shown = first.body._embedded.leads.reduce(
    (sum: number, lead: object) => sum + length(lead),
    0,
  )
  expect(shown).toBeLessThanOrEqual(longestPage)
  expect(shown + length(first.body._embedded.leads.at(-1))).toBeGreaterThan(longestPage)
  expect(idsIn(first, 'leads')).toEqual(all.slice(0, count))

  const { next } = first.body._links
  const hinted = await api.get(next.href)
  const counted = await api.get(`${path}&page=2`)
  for (const second of [hinted, counted]) {
    expect(idsIn(second, 'leads')).toEqual(all.slice(count))
    expect(second.body._page).toBe(2)
    expect(Object.keys(second.body._links)).toEqual(['self', 'first', 'prev'])
  }

  const sorted = `${path}&order[updated_at]=desc`
  const begin = await api.get(sorted)
  const end = await api.get(begin.body._links.next.href)
  expect([...idsIn(begin, 'leads'), ...idsIn(end, 'leads')]).toEqual(all.toReversed())

  expect(idsIn(await api.get('/api/v4/leads?limit=60'), 'leads')).toEqual(all.slice(0, 60))
}, 60_000)
