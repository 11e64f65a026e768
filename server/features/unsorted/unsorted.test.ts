// Unsorted items in version 4, and what becomes of them.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'

const path = '/api/v4/leads/unsorted'

test('smoke', async () => {
  const { api } = await newAccount()
  const made = await api.post(`${path}/forms`, [
    {
      source_name: 'Shop form',
      source_uid: 'req-77',
      metadata: {
        form_id: 'cb',
        form_name: 'Call back',
        form_page: 'https://shop.example/cb',
        ip: '192.0.2.9',
        form_sent_at: 1700000000,
      },
      _embedded: {
        leads: [{ name: 'Call back 77', price: 5, _embedded: { tags: [{ name: 'site' }] } }],
        contacts: [
          {
            name: 'Ann',
            custom_fields_values: [{ field_code: 'PHONE', values: [{ value: '+10000000000' }] }],
          },
        ],
        companies: [{ name: 'Acme' }],
      },
    },
  ])
  console.log(JSON.stringify(made.body, null, 1))
  const { uid } = made.body._embedded.unsorted[0]
  console.log(JSON.stringify((await api.get(path)).body, null, 1))
  console.log(JSON.stringify((await api.get(`/api/v4/leads`)).body))
  console.log(JSON.stringify((await api.get(`${path}/summary`)).body))
  const accepted = await api.post(`${path}/${uid}/accept`, {})
  console.log(JSON.stringify(accepted.body))
  console.log(JSON.stringify((await api.get(`/api/v4/leads?with=contacts`)).body))
  console.log(JSON.stringify((await api.get(`/api/v4/contacts`)).body))
  console.log(
    JSON.stringify(
      (await api.get(`/api/v4/events`)).body._embedded.events.map(
        (e: { entity_type: string; type: string }) => [e.entity_type, e.type],
      ),
    ),
  )
  console.log(JSON.stringify((await api.get(`${path}/summary`)).body))
  expect(1).toBe(1)
})
