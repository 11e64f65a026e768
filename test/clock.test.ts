// A clock that was put back: nothing is shown as changed, or closed, before it was created.
import sql, { join, raw } from 'sql-template-tag'
import { afterEach, expect, test } from 'vitest'
import { setAccount } from '../server/features/people/accounts/accounts.ts'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { addComplex, item, person, phone, withControl } from './complex.ts'
import { addPipeline, listen, readLead, won } from './leads.ts'
import { addNote, readNote, text } from './notes.ts'
import { addReasons } from './origins.ts'
import { addRecord, allKinds, pathOf, readRecord } from './records.ts'
import { server } from './server.ts'

const anHour = 3600

// The tests share a server, and tokens are made by its clock.
afterEach(async () => {
  const { clock } = await server({})
  clock.ahead = 0
})

/** The tables of an account in which a row was changed before it was created. */
async function backwards({ id, kontor: { database } }: TestAccount): Promise<string[]> {
  const tables = await database.rows<{ name: string }>(sql`
    select relname as name from pg_class join pg_attribute made on made.attrelid = pg_class.oid
           join pg_attribute changed on changed.attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind = 'r' and made.attname = 'created_at'
       and changed.attname = 'updated_at' order by 1`)
  expect(tables.length).toBeGreaterThan(7)
  const counts = tables.map(({ name }) => {
    const column = raw(name === 'accounts' ? 'id' : 'account_id')
    return sql`select ${name} as name from ${raw(name)} where ${column} = ${id} and updated_at < created_at`
  })
  return (await database.list<{ name: string }>(join(counts, ' union all '))).map(
    ({ name }) => name,
  )
}

test.for(allKinds)('%s are changed, linked, deleted and restored', async (kind) => {
  const account = await newAccount()
  const { api, clock } = account
  clock.ahead = anHour
  const id = await addRecord(api, kind)
  const other = await addRecord(api, kind === 'contacts' ? 'companies' : 'contacts')
  const { created_at } = await readRecord(api, kind, id)
  clock.ahead = 0
  const shown = async () => {
    const { updated_at, created_at: made } = await readRecord(api, kind, id)
    return [updated_at, made]
  }
  const at = `${pathOf(kind)}/${id}`
  expect((await api.patch(at, { name: 'Another' })).body.updated_at).toBe(created_at)
  expect(await shown()).toEqual([created_at, created_at])
  const newsSince = await listen(account)
  const link = [
    { to_entity_id: other, to_entity_type: kind === 'contacts' ? 'companies' : 'contacts' },
  ]
  expect((await api.post(`${at}/link`, link)).status).toBe(200)
  expect(await shown()).toEqual([created_at, created_at])
  // The time did not change, so the journal does not say so.
  const { journal } = await newsSince()
  expect(journal.map(({ before }) => Object.keys(before ?? {}))).toEqual([[], []])
  await api.delete(at)
  expect(await backwards(account)).toEqual([])
  await api.post(`${at}/restore`)
  expect(await shown()).toEqual([created_at, created_at])
  // A creation time that is given later than the change, too.
  await api.patch(at, { created_at: created_at + 5 })
  expect(await shown()).toEqual([created_at + 5, created_at + 5])
  // A time that the client gives does not lead back either.
  await api.patch(at, { updated_at: 7 })
  expect(await shown()).toEqual([created_at + 5, created_at + 5])
  // The clock is right again, and decides.
  clock.ahead = 2 * anHour
  await api.patch(at, { name: 'A third' })
  expect((await shown())[0]).toBeGreaterThan(created_at + 5)
})

test('leads are closed, also when their stage goes', async () => {
  const account = await newAccount()
  const { api, clock } = account
  const stages = await addPipeline(account)
  clock.ahead = anHour
  const [one, two] = [
    await addRecord(api, 'leads'),
    await addRecord(api, 'leads', { pipeline_id: stages.id }),
  ]
  const { created_at } = await readLead(api, one)
  clock.ahead = 0
  await api.patch(`/api/v4/leads/${one}`, { status_id: won })
  expect(await readLead(api, one)).toMatchObject({ closed_at: created_at, updated_at: created_at })
  await api.delete(`/api/v4/leads/${two}`)
  expect((await api.delete(`/api/v4/leads/pipelines/${stages.id}`)).status).toBe(204)
  const [late] = (await api.post('/api/v4/leads', [{ created_at: created_at + 9, status_id: won }]))
    .body._embedded.leads
  const { closed_at, updated_at } = await readLead(api, late.id)
  expect([closed_at, updated_at]).toEqual([created_at + 9, created_at + 9])
  expect(await backwards(account)).toEqual([])
})

test('a stored contact and lead gain what they lack', async () => {
  const { account, api } = await withControl()
  account.clock.ahead = anHour
  const [first] = await addComplex(account.api, item(person(phone('1'))))
  account.clock.ahead = 0
  const [made] = await addComplex(
    api,
    item(person(phone('1', '2')), { name: 'Acme' }, { price: 5 }),
  )
  expect(made).toMatchObject({ id: first!.id, merged: true })
  for (const [kind, id] of [
    ['leads', made!.id],
    ['contacts', made!.contact_id!],
  ] as const) {
    const { created_at, updated_at } = await readRecord(api, kind, id)
    expect(updated_at).toBe(created_at)
  }
  expect(await backwards(account)).toEqual([])
})

test('notes, loss reasons, descriptions of stages, integrations, users and the account are changed', async () => {
  const account = await newAccount()
  const { api, clock, kontor } = account
  const web = '/web/v1'
  const lead = await addRecord(api, 'leads')
  clock.ahead = anHour
  const note = await addNote(api, 'leads', lead)
  const [reason] = await addReasons(account, 'Too dear')
  const { id: pipeline, statuses } = await addPipeline(account)
  const status = `/api/v4/leads/pipelines/${pipeline}/statuses/${statuses[0]}`
  const described = (description: string) => ({ descriptions: [{ level: 'newbie', description }] })
  expect((await api.patch(status, described('One'))).status).toBe(200)
  const { client_id } = await account.addIntegration({})
  const user = await account.addUser()
  const password = 'correct horse'
  const owner = await account.addUser({ password, is_admin: true })
  const role = (await api.post('/api/v4/roles', [{ name: 'A role', rights: {} }])).body._embedded
    .roles[0].id
  const group = (await api.send('POST', `${web}/groups`, { name: 'A group' })).body.id
  await kontor.database.transaction((tx) =>
    tx.rows(sql`update accounts set created_at = ${kontor.now()} where id = ${account.id}`),
  )
  clock.ahead = 0
  const written = [
    await api.patch(`/api/v4/leads/${lead}/notes/${note}`, text('y')),
    await api.patch(`/api/v4/leads/loss_reasons/${reason}`, { name: 'Silence' }),
    await api.patch(status, described('Two')),
    await api.send('PATCH', `${web}/integrations/${client_id}`, { name: 'Another' }),
    await owner.api.send('POST', `${web}/integrations/${client_id}/secret`, { password }),
    await api.send('PATCH', `${web}/users/${user.id}`, { role_id: role }),
    await api.delete(`/api/v4/roles/${role}`),
    await api.send('PATCH', `${web}/users/${user.id}`, { group_id: group }),
    await api.post('/api/v4/users/deactivate', [{ id: user.id }]),
  ]
  expect(written.map(({ status }) => status).filter((each) => each >= 300 || each < 200)).toEqual(
    [],
  )
  await kontor.database.transaction((tx) =>
    setAccount(tx, kontor.now(), account.subdomain, { isUnpaid: false, name: 'Another' }),
  )
  expect(await backwards(account)).toEqual([])
  const { created_at, updated_at } = await readNote(api, 'leads', note)
  expect(updated_at).toBe(created_at)
  await api.send('DELETE', `${web}/integrations/${client_id}`)
  expect(await backwards(account)).toEqual([])
})
