import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import { addField } from '../../../../test/fields.ts'
import {
  ended,
  lockLead,
  startDefinitionJob,
  undo,
  writeUntilEnded,
} from '../../../../test/jobs.ts'
import { addLead, addLeads, listen } from '../../../../test/leads.ts'
import { newPair } from '../../../../test/oauth.ts'
import { addRecords, allKinds, pathOf } from '../../../../test/records.ts'
import type { RecordType } from '../../../records/description.ts'

const path = '/web/v1/definition-jobs'

interface List {
  kind: RecordType
  id: number
  /** The ids of its choices. */
  choices: number[]
}

async function addList(
  account: TestAccount,
  kind: RecordType,
  type: 'select' | 'multiselect' | 'radiobutton' = 'select',
): Promise<List> {
  const enums = ['Post', ['Courier', 'courier'], 'Van'] as (string | [string, string])[]
  const { id, enums: made } = await addField(account, kind, { type, name: 'Delivery', enums })
  return { kind, id, choices: made.map((choice) => choice.id) }
}

const merge = ({ id: field_id }: List, enum_id: number, into: number) => ({
  merge_option: { field_id, enum_id, into },
})
const remove = ({ id: field_id }: List, enum_id: number) => ({
  delete_option: { field_id, enum_id },
})

const having = ({ id }: List, ...choices: number[]) => ({
  custom_fields_values: [{ field_id: id, values: choices.map((enum_id) => ({ enum_id })) }],
})

/** The choices that records have in the table, in the bin too, and by the index of their lists. */
async function kept({ id: account, kontor: { database } }: TestAccount, list: List, ids: number[]) {
  const { kind, id: field } = list
  const rows = await database.rows<{ id: number; stored: number[]; found: number[] }>(sql`
    select record.id, coalesce(record.custom_fields_values -> ${String(field)}, '[]') as stored,
           (select coalesce(json_agg(key.value order by key.value), '[]') from field_numbers key
             where key.account_id = ${account} and key.field_id = ${field} and key.entity_type = ${kind} and key.entity_id = record.id) as found
      from ${raw(kind)} record where record.account_id = ${account} and record.id = any(${ids}::bigint[]) order by record.id`)
  for (const { stored, found } of rows)
    expect(found.toSorted((a, b) => a - b)).toEqual(stored.toSorted((a, b) => a - b))
  return rows.map(({ stored }) => stored)
}

const shown = async (api: Client, { kind, id }: List) => {
  const { body } = await api.get(`/web/v1/fields/${kind}`)
  return body.fields.find((field: { id: number }) => field.id === id).enums
}

test.for(allKinds)('a choice of %s is merged with its records, and comes back', async (kind) => {
  const account = await newAccount()
  const { api } = account
  const list = await addList(account, kind, 'multiselect')
  const [post, courier, van] = list.choices as [number, number, number]
  await api.patch(`/web/v1/fields/${kind}/${list.id}/enums/${courier}`, { color: '#98cbff' })
  const before = await shown(api, list)
  const drafts = [[courier], [van, courier, post], [courier], [courier], [van]]
  const ids = await addRecords(
    api,
    kind,
    drafts.map((choices) => having(list, ...choices)),
  )
  const [single, several, changes, goes] = ids as [number, number, number, number]
  const binned = await addRecords(api, kind, [having(list, courier, van)])
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update ${raw(kind)} set is_deleted = true where account_id = ${account.id} and id = ${binned[0]}`,
    ),
  )
  const all = [...ids, ...binned]
  const news = await listen(account)

  const job = await ended(api, await startDefinitionJob(api, merge(list, courier, post)))
  expect(job).toMatchObject({
    kind: 'merge_option',
    entity_type: kind,
    definition: { kind: 'merge_option', name: 'Courier', into: 'Post' },
    state: 'done',
    total: 5,
    done: 5,
    skipped: 0,
    may_undo: true,
  })
  // A record that has both keeps one, at its place.
  const merged = [[post], [van, post], [post], [post], [van], [post, van]]
  expect(await kept(account, list, all)).toEqual(merged)
  expect((await shown(api, list)).map(({ id }: { id: number }) => id)).toEqual([post, van])
  // Records outside of the bin tell of the change.
  const { journal } = await news()
  expect(journal.map(({ entity_id }) => entity_id)).toEqual([single, several, changes, goes])

  await api.patch(pathOf(kind), [{ id: changes, ...having(list, van) }])
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update ${raw(kind)} set is_deleted = true where account_id = ${account.id} and id = ${goes}`,
    ),
  )
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ state: 'done', done: 3, skipped: 2 })
  expect(undone.faults.map(({ id }) => id)).toEqual([changes, goes])
  expect(await kept(account, list, all)).toEqual([
    [courier],
    [van, courier, post],
    [van],
    [post],
    [van],
    [courier, van],
  ])
  expect(await shown(api, list)).toEqual(before)
})

test('a choice of a list of one is deleted from its records, and comes back between the others', async () => {
  const account = await newAccount()
  const { api } = account
  for (const type of ['select', 'radiobutton'] as const) {
    const list = await addList(account, 'leads', type)
    const [post, courier, van] = list.choices as [number, number, number]
    const before = await shown(api, list)
    const ids = await addLeads(api, [having(list, courier), having(list, post)])
    const inBin = await addLead(api, having(list, courier))
    await api.delete(`/api/v4/leads/${inBin}`)
    const job = await ended(api, await startDefinitionJob(api, remove(list, courier)))
    expect(job).toMatchObject({ kind: 'delete_option', state: 'done', done: 2, skipped: 0 })
    expect(await kept(account, list, [...ids, inBin])).toEqual([[], [post], []])
    expect((await shown(api, list)).map(({ id }: { id: number }) => id)).toEqual([post, van])
    expect(await undo(api, job)).toMatchObject({ state: 'done', done: 2, skipped: 0 })
    expect(await kept(account, list, [...ids, inBin])).toEqual([[courier], [post], [courier]])
    expect(await shown(api, list)).toEqual(before)
  }
})

test('what colleagues and programs give the choice meanwhile is merged too, and none is lost', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const list = await addList(account, 'leads', 'multiselect')
  const [post, courier, van] = list.choices as [number, number, number]
  const ids = await addLeads(
    api,
    Array.from({ length: 250 }, () => having(list, courier)),
  )
  const colleague = await account.addUser({ is_admin: true })
  const program = client(kontor, (await newPair(account)).access_token)
  const asked = await startDefinitionJob(api, merge(list, courier, post))
  const { job, statuses, written } = await writeUntilEnded(api, asked, [
    () => program.post('/api/v4/leads', [having(list, courier), having(list, van, courier)]),
    (turn) =>
      colleague.api.patch('/api/v4/leads', [
        { id: ids[turn % ids.length], ...having(list, van, courier) },
        { id: ids[(turn + 100) % ids.length], ...having(list, courier) },
      ]),
  ])
  expect(job).toMatchObject({ state: 'done', skipped: 0 })
  // Refused once the choice is gone, never failed.
  expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([])
  expect(statuses).toContain(200)
  const all = [...new Set([...ids, ...written])].toSorted((a, b) => a - b)
  const stored = await kept(account, list, all)
  expect(stored.length).toBe(all.length)
  // Each has the other choice now, since each had the dead one.
  expect(stored.filter((choices) => !choices.includes(post) || choices.includes(courier))).toEqual(
    [],
  )
  // A record that had it twice is counted twice, and goes back to what it had last.
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: all.length, skipped: 0 })
  expect((await kept(account, list, all)).every((choices) => choices.includes(courier))).toBe(true)
})

test('the last step waits for no record that a colleague holds, who gets the choice in at last', async () => {
  const account = await newAccount()
  const { api } = account
  const list = await addList(account, 'leads')
  const [post, courier] = list.choices as [number, number]
  const [held] = await addLeads(api, [having(list, courier), having(list, courier)])
  const letGo = await lockLead(account, held!)
  const asked = await startDefinitionJob(api, merge(list, courier, post))
  await expect.poll(letGo.isWaitedFor, { timeout: 10_000, interval: 20 }).toBe(true)
  expect((await api.post('/api/v4/leads', [having(list, courier)])).status).toBe(200)
  await letGo()
  expect(await ended(api, asked)).toMatchObject({ state: 'done', done: 3, skipped: 0 })
})

test('a merge that cannot be is refused before anything changes', async () => {
  const account = await newAccount()
  const { api } = account
  const list = await addList(account, 'companies')
  const [post, courier] = list.choices as [number, number]
  const { id: one, enums: only } = await addField(account, 'leads', {
    type: 'select',
    enums: ['x'],
  })
  const { id: text } = await addField(account, 'leads', { type: 'text' })
  const { body: contacts } = await api.get('/api/v4/contacts/custom_fields')
  const phone = contacts._embedded.custom_fields.find(
    ({ code }: { code: string }) => code === 'PHONE',
  )
  const segments = await api.post('/api/v4/customers/segments/custom_fields', [
    { name: 'Region', type: 'select', enums: [{ value: 'North' }, { value: 'South' }] },
  ])
  const region = segments.body._embedded.custom_fields[0]
  const seller = await account.addUser({ is_admin: false })
  const stranger = await newAccount()
  const fieldOf = (id: number): List => ({ kind: 'leads', id, choices: [] })
  const [work, mobile] = phone.enums as { id: number }[]
  for (const [by, request, answer] of [
    [api, merge(list, post, post), 400],
    [api, merge(list, post, 1), 404],
    [api, merge(list, 1, post), 404],
    [api, merge(fieldOf(1), post, courier), 404],
    [api, merge(fieldOf(text), post, courier), 400],
    [api, merge(fieldOf(phone.id), work!.id, mobile!.id), 400],
    [api, merge(fieldOf(region.id), region.enums[0].id, region.enums[1].id), 400],
    [api, remove(list, 1), 404],
    [api, remove(fieldOf(one), only[0]!.id), 400],
    [seller.api, merge(list, post, courier), 403],
    [seller.api, remove(list, post), 403],
    [stranger.api, merge(list, post, courier), 404],
    [stranger.api, remove(list, post), 404],
  ] as const)
    expect([request, (await by.post(path, request)).status]).toEqual([request, answer])
  expect((await api.get('/web/v1/jobs')).body.jobs).toEqual([])
  // A job is its asker's alone, whoever else is an administrator.
  const boss = await account.addUser({ is_admin: true })
  const job = await ended(api, await startDefinitionJob(api, merge(list, post, courier)))
  for (const other of [boss.api, seller.api, stranger.api])
    expect((await other.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(404)
})

test('what is in the way of the undo is named, and it can be tried again', async () => {
  const account = await newAccount()
  const { api } = account
  const list = await addList(account, 'leads')
  const [post, courier, van] = list.choices as [number, number, number]
  const lead = await addLead(api, having(list, courier))
  const job = await ended(api, await startDefinitionJob(api, remove(list, courier)))
  const enums = `/web/v1/fields/leads/${list.id}/enums`
  const { body } = await api.post(enums, { values: ['courier'] })
  const other = body.field.enums.at(-1).id
  expect(await undo(api, job)).toMatchObject({
    state: 'failed',
    detail: 'Another choice of the field is called Courier now',
  })
  await api.patch(`${enums}/${other}`, { value: 'Another', code: 'courier' })
  expect(await undo(api, job)).toMatchObject({
    state: 'failed',
    detail: 'Another choice of the field has the code courier now',
  })
  await api.patch(`${enums}/${other}`, { code: null })
  // Those that stood around it may have gone.
  await api.delete(`${enums}/${van}`)
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 1 })
  expect((await shown(api, list)).map(({ id }: { id: number }) => id)).toEqual([
    post,
    other,
    courier,
  ])
  expect(await kept(account, list, [lead])).toEqual([[courier]])
  // A field that has been deleted stays so.
  const last = await ended(api, await startDefinitionJob(api, remove(list, courier)))
  await api.delete(`/api/v4/leads/custom_fields/${list.id}`)
  expect(await undo(api, last)).toMatchObject({
    state: 'failed',
    detail: 'The field does not exist any more',
  })
})

test('no record gets a choice back that has been deleted anew, in the bin or not', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const list = await addList(account, 'leads')
  const [post, courier] = list.choices as [number, number]
  const ids = await addLeads(api, [having(list, courier), having(list, courier)])
  await api.delete(`/api/v4/leads/${ids[1]}`)
  const job = await ended(api, await startDefinitionJob(api, merge(list, courier, post)))
  // As a job is that was cancelled before it deleted the choice, which somebody deletes then.
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update jobs set definition = (definition::jsonb - 'taken')::json where account_id = ${account.id} and id = ${job.id}`,
    ),
  )
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0, skipped: 2 })
  expect(await kept(account, list, ids)).toEqual([[post], [post]])
})

test('a choice that is deleted already, and still on a record, holds up no merge', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const list = await addList(account, 'leads', 'multiselect')
  const [post, courier, van] = list.choices as [number, number, number]
  const [id] = await addRecords(api, 'leads', [having(list, courier, van)])
  // The clean-up of a choice that is not in the definition any more has not come to this record.
  const stored = JSON.stringify([courier, van, 987_654])
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      update leads set custom_fields_values = jsonb_set(custom_fields_values, array[${String(list.id)}], ${stored}::jsonb)
       where account_id = ${account.id} and id = ${id}`),
  )
  expect(await ended(api, await startDefinitionJob(api, merge(list, courier, post)))).toMatchObject(
    {
      state: 'done',
      skipped: 0,
    },
  )
  const { body } = await api.get(`/api/v4/leads/${id}`)
  const values = body.custom_fields_values[0].values as { enum_id: number }[]
  expect(values.map(({ enum_id }) => enum_id)).toEqual([post, van])
})

test('two administrators who end choices at once leave none of them on records in the bin', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const other = await account.addUser({ is_admin: true })
  for (let round = 0; round < 3; round++) {
    const list = await addList(account, 'contacts')
    const [post, courier] = list.choices as [number, number]
    const drafts = Array.from({ length: 20 }, () => having(list, courier))
    const ids = await addRecords(api, 'contacts', drafts)
    await kontor.database.transaction((tx) =>
      tx.rows(
        sql`update contacts set is_deleted = true where account_id = ${account.id} and id = any(${ids}::bigint[])`,
      ),
    )
    const [merging, removing] = await Promise.all([
      startDefinitionJob(api, merge(list, courier, post)),
      startDefinitionJob(other.api, remove(list, post)),
    ])
    await Promise.all([ended(api, merging), ended(other.api, removing)])
    const there = (await shown(api, list)).map((choice: { id: number }) => choice.id)
    for (const values of await kept(account, list, ids))
      for (const value of values) expect(there).toContain(value)
  }
})
