import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { ask, bulk, ended, lockLead, readJob, undo } from '../../../../test/jobs.ts'
import type { TestJob } from '../../../../test/jobs.ts'
import {
  addGroup,
  addLead,
  addLeads,
  addPipeline,
  listen,
  lost,
  mainPipeline,
  newsOf,
  readLead,
  won,
} from '../../../../test/leads.ts'
import {
  addEveryType,
  addField,
  addFields,
  deleteField,
  shownAs,
  valueOf,
} from '../../../../test/fields.ts'
import { addRecord, addRecords, rightsOf, tagNames } from '../../../../test/records.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'
import { streamOf } from '../../../../test/stream.ts'
import { addItem } from '../../../../test/unsorted.ts'
import { singular } from '../../../entity-types.ts'
import { migrate } from '../../../database/migrate.ts'
import { createAccount } from '../../people/accounts/accounts.ts'
import { createUser } from '../../people/users/users.ts'
import { rowTypes } from '../rows/schema.ts'
import type { RowType } from '../rows/schema.ts'
import { dropOldJobs } from './jobs.ts'

const ten = Array.from({ length: 10 }, (_, index) => ({ name: `Lead ${index}`, price: index }))

const moveTo = (pipeline_id: number, status_id: number, more: object = {}) => ({
  action: { move: { pipeline_id, status_id, ...more } },
})
const assignTo = (responsible_user_id: number) => ({ action: { assign: { responsible_user_id } } })

/** The leads as their API shows them, without the time and author of their last change. */
async function leadsOf(api: Client, ids: number[]) {
  const { body } = await api.get(`/api/v4/leads?limit=250&filter[id]=${ids.join()}`)
  return (body._embedded.leads as Record<string, unknown>[]).map(
    ({ updated_at: _at, updated_by: _by, ...lead }) => lead,
  )
}

const reasonOf = async (api: Client, name: string): Promise<number> =>
  (await api.post('/api/v4/leads/loss_reasons', [{ name }])).body._embedded.loss_reasons[0].id

test('a job moves leads as the interface does: with its events, its news and its time', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const other = await addPipeline(account)
  const ids = await addLeads(api, ten)
  const stream = await streamOf(account, admin)
  const news = await listen(account)
  const requested = await ask(api, {
    ids: [...ids, ids[0]!],
    ...moveTo(other.id, other.statuses[1]),
  })
  expect(requested).toMatchObject({ kind: 'move', total: 10, done: 0, may_undo: false, faults: [] })
  const job = await ended(api, requested)
  expect(job).toMatchObject({ state: 'done', done: 10, skipped: 0, may_undo: true, faults: [] })
  const { journal, events } = await news()
  expect(
    journal.map(({ entity_id, actions, created_by }) => [entity_id, actions, created_by]),
  ).toEqual(ids.map((id) => [id, ['update', 'status'], admin.id]))
  expect(events.map(({ type, entity_id }) => [type, entity_id])).toEqual(
    ids.map((id) => ['lead_status_changed', id]),
  )
  for (const lead of await leadsOf(api, ids))
    expect(lead).toMatchObject({ pipeline_id: other.id, status_id: other.statuses[1] })
  await expect
    .poll(() => stream.of('change').map(({ data }) => data['entity_id']))
    .toEqual(expect.arrayContaining(ids))
  // Its end is always told, its beginning too, and between them at most two things a second.
  await expect
    .poll(() => stream.of('job').map(({ data }) => data))
    .toEqual(expect.arrayContaining([{ id: job.id }, { id: job.id }]))
  expect((await api.get('/web/v1/jobs')).body.jobs).toEqual([job])
})

test('nobody else sees, cancels or undoes a job', async () => {
  const account = await newAccount()
  const [lead] = await addLeads(account.api, ten)
  const job = await bulk(account.api, { ids: [lead], ...assignTo((await account.addUser()).id) })
  const stranger = await newAccount()
  const other = await account.addUser({ is_admin: true })
  const stream = await streamOf(account, other)
  for (const { api } of [other, stranger.admin]) {
    expect((await api.get('/web/v1/jobs')).body.jobs).toEqual([])
    for (const [method, tail] of [
      ['get', ''],
      ['post', '/cancel'],
      ['post', '/undo'],
    ] as const)
      expect((await api[method](`/web/v1/jobs/${job.id}${tail}`)).status).toBe(404)
  }
  expect(await undo(account.api, job)).toMatchObject({ done: 1 })
  expect(stream.count('job')).toBe(0)
})

test('leads that the user may not change, of others, and gone are skipped and named', async () => {
  const account = await newAccount()
  const stranger = await newAccount()
  const rights = { leads: { view: 'A', edit: 'M', delete: 'M' } } as const
  const user = await account.addUser({ rights })
  const [mine, theirs, binned] = (await addLeads(account.api, [
    { responsible_user_id: user.id },
    {},
    { responsible_user_id: user.id },
  ])) as [number, number, number]
  await account.api.delete(`/api/v4/leads/${binned}`)
  const foreign = await addLead(stranger.api)
  const { id, statuses } = await mainPipeline(account)
  const job = await bulk(user.api, {
    ids: [mine, theirs, binned, foreign, 9_000_000_000],
    ...moveTo(id, statuses[2]),
  })
  expect(job).toMatchObject({ state: 'done', total: 5, done: 1, skipped: 4 })
  expect(job.faults).toEqual([
    { id: theirs, detail: `You have no right to edit lead ${theirs}.` },
    ...[binned, foreign]
      .toSorted((a, b) => a - b)
      .map((each) => ({
        id: each,
        detail: `There is no lead ${each}.`,
      })),
    { id: 9_000_000_000, detail: 'There is no lead 9000000000.' },
  ])
  const [changed, left] = [await readLead(account.api, mine), await readLead(account.api, theirs)]
  expect([changed.status_id, left.status_id]).toEqual([statuses[2], statuses[0]])
  expect((await readLead(stranger.api, foreign)).updated_by).toBe(stranger.admin.id)
  // An action that the user may do to no lead is refused at once.
  const nobody = await account.addUser({ rights: { leads: { view: 'A' } } })
  for (const action of [{ assign: { responsible_user_id: user.id } }, { delete: {} }]) {
    const sent = { entity_type: 'leads', ids: [mine], action }
    expect((await nobody.api.post('/web/v1/bulk', sent)).status).toBe(403)
  }
})

test('a filter names the leads that match when it is asked, in all batches, although they leave it', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await mainPipeline(account)
  const drafts = Array.from({ length: 250 }, () => ({ price: 7 }))
  const ids = [
    ...(await addLeads(api, drafts)),
    ...(await addLeads(api, drafts)),
    ...(await addLeads(api, drafts.slice(0, 120))),
  ]
  const others = await addLeads(api, [{ price: 8 }, { price: 7, status_id: won }])
  const filter = `pipeline_id=${id}&filter[price]=7&filter[statuses][0][pipeline_id]=${id}&filter[statuses][0][status_id]=${statuses[0]}`
  const job = await bulk(api, { filter, ...moveTo(id, statuses[1]) })
  expect(job).toMatchObject({ state: 'done', total: 620, done: 620, skipped: 0 })
  const at = async (status_id: number) =>
    (
      await account.kontor.database.rows<{ id: number }>(sql`
        select id from leads where account_id = ${account.id} and status_id = ${status_id} order by id`)
    ).map((lead) => lead.id)
  expect(await at(statuses[1])).toEqual(ids)
  expect(await at(statuses[0])).toEqual([others[0]])
  // The undo takes back the same ones.
  expect(await undo(api, job)).toMatchObject({ state: 'done', total: 620, done: 620 })
  expect(await at(statuses[0])).toEqual([...ids, others[0]])
})

test('records that a request leaves out stay as they are', async () => {
  const { api } = await newAccount()
  const ids = await addLeads(api, ten)
  const [first, second, last] = [ids[0]!, ids[1]!, ids[9]!]
  const action = { tag: { add: ['x'] } }
  const job = await bulk(api, { filter: '', except: [first, last, 9_000_000_000], action })
  expect(job).toMatchObject({ total: 8, done: 8, skipped: 0 })
  const tags = (await readAll(api, 'leads', [first, second, last])).map(tagNames)
  expect(tags).toEqual([[], ['x'], []])
  const named = { entity_type: 'leads', ids: [first], except: [first], action }
  expect((await api.post('/web/v1/bulk', named)).status).toBe(400)
})

test('a filter finds with the rights of the user, by search and by the pipeline beside it', async () => {
  const account = await newAccount()
  const other = await addPipeline(account)
  const user = await account.addUser({ rights: { leads: { view: 'M', edit: 'M' } } })
  const own = { responsible_user_id: user.id }
  const [one, two, three] = (await addLeads(account.api, [
    { name: 'blue', ...own },
    { name: 'blue', ...own, pipeline_id: other.id },
    { name: 'red', ...own },
    { name: 'blue' },
  ])) as [number, number, number]
  const tag = (filter: string, name: string) =>
    bulk(user.api, { filter, action: { tag: { add: [name] } } })
  const tagged = async (name: string) =>
    (await leadsOf(account.api, [one, two, three]))
      .filter((lead) => JSON.stringify(lead['_embedded']).includes(name))
      .map(({ id }) => id)
  expect(await tag('', 'all')).toMatchObject({ total: 3, done: 3 })
  expect(await tag('query=blue', 'search')).toMatchObject({ total: 2, done: 2 })
  expect(await tagged('search')).toEqual([one, two])
  expect(await tag(`query=blue&pipeline_id=${other.id}`, 'beside')).toMatchObject({ total: 1 })
  expect(await tagged('beside')).toEqual([two])
  expect(await tag(`filter[id]=${one}&filter[id]=${three}`, 'named')).toMatchObject({ total: 2 })
  expect(await tagged('named')).toEqual([one, three])
  expect(await tag('filter[price][from]=1', 'none')).toMatchObject({
    total: 0,
    done: 0,
    state: 'done',
  })
})

test.for([
  [{ filter: 'filter[moon]=1' }, 400],
  [{ filter: 'order[id]=asc' }, 400],
  [{ filter: 'filter[custom_fields_values][1][]=1' }, 400],
  [{ ids: [1], filter: '' }, 400],
  [{}, 400],
  [{ ids: [] }, 400],
  [{ ids: [1], action: {} }, 400],
  [{ ids: [1], action: { delete: {}, assign: { responsible_user_id: 1 } } }, 400],
  [{ ids: [1], action: { tag: {} } }, 400],
  [{ ids: [1], action: { tag: { add: [], remove: [] } } }, 400],
  [{ ids: [1], ...assignTo(1) }, 400],
  [{ ids: [1], ...moveTo(1, 142) }, 400],
  [{ ids: [1], action: { task: { text: 'Call', task_type_id: 999, complete_till: 1 } } }, 400],
  [{ ids: [1], action: { field: {} } }, 400],
  [{ ids: [1], action: { field: { price: 'much' } } }, 400],
  [{ ids: [1], action: { field: { custom_fields_values: [{ field_id: 1, values: [] }] } } }, 400],
  [{ filter: '', action: { restore: {} } }, 400],
  [{ filter: '', action: { purge: {} } }, 400],
  [{ filter: 'with=only_deleted' }, 400],
  [{ filter: 'with=contacts' }, 400],
  [{ entity_type: 'tasks', ids: [1] }, 400],
  [{ entity_type: 'customers', ids: [1], action: { field: { price: 5 } } }, 400],
  [{ entity_type: 'customers', ids: [1], ...moveTo(1, 142) }, 400],
  [{ entity_type: 'contacts', ids: [1], action: { field: { price: 5 } } }, 400],
  [{ entity_type: 'contacts', ids: [1], ...moveTo(1, 142) }, 400],
  [{ entity_type: 'companies', filter: 'filter[price]=5' }, 400],
] as const)('%o is refused', async ([request, expected]) => {
  const { api } = await newAccount()
  const sent = { entity_type: 'leads', action: { delete: {} }, ...request }
  const { status } = await api.post('/web/v1/bulk', sent)
  expect([status, (await api.get('/web/v1/jobs')).body.jobs]).toEqual([expected, []])
})

test('a stage that there is not, takes no leads, or keeps no reason is refused', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses, unsorted } = await mainPipeline(account)
  const reason = await reasonOf(api, 'Too dear')
  const lead = await addLead(api)
  for (const each of [
    moveTo(id, 5),
    moveTo(id, unsorted),
    moveTo(id, statuses[0], { loss_reason_id: reason }),
    moveTo(id, lost, { loss_reason_id: 5 }),
  ])
    expect(
      (await api.post('/web/v1/bulk', { entity_type: 'leads', ids: [lead], ...each })).status,
    ).toBe(400)
})

test('an undo puts leads back into their stages, with their reasons and times', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await mainPipeline(account)
  const other = await addPipeline(account)
  const [dear, late] = [await reasonOf(api, 'Too dear'), await reasonOf(api, 'Too late')]
  const ids = await addLeads(api, [
    { status_id: statuses[0] },
    { status_id: statuses[2], price: 5 },
    { pipeline_id: other.id },
    { status_id: won, closed_at: 1_600_000_000 },
    { status_id: lost, loss_reason_id: dear, closed_at: 1_600_000_001 },
    { status_id: lost, closed_at: 1_600_000_002 },
    { pipeline_id: other.id, status_id: lost, loss_reason_id: late },
  ])
  const before = await leadsOf(api, ids)
  for (const target of [
    moveTo(other.id, other.statuses[0]),
    moveTo(id, won),
    moveTo(other.id, lost, { loss_reason_id: late }),
    moveTo(id, lost, { loss_reason_id: null }),
  ]) {
    const job = await bulk(api, { ids, ...target })
    expect(job).toMatchObject({ state: 'done', done: 7, skipped: 0 })
    expect(
      (await leadsOf(api, ids)).map(({ pipeline_id, status_id }) => ({ pipeline_id, status_id })),
    ).toEqual(
      ids.map(() => ({
        pipeline_id: target.action.move.pipeline_id,
        status_id: target.action.move.status_id,
      })),
    )
    expect(await undo(api, job)).toMatchObject({ state: 'done', skipped: 0 })
    expect(await leadsOf(api, ids)).toEqual(before)
    expect(await readJob(api, job.id)).toMatchObject({ may_undo: false })
    expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
  }
})

test('an undo gives back the users, tags and deleted leads, and takes the open tasks', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const user = await account.addUser()
  const ids = await addLeads(api, [
    { name: 'a', responsible_user_id: user.id, tags_to_add: [{ name: 'old' }, { name: 'kept' }] },
    { name: 'b', tags_to_add: [{ name: 'new' }] },
    { name: 'c' },
  ])
  const [{ id: old }] = (await api.get('/api/v4/leads/tags?query=old')).body._embedded.tags
  const before = await leadsOf(api, ids)
  const complete_till = account.kontor.now() + 3600
  const tasks = async () =>
    (await api.get('/api/v4/tasks?order[id]=asc')).body._embedded.tasks as Record<string, unknown>[]
  const task = { text: 'Call', task_type_id: 1, complete_till }
  const tagsOf = async () =>
    (await leadsOf(api, ids)).map((lead) =>
      (lead['_embedded'] as { tags: { name: string }[] }).tags.map(({ name }) => name),
    )
  const checks: [object, () => Promise<void>][] = [
    [
      assignTo(user.id),
      async () =>
        expect((await leadsOf(api, ids)).map((lead) => lead['responsible_user_id'])).toEqual(
          ids.map(() => user.id),
        ),
    ],
    [
      { action: { tag: { add: ['new', ' second '], remove: [old] } } },
      async () =>
        expect(await tagsOf()).toEqual([
          ['kept', 'new', 'second'],
          ['new', 'second'],
          ['new', 'second'],
        ]),
    ],
    [
      { action: { delete: {} } },
      async () => expect(await leadsOf(api, ids).catch(() => [])).toEqual([]),
    ],
    [
      { action: { task } },
      async () =>
        expect(await tasks()).toMatchObject(
          [user.id, admin.id, admin.id].map((responsible_user_id, index) => ({
            ...task,
            entity_type: 'leads',
            entity_id: ids[index],
            responsible_user_id,
          })),
        ),
    ],
    [
      { action: { task: { ...task, responsible_user_id: user.id } } },
      async () =>
        expect((await tasks()).map((each) => each['responsible_user_id'])).toEqual(
          ids.map(() => user.id),
        ),
    ],
  ]
  for (const [action, check] of checks) {
    const job = await bulk(api, { ids, ...action })
    expect(job).toMatchObject({ state: 'done', done: 3, skipped: 0 })
    await check()
    expect(await undo(api, job)).toMatchObject({ state: 'done', skipped: 0 })
    // Tags that come back are attached last.
    expect(sorted(await leadsOf(api, ids))).toEqual(sorted(before))
    expect(await tasks()).toEqual([])
  }
})

const sorted = (leads: Record<string, unknown>[]) =>
  leads.map((lead) => {
    const { tags, ...embedded } = lead['_embedded'] as { tags: { name: string }[] }
    return {
      ...lead,
      _embedded: embedded,
      tags: tags.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    }
  })

test('an undo leaves alone what somebody has changed since, and names it', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const { id, statuses } = await mainPipeline(account)
  const [user, third] = [await account.addUser(), await account.addUser()]
  const ids = (await addLeads(api, ten.slice(0, 5))) as [number, number, number, number, number]
  const [moved, renamed, binned, back, reasoned] = ids
  const isChanged = (lead: number) => ({ id: lead, detail: `Lead ${lead} has been changed since.` })
  const isGone = { id: binned, detail: `There is no lead ${binned}.` }

  const move = await bulk(api, { ids, ...moveTo(id, lost) })
  const reason = await reasonOf(api, 'Too dear')
  await api.patch(`/api/v4/leads/${moved}`, { status_id: statuses[2] })
  await api.patch(`/api/v4/leads/${renamed}`, { name: 'Renamed' })
  await api.delete(`/api/v4/leads/${binned}`)
  await api.patch(`/api/v4/leads/${back}`, { status_id: statuses[0] })
  await api.patch(`/api/v4/leads/${reasoned}`, { loss_reason_id: reason })
  const first = await undo(api, move)
  expect(first).toMatchObject({ done: 2, skipped: 3 })
  expect(first.faults).toEqual([isChanged(moved), isGone, isChanged(reasoned)])
  expect((await leadsOf(api, ids)).map(({ status_id, name }) => [status_id, name])).toEqual([
    [statuses[2], 'Lead 0'],
    [statuses[0], 'Renamed'],
    [statuses[0], 'Lead 3'],
    [lost, 'Lead 4'],
  ])
  await api.post(`/api/v4/leads/${binned}/restore`)

  const assign = await bulk(api, { ids, ...assignTo(user.id) })
  await api.patch(`/api/v4/leads/${moved}`, { responsible_user_id: third.id })
  await api.patch(`/api/v4/leads/${back}`, { responsible_user_id: admin.id })
  const second = await undo(api, assign)
  expect(second).toMatchObject({ done: 4, skipped: 1, faults: [isChanged(moved)] })
  expect((await leadsOf(api, ids)).map((lead) => lead['responsible_user_id'])).toEqual([
    third.id,
    ...[0, 0, 0, 0].map(() => admin.id),
  ])

  const remove = await bulk(api, { ids, action: { delete: {} } })
  await api.post(`/api/v4/leads/${moved}/restore`)
  account.clock.ahead += 5
  await api.post(`/api/v4/leads/${back}/restore`)
  await api.delete(`/api/v4/leads/${back}`)
  const fourth = await undo(api, remove)
  expect(fourth).toMatchObject({ done: 4, skipped: 1, faults: [isChanged(back)] })
  expect((await leadsOf(api, ids)).map((lead) => lead['id'])).toEqual(
    ids.filter((each) => each !== back),
  )

  const few = [moved, renamed, binned]
  const complete_till = account.kontor.now() + 3600
  const tasks = await bulk(api, {
    ids: few,
    action: { task: { text: 'Call', task_type_id: 1, complete_till } },
  })
  const [one, two] = (await api.get('/api/v4/tasks?order[id]=asc')).body._embedded.tasks
  await api.patch(`/api/v4/tasks/${one.id}`, { is_completed: true })
  await api.delete(`/api/v4/tasks/${two.id}`)
  const fifth = await undo(api, tasks)
  expect(fifth.faults).toEqual([{ id: moved, detail: `Task ${one.id} is completed.` }])
  expect((await api.get('/api/v4/tasks')).body._embedded.tasks).toMatchObject([{ id: one.id }])
})

test('tags that others add and remove meanwhile stay so in an undo', async () => {
  const { api } = await newAccount()
  const [one, two] = (await addLeads(api, [{ tags_to_add: [{ name: 'old' }] }, {}])) as [
    number,
    number,
  ]
  const [{ id: old }] = (await api.get('/api/v4/leads/tags')).body._embedded.tags
  const job = await bulk(api, { ids: [one, two], action: { tag: { add: ['new'], remove: [old] } } })
  await api.patch(`/api/v4/leads/${one}`, { tags_to_add: [{ name: 'old' }, { name: 'third' }] })
  await api.patch(`/api/v4/leads/${two}`, { tags_to_delete: [{ name: 'new' }] })
  expect(await undo(api, job)).toMatchObject({ done: 2, skipped: 0 })
  const tags = (await leadsOf(api, [one, two])).map((lead) =>
    (lead['_embedded'] as { tags: { name: string }[] }).tags.map(({ name }) => name),
  )
  expect(tags).toEqual([['old', 'third'], []])
})

test('what is refused for one lead is skipped with the reason, and the others are changed', async () => {
  const account = await newAccount()
  const { api } = account
  const leaver = await account.addUser()
  const user = await account.addUser()
  const ids = await addLeads(api, ten)
  await api.patch(`/api/v4/leads/${ids[3]}`, { responsible_user_id: leaver.id })
  await api.patch(`/api/v4/leads/${ids[7]}`, { responsible_user_id: leaver.id })
  const job = await bulk(api, { ids, ...assignTo(user.id) })
  await api.post('/api/v4/users/deactivate', [{ id: leaver.id }])
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ state: 'done', done: 8, skipped: 2 })
  expect(undone.faults.map(({ id }) => id)).toEqual([ids[3], ids[7]])
  expect(undone.faults[0]!.detail).toContain(String(leaver.id))

  // A verb that refuses one lead and does not name it in its problem.
  const waiting = (await addItem(api)).lead
  const removed = await bulk(api, { ids: [...ids, waiting], action: { delete: {} } })
  expect(removed).toMatchObject({ done: 10, skipped: 1, faults: [{ id: waiting }] })
  expect(removed.faults[0]!.detail).toContain('unsorted')
})

test('a moved unsorted lead is accepted, which no undo takes back', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await mainPipeline(account)
  const waiting = (await addItem(api)).lead
  const lead = await addLead(api)
  const job = await bulk(api, { ids: [waiting, lead], ...moveTo(id, statuses[1]) })
  expect(job).toMatchObject({ done: 2, skipped: 0, may_undo: true })
  expect(await undo(api, job)).toMatchObject({ total: 1, done: 1 })
  expect((await leadsOf(api, [waiting, lead])).map(({ status_id }) => status_id)).toEqual(
    [waiting, lead].toSorted((a, b) => a - b).map((each) => statuses[each === waiting ? 1 : 0]),
  )
})

test('a cancelled job ends with its batches, and what it did can be undone', async () => {
  const account = await newAccount()
  const { api } = account
  const user = await account.addUser()
  const drafts = Array.from({ length: 250 }, () => ({}))
  const ids: number[] = []
  for (let batch = 0; batch < 4; batch++) ids.push(...(await addLeads(api, drafts)))
  const third = await addLeads(api, drafts.slice(0, 10))
  // The second batch of each of its lanes waits.
  const locks = [await lockLead(account, ids[300]!), await lockLead(account, ids[800]!)]
  const requested = await ask(api, { filter: '', ...assignTo(user.id) })
  await expect
    .poll(async () => (await readJob(api, requested.id)).done, { timeout: 10_000 })
    .toBe(500)
  for (const letGo of locks) await expect.poll(letGo.isWaitedFor).toBe(true)
  // The next job of the user waits for this one.
  const next = await ask(api, { ids: third, action: { tag: { add: ['next'] } } })
  const answer = await api.post(`/web/v1/jobs/${requested.id}/cancel`)
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { state: 'running', is_cancelling: true, may_undo: false },
  ])
  expect(await readJob(api, next.id)).toMatchObject({ state: 'waiting', done: 0 })
  for (const letGo of locks) await letGo()
  const job = await ended(api, requested)
  expect(job).toMatchObject({ state: 'cancelled', total: 1010, is_cancelling: false })
  // A batch that waited was repeated by then, or not.
  expect([500, 750, 1000]).toContain(job.done)
  expect(await ended(api, next)).toMatchObject({ state: 'done', done: 10 })
  const own = async () =>
    (await account.kontor.database.row<{ count: number }>(sql`
      select count(*)::int as count from leads where account_id = ${account.id} and responsible_user_id = ${user.id}`))!
      .count
  expect(await own()).toBe(job.done)
  const after = await api.post(`/web/v1/jobs/${job.id}/cancel`)
  expect(after.body).toEqual(job)
  expect(await undo(api, job)).toMatchObject({ state: 'done', total: job.done, done: job.done })
  expect(await own()).toBe(0)
})

test('a job that waits is cancelled at once, and ten of an account wait at most', async () => {
  const account = await newAccount()
  const { api } = account
  const user = await account.addUser({ is_admin: true })
  const lead = await addLead(api)
  const letGo = await lockLead(account, lead)
  const change = { ids: [lead], action: { tag: { add: ['x'] } } }
  const running = await ask(api, change)
  // It waits no more, but runs.
  await expect.poll(letGo.isWaitedFor).toBe(true)
  const waiting: TestJob[] = []
  for (let index = 0; index < 10; index++) waiting.push(await ask(api, change))
  const eleventh = await user.api.post('/web/v1/bulk', { entity_type: 'leads', ...change })
  expect(eleventh.status).toBe(429)
  await api.post(`/web/v1/jobs/${waiting[0]!.id}/cancel`)
  await expect.poll(async () => (await readJob(api, waiting[0]!.id)).state).toBe('cancelled')
  const another = await newAccount()
  const elsewhere = await addLead(another.api)
  expect(await bulk(another.api, { ...change, ids: [elsewhere] })).toMatchObject({ done: 1 })
  await letGo()
  expect(await ended(api, running)).toMatchObject({ done: 1 })
  for (const each of waiting.slice(1)) await ended(api, each)
})

test('the rights of the user count when each batch is changed', async () => {
  const account = await newAccount()
  const { api } = account
  const group_id = await addGroup(account)
  const rights = { leads: { view: 'A', edit: 'A', add: 'A' } } as const
  const user = await account.addUser({ group_id, rights })
  const target = await account.addUser()
  const drafts = Array.from({ length: 250 }, () => ({}))
  const first = await addLeads(api, drafts)
  const second = await addLeads(api, drafts.slice(0, 20))
  const letGo = await lockLead(account, first[9]!)
  const requested = await ask(user.api, { ids: [...first, ...second], ...assignTo(target.id) })
  await expect.poll(letGo.isWaitedFor).toBe(true)
  const changed = await api.patch(`/web/v1/users/${user.id}`, {
    rights: { leads: { view: 'A', edit: 'M' } },
  })
  expect(changed.status).toBe(200)
  await letGo()
  const job = await ended(user.api, requested)
  expect(job).toMatchObject({ state: 'done', done: 250, skipped: 20 })
  expect(job.faults[0]).toEqual({
    id: second[0],
    detail: `You have no right to edit lead ${second[0]}.`,
  })
})

test('the job of a deactivated user fails', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const user = await account.addUser({ is_admin: true })
  const drafts = Array.from({ length: 250 }, () => ({}))
  const first = await addLeads(api, drafts)
  const [last] = await addLeads(api, [{}])
  const letGo = await lockLead(account, first[0]!)
  const requested = await ask(user.api, { ids: [...first, last!], action: { tag: { add: ['x'] } } })
  await expect.poll(letGo.isWaitedFor).toBe(true)
  expect((await api.post('/api/v4/users/deactivate', [{ id: user.id }])).status).toBe(204)
  await letGo()
  const job = () =>
    kontor.database.row(
      sql`select state, done, detail from jobs where account_id = ${account.id} and id = ${requested.id}`,
    )
  await expect
    .poll(job, { timeout: 10_000 })
    .toEqual({ state: 'failed', done: 250, detail: 'The user is no longer active' })
})

test('a connection that ends in the middle of a batch changes nothing twice', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id, statuses } = await mainPipeline(account)
  const drafts = Array.from({ length: 250 }, () => ({}))
  const ids = [...(await addLeads(api, drafts)), ...(await addLeads(api, drafts))]
  const letGo = await lockLead(account, ids[400]!)
  const requested = await ask(api, { ids, ...moveTo(id, statuses[1]) })
  await expect
    .poll(async () => (await readJob(api, requested.id)).done, { timeout: 10_000 })
    .toBe(250)
  await expect.poll(letGo.isWaitedFor).toBe(true)
  await kontor.database.list(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where ${letGo.pid}::int = any(pg_blocking_pids(pid))`)
  await letGo()
  await kontor.database.list(sql`select pg_notify('kontor_jobs', '')`)
  const job = await ended(api, requested)
  expect(job).toMatchObject({ state: 'done', done: 500, skipped: 0 })
  const { events } = await newsOf(account)
  const moves = events.filter(({ type }) => type === 'lead_status_changed')
  const inOrder = (each: number[]) => each.toSorted((a, b) => a - b)
  expect(inOrder(moves.map(({ entity_id }) => entity_id))).toEqual(inOrder(ids))
  expect(await undo(api, job)).toMatchObject({ total: 500, done: 500 })
})

test('a job can be undone for a day, and is dropped after 30', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const lead = await addLead(api)
  const job = await bulk(api, { ids: [lead], action: { tag: { add: ['x'] } } })
  const age = (seconds: number) =>
    kontor.database.transaction((tx) =>
      tx.rows(
        sql`update jobs set finished_at = ${kontor.now() - seconds} where account_id = ${account.id}`,
      ),
    )
  const kept = async () =>
    kontor.database.row(sql`
      select (select count(*)::int from jobs where account_id = ${account.id}) as jobs,
             (select count(*)::int from job_records where account_id = ${account.id}) as records`)
  await age(86_401)
  expect(await readJob(api, job.id)).toMatchObject({ may_undo: false })
  expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
  await age(86_400 - 60)
  expect(await readJob(api, job.id)).toMatchObject({ may_undo: true })
  await age(30 * 86_400 - 60)
  await dropOldJobs(kontor.database, kontor.now())
  expect(await kept()).toEqual({ jobs: 1, records: 1 })
  await age(30 * 86_400 + 60)
  await dropOldJobs(kontor.database, kontor.now())
  expect(await kept()).toEqual({ jobs: 0, records: 0 })
})

test('a job that changed nothing cannot be undone', async () => {
  const { api, admin } = await newAccount()
  const lead = await addLead(api)
  const job = await bulk(api, { ids: [lead], ...assignTo(admin.id) })
  expect(job).toMatchObject({ state: 'done', done: 1, skipped: 0, may_undo: false })
  expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
})

describe.each(rowTypes)('a job of %s', (type) => {
  test('does each kind of change, and its undo leaves every record as it was', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const user = await account.addUser()
    const field = await addField(account, type, { type: 'text' })
    const ids = await addRecords(api, type, [
      { name: 'a', custom_fields_values: [valueOf(field, { value: 'old' })] },
      { name: 'b', responsible_user_id: user.id, _embedded: { tags: [{ name: 'old' }] } },
      { name: 'c' },
    ])
    const rows = () => rowsOf(account, type, ids)
    const before = await rows()
    const values = [valueOf(field, { value: 'new' })]
    const complete_till = account.kontor.now() + 3600
    const tasks = async () =>
      ((await api.get('/api/v4/tasks')).body?._embedded.tasks ?? []) as Record<string, unknown>[]
    const shown = async () => readAll(api, type, ids)
    const checks: [object, () => Promise<void>][] = [
      [
        { assign: { responsible_user_id: admin.id } },
        async () =>
          expect((await shown()).map(({ responsible_user_id }) => responsible_user_id)).toEqual(
            ids.map(() => admin.id),
          ),
      ],
      [
        { tag: { add: ['new'] } },
        async () =>
          expect((await shown()).map(tagNames)).toEqual([['new'], ['old', 'new'], ['new']]),
      ],
      [
        { field: { custom_fields_values: values } },
        async () =>
          expect((await shown()).map((each) => each.custom_fields_values)).toEqual(
            ids.map(() => [shownAs(field, { value: 'new' })]),
          ),
      ],
      [
        { task: { text: 'Call', task_type_id: 1, complete_till } },
        async () =>
          expect((await tasks()).map(({ entity_type }) => entity_type)).toEqual([type, type, type]),
      ],
      [{ delete: {} }, async () => expect(await shown()).toEqual([])],
    ]
    for (const [action, check] of checks) {
      const job = await bulk(api, { entity_type: type, ids, action })
      expect(job).toMatchObject({ state: 'done', entity_type: type, done: 3, skipped: 0 })
      await check()
      expect(await undo(api, job)).toMatchObject({ state: 'done', entity_type: type, skipped: 0 })
      expect([action, await rows()]).toEqual([action, before])
    }
    expect(await tasks()).toEqual([])
  })

  test('restores what is in the bin, by ids and by a filter, and puts it back there', async () => {
    const account = await newAccount()
    const { api } = account
    const ids = await addRecords(api, type, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const [one, two, kept] = ids as [number, number, number]
    for (const id of [one, two]) await api.delete(`/api/v4/${type}/${id}`)
    const inBin = async () =>
      ((await api.get(`/api/v4/${type}?with=only_deleted`)).body?._embedded[type] ?? []).map(
        ({ id }: { id: number }) => id,
      )
    const restore = { entity_type: type, action: { restore: {} } }
    const named = await bulk(api, { ...restore, ids: [one, kept] })
    expect(named).toMatchObject({ done: 1, skipped: 1 })
    expect(named.faults).toEqual([{ id: kept, detail: `There is no ${singular[type]} ${kept}.` }])
    expect(await inBin()).toEqual([two])
    const found = await bulk(api, { ...restore, filter: 'with=only_deleted' })
    expect(found).toMatchObject({ state: 'done', total: 1, done: 1 })
    expect(await inBin()).toEqual([])
    // One that somebody has changed since stays outside.
    await api.patch(`/api/v4/${type}/${one}`, { name: 'changed' })
    const now = account.kontor.now()
    expect(await undo(api, found)).toMatchObject({ done: 1, skipped: 0 })
    expect(await inBin()).toEqual([two])
    // Another server of the run may have done the job, whose clock may be a little ahead.
    account.clock.ahead += 7201
    await api.patch(`/api/v4/${type}/${one}`, { name: 'changed again' })
    expect(account.kontor.now()).toBeGreaterThan(now)
    expect(await undo(api, named)).toMatchObject({
      done: 0,
      skipped: 1,
      faults: [{ id: one, detail: expect.stringContaining(`${one} has been changed since.`) }],
    })
    expect(await inBin()).toEqual([two])
    account.clock.ahead = 0
  })

  test('purges what is in the bin for good, for administrators alone', async () => {
    const account = await newAccount()
    const { api } = account
    const user = await account.addUser()
    const ids = await addRecords(api, type, [{ name: 'a' }, { name: 'b' }, { name: 'kept' }])
    const [one, two, kept] = ids as [number, number, number]
    for (const id of [one, two]) await api.delete(`/api/v4/${type}/${id}`)
    // They were deleted a while ago.
    await account.kontor.database.transaction((tx) =>
      tx.rows(sql`
        update ${raw(type)} set updated_at = updated_at - 5
         where account_id = ${account.id} and id = any(${[one, two]}::bigint[])`),
    )
    const purge = { entity_type: type, action: { purge: {} } }
    const refused = await user.api.post('/web/v1/bulk', { ...purge, ids: [one] })
    expect([refused.status, (await user.api.get('/web/v1/jobs')).body.jobs]).toEqual([403, []])
    const named = await bulk(api, { ...purge, ids: [one, kept] })
    expect(named).toMatchObject({ state: 'done', done: 1, skipped: 1, may_undo: false })
    expect(named.faults).toEqual([{ id: kept, detail: `There is no ${singular[type]} ${kept}.` }])
    // What goes into the bin after the purge was asked for is not among what its filter finds.
    const late = await addRecord(api, type, { name: 'late' })
    await api.delete(`/api/v4/${type}/${late}`)
    const found = await bulk(api, { ...purge, filter: 'with=only_deleted' })
    expect(found).toMatchObject({ state: 'done', done: 1, may_undo: false })
    expect((await api.post(`/web/v1/jobs/${found.id}/undo`)).status).toBe(400)
    const restored = ids.map(async (id) => (await api.post(`/api/v4/${type}/${id}/restore`)).status)
    expect(await Promise.all(restored)).toEqual([404, 404, 404])
    expect((await readAll(api, type, ids)).map(({ id }) => id)).toEqual([kept])
    expect((await api.post(`/api/v4/${type}/${late}/restore`)).status).toBe(200)
  })

  test('changes only what the user may change, and finds only what the user may view', async () => {
    const account = await newAccount()
    const rights = { [rightsOf(type)]: { view: 'M', edit: 'M', delete: 'D' } }
    const user = await account.addUser({ rights })
    const [mine, theirs] = (await addRecords(account.api, type, [
      { name: 'mine', responsible_user_id: user.id },
      { name: 'theirs' },
    ])) as [number, number]
    const tag = { entity_type: type, action: { tag: { add: ['x'] } } }
    expect(await bulk(user.api, { ...tag, filter: '' })).toMatchObject({ total: 1, done: 1 })
    const named = await bulk(user.api, { ...tag, ids: [mine, theirs] })
    expect(named).toMatchObject({
      done: 1,
      skipped: 1,
      faults: [{ id: theirs, detail: `You have no right to edit ${singular[type]} ${theirs}.` }],
    })
    const refused = { entity_type: type, ids: [mine] }
    for (const action of [{ delete: {} }, { restore: {} }])
      expect((await user.api.post('/web/v1/bulk', { ...refused, action })).status).toBe(403)
    const stranger = await newAccount()
    expect(await bulk(stranger.api, { ...tag, ids: [mine] })).toMatchObject({ done: 0, skipped: 1 })
  })
})

/**
 * The rows of the table, without the author and the time of the last change, and without the times at which the clock
 * looks at a customer again; tags have no order.
 */
async function rowsOf({ id, kontor }: TestAccount, type: RowType, ids: number[]) {
  const rows = await kontor.database.list<{ row: Record<string, unknown> }>(sql`
    select to_jsonb(record) - '{updated_at,updated_by,status_due_at,segments_due_at}'::text[] as row from ${raw(type)} record
     where account_id = ${id} and id = any(${ids}::bigint[]) order by id`)
  return rows.map(({ row }) => ({
    ...row,
    tag_ids: (row['tag_ids'] as number[]).toSorted((a, b) => a - b),
  }))
}

async function readAll(api: Client, type: RowType, ids: number[]) {
  const { body } = await api.get(`/api/v4/${type}?limit=250&order[id]=asc&filter[id]=${ids.join()}`)
  return (body?._embedded[type] ?? []) as {
    id: number
    responsible_user_id: number
    custom_fields_values: unknown
    _embedded: { tags: { name: string }[] }
  }[]
}

test('customers leave and enter their segments with the bin, many at once', async () => {
  const { api } = await newAccount()
  const { id: segment } = (await api.post('/api/v4/customers/segments', { name: 'Faithful' })).body
  const inSegment = { _embedded: { segments: [{ id: segment }] } }
  const ids = await addRecords(api, 'customers', [inSegment, inSegment, {}])
  const count = async () =>
    (await api.get(`/api/v4/customers/segments/${segment}`)).body.customers_count
  expect(await count()).toBe(2)
  const job = await bulk(api, { entity_type: 'customers', ids, action: { delete: {} } })
  expect([job.done, await count()]).toEqual([3, 0])
  expect([(await undo(api, job)).done, await count()]).toEqual([3, 2])
  for (const id of ids) await api.delete(`/api/v4/customers/${id}`)
  const restored = await bulk(api, { entity_type: 'customers', ids, action: { restore: {} } })
  expect([restored.done, await count()]).toEqual([3, 2])
})

test('a field of any type is set, emptied and given back', async () => {
  const account = await newAccount()
  const { api } = account
  const fields = await addEveryType(account, 'leads')
  const [first, second] = fields.multiselect.enums
  const cases: [keyof typeof fields, object[], object[]][] = [
    ['text', [{ value: 'old' }], [{ value: 'new' }]],
    ['numeric', [{ value: 1.5 }], [{ value: 2 }]],
    ['checkbox', [{ value: true }], [{ value: false }]],
    ['select', [{ value: 'North' }], [{ value: 'South' }]],
    ['multiselect', [{ enum_id: first!.id }, { enum_id: second!.id }], [{ value: 'East' }]],
    ['date', [{ value: '2026-03-01' }], [{ value: 1_780_000_000 }]],
    ['date_time', [{ value: 1_770_000_000 }], [{ value: 1_780_000_000 }]],
    ['birthday', [{ value: '1980-03-01' }], [{ value: '1990-03-01' }]],
    ['smart_address', [{ value: 'One Street', enum_code: 'address_line_1' }], []],
    ['legal_entity', [{ value: { name: 'One Ltd' } }], [{ value: { name: 'Two Ltd' } }]],
  ]
  for (const [name, old, sent] of cases) {
    const field = fields[name]
    const ids = await addLeads(api, [
      { custom_fields_values: [valueOf(field, ...old)], price: 5 },
      {},
      { custom_fields_values: sent.length > 0 ? [valueOf(field, ...sent)] : null },
    ])
    const before = await rowsOf(account, 'leads', ids)
    for (const values of [sent, []]) {
      const action = { field: { custom_fields_values: [valueOf(field, ...values)] } }
      const job = await bulk(api, { ids, action })
      expect([name, job]).toMatchObject([name, { state: 'done', done: 3, skipped: 0 }])
      const left = (await readAll(api, 'leads', ids)).map((each) => each.custom_fields_values)
      expect(new Set(left.map((each) => JSON.stringify(each))).size).toBe(1)
      expect([name, left[0] === null]).toEqual([name, values.length === 0])
      expect(await undo(api, job)).toMatchObject({ state: 'done', skipped: 0 })
      expect([name, await rowsOf(account, 'leads', ids)]).toEqual([name, before])
    }
  }
})

test('an undo of a field leaves alone what somebody has changed since, and other fields', async () => {
  const account = await newAccount()
  const { api } = account
  const [own, other] = await addFields(account, 'leads', [{ type: 'text' }, { type: 'numeric' }])
  const set = (value: string) => valueOf(own!, { value })
  const ids = (await addLeads(api, [
    { custom_fields_values: [set('old')], price: 1 },
    { custom_fields_values: [set('old')], price: 2 },
    { custom_fields_values: [set('old'), valueOf(other!, { value: 1 })], price: 3 },
  ])) as [number, number, number]
  const [changed, priced, beside] = ids
  const field = { price: 9, custom_fields_values: [set('new')] }
  const job = await bulk(api, { ids, action: { field } })
  await api.patch(`/api/v4/leads/${changed}`, { custom_fields_values: [set('third')] })
  await api.patch(`/api/v4/leads/${priced}`, { price: 10 })
  await api.patch(`/api/v4/leads/${beside}`, {
    custom_fields_values: [valueOf(other!, { value: 2 })],
  })
  const isChanged = (id: number) => ({ id, detail: `Lead ${id} has been changed since.` })
  expect(await undo(api, job)).toMatchObject({
    done: 1,
    skipped: 2,
    faults: [isChanged(changed), isChanged(priced)],
  })
  const values = (text: string) => [shownAs(own!, { value: text })]
  expect(
    (await leadsOf(api, ids)).map((lead) => [lead['price'], lead['custom_fields_values']]),
  ).toEqual([
    [9, values('third')],
    [10, values('new')],
    [3, [...values('old'), shownAs(other!, { value: '2' })]],
  ])
  // A field that is deleted meanwhile takes nothing back.
  const again = await bulk(api, {
    ids: [beside],
    action: { field: { custom_fields_values: [set('x')] } },
  })
  await deleteField(account, 'leads', own!.id)
  const undone = await undo(api, again)
  expect(undone).toMatchObject({ done: 0, skipped: 1 })
  expect(undone.faults[0]!.detail).toContain(String(own!.id))
})

test('a filter that finds more than the setting allows changes nothing', async () => {
  // Any process on a database may do a job, by its own setting.
  const scratch = await scratchDatabase()
  onTestFinished(scratch.drop)
  const account = await newAccount({ jobRecords: 3, databaseUrl: scratch.url })
  const { api } = account
  const ids = await addLeads(api, ten.slice(0, 4))
  const action = { tag: { add: ['x'] } }
  const job = await bulk(api, { filter: '', action })
  expect(job).toMatchObject({
    state: 'failed',
    done: 0,
    detail: 'The filter finds more than 3 records, the most of one job',
  })
  expect((await readAll(api, 'leads', ids)).flatMap(tagNames)).toEqual([])
  const some = `filter[id]=${ids.slice(0, 3).join()}`
  expect(await bulk(api, { filter: some, action })).toMatchObject({ state: 'done', done: 3 })
})

test('a long job has two lanes, which change each record once and name what is refused in either', async () => {
  const account = await newAccount()
  const { api } = account
  const ids: number[] = []
  const drafts = Array.from({ length: 250 }, () => ({}))
  for (let batch = 0; batch < 4; batch++) ids.push(...(await addLeads(api, drafts)))
  const gone = [ids[1]!, ids[998]!]
  for (const id of gone) await api.delete(`/api/v4/leads/${id}`)
  const { id, statuses } = await mainPipeline(account)
  const news = await listen(account)
  const job = await bulk(api, { ids, ...moveTo(id, statuses[1]) })
  expect(job).toMatchObject({ state: 'done', total: 1000, done: 998, skipped: 2 })
  expect(job.faults.map((fault) => fault.id)).toEqual(gone)
  const told = (await news()).journal.map(({ entity_id }) => entity_id)
  const left = ids.filter((each) => !gone.includes(each))
  expect(told.toSorted((a, b) => a - b)).toEqual(left)
  // The changes of a lane count once, although both lanes write under one request.
  const tagged = await bulk(api, { filter: '', action: { tag: { add: ['x'] } } })
  expect(tagged).toMatchObject({ state: 'done', total: 998, done: 998 })
  expect(
    await account.kontor.database.list(sql`
      select changed from jobs where account_id = ${account.id} order by id`),
  ).toEqual([{ changed: 998 }, { changed: 998 }])
  // Each lane goes up through its own half.
  const [low, high] = [
    told.filter((each) => each < ids[500]!),
    told.filter((each) => each >= ids[500]!),
  ]
  expect([low, high]).toEqual([left.slice(0, 499), left.slice(499)])
})

test('jobs of the version before go on in one lane where they were', async () => {
  const migrations = path.join(import.meta.dirname, '../../../database/migrations')
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-migrations-'))
  for (const name of await readdir(migrations))
    if (name < '0057') await copyFile(path.join(migrations, name), path.join(folder, name))
  const { database, drop } = await scratchDatabase(folder)
  onTestFinished(drop)
  await rm(folder, { recursive: true })
  const { account, user } = await database.transaction(async (tx) => {
    const account = await createAccount(tx, 1, { subdomain: 'before', name: 'Before' })
    const draft = { name: 'Ann', email: 'ann@example.com', is_admin: true }
    return { account, user: await createUser(tx, account, 1, draft) }
  })
  await database.transaction(async (tx) => {
    await tx.rows(sql`
      insert into jobs (account_id, id, user_id, request_id, kind, action, state, found_to, done_to, total, created_at, finished_at)
      select ${account}::bigint, id, ${user}::bigint, gen_random_uuid(), 'delete', '{}', state, found_to, done_to, total, 1, finished_at
        from (values (1, 'running', null, 12, 3, null), (2, 'running', 12, 0, null, null), (3, 'waiting', 0, 0, null, null),
                     (4, 'done', null, 13, 3, 5)) job(id, state, found_to, done_to, total, finished_at)`)
    await tx.rows(sql`
      insert into job_records (account_id, job_id, record_id)
      select ${account}::bigint, job, record from unnest('{1,2}'::bigint[]) job, unnest('{11,12,13}'::bigint[]) record
       where job = 1 or record < 13`)
  })
  await migrate(database, () => undefined)
  const kept = { entity_type: 'leads', split_at: null }
  expect(
    await database.list(
      sql`select id, entity_type, found, split_at, to_json(lanes) as lanes from jobs order by id`,
    ),
  ).toEqual([
    { id: 1, ...kept, found: 3, lanes: [12, null] },
    { id: 2, ...kept, found: 2, lanes: [0, null] },
    { id: 3, ...kept, found: 0, lanes: [0, null] },
    { id: 4, ...kept, found: 0, lanes: [null, null] },
  ])
})
