// Keys that companies lack. Tests that they share with contacts are in server/records.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { faultsOf } from '../../../../test/leads.ts'
import { addRecord } from '../../../../test/records.ts'

test('a company has no parts of a name, no stage, no price and no company, and says so', async () => {
  const { api } = await newAccount()
  const id = await addRecord(api, 'companies', { name: 'Firm' })
  const foreign = {
    first_name: 'Ann',
    last_name: 'Lee',
    is_unsorted: false,
    price: 5,
    status_id: 142,
    _embedded: { companies: [{ id }] },
  }
  const paths = [
    'first_name',
    'last_name',
    'is_unsorted',
    'price',
    'status_id',
    '_embedded.companies',
  ]
  for (const answer of [
    await api.post('/api/v4/companies', [foreign]),
    await api.patch('/api/v4/companies', [{ id, ...foreign }]),
  ]) {
    expect(answer.status).toBe(400)
    expect(faultsOf(answer)[0]?.toSorted()).toEqual(
      paths.map((path) => `FieldNotExpected ${path}`).toSorted(),
    )
  }
})

test('a name of 255 characters is taken, one of 256 is not', async () => {
  const { api } = await newAccount()
  expect((await api.post('/api/v4/companies', [{ name: '😀'.repeat(255) }])).status).toBe(200)
  expect(faultsOf(await api.post('/api/v4/companies', [{ name: '😀'.repeat(256) }]))).toEqual({
    0: ['TooLong name'],
  })
})
