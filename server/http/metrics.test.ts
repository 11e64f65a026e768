import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { server } from '../../test/server.ts'

async function metrics(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}/metrics`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The value of a line, by its name and its labels in any order. */
function value(text: string, name: string, labels: Record<string, string> = {}): number {
  const parts = Object.entries(labels).map(([label, each]) => `${label}="${each}"`)
  const line = text
    .split('\n')
    .find(
      (each) => new RegExp(`^${name}[{ ]`).test(each) && parts.every((part) => each.includes(part)),
    )
  return Number(line?.split(' ').at(-1))
}

test('requests are counted by method, route and class of status', async () => {
  const { api, kontor } = await newAccount({ binDays: 9 })
  const { body } = await api.post('/api/v4/leads', [{ name: 'A lead' }])
  const { id } = body._embedded.leads[0]
  await api.get(`/api/v4/leads/${id}`)
  await api.get('/api/v4/leads/9007199254740991')
  await client(kontor).get(`/api/v4/leads/${id}`)
  const { status, headers, text } = await metrics(kontor.url)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const name = 'kontor_http_request_duration_seconds_count'
  expect(value(text, name, { method: 'GET', route: '/api/v4/leads/:id', status: '2xx' })).toBe(1)
  expect(value(text, name, { method: 'GET', route: '/api/v4/leads/:id', status: '4xx' })).toBe(2)
  expect(value(text, name, { method: 'POST', route: '/api/v4/leads', status: '2xx' })).toBe(1)
  expect(value(text, 'kontor_http_requests_in_flight')).toBe(1)
  expect(text).not.toContain(String(id))
  expect(text).not.toContain('test-')
})

test('what no route knows is one line, whatever it is called', async () => {
  const { address } = await server({ binDays: 7 })
  for (let n = 0; n < 50; n++)
    await fetch(`${address}/secret-${n}?token=${n}`, { method: n % 2 ? 'DELETE' : 'GET' })
  const { text } = await metrics(address)
  expect(value(text, 'kontor_http_request_duration_seconds_count', { route: 'none' })).toBe(50)
  expect(
    text
      .split('\n')
      .filter((line) => line.startsWith('kontor_http_request_duration_seconds_count')),
  ).toHaveLength(1)
  expect(text).not.toContain('secret')
})

test('the process, the pool and the followers are told', async () => {
  const { address, kontor } = await server({ binDays: 8 })
  await kontor.database.rows(sql`
    insert into followers (name, low_water, system_identifier, updated_at)
    select 'metrics test', greatest(0, case when is_called then last_value else 0 end - 7), '', 0 from journal_id
    on conflict (name) do nothing`)
  const { text } = await metrics(address)
  expect(value(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(value(text, 'kontor_database_up')).toBe(1)
  expect(value(text, 'kontor_database_connections_total')).toBeGreaterThan(0)
  // A follower of the server may wait for its connection in the moment of one answer.
  await expect
    .poll(async () => value((await metrics(address)).text, 'kontor_database_waiting'))
    .toBe(0)
  expect(value(text, 'kontor_follower_lag', { follower: 'metrics test' })).toBeGreaterThanOrEqual(0)
  expect(value(text, 'kontor_http_requests_rejected_total', { limit: 'account' })).toBe(0)
  await kontor.database.rows(sql`delete from followers where name = 'metrics test'`)
})

test('only the machine itself may read them, and no proxy on it', async () => {
  const { address } = await server()
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])
    expect((await metrics(address, { [name]: '198.51.100.1' })).status).toBe(403)
  expect((await metrics(address)).status).toBe(200)
})

test('METRICS_TOKEN opens them to whoever shows it', async () => {
  const { address } = await server({ metricsToken: 'a long secret' })
  const from = { 'x-forwarded-for': '198.51.100.1' }
  expect((await metrics(address, { ...from, authorization: 'Bearer a long secret' })).status).toBe(
    401,
  )
  const { address: other } = await server({ metricsToken: 'a-long-secret' })
  expect((await metrics(other, { ...from, authorization: 'Bearer a-long-secret' })).status).toBe(
    200,
  )
  const refused = await metrics(other, { ...from, authorization: 'Bearer another' })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  expect((await metrics(other, from)).status).toBe(401)
})
