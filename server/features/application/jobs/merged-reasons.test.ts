import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { ended, readJob, undo } from '../../../../test/jobs.ts'
import type { TestJob } from '../../../../test/jobs.ts'
import { addLeads, listen, lost } from '../../../../test/leads.ts'
import { addReasons, reasonKept, withReasons } from '../../../../test/origins.ts'

const path = '/web/v1/definition-jobs'
const reasons = '/web/v1/loss-reasons'

async function merge(api: Client, loss_reason_id: number, into: number): Promise<TestJob> {
  const { status, body } = await api.post(path, { merge_loss_reason: { loss_reason_id, into } })
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'waiting' })])
  return body
}

const some = (count: number, loss_reason_id: number) =>
  Array.from({ length: count }, () => ({ status_id: lost, loss_reason_id }))
const reasonsOf = (account: TestAccount, ids: number[]) =>
  Promise.all(ids.map((id) => reasonKept(account, id)))
const listed = async (api: Client) => (await api.get(reasons)).body._embedded.loss_reasons

test('a reason is merged into another with its leads, in the bin too; the undo brings both back', async () => {
  const { account, api, dear, silent } = await withReasons()
  await addReasons(account, 'The last one')
  await api.patch(`${reasons}/${dear}`, { color: '98cbff', icon_id: 3 })
  const before = await listed(api)
  const ids = await addLeads(api, some(4, dear))
  const [stays, changes, goes, inBin] = ids as [number, number, number, number]
  await api.delete(`/api/v4/leads/${inBin}`)
  const news = await listen(account)

  const job = await ended(api, await merge(api, dear, silent))
  expect(job).toMatchObject({
    kind: 'merge_loss_reason',
    definition: { kind: 'merge_loss_reason', name: 'Too dear', into: 'Silence' },
    state: 'done',
    total: 4,
    done: 4,
    skipped: 0,
    may_undo: true,
  })
  expect(await reasonsOf(account, ids)).toEqual([silent, silent, silent, silent])
  expect(await listed(api)).toMatchObject([
    { id: silent, used: 3 },
    { name: 'The last one', used: 0 },
  ])
  // Leads outside of the bin tell of the change.
  const { journal } = await news()
  expect(journal.map(({ entity_id }) => entity_id)).toEqual([stays, changes, goes])

  await api.patch(`/api/v4/leads/${changes}`, { loss_reason_id: null })
  await api.delete(`/api/v4/leads/${goes}`)
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ state: 'done', done: 2, skipped: 2 })
  expect(undone.faults.map(({ id }) => id)).toEqual([changes, goes])
  expect(await reasonsOf(account, ids)).toEqual([dear, null, silent, dear])
  expect(await listed(api)).toEqual(
    before.map((reason: { id: number }) => ({ ...reason, used: reason.id === dear ? 1 : 0 })),
  )
})

test('leads that get the reason meanwhile have the other one at the end', async () => {
  const { account, api, dear, silent } = await withReasons()
  await addLeads(api, some(250, dear))
  const asked = await merge(api, dear, silent)
  const seen: number[] = []
  while ((await readJob(api, asked.id)).state.match(/waiting|running/))
    seen.push((await api.post('/api/v4/leads', some(3, dear))).status)
  // Refused once the reason is gone, never failed.
  expect(seen.filter((status) => ![200, 400].includes(status))).toEqual([])
  const job = await ended(api, asked)
  expect(job).toMatchObject({ state: 'done', skipped: 0 })
  const left = await account.kontor.database.rows(
    sql`select id from leads where account_id = ${account.id} and loss_reason_id = ${dear}`,
  )
  expect(left).toEqual([])
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: job.done })
})

test('a merge that cannot be is refused, and one whose target goes meanwhile leaves the reason', async () => {
  const { account, api, dear, silent } = await withReasons()
  const other = await newAccount()
  const seller = await account.addUser({ is_admin: false })
  const send = async (by: Client, loss_reason_id: number, into: number) =>
    (await by.post(path, { merge_loss_reason: { loss_reason_id, into } })).status
  expect([
    await send(api, dear, dear),
    await send(api, dear, 1),
    await send(api, 1, dear),
    await send(other.api, dear, silent),
    await send(seller.api, dear, silent),
  ]).toEqual([400, 404, 404, 404, 403])
  // An empty reason is merged at once, and comes back once.
  const job = await ended(api, await merge(api, dear, silent))
  expect(job).toMatchObject({ state: 'done', total: 0, may_undo: true })
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0 })
  expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
  expect((await listed(api)).map(({ id }: { id: number }) => id)).toEqual([dear, silent])
})
