import { ActionIcon, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Merge } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { MergeDialogs } from '../../crm/merge-dialogs.tsx'
import { DrawnList, usesCounted } from '../../features/drawn-lists/drawn-list.tsx'
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
import { LossReasonsToRead } from './reading.tsx'

/** Why leads are lost, in the order in which people choose. */
export function LossReasons() {
  const { me } = useBootstrap()
  return me.is_admin ? <Managed /> : <LossReasonsToRead />
}

function Managed() {
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
        used > usesCounted
          ? words('moreUses', { number: usesCounted })
          : words('uses', { number: used })
      }
      deleteText={({ used }) =>
        used > usesCounted
          ? words('deleteMore', { number: usesCounted })
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
        <MergeDialogs
          title={words('mergeOf', { name: merged.name })}
          hint={words('mergeHint')}
          targets={reasons.filter(({ id }) => id !== merged.id)}
          question={({ name }) => words('mergeInto', { name: merged.name, into: name })}
          text={
            merged.used > usesCounted
              ? words('mergeMore', { number: usesCounted })
              : words('mergeText', { number: merged.used })
          }
          action={words('mergeDo')}
          send={({ id }) => mergeLossReason(merged.id, id)}
          onClose={() => setMerged(undefined)}
        />
      )}
    </DrawnList>
  )
}
