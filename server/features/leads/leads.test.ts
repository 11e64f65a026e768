import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'

test('leads are created in the order of the question, with defaults', async () => {
  const { api, admin } = await newAccount()
  const { body } = await api.post('/api/v4/leads', [{ name: 'One', price: 5 }, { request_id: 'x' }])
  const [one, two] = body._embedded.leads
  expect([one.request_id, two.request_id]).toEqual(['0', 'x'])
  const read = await api.get(two._links.self.href)
  expect(read.body).toMatchObject({ name: `Lead #${two.id}`, price: 0, responsible_user_id: admin.id, closed_at: null })
})
