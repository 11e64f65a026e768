// The place of a lead in its pipeline, why it was lost and where it came from.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import {
  addLead,
  addLeads,
  addPipeline,
  faultsOf,
  listen,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../test/leads.ts'
import {
  addReasons,
  anotherIntegration,
  meanwhile,
  reasonKept,
  withReasons,
} from '../../../../test/origins.ts'
import { deleteLossReason } from '../../definitions/loss-reasons/loss-reasons.ts'
import { newFaults } from '../../../http/batch.ts'
import { changeLeads } from './leads.ts'

const path = '/api/v4/leads'

describe('stages', () => {
  /**
   * An account with two pipelines and a lead; `move` changes the lead and answers where it is then.
   */
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
    expect(await move({ status_id: strangers.statuses[0] })).toEqual([
      'NotSupportedChoice status_id',
    ])
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
})

// The time of closing (interface: Stage of a lead).
describe('closing', () => {
  const longAgo = 1_600_000_000

  test.each([
    [won, lost],
    [lost, won],
  ])(
    'a lead that goes from %i to %i is closed anew, and one that stays keeps its time',
    async (from, to) => {
      const { api, kontor } = await newAccount()
      const id = await addLead(api, { status_id: from, closed_at: longAgo })
      await api.patch(`/api/v4/leads/${id}`, { status_id: from, price: 5 })
      expect(await readLead(api, id)).toMatchObject({
        status_id: from,
        price: 5,
        closed_at: longAgo,
      })

      const before = kontor.now()
      await api.patch(`/api/v4/leads/${id}`, { status_id: to })
      const { status_id, closed_at } = await readLead(api, id)
      expect(status_id).toBe(to)
      expect(closed_at).toBeGreaterThanOrEqual(before)
      await api.patch(`/api/v4/leads/${id}`, { status_id: from, closed_at: longAgo + 1 })
      expect(await readLead(api, id)).toMatchObject({ status_id: from, closed_at: longAgo + 1 })
    },
  )
})

// Only a lead that is lost has a reason.
describe('loss reasons', () => {
  test('a lead is lost for a reason, on creation and on change, alone and in a batch', async () => {
    const { account, api, dear, silent } = await withReasons()
    const [born, open] = await addLeads(api, [{ status_id: lost, loss_reason_id: dear }, {}])
    expect(await readLead(api, born!)).toMatchObject({ status_id: lost, loss_reason_id: dear })
    const newsSince = await listen(account)
    await api.patch(`${path}/${open}`, { status_id: lost, loss_reason_id: silent })
    await api.patch(path, [{ id: born, loss_reason_id: silent }])
    expect(await readLead(api, open!)).toMatchObject({ status_id: lost, loss_reason_id: silent })
    expect(await readLead(api, born!)).toMatchObject({ loss_reason_id: silent })
    const { journal, events } = await newsSince()
    expect(events.map(({ type, entity_id }) => [type, entity_id])).toEqual([
      ['lead_status_changed', open],
    ])
    expect(
      journal.map(({ entity_id, actions, before }) => ({ entity_id, actions, before })),
    ).toMatchObject([
      { entity_id: open, actions: ['update', 'status'], before: { loss_reason_id: null } },
      { entity_id: born, actions: ['update'], before: { loss_reason_id: dear } },
    ])
  })

  test('null takes the reason off, and so does leaving the status; another pipeline is still lost', async () => {
    const { account, api, dear } = await withReasons()
    const other = await addPipeline(account)
    const { statuses } = await mainPipeline(account)
    const [one, two, three] = await addLeads(
      api,
      [1, 2, 3].map(() => ({ status_id: lost, loss_reason_id: dear })),
    )
    await api.patch(path, [
      { id: one, loss_reason_id: null },
      { id: two, status_id: statuses[1] },
      { id: three, pipeline_id: other.id, status_id: lost },
    ])
    expect(await readLead(api, one!)).toMatchObject({ status_id: lost, loss_reason_id: null })
    expect(await readLead(api, two!)).toMatchObject({
      status_id: statuses[1],
      loss_reason_id: null,
    })
    expect(await readLead(api, three!)).toMatchObject({
      pipeline_id: other.id,
      status_id: lost,
      loss_reason_id: dear,
    })
    // A lead that was read and is sent back with another status leaves its reason behind, too.
    const read = await readLead(api, three!)
    expect((await api.patch(`${path}/${three}`, { ...read, status_id: won })).status).toBe(200)
    expect(await readLead(api, three!)).toMatchObject({ status_id: won, loss_reason_id: null })
  })

  test('a reason for a lead that is not lost is refused by the name of the lead', async () => {
    const { account, api, dear } = await withReasons()
    const { statuses } = await mainPipeline(account)
    const [open, gone] = await addLeads(api, [{}, { status_id: lost }])
    const newsSince = await listen(account)
    const body = (errors: object) => ({
      title: 'Bad Request',
      status: 400,
      detail: 'Invalid request body',
      type: expect.any(String),
      errors,
    })
    const text = expect.stringContaining('143')
    const alone = await api.patch(`${path}/${open}`, { loss_reason_id: dear })
    expect(alone).toMatchObject({ status: 400 })
    expect(alone.body).toEqual(body({ [open!]: text }))
    const batch = await api.patch(path, [
      { id: gone, loss_reason_id: dear },
      { id: open, name: 'New', loss_reason_id: dear, request_id: 'mine' },
      { id: gone, status_id: statuses[0], loss_reason_id: dear },
    ])
    // The last item sends what the first one made of the lead, which counts as not sent.
    expect(batch.body).toEqual(body({ [open!]: text }))
    const reopened = await api.patch(path, [{ id: gone, status_id: won, loss_reason_id: dear }])
    expect(reopened.body).toEqual(body({ [gone!]: text }))
    const drafts = [
      { loss_reason_id: dear, request_id: 'a' },
      { status_id: lost, loss_reason_id: dear },
      { loss_reason_id: dear },
    ]
    const created = await api.post(path, drafts)
    expect(created.status).toBe(400)
    expect(created.body).toEqual(body({ a: text, 2: text }))
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(await reasonKept(account, gone!)).toBeNull()
  })

  test('any other fault of the batch is answered instead of the missing loss', async () => {
    const { api, dear } = await withReasons()
    const id = await addLead(api)
    const refused = await api.patch(path, [
      { id, loss_reason_id: dear },
      { id, responsible_user_id: 999_999_999 },
    ])
    expect(refused.body).not.toHaveProperty('errors')
    expect(faultsOf(refused)).toEqual({ 1: ['NotSupportedChoice responsible_user_id'] })
    const drafts = [
      { loss_reason_id: dear },
      { name: 5 },
      { _embedded: { tags: [{ name: 'new' }] } },
    ]
    expect(faultsOf(await api.post(path, drafts))).toEqual({ 1: ['InvalidType name'] })
    expect((await api.get(`${path}/tags`)).body._embedded.tags).toEqual([])
  })

  test("a reason that is unknown, deleted or another account's is refused at its place", async () => {
    const { api, dear } = await withReasons()
    const [theirs] = await addReasons(await newAccount(), 'Theirs')
    await api.delete(`${path}/loss_reasons/${dear}`)
    const drafts = [theirs, dear, 999_999_999].map((loss_reason_id) => ({
      status_id: lost,
      loss_reason_id,
    }))
    const faultPath = ['NotSupportedChoice loss_reason_id']
    expect(faultsOf(await api.post(path, drafts))).toEqual({
      0: faultPath,
      1: faultPath,
      2: faultPath,
    })
    const id = await addLead(api, { status_id: lost })
    // That the lead is not lost either does not matter then.
    expect(
      faultsOf(await api.patch(`${path}/${id}`, { loss_reason_id: theirs, status_id: won })),
    ).toEqual({ 0: faultPath })
    expect(faultsOf(await api.patch(`${path}/${id}`, { loss_reason_id: 'x' }))).toEqual({
      0: ['InvalidType loss_reason_id'],
    })
  })

  test('with=loss_reason embeds a list of the reason, or an empty one', async () => {
    const { api, dear } = await withReasons()
    const [without, why] = await addLeads(api, [
      { status_id: lost },
      { status_id: lost, loss_reason_id: dear },
    ])
    const { body: reason } = await api.get(`${path}/loss_reasons/${dear}`)
    const { body: one } = await api.get(`${path}/${why}?with=contacts,loss_reason`)
    expect(one._embedded).toEqual({ tags: [], companies: [], contacts: [], loss_reason: [reason] })
    expect(
      (await api.get(`${path}/${without}?with=loss_reason`)).body._embedded.loss_reason,
    ).toEqual([])
    const { leads } = (await api.get(`${path}?with=loss_reason`)).body._embedded
    expect(leads.map(({ _embedded }: typeof one) => _embedded.loss_reason)).toEqual([[], [reason]])
    expect((await readLead(api, why!))._embedded).not.toHaveProperty('loss_reason')
    // An answer with the reason can be sent back, and copied.
    expect((await api.patch(`${path}/${why}`, one)).status).toBe(200)
    const [copy] = await addLeads(api, [
      { ...one, _embedded: { loss_reason: one._embedded.loss_reason } },
    ])
    expect(await readLead(api, copy!)).toMatchObject({ loss_reason_id: dear })
    // Nothing is added to what lies in the bin.
    await api.delete(`${path}/${why}`)
    const binned = (
      await api.get(`${path}?with=loss_reason,source,is_price_modified_by_robot,only_deleted`)
    ).body._embedded.leads
    expect(binned).toMatchObject([{ id: why, loss_reason_id: null, _embedded: null }])
    expect(binned[0]).not.toHaveProperty('is_price_modified_by_robot')
  })
})

// A deleted loss reason disappears for every user at its commit, also while the column of a lead
// still holds it.
describe('deleted loss reasons', () => {
  test('a deleted reason is gone from its leads at once, and they have not changed', async () => {
    const { account, api, dear, silent } = await withReasons()
    const [id, other] = await addLeads(
      api,
      [dear, silent].map((loss_reason_id) => ({ status_id: lost, loss_reason_id })),
    )
    const before = await readLead(api, id!)
    const newsSince = await listen(account)
    const shown = { ...before, loss_reason_id: null }
    // As long as a transaction is under way, the background leaves the column as it is.
    await account.kontor.database.transaction(async () => {
      await api.delete(`${path}/loss_reasons/${dear}`)
      expect(await readLead(api, id!)).toEqual(shown)
      expect((await api.get(path)).body._embedded.leads).toMatchObject([
        shown,
        { id: other, loss_reason_id: silent },
      ])
      expect((await api.get(`${path}/${id}?with=loss_reason`)).body._embedded.loss_reason).toEqual(
        [],
      )
      // To a verb there is none either: to take it off is no change, and what is told of a change
      // does not speak of it.
      await api.patch(`${path}/${id}`, { ...shown, loss_reason_id: null })
      expect(await newsSince()).toEqual({ journal: [], events: [] })
      expect(await reasonKept(account, id!)).toBe(dear)
    })
    await api.patch(`${path}/${id}`, { price: 5 })
    const { journal } = await newsSince()
    expect(journal).toMatchObject([
      { entity_id: id, before: { price: 0 }, after: { price: 5, loss_reason_id: null } },
    ])
    expect(journal[0]!.before).not.toHaveProperty('loss_reason_id')
    expect(await reasonKept(account, id!)).toBeNull()
    await api.patch(`${path}/${other}`, { price: 5 })
    expect(await readLead(api, other!)).toMatchObject({ loss_reason_id: silent })
  })

  test('a reason that is deleted while a lead takes it is gone from the lead', async () => {
    const { account, api, dear } = await withReasons()
    const id = await addLead(api, { status_id: lost })
    const items = [{ index: 0, request_id: '0', value: { id, loss_reason_id: dear } }]
    const { status } = await meanwhile(
      account,
      (tx, actor) => changeLeads(tx, actor, { items, faults: newFaults() }),
      () => api.delete(`${path}/loss_reasons/${dear}`),
    )
    expect(status).toBe(204)
    expect(await readLead(api, id)).toMatchObject({ loss_reason_id: null })
  })

  test('a lead that takes a reason while it is deleted is told that there is none', async () => {
    const { account, api, dear } = await withReasons()
    const id = await addLead(api, { status_id: lost })
    const refused = await meanwhile(
      account,
      (tx, actor) => deleteLossReason(tx, actor, dear),
      () => api.patch(`${path}/${id}`, { loss_reason_id: dear }),
    )
    expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice loss_reason_id'] })
    expect(await reasonKept(account, id)).toBeNull()
  })
})

// A lead comes from a source of the integration that made it.
describe('sources', () => {
  async function addSource(api: Client, draft: object = {}): Promise<number> {
    const { body } = await api.post('/api/v4/sources', [
      { name: 'The site', external_id: 'site', ...draft },
    ])
    return body._embedded.sources[0].id
  }

  const from = (external_id: string, more: object = {}) => ({
    ...more,
    _embedded: { source: { external_id, type: 'widget' } },
  })

  test('a lead comes from a source of the integration, alone and in a batch', async () => {
    const account = await newAccount()
    const api = await anotherIntegration(account)
    const source = await addSource(api)
    await addSource(account.api)
    const [one, two, none] = await addLeads(api, [
      from('site'),
      from('site', { name: 'Two' }),
      { _embedded: { source: null } },
    ])
    const alone = (await api.post(path, from('site'))).body._embedded.leads[0].id
    for (const id of [one!, two!, alone])
      expect(await readLead(api, id)).toMatchObject({ source_id: source })
    expect(await readLead(api, none!)).toMatchObject({ source_id: null })
    const newsSince = await listen(account)
    await api.patch(`${path}/${one}`, {
      source_id: 5,
      _embedded: { source: { external_id: { any: 'thing' } } },
      price: 3,
    })
    expect(await readLead(api, one!)).toMatchObject({ source_id: source, price: 3 })
    expect((await newsSince()).journal).toMatchObject([
      { before: { price: 0 }, after: { source_id: source } },
    ])
  })

  test('it goes into the pipeline of its source unless it says a place of its own', async () => {
    const account = await newAccount()
    const { api } = account
    const [main, other] = [await mainPipeline(account), await addPipeline(account)]
    await addSource(api, { pipeline_id: other.id })
    const drafts = [
      {},
      { pipeline_id: main.id },
      { status_id: main.statuses[1] },
      { status_id: won },
      { pipeline_id: other.id },
    ]
    const ids = await addLeads(
      api,
      drafts.map((draft) => from('site', draft)),
    )
    const stages = []
    for (const id of ids) {
      const { pipeline_id, status_id } = await readLead(api, id)
      stages.push([pipeline_id, status_id])
    }
    expect(stages).toEqual([
      [other.id, other.statuses[0]],
      [main.id, main.statuses[0]],
      [main.id, main.statuses[1]],
      [main.id, won],
      [other.id, other.statuses[0]],
    ])
    // A pipeline that was deleted meanwhile gives way to the main one.
    await account.kontor.database.transaction((tx) =>
      tx.rows(sql`update sources set pipeline_id = 999999999 where account_id = ${account.id}`),
    )
    expect((await api.get('/api/v4/sources')).body._embedded.sources).toMatchObject([
      { pipeline_id: main.id },
    ])
    const id = await addLead(api, from('site'))
    expect(await readLead(api, id)).toMatchObject({
      pipeline_id: main.id,
      status_id: main.statuses[0],
    })
  })

  test("a source that is unknown, deleted or another's is refused at its place", async () => {
    const account = await newAccount()
    const { api } = account
    await addSource(await anotherIntegration(account), { external_id: "another's" })
    await addSource((await newAccount()).api, { external_id: 'of another account' })
    await api.delete(`/api/v4/sources/${await addSource(api, { external_id: 'deleted' })}`)
    const newsSince = await listen(account)
    const refused = await api.post(path, [
      from("another's"),
      from('of another account'),
      from('deleted'),
      from('unknown'),
      ...[{ external_id: '' }, { external_id: 'x', type: 'form' }, 'site'].map((source) => ({
        _embedded: { source },
      })),
    ])
    const faultPath = ['NotSupportedChoice _embedded.source.external_id']
    expect(faultsOf(refused)).toEqual({
      0: faultPath,
      1: faultPath,
      2: faultPath,
      3: faultPath,
      4: ['InvalidFormat _embedded.source.external_id'],
      5: ['NotSupportedChoice _embedded.source.type'],
      6: ['InvalidType _embedded.source'],
    })
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('a source as with=source shows it is accepted for a new lead, and says nothing', async () => {
    const { api } = await newAccount()
    const source = await addSource(api, { external_id: 'site' })
    const shown = [{ id: source, name: 'A source' }, null, {}].map((each) => ({
      _embedded: { source: each },
    }))
    for (const id of await addLeads(api, shown))
      expect((await readLead(api, id)).source_id).toBeNull()
  })

  test('with=source embeds the source for every user who sees the lead, also one that was deleted or belongs to another integration', async () => {
    const account = await newAccount()
    const api = await anotherIntegration(account)
    const source = await addSource(api, { name: 'The "site"' })
    const [none, id] = await addLeads(api, [{}, from('site')])
    await api.delete(`/api/v4/sources/${source}`)
    const seller = await account.addUser({
      rights: { leads: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } },
    })
    const { body: read } = await seller.api.get(`${path}/${id}?with=source,loss_reason`)
    expect(read._embedded).toEqual({
      tags: [],
      companies: [],
      loss_reason: [],
      source: { id: source, name: 'The "site"' },
    })
    const { leads } = (await seller.api.get(`${path}?with=source`)).body._embedded
    expect(leads.map(({ _embedded }: typeof read) => _embedded.source)).toEqual([
      null,
      { id: source, name: 'The "site"' },
    ])
    expect((await seller.api.get(`${path}/${none}?with=source`)).body._embedded.source).toBeNull()
    expect((await readLead(api, id!))._embedded).not.toHaveProperty('source')
    expect((await seller.api.patch(`${path}/${id}`, read)).status).toBe(200)
  })

  test('with=source_id is known, and with=is_price_modified_by_robot says that no robot did', async () => {
    const { api } = await newAccount()
    const id = await addLead(api)
    const plain = await readLead(api, id)
    expect(plain).not.toHaveProperty('is_price_modified_by_robot')
    expect((await api.get(`${path}/${id}?with=source_id`)).body).toEqual(plain)
    const shown = { ...plain, is_price_modified_by_robot: false }
    expect((await api.get(`${path}/${id}?with=is_price_modified_by_robot,source_id`)).body).toEqual(
      shown,
    )
    expect((await api.get(`${path}?with=is_price_modified_by_robot`)).body._embedded.leads).toEqual(
      [shown],
    )
    expect((await api.patch(`${path}/${id}`, shown)).status).toBe(200)
  })
})
