// A choice among users for something that is about a record: it says who may not view that record, and leaves the
// choice to the author.
import { Text } from '@mantine/core'
import type { SelectProps } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { RecordType } from '../../server/records/description.ts'
import { ask } from '../data/api.ts'
import { Select } from '../ui/select.tsx'

/** The record that is written about. */
export interface Subject {
  type: RecordType
  id: number
}

/** Asked for anew when the record changes (news.ts), and when people and their rights do (vocabulary.ts). */
const nonViewersQuery = ({ type, id }: Subject) =>
  queryOptions({
    queryKey: ['non-viewers', type, id],
    queryFn: async ({ signal }) => {
      const path = `/web/v1/cards/${type}/${id}/non-viewers`
      const { user_ids } = await ask<{ user_ids: number[] }>(path, { signal })
      return new Set(user_ids)
    },
    staleTime: Infinity,
  })

const none: ReadonlySet<number> = new Set()

/** The users who may not view a record, by their ids; none while nobody has wanted to know, or without a record. */
export function useNonViewers(
  subject: Subject | undefined,
  isWanted: boolean,
): ReadonlySet<number> {
  const { data = none } = useQuery({
    ...nonViewersQuery(subject ?? { type: 'leads', id: 0 }),
    enabled: isWanted && subject !== undefined,
  })
  return data
}

/** Chooses the responsible user of a task about `subject`, or of something without a record. */
export function UserChoice({
  users,
  subject,
  ...props
}: Omit<SelectProps, 'data' | 'renderOption'> & {
  users: readonly { id: number; name: string }[]
  subject?: Subject | undefined
}) {
  const words = useTranslations('ui')
  const [isOpened, setOpened] = useState(false)
  const nonViewers = useNonViewers(subject, isOpened)
  const chosen = users.find(({ id }) => String(id) === props.value)
  const isBlind = chosen !== undefined && nonViewers.has(chosen.id)
  return (
    <Select
      data={users.map(({ id, name }) => ({ value: String(id), label: name }))}
      searchable
      allowDeselect={false}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={isBlind ? words('seesTaskAlone', { name: chosen.name }) : undefined}
      renderOption={({ option: { value, label } }) => (
        <span>
          <bdi>{label}</bdi>
          {nonViewers.has(Number(value)) && (
            <Text span c="dimmed" size="xs" display="block">
              {words('mayNotView')}
            </Text>
          )}
        </span>
      )}
      {...props}
      onFocus={(event) => {
        setOpened(true)
        props.onFocus?.(event)
      }}
    />
  )
}
