import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Client } from '../../../../test/client.ts'
import {
  ended,
  lockLead,
  startDefinitionJob,
  undo,
  writeUntilEnded,
} from '../../../../test/jobs.ts'
import { addLead, addLeads, listen } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { newPair } from '../../../../test/oauth.ts'
import { addRecords, allKinds, pathOf } from '../../../../test/records.ts'
import { itemOf } from '../../../../test/unsorted.ts'
import { holdTags } from '../../../records/tags.ts'
import type { RecordType } from '../../../records/description.ts'

const path = '/web/v1/definition-jobs'

interface Tag {
  id: number
  name: string
  color: string | null
}

const addTags = async (api: Client, kind: RecordType, ...names: string[]): Promise<Tag[]> =>
  (
    await api.post(
      `/api/v4/${kind}/tags`,
      names.map((name) => ({ name })),
    )
  ).body._embedded.tags

const merge = (tag: number, into: number) => ({ merge_tag: { tag_id: tag, into } })
const remove = (tag: number) => ({ delete_tag: { tag_id: tag } })
const having = (...ids: number[]) => ({ _embedded: { tags: ids.map((id) => ({ id })) } })

/** The tags that records have in the table, in the bin too, and by the index of tags. */
async function kept(
  { id: account, kontor: { database } }: TestAccount,
  kind: RecordType,
  ids: number[],
) {
  const rows = await database.rows<{ stored: number[]; indexed: number[] }>(sql`
    select to_json(record.tag_ids) as stored,
           (select coalesce(json_agg(tag_id order by tag_id), '[]') from record_tags
             where account_id = ${account} and entity_type = ${kind} and entity_id = record.id) as indexed
      from ${raw(kind)} record where record.account_id = ${account} and record.id = any(${ids}::bigint[]) order by record.id`)
  for (const { stored, indexed } of rows) expect(indexed).toEqual(stored.toSorted((a, b) => a - b))
  return rows.map(({ stored }) => stored)
}

const bin = ({ id: account, kontor }: TestAccount, kind: RecordType, id: number) =>
  kontor.database.transaction((tx) =>
    tx.rows(
      sql`update ${raw(kind)} set is_deleted = true where account_id = ${account} and id = ${id}`,
    ),
  )

const listed = async (api: Client, kind: RecordType): Promise<Tag[]> =>
  (await api.get(`/web/v1/tags/${kind}`)).body._embedded.tags.map(({ id, name, color }: Tag) => ({
    id,
    name,
    color,
  }))

test.for(allKinds)('a tag of %s is merged with its records, and comes back', async (kind) => {
  const account = await newAccount()
  const { api } = account
  const [vip, other, loyal] = (await addTags(api, kind, 'VIP', 'other', 'Loyal')).map(
    ({ id }) => id,
  ) as [number, number, number]
  if (kind === 'leads') await api.patch('/api/v4/leads/tags', [{ id: loyal, color: '86C0FC' }])
  const before = await listed(api, kind)
  const ids = await addRecords(api, kind, [
    having(loyal),
    having(other, loyal, vip),
    having(loyal),
    having(loyal),
    having(other),
  ])
  const [single, several, changes, goes] = ids as [number, number, number, number]
  const [binned] = (await addRecords(api, kind, [having(loyal, other)])) as [number]
  await bin(account, kind, binned)
  const all = [...ids, binned]
  const news = await listen(account)

  const job = await ended(api, await startDefinitionJob(api, merge(loyal, vip)))
  expect(job).toMatchObject({
    kind: 'merge_tag',
    entity_type: kind,
    definition: { kind: 'merge_tag', name: 'Loyal', into: 'VIP' },
    state: 'done',
    total: 5,
    done: 5,
    skipped: 0,
    may_undo: true,
  })
  expect(await kept(account, kind, all)).toEqual([
    [vip],
    [other, vip],
    [vip],
    [vip],
    [other],
    [vip, other],
  ])
  expect((await listed(api, kind)).map(({ id }) => id)).toEqual([other, vip])
  // Each record outside of the bin tells of both tags; one that had both tells of the one that goes.
  const { events, journal } = await news()
  expect(journal.map(({ entity_id }) => entity_id)).toEqual([single, several, changes, goes])
  const ofRecord = (id: number) =>
    events
      .filter(({ entity_id }) => entity_id === id)
      .map(({ type, value_before, value_after }) => [type, value_before, value_after])
  expect(ofRecord(single)).toEqual([
    ['entity_tag_added', [], [{ tag: { name: 'VIP' } }]],
    ['entity_tag_deleted', [{ tag: { name: 'Loyal' } }], []],
  ])
  expect(ofRecord(several)).toEqual([['entity_tag_deleted', [{ tag: { name: 'Loyal' } }], []]])

  // What others change since stays, and so does what is gone.
  await api.patch(pathOf(kind), [{ id: changes, ...having(other) }])
  await bin(account, kind, goes)
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ state: 'done', done: 3, skipped: 2 })
  expect(undone.faults.map(({ id }) => id)).toEqual([changes, goes])
  expect(await kept(account, kind, all)).toEqual([
    [loyal],
    [other, loyal, vip],
    [other],
    [vip],
    [other],
    [loyal, other],
  ])
  expect(await listed(api, kind)).toEqual(before)
})

test('a tag is deleted from its records, and comes back', async () => {
  const account = await newAccount()
  const { api } = account
  const [vip, other] = (await addTags(api, 'contacts', 'VIP', 'other')).map(({ id }) => id) as [
    number,
    number,
  ]
  const ids = await addRecords(api, 'contacts', [having(vip), having(vip, other), having(other)])
  const job = await ended(api, await startDefinitionJob(api, remove(vip)))
  expect(job).toMatchObject({
    kind: 'delete_tag',
    state: 'done',
    done: 2,
    definition: { name: 'VIP', into: '' },
  })
  expect(await kept(account, 'contacts', ids)).toEqual([[], [other], [other]])
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 2, skipped: 0 })
  expect(await kept(account, 'contacts', ids)).toEqual([[vip], [vip, other], [other]])
})

test('what colleagues and programs give the tag meanwhile is merged too, and none is lost', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const [into, tag] = (await addTags(api, 'leads', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const ids = await addLeads(
    api,
    Array.from({ length: 250 }, () => having(tag)),
  )
  const colleague = await account.addUser({ is_admin: true })
  const program = client(kontor, (await newPair(account)).access_token)
  const asked = await startDefinitionJob(api, merge(tag, into))
  const { job, statuses, written } = await writeUntilEnded(api, asked, [
    () => program.post('/api/v4/leads', [having(tag), having(into, tag)]),
    (turn) =>
      colleague.api.patch('/api/v4/leads', [
        { id: ids[turn % ids.length], tags_to_add: [{ id: tag }] },
        { id: ids[(turn + 100) % ids.length], tags_to_add: [{ id: tag }] },
      ]),
  ])
  expect(job).toMatchObject({ state: 'done', skipped: 0 })
  // Refused once the tag is gone, never failed.
  expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([])
  expect(statuses).toContain(200)
  const all = [...new Set([...ids, ...written])].toSorted((a, b) => a - b)
  const stored = await kept(account, 'leads', all)
  expect(stored.length).toBe(all.length)
  expect(stored.filter((tags) => !tags.includes(into) || tags.includes(tag))).toEqual([])
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: all.length, skipped: 0 })
  // Those that had the other one as well, before the first change of theirs, keep it.
  const back = await kept(account, 'leads', all)
  expect(back.every((tags) => tags.includes(tag))).toBe(true)
  expect(back.slice(0, ids.length).filter((tags) => tags.length > 1)).toEqual([])
})

test('a program that names the tag meanwhile makes a new one, which the undo does not take for the old', async () => {
  const account = await newAccount()
  const { api } = account
  const [into, tag] = (await addTags(api, 'leads', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const lead = await addLead(api, having(tag))
  const job = await ended(api, await startDefinitionJob(api, merge(tag, into)))
  await addLead(api, { _embedded: { tags: [{ name: 'loyal' }] } })
  expect(await undo(api, job)).toMatchObject({
    state: 'failed',
    detail: 'Another tag is called Loyal now',
  })
  const [, made] = (await listed(api, 'leads')).toSorted((a, b) => a.id - b.id)
  await api.patch('/api/v4/leads/tags', [{ id: made!.id, name: 'Faithful' }])
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 1 })
  expect(await kept(account, 'leads', [lead])).toEqual([[tag]])
})

test('a step waits for a record that a colleague holds, and what is made meanwhile is merged too', async () => {
  const account = await newAccount()
  const { api } = account
  const [into, tag] = (await addTags(api, 'leads', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const [held] = await addLeads(api, [having(tag), having(tag)])
  const letGo = await lockLead(account, held!)
  const asked = await startDefinitionJob(api, merge(tag, into))
  await expect.poll(letGo.isWaitedFor, { timeout: 10_000, interval: 20 }).toBe(true)
  expect((await api.post('/api/v4/leads', [having(tag)])).status).toBe(200)
  await letGo()
  expect(await ended(api, asked)).toMatchObject({ state: 'done', done: 3, skipped: 0 })
})

test('a tag of a lead that waits with its unsorted item is merged too', async () => {
  const account = await newAccount()
  const { api } = account
  const [into, tag] = (await addTags(api, 'leads', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const { body } = await api.post('/api/v4/leads/unsorted/forms', [
    itemOf('forms', { _embedded: { leads: [{ name: 'Chairs', ...having(tag) }] } }),
  ])
  const [item] = body._embedded.unsorted
  const job = await ended(api, await startDefinitionJob(api, merge(tag, into)))
  expect(job).toMatchObject({ state: 'done', done: 1, skipped: 0 })
  const { id } = item._embedded.leads[0]
  expect(await kept(account, 'leads', [id])).toEqual([[into]])
  expect((await api.post(`/api/v4/leads/unsorted/${item.uid}/accept`, {})).status).toBe(200)
  expect(await kept(account, 'leads', [id])).toEqual([[into]])
})

test('a merge that cannot be is refused before anything changes', async () => {
  const account = await newAccount()
  const { api } = account
  const [vip, loyal] = (await addTags(api, 'customers', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const [ofLeads] = (await addTags(api, 'leads', 'VIP')).map(({ id }) => id) as [number]
  const { id: segment } = (await api.post('/api/v4/customers/segments', { name: 'Faithful' })).body
  const named = (await addTags(api, 'customers', 'Named'))[0]!.id
  await api.send('PUT', `/web/v1/customers/segments/${segment}/conditions`, {
    entry_conditions: [[{ field: 'tag', tag_id: named }]],
    exit_conditions: [],
  })
  const seller = await account.addUser({ is_admin: false })
  const stranger = await newAccount()
  for (const [by, request, answer] of [
    [api, merge(vip, vip), 400],
    [api, merge(vip, 1), 404],
    [api, merge(1, vip), 404],
    [api, merge(vip, ofLeads), 400],
    [api, merge(named, vip), 400],
    [api, remove(named), 400],
    [api, remove(1), 404],
    [seller.api, merge(vip, loyal), 403],
    [seller.api, remove(vip), 403],
    [stranger.api, merge(vip, loyal), 404],
    [stranger.api, remove(vip), 404],
  ] as const)
    expect([request, (await by.post(path, request)).status]).toEqual([request, answer])
  expect((await api.post(path, merge(named, vip))).body.detail).toBe(
    'The conditions of the segment Faithful name this tag: change them first',
  )
  expect((await api.get('/web/v1/jobs')).body.jobs).toEqual([])
  expect(await ended(api, await startDefinitionJob(api, merge(vip, named)))).toMatchObject({
    state: 'done',
  })
})

test('no record loses the tag that it got where the former one is gone, in the bin or not', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const [into, tag] = (await addTags(api, 'leads', 'VIP', 'Loyal')).map(({ id }) => id) as [
    number,
    number,
  ]
  const ids = await addLeads(api, [having(tag), having(tag)])
  await api.delete(`/api/v4/leads/${ids[1]}`)
  const job = await ended(api, await startDefinitionJob(api, merge(tag, into)))
  // As a job is that was cancelled before it deleted the tag, which somebody deletes then.
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update jobs set definition = (definition::jsonb - 'taken')::json where account_id = ${account.id} and id = ${job.id}`,
    ),
  )
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0, skipped: 2 })
  expect(await kept(account, 'leads', ids)).toEqual([[into], [into]])
})

test.for(['a new lead', 'a changed lead', 'a complex lead', 'a merge of contacts'])(
  '%s waits for the end of a tag, and gets none that is gone',
  async (what) => {
    const account = await newAccount()
    const { api } = account
    const kind = what === 'a merge of contacts' ? 'contacts' : 'leads'
    const [tag] = (await addTags(api, kind, 'Loyal')).map(({ id }) => id) as [number]
    const ids = await addRecords(api, kind, [{}, having(tag)])
    const requests: Record<string, () => ReturnType<Client['post']>> = {
      'a new lead': () => api.post('/api/v4/leads', [having(tag)]),
      'a changed lead': () => api.patch('/api/v4/leads', [{ id: ids[0], ...having(tag) }]),
      'a complex lead': () => api.post('/api/v4/leads/complex', [having(tag)]),
      'a merge of contacts': () =>
        api.post('/web/v1/merges', { entity_type: 'contacts', into: ids[0], from: ids[1] }),
    }
    const { asked } = await account.kontor.database.transaction(async (tx) => {
      await tx.rows(holdTags(account.id, kind))
      const asked = requests[what]!()
      await untilAwaited(tx)
      await tx.rows(sql`delete from tags where account_id = ${account.id} and id = ${tag}`)
      return { asked }
    })
    expect((await asked).status).toBe(kind === 'leads' ? 400 : 201)
    expect((await kept(account, kind, ids))[0]).toEqual([])
  },
)

test('two administrators who end tags at once leave none of them on records in the bin', async () => {
  const account = await newAccount()
  const { api } = account
  const other = await account.addUser({ is_admin: true })
  for (let round = 0; round < 3; round++) {
    const names = [`VIP ${round}`, `Loyal ${round}`]
    const [into, tag] = (await addTags(api, 'contacts', ...names)).map(({ id }) => id) as [
      number,
      number,
    ]
    const ids = await addRecords(
      api,
      'contacts',
      Array.from({ length: 20 }, () => having(tag)),
    )
    for (const id of ids) await bin(account, 'contacts', id)
    const [merging, removing] = await Promise.all([
      startDefinitionJob(api, merge(tag, into)),
      startDefinitionJob(other.api, remove(into)),
    ])
    await Promise.all([ended(api, merging), ended(other.api, removing)])
    const there = (await listed(api, 'contacts')).map(({ id }) => id)
    for (const tags of await kept(account, 'contacts', ids))
      for (const each of tags) expect(there).toContain(each)
  }
})
