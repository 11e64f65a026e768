import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addRecord, addUserWith, allKinds, rightsOf } from '../../../../test/records.ts'
import { streamOf } from '../../../../test/stream.ts'

const path = '/web/v1/presence'

test.for(allKinds)(
  'of a card of %s is told to browsers that may view it, and to no others',
  async (type) => {
    const account = await newAccount()
    const [own, none] = [
      await addUserWith(account, rightsOf(type), { view: 'M' }),
      await addUserWith(account, rightsOf(type), {}),
    ]
    const alien = await newAccount()
    const hidden = await addRecord(account.api, type)
    const seen = await addRecord(account.api, type, { responsible_user_id: own.id })
    const [admin, limited, denied, other] = [
      await streamOf(account, account.admin),
      await streamOf(account, own),
      await streamOf(account, none),
      await streamOf(alien, alien.admin),
    ]
    const here = { entity_type: type, tab: 'a-1', field: 'price', is_here: true }
    for (const entity_id of [hidden, seen])
      expect((await account.api.post(path, { ...here, entity_id })).status).toBe(204)
    const gone = { ...here, entity_id: seen, field: null, is_here: false }
    expect((await own.api.post(path, gone)).status).toBe(204)
    const presenceOf = (by: number, message: object) => ({
      event: 'presence',
      data: { ...message, user_id: by },
    })
    const [one, two, three] = [
      presenceOf(account.admin.id, { ...here, entity_id: hidden }),
      presenceOf(account.admin.id, { ...here, entity_id: seen }),
      presenceOf(own.id, gone),
    ]
    await expect.poll(() => admin.of('presence')).toEqual([one, two, three])
    await expect.poll(() => limited.of('presence')).toEqual([two, three])
    expect([denied.of('presence'), other.of('presence')]).toEqual([[], []])
  },
)

test('is told by those only who may view the record, in a form that is right', async () => {
  const account = await newAccount()
  const none = await addUserWith(account, 'leads', {})
  const entity_id = await addRecord(account.api, 'leads')
  const here = { entity_type: 'leads', entity_id, tab: 'a', field: null, is_here: true }
  const status = async (api: typeof account.api, more: object = {}) =>
    (await api.post(path, { ...here, ...more })).status
  expect(await status(none.api)).toBe(403)
  expect(await status((await newAccount()).api)).toBe(404)
  expect(await status(account.api, { entity_id: 999_999_999 })).toBe(404)
  expect(await status(account.api, { tab: 'a b' })).toBe(400)
  expect(await status(account.api, { tab: 'a'.repeat(33) })).toBe(400)
  expect(await status(account.api, { entity_type: 'tasks' })).toBe(400)
})
