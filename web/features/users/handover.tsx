import { Alert, Button, Group, Modal, Progress, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Failure, ProblemAlert } from '../../ui/states.tsx'
import { responsibilitiesQuery, handOver, switchUser } from './users.ts'
import type { Responsibilities, User } from './users.ts'
import { Select } from '../../ui/select.tsx'

const kinds = ['leads', 'contacts', 'companies', 'customers', 'tasks'] as const
const sumOf = (numbers: Responsibilities) => kinds.reduce((sum, kind) => sum + numbers[kind], 0)

/**
 * Gives what a user is responsible for to another, and deactivates the user first where that is asked
 * for. The server takes a batch at a time; a handover that stops on the way is begun again here.
 */
export function Handover({
  user,
  colleagues,
  deactivates,
  onClose,
  onDone,
}: {
  user: User
  /** The users who may take over. */
  colleagues: { value: string; label: string }[]
  deactivates: boolean
  onClose: () => void
  /** Gets the number of records that were handed over. */
  onDone: (number: number) => void
}) {
  const words = useTranslations('users')
  const shared = useTranslations('ui')
  const query = useQuery(responsibilitiesQuery(user.id))
  const [to, setTo] = useState<string | null>(null)
  const [moved, setMoved] = useState(0)
  const work = useMutation({
    mutationFn: async () => {
      setMoved(0)
      if (deactivates) await switchUser(user.id, false)
      let number = 0
      if (to === null) return number
      for (let isDone = false; !isDone;) {
        // The next batch begins when the one before has been written.
        const step = await handOver(user.id, Number(to))
        number += sumOf(step.moved)
        setMoved(number)
        isDone = step.is_done
      }
      return number
    },
    onSuccess: onDone,
    onError: () => void query.refetch(),
  })
  const total = query.data ? sumOf(query.data) : 0
  const title = words(deactivates ? 'deactivateOf' : 'handOverOf', { name: user.name })
  return (
    <Modal
      opened
      onClose={() => !work.isPending && onClose()}
      title={title}
      closeOnClickOutside={false}
      withCloseButton={!work.isPending}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          work.mutate()
        }}
      >
        <Stack gap="md">
          {deactivates && <Text>{words('deactivateText')}</Text>}
          {query.isError ? (
            <Failure error={query.error} retry={() => void query.refetch()} />
          ) : !query.data ? (
            <Skeleton height={20} />
          ) : total === 0 && !work.isPending ? (
            <Alert color="info">{words('ownsNothing')}</Alert>
          ) : (
            <>
              <Owned numbers={query.data} />
              <Select
                label={words('handOverTo')}
                description={deactivates ? words('handOverOrKeep') : undefined}
                placeholder={deactivates ? words('keep') : words('choosePerson')}
                data={colleagues}
                searchable
                clearable={deactivates}
                clearButtonProps={{ 'aria-label': words('keep') }}
                nothingFoundMessage={words('none')}
                value={to}
                onChange={setTo}
                disabled={work.isPending}
                data-autofocus
              />
            </>
          )}
          {work.isPending && to !== null && (
            <Stack gap={4}>
              <Progress
                value={total === 0 ? 0 : (100 * moved) / total}
                aria-label={words('handingOver')}
              />
              <Text c="dimmed" size="xs" role="status">
                {words('handedOf', { number: moved, total })}
              </Text>
            </Stack>
          )}
          <ProblemAlert error={work.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={work.isPending}>
              {shared('cancel')}
            </Button>
            <Button
              type="submit"
              {...(deactivates && { color: 'danger' })}
              loading={work.isPending}
              disabled={!query.data || (!deactivates && to === null)}
            >
              {words(deactivates ? 'deactivate' : 'handOver')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** "48 leads, 3 contacts, and 12 open tasks" */
function Owned({ numbers }: { numbers: Responsibilities }) {
  const words = useTranslations('users')
  const format = useFormatter()
  const parts = kinds
    .filter((kind) => numbers[kind] > 0)
    .map((kind) => words(`owned.${kind}`, { number: numbers[kind] }))
  return <Text>{words('owns', { records: format.list(parts) })}</Text>
}
