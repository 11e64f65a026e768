import { useFormatter } from 'use-intl'
import { useLinks } from './context.ts'

/** Writes an amount in the currency of the account; cents only where there are some. */
export function useMoney(): (amount: number) => string {
  const format = useFormatter()
  const { account } = useLinks().vocabulary
  return (amount) =>
    format.number(amount, {
      style: 'currency',
      currency: account.currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
      maximumFractionDigits: 2,
    })
}
