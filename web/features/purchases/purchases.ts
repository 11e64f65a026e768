// The purchases of a customer, as the public interface answers them, and their months.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Customer } from '../../../server/features/records/customers/schema.ts'
import type {
  PurchasesByMonth,
  Transaction,
} from '../../../server/features/records/transactions/schema.ts'
import { ask, askPage } from '../../data/api.ts'

export type Purchase = Static<typeof Transaction>
export type BuyingCustomer = Static<typeof Customer>

/** The newest first. */
export const purchasesQuery = (customerId: number) =>
  infiniteQueryOptions({
    queryKey: ['purchases', customerId],
    initialPageParam: `/api/v4/customers/${customerId}/transactions?order[id]=desc&limit=50`,
    queryFn: ({ pageParam, signal }) => askPage<Purchase>(pageParam, 'transactions', { signal }),
    getNextPageParam: ({ next }) => next,
  })

export const monthsQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['purchases', customerId, 'months'],
    queryFn: async ({ signal }) => {
      const path = `/web/v1/customers/${customerId}/purchases-by-month`
      return (await ask<PurchasesByMonth>(path, { signal })).months
    },
  })

/** The customer with its sums. The key is that of the records, which its news make stale. */
export const buyerQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['customers', String(customerId)],
    queryFn: ({ signal }) => ask<BuyingCustomer>(`/api/v4/customers/${customerId}`, { signal }),
  })

export interface PurchaseDraft {
  price: number
  comment: string
  completed_at: number
  next_date?: number
  items: { id: number; catalog_id: number; quantity: number }[]
}

export const addPurchase = (
  customerId: number,
  { items, comment, ...draft }: PurchaseDraft,
  key: string,
): Promise<unknown> =>
  ask(`/api/v4/customers/${customerId}/transactions`, {
    method: 'POST',
    key,
    body: [
      {
        ...draft,
        ...(comment !== '' && { comment }),
        ...(items.length > 0 && {
          _embedded: {
            catalog_elements: items.map(({ id, ...metadata }) => ({ id, metadata })),
          },
        }),
      },
    ],
  })

export const deletePurchase = (customerId: number, id: number): Promise<unknown> =>
  ask(`/api/v4/customers/${customerId}/transactions/${id}`, { method: 'DELETE' })
