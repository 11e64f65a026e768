// How the account works with customers: the mode, and the statuses of periodic purchases.
import type { Static } from 'typebox'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { CustomersMode } from '../../../server/features/records/customers/mode/schema.ts'
import type {
  CustomerStatusChange,
  NewCustomerStatus,
} from '../../../server/features/records/customers/statuses/schema.ts'
import { ask } from '../../data/api.ts'

const path = '/api/v4/customers'

export type CustomerStatusSummary = Bootstrap['customer_statuses'][number]
export type WantedMode = Static<typeof CustomersMode>['mode'] | 'disabled'

/** Turns a mode on and the other off; `disabled`: turns both off, of which `present` is on. */
export async function changeCustomersMode(wanted: WantedMode): Promise<void> {
  const set = (mode: 'periodicity' | 'segments', is_enabled: boolean) =>
    ask(`${path}/mode`, { method: 'PATCH', body: { mode, is_enabled } })
  if (wanted !== 'disabled') await set(wanted, true)
  else {
    // A new account has both.
    await set('periodicity', false)
    await set('segments', false)
  }
}

/** Adds a status before the one that has `sort` now. */
export const createCustomerStatus = (draft: NewCustomerStatus, key: string): Promise<unknown> =>
  ask(`${path}/statuses`, { method: 'POST', body: [draft], key })

export const editCustomerStatus = (id: number, change: CustomerStatusChange): Promise<unknown> =>
  ask(`${path}/statuses/${id}`, { method: 'PATCH', body: change })

/** Moves a status before another one; null: to the end. */
export const placeCustomerStatus = (id: number, before: number | null): Promise<void> =>
  ask(`/web/v1/customers/statuses/${id}/move`, { method: 'POST', body: { before } })

export const dropCustomerStatus = (id: number): Promise<unknown> =>
  ask(`${path}/statuses/${id}`, { method: 'DELETE' })
