import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Merge } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { reasonChoices } from '../../crm/icons.tsx'
import { DrawnList } from '../../features/drawn-lists/drawn-list.tsx'
import { JobsStrip } from '../../features/jobs/jobs-strip.tsx'
import {
  createLossReason,
  lossReasonsQuery,
  mergeLossReason,
  placeLossReason,
  redrawLossReason,
  removeReason,
} from '../../features/loss-reasons/loss-reasons.ts'
import type { ManagedLossReason } from '../../features/loss-reasons/loss-reasons.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Picker } from '../../ui/picker.tsx'

/** The server counts so far. */
const mostUses = 1000

/** Why leads are lost, in the order in which people choose. */
export function LossReasons() {
  const words = useTranslations('lossReasons')
  const query = useQuery(lossReasonsQuery)
  const reasons = query.data ?? []
  const [merged, setMerged] = useState<ManagedLossReason>()
  return (
    <DrawnList
      title={words('title')}
      about={words('about')}
      create={words('create')}
      empty={{ title: words('none'), text: words('noneText') }}
      query={query}
      queryKey="loss-reasons"
      nameLength={255}
      usesOf={({ used }) =>
        used > mostUses ? words('moreUses', { number: mostUses }) : words('uses', { number: used })
      }
      deleteText={({ used }) =>
        used > mostUses
          ? words('deleteMore', { number: mostUses })
          : words('deleteText', { number: used })
      }
      add={createLossReason}
      change={redrawLossReason}
      place={placeLossReason}
      remove={removeReason}
      above={<JobsStrip />}
      actionsOf={(reason) =>
        reasons.length > 1 && (
          <Tooltip label={words('merge')}>
            <ActionIcon
              aria-label={words('mergeOf', { name: reason.name })}
              onClick={() => setMerged(reason)}
            >
              <Merge size={16} />
            </ActionIcon>
          </Tooltip>
        )
      }
    >
      {merged && (
        <MergeDialogs reason={merged} reasons={reasons} onClose={() => setMerged(undefined)} />
      )}
    </DrawnList>
  )
}

/** Asks into which reason another one goes, and then whether it really shall. */
function MergeDialogs({
  reason,
  reasons,
  onClose,
}: {
  reason: ManagedLossReason
  reasons: ManagedLossReason[]
  onClose: () => void
}) {
  const words = useTranslations('lossReasons')
  const client = useQueryClient()
  const [into, setInto] = useState<ManagedLossReason>()
  const merge = useMutation({
    mutationFn: (target: ManagedLossReason) => mergeLossReason(reason.id, target.id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['jobs'] }),
  })
  if (!into)
    return (
      <Picker
        title={words('mergeOf', { name: reason.name })}
        hint={words('mergeHint')}
        choices={reasonChoices(reasons.filter(({ id }) => id !== reason.id))}
        onPick={(key) => setInto(reasons.find(({ id }) => String(id) === key))}
        onClose={onClose}
      />
    )
  return (
    <Confirm
      opened
      title={words('mergeInto', { name: reason.name, into: into.name })}
      text={
        reason.used > mostUses
          ? words('mergeMore', { number: mostUses })
          : words('mergeText', { number: reason.used })
      }
      action={words('mergeDo')}
      isPending={merge.isPending}
      error={merge.error}
      onConfirm={() => merge.mutate(into)}
      onClose={onClose}
    />
  )
}
