// The demo account: a newcomer finds something of everything in it.
import { beforeAll, expect, test, vi } from 'vitest'
import sql from 'sql-template-tag'
import { client } from '../../test/client.ts'
import type { Client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import { server } from '../../test/server.ts'
import { signIn } from '../../test/session.ts'
import { connect } from '../database/connect.ts'
import type { Kontor } from '../kontor.ts'
import { createDemo } from './demo.ts'
import type { Demo } from './demo.ts'

let kontor: Kontor
let demo: Demo
let api: Client

beforeAll(async () => {
  kontor = (await server()).kontor
  demo = await createDemo(kontor)
  const { client_id, client_secret, redirect_uri, code } = demo
  const grant = { client_id, client_secret, redirect_uri, code, grant_type: 'authorization_code' }
  const { body } = await client(kontor).post('/oauth2/access_token', grant)
  api = client(kontor, body.access_token)
})

// oxlint-disable-next-line typescript/no-explicit-any -- records are read freely
type Found = any

const list = async (path: string, collection: string, as = api): Promise<Found[]> =>
  (await as.get(`/api/v4/${path}${path.includes('?') ? '&' : '?'}limit=250`)).body?._embedded[
    collection
  ] ?? []

test('it has forty leads in every stage, with reasons, sources, contacts, companies and tags', async () => {
  const leads = await list('leads?with=contacts,loss_reason,source', 'leads')
  expect(leads).toHaveLength(40)
  const statuses = (await list('leads/pipelines', 'pipelines')).flatMap(({ id, _embedded }) =>
    _embedded.statuses
      .filter(({ type }: Found) => type === 0)
      .map((status: Found) => `${id} ${status.id}`),
  )
  const used = new Set(leads.map(({ pipeline_id, status_id }) => `${pipeline_id} ${status_id}`))
  // Nothing is won or lost with partners.
  const empty = statuses.filter((status) => !used.has(status))
  expect(empty.map((status) => status.split(' ')[1])).toEqual(['142', '143'])
  for (const lead of leads) {
    const { contacts, companies, tags, source, loss_reason } = lead._embedded
    expect([contacts.length, companies.length]).toEqual([1, 1])
    expect(tags.length).toBeGreaterThan(0)
    expect(source.name).toMatch(/Website form|Trade fair|Partner referral/)
    expect(loss_reason.length).toBe(lead.status_id === 143 ? 1 : 0)
    expect(lead.closed_at !== null).toBe([142, 143].includes(lead.status_id))
    expect(lead.created_at).toBeLessThanOrEqual(kontor.now())
    expect(lead.closed_at ?? lead.created_at).toBeGreaterThanOrEqual(lead.created_at)
  }
  expect(new Set(leads.map(({ name }) => name)).size).toBe(40)
})

test('it has contacts and companies that belong together, with tags', async () => {
  const [contacts, companies] = [
    await list('contacts', 'contacts'),
    await list('companies', 'companies'),
  ]
  expect([contacts.length, companies.length]).toEqual([20, 12])
  for (const { _embedded } of contacts) expect(_embedded.companies).toHaveLength(1)
  for (const { _embedded } of [...contacts, ...companies])
    expect(_embedded.tags.length).toBeGreaterThan(0)
  for (const lead of await list('leads?with=contacts', 'leads')) {
    const contact = contacts.find(({ id }) => id === lead._embedded.contacts[0].id)
    expect(contact._embedded.companies[0].id).toBe(lead._embedded.companies[0].id)
  }
})

test('it has a custom field with values of every type that needs no list and no file', async () => {
  const types = new Set<string>()
  for (const type of ['leads', 'contacts', 'companies']) {
    const used = new Set(
      (await list(type, type)).flatMap(({ custom_fields_values: values }) =>
        (values ?? []).map(({ field_id }: Found) => field_id),
      ),
    )
    for (const field of await list(`${type}/custom_fields`, 'custom_fields')) {
      if (used.has(field.id)) types.add(field.type)
      // Programs fill the predefined fields of statistics.
      else expect(field.is_predefined).toBe(true)
    }
  }
  expect([...types].toSorted()).toEqual([
    'birthday',
    'checkbox',
    'date',
    'date_time',
    'legal_entity',
    'monetary',
    'multiselect',
    'multitext',
    'numeric',
    'radiobutton',
    'select',
    'smart_address',
    'streetaddress',
    'text',
    'textarea',
    'tracking_data',
    'url',
  ])
})

test('it has loss reasons, sources, and notes of several types, one of them pinned', async () => {
  expect(await list('leads/loss_reasons', 'loss_reasons')).toHaveLength(4)
  expect(await list('sources', 'sources')).toHaveLength(3)
  const notes = [
    ...(await list('leads/notes?with=is_pinned', 'notes')),
    ...(await list('contacts/notes?with=is_pinned', 'notes')),
  ]
  expect(new Set(notes.map(({ note_type }) => note_type))).toEqual(
    new Set(['call_in', 'call_out', 'common', 'service_message', 'sms_out']),
  )
  expect(notes.filter(({ is_pinned }) => is_pinned)).toHaveLength(1)
})

test('its second user signs in, has a role and a group, and views own leads only', async () => {
  const { sales_email: email, sales_password: password, subdomain } = demo
  const robin = await signIn(kontor, { email, password, account: subdomain })
  const own = await list('leads', 'leads', robin.api)
  expect(own.length).toBeGreaterThan(5)
  expect(own.length).toBeLessThan(20)
  expect(await list('contacts', 'contacts', robin.api)).toHaveLength(20)
  const [admin, sales] = await list('users?with=role,group', 'users')
  expect(admin.rights.is_admin).toBe(true)
  expect(sales).toMatchObject({
    email,
    rights: { is_admin: false },
    _embedded: { roles: [{ name: 'Salesperson' }], groups: [{ name: 'Field sales' }] },
  })
  const theirs = (await list('leads', 'leads')).find(({ id }) =>
    own.every((lead) => lead.id !== id),
  )
  expect((await robin.api.get(`/api/v4/leads/${theirs.id}`)).status).toBe(403)
})

test('killed in the middle, it leaves nothing behind', async () => {
  const scratch = await scratchDatabase()
  const home = await newHome({ DATABASE_URL: scratch.url })
  const database = connect(scratch.url, 2)
  try {
    expect((await home.run(['migrate'])).code).toBe(0)
    await database.transaction(async (tx) => {
      // The demo waits in the middle, with its first records.
      await tx.rows(sql`lock table notes in share mode`)
      const { child, ended } = home.begin(['demo'])
      await vi.waitUntil(
        async () =>
          (
            await database.rows(
              sql`select from pg_locks where not granted and relation = 'notes'::regclass`,
            )
          ).length > 0,
        { timeout: 30_000, interval: 20 },
      )
      process.kill(-child.pid!, 'SIGKILL')
      await ended
    })
    await vi.waitUntil(
      async () =>
        (
          await database.rows(
            sql`select from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
          )
        ).length === 0,
      { timeout: 30_000, interval: 20 },
    )
    expect(await database.rows(sql`select from accounts`)).toEqual([])
    const { code, stdout } = await home.run(['demo', '--json'])
    expect([code, (JSON.parse(stdout) as Demo).subdomain]).toEqual([0, 'demo'])
  } finally {
    await database.close()
    await home.close()
    await scratch.drop()
  }
})
