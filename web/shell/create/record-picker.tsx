import type { RecordType } from '../../../server/records/description.ts'
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useRecentRecords } from '../../crm/recent.ts'
import { searchQuery } from '../../features/search/search.ts'
import { useTyped } from '../../ui/waiting.tsx'

/** A record as the field has it: `leads:42`, and its name. */
export interface Picked {
  value: string
  label: string
}

export const typeOf = (value: string): RecordType => value.split(':')[0] as RecordType
export const idOf = (value: string): number => Number(value.split(':')[1])

/** A field that finds a record by its name, number or phone; before that it offers the recent ones. */
export function RecordPicker({
  label,
  types,
  value = '',
  picked: given,
  onChange,
  error,
}: {
  label: string
  types: readonly RecordType[]
  value?: string
  picked?: Picked | undefined
  onChange: (value: string, picked: Picked | undefined) => void
  error?: ReactNode
}) {
  const words = useTranslations('create')
  const shell = useTranslations('shell')
  const [text, setText] = useState(given?.label ?? '')
  const [chosen, setChosen] = useState(given)
  const isTyped = text.trim() !== '' && text !== chosen?.label
  const searched = useTyped(isTyped ? text.trim() : '', 80)
  const { data, isFetching } = useQuery(searchQuery(searched, types))
  const recent = useRecentRecords()
  const found = isTyped
    ? types.flatMap((type) =>
        (data?.[type]?.items ?? []).map(({ id, name }) => ({ type, id, name })),
      )
    : recent.filter(({ type }) => types.includes(type))
  const options = found.map(({ type, id, name }) => ({
    type,
    value: `${type}:${id}`,
    label: name || `#${id}`,
  }))
  // The field takes its text from its options.
  if (chosen && !options.some((each) => each.value === chosen.value))
    options.unshift({ type: typeOf(chosen.value), ...chosen })
  return (
    <Select
      label={label}
      placeholder={words('search')}
      data={types
        .map((type) => ({
          group: shell(`types.${type}`),
          items: options.filter((each) => each.type === type),
        }))
        .filter(({ items }) => items.length > 0)}
      value={value === '' ? null : value}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={shell(
        !isTyped
          ? 'typeToSearch'
          : isFetching || searched !== text.trim()
            ? 'searching'
            : 'nothingFound',
      )}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': words('clear') }}
      error={error}
      onChange={(next, option) => {
        const picked = option ? { value: option.value, label: option.label } : undefined
        setChosen(picked)
        onChange(next ?? '', picked)
      }}
    />
  )
}
