import { useState } from 'react'

/**
 * The moment that spans such as "overdue" are counted from, in Unix seconds: that at which the filter came. A filter
 * that moved with the clock would be another list each minute.
 */
export function useFilterMoment(address: string): number {
  const [kept, setKept] = useState(() => ({ address, at: now() }))
  if (kept.address === address) return kept.at
  const next = { address, at: now() }
  setKept(next)
  return next.at
}

const now = () => Math.floor(Date.now() / 1000)
