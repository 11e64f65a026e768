// The data of the shell and of many screens: the user, the account and its vocabulary. The server writes
// it into the page, so the first paint waits for nothing.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  Bootstrap,
  Counters,
  CountersAnswer,
} from '../../server/features/application/bootstrap/schema.ts'
import { ask } from '../data/api.ts'
import { startData } from '../data/start.ts'

/** The vocabulary as the server wrote it into the page; undefined in development. */
export const bootstrapAtStart = () => startData()?.bootstrap as Bootstrap | undefined

export const bootstrapQuery = queryOptions({
  queryKey: ['bootstrap'],
  queryFn: ({ signal }) => ask<Bootstrap>('/web/v1/bootstrap', { signal }),
  initialData: () => bootstrapAtStart(),
  staleTime: Infinity,
})

export const useBootstrap = (): Bootstrap => useSuspenseQuery(bootstrapQuery).data

/** The name of a user; undefined for programs and for users who are gone. */
export const nameOfUser = ({ users }: Pick<Bootstrap, 'users'>, id: number): string | undefined =>
  users.find((user) => user.id === id)?.name

/**
 * Whether the user may view records of a type at all. The rights to customers are those to leads, and a
 * stage may be open to the user by a right of its own.
 */
export const useMayView = (type: Viewed): boolean => mayView(useBootstrap(), type)

type Viewed = 'leads' | 'contacts' | 'companies' | 'customers'

export function mayView({ me }: Bootstrap, type: Viewed): boolean {
  const isOpen =
    type === 'leads' && me.rights.status_rights?.some(({ rights }) => rights.view !== 'D')
  return me.is_admin || isOpen || me.rights[type === 'customers' ? 'leads' : type].view !== 'D'
}

/** Whether the account works with customers, and the user may view them. */
export function useHasCustomers(): boolean {
  const bootstrap = useBootstrap()
  return bootstrap.account.customers_mode !== 'disabled' && mayView(bootstrap, 'customers')
}

/**
 * The level of an action in a catalog; false where the user has none. A catalog without levels of its own is open to
 * those whom the role lets in.
 */
export function mayUseCatalog(
  { is_admin, rights }: Bootstrap['me'],
  id: number,
  action: 'view' | 'edit' | 'add',
): 'A' | 'L' | false {
  if (is_admin) return 'A'
  const own = rights.catalog_rights.find(({ catalog_id }) => catalog_id === id)
  const level = own ? own.rights[action] : rights.catalog_access ? 'A' : 'D'
  return level === 'D' ? false : (level as 'A' | 'L')
}

/** Whether the user may view some catalog. */
export function useMayViewCatalogs(): boolean {
  const { is_admin, rights } = useBootstrap().me
  return (
    is_admin ||
    rights.catalog_access ||
    rights.catalog_rights.some(({ rights: own }) => own.view !== 'D')
  )
}

/** The numbers on the badges of the navigation. */
export const countersQuery = queryOptions({
  queryKey: ['counters'],
  queryFn: async ({ signal }): Promise<Counters> => {
    const { counters } = await ask<Static<typeof CountersAnswer>>('/web/v1/counters', { signal })
    return counters
  },
  initialData: () => bootstrapAtStart()?.counters,
})
