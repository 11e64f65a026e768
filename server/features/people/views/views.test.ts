import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestUser } from '../../../../test/account.ts'
import { addPipeline } from '../../../../test/leads.ts'
import { streamOf } from '../../../../test/stream.ts'

const path = '/web/v1/views'
const draft = { name: 'Mine', screen: 'board', search: 'filter[price][from]=10' }

const namesFor = async ({ api }: Pick<TestUser, 'api'>) =>
  (await api.get(path)).body.views.map(({ name }: { name: string }) => name)

async function people() {
  const account = await newAccount()
  const [author, other] = [await account.addUser(), await account.addUser()]
  return { account, author, other, admin: account.admin }
}

test('a view is kept as it was sent, its name without spaces around it', async () => {
  const { account, author } = await people()
  const { id: pipeline_id } = await addPipeline(account)
  const sent = { ...draft, name: '  Big ones ', pipeline_id }
  const { status, body } = await author.api.post(path, sent)
  expect([status, body]).toEqual([
    201,
    {
      ...draft,
      id: expect.any(Number),
      name: 'Big ones',
      pipeline_id,
      is_shared: false,
      user_id: author.id,
      is_own: true,
      may_change: true,
      pinned_at: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    },
  ])
  expect((await author.api.get(path)).body).toEqual({ views: [body] })
  const changed = await author.api.patch(`${path}/${body.id}`, { pipeline_id: null, search: '' })
  expect(changed.body).toMatchObject({ name: 'Big ones', pipeline_id: null, search: '' })
  expect((await author.api.delete(`${path}/${body.id}`)).status).toBe(204)
  expect(await namesFor(author)).toEqual([])
  expect((await author.api.delete(`${path}/${body.id}`)).status).toBe(404)
})

test('a private view is its author’s alone; a shared one is everybody’s to see, and administrators change it', async () => {
  const { account, author, other, admin } = await people()
  const { id } = (await author.api.post(path, draft)).body
  const one = `${path}/${id}`
  for (const user of [other, admin]) {
    expect(await namesFor(user)).toEqual([])
    expect((await user.api.patch(one, { name: 'Taken' })).status).toBe(404)
    expect((await user.api.delete(one)).status).toBe(404)
  }
  await author.api.patch(one, { is_shared: true })
  const shown = (await other.api.get(path)).body.views[0]
  expect(shown).toMatchObject({ id, is_own: false, may_change: false, user_id: author.id })
  expect((await other.api.patch(one, { name: 'Taken' })).status).toBe(403)
  expect((await other.api.delete(one)).status).toBe(403)
  const byAdmin = await admin.api.patch(one, { name: 'Ours' })
  expect(byAdmin.body).toMatchObject({ name: 'Ours', is_own: false, may_change: true })
  const stranger = await newAccount()
  expect(await namesFor(stranger.admin)).toEqual([])
  expect((await stranger.api.patch(one, { name: 'Taken' })).status).toBe(404)
  expect(await namesFor(other)).toEqual(['Ours'])
  expect((await account.api.delete(one)).status).toBe(204)
  expect(await namesFor(author)).toEqual([])
})

test('views come by name, and the bootstrap has them under a version of its own', async () => {
  const { author, other } = await people()
  const shell = async ({ api }: TestUser) => (await api.get('/web/v1/bootstrap')).body
  const before = await shell(other)
  for (const name of ['b', 'C', 'a']) await author.api.post(path, { ...draft, name })
  expect((await shell(other)).version).toBe(before.version)
  await author.api.post(path, { ...draft, name: 'B2', is_shared: true })
  const after = await shell(other)
  expect(after.version).not.toBe(before.version)
  expect(after.views).toEqual((await other.api.get(path)).body.views)
  expect(await namesFor(author)).toEqual(['a', 'b', 'B2', 'C'])
})

test('a view goes with its pipeline', async () => {
  const { account, author } = await people()
  const { id: pipeline_id } = await addPipeline(account)
  await author.api.post(path, { ...draft, pipeline_id })
  await author.api.post(path, { ...draft, name: 'Of all' })
  expect((await account.api.delete(`/api/v4/leads/pipelines/${pipeline_id}`)).status).toBe(204)
  expect(await namesFor(author)).toEqual(['Of all'])
  const refused = await author.api.post(path, { ...draft, pipeline_id })
  expect([refused.status, refused.body['validation-errors'][0].errors[0].path]).toEqual([
    400,
    'pipeline_id',
  ])
})

test.for(['board', 'leads', 'contacts', 'companies'])('the screen %s has views', async (screen) => {
  const { author } = await people()
  const { status, body } = await author.api.post(path, { ...draft, screen })
  expect([status, body.screen]).toEqual([201, screen])
})

test('everybody who sees a view pins it for themselves alone', async () => {
  const { account, author, other } = await people()
  const { id, ...view } = (await author.api.post(path, { ...draft, is_shared: true })).body
  const pin = `${path}/${id}/pin`
  const pinnedFor = async ({ api }: TestUser) =>
    (await api.get(path)).body.views.flatMap((each: { id: number; pinned_at: number | null }) =>
      each.pinned_at === null ? [] : each.id,
    )
  const mine = await streamOf(account, author)
  const theirs = await streamOf(account, other)
  const pinned = await other.api.send('PUT', pin)
  expect([pinned.status, pinned.body]).toEqual([
    200,
    { id, ...view, is_own: false, may_change: false, pinned_at: expect.any(Number) },
  ])
  expect((await other.api.send('PUT', pin)).body).toEqual(pinned.body)
  await expect.poll(() => theirs.count('views')).toBe(1)
  expect([await pinnedFor(other), await pinnedFor(author)]).toEqual([[id], []])
  // Another name is a change of the view, and the pin stays.
  await author.api.patch(`${path}/${id}`, { name: 'Ours' })
  expect(await pinnedFor(other)).toEqual([id])
  await author.api.patch(`${path}/${id}`, { is_shared: false })
  expect([(await other.api.send('PUT', pin)).status, (await other.api.delete(pin)).status]).toEqual(
    [404, 404],
  )
  await author.api.patch(`${path}/${id}`, { is_shared: true })
  await expect.poll(() => mine.count('views')).toBe(3)
  expect((await other.api.delete(pin)).status).toBe(204)
  expect((await other.api.delete(pin)).status).toBe(204)
  await expect.poll(() => theirs.count('views')).toBe(5)
  expect(await pinnedFor(other)).toEqual([])
  // The others heard of none of it.
  expect(mine.count('views')).toBe(3)
  await other.api.send('PUT', pin)
  expect((await author.api.delete(`${path}/${id}`)).status).toBe(204)
})

test('a user pins at most 20 views, of which those that are hidden again are none', async () => {
  const { author, other } = await people()
  const ids: number[] = []
  for (let count = 0; count < 22; count++)
    ids.push((await author.api.post(path, { ...draft, is_shared: true })).body.id)
  const answers = await Promise.all(ids.map((id) => other.api.send('PUT', `${path}/${id}/pin`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  const refused = answers.findIndex(({ status }) => status === 422)
  expect(answers[refused]!.body.detail).toBe('A user pins at most 20 views')
  const again = () => other.api.send('PUT', `${path}/${ids[refused]}/pin`)
  expect((await again()).status).toBe(422)
  const hidden = ids[answers.findIndex(({ status }) => status === 200)]
  await author.api.patch(`${path}/${hidden}`, { is_shared: false })
  expect((await again()).status).toBe(200)
})

test.for([
  [{ ...draft, name: ' ' }, 'name'],
  [{ ...draft, name: 'n'.repeat(61) }, 'name'],
  [{ ...draft, screen: 'moon' }, 'screen'],
  [{ ...draft, search: 's'.repeat(2001) }, 'search'],
  [{ ...draft, user_id: 1 }, 'user_id'],
] as const)('%o is refused for its %s', async ([sent, at]) => {
  const { author } = await people()
  const { status, body } = await author.api.post(path, sent)
  expect([status, body['validation-errors'][0].errors[0].path]).toEqual([400, at])
})

test('a user has at most 100 views', async () => {
  const { author, other } = await people()
  const added = await Promise.all(
    Array.from({ length: 101 }, (_, index) =>
      author.api.post(path, { ...draft, name: String(index) }),
    ),
  )
  expect(
    added
      .map(({ status }) => status)
      .toSorted((a, b) => a - b)
      .slice(-2),
  ).toEqual([201, 422])
  expect(await namesFor(author)).toHaveLength(100)
  expect((await other.api.post(path, draft)).status).toBe(201)
})

test('browsers of those who see a view, or saw it, hear that it has changed', async () => {
  const { account, author, other } = await people()
  const [mine, theirs] = [await streamOf(account, author), await streamOf(account, other)]
  const alien = await newAccount()
  const elsewhere = await streamOf(alien, alien.admin)
  const heard = () => [mine, theirs].map((each) => each.count('views'))
  const { id } = (await author.api.post(path, draft)).body
  await expect.poll(heard).toEqual([1, 0])
  await author.api.patch(`${path}/${id}`, { is_shared: true })
  await expect.poll(heard).toEqual([2, 1])
  await author.api.patch(`${path}/${id}`, { is_shared: false })
  await expect.poll(heard).toEqual([3, 2])
  await author.api.delete(`${path}/${id}`)
  await expect.poll(heard).toEqual([4, 2])
  expect(elsewhere.count('views')).toBe(0)
})
