// Loss reasons: only lost leads have one.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
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
} from '../../../test/leads.ts'
import { addReasons, reasonKept, withReasons } from '../../../test/origins.ts'

const path = '/api/v4/leads'

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
  expect(await readLead(api, two!)).toMatchObject({ status_id: statuses[1], loss_reason_id: null })
  expect(await readLead(api, three!)).toMatchObject({
    pipeline_id: other.id,
    status_id: lost,
    loss_reason_id: dear,
  })
  // A lead that is read and sent back with another status also loses its reason.
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
  // The last item sends the values that the first one set, which counts as not sent.
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

test('where anything else is wrong with the batch, that is what is told', async () => {
  const { api, dear } = await withReasons()
  const id = await addLead(api)
  const refused = await api.patch(path, [
    { id, loss_reason_id: dear },
    { id, responsible_user_id: 999_999_999 },
  ])
  expect(refused.body).not.toHaveProperty('errors')
  expect(faultsOf(refused)).toEqual({ 1: ['NotSupportedChoice responsible_user_id'] })
  const drafts = [{ loss_reason_id: dear }, { name: 5 }, { _embedded: { tags: [{ name: 'new' }] } }]
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
  const place = ['NotSupportedChoice loss_reason_id']
  expect(faultsOf(await api.post(path, drafts))).toEqual({ 0: place, 1: place, 2: place })
  const id = await addLead(api, { status_id: lost })
  // The unknown reason is the only fault, although the lead is won as well.
  expect(
    faultsOf(await api.patch(`${path}/${id}`, { loss_reason_id: theirs, status_id: won })),
  ).toEqual({ 0: place })
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
  expect((await api.get(`${path}/${without}?with=loss_reason`)).body._embedded.loss_reason).toEqual(
    [],
  )
  const { leads } = (await api.get(`${path}?with=loss_reason`)).body._embedded
  expect(leads.map(({ _embedded }: typeof one) => _embedded.loss_reason)).toEqual([[], [reason]])
  expect((await readLead(api, why!))._embedded).not.toHaveProperty('loss_reason')
  // A lead with a reason can be sent back, and copied.
  expect((await api.patch(`${path}/${why}`, one)).status).toBe(200)
  const [copy] = await addLeads(api, [
    { ...one, _embedded: { loss_reason: one._embedded.loss_reason } },
  ])
  expect(await readLead(api, copy!)).toMatchObject({ loss_reason_id: dear })
  // `with` adds nothing to records in the bin.
  await api.delete(`${path}/${why}`)
  const binned = (
    await api.get(`${path}?with=loss_reason,source,is_price_modified_by_robot,only_deleted`)
  ).body._embedded.leads
  expect(binned).toMatchObject([{ id: why, loss_reason_id: null, _embedded: null }])
  expect(binned[0]).not.toHaveProperty('is_price_modified_by_robot')
})
