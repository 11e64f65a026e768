// Null is a value of its own: where it is not taken it stands for nothing else, neither for 0 nor for false (decision: type leniency).
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { faultsOf } from '../../test/leads.ts'

test('null is refused where a number, a boolean or a text is wanted, and nothing is written', async () => {
  const { api } = await newAccount()
  const lead = await api.post('/api/v4/leads', [{ price: null }])
  expect([lead.status, faultsOf(lead)]).toEqual([400, { '0': ['NotNullable price'] }])
  const field = await api.post('/api/v4/leads/custom_fields', [
    { name: 'A', type: 'text', is_api_only: null },
  ])
  expect([field.status, faultsOf(field)]).toEqual([400, { '0': ['NotNullable is_api_only'] }])
  const tag = await api.post('/api/v4/leads/tags', [{ name: null }])
  expect([tag.status, faultsOf(tag)]).toEqual([400, { '0': ['NotNullable name'] }])
  expect((await api.get('/api/v4/leads')).body._embedded.leads).toEqual([])
  expect((await api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
})
