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
  addTaskType,
  dropTaskType,
  mergeTaskType,
  placeTaskType,
  redrawTaskType,
  taskTypesQuery,
} from '../../features/task-types/task-types.ts'
import type { ManagedTaskType } from '../../features/task-types/task-types.ts'
import { TaskTypesToRead } from './reading.tsx'

/** The types of tasks, in the order in which people choose; the predefined ones come first and stay. */
export function TaskTypes() {
  const { me } = useBootstrap()
  return me.is_admin ? <Managed /> : <TaskTypesToRead />
}

function Managed() {
  const words = useTranslations('taskTypes')
  const create = useTranslations('create')
  const query = useQuery(taskTypesQuery)
  const [merged, setMerged] = useState<ManagedTaskType>()
  const nameOf = ({ name, code }: ManagedTaskType) =>
    code === 'FOLLOW_UP' || code === 'MEETING' ? create(`taskTypes.${code}`) : name
  const targets = (query.data ?? []).flatMap((type) =>
    type.is_deleted || type.id === merged?.id ? [] : { ...type, name: nameOf(type) },
  )
  const isMore = ({ used = 0 }: ManagedTaskType) => used > usesCounted
  return (
    <DrawnList
      title={words('title')}
      about={words('about')}
      create={words('create')}
      query={query}
      queryKey="task-types"
      nameLength={100}
      hasColor
      isFixed={({ code }) => code !== null}
      nameOf={nameOf}
      usesOf={(type) =>
        isMore(type)
          ? words('moreUses', { number: usesCounted })
          : words('uses', { number: type.used ?? 0 })
      }
      gone={{ title: words('gone'), about: words('goneText') }}
      deleteText={(type) =>
        isMore(type)
          ? words('deleteMore', { number: usesCounted })
          : words('deleteText', { number: type.used ?? 0 })
      }
      add={({ color, ...draft }) => addTaskType({ ...draft, color: color ?? '' })}
      change={(id, { color, ...draft }) =>
        redrawTaskType(id, { ...draft, ...(color && { color }) })
      }
      place={placeTaskType}
      remove={dropTaskType}
      above={<JobsStrip />}
      actionsOf={(type) => (
        <Tooltip label={words('merge')}>
          <ActionIcon
            aria-label={words('mergeOf', { name: type.name })}
            onClick={() => setMerged(type)}
          >
            <Merge size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    >
      {merged && (
        <MergeDialogs
          title={words('mergeOf', { name: merged.name })}
          hint={words('mergeHint')}
          targets={targets}
          question={({ name }) => words('mergeInto', { name: merged.name, into: name })}
          text={
            isMore(merged)
              ? words('mergeMore', { number: usesCounted })
              : words('mergeText', { number: merged.used ?? 0 })
          }
          action={words('mergeDo')}
          send={({ id }) => mergeTaskType(merged.id, id)}
          onClose={() => setMerged(undefined)}
        />
      )}
    </DrawnList>
  )
}
