import { Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemAlert } from '../../ui/states.tsx'
import { itemTitle } from './item-card.tsx'
import styles from './unsorted.module.css'
import { leadsNamedQuery, linkItem } from './unsorted.ts'
import type { WaitingItem } from './unsorted.ts'
import { useTyped } from '../../ui/waiting.tsx'

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 150

interface Lead {
  id: number
  name: string
}

/** Finds the lead that a chat belongs to. */
export function LinkDialog({
  item,
  onClose,
  onDone,
}: {
  item: WaitingItem
  onClose: () => void
  onDone: (lead: Lead) => void
}) {
  const words = useTranslations('unsorted')
  const shared = useTranslations('ui')
  const name = itemTitle(item) ?? ''
  const [typed, setTyped] = useState(name)
  const searched = useTyped(typed.trim(), pauseMs)
  const { data, error, isFetching } = useQuery(leadsNamedQuery(searched))
  const link = useMutation({
    mutationFn: (lead: Lead) => linkItem(item.uid, lead.id),
    onSuccess: (_, lead) => onDone(lead),
  })
  const state = isFetching ? 'searching' : data?.length === 0 ? 'noLead' : undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={words('linkTitle')}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <Stack gap="md">
        <Text c="dimmed">{words('linkAbout')}</Text>
        <TextInput
          type="search"
          label={words('findLead')}
          leftSection={<Search size={14} aria-hidden />}
          value={typed}
          data-autofocus
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div role="group" aria-label={words('foundLeads')} className={styles.found}>
          {(data ?? []).map(({ id, name: of }) => (
            <button
              key={id}
              type="button"
              disabled={link.isPending}
              onClick={() => link.mutate({ id, name: of || `#${id}` })}
            >
              <b>{of || `#${id}`}</b>
              <span>#{id}</span>
            </button>
          ))}
        </div>
        <Text c="dimmed" size="xs" role="status">
          {searched !== '' && state && words(state)}
        </Text>
        <ProblemAlert error={error ?? link.error} />
      </Stack>
    </Modal>
  )
}
