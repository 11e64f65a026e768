import { Select as PlainSelect } from '@mantine/core'
import type { SelectProps } from '@mantine/core'
import { useTranslations } from 'use-intl'

type Item = string | { value: string }

const valueOf = (item: Item): string => (typeof item === 'string' ? item : item.value)

/** The values that a list offers; those of groups too. */
const offered = (data: SelectProps['data'] = []): string[] =>
  data.flatMap((each) =>
    typeof each === 'object' && 'group' in each ? each.items.map(valueOf) : valueOf(each),
  )

/**
 * A choice among things of the account, for a dialog that stays open: where somebody deletes the chosen one
 * meanwhile, it says so.
 */
export function Select({ error, ...props }: SelectProps) {
  const words = useTranslations('ui')
  const { value, data } = props
  const isGone = !!value && data !== undefined && data.length > 0 && !offered(data).includes(value)
  return <PlainSelect {...props} error={error ?? (isGone ? words('chosenGone') : undefined)} />
}
