import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { DrawnList } from '../../features/drawn-lists/drawn-list.tsx'
import {
  addTaskType,
  dropTaskType,
  placeTaskType,
  redrawTaskType,
  taskTypesQuery,
} from '../../features/task-types/task-types.ts'
import type { ManagedTaskType } from '../../features/task-types/task-types.ts'

/** The server counts so far. */
const mostUses = 1000

/** The types of tasks, in the order in which people choose; the predefined ones come first and stay. */
export function TaskTypes() {
  const words = useTranslations('taskTypes')
  const create = useTranslations('create')
  const query = useQuery(taskTypesQuery)
  const isMore = ({ used = 0 }: ManagedTaskType) => used > mostUses
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
      nameOf={({ name, code }) =>
        code === 'FOLLOW_UP' || code === 'MEETING' ? create(`taskTypes.${code}`) : name
      }
      usesOf={(type) =>
        isMore(type)
          ? words('moreUses', { number: mostUses })
          : words('uses', { number: type.used ?? 0 })
      }
      gone={{ title: words('gone'), about: words('goneText') }}
      deleteText={(type) =>
        isMore(type)
          ? words('deleteMore', { number: mostUses })
          : words('deleteText', { number: type.used ?? 0 })
      }
      add={({ color, ...draft }) => addTaskType({ ...draft, color: color ?? '' })}
      change={(id, { color, ...draft }) =>
        redrawTaskType(id, { ...draft, ...(color && { color }) })
      }
      place={placeTaskType}
      remove={dropTaskType}
    />
  )
}
