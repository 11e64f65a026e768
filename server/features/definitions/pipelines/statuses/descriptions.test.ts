import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import { faultsOf, won } from '../../../../../test/leads.ts'
import { newPair } from '../../../../../test/oauth.ts'
import { client } from '../../../../../test/client.ts'
import { pipelineOf, statusesOf } from '../../../../../test/pipelines.ts'

interface Shown {
  id: number
  level: string
  description: string
}

/** An account with a status that has a description for newbies and one for masters. */
async function atWork() {
  const account = await newAccount()
  const { api } = account
  const { id: pipeline } = await pipelineOf(api, 'A')
  const descriptions = [
    { level: 'newbie', description: 'Call them 📞' },
    { level: 'master', description: 'You know' },
  ]
  const made = await api.post(statusesOf(pipeline), [{ name: 'B', sort: 30, descriptions }])
  const [status] = made.body._embedded.statuses
  const path = status._links.self.href as string
  const read = async (): Promise<Shown[]> =>
    (await api.get(`${path}?with=descriptions`)).body.descriptions
  const texts = async () =>
    (await read()).map(({ level, description }) => `${level}: ${description}`)
  const change = (...sent: object[]) => api.patch(path, { descriptions: sent })
  return { account, api, pipeline, status, path, read, texts, change }
}

test('descriptions are shown where they are asked for, and to who wrote them', async () => {
  const { account, api, pipeline, status, path, read } = await atWork()
  const [newbie, master] = status.descriptions
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  expect(newbie).toEqual({
    id: newbie.id,
    account_id: account.id,
    created_at: time,
    updated_at: time,
    pipeline_id: pipeline,
    status_id: status.id,
    created_by: account.admin.id,
    updated_by: account.admin.id,
    level: 'newbie',
    description: 'Call them 📞',
  })
  expect(Math.abs(Date.parse(`${newbie.created_at.replace(' ', 'T')}Z`) - Date.now())).toBeLessThan(
    60_000,
  )
  expect(await read()).toEqual([newbie, master])
  expect((await api.get(path)).body).not.toHaveProperty('descriptions')
  const listed = await api.get(`${statusesOf(pipeline)}?with=nothing,descriptions`)
  const { statuses } = listed.body._embedded
  expect(statuses.find(({ id }: Shown) => id === status.id).descriptions).toEqual([newbie, master])
  expect(statuses.find(({ id }: Shown) => id === won).descriptions).toEqual([])
  expect((await api.get(statusesOf(pipeline))).body._embedded.statuses[1]).not.toHaveProperty(
    'descriptions',
  )
})

test('one with its id is written anew, one without an id is added or written over', async () => {
  const { account, change, read, texts, path } = await atWork()
  const [newbie, master] = await read()
  account.clock.ahead += 100
  const { status, body } = await change(
    { ...newbie!, description: 'Write' },
    { level: 'candidate', description: 'Ask' },
    { level: 'master', description: 'Think' },
  )
  expect(status).toBe(200)
  expect(body.descriptions).toEqual(await read())
  expect(await texts()).toEqual(['newbie: Write', 'master: Think', 'candidate: Ask'])
  const after = await read()
  expect(after.map(({ id }) => id).slice(0, 2)).toEqual([newbie!.id, master!.id])
  expect(after[0]).toMatchObject({
    created_at: (newbie as unknown as { created_at: string }).created_at,
  })
  account.clock.ahead += 100
  // Sending back what was read changes nothing.
  expect(
    (await account.api.patch(path, { ...body, request_id: undefined })).body.descriptions,
  ).toEqual(after)
})

test('one with its id and without a text goes', async () => {
  const { change, read, texts } = await atWork()
  const [newbie, master] = await read()
  expect((await change({ id: newbie!.id, level: 'newbie' })).status).toBe(200)
  expect(await texts()).toEqual(['master: You know'])
  expect(
    (await change({ id: master!.id, level: 'master', description: null })).body.descriptions,
  ).toEqual([])
  expect((await change()).body.descriptions).toEqual([])
})

test('what an integration writes has no author', async () => {
  const { account, path } = await atWork()
  const { access_token } = await newPair(account)
  const api = client(account.kontor, access_token)
  const sent = { descriptions: [{ level: 'candidate', description: 'By a program' }] }
  expect((await api.patch(path, sent)).body.descriptions[2]).toMatchObject({
    created_by: 0,
    updated_by: 0,
  })
})

test('bad descriptions are refused, all of them', async () => {
  const { change, read, texts } = await atWork()
  const [newbie] = await read()
  const before = await texts()
  const faults = async (...sent: object[]) => {
    const answer = await change(...sent)
    return answer.status === 400 ? faultsOf(answer)[0] : answer.status
  }
  const text = { description: 'x' }
  expect(await faults({ level: 'boss', ...text })).toEqual([
    'NotSupportedChoice descriptions.0.level',
  ])
  expect(await faults({ ...text })).toEqual(['FieldMissing descriptions.0.level'])
  expect(await faults({ level: 'newbie' })).toEqual(['FieldMissing descriptions.0.description'])
  expect(await faults({ level: 'newbie', ...text }, { level: 'newbie', ...text })).toEqual([
    'NotUnique descriptions.1.level',
  ])
  expect(await faults({ id: newbie!.id, level: 'master', ...text })).toEqual([
    'NotSupportedChoice descriptions.0.id',
  ])
  expect(await faults({ id: 1, level: 'newbie' })).toEqual(['NotSupportedChoice descriptions.0.id'])
  expect(await faults({ level: 'newbie', description: 'x'.repeat(1001) })).toEqual([
    'TooLong descriptions.0.description',
  ])
  expect(await faults({ level: 'newbie', description: '' })).toEqual([
    'NotBlank descriptions.0.description',
  ])
  expect(await faults({ level: 'newbie', ...text, colour: 1 })).toEqual([
    'FieldNotExpected descriptions.0.colour',
  ])
  expect(
    await faults(
      ...['newbie', 'candidate', 'master', 'newbie'].map((level) => ({ level, ...text })),
    ),
  ).toEqual(['TooMany descriptions'])
  expect(await texts()).toEqual(before)
  expect(await faults({ level: 'newbie', description: '📞'.repeat(1000) })).toBe(200)
})
