// The answers of the server to writes, as queries show them.
import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Puts the answer to a write where a query has its data. News of the own change may have that query on its way, with
 * an answer from before: it is given up, or it would bring back what was changed, and asked anew.
 */
export function putAnswer<Data>(
  client: QueryClient,
  queryKey: QueryKey,
  answer: Data | ((before: Data | undefined) => Data | undefined),
): void {
  const isOnItsWay = client.isFetching({ queryKey, exact: true }) > 0
  client.setQueryData<Data>(queryKey, answer)
  if (isOnItsWay) void client.invalidateQueries({ queryKey, exact: true, refetchType: 'all' })
}
