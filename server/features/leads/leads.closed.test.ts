// When a lead was closed (entities reference, Status and pipeline rules).
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addLead, lost, readLead, won } from '../../../test/leads.ts'

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
    expect(await readLead(api, id)).toMatchObject({ status_id: from, price: 5, closed_at: longAgo })

    const before = kontor.now()
    await api.patch(`/api/v4/leads/${id}`, { status_id: to })
    const { status_id, closed_at } = await readLead(api, id)
    expect(status_id).toBe(to)
    expect(closed_at).toBeGreaterThanOrEqual(before)
    await api.patch(`/api/v4/leads/${id}`, { status_id: from, closed_at: longAgo + 1 })
    expect(await readLead(api, id)).toMatchObject({ status_id: from, closed_at: longAgo + 1 })
  },
)
