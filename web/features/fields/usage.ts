import { useTranslations } from 'use-intl'
import type { FieldUsage } from './fields.ts'

export type UsageOfField = FieldUsage['fields'][number]

/** Below this, "more than" would say less than that there is one. */
const fewest = 100

/** How many records have a value, as a text; "more than" where the server did not count on. */
export function useUsageText(): (usage: UsageOfField) => string {
  const words = useTranslations('fields')
  return ({ at_least, is_exact }) => {
    if (is_exact) return words('used', { count: at_least })
    if (at_least > fewest) return words('usedMore', { count: at_least - 1 })
    return words(at_least > 0 ? 'usedSome' : 'usedLatest')
  }
}

/** Whether a deletion takes values away, as far as is known. */
export const mayHoldValues = (usage: UsageOfField | undefined): boolean =>
  !usage || !usage.is_exact || usage.at_least > 0
