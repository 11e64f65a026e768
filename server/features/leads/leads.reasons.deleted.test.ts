// A deleted loss reason counts as none for every reader, at once, whatever the column of a lead
// still holds.
import { expect, test } from 'vitest'
import { addLead, addLeads, faultsOf, listen, lost, readLead } from '../../../test/leads.ts'
import { meanwhile, reasonKept, withReasons } from '../../../test/origins.ts'
import { newFaults } from '../../http/batch.ts'
import { deleteLossReason } from '../loss-reasons/loss-reasons.ts'
import { changeLeads } from './leads.ts'

const path = '/api/v4/leads'

test('a deleted reason is gone from its leads at once, and they have not changed', async () => {
  const { account, api, dear, silent } = await withReasons()
  const [id, other] = await addLeads(
    api,
    [dear, silent].map((loss_reason_id) => ({ status_id: lost, loss_reason_id })),
  )
  const before = await readLead(api, id!)
  const newsSince = await listen(account)
  const shown = { ...before, loss_reason_id: null }
  // While a transaction is open, the clean-up in the background leaves the column as it is.
  await account.kontor.database.transaction(async () => {
    await api.delete(`${path}/loss_reasons/${dear}`)
    expect(await readLead(api, id!)).toEqual(shown)
    expect((await api.get(path)).body._embedded.leads).toMatchObject([
      shown,
      { id: other, loss_reason_id: silent },
    ])
    expect((await api.get(`${path}/${id}?with=loss_reason`)).body._embedded.loss_reason).toEqual([])
    // Verbs see no reason either: removing it is no change, and the journal row of a change does
    // not contain it.
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
