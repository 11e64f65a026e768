import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import {
  addLead,
  addPipeline,
  faultsOf,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../test/leads.ts'

const path = '/api/v4/leads'

/** An account with two pipelines and a lead; `move` changes the lead and answers its stage. */
async function atWork(draft: object = {}) {
  const account = await newAccount()
  const { api } = account
  const [main, other] = [await mainPipeline(account), await addPipeline(account)]
  const id = await addLead(api, draft)
  const move = async (change: object) => {
    const answer = await api.patch(`${path}/${id}`, change)
    if (answer.status !== 200) return faultsOf(answer)[0]
    const { pipeline_id, status_id } = await readLead(api, id)
    return [pipeline_id, status_id]
  }
  return { account, api, main, other, id, move }
}

test('a status moves a lead, into another pipeline too', async () => {
  const { main, other, move } = await atWork()
  expect(await move({ status_id: main.statuses[2] })).toEqual([main.id, main.statuses[2]])
  expect(await move({ status_id: other.statuses[1] })).toEqual([other.id, other.statuses[1]])
  expect(await move({ pipeline_id: other.id, status_id: main.statuses[1] })).toEqual([
    main.id,
    main.statuses[1],
  ])
  expect(await move({ pipeline_id: other.id, status_id: other.statuses[2] })).toEqual([
    other.id,
    other.statuses[2],
  ])
})

test('a pipeline alone moves a lead to its first ordinary status', async () => {
  const { api, main, other, id, move } = await atWork()
  expect(await move({ pipeline_id: other.id })).toEqual([other.id, other.statuses[0]])
  expect(await move({ ...(await readLead(api, id)), pipeline_id: main.id })).toEqual([
    main.id,
    main.statuses[0],
  ])
  expect(await move({ pipeline_id: main.id })).toEqual([main.id, main.statuses[0]])
})

test('won and lost are won and lost where the lead is, or where it is sent', async () => {
  const { main, other, move } = await atWork()
  expect(await move({ status_id: won })).toEqual([main.id, won])
  expect(await move({ pipeline_id: other.id, status_id: lost })).toEqual([other.id, lost])
  expect(await move({ status_id: won })).toEqual([other.id, won])
  expect(await move({ pipeline_id: main.id })).toEqual([main.id, won])
})

test('a stage that does not exist, does not fit or is unsorted is refused, and the lead stays', async () => {
  const { main, other, move } = await atWork()
  const strangers = await addPipeline(await newAccount())
  expect(await move({ status_id: 999_999_999 })).toEqual(['NotSupportedChoice status_id'])
  expect(await move({ status_id: strangers.statuses[0] })).toEqual(['NotSupportedChoice status_id'])
  expect(await move({ pipeline_id: 999_999_999 })).toEqual(['NotSupportedChoice pipeline_id'])
  expect(await move({ pipeline_id: strangers.id, status_id: won })).toEqual([
    'NotSupportedChoice pipeline_id',
  ])
  expect(await move({ pipeline_id: other.id, status_id: main.statuses[1] })).toEqual([
    'NotSupportedChoice status_id',
  ])
  expect(await move({ status_id: main.unsorted })).toEqual(['NotSupportedChoice status_id'])
  expect(await move({ status_id: other.unsorted, pipeline_id: other.id })).toEqual([
    'NotSupportedChoice status_id',
  ])
  expect(await move({})).toEqual([main.id, main.statuses[0]])
})

test('closing a lead writes when, reopening it forgets when', async () => {
  const { account, api, main, id, move } = await atWork()
  const closedAt = async () => (await readLead(api, id)).closed_at
  await move({ closed_at: 5 })
  expect(await closedAt()).toBeNull()
  await move({ status_id: won })
  const first = await closedAt()
  expect(first).toBe((await readLead(api, id)).updated_at)

  account.clock.ahead += 3600
  await move({ name: 'Still won' })
  expect(await closedAt()).toBe(first)
  await move({ closed_at: 1_600_000_000 })
  expect(await closedAt()).toBe(1_600_000_000)

  await move({ status_id: main.statuses[1] })
  expect(await closedAt()).toBeNull()
  await move({ status_id: lost })
  expect(await closedAt()).toBeGreaterThanOrEqual(first + 3600)
  await move({ status_id: main.statuses[0], closed_at: 77 })
  expect(await closedAt()).toBeNull()
  await move({ status_id: lost, closed_at: 77 })
  expect(await closedAt()).toBe(77)
})

test('a lead keeps what was read when its status alone is changed in it', async () => {
  const { api, main, id, move } = await atWork({ status_id: won })
  const before = await readLead(api, id)
  expect(await move({ ...before, status_id: main.statuses[1] })).toEqual([
    main.id,
    main.statuses[1],
  ])
  expect(await readLead(api, id)).toMatchObject({
    closed_at: null,
    loss_reason_id: null,
    created_at: before.created_at,
  })
})
