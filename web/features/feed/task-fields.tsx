// The fields of a task besides its text: its type, when it is due, how long it takes, and for whom.
import { useState } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import { clockAt } from '../../ui/day.ts'
import type { TaskDraft } from './actions.tsx'
import { DueInput } from './due-input.tsx'
import styles from './feed.module.css'
import { useTaskType } from './task.tsx'
import { useFeed } from './context.ts'
import type { Task } from './rows.ts'
import { Select } from '../../ui/select.tsx'
import { drawnOptions } from '../../crm/icons.tsx'
import { UserChoice } from '../../crm/user-choice.tsx'

/** A task as it is typed. */
export interface TypedTask {
  text: string
  due: string
  type: number
  user: number
  /** Seconds. */
  duration: number
}

/** Pixels of the list of durations: "without duration" is longer than its field in most languages. */
const longestDuration = 180

const durations = [0, 900, 1800, 2700, 3600, 5400, 7200, 10_800, 14_400, 28_800] as const

/** The typed task; undefined while its text or its date is missing. */
export function taskOfDraft(
  { text, due, type, user, duration }: TypedTask,
  read: (text: string) => number | undefined,
): TaskDraft | undefined {
  const complete_till = read(due)
  if (text.trim() === '' || complete_till === undefined) return undefined
  return {
    text: text.trim(),
    complete_till,
    task_type_id: type,
    responsible_user_id: user,
    duration,
  }
}

/** The fields of a task that is changed. */
export function useTaskDraft(task: Task) {
  const timeZone = useTimeZone() ?? 'UTC'
  const [draft, setDraft] = useState<TypedTask>(() => ({
    text: task.text,
    due: clockAt(task.complete_till, timeZone).replace('T', ' '),
    type: task.task_type_id,
    user: task.responsible_user_id,
    duration: task.duration,
  }))
  return {
    draft,
    change: (to: Partial<TypedTask>) => setDraft((before) => ({ ...before, ...to })),
  }
}

export function TaskFields({
  draft: { due, type, user, duration },
  change,
}: {
  draft: TypedTask
  change: (to: Partial<TypedTask>) => void
}) {
  const words = useTranslations('feed')
  const { vocabulary, type: record, id: recordId } = useFeed()
  const taskType = useTaskType()
  const seconds = [...new Set([...durations, duration])].toSorted((one, other) => one - other)
  return (
    <div className={styles.taskFields}>
      <DueInput value={due} onChange={(to) => change({ due: to })} />
      <Select
        aria-label={words('taskTypeField')}
        data={vocabulary.task_types.map(({ id }) => ({ value: String(id), label: taskType(id) }))}
        value={String(type)}
        allowDeselect={false}
        {...drawnOptions(vocabulary.task_types, String(type))}
        onChange={(value) => change({ type: Number(value) })}
      />
      <UserChoice
        aria-label={words('responsible')}
        users={vocabulary.users.filter(({ id, is_active }) => is_active || id === user)}
        subject={{ type: record, id: recordId }}
        value={String(user)}
        onChange={(value) => change({ user: Number(value) })}
      />
      <Select
        aria-label={words('duration')}
        comboboxProps={{ width: longestDuration, position: 'bottom-end' }}
        data={seconds.map((each) => ({
          value: String(each),
          label:
            each === 0
              ? words('noDuration')
              : each < 3600
                ? words('minutes', { count: each / 60 })
                : words('hours', { hours: each / 3600 }),
        }))}
        value={String(duration)}
        allowDeselect={false}
        onChange={(value) => change({ duration: Number(value) })}
      />
    </div>
  )
}
