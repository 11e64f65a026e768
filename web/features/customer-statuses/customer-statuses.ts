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

export const dropCustomerStatus = (id: number): Promise<unknown> =>
  ask(`${path}/statuses/${id}`, { method: 'DELETE' })

/** The palette of statuses, by the names of its colours (interface: Status). */
export const statusPalette = {
  paleYellow: '#fffeb2',
  lightYellow: '#fffd7f',
  yellow: '#fff000',
  paleOrange: '#ffeab2',
  lightOrange: '#ffdc7f',
  orange: '#ffce5a',
  paleRed: '#ffdbdb',
  lightRed: '#ffc8c8',
  red: '#ff8f92',
  paleBlue: '#d6eaff',
  lightBlue: '#c1e0ff',
  blue: '#98cbff',
  paleLime: '#ebffb1',
  lime: '#deff81',
  mint: '#87f2c0',
  palePink: '#f9deff',
  pink: '#f3beff',
  lavender: '#ccc8f9',
  violet: '#eb93ff',
  paleGrey: '#f2f3f4',
  grey: '#e6e8ea',
} as const
export type PaletteName = keyof typeof statusPalette
export const paletteNames = Object.keys(statusPalette) as PaletteName[]
